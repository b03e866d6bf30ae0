//! `privet run dpar`: a classifier that hides whole people, beside features alone, its control and its ceiling.

use std::path::Path;

use privet::Run;
use privet::dpar::DparMethod;
use privet::privacy::Card;
use privet_lab::experiments::dpar::DparTrial;

use super::people::people;
use super::trial::Measuring;
use crate::args::RunDpar;
use crate::console::Console;
use crate::failure::Result;
use crate::systems;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, no noise keeps the
/// target, or the result cannot be written.
pub(super) fn run(typed: RunDpar, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    typed.promise.system(typed.method.unwrap_or(DparMethod::Spread))?;
    let measuring = Measuring::new(&typed.trial)?;
    let promise = &typed.promise;
    let dataset = people(&promise.dataset, promise.reading.clone(), &measuring.written(), console)?;
    let (trial, asked) = systems::dpar(&typed, &dataset)?;
    let lines = measuring.questions(&asked.prices, || dataset.require_public(&asked.shown))?;
    measuring.run(console, &trial, |run, folder| release(&trial, run, &lines, folder))
}

/// Trains once for real; the ledger goes where `run` says, the model to a folder.
fn release(
    trial: &DparTrial<'_>,
    run: &Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let (made, card) = trial.release(run)?.into_parts();
    made.model.save(&folder.join("model.safetensors"))?;
    if let Some(encoder) = &made.encoder {
        encoder.save(&folder.join("encoder.safetensors"))?;
    }
    Ok(on_whose_word.iter().cloned().fold(card, Card::with_unprotected))
}
