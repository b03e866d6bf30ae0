//! [`Method`]: every way to a model, by the name that the command line, Python, plans and reports share.

mod selection;

use serde::{Deserialize, Serialize};

/// What learns, or stands beside what learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// LDP-GE: devices send randomised reports, which are spread over the graph.
    LdpGe,
    /// LDP-GE for how likely two people are connected: connections are public, features are not.
    LdpGeLinks,
    /// DPRR: randomised lists of contacts tell graphs apart.
    Dprr,
    /// Noisy counts of what private connections say about classes.
    EdgeVotes,
    /// HeteroRR: private connections are redrawn once, and published.
    HeteroRr,
    /// Aggregation perturbation: noisy sums over neighbours; for whole people its guarantee holds only if degrees are bounded.
    Gap,
    /// DP-SGD on features alone, answers spread over the graph of the people classified.
    SmoothedSgd,
    /// Noisy sums of features by class, without training; answers spread as for `smoothed-sgd`.
    ClassSums,
    /// Gradient descent on all rows with noise, for a linear model; answers spread as for `smoothed-sgd`.
    GradientDescent,
    /// DP-SGD for a network of one hidden layer, where people are many; answers spread as for `smoothed-sgd`.
    HiddenLayer,
    /// Noisy votes of protected people for the classes of the new people who know them; nothing is trained.
    NeighbourVotes,
    /// DP-SGD on features alone, no graph anywhere.
    Features,
    /// DPAR: noisy top-K, equal weights (option I).
    Em0,
    /// DPAR: noisy top-K, noisy weights (option II).
    Em1,
    /// DPAR: top-K of Gaussian rows.
    Gm,
    /// DP-SGD on subgraphs of one hop (Daigavane et al.); its guarantee holds only if degrees are bounded.
    Sage,
    /// DPAR without noise, with the true top-K: what privacy costs.
    DparInTheClear,
    /// A network on features without noise.
    FeaturesInTheClear,
    /// Known classes spread over public connections.
    LabelPropagation,
    /// A model of public records, no connections.
    PublicRecords,
    /// A model of public records over the public connections.
    PublicConnections,
    /// The largest class, always.
    LargestClass,
}

impl Method {
    /// The methods of `run dpar`: a curator's, for whole people or connections, all of which protect.
    pub const CURATED: [Self; 11] = [
        Self::Em0,
        Self::Em1,
        Self::Gm,
        Self::Features,
        Self::SmoothedSgd,
        Self::ClassSums,
        Self::GradientDescent,
        Self::HiddenLayer,
        Self::NeighbourVotes,
        Self::Gap,
        Self::Sage,
    ];

    /// Those of [`CURATED`](Self::CURATED) whose people and visitors know each other nowhere, as the paper compares them.
    pub const DPAR: [Self; 9] = [
        Self::Em0,
        Self::Em1,
        Self::Gm,
        Self::Features,
        Self::SmoothedSgd,
        Self::ClassSums,
        Self::GradientDescent,
        Self::Gap,
        Self::Sage,
    ];

    /// The methods that a project can be trained with.
    pub const TRAINABLE: [Self; 10] = [
        Self::GradientDescent,
        Self::HiddenLayer,
        Self::SmoothedSgd,
        Self::Features,
        Self::ClassSums,
        Self::Em0,
        Self::Gap,
        Self::LdpGe,
        Self::LdpGeLinks,
        Self::Dprr,
    ];

    /// Its name on the command line, in Python, plans and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::LdpGe => "ldp-ge",
            Self::LdpGeLinks => "ldp-ge-links",
            Self::Dprr => "dprr",
            Self::EdgeVotes => "edge-votes",
            Self::HeteroRr => "hetero-rr",
            Self::Gap => "gap",
            Self::SmoothedSgd => "smoothed-sgd",
            Self::ClassSums => "class-sums",
            Self::GradientDescent => "gradient-descent",
            Self::HiddenLayer => "hidden-layer",
            Self::NeighbourVotes => "neighbour-votes",
            Self::Features => "features",
            Self::Em0 => "em0",
            Self::Em1 => "em1",
            Self::Gm => "gm",
            Self::Sage => "sage",
            Self::DparInTheClear => "dpar-in-the-clear",
            Self::FeaturesInTheClear => "features-in-the-clear",
            Self::LabelPropagation => "label-propagation",
            Self::PublicRecords => "public-records",
            Self::PublicConnections => "public-connections",
            Self::LargestClass => "largest-class",
        }
    }

    /// What it does, in one line.
    pub fn about(self) -> &'static str {
        match self {
            Self::LdpGe => {
                "each device sends a randomised report; reports are spread over the graph"
            }
            Self::LdpGeLinks => {
                "each device sends a randomised report; links are predicted from reports and known links"
            }
            Self::Dprr => {
                "each device sends a randomised list of contacts; graphs are told apart by them"
            }
            Self::EdgeVotes => {
                "a curator counts, with noise, what hidden connections say about classes"
            }
            Self::HeteroRr => {
                "a curator redraws hidden connections once; a network learns from what is published"
            }
            Self::Gap => {
                "a curator adds noise to sums over neighbours; for whole people, true only if degrees are bounded"
            }
            Self::SmoothedSgd => {
                "a curator trains with noise on records; answers are spread over the graph"
            }
            Self::ClassSums => {
                "a curator releases noisy sums of records by class, and trains nothing"
            }
            Self::NeighbourVotes => {
                "a curator counts, with noise, the classes of the protected people whom a new person knows"
            }
            Self::GradientDescent => {
                "a curator trains a linear model on all records at once, with noise; answers are spread over the graph"
            }
            Self::HiddenLayer => {
                "a curator trains a network of one hidden layer with noise; answers are spread over the graph"
            }
            Self::Features => "a curator trains with noise on records; no graph anywhere",
            Self::Em0 => "a curator releases noisy PageRank, then trains with noise (DPAR)",
            Self::Em1 => "DPAR with noisy weights",
            Self::Gm => "DPAR with the top-K of Gaussian rows",
            Self::Sage => "DP-SGD on subgraphs of one hop, true only if degrees are bounded",
            Self::DparInTheClear => "DPAR without noise, with the true top-K",
            Self::FeaturesInTheClear => "a network on records without noise, no graph",
            Self::LabelPropagation => "known classes spread over public connections: costs nothing",
            Self::PublicRecords => "a model of public records alone: costs nothing",
            Self::PublicConnections => "a model over the public connections alone: costs nothing",
            Self::LargestClass => "always the largest class: costs nothing",
        }
    }

    /// Whether it reads private records without protecting them.
    pub fn in_the_clear(self) -> bool {
        matches!(self, Self::DparInTheClear | Self::FeaturesInTheClear)
    }

    /// Whether it needs nothing that is to be hidden.
    pub fn is_free(self) -> bool {
        matches!(
            self,
            Self::LabelPropagation
                | Self::PublicRecords
                | Self::PublicConnections
                | Self::LargestClass
        )
    }

    /// Whether its guarantee for whole people holds whatever the data are like.
    pub fn guaranteed(self) -> bool {
        !matches!(self, Self::Gap | Self::Sage) && !self.in_the_clear()
    }

    /// Whether rows aggregate over a released structure.
    pub fn reads_structure(self) -> bool {
        matches!(self, Self::Em0 | Self::Em1 | Self::Gm)
    }

    /// Whether connections of the people trained on are looked at: among them, or to new people.
    pub fn reads_connections(self) -> bool {
        self.reads_structure()
            || matches!(self, Self::NeighbourVotes | Self::Gap | Self::Sage | Self::DparInTheClear)
    }

    /// Whether rows stand around the middles of declared ranges, beside a constant.
    pub fn reads_centred_rows(self) -> bool {
        matches!(self, Self::GradientDescent | Self::HiddenLayer)
    }

    /// Whether the settings of a network and its optimizer have a part in it.
    pub fn has_model_settings(self) -> bool {
        !matches!(
            self,
            Self::ClassSums | Self::GradientDescent | Self::HiddenLayer | Self::NeighbourVotes
        )
    }

    /// How many networks DP-SGD trains: aggregation perturbation has an encoder, and a classifier of what came of it.
    pub fn trainings(self) -> u64 {
        match self {
            Self::ClassSums | Self::GradientDescent | Self::HiddenLayer | Self::NeighbourVotes => 0,
            Self::Gap => 2,
            _ => 1,
        }
    }
}

/// Some of the methods by name, as one option of a command line.
///
/// ```
/// use privet::Method;
/// assert_eq!(Method::named("class-sums", &Method::DPAR), Some(Method::ClassSums));
/// assert_eq!(Method::named("dprr", &Method::DPAR), None);
/// ```
impl Method {
    /// The one of these with this name.
    pub fn named(name: &str, among: &[Self]) -> Option<Self> {
        among.iter().copied().find(|method| method.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files and options agree on what a method is called.
    #[test]
    fn names_are_those_of_files() {
        for method in Method::DPAR.into_iter().chain(Method::TRAINABLE) {
            assert_eq!(crate::settings::name(&method), method.name());
        }
        for method in [Method::DparInTheClear, Method::LargestClass, Method::EdgeVotes] {
            assert_eq!(crate::settings::name(&method), method.name());
        }
    }
}
