//! Membership attacks on DPAR's models: can an attacker tell from a trained model whether a person, or a connection, was
//! in the training graph?
//!
//! The attacker knows everything but the coins: the split, all features, classes and connections, the settings, the
//! first weights; and trains shadow models. Half of the targets, by coins, are taken out of each model's graph as the
//! guarantee means it (`node-absent`: the id stays). Then the model is asked about all people, over the whole graph.
//!
//! This attack is strong, not the strongest: what it does not find is not proved to be hidden. What bounds *every* attack
//! is the ceiling beside it.

pub mod report;

use privet::Method;
use privet::dpar::{Dpar, HeldOut, Inductive, OpenPeople, Plan, TrainedClassifier, Visitors};
use privet::graph::SimRng;
use privet::learn::metrics::accuracy;
use privet::privacy::accountant::{self, convert};
use privet::privacy::unit::Relation;
use privet::privacy::{Epsilon, Loss};
use privet::{Error, Noise, Result, Run};
use rand::RngExt;
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use super::{DparTrial, train, unprotected};
use crate::attacks::membership::{Shadows, scaled_confidence};
use crate::attacks::roc::{RateEstimate, area, can_tell, estimate, true_positive_rate};
use crate::attacks::{Ceiling, Ceilings};
use crate::error::Error as LabError;
use crate::experiments::cells::Sweep;
use crate::experiments::trial::{NamedData, Subject, Variant};

/// Attacker's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum AttackTarget {
    /// Whether a person was in the training graph.
    People,
    /// Whether two people knew each other in it.
    Connections,
}

/// An attack.
#[derive(Debug, Clone)]
pub struct MembershipAttack<'a> {
    /// The data in the clear: the experimenter's view, and the attacker's.
    pub data: NamedData<'a>,
    /// Who is hidden, on the card.
    pub hidden: Relation,
    /// What is sought.
    pub sought: AttackTarget,
    /// How many models are trained; each is judged by all others.
    pub shadows: usize,
    /// How many people or connections are targets, at most; never more than a quarter of those there are.
    pub targets: usize,
    /// Decides the split, the targets, coins and noise.
    pub seed: u64,
}

/// The false-positive rates that are told where there are enough trials.
pub const RATES: [f64; 3] = [0.1, 0.01, 0.001];

/// The shares of the card's epsilon at which a release is priced again.
const SHARES: [f64; 7] = [0.03, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8];

/// How an attack on one system went.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MembershipOutcome {
    /// Which method.
    pub method: &'static str,
    /// The true guarantee, for what is sought.
    pub ceiling: Ceiling,
    /// The same release at other epsilons, each with its own delta: together they allow less.
    pub ceilings: Ceilings,
    /// What must be true of the data for that guarantee.
    pub condition: Option<String>,
    /// The same by the guarantee that the paper prints.
    pub printed: Option<Ceiling>,
    /// The area under the curve.
    pub auc: RateEstimate,
    /// At each false-positive rate that there are trials enough for, the true-positive rate.
    pub rates: Vec<(f64, RateEstimate)>,
    /// What the models score on those who were held out.
    pub accuracy: f64,
    /// How many targets there were, and models.
    pub targets: usize,
    /// How many guesses were judged.
    pub trials: usize,
}

/// A model: what it says about every target, which of them were inside, and what it scores.
type Shadow = (Vec<Vec<f64>>, Vec<bool>, f64);

/// One of the things that may be there or not.
#[derive(Debug, Clone, Copy)]
enum TargetEntity {
    Person(u32),
    Connection(u32, u32),
}

/// Whether an attack with so many models and targets can say anything.
///
/// # Errors
/// If it cannot.
pub fn check(shadows: usize, targets: usize) -> Result<()> {
    let expected = "at least 8: fewer are too few to learn from, and 64 tell more";
    Error::unless(shadows >= 8, "shadows", shadows, expected)?;
    Error::unless(
        targets > 0,
        "targets",
        targets,
        "at least 1: an attack needs a target; 200 tell more",
    )
}

impl MembershipAttack<'_> {
    /// Attacks systems, one after the other.
    ///
    /// # Errors
    /// Those of a run, or that there are too few models or targets.
    pub fn on_all(
        &self,
        systems: &[Dpar],
        sweep: &mut Sweep<'_>,
    ) -> Result<Vec<MembershipOutcome>, LabError> {
        let (all, progress) = (systems.len() * self.shadows, sweep.progress);
        let mut one = |(at, system): (usize, &Dpar)| {
            let offset = |done, _| progress(at * self.shadows + done, all);
            self.on(system, &mut Sweep { progress: &offset, cells: sweep.cells, ..*sweep })
        };
        systems.iter().enumerate().map(&mut one).collect()
    }

    /// Attacks one system.
    fn on(&self, system: &Dpar, sweep: &mut Sweep<'_>) -> Result<MembershipOutcome, LabError> {
        check(self.shadows, self.targets)?;
        let (people, visitors) = OpenPeople::split(self.data.dataset, HeldOut::Test, self.seed)?;
        let known = Inductive::known(self.data.dataset, HeldOut::Test, self.seed)?;
        let plan = system.plan_for(self.hidden, people.classes.len())?;
        let targets = self.pick(&plan, &known)?;
        let models: Vec<u64> = (0..self.shadows as u64).collect();
        let interrupt = sweep.interrupt;
        let train = |model: u64| -> Result<Shadow> {
            let inside = coins(self.seed, model, targets.len());
            let people = altered(&people, &targets, &inside)?;
            // The seed of public draws stays; the noise is new.
            let noise = Noise::Replay(self.seed.wrapping_mul(1_000_003).wrapping_add(model));
            let run = Run { noise, ..Run::simulation(self.seed).watched_by(interrupt) };
            let (trained, _) = train(self.hidden, system, &plan, people, &visitors, &run)?;
            let score = accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0);
            Ok((said(system, &trained, &known, &targets)?, inside, score))
        };
        let trial = DparTrial::with_people(
            self.data,
            system.clone(),
            self.hidden,
            HeldOut::Test,
            people.classes.len(),
        );
        let key = |model: &u64| {
            trial
                .key(Variant::Private)
                .with("sought", format!("{:?}", self.sought))
                .with("targets", targets.len())
                .with("seed", self.seed)
                .with("model", model)
        };
        let trained: Vec<Shadow> =
            sweep.measure(&models, key, |&model| train(model)).map_err(LabError::of_system)?;
        let accuracy =
            trained.iter().map(|(_, _, score)| score).sum::<f64>() / trained.len() as f64;
        let (said, inside) = trained.into_iter().map(|(said, inside, _)| (said, inside)).unzip();
        Ok(self.outcome(system, &plan, &Shadows { said, inside }, (targets.len(), accuracy)))
    }

    fn outcome(
        &self,
        system: &Dpar,
        plan: &Plan,
        shadows: &Shadows,
        (targets, accuracy): (usize, f64),
    ) -> MembershipOutcome {
        let guesses = shadows.guesses();
        let rate = |&rate: &f64| {
            let of = |guesses: &[_]| true_positive_rate(guesses, rate);
            can_tell(&guesses, rate).then(|| (rate, estimate(&guesses, self.seed, of)))
        };
        let printed = plan
            .printed
            .as_ref()
            .map(|printed| Loss { epsilon: printed.total, delta: system.target.delta });
        MembershipOutcome {
            method: system.method.name(),
            ceiling: self.ceiling(system.method, plan.loss),
            ceilings: self.ceilings(system.method, plan),
            condition: plan.condition.clone(),
            printed: printed.map(|loss| self.ceiling(system.method, loss)),
            auc: estimate(&guesses, self.seed, area),
            rates: RATES.iter().filter_map(rate).collect(),
            accuracy,
            targets,
            trials: guesses.len(),
        }
    }

    /// The card's guarantee and others of the same release. With the printed noise the card's says all there is to say.
    fn ceilings(&self, method: Method, plan: &Plan) -> Ceilings {
        let mut all = vec![self.ceiling(method, plan.loss)];
        if plan.printed.is_none() && plan.loss.epsilon.is_finite() {
            all.extend(SHARES.iter().filter_map(|share| {
                let epsilon = Epsilon::new(share * plan.loss.epsilon.get()).ok()?;
                let delta = accountant::best_delta(&plan.event, epsilon).ok()?.value;
                Some(self.ceiling(method, Loss { epsilon, delta }))
            }));
        }
        Ceilings(all)
    }

    /// What a guarantee for whole people, or for connections, says about the targets.
    fn ceiling(&self, method: Method, loss: Loss) -> Ceiling {
        match (self.sought, self.hidden) {
            // What is not read cannot be told.
            (AttackTarget::Connections, _) if !method.reads_connections() => {
                Ceiling { epsilon: 0.0, delta: 0.0 }
            }
            (_, _) if !loss.epsilon.is_finite() => Ceiling::NONE,
            (AttackTarget::People, Relation::EdgeDp) => Ceiling::NONE,
            // A connection more or less is one of its ends taken away and put back.
            (AttackTarget::Connections, Relation::NodeAbsent) => {
                convert::node_absent_to_node_replace(loss).into()
            }
            _ => loss.into(),
        }
    }

    /// The targets: among the people who are trained on, whose ids are public.
    fn pick(&self, plan: &Plan, known: &Visitors) -> Result<Vec<TargetEntity>> {
        let ids = plan.trained_on(self.seed);
        let mut all: Vec<TargetEntity> = match self.sought {
            AttackTarget::People => ids.into_iter().map(TargetEntity::Person).collect(),
            AttackTarget::Connections => {
                let ids: std::collections::HashSet<u32> = ids.into_iter().collect();
                let both = |(u, v): &(u32, u32)| ids.contains(u) && ids.contains(v) && u != v;
                known
                    .graph
                    .edges()
                    .filter(both)
                    .map(|(u, v)| TargetEntity::Connection(u, v))
                    .collect()
            }
        };
        all.shuffle(&mut SimRng::stream(self.seed, 61));
        all.truncate(self.targets.min(all.len() / 4));
        match all.is_empty() {
            true => Err(Error::invalid("targets", 0, "at least 1: a quarter of what there is")),
            false => Ok(all),
        }
    }
}

/// A coin for every target: whether it is inside.
fn coins(seed: u64, model: u64, targets: usize) -> Vec<bool> {
    let mut rng = SimRng::stream(seed.wrapping_add(model.wrapping_mul(0x9E37_79B9)), 62);
    (0..targets).map(|_| rng.random_range(0..2) == 1).collect()
}

/// The graph without the targets that are outside.
fn altered(people: &OpenPeople, targets: &[TargetEntity], inside: &[bool]) -> Result<OpenPeople> {
    let outside = || targets.iter().zip(inside).filter(|(_, inside)| !**inside);
    let gone: Vec<u32> = outside()
        .filter_map(|(target, _)| match *target {
            TargetEntity::Person(node) => Some(node),
            TargetEntity::Connection(..) => None,
        })
        .collect();
    let connections: Vec<(u32, u32)> = outside()
        .filter_map(|(target, _)| match *target {
            TargetEntity::Person(_) => None,
            TargetEntity::Connection(u, v) => Some((u, v)),
        })
        .collect();
    match connections.is_empty() {
        true => people.without_people(&gone),
        false => people.without_connections(&connections),
    }
}

/// What a model says about every target: how sure it is of the class of the person, or of both ends.
fn said(
    system: &Dpar,
    trained: &TrainedClassifier,
    known: &Visitors,
    targets: &[TargetEntity],
) -> Result<Vec<Vec<f64>>> {
    let scores = match system.method {
        method if method.in_the_clear() => unprotected::scores(system, trained, known)?,
        _ => system.scores(trained, known)?,
    };
    let sure =
        |node: u32| scaled_confidence(scores.row(node as usize), known.classes[node as usize]);
    let about = |target: &TargetEntity| match *target {
        TargetEntity::Person(node) => vec![sure(node)],
        TargetEntity::Connection(u, v) => vec![sure(u), sure(v)],
    };
    Ok(targets.iter().map(about).collect())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use crate::experiments::cells::Cells;
    use privet::data::synthetic::StochasticBlocks;
    use privet::dpar::{Mode, Settings};

    use super::*;

    fn system(method: Method, epsilon: f64) -> Dpar {
        let mut settings = Settings::rigorous();
        (settings.model.steps, settings.structure.sources) = (10, 20);
        let target = Loss::new(epsilon, 1e-3).unwrap();
        Dpar { method, mode: Mode::Rigorous, target, settings }
    }

    /// A model without noise that learns its few people by heart is found out; private ones are not above what their
    /// cards allow, for every target.
    #[test]
    fn an_overfit_model_is_found_out_and_a_private_one_is_not() {
        let blocks = StochasticBlocks {
            nodes: 260,
            classes: 3,
            features: 60,
            mean_degree: 4.0,
            ..Default::default()
        };
        let dataset = blocks.generate(3).unwrap();
        let never = AtomicBool::new(false);
        let attack = |sought, method, epsilon| {
            let (hidden, shadows, targets) = (Relation::NodeAbsent, 32, 50);
            let data = NamedData::new("people", &dataset);
            let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed: 1 };
            let (mut cells, threads) = (Cells::in_memory(), NonZeroUsize::new(2).unwrap());
            let mut sweep =
                Sweep { cells: &mut cells, threads, interrupt: &never, progress: &|_, _| {} };
            attack.on(&system(method, epsilon), &mut sweep).unwrap()
        };
        let open = attack(AttackTarget::People, Method::FeaturesInTheClear, 1.0);
        assert!(open.auc.low > 0.7, "{open:?}");
        assert_eq!((open.ceiling, open.targets, open.trials), (Ceiling::NONE, 50, 1600));
        for (sought, method) in [
            (AttackTarget::People, Method::Features),
            (AttackTarget::People, Method::Em0),
            (AttackTarget::Connections, Method::Gap),
        ] {
            let found = attack(sought, method, 0.5);
            assert!(found.auc.low <= found.ceilings.auc(), "{found:?}");
            assert!(found.ceilings.auc() <= found.ceiling.auc() + 1e-4, "{found:?}");
            for (rate, share) in &found.rates {
                assert!(share.low <= found.ceilings.true_positive_rate(*rate), "{found:?}");
            }
        }
        // A model that reads no connection says nothing about one: whatever is in or out, it is the same.
        let blind = attack(AttackTarget::Connections, Method::Features, 8.0);
        assert_eq!(blind.ceiling.auc(), 0.5);
        assert!(blind.auc.low < 0.5 && blind.auc.high > 0.5, "{blind:?}");
    }

    fn small(nodes: usize) -> StochasticBlocks {
        StochasticBlocks { nodes, classes: 2, features: 3, mean_degree: 1.5, ..Default::default() }
    }

    fn attack(
        dataset: &privet::graph::Dataset,
        sought: AttackTarget,
        hidden: Relation,
    ) -> MembershipAttack<'_> {
        let data = NamedData::new("people", dataset);
        MembershipAttack { data, hidden, sought, shadows: 8, targets: 50, seed: 1 }
    }

    /// What a guarantee says about a target depends on what is sought: a connection is one of its ends taken away
    /// and put back, and what is not read cannot be told.
    #[test]
    fn ceilings_are_those_of_what_is_sought() {
        let dataset = privet::data::synthetic::karate_club().unwrap();
        let loss = Loss::new(1.0, 1e-3).unwrap();
        let of = |sought, hidden, method| attack(&dataset, sought, hidden).ceiling(method, loss);
        let own = Ceiling { epsilon: 1.0, delta: 1e-3 };
        assert_eq!(of(AttackTarget::People, Relation::NodeAbsent, Method::Em0), own);
        assert_eq!(of(AttackTarget::People, Relation::EdgeDp, Method::Gap), Ceiling::NONE);
        assert_eq!(of(AttackTarget::Connections, Relation::EdgeDp, Method::Gap), own);
        let both = of(AttackTarget::Connections, Relation::NodeAbsent, Method::Gap);
        assert!(both.epsilon >= 2.0 && both.delta > 1e-3, "{both:?}");
        let blind = of(AttackTarget::Connections, Relation::NodeAbsent, Method::Features);
        assert_eq!(blind, Ceiling { epsilon: 0.0, delta: 0.0 });
        let open = attack(&dataset, AttackTarget::People, Relation::NodeAbsent);
        let infinite = Loss { epsilon: Epsilon::INFINITE, ..loss };
        assert_eq!(open.ceiling(Method::Em0, infinite), Ceiling::NONE);
    }

    #[test]
    fn coins_are_fair_and_each_model_has_its_own() {
        let first = coins(1, 0, 400);
        assert_eq!(first, coins(1, 0, 400));
        assert_ne!(first, coins(1, 1, 400));
        let inside = first.iter().filter(|inside| **inside).count();
        assert!((140..260).contains(&inside), "{inside}");
    }

    /// People who are outside lose their class and friends and keep their id; connections lose themselves alone.
    #[test]
    fn what_is_outside_is_gone() {
        let blocks = small(40);
        let (people, _) =
            OpenPeople::split(&blocks.generate(1).unwrap(), HeldOut::Test, 1).unwrap();
        let friends = |people: &OpenPeople, node: u32| people.graph.degree(node);
        let node = people.graph.nodes().find(|&node| friends(&people, node) > 0).unwrap();
        let targets = [TargetEntity::Person(node)];
        let same = altered(&people, &targets, &[true]).unwrap();
        assert_eq!((&same.graph, &same.classes), (&people.graph, &people.classes));
        let without = altered(&people, &targets, &[false]).unwrap();
        assert_eq!(without.classes.len(), people.classes.len(), "the id stays");
        assert_eq!(friends(&without, node), 0);
        assert_ne!(without.classes[node as usize], people.classes[node as usize]);
        let other = people.graph.neighbors(node)[0];
        let cut = altered(&people, &[TargetEntity::Connection(node, other)], &[false]).unwrap();
        assert!(!cut.graph.has_edge(node, other) && cut.classes == people.classes);
        assert_eq!(cut.graph.edge_count() + 1, people.graph.edge_count());
    }

    #[test]
    fn targets_are_at_most_a_quarter_and_too_few_models_are_refused() {
        let blocks = small(60);
        let dataset = blocks.generate(1).unwrap();
        let attack = attack(&dataset, AttackTarget::People, Relation::NodeAbsent);
        let (people, _) = OpenPeople::split(&dataset, HeldOut::Test, 1).unwrap();
        let known = Inductive::known(&dataset, HeldOut::Test, 1).unwrap();
        let count = people.classes.len();
        let plan = system(Method::Features, 1.0).plan_for(attack.hidden, count).unwrap();
        let most = plan.trained_on(1).len() / 4;
        assert_eq!(attack.pick(&plan, &known).unwrap().len(), most);
        let (mut cells, never) = (Cells::in_memory(), AtomicBool::new(false));
        let (threads, progress) = (NonZeroUsize::MIN, &|_, _| {});
        let mut sweep = Sweep { cells: &mut cells, threads, interrupt: &never, progress };
        let few = MembershipAttack { shadows: 7, ..attack };
        let error = few.on(&system(Method::Features, 1.0), &mut sweep).unwrap_err();
        assert!(error.to_string().contains("at least 8"), "{error}");
    }
}
