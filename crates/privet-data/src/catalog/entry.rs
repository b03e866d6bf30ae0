//! [`CatalogBenchmark`]: what the catalog says about one benchmark.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{BenchmarkSelection, LocatedBenchmark};
use crate::formats::{Format, ReadOptions};
use crate::{Error, LoadedData, Result};

/// A public benchmark.
#[derive(Debug)]
pub struct CatalogBenchmark {
    /// The name to call it by; also the folder of its files, except for those of `large` and `tables`.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// What it is, in one line.
    pub title: &'static str,
    /// The papers that report results on it.
    pub papers: &'static [Paper],
    /// Who put it out, and where.
    pub published: &'static str,
    /// What is known about its licence, and what is not.
    pub licence: &'static str,
    /// What a reader of the papers should know; empty if there is nothing.
    pub note: &'static str,
    /// The forms it comes in, the primary one first. Never empty.
    pub variants: &'static [BenchmarkVariant],
}

impl CatalogBenchmark {
    /// The variant that its bare name stands for.
    pub fn primary(&'static self) -> BenchmarkSelection {
        BenchmarkSelection { entry: self, variant: &self.variants[0] }
    }

    /// The variant of that name.
    ///
    /// # Errors
    /// If there is none; the error suggests the nearest.
    pub fn variant(&'static self, name: &str) -> Result<BenchmarkSelection> {
        let wanted = super::normalized(name);
        let found = self.variants.iter().find(|variant| variant.name == wanted);
        found.map(|variant| BenchmarkSelection { entry: self, variant }).ok_or_else(|| {
            let full = |variant: &str| format!("{}/{variant}", self.name);
            let known: Vec<_> = self.variants.iter().map(|variant| full(variant.name)).collect();
            let known = known.iter().map(String::as_str);
            Error::unknown_name("dataset variant", &full(name), known)
        })
    }

    /// Which files of the primary variant lie in the first of `data_dirs` that has them.
    pub fn locate(&'static self, data_dirs: &[PathBuf]) -> LocatedBenchmark {
        self.primary().locate(data_dirs)
    }

    /// Reads it: the variant that `options.member` names, or else the primary one.
    ///
    /// # Errors
    /// If a file is absent (the error says where to get it) or cannot be read.
    pub fn load(&'static self, data_dirs: &[PathBuf], options: &ReadOptions) -> Result<LoadedData> {
        let chosen = match &options.member {
            Some(name) => self.variant(name)?,
            None => self.primary(),
        };
        chosen.load(data_dirs, options)
    }
}

/// The four papers whose systems Privet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paper {
    /// Locally private graph embedding (features).
    LdpGe,
    /// Heterogeneous randomized response (features and edges).
    HeteroRr,
    /// Degree-preserving randomized response (edges).
    Dprr,
    /// Decoupled graph neural networks with node-level differential privacy.
    Dpar,
}

impl Paper {
    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::LdpGe => "LDP-GE",
            Self::HeteroRr => "HeteroRR",
            Self::Dprr => "DPRR",
            Self::Dpar => "DPAR",
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One form of a benchmark: a set of files, or a way to label or cut what they hold.
#[derive(Debug)]
pub struct BenchmarkVariant {
    /// The name after the slash.
    pub name: &'static str,
    /// What sets it apart.
    pub about: &'static str,
    /// How its files are read.
    pub format: Format,
    /// Dataset to read from an archive that holds several.
    pub member: Option<&'static str>,
    /// The ways in which its content may lie in a data folder: as published, or packed. Any one
    /// will do; the first complete one is used.
    pub layouts: &'static [&'static [BenchmarkFile]],
    /// What it should hold.
    pub counts: BenchmarkCounts,
    /// What public knowledge says about the range of its features.
    pub bounds: PublicBounds,
    /// What is done to it after reading.
    pub recipe: Recipe,
}

impl BenchmarkVariant {
    /// The first layout whose files, optional ones aside, can all be downloaded.
    pub fn download(&self) -> Option<&'static [BenchmarkFile]> {
        let downloads = |file: &BenchmarkFile| {
            file.need == FileNeed::Optional || matches!(file.origin, FileOrigin::Download(_))
        };
        self.layouts.iter().copied().find(|layout| layout.iter().all(downloads))
    }
}

/// One file of a [`BenchmarkVariant`].
#[derive(Debug)]
pub struct BenchmarkFile {
    /// Where it lies below a data folder, with `/` between the parts.
    pub path: &'static str,
    /// Its length, if known.
    pub bytes: Option<u64>,
    /// Its SHA-256 checksum in lower-case hexadecimal, if known.
    pub sha256: Option<&'static str>,
    /// How to obtain it.
    pub origin: FileOrigin,
    /// Whether the variant can be read without it.
    pub need: FileNeed,
}

impl BenchmarkFile {
    /// A file with a known origin.
    pub(super) const fn published(
        path: &'static str,
        bytes: u64,
        sha256: &'static str,
        url: &'static str,
    ) -> Self {
        let origin = FileOrigin::Download(url);
        Self { path, bytes: Some(bytes), sha256: Some(sha256), origin, need: FileNeed::Required }
    }

    /// A file whose bytes are known, but no server of it.
    pub(super) const fn known(
        path: &'static str,
        bytes: u64,
        sha256: &'static str,
        how: &'static str,
    ) -> Self {
        let origin = FileOrigin::ByHand(how);
        Self { path, bytes: Some(bytes), sha256: Some(sha256), origin, need: FileNeed::Required }
    }

    /// A file that was never seen.
    pub(super) const fn unseen(path: &'static str, how: &'static str) -> Self {
        let origin = FileOrigin::ByHand(how);
        Self { path, bytes: None, sha256: None, origin, need: FileNeed::Required }
    }

    /// The same file, but the variant can be read without it.
    pub(super) const fn optional(mut self) -> Self {
        self.need = FileNeed::Optional;
        self
    }

    /// Where it lies in a data folder; `/` separates folders on every system.
    pub fn below(&self, folder: &Path) -> PathBuf {
        self.path.split('/').fold(folder.to_owned(), |path, part| path.join(part))
    }

    /// Its name without the folders.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// Whether a [`BenchmarkVariant`] can be read without a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileNeed {
    /// It cannot.
    Required,
    /// It can, and then lacks what the file holds.
    Optional,
}

/// How a [`BenchmarkFile`] is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOrigin {
    /// The address that serves these bytes. Addresses were taken from the publishers' repositories;
    /// the checksum, not the address, says whether what arrives is right.
    Download(&'static str),
    /// There is no verified download: where it is published, or how it was made.
    ByHand(&'static str),
}

/// What public knowledge, not the records, says about the range of the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicBounds {
    /// Nothing: to protect the features, the curator has to declare a range.
    Unstated,
    /// Every value is 0 or 1, because the publisher describes presence of a word, page or artist.
    Binary,
    /// Every value lies in 0..1: it was scaled so, by the publisher or by declared bounds.
    UnitRange,
}

/// What is done to a dataset after its files are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recipe {
    /// Nothing.
    AsRead,
    /// Two classes: nodes whose target quantity is above the threshold, and the rest.
    SplitTargetAt(f64),
    /// The induced subgraph of the nodes in the largest classes, this many.
    LargestClasses(usize),
    /// Tables of students and friendships, read by a declared schema; those without a class are left out.
    Students,
    /// A table read by a declared schema.
    Table {
        /// Whether the nearest rows are edges; otherwise there are none.
        edges: bool,
    },
}

/// Who counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountSource {
    /// Counted in the files whose checksums the catalog has.
    Counted,
    /// Quoted from the publisher or a paper; the files were not seen.
    Quoted,
}

/// What a benchmark should hold; `None` where there is no such thing, or no source states it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BenchmarkCounts {
    /// Nodes, of all graphs together.
    pub nodes: Option<usize>,
    /// Distinct unordered pairs of different nodes, of all graphs together.
    pub edges: Option<usize>,
    /// Feature columns.
    pub features: Option<usize>,
    /// Feature values other than zero.
    pub nonzeros: Option<usize>,
    /// Classes of nodes, or of graphs if there are several.
    pub classes: Option<usize>,
    /// Graphs, if there are several.
    pub graphs: Option<usize>,
    /// Who counted.
    pub source: CountSource,
}

impl BenchmarkCounts {
    /// Counted nodes and edges, and nothing else yet.
    pub(super) const fn of(nodes: usize, edges: usize) -> Self {
        Self {
            nodes: Some(nodes),
            edges: Some(edges),
            features: None,
            nonzeros: None,
            classes: None,
            graphs: None,
            source: CountSource::Counted,
        }
    }

    /// Nothing known yet, and what will be is only quoted.
    pub(super) const fn quoted() -> Self {
        Self { nodes: None, edges: None, source: CountSource::Quoted, ..Self::of(0, 0) }
    }

    /// The same with feature columns, and values other than zero in them if those were counted.
    pub(super) const fn features(mut self, columns: usize, nonzeros: Option<usize>) -> Self {
        self.features = Some(columns);
        self.nonzeros = nonzeros;
        self
    }

    /// The same with classes.
    pub(super) const fn classes(mut self, classes: usize) -> Self {
        self.classes = Some(classes);
        self
    }

    /// The same with graphs.
    pub(super) const fn graphs(mut self, graphs: usize) -> Self {
        self.graphs = Some(graphs);
        self
    }

    /// One sentence for each count that `loaded` misses; empty if it is as expected. Features that
    /// are absent altogether are not a difference: their file is optional.
    pub fn differences(&self, loaded: &LoadedData) -> Vec<String> {
        let found = Self::found(loaded);
        let features = found.features.is_some();
        [
            ("nodes", self.nodes, found.nodes),
            ("edges", self.edges, found.edges),
            ("feature columns", self.features.filter(|_| features), found.features),
            ("feature values", self.nonzeros.filter(|_| features), found.nonzeros),
            ("classes", self.classes, found.classes),
            ("graphs", self.graphs, found.graphs),
        ]
        .into_iter()
        .filter(|(_, expected, found)| expected.is_some() && expected != found)
        .map(|(what, expected, found)| {
            format!("found {} {what}; the catalog expects {}", shown(found), shown(expected))
        })
        .collect()
    }

    fn found(loaded: &LoadedData) -> Self {
        match loaded {
            LoadedData::Nodes(data) => Self {
                features: data.features().map(|features| features.columns()),
                nonzeros: data.features().map(|features| features.nonzeros()),
                classes: data.labels().map(|labels| labels.class_count()),
                ..Self::of(data.graph().node_count(), data.graph().edge_count())
            },
            LoadedData::Graphs(set) => Self {
                classes: set.labels().map(|labels| labels.class_count()),
                graphs: Some(set.len()),
                ..Self::of(set.node_count(), set.edge_count())
            },
        }
    }
}

fn shown(count: Option<usize>) -> String {
    count.map_or_else(|| "no".into(), |count| count.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, Direction, GraphBuilder, GraphSet, NodeIds};

    #[test]
    fn every_difference_is_told_and_agreement_is_silent() {
        let built = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1)]).build();
        let graph = built.unwrap().0;
        let data = Dataset::new("d", graph.clone(), NodeIds::sequential(3)).unwrap();
        let data = LoadedData::Nodes(data);
        assert!(BenchmarkCounts::of(3, 1).differences(&data).is_empty());
        assert!(BenchmarkCounts::of(3, 1).features(5, Some(9)).differences(&data).is_empty());
        assert!(BenchmarkCounts::quoted().differences(&data).is_empty());
        let message = BenchmarkCounts::of(3, 2).classes(4).graphs(1).differences(&data);
        assert_eq!(
            message,
            [
                "found 1 edges; the catalog expects 2",
                "found no classes; the catalog expects 4",
                "found no graphs; the catalog expects 1",
            ]
        );
        let set = LoadedData::Graphs(GraphSet::new("s", vec![graph.clone(), graph]));
        assert!(BenchmarkCounts::of(6, 2).graphs(2).differences(&set).is_empty());
    }
}
