//! `privet protect features|labels|edges`: from raw data to something that may be published.
//!
//! The order is the guarantee: read, charge the ledger and wait until that is on disk, draw noise,
//! decode, write. What fails before the charge costs nothing; what fails after it stays spent.

use std::path::{Path, PathBuf};

use privet::apart::keep_apart;
use privet::data::formats::{Format, write};
use privet::graph::{Dataset, Loaded};
use privet::privacy::Card;
use privet::privacy::ledger::{Contents, spent};
use privet::privacy::unit::Part;
use privet::protect::{Budgets, Edges, Features, Labels, Terms};
use privet::run::LedgerFile;
use privet::{LedgerStore, Noise, Run};

use super::project::Meant;
use crate::args::{Protect, ProtectEdges, Spending};
use crate::cardfile::{self, beside};
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::output::{Target, refuse_existing};
use crate::protected::Protected;
use crate::source::Source;

/// Which part of a dataset is randomised, and how.
pub(super) enum Job {
    Features(Features),
    Labels(Labels),
    Edges(Edges),
}

/// Reads, charges, randomises, writes.
///
/// # Errors
/// If numbers make no sense, something is in the way, the data cannot be read, a public fact is missing, the limit
/// would be passed, or the result cannot be written.
pub(super) fn run(typed: Protect, console: &Console) -> Result<()> {
    let (part, kind, spending) = match &typed {
        Protect::Features(typed) => (Part::Features, "features", typed.spending.clone()),
        Protect::Labels(typed) => (Part::Labels, "labels", typed.spending.clone()),
        Protect::Edges(typed) => {
            check_edges(typed)?;
            (Part::Edges, "edges", typed.spending.clone())
        }
    };
    let input = match super::project::meant(spending.input.as_ref(), console)? {
        Meant::Data(input) => input,
        Meant::Project(project) => {
            let accepted = spending.releasing.accept.clone();
            let job = Job::new(typed, Terms { accepted, ..Terms::alike(spending.epsilon) })?;
            return super::project::protect(&project, part, &spending, &job, console);
        }
    };
    let target = target(&spending.output, spending.to, spending.overwrite)?;
    let budgets = match &spending.budgets {
        Some(path) => Budgets::read(spending.epsilon, path)?,
        None => Budgets::alike(spending.epsilon),
    };
    let ledger = account(&spending)?;
    let source = Source::find(input, spending.reading.clone(), console)?;
    source.keep_apart(&[&target.path, &cardfile::card_of(&target.path)])?;
    keep_apart(spending.budgets.as_slice(), &[&target.path])?;
    let key = spending.signing.key()?;
    let earlier = earlier_card(&source, part, console)?;
    // The ledger that is charged, and the ones that were before.
    let ledgers: Vec<PathBuf> =
        [ledger.clone()].into_iter().chain(before(earlier.as_ref())).collect();
    let run = run_of(kind, ledger.clone(), &spending).within(spending.reading.spill());
    let accepted = spending.releasing.accept;
    let terms = Terms { budgets, accepted, earlier: earlier.map(|(_, card)| card) };
    let job = Job::new(typed, terms)?;
    let (loaded, _) = source.load(console)?;
    console.private_notices(loaded.notices());
    let dataset = loaded.into_nodes()?;
    console.announce(run.noise);
    let released = {
        let _alive = console.spinner("randomising");
        job.run(dataset, &run)?
    };
    let (dataset, card) = released.into_parts();
    let (card, files) = {
        let _alive = console.spinner(format!("writing {}", target.path.display()));
        let issued = cardfile::issue(&target.path, card, key.as_ref(), || {
            let written = target.write(&Loaded::Nodes(dataset))?;
            written.retired.iter().for_each(|retired| console.note(retired));
            Ok(written.files)
        });
        issued.map_err(|failure| failure.charged(&[ledger.display().to_string()]))?
    };
    console.answer(&Protected::new(card, files, &ledgers))
}

impl Job {
    fn new(typed: Protect, terms: Terms) -> Result<Self> {
        Ok(match typed {
            Protect::Features(typed) => Self::Features(Features {
                settings: typed.randomizer.settings(),
                mechanism: typed.mechanism,
                decoding: typed.decoding,
                terms,
            }),
            Protect::Labels(_) => Self::Labels(Labels { terms }),
            Protect::Edges(typed) => Self::Edges(Edges::new(typed.mechanism, typed.merge, terms)?),
        })
    }

    pub(super) fn run(
        &self,
        dataset: Dataset,
        run: &Run<'_>,
    ) -> privet::Result<privet::Protected<Dataset>> {
        match self {
            Self::Features(features) => features.run(dataset, run),
            Self::Labels(labels) => labels.run(dataset, run),
            Self::Edges(edges) => edges.run(dataset, run),
        }
    }
}

/// Options that this mechanism has no use for.
fn check_edges(typed: &ProtectEdges) -> Result<()> {
    if typed.merge.is_some() && !typed.mechanism.reports_rows() {
        let message = "--merge is for dprr and rr: this mechanism has one way to make a graph";
        return Err(Failure::usage(message).hint("leave it out"));
    }
    if typed.mechanism.is_curated() && typed.spending.budgets.is_some() {
        let message = "--budgets is for mechanisms that run on each person's device";
        return Err(Failure::usage(message).hint("use dprr, rr or local-lap, or leave it out"));
    }
    Ok(())
}

/// The ledger's file. One that was not named must not be there yet.
fn account(spending: &Spending) -> Result<PathBuf> {
    let path = spending.ledger.clone().unwrap_or_else(|| beside(&spending.output, "ledger"));
    if spending.ledger.is_none() {
        refuse_existing(&path, &what_now(&path, "--ledger", spending.epsilon))?;
    }
    if !path.exists() {
        check_folder(&path)?;
    }
    Ok(path)
}

/// What can be done about an account that is there already: a run that was stopped after its charge leaves one.
pub(super) fn what_now(path: &Path, option: &str, epsilon: f64) -> String {
    let named = path.display();
    let left = Contents::read(path).and_then(|account| {
        let limit = account.header.limit;
        let spent = spent(&account.entries, limit.delta)?;
        let most =
            spent.iter().filter(|group| !group.opted_out).map(|group| group.loss.epsilon.get());
        Ok(limit.epsilon.get() - most.fold(0.0, f64::max))
    });
    match left {
        Ok(left) if left >= epsilon => format!("charge it again with {option} {named}"),
        Ok(_) => format!(
            "what was charged to it stays spent, and leaves no room for epsilon {epsilon}: a second release costs \
             people as much again; charge a new account with {option} FILE if they may pay both, and keep {named}"
        ),
        Err(_) => format!("name another account with {option} FILE"),
    }
}

fn run_of(kind: &'static str, ledger: PathBuf, spending: &Spending) -> Run<'static> {
    let noise = spending.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    let ledgers =
        LedgerStore::Files(vec![LedgerFile { kind, path: ledger, limit: spending.limit }]);
    Run { noise, ledgers, ..Run::simulation(0) }
}

/// Accounts that the earlier card was made from, as far as they lie beside it.
fn before(earlier: Option<&(PathBuf, Card)>) -> Vec<PathBuf> {
    let named = earlier.into_iter().flat_map(|(path, card)| {
        let names = card.guarantees.iter().filter_map(|guarantee| guarantee.ledger.file.as_ref());
        names.map(|name| path.with_file_name(name))
    });
    named.filter(|path| path.exists()).collect()
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
    if output.to_str().is_none() {
        let message = format!("{}: a card names its files in text", output.display());
        return Err(Failure::usage(message).hint("name a file in UTF-8"));
    }
    let target = Target::new(output, to, overwrite)?;
    let set = write::is_set(&target.path, target.format)?;
    if set || write::is_edges_alone(&target.path, target.format)? {
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
