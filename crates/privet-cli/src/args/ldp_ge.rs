//! What can be asked of LDP-GE: the settings that every command about it takes, and `privet run ldp-ge`.
//!
//! Nothing has a default here: what is not typed comes from the preset of the dataset and task.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use privet::ldp_ge::{
    Embedding, FeatureProtection, LdpGe, Learner, Method, Preset, Private, Protection, Scaling,
};
use privet::learn::propagate::BackwardPush;
use privet::privacy::features::{FeatureMechanism, Settings};
use privet_lab::experiments::ldp_ge::Task;

use super::protect::DecodingRule;
use super::reading::Reading;
use crate::failure::{Failure, Result};

/// What `privet run ldp-ge --help` says at the end.
const EXAMPLES: &str = "\
Scores come from simulations (noise from seeds, compared with the truth), beside what noise alone
achieves on the same graph. With -o, one real release is made as well, with noise from the operating
system: its ledgers, card, embedding and model, and the report; --seed makes it a simulation too.

Examples:
  privet run ldp-ge --dataset synthetic --epsilon 1
  privet run ldp-ge --dataset cora --epsilon 1 --runs 10 -o release
  privet run ldp-ge --dataset cora --epsilon 1 --task links --html report.html
  privet run ldp-ge --dataset cora --epsilon 3 --private features,labels,edges \\
      --label-epsilon 3 --edge-epsilon 3
  privet run ldp-ge --dataset cora --epsilon 1 --explain";

/// Arguments of `privet run ldp-ge`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct RunLdpGe {
    /// A benchmark, a file, folder or archive, or `synthetic`: people who do not exist
    #[arg(long, value_name = "NAME|PATH")]
    pub dataset: String,
    /// What a person's whole row of features may cost
    #[arg(long)]
    pub epsilon: f64,
    /// What to predict
    #[arg(long, default_value = "nodes")]
    pub task: TaskName,
    /// How many seeds to measure with
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
    /// The first seed of the simulations [default: 0]; given with -o, the release is one too
    #[arg(long)]
    pub seed: Option<u64>,
    /// Forecast the error from the mechanism and the graph alone, and collect nothing
    #[arg(long, conflicts_with_all = ["html", "output"])]
    pub explain: bool,
    /// With --explain: how far two groups' means may differ in a column, as a share of its range
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "explain")]
    pub contrast: f64,
    /// Write the report to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Make a release too, in this new folder
    #[arg(long, short, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Who keeps what secret.
    #[command(flatten)]
    pub secrets: Secrets,
    /// How it is done.
    #[command(flatten)]
    pub settings: LdpGeSettings,
    /// How to read the data.
    #[command(flatten)]
    pub reading: Reading,
}

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskName {
    /// The classes of nodes
    Nodes,
    /// Which nodes are linked
    Links,
}

impl From<TaskName> for Task {
    fn from(name: TaskName) -> Self {
        match name {
            TaskName::Nodes => Self::Nodes,
            TaskName::Links => Self::Links,
        }
    }
}

/// Which parts of the data are secret, and what the other parts may cost.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Secrets")]
pub struct Secrets {
    /// What only its owner knows; everything else is public
    #[arg(long, value_name = "PARTS", value_delimiter = ',', default_value = "features")]
    pub private: Vec<Part>,
    /// What a private label may cost
    #[arg(long, value_name = "EPSILON")]
    pub label_epsilon: Option<f64>,
    /// What a private list of neighbours may cost
    #[arg(long, value_name = "EPSILON")]
    pub edge_epsilon: Option<f64>,
}

/// A part of the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Feature rows
    Features,
    /// Labels
    Labels,
    /// Lists of neighbours
    Edges,
}

impl Secrets {
    /// The same wishes in the library's words.
    ///
    /// # Errors
    /// If a price is missing or is for nothing, or the task needs what is secret.
    pub fn private(&self, task: TaskName) -> Result<Private> {
        let has = |part| self.private.contains(&part);
        let (features, labels, edges) = (has(Part::Features), has(Part::Labels), has(Part::Edges));
        if !features {
            let message =
                "--private leaves out features: their reports are what LDP-GE learns from";
            return Err(
                Failure::usage(message).hint("--private features, and labels,edges if wanted")
            );
        }
        if task == TaskName::Links && edges {
            let message =
                "--task links cannot have private edges: known links are what it learns from";
            return Err(Failure::usage(message).hint("leave edges out of --private"));
        }
        if task == TaskName::Links && labels {
            let message =
                "--task links does not use labels: collecting them would cost people for nothing";
            return Err(Failure::usage(message).hint("leave labels out of --private"));
        }
        let priced = [
            ("labels", labels, "--label-epsilon", self.label_epsilon),
            ("edges", edges, "--edge-epsilon", self.edge_epsilon),
        ];
        for (part, secret, option, price) in priced {
            match (secret, price) {
                (true, None) => {
                    let message = format!("--private {part} needs a price: {option} is missing");
                    return Err(Failure::usage(message).hint(format!("for example {option} 1")));
                }
                (false, Some(_)) => {
                    let message = format!("{option} is for private {part}, but they are public");
                    return Err(Failure::usage(message).hint(format!("--private features,{part}")));
                }
                _ => {}
            }
        }
        Ok(Private { features, labels, edges })
    }
}

/// How LDP-GE is done. What is not given comes from the preset.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(
    next_help_heading = "Settings; those not given come from the preset of the dataset and task"
)]
pub struct LdpGeSettings {
    /// The randomizer of features [default: hds]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(FeatureMechanism::NAMES))]
    pub mechanism: Option<String>,
    /// How many columns each person reports
    #[arg(long)]
    pub k: Option<usize>,
    /// The delta of the Gaussian mechanism
    #[arg(long)]
    pub delta: Option<f64>,
    /// The bins of feature-rr
    #[arg(long)]
    pub bins: Option<u32>,
    /// What to make of a report: an unbiased estimate, or what the paper prints [default: unbiased]
    #[arg(long, value_name = "RULE")]
    pub decoding: Option<DecodingRule>,
    /// How much of its own a node keeps, in (0, 1]
    #[arg(long)]
    pub alpha: Option<f64>,
    /// The convolution coefficient, in [0, 1]
    #[arg(long, value_name = "EXPONENT")]
    pub r: Option<f64>,
    /// How reports are spread over the graph
    #[arg(long)]
    pub method: Option<MethodName>,
    /// With push: the largest residue that may stay [default: 1e-5]
    #[arg(long, value_name = "RESIDUE")]
    pub rmax: Option<f64>,
    /// Project reports to so many columns first; 0 for not at all
    #[arg(long, value_name = "COLUMNS")]
    pub sketch: Option<usize>,
    /// What is brought to unit size before a model sees it
    #[arg(long, value_name = "WHAT")]
    pub scaling: Option<ScalingName>,
    /// Widths of the hidden layers, such as 128,64; `none` for a linear model
    #[arg(long, value_name = "WIDTHS", value_parser = parse_widths)]
    pub hidden: Option<Widths>,
    /// Share of hidden activations dropped in training
    #[arg(long)]
    pub dropout: Option<f32>,
    /// L2 weight decay
    #[arg(long)]
    pub weight_decay: Option<f32>,
    /// Adam's learning rate
    #[arg(long)]
    pub learning_rate: Option<f64>,
    /// Examples per step
    #[arg(long)]
    pub batch: Option<usize>,
    /// Epochs at most
    #[arg(long)]
    pub epochs: Option<usize>,
    /// Epochs without improvement on validation data before training stops
    #[arg(long)]
    pub patience: Option<usize>,
}

/// How reports spread over the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Power iteration
    Power,
    /// Backward push
    Push,
    /// Not at all
    None,
}

/// What is brought to unit size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScalingName {
    /// All numbers by one factor
    Whole,
    /// Every column
    Columns,
    /// Every row
    Rows,
}

/// Widths of hidden layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widths(pub Vec<usize>);

impl LdpGeSettings {
    /// A system: what was typed, over the preset of a dataset and task. `other_epsilons` are those of
    /// labels and edges.
    ///
    /// # Errors
    /// If options contradict each other.
    pub fn system(
        &self,
        dataset: &str,
        task: TaskName,
        epsilon: f64,
        other_epsilons: (Option<f64>, Option<f64>),
    ) -> Result<LdpGe> {
        let preset = match task {
            TaskName::Nodes => Preset::nodes(dataset),
            TaskName::Links => Preset::links(dataset),
        };
        let features = FeatureProtection {
            mechanism: self.mechanism.clone().unwrap_or_else(|| "hds".into()),
            epsilon,
            settings: Settings {
                k: self.reported_columns(dataset, &preset),
                delta: self.delta,
                bins: self.bins,
                theta: None,
            },
            decoding: self.decoding.map_or(preset.decoding, Into::into),
        };
        let (labels, edges) = other_epsilons;
        // A public part has no price; the number is never looked at.
        let label_epsilon = labels.unwrap_or(epsilon);
        let edge_epsilon = edges.unwrap_or(epsilon);
        Ok(LdpGe {
            protection: Protection { features, label_epsilon, edge_epsilon },
            embedding: self.embedding(preset.embedding)?,
            learner: self.learner(preset.learner),
        })
    }

    /// The published k is HDS's, for that dataset; everything else has a recommendation of its own.
    fn reported_columns(&self, dataset: &str, preset: &Preset) -> Option<usize> {
        let is_hds = self.mechanism.as_deref().is_none_or(|name| name == "hds");
        let name = dataset.split('/').next().unwrap_or(dataset);
        let published = is_hds && Preset::datasets().any(|known| known == name);
        self.k.or(published.then_some(preset.k))
    }

    fn embedding(&self, preset: Embedding) -> Result<Embedding> {
        let method = match (self.method, self.rmax) {
            (Some(MethodName::Push), rmax) => {
                Method::Push(rmax.unwrap_or(BackwardPush::default().threshold))
            }
            (_, Some(_)) => {
                let message = "--rmax is an option of --method push";
                return Err(Failure::usage(message).hint("add it, or leave --rmax out"));
            }
            (Some(MethodName::Power), None) => Embedding::default().method,
            (Some(MethodName::None), None) => Method::None,
            (None, None) => preset.method,
        };
        Ok(Embedding {
            alpha: self.alpha.unwrap_or(preset.alpha),
            exponent: self.r.unwrap_or(preset.exponent),
            method,
            sketch: self.sketch.map_or(preset.sketch, |columns| (columns > 0).then_some(columns)),
            scaling: match self.scaling {
                None => preset.scaling,
                Some(ScalingName::Whole) => Scaling::Whole,
                Some(ScalingName::Columns) => Scaling::Columns,
                Some(ScalingName::Rows) => Scaling::Rows,
            },
        })
    }

    fn learner(&self, preset: Learner) -> Learner {
        Learner {
            hidden: self.hidden.as_ref().map_or(preset.hidden, |widths| widths.0.clone()),
            dropout: self.dropout.unwrap_or(preset.dropout),
            weight_decay: self.weight_decay.unwrap_or(preset.weight_decay),
            learning_rate: self.learning_rate.unwrap_or(preset.learning_rate),
            batch: self.batch.unwrap_or(preset.batch),
            epochs: self.epochs.unwrap_or(preset.epochs),
            patience: self.patience.unwrap_or(preset.patience),
        }
    }
}

fn parse_widths(typed: &str) -> Result<Widths, String> {
    if typed == "none" {
        return Ok(Widths(Vec::new()));
    }
    let width = |word: &str| word.trim().parse().ok().filter(|&width: &usize| width > 0);
    let widths: Option<Vec<usize>> = typed.split(',').map(width).collect();
    widths.map(Widths).ok_or_else(|| "expected widths such as 128 or 128,64, or `none`".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn system(settings: &LdpGeSettings, dataset: &str) -> LdpGe {
        settings.system(dataset, TaskName::Nodes, 1.0, (None, None)).unwrap()
    }

    #[test]
    fn the_published_k_is_for_hds_on_that_dataset() {
        let k = |mechanism: Option<&str>, dataset| {
            let mechanism = mechanism.map(String::from);
            let settings = LdpGeSettings { mechanism, ..LdpGeSettings::default() };
            system(&settings, dataset).protection.features.settings.k
        };
        assert_eq!(k(None, "cora"), Some(Preset::nodes("cora").k));
        assert_eq!(k(None, "cora/linqs"), Some(Preset::nodes("cora").k));
        assert_eq!(k(Some("piecewise"), "cora"), None);
        assert_eq!(k(None, "mine.csv"), None);
    }

    #[test]
    fn what_is_typed_wins_over_the_preset() {
        let settings = LdpGeSettings {
            method: Some(MethodName::Push),
            hidden: Some(parse_widths("32,16").unwrap()),
            sketch: Some(0),
            ..LdpGeSettings::default()
        };
        let system = system(&settings, "facebook_page_page");
        assert_eq!(system.embedding.method, Method::Push(1e-5));
        assert_eq!((system.embedding.sketch, system.learner.hidden), (None, vec![32, 16]));
        assert_eq!(system.learner.batch, Preset::nodes("facebook_page_page").learner.batch);
    }

    #[test]
    fn widths_are_numbers_or_none() {
        assert_eq!(parse_widths("none"), Ok(Widths(Vec::new())));
        for typed in ["", "0", "1,,2", "-1", "a"] {
            assert!(parse_widths(typed).is_err(), "{typed}");
        }
    }
}
