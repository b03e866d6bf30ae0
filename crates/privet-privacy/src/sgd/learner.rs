//! [`Learner`]: the model, outside the trusted base. It says what a layer's gradient is made of, and takes
//! the steps; it never sees an unprotected sum.

use std::ops::Range;

use privet_graph::{DenseMatrix, FeatureMatrix};

use crate::origin::FirstParty;
use crate::population::PublicShape;

/// A model made of linear layers, trained by [`DpSgd`](super::DpSgd).
///
/// # What an implementation must obey
/// The guarantee is proved for learners that keep these rules, and nothing can check them from outside:
/// * **The terms of training row `i` depend on that row and the parameters, and on nothing else.** No
///   batch normalisation, no statistics over the batch, no other row, no state kept between calls.
/// * The parameters depend on the data only through the gradients passed to [`step`](Self::step):
///   [`initial`](Self::initial) reads no records.
/// * Shapes are public: the number of layers and their sizes do not depend on records.
/// * Nothing of the data leaves through another door: no logging, no early stopping on raw losses.
///
/// All methods take the learner as it is (`&self`), so that state has to live in the parameters.
///
/// A learner reads training rows, so only Privet's own are trusted; one from outside does not compile without the
/// feature `unaudited`, and is stamped with it:
///
/// ```compile_fail
/// use privet_privacy::sgd::{Factors, Layer, Learner, NoisyGradient};
/// struct Mine;
/// impl Learner for Mine {
///     type Data = Vec<f32>;
///     type Parameters = Vec<f32>;
///     fn row_count(&self, rows: &usize) -> usize { *rows }
///     fn layers(&self) -> Vec<Layer> { Vec::new() }
///     fn initial(&self) -> Vec<f32> { Vec::new() }
///     fn factors(&self, _: &Vec<f32>, _: &Vec<f32>, _: &[u32]) -> Vec<Factors> { Vec::new() }
///     fn step(&self, _: &mut Vec<f32>, _: &NoisyGradient) {}
/// }
/// ```
pub trait Learner: FirstParty + Sync {
    /// What the training rows are read from.
    type Data: PublicShape;
    /// What is learned: all of it is released.
    type Parameters;

    /// Whether a row's factors are the same, to the last bit, whichever other rows are asked for beside it. Then training is
    /// exact; otherwise its guarantee is proved for real numbers.
    const ROW_BY_ROW: bool = false;

    /// How many training rows data of this shape has.
    fn row_count(&self, shape: &<Self::Data as PublicShape>::Shape) -> usize;

    /// The linear layers.
    fn layers(&self) -> Vec<Layer>;

    /// The parameters to begin with; they know nothing of the data.
    fn initial(&self) -> Self::Parameters;

    /// For each layer what the gradients of these rows are made of, in the order of `rows`.
    fn factors(
        &self,
        parameters: &Self::Parameters,
        data: &Self::Data,
        rows: &[u32],
    ) -> Vec<Factors>;

    /// Takes a step along the noisy mean gradient: post-processing.
    fn step(&self, parameters: &mut Self::Parameters, gradient: &NoisyGradient);

    /// Whether to take another step, now that so many of all are taken. If not, training ends with
    /// [`Error::Interrupted`](crate::Error::Interrupted): nothing is released, and what was charged stays charged. A user
    /// who waits may decide it; nothing that was read from records may.
    fn goes_on(&self, _taken: u64, _of: u64) -> bool {
        true
    }
}

/// The public shape of a linear layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layer {
    /// How many numbers go in.
    pub inputs: usize,
    /// How many come out.
    pub outputs: usize,
    /// Whether something is added that does not depend on the input.
    pub bias: Bias,
}

/// Whether a layer has a bias.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bias {
    /// One number per output.
    Trained,
    /// None.
    Absent,
}

impl Layer {
    /// How many weights and biases it has.
    pub fn parameter_count(&self) -> usize {
        self.weight_count() + self.bias_count()
    }

    pub(super) fn weight_count(&self) -> usize {
        self.inputs * self.outputs
    }

    pub(super) fn bias_count(&self) -> usize {
        match self.bias {
            Bias::Trained => self.outputs,
            Bias::Absent => 0,
        }
    }
}

/// What the gradients of one layer are made of: that of a training row is the sum of its [`RowTerms`], and a term
/// is the outer product of its rows `inputs[t]` and `output_gradients[t]` for the weights, and
/// `output_gradients[t]` for the bias.
#[derive(Debug)]
pub struct Factors {
    /// What went into the layer, one row per term.
    pub inputs: FeatureMatrix,
    /// The gradient of the loss with respect to what came out, one row per term.
    pub output_gradients: DenseMatrix,
    /// Whose terms they are.
    pub terms: RowTerms,
}

impl Factors {
    /// One term per training row: the layer saw each row once.
    pub fn rank_one(inputs: FeatureMatrix, output_gradients: DenseMatrix) -> Self {
        Self { inputs, output_gradients, terms: RowTerms::OneEach }
    }
}

/// Which terms belong to a training row of the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowTerms {
    /// Term `i` belongs to row `i`.
    OneEach,
    /// Those from `starts[i]` up to `starts[i + 1]` belong to row `i`, which the layer saw as many times: once
    /// for every node that the row aggregates over, for example.
    Several {
        /// From 0, ascending, to the number of terms: one more than there are rows.
        starts: Vec<usize>,
    },
}

impl RowTerms {
    /// The terms of a row.
    pub(super) fn of_row(&self, row: usize) -> Range<usize> {
        match self {
            Self::OneEach => row..row + 1,
            Self::Several { starts } => starts[row]..starts[row + 1],
        }
    }

    /// How many terms a batch of so many rows has, if that is well defined.
    pub(super) fn count(&self, rows: usize) -> Option<usize> {
        match self {
            Self::OneEach => Some(rows),
            Self::Several { starts } => {
                // Starts come from a learner: a range that leaves the terms, or runs backwards, is refused
                // before rows are read.
                let ascending = starts.first() == Some(&0) && starts.is_sorted();
                starts.last().copied().filter(|_| ascending && starts.len() == rows + 1)
            }
        }
    }
}

/// The noisy sum of clipped gradients over the expected size of a batch.
#[derive(Debug, Clone, PartialEq)]
pub struct NoisyGradient {
    pub(super) layers: Vec<Layer>,
    pub(super) values: Vec<f32>,
}

impl NoisyGradient {
    /// The gradient of a layer's weights: a row of outputs for every input.
    pub fn weights(&self, layer: usize) -> &[f32] {
        let start = self.start(layer);
        &self.values[start..start + self.layers[layer].weight_count()]
    }

    /// The gradient of a layer's bias: one number per output, or none.
    pub fn bias(&self, layer: usize) -> &[f32] {
        let start = self.start(layer) + self.layers[layer].weight_count();
        &self.values[start..start + self.layers[layer].bias_count()]
    }

    /// All of it, layer by layer, weights before biases.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    fn start(&self, layer: usize) -> usize {
        self.layers[..layer].iter().map(Layer::parameter_count).sum()
    }
}
