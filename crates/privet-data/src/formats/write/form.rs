//! [`Form`]: the formats that are one file, by what they need of whatever they are written to.

use std::io::{Seek, Write};

use super::parquet;
use super::target::Target;
use crate::formats::{csv_folder, gin_text, graphml, npz};
use crate::{Dataset, GraphSet, LoadedData, Result, SourceLocation};

/// What is written, and how.
pub(super) enum Form<'a> {
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

impl<'a> Form<'a> {
    /// The form of a target that is a file and fits; a folder is written as its edges.
    pub fn of(loaded: &'a LoadedData, target: Target) -> Self {
        match (loaded, target) {
            (LoadedData::Graphs(set), _) => Self::Text(Text::Set(set)),
            (LoadedData::Nodes(dataset), Target::EdgeText(separator)) => {
                Self::Text(Text::Edges(dataset, separator))
            }
            (LoadedData::Nodes(dataset), Target::GraphMl) => Self::Text(Text::GraphMl(dataset)),
            (LoadedData::Nodes(dataset), Target::Npz) => Self::Binary(Binary::Npz(dataset)),
            (LoadedData::Nodes(dataset), Target::EdgeIndex) => {
                Self::Binary(Binary::EdgeIndex(dataset))
            }
            (LoadedData::Nodes(dataset), Target::EdgeParquet) => {
                Self::Binary(Binary::Parquet(dataset))
            }
            (LoadedData::Nodes(dataset), Target::Folder(_) | Target::GinText) => {
                Self::Text(Text::Edges(dataset, b','))
            }
        }
    }
}

impl Text<'_> {
    pub fn write(&self, out: &mut impl Write, place: &SourceLocation) -> Result<()> {
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
    pub fn write(
        &self,
        out: &mut (impl Write + Seek + Send),
        place: &SourceLocation,
    ) -> Result<()> {
        match self {
            Self::Npz(dataset) => npz::write(dataset, out),
            Self::EdgeIndex(dataset) => npz::write_edge_index(dataset, out),
            Self::Parquet(dataset) => parquet::write_edges(dataset, out, place),
        }
    }
}
