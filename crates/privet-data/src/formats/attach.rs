//! Features and labels from files of their own, matched to nodes by id or by position.
//!
//! | file | features | labels |
//! |---|---|---|
//! | `.npy` | row i belongs to node i | value i belongs to node i; a table of 0 and 1 gives several classes |
//! | `.npz` | a sparse (scipy) or dense matrix, by position | `labels` or `y`, by position |
//! | csv, tsv | first column: the node's id | first column: the id; label: see [`labels`] |

mod table;

use std::path::Path;

use self::table::{Row, Table};
use super::choose::{single_file, uncompressed};
use super::fields::shown;
use super::label_text::whole_numbers;
use super::npy::Array;
use super::npz::{self, Arrays, FeatureKeys};
use super::{Bundle, Header, ReadOptions, number_text};
use crate::{
    Dataset, DenseMatrix, Error, FeatureMatrix, Features, FoundValue, Id, IdIndex, Labels, NodeId,
    Notice, Result, SourceLocation, SparseBuilder,
};

/// What publishers call the column of the label, the most telling first.
const LABEL_COLUMNS: [&str; 4] = ["target", "label", "class", "page_type"];

/// What the column of the id is called, when it is called anything.
const ID_COLUMNS: [&str; 6] = ["", "id", "node", "node_id", "nodeid", "name"];

/// Adds the features in the file at `path`, in place of any earlier ones.
///
/// # Errors
/// If the file cannot be read, names a node that the graph lacks, lacks one that the graph has, or
/// holds a value that is no finite number.
///
/// ```
/// use privet_data::formats::{ReadOptions, attach};
/// use privet_graph::{Dataset, Direction, Graph, NodeIds};
/// # let folder = tempfile::tempdir().unwrap();
/// # let path = folder.path().join("ages.csv");
/// std::fs::write(&path, "id,age\nbob,30\nada,36\n").unwrap();
/// let ids = NodeIds::texts(["ada", "bob"])?;
/// let people = Dataset::new("people", Graph::empty(2, Direction::Undirected)?, ids)?;
/// let people = attach::features(people, &path, &ReadOptions::default())?;
/// assert_eq!(people.features().unwrap().nonzero_entries(0).next(), Some((0, 36.0)));
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn features(dataset: Dataset, path: &Path, options: &ReadOptions) -> Result<Dataset> {
    let file = File::open(path, options)?;
    let features = match file.kind() {
        Kind::Array => {
            let array = Array::read(file.bundle.open(file.member())?)?;
            Features::dense(npz::dense_matrix(&array)?)
        }
        Kind::Archive => {
            let inner = npz::open(&file.bundle, file.member())?;
            let mut arrays = Arrays::new(&inner);
            let found = npz::feature_matrix(&mut arrays, &FeatureKeys::ALONE)?;
            let nothing = || {
                let expected = "a scipy csr matrix, or an array features, x or attr_matrix";
                file.place
                    .malformed(FoundValue::words(format!("the arrays {}", arrays.keys())), expected)
            };
            Features::new(found.ok_or_else(nothing)?.1)
        }
        Kind::Table => {
            let table = Table::open(&file.bundle, file.member(), options)?;
            feature_table(&dataset, table, options)?
        }
    };
    dataset.with_features(features).map_err(|error| error.at(&file.place))
}

/// Adds the labels in the file at `path`, in place of any earlier ones. In a table the label is the
/// column `target`, `label`, `class` or `page_type`, or else the last. Nodes that the file does not
/// name, and those with an empty label, have none.
///
/// # Errors
/// If the file cannot be read, or names a node that the graph lacks, or one twice.
pub fn labels(dataset: Dataset, path: &Path, options: &ReadOptions) -> Result<Dataset> {
    let file = File::open(path, options)?;
    let node_count = dataset.graph().node_count();
    let (labels, notice) = match file.kind() {
        Kind::Array => {
            let array = Array::read(file.bundle.open(file.member())?)?;
            npz::labels_of(&array, None, node_count)?
        }
        Kind::Archive => {
            let inner = npz::open(&file.bundle, file.member())?;
            let mut arrays = Arrays::new(&inner);
            let Some(array) = arrays.first(&npz::LABELS)? else {
                let found = FoundValue::words(format!("the arrays {}", arrays.keys()));
                return Err(file.place.malformed(found, "an array labels or y"));
            };
            let names = arrays.optional("class_names")?;
            npz::labels_of(&array, names.as_ref(), node_count)?
        }
        Kind::Table => {
            let table = Table::open(&file.bundle, file.member(), options)?;
            (label_table(&dataset, table, options)?, None)
        }
    };
    let notice = notice.map(|text| Notice::new(&file.place, text));
    let dataset = dataset.with_labels(labels).map_err(|error| error.at(&file.place))?;
    Ok(dataset.with_notices(notice))
}

/// What a file holds, by its ending.
enum Kind {
    Array,
    Archive,
    Table,
}

/// One file with something about nodes.
struct File {
    bundle: Bundle,
    place: SourceLocation,
}

impl File {
    fn open(path: &Path, options: &ReadOptions) -> Result<Self> {
        let bundle = Bundle::from_path(path, options.limits)?;
        if single_file(&bundle).is_none() {
            let found = "a folder or an archive";
            return Err(bundle.place().malformed(found, "one file: .csv, .tsv, .npy or .npz"));
        }
        Ok(Self { place: bundle.place().clone(), bundle })
    }

    fn member(&self) -> &str {
        &self.bundle.members()[0]
    }

    fn kind(&self) -> Kind {
        match uncompressed(self.member()).rsplit_once('.') {
            Some((_, ending)) if ending.eq_ignore_ascii_case("npy") => Kind::Array,
            Some((_, ending)) if ending.eq_ignore_ascii_case("npz") => Kind::Archive,
            _ => Kind::Table,
        }
    }
}

/// Finds nodes by the ids in a table.
struct Matcher<'d> {
    dataset: &'d Dataset,
    index: IdIndex<'d>,
    seen: Vec<bool>,
}

impl<'d> Matcher<'d> {
    fn new(dataset: &'d Dataset) -> Self {
        let seen = vec![false; dataset.graph().node_count()];
        Self { dataset, index: dataset.ids().index(), seen }
    }

    fn find(&self, id: &str) -> Option<NodeId> {
        self.index.named(id)
    }

    /// Whether the first row names columns: its first field is no node, and could not be one that
    /// is merely missing from the graph.
    fn is_header(&self, row: &Row<'_>) -> bool {
        let first = row.field(0);
        let named = ID_COLUMNS.contains(&first.to_lowercase().as_str());
        let foreign = self.dataset.ids().are_integers() && matches!(Id::parse(first), Id::Text(_));
        self.find(first).is_none() && (named || foreign)
    }

    /// The node that a row is about; every node may have one row.
    fn claim(&mut self, row: &Row<'_>) -> Result<NodeId> {
        let id = row.field(0);
        let quoted = || shown(id.as_bytes());
        let Some(node) = self.find(id) else {
            let expected = format!(
                "an id of a node of {} (who has no edges is stated with --nodes)",
                self.dataset.name()
            );
            return Err(row.place().malformed(format!("id {}", quoted()), expected));
        };
        if std::mem::replace(&mut self.seen[node as usize], true) {
            return Err(row.place().malformed(format!("id {} again", quoted()), "every id once"));
        }
        Ok(node)
    }

    /// An error unless every node had a row.
    fn check_complete(&self, place: &SourceLocation) -> Result<()> {
        let Some(first) = self.seen.iter().position(|&seen| !seen) else { return Ok(()) };
        let missing = self.seen.iter().filter(|&&seen| !seen).count();
        let id = self.dataset.ids().get(first as NodeId);
        let found = format!("no row for {missing} nodes (the first is '{id}')");
        Err(place.malformed(found, "one row per node"))
    }
}

fn feature_table(dataset: &Dataset, mut table: Table, options: &ReadOptions) -> Result<Features> {
    let mut matcher = Matcher::new(dataset);
    let header = table.header(options.header, |row| {
        let no_number = |column| row.field(column).parse::<f32>().is_err();
        matcher.is_header(row)
            || (matcher.find(row.field(0)).is_none() && (1..row.len()).any(no_number))
    })?;
    let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); dataset.graph().node_count()];
    let mut columns = header.as_ref().map_or(0, |names| names.len().saturating_sub(1));
    while let Some(row) = table.next_row()? {
        columns = row.len() - 1;
        let entries = &mut rows[matcher.claim(&row)? as usize];
        for column in 1..row.len() {
            match row.field(column).parse::<f32>() {
                Ok(0.0) => {}
                Ok(value) if value.is_finite() => entries.push((column as u32 - 1, value)),
                _ => {
                    let name = header.as_ref().map(|names| names[column].clone());
                    let place = row.place().field(name.unwrap_or((column + 1).to_string()));
                    let found = shown(row.field(column).as_bytes());
                    return Err(place.malformed(found, number_text::EXPECTED));
                }
            }
        }
    }
    matcher.check_complete(table.place())?;
    let at = |error: Error| error.at(table.place());
    let features = Features::new(compact(columns, rows).map_err(at)?);
    match header {
        Some(names) => features.with_names(names[1..].to_vec()).map_err(at),
        None => Ok(features),
    }
}

/// Dense, or sparse where that takes less memory: an entry of a sparse row costs twice as much.
fn compact(columns: usize, mut rows: Vec<Vec<(u32, f32)>>) -> Result<FeatureMatrix> {
    let stored: usize = rows.iter().map(Vec::len).sum();
    if stored < rows.len().saturating_mul(columns) / 2 {
        let mut builder = SparseBuilder::new(columns);
        rows.iter_mut().try_for_each(|row| builder.push_row(row))?;
        return Ok(FeatureMatrix::Sparse(builder.finish()));
    }
    let mut values = vec![0.0; rows.len() * columns];
    for (row, entries) in rows.iter().enumerate() {
        entries.iter().for_each(|&(c, value)| values[row * columns + c as usize] = value);
    }
    DenseMatrix::new(rows.len(), columns, values).map(FeatureMatrix::Dense)
}

fn label_table(dataset: &Dataset, mut table: Table, options: &ReadOptions) -> Result<Labels> {
    let mut matcher = Matcher::new(dataset);
    let chosen = options.columns.label.is_some();
    let header = if chosen { Header::Present } else { options.header };
    let header = table.header(header, |row| {
        let known = |c| LABEL_COLUMNS.contains(&row.field(c).to_lowercase().as_str());
        matcher.is_header(row)
            || (matcher.find(row.field(0)).is_none() && (1..row.len()).any(known))
    })?;
    let named = |wanted: &&str| {
        let mut names = header.iter().flatten().skip(1);
        names.position(|name| name.eq_ignore_ascii_case(wanted)).map(|at| at + 1)
    };
    let names: Vec<&str> = header.iter().flatten().map(String::as_str).collect();
    let chosen = options.columns.label(&names, table.place())?;
    let column = chosen.or_else(|| LABEL_COLUMNS.iter().find_map(named));
    let mut classes = vec![String::new(); dataset.graph().node_count()];
    let mut rows = 0;
    while let Some(row) = table.next_row()? {
        rows += 1;
        if row.len() < 2 {
            return Err(row.place().malformed("a single column", "an id and a label"));
        }
        let node = matcher.claim(&row)?;
        classes[node as usize] = row.field(column.unwrap_or(row.len() - 1)).to_owned();
    }
    if rows == 0 {
        return Err(table.place().malformed("no rows below the column names", "an id and a label"));
    }
    let mut distinct: Vec<&str> = classes.iter().map(String::as_str).collect();
    distinct.sort_unstable();
    distinct.dedup();
    distinct.retain(|name| !name.is_empty());
    let Some(numbers) = whole_numbers(&distinct, table.place())? else {
        return Labels::from_names(&classes);
    };
    let number = |name: &String| match distinct.binary_search(&name.as_str()) {
        Ok(at) => numbers[at].as_str(),
        Err(_) => "",
    };
    Labels::from_names(&classes.iter().map(number).collect::<Vec<&str>>())
}

#[cfg(test)]
mod tests;
