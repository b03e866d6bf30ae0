//! [`GinConfig`]: the shape of a GIN.

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How the rows of a graph's nodes become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Readout {
    /// Their sum, which tells sizes apart.
    Sum,
    /// Their mean, which the authors (and DPRR) use for threads of Reddit.
    Mean,
}

/// The shape of a [`Gin`](super::Gin), and the seed of its first weights and of dropout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GinConfig {
    /// Features per node.
    pub inputs: usize,
    /// Width of every hidden layer.
    pub hidden: usize,
    /// Rounds of summing over neighbours. (The authors count the input as a layer too.)
    pub rounds: usize,
    /// Number of classes.
    pub outputs: usize,
    /// How the rows of a graph's nodes become one.
    pub readout: Readout,
    /// Share of scores dropped in training.
    pub dropout: f32,
    /// Decides the first weights and what dropout drops.
    pub seed: u64,
}

impl GinConfig {
    /// The authors' setting for Reddit: four rounds of width 64, mean readout, dropout one half.
    pub fn new(inputs: usize, outputs: usize) -> Self {
        let readout = Readout::Mean;
        Self { inputs, hidden: 64, rounds: 4, outputs, readout, dropout: 0.5, seed: 0 }
    }

    /// Checks the shape, and that it has at most so many values.
    pub(super) fn check(&self, most: usize) -> Result<()> {
        for width in [self.inputs, self.hidden, self.outputs] {
            if width == 0 {
                return Err(Error::invalid("width of a layer", width, "at least 1"));
            }
        }
        let values = || {
            let per_round = self.hidden.checked_mul(self.hidden.checked_add(self.outputs)?)?;
            let first = self.inputs.checked_mul(self.hidden.checked_add(self.outputs)?)?;
            per_round.checked_mul(self.rounds)?.checked_add(first)
        };
        match values().filter(|&values| values <= most) {
            Some(_) => Ok(()),
            None => {
                let found = format!("{} x {}, {} rounds", self.inputs, self.hidden, self.rounds);
                Err(Error::invalid("layers", found, format!("at most {most} weights")))
            }
        }
    }
}
