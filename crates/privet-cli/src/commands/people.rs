//! Graphs of people for the commands about node classification: read, or made up.

use privet::data::synthetic::StochasticBlocks;
use privet::graph::Dataset;

use crate::args::Reading;
use crate::console::Console;
use crate::failure::Result;
use crate::source::Source;

/// The word that means made-up people, and the seed they are made with.
const SYNTHETIC: &str = "synthetic";
const SYNTHETIC_SEED: u64 = 7;

/// A graph of people, found but not read.
#[derive(Debug)]
pub(super) enum People {
    /// They do not exist.
    Synthetic,
    /// A benchmark or a file.
    Read(Box<Source>),
}

impl People {
    /// Finds a graph by its name.
    ///
    /// # Errors
    /// If there is none.
    pub(super) fn find(name: &str, reading: Reading, console: &Console) -> Result<Self> {
        match name {
            SYNTHETIC => Ok(Self::Synthetic),
            name => Ok(Self::Read(Box::new(Source::find(name, reading, console)?))),
        }
    }

    /// Reads or makes it.
    ///
    /// # Errors
    /// If it cannot be read, or is a set of graphs.
    pub(super) fn load(&self, console: &Console) -> Result<Dataset> {
        match self {
            Self::Synthetic => {
                let people = StochasticBlocks::default().generate(SYNTHETIC_SEED)?;
                Ok(people.with_name(SYNTHETIC))
            }
            Self::Read(source) => Ok(source.load_or_make_up("people", console)?.into_nodes()?),
        }
    }
}
