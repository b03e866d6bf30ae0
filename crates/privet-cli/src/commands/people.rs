//! Data for the commands that measure: read, or made up where it is called `synthetic`.

use std::path::Path;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Dataset, GraphSet};
use privet_lab::experiments::dprr::made_up;

use crate::args::{DataName, ReadingArgs};
use crate::commands::source::Source;
use crate::failure::Result;
use crate::output::console::Console;

/// The word that means data that is made up, and the seed it is made with.
pub(super) const SYNTHETIC: &str = "synthetic";
const SEED: u64 = 7;
/// How many threads there are, and how many users they have.
const THREADS: (usize, std::ops::Range<u32>) = (200, 40..160);

/// A graph of people; what will be `written` must not be what is read.
///
/// # Errors
/// If there is none of that name, it cannot be read, would be written over, or is a set of graphs.
pub(super) fn people(
    name: &DataName,
    reading: ReadingArgs,
    written: &[&Path],
    console: &Console,
) -> Result<Dataset> {
    match &**name {
        SYNTHETIC => Ok(StochasticBlocks::default().generate(SEED)?.with_name(SYNTHETIC)),
        _ => {
            super::project::refuse_table(name)?;
            let source = Source::find(name, reading, console)?;
            source.keep_apart(written)?;
            Ok(source.load_or_make_up("people", console)?.into_nodes()?)
        }
    }
}

/// A set of graphs; what will be `written` must not be what is read.
///
/// # Errors
/// If there is none of that name, it cannot be read, would be written over, or is one graph.
pub(super) fn graphs(
    name: &DataName,
    reading: ReadingArgs,
    written: &[&Path],
    console: &Console,
) -> Result<GraphSet> {
    match &**name {
        SYNTHETIC => made_up_threads(),
        _ => {
            super::project::refuse_table(name)?;
            let source = Source::find(name, reading, console)?;
            source.keep_apart(written)?;
            Ok(source.load_or_make_up("threads", console)?.into_graphs()?)
        }
    }
}

/// Threads that do not exist.
///
/// # Errors
/// Never in practice.
pub(super) fn made_up_threads() -> Result<GraphSet> {
    let (count, users) = THREADS;
    Ok(made_up::threads(count, users, SEED)?)
}
