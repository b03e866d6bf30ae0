//! [`Users`]: which users an entry charges, as ranges of their positions.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// A set of users.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Users {
    /// All there are.
    Everyone,
    /// The users in some ranges `[from, to)`, ascending and apart.
    Ranges(Vec<[u64; 2]>),
}

impl Users {
    /// The set of some users, given in ascending order.
    ///
    /// # Errors
    /// If they are not ascending: a user who is named twice would be charged once.
    pub fn of(users: impl IntoIterator<Item = u64>) -> Result<Self> {
        let mut ranges: Vec<[u64; 2]> = Vec::new();
        for user in users {
            match ranges.last_mut() {
                Some(last) if last[1] == user => last[1] += 1,
                Some(last) if last[1] > user => {
                    return Err(Error::range("users", user, "named once, in ascending order"));
                }
                _ => ranges.push([user, user + 1]),
            }
        }
        Ok(Self::Ranges(ranges))
    }

    /// Checks what was read from a file; `people` is how many users there are, where that is known.
    pub(crate) fn validate(&self, people: Option<u64>) -> Result<()> {
        let Self::Ranges(ranges) = self else { return Ok(()) };
        let ordered = ranges.iter().all(|r| r[0] < r[1])
            && ranges.windows(2).all(|pair| pair[0][1] < pair[1][0]);
        if !ordered {
            return Err(Error::range("users", "overlapping ranges", "ranges apart"));
        }
        match (ranges.last(), people) {
            (Some(last), Some(people)) if last[1] > people => {
                Err(Error::range("users", last[1], "within the number of people"))
            }
            _ => Ok(()),
        }
    }

    /// The same set of the users who exist: "everyone" means these users and no others.
    pub(crate) fn among(&self, people: Option<u64>) -> Self {
        match (self, people) {
            (Self::Everyone, _) if fault::on(Fault::EveryoneIsNobody) => Self::Ranges(Vec::new()),
            (Self::Everyone, _) if fault::on(Fault::EveryoneReachesTooFar) => Self::Everyone,
            (Self::Everyone, Some(0)) => Self::Ranges(Vec::new()),
            (Self::Everyone, Some(people)) => Self::Ranges(vec![[0, people]]),
            _ => self.clone(),
        }
    }

    /// How many users there are, if the set says so.
    pub fn count(&self) -> Option<u64> {
        match self {
            Self::Everyone => None,
            Self::Ranges(ranges) => Some(ranges.iter().map(|r| r[1] - r[0]).sum()),
        }
    }

    /// The positions at which membership may change.
    pub(crate) fn borders(&self) -> impl Iterator<Item = u64> + '_ {
        let ranges = match self {
            Self::Everyone => &[],
            Self::Ranges(ranges) => ranges.as_slice(),
        };
        ranges.iter().flatten().copied()
    }

    /// Whether the user at a position is in the set.
    pub(crate) fn contains(&self, user: u64) -> bool {
        match self {
            Self::Everyone => true,
            Self::Ranges(ranges) => {
                let at = ranges.partition_point(|range| range[1] <= user);
                ranges.get(at).is_some_and(|range| range[0] <= user)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_merge_into_ranges() {
        let users = Users::of([1, 2, 3, 7]).unwrap();
        assert_eq!(users, Users::Ranges(vec![[1, 4], [7, 8]]));
        assert_eq!(users.count(), Some(4));
        let inside: Vec<u64> = (0..10).filter(|&user| users.contains(user)).collect();
        assert_eq!(inside, [1, 2, 3, 7]);
    }

    #[test]
    fn a_user_named_twice_is_refused() {
        assert!(Users::of([1, 1]).is_err());
        assert!(Users::of([2, 1]).is_err());
        assert!(Users::Ranges(vec![[0, 2], [2, 3]]).validate(None).is_err());
        assert!(Users::Ranges(vec![[2, 2]]).validate(None).is_err());
        // One range that is in order does not speak for the others.
        assert!(Users::Ranges(vec![[0, 1], [5, 4]]).validate(None).is_err());
    }

    #[test]
    fn users_who_do_not_exist_are_not_charged() {
        let users = Users::of([1, 2]).unwrap();
        assert!(users.validate(Some(3)).is_ok() && users.validate(Some(2)).is_err());
        assert_eq!(Users::Everyone.among(Some(3)), Users::Ranges(vec![[0, 3]]));
        assert_eq!(Users::Everyone.among(Some(0)), Users::Ranges(Vec::new()));
        assert_eq!(Users::Everyone.among(None), Users::Everyone);
    }
}
