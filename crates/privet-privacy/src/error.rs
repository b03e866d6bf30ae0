//! One error type for the crate: every variant carries the offending name and value.

use crate::loss::Loss;

/// The result of anything in this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What can go wrong when a guarantee is stated, composed, calibrated or charged.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A number outside the range in which it means something.
    #[error("{field} is {found}, but must be {expected}")]
    OutOfRange {
        /// The quantity, as its field or argument is called.
        field: &'static str,
        /// The value that was given.
        found: String,
        /// The range that would be right.
        expected: &'static str,
    },
    /// The data has not the shape the mechanism was made for; nothing was charged or released.
    #[error("the data has {found} {what}, but {mechanism} was made for {expected}")]
    Shape {
        /// What was counted.
        what: &'static str,
        /// How many there are.
        found: usize,
        /// Which mechanism refuses.
        mechanism: &'static str,
        /// How many it was made for.
        expected: usize,
    },
    /// The accountant has no theorem for this event, so it states no number.
    #[error("the {accountant} accountant has no theorem for the event: {event}")]
    NoTheorem {
        /// Which accountant was asked.
        accountant: &'static str,
        /// The smallest part of the event that has no theorem.
        event: String,
    },
    /// An answer of this accountant would take more time or memory than one may.
    #[error("the {accountant} accountant would need {needs}: more than an answer may take")]
    TooCostly {
        /// Which accountant was asked.
        accountant: &'static str,
        /// What it would need.
        needs: String,
    },
    /// The accountant's rounding errors are not below its answer, so it states none.
    #[error("the {accountant} accountant has no bound to this precision: {reason}")]
    Imprecise {
        /// Which accountant was asked.
        accountant: &'static str,
        /// What its arithmetic cannot resolve.
        reason: String,
    },
    /// A closed formula was used outside the range in which it is true.
    #[error("{formula} does not hold here: {detail}")]
    FormulaFails {
        /// The formula, by its author's name.
        formula: &'static str,
        /// The parameters, and what is true instead.
        detail: String,
    },
    /// No parameter in the searched range reaches the target.
    #[error("no {parameter} between {low} and {high} reaches {target}")]
    Unreachable {
        /// The parameter that was varied.
        parameter: &'static str,
        /// The smallest value tried.
        low: f64,
        /// The largest value tried.
        high: f64,
        /// The guarantee that was wanted.
        target: String,
    },
    /// The operating system gave no randomness, so no noise can be drawn.
    #[error("the operating system gave no randomness: {reason}")]
    NoEntropy {
        /// The message of the operating system.
        reason: String,
    },
    /// A release would cost more than is left; nothing was released.
    #[error(
        "{mechanism} would bring the total to {would_be}, over the limit of {limit}; nothing was released"
    )]
    OverLimit {
        /// The mechanism that was refused.
        mechanism: String,
        /// What may be spent in all.
        limit: Loss,
        /// What the worst-off user would have spent.
        would_be: Loss,
    },
    /// A card, a file it speaks of, or the key it is signed with cannot be read or written.
    #[error("{place}: {reason}")]
    Card {
        /// The file.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The caller asked to stop; what was charged stays charged, and nothing was released.
    #[error("interrupted")]
    Interrupted,
    /// A ledger file cannot be read, written or trusted.
    #[error("ledger {place}: {reason}")]
    Ledger {
        /// The file, and the line if one is at fault.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Error {
    /// An [`Error::OutOfRange`] for a number.
    pub(crate) fn range(
        field: &'static str,
        found: impl std::fmt::Display,
        expected: &'static str,
    ) -> Self {
        Self::OutOfRange { field, found: found.to_string(), expected }
    }

    /// Whether only this accountant cannot answer, and another one may.
    pub fn leaves_it_to_others(&self) -> bool {
        matches!(self, Self::NoTheorem { .. } | Self::TooCostly { .. } | Self::Imprecise { .. })
    }

    /// An [`Error::Shape`].
    pub(crate) fn shape(
        what: &'static str,
        found: usize,
        mechanism: &'static str,
        expected: usize,
    ) -> Self {
        Self::Shape { what, found, mechanism, expected }
    }

    /// An [`Error::Card`].
    pub(crate) fn card(place: impl std::fmt::Display, reason: impl std::fmt::Display) -> Self {
        Self::Card { place: place.to_string(), reason: reason.to_string() }
    }

    /// An [`Error::Ledger`].
    pub(crate) fn ledger(place: impl std::fmt::Display, reason: impl std::fmt::Display) -> Self {
        Self::Ledger { place: place.to_string(), reason: reason.to_string() }
    }
}
