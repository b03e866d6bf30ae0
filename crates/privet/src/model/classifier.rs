//! [`Classifier`]: classes of people, by a network on rows that the public preprocessing ([`PeopleTable`]) makes of records.
//! In its folder `encoder.safetensors` is what makes the rows of aggregation perturbation, and `answers.json` what
//! the model says about people who sent reports.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::NETWORK;
use super::answers::as_probabilities;
use crate::Method;
use crate::data::declared::{PeopleReader, PeopleTable};
use crate::dpar::{self, Dpar, Inference, Visitors};
use crate::graph::{DenseMatrix, Direction, FeatureMatrix, Features, Graph};
use crate::ldp_ge::Embedding;
use crate::learn::models::{ItemRows, Mlp, Network, likeliest};
use crate::saved::{read_json, write_json};
use crate::{Error, Result};

/// A classifier of people, with everything that is needed to use it.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// What it is.
    pub about: AboutClassifier,
    /// The network.
    pub network: Mlp,
    /// What makes the rows that the network reads, for aggregation perturbation.
    pub encoder: Option<Mlp>,
    /// What it says about people who sent reports when it was trained: their ids, and classes.
    pub answers: Vec<(String, u32)>,
}

/// What is written down beside the network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutClassifier {
    /// The project it comes from.
    pub project: String,
    /// What was trained, and how its answers are made.
    pub method: ClassifierRule,
    /// What the classes are called.
    pub classes: Vec<String>,
    /// How a person's record is read: all of it declared in public, and of no file in particular.
    pub preprocessing: PeopleTable,
}

/// What the model says about people who sent reports.
const ANSWERS: &str = "answers.json";
const ENCODER: &str = "encoder.safetensors";

/// What was trained, and how its answers are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassifierRule {
    /// A network on people's own rows, whose answers are spread over connections among those who ask.
    Dpar(Dpar),
    /// A network on rows that were spread over connections first.
    LdpGe(Embedding),
}

impl ClassifierRule {
    /// The method that trained it.
    pub fn method(&self) -> Method {
        match self {
            Self::Dpar(system) => system.method,
            Self::LdpGe(_) => Method::LdpGe,
        }
    }
}

impl Classifier {
    /// The probability of every class for each person: rows as the preprocessing makes them, and who of them is connected to
    /// whom, if known.
    ///
    /// # Errors
    /// If rows have another length than those it was trained on.
    pub fn probabilities(&self, rows: DenseMatrix, graph: Option<&Graph>) -> Result<DenseMatrix> {
        // A model with an encoder reads through it; its input decides the width.
        let network = self.encoder.as_ref().unwrap_or(&self.network);
        let wanted = match &self.about.method {
            ClassifierRule::Dpar(system) => system.columns_read(network),
            ClassifierRule::LdpGe(_) => network.config().inputs,
        };
        if rows.columns() != wanted {
            return Err(Error::invalid("columns of a row", rows.columns(), wanted));
        }
        let scores = match &self.about.method {
            ClassifierRule::Dpar(system) => self.spread_answers(system, rows, graph)?,
            ClassifierRule::LdpGe(embedding) => {
                let no_edges = Graph::empty(rows.rows(), Direction::Undirected)?;
                let rows = FeatureMatrix::Dense(rows);
                // Without connections each person is a graph of one.
                let rows = embedding.run(graph.unwrap_or(&no_edges), &rows, 0)?;
                own_scores(&self.network, &rows)
            }
        };
        Ok(as_probabilities(scores))
    }

    /// Who can be classified: people with the declared columns.
    ///
    /// # Errors
    /// If the model's file was edited into something that makes no sense.
    pub fn people(&self) -> Result<PeopleReader> {
        PeopleReader::new(&self.about.preprocessing).map_err(|mistake| Error::Mistake {
            place: "model.json".into(),
            reason: mistake.to_string(),
        })
    }

    /// The most likely class of each person, by their own rows.
    ///
    /// # Errors
    /// If rows have another length than those it was trained on.
    pub fn classes(&self, rows: DenseMatrix) -> Result<Vec<u32>> {
        let all = self.probabilities(rows, None)?;
        Ok(likeliest(&all))
    }

    fn spread_answers(
        &self,
        system: &Dpar,
        mut rows: DenseMatrix,
        graph: Option<&Graph>,
    ) -> Result<DenseMatrix> {
        // The same preparation as in training: centred by declared ranges, or to unit length.
        if system.method.reads_centred_rows() {
            // A network on these rows is a plain one.
            let declared = Features::dense(rows).with_bounds(self.people()?.encoder().bounds()?)?;
            let centred = dpar::people::descent_rows::centred(&declared)?;
            rows = match centred.map(Features::into_matrix) {
                Some(FeatureMatrix::Dense(rows)) => rows,
                _ => return Err(Error::invalid("rows", "without ranges", "those of a table")),
            };
        } else {
            (0..rows.rows()).for_each(|row| dpar::people::to_unit(rows.row_mut(row)));
        }
        // Methods that were trained on sums over neighbours must see sums here, too; the others
        // answer by own rows.
        let plain = !matches!(system.method, Method::Gap | Method::Sage);
        let Some(graph) = graph.filter(|graph| graph.edge_count() > 0) else {
            if plain {
                return Ok(own_scores(&self.network, &rows));
            }
            let no_edges = Graph::empty(rows.rows(), Direction::Undirected)?;
            return self.about_visitors(system, rows, no_edges);
        };
        let graph = graph.to_undirected()?;
        let scores = self.about_visitors(system, rows, graph.clone())?;
        match plain && system.method != Method::Features {
            true => dpar::infer::spread(&graph, scores, system.settings.inference),
            false => Ok(scores),
        }
    }

    fn about_visitors(
        &self,
        system: &Dpar,
        rows: DenseMatrix,
        graph: Graph,
    ) -> Result<DenseMatrix> {
        // The classes of visitors are unknown: no answer may depend on them.
        let classes = vec![dpar::UNKNOWN; rows.rows()];
        let features = Features::dense(rows);
        let centred = system.method.reads_centred_rows().then(|| features.clone());
        let visitors = Visitors { graph, features, centred, classes };
        let (model, encoder) = (self.network.clone(), self.encoder.clone());
        let trained = dpar::TrainedClassifier { encoder, ..dpar::TrainedClassifier::of(model) };
        system.scores(&trained, &visitors)
    }

    /// How answers are spread over connections of those who ask, if they are.
    pub fn inference(&self) -> Option<Inference> {
        match &self.about.method {
            ClassifierRule::Dpar(system) => Some(system.settings.inference),
            ClassifierRule::LdpGe(_) => None,
        }
    }
}

fn own_scores(network: &Mlp, rows: &DenseMatrix) -> DenseMatrix {
    let all: Vec<u32> = (0..rows.rows() as u32).collect();
    network.scores(ItemRows::from(rows), &all)
}

impl Classifier {
    pub(super) fn write_parts(&self, folder: &Path) -> Result<()> {
        self.network.save(&folder.join(NETWORK))?;
        if let Some(encoder) = &self.encoder {
            encoder.save(&folder.join(ENCODER))?;
        }
        match self.answers.is_empty() {
            true => Ok(()),
            false => write_json(&folder.join(ANSWERS), &self.answers),
        }
    }

    pub(super) fn read_parts(about: AboutClassifier, folder: &Path) -> Result<Self> {
        let encoder = folder.join(ENCODER);
        Ok(Self {
            about,
            network: Mlp::load(&folder.join(NETWORK))?,
            encoder: encoder.exists().then(|| Mlp::load(&encoder)).transpose()?,
            answers: read_json(&folder.join(ANSWERS))?.unwrap_or_default(),
        })
    }

    /// The project, what it tells apart, and how it is used.
    pub(super) fn words(&self) -> [String; 3] {
        let AboutClassifier { project, classes, preprocessing, .. } = &self.about;
        let (columns, classes) = (preprocessing.columns.len(), classes.join(", "));
        [
            project.clone(),
            format!("It tells these classes of people apart, by records of {columns} columns: {classes}."),
            "Use it: `privet predict . new-people.csv -o predictions.csv`. Predictions about new people show *their* \
             records to\nwhoever sees the predictions; the card is about those it was trained on."
                .into(),
        ]
    }
}
