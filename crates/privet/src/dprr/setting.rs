//! [`Setting`]: who is protected how strongly. Decided without looking at anyone's list.

use rand::seq::SliceRandom;

use crate::graph::SimRng;
use crate::privacy::UserChoice;
use crate::{Error, Result};

/// How strongly each user is protected.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Setting {
    /// The same epsilon for all.
    Common {
        /// The budget of a list.
        epsilon: f64,
    },
    /// A share of each graph's users publishes their lists.
    Customised {
        /// The budget of a private user's list.
        epsilon: f64,
        /// The share of users who publish (lambda).
        #[serde(rename = "lambda")]
        public_share: f64,
    },
    /// An epsilon per user, graph after graph; an infinite one publishes.
    PerUser(Vec<f64>),
}

/// What each user chose.
#[derive(Debug, Clone, PartialEq)]
pub struct UserEpsilons {
    /// The different finite epsilons, ascending.
    pub epsilons: Vec<f64>,
    /// One choice per user, graph after graph: a position in `epsilons`, or to publish.
    pub of_user: Vec<UserChoice>,
}

impl Setting {
    /// The largest finite epsilon; 0 if all users publish.
    pub fn epsilon(&self) -> f64 {
        match self {
            Self::Common { epsilon } | Self::Customised { epsilon, .. } => *epsilon,
            Self::PerUser(all) => {
                all.iter().copied().filter(|epsilon| epsilon.is_finite()).fold(0.0, f64::max)
            }
        }
    }

    /// The choices of users in graphs of these sizes. The seed decides who publishes.
    ///
    /// # Errors
    /// If the share is not one, or there is not one epsilon per user.
    pub fn choose(&self, sizes: &[usize], seed: u64) -> Result<UserEpsilons> {
        let users: usize = sizes.iter().sum();
        match self {
            Self::Common { epsilon } => Ok(UserEpsilons {
                epsilons: vec![*epsilon],
                of_user: vec![UserChoice::Private(0); users],
            }),
            Self::Customised { epsilon, public_share } => {
                let fits = (0.0..=1.0).contains(public_share);
                Error::unless(fits, "public-share", public_share, "a share of users, 0 to 1")?;
                let of_user = publishing(sizes, *public_share, seed);
                Ok(UserEpsilons { epsilons: vec![*epsilon], of_user })
            }
            Self::PerUser(all) => per_user(all, users),
        }
    }
}

/// In each graph a random `share` of the users publishes.
fn publishing(sizes: &[usize], share: f64, seed: u64) -> Vec<UserChoice> {
    let mut rng = SimRng::new(seed ^ 0x9e37_79b9_7f4a_7c15);
    let mut of_user = Vec::with_capacity(sizes.iter().sum());
    for &size in sizes {
        let public = (share * size as f64).round() as usize;
        let start = of_user.len();
        of_user.resize(start + public, UserChoice::Public);
        of_user.resize(start + size, UserChoice::Private(0));
        of_user[start..].shuffle(&mut rng);
    }
    of_user
}

fn per_user(all: &[f64], users: usize) -> Result<UserEpsilons> {
    if all.len() != users {
        return Err(Error::invalid(
            "epsilons",
            all.len(),
            format!("one for each of {users} users"),
        ));
    }
    let mut epsilons: Vec<f64> = all.iter().copied().filter(|e| *e != f64::INFINITY).collect();
    epsilons.sort_by(f64::total_cmp);
    epsilons.dedup();
    if epsilons.len() > usize::from(u16::MAX) {
        let expected = format!("at most {} different ones", u16::MAX);
        return Err(Error::invalid("epsilons", epsilons.len(), expected));
    }
    let choice = |epsilon: &f64| match *epsilon == f64::INFINITY {
        true => UserChoice::Public,
        false => UserChoice::Private(epsilons.partition_point(|known| known < epsilon) as u16),
    };
    let of_user = all.iter().map(choice).collect();
    Ok(UserEpsilons { epsilons, of_user })
}

impl UserEpsilons {
    /// The least epsilon of a private user; none if all users publish.
    pub fn least(&self) -> Option<f64> {
        self.epsilons.first().copied()
    }

    /// Whether a user publishes.
    pub fn publishes(&self, user: usize) -> bool {
        self.of_user.get(user) == Some(&UserChoice::Public)
    }

    /// How many users publish.
    pub fn public_count(&self) -> usize {
        self.of_user.iter().filter(|choice| **choice == UserChoice::Public).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_every_graph_publishes() {
        let sizes = [10, 0, 7, 100];
        let customised = Setting::Customised { epsilon: 1.0, public_share: 0.2 };
        let chosen = customised.choose(&sizes, 5).unwrap();
        let public =
            |range: std::ops::Range<usize>| range.filter(|&user| chosen.publishes(user)).count();
        assert_eq!((public(0..10), public(10..17), public(17..117)), (2, 1, 20));
        assert_eq!(chosen.public_count(), 23);
        assert_eq!(customised.choose(&sizes, 5).unwrap(), chosen);
        assert_ne!(customised.choose(&sizes, 6).unwrap(), chosen);
        let none_public = Setting::Customised { epsilon: 1.0, public_share: 0.0 };
        let common = Setting::Common { epsilon: 1.0 };
        assert_eq!(none_public.choose(&sizes, 5).unwrap(), common.choose(&sizes, 5).unwrap());
        let impossible = Setting::Customised { epsilon: 1.0, public_share: 1.5 };
        assert!(impossible.choose(&sizes, 5).is_err());
    }

    #[test]
    fn everybody_has_an_epsilon_of_their_own() {
        let setting = Setting::PerUser(vec![2.0, f64::INFINITY, 0.5, 2.0]);
        let chosen = setting.choose(&[3, 1], 0).unwrap();
        assert_eq!(chosen.epsilons, [0.5, 2.0]);
        let (strong, weak) = (UserChoice::Private(0), UserChoice::Private(1));
        assert_eq!(chosen.of_user, [weak, UserChoice::Public, strong, weak]);
        assert_eq!(setting.epsilon(), 2.0);
        assert!(setting.choose(&[3], 0).is_err());
    }
}
