//! Edges: each person's contacts, or a curator's graph, turned into a noisy graph.

use privet::graph::{Dataset, Direction, Graph, NodeId, NodeIds};
use privet::privacy::edges::Merge;
use privet::privacy::edges::central::{EdgeRand, LapGraph};
use privet::privacy::edges::local::{Dprr, ListMechanism, LocalLap, LowerHalf, OneSided, Rr};
use privet::privacy::unit::{Edge, NeighborBit};
use privet::privacy::{Card, Central, Disclose, Secret};

use super::unprotected::{always_unprotected, published, unprotected_features, unprotected_labels};
use super::{Released, Terms};
use crate::args::{EdgeMechanism, ProtectEdges};
use crate::failure::{Failure, Result};

/// A mechanism, and how its reports become a graph.
#[derive(Debug)]
pub(super) struct Plan {
    mechanism: EdgeMechanism,
    merge: Merge,
}

/// Whose edges, and on which terms.
struct Reporting<'a> {
    terms: &'a Terms,
    dataset: &'a str,
    ids: &'a NodeIds,
    secret: &'a Secret<Graph>,
}

impl Reporting<'_> {
    fn card(&self) -> Card {
        self.terms.card(format!("{}, edges randomised", self.dataset))
    }
}

impl Plan {
    pub(super) fn new(typed: &ProtectEdges) -> Result<Self> {
        let reports_rows = matches!(typed.mechanism, EdgeMechanism::Dprr | EdgeMechanism::Rr);
        if typed.merge.is_some() && !reports_rows {
            let message = "--merge is for dprr and rr: this mechanism has one way to make a graph";
            return Err(Failure::usage(message).hint("leave it out"));
        }
        let curated = matches!(typed.mechanism, EdgeMechanism::EdgeRand | EdgeMechanism::LapGraph);
        if curated && typed.spending.budgets.is_some() {
            let message = "--budgets is for mechanisms that run on each person's device";
            return Err(Failure::usage(message).hint("use dprr, rr or local-lap, or leave it out"));
        }
        let merge = match typed.merge {
            Some(rule) => rule.into(),
            None if typed.mechanism == EdgeMechanism::LocalLap => Merge::LowerTriangle,
            None => Merge::default(),
        };
        Ok(Self { mechanism: typed.mechanism, merge })
    }

    pub(super) fn release(&self, dataset: Dataset, terms: &Terms) -> Result<Released> {
        let direction = dataset.graph().direction();
        self.check(direction)?;
        let nodes = dataset.graph().node_count();
        let secret = Secret::new(dataset.graph().clone());
        let (name, ids) = (dataset.name(), dataset.ids());
        let source = Reporting { terms, dataset: name, ids, secret: &secret };
        let epsilon = terms.budgets.otherwise();
        let (graph, card) = match self.mechanism {
            EdgeMechanism::Dprr => self.rows(&source, |epsilon| Ok(Dprr::new(epsilon, nodes)?))?,
            EdgeMechanism::Rr => self.rows(&source, |epsilon| Ok(Rr::new(epsilon)?))?,
            EdgeMechanism::LocalLap => {
                let build = |epsilon| Ok(LocalLap::new(epsilon)?);
                let graph = |reports: Vec<_>| Ok(LocalLap::graph(&reports)?);
                self.reports(&source, build, graph)?
            }
            EdgeMechanism::EdgeRand => curated(&source, &EdgeRand::new(epsilon)?)?,
            EdgeMechanism::LapGraph => curated(&source, &LapGraph::new(epsilon)?)?,
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

    /// Runs a mechanism that reports rows, on what the rule for a graph lets people send.
    fn rows<M: ListMechanism<Unit = NeighborBit>>(
        &self,
        source: &Reporting<'_>,
        build: impl Fn(f64) -> Result<M>,
    ) -> Result<(Graph, Card)> {
        let graph = |reports| Ok(self.merge.graph(reports)?);
        match self.merge {
            Merge::OneSided => self.reports(source, |epsilon| build(epsilon).map(OneSided), graph),
            Merge::LowerTriangle => {
                self.reports(source, |epsilon| build(epsilon).map(LowerHalf), graph)
            }
            Merge::Directed | Merge::Or | Merge::And => self.reports(source, build, graph),
        }
    }

    /// Collects everyone's report and makes a graph of them.
    fn reports<M>(
        &self,
        source: &Reporting<'_>,
        build: impl Fn(f64) -> Result<M>,
        graph: impl Fn(Vec<M::Report>) -> Result<Graph>,
    ) -> Result<(Graph, Card)>
    where
        M: Disclose<Unit = NeighborBit, Population = Graph>,
    {
        let terms = source.terms;
        let strengths = terms.budgets.strengths(source.ids, build)?;
        let (graph, ledger) = terms
            .account
            .spend(|ledger| graph(strengths.release(ledger, source.secret)?.into_inner()))?;
        let card = source.card().with_ledger(&ledger)?;
        Ok((graph, published(card, strengths.publishers(), "list of contacts")))
    }
}

/// Runs a curator's mechanism, whose rows hold each pair once.
fn curated<M>(source: &Reporting<'_>, mechanism: &M) -> Result<(Graph, Card)>
where
    M: Central<Unit = Edge, Input = Graph, Output = Vec<Vec<NodeId>>>,
{
    let (graph, ledger) = source.terms.account.spend::<Edge, _>(|ledger| {
        Ok(Merge::OneSided.graph(ledger.release(source.secret, mechanism)?.into_inner())?)
    })?;
    Ok((graph, source.card().with_ledger(&ledger)?))
}
