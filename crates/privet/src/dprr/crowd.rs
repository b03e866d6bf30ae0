//! [`Crowd`]: what the users of many graphs hold. Their lists are secret; how many they are and what a
//! graph is about is not.

use super::setting::UserEpsilons;
use crate::Result;
use crate::graph::{Direction, Graph, GraphSet, Labels, NodeId};
use crate::labels::one_each;
use crate::privacy::Secret;
use crate::privacy::population::ManyGraphs;

/// Users of many graphs.
pub struct Crowd {
    /// The data's name.
    pub name: String,
    /// Every user's neighbour list.
    pub lists: Secret<ManyGraphs>,
    /// Users per graph: public.
    pub sizes: Vec<usize>,
    /// Whether an edge stands in two lists or in one.
    pub direction: Direction,
    /// The class of each graph: public.
    pub labels: Labels,
}

impl Crowd {
    /// Wraps a set of graphs at once, before anything else can look at it.
    ///
    /// # Errors
    /// If the graphs have no classes.
    pub fn new(set: &GraphSet) -> Result<Self> {
        Self::holding(set, set.graphs().to_vec())
    }

    /// The same users with nothing of their own in private lists: they are empty. Users who publish
    /// keep theirs. Whatever a learner achieves on these reports, private lists did not contribute.
    ///
    /// # Errors
    /// If the graphs have no classes, or the choices are those of other users.
    pub fn without_private_lists(set: &GraphSet, chosen: &UserEpsilons) -> Result<Self> {
        let mut user = 0;
        let mut strip = |graph: &Graph| {
            let rows = graph.nodes().map(|node| {
                let public = chosen.publishes(user);
                user += 1;
                if public { known(graph, node) } else { Vec::new() }
            });
            Graph::from_rows(rows.collect())
        };
        let graphs = set.graphs().iter().map(&mut strip).collect::<Result<_, _>>()?;
        let mut crowd = Self::holding(set, graphs)?;
        crowd.direction = direction(set);
        Ok(crowd)
    }

    fn holding(set: &GraphSet, graphs: Vec<Graph>) -> Result<Self> {
        let remedy = "they are what is learned; a set of graphs with labels is needed";
        let labels = one_each(set.labels(), set.name(), remedy)?;
        Ok(Self {
            name: set.name().to_owned(),
            sizes: graphs.iter().map(Graph::node_count).collect(),
            direction: direction(set),
            lists: Secret::new(ManyGraphs::new(graphs)),
            labels: labels.clone(),
        })
    }

    /// Users of the largest graph.
    pub fn largest(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(0)
    }
}

fn known(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    graph.neighbors(node).iter().copied().filter(|&other| other != node).collect()
}

/// Undirected if any graph is: the weaker promise is the one to state.
fn direction(set: &GraphSet) -> Direction {
    let undirected = |graph: &Graph| graph.direction() == Direction::Undirected;
    if set.graphs().iter().any(undirected) { Direction::Undirected } else { Direction::Directed }
}
