//! [`Delimited`]: text with a delimiter between the cells and a first row that names the columns.
//!
//! The dialect: quotes around cells, doubled inside them, line ends inside them; `\n`, `\r\n` or `\r` after a row; a
//! byte order mark; empty lines. A row with more or fewer cells than there are names, an open quote, text after
//! a closed one, a NUL and bytes that are not UTF-8 are errors: each of them silently eats people elsewhere.

mod splitter;

use std::io::Read;
use std::path::Path;

use splitter::Splitter;

use super::cell::TableCell;
use super::rows::{RowSource, RowUnit, WantedColumn, find_columns};
use crate::formats::Limits;
use crate::{FoundValue, Result, SourceLocation};

/// What may stand between cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delimiter {
    Tab,
    /// A comma, a semicolon or a tab: whichever makes the first row name the most of the columns wanted.
    Detect,
}

impl Delimiter {
    /// What a file's name says.
    pub fn by_name(path: &Path) -> Self {
        let name = path.to_string_lossy().to_ascii_lowercase();
        // Compression is no part of the format.
        let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
        if plain.ends_with(".tsv") { Self::Tab } else { Self::Detect }
    }

    fn candidates(self) -> &'static [u8] {
        match self {
            Self::Tab => b"\t",
            Self::Detect => b",;\t",
        }
    }
}

/// A delimited text being read.
pub(super) struct Delimited {
    place: SourceLocation,
    splitter: Splitter,
    /// Where the wanted columns stand.
    columns: Vec<Option<usize>>,
    /// All columns that there are.
    names: Vec<String>,
    width: usize,
}

impl Delimited {
    /// Reads the names of the columns.
    pub fn open(
        reader: Box<dyn Read + Send>,
        place: SourceLocation,
        delimiter: Delimiter,
        wanted: &[WantedColumn<'_>],
        limits: &Limits,
    ) -> Result<Self> {
        let mut splitter = Splitter::new(reader, place.clone(), limits.line_bytes);
        let names = names(&mut splitter, delimiter, wanted)?;
        let here = place.line(splitter.line());
        let found: Vec<&str> = names.iter().map(String::as_str).collect();
        let columns = find_columns(&found, wanted, &here)?;
        let width = names.len();
        Ok(Self { place, splitter, columns, names, width })
    }
}

/// The names in the first row, split at the likeliest delimiter.
fn names(
    splitter: &mut Splitter,
    delimiter: Delimiter,
    wanted: &[WantedColumn<'_>],
) -> Result<Vec<String>> {
    // The delimiter under which most wanted names are found in the first row.
    let mut best: Option<(usize, u8)> = None;
    let mut failed = None;
    for &candidate in delimiter.candidates() {
        splitter.set_delimiter(candidate);
        match splitter.look_ahead() {
            Ok(None) => {
                return Err(splitter
                    .place()
                    .malformed("an empty table", "a first row that names the columns"));
            }
            Ok(Some(cells)) => {
                let known =
                    wanted.iter().filter(|w| cells.iter().any(|cell| cell.trim() == w.name));
                // Where no name is known, the delimiter that makes most columns is the likeliest.
                let known = if wanted.is_empty() { cells.len() } else { known.count() };
                if best.is_none_or(|(most, _)| known > most) {
                    best = Some((known, candidate));
                }
            }
            // An error counts only if no delimiter reads the row at all.
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    if let Some((_, delimiter)) = best {
        splitter.set_delimiter(delimiter);
        splitter.advance()?;
    } else if let Some(error) = failed {
        return Err(error);
    }
    Ok(splitter.cells().map(|cell| cell.trim().to_owned()).collect())
}

impl RowSource for Delimited {
    #[inline]
    fn advance(&mut self) -> Result<bool> {
        if !self.splitter.advance()? {
            return Ok(false);
        }
        let count = self.splitter.len();
        // A row of another length shifts its cells into wrong columns.
        if count != self.width {
            let found = FoundValue::words(format!("{count} cells"));
            let expected = format!("{}, as many as columns are named", self.width);
            return Err(self.place.line(self.number()).malformed(found, expected));
        }
        Ok(true)
    }

    fn names(&self) -> Vec<String> {
        let name = |at: &Option<usize>| at.map_or_else(String::new, |at| self.names[at].clone());
        self.columns.iter().map(name).collect()
    }

    fn has(&self, wanted: usize) -> bool {
        self.columns[wanted].is_some()
    }

    #[inline]
    fn cell(&self, wanted: usize) -> TableCell<'_> {
        match self.columns[wanted] {
            Some(at) => TableCell::text(self.splitter.cell(at)),
            None => TableCell::Nothing,
        }
    }

    fn number(&self) -> u64 {
        self.splitter.line()
    }

    fn counted(&self) -> RowUnit {
        RowUnit::Lines
    }

    fn file(&self) -> &SourceLocation {
        &self.place
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn read_with(
        text: &[u8],
        delimiter: Delimiter,
        columns: &[&str],
        limits: &Limits,
    ) -> Result<Vec<(u64, Vec<String>)>> {
        let wanted: Vec<WantedColumn<'_>> =
            columns.iter().map(|name| WantedColumn::required(name)).collect();
        let reader = Box::new(Slow(Cursor::new(text.to_vec())));
        let mut rows =
            Delimited::open(reader, SourceLocation::file("t.csv"), delimiter, &wanted, limits)?;
        let mut all = Vec::new();
        while rows.advance()? {
            let cells = (0..columns.len()).map(|at| rows.cell(at).as_text().into_owned());
            all.push((rows.number(), cells.collect()));
        }
        Ok(all)
    }

    fn read(text: impl AsRef<[u8]>, columns: &[&str]) -> Result<Vec<(u64, Vec<String>)>> {
        read_with(text.as_ref(), Delimiter::Detect, columns, &Limits::default())
    }

    fn message(text: impl AsRef<[u8]>, columns: &[&str]) -> String {
        read(text, columns).unwrap_err().to_string()
    }

    /// Hands out a byte or two at a time, so that everything is torn somewhere.
    struct Slow(Cursor<Vec<u8>>);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let few = buffer.len().min(1 + self.0.position() as usize % 2);
            self.0.read(&mut buffer[..few])
        }
    }

    fn row(line: u64, cells: &[&str]) -> (u64, Vec<String>) {
        (line, cells.iter().map(|&cell| cell.into()).collect())
    }

    #[test]
    fn cells_by_name_whatever_ends_the_lines() {
        for end in ["\n", "\r\n", "\r"] {
            let text = ["id,skipped,age", "ann,x,1", "", "bob, y , 2 "].join(end);
            let expected = [row(2, &["1", "ann"]), row(4, &["2", "bob"])];
            assert_eq!(read(&text, &["age", "id"]).unwrap(), expected, "{end:?}");
            assert_eq!(read(text + end, &["age", "id"]).unwrap(), expected, "{end:?}");
        }
    }

    #[test]
    fn quotes_hold_delimiters_line_ends_and_quotes() {
        let text = "\u{feff}\"id\",notes\r\n1,\"a, \"\"b\"\"\r\nsecond line\"\r\n2, \"x\" \n3,5\" pipe\n\"\",\"\"\n";
        let expected = [
            row(2, &["1", "a, \"b\"\r\nsecond line"]),
            row(4, &["2", "x"]),
            row(5, &["3", "5\" pipe"]),
            row(6, &["", ""]),
        ];
        assert_eq!(read(text, &["id", "notes"]).unwrap(), expected);
    }

    #[test]
    fn the_delimiter_is_the_one_that_names_the_columns() {
        for text in ["id;x,y\n1;2", "id\tx,y\n1\t2"] {
            assert_eq!(read(text, &["id", "x,y"]).unwrap(), [row(2, &["1", "2"])]);
        }
        assert_eq!(read("\"id\";\"a;b\"\n1;2", &["id", "a;b"]).unwrap(), [row(2, &["1", "2"])]);
        assert_eq!(read("id\nann\n", &["id"]).unwrap(), [row(2, &["ann"])]);
        let tabs = read_with(b"id,a\tb\n1\t2", Delimiter::Tab, &["id,a"], &Limits::default());
        assert_eq!(tabs.unwrap(), [row(2, &["1"])]);
        assert_eq!(Delimiter::by_name(Path::new("a/B.TSV.gz")), Delimiter::Tab);
        assert_eq!(Delimiter::by_name(Path::new("b.txt")), Delimiter::Detect);
    }

    #[test]
    fn what_would_lose_people_is_an_error_with_its_line() {
        let names = ["id", "a"];
        let cases: [(&[u8], &str); 9] = [
            (b"", "t.csv: found an empty table"),
            (b"\n\r\n\n", "t.csv: found an empty table"),
            (b"id,a\n1,2\n\n3\n", "line 4: found 1 cells; expected 2"),
            (b"id,a\n1,2,3\n", "line 2: found 3 cells; expected 2"),
            (b"id,a\n1,\"x\n2,y\n3,z\n", "line 2: found a quote that is never closed"),
            (b"id,a\n1,\"x\ny\" z\n", "line 3: found text after a closing quote"),
            (b"id,a\n1,2\n\xff,3\n", "line 3: found bytes that are not UTF-8"),
            (b"id,a\n1,2\nx\0y,3\n", "line 3: found a NUL byte"),
            (b"id,a\n1,2\n3,\xe5\xa3", "line 3: found bytes that are not UTF-8"),
        ];
        for (text, expected) in cases {
            let message = message(text, &names);
            assert!(message.contains(expected), "{}: {message}", String::from_utf8_lossy(text));
        }
        assert!(message(b"\xff\xfei\0d\0", &names).contains("not UTF-8"));
    }

    #[test]
    fn columns_that_are_not_there() {
        let told_of = message("ann,34\nbob,17\n", &["id", "age"]);
        assert!(told_of.contains("no column 'id' among (hidden)"), "{told_of}");
        assert!(told_of.contains("a first row that names the columns"), "{told_of}");
        assert!(!told_of.contains("34") && !told_of.contains("ann"), "{told_of}");
        let near = message("ID,Age\n1,2\n", &["ID", "age"]);
        assert!(near.contains("line 1: ") && near.contains("(there is 'Age')"), "{near}");
        assert!(message("id,id\n1,2\n", &["id"]).contains("two columns called 'id'"));
        assert!(read("x,x,id\n1,2,3\n", &["id"]).is_ok());
    }

    #[test]
    fn a_line_without_end_is_cut_short() {
        let limits = Limits { line_bytes: 1000, ..Limits::default() };
        let text = format!("id,a\n1,\"{}", "x".repeat(5000));
        let error = read_with(text.as_bytes(), Delimiter::Detect, &["id"], &limits).unwrap_err();
        assert!(error.to_string().contains("--max-line-bytes"), "{error}");
    }

    /// A cell as a careful writer writes it.
    fn quoted(cell: &str) -> String {
        format!("\"{}\"", cell.replace('"', "\"\""))
    }

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(
            cells in prop::collection::vec(("[a,;\"\n\r\t é]{0,6}", "[a,;\"\n\r\t é]{0,6}"), 1..6)
        ) {
            let lines = cells.iter().map(|(a, b)| format!("{},{}\n", quoted(a), quoted(b)));
            let text: String = std::iter::once("p,q\n".to_owned()).chain(lines).collect();
            let read: Vec<Vec<String>> =
                read(text, &["p", "q"]).unwrap().into_iter().map(|(_, cells)| cells).collect();
            let trimmed = |(a, b): &(String, String)| vec![a.trim().to_owned(), b.trim().to_owned()];
            prop_assert_eq!(read, cells.iter().map(trimmed).collect::<Vec<_>>());
        }

        /// Another splitter, the same cells, wherever both accept the text.
        #[test]
        fn agrees_with_the_csv_crate(text in "[ab,\"\n\r]{0,40}") {
            let text = format!("p,q\n{text}\n");
            if let Ok(ours) = read(&text, &["p", "q"]) {
                let mut theirs = csv::ReaderBuilder::new().from_reader(text.as_bytes());
                let theirs: Vec<Vec<String>> = theirs
                    .records()
                    .map(|record| record.unwrap().iter().map(|cell| cell.trim().to_owned()).collect())
                    .collect();
                prop_assert_eq!(ours.into_iter().map(|(_, cells)| cells).collect::<Vec<_>>(), theirs);
            }
        }

        #[test]
        fn no_bytes_panic(text in prop::collection::vec(any::<u8>(), 0..80)) {
            let _ = read(&text, &["a"]);
            let mut named = b"a,b\n".to_vec();
            named.extend(text);
            let _ = read(&named, &["a"]);
        }
    }
}
