//! [`PeopleReader`]: who there is, batch by batch, in memory that does not grow with the table.

use std::path::Path;

use super::cell::TableCell;
use super::check::Mistake;
use super::check::check_people;
use super::classes::DeclaredClasses;
use super::encoder::Encoder;
use super::rows::{RowSource, WantedColumn, open};
use super::schema::PeopleTable;
use crate::formats::Limits;
use crate::{DenseMatrix, FoundValue, IdInterner, Result, SourceLocation};

/// What a table of people holds and how it is read, without saying which file it is. Made of a declaration alone: a
/// model keeps it to read new people.
#[derive(Debug, Clone, PartialEq)]
pub struct PeopleReader {
    table: Option<String>,
    id: String,
    encoder: Encoder,
    classes: Option<DeclaredClasses>,
}

impl PeopleReader {
    /// The people that a table declares.
    ///
    /// # Errors
    /// If the declaration makes no sense.
    pub fn new(table: &PeopleTable) -> Result<Self, Mistake> {
        check_people(table)?;
        let (encoder, classes) = (Encoder::new(table)?, DeclaredClasses::new(table)?);
        Ok(Self { table: table.table.clone(), id: table.id.clone(), encoder, classes })
    }

    /// How features become numbers.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The declared classes; none if no labels are declared.
    pub fn classes(&self) -> &[String] {
        self.classes.as_ref().map_or(&[], DeclaredClasses::learned)
    }

    /// Whether a person may have several labels.
    pub fn is_multi_label(&self) -> bool {
        self.classes.as_ref().is_some_and(DeclaredClasses::is_multi_label)
    }

    /// The column of ids.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Which table of SQLite files is read from now on.
    #[must_use]
    pub fn with_table(mut self, table: Option<String>) -> Self {
        self.table = table;
        self
    }

    /// The people in a file (`-` is standard input), so many at a time. The label column may be absent: new people
    /// have none. Ids are remembered, so that one that comes twice is refused; nothing else grows with the table.
    ///
    /// # Errors
    /// If the file cannot be read or lacks a declared column; each batch may fail, too: if a cell does not fit, or an
    /// id comes twice.
    pub fn batches(
        &self,
        path: impl AsRef<Path>,
        rows_per_batch: usize,
        limits: &Limits,
    ) -> Result<PeopleBatches<'_>> {
        self.open(path.as_ref(), rows_per_batch, limits, true)
    }

    /// The same; `labels` says whether a table without them will do.
    pub(super) fn open(
        &self,
        path: &Path,
        rows_per_batch: usize,
        limits: &Limits,
        may_lack_labels: bool,
    ) -> Result<PeopleBatches<'_>> {
        let label = self.classes.as_ref().map(|classes| classes.column.as_str());
        let wanted: Vec<WantedColumn<'_>> = std::iter::once(&*self.id)
            .chain(self.encoder.inputs())
            .map(WantedColumn::required)
            .chain(label.map(|name| WantedColumn { name, optional: may_lack_labels }))
            .collect();
        let rows = open(path, self.table.as_deref(), &wanted, limits)?;
        let label = wanted.len() - 1;
        let classes = self.classes.as_ref().filter(|_| rows.has(label));
        Ok(PeopleBatches {
            people: self,
            classes,
            label,
            rows,
            size: rows_per_batch.max(1),
            fingerprinted: false,
            ended: false,
            seen: IdInterner::default(),
            first: Vec::new(),
        })
    }
}

/// Some people, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct PeopleBatch {
    /// Their ids.
    pub ids: Vec<String>,
    /// Their features, encoded.
    pub rows: DenseMatrix,
    /// The class of each, if the table has labels; `None` for those without one.
    pub labels: Option<Vec<Option<u32>>>,
    /// The classes of each, if several are declared to be possible; then `labels` is absent.
    pub label_lists: Option<Vec<Vec<u32>>>,
    /// A hash of every declared cell ([`TableCell::fingerprint`]), row after row; nothing unless
    /// [`PeopleBatches::with_fingerprints`] asked for them.
    pub fingerprints: Vec<u64>,
    /// The line or row of each.
    pub(super) numbers: Vec<u64>,
}

/// A table of people being read. Made by [`PeopleReader::batches`].
pub struct PeopleBatches<'a> {
    people: &'a PeopleReader,
    /// If the table has the label column.
    classes: Option<&'a DeclaredClasses>,
    label: usize,
    rows: Box<dyn RowSource>,
    size: usize,
    fingerprinted: bool,
    ended: bool,
    /// The ids so far, and the line or row of each.
    seen: IdInterner,
    first: Vec<u64>,
}

impl PeopleBatches<'_> {
    /// Batches hold a hash of every declared cell, too, by which records are compared without their values.
    #[must_use]
    pub fn with_fingerprints(mut self) -> Self {
        self.fingerprinted = true;
        self
    }

    /// Whether the table has the label column.
    pub fn has_labels(&self) -> bool {
        self.classes.is_some()
    }

    /// Where the id of a line or row is.
    pub(super) fn id_place(&self, number: u64) -> SourceLocation {
        self.rows.place_at(number, &self.people.id)
    }

    /// The ids that were read.
    pub(super) fn into_ids(self) -> IdInterner {
        self.seen
    }

    /// Two answers about one person, or two records of one, would contradict each other.
    fn refuse_again(&mut self, id: &str) -> Result<()> {
        let (number, node) = (self.rows.number(), self.seen.intern(id) as usize);
        let Some(&first) = self.first.get(node) else {
            self.first.push(number);
            return Ok(());
        };
        let again = format!("a duplicate id, first seen on {} {first}", self.rows.counted().name());
        let found = FoundValue::value(again, format!("'{id}'"));
        Err(self.id_place(number).malformed(found, "each id once"))
    }

    fn read(&mut self) -> Result<Option<PeopleBatch>> {
        let width = self.people.encoder.width();
        let (mut ids, mut numbers, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (mut singles, mut lists) = (Vec::new(), Vec::new());
        let mut fingerprints = Vec::new();
        // A batch ends at its size: a table of any length is read in constant memory, but for its ids.
        while ids.len() < self.size && self.rows.advance()? {
            let id = self.read_id()?;
            self.refuse_again(&id)?;
            ids.push(id);
            numbers.push(self.rows.number());
            let start = values.len();
            // `encode` only writes what is not zero.
            values.resize(start + width, 0.0);
            self.read_features(&mut values[start..])?;
            if self.fingerprinted {
                let cells = 1..=self.people.encoder.inputs().len();
                // Keyed by nothing: they stay in memory and are compared with those of a project's tables.
                fingerprints.extend(cells.map(|at| self.rows.cell(at).fingerprint()));
            }
            match self.classes {
                Some(classes) => self.read_label(classes, &mut singles, &mut lists)?,
                None => continue,
            }
        }
        if ids.is_empty() {
            return Ok(None);
        }
        let rows = DenseMatrix::new(ids.len(), width, values)?;
        let multi = self.people.is_multi_label();
        let labels = (self.has_labels() && !multi).then_some(singles);
        let label_lists = (self.has_labels() && multi).then_some(lists);
        Ok(Some(PeopleBatch { ids, rows, labels, label_lists, fingerprints, numbers }))
    }

    #[inline]
    fn read_id(&self) -> Result<String> {
        let id = match self.rows.cell(0) {
            TableCell::Text(text) => text.to_owned(),
            other => other.as_text().into_owned(),
        };
        // An empty id would join all such rows into one person.
        if id.is_empty() {
            return Err(self.rows.place(&self.people.id).malformed("an empty cell", "an id"));
        }
        Ok(id)
    }

    #[inline]
    fn read_features(&self, row: &mut [f32]) -> Result<()> {
        let encoder = &self.people.encoder;
        let encoded = encoder.encode_into(|feature| self.rows.cell(feature + 1), row);
        encoded.map_err(|(at, unfit)| {
            let name = encoder.inputs().nth(at).unwrap_or_default();
            self.rows.place(name).malformed(unfit.found, unfit.expected)
        })
    }

    fn read_label(
        &self,
        classes: &DeclaredClasses,
        singles: &mut Vec<Option<u32>>,
        lists: &mut Vec<Vec<u32>>,
    ) -> Result<()> {
        let cell = self.rows.cell(self.label);
        let read = match &classes.separator {
            Some(separator) if classes.is_multi_label() => {
                classes.several(cell, separator).map(|list| lists.push(list))
            }
            _ => classes.one(cell).map(|class| singles.push(class)),
        };
        read.map_err(|unfit| {
            self.rows.place(&classes.column).malformed(unfit.found, unfit.expected)
        })
    }
}

impl Iterator for PeopleBatches<'_> {
    type Item = Result<PeopleBatch>;

    /// The next people; nothing after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.read().transpose();
        // After an error the position in the file means nothing.
        self.ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn people() -> PeopleReader {
        let table: PeopleTable = serde_json::from_str(
            r#"{"file": "p.csv", "id": "id", "label": "segment", "classes": ["retail", "business"],
            "no_label": ["", "?"], "columns": {
                "age": {"kind": "number", "low": 0, "high": 100, "missing": "middle"},
                "region": {"kind": "category", "values": ["north", "south"]}}}"#,
        )
        .unwrap();
        PeopleReader::new(&table).unwrap()
    }

    fn written(name: &str, bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        (folder, path)
    }

    #[test]
    fn batches_hold_so_many_and_the_last_the_rest() {
        let text =
            "region,id,segment,age\nnorth,ann,retail,50\nsouth,bob,?,\nsouth,cy,business,7\n";
        let (_folder, path) = written("p.csv", text.as_bytes());
        let people = people();
        let batches: Vec<PeopleBatch> =
            people.batches(&path, 2, &Limits::default()).unwrap().map(Result::unwrap).collect();
        assert_eq!(batches.len(), 2);
        assert_eq!(batches[0].ids, ["ann", "bob"]);
        assert_eq!(batches[0].rows.values(), [0.5, 1.0, 0.0, 0.5, 0.0, 1.0]);
        assert_eq!(batches[0].labels, Some(vec![Some(0), None]));
        assert_eq!((batches[1].ids.len(), batches[1].labels.clone()), (1, Some(vec![Some(1)])));
    }

    #[test]
    fn new_people_need_no_labels() {
        let (_folder, path) = written("p.tsv", b"id\tage\tregion\n7\t1\tnorth\n");
        let people = people();
        let mut batches = people.batches(&path, 10, &Limits::default()).unwrap();
        assert!(!batches.has_labels());
        let batch = batches.next().unwrap().unwrap();
        assert_eq!((batch.labels, batch.label_lists), (None, None));
        assert!(batches.next().is_none());
    }

    #[test]
    fn an_error_says_where_and_ends_the_stream() {
        let (_folder, path) =
            written("p.csv", b"id,age,region\n1,2,north\n3,secret,south\n4,5,north\n");
        let people = people();
        let mut batches = people.batches(&path, 1, &Limits::default()).unwrap();
        assert!(batches.next().unwrap().is_ok());
        let error = batches.next().unwrap().unwrap_err();
        let message = error.to_string();
        assert!(
            message
                .contains("line 3, field age: found an invalid value (hidden); expected a finite"),
            "{message}"
        );
        assert!(error.with_values().contains("'secret'"));
        assert!(batches.next().is_none());

        let (_folder, path) = written("p.csv", b"id,age,region\n ,2,north\n");
        let message = people.batches(&path, 1, &Limits::default()).unwrap().next().unwrap();
        assert!(message.unwrap_err().to_string().contains("line 2, field id: found an empty cell"));
    }

    #[test]
    fn compressed_text_is_read_through() {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"id,age,region\n1,2,north\n").unwrap();
        let (_folder, path) = written("p.csv.gz", &encoder.finish().unwrap());
        let people = people();
        let batch = people.batches(&path, 10, &Limits::default()).unwrap().next().unwrap().unwrap();
        assert_eq!(batch.ids, ["1"]);
    }

    #[test]
    fn files_that_are_no_tables_are_refused_with_the_way_around() {
        let people = people();
        for (head, message) in [
            (&b"\0\0\0\0\0\0\0\0DUCK0000"[..], "COPY t TO 't.parquet'"),
            (b"PK\x03\x04....", "save the sheet as CSV"),
        ] {
            let (_folder, path) = written("p.bin", head);
            let error = people.batches(&path, 1, &Limits::default()).err().unwrap();
            assert!(error.to_string().contains(message), "{error}");
        }
        let error = people.batches("absent.csv", 1, &Limits::default()).err().unwrap();
        assert!(error.to_string().contains("absent.csv: no such file"), "{error}");
    }

    /// What `<(command)` names in a shell.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_a_file_like_any_other_unless_its_end_is_needed_first() {
        use std::os::fd::AsRawFd;

        let piped = |bytes: &[u8]| {
            let (reader, mut writer) = std::io::pipe().unwrap();
            writer.write_all(bytes).unwrap();
            drop(writer);
            let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
            let people = people();
            let batch = people.batches(path, 10, &Limits::default())?.next().unwrap();
            batch.map(|batch| batch.ids)
        };
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(b"id,age,region\n1,2,north\n").unwrap();
        assert_eq!(piped(&encoder.finish().unwrap()).unwrap(), ["1"]);
        assert_eq!(piped(b"region\tage\tid\nsouth\t2\tann\n").unwrap(), ["ann"]);
        let message = piped(b"SQLite format 3\0 and more").unwrap_err().to_string();
        assert!(message.contains("which a pipe cannot do"), "{message}");
    }
}
