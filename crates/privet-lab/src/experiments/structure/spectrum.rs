//! The largest eigenvalues of an adjacency matrix, by orthogonal iteration on `A + shift`: the shift makes
//! the largest eigenvalues the largest in absolute value too.

use privet::graph::{Graph, SimRng};
use privet::learn::spectral::{orthonormalize, product};
use rand::RngExt;

const ROUNDS: usize = 300;
const CLOSE: f64 = 1e-7;

/// The `count` largest eigenvalues (fewer on a smaller graph), in descending order.
pub fn largest(graph: &Graph, count: usize) -> Vec<f64> {
    let nodes = graph.node_count();
    let count = count.min(nodes);
    // A few more vectors than wanted make the last ones converge.
    let width = (count + 4).min(nodes);
    let shift = graph.nodes().map(|node| graph.degree(node)).max().unwrap_or(0) as f64 / 2.0;
    let mut rng = SimRng::stream(1, 22);
    let mut vectors: Vec<Vec<f64>> =
        (0..width).map(|_| (0..nodes).map(|_| rng.random_range(-1.0..1.0)).collect()).collect();
    orthonormalize(&mut vectors);
    let mut found = vec![0.0; width];
    for _ in 0..ROUNDS {
        let images: Vec<Vec<f64>> = vectors.iter().map(|v| multiply(graph, v)).collect();
        // Rayleigh quotients of the vectors as they are.
        let now: Vec<f64> =
            vectors.iter().zip(&images).map(|(v, image)| product(v, image)).collect();
        let moved =
            now.iter().zip(&found).take(count).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        found = now;
        for (vector, image) in vectors.iter_mut().zip(images) {
            vector.iter_mut().zip(image).for_each(|(v, image)| *v = image + shift * *v);
        }
        orthonormalize(&mut vectors);
        if moved < CLOSE * (1.0 + shift) {
            break;
        }
    }
    found.sort_by(|a, b| b.total_cmp(a));
    found.truncate(count);
    found
}

fn multiply(graph: &Graph, vector: &[f64]) -> Vec<f64> {
    let row = |node| graph.neighbors(node).iter().map(|&other| vector[other as usize]).sum();
    graph.nodes().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet::graph::{Direction, GraphBuilder};

    /// A complete graph on n nodes has n-1 and then -1; a star of k leaves has the root of k.
    #[test]
    fn known_spectra() {
        let complete = (0..6u32).flat_map(|u| (0..u).map(move |v| (u, v)));
        let complete =
            GraphBuilder::new(6, Direction::Undirected).edges(complete).build().unwrap().0;
        let found = largest(&complete, 2);
        assert!((found[0] - 5.0).abs() < 1e-6 && (found[1] + 1.0).abs() < 1e-6, "{found:?}");
        let star = GraphBuilder::new(10, Direction::Undirected).edges((1..10).map(|v| (0, v)));
        let found = largest(&star.build().unwrap().0, 2);
        assert!((found[0] - 3.0).abs() < 1e-4 && found[1].abs() < 1e-3, "{found:?}");
    }
}
