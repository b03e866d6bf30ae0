//! What can be asked of attacks on models, reports and graphs.

use privet::dpar::Dpar;
use privet::dprr::{
    Attack, Defence, DprrMethod, GraphLearner, Poisoning, Reading, Setting, SplitRule,
};
use privet::graph::LoadedData;
use privet::hetero_rr::EdgeProtection;
use privet::request::{DparPromise, PartialSettings, RequestFields};
use privet::{Error, Method, Result};
use serde::{Deserialize, Serialize};

use crate::error::Error as LabError;
use crate::experiments::attack::{AttackFindings, beside_no_privacy, defences};
use crate::experiments::cells::Sweep;
use crate::experiments::dpar::membership::{AttackTarget, MembershipAttack, check};
use crate::experiments::dprr::DprrTrial;
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::trial::{NamedData, seeds};

/// One of the attacks.
#[derive(Debug, Clone, PartialEq)]
pub enum AttackRequest {
    /// Who was in the training data.
    Membership(MembershipRequest),
    /// Made-up reports.
    Poison(PoisonRequest),
    /// Edges behind a served model.
    LinkTeller(LinkTellerRequest),
    /// Features behind reports.
    Reconstruct(ReconstructRequest),
}

impl AttackRequest {
    /// Refuses what no data could make right.
    ///
    /// # Errors
    /// If a number makes no sense, or settings contradict each other.
    pub fn validate(&self) -> Result<()> {
        match self {
            Self::Membership(asked) => asked.validate(),
            Self::Poison(asked) => asked.validate(),
            Self::LinkTeller(asked) => asked.validate(),
            Self::Reconstruct(asked) => asked.validate(),
        }
    }

    /// Attacks data in memory. `name` is what a set of graphs is called in the report, and `command` repeats the attack.
    ///
    /// # Errors
    /// If a number makes no sense, the data is of another kind or lacks something, or a run fails.
    pub fn run(
        &self,
        data: LoadedData,
        name: &str,
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<AttackFindings, LabError> {
        self.validate()?;
        let nodes = |data: LoadedData| data.into_nodes().map_err(Error::from);
        match self {
            Self::Membership(asked) => asked.run((&nodes(data)?).into(), command, sweep),
            Self::LinkTeller(asked) => asked.run((&nodes(data)?).into(), command, sweep),
            Self::Reconstruct(asked) => asked.run((&nodes(data)?).into(), command, sweep),
            Self::Poison(asked) => {
                let set = data.into_graphs().map_err(Error::from)?;
                asked.run(NamedData::new(name, &set), command, sweep)
            }
        }
    }
}

/// Shadow models, trained with and without each target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct MembershipRequest {
    /// What is promised.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub promise: DparPromise,
    /// Models to attack
    #[serde(default = "attacked_methods")]
    #[cfg_attr(
        feature = "clap",
        arg(
            long,
            value_name = "METHOD",
            value_delimiter = ',',
            default_value = "em0,features,gap"
        )
    )]
    #[cfg_attr(feature = "clap", arg(value_parser = privet::options::methods(&Method::DPAR)))]
    pub methods: Vec<Method>,
    /// Attacker's target
    #[serde(default = "people")]
    #[cfg_attr(feature = "clap", arg(long, default_value = "people"))]
    pub target: AttackTarget,
    /// Number of shadow models of each kind
    #[serde(default = "shadows")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = shadows()))]
    pub shadows: usize,
    /// Number of target people or connections, at most a quarter of all
    #[serde(default = "targets")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = targets()))]
    pub targets: usize,
    /// Seed of the split, the targets and the noise
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 0))]
    pub seed: u64,
}

fn attacked_methods() -> Vec<Method> {
    vec![Method::Em0, Method::Features, Method::Gap]
}

fn people() -> AttackTarget {
    AttackTarget::People
}

fn shadows() -> usize {
    48
}

fn targets() -> usize {
    250
}

impl RequestFields for MembershipRequest {
    fn example() -> Self {
        let promise = privet::request::DparRequest::example().promise;
        let (methods, target) = (attacked_methods(), people());
        Self { promise, methods, target, shadows: shadows(), targets: targets(), seed: 0 }
    }

    fn validate(&self) -> Result<()> {
        if let Some(method) = self.methods.iter().find(|method| !Method::DPAR.contains(method)) {
            let known = Method::DPAR.map(Method::name);
            return Err(privet::graph::Error::unknown_name("method", method.name(), known).into());
        }
        self.systems(None)?;
        check(self.shadows, self.targets)
    }
}

impl MembershipRequest {
    /// The systems to attack, where so many people are.
    fn systems(&self, people: Option<usize>) -> Result<Vec<Dpar>> {
        self.promise.trains(&self.methods)?;
        let methods = beside_no_privacy(&self.methods);
        methods.map(|method| self.promise.system(method, people)).collect()
    }

    fn run(
        &self,
        data: NamedData<'_>,
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<AttackFindings, LabError> {
        let systems = self.systems(Some(data.dataset.graph().node_count()))?;
        let Self { shadows, targets, seed, .. } = *self;
        let (hidden, sought) = (self.promise.relation, self.target);
        let attack = MembershipAttack { data, hidden, sought, shadows, targets, seed };
        AttackFindings::membership(&attack, &systems, self.promise.mode, command, sweep)
    }
}

/// Made-up neighbour lists in training graphs, and defences against them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct PoisonRequest {
    /// Privacy budget of a user's neighbour list (epsilon)
    #[cfg_attr(feature = "clap", arg(long))]
    pub epsilon: f64,
    /// Share of malicious users (beta)
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub beta: f64,
    /// Attack
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub attack: PoisonChoice,
    /// Defence known to the `matched` and `shortcut` attackers (default `census`)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "DEFENCE"))]
    pub against: Option<DefenceChoice>,
    /// Probability that a malicious user keeps a one
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub w1: Option<f64>,
    /// Probability that a malicious user invents a one
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "P"))]
    pub w2: Option<f64>,
    /// Maximum share of honest users flagged
    #[serde(default = "theta")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", default_value_t = theta()))]
    pub theta: f64,
    /// Public degree bound: at most theta/2 of the users have more neighbours
    #[serde(default = "usual_degree")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "D", default_value_t = usual_degree()))]
    pub usual_degree: usize,
    /// How the collector interprets reports
    #[serde(rename = "reading", default = "believed")]
    #[cfg_attr(feature = "clap", arg(long = "reading", default_value = "believed"))]
    pub reports: Reading,
    /// Number of runs, with consecutive seeds
    #[serde(default = "five")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = five()))]
    pub runs: usize,
    /// First seed
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 0))]
    pub seed: u64,
    /// How the collector learns.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten, next_help_heading = "Learning"))]
    pub learner: PartialSettings<GraphLearner>,
}

/// What malicious users send.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum PoisonChoice {
    /// A coin toss for each user
    #[default]
    Random,
    /// All users
    AllOnes,
    /// The largest degrees that the defence they know lets pass
    Matched,
    /// The same, in graphs of every other class only
    Shortcut,
}

/// What attackers expect the collector to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum DefenceChoice {
    /// The paper's
    Threshold,
    /// Large degrees against those of all other users
    Handshake,
    /// The same, and how many claim one
    Census,
}

fn theta() -> f64 {
    0.05
}

fn usual_degree() -> usize {
    10
}

fn believed() -> Reading {
    Reading::Believed
}

fn five() -> usize {
    5
}

impl RequestFields for PoisonRequest {
    fn example() -> Self {
        Self {
            epsilon: 1.0,
            beta: 0.1,
            attack: PoisonChoice::default(),
            against: None,
            w1: None,
            w2: None,
            theta: theta(),
            usual_degree: usual_degree(),
            reports: believed(),
            runs: five(),
            seed: 0,
            learner: PartialSettings::all(&GraphLearner::default()),
        }
    }

    fn validate(&self) -> Result<()> {
        self.learner.over(GraphLearner::default())?;
        SplitRule::default().mechanism(self.epsilon, 1000)?;
        seeds(self.seed, self.runs)?;
        self.poisoning().map(drop)
    }
}

impl PoisonRequest {
    fn poisoning(&self) -> Result<(Poisoning, [Defence; 4])> {
        let poisoning = Poisoning { attack: self.chosen()?, share: self.beta };
        poisoning.check()?;
        Ok((poisoning, defences(self.theta, self.usual_degree)?))
    }

    /// The attack that was asked for.
    fn chosen(&self) -> Result<Attack> {
        let adaptive = matches!(self.attack, PoisonChoice::Matched | PoisonChoice::Shortcut);
        if self.against.is_some() && !adaptive {
            let reason = "this attack is made without knowing a defence";
            let remedy = "leave it out, or choose attack matched or shortcut";
            return Err(Error::request("against", reason, remedy));
        }
        let Self { theta, usual_degree, .. } = *self;
        let against = match self.against {
            Some(DefenceChoice::Threshold) => Defence::Threshold { theta },
            Some(DefenceChoice::Handshake) => Defence::Handshake { theta, usual_degree },
            Some(DefenceChoice::Census) | None => Defence::Census { theta, usual_degree },
        };
        match (self.w1, self.w2, self.attack) {
            (Some(keep), Some(invent), PoisonChoice::Random) => Attack::new(keep, invent),
            (None, None, PoisonChoice::Random) => Ok(Attack::RANDOM),
            (None, None, PoisonChoice::AllOnes) => Ok(Attack::ALL_ONES),
            (None, None, PoisonChoice::Matched) => Ok(Attack::Matched { against }),
            (None, None, PoisonChoice::Shortcut) => Ok(Attack::Shortcut { against }),
            (_, _, PoisonChoice::Random) => {
                let why = "w1 and w2 are the two probabilities of one attack";
                let name = if self.w1.is_none() { "w1" } else { "w2" };
                Err(Error::Unsaid { name, why })
            }
            _ => {
                let reason = "w1 and w2 make an attack of their own";
                Err(Error::request("w1", reason, "leave them or attack out"))
            }
        }
    }

    fn run(
        &self,
        data: NamedData<'_, privet::graph::GraphSet>,
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<AttackFindings, LabError> {
        let (poisoning, defences) = self.poisoning()?;
        let learner = self.learner.over(GraphLearner::default())?;
        let setting = Setting::Common { epsilon: self.epsilon };
        let trial = DprrTrial::new(data, DprrMethod::Dprr, setting).reading(self.reports);
        let (trial, seeds) = (DprrTrial { learner, ..trial }, seeds(self.seed, self.runs)?);
        AttackFindings::poison(&trial, poisoning, &defences, &seeds, command, sweep)
    }
}

/// A client of a served model who changes one node after the other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct LinkTellerRequest {
    /// Privacy budget of each private edge (epsilon)
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub epsilon_edges: f64,
    /// Number of probed nodes, one query each
    #[serde(default = "hundred")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = hundred()))]
    pub probes: usize,
    /// Share of edges treated as private, drawn anew for every seed
    #[serde(default = "a_fifth")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RHO", default_value_t = a_fifth()))]
    pub private_share: f64,
    /// Number of runs, with consecutive seeds
    #[serde(default = "five")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = five()))]
    pub runs: usize,
    /// First seed
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 0))]
    pub seed: u64,
}

fn hundred() -> usize {
    100
}

fn a_fifth() -> f64 {
    0.2
}

impl RequestFields for LinkTellerRequest {
    fn example() -> Self {
        let (epsilon_edges, probes, private_share) = (1.0, hundred(), a_fifth());
        Self { epsilon_edges, probes, private_share, runs: five(), seed: 0 }
    }

    fn validate(&self) -> Result<()> {
        seeds(self.seed, self.runs).map(drop)
    }
}

impl LinkTellerRequest {
    fn run(
        &self,
        data: NamedData<'_>,
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<AttackFindings, LabError> {
        let edges = EdgeProtection::new(self.epsilon_edges);
        let trial = HeteroRrTrial { edges, ..HeteroRrTrial::new(data, self.private_share) };
        let seeds = seeds(self.seed, self.runs)?;
        AttackFindings::link_teller(trial, self.probes, &seeds, command, sweep)
    }
}

/// A decoder that learned from public people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct ReconstructRequest {
    /// Privacy budget of each row of features (epsilon)
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub epsilon_features: f64,
    /// Columns of the reported embedding, a fixed random projection
    #[serde(default = "width")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = width()))]
    pub width: usize,
    /// Number of runs, with consecutive seeds
    #[serde(default = "five")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = five()))]
    pub runs: usize,
    /// First seed
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = 0))]
    pub seed: u64,
}

fn width() -> usize {
    32
}

impl RequestFields for ReconstructRequest {
    fn example() -> Self {
        Self { epsilon_features: 1.0, width: width(), runs: five(), seed: 0 }
    }

    fn validate(&self) -> Result<()> {
        seeds(self.seed, self.runs).map(drop)
    }
}

impl ReconstructRequest {
    fn run(
        &self,
        data: NamedData<'_>,
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<AttackFindings, LabError> {
        let seeds = seeds(self.seed, self.runs)?;
        AttackFindings::reconstruct(data, self.epsilon_features, self.width, &seeds, command, sweep)
    }
}
