//! The sentences of cards. What a mechanism or a ledger states is data; how it reads in English stands here, so that the
//! files a reviewer of the proofs reads hold no prose.

mod explain;
mod plain;

use std::fmt;

pub use plain::Odds;

use super::stated::{LossCondition, StatedLoss};
use crate::event::{BatchSampling, Event};
use crate::ledger::RelationshipEnds;
use crate::unit::{Relation, Trust};

/// A number with separators, so that it can be read: `12,345`.
pub fn count(number: impl TryInto<u64>) -> String {
    let Ok(number) = number.try_into() else { return "?".into() };
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl Relation {
    /// What the relation hides, in words for people who do not know the term.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::RecordLdp => {
                "what a person reports looks almost the same whatever their record says"
            }
            Self::EdgeLdp => {
                "what a person reports looks almost the same whether or not they know any one \
                 given other person; their whole list of contacts is NOT hidden at this epsilon"
            }
            Self::RelationshipDp => {
                "all reports together look almost the same whether or not any one given pair of \
                 people know each other"
            }
            Self::EdgeDp => {
                "the result looks almost the same whether or not any one given private connection \
                 exists"
            }
            Self::RecordAbsent => {
                "the result looks almost the same whether or not any one given person's record is in \
                 the data; who knows whom is not hidden"
            }
            Self::RecordReplace => {
                "the result looks almost the same whatever any one given person's record says; who \
                 knows whom is not hidden"
            }
            Self::NodeAbsent => {
                "the result looks almost the same whether or not any one given person, with all \
                 their connections and data, is in the graph"
            }
            Self::NodeReplace => {
                "the result looks almost the same whatever any one given person's connections and \
                 data are"
            }
        }
    }

    /// What an attacker may want to learn about a person, by what is hidden.
    pub fn question(self) -> &'static str {
        match self {
            Self::RecordLdp | Self::RecordReplace => "what your own record says:",
            Self::EdgeLdp | Self::RelationshipDp => {
                "whether you and one particular other person know each other:"
            }
            Self::EdgeDp => "whether one particular connection of yours exists:",
            Self::RecordAbsent => "whether your record is in the data, and so what it says:",
            Self::NodeAbsent => "whether you are in the data, and so anything about you in them:",
            Self::NodeReplace => "anything about you: your record, your connections:",
        }
    }
}

impl Trust {
    /// Who must be trusted with raw data, in words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::OwnDevice => "no one: noise is added before the data leave their owner",
            Self::Curator => "the curator, who holds the raw data",
        }
    }
}

impl RelationshipEnds {
    /// The pairs in words; none where all pairs are meant.
    pub fn words(self) -> Option<&'static str> {
        match self {
            Self::AnyTwo => None,
            Self::WithPublisher => Some("relationships with a person who published their contacts"),
            Self::TwoPrivate => Some("relationships between two people who did not publish"),
        }
    }
}

impl fmt::Display for LossCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Simulation => f.write_str("simulation: noise from a seed protects no one"),
            Self::Unproven => f.write_str("UNPROVEN: no bound is known for this mechanism"),
            Self::DataProperty { on } => {
                write!(f, "only if {on} (not checked; no guarantee otherwise)")
            }
            Self::Stationarity => {
                f.write_str("only if a random walk has converged (cannot be checked)")
            }
            Self::PaperClaim { printed, flaw } => {
                write!(f, "run as its paper prints it, which claims epsilon {printed}, but {flaw}")
            }
            Self::Unaudited => f.write_str("not audited: made outside Privet"),
            Self::TrustedCurator => f.write_str("the curator is trusted with the raw data"),
            Self::FloatingPoint => f.write_str("floating-point rounding is not covered"),
        }
    }
}

impl fmt::Display for StatedLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.relation, self.loss)?;
        if let Some(pairs) = self.between.words() {
            write!(f, " for {pairs}")?;
        }
        self.conditions.iter().try_for_each(|condition| write!(f, "; {condition}"))
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::NonPrivate => f.write_str("a release without protection"),
            Self::Pure { epsilon } => write!(f, "a pure {epsilon}-DP release"),
            Self::Approximate { epsilon, delta } => write!(f, "an ({epsilon}, {delta})-DP release"),
            Self::BoundedRange { eta } => write!(f, "a pick of bounded range {eta}"),
            Self::Laplace { noise_multiplier } => {
                write!(f, "Laplace noise of multiplier {noise_multiplier}")
            }
            Self::RandomizedResponse { epsilon, categories } => {
                write!(f, "randomised response over {categories} categories with epsilon {epsilon}")
            }
            Self::Gaussian { noise_multiplier } => {
                write!(f, "Gaussian noise of multiplier {noise_multiplier}")
            }
            Self::ZeroConcentrated { rho } => write!(f, "a {rho}-zCDP release"),
            Self::PoissonSampled { rate, event } => {
                write!(f, "{event} on a Poisson sample of rate {rate}")
            }
            Self::FixedSizeSampled { size, population, event } => {
                write!(f, "{event} on a sample of {size} out of {population}")
            }
            Self::MixtureOfGaussians { noise_multiplier, max_rows, rate } => write!(
                f,
                "Gaussian noise of multiplier {noise_multiplier} on a sum in which a node has up to \
                 {max_rows} rows, each sampled with rate {rate}"
            ),
            Self::ReplacedRows { noise_multiplier, max_rows, batch } => write!(
                f,
                "Gaussian noise of multiplier {noise_multiplier} on a sum in which up to {max_rows} rows \
                 of a node may be replaced, {batch}"
            ),
            Self::SubsampledOnce { rate, event } => {
                write!(f, "({event}) on one data subsample of rate {rate}")
            }
            Self::Repeated { event, times } => write!(f, "{times} times ({event})"),
            Self::Sequence { events } => {
                for (index, event) in events.iter().enumerate() {
                    if index > 0 {
                        f.write_str("; then ")?;
                    }
                    write!(f, "{event}")?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for BatchSampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Poisson { rate } => write!(f, "each sampled with rate {rate}"),
            Self::FixedSize { size, population } => {
                write!(f, "{size} of {population} rows sampled")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_stand_in_threes() {
        let pairs = [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345, "12,345")];
        for (number, written) in pairs {
            assert_eq!(count(number as u64), written);
        }
        assert_eq!(count(u64::MAX), "18,446,744,073,709,551,615");
        assert_eq!(count(-1), "?", "nothing is counted below none");
    }
}
