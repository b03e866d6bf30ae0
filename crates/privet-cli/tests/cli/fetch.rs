//! `privet data fetch`: without a network, by way of a mirror on this machine.

use crate::ran::Folder;
use crate::real::data;
use crate::server::Server;

/// A mirror of the benchmark files that are here.
fn mirror() -> Option<Server> {
    let data = data()?;
    Some(Server::start(move |path| std::fs::read(data.join(path)).ok(), []))
}

#[test]
fn fetches_checks_and_finds_again() {
    let Some(server) = mirror() else { return };
    let folder = Folder::new();
    let line = format!("data fetch cora_ml --to graphs --mirror {}", server.address);
    let fetched = folder.json(&line);
    assert_eq!(fetched["fetched"][0]["downloaded"][0], "graphs/cora_ml/cora_ml.npz");
    assert_eq!(fetched["fetched"][0]["received_bytes"], 1_622_234);
    assert_eq!(folder.json("data info cora_ml --data-dir graphs")["nodes"], 2995);
    let again = folder.run(&line);
    assert!(again.stdout.contains("was there already"), "{again:?}");
    assert_eq!(again.stderr, "", "no progress without a terminal");
    assert_eq!(server.requests().len(), 1);
    folder.ok(&format!("{line} --force"));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn wrong_bytes_are_not_kept() {
    let server = Server::start(|_| Some(vec![7; 1_622_234]), []);
    let folder = Folder::new();
    let line = format!("data fetch cora_ml --to graphs --mirror {}", server.address);
    folder.fails(&line, 1, &["cora_ml.npz", "sha256", "thrown away"]);
    assert!(!folder.path("graphs/cora_ml/cora_ml.npz").exists());
}

#[test]
fn a_server_that_does_not_deliver() {
    let server = Server::start(|_| None, []);
    let folder = Folder::new();
    let line = format!("data fetch cora_ml --to graphs --mirror {}", server.address);
    folder.fails(&line, 1, &[&server.address, "404"]);
    let unreachable = "data fetch cora_ml --to graphs --mirror http://127.0.0.1:9";
    folder.fails(unreachable, 1, &["http://127.0.0.1:9", "no connection"]);
}

#[test]
fn a_folder_that_cannot_be_written() {
    let server = Server::start(|_| Some(vec![7; 1_622_234]), []);
    let folder = Folder::with(&[("file", b"x")]);
    let line = format!("data fetch cora_ml --to file --mirror {}", server.address);
    folder.fails(&line, 1, &["file", "cannot write"]);
}

#[test]
fn what_nobody_serves_is_said_before_anything_is_asked() {
    let folder = Folder::new();
    let told = folder.fails("data fetch reddit_multi_5k --to graphs", 1, &["reddit_multi_5k"]);
    assert!(told.contains("hint: there is no verified download"), "{told}");
}
