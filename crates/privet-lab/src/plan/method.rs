//! [`PlannedMethod`]: everything that fits a trust model, and what needs nobody's data at all.

use privet::dpar::DparMethod;
use privet::project::{Protects, TrustModel};
use serde::{Deserialize, Serialize};

use super::facts::Question;

/// What could be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PlannedMethod {
    /// LDP-GE: devices send randomised reports, which are spread over the graph.
    LdpGe,
    /// DPRR: randomised lists of contacts tell graphs apart.
    Dprr,
    /// Private connections vote: noisy counts of what they say about classes.
    Votes,
    /// HeteroRR: private connections are redrawn once, and published.
    HeteroRr,
    /// Sums over neighbours with noise, where connections alone are hidden.
    Gap,
    /// DP-SGD on records, answers spread over the graph of those who ask.
    Spread,
    /// Sums of records with noise, class by class, and no training; answers spread as above.
    Means,
    /// DP-SGD on records, no graph anywhere.
    Features,
    /// DPAR: private PageRank, then DP-SGD.
    Dpar,
    /// Known classes spread over public connections.
    LabelPropagation,
    /// A model of public records, no connections.
    PublicRecords,
    /// A model of public records over those connections that are public.
    PublicConnections,
    /// The largest class, always.
    LargestClass,
}

/// Methods whose predictions are off in the same way: calibrated together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Reports of features over a public graph.
    Reports,
    /// Reports of contacts, or of everything.
    Lists,
    /// Graphs told apart by lists.
    Graphs,
    /// Connections hidden by a curator.
    Connections,
    /// Whole people hidden by a curator.
    People,
}

impl Family {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Reports, Self::Lists, Self::Graphs, Self::Connections, Self::People];

    /// The family of a question.
    pub fn of(question: &Question) -> Self {
        let hides = |what| question.hides(what);
        match question.facts.graphs {
            1 if hides(Protects::People) => Self::People,
            1 if hides(Protects::Connections) => Self::Connections,
            1 if hides(Protects::Contacts) => Self::Lists,
            1 => Self::Reports,
            _ => Self::Graphs,
        }
    }

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reports => "reports of features or labels",
            Self::Lists => "reports of contacts",
            Self::Graphs => "classes of graphs",
            Self::Connections => "hidden connections",
            Self::People => "hidden people",
        }
    }
}

impl PlannedMethod {
    /// Every method that fits, those that use private data first.
    pub fn fitting(question: &Question) -> Vec<Self> {
        let hides = |what| question.hides(what);
        let connected = question.facts.edges > 0;
        let columns = question.facts.columns > 0;
        let mut fit = match Family::of(question) {
            Family::Graphs => vec![Self::Dprr],
            Family::People if connected => {
                vec![Self::Spread, Self::Means, Self::Features, Self::Dpar]
            }
            Family::People => vec![Self::Features, Self::Means],
            Family::Connections if hides(Protects::Features) => vec![Self::Votes, Self::HeteroRr],
            Family::Connections => vec![Self::Votes, Self::HeteroRr, Self::Gap],
            Family::Reports | Family::Lists => vec![Self::LdpGe],
        };
        let open_labels = !hides(Protects::Labels) && !hides(Protects::People);
        let open_records = open_labels && columns && !hides(Protects::Features);
        let all_connections = hides(Protects::Contacts) || hides(Protects::Connections);
        if question.facts.graphs == 1 {
            if open_labels && connected && !all_connections {
                fit.push(Self::LabelPropagation);
            }
            if open_records && all_connections {
                fit.push(Self::PublicRecords);
            }
            let some = hides(Protects::Connections) && question.facts.private_share < 1.0;
            if open_records && some {
                fit.push(Self::PublicConnections);
            }
        }
        fit.push(Self::LargestClass);
        fit
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

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::LdpGe => "ldp-ge",
            Self::Dprr => "dprr",
            Self::Votes => "votes",
            Self::HeteroRr => "hetero-rr",
            Self::Gap => "gap",
            Self::Spread => "spread",
            Self::Means => "means",
            Self::Features => "features",
            Self::Dpar => "dpar",
            Self::LabelPropagation => "label propagation",
            Self::PublicRecords => "public records",
            Self::PublicConnections => "public connections",
            Self::LargestClass => "largest class",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::LdpGe => {
                "each device sends a randomised report; reports are spread over the graph"
            }
            Self::Dprr => {
                "each device sends a randomised list of contacts; graphs are told apart by them"
            }
            Self::Votes => {
                "a curator counts, with noise, what hidden connections say about classes"
            }
            Self::HeteroRr => {
                "a curator redraws hidden connections once; a network learns from what is published"
            }
            Self::Gap => "a curator adds noise to sums over neighbours",
            Self::Spread => {
                "a curator trains with noise on records; answers are spread over the graph"
            }
            Self::Means => "a curator releases noisy sums of records by class, and trains nothing",
            Self::Features => "a curator trains with noise on records; no graph anywhere",
            Self::Dpar => "a curator releases noisy PageRank, then trains with noise (DPAR)",
            Self::LabelPropagation => "known classes spread over public connections: costs nothing",
            Self::PublicRecords => "a model of public records alone: costs nothing",
            Self::PublicConnections => "a model over the public connections alone: costs nothing",
            Self::LargestClass => "always the largest class: costs nothing",
        }
    }

    /// Whether the same noise can be added where nothing private is behind it.
    pub fn has_control(self) -> bool {
        use PlannedMethod::*;
        matches!(self, LdpGe | Dprr | Votes | HeteroRr | Gap | Dpar)
    }

    /// What DPAR's code calls it, where that is what runs.
    pub(super) fn of_dpar(self) -> Option<DparMethod> {
        match self {
            Self::Spread => Some(DparMethod::Spread),
            Self::Means => Some(DparMethod::Means),
            Self::Features => Some(DparMethod::Features),
            Self::Dpar => Some(DparMethod::Em0),
            Self::Gap => Some(DparMethod::Gap),
            _ => None,
        }
    }

    /// The command that does it, for whoever has a project or data of their own.
    pub fn command(self, question: &Question, epsilon: f64) -> Option<String> {
        let parts = question.protects.len();
        let train = |name: &str, epsilon: f64| {
            Some(format!("privet train -o model --method {name} --epsilon {epsilon}"))
        };
        match self {
            // A project shares its epsilon among features and labels.
            Self::LdpGe if question.trust == TrustModel::Devices && parts == 1 => {
                train("ldp-ge", epsilon)
            }
            Self::LdpGe => {
                let private = question.protects.iter().map(|what| match what {
                    Protects::Contacts => "edges",
                    other => other.name(),
                });
                let private = private.collect::<Vec<_>>().join(",");
                Some(format!(
                    "privet run ldp-ge --dataset DATA --epsilon {epsilon} --private {private}"
                ))
            }
            Self::Dprr => train("dprr", epsilon),
            Self::Spread | Self::Means | Self::Features | Self::Gap => train(self.name(), epsilon),
            Self::Dpar => train("em0", epsilon),
            Self::Votes => {
                let share = question.facts.private_share;
                Some(format!(
                    "privet run hetero-rr --dataset DATA --epsilon-edges {epsilon} --private-share {share}"
                ))
            }
            Self::HeteroRr => {
                Some(format!("privet publish -o shared.npz --epsilon-edges {epsilon}"))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PublicFacts;

    fn question(protects: &[Protects], facts: PublicFacts) -> Question {
        let central = |what: &Protects| matches!(what, Protects::People | Protects::Connections);
        let trust = match protects.iter().any(central) {
            true => TrustModel::Curator,
            false => TrustModel::Devices,
        };
        Question::new("people", facts, trust, protects.to_vec()).unwrap()
    }

    fn facts() -> PublicFacts {
        PublicFacts::new(5_000, 20_000, 30, 4)
    }

    /// What reads nothing hidden stands beside every method, and never among those that must be paid for.
    #[test]
    fn what_costs_nothing_is_always_there_and_comes_last() {
        let all: [&[Protects]; 5] = [
            &[Protects::Features],
            &[Protects::Features, Protects::Labels, Protects::Contacts],
            &[Protects::Connections],
            &[Protects::Connections, Protects::Features],
            &[Protects::People],
        ];
        for protects in all {
            let fit = PlannedMethod::fitting(&question(protects, facts()));
            assert_eq!(fit.last(), Some(&PlannedMethod::LargestClass), "{protects:?}");
            let paid = fit.iter().take_while(|method| !method.is_free()).count();
            assert!(paid > 0 && fit[paid..].iter().all(|method| method.is_free()), "{fit:?}");
        }
    }

    /// A baseline may read what is public, and nothing else.
    #[test]
    fn baselines_read_what_is_public() {
        use PlannedMethod::{Gap, LabelPropagation, PublicConnections, PublicRecords};
        let fits = |protects: &[Protects], facts, method| {
            PlannedMethod::fitting(&question(protects, facts)).contains(&method)
        };
        assert!(fits(&[Protects::Features], facts(), LabelPropagation));
        assert!(!fits(&[Protects::Labels], facts(), LabelPropagation), "labels are hidden");
        assert!(!fits(&[Protects::Contacts], facts(), LabelPropagation), "connections are");
        assert!(fits(&[Protects::Contacts], facts(), PublicRecords));
        assert!(!fits(&[Protects::People], facts(), PublicRecords), "whole people are");
        let some = PublicFacts { private_share: 0.5, ..facts() };
        assert!(fits(&[Protects::Connections], some, PublicConnections));
        assert!(!fits(&[Protects::Connections], facts(), PublicConnections), "none is public");
        assert!(!fits(&[Protects::Connections, Protects::Features], some, Gap));
    }

    #[test]
    fn without_connections_nothing_is_spread() {
        let alone = PublicFacts { edges: 0, ..facts() };
        let fit = PlannedMethod::fitting(&question(&[Protects::People], alone));
        let wanted = [PlannedMethod::Features, PlannedMethod::Means, PlannedMethod::LargestClass];
        assert_eq!(fit, wanted);
    }

    /// What costs nothing needs no command of ours; everything else has one that names its epsilon.
    #[test]
    fn every_method_that_is_paid_for_has_a_command() {
        let asked = question(&[Protects::Features], facts());
        let told = PlannedMethod::LdpGe.command(&asked, 2.5).unwrap();
        assert_eq!(told, "privet train -o model --method ldp-ge --epsilon 2.5");
        let both = question(&[Protects::Features, Protects::Contacts], facts());
        let told = PlannedMethod::LdpGe.command(&both, 1.0).unwrap();
        assert!(told.ends_with("--epsilon 1 --private features,edges"), "{told}");
        for method in [PlannedMethod::Votes, PlannedMethod::HeteroRr, PlannedMethod::Dpar] {
            assert!(method.command(&asked, 0.5).unwrap().contains(" 0.5"), "{method:?}");
        }
        assert_eq!(PlannedMethod::LargestClass.command(&asked, 1.0), None);
        assert_eq!(PlannedMethod::LabelPropagation.command(&asked, 1.0), None);
    }
}
