//! `privet run dprr`: the whole system, beside its control, its ceiling and the largest class.

use std::path::Path;

use privet::Run;
use privet::privacy::Card;
use privet_lab::experiments::dprr::DprrTrial;

use super::people::graphs;
use super::trial::Measuring;
use crate::args::RunDprr;
use crate::console::Console;
use crate::failure::Result;
use crate::output::write_whole;
use crate::systems;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read or lacks something, or the
/// result cannot be written.
pub(super) fn run(typed: RunDprr, console: &Console) -> Result<()> {
    // Refused now, not after a minute of reading.
    systems::reporting(&typed)?;
    let measuring = Measuring::new(&typed.trial)?;
    let set = graphs(&typed.dataset, typed.reading.clone(), &measuring.written(), console)?;
    let (trial, asked) = systems::dprr(&typed, &set)?;
    let lines = measuring.questions(&asked.prices, || set.require_public_users())?;
    measuring.run(console, &trial, |run, folder| release(&trial, run, &lines, folder))
}

/// Collects once, learns, and writes the ledger where `run` says, model and predictions to a folder.
fn release(
    trial: &DprrTrial<'_>,
    run: &Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let (made, mut card) = trial.run_as(run)?.1.into_parts();
    made.model.save(&folder.join("model.safetensors"))?;
    let names =
        trial.data.dataset.labels().map_or_else(Vec::new, |labels| labels.class_names().to_vec());
    let mut lines = String::from("graph,predicted\n");
    for (graph, &class) in made.predicted.iter().enumerate() {
        let name = names.get(class as usize).map_or("", String::as_str);
        lines += &format!("{graph},{name}\n");
    }
    write_whole(&folder.join("predicted.csv"), lines.as_bytes())?;
    card.subject = format!("a classifier and predictions made from: {}", card.subject);
    card = on_whose_word.iter().cloned().fold(card, Card::with_unprotected);
    Ok(card)
}
