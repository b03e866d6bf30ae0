//! `privet run ldp-ge`: the whole system, beside its control, its ceiling and no graph.

mod explain;

use privet::request::RequestFields;
use privet_lab::experiments::ldp_ge::LdpGeTrial;

use super::people::people;
use super::trial::TrialSetup;
use crate::args::RunLdpGe;
use crate::failure::{Failure, Result};
use crate::output::console::Console;

/// Forecasts or measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read or lacks something, or the
/// result cannot be written.
pub(super) fn run(typed: RunLdpGe, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    typed.request.validate()?;
    if typed.explain && !typed.request.secrets.parts().features {
        let message = "--explain forecasts the error of randomised features, which are public here";
        return Err(Failure::usage(message).hint("leave one of them out"));
    }
    let measuring = (!typed.explain).then(|| TrialSetup::new(&typed.trial)).transpose()?;
    let written = measuring.as_ref().map_or_else(Vec::new, TrialSetup::written);
    let dataset = people(&typed.dataset, typed.reading.clone(), &written, console)?;
    let (request, spill) = (&typed.request, typed.reading.spill());
    let trial = LdpGeTrial::requested(request, &typed.dataset, &dataset, spill)?;
    let Some(mut measuring) = measuring else {
        let forecast = explain::forecast(&dataset, &trial.system, trial.private, typed.contrast)?;
        return console.answer(&forecast);
    };
    measuring.spill = typed.reading.spill();
    measuring.run(console, &trial, &trial.release(), (&dataset).into())
}
