//! The service, and what an administrator asks of it.

use std::io::{self, Write};
use std::path::Path;

use privet::collected::Collection;
use privet::collected::draft::people;
use privet::dprr::Defence;
use privet::protocol::{SealedTask, TaskName};
use privet_collector::client::{ClientError, CollectorClient, Invitation, ServiceAddress};
use privet_collector::{CollectorSettings, RunningService, TaskAccess, TaskProgress, Tls, token};
use serde::Serialize;

use super::super::protect::target;
use super::{TaskSource, demo, write_dataset};
use crate::args::{
    Administrator, CollectClose, CollectCreate, CollectExport, CollectInvite, CollectServe,
    CollectService, CollectStatus,
};
use crate::failure::{Failure, FailureKind, Result};
use crate::interrupt;
use crate::output::console::{Answer, Console};
use crate::output::style::{FAINT, GOOD, NOTE, STRONG, count, printable};
use crate::output::{refuse_existing, write_whole};

/// Does one of the steps that go through a service.
pub(super) fn run(typed: CollectService, console: &Console) -> Result<()> {
    match typed {
        CollectService::Serve(typed) => serve(typed, console),
        CollectService::Invite(typed) => invite(&typed, console),
        CollectService::Status(typed) => status(&typed, console),
        CollectService::Close(typed) => close(&typed, console),
        CollectService::Export(typed) => export(&typed, console),
        CollectService::Demo(typed) => demo::run(&typed, console),
    }
}

/// Where a device's report goes.
pub(super) struct ReportService {
    client: CollectorClient,
    address: String,
}

impl ReportService {
    /// The open task at an address, and where its reports go.
    pub(super) fn source(address_of_task: &str) -> Result<TaskSource> {
        let (address, name) = task_of(address_of_task)?;
        let client = CollectorClient::new(&address);
        let given = client.task(name).map_err(failed)?;
        if !given.open {
            let message = format!("{address_of_task}: this task is closed");
            return Err(Failure::new(FailureKind::Refused, message));
        }
        let service = Some(Self { client, address: address.of(name) });
        let (sealed, asked, people) = (given.sealed, given.asked, given.people);
        Ok(TaskSource { sealed, asked, people, service })
    }

    /// Sends a report, and again while the service is busy.
    pub(super) fn send(&self, task: TaskName, report: &[u8], code: Option<&str>) -> Result<()> {
        self.client.send_patiently(task, report, code, 6).map_err(failed)?;
        Ok(())
    }

    pub(super) fn into_address(self) -> String {
        self.address
    }
}

/// Serves until Ctrl-C or a signal to stop.
fn serve(typed: CollectServe, console: &Console) -> Result<()> {
    let token = token_or_new(&typed.administrator.token, console)?;
    let tls = typed.certificate.zip(typed.certificate_key);
    let settings = CollectorSettings {
        listen: typed.listen,
        store: typed.store,
        rate: typed.rate,
        seconds: typed.seconds,
        connections: typed.connections,
        tls: tls.map(|(certificate, key)| Tls { certificate, key }),
        ..CollectorSettings::default()
    };
    let scheme = if settings.tls.is_some() { "https" } else { "http" };
    let mut running = RunningService::start(settings, &token).map_err(broken)?;
    interrupt::instead(running.stopper());
    let address = format!("{scheme}://{}", running.address);
    if scheme == "http" && !running.address.ip().is_loopback() {
        console.note("reports travel in the clear: put HTTPS in front, or give --certificate");
    }
    // A closed standard output does not stop the service.
    if let Err(failure) = console.answer(&ServiceAddressLine { address }) {
        console.note(failure.message());
    }
    running.wait().map_err(broken)
}

/// What went wrong with the service itself.
pub(super) fn broken(error: privet_collector::Error) -> Failure {
    Failure::data(error.to_string())
}

/// What went wrong between here and the service.
pub(super) fn failed(failed: ClientError) -> Failure {
    let message = failed.to_string();
    match failed {
        ClientError::Refused { status: 401, .. } => Failure::new(FailureKind::Refused, message)
            .hint("--token names the file that `serve` wrote"),
        ClientError::Refused { .. } => Failure::new(FailureKind::Refused, message),
        ClientError::Address(_) => Failure::usage(message),
        ClientError::Unreachable { .. } | ClientError::Strange { .. } => Failure::data(message),
    }
}

/// The service and the task that an address names.
fn task_of(text: &str) -> Result<(ServiceAddress, TaskName)> {
    let address = ServiceAddress::parse(text).map_err(failed)?;
    let Some(name) = address.task else {
        let message = format!("found '{text}', expected the address of a task");
        return Err(Failure::usage(message).hint("as `create --at` shows it: URL/t/NAME"));
    };
    Ok((address, name))
}

fn administrator(address: &ServiceAddress, typed: &Administrator) -> Result<CollectorClient> {
    let token = std::fs::read_to_string(&typed.token).map_err(|error| {
        let message = format!("{}: {error}", typed.token.display());
        Failure::data(message).hint("--token names the file that `serve` wrote")
    })?;
    Ok(CollectorClient::new(address).with_token(&token))
}

/// The token of a file; a new one, if there is none.
fn token_or_new(path: &Path, console: &Console) -> Result<String> {
    let failed = |error: io::Error| Failure::data(format!("{}: {error}", path.display()));
    if !path.exists() {
        super::write_secret(path, &token::random().map_err(broken)?)?;
        console.note(&format!(
            "made {}: keep it secret, it makes its holder an administrator",
            path.display()
        ));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    match text.trim() {
        token if token.len() >= 16 => Ok(token.to_owned()),
        _ => Err(Failure::data(format!("{}: not a token: too short", path.display()))),
    }
}

/// Hands a task to a service; where people answer.
pub(super) fn hand_in(typed: &CollectCreate, service: &str, sealed: &SealedTask) -> Result<String> {
    let address = ServiceAddress::parse(service).map_err(failed)?;
    let entry = if typed.invited { TaskAccess::Invitation } else { TaskAccess::Open };
    let people = people(&privet::collected::TaskDraft::people_of(&typed.draft)?)?;
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
    console.answer(&InvitationsWritten {
        file: typed.output.display().to_string(),
        codes: codes.len(),
    })
}

fn status(typed: &CollectStatus, console: &Console) -> Result<()> {
    let address = ServiceAddress::parse(&typed.service).map_err(failed)?;
    let mut tasks = administrator(&address, &typed.administrator)?.status().map_err(failed)?;
    if let Some(name) = address.task {
        let name = name.to_string();
        tasks.retain(|task| task.name == name);
        if tasks.is_empty() {
            return Err(Failure::data(format!("{}: there is no such task", typed.service)));
        }
    }
    console.answer(&TaskList { tasks })
}

fn close(typed: &CollectClose, console: &Console) -> Result<()> {
    let (address, name) = task_of(&typed.task)?;
    let task = administrator(&address, &typed.administrator)?.close(name).map_err(failed)?;
    console.answer(&TaskList { tasks: vec![task] })
}

fn export(typed: &CollectExport, console: &Console) -> Result<()> {
    let target = target(&typed.output, None, typed.overwrite)?;
    let (address, name) = task_of(&typed.task)?;
    let client = administrator(&address, &typed.administrator)?;
    let given = client.task(name).map_err(failed)?;
    if given.open {
        console.note("the task is still open: what comes later is not in it");
    }
    let mut collected = Collection::new(&given.sealed, given.people)?;
    collected.add_stream(client.reports(name).map_err(failed)?)?;
    if let Some(usual_degree) = typed.usual_degree {
        let defence = Defence::Handshake { theta: typed.theta, usual_degree };
        let left_out = collected.without_made_up_lists(defence)?.len();
        console.note(&format!(
            "{} reports left out: no other lists match theirs",
            count(left_out as u64)
        ));
    }
    write_dataset(&target, &collected, console)
}

/// A service that runs.
#[derive(Debug, Serialize)]
struct ServiceAddressLine {
    address: String,
}

impl Answer for ServiceAddressLine {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{GOOD}listening{GOOD:#} at {}", self.address)?;
        writeln!(out, "{FAINT}administrators: {}/admin; Ctrl-C stops it{FAINT:#}", self.address)?;
        out.flush()
    }
}

/// Codes that were made.
#[derive(Debug, Serialize)]
struct InvitationsWritten {
    file: String,
    codes: usize,
}

impl Answer for InvitationsWritten {
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
struct TaskList {
    tasks: Vec<TaskProgress>,
}

impl Answer for TaskList {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.tasks.is_empty() {
            return writeln!(out, "no tasks yet");
        }
        for task in &self.tasks {
            let state = match (task.open, task.entry) {
                (false, _) => "closed",
                (true, TaskAccess::Open) => "open to all",
                (true, TaskAccess::Invitation) => "open by invitation",
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
