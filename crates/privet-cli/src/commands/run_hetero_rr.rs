//! `privet run hetero-rr`: what private edges add to a classifier, as votes or as a published graph, beside control,
//! ceiling, public edges alone, and other mechanisms.

use std::path::PathBuf;

use privet::apart::keep_apart;

use super::trial::TrialSetup;
use crate::args::RunHeteroRr;
use crate::commands::source::Source;
use crate::failure::{Failure, FailureKind, Result};
use crate::output::console::Console;
use crate::systems;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, or the result
/// cannot be written.
pub(super) fn run(typed: RunHeteroRr, console: &Console) -> Result<()> {
    let drawn_by_lot = typed.private_edges.is_none() && typed.private_share < 1.0;
    if typed.trial.output.is_some() && typed.trial.seed.is_none() && drawn_by_lot {
        let message = "-o: refused: which edges are private is drawn by lot here, from all of them";
        let hint = "list those that are with --private-edges FILE, call all edges private with --private-share 1, or \
                    make a simulation with --seed";
        return Err(Failure::new(FailureKind::Refused, message).hint(hint));
    }
    let measuring = TrialSetup::new(&typed.trial)?;
    super::project::refuse_table(&typed.dataset)?;
    let source = Source::find(&typed.dataset, typed.reading.clone(), console)?;
    source.keep_apart(&measuring.written())?;
    let listed: Vec<PathBuf> = typed.private_edges.iter().cloned().collect();
    keep_apart(&listed, &measuring.written())?;
    let dataset = source.load(console)?.0.into_nodes()?;
    measuring.run(console, &systems::hetero_rr(&typed, &dataset)?)
}
