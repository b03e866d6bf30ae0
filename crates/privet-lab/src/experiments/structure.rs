//! What a published graph kept of the structure of the true one: the custodian's view, because half of
//! it is measured on the truth.
//!
//! | part | what is compared |
//! |---|---|
//! | [`Profile`] | edges, degrees, triangles, clustering, assortativity, top eigenvalues, of one graph |
//! | [`walks`] | how far random walks of 1 to 4 hops end up elsewhere (HeteroRR, Fig. 11 of the supplement) |
//! | [`spectrum`] | the largest eigenvalues of the adjacency matrix |
//! | [`communities`] | whether label propagation finds the same groups |

pub mod communities;
pub mod spectrum;
pub mod walks;

use privet::graph::Graph;
use serde::Serialize;

/// How many of the largest eigenvalues are compared.
const EIGENVALUES: usize = 5;
/// At most so many rows of the random-walk matrices are compared; all, if there are fewer.
const WALK_ROWS: usize = 3000;

/// What one graph looks like.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Profile {
    /// Number of edges.
    pub edges: usize,
    /// Average degree.
    pub mean_degree: f64,
    /// The largest degree.
    pub largest_degree: usize,
    /// Number of triangles.
    pub triangles: u64,
    /// The average over nodes of the share of pairs of neighbours that are neighbours.
    pub average_clustering: f64,
    /// Triangles times three, over paths of two edges.
    pub transitivity: f64,
    /// The correlation of the degrees at the two ends of an edge.
    pub assortativity: f64,
    /// The largest eigenvalues of the adjacency matrix.
    pub eigenvalues: Vec<f64>,
}

impl Profile {
    /// Measures an undirected graph.
    pub fn of(graph: &Graph) -> Self {
        let degrees: Vec<usize> = graph.nodes().map(|node| graph.degree(node)).collect();
        let closed = triangles_at(graph);
        // Paths of two edges through the node: pairs of its neighbours.
        let paths = |degree: usize| (degree * degree.saturating_sub(1) / 2) as f64;
        let share = |(&closed, &degree): (&u64, &usize)| match paths(degree) {
            0.0 => 0.0,
            paths => closed as f64 / paths,
        };
        let nodes = degrees.len().max(1) as f64;
        let at_nodes: u64 = closed.iter().sum();
        let all_paths: f64 = degrees.iter().map(|&degree| paths(degree)).sum();
        Self {
            edges: graph.edge_count(),
            mean_degree: degrees.iter().sum::<usize>() as f64 / nodes,
            largest_degree: degrees.iter().copied().max().unwrap_or(0),
            // Each triangle was counted at all three corners.
            triangles: at_nodes / 3,
            average_clustering: closed.iter().zip(&degrees).map(share).sum::<f64>() / nodes,
            // At each corner a triangle closes one path, so the sum counts three closed paths for
            // each triangle.
            transitivity: if all_paths > 0.0 { at_nodes as f64 / all_paths } else { 0.0 },
            assortativity: assortativity(graph),
            eigenvalues: spectrum::largest(graph, EIGENVALUES),
        }
    }
}

/// A true graph beside a published one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Utility {
    /// The truth.
    pub truth: Profile,
    /// What was published.
    pub published: Profile,
    /// Share of true edges that are in the published graph.
    pub edges_kept: f64,
    /// Largest difference between the two cumulative distributions of degrees.
    pub degree_distance: f64,
    /// Root mean square distance of the random-walk matrices of 1, 2, 3 and 4 hops.
    pub walk_distance: Vec<f64>,
    /// Normalised mutual information of the communities found in both, from 0 to 1.
    pub community_agreement: f64,
}

impl Utility {
    /// Compares a published graph with the truth, on the same nodes.
    pub fn of(truth: &Graph, published: &Graph, seed: u64) -> Self {
        let kept = truth.edges().filter(|&(u, v)| published.has_edge(u, v)).count();
        Self {
            truth: Profile::of(truth),
            published: Profile::of(published),
            edges_kept: kept as f64 / truth.edge_count().max(1) as f64,
            degree_distance: degree_distance(truth, published),
            walk_distance: walks::distance(truth, published, 4, WALK_ROWS, seed),
            community_agreement: communities::agreement(
                &communities::find(truth, seed),
                &communities::find(published, seed),
            ),
        }
    }
}

/// For every node the edges among its neighbours: each triangle is seen from its three corners. Every
/// edge looks along the shorter of two rows.
fn triangles_at(graph: &Graph) -> Vec<u64> {
    let mut closed = vec![0; graph.node_count()];
    for (u, v) in graph.edges().filter(|(u, v)| u != v) {
        // Neighbours of the smaller list are looked up in the larger one.
        let (few, many) = if graph.degree(u) <= graph.degree(v) { (u, v) } else { (v, u) };
        // Count each triangle once, at the edge opposite to its largest corner.
        for &w in graph.neighbors(few) {
            if w > u.max(v) && graph.has_edge(many, w) {
                [u, v, w].iter().for_each(|&corner| closed[corner as usize] += 1);
            }
        }
    }
    closed
}

/// Newman's degree assortativity; 0 where all ends have the same degree.
fn assortativity(graph: &Graph) -> f64 {
    let (mut count, mut sum, mut squares, mut products) = (0.0, 0.0, 0.0, 0.0);
    for (u, v) in graph.edges() {
        let (a, b) = (graph.degree(u) as f64, graph.degree(v) as f64);
        // Each edge counts in both directions: the correlation is symmetric.
        count += 2.0;
        sum += a + b;
        squares += a * a + b * b;
        products += 2.0 * a * b;
    }
    if count == 0.0 {
        return 0.0;
    }
    let mean = sum / count;
    let variance = squares / count - mean * mean;
    // In a regular graph degrees do not vary, and the correlation is undefined.
    if variance <= 1e-12 { 0.0 } else { (products / count - mean * mean) / variance }
}

fn degree_distance(a: &Graph, b: &Graph) -> f64 {
    let cumulative = |graph: &Graph, most: usize| {
        let mut counts = vec![0usize; most + 1];
        graph.nodes().for_each(|node| counts[graph.degree(node)] += 1);
        let total = graph.node_count().max(1) as f64;
        counts
            .into_iter()
            .scan(0, move |sum, count| {
                *sum += count;
                Some(*sum as f64 / total)
            })
            .collect::<Vec<f64>>()
    };
    let most = |graph: &Graph| graph.nodes().map(|node| graph.degree(node)).max().unwrap_or(0);
    let most = most(a).max(most(b));
    let pairs = cumulative(a, most).into_iter().zip(cumulative(b, most));
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::data::synthetic::karate_club;
    use privet::graph::{Direction, GraphBuilder};

    /// Known figures of Zachary's karate club.
    #[test]
    fn the_karate_club_is_as_published() {
        let club = karate_club().unwrap();
        let profile = Profile::of(club.graph());
        assert_eq!((profile.edges, profile.triangles, profile.largest_degree), (78, 45, 17));
        assert!((profile.average_clustering - 0.5706).abs() < 1e-4);
        assert!((profile.transitivity - 0.2557).abs() < 1e-4);
        assert!((profile.assortativity + 0.4756).abs() < 1e-4);
        assert!((profile.eigenvalues[0] - 6.7257).abs() < 1e-3, "{:?}", profile.eigenvalues);
    }

    #[test]
    fn a_graph_is_like_itself() {
        let club = karate_club().unwrap();
        let utility = Utility::of(club.graph(), club.graph(), 1);
        assert_eq!((utility.edges_kept, utility.degree_distance), (1.0, 0.0));
        assert_eq!(utility.walk_distance, [0.0; 4]);
        assert_eq!(utility.community_agreement, 1.0);
        let empty = Graph::empty(34, Direction::Undirected).unwrap();
        let utility = Utility::of(club.graph(), &empty, 1);
        assert_eq!((utility.edges_kept, utility.degree_distance), (0.0, 1.0));
        assert!(utility.walk_distance[0] > 0.05);
    }

    #[test]
    fn small_graphs_have_profiles() {
        for nodes in 0..3 {
            let graph = Graph::empty(nodes, Direction::Undirected).unwrap();
            assert_eq!(Profile::of(&graph).triangles, 0);
            Utility::of(&graph, &graph, 1);
        }
        let triangle = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2), (0, 2)]);
        let profile = Profile::of(&triangle.build().unwrap().0);
        assert_eq!(
            (profile.triangles, profile.average_clustering, profile.transitivity),
            (1, 1.0, 1.0)
        );
    }
}
