//! What costs nothing: the largest class, and known classes spread over public connections.

use privet::Result;
use privet::graph::{Dataset, Graph, Labels, Split};

use crate::experiments::ldp_ge::node_split;
use crate::experiments::trial::data::accuracy_on;

/// The share of the largest class.
pub(super) fn largest_share(labels: Option<&Labels>) -> f64 {
    let sizes = labels.map_or_else(Vec::new, Labels::class_sizes);
    let all: usize = sizes.iter().sum();
    sizes.into_iter().max().unwrap_or(0) as f64 / all.max(1) as f64
}

/// What a person keeps of the known classes in each round, and how many rounds there are.
const KEEP: f64 = 0.1;
const ROUNDS: usize = 20;

/// Label propagation: `F <- keep Y + (1 - keep) D^-1 A F`, with `Y` the known classes of the training people.
pub(super) fn spread_labels(people: &Dataset, seed: u64) -> Result<f64> {
    let Some(labels) = people.labels() else { return Ok(0.0) };
    let split = node_split(people, seed)?;
    let predicted = propagated(people.graph(), labels, &split);
    Ok(accuracy_on(&split.test, &predicted, labels))
}

fn propagated(graph: &Graph, labels: &Labels, split: &Split) -> Vec<u32> {
    let classes = labels.class_count();
    let mut known = vec![0.0; graph.node_count() * classes];
    for &node in split.train.iter().chain(&split.validation) {
        if let Some(class) = labels.class(node) {
            known[node as usize * classes + class as usize] = 1.0;
        }
    }
    let mut now = known.clone();
    for _ in 0..ROUNDS {
        let mut next: Vec<f64> = known.iter().map(|entry| KEEP * entry).collect();
        for node in graph.nodes() {
            let friends = graph.neighbors(node);
            let share = (1.0 - KEEP) / friends.len().max(1) as f64;
            let row = &mut next[node as usize * classes..][..classes];
            for &friend in friends {
                let said = &now[friend as usize * classes..][..classes];
                row.iter_mut().zip(said).for_each(|(sum, said)| *sum += share * said);
            }
        }
        now = next;
    }
    let largest = known_largest(labels, split);
    let best = |row: &[f64]| {
        let best = row.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
        best.filter(|(_, score)| **score > 0.0).map_or(largest, |(class, _)| class as u32)
    };
    now.chunks(classes).map(best).collect()
}

/// The largest class among those who are known, for whoever nobody reaches.
fn known_largest(labels: &Labels, split: &Split) -> u32 {
    let mut sizes = vec![0usize; labels.class_count()];
    for class in split.train.iter().filter_map(|&node| labels.class(node)) {
        sizes[class as usize] += 1;
    }
    let largest = sizes.iter().enumerate().max_by_key(|(_, size)| **size);
    largest.map_or(0, |(class, _)| class as u32)
}

#[cfg(test)]
mod tests {
    use privet::graph::{Direction, GraphBuilder};

    use super::*;

    /// A path of four whose ends are known, and somebody whom nobody knows.
    #[test]
    fn classes_spread_to_those_who_are_near() {
        let edges = [(0, 1), (1, 2), (2, 3)];
        let builder = GraphBuilder::new(5, Direction::Undirected).edges(edges);
        let (graph, _) = builder.build().unwrap();
        let labels = Labels::from_names(&["a", "a", "b", "b", "a"]).unwrap();
        let split = Split { train: vec![0, 3], validation: vec![], test: vec![1, 2, 4] };
        let said = propagated(&graph, &labels, &split);
        assert_eq!(said[..4], [0, 0, 1, 1]);
        assert_eq!(said[4], known_largest(&labels, &split), "nobody reaches the last");
        assert_eq!(largest_share(Some(&labels)), 0.6);
    }
}
