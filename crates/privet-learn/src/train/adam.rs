//! Adam (Kingma and Ba, 2015), with the conventions of PyTorch:
//!
//! ```text
//! m = b1 m + (1 - b1) g,   v = b2 v + (1 - b2) g^2
//! w -= rate / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + epsilon)
//! ```

use privet_graph::DenseMatrix;
use serde::{Deserialize, Serialize};

use super::optimizer::{flushed, prepare, update_all};
use super::{Optimizer, WeightDecay};
use crate::parameters::Parameters;
use crate::{Error, Result};

/// Settings of [`Adam`].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AdamConfig {
    /// How much of the mean gradient stays from step to step.
    pub beta1: f64,
    /// How much of the mean squared gradient stays from step to step.
    pub beta2: f64,
    /// Keeps the divisor above zero.
    pub epsilon: f64,
    /// L2 weight decay.
    pub weight_decay: WeightDecay,
}

impl Default for AdamConfig {
    fn default() -> Self {
        Self { beta1: 0.9, beta2: 0.999, epsilon: 1e-8, weight_decay: WeightDecay::None }
    }
}

/// Steps scaled by running moments of the gradient.
#[derive(Debug, Clone)]
pub struct Adam {
    config: AdamConfig,
    steps: u64,
    first: Vec<DenseMatrix>,
    second: Vec<DenseMatrix>,
}

impl Adam {
    /// An optimizer at its start.
    ///
    /// # Errors
    /// If a beta is not in [0, 1), or epsilon is negative.
    pub fn new(config: AdamConfig) -> Result<Self> {
        for beta in [config.beta1, config.beta2] {
            if !(0.0..1.0).contains(&beta) {
                return Err(Error::invalid("beta of Adam", beta, "at least 0 and below 1"));
            }
        }
        if config.epsilon.is_nan() || config.epsilon < 0.0 {
            return Err(Error::invalid("epsilon of Adam", config.epsilon, "at least 0"));
        }
        Ok(Self { config, steps: 0, first: Vec::new(), second: Vec::new() })
    }

    /// Both moments of everything that is trained, one number after the other; none before the first step.
    pub fn moments(&self) -> Vec<f32> {
        let all = self.first.iter().chain(&self.second);
        all.flat_map(|moment| moment.values()).copied().collect()
    }

    /// Goes on after so many steps that led to these moments.
    ///
    /// # Errors
    /// If there are not two numbers for everything that is trained.
    pub fn resume(
        &mut self,
        parameters: &dyn Parameters,
        steps: u64,
        moments: &[f32],
    ) -> Result<()> {
        (self.first, self.second) = (Vec::new(), Vec::new());
        prepare(&mut self.first, parameters);
        prepare(&mut self.second, parameters);
        let all = || self.first.iter().chain(&self.second);
        let expected: usize = all().map(|moment| moment.values().len()).sum();
        if moments.len() != expected {
            return Err(Error::invalid("moments of Adam", moments.len(), expected.to_string()));
        }
        let mut left = moments;
        for moment in self.first.iter_mut().chain(&mut self.second) {
            let (here, rest) = left.split_at(moment.values().len());
            moment.values_mut().copy_from_slice(here);
            left = rest;
        }
        self.steps = steps;
        Ok(())
    }
}

impl Optimizer for Adam {
    fn step(&mut self, parameters: &mut dyn Parameters, learning_rate: f64) {
        prepare(&mut self.first, parameters);
        prepare(&mut self.second, parameters);
        self.steps += 1;
        let AdamConfig { beta1, beta2, epsilon, weight_decay } = self.config;
        let steps = self.steps as f64;
        // Kingma and Ba 2015, bias correction: m/(1 - beta1^t) and sqrt(v/(1 - beta2^t)), computed once per step.
        let rate = (learning_rate / (1.0 - beta1.powf(steps))) as f32;
        let inverse_root = (1.0 / (1.0 - beta2.powf(steps)).sqrt()) as f32;
        let (l2, keep) = weight_decay.factors(learning_rate);
        let (b1, new1) = (beta1 as f32, (1.0 - beta1) as f32);
        let (b2, new2) = (beta2 as f32, (1.0 - beta2) as f32);
        let epsilon = epsilon as f32;
        let mut moments = self.first.iter_mut().zip(&mut self.second);
        parameters.visit_mut(&mut |p| {
            if !p.is_trained() {
                return;
            }
            if let Some((first, second)) = moments.next() {
                let (values, gradients) = (p.value.values_mut(), p.gradient.values());
                update_all(
                    values,
                    gradients,
                    first.values_mut(),
                    second.values_mut(),
                    #[inline(always)]
                    |values, gradients, first, second| {
                        let moments = first.iter_mut().zip(second);
                        for ((w, &g), (m, v)) in values.iter_mut().zip(gradients).zip(moments) {
                            // L2 adds to the gradient; decoupled decay (AdamW) multiplies the weight by `keep` below.
                            // One of the two is neutral.
                            let g = g + l2 * *w;
                            // Denormal numbers would slow every later step by an order of magnitude.
                            *m = flushed(b1 * *m + new1 * g);
                            *v = flushed(b2 * *v + new2 * g * g);
                            *w = *w * keep - rate * *m / (v.sqrt() * inverse_root + epsilon);
                        }
                    },
                );
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::Parameter;

    pub(super) struct One(pub Parameter);

    impl Parameters for One {
        fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
            visitor(&self.0);
        }

        fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
            visitor(&mut self.0);
        }
    }

    /// The same recurrence in double precision, written out.
    fn textbook(decay: WeightDecay, gradients: &[f64]) -> f64 {
        let (mut w, mut m, mut v, rate) = (0.5, 0.0, 0.0, 0.1);
        for (at, &g) in gradients.iter().enumerate() {
            let t = (at + 1) as i32;
            let mut g = g;
            match decay {
                WeightDecay::None => {}
                WeightDecay::L2(factor) => g += f64::from(factor) * w,
                WeightDecay::Decoupled(factor) => w -= rate * f64::from(factor) * w,
            }
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            let (mean, square) = (m / (1.0 - 0.9_f64.powi(t)), v / (1.0 - 0.999_f64.powi(t)));
            w -= rate * mean / (square.sqrt() + 1e-8);
        }
        w
    }

    #[test]
    fn steps_match_the_textbook() {
        let gradients = [0.3, -0.2, 0.7, 0.05];
        for decay in [WeightDecay::None, WeightDecay::L2(0.3), WeightDecay::Decoupled(0.3)] {
            let config = AdamConfig { weight_decay: decay, ..AdamConfig::default() };
            let mut adam = Adam::new(config).unwrap();
            let value = DenseMatrix::new(1, 1, vec![0.5]).unwrap();
            let mut model = One(Parameter::trained("w", value));
            for g in gradients {
                model.0.gradient.values_mut()[0] = g as f32;
                adam.step(&mut model, 0.1);
            }
            let expected = textbook(decay, &gradients);
            assert!((f64::from(model.0.value.values()[0]) - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn many_weights_move_alike_on_any_number_of_threads() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut model = One(Parameter::trained("w", DenseMatrix::zeros(600, 500)));
            let gradient = model.0.gradient.values_mut().iter_mut().zip(1..);
            gradient.for_each(|(g, at)| *g = at as f32 / 1e5 - 1.0);
            let mut adam = Adam::new(AdamConfig::default()).unwrap();
            pool.install(|| adam.step(&mut model, 0.1));
            model.0.value
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
        assert!((on(1).values()[0] - 0.1).abs() < 1e-6);
    }

    #[test]
    fn moments_that_nothing_feeds_end_at_zero() {
        let mut model = One(Parameter::trained("w", DenseMatrix::zeros(1, 1)));
        let mut adam = Adam::new(AdamConfig { beta2: 0.9, ..AdamConfig::default() }).unwrap();
        model.0.gradient.values_mut()[0] = 1.0;
        for _ in 0..2000 {
            adam.step(&mut model, 0.1);
            model.0.gradient.values_mut()[0] = 0.0;
            let moments = adam.first.iter().chain(&adam.second);
            assert!(moments.flat_map(|m| m.values()).all(|m| !m.is_subnormal()));
        }
        assert_eq!((adam.first[0].values()[0], adam.second[0].values()[0]), (0.0, 0.0));
    }

    #[test]
    fn settings_without_sense_are_refused() {
        assert!(Adam::new(AdamConfig { beta1: 1.0, ..AdamConfig::default() }).is_err());
        assert!(Adam::new(AdamConfig { epsilon: f64::NAN, ..AdamConfig::default() }).is_err());
    }
}
