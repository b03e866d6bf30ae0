//! `privet collect demo`: a service, a task, generated people with devices, and what is learned.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Mutex;

use privet::collected::Collection;
use privet::collected::estimates::{Estimates, NoisyEstimate};
use privet::data::synthetic::StochasticBlocks;
use privet::device::{Device, DeviceRecord};
use privet::graph::Dataset;
use privet::protocol::{
    ContactsAsked, LabelAsked, SealedTask, SigningKey, Task, TaskName, TaskQuestions, Universe,
};
use privet_collector::client::{ClientError, CollectorClient, ServiceAddress};
use privet_collector::{CollectorSettings, RunningService, TaskAccess, token};
use serde::Serialize;

use super::service::{broken, failed};
use crate::args::CollectDemo;
use crate::failure::{Failure, Result};
use crate::interrupt::{self, HalfWritten};
use crate::output::console::{Answer, Console};
use crate::output::style::{ACCENT, FAINT, GOOD, STRONG, count};

/// What each question costs.
const EPSILON: f64 = 2.0;
/// One in so many was ill.
const ONE_IN: usize = 4;
/// Devices that answer at the same time.
const AT_ONCE: usize = 8;

pub(super) fn run(typed: &CollectDemo, console: &Console) -> Result<()> {
    let place = std::env::temp_dir().join(format!("privet-collect-demo-{}", std::process::id()));
    let failed_at = |error: io::Error| Failure::data(format!("{}: {error}", place.display()));
    // Devices, keys and the store lie in one folder, which goes away at the end.
    std::fs::create_dir_all(&place).map_err(failed_at)?;
    let _gone_at_the_end = HalfWritten::new(&place);
    let shown = tour(&place, typed, console);
    std::fs::remove_dir_all(&place).map_err(failed_at)?;
    shown
}

fn tour(place: &Path, typed: &CollectDemo, console: &Console) -> Result<()> {
    let people = StochasticBlocks {
        nodes: typed.devices as usize,
        classes: ONE_IN,
        features: 0,
        // A tenth of a class at most, where there are few.
        mean_degree: ((f64::from(typed.devices) / ONE_IN as f64).floor() / 10.0 - 0.1).min(8.0),
        ..StochasticBlocks::default()
    };
    let people = people.generate(1)?;
    let ids: Vec<String> = (0..typed.devices).map(|at| format!("person {}", at + 1)).collect();
    let secret = SigningKey::new_secret().map_err(privet::Error::from)?;
    let key = SigningKey::from_secret(&secret).ok_or_else(|| Failure::data("no key"))?;
    let sealed = key.seal(&task(&ids)).map_err(privet::Error::from)?;

    let settings = CollectorSettings {
        // Port 0: the system chooses a free one.
        listen: "127.0.0.1:0".into(),
        store: place.join("collector.db").display().to_string(),
        rate: 0,
        log: false,
        ..CollectorSettings::default()
    };
    let token = token::random().map_err(broken)?;
    let mut running = RunningService::start(settings, &token).map_err(broken)?;
    let address = ServiceAddress { service: format!("http://{}", running.address), task: None };
    let administrator = CollectorClient::new(&address).with_token(&token);
    let name = administrator.create(&sealed, &ids, TaskAccess::Open).map_err(failed)?;
    console.note(&format!(
        "a service listens at {}, a task is at {}",
        address.service,
        address.of(name)
    ));

    let spinner = console.spinner(format!("asking {} devices", typed.devices));
    // Afterwards two attempts to cheat: the same report again, and another one of the same person.
    let one = answers(place, &sealed, &people, &address, name)?;
    drop(spinner);
    let client = CollectorClient::new(&address);
    let again = client.send(name, &one.report, None).map_err(failed)?;
    let other = draw(&place.join("another-device"), &sealed, &people, 0)?;
    let second = client.send(name, &other, None);
    administrator.close(name).map_err(failed)?;
    let mut collected = Collection::new(&sealed, ids)?;
    collected.add_stream(administrator.reports(name).map_err(failed)?)?;
    let found = collected.estimates()?;
    let truth = TrueAnswers::of(&people);
    let refused =
        // By chance both reports may be equal; then there is nothing to refuse.
        matches!(&second, Err(ClientError::Refused { status: 409, .. })) || one.report == other;
    console.answer(&CollectDemoResult {
        address: address.of(name),
        held: one.held,
        sent: one.sent,
        bytes: one.report.len(),
        kept_once: again,
        second_refused: refused,
        found,
        truth,
    })?;
    if typed.stay {
        console.note(&format!("administrators: {}/admin, with the token {token}", address.service));
        console.note("serving until Ctrl-C");
        interrupt::instead(running.stopper());
        return running.wait().map_err(broken);
    }
    running.stop().map_err(broken)
}

fn task(ids: &[String]) -> Task {
    Task {
        title: "Winter".into(),
        purpose: "How many people were ill, and how many they meet".into(),
        contact: "none: these people are generated".into(),
        people: Universe::of(ids),
        asks: TaskQuestions {
            label: Some(LabelAsked {
                question: "Have you been ill?".into(),
                classes: vec!["no".into(), "yes".into()],
                epsilon: EPSILON,
            }),
            contacts: Some(ContactsAsked {
                question: "Whom did you meet?".into(),
                epsilon: EPSILON,
            }),
            ..TaskQuestions::default()
        },
        until: None,
    }
}

/// What a person of the demo holds.
fn mine(people: &Dataset, person: u32) -> DeviceRecord {
    let ill = u32::from((person as usize).is_multiple_of(ONE_IN));
    let contacts = people.graph().neighbors(person).to_vec();
    DeviceRecord { features: None, label: Some(ill), contacts: Some(contacts) }
}

/// A device of its own, and its report.
fn draw(folder: &Path, sealed: &SealedTask, people: &Dataset, person: u32) -> Result<Vec<u8>> {
    // Two answers of this epsilon, and nothing more.
    let device = Device::create(folder, 2.0 * EPSILON)?;
    Ok(device.answer(sealed, person, &mine(people, person))?.report)
}

/// The first person's part in it.
struct One {
    report: Vec<u8>,
    held: AnswerSummary,
    sent: AnswerSummary,
}

/// Each person answers on a device of their own, some at a time.
fn answers(
    place: &Path,
    sealed: &SealedTask,
    people: &Dataset,
    address: &ServiceAddress,
    name: TaskName,
) -> Result<One> {
    // Devices are numbered; each thread takes the next one that has not answered.
    let next = Mutex::new(1..people.graph().node_count() as u32);
    let (asked, _) = sealed.open().map_err(privet::Error::from)?;
    let answer = |person: u32, client: &CollectorClient| -> Result<Vec<u8>> {
        let report = draw(&place.join(person.to_string()), sealed, people, person)?;
        client.send_patiently(name, &report, None, 5).map_err(failed)?;
        Ok(report)
    };
    // The first device's report is kept, to be shown and sent again.
    let first = answer(0, &CollectorClient::new(address))?;
    std::thread::scope(|scope| {
        let work = || {
            let client = CollectorClient::new(address);
            loop {
                let person = next.lock().ok().and_then(|mut next| next.next());
                let Some(person) = person else { return Ok(()) };
                answer(person, &client)?;
            }
        };
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Failure::data("a device broke")))
        })
    })?;
    let held = mine(people, 0);
    let sent = privet::protocol::Report::decode(&asked, &first).map_err(privet::Error::from)?;
    Ok(One {
        held: AnswerSummary::new(held.label, held.contacts.unwrap_or_default()),
        sent: AnswerSummary::new(
            sent.label,
            sent.contacts.map(|list| list.neighbors).unwrap_or_default(),
        ),
        report: first,
    })
}

/// One person's answers, as they are or as they were sent.
#[derive(Debug, Serialize)]
struct AnswerSummary {
    ill: bool,
    contacts: Vec<u32>,
}

impl AnswerSummary {
    fn new(label: Option<u32>, contacts: Vec<u32>) -> Self {
        Self { ill: label == Some(1), contacts }
    }
}

/// The true values of the generated people, which are unknown in a real study.
#[derive(Debug, Serialize)]
struct TrueAnswers {
    ill: f64,
    contacts: f64,
}

impl TrueAnswers {
    fn of(people: &Dataset) -> Self {
        let count = people.graph().node_count();
        let ill = (0..count).filter(|person| person.is_multiple_of(ONE_IN)).count();
        let arcs: usize = people.graph().nodes().map(|person| people.graph().degree(person)).sum();
        Self { ill: ill as f64 / count as f64, contacts: arcs as f64 / count as f64 }
    }
}

/// What there was to see.
#[derive(Debug, Serialize)]
struct CollectDemoResult {
    address: String,
    held: AnswerSummary,
    sent: AnswerSummary,
    bytes: usize,
    kept_once: bool,
    second_refused: bool,
    found: Estimates,
    truth: TrueAnswers,
}

impl Answer for CollectDemoResult {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let word = |ill: bool| if ill { "yes" } else { "no" };
        let list = |list: &[u32]| match list {
            [] => "none".to_owned(),
            some => {
                some.iter().take(9).map(|at| (at + 1).to_string()).collect::<Vec<_>>().join(" ")
            }
        };
        writeln!(
            out,
            "{STRONG}One device{STRONG:#}           held      sent ({} bytes)",
            self.bytes
        )?;
        writeln!(
            out,
            "  have you been ill?  {ACCENT}{:<9}{ACCENT:#} {}",
            word(self.held.ill),
            word(self.sent.ill)
        )?;
        writeln!(out, "  whom did you meet?")?;
        writeln!(out, "    held              {ACCENT}{}{ACCENT:#}", list(&self.held.contacts))?;
        writeln!(out, "    sent              {}", list(&self.sent.contacts))?;
        writeln!(
            out,
            "  {FAINT}the same answer sent again: {}; another answer in the same name: {}{FAINT:#}",
            if self.kept_once { "kept once" } else { "KEPT TWICE" },
            if self.second_refused { "refused" } else { "TAKEN" }
        )?;
        let reports = count(self.found.reports as u64);
        writeln!(out, "{STRONG}All {reports} of them{STRONG:#}     estimate           truth")?;
        let mut line =
            |what: &str, estimate: Option<&NoisyEstimate>, truth: f64, times: f64, unit: &str| {
                estimate.map_or(Ok(()), |found| {
                    let (value, error) = (times * found.value, 2.0 * times * found.error);
                    let estimate = format!("{value:.1} +- {error:.1}{unit}");
                    writeln!(
                        out,
                        "  {what:<19} {GOOD}{estimate:<18}{GOOD:#} {:.1}{unit}",
                        times * truth
                    )
                })
            };
        line("ill", self.found.answers.get(1), self.truth.ill, 100.0, " %")?;
        line("contacts a person", self.found.contacts.as_ref(), self.truth.contacts, 1.0, "")?;
        writeln!(
            out,
            "  {FAINT}without any answers: 50 % ill and nothing about contacts{FAINT:#}"
        )?;
        writeln!(
            out,
            "{FAINT}each answer cost its owner epsilon {EPSILON} (record-ldp, edge-ldp); a contact whom both name {} (relationship-dp){FAINT:#}",
            2.0 * EPSILON
        )
    }
}
