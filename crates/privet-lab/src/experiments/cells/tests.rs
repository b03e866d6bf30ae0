//! Interruptions, damage, and other people's files.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use proptest::prelude::*;

use super::*;

const NAME: &str = "test";

fn key(n: usize) -> Key {
    Key::new().with("n", n).with("dataset", "a \"quoted\" name\n")
}

/// A store of three cells, closed.
fn three() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    let mut cells = Cells::open(&path, NAME).unwrap();
    (0..3).for_each(|n| cells.put(&key(n), &(n as f64 + 0.1)).unwrap());
    (folder, path)
}

fn refusal(path: &Path) -> String {
    Cells::open(path, NAME).unwrap_err().to_string()
}

#[test]
fn cells_come_back() {
    let (_folder, path) = three();
    let mut cells = Cells::open(&path, NAME).unwrap();
    assert_eq!(cells.len(), 3);
    assert_eq!(cells.get(&key(2)).unwrap(), Some(2.1));
    assert_eq!(cells.get::<f64>(&key(3)).unwrap(), None);
    let before = std::fs::read(&path).unwrap();
    cells.put(&key(1), &1.1).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(cells.put(&key(1), &1.2).unwrap_err().to_string().contains("another value"));
    let wrong = cells.get::<String>(&key(1)).unwrap_err().to_string();
    assert!(wrong.contains("n=1") && wrong.contains("expected a string"), "{wrong}");
}

#[test]
fn order_of_settings_does_not_matter() {
    let one = Key::new().with("a", 1).with("b", f64::INFINITY);
    assert_eq!(one, Key::new().with("b", "inf").with("a", "1"));
    assert_ne!(one, Key::new().with("a", 1).with("b", f64::NAN));
}

#[test]
fn numbers_json_cannot_hold_are_refused() {
    let (_folder, path) = three();
    let mut cells = Cells::open(&path, NAME).unwrap();
    for lost in [f64::NAN, f64::INFINITY] {
        assert!(cells.put(&key(9), &lost).unwrap_err().to_string().contains("NaN and infinities"));
    }
    drop(cells);
    assert_eq!(Cells::open(&path, NAME).unwrap().len(), 3);
}

/// Cut anywhere, the file opens with the cells whose newline is there, and goes on from them.
#[test]
fn a_torn_file_continues() {
    let (_folder, path) = three();
    let bytes = std::fs::read(&path).unwrap();
    for cut in 0..=bytes.len() {
        std::fs::write(&path, &bytes[..cut]).unwrap();
        let mut cells = Cells::open(&path, NAME).unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
        let newlines = bytes[..cut].iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(cells.len(), newlines.saturating_sub(1), "cut at {cut}");
        (0..3).for_each(|n| cells.put(&key(n), &(n as f64 + 0.1)).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), bytes, "cut at {cut}");
    }
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let (_folder, path) = three();
    let good = std::fs::read_to_string(&path).unwrap();
    let cases = [
        ("my notes, without a newline".to_owned(), "not a store of cells"),
        ("my notes\n".to_owned(), "line 1: not a store of cells"),
        (good.replace("\"format\":1", "\"format\":2,\"new\":true"), "reads format 1"),
        (good.replacen("\"version\":\"", "\"version\":\"9.", 1), "made for version '9."),
        (
            good.replacen("\"test\"", "\"table4\"", 1),
            "made for experiment 'table4', but this is 'test'",
        ),
        (good.replacen("{\"key\"", "{\"kei\"", 1), "line 2: not a cell"),
        (good.replacen("1.1", "1.1}", 1), "line 3: not a cell"),
        (
            good.clone() + &good.lines().nth(1).unwrap().replace("0.1", "0.2") + "\n",
            "line 5: the cell",
        ),
        (good.clone() + &"[".repeat(100_000) + "\n", "line 5: not a cell"),
        (good.clone() + "\u{0}\u{0}\n", "line 5: not a cell"),
    ];
    for (text, reason) in cases {
        std::fs::write(&path, &text).unwrap();
        let error = refusal(&path);
        assert!(error.contains(reason), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    }
}

#[test]
fn one_process_at_a_time() {
    let (_folder, path) = three();
    let _open = Cells::open(&path, NAME).unwrap();
    assert!(refusal(&path).contains("another process is using it"));
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>) {
        let header = Header { format: FORMAT, experiment: NAME.into(), version: "1".into() };
        let first = serde_json::to_vec(&header).unwrap();
        let _ = parse(&bytes, &header);
        let _ = parse(&[&first[..], b"\n", &bytes, b"\n"].concat(), &header);
    }

    #[test]
    fn floats_come_back_as_written(value in any::<f64>().prop_filter("finite", |v| v.is_finite())) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cells");
        Cells::open(&path, NAME).unwrap().put(&key(0), &value).unwrap();
        prop_assert_eq!(Cells::open(&path, NAME).unwrap().get(&key(0)).unwrap(), Some(value));
    }
}

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

fn number(key: &Key) -> usize {
    key.get("n").unwrap().parse().unwrap()
}

#[test]
fn an_interrupted_sweep_continues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    let keys: Vec<Key> = (0..20).map(key).collect();
    let runs = Mutex::new(Vec::new());
    let work = |key: &Key| {
        runs.lock().unwrap().push(number(key));
        Ok::<_, Error>(number(key) as f64 / 3.0)
    };
    let stop = AtomicBool::new(false);
    let after_seven = |progress: Progress<'_>| {
        stop.fetch_or(progress.done >= 7, Ordering::Relaxed);
    };
    let mut cells = Cells::open(&path, NAME).unwrap();
    let error = run_cells(&mut cells, &keys, threads(3), &stop, after_seven, work).unwrap_err();
    let Error::Interrupted { done, total: 20 } = error else { panic!("{error}") };
    // Those under way when the flag was set finish.
    assert!((7..10).contains(&done) && cells.len() == done);
    drop(cells);
    stop.store(false, Ordering::Relaxed);
    let mut cells = Cells::open(&path, NAME).unwrap();
    let last = AtomicUsize::new(0);
    let progress = |progress: Progress<'_>| last.store(progress.done, Ordering::Relaxed);
    let values = run_cells(&mut cells, &keys, threads(2), &stop, progress, work).unwrap();
    let expected: Vec<f64> = (0..20).map(|n| n as f64 / 3.0).collect();
    assert_eq!((values, last.into_inner()), (expected, 20));
    // No cell was computed twice.
    let runs = runs.into_inner().unwrap();
    assert_eq!(runs.len(), runs.iter().collect::<BTreeSet<_>>().len());
}

#[test]
fn the_earliest_failure_is_told_and_the_rest_is_kept() {
    let (_folder, path) = three();
    let mut cells = Cells::open(&path, NAME).unwrap();
    let keys: Vec<Key> = [5, 0, 4, 3, 5].map(key).into();
    let work = |key: &Key| match number(key) {
        3 => Err("no convergence"),
        n => Ok(n as f64),
    };
    let stop = AtomicBool::new(false);
    let error = run_cells(&mut cells, &keys, threads(1), &stop, |_| {}, work).unwrap_err();
    assert!(error.to_string().contains("n=3 failed: no convergence"), "{error}");
    assert!(cells.contains(&key(5)) && cells.contains(&key(4)) && !cells.contains(&key(3)));
    let again = |key: &Key| Ok::<_, Error>(number(key) as f64);
    let values = run_cells(&mut cells, &keys, threads(8), &stop, |_| {}, again).unwrap();
    assert_eq!(values, [5.0, 0.1, 4.0, 3.0, 5.0]);
}

#[test]
fn nothing_to_do() {
    let (_folder, path) = three();
    let mut cells = Cells::open(&path, NAME).unwrap();
    let work = |_: &Key| -> Result<f64, Error> { panic!("nothing is missing") };
    let stop = AtomicBool::new(true);
    let values = run_cells(&mut cells, &[key(1)], threads(2), &stop, |_| {}, work).unwrap();
    assert_eq!(values, [1.1]);
    assert!(run_cells(&mut cells, &[], threads(2), &stop, |_| {}, work).unwrap().is_empty());
}
