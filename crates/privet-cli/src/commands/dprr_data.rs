//! Sets of graphs for the commands about DPRR: read, or made up.

use privet::graph::GraphSet;
use privet_lab::experiments::dprr::made_up;

use crate::args::Reading;
use crate::console::Console;
use crate::failure::Result;
use crate::source::Source;

/// The word that means made-up threads.
pub const SYNTHETIC: &str = "synthetic";
/// How many there are, how many users they have, and the seed they are made with.
const THREADS: (usize, std::ops::Range<u32>, u64) = (200, 40..160, 7);

/// A set of graphs, found but not read.
#[derive(Debug)]
pub enum Graphs {
    /// Threads that do not exist.
    Synthetic,
    /// A benchmark or a file.
    Read(Box<Source>),
}

impl Graphs {
    /// Finds a set by its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(name: &str, reading: Reading, console: &Console) -> Result<Self> {
        match name {
            SYNTHETIC => Ok(Self::Synthetic),
            name => Ok(Self::Read(Box::new(Source::find(name, reading, console)?))),
        }
    }

    /// Reads or makes it.
    ///
    /// # Errors
    /// If it cannot be read, or is one graph and no set.
    pub fn load(&self, console: &Console) -> Result<GraphSet> {
        match self {
            Self::Synthetic => made_up_threads(),
            Self::Read(source) => Ok(source.load_or_make_up("threads", console)?.into_graphs()?),
        }
    }
}

/// Threads that do not exist.
///
/// # Errors
/// Never in practice.
pub fn made_up_threads() -> Result<GraphSet> {
    let (count, users, seed) = THREADS;
    Ok(made_up::threads(count, users, seed)?)
}
