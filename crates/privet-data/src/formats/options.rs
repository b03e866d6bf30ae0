//! [`ReadOptions`]: what a user may say about a file when its bytes alone do not tell.

use super::{Format, Limits, Spill};
use crate::{Direction, FoundValue, Result, SelfLoops, SourceLocation};

/// Whether the first line of a table names its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Header {
    /// Look: a first line that cannot be data is a header.
    #[default]
    Detect,
    /// It does.
    Present,
    /// It does not.
    Absent,
}

/// Columns by their names, where what they are called does not tell what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnNames {
    /// Where an edge comes from.
    pub source: Option<String>,
    /// Where it goes to.
    pub target: Option<String>,
    /// The label of a node: a column of a table of nodes or labels, or an attribute in GraphML.
    pub label: Option<String>,
}

impl ColumnNames {
    /// Whether a column of edges is named.
    pub(crate) fn name_edges(&self) -> bool {
        self.source.is_some() || self.target.is_some()
    }

    /// The columns of the two ends of an edge: those that are named, and for one that is not the one that was
    /// `found` otherwise, or the first other.
    ///
    /// # Errors
    /// If there is no such column, or both are the same.
    pub(crate) fn edges(
        &self,
        names: &[&str],
        found: [usize; 2],
        place: &SourceLocation,
    ) -> Result<[usize; 2]> {
        let column = |option: &Option<String>, flag: &str| {
            option.as_deref().map(|wanted| find(names, wanted, flag, place)).transpose()
        };
        let named = [column(&self.source, "source")?, column(&self.target, "target")?];
        let free = |taken: usize, usual: usize| {
            let others = [usual, 0, 1];
            others.into_iter().find(|&other| other != taken).unwrap_or(usual)
        };
        Ok(match named {
            [None, None] => found,
            [Some(source), None] => [source, free(source, found[1])],
            [None, Some(target)] => [free(target, found[0]), target],
            [Some(source), Some(target)] if source == target => {
                let twice =
                    FoundValue::words(format!("the column '{}' for both ends", names[source]));
                return Err(place.malformed(twice, "one for the source and another for the target"));
            }
            [Some(source), Some(target)] => [source, target],
        })
    }

    /// The column of the label, if one is named.
    ///
    /// # Errors
    /// If there is no such column.
    pub(crate) fn label(&self, names: &[&str], place: &SourceLocation) -> Result<Option<usize>> {
        self.label.as_deref().map(|wanted| find(names, wanted, "label", place)).transpose()
    }
}

/// A column by its name: as it is written, or else but for capitals.
fn find(names: &[&str], wanted: &str, flag: &str, place: &SourceLocation) -> Result<usize> {
    let exact = names.iter().position(|name| *name == wanted);
    let found = exact.or_else(|| names.iter().position(|name| name.eq_ignore_ascii_case(wanted)));
    found.ok_or_else(|| {
        let expected = match names.is_empty() {
            true => "column names, as --header yes promises".to_owned(),
            false => format!("one of: {}", names.join(", ")),
        };
        place.malformed(
            FoundValue::words(format!("no column '{wanted}' (--{flag}-column)")),
            expected,
        )
    })
}

/// How to read. The default detects everything and keeps what the file says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The format, if it is not to be detected.
    pub format: Option<Format>,
    /// Directed or not; `None`: as the file says, and undirected if it does not.
    pub direction: Option<Direction>,
    /// Whether self-loops stay.
    pub self_loops: SelfLoops,
    /// What stands between the columns of an edge list; `None`: detect.
    pub delimiter: Option<u8>,
    /// Whether an edge list begins with column names.
    pub header: Header,
    /// Columns by their names.
    pub columns: ColumnNames,
    /// Which dataset of an archive that holds several (`chameleon` in `wikipedia.zip`).
    pub member: Option<String>,
    /// How much a file may make us read.
    pub limits: Limits,
    /// Where edges go that do not fit into memory; `None`: they are held there all the same.
    pub spill: Option<Spill>,
}
