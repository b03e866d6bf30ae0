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
//! * for [`Node`]: `√(D + R²)`, **among graphs in which no node has more than D neighbours**. A node's row is in
//!   at most D sums, each moves by at most 1; its own sum, of norm at most R, appears or vanishes.
//! * for [`ReplacedNode`]: twice that; both nodes' sums are within the same bound of the graph without either.
//!
//! Row `i` of the input must depend on node `i` alone (and on what is public); later hops start from noisy sums,
//! which are public. ∎
//!
//! *In integers.* A row becomes integers of norm at most S, and R becomes K = ⌊R S⌋ steps. A sum z of norm above K is cut to
//! the integers `±⌊|z_i| K / ⌈|z|⌉⌋`, of norm at most K. Cutting is no contraction of integers, but nearly:
//! `|cut z - cut z'| ≤ |z - z'| + √d + 2` in d columns. For `z K / ⌈|z|⌉` is less than 1 away from the point where the
//! ball is left, at either side, that point moves no further than z does, and rounding towards zero moves each coordinate
//! apart by less than 1. So Δ is `√2 (S + c)` steps, or `√(D (S + c)² + K²)`, or twice that, with `c = ⌈√d⌉ + 2` where a sum can
//! be cut at all, and 0 where it cannot. S is the largest for which Δ is within reach of the noise
//! (`lattice.rs`); c is paid for by S, and the multiplier is the one that was asked for. ∎
//!
//! # Paper
//! Sajadmanesh et al., "GAP", USENIX Security 2023.
//!
//! # Differs from paper
//! A node's own sum counts for node privacy. The bound D is a condition on the data, and the guarantee is called
//! conditional wherever it is shown ([`Status::Conditional`]). Surplus neighbours are dropped at random, which keeps the
//! noise what it is, but dropping is *not* covered: one node less gives a place to up to D neighbours, each of them takes
//! on another node, which drops a third, and so on; such a chain has no bound. If each node chose alone whom to keep, one
//! more person whom all know would change every list. A test of degrees before the release does not help, since
//! one person is always enough to fail it. And whether data keep the bound is private, so it is not reported.
//!
//! # Numerics
//! Exact: integers up to the release. Floats only scale a row, which is a function of that row, and name the step.
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
use crate::lattice::{self, Lattice};
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{NoiseSource, Numerics, RandomWords};
use crate::origin::sealed::MechanismOrigin;
use crate::population::PublicShape;
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

impl PublicShape for AttributedGraph {
    type Shape = AttributedShape;

    fn shape(&self) -> AttributedShape {
        AttributedShape { nodes: self.graph.node_count(), rows: self.rows.rows() }
    }
}

/// The public settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumSettings {
    /// Number of hops.
    pub hops: usize,
    /// D: the most neighbours a node has. Not used for edges.
    pub max_degree: usize,
    /// R: what a sum is cut to.
    pub clip: f64,
    /// σ: the deviation over Δ.
    pub noise_multiplier: f64,
}

/// What changes with one unit, in sums of rows of norm 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SumsMoved {
    /// In how many sums a row comes or goes.
    pub rows: u64,
    /// Whether a sum comes or goes, too.
    pub own: bool,
    /// How often all of that happens.
    pub times: u64,
}

/// A unit that sums can protect.
pub trait SummedUnit: Unit {
    /// What changes with one of them.
    fn moved(settings: &SumSettings) -> SumsMoved;

    /// Δ.
    fn sensitivity(settings: &SumSettings) -> f64 {
        let SumsMoved { rows, own, times } = Self::moved(settings);
        let own = if own { settings.clip } else { 0.0 };
        // Changes in different sums are orthogonal: D rows of norm 1, and the node's own sum of norm R.
        times as f64 * (rows as f64 + own * own).sqrt()
    }

    /// Whether the proof needs a bound on degrees.
    const BOUNDED_DEGREE: bool;
}

impl SummedUnit for Edge {
    fn moved(_: &SumSettings) -> SumsMoved {
        // An edge is in the sums of both of its ends.
        let rows = if fault::on(Fault::EdgeCountedInOneSum) { 1 } else { 2 };
        SumsMoved { rows, own: false, times: 1 }
    }

    const BOUNDED_DEGREE: bool = false;
}

impl SummedUnit for Node {
    fn moved(settings: &SumSettings) -> SumsMoved {
        let own = !fault::on(Fault::OwnSumNotCounted);
        SumsMoved { rows: settings.max_degree as u64, own, times: 1 }
    }

    const BOUNDED_DEGREE: bool = true;
}

impl SummedUnit for ReplacedNode {
    fn moved(settings: &SumSettings) -> SumsMoved {
        let times = if fault::on(Fault::ReplacedNodeAsAbsent) { 1 } else { 2 };
        SumsMoved { times, ..Node::moved(settings) }
    }

    const BOUNDED_DEGREE: bool = true;
}

/// A row has at most 2^27 steps: sums of 2^32 rows are below 2^59. Where noise is large it has fewer, so that a draw of
/// noise needs one word.
const ROW_BITS: i32 = 26;
/// Sensitivities beyond this are refused: noise for them would hide a row's last digits many times over.
const LARGEST_SENSITIVITY: f64 = 16_777_216.0;

/// How rows and sums lie on the lattice.
#[derive(Debug, Clone, Copy)]
struct RowSteps {
    /// S: the norm of a row.
    row: u64,
    /// K: the norm of a sum.
    sum: u64,
}

/// Noisy sums over neighbours, protecting units `U`.
#[derive(Debug)]
pub struct NoisySums<U: SummedUnit> {
    settings: SumSettings,
    nodes: usize,
    lattice: Lattice,
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
        let sensitivity = U::sensitivity(&settings);
        if sensitivity > LARGEST_SENSITIVITY {
            return Err(Error::range("clip", settings.clip, "at most 2^24"));
        }
        let finest = ROW_BITS + sensitivity.log2().ceil() as i32;
        let lattice = Lattice::new(settings.noise_multiplier, finest)?;
        Ok(Self { settings, nodes, lattice, unit: PhantomData })
    }

    /// The largest steps for which what one unit changes is within reach of the noise.
    fn steps(&self, columns: usize) -> RowSteps {
        let pays = self.cuts() && !fault::on(Fault::CutCostsNothing);
        // Cutting to a ball is 1-Lipschitz for real numbers; rounding each of the columns towards zero adds at most
        // sqrt(columns), and a step for either norm.
        let slack = if pays { columns.isqrt() as u64 + 3 } else { 0 };
        let SumsMoved { rows, own, times } = U::moved(&self.settings);
        let steps = |row: u64| RowSteps { row, sum: (self.settings.clip * row as f64) as u64 };
        let squared = |steps: u64| u128::from(steps).pow(2);
        let within = |row: u64| {
            let own = if own { squared(steps(row).sum) } else { 0 };
            let moved = u128::from(rows) * squared(row + slack) + own;
            squared(times) * moved <= squared(self.lattice.reach())
        };
        let (mut low, mut high) = (0u64, 2 << ROW_BITS);
        while low < high {
            let middle = (low + high).div_ceil(2);
            // `within` is monotone in the row's norm: the largest lattice whose sensitivity the noise still hides,
            // compared in integers.
            if within(middle) { low = middle } else { high = middle - 1 }
        }
        steps(low)
    }

    /// Whether a sum can be longer than R. What bounds its rows is public.
    fn cuts(&self) -> bool {
        let most = match U::BOUNDED_DEGREE {
            true => self.settings.max_degree,
            false => self.nodes.saturating_sub(1),
        };
        self.settings.clip < most as f64
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

    /// The cut sums of the nodes that these lists are of, before noise, in steps; rows are scaled to the norm of a row.
    fn cut_sums(&self, rows: &DenseMatrix, lists: &[Vec<u32>], steps: RowSteps) -> Vec<i64> {
        let columns = rows.columns();
        // Every row is scaled to norm 1, released ones too: the sensitivity assumes nothing about their length.
        let scaled = (0..rows.rows()).flat_map(|row| on_lattice(rows.row(row), steps.row));
        // A row has at most 2^27 steps.
        let rows: Vec<i32> = scaled.map(|step| step as i32).collect();
        let mut sums = vec![0i64; lists.len() * columns];
        for (sum, list) in sums.chunks_exact_mut(columns.max(1)).zip(lists) {
            for &other in list {
                let row = &rows[other as usize * columns..][..columns];
                sum.iter_mut().zip(row).for_each(|(sum, &step)| *sum += i64::from(step));
            }
            if self.cuts() {
                cut(sum, steps.sum);
            }
        }
        sums
    }

    /// What one step stands for.
    fn step(steps: RowSteps) -> f64 {
        1.0 / steps.row.max(1) as f64
    }
}

/// A row at the norm of a row, in steps; what has no norm is 0.
fn on_lattice(row: &[f32], steps: u64) -> Vec<i64> {
    let values = || row.iter().map(|&value| f64::from(value));
    let norm = values().map(|value| value * value).sum::<f64>().sqrt();
    if !(norm > 0.0 && norm.is_finite()) {
        return vec![0; row.len()];
    }
    if fault::on(Fault::RowsNotNormalised) {
        return values().map(|value| (value * steps as f64) as i64).collect();
    }
    lattice::within(steps, values(), steps as f64 / norm)
}

/// Cuts a sum down to a norm, towards zero; see Guarantee.
fn cut(sum: &mut [i64], most: u64) {
    if fault::on(Fault::ColumnsCutAlone) {
        let most = most as i64;
        sum.iter_mut().for_each(|value| *value = (*value).clamp(-most, most));
        return;
    }
    // A sum has fewer than 2^32 rows of norm at most 2^27: its square is below 2^118.
    let square = lattice::square(sum).unwrap_or(u128::MAX);
    if square <= u128::from(most).pow(2) {
        return;
    }
    let floor = square.isqrt();
    // Rounded up, so that the scaled sum is never longer than `most`.
    let norm = if floor * floor < square { floor + 1 } else { floor };
    for value in sum {
        let kept = u128::from(value.unsigned_abs()) * u128::from(most) / norm;
        *value = value.signum() * kept as i64;
    }
}

/// The neighbours of these nodes, without the nodes themselves.
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
        // Both ends must have room: then no node is in more than `most` lists, in either direction.
        let room = |node: u32| lists[node as usize].len() < most;
        if u != v && room(u) && room(v) {
            lists[u as usize].push(v);
            lists[v as usize].push(u);
        }
    }
    lists
}

impl<U: SummedUnit> MechanismOrigin for NoisySums<U> {
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
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        let settings = &self.settings;
        MechanismParameters::from([
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
        let steps = self.steps(data.rows.columns());
        let mut hops: Vec<DenseMatrix> = Vec::with_capacity(self.settings.hops);
        for _ in 0..self.settings.hops {
            // Later hops sum released rows: post-processing of the hop before, new only in what the edges add.
            let rows = hops.last().unwrap_or(&data.rows);
            let sums = self.cut_sums(rows, &lists, steps);
            let mut hop = DenseMatrix::zeros(lists.len(), data.rows.columns());
            let noisy = self.lattice.noisy(sums, Self::step(steps), N::next_round(&mut rounds));
            hop.values_mut().copy_from_slice(&noisy);
            hops.push(hop);
        }
        hops
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::{Direction, GraphBuilder};
    use proptest::prelude::*;

    use super::*;
    use crate::loss::{Delta, Epsilon, Loss};
    use crate::noise::NoiseRng;
    use crate::{Ledger, Secret};

    const SETTINGS: SumSettings =
        SumSettings { hops: 2, max_degree: 3, clip: 1.5, noise_multiplier: 1e-9 };

    fn graph(nodes: usize, edges: &[(u32, u32)]) -> Graph {
        let builder = GraphBuilder::new(nodes, Direction::Undirected);
        builder.edges(edges.iter().copied()).build().unwrap().0
    }

    fn sums<U: SummedUnit>(
        graph: Graph,
        rows: Vec<f32>,
        settings: SumSettings,
    ) -> Vec<DenseMatrix> {
        let nodes = graph.node_count();
        let rows = DenseMatrix::new(nodes, 2, rows).unwrap();
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-5).unwrap() };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let mechanism = NoisySums::<U>::new(settings, nodes).unwrap();
        ledger
            .release(&Secret::new(AttributedGraph { graph, rows }), &mechanism)
            .unwrap()
            .into_inner()
    }

    #[test]
    fn sums_are_of_unit_rows_cut_to_the_ball() {
        let star = graph(4, &[(0, 1), (0, 2), (0, 3)]);
        let hops = sums::<Node>(star, vec![0.0, 9.0, 5.0, 0.0, 5.0, 0.0, 0.1, 0.0], SETTINGS);
        let near = |row: &[f32], expected: [f32; 2]| {
            assert!(row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{row:?}");
        };
        near(hops[0].row(0), [1.5, 0.0]);
        near(hops[0].row(1), [0.0, 1.0]);
        near(hops[1].row(0), [0.0, 1.5]);
        near(hops[1].row(3), [1.0, 0.0]);
    }

    #[test]
    fn every_hop_is_charged() {
        let mechanism = NoisySums::<Node>::new(SETTINGS, 4).unwrap();
        let one = Event::Gaussian { noise_multiplier: SETTINGS.noise_multiplier };
        assert_eq!(mechanism.event(), one.repeated(2));
    }

    #[test]
    fn no_node_keeps_more_neighbours_than_declared() {
        let star = graph(9, &(1..9).map(|leaf| (0, leaf)).collect::<Vec<_>>());
        let settings = SumSettings { clip: 100.0, hops: 1, ..SETTINGS };
        let hops = sums::<Node>(star.clone(), vec![1.0; 18], settings);
        let reached = (1..9).filter(|&leaf| hops[0].row(leaf)[0] > 0.5).count();
        assert_eq!(reached, 3);
        // Edge privacy needs no such bound.
        let hops = sums::<Edge>(star, vec![1.0; 18], settings);
        assert!(hops[0].row(0)[0] > 5.0);
    }

    /// Why the number is conditional: one node less, and along a chain every node changes partners, so that sums move by
    /// far more than the sensitivity that is charged.
    #[test]
    fn beyond_the_bound_there_is_no_number() {
        let settings = SumSettings { hops: 1, max_degree: 1, clip: 1.0, noise_multiplier: 1.0 };
        let chain = |first: u32| (first..40).map(|node| (node, node + 1));
        let sums = |first: u32| -> Vec<[f64; 2]> {
            // The two neighbours of a node hold different rows.
            let row = |&node: &u32| if node % 4 < 2 { [1.0, 0.0] } else { [0.0, 1.0] };
            let lists = bounded_lists(41, chain(first), settings.max_degree);
            lists.iter().map(|list| list.first().map_or([0.0; 2], row)).collect()
        };
        let (with, without) = (sums(0), sums(1));
        let square = |(a, b): (&[f64; 2], &[f64; 2])| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2);
        let moved = with.iter().zip(&without).map(square).sum::<f64>().sqrt();
        assert!(moved > 6.0 * Node::sensitivity(&settings), "{moved}");
        let mechanism = NoisySums::<Node>::new(settings, 41).unwrap();
        let Status::Conditional { on } = mechanism.status() else { panic!("no condition") };
        assert_eq!(on, "no person has more than 1 neighbours");
        let edges = NoisySums::<Edge>::new(settings, 41).unwrap();
        assert_eq!(edges.status(), Status::Holds);
    }

    proptest! {
        /// Among graphs of bounded degree, one node less moves all sums by at most the sensitivity.
        #[test]
        fn one_node_less_moves_sums_by_at_most_delta(
            pairs in prop::collection::vec((0u32..7, 0u32..7), 0..9),
            rows in prop::collection::vec(-3.0f32..3.0, 14), gone in 0u32..7
        ) {
            let all = graph(7, &pairs);
            prop_assume!((0..7).all(|node| all.degree(node) <= SETTINGS.max_degree));
            let left: Vec<_> = all.edges().filter(|&(u, v)| u != gone && v != gone).collect();
            let settings = SumSettings { hops: 1, ..SETTINGS };
            let mut without = rows.clone();
            without[2 * gone as usize..][..2].fill(0.0);
            let one = sums::<Node>(all, rows, settings);
            let other = sums::<Node>(graph(7, &left), without, settings);
            let pairs = one[0].values().iter().zip(other[0].values());
            let moved: f64 = pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum();
            // What is released is rounded to `f32`.
            prop_assert!(moved.sqrt() <= Node::sensitivity(&settings) * (1.0 + 1e-6), "{moved}");
        }
    }

    proptest! {
        /// Sums of integers that are cut towards zero: within the norm, and no further apart than the proof says.
        #[test]
        fn a3_cutting_integers_is_nearly_a_contraction(
            z in prop::collection::vec(-400i64..400, 9), moved in prop::collection::vec(-40i64..40, 9), most in 1u64..900
        ) {
            let mut other: Vec<i64> = z.iter().zip(&moved).map(|(z, by)| z + by).collect();
            let mut one = z;
            cut(&mut one, most);
            cut(&mut other, most);
            prop_assert!(lattice::square(&one).unwrap() <= u128::from(most).pow(2));
            let norm = |steps: &[i64]| (lattice::square(steps).unwrap() as f64).sqrt();
            let apart: Vec<i64> = one.iter().zip(&other).map(|(a, b)| a - b).collect();
            prop_assert!(norm(&apart) <= norm(&moved) + 3.0 + 2.0);
        }

        /// Every row and every sum in steps, with all that one unit moves, is within reach of the noise.
        #[test]
        fn a3_the_reach_pays_for_what_cutting_integers_moves(
            max_degree in 1usize..500, clip in 0.01f64..200.0, noise_multiplier in 0.01f64..100.0, columns in 1usize..3000
        ) {
            let settings = SumSettings { hops: 1, max_degree, clip, noise_multiplier };
            let mechanism = NoisySums::<Node>::new(settings, 1000).unwrap();
            let RowSteps { row, sum } = mechanism.steps(columns);
            prop_assert!(row >= 1 << 15, "{row}");
            let slack = if clip < max_degree as f64 { (columns as f64).sqrt() + 2.0 } else { 0.0 };
            let moved = max_degree as f64 * (row as f64 + slack).powi(2) + (sum as f64).powi(2);
            prop_assert!(moved.sqrt() <= mechanism.lattice.reach() as f64);
            // And no more noise than was asked for, but for the slack.
            prop_assert!(moved.sqrt() >= mechanism.lattice.reach() as f64 * (1.0 - 1e-2));
            let edges = NoisySums::<Edge>::new(SumSettings { clip: 1000.0, ..settings }, 1000).unwrap();
            let row = edges.steps(columns).row as f64;
            prop_assert!(2f64.sqrt() * row <= edges.lattice.reach() as f64);
        }

        /// A row has the norm of a row in steps, whatever it is.
        #[test]
        fn a3_rows_have_their_norm_in_integers(row in prop::collection::vec(prop::num::f32::ANY, 0..20)) {
            let steps = on_lattice(&row, 1 << 26);
            prop_assert!(lattice::square(&steps).unwrap() <= 1 << 52);
        }
    }
}
