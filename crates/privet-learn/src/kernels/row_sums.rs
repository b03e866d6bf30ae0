//! [`RowSums`]: a sparse matrix that turns the rows of a dense one into weighted sums of them, and
//! gradients back. It is refilled for every mini-batch without new allocations.

use privet_graph::{DenseMatrix, Direction, Graph};

use super::Write;
use super::sparse::{CompressedRows, KeepSum, aggregate_rows};

/// Compressed rows, and their transpose unless they are symmetric.
///
/// ```
/// use privet_graph::DenseMatrix;
/// use privet_learn::kernels::{RowSums, Write};
/// let mut sums = RowSums::default();
/// sums.start();
/// sums.push(0, 1.0);
/// sums.push(2, 0.5);
/// sums.end_row();
/// sums.finish(3);
/// let x = DenseMatrix::new(3, 1, vec![1.0, 10.0, 100.0])?;
/// let mut out = DenseMatrix::zeros(0, 0);
/// sums.forward(&x, &mut out);
/// assert_eq!(out.values(), [51.0]);
/// let mut gradient = DenseMatrix::zeros(0, 0);
/// sums.backward(&out, Write::Replace, &mut gradient);
/// assert_eq!(gradient.values(), [51.0, 0.0, 25.5]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct RowSums {
    inputs: usize,
    rows: Compressed,
    transposed: Option<Compressed>,
}

#[derive(Debug, Clone)]
struct Compressed {
    offsets: Vec<usize>,
    indices: Vec<u32>,
    /// Empty if every entry is one.
    weights: Vec<f32>,
}

impl Default for RowSums {
    fn default() -> Self {
        Self { inputs: 0, rows: Compressed::new(), transposed: Some(Compressed::new()) }
    }
}

impl RowSums {
    /// The sums of GIN-0: row `u` adds up the rows of u's neighbours and of u itself.
    pub fn closed_neighbourhoods(graph: &Graph) -> Self {
        let mut sums = Self::default();
        sums.rows.indices.reserve(graph.arc_count() + graph.node_count());
        for u in graph.nodes() {
            // The node itself comes first: the closed neighbourhood of GIN with its epsilon of 0.
            sums.rows.indices.push(u);
            sums.rows.indices.extend_from_slice(graph.neighbors(u));
            sums.end_row();
        }
        match graph.direction() {
            Direction::Directed => sums.finish(graph.node_count()),
            Direction::Undirected => {
                // A symmetric matrix without weights is its own transpose.
                (sums.inputs, sums.transposed) = (graph.node_count(), None);
            }
        }
        sums
    }

    /// Forgets all rows, and keeps their memory.
    pub fn start(&mut self) {
        self.rows.clear();
    }

    /// Adds a term to the row in progress.
    pub fn push(&mut self, input: u32, weight: f32) {
        self.rows.indices.push(input);
        self.rows.weights.push(weight);
    }

    /// Ends the row in progress.
    pub fn end_row(&mut self) {
        self.rows.offsets.push(self.rows.indices.len());
    }

    /// Ends the matrix, which has `inputs` columns, and makes its transpose.
    ///
    /// # Panics
    /// If an entry lies outside.
    pub fn finish(&mut self, inputs: usize) {
        self.inputs = inputs;
        // The old transpose is taken apart and filled again, so that batches reuse its memory.
        let mut transposed = self.transposed.take().unwrap_or_else(Compressed::new);
        self.rows.transpose_into(inputs, &mut transposed);
        self.transposed = Some(transposed);
    }

    /// Number of sums.
    pub fn outputs(&self) -> usize {
        self.rows.offsets.len() - 1
    }

    /// `out = S x`; `out` takes the shape it needs.
    ///
    /// # Panics
    /// If `x` has another number of rows than there are inputs.
    pub fn forward(&self, x: &DenseMatrix, out: &mut DenseMatrix) {
        assert_eq!(x.rows(), self.inputs, "inner dimension of a sparse product");
        out.reshape(self.outputs(), x.columns());
        let x = (x.values(), x.columns());
        aggregate_rows(self.rows.view(), x, Write::Replace, out.values_mut(), None, &KeepSum);
    }

    /// `out = S' gradient`, taking the shape it needs, or `out += S' gradient`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn backward(&self, gradient: &DenseMatrix, write: Write, out: &mut DenseMatrix) {
        assert_eq!(gradient.rows(), self.outputs(), "inner dimension of a sparse product");
        if write == Write::Replace {
            out.reshape(self.inputs, gradient.columns());
        }
        // Without a transposed copy the matrix is symmetric, and its rows serve.
        let rows = self.transposed.as_ref().unwrap_or(&self.rows);
        let gradient = (gradient.values(), gradient.columns());
        aggregate_rows(rows.view(), gradient, write, out.values_mut(), None, &KeepSum);
    }
}

impl Compressed {
    fn new() -> Self {
        Self { offsets: vec![0], indices: Vec::new(), weights: Vec::new() }
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.indices.clear();
        self.weights.clear();
    }

    fn view(&self) -> CompressedRows<'_> {
        let weights = (!self.weights.is_empty()).then_some(&self.weights[..]);
        CompressedRows { offsets: &self.offsets, indices: &self.indices, weights }
    }

    /// A counting sort by column: rows stay ascending within a column.
    fn transpose_into(&self, columns: usize, out: &mut Self) {
        out.offsets.clear();
        out.offsets.resize(columns + 1, 0);
        // Counts are kept one place early, so that filling turns starts into ends, which are the
        // starts of the next row.
        self.indices.iter().for_each(|&column| out.offsets[column as usize] += 1);
        let mut total = 0;
        for offset in &mut out.offsets {
            // Exclusive prefix sums: each offset becomes the start of its row.
            (*offset, total) = (total, total + *offset);
        }
        out.indices.clear();
        out.indices.resize(self.indices.len(), 0);
        out.weights.clear();
        out.weights.resize(self.weights.len(), 0.0);
        for (row, pair) in (0_u32..).zip(self.offsets.windows(2)) {
            // Rows are visited in order, so indices within a transposed row come out sorted.
            for at in pair[0]..pair[1] {
                let place = &mut out.offsets[self.indices[at] as usize];
                out.indices[*place] = row;
                if let Some(weight) = out.weights.get_mut(*place) {
                    *weight = self.weights[at];
                }
                *place += 1;
            }
        }
        // Every offset has moved to the end of its row, the start of the next; the first start is
        // 0.
        out.offsets.pop();
        out.offsets.insert(0, 0);
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::GraphBuilder;
    use proptest::prelude::*;

    use super::*;
    use crate::kernels::{product, product_left_transposed};

    fn filled(rows: usize, columns: usize, seed: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919 + seed * 104_729) % 31) as f32 / 8.0 - 2.0;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    fn check(sums: &RowSums, dense: &DenseMatrix) {
        let x = filled(dense.columns(), 5, 1);
        let mut expected = DenseMatrix::zeros(dense.rows(), 5);
        product(dense, &x, Write::Replace, &mut expected);
        let mut found = DenseMatrix::zeros(0, 0);
        sums.forward(&x, &mut found);
        assert_eq!(found, expected);
        let gradient = filled(dense.rows(), 5, 2);
        for write in [Write::Replace, Write::Add] {
            let (mut found, mut expected) =
                (filled(dense.columns(), 5, 3), filled(dense.columns(), 5, 3));
            product_left_transposed(dense, &gradient, write, &mut expected);
            sums.backward(&gradient, write, &mut found);
            assert_eq!(found, expected);
        }
    }

    proptest! {
        /// Values are multiples of 1/8, so every order of summation gives the same number; the same
        /// memory is filled twice.
        #[test]
        fn both_directions_match_dense_products(n in 1usize..9, m in 1usize..9, seed in 0usize..99) {
            let mut sums = RowSums::default();
            for seed in [seed + 1, seed] {
                let mut dense = filled(n, m, seed);
                dense.values_mut().iter_mut().filter(|v| **v < 0.5).for_each(|v| *v = 0.0);
                sums.start();
                for row in 0..n {
                    for (column, &value) in (0..).zip(dense.row(row)).filter(|(_, v)| **v != 0.0) {
                        sums.push(column, value);
                    }
                    sums.end_row();
                }
                sums.finish(m);
                check(&sums, &dense);
            }
        }

        #[test]
        fn neighbourhoods_include_their_node(
            edges in prop::collection::vec((0u32..7, 0u32..7), 0..20), directed: bool,
        ) {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let (graph, _) = GraphBuilder::new(7, direction).edges(edges).build().unwrap();
            let mut dense = DenseMatrix::zeros(7, 7);
            graph.arcs().for_each(|(u, v)| dense.row_mut(u as usize)[v as usize] = 1.0);
            (0..7).for_each(|u| dense.row_mut(u)[u] += 1.0);
            check(&RowSums::closed_neighbourhoods(&graph), &dense);
        }
    }
}
