use super::*;
use crate::accountant::exact::big;
use proptest::prelude::*;

/// Integer orders of the one-row mixture have a finite sum: A = sum_k Bin(k; a, q) e^(k(k-1)/(2 sigma^2)).
fn direct(sigma: f64, rate: f64, order: u64) -> f64 {
    let terms: Vec<f64> = (0..=order)
        .map(|k| {
            log_binomial(order, k)
                + k as f64 * rate.ln()
                + (order - k) as f64 * (-rate).ln_1p()
                + (k * k.saturating_sub(1)) as f64 / (2.0 * sigma * sigma)
        })
        .collect();
    log_sum_exp(&terms) / (order as f64 - 1.0)
}

proptest! {
    #[test]
    fn quadrature_matches_the_binomial_sum(log_sigma in -1.5..4.0_f64, log_rate in -6.0..-0.05_f64, order in 2..40_u64) {
        let (sigma, rate) = (log_sigma.exp(), log_rate.exp());
        let found = mixture(&Mixture::new(sigma, 1, rate), order as f64);
        let expected = direct(sigma, rate, order);
        prop_assert!((found - expected).abs() <= 1e-9 * expected + 1e-14, "{found} {expected}");
    }

    #[test]
    fn no_order_is_negative_or_undefined(
        log_sigma in -5.0..8.0_f64, log_rate in -12.0..0.0_f64, rows in 1..12_u32, log_excess in -6.0..12.0_f64,
    ) {
        let mixture_pair = Mixture::new(log_sigma.exp(), rows, log_rate.exp());
        let value = mixture(&mixture_pair, 1.0 + log_excess.exp());
        prop_assert!(value >= 0.0);
    }
}

/// `log(e^(b l) - 1 - b (e^l - 1))` to many digits, on both sides of every change of formula.
#[test]
fn the_bend_keeps_its_digits() {
    for b in [1.001, 1.5, 2.0, 3.7, 40.0, -0.001, -0.5, -1.0, -2.7, -39.0] {
        for loss in [1e-12, 1e-4, 0.3, 0.49, 0.51, 1.0, 7.7, 15.0, 29.9, 30.1, 31.0, 200.0] {
            for loss in [loss, -loss] {
                let inside = (big(b) * big(loss)).exp_m1() - big(b) * big(loss).exp_m1();
                let exact = inside.ln().to_f64().value();
                let found = log_bend(b, loss);
                assert!(
                    (found - exact).abs() < 1e-10 + 1e-14 * exact.abs(),
                    "{b} {loss}: {found} {exact}"
                );
            }
        }
    }
    // Beyond the range of e^loss.
    assert!((log_bend(2.0, 650.0) - 1_300.0).abs() < 1e-9);
    assert!((log_bend(2.0, 800.0) - 1_600.0).abs() < 1e-9);
    // And an order so close to 1 that half of it is the line: e^701.4 - 1.002 e^700.
    let half = 701.4 + (-1.002 * (-1.4_f64).exp()).ln_1p();
    assert!((log_bend(1.002, 700.0) - half).abs() < 1e-9);
    assert!((log_bend(-2.0, 650.0) - 650.0 - 2.0_f64.ln()).abs() < 1e-9);
    assert_eq!(log_bend(2.0, 0.0), f64::NEG_INFINITY);
}

/// Moments of several rows by a sum a hundred times as fine, in both directions; the rule is far more precise
/// than what is added for its error.
#[test]
fn the_trapezoid_rule_has_converged() {
    for (sigma, rows, rate) in [(0.4, 1, 0.1), (1.0, 3, 0.3), (6.0, 5, 0.02)] {
        let pair = Mixture::new(sigma, rows, rate);
        for b in [1.3, 4.0, -0.3, -3.0] {
            let (low, high) = (-40.0 * sigma - 16.0, 40.0 * sigma + 16.0);
            let nodes = 40_000;
            let step = (high - low) / f64::from(nodes);
            let sum: f64 = (0..nodes)
                .map(|node| low + f64::from(node) * step)
                .map(|x| (log_bend(b, pair.loss(x)) - 0.5 * (x / sigma).powi(2)).exp())
                .sum();
            let exact = (sum * step / sigma / (2.0 * std::f64::consts::PI).sqrt()).ln();
            let found = log_excess(&pair, b);
            assert!((found - exact).abs() < 1e-11, "{sigma} {b}: {found} {exact}");
        }
        let order = 2.5;
        let worse = log_excess(&pair, order).max(log_excess(&pair, 1.0 - order));
        let over = mixture(&pair, order) / from_log_excess(worse, order) - 1.0;
        assert!((0.9e-10..1.1e-10).contains(&over), "{over}");
    }
}

/// An order that would need too many nodes is given up, and the usual number of nodes is that of small orders.
#[test]
fn nodes_are_counted() {
    let narrow = Mixture::new(0.05, 1, 0.1);
    assert_eq!(log_excess(&narrow, 1e4), f64::INFINITY);
    assert_eq!(mixture(&narrow, 1e4), f64::INFINITY);
    // 24 sigma and 16 rows, in steps of 2 pi y/(45 + y^2/(2 sigma^2)) with y = 0.9 pi sigma^2, or half a sigma.
    for (sigma, step_) in [(1.0_f64, 0.362_5), (20.0, 10.0)] {
        let pair = Mixture::new(sigma, 1, 0.1);
        assert!((step(&pair) / step_ - 1.0).abs() < 1e-3, "{}", step(&pair));
        let expected = (24.0 * sigma + 16.0) / step_;
        assert!((usual_nodes(&pair) / expected - 1.0).abs() < 1e-3);
    }
    assert_eq!(usual_nodes(&Mixture::new(1e-3, 5, 0.1)), MAX_NODES);
}

/// Theorem 9 by hand for order 2 and 3, chords between them, and never more than without a sample.
#[test]
fn samples_of_fixed_size_by_hand() {
    let inner = Event::Laplace { noise_multiplier: 1.0 };
    let base = |order: f64| DivergenceCurve::new(&inner).unwrap().divergence(order);
    for rate in [0.3_f64, 0.01] {
        let sample = FixedSize::new(rate, &inner).unwrap();
        let pair = (4.0 * base(2.0).exp_m1()).min(2.0 * base(2.0).exp());
        let second = (rate.powi(2) * pair).ln_1p();
        let third =
            (3.0 * rate.powi(2) * pair + 2.0 * rate.powi(3) * (2.0 * base(3.0)).exp()).ln_1p();
        let expected = |order: f64, log_moment: f64| (log_moment / (order - 1.0)).min(base(order));
        for (order, log_moment) in
            [(1.5, 0.5 * second), (2.0, second), (2.25, 0.75 * second + 0.25 * third), (3.0, third)]
        {
            let found = sample.divergence(order) / expected(order, log_moment);
            assert!((1.0..1.0 + 3e-10).contains(&found), "{rate} {order}: {found}");
        }
        assert_eq!(sample.divergence(300.0), base(300.0));
        let fourth = 6.0 * rate.powi(2) * pair
            + 8.0 * rate.powi(3) * (2.0 * base(3.0)).exp()
            + 2.0 * rate.powi(4) * (3.0 * base(4.0)).exp();
        assert!((sample.log_moment(4.0) / fourth.ln_1p() - 1.0).abs() < 1e-9, "{rate}");
        // The last order that is summed up.
        assert!(sample.divergence(256.0) < base(256.0), "{rate}");
    }
    // Large losses: 2 e^D is the smaller.
    let large = Event::Laplace { noise_multiplier: 0.2 };
    let second = DivergenceCurve::new(&large).unwrap().divergence(2.0);
    let found = FixedSize::new(0.1, &large).unwrap().divergence(2.0);
    assert!((found / (0.02 * second.exp()).ln_1p() - 1.0).abs() < 1e-9, "{found}");
    // Two releases on one sample add before they are amplified.
    let twice = FixedSize::new(0.3, &inner.clone().repeated(2)).unwrap();
    assert!((twice.base(2.0) - 2.0 * base(2.0)).abs() < 1e-12);
    assert!(twice.record.is_none() && twice.cost() > 5_000.0);
    let gaussian = Event::Gaussian { noise_multiplier: 2.0 };
    let sample = FixedSize::new(0.1, &gaussian).unwrap();
    let stick = sample.record.as_ref().unwrap();
    assert!(sample.divergence(400.0) <= stick.divergence(400.0));
    assert!(
        sample.divergence(400.0)
            < DivergenceCurve::new(&gaussian).unwrap().divergence(400.0) * (1.0 + 1e-9)
    );
}

/// With every row sampled the mixture is a Gaussian at distance `rows`.
#[test]
fn full_batches_are_gaussian() {
    let found = mixture(&Mixture::new(3.0, 4, 1.0), 2.7);
    assert!((found - 0.5 * 2.7 * (4.0_f64 / 3.0).powi(2)).abs() < 1e-9);
}

/// Losses of 1e-9 and below: `A - 1` is `a (a - 1)/2 (rate/sigma)^2`.
#[test]
fn tiny_losses_keep_their_digits() {
    for sigma in [1e6, 1e12, 1e50] {
        for order in [1.1, 2.0, 30.0] {
            let found = mixture(&Mixture::new(sigma, 1, 1e-3), order);
            let expected = 0.5 * order * (1e-3 / sigma).powi(2);
            assert!((found / expected - 1.0).abs() < 1e-9, "{sigma:e}: {found:e} {expected:e}");
        }
    }
}

#[test]
fn fixed_size_amplifies_and_never_hurts() {
    let inner = Event::Gaussian { noise_multiplier: 2.0 };
    for order in [1.5, 2.0, 3.7, 20.0, 200.0] {
        let plain = DivergenceCurve::new(&inner).unwrap().divergence(order);
        let sampled = FixedSize::new(0.01, &inner).unwrap().divergence(order);
        assert!(sampled <= plain);
    }
    let second = FixedSize::new(0.01, &inner).unwrap().divergence(2.0);
    assert!(second < 0.01 * DivergenceCurve::new(&inner).unwrap().divergence(2.0));
}
