//! [`EmbeddingOutput`]: what was propagated, how exactly, and what is promised about it.

use std::io::{self, Write};

use privet::embed::EmbedWork;
use privet::graph::Dataset;
use privet::learn::propagate::{AddedLoops, ErrorNorm, Propagation};
use privet::privacy::Card;
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{BAD, GOOD, NOTE, STRONG, counted, printable, real};

/// What became of an embedding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EmbeddingOutput {
    /// The files written.
    pub files: Vec<String>,
    /// Number of rows.
    pub nodes: usize,
    /// Numbers per row.
    pub dimensions: usize,
    /// How much of its own features a node kept.
    pub alpha: f64,
    /// The exponent of the normalisation.
    pub r: f64,
    /// Whether self-loops were added.
    pub self_loops: bool,
    /// How it was computed.
    #[serde(flatten)]
    pub work: EmbedWork,
    /// What the error bound is measured in.
    pub error_bound_holds: String,
    /// What is promised, if anything.
    pub card: Option<Card>,
}

impl EmbeddingOutput {
    /// What was written: `dataset` holds the embedding as its features.
    pub fn new(
        dataset: &Dataset,
        propagation: Propagation,
        work: EmbedWork,
        norm: ErrorNorm,
        card: Option<Card>,
        files: Vec<String>,
    ) -> Self {
        Self {
            files,
            nodes: dataset.graph().node_count(),
            dimensions: dataset.features().map_or(0, privet::graph::Features::columns),
            alpha: propagation.alpha,
            r: propagation.exponent,
            self_loops: propagation.self_loops == AddedLoops::All,
            work,
            error_bound_holds: in_words(norm),
            card,
        }
    }
}

impl Answer for EmbeddingOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let nodes = counted(self.nodes, "node", "nodes");
        let dimensions = counted(self.dimensions, "dimension", "dimensions");
        let (done, error_bound) = match self.work {
            EmbedWork::Power { rounds, error_bound } => {
                (counted(rounds, "round", "rounds"), error_bound)
            }
            EmbedWork::Push { pushes, error_bound } => {
                (counted(pushes as usize, "push", "pushes"), error_bound)
            }
        };
        let (error, holds) = (real(error_bound), &self.error_bound_holds);
        writeln!(out, "{nodes}, {dimensions}; {done}, off by at most {error} {holds}")?;
        match &self.card {
            None => writeln!(out, "{NOTE}NOT private{NOTE:#}, unless the features are"),
            Some(card) if card.is_simulation() => {
                writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")
            }
            Some(card) => {
                for warning in card.warnings() {
                    writeln!(out, "{BAD}{}{BAD:#}", printable(&warning))?;
                }
                for total in &card.totals {
                    let (protects, loss) = (&total.protects, &total.loss);
                    writeln!(out, "{STRONG}in all, for one person{STRONG:#}: {protects}: {loss}")?;
                }
                for guarantee in &card.guarantees {
                    let (protects, loss) = (&guarantee.protects, &guarantee.loss);
                    writeln!(out, "{STRONG}still protected{STRONG:#}: {protects}: {loss}")?;
                }
                Ok(())
            }
        }
    }
}

/// What an error bound is measured in.
pub(crate) fn in_words(norm: ErrorNorm) -> String {
    match norm {
        ErrorNorm::DegreeWeightedMaximum { exponent } if exponent > 0.0 => {
            format!("times degree^{} in any entry", real(exponent))
        }
        ErrorNorm::DegreeWeightedMaximum { .. } | ErrorNorm::Power { .. } => "in any entry".into(),
    }
}
