//! [`SampledCoordinates`]: a user reports `k` of `d` coordinates, each at an equal share of epsilon.
//!
//! # Guarantee
//! Unit [`FeatureRow`], `eps` exactly (tight when two records differ in every column).
//! *Proof.* Let the law of one coordinate be `e`-LDP with `e = ⌊eps/k⌋` (rounded down to a unit of
//! 2⁻⁴⁰). Which columns are reported is drawn without looking at the record, so its probability is a
//! common factor of both sides. Given the columns, the k levels are independent and the probability
//! of each changes by at most `e^e`; their product by at most `e^(k e) ≤ e^eps`. ∎
//! There is nothing to gain from k < d by "amplification": records may differ in all columns.
//!
//! # Cost
//! O(k) time and memory per user, plus a walk through the row if it is sparse; nothing is done for
//! the other columns. With `x` on [-1, 1] and `v(x)` the variance of one reported coordinate,
//! the unbiased entry `(d/k) value` has variance `(d/k)(v(x) + x²) - x²`.

use std::marker::PhantomData;

use serde_json::json;

use super::FeatureReport;
use super::coordinate::{CoordinateLaw, Scheme};
use super::decode::{DecodeRows, Decoding};
use super::scaling::Scale;
use super::subset::map_subset;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{Numerics, RandomWords};
use crate::origin::sealed::MechanismOrigin;
use crate::population::{FeatureRecord, TableShape};
use crate::unit::FeatureRow;

/// The mechanism of scheme `S` for rows of features.
pub struct SampledCoordinates<S: Scheme> {
    budget: Budget,
    scale: Scale,
    k: usize,
    law: S::Law,
    scheme: PhantomData<fn() -> S>,
}

/// Mean and variance of one decoded entry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntryMoments {
    /// The mean.
    pub mean: f64,
    /// The variance.
    pub variance: f64,
}

impl<S: Scheme> SampledCoordinates<S> {
    /// The mechanism that costs `epsilon` for a whole row, with the recommended `k`.
    ///
    /// # Errors
    /// If epsilon is out of range, or too small to be shared.
    pub fn new(epsilon: f64, scale: Scale) -> Result<Self> {
        let k = S::recommended_k(Budget::from_epsilon(epsilon)?, scale.columns());
        Self::with_k(epsilon, scale, k)
    }

    /// The mechanism that reports `k` columns.
    ///
    /// # Errors
    /// If epsilon is out of range, or `k` is not between 1 and the number of columns.
    pub fn with_k(epsilon: f64, scale: Scale, k: usize) -> Result<Self> {
        if !(1..=scale.columns()).contains(&k) {
            return Err(Error::range("k", k, "from 1 to the number of columns"));
        }
        let budget = Budget::from_epsilon(epsilon)?;
        let parts = if fault::on(Fault::BudgetPerColumn) { 1 } else { k as u64 };
        // k reports of one row compose: each column gets eps/k, rounded down.
        let law = S::law(scale.steps(), budget.divided_by(parts)?)?;
        Ok(Self { budget, scale, k, law, scheme: PhantomData })
    }

    /// How many columns a user reports.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The law of one reported coordinate.
    pub fn law(&self) -> &S::Law {
        &self.law
    }

    /// Mean and variance of the decoded entry of a column whose true value is `value`, over which
    /// columns are sampled and what is reported.
    pub fn moments(&self, column: u32, value: f32, decoding: Decoding) -> EntryMoments {
        let index = self.scale.index(column, value);
        let (place, variance) =
            (index as f64 / f64::from(self.scale.steps()), self.law.variance(index));
        let rate = self.rate();
        // A sampled column decodes to `shift + factor * value(level)`, another one to 0.
        let (shift, factor) = self.affine(column, decoding);
        let sampled_mean = shift + factor * place;
        let mean = rate * sampled_mean;
        // A column is sampled with probability k/d and decodes to 0 otherwise.
        let second = rate * (factor * factor * variance + sampled_mean * sampled_mean);
        EntryMoments { mean, variance: second - mean * mean }
    }

    /// The largest size of a decoded entry of a column, whatever is sampled and reported.
    pub fn largest_entry(&self, column: u32, decoding: Decoding) -> f64 {
        let (shift, factor) = self.affine(column, decoding);
        shift.abs() + factor * self.law.largest()
    }

    /// The share of the columns that is reported, `k/d`.
    fn rate(&self) -> f64 {
        self.k as f64 / self.scale.columns() as f64
    }

    /// Decoding is affine in the law's unbiased value: shift and factor.
    fn affine(&self, column: u32, decoding: Decoding) -> (f64, f64) {
        match decoding {
            Decoding::Paper => (0.0, self.law.paper_factor(self.rate())),
            Decoding::Unbiased => {
                let (middle, half) = self.scale.middle_and_half(column);
                (middle / self.rate(), half / self.rate())
            }
        }
    }
}

impl<S: Scheme> std::fmt::Debug for SampledCoordinates<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}(epsilon {}, k {}, {:?})", S::NAME, self.budget, self.k, self.law)
    }
}

impl<S: Scheme> MechanismOrigin for SampledCoordinates<S> {
    const AUDITED: bool = S::AUDITED && S::Law::AUDITED;
}

impl<S: Scheme> Mechanism for SampledCoordinates<S> {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        S::NAME
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.budget) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "each of k columns, chosen without looking at the row, is reported by an \
                        (epsilon/k)-LDP law on a lattice; together they are epsilon-LDP"
                .into(),
            proof: format!("{}, Guarantee; privet_privacy::features::sampled, Guarantee", S::PROOF),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("k".into(), json!(self.k)),
            ("columns".into(), json!(self.scale.columns())),
            ("lattice-steps".into(), json!(self.scale.steps())),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of feature columns".into(), self.scale.assumption()]
    }
}

impl<S: Scheme> Local for SampledCoordinates<S> {
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
        let columns = self.scale.columns() as u32;
        // A search, not a walk: steps that do not wait for each other are faster than few steps.
        let level = |column, noise: &mut W| {
            let index = self.scale.index(column, record.value(column));
            match column == 0 && fault::on(Fault::FirstColumnKept) {
                true => index,
                false => self.law.draw(index, noise),
            }
        };
        if self.k == columns as usize {
            return FeatureReport::All((0..columns).map(|column| level(column, noise)).collect());
        }
        FeatureReport::Sampled(map_subset(columns, self.k as u32, noise, |column, noise| {
            (column, level(column, noise))
        }))
    }
}

impl<S: Scheme> Disclose for SampledCoordinates<S> {
    fn disclose(&self, record: FeatureRecord<'_>, _permit: Permit<'_>) -> FeatureReport {
        disclosed(&self.scale, &record)
    }
}

/// The record itself, as a report.
pub(crate) fn disclosed(scale: &Scale, record: &FeatureRecord<'_>) -> FeatureReport {
    let mut row = record.walk();
    let entries = (0..scale.columns() as u32).map(|column| (column, row.value(column)));
    FeatureReport::Disclosed(entries.filter(|&(_, value)| value != 0.0).collect())
}

impl<S: Scheme> DecodeRows for SampledCoordinates<S> {
    fn scale(&self) -> &Scale {
        &self.scale
    }

    fn value(&self, column: u32, level: i64, decoding: Decoding) -> f64 {
        let (shift, factor) = self.affine(column, decoding);
        shift + factor * self.law.value(level)
    }
}
