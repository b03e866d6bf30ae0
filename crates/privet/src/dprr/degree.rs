//! How many neighbours a user has, from everything the collector was told: Bayes' rule.
//!
//! | evidence | law, if the user has `d` neighbours among the `n - 1` others |
//! |---|---|
//! | no user has very many neighbours | `P(d)` in proportion to `1 / (d + 1)^2`, fixed in advance |
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
    pub said: DegreeStatement,
}

/// What a user said about their own degree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DegreeStatement {
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

impl DegreeStatement {
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
            // Beyond e^200 a step decides everything, and more would overflow.
            let step = testimony * prior * self.said.step(degree).clamp(-200.0, 200.0).exp();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(n: usize, k: usize) -> f64 {
        match k <= n {
            true => (0..k).map(|i| (n - i) as f64 / (i + 1) as f64).product(),
            false => 0.0,
        }
    }

    /// Every degree's probability written out.
    fn by_hand(evidence: &Evidence, said: impl Fn(f64) -> f64) -> f64 {
        let Evidence { others, public, named, .. } = *evidence;
        let weight = |d: usize| {
            let testimony = match d >= named {
                true => choose(public, named) * choose(others - public, d - named),
                false => 0.0,
            };
            testimony / choose(others, d) / (d as f64 + 1.0).powi(2) * said(d as f64)
        };
        let total: f64 = (0..=others).map(weight).sum();
        (0..=others).map(|d| weight(d) * d as f64).sum::<f64>() / total
    }

    #[test]
    fn the_mean_is_that_of_bayes_rule() {
        for (others, public, named) in [(6, 2, 1), (30, 0, 0), (30, 10, 4), (12, 12, 7), (0, 0, 0)]
        {
            let evidence = Evidence { others, public, named, said: DegreeStatement::Nothing };
            let close = |said: DegreeStatement, law: &dyn Fn(f64) -> f64| {
                let evidence = Evidence { said, ..evidence };
                let (found, expected) = (evidence.mean_degree(), by_hand(&evidence, law));
                assert!((found - expected).abs() < 1e-9, "{evidence:?}: {found}, {expected}");
            };
            close(DegreeStatement::Nothing, &|_| 1.0);
            for degree in [-4, 3, 25] {
                let law = |d: f64| (-0.7 * (degree as f64 - d).abs()).exp();
                close(DegreeStatement::Laplace { degree, epsilon: 0.7 }, &law);
            }
            let law = |d: f64| (-(5.3 - d) * (5.3 - d) / 8.0).exp();
            close(DegreeStatement::Normal { degree: 5.3, variance: 4.0 }, &law);
        }
    }

    #[test]
    fn witnesses_outweigh_what_is_said() {
        let evidence = |named, degree| Evidence {
            others: 1000,
            public: 200,
            named,
            said: DegreeStatement::Laplace { degree, epsilon: 0.1 },
        };
        // A user who claims half of a graph is named by none of them; a hub is named.
        assert!(evidence(0, 500).mean_degree() < 250.0);
        assert!((evidence(100, 500).mean_degree() - 500.0).abs() < 10.0);
        assert!(evidence(3, 0).mean_degree() > evidence(0, 0).mean_degree() + 3.0);
    }

    #[test]
    fn enormous_numbers_stay_finite() {
        let said = DegreeStatement::Laplace { degree: 90_000, epsilon: 2.0 };
        let evidence = Evidence { others: 100_000, public: 0, named: 0, said };
        assert!((evidence.mean_degree() - 90_000.0).abs() < 0.01);
        let said = DegreeStatement::Laplace { degree: i64::MIN, epsilon: 2.0 };
        assert!(Evidence { said, ..evidence }.mean_degree() < 0.1);
    }
}
