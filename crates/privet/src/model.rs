//! [`Model`]: what `privet train` writes, and what is needed to use it on new people. Nothing in it is private but
//! through the release that made it, so it may be copied wherever its card goes.
//!
//! | a model of | answers about | read more |
//! |---|---|---|
//! | people | the class of a person, by their record and, if known, their connections | [`classifier`], [`predict`] |
//! | pairs | how likely two people are connected | [`pairs`] |
//! | graphs | the class of a whole graph, whose people send randomised lists of contacts | [`graphs`] |
//!
//! ```text
//! model.json           what it is: method, classes, and how a record becomes a row; all of it declared in public
//! model.safetensors    the network
//! card.json            what was promised to the people it was trained on
//! README.md            the same for people
//! ```
//! [`question`] is what a model is asked about, in files; [`newcomers`] are people who joined after training; [`interval`] says how good answers are, and how sure
//! that is.

pub(crate) mod answers;
pub mod classifier;
pub mod graphs;
pub mod interval;
pub mod newcomers;
pub mod pairs;
pub mod predict;
pub mod question;

use std::path::Path;

pub use answers::{AnswerFormat, softmax};
pub use classifier::{AboutClassifier, Classifier, ClassifierRule};
pub use graphs::{AboutGraphs, GraphModel};
pub use newcomers::Newcomers;
pub use pairs::{AboutLinks, LinkModel};
use serde::{Deserialize, Serialize};

use crate::saved::StoredValue;
use crate::saved::write_json;
use crate::{Error, Result};

/// Something that was trained, with everything that is needed to use it.
#[derive(Debug, Clone)]
pub enum Model {
    /// It classifies people.
    People(Classifier),
    /// It scores pairs of people.
    Pairs(LinkModel),
    /// It classifies graphs.
    Graphs(GraphModel),
}

/// What `model.json` says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    /// The version of the file.
    format: u32,
    /// What the model is.
    model: ModelAbout,
}

/// The same of a file of any version.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ModelAbout {
    People(AboutClassifier),
    Pairs(AboutLinks),
    Graphs(AboutGraphs),
}

/// The version of `model.json`.
pub const FORMAT: u32 = 2;
const ABOUT: &str = "model.json";
const NETWORK: &str = "model.safetensors";

impl Model {
    /// What trained it, as the command line calls it.
    pub fn method(&self) -> &'static str {
        match self {
            Self::People(model) => model.about.method.method().name(),
            Self::Pairs(_) => "ldp-ge-links",
            Self::Graphs(_) => "dprr",
        }
    }

    /// The classifier of people, if it is one.
    ///
    /// # Errors
    /// If it is about something else.
    pub fn into_classifier(self) -> Result<Classifier> {
        match self {
            Self::People(model) => Ok(model),
            other => {
                Err(Error::invalid("model", format!("one by {}", other.method()), "one of people"))
            }
        }
    }

    /// Its words for people, in Markdown.
    fn readme(&self) -> String {
        let (method, [project, what, how]) = match self {
            Self::People(model) => (self.method(), model.words()),
            Self::Pairs(model) => (self.method(), model.words()),
            Self::Graphs(model) => (self.method(), model.words()),
        };
        format!(
            "# A private model\n\n\
             Trained by `privet train` on the people of the project \"{project}\", by the method `{method}`.\n{what}\n\n\
             | file | what it is |\n|---|---|\n\
             | `model.safetensors` | the network |\n\
             | `model.json` | method, classes, and how a record becomes a row; all of it declared in public |\n\
             | `card.json` | what was promised to the people it was trained on: `privet verify card.json --explain` |\n\n\
             {how}\n"
        )
    }
}

impl StoredValue for Model {
    fn write(&self, folder: &Path) -> Result<()> {
        let model = match self {
            Self::People(model) => {
                model.write_parts(folder)?;
                ModelAbout::People(model.about.clone())
            }
            Self::Pairs(model) => {
                model.write_parts(folder)?;
                ModelAbout::Pairs(model.about.clone())
            }
            Self::Graphs(model) => {
                model.write_parts(folder)?;
                ModelAbout::Graphs(model.about.clone())
            }
        };
        let path = folder.join("README.md");
        std::fs::write(&path, self.readme()).map_err(|error| Error::file(&path, error))?;
        write_json(&folder.join(ABOUT), &ModelFile { format: FORMAT, model })
    }

    fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(ABOUT);
        let text = std::fs::read(&path).map_err(|error| Error::file(&path, error))?;
        let none = |error| Error::file(&path, format!("not a model of `privet train`: {error}"));
        let Version { format } = serde_json::from_slice(&text).map_err(none)?;
        if format != FORMAT {
            let reason = format!("format {format}, but this is for format {FORMAT}");
            return Err(Error::file(&path, reason));
        }
        // From the text once more: columns have an order, which a `Value` would not keep.
        let ModelFile { model, .. } = serde_json::from_slice(&text).map_err(none)?;
        Ok(match model {
            ModelAbout::People(about) => Self::People(Classifier::read_parts(about, folder)?),
            ModelAbout::Pairs(about) => Self::Pairs(LinkModel::read_parts(about, folder)?),
            ModelAbout::Graphs(about) => Self::Graphs(GraphModel::read_parts(about, folder)?),
        })
    }
}
