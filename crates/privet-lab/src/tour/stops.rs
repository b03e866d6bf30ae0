//! The four trust models, each with people made for it.
//!
//! Sizes and budgets are chosen so that each stop takes a second or two and shows what its system is for; what comes
//! out is measured, and said as it is.

use privet::Method;
use privet::data::synthetic::StochasticBlocks;
use privet::dpar::{Dpar, HeldOut, Mode, Settings as DparSettings};
use privet::dprr::{DprrMethod, Setting as Choice};
use privet::graph::{Bounds, BoundsOrigin, Dataset, DenseMatrix, Features, SimRng};
use privet::hetero_rr::{EdgeProtection, EdgeUse};
use privet::ldp_ge::{LdpGe, Private, Task};
use privet::privacy::Loss;
use privet::privacy::unit::Relation;
use privet::system::Facts;
use rand::RngExt;

use super::{Stop, TrustSetting};
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::dpar::DparTrial;
use crate::experiments::dprr::{DprrTrial, made_up};
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::ldp_ge::LdpGeTrial;
use crate::experiments::trial::NamedData;

/// Each person's own device adds noise to their own answers: LDP-GE.
///
/// # Errors
/// If the system refuses, or the run is interrupted.
pub fn devices(seed: u64, sweep: &mut Sweep<'_>) -> Result<Stop, Error> {
    let people = answering(seed)?;
    let setting = TrustSetting {
        system: "LDP-GE",
        title: "answers, on people's own devices",
        people: "1,500 people in 4 circles, 4 answers each; who knows whom is public".into(),
        holds: "each device its owner's answers; no server has all of them",
        leaves: "from each device a few answers, randomised",
        learned: "the circle of people who did not tell theirs",
        private: "answers",
        command: "privet run ldp-ge --dataset PEOPLE --epsilon 2",
    };
    let system = LdpGe::fitting(2.0, &Facts::of(&people));
    let data = NamedData::new(people.name(), &people);
    let (task, private) = (Task::Nodes, Private::FEATURES);
    let trial = LdpGeTrial { data, task, system, private, volunteers: None, spill: None };
    Stop::of(setting, &trial, seed, sweep)
}

/// Each person's own device adds noise to their own list of contacts: DPRR.
///
/// # Errors
/// If the system refuses, or the run is interrupted.
pub fn contacts(seed: u64, sweep: &mut Sweep<'_>) -> Result<Stop, Error> {
    let threads = made_up::threads(240, 30..60, seed)?;
    let setting = TrustSetting {
        system: "DPRR",
        title: "contacts, on people's own devices",
        people: "240 conversations of 30 to 60 people, questions and discussions".into(),
        holds: "each device the list of whom its owner talked to",
        leaves: "from each device a list about as long, most of it made up",
        learned: "whether a conversation is a question or a discussion",
        private: "lists",
        command: "privet run dprr --dataset CONVERSATIONS --epsilon 1",
    };
    let data = NamedData::new("conversations", &threads);
    let trial = DprrTrial::new(data, DprrMethod::Dprr, Choice::Common { epsilon: 1.0 });
    Stop::of(setting, &trial, seed, sweep)
}

/// A custodian says what secret edges tell, and none of them: HeteroRR, with votes.
///
/// # Errors
/// If the system refuses, or the run is interrupted.
pub fn custodian(seed: u64, sweep: &mut Sweep<'_>) -> Result<Stop, Error> {
    let blocks = StochasticBlocks {
        nodes: 600,
        mean_degree: 10.0,
        feature_signal: 0.15,
        ..StochasticBlocks::default()
    };
    let people = blocks.generate(seed).map_err(privet::Error::from)?;
    let setting = TrustSetting {
        system: "HeteroRR",
        title: "secret connections, in the hands of a custodian",
        people: "600 people in 4 circles; four in five of their connections are secret".into(),
        holds: "a custodian everything",
        leaves: "noisy counts of what secret connections say about circles; none of them",
        learned: "the circle of people who did not tell theirs",
        private: "secret connections",
        command: "privet run hetero-rr --dataset PEOPLE --epsilon-edges 2 --private-share 0.8",
    };
    let trial = HeteroRrTrial::new(NamedData::new(people.name(), &people), 0.8);
    let (edges_as, edges) = (EdgeUse::Votes, EdgeProtection::new(2.0));
    let trial = HeteroRrTrial { edges_as, edges, ..trial };
    Stop::of(setting, &trial, seed, sweep)
}

/// A curator trains a model that hides each person as a whole: DPAR.
///
/// # Errors
/// If the system refuses, or the run is interrupted.
pub fn curator(seed: u64, sweep: &mut Sweep<'_>) -> Result<Stop, Error> {
    let blocks =
        StochasticBlocks { features: 64, feature_signal: 0.25, ..StochasticBlocks::default() };
    let people = blocks.generate(seed).map_err(privet::Error::from)?;
    let setting = TrustSetting {
        system: "DPAR",
        title: "whole people, in the hands of a curator",
        people: "1,000 people in 4 circles, with 64 interests each and those they know".into(),
        holds: "a curator everything",
        leaves: "a model; whether a given person was in the data at all stays hidden",
        learned: "the circle of people who were not in the data",
        private: "the people",
        command: "privet init ... ; privet train -o model --epsilon 4",
    };
    let target = Loss::new(4.0, 1e-4).map_err(privet::Error::from)?;
    let mut settings = DparSettings::rigorous();
    settings.model.steps = 60;
    let system = Dpar { method: Method::SmoothedSgd, mode: Mode::Rigorous, target, settings };
    let data = NamedData::new(people.name(), &people);
    let trial = DparTrial::new(data, system, Relation::NodeAbsent, HeldOut::Test)?;
    Stop::of(setting, &trial, seed, sweep)
}

/// People whose answers hint at their circle more than whom they know does.
fn answering(seed: u64) -> privet::Result<Dataset> {
    const QUESTIONS: usize = 4;
    let blocks = StochasticBlocks {
        nodes: 1500,
        mean_degree: 12.0,
        homophily: 0.35,
        features: 0,
        ..StochasticBlocks::default()
    };
    let people = blocks.generate(seed)?.with_name("people");
    let mut rng = SimRng::stream(seed, 2);
    let mut answers = DenseMatrix::zeros(blocks.nodes, QUESTIONS);
    for person in 0..blocks.nodes {
        for (question, answer) in answers.row_mut(person).iter_mut().enumerate() {
            let usual = question % blocks.classes == person % blocks.classes;
            *answer = f32::from(u8::from(rng.random_bool(if usual { 0.95 } else { 0.05 })));
        }
    }
    // Public by construction: yes or no.
    let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
    Ok(people.with_features(Features::dense(answers).with_bounds(bounds)?)?)
}
