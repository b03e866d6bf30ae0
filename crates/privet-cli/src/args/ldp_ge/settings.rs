//! How LDP-GE is done. Nothing has a default here: what is not typed comes from the preset of the dataset and
//! task.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use privet::ldp_ge::{Embedding, FeatureProtection, LabelSpread, LdpGe, Learner, Protection};
use privet::options::{DECODINGS, by_name};
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet::privacy::unit::Part;
use privet::settings::name;
use privet_lab::experiments::ldp_ge::Task;
use privet_lab::experiments::ldp_ge::reports::{is_published, preset};
use privet_lab::experiments::tune::Best;

use super::Secrets;
use crate::args::protect::MechanismSettings;
use crate::args::typed::Typed;
use crate::failure::{Failure, Result};

/// How LDP-GE is done. What is not given comes from the preset.
#[derive(Debug, Clone, clap::Args)]
#[command(
    next_help_heading = "Settings; those not given come from the preset of the dataset and task"
)]
pub struct LdpGeSettings {
    /// Settings that `privet tune` found, in place of the preset: its best.json
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// The randomizer of features [default: hds]
    #[arg(long, value_name = "NAME")]
    #[arg(value_parser = PossibleValuesParser::new(FeatureMechanism::NAMES))]
    pub mechanism: Option<String>,
    /// What it takes beside epsilon.
    #[command(flatten)]
    pub randomizer: MechanismSettings,
    /// What to make of a report: an unbiased estimate, or what the paper prints
    #[arg(long, value_name = "RULE", value_parser = by_name(&DECODINGS))]
    pub decoding: Option<Decoding>,
    /// How reports are spread.
    #[command(flatten)]
    pub embedding: Typed<Embedding>,
    /// How labels are.
    #[command(flatten)]
    pub labels: Typed<LabelSpread>,
    /// What is learned.
    #[command(flatten)]
    pub learner: Typed<Learner>,
}

/// The paper's randomizer.
const HDS: &str = "hds";

impl LdpGeSettings {
    /// A system for so many people: what was typed, over the preset of a dataset and task.
    ///
    /// # Errors
    /// If options contradict each other.
    pub fn system(
        &self,
        dataset: &str,
        task: Task,
        epsilon: f64,
        secrets: &Secrets,
        people: usize,
    ) -> Result<LdpGe> {
        let tuned = self.tuned(task)?;
        let preset =
            tuned.as_ref().map_or_else(|| preset(task, dataset), |best| best.settings.clone());
        let of_file = tuned.as_ref().map(|best| best.mechanism.clone());
        let mechanism = self.mechanism.clone().or(of_file).unwrap_or_else(|| HDS.into());
        let mut settings = self.randomizer.settings();
        // The published k is HDS's, for that dataset; everything else has a recommendation of its own.
        let same = tuned.is_some_and(|best| best.mechanism == mechanism);
        let known = same || is_published(dataset);
        settings.k = settings.k.or((known && mechanism == HDS).then_some(preset.k));
        let features = FeatureProtection {
            mechanism,
            epsilon,
            settings,
            decoding: self.decoding.unwrap_or(preset.decoding),
        };
        // A public part has no price; the number is never looked at.
        let label_epsilon = secrets.label_epsilon.unwrap_or(epsilon);
        let edges = secrets.edges(people, epsilon);
        let system = LdpGe {
            protection: Protection { features, label_epsilon, edges },
            embedding: self.embedding.over(preset.embedding)?,
            labels: self.labels(task, secrets)?,
            learner: self.learner.over(preset.learner)?,
        };
        system.check()?;
        Ok(system)
    }

    /// Settings out of a file, if one is named; they must have been found for the task.
    fn tuned(&self, task: Task) -> Result<Option<Best>> {
        let Some(path) = &self.settings else { return Ok(None) };
        let best = Best::read(path)?;
        if best.task != task {
            let (found, wanted) = (name(&best.task), name(&task));
            let message = format!("{}: found for --task {found}, not for {wanted}", path.display());
            return Err(
                Failure::usage(message).hint(format!("say --task {found}, or leave it out"))
            );
        }
        Ok(Some(best))
    }

    /// Where edges or labels are noisy, what is known about neighbours says more than noise around them.
    fn labels(&self, task: Task, secrets: &Secrets) -> Result<Option<LabelSpread>> {
        let spread = self.labels.over(LabelSpread::default())?;
        let noisy = |part: &Part| matches!(part, Part::Edges | Part::Labels);
        let wanted = self.labels.has("label_radii") || secrets.private.iter().any(noisy);
        Ok((task == Task::Nodes && wanted && !spread.radii.is_empty()).then_some(spread))
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use privet::ldp_ge::{Preset, Spreading};

    use super::*;
    use crate::args::{Args, Command, Run};

    /// The system that a line of options stands for.
    fn system(dataset: &str, options: &str) -> LdpGe {
        let words = format!("privet run ldp-ge --dataset {dataset} --epsilon 1 {options}");
        let typed = Args::try_parse_from(words.split_whitespace()).unwrap();
        let Command::Run(Run::LdpGe(typed)) = typed.command else { panic!("{words}") };
        typed.settings.system(dataset, Task::Nodes, 1.0, &typed.secrets, 100).unwrap()
    }

    #[test]
    fn labels_are_spread_where_edges_are_private_or_as_typed() {
        let radii = |options: &str| system("cora", options).labels.map(|spread| spread.radii);
        let local = "--private features,edges --edge-epsilon 2";
        assert_eq!(radii(""), None);
        assert_eq!(radii(local), Some(LabelSpread::default().radii));
        assert_eq!(radii(&format!("{local} --label-radii none")), None);
        assert_eq!(radii("--label-radii 0.3,0.1"), Some(vec![0.3, 0.1]));
    }

    #[test]
    fn the_published_k_is_for_hds_on_that_dataset() {
        let k = |dataset, options| system(dataset, options).protection.features.settings.k;
        assert_eq!(k("cora", ""), Some(Preset::nodes("cora").k));
        assert_eq!(k("cora/linqs", ""), Some(Preset::nodes("cora").k));
        assert_eq!(k("cora", "--mechanism piecewise"), None);
        assert_eq!(k("mine.csv", ""), None);
    }

    #[test]
    fn what_is_typed_wins_over_the_preset() {
        let preset = Preset::nodes("facebook_page_page");
        let system = system("facebook_page_page", "--method push --hidden 32,16 --sketch 0");
        assert_eq!((system.embedding.method, system.embedding.sketch), (Spreading::Push, 0));
        assert_eq!(system.embedding.alpha, preset.embedding.alpha);
        assert_eq!(
            (system.learner.hidden, system.learner.batch),
            (vec![32, 16], preset.learner.batch)
        );
    }
}
