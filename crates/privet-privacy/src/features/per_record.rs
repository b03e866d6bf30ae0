//! FeatureRR as printed, with shares computed from each user's own record: its true price.
//!
//! # Idea
//! The paper scores importance and sensitivity per record. Then the noise scale itself depends on the
//! record, and the printed epsilon is not the true one. Use [`super::feature_rr`] instead; this
//! mechanism is here to reproduce the paper with the right number on the card.
//!
//! # Equation
//! With `C(e) = Σ_{j<k} e^(-e j/(k-1))`, d columns and k bins:
//! `true = eps + log C(eps) + (d-1) log k - d log C(eps/d)`.
//!
//! # Guarantee
//! Unit [`FeatureRow`], the number above (between eps and 1.5 eps), as long as θ is never released.
//! *Proof.* Let user and alternative have budgets `e_i` and `e'_i` with sums at most eps. A report is at
//! most `1/C(e_i)` likely (an end bin, kept) and at least `e^(-e'_i) / C(e'_i)` likely (the far end), by
//! the proof in [`crate::noise::graded`]. So the log ratio is at most
//! `Σ (e'_i + log C(e'_i)) - Σ log C(e_i)`. The first sum is convex and rises with each `e'_i`: its
//! maximum is at a corner, all of eps in one column: `eps + log C(eps) + (d-1) log k`. The second is
//! convex and falls: its minimum is at equal shares. ∎ The weights that run are rounded up by at most
//! k units of `2⁻⁶² k`, which adds less than `d k³ 2⁻⁶⁰`; that is included.
//!
//! # Paper
//! HeteroRR, Algorithm 1 with α and β of the record (eq. 5, 6).
//!
//! # Differs from paper
//! The number in the ledger. Bins as in [`super::feature_rr`].
//!
//! # Cost
//! A table of k weights per column and user.
//!
//! # Numerics
//! Exact.

use serde_json::json;

use super::bins::bin_of;
use super::report::FeatureReport;
use super::scaling::Scale;
use super::theta::Theta;
use crate::budget::Budget;
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Local, Mechanism, Parameters, Permit, Status, Theorem};
use crate::noise::{Graded, Numerics, RandomWords};
use crate::population::FeatureRecord;
use crate::unit::FeatureRow;

/// FeatureRR with shares of the budget computed from the record by `F`.
pub struct PerRecordFeatureRr<F> {
    budget: Budget,
    truth: Epsilon,
    bins: u32,
    scale: Scale,
    shares: F,
}

impl<F: Fn(FeatureRecord<'_>) -> Result<Theta> + Sync> PerRecordFeatureRr<F> {
    /// The printed algorithm at the printed `epsilon`. A record for which `shares` fails gets equal
    /// shares.
    ///
    /// # Errors
    /// If epsilon is out of range, or bins are not 2 to 4096.
    pub fn new(epsilon: f64, bins: u32, scale: Scale, shares: F) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        Graded::new(bins, budget)?;
        let truth = Epsilon::new(true_epsilon(budget.as_f64(), bins, scale.columns()))?;
        Ok(Self { budget, truth, bins, scale, shares })
    }
}

/// `eps + log C(eps) + (d-1) log k - d log C(eps/d)`, rounded up.
fn true_epsilon(epsilon: f64, bins: u32, columns: usize) -> f64 {
    let (k, d) = (f64::from(bins), columns as f64);
    let log_c = |e: f64| {
        let terms = (0..bins).map(|j| libm::exp(-e * f64::from(j) / (k - 1.0)));
        libm::log(terms.sum())
    };
    // (d-1) log k - d log C(eps/d) cancels when d is large: sum the differences instead.
    let difference = |e: f64| {
        // log k - log C(e) = -log(1 - Σ (1 - e^(-e j/(k-1))) / k)
        let missing = (0..bins).map(|j| -libm::expm1(-e * f64::from(j) / (k - 1.0)));
        -libm::log1p(-missing.sum::<f64>() / k)
    };
    let exact = epsilon + log_c(epsilon) - libm::log(k) + d * difference(epsilon / d);
    (exact + d * k.powi(3) * 2f64.powi(-60)) * (1.0 + 1e-12)
}

impl<F: Fn(FeatureRecord<'_>) -> Result<Theta> + Sync> Mechanism for PerRecordFeatureRr<F> {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "feature-rr-per-record"
    }

    fn event(&self) -> Event {
        if fault::on(Fault::PrintedShareCharged) {
            return Event::Pure { epsilon: Epsilon::from(self.budget) };
        }
        Event::Pure { epsilon: self.truth }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "eps + log C(eps) + (d-1) log k - d log C(eps/d) if the shares may be any, \
                        and are not released"
                .into(),
            proof: "privet_privacy::features::per_record, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> Parameters {
        Parameters::from([
            ("printed-epsilon".into(), json!(self.budget.as_f64())),
            ("bins".into(), json!(self.bins)),
            ("columns".into(), json!(self.scale.columns())),
        ])
    }

    fn status(&self) -> Status {
        Status::PaperMode {
            printed: Epsilon::from(self.budget),
            flaw: "the shares of the budget are computed from the record they protect".into(),
        }
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of feature columns".into(), self.scale.assumption()]
    }
}

impl<F: Fn(FeatureRecord<'_>) -> Result<Theta> + Sync> Local for PerRecordFeatureRr<F> {
    type Population = privet_graph::Features;
    type Report = FeatureReport;

    fn check(&self, people: &privet_graph::Features) -> Result<()> {
        self.scale.check(people)
    }

    fn randomize<W: RandomWords>(
        &self,
        record: FeatureRecord<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> FeatureReport {
        let columns = self.scale.columns();
        let shares = (self.shares)(record).ok().filter(|theta| theta.shares().len() == columns);
        let shares = shares.or_else(|| Theta::uniform(columns).ok());
        let budgets =
            shares.map_or_else(|| vec![None; columns], |theta| theta.budgets(self.budget));
        // Which columns got nothing would tell about the record, so they report a uniform bin.
        let mut row = record.walk();
        let level = |(column, budget): (u32, Option<Budget>)| {
            let bin = bin_of(&self.scale, self.bins, column, row.value(column));
            let drawn = match budget.and_then(|budget| Graded::new(self.bins, budget).ok()) {
                Some(law) => law.draw(bin, noise),
                None => noise.below(u64::from(self.bins)) as u32,
            };
            i64::from(drawn) + 1
        };
        FeatureReport::All((0..).zip(budgets).map(level).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::testing::scale;

    #[test]
    fn the_true_price_is_that_of_the_table() {
        for (k, d, row) in [
            (2, 2, [0.515345, 1.058255, 3.338908, 9.671175]),
            (10, 10, [0.511425, 1.045315, 3.375952, 11.246962]),
            (10, 2048, [0.512692, 1.050382, 3.421519, 11.654030]),
        ] {
            for (epsilon, expected) in [0.5, 1.0, 3.0, 9.0].into_iter().zip(row) {
                let found = true_epsilon(epsilon, k, d);
                assert!((found - expected).abs() < 1e-6, "{found} not {expected}");
            }
        }
        assert!((true_epsilon(3.0, 3, 2) - 3.283972098).abs() < 1e-8);
    }

    #[test]
    fn the_card_says_that_the_printed_number_is_wrong() {
        let shares = |record: FeatureRecord<'_>| Theta::uniform(record.columns());
        let found = PerRecordFeatureRr::new(1.0, 10, scale(10), shares).unwrap();
        let Event::Pure { epsilon } = found.event() else { unreachable!("pure") };
        assert!((epsilon.get() - 1.045315).abs() < 1e-6);
        assert!(
            matches!(found.status(), Status::PaperMode { printed, .. } if printed.get() == 1.0)
        );
    }
}
