//! [`Doubt`]: numbers that would give no protection, questioned before anything is charged.
//!
//! A guarantee can be proved and worthless. With delta at 1/n a mechanism may publish one person of n as
//! they are; beyond epsilon 20 even odds may become 485 million to one;
//! an account whose limit is higher than that refuses nothing. Such numbers are refused with an explanation,
//! or taken if the caller names the doubt, and then the card repeats it.
//!
//! ```
//! use privet::doubts::{Doubt, PromisedPrice};
//! use privet::privacy::Loss;
//! let price = PromisedPrice { people: 1000, asked: Loss::new(1.0, 1e-3)?, limit: Loss::new(1.0, 1e-3)? };
//! assert!(price.settle(&[]).unwrap_err().to_string().contains("the warning weak-delta"));
//! assert_eq!(price.settle(&[Doubt::WeakDelta])?.len(), 1);
//! # Ok::<(), privet::Error>(())
//! ```

use crate::graph::{Dataset, Fact, GraphSet};
use crate::privacy::Loss;
use crate::project::elsewhere::refuse_people_of_projects;
use crate::{Error, LedgerStore, Result};

/// The largest epsilon that is taken without a question: e^20 turns even odds into 485 million to one.
pub const LARGEST_EPSILON: f64 = 20.0;

/// A reason to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Doubt {
    /// Delta is at least one over the number of people.
    WeakDelta,
    /// Epsilon is above [`LARGEST_EPSILON`].
    LargeEpsilon,
    /// The account would allow more than [`LARGEST_EPSILON`] in all, or a delta of one over the people.
    LooseLimit,
}

impl Doubt {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::WeakDelta, Self::LargeEpsilon, Self::LooseLimit];

    /// Its name on the command line and on cards.
    pub fn name(self) -> &'static str {
        match self {
            Self::WeakDelta => "weak-delta",
            Self::LargeEpsilon => "large-epsilon",
            Self::LooseLimit => "loose-limit",
        }
    }

    /// The doubt called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|doubt| doubt.name() == name)
    }
}

/// What a release is about to promise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PromisedPrice {
    /// How many people are in the data.
    pub people: usize,
    /// Privacy budget to spend (epsilon).
    pub asked: Loss,
    /// What the account may be charged in all.
    pub limit: Loss,
}

impl PromisedPrice {
    /// That of a release whose account allows exactly this release.
    pub fn once(people: usize, asked: Loss) -> Self {
        Self { people, asked, limit: asked }
    }

    /// What is questionable about it, in words.
    pub fn doubts(&self) -> Vec<(Doubt, String)> {
        let Self { people, asked, limit } = *self;
        let [asked_epsilon, limit_epsilon] = [asked, limit].map(|loss| loss.epsilon.get());
        let [asked_delta, limit_delta] = [asked, limit].map(|loss| loss.delta.get());
        let weak = |delta: f64| delta > 0.0 && delta * people as f64 >= 1.0;
        let mut doubts = Vec::new();
        if weak(asked_delta) {
            let why = format!(
                "delta {asked_delta} is not below 1 in {people}, the number of people: publishing one of \
                 them as they are would keep that promise"
            );
            doubts.push((Doubt::WeakDelta, why));
        }
        if asked_epsilon > LARGEST_EPSILON {
            let why = format!(
                "epsilon {asked_epsilon} is above {LARGEST_EPSILON}: an attacker who saw even odds before may be \
                 certain afterwards"
            );
            doubts.push((Doubt::LargeEpsilon, why));
        }
        let loose = limit_epsilon > LARGEST_EPSILON && limit_epsilon > asked_epsilon;
        if loose || (weak(limit_delta) && limit_delta > asked_delta) {
            let why = format!(
                "a limit of {limit} does not stop spending before nothing is left to protect; this release asks for \
                 {asked}"
            );
            doubts.push((Doubt::LooseLimit, why));
        }
        doubts
    }

    /// What a card must repeat: the doubts that were accepted.
    ///
    /// # Errors
    /// If there is another one.
    pub fn settle(&self, accepted: &[Doubt]) -> Result<Vec<String>> {
        let mut lines = Vec::new();
        for (doubt, why) in self.doubts() {
            if !accepted.contains(&doubt) {
                return Err(Error::Doubtful { why, doubt: doubt.name() });
            }
            lines.push(format!("accepted by the operator ({}): {why}", doubt.name()));
        }
        Ok(lines)
    }
}

/// What a release asks before it charges: may it cost that, and is what it shows public?
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseAsks {
    /// What it may cost, by part.
    pub prices: Vec<PromisedPrice>,
    /// What it shows beside what is randomised.
    pub shown: Vec<Fact>,
}

impl ReleaseAsks {
    /// Of accounts that each allow exactly this release.
    pub fn once(people: usize, parts: impl IntoIterator<Item = Loss>, shown: Vec<Fact>) -> Self {
        let prices = parts.into_iter().map(|asked| PromisedPrice::once(people, asked)).collect();
        Self { prices, shown }
    }

    /// What the card of a release to accounts of its own must repeat, because nothing but the user's word speaks for it.
    ///
    /// # Errors
    /// If a fact was read off the records, a number would give no protection, or the people are those of a project.
    pub fn settle(&self, dataset: &Dataset, accepted: &[Doubt]) -> Result<Vec<String>> {
        refuse_people_of_projects(dataset)?;
        self.settled(dataset.require_public(&self.shown)?, accepted)
    }

    /// The same where these accounts pay, which may be a project's.
    ///
    /// # Errors
    /// Those of [`ReleaseAsks::settle`].
    pub fn settle_in(
        &self,
        ledgers: &LedgerStore,
        dataset: &Dataset,
        accepted: &[Doubt],
    ) -> Result<Vec<String>> {
        ledgers.refuse_people_of_projects(dataset)?;
        self.settled(dataset.require_public(&self.shown)?, accepted)
    }

    /// The same where users of many graphs report, who show that they are there and nothing else.
    ///
    /// # Errors
    /// Those of [`ReleaseAsks::settle`].
    pub fn settle_users(&self, set: &GraphSet, accepted: &[Doubt]) -> Result<Vec<String>> {
        self.settled(set.require_public_users()?, accepted)
    }

    fn settled(&self, mut lines: Vec<String>, accepted: &[Doubt]) -> Result<Vec<String>> {
        for price in &self.prices {
            lines.extend(price.settle(accepted)?);
        }
        Ok(lines)
    }
}

/// The delta that is taken where none was typed: the largest power of ten that is at most a tenth of one
/// over the number of people, so that publishing a person as they are has no room in it, and so that one
/// person more or less rarely shows in it.
pub fn default_delta(people: usize) -> f64 {
    let digits = people.max(1).ilog10() + u32::from(!is_power_of_ten(people.max(1)));
    10f64.powi(-(digits as i32) - 1)
}

fn is_power_of_ten(number: usize) -> bool {
    number == 10usize.pow(number.ilog10())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(people: usize, asked: (f64, f64), limit: (f64, f64)) -> Vec<Doubt> {
        let loss = |(epsilon, delta)| Loss::new(epsilon, delta).unwrap();
        let price = PromisedPrice { people, asked: loss(asked), limit: loss(limit) };
        price.doubts().into_iter().map(|(doubt, _)| doubt).collect()
    }

    #[test]
    fn numbers_without_protection_are_questioned() {
        assert_eq!(terms(1000, (20.0, 9.99e-4), (20.0, 9.99e-4)), []);
        assert_eq!(terms(1000, (1.0, 0.0), (3.0, 0.0)), []);
        assert_eq!(terms(1000, (1.0, 1e-3), (1.0, 1e-3)), [Doubt::WeakDelta]);
        assert_eq!(terms(1000, (20.5, 0.0), (20.5, 0.0)), [Doubt::LargeEpsilon]);
        assert_eq!(terms(1000, (1.0, 0.0), (21.0, 0.0)), [Doubt::LooseLimit]);
        assert_eq!(terms(1000, (1.0, 0.0), (1.0, 0.1)), [Doubt::LooseLimit]);
        assert_eq!(terms(1000, (f64::INFINITY, 0.0), (f64::INFINITY, 0.0)), [Doubt::LargeEpsilon]);
        assert_eq!(terms(1000, (1.0, 0.0), (f64::INFINITY, 0.0)), [Doubt::LooseLimit]);
    }

    #[test]
    fn what_was_accepted_is_repeated_and_nothing_else_is_taken() {
        let asked = Loss::new(25.0, 0.5).unwrap();
        let price = PromisedPrice::once(10, asked);
        let told = price.settle(&[Doubt::WeakDelta]).unwrap_err().to_string();
        assert!(
            told.contains("epsilon 25") && told.contains("the warning large-epsilon"),
            "{told}"
        );
        let lines = price.settle(&[Doubt::LargeEpsilon, Doubt::WeakDelta]).unwrap();
        assert!(lines.len() == 2 && lines[0].contains("weak-delta"), "{lines:?}");
    }

    /// Prices are questioned for every part; facts that were read off the records are refused before any price is.
    #[test]
    fn a_release_asks_for_all_its_parts_and_facts() {
        let club = crate::data::synthetic::karate_club().unwrap();
        let parts = [1.0, 25.0].map(|epsilon| Loss::new(epsilon, 0.0).unwrap());
        let asked = ReleaseAsks::once(34, parts, vec![Fact::Ids]);
        assert!(asked.settle(&club, &[]).unwrap_err().to_string().contains("epsilon 25"));
        assert_eq!(asked.settle(&club, &[Doubt::LargeEpsilon]).unwrap().len(), 1);
        let text = "ann,bob\nbob,eve\n";
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("friends.csv");
        std::fs::write(&file, text).unwrap();
        let read = crate::data::read(&file).unwrap().into_nodes().unwrap();
        let told = asked.settle(&read, &Doubt::ALL).unwrap_err().to_string();
        assert!(!told.contains("epsilon"), "{told}");
        let users = GraphSet::new("one", vec![club.graph().clone()]);
        assert_eq!(asked.settle_users(&users, &Doubt::ALL).unwrap().len(), 1);
    }

    #[test]
    fn delta_follows_the_number_of_people() {
        for (people, delta) in [(1, 0.1), (10, 1e-2), (11, 1e-3), (2995, 1e-5), (100_000, 1e-6)] {
            assert_eq!(default_delta(people), delta, "{people}");
            assert!(default_delta(people) * people as f64 <= 0.1 + 1e-12);
        }
    }
}
