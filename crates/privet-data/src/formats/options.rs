//! [`ReadOptions`]: what a user may say about a file when its bytes alone do not tell.

use super::{Format, Limits};
use crate::{Direction, SelfLoops};

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
    /// Which dataset of an archive that holds several (`chameleon` in `wikipedia.zip`).
    pub member: Option<String>,
    /// How much a file may make us read.
    pub limits: Limits,
}
