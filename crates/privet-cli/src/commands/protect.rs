//! `privet protect features|labels|edges`: from raw data to something that may be published.
//!
//! The order is the guarantee: read, charge the ledger and wait until that is on disk, draw noise,
//! decode, write. What fails before the charge costs nothing; what fails after it stays spent.

mod account;
mod budgets;
mod edges;
mod features;
mod labels;
mod unprotected;

use std::path::{Path, PathBuf};

use privet::data::formats::Format;
use privet::doubts::{self, Doubt};
use privet::graph::{Dataset, Fact, Loaded};
use privet::privacy::card::Key;
use privet::privacy::unit::Part;
use privet::privacy::{Card, Loss};

use crate::args::Protect;
use crate::cardfile;
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::{Target, refuse_existing};
use crate::protected::Protected;
use crate::source::Source;
use account::Account;
use budgets::Budgets;
pub(super) use features::public_scale;

/// Something to randomise, where it goes, and who pays.
#[derive(Debug)]
pub struct Plan {
    job: Job,
    source: Source,
    target: Target,
    terms: Terms,
    accepted: Vec<Doubt>,
}

/// Which part of a dataset is randomised, and how.
#[derive(Debug)]
enum Job {
    Features(features::Plan),
    Labels,
    Edges(edges::Plan),
}

impl Job {
    fn part(&self) -> Part {
        match self {
            Self::Features(_) => Part::Features,
            Self::Labels => Part::Labels,
            Self::Edges(_) => Part::Edges,
        }
    }

    /// What the output shows beside the reports.
    fn shows(&self) -> &'static [Fact] {
        match self {
            Self::Features(_) => &[Fact::Ids, Fact::Columns],
            Self::Labels => &[Fact::Ids, Fact::Classes],
            Self::Edges(_) => &[Fact::Ids],
        }
    }
}

/// What a release costs whom, and what was promised before.
#[derive(Debug)]
struct Terms {
    account: Account,
    budgets: Budgets,
    /// The card of the input, and where it was.
    earlier: Option<(PathBuf, Card)>,
    part: Part,
    key: Option<Key>,
    delta: f64,
}

impl Terms {
    /// A card that goes on where the input's card ended.
    fn card(&self, subject: String) -> Card {
        let card = Card::new(subject);
        match &self.earlier {
            Some((_, earlier)) => card.continuing(earlier, self.part),
            None => card,
        }
    }

    /// Accounts that the card depends on: the one charged now, and, where it is known, the one before.
    fn ledgers(&self) -> Vec<PathBuf> {
        let before = self.earlier.iter().flat_map(|(path, card)| {
            let names =
                card.guarantees.iter().filter_map(|guarantee| guarantee.ledger.file.as_ref());
            names.map(|name| path.with_file_name(name))
        });
        [self.account.path.clone()].into_iter().chain(before.filter(|path| path.exists())).collect()
    }
}

/// A dataset with a part replaced by reports, and what that promises.
struct Released {
    dataset: Dataset,
    card: Card,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, numbers make no sense, or something is in the way.
    pub fn new(typed: Protect, console: &Console) -> Result<Self> {
        let mut delta = 0.0;
        let (job, spending) = match typed {
            Protect::Features(typed) => {
                delta = typed.delta.unwrap_or(0.0);
                (Job::Features(features::Plan::new(&typed)), typed.spending)
            }
            Protect::Labels(typed) => (Job::Labels, typed.spending),
            Protect::Edges(typed) => (Job::Edges(edges::Plan::new(&typed)?), typed.spending),
        };
        let target = target(&spending.output, spending.to, spending.overwrite)?;
        let budgets = Budgets::new(spending.epsilon, spending.budgets.as_deref())?;
        let account = Account::new(&spending, budgets.largest(), delta)?;
        let source = Source::find(&spending.input, spending.reading, console)?;
        let (part, key) = (job.part(), spending.signing.key()?);
        let earlier = earlier_card(&source, part, console)?;
        let terms = Terms { account, budgets, earlier, part, key, delta };
        let accepted = spending.releasing.accept;
        Ok(Self { job, source, target, terms, accepted })
    }

    /// Reads, charges, randomises, writes.
    ///
    /// # Errors
    /// If the data cannot be read, a public fact is missing, the limit would be passed, or the result
    /// cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, _) = self.source.load(console)?;
        console.private_notices(loaded.notices());
        let dataset = loaded.into_nodes()?;
        let on_whose_word = self.questions(&dataset)?;
        self.terms.account.announce(console);
        let released = {
            let _alive = console.spinner("randomising");
            match &self.job {
                Job::Features(plan) => plan.release(dataset, &self.terms)?,
                Job::Labels => labels::release(dataset, &self.terms)?,
                Job::Edges(plan) => plan.release(dataset, &self.terms)?,
            }
        };
        let Released { dataset, card } = released;
        let card = on_whose_word.into_iter().fold(card, Card::with_unprotected);
        let (card, files) = {
            let _alive = console.spinner(format!("writing {}", self.target.path.display()));
            let issued = cardfile::issue(&self.target.path, card, self.terms.key.as_ref(), || {
                let written = self.target.write(&Loaded::Nodes(dataset))?;
                written.retired.iter().for_each(|retired| console.note(retired));
                Ok(written.files)
            });
            issued.map_err(|failure| self.terms.account.lament(failure))?
        };
        console.answer(&Protected::new(card, files, &self.terms.ledgers()))
    }
}

impl Plan {
    /// What the card must repeat, because nothing but the word of whoever ran this speaks for it.
    ///
    /// # Errors
    /// If the release would show what the records happen to contain, or protect nobody.
    fn questions(&self, dataset: &Dataset) -> Result<Vec<String>> {
        let mut lines = dataset.require_public(self.job.shows())?;
        let asked = Loss::new(self.terms.budgets.largest(), self.terms.delta)?;
        let limit = self.terms.account.new_limit().unwrap_or(asked);
        let people = dataset.graph().node_count();
        lines.extend(doubts::Terms { people, asked, limit }.settle(&self.accepted)?);
        Ok(lines)
    }
}

/// The card beside the input, as far as it speaks of what is read.
///
/// # Errors
/// If it was issued for another file, or says that the same part is randomised already.
fn earlier_card(source: &Source, now: Part, console: &Console) -> Result<Option<(PathBuf, Card)>> {
    let found = source.path().map(cardfile::of_input).transpose()?.flatten();
    let Some((path, mut card)) = found else { return Ok(None) };
    for (replaced, part, option) in [
        (source.has_other_features(), Part::Features, "--features"),
        (source.has_other_labels(), Part::Labels, "--labels"),
    ] {
        if replaced && card.protects(part) {
            console.note(&format!("{} does not speak of {option} FILE", path.display()));
            card.forget(part);
        }
    }
    if card.protects(now) {
        let message = format!(
            "{}: refused: this part is randomised already, and noise on noise protects nobody \
             better",
            path.display()
        );
        let hint = "randomise the original again, charged to the same ledger";
        return Err(Failure::new(Kind::Refused, message).hint(hint));
    }
    Ok(Some((path, card)))
}

/// Where the result goes; refuses what would fail only after the budget is spent.
pub(super) fn target(output: &Path, to: Option<Format>, overwrite: bool) -> Result<Target> {
    let target = Target::new(output, to, overwrite)?;
    let ending = target.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let edges_alone = match target.format {
        Some(Format::EdgeList | Format::GinText) => true,
        None | Some(Format::Csv | Format::Parquet) => {
            matches!(&*ending, "csv" | "parquet" | "txt")
        }
        Some(_) => false,
    };
    if edges_alone {
        let message = format!(
            "{}: refused: a file of edges has no room for ids, features or labels of nodes that \
             noise leaves alone",
            target.path.display()
        );
        let hint = "name a folder, or a .npz or .graphml file";
        return Err(Failure::new(Kind::Refused, message).hint(hint));
    }
    check_folder(&target.path)?;
    if !overwrite {
        refuse_existing(&cardfile::card_of(&target.path), "replace it with --overwrite")?;
    }
    Ok(target)
}

/// Finds out before anything is charged that nothing could be written.
fn check_folder(path: &Path) -> Result<()> {
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            let message = format!("{}: there is no such folder", folder.display());
            Err(Failure::data(message))
        }
        _ => Ok(()),
    }
}
