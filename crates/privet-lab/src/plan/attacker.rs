//! [`Exposure`]: what an attacker could find out at an epsilon, by the accountant's trade-off curve.
//!
//! An attacker who sees everything that is released, and knows everything else, is asked about people one by one: is it so,
//! or not? An attacker with few false positives has a bounded rate of true positives.
//! The promise bounds that trade-off for *every* attacker. The bound is that of the release's card: both ask the same
//! [`PrivacyProfile`] about the same attacker ([`ATTACKER`]).

use privet::Method;
use privet::dprr::{Dprr, DprrMethod, GraphLearner, Reading, Reporting, Setting};
use privet::graph::{Bounds, BoundsOrigin, Direction};
use privet::hetero_rr::{EdgeProtection, FeatureProtection, GcnLearner, Publication, Votes};
use privet::ldp_ge::{LdpGe, Private};
use privet::privacy::tradeoff::{ATTACKER, PrivacyProfile};
use privet::privacy::{Card, Loss};
use privet::project::Protects;
use privet::system::{Facts, System};
use privet::{Error, Result};
use serde::Serialize;

use super::facts::PlanQuestion;
use super::simulate::Simulation;

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
    /// How many of 100 people are found at most by an attacker who is wrong about 1; never rounded down.
    pub found_of_100: u32,
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
    /// What all guarantees of the same release leave together.
    pub fn new(about: impl Into<String>, profile: &PrivacyProfile) -> Self {
        let at = |wrong| AtMost { wrong, found: profile.found(wrong) };
        let curve = WRONG.into_iter().map(at).collect();
        let (loss, found_of_100) = (profile.loss(), profile.found_of_100());
        Self { about: about.into(), loss, curve, found_of_100 }
    }

    /// The same in a sentence.
    pub fn sentence(&self) -> String {
        let found = self.found_of_100;
        // 0 and 1 of 100 is what guessing reaches, too.
        let told = match found {
            0 | 1 => "no more than by guessing".to_owned(),
            100 => "could find all of them: this promise gives no protection against that attacker"
                .to_owned(),
            found => format!("finds at most {found}"),
        };
        match found {
            0 | 1 | 100 => format!("of 100 people, {ATTACKER} {told}"),
            _ => format!("of 100 people, {ATTACKER} {told} ({})", self.about),
        }
    }
}

/// What a method's release would tell about one person at an epsilon.
///
/// # Errors
/// If a mechanism refuses its settings.
pub fn exposure(question: &PlanQuestion, method: Method, epsilon: f64) -> Result<Exposure> {
    let simulation = Simulation::new(question);
    match method {
        Method::GradientDescent
        | Method::HiddenLayer
        | Method::SmoothedSgd
        | Method::ClassSums
        | Method::Features
        | Method::Em0 => {
            let plan = simulation.noise(method, epsilon)?;
            let profile = PrivacyProfile::of(&plan.event, plan.loss);
            Ok(Exposure::new("whether a person was there at all", &profile))
        }
        Method::Gap => {
            let system = simulation.system(Method::Gap, epsilon)?;
            let plan = system.plan_edges(question.facts.people)?;
            let profile = PrivacyProfile::of(&plan.event, plan.loss);
            Ok(Exposure::new("whether two people are connected", &profile))
        }
        _ => of_card(&promise(question, method, epsilon)?),
    }
}

/// The worst that a card promises about anything: parts of one record add up, and both ends report a contact.
fn of_card(card: &Card) -> Result<Exposure> {
    let totals = card.totals.iter().map(|total| (&total.protects, total.loss.into()));
    let each = card.guarantees.iter().flat_map(|guarantee| {
        let also = guarantee.also.iter().map(|other| (&guarantee.protects, other.loss.into()));
        std::iter::once((&guarantee.protects, guarantee.profile())).chain(also)
    });
    let epsilon = |profile: &PrivacyProfile| profile.loss().epsilon.get();
    // The worst of all promises: an attacker chooses what to look for.
    let worst =
        totals.chain(each).max_by(|one, other| epsilon(&one.1).total_cmp(&epsilon(&other.1)));
    let none = || Error::invalid("card", "no guarantee", "one that promises something");
    let (about, profile) = worst.ok_or_else(none)?;
    Ok(Exposure::new(about, &profile))
}

/// The card of a run on data of which this is known.
fn promise(question: &PlanQuestion, method: Method, epsilon: f64) -> Result<Card> {
    let facts = facts(question)?;
    match method {
        Method::Dprr => {
            let reading = Reading::default();
            let setting = Setting::Common { epsilon };
            let protection =
                Reporting { method: DprrMethod::Dprr, setting, split: reading.split() };
            Dprr { protection, reading, learner: GraphLearner::default() }.promise(&facts)
        }
        Method::EdgeVotes => {
            let features = facts.secret.features.then(|| FeatureProtection::new(epsilon));
            Votes { epsilon, features, learner: GcnLearner::default() }.promise(&facts)
        }
        Method::HeteroRr => {
            let features = facts.secret.features.then(|| FeatureProtection::new(epsilon));
            Publication { edges: EdgeProtection::new(epsilon), features }.promise(&facts)
        }
        _ => LdpGe::fitting(epsilon, &facts).promise(&facts),
    }
}

/// The facts in the systems' words.
fn facts(question: &PlanQuestion) -> Result<Facts> {
    let facts = &question.facts;
    let each = facts.people / facts.graphs.max(1);
    let hides = |what| question.hides(what);
    Ok(Facts {
        learners: None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::PublicFacts;
    use privet::privacy::card::Odds;
    use privet::project::TrustModel;

    /// The card of a model says the number that the plan of it said: one attacker, one function.
    #[test]
    fn a7_plan_and_card_say_the_same_number() {
        let facts = PublicFacts::new(5_000, 20_000, 30, 4);
        let protects = vec![Protects::People];
        let question = PlanQuestion::new("people", facts, TrustModel::Curator, protects).unwrap();
        let simulation = Simulation::new(&question);
        let system = simulation.system(Method::SmoothedSgd, 4.0).unwrap();
        let trained = simulation.noise(Method::SmoothedSgd, 4.0).unwrap().people;
        let facts = Facts { people: vec![trained], ..super::facts(&question).unwrap() };
        let card = system.promise(&facts).unwrap();
        let planned = exposure(&question, Method::SmoothedSgd, 4.0).unwrap();
        let guarantee = &card.guarantees[0];
        assert_eq!(Odds::of(guarantee.profile()).found, planned.found_of_100);
        // The pair of epsilon and delta alone leaves 55.
        assert_eq!(Odds::of(guarantee.loss).found, 55);
        assert!(planned.found_of_100 < 15, "{planned:?}");
        let said = format!("at most {} of 100", planned.found_of_100);
        assert!(card.in_plain_words().contains(&said), "{}", card.in_plain_words());
    }
}
