use proptest::prelude::*;

use super::*;
use crate::accountant::{self, Accountant, AnalyticGaussian, ZeroConcentrated};
use crate::loss::{Delta, Loss};
use crate::noise::NoiseRng;
use crate::{Ledger, Secret};

/// Rows that are written down.
struct Table;

impl PublicShape for Vec<Vec<f64>> {
    type Shape = usize;

    fn shape(&self) -> usize {
        self[0].len()
    }
}

impl FirstParty for Table {}

impl Ranking for Table {
    type Data = Vec<Vec<f64>>;

    fn universe(&self, columns: &usize) -> usize {
        *columns
    }

    fn scores(&self, rows: &Self::Data, source: u32) -> Vec<(u32, f64)> {
        (0..).zip(rows[source as usize].iter().copied()).collect()
    }
}

fn settings(noise: RowNoise, rows: u32, universe: u32, keep: usize) -> RowSettings {
    // Every source reads the first row of a table.
    RowSettings { sources: vec![0; rows as usize], universe, keep, clip: 0.5, noise }
}

fn release(settings: RowSettings, rows: Vec<Vec<f64>>, seed: u64) -> Vec<Picks> {
    let mechanism = DpAppr::<_, Node>::new(settings, Table).unwrap();
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-3).unwrap() };
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(seed)).unwrap();
    ledger.release(&Secret::new(rows), &mechanism).unwrap().into_inner()
}

/// The cost of the noise printed for M = 70, K = 2, and of the noise that zCDP allows.
#[test]
fn costs_are_those_of_the_table() {
    for (target, delta, printed, tight, cost) in [
        (0.5, 1e-3, 0.002_995, 0.016_060, 0.0680),
        (1.0, 1e-3, 0.005_683, 0.029_128, 0.1476),
        (4.0, 1e-3, 0.020_750, 0.093_488, 0.6737),
        (5.5556, 0.0111, 0.033_278, 0.145_013, 0.8136),
        (44.444, 0.0111, 0.230_540, 0.600_072, 10.5549),
    ] {
        let delta = Delta::new(delta).unwrap();
        let epsilon = |epsilon| {
            let settings = settings(RowNoise::Gumbel { epsilon }, 70, 216, 2);
            ZeroConcentrated.epsilon(&settings.event().unwrap(), delta).unwrap().get()
        };
        assert!((epsilon(tight) / target - 1.0).abs() < 2e-3, "{} {target}", epsilon(tight));
        assert!((epsilon(printed) / cost - 1.0).abs() < 4e-3, "{} {cost}", epsilon(printed));
    }
    // One analytic Gaussian for the whole release: sigma/C1 = 30.464 at (1, 1e-3).
    let gaussian = settings(RowNoise::Gaussian { deviation: 30.464 }, 70, 216, 2).event().unwrap();
    let cost = AnalyticGaussian.epsilon(&gaussian, Delta::new(1e-3).unwrap()).unwrap().get();
    assert!((cost - 1.0).abs() < 1e-4, "{cost}");
}

/// On a toy graph the true loss of a pick can be written down: the accountant's is an upper bound.
#[test]
fn the_charge_is_above_the_exact_loss_of_two_picks_of_five() {
    let epsilon = 1.0;
    // Bit i of `scores` says whether node i scores C or 0: the law is monotone in every score.
    let pair = |scores: u32, first: u32, second: u32| {
        let weight = |node: u32| f64::exp(epsilon * f64::from(scores >> node & 1));
        let total: f64 = (0..5).map(weight).sum();
        weight(first) / total * weight(second) / (total - weight(first))
    };
    let mut worst = 0f64;
    for (one, other) in (0..32).flat_map(|one| (0..32).map(move |other| (one, other))) {
        for (first, second) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            if first != second {
                let ratio = pair(one, first, second) / pair(other, first, second);
                worst = worst.max(ratio.ln());
            }
        }
    }
    let event = settings(RowNoise::Gumbel { epsilon }, 1, 5, 2).event().unwrap();
    let charged = accountant::best(&event, Delta::ZERO).unwrap().value.get();
    assert!((worst - 2.655_990_823).abs() < 1e-8 && worst <= charged, "{worst} {charged}");
    assert!((charged - 4.0).abs() < 1e-9, "{charged}");
}

/// Names and scores of a row are both paid for, K of each.
#[test]
fn names_and_scores_are_charged_both() {
    let cost = |noise| {
        let event = settings(noise, 3, 5, 2).event().unwrap();
        accountant::best(&event, Delta::ZERO).unwrap().value.get()
    };
    let (names, values) = (RowNoise::Gumbel { epsilon: 0.5 }, 0.8);
    let both = RowNoise::GumbelAndValues { epsilon: 0.5, values };
    assert!((cost(both) - cost(names) - 3.0 * values).abs() < 1e-9);
}

#[test]
fn picks_follow_the_law() {
    // Weights e^0, e^(eps/2), e^eps for entries 0, C/2 and above C.
    let noise = RowNoise::Gumbel { epsilon: 1.2 };
    let rows = vec![vec![-3.0, 0.25, 7.0]];
    let named = release(settings(noise, 40_000, 3, 1), rows, 5);
    let mut counts = [0.0f64; 3];
    named.iter().for_each(|row| counts[row[0].0 as usize] += 1.0);
    let weights = [1.0, 0.6f64.exp(), 1.2f64.exp()];
    let total: f64 = weights.iter().sum();
    for (count, weight) in counts.iter().zip(weights) {
        assert!((count / 40_000.0 - weight / total).abs() < 0.01, "{counts:?}");
    }
}

#[test]
fn values_and_gaussian_rows_are_centred_on_the_clipped_scores() {
    let rows = vec![vec![0.3, 0.0]];
    let noise = RowNoise::GumbelAndValues { epsilon: 30.0, values: 2.0 };
    let named = release(settings(noise, 4000, 2, 1), rows, 6);
    assert!(named.iter().all(|row| row[0].0 == 0));
    let mean = named.iter().map(|row| row[0].1).sum::<f64>() / 4000.0;
    assert!((mean - 0.3).abs() < 0.03, "{mean}");
    // Laplace(C/2): mean absolute deviation 0.25.
    let spread = named.iter().map(|row| (row[0].1 - 0.3).abs()).sum::<f64>() / 4000.0;
    assert!((spread - 0.25).abs() < 0.03, "{spread}");
    let noise = RowNoise::Gaussian { deviation: 0.01 };
    let named = release(settings(noise, 4000, 2, 2), vec![vec![3.0, 4.0]], 7);
    let mean = named.iter().map(|row| row[0].1).sum::<f64>() / 4000.0;
    assert!(named.iter().all(|row| row[0].0 == 1) && (mean - 0.4).abs() < 1e-3, "{mean}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let noise = RowNoise::Gumbel { epsilon: 1.0 };
    let refused = |settings| DpAppr::<_, Node>::new(settings, Table).is_err();
    assert!(refused(RowSettings { sources: vec![2], ..settings(noise, 1, 2, 1) }));
    assert!(refused(settings(noise, 1, 2, 0)));
    assert!(refused(settings(noise, 1, 2, 3)));
    assert!(refused(settings(RowNoise::Gumbel { epsilon: -1.0 }, 1, 2, 1)));
    assert!(refused(settings(RowNoise::Gaussian { deviation: 0.0 }, 1, 2, 1)));
    assert!(refused(RowSettings { clip: f64::NAN, ..settings(noise, 1, 2, 1) }));
}

proptest! {
    /// Whatever the scores are, rows stay within what the proof says.
    #[test]
    fn clipped_rows_are_at_most_root_two_apart(
        one in prop::collection::vec(prop::num::f64::ANY, 6),
        other in prop::collection::vec(0.0..1e6f64, 6)
    ) {
        let noise = RowNoise::Gaussian { deviation: 1.0 };
        let picker = Picker::new(&settings(noise, 1, 6, 2)).unwrap();
        let row = |scores: &[f64]| {
            let scores: Vec<(u32, f64)> = (0..).zip(scores.iter().copied()).collect();
            picker.on_ball(&scores, 1 << 30)
        };
        let (one, other) = (row(&one), row(&other));
        let distance: i128 = one.iter().zip(&other).map(|(a, b)| i128::from(a - b).pow(2)).sum();
        prop_assert!(distance <= 2 << 60);
        prop_assert!(one.iter().chain(&other).all(|entry| *entry >= 0));
    }
}

/// At delta 0 a release costs the sum of its parts: 2 epsilon for each of M K picks, and the values of M rows.
#[test]
fn picks_and_values_are_charged_for_every_row() {
    let noise = RowNoise::GumbelAndValues { epsilon: 0.5, values: 0.25 };
    let event = settings(noise, 3, 9, 2).event().unwrap();
    let charged = accountant::best(&event, Delta::ZERO).unwrap().value.get();
    assert!((charged - (3.0 * 2.0 * 1.0 + 3.0 * 0.25)).abs() < 1e-9, "{charged}");
}

/// σ/√2 is rounded down: 2 (σ/√2)² ≤ σ² in exact arithmetic.
#[test]
fn the_charged_multiplier_is_not_above_the_deviation_over_root_two() {
    let exact = |value: f64| dashu::rational::RBig::try_from(value).unwrap();
    for step in 1..50 {
        let deviation = 0.37 * f64::from(step);
        let charged = settings(RowNoise::Gaussian { deviation }, 1, 3, 1).event().unwrap();
        let Event::Repeated { event, times: 1 } = charged else { panic!("{charged:?}") };
        let Event::Gaussian { noise_multiplier } = *event else { panic!("{event:?}") };
        let (one, whole) = (exact(noise_multiplier), exact(deviation));
        assert!(one.clone() * one * exact(2.0) <= whole.clone() * whole, "{deviation}");
        assert!((noise_multiplier * 2f64.sqrt() / deviation - 1.0).abs() < 1e-12);
    }
}

#[test]
fn clip_norms_end_where_floats_do_not_yet() {
    let with = |clip| RowSettings { clip, ..settings(RowNoise::Gumbel { epsilon: 1.0 }, 1, 2, 1) };
    for (clip, expected) in [(1e-30, true), (1e30, true), (0.9e-30, false), (1.1e30, false)] {
        assert_eq!(DpAppr::<_, Node>::new(with(clip), Table).is_ok(), expected, "{clip}");
    }
}

#[test]
fn another_number_of_ids_is_refused() {
    let mechanism =
        DpAppr::<_, Node>::new(settings(RowNoise::Gumbel { epsilon: 1.0 }, 1, 3, 1), Table);
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-3).unwrap() };
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
    let two = Secret::new(vec![vec![0.1, 0.2]]);
    let error = ledger.release(&two, mechanism.as_ref().unwrap()).unwrap_err().to_string();
    assert!(error.contains("dp-appr") && ledger.entries().is_empty(), "{error}");
}

/// Names come with the score 1; the noise of a Gaussian row has the deviation that is charged; and the
/// largest entries come first.
#[test]
fn what_leaves_of_a_row_is_what_the_setting_says() {
    let named =
        release(settings(RowNoise::Gumbel { epsilon: 1.0 }, 5, 4, 2), vec![vec![0.1; 4]], 3);
    assert!(named.iter().all(|row| row.len() == 2 && row.iter().all(|pick| pick.1 == 1.0)));

    let scores = vec![vec![0.10, 0.30, 0.05, 0.20, 0.0]];
    let tiny = RowNoise::Gaussian { deviation: 1e-6 };
    for row in release(settings(tiny, 20, 5, 2), scores.clone(), 4) {
        let ids: Vec<u32> = row.iter().map(|pick| pick.0).collect();
        assert_eq!(ids, [1, 3]);
        assert!((row[0].1 - 0.3).abs() < 1e-5 && (row[1].1 - 0.2).abs() < 1e-5, "{row:?}");
    }
    // With all entries kept, the noise of each can be seen: σ C = 0.4 · 0.5.
    let wide = RowNoise::Gaussian { deviation: 0.4 };
    let rows = release(settings(wide, 4000, 5, 5), scores.clone(), 5);
    let squares =
        rows.iter().flatten().map(|&(node, value)| (value - scores[0][node as usize]).powi(2));
    let deviation = (squares.sum::<f64>() / 20_000.0).sqrt();
    assert!((deviation / 0.2 - 1.0).abs() < 0.03, "{deviation}");
}

/// Small rows stay as they are, large ones end just below C, and what is no number is no score.
#[test]
fn clipping_moves_nothing_that_fits() {
    let noise = RowNoise::Gaussian { deviation: 1.0 };
    let picker = Picker::new(&settings(noise, 1, 4, 2)).unwrap();
    let row =
        |scores: &[f64]| picker.clipped(&(0..).zip(scores.iter().copied()).collect::<Vec<_>>());
    assert_eq!(row(&[0.1, -2.0, 0.2]), [0.1, 0.0, 0.2, 0.0]);
    assert_eq!(row(&[f64::NAN, f64::INFINITY, 0.2]), [0.0, 0.0, 0.2, 0.0]);
    for scores in [[0.48, 0.64], [3.0, 4.0], [1e200, 1e200]] {
        let norm = row(&scores).iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        assert!(norm <= 0.5 && norm > 0.5 * (1.0 - 1e-8), "{norm}");
    }
    // On the lattice, an entry is rounded to the nearest of 2²⁰ steps of C; a missing one is 0.
    let step = 0.5 / f64::from(1 << 20);
    let scores = [(0, 100.6 * step), (2, 7.4 * step), (9, 0.1)];
    assert_eq!(picker.on_lattice(&scores), [101, 0, 7, 0]);
}

/// What ledgers and cards say about it.
#[test]
fn it_says_what_it_is() {
    let exact = RowNoise::Gumbel { epsilon: 0.5 };
    let valued = RowNoise::GumbelAndValues { epsilon: 0.5, values: 0.25 };
    let noisy = RowNoise::Gaussian { deviation: 4.0 };
    for (noise, numerics, kind, strength) in [
        (exact, Numerics::Exact, "gumbel", json!({ "epsilon": 0.5 })),
        (valued, Numerics::Exact, "gumbel-and-values", json!({ "epsilon": 0.5, "values": 0.25 })),
        (noisy, Numerics::Exact, "gaussian", json!({ "deviation": 4.0 })),
    ] {
        let mechanism = DpAppr::<_, Node>::new(settings(noise, 3, 9, 2), Table).unwrap();
        assert_eq!((mechanism.name(), mechanism.numerics()), ("dp-appr", numerics));
        let expected = json!({
            "sources": 3, "ids": 9, "top-k": 2, "clip": 0.5, "noise": kind, "strength": strength
        });
        assert_eq!(json!(mechanism.parameters()), expected);
        assert_eq!(mechanism.assumes_public().len(), 2);
    }
}
