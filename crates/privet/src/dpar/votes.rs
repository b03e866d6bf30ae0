//! Votes of the people trained on for the visitors they know: one release, no training, a price of its own for every batch of
//! visitors.
//!
//! Every person shares one vote among the visitors they know ([`neighbour_votes`](crate::privacy::neighbour_votes)); what
//! votes, the visitors' own features and the visitors' connections say together is computed from the release
//! (`posterior.rs`). What people know of each other, and their features, are not read at all.
//!
//! The model that comes with it is learned from the answers: it says what the features of such visitors tell, for people who
//! come later without connections.

mod posterior;

pub use posterior::{KnownVotes, posterior};

use super::people::OpenPeople;
use super::train::{fitted, network};
use super::{Dpar, Person, Plan, TrainedClassifier, Training, UNKNOWN, Visitors};
use crate::graph::Labels;
use crate::learn::models::likeliest;
use crate::privacy::Ledger;
use crate::privacy::neighbour_votes::{NeighbourVotes, Voters};
use crate::{Protected, Result, Run};

/// Why a person's vote is that person's own.
pub(crate) const OWN_VOTE: &str =
    "a vote is made of one person's own class and of the new people that this person knows";

/// Takes the votes and classifies.
///
/// # Errors
/// If a setting makes no sense, or the ledger refuses.
pub(super) fn classify<U: Person>(
    system: &Dpar,
    plan: &Plan,
    training: &Training,
    visitors: &Visitors,
    mut ledger: Ledger<U>,
    run: &Run<'_>,
) -> Result<Protected<TrainedClassifier>> {
    let (people, classes) = (training.all_people(), training.class_count());
    let noise = plan.training.noise_multiplier;
    let mechanism = NeighbourVotes::<U>::new(visitors.classes.len(), classes, noise)?;
    let deviation = mechanism.deviation();
    let voters = |people: &OpenPeople| Ok(voters(people));
    let votes = people.release(&mut ledger, mechanism, OWN_VOTE, people.len(), voters)?;
    let trained = votes.try_map(|votes| {
        let Visitors { graph, features, .. } = visitors;
        let known =
            KnownVotes { votes: &votes, deviation, graph, features: Some(features), model: None };
        let said = posterior(known)?;
        let predicted = likeliest(&said);
        let config = network(system, features.columns(), classes, run.seed);
        let nodes: Vec<u32> = (0..predicted.len() as u32).collect();
        let model = fitted(config, features, &labels(&predicted, classes)?, &nodes, run)?;
        let mut trained = TrainedClassifier::of(model);
        trained.answer(said);
        Ok::<_, crate::Error>(trained)
    })?;
    system.protected(trained, training.name(), &ledger)
}

/// Who votes for what, and for whom.
fn voters(people: &OpenPeople) -> Voters {
    let class = |&class: &u32| Some(class).filter(|&class| class != UNKNOWN);
    Voters {
        classes: people.classes.iter().map(class).collect(),
        recipients: people.known_visitors.clone(),
    }
}

fn labels(predicted: &[u32], classes: usize) -> Result<Labels> {
    let names = (0..classes).map(|class| class.to_string()).collect();
    Ok(Labels::single(predicted.iter().map(|&class| Some(class)).collect(), names)?)
}
