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

use crate::fault::{self, Fault};

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
}

/// A mass under both laws.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mass {
    pub(crate) p: f64,
    pub(crate) q: f64,
}

/// Which law produced the data that is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
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
        let width = -(-step).exp_m1();
        for (index, cell) in cells.iter().enumerate() {
            let low = (first + index as i64) as f64 * step;
            let up = ((cell.p - scaled(cell.q, low)) / width).clamp(0.0, cell.p);
            let up = if fault::on(Fault::LossesRoundedDown) { 0.0 } else { up };
            p[index] += cell.p - up;
            p[index + 1] += up;
            let down = ((cell.q - scaled(cell.p, -(low + step))) / width).clamp(0.0, cell.q);
            q[index] += down;
            q[index + 1] += cell.q - down;
        }
        p[0] += below.p;
        q[cells.len()] += above.q;
        Self { first, p, q, p_infinite: above.p, q_infinite: below.q }
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
            let kink = (right - left).max(0.0);
            let mirrored = kink * (-(index as f64) * step).exp();
            (p[last + index], q[last + index]) = (kink, mirrored);
            (p[last - index], q[last - index]) = (mirrored, kink);
        }
        let rest = (1.0 - infinite - p.iter().sum::<f64>()).max(0.0);
        (p[last], q[last]) = (rest, rest);
        Self { first: -(last as i64), p, q, p_infinite: infinite, q_infinite: infinite }
    }

    /// The distribution of the loss in one direction.
    ///
    /// Up to `tail` of it is moved up from the low end, where it only costs time; at the high end
    /// masses that have underflowed are dropped.
    pub(crate) fn losses(&self, direction: Direction, times: u64, tail: f64) -> Losses {
        let (mut mass, mut first, infinite) = match direction {
            Direction::Remove => (self.p.clone(), self.first, self.p_infinite),
            Direction::Add => {
                let reversed = self.q.iter().rev().copied().collect();
                (reversed, 1 - self.first - self.q.len() as i64, self.q_infinite)
            }
        };
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
        Losses { first, mass, infinite, times }
    }
}

/// `mass e^exponent`, or zero where the mass itself is not accurate any more.
fn scaled(mass: f64, exponent: f64) -> f64 {
    if mass < TINY {
        0.0
    } else if exponent.abs() < 600.0 {
        mass * exponent.exp()
    } else {
        (mass.ln() + exponent).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Masses are kept, ratios are those of the grid, and the curve only rises.
    #[test]
    fn splits_without_losing_mass() {
        let (step, epsilon) = (0.3, 0.8_f64);
        let (keep, flip) = (epsilon.exp() / (1.0 + epsilon.exp()), 1.0 / (1.0 + epsilon.exp()));
        let mut cells = vec![Mass::default(); 6];
        cells[0] = Mass { p: flip, q: keep }; // loss -0.8 in [-0.9, -0.6]
        cells[5] = Mass { p: keep, q: flip }; // loss 0.8 in [0.6, 0.9]
        let pair = Pair::from_cells(step, -3, &cells, Mass::default(), Mass::default());
        assert!((pair.p.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((pair.q.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for (index, (p, q)) in pair.p.iter().zip(&pair.q).enumerate() {
            let ratio = ((index as f64 - 3.0) * step).exp();
            assert!((p - ratio * q).abs() < 1e-15, "{index}");
        }
        let add = pair.losses(Direction::Add, 1, 0.0);
        let remove = pair.losses(Direction::Remove, 1, 0.0);
        assert_eq!(add.first, remove.first);
        for (a, r) in add.mass.iter().zip(&remove.mass) {
            assert!((a - r).abs() < 1e-15);
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
