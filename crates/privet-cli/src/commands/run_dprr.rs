//! `privet run dprr`: the whole system, beside its control, its ceiling and the largest class.

use std::path::Path;

use privet::Run;
use privet::doubts::Price;
use privet::dprr::{GraphLearner, Reporting};
use privet::privacy::{Card, Loss};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::trial::Data;

use super::people::graphs;
use super::trial::Measuring;
use crate::args::RunDprr;
use crate::console::Console;
use crate::failure::Result;
use crate::output::write_whole;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read or lacks something, or the
/// result cannot be written.
pub(super) fn run(typed: RunDprr, console: &Console) -> Result<()> {
    let reading = typed.reports;
    let split = typed.split.over(reading.split())?;
    let protection = Reporting { method: typed.mechanism, setting: typed.setting()?, split };
    // Refused now, not after a minute of reading.
    protection.check()?;
    let (learner, asked) = (typed.learner.over(GraphLearner::default())?, typed.largest_epsilon());
    let measuring = Measuring::new(&typed.trial)?;
    let set = graphs(&typed.dataset, typed.reading, &measuring.written(), console)?;
    let data = Data::new(&typed.dataset, &set);
    let trial = DprrTrial::new(data, protection.method, protection.setting.clone());
    let trial = DprrTrial { protection, reading, learner, ..trial };
    let price = Price::once(set.node_count(), Loss::new(asked, 0.0)?);
    let lines = measuring.questions(&[price], || set.require_public_users())?;
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
