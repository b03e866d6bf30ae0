//! Which methods fit a trust model, beside those that need no private data, and the command of each.

use privet::Method;
use privet::privacy::Loss;
use privet::project::{Protects, TrustModel};
use serde::{Deserialize, Serialize};

use super::facts::{PlanQuestion, PublicFacts};
use super::simulate::TRAINED;

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
    pub fn of(question: &PlanQuestion) -> Self {
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

/// Every method that fits, those that use private data first.
pub fn methods_for(question: &PlanQuestion) -> Vec<Method> {
    let hides = |what| question.hides(what);
    let connected = question.facts.edges > 0;
    let columns = question.facts.columns > 0;
    let mut fit = match Family::of(question) {
        Family::Graphs => vec![Method::Dprr],
        Family::People if connected => {
            vec![
                Method::GradientDescent,
                Method::SmoothedSgd,
                Method::ClassSums,
                Method::Features,
                Method::Em0,
            ]
        }
        Family::People => vec![Method::GradientDescent, Method::Features, Method::ClassSums],
        Family::Connections if hides(Protects::Features) => {
            vec![Method::EdgeVotes, Method::HeteroRr]
        }
        Family::Connections => vec![Method::EdgeVotes, Method::HeteroRr, Method::Gap],
        Family::Reports | Family::Lists => vec![Method::LdpGe],
    };
    if Family::of(question) == Family::People && layer_fits(question) {
        fit.insert(0, Method::HiddenLayer);
    }
    let open_labels = !hides(Protects::Labels) && !hides(Protects::People);
    let open_records = open_labels && columns && !hides(Protects::Features);
    let all_connections = hides(Protects::Contacts) || hides(Protects::Connections);
    if question.facts.graphs == 1 {
        if open_labels && connected && !all_connections {
            fit.push(Method::LabelPropagation);
        }
        if open_records && all_connections {
            fit.push(Method::PublicRecords);
        }
        let some = hides(Protects::Connections) && question.facts.private_share < 1.0;
        if open_records && some {
            fit.push(Method::PublicConnections);
        }
    }
    fit.push(Method::LargestClass);
    fit
}

/// Whether a project would train a hidden layer at one of the epsilons.
fn layer_fits(question: &PlanQuestion) -> bool {
    let PublicFacts { people, columns, classes, .. } = question.facts;
    let trained = (people as f64 * TRAINED) as usize;
    let fits = |&epsilon: &f64| {
        let target = Loss::new(epsilon, question.delta).ok()?;
        Method::for_people(target, trained, columns, classes).ok()
    };
    question.epsilons.iter().any(|epsilon| fits(epsilon) == Some(Method::HiddenLayer))
}

/// Whether the same noise can be added where nothing private is behind it.
pub(super) fn has_control(method: Method) -> bool {
    use Method::*;
    matches!(method, LdpGe | Dprr | EdgeVotes | HeteroRr | Gap | Em0)
}

/// The command that does it, for users with a project or data of their own.
pub fn command(method: Method, question: &PlanQuestion, epsilon: f64) -> Option<String> {
    let parts = question.protects.len();
    let train = |name: &str, epsilon: f64| {
        Some(format!("privet train -o model --method {name} --epsilon {epsilon}"))
    };
    match method {
        // A project shares its epsilon among features and labels.
        Method::LdpGe if question.trust == TrustModel::Devices && parts == 1 => {
            train("ldp-ge", epsilon)
        }
        Method::LdpGe => {
            let private = question.protects.iter().map(|what| match what {
                Protects::Contacts => "edges",
                other => other.name(),
            });
            let private = private.collect::<Vec<_>>().join(",");
            Some(format!(
                "privet run ldp-ge --dataset DATA --epsilon {epsilon} --private {private}"
            ))
        }
        Method::Dprr => train("dprr", epsilon),
        Method::GradientDescent
        | Method::HiddenLayer
        | Method::SmoothedSgd
        | Method::ClassSums
        | Method::Features
        | Method::Em0
        | Method::Gap => train(method.name(), epsilon),
        Method::EdgeVotes => {
            let share = question.facts.private_share;
            Some(format!(
                "privet run hetero-rr --dataset DATA --epsilon-edges {epsilon} --private-share {share}"
            ))
        }
        Method::HeteroRr => Some(format!("privet publish -o shared.npz --epsilon-edges {epsilon}")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PublicFacts;

    fn question(protects: &[Protects], facts: PublicFacts) -> PlanQuestion {
        let central = |what: &Protects| matches!(what, Protects::People | Protects::Connections);
        let trust = match protects.iter().any(central) {
            true => TrustModel::Curator,
            false => TrustModel::Devices,
        };
        PlanQuestion::new("people", facts, trust, protects.to_vec()).unwrap()
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
            let fit = methods_for(&question(protects, facts()));
            assert_eq!(fit.last(), Some(&Method::LargestClass), "{protects:?}");
            let paid = fit.iter().take_while(|method| !method.is_free()).count();
            assert!(paid > 0 && fit[paid..].iter().all(|method| method.is_free()), "{fit:?}");
        }
    }

    /// A baseline may read what is public, and nothing else.
    #[test]
    fn baselines_read_what_is_public() {
        use Method::{Gap, LabelPropagation, PublicConnections, PublicRecords};
        let fits = |protects: &[Protects], facts, method| {
            methods_for(&question(protects, facts)).contains(&method)
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
        let fit = methods_for(&question(&[Protects::People], alone));
        // At an epsilon of 2 noise is no limit to a linear model of 4,000 people and 30 columns.
        let wanted = [
            Method::HiddenLayer,
            Method::GradientDescent,
            Method::Features,
            Method::ClassSums,
            Method::LargestClass,
        ];
        assert_eq!(fit, wanted);
        let few = PublicFacts { people: 500, ..alone };
        let fit = methods_for(&question(&[Protects::People], few));
        let wanted =
            [Method::GradientDescent, Method::Features, Method::ClassSums, Method::LargestClass];
        assert_eq!(fit, wanted);
    }

    /// What costs nothing needs no command of ours; everything else has one that names its epsilon.
    #[test]
    fn every_method_that_is_paid_for_has_a_command() {
        let asked = question(&[Protects::Features], facts());
        let told = command(Method::LdpGe, &asked, 2.5).unwrap();
        assert_eq!(told, "privet train -o model --method ldp-ge --epsilon 2.5");
        let both = question(&[Protects::Features, Protects::Contacts], facts());
        let told = command(Method::LdpGe, &both, 1.0).unwrap();
        assert!(told.ends_with("--epsilon 1 --private features,edges"), "{told}");
        for method in [Method::EdgeVotes, Method::HeteroRr, Method::Em0] {
            assert!(command(method, &asked, 0.5).unwrap().contains(" 0.5"), "{method:?}");
        }
        assert_eq!(command(Method::LargestClass, &asked, 1.0), None);
        assert_eq!(command(Method::LabelPropagation, &asked, 1.0), None);
    }
}
