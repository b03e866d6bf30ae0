//! `privet run dprr`: the whole system, beside its control, its ceiling and the largest class.

use privet_lab::experiments::dprr::DprrTrial;

use super::people::graphs;
use super::trial::TrialSetup;
use crate::args::RunDprr;
use crate::failure::Result;
use crate::output::console::Console;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read or lacks something, or the
/// result cannot be written.
pub(super) fn run(typed: RunDprr, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    typed.request.system()?;
    let measuring = TrialSetup::new(&typed.trial)?;
    let set = graphs(&typed.dataset, typed.reading.clone(), &measuring.written(), console)?;
    let trial = DprrTrial::requested(&typed.request, &typed.dataset, &set)?;
    measuring.run(console, &trial, &trial.system(), (&set).into())
}
