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
mod tests {
    use super::*;
    use crate::experiments::hetero_rr::HeteroRrTrial;
    use crate::experiments::trial::{NamedData, Variant};
    use privet::data::synthetic::StochasticBlocks;
    use privet::graph::{Direction, GraphBuilder};
    use privet::hetero_rr::{EdgeProtection, GcnLearner, TreePlan};
    use privet::learn::models::gcn::GcnConfig;
    use std::sync::atomic::AtomicBool;

    /// A model on the true graph gives its edges away; one on the published graph does not know them.
    #[test]
    fn an_unprotected_model_tells_and_a_protected_one_does_not() {
        let blocks = StochasticBlocks {
            nodes: 200,
            classes: 3,
            features: 16,
            mean_degree: 6.0,
            ..Default::default()
        };
        let dataset = blocks.generate(2).unwrap();
        let tree = TreePlan { steps_per_node: 10, ..TreePlan::default() };
        let trial = HeteroRrTrial {
            edges: EdgeProtection { tree, ..EdgeProtection::new(0.5) },
            learner: GcnLearner { epochs: 30, ..GcnLearner::default() },
            ..HeteroRrTrial::new(NamedData::new("people", &dataset), 0.3)
        };
        let auc = |variant| {
            let attack = LinkTeller { probes: 60, ..LinkTeller::default() };
            let found = attack.on(&trial, variant, 1, &AtomicBool::new(false)).unwrap();
            (found.any.unwrap(), found.matched.unwrap())
        };
        let (open, protected) = (auc(Variant::Clear), auc(Variant::Private));
        assert!(open.0 > 0.9 && protected.0 < 0.75, "{open:?} {protected:?}");
        assert!(open.1 > 0.9 && (0.35..0.65).contains(&protected.1), "{open:?} {protected:?}");
    }

    /// Node 0 has the public friend 1, over which it shares one friend with 2 and 3; 4 and 5 are strangers.
    #[test]
    fn matches_share_as_many_public_friends() {
        let graph = |edges: &[(u32, u32)]| {
            let builder = GraphBuilder::new(6, Direction::Undirected).edges(edges.iter().copied());
            builder.build().unwrap().0
        };
        let (public, private) = (graph(&[(0, 1), (1, 2), (1, 3)]), graph(&[(0, 2), (0, 4)]));
        let alike = Alike::new(0, Truth { public: &public, private: &private });
        let mut rng = SimRng::stream(1, 1);
        for _ in 0..20 {
            assert_eq!(alike.stranger(2, &mut rng), Some(3));
            assert_eq!(alike.stranger(4, &mut rng), Some(5));
        }
    }

    fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        let builder = GraphBuilder::new(nodes, Direction::Undirected).edges(edges.iter().copied());
        builder.build().unwrap().0
    }

    /// Ten couples whose edges are private, and rows that differ.
    fn couples() -> (Graph, Graph, FeatureMatrix) {
        let edges: Vec<(u32, u32)> = (0..10).map(|at| (2 * at, 2 * at + 1)).collect();
        let values = (0..60).map(|at| 1.0 + (at % 7) as f32).collect();
        let rows = FeatureMatrix::Dense(DenseMatrix::new(20, 3, values).unwrap());
        (graph(20, &[]), graph(20, &edges), rows)
    }

    fn untrained() -> Gcn {
        Gcn::new(GcnConfig { seed: 5, ..GcnConfig::new(3, 4) }).unwrap()
    }

    /// In a graph of couples only the other half of a couple can be influenced: a model on it, even without training,
    /// gives every edge away. A model on no edges influences no prediction, and all pairs look alike.
    #[test]
    fn influence_is_where_edges_are() {
        let (public, private, rows) = couples();
        let truth = Truth { public: &public, private: &private };
        let attack = |served: &Graph| {
            LinkTeller::default().attack(&untrained(), served, &rows, truth).unwrap()
        };
        assert_eq!(attack(&private), PairsFound { any: Some(1.0), matched: Some(1.0) });
        assert_eq!(attack(&public), PairsFound { any: Some(0.5), matched: Some(0.5) });
    }

    /// The ends of other edges than those that are sought: the attacker is wrong about every pair.
    #[test]
    fn a_model_of_other_edges_tells_nothing_about_these() {
        let (public, private, rows) = couples();
        let others: Vec<(u32, u32)> = (0..10).map(|at| (2 * at + 1, (2 * at + 2) % 20)).collect();
        let truth = Truth { public: &public, private: &private };
        let found = LinkTeller::default().attack(&untrained(), &graph(20, &others), &rows, truth);
        // Friends are never influenced, strangers sometimes.
        assert!(found.unwrap().any.unwrap() <= 0.5);
    }

    #[test]
    fn without_private_edges_there_is_nothing_to_find() {
        let (public, _, rows) = couples();
        let truth = Truth { public: &public, private: &public };
        let found = LinkTeller::default().attack(&untrained(), &public, &rows, truth).unwrap();
        assert_eq!(found, PairsFound { any: None, matched: None });
        let wide = FeatureMatrix::Dense(DenseMatrix::zeros(20, 4));
        assert!(LinkTeller::default().attack(&untrained(), &public, &wide, truth).is_err());
    }

    /// As many as wanted, or all there are; none twice, and none that is known.
    #[test]
    fn strangers_are_not_known() {
        let (public, private) = (graph(6, &[(0, 1)]), graph(6, &[(0, 2)]));
        let truth = Truth { public: &public, private: &private };
        let mut rng = SimRng::stream(3, 1);
        for _ in 0..20 {
            let found = strangers(0, 2, truth, &mut rng);
            assert!(found.len() == 2 && found[0] != found[1], "{found:?}");
            assert!(found.iter().all(|node| *node > 2), "{found:?}");
        }
        let mut all = strangers(0, 9, truth, &mut rng);
        all.sort_unstable();
        assert_eq!(all, [3, 4, 5]);
    }

    #[test]
    fn sparse_rows_are_the_same_rows() {
        let mut builder = privet::graph::SparseBuilder::new(3);
        builder.push_row(&mut [(2, 0.5), (0, 1.0)]).unwrap();
        builder.push_row(&mut []).unwrap();
        let rows = dense(&FeatureMatrix::Sparse(builder.finish()));
        assert_eq!((rows.row(0), rows.row(1)), (&[1.0, 0.0, 0.5][..], &[0.0; 3][..]));
    }
}
