//! [`check`]: predictions beside what was measured. The margins are computed again from the benchmarks that may be
//! seen, and judged on those that may not.

use std::collections::BTreeMap;

use privet::Method;
use serde::Serialize;

use super::anchor::{Anchors, brought};
use super::benchmarks::{BENCHMARKS, Benchmark, MEASURED, Measurement};
use super::facts::{PlanQuestion, PublicFacts};
use super::interval::{COVERAGE, Interval, margin, margin_by_group};
use super::method::{Family, methods_for};
use super::simulate::Role;
use super::{JobResults, KNOWN_FACTOR, MARGIN, best_free};
use crate::error::Error;
use crate::experiments::cells::Sweep;

/// What was predicted beside what was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedPrediction {
    /// What was measured.
    pub measured: Measurement,
    /// Its family.
    pub family: Family,
    /// Whether the calibration had no part in it.
    pub held_out: bool,
    /// Every simulation.
    pub scores: Vec<f64>,
    /// Every simulation brought between what public data alone and everything in the clear reached, where that is known.
    pub anchored: Option<Vec<f64>>,
    /// From the least simulation to the largest.
    pub simulated: Interval,
    /// The same, widened.
    pub predicted: Interval,
}

impl CheckedPrediction {
    /// Whether what was measured lies within what was predicted.
    pub fn covered(&self) -> bool {
        self.predicted.covers(self.measured.accuracy)
    }
}

/// All cases.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Predictions {
    /// Case by case.
    pub cases: Vec<CheckedPrediction>,
    /// The margin by these simulations, and the one that plans use.
    pub margin: Margins,
    /// Whether homophily was told.
    pub told_homophily: bool,
    /// From counts and homophily: every benchmark predicted with a margin from all others.
    pub facts_alone: LeftOut,
    /// The same where it is also told what public data alone and a model in the clear reach.
    pub accuracies_known: LeftOut,
}

/// How good predictions are where each benchmark in turn is left out, and the margin comes from the others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LeftOut {
    /// How many cases there are.
    pub cases: usize,
    /// Of how many benchmarks.
    pub benchmarks: usize,
    /// How many of the cases lie within.
    pub covered: usize,
    /// Half of the intervals are at most so wide.
    pub median_width: f64,
    /// What follows from all benchmarks together: points on both sides, or, where accuracies are known, a factor of an interval's
    /// own scale.
    pub margin: f64,
    /// What plans use.
    pub used: f64,
}

/// How intervals are made wider.
#[derive(Debug, Clone, Copy)]
struct Widening {
    /// How far a truth is.
    distance: fn(Interval, f64) -> f64,
    /// An interval that reaches so far.
    widened: fn(Interval, f64) -> Interval,
    /// How far plans reach.
    used: f64,
}

/// From facts alone.
const FACTS_ALONE: Widening =
    Widening { distance: Interval::distance, widened: Interval::widened, used: MARGIN };
/// Where accuracies are known.
const ACCURACIES_KNOWN: Widening =
    Widening { distance: Interval::scaled_distance, widened: Interval::times, used: KNOWN_FACTOR };

/// Of truths that are left out, so many shall lie within.
pub const LEFT_OUT_COVERAGE: f64 = 0.9;

impl LeftOut {
    /// Judges intervals before they are widened, each with its benchmark and the truth.
    fn of(cases: &[(&str, Interval, f64)], widening: Widening) -> Self {
        let Widening { distance, widened, used } = widening;
        let mut distances: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (benchmark, interval, truth) in cases {
            distances.entry(benchmark).or_default().push(distance(*interval, *truth));
        }
        let of_others = |left_out: &str| {
            let others = distances.iter().filter(|(name, _)| **name != left_out);
            let others: Vec<Vec<f64>> = others.map(|(_, of)| of.clone()).collect();
            margin_by_group(&others, LEFT_OUT_COVERAGE)
        };
        let margins: BTreeMap<&str, f64> =
            distances.keys().map(|name| (*name, of_others(name))).collect();
        let judged = cases.iter().map(|(name, interval, truth)| {
            let interval = widened(*interval, margins.get(name).copied().unwrap_or(0.0));
            (interval.covers(*truth), interval.width())
        });
        let (covered, widths): (Vec<bool>, Vec<f64>) = judged.unzip();
        let all: Vec<Vec<f64>> = distances.values().cloned().collect();
        Self {
            cases: cases.len(),
            benchmarks: distances.len(),
            covered: covered.into_iter().filter(|within| *within).count(),
            median_width: Interval::of(&widths).expected,
            margin: margin_by_group(&all, LEFT_OUT_COVERAGE),
            used,
        }
    }
}

/// How much wider intervals are made.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Margins {
    /// From how many benchmarks.
    pub benchmarks: usize,
    /// By these simulations.
    pub now: f64,
    /// What plans use.
    pub used: f64,
}

impl Predictions {
    /// How many of the held-out cases are covered, and how many there are.
    pub fn coverage(&self) -> (usize, usize) {
        let held_out = self.cases.iter().filter(|case| case.held_out);
        (held_out.clone().filter(|case| case.covered()).count(), held_out.count())
    }
}

/// Predicts everything that was measured, and compares. Homophily is told, or left to the range that is planned for.
///
/// # Errors
/// If a system refuses, or the run is interrupted.
pub fn check(told_homophily: bool, sweep: &mut Sweep<'_>) -> Result<Predictions, Error> {
    let groups = groups(told_homophily);
    let total: usize = groups.iter().map(|group| group.wanted().len()).sum::<usize>() * 5;
    let progress = sweep.progress;
    let (mut cases, mut before) = (Vec::new(), 0);
    for group in &groups {
        let (question, wanted) = (&group.question, group.wanted());
        // Five populations are simulated for each question.
        let told = |done: usize, _: usize| progress(before + done, total);
        let mut part = Sweep { progress: &told, cells: sweep.cells, ..*sweep };
        let runs = JobResults::make(question, &wanted, &mut part)?;
        before += wanted.len() * 5;
        let free = best_free(&group.free(), &runs, question);
        cases.extend(group.cases.iter().map(|measured| group.predicted(measured, &runs, &free)));
    }
    let margin = of_seen(&cases);
    let alone: Vec<_> = cases
        .iter()
        .map(|case| (case.measured.benchmark, case.simulated, case.measured.accuracy))
        .collect();
    let known: Vec<_> = cases
        .iter()
        .filter_map(|case| {
            let brought = Interval::of(case.anchored.as_ref()?);
            Some((case.measured.benchmark, brought, case.measured.accuracy))
        })
        .collect();
    let facts_alone = LeftOut::of(&alone, FACTS_ALONE);
    let accuracies_known = LeftOut::of(&known, ACCURACIES_KNOWN);
    Ok(Predictions { cases, margin, told_homophily, facts_alone, accuracies_known })
}

impl Group {
    /// What costs nothing.
    fn free(&self) -> Vec<Method> {
        methods_for(&self.question).into_iter().filter(|method| method.is_free()).collect()
    }

    /// Every run that a prediction needs, once.
    fn wanted(&self) -> Vec<(Method, Role, f64)> {
        let largest = self.question.epsilons.last().copied().unwrap_or(1.0);
        let own = self.cases.iter().map(|of| (of.method, Role::Private, of.epsilon));
        let known = self.cases.iter().filter(|of| of.between.is_some());
        let ceilings = known.clone().map(|of| (of.method, Role::Ceiling, largest));
        let free = self.free().into_iter().map(|method| (method, Role::Private, largest));
        let free = free.filter(|_| known.clone().next().is_some());
        let mut wanted: Vec<(Method, Role, f64)> = Vec::new();
        for one in own.chain(ceilings).chain(free) {
            if !wanted.contains(&one) {
                wanted.push(one);
            }
        }
        wanted
    }

    fn predicted(
        &self,
        measured: &Measurement,
        runs: &JobResults,
        free: &[f64],
    ) -> CheckedPrediction {
        let largest = self.question.epsilons.last().copied().unwrap_or(1.0);
        let scores = runs.scores(measured.method, Role::Private, measured.epsilon);
        let ceilings = runs.scores(measured.method, Role::Ceiling, largest);
        let anchors = measured.between.and_then(|(public, clear)| {
            let known = (Some(public), Some(clear));
            let (public_accuracy, clear_accuracy) = known;
            Anchors::of(&PublicFacts { public_accuracy, clear_accuracy, ..self.question.facts })
        });
        let anchored = anchors.map(|anchors| brought(anchors, &scores, free, &ceilings));
        let simulated = Interval::of(&scores);
        CheckedPrediction {
            measured: *measured,
            family: Family::of(&self.question),
            held_out: self.benchmark.held_out,
            scores,
            anchored,
            simulated,
            predicted: simulated.widened(MARGIN),
        }
    }
}

/// The worst case of each benchmark that may be seen, and the margin that follows.
fn of_seen(cases: &[CheckedPrediction]) -> Margins {
    let mut worst: BTreeMap<&str, f64> = BTreeMap::new();
    // The worst method of a benchmark counts: benchmarks are independent, methods on one are not.
    for case in cases.iter().filter(|case| !case.held_out) {
        let distance = case.simulated.distance(case.measured.accuracy);
        let so_far = worst.entry(case.measured.benchmark).or_insert(distance);
        *so_far = so_far.max(distance);
    }
    let distances: Vec<f64> = worst.into_values().collect();
    Margins { benchmarks: distances.len(), now: margin(&distances, COVERAGE), used: MARGIN }
}

/// What was measured on one benchmark in one way.
struct Group {
    benchmark: &'static Benchmark,
    question: PlanQuestion,
    cases: Vec<Measurement>,
}

fn groups(told_homophily: bool) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for measured in MEASURED {
        let Some(benchmark) = BENCHMARKS.iter().find(|of| of.name == measured.benchmark) else {
            continue;
        };
        let question = question(benchmark, measured, told_homophily);
        // Measurements of one question share their simulations.
        match groups.iter_mut().find(|group| group.question == question) {
            Some(group) => group.cases.push(*measured),
            None => groups.push(Group { benchmark, question, cases: vec![*measured] }),
        }
    }
    groups
}

/// The question to which a measurement is the answer; its deltas are those it was measured with, whatever a plan would say.
fn question(benchmark: &Benchmark, measured: &Measurement, told_homophily: bool) -> PlanQuestion {
    let mut facts = benchmark.facts;
    facts.private_share = measured.private_share;
    // As a user would ask who does not know the homophily.
    if !told_homophily {
        facts.homophily = None;
    }
    let delta = measured.delta.unwrap_or(privet::doubts::default_delta(facts.people));
    PlanQuestion {
        name: benchmark.name.into(),
        facts,
        trust: measured.trust,
        protects: measured.protects.to_vec(),
        epsilons: vec![1.0],
        delta,
    }
}
