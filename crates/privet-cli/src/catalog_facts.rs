//! [`Listing`]: what the catalog says about benchmarks, and what of them is on this machine.
//!
//! The field names are the keys of the JSON, so they are kept stable.

mod text;

use std::path::{Path, PathBuf};

use privet::data::catalog::{
    BenchmarkCounts, BenchmarkSelection, BenchmarkVariant, CatalogBenchmark, CountSource, FileNeed,
    FileOrigin, LocatedBenchmark, LocatedFile,
};
use serde::Serialize;

/// How much to tell people. Programs always get everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line for each benchmark.
    Summary,
    /// Licences, variants, files and checksums.
    Files,
}

/// Benchmarks, and where they were looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The folders searched.
    pub searched: Vec<String>,
    /// The benchmarks.
    pub benchmarks: Vec<BenchmarkFacts>,
    #[serde(skip)]
    detail: Detail,
}

/// One benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchmarkFacts {
    /// Its name.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// What it is.
    pub title: &'static str,
    /// The papers that report results on it.
    pub papers: Vec<&'static str>,
    /// Who put it out, and where.
    pub published: &'static str,
    /// What is known about its licence.
    pub licence: &'static str,
    /// What else to know.
    pub note: &'static str,
    /// Whether its primary variant is on this machine.
    pub present: bool,
    /// The forms it comes in, the primary one first.
    pub variants: Vec<VariantFacts>,
}

/// One form of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VariantFacts {
    /// What to type for it.
    pub name: String,
    /// What sets it apart.
    pub about: &'static str,
    /// Its format.
    pub format: &'static str,
    /// What it holds.
    pub counts: CountFacts,
    /// Whether every file that is needed is on this machine.
    pub present: bool,
    /// The data folder that has them.
    pub folder: Option<String>,
    /// Its files.
    pub files: Vec<FileFacts>,
}

/// What a benchmark holds; `None`: there is no such thing, or nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CountFacts {
    /// Nodes of all graphs.
    pub nodes: Option<usize>,
    /// Distinct undirected edges of all graphs.
    pub edges: Option<usize>,
    /// Feature columns.
    pub features: Option<usize>,
    /// Classes.
    pub classes: Option<usize>,
    /// Graphs, if several.
    pub graphs: Option<usize>,
    /// Whether they were counted in the files, or only quoted.
    pub counted: bool,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileFacts {
    /// Where it lies below a data folder.
    pub path: &'static str,
    /// Its length.
    pub bytes: Option<u64>,
    /// Its checksum.
    pub sha256: Option<&'static str>,
    /// Where it can be downloaded.
    pub url: Option<&'static str>,
    /// How to get it, if it cannot be downloaded.
    pub by_hand: Option<&'static str>,
    /// Whether nothing works without it.
    pub required: bool,
    /// Whether it is on this machine.
    pub present: bool,
}

impl Listing {
    /// Looks for the files of `entries` in `folders`.
    pub fn of(entries: &[&'static CatalogBenchmark], folders: &[PathBuf], detail: Detail) -> Self {
        Self {
            searched: folders.iter().map(|folder| folder.display().to_string()).collect(),
            benchmarks: entries.iter().map(|entry| BenchmarkFacts::of(entry, folders)).collect(),
            detail,
        }
    }
}

impl BenchmarkFacts {
    fn of(entry: &'static CatalogBenchmark, folders: &[PathBuf]) -> Self {
        let variant = |variant: &'static BenchmarkVariant| {
            VariantFacts::of(&BenchmarkSelection { entry, variant }.locate(folders))
        };
        let variants: Vec<VariantFacts> = entry.variants.iter().map(variant).collect();
        Self {
            name: entry.name,
            aliases: entry.aliases,
            title: entry.title,
            papers: entry.papers.iter().map(|paper| paper.name()).collect(),
            published: entry.published,
            licence: entry.licence,
            note: entry.note,
            present: variants.first().is_some_and(|primary| primary.present),
            variants,
        }
    }
}

impl VariantFacts {
    fn of(located: &LocatedBenchmark) -> Self {
        let variant = located.selection.variant;
        let present = located.is_complete();
        let folder = located.files.iter().find(|file| file.is_present()).and_then(folder_of);
        // With nothing searched nothing is located; the catalog still knows the files.
        let files = match located.files.as_slice() {
            [] => {
                let unknown = |file| LocatedFile { file, path: PathBuf::new(), bytes: None };
                let first = variant.layouts.first().copied().unwrap_or_default();
                first.iter().map(|file| FileFacts::of(&unknown(file))).collect()
            }
            files => files.iter().map(FileFacts::of).collect(),
        };
        Self {
            name: located.selection.to_string(),
            about: variant.about,
            format: variant.format.name(),
            counts: CountFacts::of(&variant.counts),
            present,
            folder: folder.filter(|_| present).map(|folder| folder.display().to_string()),
            files,
        }
    }
}

/// The data folder a file was found in: its path without the part that the catalog gives.
fn folder_of(located: &LocatedFile) -> Option<&Path> {
    located.path.ancestors().nth(located.file.path.split('/').count())
}

impl CountFacts {
    fn of(counts: &BenchmarkCounts) -> Self {
        let &BenchmarkCounts { nodes, edges, features, classes, graphs, source, .. } = counts;
        let counted = source == CountSource::Counted;
        Self { nodes, edges, features, classes, graphs, counted }
    }
}

impl FileFacts {
    fn of(located: &LocatedFile) -> Self {
        let file = located.file;
        let (url, by_hand) = match file.origin {
            FileOrigin::Download(url) => (Some(url), None),
            FileOrigin::ByHand(how) => (None, Some(how)),
        };
        Self {
            path: file.path,
            bytes: file.bytes,
            sha256: file.sha256,
            url,
            by_hand,
            required: file.need == FileNeed::Required,
            present: located.is_present(),
        }
    }
}
