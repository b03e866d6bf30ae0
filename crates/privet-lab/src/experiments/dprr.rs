//! DPRR measured: one run is a [`Case`], and no score stands without what is beside it.
//!
//! | who reports what | what it shows |
//! |---|---|
//! | a [`Method`] on everybody's lists | what the system achieves |
//! | the same method, private lists empty ([`Lists::Empty`]) | what the number of users, and published lists, achieve alone |
//! | the same reports, read as in the paper ([`Reading::Plain`]) | what reading them as evidence adds |
//! | [`Method::NonPrivPart`] | what users who publish say about everybody |
//! | [`Method::NonPrivFull`] | what privacy costs: the ceiling |
//! | the largest class, always | what no graph at all achieves |
//!
//! A seed decides split, noise, who publishes, who is malicious, and the learner, so that differences
//! are taken seed by seed. [`compare`] runs a method beside all of these; [`made_up`] has graphs for
//! those who have none.

pub mod compare;
pub mod made_up;
pub mod poisoned;
pub mod write_up;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::Run;
use privet::dprr::{
    Classified, Crowd, Defence, Dprr, GraphLearner, Method, Poisoning, Protection, Reading,
    Reported, Setting,
};
use privet::graph::{Direction, Graph, GraphSet, Split, SplitShares};
use privet::learn::metrics::{accuracy, roc_auc};
use privet::privacy::Card;
use privet::{Books, Noise};
use privet::{Error, Result};
use serde::{Deserialize, Serialize};

use super::cells::Key;
use super::measure::checksum;

/// The paper's split for threads of Reddit.
pub const SHARES: SplitShares = SplitShares { train: 0.75, validation: 0.10, test: 0.15 };

/// What private users hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lists {
    /// Their real lists.
    Real,
    /// Empty ones: the control.
    Empty,
}

/// One run.
#[derive(Debug, Clone)]
pub struct Case<'a> {
    /// What cells call the data.
    pub name: &'a str,
    /// The data in the clear: the experimenter's view, for evaluation.
    pub set: &'a GraphSet,
    /// What private users hold.
    pub lists: Lists,
    /// How users report.
    pub protection: Protection,
    /// What users of bad will do in training graphs.
    pub poisoning: Option<Poisoning>,
    /// What the collector does about it, in all graphs.
    pub defence: Defence,
    /// How the collector reads reports.
    pub reading: Reading,
    /// How the collector learns.
    pub learner: GraphLearner,
    /// Decides everything random.
    pub seed: u64,
}

/// What one run scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Accuracy on validation graphs: for choosing settings.
    pub validation: f64,
    /// Accuracy on test graphs: for reporting.
    pub test: f64,
    /// Area under the ROC curve on test graphs; the mean over classes if there are more than two.
    pub auc: f64,
    /// Entries per report.
    pub length: f64,
    /// The share of honest users who were flagged, in all graphs.
    pub honest_flagged: f64,
    /// The share of malicious users who were flagged; 0 if there are none.
    pub malicious_flagged: f64,
    /// Seconds to collect.
    pub collecting: f64,
    /// Seconds to learn.
    pub learning: f64,
}

impl<'a> Case<'a> {
    /// Honest users, and a collector who trusts them.
    pub fn new(name: &'a str, set: &'a GraphSet, method: Method, setting: Setting) -> Self {
        let (defence, reading) = (Defence::None, Reading::default());
        let protection = Protection { method, setting, split: reading.split() };
        let (lists, learner) = (Lists::Real, GraphLearner::default());
        Self { name, set, lists, protection, poisoning: None, defence, reading, learner, seed: 0 }
    }

    /// The same with another reading, and the split of epsilon that suits it.
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self.protection.split = reading.split();
        self
    }

    /// Everything the score follows from. Settings of the learner stand in it as a checksum.
    pub fn key(&self) -> Key {
        let Self { set, protection, learner, .. } = self;
        let size = format!("{} graphs, {} users", set.len(), set.node_count());
        let key = Key::new()
            .with("dataset", self.name)
            .with("size", size)
            .with("method", protection.method.name())
            .with("reading", self.reading.name())
            .with("learner", checksum(&format!("{learner:?}")))
            .with("seed", self.seed);
        if protection.method == Method::NonPrivFull {
            // Nothing is randomised, so nothing else has a part in it.
            return key;
        }
        let setting = match &protection.setting {
            Setting::Common { epsilon } => format!("epsilon {epsilon}, lambda 0"),
            Setting::Customised { epsilon, public_share } => {
                format!("epsilon {epsilon}, lambda {public_share}")
            }
            Setting::PerUser(all) => checksum(&format!("{all:?}")),
        };
        key.with("lists", format!("{:?}", self.lists).to_lowercase())
            .with("setting", setting)
            .with("split", format!("{:?}", protection.split))
            .with("poisoning", format!("{:?}", self.poisoning))
            .with("defence", format!("{:?}", self.defence))
    }

    /// The graphs, 75/10/15.
    ///
    /// # Errors
    /// Never in practice: the shares are fixed.
    pub fn split(&self) -> Result<Split> {
        let classed = |graph: &u32| self.set.labels().is_some_and(|l| l.class(*graph).is_some());
        let graphs = (0..self.set.len() as u32).filter(classed);
        Ok(Split::random(graphs, SHARES, self.seed)?)
    }

    /// The share of test graphs in the class that is largest in training graphs.
    ///
    /// # Errors
    /// If there are no classes.
    pub fn majority(&self) -> Result<f64> {
        let (split, labels) = (self.split()?, Crowd::new(self.set)?.labels);
        let count = |graphs: &[u32], class: u32| {
            graphs.iter().filter(|&&graph| labels.class(graph) == Some(class)).count()
        };
        let classes = 0..labels.class_count() as u32;
        let largest = classes.max_by_key(|&class| count(&split.train, class)).unwrap_or(0);
        Ok(count(&split.test, largest) as f64 / split.test.len().max(1) as f64)
    }

    /// Runs it, with replayed noise.
    ///
    /// # Errors
    /// Those of the system; an attack or a defence on anything but reports of DPRR is refused.
    pub fn run(&self, interrupt: &AtomicBool) -> Result<(Score, Card)> {
        let noise = Noise::Replay(self.seed);
        let run = Run { noise, books: Books::Memory, seed: self.seed, interrupt };
        let (score, classified) = self.run_as(&run)?;
        Ok((score, classified.into_parts().1))
    }

    /// Runs it with noise and a ledger of the caller's choice.
    ///
    /// # Errors
    /// As [`Case::run`].
    pub fn run_as(&self, run: &Run<'_>) -> Result<(Score, Classified)> {
        let guarded = self.poisoning.is_some() || self.defence != Defence::None;
        if guarded && self.protection.method != Method::Dprr {
            let expected = "dprr: the attack and the defence are about its reports";
            return Err(Error::invalid("method", self.protection.method.name(), expected));
        }
        let split = self.split()?;
        let sizes: Vec<usize> = self.set.graphs().iter().map(Graph::node_count).collect();
        let chosen = self.protection.setting.choose(&sizes, self.seed)?;
        let crowd = match self.lists {
            Lists::Real => Crowd::new(self.set)?,
            Lists::Empty => Crowd::without_private_lists(self.set, &chosen)?,
        };
        let begun = Instant::now();
        let mut collected = self.protection.collect(&crowd, &chosen, run.noise, &run.books)?;
        let collecting = begun.elapsed().as_secs_f64();
        let malicious = match &self.poisoning {
            Some(poisoning) => {
                let mut bad = Vec::new();
                collected = collected.try_map(|mut said| {
                    let Reported { graphs, claims } = &mut said;
                    bad = poisoning.apply(graphs, claims, &split.train, self.seed)?;
                    Ok::<_, Error>(said)
                })?;
                bad
            }
            None => Vec::new(),
        };
        let arcs: usize = collected.get().graphs.iter().map(Graph::arc_count).sum();
        let users: usize = collected.get().graphs.iter().map(Graph::node_count).sum();
        let begun = Instant::now();
        let (mut honest_flagged, mut malicious_flagged) = (0.0, 0.0);
        let collected = collected.try_map(|mut said| {
            (honest_flagged, malicious_flagged) =
                self.judge(&mut said, crowd.direction, &malicious)?;
            Ok::<_, Error>(said)
        })?;
        let (protection, learner) = (self.protection.clone(), self.learner.clone());
        let system = Dprr { protection, reading: self.reading, learner };
        let classified = system.learn(collected, &crowd, &split, run)?;
        let learning = begun.elapsed().as_secs_f64();
        let score = Score {
            validation: share(&classified, &crowd, &split.validation),
            test: share(&classified, &crowd, &split.test),
            auc: area(&classified, &crowd, &split.test),
            length: arcs as f64 / users.max(1) as f64,
            honest_flagged,
            malicious_flagged,
            collecting,
            learning,
        };
        Ok((score, classified))
    }

    /// Judges the users of all graphs; gives the shares of honest and of malicious users flagged.
    fn judge(
        &self,
        said: &mut Reported,
        direction: Direction,
        malicious: &[Vec<u32>],
    ) -> Result<(f64, f64)> {
        let Reported { graphs, claims } = said;
        let flagged = self.defence.judge(graphs, claims, direction)?;
        Defence::strike(graphs, claims, &flagged);
        let of_graph = |at: usize| malicious.get(at).map_or(&[][..], Vec::as_slice);
        let guilty = |(at, users): (usize, &Vec<u32>)| {
            users.iter().filter(|&user| of_graph(at).binary_search(user).is_ok()).count()
        };
        let guilty: usize = flagged.iter().enumerate().map(guilty).sum();
        let all: usize = flagged.iter().map(Vec::len).sum();
        let bad: usize = malicious.iter().map(Vec::len).sum();
        let of = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        Ok((of(all - guilty, claims.len() - bad), of(guilty, bad)))
    }
}

fn share(classified: &Classified, crowd: &Crowd, graphs: &[u32]) -> f64 {
    let predicted: Vec<u32> =
        graphs.iter().map(|&g| classified.get().predicted[g as usize]).collect();
    let truth: Vec<u32> =
        graphs.iter().map(|&g| crowd.labels.class(g).unwrap_or(u32::MAX)).collect();
    accuracy(&predicted, &truth).unwrap_or(0.0)
}

fn area(classified: &Classified, crowd: &Crowd, graphs: &[u32]) -> f64 {
    let classes = crowd.labels.class_count();
    let of_class = |class: usize| {
        let scores: Vec<f32> = graphs
            .iter()
            .map(|&graph| {
                let row = classified.get().scores.row(graph as usize);
                let others = row.iter().enumerate().filter(|(at, _)| *at != class);
                row[class] - others.map(|(_, &score)| score).fold(f32::MIN, f32::max)
            })
            .collect();
        let truth: Vec<bool> =
            graphs.iter().map(|&graph| crowd.labels.class(graph) == Some(class as u32)).collect();
        roc_auc(&scores, &truth).unwrap_or(0.5)
    };
    match classes {
        0 | 1 => 0.5,
        2 => of_class(1),
        _ => (0..classes).map(of_class).sum::<f64>() / classes as f64,
    }
}
