//! A dominating pair on a grid of privacy losses: connect the dots.
//!
//! **Theorem** (Doroshenko, Ghazi, Kamath, Kumar and Manurangsi 2022): replace the hockey-stick curve by
//! the chords between its values at the grid points. The curve is convex in `e^epsilon`, so the chords lie
//! above it, and they are the curve of a pair that lives on the grid: it dominates the given pair, and it
//! is the smallest such pair.
//!
//! Seen cell by cell: the part of the given pair whose loss lies in `[l, l + h]`, with masses `p` and `q`, is
//! split between the two ends so that both masses are kept. The upper end gets
//! `(p - e^l q)/(1 - e^-h)` of `p`, the lower end gets `(q - e^-(l+h) p)/(1 - e^-h)` of `q`. This form needs no
//! second differences of the curve; a rounding error moves some mass by one cell and no further.
//!
//! What lies beyond the grid: mass above it counts as infinite loss, mass below it as the lowest loss.
//! Exchanging the two laws turns "remove" into "add", so one pair serves both directions.
//!
//! **Rounding.** Only two things count for delta: how much mass lies above each loss, and no less. So every mass is
//! raised by the bound on its error that comes with it, every split sends at least as much up as the exact one, and
//! the losses themselves are off by at most the share [`Losses::shift`] pays for.

use crate::fault::{self, Fault};
use crate::special::{DOWN, ROUNDING};

/// Masses below this are near the end of the floating-point range: rounded the pessimistic way.
const TINY: f64 = 1e-290;

/// A pair of laws on the losses `(first + i) step`.
#[derive(Debug, Clone)]
pub(crate) struct Pair {
    first: i64,
    p: Vec<f64>,
    q: Vec<f64>,
    p_infinite: f64,
    q_infinite: f64,
    step: f64,
    /// The relative error of the losses.
    rounding: f64,
}

/// A mass under both laws, and bounds on the error of each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mass {
    pub(crate) p: f64,
    pub(crate) q: f64,
    pub(crate) p_error: f64,
    pub(crate) q_error: f64,
}

impl Mass {
    fn most(self) -> (f64, f64) {
        (self.p + self.p_error, self.q + self.q_error)
    }

    fn least(self) -> (f64, f64) {
        ((self.p - self.p_error).max(0.0), (self.q - self.q_error).max(0.0))
    }
}

/// Which law produced the data that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LossDirection {
    Remove,
    Add,
}

/// One law of a pair as a distribution of its privacy loss.
#[derive(Debug, Clone)]
pub(crate) struct Losses {
    pub(crate) first: i64,
    pub(crate) mass: Vec<f64>,
    pub(crate) infinite: f64,
    pub(crate) times: u64,
    /// How much higher than on the grid a loss may be.
    pub(crate) shift: f64,
}

impl Pair {
    /// From the masses of the cells `[first + i, first + i + 1] step`, and of what lies outside.
    pub(crate) fn from_cells(
        step: f64,
        first: i64,
        cells: &[Mass],
        below: Mass,
        above: Mass,
    ) -> Self {
        let mut p = vec![0.0; cells.len() + 1];
        let mut q = vec![0.0; cells.len() + 1];
        // 1 - e^-h, rounded down: it divides, and a larger share must go up.
        let width = -(-step).exp_m1() * DOWN;
        for (index, cell) in cells.iter().enumerate() {
            let low = (first + index as i64) as f64 * step;
            let ((most_p, most_q), (least_p, least_q)) = (cell.most(), cell.least());
            // (p - e^l q)/(1 - e^-h) with p rounded up and q down: too much mass at the larger loss is the safe side.
            let up = ((most_p - scaled(least_q, low)) / width).clamp(0.0, most_p);
            let up = if fault::on(Fault::LossesRoundedDown) { 0.0 } else { up };
            p[index] += most_p - up;
            p[index + 1] += up;
            // The same split seen from Q, whose losses have the opposite sign: its larger loss is the lower end.
            let down = ((most_q - scaled(least_p, -(low + step))) / width).clamp(0.0, most_q);
            q[index] += down;
            q[index + 1] += most_q - down;
        }
        let ((below_p, below_q), (above_p, above_q)) = (below.most(), above.most());
        // Below the grid P's loss is rounded up to the lowest cell; there Q's loss is high, so Q's mass counts as
        // infinite. Above it is the other way round.
        p[0] += below_p;
        q[cells.len()] += above_q;
        let (p_infinite, q_infinite) = (above_p, below_q);
        Self { first, p, q, p_infinite, q_infinite, step, rounding: ROUNDING }
    }

    /// The same pair with a larger relative error of its losses.
    pub(crate) fn rounded_by(self, rounding: f64) -> Self {
        Self { rounding: ROUNDING + rounding, ..self }
    }

    /// The two laws in exchanged roles, to see that both directions are looked at.
    #[cfg(test)]
    pub(crate) fn exchanged(&self) -> Self {
        let reversed = |masses: &[f64]| masses.iter().rev().copied().collect();
        Self {
            first: 1 - self.first - self.q.len() as i64,
            p: reversed(&self.q),
            q: reversed(&self.p),
            p_infinite: self.q_infinite,
            q_infinite: self.p_infinite,
            ..*self
        }
    }

    /// From a symmetric curve: `curve[j]` bounds delta at the losses `j step`, `j >= 0`.
    ///
    /// A bound need not be convex in `e^epsilon`; what it bounds is, so the lower convex hull of the
    /// values is a bound as well. Its kinks carry the mass of `Q`; the rest follows from symmetry.
    pub(crate) fn from_symmetric_curve(step: f64, curve: &[f64]) -> Self {
        let last = curve.len() - 1;
        // Slopes in units of e^-loss at the middle point, so that nothing overflows: the chord that
        // arrives there from the left, and the one that leaves it to the right.
        let arriving = |left: usize, middle: usize| {
            (curve[middle] - curve[left]) / -(-((middle - left) as f64) * step).exp_m1()
        };
        let leaving = |middle: usize, right: usize| {
            (curve[right] - curve[middle]) / ((right - middle) as f64 * step).exp_m1()
        };
        let mut hull: Vec<usize> = Vec::with_capacity(curve.len());
        for index in 0..=last {
            while let [.., before, middle] = hull[..]
                && arriving(before, middle) >= leaving(middle, index)
            {
                hull.pop();
            }
            hull.push(index);
        }
        let infinite = curve[last];
        let (mut p, mut q) = (vec![0.0; 2 * last + 1], vec![0.0; 2 * last + 1]);
        for (position, &index) in hull.iter().enumerate().skip(1) {
            let left = arriving(hull[position - 1], index).min(0.0);
            let right = hull.get(position + 1).map_or(0.0, |&next| leaving(index, next).min(0.0));
            // At the high end of each law the kink is rounded up, at the low end down.
            let error = ROUNDING * (left.abs() + right.abs());
            let most = (right - left + error).max(0.0);
            let least = (right - left - error).max(0.0) * (-(index as f64) * step).exp();
            (p[last + index], q[last + index]) = (most, least);
            (p[last - index], q[last - index]) = (least, most);
        }
        let rest = (1.0 - infinite - p.iter().sum::<f64>()).max(0.0) + ROUNDING * last as f64;
        (p[last], q[last]) = (rest, rest);
        let first = -(last as i64);
        Self { first, p, q, p_infinite: infinite, q_infinite: infinite, step, rounding: ROUNDING }
    }

    /// The distribution of the loss in one direction.
    ///
    /// Up to `tail` of it is moved up from the low end, where it only costs time; at the high end
    /// masses that have underflowed are dropped.
    pub(crate) fn losses(&self, direction: LossDirection, times: u64, tail: f64) -> Losses {
        let (mut mass, mut first, infinite) = match direction {
            LossDirection::Remove => (self.p.clone(), self.first, self.p_infinite),
            LossDirection::Add => {
                let reversed = self.q.iter().rev().copied().collect();
                (reversed, 1 - self.first - self.q.len() as i64, self.q_infinite)
            }
        };
        // Zeros above the highest loss only lengthen the transform.
        while mass.len() > 1 && mass.last() == Some(&0.0) {
            mass.pop();
        }
        let mut moved = 0.0;
        let mut low = 0;
        while low + 1 < mass.len() && moved + mass[low] <= tail {
            moved += mass[low];
            low += 1;
        }
        mass.drain(..low);
        mass[0] += moved;
        first += low as i64;
        // Each loss l on the grid is off by at most rounding * |l|; the farthest decides for all.
        let farthest = (-first).max(first + mass.len() as i64);
        let shift = self.rounding * farthest as f64 * self.step;
        Losses { first, mass, infinite, times, shift }
    }
}

/// `mass e^exponent`, rounded down; zero where the mass itself is not accurate any more.
fn scaled(mass: f64, exponent: f64) -> f64 {
    // Masses this small have lost their digits; taking them for zero is rounding down.
    if mass < TINY {
        return 0.0;
    }
    let product =
        if exponent < 600.0 { mass * exponent.exp() } else { (mass.ln() + exponent).exp() };
    product * (1.0 - f64::EPSILON * (4.0 + exponent.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::analytic_gaussian;
    use crate::accountant::exact::{Big, above, big};

    /// `delta(epsilon)` of losses on a grid, by definition and to many digits.
    fn curve(losses: &Losses, step: f64, epsilon: &Big) -> Big {
        let mut sum = big(losses.infinite);
        for (index, mass) in losses.mass.iter().enumerate() {
            let loss = big((losses.first + index as i64) as f64) * big(step) + big(losses.shift);
            let share = big(1.0) - (epsilon - loss).exp();
            if share > big(0.0) {
                sum += big(*mass) * share;
            }
        }
        sum
    }

    /// At a grid point all cells above it count with `p - e^epsilon q`, those below not at all; whatever the roundings,
    /// the pair on the grid is never below that, in both directions, and hardly above.
    #[test]
    fn no_rounding_lowers_the_curve() {
        for (step, first) in [(0.013, -7), (0.3, -9), (1e-5, 40), (2.0, 3), (0.7, -31)] {
            let cells: Vec<Mass> = (0..20)
                .map(|index| {
                    let loss =
                        (f64::from(first) + f64::from(index) + 0.1 + 0.04 * f64::from(index))
                            * step;
                    let q = (1.0 + f64::from(index * index % 7)) / 70.0 * (-loss).exp().min(1.0);
                    Mass { p: q * loss.exp(), q, ..Mass::default() }
                })
                .collect();
            let (below, above_) = (
                Mass { p: 0.01, q: 0.02, ..Mass::default() },
                Mass { p: 1e-3, q: 1e-4, ..Mass::default() },
            );
            let pair = Pair::from_cells(step, first.into(), &cells, below, above_);
            let remove = pair.losses(LossDirection::Remove, 1, 0.0);
            let add = pair.losses(LossDirection::Add, 1, 0.0);
            for point in 0..=20 {
                let epsilon = big(f64::from(first + point)) * big(step);
                let power = epsilon.exp();
                let inverse = big(1.0) / &power;
                let (mut truth, mut reverse) = (big(1e-3), big(0.02));
                for (index, cell) in cells.iter().enumerate() {
                    if index as i32 >= point {
                        truth += big(cell.p) - &power * big(cell.q);
                    } else {
                        reverse += big(cell.q) - &inverse * big(cell.p);
                    }
                }
                for (losses, epsilon, truth) in
                    [(&remove, epsilon.clone(), truth), (&add, -epsilon, reverse)]
                {
                    let over = above(curve(losses, step, &epsilon).to_f64().value(), &truth);
                    // The losses may be shifted by a few units each, and delta is as steep as the mass.
                    assert!((-1.0..3e4).contains(&over), "{step} {point}: {over}");
                }
            }
        }
    }

    /// One cell alone: what goes to the far end is rounded up, so that at the near end nothing is missing.
    #[test]
    fn what_goes_up_is_rounded_up() {
        for step in [2.0, 0.5, 0.0625, 0.000_976_562_5] {
            for index in 1..40 {
                let (first, share) = (i64::from(index % 7) - 3, f64::from(index) / 41.0);
                let q = 0.011 * f64::from(index);
                let p = q * ((first as f64 + share) * step).exp();
                let cell = Mass { p, q, ..Mass::default() };
                let pair = Pair::from_cells(step, first, &[cell], Mass::default(), Mass::default());
                let low = big(first as f64 * step);
                let fresh = -big(-step).exp_m1();
                let up = (big(p) - low.exp() * big(q)) / &fresh;
                let down = (big(q) - (-(low + big(step))).exp() * big(p)) / fresh;
                for (found, exact, mass) in [(pair.p[1], up, p), (pair.q[0], down, q)] {
                    // Relative to the terms of the difference, over the width of a cell.
                    let units = ((big(found) - exact) / big(mass)).to_f64().value() / f64::EPSILON;
                    let exponent = 4.0 + (first.abs() as f64 + 1.0) * step;
                    let most = 3.0 * exponent / -(-step).exp_m1() + 10.0;
                    assert!(units >= 0.0 && units < most, "{step} {index}: {units} {most}");
                    assert!(found <= mass);
                }
                assert!((pair.p[0] + pair.p[1]) / p - 1.0 < 1e-15);
            }
        }
    }

    /// Errors of the masses are added to them, and pull no mass down.
    #[test]
    fn uncertain_masses_count_in_full() {
        let sure = Mass { p: 0.5, q: 0.4, ..Mass::default() };
        let unsure = Mass { p_error: 0.01, q_error: 0.02, ..sure };
        assert_eq!((unsure.most(), unsure.least()), ((0.51, 0.42000000000000004), (0.49, 0.38)));
        let tiny = Mass { p: 0.1, q: 0.1, p_error: 0.2, q_error: 0.3 };
        assert_eq!(tiny.least(), (0.0, 0.0));
        let pair = |mass| Pair::from_cells(0.5, 0, &[mass], mass, mass);
        let (exact, raised) = (pair(sure), pair(unsure));
        assert!((raised.p.iter().sum::<f64>() - 1.02).abs() < 1e-15);
        assert!((raised.q.iter().sum::<f64>() - 0.84).abs() < 1e-15);
        assert!(raised.p[1] > exact.p[1] && raised.q[0] > exact.q[0]);
        assert_eq!((raised.p_infinite, raised.q_infinite), (0.51, 0.42000000000000004));
        assert_eq!(exact.clone().rounded_by(1e-3).rounding, 1e-3 + exact.rounding);
    }

    /// `mass e^exponent` is never rounded up, whichever formula is used.
    #[test]
    fn products_are_rounded_down() {
        for step in 1..120 {
            let mass = 0.37 / f64::from(step);
            for exponent in [0.3, -0.7, 30.0, -200.0, 599.0, -601.0, 640.0] {
                let exponent = exponent + 0.001 * f64::from(step);
                let exact = big(mass) * big(exponent).exp();
                let over = above(scaled(mass, exponent), &exact);
                let allowed = -7.0 - 1.5 * exponent.abs() - 2.0 * mass.ln().abs();
                assert!(over <= 0.0 && over > allowed, "{mass} {exponent}: {over}");
                let one_power = exponent < 600.0;
                assert!(
                    !one_power || over > -6.0 - 1.5 * exponent.abs(),
                    "{mass} {exponent}: {over}"
                );
            }
        }
        let far = big(1e-30) * big(720.0).exp();
        assert!((-2_000.0..0.0).contains(&above(scaled(1e-30, 720.0), &far)));
        assert_eq!(scaled(0.9e-290, 300.0), 0.0);
        assert!(scaled(1.1e-290, 300.0) > 0.0);
    }

    /// Cut at the low end by at most the tail, at the high end where nothing is left; reversed for adding.
    #[test]
    fn losses_are_cut_to_what_counts() {
        let pair = Pair {
            first: -2,
            p: vec![0.0625, 0.0625, 0.5, 0.375, 0.0],
            q: vec![0.25, 0.25, 0.375, 0.125, 0.0],
            p_infinite: 0.5,
            q_infinite: 0.25,
            step: 2.0,
            rounding: 0.25,
        };
        let cut = |direction, tail| {
            let losses = pair.losses(direction, 3, tail);
            assert_eq!(losses.times, 3);
            (losses.first, losses.mass, losses.infinite, losses.shift)
        };
        let (remove, add) = (LossDirection::Remove, LossDirection::Add);
        // The farthest end, in grid points, times step and rounding.
        assert_eq!(cut(remove, 0.0), (-2, vec![0.0625, 0.0625, 0.5, 0.375], 0.5, 1.0));
        assert_eq!(cut(remove, 0.0625), (-1, vec![0.125, 0.5, 0.375], 0.5, 1.0));
        assert_eq!(cut(remove, 0.125), (0, vec![0.625, 0.375], 0.5, 1.0));
        assert_eq!(cut(remove, 2.0), (1, vec![1.0], 0.5, 1.0));
        assert_eq!(cut(add, 0.0), (-1, vec![0.125, 0.375, 0.25, 0.25], 0.25, 1.5));
        assert_eq!(cut(add, 0.125), (0, vec![0.5, 0.25, 0.25], 0.25, 1.5));
    }

    /// A convex curve comes back at every grid point, up to roundings; a value that is not convex is passed over; and
    /// nothing is lost, in either direction.
    #[test]
    fn symmetric_curves_come_back() {
        let step = 0.05;
        let mut values: Vec<f64> =
            (0..80).map(|point| analytic_gaussian::delta(0.8, f64::from(point) * step)).collect();
        for bump in [None, Some(30)] {
            if let Some(at) = bump {
                values[at] *= 1.2;
            }
            let pair = Pair::from_symmetric_curve(step, &values);
            assert!((pair.p.iter().sum::<f64>() + pair.p_infinite - 1.0).abs() < 1e-12);
            let (remove, add) = (
                pair.losses(LossDirection::Remove, 1, 0.0),
                pair.losses(LossDirection::Add, 1, 0.0),
            );
            assert_eq!((&remove.mass, remove.first), (&add.mass, add.first));
            for (point, value) in values.iter().enumerate().step_by(6) {
                let found = curve(&remove, step, &big(point as f64 * step)).to_f64().value();
                // The chord over the bump lies a little above the curve.
                let true_value = analytic_gaussian::delta(0.8, point as f64 * step);
                let slack = if bump == Some(point) { 5e-4 } else { 1e-12 };
                assert!(found >= true_value * (1.0 - 1e-14), "{point}: {found} {value}");
                assert!(found <= true_value + slack, "{point}: {found} {value}");
            }
            // Ratios are those of the grid, rounded to the safe side.
            for (index, (p, q)) in pair.p.iter().zip(&pair.q).enumerate() {
                let ratio = ((index as f64 - 79.0) * step).exp();
                assert!((p - ratio * q).abs() <= 1e-14 + 1e-12 * p, "{index}: {p} {q}");
            }
        }
        let flat = Pair::from_symmetric_curve(1.0, &[0.25, 0.25]);
        assert_eq!((flat.p_infinite, flat.first), (0.25, -1));
        assert!((flat.p[1] - 0.75).abs() < 1e-14 && flat.p[2] < 1e-14);
    }

    /// Kinks of a curve on a grid of log 2, by hand: what each is rounded by, at the high end up and at the low end down.
    #[test]
    fn kinks_by_hand() {
        // Slopes in units of e^-loss: -0.06 before the first point and -0.01 after it, -0.02 before the last.
        let pair = Pair::from_symmetric_curve(std::f64::consts::LN_2, &[0.04, 0.01, 0.0]);
        assert_eq!((pair.p.len(), pair.q.len(), pair.first), (5, 5, -2));
        let rounded = |found: f64, exact: f64| (found - exact) / ROUNDING;
        for (found, exact, by) in [
            (pair.p[3], 0.05, 0.07),
            (pair.q[3], 0.025, -0.035),
            (pair.p[4], 0.02, 0.02),
            (pair.q[4], 0.005, -0.005),
        ] {
            assert!(
                (rounded(found, exact) - by).abs() < 0.01,
                "{exact}: {}",
                rounded(found, exact)
            );
        }
        assert_eq!((pair.p[0], pair.p[1], pair.q[0], pair.q[1]), {
            (pair.q[4], pair.q[3], pair.p[4], pair.p[3])
        });
        // The rest, raised by one unit for every point.
        assert!((rounded(pair.p[2], 0.9) - 1.95).abs() < 0.3, "{}", rounded(pair.p[2], 0.9));
        assert_eq!(pair.p[2], pair.q[2]);
        // A bound that rises again bounds no more than where it was.
        let rising = Pair::from_symmetric_curve(std::f64::consts::LN_2, &[0.04, 0.01, 0.02]);
        assert!((rounded(rising.p[3], 0.06) - 0.06).abs() < 0.01);
    }

    /// Without any finite loss, and far from zero.
    #[test]
    fn losses_at_the_edges() {
        let pair = |first: i64, mass: Vec<f64>| {
            let q = mass.clone();
            Pair { first, p: mass, q, p_infinite: 1.0, q_infinite: 1.0, step: 2.0, rounding: 0.25 }
        };
        let none = pair(3, vec![0.0, 0.0]).losses(LossDirection::Remove, 1, 0.0);
        assert_eq!((none.first, none.mass, none.infinite), (3, vec![0.0], 1.0));
        for (first, shift) in [(-5, 2.5), (4, 3.0), (-1, 0.5)] {
            assert_eq!(
                pair(first, vec![0.5; 2]).losses(LossDirection::Remove, 1, 0.0).shift,
                shift
            );
        }
    }

    /// Masses are kept, ratios are those of the grid, and the curve only rises.
    #[test]
    fn splits_without_losing_mass() {
        let (step, epsilon) = (0.3, 0.8_f64);
        let (keep, flip) = (epsilon.exp() / (1.0 + epsilon.exp()), 1.0 / (1.0 + epsilon.exp()));
        let mut cells = vec![Mass::default(); 6];
        cells[0] = Mass { p: flip, q: keep, ..Mass::default() }; // loss -0.8 in [-0.9, -0.6]
        cells[5] = Mass { p: keep, q: flip, ..Mass::default() }; // loss 0.8 in [0.6, 0.9]
        let pair = Pair::from_cells(step, -3, &cells, Mass::default(), Mass::default());
        assert!((pair.p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((pair.q.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for (index, (p, q)) in pair.p.iter().zip(&pair.q).enumerate() {
            let ratio = ((index as f64 - 3.0) * step).exp();
            assert!((p - ratio * q).abs() < 1e-13, "{index}");
        }
        let add = pair.losses(LossDirection::Add, 1, 0.0);
        let remove = pair.losses(LossDirection::Remove, 1, 0.0);
        assert_eq!(add.first, remove.first);
        for (a, r) in add.mass.iter().zip(&remove.mass) {
            assert!((a - r).abs() < 1e-13);
        }
        for total in [0.0_f64, 0.2, 0.5, 0.7] {
            let exact = keep - total.exp() * flip;
            let found: f64 = (0..7)
                .map(|i| ((f64::from(i) - 3.0) * step, remove.mass[i as usize]))
                .filter(|(loss, _)| *loss > total)
                .map(|(loss, mass)| mass * (1.0 - (total - loss).exp()))
                .sum();
            assert!(found >= exact - 1e-15 && found < exact + 0.03, "{found} {exact}");
        }
    }
}
