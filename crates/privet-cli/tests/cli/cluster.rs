//! `privet cluster run`: the bytes of one process from several, and what happens when one of them is not there.

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::ran::Folder;

/// 1500 people with 20 features and three classes, as `in.npz`; embedded by one process, as `one.vec`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.ok("data generate sbm --nodes 1500 --classes 3 --features 20 -o in.npz");
    folder.ok(&format!("{EMBED} -o one.vec"));
    folder
}

const EMBED: &str = "embed in.npz --rounds 6 --quiet";
const KEEP: &str = "--checkpoint kept --checkpoint-every 1";

#[test]
fn several_workers_write_what_one_writes() {
    let folder = folder();
    for workers in [1, 2, 4] {
        let line = format!("cluster run --workers {workers} {EMBED} -o many.vec --overwrite");
        let told = folder.json(&line);
        assert!(folder.read("many.vec") == folder.read("one.vec"), "{workers} workers");
        assert_eq!((&told["rounds"], &told["nodes"]), (&6.into(), &1500.into()));
        let used = told["workers"].as_array().unwrap();
        assert_eq!(used.len(), workers);
        assert_eq!(used.iter().map(|used| used["nodes"].as_u64().unwrap()).sum::<u64>(), 1500);
        assert!(used.iter().all(|used| used["peak_bytes"].as_u64().unwrap() > 0));
    }
    let text = folder.ok(&format!("cluster run --workers 2 {EMBED} -o text.vec"));
    assert!(text.contains("peak memory") && text.contains("NOT private"), "{text}");
}

#[test]
fn every_job_gives_the_same_by_one_and_by_three() {
    let folder = folder();
    for (workers, name) in [(1, "a"), (3, "b")] {
        let run = format!("cluster run --workers {workers}");
        folder.ok(&format!("{run} hops in.npz -o {name}.vec --steps 3 --aggregation mean"));
        folder.ok(&format!("{run} train in.npz -o {name}.model --hidden 8 --epochs 5"));
    }
    assert!(folder.read("a.vec") == folder.read("b.vec"));
    assert!(folder.read("a.model") == folder.read("b.model"));
    let told = folder.json("cluster run --workers 2 train in.npz --epochs 60 --learning-rate 0.1");
    assert!(told["test"]["accuracy"].as_f64().unwrap() > 0.6, "{told}");
}

#[test]
fn a_worker_that_dies_after_any_round_is_named_and_the_job_can_be_resumed() {
    let folder = folder();
    for round in 1..=6 {
        let line = format!("cluster run --workers 2 {KEEP} {EMBED} -o many.vec --overwrite");
        let mut command = folder.command(&line);
        let output = command.env("PRIVET_CLUSTER_DIES", format!("1@{round}")).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(told.contains("error: worker 1 (process "), "{told}");
        assert!(told.contains("SIGABRT") && !folder.path("many.vec").exists(), "{told}");
        // Not by accident from the beginning.
        folder.fails(&line, 1, &["--resume", "already"]);
        let told = folder.json(&line.replace(KEEP, &format!("{KEEP} --resume")));
        // Who died had written its state; the other may have been a round behind.
        let resumed = told["resumed_from"].as_u64().unwrap();
        assert!(resumed == round || resumed + 1 == round, "{resumed} after {round}");
        assert!(folder.read("many.vec") == folder.read("one.vec"));
        assert!(crate::ran::names_in(&folder.path("kept")).is_empty(), "nothing is left");
        std::fs::remove_file(folder.path("many.vec")).unwrap();
    }
}

#[test]
fn steps_and_epochs_are_resumed_like_rounds() {
    let folder = folder();
    for (job, name, rounds) in [
        ("hops in.npz --steps 4 --aggregation mean", "rows.vec", 4),
        ("train in.npz --hidden 8 --epochs 5", "head.model", 5),
    ] {
        folder.ok(&format!("cluster run --workers 1 {job} -o one-{name}"));
        let line = format!("cluster run --workers 2 {KEEP} {job} -o {name} --overwrite");
        for round in 1..=rounds {
            let mut command = folder.command(&line);
            let output = command.env("PRIVET_CLUSTER_DIES", format!("1@{round}")).output().unwrap();
            assert_eq!(output.status.code(), Some(1));
            let told = folder.json(&line.replace(KEEP, &format!("{KEEP} --resume")));
            let resumed = told["resumed_from"].as_u64().unwrap();
            assert!(resumed == round || resumed + 1 == round, "{resumed} after {round}");
            assert!(folder.read(name) == folder.read(&format!("one-{name}")), "{job}, {round}");
            assert!(crate::ran::names_in(&folder.path("kept")).is_empty(), "nothing is left");
        }
    }
}

#[test]
fn the_first_worker_can_die_as_well() {
    let folder = folder();
    let line = format!("cluster run --workers 3 {KEEP} {EMBED} -o many.vec");
    let mut command = folder.command(&line);
    let output = command.env("PRIVET_CLUSTER_DIES", "0@3").output().unwrap();
    assert!(!output.status.success());
    folder.ok(&line.replace(KEEP, &format!("{KEEP} --resume")));
    assert!(folder.read("many.vec") == folder.read("one.vec"));
}

#[test]
fn damaged_and_foreign_checkpoints_are_told_and_not_used() {
    let folder = folder();
    let line = format!("cluster run --workers 2 {KEEP} {EMBED} -o many.vec");
    let mut command = folder.command(&line);
    command.env("PRIVET_CLUSTER_DIES", "1@4").output().unwrap();
    let kept = folder.path("kept/process-1/round-4");
    let bytes = std::fs::read(&kept).unwrap();
    std::fs::write(&kept, &bytes[..bytes.len() - 1]).unwrap();
    let resumed = line.replace(KEEP, &format!("{KEEP} --resume"));
    let other = resumed.replace("--rounds 6", "--rounds 6 --alpha 0.3").replace("many", "other");
    folder.fails(&other, 1, &["kept/process-", "another job"]);
    let ran = folder.run(&format!("{resumed} --json"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("round-4") && ran.stderr.contains("cut off"), "{}", ran.stderr);
    assert!(ran.stdout.contains("\"resumed_from\": 3"), "{}", ran.stdout);
    assert!(folder.read("many.vec") == folder.read("one.vec"));
}

/// Runs a line where no file may grow past so many KiB, and the signal that says so is ignored: writing fails, as on a
/// full disk.
fn on_a_full_disk(folder: &Folder, kibibytes: usize, line: &str) -> String {
    let program = assert_cmd::cargo::cargo_bin("privet");
    let line = format!("trap '' XFSZ; ulimit -f {kibibytes}; {} {line}", program.display());
    let mut command = Command::new("bash");
    let output = command.arg("-c").arg(line).current_dir(folder.path("")).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("File too large") && !told.contains("panicked"), "{told}");
    told
}

#[test]
fn a_full_disk_is_a_clear_error() {
    let folder = folder();
    let line = |more: &str| format!("cluster run --workers 2 {more} {EMBED} -o many.vec");
    let told = on_a_full_disk(&folder, 40, &line(KEEP));
    assert!(told.contains("checkpoint"), "{told}");
    // Where rows are gathered, and where a release is written.
    on_a_full_disk(&folder, 40, &line(""));
    let told = on_a_full_disk(&folder, 16, &format!("cluster run --workers 2 {FEATURES} -o many"));
    assert!(told.contains("the charge in many.ledger stays"), "{told}");
    let left = folder.names().into_iter().filter(|name| name.starts_with("many"));
    let account = ["many.ledger", "many.ledger.count"];
    assert_eq!(left.collect::<Vec<_>>(), account, "nothing is half-written");
}

/// Two free addresses of this machine.
fn hosts(folder: &Folder) -> Vec<String> {
    let listeners = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = listeners.map(|held| held.local_addr().unwrap().to_string());
    folder.write("hosts", format!("# two\n{}\n", addresses.join("\n")).as_bytes());
    addresses.into()
}

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("privet"));
    command.args(line.split_whitespace()).current_dir(folder.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn told(child: Child) -> (Option<i32>, String) {
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn two_machines_by_a_list_of_hosts() {
    let folder = folder();
    hosts(&folder);
    let line = |index: usize, more: &str| {
        format!(
            "cluster run --hosts hosts --process {index} --patience 5 {EMBED} -o many.vec {more}"
        )
    };
    let other = start(&folder, &line(1, ""));
    folder.ok(&line(0, ""));
    assert_eq!(told(other).0, Some(0));
    assert!(folder.read("many.vec") == folder.read("one.vec"));
    // The same two with different settings.
    let other = start(&folder, &line(1, "--alpha 0.3").replace("--patience 5", "--patience 1"));
    let line = line(0, "--overwrite").replace("--patience 5", "--patience 1");
    folder.fails(&line, 1, &["worker 1", "another job"]);
    let (code, told) = told(other);
    assert!(code == Some(1) && told.contains("another job"), "{told}");
}

#[test]
fn a_host_that_is_not_there_and_a_port_that_is_taken() {
    let folder = folder();
    let addresses = hosts(&folder);
    let line = format!("cluster run --hosts hosts --process 0 --patience 0 {EMBED} -o many.vec");
    let absent = format!("worker 1 ({}) is not there", addresses[1]);
    folder.fails(&line, 1, &[&absent]);
    let _held = TcpListener::bind(&addresses[0]).unwrap();
    folder.fails(&line, 1, &[&addresses[0], "another job running on this port"]);
    folder.fails(&line.replace("--process 0", "--process 7"), 2, &["--process", "below 2"]);
    folder.write("hosts", b"one.example:7000\nnothing\n");
    folder.fails(&line, 1, &["hosts, line 2", "nothing", "a host and a port"]);
}

#[test]
fn a_worker_that_is_killed_is_noticed_at_once() {
    let folder = folder();
    hosts(&folder);
    let line = |index: usize| {
        format!("cluster run --hosts hosts --process {index} {EMBED} --rounds 100000 -o many.vec")
            .replace("--rounds 6 ", "")
    };
    let (first, mut second) = (start(&folder, &line(0)), start(&folder, &line(1)));
    std::thread::sleep(Duration::from_millis(1500));
    let begun = Instant::now();
    second.kill().unwrap();
    second.wait().unwrap();
    let (code, told) = told(first);
    assert!(begun.elapsed() < Duration::from_secs(5), "{told}");
    assert!(code == Some(1) && told.contains("worker 1") && told.contains("is gone"), "{told}");
}

#[test]
fn nonsense_is_refused_before_anything_is_started() {
    let folder = folder();
    for (line, parts) in [
        ("--workers 0 embed in.npz -o x.vec", ["--workers", "at least 1"]),
        ("--workers 2 embed in.npz -o x.vec --method push", ["power iteration", "--method"]),
        ("--workers 2 embed in.npz -o x.vec --self-loops", ["--self-loops", "as it is"]),
    ] {
        folder.fails(&format!("cluster run {line}"), 2, &parts);
    }
    folder.fails(
        &format!("cluster run --workers 2 {EMBED} -o one.vec"),
        3,
        &["one.vec", "--overwrite"],
    );
    folder.fails("cluster run --workers 2 embed no.npz -o x.vec", 1, &["no.npz"]);
    let help = folder.ok("cluster run --help");
    assert!(help.contains("NOT encrypted") && help.contains("WireGuard"), "{help}");
}

/// Releases as `privet protect` makes them, all of a seed.
const FEATURES: &str = "protect features in.npz --mechanism hds --epsilon 1 --seed 5 --quiet";
const RELEASES: [&str; 5] = [
    FEATURES,
    "protect labels in.npz --epsilon 1 --seed 5 --quiet",
    "protect edges in.npz --epsilon 2 --merge one-sided --seed 5 --quiet",
    "protect edges in.npz --mechanism rr --epsilon 4 --memory 200M --seed 5 --quiet",
    "protect sums in.npz --epsilon 2 --delta 1e-6 --hops 3 --seed 5 --quiet",
];

#[test]
fn a_release_has_the_bytes_of_one_process_its_card_and_its_account() {
    let folder = folder();
    for release in RELEASES {
        let made = |name: &str, start: &str| {
            std::fs::create_dir(folder.path(name)).unwrap();
            folder.ok(&format!("{start} {release} -o {name}/out.npz"));
            let files = ["out.npz", "out.npz.card.json", "out.npz.ledger"];
            let bytes = files.map(|file| folder.read(&format!("{name}/{file}")));
            folder.ok(&format!("verify {name}/out.npz.card.json --quiet"));
            std::fs::remove_dir_all(folder.path(name)).unwrap();
            bytes
        };
        let one = made("one", "");
        for workers in [1, 2, 4] {
            let many = made("many", &format!("cluster run --workers {workers}"));
            assert!(many == one, "{release} by {workers}");
        }
    }
}

/// A process dies while reports are drawn: the charge stays, nothing is written, and nothing is resumed.
#[test]
fn a_release_that_loses_a_worker_stays_charged() {
    let folder = folder();
    for (release, turns) in [(RELEASES[0], 1), (RELEASES[4], 3)] {
        for when in (1..=turns).flat_map(|turn| [format!("1@{turn}"), format!("0@{turn}")]) {
            let line =
                format!("cluster run --workers 2 {release} -o many.npz --ledger year --limit 99");
            let mut command = folder.command(&format!("{line} --accept loose-limit"));
            let output = command.env("PRIVET_CLUSTER_DIES", &when).output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            assert!(!output.status.success() && !told.contains("--resume"), "{when}: {told}");
            if when.starts_with('1') {
                assert!(told.contains("error: worker 1 (process "), "{when}: {told}");
                assert!(told.contains("the charge in year stays"), "{when}: {told}");
            }
            let entries = String::from_utf8(folder.read("year")).unwrap().lines().count() - 1;
            assert_eq!(entries, 1, "{when}");
            let left = folder.names().into_iter().filter(|name| name.starts_with("many"));
            assert_eq!(left.count(), 0, "{when}");
            std::fs::remove_file(folder.path("year")).unwrap();
            let _beside = std::fs::remove_file(folder.path("year.count"));
        }
    }
}

#[test]
fn what_several_workers_cannot_release_is_refused_and_not_charged() {
    let folder = folder();
    folder.write("wishes", b"0,3\n");
    for (line, code, parts) in [
        (
            "--checkpoint kept protect edges in.npz --epsilon 1",
            2,
            ["no checkpoint", "--checkpoint"],
        ),
        ("protect edges in.npz --mechanism edge-rand --epsilon 1", 2, ["EdgeRand", "one process"]),
        ("protect labels in.npz --epsilon 1 --budgets wishes", 2, ["budgets", "one process"]),
        ("protect sums in.npz --epsilon 1 --delta 0.1", 3, ["delta", "--accept weak-delta"]),
        ("protect labels --epsilon 1", 2, ["named", "privet protect"]),
    ] {
        folder.fails(&format!("cluster run --workers 2 {line} -o many.npz"), code, &parts);
        let left = folder.names().into_iter().filter(|name| name.starts_with("many"));
        assert_eq!(left.count(), 0, "{line}");
    }
}

/// Two machines that hold different copies: the output of one of them would be wrong, and say nothing of it.
#[test]
fn c11_workers_with_other_features_are_refused_by_name() {
    let folder = folder();
    hosts(&folder);
    folder.ok("data convert in.npz other --to csv");
    let line = |index: usize, job: &str, input: &str| {
        format!("cluster run --hosts hosts --process {index} --patience 5 --quiet {job} {input}")
    };
    for (job, output) in [
        ("embed", "-o many.vec"),
        ("protect features --mechanism hds", "-o many --epsilon 1 --seed 5"),
    ] {
        // The same data in another format are the same data.
        let worker = start(&folder, &format!("{} {output}", line(1, job, "./other")));
        folder.ok(&format!("{} {output}", line(0, job, "in.npz")));
        assert_eq!(told(worker).0, Some(0), "{job}");
        for name in folder.names().into_iter().filter(|name| name.starts_with("many")) {
            let path = folder.path(&name);
            match path.is_dir() {
                true => std::fs::remove_dir_all(path).unwrap(),
                false => std::fs::remove_file(path).unwrap(),
            }
        }
    }
    let features = String::from_utf8(folder.read("other/features.csv")).unwrap();
    let (head, last) = features.trim_end().rsplit_once(',').unwrap();
    let changed = if last.starts_with("0.25") { "0.5" } else { "0.25" };
    folder.write("other/features.csv", format!("{head},{changed}\n").as_bytes());
    for (job, output) in [
        ("embed", "-o many.vec"),
        ("protect features --mechanism hds", "-o many --epsilon 1 --seed 5"),
    ] {
        let worker = start(&folder, &format!("{} {output}", line(1, job, "./other")));
        // Either worker may notice first and stop the other one, whose exit code is that of a stopped job.
        let first = folder.run(&format!("{} {output}", line(0, job, "in.npz")));
        assert!([1, 2].contains(&first.code), "{job}: {first:?}");
        assert!(first.stderr.contains("worker 1 has other features"), "{job}: {first:?}");
        let (code, second) = told(worker);
        assert!(
            code != Some(0) && second.contains("worker 1 has other features"),
            "{job}: {second}"
        );
        assert!(folder.names().iter().all(|name| !name.starts_with("many")), "nothing is written");
    }
}

/// Hours that were thought to be kept are not: said before they are spent again.
#[test]
fn c11_a_resume_that_starts_over_says_so() {
    let folder = folder();
    let ran = folder.run(&format!("cluster run --workers 2 {KEEP} --resume {EMBED} -o many.vec"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("the job starts from the beginning"), "{}", ran.stderr);
    assert_eq!(ran.stderr.matches("starts from the beginning").count(), 1, "{}", ran.stderr);
    assert!(folder.read("many.vec") == folder.read("one.vec"));
}
