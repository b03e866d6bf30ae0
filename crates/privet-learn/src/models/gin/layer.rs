//! [`GinLayer`]: one round of summing over neighbours, and the two layers behind it.

use privet_graph::{DenseMatrix, SimRng};

use crate::kernels::{RowSums, Write};
use crate::layers::{NormalizedLinear, Repeats};
use crate::parameters::{Parameter, Parameters};

/// `h' = relu(norm(relu(norm((A + I) h W1)) W2))`.
#[derive(Debug, Clone)]
pub struct GinLayer {
    first: NormalizedLinear,
    second: NormalizedLinear,
    /// What backward needs of the last forward pass.
    summed: DenseMatrix,
    middle: DenseMatrix,
    /// The result of the last forward pass.
    pub output: DenseMatrix,
    by_middle: DenseMatrix,
}

impl GinLayer {
    /// A layer whose tensors are called `NAME.0.weight` and so on.
    pub fn new(name: &str, inputs: usize, outputs: usize, rng: &mut SimRng) -> Self {
        let empty = || DenseMatrix::zeros(0, 0);
        Self {
            first: NormalizedLinear::new(&format!("{name}.0"), inputs, outputs, rng),
            second: NormalizedLinear::new(&format!("{name}.1"), outputs, outputs, rng),
            summed: empty(),
            middle: empty(),
            output: empty(),
            by_middle: empty(),
        }
    }

    /// Training: writes [`GinLayer::output`].
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn forward(&mut self, sums: &RowSums, repeats: Repeats<'_>, input: &DenseMatrix) {
        sums.forward(input, &mut self.summed);
        self.first.forward(&self.summed, repeats, &mut self.middle);
        self.second.forward(&self.middle, repeats, &mut self.output);
    }

    /// Adds to the gradients, given that by the output, whose memory is used for others; writes the
    /// gradient by the input where asked.
    ///
    /// # Panics
    /// If the shapes are not those of the last forward pass.
    pub fn backward(
        &mut self,
        sums: &RowSums,
        repeats: Repeats<'_>,
        gradient: &mut DenseMatrix,
        input_gradient: Option<&mut DenseMatrix>,
    ) {
        self.second.backward(&self.middle, repeats, gradient, Some(&mut self.by_middle));
        // The gradient's own buffer is free by now and takes the gradient by the sums.
        let by_summed = input_gradient.is_some().then_some(&mut *gradient);
        self.first.backward(&self.summed, repeats, &mut self.by_middle, by_summed);
        if let Some(input_gradient) = input_gradient {
            sums.backward(gradient, Write::Replace, input_gradient);
        }
    }

    /// How much the next batches count in the running averages; see
    /// [`NormalizedLinear::set_momentum`].
    pub fn set_momentum(&mut self, momentum: Option<f64>) {
        self.first.set_momentum(momentum);
        self.second.set_momentum(momentum);
    }

    /// Evaluation: normalises by running averages.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn evaluate(&self, sums: &RowSums, input: &DenseMatrix, output: &mut DenseMatrix) {
        let (mut summed, mut middle) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
        sums.forward(input, &mut summed);
        self.first.evaluate(&summed, &mut middle);
        self.second.evaluate(&middle, output);
    }
}

impl Parameters for GinLayer {
    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Parameter)) {
        self.first.visit(visitor);
        self.second.visit(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Parameter)) {
        self.first.visit_mut(visitor);
        self.second.visit_mut(visitor);
    }
}
