//! The whole trainer on three people, its privacy loss computed and not bounded.
//!
//! A hub knows the other two. Every source names one node with Gumbel noise: 27 outcomes, whose probabilities can be
//! written down. Given who was named, a step is a mixture of Gaussians on a line (gradients of the rows that read the
//! hub all point one way, at full length), and the loss is an integral. Nothing of the accountants is used: names by
//! their weights, densities by their formula, integrals by the trapezoid rule.

use super::*;
use crate::graph::{Direction, Graph, GraphBuilder};
use crate::privacy::appr::Ranking;
use crate::privacy::event::BatchSampling;

const PEOPLE: usize = 3;
const HUB: usize = 0;

/// What the hub's rows do on one side of a step.
#[derive(Clone, Copy)]
enum Rows {
    /// Each has a gradient of length C.
    There,
    /// Nothing.
    Gone,
    /// The opposite.
    Opposite,
}

/// A point of the line, and how much of it there is around.
fn grid(sigma: f64, rows: u32, points: usize) -> Vec<(f64, f64)> {
    let end = 9.0 * sigma + f64::from(rows);
    let step = 2.0 * end / (points - 1) as f64;
    (0..points).map(|at| (-end + at as f64 * step, step)).collect()
}

/// The density of a noisy sum if so many rows read the hub, each in the batch with probability `rate`.
fn density(x: f64, sigma: f64, rows: u32, rate: f64, side: Rows) -> f64 {
    let length = match side {
        Rows::There => 1.0,
        Rows::Gone => 0.0,
        Rows::Opposite => -1.0,
    };
    let choose = |k: u32| (0..k).map(|i| f64::from(rows - i) / f64::from(i + 1)).product::<f64>();
    let of_batch = |k: u32| {
        let weight = choose(k) * rate.powi(k as i32) * (1.0 - rate).powi((rows - k) as i32);
        let z = (x - length * f64::from(k)) / sigma;
        weight * (-0.5 * z * z).exp() / (sigma * (2.0 * std::f64::consts::PI).sqrt())
    };
    (0..=rows).map(of_batch).sum()
}

/// One outcome of the names: how likely on either side, and how many rows then read the hub.
type Outcome = ([f64; 2], u32);

/// All outcomes, and the largest delta at an epsilon of `steps` steps after them, in both directions.
fn delta(outcomes: &[Outcome], epsilon: f64, training: (f64, f64), steps: u32, other: Rows) -> f64 {
    let (sigma, rate) = training;
    let points = grid(sigma, 2, if steps == 1 { 4001 } else { 401 });
    let mut found = [0.0; 2];
    for &(likely, rows) in outcomes {
        let on_line = |side| -> Vec<f64> {
            points.iter().map(|&(x, step)| step * density(x, sigma, rows, rate, side)).collect()
        };
        let [mut with, mut without] = [on_line(Rows::There), on_line(other)];
        for _ in 1..steps {
            let product = |one: &[f64], line: &[f64]| -> Vec<f64> {
                one.iter().flat_map(|a| line.iter().map(move |b| a * b)).collect()
            };
            with = product(&with, &on_line(Rows::There));
            without = product(&without, &on_line(other));
        }
        for (p, q) in with.iter().zip(&without) {
            let (p, q) = (likely[0] * p, likely[1] * q);
            found[0] += (p - epsilon.exp() * q).max(0.0);
            found[1] += (q - epsilon.exp() * p).max(0.0);
        }
    }
    found[0].max(found[1])
}

/// Picks of all sources with and without the hub's connections, and how many rows read the hub after the cap.
fn outcomes(settings: &Settings, epsilon: f64) -> Vec<Outcome> {
    let graph = |edges: &[(u32, u32)]| {
        let builder = GraphBuilder::new(PEOPLE, Direction::Undirected);
        builder.edges(edges.iter().copied()).build().unwrap().0
    };
    let structure = &settings.structure;
    let law = |graph: &Graph, source: usize| {
        let mut weights = [1.0; PEOPLE];
        let ranking = structure::ByIsta(structure.ista());
        for (node, score) in ranking.scores(graph, source as u32) {
            weights[node as usize] = (epsilon * (score / structure.clip).clamp(0.0, 1.0)).exp();
        }
        let total: f64 = weights.iter().sum();
        weights.map(|weight| weight / total)
    };
    let graphs = [graph(&[(0, 1), (0, 2)]), graph(&[])];
    let laws = graphs.map(|graph| [0, 1, 2].map(|source| law(&graph, source)));
    let mut outcomes = Vec::new();
    for names in (0..27).map(|at| [at % 3, at / 3 % 3, at / 9]) {
        let likely = |side: usize| (0..PEOPLE).map(|s| laws[side][s][names[s]]).product();
        let readers = (1..PEOPLE).filter(|&source| names[source] == HUB).count() as u32;
        outcomes.push(([likely(0), likely(1)], 1 + readers.min(structure.cap)));
    }
    outcomes
}

fn toy(steps: u64, rate: f64) -> Dpar {
    let mut settings = Settings::rigorous();
    (settings.model.steps, settings.model.batch) = (steps, rate);
    (settings.structure.sources, settings.structure.keep, settings.structure.clip) = (3, 1, 0.1);
    let target = Loss::new(2.0, 1e-2).unwrap();
    Dpar { method: DparMethod::Em0, mode: Mode::Rigorous, target, settings }
}

/// The delta that three people truly have at the epsilon of the plan, over the delta of the plan.
fn share_of_target<U: Person>(steps: u64, rate: f64, other: Rows) -> f64 {
    let system = toy(steps, rate);
    let plan = system.plan::<U>(PEOPLE).unwrap();
    let Some(RowNoise::Gumbel { epsilon }) = plan.structure else { panic!("names alone") };
    let BatchSampling::Poisson { rate } = plan.training.batch else { panic!("Poisson batches") };
    let outcomes = outcomes(&system.settings, epsilon);
    let total: f64 = outcomes.iter().map(|outcome| outcome.0[0]).sum();
    assert!((total - 1.0).abs() < 1e-12);
    let training = (plan.training.noise_multiplier, rate);
    let target = plan.loss;
    let found = delta(&outcomes, target.epsilon.get(), training, steps as u32, other);
    found / target.delta.get()
}

#[test]
fn three_people_lose_no_more_than_the_plan_says() {
    for (steps, rate) in [(1, 1.0), (1, 0.3), (2, 0.5)] {
        let absent = share_of_target::<Node>(steps, rate, Rows::Gone);
        assert!(absent <= 1.0 && absent > 0.05, "there or not, {steps} {rate}: {absent}");
        let replaced = share_of_target::<ReplacedNode>(steps, rate, Rows::Opposite);
        assert!(replaced <= 1.0 && replaced > 1e-3, "replaced, {steps} {rate}: {replaced}");
    }
}

/// The integral against the accountant for steps alone: tight where it is said to be, an upper bound elsewhere.
#[test]
fn integrals_agree_with_the_accountant_of_steps() {
    for (sigma, rows, rate, steps) in [(1.5, 1, 0.2, 1), (2.0, 2, 0.5, 1), (3.0, 2, 0.4, 2)] {
        let alone = [([1.0, 1.0], rows)];
        let claimed = |event: Event, epsilon: f64| {
            let epsilon = crate::privacy::Epsilon::new(epsilon).unwrap();
            Pld::default().delta(&event.repeated(steps), epsilon).unwrap().get()
        };
        let mixture = Event::MixtureOfGaussians { noise_multiplier: sigma, max_rows: rows, rate };
        let batch = BatchSampling::Poisson { rate };
        let replaced = Event::ReplacedRows { noise_multiplier: sigma, max_rows: rows, batch };
        for epsilon in [0.2, 0.6, 1.2] {
            let exact = delta(&alone, epsilon, (sigma, rate), steps as u32, Rows::Gone);
            let bound = claimed(mixture.clone(), epsilon);
            let slack = bound - exact;
            assert!(slack > -5e-4 * exact && slack < 2e-3 * exact + 2e-5, "{bound} {exact}");
            let exact = delta(&alone, epsilon, (sigma, rate), steps as u32, Rows::Opposite);
            let bound = claimed(replaced.clone(), epsilon);
            assert!(bound > (1.0 - 5e-4) * exact, "replaced: {bound} {exact}");
        }
    }
}
