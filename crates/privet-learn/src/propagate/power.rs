//! Power iteration: `Z = sum over l of alpha (1-alpha)^l P^l X`, term by term.
//!
//! # Iteration
//! With `T_0 = X`: `T_(l+1) = (1-alpha) P T_l` and `Z = alpha (T_0 + T_1 + ...)`. Each round makes the next
//! term, adds it and measures it in one pass over memory.
//!
//! # Why it is accurate
//! What is missing after K rounds is `alpha sum over j >= 1 of ((1-alpha) P)^j T_K`. P does not increase
//! the operator's norm (see [`super::operator`]), so the missing part is at most
//! `(1-alpha) |T_K|` in that norm: a bound that is measured, not estimated. It falls by `1-alpha` a
//! round at least, so the iteration ends; terms shrink relative to themselves, so rounding of 32-bit
//! floats cannot keep it from ending.
//!
//! # Cost
//! Three dense matrices: X (whose memory becomes that of the terms), Z, and one to work in. Sparse
//! features make the first hop as they are, and are freed before the work matrix is made.

use std::ops::ControlFlow;

use privet_graph::{DenseMatrix, FeatureMatrix, SparseMatrix};

use super::operator::{ErrorNorm, Operator};
use crate::{Error, Result};

/// When to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounds {
    /// After this many: terms 0 to k of the series.
    Exactly(usize),
    /// Once the error is at most this much in the operator's norm.
    Residual(f64),
}

/// Power iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Power {
    /// When to stop.
    pub rounds: Rounds,
    /// The most rounds that [`Rounds::Residual`] may take before it is an error.
    pub max_rounds: usize,
    /// Sparse features denser than this are made dense before the first hop.
    pub densify_above: f64,
}

impl Default for Power {
    /// To an error of 1e-6 within 10,000 rounds; features up to a quarter full stay sparse.
    fn default() -> Self {
        Self { rounds: Rounds::Residual(1e-6), max_rounds: 10_000, densify_above: 0.25 }
    }
}

/// Embeddings, and how exact they are.
#[derive(Debug, Clone, PartialEq)]
pub struct PropagatedRows {
    /// One row per node.
    pub embedding: DenseMatrix,
    /// How many rounds were run.
    pub rounds: usize,
    /// How far the embedding is from the whole series at most, in `norm`, rounding apart.
    pub error_bound: f64,
    /// The norm.
    pub norm: ErrorNorm,
}

/// How far an iteration has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationProgress {
    /// Rounds done.
    pub done: usize,
    /// The error left.
    pub error_bound: f64,
}

impl Power {
    /// Runs the iteration; takes the features, whose memory it works in.
    ///
    /// ```
    /// use privet_graph::{DenseMatrix, Direction, FeatureMatrix, GraphBuilder};
    /// use privet_learn::propagate::{Power, Propagation};
    /// let (edge, _) = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build()?;
    /// let x = FeatureMatrix::Dense(DenseMatrix::new(2, 1, vec![1.0, 0.0])?);
    /// let operator = Propagation { alpha: 0.5, ..Default::default() }.on(&edge)?;
    /// let found = Power::default().run(&operator, x)?;
    /// // 1/2 + 1/8 + 1/32 + ... = 2/3 stays, 1/4 + 1/16 + ... = 1/3 moves.
    /// assert!((found.embedding.values()[0] - 2.0 / 3.0).abs() < 2e-6);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the features do not fit the graph, a setting makes no sense, or
    /// [`Error::NotConverged`] after [`Power::max_rounds`].
    pub fn run(&self, operator: &Operator<'_>, x: FeatureMatrix) -> Result<PropagatedRows> {
        self.run_watched(operator, x, |_| ControlFlow::Continue(()))
    }

    /// Like [`Power::run`], and tells `watch` after every round, which may break it off.
    ///
    /// # Errors
    /// Those of [`Power::run`], and [`Error::Interrupted`] if `watch` breaks.
    pub fn run_watched(
        &self,
        operator: &Operator<'_>,
        x: FeatureMatrix,
        mut watch: impl FnMut(IterationProgress) -> ControlFlow<()>,
    ) -> Result<PropagatedRows> {
        self.check()?;
        let scales = operator.error_scales();
        let (part, bound) = (operator.part(scales.as_deref()), |term| operator.bound(term));
        // Invariant: sum = alpha * (terms so far), term = ((1-alpha) P)^k x. What is left out has a norm of at most
        // the bound that is measured from the last term.
        let (mut term, mut sum, mut state) = match x {
            // The first hop of sparse features reads only their nonzeros; after it almost everything is dense.
            FeatureMatrix::Sparse(x) if self.keeps_sparse(&x) => {
                operator.check_rows(x.rows())?;
                let start =
                    IterationProgress { done: 0, error_bound: bound(part.measure_sparse(&x, 0)) };
                if self.finished(start)? {
                    let mut sum = x.to_dense();
                    part.start(sum.values_mut());
                    return Ok(propagated(operator, sum, start));
                }
                let zeros = || DenseMatrix::zeros(x.rows(), x.columns());
                let (mut term, mut sum) = (zeros(), zeros());
                part.first_hop(&x, 0, term.values_mut(), sum.values_mut());
                let error_bound = bound(part.measure(term.values(), x.columns()));
                (term, sum, IterationProgress { done: 1, error_bound })
            }
            x => {
                let term = match x {
                    FeatureMatrix::Dense(x) => x,
                    FeatureMatrix::Sparse(x) => x.to_dense(),
                };
                operator.check_rows(term.rows())?;
                let error_bound = bound(part.measure(term.values(), term.columns()));
                let mut sum = term.clone();
                part.start(sum.values_mut());
                (term, sum, IterationProgress { done: 0, error_bound })
            }
        };
        let mut next = DenseMatrix::zeros(0, 0);
        while !self.finished(state)? {
            if next.rows() != term.rows() {
                next = DenseMatrix::zeros(term.rows(), term.columns());
            }
            let (columns, next_rows) = (term.columns(), next.values_mut());
            let measured = part.round(term.values(), columns, next_rows, sum.values_mut());
            // Two buffers in turn: no allocation per round.
            std::mem::swap(&mut term, &mut next);
            state = IterationProgress { done: state.done + 1, error_bound: bound(measured) };
            if watch(state).is_break() {
                return Err(Error::Interrupted);
            }
        }
        Ok(propagated(operator, sum, state))
    }

    /// Whether the settings make sense.
    ///
    /// # Errors
    /// If not.
    pub fn check(&self) -> Result<()> {
        match self.rounds {
            Rounds::Residual(tolerance) if !(tolerance > 0.0 && tolerance.is_finite()) => {
                Err(Error::invalid("tolerance", tolerance, "a positive number"))
            }
            _ => Ok(()),
        }
    }

    /// Whether sparse features make the first hop as they are.
    pub fn keeps_sparse(&self, x: &SparseMatrix) -> bool {
        let cells = x.rows() as f64 * x.columns() as f64;
        x.nonzeros() as f64 <= self.densify_above * cells
    }

    /// Whether so many rounds are enough, or an error if they are too many.
    ///
    /// # Errors
    /// [`Error::NotConverged`] after [`Power::max_rounds`].
    pub fn finished(&self, state: IterationProgress) -> Result<bool> {
        match self.rounds {
            Rounds::Exactly(rounds) => Ok(state.done >= rounds),
            Rounds::Residual(tolerance) if state.error_bound <= tolerance => Ok(true),
            Rounds::Residual(wanted) if state.done >= self.max_rounds => {
                let (residual, rounds) = (state.error_bound, state.done);
                Err(Error::NotConverged { what: "power iteration", residual, rounds, wanted })
            }
            Rounds::Residual(_) => Ok(false),
        }
    }
}

fn propagated(
    operator: &Operator<'_>,
    embedding: DenseMatrix,
    state: IterationProgress,
) -> PropagatedRows {
    let IterationProgress { done: rounds, error_bound } = state;
    PropagatedRows { embedding, rounds, error_bound, norm: operator.error_norm() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::propagate::oracle::{self, PropagationCase};

    fn run(
        case: &PropagationCase,
        power: Power,
        x: FeatureMatrix,
    ) -> (PropagatedRows, DenseMatrix) {
        let operator = case.propagation.on(&case.graph).unwrap();
        (power.run(&operator, x).unwrap(), case.expected(case.features()))
    }

    #[test]
    fn every_kind_of_graph_matches_the_dense_inverse() {
        for case in oracle::cases() {
            let operator = case.propagation.on(&case.graph).unwrap();
            let x = FeatureMatrix::Dense(case.features().clone());
            let tolerance = 1e-6;
            let power = Power { rounds: Rounds::Residual(tolerance), ..Default::default() };
            let (found, expected) = run(&case, power, x);
            assert!(found.error_bound <= tolerance, "{case}");
            for node in case.graph.nodes() {
                // Rounding of 32-bit floats comes on top of what is proved.
                let bound = operator.entry_bound(node, found.error_bound) + 2e-6;
                let rows = found.embedding.row(node as usize).iter();
                for (z, e) in rows.zip(expected.row(node as usize)) {
                    assert!(f64::from((z - e).abs()) <= bound, "{case}: {z} is not {e}");
                }
            }
        }
    }

    #[test]
    fn the_bound_holds_after_every_round() {
        for case in oracle::cases() {
            let operator = case.propagation.on(&case.graph).unwrap();
            for rounds in [0, 1, 2, 5] {
                let power = Power { rounds: Rounds::Exactly(rounds), ..Default::default() };
                let (found, expected) =
                    run(&case, power, FeatureMatrix::Dense(case.features().clone()));
                assert_eq!(found.rounds, rounds);
                for node in case.graph.nodes() {
                    let bound = operator.entry_bound(node, found.error_bound) + 2e-6;
                    let rows = found.embedding.row(node as usize).iter();
                    for (z, e) in rows.zip(expected.row(node as usize)) {
                        assert!(f64::from((z - e).abs()) <= bound, "{case}: {z}, {e}, {bound}");
                    }
                }
            }
        }
    }

    #[test]
    fn isolated_nodes_keep_alpha_x_and_with_loops_x() {
        use crate::propagate::{AddedLoops, Propagation};
        let graph = privet_graph::Graph::empty(2, privet_graph::Direction::Undirected).unwrap();
        let x = DenseMatrix::new(2, 1, vec![4.0, -8.0]).unwrap();
        let embed = |self_loops| {
            let propagation = Propagation { alpha: 0.25, self_loops, ..Default::default() };
            let operator = propagation.on(&graph).unwrap();
            let found = Power::default().run(&operator, FeatureMatrix::Dense(x.clone())).unwrap();
            found.embedding.into_values()
        };
        assert_eq!(embed(AddedLoops::None), [1.0, -2.0]);
        let looped = embed(AddedLoops::All);
        assert!((looped[0] - 4.0).abs() < 4e-6 && (looped[1] + 8.0).abs() < 4e-6);
    }

    #[test]
    fn too_few_rounds_are_an_error() {
        let case = &oracle::cases()[0];
        let operator = case.propagation.on(&case.graph).unwrap();
        let x = || FeatureMatrix::Dense(case.features().clone());
        let power = Power { max_rounds: 2, ..Default::default() };
        let error = power.run(&operator, x()).unwrap_err();
        assert!(matches!(error, Error::NotConverged { rounds: 2, .. }), "{error}");
        let broken_off = Power::default().run_watched(&operator, x(), |_| ControlFlow::Break(()));
        assert!(matches!(broken_off, Err(Error::Interrupted)));
        let power = Power { rounds: Rounds::Residual(0.0), ..Default::default() };
        assert!(matches!(power.run(&operator, x()), Err(Error::Invalid { .. })));
        let other = FeatureMatrix::Dense(DenseMatrix::zeros(1, 1));
        assert!(matches!(Power::default().run(&operator, other), Err(Error::Invalid { .. })));
    }

    proptest! {
        #[test]
        fn sparse_features_give_what_dense_ones_give(
            case in oracle::any_case(), rounds in 0usize..6,
        ) {
            let power = Power { rounds: Rounds::Exactly(rounds), ..Default::default() };
            let dense = run(&case, power, FeatureMatrix::Dense(case.features().clone())).0;
            let sparse = FeatureMatrix::Sparse(case.sparse_features());
            for densify_above in [0.0, 1.0] {
                let power = Power { densify_above, ..power };
                let found = run(&case, power, sparse.clone()).0;
                prop_assert_eq!(found.rounds, dense.rounds);
                prop_assert!((found.error_bound - dense.error_bound).abs() < 1e-5);
                for (a, b) in found.embedding.values().iter().zip(dense.embedding.values()) {
                    prop_assert!((a - b).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn same_bytes_for_any_number_of_threads() {
        let edges = (0..6_000u32).flat_map(|u| (1..5).map(move |k| (u, (u * k + 11) % 6_000)));
        for direction in [privet_graph::Direction::Undirected, privet_graph::Direction::Directed] {
            let builder = privet_graph::GraphBuilder::new(6_000, direction);
            let (graph, _) = builder.edges(edges.clone()).build().unwrap();
            let value = |i: u32| (i * 7919 % 1000) as f32 / 999.0;
            let x = DenseMatrix::new(6_000, 3, (0..18_000).map(value).collect()).unwrap();
            let on = |threads: usize| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let operator = crate::propagate::Propagation::default().on(&graph).unwrap();
                let x = FeatureMatrix::Dense(x.clone());
                pool.install(|| Power::default().run(&operator, x)).unwrap()
            };
            let one = on(1);
            assert_eq!(one, on(2));
            assert_eq!(one, on(3));
        }
    }
}
