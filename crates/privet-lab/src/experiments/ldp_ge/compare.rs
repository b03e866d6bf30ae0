//! All variants over the same seeds, and what can honestly be said about their difference.
//!
//! One seed decides the split, the noise and the learner, and every variant runs with it: differences
//! are taken seed by seed, so what splits have in common cancels.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use privet::Result;
use privet::learn::metrics::{Paired, Summary};
use privet::privacy::Card;
use serde::Serialize;

use super::{Experiment, Score, Task, Variant};
use crate::report::summary::{counted, fixed, plain};

/// Features that add less than this are said to add nothing that matters: one point.
const NEGLIGIBLE: f64 = 0.01;

/// What every variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// What was predicted.
    pub task: Task,
    /// The budget of a feature row.
    pub epsilon: f64,
    /// In the order of [`Variant::ALL`].
    pub variants: Vec<VariantScores>,
    /// Private minus control, seed by seed, on test data.
    pub features_added: Paired,
    /// Private minus graph-free, likewise: what the graph added.
    pub graph_added: Paired,
    /// The card of a private run; its noise was replayed, so it is stamped as a simulation.
    #[serde(skip)]
    pub card: Card,
}

/// What one variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantScores {
    /// Which.
    pub variant: Variant,
    /// On test data.
    pub test: Summary,
    /// On validation data.
    pub validation: Summary,
    /// Seconds per run.
    pub seconds: Summary,
    /// Run by run, in the order of the seeds.
    pub scores: Vec<Score>,
}

impl Experiment<'_> {
    /// Runs every variant with every seed, several at a time. The result does not depend on the number
    /// of threads. `progress` hears how many runs are done, and out of how many.
    ///
    /// # Errors
    /// The first, in the order of variants and seeds, that a run met; or that there are no seeds.
    pub fn compare(
        &self,
        seeds: &[u64],
        interrupt: &AtomicBool,
        progress: impl Fn(usize, usize) + Sync,
    ) -> Result<Comparison> {
        let cells: Vec<(Variant, u64)> = Variant::ALL
            .into_iter()
            .flat_map(|variant| seeds.iter().map(move |&seed| (variant, seed)))
            .collect();
        let work = |(variant, seed): (Variant, u64)| self.run(variant, seed, interrupt);
        let results = side_by_side(&cells, work, progress)?;
        self.summarise(seeds.len(), results)
    }

    fn summarise(&self, runs: usize, results: Vec<(Score, Card)>) -> Result<Comparison> {
        let none = || privet::Error::invalid("runs", runs, "at least 1");
        let card = results.first().map(|(_, card)| card.clone()).ok_or_else(none)?;
        let scores: Vec<Score> = results.into_iter().map(|(score, _)| score).collect();
        let rows = Variant::ALL.into_iter().zip(scores.chunks(runs.max(1)));
        let variants: Option<Vec<VariantScores>> =
            rows.map(|(variant, scores)| VariantScores::of(variant, scores)).collect();
        let variants = variants.ok_or_else(none)?;
        let tests = |at: usize| -> Vec<f64> {
            variants[at].scores.iter().map(|score| score.test).collect()
        };
        // The order is that of `Variant::ALL`: private, control, ceiling, graph-free.
        let features_added = Paired::of(&tests(0), &tests(1)).ok_or_else(none)?;
        let graph_added = Paired::of(&tests(0), &tests(3)).ok_or_else(none)?;
        let epsilon = self.system.protection.features.epsilon;
        Ok(Comparison { task: self.task, epsilon, variants, features_added, graph_added, card })
    }
}

impl VariantScores {
    fn of(variant: Variant, scores: &[Score]) -> Option<Self> {
        let summary =
            |of: fn(&Score) -> f64| Summary::of(&scores.iter().map(of).collect::<Vec<_>>());
        Some(Self {
            variant,
            test: summary(|score| score.test)?,
            validation: summary(|score| score.validation)?,
            seconds: summary(|score| score.seconds)?,
            scores: scores.to_vec(),
        })
    }
}

impl Comparison {
    /// Whether features added anything over the graph alone, in a sentence that claims no more than
    /// the interval does.
    pub fn verdict(&self) -> String {
        let Paired { difference, p_value, .. } = self.features_added;
        let epsilon = plain(self.epsilon);
        let [mean, deviation, low, high] =
            [difference.mean, difference.deviation, difference.low, difference.high].map(points);
        if difference.runs < 2 {
            return format!(
                "At epsilon {epsilon}, in a single run, private features scored {mean} points over the \
                 noise-only control: one run cannot tell that from chance."
            );
        }
        let runs = counted(difference.runs as u64, "run");
        if difference.deviation == 0.0 {
            return format!(
                "At epsilon {epsilon} private features scored exactly {mean} points over the noise-only \
                 control in all {runs}: scores that do not vary say nothing about chance."
            );
        }
        let added = format!(
            "At epsilon {epsilon} the features added {mean} ± {deviation} points over the noise-only \
             control (95 % interval {low} to {high}, {})",
            probability(p_value)
        );
        let graph_helps = self.graph_added.difference.low > 0.0;
        if difference.low > 0.0 {
            format!("{added}: they did contribute.")
        } else if difference.high < 0.0 {
            format!("{added}: noise alone did better.")
        } else if difference.high > NEGLIGIBLE {
            format!("{added}: {runs} cannot tell whether they contribute at all.")
        } else if graph_helps {
            format!("{added}: the graph carries the result.")
        } else {
            format!(
                "{added}: they contribute next to nothing, and neither does the graph for sure."
            )
        }
    }
}

/// A share as points, with one decimal.
fn points(share: f64) -> String {
    fixed(100.0 * share, 1)
}

/// `p = 0.12`, or `p < 0.001`.
pub fn probability(p_value: f64) -> String {
    match p_value {
        p if p < 0.001 => "p < 0.001".into(),
        p => format!("p = {}", fixed(p, if p < 0.1 { 3 } else { 2 })),
    }
}

/// Does the work of every cell, as many at a time as there are threads. A thread that waits for a part
/// of its own cell never starts another cell, so no more of them are in memory than threads.
pub(crate) fn side_by_side<C: Copy + Sync, V: Send>(
    cells: &[C],
    work: impl Fn(C) -> Result<V> + Sync,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Vec<V>> {
    let (next, done, failed) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
    let results: Mutex<Vec<Option<Result<V>>>> = Mutex::new(cells.iter().map(|_| None).collect());
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(&cell) = cells.get(at) else { return };
            let result = work(cell);
            failed.fetch_or(result.is_err(), Ordering::Relaxed);
            results.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(result);
            progress(done.fetch_add(1, Ordering::Relaxed) + 1, cells.len());
        }
    };
    rayon::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|_| worker());
        }
    });
    // Cells are taken in order, so every cell before the first failure has a result.
    results.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(private: &[f64], control: &[f64], graph_free: &[f64]) -> Comparison {
        let scores = |tests: &[f64]| -> Vec<Score> {
            tests.iter().map(|&test| Score { validation: test, test, seconds: 1.0 }).collect()
        };
        let row = |variant, tests| VariantScores::of(variant, &scores(tests)).unwrap();
        Comparison {
            task: Task::Nodes,
            epsilon: 1.0,
            variants: vec![row(Variant::Private, private), row(Variant::Control, control)],
            features_added: Paired::of(private, control).unwrap(),
            graph_added: Paired::of(private, graph_free).unwrap(),
            card: Card::new("a test"),
        }
    }

    /// Differences 0.2, -0.3, 0.1, 0.0 points: mean 0, deviation 0.216, t(0.975, 3) = 3.182.
    #[test]
    fn a_narrow_interval_about_zero_leaves_the_graph() {
        let told = comparison(&[0.802, 0.797, 0.801, 0.8], &[0.8; 4], &[0.3; 4]).verdict();
        assert_eq!(
            told,
            "At epsilon 1 the features added 0.0 ± 0.2 points over the noise-only control (95 % \
             interval −0.3 to 0.3, p = 1.00): the graph carries the result."
        );
    }

    #[test]
    fn nothing_is_claimed_that_the_interval_does_not_say() {
        let wide = comparison(&[0.9, 0.7, 0.85], &[0.8; 3], &[0.3; 3]).verdict();
        assert!(wide.ends_with("3 runs cannot tell whether they contribute at all."), "{wide}");
        let better = comparison(&[0.9, 0.91, 0.905], &[0.8; 3], &[0.3; 3]).verdict();
        assert!(better.ends_with("they did contribute."), "{better}");
        let worse = comparison(&[0.8; 3], &[0.9, 0.91, 0.905], &[0.3; 3]).verdict();
        assert!(worse.ends_with("noise alone did better."), "{worse}");
        let once = comparison(&[0.9], &[0.1], &[0.1]).verdict();
        assert!(once.ends_with("one run cannot tell that from chance."), "{once}");
        // Where nothing is learned at all, nothing carries the result.
        let nothing =
            comparison(&[0.25, 0.251, 0.249], &[0.25; 3], &[0.25, 0.249, 0.252]).verdict();
        assert!(nothing.ends_with("neither does the graph for sure."), "{nothing}");
        let stuck = comparison(&[0.25; 3], &[0.25; 3], &[0.25; 3]).verdict();
        assert!(stuck.ends_with("say nothing about chance."), "{stuck}");
    }

    #[test]
    fn results_come_in_order_and_the_first_failure_counts() {
        let cells: Vec<usize> = (0..50).collect();
        let squares = side_by_side(&cells, |cell| Ok(cell * cell), |_, _| {}).unwrap();
        assert!(squares.iter().enumerate().all(|(at, square)| at * at == *square));
        let failing = |cell| match cell {
            0..7 => Ok(cell),
            _ => Err(privet::Error::invalid("cell", cell, "below 7")),
        };
        let error = side_by_side(&cells, failing, |_, _| {}).unwrap_err();
        assert!(error.to_string().contains("found 7"), "{error}");
    }
}
