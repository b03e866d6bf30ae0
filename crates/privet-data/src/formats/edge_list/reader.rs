//! [`EdgeLines`]: takes the lines of one edge list and makes numbered edges of them.

use super::dialect::{Dialect, FirstLine, is_number};
use super::fields::{Broken, Fields};
use super::numbering::Numbering;
use crate::formats::ReadOptions;
use crate::formats::pair_lines::{PairSink, Separator};
use crate::{Error, FoundValue, Id, Notice, Result, SourceLocation};

/// Lines looked at to tell the dialect; fewer if they are long.
const SAMPLE_LINES: usize = 32;
const SAMPLE_BYTES: usize = 1 << 16;

const EXPECTED_IDS: &str = "ids that are non-negative integers or names";

/// One edge list on its way to pairs of nodes.
pub(super) struct EdgeLines<'a> {
    place: SourceLocation,
    options: &'a ReadOptions,
    /// Unknown while the first lines are collected in `sample`.
    dialect: Option<Dialect>,
    sample: Vec<(u64, Vec<u8>)>,
    sample_bytes: usize,
    pub numbering: Numbering,
    pub notices: Vec<Notice>,
    column_names: Vec<String>,
    /// Where the two ids stand, if not in the first two columns.
    columns: Option<[usize; 2]>,
    has_extra_columns: bool,
    has_names: bool,
    /// The first integer that 64 bits cannot hold: a name if there are names, else an error.
    oversized: Option<(u64, String)>,
}

impl<'a> EdgeLines<'a> {
    pub fn new(place: SourceLocation, options: &'a ReadOptions) -> Self {
        Self {
            place,
            options,
            dialect: None,
            sample: Vec::new(),
            sample_bytes: 0,
            numbering: Numbering::new(options),
            notices: Vec::new(),
            column_names: Vec::new(),
            columns: None,
            has_extra_columns: false,
            has_names: false,
            oversized: None,
        }
    }

    /// Settles what only the end of the file can tell.
    pub fn end(&mut self) -> Result<()> {
        if self.dialect.is_none() {
            self.begin()?;
        }
        if let (false, Some((number, id))) = (self.has_names, &self.oversized) {
            let expected = "integers below 2^64 (or names throughout)";
            return Err(self.place.line(*number).malformed(format!("the id {id}"), expected));
        }
        if self.numbering.len() == 0 {
            return Err(self.place.malformed("no edges", "lines of two ids"));
        }
        Ok(())
    }

    /// Tells the dialect from the sample, then takes the sample's lines.
    fn begin(&mut self) -> Result<()> {
        let sample = std::mem::take(&mut self.sample);
        let lines: Vec<&[u8]> = sample.iter().map(|(_, line)| line.as_slice()).collect();
        let mut dialect = Dialect::detect(&lines, self.options)?;
        let chosen = self.options.columns.name_edges();
        if chosen {
            // Whoever names columns says that the first line does.
            dialect.first_line = FirstLine::Names;
        }
        self.dialect = Some(dialect);
        let mut records = sample.iter();
        if dialect.first_line != FirstLine::Data
            && let Some((number, line)) = records.next()
        {
            self.column_names = Fields::new(line, dialect.separator)
                .map_while(|name| Some(String::from_utf8_lossy(&name.ok()?).into_owned()))
                .collect();
            if chosen {
                let names: Vec<&str> = self.column_names.iter().map(String::as_str).collect();
                let place = self.place.line(*number);
                self.columns = Some(self.options.columns.edges(&names, [0, 1], &place)?);
            }
            if dialect.first_line == FirstLine::NamesByContrast {
                let names = self.column_names.join(", ");
                let text = format!("taken for column names, not for an edge: {names}");
                self.notices.push(Notice::new(&self.place.line(*number), text));
            }
        }
        records.try_for_each(|(number, line)| self.line(*number, line))
    }

    fn collect(&mut self, number: u64, line: &[u8]) -> Result<()> {
        self.sample.push((number, line.to_vec()));
        self.sample_bytes += line.len();
        let enough = self.sample.len() > 1 && self.sample_bytes > SAMPLE_BYTES;
        if enough || self.sample.len() == SAMPLE_LINES {
            return self.begin();
        }
        Ok(())
    }

    fn record(&mut self, number: u64, line: &[u8], separator: Separator) -> Result<()> {
        if let Some(columns) = self.columns {
            return self.chosen(number, line, columns, separator);
        }
        let mut fields = Fields::new(line, separator);
        let (first, second) = (fields.next(), fields.next());
        for field in [&first, &second].into_iter().flatten() {
            field.as_ref().map_err(|&broken| self.broken(number, broken))?;
        }
        let (Some(Ok(first)), Some(Ok(second))) = (first, second) else {
            return Err(self.too_few(number, line, separator));
        };
        // The other columns are not wanted, but a quotation open at their end would make the next
        // line something else than an edge.
        if Fields::quoting(separator) && memchr::memchr(b'"', fields.rest()).is_some() {
            let broken = fields.clone().find_map(std::result::Result::err);
            broken.map_or(Ok(()), |broken| Err(self.broken(number, broken)))?;
        }
        if !self.has_extra_columns && fields.rest().iter().any(|&byte| !separator.pads(byte)) {
            self.note_extra_columns(number, fields.count());
        }
        self.edge(number, [&first, &second])
    }

    /// A line whose ids stand in columns that were named.
    fn chosen(
        &mut self,
        number: u64,
        line: &[u8],
        columns: [usize; 2],
        separator: Separator,
    ) -> Result<()> {
        let fields: std::result::Result<Vec<_>, Broken> = Fields::new(line, separator).collect();
        let fields = fields.map_err(|broken| self.broken(number, broken))?;
        let [Some(first), Some(second)] = columns.map(|column| fields.get(column)) else {
            let found = FoundValue::words(format!("{} columns", fields.len()));
            let expected = format!("{}, as in the first line", self.column_names.len());
            return Err(self.place.line(number).malformed(found, expected));
        };
        if !self.has_extra_columns && fields.len() > 2 {
            self.note_extra_columns(number, fields.len() - 2);
        }
        self.edge(number, [first, second])
    }

    fn broken(&self, number: u64, broken: Broken) -> Error {
        let (found, expected) = match broken {
            Broken::Unclosed => ("a quote that does not close", "its end on the same line"),
            Broken::AfterQuote => ("text after a closing quote", "a separator or the line's end"),
        };
        self.place.line(number).malformed(found, expected)
    }

    /// What text has no use for inside an id.
    fn control(&self, number: u64, field: &[u8]) -> Error {
        let place = self.place.line(number);
        match field.contains(&0) {
            true => place.malformed("a NUL byte in an id", "text"),
            false => place.malformed(
                "a carriage return inside a line (line ends of old Macs?)",
                "lines that end in LF or CR LF",
            ),
        }
    }

    fn too_few(&self, number: u64, line: &[u8], separator: Separator) -> Error {
        let apart = match separator {
            Separator::Blanks => "blanks".into(),
            Separator::Byte(byte) => format!("{:?}", char::from(byte)),
        };
        let found = format!("one column ({})", excerpt(line));
        self.place.line(number).malformed(found, format!("two ids separated by {apart}"))
    }

    fn note_extra_columns(&mut self, number: u64, count: usize) {
        self.has_extra_columns = true;
        let used = self.columns.unwrap_or([0, 1]);
        let others = self.column_names.iter().enumerate().filter(|(at, _)| !used.contains(at));
        let names = others.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
        let called = if names.is_empty() { String::new() } else { format!(" ({names})") };
        let columns = if count == 1 { "column" } else { "columns" };
        let which = if self.columns.is_some() { "beside the two" } else { "after the first two" };
        let text = format!("{count} {columns} {which}{called} ignored");
        self.notices.push(Notice::new(&self.place.line(number), text));
    }

    fn edge(&mut self, number: u64, fields: [&[u8]; 2]) -> Result<()> {
        let mut texts = [""; 2];
        for (text, field) in texts.iter_mut().zip(fields) {
            if memchr::memchr2(0, b'\r', field).is_some() {
                return Err(self.control(number, field));
            }
            *text = std::str::from_utf8(field).map_err(|error| {
                let found = FoundValue::words(format!(
                    "bytes that are not UTF-8 (at byte {})",
                    error.valid_up_to()
                ));
                self.place.line(number).malformed(found, "UTF-8 text")
            })?;
        }
        if let [Id::Integer(from), Id::Integer(to)] = texts.map(Id::parse) {
            self.numbering.integers([from, to]);
            return Ok(());
        }
        for text in texts {
            self.check_name(number, text)?;
        }
        self.numbering.texts(texts);
        Ok(())
    }

    /// Sorts out what stands where an id should: a name, or a number that cannot be an id.
    fn check_name(&mut self, number: u64, text: &str) -> Result<()> {
        let wrong = |found: String| Err(self.place.line(number).malformed(found, EXPECTED_IDS));
        match Id::parse(text) {
            Id::Integer(_) => {}
            Id::Text("") => return wrong("an empty column".into()),
            Id::Text(_) if text.starts_with('-') && is_number(text.as_bytes()) => {
                return wrong(format!("the negative id {}", excerpt(text.as_bytes())));
            }
            // All digits, none of them padding, yet no u64: too large.
            Id::Text(_) if is_number(text.as_bytes()) && !text.starts_with(['0', '+']) => {
                if self.oversized.is_none() {
                    self.oversized = Some((number, excerpt(text.as_bytes())));
                }
            }
            Id::Text(_) => self.has_names = true,
        }
        Ok(())
    }
}

/// The first characters of what was found, for a message.
fn excerpt(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
    if bytes.len() > 60 { format!("'{text}...'") } else { format!("'{text}'") }
}

/// Whether the line is blank or a comment (`#` as SNAP has them, `%` as KONECT and Matrix Market).
pub(super) fn is_comment(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), None | Some(b'#' | b'%'))
}

/// The first line without the mark that some editors put before UTF-8 text.
pub(super) fn without_byte_order_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

impl PairSink for EdgeLines<'_> {
    fn separator(&self) -> Option<Separator> {
        // Columns that were named are found in every line, never taken for the first two.
        self.dialect.filter(|_| self.columns.is_none()).map(|dialect| dialect.separator)
    }

    fn pair(&mut self, _: u64, ids: [u64; 2]) -> Result<()> {
        self.numbering.integers(ids);
        Ok(())
    }

    fn line(&mut self, number: u64, line: &[u8]) -> Result<()> {
        let line = if number == 1 { without_byte_order_mark(line) } else { line };
        match self.dialect {
            _ if is_comment(line) => Ok(()),
            Some(dialect) => self.record(number, line, dialect.separator),
            None => self.collect(number, line),
        }
    }
}
