//! `privet count`: questions about connections, answered with noise.

use std::path::{Path, PathBuf};

use privet::count::{Count, CountAnswers};
use privet::graph::Dataset;
use privet::protect::Terms;
use privet::run::LedgerFile;
use privet::{LedgerStore, Noise, Protected, Run, System};

use super::project::{self, Meant};
use super::protect::{check_folder, what_now};
use super::source::Source;
use crate::args::{CountArgs, DataName};
use crate::failure::{Failure, Result};
use crate::output::cardfile::{self, beside};
use crate::output::console::Console;
use crate::output::count::CountOutput;
use crate::output::style::real;
use crate::output::{refuse_existing, write_whole};

/// Reads, charges, counts with noise, shows and writes.
///
/// # Errors
/// If something is in the way, the data cannot be read, a public fact is missing, or the limit would be passed.
pub(super) fn run(typed: CountArgs, console: &Console) -> Result<()> {
    let terms = Terms { accepted: typed.releasing.accept.clone(), ..Terms::alike(typed.epsilon) };
    let asked = Count { questions: typed.questions.0.clone(), terms };
    // What no data could make right is refused before anything is read.
    let shares = asked.shares()?;
    for (question, share) in &shares.questions {
        console.note(&format!("{}: epsilon {}", question.name(), real(share.as_f64())));
    }
    if let Some(share) = &shares.scales {
        console.note(&format!("the size of the noise: epsilon {}", real(share.as_f64())));
    }
    if let Some(output) = &typed.output
        && !typed.overwrite
    {
        refuse_existing(output, "name another file, or --overwrite")?;
    }
    match project::meant(typed.input.as_ref(), console)? {
        Meant::Data(input) => on_files(&typed, input, &asked, console),
        Meant::Project(found) => project::count(&found, &typed, &asked, console),
    }
}

fn on_files(typed: &CountArgs, input: &DataName, asked: &Count, console: &Console) -> Result<()> {
    let ledger = account(typed)?;
    let key = typed.signing.key()?;
    let source = Source::find(input, typed.reading.clone(), console)?;
    if let Some(output) = &typed.output {
        source.keep_apart(&[output, &cardfile::card_of(output)])?;
    }
    let (loaded, _) = source.load(console)?;
    console.private_notices(loaded.notices());
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    let file = LedgerFile { kind: "edges", path: ledger.clone(), limit: typed.limit };
    let ledgers = LedgerStore::Files(vec![file]);
    let run = Run { noise, ledgers, ..Run::simulation(0) };
    let told = ask(asked, loaded.into_nodes()?, &run, console)?;
    let (answers, card) = told.into_parts();
    let charged = |failure: Failure| failure.charged(&[ledger.display().to_string()]);
    let Some(output) = &typed.output else {
        return console.answer(&CountOutput::new(answers, card, Vec::new(), &[ledger]));
    };
    let (card, files) =
        cardfile::issue(output, card, key.as_ref(), || write(output, &answers)).map_err(charged)?;
    console.answer(&CountOutput::new(answers, card, files, &[ledger]))
}

/// Counts with noise, after the charge.
pub(super) fn ask(
    asked: &Count,
    dataset: Dataset,
    run: &Run<'_>,
    console: &Console,
) -> Result<Protected<CountAnswers>> {
    console.announce(run.noise);
    let _alive = console.spinner("counting");
    Ok(asked.run(dataset, run)?)
}

/// Writes answers; a card goes beside them.
pub(super) fn write(path: &Path, answers: &CountAnswers) -> Result<Vec<String>> {
    let mut text = serde_json::to_vec_pretty(answers).map_err(std::io::Error::from)?;
    text.push(b'\n');
    write_whole(path, &text)?;
    Ok(vec![path.display().to_string()])
}

/// The ledger's file. One that was not named must not be there yet.
fn account(typed: &CountArgs) -> Result<PathBuf> {
    let path = match (&typed.ledger, &typed.output) {
        (Some(ledger), _) => ledger.clone(),
        (None, Some(output)) => {
            let path = beside(output, "ledger");
            refuse_existing(&path, &what_now(&path, "--ledger", typed.epsilon))?;
            path
        }
        (None, None) => {
            let message = "an answer is charged to an account, and none is named";
            let hint = "name a file for the answers with -o OUT.json: its account lies beside it; or --ledger FILE";
            return Err(Failure::usage(message).hint(hint));
        }
    };
    if !path.exists() {
        check_folder(&path)?;
    }
    Ok(path)
}
