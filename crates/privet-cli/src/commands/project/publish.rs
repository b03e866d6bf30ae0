//! `privet publish` inside of a project: one private graph, out of its data and its budget.

use privet::graph::LoadedData;
use privet::hetero_rr::PrivateEdges;
use privet::privacy::edges::comparison::hrg::PrivateNodes;
use privet::privacy::unit::DataPart;
use privet::publish::{FeaturePolicy, PublishedData};
use privet::{Noise, Project, Run};

use super::record;
use crate::args::Publish;
use crate::commands::protect::target;
use crate::commands::publish::publish;
use crate::failure::{Failure, FailureKind, Result};
use crate::output::cardfile::{self, card_of};
use crate::output::console::Console;
use crate::output::publish::PublicationOutput;

/// Reads what is declared, charges the project, randomises, writes. Everything that the project hides is private, and what is
/// neither protected nor public is left out.
///
/// # Errors
/// As for `privet publish` elsewhere.
pub(in crate::commands) fn run(
    project: &Project,
    typed: &Publish,
    console: &Console,
) -> Result<()> {
    let private = &typed.private;
    for (given, option, why) in [
        (typed.edges_ledger.is_some(), "--edges-ledger", "it has its own accounts"),
        (typed.features_ledger.is_some(), "--features-ledger", "it has its own accounts"),
        (
            typed.utility_report.is_some(),
            "--utility-report",
            "a look at the truth would have its price",
        ),
        (private.private_edges.is_some(), "--private-edges", "all connections are private there"),
        (private.private_share.is_some(), "--private-share", "all connections are private there"),
        (private.private_nodes.is_some(), "--private-nodes", "all connections are private there"),
    ] {
        if given {
            let failure = Failure::usage(format!("{option} is not for projects: {why}"));
            return Err(failure.hint("leave it out"));
        }
    }
    let hidden = project.hides(DataPart::Features);
    if hidden && typed.request.public_features {
        let message = "--public-features: refused: the project hides features";
        let hint = "protect them with --epsilon-features, or leave them out";
        return Err(Failure::new(FailureKind::Refused, message).hint(hint));
    }
    let target = target(&typed.output, typed.to, typed.overwrite)?;
    let key = typed.signing.key()?;
    let dataset = {
        let _alive = console.spinner("reading what is declared");
        project.dataset_for(&[DataPart::Edges, DataPart::Features])?
    };
    let mut publish = publish(typed, None, &dataset, console)?;
    if !hidden && matches!(publish.features, FeaturePolicy::LeftOut) {
        publish.features = FeaturePolicy::Public;
    }
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) };
    let before = run.ledgers.accounts();
    let published = {
        let _alive = console.spinner("growing a tree, and randomising");
        publish.run(&dataset, &PrivateEdges::All, PrivateNodes::All, &run)?
    };
    let (PublishedData { dataset, grown }, card) = published.into_parts();
    let (card, mut files) = cardfile::issue(&target.path, card, key.as_ref(), || {
        let written = target.write(&LoadedData::Nodes(dataset))?;
        written.retired.iter().for_each(|retired| console.note(retired));
        Ok(written.files)
    })?;
    files.dedup();
    let ledgers = before.charged();
    record(project, &run.ledgers, &target.path, Some(&card_of(&target.path)))?;
    console.answer(&PublicationOutput::new(
        card,
        files,
        ledgers,
        None,
        grown.map(|grown| grown.fit),
    ))
}
