//! Malicious users who know the defence, and claim just what it lets pass.
//!
//! # What they know
//! * The rule with its numbers (theta, the usual degree), epsilon, and how many graphs and users there are:
//!   all of it is public.
//! * Each other, within a graph; and how many they are in all.
//! * The class of their graph, which is public too; only [`Attack::Shortcut`](super::Attack::Shortcut) uses it.
//! * What everybody else reported. No real attacker knows that much: it is the worst case.
//!
//! # What they claim
//! All `c` of a graph claim one degree, the largest with which nobody in the graph is flagged; they find it by
//! asking the rule itself ([`Defence::largest_claim`]). What they name are their accomplices first (both
//! reports agree then, and a reader who weighs evidence believes the pair), and then anybody.
//!
//! Against [`Defence::Handshake`] the sum of all large claims may be what others offer, and `a (a - 1)` for
//! the `a` who make them. Equal claims use that up, but for less than `c`, wherever the sum is what binds: other
//! claims of the same people cannot add up to more. And `c - 1` each passes whatever the others report, but for
//! theta of all attempts: `c` honest people who all know each other would claim the same, and a rule that
//! hardly ever flags honest people cannot flag them. **No rule that looks at reports alone holds liars to less than
//! the size of their own company**; it needs to know something about graphs beforehand.
//!
//! [`Defence::Census`] does. Against it, as many of them as it overlooks claim that much, and the rest what no
//! rule ever strikes ([`Defence::ordinary_claim`]).

use rand::seq::index;

use super::super::claim::Claim;
use super::super::defence::Defence;
use super::Gang;
use crate::Result;
use crate::graph::{Direction, Graph, NodeId, SimRng};

/// Everybody's made-up lists and claims.
pub(super) fn attack(
    against: Defence,
    gangs: &mut [Gang],
    graphs: &mut [Graph],
    claims: &mut [Claim],
    direction: Direction,
) -> Result<()> {
    for gang in &*gangs {
        for &user in &gang.members {
            let claim = &mut claims[gang.first + user as usize];
            *claim = claim.saying(against.ordinary_claim(claim));
        }
    }
    let all: usize = gangs.iter().map(|gang| gang.members.len()).sum();
    let bold_share = (against.overlooked(claims) as f64 / all.max(1) as f64).min(1.0);
    let count = graphs.len();
    for gang in gangs {
        let graph = &graphs[gang.graph];
        let users = graph.node_count();
        let bold = &gang.members[..(bold_share * gang.members.len() as f64) as usize];
        let of_graph = &claims[gang.first..gang.first + users];
        let largest = against.largest_claim((graph, of_graph), bold, direction, count);
        let claimed = |at: usize, user: NodeId| match at < bold.len() {
            true => largest,
            false => against.ordinary_claim(&of_graph[user as usize]).min(users - 1),
        };
        let claimed: Vec<usize> =
            gang.members.iter().enumerate().map(|(at, &user)| claimed(at, user)).collect();
        let rows = lists(&gang.members, &claimed, users, &mut gang.rng);
        gang.send(rows, graphs, claims)?;
    }
    Ok(())
}

/// Lists of these lengths, ascending by user.
fn lists(
    members: &[NodeId],
    lengths: &[usize],
    users: usize,
    rng: &mut SimRng,
) -> Vec<(NodeId, Vec<NodeId>)> {
    let count = members.len();
    let mut malicious = vec![false; users];
    members.iter().for_each(|&user| malicious[user as usize] = true);
    let others: Vec<NodeId> =
        (0..users as NodeId).filter(|&user| !malicious[user as usize]).collect();
    let mut list = |(at, (&user, &length)): (usize, (&NodeId, &usize))| {
        // Those next in the circle, on both sides in turn: who is named names back.
        let around = (1..count).map(|step| match step % 2 {
            1 => members[(at + step.div_ceil(2)) % count],
            _ => members[(at + count - step / 2) % count],
        });
        let mut named: Vec<NodeId> = around.take(length).collect();
        let missing = (length - named.len()).min(others.len());
        named.extend(index::sample(rng, others.len(), missing).iter().map(|other| others[other]));
        named.sort_unstable();
        (user, named)
    };
    let mut lists: Vec<(NodeId, Vec<NodeId>)> =
        members.iter().zip(lengths).enumerate().map(&mut list).collect();
    lists.sort_unstable_by_key(|(user, _)| *user);
    lists
}
