//! Each pair is reported by one of its two users only: the one with the larger id.
//!
//! # Idea
//! If both users of a pair report it, an attacker who sees all reports learns about it twice. Node ids are
//! public, so they can decide who reports: user `i` holds the list of neighbours below `i`, and the
//! mechanism inside sees that list and no other, as if the graph ended at `i`.
//!
//! # Equation
//! The report of `i` is that of the mechanism on the bits `a_ij`, `j < i`, with `i + 1` for `n`.
//!
//! # Guarantee
//! Unit [`NeighborBit`](crate::unit::NeighborBit), that of the mechanism inside; and the same under
//! `relationship-dp`, where both-sided reports cost twice as much.
//! *Proof.* The restricted lists of two neighbouring lists are equal or neighbours. An edge of the
//! graph is a bit of exactly one restricted list, and reports are independent. ∎
//!
//! # Paper
//! The rule is folklore for randomised response.
//!
//! # Differs from paper
//! For DPRR the *degree* must be restricted too. Sending the lower half of a report whose `q` came from
//! the full degree costs `2 eps1 + eps2`: see [`LowerHalf`](super::LowerHalf).
//!
//! # Cost
//! Half of everything. User 0 reports nothing. [`LocalLap`](super::LocalLap) already sends each cell
//! once and needs the full degrees for its edge count: it is not to be wrapped.
//!
//! # Numerics
//! Those of the mechanism inside.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use super::list::ListWrapper;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit};
use crate::noise::RandomWords;
use crate::origin::sealed::MechanismOrigin;
use crate::population::{GraphShape, NeighborList};

/// A mechanism on neighbour lists, on the pairs a user owns only.
#[derive(Debug, Clone)]
pub struct OneSided<M>(pub M);

/// The part of a list that its owner reports about.
pub(super) fn owned<'a>(list: &NeighborList<'a>) -> NeighborList<'a> {
    if fault::on(Fault::BothReportThePair) {
        return *list;
    }
    let below = list.neighbors.partition_point(|&node: &NodeId| node < list.owner);
    NeighborList {
        owner: list.owner,
        neighbors: &list.neighbors[..below],
        node_count: list.owner as usize + 1,
    }
}

impl<M: Mechanism> MechanismOrigin for OneSided<M> {
    const AUDITED: bool = M::AUDITED;
}

impl<M: Mechanism> ListWrapper for OneSided<M> {
    type Inner = M;

    fn inner(&self) -> &M {
        &self.0
    }

    fn reason(&self) -> (&'static str, &'static str) {
        ("each pair is in one user's list only", "one_sided")
    }

    fn more_parameters(&self, parameters: &mut MechanismParameters) {
        parameters.insert("who reports a pair".into(), json!("the user with the larger id"));
    }
}

impl<M: Local<Population = Graph>> Local for OneSided<M> {
    type Population = Graph;
    type Report = M::Report;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        Some(PairCost::told_by_one(self.0.pair(graph)?.shown))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        permit: Permit<'_>,
    ) -> M::Report {
        self.0.randomize(owned(&list), noise, permit)
    }
}

impl<M: Disclose<Population = Graph>> Disclose for OneSided<M> {
    fn disclose(&self, list: NeighborList<'_>, permit: Permit<'_>) -> M::Report {
        self.0.disclose(owned(&list), permit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::local::Dprr;
    use crate::edges::merge::Merge;
    use crate::noise::NoiseRng;
    use crate::{Ledger, Loss, Secret};
    use privet_data::synthetic::BarabasiAlbert;

    #[test]
    fn every_pair_has_one_owner() {
        let model = BarabasiAlbert { nodes: 60, edges_per_node: 4 };
        let graph = model.generate(1).unwrap().graph().clone();
        let expected = graph.clone();
        let limit = Loss::new(9000.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let secret = Secret::new(graph);
        // At a huge epsilon the reports are the lists themselves.
        let plain = OneSided(Dprr::from_parts(400.0, 400.0).unwrap());
        let reports = ledger.release_each(&secret, &plain).unwrap().into_inner();
        assert!((0..).zip(&reports).all(|(u, row)| row.iter().all(|&v| v < u)));
        assert_eq!(Merge::OneSided.graph(reports).unwrap(), expected);
        let thinned = OneSided(Dprr::new(1.0, 60).unwrap());
        let reports = ledger.release_each(&secret, &thinned).unwrap().into_inner();
        assert!((0..).zip(&reports).all(|(u, row)| row.iter().all(|&v| v < u)));
        assert!(ledger.entries()[1].theorem.statement.contains("one user's list only"));
    }
}
