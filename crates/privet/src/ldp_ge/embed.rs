//! The collector's side, first half (Algorithm 4, line 6): reports become embeddings. Post-processing,
//! so free.

use rand::RngExt;

use super::edges::TiesRef;
use crate::Result;
use crate::data::formats::Spill;
use crate::data::scratch::DenseScratch;
use crate::graph::{DenseMatrix, FeatureMatrix, SimRng, memory};
use crate::learn::kernels::{SparseInput, Write, product};
use crate::learn::propagate::{BackwardPush, Operator, Power, Propagation, Rounds};
use crate::out_of_core::{MemoryBudget, propagate};

/// How reports spread over the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Spreading {
    /// Power iteration (equation 17).
    Power,
    /// Backward push (Algorithm 3).
    Push,
    /// Not at all: every node keeps its own report.
    None,
}

/// Power iteration ends where what is missing is below this part of the largest entry.
const TOLERANCE: f64 = 1e-3;

/// What is done to the numbers before a model sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Scaling {
    /// All numbers by one factor, so that their mean square is 1.
    Whole,
    /// Every column, to mean 0 and mean square 1.
    Columns,
    /// Every row, to mean square 1.
    Rows,
}

/// From reports to embeddings.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Embedding {
    /// Share of its own features that a node keeps, in (0, 1] (alpha).
    #[cfg_attr(feature = "clap", arg(long))]
    pub alpha: f64,
    /// Normalisation exponent r in D^(r-1) A D^-r, in [0, 1].
    #[serde(rename = "r", alias = "exponent")]
    #[cfg_attr(feature = "clap", arg(id = "r", long, value_name = "EXPONENT"))]
    pub exponent: f64,
    /// Propagation method.
    #[cfg_attr(feature = "clap", arg(long))]
    pub method: Spreading,
    /// With push: largest residue that may remain (default 1e-5).
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RESIDUE"))]
    pub rmax: Option<f64>,
    /// Number of columns of a random sign projection applied to reports first; 0 disables it.
    #[cfg_attr(feature = "clap", arg(long, value_name = "COLUMNS"))]
    pub sketch: usize,
    /// Normalisation of model inputs.
    #[cfg_attr(feature = "clap", arg(long, value_name = "WHAT"))]
    pub scaling: Scaling,
}

impl Default for Embedding {
    /// The paper's alpha and r for Cora, by power iteration, scaled by columns.
    fn default() -> Self {
        Self {
            alpha: 0.1,
            exponent: 0.1,
            method: Spreading::Power,
            rmax: None,
            sketch: 0,
            scaling: Scaling::Columns,
        }
    }
}

impl Embedding {
    /// The propagation on its own.
    pub fn propagation(&self) -> Propagation {
        Propagation { alpha: self.alpha, exponent: self.exponent, ..Propagation::default() }
    }

    /// Embeds the nodes of a graph, or of ties that are believed more or less.
    ///
    /// # Errors
    /// If a setting makes no sense or the iteration does not converge.
    pub fn run<'a>(
        &self,
        ties: impl Into<TiesRef<'a>>,
        reports: &FeatureMatrix,
        seed: u64,
    ) -> Result<DenseMatrix> {
        self.run_within(ties, reports, seed, None)
    }

    /// The same in no more memory than is allowed, if that was said: by power iteration over edges that are all believed
    /// alike, the embedding then lies in a file.
    ///
    /// # Errors
    /// Those of [`Embedding::run`], and if the disk refuses.
    pub fn run_within<'a>(
        &self,
        ties: impl Into<TiesRef<'a>>,
        reports: &FeatureMatrix,
        seed: u64,
        spill: Option<&Spill>,
    ) -> Result<DenseMatrix> {
        let ties = ties.into();
        // Declared out here, so that the sketch lives as long as the reference to it.
        let sketched;
        let reports = match self.sketch {
            columns if (1..columns_of(reports)).contains(&columns) => {
                // Signs, the sketch, and what propagation keeps of it.
                let rows = columns_of(reports) + 4 * rows_of(reports);
                memory::ask("sketch", columns as u64, 4 * rows as u64, 0)?;
                sketched = FeatureMatrix::Dense(sketch(reports, columns, seed)?);
                &sketched
            }
            _ => reports,
        };
        // Out of core only where a memory limit was set; weighted graphs are small enough for
        // memory.
        match spill.filter(|_| self.method == Spreading::Power && ties.confidence.is_none()) {
            Some(spill) => {
                let bounded = MemoryBudget { spill, checkpoint: None };
                let (propagation, power) = (self.propagation(), power(reports));
                let found =
                    propagate(&bounded, &propagation, &power, ties.graph, reports, |_| true)?;
                self.scaling.applied(&found.embedding, spill)
            }
            None => {
                let mut embedding = self.spread(ties, reports)?;
                self.scaling.apply(&mut embedding);
                Ok(embedding)
            }
        }
    }

    /// Reports spread over the graph, as they are.
    pub(super) fn spread(&self, ties: TiesRef<'_>, reports: &FeatureMatrix) -> Result<DenseMatrix> {
        Ok(match self.method {
            Spreading::None => match reports {
                FeatureMatrix::Dense(reports) => reports.clone(),
                FeatureMatrix::Sparse(reports) => reports.to_dense(),
            },
            Spreading::Push => {
                let threshold = self.rmax.unwrap_or(BackwardPush::default().threshold);
                BackwardPush { threshold }.run(&self.operator(ties)?, reports)?.embedding
            }
            Spreading::Power => {
                power(reports).run(&self.operator(ties)?, reports.clone())?.embedding
            }
        })
    }

    fn operator<'a>(&self, ties: TiesRef<'a>) -> Result<Operator<'a>> {
        Ok(match ties.confidence {
            Some(weights) => self.propagation().on_weighted(ties.graph, weights)?,
            None => self.propagation().on(ties.graph)?,
        })
    }
}

fn power(reports: &FeatureMatrix) -> Power {
    // The tolerance is relative to the largest report: embeddings scale with it.
    let rounds = Rounds::Residual(TOLERANCE * largest(reports).max(f64::MIN_POSITIVE));
    Power { rounds, ..Power::default() }
}

/// What every row is scaled by.
enum Factors {
    Whole(f32),
    /// A mean to take off and a factor, a column.
    Columns(Vec<(f32, f32)>),
    Rows,
}

impl Factors {
    fn apply(&self, row: &mut [f32]) {
        match self {
            Self::Whole(factor) => row.iter_mut().for_each(|value| *value *= factor),
            Self::Rows => {
                let factor = to_unit(row);
                row.iter_mut().for_each(|value| *value *= factor);
            }
            Self::Columns(moments) => {
                for (value, (mean, factor)) in row.iter_mut().zip(moments) {
                    *value = (*value - mean) * factor;
                }
            }
        }
    }
}

impl Scaling {
    /// Scales in place; what is all zero stays so.
    pub fn apply(self, matrix: &mut DenseMatrix) {
        let factors = self.factors(matrix);
        (0..matrix.rows()).for_each(|row| factors.apply(matrix.row_mut(row)));
    }

    /// The same in a file of its own.
    fn applied(self, matrix: &DenseMatrix, spill: &Spill) -> Result<DenseMatrix> {
        let factors = self.factors(matrix);
        let mut out = DenseScratch::new(spill, matrix.columns())?;
        let mut scaled = Vec::new();
        for row in 0..matrix.rows() {
            scaled.clear();
            scaled.extend_from_slice(matrix.row(row));
            factors.apply(&mut scaled);
            out.push(&scaled)?;
            // Pages of mapped rows are given back as soon as they have been read.
            give_back(matrix, row);
        }
        Ok(out.finish()?)
    }

    fn factors(self, matrix: &DenseMatrix) -> Factors {
        // to_unit: the root mean square becomes 1.
        match self {
            Self::Whole => Factors::Whole(to_unit(matrix.values())),
            Self::Rows => Factors::Rows,
            Self::Columns => {
                // Sums in f64: a million squares in f32 would lose their small terms.
                let mut sums = vec![(0.0f64, 0.0f64); matrix.columns()];
                for row in 0..matrix.rows() {
                    for (sum, &value) in sums.iter_mut().zip(matrix.row(row)) {
                        let value = f64::from(value);
                        *sum = (sum.0 + value, sum.1 + value * value);
                    }
                    give_back(matrix, row);
                }
                let rows = matrix.rows().max(1) as f64;
                let moments = sums.into_iter().map(|(sum, squares)| {
                    let mean = sum / rows;
                    let variance = squares / rows - mean * mean;
                    // A column that does not vary carries nothing: it becomes 0.
                    let factor = if variance > 0.0 { 1.0 / variance.sqrt() } else { 0.0 };
                    (mean as f32, factor as f32)
                });
                Factors::Columns(moments.collect())
            }
        }
    }
}

/// Rows that were read need not stay in memory.
fn give_back(matrix: &DenseMatrix, row: usize) {
    const ROWS: usize = 1 << 12;
    if row % ROWS == ROWS - 1 {
        matrix.release(row + 1 - ROWS..row + 1);
    }
}

/// The factor that brings the mean square to 1; 1 if all is zero.
fn to_unit(values: &[f32]) -> f32 {
    let squares: f64 = values.iter().map(|&v| f64::from(v).powi(2)).sum();
    match squares > 0.0 {
        true => (values.len() as f64 / squares).sqrt() as f32,
        false => 1.0,
    }
}

/// The columns of several embeddings of the same nodes, in a file of its own if memory is short.
pub(super) fn joined(parts: &[DenseMatrix], spill: Option<&Spill>) -> Result<DenseMatrix> {
    let Some(spill) = spill else { return Ok(side_by_side(parts)) };
    let mut out = DenseScratch::new(spill, parts.iter().map(DenseMatrix::columns).sum())?;
    for row in 0..parts.first().map_or(0, DenseMatrix::rows) {
        for part in parts {
            out.push(part.row(row))?;
            give_back(part, row);
        }
    }
    Ok(out.finish()?)
}

/// The columns of several embeddings of the same nodes.
pub(super) fn side_by_side(parts: &[DenseMatrix]) -> DenseMatrix {
    let rows = parts.first().map_or(0, DenseMatrix::rows);
    let mut out = DenseMatrix::zeros(rows, parts.iter().map(DenseMatrix::columns).sum());
    for row in 0..rows {
        let mut target = out.row_mut(row);
        for part in parts {
            let (head, tail) = target.split_at_mut(part.columns());
            head.copy_from_slice(part.row(row));
            target = tail;
        }
    }
    out
}

/// Makes a few columns as loud as many others, all together; else they would drown.
pub(super) fn scale_to_columns(parts: &mut [DenseMatrix], others: usize) {
    let columns: usize = parts.iter().map(DenseMatrix::columns).sum();
    let louder = (others as f32 / columns.max(1) as f32).sqrt().max(1.0);
    parts.iter_mut().flat_map(|part| part.values_mut()).for_each(|value| *value *= louder);
}

/// `X S` with `S` of random signs, divided by the square root of the number of columns.
fn sketch(reports: &FeatureMatrix, columns: usize, seed: u64) -> Result<DenseMatrix> {
    let mut rng = SimRng::stream(seed, 0x5ce7c4);
    let unit = 1.0 / (columns as f32).sqrt();
    let signs = (0..columns_of(reports) * columns)
        .map(|_| if rng.random::<bool>() { unit } else { -unit })
        .collect();
    let signs = DenseMatrix::new(columns_of(reports), columns, signs)?;
    Ok(match reports {
        FeatureMatrix::Dense(rows) => {
            let mut out = DenseMatrix::zeros(rows.rows(), columns);
            product(rows, &signs, Write::Replace, &mut out);
            out
        }
        FeatureMatrix::Sparse(rows) => {
            let mut out = DenseMatrix::zeros(rows.rows(), columns);
            SparseInput::new(rows.clone()).product(&signs, Write::Replace, &mut out);
            out
        }
    })
}

fn rows_of(matrix: &FeatureMatrix) -> usize {
    match matrix {
        FeatureMatrix::Dense(rows) => rows.rows(),
        FeatureMatrix::Sparse(rows) => rows.rows(),
    }
}

fn columns_of(matrix: &FeatureMatrix) -> usize {
    match matrix {
        FeatureMatrix::Dense(matrix) => matrix.columns(),
        FeatureMatrix::Sparse(matrix) => matrix.columns(),
    }
}

fn largest(matrix: &FeatureMatrix) -> f64 {
    let values = match matrix {
        FeatureMatrix::Dense(matrix) => matrix.values(),
        FeatureMatrix::Sparse(matrix) => matrix.values(),
    };
    f64::from(values.iter().fold(0.0f32, |largest, value| largest.max(value.abs())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::karate_club;
    use crate::graph::SparseBuilder;

    fn reports() -> FeatureMatrix {
        let mut rows = SparseBuilder::new(50);
        for node in 0..34u32 {
            rows.push_row(&mut [(node % 50, 1.0), (49, -0.5)]).unwrap();
        }
        FeatureMatrix::Sparse(rows.finish())
    }

    #[test]
    fn push_and_power_agree() {
        let club = karate_club().unwrap();
        let run = |method, rmax| {
            let scaling = Scaling::Whole;
            let embedding = Embedding { method, rmax, scaling, ..Embedding::default() };
            embedding.run(club.graph(), &reports(), 0).unwrap()
        };
        let (power, push) = (run(Spreading::Power, None), run(Spreading::Push, Some(1e-6)));
        let pairs = power.values().iter().zip(push.values());
        let apart = pairs.map(|(a, b)| (a - b).abs()).fold(0.0f32, f32::max);
        assert!(apart < 1e-2, "{apart}");
        let free = run(Spreading::None, None);
        assert!(free.row(3).iter().filter(|value| **value != 0.0).count() == 2);
    }

    #[test]
    fn scaling_does_what_it_says() {
        let values = vec![1.0, 2.0, 3.0, 2.0, 5.0, 2.0];
        let matrix = DenseMatrix::new(3, 2, values).unwrap();
        let mut columns = matrix.clone();
        Scaling::Columns.apply(&mut columns);
        let first: Vec<f32> = (0..3).map(|row| columns.row(row)[0]).collect();
        assert!((first.iter().sum::<f32>()).abs() < 1e-6);
        assert!((first.iter().map(|v| v * v).sum::<f32>() - 3.0).abs() < 1e-5);
        assert!((0..3).all(|row| columns.row(row)[1] == 0.0));
        let mut rows = matrix;
        Scaling::Rows.apply(&mut rows);
        assert!((rows.row(1).iter().map(|v| v * v).sum::<f32>() - 2.0).abs() < 1e-5);
    }

    /// Random signs keep lengths: the mean square of a row's sketch is that of the row.
    #[test]
    fn a_sketch_keeps_lengths() {
        let sketched = sketch(&reports(), 2000, 3).unwrap();
        for row in 0..33 {
            let square: f32 = sketched.row(row).iter().map(|v| v * v).sum();
            assert!((square - 1.25).abs() < 0.2, "{square}");
        }
    }
}
