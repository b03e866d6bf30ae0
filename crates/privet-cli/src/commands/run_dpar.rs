//! `privet run dpar`: a classifier that hides whole people, beside features alone, its control and its ceiling.

use privet::release::DparRelease;
use privet::request::RequestFields;
use privet_lab::experiments::dpar::DparTrial;

use super::people::people;
use super::trial::TrialSetup;
use crate::args::RunDpar;
use crate::failure::Result;
use crate::output::console::Console;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, no noise keeps the
/// target, or the result cannot be written.
pub(super) fn run(typed: RunDpar, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    typed.request.validate()?;
    let measuring = TrialSetup::new(&typed.trial)?;
    let dataset = people(&typed.dataset, typed.reading.clone(), &measuring.written(), console)?;
    let trial = DparTrial::requested(&typed.request, &dataset)?;
    let release = DparRelease { system: trial.system.clone(), relation: trial.hidden };
    measuring.run(console, &trial, &release, (&dataset).into())
}
