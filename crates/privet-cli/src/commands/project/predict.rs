//! `privet predict`: what a model says about people who were not there.

use std::io::{BufWriter, Write};
use std::path::Path;

use privet::data::declared::{EdgeTable, Strangers};
use privet::data::formats::write;
use privet::model::Classifier;
use privet::model::predict::Shown;
use privet::saved::Stored;

use crate::args::Predict;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::interrupt::HalfWritten;
use crate::output::refuse_existing;
use crate::style::{GOOD, count, printable};

/// Reads, answers, writes: all of it, or nothing.
///
/// # Errors
/// If the model or the table cannot be read, or something is in the way.
pub(in crate::commands) fn run(typed: Predict, console: &Console) -> Result<()> {
    let model = read(&typed.model)?;
    if typed.top == 0 || typed.top > model.about.classes.len() {
        let message =
            format!("--top {}: there are {} classes", typed.top, model.about.classes.len());
        return Err(Failure::usage(message).hint("--top from 1 to that number"));
    }
    let shown = Shown { top: typed.top, probabilities: typed.probabilities };
    match &typed.output {
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            predict(&model, &typed, shown, &mut out, console)?;
            Ok(out.flush()?)
        }
        Some(path) => {
            if !typed.overwrite {
                refuse_existing(path, "replace it with --overwrite")?;
            }
            let draft = write::temporary(path).unwrap_or_else(|| path.clone());
            let _unfinished = HalfWritten::new(&draft);
            let failed =
                |error: std::io::Error| Failure::data(format!("{}: {error}", path.display()));
            let mut out =
                BufWriter::with_capacity(1 << 20, std::fs::File::create(&draft).map_err(failed)?);
            let done = predict(&model, &typed, shown, &mut out, console)
                .and_then(|people| out.flush().map(|()| people).map_err(failed));
            let people = done.inspect_err(|_| {
                // Half a file says less than none.
                let _ = std::fs::remove_file(&draft);
            })?;
            std::fs::rename(&draft, path).map_err(failed)?;
            console.answer(&Predicted { people, file: path.display().to_string() })
        }
    }
}

fn predict(
    model: &Classifier,
    typed: &Predict,
    shown: Shown,
    out: &mut dyn Write,
    console: &Console,
) -> Result<u64> {
    let alive = console.spinner("predicting");
    let table = typed.table.clone();
    let Some((file, source, target)) = &typed.edges else {
        let mut so_far = |people| alive.say(format!("predicting: {} people", count(people)));
        return Ok(model.predict(&typed.people, table, shown, out, &mut so_far)?);
    };
    let mut edges = EdgeTable::new(file.as_str(), source.as_str(), target.as_str());
    edges.strangers = Strangers::LeaveOut;
    Ok(model.predict_connected(&typed.people, table, edges, shown, out)?)
}

/// A model, with what its card says checked as far as files go.
///
/// # Errors
/// If it is none, or a file of it was changed.
pub(super) fn read(folder: &Path) -> Result<Classifier> {
    let card = folder.join(crate::cardfile::OF_FOLDER);
    let card = privet::privacy::Card::read(&card)?;
    if let Some(change) = card.changed_files(folder).first() {
        let message = format!(
            "{}: refused: the card was not issued for this model: {change}",
            folder.display()
        );
        return Err(Failure::new(crate::failure::Kind::Refused, message)
            .hint("restore the folder, or train again"));
    }
    Ok(Classifier::read(folder)?)
}

/// How many predictions there are.
#[derive(Debug, serde::Serialize)]
struct Predicted {
    people: u64,
    file: String,
}

impl crate::console::Answer for Predicted {
    fn write_text(&self, out: &mut dyn Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{GOOD}wrote{GOOD:#} {}: {} people",
            printable(&self.file),
            count(self.people)
        )
    }
}
