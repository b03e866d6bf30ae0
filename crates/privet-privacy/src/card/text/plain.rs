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
mod tests;
