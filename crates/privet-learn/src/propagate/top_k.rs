//! The K nodes nearest to each of many sources, as sparse rows.

use privet_graph::{Graph, SparseBuilder, SparseMatrix};
use rayon::prelude::*;

use super::ista::Ista;
use super::scores::{ProximityScores, ScoreWorkspace};
use crate::{Error, Result};

/// The K best scores of each source: row i holds those of `sources[i]`, with a column per node.
/// Ties go to the smaller node.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder};
/// use privet_learn::propagate::{Ista, top_k};
/// let edges = [(0, 1), (1, 2), (2, 3)];
/// let (path, _) = GraphBuilder::new(4, Direction::Undirected).edges(edges).build()?;
/// let rows = top_k(&path, &[0, 3], 2, Ista::default())?;
/// assert_eq!(rows.row(0).0, [0, 1]);
/// assert_eq!(rows.row(1).0, [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If K is 0, or what [`Ista::run`] reports.
pub fn top_k(graph: &Graph, sources: &[u32], k: usize, ista: Ista) -> Result<SparseMatrix> {
    if k == 0 {
        return Err(Error::invalid("K", k, "at least 1"));
    }
    let best = |space: &mut ScoreWorkspace, &source: &u32| {
        ista.run(graph, source, space).map(|scores| best_of(&scores, k))
    };
    let rows: Vec<Vec<(u32, f32)>> =
        sources.par_iter().map_init(ScoreWorkspace::default, best).collect::<Result<_>>()?;
    let mut builder = SparseBuilder::new(graph.node_count());
    for mut row in rows {
        builder.push_row(&mut row)?;
    }
    Ok(builder.finish())
}

fn best_of(scores: &ProximityScores, k: usize) -> Vec<(u32, f32)> {
    let mut order: Vec<(u32, f64)> =
        scores.nodes.iter().copied().zip(scores.values.iter().copied()).collect();
    let better = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if order.len() > k {
        order.select_nth_unstable_by(k - 1, better);
        order.truncate(k);
    }
    order.into_iter().map(|(node, score)| (node, score as f32)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;

    #[test]
    fn the_best_are_chosen_and_ties_go_to_the_smaller_node() {
        let scores = ProximityScores {
            nodes: vec![1, 4, 6, 9],
            values: vec![0.2, 0.5, 0.2, 0.2],
            ..Default::default()
        };
        let sorted = |k| {
            let mut best = best_of(&scores, k);
            best.sort_unstable_by_key(|&(node, _)| node);
            best.into_iter().map(|(node, _)| node).collect::<Vec<_>>()
        };
        assert_eq!(sorted(1), [4]);
        assert_eq!(sorted(2), [1, 4]);
        assert_eq!(sorted(3), [1, 4, 6]);
        assert_eq!(sorted(10), [1, 4, 6, 9]);
    }

    #[test]
    fn same_rows_for_any_number_of_threads() {
        let graph = oracle::cases().pop().unwrap().graph.to_undirected().unwrap();
        let sources: Vec<u32> = graph.nodes().collect();
        let ista = Ista { rho: 1e-10, ..Default::default() };
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| top_k(&graph, &sources, 4, ista)).unwrap()
        };
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
        assert!(top_k(&graph, &sources, 0, ista).is_err());
        assert!(top_k(&graph, &[99], 1, ista).is_err());
    }
}
