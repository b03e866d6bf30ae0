//! [`Claim`]: what a user says about the number of their neighbours.

use super::setting::UserEpsilons;
use crate::privacy::UserChoice;
use crate::privacy::edges::ListCost;

/// What one user said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claim {
    /// The list itself: the user publishes.
    Published,
    /// A noisy degree: discrete Laplace noise of ratio `e^-epsilon`.
    Degree {
        /// The noisy degree. Below zero it is noise, not a mistake.
        said: i64,
        /// What the degree costs.
        epsilon: f64,
        /// The probability that the answer about one pair is wrong.
        flip: f64,
    },
    /// Only bits, each flipped with this probability.
    Bits {
        /// The probability of a wrong answer.
        flip: f64,
    },
    /// Nothing.
    Silent,
    /// Something that was found out to be false: this user's report is ignored.
    Struck,
}

impl Claim {
    /// That of LocalLap. A large cell is `e^bits` times as likely for an edge as for none; it stands
    /// in both rows of the collected graph, so each row counts for half of that.
    pub(super) fn of_cells(said: i64, cost: ListCost) -> Self {
        let flip = 1.0 / (1.0 + (cost.bits.get() / 2.0).exp());
        Self::Degree { said, epsilon: cost.degree.get(), flip }
    }

    /// The same with another noisy degree, if there is one in it.
    #[must_use]
    pub(super) fn saying(self, degree: usize) -> Self {
        match self {
            Self::Degree { epsilon, flip, .. } => {
                Self::Degree { said: degree as i64, epsilon, flip }
            }
            other => other,
        }
    }

    /// Whether the user publishes.
    pub fn is_published(self) -> bool {
        self == Self::Published
    }
}

/// The claims of all users: `private` makes that of a private one from a report and a position in the
/// list of epsilons.
pub(super) fn claims_of<R>(
    chosen: &UserEpsilons,
    reports: &[R],
    private: impl Fn(&R, usize) -> Claim,
) -> Vec<Claim> {
    let claim = |(report, choice): (&R, &UserChoice)| match choice {
        UserChoice::Private(at) => private(report, usize::from(*at)),
        UserChoice::Public => Claim::Published,
    };
    reports.iter().zip(&chosen.of_user).map(claim).collect()
}
