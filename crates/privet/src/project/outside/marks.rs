//! [`PeopleMarks`]: keyed hashes by which the same people are recognised in another table, and nothing else is.
//!
//! | a person's id | marks |
//! |---|---|
//! | text, or a number of ten digits or more | the id |
//! | a shorter number, as 1..n is in every table | the id and the whole row together; the id and one of its connections |
//!
//! A row is all its cells, in whatever order and under whatever names; numbers are rounded to single precision, so a
//! table and the dataset that was made of it agree. Of a person's connections the one with the smallest keyed value
//! is taken: it stays when a few others come or go.
//!
//! The file holds ascending `u64`s: 8 bytes for each person with a text id. Two files are compared by reading each once.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::data::declared::RawTable;
use crate::data::formats::Limits;
use crate::graph::{Dataset, FeatureMatrix, Id};
use crate::{Error, Result};

/// Shorter numbers are in every table; a longer one (a telephone number, say) names one person.
const SHORTEST_NAME: u64 = 1_000_000_000;

const MAGIC: &[u8; 8] = b"prvmark1";

/// Datasets with more columns than this were not made from a table of people as they stand.
const MOST_COLUMNS: usize = 1024;

/// The marks of some people, ascending.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PeopleMarks {
    pub(super) names: Vec<u64>,
    pub(super) rows: Vec<u64>,
    pub(super) connections: Vec<u64>,
    /// How likely two different people have the same row but for the id.
    pub(super) repetition: f64,
}

impl PeopleMarks {
    pub(super) fn of_names(mut names: Vec<u64>) -> Self {
        tidy(&mut names);
        Self { names, ..Self::default() }
    }

    /// How many people have a mark, at least.
    pub fn people(&self) -> usize {
        self.names.len() + self.rows.len().max(self.connections.len())
    }

    /// Adds the marks of others.
    pub fn extend(&mut self, others: Self) {
        for (mine, theirs) in [
            (&mut self.names, others.names),
            (&mut self.rows, others.rows),
            (&mut self.connections, others.connections),
        ] {
            mine.extend(theirs);
            tidy(mine);
        }
        // The larger repetition explains more matches by chance: people are refused only beyond
        // both.
        self.repetition = self.repetition.max(others.repetition);
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let Self { names, rows, connections, repetition } = self;
        super::replace(path, |out| {
            out.write_all(MAGIC)?;
            for list in [names, rows, connections] {
                out.write_all(&(list.len() as u64).to_le_bytes())?;
            }
            out.write_all(&repetition.to_le_bytes())?;
            // In one order, so that files of equal people are equal bytes.
            let mut all = names.iter().chain(rows).chain(connections);
            all.try_for_each(|mark| out.write_all(&mark.to_le_bytes()))
        })
    }

    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let Some(mut file) = MarksFile::open(path)? else { return Ok(None) };
        let mut marks = Self { repetition: file.repetition, ..Self::default() };
        for (list, count) in
            [&mut marks.names, &mut marks.rows, &mut marks.connections].into_iter().zip(file.counts)
        {
            for _ in 0..count {
                list.push(file.next()?);
            }
        }
        Ok(Some(marks))
    }
}

fn tidy(marks: &mut Vec<u64>) {
    marks.sort_unstable();
    marks.dedup();
}

/// A file of marks, read from its beginning to its end in constant memory.
pub(super) struct MarksFile {
    path: std::path::PathBuf,
    reader: BufReader<File>,
    /// Names, rows, connections.
    pub counts: [u64; 3],
    pub repetition: f64,
}

impl MarksFile {
    /// None if there is no such file.
    pub fn open(path: &Path) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::file(path, error)),
        };
        let length = file.metadata().map_err(|error| Error::file(path, error))?.len();
        let reader = BufReader::with_capacity(1 << 16, file);
        let mut marks = Self { path: path.into(), reader, counts: [0; 3], repetition: 0.0 };
        let magic = marks.next()?;
        for at in 0..3 {
            marks.counts[at] = marks.next()?;
        }
        marks.repetition = f64::from_bits(marks.next()?);
        // Five words of header: magic, three counts and the repetition.
        let expected = marks.counts.iter().try_fold(5u64, |sum, &count| sum.checked_add(count));
        let whole = expected.and_then(|words| words.checked_mul(8)) == Some(length);
        match magic == u64::from_le_bytes(*MAGIC) && whole {
            true => Ok(Some(marks)),
            false => Err(Error::file(path, "not the marks of a project's people, or cut off")),
        }
    }

    /// The next mark.
    pub fn next(&mut self) -> Result<u64> {
        let mut word = [0; 8];
        self.reader.read_exact(&mut word).map_err(|error| Error::file(&self.path, error))?;
        Ok(u64::from_le_bytes(word))
    }

    /// How many of the next `count` marks are among these, which ascend as they do.
    pub fn shared(&mut self, count: u64, mine: &[u64]) -> Result<u64> {
        let (mut at, mut shared) = (0, 0);
        for _ in 0..count {
            let mark = self.next()?;
            // Both lists are sorted: each mark of mine is passed once.
            at += mine[at..].iter().take_while(|&&other| other < mark).count();
            shared += u64::from(mine.get(at) == Some(&mark));
        }
        Ok(shared)
    }
}

/// Makes marks, person by person. Made by [`Outside::marker`](super::Outside::marker).
#[derive(Debug, Clone)]
pub struct PeopleMarker {
    /// The hash of the key, to be continued.
    keyed: Sha256,
    /// Decides which of a person's connections is taken.
    salt: u64,
    marks: PeopleMarks,
    /// Hashes of rows without their ids.
    rests: Vec<u64>,
    /// Of each number the lightest connection: its weight and its mark.
    nearest: HashMap<u64, (u64, u64)>,
    numbered: bool,
}

impl PeopleMarker {
    pub(super) fn new(key: &[u8; 32]) -> Self {
        let keyed = Sha256::new().chain_update(key);
        let (marks, rests, nearest) = (PeopleMarks::default(), Vec::new(), HashMap::new());
        let mut marker = Self { keyed, salt: 0, marks, rests, nearest, numbered: false };
        // Secret like the key: which connection is taken cannot be steered.
        marker.salt = marker.hash(&["which connection", "is taken"]);
        marker
    }

    /// A person by their id and the other cells of their row.
    pub fn person<T: AsRef<str>>(&mut self, id: &str, cells: impl IntoIterator<Item = T>) {
        let Some(number) = short_number(id) else {
            let mark = self.hash(&[id]);
            return self.marks.names.push(mark);
        };
        self.numbered = true;
        let mut cells: Vec<String> =
            // In f32 and sorted: a copy in another format or column order has the same mark.
            cells.into_iter().map(|cell| canonical(cell.as_ref())).collect();
        cells.retain(|cell| !cell.is_empty());
        if cells.is_empty() {
            return; // An id that is in every table, and nothing with it.
        }
        cells.sort_unstable();
        // Without the id: how often equal records occur tells what chance explains.
        self.rests.push(self.hash_row("rest", &cells));
        cells.insert(0, number.to_string());
        let mark = self.hash_row("row", &cells);
        self.marks.rows.push(mark);
    }

    /// A connection of two people by their ids: a mark of each end that is a short number.
    pub fn connection(&mut self, a: &str, b: &str) {
        for (id, contact) in [(a, b), (b, a)] {
            let Some(number) = short_number(id) else { continue };
            let weight = match short_number(contact) {
                Some(other) => mixed(mixed(self.salt ^ number).wrapping_add(other)),
                None => self.hash(&[contact]),
            };
            let best = self.nearest.get(&number);
            // Each number is marked by one of its connections, the lightest: two lists of the same
            // person choose alike.
            if best.is_none_or(|&(lightest, _)| weight < lightest) {
                let mark = self.hash(&["connection", id, contact]);
                self.nearest.insert(number, (weight, mark));
            }
        }
    }

    /// Whether people were named by numbers that are in every table.
    pub fn has_numbers(&self) -> bool {
        self.numbered
    }

    /// Everyone in a dataset, with their features and label as cells.
    pub fn dataset(&mut self, dataset: &Dataset) {
        let ids = dataset.ids();
        let dense = dataset.features().map(crate::graph::Features::matrix);
        for node in dataset.graph().nodes() {
            let id = ids.get(node).to_string();
            let mut cells = Vec::new();
            if let Some(FeatureMatrix::Dense(matrix)) = dense
                && matrix.columns() <= MOST_COLUMNS
                && short_number(&id).is_some()
            {
                cells.extend(matrix.row(node as usize).iter().map(f32::to_string));
                let labels = dataset.labels();
                let class = labels.and_then(|labels| Some((labels, labels.class(node)?)));
                cells.extend(
                    class.map(|(labels, class)| labels.class_names()[class as usize].clone()),
                );
            }
            self.person(&id, cells);
        }
        if self.numbered {
            // Connections are only needed to recognise numbers.
            for (a, b) in dataset.graph().edges() {
                self.connection(&ids.get(a).to_string(), &ids.get(b).to_string());
            }
        }
    }

    /// Everyone in a table of people, by its column of ids. Columns that no reader understands are left out.
    ///
    /// # Errors
    /// If the table cannot be read, or has no such column.
    pub fn table(
        &mut self,
        path: &Path,
        table: Option<&str>,
        id: &str,
        declared: &[&str],
    ) -> Result<()> {
        let limits = Limits::default();
        let before = (self.marks.clone(), self.rests.len());
        let whole = RawTable::open(path, table, &limits).and_then(|rows| self.rows(rows, id));
        if whole.is_err() {
            // A column that is not declared may hold what is not read here, such as a picture.
            self.marks = before.0;
            self.rests.truncate(before.1);
            let columns: Vec<&str> = std::iter::once(id).chain(declared.iter().copied()).collect();
            let rows = RawTable::open_columns(path, table, &columns, &limits)?;
            self.rows(rows, id)?;
        }
        Ok(())
    }

    fn rows(&mut self, mut table: RawTable, id: &str) -> crate::graph::Result<()> {
        let of_id = table.names().iter().position(|name| name == id).unwrap_or(0);
        let others: Vec<usize> = (0..table.names().len()).filter(|&at| at != of_id).collect();
        while table.advance()? {
            let cells = others.iter().map(|&at| table.text(at));
            self.person(&table.text(of_id), cells);
        }
        Ok(())
    }

    /// Every connection in a table, by the columns of both ends.
    ///
    /// # Errors
    /// If the table cannot be read, or lacks one of the columns.
    pub fn connections(
        &mut self,
        path: &Path,
        table: Option<&str>,
        [source, target]: [&str; 2],
    ) -> Result<()> {
        let limits = Limits::default();
        let mut rows = RawTable::open_columns(path, table, &[source, target], &limits)?;
        while rows.advance()? {
            self.connection(&rows.text(0), &rows.text(1));
        }
        Ok(())
    }

    /// All marks that were made.
    pub fn finish(self) -> PeopleMarks {
        let Self { mut marks, rests, nearest, .. } = self;
        marks.connections.extend(nearest.into_values().map(|(_, mark)| mark));
        for list in [&mut marks.names, &mut marks.rows, &mut marks.connections] {
            tidy(list);
        }
        marks.repetition = repetition(rests);
        marks
    }

    /// A hash of a keyed hash: nothing can be appended to what was hashed.
    fn hash(&self, parts: &[&str]) -> u64 {
        let mut inner = self.keyed.clone();
        for part in parts {
            // Lengths first: ("ab", "c") and ("a", "bc") are different.
            inner.update((part.len() as u64).to_le_bytes());
            inner.update(part);
        }
        let outer = self.keyed.clone().chain_update(inner.finalize()).finalize();
        // 64 bits of the hash: accidents among millions of people are rare, and counted by chance
        // anyway.
        u64::from_le_bytes([
            outer[0], outer[1], outer[2], outer[3], outer[4], outer[5], outer[6], outer[7],
        ])
    }

    fn hash_row(&self, purpose: &str, cells: &[String]) -> u64 {
        let parts: Vec<&str> = std::iter::once(purpose).chain(cells.iter().map(|c| &**c)).collect();
        self.hash(&parts)
    }
}

/// The number that an id is, if such numbers are in every table.
fn short_number(id: &str) -> Option<u64> {
    match Id::parse(id) {
        Id::Integer(number) => Some(number).filter(|&number| number < SHORTEST_NAME),
        Id::Text(_) => None,
    }
}

/// A cell as all readers agree on it: numbers in single precision, text without the blanks around it.
fn canonical(cell: &str) -> String {
    let cell = cell.trim();
    match cell.parse::<f64>() {
        // -0 is 0, and what is not finite is text.
        Ok(number) if number.is_finite() => (number as f32 + 0.0).to_string(),
        _ => cell.to_owned(),
    }
}

/// The finaliser of splitmix64: every bit of the result depends on every bit of the argument.
fn mixed(mut word: u64) -> u64 {
    // SplitMix64's finaliser.
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// How likely two different people of a table have the same row but for the id: sum of k(k-1) over n(n-1).
fn repetition(mut rests: Vec<u64>) -> f64 {
    rests.sort_unstable();
    let people = rests.len() as f64;
    let pairs = rests.chunk_by(|a, b| a == b).map(|same| (same.len() * (same.len() - 1)) as f64);
    // The probability that two random people have equal records.
    if people < 2.0 { 0.0 } else { pairs.sum::<f64>() / (people * (people - 1.0)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker() -> PeopleMarker {
        PeopleMarker::new(&[7; 32])
    }

    #[test]
    fn a_file_of_marks_reads_back_equal_and_is_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.marks");
        assert!(PeopleMarks::read(&path).unwrap().is_none());
        let mut people = marker();
        people.person("ann", ["34"]);
        (0..9).for_each(|id| people.person(&id.to_string(), ["34", "north"]));
        people.connection("3", "4");
        let marks = people.finish();
        assert_eq!((marks.names.len(), marks.rows.len(), marks.connections.len()), (1, 9, 2));
        assert_eq!((marks.people(), marks.repetition), (10, 1.0));
        marks.write(&path).unwrap();
        assert_eq!(PeopleMarks::read(&path).unwrap().unwrap(), marks);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 8]).unwrap();
        assert!(PeopleMarks::read(&path).unwrap_err().to_string().contains("cut off"));
    }

    #[test]
    fn a_row_is_the_same_in_another_order_and_as_numbers() {
        let marks = |id: &str, cells: &[&str]| {
            let mut people = marker();
            people.person(id, cells);
            people.finish().rows
        };
        let row = marks("17", &["34.10", " north", ""]);
        assert_eq!(row.len(), 1);
        assert_eq!(row, marks("17", &["north", "34.1"]));
        assert_ne!(row, marks("18", &["north", "34.1"]));
        assert_ne!(row, marks("17", &["north", "34.2"]));
        assert!(marks("17", &["", " "]).is_empty(), "an id alone is in every table");
        assert!(marks("4915112345678", &["x"]).is_empty(), "a long number is a name");
    }

    #[test]
    fn repetition_counts_pairs() {
        assert_eq!(repetition(vec![1, 2, 3]), 0.0);
        assert_eq!(repetition(vec![1, 2, 1]), 2.0 / 6.0);
        assert_eq!(repetition(vec![5]), 0.0);
    }
}
