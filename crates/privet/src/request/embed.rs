//! What can be asked of propagation alone.

use serde::{Deserialize, Serialize};

use super::RequestFields;
use crate::data::formats::Spill;
use crate::embed::{EmbedAlgorithm, Embedder};
use crate::learn::propagate::{AddedLoops, BackwardPush, Power, Propagation, Rounds};
use crate::{Error, Result};

/// How features are spread over the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct EmbedRequest {
    /// Algorithm
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub method: EmbedMethod,
    /// Share of its own features that a node keeps, in (0, 1] (alpha)
    #[serde(default = "alpha")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = alpha()))]
    pub alpha: f64,
    /// Normalisation exponent r in D^(r-1) A D^-r: 0 averages over neighbours, 0.5 is symmetric
    #[serde(default = "exponent")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "EXPONENT", default_value_t = exponent()))]
    pub r: f64,
    /// Add a self-loop to every node
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub self_loops: bool,
    /// With power: error at which to stop (default 1e-6)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "ERROR"))]
    pub tolerance: Option<f64>,
    /// With power: maximum number of rounds
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub rounds: Option<usize>,
    /// With push: largest residue that may remain (default 1e-5)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RESIDUE"))]
    pub rmax: Option<f64>,
}

/// How embeddings are computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EmbedMethod {
    /// All features at once, round by round
    #[default]
    Power,
    /// Column by column, moving only values that are large enough to matter
    Push,
}

fn alpha() -> f64 {
    0.15
}

fn exponent() -> f64 {
    0.5
}

impl RequestFields for EmbedRequest {
    fn example() -> Self {
        let (method, tolerance, rounds, rmax) = (EmbedMethod::Power, None, None, None);
        Self { method, alpha: alpha(), r: exponent(), self_loops: false, tolerance, rounds, rmax }
    }

    fn validate(&self) -> Result<()> {
        let refused = |name: &str, method: &str| {
            let reason = format!("it is a setting of method {method}");
            Err(Error::request(name, reason, "leave it out"))
        };
        match self.method {
            EmbedMethod::Power if self.rmax.is_some() => refused("rmax", "push"),
            EmbedMethod::Push if self.tolerance.is_some() => refused("tolerance", "power"),
            EmbedMethod::Push if self.rounds.is_some() => refused("rounds", "power"),
            _ if self.tolerance.is_some() && self.rounds.is_some() => {
                let reason = "it stops at an error, or after a number of rounds";
                Err(Error::request("tolerance", reason, "leave tolerance or rounds out"))
            }
            _ => Ok(()),
        }
    }
}

impl EmbedRequest {
    /// The same as the library does it, in limited memory where that was said.
    ///
    /// # Errors
    /// If settings contradict each other.
    pub fn embedder(&self, spill: Option<Spill>) -> Result<Embedder> {
        self.validate()?;
        let propagation = Propagation {
            alpha: self.alpha,
            exponent: self.r,
            self_loops: if self.self_loops { AddedLoops::All } else { AddedLoops::None },
            ..Propagation::default()
        };
        let embedder = Embedder::new(propagation, self.algorithm());
        match spill {
            None => Ok(embedder),
            Some(_) if self.method == EmbedMethod::Push => {
                let reason = "it is for method power: push needs all columns of a node at hand";
                Err(Error::request("memory", reason, "leave one of them out"))
            }
            Some(spill) => embedder.within(spill),
        }
    }

    fn algorithm(&self) -> EmbedAlgorithm {
        match self.method {
            EmbedMethod::Power => {
                let default = Power::default();
                let rounds = match (self.rounds, self.tolerance) {
                    (Some(rounds), _) => Rounds::Exactly(rounds),
                    (None, Some(tolerance)) => Rounds::Residual(tolerance),
                    (None, None) => default.rounds,
                };
                EmbedAlgorithm::Power(Power { rounds, ..default })
            }
            EmbedMethod::Push => {
                let default = BackwardPush::default();
                let threshold = self.rmax.unwrap_or(default.threshold);
                EmbedAlgorithm::Push(BackwardPush { threshold })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::request::from_fields;

    #[test]
    fn settings_of_the_other_method_are_refused() {
        let cases = [
            (json!({"rmax": 1e-4}), "rmax: it is a setting of method push"),
            (json!({"method": "push", "rounds": 3}), "rounds: it is a setting of method power"),
            (json!({"method": "push", "tolerance": 0.1}), "tolerance: it is a setting of method"),
            (json!({"rounds": 3, "tolerance": 0.1}), "tolerance: it stops at an error"),
            (json!({"method": "pull"}), "method: found \"pull\""),
            (json!({"rounds": 2.5}), "rounds: found 2.5; give a whole number"),
        ];
        for (fields, part) in cases {
            let told = from_fields::<EmbedRequest>(fields).unwrap_err().to_string();
            assert!(told.starts_with(part), "{told}");
        }
        let asked: EmbedRequest = from_fields(json!({"rounds": 7, "alpha": 0.1})).unwrap();
        assert_eq!(asked.embedder(None).unwrap().rounds(), Some(7));
        let push: EmbedRequest = from_fields(json!({"method": "push"})).unwrap();
        let told = push.embedder(Some(Spill::within(1 << 20))).unwrap_err().to_string();
        assert!(told.starts_with("memory: it is for method power"), "{told}");
    }
}
