//! Finite laws and their worst log-likelihood ratio.
//!
//! [`ExactLaw`] holds integer weights as they are sampled and compares them as fractions, so "at
//! most epsilon" is decided without rounding; [`FloatLaw`] holds probabilities that come from sums
//! (over a noisy degree, say) and is good to about 1e-12.

use dashu::integer::UBig;
use dashu::rational::RBig;

/// A law given by integer weights: row = input, column = output. Rows may have different totals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactLaw {
    rows: Vec<Vec<RBig>>,
}

impl ExactLaw {
    /// The law whose probabilities are `weight / sum of the row`.
    pub fn from_weights(rows: impl IntoIterator<Item = Vec<u128>>) -> Self {
        let normalised = |row: Vec<u128>| {
            let total: UBig = row.iter().map(|&weight| UBig::from(weight)).sum();
            let share = |weight| RBig::from_parts(UBig::from(weight).into(), total.clone());
            row.into_iter().map(share).collect()
        };
        // Rational numbers: the epsilon of an exact law has no rounding at all.
        Self { rows: rows.into_iter().map(normalised).collect() }
    }

    /// The law of two independent draws: inputs and outputs are pairs.
    pub fn and(&self, other: &Self) -> Self {
        let pair = |a: &Vec<RBig>, b: &Vec<RBig>| {
            a.iter().flat_map(|x| b.iter().map(move |y| x * y)).collect()
        };
        let rows = self.rows.iter().flat_map(|a| other.rows.iter().map(move |b| pair(a, b)));
        Self { rows: rows.collect() }
    }

    /// Whether every row is a probability distribution; a law that is not is broken by itself.
    pub fn is_normalised(&self) -> bool {
        self.rows.iter().all(|row| row.iter().fold(RBig::ZERO, |sum, p| sum + p) == RBig::ONE)
    }

    /// The largest `log P(output | input) - log P(output | other input)`.
    pub fn epsilon(&self) -> f64 {
        let outputs = self.rows.first().map_or(0, Vec::len);
        let mut worst = RBig::ONE;
        for output in 0..outputs {
            let column = || self.rows.iter().map(|row| &row[output]);
            let (Some(low), Some(high)) = (column().min(), column().max()) else { continue };
            // An output that one input never has and another one may: no finite epsilon.
            if *low == RBig::ZERO {
                if *high > RBig::ZERO {
                    return f64::INFINITY;
                }
                continue;
            }
            // The worst ratio over all pairs of inputs is that of the extremes.
            worst = worst.max(high / low);
        }
        worst.to_f64().value().ln()
    }
}

/// A law given by probabilities in floating point.
#[derive(Debug, Clone, PartialEq)]
pub struct FloatLaw {
    /// `rows[input][output]`.
    pub rows: Vec<Vec<f64>>,
}

impl FloatLaw {
    /// The law with these probabilities.
    pub fn new(rows: Vec<Vec<f64>>) -> Self {
        Self { rows }
    }

    /// The law proportional to these weights.
    pub fn from_weights(rows: Vec<Vec<f64>>) -> Self {
        let normalised = |row: Vec<f64>| {
            let total: f64 = row.iter().sum();
            row.into_iter().map(|weight| weight / total).collect()
        };
        Self { rows: rows.into_iter().map(normalised).collect() }
    }

    /// The largest mass of a row that is missing from 1, or beyond it.
    pub fn mass_error(&self) -> f64 {
        let error = |row: &Vec<f64>| (row.iter().sum::<f64>() - 1.0).abs();
        self.rows.iter().map(error).fold(0.0, f64::max)
    }

    /// The largest log ratio between any two inputs.
    pub fn epsilon(&self) -> f64 {
        self.epsilon_between(|_, _| true)
    }

    /// The smallest epsilon at which any two inputs are `(epsilon, delta)` alike, to 1e-9.
    pub fn epsilon_at(&self, delta: f64) -> f64 {
        let excess = |p: &[f64], q: &[f64], epsilon: f64| -> f64 {
            // The hockey-stick divergence at this epsilon.
            p.iter().zip(q).map(|(p, q)| (p - epsilon.exp() * q).max(0.0)).sum()
        };
        let alike = |epsilon: f64| {
            let from_all = |p: &Vec<f64>| self.rows.iter().all(|q| excess(p, q, epsilon) <= delta);
            self.rows.iter().all(from_all)
        };
        let (mut low, mut high) = (0.0, self.epsilon().min(700.0));
        // The excess falls in epsilon, so the smallest epsilon is found by bisection.
        while high - low > 1e-9 && !alike(low) {
            let middle = 0.5 * (low + high);
            if alike(middle) { high = middle } else { low = middle }
        }
        if alike(low) { low } else { high }
    }

    /// The largest log ratio between two inputs that are neighbours.
    pub fn epsilon_between(&self, neighbours: impl Fn(usize, usize) -> bool) -> f64 {
        let mut worst = 0f64;
        for (a, first) in self.rows.iter().enumerate() {
            for (b, second) in self.rows.iter().enumerate().filter(|&(b, _)| neighbours(a, b)) {
                debug_assert!(a != b || first == second);
                for (&p, &q) in first.iter().zip(second) {
                    if p > 0.0 {
                        worst = worst.max(if q > 0.0 { (p / q).ln() } else { f64::INFINITY });
                    }
                }
            }
        }
        worst
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_independent_draws_add_up() {
        let coin = ExactLaw::from_weights([vec![3, 2], vec![2, 3]]);
        assert!(coin.is_normalised());
        assert!((coin.epsilon() - 1.5f64.ln()).abs() < 1e-15);
        assert!((coin.and(&coin).epsilon() - 2.25f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn a_delta_forgives_what_is_rare() {
        // Randomised response at ln 3: delta(e) = 3/4 - e^e / 4.
        let law = FloatLaw::new(vec![vec![0.75, 0.25], vec![0.25, 0.75]]);
        assert!((law.epsilon_at(0.25) - 2f64.ln()).abs() < 1e-8);
        assert_eq!(law.epsilon_at(0.6), 0.0);
        assert!((law.epsilon_at(0.0) - law.epsilon()).abs() < 1e-8);
    }

    #[test]
    fn an_output_only_one_input_can_give_is_infinitely_bad() {
        assert_eq!(ExactLaw::from_weights([vec![1, 1], vec![2, 0]]).epsilon(), f64::INFINITY);
        let law = FloatLaw::new(vec![vec![0.5, 0.5], vec![1.0, 0.0]]);
        assert_eq!(law.epsilon(), f64::INFINITY);
        assert!(FloatLaw::new(vec![vec![0.5, 0.2]]).mass_error() > 0.29);
    }
}
