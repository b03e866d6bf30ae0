//! One run of one method on one look-alike: the systems themselves, on generated people.
//!
//! # Smaller than the truth
//! A look-alike has at most [`most_people`] people and [`most_columns`], so that a plan takes seconds. What noise
//! does must stay what it would be:
//!
//! * Training with noise (`smoothed-sgd`, `features`, `em0`): the mean gradient of `n` people carries noise of deviation
//!   `sigma C / (rate n)`. With `m` people `sigma` is multiplied by `m / n`: the same deviation. With fewer columns each is
//!   filled by more people and learned more easily; `sigma` is multiplied by as much (`Simulation::clearer`).
//! * Lists of contacts: of `n` people `n q^2` are reported as a contact by accident, with `q = 1 / (1 + e^eps)`
//!   and a pair that counts if both ends report it. With `m` people the epsilon is lowered to that of
//!   `q' = q sqrt(n / m)`, and there are `(p / p')^2` times as many connections, `p = 1 - q`, so that as many survive.
//! * Everything else adds noise to each report, sum or count alike, however many people there are.
//!
//! What is lost: fewer people teach a model less. That is left to the calibration.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::Method;
use privet::dpar::{Dpar, HeldOut, Mode, OpenPeople, Plan, Settings, infer};
use privet::graph::{Dataset, Labels};
use privet::hetero_rr::{EdgeProtection, EdgeUse, FeatureProtection};
use privet::ldp_ge::{ClassifierKind, LdpGe, Private, Task};
use privet::learn::metrics::accuracy;
use privet::learn::models::likeliest;
use privet::plain::{LearnerInputs, PlainLearner};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::{Node, Relation};
use privet::privacy::{Epsilon, Ledger, Loss};
use privet::project::Protects;
use privet::release::LdpGeRelease;
use privet::{Error, Result, Run};

use super::facts::PlanQuestion;
use super::look_alike::{Level, LookAlike};
use super::method::Family;
use super::threads;
use crate::experiments::baselines::nodes::learned;
use crate::experiments::dpar::{DparTrial, unprotected};
use crate::experiments::dprr::DprrTrial;
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::ldp_ge::LdpGeTrial;
use crate::experiments::trial::{NamedData, Subject, Variant};

/// More columns than these say little more about a class; training with noise takes little time for each.
pub fn most_columns(family: Family) -> usize {
    if family == Family::People { 1000 } else { 300 }
}

/// The most people in a look-alike.
pub fn most_people(family: Family) -> usize {
    match family {
        Family::Reports | Family::Connections => 1200,
        Family::Lists => 1500,
        Family::People => 2400,
        Family::Graphs => usize::MAX,
    }
}

/// What is run of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// At an epsilon.
    Private,
    /// The same noise with nothing private behind it.
    Control,
    /// No noise.
    Ceiling,
}

/// What facts do not tell, for one look-alike.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Assumptions {
    /// How much columns and connections say.
    pub level: Level,
    /// How often connected people have the same class.
    pub homophily: f64,
}

/// A question brought to a size that runs in seconds.
#[derive(Debug)]
pub struct Simulation<'a> {
    question: &'a PlanQuestion,
    family: Family,
    /// How many people a look-alike has.
    pub people: usize,
    /// How many columns.
    pub columns: usize,
}

/// One run of a method on a look-alike.
#[derive(Debug, Clone, Copy)]
pub struct SimulatedRun<'a> {
    /// What is run.
    pub method: Method,
    /// Whether on secrets, on nothing, or in the clear.
    pub role: Role,
    /// The epsilon of each part that is hidden.
    pub epsilon: f64,
    /// What is assumed about what facts do not tell.
    pub guess: &'a Assumptions,
    /// Decides the look-alike and the noise.
    pub seed: u64,
    /// Whether to stop.
    pub interrupt: &'a AtomicBool,
}

impl<'a> Simulation<'a> {
    /// Brings a question to size.
    pub fn new(question: &'a PlanQuestion) -> Self {
        let family = Family::of(question);
        let facts = &question.facts;
        let people = facts.people.min(most_people(family));
        Self { question, family, people, columns: facts.columns.clamp(1, most_columns(family)) }
    }

    /// How many people of the truth one of the look-alike stands for.
    pub fn ratio(&self) -> f64 {
        // n / m of the head of this file.
        self.question.facts.people as f64 / self.people as f64
    }

    /// People made up for an epsilon: only where lists are reported does it have a part in them.
    fn made_up(&self, guess: &Assumptions, epsilon: f64, seed: u64) -> Result<Dataset> {
        let facts = &self.question.facts;
        let more = match self.family {
            Family::Lists => {
                // (p / p')^2: as many connections survive as would among all people.
                ((1.0 - accident(epsilon)) / (1.0 - accident(self.list_epsilon(epsilon)))).powi(2)
            }
            _ => 1.0,
        };
        // A tenth of all pairs at most: beyond that a look-alike would be one clique.
        let mean_degree = (facts.mean_degree() * more).min((self.people as f64 - 1.0) / 10.0);
        let filled = facts.filled.map(|filled| self.filled(filled));
        LookAlike {
            people: self.people,
            mean_degree,
            columns: self.columns,
            filled,
            classes: facts.classes,
            shares: facts.class_shares(),
            homophily: self.homophily(guess),
            labelled: facts.labelled,
            level: guess.level,
        }
        .generate(seed)
    }

    /// A range of homophily is about classes that are alike; where they are not, chance alone makes more of it.
    fn homophily(&self, guess: &Assumptions) -> f64 {
        let facts = &self.question.facts;
        match (facts.homophily, facts.class_shares()) {
            (None, Some(shares)) => {
                let chance: f64 = shares.iter().map(|share| share * share).sum();
                let alike = 1.0 / facts.classes as f64;
                chance + (guess.homophily - alike) / (1.0 - alike) * (1.0 - chance)
            }
            _ => guess.homophily,
        }
    }

    /// Of fewer columns fewer are filled, but not so few that a record says nothing.
    fn filled(&self, filled: f64) -> f64 {
        let shrunk = self.columns as f64 / self.question.facts.columns.max(1) as f64;
        // Fewer columns hold fewer cells of a record, but never fewer than people usually fill.
        (filled * shrunk).max(filled.min(USUAL_RECORD)).min(self.columns as f64)
    }

    /// How much more a record of a look-alike says through noise: a column's weight is learned from the share `w / c` of
    /// the people who fill it, and `w` weights add up to an answer while their noise adds up to `sqrt(w)` times one.
    fn clearer(&self) -> f64 {
        let columns = self.question.facts.columns.max(1) as f64;
        let usual = if columns <= 40.0 { columns } else { USUAL_RECORD };
        let filled = self.question.facts.filled.unwrap_or(usual);
        let says = |filled: f64, columns: f64| filled.sqrt() * filled / columns;
        says(self.filled(filled), self.columns as f64) / says(filled, columns)
    }

    /// The epsilon of lists at which as many strangers are reported by accident as among all people.
    fn list_epsilon(&self, epsilon: f64) -> f64 {
        // Beyond this nothing can be learned from lists, of however many people.
        let accidents =
            // q' = q sqrt(n/m), which may not become so large that lists say nothing.
            (accident(epsilon) * self.ratio().sqrt()).clamp(1e-9, HOPELESS.max(accident(epsilon)));
        // The epsilon whose flips are that frequent: q = 1 / (1 + e^eps).
        (1.0 / accidents - 1.0).ln()
    }

    /// Runs a method once: accuracy and seconds.
    ///
    /// # Errors
    /// Those of the system; or if the run is interrupted.
    pub fn run(&self, run: SimulatedRun<'_>) -> Result<(f64, f64)> {
        if self.family == Family::Graphs {
            return self.graphs(run);
        }
        let SimulatedRun { method, role, epsilon, guess, seed, interrupt } = run;
        let people = self.made_up(guess, epsilon, seed)?;
        let begun = Instant::now();
        let data = NamedData::new("look-alike", &people);
        let of = |subject: &dyn Subject, variant| {
            Ok(subject.run(variant, seed, interrupt)?.scores.test())
        };
        let variant = match role {
            Role::Private => Variant::Private,
            Role::Control => Variant::Control,
            Role::Ceiling => Variant::Clear,
        };
        let score: Result<f64> = match method {
            Method::LdpGe => of(&self.reports(data, epsilon), variant),
            Method::HeteroRr => of(&self.published(data, epsilon), variant),
            Method::EdgeVotes => {
                let edges_as = EdgeUse::Votes;
                of(&HeteroRrTrial { edges_as, ..self.published(data, epsilon) }, variant)
            }
            Method::Gap => of(&self.hidden_connections(data, epsilon)?, variant),
            Method::SmoothedSgd
            | Method::ClassSums
            | Method::GradientDescent
            | Method::HiddenLayer
            | Method::Features
            | Method::Em0 => self.trained(&people, method, role, epsilon, seed, interrupt),
            Method::LabelPropagation => spread_labels(&people, seed),
            Method::PublicRecords if self.family == Family::Connections => {
                of(&self.hidden_connections(data, epsilon)?, Variant::Features)
            }
            Method::PublicRecords => of(&self.reports(data, epsilon), Variant::GraphFree),
            Method::PublicConnections => of(&self.published(data, epsilon), Variant::PublicOnly),
            Method::LargestClass | Method::Dprr => Ok(largest_share(people.labels())),
            _ => Err(Error::invalid("method", method.name(), "one that a plan compares")),
        };
        Ok((score?, begun.elapsed().as_secs_f64()))
    }

    /// Which parts only their owners know, in LDP-GE's words.
    fn private(&self) -> Private {
        let hides = |what| self.question.hides(what);
        Private {
            features: hides(Protects::Features),
            labels: hides(Protects::Labels),
            edges: hides(Protects::Contacts),
        }
    }

    /// LDP-GE as its presets and secrets have it; where lists are noisy, with the settings of docs/results/ldp-ge/local.md.
    fn reports<'d>(&self, data: NamedData<'d>, epsilon: f64) -> LdpGeTrial<'d> {
        let mut system = LdpGe::new(epsilon, self.people);
        let private = self.private();
        // The number of sampled columns follows from epsilon, as a user would have it.
        system.protection.features.settings.k = None;
        if private.edges {
            system.protection.edges.epsilon = self.list_epsilon(epsilon);
            system.embedding.alpha = 0.2;
            system.embedding.sketch = 64;
        }
        system.ways = ClassifierKind::fitting(private, system.ways);
        LdpGeTrial { data, task: Task::Nodes, system, private, volunteers: None, spill: None }
    }

    fn published<'d>(&self, data: NamedData<'d>, epsilon: f64) -> HeteroRrTrial<'d> {
        let trial = HeteroRrTrial::new(data, self.question.facts.private_share);
        let features =
            self.question.hides(Protects::Features).then(|| FeatureProtection::new(epsilon));
        HeteroRrTrial { edges: EdgeProtection::new(epsilon), features, ..trial }
    }

    fn hidden_connections<'d>(&self, data: NamedData<'d>, epsilon: f64) -> Result<DparTrial<'d>> {
        let system = self.system(Method::Gap, epsilon)?;
        DparTrial::new(data, system, Relation::EdgeDp, HeldOut::Test)
    }

    /// A curator's system for the people there really are.
    ///
    /// # Errors
    /// If an epsilon makes no sense.
    pub fn system(&self, method: Method, epsilon: f64) -> Result<Dpar> {
        let target = Loss::new(epsilon, self.question.delta)?;
        Dpar::new(method, Mode::Rigorous, target, Settings::rigorous())
    }

    /// The noise that the people there really are need.
    ///
    /// # Errors
    /// If no noise keeps the target.
    pub fn noise(&self, method: Method, epsilon: f64) -> Result<Plan> {
        let trained = (self.question.facts.people as f64 * TRAINED) as usize;
        self.system(method, epsilon)?.plan::<Node>(trained)
    }

    /// Trains with as much noise per person as all people together would need.
    fn trained(
        &self,
        people: &Dataset,
        method: Method,
        role: Role,
        epsilon: f64,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<f64> {
        let (mut open, mut visitors) = OpenPeople::split(people, HeldOut::Test, seed)?;
        let run = Run::simulation(seed).watched_by(interrupt);
        if role == Role::Ceiling {
            let clear = match method {
                Method::Features => Method::FeaturesInTheClear,
                _ => Method::DparInTheClear,
            };
            let system = self.system(clear, epsilon)?;
            let (trained, _) = unprotected::classify(&system, &open, &visitors, &run)?;
            return Ok(accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0));
        }
        if role == Role::Control {
            open = open.forget_connections()?;
        }
        let system = self.system(method, epsilon)?;
        let mut plan = system.plan::<Node>(open.classes.len())?;
        // A sample of the people stands for all: see above.
        plan.training.noise_multiplier *= self.clearer() / self.ratio();
        let without = Loss { epsilon: Epsilon::INFINITE, delta: system.target.delta };
        let mut ledger: Ledger<Node> = Ledger::in_memory(without, NoiseRng::replay(seed))?;
        let (model, _) = system.learn(&plan, &open.seal(), &mut ledger, &run, None)?.into_inner();
        let rounds = if method == Method::Features { 0 } else { system.settings.inference.rounds };
        let inference = privet::dpar::Inference { rounds, ..system.settings.inference };
        if method.reads_centred_rows() {
            visitors.features = visitors.descent_rows()?;
        }
        let predicted = likeliest(&infer::answers(&model, &visitors, inference)?);
        Ok(accuracy(&predicted, &visitors.classes).unwrap_or(0.0))
    }

    fn graphs(&self, run: SimulatedRun<'_>) -> Result<(f64, f64)> {
        let SimulatedRun { method, role, epsilon, guess, seed, interrupt } = run;
        let set = threads::generate(&self.question.facts, guess.level, seed)?;
        let begun = Instant::now();
        let setting = privet::dprr::Setting::Common { epsilon };
        let trial = DprrTrial::new(
            NamedData::new("look-alike", &set),
            privet::dprr::DprrMethod::Dprr,
            setting,
        );
        let variant = match (method, role) {
            (Method::LargestClass, _) => Variant::Majority,
            (_, Role::Private) => Variant::Private,
            (_, Role::Control) => Variant::Control,
            (_, Role::Ceiling) => Variant::Clear,
        };
        let score = trial.run(variant, seed, interrupt)?.scores.test();
        Ok((score, begun.elapsed().as_secs_f64()))
    }
}

/// So many columns of many are filled, unless stated otherwise.
const USUAL_RECORD: f64 = 20.0;

/// The share of the people that a curator trains on; the others are classified.
pub(super) const TRAINED: f64 = 0.8;

/// Where a stranger is named this often, accidents outnumber contacts by far.
const HOPELESS: f64 = 0.35;

/// How often randomised response names a stranger.
fn accident(epsilon: f64) -> f64 {
    1.0 / (1.0 + epsilon.exp())
}

// What costs nothing: the largest class, and known classes spread over public connections.

/// The share of the largest class.
pub(super) fn largest_share(labels: Option<&Labels>) -> f64 {
    let sizes = labels.map_or_else(Vec::new, Labels::class_sizes);
    let all: usize = sizes.iter().sum();
    sizes.into_iter().max().unwrap_or(0) as f64 / all.max(1) as f64
}

/// Label propagation, as every comparison has it beside its scores.
pub(super) fn spread_labels(people: &Dataset, seed: u64) -> Result<f64> {
    let Some(labels) = people.labels() else { return Ok(0.0) };
    let (split, graph) = (&LdpGeRelease::split(people.into(), seed)?, Some(people.graph()));
    let known = LearnerInputs { graph, features: None, labels, split };
    Ok(learned(PlainLearner::LabelPropagation, known, &Run::simulation(seed))?.test())
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::StochasticBlocks;

    use super::*;

    #[test]
    fn friends_of_one_class_tell_each_others() {
        let people = StochasticBlocks { homophily: 0.9, ..StochasticBlocks::default() };
        let people = people.generate(1).unwrap();
        assert_eq!(largest_share(people.labels()), 0.25);
        let found = spread_labels(&people, 1).unwrap();
        assert!(found > 0.8, "{found}");
    }
}
