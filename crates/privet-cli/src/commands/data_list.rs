//! `privet data list [NAME...]`: the public benchmarks, and which of them are here.

use std::path::PathBuf;

use privet::data::catalog::Entry;

use crate::catalog_facts::{Detail, Listing};
use crate::console::Console;
use crate::failure::Result;

/// Benchmarks to show.
#[derive(Debug)]
pub struct Plan {
    /// The benchmarks.
    pub entries: Vec<&'static Entry>,
    /// Where to look for their files.
    pub folders: Vec<PathBuf>,
    /// How much to say.
    pub detail: Detail,
}

impl Plan {
    /// Looks for the files and shows the list.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn run(self, console: &Console) -> Result<()> {
        console.answer(&Listing::of(&self.entries, &self.folders, self.detail))
    }
}
