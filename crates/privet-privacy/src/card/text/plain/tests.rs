use super::*;
use crate::accountant::best_delta;
use crate::event::Event;
use crate::ledger::Ledger;
use crate::loss::{Delta, Epsilon, Loss};
use crate::noise::NoiseRng;
use crate::secret::Secret;
use crate::special::normal_cdf;
use crate::template::CoinFlip;

fn odds(epsilon: f64, delta: f64) -> Odds {
    Odds::of(Loss::new(epsilon, delta).unwrap())
}

#[test]
fn counts_are_rounded_up() {
    assert_eq!(odds(0.0, 0.0), Odds { right: 50, found: 1 });
    // e / (1 + e) = 0.731..., 0.01 e = 0.0271...
    assert_eq!(odds(1.0, 0.0), Odds { right: 74, found: 3 });
    assert_eq!(odds(1.0, 0.001), Odds { right: 74, found: 3 });
    assert_eq!(odds(20.0, 0.0), Odds { right: 100, found: 100 });
    let words = [0.1, 1.0, 2.0, 3.0, 20.0].map(|epsilon| odds(epsilon, 0.0).word());
    assert_eq!(words, ["strong", "fair", "weak", "hardly any", "none worth the name"]);
}

/// What is said of a card is nowhere below what the best attack on the mechanism reaches, wherever on the accountant's
/// curve the card's numbers were taken; and within a person in a hundred of it at the best point for guessing.
#[test]
fn no_attack_does_better_than_is_said() {
    for noise_multiplier in [0.7, 1.0, 2.0, 8.0] {
        let (event, shift) = (Event::Gaussian { noise_multiplier }, 1.0 / noise_multiplier);
        // Halfway between both means: the best guess between two equally likely inputs.
        let right = 100.0 * normal_cdf(shift / 2.0);
        // At a threshold of 2.3263 one of a hundred is accused wrongly.
        let found = 100.0 * normal_cdf(shift - 2.326_347_874_040_841);
        let mut least = u32::MAX;
        for at in 0..40 {
            let epsilon = Epsilon::new(f64::from(at) / 8.0).unwrap();
            let delta: Delta = best_delta(&event, epsilon).unwrap().value;
            let stated = Odds::of(Loss { epsilon, delta });
            assert!(
                f64::from(stated.right) >= right && f64::from(stated.found) >= found,
                "{stated:?}"
            );
            least = least.min(stated.right);
        }
        assert!(f64::from(least) <= right + 2.0, "{noise_multiplier}: {least} for {right}");
    }
}

/// A plan says what the card of the same release will say: both ask the profile.
#[test]
fn a7_the_profile_of_a_card_bounds_what_is_found() {
    let event = Event::Gaussian { noise_multiplier: 1.08 };
    let loss = Loss::new(4.0, 1e-5).unwrap();
    assert_eq!(Odds::of(loss).found, 55);
    let mut card = card_of_coins();
    let guarantee = &mut card.guarantees[0];
    (guarantee.loss, guarantee.profile) = (loss, crate::tradeoff::points(&event, loss));
    let planned = Odds::of(PrivacyProfile::of(&event, loss));
    assert!(planned.found < 12, "{planned:?}");
    assert_eq!(Odds::of(guarantee.profile()), planned);
    let text = card.in_plain_words();
    assert!(text.contains(&format!("at most {} of 100", planned.found)), "{text}");
    assert!(
        text.contains("Of 100 people, an attacker who accepts 1 % false accusations finds"),
        "{text}"
    );
}

#[test]
fn a7_a_delta_is_said_in_whole_cases() {
    let stated = [1e-5, 1e-6, 1e-9, 0.1, 0.3, 2e-3].map(cases);
    assert_eq!(stated, [100_000, 1_000_000, 1_000_000_000, 10, 3, 500]);
    let mut card = card_of_coins();
    card.guarantees[0].loss.delta = Delta::new(1e-5).unwrap();
    assert!(card.in_plain_words().contains("the 1 case in 100,000 "));
}

fn card_of_coins() -> Card {
    let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(7)).unwrap();
    ledger.release_each(&Secret::new(vec![0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
    Card::new("a survey").with_ledger(&ledger).unwrap()
}

#[test]
fn a_card_speaks_of_people_and_of_nothing_else() {
    let mut ledger =
        Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::from_operating_system().unwrap())
            .unwrap();
    ledger.release_each(&Secret::new(vec![0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
    let card =
        Card::new("a survey").with_ledger(&ledger).unwrap().with_unprotected("who took part");
    let text = card.in_plain_words();
    for part in [
        "a survey",
        "at most 74 of 100",
        "at most 3 of 100",
        "at most 2.8 to 1",
        "who took part",
        "fair",
    ] {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
    let lower = text.to_lowercase();
    for term in ["epsilon", "delta", "lambda", "sigma", "ldp", "-dp", "probability", "ε", "δ"] {
        assert!(!lower.contains(term), "{term} in:\n{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
}

#[test]
fn a_rehearsal_hides_nothing() {
    let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(7)).unwrap();
    ledger.release_each(&Secret::new(vec![0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
    let card = Card::new("a survey").with_ledger(&ledger).unwrap();
    assert!(card.in_plain_words().contains("EVERYTHING."));
    assert!(Card::new("nothing").in_plain_words().contains("nothing in it is protected"));
}
