//! What a defence lets pass: the same rules, asked by those who want to pass.

use super::super::claim::Claim;
use super::{Defence, census, chernoff_threshold, handshake};
use crate::graph::{Direction, Graph, NodeId};

impl Defence {
    /// The largest degree that `liars` of a graph can all claim, with lists of that length, such that no user in
    /// the graph is flagged: with one more a user is flagged, unless these are all users they could know. The graph is
    /// one of `graphs`, in the others nothing is wrong, and few enough claim much ([`Defence::overlooked`]).
    /// Found by bisection: an honest hub of about that degree could let something larger pass again.
    pub fn largest_claim(
        self,
        graph: &Graph,
        claims: &[Claim],
        liars: &[NodeId],
        direction: Direction,
        graphs: usize,
    ) -> usize {
        let most = graph.node_count().saturating_sub(1);
        let of_liars = || liars.iter().map(|&user| &claims[user as usize]);
        match self {
            Self::None => most,
            Self::Handshake { theta, usual_degree } | Self::Census { theta, usual_degree }
                if direction == Direction::Undirected =>
            {
                let passes = |degree: usize| {
                    let mut said = claims.to_vec();
                    for &user in liars {
                        let claim = &mut said[user as usize];
                        *claim = claim.saying(degree);
                    }
                    handshake::is_plausible((graph, &said), theta, usual_degree, graphs)
                };
                // No user is flagged for what an ordinary user may report.
                last_that(usual_degree.min(most), most, passes)
            }
            Self::Threshold { theta }
            | Self::Handshake { theta, .. }
            | Self::Census { theta, .. } => {
                let users = graph.node_count();
                let keep = |claim: &Claim| match claim {
                    Claim::Degree { flip, .. } => 1.0 - flip,
                    _ => 1.0,
                };
                let shortest = of_liars()
                    .map(|claim| chernoff_threshold(users, keep(claim), theta))
                    .fold(f64::INFINITY, f64::min);
                ((shortest.ceil() - 1.0) as usize).min(most)
            }
        }
    }

    /// How many more users could claim more than ordinary degrees before a census notices. In directed graphs no user
    /// counts.
    pub fn overlooked(self, claims: &[Claim], direction: Direction) -> usize {
        match self {
            Self::Census { theta, usual_degree } if direction == Direction::Undirected => {
                census::room(claims, theta, usual_degree)
            }
            _ => usize::MAX,
        }
    }
}

/// A number that passes such that the next does not, or `most` if that passes. `low` is taken for one.
fn last_that(low: usize, most: usize, passes: impl Fn(usize) -> bool) -> usize {
    if low >= most || passes(most) {
        return most;
    }
    let (mut low, mut high) = (low, most);
    while high - low > 1 {
        let middle = low.midpoint(high);
        match passes(middle) {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}
