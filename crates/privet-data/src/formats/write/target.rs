//! [`WriteTarget`]: what is to be written, by the option or by the name of the file.

use std::io::{Seek, Write};
use std::path::Path;

use privet_graph::files::is_standard;

use super::Packing;
use crate::formats::write::parquet;
use crate::formats::{Format, csv_folder, gin_text, graphml, npz};
use crate::{Dataset, FoundValue, GraphSet, LoadedData, Result, SourceLocation};

/// Tables that come as a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FolderTables {
    Csv,
    Parquet,
    /// Arrays, read where they lie.
    Csr,
}

/// What is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WriteTarget {
    Folder(FolderTables),
    /// Text, edges alone, with this byte between the columns.
    EdgeText(u8),
    EdgeParquet,
    Npz,
    EdgeIndex,
    GraphMl,
    GinText,
}

const KNOWN: &str = "a folder name, or one of .npz, .graphml, .csv, .tsv (and .gz or .zst of these three), .parquet, \
                     .txt, .csr (a folder); or name the format with --to";

impl WriteTarget {
    /// What a path, and perhaps a format, mean.
    ///
    /// # Errors
    /// If the ending tells no format, or the format cannot be written there.
    pub fn of(
        path: &Path,
        format: Option<Format>,
        place: &SourceLocation,
    ) -> Result<(Self, Packing)> {
        if is_standard(path) {
            return Err(place.refused("a name is needed here, not standard output"));
        }
        let name = path.as_os_str().to_string_lossy().to_lowercase();
        // What ends in a slash is a folder, whatever else is in its name.
        let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
        // The ending of the compression first, then that of the format.
        let (name, packing) = Packing::of(name);
        let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty());
        let ending = ending.map_or("", |(_, ending)| ending);
        let target = Self::by_ending(ending, format, place)?;
        if packing != Packing::None && !target.is_text() {
            let found = FoundValue::words(format!("the ending .{}", packing.ending()));
            let expected = "it after .csv, .tsv, .graphml or .txt: other formats are compressed already, or folders";
            return Err(place.malformed(found, expected));
        }
        Ok((target, packing))
    }

    fn by_ending(ending: &str, format: Option<Format>, place: &SourceLocation) -> Result<Self> {
        Ok(match (format, ending) {
            // The order matters: a named format wins over an ending.
            (None, "") => Self::Folder(FolderTables::Csv),
            (None | Some(Format::Csv | Format::EdgeList), "tsv") => Self::EdgeText(b'\t'),
            (None | Some(Format::Csv), "csv") | (Some(Format::EdgeList), _) => Self::EdgeText(b','),
            (None | Some(Format::Parquet), "parquet") => Self::EdgeParquet,
            (Some(Format::Csv), _) => Self::Folder(FolderTables::Csv),
            (Some(Format::Parquet), _) => Self::Folder(FolderTables::Parquet),
            (None, "csr") | (Some(Format::CsrFolder), _) => Self::Folder(FolderTables::Csr),
            (None, "npz") | (Some(Format::Npz), _) => Self::Npz,
            (Some(Format::EdgeIndex), _) => Self::EdgeIndex,
            (None, "graphml") | (Some(Format::GraphMl), _) => Self::GraphMl,
            (None, "txt") | (Some(Format::GinText), _) => Self::GinText,
            (None, ending) => {
                return Err(
                    place.malformed(FoundValue::words(format!("the ending .{ending}")), KNOWN)
                );
            }
            (Some(other), _) => return Err(only_read(other, place)),
        })
    }

    /// What a format means where there is one stream and no name: edges, unless something else is asked for.
    ///
    /// # Errors
    /// If the format cannot be written.
    pub fn of_stream(format: Option<Format>, place: &SourceLocation) -> Result<Self> {
        Ok(match format {
            None | Some(Format::Csv | Format::EdgeList) => Self::EdgeText(b','),
            Some(Format::Parquet) => Self::EdgeParquet,
            Some(Format::Npz) => Self::Npz,
            Some(Format::EdgeIndex) => Self::EdgeIndex,
            Some(Format::GraphMl) => Self::GraphMl,
            Some(Format::GinText) => Self::GinText,
            Some(other) => return Err(only_read(other, place)),
        })
    }

    fn is_text(self) -> bool {
        matches!(self, Self::EdgeText(_) | Self::GraphMl | Self::GinText)
    }

    /// Whether it has room for edges and nothing else.
    pub fn is_edges_alone(self) -> bool {
        matches!(self, Self::EdgeText(_) | Self::EdgeParquet)
    }
}

fn only_read(format: Format, place: &SourceLocation) -> crate::Error {
    place.refused(format!(
        "{format} can be read but not written; write csv, npz, edge-index, parquet, graphml, gin-text or csr"
    ))
}

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
    pub fn of(loaded: &'a LoadedData, target: WriteTarget) -> Self {
        match (loaded, target) {
            (LoadedData::Graphs(set), _) => Self::Text(Text::Set(set)),
            (LoadedData::Nodes(dataset), WriteTarget::EdgeText(separator)) => {
                Self::Text(Text::Edges(dataset, separator))
            }
            (LoadedData::Nodes(dataset), WriteTarget::GraphMl) => {
                Self::Text(Text::GraphMl(dataset))
            }
            (LoadedData::Nodes(dataset), WriteTarget::Npz) => Self::Binary(Binary::Npz(dataset)),
            (LoadedData::Nodes(dataset), WriteTarget::EdgeIndex) => {
                Self::Binary(Binary::EdgeIndex(dataset))
            }
            (LoadedData::Nodes(dataset), WriteTarget::EdgeParquet) => {
                Self::Binary(Binary::Parquet(dataset))
            }
            (LoadedData::Nodes(dataset), WriteTarget::Folder(_) | WriteTarget::GinText) => {
                // Unreachable: folders were written before, and sets were refused.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str, format: Option<Format>) -> Result<(WriteTarget, Packing)> {
        WriteTarget::of(Path::new(path), format, &SourceLocation::file(path))
    }

    #[test]
    fn endings_tell() {
        for (path, target, packing) in [
            ("people", WriteTarget::Folder(FolderTables::Csv), Packing::None),
            ("d.v2/people.csv/", WriteTarget::Folder(FolderTables::Csv), Packing::None),
            ("e.csv", WriteTarget::EdgeText(b','), Packing::None),
            ("e.TSV", WriteTarget::EdgeText(b'\t'), Packing::None),
            ("e.csv.gz", WriteTarget::EdgeText(b','), Packing::Gzip),
            ("e.tsv.gz", WriteTarget::EdgeText(b'\t'), Packing::Gzip),
            ("g.graphml.gz", WriteTarget::GraphMl, Packing::Gzip),
            ("x.npz", WriteTarget::Npz, Packing::None),
        ] {
            assert_eq!(of(path, None).unwrap(), (target, packing), "{path}");
        }
        for path in ["x.npz.gz", "people.gz", "e.parquet.gz", "x.docx", "-"] {
            assert!(of(path, None).is_err(), "{path}");
        }
        assert_eq!(of("x.npz", Some(Format::EdgeIndex)).unwrap().0, WriteTarget::EdgeIndex);
    }
}
