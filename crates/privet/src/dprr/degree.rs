//! How many neighbours a user has, from everything the collector was told: Bayes' rule.
//!
//! | evidence | law, if the user has `d` neighbours among the `n - 1` others |
//! |---|---|
//! | nobody knows very many | `P(d)` in proportion to `1 / (d + 1)^2`, fixed in advance |
//! | `t` of the `P` users who publish name the user (undirected graphs) | hypergeometric: who publishes was drawn without looking at lists |
//! | a noisy degree `d*` | discrete Laplace: in proportion to `e^(-epsilon abs(d* - d))` |
//! | bits, flipped with probability f | the unbiased estimate of [`Rr`], nearly normal |
//!
//! [`Rr`]: crate::privacy::edges::local::Rr

/// What testifies to a user's degree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// How many others there are.
    pub others: usize,
    /// How many of them publish.
    pub public: usize,
    /// How many of those name the user.
    pub named: usize,
    /// What the user said.
    pub said: Said,
}

/// What a user said about their own degree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Said {
    /// Nothing.
    Nothing,
    /// A degree with discrete Laplace noise of ratio `e^-epsilon`.
    Laplace {
        /// The noisy degree.
        degree: i64,
        /// What it cost.
        epsilon: f64,
    },
    /// A degree with normal noise.
    Normal {
        /// The noisy degree.
        degree: f64,
        /// The variance of the noise.
        variance: f64,
    },
}

impl Said {
    /// `log P(said | d + 1) - log P(said | d)`.
    fn step(self, degree: usize) -> f64 {
        match self {
            Self::Nothing => 0.0,
            Self::Laplace { degree: said, epsilon } => match degree as i64 >= said {
                true => -epsilon,
                false => epsilon,
            },
            Self::Normal { degree: said, variance } => {
                (said - degree as f64 - 0.5) / variance.max(1e-9)
            }
        }
    }
}

impl Evidence {
    /// The mean of the degree, given all of it. O(others).
    pub fn mean_degree(&self) -> f64 {
        let (others, named) = (self.others as f64, self.named as f64);
        let silent = self.others.saturating_sub(self.public);
        let (mut weight, mut total, mut sum) = (1.0f64, 0.0, 0.0);
        for private in 0..=silent {
            let degree = self.named + private;
            total += weight;
            sum += weight * degree as f64;
            // P(t | d) = C(P, t) C(n-1-P, d-t) / C(n-1, d): the ratio from d to d + 1.
            let (d, left) = (degree as f64, (silent - private) as f64);
            let testimony = left / (d + 1.0 - named) * (d + 1.0) / (others - d).max(1.0);
            let prior = ((d + 1.0) / (d + 2.0)).powi(2);
            let step = testimony * prior * self.said.step(degree).exp();
            weight *= step;
            if weight > 1e200 {
                (weight, total, sum) = (weight * 1e-200, total * 1e-200, sum * 1e-200);
            }
            // The law has one peak: beyond it everything falls.
            if step < 1.0 && weight < 1e-12 * total {
                break;
            }
        }
        sum / total
    }
}
