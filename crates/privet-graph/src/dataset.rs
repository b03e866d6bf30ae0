//! [`Dataset`]: one graph with what is known about its nodes; [`GraphSet`]: many labelled graphs.

mod graph_set;

use std::fmt;

pub use graph_set::GraphSet;

use crate::{
    BuildReport, Error, FactOrigin, Features, Graph, Labels, NodeId, NodeIds, Result,
    SourceLocation, Split, subgraph,
};

/// Something a reader did that its user should know of: edges folded away, columns ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Where.
    pub place: SourceLocation,
    /// What was done.
    pub text: String,
}

impl Notice {
    /// A notice about a place.
    pub fn new(place: &SourceLocation, text: impl Into<String>) -> Self {
        Self { place: place.clone(), text: text.into() }
    }

    /// Notices of what the builder folded away: at most one for repeats and one for self-loops.
    pub fn folded(
        place: &SourceLocation,
        report: &BuildReport,
    ) -> impl Iterator<Item = Self> + use<> {
        let counted = |count: usize, one: &str, many: &str| match count {
            0 => None,
            1 => Some(Self::new(place, format!("1 {one}"))),
            _ => Some(Self::new(place, format!("{count} {many}"))),
        };
        let repeats = counted(report.duplicates, "repeated edge folded", "repeated edges folded");
        let loops = counted(report.self_loops, "self-loop dropped", "self-loops dropped");
        repeats.into_iter().chain(loops)
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// What a file or folder held.
#[derive(Debug, Clone, PartialEq)]
pub enum LoadedData {
    /// One graph, its nodes perhaps with features and labels.
    Nodes(Dataset),
    /// Many graphs, perhaps labelled.
    Graphs(GraphSet),
}

impl LoadedData {
    /// What readers did that users should know of.
    pub fn notices(&self) -> &[Notice] {
        match self {
            Self::Nodes(dataset) => dataset.notices(),
            Self::Graphs(set) => set.notices(),
        }
    }

    /// The single graph, or an error that names what was found instead.
    pub fn into_nodes(self) -> Result<Dataset> {
        match self {
            Self::Nodes(dataset) => Ok(dataset),
            Self::Graphs(set) => {
                let found = format!("a set of {} graphs", set.len());
                Err(Error::invalid(set.name(), found, "a single graph"))
            }
        }
    }

    /// The set of graphs, or an error that names what was found instead.
    pub fn into_graphs(self) -> Result<GraphSet> {
        match self {
            Self::Graphs(set) => Ok(set),
            Self::Nodes(data) => {
                Err(Error::invalid(data.name, "a single graph", "a set of graphs"))
            }
        }
    }
}

/// One graph, the ids of its nodes, and what is known about them. All parts agree in length.
///
/// ```
/// use privet_graph::{Dataset, Direction, GraphBuilder, NodeIds};
/// let (graph, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1)]).build()?;
/// let people = Dataset::new("people", graph, NodeIds::texts(["ada", "bob", "cy"])?)?;
/// assert_eq!(people.induced(&[2, 0])?.ids().get(0).to_string(), "cy");
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    name: String,
    graph: Graph,
    ids: NodeIds,
    ids_origin: FactOrigin,
    features: Option<Features>,
    labels: Option<Labels>,
    split: Option<Split>,
    notices: Vec<Notice>,
}

impl Dataset {
    /// A graph whose nodes have ids, and nothing else yet.
    ///
    /// # Errors
    /// Unless there is one id per node.
    pub fn new(name: impl Into<String>, graph: Graph, ids: NodeIds) -> Result<Self> {
        check_len("number of node ids", ids.len(), graph.node_count())?;
        let name = name.into();
        Ok(Self {
            name,
            graph,
            ids,
            ids_origin: FactOrigin::Stated,
            features: None,
            labels: None,
            split: None,
            notices: vec![],
        })
    }

    /// Adds or replaces the features.
    ///
    /// # Errors
    /// Unless there is one row per node.
    pub fn with_features(mut self, features: Features) -> Result<Self> {
        check_len("number of feature rows", features.rows(), self.graph.node_count())?;
        self.features = Some(features);
        Ok(self)
    }

    /// Adds or replaces the labels.
    ///
    /// # Errors
    /// Unless there is one label (or gap) per node.
    pub fn with_labels(mut self, labels: Labels) -> Result<Self> {
        check_len("number of labels", labels.len(), self.graph.node_count())?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// Adds or replaces the split the publisher ships.
    ///
    /// # Errors
    /// If it names a node twice or one that does not exist.
    pub fn with_split(mut self, split: Split) -> Result<Self> {
        split.check(self.graph.node_count())?;
        self.split = Some(split);
        Ok(self)
    }

    /// The same dataset, the list of ids being of another origin.
    #[must_use]
    pub fn with_ids_origin(mut self, origin: FactOrigin) -> Self {
        self.ids_origin = origin;
        self
    }

    pub(crate) fn map_features(mut self, change: impl FnOnce(Features) -> Features) -> Self {
        self.features = self.features.map(change);
        self
    }

    pub(crate) fn map_labels(mut self, change: impl FnOnce(Labels) -> Labels) -> Self {
        self.labels = self.labels.map(change);
        self
    }

    /// Puts another graph on the same nodes.
    ///
    /// # Errors
    /// If it has another number of nodes.
    pub fn with_graph(mut self, graph: Graph) -> Result<Self> {
        check_len("number of nodes", graph.node_count(), self.graph.node_count())?;
        self.graph = graph;
        Ok(self)
    }

    /// Calls it something else.
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Adds what a reader wants its user to know.
    pub fn with_notices(mut self, notices: impl IntoIterator<Item = Notice>) -> Self {
        self.notices.extend(notices);
        self
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The users' ids of the nodes.
    pub fn ids(&self) -> &NodeIds {
        &self.ids
    }

    /// Who says which ids there are.
    pub fn ids_origin(&self) -> FactOrigin {
        self.ids_origin
    }

    /// The features, if there are any.
    pub fn features(&self) -> Option<&Features> {
        self.features.as_ref()
    }

    /// The labels, if there are any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// The split the publisher ships, if there is one.
    pub fn split(&self) -> Option<&Split> {
        self.split.as_ref()
    }

    /// What readers did that users should know of.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The dataset of some nodes and the edges among them, nodes in the order given. A shipped
    /// split does not survive.
    ///
    /// # Errors
    /// If a node repeats or does not exist.
    pub fn induced(&self, nodes: &[NodeId]) -> Result<Self> {
        Ok(Self {
            name: self.name.clone(),
            graph: subgraph::induced(&self.graph, nodes)?,
            ids: self.ids.select(nodes),
            ids_origin: self.ids_origin,
            features: self.features.as_ref().map(|features| features.select(nodes)),
            labels: self.labels.as_ref().map(|labels| labels.select(nodes)),
            split: None,
            notices: self.notices.clone(),
        })
    }

    /// The same dataset with its nodes in the order of `ids`.
    ///
    /// # Errors
    /// Unless `ids` are the ids of this dataset, in another order.
    pub fn ordered_like(&self, ids: &NodeIds) -> Result<Self> {
        check_len("number of node ids", ids.len(), self.ids.len())?;
        let index = self.ids.index();
        let find = |id| {
            let missing =
                || Error::invalid_data("node id", format!("'{id}'"), "an id of this dataset");
            index.node(id).ok_or_else(missing)
        };
        let nodes = ids.iter().map(find).collect::<Result<Vec<_>>>()?;
        self.induced(&nodes)
    }
}

fn check_len(what: &str, found: usize, expected: usize) -> Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Error::invalid(what, found, expected.to_string()))
}
