//! [`GraphSet`]: many labelled graphs.

use super::{Notice, check_len};
use crate::{FactOrigin, Features, Graph, Labels, NodeIds, Result, Split};

/// Many graphs, each perhaps with a label and its nodes with tags: what graph classification reads.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphSet {
    name: String,
    graphs: Vec<Graph>,
    ids: NodeIds,
    ids_origin: FactOrigin,
    labels: Option<Labels>,
    node_tags: Option<Vec<Vec<u32>>>,
    node_attributes: Option<Vec<Features>>,
    splits: Vec<Split>,
    notices: Vec<Notice>,
}

impl GraphSet {
    /// Graphs numbered from 0, and nothing else yet.
    pub fn new(name: impl Into<String>, graphs: Vec<Graph>) -> Self {
        let ids = NodeIds::sequential(graphs.len());
        Self {
            name: name.into(),
            graphs,
            ids,
            ids_origin: FactOrigin::Stated,
            labels: None,
            node_tags: None,
            node_attributes: None,
            splits: vec![],
            notices: vec![],
        }
    }

    /// Gives the graphs ids of their own.
    ///
    /// # Errors
    /// Unless there is one per graph.
    pub fn with_ids(mut self, ids: NodeIds) -> Result<Self> {
        check_len("number of graph ids", ids.len(), self.graphs.len())?;
        self.ids = ids;
        Ok(self)
    }

    /// The same graphs, who is in each of them being of another origin.
    #[must_use]
    pub fn with_ids_origin(mut self, origin: FactOrigin) -> Self {
        self.ids_origin = origin;
        self
    }

    /// Adds or replaces the classes of the graphs.
    ///
    /// # Errors
    /// Unless there is one label (or gap) per graph.
    pub fn with_labels(mut self, labels: Labels) -> Result<Self> {
        check_len("number of graph labels", labels.len(), self.graphs.len())?;
        self.labels = Some(labels);
        Ok(self)
    }

    /// Adds or replaces an integer tag for every node of every graph.
    ///
    /// # Errors
    /// Unless there is one per node.
    pub fn with_node_tags(mut self, tags: Vec<Vec<u32>>) -> Result<Self> {
        check_len("number of tagged graphs", tags.len(), self.graphs.len())?;
        for (graph, tags) in self.graphs.iter().zip(&tags) {
            check_len("number of node tags", tags.len(), graph.node_count())?;
        }
        self.node_tags = Some(tags);
        Ok(self)
    }

    /// Adds or replaces a feature row for every node of every graph.
    ///
    /// # Errors
    /// Unless there is one per node.
    pub fn with_node_attributes(mut self, attributes: Vec<Features>) -> Result<Self> {
        check_len("number of graphs with attributes", attributes.len(), self.graphs.len())?;
        for (graph, rows) in self.graphs.iter().zip(&attributes) {
            check_len("number of attribute rows", rows.rows(), graph.node_count())?;
        }
        self.node_attributes = Some(attributes);
        Ok(self)
    }

    /// Adds or replaces the splits the publisher ships (ten, for cross-validation).
    ///
    /// # Errors
    /// If one names a graph twice or one that does not exist.
    pub fn with_splits(mut self, splits: Vec<Split>) -> Result<Self> {
        splits.iter().try_for_each(|split| split.check(self.graphs.len()))?;
        self.splits = splits;
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

    /// How many graphs there are.
    pub fn len(&self) -> usize {
        self.graphs.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }

    /// The graphs.
    pub fn graphs(&self) -> &[Graph] {
        &self.graphs
    }

    /// The users' ids of the graphs.
    pub fn ids(&self) -> &NodeIds {
        &self.ids
    }

    /// Who says which nodes each graph has.
    pub fn ids_origin(&self) -> FactOrigin {
        self.ids_origin
    }

    /// The classes of the graphs, if they have any.
    pub fn labels(&self) -> Option<&Labels> {
        self.labels.as_ref()
    }

    /// The tags of every graph's nodes, if they have any.
    pub fn node_tags(&self) -> Option<&[Vec<u32>]> {
        self.node_tags.as_deref()
    }

    /// The attributes of every graph's nodes, if they have any.
    pub fn node_attributes(&self) -> Option<&[Features]> {
        self.node_attributes.as_deref()
    }

    /// The splits the publisher ships.
    pub fn splits(&self) -> &[Split] {
        &self.splits
    }

    /// What readers did that users should know of.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Nodes of all graphs together.
    pub fn node_count(&self) -> usize {
        self.graphs.iter().map(Graph::node_count).sum()
    }

    /// Edges of all graphs together.
    pub fn edge_count(&self) -> usize {
        self.graphs.iter().map(Graph::edge_count).sum()
    }
}
