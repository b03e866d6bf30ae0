//! Options that say how to read a file when its bytes alone do not tell.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use privet::data::formats::{ColumnNames, Format, HeaderRow, Limits, ReadOptions, Spill};
use privet::graph::{Bounds, BoundsOrigin, Direction, Fact, SelfLoops};
use privet::request::Bytes;

use super::DataDir;

/// How to read. Everything is optional: by default it is detected.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingArgs {
    /// The file's format; by default it is detected
    #[arg(long, value_parser = format_parser())]
    pub format: Option<Format>,
    /// Read every line as a directed edge, from left to right
    #[arg(long, conflicts_with = "undirected")]
    pub directed: bool,
    /// Read every line as an undirected edge
    #[arg(long)]
    pub undirected: bool,
    /// Keep edges from a node to itself; by default they are dropped and counted
    #[arg(long)]
    pub keep_self_loops: bool,
    /// Column separator of an edge list: one character, `tab` or `space`
    #[arg(long, value_parser = parse_delimiter)]
    pub delimiter: Option<u8>,
    /// Whether an edge list begins with column names
    #[arg(long, value_name = "WHETHER", default_value = "detect", hide_default_value = true)]
    #[arg(value_parser = header_parser())]
    pub header: HeaderRow,
    /// Name of the source column of an edge table
    #[arg(long, value_name = "NAME")]
    pub source_column: Option<String>,
    /// Name of the target column of an edge table
    #[arg(long, value_name = "NAME")]
    pub target_column: Option<String>,
    /// Name of the label column or node attribute
    #[arg(long, value_name = "NAME")]
    pub label_column: Option<String>,
    /// Dataset to read from an archive that holds several
    #[arg(long, value_name = "NAME")]
    pub member: Option<String>,
    /// File of node features
    #[arg(long, value_name = "FILE")]
    pub features: Option<PathBuf>,
    /// File of node labels
    #[arg(long, value_name = "FILE")]
    pub labels: Option<PathBuf>,
    /// Declare the public range of every feature, as you know it without looking at the records
    #[arg(long, value_name = "LOW,HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub bounds: Option<Bounds>,
    /// Memory limit, approximate (4G, 500M); the rest is kept in files in TMPDIR or /var/tmp
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<Bytes>,
    /// Where benchmarks are.
    #[command(flatten)]
    pub data_dir: DataDir,
    /// What is public about it.
    #[command(flatten)]
    pub facts: FactOptions,
    /// How much to read.
    #[command(flatten)]
    pub limits: LimitOptions,
}

/// Facts about the data as a whole, as its holder knows them without looking at the records. A release shows
/// them, so it is refused where only the records tell.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "What is public")]
pub struct FactOptions {
    /// File of all ids, one per line in the first column; people without records are added
    #[arg(long, value_name = "FILE")]
    pub nodes: Option<PathBuf>,
    /// All classes: a list, or a file with one per line
    #[arg(long, value_name = "A,B,...|FILE")]
    pub classes: Option<String>,
    /// All feature columns: a number, or a file of names, one per line
    #[arg(long, value_name = "N|FILE")]
    pub columns: Option<String>,
    /// Treat facts read from the records as public (ids, columns, classes); the card lists them
    #[arg(long, value_name = "FACT,...", value_delimiter = ',', value_parser = fact_parser())]
    pub assume_public: Vec<Fact>,
}

/// How much a file may make us read: guards against a few bytes that expand to fill the machine.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Limits, for files from strangers")]
pub struct LimitOptions {
    /// Maximum decompressed size of one archive member, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = Bytes(Limits::default().expanded_bytes))]
    pub max_expanded_bytes: Bytes,
    /// Maximum decompression ratio of a member larger than 64 MiB
    #[arg(long, value_name = "TIMES", default_value_t = Limits::default().expansion_ratio)]
    pub max_expansion_ratio: u64,
    /// Maximum length of a text line, in bytes
    #[arg(long, value_name = "BYTES", default_value_t = Bytes(Limits::default().line_bytes as u64))]
    pub max_line_bytes: Bytes,
    /// Maximum number of nodes that a file may declare without listing them
    #[arg(long, value_name = "NODES", default_value_t = Limits::default().nodes)]
    pub max_nodes: u64,
}

impl ReadingArgs {
    /// How much memory may be used, if that was said.
    pub fn spill(&self) -> Option<Spill> {
        self.memory.map(|memory| Spill::within(memory.0))
    }

    /// The same wishes in the library's words.
    pub fn options(&self) -> ReadOptions {
        let direction = match (self.directed, self.undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        };
        ReadOptions {
            format: self.format,
            direction,
            self_loops: if self.keep_self_loops { SelfLoops::Keep } else { SelfLoops::Drop },
            delimiter: self.delimiter,
            header: self.header,
            columns: ColumnNames {
                source: self.source_column.clone(),
                target: self.target_column.clone(),
                label: self.label_column.clone(),
            },
            member: self.member.clone(),
            limits: self.limits.limits(),
            spill: self.spill(),
        }
    }
}

impl LimitOptions {
    fn limits(&self) -> Limits {
        Limits {
            expanded_bytes: self.max_expanded_bytes.0,
            expansion_ratio: self.max_expansion_ratio,
            line_bytes: usize::try_from(self.max_line_bytes.0).unwrap_or(usize::MAX),
            nodes: self.max_nodes,
        }
    }
}

/// Accepts the formats by name; clap lists them and suggests the nearest.
pub(super) fn format_parser() -> impl TypedValueParser<Value = Format> {
    let names = Format::ALL.map(Format::name);
    PossibleValuesParser::new(names).try_map(|name| Format::from_name(&name))
}

fn header_parser() -> impl TypedValueParser<Value = HeaderRow> {
    PossibleValuesParser::new(["yes", "no", "detect"]).map(|whether| match &*whether {
        "yes" => HeaderRow::Present,
        "no" => HeaderRow::Absent,
        _ => HeaderRow::Detect,
    })
}

fn fact_parser() -> impl TypedValueParser<Value = Fact> {
    PossibleValuesParser::new(Fact::ALL.map(Fact::name))
        .try_map(|name| Fact::from_name(&name).ok_or("expected ids, columns or classes"))
}

fn parse_delimiter(typed: &str) -> Result<u8, String> {
    match typed {
        "tab" | "\\t" => Ok(b'\t'),
        "space" => Ok(b' '),
        "comma" => Ok(b','),
        _ => match typed.as_bytes() {
            &[byte] if byte.is_ascii() => Ok(byte),
            _ => Err("expected one ASCII character, or `tab`, `space`".into()),
        },
    }
}

fn parse_bounds(typed: &str) -> Result<Bounds, String> {
    let number = |text: &str| text.trim().parse::<f32>().ok();
    let pair = typed.split_once(',').and_then(|(low, high)| number(low).zip(number(high)));
    let (low, high) = pair.ok_or("expected two numbers, LOW,HIGH, such as 0,1")?;
    Bounds::uniform(low, high, BoundsOrigin::Declared).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_two_finite_numbers_in_order() {
        assert_eq!(parse_bounds("-1, 2.5").unwrap().column(0), (-1.0, 2.5));
        for typed in ["1", "1,0", "0,inf", "a,b", "0;1"] {
            assert!(parse_bounds(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn delimiters_have_names_where_shells_would_eat_them() {
        assert_eq!(parse_delimiter("tab"), Ok(b'\t'));
        assert_eq!(parse_delimiter(";"), Ok(b';'));
        assert!(parse_delimiter("ab").is_err());
        assert!(parse_delimiter("é").is_err());
    }
}
