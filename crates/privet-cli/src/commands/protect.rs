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

use privet::doubts::{self, Doubt};
use privet::privacy::{Card, Loss};
use privet_graph::io::Format;
use privet_graph::{Dataset, Fact, Loaded};

use crate::args::Protect;
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::{Target, beside, refuse_existing, with_card};
use crate::protected::Protected;
use crate::source::Source;
use account::Account;
use budgets::Budgets;
pub(super) use features::public_scale;
use unprotected::{Content, begun, unprotected};

use super::verify::read_card;

/// Something to randomise, where it goes, and who pays.
#[derive(Debug)]
pub struct Plan {
    part: Part,
    source: Source,
    target: Target,
    terms: Terms,
    accepted: Vec<Doubt>,
}

/// Which part of a dataset.
#[derive(Debug)]
enum Part {
    Features(features::Plan),
    Labels,
    Edges(edges::Plan),
}

impl Part {
    fn content(&self) -> Content {
        match self {
            Self::Features(_) => Content::Features,
            Self::Labels => Content::Labels,
            Self::Edges(_) => Content::Edges,
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
    content: Content,
    delta: f64,
}

impl Terms {
    /// A card that goes on where the input's card ended.
    fn card(&self, subject: String) -> Card {
        begun(subject, self.earlier.as_ref().map(|(_, card)| card), self.content)
    }

    /// Accounts that the card depends on: the one charged now, and, where it is known, the one before.
    fn ledgers(&self) -> Vec<PathBuf> {
        let before = self.earlier.iter().filter_map(|(path, _)| {
            Some(PathBuf::from(format!("{}.ledger", path.to_str()?.strip_suffix(".card.json")?)))
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
        let (part, spending) = match typed {
            Protect::Features(typed) => {
                delta = typed.delta.unwrap_or(0.0);
                (Part::Features(features::Plan::new(&typed)), typed.spending)
            }
            Protect::Labels(typed) => (Part::Labels, typed.spending),
            Protect::Edges(typed) => (Part::Edges(edges::Plan::new(&typed)?), typed.spending),
        };
        let target = target(&spending.output, spending.to, spending.overwrite)?;
        let budgets = Budgets::new(spending.epsilon, spending.budgets.as_deref())?;
        let account = Account::new(&spending, budgets.largest(), delta)?;
        let source = Source::find(&spending.input, spending.reading, console)?;
        let content = part.content();
        let earlier = earlier_card(&source, content, console)?;
        let terms = Terms { account, budgets, earlier, content, delta };
        let accepted = spending.releasing.accept;
        Ok(Self { part, source, target, terms, accepted })
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
            match &self.part {
                Part::Features(plan) => plan.release(dataset, &self.terms)?,
                Part::Labels => labels::release(dataset, &self.terms)?,
                Part::Edges(plan) => plan.release(dataset, &self.terms)?,
            }
        };
        let Released { dataset, card } = released;
        let card = on_whose_word.into_iter().fold(card, unprotected);
        let files = {
            let _alive = console.spinner(format!("writing {}", self.target.path.display()));
            let written = with_card(&self.target.path, &card, || {
                Ok(self.target.write(&Loaded::Nodes(dataset))?.files)
            });
            written.map_err(|failure| self.terms.account.lament(failure))?
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
        let mut lines = dataset.require_public(self.part.shows())?;
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
/// If it says that the same part is randomised already.
fn earlier_card(
    source: &Source,
    now: Content,
    console: &Console,
) -> Result<Option<(PathBuf, Card)>> {
    let path = source.path().map(|path| beside(path, "card.json"));
    let Some(path) = path.filter(|path| path.exists()) else { return Ok(None) };
    let mut card = read_card(&path)?;
    for (replaced, content, option) in [
        (source.has_other_features(), Content::Features, "--features"),
        (source.has_other_labels(), Content::Labels, "--labels"),
    ] {
        if replaced && content.is_protected_by(&card) {
            console.note(&format!("{} does not speak of {option} FILE", path.display()));
            content.forget(&mut card);
        }
    }
    if now.is_protected_by(&card) {
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
        refuse_existing(&beside(&target.path, "card.json"), "replace it with --overwrite")?;
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
