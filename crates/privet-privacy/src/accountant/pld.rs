//! Privacy loss distributions: the tightest general accountant here.
//!
//! **Idea.** Replace each release by a pair of distributions that is at least as distinguishable, put the
//! logarithm of their ratio on a grid, and convolve: the sum of the losses is the loss of the sequence.
//!
//! **Theorems.** Dominating pairs compose adaptively (Zhu, Dong and Wang 2022, Theorem 10); discretisation by
//! connecting the dots dominates (Doroshenko et al. 2022). The pairs and their sources are in [`source`], the
//! grid in [`pair`], the convolution in [`mod@compose`]. Tight up to the grid for every event it supports
//! except bounded range (where one pair must cover all the pairs an adversary may choose from).
//!
//! **Numerics.** Everything rounds up: grid, cut tails, cyclic window, Fourier rounding, and the rounding of every
//! mass, which is raised to the power of the number of releases; beyond a thousand million of them it refuses.
//! Connecting the dots adds variance of about `h^2/6` per release, so the step is chosen as a small share of the
//! spread of one release; for many releases or wide losses the grid is coarsened until it fits, which only raises
//! the result. Both directions (add and remove) are computed and the worse is returned.
//!
//! **Cost.** Known before anything is allocated: the more different releases share a grid, the fewer cells each of
//! them and the fewer bins their sum may have.

mod compose;
mod pair;
mod source;

use super::leaves::Leaf;
use super::{ALL_OF_IT, Accountant, basic, effort, settle_delta, settle_epsilon};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::loss::{Delta, Epsilon};
use compose::{GridOutcome, Query, compose};
use pair::{LossDirection, Losses, Pair};
use source::LossSource;

const NAME: &str = "PLD";

/// The share of the total variance that the grid may add, and the same for looking around.
const ADDED_VARIANCE: f64 = 1e-4;
const ADDED_VARIANCE_COARSE: f64 = 3e-2;
/// The share of delta that cutting the tails of all releases together may cost.
const TAIL_SHARE: f64 = 1e-8;
/// Beyond so many releases the rounding of one counts more than a bound of another kind loses.
const MAX_RELEASES: f64 = 1e9;
/// How often the grid may be coarsened before the answer is "no bound".
const MAX_ATTEMPTS: usize = 8;

/// The privacy-loss-distribution accountant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pld {
    grid: Grid,
    /// The share of the work that one answer may take.
    share: f64,
}

/// How fine the grid of losses is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Grid {
    /// A step.
    Fixed(f64),
    /// Chosen for the event: the share of its variance that the grid may add.
    AddedVariance(f64),
}

impl Default for Pld {
    fn default() -> Self {
        Self { grid: Grid::AddedVariance(ADDED_VARIANCE), share: ALL_OF_IT }
    }
}

impl Pld {
    /// An accountant with a fixed grid step instead of one chosen for the event; it is still coarsened
    /// where the losses do not fit. Halving the step can only lower the result.
    pub fn with_step(step: f64) -> Result<Self> {
        if step > 0.0 && step.is_finite() {
            Ok(Self { grid: Grid::Fixed(step), share: ALL_OF_IT })
        } else {
            Err(Error::range("step", step, "positive and finite"))
        }
    }

    /// The same accountant with this share of the work that one answer may take.
    pub(crate) fn within(self, share: f64) -> Self {
        Self { share, ..self }
    }
}

impl Accountant for Pld {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| {
            let releases = ReleasePairs::new(leaves, self.share)?;
            if delta > 0.0 {
                return releases.solve(self.grid, Query::EpsilonAt(delta), delta);
            }
            // Without any delta only the largest possible loss counts.
            let parts = leaves.iter().map(|leaf| leaf.event.clone().repeated(leaf.times)).collect();
            let most = basic::guarantee(&Event::Sequence { events: parts });
            Ok(most
                .filter(|most| most.delta == Delta::ZERO)
                .map_or(f64::INFINITY, |most| most.epsilon.get()))
        })
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| {
            let releases = ReleasePairs::new(leaves, self.share)?;
            let mut smallest = 1.0_f64;
            // Tails are cut, and the grid is chosen, in view of the delta that comes out, which is not
            // known beforehand: every round is a bound, and the next one looks at the right place.
            // 1e-10 is only the first guess of the delta that will come out.
            let mut reference = 1e-10;
            for _ in 0..4 {
                let found = releases.solve(self.grid, Query::DeltaAt(epsilon), reference)?;
                smallest = smallest.min(found);
                if found <= 1e4 * TAIL_SHARE * reference {
                    reference = reference.powi(3);
                } else if found > 1e2 * reference {
                    reference = found;
                } else {
                    break;
                }
            }
            Ok(smallest)
        })
    }

    fn coarser(&self) -> Option<Box<dyn Accountant>> {
        let grid = Grid::AddedVariance(ADDED_VARIANCE_COARSE);
        (self.grid == Self::default().grid)
            .then(|| Box::new(Self { grid, ..*self }) as Box<dyn Accountant>)
    }
}

/// The pairs of all releases, with multiplicities; Gaussians are united into one.
struct ReleasePairs {
    sources: Vec<(LossSource, u64)>,
    limits: GridLimits,
}

impl ReleasePairs {
    fn new(leaves: &[Leaf], share: f64) -> Result<Self> {
        let mut sources = Vec::new();
        let mut precision = 0.0;
        for leaf in leaves {
            match leaf.event {
                Event::Gaussian { noise_multiplier } => {
                    // Gaussian losses add to a Gaussian loss whose precision is the sum: one pair instead of many,
                    // and no grid error between them.
                    precision += leaf.count() * noise_multiplier.powi(-2)
                }
                ref other => sources.push((LossSource::new(other)?, leaf.times)),
            }
        }
        if precision > 0.0 {
            let one = Event::Gaussian { noise_multiplier: precision.sqrt().recip() };
            sources.push((LossSource::new(&one)?, 1));
        }
        let limits = GridLimits::new(&sources, share * effort::GRID)?;
        Ok(Self { sources, limits })
    }

    /// The answer on a grid that fits; `reference` is the delta in view of which tails are cut.
    fn solve(&self, grid: Grid, query: Query, reference: f64) -> Result<f64> {
        let count: f64 = self.sources.iter().map(|(_, times)| *times as f64).sum();
        if count > MAX_RELEASES {
            let reason = format!("a sum of {count:e} losses of single releases");
            return Err(Error::Imprecise { accountant: NAME, reason });
        }
        // All releases together may lose TAIL_SHARE of delta by cutting; 1e-295 keeps the masses above the subnormal
        // range.
        let tail = (TAIL_SHARE * reference / count).max(1e-295);
        let mut step = self.step(grid, count, tail);
        for _ in 0..MAX_ATTEMPTS {
            let pairs: Vec<(Pair, u64)> = self
                .sources
                .iter()
                .map(|(source, times)| (source.pair(step, tail), *times))
                .collect();
            match self.worst(&pairs, step, tail, query) {
                GridOutcome::Value(value) => return Ok(value),
                GridOutcome::TooFine(factor) if factor.is_finite() => {
                    // A coarser grid dominates the finer one, so retrying costs tightness and never validity.
                    step *= 1.05 * factor.max(1.2)
                }
                GridOutcome::TooFine(_) => break,
            }
        }
        let needs = format!("more than {} bins for losses this far apart", self.limits.bins);
        Err(Error::TooCostly { accountant: NAME, needs })
    }

    fn worst(&self, pairs: &[(Pair, u64)], step: f64, tail: f64, query: Query) -> GridOutcome {
        let symmetric = self.sources.iter().all(|(source, _)| source.is_symmetric());
        let answer = |direction| {
            let parts: Vec<Losses> =
                pairs.iter().map(|(pair, times)| pair.losses(direction, *times, tail)).collect();
            compose(&parts, step, query, self.limits.bins)
        };
        // Where P and Q only change places, adding and removing give the same curve.
        if symmetric {
            return answer(LossDirection::Remove);
        }
        match rayon::join(|| answer(LossDirection::Remove), || answer(LossDirection::Add)) {
            (GridOutcome::Value(remove), GridOutcome::Value(add)) => {
                GridOutcome::Value(remove.max(add))
            }
            (too_fine @ GridOutcome::TooFine(_), _) | (_, too_fine) => too_fine,
        }
    }

    /// The grid step: fine enough for one release and for the sum, coarse enough to fit in memory.
    fn step(&self, grid: Grid, count: f64, tail: f64) -> f64 {
        let variance: f64 =
            self.sources.iter().map(|(source, times)| *times as f64 * source.variance()).sum();
        let wanted = match grid {
            Grid::Fixed(step) => step,
            Grid::AddedVariance(share) => {
                // A few cells per release at the least: a grid knows nothing of what lies within one.
                let cell = (share / ADDED_VARIANCE).sqrt() / 1024.0;
                // Connecting the dots adds about h^2/6 per release; setting count h^2/6 = share * variance gives h.
                variance.sqrt() * (6.0 * share / count).sqrt().min(cell)
            }
        };
        let ranges = self.sources.iter().map(|(source, _)| source.range(tail));
        let floor = ranges.fold(f64::MIN_POSITIVE, |floor: f64, (low, high)| {
            // Grid indices must also stay exact integers where the losses are far from zero.
            floor.max((high - low) / self.limits.cells).max(low.abs().max(high.abs()) * 1e-12)
        });
        wanted.max(floor)
    }
}

/// How fine a grid may be.
#[derive(Debug, Clone, Copy, PartialEq)]
struct GridLimits {
    /// Cells for each release.
    cells: f64,
    /// Bins for their sum.
    bins: f64,
}

impl GridLimits {
    /// So that all releases together stay within so many evaluations.
    fn new(sources: &[(LossSource, u64)], work: f64) -> Result<Self> {
        // A cell is also part of some hundred moments, which are cheap, and a bin of a transform and a power.
        let cell: f64 = sources.iter().map(|(source, _)| source.cost() + 12.0).sum();
        let bin = 20.0 * sources.len() as f64;
        let cells = (work / cell).min(effort::MAX_CELLS);
        let bins = effort::MAX_BINS.min(2.0_f64.powf((work / bin).log2().floor()));
        if cells.min(bins) < effort::FEWEST {
            let least = effort::FEWEST * cell.max(bin);
            let needs = format!("{:.1} s for {} different releases", 1e-8 * least, sources.len());
            return Err(Error::TooCostly { accountant: NAME, needs });
        }
        Ok(Self { cells, bins })
    }
}

#[cfg(test)]
mod tests;
