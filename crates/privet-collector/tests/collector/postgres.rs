//! The same service on PostgreSQL: a server of this test's own, which is stopped and started under it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use privet::collected::{Collection, ReportReceipt};
use privet_collector::TaskAccess;

use crate::conversation::status;
use crate::service::{Service, answer, drawn, everything, ids, labels, settings};

/// A server in a folder of its own, by the programs of the distribution.
struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
    port: u16,
}

impl Postgres {
    /// None, with a word why, where the programs are not installed.
    fn start() -> Option<Self> {
        let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
            .map(|all| all.filter_map(|entry| Some(entry.ok()?.path().join("bin"))).collect())
            .unwrap_or_default();
        found.retain(|programs| programs.join("initdb").exists());
        found.sort();
        let Some(programs) = found.pop() else {
            println!("skipped: PostgreSQL is not installed (apt-get install postgresql)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Self { folder, programs, port };
        if is_root() {
            let path = server.folder.path();
            assert!(Command::new("chown").arg("postgres").arg(path).status().unwrap().success());
        }
        let data = server.data();
        server.call("initdb", &["-A", "trust", "-U", "privet", "-N", "-D", &data]);
        server.up();
        Some(server)
    }

    fn data(&self) -> String {
        self.folder.path().join("data").display().to_string()
    }

    fn up(&self) {
        let sockets = self.folder.path().display();
        let options = format!("-p {} -k {sockets} -c listen_addresses=127.0.0.1", self.port);
        let log = self.folder.path().join("log").display().to_string();
        self.call("pg_ctl", &["-D", &self.data(), "-l", &log, "-w", "-o", &options, "start"]);
    }

    /// At once, as if the machine had gone.
    fn down(&self) {
        self.call("pg_ctl", &["-D", &self.data(), "-m", "immediate", "-w", "stop"]);
    }

    /// A server does not run as root.
    fn call(&self, program: &str, arguments: &[&str]) {
        let program = self.programs.join(program);
        let mut command = match is_root() {
            true => Command::new("runuser"),
            false => Command::new(&program),
        };
        if is_root() {
            command.args(["-u", "postgres", "--"]).arg(&program);
        }
        command.args(arguments).current_dir("/").stdin(Stdio::null());
        let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(done.success(), "{} {arguments:?}", program.display());
    }

    fn url(&self) -> String {
        format!("postgres://privet@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.down();
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self")
        .is_ok_and(|about| std::os::unix::fs::MetadataExt::uid(&about) == 0)
        && Path::new("/usr/sbin/runuser").exists()
}

fn service(server: &Postgres) -> Service {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        privet_collector::CollectorSettings { store: server.url(), ..settings(folder.path()) };
    Service::with(folder, settings, privet_collector::collector::system_clock)
}

#[test]
fn the_same_queries_serve_both_stores() {
    let Some(server) = Postgres::start() else { return };
    let (one, other) = (service(&server), service(&server));
    let task = everything("Winter", 20);
    let name = one.create(&task, TaskAccess::Invitation);
    let codes = one.administrator().invite(name, None).unwrap();
    let reports: Vec<Vec<u8>> = (0..20).map(|place| drawn(&task, place, 7)).collect();
    for (place, report) in reports.iter().enumerate() {
        // Two services on one store: a report kept by one is known to the other.
        let code = Some(&*codes[place].code);
        assert!(!one.client().send(name, report, code).unwrap());
        assert!(other.client().send(name, report, code).unwrap());
    }
    let second = drawn(&task, 3, 8);
    let refused = other.client().send(name, &second, Some(&codes[3].code)).unwrap_err();
    assert_eq!(status(refused), 409);
    let mut collected = Collection::new(&task, ids(20)).unwrap();
    collected.add_stream(other.administrator().reports(name).unwrap()).unwrap();
    for report in &reports {
        assert_eq!(collected.add(report).unwrap(), ReportReceipt::Again);
    }
    one.administrator().close(name).unwrap();
    let closed = other.client().send(name, &reports[0], Some(&codes[0].code)).unwrap_err();
    assert_eq!(status(closed), 410, "closed by one is closed for the other");
    assert_eq!(other.administrator().status().unwrap()[0].reports, 20);
}

#[test]
fn a_store_that_goes_and_comes_back_has_what_was_acknowledged() {
    let Some(server) = Postgres::start() else { return };
    let service = service(&server);
    let name = service.create(&labels("Gone", 100_000, None), TaskAccess::Open);
    let (over, next, kept) =
        (AtomicBool::new(false), Mutex::new(0..100_000), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let client = service.client();
                while let Some(place) = next.lock().unwrap().next() {
                    while !over.load(Ordering::Relaxed) {
                        match client.send(name, &answer(name, place, 1), None) {
                            Ok(_) => {
                                kept.lock().unwrap().push(place);
                                break;
                            }
                            Err(failed) => assert!(failed.may_pass(), "{failed}"),
                        }
                        std::thread::sleep(Duration::from_millis(5));
                    }
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                }
            });
        }
        let mut before = 0;
        for _ in 0..3 {
            std::thread::sleep(Duration::from_millis(400));
            server.down();
            std::thread::sleep(Duration::from_millis(200));
            server.up();
            // It comes back by itself.
            let start = std::time::Instant::now();
            while kept.lock().unwrap().len() <= before {
                assert!(start.elapsed() < Duration::from_secs(30), "nothing is kept any more");
                std::thread::sleep(Duration::from_millis(20));
            }
            before = kept.lock().unwrap().len();
        }
        over.store(true, Ordering::Relaxed);
    });
    let mut collected = Collection::new(&labels("Gone", 100_000, None), ids(100_000)).unwrap();
    let streamed = collected.add_stream(service.administrator().reports(name).unwrap()).unwrap();
    let kept = kept.into_inner().unwrap();
    for &place in &kept {
        assert_eq!(
            collected.add(&answer(name, place, 1)).unwrap(),
            ReportReceipt::Again,
            "{place} was lost"
        );
    }
    assert_eq!(service.administrator().status().unwrap()[0].reports, streamed.new);
}
