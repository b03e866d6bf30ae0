//! Sums over neighbours with Gaussian noise: aggregation perturbation, `noisy-sums`.
//!
//! # Idea
//! Every node holds a row of norm 1; it receives the sum of its neighbours' rows, with noise. What came out is
//! scaled to norm 1 and summed again, hop after hop: each hop reads the graph anew and is paid for.
//!
//! # Equation
//! `Ŝ = clip_R(A X) + N(0, σ²Δ²)`, `X ← rows of Ŝ over their norms`, with `clip_R` cutting rows to norm R.
//!
//! # Guarantee
//! K hops cost `K × Gaussian(σ)`, with Δ
//! * for [`Edge`]: √2. An undirected edge adds one row of norm at most 1 to each of two sums, and cutting to a
//!   ball moves points no further apart.
//! * for [`Node`]: `√(D + R²)`, **among graphs in which nobody has more than D neighbours**. A node's row is in
//!   at most D sums, each moves by at most 1; its own sum, of norm at most R, appears or vanishes.
//! * for [`ReplacedNode`]: twice that; both nodes' sums are within the same bound of the graph without either.
//!
//! Row `i` of the input must depend on node `i` alone (and on what is public); later hops start from noisy sums,
//! which are public. ∎
//!
//! # Paper
//! Sajadmanesh et al., "GAP", USENIX Security 2023.
//!
//! # Differs from paper
//! A node's own sum counts for node privacy. The bound D is a condition on the data, and the guarantee is called
//! conditional wherever it is shown ([`Status::Conditional`]). Surplus neighbours are dropped at random, which keeps the
//! noise what it is, but dropping is *not* covered: one node less gives a place to up to D neighbours, each of them takes
//! somebody on, who drops another, and so on; such a chain has no bound. If everybody chose alone whom to keep, one
//! more person whom all know would change every list. A test of degrees before the release does not help, since
//! one person is always enough to fail it. And whether data keep the bound is private, so nobody is told.
//!
//! # Numerics
//! Idealized.
//!
//! Where connections alone are secret, several processes can take the sums of some nodes each, see `parts.rs`.

mod parts;

use std::marker::PhantomData;
use std::ops::Range;

use privet_graph::{DenseMatrix, Graph};
use serde_json::json;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::mechanism::{Central, Mechanism, Parameters, Permit, Status, Theorem};
use crate::noise::{GaussianNoise, NoiseSource, Numerics, RandomWords};
use crate::origin::sealed::Origin;
use crate::population::Shaped;
use crate::sgd::few_neighbours;
use crate::unit::{Edge, Node, ReplacedNode, Unit};

/// A graph and a row for each of its nodes.
#[derive(Debug)]
pub struct AttributedGraph {
    /// Who knows whom; undirected.
    pub graph: Graph,
    /// One row per node, which depends on that node alone.
    pub rows: DenseMatrix,
}

/// The public facts about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributedShape {
    /// How many nodes there are.
    pub nodes: usize,
    /// How many of them have a row.
    pub rows: usize,
}

impl Shaped for AttributedGraph {
    type Shape = AttributedShape;

    fn shape(&self) -> AttributedShape {
        AttributedShape { nodes: self.graph.node_count(), rows: self.rows.rows() }
    }
}

/// The public settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumSettings {
    /// How often sums are taken.
    pub hops: usize,
    /// D: the most neighbours a node has. Not used for edges.
    pub max_degree: usize,
    /// R: what a sum is cut to.
    pub clip: f64,
    /// σ: the deviation over Δ.
    pub noise_multiplier: f64,
}

/// A unit that sums can protect.
pub trait SummedUnit: Unit {
    /// Δ.
    fn sensitivity(settings: &SumSettings) -> f64;

    /// Whether the proof needs a bound on degrees.
    const BOUNDED_DEGREE: bool;
}

impl SummedUnit for Edge {
    fn sensitivity(_: &SumSettings) -> f64 {
        // An edge is in the sums of both of its ends.
        if fault::on(Fault::EdgeCountedInOneSum) { 1.0 } else { 2f64.sqrt() }
    }

    const BOUNDED_DEGREE: bool = false;
}

impl SummedUnit for Node {
    fn sensitivity(settings: &SumSettings) -> f64 {
        let own = if fault::on(Fault::OwnSumNotCounted) { 0.0 } else { settings.clip };
        (settings.max_degree as f64 + own * own).sqrt()
    }

    const BOUNDED_DEGREE: bool = true;
}

impl SummedUnit for ReplacedNode {
    fn sensitivity(settings: &SumSettings) -> f64 {
        let sides = if fault::on(Fault::ReplacedNodeAsAbsent) { 1.0 } else { 2.0 };
        sides * Node::sensitivity(settings)
    }

    const BOUNDED_DEGREE: bool = true;
}

/// Noisy sums over neighbours, protecting units `U`.
#[derive(Debug)]
pub struct NoisySums<U: SummedUnit> {
    settings: SumSettings,
    nodes: usize,
    noise: GaussianNoise,
    unit: PhantomData<fn() -> U>,
}

impl<U: SummedUnit> NoisySums<U> {
    /// Sums for a graph of so many nodes.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn new(settings: SumSettings, nodes: usize) -> Result<Self> {
        if settings.hops == 0 || settings.max_degree == 0 {
            return Err(Error::range("hops and max_degree", 0, "at least 1"));
        }
        if !(settings.clip > 0.0 && settings.clip.is_finite()) {
            return Err(Error::range("clip", settings.clip, "a number above 0"));
        }
        Event::Gaussian { noise_multiplier: settings.noise_multiplier }.validate()?;
        let noise = GaussianNoise::new(settings.noise_multiplier * U::sensitivity(&settings))?;
        Ok(Self { settings, nodes, noise, unit: PhantomData })
    }

    /// The neighbours of every node, at most D of them where the proof needs it.
    fn bounded(&self, graph: &Graph, mut noise: impl RandomWords) -> Vec<Vec<u32>> {
        if !U::BOUNDED_DEGREE {
            return neighbours(graph, 0..graph.node_count());
        }
        // Edges in random order, each kept while both ends have room.
        let mut edges: Vec<(u32, u32)> = graph.edges().filter(|(u, v)| u != v).collect();
        for at in (1..edges.len()).rev() {
            edges.swap(at, noise.below(at as u64 + 1) as usize);
        }
        bounded_lists(graph.node_count(), edges, self.settings.max_degree)
    }

    /// The cut sums of the nodes that these lists are of, before noise; scales all rows to norm 1 first.
    fn cut_sums(&self, rows: &mut DenseMatrix, lists: &[Vec<u32>]) -> DenseMatrix {
        if !fault::on(Fault::RowsNotNormalised) {
            normalize(rows);
        }
        let mut sums = DenseMatrix::zeros(lists.len(), rows.columns());
        for (node, list) in lists.iter().enumerate() {
            for &other in list {
                let pairs = sums.row_mut(node).iter_mut().zip(rows.row(other as usize));
                pairs.for_each(|(sum, value)| *sum += value);
            }
        }
        scale_rows(&mut sums, |norm| (self.settings.clip * (1.0 - 1e-6) / norm).min(1.0));
        sums
    }
}

/// Everybody but themselves that these nodes know.
fn neighbours(graph: &Graph, nodes: Range<usize>) -> Vec<Vec<u32>> {
    let others = |node: u32| graph.neighbors(node).iter().copied().filter(move |&v| v != node);
    nodes.map(|node| others(node as u32).collect()).collect()
}

/// The lists of neighbours that taking edges in this order makes, each kept while both of its ends have fewer than
/// `most`.
pub fn bounded_lists(
    nodes: usize,
    edges: impl IntoIterator<Item = (u32, u32)>,
    most: usize,
) -> Vec<Vec<u32>> {
    let mut lists = vec![Vec::new(); nodes];
    for (u, v) in edges {
        let room = |node: u32| lists[node as usize].len() < most;
        if u != v && room(u) && room(v) {
            lists[u as usize].push(v);
            lists[v as usize].push(u);
        }
    }
    lists
}

fn scale_rows(matrix: &mut DenseMatrix, to: impl Fn(f64) -> f64) {
    for row in 0..matrix.rows() {
        let values = matrix.row_mut(row);
        let norm = values.iter().map(|&v| f64::from(v).powi(2)).sum::<f64>().sqrt();
        let factor = to(norm) as f32;
        if norm.is_finite() {
            values.iter_mut().for_each(|value| *value *= factor);
        } else {
            values.fill(0.0);
        }
    }
}

/// Rows of norm just below 1; what has no norm stays 0.
fn normalize(matrix: &mut DenseMatrix) {
    scale_rows(matrix, |norm| if norm > 0.0 { (1.0 - 1e-6) / norm } else { 0.0 });
}

impl<U: SummedUnit> Origin for NoisySums<U> {
    const AUDITED: bool = true;
}

impl<U: SummedUnit> Mechanism for NoisySums<U> {
    type Unit = U;

    fn name(&self) -> &'static str {
        "noisy-sums"
    }

    fn event(&self) -> Event {
        let noise_multiplier = self.settings.noise_multiplier;
        let hops = if fault::on(Fault::OneHopCharged) { 1 } else { self.settings.hops as u64 };
        Event::Gaussian { noise_multiplier }.repeated(hops)
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "each hop adds Gaussian noise to sums of rows of norm 1 over neighbours"
                .into(),
            proof: "privet_privacy::aggregation, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        GaussianNoise::NUMERICS
    }

    fn parameters(&self) -> Parameters {
        let settings = &self.settings;
        Parameters::from([
            ("hops".into(), json!(settings.hops)),
            ("max-degree".into(), json!(settings.max_degree)),
            ("clip".into(), json!(settings.clip)),
            ("noise-multiplier".into(), json!(settings.noise_multiplier)),
        ])
    }

    fn status(&self) -> Status {
        match U::BOUNDED_DEGREE && !fault::on(Fault::ConditionLeftOut) {
            true => Status::Conditional { on: few_neighbours(self.settings.max_degree as u32) },
            false => Status::Holds,
        }
    }

    fn assumes_public(&self) -> Vec<String> {
        let mut public =
            vec!["the ids of all nodes".into(), "that a row depends on its own node alone".into()];
        if U::BOUNDED_DEGREE {
            let few = few_neighbours(self.settings.max_degree as u32);
            public.push(format!("that {few}; dropping surplus ones is not covered"));
        }
        public
    }
}

impl<U: SummedUnit> Central for NoisySums<U> {
    type Input = AttributedGraph;
    /// The noisy sums of every hop.
    type Output = Vec<DenseMatrix>;

    fn check(&self, shape: &AttributedShape) -> Result<()> {
        for (what, found) in [("nodes", shape.nodes), ("rows", shape.rows)] {
            if found != self.nodes {
                return Err(Error::shape(what, found, "noisy-sums", self.nodes));
            }
        }
        Ok(())
    }

    fn sample<N: NoiseSource>(
        &self,
        data: &AttributedGraph,
        noise: N,
        _permit: Permit<'_>,
    ) -> Vec<DenseMatrix> {
        let mut rounds = noise.into_rounds();
        let lists = self.bounded(&data.graph, N::next_round(&mut rounds).into_stream());
        let mut rows = data.rows.clone();
        let mut hops = Vec::with_capacity(self.settings.hops);
        for _ in 0..self.settings.hops {
            let mut sums = self.cut_sums(&mut rows, &lists);
            self.noise.add_to(sums.values_mut(), N::next_round(&mut rounds));
            rows = sums.clone();
            hops.push(sums);
        }
        hops
    }
}

#[cfg(test)]
mod tests;
