//! How LDP-GE is done. Nothing has a default here: what is not typed comes from the preset of the dataset and
//! task.

mod parse;

use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use privet::ldp_ge::{
    Embedding, FeatureProtection, LabelSpread, LdpGe, Learner, Method, Preset, Protection, Scaling,
};
use privet::learn::propagate::BackwardPush;
use privet::privacy::features::{FeatureMechanism, Settings};

use super::{Part, Secrets, TaskName};
use crate::args::protect::DecodingRule;
use crate::failure::{Failure, Result};
pub(in crate::args) use parse::parse_widths;
use parse::{parse_homophily, parse_radii};

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
    /// Spread the labels of training users too, at these radii, such as 0.5,0.1; `none` for not at all
    /// [default: 0.5,0.2,0.05 where labels or edges are private, else none]
    #[arg(long, value_name = "ALPHAS", value_parser = parse_radii)]
    pub label_radii: Option<Radii>,
    /// With --label-radii: a public guess of how often people who know each other have the same class, beyond
    /// chance, for belief propagation; 0 for none of it [default: 0.7]
    #[arg(long, value_name = "SHARE", value_parser = parse_homophily)]
    pub homophily: Option<f64>,
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

/// Decay factors at which labels are spread.
#[derive(Debug, Clone, PartialEq)]
pub struct Radii(pub Vec<f64>);

/// Widths of hidden layers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Widths(pub Vec<usize>);

impl LdpGeSettings {
    /// A system for so many people: what was typed, over the preset of a dataset and task.
    ///
    /// # Errors
    /// If options contradict each other.
    pub fn system(
        &self,
        dataset: &str,
        task: TaskName,
        epsilon: f64,
        secrets: &Secrets,
        people: usize,
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
        // A public part has no price; the number is never looked at.
        let label_epsilon = secrets.label_epsilon.unwrap_or(epsilon);
        let edges = secrets.edges(people, epsilon);
        Ok(LdpGe {
            protection: Protection { features, label_epsilon, edges },
            embedding: self.embedding(preset.embedding)?,
            labels: self.labels(task, secrets),
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

    /// Where edges or labels are noisy, what is known about neighbours says more than noise around them.
    fn labels(&self, task: TaskName, secrets: &Secrets) -> Option<LabelSpread> {
        let mut spread = LabelSpread::default();
        if let Some(guess) = self.homophily {
            spread.homophily = (guess > 0.0).then_some(guess);
        }
        match &self.label_radii {
            _ if task == TaskName::Links => None,
            Some(Radii(none)) if none.is_empty() => None,
            Some(Radii(radii)) => Some(LabelSpread { radii: radii.clone(), ..spread }),
            None => {
                let noisy = |part: &Part| matches!(part, Part::Edges | Part::Labels);
                secrets.private.iter().any(noisy).then_some(spread)
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn system(settings: &LdpGeSettings, dataset: &str) -> LdpGe {
        settings.system(dataset, TaskName::Nodes, 1.0, &public(), 100).unwrap()
    }

    fn public() -> Secrets {
        Secrets {
            private: vec![Part::Features],
            label_epsilon: None,
            edge_epsilon: None,
            edge_mechanism: None,
            merge: None,
        }
    }

    #[test]
    fn labels_are_spread_where_edges_are_private_or_as_typed() {
        let radii = |typed: Option<&str>, secrets: &Secrets| {
            let label_radii = typed.map(|typed| parse_radii(typed).unwrap());
            let settings = LdpGeSettings { label_radii, ..LdpGeSettings::default() };
            let system = settings.system("cora", TaskName::Nodes, 1.0, secrets, 100).unwrap();
            system.labels.map(|spread| spread.radii)
        };
        let private = vec![Part::Features, Part::Edges];
        let local = Secrets { private, edge_epsilon: Some(2.0), ..public() };
        assert_eq!(radii(None, &public()), None);
        assert_eq!(radii(None, &local), Some(LabelSpread::default().radii));
        assert_eq!(radii(Some("none"), &local), None);
        assert_eq!(radii(Some("0.3,0.1"), &public()), Some(vec![0.3, 0.1]));
        for typed in ["", "0", "1", "0.5,", "x"] {
            assert!(parse_radii(typed).is_err(), "{typed}");
        }
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
}
