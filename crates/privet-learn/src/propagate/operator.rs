//! Which matrix is applied: `P = D^(r-1) A D^(-r)` or its transpose, with self-loops or without.
//!
//! Arc `u -> v` weighs `out(u)^(r-1) in(v)^(-r)`. The transpose of P is the same formula on the
//! turned graph with exponent `1 - r`, so below r stands for the exponent after turning.
//!
//! A node without neighbours has an empty row: of the series `sum alpha (1-alpha)^l P^l x` only the
//! first term reaches it, so its embedding is `alpha x`. With self-loops it is its own only
//! neighbour, and its embedding is `x`.
//!
//! # Why the series converges, and in which norm
//! Undirected: `D^(-r) P D^r = D^-1 A` has rows that sum to 1 (or 0), so P does not increase
//! `max_v |x(v)| / degree(v)^r`.
//!
//! Directed: with `p = 1/r`, Hölder's inequality over the `out(u)` terms of a row gives
//! `|(P x)(u)|^p <= sum_v A(u,v) |x(v)|^p / in(v)`, and the sum over u is at most `sum_v |x(v)|^p`: P
//! does not increase the p-norm (the maximum for r = 0, the sum for r = 1).

use std::borrow::Cow;

use privet_graph::normalize::{Normalization, arc_weights};
use privet_graph::{Direction, Graph, GraphBuilder, SelfLoops};

use super::part::PropagationPart;
use crate::kernels::{ArcWeights, CompressedRows, RowNorms};
use crate::{Error, Result};

/// Whether every node counts itself among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddedLoops {
    /// A as it is.
    #[default]
    None,
    /// A + I; a loop that is there already stays single.
    All,
}

/// P or its transpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Orientation {
    /// P: a node gathers from the nodes it points to.
    #[default]
    Forward,
    /// P': a node gathers from the nodes that point to it.
    Transposed,
}

/// Personalised PageRank as a propagation: `sum over l of alpha (1-alpha)^l P^l`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Propagation {
    /// Share of its own features that a node keeps, in (0, 1] (alpha).
    pub alpha: f64,
    /// The exponent r in [0, 1]: 0 averages over neighbours, 1/2 is symmetric, 1 spreads evenly.
    pub exponent: f64,
    /// Whether to add self-loops.
    pub self_loops: AddedLoops,
    /// Whether to transpose.
    pub orientation: Orientation,
}

impl Default for Propagation {
    /// alpha = 0.15, symmetric, no self-loops.
    fn default() -> Self {
        Self {
            alpha: 0.15,
            exponent: 0.5,
            self_loops: AddedLoops::None,
            orientation: Orientation::Forward,
        }
    }
}

/// In which norm an error is bounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ErrorNorm {
    /// `max over v and columns of |error(v)| / max(degree(v), 1)^exponent`.
    DegreeWeightedMaximum {
        /// The exponent r after turning.
        exponent: f64,
    },
    /// The p-norm of all entries together with `p = 1 / exponent` (the maximum if the exponent is
    /// 0); no single entry is further off than this.
    Power {
        /// The exponent r after turning.
        exponent: f64,
    },
}

impl ErrorNorm {
    /// The norm that P does not increase on a graph of this kind.
    pub(super) fn of(direction: Direction, exponent: f64) -> Self {
        match direction {
            Direction::Undirected => Self::DegreeWeightedMaximum { exponent },
            Direction::Directed => Self::Power { exponent },
        }
    }

    /// `(1-alpha) |T|`: what is missing after the term T. For the p-norm, `|T|_p <= |T|_1^r |T|_max^(1-r)` with
    /// `p = 1/r`.
    pub(super) fn bound(self, alpha: f64, term: RowNorms) -> f64 {
        let norm = match self {
            Self::DegreeWeightedMaximum { .. } => term.largest,
            // |x|_p <= |x|_1^r |x|_max^(1-r) with p = 1/r. The terms still to come are a geometric series of ratio
            // 1 - alpha, weighted with alpha: together at most (1 - alpha) times this one.
            Self::Power { exponent: r } => term.total.powf(r) * term.largest.powf(1.0 - r),
        };
        (1.0 - alpha) * norm
    }
}

/// A propagation prepared for one graph.
#[derive(Debug, Clone)]
pub struct Operator<'a> {
    graph: Cow<'a, Graph>,
    weights: Vec<f32>,
    alpha: f64,
    exponent: f64,
    /// `max(in(v), 1)^r`.
    scales: Vec<f64>,
}

impl Propagation {
    /// Prepares the matrix for a graph: 4 bytes an arc, and a copy of the graph if loops are added
    /// or arcs turned.
    ///
    /// # Errors
    /// If alpha is not in (0, 1] or the exponent not in [0, 1].
    pub fn on<'a>(&self, graph: &'a Graph) -> Result<Operator<'a>> {
        self.check()?;
        let graph = match self.self_loops {
            AddedLoops::None => Cow::Borrowed(graph),
            AddedLoops::All => Cow::Owned(with_loops(graph)?),
        };
        let (graph, exponent) = match (self.orientation, graph.direction()) {
            (Orientation::Forward, _) => (graph, self.exponent),
            // (D^(r-1) A D^-r)^T = D^-r A D^(r-1), which is the operator of exponent 1 - r.
            (Orientation::Transposed, Direction::Undirected) => (graph, 1.0 - self.exponent),
            (Orientation::Transposed, Direction::Directed) => {
                (Cow::Owned(graph.transposed()), 1.0 - self.exponent)
            }
        };
        let weights = arc_weights(&graph, Normalization::Exponent(exponent))?;
        let scales = scales(&graph, exponent);
        Ok(Operator { graph, weights, alpha: self.alpha, exponent, scales })
    }

    pub(super) fn check(&self) -> Result<()> {
        if !(self.alpha > 0.0 && self.alpha <= 1.0) {
            return Err(Error::invalid("alpha", self.alpha, "a number in (0, 1]"));
        }
        if !(0.0..=1.0).contains(&self.exponent) {
            return Err(Error::invalid("exponent r", self.exponent, "a number in [0, 1]"));
        }
        Ok(())
    }
}

impl Propagation {
    /// Prepares the matrix for arcs that count more or less: `A(u, v)` is the weight of the arc, in the
    /// order of [`Graph::targets`], and a degree is the sum of a row's weights. The proof above holds as
    /// it stands, with these degrees.
    ///
    /// # Errors
    /// Those of [`Propagation::on`]; if the graph is directed, is to be turned or gets loops; or if
    /// there is not one weight of at least 0 for every arc.
    pub fn on_weighted<'a>(&self, graph: &'a Graph, arcs: &[f32]) -> Result<Operator<'a>> {
        let mut operator = self.on(graph)?;
        let turned = self.orientation == Orientation::Transposed;
        if graph.direction() == Direction::Directed || turned || self.self_loops != AddedLoops::None
        {
            let expected = "an undirected graph as it is";
            return Err(Error::invalid("weighted graph", "another form", expected));
        }
        if arcs.len() != graph.arc_count() {
            return Err(Error::invalid("weights of arcs", arcs.len(), graph.arc_count()));
        }
        if let Some(&weight) = arcs.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return Err(Error::invalid("weight of an arc", weight, "a number of at least 0"));
        }
        let (offsets, r) = (graph.offsets(), self.exponent);
        let degree =
            |row: &[usize]| arcs[row[0]..row[1]].iter().map(|&w| f64::from(w)).sum::<f64>();
        let degrees: Vec<f64> = offsets.windows(2).map(degree).collect();
        // 0 to a negative power would be infinite.
        // A node whose arcs all weigh nothing has none.
        let power = |degree: f64, r: f64| if degree > 0.0 { degree.powf(r) } else { 0.0 };
        for (row, &degree) in offsets.windows(2).zip(&degrees) {
            for at in row[0]..row[1] {
                let into = power(degrees[graph.targets()[at] as usize], -r);
                // A_uv d_u^(r-1) d_v^(-r): equation 17 with weighted degrees.
                operator.weights[at] = (f64::from(arcs[at]) * power(degree, r - 1.0) * into) as f32;
            }
        }
        let scale = |&degree: &f64| if degree > 0.0 { degree.powf(r) } else { 1.0 };
        operator.scales = degrees.iter().map(scale).collect();
        Ok(operator)
    }
}

impl Operator<'_> {
    /// The graph whose arcs are summed over: turned and with loops, if asked for.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The weight of every arc of [`Operator::graph`].
    pub fn weights(&self) -> ArcWeights<'_> {
        ArcWeights::PerArc(&self.weights)
    }

    /// How much of its own features a node keeps.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The norm that P does not increase, in which errors are bounded.
    pub fn error_norm(&self) -> ErrorNorm {
        ErrorNorm::of(self.graph.direction(), self.exponent)
    }

    /// The largest error of any entry of row `node` if the error is `bound` in
    /// [`Operator::error_norm`].
    ///
    /// # Panics
    /// If `node` is out of range.
    pub fn entry_bound(&self, node: u32, bound: f64) -> f64 {
        match self.error_norm() {
            ErrorNorm::Power { .. } => bound,
            ErrorNorm::DegreeWeightedMaximum { .. } => bound * self.scale(node),
        }
    }

    /// The exponent r after turning.
    pub(crate) fn exponent(&self) -> f64 {
        self.exponent
    }

    /// `max(in(v), 1)^r`.
    pub(crate) fn scale(&self, node: u32) -> f64 {
        self.scales[node as usize]
    }

    pub(crate) fn scales(&self) -> &[f64] {
        &self.scales
    }

    pub(crate) fn rows(&self) -> CompressedRows<'_> {
        CompressedRows::of_graph(&self.graph, self.weights())
    }

    /// All rows; `errors` are [`Operator::error_scales`].
    pub(super) fn part<'b>(&'b self, errors: Option<&'b [f32]>) -> PropagationPart<'b> {
        let arcs = (self.graph.targets(), &self.weights[..]);
        PropagationPart::new(self.alpha, self.graph.offsets(), arcs, errors)
    }

    pub(super) fn bound(&self, term: RowNorms) -> f64 {
        self.error_norm().bound(self.alpha, term)
    }

    /// What rows are multiplied with before errors are measured, if they are weighted by degree.
    pub(crate) fn error_scales(&self) -> Option<Vec<f32>> {
        let weighted = matches!(self.error_norm(), ErrorNorm::DegreeWeightedMaximum { .. });
        // f32 is enough: the scales only measure errors.
        weighted.then(|| self.scales.iter().map(|scale| (1.0 / scale) as f32).collect())
    }

    pub(crate) fn check_rows(&self, rows: usize) -> Result<()> {
        let nodes = self.graph.node_count();
        if rows == nodes {
            return Ok(());
        }
        Err(Error::invalid("rows of features", rows, format!("{nodes} (one per node)")))
    }
}

fn scales(graph: &Graph, r: f64) -> Vec<f64> {
    // In-degrees: columns of the operator are divided by how many rows read them.
    let mut into = vec![0usize; graph.node_count()];
    graph.targets().iter().for_each(|&v| into[v as usize] += 1);
    into.into_iter().map(|degree| (degree.max(1) as f64).powf(r)).collect()
}

pub(super) fn with_loops(graph: &Graph) -> Result<Graph> {
    let loops = graph.nodes().map(|u| (u, u));
    let builder = GraphBuilder::new(graph.node_count(), graph.direction());
    let builder = builder.self_loops(SelfLoops::Keep).edges(graph.edges().chain(loops));
    Ok(builder.build()?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(u32, u32)]) -> Graph {
        let builder = GraphBuilder::new(5, Direction::Undirected);
        builder.edges(edges.iter().copied()).build().unwrap().0
    }

    #[test]
    fn weights_of_one_change_nothing_and_weights_of_zero_remove() {
        let (all, fewer) =
            (graph(&[(0, 1), (0, 2), (1, 2), (3, 4)]), graph(&[(0, 1), (0, 2), (1, 2)]));
        let propagation = Propagation { exponent: 0.3, ..Propagation::default() };
        let ones = propagation.on_weighted(&all, &[1.0; 8]).unwrap();
        let plain = propagation.on(&all).unwrap();
        assert_eq!((&ones.weights, &ones.scales), (&plain.weights, &plain.scales));
        let weights: Vec<f32> = all.arcs().map(|(u, _)| if u < 3 { 0.25 } else { 0.0 }).collect();
        let removed = propagation.on_weighted(&all, &weights).unwrap();
        let plain = propagation.on(&fewer).unwrap();
        // One factor for all weights cancels: D^(r-1) A D^(-r) has degree 0 in them.
        let pairs = removed.weights.iter().zip(plain.weights.iter().chain(&[0.0, 0.0]));
        assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6), "{:?}", removed.weights);
    }

    #[test]
    fn nonsense_is_refused() {
        let graph = graph(&[(0, 1)]);
        let propagation = Propagation::default();
        assert!(propagation.on_weighted(&graph, &[1.0]).is_err());
        assert!(propagation.on_weighted(&graph, &[1.0, -1.0]).is_err());
        assert!(propagation.on_weighted(&graph, &[1.0, f32::NAN]).is_err());
        let directed = graph.clone().to_directed();
        assert!(propagation.on_weighted(&directed, &[1.0, 1.0]).is_err());
    }
}
