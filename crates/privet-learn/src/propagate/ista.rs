//! ISTA: personalised PageRank of one source with an l1 penalty, which makes it sparse by itself.
//!
//! # Idea
//! Approximate personalised PageRank minimises a quadratic form plus `rho` times the degree-weighted
//! l1 norm. Iterative shrinkage-thresholding solves it with steps of size 1; started at 0, scores
//! only grow and residues stay positive, so only the support and its boundary are ever touched.
//!
//! # Equation
//! The walk is lazy: it stays with probability 1/2. With scores p and residues R, which are minus the
//! gradient, scaled by the square root of the degree, one step does for every node with
//! `p(v) + R(v) >= rho alpha d(v)`:
//! `delta(v) = R(v) - rho alpha d(v)`, `p(v) += delta(v)`, and then
//! `R = R - (1+alpha)/2 delta + (1-alpha)/2 A D^-1 delta`, until `R(v) <= (1+gamma) rho alpha d(v)` everywhere.
//!
//! # Error
//! For rho = 0 the solution is `sum over l of a (1-a)^l (A D^-1)^l e` at the source, `a = 2 alpha / (1+alpha)`: the scores
//! of forward push (Andersen, Chung and Lang 2006) on the walk that does not stay, with that a. The matrix that maps residues to missing scores
//! is not negative and maps `alpha d` to `d`, so score v lacks between 0 and `(1+gamma) rho d(v)`.
//!
//! # Paper
//! Fountoulakis, Roosta-Khorasani, Shun, Cheng and Mahoney (2019), Algorithm 3; DPAR computes its
//! scores with it, and uses alpha = 0.25, rho = gamma = 1e-4.

use privet_graph::{Direction, Graph, SparseBuilder, SparseMatrix};
use rayon::prelude::*;

use crate::{Error, Result};

/// l1-regularised personalised PageRank.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ista {
    /// The lazy walk's chance to return to the source, in (0, 1).
    pub alpha: f64,
    /// The weight of the penalty: larger is sparser.
    pub rho: f64,
    /// How far over the optimal residue to stop, relatively.
    pub gamma: f64,
    /// The most steps before it is an error.
    pub max_rounds: usize,
}

impl Default for Ista {
    /// DPAR's settings.
    fn default() -> Self {
        Self { alpha: 0.25, rho: 1e-4, gamma: 1e-4, max_rounds: 10_000 }
    }
}

impl Ista {
    /// The scores of all nodes near `source`; a node without neighbours counts as of degree 1.
    ///
    /// ```
    /// use privet_graph::{Direction, GraphBuilder};
    /// use privet_learn::propagate::{Ista, ScoreWorkspace};
    /// let (path, _) = GraphBuilder::new(3, Direction::Undirected).edges([(0, 1), (1, 2)]).build()?;
    /// let scores = Ista::default().run(&path, 0, &mut ScoreWorkspace::default())?;
    /// assert_eq!(scores.nodes, [0, 1, 2]);
    /// assert!(scores.values[0] > scores.values[1] && scores.values[1] > scores.values[2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If a setting makes no sense, the graph is directed, there is no such node, or
    /// [`Error::NotConverged`] after [`Ista::max_rounds`].
    pub fn run(
        &self,
        graph: &Graph,
        source: u32,
        space: &mut ScoreWorkspace,
    ) -> Result<ProximityScores> {
        self.check(graph, source)?;
        space.fits(graph.node_count());
        // The negative gradient of the l1-regularised PageRank objective at 0 (Fountoulakis et al. 2019): alpha at
        // the source.
        space.residue[source as usize] = self.alpha;
        space.touch(source);
        let mut work = 0;
        for round in 0.. {
            let excess = self.excess(graph, space);
            // Optimality: no residue exceeds rho alpha d(v). The solution is then within the stated error of
            // personalised PageRank.
            if excess <= 1.0 + self.gamma {
                break;
            }
            if round >= self.max_rounds {
                space.take(work);
                let (what, wanted) = ("ISTA", (1.0 + self.gamma) * self.rho);
                let (residual, rounds) = (excess * self.rho, round);
                return Err(Error::NotConverged { what, residual, rounds, wanted });
            }
            work += self.step(graph, space);
        }
        Ok(space.take(work))
    }

    fn check(&self, graph: &Graph, source: u32) -> Result<()> {
        if !(self.alpha > 0.0 && self.alpha < 1.0) {
            return Err(Error::invalid("alpha", self.alpha, "a number in (0, 1)"));
        }
        for (what, value) in [("rho", self.rho), ("gamma", self.gamma)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::invalid(what, value, "a positive number"));
            }
        }
        if graph.direction() == Direction::Directed {
            return Err(Error::invalid("graph", "directed", "an undirected one for ISTA"));
        }
        if source as usize >= graph.node_count() {
            return Err(Error::invalid("source", source, format!("below {}", graph.node_count())));
        }
        Ok(())
    }

    /// The largest `R(v) / (rho alpha d(v))`.
    fn excess(&self, graph: &Graph, space: &ScoreWorkspace) -> f64 {
        let excess =
            |&v: &u32| space.residue[v as usize] / (self.rho * self.alpha * degree(graph, v));
        space.touched.iter().map(excess).fold(0.0, f64::max)
    }

    fn step(&self, graph: &Graph, space: &mut ScoreWorkspace) -> u64 {
        let before = space.touched.len();
        let mut work = 0;
        for at in 0..before {
            let node = space.touched[at];
            let v = node as usize;
            let penalty = self.rho * self.alpha * degree(graph, node);
            let moves = space.score[v] + space.residue[v] >= penalty;
            // A proximal step with step size 1: soft thresholding keeps scores non-negative and only touches nodes
            // near the source.
            space.change[v] = if moves { space.residue[v] - penalty } else { 0.0 };
        }
        for at in 0..before {
            let node = space.touched[at];
            let v = node as usize;
            let delta = std::mem::take(&mut space.change[v]);
            if delta == 0.0 {
                continue;
            }
            space.score[v] += delta;
            // The gradient is (1+alpha)/2 q - (1-alpha)/2 A D^-1 q - alpha e_s: a change of q moves its own entry and
            // those of its neighbours.
            space.residue[v] -= 0.5 * (1.0 + self.alpha) * delta;
            let sent = 0.5 * (1.0 - self.alpha) * delta / degree(graph, node);
            work += graph.degree(node) as u64;
            for &neighbour in graph.neighbors(node) {
                space.touch(neighbour);
                space.residue[neighbour as usize] += sent;
            }
        }
        work
    }
}

fn degree(graph: &Graph, node: u32) -> f64 {
    graph.degree(node).max(1) as f64
}

/// How near a few nodes are to one source; all others score 0 within the stated error.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProximityScores {
    /// The nodes, ascending.
    pub nodes: Vec<u32>,
    /// The score of each.
    pub values: Vec<f64>,
    /// What is left over: the residue that was not moved, summed over all nodes.
    pub residual: f64,
    /// How many arcs were walked.
    pub work: u64,
}

/// Memory for one source after the other: clearing it costs what the last source touched.
#[derive(Debug, Default)]
pub struct ScoreWorkspace {
    pub(super) score: Vec<f64>,
    pub(super) residue: Vec<f64>,
    pub(super) change: Vec<f64>,
    pub(super) seen: Vec<bool>,
    pub(super) touched: Vec<u32>,
}

impl ScoreWorkspace {
    /// Memory for graphs of this many nodes.
    pub fn new(nodes: usize) -> Self {
        let zeros = || vec![0.0; nodes];
        Self {
            score: zeros(),
            residue: zeros(),
            change: zeros(),
            seen: vec![false; nodes],
            touched: Vec::new(),
        }
    }

    fn fits(&mut self, nodes: usize) {
        if self.score.len() != nodes {
            *self = Self::new(nodes);
        }
    }

    fn touch(&mut self, node: u32) {
        if !std::mem::replace(&mut self.seen[node as usize], true) {
            self.touched.push(node);
        }
    }

    /// Takes out what was computed, and clears the memory that was touched.
    pub(super) fn take(&mut self, work: u64) -> ProximityScores {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        let mut scores = ProximityScores { work, ..Default::default() };
        for &node in &touched {
            let at = node as usize;
            if self.score[at] != 0.0 {
                scores.nodes.push(node);
                scores.values.push(self.score[at]);
            }
            scores.residual += self.residue[at];
            (self.score[at], self.residue[at], self.change[at]) = (0.0, 0.0, 0.0);
            self.seen[at] = false;
        }
        touched.clear();
        self.touched = touched;
        scores
    }
}

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
        // Selection in O(n); the order among the best does not matter, since rows are sorted by node.
        order.select_nth_unstable_by(k - 1, better);
        order.truncate(k);
    }
    order.into_iter().map(|(node, score)| (node, score as f32)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::oracle::{self, PropagationCase};
    use super::super::{AddedLoops, Orientation, Propagation};
    use super::*;

    fn check(case: &PropagationCase, ista: Ista) {
        let alpha = 2.0 * ista.alpha / (1.0 + ista.alpha);
        let propagation = Propagation {
            alpha,
            exponent: 0.0,
            self_loops: AddedLoops::None,
            orientation: Orientation::Forward,
        };
        let case = PropagationCase::new("lazy walk", case.graph.clone(), propagation);
        let exact = case.inverse();
        let mut space = ScoreWorkspace::default();
        for source in case.graph.nodes() {
            let scores = ista.run(&case.graph, source, &mut space).unwrap();
            let mut found = vec![0.0; case.graph.node_count()];
            scores.nodes.iter().zip(&scores.values).for_each(|(&v, &p)| found[v as usize] = p);
            for node in case.graph.nodes() {
                let missing = exact[source as usize][node as usize] - found[node as usize];
                let bound = (1.0 + ista.gamma) * ista.rho * degree(&case.graph, node);
                assert!((-1e-12..=bound + 1e-12).contains(&missing), "{case}: {missing}, {bound}");
            }
        }
    }

    #[test]
    fn every_kind_of_graph_is_within_the_bound() {
        let undirected = |case: &PropagationCase| case.graph.direction() == Direction::Undirected;
        for case in oracle::cases().into_iter().filter(undirected).step_by(16) {
            for rho in [1e-9, 1e-4, 0.01, 0.3] {
                check(&case, Ista { rho, ..Default::default() });
            }
        }
    }

    proptest! {
        #[test]
        fn random_graphs_are_within_the_bound(
            case in oracle::any_case(), alpha in 0.05f64..0.9, digits in 0.5f64..8.0,
        ) {
            if case.graph.direction() == Direction::Undirected {
                check(&case, Ista { alpha, rho: 10f64.powf(-digits), ..Default::default() });
            }
        }
    }

    #[test]
    fn a_heavy_penalty_leaves_nothing_and_too_few_rounds_are_an_error() {
        let graph = oracle::cases()[0].graph.clone();
        let mut space = ScoreWorkspace::default();
        let heavy = Ista { rho: 2.0, ..Default::default() };
        assert!(heavy.run(&graph, 0, &mut space).unwrap().nodes.is_empty());
        let short = Ista { max_rounds: 1, ..Default::default() };
        assert!(matches!(short.run(&graph, 0, &mut space), Err(Error::NotConverged { .. })));
        // The failure left nothing behind.
        let fresh = Ista::default().run(&graph, 3, &mut ScoreWorkspace::default()).unwrap();
        assert_eq!(Ista::default().run(&graph, 3, &mut space).unwrap(), fresh);
        assert!(Ista::default().run(&graph, 99, &mut space).is_err());
    }

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
