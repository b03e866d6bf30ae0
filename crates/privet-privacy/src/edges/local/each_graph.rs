//! One mechanism for the users of many graphs, in one release.
//!
//! # Idea
//! A collector of many graphs (threads, servers, villages) asks every user of every graph once. Each
//! user holds one list of one graph, so all reports together are one event.
//!
//! # Equation
//! The report of a user is that of the mechanism on the user's list, with the size of the user's own
//! graph for `n`.
//!
//! # Guarantee
//! Unit [`NeighborBit`](crate::unit::NeighborBit), that of the mechanism inside.
//! *Proof.* A bit of one list enters the report of its owner and no other; sizes are public. ∎
//!
//! # Paper
//! The system of the DPRR paper (section 4.1).
//!
//! # Differs from paper
//! Nothing.
//!
//! # Cost
//! That of the mechanism inside.
//!
//! # Numerics
//! Those of the mechanism inside.

use privet_graph::Graph;

use super::list::ListWrapper;
use crate::error::Result;
use crate::ledger::PairCost;
use crate::mechanism::{Disclose, Local, Mechanism, Permit};
use crate::noise::RandomWords;
use crate::origin::sealed::MechanismOrigin;
use crate::population::{GraphShape, ManyGraphs, NeighborList};

/// A mechanism on neighbour lists, for the users of [`ManyGraphs`].
#[derive(Debug, Clone)]
pub struct EachGraph<M>(pub M);

impl<M: Mechanism> MechanismOrigin for EachGraph<M> {
    const AUDITED: bool = M::AUDITED;
}

impl<M: Mechanism> ListWrapper for EachGraph<M> {
    type Inner = M;

    fn inner(&self) -> &M {
        &self.0
    }

    fn reason(&self) -> (&'static str, &'static str) {
        ("each user holds one list of one graph", "each_graph")
    }

    fn more_public(&self) -> Option<String> {
        Some("which graph a user belongs to".into())
    }
}

impl<M: Local<Population = Graph>> Local for EachGraph<M> {
    type Population = ManyGraphs;
    type Report = M::Report;

    fn check(&self, graphs: &Vec<GraphShape>) -> Result<()> {
        graphs.iter().try_for_each(|graph| self.0.check(graph))
    }

    fn pair(&self, graphs: &Vec<GraphShape>) -> Option<PairCost> {
        // Undirected if any graph is: the weaker promise is the one to state.
        graphs.iter().find_map(|graph| self.0.pair(graph))
    }

    fn randomize<W: RandomWords>(
        &self,
        list: NeighborList<'_>,
        noise: &mut W,
        permit: Permit<'_>,
    ) -> M::Report {
        self.0.randomize(list, noise, permit)
    }
}

impl<M: Disclose<Population = Graph>> Disclose for EachGraph<M> {
    fn disclose(&self, list: NeighborList<'_>, permit: Permit<'_>) -> M::Report {
        self.0.disclose(list, permit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::local::{Dprr, Silent};
    use crate::ledger::{UserChoice, UserChoices};
    use crate::noise::NoiseRng;
    use crate::{Ledger, Loss, Secret};
    use privet_data::synthetic::BarabasiAlbert;

    /// Users of many graphs spend once, and their reports stay within their own graph.
    #[test]
    fn one_event_for_all_graphs() {
        let graph = |nodes, seed| {
            let model = BarabasiAlbert { nodes, edges_per_node: 2 };
            model.generate(seed).unwrap().graph().clone()
        };
        let many = Secret::new(ManyGraphs::new(vec![graph(30, 1), graph(12, 2), graph(50, 3)]));
        let limit = Loss::new(1.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let dprr = EachGraph(Dprr::new(1.0, 50).unwrap());
        let reports = ledger.release_each(&many, &dprr).unwrap().into_inner();
        assert_eq!((reports.len(), ledger.entries().len()), (92, 1));
        assert_eq!(ledger.spent().unwrap()[0].loss.epsilon.get(), 1.0);
        assert!(reports[30..42].iter().flatten().all(|&node| node < 12));
        // A second round would cost as much again.
        assert!(ledger.release_each(&many, &dprr).is_err());
    }

    #[test]
    fn the_silent_cost_nothing() {
        let graph = BarabasiAlbert { nodes: 9, edges_per_node: 2 }.generate(1).unwrap();
        let many = Secret::new(ManyGraphs::new(vec![graph.graph().clone()]));
        let limit = Loss::new(0.0, 0.0).unwrap();
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let of_user =
            (0..9).map(|u| if u == 4 { UserChoice::Public } else { UserChoice::Private(0) });
        let choices = UserChoices::new(vec![EachGraph(Silent)], of_user.collect()).unwrap();
        let reports = ledger.release_chosen(&many, &choices).unwrap().into_inner();
        assert_eq!(reports[4], graph.graph().neighbors(4));
        assert_eq!(reports.iter().filter(|report| !report.is_empty()).count(), 1);
        let spent = ledger.spent().unwrap();
        assert!(spent.iter().any(|group| group.opted_out));
        assert!(spent.iter().any(|group| !group.opted_out && group.loss.epsilon.get() == 0.0));
    }
}
