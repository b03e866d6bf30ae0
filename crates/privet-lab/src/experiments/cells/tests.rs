//! Interruptions, damage, and other people's files.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

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

fn number(key: &Key) -> usize {
    key.get("n").unwrap().parse().unwrap()
}

/// Measures with so many threads; `progress` may set the flag that stops it.
fn measure<V, E>(
    cells: &mut Cells,
    keys: &[Key],
    threads: usize,
    stop: &AtomicBool,
    progress: &(dyn Fn(usize, usize) + Sync),
    work: impl Fn(&Key) -> Result<V, E> + Sync,
) -> Result<Vec<V>, Error>
where
    V: Serialize + DeserializeOwned + Send,
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let threads = NonZeroUsize::new(threads).unwrap();
    Sweep { cells, threads, interrupt: stop, progress }.measure(keys, Key::clone, work)
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
    let after_seven = |done: usize, _: usize| {
        stop.fetch_or(done >= 7, Ordering::Relaxed);
    };
    let mut cells = Cells::open(&path, NAME).unwrap();
    let error = measure(&mut cells, &keys, 3, &stop, &after_seven, work).unwrap_err();
    let Error::Interrupted { done, total: 20 } = error else { panic!("{error}") };
    // Those under way when the flag was set finish.
    assert!((7..10).contains(&done) && cells.len() == done);
    drop(cells);
    stop.store(false, Ordering::Relaxed);
    let mut cells = Cells::open(&path, NAME).unwrap();
    let heard = Mutex::new(Vec::new());
    let progress = |done: usize, total: usize| heard.lock().unwrap().push((done, total));
    let values = measure(&mut cells, &keys, 2, &stop, &progress, work).unwrap();
    let expected: Vec<f64> = (0..20).map(|n| n as f64 / 3.0).collect();
    assert_eq!(values, expected);
    // What was there is told first; no cell was computed twice.
    let heard = heard.into_inner().unwrap();
    assert_eq!((heard.first(), heard.last()), (Some(&(done, 20)), Some(&(20, 20))));
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
    let error = measure(&mut cells, &keys, 1, &stop, &|_, _| {}, work).unwrap_err();
    assert!(error.to_string().contains("n=3 failed: no convergence"), "{error}");
    assert!(cells.contains(&key(5)) && cells.contains(&key(4)) && !cells.contains(&key(3)));
    let again = |key: &Key| Ok::<_, Error>(number(key) as f64);
    let values = measure(&mut cells, &keys, 8, &stop, &|_, _| {}, again).unwrap();
    assert_eq!(values, [5.0, 0.1, 4.0, 3.0, 5.0]);
}

#[test]
fn nothing_to_do() {
    let (_folder, path) = three();
    let mut cells = Cells::open(&path, NAME).unwrap();
    let work = |_: &Key| -> Result<f64, Error> { panic!("nothing is missing") };
    let stop = AtomicBool::new(true);
    let values = measure(&mut cells, &[key(1)], 2, &stop, &|_, _| {}, work).unwrap();
    assert_eq!(values, [1.1]);
    assert!(measure(&mut cells, &[], 2, &stop, &|_, _| {}, work).unwrap().is_empty());
}

/// A run that was stopped half-way is no failure of the run.
#[test]
fn a_run_that_was_stopped_is_an_interruption() {
    let mut cells = Cells::in_memory();
    let stop = AtomicBool::new(false);
    let work = |_: &Key| -> privet::Result<f64> { Err(privet::learn::Error::Interrupted.into()) };
    let error = measure(&mut cells, &[key(0)], 1, &stop, &|_, _| {}, work).unwrap_err();
    assert!(matches!(error, Error::Interrupted { done: 0, total: 1 }), "{error}");
}

/// Every field of a struct is a setting of its key, a new one too.
#[test]
fn a_key_has_all_settings_that_serde_knows() {
    #[derive(Serialize)]
    struct Settings {
        epsilon: f64,
        mechanism: &'static str,
        hidden: Vec<usize>,
        k: Option<usize>,
    }
    let settings = Settings { epsilon: 1.0, mechanism: "hds", hidden: vec![8, 4], k: None };
    let key = Key::of(&settings).and(Key::of(&7));
    assert_eq!(key.to_string(), "epsilon=1.0 hidden=[8,4] k=null mechanism=hds settings=7");
}

/// The version names the code, not the package alone: cells of other code do not pass for new ones.
#[test]
fn cells_of_other_code_are_refused() {
    let (_folder, path) = three();
    let text = std::fs::read_to_string(&path).unwrap();
    let code = env!("PRIVET_CODE");
    assert!(code.len() == 16 && text.contains(code), "{text}");
    std::fs::write(&path, text.replace(code, "0123456789abcdef")).unwrap();
    assert!(refusal(&path).contains("0123456789abcdef', but this is"));
}
