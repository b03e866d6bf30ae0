//! Randomised response for labels: `label-rr`.
//!
//! # Idea
//! Report the true class with probability p, otherwise one of the others, all alike.
//!
//! # Equation
//! `p = e^eps / (e^eps + c - 1)` for c classes; any other class with `q = (1 - p)/(c - 1)`.
//!
//! # Guarantee
//! Unit [`Label`], the event `RandomizedResponse { eps, c }`, which is `eps`-LDP exactly and composes more
//! tightly than a pure release. *Proof.* [`crate::noise::randomized_response`] shows that the odds that
//! run are those of some `eps' ≤ eps`; randomised response at `eps'` is randomised response at `eps`,
//! followed by another one: post-processing. ∎ Who has a label at all is taken for public: a user without
//! one (or with several) reports nothing.
//!
//! # Paper
//! Warner 1965; for c classes Kairouz, Oh and Viswanath 2014, who show it to be optimal at high epsilon.
//!
//! # Differs from paper
//! The odds are rational, rounded to the private side.
//!
//! # Cost
//! Two words per user. The estimated frequency of a class with true frequency f has variance
//! `(f p (1-p) + (1-f) q (1-q)) / (n (p - q)²)`.
//!
//! # Numerics
//! Exact.

use serde_json::json;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{Numerics, RandomWords, RandomizedResponse};
use crate::origin::shipped;
use crate::population::LabelsShape;
use crate::unit::Label;

/// Randomised response over a public list of classes.
///
/// ```
/// use privet_graph::Labels;
/// use privet_privacy::{Ledger, Loss, Secret, features::LabelRr, noise::NoiseRng};
/// let labels = Labels::single(vec![Some(0), Some(2), None], ["a", "b", "c"].map(Into::into).into())?;
/// let mechanism = LabelRr::new(1.0, 3)?;
/// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let reports = ledger.release_each(&Secret::new(labels), &mechanism)?;
/// assert_eq!(reports.get()[2], None);
/// let frequencies = mechanism.frequencies(reports.get())?;
/// assert!((frequencies.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LabelRr {
    budget: Budget,
    classes: u32,
    response: RandomizedResponse,
}

impl LabelRr {
    /// The mechanism that costs `epsilon`, for a public number of classes.
    ///
    /// # Errors
    /// If epsilon is out of range, or there are fewer than two classes.
    pub fn new(epsilon: f64, classes: usize) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        let classes = u32::try_from(classes)
            .map_err(|_| Error::range("categories", classes, "at most 2^32 - 1"))?;
        Ok(Self { budget, classes, response: RandomizedResponse::new(classes, budget)? })
    }

    /// The probability of reporting the truth.
    pub fn keep_probability(&self) -> f64 {
        self.response.keep_probability()
    }

    /// Unbiased estimates of how frequent each class is among the users who reported. They sum to 1;
    /// single ones may be negative.
    ///
    /// # Errors
    /// If there are no reports, or a report is not a class.
    pub fn frequencies(&self, reports: &[Option<u32>]) -> Result<Vec<f64>> {
        let mut counts = vec![0u64; self.classes as usize];
        for &class in reports.iter().flatten() {
            let Some(count) = counts.get_mut(class as usize) else {
                return Err(Error::range("reported class", class, "below the number of classes"));
            };
            *count += 1;
        }
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return Err(Error::range("number of reports", 0, "at least 1"));
        }
        let keep = self.keep_probability();
        let other = (1.0 - keep) / f64::from(self.classes - 1);
        // E[count/n] = other + f (keep - other).
        let estimate = |&count: &u64| (count as f64 / total as f64 - other) / (keep - other);
        Ok(counts.iter().map(estimate).collect())
    }
}

shipped!(LabelRr);

impl Mechanism for LabelRr {
    type Unit = Label;

    fn name(&self) -> &'static str {
        "label-rr"
    }

    fn event(&self) -> Event {
        Event::RandomizedResponse { epsilon: Epsilon::from(self.budget), categories: self.classes }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement:
                "the probability of any reported class changes by at most a factor e^epsilon".into(),
            proof: "privet_privacy::noise::randomized_response, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("classes".into(), json!(self.classes)),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the list of classes".into(), "which users have exactly one label".into()]
    }
}

impl Local for LabelRr {
    type Population = privet_graph::Labels;
    type Report = Option<u32>;

    fn check(&self, shape: &LabelsShape) -> Result<()> {
        let (found, expected) = (shape.classes, self.classes as usize);
        match found == expected {
            true => Ok(()),
            false => Err(Error::shape("classes", found, "label-rr", expected)),
        }
    }

    fn randomize<W: RandomWords>(
        &self,
        class: Option<u32>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> Option<u32> {
        class.map(|class| self.response.draw(class, noise))
    }
}

impl Disclose for LabelRr {
    fn disclose(&self, class: Option<u32>, _permit: Permit<'_>) -> Option<u32> {
        class
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ledger, Loss, Secret, noise::NoiseRng};
    use privet_graph::Labels;

    #[test]
    fn frequencies_are_unbiased() {
        let users = 200_000;
        let truth: Vec<_> = (0..users).map(|u| Some([0, 0, 0, 1, 2, 2][u % 6])).collect();
        let names = ["a", "b", "c", "d"].map(String::from).to_vec();
        let labels = Secret::new(Labels::single(truth, names).unwrap());
        let mechanism = LabelRr::new(1.5, 4).unwrap();
        assert!((mechanism.keep_probability() - 1.5f64.exp() / (1.5f64.exp() + 3.0)).abs() < 1e-12);
        let limit = Loss::new(1.5, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(3)).unwrap();
        let reports = ledger.release_each(&labels, &mechanism).unwrap();
        let found = mechanism.frequencies(reports.get()).unwrap();
        for (found, truth) in found.iter().zip([0.5, 1.0 / 6.0, 1.0 / 3.0, 0.0]) {
            let (p, q) = (mechanism.keep_probability(), (1.0 - mechanism.keep_probability()) / 3.0);
            let variance = (truth * p * (1.0 - p) + (1.0 - truth) * q * (1.0 - q))
                / (users as f64 * (p - q).powi(2));
            assert!((found - truth).abs() < 5.0 * variance.sqrt());
        }
    }

    /// A hundred labels of one user: cheaper by name than as pure releases.
    #[test]
    fn it_is_charged_by_name() {
        let event = LabelRr::new(0.1, 5).unwrap().event();
        let delta = crate::Delta::new(1e-5).unwrap();
        let cost = |event: Event| crate::accountant::best(&event.repeated(100), delta).unwrap();
        let pure = Event::Pure { epsilon: Epsilon::new(0.1).unwrap() };
        assert!(cost(event.clone()).value < cost(pure).value);
        let once = crate::accountant::best(&event, crate::Delta::ZERO).unwrap().value.get();
        assert!(once <= 0.1 && once > 0.1 - 1e-11);
    }

    #[test]
    fn another_list_of_classes_is_refused_for_free() {
        let names = ["a", "b"].map(String::from).to_vec();
        let labels = Secret::new(Labels::single(vec![Some(1)], names).unwrap());
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(3)).unwrap();
        let error = ledger.release_each(&labels, &LabelRr::new(1.0, 3).unwrap()).unwrap_err();
        assert_eq!(error.to_string(), "the data has 2 classes, but label-rr was made for 3");
        assert!(ledger.entries().is_empty());
    }

    #[test]
    fn bad_parameters_and_reports_are_refused() {
        assert!(LabelRr::new(0.0, 3).is_err());
        assert!(LabelRr::new(1.0, 1).is_err());
        let mechanism = LabelRr::new(1.0, 3).unwrap();
        assert!(mechanism.frequencies(&[]).is_err());
        assert!(mechanism.frequencies(&[None]).is_err());
        assert!(mechanism.frequencies(&[Some(3)]).is_err());
    }
}
