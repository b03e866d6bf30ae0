//! How LDP-GE is done. Nothing has a default here: what is not typed comes from the preset of the dataset and
//! task, and where there is none from what is public about the data: how many people and columns there are.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use privet::ldp_ge::{ClassifierKind, Embedding, LabelSpread, LdpGe, Learner, Preset};
use privet::options::{DECODINGS, by_name};
use privet::privacy::features::{Decoding, FeatureMechanism};
use privet::settings::name;
use privet_lab::experiments::ldp_ge::{LdpGeWishes, Size, Task};
use privet_lab::experiments::tune::Best;

use super::Secrets;
use crate::args::protect::MechanismSettings;
use crate::args::typed::GivenSettings;
use crate::failure::{Failure, Result};

/// How LDP-GE is done. What is not given comes from the preset.
#[derive(Debug, Clone, clap::Args)]
#[command(
    next_help_heading = "Settings; those not given come from the preset of the dataset and task, or from its size"
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
    /// How each user's class is found: one way, or several of which the best on validation labels is
    /// taken, which costs nothing (all of them for data without a preset)
    #[arg(long, value_name = "WAYS", value_delimiter = ',')]
    pub ways: Option<Vec<ClassifierKind>>,
    /// How reports are spread.
    #[command(flatten)]
    pub embedding: GivenSettings<Embedding>,
    /// How labels are.
    #[command(flatten)]
    pub labels: GivenSettings<LabelSpread>,
    /// What is learned.
    #[command(flatten)]
    pub learner: GivenSettings<Learner>,
}

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
        size: Size,
    ) -> Result<LdpGe> {
        let labels = self.labels.over(LabelSpread::default())?;
        if let Some(ways) = &self.ways
            && let Some(way) = ways.iter().find(|way| way.reads_labels() && labels.radii.is_empty())
        {
            let message =
                format!("--ways {} spreads labels, --label-radii none does not", way.name());
            return Err(Failure::usage(message).hint("leave one of them out"));
        }
        let wishes = LdpGeWishes {
            dataset,
            task,
            epsilon,
            size,
            private: secrets.parts(),
            protocol: secrets.protocol,
            label_epsilon: secrets.label_epsilon,
            edge_epsilon: secrets.edge_epsilon,
            one_budget: secrets.one_budget,
            edge_mechanism: secrets.edge_mechanism,
            merge: secrets.merge,
            tuned: self.tuned(task)?,
            mechanism: self.mechanism.clone(),
            randomizer: self.randomizer.settings(),
            decoding: self.decoding,
            ways: self.ways.clone(),
            radii: self.labels.has("label_radii"),
        };
        let Preset { embedding, learner, .. } = wishes.preset();
        let (embedding, learner) = (self.embedding.over(embedding)?, self.learner.over(learner)?);
        Ok(wishes.system(embedding, labels, learner)?)
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
        let size = Size { people: 100, columns: 50, classes: 3 };
        typed.settings.system(dataset, Task::Nodes, 1.0, &typed.secrets, size).unwrap()
    }

    #[test]
    fn what_is_typed_decides_which_ways_are_tried() {
        let ways = |dataset, options: &str| system(dataset, options).ways;
        let local = "--private features,edges --edge-epsilon 2";
        assert_eq!(ways("cora", ""), [ClassifierKind::Features], "the paper's");
        assert_eq!(ways("cora", local), [ClassifierKind::Propagation, ClassifierKind::Both]);
        assert_eq!(ways("cora", "--protocol blink").last(), Some(&ClassifierKind::Joint));
        assert_eq!(ways("mine.csv", ""), ClassifierKind::ALL);
        assert_eq!(ways("mine.csv", local), ClassifierKind::ALL);
        for dataset in ["cora", "mine.csv"] {
            assert_eq!(
                ways(dataset, &format!("{local} --label-radii none")),
                [ClassifierKind::Features]
            );
            assert_eq!(ways(dataset, "--label-radii 0.3,0.1"), [ClassifierKind::Both]);
            assert_eq!(
                ways(dataset, "--ways labels,both"),
                [ClassifierKind::Labels, ClassifierKind::Both]
            );
        }
        assert_eq!(system("cora", "--label-radii 0.3,0.1").labels.radii, [0.3, 0.1]);
    }

    /// Whatever is typed stands in the system, whether a preset knows the data or its size decides the rest.
    #[test]
    fn typed_settings_always_win() {
        let typed = "--alpha 0.31 --r 0.21 --sketch 77 --scaling rows --hidden 9 --dropout 0.11 \
                     --weight-decay 0.03 --learning-rate 0.04 --batch 33 --epochs 7 --patience 3 --k 2 \
                     --homophily 0.4 --decoding paper";
        for dataset in ["cora", "pubmed", "mine.csv"] {
            let LdpGe { protection, embedding, labels, learner, .. } = system(dataset, typed);
            assert_eq!((embedding.alpha, embedding.exponent, embedding.sketch), (0.31, 0.21, 77));
            assert_eq!((learner.hidden, learner.batch, learner.epochs), (vec![9], 33, 7));
            assert_eq!((learner.dropout, learner.weight_decay), (0.11, 0.03));
            assert_eq!((learner.learning_rate, learner.patience), (0.04, 3));
            assert_eq!((labels.homophily, protection.features.settings.k), (0.4, Some(2)));
            assert_eq!(protection.features.decoding, Decoding::Paper);
        }
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
