//! [`AttributeRows`]: the numeric attributes of nodes, on their way to features.

use crate::formats::Limits;
use crate::formats::assemble::at;
use crate::formats::feature_rows::compress;
use crate::formats::manifest::{FeatureManifest, Storage};
use crate::{
    DenseMatrix, FeatureMatrix, Features, FoundValue, LimitExceeded, NodeId, NodeIds, Notice,
    Result, SourceLocation,
};

/// A numeric attribute.
#[derive(Debug)]
pub(super) struct NumericAttribute {
    pub name: String,
    pub default: Option<f32>,
}

/// The values that were given, in the order of the file.
#[derive(Debug)]
pub(crate) struct AttributeRows {
    place: SourceLocation,
    limits: Limits,
    columns: Vec<NumericAttribute>,
    given: Vec<usize>,
    entries: Vec<(NodeId, u32, f32)>,
}

impl AttributeRows {
    pub(super) fn new(place: SourceLocation, limits: Limits) -> Self {
        Self { place, limits, columns: Vec::new(), given: Vec::new(), entries: Vec::new() }
    }

    pub(super) fn set_columns(&mut self, columns: Vec<NumericAttribute>) {
        self.given = vec![0; columns.len()];
        self.columns = columns;
    }

    pub(super) fn has_columns(&self) -> bool {
        !self.columns.is_empty()
    }

    pub(super) fn push(&mut self, node: NodeId, column: u32, value: f32) {
        // How often a column occurs, to tell missing values below.
        self.given[column as usize] += 1;
        self.entries.push((node, column, value));
    }

    pub(crate) fn renumber(&mut self, new: &[NodeId]) {
        self.entries.iter_mut().for_each(|(node, ..)| *node = new[*node as usize]);
    }

    /// Says which columns some nodes have no value in.
    pub(super) fn missing(&self, nodes: usize) -> Option<Notice> {
        let lacks = |(column, &given): (&NumericAttribute, &usize)| {
            let missing = nodes.saturating_sub(given);
            let counts = missing > 0 && column.default.is_none();
            counts.then(|| format!("{} ({missing})", column.name))
        };
        let lacking: Vec<_> = self.columns.iter().zip(&self.given).filter_map(lacks).collect();
        let text = format!("nodes without a value got 0 in: {}", lacking.join(", "));
        (!lacking.is_empty()).then(|| Notice::new(&self.place, text))
    }

    /// The features of all nodes.
    pub fn finish(mut self, ids: &NodeIds, manifest: Option<&FeatureManifest>) -> Result<Features> {
        if let Some(declared) = manifest.filter(|m| m.columns != self.columns.len()) {
            let found = FoundValue::words(format!("{} keys of features", self.columns.len()));
            let expected = format!("{}, as the manifest says", declared.columns);
            return Err(self.place.malformed(found, expected));
        }
        let matrix = match manifest.map(|manifest| manifest.storage) {
            Some(Storage::Sparse) => {
                let entries = std::mem::take(&mut self.entries);
                compress(ids, self.columns.len(), entries, &self.place)?
            }
            _ => self.dense(ids)?,
        };
        match manifest {
            Some(manifest) => manifest.describe(matrix, &self.place),
            None => {
                let names = self.columns.iter().map(|column| column.name.clone()).collect();
                Features::new(matrix).with_names(names).map_err(at(&self.place))
            }
        }
    }

    fn dense(&mut self, ids: &NodeIds) -> Result<FeatureMatrix> {
        let columns = self.columns.len();
        let cells = self.check_size(ids.len())?;
        let defaults: Vec<f32> =
            self.columns.iter().map(|column| column.default.unwrap_or(0.0)).collect();
        let mut values = Vec::with_capacity(cells);
        // Defaults first, then what nodes state.
        (0..ids.len()).for_each(|_| values.extend_from_slice(&defaults));
        // A second value of one node is a mistake, not an update.
        self.entries.sort_by_key(|&(node, column, _)| (node, column));
        for pair in self.entries.windows(2) {
            let [(node, column, _), (next_node, next_column, _)] = [pair[0], pair[1]];
            if (node, column) == (next_node, next_column) {
                let name = &self.columns[column as usize].name;
                let found = format!("two values of '{name}' for node '{}'", ids.get(node));
                return Err(self.place.malformed(found, "one"));
            }
        }
        for &(node, column, value) in &self.entries {
            values[node as usize * columns + column as usize] = value;
        }
        let matrix = DenseMatrix::new(ids.len(), columns, values).map_err(at(&self.place))?;
        Ok(FeatureMatrix::Dense(matrix))
    }

    /// Many keys and many nodes make a large matrix even where no value is given, so its size is
    /// held against the number of values that are.
    fn check_size(&self, rows: usize) -> Result<usize> {
        let cells = rows.saturating_mul(self.columns.len());
        // Every cell that was not stated is expansion: bounded like that of compressed files.
        let allowed = (self.entries.len() as u64).saturating_mul(self.limits.expansion_ratio);
        if (cells as u64).saturating_mul(4) > allowed.saturating_mul(4).max(Limits::RATIO_FROM) {
            let over = LimitExceeded {
                what: format!("{cells} features from {} values", self.entries.len()),
                limit: format!("{} times", self.limits.expansion_ratio),
                option: "--max-expansion-ratio",
            };
            return Err(over.at(&self.place));
        }
        Ok(cells)
    }
}
