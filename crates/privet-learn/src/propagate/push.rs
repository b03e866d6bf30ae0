//! Backward push, LDP-GE's Algorithm 3: propagates one feature column at a time, moving only values
//! that are large enough to matter.
//!
//! # Idea
//! A value that has not moved yet is a residue. A push settles a share alpha of a node's residue and
//! sends the rest to the nodes that gather from it; residues of at most the threshold stay where
//! they are. Noisy features are negative too, so residues have signs and may cancel.
//!
//! # Equation
//! With `s(v) = max(in(v), 1)^r` the matrix `S^-1 P S` has the same number `g(u) = out(u)^(r-1) / s(u)`
//! in all of row u (1 / degree(u) if undirected). So `R = S^-1 X`, and pushing v does
//! `Q(v) += alpha R(v)` and `R(u) += (1-alpha) g(u) R(v)` for every arc `u -> v`; then `Z = S Q`.
//!
//! # Error
//! Every push keeps `S^-1 Z = Q + S^-1 Π S R`. If undirected, rows of `S^-1 Π S` sum to at most 1, so
//! `|error(v)| <= degree(v)^r threshold`; otherwise the bound is measured from the residues that are
//! left, in the norm of [`super::operator`]. It ends: with `h = (I - (1-alpha) P')^-1 1`, which is
//! finite, every push takes at least the threshold off `h |R|`.
//!
//! # Differs from the paper
//! Algorithm 3 divides by the degree of the node that is pushed, which computes the series of
//! `D^r A D^(-1-r)` and not that of equation 17; here the degree is the receiver's, which does.
//!
//! # Cost
//! The degrees of the pushed nodes; per thread four numbers a node.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::ControlFlow;

use privet_graph::{DenseMatrix, Direction, FeatureMatrix, Graph};
use rayon::prelude::*;

use super::operator::{ErrorNorm, Operator};
use crate::kernels::SparseInput;
use crate::{Error, Result};

/// Columns whose results are held before they are written to the embedding's rows.
const COLUMNS_AT_A_TIME: usize = 32;

/// Backward push with a threshold on residues.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BackwardPush {
    /// The largest residue that may stay (`r_max`).
    pub threshold: f64,
}

impl Default for BackwardPush {
    /// A threshold of 1e-5.
    fn default() -> Self {
        Self { threshold: 1e-5 }
    }
}

/// Embeddings by push, and how exact they are.
#[derive(Debug, Clone, PartialEq)]
pub struct PushedRows {
    /// One row per node.
    pub embedding: DenseMatrix,
    /// How many pushes it took, all columns together.
    pub pushes: u64,
    /// How far the embedding is from the whole series at most, in `norm`.
    pub error_bound: f64,
    /// The norm.
    pub norm: ErrorNorm,
}

impl BackwardPush {
    /// Propagates all columns, in parallel.
    ///
    /// ```
    /// use privet_graph::{DenseMatrix, Direction, FeatureMatrix, GraphBuilder};
    /// use privet_learn::propagate::{BackwardPush, Propagation};
    /// let (edge, _) = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build()?;
    /// let x = FeatureMatrix::Dense(DenseMatrix::new(2, 1, vec![1.0, 0.0])?);
    /// let operator = Propagation { alpha: 0.5, ..Default::default() }.on(&edge)?;
    /// let found = BackwardPush { threshold: 1e-3 }.run(&operator, &x)?;
    /// assert!((found.embedding.values()[0] - 2.0 / 3.0).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the threshold is not positive, or the features do not fit the graph.
    pub fn run(&self, operator: &Operator<'_>, x: &FeatureMatrix) -> Result<PushedRows> {
        self.run_watched(operator, x, |_| ControlFlow::Continue(()))
    }

    /// Like [`BackwardPush::run`], and tells `watch` how many columns are done, which may break off.
    ///
    /// # Errors
    /// Those of [`BackwardPush::run`], and [`Error::Interrupted`] if `watch` breaks.
    pub fn run_watched(
        &self,
        operator: &Operator<'_>,
        x: &FeatureMatrix,
        mut watch: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<PushedRows> {
        if !(self.threshold > 0.0 && self.threshold.is_finite()) {
            return Err(Error::invalid("threshold", self.threshold, "a positive number"));
        }
        let columns = PushColumns::of(x);
        operator.check_rows(columns.rows())?;
        let (nodes, count) = (columns.rows(), columns.count());
        let pushes = Pushes::new(operator, self.threshold);
        let mut embedding = DenseMatrix::zeros(nodes, count);
        let mut total = ResidueTally::default();
        for start in (0..count).step_by(COLUMNS_AT_A_TIME) {
            let end = (start + COLUMNS_AT_A_TIME).min(count);
            let group: Vec<(Vec<f32>, ResidueTally)> = (start..end)
                .into_par_iter()
                .map_init(
                    || PushWorkspace::new(nodes),
                    |space, column| pushes.column(&columns, column, space),
                )
                .collect();
            let rows = embedding.values_mut().par_chunks_mut(count).enumerate();
            rows.for_each(|(node, row)| {
                row[start..end]
                    .iter_mut()
                    .zip(&group)
                    .for_each(|(z, (column, _))| *z = column[node]);
            });
            group.iter().for_each(|(_, tally)| total = total.and(*tally));
            if watch(end).is_break() {
                return Err(Error::Interrupted);
            }
        }
        let (error_bound, norm) = (pushes.bound(total), operator.error_norm());
        Ok(PushedRows { embedding, pushes: total.pushes, error_bound, norm })
    }
}

/// What is left in all columns: the largest and the total residue.
#[derive(Debug, Clone, Copy, Default)]
struct ResidueTally {
    pushes: u64,
    largest: f64,
    total: f64,
}

impl ResidueTally {
    fn and(self, other: Self) -> Self {
        let pushes = self.pushes + other.pushes;
        let (largest, total) = (self.largest.max(other.largest), self.total + other.total);
        Self { pushes, largest, total }
    }
}

/// Features by column.
enum PushColumns<'a> {
    Dense(&'a DenseMatrix),
    Sparse(SparseInput),
}

impl<'a> PushColumns<'a> {
    fn of(x: &'a FeatureMatrix) -> Self {
        match x {
            FeatureMatrix::Dense(x) => Self::Dense(x),
            FeatureMatrix::Sparse(x) => Self::Sparse(SparseInput::new(x.clone())),
        }
    }

    fn rows(&self) -> usize {
        match self {
            Self::Dense(x) => x.rows(),
            Self::Sparse(x) => x.matrix().rows(),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::Dense(x) => x.columns(),
            Self::Sparse(x) => x.matrix().columns(),
        }
    }

    fn for_each(&self, column: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(x) => {
                (0..x.rows()).for_each(|node| visit(node, f64::from(x.row(node)[column])));
            }
            Self::Sparse(x) => {
                let (nodes, values) = x.column(column);
                nodes.iter().zip(values).for_each(|(&node, &v)| visit(node as usize, f64::from(v)));
            }
        }
    }
}

struct PushWorkspace {
    reserve: Vec<f64>,
    residue: Vec<f64>,
    waits: Vec<bool>,
    queue: VecDeque<u32>,
}

impl PushWorkspace {
    fn new(nodes: usize) -> Self {
        let (reserve, residue) = (vec![0.0; nodes], vec![0.0; nodes]);
        Self { reserve, residue, waits: vec![false; nodes], queue: VecDeque::new() }
    }
}

/// A graph prepared for pushing.
struct Pushes<'a> {
    operator: &'a Operator<'a>,
    /// Row v: the nodes that gather from v.
    receivers: Cow<'a, Graph>,
    /// `(1-alpha) g(u)`.
    receives: Vec<f64>,
    threshold: f64,
}

impl<'a> Pushes<'a> {
    fn new(operator: &'a Operator<'a>, threshold: f64) -> Self {
        let graph = operator.graph();
        // A push goes against the arcs: nodes that would aggregate over `node` receive from it.
        let receivers = match graph.direction() {
            Direction::Undirected => Cow::Borrowed(graph),
            Direction::Directed => Cow::Owned(graph.transposed()),
        };
        let r = operator.exponent();
        // In coordinates divided by d^r the weight of an arc depends on the receiver alone: d(u)^(r-1) / d(u)^r.
        let g = |u: u32| (graph.degree(u).max(1) as f64).powf(r - 1.0) / operator.scale(u);
        let receives = graph.nodes().map(|u| (1.0 - operator.alpha()) * g(u)).collect();
        Self { operator, receivers, receives, threshold }
    }

    fn column(
        &self,
        x: &PushColumns<'_>,
        column: usize,
        space: &mut PushWorkspace,
    ) -> (Vec<f32>, ResidueTally) {
        space.reserve.fill(0.0);
        space.residue.fill(0.0);
        let PushWorkspace { reserve, residue, waits, queue } = space;
        x.for_each(column, |node, value| {
            // In coordinates divided by d^r the operator's rows sum to one, so one threshold bounds the error of
            // every node.
            residue[node] = value / self.operator.scale(node as u32);
            if residue[node].abs() > self.threshold {
                waits[node] = true;
                queue.push_back(node as u32);
            }
        });
        let mut pushes = 0;
        while let Some(node) = queue.pop_front() {
            let v = node as usize;
            waits[v] = false;
            // Opposite signs may have met while the node waited.
            if residue[v].abs() <= self.threshold {
                continue;
            }
            pushes += 1;
            // Invariant: exact = reserve + (PageRank of the residue). A push moves alpha of a residue to the reserve
            // and sends the rest one step on; the threshold bounds what is left.
            let moved = std::mem::take(&mut residue[v]);
            reserve[v] += self.operator.alpha() * moved;
            for &receiver in self.receivers.neighbors(node) {
                let u = receiver as usize;
                residue[u] += self.receives[u] * moved;
                if residue[u].abs() > self.threshold && !waits[u] {
                    waits[u] = true;
                    queue.push_back(receiver);
                }
            }
        }
        let embedding =
            reserve.iter().zip(self.operator.scales()).map(|(q, s)| (q * s) as f32).collect();
        (embedding, self.tally(residue, pushes))
    }

    fn tally(&self, residue: &[f64], pushes: u64) -> ResidueTally {
        let weighted =
            matches!(self.operator.error_norm(), ErrorNorm::DegreeWeightedMaximum { .. });
        let mut tally = ResidueTally { pushes, ..Default::default() };
        for (left, scale) in residue.iter().zip(self.operator.scales()) {
            let left = if weighted { left.abs() } else { left.abs() * scale };
            tally.largest = tally.largest.max(left);
            tally.total += left;
        }
        tally
    }

    /// For the p-norm, `|R|_p <= |R|_1^r |R|_max^(1-r)` with `p = 1/r`.
    fn bound(&self, left: ResidueTally) -> f64 {
        match self.operator.error_norm() {
            ErrorNorm::DegreeWeightedMaximum { .. } => left.largest,
            ErrorNorm::Power { exponent: r } => left.total.powf(r) * left.largest.powf(1.0 - r),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::propagate::oracle::{self, PropagationCase};

    /// The embedding is as near to the dense inverse as the bound says, in every entry.
    fn check(case: &PropagationCase, threshold: f64) -> PushedRows {
        let operator = case.propagation.on(&case.graph).unwrap();
        let push = BackwardPush { threshold };
        let found = push.run(&operator, &FeatureMatrix::Dense(case.features().clone())).unwrap();
        let sparse = push.run(&operator, &FeatureMatrix::Sparse(case.sparse_features())).unwrap();
        assert_eq!(found, sparse, "{case}");
        if case.graph.direction() == Direction::Undirected {
            assert!(found.error_bound <= threshold);
        }
        let expected = case.expected(case.features());
        for node in case.graph.nodes() {
            // Rounding to 32-bit floats comes on top.
            let bound = operator.entry_bound(node, found.error_bound) + 1e-6;
            let found = found.embedding.row(node as usize).iter();
            for (z, e) in found.zip(expected.row(node as usize)) {
                assert!(f64::from((z - e).abs()) <= bound, "{case}: {z}, {e}, {bound}");
            }
        }
        found
    }

    #[test]
    fn every_kind_of_graph_is_within_the_bound() {
        for case in oracle::cases() {
            let (rough, fine) = (check(&case, 0.1), check(&case, 1e-9));
            assert!(rough.pushes <= fine.pushes, "{case}");
        }
    }

    proptest! {
        #[test]
        fn random_graphs_are_within_the_bound(case in oracle::any_case(), digits in 0.0f64..7.0) {
            check(&case, 10f64.powf(-digits));
        }
    }

    #[test]
    fn same_bytes_for_any_number_of_threads() {
        let case = oracle::cases().pop().unwrap();
        let operator = case.propagation.on(&case.graph).unwrap();
        let x = FeatureMatrix::Dense(case.features().clone());
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| BackwardPush::default().run(&operator, &x)).unwrap()
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn a_high_threshold_moves_nothing_and_says_what_is_missing() {
        let case = &oracle::cases()[0];
        let operator = case.propagation.on(&case.graph).unwrap();
        let x = FeatureMatrix::Dense(case.features().clone());
        let found = BackwardPush { threshold: 100.0 }.run(&operator, &x).unwrap();
        assert_eq!(found.pushes, 0);
        assert!(found.embedding.values().iter().all(|&z| z == 0.0));
        assert_eq!(found.error_bound, f64::from(crate::kernels::max_abs(case.features().values())));
        for threshold in [0.0, -1.0, f64::NAN] {
            assert!(BackwardPush { threshold }.run(&operator, &x).is_err());
        }
    }
}
