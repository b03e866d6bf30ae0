//! `privet run dpar`: a classifier that hides whole people, beside features alone, its control and its ceiling.

use std::path::Path;

use privet::Run;
use privet::doubts::Price;
use privet::dpar::{Dpar, Held, Mode};
use privet::graph::{Dataset, Fact};
use privet::privacy::{Card, Loss};
use privet_lab::experiments::dpar::{DparTrial, Hidden};
use privet_lab::experiments::trial::Data;

use super::people::people;
use super::trial::Measuring;
use crate::args::{RunDpar, for_people};
use crate::console::Console;
use crate::failure::Result;

/// Measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read or lacks something, no noise keeps the
/// target, or the result cannot be written.
pub(super) fn run(typed: RunDpar, console: &Console) -> Result<()> {
    let RunDpar { promise, method, trial } = typed;
    let system = promise.system(method)?;
    let measuring = Measuring::new(&trial)?;
    let (delta, hidden) = (promise.delta, promise.relation);
    let dataset = people(&promise.dataset, promise.reading, &measuring.written(), console)?;
    let system = for_people(system, delta, dataset.graph().node_count())?;
    let lines = questions(&measuring, &system, hidden, &dataset)?;
    let trial = DparTrial::new(Data::new(dataset.name(), &dataset), system, hidden, Held::Test)?;
    measuring.run(console, &trial, |run, folder| release(&trial, run, &lines, folder))
}

/// What the card of a release must repeat. The model has a weight per column and class, so they show; where
/// only connections are hidden, features and classes are open anyway.
fn questions(
    measuring: &Measuring,
    system: &Dpar,
    hidden: Hidden,
    dataset: &Dataset,
) -> Result<Vec<String>> {
    let shown: &[Fact] = match hidden {
        Hidden::NodeAbsent | Hidden::NodeReplace => &[Fact::Columns, Fact::Classes],
        Hidden::EdgeDp => &[],
    };
    let limit = match system.mode {
        Mode::Rigorous => system.target,
        // The published noise has its own price, whatever was asked.
        Mode::Paper => Loss::new(f64::INFINITY, system.target.delta.get())?,
    };
    let people = dataset.graph().node_count();
    let price = Price { people, asked: system.target, limit };
    measuring.questions(&[price], || dataset.require_public(shown))
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
