//! The order of trust: at the same epsilon, a custodian's answer is not below the devices', and neither is below what needs
//! no private data.
//!
//! ```text
//! custodian   holds all edges, and counts what they say          HeteroRR, votes
//! devices     each holds its list, and sends it randomised       LDP-GE, private edges
//! nothing     features and labels that are public                the best of several learners
//! ```
//! All three have the same public features, labels and splits, seed by seed, so that differences are paired.

use std::sync::atomic::AtomicBool;

use privet::Result;
use privet::hetero_rr::{EdgeProtection, EdgeUse};
use privet::ldp_ge::{ClassifierKind, LdpGe, ListProtection, Private, Task};
use privet::learn::metrics::{PairedComparison, Summary};
use serde::Serialize;

use super::hetero_rr::HeteroRrTrial;
use super::ldp_ge::LdpGeTrial;
use super::trial::{NamedData, Subject, Variant};

/// A graph whose edges are private, and what an edge, or a list, may cost.
#[derive(Debug, Clone)]
pub struct TrustOrder<'a> {
    /// The data in the clear: the experimenter's view.
    pub data: NamedData<'a>,
    /// What an edge may cost in a custodian's hands, and a bit of a list on a device.
    pub epsilon: f64,
}

/// Test accuracies, one a seed.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TrustScores {
    /// A custodian's.
    pub custodian: Vec<f64>,
    /// The devices'.
    pub devices: Vec<f64>,
    /// Without private data.
    pub nothing: Vec<f64>,
}

/// Whom people trust with their connections, from most to least.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrustLevel {
    /// A custodian, who holds all of them.
    Custodian,
    /// No one: devices randomise lists before they send them.
    Devices,
    /// No private data are used at all.
    NoPrivateData,
}

impl TrustLevel {
    /// All of them, from most to least.
    pub const ALL: [Self; 3] = [Self::Custodian, Self::Devices, Self::NoPrivateData];

    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Custodian => "custodian",
            Self::Devices => "devices",
            Self::NoPrivateData => "no private data",
        }
    }
}

impl TrustOrder<'_> {
    /// Measures the three with each seed.
    ///
    /// # Errors
    /// If a system refuses the data, or the run is interrupted.
    pub fn measure(
        &self,
        seeds: impl IntoIterator<Item = u64> + Clone,
        interrupt: &AtomicBool,
    ) -> Result<TrustScores> {
        let of = |level| -> Result<Vec<f64>> {
            seeds.clone().into_iter().map(|seed| self.score(level, seed, interrupt)).collect()
        };
        let [custodian, devices, nothing] = TrustLevel::ALL.map(of);
        Ok(TrustScores { custodian: custodian?, devices: devices?, nothing: nothing? })
    }

    /// The test accuracy at one level of trust, with one seed.
    ///
    /// # Errors
    /// If a system refuses the data, or the run is interrupted.
    pub fn score(&self, level: TrustLevel, seed: u64, interrupt: &AtomicBool) -> Result<f64> {
        let outcome = match level {
            TrustLevel::Custodian => self.custodian().run(Variant::Private, seed, interrupt),
            TrustLevel::Devices => self.devices().run(Variant::Private, seed, interrupt),
            TrustLevel::NoPrivateData => {
                self.custodian().run(Variant::NoPrivateData, seed, interrupt)
            }
        };
        Ok(outcome?.scores.test())
    }

    fn custodian(&self) -> HeteroRrTrial<'_> {
        let edges = EdgeProtection::new(self.epsilon);
        HeteroRrTrial { edges_as: EdgeUse::Votes, edges, ..HeteroRrTrial::new(self.data, 1.0) }
    }

    fn devices(&self) -> LdpGeTrial<'_> {
        let people = self.data.dataset.graph().node_count();
        let private = Private { features: false, labels: false, edges: true };
        let mut system = LdpGe::new(self.epsilon, people);
        system.protection.edges = ListProtection::recommended(self.epsilon, people);
        system.ways = ClassifierKind::fitting(private, system.ways);
        let (data, task) = (self.data, Task::Nodes);
        LdpGeTrial { data, task, system, private, volunteers: None, spill: None }
    }
}

impl TrustScores {
    /// What is out of order beyond chance and a margin: one sentence each.
    pub fn disorder(&self, margin: f64) -> Vec<String> {
        let pairs = [
            ("custodian", &self.custodian, "devices", &self.devices),
            ("custodian", &self.custodian, "no private data", &self.nothing),
            ("devices", &self.devices, "no private data", &self.nothing),
        ];
        let below = |(more, above, less, below): (&str, &Vec<f64>, &str, &Vec<f64>)| {
            let difference = PairedComparison::of(above, below)?.difference;
            let expected = format!("{more} at least as good as {less}");
            // The whole interval lies below the margin.
            (difference.high < -margin).then(|| {
                format!("expected {expected}, found {:+.1} points", 100.0 * difference.mean)
            })
        };
        pairs.into_iter().filter_map(below).collect()
    }

    /// Mean and deviation of each, in points: custodian, devices, no private data.
    pub fn summaries(&self) -> [Option<Summary>; 3] {
        [&self.custodian, &self.devices, &self.nothing].map(|scores| Summary::of(scores))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::data::synthetic::StochasticBlocks;

    /// Friends who are alike, hubs, neighbours who differ, and features that say nearly all: the order holds on each.
    #[test]
    fn more_trust_is_no_worse_answer() {
        let plain = StochasticBlocks {
            nodes: 320,
            classes: 3,
            features: 16,
            mean_degree: 10.0,
            ..StochasticBlocks::default()
        };
        let battery = [
            ("alike", plain),
            ("hubs", StochasticBlocks { degree_exponent: Some(2.5), ..plain }),
            ("differ", StochasticBlocks { homophily: 0.05, ..plain }),
            ("known", StochasticBlocks { feature_signal: 0.9, mean_degree: 3.0, ..plain }),
        ];
        let never = AtomicBool::new(false);
        for (name, blocks) in battery {
            let people = blocks.generate(2).unwrap();
            let order = TrustOrder { data: NamedData::new(name, &people), epsilon: 1.0 };
            let scores = order.measure(0..3, &never).unwrap();
            assert_eq!(scores.disorder(0.03), [""; 0], "{name}: {scores:?}");
            let [custodian, _, nothing] = scores.summaries().map(Option::unwrap);
            assert!(custodian.mean > nothing.mean - 0.02, "{name}: {scores:?}");
        }
    }

    #[test]
    fn an_order_upside_down_is_told() {
        let scores = TrustScores {
            custodian: vec![0.5, 0.51, 0.52],
            devices: vec![0.8, 0.81, 0.82],
            nothing: vec![0.7, 0.69, 0.7],
        };
        let found = scores.disorder(0.01);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("custodian at least as good as devices, found -30.0"));
    }
}
