//! `privet collect`: a task, answers on people's own devices, and what comes of them. Files in between: how they travel is
//! up to whoever asks.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::Noise;
use privet::collected::draft::people;
use privet::collected::{Collected, Taken, TaskDraft};
use privet::device::{Device, Mine, Spent};
use privet::graph::{Loaded, NodeId};
use privet::privacy::Card;
use privet::privacy::features::Decoding;
use privet::protocol::{Asked, SealedTask, SigningKey};
use serde::Serialize;

use super::protect::target;
use crate::args::{Collect, CollectAnswer, CollectCreate, CollectGather, CollectShow};
use crate::cardfile;
use crate::console::{Answer, Console};
use crate::failure::{Failure, Kind, Result};
use crate::output::{refuse_existing, write_whole};
use crate::promises::{write_promises, write_unprotected};
use crate::protected::Protected;
use crate::style::{FAINT, GOOD, NOTE, STRONG, count, printable, real};

/// Does one of the steps.
///
/// # Errors
/// If a file cannot be read or written, or something is refused.
pub(super) fn run(typed: Collect, console: &Console) -> Result<()> {
    match typed {
        Collect::Create(typed) => create(&typed, console),
        Collect::Show(typed) => show(&typed, console),
        Collect::Answer(typed) => answer(typed, console),
        Collect::Gather(typed) => gather(&typed, console),
    }
}

fn create(typed: &CollectCreate, console: &Console) -> Result<()> {
    refuse_existing(&typed.output, "a task never changes: name another file")?;
    let task = TaskDraft::read(&typed.draft)?;
    let sealed = key(&typed.key, console)?.seal(&task).map_err(privet::Error::from)?;
    let text = serde_json::to_vec(&sealed).map_err(|error| Failure::data(error.to_string()))?;
    write_whole(&typed.output, &text)?;
    console.answer(&Shown::new(&sealed, Some(&typed.output))?)
}

fn show(typed: &CollectShow, console: &Console) -> Result<()> {
    console.answer(&Shown::new(&read(&typed.task)?, None)?)
}

fn answer(typed: CollectAnswer, console: &Console) -> Result<()> {
    let sealed = read(&typed.task)?;
    let (asked, _) = sealed.open().map_err(privet::Error::from)?;
    let ids = people(&typed.people)?;
    // Whether these are the people of the task.
    Collected::new(&sealed, ids.clone())?;
    let place = |id: &str| ids.iter().position(|known| known == id).map(|at| at as NodeId);
    let Some(participant) = place(&typed.me) else {
        let message = "--me: nobody who can take part has this id";
        return Err(Failure::usage(message).hint("an id of the file of people"));
    };
    let mine = mine(&typed, &asked, place)?;
    let device = match (typed.device.join("device.json").exists(), typed.lifetime) {
        (true, None) => Device::open(&typed.device)?,
        (true, Some(_)) => {
            let message = "--lifetime is for a new device: this one has its budget";
            return Err(Failure::usage(message).hint("leave it out"));
        }
        (false, Some(lifetime)) => Device::create(&typed.device, lifetime)?,
        (false, None) => {
            let message =
                "there is no device yet: say what all answers together may cost, for ever";
            return Err(Failure::usage(message).hint("--lifetime 5"));
        }
    };
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let answer = device.answer_with(&sealed, participant, &mine, noise)?;
    write_whole(&typed.output, &answer.report)?;
    console.answer(&Answered {
        report: typed.output.display().to_string(),
        bytes: answer.report.len(),
        again: answer.again,
        spent: device.spent()?,
    })
}

/// What was typed, as places and numbers.
fn mine(
    typed: &CollectAnswer,
    asked: &Asked,
    place: impl Fn(&str) -> Option<NodeId>,
) -> Result<Mine> {
    let label = match (&typed.label, &asked.task.asks.label) {
        (Some(label), Some(asked)) => {
            let class = asked.classes.iter().position(|class| class == label);
            let class = class.ok_or_else(|| {
                let hint = format!("one of {}", asked.classes.join(", "));
                Failure::usage("--label: not one of the answers there are").hint(hint)
            })?;
            Some(class as u32)
        }
        // The device says that it is not asked.
        (Some(_), None) => Some(0),
        (None, _) => None,
    };
    let contacts = match typed.contacts.as_deref() {
        None => None,
        Some([none]) if none == "none" => Some(Vec::new()),
        Some(named) => {
            let unknown = || {
                let hint = "ids of the file of people";
                Failure::usage("--contacts: somebody who cannot take part").hint(hint)
            };
            let places = named.iter().map(|id| place(id).ok_or_else(unknown));
            let mut places = places.collect::<Result<Vec<NodeId>>>()?;
            places.sort_unstable();
            places.dedup();
            Some(places)
        }
    };
    Ok(Mine { features: typed.features.clone(), label, contacts })
}

fn gather(typed: &CollectGather, console: &Console) -> Result<()> {
    let target = target(&typed.output, None, typed.overwrite)?;
    let mut collected = Collected::new(&read(&typed.task)?, people(&typed.people)?)?;
    let (mut refused, mut again) = (0u64, 0u64);
    for path in files(&typed.reports)? {
        let bytes = std::fs::read(&path)
            .map_err(|error| Failure::data(format!("{}: {error}", path.display())))?;
        match collected.add(&bytes) {
            Ok(Taken::New) => {}
            Ok(Taken::Again) => again += 1,
            Err(error) => {
                refused += 1;
                console.note(&format!("{}: left out: {error}", path.display()));
            }
        }
    }
    let dataset = collected.dataset(Decoding::Unbiased)?;
    let (card, files) = cardfile::issue(&target.path, collected.card()?, None, || {
        Ok::<_, Failure>(target.write(&Loaded::Nodes(dataset))?.files)
    })?;
    console.note(&format!(
        "{} of {} people; {again} reports came twice, {refused} were left out",
        count(collected.len() as u64),
        count(u64::from(collected.asked().task.people.count))
    ));
    console.answer(&Protected::new(card, files, &[]))
}

/// Files, and those of folders in the order of their names.
fn files(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for path in named {
        if !path.is_dir() {
            all.push(path.clone());
            continue;
        }
        let failed = |error: io::Error| Failure::data(format!("{}: {error}", path.display()));
        let mut inside: Vec<PathBuf> = std::fs::read_dir(path)
            .map_err(failed)?
            .map(|entry| Ok(entry.map_err(failed)?.path()))
            .collect::<Result<_>>()?;
        inside.retain(|path| path.is_file());
        inside.sort();
        all.append(&mut inside);
    }
    Ok(all)
}

fn read(path: &Path) -> Result<SealedTask> {
    let text = std::fs::read(path)
        .map_err(|error| Failure::data(format!("{}: {error}", path.display())))?;
    serde_json::from_slice(&text).map_err(|error| {
        let message = format!("{}: not a task: {error}", path.display());
        Failure::data(message).hint("privet collect create makes one")
    })
}

/// The collector's key: 32 bytes in hexadecimal digits, for its owner's eyes alone.
fn key(path: &Path, console: &Console) -> Result<SigningKey> {
    let failed = |error: io::Error| Failure::data(format!("{}: {error}", path.display()));
    if !path.exists() {
        let secret = SigningKey::new_secret().map_err(privet::Error::from)?;
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed)?;
        writeln!(file, "{secret}").and_then(|()| file.sync_all()).map_err(failed)?;
        console.note(&format!("made {}: whoever has it can ask in your name", path.display()));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    SigningKey::from_secret(text.trim()).ok_or_else(|| {
        let message = format!("{}: not a key: 64 hexadecimal digits", path.display());
        Failure::new(Kind::Data, message)
    })
}

/// A task in plain words.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    name: String,
    collector: String,
    task: privet::protocol::Task,
    card: Card,
}

impl Shown {
    fn new(sealed: &SealedTask, file: Option<&Path>) -> Result<Self> {
        let (asked, _) = sealed.open().map_err(privet::Error::from)?;
        Ok(Self {
            file: file.map(|path| path.display().to_string()),
            name: asked.name.to_string(),
            collector: sealed.collector.clone(),
            card: privet::collected::promise(&asked)?,
            task: asked.task,
        })
    }
}

impl Answer for Shown {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &self.file {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let task = &self.task;
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {}",
            printable(&task.title),
            printable(&task.purpose)
        )?;
        writeln!(
            out,
            "  {} people can take part; questions to {}",
            count(u64::from(task.people.count)),
            printable(&task.contact)
        )?;
        let asks = &task.asks;
        if let Some(asked) = &asks.features {
            let names: Vec<&str> = asked.columns.iter().map(|column| &*column.name).collect();
            writeln!(
                out,
                "  asks for numbers: {} (epsilon {})",
                printable(&names.join(", ")),
                real(asked.epsilon)
            )?;
        }
        if let Some(asked) = &asks.label {
            let (question, classes) = (printable(&asked.question), asked.classes.join(" or "));
            writeln!(
                out,
                "  asks: {question} {} (epsilon {})",
                printable(&classes),
                real(asked.epsilon)
            )?;
        }
        if let Some(asked) = &asks.contacts {
            writeln!(
                out,
                "  asks for contacts: {} (epsilon {})",
                printable(&asked.question),
                real(asked.epsilon)
            )?;
        }
        write_promises(out, &self.card, |_, _, _| Ok(()))?;
        write_unprotected(out, &self.card)?;
        writeln!(out, "{FAINT}task {}{FAINT:#}", self.name)?;
        writeln!(out, "{FAINT}signed by {}{FAINT:#}", printable(&self.collector))
    }
}

/// A report that may leave.
#[derive(Debug, Serialize)]
struct Answered {
    report: String,
    bytes: usize,
    /// Whether it was drawn before.
    again: bool,
    spent: Spent,
}

impl Answer for Answered {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let drawn =
            if self.again { "the same bytes as before" } else { "drawn now, and remembered" };
        writeln!(
            out,
            "{GOOD}wrote{GOOD:#} {}: {} bytes, {drawn}",
            printable(&self.report),
            self.bytes
        )?;
        let Spent { record, contacts, lifetime } = self.spent;
        writeln!(
            out,
            "  your answers so far: epsilon {} of {} for your record, {} of {} for each contact",
            real(record),
            real(lifetime),
            real(contacts),
            real(lifetime)
        )?;
        writeln!(out, "{NOTE}it is yours to send{NOTE:#}: nothing has left this machine")
    }
}
