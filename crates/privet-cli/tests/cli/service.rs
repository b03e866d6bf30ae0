//! The service from the outside: a process that is asked, told to stop, and killed.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use privet::collected::{Collection, ReportReceipt};
use privet::protocol::{Report, SealedTask, TaskName};
use privet_collector::client::{CollectorClient, ServiceAddress};

use crate::ran::Folder;

const TASK: &str = r#"title = "Winter"
purpose = "How an illness spreads"
contact = "study@example.org"
people = "people.txt"

[label]
question = "Have you been ill?"
classes = ["no", "yes"]
epsilon = 1.0
"#;

struct Service {
    child: Child,
    /// Open for as long as it runs: there is more that it says.
    _said: BufReader<std::process::ChildStdout>,
    address: String,
}

impl Service {
    fn start(folder: &Folder, more: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_privet"));
        command.args(["collect", "serve"]).args(more.split_whitespace());
        Self::spawn(command, folder)
    }

    fn spawn(mut command: Command, folder: &Folder) -> Self {
        command.env_clear().current_dir(folder.path("."));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let mut said = BufReader::new(child.stdout.take().unwrap());
        said.read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("listening at ");
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, _said: said, address }
    }

    fn signal(&mut self, signal: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn study(people: u32) -> Folder {
    let ids: String = (0..people).map(|at| format!("person{at}\n")).collect();
    Folder::with(&[("task.toml", TASK.as_bytes()), ("people.txt", ids.as_bytes())])
}

#[test]
fn a_collection_through_a_service() {
    let folder = study(6);
    let mut service = Service::start(&folder, "--listen 127.0.0.1:0");
    let at = service.address.clone();
    let made = folder.json(&format!("collect create task.toml -o task.json --at {at} --invited"));
    let task = made["address"].as_str().unwrap().to_owned();
    assert!(task.starts_with(&format!("{at}/t/")), "{task}");
    folder.ok(&format!("collect invite {task} -o codes.csv"));
    let codes = String::from_utf8(folder.read("codes.csv")).unwrap();
    let code = |person: usize| codes.lines().nth(person + 1).unwrap().split(',').nth(1).unwrap();
    let answer = |person: usize, code: &str| {
        format!(
            "collect answer {task} --me person{person} --device d{person} --label yes --code {code}"
        )
    };
    let refused = format!("{} --lifetime 5", answer(0, code(1)));
    folder.fails(&refused, 3, &["not invited"]);
    // The device had drawn by then: it sends what it remembers.
    let told = folder.ok(&answer(0, code(0)));
    assert!(told.contains("the same bytes as before") && told.contains("sent to"), "{told}");
    let told = folder.ok(&format!("{} --lifetime 5", answer(3, code(3))));
    assert!(told.contains("drawn now") && told.contains("epsilon 1 of 5"), "{told}");
    let status = folder.json(&format!("collect status {at}"));
    assert_eq!(
        (&status["tasks"][0]["reports"], &status["tasks"][0]["open"]),
        (&2.into(), &true.into())
    );
    folder.ok(&format!("collect close {task}"));
    folder.fails(&format!("{} --lifetime 5", answer(4, code(4))), 3, &["closed"]);
    folder.ok(&format!("collect export {task} -o got.npz"));
    assert_eq!(folder.json("data info got.npz")["nodes"], 6);
    let told = folder.ok("verify got.npz.card.json --task task.json");
    assert!(told.contains("every number follows from the task"), "{told}");
    folder.write("wrong.token", b"0123456789abcdef0123456789abcdef");
    folder.fails(&format!("collect status {at} --token wrong.token"), 3, &["administrators"]);
    folder.fails(&format!("collect close {at}"), 2, &["the address of a task"]);
    // Told to stop, it ends well; what it held is there.
    assert_eq!(service.signal("-TERM"), Some(0));
    folder.fails(&format!("collect status {at}"), 1, &[&at]);
    let again = Service::start(&folder, "--listen 127.0.0.1:0");
    let status = folder.json(&format!("collect status {}", again.address));
    assert_eq!(status["tasks"][0]["reports"], 2);
}

#[test]
fn what_a_service_cannot_do_is_said() {
    let folder = study(3);
    folder.fails("collect serve --store nowhere/a.db", 1, &["nowhere: there is no such folder"]);
    folder.fails("collect serve --listen here", 1, &["here"]);
    let missing = "collect serve --certificate a.pem --certificate-key b.pem --listen 127.0.0.1:0";
    folder.fails(missing, 1, &["a.pem"]);
    folder.fails("collect status ftp://a", 2, &["expected an address"]);
    folder.write("collector.db", b"my notes");
    folder.fails("collect serve", 1, &["collector.db", "not a file of SQLite"]);
    assert_eq!(folder.read("collector.db"), b"my notes", "nothing is written over");
    folder.write("collector.token", b"short");
    folder.fails("collect serve", 1, &["not a token"]);
}

#[test]
fn the_demo_shows_all_of_it() {
    let folder = Folder::new();
    let shown = folder.json("collect demo --devices 60");
    assert_eq!((&shown["kept_once"], &shown["second_refused"]), (&true.into(), &true.into()));
    assert_eq!(shown["found"]["reports"], 60);
    assert!(folder.names().is_empty(), "it leaves nothing behind");
    let told = folder.ok("collect demo --devices 60");
    assert!(told.contains("All 60 of them") && told.lines().count() <= 14, "{told}");
}

/// The process is killed in the middle of a load, again and again (20 times, or as often as `PRIVET_KILLS` says): every
/// report that was acknowledged is there, once.
#[test]
fn killed_in_the_middle_it_has_kept_what_it_said() {
    let kills: u64 =
        std::env::var("PRIVET_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let people = 20_000 + 400 * kills as u32;
    let folder = study(people);
    let mut service = Service::start(&folder, "--listen 127.0.0.1:0 --rate 0");
    let at = &service.address;
    folder.ok(&format!("collect create task.toml -o task.json --at {at}"));
    let sealed: SealedTask = serde_json::from_slice(&folder.read("task.json")).unwrap();
    let name = TaskName::of(sealed.task.as_bytes());
    let address = Mutex::new(service.address.clone());
    let (over, next) = (AtomicBool::new(false), Mutex::new(0..people));
    let acknowledged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while let Some(place) =
                    next.lock().unwrap().next().filter(|_| !over.load(Ordering::Relaxed))
                {
                    send_until_kept(&address, name, place, &over);
                    if !over.load(Ordering::Relaxed) {
                        acknowledged.lock().unwrap().push(place);
                    }
                }
            });
        }
        let mut wait = 7;
        for _ in 0..kills {
            wait = (wait * 31 + 17) % 97;
            std::thread::sleep(Duration::from_millis(100 + 2 * wait));
            service.signal("-KILL");
            service = Service::start(&folder, "--listen 127.0.0.1:0 --rate 0");
            *address.lock().unwrap() = service.address.clone();
        }
        over.store(true, Ordering::Relaxed);
    });
    let ids = (0..people).map(|at| format!("person{at}")).collect();
    let mut collected = Collection::new(&sealed, ids).unwrap();
    let service = ServiceAddress::parse(&service.address).unwrap();
    let token = String::from_utf8(folder.read("collector.token")).unwrap();
    let administrator = CollectorClient::new(&service).with_token(&token);
    // A stream holds each participant once, or it would be refused.
    let streamed = collected.add_stream(administrator.reports(name).unwrap()).unwrap();
    assert_eq!(streamed.again, 0);
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(acknowledged.len() as u64 > kills, "{}", acknowledged.len());
    for &place in &acknowledged {
        assert_eq!(
            collected.add(&report(name, place)).unwrap(),
            ReportReceipt::Again,
            "{place} was lost"
        );
    }
    assert_eq!(administrator.status().unwrap()[0].reports, streamed.new, "counted as kept");
    println!("{kills} kills, {} acknowledged, {} kept", acknowledged.len(), streamed.new);
}

fn report(task: TaskName, place: u32) -> Vec<u8> {
    Report { task, participant: place, features: None, label: Some(place % 2), contacts: None }
        .encode()
}

fn send_until_kept(address: &Mutex<String>, name: TaskName, place: u32, over: &AtomicBool) {
    while !over.load(Ordering::Relaxed) {
        let service = ServiceAddress::parse(&address.lock().unwrap()).unwrap();
        match CollectorClient::new(&service).send(name, &report(name, place), None) {
            Ok(_) => return,
            Err(failed) => assert!(failed.may_pass(), "{failed}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A disk that is full: reports are not acknowledged, the service lives, and goes on when there is room.
#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let folder = study(20_000);
    let mut service = Service::start(&folder, "--listen 127.0.0.1:0 --rate 0");
    folder.ok(&format!("collect create task.toml -o task.json --at {}", service.address));
    let sealed: SealedTask = serde_json::from_slice(&folder.read("task.json")).unwrap();
    let name = TaskName::of(sealed.task.as_bytes());
    service.signal("-TERM");
    // No file of this process grows beyond 1,200 blocks of 512 bytes: what is there, and a little.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 1200; exec {} collect serve --listen 127.0.0.1:0 --rate 0",
        env!("CARGO_BIN_EXE_privet")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &limited]);
    let mut service = Service::spawn(command, &folder);
    let client = CollectorClient::new(&ServiceAddress::parse(&service.address).unwrap());
    let mut acknowledged = Vec::new();
    let mut refused = 0;
    for place in 0..20_000 {
        match client.send(name, &report(name, place), None) {
            Ok(_) => acknowledged.push(place),
            Err(failed) => {
                assert!(failed.may_pass(), "{failed}");
                refused += 1;
            }
        }
        if refused > 3 {
            break;
        }
    }
    assert!(refused > 3 && !acknowledged.is_empty(), "{refused} {}", acknowledged.len());
    assert!(service.child.try_wait().unwrap().is_none(), "it lives");
    service.signal("-KILL");
    let service = Service::start(&folder, "--listen 127.0.0.1:0 --rate 0");
    let client = CollectorClient::new(&ServiceAddress::parse(&service.address).unwrap());
    for &place in &acknowledged {
        assert!(client.send(name, &report(name, place), None).unwrap(), "{place} was lost");
    }
    assert!(!client.send(name, &report(name, 19_999), None).unwrap(), "and it goes on");
}
