//! Who keeps what secret, and what each part may cost.

use privet::ldp_ge::{ListProtection, ListRandomizer, Private};
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
    /// What a private label may cost
    #[arg(long, value_name = "EPSILON")]
    pub label_epsilon: Option<f64>,
    /// What a private list of neighbours may cost
    #[arg(long, value_name = "EPSILON")]
    pub edge_epsilon: Option<f64>,
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
        let has = |part| self.private.contains(&part);
        let (features, labels, edges) = (has(Part::Features), has(Part::Labels), has(Part::Edges));
        if !features {
            let message =
                "--private leaves out features: their reports are what LDP-GE learns from";
            return Err(
                Failure::usage(message).hint("--private features, and labels,edges if wanted")
            );
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
    pub fn edges(&self, people: usize, otherwise: f64) -> ListProtection {
        let epsilon = self.edge_epsilon.unwrap_or(otherwise);
        let best = ListProtection::recommended(epsilon, people);
        let mechanism = self.edge_mechanism.unwrap_or(best.mechanism);
        let merge = self.merge.unwrap_or(mechanism.usual_merge());
        ListProtection { epsilon, mechanism, merge }
    }
}
