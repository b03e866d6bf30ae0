//! From data to [`Facts`]: everything is looked at once.

use privet::graph::components::connected_components;
use privet::graph::degree::{self, DegreeStatistics};
use privet::graph::homophily::edge_homophily;
use privet::graph::{
    Bounds, Dataset, FeatureMatrix, Features, Graph, GraphSet, Labels, LoadedData, Split,
};

use super::*;

impl Facts {
    /// Looks at everything once.
    pub fn of(loaded: &LoadedData, origin: Origin) -> Self {
        match loaded {
            LoadedData::Nodes(dataset) => Self::Graph(GraphFacts::of(dataset, origin)),
            LoadedData::Graphs(set) => Self::GraphSet(GraphSetFacts::of(set, origin)),
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
    use privet::data::synthetic::karate_club;

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
