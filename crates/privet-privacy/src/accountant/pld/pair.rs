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
mod tests;
