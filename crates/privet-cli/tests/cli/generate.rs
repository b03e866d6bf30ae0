//! `privet data generate`.

use crate::ran::Folder;

fn lines(text: &str) -> usize {
    text.lines().count()
}

#[test]
fn an_edge_list_on_standard_output() {
    let folder = Folder::new();
    let ran = folder.run("data generate karate");
    assert_eq!((ran.code, lines(&ran.stdout)), (0, 78));
    assert!(ran.stdout.lines().all(|line| line.split('\t').count() == 2), "{}", ran.stdout);
    assert!(ran.stderr.contains("note: an edge list cannot hold labels"), "{}", ran.stderr);
    assert_eq!(folder.run("data generate karate --quiet -o -").stderr, "");
}

#[test]
fn models_make_what_was_asked_for() {
    let folder = Folder::new();
    assert_eq!(lines(&folder.ok("data generate erdos-renyi --nodes 50 --edges 123")), 123);
    let grown = folder.ok("data generate barabasi-albert --nodes 100 --edges-per-node 2");
    assert!((150..=200).contains(&lines(&grown)), "{}", lines(&grown));
    let power = folder.ok("data generate power-law --nodes 500 --mean-degree 6 --exponent 2.7");
    assert!((1200..=1500).contains(&lines(&power)), "{}", lines(&power));
}

#[test]
fn a_seed_is_a_graph() {
    let folder = Folder::new();
    let line = "data generate sbm --nodes 200 --classes 2 --seed";
    assert_eq!(folder.ok(&format!("{line} 1")), folder.ok(&format!("{line} 1")));
    assert_ne!(folder.ok(&format!("{line} 1")), folder.ok(&format!("{line} 2")));
}

#[test]
fn what_is_written_can_be_read_again() {
    let folder = Folder::new();
    for file in ["people.npz", "people.graphml", "people"] {
        let line = format!("data generate sbm --nodes 300 --classes 3 --features 30 -o {file}");
        let written = folder.json(&line);
        assert!(!written["files"].as_array().unwrap().is_empty(), "{written}");
        let facts = folder.json(&format!("data info ./{file}"));
        assert_eq!((&facts["nodes"], &facts["features"]["columns"]), (&300.into(), &30.into()));
        assert_eq!(facts["labels"]["classes"].as_array().unwrap().len(), 3, "{file}");
    }
}

#[test]
fn senseless_parameters_are_usage_errors() {
    let folder = Folder::new();
    folder.fails("data generate sbm --homophily 1.5", 2, &["homophily", "1.5"]);
    folder.fails("data generate erdos-renyi --nodes 4 --edges 7", 2, &["edges", "7"]);
    folder.fails("data generate sbm --nodes many", 2, &["--nodes", "many"]);
    folder.fails("data generate sbm --even-degrees --degree-exponent 3", 2, &["--even-degrees"]);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_privet"))
        .args(["data", "generate", "erdos-renyi", "--nodes", "20000", "--edges", "200000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_behind() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = Folder::new();
    let line = "data generate erdos-renyi --nodes 100000 --edges 1500000 -o out.graphml";
    let mut child = Command::new(env!("CARGO_BIN_EXE_privet"))
        .args(line.split(' '))
        .current_dir(folder.path(""))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while folder.names().is_empty() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(!folder.path("out.graphml").exists(), "too quick to be interrupted");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), Vec::<String>::new());
}
