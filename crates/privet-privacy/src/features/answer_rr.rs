//! Randomised response on the answer of a public model: `answer-rr`.
//!
//! # Idea
//! A row of a thousand columns cannot be sent at a small epsilon, but one answer about it can. A model
//! that was trained on public people runs on each device; only which of its c classes it names is
//! reported, by randomised response. The whole budget goes to the one thing the collector wants to know.
//!
//! # Equation
//! `a(x) = argmax over classes of (b + W x)`, the first of equals; reported truly with probability
//! `e^eps / (e^eps + c - 1)`, otherwise as one of the other classes, all alike.
//!
//! # Guarantee
//! Unit [`FeatureRow`], `eps` exactly. *Proof.* `a` is a function of the user's own row and of public
//! numbers, so two rows lead to two classes at most, and the odds of every report change by at most
//! `e^eps` between them: [`crate::noise::randomized_response`]. ∎ How the answer is rounded does not
//! matter: any function of one's own row will do. The model must not have seen private rows; the type
//! [`Public`] asks for that word.
//!
//! # Paper
//! None of the four. The setting is DPRR's customised one, in which some users are not private.
//!
//! # Cost
//! O(nonzeros x classes) per user, a report of one class. Variance as for
//! [`label_rr`](super::label_rr).
//!
//! # Numerics
//! Exact.

use privet_graph::{DenseMatrix, Features};
use serde_json::json;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{Numerics, RandomWords, RandomizedResponse};
use crate::origin::shipped;
use crate::population::{FeatureRecord, TableShape};
use crate::public::{Public, PublicOrigin};
use crate::unit::FeatureRow;

/// `b + W x`: one score per class.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearModel {
    weights: DenseMatrix,
    biases: Vec<f32>,
}

impl LinearModel {
    /// From one row of weights per column of the features, and one bias per class.
    ///
    /// # Errors
    /// If there is not one bias per column of `weights`, or there are fewer than two classes.
    pub fn new(weights: DenseMatrix, biases: Vec<f32>) -> Result<Self> {
        if weights.columns() != biases.len() || biases.len() < 2 {
            return Err(Error::range("biases", biases.len(), "one per class, at least 2"));
        }
        Ok(Self { weights, biases })
    }

    /// The class it names for one row.
    ///
    /// # Panics
    /// If the row has more columns than the model.
    pub fn answer(&self, record: &FeatureRecord<'_>) -> u32 {
        let mut scores = self.biases.clone();
        for (column, value) in record.entries() {
            let weights = self.weights.row(column as usize);
            scores.iter_mut().zip(weights).for_each(|(score, w)| *score += w * value);
        }
        // Ties go to the first class: two devices with the same record answer the same.
        let first_best = |best: usize, class: usize| {
            if scores[class] > scores[best] { class } else { best }
        };
        (0..scores.len()).fold(0, first_best) as u32
    }

    /// How many classes it knows.
    pub fn class_count(&self) -> usize {
        self.biases.len()
    }
}

/// Randomised response on what a public model says about one's row.
///
/// ```
/// use privet_graph::{DenseMatrix, Features};
/// use privet_privacy::features::{AnswerRr, LinearModel};
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, public::Public};
/// let model = LinearModel::new(DenseMatrix::new(1, 2, vec![-1.0, 1.0])?, vec![0.0, 0.0])?;
/// let mechanism = AnswerRr::new(1.0, Public::from_public_data(model))?;
/// let rows = Features::dense(DenseMatrix::new(3, 1, vec![-2.0, 0.5, 3.0])?);
/// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let answers = ledger.release_each(&Secret::new(rows), &mechanism)?;
/// assert!(answers.get().iter().all(|&class| class < 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct AnswerRr {
    budget: Budget,
    model: LinearModel,
    origin: PublicOrigin,
    response: RandomizedResponse,
}

impl AnswerRr {
    /// The mechanism that costs `epsilon`.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64, model: Public<LinearModel>) -> Result<Self> {
        let budget = Budget::from_epsilon(epsilon)?;
        let classes = model.get().class_count() as u32;
        let response = RandomizedResponse::new(classes, budget)?;
        Ok(Self { budget, origin: model.origin(), model: model.get().clone(), response })
    }

    /// The probability of reporting the model's answer.
    pub fn keep_probability(&self) -> f64 {
        self.response.keep_probability()
    }

    /// The exact weight of a report given a row; weights of a row have the same sum for every row.
    pub fn weight(&self, record: &FeatureRecord<'_>, report: u32) -> u64 {
        self.response.weight(self.model.answer(record), report)
    }
}

shipped!(AnswerRr);

impl Mechanism for AnswerRr {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        "answer-rr"
    }

    fn event(&self) -> Event {
        let categories = self.model.class_count() as u32;
        Event::RandomizedResponse { epsilon: Epsilon::from(self.budget), categories }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement:
                "the report depends on a row through one class only, whose odds change by at \
                        most a factor e^epsilon"
                    .into(),
            proof: "privet_privacy::features::answer_rr, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.budget.as_f64())),
            ("classes".into(), json!(self.model.class_count())),
            ("model columns".into(), json!(self.model.weights.rows())),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec![format!("the model that runs on each device ({})", self.origin)]
    }
}

impl Local for AnswerRr {
    type Population = Features;
    type Report = u32;

    fn check(&self, shape: &TableShape) -> Result<()> {
        if shape.columns == self.model.weights.rows() {
            return Ok(());
        }
        let expected = "as many as the model that runs on each device knows";
        Err(Error::range("number of feature columns", shape.columns, expected))
    }

    fn randomize<W: RandomWords>(
        &self,
        record: FeatureRecord<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> u32 {
        let answer = self.model.answer(&record);
        let report = self.response.draw(answer, noise);
        let sure = || record.entries().any(|(_, value)| value.abs() > 5.0);
        if fault::on(Fault::FirmerWhereSure) && report != answer && sure() {
            return self.response.draw(answer, noise);
        }
        report
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ledger, Loss, Secret, noise::NoiseRng};

    fn model() -> LinearModel {
        // Scores (0.1, x, -x).
        let weights = DenseMatrix::new(1, 3, vec![0.0, 1.0, -1.0]).unwrap();
        LinearModel::new(weights, vec![0.1, 0.0, 0.0]).unwrap()
    }

    #[test]
    fn reports_follow_the_model_at_the_stated_odds() {
        let users = 120_000;
        let values = (0..users).map(|user| [0.0, 1.0, -1.0][user % 3]).collect();
        let rows = Features::dense(DenseMatrix::new(users, 1, values).unwrap());
        let mechanism = AnswerRr::new(1.0, Public::declared(model())).unwrap();
        let keep = mechanism.keep_probability();
        assert!((keep - 1f64.exp() / (1f64.exp() + 2.0)).abs() < 1e-9);
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(5)).unwrap();
        let reports = ledger.release_each(&Secret::new(rows), &mechanism).unwrap();
        for answer in 0..3u32 {
            for report in 0..3u32 {
                let seen = reports.get().iter().skip(answer as usize).step_by(3);
                let share = seen.filter(|&&r| r == report).count() as f64 / (users / 3) as f64;
                let expected = if answer == report { keep } else { (1.0 - keep) / 2.0 };
                assert!((share - expected).abs() < 0.012, "{answer} {report}: {share}");
            }
        }
    }

    /// The weights of all reports of a row are those of the response, and rows the model does not know are refused.
    #[test]
    fn weights_are_those_of_the_response() {
        use crate::population::Population;
        let mechanism = AnswerRr::new(1.0, Public::declared(model())).unwrap();
        let row = Features::dense(DenseMatrix::new(1, 1, vec![-3.0]).unwrap());
        let weights = [0, 1, 2].map(|report| mechanism.weight(&row.record(0), report));
        let (total, [zero, one, two]) = (weights.iter().sum::<u64>() as f64, weights);
        assert_eq!(zero, one);
        assert!((two as f64 / total - mechanism.keep_probability()).abs() < 1e-12);
        let limit = Loss::new(5.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(5)).unwrap();
        let wide = Secret::new(Features::dense(DenseMatrix::zeros(2, 3)));
        let error = ledger.release_each(&wide, &mechanism).unwrap_err().to_string();
        assert!(error.contains("number of feature columns") && error.contains('3'), "{error}");
        assert!(ledger.entries().is_empty());
    }

    #[test]
    fn sparse_and_dense_rows_get_the_same_answer() {
        use crate::population::Population;
        let dense = Features::dense(DenseMatrix::new(1, 1, vec![2.0]).unwrap());
        let mut rows = privet_graph::SparseBuilder::new(1);
        rows.push_row(&mut [(0, 2.0)]).unwrap();
        let sparse = Features::sparse(rows.finish());
        assert_eq!(model().answer(&dense.record(0)), 1);
        assert_eq!(model().answer(&sparse.record(0)), 1);
        assert!(LinearModel::new(DenseMatrix::zeros(2, 2), vec![0.0]).is_err());
    }
}
