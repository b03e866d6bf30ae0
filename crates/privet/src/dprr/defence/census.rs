//! How many users claim much, in all graphs together: [`Defence::Census`](super::Defence::Census).

use super::super::claim::Claim;
use super::handshake::{self, large};
use crate::graph::{Graph, NodeId};

/// The flagged users of every graph.
pub(super) fn judge(cases: &[(&Graph, &[Claim])], theta: f64, usual: usize) -> Vec<Vec<NodeId>> {
    let mut flagged = handshake::judge(cases, theta, usual);
    let left = |((_, claims), flagged): (&(&Graph, &[Claim]), &Vec<NodeId>)| -> Vec<NodeId> {
        let is_left = |(user, claim): (NodeId, &Claim)| {
            large(claim, usual, theta / 2.0)?;
            flagged.binary_search(&user).is_err().then_some(user)
        };
        (0..).zip(*claims).filter_map(is_left).collect()
    };
    let left: Vec<Vec<NodeId>> = cases.iter().zip(&flagged).map(left).collect();
    let users: usize = cases.iter().map(|(_, claims)| claims.len()).sum();
    if left.iter().map(Vec::len).sum::<usize>() as f64 > most(users, theta) {
        for (flagged, left) in flagged.iter_mut().zip(left) {
            flagged.extend(left);
            flagged.sort_unstable();
        }
    }
    flagged
}

/// As many of some honest users claim more than ordinary degrees, but with probability theta: half of theta may
/// have them, of the others noise makes it half of theta, give or take (Hoeffding).
fn most(users: usize, theta: f64) -> f64 {
    let users = users as f64;
    theta * users + (users * (1.0 / theta).ln() / 2.0).sqrt()
}

/// How many more could.
pub(super) fn room(claims: &[Claim], theta: f64, usual: usize) -> usize {
    let count = claims.iter().filter(|claim| large(claim, usual, theta / 2.0).is_some()).count();
    (most(claims.len(), theta) - count as f64).max(0.0) as usize
}
