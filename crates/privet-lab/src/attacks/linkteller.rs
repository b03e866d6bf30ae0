//! LinkTeller (Wu, Long, Zhang and Li, 2022): change the features of one node a little, ask the served model
//! again, and see whose predictions move. In a GCN only nodes that are connected can influence each other.
//!
//! The attacker may query predictions for any features, and knows the public edges; the edges inside the
//! server are what it wants. Pairs are private edges against pairs that are no edges; public edges are
//! left out.

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
    /// The seed that picks them; it protects nobody.
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

impl LinkTeller {
    /// The area under the ROC curve of influences, private edges against non-edges; `None` if there are
    /// no private edges to look for.
    ///
    /// # Errors
    /// If features do not fit the model.
    pub fn attack(
        &self,
        gcn: &Gcn,
        served: &Graph,
        rows: &FeatureMatrix,
        truth: Truth<'_>,
    ) -> Result<Option<f64>> {
        let mut rng = SimRng::stream(self.seed, 31);
        let mut ends: Vec<NodeId> =
            truth.private.nodes().filter(|&node| truth.private.degree(node) > 0).collect();
        ends.shuffle(&mut rng);
        ends.truncate(self.probes);
        let clear = dense(rows);
        let before = gcn.scores(&gcn.input(served, (&clear).into())?)?;
        let (mut influences, mut edges) = (Vec::new(), Vec::new());
        let mut changed = clear;
        for &probe in &ends {
            let kept = changed.row(probe as usize).to_vec();
            changed.row_mut(probe as usize).iter_mut().for_each(|x| *x *= 1.0 + self.change);
            let after = gcn.scores(&gcn.input(served, (&changed).into())?)?;
            changed.row_mut(probe as usize).copy_from_slice(&kept);
            let influence = |other: NodeId| {
                let rows = before.row(other as usize).iter().zip(after.row(other as usize));
                rows.map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
            };
            let friends = truth.private.neighbors(probe);
            let strangers = strangers(probe, friends.len(), truth, &mut rng);
            for (&other, is_edge) in
                friends.iter().map(|f| (f, true)).chain(strangers.iter().map(|s| (s, false)))
            {
                influences.push(influence(other) as f32);
                edges.push(is_edge);
            }
        }
        Ok(roc_auc(&influences, &edges))
    }
}

/// As many nodes that the probe has no edge with.
fn strangers(probe: NodeId, count: usize, truth: Truth<'_>, rng: &mut SimRng) -> Vec<NodeId> {
    let nodes = truth.public.node_count() as NodeId;
    let known = truth.public.degree(probe) + truth.private.degree(probe) + 1;
    let free = (nodes as usize).saturating_sub(known);
    let mut found = Vec::new();
    while found.len() < count.min(free) {
        let other = rng.random_range(0..nodes);
        let is_edge = truth.public.has_edge(probe, other) || truth.private.has_edge(probe, other);
        if other != probe && !is_edge && !found.contains(&other) {
            found.push(other);
        }
    }
    found
}

/// The rows as a dense matrix, which can be changed in place.
pub(super) fn dense(rows: &FeatureMatrix) -> DenseMatrix {
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
    use crate::experiments::hetero_rr::{Experiment, Variant};
    use privet::graph::synthetic::StochasticBlocks;
    use privet::hetero_rr::{EdgeProtection, Learner, TreePlan};
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
        let experiment = Experiment {
            dataset: &dataset,
            share: 0.3,
            edges: EdgeProtection { tree, ..EdgeProtection::new(0.5) },
            features: None,
            learner: Learner { epochs: 30, ..Learner::default() },
        };
        let split = experiment.split(1).unwrap();
        let auc = |variant| {
            let world = experiment.world(variant, 1).unwrap();
            let gcn = experiment.train(&world, &split, 1, &AtomicBool::new(false)).unwrap();
            let truth = Truth { public: &world.public, private: &world.private };
            let attack = LinkTeller { probes: 60, ..LinkTeller::default() };
            attack.attack(&gcn, &world.graph, &world.rows, truth).unwrap().unwrap()
        };
        let (open, protected) = (auc(Variant::Ceiling), auc(Variant::Published));
        assert!(open > 0.9 && protected < 0.75, "{open} {protected}");
    }
}
