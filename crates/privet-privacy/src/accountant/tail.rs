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
        let (keep, fresh) = ((-self.step).exp(), -(-self.step).exp_m1());
        let (mut above, mut delta, mut loss) = (0.0, 0.0, self.top);
        for (index, mass) in self.masses.enumerate() {
            above += mass;
            loss = self.top - index as f64 * self.step;
            let next = keep * delta + fresh * above;
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
        let reach = epsilon - loss;
        let sum = above * -reach.exp_m1() + reach.exp() * delta;
        (self.extra + sum * (1.0 + ROUNDING * steps)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
