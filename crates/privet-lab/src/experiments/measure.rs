//! [`Measurement`]: one run of LDP-GE as a cell, whose key says everything that its score follows from.
//!
//! Sweeps over figures ([`reproduce`](super::reproduce)) and searches for settings share this, and so
//! share the rule that a score is computed once, stored, and never computed again.

mod memory;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use privet::graph::Dataset;
use privet::ldp_ge::{
    EdgeProtection, FeatureProtection, LdpGe, People, Preset, PresetTask, Private, Protection,
};
use privet::privacy::features::{Decoding, FeatureMechanism, Settings};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::cells::{Cells, Key, Progress, run_cells};
use super::ldp_ge::{Experiment, Score, Task, Variant};
use crate::error::Error;

pub use memory::{available_memory, threads_that_fit};

/// A dataset, and what cells call it.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a> {
    /// The name.
    pub name: &'a str,
    /// The data in the clear.
    pub dataset: &'a Dataset,
}

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

/// One run.
#[derive(Debug, Clone)]
pub struct Measurement<'a> {
    /// On which data.
    pub data: Data<'a>,
    /// What is predicted.
    pub task: Task,
    /// What users send.
    pub reports: Reports,
    /// What the collector does with it; its k is not used.
    pub settings: Preset,
    /// What stands in for the features.
    pub variant: Variant,
    /// Decides split, noise and learner.
    pub seed: u64,
}

impl Measurement<'_> {
    /// Everything the score follows from. The settings are long, so they stand in it as a checksum.
    pub fn key(&self) -> Key {
        let size = format!(
            "{}x{}, {} edges",
            self.data.dataset.graph().node_count(),
            self.data.dataset.features().map_or(0, |features| features.columns()),
            self.data.dataset.graph().edge_count()
        );
        let Preset { embedding, learner, .. } = &self.settings;
        let key = Key::new()
            .with("dataset", self.data.name)
            .with("size", size)
            .with("task", word(&self.task))
            .with("settings", checksum(&[json(embedding), json(learner)].concat()))
            .with("variant", word(&self.variant))
            .with("seed", self.seed);
        if self.variant == Variant::Ceiling {
            // Nothing is randomised, so no mechanism has a part in it.
            return key.with("epsilon", f64::INFINITY);
        }
        let k = self.reports.k.map_or_else(|| "recommended".to_owned(), |k| k.to_string());
        key.with("mechanism", &self.reports.mechanism)
            .with("epsilon", self.reports.epsilon)
            .with("k", k)
            .with("decoding", word(&self.reports.decoding))
    }

    /// The mechanism, if it accepts its settings; gives k as it will be.
    ///
    /// # Errors
    /// If the data has no features with declared bounds, or the mechanism refuses.
    pub fn check(&self) -> privet::Result<usize> {
        let people = People::new(self.data.dataset, Private::FEATURES)?;
        let Reports { mechanism, epsilon, .. } = &self.reports;
        let built =
            FeatureMechanism::build(mechanism, *epsilon, people.scale, &self.mechanism_settings())?;
        Ok(built.k())
    }

    /// Measures it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn run(&self, interrupt: &AtomicBool) -> privet::Result<Score> {
        let system = self.system();
        let experiment = Experiment {
            dataset: self.data.dataset,
            task: self.task,
            system: &system,
            private: Private::FEATURES,
            volunteers: None,
        };
        experiment.run(self.variant, self.seed, interrupt).map(|(score, _)| score)
    }

    fn system(&self) -> LdpGe {
        let Reports { mechanism, epsilon, decoding, .. } = &self.reports;
        LdpGe {
            protection: Protection {
                features: FeatureProtection {
                    mechanism: mechanism.clone(),
                    epsilon: *epsilon,
                    settings: self.mechanism_settings(),
                    decoding: *decoding,
                },
                // Labels and edges are public here: these are never spent.
                label_epsilon: 1.0,
                edges: EdgeProtection::recommended(1.0, 1),
            },
            labels: None,
            embedding: self.settings.embedding.clone(),
            learner: self.settings.learner.clone(),
        }
    }

    fn mechanism_settings(&self) -> Settings {
        Settings { k: self.reports.k, ..Settings::default() }
    }
}

/// The published settings of a dataset for a task.
pub fn preset(task: Task, dataset: &str) -> Preset {
    match task {
        Task::Nodes => Preset::nodes(dataset),
        Task::Links => Preset::links(dataset),
    }
}

/// The published settings of a dataset for a task with features in the clear.
pub fn ceiling_preset(task: Task, dataset: &str) -> Preset {
    match task {
        Task::Nodes => Preset::ceiling(PresetTask::Nodes, dataset),
        Task::Links => Preset::ceiling(PresetTask::Links, dataset),
    }
}

/// How a sweep is carried out.
#[derive(Debug)]
pub struct Sweep<'a> {
    /// Where finished cells are.
    pub cells: &'a mut Cells,
    /// How many runs at a time, at most.
    pub threads: NonZeroUsize,
    /// Set it to stop early.
    pub interrupt: &'a AtomicBool,
}

impl Sweep<'_> {
    /// Measures what is not stored, and returns what `keep` makes of each outcome, in order.
    ///
    /// # Errors
    /// Those of [`run_cells`].
    pub fn measure<V: Serialize + DeserializeOwned + Send>(
        &mut self,
        wanted: &[Measurement<'_>],
        progress: impl Fn(Progress<'_>) + Sync,
        keep: impl Fn(privet::Result<Score>) -> privet::Result<V> + Sync,
    ) -> Result<Vec<V>, Error> {
        let keys: Vec<Key> = wanted.iter().map(Measurement::key).collect();
        let by_key: BTreeMap<&Key, &Measurement<'_>> = keys.iter().zip(wanted).collect();
        let threads = threads_that_fit(wanted, self.threads, available_memory());
        let measured = run_cells(self.cells, &keys, threads, self.interrupt, progress, |key| {
            let Some(measurement) = by_key.get(key) else {
                return Err(privet::Error::invalid("cell", key, "one of those that were wanted"));
            };
            keep(measurement.run(self.interrupt))
        });
        measured.map_err(|error| match &error {
            // A run that was stopped half-way is no failure: it is measured when the sweep continues.
            Error::Work { source, .. } if is_interruption(&**source) => {
                let done = by_key.keys().filter(|key| self.cells.contains(key)).count();
                Error::Interrupted { done, total: by_key.len() }
            }
            _ => error,
        })
    }
}

fn is_interruption(error: &(dyn std::error::Error + Send + Sync + 'static)) -> bool {
    let error = error.downcast_ref::<privet::Error>();
    matches!(error, Some(privet::Error::Learn(privet::learn::Error::Interrupted)))
}

fn json(value: &impl Serialize) -> String {
    // Settings are numbers and names: they always have a JSON form.
    serde_json::to_string(value).unwrap_or_default()
}

/// The name a choice has in JSON.
fn word(value: &impl Serialize) -> String {
    json(value).trim_matches('"').to_owned()
}

/// FNV-1a: the same on every machine and in every release, which the standard library's hash is not.
pub(super) fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

pub(super) fn checksum(text: &str) -> String {
    format!("{:016x}", hash(text))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use privet::data::synthetic::StochasticBlocks;
    use privet::graph::{Bounds, BoundsOrigin};
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

    pub fn measurement(dataset: &Dataset) -> Measurement<'_> {
        let decoding = Decoding::Paper;
        let reports = Reports { mechanism: "hds".into(), epsilon: 1.0, k: Some(3), decoding };
        let data = Data { name: "people", dataset };
        let (task, variant) = (Task::Nodes, Variant::Private);
        Measurement { data, task, reports, settings: fast(), variant, seed: 0 }
    }

    /// Whatever changes a score changes the key; a ceiling does not depend on the mechanism.
    #[test]
    fn keys_say_what_scores_follow_from() {
        let dataset = people();
        let first = measurement(&dataset);
        let mut others = vec![first.clone(); 8];
        others[0].seed = 1;
        others[1].task = Task::Links;
        others[2].variant = Variant::Control;
        others[3].reports.epsilon = 2.0;
        others[4].reports.k = None;
        others[5].reports.decoding = Decoding::Unbiased;
        others[6].settings.embedding.alpha = 0.2;
        others[7].settings.learner.dropout = 0.2;
        for other in &others {
            assert_ne!(other.key(), first.key(), "{}", other.key());
        }
        let ceiling = |epsilon| {
            let mut other = first.clone();
            (other.variant, other.reports.epsilon) = (Variant::Ceiling, epsilon);
            other.key()
        };
        assert_eq!(ceiling(1.0), ceiling(2.0));
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        // From the published test vectors of FNV-1a, 64 bits.
        assert_eq!(
            (checksum(""), checksum("a")),
            ("cbf29ce484222325".into(), "af63dc4c8601ec8c".into())
        );
    }

    #[test]
    fn what_cannot_run_is_known_before() {
        let dataset = people();
        let mut bad = measurement(&dataset);
        assert_eq!(bad.check().unwrap(), 3);
        bad.reports.k = Some(13);
        assert!(bad.check().unwrap_err().to_string().contains("number of columns"));
    }
}
