//! The Gaussian mechanism, on every column: `gaussian`.
//!
//! # Idea
//! Add Gaussian noise, as much as the exact formula for its privacy asks for.
//!
//! # Equation
//! Two rows in [-1, 1]^d are at most `2√d` apart, so every column gets noise of deviation `2√d m`,
//! with the smallest multiplier m for which (Balle and Wang, Theorem 8)
//! `Φ(1/(2m) - eps m) - e^eps Φ(-1/(2m) - eps m) ≤ delta`.
//!
//! # Guarantee
//! Unit [`FeatureRow`], the event `Gaussian { noise_multiplier: m }`, which is (eps, delta)-LDP.
//! *Proof.* The privacy loss of Gaussian noise with sensitivity over deviation `1/m` is Gaussian with
//! mean `1/(2m²)` and variance `1/m²`; the formula is its hockey-stick divergence. ∎
//!
//! # Paper
//! Balle, Wang, ICML 2018.
//!
//! # Differs from paper
//! Reports are rounded to the lattice, which is post-processing.
//!
//! # Cost
//! One word per column; variance `4 d m²` on [-1, 1]. Reports are dense.
//!
//! # Numerics
//! Exact: entries are integers, made finer by a whole number f, and get integer noise of deviation 2^b
//! ([`RoundedGaussian`](crate::noise::RoundedGaussian)). Two rows of entries from -n to n are at most `2 n f √d` apart, and f is the
//! largest for which that times m is within 2^b.

use serde_json::json;

use super::FeatureReport;
use super::decode::{DecodeRows, Decoding};
use super::sampled::disclosed;
use super::scaling::Scale;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::lattice::Lattice;
use crate::loss::{Delta, Loss};
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{FeatureRecord, TableShape};
use crate::unit::FeatureRow;

/// Gaussian noise on all columns.
#[derive(Debug, Clone)]
pub struct Gaussian {
    target: Loss,
    multiplier: f64,
    lattice: Lattice,
    /// Steps of the lattice between two entries.
    finer: u64,
    scale: Scale,
}

/// How many binary digits the noise has beyond those of an entry.
const FINER_BITS: i32 = 12;

impl Gaussian {
    /// The mechanism that is `(epsilon, delta)`-LDP for a whole row.
    ///
    /// # Errors
    /// If epsilon or delta is not positive, or delta is 1 or more.
    pub fn new(epsilon: f64, delta: f64, scale: Scale) -> Result<Self> {
        let target = Loss::new(epsilon, delta)?;
        if target.delta == Delta::ZERO {
            return Err(Error::range("delta", delta, "above 0: Gaussian noise needs one"));
        }
        if epsilon <= 0.0 || !epsilon.is_finite() {
            return Err(Error::range("epsilon", epsilon, "a number above 0"));
        }
        let multiplier = smallest_multiplier(epsilon, delta)?;
        let columns = if fault::on(Fault::OneColumnsRange) { 1 } else { scale.columns() };
        // The square of how far two rows are apart: (2 n)² d.
        let square = 4 * u128::from(scale.steps()).pow(2) * columns as u128;
        let digits = square.ilog2().div_ceil(2) as i32 + FINER_BITS;
        let lattice = Lattice::new(multiplier, digits + 1)?;
        // Rounded down: rows in the finer steps are at most `reach` apart, for which the noise was made.
        let finer = (u128::from(lattice.reach()).pow(2) / square).isqrt() as u64;
        if finer == 0 {
            return Err(Error::range(
                "columns",
                scale.columns(),
                "fewer: noise would pass 64 bits",
            ));
        }
        Ok(Self { target, multiplier, lattice, finer, scale })
    }

    /// The standard deviation over the l2 sensitivity.
    pub fn noise_multiplier(&self) -> f64 {
        self.multiplier
    }

    /// The variance of an entry on the scale [-1, 1].
    pub fn variance(&self) -> f64 {
        4.0 * self.scale.columns() as f64 * self.multiplier * self.multiplier
    }
}

/// The smallest multiplier that keeps `delta`, from above, by halving an interval of its logarithm.
fn smallest_multiplier(epsilon: f64, delta: f64) -> Result<f64> {
    let (mut low, mut high) = (1e-6f64, 1e12f64);
    if delta_of(high, epsilon) > delta {
        let target = format!("(epsilon {epsilon}, delta {delta})");
        return Err(Error::Unreachable { parameter: "noise multiplier", low, high, target });
    }
    // delta falls in the multiplier; `high` always satisfies the target.
    while high / low > 1.0 + 1e-12 {
        let middle = (low * high).sqrt();
        if delta_of(middle, epsilon) <= delta { high = middle } else { low = middle }
    }
    // A little more noise than the floats say.
    Ok(high * (1.0 + 1e-9))
}

/// `Φ(1/(2m) - eps m) - e^eps Φ(-1/(2m) - eps m)`. Where the second term underflows the result is
/// too large: the safe side.
fn delta_of(multiplier: f64, epsilon: f64) -> f64 {
    let normal = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
    // Balle and Wang 2018, Theorem 8, with mu = 1/multiplier.
    let (half, shift) = (0.5 / multiplier, epsilon * multiplier);
    let second = normal(-half - shift);
    let second = if second > 0.0 { libm::exp(epsilon + libm::log(second)) } else { 0.0 };
    normal(half - shift) - second
}

shipped!(Gaussian);

impl Mechanism for Gaussian {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "gaussian"
    }

    fn event(&self) -> Event {
        Event::Gaussian { noise_multiplier: self.multiplier }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "Gaussian noise on a row of l2 sensitivity 2 sqrt(d)".into(),
            proof: "privet_privacy::features::gaussian, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.target.epsilon.get())),
            ("delta".into(), json!(self.target.delta.get())),
            ("noise-multiplier".into(), json!(self.multiplier)),
            ("columns".into(), json!(self.scale.columns())),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of feature columns".into(), self.scale.assumption()]
    }
}

impl Local for Gaussian {
    type Population = privet_graph::Features;
    type Report = FeatureReport;

    fn check(&self, shape: &TableShape) -> Result<()> {
        self.scale.check(shape)
    }

    fn randomize<W: RandomWords>(
        &self,
        record: FeatureRecord<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> FeatureReport {
        let mut row = record.walk();
        let finer = i128::from(self.finer);
        let level = |column| {
            let index = self.scale.index(column, row.value(column));
            // Noise on the fine lattice, then rounding to whole steps: post-processing.
            let noisy = i128::from(index) * finer + i128::from(self.lattice.draw(noise));
            // The nearest whole step of (noisy + 1/2) / finer.
            (2 * noisy + 1 + finer).div_euclid(2 * finer) as i64
        };
        FeatureReport::All((0..self.scale.columns() as u32).map(level).collect())
    }
}

impl Disclose for Gaussian {
    fn disclose(&self, record: FeatureRecord<'_>, _permit: Permit<'_>) -> FeatureReport {
        disclosed(&self.scale, &record)
    }
}

impl DecodeRows for Gaussian {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn value(&self, column: u32, level: i64, decoding: Decoding) -> f64 {
        let place = level as f64 / f64::from(self.scale.steps());
        match decoding {
            Decoding::Paper => place,
            Decoding::Unbiased => self.scale.original(column, place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::scale;
    use crate::noise::NoiseRng;
    use crate::population::Population;
    use privet_graph::{DenseMatrix, Features};

    /// Multiplier 1 is (4.377178096, 1e-5): a published value.
    #[test]
    fn the_multiplier_is_the_published_one() {
        let found = Gaussian::new(4.377_178_096, 1e-5, scale(3)).unwrap();
        assert!((found.noise_multiplier() - 1.0).abs() < 1e-8);
        assert!((found.variance() - 12.0).abs() < 1e-6);
        assert!(delta_of(1.0, 4.377_178_096) <= 1.000_001e-5);
        // Far below the classical sqrt(2 log(1.25/delta))/eps, and the target is kept.
        let small = Gaussian::new(0.1, 1e-6, scale(1)).unwrap();
        assert!(delta_of(small.noise_multiplier(), 0.1) <= 1e-6);
        assert!(small.noise_multiplier() < (2.0 * 1.25e6f64.ln()).sqrt() / 0.1);
        assert!(Gaussian::new(5000.0, 1e-9, scale(1)).is_ok());
        // Hardly any noise is hardly any privacy, also where the second term is below all floats.
        assert_eq!(delta_of(0.01, 1.0), 1.0);
    }

    #[test]
    fn reports_have_the_mean_and_the_variance() {
        let mechanism = Gaussian::new(2.0, 1e-3, scale(4)).unwrap();
        let row = Features::dense(DenseMatrix::new(1, 4, vec![0.5, -1.0, 0.0, 7.0]).unwrap());
        let mut noise = NoiseRng::replay(79).next_release().into_stream();
        let (mut sums, mut squares) = ([0.0; 4], [0.0; 4]);
        let draws = 50_000;
        for _ in 0..draws {
            let report = mechanism.randomize(row.record(0), &mut noise, Permit::new());
            let FeatureReport::All(levels) = report else { unreachable!("gaussian is dense") };
            for (column, level) in levels.into_iter().enumerate() {
                let truth = [0.5, -1.0, 0.0, 1.0][column];
                let off = mechanism.value(column as u32, level, Decoding::Unbiased) - truth;
                sums[column] += off;
                squares[column] += off * off;
            }
        }
        let (count, variance) = (f64::from(draws), mechanism.variance());
        for column in 0..4 {
            assert!((sums[column] / count).abs() < 5.0 * (variance / count).sqrt());
            let error = squares[column] / count / variance - 1.0;
            assert!(error.abs() < 5.0 * (2.0 / count).sqrt());
        }
    }

    /// Levels are the nearest whole steps: cutting digits off would send twice as much to the middle one.
    #[test]
    fn levels_are_rounded_to_the_nearest() {
        let bounds = privet_graph::Bounds::uniform(-1.0, 1.0, privet_graph::BoundsOrigin::Declared);
        let coarse = Scale::new(1, Some(&bounds.unwrap())).unwrap().with_steps(1).unwrap();
        let mechanism = Gaussian::new(8.0, 0.01, coarse).unwrap();
        let deviation = 2.0 * mechanism.noise_multiplier();
        let row = Features::dense(DenseMatrix::zeros(1, 1));
        let mut noise = NoiseRng::replay(80).next_release().into_stream();
        let draws = 20_000;
        let middle = (0..draws).filter(|_| {
            let report = mechanism.randomize(row.record(0), &mut noise, Permit::new());
            matches!(report, FeatureReport::All(levels) if levels == [0])
        });
        let expected = libm::erf(0.5 / deviation / std::f64::consts::SQRT_2);
        let found = middle.count() as f64 / f64::from(draws);
        assert!((found - expected).abs() < 0.02, "{found} for {expected}");
    }

    #[test]
    fn bad_targets_are_refused() {
        for (epsilon, delta) in
            [(0.0, 0.1), (1.0, 0.0), (1.0, 1.0), (f64::INFINITY, 0.1), (-1.0, 0.1)]
        {
            assert!(Gaussian::new(epsilon, delta, scale(1)).is_err());
        }
    }
}
