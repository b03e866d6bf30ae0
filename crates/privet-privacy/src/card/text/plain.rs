//! A card for the people it is about: what an attacker who sees the release can find out, in counts of people.
//!
//! Every count is a point of the trade-off curve ([`crate::tradeoff`]), rounded up: a count can only be too
//! cautious. Nothing here names a term of the field.

use std::fmt::{self, Write};

use super::count;
use crate::card::{Card, Guarantee};
use crate::ledger::RelationshipEnds;
use crate::mechanism::Status;
use crate::noise::Numerics;
use crate::tradeoff::{ATTACKER, PrivacyProfile};
use crate::unit::Trust;

/// How often an attacker who guesses is right, of 100 people each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Odds {
    /// Right guesses between two possibilities that were equally likely before: 50 without the release.
    pub right: u32,
    /// People whom [`ATTACKER`] finds: 1 without the release.
    pub found: u32,
}

impl Odds {
    /// What guarantees of a release leave, rounded up.
    pub fn of(profile: impl Into<PrivacyProfile>) -> Self {
        let profile = profile.into();
        Self { right: profile.right_guesses_of_100(), found: profile.found_of_100() }
    }

    /// How strong that is, in a word.
    pub fn word(self) -> &'static str {
        match self.right {
            ..=60 => "strong",
            61..=75 => "fair",
            76..=90 => "weak",
            91..=99 => "hardly any",
            _ => "none worth the name",
        }
    }
}

impl Card {
    /// The card for the people it is about: counts of people, and no term of the field.
    pub fn in_plain_words(&self) -> String {
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_plainly(&mut text);
        text
    }

    fn write_plainly(&self, text: &mut String) -> fmt::Result {
        writeln!(text, "WHAT CAN A PERSON WHO SEES THIS FIND OUT ABOUT ME?")?;
        writeln!(text, "\"This\" is: {}.", self.subject)?;
        if self.is_simulation() {
            writeln!(
                text,
                "\nEVERYTHING. This is a simulation: anyone who knows the seed can remove the noise. It must"
            )?;
            writeln!(text, "not be shared. With real noise it would be:")?;
        }
        self.warnings().iter().try_for_each(|line| writeln!(text, "\n{line}"))?;
        if self.guarantees.is_empty() {
            writeln!(text, "\nEverything that is in it: nothing in it is protected.")?;
        }
        for guarantee in &self.guarantees {
            // Several releases about one person are reported once, together: their losses add up.
            let total = self.totals.iter().find(|total| total.relation == guarantee.relation);
            match total {
                Some(total) if total.units.first() == Some(&guarantee.unit) => {
                    guarantee.write_plainly(text, &total.protects, &total.loss.into())?;
                }
                Some(_) => {}
                None => {
                    guarantee.write_plainly(text, &guarantee.protects, &guarantee.profile())?;
                }
            }
        }
        self.write_doubts(text)?;
        writeln!(text, "\nNot protected at all:")?;
        match self.unprotected.as_slice() {
            [] => writeln!(text, "  nothing was named")?,
            list => list.iter().try_for_each(|what| writeln!(text, "  - {what}"))?,
        }
        writeln!(
            text,
            "Nor is what is true of people in general: \"most people who do this also do that\" may be"
        )?;
        writeln!(text, "learned from it, and may be said of you, with or without you in it.")
    }

    /// What must be true beside the arithmetic.
    fn write_doubts(&self, text: &mut String) -> fmt::Result {
        let releases = || self.guarantees.iter().flat_map(|guarantee| &guarantee.releases);
        let mut doubts: Vec<String> = Vec::new();
        for release in releases() {
            let doubt = match &release.status {
                Status::Holds => None,
                Status::Conditional { on } => {
                    Some(format!("the counts hold only if {on}; this was not checked, and there is no guarantee otherwise"))
                }
                Status::HoldsAtStationarity => {
                    Some("the counts hold only if a random walk has converged, which cannot be checked".into())
                }
                Status::PaperMode { .. } => {
                    Some("a published algorithm ran as printed, and its publication claims too much; the counts here are the true ones".into())
                }
            };
            let outside = (!release.audited)
                .then(|| "it was made by a mechanism that Privet has not audited".to_owned());
            let rounding = (release.numerics == Numerics::Idealized)
                .then(|| "the proof ignores floating-point rounding".to_owned());
            for doubt in [doubt, outside, rounding].into_iter().flatten() {
                if !doubts.contains(&doubt) {
                    doubts.push(doubt);
                }
            }
        }
        if !doubts.is_empty() {
            writeln!(text, "\nMind:")?;
        }
        doubts.iter().try_for_each(|doubt| writeln!(text, "  - {doubt}"))
    }
}

impl Guarantee {
    fn write_plainly(
        &self,
        text: &mut String,
        protects: &str,
        profile: &PrivacyProfile,
    ) -> fmt::Result {
        writeln!(text, "\n{}", capital(self.relation.question()))?;
        writeln!(text, "  Noise was added to: {protects}.")?;
        // A connection stands in the lists of both its ends, and both may be seen.
        for other in &self.also {
            match other.between {
                RelationshipEnds::AnyTwo => write_odds(text, &other.loss.into())?,
                RelationshipEnds::WithPublisher => {
                    writeln!(
                        text,
                        "  NO PROTECTION for your connections with people who publish theirs: each stands in their list."
                    )?;
                }
                RelationshipEnds::TwoPrivate => {
                    writeln!(text, "  For a connection with a person who did not publish:")?;
                    write_odds(text, &other.loss.into())?;
                }
            }
        }
        if self.also.is_empty() {
            write_odds(text, profile)?;
        }
        if self.relation.is_of_one_connection() {
            writeln!(
                text,
                "  This is about one connection at a time. How many you have, or who most of them are, is"
            )?;
            writeln!(text, "  hidden less.")?;
        }
        match self.trust {
            Trust::OwnDevice => writeln!(
                text,
                "  No one had to be trusted: your device added the noise before it sent anything."
            ),
            Trust::Curator => writeln!(
                text,
                "  The organisation that made this holds the original data, and must be trusted with them."
            ),
        }
    }
}

/// What a release leaves to an attacker who guesses, accuses or bets.
fn write_odds(text: &mut String, profile: &PrivacyProfile) -> fmt::Result {
    let loss = profile.loss();
    if !loss.epsilon.is_finite() {
        return writeln!(text, "  ALL OF IT: nothing about it is protected.");
    }
    let odds = Odds::of(profile.clone());
    writeln!(
        text,
        "  Protection: {}. Whatever an attacker knows already, and however hard they try:",
        odds.word()
    )?;
    writeln!(
        text,
        "  - Guessing. Take 100 people about whom they know nothing: a coin is right about 50 of them."
    )?;
    writeln!(text, "    With this they are right about at most {} of 100.", odds.right)?;
    writeln!(text, "  - Accusing. Of 100 people, {ATTACKER} finds 1 without this.")?;
    writeln!(text, "    With this they find at most {} of 100.", odds.found)?;
    match loss.delta.get() {
        0.0 => writeln!(
            text,
            "  - Betting. Odds of 1 to 1 about you become odds of at most {} to 1.",
            factor(loss.epsilon.get())
        ),
        delta => writeln!(
            text,
            "    (Both counts include the 1 case in {} in which the protection may fail.)",
            count(cases(delta))
        ),
    }
}

/// Of how many cases one fails; rounded down, but a whole number up to the last digits of a float stays that number.
fn cases(delta: f64) -> u64 {
    let cases = 1.0 / delta;
    let nearest = cases.round();
    let whole = (cases - nearest).abs() <= 1e-9 * nearest;
    (if whole { nearest } else { cases.floor() }) as u64
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// How much odds grow at most, rounded up.
fn factor(epsilon: f64) -> String {
    match epsilon.exp() {
        small if small < 10.0 => format!("{:.1}", (10.0 * small).ceil() / 10.0),
        large if large < 1e15 => count(large.ceil() as u64),
        _ => "any number".into(),
    }
}

#[cfg(test)]
mod tests {
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
        let mut ledger =
            Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(7)).unwrap();
        ledger.release_each(&Secret::new(vec![0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
        Card::new("a survey").with_ledger(&ledger).unwrap()
    }

    #[test]
    fn a_card_speaks_of_people_and_of_nothing_else() {
        let mut ledger = Ledger::in_memory(
            Loss::new(1.0, 0.0).unwrap(),
            NoiseRng::from_operating_system().unwrap(),
        )
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
        for term in ["epsilon", "delta", "lambda", "sigma", "ldp", "-dp", "probability", "ε", "δ"]
        {
            assert!(!lower.contains(term), "{term} in:\n{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 110), "{text}");
    }

    #[test]
    fn a_rehearsal_hides_nothing() {
        let mut ledger =
            Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(7)).unwrap();
        ledger.release_each(&Secret::new(vec![0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
        let card = Card::new("a survey").with_ledger(&ledger).unwrap();
        assert!(card.in_plain_words().contains("EVERYTHING."));
        assert!(Card::new("nothing").in_plain_words().contains("nothing in it is protected"));
    }
}
