//! [`GcnInput`]: a graph and the features of its nodes, with what both directions of a GCN need.

use privet_graph::{DenseMatrix, Graph};

use super::GcnAggregation;
use crate::kernels::{
    Finish, RowNorms, SparseInput, Write, aggregate, aggregate_rows, product,
    product_left_transposed,
};
use crate::layers::Linear;
use crate::models::ItemRows;
use crate::propagate::{AddedLoops, Operator, Orientation, Propagation};
use crate::{Error, Result};

/// What follows a sum over neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Activation {
    None,
    Rectifier,
}

/// A graph made ready.
#[derive(Debug, Clone)]
pub struct GcnInput<'a> {
    features: InputFeatures<'a>,
    aggregation: GcnAggregation,
    operator: Operator<'a>,
    transposed: Operator<'a>,
}

#[derive(Debug, Clone)]
enum InputFeatures<'a> {
    Dense(&'a DenseMatrix),
    /// With its transpose, which the gradient of the first layer needs.
    Sparse(Box<SparseInput>),
}

impl<'a> InputFeatures<'a> {
    fn new(rows: ItemRows<'a>) -> Self {
        match rows {
            ItemRows::Dense(matrix) => Self::Dense(matrix),
            ItemRows::Sparse(matrix) => Self::Sparse(Box::new(SparseInput::new(matrix.clone()))),
        }
    }
}

fn check_rows(graph: &Graph, rows: ItemRows<'_>, columns: usize) -> Result<()> {
    if (rows.rows(), rows.columns()) == (graph.node_count(), columns) {
        return Ok(());
    }
    let found = format!("{} x {}", rows.rows(), rows.columns());
    let expected = format!("{} x {columns}", graph.node_count());
    Err(Error::invalid("features", found, expected))
}

impl<'a> GcnInput<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        rows: ItemRows<'a>,
        aggregation: GcnAggregation,
        columns: usize,
    ) -> Result<Self> {
        check_rows(graph, rows, columns)?;
        // D^(r-1) A D^-r: r = 0 is the mean over neighbours, r = 1/2 the symmetric form of Kipf and
        // Welling 2017.
        let exponent = match aggregation {
            GcnAggregation::Mean => 0.0,
            GcnAggregation::Symmetric => 0.5,
        };
        let on = |orientation: Orientation| {
            let self_loops = AddedLoops::All;
            // alpha = 1 keeps nothing of the start: one application of the operator and no restart.
            Propagation { alpha: 1.0, exponent, self_loops, orientation }.on(graph)
        };
        let features = InputFeatures::new(rows);
        // The transposed operator carries gradients back: for the mean it differs from the forward
        // one.
        let (operator, transposed) = (on(Orientation::Forward)?, on(Orientation::Transposed)?);
        Ok(Self { features, aggregation, operator, transposed })
    }

    /// Arcs that count more or less, self-loops included.
    pub(super) fn weighted(
        graph: &'a Graph,
        weights: &[f32],
        rows: ItemRows<'a>,
        aggregation: GcnAggregation,
        columns: usize,
    ) -> Result<Self> {
        check_rows(graph, rows, columns)?;
        if aggregation != GcnAggregation::Symmetric {
            return Err(Error::invalid("aggregation of weighted arcs", "mean", "symmetric"));
        }
        let (self_loops, orientation) = (AddedLoops::None, Orientation::Forward);
        let forward = Propagation { alpha: 1.0, exponent: 0.5, self_loops, orientation };
        // Symmetric: the operator is its own transpose.
        let operator = forward.on_weighted(graph, weights)?;
        let (features, transposed) = (InputFeatures::new(rows), operator.clone());
        Ok(Self { features, aggregation, operator, transposed })
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.operator.graph().node_count()
    }

    pub(super) fn aggregation(&self) -> GcnAggregation {
        self.aggregation
    }

    pub(super) fn columns(&self) -> usize {
        match &self.features {
            InputFeatures::Dense(matrix) => matrix.columns(),
            InputFeatures::Sparse(input) => input.matrix().columns(),
        }
    }

    /// `out = rows W`, where the first layer takes the features.
    pub(super) fn multiply(
        &self,
        rows: Option<&DenseMatrix>,
        layer: &Linear,
        out: &mut DenseMatrix,
    ) {
        out.reshape(self.nodes(), layer.outputs());
        let weight = &layer.weight.value;
        match (rows, &self.features) {
            (Some(rows), _) => product(rows, weight, Write::Replace, out),
            (None, InputFeatures::Dense(rows)) => product(rows, weight, Write::Replace, out),
            (None, InputFeatures::Sparse(input)) => input.product(weight, Write::Replace, out),
        }
    }

    /// `out = activation(P rows + 1 b')`, in one pass.
    pub(super) fn sum(
        &self,
        rows: &DenseMatrix,
        layer: &Linear,
        activation: Activation,
        out: &mut DenseMatrix,
    ) {
        // max(x, -inf) = x: one loop serves both activations.
        out.reshape(self.nodes(), rows.columns());
        let floor = match activation {
            Activation::None => f32::NEG_INFINITY,
            Activation::Rectifier => 0.0,
        };
        let finish = AddBias { bias: layer.bias.value.values(), floor };
        let rows = (rows.values(), rows.columns());
        let out = out.values_mut();
        aggregate_rows(self.operator.rows(), rows, Write::Replace, out, None, &finish);
    }

    /// `out = P' gradient`.
    pub(super) fn sum_back(&self, gradient: &DenseMatrix, out: &mut DenseMatrix) {
        out.reshape(gradient.rows(), gradient.columns());
        let (graph, weights) = (self.transposed.graph(), self.transposed.weights());
        aggregate(graph, weights, gradient, out);
    }

    /// Adds to the gradient of the first layer's weights.
    pub(super) fn backward(&self, layer: &mut Linear, gradient: &DenseMatrix) {
        let out = &mut layer.weight.gradient;
        match &self.features {
            InputFeatures::Dense(rows) => product_left_transposed(rows, gradient, Write::Add, out),
            InputFeatures::Sparse(input) => input.product_transposed(gradient, Write::Add, out),
        }
    }
}

/// Adds the bias to a finished sum; nothing stays below the floor.
struct AddBias<'a> {
    bias: &'a [f32],
    floor: f32,
}

impl Finish for AddBias<'_> {
    #[inline(always)]
    fn finish(&self, _: usize, sum: &mut [f32], _: &mut [f32]) -> RowNorms {
        sum.iter_mut().zip(self.bias).for_each(|(sum, bias)| *sum = (*sum + bias).max(self.floor));
        RowNorms::default()
    }
}
