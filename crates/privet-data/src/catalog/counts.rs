//! [`Counts`]: what a benchmark should hold, so that a wrong file is noticed.

use crate::LoadedData;

/// Who counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountSource {
    /// Counted in the files whose checksums the catalog has.
    Counted,
    /// Quoted from the publisher or a paper; the files were not seen.
    Quoted,
}

/// What a benchmark should hold; `None` where there is no such thing, or nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
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

impl Counts {
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
        assert!(Counts::of(3, 1).differences(&data).is_empty());
        assert!(Counts::of(3, 1).features(5, Some(9)).differences(&data).is_empty());
        assert!(Counts::quoted().differences(&data).is_empty());
        let told = Counts::of(3, 2).classes(4).graphs(1).differences(&data);
        assert_eq!(
            told,
            [
                "found 1 edges; the catalog expects 2",
                "found no classes; the catalog expects 4",
                "found no graphs; the catalog expects 1",
            ]
        );
        let set = LoadedData::Graphs(GraphSet::new("s", vec![graph.clone(), graph]));
        assert!(Counts::of(6, 2).graphs(2).differences(&set).is_empty());
    }
}
