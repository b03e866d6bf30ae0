//! Finding users of bad will among reports, and learning without them (section 6.2, and beyond).
//!
//! # The paper's rule
//! A report longer than honest users send with probability `theta` at most, whatever their list, is
//! dropped, and its user with it ([`Defence::Threshold`], eq. 17). The worst honest list is a full one,
//! so only reports of nearly everybody are caught: a random half of all users passes.
//!
//! # What the collector knows besides
//! 1. *The degree law.* Few people know very many others. If at most `theta / 2` of the users have more
//!    than `usual_degree` neighbours, at most `theta` of the honest users send a report longer than `c`,
//!    where `c` is the length that a user of `usual_degree` exceeds with probability `theta / 2` at most
//!    (computed from the exact law of the noisy degree). Longer reports are *claims*.
//! 2. *Testimony.* In an undirected graph an edge stands in two lists. Who really knows half of a graph
//!    is named by more of the short reports than chance explains: a neighbour is named `p / (1 - p)` times
//!    as often as a stranger. A malicious user has no hand in other users' reports. A claim that is
//!    borne out is let pass: more namings than a stranger gets with probability `theta / n`, so that among
//!    all strangers of a graph not one in `1 / theta` graphs passes. (With `theta` in place of `theta / n`
//!    the few false hubs that pass are enough to ruin a classifier.)
//!
//! Every other claim is dropped, and replaced by the testimony itself: row i becomes those short
//! reports that name i ([`Defence::Testimony`]). The user stays in the graph, so that rows of others keep
//! their length; dropping users would shorten all rows of attacked graphs, and a classifier would meet
//! longer ones in graphs that were not attacked.
//!
//! False positives: the share of honest users who are flagged is at most `theta` (in expectation, if
//! what is said about degrees is true), for letting claims pass can only lower it. All of it is
//! post-processing of reports: nobody loses privacy by it.

use crate::graph::{Direction, Graph, NodeId, subgraph};
use crate::privacy::edges::local::Dprr;
use crate::{Error, Result};

/// How users are judged.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Defence {
    /// Nobody is suspected.
    None,
    /// The paper's: users with a report of at least tau entries leave the graph.
    Threshold {
        /// The largest probability that an honest user is flagged.
        theta: f64,
    },
    /// Claims that testimony does not bear out are replaced by it.
    Testimony {
        /// The largest share of honest users flagged.
        theta: f64,
        /// At most `theta / 2` of the users have more neighbours than this: public knowledge.
        usual_degree: usize,
    },
}

/// A graph after judgement.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// What to learn from.
    pub graph: Graph,
    /// The users who were flagged, ascending.
    pub flagged: Vec<NodeId>,
}

impl Defence {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Threshold { .. } => "threshold",
            Self::Testimony { .. } => "testimony",
        }
    }

    /// Judges the users of a graph whose rows are DPRR reports. Those who publish are exempt: their
    /// lists follow no law.
    ///
    /// # Errors
    /// If theta is not a probability.
    pub fn judge(
        self,
        graph: Graph,
        mechanism: &Dprr,
        direction: Direction,
        publishes: impl Fn(NodeId) -> bool,
    ) -> Result<Judged> {
        match self {
            Self::None => Ok(Judged { graph, flagged: Vec::new() }),
            Self::Threshold { theta } => {
                check(theta)?;
                let tau =
                    chernoff_threshold(graph.node_count(), mechanism.keep_probability(), theta);
                let long = |&node: &NodeId| graph.degree(node) as f64 >= tau && !publishes(node);
                let (flagged, rest): (Vec<_>, Vec<_>) = graph.nodes().partition(long);
                let graph = match flagged.is_empty() {
                    true => graph,
                    false => subgraph::induced(&graph, &rest)?,
                };
                Ok(Judged { graph, flagged })
            }
            Self::Testimony { theta, usual_degree } => {
                check(theta)?;
                hear(graph, mechanism, direction, theta, usual_degree, publishes)
            }
        }
    }
}

fn check(theta: f64) -> Result<()> {
    match theta > 0.0 && theta < 1.0 {
        true => Ok(()),
        false => Err(Error::invalid("theta", theta, "between 0 and 1")),
    }
}

/// Eq. 17: `mu (1 + (l + sqrt(l^2 + 8 mu l)) / (2 mu))` with `mu = (n-1) p` and `l = log(1/theta)`.
pub fn chernoff_threshold(users: usize, keep: f64, theta: f64) -> f64 {
    let (mean, log) = (users.saturating_sub(1) as f64 * keep, (1.0 / theta).ln());
    mean + (log + (log * log + 8.0 * mean * log).sqrt()) / 2.0
}

/// The length that at most `theta` of the reports about a full list exceed: exact, where eq. 17 is a
/// bound. (For 100 users at `p = 0.711` and theta 0.05 it is 78, not 92.)
pub fn exact_threshold(users: usize, keep: f64, theta: f64) -> usize {
    let trials = users.saturating_sub(1);
    // From the top: log P(m) = m log p, log P(k-1) = log P(k) + log(k / (m-k+1)) + log((1-p) / p).
    let (mut log, mut tail) = (trials as f64 * keep.ln(), 0.0);
    for length in (1..=trials).rev() {
        tail += log.exp();
        if tail > theta {
            return length;
        }
        log += (length as f64 / (trials - length + 1) as f64).ln() + ((1.0 - keep) / keep).ln();
    }
    0
}

/// The largest length that is no claim: a user of `usual_degree` exceeds it with probability
/// `share` at most.
pub fn longest_usual(mechanism: &Dprr, users: usize, usual_degree: usize, share: f64) -> usize {
    let (mut low, mut high) = (0, users.saturating_sub(1));
    while low < high {
        let middle = (low + high) / 2;
        match mechanism.long_report_bound(usual_degree, users, middle + 1) <= share {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low
}

fn hear(
    graph: Graph,
    mechanism: &Dprr,
    direction: Direction,
    theta: f64,
    usual_degree: usize,
    publishes: impl Fn(NodeId) -> bool,
) -> Result<Judged> {
    let users = graph.node_count();
    let possible = exact_threshold(users, mechanism.keep_probability(), theta);
    // In small graphs a full list is no longer than ordinary noise: the paper's argument still holds.
    let usual = longest_usual(mechanism, users, usual_degree, theta / 2.0).min(possible);
    let length = |node: NodeId| graph.degree(node);
    let claims = |node: NodeId| length(node) > usual && !publishes(node);
    if !graph.nodes().any(claims) {
        return Ok(Judged { graph, flagged: Vec::new() });
    }
    let mut named: Vec<Vec<NodeId>> = vec![Vec::new(); users];
    if direction == Direction::Undirected {
        for witness in graph.nodes().filter(|&node| !claims(node)) {
            let about = graph.neighbors(witness).iter().filter(|&&node| claims(node));
            about.for_each(|&node| named[node as usize].push(witness));
        }
    }
    // A stranger is in a report of length l with probability l / (n-1) at most.
    let said: usize = graph.nodes().filter(|&node| !claims(node)).map(length).sum();
    let by_chance = said as f64 / users.saturating_sub(1).max(1) as f64;
    let enough = poisson_quantile(by_chance, theta / users as f64);
    let borne_out = |node: NodeId| length(node) <= possible && named[node as usize].len() > enough;
    let flagged: Vec<NodeId> =
        graph.nodes().filter(|&node| claims(node) && !borne_out(node)).collect();
    let row = |node: NodeId| match flagged.binary_search(&node) {
        Ok(_) => std::mem::take(&mut named[node as usize]),
        Err(_) => graph.neighbors(node).to_vec(),
    };
    let graph = Graph::from_rows(graph.nodes().map(row).collect())?;
    Ok(Judged { graph, flagged })
}

/// The smallest x that a Poisson variable exceeds with probability `share` at most.
fn poisson_quantile(mean: f64, share: f64) -> usize {
    let (mut log, mut below, mut at) = (-mean, 0.0, 0usize);
    loop {
        below += log.exp();
        // Beyond a few thousand deviations rounding alone would keep us here.
        if 1.0 - below <= share || at as f64 > 20.0 * mean + 200.0 {
            return at;
        }
        at += 1;
        log += (mean / at as f64).ln();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dprr::poison::{Attack, Poisoning};
    use crate::graph::GraphBuilder;
    use crate::privacy::noise::NoiseRng;
    use crate::privacy::{Ledger, Loss, Secret};

    fn mechanism() -> Dprr {
        Dprr::from_parts(0.1, 0.9).unwrap()
    }

    #[test]
    fn thresholds_of_a_hundred_users() {
        let keep = mechanism().keep_probability();
        // The paper's example: 92.5; the exact quantile is far lower.
        assert!((chernoff_threshold(100, keep, 0.05) - 92.47).abs() < 0.01);
        assert_eq!(exact_threshold(100, keep, 0.05), 78);
        // Below 63 users nothing can exceed eq. 17.
        assert!(chernoff_threshold(62, keep, 0.05) > 61.0);
        assert!(chernoff_threshold(64, keep, 0.05) <= 63.0);
        assert_eq!(exact_threshold(1, keep, 0.05), 0);
    }

    #[test]
    fn quantiles_of_poisson_variables() {
        // P(X > 9 | mean 5) = 0.0318, P(X > 8) = 0.0681.
        assert_eq!(poisson_quantile(5.0, 0.05), 9);
        assert_eq!(poisson_quantile(0.0, 0.05), 0);
    }

    /// A star of 400 users and a ring among them: one honest hub who knows everybody.
    fn reports() -> Graph {
        let leaves = 1..400u32;
        let edges = leaves.clone().map(|v| (0, v)).chain(leaves.map(|v| (v, v % 399 + 1)));
        let star = GraphBuilder::new(400, Direction::Undirected).edges(edges).build().unwrap().0;
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(8)).unwrap();
        let reports = ledger.release_each(&Secret::new(star), &mechanism()).unwrap().into_inner();
        Graph::from_rows(reports).unwrap()
    }

    #[test]
    fn random_claims_are_found_and_honest_users_hardly() {
        let mut graphs = vec![reports()];
        let poisoning = Poisoning { attack: Attack::RANDOM, share: 0.3 };
        let bad = poisoning.apply(&mut graphs, &[0], 2).unwrap().remove(0);
        let judge = |defence: Defence| {
            let judged =
                defence.judge(graphs[0].clone(), &mechanism(), Direction::Undirected, |_| false);
            let judged = judged.unwrap();
            let guilty = judged.flagged.iter().filter(|u| bad.binary_search(u).is_ok()).count();
            (guilty, judged.flagged.len() - guilty, judged.graph)
        };
        let testimony = Defence::Testimony { theta: 0.05, usual_degree: 5 };
        let (guilty, innocent, graph) = judge(testimony);
        assert!(guilty * 10 > bad.len() * 8, "{guilty} of {}", bad.len());
        assert!(innocent * 20 <= 400 - bad.len(), "{innocent} honest users");
        assert_eq!(graph.node_count(), 400);
        // The paper's rule sees nothing.
        assert_eq!(judge(Defence::Threshold { theta: 0.05 }).0, 0);
        assert_eq!(judge(Defence::None).2, graphs[0]);
    }

    #[test]
    fn all_ones_are_found_by_both_rules() {
        let mut graphs = vec![reports()];
        let poisoning = Poisoning { attack: Attack::ALL_ONES, share: 0.2 };
        let bad = poisoning.apply(&mut graphs, &[0], 2).unwrap().remove(0);
        for defence in [
            Defence::Threshold { theta: 0.05 },
            Defence::Testimony { theta: 0.05, usual_degree: 5 },
        ] {
            let judged = defence
                .judge(graphs[0].clone(), &mechanism(), Direction::Undirected, |_| false)
                .unwrap();
            assert!(bad.iter().all(|user| judged.flagged.contains(user)), "{defence:?}");
        }
    }

    /// Honest users of an ordinary degree exceed the usual length as rarely as promised.
    #[test]
    fn honest_reports_are_rarely_claims() {
        let (dprr, users) = (mechanism(), 300);
        let usual = longest_usual(&dprr, users, 5, 0.025);
        assert!((20..80).contains(&usual), "{usual}");
        assert!(dprr.long_report_bound(5, users, usual + 1) <= 0.025);
        assert!(dprr.long_report_bound(5, users, usual) > 0.025);
        // Graphs so small that nothing stands out.
        assert_eq!(longest_usual(&dprr, 1, 5, 0.025), 0);
        let tiny = Graph::from_rows(vec![vec![1], vec![]]).unwrap();
        let judged = Defence::Testimony { theta: 0.05, usual_degree: 5 }
            .judge(tiny.clone(), &dprr, Direction::Undirected, |_| false)
            .unwrap();
        assert_eq!(judged, Judged { graph: tiny, flagged: Vec::new() });
        assert!(
            Defence::Threshold { theta: 0.0 }
                .judge(Graph::from_rows(vec![]).unwrap(), &dprr, Direction::Directed, |_| false)
                .is_err()
        );
    }
}
