//! Worst-case graphs of a handful of nodes for a curator's releases: names of near nodes, and noisy sums.

use privet::dpar::structure::ByIsta;
use privet::graph::{DenseMatrix, Direction, Graph, GraphBuilder};
use privet::learn::propagate::Ista;
use privet::privacy::aggregation::{AttributedGraph, NoisySums, SumSettings, SummedUnit};
use privet::privacy::appr::{DpAppr, Picks, Ranking, RowNoise, RowSettings};
use privet::privacy::audit::{self, OutcomeLaw};
use privet::privacy::unit::Node;
use privet::privacy::{Central, Delta, Event, FirstParty, Secret, accountant};

use super::clopper_pearson::epsilon_lower_bound;
use super::enumerated::price;
use super::refused;
use super::seeds::Seeds;
use super::trials::{CONFIDENCE, account};
use crate::Result;

/// Large enough that what Gaussian noise gives away is seen in a few thousand draws.
pub(super) const DELTA: f64 = 0.01;
const IDS: u32 = 5;
const HUB: u32 = 0;

/// A release through a ledger without a limit.
fn released<M: Central>(mechanism: &M, input: M::Input, seeds: Seeds) -> Result<M::Output>
where
    M::Input: Sized,
{
    let mut ledger = account::<M::Unit>(DELTA, seeds)?;
    Ok(ledger.release(&Secret::new(input), mechanism)?.into_inner())
}

fn graph(nodes: usize, edges: impl IntoIterator<Item = (u32, u32)>) -> Result<Graph> {
    let builder = GraphBuilder::new(nodes, Direction::Undirected).edges(edges);
    builder.build().map(|(graph, _)| graph).map_err(refused)
}

/// What leaves of rows of PageRank on five nodes: a hub who knows all others, and the same without it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub clip: f64,
    pub keep: usize,
    pub noise: RowNoise,
}

impl Near {
    /// The two graphs.
    fn graphs() -> Result<[Graph; 2]> {
        // A star around the hub, and the same nodes without it: the strongest change that one
        // person can make.
        Ok([graph(5, (1..IDS).map(|leaf| (HUB, leaf)))?, graph(5, [])?])
    }

    fn mechanism(&self, sources: Vec<u32>) -> Result<DpAppr<ByIsta, Node>> {
        let Self { clip, keep, noise } = *self;
        let settings = RowSettings { sources, universe: IDS, keep, clip, noise };
        DpAppr::new(settings, ByIsta(Ista::default()))
    }

    /// What rows for these sources say they cost.
    pub fn claimed(&self, sources: Vec<u32>, delta: f64) -> Result<f64> {
        price(&self.mechanism(sources)?, delta)
    }

    /// The law of the names for these sources, with and without the hub.
    pub fn laws(&self, sources: Vec<u32>) -> Result<[OutcomeLaw<Vec<Vec<u32>>>; 2]> {
        let mechanism = self.mechanism(sources)?;
        let named = |rows: Vec<Picks>| -> Vec<Vec<u32>> {
            rows.iter().map(|row| row.iter().map(|&(node, _)| node).collect()).collect()
        };
        let [with, without] = Self::graphs()?;
        let law = |graph| audit::sampled(&mechanism, graph, named);
        Ok([law(&with)?, law(&without)?])
    }

    /// A lower bound on the epsilon of one row, from the code that runs: the same source over and over.
    // Each source is a trial: rows are independent, and released under one budget each.
    pub fn sampled(
        &self,
        trials: usize,
        seeds: Seeds,
        event: impl Fn(&Picks) -> bool,
    ) -> Result<f64> {
        sides(&self.mechanism(vec![1; trials])?, Self::graphs()?, seeds, event)
    }
}

/// A lower bound on the epsilon of one row, by two inputs and rows for one source over and over.
fn sides<R: Ranking>(
    mechanism: &DpAppr<R, Node>,
    inputs: [R::Data; 2],
    seeds: Seeds,
    event: impl Fn(&Picks) -> bool,
) -> Result<f64> {
    let (mut counts, mut trials) = ([0, 0], 0);
    for ((count, input), part) in counts.iter_mut().zip(inputs).zip(0..) {
        let rows = released(mechanism, input, seeds.part(part))?;
        *count = rows.iter().filter(|row| event(row)).count() as u64;
        trials = rows.len() as u64;
    }
    // Both directions are looked at, so each may be wrong half as often.
    let bound = |a, b| epsilon_lower_bound(a, b, trials, DELTA, CONFIDENCE / 2.0);
    Ok(bound(counts[0], counts[1]).max(bound(counts[1], counts[0])))
}

/// The farthest that a row can move: all of its score is one node's, or all another's.
struct Turned;

impl FirstParty for Turned {}

impl Ranking for Turned {
    /// Both nodes' scores.
    type Data = Vec<f32>;

    fn universe(&self, nodes: &usize) -> usize {
        *nodes
    }

    fn scores(&self, scores: &Vec<f32>, _: u32) -> Vec<(u32, f64)> {
        scores
            .iter()
            .map(|&score| f64::from(score))
            .enumerate()
            .map(|(at, s)| (at as u32, s))
            .collect()
    }
}

/// A row with Gaussian noise that turns from one node to another: what it says it costs, and a lower bound.
pub(super) fn turned(deviation: f64, trials: usize, seeds: Seeds) -> Result<(f64, f64)> {
    let mechanism = |rows: usize| {
        let noise = RowNoise::Gaussian { deviation };
        let settings =
            RowSettings { sources: vec![0; rows], universe: 2, keep: 2, clip: 1.0, noise };
        DpAppr::<_, Node>::new(settings, Turned)
    };
    let score =
        |row: &Picks, wanted| row.iter().find(|(node, _)| *node == wanted).map_or(0.0, |e| e.1);
    // Without the turn, the difference over √2 lies 2.5 deviations above its mean once in 161 rows.
    let line = 2.5 * deviation - 0.5f64.sqrt();
    let turned = |row: &Picks| (score(row, 0) - score(row, 1)) / 2f64.sqrt() > line;
    let measured = sides(&mechanism(trials)?, [vec![1e6, 0.0], vec![0.0, 1e6]], seeds, turned)?;
    Ok((price(&mechanism(1)?, DELTA)?, measured))
}

/// Two neighbouring graphs whose sums are far apart.
#[derive(Debug, Clone)]
pub(super) struct Apart {
    nodes: usize,
    columns: usize,
    edges: [Vec<(u32, u32)>; 2],
    rows: [Vec<f32>; 2],
}

impl Apart {
    /// A hub with so many neighbours, all pulling one way, and the same without the hub.
    pub fn absent(degree: u32) -> Self {
        let rows = vec![1.0; degree as usize + 1];
        let mut without = rows.clone();
        without[HUB as usize] = 0.0;
        let edges = [(1..=degree).map(|leaf| (HUB, leaf)).collect(), Vec::new()];
        Self { nodes: rows.len(), columns: 1, edges, rows: [rows, without] }
        // Lists to all leaves on one side, none on the other.
    }

    /// A hub with so many neighbours, and one with others, who pull the other way.
    pub fn replaced(degree: u32) -> Self {
        let side = |from: u32| (from + 1..=from + degree).map(|leaf| (HUB, leaf)).collect();
        let rows: Vec<f32> =
            (0..=2 * degree).map(|node| if node <= degree { 1.0 } else { -1.0 }).collect();
        let edges = [side(0), side(degree)];
        Self { nodes: rows.len(), columns: 1, edges, rows: [rows.clone(), rows] }
    }

    /// A hub whose neighbours pull each in a direction of its own, and the same without the hub: its own sum has a norm that
    /// no column shows.
    pub fn spread(degree: u32) -> Self {
        // Each leaf has a direction of its own, so the hub's row moves them all at right angles.
        let (nodes, columns) = (degree as usize + 1, degree as usize);
        let mut rows = vec![0.0; nodes * columns];
        for leaf in 1..nodes {
            rows[leaf * columns + leaf - 1] = 1.0;
        }
        let without = rows.clone();
        rows[0] = 1.0;
        let edges = [(1..=degree).map(|leaf| (HUB, leaf)).collect(), Vec::new()];
        Self { nodes, columns, edges, rows: [rows, without] }
    }

    /// Two people who know each other, or do not.
    pub fn edge() -> Self {
        Self::edge_in(1)
    }

    /// The same with so many columns that hold the same.
    pub fn edge_in(columns: usize) -> Self {
        // Rows of norm 1, however many columns share it.
        let rows = vec![1.0 / (columns as f32).sqrt(); 2 * columns];
        Self { nodes: 2, columns, edges: [vec![(0, 1)], Vec::new()], rows: [rows.clone(), rows] }
    }

    /// So many copies side by side, none of which knows of another: the sums of each are a trial of its own.
    fn copies(&self, side: usize, copies: usize) -> Result<AttributedGraph> {
        let shifted = (0..copies).flat_map(|copy| {
            // Disjoint copies: one release gives as many independent trials.
            let start = (copy * self.nodes) as u32;
            self.edges[side].iter().map(move |&(u, v)| (start + u, start + v))
        });
        let graph = graph(copies * self.nodes, shifted)?;
        let values = self.rows[side].repeat(copies);
        let rows = DenseMatrix::new(copies * self.nodes, self.columns, values);
        Ok(AttributedGraph { graph, rows: rows.map_err(refused)? })
    }

    fn sums<U: SummedUnit>(
        &self,
        settings: SumSettings,
        side: usize,
        copies: usize,
        seeds: Seeds,
    ) -> Result<DenseMatrix> {
        let input = self.copies(side, copies)?;
        let mechanism = NoisySums::<U>::new(settings, copies * self.nodes)?;
        let mut hops = released(&mechanism, input, seeds.part(side as u64))?;
        Ok(hops.swap_remove(0))
    }

    /// How the sums move, measured on the code that runs with hardly any noise.
    fn moved<U: SummedUnit>(&self, settings: SumSettings) -> Result<Vec<f64>> {
        let silent = SumSettings { noise_multiplier: 1e-9, ..settings };
        // Practically no noise: what remains is the exact difference of the two inputs.
        let sums = |side| self.sums::<U>(silent, side, 1, Seeds::new(0));
        let [with, without] = [sums(0)?, sums(1)?];
        let pairs = with.values().iter().zip(without.values());
        Ok(pairs.map(|(a, b)| f64::from(a - b)).collect())
    }

    /// What one release says it costs.
    pub fn claimed<U: SummedUnit>(&self, settings: SumSettings) -> Result<f64> {
        price(&NoisySums::<U>::new(settings, self.nodes)?, DELTA)
    }

    /// The epsilon of one hop on these two graphs, exactly: two Gaussians that far apart.
    pub fn exact<U: SummedUnit>(&self, settings: SumSettings) -> Result<f64> {
        let moved = self.moved::<U>(settings)?;
        let deviation = settings.noise_multiplier * U::sensitivity(&settings);
        // The exact loss of a Gaussian release at this distance.
        gaussian(deviation / norm(&moved))
    }

    /// A lower bound on the same from what the code releases, with all of its noise.
    pub fn sampled<U: SummedUnit>(
        &self,
        settings: SumSettings,
        copies: usize,
        seeds: Seeds,
    ) -> Result<f64> {
        let moved = self.moved::<U>(settings)?;
        let deviation = settings.noise_multiplier * U::sensitivity(&settings);
        // Without the unit, two deviations are passed once in 44 trials.
        let passed = |side| -> Result<u64> {
            let sums = self.sums::<U>(settings, side, copies, seeds)?;
            let silent = SumSettings { noise_multiplier: 1e-9, ..settings };
            let base = self.sums::<U>(silent, 1, 1, Seeds::new(0))?;
            let along = |copy: &[f32]| -> f64 {
                let parts = copy.iter().zip(base.values()).zip(&moved);
                // The likelihood ratio of two Gaussians depends on the projection onto their
                // difference alone.
                parts.map(|((sum, base), moved)| f64::from(sum - base) * moved).sum()
            };
            let line = 2.0 * deviation * norm(&moved);
            let hit = |copy: &&[f32]| along(copy) > line;
            Ok(sums.values().chunks_exact(self.nodes * self.columns).filter(hit).count() as u64)
        };
        Ok(epsilon_lower_bound(passed(0)?, passed(1)?, copies as u64, DELTA, CONFIDENCE))
    }

    /// A lower bound from low bits: how often a release has digits that noise on 1/8 cannot have, where nothing was added and
    /// where 1/8 was. For rows of 64 columns of 1/8.
    pub fn low_bits<U: SummedUnit>(
        &self,
        settings: SumSettings,
        copies: usize,
        seeds: Seeds,
    ) -> Result<f64> {
        let telling = |side| -> Result<u64> {
            let sums = self.sums::<U>(settings, side, copies, seeds)?;
            let rows = sums.values().chunks_exact(self.nodes * self.columns);
            Ok(rows.filter(|row| has_fine_digits(row)).count() as u64)
        };
        Ok(epsilon_lower_bound(telling(1)?, telling(0)?, copies as u64, DELTA, CONFIDENCE))
    }
}

/// Whether a number is no multiple of 2^-27, the last place of an `f32` next to 1/8: the sum of such a number and of
/// anything is one.
pub(super) fn has_fine_digits(values: &[f32]) -> bool {
    // The lattice is coarser than 2^-27: any digit below it was not drawn on the lattice.
    values.iter().any(|value| (f64::from(*value) * f64::from(1u32 << 27)).fract() != 0.0)
}

/// What Gaussian noise of a multiplier costs.
pub(super) fn gaussian(noise_multiplier: f64) -> Result<f64> {
    let event = Event::Gaussian { noise_multiplier };
    Ok(accountant::best(&event, Delta::new(DELTA)?)?.value.get())
}

pub(super) fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
