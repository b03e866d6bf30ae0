//! Finding users of bad will among reports, and learning without them (section 6.2, and beyond).
//!
//! # The paper's rule
//! A report longer than honest users send with probability `theta` at most, whatever their list, is
//! dropped, and its user with it ([`Defence::Threshold`], eq. 17). The worst honest list is a full one,
//! so only lists of nearly all users are caught: a random half of all users passes.
//!
//! # Handshakes
//! In an undirected graph an edge stands in two lists. Who knows hundreds of people is known by
//! hundreds, so large degrees must be matched by the degrees of all other users: if `C` is a set of users,
//! then `sum over C of d <= c (c - 1) + sum over the others of d` (the first step of Erdős and Gallai).
//! Users who make up long lists have no hand in the lists of others, and break this
//! ([`Defence::Handshake`]):
//! 1. *Claims* are noisy degrees that no ordinary user of a graph sends, but with probability `theta`:
//!    above `usual_degree`, which at most `theta / 2` of the users exceed (public knowledge), by more than
//!    noise explains.
//! 2. Claims of about the same size are a *crowd* if together they ask for more edges than all other users
//!    can offer, by more than noise explains with probability `theta` in any of the graphs (Bernstein).
//!    A crowd is struck, and so are all claims of a graph if what is left is still too much.
//! 3. If more than `theta` of the graphs are refuted in this way, degrees like those of crowds are struck
//!    in all graphs, from a lower bound on (noise above its quantile of `theta / 2`): small graphs, where
//!    little can be proved, are attacked too, and a classifier must not meet degrees in tests that it
//!    never met in training.
//!
//! False positives: a struck honest user has more neighbours than `usual_degree` or noise above its
//! quantile, so at most `theta` of the honest users are (in expectation, if what is said about degrees is
//! true). What passes: made-up degrees that could be real. Malicious users can always claim to know each other,
//! and each as many more as honest users have to offer ([`adaptive`](super::poison::adaptive)).
//!
//! # A census
//! The public knowledge that step 1 uses says more: at most `theta / 2` of all users exceed `usual_degree`. If
//! after the handshakes more than `theta` of the users of all graphs together still claim more than
//! ordinary degrees, too many for chance (Hoeffding), then some lie, and all such claims are struck in all
//! graphs ([`Defence::Census`]). The promise to honest users is the same, for the same reason. The price is that
//! honest hubs go too. What passes: ordinary degrees, and large ones of few.
//!
//! All of it is post-processing of reports: it has no privacy cost.

mod census;
mod handshake;
mod passing;

use super::claim::Claim;
use crate::graph::{Direction, Graph, NodeId};
use crate::{Error, Result};

/// How users are judged.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Defence {
    /// No user is suspected.
    None,
    /// The paper's: users with a report of at least tau entries are not listened to.
    Threshold {
        /// The largest probability that an honest user is flagged.
        theta: f64,
    },
    /// Nor are users with large degrees that other users' degrees cannot match. In directed graphs,
    /// where nothing has to match, it is the paper's rule.
    Handshake {
        /// The largest share of honest users flagged.
        theta: f64,
        /// At most `theta / 2` of the users have more neighbours than this: public knowledge.
        usual_degree: usize,
    },
    /// Nor, after that, is any user with a large degree if too many users have one.
    Census {
        /// The largest share of honest users flagged.
        theta: f64,
        /// At most `theta / 2` of the users have more neighbours than this: public knowledge.
        usual_degree: usize,
    },
}

impl Defence {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Threshold { .. } => "threshold",
            Self::Handshake { .. } => "handshake",
            Self::Census { .. } => "census",
        }
    }

    /// Whether its theta is one.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(self) -> Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Threshold { theta }
            | Self::Handshake { theta, .. }
            | Self::Census { theta, .. } => {
                let fits = theta > 0.0 && theta < 1.0;
                Error::unless(fits, "theta", theta, "a share between 0 and 1")
            }
        }
    }

    /// The flagged users of every graph, ascending. Those who publish are exempt: their lists follow no
    /// law.
    ///
    /// # Errors
    /// If theta is not a probability, or there is not one claim per user.
    pub fn judge(
        self,
        graphs: &[Graph],
        claims: &[Claim],
        direction: Direction,
    ) -> Result<Vec<Vec<NodeId>>> {
        self.check()?;
        let (mut cases, mut left) = (Vec::with_capacity(graphs.len()), claims);
        for graph in graphs {
            let (of_graph, rest) = left.split_at_checked(graph.node_count()).ok_or_else(|| {
                Error::invalid("claims", claims.len(), "one for each user of each graph")
            })?;
            left = rest;
            cases.push((graph, of_graph));
        }
        match self {
            Self::None => Ok(vec![Vec::new(); graphs.len()]),
            Self::Handshake { theta, usual_degree } if direction == Direction::Undirected => {
                Ok(handshake::judge(&cases, theta, usual_degree))
            }
            Self::Census { theta, usual_degree } if direction == Direction::Undirected => {
                Ok(census::judge(&cases, theta, usual_degree))
            }
            Self::Threshold { theta }
            | Self::Handshake { theta, .. }
            | Self::Census { theta, .. } => {
                Ok(cases.iter().map(|(graph, claims)| too_long(graph, claims, theta)).collect())
            }
        }
    }

    /// Strikes the claims of flagged users: no reading listens to them any more.
    pub fn strike(graphs: &[Graph], claims: &mut [Claim], flagged: &[Vec<NodeId>]) {
        let mut first = 0;
        for (graph, flagged) in graphs.iter().zip(flagged) {
            for &user in flagged {
                claims[first + user as usize] = Claim::Struck;
            }
            first += graph.node_count();
        }
    }
}

/// Eq. 17: `mu (1 + (l + sqrt(l^2 + 8 mu l)) / (2 mu))` with `mu = (n-1) p` and `l = log(1/theta)`.
pub fn chernoff_threshold(users: usize, keep: f64, theta: f64) -> f64 {
    let (mean, log) = (users.saturating_sub(1) as f64 * keep, (1.0 / theta).ln());
    mean + (log + (log * log + 8.0 * mean * log).sqrt()) / 2.0
}

/// The paper's rule.
fn too_long(graph: &Graph, claims: &[Claim], theta: f64) -> Vec<NodeId> {
    let long = |&user: &NodeId| match claims[user as usize] {
        Claim::Degree { flip, .. } => {
            graph.degree(user) as f64 >= chernoff_threshold(graph.node_count(), 1.0 - flip, theta)
        }
        _ => false,
    };
    graph.nodes().filter(long).collect()
}

#[cfg(test)]
mod tests;
