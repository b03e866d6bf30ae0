//! Large degrees against those of all other users: [`Defence::Handshake`](super::Defence::Handshake).

use super::super::claim::Claim;
use crate::graph::{Graph, NodeId};

/// The large claims of a graph, and what can match them.
struct Claims {
    /// Users and what they claim, ascending by that.
    large: Vec<(NodeId, f64)>,
    /// Ends of edges that all others offer, and what noise may have hidden of them.
    offered: f64,
    /// How far coin tossers are from each other: two deviations of a random half of the users.
    width: f64,
}

/// What is wrong in a graph.
enum Verdict {
    /// Nothing that could be proved.
    Plausible,
    /// These claims, which are about the same.
    Crowd(Vec<(NodeId, f64)>),
    /// All claims, of whatever size.
    Refuted,
}

/// The smallest x that discrete Laplace noise exceeds with probability `share` at most:
/// `P(noise > x) = r^(x+1) / (1 + r)` with `r = e^-epsilon`.
pub(super) fn noise_quantile(epsilon: f64, share: f64) -> f64 {
    let ratio = (-epsilon).exp();
    ((-(share * (1.0 + ratio)).ln() / epsilon).ceil() - 1.0).max(0.0)
}

/// What a user says, if it is more than an ordinary user says but with probability `share`.
pub(super) fn large(claim: &Claim, usual: usize, share: f64) -> Option<f64> {
    match *claim {
        Claim::Degree { said, epsilon, .. } => {
            let most = usual as f64 + noise_quantile(epsilon, share);
            Some(said as f64).filter(|&said| said > most)
        }
        _ => None,
    }
}

impl Claims {
    fn of(graph: &Graph, claims: &[Claim], theta: f64, usual: usize, log: f64) -> Self {
        let users = graph.node_count() as f64;
        let (mut all, mut offered) = (Vec::new(), 0.0);
        let (mut variance, mut scale) = (0.0f64, 0.0f64);
        for (user, claim) in (0..).zip(claims) {
            if let Claim::Degree { epsilon, .. } = *claim {
                let ratio = (-epsilon).exp();
                variance += 2.0 * ratio / (1.0 - ratio).powi(2);
                scale = scale.max(1.0 / epsilon);
            }
            match (large(claim, usual, theta / users.max(1.0)), *claim) {
                (Some(said), _) => all.push((user, said.min(users - 1.0))),
                (None, Claim::Degree { said, .. }) => offered += said as f64,
                (None, _) => offered += graph.degree(user) as f64,
            }
        }
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        // Bernstein: the sum of all noise exceeds this with probability e^-log at most.
        let noise = scale * log + (scale * scale * log * log + 2.0 * variance * log).sqrt();
        Self { large: all, offered: offered + noise, width: users.sqrt() }
    }

    /// Whether `count` of `all` claims ask for more edges than there can be: each other claimant is
    /// one neighbour at most, the rest must come from ordinary users.
    fn too_much(&self, asked: f64, count: usize, all: usize) -> bool {
        asked - count as f64 * (all as f64 - 1.0) > self.offered
    }

    fn verdict(&self) -> Verdict {
        let mut before = vec![0.0];
        before.extend(self.large.iter().scan(0.0, |sum, (_, said)| {
            *sum += said;
            Some(*sum)
        }));
        let all = self.large.len();
        let crowded = |&(_, said): &(NodeId, f64)| {
            let from = self.large.partition_point(|other| other.1 < said - self.width);
            let to = self.large.partition_point(|other| other.1 <= said + self.width);
            self.too_much(before[to] - before[from], to - from, all)
        };
        let (crowd, rest): (Vec<_>, Vec<_>) = self.large.iter().copied().partition(crowded);
        let asked = rest.iter().map(|(_, said)| said).sum();
        match (self.too_much(asked, rest.len(), rest.len()), crowd.is_empty()) {
            (true, _) => Verdict::Refuted,
            (false, true) => Verdict::Plausible,
            (false, false) => Verdict::Crowd(crowd),
        }
    }
}

/// The logarithm of one over the probability of a wrong verdict, in one of so many graphs.
fn certainty(graphs: usize, theta: f64) -> f64 {
    (graphs.max(1) as f64 / theta).ln()
}

/// Whether nothing can be proved in a graph that is one of so many.
pub(super) fn is_plausible(
    (graph, claims): (&Graph, &[Claim]),
    theta: f64,
    usual: usize,
    graphs: usize,
) -> bool {
    let claims = Claims::of(graph, claims, theta, usual, certainty(graphs, theta));
    matches!(claims.verdict(), Verdict::Plausible)
}

/// The flagged users of every graph.
pub(super) fn judge(cases: &[(&Graph, &[Claim])], theta: f64, usual: usize) -> Vec<Vec<NodeId>> {
    let log = certainty(cases.len(), theta);
    let verdict = |(graph, claims): &(&Graph, &[Claim])| {
        Claims::of(graph, claims, theta, usual, log).verdict()
    };
    let verdicts: Vec<Verdict> = cases.iter().map(verdict).collect();
    let count = |wanted: fn(&Verdict) -> bool| verdicts.iter().filter(|v| wanted(v)).count();
    let (crowds, refuted) = (
        count(|verdict| matches!(verdict, Verdict::Crowd(_))),
        count(|verdict| matches!(verdict, Verdict::Refuted)),
    );
    let everywhere = (crowds + refuted) as f64 > theta * cases.len() as f64;
    let share = typical_share(cases, &verdicts);
    let flagged = |((graph, claims), verdict): (&(&Graph, &[Claim]), &Verdict)| {
        let others = graph.node_count() as f64 - 1.0;
        let is_like_crowds =
            |said: f64| (said - share * others).abs() <= 2.0 * (others + 1.0).sqrt();
        let strike = |(user, claim): (NodeId, &Claim)| {
            let said = large(claim, usual, theta / 2.0)?;
            let struck = match verdict {
                Verdict::Refuted => true,
                _ if everywhere && refuted > crowds => true,
                Verdict::Crowd(crowd) if crowd.iter().any(|member| member.0 == user) => true,
                _ => everywhere && is_like_crowds(said),
            };
            struck.then_some(user)
        };
        (0..).zip(*claims).filter_map(strike).collect()
    };
    cases.iter().zip(&verdicts).map(flagged).collect()
}

/// The share of a graph's users whom members of crowds claim to know.
fn typical_share(cases: &[(&Graph, &[Claim])], verdicts: &[Verdict]) -> f64 {
    let (mut said, mut possible) = (0.0, 0.0);
    for ((graph, _), verdict) in cases.iter().zip(verdicts) {
        if let Verdict::Crowd(crowd) = verdict {
            said += crowd.iter().map(|member| member.1).sum::<f64>();
            possible += (crowd.len() * graph.node_count().saturating_sub(1)) as f64;
        }
    }
    if possible > 0.0 { said / possible } else { 0.0 }
}
