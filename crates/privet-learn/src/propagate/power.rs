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
use rayon::prelude::*;

use super::operator::{ErrorNorm, Operator};
use crate::kernels::{Finish, Measured, Write, aggregate_rows, max_abs};
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
pub struct Propagated {
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
pub struct Round {
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
    pub fn run(&self, operator: &Operator<'_>, x: FeatureMatrix) -> Result<Propagated> {
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
        mut watch: impl FnMut(Round) -> ControlFlow<()>,
    ) -> Result<Propagated> {
        self.check()?;
        let round = RoundKernel::new(operator);
        let (mut term, mut sum, mut state) = match x {
            FeatureMatrix::Sparse(x) if self.keeps_sparse(&x) => {
                operator.check_rows(x.rows())?;
                let start = Round { done: 0, error_bound: round.bound(round.measure_sparse(&x)) };
                if self.finished(start)? {
                    let mut sum = x.to_dense();
                    round.start(&mut sum);
                    return Ok(propagated(operator, sum, start));
                }
                round.first_hop(&x)
            }
            x => {
                let term = match x {
                    FeatureMatrix::Dense(x) => x,
                    FeatureMatrix::Sparse(x) => x.to_dense(),
                };
                operator.check_rows(term.rows())?;
                let error_bound = round.bound(round.measure(&term));
                let mut sum = term.clone();
                round.start(&mut sum);
                (term, sum, Round { done: 0, error_bound })
            }
        };
        let mut next = DenseMatrix::zeros(0, 0);
        while !self.finished(state)? {
            if next.rows() != term.rows() {
                next = DenseMatrix::zeros(term.rows(), term.columns());
            }
            let rows = operator.rows();
            let measured =
                aggregate_rows(rows, &term, Write::Replace, &mut next, Some(&mut sum), &round);
            std::mem::swap(&mut term, &mut next);
            state = Round { done: state.done + 1, error_bound: round.bound(measured) };
            if watch(state).is_break() {
                return Err(Error::Interrupted);
            }
        }
        Ok(propagated(operator, sum, state))
    }

    fn check(&self) -> Result<()> {
        match self.rounds {
            Rounds::Residual(tolerance) if !(tolerance > 0.0 && tolerance.is_finite()) => {
                Err(Error::invalid("tolerance", tolerance, "a positive number"))
            }
            _ => Ok(()),
        }
    }

    fn keeps_sparse(&self, x: &SparseMatrix) -> bool {
        let cells = x.rows() as f64 * x.columns() as f64;
        x.nonzeros() as f64 <= self.densify_above * cells
    }

    fn finished(&self, state: Round) -> Result<bool> {
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

fn propagated(operator: &Operator<'_>, embedding: DenseMatrix, state: Round) -> Propagated {
    let Round { done: rounds, error_bound } = state;
    Propagated { embedding, rounds, error_bound, norm: operator.error_norm() }
}

#[inline]
fn scatter(x: &SparseMatrix, row: usize, factor: f32, out: &mut [f32]) {
    let (columns, values) = x.row(row);
    for (&column, &value) in columns.iter().zip(values) {
        out[column as usize] += factor * value;
    }
}

/// What happens to every row of a new term.
struct RoundKernel<'a> {
    operator: &'a Operator<'a>,
    alpha: f32,
    decay: f32,
    scales: Option<Vec<f32>>,
}

impl<'a> RoundKernel<'a> {
    fn new(operator: &'a Operator<'a>) -> Self {
        let alpha = operator.alpha();
        let scales = operator.error_scales();
        Self { operator, alpha: alpha as f32, decay: (1.0 - alpha) as f32, scales }
    }

    /// `Z = alpha T_0`.
    fn start(&self, sum: &mut DenseMatrix) {
        sum.values_mut().iter_mut().for_each(|z| *z *= self.alpha);
    }

    /// `T_1` and `alpha (T_0 + T_1)` from sparse `T_0`: the work is the number of values that move.
    fn first_hop(&self, x: &SparseMatrix) -> (DenseMatrix, DenseMatrix, Round) {
        let columns = x.columns();
        let mut term = DenseMatrix::zeros(x.rows(), columns);
        let mut sum = DenseMatrix::zeros(x.rows(), columns);
        let width = columns.max(1);
        let rows = term.values_mut().par_chunks_mut(width);
        let rows = rows.zip(sum.values_mut().par_chunks_mut(width)).enumerate();
        rows.for_each(|(row, (term, sum))| {
            for (neighbour, weight) in self.operator.row_entries(row) {
                scatter(x, neighbour as usize, weight, term);
            }
            scatter(x, row, self.alpha, sum);
            for (term, sum) in term.iter_mut().zip(sum) {
                *term *= self.decay;
                *sum += self.alpha * *term;
            }
        });
        let error_bound = self.bound(self.measure(&term));
        (term, sum, Round { done: 1, error_bound })
    }

    fn measure(&self, term: &DenseMatrix) -> Measured {
        let rows = (0..term.rows()).map(|row| self.measure_row(row, term.row(row)));
        rows.fold(Measured::default(), Measured::and)
    }

    fn measure_sparse(&self, x: &SparseMatrix) -> Measured {
        let rows = (0..x.rows()).map(|row| self.measure_row(row, x.row(row).1));
        rows.fold(Measured::default(), Measured::and)
    }

    #[inline(always)]
    fn measure_row(&self, row: usize, term: &[f32]) -> Measured {
        match &self.scales {
            Some(scales) => {
                Measured { largest: f64::from(max_abs(term) * scales[row]), total: 0.0 }
            }
            None => {
                let total = term.iter().map(|t| f64::from(t.abs())).sum();
                Measured { largest: f64::from(max_abs(term)), total }
            }
        }
    }

    /// `(1-alpha) |T|`. For the p-norm, `|T|_p <= |T|_1^r |T|_max^(1-r)` with `p = 1/r`.
    fn bound(&self, measured: Measured) -> f64 {
        let norm = match self.operator.error_norm() {
            ErrorNorm::DegreeWeightedMaximum { .. } => measured.largest,
            ErrorNorm::Power { exponent: r } => {
                measured.total.powf(r) * measured.largest.powf(1.0 - r)
            }
        };
        (1.0 - self.operator.alpha()) * norm
    }
}

impl Finish for RoundKernel<'_> {
    #[inline(always)]
    fn finish(&self, row: usize, term: &mut [f32], sum: &mut [f32]) -> Measured {
        for (term, sum) in term.iter_mut().zip(sum) {
            *term *= self.decay;
            *sum += self.alpha * *term;
        }
        self.measure_row(row, term)
    }
}

#[cfg(test)]
mod tests;
