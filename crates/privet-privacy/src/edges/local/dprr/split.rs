//! How epsilon is divided between the degree and the bits.

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// How DPRR divides its budget.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BudgetSplit {
    /// `eps1 = min(max(sqrt(8 / (n-1)), (1-alpha) eps), eps/2)` and `eps2 = eps - eps1`: the paper's
    /// idea, within the budget.
    Corrected {
        /// The share of the bits where the first term does not rule.
        alpha: f64,
    },
    /// As printed: `eps1 = max(sqrt(8 / (n-1)), (1-alpha) eps)` and `eps2 = alpha eps`, which is more
    /// than eps where the first term rules.
    Paper {
        /// The share of the bits.
        alpha: f64,
    },
    /// Both parts were given.
    Given,
}

impl BudgetSplit {
    /// The budgets of the degree and of the bits, in graphs of up to `node_count` nodes.
    pub(super) fn parts(self, epsilon: Budget, node_count: usize) -> Result<(Budget, Budget)> {
        let (Self::Corrected { alpha } | Self::Paper { alpha }) = self else {
            return Err(Error::range("split", "given", "given with its two parts"));
        };
        if !(alpha > 0.0 && alpha < 1.0) {
            return Err(Error::range("alpha", alpha, "between 0 and 1"));
        }
        let eps = epsilon.as_f64();
        // Eq. 8. Below sqrt(8 / (n-1)) the noise of the degree outweighs that of the bits.
        let least = (8.0 / node_count.saturating_sub(1) as f64).sqrt();
        let degree = least.max((1.0 - alpha) * eps);
        if matches!(self, Self::Paper { .. }) || fault::on(Fault::SplitAsPrinted) {
            return Ok((Budget::from_epsilon(degree)?, Budget::from_epsilon(alpha * eps)?));
        }
        let degree = Budget::from_epsilon(degree.min(eps / 2.0))?;
        Ok((degree, epsilon.checked_sub(degree)?))
    }

    /// The name on cards.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Corrected { .. } => "corrected",
            Self::Paper { .. } => "paper",
            Self::Given => "given",
        }
    }
}
