//! The whole of DPAR, from graph to classifier, with and without one person who matters more than any other.
//!
//! The person, a *hub*, is connected to all others, and only the hub has features: whatever the weights of the features learn,
//! they learn from rows that read the hub. The other side is the graph without the hub (`node-absent`), or with a
//! hub whose features are the opposite (`node-replace`). The same training runs thousands of times on either side,
//! through its ledger, with fresh noise. A first part of the runs decides what to look at, on which side of which
//! line; the rest is counted, so that the bound of [`epsilon_lower_bound`] is fair.

use privet::Method;
use privet::Run;
use privet::dpar::{Dpar, OpenPeople, Person, Plan, Training};
use privet::graph::{Dataset, DenseMatrix, Direction, Features, GraphBuilder, Labels, NodeIds};
use privet::learn::models::Mlp;
use privet::privacy::Ledger;
use rayon::prelude::*;

use super::clopper_pearson::epsilon_lower_bound;
use super::refused;
use super::seeds::Seeds;
use super::trials::{CONFIDENCE, account, spent};
use crate::Result;

/// Enough that the signs of their weights add up to something that looks like a normal variable.
const FEATURES: usize = 64;
/// Who is hidden.
const HUB: u32 = 0;

/// What becomes of the hub on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Other {
    /// Not there.
    Absent,
    /// Says the opposite.
    Opposite,
}

/// A way to train, and how often to try.
#[derive(Debug, Clone)]
pub struct Trainer {
    /// The system, its settings and its target.
    pub system: Dpar,
    /// How many people there are, the hub among them.
    pub people: usize,
    /// The other side.
    pub other: Other,
    /// Runs on each side that are counted; a third as many decide what to count.
    pub trials: u64,
}

/// What the card says, and what was found.
#[derive(Debug, Clone, Copy)]
pub struct TrainerFinding {
    /// The epsilon that the ledger was charged, at the delta of the target.
    pub card: f64,
    /// What the paper prints.
    pub printed: Option<f64>,
    /// A lower bound on the true epsilon, at the same delta.
    pub at_least: f64,
}

/// What can be seen of a classifier: how the weights of the features lean, and the biases.
type Seen = [f64; 2];

/// What is counted.
#[derive(Debug, Clone, Copy)]
struct CountedEvent {
    what: usize,
    line: f64,
    above: bool,
    /// Whether the event speaks for the hub.
    for_hub: bool,
}

impl Trainer {
    /// Trains on both sides.
    ///
    /// # Errors
    /// If a setting makes no sense.
    pub fn audit<U: Person>(&self, seeds: Seeds) -> Result<TrainerFinding> {
        let plan = self.system.plan::<U>(self.people).map_err(refused)?;
        let with = self.people(1.0)?;
        let without = match self.other {
            Other::Absent => with.without_people(&[HUB]).map_err(refused)?,
            Other::Opposite => self.people(-1.0)?,
        };
        let (with, without) = (with.seal(), without.seal());
        // The pilot runs choose the event, and are not counted: a chosen event on its own data
        // would look better than it is.
        let pilots = self.trials / 3;
        let runs = |training, part, count| self.seen::<U>(&plan, training, count, seeds.part(part));
        let first = [runs(&with, 0, pilots)?, runs(&without, 1, pilots)?];
        let event = self.best_event(&first);
        let with_hub = runs(&with, 2, self.trials)?;
        let without_hub = runs(&without, 3, self.trials)?;
        let at_least = self.bound(&event, [&with_hub, &without_hub]);
        let mut ledger = account::<U>(self.system.target.delta.get(), seeds)?;
        self.learn(&plan, &with, &mut ledger, 0)?;
        let card = spent(&ledger)?;
        let printed = plan.printed.map(|printed| printed.total.get());
        Ok(TrainerFinding { card, printed, at_least })
    }

    /// All people are of the first of two classes; for sums by class, which only tell how classes differ, every other one.
    fn people(&self, hub: f32) -> Result<OpenPeople> {
        let others = 1..self.people as u32;
        let (graph, _) = GraphBuilder::new(self.people, Direction::Undirected)
            // Every person reads the hub.
            .edges(others.map(|person| (HUB, person)))
            .build()
            .map_err(refused)?;
        let mut rows = DenseMatrix::zeros(self.people, FEATURES);
        rows.row_mut(HUB as usize).fill(hub);
        let names = ["one", "other"].map(String::from).to_vec();
        let sums = self.system.method == Method::ClassSums;
        let class = |person: usize| Some(if sums { person as u32 % 2 } else { 0 });
        let labels = (0..self.people).map(class).collect();
        let labels = Labels::single(labels, names).map_err(refused)?;
        let dataset = Dataset::new("a hub", graph, NodeIds::sequential(self.people))
            .and_then(|dataset| dataset.with_features(Features::dense(rows)))
            .and_then(|dataset| dataset.with_labels(labels))
            .map_err(refused)?;
        OpenPeople::of(&dataset, 2).map_err(refused)
    }

    fn seen<U: Person>(
        &self,
        plan: &Plan,
        training: &Training,
        count: u64,
        seeds: Seeds,
    ) -> Result<Vec<Seen>> {
        let one = |trial: u64| {
            let mut ledger = account::<U>(self.system.target.delta.get(), seeds.part(trial))?;
            // What is drawn in public is fixed, unless who is trained on is part of the claim.
            let seed = if plan.rows == plan.people { 0 } else { seeds.part(trial).seed() };
            self.learn(plan, training, &mut ledger, seed).map(|model| look(&model))
        };
        (0..count).into_par_iter().map(one).collect()
    }

    /// The event that proves most if the runs to be counted are like the first.
    fn best_event(&self, [with, without]: &[Vec<Seen>; 2]) -> CountedEvent {
        let mut best = (-1.0, CountedEvent { what: 0, line: 0.0, above: true, for_hub: true });
        for what in 0..2 {
            let both = || with.iter().chain(without).map(|seen| seen[what]);
            for line in lines(both().collect()) {
                // Above or below the line, likelier with or without the hub: four events for each
                // line.
                for at in 0..4 {
                    let (above, for_hub) = (at / 2 == 0, at % 2 == 0);
                    let event = CountedEvent { what, line, above, for_hub };
                    let bound = self.bound(&event, [with, without]);
                    if bound > best.0 {
                        best = (bound, event);
                    }
                }
            }
        }
        best.1
    }

    /// What an event proves.
    fn bound(&self, event: &CountedEvent, sides: [&[Seen]; 2]) -> f64 {
        let [likely, rare] = event.in_order(sides.map(|side| event.count(side)));
        let (trials, delta) = (sides[0].len() as u64, self.system.target.delta.get());
        epsilon_lower_bound(likely, rare, trials, delta, CONFIDENCE)
    }

    fn learn<U: Person>(
        &self,
        plan: &Plan,
        training: &Training,
        ledger: &mut Ledger<U>,
        seed: u64,
    ) -> Result<Mlp> {
        let learnt = self
            .system
            .learn(plan, training, ledger, &Run::simulation(seed), None)
            .map_err(refused)?;
        Ok(learnt.into_inner().0)
    }
}

/// How far weights and biases lean towards the first class.
fn look(model: &Mlp) -> Seen {
    let Some(layer) = model.layers().first() else { return [0.0; 2] };
    // What training did shows in how the two classes differ.
    let lean = |row: &[f32]| f64::from(row[0]) - f64::from(row[1]);
    let weights = &layer.weight.value;
    // Only the hub has features, so the sum over their weights is what was learned from it.
    [(0..weights.rows()).map(|row| lean(weights.row(row))).sum(), lean(layer.bias.value.row(0))]
}

impl CountedEvent {
    fn count(&self, seen: &[Seen]) -> u64 {
        seen.iter().filter(|seen| (seen[self.what] > self.line) == self.above).count() as u64
    }

    /// The side on which it is likely, then the other.
    fn in_order(&self, [with, without]: [u64; 2]) -> [u64; 2] {
        if self.for_hub { [with, without] } else { [without, with] }
    }
}

/// Lines between what was seen, so that a value that many runs give is on one side of it: thirty of them, and ever
/// closer ones towards both ends.
fn lines(mut seen: Vec<f64>) -> Vec<f64> {
    seen.sort_unstable_by(f64::total_cmp);
    // Close lines near both ends: strong mechanisms show only in rare outcomes.
    let halves = (4..14).map(|k| 1.0 / f64::from(1 << k));
    let shares = (1..30).map(|k| f64::from(k) / 30.0).chain(halves.flat_map(|s| [s, 1.0 - s]));
    let places = shares.map(|share| (share * seen.len() as f64) as usize);
    // No line where values tie: it would split equal outcomes.
    let between = places.filter(|&at| at > 0 && at < seen.len() && seen[at] > seen[at - 1]);
    between.map(|at| 0.5 * (seen[at - 1] + seen[at])).collect()
}
