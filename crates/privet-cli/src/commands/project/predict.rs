//! `privet predict`: what a model says about people who were not there, pairs of people, or whole graphs.

use std::io::{BufWriter, Write};
use std::path::Path;

use privet::cardfile::{beside, card_of, of_input};
use privet::data::declared::{EdgeTable, PeopleTable, Schema, Strangers};
use privet::data::formats::{Limits, write};
use privet::graph::Dataset;
use privet::model::predict::Shown;
use privet::model::{GraphModel, LinkModel, Model, Newcomers};
use privet::privacy::Card;
use privet::run::LedgerFile;
use privet::saved::Stored;
use privet::{LedgerStore, Noise, Run};

use crate::args::Predict;
use crate::cardfile;
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::interrupt::HalfWritten;
use crate::output::refuse_existing;
use crate::promises::{write_promises, write_unprotected};
use crate::style::{GOOD, NOTE, count, printable};

/// Reads, answers, writes: all of it, or nothing.
///
/// # Errors
/// If the model or a table cannot be read, options are for another kind of model, or something is in the way.
pub(in crate::commands) fn run(typed: Predict, console: &Console) -> Result<()> {
    let model = read(&typed.model)?;
    let shown = shown(&model, &typed)?;
    if let Model::Graphs(model) = &model {
        return graphs(model, &typed, shown, console);
    }
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
            let found = whole(path, |out| predict(&model, &typed, shown, out, console))?;
            let what = if matches!(model, Model::Pairs(_)) { "pairs" } else { "people" };
            let file = path.display().to_string();
            console.answer(&Predicted { answers: found, what, file, card: None })
        }
    }
}

/// What is shown of classes; refuses options that this model has no use for.
fn shown(model: &Model, typed: &Predict) -> Result<Shown> {
    let classes = match model {
        Model::People(model) => &model.about.classes,
        Model::Graphs(model) => &model.about.classes,
        Model::Pairs(_) if typed.top != 1 || typed.probabilities => {
            let message = "--top and --probabilities are for classes: this model scores pairs";
            return Err(Failure::usage(message).hint("leave them out"));
        }
        Model::Pairs(_) => return Ok(Shown::default()),
    };
    if typed.pairs.is_some() {
        let message =
            format!("--pairs is for a model of links, and this one is by {}", model.method());
        return Err(Failure::usage(message).hint("privet train --method ldp-ge-links makes one"));
    }
    if typed.top == 0 || typed.top > classes.len() {
        let message = format!("--top {}: there are {} classes", typed.top, classes.len());
        return Err(Failure::usage(message).hint("--top from 1 to that number"));
    }
    Ok(Shown { top: typed.top, probabilities: typed.probabilities })
}

fn predict(
    model: &Model,
    typed: &Predict,
    shown: Shown,
    out: &mut dyn Write,
    console: &Console,
) -> Result<u64> {
    let alive = console.spinner("predicting");
    match (model, &typed.people) {
        (Model::Pairs(model), _) => pairs(model, typed, out),
        (Model::People(model), Some(people)) if typed.edges.is_none() => {
            let mut so_far = |people| alive.say(format!("predicting: {} people", count(people)));
            Ok(model.predict(people, typed.table.clone(), shown, out, &mut so_far)?)
        }
        (Model::People(model), Some(people)) => {
            let people = newcomers(&model.about.preprocessing, people, typed)?;
            Ok(model.predict_connected(&people, shown, out)?)
        }
        _ => Err(Failure::usage("whom to answer about is not said").hint("name a table of people")),
    }
}

fn pairs(model: &LinkModel, typed: &Predict, out: &mut dyn Write) -> Result<u64> {
    let Some((file, source, target)) = &typed.pairs else {
        let message = "this model scores pairs of people, and none are named";
        return Err(Failure::usage(message).hint("name them with --pairs FILE:SOURCE:TARGET"));
    };
    let pairs = EdgeTable::new(file.as_str(), source.as_str(), target.as_str());
    let preprocessing = &model.about.preprocessing;
    let new = typed.people.as_deref().map(|people| newcomers(preprocessing, people, typed));
    Ok(model.predict(&pairs, new.transpose()?.as_ref(), out)?)
}

fn newcomers(preprocessing: &PeopleTable, people: &Path, typed: &Predict) -> Result<Newcomers> {
    let edges = contacts(typed);
    let released = typed.released.as_deref().map(released).transpose()?;
    let table = typed.table.clone();
    Ok(Newcomers::read(preprocessing, people, table, edges.as_ref(), released.as_ref())?)
}

/// The table of connections; records about people whom nobody knows are left out.
fn contacts(typed: &Predict) -> Option<EdgeTable> {
    let (file, source, target) = typed.edges.as_ref()?;
    let table = EdgeTable::new(file.as_str(), source.as_str(), target.as_str());
    Some(EdgeTable { strangers: Strangers::LeaveOut, ..table })
}

/// Something that was released: without a card it may be raw, and an answer about a newcomer would show it.
fn released(path: &Path) -> Result<Dataset> {
    if of_input(path)?.is_none() {
        let message = format!("{}: refused: there is no card beside it", path.display());
        return Err(Failure::new(Kind::Refused, message)
            .hint("name what `privet protect` or `privet publish` wrote"));
    }
    Ok(privet::data::read(path)?.into_nodes()?)
}

/// The people of new graphs send reports, as those did whom the model learned from; the answers get a card.
fn graphs(model: &GraphModel, typed: &Predict, shown: Shown, console: &Console) -> Result<()> {
    let (Some(people), Some(edges)) = (&typed.people, contacts(typed)) else {
        let message = "this model classifies graphs: it needs people, and their contacts";
        return Err(Failure::usage(message)
            .hint("privet predict MODEL PEOPLE.csv --edges FILE:SOURCE:TARGET"));
    };
    let Some(path) = &typed.output else {
        let message = "answers about graphs are a release, whose card lies beside a file";
        return Err(Failure::usage(message).hint("name one with -o FILE"));
    };
    if !typed.overwrite {
        refuse_existing(path, "replace it with --overwrite")?;
        refuse_existing(&card_of(path), "replace it with --overwrite")?;
    }
    let ledger = beside(path, "ledger");
    refuse_existing(&ledger, "what was charged to it stays charged: name another file with -o")?;
    let about = &model.about;
    let people = PeopleTable {
        table: typed.table.clone(),
        ..PeopleTable::new(people.to_string_lossy(), &*about.person)
    };
    let set = Schema::read_new_graphs(&people, &about.member, &[edges], &Limits::default())?;
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    console.note(
        "the people of these graphs send reports; this account knows of no other release about them",
    );
    let alive = console.spinner("collecting reports and classifying");
    let files = vec![LedgerFile { kind: "edges", path: ledger, limit: None }];
    let run = Run { noise, ledgers: LedgerStore::Files(files), ..Run::simulation(0) };
    let (answers, card) = model.classify(&set, &run)?.into_parts();
    let (card, _) = cardfile::issue(path, card, None, || {
        whole(path, |out| Ok(model.write(&answers, shown, out)?))?;
        Ok::<_, Failure>(vec![path.display().to_string()])
    })?;
    drop(alive);
    let (answers, file) = (answers.ids.len() as u64, path.display().to_string());
    console.answer(&Predicted { answers, what: "graphs", file, card: Some(card) })
}

/// Writes a file as a whole, or not at all.
fn whole<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let draft = write::temporary(path).unwrap_or_else(|| path.into());
    let _unfinished = HalfWritten::new(&draft);
    let failed = |error: std::io::Error| Failure::data(format!("{}: {error}", path.display()));
    let mut out = BufWriter::with_capacity(1 << 20, std::fs::File::create(&draft).map_err(failed)?);
    let done = write(&mut out).and_then(|found| out.flush().map(|()| found).map_err(failed));
    let found = done.inspect_err(|_| {
        // Half a file says less than none.
        let _ = std::fs::remove_file(&draft);
    })?;
    std::fs::rename(&draft, path).map_err(failed)?;
    Ok(found)
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
        return Err(Failure::new(Kind::Refused, message).hint("restore the folder, or train again"));
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

impl crate::console::Answer for Predicted {
    fn write_text(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let file = printable(&self.file);
        writeln!(out, "{GOOD}wrote{GOOD:#} {file}: {} {}", count(self.answers), self.what)?;
        let Some(card) = &self.card else { return Ok(()) };
        write_promises(out, card, |_, _, _| Ok(()))?;
        write_unprotected(out, card)?;
        match card.is_simulation() {
            true => writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed protects nobody"),
            false => Ok(()),
        }
    }
}
