//! How LDP-GE is done. Nothing has a default here: what is not typed comes from the preset of the dataset and
//! task.

use clap::builder::PossibleValuesParser;
use privet::ldp_ge::{
    Embedding, FeatureProtection, LabelSpread, LdpGe, Learner, Preset, Protection,
};
use privet::options::{DECODINGS, by_name};
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet::privacy::unit::Part;
use privet_lab::experiments::ldp_ge::Task;
use privet_lab::experiments::ldp_ge::reports::preset;

use super::Secrets;
use crate::args::protect::MechanismSettings;
use crate::args::typed::Typed;
use crate::failure::Result;

/// How LDP-GE is done. What is not given comes from the preset.
#[derive(Debug, Clone, clap::Args)]
#[command(
    next_help_heading = "Settings; those not given come from the preset of the dataset and task"
)]
pub struct LdpGeSettings {
    /// The randomizer of features
    #[arg(long, value_name = "NAME", default_value = HDS)]
    #[arg(value_parser = PossibleValuesParser::new(FeatureMechanism::NAMES))]
    pub mechanism: String,
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
        let preset = preset(task, dataset);
        let mut settings = self.randomizer.settings();
        settings.k = settings.k.or(self.published_k(dataset, &preset));
        let features = FeatureProtection {
            mechanism: self.mechanism.clone(),
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

    /// The published k is HDS's, for that dataset; everything else has a recommendation of its own.
    fn published_k(&self, dataset: &str, preset: &Preset) -> Option<usize> {
        let name = dataset.split('/').next().unwrap_or(dataset);
        let published = self.mechanism == HDS && Preset::datasets().any(|known| known == name);
        published.then_some(preset.k)
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
    use privet::ldp_ge::Spreading;

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
