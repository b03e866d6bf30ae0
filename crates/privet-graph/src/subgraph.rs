//! Induced subgraphs.

use crate::{Error, Graph, GraphBuilder, NodeId, Result, SelfLoops};

/// The graph of `nodes` and the edges among them; node `i` of the result is `nodes[i]`.
/// Costs the degrees of the chosen nodes, and one slot per node of the whole graph.
///
/// # Errors
/// If a node repeats or does not exist.
pub fn induced(graph: &Graph, nodes: &[NodeId]) -> Result<Graph> {
    const ABSENT: NodeId = NodeId::MAX;
    let mut position = vec![ABSENT; graph.node_count()];
    for (at, &node) in nodes.iter().enumerate() {
        match position.get_mut(node as usize) {
            Some(slot) if *slot == ABSENT => *slot = at as NodeId,
            Some(_) => {
                return Err(Error::invalid_data(
                    "nodes",
                    format!("{node} twice"),
                    "distinct nodes",
                ));
            }
            None => {
                let expected = format!("nodes below {}", graph.node_count());
                return Err(Error::invalid_data("nodes", node, expected));
            }
        }
    }
    let mut builder = GraphBuilder::new(nodes.len(), graph.direction()).self_loops(SelfLoops::Keep);
    for (at, &node) in nodes.iter().enumerate() {
        for &neighbor in graph.neighbors(node) {
            let other = position[neighbor as usize];
            let first_of_pair =
                graph.direction() == crate::Direction::Directed || at as NodeId <= other;
            if other != ABSENT && first_of_pair {
                builder.push(at as NodeId, other);
            }
        }
    }
    Ok(builder.build()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Direction;

    #[test]
    fn keeps_the_order_given() {
        let path = GraphBuilder::new(4, Direction::Undirected).edges([(0, 1), (1, 2), (2, 3)]);
        let (path, _) = path.build().unwrap();
        let sub = induced(&path, &[3, 1, 2]).unwrap();
        assert_eq!(sub.edges().collect::<Vec<_>>(), [(0, 2), (1, 2)]);
        assert!(induced(&path, &[1, 1]).is_err());
        assert!(induced(&path, &[4]).is_err());
    }

    #[test]
    fn keeps_arcs_one_way() {
        let built = GraphBuilder::new(3, Direction::Directed).edges([(2, 0), (0, 1)]).build();
        let sub = induced(&built.unwrap().0, &[0, 2]).unwrap();
        assert_eq!(sub.arcs().collect::<Vec<_>>(), [(1, 0)]);
    }
}
