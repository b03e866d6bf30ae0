use super::*;
use crate::accountant::exact::big;

#[test]
fn loss_and_position_invert_each_other() {
    for mixture in
        [Mixture::new(0.7, 3, 0.1), Mixture::new(5.0, 1, 0.01), Mixture::new(1.0, 9, 0.9)]
    {
        let right = mixture.reach() + 20.0 * mixture.sigma;
        for x in [-2.0, 0.0, 0.3, 2.0, 5.0] {
            let found = mixture.position(mixture.loss(x), right);
            assert!((found - x).abs() < 1e-9 * (1.0 + x.abs()), "{x} {found}");
        }
    }
    let mixture = Mixture::new(2.0, 1, 0.1);
    let by_hand = (0.9 + 0.1 * ((2.0 * 1.5 - 1.0) / 8.0_f64).exp()).ln();
    assert!((mixture.loss(1.5) - by_hand).abs() < 1e-15);
}

/// `log sum_k p_k exp((k x - k^2/2)/sigma^2)` and its derivative, to many digits, where the loss is tiny as well as
/// where it is large; one part alone is no special case.
#[test]
fn the_loss_and_its_slope_are_what_they_say() {
    let three = Mixture::new(2.0, 3, 0.3);
    let (lonely, _) = three.without_rare_parts(0.5);
    assert_eq!((three.len(), lonely.len()), (4, 2));
    let (lonely, _) = lonely.without_rare_parts(0.5);
    assert_eq!((lonely.len(), lonely.reach()), (1, 1.0));
    for mixture in [three, lonely, Mixture::new(0.3, 9, 0.01), Mixture::new(1e8, 2, 0.2)] {
        let variance = mixture.sigma.powi(2);
        for x in [-9.0, -1.0, 0.0, 0.7, 1.5, 4.0, 30.0] {
            let x = x * mixture.sigma;
            let (mut sum, mut weighted, mut rest) = (big(0.0), big(0.0), big(1.0));
            for (k, mass) in mixture.means() {
                let exponent = big(k) * (big(x) - big(k) / big(2.0)) / big(variance);
                let term = big(mass) * exponent.exp();
                weighted += big(k) * &term;
                rest -= big(mass);
                sum += term;
            }
            let (loss, slope) = mixture.loss_and_slope(x);
            // The masses of all parts together are 1, whatever their roundings say.
            let whole = if mixture.len() > 1 { &sum + rest } else { sum.clone() };
            let exact = whole.ln().to_f64().value();
            assert!((loss - exact).abs() < 1e-14 * exact.abs() + 1e-22, "{x}: {loss} {exact}");
            let expected = (weighted / sum / big(variance)).to_f64().value();
            assert!((slope / expected - 1.0).abs() < 1e-12, "{x}: {slope} {expected}");
        }
    }
}

/// The rarest parts go, from either end, while they are at most the tail together; one part always stays.
#[test]
fn rare_parts_are_dropped_from_both_ends() {
    let masses = vec![(0.0, 0.0625), (1.0, 0.5), (2.0, 0.25), (3.0, 0.125), (4.0, 0.0625)];
    let mixture = Mixture::weighted(1.0, &RowCounts { masses, rounding: 0.0 });
    for (tail, kept, dropped) in [
        (0.0624, 0..=4, 0.0),
        (0.0625, 0..=3, 0.0625),
        (0.125, 1..=3, 0.125),
        (0.2, 1..=3, 0.125),
        (0.25, 1..=2, 0.25),
        (0.5, 1..=1, 0.5),
        (1.0, 1..=1, 0.5),
    ] {
        let (rest, lost) = mixture.without_rare_parts(tail);
        let means: Vec<i32> = rest.means().map(|(mean, _)| mean as i32).collect();
        assert_eq!((means, lost), (kept.collect(), dropped), "{tail}");
    }
    assert_eq!(mixture.reach(), 4.0);
}

/// Far left the ratio cannot fall below that of no row at all: the search ends all the same.
#[test]
fn positions_that_do_not_exist_are_far_left() {
    let mixture = Mixture::new(1.0, 2, 0.5);
    let lowest = mixture.loss(-1e3);
    assert_eq!(lowest, 0.25_f64.ln());
    let found = mixture.position(2.0 * lowest, 10.0);
    assert!(found.is_finite() && found < -20.0, "{found}");
    assert_eq!(mixture.position(mixture.loss(3.0), 3.0), 3.0);
}

/// One Gaussian at distance `mu` has a loss of variance `mu^2`; a mixture is compared with a fine sum.
#[test]
fn the_spread_of_a_loss_is_about_right() {
    for mu in [0.01, 1.0, 3.0_f64] {
        let found = Mixture::shifted(1.0 / mu, 1.0).loss_variance();
        assert!((found / (mu * mu) - 1.0).abs() < 1e-3, "{mu}: {found}");
    }
    for mixture in [Mixture::new(1.5, 3, 0.2), Mixture::new(0.5, 2, 0.01)] {
        let (mut mean, mut square) = (0.0, 0.0);
        for (k, mass) in mixture.means() {
            for node in -4000..4000 {
                let z = 2.5e-3 * f64::from(node);
                let weight = mass * 2.5e-3 * crate::special::log_normal_density(z).exp();
                let loss = mixture.loss(k + mixture.sigma * z);
                mean += weight * loss;
                square += weight * loss * loss;
            }
        }
        let (found, exact) = (mixture.loss_variance(), square - mean * mean);
        assert!((found / exact - 1.0).abs() < 1e-3, "{found} {exact}");
    }
}

/// Quantiles below one row, where a node is hardly ever in the batch.
#[test]
fn quantiles_reach_below_one_row() {
    let mixture = Mixture::new(0.01, 1, 1e-9);
    let x = mixture.upper_quantile(1e-6);
    assert!(mixture.upper_tail(x) <= 1e-6 && mixture.upper_tail(x - 1e-5) > 1e-6, "{x}");
}

#[test]
fn quantiles_are_on_the_safe_side() {
    let mixture = Mixture::new(1.0, 4, 0.05);
    for tail in [1e-3, 1e-12, 1e-100] {
        let x = mixture.upper_quantile(tail);
        assert!(mixture.upper_tail(x) <= tail);
        assert!(mixture.upper_tail(x - 0.01) > tail);
    }
}
