//! Saying nothing: for users who take no part while others publish.
//!
//! # Idea
//! In a customised setting some users publish their lists. What those lists alone are worth is a
//! baseline that every mechanism must beat; the others then send an empty report, whatever they hold.
//!
//! # Equation
//! `P(empty) = 1`.
//!
//! # Guarantee
//! Unit [`NeighborBit`], 0. *Proof.* The report is a constant. ∎
//!
//! # Paper
//! NonPriv-Part, a baseline of the DPRR paper (section 5.1).
//!
//! # Differs from paper
//! Nothing.
//!
//! # Cost
//! None.
//!
//! # Numerics
//! Exact.

use privet_graph::{Graph, NodeId};

use super::list::known;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::ledger::PairCost;
use crate::loss::Epsilon;
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{GraphShape, NeighborList};
use crate::unit::NeighborBit;

/// Reports nothing.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

shipped!(Silent);

impl Mechanism for Silent {
    type Unit = NeighborBit;

    fn name(&self) -> &'static str {
        "silent"
    }

    fn event(&self) -> Event {
        Event::Nothing
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "an empty report, whatever the list".into(),
            proof: "privet_privacy::edges::local::silent, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        MechanismParameters::new()
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the number of nodes and their ids".into()]
    }
}

impl Local for Silent {
    type Population = Graph;
    type Report = Vec<NodeId>;

    fn pair(&self, graph: &GraphShape) -> Option<PairCost> {
        graph.pair(PairCost::told_by_both(Epsilon::ZERO))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        _noise: &mut W,
        _permit: Permit<'_>,
    ) -> Vec<NodeId> {
        if fault::on(Fault::SilentUsersSpeak) {
            return known(&list).collect();
        }
        Vec::new()
    }
}

impl Disclose for Silent {
    fn disclose(&self, list: NeighborList<'_>, _permit: Permit<'_>) -> Vec<NodeId> {
        known(&list).collect()
    }
}
