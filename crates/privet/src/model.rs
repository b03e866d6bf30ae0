//! [`Classifier`]: a trained model that can be used on the next person: the network, what its classes are called, and
//! the public preprocessing ([`PeopleTable`]) that turns a person's record into a row. Nothing in it is private but through
//! the release that made it, so it may be copied wherever its card goes.
//!
//! ```text
//! model.safetensors    the network               (encoder.safetensors: that of aggregation perturbation)
//! model.json           what is below: method, classes, preprocessing
//! card.json            what was promised to the people it was trained on
//! README.md            the same for people
//! ```

pub mod interval;
pub mod predict;

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::declared::{People, PeopleTable};
use crate::dpar::{self, Dpar, DparMethod, Inference, Visitors};
use crate::graph::{DenseMatrix, Direction, Features, Graph};
use crate::ldp_ge::Embedding;
use crate::learn::models::{Mlp, Network, Rows};
use crate::saved::Stored;
use crate::{Error, Result};

/// A classifier of people, with everything that is needed to use it.
#[derive(Debug, Clone)]
pub struct Classifier {
    /// What it is.
    pub about: AboutModel,
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
pub struct AboutModel {
    /// The version of this file.
    pub format: u32,
    /// The project it comes from.
    pub project: String,
    /// What was trained, and how its answers are made.
    pub method: ModelMethod,
    /// What the classes are called.
    pub classes: Vec<String>,
    /// How a person's record is read: all of it declared in public, and of no file in particular.
    pub preprocessing: PeopleTable,
}

/// What the model says about people who sent reports.
const ANSWERS: &str = "answers.json";
/// The version of `model.json`.
const FORMAT: u32 = 1;

/// What was trained, and how its answers are made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModelMethod {
    /// A network on people's own rows, whose answers are spread over connections among those who ask.
    Dpar(Dpar),
    /// A network on rows that were spread over connections first.
    LdpGe(Embedding),
}

impl ModelMethod {
    /// What it is called on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Dpar(system) => system.method.name(),
            Self::LdpGe(_) => "ldp-ge",
        }
    }
}

impl Classifier {
    /// What the file beside the network says.
    pub fn about(
        project: &str,
        method: ModelMethod,
        classes: &[String],
        preprocessing: PeopleTable,
    ) -> AboutModel {
        let file = "-".into();
        let preprocessing = PeopleTable { file, table: None, ..preprocessing };
        AboutModel {
            format: FORMAT,
            project: project.into(),
            method,
            classes: classes.to_vec(),
            preprocessing,
        }
    }

    /// The probability of every class for everybody: rows as the preprocessing makes them, and who of them is connected to
    /// whom, if anybody knows.
    ///
    /// # Errors
    /// If rows have another length than those it was trained on.
    pub fn probabilities(&self, rows: DenseMatrix, graph: Option<&Graph>) -> Result<DenseMatrix> {
        let wanted = self.network.config().inputs;
        let wanted = self.encoder.as_ref().map_or(wanted, |encoder| encoder.config().inputs);
        if rows.columns() != wanted {
            return Err(Error::invalid("columns of a row", rows.columns(), wanted));
        }
        let mut scores = match &self.about.method {
            ModelMethod::Dpar(system) => self.spread_answers(system, rows, graph)?,
            ModelMethod::LdpGe(embedding) => {
                let nobody = Graph::empty(rows.rows(), Direction::Undirected)?;
                let rows = crate::graph::FeatureMatrix::Dense(rows);
                let rows = embedding.run(graph.unwrap_or(&nobody), &rows, 0)?;
                own_scores(&self.network, &rows)
            }
        };
        (0..scores.rows()).for_each(|row| softmax(scores.row_mut(row)));
        Ok(scores)
    }

    /// Who can be classified: people with the declared columns.
    ///
    /// # Errors
    /// If the model's file was edited into something that makes no sense.
    pub fn people(&self) -> Result<People> {
        People::new(&self.about.preprocessing).map_err(|mistake| Error::Mistake {
            place: "model.json".into(),
            reason: mistake.to_string(),
        })
    }

    /// The most likely class of everybody, by their own rows.
    ///
    /// # Errors
    /// If rows have another length than those it was trained on.
    pub fn classes(&self, rows: DenseMatrix) -> Result<Vec<u32>> {
        let all = self.probabilities(rows, None)?;
        Ok((0..all.rows()).map(|row| dpar::infer::highest(all.row(row))).collect())
    }

    fn spread_answers(
        &self,
        system: &Dpar,
        mut rows: DenseMatrix,
        graph: Option<&Graph>,
    ) -> Result<DenseMatrix> {
        (0..rows.rows()).for_each(|row| dpar::people::to_unit(rows.row_mut(row)));
        let plain = !matches!(system.method, DparMethod::Gap | DparMethod::Sage);
        let Some(graph) = graph.filter(|graph| graph.edge_count() > 0) else {
            if plain {
                return Ok(own_scores(&self.network, &rows));
            }
            let nobody = Graph::empty(rows.rows(), Direction::Undirected)?;
            return self.about_visitors(system, rows, nobody);
        };
        let graph = graph.to_undirected()?;
        let scores = self.about_visitors(system, rows, graph.clone())?;
        match plain && system.method != DparMethod::Features {
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
        let classes = vec![dpar::UNKNOWN; rows.rows()];
        let visitors = Visitors { graph, features: Features::dense(rows), classes };
        let (model, encoder) = (self.network.clone(), self.encoder.clone());
        let trained = dpar::Trained { model, encoder, predicted: Vec::new(), most_shared: 1 };
        system.scores(&trained, &visitors)
    }

    /// How answers are spread over connections of those who ask, if they are.
    pub fn inference(&self) -> Option<Inference> {
        match &self.about.method {
            ModelMethod::Dpar(system) => Some(system.settings.inference),
            ModelMethod::LdpGe(_) => None,
        }
    }
}

fn own_scores(network: &Mlp, rows: &DenseMatrix) -> DenseMatrix {
    let all: Vec<u32> = (0..rows.rows() as u32).collect();
    network.scores(Rows::from(rows), &all)
}

fn softmax(scores: &mut [f32]) {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    scores.iter_mut().for_each(|score| *score = (*score - largest).exp());
    let sum: f32 = scores.iter().sum();
    scores.iter_mut().for_each(|score| *score /= sum);
}

impl Stored for Classifier {
    fn write(&self, folder: &Path) -> Result<()> {
        self.network.save(&folder.join("model.safetensors"))?;
        if let Some(encoder) = &self.encoder {
            encoder.save(&folder.join("encoder.safetensors"))?;
        }
        let path = folder.join("model.json");
        let text =
            serde_json::to_vec_pretty(&self.about).map_err(|error| Error::file(&path, error))?;
        std::fs::write(&path, text).map_err(|error| Error::file(&path, error))?;
        if !self.answers.is_empty() {
            let path = folder.join(ANSWERS);
            let text =
                serde_json::to_vec(&self.answers).map_err(|error| Error::file(&path, error))?;
            std::fs::write(&path, text).map_err(|error| Error::file(&path, error))?;
        }
        let path = folder.join("README.md");
        std::fs::write(&path, self.readme()).map_err(|error| Error::file(&path, error))
    }

    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join("model.json");
        let text = std::fs::read(&path).map_err(|error| Error::file(&path, error))?;
        let about: AboutModel = serde_json::from_slice(&text).map_err(|error| {
            Error::file(&path, format!("not a model of `privet train`: {error}"))
        })?;
        if about.format != FORMAT {
            return Err(Error::file(
                &path,
                format!("format {}, but this is for format {FORMAT}", about.format),
            ));
        }
        let (encoder, answers) = (folder.join("encoder.safetensors"), folder.join(ANSWERS));
        let answers = match std::fs::read(&answers) {
            Ok(text) => {
                serde_json::from_slice(&text).map_err(|error| Error::file(&answers, error))?
            }
            Err(_) => Vec::new(),
        };
        Ok(Self {
            answers,
            network: Mlp::load(&folder.join("model.safetensors"))?,
            encoder: encoder.exists().then(|| Mlp::load(&encoder)).transpose()?,
            about,
        })
    }
}

impl Classifier {
    fn readme(&self) -> String {
        let AboutModel { project, method, classes, preprocessing, .. } = &self.about;
        let (columns, classes) = (preprocessing.columns.iter().count(), classes.join(", "));
        let method = method.name();
        format!(
            "# A private classifier\n\n\
             Trained by `privet train` on the people of the project \"{project}\", by the method `{method}`.\n\
             It tells these classes apart: {classes}.\n\n\
             | file | what it is |\n|---|---|\n\
             | `model.safetensors` | the network, for records of {columns} columns |\n\
             | `model.json` | method, classes, and how a record becomes a row; all of it declared in public |\n\
             | `card.json` | what was promised to the people it was trained on: `privet verify card.json --explain` |\n\n\
             Use it: `privet predict . new-people.csv -o predictions.csv`. Predictions about new people show *their* records to\n\
             whoever sees the predictions; the card is about those it was trained on.\n"
        )
    }
}
