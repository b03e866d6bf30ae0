//! Each user sends a noisy degree and noisy cells; the server keeps the largest cells.
//!
//! # Idea
//! [`LapGraph`](crate::edges::comparison::LapGraph) without a curator: the number of edges is half the sum
//! of noisy degrees, and each cell gets its noise from the user with the larger id.
//!
//! # Equation
//! User `i` sends `d_i + DLap(eps1)` and `a_ij + DLap(eps2)` for `j < i` on a grid of 1/1024;
//! `eps1 = eps / 10`. The server keeps the `T = sum d_i* / 2` largest cells.
//!
//! # Guarantee
//! Unit [`NeighborBit`], `eps1 + eps2`.
//! *Proof.* One bit of the list moves the degree by 1 and at most one cell by 1 (1024 steps of the
//! grid); see [`DiscreteLaplace`]. Choosing the largest is post-processing. ∎
//! Under `relationship-dp` it is `2 eps1 + eps2`, as for [`LowerHalf`](super::LowerHalf): the cell is sent once,
//! but both degrees depend on the edge.
//!
//! # Paper
//! LocalLap, a baseline of the DPRR paper (section 5.1), after LapGraph of Wu et al. 2022.
//!
//! # Differs from paper
//! Discrete noise on a fine grid. The paper does not say what happens to users who publish: here
//! their lists decide all their pairs, and noisy cells compete for the pairs of two private users.
//!
//! # Cost
//! `O(n)` draws per user, and a report of up to `n` cells: `2 n^2` bytes of reports, and four times
//! that while the server chooses. The degrees of users are not preserved, only their sum.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use super::list::{ListWalk, degree, known};
use super::one_sided::owned;
use crate::budget::Budget;
use crate::edges::comparison::lap_graph::{GRID, grid, largest};
use crate::edges::merge::{ListCost, Merge};
use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{DiscreteLaplace, Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{GraphShape, NeighborList};
use crate::unit::NeighborBit;

/// Noisy degrees and noisy cells.
#[derive(Debug, Clone)]
pub struct LocalLap {
    degree: Budget,
    cells: Budget,
    total: Budget,
    degree_noise: DiscreteLaplace,
    cell_noise: DiscreteLaplace,
}

/// What one user sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LapReport {
    /// From a private user.
    Private {
        /// The noisy degree.
        degree: i64,
        /// The noisy cells of the nodes below the user, in steps of 1/1024.
        cells: Vec<i32>,
    },
    /// From a user who publishes: all neighbours.
    Public {
        /// The neighbours, ascending.
        neighbors: Vec<NodeId>,
    },
}

impl LocalLap {
    /// The mechanism that costs `epsilon`, a tenth of it for the degree.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn new(epsilon: f64) -> Result<Self> {
        let total = Budget::from_epsilon(epsilon)?;
        let degree = total.divided_by(10)?;
        let cells = total.checked_sub(degree)?;
        Ok(Self {
            degree,
            cells,
            total,
            degree_noise: DiscreteLaplace::new(degree, 1)?,
            cell_noise: DiscreteLaplace::new(
                if fault::on(Fault::CellsAtWholeBudget) { total } else { cells },
                GRID,
            )?,
        })
    }

    /// What a report gives away about the degree and about one bit; pairs are reported once, so that
    /// [`Merge::LowerTriangle`] converts it.
    pub fn cost(&self) -> ListCost {
        ListCost { degree: self.degree.into(), bits: self.cells.into() }
    }

    /// The probability of a private report about a list (up to the clamping of cells to 32 bits,
    /// which never happens); 0 for a published one.
    pub fn probability(&self, list: &NeighborList<'_>, report: &LapReport) -> f64 {
        let LapReport::Private { degree: noisy, cells } = report else { return 0.0 };
        if cells.len() != list.owner as usize {
            return 0.0;
        }
        let mut walk = ListWalk::new(list);
        let of_cell = |(node, &cell): (NodeId, &i32)| {
            self.cell_noise.probability(i64::from(cell) - grid(walk.has(node)))
        };
        let cells: f64 = (0..).zip(cells).map(of_cell).product();
        cells * self.degree_noise.probability(noisy - degree(list) as i64)
    }

    fn report(&self, list: &NeighborList<'_>, words: &mut impl RandomWords) -> LapReport {
        let noisy = (degree(list) as i64).saturating_add(self.degree_noise.draw(words));
        // Cells of smaller ids only: each pair is sent by one of its two users.
        let mut walk = ListWalk::new(&owned(list));
        let cells = (0..list.owner)
            .map(|node| {
                let cell = self.cell_noise.draw(words).saturating_add(grid(walk.has(node)));
                // Clamping a noisy value is post-processing.
                cell.clamp(i32::MIN.into(), i32::MAX.into()) as i32
            })
            .collect();
        LapReport::Private { degree: noisy, cells }
    }

    /// The server's part: the graph of all reports.
    ///
    /// # Errors
    /// If a report names nodes that do not report.
    pub fn graph(reports: &[LapReport]) -> privet_graph::Result<Graph> {
        let is_private = |user: usize| matches!(reports.get(user), Some(LapReport::Private { .. }));
        let mut degrees = 0i64;
        let mut candidates = Vec::new();
        let mut known = vec![Vec::new(); reports.len()];
        for (user, report) in reports.iter().enumerate() {
            match report {
                LapReport::Private { degree, cells } => {
                    degrees = degrees.saturating_add(*degree);
                    let both = cells.iter().enumerate().filter(|(other, _)| is_private(*other));
                    candidates.extend(
                        both.map(|(other, &c)| (c.into(), user as NodeId, other as NodeId)),
                    );
                }
                LapReport::Public { neighbors } => {
                    // Edges to private users are known already: they do not compete.
                    let mixed = neighbors.iter().filter(|&&node| is_private(node as usize));
                    degrees = degrees.saturating_sub(mixed.count() as i64);
                    known[user].clone_from(neighbors);
                }
            }
        }
        // Each edge is in two degrees.
        let wanted = (degrees / 2).max(0) as usize;
        let mut rows = largest(candidates, wanted, reports.len());
        for (row, list) in rows.iter_mut().zip(known) {
            row.extend(list);
        }
        Merge::Or.graph(rows)
    }
}

shipped!(LocalLap);

impl Mechanism for LocalLap {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        "local-lap"
    }

    fn event(&self) -> Event {
        Event::Pure { epsilon: Epsilon::from(self.total) }
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "a noisy degree and noisy cells: the two budgets add up".into(),
            proof: "privet_privacy::edges::local::local_lap, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::from([
            ("epsilon".into(), json!(self.total.as_f64())),
            ("epsilon for the degree".into(), json!(self.degree.as_f64())),
            ("epsilon for the cells".into(), json!(self.cells.as_f64())),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Local for LocalLap {
    type Population = Graph;
    type Report = LapReport;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        // A cell is sent once, with the degree; the other user's degree depends on the pair as well.
        let cost = self.cost();
        graph.pair(PairCost { shown: cost.total(), beside: cost.degree })
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        _permit: Permit<'_>,
    ) -> LapReport {
        self.report(&list, noise)
    }
}

impl Disclose for LocalLap {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> LapReport {
        LapReport::Public { neighbors: known(&list).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{UserChoice, UserChoices};
    use crate::noise::NoiseRng;
    use crate::{Ledger, Loss, Secret};
    use privet_data::synthetic::BarabasiAlbert;

    #[test]
    fn one_bit_costs_both_budgets() {
        let mechanism = LocalLap::new(1.0).unwrap();
        let list = |neighbors| NeighborList { owner: 2, neighbors, node_count: 4 };
        let mut worst = [0f64; 2];
        for degree in [-5, 0, 1, 2, 9] {
            for cell in [-2000, 0, 1, 1024, 5000] {
                let report = LapReport::Private { degree, cells: vec![cell, 7] };
                let p = |neighbors| mechanism.probability(&list(neighbors), &report).ln();
                worst[0] = worst[0].max((p(&[0]) - p(&[])).abs()); // a pair the user reports
                worst[1] = worst[1].max((p(&[3]) - p(&[])).abs()); // a pair that the other user reports
            }
        }
        assert!((worst[0] - 1.0).abs() < 1e-9 && (worst[1] - 0.1).abs() < 1e-9, "{worst:?}");
        let graph = GraphShape { nodes: 4, direction: privet_graph::Direction::Undirected };
        let costs = mechanism.pair(&graph).unwrap();
        assert!((costs.shown.get() - worst[0]).abs() < 1e-9);
        assert!((costs.beside.get() - worst[1]).abs() < 1e-9);
    }

    #[test]
    fn a_huge_epsilon_changes_nothing_with_any_publisher() {
        let truth = BarabasiAlbert { nodes: 60, edges_per_node: 3 }.generate(1).unwrap();
        let truth = truth.graph().clone();
        for share in [61usize, 3, 2, 1] {
            let choice = |user: usize| match (user + 1) % share {
                0 => UserChoice::Public,
                _ => UserChoice::Private(0),
            };
            let mechanisms = vec![LocalLap::new(8000.0).unwrap()];
            let choices = UserChoices::new(mechanisms, (0..60).map(choice).collect()).unwrap();
            let limit = Loss::new(8000.0, 0.0).unwrap();
            let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
            let reports = ledger.release_chosen(&Secret::new(truth.clone()), &choices).unwrap();
            assert_eq!(LocalLap::graph(reports.get()).unwrap(), truth, "1 in {share}");
        }
    }

    /// The number of edges is half the sum of the noisy degrees.
    #[test]
    fn as_many_edges_as_the_degrees_say() {
        let truth = BarabasiAlbert { nodes: 150, edges_per_node: 4 }.generate(1).unwrap();
        let limit = Loss::new(2.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(2)).unwrap();
        let secret = Secret::new(truth.graph().clone());
        let reports = ledger.release_each(&secret, &LocalLap::new(2.0).unwrap()).unwrap();
        let sum: i64 = reports
            .get()
            .iter()
            .map(|report| match report {
                LapReport::Private { degree, .. } => *degree,
                LapReport::Public { .. } => 0,
            })
            .sum();
        let graph = LocalLap::graph(reports.get()).unwrap();
        assert_eq!(graph.edge_count() as i64, (sum / 2).max(0));
    }

    #[test]
    fn no_reports_and_hostile_reports() {
        assert_eq!(LocalLap::graph(&[]).unwrap().node_count(), 0);
        let stranger = LapReport::Public { neighbors: vec![7] };
        assert!(LocalLap::graph(&[stranger]).is_err());
        let greedy = LapReport::Private { degree: i64::MAX, cells: vec![0; 5] };
        assert!(LocalLap::graph(&[greedy.clone(), greedy]).is_ok());
    }
}
