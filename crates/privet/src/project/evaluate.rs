//! [`Project::evaluate`]: how good a model is on people who were set aside, at a price.
//!
//! | private | how | price |
//! |---|---|---|
//! | whole people | noisy counts of right and wrong answers about each one's own record ([`Tally`]) | epsilon of the project |
//! | labels, on devices | each test person's label by randomised response; the share of agreement, made unbiased | epsilon of the record |
//! | features alone, or connections alone | labels are public and the model is a release: counted as they are | nothing |
//!
//! A person's connections would change the answers about others, so everybody is judged by their own record alone: one person
//! is one vote.

use std::collections::HashMap;

use super::Project;
use super::config::Protects;
use crate::data::declared::PeopleTable;
use crate::dpar::UNKNOWN;
use crate::dpar::people::released;
use crate::graph::{Dataset, DenseMatrix, FeatureMatrix, NodeId};
use crate::model::Classifier;
use crate::model::interval::{Estimate, exact_accuracy, noisy_accuracy, response_accuracy};
use crate::privacy::features::LabelRr;
use crate::privacy::tally::{Ballots, Tally};
use crate::privacy::unit::{Label, Node, Part};
use crate::privacy::{Card, Ledger, Loss, Secret, Shaped};
use crate::{Error, Result, Run};

/// How good a model is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Evaluation {
    /// The share of right answers.
    pub accuracy: Estimate,
    /// How many people were set aside: a hash of their ids decides, so it is public. Some may have no label.
    pub people: usize,
    /// What it cost; nothing, where labels are public.
    pub card: Option<Card>,
    /// The noisy counts, or exact ones where nothing was charged.
    pub counts: Vec<i64>,
    /// How it was done, in a sentence.
    pub how: &'static str,
}

impl Project {
    /// The accuracy of a model on the people who were set aside.
    ///
    /// # Errors
    /// If nobody was set aside, the model is for other records or classes, or the budget refuses.
    pub fn evaluate(&self, model: &Classifier, epsilon: f64, run: &Run<'_>) -> Result<Evaluation> {
        let mine = self.config().people.clone();
        let mine = PeopleTable { file: "-".into(), table: None, ..mine };
        if model.about.preprocessing != mine {
            return Err(Error::invalid(
                "model",
                "one for other columns or classes",
                "one that was trained in this project",
            ));
        }
        let dataset = self.dataset()?;
        let test = |node: &NodeId| self.is_test(&dataset.ids().get(*node).to_string());
        let test: Vec<NodeId> = dataset.graph().nodes().filter(test).collect();
        if test.is_empty() {
            return Err(Error::invalid("people set aside", 0, "some: test.share in privet.toml"));
        }
        let dataset = dataset.induced(&test)?;
        match (self.config().protects(Protects::People), self.hides(Part::Labels)) {
            (true, _) => self.count_privately(model, &dataset, epsilon, run),
            (false, true) => self.ask_privately(model, &dataset, epsilon, run),
            (false, false) => self.count(model, &dataset),
        }
    }

    /// Whether an evaluation reads nothing private: labels are public.
    pub fn evaluation_is_free(&self) -> bool {
        !self.hides(Part::Labels)
    }

    /// Whole people: one vote each, for right or wrong, counted with noise.
    pub(super) fn count_privately(
        &self,
        model: &Classifier,
        test: &Dataset,
        epsilon: f64,
        run: &Run<'_>,
    ) -> Result<Evaluation> {
        let people = test.graph().node_count();
        let judged = Secret::new(Judged { rows: own_rows(test)?, classes: classes(test) });
        let tally = Tally::<Node>::new(2, epsilon)?;
        let noise = tally.noise().clone();
        let limit = Loss::new(epsilon, 0.0)?;
        let mut ledger: Ledger<Node> = run.ledgers.open("nodes", limit, run.noise, (0, 1))?;
        let counts = run.ledgers.accounted(|| {
            // After the charge, in the ledger's hands.
            let votes =
                |judged: &Judged| Ok(votes(&judged.classes, &model.classes(judged.rows.clone())?));
            released(&judged, &mut ledger, tally, OWN_RECORD, people, votes)
        })?;
        let (counts, card) =
            self.signed_off(counts.protected(&ledger)?.about(self.evaluated()))?.into_parts();
        let accuracy = noisy_accuracy(counts[0], counts[1], people as u64, &noise);
        let how = "noisy counts of right and wrong answers about each one's own record";
        Ok(Evaluation { accuracy, people, card: Some(card), counts, how })
    }

    /// Devices: every test person's label goes through randomised response.
    fn ask_privately(
        &self,
        model: &Classifier,
        test: &Dataset,
        epsilon: f64,
        run: &Run<'_>,
    ) -> Result<Evaluation> {
        let answers = self.answers(model, test)?;
        let Some(labels) = test.labels() else {
            let remedy = "they are compared with";
            return Err(Error::Missing { dataset: test.name().into(), what: "labels", remedy });
        };
        let response = LabelRr::new(epsilon, model.about.classes.len())?;
        let limit = Loss::new(epsilon, 0.0)?;
        let mut ledger: Ledger<Label> = run.ledgers.open("labels", limit, run.noise, (0, 1))?;
        let secret = Secret::new(labels.clone());
        let reports = run.ledgers.accounted(|| Ok(ledger.release_each(&secret, &response)?))?;
        let (reports, card) =
            self.signed_off(reports.protected(&ledger)?.about(self.evaluated()))?.into_parts();
        let agree = reports.iter().zip(&answers).filter(|(told, answer)| **told == Some(**answer));
        let (agree, people) = (agree.count(), reports.len());
        let (keep, classes) = (response.keep_probability(), model.about.classes.len());
        let accuracy = response_accuracy(agree as u64, people as u64, keep, classes);
        let counts = vec![agree as i64, (people - agree) as i64];
        let how = "agreement with labels that went through randomised response";
        Ok(Evaluation { accuracy, people, card: Some(card), counts, how })
    }

    /// Labels are public, and answers are made from releases or from what is public: nothing is charged.
    fn count(&self, model: &Classifier, test: &Dataset) -> Result<Evaluation> {
        let Ballots(votes) = votes(&classes(test), &self.answers(model, test)?);
        let count = |wanted| votes.iter().filter(|vote| **vote == Some(wanted)).count();
        let (right, wrong) = (count(RIGHT), count(WRONG));
        let accuracy = exact_accuracy(right as u64, (right + wrong) as u64);
        let counts = vec![right as i64, wrong as i64];
        let how = "counted: labels are public here, and answers are made from what was released";
        Ok(Evaluation { accuracy, people: votes.len(), card: None, counts, how })
    }

    /// What the model says about people whose features may be looked at, or who have sent reports.
    fn answers(&self, model: &Classifier, test: &Dataset) -> Result<Vec<u32>> {
        if !self.hides(Part::Features) {
            return model.classes(own_rows(test)?);
        }
        let known: HashMap<&str, u32> =
            model.answers.iter().map(|(id, class)| (&**id, *class)).collect();
        let answer = |node| known.get(&*test.ids().get(node).to_string()).copied();
        let answers: Option<Vec<u32>> = test.graph().nodes().map(answer).collect();
        answers.ok_or_else(|| {
            let found = "somebody who came after it was trained, and whose features only they know";
            Error::invalid("people set aside", found, "people who have sent reports: train again")
        })
    }

    fn evaluated(&self) -> String {
        format!(
            "{}: how many of the people set aside are classified rightly",
            self.config().project.name
        )
    }
}

/// Why one person is one vote.
const OWN_RECORD: &str =
    "an answer is judged by one person's own record, so one person is one vote";
const RIGHT: u32 = 0;
const WRONG: u32 = 1;

/// People to be judged: their rows, and their classes.
struct Judged {
    rows: DenseMatrix,
    classes: Vec<u32>,
}

impl Shaped for Judged {
    /// How many they are.
    type Shape = usize;

    fn shape(&self) -> usize {
        self.classes.len()
    }
}

/// One vote each; who has no class has none.
fn votes(classes: &[u32], answers: &[u32]) -> Ballots {
    let vote = |(class, answer): (&u32, &u32)| match *class {
        UNKNOWN => None,
        class => Some(if class == *answer { RIGHT } else { WRONG }),
    };
    Ballots(classes.iter().zip(answers).map(vote).collect())
}

fn classes(people: &Dataset) -> Vec<u32> {
    let class = |node| people.labels().and_then(|labels| labels.class(node)).unwrap_or(UNKNOWN);
    people.graph().nodes().map(class).collect()
}

/// The rows that the preprocessing made.
fn own_rows(people: &Dataset) -> Result<DenseMatrix> {
    match people.features().map(|features| features.matrix()) {
        Some(FeatureMatrix::Dense(rows)) => Ok(rows.clone()),
        Some(FeatureMatrix::Sparse(rows)) => Ok(rows.to_dense()),
        None => {
            let (what, remedy) = ("features", "declare people.columns in privet.toml");
            Err(Error::Missing { dataset: people.name().into(), what, remedy })
        }
    }
}
