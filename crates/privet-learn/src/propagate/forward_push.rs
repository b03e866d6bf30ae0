//! Forward push: how near all nodes are to one source, walking only where it matters.
//!
//! # Idea
//! The source starts with a residue of 1. A push settles a share alpha of a node's residue as its
//! score and hands the rest to its neighbours. Nodes whose residue is at most `threshold * degree`
//! are left alone, so the work does not grow with the graph.
//!
//! # Equation
//! It computes row s of `Π = sum over l of alpha (1-alpha)^l P^l`. With `S = diag(max(in(v), 1)^r)`,
//! `Π = S Π' S^-1` where Π' belongs to `P' = S^-1 P S`, whose row u holds `g(u) = out(u)^(r-1) / s(u)` at every
//! arc (`1 / degree(u)` if undirected): pushing u does `q(u) += alpha R(u)` and
//! `R(v) += (1-alpha) g(u) R(u)` for every arc `u -> v`; then `Π(s, v) = s(s) q(v) / s(v)`.
//!
//! # Error
//! `Π'(s, v) = q(v) + sum over u of R(u) Π'(u, v)`, and no term is negative: scores are too low, never
//! too high. Rows of Π' sum to at most 1 if the graph is undirected or r = 0, so all scores together
//! lack at most the residue that is left. If undirected, `degree(u) Π'(u, v) = degree(v) Π'(v, u)`, so
//! score v lacks at most `threshold * degree(v)` before it is scaled.
//!
//! # Cost
//! With r = 0 every push settles more than `alpha * threshold * degree`, and all that is ever settled
//! is 1: at most `1 / (alpha * threshold)` arcs, whatever the size of the graph.
//! (Andersen, Chung and Lang, 2006.)

use privet_graph::Direction;

use super::operator::Operator;
use super::scores::{Scores, Workspace};
use crate::{Error, Result};

/// Forward push with a threshold on residues per degree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ForwardPush {
    /// The largest residue per neighbour that may stay.
    pub threshold: f64,
}

impl Default for ForwardPush {
    /// A threshold of 1e-6.
    fn default() -> Self {
        Self { threshold: 1e-6 }
    }
}

impl ForwardPush {
    /// The scores of all nodes near `source`.
    ///
    /// ```
    /// use privet_graph::{Direction, GraphBuilder};
    /// use privet_learn::propagate::{ForwardPush, Propagation, Workspace};
    /// let (path, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2)]).build()?;
    /// let operator = Propagation { alpha: 0.5, exponent: 0.0, ..Default::default() }.on(&path)?;
    /// let scores = ForwardPush::default().run(&operator, 0, &mut Workspace::default())?;
    /// assert_eq!(scores.nodes, [0, 1, 2]);
    /// assert!(scores.values[0] > scores.values[1] && scores.values[1] > scores.values[2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the threshold is not positive, or there is no such node.
    pub fn run(
        &self,
        operator: &Operator<'_>,
        source: u32,
        space: &mut Workspace,
    ) -> Result<Scores> {
        if !(self.threshold > 0.0 && self.threshold.is_finite()) {
            return Err(Error::invalid("threshold", self.threshold, "a positive number"));
        }
        operator.check_node(source)?;
        let (graph, alpha, r) = (operator.graph(), operator.alpha(), operator.exponent());
        space.fits(graph.node_count());
        let degree = |node: u32| graph.degree(node).max(1) as f64;
        space.residue[source as usize] = 1.0;
        space.touch(source);
        space.queue.push_back(source);
        let mut work = 0;
        while let Some(node) = space.queue.pop_front() {
            space.waits[node as usize] = false;
            let moved = std::mem::take(&mut space.residue[node as usize]);
            space.score[node as usize] += alpha * moved;
            let g = degree(node).powf(r - 1.0) / operator.scale(node);
            let sent = (1.0 - alpha) * g * moved;
            work += graph.degree(node) as u64;
            for &neighbour in graph.neighbors(node) {
                space.touch(neighbour);
                let at = neighbour as usize;
                space.residue[at] += sent;
                let enough = space.residue[at] > self.threshold * degree(neighbour);
                if enough && !std::mem::replace(&mut space.waits[at], true) {
                    space.queue.push_back(neighbour);
                }
            }
        }
        let at_source = operator.scale(source);
        Ok(space.take(work, |node| at_source / operator.scale(node)))
    }

    /// How much of the score of `node` may be missing; known if the graph is undirected.
    ///
    /// # Panics
    /// If a node is out of range.
    pub fn entry_bound(&self, operator: &Operator<'_>, source: u32, node: u32) -> Option<f64> {
        let degree = operator.graph().degree(node).max(1) as f64;
        let scale = operator.scale(source) / operator.scale(node);
        let undirected = operator.graph().direction() == Direction::Undirected;
        undirected.then_some(self.threshold * degree * scale)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::oracle::{self, Case};
    use super::*;

    /// Scores are too low by at most the bound, and one workspace serves all sources.
    fn check(case: &Case, threshold: f64) {
        let operator = case.propagation.on(&case.graph).unwrap();
        let (push, exact) = (ForwardPush { threshold }, case.inverse());
        let mut space = Workspace::default();
        for source in case.graph.nodes() {
            let scores = push.run(&operator, source, &mut space).unwrap();
            assert_eq!(scores, push.run(&operator, source, &mut Workspace::default()).unwrap());
            let mut found = vec![0.0; case.graph.node_count()];
            scores.nodes.iter().zip(&scores.values).for_each(|(&v, &p)| found[v as usize] = p);
            let (mut missing_in_all, source_scale) = (0.0, operator.scale(source));
            for node in case.graph.nodes() {
                let missing = exact[source as usize][node as usize] - found[node as usize];
                assert!(missing >= -1e-12, "{case}: {missing}");
                missing_in_all += missing * operator.scale(node) / source_scale;
                if let Some(bound) = push.entry_bound(&operator, source, node) {
                    assert!(missing <= bound + 1e-12, "{case}: {missing}, {bound}");
                }
            }
            let rows_sum_to_one =
                case.graph.direction() == Direction::Undirected || operator.exponent() == 0.0;
            if rows_sum_to_one {
                assert!(missing_in_all <= scores.residual + 1e-12, "{case}");
            }
        }
    }

    #[test]
    fn every_kind_of_graph_is_within_the_bound() {
        for case in oracle::cases() {
            check(&case, 0.05);
            check(&case, 1e-10);
        }
    }

    proptest! {
        #[test]
        fn random_graphs_are_within_the_bound(case in oracle::any_case(), digits in 0.0f64..8.0) {
            check(&case, 10f64.powf(-digits));
        }
    }

    #[test]
    fn the_work_does_not_grow_with_the_graph() {
        let work = |nodes: u32| {
            let edges = (0..nodes).flat_map(|u| [(u, (u + 1) % nodes), (u, (u * 7 + 3) % nodes)]);
            let builder = privet_graph::GraphBuilder::new(nodes as usize, Direction::Undirected);
            let (graph, _) = builder.edges(edges).build().unwrap();
            let propagation = super::super::Propagation { exponent: 0.0, ..Default::default() };
            let operator = propagation.on(&graph).unwrap();
            let push = ForwardPush { threshold: 1e-3 };
            push.run(&operator, 0, &mut Workspace::default()).unwrap().work
        };
        let limit = (1.0 / (0.15 * 1e-3)) as u64;
        assert!(work(1_000) <= limit && work(50_000) <= limit);
    }

    #[test]
    fn bad_settings_and_sources_are_refused() {
        let case = &oracle::cases()[0];
        let operator = case.propagation.on(&case.graph).unwrap();
        let mut space = Workspace::default();
        assert!(ForwardPush { threshold: 0.0 }.run(&operator, 0, &mut space).is_err());
        assert!(ForwardPush::default().run(&operator, 6, &mut space).is_err());
    }
}
