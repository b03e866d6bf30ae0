//! Who keeps what secret, and what each part may cost.

use clap::ValueEnum;
use privet::ldp_ge::{EdgeMechanism, EdgeProtection, Private};

use super::TaskName;
use crate::args::protect::MergeRule;
use crate::failure::{Failure, Result};

/// Which parts of the data are secret, and what the other parts may cost.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Secrets")]
pub struct Secrets {
    /// What only its owner knows; everything else is public
    #[arg(long, value_name = "PARTS", value_delimiter = ',', default_value = "features")]
    pub private: Vec<Part>,
    /// What a private label may cost
    #[arg(long, value_name = "EPSILON")]
    pub label_epsilon: Option<f64>,
    /// What a private list of neighbours may cost
    #[arg(long, value_name = "EPSILON")]
    pub edge_epsilon: Option<f64>,
    /// What people send about private edges [default: rr, or dprr where its reports would not fit]
    #[arg(long, value_name = "NAME", requires = "edge_epsilon")]
    pub edge_mechanism: Option<ReportedEdges>,
    /// What two reports about a pair become [default: and for rr, directed for dprr]
    #[arg(long, value_name = "RULE", requires = "edge_epsilon")]
    pub merge: Option<MergeRule>,
}

/// What people send about their edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportedEdges {
    /// Randomised response on every pair
    Rr,
    /// Randomised response, thinned to about their degree
    Dprr,
}

impl From<ReportedEdges> for EdgeMechanism {
    fn from(name: ReportedEdges) -> Self {
        match name {
            ReportedEdges::Rr => Self::Rr,
            ReportedEdges::Dprr => Self::Dprr,
        }
    }
}

/// A part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Feature rows
    Features,
    /// Labels
    Labels,
    /// Lists of neighbours
    Edges,
}

impl Secrets {
    /// The same wishes in the library's words.
    ///
    /// # Errors
    /// If a price is missing or is for nothing, or the task needs what is secret.
    pub fn private(&self, task: TaskName) -> Result<Private> {
        let has = |part| self.private.contains(&part);
        let (features, labels, edges) = (has(Part::Features), has(Part::Labels), has(Part::Edges));
        if !features {
            let message =
                "--private leaves out features: their reports are what LDP-GE learns from";
            return Err(
                Failure::usage(message).hint("--private features, and labels,edges if wanted")
            );
        }
        if task == TaskName::Links && edges {
            let message =
                "--task links cannot have private edges: known links are what it learns from";
            return Err(Failure::usage(message).hint("leave edges out of --private"));
        }
        if task == TaskName::Links && labels {
            let message =
                "--task links does not use labels: collecting them would cost people for nothing";
            return Err(Failure::usage(message).hint("leave labels out of --private"));
        }
        let priced = [
            ("labels", labels, "--label-epsilon", self.label_epsilon),
            ("edges", edges, "--edge-epsilon", self.edge_epsilon),
        ];
        for (part, secret, option, price) in priced {
            match (secret, price) {
                (true, None) => {
                    let message = format!("--private {part} needs a price: {option} is missing");
                    return Err(Failure::usage(message).hint(format!("for example {option} 1")));
                }
                (false, Some(_)) => {
                    let message = format!("{option} is for private {part}, but they are public");
                    return Err(Failure::usage(message).hint(format!("--private features,{part}")));
                }
                _ => {}
            }
        }
        Ok(Private { features, labels, edges })
    }
    /// How neighbour lists are protected if they are private, among so many people. A public part has no
    /// price: `otherwise` is never looked at.
    pub fn edges(&self, people: usize, otherwise: f64) -> EdgeProtection {
        let epsilon = self.edge_epsilon.unwrap_or(otherwise);
        let best = EdgeProtection::recommended(epsilon, people);
        let mechanism = self.edge_mechanism.map_or(best.mechanism, Into::into);
        let merge = self.merge.map_or(mechanism.usual_merge(), Into::into);
        EdgeProtection { epsilon, mechanism, merge }
    }
}
