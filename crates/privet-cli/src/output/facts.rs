//! [`Facts`]: what can be said about data, computed once, then printed for people or programs.
//!
//! The field names are the keys of the JSON, so they are kept stable.

mod measure;
mod text;

use privet::graph::degree::{DegreeBin, DegreeStatistics};
use privet::graph::{BoundsOrigin, Direction};
use serde::Serialize;

/// The facts of whatever was loaded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Facts {
    /// One graph.
    Graph(GraphFacts),
    /// Many graphs.
    GraphSet(GraphSetFacts),
}

/// The facts of one graph and its nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphFacts {
    /// What it is called.
    pub name: String,
    /// Where it came from and in which format.
    pub origin: Origin,
    /// Directed or undirected.
    pub direction: Direction,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of edges (arcs, if directed).
    pub edges: usize,
    /// Self-loops among them.
    pub self_loops: usize,
    /// What the users' ids look like.
    pub ids: IdKind,
    /// Degrees (out-degrees, if directed).
    pub degrees: Degrees,
    /// Connected components, arcs taken both ways.
    pub components: ComponentFacts,
    /// Node features.
    pub features: Option<FeatureFacts>,
    /// Node labels.
    pub labels: Option<LabelFacts>,
    /// Share of edges that join equal classes.
    pub homophily: Option<f64>,
    /// The split that comes with it.
    pub split: Option<SplitFacts>,
    /// What the reader wants known.
    pub notices: Vec<String>,
}

/// The facts of many graphs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphSetFacts {
    /// What it is called.
    pub name: String,
    /// Where it came from and in which format.
    pub origin: Origin,
    /// Number of graphs.
    pub graphs: usize,
    /// Nodes of all graphs together.
    pub nodes: usize,
    /// Edges of all graphs together.
    pub edges: usize,
    /// Nodes per graph.
    pub graph_nodes: Spread,
    /// Edges per graph.
    pub graph_edges: Spread,
    /// Graphs by number of nodes, in bins that double.
    pub size_histogram: Vec<SizeBin>,
    /// Classes of the graphs.
    pub labels: Option<LabelFacts>,
    /// Distinct node tags.
    pub node_tags: Option<usize>,
    /// Columns of the node attributes.
    pub node_attributes: Option<usize>,
    /// How many splits come with it.
    pub splits: usize,
    /// What the reader wants known.
    pub notices: Vec<String>,
}

/// Where data came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Origin {
    /// The catalog's name for it, if it is a benchmark.
    pub benchmark: Option<String>,
    /// The path it was read from, if it was read.
    pub path: Option<String>,
    /// The format it was read in.
    pub format: Option<String>,
    /// The generator that made it, if it was made.
    pub generator: Option<String>,
    /// The generator's seed.
    pub seed: Option<u64>,
}

/// What ids look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    /// `0..n`.
    Sequential,
    /// Integers.
    Integers,
    /// Anything.
    Text,
}

/// Degrees at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Degrees {
    /// Smallest, median, mean, largest, and nodes of degree 0.
    #[serde(flatten)]
    pub statistics: DegreeStatistics,
    /// Nodes by degree, in bins that double.
    pub histogram: Vec<DegreeBin>,
}

/// Connected components at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComponentFacts {
    /// How many.
    pub count: usize,
    /// Nodes of the largest.
    pub largest: usize,
}

/// A feature matrix at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureFacts {
    /// Number of columns.
    pub columns: usize,
    /// Stored dense or sparse.
    pub storage: &'static str,
    /// Values other than zero.
    pub nonzeros: usize,
    /// Their share of all values.
    pub density: f64,
    /// Smallest value anywhere, measured.
    pub smallest: Option<f32>,
    /// Largest value anywhere, measured.
    pub largest: Option<f32>,
    /// The declared public range, if somebody declared one.
    pub bounds: Option<BoundsFacts>,
}

/// A declared range at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundsFacts {
    /// Lowest bound of any column.
    pub low: f32,
    /// Highest bound of any column.
    pub high: f32,
    /// Whether columns have ranges of their own.
    pub per_column: bool,
    /// Who says so.
    pub origin: BoundsOrigin,
    /// Whether it is known without looking at anybody's record.
    pub public: bool,
}

/// Labels at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelFacts {
    /// Whether an item may have several classes.
    pub multi_label: bool,
    /// Items without any class.
    pub unlabelled: usize,
    /// The classes by number.
    pub classes: Vec<ClassFacts>,
}

/// A class and its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassFacts {
    /// Its name.
    pub name: String,
    /// How many items have it.
    pub size: usize,
}

/// The sizes of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SplitFacts {
    /// Items to train on.
    pub train: usize,
    /// Items to validate on.
    pub validation: usize,
    /// Items to test on.
    pub test: usize,
}

/// Smallest, mean and largest of something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// Smallest.
    pub min: usize,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: usize,
}

/// How many graphs have a number of nodes in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SizeBin {
    /// Fewest nodes.
    pub from: usize,
    /// Most nodes.
    pub to: usize,
    /// How many graphs.
    pub graphs: usize,
}
