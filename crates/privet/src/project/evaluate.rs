//! [`Project::evaluate`]: how good a model is on people who were set aside, at a price.
//!
//! | private | how | price |
//! |---|---|---|
//! | whole people | noisy counts of people by class and answer about each one's own record ([`Tally`], [`Vote`]) | epsilon of the project |
//! | labels, on devices | each test person's label by randomised response; the share of agreement, made unbiased | epsilon of the record |
//! | features alone, or connections alone | labels are public and the model is a release: counted as they are | nothing |
//! | links, which are public | of a link and a pair that is none, which one scores higher | nothing |
//! | lists of contacts, whose graphs have public classes | counted as they are | nothing |
//!
//! A person's connections would change the answers about others, so each person is judged by their own record alone: one person
//! is one vote, and one price tells all of it: accuracy, the confusion matrix and what follows from it, and what the most
//! frequent class as the answer for all people would reach: the [`Control`]. There is no ceiling here: what a model of the
//! data in the clear would reach is a fact about all of them, which no vote of one person bounds.

mod links;
mod vote;

use std::collections::HashMap;

use super::Project;
use super::config::Protects;
use crate::dpar::UNKNOWN;
use crate::dpar::people::released;
use crate::graph::{Dataset, DenseMatrix, NodeId};
use crate::learn::metrics::{ConfusionMatrix, roc_auc};
use crate::model::interval::{ShareInterval, exact_accuracy, noisy_share, response_accuracy};
use crate::model::newcomers::own_rows;
use crate::model::{Classifier, GraphModel, Model};
use crate::privacy::fault::{self, Fault};
use crate::privacy::features::LabelRr;
use crate::privacy::tally::Tally;
use crate::privacy::unit::{DataPart, Label, Node};
use crate::privacy::{Card, Ledger, Loss, PublicShape, Secret, Unit};
use crate::{Error, LedgerStore, Result, Run};

pub use vote::Vote;

/// How good a model is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Evaluation {
    /// The share of right answers.
    pub accuracy: ShareInterval,
    /// The accuracy of an attacker who knows nothing about any person.
    pub control: Option<Control>,
    /// Beyond the share of right answers, where classes are told apart.
    #[serde(flatten)]
    pub by_class: Option<ByClass>,
    /// How many were set aside: a hash of their ids decides, so it is public. Some may have no label.
    pub tested: usize,
    /// What they are: people, links, graphs.
    pub of: &'static str,
    /// What it cost; nothing, where what answers are compared with is public.
    pub card: Option<Card>,
    /// The noisy counts, or exact ones where nothing was charged.
    pub counts: Vec<i64>,
    /// How it was done, in a sentence.
    pub how: &'static str,
}

/// How good answers are class by class; from noisy counts where accuracy is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ByClass {
    /// The mean over classes of the share of their people who are answered rightly.
    pub balanced_accuracy: Option<f64>,
    /// The mean over classes of F1.
    pub macro_f1: Option<f64>,
    /// The area under the ROC curve of the second of two classes, where scores are known, or were counted.
    pub auc: Option<f64>,
    /// What the classes are called.
    pub classes: Vec<String>,
    /// How many people of each class (a row) got each answer (a column); below 0 it is noise.
    pub confusion: Vec<Vec<i64>>,
}

impl ByClass {
    fn new(classes: &[String], confusion: Vec<Vec<i64>>, auc: Option<f64>) -> Self {
        let counts = confusion.iter().flatten().map(|&count| count.max(0) as u64).collect();
        let matrix = ConfusionMatrix::from_counts(classes.len(), counts).ok();
        Self {
            balanced_accuracy: matrix.as_ref().and_then(ConfusionMatrix::balanced_accuracy),
            macro_f1: matrix.as_ref().and_then(ConfusionMatrix::macro_f1),
            auc,
            classes: classes.to_vec(),
            confusion,
        }
    }

    /// The most frequent class, the first of equals.
    fn most_frequent(&self) -> u32 {
        let size = |class: usize| -> i64 { self.confusion[class].iter().sum() };
        let most = (0..self.confusion.len()).max_by_key(|&class| (size(class), usize::MAX - class));
        most.unwrap_or(0) as u32
    }

    fn size(&self, class: u32) -> i64 {
        self.confusion[class as usize].iter().sum()
    }
}

/// Answers without anything private.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Control {
    /// What is answered.
    pub answers: String,
    /// The share that this is right about.
    pub accuracy: ShareInterval,
}

impl Project {
    /// The accuracy of a model on what was set aside.
    ///
    /// # Errors
    /// If nothing was set aside, the model is for other records or classes, or the budget refuses.
    pub fn evaluate(&self, model: &Model, epsilon: f64, run: &Run<'_>) -> Result<Evaluation> {
        let config = self.config();
        let mine = match model {
            Model::People(model) => model.about.preprocessing == config.preprocessing(),
            Model::Pairs(model) => model.about.preprocessing == config.preprocessing(),
            Model::Graphs(model) => {
                let classes = config.graphs.as_ref().map(|table| &table.classes);
                classes == Some(&model.about.classes)
            }
        };
        if !mine {
            return Err(Error::invalid(
                "model",
                "one for other columns or classes",
                "one that was trained in this project",
            ));
        }
        match model {
            Model::People(model) => self.evaluate_classifier(model, epsilon, run),
            Model::Pairs(model) => self.compare_links(model),
            Model::Graphs(model) => self.count_graphs(model),
        }
    }

    fn evaluate_classifier(
        &self,
        model: &Classifier,
        epsilon: f64,
        run: &Run<'_>,
    ) -> Result<Evaluation> {
        let dataset = self.dataset()?;
        // By a hash of the id: the same people are set aside in every command.
        let test = |node: &NodeId| self.is_test(&dataset.ids().get(*node).to_string());
        let test: Vec<NodeId> = dataset.graph().nodes().filter(test).collect();
        some(test.len(), "people set aside")?;
        let dataset = dataset.induced(&test)?;
        let hides = self.hides(DataPart::Labels) && !fault::on(Fault::LabelsComparedInClear);
        match (self.config().protects(Protects::People), hides) {
            (true, _) => {
                let (classes, tested) = (model.about.classes.len(), dataset.graph().node_count());
                let vote = Vote::for_classes(classes, tested, epsilon);
                self.count_privately(model, &dataset, vote, epsilon, run)
            }
            (false, true) => self.ask_privately(model, &dataset, epsilon, run),
            (false, false) => self.count(model, &dataset),
        }
    }

    /// Whether an evaluation reads nothing private: what answers are compared with is public.
    pub fn evaluation_is_free(&self, model: &Model) -> bool {
        match model {
            Model::People(_) => !self.hides(DataPart::Labels),
            Model::Pairs(_) | Model::Graphs(_) => true,
        }
    }

    /// Whole people: one vote each, counted with noise.
    pub(super) fn count_privately(
        &self,
        model: &Classifier,
        test: &Dataset,
        vote: Vote,
        epsilon: f64,
        run: &Run<'_>,
    ) -> Result<Evaluation> {
        let tested = test.graph().node_count();
        let judged = Secret::new(Judged { rows: rows(test)?, classes: classes(test) });
        let tally = Tally::<Node>::new(vote.boxes(), epsilon)?;
        let noise = tally.noise().clone();
        let (counts, card) = self.charged("nodes", epsilon, run, |ledger| {
            // After the charge, in the ledger's hands.
            let votes = |judged: &Judged| {
                let probabilities = model.probabilities(judged.rows.clone(), None)?;
                Ok(vote.ballots(&judged.classes, &probabilities))
            };
            released(&judged, ledger, tally, OWN_RECORD, tested, votes)
        })?;
        let seen = vote.read(&counts);
        let share = |count: i64, cells: usize, tries: usize| {
            noisy_share(count, cells, seen.unlabelled, tested as u64, &noise, tries)
        };
        let accuracy = share(seen.right, seen.right_cells, 1);
        let names = &model.about.classes;
        let by_class = seen.confusion.map(|confusion| ByClass::new(names, confusion, seen.auc));
        let control = by_class.as_ref().map(|by_class| {
            let class = by_class.most_frequent();
            // Each of a class's answers has a cell, or several; any class could have been the largest.
            let cells = vote.boxes() as usize / names.len();
            Control {
                answers: for_all_people(names, class),
                accuracy: share(by_class.size(class), cells, names.len()),
            }
        });
        let how = "noisy counts of people by class and answer, about each one's own record";
        Ok(Evaluation {
            accuracy,
            control,
            by_class,
            tested,
            of: PEOPLE,
            card: Some(card),
            counts,
            how,
        })
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
        let secret = Secret::new(labels.clone());
        let (reports, card) =
            self.charged("labels", epsilon, run, |ledger: &mut Ledger<Label>| {
                Ok(ledger.release_each(&secret, &response)?)
            })?;
        let (tested, classes) = (reports.len(), model.about.classes.len());
        let share = |answer: &dyn Fn(usize) -> u32| {
            let agrees = |(at, told): (usize, &Option<u32>)| *told == Some(answer(at));
            let agree = reports.iter().enumerate().filter(|report| agrees(*report)).count();
            let keep = response.keep_probability();
            // The published probability of a true report corrects the agreement.
            (agree, response_accuracy(agree as u64, tested as u64, keep, classes))
        };
        let (agree, accuracy) = share(&|at| answers[at]);
        let names = &model.about.classes;
        let told = |class: u32, answer: u32| {
            let both = |(told, said): (&Option<u32>, &u32)| *told == Some(class) && *said == answer;
            reports.iter().zip(&answers).filter(|report| both(*report)).count() as f64
        };
        // Every told label is the truth with probability `keep`, any other with `other`: unbiased.
        let keep = response.keep_probability();
        let other = (1.0 - keep) / (classes.max(2) - 1) as f64;
        let all = 0..classes as u32;
        let said: Vec<f64> =
            all.clone().map(|answer| all.clone().map(|class| told(class, answer)).sum()).collect();
        let unbiased = |class: u32, answer: u32| {
            let expected = other * said[answer as usize];
            ((told(class, answer) - expected) / (keep - other)).round() as i64
        };
        let row = |class| all.clone().map(|answer| unbiased(class, answer)).collect();
        let by_class = ByClass::new(names, all.clone().map(row).collect(), None);
        let most = by_class.most_frequent();
        let answer = for_all_people(names, most);
        let control = Some(Control { answers: answer, accuracy: share(&|_| most).1 });
        let counts = vec![agree as i64, (tested - agree) as i64];
        let how = "agreement with labels that went through randomised response";
        Ok(Evaluation {
            accuracy,
            control,
            by_class: Some(by_class),
            tested,
            of: PEOPLE,
            card: Some(card),
            counts,
            how,
        })
    }

    /// Something that is charged to an account of the project, and its card.
    fn charged<U: Unit, T>(
        &self,
        kind: &str,
        epsilon: f64,
        run: &Run<'_>,
        release: impl FnOnce(&mut Ledger<U>) -> Result<crate::privacy::Release<T, U>>,
    ) -> Result<(T, Card)> {
        let limit = Loss::new(epsilon, 0.0)?;
        let ledgers = match fault::on(Fault::EvaluationNotCharged) {
            true => &LedgerStore::Memory,
            false => &run.ledgers,
        };
        let mut ledger: Ledger<U> = ledgers.open(kind, limit, run.noise, (0, 1))?;
        let released = run.ledgers.accounted(|| release(&mut ledger))?;
        let released = released.protected(&ledger)?.about(self.evaluated());
        Ok(self.signed_off(released)?.into_parts())
    }

    /// Labels are public, and answers are made from releases or from what is public: nothing is charged.
    fn count(&self, model: &Classifier, test: &Dataset) -> Result<Evaluation> {
        let (classes, answers) = (classes(test), self.answers(model, test)?);
        let scores = match self.hides(DataPart::Features) {
            true => None,
            false => Some(model.probabilities(rows(test)?, None)?),
        };
        let how = "counted: labels are public here, and answers are made from what was released";
        Ok(counted(&classes, &answers, scores.as_ref(), &model.about.classes, PEOPLE, how))
    }

    /// Graphs have public classes, and what the model says about them is made from reports.
    fn count_graphs(&self, model: &GraphModel) -> Result<Evaluation> {
        let set = self.graph_set()?;
        let known: HashMap<&str, u32> =
            // Answers about known graphs were made when the model was; asking again would cost
            // again.
            model.answers.iter().map(|(id, class)| (&**id, *class)).collect();
        let id = |graph: NodeId| set.ids().get(graph).to_string();
        let test = (0..set.len() as NodeId).filter(|&graph| self.is_test(&id(graph)));
        let class = |graph| set.labels().and_then(|labels| labels.class(graph)).unwrap_or(UNKNOWN);
        // Graphs that came later are not known; they can be asked about.
        let both = test.filter_map(|graph| Some((class(graph), *known.get(&*id(graph))?)));
        let (classes, answers): (Vec<u32>, Vec<u32>) = both.unzip();
        some(classes.len(), "graphs set aside")?;
        let how = "counted: classes of graphs are public, and answers are made from reports";
        Ok(counted(&classes, &answers, None, &model.about.classes, "graphs", how))
    }

    /// What the model says about people whose features may be looked at, or who have sent reports.
    fn answers(&self, model: &Classifier, test: &Dataset) -> Result<Vec<u32>> {
        if !self.hides(DataPart::Features) {
            return model.classes(rows(test)?);
        }
        let known: HashMap<&str, u32> =
            model.answers.iter().map(|(id, class)| (&**id, *class)).collect();
        let answer = |node| known.get(&*test.ids().get(node).to_string()).copied();
        let answers: Option<Vec<u32>> = test.graph().nodes().map(answer).collect();
        answers.ok_or_else(|| {
            let found = "people who came after it was trained, and whose features only they hold";
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
const PEOPLE: &str = "people";
fn some(count: usize, what: &'static str) -> Result<()> {
    Error::unless(count > 0, what, count, "some: test.share in privet.toml")
}

/// People to be judged: their rows, and their classes.
struct Judged {
    rows: DenseMatrix,
    classes: Vec<u32>,
}

impl PublicShape for Judged {
    /// How many they are.
    type Shape = usize;

    fn shape(&self) -> usize {
        self.classes.len()
    }
}

fn for_all_people(classes: &[String], guess: u32) -> String {
    format!("one answer for all people, {}", classes[guess as usize])
}

/// Counts of what is public.
pub(crate) fn counted(
    classes: &[u32],
    answers: &[u32],
    scores: Option<&DenseMatrix>,
    names: &[String],
    of: &'static str,
    how: &'static str,
) -> Evaluation {
    // Only people with a known class can be counted.
    let known = || classes.iter().zip(answers).filter(|(class, _)| **class != UNKNOWN);
    let labelled = known().count();
    let right = known().filter(|(class, answer)| class == answer).count();
    let mut confusion = vec![vec![0i64; names.len()]; names.len()];
    for (&class, &answer) in known() {
        if let Some(count) =
            confusion.get_mut(class as usize).and_then(|row| row.get_mut(answer as usize))
        {
            *count += 1;
        }
    }
    let auc = scores.filter(|_| names.len() == 2).and_then(|scores| {
        let labelled = || (0..classes.len()).filter(|&at| classes[at] != UNKNOWN);
        let second: Vec<f32> = labelled().map(|at| scores.row(at)[1]).collect();
        let truth: Vec<bool> = labelled().map(|at| classes[at] == 1).collect();
        roc_auc(&second, &truth)
    });
    let by_class = ByClass::new(names, confusion, auc);
    let most = by_class.most_frequent();
    let share = |count: usize| exact_accuracy(count as u64, labelled as u64);
    let accuracy = share(by_class.size(most) as usize);
    Evaluation {
        accuracy: share(right),
        control: Some(Control { answers: for_all_people(names, most), accuracy }),
        by_class: Some(by_class),
        tested: classes.len(),
        of,
        card: None,
        counts: vec![right as i64, (labelled - right) as i64],
        how,
    }
}

fn classes(people: &Dataset) -> Vec<u32> {
    let class = |node| people.labels().and_then(|labels| labels.class(node)).unwrap_or(UNKNOWN);
    people.graph().nodes().map(class).collect()
}

/// The rows that the preprocessing made.
fn rows(people: &Dataset) -> Result<DenseMatrix> {
    let (what, remedy) = ("features", "declare people.columns in privet.toml");
    own_rows(people).ok_or_else(|| Error::Missing { dataset: people.name().into(), what, remedy })
}
