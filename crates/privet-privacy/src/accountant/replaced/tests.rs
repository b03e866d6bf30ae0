use super::*;
use crate::accountant::exact::{Big, above, big, normal_tail};

/// Every row in every batch: a Gaussian at twice the distance.
#[test]
fn a_full_batch_is_a_gaussian() {
    let replaced = Replaced::one_record(0.5, 1.0);
    for epsilon in [0.0, 1.0, 3.0] {
        let found = replaced.curve(epsilon, &mut 0.0);
        let exact = analytic_gaussian::delta(2.0, epsilon);
        assert!(found >= exact && found < exact * (1.0 + 1e-12), "{found} {exact}");
    }
}

/// Losses of 1e-20 have a curve as smooth as any other: `eta mu/sqrt(2 pi)` at 0.
#[test]
fn tiny_losses_have_a_curve() {
    for batch in [
        BatchSampling::Poisson { rate: 1e-3 },
        BatchSampling::FixedSize { size: 1, population: 1000 },
    ] {
        for sigma in [1e4, 1e8, 1e17] {
            let replaced = Replaced::rows(sigma, 1, batch);
            let at = |loss: f64| {
                let epsilon = 1e-3 * loss * 2.0 / sigma;
                replaced.curve(epsilon, &mut replaced.start(epsilon)) * 1e3 * sigma / 2.0
            };
            assert!((at(0.0) / 0.398_942_280_4 - 1.0).abs() < 1e-6, "{sigma}: {}", at(0.0));
            // phi(2) - 2 (1 - Phi(2)): what one row moves, with hardly any of it shared.
            let far = at(2.0) / 0.008_490_702_616_829_64;
            assert!((1.0 - 1e-3..1.01).contains(&far), "{sigma}: {far}");
        }
    }
}

/// The theorem, to many digits: weights of rows, the inner epsilon, the position where the ratio of the mixture is
/// `e^eps`, both divergences, and the share of each.
fn truth(sigma: f64, rows: u32, batch: BatchSampling, epsilon: f64) -> Big {
    let counts = match batch {
        BatchSampling::Poisson { rate } => RowCounts::binomial(rows, rate),
        BatchSampling::FixedSize { size, population } => {
            RowCounts::hypergeometric(rows, size, population)
        }
    };
    let (mut eta, mut moved) = (big(0.0), big(0.0));
    let parts: Vec<(f64, Big)> =
        counts.masses.iter().filter(|(k, _)| *k > 0.0).map(|&(k, mass)| (k, big(mass))).collect();
    parts.iter().for_each(|(_, mass)| eta += mass);
    let inner = (big(epsilon).exp_m1() / &eta).ln_1p();
    let power = inner.exp();
    let tail = |z: Big| if z < big(0.0) { big(1.0) - normal_tail(&-z) } else { normal_tail(&z) };
    for (k, mass) in &parts {
        let mu = big(2.0) * big(*k) / big(sigma);
        let (ratio, half) = (&inner / &mu, &mu / big(2.0));
        let curve = tail(&ratio - &half) - &power * tail(ratio + half);
        moved += mass / &eta * curve;
    }
    let BatchSampling::Poisson { .. } = batch else { return eta * moved };
    // The best position, by bisection of the ratio.
    let variance = big(sigma) * big(sigma);
    let ratio = |x: &Big| {
        parts.iter().fold(big(0.0), |sum, (k, mass)| {
            sum + mass / &eta * (big(*k) * (x - big(*k) / big(2.0)) / &variance).exp()
        })
    };
    let (mut low, mut high) = (big(-100.0 * sigma), big(100.0 * sigma));
    for _ in 0..90 {
        let middle = (&low + &high) / big(2.0);
        if ratio(&middle) < power { low = middle } else { high = middle }
    }
    let mut present = -(&power * tail(&high / big(sigma)));
    for (k, mass) in &parts {
        present += mass / &eta * tail((&high - big(*k)) / big(sigma));
    }
    // e^(eps' - eps) = beta
    let beta = big(epsilon).exp() / &power;
    &eta * ((big(1.0) - &beta) * present + beta * moved)
}

/// Never below the theorem, and hardly above it, for batches of both kinds.
#[test]
fn the_theorem_is_rounded_up() {
    let fixed = |size| BatchSampling::FixedSize { size, population: 50 };
    for (sigma, rows, batch) in [
        (0.9, 1, BatchSampling::Poisson { rate: 0.13 }),
        (4.0, 3, BatchSampling::Poisson { rate: 0.6 }),
        (2.5, 2, BatchSampling::Poisson { rate: 1e-4 }),
        (1.1, 1, fixed(7)),
        (7.0, 4, fixed(30)),
    ] {
        let replaced = Replaced::rows(sigma, rows, batch);
        for epsilon in [1e-9, 0.01, 0.4, 1.7, 5.0] {
            let mut start = replaced.start(epsilon);
            let found = replaced.curve(epsilon, &mut start);
            let over = above(found, &truth(sigma, rows, batch, epsilon));
            assert!((0.0..1e6).contains(&over), "{sigma} {batch} {epsilon}: {over}");
            if epsilon == 1e-9 {
                assert!(over < 400.0, "{sigma} {batch}: {over}");
            }
        }
    }
}

/// Searches begin right of where they end, and not far from it where little is lost.
#[test]
fn searches_begin_on_the_right_side() {
    let replaced = Replaced::rows(3.0, 4, BatchSampling::Poisson { rate: 0.2 });
    let mixture = replaced.present.as_ref().unwrap();
    for epsilon in [0.0, 1e-6, 0.1, 2.0, 30.0] {
        let start = replaced.start(epsilon);
        let inner = replaced.inner(epsilon);
        assert!(mixture.loss(start) >= inner * (1.0 - 1e-12), "{epsilon}");
        assert!(start - mixture.position(inner, start) < 4.0 + 9.0 * inner, "{epsilon}: {start}");
    }
    assert_eq!(Replaced::one_record(1.0, 0.5).start(1.0), 0.0);
    assert_eq!((replaced.len(), replaced.reach()), (4, 8.0 / 3.0));
    assert!((replaced.eta() - (1.0 - 0.8_f64.powi(4))).abs() < 1e-13);
}

/// The range ends where the curve falls below the tail, up to a per cent, whether losses are tiny or large.
#[test]
fn ranges_end_where_the_tail_is_reached() {
    for (sigma, rows) in [(1e12, 1), (30.0, 2), (0.2, 3)] {
        let replaced = Replaced::rows(sigma, rows, BatchSampling::Poisson { rate: 0.1 });
        for tail in [1e-15, 1e-30, 1e-200] {
            let (low, high) = replaced.range(tail);
            let at = |epsilon: f64| replaced.curve(epsilon, &mut replaced.start(epsilon));
            assert_eq!(low, -high);
            assert!(at(high) <= tail && at(0.98 * high) > tail, "{sigma} {tail}: {high}");
        }
    }
}

/// A record that is always there: the loss is normal, with the square of the distance as its variance. One
/// that is there with probability `eta` has about `eta^2` of it where distances are small.
#[test]
fn the_spread_of_a_loss_is_about_right() {
    for (noise, eta) in [(2.0, 1.0), (50.0, 1.0), (50.0, 0.1), (1e3, 1e-3)] {
        let found = Replaced::one_record(noise, eta).loss_variance();
        let expected = (eta / noise).powi(2) * (1.0 + 0.25 * (eta / noise).powi(2));
        assert!((found / expected - 1.0).abs() < 0.02, "{noise} {eta}: {found} {expected}");
    }
}

#[test]
fn the_law_of_drawn_rows_is_a_law() {
    for batch in [
        BatchSampling::Poisson { rate: 0.3 },
        BatchSampling::FixedSize { size: 60, population: 200 },
    ] {
        let replaced = Replaced::rows(2.0, 5, batch);
        assert!((replaced.moves.iter().map(|(weight, _)| weight).sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

/// What is rounded up, and by how much: the chance that a row is there, the curve by a unit for every move, the
/// divergence of the rows that are there by the errors of both tails.
#[test]
fn margins_by_hand() {
    let rows = Replaced::rows(2.0, 2, BatchSampling::Poisson { rate: 0.5 });
    assert!(rows.rounding > 0.0);
    let raised = (rows.eta() / 0.75 - 1.0) / rows.rounding;
    assert!((raised - 1.0).abs() < 0.1, "{raised}");
    let drawn = Replaced::rows(2.0, 4, BatchSampling::FixedSize { size: 50, population: 100 });
    assert_eq!(drawn.moves.len(), 4);
    let inner = drawn.inner(0.3);
    let delta = |&(weight, mu): &(f64, f64)| weight * analytic_gaussian::delta(mu, inner);
    let sum: f64 = drawn.moves.iter().map(delta).sum();
    let raised = drawn.curve(0.3, &mut 0.0) / (drawn.eta() * sum) - 1.0;
    let expected = drawn.rounding + 4.0 * ROUNDING;
    assert!((raised / expected - 1.0).abs() < 0.1, "{raised:e} {expected:e}");
    assert_eq!(Replaced::one_record(1e-6, 1.0).curve(0.0, &mut 0.0), 1.0);
    // One row at distance 1 of noise 1: the ratio is e at 1.5.
    let found = present(&Mixture::shifted(1.0, 1.0), 1.0, &mut 9.0);
    let (upper, lower) = (normal_tail(&big(0.5)), big(1.0).exp() * normal_tail(&big(1.5)));
    let units = (big(found) - (&upper - &lower)).to_f64().value() / ROUNDING;
    let expected = (upper + lower).to_f64().value() * (1.0 + 1.5 * 1.5);
    assert!((units / expected - 1.0).abs() < 0.2, "{units} {expected}");
    // What the weights of the rows are off by is added to their tail.
    let mut uncertain = Mixture::shifted(1.0, 1.0);
    uncertain.rounding = 1e-3;
    let more = present(&uncertain, 1.0, &mut 9.0) - found;
    assert!((more / (1e-3 * 0.308_537_538_7) - 1.0).abs() < 1e-9, "{more}");
}
