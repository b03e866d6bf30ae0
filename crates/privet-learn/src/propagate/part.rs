//! Some rows of a propagation: what one machine, or one stretch of a file, can do of a round.
//!
//! A round makes every row of the next term from rows of the last one, and rows do not wait for each other. So a round
//! can be cut anywhere between two rows: [`Power`](super::Power) does all rows at once, a graph that is read from disk a
//! stretch of rows at a time, several machines a range of nodes each. Every row is summed in the order of its arcs, so
//! the cuts do not change a byte; nor do cuts between columns, which never meet.

use std::ops::Range;

use privet_graph::{Direction, Graph, SparseMatrix};
use rayon::prelude::*;

use super::operator::{AddedLoops, ErrorNorm, Orientation, Propagation};
pub use crate::kernels::RowNorms;
use crate::kernels::{CompressedRows, Finish, Write, aggregate_rows, max_abs};
use crate::{Error, Result};

/// Arcs that a thread weighs at a time.
const PIECE: usize = 1 << 14;

/// What a propagation needs to know of all nodes: powers of their degrees, 12 bytes a node.
#[derive(Debug, Clone)]
pub struct NodeScales {
    alpha: f64,
    exponent: f64,
    direction: Direction,
    /// `in(v)^(-r)`.
    into: Vec<f64>,
    /// `1 / max(in(v), 1)^r`, if errors are weighted by degree.
    errors: Option<Vec<f32>>,
}

impl NodeScales {
    /// Those of a graph as it is. Only degrees are looked at: the targets of a directed graph once, those of an
    /// undirected one never.
    ///
    /// # Errors
    /// If a setting is out of range, loops are to be added, or arcs turned: that would be another graph.
    pub fn of(propagation: &Propagation, graph: &Graph) -> Result<Self> {
        propagation.check()?;
        let turned = propagation.orientation == Orientation::Transposed;
        if propagation.self_loops != AddedLoops::None || turned {
            return Err(Error::invalid("graph in parts", "another form", "the graph as it is"));
        }
        let (r, direction) = (propagation.exponent, graph.direction());
        // Columns are scaled by in-degrees and rows by out-degrees; for undirected graphs they are the same.
        let degrees = in_degrees(graph);
        // No degree is 0 where this is read: a target has an arc into it.
        let into = degrees.par_iter().map(|&degree| f64::from(degree).powf(-r)).collect();
        let error = |&degree: &u32| (1.0 / f64::from(degree.max(1)).powf(r)) as f32;
        // Undirected: the error is at most the largest entry divided by d^r, times the node's own d^r.
        let errors = match direction {
            Direction::Undirected => Some(degrees.par_iter().map(error).collect()),
            Direction::Directed => None,
        };
        Ok(Self { alpha: propagation.alpha, exponent: r, direction, into, errors })
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.into.len()
    }

    /// The weights of the arcs of some rows, as [`Propagation::on`] would weigh them: `offsets` has one place more than
    /// there are rows, and `targets` are nodes.
    ///
    /// # Panics
    /// If the arrays do not fit each other, or a target is not a node.
    pub fn weigh(&self, offsets: &[usize], targets: &[u32], weights: &mut Vec<f32>) {
        weights.resize(targets.len(), 0.0);
        // Pieces of equal length, whatever the rows: a hub's row is shared by several threads.
        let pieces = weights.par_chunks_mut(PIECE).zip(targets.par_chunks(PIECE)).enumerate();
        pieces.for_each(|(piece, (weights, targets))| {
            let (start, end) = (piece * PIECE, piece * PIECE + targets.len());
            // The last row that begins at or before the piece; rows without arcs are passed over.
            let mut row = offsets.partition_point(|&at| at - offsets[0] <= start) - 1;
            let mut at = start;
            while at < end {
                let row_end = offsets[row + 1] - offsets[0];
                // Equation 17's weight of an arc: out(u)^(r-1) in(v)^(-r).
                let degree = offsets[row + 1] - offsets[row];
                let out = (degree as f64).powf(self.exponent - 1.0);
                // The part of this row that lies in the piece.
                let here = at - start..row_end.min(end) - start;
                for (weight, &v) in weights[here.clone()].iter_mut().zip(&targets[here]) {
                    *weight = (out * self.into[v as usize]) as f32;
                }
                at = row_end.min(end);
                row += 1;
            }
        });
    }

    /// What rows of these nodes are multiplied with before errors are measured, if they are weighted by degree.
    pub fn errors(&self, nodes: Range<usize>) -> Option<&[f32]> {
        self.errors.as_ref().map(|errors| &errors[nodes])
    }

    /// How much of its own features a node keeps.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The norm in which errors are bounded.
    pub fn error_norm(&self) -> ErrorNorm {
        ErrorNorm::of(self.direction, self.exponent)
    }

    /// How far the series is from its end at most, once a whole term measures so much.
    pub fn bound(&self, term: RowNorms) -> f64 {
        self.error_norm().bound(self.alpha, term)
    }
}

fn in_degrees(graph: &Graph) -> Vec<u32> {
    match graph.direction() {
        Direction::Undirected => graph.nodes().map(|node| graph.degree(node) as u32).collect(),
        Direction::Directed => {
            let mut degrees = vec![0; graph.node_count()];
            graph.targets().iter().for_each(|&v| degrees[v as usize] += 1);
            degrees
        }
    }
}

/// Some rows of a propagation, whose arcs lead to rows of whatever matrix is handed in.
#[derive(Debug, Clone, Copy)]
pub struct PropagationPart<'a> {
    rows: CompressedRows<'a>,
    alpha: f32,
    decay: f32,
    errors: Option<&'a [f32]>,
}

impl<'a> PropagationPart<'a> {
    /// Rows that begin at `offsets` (which starts at 0 and has one place more than there are rows), with a target and a
    /// weight for every arc, and with what they are multiplied with before errors are measured.
    ///
    /// # Panics
    /// If the arrays do not fit each other.
    pub fn new(
        alpha: f64,
        offsets: &'a [usize],
        (targets, weights): (&'a [u32], &'a [f32]),
        errors: Option<&'a [f32]>,
    ) -> Self {
        let arcs = offsets.last().copied().unwrap_or(0);
        assert_eq!((targets.len(), weights.len()), (arcs, arcs), "a target and a weight an arc");
        assert!(errors.is_none_or(|errors| errors.len() + 1 == offsets.len()), "a scale a row");
        let rows = CompressedRows { offsets, indices: targets, weights: Some(weights) };
        Self { rows, alpha: alpha as f32, decay: (1.0 - alpha) as f32, errors }
    }

    /// How many rows there are.
    pub fn row_count(&self) -> usize {
        self.rows.offsets.len().saturating_sub(1)
    }

    /// `Z = alpha T_0` in place of `T_0`.
    pub fn start(&self, sum: &mut [f32]) {
        sum.iter_mut().for_each(|z| *z *= self.alpha);
    }

    /// A round: `next = (1-alpha) P term` and `sum += alpha next`, for the rows of this part. `term` holds all rows that
    /// arcs lead to.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn round(
        &self,
        term: &[f32],
        columns: usize,
        next: &mut [f32],
        sum: &mut [f32],
    ) -> RowNorms {
        aggregate_rows(self.rows, (term, columns), Write::Replace, next, Some(sum), self)
    }

    /// `T_1` and `alpha (T_0 + T_1)` from sparse `T_0`: the work is the number of values that move. `next` and `sum` are
    /// zeros; row `own` of `x` is that of this part's first row.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn first_hop(&self, x: &SparseMatrix, own: usize, next: &mut [f32], sum: &mut [f32]) {
        let width = x.columns().max(1);
        assert_eq!((next.len(), sum.len()), (self.row_count() * x.columns(), next.len()));
        let rows = next.par_chunks_mut(width).zip(sum.par_chunks_mut(width)).enumerate();
        rows.for_each(|(row, (next, sum))| {
            for (neighbour, weight) in self.entries(row) {
                scatter(x, neighbour as usize, weight, next);
            }
            scatter(x, own + row, self.alpha, sum);
            for (next, sum) in next.iter_mut().zip(sum) {
                // The decay belongs to the term, alpha to the sum: z = alpha sum_k ((1 - alpha) P)^k x.
                *next *= self.decay;
                *sum += self.alpha * *next;
            }
        });
    }

    /// The size of a term's rows.
    pub fn measure(&self, term: &[f32], columns: usize) -> RowNorms {
        let rows = term.chunks(columns.max(1)).enumerate();
        rows.fold(RowNorms::default(), |all, (row, term)| all.and(self.measure_row(row, term)))
    }

    /// The size of the rows of sparse features from `own` on.
    pub fn measure_sparse(&self, x: &SparseMatrix, own: usize) -> RowNorms {
        let rows = (0..self.row_count()).map(|row| self.measure_row(row, x.row(own + row).1));
        rows.fold(RowNorms::default(), RowNorms::and)
    }

    fn entries(&self, row: usize) -> impl Iterator<Item = (u32, f32)> + '_ {
        let arcs = self.rows.offsets[row]..self.rows.offsets[row + 1];
        let weights = self.rows.weights.map_or(&[][..], |weights| &weights[arcs.clone()]);
        self.rows.indices[arcs].iter().copied().zip(weights.iter().copied())
    }

    #[inline(always)]
    fn measure_row(&self, row: usize, term: &[f32]) -> RowNorms {
        // The two norms are those of `ErrorNorm`: a weighted maximum, or maximum and sum.
        match self.errors {
            Some(scales) => {
                // Undirected: only the weighted maximum is needed, so no sum is taken.
                RowNorms { largest: f64::from(max_abs(term) * scales[row]), total: 0.0 }
            }
            None => {
                let total = term.iter().map(|t| f64::from(t.abs())).sum();
                RowNorms { largest: f64::from(max_abs(term)), total }
            }
        }
    }
}

impl Finish for PropagationPart<'_> {
    #[inline(always)]
    fn finish(&self, row: usize, term: &mut [f32], sum: &mut [f32]) -> RowNorms {
        for (term, sum) in term.iter_mut().zip(sum) {
            // term <- (1 - alpha) P term, and sum <- sum + alpha term, in one pass over memory.
            *term *= self.decay;
            *sum += self.alpha * *term;
        }
        self.measure_row(row, term)
    }
}

#[inline]
fn scatter(x: &SparseMatrix, row: usize, factor: f32, out: &mut [f32]) {
    let (columns, values) = x.row(row);
    for (&column, &value) in columns.iter().zip(values) {
        out[column as usize] += factor * value;
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::{DenseMatrix, FeatureMatrix, GraphBuilder};
    use proptest::prelude::*;

    use super::super::{Power, Rounds};
    use super::*;

    fn filled(rows: usize, columns: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919 + 13) % 97) as f32 / 31.0 - 1.5;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    proptest! {
        /// Rounds that are done a stretch of rows and a panel of columns at a time have the bytes of those done whole.
        #[test]
        fn cuts_change_nothing(
            edges in prop::collection::vec((0u32..40, 0u32..40), 0..160),
            cut in 0usize..=40,
            columns in 1usize..30,
            directed in any::<bool>(),
        ) {
            let direction = if directed { Direction::Directed } else { Direction::Undirected };
            let (graph, _) = GraphBuilder::new(40, direction).edges(edges).build().unwrap();
            let propagation = Propagation { exponent: 0.3, ..Propagation::default() };
            let operator = propagation.on(&graph).unwrap();
            let x = filled(40, columns);
            let power = Power { rounds: Rounds::Exactly(3), ..Power::default() };
            let whole = power.run(&operator, FeatureMatrix::Dense(x.clone())).unwrap();

            let scales = NodeScales::of(&propagation, &graph).unwrap();
            let (mut term, mut sum) = (x.clone(), x);
            let stretches = [0..cut, cut..40];
            let mut measured = RowNorms::default();
            for round in 0..3 {
                let mut next = DenseMatrix::zeros(40, columns);
                measured = RowNorms::default();
                for rows in &stretches {
                    let offsets = &graph.offsets()[rows.start..=rows.end];
                    let arcs = &graph.targets()[offsets[0]..offsets[rows.len()]];
                    let mut weights = Vec::new();
                    scales.weigh(offsets, arcs, &mut weights);
                    let from_zero: Vec<usize> = offsets.iter().map(|at| at - offsets[0]).collect();
                    let errors = scales.errors(rows.clone());
                    let part = PropagationPart::new(scales.alpha(), &from_zero, (arcs, &weights), errors);
                    let place = rows.start * columns..rows.end * columns;
                    if round == 0 {
                        part.start(&mut sum.values_mut()[place.clone()]);
                    }
                    let (next, sum) =
                        (&mut next.values_mut()[place.clone()], &mut sum.values_mut()[place]);
                    measured = measured.and(part.round(term.values(), columns, next, sum));
                }
                term = next;
            }
            prop_assert_eq!(&sum, &whole.embedding);
            let (found, expected) = (scales.bound(measured), whole.error_bound);
            prop_assert!((found - expected).abs() <= 1e-12 * expected);
        }
    }

    #[test]
    fn another_graph_is_refused() {
        let (graph, _) =
            GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build().unwrap();
        let loops = Propagation { self_loops: AddedLoops::All, ..Propagation::default() };
        assert!(NodeScales::of(&loops, &graph).is_err());
        let turned = Propagation { orientation: Orientation::Transposed, ..Propagation::default() };
        assert!(NodeScales::of(&turned, &graph).is_err());
        let far = Propagation { alpha: 2.0, ..Propagation::default() };
        assert!(NodeScales::of(&far, &graph).is_err());
    }
}
