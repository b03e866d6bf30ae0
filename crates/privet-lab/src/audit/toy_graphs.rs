//! Worst-case graphs of a handful of nodes for a curator's releases: names of near nodes, and noisy sums.

use privet::dpar::structure::ByIsta;
use privet::graph::{DenseMatrix, Direction, Graph, GraphBuilder};
use privet::learn::propagate::Ista;
use privet::privacy::accountant::{Accountant, AnalyticGaussian};
use privet::privacy::aggregation::{AttributedGraph, NoisySums, Settings as Sums, SummedUnit};
use privet::privacy::appr::{DpAppr, Picks, Ranking, RowNoise, Settings};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::Node;
use privet::privacy::{Central, Delta, Epsilon, Event, Ledger, Loss, Secret};

use super::clopper_pearson::epsilon_lower_bound;
use super::law::FloatLaw;
use super::refused;
use crate::Result;

/// Large enough that what Gaussian noise gives away is seen in a few thousand draws.
pub(super) const DELTA: f64 = 0.01;
/// How often a bound may be wrong.
const CONFIDENCE: f64 = 1e-6;
const IDS: u32 = 5;
const HUB: u32 = 0;

/// A release through a ledger without a limit.
fn released<M: Central>(mechanism: &M, input: M::Input, seed: u64) -> Result<M::Output>
where
    M::Input: Sized,
{
    let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(DELTA)? };
    let mut ledger = Ledger::<M::Unit>::in_memory(limit, NoiseRng::replay(seed))?;
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
        Ok([graph(5, (1..IDS).map(|leaf| (HUB, leaf)))?, graph(5, [])?])
    }

    pub fn settings(&self, sources: Vec<u32>) -> Settings {
        let Self { clip, keep, noise } = *self;
        Settings { sources, universe: IDS, keep, clip, noise }
    }

    /// The law of the names for these sources, with and without the hub, written out from its definition: the
    /// K largest of `p + Gumbel(C/ε)` are picks without replacement with weights `e^(ε p/C)`.
    pub fn law(&self, epsilon: f64, sources: &[u32]) -> Result<FloatLaw> {
        let of_graph = |graph: &Graph| {
            let mut law = vec![1.0];
            for &source in sources {
                let mut weights = [1.0; IDS as usize];
                for (node, score) in ByIsta(Ista::default()).scores(graph, source) {
                    weights[node as usize] = (epsilon * (score / self.clip).clamp(0.0, 1.0)).exp();
                }
                let row = picks(&weights, self.keep, &mut Vec::new());
                law = law.iter().flat_map(|p| row.iter().map(move |q| p * q)).collect();
            }
            law
        };
        Ok(FloatLaw::new(Self::graphs()?.iter().map(of_graph).collect()))
    }

    /// A lower bound on the epsilon of one row, from the code that runs: the same source over and over.
    pub fn sampled(&self, trials: usize, event: impl Fn(&Picks) -> bool) -> Result<f64> {
        let settings = self.settings(vec![1; trials]);
        let mechanism = DpAppr::<_, Node>::new(settings, ByIsta(Ista::default()))?;
        let mut counts = [0, 0];
        for ((count, graph), seed) in counts.iter_mut().zip(Self::graphs()?).zip(1..) {
            let rows = released(&mechanism, graph, seed)?;
            *count = rows.iter().filter(|row| event(row)).count() as u64;
        }
        let bound = |a, b| epsilon_lower_bound(a, b, trials as u64, DELTA, CONFIDENCE);
        Ok(bound(counts[0], counts[1]).max(bound(counts[1], counts[0])))
    }
}

/// The probability of every ordered choice of `keep`.
fn picks(weights: &[f64], keep: usize, taken: &mut Vec<usize>) -> Vec<f64> {
    if keep == 0 {
        return vec![1.0];
    }
    let left: Vec<usize> = (0..weights.len()).filter(|node| !taken.contains(node)).collect();
    let total: f64 = left.iter().map(|&node| weights[node]).sum();
    let mut all = Vec::new();
    for node in left {
        taken.push(node);
        all.extend(picks(weights, keep - 1, taken).iter().map(|p| p * weights[node] / total));
        taken.pop();
    }
    all
}

/// Two neighbouring graphs whose sums are far apart.
#[derive(Debug, Clone)]
pub(super) struct Apart {
    nodes: usize,
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
        Self { nodes: rows.len(), edges, rows: [rows, without] }
    }

    /// A hub with so many neighbours, and one with others, who pull the other way.
    pub fn replaced(degree: u32) -> Self {
        let side = |from: u32| (from + 1..=from + degree).map(|leaf| (HUB, leaf)).collect();
        let rows: Vec<f32> =
            (0..=2 * degree).map(|node| if node <= degree { 1.0 } else { -1.0 }).collect();
        Self { nodes: rows.len(), edges: [side(0), side(degree)], rows: [rows.clone(), rows] }
    }

    /// Two people who know each other, or do not.
    pub fn edge() -> Self {
        let rows = vec![1.0; 2];
        Self { nodes: 2, edges: [vec![(0, 1)], Vec::new()], rows: [rows.clone(), rows] }
    }

    /// So many copies side by side, none of which knows of another: the sums of each are a trial of its own.
    fn copies(&self, side: usize, copies: usize) -> Result<AttributedGraph> {
        let shifted = (0..copies).flat_map(|copy| {
            let start = (copy * self.nodes) as u32;
            self.edges[side].iter().map(move |&(u, v)| (start + u, start + v))
        });
        let graph = graph(copies * self.nodes, shifted)?;
        let rows = DenseMatrix::new(copies * self.nodes, 1, self.rows[side].repeat(copies));
        Ok(AttributedGraph { graph, rows: rows.map_err(refused)? })
    }

    fn sums<U: SummedUnit>(
        &self,
        settings: Sums,
        side: usize,
        copies: usize,
    ) -> Result<DenseMatrix> {
        let input = self.copies(side, copies)?;
        let mechanism = NoisySums::<U>::new(settings, copies * self.nodes)?;
        let mut hops = released(&mechanism, input, 1 + side as u64)?;
        Ok(hops.swap_remove(0))
    }

    /// How the sums move, measured on the code that runs with hardly any noise.
    fn moved<U: SummedUnit>(&self, settings: Sums) -> Result<Vec<f64>> {
        let silent = Sums { noise_multiplier: 1e-9, ..settings };
        let [with, without] = [self.sums::<U>(silent, 0, 1)?, self.sums::<U>(silent, 1, 1)?];
        let pairs = with.values().iter().zip(without.values());
        Ok(pairs.map(|(a, b)| f64::from(a - b)).collect())
    }

    /// The epsilon of one hop on these two graphs, exactly: two Gaussians that far apart.
    pub fn exact<U: SummedUnit>(&self, settings: Sums) -> Result<f64> {
        let moved = self.moved::<U>(settings)?;
        let deviation = settings.noise_multiplier * U::sensitivity(&settings);
        gaussian(deviation / norm(&moved))
    }

    /// A lower bound on the same from what the code releases, with all of its noise.
    pub fn sampled<U: SummedUnit>(&self, settings: Sums, copies: usize) -> Result<f64> {
        let moved = self.moved::<U>(settings)?;
        let deviation = settings.noise_multiplier * U::sensitivity(&settings);
        // Without the unit, two deviations are passed once in 44 trials.
        let passed = |side| -> Result<u64> {
            let sums = self.sums::<U>(settings, side, copies)?;
            let base = self.sums::<U>(Sums { noise_multiplier: 1e-9, ..settings }, 1, 1)?;
            let along = |copy: &[f32]| -> f64 {
                let parts = copy.iter().zip(base.values()).zip(&moved);
                parts.map(|((sum, base), moved)| f64::from(sum - base) * moved).sum()
            };
            let line = 2.0 * deviation * norm(&moved);
            let hit = |copy: &&[f32]| along(copy) > line;
            Ok(sums.values().chunks_exact(self.nodes).filter(hit).count() as u64)
        };
        Ok(epsilon_lower_bound(passed(0)?, passed(1)?, copies as u64, DELTA, CONFIDENCE))
    }
}

/// What Gaussian noise of a multiplier costs.
pub(super) fn gaussian(noise_multiplier: f64) -> Result<f64> {
    let event = Event::Gaussian { noise_multiplier };
    Ok(AnalyticGaussian.epsilon(&event, Delta::new(DELTA)?)?.get())
}

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum::<f64>().sqrt()
}
