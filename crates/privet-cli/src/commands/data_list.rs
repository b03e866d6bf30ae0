//! `privet data list [NAME...]`: the public benchmarks, and which of them are here.

use std::io::{self, Write};
use std::path::PathBuf;

use privet_graph::catalog::{CountSource, Counts, Entry, File, Located, Need, Origin, Variant};
use serde::Serialize;

use crate::console::{Answer, Console};
use crate::failure::Result;
use crate::style::{
    self, ACCENT, Align, Cell, FAINT, GOOD, NOTE, STRONG, Table, bytes, count, shortened,
};

/// How much to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line each.
    Summary,
    /// Variants, files and checksums.
    Files,
}

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
        let of = |entry: &'static Entry| Listed::of(entry, &self.folders, self.detail);
        let listed = self.entries.into_iter().map(of).collect();
        let folders = self.folders.iter().map(|dir| dir.display().to_string()).collect();
        console.answer(&Listing { listed, folders, detail: self.detail })
    }
}
