//! Searches over eighty generated people.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use privet::ldp_ge::BestSettings;

use super::*;
use crate::experiments::cells::Cells;
use crate::experiments::ldp_ge::reports::tests::{fast, people, reports};

const TRIALS: usize = 7;

fn run(
    path: &Path,
    tuned: TunedSettings,
    stop_after: usize,
) -> Result<(TuningResult, String), Error> {
    let dataset = people();
    let search = Search {
        trials: TRIALS,
        runs: 2,
        tuned,
        preset: fast(),
        ..Search::new(NamedData::new("people", &dataset), Task::Nodes, reports())
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
    let text = report(&search, &found, "--dataset people").markdown();
    Ok((found, text))
}

#[test]
fn a_third_goes_on_each_time() {
    assert_eq!(rungs(60), [(60, 1), (20, 3), (7, 9), (3, 27)]);
    assert_eq!(rungs(1), [(1, 1)]);
    assert_eq!(rungs(1000).last(), Some(&(38, 27)));
}

/// What is best for noisy reports is not where to look for what is best for clear ones.
#[test]
fn a_search_for_the_ceiling_starts_from_the_ceilings_settings() {
    let dataset = people();
    let search = |name| Search::new(NamedData::new(name, &dataset), Task::Links, reports());
    let found = search("cora").for_ceiling();
    assert_eq!(found.variant, Variant::Clear);
    assert_eq!(found.candidates()[0].embedding, Preset::ceiling(Task::Links, "cora").embedding);
    assert_ne!(found.preset.embedding, search("cora").preset.embedding);
    assert_eq!(search("people").for_ceiling().preset, search("people").preset);
}

#[test]
fn an_interrupted_search_finds_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, text) =
        run(&folder.path().join("whole"), TunedSettings::Collector, usize::MAX).unwrap();
    let parts = folder.path().join("parts");
    for stop_after in [2, 10] {
        let error = run(&parts, TunedSettings::Collector, stop_after).unwrap_err();
        assert!(matches!(error, Error::Interrupted { .. }), "{error}");
    }
    let (continued, again) = run(&parts, TunedSettings::Collector, usize::MAX).unwrap();
    assert_eq!((continued.trials, again), (whole.trials.clone(), text.clone()));
    // 7 candidates with 1 seed, the best 3 of them with 3.
    let seeds: Vec<usize> = whole.trials.iter().map(|trial| trial.validation.len()).collect();
    assert_eq!(seeds, [3, 3, 3, 1, 1, 1, 1]);
    let numbers: BTreeSet<usize> = whole.trials.iter().map(|trial| trial.number).collect();
    assert_eq!(numbers.len(), TRIALS);
    assert!(whole.trials[0].mean() >= whole.trials[1].mean());
    assert!(text.contains("costs them nothing more"), "{text}");
    // The winner's ways are part of its settings: without them the command would be another.
    assert!(text.contains("--ways "), "{text}");
}

#[test]
fn the_store_of_a_search_holds_no_test_scores() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    run(&path, TunedSettings::Collector, usize::MAX).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for line in text.lines().filter(|line| line.contains("\"test\"")) {
        assert!(line.contains("\"seed\":\"100000"), "{line}");
    }
}

#[test]
fn tuning_k_says_what_people_would_pay() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    let (found, text) = run(&path, TunedSettings::CollectorAndReports, usize::MAX).unwrap();
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

/// However many candidates: each round keeps a third, rounded up, with three times the seeds, until three are left or
/// seeds run out.
#[test]
fn rounds_keep_a_third_with_three_times_the_seeds() {
    for trials in 1..400 {
        let rungs = rungs(trials);
        assert_eq!(rungs[0], (trials, 1));
        for pair in rungs.windows(2) {
            assert_eq!(pair[1], (pair[0].0.div_ceil(3), pair[0].1 * 3), "{trials}");
        }
        let &(count, seeds) = rungs.last().unwrap();
        assert!(count <= KEEP || seeds == MOST_SEEDS, "{trials}: {rungs:?}");
    }
}

/// No candidate that goes on scored less than one that is out, on the seeds that both ran with.
#[test]
fn halving_keeps_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let (found, _) =
        run(&folder.path().join("cells"), TunedSettings::Collector, usize::MAX).unwrap();
    let first = |trial: &ScoredCandidate| trial.validation[0];
    let (kept, out): (Vec<&ScoredCandidate>, Vec<&ScoredCandidate>) =
        found.trials.iter().partition(|trial| trial.validation.len() > 1);
    assert_eq!((kept.len(), out.len()), (3, 4));
    let worst = kept.iter().map(|trial| first(trial)).fold(f64::INFINITY, f64::min);
    let best = out.iter().map(|trial| first(trial)).fold(0.0, f64::max);
    assert!(worst >= best, "{worst} went on, {best} did not");
    let means: Vec<f64> = found.trials.iter().map(ScoredCandidate::mean).collect();
    assert!(means[..3].is_sorted_by(|a, b| a >= b), "{means:?}");
}

/// What it says it will take is what the store holds in the end.
#[test]
fn runs_are_foreseen() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cells");
    run(&path, TunedSettings::Collector, usize::MAX).unwrap();
    let dataset = people();
    let search = Search {
        trials: TRIALS,
        runs: 2,
        preset: fast(),
        ..Search::new(NamedData::new("people", &dataset), Task::Nodes, reports())
    };
    // 7 with one seed, 3 of them with two more; winner, preset and control twice.
    assert_eq!(search.runs_in_all(), 7 + 3 * 2 + 3 * 2);
    let stored = Cells::open(&path, "ldp-ge/tune").unwrap().len();
    assert!(stored <= search.runs_in_all(), "{stored}");
    assert!(stored >= search.runs_in_all() - 2, "the preset may be the winner: {stored}");
}

#[test]
fn missing_labels_are_told_without_flags() {
    let dataset = people();
    let (graph, ids) = (dataset.graph().clone(), dataset.ids().clone());
    let bare = privet::graph::Dataset::new("bare", graph, ids).unwrap();
    let search = Search::new(NamedData::new("bare", &bare), Task::Nodes, reports());
    let error = search.check().unwrap_err().to_string();
    assert!(error.contains("labels") && !error.contains("--"), "{error}");
}

fn found(winner: &[f64], preset: &[f64], number: usize) -> TuningResult {
    let scores = |values: &[f64]| {
        values
            .iter()
            .map(|&test| TrialScores::new([(crate::experiments::trial::TEST, test)]))
            .collect()
    };
    let candidate = ScoredCandidate { number, settings: fast(), validation: vec![0.5] };
    let control = Vec::new();
    TuningResult {
        trials: vec![candidate],
        winner: scores(winner),
        preset: scores(preset),
        control,
    }
}

/// The sentence claims no more than the interval does.
#[test]
fn a_search_is_judged_by_fresh_runs() {
    let dataset = people();
    let search = Search::new(NamedData::new("people", &dataset), Task::Nodes, reports());
    let told = |winner: &[f64], preset: &[f64], number| {
        report(&search, &found(winner, preset, number), "--dataset people").summary
    };
    let better = told(&[0.80, 0.81, 0.805], &[0.7; 3], 4);
    assert!(better.contains("80.5 %, 10.5 points from the preset's"), "{better}");
    assert!(better.ends_with("3 fresh runs): more than chance explains."), "{better}");
    assert!(told(&[0.7; 3], &[0.80, 0.81, 0.805], 4).contains("worse than the preset"));
    assert!(told(&[0.9, 0.5, 0.7], &[0.7; 3], 4).ends_with("no more than chance explains."));
    assert!(told(&[0.8; 3], &[0.7; 3], 4).contains("without any spread"));
    let kept = told(&[0.7, 0.71], &[0.7, 0.71], 0);
    assert!(kept.starts_with("No candidate beat the preset"), "{kept}");
    assert_eq!(told(&[], &[], 4), "Nothing was compared.");
}

/// What was found is in files: the settings as they were, under a name that a shell reads.
#[test]
fn findings_are_written_and_read_back() {
    let (place, dataset) = (tempfile::tempdir().unwrap(), people());
    let folder = place.path().join("two words");
    std::fs::create_dir(&folder).unwrap();
    let data = NamedData::new("people", &dataset);
    let search =
        Search { trials: 2, runs: 1, preset: fast(), ..Search::new(data, Task::Nodes, reports()) };
    let (never, mut cells) = (AtomicBool::new(false), Cells::in_memory());
    let (threads, progress) = (NonZeroUsize::MIN, |_: usize, _: usize| {});
    let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &never, progress: &progress };
    let found =
        SearchFindings::of(&search, "--dataset people", "once more".into(), &mut sweep).unwrap();
    assert_eq!(found.report.command, "once more");
    assert!(found.files.is_empty() && found.command.ends_with(&found.flags), "{}", found.command);
    assert_eq!(found.short_command, None, "without the file it would run the preset");
    let written = found.clone().write(&folder).unwrap();
    let best = folder.join("best.json");
    assert_eq!(BestSettings::read(&best).unwrap(), found.settings);
    assert!(written.files.contains(&best.display().to_string()));
    let run = "privet run ldp-ge --dataset people --task nodes --epsilon 1";
    let short = format!("{run} --settings '{}'", best.display());
    assert_eq!(written.short_command.as_deref(), Some(short.as_str()));
    std::fs::write(&best, "{}").unwrap();
    let told = BestSettings::read(&best).unwrap_err().to_string();
    assert!(told.contains("expected settings as `privet tune ldp-ge` writes them"), "{told}");
}
