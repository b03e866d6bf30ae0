//! What the collector makes of reports: [`Reading`].
//!
//! # Plain
//! The paper's: row i of a graph is what user i reported, and every node begins with a one.
//!
//! # Believed
//! The collector knows how reports were made, and reads them as evidence:
//! * Who publishes says the truth, and in undirected graphs the truth about both ends of a pair. Such
//!   pairs are known.
//! * How many neighbours a private user has is estimated from all that was said ([`degree`](super::degree)).
//! * A pair of private users whom a report names is believed if its probability is at least one half:
//!   prior odds from their degrees (`d_i d_j / 2m`), times `p / (1 - p)` for each end that names the other,
//!   times `(1 - pq) / (1 - (1-p)q)` for each that does not. Below that it is left out: for most
//!   users a reported pair is true once in a hundred.
//! * Every node begins with its estimated degree and the number of users of its graph (public), both on
//!   a logarithmic scale, and whether it publishes (public).
//!
//! # Summary
//! The same evidence in one row a graph ([`Reading::summaries`]): boosted trees read it, and the network beside them where
//! a report names a neighbour ([`learn`](super::learn)).
//!
//! All of it is post-processing of reports: it has no privacy cost.

mod summary;
mod testimony;

use super::claim::Claim;
use super::collect::{Division, SplitRule};
use crate::Result;
use crate::graph::{
    DenseMatrix, Direction, Features, Graph, GraphBuilder, GraphSet, NodeId, subgraph,
};

use testimony::Testimony;

/// How the collector interprets reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Reading {
    /// As they are: row i of a noisy graph is the report of user i.
    Plain,
    /// As evidence: pairs that are likely, and degrees from all that was said.
    Believed,
    /// As evidence about whole graphs: what reports say well, for boosted trees.
    #[default]
    Summary,
}

/// Columns of degrees, and as many of sizes: twice the logarithm to base 2, up to 2^15.
const BINS: usize = 31;

impl Reading {
    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Believed => "believed",
            Self::Summary => "summary",
        }
    }

    /// How DPRR's epsilon is best divided for it. The plain reading wants bits, as in the paper. The
    /// believed one makes more of degrees (chosen on validation graphs of REDDIT-BINARY): half goes there. Summaries want
    /// degrees until pairs could be believed ([`Division::ByFacts`]).
    pub fn split(self) -> SplitRule {
        match self {
            Self::Plain => SplitRule::default(),
            Self::Believed => SplitRule { alpha: 0.5, ..SplitRule::default() },
            Self::Summary => SplitRule { split: Division::ByFacts, alpha: 0.5 },
        }
    }

    /// What the network sees.
    ///
    /// # Errors
    /// If a row names nodes that do not exist, or there is not one claim per user.
    pub fn read(
        self,
        graphs: Vec<Graph>,
        claims: &[Claim],
        direction: Direction,
    ) -> Result<GraphSet> {
        let (mut read, mut features) = (Vec::with_capacity(graphs.len()), Vec::new());
        let each = claims_by_graph(&graphs, claims)?;
        for (graph, of_graph) in graphs.into_iter().zip(each) {
            match self {
                Self::Plain => read.push(heard(graph, of_graph)?),
                Self::Believed | Self::Summary => {
                    let (graph, of_nodes) = believe(&graph, of_graph, direction)?;
                    read.push(graph);
                    features.push(of_nodes);
                }
            }
        }
        let set = GraphSet::new("what was read", read);
        Ok(match self {
            Self::Plain => set,
            Self::Believed | Self::Summary => set.with_node_attributes(features)?,
        })
    }

    /// What trees see: one row a graph. None where reports are read user by user.
    ///
    /// # Errors
    /// If there is not one claim per user.
    pub fn summaries(
        self,
        graphs: &[Graph],
        claims: &[Claim],
        direction: Direction,
    ) -> Result<Option<DenseMatrix>> {
        if self != Self::Summary {
            return Ok(None);
        }
        let mut values = Vec::new();
        for (graph, of_graph) in graphs.iter().zip(claims_by_graph(graphs, claims)?) {
            let (believed, _) = believed_pairs(graph, of_graph, direction)?;
            values.extend(summary::of_graph(graph, of_graph, direction, &believed));
        }
        let columns = values.len() / graphs.len().max(1);
        Ok(Some(DenseMatrix::new(graphs.len(), columns, values)?))
    }
}

/// The claims of the users of each graph.
fn claims_by_graph<'a>(graphs: &[Graph], claims: &'a [Claim]) -> Result<Vec<&'a [Claim]>> {
    let (mut each, mut left) = (Vec::with_capacity(graphs.len()), claims);
    for graph in graphs {
        let (of_graph, rest) = left.split_at_checked(graph.node_count()).ok_or_else(|| {
            crate::Error::invalid("claims", claims.len(), "one for each user of each graph")
        })?;
        each.push(of_graph);
        left = rest;
    }
    Ok(each)
}

/// The graph without users who are silent or not listened to.
fn heard(graph: Graph, claims: &[Claim]) -> Result<Graph> {
    let said = |node: &NodeId| !matches!(claims[*node as usize], Claim::Silent | Claim::Struck);
    let kept: Vec<NodeId> = graph.nodes().filter(said).collect();
    match kept.len() == graph.node_count() {
        true => Ok(graph),
        false => Ok(subgraph::induced(&graph, &kept)?),
    }
}

/// The pairs believed, and each user's estimated degree.
fn believed_pairs(
    graph: &Graph,
    claims: &[Claim],
    direction: Direction,
) -> Result<(Graph, Vec<f64>)> {
    let testimony = Testimony::of(graph, claims, direction);
    let degrees = testimony.degrees();
    let edges = testimony.known_pairs().chain(testimony.believed_pairs(&degrees));
    let builder = GraphBuilder::new(graph.node_count(), direction).edges(edges);
    Ok((builder.build()?.0, degrees))
}

/// The pairs believed, and what is known of each node; users who are struck are left out.
fn believe(graph: &Graph, claims: &[Claim], direction: Direction) -> Result<(Graph, Features)> {
    let (believed, degrees) = believed_pairs(graph, claims, direction)?;
    let kept: Vec<NodeId> =
        graph.nodes().filter(|&node| claims[node as usize] != Claim::Struck).collect();
    let mut features = DenseMatrix::zeros(kept.len(), 2 * BINS + 1);
    let size = bin(graph.node_count() as f64);
    for (row, &node) in kept.iter().enumerate() {
        let row = features.row_mut(row);
        row[bin(degrees[node as usize])] = 1.0;
        row[BINS + size] = 1.0;
        row[2 * BINS] = f32::from(u8::from(claims[node as usize].is_published()));
    }
    let believed = match kept.len() == graph.node_count() {
        true => believed,
        false => subgraph::induced(&believed, &kept)?,
    };
    Ok((believed, Features::dense(features)))
}

/// Twice the logarithm of a number and one, rounded.
fn bin(value: f64) -> usize {
    ((2.0 * (1.0 + value.max(0.0)).log2()).round() as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests;
