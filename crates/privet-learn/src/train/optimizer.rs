//! [`Optimizer`]: turns gradients into steps. Its state is made of matrices like the parameters, one
//! per parameter and kind of moment.

use privet_graph::DenseMatrix;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Adam, AdamConfig, Sgd, SgdConfig};
use crate::Result;
use crate::parameters::Parameters;

/// L2 weight decay.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WeightDecay {
    /// Not at all.
    #[default]
    None,
    /// Adds `factor * weight` to the gradient: what PyTorch's `weight_decay` does in Adam and SGD.
    L2(f32),
    /// Subtracts `learning rate * factor * weight` from the weight, apart from the gradient (AdamW).
    Decoupled(f32),
}

impl WeightDecay {
    /// What is added to the gradient per unit of weight, and what the weight keeps of itself.
    pub(super) fn factors(self, learning_rate: f64) -> (f32, f32) {
        match self {
            Self::None => (0.0, 1.0),
            Self::L2(factor) => (factor, 1.0),
            // Loshchilov and Hutter (2019): decay by rate times factor, outside of the moments.
            Self::Decoupled(factor) => (0.0, (1.0 - learning_rate * f64::from(factor)) as f32),
        }
    }
}

/// Which optimizer, and its settings.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OptimizerConfig {
    /// Adam.
    Adam(AdamConfig),
    /// Gradient descent with momentum.
    Sgd(SgdConfig),
}

impl Default for OptimizerConfig {
    fn default() -> Self {
        Self::Adam(AdamConfig::default())
    }
}

impl OptimizerConfig {
    /// An optimizer at its start.
    ///
    /// # Errors
    /// If a setting makes no sense.
    pub fn build(self) -> Result<Box<dyn Optimizer>> {
        Ok(match self {
            Self::Adam(config) => Box::new(Adam::new(config)?),
            Self::Sgd(config) => Box::new(Sgd::new(config)?),
        })
    }
}

/// Changes parameters by their gradients.
pub trait Optimizer {
    /// Takes one step.
    fn step(&mut self, parameters: &mut dyn Parameters, learning_rate: f64);
}

/// One matrix of zeros per trained parameter, made at the first step.
pub(super) fn prepare(moments: &mut Vec<DenseMatrix>, parameters: &dyn Parameters) {
    if moments.is_empty() {
        parameters.visit(&mut |p| {
            if p.is_trained() {
                moments.push(DenseMatrix::zeros(p.value.rows(), p.value.columns()));
            }
        });
    }
}

/// Calls `update(value, gradient, first, second)` on matching pieces of four slices, on several threads
/// where there is enough to do. `second` may be empty, for an optimizer of one moment.
pub(super) fn update_all(
    values: &mut [f32],
    gradients: &[f32],
    first: &mut [f32],
    second: &mut [f32],
    update: impl Fn(&mut [f32], &[f32], &mut [f32], &mut [f32]) + Sync,
) {
    const PIECE: usize = 1 << 16;
    let run = |value: &mut [f32], gradient: &[f32], first: &mut [f32], second: &mut [f32]| {
        pulp::Arch::new().dispatch(
            #[inline(always)]
            || update(value, gradient, first, second),
        );
    };
    // A few thousand weights are updated sooner than other threads wake up.
    if values.len() < 4 * PIECE {
        return run(values, gradients, first, second);
    }
    let pieces = values.par_chunks_mut(PIECE).zip(gradients.par_chunks(PIECE));
    let pieces = pieces.zip(first.par_chunks_mut(PIECE));
    match second.is_empty() {
        true => pieces.for_each(|((v, g), m)| run(v, g, m, &mut [])),
        false => {
            let seconds = second.par_chunks_mut(PIECE);
            pieces.zip(seconds).for_each(|(((v, g), m), s)| run(v, g, m, s));
        }
    }
}

/// A moment that no gradient feeds any more decays into subnormal numbers, with which processors are a
/// hundred times slower: zero does as well.
#[inline(always)]
pub(super) fn flushed(moment: f32) -> f32 {
    if moment.abs() < f32::MIN_POSITIVE { 0.0 } else { moment }
}
