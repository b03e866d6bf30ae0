//! [`plan`]: which method, at which epsilon, with which accuracy, before anything is spent.
//!
//! ```text
//! public facts, a trust model --> Question                                                     [`facts`]
//! Question --> look-alikes: generated people, over a stated range of what is unknown     [`look_alike`], [`threads`]
//! every method that fits, on every look-alike, at every epsilon --> accuracies                  [`method`], [`simulate`]
//! accuracies, and how far known benchmarks were off --> an interval                             [`interval`], [`calibration`]
//! epsilon --> what an attacker finds at most                                                    [`attacker`]
//! all of it --> one method and epsilon, or none                                                 [`advice`]
//! ```
//! Nothing here reads a record. The unknown is varied, never guessed in silence: how much columns and connections say
//! ([`LEVELS`], from benchmarks whose columns say little to those whose columns say nearly all), and homophily where it
//! is not stated ([`HOMOPHILY`]). [`check`] compares what was predicted with what was measured, on benchmarks that the
//! calibration never saw; docs/results/plan.md holds what came out.

pub mod advice;
pub mod anchor;
pub mod attacker;
pub mod benchmarks;
pub mod check;
pub mod cost;
pub mod facts;
pub mod interval;
pub mod look_alike;
pub mod method;
pub mod page;
pub mod simulate;
pub mod stated;
pub mod threads;
pub mod write_up;

use privet::Method;
use serde::Serialize;

pub use advice::Advice;
pub use attacker::Exposure;
pub use facts::{PlanQuestion, PublicFacts};
pub use interval::Interval;
pub use method::{Family, methods_for};
pub use simulate::{Assumptions, Role, SimulatedRun, Simulation};
pub use stated::StatedFacts;

use crate::error::Error;
use crate::experiments::cells::{Key, Sweep};
use anchor::Anchors;
use cost::Effort;
use look_alike::Level;

/// How far predictions were off where the truth is known, in shares: the margin by which intervals are widened.
///
/// What was measured on one benchmark in several ways is off in the same way, so that a benchmark counts once, by its worst case. Of
/// the four that may be seen, the farthest is taken. Made again by `privet plan --check`, which says if it has become another.
pub const MARGIN: f64 = 0.069;

/// How many times their own scale intervals reach on both sides, where simulations were brought between accuracies that are known
/// ([`anchor`]): of truths that were left out, nine in ten lie within. `privet plan --check` makes it again.
pub const KNOWN_FACTOR: f64 = 1.7;

/// From columns and connections that say little to those that say nearly all; the second is the usual.
pub const LEVELS: [Level; 3] = [
    Level { readable: 0.82, signal: 0.35, misplaced: 1.25 },
    Level { readable: 0.9, signal: 0.45, misplaced: 1.0 },
    Level { readable: 0.97, signal: 0.6, misplaced: 0.75 },
];
/// The same for whole graphs, which differ more within a class than people do.
pub const GRAPH_LEVELS: [Level; 3] = [
    Level { readable: 0.5, signal: 0.35, misplaced: 1.0 },
    Level { readable: 0.7, signal: 0.45, misplaced: 1.0 },
    Level { readable: 0.9, signal: 0.6, misplaced: 1.0 },
];
/// What is planned for where it is not stated how often connected people have the same class.
pub const HOMOPHILY: [f64; 3] = [0.6, 0.78, 0.9];
/// How far a stated homophily may be off.
const ABOUT: f64 = 0.03;

/// A plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrivacyPlan {
    /// What was asked.
    pub question: PlanQuestion,
    /// How large look-alikes were, and how many.
    pub simulated: SimulationSummary,
    /// What every method achieves, those that use private data first.
    pub methods: Vec<MethodPlan>,
    /// What to do.
    pub advice: Advice,
}

/// How it was simulated.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimulationSummary {
    /// How many people a look-alike has.
    pub people: usize,
    /// How many columns.
    pub columns: usize,
    /// What was varied: one look-alike each.
    pub look_alikes: Vec<Assumptions>,
    /// How much wider intervals were made: in shares, or, where accuracies are known, in units of each interval's own scale.
    pub margin: f64,
}

/// What a method achieves.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodPlan {
    /// Which.
    pub method: Method,
    /// What it does.
    pub about: &'static str,
    /// Whether it needs no person's private data.
    pub free: bool,
    /// By epsilon; one entry without an epsilon for what is free.
    pub points: Vec<PointPlan>,
    /// The same noise with nothing private behind it, at the largest epsilon.
    pub control: Option<Interval>,
    /// Without noise.
    pub ceiling: Option<Interval>,
    /// What it takes.
    pub cost: Effort,
}

/// What a method achieves at an epsilon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PointPlan {
    /// The epsilon of each part that is hidden.
    pub epsilon: Option<f64>,
    /// The accuracy to expect.
    pub accuracy: Interval,
    /// How much more than the best that is free, look-alike by look-alike.
    pub gains: Vec<f64>,
    /// What an attacker finds at most.
    pub exposure: Option<Exposure>,
}

/// One run to be made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulationJob {
    method: Method,
    role: Role,
    epsilon: f64,
    guess: usize,
}

/// Accuracy and seconds of every job.
#[derive(Debug)]
pub(crate) struct JobResults {
    guesses: Vec<Assumptions>,
    jobs: Vec<SimulationJob>,
    scores: Vec<(f64, f64)>,
}

impl JobResults {
    /// Makes every run that is asked for, out of a store.
    pub(crate) fn make(
        question: &PlanQuestion,
        wanted: &[(Method, Role, f64)],
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        let (simulation, guesses) = (Simulation::new(question), guesses(question));
        let each = |&(method, role, epsilon): &(Method, Role, f64)| {
            (0..guesses.len()).map(move |guess| SimulationJob { method, role, epsilon, guess })
        };
        let jobs: Vec<SimulationJob> = wanted.iter().flat_map(each).collect();
        let key = |job: &SimulationJob| {
            let SimulationJob { method, role, epsilon, guess } = *job;
            let at = &guesses[guess];
            // Runs do not follow from accuracies that are known already: those only say how they are read.
            let facts =
                PublicFacts { public_accuracy: None, clear_accuracy: None, ..question.facts };
            Key::of(&facts)
                .with("protects", format!("{:?}", question.protects))
                .with("delta", question.delta)
                .with("run", format!("{method:?} {role:?} {epsilon}"))
                .with("guess", format!("{at:?}"))
                .with("seed", guess)
        };
        let interrupt = sweep.interrupt;
        let work = |job: &SimulationJob| {
            let SimulationJob { method, role, epsilon, guess: at } = *job;
            let (guess, seed) = (&guesses[at], at as u64);
            simulation.run(SimulatedRun { method, role, epsilon, guess, seed, interrupt })
        };
        let scores = sweep.measure(&jobs, key, work).map_err(Error::of_system)?;
        Ok(Self { guesses, jobs, scores })
    }

    /// Accuracies of a method, look-alike by look-alike; nothing if it was not run.
    pub(crate) fn scores(&self, method: Method, role: Role, epsilon: f64) -> Vec<f64> {
        self.of(method, role, epsilon).map(|(score, _)| score).collect()
    }

    fn of(&self, method: Method, role: Role, epsilon: f64) -> impl Iterator<Item = (f64, f64)> {
        let same = move |job: &SimulationJob| {
            (job.method, job.role, job.epsilon) == (method, role, epsilon)
        };
        self.jobs.iter().zip(&self.scores).filter(move |(job, _)| same(job)).map(|(_, run)| *run)
    }
}

/// How much may be said about classes, from little to much.
pub fn levels(question: &PlanQuestion) -> [Level; 3] {
    if Family::of(question) == Family::Graphs { GRAPH_LEVELS } else { LEVELS }
}

/// The corners and the middle of what is unknown.
fn guesses(question: &PlanQuestion) -> Vec<Assumptions> {
    let [low, middle, high] = match question.facts.homophily {
        Some(stated) => {
            [stated - ABOUT, stated, stated + ABOUT].map(|share| share.clamp(0.05, 0.97))
        }
        None => HOMOPHILY,
    };
    let [little, usual, much] = levels(question);
    let all = [(usual, middle), (little, low), (little, high), (much, low), (much, high)];
    all.into_iter().map(|(level, homophily)| Assumptions { level, homophily }).collect()
}

/// Plans: simulates every method that fits at every epsilon, says what to expect, what an attacker finds, and what to do.
///
/// # Errors
/// If facts contradict each other, a system refuses, or the run is interrupted.
pub fn plan(question: &PlanQuestion, sweep: &mut Sweep<'_>) -> Result<PrivacyPlan, Error> {
    question.check()?;
    let methods = methods_for(question);
    let runs = JobResults::make(question, &wanted(question, &methods), sweep)?;
    let free = best_free(&methods, &runs, question);
    let each = |&method: &Method| method_plan(question, method, &runs, &free);
    let methods = methods.iter().map(each).collect::<Result<Vec<_>, Error>>()?;
    let simulation = Simulation::new(question);
    let simulated = SimulationSummary {
        people: simulation.people,
        columns: simulation.columns,
        look_alikes: runs.guesses,
        margin: if Anchors::of(&question.facts).is_some() { KNOWN_FACTOR } else { MARGIN },
    };
    let advice = Advice::of(question, &methods);
    Ok(PrivacyPlan { question: question.clone(), simulated, methods, advice })
}

/// What is run: every method at every epsilon, its ceiling, and its control at the largest.
fn wanted(question: &PlanQuestion, methods: &[Method]) -> Vec<(Method, Role, f64)> {
    let largest = question.epsilons.last().copied().unwrap_or(1.0);
    let each = |&method: &Method| -> Vec<(Method, Role, f64)> {
        if method.is_free() {
            return vec![(method, Role::Private, largest)];
        }
        let private = question.epsilons.iter().map(|&epsilon| (method, Role::Private, epsilon));
        let control = method::has_control(method).then_some((method, Role::Control, largest));
        private.chain(control).chain([(method, Role::Ceiling, largest)]).collect()
    };
    methods.iter().flat_map(each).collect()
}

/// What the best method that is free scores, look-alike by look-alike.
fn best_free(methods: &[Method], runs: &JobResults, question: &PlanQuestion) -> Vec<f64> {
    let largest = question.epsilons.last().copied().unwrap_or(1.0);
    let free = methods.iter().filter(|method| method.is_free());
    let scores = free.map(|&method| runs.scores(method, Role::Private, largest));
    let middle = |scores: &Vec<f64>| Interval::of(scores).expected;
    scores.max_by(|a, b| middle(a).total_cmp(&middle(b))).unwrap_or_default()
}

fn method_plan(
    question: &PlanQuestion,
    method: Method,
    runs: &JobResults,
    free: &[f64],
) -> Result<MethodPlan, Error> {
    let largest = question.epsilons.last().copied().unwrap_or(1.0);
    let known = Anchors::of(&question.facts);
    let interval = |scores: &[f64]| match known {
        Some(_) => Interval::of(scores).times(KNOWN_FACTOR),
        None => Interval::of(scores).widened(MARGIN),
    };
    let ceilings = runs.scores(method, Role::Ceiling, largest);
    let brought = |scores: &[f64]| match known {
        Some(known) if method.is_free() => known.bring_free(scores, free),
        Some(known) => anchor::brought(known, scores, free, &ceilings),
        None => scores.to_vec(),
    };
    let best_free = match known {
        Some(known) => known.bring_free(free, free),
        None => free.to_vec(),
    };
    let beside = |role| {
        let scores = match (role, known.and_then(|known| known.ceiling())) {
            (Role::Ceiling, Some(clear)) => vec![clear; ceilings.len()],
            _ => brought(&runs.scores(method, role, largest)),
        };
        (!scores.is_empty()).then(|| interval(&scores))
    };
    let point = |&epsilon: &f64| -> Result<PointPlan, Error> {
        let scores = brought(&runs.scores(method, Role::Private, epsilon));
        let gains = scores.iter().zip(&best_free).map(|(score, free)| score - free).collect();
        let exposure = match method.is_free() {
            true => None,
            false => Some(attacker::exposure(question, method, epsilon)?),
        };
        let epsilon = (!method.is_free()).then_some(epsilon);
        Ok(PointPlan { epsilon, accuracy: interval(&scores), gains, exposure })
    };
    let at = if method.is_free() { &[largest][..] } else { &question.epsilons[..] };
    let points = at.iter().map(point).collect::<Result<Vec<_>, Error>>()?;
    let seconds: Vec<f64> =
        runs.of(method, Role::Private, largest).map(|(_, seconds)| seconds).collect();
    Ok(MethodPlan {
        method,
        about: method.about(),
        free: method.is_free(),
        points,
        control: beside(Role::Control),
        ceiling: beside(Role::Ceiling).filter(|_| !method.is_free()),
        cost: Effort::of(question, method, Interval::of(&seconds).expected),
    })
}

#[cfg(test)]
mod tests;
