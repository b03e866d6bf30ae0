//! Settings per dataset and task: starting points that the authors published for HDS at epsilon 1,
//! changed where validation data said so.

use super::embed::{Embedding, Method, Scaling};
use super::learn::Learner;

/// Settings of the collector for one dataset, and the k that users sample.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Preset {
    /// How many columns each user reports.
    pub k: usize,
    /// From reports to embeddings.
    pub embedding: Embedding,
    /// From embeddings to predictions.
    pub learner: Learner,
}

/// One line of a table of presets.
struct Line {
    dataset: &'static str,
    alpha: f64,
    exponent: f64,
    k: usize,
    hidden: &'static [usize],
    dropout: f32,
    weight_decay: f32,
    learning_rate: f64,
    batch: usize,
    /// Columns to sketch to where rows are longer: thousands of columns of noise tell a model no more
    /// than a few hundred.
    sketch: Option<usize>,
    scaling: Scaling,
}

const NODES: &[Line] = &[
    Line {
        dataset: "cora",
        alpha: 0.1,
        exponent: 0.1,
        k: 20,
        hidden: &[128],
        dropout: 0.7,
        weight_decay: 5e-4,
        learning_rate: 0.01,
        batch: 64,
        sketch: None,
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "citeseer",
        alpha: 0.05,
        exponent: 0.5,
        k: 5,
        hidden: &[128],
        dropout: 0.7,
        weight_decay: 5e-4,
        learning_rate: 0.01,
        batch: 128,
        sketch: None,
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "pubmed",
        alpha: 0.05,
        exponent: 0.1,
        k: 1,
        hidden: &[128, 128],
        dropout: 0.5,
        weight_decay: 0.0,
        learning_rate: 0.01,
        batch: 64,
        sketch: None,
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "lastfm_asia",
        alpha: 0.1,
        exponent: 0.1,
        k: 5,
        hidden: &[64],
        dropout: 0.5,
        weight_decay: 5e-4,
        learning_rate: 0.01,
        batch: 16,
        sketch: Some(1024),
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "facebook_page_page",
        alpha: 0.05,
        exponent: 0.1,
        k: 50,
        hidden: &[256, 256],
        dropout: 0.1,
        weight_decay: 5e-4,
        learning_rate: 0.01,
        batch: 256,
        sketch: Some(1024),
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "wikipedia_crocodile",
        alpha: 0.05,
        exponent: 0.1,
        k: 20,
        hidden: &[64],
        dropout: 0.1,
        weight_decay: 5e-4,
        learning_rate: 0.01,
        batch: 64,
        sketch: Some(1024),
        scaling: Scaling::Columns,
    },
];

const LINKS: &[Line] = &[
    Line {
        dataset: "cora",
        alpha: 0.1,
        exponent: 0.5,
        k: 1,
        hidden: &[64],
        dropout: 0.3,
        weight_decay: 5e-4,
        learning_rate: 0.01,
        batch: 128,
        sketch: None,
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "citeseer",
        alpha: 0.1,
        exponent: 0.2,
        k: 1,
        hidden: &[64],
        dropout: 0.7,
        weight_decay: 0.0,
        learning_rate: 0.01,
        batch: 128,
        sketch: None,
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "pubmed",
        alpha: 0.1,
        exponent: 0.3,
        k: 1,
        hidden: &[64],
        dropout: 0.1,
        weight_decay: 0.0,
        learning_rate: 0.01,
        batch: 128,
        sketch: None,
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "lastfm_asia",
        alpha: 0.1,
        exponent: 0.1,
        k: 1,
        hidden: &[64],
        dropout: 0.7,
        weight_decay: 0.0,
        learning_rate: 0.01,
        batch: 128,
        sketch: Some(1024),
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "facebook_page_page",
        alpha: 0.1,
        exponent: 0.1,
        k: 1,
        hidden: &[64],
        dropout: 0.1,
        weight_decay: 0.0,
        learning_rate: 0.01,
        batch: 128,
        sketch: Some(1024),
        scaling: Scaling::Columns,
    },
    Line {
        dataset: "wikipedia_crocodile",
        alpha: 0.1,
        exponent: 0.5,
        k: 3,
        hidden: &[64, 64],
        dropout: 0.1,
        weight_decay: 0.0,
        learning_rate: 0.001,
        batch: 512,
        sketch: Some(1024),
        scaling: Scaling::Columns,
    },
];

impl Preset {
    /// For classifying the nodes of a dataset; the first line's (Cora's) where there is none of its own.
    pub fn nodes(dataset: &str) -> Self {
        Self::of(NODES, dataset)
    }

    /// For predicting the links of a dataset.
    pub fn links(dataset: &str) -> Self {
        Self::of(LINKS, dataset)
    }

    /// The datasets that have presets of their own.
    pub fn datasets() -> impl Iterator<Item = &'static str> {
        NODES.iter().map(|line| line.dataset)
    }

    fn of(lines: &[Line], dataset: &str) -> Self {
        let name = dataset.split('/').next().unwrap_or(dataset);
        let line = lines.iter().find(|line| line.dataset == name).unwrap_or(&lines[0]);
        Self {
            k: line.k,
            embedding: Embedding {
                alpha: line.alpha,
                exponent: line.exponent,
                method: Method::Power(1e-3),
                sketch: line.sketch,
                scaling: line.scaling,
            },
            learner: Learner {
                hidden: line.hidden.to_vec(),
                dropout: line.dropout,
                weight_decay: line.weight_decay,
                learning_rate: line.learning_rate,
                batch: line.batch,
                ..Learner::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dataset_has_both_and_others_get_the_first() {
        for dataset in Preset::datasets() {
            assert!(LINKS.iter().any(|line| line.dataset == dataset), "{dataset}");
        }
        assert_eq!(Preset::nodes("cora/linqs"), Preset::nodes("cora"));
        assert_eq!(Preset::nodes("mine.csv"), Preset::nodes("cora"));
        assert_ne!(Preset::links("wikipedia_crocodile"), Preset::links("cora"));
    }
}
