//! `privet collect`: a task, answers on people's own devices, and what comes of them. In between there are files, which
//! travel as whoever asks likes, or a service.

mod demo;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::Noise;
use privet::collected::draft::people;
use privet::collected::{Collected, Taken, TaskDraft};
use privet::device::{Device, Mine, Spent};
use privet::dprr::Defence;
use privet::graph::{Loaded, NodeId};
use privet::privacy::Card;
use privet::privacy::features::Decoding;
use privet::protocol::{Asked, SealedTask, SigningKey, TaskName};
use privet_collector::client::{Address, Client, Failed, Invitation};
use privet_collector::{Entry, Progress, Running, Settings, Tls, token};
use serde::Serialize;

use super::protect::target;
use crate::args::{
    Administrator, Collect, CollectAnswer, CollectClose, CollectCreate, CollectExport,
    CollectGather, CollectInvite, CollectServe, CollectShow, CollectStatus,
};
use crate::failure::{Failure, Kind, Result};
use crate::interrupt;
use crate::output::console::{Answer, Console};
use crate::output::protect::{Protected, write_promises, write_unprotected};
use crate::output::style::{FAINT, GOOD, NOTE, STRONG, count, printable, real};
use crate::output::{Target, cardfile, refuse_existing, write_whole};

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
        Collect::Serve(typed) => serve(typed, console),
        Collect::Invite(typed) => invite(&typed, console),
        Collect::Status(typed) => status(&typed, console),
        Collect::Close(typed) => close(&typed, console),
        Collect::Export(typed) => export(&typed, console),
        Collect::Demo(typed) => demo::run(&typed, console),
    }
}

fn create(typed: &CollectCreate, console: &Console) -> Result<()> {
    refuse_existing(&typed.output, "a task never changes: name another file")?;
    let task = TaskDraft::read(&typed.draft)?;
    let sealed = key(&typed.key, console)?.seal(&task).map_err(privet::Error::from)?;
    let text = serde_json::to_vec(&sealed).map_err(|error| Failure::data(error.to_string()))?;
    write_whole(&typed.output, &text)?;
    let mut shown = Shown::new(&sealed, Some(&typed.output))?;
    if let Some(service) = &typed.at {
        shown.address = Some(hand_in(typed, service, &sealed)?);
    }
    console.answer(&shown)
}

fn show(typed: &CollectShow, console: &Console) -> Result<()> {
    console.answer(&Shown::new(&read(&typed.task)?, None)?)
}

/// Where a task comes from, and where its report goes.
struct Source {
    sealed: SealedTask,
    asked: Asked,
    people: Vec<String>,
    service: Option<(Client, String)>,
}

impl Source {
    fn find(typed: &CollectAnswer) -> Result<Self> {
        if typed.task.starts_with("http://") || typed.task.starts_with("https://") {
            let (address, name) = task_of(&typed.task)?;
            let client = Client::new(&address);
            let given = client.task(name).map_err(failed)?;
            if !given.open {
                let message = format!("{}: this task is closed", typed.task);
                return Err(Failure::new(Kind::Refused, message));
            }
            let service = Some((client, address.of(name)));
            return Ok(Self {
                sealed: given.sealed,
                asked: given.asked,
                people: given.people,
                service,
            });
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
        Collected::new(&sealed, people.clone())?;
        Ok(Self { sealed, asked, people, service: None })
    }
}

fn answer(typed: &CollectAnswer, console: &Console) -> Result<()> {
    let Source { sealed, asked, people, service } = Source::find(typed)?;
    let place = |id: &str| people.iter().position(|known| known == id).map(|at| at as NodeId);
    let Some(participant) = place(&typed.me) else {
        let message = "--me: nobody who can take part has this id";
        return Err(Failure::usage(message).hint("an id of those who can take part"));
    };
    let mine = mine(typed, &asked, place)?;
    let device = device(typed)?;
    let noise = typed.seed.map_or(Noise::OperatingSystem, Noise::Replay);
    console.announce(noise);
    let answer = device.answer_with(&sealed, participant, &mine, noise)?;
    if let Some(path) = &typed.output {
        write_whole(path, &answer.report)?;
    }
    if let Some((client, _)) = &service {
        // The device remembers the report: whatever happens here, the same bytes can be sent again.
        client.send_patiently(answer.task, &answer.report, typed.code.as_deref(), 6).map_err(
            |error| {
                failed(error).hint("the report is remembered: answer again to send the same bytes")
            },
        )?;
    }
    console.answer(&Answered {
        report: typed.output.as_ref().map(|path| path.display().to_string()),
        sent_to: service.map(|(_, address)| address),
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
    console.note(&format!("{again} reports came twice, {refused} were left out"));
    write_dataset(&target, &collected, console)
}

/// Writes what was collected, and its card.
fn write_dataset(target: &Target, collected: &Collected, console: &Console) -> Result<()> {
    let dataset = collected.dataset(Decoding::Unbiased)?;
    let (card, files) = cardfile::issue(&target.path, collected.card()?, None, || {
        Ok::<_, Failure>(target.write(&Loaded::Nodes(dataset))?.files)
    })?;
    console.note(&format!(
        "{} of {} people sent a report",
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
        write_secret(path, &SigningKey::new_secret().map_err(privet::Error::from)?)?;
        console.note(&format!("made {}: whoever has it can ask in your name", path.display()));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    SigningKey::from_secret(text.trim()).ok_or_else(|| {
        let message = format!("{}: not a key: 64 hexadecimal digits", path.display());
        Failure::new(Kind::Data, message)
    })
}

/// Writes a secret for its owner's eyes alone, where nothing is yet.
fn write_secret(path: &Path, secret: &str) -> Result<()> {
    let failed = |error: io::Error| Failure::data(format!("{}: {error}", path.display()));
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path).map_err(failed)?;
    writeln!(file, "{secret}").and_then(|()| file.sync_all()).map_err(failed)
}

// What is said about a task and a report.

/// A task in plain words.
#[derive(Debug, Serialize)]
struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Where people answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    name: String,
    collector: String,
    task: privet::protocol::Task,
    card: Card,
}

impl Shown {
    pub fn new(sealed: &SealedTask, file: Option<&Path>) -> Result<Self> {
        let (asked, _) = sealed.open().map_err(privet::Error::from)?;
        Ok(Self {
            file: file.map(|path| path.display().to_string()),
            address: None,
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
        if let Some(address) = &self.address {
            writeln!(out, "{GOOD}people answer at{GOOD:#} {}", printable(address))?;
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
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The address it was sent to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_to: Option<String>,
    pub bytes: usize,
    /// Whether it was drawn before.
    pub again: bool,
    pub spent: Spent,
}

impl Answer for Answered {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let drawn =
            if self.again { "the same bytes as before" } else { "drawn now, and remembered" };
        let bytes = self.bytes;
        if let Some(file) = &self.report {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}: {bytes} bytes, {drawn}", printable(file))?;
        }
        if let Some(address) = &self.sent_to {
            writeln!(out, "{GOOD}sent{GOOD:#} to {}: {bytes} bytes, {drawn}", printable(address))?;
        }
        let Spent { record, contacts, lifetime } = self.spent;
        writeln!(
            out,
            "  your answers so far: epsilon {} of {} for your record (record-ldp), {} of {} for each entry of your contact list (edge-ldp)",
            real(record),
            real(lifetime),
            real(contacts),
            real(lifetime)
        )?;
        match self.sent_to {
            None => {
                writeln!(out, "{NOTE}it is yours to send{NOTE:#}: nothing has left this machine")
            }
            Some(_) => writeln!(
                out,
                "{FAINT}the service has it on disk; sending again sends the same bytes{FAINT:#}"
            ),
        }
    }
}

// The service, and what an administrator asks of it.

/// Runs until it is told to stop.
fn serve(typed: CollectServe, console: &Console) -> Result<()> {
    let token = token_or_new(&typed.administrator.token, console)?;
    let tls = typed.certificate.zip(typed.certificate_key);
    let settings = Settings {
        listen: typed.listen,
        store: typed.store,
        rate: typed.rate,
        seconds: typed.seconds,
        connections: typed.connections,
        tls: tls.map(|(certificate, key)| Tls { certificate, key }),
        ..Settings::default()
    };
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let mut running = Running::start(settings, &token).map_err(broken)?;
    interrupt::instead(running.stopper());
    let address = format!("{scheme}://{}", running.address);
    if scheme == "http" && !running.address.ip().is_loopback() {
        console.note("reports travel in the clear: put HTTPS in front, or give --certificate");
    }
    // A service whose first lines nobody reads serves all the same.
    if let Err(failure) = console.answer(&Serving { address }) {
        console.note(failure.message());
    }
    running.wait().map_err(broken)
}

/// What went wrong with the service itself.
fn broken(error: privet_collector::Error) -> Failure {
    Failure::data(error.to_string())
}

/// What went wrong between here and the service.
fn failed(failed: Failed) -> Failure {
    let message = failed.to_string();
    match failed {
        Failed::Refused { status: 401, .. } => {
            Failure::new(Kind::Refused, message).hint("--token names the file that `serve` wrote")
        }
        Failed::Refused { .. } => Failure::new(Kind::Refused, message),
        Failed::Address(_) => Failure::usage(message),
        Failed::Unreachable { .. } | Failed::Strange { .. } => Failure::data(message),
    }
}

/// The service and the task that an address names.
fn task_of(text: &str) -> Result<(Address, TaskName)> {
    let address = Address::parse(text).map_err(failed)?;
    let Some(name) = address.task else {
        let message = format!("found '{text}', expected the address of a task");
        return Err(Failure::usage(message).hint("as `create --at` shows it: URL/t/NAME"));
    };
    Ok((address, name))
}

fn administrator(address: &Address, typed: &Administrator) -> Result<Client> {
    let token = std::fs::read_to_string(&typed.token).map_err(|error| {
        let message = format!("{}: {error}", typed.token.display());
        Failure::data(message).hint("--token names the file that `serve` wrote")
    })?;
    Ok(Client::new(address).with_token(&token))
}

/// The token of a file; a new one, if there is none.
fn token_or_new(path: &Path, console: &Console) -> Result<String> {
    let failed = |error: io::Error| Failure::data(format!("{}: {error}", path.display()));
    if !path.exists() {
        write_secret(path, &token::random().map_err(broken)?)?;
        console.note(&format!("made {}: whoever has it administrates", path.display()));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    match text.trim() {
        token if token.len() >= 16 => Ok(token.to_owned()),
        _ => Err(Failure::data(format!("{}: not a token: too short", path.display()))),
    }
}

/// Hands a task to a service; where people answer.
fn hand_in(typed: &CollectCreate, service: &str, sealed: &SealedTask) -> Result<String> {
    let address = Address::parse(service).map_err(failed)?;
    let entry = if typed.invited { Entry::Invitation } else { Entry::Open };
    let people = people(&TaskDraft::people_of(&typed.draft)?)?;
    let client = administrator(&address, &typed.administrator)?;
    let name = client.create(sealed, &people, entry).map_err(failed)?;
    Ok(address.of(name))
}

fn invite(typed: &CollectInvite, console: &Console) -> Result<()> {
    refuse_existing(&typed.output, "name another file: codes are shown once")?;
    let (address, name) = task_of(&typed.task)?;
    let client = administrator(&address, &typed.administrator)?;
    let codes = client.invite(name, typed.only.as_deref()).map_err(failed)?;
    write_whole(&typed.output, Invitation::table(&codes, &address, name).as_bytes())?;
    console.answer(&Invited { file: typed.output.display().to_string(), codes: codes.len() })
}

fn status(typed: &CollectStatus, console: &Console) -> Result<()> {
    let address = Address::parse(&typed.service).map_err(failed)?;
    let mut tasks = administrator(&address, &typed.administrator)?.status().map_err(failed)?;
    if let Some(name) = address.task {
        let name = name.to_string();
        tasks.retain(|task| task.name == name);
        if tasks.is_empty() {
            return Err(Failure::data(format!("{}: there is no such task", typed.service)));
        }
    }
    console.answer(&Tasks { tasks })
}

fn close(typed: &CollectClose, console: &Console) -> Result<()> {
    let (address, name) = task_of(&typed.task)?;
    let task = administrator(&address, &typed.administrator)?.close(name).map_err(failed)?;
    console.answer(&Tasks { tasks: vec![task] })
}

fn export(typed: &CollectExport, console: &Console) -> Result<()> {
    let target = target(&typed.output, None, typed.overwrite)?;
    let (address, name) = task_of(&typed.task)?;
    let client = administrator(&address, &typed.administrator)?;
    let given = client.task(name).map_err(failed)?;
    if given.open {
        console.note("the task is still open: what comes later is not in it");
    }
    let mut collected = Collected::new(&given.sealed, given.people)?;
    collected.add_stream(client.reports(name).map_err(failed)?)?;
    if let Some(usual_degree) = typed.usual_degree {
        let defence = Defence::Handshake { theta: typed.theta, usual_degree };
        let left_out = collected.without_made_up_lists(defence)?.len();
        console.note(&format!(
            "{} reports left out: nobody's lists match them",
            count(left_out as u64)
        ));
    }
    write_dataset(&target, &collected, console)
}

/// A service that runs.
#[derive(Debug, Serialize)]
struct Serving {
    address: String,
}

impl Answer for Serving {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{GOOD}listening{GOOD:#} at {}", self.address)?;
        writeln!(out, "{FAINT}administrators: {}/admin; Ctrl-C stops it{FAINT:#}", self.address)?;
        out.flush()
    }
}

/// Codes that were made.
#[derive(Debug, Serialize)]
struct Invited {
    file: String,
    codes: usize,
}

impl Answer for Invited {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let codes = count(self.codes as u64);
        writeln!(out, "{GOOD}wrote{GOOD:#} {}: {codes} codes", printable(&self.file))?;
        writeln!(
            out,
            "{NOTE}each is for one person, once{NOTE:#}; the service keeps their hashes alone"
        )
    }
}

/// How far tasks have come.
#[derive(Debug, Serialize)]
struct Tasks {
    tasks: Vec<Progress>,
}

impl Answer for Tasks {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.tasks.is_empty() {
            return writeln!(out, "no tasks yet");
        }
        for task in &self.tasks {
            let state = match (task.open, task.entry) {
                (false, _) => "closed",
                (true, Entry::Open) => "open to all",
                (true, Entry::Invitation) => "open by invitation",
            };
            writeln!(
                out,
                "{STRONG}{}{STRONG:#}  {} of {} people, {state}",
                printable(&task.title),
                count(task.reports),
                count(task.people)
            )?;
            writeln!(out, "  {FAINT}{}{FAINT:#}", task.name)?;
        }
        Ok(())
    }
}
