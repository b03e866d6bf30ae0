//! [`KnownLinks`]: public links as a part of a link predictor, so that what is released is what was measured.

use std::path::Path;

use super::Linker;
use super::pair_evidence::{PairEvidence, PairModel, all_pairs};
use crate::data::formats::write::{self, Overwrite};
use crate::graph::{Dataset, Graph, LinkSplit, LoadedData, NodeId, NodeIds};
use crate::learn::train::Watch;
use crate::saved::{read_json, write_json};
use crate::{Error, Result, data};

/// Public links, and how they are weighed against the scores of embeddings.
#[derive(Debug, Clone)]
pub struct KnownLinks {
    /// The links.
    pub graph: Graph,
    /// The weights.
    pub model: PairModel,
}

/// The files of [`KnownLinks`] in a folder.
const LINKS: &str = "links.npz";
const WEIGHTS: &str = "links.json";

impl KnownLinks {
    /// From fewer validation links no weights are learned.
    pub const FEWEST: usize = 20;

    /// How a predictor's scores are to be weighed against what the links of a split say, learned from its validation
    /// links, which are not among them: post-processing. `None` where there are too few.
    ///
    /// # Errors
    /// If training diverges, or the run is interrupted.
    pub fn learn(linker: &Linker, links: &LinkSplit, watch: &dyn Watch) -> Result<Option<Self>> {
        if links.validation.edges.len() < Self::FEWEST {
            return Ok(None);
        }
        let pairs = all_pairs(&links.validation);
        let scores = linker.scorer.scores((&linker.embedding).into(), &pairs);
        let rows = PairEvidence::new(&links.graph)?.rows(&pairs, Some(&scores));
        let model = PairModel::fit(&rows, links.validation.edges.len(), watch)?;
        Ok(Some(Self { graph: links.graph.clone(), model }))
    }

    /// Writes `links.npz`, the links, and `links.json`, the weights, into a folder.
    ///
    /// # Errors
    /// If a file is there already, or cannot be written.
    pub fn save(&self, folder: &Path) -> Result<()> {
        let ids = NodeIds::sequential(self.graph.node_count());
        let links = Dataset::new("links", self.graph.clone(), ids)?;
        write::write(&LoadedData::Nodes(links), &folder.join(LINKS), None, Overwrite::Refuse)?;
        write_json(&folder.join(WEIGHTS), &self.model)
    }

    /// Reads what [`KnownLinks::save`] wrote about so many people; `None` if there is nothing.
    ///
    /// # Errors
    /// If a file cannot be read, or is about others.
    pub fn load(folder: &Path, people: usize) -> Result<Option<Self>> {
        let Some(model) = read_json::<PairModel>(&folder.join(WEIGHTS))? else { return Ok(None) };
        if !model.is_whole() {
            let found = "another number of weights";
            return Err(Error::invalid("links.json", found, PairModel::COLUMNS));
        }
        let graph = data::read(folder.join(LINKS))?.into_nodes()?.graph().clone();
        match graph.node_count() == people {
            true => Ok(Some(Self { graph, model })),
            false => Err(Error::invalid("people of links.npz", graph.node_count(), people)),
        }
    }

    /// Scores of pairs by embeddings, weighed against what the links say.
    ///
    /// # Errors
    /// Never in practice: the nodes are already in a graph.
    pub fn weigh(&self, pairs: &[(NodeId, NodeId)], scores: &[f32]) -> Result<Vec<f32>> {
        Ok(self.model.scores(&PairEvidence::new(&self.graph)?.rows(pairs, Some(scores))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::BarabasiAlbert;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn a_folder_gives_back_what_was_saved_and_nothing_about_others() {
        let graph = BarabasiAlbert { nodes: 120, edges_per_node: 3 }.generate(1).unwrap();
        let links = LinkSplit::random(graph.graph(), 0.3, 0.1, 1).unwrap();
        let pairs = all_pairs(&links.validation);
        let scores: Vec<f32> = (0..pairs.len()).map(|at| (at % 7) as f32).collect();
        let rows = PairEvidence::new(&links.graph).unwrap().rows(&pairs, Some(&scores));
        let stop = AtomicBool::new(false);
        let model = PairModel::fit(&rows, links.validation.edges.len(), &stop).unwrap();
        let known = KnownLinks { graph: links.graph.clone(), model };
        let folder = tempfile::tempdir().unwrap();
        assert!(KnownLinks::load(folder.path(), 120).unwrap().is_none());
        known.save(folder.path()).unwrap();
        let read = KnownLinks::load(folder.path(), 120).unwrap().unwrap();
        assert_eq!(read.weigh(&pairs, &scores).unwrap(), known.weigh(&pairs, &scores).unwrap());
        assert_eq!((&read.graph, &read.model), (&known.graph, &known.model));
        let error = KnownLinks::load(folder.path(), 121).unwrap_err().to_string();
        assert!(error.contains("links.npz"), "{error}");
        std::fs::write(
            folder.path().join(WEIGHTS),
            r#"{"mean":[],"deviation":[],"weights":[],"bias":0}"#,
        )
        .unwrap();
        let error = KnownLinks::load(folder.path(), 120).unwrap_err().to_string();
        assert!(error.contains("links.json"), "{error}");
    }
}
