//! Which settings are tried: short lists of round numbers, so that what is found can be typed.

use privet::graph::SimRng;
use privet::ldp_ge::{ClassifierKind, Embedding, Learner, Preset, Scaling};
use rand::seq::IndexedRandom;

/// What a search may vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TunedSettings {
    /// What the collector does: free on reports that are there.
    Collector,
    /// Also k, which changes what people send.
    CollectorAndReports,
}

const ALPHAS: &[f64] = &[0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5];
const EXPONENTS: &[f64] = &[0.0, 0.1, 0.2, 0.3, 0.4, 0.5];
const SCALINGS: &[Scaling] = &[Scaling::Whole, Scaling::Columns, Scaling::Rows];
/// The first [`NARROW`] are quick.
const HIDDEN: &[&[usize]] = &[&[64], &[128], &[64, 64], &[], &[256], &[128, 128], &[256, 256]];
const DROPOUTS: &[f32] = &[0.0, 0.1, 0.3, 0.5, 0.7];
const WEIGHT_DECAYS: &[f32] = &[0.0, 1e-5, 1e-4, 5e-4, 1e-3];
const LEARNING_RATES: &[f64] = &[0.001, 0.003, 0.01, 0.03];
const BATCHES: &[usize] = &[16, 64, 128, 256, 512, 1024];
/// An epoch of more steps than this is slow, and needless.
const MOST_STEPS: usize = 512;
/// Wide models of this many examples are slow.
const MANY_EXAMPLES: usize = 20_000;
const NARROW: usize = 3;
const KS: &[usize] = &[1, 3, 5, 10, 20, 30, 50];

/// The preset and `trials - 1` others, all different, for data of so many columns and examples. Fewer if
/// there are not so many.
pub fn candidates(
    preset: &Preset,
    trials: usize,
    tuned: TunedSettings,
    (columns, examples): (usize, usize),
    seed: u64,
) -> Vec<Preset> {
    let mut rng = SimRng::new(seed);
    let size = (columns, examples);
    // The preset is candidate 0.
    let mut list = vec![preset.clone()];
    // Repeats are rare: there are hundreds of thousands of combinations.
    for _ in 1..trials.saturating_mul(4) {
        if list.len() >= trials.max(1) {
            break;
        }
        let drawn = draw(preset, tuned, size, &mut rng);
        if !list.contains(&drawn) {
            list.push(drawn);
        }
    }
    list
}

/// Ways to classes that are tried beside the preset's.
const WAYS: &[&[ClassifierKind]] = &[
    &[ClassifierKind::Features],
    &[ClassifierKind::Both],
    &[ClassifierKind::Labels],
    &ClassifierKind::ALL,
];

/// The same candidates, each but the first on a way of its own; what else is tried does not depend on it.
pub fn on_ways(list: Vec<Preset>, seed: u64) -> Vec<Preset> {
    let mut rng = SimRng::stream(seed, 0x3a75);
    // A stream of its own: the candidates are those of a search without ways.
    let on_way = |(at, preset): (usize, Preset)| match WAYS.choose(&mut rng) {
        Some(ways) if at > 0 => Preset { ways: ways.to_vec(), ..preset },
        _ => preset,
    };
    list.into_iter().enumerate().map(on_way).collect()
}

fn draw(
    preset: &Preset,
    tuned: TunedSettings,
    (columns, examples): (usize, usize),
    rng: &mut SimRng,
) -> Preset {
    fn one<T: Clone>(list: &[T], otherwise: &T, rng: &mut SimRng) -> T {
        list.choose(rng).unwrap_or(otherwise).clone()
    }
    let (embedding, learner) = (&preset.embedding, &preset.learner);
    let widths = if examples > MANY_EXAMPLES { &HIDDEN[..NARROW] } else { HIDDEN };
    let hidden = one(widths, &&learner.hidden[..], rng).to_vec();
    // A batch so small that an epoch takes long is not tried.
    let quick = |batch: &usize| examples / batch <= MOST_STEPS;
    let batches: Vec<usize> = BATCHES.iter().copied().filter(quick).collect();
    let ks: Vec<usize> = KS.iter().copied().filter(|&k| k <= columns).collect();
    // Drawn in any case: what else is tried does not depend on whether k is.
    let k = one(&ks, &preset.k, rng);
    Preset {
        k: if tuned == TunedSettings::CollectorAndReports { k } else { preset.k },
        decoding: preset.decoding,
        embedding: Embedding {
            alpha: one(ALPHAS, &embedding.alpha, rng),
            exponent: one(EXPONENTS, &embedding.exponent, rng),
            scaling: one(SCALINGS, &embedding.scaling, rng),
            ..embedding.clone()
        },
        learner: Learner {
            hidden,
            dropout: one(DROPOUTS, &learner.dropout, rng),
            weight_decay: one(WEIGHT_DECAYS, &learner.weight_decay, rng),
            learning_rate: one(LEARNING_RATES, &learner.learning_rate, rng),
            batch: one(&batches, &learner.batch, rng),
            ..learner.clone()
        },
        ways: preset.ways.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_differ_and_repeat_by_seed() {
        let preset = Preset::nodes("cora");
        let drawn = |tuned, seed| candidates(&preset, 40, tuned, (1433, 1000), seed);
        let list = drawn(TunedSettings::Collector, 1);
        assert_eq!((list.len(), &list[0]), (40, &preset));
        assert!((0..40).all(|at| !list[..at].contains(&list[at])));
        assert_eq!(list, drawn(TunedSettings::Collector, 1));
        assert_ne!(list, drawn(TunedSettings::Collector, 2));
        assert!(list.iter().all(|settings| settings.k == preset.k));
        // Tuning k leaves the rest of what is tried as it was.
        let with_k = drawn(TunedSettings::CollectorAndReports, 1);
        assert!(with_k.iter().any(|settings| settings.k != preset.k));
        assert!(with_k.iter().zip(&list).all(|(a, b)| a.learner == b.learner));
        let few = candidates(&preset, 10, TunedSettings::CollectorAndReports, (4, 1000), 1);
        assert!(few[1..].iter().all(|settings| settings.k <= 4));
        let large = candidates(&preset, 30, TunedSettings::Collector, (1433, 150_000), 1);
        let quick =
            |of: &Preset| of.learner.batch >= 512 && of.learner.hidden.iter().all(|w| *w <= 128);
        assert!(large.len() == 30 && large[1..].iter().all(quick));
    }
}
