//! `privet predict`: what a model says about new people, pairs of people, or whole graphs.

use std::io::{BufWriter, Write};
use std::path::Path;

use privet::data::declared::EdgeTable;
use privet::data::formats::write;
use privet::model::predict::AnswerColumns;
use privet::model::question::{AnswersFile, Question};
use privet::model::{AnswerFormat, Model};
use privet::privacy::{Card, Loss};
use privet::project::InputGuard;
use privet::saved::StoredValue;
use privet::{Noise, Project, Run};

use super::record;
use crate::args::Predict;
use crate::failure::{Failure, FailureKind, Result};
use crate::interrupt::HalfWritten;
use crate::output::cardfile::{self, card_of};
use crate::output::console::Console;
use crate::output::protect::{write_promises, write_unprotected};
use crate::output::refuse_existing;
use crate::output::style::{GOOD, NOTE, count, printable};

/// Reads, answers, writes: all of it, or nothing.
///
/// # Errors
/// If the model or a table cannot be read, the question is for another kind of model, or something is in the way.
pub(in crate::commands) fn run(typed: Predict, console: &Console) -> Result<()> {
    let model = read(&typed.model)?;
    let table = |(file, source, target): &(String, String, String)| {
        EdgeTable::new(file.as_str(), source.as_str(), target.as_str())
    };
    let question = Question {
        people: typed.people.clone(),
        table: typed.table.clone(),
        edges: typed.edges.as_ref().map(table),
        released: typed.released.clone(),
        pairs: typed.pairs.as_ref().map(table),
        shown: AnswerColumns { top: typed.top, probabilities: typed.probabilities },
    };
    model.check(&question)?;
    let guard = InputGuard::around(question.files().into_iter().chain([&*typed.model]))?;
    let Some(path) = &typed.output else {
        let alive = console.spinner("predicting");
        let mut so_far = |answers| alive.say(format!("predicting: {}", count(answers)));
        let mut out = BufWriter::new(std::io::stdout().lock());
        let format = match console.speaks_json() {
            true => AnswerFormat::Json,
            false => AnswerFormat::Csv,
        };
        model.answer_as(format, &question, &guard, &mut out, &mut so_far)?;
        return Ok(out.flush()?);
    };
    if !typed.overwrite {
        refuse_existing(path, "replace it with --overwrite")?;
        refuse_existing(&card_of(path), "replace it with --overwrite")?;
    }
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    if let Some(epsilon) = typed.epsilon {
        let project = Project::that_pays(&typed.model)?;
        let delta = typed.delta.unwrap_or(project.config().budget.delta);
        let paid = (&project, Loss::new(epsilon, delta)?);
        return charged(&model, &question, path, &guard, paid, noise, console);
    }
    if matches!(model, Model::Graphs(_)) {
        console.announce(noise);
        console.note(
            "the people of these graphs send reports; this account knows of no other release about them",
        );
    }
    let alive = console.spinner("predicting");
    let mut so_far = |answers| alive.say(format!("predicting: {}", count(answers)));
    let _unfinished = write::temporary(path).map(HalfWritten::new);
    let answered = model.answer_to(&question, path, &guard, noise, &mut so_far)?;
    drop(alive);
    let AnswersFile { count: answers, of: what, card } = answered;
    console.answer(&Predicted { answers, what, file: path.display().to_string(), card })
}

/// Answers at a price of the project that the model lies in, or that the current folder is in.
fn charged(
    model: &Model,
    question: &Question,
    path: &Path,
    guard: &InputGuard,
    (project, target): (&Project, Loss),
    noise: Noise,
    console: &Console,
) -> Result<()> {
    console.announce(noise);
    console.note(&format!(
        "this batch of answers costs {target} of the budget of '{}'; another batch costs again",
        project.config().project.name
    ));
    let alive = console.spinner("charging and predicting");
    let run = Run { noise, ledgers: project.spend()?, ..Run::simulation(0) }.watched_by(&alive);
    let _unfinished = write::temporary(path).map(HalfWritten::new);
    let answered = project.predict(model, question, path, target, guard, &run)?;
    record(project, &run.ledgers, path, Some(&card_of(path)))?;
    drop(alive);
    let AnswersFile { count: answers, of: what, card } = answered;
    console.answer(&Predicted { answers, what, file: path.display().to_string(), card })
}

/// A model, with what its card says checked as far as files go.
///
/// # Errors
/// If it is none, or a file of it was changed.
pub(super) fn read(folder: &Path) -> Result<Model> {
    let card = folder.join(cardfile::OF_FOLDER);
    let card = Card::read(&card)?;
    if let Some(change) = card.changed_files(folder).first() {
        let message = format!(
            "{}: refused: the card was not issued for this model: {change}",
            folder.display()
        );
        return Err(
            Failure::new(FailureKind::Refused, message).hint("restore the folder, or train again")
        );
    }
    Ok(Model::read(folder)?)
}

/// How many answers there are.
#[derive(Debug, serde::Serialize)]
struct Predicted {
    answers: u64,
    /// What they are about.
    what: &'static str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    card: Option<Card>,
}

impl crate::output::console::Answer for Predicted {
    fn write_text(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let file = printable(&self.file);
        writeln!(out, "{GOOD}wrote{GOOD:#} {file}: {} {}", count(self.answers), self.what)?;
        let Some(card) = &self.card else { return Ok(()) };
        write_promises(out, card, |_, _, _| Ok(()))?;
        write_unprotected(out, card)?;
        match card.is_simulation() {
            true => {
                writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")
            }
            false => Ok(()),
        }
    }
}
