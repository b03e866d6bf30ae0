//! [`LdpGeWishes`]: what a caller asks of LDP-GE, and the system that follows. What is not said comes from settings that a
//! search found, else from the preset of the dataset and task, and where there is none from what is public about the
//! data: how many people and columns there are.

use privet::graph::Dataset;
use privet::ldp_ge::{
    ClassifierKind, Embedding, FeatureProtection, LabelSpread, LdpGe, Learner, ListProtection,
    ListRandomizer, Preset, Private, Protection, Protocol, Shares,
};
use privet::privacy::edges::Merge;
use privet::privacy::features::{Decoding, FeatureSettings};
use privet::{Facts, Result};

use super::Task;
use super::reports::{is_published, preset};
use crate::experiments::tune::Best;

/// The paper's randomizer.
const HDS: &str = "hds";

/// What is wanted; whatever is `None` follows from the rest.
#[derive(Debug, Clone)]
pub struct LdpGeWishes<'a> {
    /// What the data are called.
    pub dataset: &'a str,
    /// What is predicted.
    pub task: Task,
    /// What a row of features may cost, and every other private part that has no price of its own.
    pub epsilon: f64,
    /// How many people, columns and classes there are.
    pub size: Size,
    /// What only its owner knows.
    pub private: Private,
    /// The paper whose setting this is, if it is another's.
    pub protocol: Option<Protocol>,
    /// What a private label may cost.
    pub label_epsilon: Option<f64>,
    /// What a private list of neighbours may cost.
    pub edge_epsilon: Option<f64>,
    /// Whether `epsilon` is divided among label and list.
    pub one_budget: bool,
    /// What people send about private edges.
    pub edge_mechanism: Option<ListRandomizer>,
    /// What two reports about a pair become.
    pub merge: Option<Merge>,
    /// Settings that a search found, in place of the preset.
    pub tuned: Option<Best>,
    /// The randomizer of features.
    pub mechanism: Option<String>,
    /// What it takes beside epsilon.
    pub randomizer: FeatureSettings,
    /// What to make of a report.
    pub decoding: Option<Decoding>,
    /// How each user's class is found.
    pub ways: Option<Vec<ClassifierKind>>,
    /// Whether the caller said how far labels are spread.
    pub radii: bool,
}

/// How much of everything there is: public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// People.
    pub people: usize,
    /// Columns of features.
    pub columns: usize,
    /// Classes.
    pub classes: usize,
}

impl Size {
    /// That of a dataset.
    pub fn of(dataset: &Dataset) -> Self {
        let Facts { columns, classes, .. } = Facts::of(dataset);
        Self { people: dataset.graph().node_count(), columns, classes }
    }
}

impl LdpGeWishes<'_> {
    /// The settings that the rest is laid over.
    pub fn preset(&self) -> Preset {
        let Size { people, columns, .. } = self.size;
        match &self.tuned {
            Some(best) => best.settings.clone(),
            None if self.task == Task::Nodes && !is_published(self.dataset) => {
                Preset::fitting(people, columns)
            }
            None => preset(self.task, self.dataset),
        }
    }

    /// The system, with the collector's side as it was settled.
    ///
    /// # Errors
    /// If settings contradict each other.
    pub fn system(
        &self,
        embedding: Embedding,
        labels: LabelSpread,
        learner: Learner,
    ) -> Result<LdpGe> {
        let preset = self.preset();
        let protection = self.protection(&preset);
        let ways = self.ways(&labels, preset.ways);
        let system = LdpGe { protection, embedding, labels, ways, learner };
        system.check()?;
        Ok(system)
    }

    fn protection(&self, preset: &Preset) -> Protection {
        let of_file = self.tuned.as_ref().map(|best| best.mechanism.clone());
        let of_paper = self.protocol.and_then(Protocol::mechanism).map(str::to_owned);
        let mechanism = self.mechanism.clone().or(of_paper).or(of_file);
        let mechanism = mechanism.unwrap_or_else(|| HDS.into());
        // The published k is HDS's, for that dataset; everything else has a recommendation of its own.
        let same = self.tuned.as_ref().is_some_and(|best| best.mechanism == mechanism);
        let known = (same || is_published(self.dataset)) && mechanism == HDS;
        let k = self.randomizer.k.or(known.then_some(preset.k));
        let settings = FeatureSettings { k, ..self.randomizer.clone() };
        let decoding = self.decoding.unwrap_or(preset.decoding);
        let features = FeatureProtection { mechanism, epsilon: self.epsilon, settings, decoding };
        // Where it has no price of its own: either features are public, or it is, and the number is never looked at.
        let Size { people, classes, .. } = self.size;
        let (labels, edges) = match self.one_budget {
            true => {
                let shares = Shares::of(self.epsilon, people, classes);
                (shares.labels, shares.edges)
            }
            false => (self.epsilon, self.epsilon),
        };
        let label_epsilon = self.label_epsilon.unwrap_or(labels);
        Protection { features, label_epsilon, edges: self.lists(people, edges) }
    }

    /// How neighbour lists are protected if they are private. `otherwise` is their price where they have none of their
    /// own.
    fn lists(&self, people: usize, otherwise: f64) -> ListProtection {
        let epsilon = self.edge_epsilon.unwrap_or(otherwise);
        let best = ListProtection::recommended(epsilon, people);
        let mechanism = self.edge_mechanism.unwrap_or(best.mechanism);
        let merge = self.merge.unwrap_or(mechanism.usual_merge());
        ListProtection { epsilon, mechanism, merge }
    }

    /// What was said; else what fits the secrets and the preset.
    fn ways(&self, labels: &LabelSpread, preset: Vec<ClassifierKind>) -> Vec<ClassifierKind> {
        match &self.ways {
            Some(ways) => ways.clone(),
            None if self.one_budget => vec![ClassifierKind::Propagation],
            // The ways of links are the preset's: the paper's scorer, or that and what public links say.
            None if self.task == Task::Links => preset,
            None if labels.radii.is_empty() => vec![ClassifierKind::Features],
            None if self.radii => vec![ClassifierKind::Both],
            None => ClassifierKind::fitting(self.private, preset),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wishes(dataset: &str) -> LdpGeWishes<'_> {
        LdpGeWishes {
            dataset,
            task: Task::Nodes,
            epsilon: 2.0,
            size: Size { people: 2708, columns: 1433, classes: 7 },
            private: Private::FEATURES,
            protocol: None,
            label_epsilon: None,
            edge_epsilon: None,
            one_budget: false,
            edge_mechanism: None,
            merge: None,
            tuned: None,
            mechanism: None,
            randomizer: FeatureSettings::default(),
            decoding: None,
            ways: None,
            radii: false,
        }
    }

    fn system(wishes: &LdpGeWishes<'_>) -> LdpGe {
        let Preset { embedding, learner, .. } = wishes.preset();
        wishes.system(embedding, LabelSpread::default(), learner).unwrap()
    }

    /// A k that was found for HDS on a dataset says nothing about other data or another mechanism.
    #[test]
    fn the_published_k_is_for_hds_on_that_dataset() {
        let k = |wishes: &LdpGeWishes<'_>| system(wishes).protection.features.settings.k;
        assert_eq!(k(&wishes("cora")), Some(Preset::nodes("cora").k));
        assert_eq!(k(&wishes("mine.csv")), None);
        let laplace = Some("laplace".to_owned());
        assert_eq!(k(&LdpGeWishes { mechanism: laplace.clone(), ..wishes("cora") }), None);
        let randomizer = FeatureSettings { k: Some(5), ..FeatureSettings::default() };
        let said = LdpGeWishes { mechanism: laplace, randomizer, ..wishes("cora") };
        assert_eq!(k(&said), Some(5), "what is said stands");
    }

    /// Settings of a search count as published for its own mechanism alone.
    #[test]
    fn what_a_search_found_replaces_the_preset() {
        let settings = Preset { k: 9, ..Preset::nodes("cora") };
        let best = |mechanism: &str| Best {
            task: Task::Nodes,
            mechanism: mechanism.into(),
            settings: settings.clone(),
        };
        let tuned = LdpGeWishes { tuned: Some(best("hds")), ..wishes("mine.csv") };
        assert_eq!(tuned.preset(), settings);
        assert_eq!(system(&tuned).protection.features.settings.k, Some(9));
        let other = LdpGeWishes { tuned: Some(best("laplace")), ..wishes("mine.csv") };
        let features = system(&other).protection.features;
        assert_eq!((features.mechanism.as_str(), features.settings.k), ("laplace", None));
    }

    #[test]
    fn parts_without_a_price_cost_what_features_do_or_share_one_budget() {
        let plain = system(&wishes("cora")).protection;
        assert_eq!((plain.label_epsilon, plain.edges.epsilon), (2.0, 2.0));
        let said =
            LdpGeWishes { label_epsilon: Some(3.0), edge_epsilon: Some(4.0), ..wishes("cora") };
        let said = system(&said).protection;
        assert_eq!((said.label_epsilon, said.edges.epsilon), (3.0, 4.0));
        let one = system(&LdpGeWishes { one_budget: true, ..wishes("cora") });
        let (labels, edges) = (one.protection.label_epsilon, one.protection.edges.epsilon);
        assert!((labels + edges - 2.0).abs() < 1e-9 && labels > 0.0, "{labels} + {edges}");
        assert_eq!(one.ways, [ClassifierKind::Propagation]);
    }

    /// Another paper's setting brings its randomizer, unless the caller names one.
    #[test]
    fn a_protocol_brings_its_randomizer() {
        let mechanism = |protocol, mechanism: Option<&str>| {
            let mechanism = mechanism.map(str::to_owned);
            let wanted = LdpGeWishes { protocol, mechanism, ..wishes("cora") };
            system(&wanted).protection.features.mechanism
        };
        let of_paper = Protocol::Lpgnn.mechanism().unwrap();
        assert_eq!(mechanism(Some(Protocol::Lpgnn), None), of_paper);
        assert_eq!(mechanism(Some(Protocol::Lpgnn), Some("laplace")), "laplace");
        assert_eq!(mechanism(None, None), HDS);
    }

    /// Lists are sent and merged as is usual for their mechanism, unless stated otherwise.
    #[test]
    fn lists_are_merged_as_their_mechanism_wants() {
        let lists = |edge_mechanism, merge| {
            system(&LdpGeWishes { edge_mechanism, merge, ..wishes("cora") }).protection.edges
        };
        let usual = lists(None, None);
        assert_eq!(usual, ListProtection::recommended(2.0, 2708));
        for mechanism in [ListRandomizer::Rr, ListRandomizer::Dprr] {
            let chosen = lists(Some(mechanism), None);
            assert_eq!((chosen.mechanism, chosen.merge), (mechanism, mechanism.usual_merge()));
            assert_eq!(lists(Some(mechanism), Some(Merge::Or)).merge, Merge::Or);
        }
    }

    #[test]
    fn ways_follow_task_labels_and_secrets() {
        let ways = |wishes: LdpGeWishes<'_>| system(&wishes).ways;
        assert_eq!(
            ways(LdpGeWishes { task: Task::Links, ..wishes("cora") }),
            [ClassifierKind::Features]
        );
        assert_eq!(
            ways(LdpGeWishes { task: Task::Links, ..wishes("mine.csv") }),
            [ClassifierKind::Both]
        );
        assert_eq!(ways(LdpGeWishes { radii: true, ..wishes("mine.csv") }), [ClassifierKind::Both]);
        assert_eq!(ways(wishes("mine.csv")), ClassifierKind::ALL);
        let said = Some(vec![ClassifierKind::Labels]);
        assert_eq!(ways(LdpGeWishes { ways: said, ..wishes("cora") }), [ClassifierKind::Labels]);
    }
}
