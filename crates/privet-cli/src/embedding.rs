//! What `privet embed` means on data that is in memory, or in files that are mapped: propagation, and how far it is. For the
//! command, and for other languages.

use std::ops::ControlFlow;
use std::path::Path;

use privet::data::formats::Spill;
use privet::graph::{Dataset, DenseMatrix, FeatureMatrix, Features, Graph};
use privet::learn::propagate::{
    AddedLoops, BackwardPush, ErrorNorm, Power, Propagation, Round, Rounds,
};
use privet::out_of_core::{self, BlockProgress, Bounded};

use crate::args::{Embed, EmbedMethod};
use crate::embedded::Work;
use crate::failure::{Failure, Result};
use crate::style::real;

/// An algorithm and its settings.
#[derive(Debug, Clone, Copy)]
enum Method {
    Power(Power),
    Push(BackwardPush),
}

/// How to propagate.
#[derive(Debug, Clone)]
pub struct Embedder {
    /// Over which operator.
    pub propagation: Propagation,
    method: Method,
    spill: Option<Spill>,
}

/// How far it is.
#[derive(Debug, Clone, Copy)]
pub enum EmbedProgress {
    /// All columns at once: rounds.
    Round(Round),
    /// Column by column: how many are done.
    Columns(usize),
    /// As many columns at a time as fit.
    Block(BlockProgress),
}

/// The data with the embedding as its features, and how exact that is.
#[derive(Debug)]
pub struct EmbeddedData {
    /// The data.
    pub dataset: Dataset,
    /// What was done, and the error that is left.
    pub work: Work,
    /// What the error is measured in.
    pub norm: ErrorNorm,
}

impl Embedder {
    /// As was typed.
    ///
    /// # Errors
    /// If options contradict each other.
    pub fn new(typed: &Embed) -> Result<Self> {
        let method = method(typed)?;
        let propagation = Propagation {
            alpha: typed.alpha,
            exponent: typed.r,
            self_loops: if typed.self_loops { AddedLoops::All } else { AddedLoops::None },
            ..Propagation::default()
        };
        let spill = typed.reading.spill();
        if spill.is_some() && matches!(method, Method::Push(_)) {
            let message =
                "--memory is for --method power: push needs all columns of a node at hand";
            return Err(Failure::usage(message).hint("leave one of them out"));
        }
        Ok(Self { propagation, method, spill })
    }

    /// How many rounds it takes, where that is known before.
    pub fn rounds(&self) -> Option<usize> {
        match self.method {
            Method::Power(Power { rounds: Rounds::Exactly(rounds), .. }) => Some(rounds),
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
        let features = dataset.features().ok_or_else(|| {
            Failure::usage("there are no features to embed").hint("give them with --features FILE")
        })?;
        let (names, matrix) = (features.names().map(<[String]>::to_vec), features.matrix().clone());
        let (embedding, work, norm) = match (&self.spill, self.method) {
            (Some(spill), Method::Power(power)) => {
                let bounded = Bounded { spill, checkpoint: unfinished };
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
        bounded: &Bounded<'_>,
        power: Power,
        graph: &Graph,
        matrix: &FeatureMatrix,
        mut told: impl FnMut(EmbedProgress) -> bool,
    ) -> Result<(DenseMatrix, Work, ErrorNorm)> {
        let watch = |progress| told(EmbedProgress::Block(progress));
        let found =
            out_of_core::propagate(bounded, &self.propagation, &power, graph, matrix, watch)?;
        let work = Work::Power { rounds: found.rounds, error_bound: found.error_bound };
        Ok((found.embedding, work, found.norm))
    }

    fn at_once(
        &self,
        graph: &Graph,
        x: FeatureMatrix,
        mut told: impl FnMut(EmbedProgress) -> bool,
    ) -> Result<(DenseMatrix, Work, ErrorNorm)> {
        let operator = self.propagation.on(graph)?;
        let flow = |on: bool| if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) };
        let norm = operator.error_norm();
        match self.method {
            Method::Power(power) => {
                let watch = |round| flow(told(EmbedProgress::Round(round)));
                let found = power.run_watched(&operator, x, watch)?;
                let work = Work::Power { rounds: found.rounds, error_bound: found.error_bound };
                Ok((found.embedding, work, norm))
            }
            Method::Push(push) => {
                let watch = |columns| flow(told(EmbedProgress::Columns(columns)));
                let found = push.run_watched(&operator, &x, watch)?;
                let work = Work::Push { pushes: found.pushes, error_bound: found.error_bound };
                Ok((found.embedding, work, norm))
            }
        }
    }
}

fn method(typed: &Embed) -> Result<Method> {
    let of_the_other = |option: &str, method: &str| {
        Failure::usage(format!("{option} is an option of --method {method}")).hint("leave it out")
    };
    match typed.method {
        EmbedMethod::Power if typed.rmax.is_some() => Err(of_the_other("--rmax", "push")),
        EmbedMethod::Push if typed.tolerance.is_some() => Err(of_the_other("--tolerance", "power")),
        EmbedMethod::Push if typed.rounds.is_some() => Err(of_the_other("--rounds", "power")),
        EmbedMethod::Power => {
            let default = Power::default();
            let rounds = match (typed.rounds, typed.tolerance) {
                (Some(rounds), _) => Rounds::Exactly(rounds),
                (None, Some(tolerance)) => Rounds::Residual(tolerance),
                (None, None) => default.rounds,
            };
            Ok(Method::Power(Power { rounds, ..default }))
        }
        EmbedMethod::Push => {
            let default = BackwardPush::default();
            let threshold = typed.rmax.unwrap_or(default.threshold);
            Ok(Method::Push(BackwardPush { threshold }))
        }
    }
}

/// What an error bound is measured in.
pub fn in_words(norm: ErrorNorm) -> String {
    match norm {
        ErrorNorm::DegreeWeightedMaximum { exponent } if exponent > 0.0 => {
            format!("times degree^{} in any entry", real(exponent))
        }
        ErrorNorm::DegreeWeightedMaximum { .. } | ErrorNorm::Power { .. } => "in any entry".into(),
    }
}
