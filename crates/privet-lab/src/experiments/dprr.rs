//! DPRR measured: no score stands without what is beside it.
//!
//! | who reports what | what it shows |
//! |---|---|
//! | a [`DprrMethod`] on everybody's lists | what the system achieves |
//! | the same method, private lists empty ([`Lists::Empty`]) | what the number of users, and published lists, achieve alone |
//! | the same reports, read as in the paper ([`Reading::Plain`]) | what reading them as evidence adds |
//! | [`DprrMethod::NonPrivPart`] | what users who publish say about everybody |
//! | [`DprrMethod::NonPrivFull`], read in the better way | what privacy costs: the ceiling |
//! | the best of published lists, the number of users and the largest class | what needs no private list |
//! | the largest class, always | what no graph at all achieves |
//!
//! A seed decides split, noise, who publishes, who is malicious, and the learner, so that differences
//! are taken seed by seed. [`made_up`] has graphs for those who have none.

pub mod made_up;
pub mod poisoned;
mod words;

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::dprr::{
    Attacked, Crowd, Defence, Dprr, DprrMethod, GraphClassifier, GraphLearner, Poisoning, Reading,
    Reported, Reporting, Setting,
};
use privet::graph::{Direction, Graph, GraphSet, Split, SplitShares};
use privet::learn::metrics::roc_auc;
use privet::{Error, Protected, Result, Run};
use serde::{Deserialize, Serialize};

use super::baselines::{Named, best_of};
use super::cells::Key;
use super::trial::data::{accuracy_on, labelled_split};
use super::trial::{
    Comparison, Data, Outcome, SECONDS, Scores, Subject, TEST, Trial, VALIDATION, Variant, Words,
};

pub use words::settings;
pub use words::threat_model;

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

/// DPRR, or what stands beside it, on a set of graphs.
#[derive(Debug, Clone)]
pub struct DprrTrial<'a> {
    /// The data in the clear: the experimenter's view, for evaluation.
    pub data: Data<'a, GraphSet>,
    /// What private users hold.
    pub lists: Lists,
    /// How users report.
    pub protection: Reporting,
    /// What users of bad will do in training graphs.
    pub poisoning: Option<Poisoning>,
    /// What the collector does about it, in all graphs.
    pub defence: Defence,
    /// How the collector reads reports.
    pub reading: Reading,
    /// How the collector learns.
    pub learner: GraphLearner,
}

/// Area under the ROC curve on test graphs; the mean over classes if there are more than two.
pub const AUC: &str = "auc";
/// Entries per report.
pub const LENGTH: &str = "length";
/// The share of honest users who were flagged, in all graphs.
pub const HONEST_FLAGGED: &str = "honest_flagged";
/// The share of malicious users who were flagged; 0 if there are none.
pub const MALICIOUS_FLAGGED: &str = "malicious_flagged";
/// Seconds to collect.
pub const COLLECTING: &str = "collecting";
/// Seconds to learn.
pub const LEARNING: &str = "learning";

/// What scores follow from where something is randomised.
#[derive(Serialize)]
struct DprrKey {
    lists: Lists,
    setting: String,
    split: String,
    poisoning: Option<Poisoning>,
    defence: Defence,
}

impl Subject for DprrTrial<'_> {
    fn key(&self, variant: Variant) -> Key {
        let Self { data, lists, protection, poisoning, defence, reading, learner } =
            self.as_variant(variant);
        let key = Key::of(&data.key())
            .and(Key::of(&learner))
            .with("method", protection.method.name())
            .with("reading", reading.name());
        if protection.method == DprrMethod::NonPrivFull {
            // Nothing is randomised, so nothing else has a part in it.
            return key;
        }
        let (setting, split) =
            (format!("{:?}", protection.setting), format!("{:?}", protection.split));
        key.and(Key::of(&DprrKey { lists, setting, split, poisoning, defence }))
    }

    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        if variant == Variant::Majority {
            return Ok(Outcome { scores: Scores::new([(TEST, self.majority(seed)?)]), card: None });
        }
        if matches!(variant, Variant::Ceiling | Variant::NoPrivateData) {
            let scores = self.beside(variant, seed, interrupt)?;
            return Ok(Outcome { scores, card: None });
        }
        let run = Run::simulation(seed).watched_by(interrupt);
        let (scores, classified) = self.as_variant(variant).run_as(&run)?;
        let card = (variant == Variant::Private).then(|| classified.into_parts().1);
        Ok(Outcome { scores, card })
    }
}

impl Trial for DprrTrial<'_> {
    fn experiment(&self) -> &'static str {
        "run dprr"
    }

    fn variants(&self) -> Vec<Variant> {
        let someone_publishes = self.someone_publishes();
        let makes_sense = |variant: &Variant| match variant {
            Variant::Published => someone_publishes,
            Variant::Plain => self.reading != Reading::Plain,
            _ => true,
        };
        let all = [
            Variant::Private,
            Variant::Plain,
            Variant::Control,
            Variant::Published,
            Variant::NoPrivateData,
            Variant::Ceiling,
            Variant::Majority,
        ];
        all.into_iter().filter(makes_sense).collect()
    }

    fn about(&self, variant: Variant) -> String {
        match variant {
            Variant::Plain => "the same, with the paper's reading and split of epsilon",
            Variant::Control => "private lists empty: the number of users, and what is published",
            Variant::Published => "lists of the users who publish, and no others (NonPriv-Part)",
            Variant::Clear => "all lists in the clear (NonPriv-Full)",
            Variant::Ceiling => {
                "all lists in the clear, the best of several learners: what privacy costs"
            }
            Variant::NoPrivateData => {
                "the best that reads no private list: the number of users, published lists"
            }
            Variant::Majority => "the largest class, always",
            _ => "everybody's randomised list",
        }
        .into()
    }

    fn words(&self, comparison: &Comparison) -> Words {
        words::words(self, comparison)
    }
}

impl<'a> DprrTrial<'a> {
    /// Honest users, and a collector who trusts them.
    pub fn new(data: Data<'a, GraphSet>, method: DprrMethod, setting: Setting) -> Self {
        let (defence, reading) = (Defence::None, Reading::default());
        let protection = Reporting { method, setting, split: reading.split() };
        let (lists, learner) = (Lists::Real, GraphLearner::default());
        Self { data, lists, protection, poisoning: None, defence, reading, learner }
    }

    /// The same with the reading and the network of the published figures.
    pub fn believed(data: Data<'a, GraphSet>, method: DprrMethod, setting: Setting) -> Self {
        Self::new(data, method, setting).reading(Reading::Believed)
    }

    fn as_variant(&self, variant: Variant) -> Self {
        let mut trial = self.clone();
        match variant {
            Variant::Plain => trial = trial.reading(Reading::Plain),
            Variant::Control => trial.lists = Lists::Empty,
            Variant::Published => trial.protection.method = DprrMethod::NonPrivPart,
            Variant::Clear | Variant::Ceiling => {
                trial.protection.method = DprrMethod::NonPrivFull;
            }
            _ => {}
        }
        trial
    }

    /// The same with another reading, and the split of epsilon that suits it.
    #[must_use]
    pub fn reading(mut self, reading: Reading) -> Self {
        self.reading = reading;
        self.protection.split = reading.split();
        self
    }

    /// The graphs, 75/10/15.
    ///
    /// # Errors
    /// Never in practice: the shares are fixed.
    pub fn split(&self, seed: u64) -> Result<Split> {
        let set = self.data.dataset;
        labelled_split(0..set.len() as u32, set.labels(), SHARES, seed)
    }

    fn someone_publishes(&self) -> bool {
        match &self.protection.setting {
            Setting::Common { .. } => false,
            Setting::Customised { public_share, .. } => *public_share > 0.0,
            Setting::PerUser(all) => all.contains(&f64::INFINITY),
        }
    }

    /// The best of what reads every list in the clear, or of what reads no private one.
    fn beside(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Scores> {
        let of = |trial: Self, variant| -> Box<dyn FnOnce() -> Result<Scores> + '_> {
            Box::new(move || Ok(trial.run(variant, seed, interrupt)?.scores))
        };
        let largest = || {
            let (split, labels) = (self.split(seed)?, Crowd::new(self.data.dataset)?.labels);
            let largest = self.largest_class(seed)?;
            let predicted = vec![largest; labels.len()];
            let share = |graphs: &[u32]| accuracy_on(graphs, &predicted, &labels);
            let (validation, test) = (share(&split.validation), share(&split.test));
            Ok(Scores::new([(VALIDATION, validation), (TEST, test), (AUC, 0.5)]))
        };
        let mut learners: Vec<Named<'_>> = vec![("the largest class", Box::new(largest))];
        // What everybody knows: how many users a graph has.
        let mut silent = self.clone().reading(Reading::Summary);
        silent.lists = Lists::Empty;
        silent.protection.method = DprrMethod::NonPrivPart;
        silent.protection.setting = Setting::Common { epsilon: 1.0 };
        learners.push(("the number of users", of(silent, Variant::Private)));
        match variant {
            Variant::Ceiling => {
                let summary = self.clone().reading(Reading::Summary);
                learners.push(("summaries, lists as evidence", of(summary, Variant::Clear)));
                let plain = self.clone().reading(Reading::Plain);
                learners.push(("lists read plainly", of(plain, Variant::Clear)));
            }
            _ if self.someone_publishes() => {
                learners.push(("published lists", of(self.clone(), Variant::Published)));
            }
            _ => {}
        }
        best_of(learners)
    }

    /// The class that is largest in training graphs.
    fn largest_class(&self, seed: u64) -> Result<u32> {
        let (split, labels) = (self.split(seed)?, Crowd::new(self.data.dataset)?.labels);
        let count =
            |class: u32| split.train.iter().filter(|&&g| labels.class(g) == Some(class)).count();
        Ok((0..labels.class_count() as u32).max_by_key(|&class| count(class)).unwrap_or(0))
    }

    /// The share of test graphs in the class that is largest in training graphs.
    ///
    /// # Errors
    /// If there are no classes.
    pub fn majority(&self, seed: u64) -> Result<f64> {
        let (split, labels) = (self.split(seed)?, Crowd::new(self.data.dataset)?.labels);
        let largest = self.largest_class(seed)?;
        let found = split.test.iter().filter(|&&graph| labels.class(graph) == Some(largest));
        Ok(found.count() as f64 / split.test.len().max(1) as f64)
    }

    /// Runs it with noise and a ledger of the caller's choice.
    ///
    /// # Errors
    /// Those of the system; an attack or a defence on anything but reports of DPRR is refused.
    pub fn run_as(&self, run: &Run<'_>) -> Result<(Scores, Protected<GraphClassifier>)> {
        let seed = run.seed;
        let guarded = self.poisoning.is_some() || self.defence != Defence::None;
        if guarded && self.protection.method != DprrMethod::Dprr {
            let expected = "dprr: the attack and the defence are about its reports";
            return Err(Error::invalid("method", self.protection.method.name(), expected));
        }
        let split = self.split(seed)?;
        let sizes: Vec<usize> = self.data.dataset.graphs().iter().map(Graph::node_count).collect();
        let chosen = self.protection.setting.choose(&sizes, seed)?;
        let crowd = match self.lists {
            Lists::Real => Crowd::new(self.data.dataset)?,
            Lists::Empty => Crowd::without_private_lists(self.data.dataset, &chosen)?,
        };
        let begun = Instant::now();
        let mut collected = self.protection.collect(&crowd, &chosen, run.noise, &run.ledgers)?;
        let collecting = begun.elapsed().as_secs_f64();
        let malicious = match &self.poisoning {
            Some(poisoning) => {
                let (mut bad, graphs) = (Vec::new(), split.train.as_slice());
                let (direction, labels) = (crowd.direction, &crowd.labels);
                let attacked = Attacked { graphs, direction, labels };
                collected = collected.try_map(|mut said| {
                    let Reported { graphs, claims } = &mut said;
                    bad = poisoning.apply(graphs, claims, &attacked, seed)?;
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
        let share =
            |graphs: &[u32]| accuracy_on(graphs, &classified.get().predicted, &crowd.labels);
        let scores = Scores::new([
            (VALIDATION, share(&split.validation)),
            (TEST, share(&split.test)),
            (AUC, area(&classified, &crowd, &split.test)),
            (LENGTH, arcs as f64 / users.max(1) as f64),
            (HONEST_FLAGGED, honest_flagged),
            (MALICIOUS_FLAGGED, malicious_flagged),
            (COLLECTING, collecting),
            (LEARNING, learning),
            (SECONDS, collecting + learning),
        ]);
        Ok((scores, classified))
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

fn area(classified: &Protected<GraphClassifier>, crowd: &Crowd, graphs: &[u32]) -> f64 {
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

#[cfg(test)]
mod tests;
