//! Rényi divergences from a hockey-stick curve, where nothing else of a release is known.
//!
//! **Theorem** (Liese and Vajda 2006; Sason and Verdú 2016): every f-divergence is an integral over hockey-stick
//! divergences. For a symmetric curve `H` the moment of order `a` is
//! `A - 1 = a (a - 1) integral_1^inf (t^(a-2) + t^(-a-1)) H(t) dt`, `t = e^epsilon`. A bound on `H` bounds the moment.
//!
//! **Numerics.** All terms are positive: nothing cancels, however small the losses are. `H` is convex and falls
//! in `t`, so chords lie above it, and within a cell the largest power of `t` is taken. What lies beyond the last
//! cell is bounded by the Gaussian tail of the largest move, whose argument grows at least as fast as epsilon.

use crate::accountant::replaced::Replaced;

const CELLS: u32 = 1_024;
/// The curve ends where it has fallen by this factor.
const END: f64 = 1e-35;
const ROUNDING: f64 = 1e-12;

/// The curve of replaced rows at evenly spaced losses.
#[derive(Debug, Clone)]
pub(crate) struct ReplacedCurve {
    replaced: Replaced,
    step: f64,
    curve: Vec<f64>,
}

impl ReplacedCurve {
    pub(crate) fn new(replaced: Replaced) -> Self {
        // The grid ends where the curve has lost 35 digits; `beyond` bounds the rest.
        let tail = END * replaced.curve(0.0, &mut replaced.start(0.0));
        let last = replaced.range(tail.max(1e-300)).1;
        let step = last / f64::from(CELLS);
        // From the largest loss down: each root found is a start right of the next one, as Newton's method there
        // needs.
        let mut start = replaced.start(last);
        let at = |cell: u32| replaced.curve(f64::from(cell) * step, &mut start);
        let mut curve: Vec<f64> = (0..=CELLS).rev().map(at).collect();
        curve.reverse();
        Self { replaced, step, curve }
    }

    /// A bound on the divergence of this order; infinite where the moment is too large for a float.
    pub(crate) fn divergence(&self, order: f64) -> f64 {
        // In t = e^epsilon: dt = e^epsilon d(epsilon), so a cell contributes its length in t, times H, times t^(a-2)
        // + t^(-a-1).
        let excess = order - 1.0;
        // Nothing is worse than a batch that holds every row.
        let full = 0.5 * order * self.replaced.reach().powi(2) * (1.0 + ROUNDING);
        let power = |exponent: f64, low: f64| {
            // The exponent may have either sign: the larger end is an upper bound for both.
            let ends = (exponent * low).max(exponent * (low + self.step));
            ends.exp()
        };
        let cell = |(index, ends): (usize, &[f64])| {
            let low = index as f64 * self.step;
            // (e^high - e^low) times the middle of the chord
            let area = low.exp() * self.step.exp_m1() * 0.5 * (ends[0] + ends[1]);
            area * (power(excess - 1.0, low) + power(-order - 1.0, low))
        };
        let inside: f64 = self.curve.windows(2).enumerate().map(cell).sum();
        // Beyond the grid t^(-a-1) is smaller than t^(a-2), so twice the latter covers the sum.
        let moment = order * excess * (inside + 2.0 * self.beyond(excess));
        if moment.is_nan() { full } else { full.min(moment.ln_1p() / excess * (1.0 + ROUNDING)) }
    }

    /// `integral e^((a-1) epsilon) H(epsilon)` from the end of the grid on.
    ///
    /// There `H <= eta/2 exp(-(i/mu - mu/2)^2/2)` with `i` the inner epsilon, which gains at least as much as epsilon.
    fn beyond(&self, excess: f64) -> f64 {
        let last = self.step * f64::from(CELLS);
        let (inner, mu) = (self.replaced.inner(last), self.replaced.reach());
        let away = inner / mu - 0.5 * mu;
        // The Gaussian exponent falls at rate away/mu and the weight rises at rate a - 1: the integral is a geometric
        // tail only if the first wins.
        let decay = away / mu - excess;
        if away <= 0.0 || decay <= 0.0 {
            return f64::INFINITY;
        }
        0.5 * self.replaced.eta() * (excess * last - 0.5 * away * away).exp() / decay
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::BatchSampling;

    /// With everything in the batch the divergence is `a mu^2/2`.
    #[test]
    fn a_full_batch_has_the_divergence_of_a_gaussian() {
        for (sigma, order) in [(1e3, 2.0), (1e3, 50.0), (20.0, 5.0), (3.0, 1.5), (1e12, 30.0)] {
            let found = ReplacedCurve::new(Replaced::one_record(sigma, 1.0)).divergence(order);
            let exact = 0.5 * order / (sigma * sigma);
            assert!(found >= exact && found <= exact * 1.01, "{sigma} {order}: {}", found / exact);
            // The line of a full batch is not what made it right.
            let mut stick = ReplacedCurve::new(Replaced::one_record(sigma, 1.0));
            stick.curve.iter_mut().for_each(|value| *value *= 0.5);
            assert!(stick.divergence(order) < 0.6 * exact, "{sigma} {order}");
        }
    }

    /// The integral by a sum ten times as fine: chords and largest powers make it larger, by a few per cent at most.
    #[test]
    fn cells_lie_closely_above_the_integral() {
        for (sigma, rate, order) in
            [(0.7, 0.2, 2.0), (3.0, 0.05, 1.5), (2.0, 0.5, 6.5), (9.0, 1.0, 30.0)]
        {
            let replaced = Replaced::one_record(sigma, rate);
            let stick = ReplacedCurve::new(replaced.clone());
            let last = replaced.range(1e-30).1;
            let step = last / 10_240.0;
            let integral: f64 = (0..10_240)
                .map(|cell| (f64::from(cell) + 0.5) * step)
                .map(|epsilon| {
                    let powers = ((order - 1.0) * epsilon).exp() + (-order * epsilon).exp();
                    powers * replaced.curve(epsilon, &mut 0.0) * step
                })
                .sum();
            let exact = (order * (order - 1.0) * integral).ln_1p() / (order - 1.0);
            let found = stick.divergence(order) / exact;
            assert!((1.0..1.02).contains(&found), "{sigma} {rate} {order}: {found}");
        }
    }

    /// What lies beyond the grid is more than the curve there: with half of the grid cut off, the bound still holds,
    /// and where the powers grow faster than the tail falls, all rows in every batch are the bound.
    #[test]
    fn the_end_of_the_grid_is_paid_for() {
        let replaced = Replaced::one_record(1.0, 0.3);
        let whole = ReplacedCurve::new(replaced.clone());
        for excess in [0.5, 1.0, 3.0] {
            let mut short = whole.clone();
            // A grid of half the step ends at half the loss.
            short.step *= 0.5;
            let end = short.step * f64::from(CELLS);
            let step = end / 1e4;
            let rest: f64 = (0..100_000)
                .map(|cell| end + (f64::from(cell) + 0.5) * step)
                .map(|epsilon| (excess * epsilon).exp() * replaced.curve(epsilon, &mut 0.0) * step)
                .sum();
            let bound = short.beyond(excess);
            assert!(bound >= rest && bound < 200.0 * rest, "{excess}: {bound:e} {rest:e}");
        }
        assert_eq!(whole.beyond(1e3), f64::INFINITY);
        let full = 0.5 * 1_001.0 * (1.0 + ROUNDING);
        assert_eq!(whole.divergence(1_001.0), full);
        // Less than nothing is left of a tail that has not begun to fall.
        let mut stump = whole;
        stump.step = 1e-9;
        assert_eq!(stump.beyond(0.5), f64::INFINITY);
        // All rows move twice as little: a quarter of the divergence.
        let half = ReplacedCurve::new(Replaced::one_record(2.0, 0.3));
        assert_eq!(half.divergence(1_001.0), 0.25 * full);
    }

    /// The grid has all its cells, and with nothing on it what lies beyond is all there is.
    #[test]
    fn what_lies_beyond_by_hand() {
        let mut stick = ReplacedCurve::new(Replaced::one_record(0.8, 0.3));
        assert_eq!(stick.curve.len(), 1_025);
        stick.curve.fill(0.0);
        stick.step *= 0.4;
        let (mu, last, excess) = (1.25, 1_024.0 * stick.step, 0.75);
        let away = stick.replaced.inner(last) / mu - 0.5 * mu;
        let tail = 0.5 * 0.3 * (excess * last - 0.5 * away * away).exp() / (away / mu - excess);
        assert!((stick.beyond(excess) / tail - 1.0).abs() < 1e-12);
        let moment = 1.75 * 0.75 * 2.0 * tail;
        let raised = stick.divergence(1.75) / (moment.ln_1p() / 0.75) - 1.0;
        assert!((raised - ROUNDING).abs() < 0.1 * ROUNDING, "{raised:e}");
    }

    /// The last cell of the grid counts like the others.
    #[test]
    fn the_last_cell_counts() {
        let mut stick = ReplacedCurve::new(Replaced::one_record(0.8, 0.3));
        stick.curve.fill(0.0);
        let without = stick.divergence(1.75);
        stick.curve[1_024] = 1e-3;
        assert!(stick.divergence(1.75) > 1.1 * without);
    }

    /// A tail that falls slowly falls: with every row in the batch, distance 5/4 and the grid's end at 45/32 the argument
    /// is one half, and what is left of its slope 3/10.
    #[test]
    fn slow_tails_are_finite() {
        let mut stick = ReplacedCurve::new(Replaced::one_record(0.8, 1.0));
        stick.step = 1.40625 / 1_024.0;
        let expected = 0.5 * (0.1_f64 * 1.40625 - 0.125).exp() / 0.3;
        assert!((stick.beyond(0.1) / expected - 1.0).abs() < 1e-9, "{}", stick.beyond(0.1));
    }

    /// For tiny losses sampling acts on the distance: rate times two over sigma.
    #[test]
    fn small_rows_act_like_a_sampled_distance() {
        let (rate, sigma, order) = (1e-3, 1e6, 8.0);
        let replaced = Replaced::rows(sigma, 1, BatchSampling::Poisson { rate });
        let found = ReplacedCurve::new(replaced).divergence(order);
        let expected = 0.5 * order * (2.0 * rate / sigma).powi(2);
        assert!((1.0..1.02).contains(&(found / expected)), "{found:e} {expected:e}");
    }

    /// The moment by definition, on the pair `(1-r) N(0) + r N(1/2)` against `(1-r) N(0) + r N(-1/2)`, which is one
    /// way of replacing a record: never above the bound.
    #[test]
    fn a_real_replacement_lies_below() {
        let (rate, sigma) = (0.1, 0.8_f64);
        let stick = ReplacedCurve::new(Replaced::one_record(sigma, rate));
        for order in [1.5, 2.0, 4.0, 9.0_f64] {
            let density = |x: f64, shift: f64| {
                let at = |mean: f64| (-0.5 * ((x - mean) / sigma).powi(2)).exp();
                (1.0 - rate) * at(0.0) + rate * at(shift)
            };
            let step = 1e-3;
            let moment: f64 = (-7_000..7_000)
                .map(|node| f64::from(node) * step)
                .map(|x| density(x, 0.5).powf(order) * density(x, -0.5).powf(1.0 - order))
                .sum::<f64>()
                * step
                / (sigma * (2.0 * std::f64::consts::PI).sqrt());
            let exact = moment.ln() / (order - 1.0);
            let bound = stick.divergence(order);
            let full = 0.5 * order / (sigma * sigma);
            assert!(bound >= exact && bound < full, "{order}: {bound} {exact} {full}");
        }
    }
}
