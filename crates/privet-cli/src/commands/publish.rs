//! `privet publish`: one private graph, for whatever comes.
//!
//! The order is the guarantee: read, check all that can be checked, charge both ledgers and wait until that
//! is on disk, draw noise, write. What fails before the charge costs nothing.

use std::path::{Path, PathBuf};

use privet::apart::keep_apart;
use privet::graph::{Dataset, LoadedData};
use privet::hetero_rr::{PrivateEdges, custody};
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::project::InputGuard;
use privet::project::guard::ALL_PARTS;
use privet::publish::{FeaturePolicy, Publish, PublishedData, listed_edges, listed_nodes};
use privet::request::RequestFields;
use privet::run::LedgerFile;
use privet::{LedgerStore, Noise, Run};
use privet_lab::experiments::structure::Utility;

use super::project::Meant;
use super::protect::{target, what_now};
use crate::args::{self, PrivatePart};
use crate::commands::source::Source;
use crate::failure::{Failure, Result};
use crate::output::cardfile::{self, beside};
use crate::output::console::Console;
use crate::output::publish::{PublicationOutput as Answer, TruthComparison};
use crate::output::{refuse_existing, write_whole};

/// What is said first where there are classes to learn.
const FOR_A_CLASSIFIER: &str = "a graph serves any use; if classes are all that is wanted, let private edges vote \
    (`privet run hetero-rr`) or leave them out: a classifier does worse on edges drawn in their place";

/// Reads, charges, randomises, writes.
///
/// # Errors
/// If numbers make no sense, something is in the way, the data cannot be read, a public fact is missing, a limit would
/// be passed, or the result cannot be written.
pub(super) fn run(typed: args::Publish, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    typed.request.validate()?;
    let input = match super::project::meant(typed.input.as_ref(), console)? {
        Meant::Data(input) => input,
        Meant::Project(project) => return super::project::publish(&project, &typed, console),
    };
    let target = target(&typed.output, typed.to, typed.overwrite)?;
    if let Some(path) = &typed.utility_report {
        if !typed.overwrite {
            refuse_existing(path, "replace it with --overwrite")?;
        }
        cardfile::refuse_part_of_release(path)?;
    }
    let (run, ledgers) = run_of(&typed)?;
    let key = typed.signing.key()?;
    let sample = typed.public_sample.as_ref();
    let sample = sample.map(|name| Source::find(name, typed.reading.clone(), console));
    let sample = sample.transpose()?;
    let source = Source::find(input, typed.reading.clone(), console)?;
    let written = [Some(&target.path), typed.utility_report.as_ref()];
    let written: Vec<&Path> = written.into_iter().flatten().map(PathBuf::as_path).collect();
    let listed = [&typed.private.private_edges, &typed.private.private_nodes];
    let listed = listed.into_iter().flatten().cloned();
    let sampled = sample.iter().flat_map(Source::inputs);
    let read: Vec<PathBuf> = source.inputs().into_iter().chain(listed).chain(sampled).collect();
    keep_apart(&read, &written)?;
    let listed = [&typed.private.private_edges, &typed.private.private_nodes];
    let listed: Vec<&PathBuf> = listed.into_iter().flatten().collect();
    InputGuard::around(listed.iter().map(|path| path.as_path()))?
        .check_tables(&listed, &ALL_PARTS)?;
    let (loaded, _) = source.load(console)?;
    console.private_notices(loaded.notices());
    let dataset = loaded.into_nodes()?;
    let publish = publish(&typed, sample.as_ref(), &dataset, console)?;
    let private = private_edges(&typed.private, &dataset)?;
    let may_have = private_nodes(&typed.private, &dataset)?;
    console.announce(run.noise);
    if dataset.features().is_some() && matches!(publish.features, FeaturePolicy::LeftOut) {
        console.note(
            "features are left out: protect them with --epsilon-features, or declare \
             --public-features",
        );
    }
    let published = {
        let _alive = console.spinner("growing a tree of the public edges, and randomising");
        publish.run(&dataset, &private, may_have, &run)?
    };
    let utility = typed.utility_report.as_ref().map(|path| {
        let _alive = console.spinner("comparing with the truth");
        let truth = custody::simple(dataset.graph())?;
        let seed = 1; // of walks and communities; it gives no protection
        let drawn = published.get().dataset.graph();
        Ok::<_, Failure>((path, TruthComparison::new(Utility::of(&truth, drawn, seed))))
    });
    let (PublishedData { dataset, grown }, card) = published.into_parts();
    let ledgers: Vec<String> = ledgers.iter().map(|path| path.display().to_string()).collect();
    let (card, mut files) = cardfile::issue(&target.path, card, key.as_ref(), || {
        let written = target.write(&LoadedData::Nodes(dataset))?;
        written.retired.iter().for_each(|retired| console.note(retired));
        Ok(written.files)
    })
    .map_err(|failure| failure.charged(&ledgers))?;
    let mut for_custodian = None;
    if let Some(utility) = utility {
        let (path, report) = utility?;
        write_whole(path, &report.bytes()?)?;
        for_custodian = Some(path.display().to_string());
    }
    // The card stands last: the answer points to it.
    files.dedup();
    console.answer(&Answer::new(card, files, ledgers, for_custodian, grown.map(|g| g.fit)))
}

/// How it is published, once the public sample was read.
pub(super) fn publish(
    typed: &args::Publish,
    sample: Option<&Source>,
    dataset: &Dataset,
    console: &Console,
) -> Result<Publish> {
    let sample = sample.map(|source| source.load(console));
    let sample = sample.transpose()?.map(|(loaded, _)| loaded.into_nodes()).transpose()?;
    if dataset.labels().is_some() {
        console.note(FOR_A_CLASSIFIER);
    }
    Ok(typed.request.publish(sample, typed.releasing.accept.clone(), dataset)?)
}

fn private_edges(typed: &PrivatePart, dataset: &Dataset) -> Result<PrivateEdges> {
    let PrivatePart { all_private, private_share, share_seed, private_edges, .. } = typed;
    match (all_private, private_share, private_edges) {
        (true, ..) => Ok(PrivateEdges::All),
        (_, Some(share), _) => Ok(PrivateEdges::Share { share: *share, seed: *share_seed }),
        (_, _, Some(path)) => Ok(PrivateEdges::Listed(listed_edges(path, dataset)?)),
        _ => Err(Failure::usage("which edges are private is not known")
            .hint("list them with --private-edges FILE, or say --all-private")),
    }
}

fn private_nodes(typed: &PrivatePart, dataset: &Dataset) -> Result<PrivateNodes> {
    match &typed.private_nodes {
        Some(path) => Ok(listed_nodes(path, dataset)?),
        None => Ok(PrivateNodes::All),
    }
}

/// The run, and the ledgers it charges; those that were not named must not be there yet.
fn run_of(typed: &args::Publish) -> Result<(Run<'static>, Vec<PathBuf>)> {
    let place = |given: Option<&Path>, kind: &str, epsilon: f64| {
        let path = given.map_or_else(|| beside(&typed.output, kind), Path::to_path_buf);
        if given.is_none() {
            let option = format!("--{}", kind.replace('.', "-"));
            refuse_existing(&path, &what_now(&path, &option, epsilon))?;
        }
        Ok::<_, Failure>(path)
    };
    let mut ledgers = Vec::new();
    let epsilon = typed.request.epsilon_edges;
    let edges = place(typed.edges_ledger.as_deref(), "edges.ledger", epsilon)?;
    ledgers.push(edges.clone());
    let mut features = beside(&typed.output, "features.ledger");
    if let Some(epsilon) = typed.request.epsilon_features {
        features = place(typed.features_ledger.as_deref(), "features.ledger", epsilon)?;
        ledgers.push(features.clone());
    }
    let files = [("edges", edges), ("features", features)];
    let files = files.map(|(kind, path)| LedgerFile { kind, path, limit: None });
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    let store = LedgerStore::Files(files.into());
    Ok((Run { noise, ledgers: store, ..Run::simulation(0) }, ledgers))
}
