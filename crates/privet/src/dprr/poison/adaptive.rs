//! Malicious users who know the defence, and claim just what it lets pass.
//!
//! # What they know
//! * The rule with its numbers (theta, the usual degree), epsilon, and how many graphs and users there are:
//!   all of it is public.
//! * Each other, within a graph; and how many they are in all.
//! * The class of their graph, which is public too; only [`Attack::Shortcut`](super::Attack::Shortcut) uses it.
//! * What all other users reported. No real attacker knows that much: it is the worst case.
//!
//! # What they claim
//! All `c` of a graph claim one degree, the largest with which no user in the graph is flagged; they find it by
//! asking the rule itself ([`Defence::largest_claim`]). What they name are their accomplices first (both
//! reports agree then, and a reader who weighs evidence believes the pair), and then any other users.
//!
//! Against [`Defence::Handshake`] the sum of all large claims may be what others offer, and `a (a - 1)` for
//! the `a` who make them. Equal claims use that up, but for less than `c`, wherever the sum is what binds: other
//! claims of the same people cannot add up to more. And `c - 1` each passes whatever the others report, but for
//! theta of all attempts: `c` honest people who all know each other would claim the same, and a rule that
//! hardly ever flags honest people cannot flag them. **No rule that spares honest people and looks at
//! reports alone holds liars to less than the size of their own company**; it needs to know something about graphs
//! beforehand.
//!
//! [`Defence::Census`] does. Against it, as many of them as it overlooks ([`Defence::overlooked`]) claim that
//! much, in all attacked graphs alike, and the others report honestly. In directed graphs it flags no user, and all
//! of them lie.

use rand::seq::index;

use super::super::claim::Claim;
use super::super::defence::Defence;
use super::Gang;
use crate::Result;
use crate::graph::{Direction, Graph, NodeId, SimRng};

/// The made-up lists and claims.
pub(super) fn attack(
    against: Defence,
    gangs: &mut [Gang],
    graphs: &mut [Graph],
    claims: &mut [Claim],
    direction: Direction,
) -> Result<()> {
    let all: usize = gangs.iter().map(|gang| gang.members.len()).sum();
    let bold_share = (against.overlooked(claims, direction) as f64 / all.max(1) as f64).min(1.0);
    let count = graphs.len();
    for gang in gangs {
        let graph = &graphs[gang.graph];
        let users = graph.node_count();
        let bold = &gang.members[..(bold_share * gang.members.len() as f64) as usize];
        let of_graph = &claims[gang.first..gang.first + users];
        let largest = against.largest_claim(graph, of_graph, bold, direction, count);
        let rows = lists(bold, largest, users, &mut gang.rng);
        gang.send(rows, graphs, claims)?;
    }
    Ok(())
}

/// Lists of a length, ascending by user: the accomplices, and others at random.
fn lists(
    members: &[NodeId],
    length: usize,
    users: usize,
    rng: &mut SimRng,
) -> Vec<(NodeId, Vec<NodeId>)> {
    let mut members = members.to_vec();
    members.sort_unstable();
    let is_other = |user: &NodeId| members.binary_search(user).is_err();
    let others: Vec<NodeId> = (0..users as NodeId).filter(is_other).collect();
    let mut list = |&user: &NodeId| {
        let accomplices = members.iter().copied().filter(|&member| member != user);
        let mut named: Vec<NodeId> = accomplices.take(length).collect();
        let missing = (length - named.len()).min(others.len());
        named.extend(index::sample(rng, others.len(), missing).iter().map(|other| others[other]));
        named.sort_unstable();
        (user, named)
    };
    members.iter().map(&mut list).collect()
}
