//! A report on the full list of which only the pairs below its owner are sent.
//!
//! # Idea
//! The lower halves of all users' reports hold every pair once. The mechanism runs on the full list first, so
//! that its degree is the user's whole degree; what concerns larger ids stays with the user.
//!
//! # Equation
//! The report of `i` is that of the mechanism, without the ids above `i`.
//!
//! # Guarantee
//! Unit [`NeighborBit`](crate::unit::NeighborBit), that of the mechanism inside: cutting is post-processing. Under
//! `relationship-dp` it is `2 eps1 + eps2`. *Proof.* The report of the larger id shows the bit and the degree; that of
//! the smaller one only bits of other pairs, whose law depends on the edge through the noisy degree alone. ∎
//! Tight for DPRR (enumerated for three users in the tests).
//!
//! # Paper
//! A way to read the DPRR paper.
//!
//! # Differs from paper
//! The upper half is not sent: cut off by the server, both reports would have been released, at `2 eps`.
//!
//! # Cost
//! That of the mechanism inside; half as much is sent. Hubs with small ids are flattened.
//!
//! # Numerics
//! Those of the mechanism inside.

use privet_graph::{Graph, NodeId};
use serde_json::json;

use super::list::ListWrapper;
use crate::edges::merge::ListCost;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit};
use crate::noise::RandomWords;
use crate::origin::sealed::MechanismOrigin;
use crate::population::{GraphShape, NeighborList};

/// A mechanism that reports a list of names, and knows what its noisy degree costs.
pub trait ListMechanism: Disclose<Population = Graph, Report = Vec<NodeId>> {
    /// What a report gives away.
    fn cost(&self) -> ListCost;
}

/// A mechanism on neighbour lists, of whose reports the pairs below the owner are sent.
#[derive(Debug, Clone)]
pub struct LowerHalf<M>(pub M);

fn below(owner: NodeId, mut report: Vec<NodeId>) -> Vec<NodeId> {
    report.retain(|&node| node < owner);
    report
}

impl<M: Mechanism> MechanismOrigin for LowerHalf<M> {
    const AUDITED: bool = M::AUDITED;
}

impl<M: Mechanism> ListWrapper for LowerHalf<M> {
    type Inner = M;

    fn inner(&self) -> &M {
        &self.0
    }

    fn reason(&self) -> (&'static str, &'static str) {
        ("of the report the pairs below its owner are sent", "lower_half")
    }

    fn more_parameters(&self, parameters: &mut MechanismParameters) {
        parameters.insert("who reports a pair".into(), json!("the user with the larger id"));
        parameters.insert("degree".into(), json!("of the full list"));
    }
}

impl<M: ListMechanism> Local for LowerHalf<M> {
    type Population = Graph;
    type Report = Vec<NodeId>;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        let cost = self.0.cost();
        if fault::on(Fault::DegreesOfOneCharged) {
            return graph.pair(PairCost::told_by_one(cost.total()));
        }
        // The sender of a pair shows its bit and the degree; the other end's report moves with the pair by its
        // degree alone.
        graph.pair(PairCost { shown: cost.total(), beside: cost.degree })
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        permit: Permit<'_>,
    ) -> Vec<NodeId> {
        below(list.owner, self.0.randomize(list, noise, permit))
    }
}

impl<M: ListMechanism> Disclose for LowerHalf<M> {
    fn disclose(&self, list: NeighborList<'_>, permit: Permit<'_>) -> Vec<NodeId> {
        below(list.owner, self.0.disclose(list, permit))
    }
}
