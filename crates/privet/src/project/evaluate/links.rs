//! How good a model of links is: each link that was set aside beside a pair that is none. Connections are public here.

use std::collections::HashMap;

use rand::RngExt;

use super::{Control, Evaluation, some};
use crate::Result;
use crate::graph::{Graph, NodeId, SimRng};
use crate::model::LinkModel;
use crate::model::interval::exact_accuracy;
use crate::project::Project;

/// What links are predicted by without features.
const IN_COMMON: &str = "common acquaintances, from public connections alone";
/// How often a pair is drawn before a link is left out.
const TRIES: usize = 100;

impl Project {
    /// Every link that was set aside beside a random pair that is none: the link should score higher.
    pub(super) fn compare_links(&self, model: &LinkModel) -> Result<Evaluation> {
        let dataset = self.dataset_for(&[])?;
        let index: HashMap<&str, NodeId> = model.people.iter().map(|id| &**id).zip(0..).collect();
        let row: Vec<Option<NodeId>> =
            dataset.ids().iter().map(|id| index.get(&*id.to_string()).copied()).collect();
        let there: Vec<NodeId> =
            dataset.graph().nodes().filter(|&node| row[node as usize].is_some()).collect();
        let all = dataset.graph().to_undirected()?;
        // Seeded by a public number: the same pairs in every evaluation.
        let mut rng = SimRng::new(there.len() as u64);
        let (mut links, mut others) = (Vec::new(), Vec::new());
        for link in self.links(&dataset, |set_aside| set_aside)?.edges() {
            if [link.0, link.1].iter().any(|&end| row[end as usize].is_none()) {
                continue;
            }
            // Nearly all pairs are none, unless the graph is nearly complete.
            let none = (0..TRIES).find_map(|_| {
                let [one, other] = [(); 2].map(|()| there[rng.random_range(0..there.len())]);
                (one != other && !all.has_edge(one, other)).then_some((one, other))
            });
            if let Some(none) = none {
                // One pair that is none for each link, so that guessing scores 1/2.
                links.push(link);
                others.push(none);
            }
        }
        some(links.len(), "links set aside")?;
        let score = |pairs: &[(NodeId, NodeId)]| {
            let at = |node: NodeId| row[node as usize].unwrap_or_default();
            let pairs: Vec<_> = pairs.iter().map(|&(one, other)| (at(one), at(other))).collect();
            model.scores(&pairs)
        };
        let known = self.links(&dataset, |set_aside| !set_aside)?;
        let shared = |pairs: &[(NodeId, NodeId)]| -> Vec<f32> {
            pairs.iter().map(|&(one, other)| in_common(&known, one, other) as f32).collect()
        };
        let higher = higher(&score(&links)?, &score(&others)?);
        let control = self::higher(&shared(&links), &shared(&others));
        Ok(Evaluation {
            accuracy: exact_accuracy(higher, links.len() as u64),
            control: Some(Control {
                answers: IN_COMMON.into(),
                accuracy: exact_accuracy(control, links.len() as u64),
            }),
            by_class: None,
            tested: links.len(),
            of: "links",
            card: None,
            counts: vec![higher as i64, links.len() as i64 - higher as i64],
            how: "each beside a random pair that is none: how often the link scores higher (the area under the ROC curve)",
        })
    }
}

/// How often the first of two is higher; equal ones are half.
fn higher(links: &[f32], others: &[f32]) -> u64 {
    let twice = links.iter().zip(others).map(|(link, other)| match link.total_cmp(other) {
        std::cmp::Ordering::Greater => 2,
        std::cmp::Ordering::Equal => 1,
        std::cmp::Ordering::Less => 0,
    });
    twice.sum::<u64>() / 2
}

/// How many people two people both know. Neighbours are sorted.
fn in_common(graph: &Graph, one: NodeId, other: NodeId) -> usize {
    let others = graph.neighbors(other);
    graph.neighbors(one).iter().filter(|&node| others.binary_search(node).is_ok()).count()
}
