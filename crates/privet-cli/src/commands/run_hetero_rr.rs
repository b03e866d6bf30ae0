//! `privet run hetero-rr`: what private edges add to a classifier, as votes or as a published graph, beside control,
//! ceiling, public edges alone, and other mechanisms.

use std::path::PathBuf;

use privet::apart::keep_apart;
use privet::request::RequestFields;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;

use super::trial::TrialSetup;
use crate::args::RunHeteroRr;
use crate::commands::source::Source;
use crate::failure::Result;
use crate::output::console::Console;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, or the result
/// cannot be written.
pub(super) fn run(typed: RunHeteroRr, console: &Console) -> Result<()> {
    if typed.trial.output.is_some() {
        typed.request.refuse_lot(typed.trial.seed)?;
    }
    typed.request.validate()?;
    let measuring = TrialSetup::new(&typed.trial)?;
    super::project::refuse_table(&typed.dataset)?;
    let source = Source::find(&typed.dataset, typed.reading.clone(), console)?;
    source.keep_apart(&measuring.written())?;
    let listed: Vec<PathBuf> = typed.request.private_edges.iter().cloned().collect();
    keep_apart(&listed, &measuring.written())?;
    let dataset = source.load(console)?.0.into_nodes()?;
    let trial = HeteroRrTrial::requested(&typed.request, &dataset)?;
    measuring.run(console, &trial, &trial.release(), (&dataset).into())
}
