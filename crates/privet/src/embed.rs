//! Propagation alone: the features of a dataset, spread over its graph by personalised PageRank.
//!
//! It costs no privacy and gives none: what was released stays as private as it was, what was raw stays raw.
//!
//! ```
//! use privet::{data::synthetic::karate_club, embed::Embedder};
//! use privet::graph::{DenseMatrix, Features};
//! let club = karate_club()?.with_features(Features::dense(DenseMatrix::new(34, 1, vec![1.0; 34])?))?;
//! let embedded = Embedder::default().run(club, None, |_| true)?;
//! assert_eq!(embedded.dataset.features().map(Features::columns), Some(1));
//! # Ok::<(), privet::Error>(())
//! ```

use std::ops::ControlFlow;
use std::path::Path;

use privet_data::formats::Spill;
use privet_graph::{Dataset, DenseMatrix, FeatureMatrix, Features, Graph};
use privet_learn::propagate::{
    BackwardPush, ErrorNorm, IterationProgress, Power, Propagation, Rounds,
};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::out_of_core::{self, BlockProgress, MemoryBudget};

/// An algorithm and its settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EmbedAlgorithm {
    /// All columns at once, round by round.
    Power(Power),
    /// Column by column, moving only values that are large enough to matter.
    Push(BackwardPush),
}

impl Default for EmbedAlgorithm {
    fn default() -> Self {
        Self::Power(Power::default())
    }
}

/// How to propagate.
#[derive(Debug, Clone, Default)]
pub struct Embedder {
    propagation: Propagation,
    algorithm: EmbedAlgorithm,
    spill: Option<Spill>,
}

/// How far it is.
#[derive(Debug, Clone, Copy)]
pub enum EmbedProgress {
    /// All columns at once: rounds.
    Round(IterationProgress),
    /// Column by column: how many are done.
    Columns(usize),
    /// As many columns at a time as fit.
    Block(BlockProgress),
}

/// How an embedding was computed, and how exactly.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "method", rename_all = "kebab-case")]
pub enum EmbedWork {
    /// Power iteration.
    Power {
        /// Rounds run.
        rounds: usize,
        /// The largest error.
        error_bound: f64,
    },
    /// Backward push.
    Push {
        /// Pushes done.
        pushes: u64,
        /// The largest error.
        error_bound: f64,
    },
}

/// The data with the embedding as its features, and how exact that is.
#[derive(Debug)]
pub struct EmbeddedData {
    /// The data.
    pub dataset: Dataset,
    /// What was done, and the error that is left.
    pub work: EmbedWork,
    /// What the error is measured in.
    pub norm: ErrorNorm,
}

impl Embedder {
    /// Over this operator, by this algorithm, in as much memory as it takes.
    pub fn new(propagation: Propagation, algorithm: EmbedAlgorithm) -> Self {
        Self { propagation, algorithm, spill: None }
    }

    /// In limited memory: as many columns at a time as fit, which gives the same bytes.
    ///
    /// # Errors
    /// If the algorithm needs all columns of a node at hand.
    pub fn within(self, spill: Spill) -> Result<Self> {
        match self.algorithm {
            EmbedAlgorithm::Power(_) => Ok(Self { spill: Some(spill), ..self }),
            EmbedAlgorithm::Push(_) => Err(Error::Refused {
                message: "push needs all columns of a node at hand, whatever memory is allowed"
                    .into(),
                remedy: "use power iteration, or allow more memory (no limit)",
            }),
        }
    }

    /// Over which operator.
    pub fn propagation(&self) -> Propagation {
        self.propagation
    }

    /// How many rounds it takes, where that is known before.
    pub fn rounds(&self) -> Option<usize> {
        match self.algorithm {
            EmbedAlgorithm::Power(Power { rounds: Rounds::Exactly(rounds), .. }) => Some(rounds),
            _ => None,
        }
    }

    /// Propagates the features of a dataset; `told` hears how far it is, and ends it by `false`. Finished blocks are kept in
    /// the folder `unfinished` if memory is limited, so that an interrupted run goes on there.
    ///
    /// # Errors
    /// If there are no features, the iteration does not converge, or it was ended.
    pub fn run(
        &self,
        dataset: Dataset,
        unfinished: Option<&Path>,
        told: impl FnMut(EmbedProgress) -> bool,
    ) -> Result<EmbeddedData> {
        let features = dataset.features().ok_or_else(|| Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "they are what is spread over the graph",
        })?;
        let (names, matrix) = (features.names().map(<[String]>::to_vec), features.matrix().clone());
        let (embedding, work, norm) = match (&self.spill, self.algorithm) {
            (Some(spill), EmbedAlgorithm::Power(power)) => {
                let bounded = MemoryBudget { spill, checkpoint: unfinished };
                self.in_blocks(&bounded, power, dataset.graph(), &matrix, told)?
            }
            _ => self.at_once(dataset.graph(), matrix, told)?,
        };
        let embedding = match names {
            Some(names) => Features::dense(embedding).with_names(names)?,
            None => Features::dense(embedding),
        };
        Ok(EmbeddedData { dataset: dataset.with_features(embedding)?, work, norm })
    }

    fn in_blocks(
        &self,
        bounded: &MemoryBudget<'_>,
        power: Power,
        graph: &Graph,
        matrix: &FeatureMatrix,
        mut told: impl FnMut(EmbedProgress) -> bool,
    ) -> Result<(DenseMatrix, EmbedWork, ErrorNorm)> {
        let watch = |progress| told(EmbedProgress::Block(progress));
        let found =
            out_of_core::propagate(bounded, &self.propagation, &power, graph, matrix, watch)?;
        let work = EmbedWork::Power { rounds: found.rounds, error_bound: found.error_bound };
        Ok((found.embedding, work, found.norm))
    }

    fn at_once(
        &self,
        graph: &Graph,
        x: FeatureMatrix,
        mut told: impl FnMut(EmbedProgress) -> bool,
    ) -> Result<(DenseMatrix, EmbedWork, ErrorNorm)> {
        let operator = self.propagation.on(graph)?;
        let flow = |on: bool| if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let norm = operator.error_norm();
        match self.algorithm {
            EmbedAlgorithm::Power(power) => {
                let watch = |round| flow(told(EmbedProgress::Round(round)));
                let found = power.run_watched(&operator, x, watch)?;
                let (rounds, error_bound) = (found.rounds, found.error_bound);
                Ok((found.embedding, EmbedWork::Power { rounds, error_bound }, norm))
            }
            EmbedAlgorithm::Push(push) => {
                let watch = |columns| flow(told(EmbedProgress::Columns(columns)));
                let found = push.run_watched(&operator, &x, watch)?;
                let (pushes, error_bound) = (found.pushes, found.error_bound);
                Ok((found.embedding, EmbedWork::Push { pushes, error_bound }, norm))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_data::synthetic::karate_club;

    fn club() -> Dataset {
        let values = (0..34 * 3).map(|at| (at * 7 % 11) as f32).collect();
        let x = Features::dense(DenseMatrix::new(34, 3, values).unwrap());
        let named = x.with_names(["a", "b", "c"].map(str::to_owned).to_vec()).unwrap();
        karate_club().unwrap().with_features(named).unwrap()
    }

    fn values(embedded: &EmbeddedData) -> Vec<f32> {
        let features = embedded.dataset.features().unwrap();
        match features.matrix() {
            FeatureMatrix::Dense(dense) => dense.values().to_vec(),
            FeatureMatrix::Sparse(_) => panic!("an embedding is dense"),
        }
    }

    #[test]
    fn both_algorithms_find_the_same_and_keep_the_names() {
        let power = Embedder::default().run(club(), None, |_| true).unwrap();
        let push = EmbedAlgorithm::Push(BackwardPush { threshold: 1e-7 });
        let push = Embedder::new(Propagation::default(), push).run(club(), None, |_| true).unwrap();
        let (one, other) = (values(&power), values(&push));
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-3));
        let names = power.dataset.features().unwrap().names().unwrap().to_vec();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(matches!(power.work, EmbedWork::Power { error_bound, .. } if error_bound < 1e-5));
    }

    #[test]
    fn who_watches_may_end_it() {
        let mut seen = 0;
        let ended = Embedder::default().run(club(), None, |_| {
            seen += 1;
            seen < 2
        });
        assert!(ended.is_err());
        assert_eq!(seen, 2);
    }

    #[test]
    fn without_features_there_is_nothing_to_spread() {
        let told = Embedder::default().run(karate_club().unwrap(), None, |_| true);
        assert!(told.unwrap_err().to_string().contains("features"));
    }
}
