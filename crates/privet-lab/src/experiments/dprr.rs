//! DPRR measured: no score stands without what is beside it.
//!
//! | who reports what | what it shows |
//! |---|---|
//! | a [`DprrMethod`] on every user's lists | what the system achieves |
//! | the same method, private lists empty ([`Lists::Empty`]) | what the number of users, and published lists, achieve alone |
//! | the same reports, read as in the paper ([`Reading::Plain`]) | what reading them as evidence adds |
//! | [`DprrMethod::NonPrivPart`] | what users who publish say about every user |
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
    AttackTargets, Crowd, Defence, Dprr, DprrMethod, GraphClassifier, GraphLearner, Poisoning,
    Reading, Reporting, Setting, UserReports,
};
use privet::graph::{Direction, Graph, GraphSet, Split};
use privet::release::{SHARES, labelled_split};
use privet::{Error, Protected, Result, Run};
use serde::{Deserialize, Serialize};

use super::baselines::{NamedLearner, best_of};
use super::cells::Key;
use super::trial::{
    Classified, Comparison, NamedData, Outcome, SECONDS, Subject, Trial, TrialScores, TrialText,
    Variant,
};

pub use words::settings;
pub use words::threat_model;

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
    pub data: NamedData<'a, GraphSet>,
    /// What private users hold.
    pub lists: Lists,
    /// How users report.
    pub protection: Reporting,
    /// What users of bad will do in training graphs.
    pub poisoning: Option<Poisoning>,
    /// What the collector does about it, in all graphs.
    pub defence: Defence,
    /// How the collector interprets reports.
    pub reading: Reading,
    /// How the collector learns.
    pub learner: GraphLearner,
}

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
        // The majority needs no report and no model.
        if variant == Variant::Majority {
            let (split, labels) = (self.split(seed)?, Crowd::new(self.data.dataset)?.labels);
            let predicted = vec![self.largest_class(seed)?; labels.len()];
            let found = Classified { predicted: &predicted, scores: None, labels: &labels };
            return Ok(Outcome { scores: found.on_test(&split.test), card: None });
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
        // Without users who publish, their variants would be empty.
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
            _ => "every user's randomised list",
        }
        .into()
    }

    fn words(&self, comparison: &Comparison) -> TrialText {
        words::words(self, comparison)
    }
}

impl<'a> DprrTrial<'a> {
    /// Honest users, and a collector who trusts them.
    pub fn new(data: NamedData<'a, GraphSet>, method: DprrMethod, setting: Setting) -> Self {
        let (defence, reading) = (Defence::None, Reading::default());
        let protection = Reporting { method, setting, split: reading.split() };
        let (lists, learner) = (Lists::Real, GraphLearner::default());
        Self { data, lists, protection, poisoning: None, defence, reading, learner }
    }

    /// The same with the reading and the network of the published figures.
    pub fn believed(data: NamedData<'a, GraphSet>, method: DprrMethod, setting: Setting) -> Self {
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
    // Debug text: every setting has a part in the key.

    /// The system to be released once.
    pub fn system(&self) -> Dprr {
        let (protection, learner) = (self.protection.clone(), self.learner.clone());
        Dprr { protection, reading: self.reading, learner }
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
    fn beside(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<TrialScores> {
        let of = |trial: Self, variant| -> Box<dyn FnOnce() -> Result<TrialScores> + '_> {
            Box::new(move || Ok(trial.run(variant, seed, interrupt)?.scores))
        };
        let largest = || {
            let (split, labels) = (self.split(seed)?, Crowd::new(self.data.dataset)?.labels);
            let largest = self.largest_class(seed)?;
            let predicted = vec![largest; labels.len()];
            let found = Classified { predicted: &predicted, scores: None, labels: &labels };
            Ok(found.on(&split))
        };
        let mut learners: Vec<NamedLearner<'_>> = vec![("the largest class", Box::new(largest))];
        // What is public: how many users a graph has.
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
    pub fn run_as(&self, run: &Run<'_>) -> Result<(TrialScores, Protected<GraphClassifier>)> {
        let seed = run.seed;
        let guarded = self.poisoning.is_some() || self.defence != Defence::None;
        // Attacks are written for DPRR's reports; other mechanisms would make them meaningless.
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
        // The ledger is charged here; attack and defence are post-processing.
        let mut collected = self.protection.collect(&crowd, &chosen, run.noise, &run.ledgers)?;
        let collecting = begun.elapsed().as_secs_f64();
        let malicious = match &self.poisoning {
            Some(poisoning) => {
                let (mut bad, graphs) = (Vec::new(), split.train.as_slice());
                let (direction, labels) = (crowd.direction, &crowd.labels);
                let attacked = AttackTargets { graphs, direction, labels };
                collected = collected.try_map(|mut said| {
                    let UserReports { graphs, claims } = &mut said;
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
            // The defence sees reports alone; who is malicious only judges it.
            Ok::<_, Error>(said)
        })?;
        let classified = self.system().learn(collected, &crowd, &split, run)?;
        let learning = begun.elapsed().as_secs_f64();
        let GraphClassifier { predicted, scores, .. } = classified.get();
        let found = Classified { predicted, scores: Some(scores), labels: &crowd.labels };
        let scores = found.on(&split).and([
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
        said: &mut UserReports,
        direction: Direction,
        malicious: &[Vec<u32>],
    ) -> Result<(f64, f64)> {
        let UserReports { graphs, claims } = said;
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
        // Shares among honest and among malicious users: a rate of false alarms and one of hits.
        Ok((of(all - guilty, claims.len() - bad), of(guilty, bad)))
    }
}

#[cfg(test)]
mod tests {
    use privet::dprr::{Division, SplitRule};

    use super::made_up::threads;
    use super::*;
    use crate::experiments::trial::TEST;

    fn set() -> GraphSet {
        threads(20, 8..12, 1).unwrap()
    }

    fn trial(set: &GraphSet) -> DprrTrial<'_> {
        let learner = GraphLearner { epochs: 2, hidden: 4, ..GraphLearner::default() };
        let setting = Setting::Common { epsilon: 1.0 };
        DprrTrial {
            learner,
            ..DprrTrial::new(NamedData::new("threads", set), DprrMethod::Dprr, setting)
        }
    }

    /// Whatever changes a score changes the key; what every user publishes does not depend on a mechanism.
    #[test]
    fn keys_say_what_scores_follow_from() {
        let set = set();
        let first = trial(&set);
        let mut others = vec![first.clone(); 7];
        others[0].data = NamedData::new("others", &set);
        others[1].lists = Lists::Empty;
        others[2].protection.setting = Setting::Common { epsilon: 2.0 };
        others[3].protection.split = SplitRule { split: Division::Fixed, alpha: 0.9 };
        others[4].defence = Defence::Threshold { theta: 0.05 };
        others[5].reading = Reading::Plain;
        others[6].learner.hidden = 8;
        for other in &others {
            let key = other.key(Variant::Private);
            assert_ne!(key, first.key(Variant::Private), "{key}");
        }
        for epsilon in [&others[1], &others[2], &others[3], &others[4]] {
            assert_eq!(epsilon.key(Variant::Ceiling), first.key(Variant::Ceiling));
        }
        assert_ne!(others[6].key(Variant::Ceiling), first.key(Variant::Ceiling));
        assert_eq!(first.key(Variant::Control), others[1].key(Variant::Private), "empty lists");
    }

    #[test]
    fn what_stands_beside_depends_on_who_publishes_and_who_reads() {
        let set = set();
        let mut trial = trial(&set);
        let has = |trial: &DprrTrial<'_>, variant| trial.variants().contains(&variant);
        assert!(!has(&trial, Variant::Published) && has(&trial, Variant::Plain));
        trial.protection.setting = Setting::Customised { epsilon: 1.0, public_share: 0.2 };
        assert!(has(&trial, Variant::Published));
        trial.protection.setting = Setting::Customised { epsilon: 1.0, public_share: 0.0 };
        assert!(!has(&trial, Variant::Published), "a share of no users");
        let plain = trial.reading(Reading::Plain);
        assert!(!has(&plain, Variant::Plain), "it is the system itself");
        assert_eq!(plain.variants()[0], Variant::Private);
        assert_eq!(plain.protection.split, Reading::Plain.split());
    }

    /// Classes alternate, so of 20 graphs the largest class holds about half of any split.
    #[test]
    fn the_largest_class_is_that_of_training_graphs() {
        let set = set();
        let trial = trial(&set);
        let split = trial.split(3).unwrap();
        assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (15, 2, 3));
        let labels = set.labels().unwrap();
        let count = |graphs: &[u32], class| {
            graphs.iter().filter(|&&graph| labels.class(graph) == Some(class)).count()
        };
        let largest = u32::from(count(&split.train, 1) > count(&split.train, 0));
        let expected = count(&split.test, largest) as f64 / 3.0;
        assert_eq!(trial.majority(3).unwrap(), expected);
        let never = AtomicBool::new(false);
        let outcome = trial.run(Variant::Majority, 3, &never).unwrap();
        assert_eq!((outcome.scores.test(), outcome.card), (expected, None));
    }

    #[test]
    fn a_seed_decides_everything_and_only_the_system_has_a_card() {
        let set = set();
        // Reports that name neighbours, so that noise shows in their lengths.
        let (trial, never) = (trial(&set).reading(Reading::Plain), AtomicBool::new(false));
        let scores = |variant, seed| {
            let Outcome { scores, card } = trial.run(variant, seed, &never).unwrap();
            assert_eq!(card.is_some(), variant == Variant::Private);
            [TEST, LENGTH].map(|name| scores.get(name).unwrap())
        };
        assert_eq!(scores(Variant::Private, 1), scores(Variant::Private, 1));
        assert_ne!(scores(Variant::Private, 1)[1], scores(Variant::Private, 2)[1], "other noise");
        // Each edge stands in both lists of a tree.
        let (edges, users) =
            (set.graphs().iter().map(Graph::edge_count).sum::<usize>(), set.node_count());
        let length = scores(Variant::Clear, 1)[1];
        assert!((length - 2.0 * edges as f64 / users as f64).abs() < 1e-12, "{length}");
    }

    #[test]
    fn attacks_and_defences_are_about_reports_of_dprr() {
        let set = set();
        let mut trial = trial(&set);
        trial.protection.method = DprrMethod::Rr;
        trial.defence = Defence::Threshold { theta: 0.05 };
        let error = trial.run(Variant::Private, 1, &AtomicBool::new(false)).unwrap_err();
        assert!(error.to_string().contains("about its reports"), "{error}");
    }

    /// Without malicious users none were judged: there are no shares.
    #[test]
    fn without_a_defence_nobody_is_flagged() {
        let set = set();
        let (trial, never) = (trial(&set), AtomicBool::new(false));
        let scores = trial.run(Variant::Private, 1, &never).unwrap().scores;
        assert_eq!(scores.get(HONEST_FLAGGED), Some(0.0));
        assert_eq!(scores.get(MALICIOUS_FLAGGED), Some(0.0));
        assert!(scores.seconds() >= scores.get(LEARNING).unwrap());
    }
}
