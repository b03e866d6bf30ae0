//! Features and labels from files of their own, matched to nodes by id or by position.
//!
//! | file | features | labels |
//! |---|---|---|
//! | `.npy` | row i belongs to node i | value i belongs to node i; a table of 0 and 1 gives several classes |
//! | `.npz` | a sparse (scipy) or dense matrix, by position | `labels` or `y`, by position |
//! | csv, tsv | first column: the node's id | first column: the id; label: see [`labels`] |

mod table;

use std::path::Path;

use self::table::{AttachedRow, AttachedTable};
use super::choose::{single_file, uncompressed};
use super::fields::shown;
use super::label_cells::whole_numbers;
use super::npy::NpyArray;
use super::npz::{self, FeatureKeys, NpzArrays};
use super::{Bundle, HeaderRow, ReadOptions, number_text};
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
    let file = AttachedFile::open(path, options)?;
    let features = match file.kind() {
        AttachedKind::Array => {
            let array = NpyArray::read(file.bundle.open(file.member())?)?;
            Features::dense(npz::dense_matrix(&array)?)
        }
        AttachedKind::Archive => {
            let inner = npz::open(&file.bundle, file.member())?;
            let mut arrays = NpzArrays::new(&inner);
            let found = npz::feature_matrix(&mut arrays, &FeatureKeys::ALONE)?;
            let nothing = || {
                let expected = "a scipy csr matrix, or an array features, x or attr_matrix";
                file.place
                    .malformed(FoundValue::words(format!("the arrays {}", arrays.keys())), expected)
            };
            Features::new(found.ok_or_else(nothing)?.1)
        }
        AttachedKind::Table => {
            let table = AttachedTable::open(&file.bundle, file.member(), options)?;
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
    let file = AttachedFile::open(path, options)?;
    let node_count = dataset.graph().node_count();
    let (labels, notice) = match file.kind() {
        AttachedKind::Array => {
            let array = NpyArray::read(file.bundle.open(file.member())?)?;
            npz::labels_of(&array, None, node_count)?
        }
        AttachedKind::Archive => {
            let inner = npz::open(&file.bundle, file.member())?;
            let mut arrays = NpzArrays::new(&inner);
            let Some(array) = arrays.first(&npz::LABELS)? else {
                let found = FoundValue::words(format!("the arrays {}", arrays.keys()));
                return Err(file.place.malformed(found, "an array labels or y"));
            };
            let names = arrays.optional("class_names")?;
            npz::labels_of(&array, names.as_ref(), node_count)?
        }
        AttachedKind::Table => {
            let table = AttachedTable::open(&file.bundle, file.member(), options)?;
            (label_table(&dataset, table, options)?, None)
        }
    };
    let notice = notice.map(|text| Notice::new(&file.place, text));
    let dataset = dataset.with_labels(labels).map_err(|error| error.at(&file.place))?;
    Ok(dataset.with_notices(notice))
}

/// What a file holds, by its ending.
enum AttachedKind {
    Array,
    Archive,
    Table,
}

/// One file with something about nodes.
struct AttachedFile {
    bundle: Bundle,
    place: SourceLocation,
}

impl AttachedFile {
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

    fn kind(&self) -> AttachedKind {
        match uncompressed(self.member()).rsplit_once('.') {
            Some((_, ending)) if ending.eq_ignore_ascii_case("npy") => AttachedKind::Array,
            Some((_, ending)) if ending.eq_ignore_ascii_case("npz") => AttachedKind::Archive,
            _ => AttachedKind::Table,
        }
    }
}

/// Finds nodes by the ids in a table.
struct IdMatcher<'d> {
    dataset: &'d Dataset,
    index: IdIndex<'d>,
    seen: Vec<bool>,
}

impl<'d> IdMatcher<'d> {
    fn new(dataset: &'d Dataset) -> Self {
        let seen = vec![false; dataset.graph().node_count()];
        Self { dataset, index: dataset.ids().index(), seen }
    }

    fn find(&self, id: &str) -> Option<NodeId> {
        self.index.named(id)
    }

    /// Whether the first row names columns: its first field is no node, and could not be one that
    /// is merely missing from the graph.
    fn is_header(&self, row: &AttachedRow<'_>) -> bool {
        let first = row.field(0);
        let named = ID_COLUMNS.contains(&first.to_lowercase().as_str());
        // With integer ids a word in the first field can only be a column's name.
        let foreign = self.dataset.ids().are_integers() && matches!(Id::parse(first), Id::Text(_));
        self.find(first).is_none() && (named || foreign)
    }

    /// The node that a row is about; every node may have one row.
    fn claim(&mut self, row: &AttachedRow<'_>) -> Result<NodeId> {
        let id = row.field(0);
        let quoted = || shown(id.as_bytes());
        let Some(node) = self.find(id) else {
            let expected = format!(
                "an id of a node of {} (who has no edges is stated with --nodes)",
                self.dataset.name()
            );
            return Err(row.place().malformed(format!("id {}", quoted()), expected));
        };
        // The second row would silently replace the first.
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
        // The id is put together at run time, so it stays hidden unless asked for.
        let found = format!("no row for {missing} nodes (the first is '{id}')");
        Err(place.malformed(found, "one row per node"))
    }
}

fn feature_table(
    dataset: &Dataset,
    mut table: AttachedTable,
    options: &ReadOptions,
) -> Result<Features> {
    let mut matcher = IdMatcher::new(dataset);
    let header = table.header(options.header, |row| {
        let no_number = |column| row.field(column).parse::<f32>().is_err();
        matcher.is_header(row)
            || (matcher.find(row.field(0)).is_none() && (1..row.len()).any(no_number))
    })?;
    let mut rows: Vec<Vec<(u32, f32)>> = vec![Vec::new(); dataset.graph().node_count()];
    let mut columns = header.as_ref().map_or(0, |names| names.len().saturating_sub(1));
    while let Some(row) = table.next_row()? {
        // The csv reader refuses rows of other lengths.
        columns = row.len() - 1;
        let entries = &mut rows[matcher.claim(&row)? as usize];
        for column in 1..row.len() {
            match row.field(column).parse::<f32>() {
                // Zeros are not stored: tables of words are mostly zeros.
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
    // The product comes from the file and may pass the range of a number.
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

fn label_table(
    dataset: &Dataset,
    mut table: AttachedTable,
    options: &ReadOptions,
) -> Result<Labels> {
    let mut matcher = IdMatcher::new(dataset);
    // A column chosen by name implies a first line that names it.
    let chosen = options.columns.label.is_some();
    let header = if chosen { HeaderRow::Present } else { options.header };
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
mod tests {
    use std::path::PathBuf;

    use proptest::prelude::*;

    use super::*;
    use crate::formats::HeaderRow;
    use crate::formats::npy::write_numbers;
    use crate::{Direction, Graph, NodeIds};

    fn people() -> Dataset {
        let graph = Graph::empty(3, Direction::Undirected).unwrap();
        Dataset::new("people", graph, NodeIds::texts(["ada", "bob", "cy"]).unwrap()).unwrap()
    }

    fn numbered() -> Dataset {
        let graph = Graph::empty(3, Direction::Undirected).unwrap();
        Dataset::new("numbers", graph, NodeIds::integers(vec![10, 20, 30]).unwrap()).unwrap()
    }

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
            let path = self.0.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        }
    }

    fn features_of(data: Dataset, name: &str, bytes: impl AsRef<[u8]>) -> Result<Features> {
        let folder = Folder::new();
        let data = features(data, &folder.file(name, bytes), &ReadOptions::default())?;
        Ok(data.features().unwrap().clone())
    }

    fn labels_in(data: Dataset, name: &str, bytes: impl AsRef<[u8]>) -> Result<Labels> {
        let folder = Folder::new();
        let data = labels(data, &folder.file(name, bytes), &ReadOptions::default())?;
        Ok(data.labels().unwrap().clone())
    }

    fn rows(features: &Features) -> Vec<Vec<f32>> {
        let row = |r| {
            let mut row = vec![0.0; features.columns()];
            features.nonzero_entries(r).for_each(|(c, v)| row[c as usize] = v);
            row
        };
        (0..features.rows()).map(row).collect()
    }

    fn classes(labels: &Labels) -> Vec<Option<&str>> {
        let name = |class: u32| labels.class_names()[class as usize].as_str();
        (0..labels.len() as NodeId).map(|node| labels.class(node).map(name)).collect()
    }

    #[test]
    fn feature_tables_are_matched_by_id() {
        let expected = [vec![1.0, 0.5], vec![2.0, 0.0], vec![3.0, -1.0]];
        for (name, text) in [
            ("f.csv", "id,height,weight\r\nbob,2,0\r\ncy,3,-1\r\nada,1,.5\r\n"),
            ("f.csv", "bob,2,0\ncy,3,-1\nada,1,.5\n"),
            ("f.tsv", "bob\t2\t0\ncy\t3\t-1\nada\t1\t.5"),
            ("f.txt", "bob 2 0\ncy 3 -1\nada 1 .5\n"),
            ("f.csv", "\"bob\", 2, 0\n\"cy\", 3, -1\n\"ada\", 1, .5\n"),
        ] {
            assert_eq!(rows(&features_of(people(), name, text).unwrap()), expected, "{text}");
        }
        let named = features_of(people(), "f.csv", "who,h,w\nada,1,1\nbob,1,1\ncy,1,1\n").unwrap();
        assert_eq!(named.names().unwrap(), ["h", "w"]);
        // Columns that are named by numbers, as data frames do it.
        let frame = features_of(numbered(), "f.csv", ",0,1\n20,1,2\n10,3,4\n30,5,6\n").unwrap();
        assert_eq!(
            (frame.names().unwrap(), &rows(&frame)[0]),
            (&["0", "1"].map(String::from)[..], &vec![3.0, 4.0])
        );
    }

    #[test]
    fn mostly_empty_tables_are_stored_sparse() {
        let text = "ada,0,0,1\nbob,0,0,0\ncy,0,2,0\n";
        let sparse = features_of(people(), "f.csv", text).unwrap();
        assert!(matches!(sparse.matrix(), FeatureMatrix::Sparse(_)));
        assert_eq!(rows(&sparse), [[0.0, 0.0, 1.0], [0.0; 3], [0.0, 2.0, 0.0]]);
    }

    #[test]
    fn feature_tables_say_what_is_wrong_and_where() {
        let message = |text: &str| features_of(people(), "f.csv", text).unwrap_err().with_values();
        let place = "f.csv, line 2";
        assert!(
            message("ada,1\nzoe,1\n").contains(&format!("{place}: found id 'zoe'; expected an id"))
        );
        assert!(message("ada,1\nada,1\n").contains("id 'ada' again"));
        assert!(message("ada,1\nbob,1\n").contains("no row for 1 nodes (the first is 'cy')"));
        assert!(message("ada,1\nbob,1,2\n").contains("line 2: found 3 fields; expected 2"));
        assert!(message("ada,1\nbob,nan\ncy,1\n").contains("line 2, field 2: found 'nan'"));
        assert!(message("id,h\nada,1\nbob,inf\ncy,1\n").contains("line 3, field h: found 'inf'"));
        assert!(message("ada,1\nbob,1e99\ncy,1\n").contains("field 2: found '1e99'"));
        assert!(message("ada,x\nbob,1\ncy,1\n").contains("line 1, field 2: found 'x'"));
        assert!(message("zoe,1\nada,1\n").contains("line 1: found id 'zoe'"));
        let message = features_of(people(), "f.csv", b"ada,\xff\n").unwrap_err().with_values();
        assert!(message.contains("not UTF-8"), "{message}");
    }

    #[test]
    fn arrays_are_matched_by_position() {
        let mut array = Vec::new();
        write_numbers(&mut array, &[3, 2], [1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let dense = features_of(people(), "f.npy", &array).unwrap();
        assert_eq!(rows(&dense), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]);
        let mut short = Vec::new();
        write_numbers(&mut short, &[2, 1], [1f32, 2.0]).unwrap();
        let message = features_of(people(), "f.npy", &short).unwrap_err().with_values();
        assert!(message.contains("f.npy: found number of feature rows 2; expected 3"), "{message}");
        let mut classes = Vec::new();
        write_numbers(&mut classes, &[3], [5i64, -1, 2]).unwrap();
        let labels = labels_in(people(), "y.npy", &classes).unwrap();
        assert_eq!(self::classes(&labels), [Some("5"), None, Some("2")]);
    }

    #[test]
    fn archives_hold_scipy_matrices_or_arrays() {
        let zip = |members: &[(&str, Vec<u8>)]| {
            use std::io::Write;
            let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
            for (key, bytes) in members {
                zip.start_file(format!("{key}.npy"), zip::write::SimpleFileOptions::default())
                    .unwrap();
                zip.write_all(bytes).unwrap();
            }
            zip.finish().unwrap().into_inner()
        };
        let integers = |values: &[i64]| {
            let mut out = Vec::new();
            write_numbers(&mut out, &[values.len()], values.iter().copied()).unwrap();
            out
        };
        let scipy = |format: &str| {
            let mut text = Vec::new();
            crate::formats::npy::write_texts(&mut text, &[], [format]).unwrap();
            zip(&[
                ("indices", integers(&[1, 0])),
                ("indptr", integers(&[0, 1, 1, 2])),
                ("format", text),
                ("shape", integers(&[3, 2])),
                ("data", integers(&[7, 8])),
            ])
        };
        let sparse = features_of(people(), "f.npz", scipy("csr")).unwrap();
        assert_eq!(rows(&sparse), [[0.0, 7.0], [0.0, 0.0], [8.0, 0.0]]);
        let message = features_of(people(), "f.npz", scipy("csc")).unwrap_err().with_values();
        assert!(message.contains("the format csc"), "{message}");
        let labels = labels_in(people(), "y.npz", zip(&[("y", integers(&[0, 1, 0]))])).unwrap();
        assert_eq!(labels.class_sizes(), [2, 1]);
        let empty = zip(&[("z", integers(&[1]))]);
        assert!(
            features_of(people(), "f.npz", &empty).unwrap_err().with_values().contains("arrays z")
        );
        assert!(
            labels_in(people(), "f.npz", &empty).unwrap_err().with_values().contains("arrays z")
        );
    }

    #[test]
    fn label_tables_are_matched_by_id() {
        let expected = [Some("y"), None, Some("x")];
        for text in [
            "id,label\ncy,x\nada,y\n",
            "cy,x\nada,y\nbob,\n",
            "id,facebook_id,page_type,page_name\ncy,1,x,\"Cy, of \"\"C\"\"\"\nada,2,y,Ada\n",
            "person,target\ncy,x\nada,y\n",
            "id,colour\ncy,x\nada,y\n",
            "cy,1,x\nada,2,y\n",
        ] {
            let labels = labels_in(people(), "l.csv", text).unwrap();
            assert_eq!(classes(&labels), expected, "{text}");
        }
        let labels = labels_in(numbered(), "l.csv", "Knoten,Klasse\n30,2\n10,10\n").unwrap();
        assert_eq!(classes(&labels), [Some("10"), None, Some("2")]);
        assert_eq!(labels.class_names(), ["2", "10"]);
    }

    #[test]
    fn label_tables_say_what_is_wrong_and_where() {
        let message = |text: &str| labels_in(people(), "l.csv", text).unwrap_err().with_values();
        assert!(message("id,label\nada,x\nzoe,y\n").contains("line 3: found id 'zoe'"));
        assert!(message("ada,x\nada,x\n").contains("line 2: found id 'ada' again"));
        assert!(message("ada\nbob\n").contains("a single column"));
        // A mistyped first id is not taken for a header.
        assert!(message("adda,x\nbob,y\n").contains("line 1: found id 'adda'"));
        let message = labels_in(numbered(), "l.csv", "11,x\n").unwrap_err().with_values();
        assert!(message.contains("line 1: found id '11'"), "{message}");
    }

    #[test]
    fn the_user_may_say_whether_there_is_a_header() {
        let folder = Folder::new();
        let path = folder.file("l.csv", "ada,x\nbob,y\n");
        let with = |header| {
            let options = ReadOptions { header, ..Default::default() };
            labels(people(), &path, &options).unwrap().labels().unwrap().unlabelled_count()
        };
        assert_eq!(
            (with(HeaderRow::Present), with(HeaderRow::Absent), with(HeaderRow::Detect)),
            (2, 1, 1)
        );
        let message =
            labels(people(), folder.0.path(), &ReadOptions::default()).unwrap_err().with_values();
        assert!(message.contains("expected one file"), "{message}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn arbitrary_and_mutated_bytes_never_panic(
            noise in prop::collection::vec(any::<u8>(), 1..100),
            text in "((ada|bob|cy|id)[,\t;][0-9.,\"na]{0,4}\n){0,4}x",
        ) {
            for name in ["f.csv", "f.npy", "f.npz"] {
                let _ = features_of(people(), name, &noise);
                let _ = labels_in(people(), name, &noise);
            }
            let _ = features_of(people(), "f.csv", &text);
            let _ = labels_in(people(), "f.csv", &text);
        }
    }
}
