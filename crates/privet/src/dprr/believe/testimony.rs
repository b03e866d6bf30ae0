//! [`Testimony`]: what users of a graph say about themselves and each other, and what to believe of it.

use std::collections::HashMap;

use super::super::claim::Claim;
use super::super::degree::{DegreeStatement, Evidence};
use crate::graph::{Direction, Graph, NodeId};

/// What users say about each other.
pub(super) struct Testimony<'a> {
    graph: &'a Graph,
    claims: &'a [Claim],
    direction: Direction,
    /// How many users publish.
    public: usize,
    /// For each user, how many of those name them; in directed graphs that says nothing about them.
    named: Vec<usize>,
}

impl<'a> Testimony<'a> {
    pub(super) fn of(graph: &'a Graph, claims: &'a [Claim], direction: Direction) -> Self {
        let mut named = vec![0; graph.node_count()];
        let public = claims.iter().filter(|claim| claim.is_published()).count();
        if direction == Direction::Undirected {
            for user in graph.nodes().filter(|&user| claims[user as usize].is_published()) {
                graph.neighbors(user).iter().for_each(|&other| named[other as usize] += 1);
            }
        }
        Self { graph, claims, direction, public, named }
    }

    /// The number of witnesses about a private user.
    fn witnesses(&self) -> usize {
        if self.direction == Direction::Undirected { self.public } else { 0 }
    }

    /// Every user's estimated degree.
    pub(super) fn degrees(&self) -> Vec<f64> {
        let others = self.graph.node_count().saturating_sub(1);
        let bits = self.bits();
        let common = self.common_epsilon();
        let mut known: HashMap<(usize, Option<i64>), f64> = HashMap::new();
        let degree = |user: NodeId| {
            let (at, named) = (user as usize, self.named[user as usize]);
            let said = match self.claims[at] {
                Claim::Published => return self.graph.degree(user) as f64,
                Claim::Silent | Claim::Struck => DegreeStatement::Nothing,
                Claim::Degree { said: degree, epsilon, .. } => {
                    DegreeStatement::Laplace { degree, epsilon }
                }
                Claim::Bits { .. } => bits[at],
            };
            let evidence = Evidence { others, public: self.witnesses(), named, said };
            match said {
                // Users with different epsilons in one graph are rare enough to be computed anew.
                DegreeStatement::Laplace { degree, epsilon } if Some(epsilon) == common => {
                    *known.entry((named, Some(degree))).or_insert_with(|| evidence.mean_degree())
                }
                DegreeStatement::Nothing => {
                    *known.entry((named, None)).or_insert_with(|| evidence.mean_degree())
                }
                _ => evidence.mean_degree(),
            }
        };
        self.graph.nodes().map(degree).collect()
    }

    fn common_epsilon(&self) -> Option<f64> {
        self.claims.iter().find_map(|claim| match claim {
            Claim::Degree { epsilon, .. } => Some(*epsilon),
            _ => None,
        })
    }

    /// Degrees from bits: those in a user's own row, and in undirected graphs those about the user in
    /// other private users' rows, by inverse variance; pairs with users who publish are known.
    pub(super) fn bits(&self) -> Vec<DegreeStatement> {
        let flip = |user: usize| match self.claims[user] {
            Claim::Bits { flip } => Some(flip),
            _ => None,
        };
        let flips: Vec<Option<f64>> = (0..self.claims.len()).map(flip).collect();
        if flips.iter().all(Option::is_none) {
            return Vec::new();
        }
        let undirected = self.direction == Direction::Undirected;
        // Per answer: (b - f) / (1 - 2f) is unbiased, with variance f (1-f) / (1-2f)^2.
        let zero = |f: f64| -f / (1.0 - 2.0 * f);
        let spread = |f: f64| f * (1.0 - f) / (1.0 - 2.0 * f).powi(2);
        let (mut columns, mut of_columns, mut noise) = (vec![0.0; flips.len()], 0.0, 0.0);
        for (user, f) in flips.iter().enumerate().filter_map(|(user, f)| Some((user, (*f)?))) {
            (of_columns, noise) = (of_columns + zero(f), noise + spread(f));
            for &other in self.graph.neighbors(user as NodeId) {
                columns[other as usize] += 1.0 / (1.0 - 2.0 * f);
            }
        }
        let private = flips.iter().flatten().count();
        let estimate = |(user, f): (usize, &Option<f64>)| {
            let Some(f) = *f else { return DegreeStatement::Nothing };
            let others = if undirected { private - 1 } else { self.graph.node_count() - 1 };
            let asked = |other: &&NodeId| !undirected || flips[**other as usize].is_some();
            let ones = self.graph.neighbors(user as NodeId).iter().filter(asked).count() as f64;
            let (own, own_noise) =
                (ones / (1.0 - 2.0 * f) + others as f64 * zero(f), others as f64 * spread(f));
            if !undirected {
                return DegreeStatement::Normal { degree: own, variance: own_noise };
            }
            let theirs = columns[user] + of_columns - zero(f);
            let theirs_noise = noise - spread(f);
            let weight = theirs_noise / (own_noise + theirs_noise).max(1e-9);
            let degree = self.named[user] as f64 + weight * own + (1.0 - weight) * theirs;
            DegreeStatement::Normal { degree, variance: own_noise * weight }
        };
        flips.iter().enumerate().map(estimate).collect()
    }

    /// Pairs of which one end publishes.
    pub(super) fn known_pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> + '_ {
        let published =
            self.graph.nodes().filter(|&user| self.claims[user as usize].is_published());
        published
            .flat_map(|user| self.graph.neighbors(user).iter().map(move |&other| (user, other)))
    }

    /// Pairs of private users with a probability of at least one half.
    pub(super) fn believed_pairs(&self, degrees: &[f64]) -> Vec<(NodeId, NodeId)> {
        let undirected = self.direction == Direction::Undirected;
        let private =
            |user: usize| matches!(self.claims[user], Claim::Degree { .. } | Claim::Bits { .. });
        // Ends of pairs that were not published.
        let unknown: Vec<f64> = (0..self.claims.len())
            .map(|user| match private(user) {
                true => degrees[user] - self.named[user] as f64,
                false => 0.0,
            })
            .collect();
        let ends = unknown.iter().sum::<f64>().max(1.0);
        let others = self.claims.len().saturating_sub(1).max(1) as f64;
        let mut pairs = Vec::new();
        for user in self.graph.nodes().filter(|&user| private(user as usize)) {
            for &other in self.graph.neighbors(user) {
                let (i, j) = (user as usize, other as usize);
                let (prior, reply) = match undirected {
                    true => (unknown[i] * unknown[j] / ends, self.graph.has_edge(other, user)),
                    false => (unknown[i] / others, false),
                };
                let odds = prior / (1.0 - prior).max(f64::MIN_POSITIVE) * self.odds(i, true);
                let odds = if undirected { odds * self.odds(j, reply) } else { odds };
                if odds >= 1.0 {
                    pairs.push((user, other));
                }
            }
        }
        pairs
    }

    /// By how much the report of a private user changes the odds of a pair.
    pub(super) fn odds(&self, user: usize, names: bool) -> f64 {
        let others = self.claims.len().saturating_sub(1) as f64;
        let (flip, keep) = match self.claims[user] {
            Claim::Bits { flip } => (flip, 1.0),
            Claim::Degree { said, flip, .. } => {
                // Eq. 6.
                let d = (said as f64).clamp(0.0, others / 2.0);
                (flip, (d / (d * (1.0 - 2.0 * flip) + others * flip)).min(1.0))
            }
            _ => return 1.0,
        };
        match names {
            true => (1.0 - flip) / flip,
            false => (1.0 - (1.0 - flip) * keep) / (1.0 - flip * keep),
        }
    }
}
