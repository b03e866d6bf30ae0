//! [`Format`]: the file formats by name.

use crate::{Error, Result};

/// A file format that graphs are published in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Lines of `source target`, in any delimiter: csv, tsv, SNAP.
    EdgeList,
    /// A folder (or zip) of `edges.csv`, `nodes.csv`, `features.csv`, as Privet writes it.
    Csv,
    /// numpy arrays of a CSR adjacency, with features and labels.
    Npz,
    /// The same, as PyTorch Geometric holds it: `edge_index`, `x`, `y`.
    EdgeIndex,
    /// The eight `ind.NAME.*` files.
    Planetoid,
    /// `NAME.content` and `NAME.cites`.
    Linqs,
    /// `*_edges.csv`, `*_features.json`, `*_target.csv`.
    Musae,
    /// Graph sets as integers, as the GIN and DPRR code read them.
    GinText,
    /// Graph sets as `NAME_A.txt` and companions (TU Dortmund).
    Tu,
    /// Graph sets as `graphs.json` and `target.csv`.
    GraphJson,
    /// LightGraphs' compressed edge list.
    Jlg,
    /// One `.pairs` edge list per graph.
    Pairs,
    /// A folder of arrays that are read where they lie, for graphs larger than memory.
    CsrFolder,
    /// GraphML.
    GraphMl,
    /// Parquet tables of edges, nodes and features.
    Parquet,
    /// Arrow IPC tables of edges, nodes and features.
    Arrow,
}

impl Format {
    /// Every format, in the order in which detection tries them: the telling ones first.
    pub const ALL: [Self; 16] = [
        Self::CsrFolder,
        Self::Npz,
        Self::EdgeIndex,
        Self::Parquet,
        Self::Arrow,
        Self::Planetoid,
        Self::Linqs,
        Self::Tu,
        Self::GraphMl,
        Self::Jlg,
        Self::GraphJson,
        Self::Musae,
        Self::GinText,
        Self::Pairs,
        Self::Csv,
        Self::EdgeList,
    ];

    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::EdgeList => "edge-list",
            Self::Csv => "csv",
            Self::Npz => "npz",
            Self::EdgeIndex => "edge-index",
            Self::Planetoid => "planetoid",
            Self::Linqs => "linqs",
            Self::Musae => "musae",
            Self::GinText => "gin-text",
            Self::Tu => "tu",
            Self::GraphJson => "graph-json",
            Self::Jlg => "jlg",
            Self::Pairs => "pairs",
            Self::CsrFolder => "csr",
            Self::GraphMl => "graphml",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
        }
    }

    /// The format of that name.
    ///
    /// # Errors
    /// If there is none; the error suggests the nearest.
    pub fn from_name(name: &str) -> Result<Self> {
        let known = || Self::ALL.iter().map(|format| format.name());
        let found = Self::ALL.into_iter().find(|format| format.name() == name);
        found.ok_or_else(|| Error::unknown_name("format", name, known()))
    }
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
