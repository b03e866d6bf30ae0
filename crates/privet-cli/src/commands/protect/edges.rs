//! Edges: each person's contacts, or a curator's graph, turned into a noisy graph.

use privet::privacy::card::Conversion;
use privet::privacy::edges::central::{EdgeRand, LapGraph};
use privet::privacy::edges::local::{Dprr, LocalLap, OneSided, Rr};
use privet::privacy::edges::{ListCost, Merge};
use privet::privacy::unit::{Edge, NeighborBit, Relation};
use privet::privacy::{Card, Central, Ledger, Local, Loss, Secret};
use privet_graph::{Dataset, Direction, Graph, NodeId};

use super::account::Account;
use super::{Released, always_unprotected, unprotected_features, unprotected_labels};
use crate::args::{EdgeMechanism, ProtectEdges};
use crate::failure::{Failure, Result};

/// A mechanism, and how its reports become a graph.
#[derive(Debug)]
pub(super) struct Plan {
    mechanism: EdgeMechanism,
    merge: Merge,
    epsilon: f64,
}

impl Plan {
    pub(super) fn new(typed: &ProtectEdges) -> Result<Self> {
        let reports_rows = matches!(typed.mechanism, EdgeMechanism::Dprr | EdgeMechanism::Rr);
        if typed.merge.is_some() && !reports_rows {
            let message = "--merge is for dprr and rr: this mechanism has one way to make a graph";
            return Err(Failure::usage(message).hint("leave it out"));
        }
        let merge = match typed.merge {
            Some(rule) => rule.into(),
            None if typed.mechanism == EdgeMechanism::LocalLap => Merge::LowerTriangle,
            None => Merge::default(),
        };
        Ok(Self { mechanism: typed.mechanism, merge, epsilon: typed.spending.epsilon })
    }

    pub(super) fn release(&self, dataset: Dataset, account: &Account) -> Result<Released> {
        let direction = dataset.graph().direction();
        self.check(direction)?;
        let nodes = dataset.graph().node_count();
        let secret = Secret::new(dataset.graph().clone());
        let card = Card::new(format!("{}, edges randomised", dataset.name()));
        let epsilon = self.epsilon;
        let (graph, card) = match self.mechanism {
            EdgeMechanism::Dprr => {
                let dprr = Dprr::new(epsilon, nodes)?;
                let cost = dprr.cost();
                let (graph, ledger) = self.rows(account, &secret, dprr)?;
                (graph, self.local_card(card, &ledger, cost, direction)?)
            }
            EdgeMechanism::Rr => {
                let rr = Rr::new(epsilon)?;
                let cost = rr.cost();
                let (graph, ledger) = self.rows(account, &secret, rr)?;
                (graph, self.local_card(card, &ledger, cost, direction)?)
            }
            EdgeMechanism::LocalLap => {
                let lap = LocalLap::new(epsilon)?;
                let (graph, ledger) = account.spend::<NeighborBit, _>(|ledger| {
                    let reports = ledger.release_each(&secret, &lap)?;
                    Ok(LocalLap::graph(reports.get())?)
                })?;
                (graph, self.local_card(card, &ledger, lap.cost(), direction)?)
            }
            EdgeMechanism::EdgeRand => curated(account, &secret, &EdgeRand::new(epsilon)?, card)?,
            EdgeMechanism::LapGraph => curated(account, &secret, &LapGraph::new(epsilon)?, card)?,
        };
        let card = unprotected_labels(unprotected_features(card, &dataset), &dataset);
        let card = always_unprotected(card, &dataset);
        Ok(Released { dataset: dataset.with_graph(graph)?, card })
    }

    /// An arc stands in one list only, so rules about the two lists of a pair do not apply to it.
    fn check(&self, direction: Direction) -> Result<()> {
        if direction == Direction::Undirected || self.merge == Merge::Directed {
            return Ok(());
        }
        let message =
            "the graph is directed, and this way of making a graph is for undirected ones";
        let hint = "read it with --undirected, or use dprr or rr with --merge directed";
        Err(Failure::usage(message).hint(hint))
    }

    /// Runs a mechanism that reports rows.
    fn rows<M>(
        &self,
        account: &Account,
        secret: &Secret<Graph>,
        mechanism: M,
    ) -> Result<(Graph, Ledger<NeighborBit>)>
    where
        M: Local<Unit = NeighborBit, Population = Graph, Report = Vec<NodeId>>,
    {
        account.spend(|ledger| {
            let reports = match self.merge {
                Merge::OneSided => ledger.release_each(secret, &OneSided(mechanism))?,
                _ => ledger.release_each(secret, &mechanism)?,
            };
            Ok(self.merge.graph(reports.into_inner())?)
        })
    }

    /// The ledger's guarantee, and what it means for a pair of people.
    fn local_card(
        &self,
        card: Card,
        ledger: &Ledger<NeighborBit>,
        cost: ListCost,
        direction: Direction,
    ) -> Result<Card> {
        let card = card.with_ledger(ledger)?;
        if direction == Direction::Directed {
            return Ok(card);
        }
        let conversion = match (ledger.entries().len(), card.guarantees.last()) {
            (1, _) | (_, None) => self.merge.relationship_dp(cost, cost),
            (_, Some(all)) => both_lists(all.loss),
        };
        Ok(card.with_conversion(conversion))
    }
}

/// How the reports of earlier releases became graphs is not in the ledger, so the worst is assumed.
fn both_lists(each: Loss) -> Conversion {
    Conversion {
        relation: Relation::RelationshipDp,
        loss: each + each,
        theorem: "both users of a pair may have reported it in every release, and the losses add \
                  (privet_privacy::edges::merge, Guarantee)"
            .into(),
    }
}

/// Runs a curator's mechanism, whose rows hold each pair once.
fn curated<M>(
    account: &Account,
    secret: &Secret<Graph>,
    mechanism: &M,
    card: Card,
) -> Result<(Graph, Card)>
where
    M: Central<Unit = Edge, Input = Graph, Output = Vec<Vec<NodeId>>>,
{
    let (graph, ledger) = account.spend::<Edge, _>(|ledger| {
        Ok(Merge::OneSided.graph(ledger.release(secret, mechanism)?.into_inner())?)
    })?;
    Ok((graph, card.with_ledger(&ledger)?))
}
