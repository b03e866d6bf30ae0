//! Graphs for those who have none: threads that gather round one voice, and threads that do not.

use privet::Result;
use privet::graph::{Direction, Graph, GraphBuilder, GraphSet, Labels, SimRng};
use rand::RngExt;

/// Labelled threads. In a question all users answer one or two people; in a discussion each user
/// answers one other. Sizes say nothing about the class.
///
/// # Errors
/// Never in practice.
pub fn threads(count: usize, users: std::ops::Range<u32>, seed: u64) -> Result<GraphSet> {
    let mut rng = SimRng::new(seed);
    let mut graphs = Vec::with_capacity(count);
    for at in 0..count {
        let size = rng.random_range(users.clone());
        graphs.push(thread(size, at % 2 == 0, &mut rng)?);
    }
    let names = vec!["question".to_owned(), "discussion".to_owned()];
    let classes = (0..count).map(|at| Some((at % 2) as u32)).collect();
    Ok(GraphSet::new("synthetic", graphs).with_labels(Labels::single(classes, names)?)?)
}

fn thread(size: u32, question: bool, rng: &mut SimRng) -> Result<Graph> {
    let edges: Vec<(u32, u32)> = (1..size)
        .map(|user| {
            let hubs = 1 + size / 60;
            let whom = match question && rng.random::<f64>() < 0.8 {
                true => rng.random_range(0..hubs.min(user)),
                false => rng.random_range(0..user),
            };
            (user, whom)
        })
        .collect();
    let builder = GraphBuilder::new(size as usize, Direction::Undirected).edges(edges);
    Ok(builder.build()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_hubs_and_discussions_have_none() {
        let set = threads(20, 50..80, 1).unwrap();
        assert_eq!(set, threads(20, 50..80, 1).unwrap());
        for (at, graph) in set.graphs().iter().enumerate() {
            assert_eq!(graph.edge_count() + 1, graph.node_count());
            let most = graph.nodes().map(|user| graph.degree(user)).max().unwrap();
            let hub = most * 5 > graph.node_count();
            assert_eq!(hub, at % 2 == 0, "graph {at}: {most} of {}", graph.node_count());
        }
    }
}
