//! LinkTeller (Wu, Long, Zhang and Li, 2022): change the features of one node a little, ask the served model
//! again, and see whose predictions move. In a GCN only nodes that are connected can influence each other.
//!
//! The attacker may query predictions for any features, and knows the public edges; the edges inside the
//! server are what it wants. Pairs are private edges against pairs that are no edges; public edges are
//! left out.
//!
//! Against any pairs, even a model of public edges alone seems to tell private ones: friends of friends are
//! linked more often, and influence each other through public edges. What a model gives away *beyond what
//! is public* shows against pairs with equally many public friends in common, the matched AUC: a model that
//! knows nothing private scores about 1/2 there.

use std::collections::BTreeMap;

use privet::Result;
use privet::graph::{DenseMatrix, FeatureMatrix, Graph, NodeId, SimRng};
use privet::learn::metrics::roc_auc;
use privet::learn::models::gcn::Gcn;
use rand::RngExt;
use rand::seq::SliceRandom;

/// How the attack is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkTeller {
    /// How many nodes are changed, one query each.
    pub probes: usize,
    /// By which share their features are changed.
    pub change: f32,
    /// The seed that picks them; it gives no protection.
    pub seed: u64,
}

impl Default for LinkTeller {
    fn default() -> Self {
        Self { probes: 100, change: 1e-2, seed: 1 }
    }
}

/// What is true, for the score.
#[derive(Debug, Clone, Copy)]
pub struct Truth<'a> {
    /// Public edges.
    pub public: &'a Graph,
    /// Private edges.
    pub private: &'a Graph,
}

/// What the attacker's ranking of pairs is worth: areas under the ROC curve, `None` if there are no pairs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairsFound {
    /// Private edges against any non-edges.
    pub any: Option<f64>,
    /// Private edges against non-edges with equally many public friends in common.
    pub matched: Option<f64>,
}

/// Influences over pairs, and which of these are edges.
#[derive(Default)]
struct InfluenceRanking {
    influences: Vec<f32>,
    edges: Vec<bool>,
}

impl InfluenceRanking {
    fn push(&mut self, influence: f64, is_edge: bool) {
        self.influences.push(influence as f32);
        self.edges.push(is_edge);
    }

    fn auc(&self) -> Option<f64> {
        roc_auc(&self.influences, &self.edges)
    }
}

impl LinkTeller {
    /// How well influences tell private edges from non-edges.
    ///
    /// # Errors
    /// If features do not fit the model.
    pub fn attack(
        &self,
        gcn: &Gcn,
        served: &Graph,
        rows: &FeatureMatrix,
        truth: Truth<'_>,
    ) -> Result<PairsFound> {
        // A fixed stream: the same probes for every model that is compared.
        let mut rng = SimRng::stream(self.seed, 31);
        let mut ends: Vec<NodeId> =
            truth.private.nodes().filter(|&node| truth.private.degree(node) > 0).collect();
        ends.shuffle(&mut rng);
        ends.truncate(self.probes);
        // The attacker queries with rows of its own; the served graph stays inside the server.
        let clear = dense(rows);
        let before = gcn.scores(&gcn.input(served, (&clear).into())?)?;
        let (mut any, mut matched) = (InfluenceRanking::default(), InfluenceRanking::default());
        let mut changed = clear;
        for &probe in &ends {
            let kept = changed.row(probe as usize).to_vec();
            // The whole row is scaled a little: the derivative of the predictions along it.
            changed.row_mut(probe as usize).iter_mut().for_each(|x| *x *= 1.0 + self.change);
            let after = gcn.scores(&gcn.input(served, (&changed).into())?)?;
            changed.row_mut(probe as usize).copy_from_slice(&kept);
            let influence = |other: NodeId| {
                let rows = before.row(other as usize).iter().zip(after.row(other as usize));
                // The Euclidean distance of the other node's scores before and after.
                rows.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
            };
            let friends = truth.private.neighbors(probe);
            for stranger in strangers(probe, friends.len(), truth, &mut rng) {
                any.push(influence(stranger), false);
            }
            let alike = Alike::new(probe, truth);
            for &friend in friends {
                any.push(influence(friend), true);
                // A friend enters the matched comparison only together with a stranger of as many
                // common public friends.
                if let Some(stranger) = alike.stranger(friend, &mut rng) {
                    matched.push(influence(friend), true);
                    matched.push(influence(stranger), false);
                }
            }
        }
        Ok(PairsFound { any: any.auc(), matched: matched.auc() })
    }
}

/// All people by how many public friends they share with a probe.
struct Alike<'a> {
    probe: NodeId,
    truth: Truth<'a>,
    common: BTreeMap<NodeId, usize>,
}

/// Tries before a friend is taken to have no similar stranger.
const TRIES: usize = 200;

impl<'a> Alike<'a> {
    fn new(probe: NodeId, truth: Truth<'a>) -> Self {
        let mut common = BTreeMap::new();
        for &friend in truth.public.neighbors(probe) {
            for &other in truth.public.neighbors(friend) {
                // Public friends of friends, counted by how many ways lead there.
                *common.entry(other).or_insert(0) += 1;
            }
        }
        Self { probe, truth, common }
    }

    /// A node without an edge to the probe that shares as many public friends with it as this one; three
    /// and more count as one.
    fn stranger(&self, friend: NodeId, rng: &mut SimRng) -> Option<NodeId> {
        // Three and more are one group: larger counts are too rare to be matched exactly.
        let shared = |node: NodeId| self.common.get(&node).map_or(0, |&count| count.min(3));
        let wanted = shared(friend);
        let fits = |&node: &NodeId| {
            let Truth { public, private } = self.truth;
            let is_edge = public.has_edge(self.probe, node) || private.has_edge(self.probe, node);
            node != self.probe && !is_edge && shared(node) == wanted
        };
        // Most nodes have no common friend, so random ones fit soon; a list of all would be long.
        if wanted == 0 {
            let nodes = self.truth.public.node_count() as NodeId;
            return (0..TRIES).map(|_| rng.random_range(0..nodes)).find(fits);
        }
        let candidates: Vec<NodeId> = self.common.keys().copied().filter(fits).collect();
        candidates.get(rng.random_range(0..candidates.len().max(1))).copied()
    }
}

/// As many nodes that the probe has no edge with.
fn strangers(probe: NodeId, count: usize, truth: Truth<'_>, rng: &mut SimRng) -> Vec<NodeId> {
    let nodes = truth.public.node_count() as NodeId;
    // The probe itself and all it is connected to cannot be strangers.
    let known = truth.public.degree(probe) + truth.private.degree(probe) + 1;
    let free = (nodes as usize).saturating_sub(known);
    let mut found = Vec::new();
    while found.len() < count.min(free) {
        let other = rng.random_range(0..nodes);
        let is_edge = truth.public.has_edge(probe, other) || truth.private.has_edge(probe, other);
        // Few are wanted for each probe: a linear search is the shortest way to keep them distinct.
        if other != probe && !is_edge && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

/// The rows as a dense matrix, which can be changed in place.
pub(crate) fn dense(rows: &FeatureMatrix) -> DenseMatrix {
    match rows {
        FeatureMatrix::Dense(rows) => rows.clone(),
        FeatureMatrix::Sparse(rows) => {
            let mut all = DenseMatrix::zeros(rows.rows(), rows.columns());
            for row in 0..rows.rows() {
                let (columns, values) = rows.row(row);
                let to = all.row_mut(row);
                columns.iter().zip(values).for_each(|(&at, &value)| to[at as usize] = value);
            }
            all
        }
    }
}

#[cfg(test)]
mod tests;
