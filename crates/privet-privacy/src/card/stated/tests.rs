use super::*;
use crate::edges::local::Rr;
use crate::ledger::{Foreseen, UserChoice, UserChoices};
use crate::noise::NoiseRng;
use crate::population::GraphShape;
use crate::template::CoinFlip;
use crate::unit::{FeatureRow, NeighborBit};
use crate::{Ledger, Secret};
use privet_graph::Direction;

/// A card of one coin flip with noise of the operating system.
fn coin() -> Card {
    let limit = Loss::new(9.0, 0.0).unwrap();
    let mut ledger =
        Ledger::<FeatureRow>::in_memory(limit, NoiseRng::from_operating_system().unwrap()).unwrap();
    ledger.release_each(&Secret::new(vec![1.0, 0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
    Card::new("answers").with_ledger(&ledger).unwrap()
}

#[test]
fn a6_a_loss_without_conditions_is_printed_as_it_is() {
    assert_eq!(coin().stated()[0].to_string(), "record-ldp: (epsilon 1, delta 0)");
}

/// Every condition is in the line, the most serious first, and each once.
#[test]
fn a6_every_condition_is_in_the_printed_line() {
    let mut card = coin();
    card.guarantees[0].trust = Trust::Curator;
    let on = "no person has more than 3 neighbours".to_owned();
    let (printed, flaw) = (Epsilon::new(0.5).unwrap(), "it counts one batch".to_owned());
    let first = card.guarantees[0].releases[0].clone();
    for status in [
        Status::PaperMode { printed, flaw },
        Status::HoldsAtStationarity,
        Status::Conditional { on: on.clone() },
        Status::Conditional { on },
    ] {
        let noise = NoiseOrigin::Simulation { seed: 1 };
        let (numerics, audited) = (Numerics::Idealized, false);
        let line = ReleaseLine { status, noise, numerics, audited, ..first.clone() };
        card.guarantees[0].releases.push(line);
    }
    assert_eq!(
        card.stated()[0].to_string(),
        "record-ldp: (epsilon 1, delta 0); simulation: noise from a seed protects no one; only if no person has \
         more than 3 neighbours (not checked; no guarantee otherwise); only if a random walk has converged (cannot \
         be checked); run as its paper prints it, which claims epsilon 0.5, but it counts one batch; not audited: made \
         outside Privet; the curator is trusted with the raw data; floating-point rounding is not covered"
    );
    // A total has the conditions of its parts.
    card = card.clone().joined(Card { guarantees: vec![coin().guarantees.remove(0)], ..card });
    let total = card.stated_total(&card.totals[0]);
    assert_eq!((total.loss.epsilon.get(), total.conditions.len()), (2.0, 7));
    card.guarantees[0].loss.epsilon = Epsilon::INFINITE;
    assert!(card.stated()[0].to_string().contains("UNPROVEN"), "{}", card.stated()[0]);
}

/// What 59 of 60 publish is said before any number that is small.
#[test]
fn a2_relationships_with_publishers_come_first() {
    let graph = GraphShape { nodes: 60, direction: Direction::Undirected };
    let card = |publishers| {
        let choice = |user| match user < publishers {
            true => UserChoice::Public,
            false => UserChoice::Private(0),
        };
        let choices =
            UserChoices::new(vec![Rr::new(1.0).unwrap()], (0..60).map(choice).collect()).unwrap();
        let planned = Foreseen::<NeighborBit>::new(Loss::new(1.0, 0.0).unwrap());
        Card::new("lists").foreseeing(&planned.chosen(&choices, &graph).unwrap()).unwrap()
    };
    let lines = |card: &Card| card.stated().iter().map(ToString::to_string).collect::<Vec<_>>();
    let exposed = "relationship-dp: (epsilon inf, delta 0) for relationships with a person who published their contacts";
    let one_private = card(59);
    assert_eq!(lines(&one_private), [exposed, "edge-ldp: (epsilon 1, delta 0)"]);
    let some = card(20);
    let between = "relationship-dp: (epsilon 2, delta 0) for relationships between two people who did not publish";
    assert_eq!(lines(&some), [exposed, "edge-ldp: (epsilon 1, delta 0)", between]);
    assert_eq!(lines(&card(0))[1], "relationship-dp: (epsilon 2, delta 0)");
    let said_first = "Relationships with them are not protected, whatever the other person chose";
    for card in [&one_private, &some] {
        assert!(card.warnings()[0].contains(said_first), "{:?}", card.warnings());
        let text = card.explain();
        let (warned, strength) =
            (text.find(said_first).unwrap(), text.find("Strength: epsilon").unwrap());
        assert!(warned < strength, "{text}");
        let plain = card.in_plain_words();
        assert!(plain.contains("NO PROTECTION for your connections with"), "{plain}");
    }
    // A single private person has no relationship that is protected at all, so nothing may be called strong.
    let plain = one_private.in_plain_words();
    assert!(!plain.contains("Protection:"), "{plain}");
    assert!(some.in_plain_words().contains("Protection: "));
}
