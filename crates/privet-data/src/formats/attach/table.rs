//! [`Table`]: rows of a csv or tsv, with or without column names, by line.

use std::io::Read;

use csv::StringRecord;

use crate::formats::csv_table::refuse_nul;
use crate::formats::target_table::explain;
use crate::formats::{Bundle, Header, ReadOptions};
use crate::{Result, SourceLocation};

/// A table being read.
pub(super) struct Table {
    reader: csv::Reader<Box<dyn Read + Send>>,
    place: SourceLocation,
    record: StringRecord,
    /// Whether `record` holds a row that nobody has seen yet.
    pending: bool,
}

/// One row, its fields without the blanks around them.
pub(super) struct Row<'t> {
    record: &'t StringRecord,
    table: &'t SourceLocation,
}

impl Row<'_> {
    pub fn len(&self) -> usize {
        self.record.len()
    }

    /// A field, empty if the row has no such column.
    pub fn field(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default().trim()
    }

    pub fn place(&self) -> SourceLocation {
        let line = self.record.position().map_or(0, csv::Position::line);
        self.table.line(line)
    }
}

impl Table {
    pub fn open(bundle: &Bundle, member: &str, options: &ReadOptions) -> Result<Self> {
        let delimiter = match options.delimiter {
            Some(delimiter) => delimiter,
            None => guess_delimiter(&bundle.head(member)?),
        };
        let input = bundle.open(member)?;
        let reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .delimiter(delimiter)
            .buffer_capacity(1 << 16)
            .from_reader(input.reader);
        Ok(Self { reader, place: input.place, record: StringRecord::new(), pending: false })
    }

    pub fn place(&self) -> &SourceLocation {
        &self.place
    }

    /// The names of the columns, if the first row is one of names; `looks_like_names` decides where
    /// the user did not.
    pub fn header(
        &mut self,
        header: Header,
        looks_like_names: impl Fn(&Row<'_>) -> bool,
    ) -> Result<Option<Vec<String>>> {
        let Some(row) = self.next_row()? else { return Ok(None) };
        let present = match header {
            Header::Present => true,
            Header::Absent => false,
            Header::Detect => looks_like_names(&row),
        };
        if present {
            return Ok(Some((0..row.len()).map(|column| row.field(column).to_owned()).collect()));
        }
        self.pending = true;
        Ok(None)
    }

    /// The next row; all have the same number of fields, at least one.
    pub fn next_row(&mut self) -> Result<Option<Row<'_>>> {
        if !std::mem::take(&mut self.pending) {
            let more = self.reader.read_record(&mut self.record);
            if !more.map_err(|error| explain(&self.place, error))? {
                return Ok(None);
            }
        }
        let row = Row { record: &self.record, table: &self.place };
        refuse_nul(row.record, || row.place())?;
        Ok(Some(row))
    }
}

/// The first of tab, comma, semicolon and blank that the first line has.
fn guess_delimiter(head: &[u8]) -> u8 {
    let line = head.split(|&b| b == b'\n').next().unwrap_or_default();
    *b"\t,; ".iter().find(|delimiter| line.contains(delimiter)).unwrap_or(&b',')
}
