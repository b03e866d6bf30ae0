//! [`Exposure`]: what anybody could find out at an epsilon, by the accountant's trade-off curve.
//!
//! Somebody who sees everything that is released, and knows everything else, is asked about people one by one: is it so,
//! or not? Whoever wants to be wrong about few of those of whom it is not so finds only some of those of whom it is.
//! The promise bounds that trade-off for *every* attacker. A pure epsilon says all there is to say about itself
//! ([`Ceiling`]). Noise that was added many times over is private at every epsilon, each with its own delta; all those
//! pairs together ([`Ceilings`]) are its curve.

use privet::dpar::DparMethod;
use privet::dprr::{Dprr, DprrMethod, GraphLearner, Reading, Reporting, Setting};
use privet::graph::{Bounds, BoundsOrigin, Direction};
use privet::hetero_rr::{EdgeProtection, FeatureProtection, GcnLearner, Publication, Votes};
use privet::ldp_ge::{LdpGe, Private};
use privet::privacy::event::Event;
use privet::privacy::{Card, Epsilon, Loss, accountant};
use privet::project::Protects;
use privet::system::{Facts, System};
use privet::{Error, Result};
use serde::Serialize;

use super::facts::Question;
use super::method::PlannedMethod;
use super::simulate::Simulation;
use crate::attacks::{Ceiling, Ceilings};

/// The shares of an epsilon at which the same noise is priced again: together they are its curve.
const SHARES: [f64; 8] = [0.02, 0.06, 0.12, 0.2, 0.3, 0.45, 0.6, 0.8];
/// Of so many people the attacker is wrong about so many.
pub const WRONG: [f64; 4] = [0.001, 0.01, 0.05, 0.1];

/// What an attacker could find at most.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exposure {
    /// What it is about.
    pub about: String,
    /// The worst promise of all that the card makes about one person.
    pub loss: Loss,
    /// At each share of people that the attacker is wrong about, the share found at most.
    pub curve: Vec<AtMost>,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AtMost {
    /// Of those of whom it is not so, the share that the attacker is wrong about.
    pub wrong: f64,
    /// Of those of whom it is so, the share found at most.
    pub found: f64,
}

impl Exposure {
    /// What all these promises of the same release leave together.
    pub fn new(about: impl Into<String>, loss: Loss, ceilings: &Ceilings) -> Self {
        let at = |wrong| AtMost { wrong, found: ceilings.true_positive_rate(wrong) };
        let curve = WRONG.into_iter().map(at).collect();
        Self { about: about.into(), loss, curve }
    }

    /// How many of a hundred are found at most, by whoever is wrong about one of a hundred; never rounded down.
    pub fn of_hundred(&self) -> u32 {
        let point = self.curve.iter().find(|point| point.wrong == 0.01);
        // What is a whole number up to the last digits of a float stays that number.
        point.map_or(100, |point| (100.0 * point.found - 1e-9).ceil() as u32)
    }

    /// The same in a sentence.
    pub fn sentence(&self) -> String {
        let found = self.of_hundred();
        let told = match found {
            0 | 1 => "no more than by guessing".to_owned(),
            100 => {
                "could find all of them: this promise protects nobody from that attacker".to_owned()
            }
            found => format!("finds at most {found}"),
        };
        match found {
            0 | 1 | 100 => format!("of 100 people, an attacker who is wrong about 1 {told}"),
            _ => format!("of 100 people, an attacker who is wrong about 1 {told} ({})", self.about),
        }
    }
}

/// What a method's release would tell about one person at an epsilon.
///
/// # Errors
/// If a mechanism refuses its settings.
pub fn exposure(question: &Question, method: PlannedMethod, epsilon: f64) -> Result<Exposure> {
    let simulation = Simulation::new(question);
    match method {
        PlannedMethod::Spread
        | PlannedMethod::Means
        | PlannedMethod::Features
        | PlannedMethod::Dpar => {
            let dpar = method.of_dpar().unwrap_or(DparMethod::Features);
            let plan = simulation.noise(dpar, epsilon)?;
            Ok(of_event("whether a person was there at all", plan.loss, &plan.event))
        }
        PlannedMethod::Gap => {
            let system = simulation.system(DparMethod::Gap, epsilon)?;
            let plan = system.plan_edges(question.facts.people)?;
            Ok(of_event("whether two people are connected", plan.loss, &plan.event))
        }
        _ => of_card(&promise(question, method, epsilon)?),
    }
}

/// The curve of noise that was added many times over.
fn of_event(about: &str, loss: Loss, event: &Event) -> Exposure {
    let others = SHARES.iter().filter_map(|share| {
        let epsilon = Epsilon::new(share * loss.epsilon.get()).ok()?;
        let delta = accountant::best_delta(event, epsilon).ok()?.value;
        Some(Ceiling::from(Loss { epsilon, delta }))
    });
    let all = std::iter::once(Ceiling::from(loss)).chain(others).collect();
    Exposure::new(about, loss, &Ceilings(all))
}

/// The worst that a card promises about anything: parts of one record add up, and both ends report a contact.
fn of_card(card: &Card) -> Result<Exposure> {
    let totals = card.totals.iter().map(|total| (total.protects.clone(), total.loss));
    let each = card.guarantees.iter().flat_map(|guarantee| {
        let own = (guarantee.protects.clone(), guarantee.loss);
        let also = guarantee.also.iter().map(|other| (guarantee.protects.clone(), other.loss));
        std::iter::once(own).chain(also)
    });
    let worst = totals
        .chain(each)
        .max_by(|one, other| one.1.epsilon.get().total_cmp(&other.1.epsilon.get()));
    let none = || Error::invalid("card", "no guarantee", "one that promises something");
    let (about, loss) = worst.ok_or_else(none)?;
    Ok(Exposure::new(about, loss, &Ceilings(vec![loss.into()])))
}

/// The card of a run on data of which this is known.
fn promise(question: &Question, method: PlannedMethod, epsilon: f64) -> Result<Card> {
    let facts = facts(question)?;
    match method {
        PlannedMethod::Dprr => {
            let reading = Reading::default();
            let setting = Setting::Common { epsilon };
            let protection =
                Reporting { method: DprrMethod::Dprr, setting, split: reading.split() };
            Dprr { protection, reading, learner: GraphLearner::default() }.promise(&facts)
        }
        PlannedMethod::Votes => {
            let features = facts.secret.features.then(|| FeatureProtection::new(epsilon));
            Votes { epsilon, features, learner: GcnLearner::default() }.promise(&facts)
        }
        PlannedMethod::HeteroRr => {
            let features = facts.secret.features.then(|| FeatureProtection::new(epsilon));
            Publication { edges: EdgeProtection::new(epsilon), features }.promise(&facts)
        }
        _ => LdpGe::fitting(epsilon, &facts).promise(&facts),
    }
}

/// The facts in the systems' words.
fn facts(question: &Question) -> Result<Facts> {
    let facts = &question.facts;
    let each = facts.people / facts.graphs.max(1);
    let hides = |what| question.hides(what);
    Ok(Facts {
        name: question.name.clone(),
        people: match facts.graphs {
            1 => vec![facts.people],
            // Which graph a list is from has no part in what it costs.
            _ => vec![each.max(2)],
        },
        direction: Direction::Undirected,
        columns: facts.columns.max(1),
        bounds: Some(Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?),
        classes: facts.classes,
        secret: Private {
            features: hides(Protects::Features),
            labels: hides(Protects::Labels),
            edges: hides(Protects::Contacts),
        },
    })
}
