//! [`Assembly`]: tables of nodes, edges and features, by the users' ids, put together as a
//! [`Dataset`]. What the CSV, Parquet and Arrow readers share.

use super::feature_rows::FeatureRows;
use super::label_cells::LabelCells;
use super::manifest::Manifest;
use super::pair_store::PairStore;
use super::{ReadOptions, graph_lists};
use crate::formats::manifest::with_fact_lines;
use crate::{
    Dataset, Direction, Error, FactOrigin, Id, IdInterner, NodeId, NodeIds, Notice, Result,
    SourceLocation,
};

/// Gives an error about a value the place where that value stands.
pub(crate) fn at(place: &SourceLocation) -> impl Fn(Error) -> Error + '_ {
    move |error| error.at(place)
}

/// Where nodes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NodeSource {
    /// From wherever an id is met first.
    Met,
    /// From a table of nodes, and nowhere else.
    Listed,
}

/// What has been read so far.
#[derive(Debug)]
pub(crate) struct Assembly {
    nodes: NodeSource,
    /// The table of nodes, if no name showed which of its columns holds the ids.
    guessed_ids: Option<SourceLocation>,
    ids: IdInterner,
    pairs: PairStore,
    pub labels: Option<LabelCells>,
    pub features: Option<FeatureRows>,
    pub notices: Vec<Notice>,
}

impl Assembly {
    pub fn new(options: &ReadOptions) -> Self {
        Self {
            nodes: NodeSource::Met,
            guessed_ids: None,
            ids: IdInterner::default(),
            pairs: PairStore::new(options),
            labels: None,
            features: None,
            notices: Vec::new(),
        }
    }

    /// From now on an id that no [`Assembly::list_node`] gave is an error.
    pub fn expect_listed_nodes(&mut self) {
        self.nodes = NodeSource::Listed;
    }

    /// Ids of nodes are taken from the first column of a table, because no name tells where they are.
    pub fn guess_ids(&mut self, place: &SourceLocation) {
        self.guessed_ids = Some(place.clone());
    }

    /// A row of the table of nodes; `place` is asked for only if the id repeats.
    pub fn list_node(&mut self, id: Id<'_>, place: impl Fn() -> SourceLocation) -> Result<()> {
        let before = self.ids.len();
        self.ids.intern_id(id);
        if self.ids.len() == before {
            return Err(place().malformed(format!("'{id}' a second time"), "each id once"));
        }
        Ok(())
    }

    /// The node called `id`.
    pub fn node(&mut self, id: Id<'_>, place: impl Fn() -> SourceLocation) -> Result<NodeId> {
        let before = self.ids.len();
        let node = self.ids.intern_id(id);
        if self.nodes == NodeSource::Listed && self.ids.len() > before {
            if let Some(nodes) = &self.guessed_ids {
                // The mistake is more likely there than in the edges.
                let found = "no column called id, and in the first column not the ids of the edges";
                return Err(nodes.malformed(found, "a column called id"));
            }
            return Err(place().malformed(format!("'{id}'"), "an id in the table of nodes"));
        }
        Ok(node)
    }

    /// The node called `id`, if it has been met.
    pub fn known_node(&self, id: Id<'_>) -> Option<NodeId> {
        self.ids.node(id)
    }

    pub fn node_count(&self) -> usize {
        self.ids.len()
    }

    pub fn push_edge(&mut self, source: NodeId, target: NodeId) {
        self.pairs.push([source, target]);
    }

    /// Adds what the user should know.
    pub fn note(&mut self, place: &SourceLocation, text: impl Into<String>) {
        self.notices.push(Notice::new(place, text));
    }

    /// Ids from a table of nodes keep its order. Others come from edges, and the order of edges must not
    /// show in the order of nodes: they are sorted.
    fn number_nodes(&mut self, place: &SourceLocation) -> Result<(NodeIds, FactOrigin)> {
        let ids = std::mem::take(&mut self.ids);
        if self.nodes == NodeSource::Listed {
            return Ok((ids.finish().map_err(at(place))?, FactOrigin::Stated));
        }
        // Sorted, so that the numbers of nodes do not tell in which order edges stood in the file.
        let (ids, new) = ids.finish_sorted().map_err(at(place))?;
        self.pairs.for_each_mut(|node| *node = new[*node as usize]);
        if let Some(features) = &mut self.features {
            features.renumber(&new);
        }
        Ok((ids, FactOrigin::ReadOff))
    }

    /// The dataset. `place` is the whole file or folder; what the manifest does not say is as the
    /// tables show.
    pub fn finish(
        mut self,
        place: &SourceLocation,
        manifest: Option<&Manifest>,
        options: &ReadOptions,
    ) -> Result<Dataset> {
        let (ids, origin) = self.number_nodes(place)?;
        let stated = manifest.and_then(|manifest| manifest.direction);
        // Most published lists are undirected; those that are not say so in a manifest or an option.
        let direction = stated.unwrap_or(Direction::Undirected);
        let (graph, folded) =
            graph_lists::build_one(place, ids.len(), direction, self.pairs, options)?;
        self.notices.extend(folded);
        let name = manifest.and_then(|manifest| manifest.name.clone());
        let name = name.unwrap_or_else(|| stem(place.file_name()));
        let split = match manifest {
            Some(manifest) => manifest.split(&ids, place)?,
            None => None,
        };
        let features = self.features.map(|rows| {
            rows.finish(&ids, manifest.and_then(|manifest| manifest.features.as_ref()))
        });
        let mut dataset = Dataset::new(name, graph, ids)?.with_ids_origin(origin);
        dataset = dataset.with_notices(self.notices);
        if let Some(features) = features {
            dataset = dataset.with_features(features?).map_err(at(place))?;
        }
        if let Some(cells) = self.labels {
            let labels = cells.finish(manifest.and_then(|manifest| manifest.labels.as_ref()))?;
            dataset = dataset.with_labels(labels).map_err(at(place))?;
        }
        if let Some(split) = split {
            dataset = dataset.with_split(split).map_err(at(place))?;
        }
        match manifest {
            Some(manifest) => with_fact_lines(dataset, &manifest.facts, place),
            None => Ok(dataset),
        }
    }
}

/// `data/people.csv` is called `people`.
pub(crate) fn stem(path: &str) -> String {
    let name = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path);
    match name.split_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems() {
        let cases = ["a/people.csv.gz", "a/people/", "people", ".hidden"];
        assert_eq!(cases.map(stem), ["people", "people", "people", ".hidden"]);
    }

    #[test]
    fn listed_nodes_are_all_there_is() {
        let mut assembly = Assembly::new(&ReadOptions::default());
        let place = || SourceLocation::file("edges.csv").line(4);
        assert_eq!(assembly.node(Id::Text("a"), place).unwrap(), 0);
        assembly.expect_listed_nodes();
        assert_eq!(assembly.node(Id::Text("a"), place).unwrap(), 0);
        let message = assembly.node(Id::Text("b"), place).unwrap_err().with_values();
        assert_eq!(message, "edges.csv, line 4: found 'b'; expected an id in the table of nodes");
    }
}
