//! The K nodes nearest to each of many sources, as sparse rows.

use privet_graph::{Graph, SparseBuilder, SparseMatrix};
use rayon::prelude::*;

use super::forward_push::ForwardPush;
use super::ista::Ista;
use super::operator::Propagation;
use super::scores::{Scores, Workspace};
use crate::{Error, Result};

/// How the scores of one source are computed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SingleSource {
    /// l1-regularised, as DPAR does.
    Ista(Ista),
    /// Forward push of a propagation.
    Push(ForwardPush, Propagation),
}

/// The K best scores of each source: row i holds those of `sources[i]`, with a column per node.
/// Ties go to the smaller node.
///
/// ```
/// use privet_graph::{Direction, GraphBuilder};
/// use privet_learn::propagate::{Ista, SingleSource, top_k};
/// let edges = [(0, 1), (1, 2), (2, 3)];
/// let (path, _) = GraphBuilder::new(4, Direction::Undirected).edges(edges).build()?;
/// let rows = top_k(&path, &[0, 3], 2, SingleSource::Ista(Ista::default()))?;
/// assert_eq!(rows.row(0).0, [0, 1]);
/// assert_eq!(rows.row(1).0, [2, 3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If K is 0, or what the chosen method reports.
pub fn top_k(
    graph: &Graph,
    sources: &[u32],
    k: usize,
    method: SingleSource,
) -> Result<SparseMatrix> {
    if k == 0 {
        return Err(Error::invalid("K", k, "at least 1"));
    }
    let best = |scores: Result<Scores>| scores.map(|scores| best_of(&scores, k));
    let rows: Vec<Vec<(u32, f32)>> = match method {
        SingleSource::Ista(ista) => sources
            .par_iter()
            .map_init(Workspace::default, |space, &s| best(ista.run(graph, s, space)))
            .collect::<Result<_>>()?,
        SingleSource::Push(push, propagation) => {
            let operator = propagation.on(graph)?;
            sources
                .par_iter()
                .map_init(Workspace::default, |space, &s| best(push.run(&operator, s, space)))
                .collect::<Result<_>>()?
        }
    };
    let mut builder = SparseBuilder::new(graph.node_count());
    for mut row in rows {
        builder.push_row(&mut row)?;
    }
    Ok(builder.finish())
}

fn best_of(scores: &Scores, k: usize) -> Vec<(u32, f32)> {
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
        let scores = Scores {
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
    fn same_rows_for_any_number_of_threads_and_both_methods_agree() {
        let graph = oracle::cases().pop().unwrap().graph.to_undirected().unwrap();
        let sources: Vec<u32> = graph.nodes().collect();
        let ista = SingleSource::Ista(Ista { rho: 1e-10, ..Default::default() });
        // The lazy walk with 0.25 is the plain one with 2 * 0.25 / 1.25.
        let propagation = Propagation { alpha: 0.4, exponent: 0.0, ..Default::default() };
        let push = SingleSource::Push(ForwardPush { threshold: 1e-10 }, propagation);
        let on = |threads: usize, method| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| top_k(&graph, &sources, 4, method)).unwrap()
        };
        assert_eq!(on(1, ista), on(3, ista));
        assert_eq!(on(1, push), on(2, push));
        for source in 0..sources.len() {
            let sum = |rows: SparseMatrix| rows.row(source).1.iter().sum::<f32>();
            assert!((sum(on(1, ista)) - sum(on(1, push))).abs() < 1e-6);
        }
        assert!(top_k(&graph, &sources, 0, ista).is_err());
        assert!(top_k(&graph, &[99], 1, ista).is_err());
    }
}
