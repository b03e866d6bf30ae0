//! Zero-concentrated DP: one number `rho` per release, and they add.
//!
//! **Idea.** Bound the Rényi divergence of every order `a` by the line `rho a`.
//!
//! **Theorems.** A `epsilon`-DP release is `epsilon^2/2`-zCDP, Gaussian noise is `1/(2 sigma^2)`-zCDP, and
//! `rho`s add (Bun and Steinke 2016); a release of bounded range `eta` is `eta^2/8`-zCDP (Cesar and Rogers
//! 2021). A `rho`-zCDP release is `(epsilon, delta)`-DP with
//! `epsilon = min_{a > 1} rho a + log(1/(a delta))/(a - 1) + log(1 - 1/a)` (Canonne, Kamath and Steinke
//! 2020). An `(epsilon, delta)` release behaves like a pure one except with probability `delta`, which is
//! taken off first (Kairouz, Oh and Viswanath 2017). Tight up to a few per cent for many small picks or
//! Gaussians; no amplification by sampling.
//!
//! **Numerics.** Golden-section search over `log(a - 1)`; any order is valid, so a poor minimum is only
//! a larger number. The conversion rounds up.

use super::leaves::{Leaf, without};
use super::{Accountant, no_theorem, settle_delta, settle_epsilon};
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Delta, Epsilon, add_up};
use crate::special::{ROUNDING, minimize};

/// The zCDP accountant.
#[derive(Debug, Clone, Copy, Default)]
pub struct ZeroConcentrated;

const NAME: &str = "zCDP";
const LOG_ORDERS: (f64, f64) = (-23.0, 23.0);
const ROUNDS: u32 = 80;

impl Accountant for ZeroConcentrated {
    fn name(&self) -> &'static str {
        NAME
    }

    fn epsilon(&self, event: &Event, delta: Delta) -> Result<Epsilon> {
        settle_epsilon(event, delta, &|leaves, delta| {
            let rho = total(leaves)?;
            Ok(epsilon(rho, without(delta, Leaf::failures(leaves))))
        })
    }

    fn delta(&self, event: &Event, epsilon: Epsilon) -> Result<Delta> {
        settle_delta(event, epsilon, &|leaves, epsilon| {
            let rho = total(leaves)?;
            Ok(add_up(delta(rho, epsilon), Leaf::failures(leaves)))
        })
    }
}

fn total(leaves: &[Leaf]) -> Result<f64> {
    let sum: f64 =
        leaves.iter().map(|leaf| Ok(leaf.count() * rho(&leaf.event)?)).sum::<Result<_>>()?;
    // A few roundings per leaf, and a loss whose square is too small for a float is not nothing.
    Ok(sum * (1.0 + ROUNDING * leaves.len() as f64) + f64::MIN_POSITIVE)
}

fn rho(event: &Event) -> Result<f64> {
    Ok(match *event {
        Event::Pure { epsilon }
        | Event::Approximate { epsilon, .. }
        | Event::RandomizedResponse { epsilon, .. } => {
            // Half the square; an eighth is for an interval of length epsilon, not of twice that.
            let share = if fault::on(Fault::PureTakenForBoundedRange) { 0.125 } else { 0.5 };
            share * epsilon.get().powi(2)
        }
        Event::Laplace { noise_multiplier } => 0.5 * noise_multiplier.powi(-2),
        // Cesar and Rogers 2021: bounded range eta implies eta^2/8-zCDP.
        Event::BoundedRange { eta } => eta * eta / 8.0,
        Event::Gaussian { noise_multiplier } => 0.5 * noise_multiplier.powi(-2),
        Event::ZeroConcentrated { rho } => rho,
        ref other => return Err(no_theorem(NAME, other)),
    })
}

/// The epsilon of a `rho`-zCDP release.
pub(crate) fn epsilon(rho: f64, delta: f64) -> f64 {
    if delta <= 0.0 {
        return f64::INFINITY;
    }
    let (_, value) = minimize(LOG_ORDERS.0, LOG_ORDERS.1, ROUNDS, |log_excess| {
        let excess = log_excess.exp();
        // rho-zCDP is a Rényi divergence of rho a at every order a = 1 + excess, so the Rényi conversion applies; log
        // a is searched, where the objective has one minimum.
        super::rdp::epsilon_at(excess, rho * (1.0 + excess), delta)
    });
    value.max(0.0)
}

fn delta(rho: f64, epsilon: f64) -> f64 {
    let (_, value) = minimize(LOG_ORDERS.0, LOG_ORDERS.1, ROUNDS, |log_excess| {
        let excess = log_excess.exp();
        super::rdp::log_delta_at(excess, rho * (1.0 + excess), epsilon)
    });
    value.exp().next_up()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::AnalyticGaussian;
    use crate::accountant::exact::{above, big};
    use proptest::prelude::*;

    #[test]
    fn converts_to_the_published_value() {
        assert!((epsilon(0.1, 1e-5) - 1.914_238_832).abs() < 1e-8);
    }

    /// `rho` of every kind of release by its theorem, rounded up by a few units; several add.
    #[test]
    fn every_release_has_its_concentration() {
        let epsilon = Epsilon::new(0.7).unwrap();
        let releases = [
            (Event::Pure { epsilon }, 0.245),
            (Event::Approximate { epsilon, delta: Delta::new(0.1).unwrap() }, 0.245),
            (Event::RandomizedResponse { epsilon, categories: 5 }, 0.245),
            (Event::Laplace { noise_multiplier: 2.5 }, 0.08),
            (Event::Gaussian { noise_multiplier: 2.5 }, 0.08),
            (Event::BoundedRange { eta: 0.4 }, 0.02),
            (Event::ZeroConcentrated { rho: 0.3 }, 0.3),
        ];
        let mut all = Vec::new();
        let mut sum = 0.0;
        for (event, rho) in releases {
            let leaf = Leaf { event, times: 3 };
            let found = total(std::slice::from_ref(&leaf)).unwrap();
            assert!((found / (3.0 * rho) - 1.0).abs() < 4e-15, "{}", leaf.event);
            all.push(leaf);
            sum += 3.0 * rho;
        }
        assert!((total(&all).unwrap() / sum - 1.0).abs() < 2e-14);
        let sampled = Event::MixtureOfGaussians { noise_multiplier: 1.0, max_rows: 1, rate: 0.5 };
        assert!(total(&[Leaf { event: sampled, times: 1 }]).is_err());
    }

    /// A unit of rounding for every release, and never nothing.
    #[test]
    fn totals_are_raised() {
        let leaf = |rho| Leaf { event: Event::ZeroConcentrated { rho }, times: 1 };
        let units = (total(&vec![leaf(0.5); 50]).unwrap() / 25.0 - 1.0) / ROUNDING;
        assert!((units - 50.0).abs() < 1.0, "{units}");
        assert_eq!(total(&[leaf(0.0)]).unwrap(), f64::MIN_POSITIVE);
    }

    /// Sums of concentrations are never below the exact sum.
    #[test]
    fn sums_are_rounded_up() {
        for step in 1..60 {
            let noises = [0.3 * f64::from(step), 0.7 + f64::from(step).sqrt()];
            let leaf =
                |noise_multiplier| Leaf { event: Event::Gaussian { noise_multiplier }, times: 7 };
            let exact = |noise: f64| big(3.5) / (big(noise) * big(noise));
            let found = total(&noises.map(leaf)).unwrap();
            let over = above(found, &(exact(noises[0]) + exact(noises[1])));
            assert!((0.0..20.0).contains(&over), "{noises:?}: {over}");
        }
        // A loss whose square is no float any more is not nothing.
        let tiny = Event::Pure { epsilon: Epsilon::new(1e-200).unwrap() };
        assert_eq!(ZeroConcentrated.epsilon(&tiny, Delta::ZERO), Ok(Epsilon::INFINITE));
    }

    /// No order of a fine list does better, and failures come on top.
    #[test]
    fn the_best_order_is_found() {
        for (rho, at) in [(0.1, 1e-5), (1e-4, 1e-9), (3.0, 1e-2), (50.0, 1e-100)] {
            let (found, back) = (epsilon(rho, at), delta(rho, epsilon(rho, at)));
            let orders = (-400..=400).map(|step| (0.05 * f64::from(step)).exp());
            let best = orders
                .map(|excess| crate::accountant::rdp::epsilon_at(excess, rho * (1.0 + excess), at))
                .fold(f64::INFINITY, f64::min);
            assert!(found <= best && found > 0.99 * best - 1e-3, "{rho}: {found} {best}");
            assert!((back / at - 1.0).abs() < 1e-9, "{rho}: {back} {at}");
        }
        let failing = Event::Approximate {
            epsilon: Epsilon::new(0.1).unwrap(),
            delta: Delta::new(1e-3).unwrap(),
        };
        let sound = Event::Pure { epsilon: Epsilon::new(0.1).unwrap() };
        let at = Epsilon::new(0.4).unwrap();
        let deltas = [failing, sound].map(|one| ZeroConcentrated.delta(&one, at).unwrap().get());
        assert!((deltas[0] - deltas[1] - 1e-3).abs() < 1e-15, "{deltas:?}");
        assert_eq!(epsilon(0.1, 0.9), 0.0);
    }

    /// Private top-2 of 70 rows by Gumbel noise: each pick at noise `C/e` has range `2 e`.
    fn picks(e: f64) -> Event {
        Event::BoundedRange { eta: 2.0 * e }.repeated(140)
    }

    #[test]
    fn picks_cost_what_the_table_says() {
        let wide = 0.0111;
        for (target, delta, tight, printed, printed_cost) in [
            (0.5, 1e-3, 0.016_060, 0.002_995, 0.0680),
            (1.0, 1e-3, 0.029_128, 0.005_683, 0.1476),
            (4.0, 1e-3, 0.093_488, 0.020_750, 0.6737),
            (5.5556, wide, 0.145_013, 0.033_278, 0.8136),
            (44.444, wide, 0.600_072, 0.230_540, 10.5549),
        ] {
            let cost = |e: f64| {
                ZeroConcentrated.epsilon(&picks(e), Delta::new(delta).unwrap()).unwrap().get()
            };
            assert!((cost(tight) / target - 1.0).abs() < 1e-4, "{target}: {}", cost(tight));
            assert!((cost(printed) - printed_cost).abs() < 2e-4 * (1.0 + printed_cost), "{target}");
        }
    }

    proptest! {
        #[test]
        fn never_beats_the_exact_gaussian(log_sigma in -3.0..6.0_f64, log_delta in -60.0..-1.0_f64) {
            let event = Event::Gaussian { noise_multiplier: log_sigma.exp() };
            let target = Delta::new(log_delta.exp()).unwrap();
            let (ours, exact) = (
                ZeroConcentrated.epsilon(&event, target).unwrap(),
                AnalyticGaussian.epsilon(&event, target).unwrap(),
            );
            prop_assert!(ours >= exact);
            prop_assert!(ours.get() <= 1.5 * exact.get() + 0.5);
            let back = ZeroConcentrated.delta(&event, ours).unwrap();
            prop_assert!(ours == Epsilon::ZERO || (back.get() / target.get() - 1.0).abs() < 1e-6);
        }
    }
}
