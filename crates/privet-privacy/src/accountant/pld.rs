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
mod tests {
    use super::*;

    fn gaussian(noise_multiplier: f64) -> Event {
        Event::Gaussian { noise_multiplier }
    }

    fn pure(epsilon: f64) -> Event {
        Event::Pure { epsilon: Epsilon::new(epsilon).unwrap() }
    }

    fn releases(event: &Event) -> ReleasePairs {
        ReleasePairs::new(&super::super::leaves::leaves(event).unwrap(), ALL_OF_IT).unwrap()
    }

    /// Without any delta only losses that are bounded have a bound: the largest one.
    #[test]
    fn without_a_delta_the_largest_loss_counts() {
        let epsilon = |event: &Event| Pld::default().epsilon(event, Delta::ZERO).unwrap().get();
        let laplace = Event::Laplace { noise_multiplier: 4.0 };
        assert_eq!(epsilon(&pure(0.5).repeated(3).then(pure(0.25))), 1.75);
        assert!((epsilon(&pure(0.5).then(laplace)) - 0.75).abs() < 1e-15);
        assert_eq!(epsilon(&pure(0.5).then(gaussian(1.0))), f64::INFINITY);
        let failing = Event::Approximate {
            epsilon: Epsilon::new(0.5).unwrap(),
            delta: Delta::new(1e-9).unwrap(),
        };
        assert_eq!(epsilon(&failing), f64::INFINITY);
    }

    /// A step is a positive number, and only a grid that is chosen for the event has a coarser cousin, which is too high.
    #[test]
    fn grids_are_chosen_or_given() {
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Pld::with_step(bad).is_err(), "{bad}");
        }
        assert!(Pld::with_step(1e-3).unwrap().coarser().is_none());
        let coarse = Pld::default().coarser().unwrap();
        let event = gaussian(1.0).poisson_sampled(0.2).repeated(9);
        let at = Delta::new(1e-5).unwrap();
        let (fine, rough) =
            (Pld::default().epsilon(&event, at).unwrap(), coarse.epsilon(&event, at).unwrap());
        assert!(rough > fine && rough.get() < 1.1 * fine.get(), "{fine} {rough}");
        assert_eq!(Pld::default().within(0.5).share, 0.5);
    }

    /// Deltas of all sizes are found, wherever the first guess of their size was.
    #[test]
    fn deltas_of_all_sizes_are_found() {
        for sigma in [0.7, 2.0] {
            for target in [0.15, 1e-3, 1e-9, 1e-16, 1e-40, 1e-120] {
                let at = super::super::AnalyticGaussian
                    .epsilon(&gaussian(sigma), Delta::new(target).unwrap())
                    .unwrap();
                let found = Pld::default().delta(&gaussian(sigma), at).unwrap().get();
                assert!(
                    found >= target * (1.0 - 1e-9) && found < 1.02 * target,
                    "{target}: {found}"
                );
            }
        }
        // At most 1, and nothing beyond the largest loss but what the window costs.
        assert_eq!(Pld::default().delta(&gaussian(1e-4), Epsilon::ZERO).unwrap(), Delta::VACUOUS);
        let beyond = Pld::default().delta(&pure(0.5), Epsilon::new(0.6).unwrap()).unwrap().get();
        assert!(beyond < 1e-60, "{beyond}");
    }

    /// Cells and bins for a given work: the most that memory allows, fewer for many releases, and none for too many.
    #[test]
    fn work_is_shared_among_releases() {
        let limits = |count: usize, work: f64| {
            let sources: Vec<(LossSource, u64)> =
                (0..count).map(|_| (LossSource::new(&pure(1.0)).unwrap(), 7)).collect();
            GridLimits::new(&sources, work)
        };
        let known = |cells, bins| Ok(GridLimits { cells, bins });
        assert_eq!(limits(1, effort::GRID), known(131_072.0, 1_048_576.0));
        // Twenty for a cell and twenty for a bin of each.
        assert_eq!(limits(1, 2e5), known(10_000.0, 8_192.0));
        assert_eq!(limits(5, 1e6), known(10_000.0, 8_192.0));
        assert_eq!(limits(1, 20.0 * 1_024.0), known(1_024.0, 1_024.0));
        let Err(Error::TooCostly { needs, .. }) = limits(5, 100.0 * 1_023.0) else { panic!() };
        assert_eq!(needs, "0.0 s for 5 different releases");
        let Err(Error::TooCostly { needs, .. }) = limits(1_000_000, 1e6) else { panic!() };
        assert_eq!(needs, "204.8 s for 1000000 different releases");
    }

    /// The step adds a small share to the variance, is never longer than a share of the spread, nor so short that the losses
    /// do not fit.
    #[test]
    fn the_step_suits_the_losses() {
        let chosen = Grid::AddedVariance(ADDED_VARIANCE);
        let one = releases(&gaussian(1.0));
        assert_eq!(one.step(Grid::Fixed(0.25), 1.0, 1e-18), 0.25);
        let near = |found: f64, expected: f64| (found / expected - 1.0).abs() < 2e-3;
        // A thousandth of the spread, or sqrt(6 share/count) of it.
        assert!(near(one.step(chosen, 1.0, 1e-18), 1.0 / 1_024.0));
        assert!(near(
            one.step(chosen, 1e6, 1e-18),
            (6e-4 / 1e6_f64).sqrt().max(18.514_6 / 131_072.0)
        ));
        let coarse = Grid::AddedVariance(ADDED_VARIANCE_COARSE);
        assert!(near(one.step(coarse, 1.0, 1e-18), 300.0_f64.sqrt() / 1_024.0));
        let many = releases(&pure(0.1).repeated(40_000));
        let variance = 4e4 * 0.01 / 3.0 / (1.0 + (-0.1_f64).exp());
        assert!(near(many.step(chosen, 4e4, 1e-18), variance.sqrt() * (6e-4 / 4e4_f64).sqrt()));
        // A fixed step that does not fit.
        let wide = releases(&pure(1e6));
        assert!(near(wide.step(Grid::Fixed(1e-3), 1.0, 1e-18), 2e6 / 131_072.0));
        let far = ReleasePairs { limits: GridLimits { cells: 1e15, bins: 1e6 }, ..wide };
        assert!(near(far.step(Grid::Fixed(1e-9), 1.0, 1e-18), 1e-6));
    }

    /// Gaussians are one Gaussian; what is not, stands beside it, each with its number.
    #[test]
    fn gaussians_are_united() {
        let event = gaussian(3.0).repeated(18).then(pure(0.5).repeated(4)).then(gaussian(0.5));
        let found = releases(&event).sources;
        assert_eq!(found.iter().map(|(_, times)| *times).collect::<Vec<_>>(), [4, 1]);
        let LossSource::Mixture(one) = &found[1].0 else { panic!() };
        assert!((one.sigma - (18.0 / 9.0 + 4.0_f64).sqrt().recip()).abs() < 1e-15);
        assert_eq!(releases(&pure(0.5)).sources.len(), 1);
        let too_many = pure(1e-6).repeated(1_000_000_001);
        let error = Pld::default().epsilon(&too_many, Delta::new(1e-5).unwrap()).unwrap_err();
        assert!(matches!(error, Error::Imprecise { .. }), "{error}");
        let most = pure(1e-6).repeated(1_000_000_000);
        assert!(Pld::default().epsilon(&most, Delta::new(1e-5).unwrap()).is_ok());
    }

    /// The worse of both directions is what is stated, and a grid that does not fit is coarsened until it does.
    #[test]
    fn both_directions_and_coarser_grids() {
        let event = gaussian(0.5).poisson_sampled(0.1).repeated(3);
        let all = releases(&event);
        let (step, tail) = (1e-3, 1e-15);
        let pairs = [(all.sources[0].0.pair(step, tail), 3)];
        let answer = |direction| {
            let parts = [pairs[0].0.losses(direction, 3, tail)];
            let outcome = compose(&parts, step, Query::DeltaAt(0.5), 1e6);
            let GridOutcome::Value(value) = outcome else { panic!("{outcome:?}") };
            value
        };
        let (remove, add) = (answer(LossDirection::Remove), answer(LossDirection::Add));
        assert!(remove > add);
        assert_eq!(all.worst(&pairs, step, tail, Query::DeltaAt(0.5)), GridOutcome::Value(remove));
        // Whichever of the two it is.
        let exchanged = [(pairs[0].0.exchanged(), 3)];
        assert_eq!(
            all.worst(&exchanged, step, tail, Query::DeltaAt(0.5)),
            GridOutcome::Value(remove)
        );
        let narrow = ReleasePairs { limits: GridLimits { bins: 2_048.0, ..all.limits }, ..all };
        let at = Query::EpsilonAt(1e-5);
        let wide = releases(&event).solve(Grid::Fixed(1e-3), at, 1e-5).unwrap();
        let squeezed = narrow.solve(Grid::Fixed(1e-3), at, 1e-5).unwrap();
        assert!(squeezed > wide && squeezed < 1.05 * wide, "{wide} {squeezed}");
        let hopeless = ReleasePairs { limits: GridLimits { bins: 2.0, ..narrow.limits }, ..narrow };
        assert!(matches!(
            hopeless.solve(Grid::Fixed(1e-9), at, 1e-5),
            Err(Error::TooCostly { .. })
        ));
    }

    /// One release that is the same in both directions says nothing about the others: both are looked at.
    #[test]
    fn both_directions_beside_a_symmetric_release() {
        let events = vec![pure(0.5), gaussian(0.5).poisson_sampled(0.1).repeated(3)];
        let all = releases(&Event::Sequence { events });
        let (step, tail, query) = (1e-3, 1e-15, Query::DeltaAt(0.5));
        let pairs: Vec<(Pair, u64)> =
            all.sources.iter().map(|(source, times)| (source.pair(step, tail), *times)).collect();
        let exchanged: Vec<(Pair, u64)> =
            pairs.iter().map(|(pair, times)| (pair.exchanged(), *times)).collect();
        let [GridOutcome::Value(one), GridOutcome::Value(other)] =
            [&pairs, &exchanged].map(|pairs| all.worst(pairs, step, tail, query))
        else {
            panic!("the grid fits")
        };
        assert!((one / other - 1.0).abs() < 1e-9, "{one} {other}");
    }
}
