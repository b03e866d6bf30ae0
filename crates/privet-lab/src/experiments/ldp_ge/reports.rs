//! [`Reports`]: what users send, and LDP-GE with that and the settings of a [`Preset`].
//!
//! Sweeps over figures and searches for settings measure the same thing: features are private, everything else
//! is public, and settings come from a preset.

use privet::ldp_ge::{
    FeatureProtection, LabelSpread, LdpGe, ListProtection, People, Preset, Private, Protection,
    Task,
};
use privet::privacy::features::{Decoding, FeatureMechanism, FeatureSettings};
use serde::Serialize;

use super::LdpGeTrial;
use crate::experiments::trial::NamedData;

/// What users send: a mechanism at an epsilon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reports {
    /// A name out of [`FeatureMechanism::NAMES`].
    pub mechanism: String,
    /// The budget of a row.
    pub epsilon: f64,
    /// How many columns each user reports; the mechanism's own recommendation if not given.
    pub k: Option<usize>,
    /// How reports are read.
    pub decoding: Decoding,
}

impl Reports {
    /// LDP-GE with these reports and a collector's settings; the k of the settings is not used.
    pub fn trial<'a>(&self, data: NamedData<'a>, task: Task, settings: &Preset) -> LdpGeTrial<'a> {
        let features = FeatureProtection {
            mechanism: self.mechanism.clone(),
            epsilon: self.epsilon,
            settings: FeatureSettings { k: self.k, ..FeatureSettings::default() },
            decoding: self.decoding,
        };
        // Labels and edges are public here: their budgets are never spent.
        let edges = ListProtection::recommended(1.0, 1);
        let system = LdpGe {
            protection: Protection { features, label_epsilon: 1.0, edges },
            labels: LabelSpread::default(),
            ways: settings.ways.clone(),
            embedding: settings.embedding.clone(),
            learner: settings.learner.clone(),
        };
        LdpGeTrial { data, task, system, private: Private::FEATURES, volunteers: None, spill: None }
    }
}

impl LdpGeTrial<'_> {
    /// The mechanism, if it accepts its settings; gives k as it will be.
    ///
    /// # Errors
    /// If the data has no features with declared bounds, or the mechanism refuses.
    pub fn check(&self) -> privet::Result<usize> {
        let people = People::new(self.data.dataset, self.private)?;
        let FeatureProtection { mechanism, epsilon, settings, .. } =
            &self.system.protection.features;
        Ok(FeatureMechanism::build(mechanism, *epsilon, people.scale, settings)?.k())
    }
}

#[cfg(test)]
pub(in crate::experiments) mod tests {
    use super::*;
    use crate::experiments::trial::{Subject, Variant};
    use privet::data::synthetic::StochasticBlocks;
    use privet::graph::{Bounds, BoundsOrigin, Dataset};
    use privet::ldp_ge::Learner;

    /// Eighty people in two groups.
    pub fn people() -> Dataset {
        let blocks = StochasticBlocks {
            nodes: 80,
            classes: 2,
            mean_degree: 3.0,
            features: 12,
            ..Default::default()
        };
        let made = blocks.generate(3).unwrap();
        let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        let features = made.features().unwrap().clone().with_bounds(bounds).unwrap();
        made.with_features(features).unwrap()
    }

    /// Settings that take milliseconds.
    pub fn fast() -> Preset {
        let preset = Preset::nodes("cora");
        let learner = Learner { hidden: vec![8], epochs: 4, ..preset.learner };
        Preset { k: 3, learner, ..preset }
    }

    /// Three columns each, at epsilon 1.
    pub fn reports() -> Reports {
        let decoding = Decoding::Paper;
        Reports { mechanism: "hds".into(), epsilon: 1.0, k: Some(3), decoding }
    }

    /// Whatever changes a score changes the key; a ceiling does not depend on the mechanism.
    #[test]
    fn keys_say_what_scores_follow_from() {
        let dataset = people();
        let data = NamedData::new("people", &dataset);
        let first = reports().trial(data, Task::Nodes, &fast());
        let key = |trial: &LdpGeTrial<'_>| trial.key(Variant::Private);
        let mut others = vec![first.clone(); 8];
        others[0].data = NamedData::new("others", &dataset);
        others[1].task = Task::Links;
        others[2].system.protection.features.mechanism = "laplace".into();
        others[3].system.protection.features.epsilon = 2.0;
        others[4].system.protection.features.settings.k = None;
        others[5].system.protection.features.decoding = Decoding::Unbiased;
        others[6].system.embedding.alpha = 0.2;
        others[7].system.learner.dropout = 0.2;
        for other in &others {
            assert_ne!(key(other), key(&first), "{}", key(other));
        }
        assert_eq!(others[3].key(Variant::Ceiling), first.key(Variant::Ceiling));
        assert_ne!(others[6].key(Variant::Ceiling), first.key(Variant::Ceiling));
    }

    #[test]
    fn what_cannot_run_is_known_before() {
        let dataset = people();
        let data = NamedData::new("people", &dataset);
        let of = |k| Reports { k, ..reports() }.trial(data, Task::Nodes, &fast()).check();
        assert_eq!(of(Some(3)).unwrap(), 3);
        assert!(of(Some(13)).unwrap_err().to_string().contains("number of columns"));
    }

    #[test]
    fn a_run_is_as_large_as_what_is_sent_and_spread() {
        let dataset = people();
        let trial = reports().trial(NamedData::new("people", &dataset), Task::Nodes, &fast());
        // 80 rows: 3 numbers sent, 12 columns propagated.
        assert_eq!(trial.bytes(Variant::Private), 80 * (3 * 20 + 12 * 16));
        assert_eq!(trial.bytes(Variant::Ceiling), 80 * 12 * 16);
    }
}
