//! Edges: each person's contacts, or a curator's graph, turned into a noisy graph.

use serde::{Deserialize, Serialize};

use super::parts::graph_of_lists;
use super::several::{Several, SingleProcess, all_reports};
use super::unprotected::{always, features, labels, published};
use super::{Job, Terms};
use crate::graph::{Dataset, Direction, Graph, NodeId, memory};
use crate::lists::for_merge;
use crate::privacy::edges::Merge;
use crate::privacy::edges::comparison::{EdgeRand, LapGraph};
use crate::privacy::edges::local::{Dprr, ListMechanism, LocalLap, Rr};
use crate::privacy::ledger::Foreseen;
use crate::privacy::population::GraphShape;
use crate::privacy::unit::{DataPart, Edge, NeighborBit};
use crate::privacy::{Card, Central, Disclose, Secret};
use crate::stage::Stage;
use crate::{Error, Facts, Protected, Result, Run};

/// Mechanisms for edges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EdgeMechanism {
    /// On each person's device: randomised response, thinned to about their degree.
    Dprr,
    /// On each person's device: randomised response on every pair.
    Rr,
    /// On each person's device: noisy degree and noisy cells.
    LocalLap,
    /// By a trusted curator: every pair flipped at random.
    EdgeRand,
    /// By a trusted curator: as many edges as a noisy count says.
    LapGraph,
}

impl EdgeMechanism {
    /// Whether each person sends a row, so that there are several ways to make a graph of them.
    pub fn reports_rows(self) -> bool {
        matches!(self, Self::Dprr | Self::Rr)
    }

    /// Whether a curator holds the graph, so that people cannot have budgets of their own.
    pub fn is_curated(self) -> bool {
        matches!(self, Self::EdgeRand | Self::LapGraph)
    }
}

impl EdgeMechanism {
    /// Refuses so many nodes that the reports and the graph made of them would not fit into memory. Both grow with the
    /// square of the nodes, and both are public: epsilon and the number of nodes tell them, so a refusal costs nothing.
    ///
    /// # Errors
    /// If they would not fit, or the mechanism refuses its epsilon.
    pub(crate) fn ask_memory(self, merge: Merge, epsilon: f64, nodes: usize) -> Result<()> {
        // Bytes per pair of nodes, in either order. An entry of a row takes 4 bytes in its report and 4 in the graph of
        // reports; an edge put together from them takes 8 as a pair and 8 in both its rows.
        let per_pair = match self {
            Self::Rr => {
                let flip = Rr::new(epsilon)?.flip_probability();
                match merge {
                    Merge::Directed => 8.0 * flip,
                    Merge::And => flip * (8.0 + 16.0 * flip / 2.0),
                    Merge::Or => 20.0 * flip,
                    Merge::OneSided | Merge::LowerTriangle => 24.0 * flip / 2.0,
                }
            }
            Self::EdgeRand => 24.0 * Rr::new(epsilon)?.flip_probability() / 2.0,
            // 4 for a noisy cell of half of the pairs, 16 while the server sorts it, and 1 for those it keeps.
            Self::LocalLap => (4.0 + 16.0 + 1.0) / 2.0,
            // Reports about as long as true lists; cells that cannot be among the largest are dropped at once.
            Self::Dprr | Self::LapGraph => return Ok(()),
        };
        let needs = |nodes: u64| (nodes as f64 * nodes as f64 * per_pair) as u128;
        Ok(memory::ask_growing("nodes", nodes as u64, needs)?)
    }
}

/// How edges are randomised, and put together.
#[derive(Debug, Clone)]
pub struct Edges {
    mechanism: EdgeMechanism,
    merge: Merge,
    /// How strongly people are protected.
    pub terms: Terms,
}

impl Edges {
    /// A mechanism, and how its reports become a graph (by default, each report is a row).
    ///
    /// # Errors
    /// If the mechanism has one way to make a graph and another was asked for, or a curator's mechanism should
    /// serve budgets of people's own.
    pub fn new(mechanism: EdgeMechanism, merge: Option<Merge>, terms: Terms) -> Result<Self> {
        if merge.is_some() && !mechanism.reports_rows() {
            let expected = "none: this mechanism has one way to make a graph";
            return Err(Error::invalid("rule for merging reports", "one", expected));
        }
        if mechanism.is_curated() && !terms.budgets.are_alike() {
            let expected = "one for all: people choose where they run a mechanism on their device";
            return Err(Error::invalid("budgets", "several", expected));
        }
        let usual = if mechanism == EdgeMechanism::LocalLap {
            Merge::LowerTriangle
        } else {
            Merge::default()
        };
        Ok(Self { mechanism, merge: merge.unwrap_or(usual), terms })
    }

    /// DPRR at `epsilon` for each person's list.
    ///
    /// # Errors
    /// Never in practice.
    pub fn dprr(epsilon: f64) -> Result<Self> {
        Self::new(EdgeMechanism::Dprr, None, Terms::alike(epsilon))
    }

    /// The mechanism.
    pub fn mechanism(&self) -> EdgeMechanism {
        self.mechanism
    }

    /// How reports become a graph.
    pub fn merge(&self) -> Merge {
        self.merge
    }

    /// The dataset with a graph of reports in place of its own.
    ///
    /// # Errors
    /// If the ids were not stated, reports cannot be merged for a directed graph, the mechanism refuses its epsilon,
    /// or the limit would be passed.
    pub fn run(&self, dataset: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        self.run_by(dataset, run, &mut SingleProcess)
    }

    /// The same by several processes, of which this one leads.
    ///
    /// # Errors
    /// Those of [`Edges::run`], if people have budgets of their own, the mechanism needs all of the graph at once, or
    /// another process fails.
    pub fn run_by(
        &self,
        dataset: Dataset,
        run: &Run<'_>,
        by: &mut impl Several,
    ) -> Result<Protected<Dataset>> {
        if run.spill.is_some() || by.count() > 1 {
            self.check_parts()?;
        }
        let job = Job::new(&dataset, &self.terms, run, DataPart::Edges, 0.0)?;
        self.check(dataset.graph().direction())?;
        let nodes = dataset.graph().node_count();
        // Kept in files, reports do not grow with what memory there is.
        if run.spill.is_none() {
            self.mechanism.ask_memory(self.merge, self.terms.budgets.otherwise(), nodes)?;
        }
        let secret = Secret::new(dataset.graph().clone());
        let released = match self.mechanism {
            EdgeMechanism::Dprr => self.rows::<Dprr>(&job, &secret, by)?,
            EdgeMechanism::Rr => self.rows::<Rr>(&job, &secret, by)?,
            EdgeMechanism::LocalLap => {
                let build = |epsilon| LocalLap::of(epsilon, nodes);
                let strengths = self.terms.budgets.strengths(dataset.ids(), build)?;
                let released = job.charge(subject(dataset.name()), |ledger| {
                    let reports = strengths.release(ledger, &secret)?;
                    Ok(reports.try_map(|reports| LocalLap::graph(&reports))?)
                })?;
                published(released, strengths.publishers(), LIST)
            }
            EdgeMechanism::EdgeRand => curated::<EdgeRand>(&job, &secret)?,
            EdgeMechanism::LapGraph => curated::<LapGraph>(&job, &secret)?,
        };
        let released = labels(features(released, &dataset), &dataset);
        let released = job.finish(always(released, &dataset));
        released.try_map(|graph| Ok(dataset.with_graph(graph)?))
    }

    /// The card of [`run`](Self::run) on any data of which this is known.
    ///
    /// # Errors
    /// If the mechanism refuses its epsilon.
    pub(crate) fn promise(&self, facts: &Facts) -> Result<Card> {
        let (epsilon, shape) = (self.terms.budgets.largest(), facts.graph());
        let card = Card::new(subject(&facts.name));
        Ok(match self.mechanism {
            EdgeMechanism::Dprr => {
                card.foreseeing(&self.foreseen_rows::<Dprr>(epsilon, &shape)?)?
            }
            EdgeMechanism::Rr => card.foreseeing(&self.foreseen_rows::<Rr>(epsilon, &shape)?)?,
            EdgeMechanism::LocalLap => {
                card.foreseeing(&stage::<LocalLap>(epsilon, shape.nodes)?.foreseen_each(&shape)?)?
            }
            EdgeMechanism::EdgeRand => {
                card.foreseeing(&stage::<EdgeRand>(epsilon, shape.nodes)?.foreseen_once()?)?
            }
            EdgeMechanism::LapGraph => {
                card.foreseeing(&stage::<LapGraph>(epsilon, shape.nodes)?.foreseen_once()?)?
            }
        })
    }

    /// What the rule for a graph lets people send decides what a pair costs.
    fn foreseen_rows<M: OfEpsilon + ListMechanism<Unit = NeighborBit>>(
        &self,
        epsilon: f64,
        shape: &GraphShape,
    ) -> Result<Foreseen<NeighborBit>> {
        let stage = stage::<M>(epsilon, shape.nodes)?;
        for_merge!(self.merge, |wrap| stage.map(wrap).foreseen_each(shape))
    }

    /// Draws this process's part of what another one leads.
    ///
    /// # Errors
    /// If something differs from what was charged, or another process fails.
    pub fn assist(&self, dataset: &Dataset, by: &mut impl Several) -> Result<()> {
        self.check_parts()?;
        let secret = Secret::new(dataset.graph().clone());
        match self.mechanism {
            EdgeMechanism::Rr => self.follow::<Rr>(dataset, &secret, by),
            _ => self.follow::<Dprr>(dataset, &secret, by),
        }
    }

    fn follow<M: OfEpsilon + ListMechanism<Unit = NeighborBit>>(
        &self,
        dataset: &Dataset,
        secret: &Secret<Graph>,
        by: &mut impl Several,
    ) -> Result<()> {
        let mechanism = M::of(self.terms.budgets.otherwise(), dataset.graph().node_count())?;
        for_merge!(self.merge, |wrap| by.follow(secret, &wrap(mechanism)))
    }

    /// Whether reports can be made part by part, or by several processes.
    ///
    /// # Errors
    /// If people have budgets of their own, or the mechanism needs all of the graph at once.
    pub fn check_parts(&self) -> Result<()> {
        match self.mechanism.reports_rows() {
            true => self.terms.check_parts(),
            false => Err(Error::NotInParts { mechanism: self.mechanism }),
        }
    }

    /// An arc stands in one list only, so rules about the two lists of a pair do not apply to it.
    fn check(&self, direction: Direction) -> Result<()> {
        match direction == Direction::Undirected || self.merge == Merge::Directed {
            true => Ok(()),
            false => Err(Error::DirectedGraph),
        }
    }

    /// Runs a mechanism that reports rows, on what the rule for a graph lets people send.
    fn rows<M: OfEpsilon + ListMechanism<Unit = NeighborBit>>(
        &self,
        job: &Job<'_>,
        secret: &Secret<Graph>,
        by: &mut impl Several,
    ) -> Result<Protected<Graph>> {
        let build = |epsilon| M::of(epsilon, job.dataset.graph().node_count());
        if let Some(spill) = &job.run.spill {
            let mechanism = build(self.terms.budgets.otherwise())?;
            return job.charge(subject(job.dataset.name()), |ledger| {
                for_merge!(self.merge, |wrap| {
                    graph_of_lists(ledger, secret, &wrap(mechanism), self.merge, (spill, by))
                })
            });
        }
        let graph = |rows| Ok(self.merge.graph(rows)?);
        for_merge!(self.merge, |wrap| reports(job, secret, |e| build(e).map(wrap), graph, by))
    }
}

/// A mechanism that an epsilon and the number of nodes make, for a promise and for a run alike.
trait OfEpsilon: Sized {
    fn of(epsilon: f64, nodes: usize) -> Result<Self>;
}

impl OfEpsilon for Dprr {
    fn of(epsilon: f64, nodes: usize) -> Result<Self> {
        Ok(Self::new(epsilon, nodes)?)
    }
}

impl OfEpsilon for Rr {
    fn of(epsilon: f64, _: usize) -> Result<Self> {
        Ok(Self::new(epsilon)?)
    }
}

impl OfEpsilon for LocalLap {
    fn of(epsilon: f64, _: usize) -> Result<Self> {
        Ok(Self::new(epsilon)?)
    }
}

impl OfEpsilon for EdgeRand {
    fn of(epsilon: f64, _: usize) -> Result<Self> {
        Ok(Self::new(epsilon)?)
    }
}

impl OfEpsilon for LapGraph {
    fn of(epsilon: f64, _: usize) -> Result<Self> {
        Ok(Self::new(epsilon)?)
    }
}

fn stage<M: OfEpsilon>(epsilon: f64, nodes: usize) -> Result<Stage<M>> {
    Stage::pure(DataPart::Edges, epsilon, M::of(epsilon, nodes)?)
}

fn subject(dataset: &str) -> String {
    format!("{dataset}, edges randomised")
}

/// What a person of their own budget may publish.
const LIST: &str = "list of contacts";

/// Collects everyone's list and makes a graph of them.
fn reports<M>(
    job: &Job<'_>,
    secret: &Secret<Graph>,
    build: impl Fn(f64) -> Result<M>,
    graph: impl Fn(Vec<Vec<NodeId>>) -> Result<Graph>,
    by: &mut impl Several,
) -> Result<Protected<Graph>>
where
    M: Disclose<Unit = NeighborBit, Population = Graph, Report = Vec<NodeId>>,
{
    let strengths = job.terms.budgets.strengths(job.dataset.ids(), build)?;
    let released = job.charge(subject(job.dataset.name()), |ledger| {
        all_reports(by, ledger, secret, &strengths)?.try_map(graph)
    })?;
    Ok(published(released, strengths.publishers(), LIST))
}

/// Runs a curator's mechanism, whose rows hold each pair once.
fn curated<M>(job: &Job<'_>, secret: &Secret<Graph>) -> Result<Protected<Graph>>
where
    M: OfEpsilon + Central<Unit = Edge, Input = Graph, Output = Vec<Vec<NodeId>>>,
{
    let mechanism = M::of(job.terms.budgets.otherwise(), job.dataset.graph().node_count())?;
    job.charge(subject(job.dataset.name()), |ledger| {
        let rows = ledger.release(secret, &mechanism)?;
        Ok(rows.try_map(|rows| Merge::OneSided.graph(rows))?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What noise alone fills, whatever the data are: refused by its size, before a ledger is opened.
    #[test]
    fn a8_reports_that_would_not_fit_are_refused_before_the_charge() {
        let merges = [Merge::Directed, Merge::Or, Merge::And, Merge::OneSided];
        let rows = merges.map(|merge| (EdgeMechanism::Rr, merge));
        let others = [EdgeMechanism::LocalLap, EdgeMechanism::EdgeRand];
        for (mechanism, merge) in rows.into_iter().chain(others.map(|one| (one, Merge::OneSided))) {
            let told = mechanism.ask_memory(merge, 1.0, 50_000_000).unwrap_err().to_string();
            assert!(told.contains("of memory") && told.contains("would fit"), "{told}");
            mechanism.ask_memory(merge, 1.0, 2000).unwrap();
        }
        for mechanism in [EdgeMechanism::Dprr, EdgeMechanism::LapGraph] {
            mechanism.ask_memory(Merge::Directed, 1.0, 50_000_000).unwrap();
        }
    }
}
