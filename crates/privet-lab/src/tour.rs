//! The four trust models side by side, on generated people: what `privet demo` shows.
//!
//! Each [`Stop`] answers the questions of a person who must decide about data: who holds the raw data, what leaves, what it
//! costs, what an attacker can find, and what was learned, beside the same noise with nothing behind it and beside no
//! privacy at all. A stop is a [`Trial`] like any other, run with a few seeds.
//!
//! | file | what it holds |
//! |---|---|
//! | [`stops`] | the four trust models: people, system, words |
//! | `page` | the tour as a [`Report`](crate::report::Report) |

mod page;
pub mod stops;

use privet::learn::metrics::PairedComparison;
use privet::privacy::Card;
use privet::privacy::card::{Guarantee, StatedLoss};
use privet::privacy::tradeoff::{FALSE_ACCUSATIONS, PrivacyProfile};
use serde::Serialize;

use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::trial::verdict::{judge, points};
use crate::experiments::trial::{Comparison, TEST, Trial, Variant, compare_some};
use crate::report::MeasuredValue;
use crate::report::summary::fixed;

/// How often everything is repeated, each time with another seed: enough for an interval.
const RUNS: u64 = 4;

/// What noise alone achieves; where a system reads nothing that could be taken away, one answer for all people.
const CONTROLS: [Variant; 2] = [Variant::Control, Variant::Majority];

fn is_shown(variant: &Variant) -> bool {
    let beside = [Variant::Private, Variant::NoPrivateData, Variant::Ceiling];
    beside.contains(variant) || CONTROLS.contains(variant)
}

/// The whole tour.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Tour {
    /// Seed of the generated people and of the noise.
    pub seed: u64,
    /// One trust model each.
    pub stops: Vec<Stop>,
}

/// One trust model, tried out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stop {
    /// What is said of it whatever comes out.
    #[serde(flatten)]
    pub setting: TrustSetting,
    /// What it costs each person.
    pub cost: StatedLoss,
    /// What an attacker finds at most.
    pub attacker: Attacker,
    /// What was learned, and what stands beside it.
    pub scores: Vec<Score>,
    /// Whether private data added anything.
    pub verdict: String,
    /// Private minus control, in points: mean, and the ends of its 95 % interval.
    pub gain: Option<[f64; 3]>,
    /// What was promised; its noise was replayed, so it is stamped as a simulation.
    #[serde(skip)]
    pub card: Card,
}

/// What is true of a trust model before anything is run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrustSetting {
    /// The system.
    pub system: &'static str,
    /// The trust model in a few words.
    pub title: &'static str,
    /// The people.
    pub people: String,
    /// Who holds the raw data.
    pub holds: &'static str,
    /// What its holder gives away.
    pub leaves: &'static str,
    /// What is learned from it.
    pub learned: &'static str,
    /// What is private here, as the subject of a sentence in the plural.
    pub private: &'static str,
    /// The command that does the same on one's own data.
    pub command: &'static str,
}

/// What a guarantee leaves to an attacker who knows everything but the secret.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Attacker {
    /// Of a hundred for whom it is not true, how many are accused.
    pub wrong: f64,
    /// Of a hundred for whom it is true, how many are found at most.
    pub found_at_most: f64,
}

/// What one variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Which.
    pub variant: Variant,
    /// What it is, in a few words.
    pub about: String,
    /// Its accuracy on what it has not seen.
    pub accuracy: MeasuredValue,
}

/// Takes the whole tour.
///
/// # Errors
/// If a system refuses, or the run is interrupted.
pub fn tour(seed: u64, sweep: &mut Sweep<'_>) -> Result<Tour, Error> {
    let stops = [stops::devices, stops::contacts, stops::custodian, stops::curator];
    let stops = stops.into_iter().map(|stop| stop(seed, sweep)).collect::<Result<_, _>>()?;
    Ok(Tour { seed, stops })
}

impl Stop {
    /// Tries a trust model out.
    fn of<T: Trial>(
        setting: TrustSetting,
        trial: &T,
        seed: u64,
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        let seeds: Vec<u64> = (0..RUNS).map(|run| seed.wrapping_add(run)).collect();
        let variants: Vec<Variant> = trial.variants().into_iter().filter(is_shown).collect();
        let comparison = compare_some(trial, &variants, &seeds, sweep)?;
        let missing = || privet::Error::invalid("card", "no guarantee", "one");
        let guarantee = comparison.card.guarantees.first().ok_or_else(missing)?;
        let (cost, profile) = charge(guarantee);
        let mut scores = Vec::new();
        for row in &comparison.rows {
            if let Some(summary) = row.summary(TEST) {
                let (variant, about) = (row.variant, row.about.clone());
                scores.push(Score { variant, about, accuracy: MeasuredValue::percent(&summary) });
            }
        }
        let over = CONTROLS.iter().find_map(|&control| Some((control, comparison.over(control)?)));
        let gain = over.as_ref().map(|(_, paired)| {
            let difference = &paired.difference;
            [difference.mean, difference.low, difference.high].map(|share| 100.0 * share)
        });
        let verdict = setting.verdict(&comparison, over.as_ref());
        let attacker = Attacker::of(&profile);
        Ok(Self { setting, cost, attacker, scores, verdict, gain, card: comparison.card })
    }

    /// What was learned, from nothing to everything: the control, public data alone, the system, the ceiling.
    pub fn shown(&self) -> Vec<&Score> {
        let control = CONTROLS.iter().find_map(|&control| self.score(control));
        let others = [Variant::NoPrivateData, Variant::Private, Variant::Ceiling];
        let others = others.map(|variant| self.score(variant));
        [control].into_iter().chain(others).flatten().collect()
    }

    /// The score of a variant, if it was run.
    pub fn score(&self, variant: Variant) -> Option<&Score> {
        self.scores.iter().find(|score| score.variant == variant)
    }
}

impl TrustSetting {
    /// What may be said of private data, and whether something that costs nothing does better.
    fn verdict(
        &self,
        comparison: &Comparison,
        over: Option<&(Variant, PairedComparison)>,
    ) -> String {
        let Some((control, over)) = over else { return String::new() };
        let (private, gain) = (self.private, points(over.difference.mean));
        let nothing = match control {
            Variant::Majority => "one answer for all people",
            _ => "noise alone",
        };
        let clear = format!("{private} add {gain} points to what {nothing} reaches");
        let unclear = format!("whether {private} add anything to {nothing} cannot be told");
        let worse = format!("{private}, so protected, do worse than {nothing}");
        let said = judge(over, &clear, &worse, &unclear).to_owned();
        match comparison.over(Variant::NoPrivateData) {
            None => said,
            Some(paired) => {
                let apart = points(paired.difference.mean.abs());
                let better = format!("{said}, and are {apart} better than public data alone");
                let worse =
                    format!("{said}; public data alone are {apart} better: do not spend here");
                let unclear =
                    format!("{said}; no more than public data alone, as far as this tells");
                judge(&paired, &better, &worse, &unclear).to_owned()
            }
        }
    }
}

/// The larger of a guarantee's loss and its conversions: a list that both ends of a contact send costs the contact twice.
fn charge(guarantee: &Guarantee) -> (StatedLoss, PrivacyProfile) {
    let mut largest = (guarantee.stated(), guarantee.profile());
    for other in &guarantee.also {
        if other.loss.epsilon > largest.1.loss().epsilon {
            largest = (guarantee.stated_as(other), other.loss.into());
        }
    }
    largest
}

impl Attacker {
    fn of(profile: &PrivacyProfile) -> Self {
        let found_at_most = 100.0 * profile.found(FALSE_ACCUSATIONS);
        Self { wrong: 100.0 * FALSE_ACCUSATIONS, found_at_most }
    }

    /// In words.
    pub fn in_words(self) -> String {
        // What is printed must not promise more than what holds.
        let found = fixed((10.0 * self.found_at_most).ceil() / 10.0, 1);
        format!("who accuses {} innocent in 100 finds at most {found} in 100", self.wrong)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::experiments::cells::Cells;

    fn take(seed: u64) -> Tour {
        let (mut cells, interrupt) = (Cells::in_memory(), &AtomicBool::new(false));
        let threads = NonZeroUsize::new(2).unwrap();
        tour(seed, &mut Sweep { cells: &mut cells, threads, interrupt, progress: &|_, _| {} })
            .unwrap()
    }

    /// What the tour is for: a newcomer sees private data contribute, beside a control and a ceiling, at every stop.
    #[test]
    fn every_stop_is_told_in_full_and_devices_clearly_contribute() {
        let tour = take(7);
        assert_eq!(tour.stops.len(), 4);
        for stop in &tour.stops {
            assert_eq!(stop.shown().len(), 4, "{}: {:?}", stop.setting.system, stop.scores);
            assert!(stop.card.is_simulation() && !stop.verdict.is_empty());
            assert!(stop.attacker.found_at_most < 100.0, "{:?}", stop.attacker);
        }
        for (stop, least) in tour.stops.iter().zip([1.0, 10.0]) {
            let [_, low, _] = stop.gain.unwrap();
            assert!(low > least, "{}: {:?}", stop.setting.system, stop.gain);
        }
        // A list that both ends send costs a contact twice, and the attacker's number is that of the doubled price.
        let contacts = &tour.stops[1];
        assert_eq!(
            (contacts.cost.loss.epsilon.get(), contacts.cost.relation.name()),
            (2.0, "relationship-dp")
        );
        // e^2 = 7.389...
        assert!((contacts.attacker.found_at_most - 7.389).abs() < 1e-3);
        assert!(contacts.attacker.in_words().contains("at most 7.4 in 100"));
        let report = tour.report("privet demo --html tour.html");
        assert_eq!(report.cards.len(), 4);
        assert!(report.html().matches("<svg").count() >= 4);
    }

    #[test]
    fn a_difference_within_chance_is_not_told_as_one() {
        let setting = TrustSetting {
            system: "x",
            title: "x",
            people: String::new(),
            holds: "x",
            leaves: "x",
            learned: "x",
            private: "answers",
            command: "x",
        };
        let card = Card::new("nothing");
        let comparison = Comparison { rows: Vec::new(), seeds: vec![1, 2, 3], card };
        let of = |first: &[f64], second: &[f64]| {
            let over = (Variant::Control, PairedComparison::of(first, second).unwrap());
            setting.verdict(&comparison, Some(&over))
        };
        assert!(of(&[0.9, 0.91, 0.9], &[0.5, 0.52, 0.5]).starts_with("answers add 39.7 points"));
        assert!(of(&[0.9, 0.5, 0.7], &[0.7, 0.7, 0.7]).contains("cannot be told"));
        assert!(of(&[0.5, 0.51, 0.5], &[0.9, 0.92, 0.9]).contains("worse than noise alone"));
    }
}
