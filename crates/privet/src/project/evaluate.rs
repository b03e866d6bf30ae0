//! [`Project::evaluate`]: how good a model is on people who were set aside, at a price.
//!
//! | private | how | price |
//! |---|---|---|
//! | whole people | noisy counts of right and wrong answers about each one's own record ([`Tally`]) | epsilon of the project |
//! | labels, on devices | each test person's label by randomised response; the share of agreement, made unbiased | epsilon of the record |
//! | features alone, or connections alone | labels are public and the model is a release: counted as they are | nothing |
//! | links, which are public | of a link and a pair that is none, which one scores higher | nothing |
//! | lists of contacts, whose graphs have public classes | counted as they are | nothing |
//!
//! A person's connections would change the answers about others, so each person is judged by their own record alone: one person
//! is one vote. A vote also says whether the person is of the class that the model guesses for an empty record, so that the
//! same price tells what one answer for all people would reach: the [`Control`]. There is no ceiling here: what
//! a model of the data in the clear would reach is a fact about all of them, which no vote of one person bounds.

mod links;

use std::collections::HashMap;

use super::Project;
use super::config::Protects;
use crate::dpar::UNKNOWN;
use crate::dpar::people::released;
use crate::graph::{Dataset, DenseMatrix, NodeId};
use crate::model::interval::{ShareInterval, exact_accuracy, noisy_accuracy, response_accuracy};
use crate::model::newcomers::own_rows;
use crate::model::{Classifier, GraphModel, Model};
use crate::privacy::fault::{self, Fault};
use crate::privacy::features::LabelRr;
use crate::privacy::tally::{Ballots, Tally};
use crate::privacy::unit::{Label, Node, Part};
use crate::privacy::{Card, Ledger, Loss, PublicShape, Secret, Unit};
use crate::{Error, LedgerStore, Result, Run};

/// How good a model is.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Evaluation {
    /// The share of right answers.
    pub accuracy: ShareInterval,
    /// The accuracy of an attacker who knows nothing about any person.
    pub control: Option<Control>,
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
        let hides = self.hides(Part::Labels) && !fault::on(Fault::LabelsComparedInClear);
        match (self.config().protects(Protects::People), hides) {
            (true, _) => {
                let guess = model.guess()?;
                self.count_privately(model, &dataset, Some(guess), epsilon, run)
            }
            (false, true) => self.ask_privately(model, &dataset, epsilon, run),
            (false, false) => self.count(model, &dataset),
        }
    }

    /// Whether an evaluation reads nothing private: what answers are compared with is public.
    pub fn evaluation_is_free(&self, model: &Model) -> bool {
        match model {
            Model::People(_) => !self.hides(Part::Labels),
            Model::Pairs(_) | Model::Graphs(_) => true,
        }
    }

    /// Whole people: one vote each, for right or wrong, counted with noise. With a `guess` a vote also says whether that
    /// is the class of a person.
    pub(super) fn count_privately(
        &self,
        model: &Classifier,
        test: &Dataset,
        guess: Option<u32>,
        epsilon: f64,
        run: &Run<'_>,
    ) -> Result<Evaluation> {
        let tested = test.graph().node_count();
        let judged = Secret::new(Judged { rows: rows(test)?, classes: classes(test) });
        // Without a guess two cells suffice, and each count has less noise.
        let cells = if guess.is_some() { CELLS } else { CELLS / 2 };
        let tally = Tally::<Node>::new(cells, epsilon)?;
        let noise = tally.noise().clone();
        let (counts, card) = self.charged("nodes", epsilon, run, |ledger| {
            // After the charge, in the ledger's hands.
            let votes = |judged: &Judged| {
                Ok(votes(&judged.classes, &model.classes(judged.rows.clone())?, guess))
            };
            released(&judged, ledger, tally, OWN_RECORD, tested, votes)
        })?;
        let cell = |at: u32| counts.get(at as usize).copied().unwrap_or(0);
        let share = |of: [u32; 2], rest: [u32; 2]| {
            // Of a share the other cells are the rest: both sums have the same noise law.
            let [right, wrong] = [of, rest].map(|[a, b]| cell(a).saturating_add(cell(b)));
            noisy_accuracy(right, wrong, tested as u64, &noise, cells as usize / 2)
        };
        let accuracy = share([RIGHT, RIGHT + GUESSED], [WRONG, WRONG + GUESSED]);
        let control = guess.map(|guess| Control {
            answers: for_all_people(&model.about.classes, guess),
            accuracy: share([RIGHT + GUESSED, WRONG + GUESSED], [RIGHT, WRONG]),
        });
        let how = "noisy counts of right and wrong answers about each one's own record";
        Ok(Evaluation { accuracy, control, tested, of: PEOPLE, card: Some(card), counts, how })
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
        let guess = model.guess()?;
        let answers = for_all_people(&model.about.classes, guess);
        let control = Some(Control { answers, accuracy: share(&|_| guess).1 });
        let counts = vec![agree as i64, (tested - agree) as i64];
        let how = "agreement with labels that went through randomised response";
        Ok(Evaluation { accuracy, control, tested, of: PEOPLE, card: Some(card), counts, how })
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
        let (classes, guess) = (classes(test), model.guess()?);
        let answers = self.answers(model, test)?;
        let how = "counted: labels are public here, and answers are made from what was released";
        Ok(counted(&classes, &answers, &model.about.classes, guess, PEOPLE, how))
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
        let learned: Vec<NodeId> =
            (0..set.len() as NodeId).filter(|&graph| !self.is_test(&id(graph))).collect();
        let sizes = set.labels().map(|labels| labels.select(&learned).class_sizes());
        let sizes = sizes.unwrap_or_default();
        // Of equal classes the first.
        let guess = (0..sizes.len()).max_by_key(|&class| (sizes[class], usize::MAX - class));
        let guess = guess.unwrap_or(0) as u32;
        let how = "counted: classes of graphs are public, and answers are made from reports";
        Ok(counted(&classes, &answers, &model.about.classes, guess, "graphs", how))
    }

    /// What the model says about people whose features may be looked at, or who have sent reports.
    fn answers(&self, model: &Classifier, test: &Dataset) -> Result<Vec<u32>> {
        if !self.hides(Part::Features) {
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
const RIGHT: u32 = 0;
const WRONG: u32 = 1;
/// Added to a vote of a person who has the guessed class.
const GUESSED: u32 = 2;

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

/// How many cells there are to vote in, with a guess.
pub const CELLS: u32 = 4;

/// The votes about answers that [`Project::evaluate`] counts with noise: one of each person, in one of [`CELLS`] cells;
/// none of a person without a class ([`UNKNOWN`]).
pub fn votes(classes: &[u32], answers: &[u32], guess: Option<u32>) -> Ballots {
    let vote = |(class, answer): (&u32, &u32)| match *class {
        // A person without a class has no vote.
        UNKNOWN => None,
        class => {
            let right = if class == *answer { RIGHT } else { WRONG };
            Some(if guess == Some(class) { right + GUESSED } else { right })
        }
    };
    let mut votes: Vec<Option<u32>> = classes.iter().zip(answers).map(vote).collect();
    if fault::on(Fault::VotesInTwoCells) {
        let second = votes.iter().map(|vote| vote.map(|cell| (cell + GUESSED) % CELLS));
        votes.extend(second.collect::<Vec<_>>());
    }
    Ballots(votes)
}

fn for_all_people(classes: &[String], guess: u32) -> String {
    format!("one answer for all people, {}", classes[guess as usize])
}

/// Counts of what is public.
pub(crate) fn counted(
    classes: &[u32],
    answers: &[u32],
    names: &[String],
    guess: u32,
    of: &'static str,
    how: &'static str,
) -> Evaluation {
    // Only people with a known class can be counted.
    let known = || classes.iter().zip(answers).filter(|(class, _)| **class != UNKNOWN);
    let labelled = known().count();
    let right = known().filter(|(class, answer)| class == answer).count();
    let guessed = known().filter(|(class, _)| **class == guess).count();
    let share = |count: usize| exact_accuracy(count as u64, labelled as u64);
    Evaluation {
        accuracy: share(right),
        control: Some(Control { answers: for_all_people(names, guess), accuracy: share(guessed) }),
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
