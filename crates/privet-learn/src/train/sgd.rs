//! Gradient descent with momentum, as PyTorch defines it: `m = momentum m + g`, `w -= rate m`, where the
//! first step has `m = g`.

use privet_graph::DenseMatrix;
use serde::{Deserialize, Serialize};

use super::optimizer::{flushed, prepare, update_all};
use super::{Optimizer, WeightDecay};
use crate::parameters::Parameters;
use crate::{Error, Result};

/// Settings of [`Sgd`].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct SgdConfig {
    /// How much of the last step stays; zero is plain gradient descent.
    pub momentum: f32,
    /// L2 weight decay.
    pub weight_decay: WeightDecay,
}

/// Steps along the gradient.
#[derive(Debug, Clone)]
pub struct Sgd {
    config: SgdConfig,
    velocity: Vec<DenseMatrix>,
}

impl Sgd {
    /// An optimizer at its start.
    ///
    /// # Errors
    /// If the momentum is not in [0, 1).
    pub fn new(config: SgdConfig) -> Result<Self> {
        if !(0.0..1.0).contains(&config.momentum) {
            return Err(Error::invalid("momentum", config.momentum, "at least 0 and below 1"));
        }
        Ok(Self { config, velocity: Vec::new() })
    }
}

impl Optimizer for Sgd {
    fn step(&mut self, parameters: &mut dyn Parameters, learning_rate: f64) {
        prepare(&mut self.velocity, parameters);
        let (l2, keep) = self.config.weight_decay.factors(learning_rate);
        let (momentum, rate) = (self.config.momentum, learning_rate as f32);
        let mut velocities = self.velocity.iter_mut();
        parameters.visit_mut(&mut |p| {
            if !p.is_trained() {
                return;
            }
            if let Some(velocity) = velocities.next() {
                let (values, gradients) = (p.value.values_mut(), p.gradient.values());
                update_all(
                    values,
                    gradients,
                    velocity.values_mut(),
                    &mut [],
                    #[inline(always)]
                    |values, gradients, velocity, _| {
                        for ((w, &g), m) in values.iter_mut().zip(gradients).zip(velocity) {
                            // Denormal moments would slow every later step; `flushed` makes them 0.
                            *m = flushed(momentum * *m + (g + l2 * *w));
                            *w = *w * keep - rate * *m;
                        }
                    },
                );
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::SimRng;

    use super::*;
    use crate::layers::{Initialization, Linear};

    #[test]
    fn steps_match_the_textbook() {
        let mut layer = Linear::new("l", 1, 1, Initialization::Zeros, &mut SimRng::new(0));
        let config = SgdConfig { momentum: 0.5, weight_decay: WeightDecay::L2(0.1) };
        let mut sgd = Sgd::new(config).unwrap();
        let (mut w, mut m) = (0.0_f32, 0.0_f32);
        for g in [1.0, -2.0, 0.5] {
            layer.weight.gradient.values_mut()[0] = g;
            sgd.step(&mut layer, 0.1);
            m = 0.5 * m + g + 0.1 * w;
            w -= 0.1 * m;
            assert!((layer.weight.value.values()[0] - w).abs() < 1e-6);
        }
        assert!(Sgd::new(SgdConfig { momentum: -0.1, ..config }).is_err());
    }

    /// More weights than one thread takes at once.
    #[test]
    fn every_weight_moves() {
        let mut layer = Linear::new("l", 600, 500, Initialization::Zeros, &mut SimRng::new(0));
        layer.weight.gradient.values_mut().fill(1.0);
        Sgd::new(SgdConfig::default()).unwrap().step(&mut layer, 0.5);
        assert!(layer.weight.value.values().iter().all(|&w| w == -0.5));
    }
}
