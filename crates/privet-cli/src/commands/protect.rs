//! `privet protect features|labels|edges|sums`: from raw data to something that may be published.
//!
//! The order is the guarantee: read, charge the ledger and wait until that is on disk, draw noise,
//! decode, write. What fails before the charge costs nothing; what fails after it stays spent.

use std::path::{Path, PathBuf};

use privet::apart::keep_apart;
use privet::data::formats::{Format, write};
use privet::graph::{Dataset, LoadedData};
use privet::privacy::Card;
use privet::privacy::card::CardKey;
use privet::privacy::ledger::{Contents, spent};
use privet::privacy::unit::DataPart;
use privet::protect::{Budgets, Edges, Features, Labels, Several, SingleProcess, Sums, Terms};
use privet::run::LedgerFile;
use privet::{LedgerStore, Noise, Run};

use super::project::Meant;
use crate::args::{DataName, Protect, SpendingArgs};
use crate::commands::source::Source;
use crate::failure::{Failure, FailureKind, Result};
use crate::output::cardfile::{self, beside};
use crate::output::console::Console;
use crate::output::protect::ProtectionOutput;
use crate::output::{OutputTarget, refuse_existing};

/// Which part of a dataset is randomised, and how.
pub(super) enum ProtectionJob {
    Features(Features),
    Labels(Labels),
    Edges(Edges),
    Sums(Sums),
}

/// Reads, charges, randomises, writes.
///
/// # Errors
/// If numbers make no sense, something is in the way, the data cannot be read, a public fact is missing, the limit
/// would be passed, or the result cannot be written.
pub(super) fn run(typed: Protect, console: &Console) -> Result<()> {
    check(&typed)?;
    let spending = typed.spending().clone();
    let input = match super::project::meant(spending.input.as_ref(), console)? {
        Meant::Data(input) => input,
        Meant::Project(_) if matches!(typed, Protect::Sums(_)) => {
            let message = "a project has no account for sums over neighbours";
            return Err(
                Failure::usage(message).hint("name the data: privet protect sums IN -o OUT")
            );
        }
        Meant::Project(project) => {
            let (part, _) = typed.part();
            let accepted = spending.releasing.accept.clone();
            let job =
                ProtectionJob::new(&typed, Terms { accepted, ..Terms::alike(spending.epsilon) })?;
            return super::project::protect(&project, part, &spending, &job, console);
        }
    };
    let release = PlannedRelease::new(&typed, input, console)?;
    let answer = release.run(console, |job, dataset, run| {
        job.run(dataset, run, &mut SingleProcess).map_err(Failure::from)
    })?;
    console.answer(&answer)
}

/// A release that nothing is in the way of, as far as can be told before the data is read.
pub(super) struct PlannedRelease {
    job: ProtectionJob,
    source: Source,
    target: OutputTarget,
    run: Run<'static>,
    /// The ledger that is charged, and the ones that were before.
    ledgers: Vec<PathBuf>,
    key: Option<CardKey>,
}

impl PlannedRelease {
    /// Refuses what would fail only after the budget is spent.
    pub(super) fn new(typed: &Protect, input: &DataName, console: &Console) -> Result<Self> {
        let (part, kind) = typed.part();
        let spending = typed.spending().clone();
        let target = target(&spending.output, spending.to, spending.overwrite)?;
        let budgets = budgets(&spending)?;
        let ledger = account(&spending)?;
        let source = Source::find(input, spending.reading.clone(), console)?;
        // The output must be none of the inputs, nor must its card.
        source.keep_apart(&[&target.path, &cardfile::card_of(&target.path)])?;
        keep_apart(spending.budgets.as_slice(), &[&target.path])?;
        let key = spending.signing.key()?;
        // An earlier card travels with the new one, or refuses it.
        let earlier = earlier_card(&source, part, console)?;
        let ledgers = [ledger.clone()].into_iter().chain(before(earlier.as_ref())).collect();
        let run = run_of(kind, ledger, &spending).within(spending.reading.spill());
        let accepted = spending.releasing.accept;
        let terms = Terms { budgets, accepted, earlier: earlier.map(|(_, card)| card) };
        Ok(Self { job: ProtectionJob::new(typed, terms)?, source, target, run, ledgers, key })
    }

    /// What is randomised, and how.
    #[cfg(feature = "cluster")]
    pub(super) fn job(&self) -> &ProtectionJob {
        &self.job
    }

    /// The accounts that are charged.
    #[cfg(feature = "cluster")]
    pub(super) fn ledgers(&self) -> &LedgerStore {
        &self.run.ledgers
    }

    /// Reads, has it drawn, and writes.
    pub(super) fn run<E: From<Failure>>(
        self,
        console: &Console,
        draw: impl FnOnce(&ProtectionJob, Dataset, &Run<'_>) -> Result<privet::Protected<Dataset>, E>,
    ) -> Result<ProtectionOutput, E> {
        let Self { job, source, target, run, ledgers, key } = self;
        let (loaded, _) = source.load(console)?;
        console.private_notices(loaded.notices());
        let dataset = loaded.into_nodes().map_err(Failure::from)?;
        console.announce(run.noise);
        let released = {
            let _alive = console.spinner("randomising");
            draw(&job, dataset, &run)?
        };
        let (dataset, card) = released.into_parts();
        let _alive = console.spinner(format!("writing {}", target.path.display()));
        let issued = cardfile::issue(&target.path, card, key.as_ref(), || {
            let written = target.write(&LoadedData::Nodes(dataset))?;
            written.retired.iter().for_each(|retired| console.note(retired));
            Ok(written.files)
        });
        // The ledger was charged before writing failed: the message must say so.
        let charged = |failure: Failure| failure.charged(&[ledgers[0].display().to_string()]);
        let (card, files) = issued.map_err(charged)?;
        Ok(ProtectionOutput::new(card, files, &ledgers))
    }
}

impl ProtectionJob {
    pub(super) fn new(typed: &Protect, terms: Terms) -> Result<Self> {
        Ok(match typed {
            Protect::Features(typed) => Self::Features(Features {
                settings: typed.randomizer.settings(),
                mechanism: typed.mechanism.clone(),
                decoding: typed.decoding,
                terms,
            }),
            Protect::Labels(_) => Self::Labels(Labels { terms }),
            Protect::Edges(typed) => Self::Edges(Edges::new(typed.mechanism, typed.merge, terms)?),
            Protect::Sums(typed) => {
                Self::Sums(Sums { hops: typed.hops, delta: typed.delta, terms })
            }
        })
    }

    pub(super) fn run(
        &self,
        dataset: Dataset,
        run: &Run<'_>,
        by: &mut impl Several,
    ) -> privet::Result<privet::Protected<Dataset>> {
        match self {
            Self::Features(features) => features.run_by(dataset, run, by),
            Self::Labels(labels) => labels.run_by(dataset, run, by),
            Self::Edges(edges) => edges.run_by(dataset, run, by),
            Self::Sums(sums) => sums.run_by(dataset, run, by),
        }
    }

    /// Whether several processes can run it.
    #[cfg(feature = "cluster")]
    pub(super) fn check_parts(&self) -> privet::Result<()> {
        match self {
            Self::Features(features) => features.terms.check_parts(),
            Self::Labels(labels) => labels.terms.check_parts(),
            Self::Edges(edges) => edges.check_parts(),
            Self::Sums(sums) => sums.terms.check_parts(),
        }
    }

    /// A part of what another process runs.
    #[cfg(feature = "cluster")]
    pub(super) fn assist(&self, dataset: &Dataset, by: &mut impl Several) -> privet::Result<()> {
        match self {
            Self::Features(features) => features.assist(dataset, by),
            Self::Labels(labels) => labels.assist(dataset, by),
            Self::Edges(edges) => edges.assist(dataset, by),
            Self::Sums(sums) => sums.assist(dataset, by),
        }
    }

    /// What all processes of a release must agree on.
    #[cfg(feature = "cluster")]
    pub(super) fn described(&self) -> serde_json::Value {
        let json = |name: &str, terms: &Terms, settings: serde_json::Value| {
            let epsilon = terms.budgets.otherwise();
            serde_json::json!({ "job": "protect", "of": name, "epsilon": epsilon, "settings": settings })
        };
        match self {
            Self::Features(Features { mechanism, settings, decoding, terms }) => {
                json("features", terms, serde_json::json!([mechanism, settings, decoding]))
            }
            Self::Labels(Labels { terms }) => json("labels", terms, serde_json::Value::Null),
            Self::Edges(edges) => {
                let settings = serde_json::json!([edges.mechanism(), edges.merge()]);
                json("edges", &edges.terms, settings)
            }
            Self::Sums(Sums { hops, delta, terms }) => {
                json("sums", terms, serde_json::json!([hops, delta]))
            }
        }
    }
}

/// What people ask for themselves, and what all others get.
pub(super) fn budgets(spending: &SpendingArgs) -> Result<Budgets> {
    Ok(match &spending.budgets {
        Some(path) => Budgets::read(spending.epsilon, path)?,
        None => Budgets::alike(spending.epsilon),
    })
}

/// Options that a mechanism has no use for.
pub(super) fn check(typed: &Protect) -> Result<()> {
    let Protect::Edges(typed) = typed else { return Ok(()) };
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
fn account(spending: &SpendingArgs) -> Result<PathBuf> {
    let path = spending.ledger.clone().unwrap_or_else(|| beside(&spending.output, "ledger"));
    if spending.ledger.is_none() {
        refuse_existing(&path, &what_now(&path, "--ledger", spending.epsilon))?;
    }
    // A ledger that exists is opened and checked later; a new one needs its folder.
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
        // People who published pay nothing, and do not count.
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

fn run_of(kind: &'static str, ledger: PathBuf, spending: &SpendingArgs) -> Run<'static> {
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
fn earlier_card(
    source: &Source,
    now: DataPart,
    console: &Console,
) -> Result<Option<(PathBuf, Card)>> {
    let found = source.path().map(cardfile::of_input).transpose()?.flatten();
    let Some((path, mut card)) = found else { return Ok(None) };
    for (replaced, part, option) in [
        (source.has_other_features(), DataPart::Features, "--features"),
        (source.has_other_labels(), DataPart::Labels, "--labels"),
    ] {
        if replaced && card.protects(part) {
            console.note(&format!("{} does not speak of {option} FILE", path.display()));
            // A replaced part has no guarantee any more.
            card.forget(part);
        }
    }
    if card.protects(now) {
        let message = format!(
            "{}: refused: this part is randomised already, and a second round of noise does not protect it \
             better",
            path.display()
        );
        let hint = "randomise the original again, charged to the same ledger";
        return Err(Failure::new(FailureKind::Refused, message).hint(hint));
    }
    Ok(Some((path, card)))
}

/// Where the result goes; refuses what would fail only after the budget is spent.
pub(super) fn target(output: &Path, to: Option<Format>, overwrite: bool) -> Result<OutputTarget> {
    if output.to_str().is_none() {
        let message = format!("{}: a card names its files in text", output.display());
        return Err(Failure::usage(message).hint("name a file in UTF-8"));
    }
    let target = OutputTarget::new(output, to, overwrite)?;
    // Formats that would lose parts of the data are refused before the charge.
    let set = write::is_set(&target.path, target.format)?;
    if set || write::is_edges_alone(&target.path, target.format)? {
        let message = format!(
            "{}: refused: a file of edges has no room for ids, features or labels of nodes that \
             noise leaves alone",
            target.path.display()
        );
        let hint = "name a folder, or a .npz or .graphml file";
        return Err(Failure::new(FailureKind::Refused, message).hint(hint));
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
