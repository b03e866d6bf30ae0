//! `privet collect`: a task, answers on people's own devices, and what comes of them. In between there are files, sent
//! in any way, or a service.

#[cfg(feature = "collector")]
mod demo;
#[cfg(not(feature = "collector"))]
mod missing;
#[cfg(feature = "collector")]
mod service;
mod shown;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

#[cfg(not(feature = "collector"))]
use missing as service;
use privet::Noise;
use privet::collected::draft::people;
use privet::collected::{Collection, ReportReceipt, TaskDraft};
use privet::device::{Device, DeviceRecord};
use privet::graph::{LoadedData, NodeId};
use privet::privacy::features::Decoding;
use privet::protocol::{CheckedTask, SealedTask, SigningKey};
use service::ReportService;
use shown::{ReportSummary, TaskDescription};

use super::protect::target;
use crate::args::{Collect, CollectAnswer, CollectCreate, CollectGather, CollectShow};
use crate::failure::{Failure, FailureKind, Result};
use crate::output::cardfile;
use crate::output::console::Console;
use crate::output::protect::ProtectionOutput;
use crate::output::style::count;
use crate::output::{OutputTarget, refuse_existing, write_whole};

/// Does one of the steps.
///
/// # Errors
/// If a file cannot be read or written, or something is refused.
pub(super) fn run(typed: Collect, console: &Console) -> Result<()> {
    match typed {
        Collect::Create(typed) => create(&typed, console),
        Collect::Show(typed) => show(&typed, console),
        Collect::Answer(typed) => answer(&typed, console),
        Collect::Gather(typed) => gather(&typed, console),
        Collect::Service(typed) => service::run(typed, console),
    }
}

fn create(typed: &CollectCreate, console: &Console) -> Result<()> {
    // Before anything is written.
    #[cfg(not(feature = "collector"))]
    if typed.at.is_some() {
        return Err(Failure::missing_feature("collector"));
    }
    refuse_existing(&typed.output, "a task never changes: name another file")?;
    let task = TaskDraft::read(&typed.draft)?;
    let sealed = key(&typed.key, console)?.seal(&task).map_err(privet::Error::from)?;
    let text = serde_json::to_vec(&sealed).map_err(|error| Failure::data(error.to_string()))?;
    write_whole(&typed.output, &text)?;
    let mut shown = TaskDescription::new(&sealed, Some(&typed.output))?;
    if let Some(service) = &typed.at {
        shown.address = Some(service::hand_in(typed, service, &sealed)?);
    }
    console.answer(&shown)
}

fn show(typed: &CollectShow, console: &Console) -> Result<()> {
    console.answer(&TaskDescription::new(&read(&typed.task)?, None)?)
}

/// Where a task comes from, and where its report goes.
struct TaskSource {
    sealed: SealedTask,
    asked: CheckedTask,
    people: Vec<String>,
    service: Option<ReportService>,
}

impl TaskSource {
    fn find(typed: &CollectAnswer) -> Result<Self> {
        if typed.task.starts_with("http://") || typed.task.starts_with("https://") {
            return ReportService::source(&typed.task);
        }
        let Some(people_file) = &typed.people else {
            let message = "--people: a task that is a file does not say who can take part";
            return Err(Failure::usage(message).hint("--people people.txt"));
        };
        if typed.output.is_none() {
            let message = "--output: a report for a task that is a file is a file, too";
            return Err(Failure::usage(message).hint("-o me.report"));
        }
        let sealed = read(Path::new(&typed.task))?;
        let (asked, _) = sealed.open().map_err(privet::Error::from)?;
        let people = people(people_file)?;
        // Whether these are the people of the task.
        Collection::new(&sealed, people.clone())?;
        Ok(Self { sealed, asked, people, service: None })
    }
}

fn answer(typed: &CollectAnswer, console: &Console) -> Result<()> {
    let TaskSource { sealed, asked, people, service } = TaskSource::find(typed)?;
    // Places count from 0, in the order of the list.
    let place = |id: &str| people.iter().position(|known| known == id).map(|at| at as NodeId);
    let Some(participant) = place(&typed.me) else {
        let message = "--me: not an id of a participant";
        return Err(Failure::usage(message).hint("an id of the list of participants"));
    };
    let mine = mine(typed, &asked, place)?;
    let device = device(typed)?;
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let answer = device.answer_with(&sealed, participant, &mine, noise)?;
    if let Some(path) = &typed.output {
        write_whole(path, &answer.report)?;
    }
    if let Some(service) = &service {
        // The device remembers the report: whatever happens here, the same bytes can be sent again.
        service.send(answer.task, &answer.report, typed.code.as_deref()).map_err(|failure| {
            failure.hint("the report is remembered: answer again to send the same bytes")
        })?;
    }
    console.answer(&ReportSummary {
        report: typed.output.as_ref().map(|path| path.display().to_string()),
        sent_to: service.map(ReportService::into_address),
        bytes: answer.report.len(),
        again: answer.again,
        spent: device.spent()?,
    })
}

fn device(typed: &CollectAnswer) -> Result<Device> {
    match (typed.device.join("device.json").exists(), typed.lifetime) {
        (true, None) => Ok(Device::open(&typed.device)?),
        (true, Some(_)) => {
            let message = "--lifetime is for a new device: this one has its budget";
            Err(Failure::usage(message).hint("leave it out"))
        }
        (false, Some(lifetime)) => Ok(Device::create(&typed.device, lifetime)?),
        (false, None) => {
            let message =
                "there is no device yet: say what all answers together may cost, for ever";
            Err(Failure::usage(message).hint("--lifetime 5"))
        }
    }
}

/// What was typed, as places and numbers.
fn mine(
    typed: &CollectAnswer,
    asked: &CheckedTask,
    place: impl Fn(&str) -> Option<NodeId>,
) -> Result<DeviceRecord> {
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
        // `none` stands for an empty list, which is an answer.
        Some([none]) if none == "none" => Some(Vec::new()),
        Some(named) => {
            let unknown = || {
                let hint = "ids of the list of participants";
                Failure::usage("--contacts: not an id of a participant").hint(hint)
            };
            let places = named.iter().map(|id| place(id).ok_or_else(unknown));
            let mut places = places.collect::<Result<Vec<NodeId>>>()?;
            // Sorted and without repetitions, as a report must be.
            places.sort_unstable();
            places.dedup();
            Some(places)
        }
    };
    Ok(DeviceRecord { features: typed.features.clone(), label, contacts })
}

fn gather(typed: &CollectGather, console: &Console) -> Result<()> {
    let target = target(&typed.output, None, typed.overwrite)?;
    let mut collected = Collection::new(&read(&typed.task)?, people(&typed.people)?)?;
    let (mut refused, mut again) = (0u64, 0u64);
    for path in files(&typed.reports)? {
        let bytes = std::fs::read(&path)
            .map_err(|error| Failure::data(format!("{}: {error}", path.display())))?;
        match collected.add(&bytes) {
            Ok(ReportReceipt::New) => {}
            Ok(ReportReceipt::Again) => again += 1,
            Err(error) => {
                refused += 1;
                console.note(&format!("{}: left out: {error}", path.display()));
            }
        }
    }
    console.note(&format!("{again} reports came twice, {refused} were left out"));
    write_dataset(&target, &collected, console)
}

/// Writes what was collected, and its card.
fn write_dataset(target: &OutputTarget, collected: &Collection, console: &Console) -> Result<()> {
    let dataset = collected.dataset(Decoding::Unbiased)?;
    let (card, files) = cardfile::issue(&target.path, collected.card()?, None, || {
        Ok::<_, Failure>(target.write(&LoadedData::Nodes(dataset))?.files)
    })?;
    console.note(&format!(
        "{} of {} people sent a report",
        count(collected.len() as u64),
        count(u64::from(collected.asked().task.people.count))
    ));
    console.answer(&ProtectionOutput::new(card, files, &[]))
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
        // Sorted by name: the same folder gives the same messages.
        inside.sort();
        all.append(&mut inside);
    }
    Ok(all)
}

pub(super) fn read(path: &Path) -> Result<SealedTask> {
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
        // A fresh key; its file is readable by its owner alone.
        write_secret(path, &SigningKey::new_secret().map_err(privet::Error::from)?)?;
        console
            .note(&format!("made {}: keep it secret, it signs tasks in your name", path.display()));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    SigningKey::from_secret(text.trim()).ok_or_else(|| {
        let message = format!("{}: not a key: 64 hexadecimal digits", path.display());
        Failure::new(FailureKind::Data, message)
    })
}

/// Writes a secret for its owner's eyes alone, where nothing is yet.
fn write_secret(path: &Path, secret: &str) -> Result<()> {
    let failed = |error: io::Error| Failure::data(format!("{}: {error}", path.display()));
    let mut options = std::fs::OpenOptions::new();
    // Never over an existing key.
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    writeln!(file, "{secret}").and_then(|()| file.sync_all()).map_err(failed)
}
