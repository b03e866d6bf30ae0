//! What would not fit into memory, or would never end, is refused before it is begun.

use std::time::{Duration, Instant};

use crate::ran::Folder;

const PATH: &[u8] = b"a,b\nb,c\n";

/// Runs a line that must be refused at once, with words for what would fit.
fn refused(line: &str, flag: &str) {
    let folder = Folder::new();
    let begun = Instant::now();
    folder.fails(line, 3, &[flag, "needs about", "are free", "would fit"]);
    assert!(begun.elapsed() < Duration::from_secs(20), "privet {line}");
    assert!(folder.names().is_empty());
}

#[test]
fn graphs_that_no_machine_holds() {
    let huge = "4000000000";
    refused(
        &format!("data generate barabasi-albert --nodes {huge} --edges-per-node 3000"),
        "--nodes",
    );
    refused(&format!("data generate power-law --nodes {huge} --mean-degree 100000"), "--nodes");
    refused("data generate erdos-renyi --nodes 50000000 --edges 1000000000000000", "--edges");
    refused(&format!("data generate sbm --nodes {huge} --mean-degree 100000"), "--nodes");
}

#[test]
fn layers_that_no_machine_holds() {
    let line = "run ldp-ge --dataset synthetic --epsilon 1 --runs 1 --hidden 100000000,100000000";
    refused(line, "--hidden 100000000,100000000");
    let line = "run dprr --dataset synthetic --epsilon 1 --runs 1 --hidden 1000000000";
    refused(line, "--hidden 1000000000");
}

#[test]
fn columns_that_no_machine_holds() {
    let folder = Folder::with(&[
        ("e.csv", PATH),
        (
            "x.npy",
            &crate::made::npy("<f4", "(3, 2)", &crate::made::f32s(&[1., 2., 3., 4., 5., 6.])),
        ),
    ]);
    let line = "data info e.csv --features x.npy --columns 100000000000000";
    folder.fails(line, 3, &["--columns 100000000000000", "would fit"]);
}

#[test]
fn more_runs_than_anybody_waits_for() {
    let line = "run ldp-ge --dataset synthetic --epsilon 1 --runs 1000000000000";
    Folder::new().fails(line, 2, &["--runs", "1000000000000", "expected 1 to 1000000"]);
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read_to_its_end() {
    let folder = Folder::with(&[("e.csv", PATH)]);
    let begun = Instant::now();
    folder.fails("verify /dev/zero", 1, &["/dev/zero", "far too long"]);
    folder.fails("data info /dev/zero", 1, &["/dev/zero"]);
    folder.fails("data info e.csv --labels /dev/zero", 1, &["/dev/zero"]);
    folder.fails("account compose /dev/zero", 1, &["/dev/zero", "NUL"]);
    folder.fails("data info e.csv --nodes /dev/zero", 1, &["/dev/zero", "NUL"]);
    let protect = "protect edges e.csv -o out.npz --epsilon 1 --assume-public ids";
    folder.fails(&format!("{protect} --budgets /dev/zero"), 1, &["/dev/zero", "NUL"]);
    folder.fails(&format!("{protect} --ledger /dev/zero"), 3, &["/dev/zero"]);
    let publish = "publish e.csv -o out.npz --epsilon-edges 1 --all-private --assume-public ids";
    folder.fails(&format!("{publish} --private-nodes /dev/zero"), 1, &["/dev/zero", "NUL"]);
    assert_eq!(folder.names(), ["e.csv"]);
    assert!(begun.elapsed() < Duration::from_secs(30));
}
