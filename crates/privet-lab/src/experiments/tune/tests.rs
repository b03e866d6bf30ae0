//! Searches over eighty people who do not exist.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::experiments::cells::Cells;
use crate::experiments::ldp_ge::reports::tests::{fast, people, reports};

const TRIALS: usize = 7;

fn run(path: &Path, tuned: Tuned, stop_after: usize) -> Result<(Found, String), Error> {
    let dataset = people();
    let search = Search {
        trials: TRIALS,
        runs: 2,
        tuned,
        preset: fast(),
        ..Search::new(Data::new("people", &dataset), Task::Nodes, reports())
    };
    search.check().unwrap();
    let mut cells = Cells::open(path, "ldp-ge/tune")?;
    let stop = AtomicBool::new(false);
    let threads = NonZeroUsize::new(2).unwrap();
    let progress = |done: usize, total: usize| {
        assert!(done <= total);
        stop.fetch_or(done >= stop_after, Ordering::Relaxed);
    };
    let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &stop, progress: &progress };
    let found = search.run(&mut sweep)?;
    let text = report(&search, &found).markdown();
    Ok((found, text))
}

#[test]
fn a_third_goes_on_each_time() {
    assert_eq!(rungs(60), [(60, 1), (20, 3), (7, 9), (3, 27)]);
    assert_eq!(rungs(1), [(1, 1)]);
    assert_eq!(rungs(1000).last(), Some(&(38, 27)));
}

#[test]
fn an_interrupted_search_finds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, text) = run(&folder.path().join("whole"), Tuned::Collector, usize::MAX).unwrap();
    let parts = folder.path().join("parts");
    for stop_after in [2, 10] {
        let error = run(&parts, Tuned::Collector, stop_after).unwrap_err();
        assert!(matches!(error, Error::Interrupted { .. }), "{error}");
    }
    let (continued, again) = run(&parts, Tuned::Collector, usize::MAX).unwrap();
    assert_eq!((continued.trials, again), (whole.trials.clone(), text.clone()));
    // 7 candidates with 1 seed, the best 3 of them with 3.
    let seeds: Vec<usize> = whole.trials.iter().map(|trial| trial.validation.len()).collect();
    assert_eq!(seeds, [3, 3, 3, 1, 1, 1, 1]);
    let numbers: BTreeSet<usize> = whole.trials.iter().map(|trial| trial.number).collect();
    assert_eq!(numbers.len(), TRIALS);
    assert!(whole.trials[0].mean() >= whole.trials[1].mean());
    assert!(text.contains("costs them nothing more"), "{text}");
}

#[test]
fn the_store_of_a_search_holds_no_test_scores() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    run(&path, Tuned::Collector, usize::MAX).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for line in text.lines().filter(|line| line.contains("\"test\"")) {
        assert!(line.contains("\"seed\":\"100000"), "{line}");
    }
}

#[test]
fn tuning_k_says_what_people_would_pay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    let (found, text) = run(&path, Tuned::CollectorAndReports, usize::MAX).unwrap();
    let ks: BTreeSet<usize> = found.trials.iter().map(|trial| trial.settings.k).collect();
    assert!(ks.len() > 1);
    assert!(text.contains(&format!("epsilon {} in all, not 1", ks.len())), "{text}");
    assert!(text.contains("--k "), "{text}");
}

#[test]
fn a_candidate_that_diverges_is_out_and_other_failures_are_told() {
    let diverged = privet::learn::Error::Diverged { what: "the loss", found: f64::NAN, epoch: 1 };
    assert_eq!(validated(Err(diverged.into())).unwrap().validation, 0.0);
    assert!(validated(Err(privet::Error::invalid("k", 0, "more"))).is_err());
}
