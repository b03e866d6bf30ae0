//! [`GraphInputs`]: a set of graphs made ready for a GIN.
//!
//! After l rounds the row of a node is a function of its *colour*: two nodes have the same colour of
//! round 0 if they have the same features, and of round l if their closed neighbourhoods hold every
//! colour of round l - 1 equally often (colour refinement, the Weisfeiler-Lehman test that GIN is named
//! after). So each colour is computed once, and counted as often as it occurs. Colours are found once
//! per set, by comparing neighbourhoods themselves and not hashes of them, so the result is exact.

use privet_graph::{DenseMatrix, FeatureMatrix, Graph, GraphSet};

use super::refine::{ColourRound, first_colours, refine};
use crate::{Error, Result};

/// What is known of a node before its neighbours are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NodeFeatures {
    /// Nothing: a one.
    Constant,
    /// Its degree, one column each; degrees above `cap` share the last. The cap should be public
    /// knowledge: the largest degree of the set would give something away.
    Degree {
        /// The largest degree with a column of its own.
        cap: u32,
    },
    /// Its tag, one column each.
    Tags {
        /// The number of tags.
        count: u32,
    },
    /// Its attributes.
    Attributes,
}

/// Colours of all nodes for every round, and the features of the first.
#[derive(Debug, Clone)]
pub struct GraphInputs {
    pub(super) features: DenseMatrix,
    pub(super) levels: Vec<ColourRound>,
    /// Nodes of each graph.
    pub(super) nodes: Vec<usize>,
}

impl GraphInputs {
    /// Finds the colours of all nodes for a network of some rounds.
    ///
    /// # Errors
    /// If the set lacks the tags or attributes asked for, a tag is out of range, or the set has 2^32
    /// nodes or more.
    pub fn new(set: &GraphSet, features: NodeFeatures, rounds: usize) -> Result<Self> {
        if u32::try_from(set.node_count()).is_err() {
            return Err(Error::invalid("nodes of all graphs", set.node_count(), "below 2^32"));
        }
        let (features, mut colours) = match features {
            NodeFeatures::Constant => {
                // All nodes are alike at first: one colour, one row.
                let ones = DenseMatrix::new(1, 1, vec![1.0])?;
                (ones, vec![0; set.node_count()])
            }
            NodeFeatures::Degree { cap } => {
                let degrees = set.graphs().iter().flat_map(|graph| {
                    graph.nodes().map(|u| graph.degree(u).min(cap as usize) as u32)
                });
                one_hot(degrees, cap as usize + 1)
            }
            NodeFeatures::Tags { count } => one_hot(tags(set, count)?, count as usize),
            NodeFeatures::Attributes => attributes(set)?,
        };
        let mut levels = vec![ColourRound::of_colours(set.graphs(), &colours)];
        // A node's output after k rounds depends on its colour of round k alone, so a batch
        // computes each colour once.
        for _ in 0..rounds {
            levels.push(refine(set.graphs(), &mut colours));
        }
        let nodes = set.graphs().iter().map(Graph::node_count).collect();
        Ok(Self { features, levels, nodes })
    }

    /// Number of graphs.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Features per node.
    pub fn width(&self) -> usize {
        self.features.columns()
    }

    /// Rounds it was made for.
    pub fn rounds(&self) -> usize {
        self.levels.len() - 1
    }

    /// Number of different colours after some rounds.
    ///
    /// # Panics
    /// If there are not as many rounds.
    pub fn colours(&self, round: usize) -> usize {
        self.levels[round].colours
    }
}

/// Features with a single one in each row, and the row of each node.
fn one_hot(values: impl Iterator<Item = u32>, width: usize) -> (DenseMatrix, Vec<u32>) {
    let (kinds, colours) = first_colours(values);
    // A row for each value that occurs, not for each node.
    let mut features = DenseMatrix::zeros(kinds.len(), width);
    for (row, &value) in kinds.iter().enumerate() {
        features.row_mut(row)[value as usize] = 1.0;
    }
    (features, colours)
}

fn tags(set: &GraphSet, count: u32) -> Result<impl Iterator<Item = u32>> {
    let tags = set.node_tags().ok_or_else(|| {
        Error::invalid("node features", format!("no tags in '{}'", set.name()), "node tags")
    })?;
    match tags.iter().flatten().find(|&&tag| tag >= count) {
        Some(tag) => Err(Error::invalid("node tag", tag, format!("below {count}"))),
        None => Ok(tags.iter().flatten().copied()),
    }
}

fn attributes(set: &GraphSet) -> Result<(DenseMatrix, Vec<u32>)> {
    let missing = || format!("no attributes in '{}'", set.name());
    let of_graphs = set
        .node_attributes()
        .ok_or_else(|| Error::invalid("node features", missing(), "node attributes"))?;
    let width = of_graphs.first().map_or(1, |features| features.columns());
    if let Some(other) = of_graphs.iter().find(|features| features.columns() != width) {
        return Err(Error::invalid("number of attributes", other.columns(), width));
    }
    // Equal bits are equal rows; +0 and -0 are different bits, which costs a row and nothing else.
    let rows = of_graphs.iter().flat_map(|features| {
        (0..features.rows()).map(move |row| -> Vec<u32> {
            match features.matrix() {
                FeatureMatrix::Dense(dense) => dense.row(row).iter().map(|v| v.to_bits()).collect(),
                FeatureMatrix::Sparse(sparse) => {
                    // Written out in full: equal sparse rows may store different zeros.
                    let mut bits = vec![0; width];
                    let (columns, values) = sparse.row(row);
                    let entries = columns.iter().zip(values);
                    entries.for_each(|(&column, v)| bits[column as usize] = v.to_bits());
                    bits
                }
            }
        })
    });
    let (kinds, colours) = first_colours(rows);
    let values = kinds.iter().flatten().map(|&bits| f32::from_bits(bits)).collect();
    Ok((DenseMatrix::new(kinds.len(), width, values)?, colours))
}
