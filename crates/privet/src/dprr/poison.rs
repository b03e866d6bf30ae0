//! What users of bad will can send: [`Attack`].
//!
//! [`Attack::Bits`] is the paper's (section 6.1, eq. 16): a report changed bit by bit, by people who know
//! nothing of a defence. The others know it, see [`adaptive`].

pub mod adaptive;

use std::fmt;

use rand::RngExt;
use rand::seq::index;

use super::claim::Claim;
use super::defence::Defence;
use crate::graph::{Direction, Graph, Labels, NodeId, SimRng};
use crate::{Error, Result};

/// What malicious users do.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Attack {
    /// `Poison(w1, w2)`: a bit that was reported stays with probability `keep`, one that was not is set
    /// with probability `invent`.
    Bits {
        /// w1.
        keep: f64,
        /// w2.
        invent: f64,
    },
    /// The largest degrees that a defence they know lets pass.
    Matched {
        /// What they expect the collector to do.
        against: Defence,
    },
    /// The same, but only in graphs of every other class (the first, the third, ...): a mark of the class
    /// that training graphs bear and no other graph does.
    Shortcut {
        /// What they expect the collector to do.
        against: Defence,
    },
}

impl fmt::Display for Attack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bits { keep, invent } => write!(f, "Poison({keep}, {invent})"),
            Self::Matched { against } => write!(f, "Claims matched to {}", against.name()),
            Self::Shortcut { against } => {
                write!(f, "A shortcut of claims matched to {}", against.name())
            }
        }
    }
}

impl Attack {
    /// Claims all other users as neighbours.
    pub const ALL_ONES: Self = Self::Bits { keep: 1.0, invent: 1.0 };
    /// Every bit is the toss of a coin.
    pub const RANDOM: Self = Self::Bits { keep: 0.5, invent: 0.5 };

    /// The attack with these probabilities.
    ///
    /// # Errors
    /// If one is not a probability.
    pub fn new(keep: f64, invent: f64) -> Result<Self> {
        let attack = Self::Bits { keep, invent };
        attack.check()?;
        Ok(attack)
    }

    /// Whether its numbers make sense.
    ///
    /// # Errors
    /// If a probability is none, or the defence it knows has none.
    pub fn check(self) -> Result<()> {
        match self {
            Self::Bits { keep, invent } => {
                [("w1", keep), ("w2", invent)].into_iter().try_for_each(|(name, value)| {
                    Error::unless((0.0..=1.0).contains(&value), name, value, "a probability")
                })
            }
            Self::Matched { against } | Self::Shortcut { against } => against.check(),
        }
    }

    /// Whether it is made in graphs of a class.
    fn meets(self, class: Option<u32>) -> bool {
        match self {
            Self::Shortcut { .. } => class.is_some_and(|class| class % 2 == 0),
            _ => true,
        }
    }
}

/// What a malicious user sends in place of an honest report: eq. 16.
fn changed_bits(
    (keep, invent): (f64, f64),
    owner: NodeId,
    honest: &[NodeId],
    users: usize,
    rng: &mut SimRng,
) -> Vec<NodeId> {
    let mut honest = honest.iter().copied().peekable();
    let mut set = |node: NodeId| {
        let reported = honest.next_if_eq(&node).is_some();
        let chance = if reported { keep } else { invent };
        // The ends are certain: no draw decides them.
        node != owner && (chance >= 1.0 || (chance > 0.0 && rng.random::<f64>() < chance))
    };
    (0..users as NodeId).filter(|&node| set(node)).collect()
}

/// Which graphs are attacked, and what all attackers know about them.
#[derive(Debug, Clone, Copy)]
pub struct AttackTargets<'a> {
    /// Their positions.
    pub graphs: &'a [u32],
    /// Whether an edge stands in two lists or in one.
    pub direction: Direction,
    /// The class of each graph.
    pub labels: &'a Labels,
}

/// The malicious users of one graph.
#[derive(Debug)]
struct Gang {
    /// The graph's position.
    graph: usize,
    /// How many users the graphs before it have.
    first: usize,
    /// Who they are, in the order in which they were drawn.
    members: Vec<NodeId>,
    /// What decides the rest.
    rng: SimRng,
}

/// An attack by a share of the users of some graphs.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Poisoning {
    /// What they do.
    pub attack: Attack,
    /// The share of malicious users (beta).
    pub share: f64,
}

impl Poisoning {
    /// Whether its share is one, and its attack makes sense.
    ///
    /// # Errors
    /// If not.
    pub fn check(&self) -> Result<()> {
        let fits = (0.0..=1.0).contains(&self.share);
        Error::unless(fits, "beta", self.share, "a share of users, 0 to 1")?;
        self.attack.check()
    }

    /// Replaces reports in the attacked graphs, whose rows are reports, and claims to fit: the noisy degree
    /// is then the length of the row. Gives the malicious users of every graph, ascending. They are chosen at
    /// random by the seed.
    ///
    /// # Errors
    /// If the share is not one, a graph does not exist, or there is not one claim per user.
    pub fn apply(
        &self,
        graphs: &mut [Graph],
        claims: &mut [Claim],
        attacked: &AttackTargets<'_>,
        seed: u64,
    ) -> Result<Vec<Vec<NodeId>>> {
        self.check()?;
        let users: usize = graphs.iter().map(Graph::node_count).sum();
        Error::unless(claims.len() == users, "claims", claims.len(), "one for each user")?;
        let mut gangs = self.gangs(graphs, attacked, seed)?;
        match self.attack {
            Attack::Bits { keep, invent } => {
                for gang in &mut gangs {
                    let graph = &graphs[gang.graph];
                    let rows = gang.members_ascending().into_iter().map(|user| {
                        let (honest, users) = (graph.neighbors(user), graph.node_count());
                        (user, changed_bits((keep, invent), user, honest, users, &mut gang.rng))
                    });
                    let rows = rows.collect();
                    gang.send(rows, graphs, claims)?;
                }
            }
            Attack::Matched { against } | Attack::Shortcut { against } => {
                adaptive::attack(against, &mut gangs, graphs, claims, attacked.direction)?;
            }
        }
        let mut malicious = vec![Vec::new(); graphs.len()];
        for gang in &gangs {
            malicious[gang.graph] = gang.members_ascending();
        }
        Ok(malicious)
    }

    /// Draws the malicious users.
    fn gangs(
        &self,
        graphs: &[Graph],
        attacked: &AttackTargets<'_>,
        seed: u64,
    ) -> Result<Vec<Gang>> {
        let starts: Vec<usize> = graphs
            .iter()
            .scan(0, |next, graph| {
                let start = *next;
                *next += graph.node_count();
                Some(start)
            })
            .collect();
        let met = attacked.graphs.iter().filter(|&&at| {
            let known = (at as usize) < attacked.labels.len();
            self.attack.meets(known.then(|| attacked.labels.class(at)).flatten())
        });
        met.map(|&at| {
            let graph = graphs
                .get(at as usize)
                .ok_or_else(|| Error::invalid("graph", at, format!("below {}", graphs.len())))?;
            let mut rng = SimRng::new(seed.wrapping_add(u64::from(at) << 24));
            let users = graph.node_count();
            let number = (self.share * users as f64).round() as usize;
            let members =
                index::sample(&mut rng, users, number).iter().map(|node| node as NodeId).collect();
            Ok(Gang { graph: at as usize, first: starts[at as usize], members, rng })
        })
        .collect()
    }
}

impl Gang {
    fn members_ascending(&self) -> Vec<NodeId> {
        let mut members = self.members.clone();
        members.sort_unstable();
        members
    }

    /// Puts lists in place of reports, ascending by user, and their lengths in place of noisy degrees.
    fn send(
        &self,
        rows: Vec<(NodeId, Vec<NodeId>)>,
        graphs: &mut [Graph],
        claims: &mut [Claim],
    ) -> Result<()> {
        let graph = &mut graphs[self.graph];
        for (user, made_up) in &rows {
            let claim = &mut claims[self.first + *user as usize];
            *claim = claim.saying(made_up.len());
        }
        let mut rows = rows.into_iter().peekable();
        let row = |node: NodeId| match rows.next_if(|(user, _)| *user == node) {
            Some((_, made_up)) => made_up,
            None => graph.neighbors(node).to_vec(),
        };
        *graph = Graph::from_rows(graph.nodes().map(row).collect())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
