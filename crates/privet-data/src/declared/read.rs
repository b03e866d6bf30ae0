//! [`Schema::read`]: the tables as one [`Dataset`].

use std::path::Path;

use super::people::{PeopleBatches, PeopleReader};
use super::schema::Schema;
use crate::formats::Limits;
use crate::formats::limits::many_nodes;
use crate::{
    Dataset, DenseMatrix, Direction, FeatureMatrix, Features, GraphBuilder, IdInterner, Labels,
    NodeId, NodeIds, Result,
};

/// How many people are encoded at a time.
const BATCH: usize = 4096;

impl Schema {
    /// Reads all tables; files are relative to `base`. Nodes are sorted by id, so that the order of the rows
    /// does not matter, and stated: the table lists all people.
    ///
    /// # Errors
    /// If the declaration makes no sense ([`Schema::check`] tells more), a file cannot be read, a cell does
    /// not fit, or an id comes twice. The content of a cell stays hidden.
    pub fn read(&self, base: impl AsRef<Path>, limits: &Limits) -> Result<Dataset> {
        self.check()?;
        let base = base.as_ref();
        let people = PeopleReader::new(&self.people)?;
        let path = base.join(&self.people.file);
        let all = AllPeople::read(people.open(&path, BATCH, limits, false)?, limits)?;
        let direction = match self.edges.iter().any(|table| table.directed) {
            true => Direction::Directed,
            false => Direction::Undirected,
        };
        let mut pairs = Vec::new();
        for table in &self.edges {
            let found = table.read_pairs(base, &all.interner, limits)?;
            if direction == Direction::Directed && !table.directed {
                pairs.extend(found.iter().map(|&[source, target]| [target, source]));
            }
            pairs.extend(found);
        }
        let SortedPeople { ids, new, features, labels } = all.sorted(&people)?;
        pairs.as_flattened_mut().iter_mut().for_each(|node| *node = new[*node as usize]);
        let (graph, _) = GraphBuilder::from_pairs(ids.len(), direction, pairs).build()?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut data = Dataset::new(name, graph, ids)?;
        if let Some(features) = features {
            data = data.with_features(features)?;
        }
        if let Some(labels) = labels {
            data = data.with_labels(labels)?;
        }
        Ok(data)
    }
}

/// All people in the order of the table.
pub(super) struct AllPeople {
    interner: IdInterner,
    values: Vec<f32>,
    labels: Option<Vec<Option<u32>>>,
    label_lists: Option<Vec<Vec<u32>>>,
}

/// All people sorted by id.
pub(super) struct SortedPeople {
    pub ids: NodeIds,
    /// The new node of each old one.
    new: Vec<NodeId>,
    features: Option<Features>,
    pub labels: Option<Labels>,
}

impl AllPeople {
    pub fn read(mut batches: PeopleBatches<'_>, limits: &Limits) -> Result<Self> {
        let mut all = Self {
            interner: IdInterner::default(),
            values: Vec::new(),
            labels: None,
            label_lists: None,
        };
        let mut people = 0;
        while let Some(batch) = batches.next().transpose()? {
            for &number in &batch.numbers {
                if people >= limits.nodes {
                    return Err(many_nodes(limits.nodes).at(&batches.id_place(number)));
                }
                people += 1;
            }
            all.values.extend_from_slice(batch.rows.values());
            if let Some(labels) = batch.labels {
                all.labels.get_or_insert_default().extend(labels);
            }
            if let Some(lists) = batch.label_lists {
                all.label_lists.get_or_insert_default().extend(lists);
            }
        }
        all.interner = batches.into_ids();
        Ok(all)
    }

    pub fn sorted(self, people: &PeopleReader) -> Result<SortedPeople> {
        let Self { interner, values, labels, label_lists } = self;
        let (ids, new) = interner.finish_sorted()?;
        let encoder = people.encoder();
        let width = encoder.width();
        let features = match width {
            0 => None,
            _ => {
                let mut matrix = DenseMatrix::zeros(new.len(), width);
                for (row, &node) in values.chunks_exact(width).zip(&new) {
                    matrix.row_mut(node as usize).copy_from_slice(row);
                }
                let features = Features::new(FeatureMatrix::Dense(matrix));
                Some(features.with_bounds(encoder.bounds()?)?.with_names(encoder.columns())?)
            }
        };
        drop(values);
        let names = || people.classes().to_vec();
        let labels = match (people.classes().is_empty(), people.is_multi_label()) {
            (true, _) => None,
            (false, false) => Some(Labels::single(moved(labels, &new), names())?),
            (false, true) => Some(Labels::multi(moved(label_lists, &new), names())?),
        };
        Ok(SortedPeople { ids, new, features, labels })
    }
}

/// What belonged to the old nodes, in the order of the new.
fn moved<T: Default + Clone>(values: Option<Vec<T>>, new: &[NodeId]) -> Vec<T> {
    let mut moved = vec![T::default(); new.len()];
    for (value, &node) in values.into_iter().flatten().zip(new) {
        moved[node as usize] = value;
    }
    moved
}

#[cfg(test)]
mod tests;
