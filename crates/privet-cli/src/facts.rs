//! [`Facts`]: what can be said about data, computed once, then printed for people or programs.
//!
//! The field names are the keys of the JSON, so they are kept stable.

mod text;

use privet_graph::components::connected_components;
use privet_graph::degree::{self, DegreeBin, DegreeStatistics};
use privet_graph::homophily::edge_homophily;
use privet_graph::{
    Bounds, BoundsOrigin, Dataset, Direction, FeatureMatrix, Features, Graph, GraphSet, Labels,
    Loaded, Split,
};
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

impl Facts {
    /// Looks at everything once.
    pub fn of(loaded: &Loaded, origin: Origin) -> Self {
        match loaded {
            Loaded::Nodes(dataset) => Self::Graph(GraphFacts::of(dataset, origin)),
            Loaded::Graphs(set) => Self::GraphSet(GraphSetFacts::of(set, origin)),
        }
    }
}

impl GraphFacts {
    /// The facts of one graph.
    pub fn of(dataset: &Dataset, origin: Origin) -> Self {
        let graph = dataset.graph();
        let components = connected_components(graph);
        Self {
            name: dataset.name().into(),
            origin,
            direction: graph.direction(),
            nodes: graph.node_count(),
            edges: graph.edge_count(),
            self_loops: graph.self_loop_count(),
            ids: match dataset.ids() {
                ids if ids.is_sequential() => IdKind::Sequential,
                ids if ids.are_integers() => IdKind::Integers,
                _ => IdKind::Text,
            },
            degrees: Degrees {
                statistics: DegreeStatistics::of(graph),
                histogram: degree::histogram(graph),
            },
            components: ComponentFacts {
                count: components.count(),
                largest: components.sizes().first().copied().unwrap_or(0),
            },
            features: dataset.features().map(FeatureFacts::of),
            labels: dataset.labels().map(LabelFacts::of),
            homophily: dataset.labels().and_then(|labels| edge_homophily(graph, labels)),
            split: dataset.split().map(SplitFacts::of),
            notices: dataset.notices().iter().map(ToString::to_string).collect(),
        }
    }
}

impl GraphSetFacts {
    fn of(set: &GraphSet, origin: Origin) -> Self {
        let tags = |tags: &[Vec<u32>]| {
            let mut distinct: Vec<u32> = tags.iter().flatten().copied().collect();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.len()
        };
        let columns = |rows: &[Features]| rows.iter().map(Features::columns).max().unwrap_or(0);
        Self {
            name: set.name().into(),
            origin,
            graphs: set.len(),
            nodes: set.node_count(),
            edges: set.edge_count(),
            graph_nodes: Spread::of(set.graphs().iter().map(Graph::node_count)),
            graph_edges: Spread::of(set.graphs().iter().map(Graph::edge_count)),
            size_histogram: size_histogram(set.graphs()),
            labels: set.labels().map(LabelFacts::of),
            node_tags: set.node_tags().map(tags),
            node_attributes: set.node_attributes().map(columns),
            splits: set.splits().len(),
            notices: set.notices().iter().map(ToString::to_string).collect(),
        }
    }
}

impl FeatureFacts {
    fn of(features: &Features) -> Self {
        let nonzeros = features.nonzeros();
        let range = features.measured_range();
        let cells = features.rows() as f64 * features.columns() as f64;
        Self {
            columns: features.columns(),
            storage: match features.matrix() {
                FeatureMatrix::Dense(_) => "dense",
                FeatureMatrix::Sparse(_) => "sparse",
            },
            nonzeros,
            density: if cells > 0.0 { nonzeros as f64 / cells } else { 0.0 },
            smallest: range.map(|(low, _)| low),
            largest: range.map(|(_, high)| high),
            bounds: features.bounds().map(|bounds| BoundsFacts::of(bounds, features.columns())),
        }
    }
}

impl BoundsFacts {
    fn of(bounds: &Bounds, columns: usize) -> Self {
        let ranges = (0..columns.max(1)).map(|column| match bounds.column_count() {
            Some(_) if columns == 0 => (0.0, 0.0),
            _ => bounds.column(column),
        });
        let widen = |(a, b): (f32, f32), (low, high): (f32, f32)| (a.min(low), b.max(high));
        let (low, high) = ranges.reduce(widen).unwrap_or_default();
        let per_column = bounds.column_count().is_some();
        let (origin, public) = (bounds.origin().clone(), bounds.is_public());
        Self { low, high, per_column, origin, public }
    }
}

impl LabelFacts {
    fn of(labels: &Labels) -> Self {
        let named = labels.class_names().iter().zip(labels.class_sizes());
        Self {
            multi_label: labels.is_multi(),
            unlabelled: labels.unlabelled_count(),
            classes: named.map(|(name, size)| ClassFacts { name: name.clone(), size }).collect(),
        }
    }
}

impl SplitFacts {
    fn of(split: &Split) -> Self {
        Self {
            train: split.train.len(),
            validation: split.validation.len(),
            test: split.test.len(),
        }
    }
}

impl Spread {
    fn of(values: impl ExactSizeIterator<Item = usize> + Clone) -> Self {
        let (count, total) = (values.len(), values.clone().sum::<usize>());
        Self {
            min: values.clone().min().unwrap_or(0),
            mean: if count > 0 { total as f64 / count as f64 } else { 0.0 },
            max: values.max().unwrap_or(0),
        }
    }
}

/// Graphs by number of nodes, in bins `1`, `2..3`, `4..7`, ... from the first that is not empty.
fn size_histogram(graphs: &[Graph]) -> Vec<SizeBin> {
    let bin_of = |graph: &Graph| (usize::BITS - graph.node_count().leading_zeros()) as usize;
    let first = graphs.iter().map(bin_of).min().unwrap_or(0);
    let mut bins: Vec<SizeBin> = Vec::new();
    for graph in graphs {
        let at = bin_of(graph) - first;
        while bins.len() <= at {
            let bits = first + bins.len();
            let (from, to) = if bits == 0 { (0, 0) } else { (1 << (bits - 1), (1 << bits) - 1) };
            bins.push(SizeBin { from, to, graphs: 0 });
        }
        bins[at].graphs += 1;
    }
    bins
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_graph::synthetic::karate_club;

    fn graphs(sizes: &[usize]) -> Vec<Graph> {
        sizes.iter().map(|&n| Graph::empty(n, Direction::Undirected).unwrap()).collect()
    }

    #[test]
    fn the_karate_club_is_as_published() {
        let facts = GraphFacts::of(&karate_club().unwrap(), Origin::default());
        assert_eq!((facts.nodes, facts.edges, facts.components.count), (34, 78, 1));
        assert_eq!((facts.degrees.statistics.max, facts.degrees.statistics.min), (17, 1));
        let sizes: Vec<usize> = facts.labels.unwrap().classes.iter().map(|c| c.size).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 34);
        assert!(facts.features.is_none() && facts.split.is_none());
    }

    #[test]
    fn sets_count_graphs_by_size() {
        let set = GraphSet::new("set", graphs(&[5, 2, 3, 9]));
        let facts = GraphSetFacts::of(&set, Origin::default());
        assert_eq!(facts.graph_nodes, Spread { min: 2, mean: 4.75, max: 9 });
        let bin = |from, to, graphs| SizeBin { from, to, graphs };
        assert_eq!(facts.size_histogram, [bin(2, 3, 2), bin(4, 7, 1), bin(8, 15, 1)]);
    }

    #[test]
    fn nothing_at_all_has_facts_too() {
        let facts = GraphSetFacts::of(&GraphSet::new("none", vec![]), Origin::default());
        assert_eq!((facts.graphs, facts.size_histogram.len()), (0, 0));
        assert_eq!(facts.graph_nodes, Spread { min: 0, mean: 0.0, max: 0 });
    }
}
