//! From the distribution of a privacy loss on an evenly spaced grid to epsilon and delta.
//!
//! With `P_i` the probability of the loss `l_i`, `delta(e) = extra + sum_{l_i > e} P_i (1 - e^(e - l_i))`,
//! where `extra` is the probability of everything that is not on the grid. Walking down from the
//! largest loss, with `A` the mass above, `delta(l - h) = e^-h delta(l) + (1 - e^-h) A`: only sums of
//! positive numbers, so the far tail keeps its relative accuracy. Between two grid points `delta` is
//! linear in `e^e`, which is solved exactly.
//!
//! **Rounding.** Every step of the walk rounds a few times, so after `i` steps the sums may be too low by a share of
//! `4 i` units of rounding; the goal is lowered by that share, and positions are raised by theirs.

/// Losses `top, top - step, top - 2 step, ...` with their probabilities, largest first.
pub(crate) struct Tail<I> {
    pub(crate) top: f64,
    pub(crate) step: f64,
    pub(crate) masses: I,
    pub(crate) extra: f64,
}

/// The share by which one step of the walk may be too low.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

impl<I: Iterator<Item = f64>> Tail<I> {
    /// The smallest epsilon of at least 0 at which delta is at most `target`; infinite if none is.
    pub(crate) fn epsilon(self, target: f64) -> f64 {
        let goal = target - self.extra;
        if goal < 0.0 {
            return f64::INFINITY;
        }
        // One grid step down in epsilon: delta(l - h) = e^-h delta(l) + (1 - e^-h) P(L >= l).
        let (keep, fresh) = ((-self.step).exp(), -(-self.step).exp_m1());
        let (mut above, mut delta, mut loss) = (0.0, 0.0, self.top);
        for (index, mass) in self.masses.enumerate() {
            above += mass;
            loss = self.top - index as f64 * self.step;
            let next = keep * delta + fresh * above;
            // Rounding may have made `next` too small by this share, so the goal is lowered by it.
            let goal = goal / (1.0 + ROUNDING * (index + 2) as f64);
            if next > goal {
                // above - e^(epsilon - loss) (above - delta) = goal
                let back = ((above - goal) / (above - delta)).ln() + ROUNDING;
                let epsilon = loss + back.clamp(-self.step, 0.0) + ROUNDING * self.top.abs();
                return epsilon.max(0.0);
            }
            if loss - self.step <= 0.0 {
                return 0.0;
            }
            delta = next;
        }
        // Everything on the grid fits below the goal already at the lowest loss of the grid.
        loss.max(0.0)
    }

    /// The delta at this epsilon, at most 1.
    pub(crate) fn delta(self, epsilon: f64) -> f64 {
        let (keep, fresh) = ((-self.step).exp(), -(-self.step).exp_m1());
        // Positions on the grid are rounded, too.
        let epsilon = epsilon - ROUNDING * self.top.abs();
        if epsilon >= self.top {
            return self.extra.min(1.0);
        }
        let (mut above, mut delta, mut loss, mut steps) = (0.0, 0.0, self.top, 2.0);
        for (index, mass) in self.masses.enumerate() {
            above += mass;
            steps += 1.0;
            loss = self.top - index as f64 * self.step;
            if loss - self.step <= epsilon {
                break;
            }
            delta = keep * delta + fresh * above;
        }
        // (1 - r) above + r delta with r = e^(epsilon - loss)
        // Between two grid points the curve is exactly this: no loss lies in between.
        let reach = epsilon - loss;
        let sum = above * -reach.exp_m1() + reach.exp() * delta;
        (self.extra + sum * (1.0 + ROUNDING * steps)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::exact::{Big, above, big};

    /// Losses `top - i step`, by definition and to many digits.
    fn exact(tail: &Tail<std::vec::IntoIter<f64>>, epsilon: f64) -> Big {
        let mut sum = big(tail.extra);
        for (index, mass) in tail.masses.as_slice().iter().enumerate() {
            let loss = big(tail.top) - big(tail.step) * big(index as f64);
            let share = big(1.0) - (big(epsilon) - loss).exp();
            if share > big(0.0) {
                sum += big(*mass) * share;
            }
        }
        sum
    }

    /// Many steps, so that roundings add up: delta is never below the definition and epsilon never below its root,
    /// and both are close.
    #[test]
    fn sums_are_rounded_up_by_little() {
        for (count, step, extra) in
            [(1, 1.0, 0.0), (2, 0.37, 1e-9), (60, 0.11, 1e-30), (500, 0.013, 0.0)]
        {
            let top = step * (f64::from(count) - 0.4);
            let weight = |index: i32| 1e-3 + f64::from(index * index % 17);
            let total: f64 = (0..count).map(weight).sum();
            let tail = || Tail {
                top,
                step,
                masses: (0..count).map(|i| weight(i) / total).collect::<Vec<_>>().into_iter(),
                extra,
            };
            for part in [0.0, 0.013, 0.21, 0.5, 0.77, 0.991] {
                let epsilon = part * top;
                let truth = exact(&tail(), epsilon);
                let found = tail().delta(epsilon);
                let steps = 3.0 + (top - epsilon) / step;
                // The position is lowered by four units of the top.
                let steep = 4.0 * top / -(epsilon - top).exp_m1();
                let over = above(found, &truth);
                assert!(
                    over >= 0.0 && over < 4.0 * steps + 5.0 * steep + 5.0,
                    "{count} {part}: {over}"
                );
                let back = tail().epsilon(found);
                assert!(exact(&tail(), back) <= big(found), "{count} {part}: {back}");
                assert!(back < epsilon + 1e-10 * top, "{count} {part}: {back} {epsilon}");
            }
            assert_eq!(tail().delta(1.001 * top), extra);
            assert_eq!(tail().epsilon(1.0 + extra), 0.0);
        }
        let all = || Tail { top: 2.0, step: 0.5, masses: vec![1.0].into_iter(), extra: 0.25 };
        assert_eq!((all().delta(3.0), all().epsilon(0.2)), (0.25, f64::INFINITY));
        // Nothing but what is not on the grid: the largest loss, raised by four units of itself.
        assert_eq!(all().epsilon(0.25), 2.0 * (1.0 + ROUNDING));
        // A grid that ends above the goal: nothing lies below it.
        assert_eq!(all().epsilon(0.9), 2.0);
        let full = Tail { top: 2.0, step: 0.5, masses: vec![1.0].into_iter(), extra: 0.75 };
        assert_eq!(full.delta(1e-3), 1.0);
    }

    /// Far from zero positions are raised by four units of the top; a grid that ends early ends at its last loss; and no
    /// delta is above 1.
    #[test]
    fn positions_are_rounded_up() {
        let far = Tail { top: 1e6, step: 1.0, masses: vec![1.0].into_iter(), extra: 0.0 };
        let by = far.epsilon(0.3) - (1e6 + 0.7_f64.ln());
        assert!((by / (1e6 * ROUNDING) - 1.0).abs() < 0.3, "{by:e}");
        // Also left of zero.
        let left = Tail { top: -1e6, step: 1.0, masses: vec![1.0].into_iter(), extra: 0.0 };
        let by = left.delta(-1e6 - 0.5) + (-0.5_f64).exp_m1();
        assert!((by / ((-0.5_f64).exp() * 1e6 * ROUNDING) - 1.0).abs() < 0.3, "{by:e}");
        let short = Tail { top: 0.5, step: 0.2, masses: vec![1.0].into_iter(), extra: 0.0 };
        assert_eq!(short.epsilon(0.9), 0.5);
        let sure = Tail { top: 0.5, step: 0.2, masses: vec![1.0].into_iter(), extra: 1.5 };
        assert_eq!(sure.delta(3.0), 1.0);
    }

    /// Losses 3, 1, -1 with masses 0.5, 0.3, 0.2, summed by hand.
    #[test]
    fn matches_the_definition() {
        let tail =
            || Tail { top: 3.0, step: 2.0, masses: [0.5, 0.3, 0.2].into_iter(), extra: 0.01 };
        for epsilon in [0.0, 0.5, 1.0, 1.7, 2.9, 3.0, 4.0_f64] {
            let expected = 0.01
                + [(3.0, 0.5), (1.0, 0.3)]
                    .iter()
                    .map(|(loss, mass): &(f64, f64)| mass * (1.0 - (epsilon - loss).exp()).max(0.0))
                    .sum::<f64>();
            let delta = tail().delta(epsilon);
            assert!((delta - expected).abs() < 1e-13, "{epsilon}: {delta} {expected}");
            if epsilon < 3.0 {
                assert!((tail().epsilon(delta) - epsilon).abs() < 1e-13, "{epsilon}");
            }
        }
        assert_eq!(tail().epsilon(0.009), f64::INFINITY);
        assert_eq!(tail().epsilon(0.9), 0.0);
    }
}
