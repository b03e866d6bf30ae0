//! A GCN on a published graph: everything after the release is post-processing.

use std::path::Path;

use privet::cardfile::issue_for_folder;
use privet::data::formats::write::{Overwrite, write};
use privet::graph::{Dataset, DenseMatrix, Error, FeatureMatrix, LoadedData, Split};
use privet::hetero_rr::GcnLearner;
use privet::learn::models::ItemRows;
use privet::learn::models::gcn::Gcn;
use privet::learn::train::Watch;
use privet::privacy::Card;
use privet::{Result, data};

/// A classifier of the nodes of a published graph.
pub(crate) struct Learned {
    /// What was published.
    pub(crate) data: Dataset,
    /// The classifier.
    model: Gcn,
    /// Its scores for every node.
    pub(crate) scores: DenseMatrix,
    /// The class it predicts for every node.
    pub(crate) predicted: Vec<u32>,
    /// What was promised.
    pub(crate) card: Card,
}

const DATA: &str = "published.npz";
const MODEL: &str = "model.safetensors";

impl Learned {
    /// What a classifier that is there says.
    pub(crate) fn new(data: Dataset, model: Gcn, card: Card) -> Result<Self> {
        let scores = model.scores(&model.input(data.graph(), rows(&data)?)?)?;
        let better =
            |row: &[f32], best: usize, at: usize| if row[at] > row[best] { at } else { best };
        let highest = |row: &[f32]| (1..row.len()).fold(0, |best, at| better(row, best, at)) as u32;
        let predicted = (0..scores.rows()).map(|row| highest(scores.row(row))).collect();
        Ok(Self { data, model, scores, predicted, card })
    }

    /// Learns the classes of a published graph.
    pub(crate) fn train(
        data: Dataset,
        card: Card,
        split: &Split,
        seed: u64,
        watch: &dyn Watch,
    ) -> Result<Self> {
        let labels = data.labels().ok_or_else(|| {
            Error::invalid("labels", "none", "one class for each node to learn from")
        })?;
        let (learner, rows) = (GcnLearner::default(), rows(&data)?);
        let model = learner.train(data.graph(), rows, labels, split, seed, watch)?;
        Self::new(data, model, card)
    }

    pub(crate) fn save(&self, folder: &Path) -> Result<Card> {
        std::fs::create_dir_all(folder).map_err(|error| privet::Error::file(folder, error))?;
        write(&LoadedData::Nodes(self.data.clone()), &folder.join(DATA), None, Overwrite::Refuse)?;
        self.model.save(&folder.join(MODEL))?;
        issue_for_folder(folder, self.card.clone(), None)
    }

    pub(crate) fn load(folder: &Path) -> Result<Self> {
        let card = folder.join(privet::cardfile::OF_FOLDER);
        let read = |folder: &Path| -> Result<(Dataset, Gcn)> {
            let data = data::read(folder.join(DATA))?.into_nodes()?;
            Ok((data, Gcn::load(&folder.join(MODEL))?))
        };
        let ((data, model), card) = privet::Protected::restored(folder, &card, read)?.into_parts();
        Self::new(data, model, card)
    }
}

fn rows(data: &Dataset) -> Result<ItemRows<'_>> {
    let none = || Error::invalid("features", "none", "a row for each node: a GCN learns from them");
    let features: &FeatureMatrix = data.features().ok_or_else(none)?.matrix();
    Ok(features.into())
}
