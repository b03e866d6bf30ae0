//! [`OutputForm`]: the formats that are one file, by what they need of whatever they are written to.

use std::io::{Seek, Write};

use super::parquet;
use super::target::WriteTarget;
use crate::formats::{csv_folder, gin_text, graphml, npz};
use crate::{Dataset, GraphSet, Loaded, Place, Result};

/// What is written, and how.
pub(super) enum OutputForm<'a> {
    Text(Text<'a>),
    Binary(Binary<'a>),
}

/// Written from the beginning to the end.
pub(super) enum Text<'a> {
    Edges(&'a Dataset, u8),
    GraphMl(&'a Dataset),
    Set(&'a GraphSet),
}

/// Written with an eye on what was written before.
pub(super) enum Binary<'a> {
    Npz(&'a Dataset),
    EdgeIndex(&'a Dataset),
    Parquet(&'a Dataset),
}

impl<'a> OutputForm<'a> {
    /// The form of a target that is a file and fits; a folder is written as its edges.
    pub fn of(loaded: &'a Loaded, target: WriteTarget) -> Self {
        match (loaded, target) {
            (Loaded::Graphs(set), _) => Self::Text(Text::Set(set)),
            (Loaded::Nodes(dataset), WriteTarget::EdgeText(separator)) => {
                Self::Text(Text::Edges(dataset, separator))
            }
            (Loaded::Nodes(dataset), WriteTarget::GraphMl) => Self::Text(Text::GraphMl(dataset)),
            (Loaded::Nodes(dataset), WriteTarget::Npz) => Self::Binary(Binary::Npz(dataset)),
            (Loaded::Nodes(dataset), WriteTarget::EdgeIndex) => {
                Self::Binary(Binary::EdgeIndex(dataset))
            }
            (Loaded::Nodes(dataset), WriteTarget::EdgeParquet) => {
                Self::Binary(Binary::Parquet(dataset))
            }
            (Loaded::Nodes(dataset), WriteTarget::Folder(_) | WriteTarget::GinText) => {
                Self::Text(Text::Edges(dataset, b','))
            }
        }
    }
}

impl Text<'_> {
    pub fn write(&self, out: &mut impl Write, place: &Place) -> Result<()> {
        match self {
            Self::Edges(dataset, separator) => {
                let written = csv_folder::write_edges(dataset, *separator, out);
                written.map_err(|error| place.io(error))
            }
            Self::GraphMl(dataset) => graphml::write(dataset, out),
            Self::Set(set) => gin_text::write(set, out),
        }
    }
}

impl Binary<'_> {
    pub fn write(&self, out: &mut (impl Write + Seek + Send), place: &Place) -> Result<()> {
        match self {
            Self::Npz(dataset) => npz::write(dataset, out),
            Self::EdgeIndex(dataset) => npz::write_edge_index(dataset, out),
            Self::Parquet(dataset) => parquet::write_edges(dataset, out, place),
        }
    }
}
