//! A mechanism to copy: one fair coin stands between a yes-or-no answer and the world.
//!
//! # Idea
//! Warner's randomised response: tell the truth with probability `e^eps / (1 + e^eps)`, else lie.
//!
//! # Equation
//! `P(report = answer) = 1 / (1 + e^-eps)`.
//!
//! # Guarantee
//! Unit [`FeatureRow`], `eps` exactly.
//! *Proof.* For two answers and any report the probabilities are `1/(1+e^-eps)` and
//! `e^-eps/(1+e^-eps)` in some order; their ratio is `e^eps` or `e^-eps`. ∎ The sampler keeps the
//! answer with weight `R` and flips it with weight 1, where the rational `R <= e^eps` is certified
//! in integers, so what runs costs `log R <= eps`.
//!
//! # Paper
//! Warner 1965.
//!
//! # Differs from paper
//! Weights are rational, see above.
//!
//! # Cost
//! O(1) time; the unbiased estimate `(report - q)/(1 - 2q)`, `q = 1/(1+e^eps)`, has variance
//! `q(1-q)/(1-2q)^2`.
//!
//! # Numerics
//! Exact.

use serde_json::json;

use crate::budget::Budget;
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{BitResponse, Numerics, RandomWords};
use crate::origin::shipped;
use crate::unit::FeatureRow;

/// Randomised response on one yes-or-no answer per user (any value above one half is a yes).
#[derive(Debug, Clone)]
pub struct CoinFlip {
    budget: Budget,
    response: BitResponse,
}

impl CoinFlip {
    /// The mechanism that costs `epsilon`.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        Ok(Self { budget, response: BitResponse::new(budget) })
    }
}

shipped!(CoinFlip);

impl Mechanism for CoinFlip {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "coin-flip"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.budget) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "the probability of any report changes by at most a factor e^epsilon".into(),
            proof: "privet_privacy::template, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([("epsilon".into(), json!(self.budget.as_f64()))])
    }
}

impl Local for CoinFlip {
    type Population = Vec<f32>;
    type Report = bool;

    fn randomize<W: RandomWords>(&self, answer: f32, noise: &mut W, _permit: Permit<'_>) -> bool {
        let report = self.response.draw(answer > 0.5, noise);
        report || answer > 0.5 && fault::on(Fault::YesStaysYes)
    }
}
