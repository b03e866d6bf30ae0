//! [`Logistic`]: multinomial logistic regression, the network without hidden layers. Its loss is
//! convex, so it starts at zero and needs no seed.

use std::path::Path;

use privet_graph::DenseMatrix;
use serde::{Deserialize, Serialize};

use super::mlp::MOST_WEIGHTS;
use super::{Mlp, MlpConfig, ModelBatch, Network, file};
use crate::Result;
use crate::layers::Initialization;
use crate::parameters::{Parameter, Parameters};

const KIND: &str = "logistic";

/// A linear score for every class.
#[derive(Debug, Clone)]
pub struct Logistic(Mlp);

/// What a file says besides the weights.
#[derive(Serialize, Deserialize)]
struct ModelShape {
    inputs: usize,
    outputs: usize,
}

impl Logistic {
    /// A model that finds all classes equally likely.
    ///
    /// # Errors
    /// If there are no inputs or no classes.
    pub fn new(inputs: usize, outputs: usize) -> Result<Self> {
        Self::with_at_most(inputs, outputs, MOST_WEIGHTS)
    }

    fn with_at_most(inputs: usize, outputs: usize, most_weights: usize) -> Result<Self> {
        let config = MlpConfig { inputs, hidden: vec![], outputs, dropout: 0.0, seed: 0 };
        Mlp::with_initialization(config, Initialization::Zeros, most_weights).map(Self)
    }

    /// Writes shape and weights to a safetensors file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        let config = self.0.config();
        let shape = ModelShape { inputs: config.inputs, outputs: config.outputs };
        file::save(path, KIND, &shape, self)
    }

    /// Reads what [`Logistic::save`] wrote.
    ///
    /// # Errors
    /// If the file cannot be read, or is not that of a logistic model.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path, KIND, |shape: ModelShape, stored| {
            Self::with_at_most(shape.inputs, shape.outputs, stored)
        })
    }
}

impl Parameters for Logistic {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.0.visit(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.0.visit_mut(visitor);
    }
}

impl Network for Logistic {
    fn outputs(&self) -> usize {
        self.0.outputs()
    }

    fn forward(&mut self, batch: ModelBatch<'_>, step: u64, output: &mut DenseMatrix) {
        self.0.forward(batch, step, output);
    }

    fn backward(
        &mut self,
        batch: ModelBatch<'_>,
        step: u64,
        output_gradient: &DenseMatrix,
        input_gradient: Option<&mut DenseMatrix>,
    ) {
        self.0.backward(batch, step, output_gradient, input_gradient);
    }

    fn evaluate(&self, batch: ModelBatch<'_>, output: &mut DenseMatrix) {
        self.0.evaluate(batch, output);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_starts_undecided_and_comes_back_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let mut model = Logistic::new(3, 2).unwrap();
        let rows = DenseMatrix::new(1, 3, vec![1.0, 2.0, 3.0]).unwrap();
        assert_eq!(model.scores((&rows).into(), &[0]).values(), [0.0, 0.0]);
        model.visit_mut(&mut |p| p.value.values_mut().fill(0.5));
        model.save(&path).unwrap();
        assert_eq!(Logistic::load(&path).unwrap().snapshot(), model.snapshot());
        assert!(Logistic::new(0, 2).is_err());
    }
}
