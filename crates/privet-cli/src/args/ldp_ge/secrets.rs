//! Who keeps what secret, and what each part may cost.

use privet::ldp_ge::{ListRandomizer, Private, Protocol};
use privet::options::{MERGES, by_name};
use privet::privacy::edges::Merge;
use privet::privacy::unit::Part;
use privet_lab::experiments::ldp_ge::Task;

use crate::failure::{Failure, Result};

/// Which parts of the data are secret, and what the other parts may cost.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Secrets")]
pub struct Secrets {
    /// What only its owner knows; everything else is public
    #[arg(long, value_name = "PARTS", value_delimiter = ',', default_value = "features")]
    #[arg(value_parser = by_name(&PARTS))]
    pub private: Vec<Part>,
    /// Who hides what, and sends what, in the setting of another paper
    #[arg(long, value_name = "PAPER", conflicts_with = "private")]
    pub protocol: Option<Protocol>,
    /// What a private label may cost
    #[arg(long, value_name = "EPSILON")]
    pub label_epsilon: Option<f64>,
    /// What a private list of neighbours may cost
    #[arg(long, value_name = "EPSILON")]
    pub edge_epsilon: Option<f64>,
    /// Take --epsilon as one budget for label and list together, divided by how many people and classes there are;
    /// features, which say next to nothing at such prices, are not sent
    #[arg(long, conflicts_with_all = ["label_epsilon", "edge_epsilon", "ways", "label_radii"])]
    pub one_budget: bool,
    /// What people send about private edges (rr, or dprr where its reports would not fit)
    #[arg(long, value_name = "NAME", requires = "edge_epsilon")]
    pub edge_mechanism: Option<ListRandomizer>,
    /// What two reports about a pair become (and for rr, directed for dprr)
    #[arg(long, value_name = "RULE", requires = "edge_epsilon", value_parser = by_name(&MERGES))]
    pub merge: Option<Merge>,
}

/// Parts of the data that can be private.
const PARTS: [Part; 3] = [Part::Features, Part::Labels, Part::Edges];

impl Secrets {
    /// The same wishes in the library's words.
    ///
    /// # Errors
    /// If a price is missing or is for nothing, or the task needs what is secret.
    pub fn private(&self, task: Task) -> Result<Private> {
        let private = self.parts();
        let Private { features, labels, edges } = private;
        if task == Task::Links && !features {
            let message = "--task links has nothing to hide if features are public";
            return Err(Failure::usage(message).hint("--private features"));
        }
        if task == Task::Links && edges {
            let message =
                "--task links cannot have private edges: known links are what it learns from";
            return Err(Failure::usage(message).hint("leave edges out of --private"));
        }
        if task == Task::Links && labels {
            let message =
                "--task links does not use labels: collecting them would cost people for nothing";
            return Err(Failure::usage(message).hint("leave labels out of --private"));
        }
        if self.one_budget && !(labels && edges) {
            let message =
                "--one-budget divides what label and list may cost, and one of them is public";
            return Err(Failure::usage(message).hint("--private features,labels,edges"));
        }
        let priced = [
            ("labels", labels, "--label-epsilon", self.label_epsilon),
            ("edges", edges, "--edge-epsilon", self.edge_epsilon),
        ];
        for (part, secret, option, price) in priced {
            match (secret, price) {
                // Its price is --epsilon.
                (true, None) if !features || self.one_budget => {}
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
        Ok(private)
    }

    /// What is private, as it was typed.
    pub fn parts(&self) -> Private {
        let has = |part| self.private.contains(&part);
        let typed = Private {
            features: has(Part::Features),
            labels: has(Part::Labels),
            edges: has(Part::Edges),
        };
        self.protocol.map_or(typed, Protocol::private)
    }
}
