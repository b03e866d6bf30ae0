//! [`FeatureRows`]: a table of features, wide or long, on its way to [`Features`].

use super::assemble::at;
use super::manifest::FeatureManifest;
use crate::{
    DenseMatrix, FactOrigin, FeatureMatrix, Features, Id, IdInterner, NodeId, NodeIds, Result,
    SourceLocation, SparseBuilder,
};

/// Rows in the order of the file, whose nodes may come in any order.
#[derive(Debug)]
pub(crate) enum FeatureRows {
    Wide(WideRows),
    Long(LongRows),
    Xml(super::graphml::AttributeRows),
}

/// One row per node, a value for every column.
#[derive(Debug)]
pub(crate) struct WideRows {
    place: SourceLocation,
    names: Option<Vec<String>>,
    columns: usize,
    nodes: Vec<NodeId>,
    values: Vec<f32>,
}

/// One row per value other than zero: node, column, value.
#[derive(Debug)]
pub(crate) struct LongRows {
    place: SourceLocation,
    columns: IdInterner,
    entries: Vec<(NodeId, u32, f32)>,
}

impl FeatureRows {
    /// Calls the nodes by other numbers.
    pub fn renumber(&mut self, new: &[NodeId]) {
        let moved = |node: &mut NodeId| *node = new[*node as usize];
        match self {
            Self::Wide(rows) => rows.nodes.iter_mut().for_each(moved),
            Self::Long(rows) => rows.entries.iter_mut().for_each(|(node, ..)| moved(node)),
            Self::Xml(rows) => rows.renumber(new),
        }
    }

    /// The features of all nodes.
    pub fn finish(self, ids: &NodeIds, manifest: Option<&FeatureManifest>) -> Result<Features> {
        match self {
            Self::Wide(rows) => rows.finish(ids, manifest),
            Self::Long(rows) => rows.finish(ids, manifest),
            Self::Xml(rows) => rows.finish(ids, manifest),
        }
    }
}

impl WideRows {
    pub fn new(place: SourceLocation, columns: usize, names: Option<Vec<String>>) -> Self {
        Self { place, names, columns, nodes: Vec::new(), values: Vec::new() }
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The next row: its node, and then as many [`WideRows::push_value`] as there are columns.
    pub fn push_node(&mut self, node: NodeId) {
        self.nodes.push(node);
    }

    pub fn push_value(&mut self, value: f32) {
        self.values.push(value);
    }

    fn finish(mut self, ids: &NodeIds, manifest: Option<&FeatureManifest>) -> Result<Features> {
        self.sort(ids)?;
        let matrix = DenseMatrix::new(ids.len(), self.columns, self.values);
        let matrix = FeatureMatrix::Dense(matrix.map_err(at(&self.place))?);
        match (manifest, self.names) {
            (Some(manifest), _) => manifest.describe(matrix, &self.place),
            (None, Some(names)) => Features::new(matrix).with_names(names).map_err(at(&self.place)),
            (None, None) => Ok(Features::new(matrix)),
        }
    }

    /// Brings the rows into the order of the nodes, and sees that each node has exactly one.
    fn sort(&mut self, ids: &NodeIds) -> Result<()> {
        let mut row_of = vec![usize::MAX; ids.len()];
        for (row, &node) in self.nodes.iter().enumerate() {
            let slot = &mut row_of[node as usize];
            if *slot != usize::MAX {
                let found = format!("two rows for node '{}'", ids.get(node));
                return Err(self.place.malformed(found, "one row per node"));
            }
            *slot = row;
        }
        if let Some(node) = row_of.iter().position(|&row| row == usize::MAX) {
            let found = format!("no row for node '{}'", ids.get(node as NodeId));
            return Err(self.place.malformed(found, "one row per node"));
        }
        if !row_of.is_sorted() {
            let row = |&row: &usize| &self.values[row * self.columns..(row + 1) * self.columns];
            self.values = row_of.iter().flat_map(row).copied().collect();
        }
        Ok(())
    }
}

impl LongRows {
    pub fn new(place: SourceLocation) -> Self {
        Self { place, columns: IdInterner::default(), entries: Vec::new() }
    }

    pub fn push(&mut self, node: NodeId, column: Id<'_>, value: f32) {
        let column = self.columns.intern_id(column);
        self.entries.push((node, column, value));
    }

    fn finish(self, ids: &NodeIds, manifest: Option<&FeatureManifest>) -> Result<Features> {
        let Self { place, columns, mut entries } = self;
        let (columns, new) = columns.finish_sorted().map_err(at(&place))?;
        entries.iter_mut().for_each(|(_, column, _)| *column = new[*column as usize]);
        let declared = manifest.map(|manifest| manifest.columns);
        let (count, names) = if columns.are_integers() {
            renumber(&columns, &mut entries, declared, &place)?
        } else if manifest.is_none() {
            (columns.len(), Some(columns.iter().map(|name| name.to_string()).collect()))
        } else {
            let found = "features by name";
            return Err(place.malformed(found, "column numbers, as the manifest has the names"));
        };
        let matrix = compress(ids, count, entries, &place)?;
        match (manifest, names) {
            (Some(manifest), _) => manifest.describe(matrix, &place),
            (None, Some(names)) => read_off(matrix).with_names(names).map_err(at(&place)),
            (None, None) => Ok(read_off(matrix)),
        }
    }
}

/// Without a manifest nothing but the records tells which columns there are.
fn read_off(matrix: FeatureMatrix) -> Features {
    Features::new(matrix).with_columns_origin(FactOrigin::ReadOff)
}

/// Columns that are called by number are those columns: there are as many as the manifest declares,
/// or else one more than the largest.
fn renumber(
    columns: &NodeIds,
    entries: &mut [(NodeId, u32, f32)],
    declared: Option<usize>,
    place: &SourceLocation,
) -> Result<(usize, Option<Vec<String>>)> {
    let mut count = declared.unwrap_or(0) as u64;
    let mut numbers = Vec::with_capacity(columns.len());
    for column in columns.iter() {
        let Id::Integer(number) = column else { continue };
        let allowed = declared.map_or(u64::from(u32::MAX), |declared| declared as u64);
        if number >= allowed.min(u32::MAX.into()) {
            let found = format!("feature {number}");
            return Err(place.malformed(found, format!("a column below {allowed}")));
        }
        count = count.max(number + 1);
        numbers.push(number as u32);
    }
    entries.iter_mut().for_each(|(_, column, _)| *column = numbers[*column as usize]);
    Ok((count as usize, None))
}

/// Sparse rows from entries in any order.
pub(crate) fn compress(
    ids: &NodeIds,
    columns: usize,
    mut entries: Vec<(NodeId, u32, f32)>,
    place: &SourceLocation,
) -> Result<FeatureMatrix> {
    if !entries.is_sorted_by_key(|&(node, column, _)| (node, column)) {
        entries.sort_unstable_by_key(|&(node, column, _)| (node, column));
    }
    let mut builder = SparseBuilder::new(columns);
    let (mut row, mut rest) = (Vec::new(), entries.into_iter().peekable());
    for node in 0..ids.len() as NodeId {
        row.clear();
        while let Some((_, column, value)) = rest.next_if(|&(owner, ..)| owner == node) {
            if row.last().is_some_and(|&(last, _)| last == column) {
                let found = format!("feature {column} of node '{}' twice", ids.get(node));
                return Err(place.malformed(found, "it once"));
            }
            row.push((column, value));
        }
        builder.push_row(&mut row).map_err(at(place))?;
    }
    Ok(FeatureMatrix::Sparse(builder.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_rows_come_in_any_order_but_all() {
        let ids = NodeIds::texts(["a", "b"]).unwrap();
        let rows = |nodes: &[NodeId]| {
            let mut rows = WideRows::new(SourceLocation::file("f"), 1, None);
            for &node in nodes {
                rows.push_node(node);
                rows.push_value(node as f32 + 0.5);
            }
            FeatureRows::Wide(rows).finish(&ids, None)
        };
        let FeatureMatrix::Dense(matrix) = rows(&[1, 0]).unwrap().matrix().clone() else {
            panic!()
        };
        assert_eq!(matrix.values(), [0.5, 1.5]);
        let told = |nodes| rows(nodes).unwrap_err().with_values();
        assert_eq!(told(&[1]), "f: found no row for node 'a'; expected one row per node");
        assert_eq!(told(&[1, 1]), "f: found two rows for node 'b'; expected one row per node");
    }

    #[test]
    fn long_rows_by_number_and_by_name() {
        let ids = NodeIds::sequential(2);
        let rows = |names: [&str; 2]| {
            let mut rows = LongRows::new(SourceLocation::file("f"));
            rows.push(1, Id::parse(names[0]), 2.0);
            rows.push(0, Id::parse(names[1]), 3.0);
            FeatureRows::Long(rows).finish(&ids, None).unwrap()
        };
        let numbered = rows(["4", "1"]);
        assert_eq!((numbered.columns(), numbered.names()), (5, None));
        assert_eq!(numbered.nonzero_entries(1).collect::<Vec<_>>(), [(4, 2.0)]);
        let named = rows(["tall", "old"]);
        assert_eq!(named.names().unwrap(), ["old", "tall"]);
        assert_eq!(named.nonzero_entries(0).collect::<Vec<_>>(), [(0, 3.0)]);
        assert_eq!(named.columns_origin(), FactOrigin::ReadOff);
    }
}
