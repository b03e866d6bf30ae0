//! Optimal composition of equal `(epsilon, delta)` releases, and the closed formulas people use instead.
//!
//! **Idea.** Randomised response is the worst `epsilon`-DP mechanism, so `k` of them are the worst
//! composition; their loss is binomial.
//!
//! **Theorem** (Kairouz, Oh and Viswanath 2017, Theorem 3.3): `k` adaptive `(epsilon, delta)`-DP releases
//! are `(e, 1 - (1 - delta)^k (1 - d(e)))`-DP with
//! `d(e) = sum_l C(k, l) (e^((k-l) epsilon) - e^(e + l epsilon))_+ / (1 + e^epsilon)^k`. Tight for releases of
//! which nothing but `(epsilon, delta)` is known; only for equal ones (unequal ones go to the
//! [`Pld`](super::Pld) accountant, which computes the same on a grid).
//!
//! **Numerics.** Binomial weights by their ratios from the mode outwards, normalised by their sum, so the
//! cost grows with the square root of `k`; beyond ten thousand million releases it refuses.

use super::leaves::Leaf;
use super::tail::Tail;
use super::{Accountant, basic, no_theorem, settle_delta, settle_epsilon};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, Loss, count_up};
use crate::special::{ROUNDING, UP};

/// The accountant of Kairouz, Oh and Viswanath.
#[derive(Debug, Clone, Copy, Default)]
pub struct Optimal;

const NAME: &str = "optimal composition";

impl Accountant for Optimal {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| {
            let (one, times) = homogeneous(leaves)?;
            // 1 - (1 - delta_0)^k (1 - d) <= delta
            let survive = count_up(times) * (-one.delta.get()).ln_1p();
            // What is left after the failures has the rounding error of both.
            let goal = -((-delta).ln_1p() - survive).exp_m1() - ROUNDING * delta;
            let most = one.epsilon.times(times).get();
            Ok(if goal < 0.0 {
                f64::INFINITY
            } else if goal == 0.0 {
                most
            } else {
                binomial_tail(one.epsilon.get(), times)?.epsilon(goal).min(most)
            })
        })
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| {
            let (one, times) = homogeneous(leaves)?;
            let survive = count_up(times) * (-one.delta.get()).ln_1p();
            let tail = if epsilon >= one.epsilon.times(times).get() {
                0.0
            } else {
                binomial_tail(one.epsilon.get(), times)?.delta(epsilon)
            };
            Ok(-(survive + (-tail).ln_1p()).exp_m1() * UP)
        })
    }
}

fn homogeneous(leaves: &[Leaf]) -> Result<(Loss, u64)> {
    match leaves {
        [leaf] => match basic::guarantee(&leaf.event) {
            Some(loss) if fault::on(Fault::OneReleaseOfMany) => Ok((loss, leaf.times.min(1))),
            Some(loss) => Ok((loss, leaf.times)),
            None => Err(no_theorem(NAME, &leaf.event)),
        },
        several => {
            let events =
                several.iter().map(|leaf| leaf.event.clone().repeated(leaf.times)).collect();
            Err(no_theorem(NAME, &Event::Sequence { events }))
        }
    }
}

/// Weights below this, relative to the largest, are left out.
const NEGLIGIBLE: f64 = 1e-300;
/// More than all weights that were left out.
const LEFT_OUT: f64 = 1e-290;
/// The most weights that are kept.
const MAX_WEIGHTS: f64 = 4_194_304.0;

/// More weights than are kept: `e^(-x^2/2)` is negligible at 37 standard deviations, and binomial tails are at most
/// twice as wide here.
fn most_weights(k: f64, odds: f64) -> f64 {
    (WIDTH * (k * odds).sqrt() / (1.0 + odds) + SPARE).min(k + 1.0)
}

/// Both sides of twice as many standard deviations, and what few releases need.
const WIDTH: f64 = 150.0;
const SPARE: f64 = 1_500.0;

/// The loss `(k - 2 l) epsilon` with `l` binomial of rate `1/(1 + e^epsilon)`.
fn binomial_tail(epsilon: f64, times: u64) -> Result<Tail<impl Iterator<Item = f64>>> {
    let k = times as f64;
    let odds = (-epsilon).exp();
    let width = most_weights(k, odds);
    if width > MAX_WEIGHTS {
        let needs = format!("{:.1} GB for the weights of {times} releases", 8e-9 * width);
        return Err(Error::TooCostly { accountant: NAME, needs });
    }
    // Kairouz, Oh and Viswanath 2017, Theorem 3.3: l of k answers are wrong with probability Bin(k, e^-eps / (1 +
    // e^-eps)), and the loss is (k - 2l) eps.
    let mode = ((k + 1.0) * odds / (1.0 + odds)).floor().min(k);
    // w(l + 1)/w(l) = (k - l)/(l + 1) e^-epsilon
    let walk = |from: f64, direction: f64| {
        let mut weight = 1.0;
        let mut l = from;
        std::iter::from_fn(move || {
            weight *= if direction < 0.0 {
                l / ((k - l + 1.0) * odds)
            } else {
                (k - l) / (l + 1.0) * odds
            };
            l += direction;
            (weight > NEGLIGIBLE).then_some(weight)
        })
    };
    let mut weights: Vec<f64> = walk(mode, -1.0).collect();
    let fewest = mode - weights.len() as f64;
    weights.reverse();
    weights.push(1.0);
    weights.extend(walk(mode, 1.0));
    let total: f64 = weights.iter().sum();
    // Each weight is a product of at most this many rounded ratios: pay for the rounding.
    let inflation = (1.0 + ROUNDING * weights.len() as f64) / total;
    Ok(Tail {
        top: (k - 2.0 * fewest) * epsilon,
        step: 2.0 * epsilon,
        masses: weights.into_iter().map(move |weight| weight * inflation),
        extra: if fewest > 0.0 { LEFT_OUT } else { 0.0 },
    })
}

/// Advanced composition in closed form: `times` releases, with `slack` of delta given to the bound.
///
/// `epsilon = k e tanh(e/2) + e sqrt(2 k log(1/slack))` (the third branch of Kairouz, Oh and Viswanath
/// 2017, Theorem 3.4: Hoeffding's inequality for losses in `[-e, e]` of mean `e tanh(e/2)`), never more
/// than basic composition. It holds for all parameters; [`Optimal`] is tighter.
pub fn advanced_composition(one: Loss, times: u64, slack: Delta) -> Loss {
    let (e, k) = (one.epsilon.get(), count_up(times));
    // The mean loss of randomised response is eps tanh(eps/2), not eps (e^eps - 1); the second term is Azuma's
    // inequality.
    let bound = k * e * (0.5 * e).tanh() + e * (2.0 * k * -slack.get().ln()).sqrt();
    let most = one.epsilon.times(times);
    let epsilon =
        Epsilon::new(bound * UP).map_or(most, |bound| if bound < most { bound } else { most });
    Loss { epsilon, delta: one.delta.times(times) + slack }
}

/// The share of each of `steps` releases in a total budget by the closed form
/// `epsilon / (2 sqrt(steps log(e + epsilon/delta)))`, `delta / (2 steps)`.
///
/// The formula is simple, loose for small budgets and *wrong* for large ones, so the share is checked
/// with [`Optimal`] and refused where it does not keep the promise.
pub fn closed_form_share(total: Loss, steps: u64) -> Result<Loss> {
    const FORMULA: &str =
        "the closed composition formula epsilon/(2 sqrt(M log(e + epsilon/delta)))";
    if steps == 0 || !total.epsilon.is_finite() || total.delta == Delta::ZERO {
        return Err(Error::FormulaFails {
            formula: FORMULA,
            detail: format!("{steps} steps, {total}"),
        });
    }
    let (epsilon, delta, m) = (total.epsilon.get(), total.delta.get(), steps as f64);
    let share = Loss::new(
        epsilon / (2.0 * (m * (std::f64::consts::E + epsilon / delta).ln()).sqrt()),
        delta / (2.0 * m),
    )?;
    // The printed formula is not always a bound: the exact composition decides.
    let one = Event::Approximate { epsilon: share.epsilon, delta: share.delta };
    let truth = Optimal.delta(&one.repeated(steps), total.epsilon)?;
    if truth > total.delta && !fault::on(Fault::ClosedFormTrusted) {
        let detail = format!("{steps} steps at {share} have delta {truth}, not {}", total.delta);
        return Err(Error::FormulaFails { formula: FORMULA, detail });
    }
    Ok(share)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{Big, above, big};
    use crate::special::log_binomial;
    use proptest::prelude::*;

    fn pure(epsilon: f64) -> Event {
        Event::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
    }

    fn direct_delta(epsilon: f64, k: u64, total: f64) -> f64 {
        let norm = k as f64 * epsilon.exp().ln_1p();
        (0..=k)
            .filter(|l| (k as f64 - 2.0 * *l as f64) * epsilon > total)
            .map(|l| {
                let weight = log_binomial(k, l) - norm;
                (weight + (k - l) as f64 * epsilon).exp()
                    - (weight + total + l as f64 * epsilon).exp()
            })
            .sum()
    }

    #[test]
    fn matches_the_printed_sum() {
        for (epsilon, k, total) in
            [(0.1, 50, 1.3), (1.0, 7, 3.3), (0.5, 200, 30.0), (0.01, 10, 0.0)]
        {
            let found =
                Optimal.delta(&pure(epsilon).repeated(k), Epsilon::new(total).unwrap()).unwrap();
            let expected = direct_delta(epsilon, k, total);
            assert!((found.get() / expected - 1.0).abs() < 1e-10, "{found} {expected}");
        }
    }

    #[test]
    fn one_release_costs_what_it_costs() {
        assert_eq!(Optimal.epsilon(&pure(0.7), Delta::ZERO).unwrap().get(), 0.7);
        assert!(Optimal.epsilon(&pure(0.7).repeated(3), Delta::ZERO).unwrap().get() >= 2.1);
        // delta(e) = (e^0.7 - e^e)/(1 + e^0.7)
        let found = Optimal.epsilon(&pure(0.7), Delta::new(0.1).unwrap()).unwrap().get();
        let expected = (0.7_f64.exp() - 0.1 * (1.0 + 0.7_f64.exp())).ln();
        assert!((found - expected).abs() < 1e-13);
    }

    /// The printed sum to many digits.
    fn exact_delta(epsilon: f64, k: u32, total: f64) -> Big {
        let (ratio, bound) = (big(epsilon).exp(), big(total).exp());
        let mut weight = big(1.0) / (big(1.0) + &ratio).powi(k.into());
        let mut sum = big(0.0);
        for l in 0..=k {
            let gain = ratio.powi((k - l).into()) - &bound * ratio.powi(l.into());
            if gain > big(0.0) {
                sum += &weight * gain;
            }
            weight = weight * big(f64::from(k - l)) / big(f64::from(l + 1));
        }
        sum
    }

    /// Never below the sum, above it by a few units for every weight and step; and the inverse never below its root.
    #[test]
    fn the_sum_is_rounded_up_by_little() {
        for (epsilon, k) in [(0.37, 1), (0.11, 2), (1.3, 7), (0.05, 40), (2.1, 33), (0.9, 90)] {
            let event = pure(epsilon).repeated(u64::from(k));
            for part in [0.0, 0.05, 0.31, 0.62, 0.97] {
                let total = part * epsilon * f64::from(k);
                let found = Optimal.delta(&event, Epsilon::new(total).unwrap()).unwrap().get();
                let over = above(found, &exact_delta(epsilon, k, total));
                // Positions are rounded by a few units of the largest loss, and delta is as steep as that.
                let steep = epsilon * f64::from(k) / (-(total - epsilon * f64::from(k)).exp_m1());
                let most = 30.0 + 14.0 * f64::from(k) + 8.0 * steep;
                assert!(over >= 0.0 && over < most, "{epsilon} {k} {part}: {over} {most}");
                let back = Optimal.epsilon(&event, Delta::new(found).unwrap()).unwrap().get();
                assert!(exact_delta(epsilon, k, back) <= big(found), "{epsilon} {k} {part}");
                assert!(back < total * (1.0 + 1e-10) + 1e-11, "{epsilon} {k} {part}: {back}");
            }
        }
    }

    /// With failures: `1 - (1 - d)^k (1 - d(e))`, to many digits, and what is left of a delta after them.
    #[test]
    fn failures_are_taken_off_exactly() {
        let one = |delta: f64| Event::Approximate {
            epsilon: Epsilon::new(0.3).unwrap(),
            delta: Delta::new(delta).unwrap(),
        };
        for failure in [0.0, 1e-12, 1e-5, 0.01] {
            let event = one(failure).repeated(8);
            for total in [0.1, 1.1, 2.2] {
                let survive = (big(1.0) - big(failure)).powi(8.into());
                let exact = big(1.0) - survive * (big(1.0) - exact_delta(0.3, 8, total));
                let found = Optimal.delta(&event, Epsilon::new(total).unwrap()).unwrap().get();
                assert!((0.0..500.0).contains(&above(found, &exact)), "{failure} {total}");
                let back = Optimal.epsilon(&event, Delta::new(found).unwrap()).unwrap().get();
                assert!((total - 1e-12..total + 1e-9).contains(&back), "{failure}: {back} {total}");
            }
            // At the largest loss only the failures are left.
            let most = Optimal.delta(&event, Epsilon::new(0.3).unwrap().times(8)).unwrap().get();
            assert!(most <= 8.0 * failure * (1.0 + 1e-14) && most >= 7.7 * failure, "{most}");
            let less = Delta::new(7.7 * failure).unwrap();
            let known = Optimal.epsilon(&event, less).unwrap();
            assert_eq!(known.is_finite(), failure == 0.0, "{failure}");
        }
    }

    /// All weights that count are kept, and the estimate of their number is not far above it.
    #[test]
    fn the_number_of_weights_is_known_beforehand() {
        for (epsilon, k) in [(0.01, 5_000_u64), (0.01, 1_000_000), (2.0, 3_000_000), (30.0, 10_000)]
        {
            let kept = binomial_tail(epsilon, k).unwrap().masses.count() as f64;
            let estimate = most_weights(k as f64, (-epsilon).exp());
            assert!(kept <= estimate && estimate < 2.2 * kept + 1_600.0, "{kept} {estimate}");
        }
        assert_eq!(most_weights(10.0, 1.0), 11.0);
    }

    /// Only one kind of release, and one that has an (epsilon, delta).
    #[test]
    fn only_equal_releases_are_composed() {
        let at = Delta::new(1e-6).unwrap();
        let error = Optimal.epsilon(&pure(1.0).then(pure(2.0)), at).unwrap_err().to_string();
        assert!(error.contains("1 time") || error.contains("pure"), "{error}");
        assert!(Optimal.epsilon(&Event::Gaussian { noise_multiplier: 1.0 }, at).is_err());
        assert!(Optimal.epsilon(&pure(1.0).then(pure(1.0)), at).is_ok());
    }

    /// `k e tanh(e/2) + e sqrt(2 k log(1/slack))`, to many digits, or `k e` where that is less.
    #[test]
    fn the_closed_form_is_rounded_up() {
        let slack = Delta::new(1e-6).unwrap();
        for step in 1..40_u32 {
            let (e, k) = (0.011 * f64::from(step), 500 * step);
            let found = advanced_composition(Loss::new(e, 1e-9).unwrap(), k.into(), slack);
            let (exact, count) = (big(e), big(f64::from(k)));
            let gain = exact.exp_m1();
            let tanh = &gain / (&gain + big(2.0));
            let root = (big(-2.0) * &count * big(1e-6).ln()).sqrt();
            let over = above(found.epsilon.get(), &(count * &exact * tanh + &exact * root));
            assert!((0.0..16.0).contains(&over), "{e} {k}: {over}");
            let failures = 1e-9 * f64::from(k) + 1e-6;
            assert!((found.delta.get() / failures - 1.0).abs() < 1e-14);
        }
        let few = advanced_composition(Loss::new(0.5, 0.0).unwrap(), 2, slack);
        assert_eq!(few.epsilon.get(), 1.0);
        let none = advanced_composition(Loss::new(0.5, 0.0).unwrap(), 2, Delta::ZERO);
        assert_eq!(none.epsilon.get(), 1.0);
    }

    /// The share that the formula says, and no share where it says nothing.
    #[test]
    fn shares_are_what_the_formula_says() {
        let share = closed_form_share(Loss::new(2.0, 1e-3).unwrap(), 50).unwrap();
        let expected = 2.0 / (2.0 * (50.0 * (std::f64::consts::E + 2e3).ln()).sqrt());
        assert!((share.epsilon.get() / expected - 1.0).abs() < 1e-14);
        assert!((share.delta.get() / 1e-5 - 1.0).abs() < 1e-14);
        let infinite = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-3).unwrap() };
        for (total, steps) in
            [(Loss::new(2.0, 1e-3).unwrap(), 0), (Loss::new(2.0, 0.0).unwrap(), 5), (infinite, 5)]
        {
            let error = closed_form_share(total, steps).unwrap_err();
            assert!(error.to_string().contains(&format!("{steps} steps, ")), "{error}");
        }
    }

    /// The closed form of the node-level paper holds for 70 steps up to 44 and fails at 80.
    #[test]
    fn the_closed_form_is_refused_where_it_is_false() {
        assert!(closed_form_share(Loss::new(44.0, 1e-3).unwrap(), 70).is_ok());
        let error = closed_form_share(Loss::new(80.0, 1e-3).unwrap(), 70).unwrap_err();
        assert!(error.to_string().contains("have delta 0.0107"), "{error}");
        assert!(closed_form_share(Loss::new(44.0, 0.0126).unwrap(), 500).is_err());
    }

    #[test]
    fn a_million_releases_are_quick() {
        let event = pure(1e-3).repeated(1_000_000);
        let found = Optimal.epsilon(&event, Delta::new(1e-6).unwrap()).unwrap().get();
        // About a Gaussian with mu = 1.
        let gaussian = super::super::analytic_gaussian::epsilon(1.0, 1e-6);
        assert!((found / gaussian - 1.0).abs() < 1e-3, "{found} {gaussian}");
    }

    #[test]
    fn too_many_releases_are_refused_before_anything_is_allocated() {
        let at = Delta::new(1e-6).unwrap();
        for (epsilon, times) in [(1e-8, 10_u64.pow(16)), (1e-3, u64::MAX), (20.0, u64::MAX)] {
            let error = Optimal.epsilon(&pure(epsilon).repeated(times), at).unwrap_err();
            assert!(matches!(error, Error::TooCostly { .. }), "{error}");
        }
        // The loss of a huge release is hardly random: few weights, however many releases.
        assert!(Optimal.epsilon(&pure(700.0).repeated(u64::MAX), at).is_ok());
        assert!(Optimal.epsilon(&pure(1e-3).repeated(500_000_000), at).is_ok());
    }

    proptest! {
        #[test]
        fn sits_below_the_closed_forms(epsilon in 1e-3..5.0_f64, k in 1..400_u64, log_slack in -30.0..-1.0_f64) {
            let slack = Delta::new(log_slack.exp()).unwrap();
            let optimal = Optimal.epsilon(&pure(epsilon).repeated(k), slack).unwrap();
            let advanced = advanced_composition(Loss::new(epsilon, 0.0).unwrap(), k, slack);
            prop_assert!(optimal.get() <= advanced.epsilon.get() * (1.0 + 1e-12));
            let back = Optimal.delta(&pure(epsilon).repeated(k), optimal).unwrap();
            // Close below an atom of the loss delta is steep.
            prop_assert!(back.get() <= slack.get() * (1.0 + 1e-9) + 1e-14 * optimal.get());
        }
    }

    /// Every weight is raised by a unit of rounding for each, and what is left out is paid for, where something is.
    #[test]
    fn weights_are_raised() {
        for (epsilon, k, extra) in [(0.1, 1_000, 0.0), (1.0, 3, 0.0), (0.01, 5_000_000, LEFT_OUT)] {
            let tail = binomial_tail(epsilon, k).unwrap();
            assert_eq!(tail.extra, extra, "{k}");
            let masses: Vec<f64> = tail.masses.collect();
            let units = (masses.iter().sum::<f64>() - 1.0) / ROUNDING;
            let count = masses.len() as f64;
            assert!((units - count).abs() < 0.1 * count + 1.0, "{k}: {units} {count}");
        }
    }

    /// Where failures have used almost all of delta, what is left of it is a difference of two logarithms: it is rounded
    /// down by more than they are off, or the epsilon of one release would be too low.
    #[test]
    fn what_failures_leave_is_rounded_down() {
        let (epsilon, failure, delta) = (0.01_f64, 0.9, 0.9001);
        let event = Event::Approximate {
            epsilon: Epsilon::new(epsilon).unwrap(),
            delta: Delta::new(failure).unwrap(),
        };
        let found = Optimal.epsilon(&event, Delta::new(delta).unwrap()).unwrap().get();
        // p (1 - e^(found - epsilon)) = (delta - failure)/(1 - failure) with p = 1/(1 + e^-epsilon)
        let left = (big(delta) - big(failure)) / (big(1.0) - big(failure));
        let share = left * (big(1.0) + (-big(epsilon)).exp());
        let exact = big(epsilon) + (big(1.0) - share).ln();
        let over = (big(found) - exact).to_f64().value() / f64::EPSILON;
        assert!((0.0..60.0).contains(&over), "{over}");
    }

    /// Without any delta nothing has to be summed, however many releases there are.
    #[test]
    fn without_a_delta_all_releases_cost_their_sum() {
        let many = pure(1e-3).repeated(1_000_000_000_000_000);
        let found = Optimal.epsilon(&many, Delta::ZERO).unwrap().get();
        assert!((found / 1e12 - 1.0).abs() < 1e-12, "{found:e}");
    }

    /// The largest loss of about a thousand releases is rarer than any weight that is kept. It is possible all the same.
    #[test]
    fn weights_that_are_left_out_are_paid_for() {
        let epsilon = Epsilon::new(1e-3).unwrap();
        for k in 995..1_020 {
            let below_the_largest = epsilon.times(k - 1);
            let delta = Optimal.delta(&pure(1e-3).repeated(k), below_the_largest).unwrap().get();
            assert!(delta > 0.0 && delta < 1e-285, "{k}: {delta:e}");
        }
    }
}
