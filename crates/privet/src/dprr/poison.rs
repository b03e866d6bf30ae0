//! What users of bad will can send (section 6.1): a report changed bit by bit, eq. 16.

use rand::RngExt;
use rand::seq::index;

use super::claim::Claim;
use crate::graph::{Graph, NodeId, SimRng};
use crate::{Error, Result};

/// `Poison(w1, w2)`: a bit that was reported stays with probability `keep`, one that was not is set
/// with probability `invent`.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Attack {
    /// w1.
    pub keep: f64,
    /// w2.
    pub invent: f64,
}

impl Attack {
    /// Claims to know everybody.
    pub const ALL_ONES: Self = Self { keep: 1.0, invent: 1.0 };
    /// Every bit is the toss of a coin.
    pub const RANDOM: Self = Self { keep: 0.5, invent: 0.5 };

    /// The attack with these probabilities.
    ///
    /// # Errors
    /// If one is not a probability.
    pub fn new(keep: f64, invent: f64) -> Result<Self> {
        for (name, value) in [("w1", keep), ("w2", invent)] {
            Error::unless((0.0..=1.0).contains(&value), name, value, "a probability")?;
        }
        Ok(Self { keep, invent })
    }

    /// What is sent in place of an honest report.
    fn fake(self, owner: NodeId, honest: &[NodeId], users: usize, rng: &mut SimRng) -> Vec<NodeId> {
        let mut honest = honest.iter().copied().peekable();
        let mut set = |node: NodeId| {
            let reported = honest.next_if_eq(&node).is_some();
            let chance = if reported { self.keep } else { self.invent };
            // The ends are certain: no draw decides them.
            node != owner && (chance >= 1.0 || (chance > 0.0 && rng.random::<f64>() < chance))
        };
        (0..users as NodeId).filter(|&node| set(node)).collect()
    }
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
    /// Whether its share is one.
    ///
    /// # Errors
    /// If it is not.
    pub fn check(&self) -> Result<()> {
        let fits = (0.0..=1.0).contains(&self.share);
        Error::unless(fits, "beta", self.share, "a share of users, 0 to 1")
    }

    /// Replaces reports in the graphs at some positions, whose rows are reports, and claims to fit:
    /// the noisy degree is then the length of the row. Gives the malicious users of every graph,
    /// ascending. They are chosen at random by the seed.
    ///
    /// # Errors
    /// If the share is not one, or a graph does not exist.
    pub fn apply(
        &self,
        graphs: &mut [Graph],
        claims: &mut [Claim],
        attacked: &[u32],
        seed: u64,
    ) -> Result<Vec<Vec<NodeId>>> {
        self.check()?;
        let mut malicious = vec![Vec::new(); graphs.len()];
        let starts: Vec<usize> = graphs
            .iter()
            .scan(0, |next, graph| {
                let start = *next;
                *next += graph.node_count();
                Some(start)
            })
            .collect();
        for &at in attacked {
            let count = graphs.len();
            let Some(graph) = graphs.get_mut(at as usize) else {
                return Err(Error::invalid("graph", at, format!("below {count}")));
            };
            let mut rng = SimRng::new(seed.wrapping_add(u64::from(at) << 24));
            let users = graph.node_count();
            let number = (self.share * users as f64).round() as usize;
            let mut bad: Vec<NodeId> =
                index::sample(&mut rng, users, number).iter().map(|node| node as NodeId).collect();
            bad.sort_unstable();
            let row = |node: NodeId| match bad.binary_search(&node) {
                Ok(_) => self.attack.fake(node, graph.neighbors(node), users, &mut rng),
                Err(_) => graph.neighbors(node).to_vec(),
            };
            *graph = Graph::from_rows(graph.nodes().map(row).collect())?;
            let first = starts[at as usize];
            for &user in &bad {
                if let Some(Claim::Degree { said, .. }) = claims.get_mut(first + user as usize) {
                    *said = graph.degree(user) as i64;
                }
            }
            malicious[at as usize] = bad;
        }
        Ok(malicious)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(users: u32) -> Graph {
        Graph::from_rows((0..users).map(|u| vec![(u + 1) % users]).collect()).unwrap()
    }

    #[test]
    fn the_ends_of_the_range_are_certain() {
        let poison = |keep, invent, share| {
            let mut graphs = vec![ring(10), ring(10)];
            let attack = Attack::new(keep, invent).unwrap();
            let said = Claim::Degree { said: 1, epsilon: 0.5, flip: 0.3 };
            let mut claims = vec![said; 20];
            let bad = Poisoning { attack, share }.apply(&mut graphs, &mut claims, &[1], 3).unwrap();
            for (user, claim) in (0..).zip(&claims[10..]) {
                let length = graphs[1].degree(user) as i64;
                assert_eq!(*claim, Claim::Degree { said: length, epsilon: 0.5, flip: 0.3 });
            }
            assert_eq!(claims[..10], [said; 10]);
            assert_eq!((&graphs[0], bad[0].len()), (&ring(10), 0));
            let degrees: Vec<usize> = bad[1].iter().map(|&u| graphs[1].degree(u)).collect();
            (degrees, graphs[1].clone())
        };
        let (ones, graph) = poison(1.0, 1.0, 0.3);
        assert_eq!(ones, [9, 9, 9]);
        assert_eq!((graph.arc_count(), graph.self_loop_count()), (7 + 27, 0));
        assert_eq!(poison(0.0, 0.0, 0.5).0, [0; 5]);
        assert_eq!(poison(1.0, 0.0, 1.0).1, ring(10));
        assert!(Attack::new(1.1, 0.0).is_err());
        assert!(
            Poisoning { attack: Attack::RANDOM, share: 2.0 }
                .apply(&mut [], &mut [], &[], 0)
                .is_err()
        );
        assert!(
            Poisoning { attack: Attack::RANDOM, share: 0.1 }
                .apply(&mut [], &mut [], &[0], 0)
                .is_err()
        );
    }

    /// 300 rows of 999 coins: 149,850 ones, with a deviation of 274.
    #[test]
    fn the_random_attack_tosses_coins() {
        let mut graphs = vec![ring(1000)];
        let poisoning = Poisoning { attack: Attack::RANDOM, share: 0.3 };
        let bad = poisoning.apply(&mut graphs, &mut [], &[0], 1).unwrap();
        let ones: usize = bad[0].iter().map(|&user| graphs[0].degree(user)).sum();
        assert!(ones.abs_diff(149_850) < 5 * 274, "{ones}");
    }
}
