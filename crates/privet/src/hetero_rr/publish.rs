//! [`Publication`]: from what a custodian holds to something that may be published.
//!
//! The order is the guarantee: everything that can fail is checked, each ledger writes its entry and
//! waits for the disk, then noise is drawn. Features and edges are different units with a ledger each;
//! the card lists both.

use super::custody::Custody;
use super::reported::{Reported, Reporting};
use super::tree::{GrownTree, TreePlan};
use crate::graph::{FeatureMatrix, Graph};
use crate::privacy::edges::Merge;
use crate::privacy::edges::comparison::hrg::{Dendrogram, PublicGraph, Repair, Wiring};
use crate::privacy::edges::comparison::{EdgeRand, EdgeRr, LapGraph, PrintedSensitivity};
use crate::privacy::ledger::Foreseen;
use crate::privacy::public::Public;
use crate::privacy::unit::{Edge, FeatureRow};
use crate::privacy::{Delta, Epsilon, Event, Ledger, Loss, Release, accountant};
use crate::protect::{EdgeMechanism, FeatureProtection};
use crate::{Protected, Result, Run};

/// How private edges become publishable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EdgeMethod {
    /// Counts over a tree of the public edges: proven, the default.
    PublicTree,
    /// Counts over a tree that private edges help to find: proven, at a price.
    PrivateTree,
    /// As the paper prints it: unproven.
    Paper,
    /// A tree from private edges alone, by a chain that would have to converge: unproven.
    PrivHrg,
    /// Every pair flipped at random.
    EdgeRand,
    /// As many edges as a noisy count says.
    LapGraph,
}

/// A chain that reads private edges.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct Chain {
    /// The share of epsilon for the tree, where private edges help to find it.
    #[serde(rename = "tree_share")]
    #[cfg_attr(feature = "clap", arg(long = "tree-share"))]
    pub share: f64,
    /// Steps per node of a chain that reads private edges.
    #[serde(rename = "private_steps")]
    #[cfg_attr(
        feature = "clap",
        arg(id = "private_steps", long = "private-steps", value_name = "STEPS")
    )]
    pub steps_per_node: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { share: 0.5, steps_per_node: 10 }
    }
}

/// How private edges are protected.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct EdgeProtection {
    /// Privacy budget of each private edge (epsilon).
    #[serde(rename = "epsilon_edges")]
    #[cfg_attr(feature = "clap", arg(skip))]
    pub epsilon: f64,
    /// Mechanism for edges.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub method: EdgeMethod,
    /// How the tree of public edges is grown.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub tree: TreePlan,
    /// Which pairs of a group become its edges: `uniform` any, `closing` friends of friends in public edges as
    /// far as they go and then any, `closing-only` those alone; `paper` and `priv-hrg` take any, as printed.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::by_name(&crate::options::WIRINGS)))]
    pub wiring: Wiring,
    /// What to make of counts below 0.
    #[cfg_attr(feature = "clap", arg(skip))]
    pub repair: Repair,
    /// Failure probability (delta) of private-tree; other methods need none.
    #[cfg_attr(feature = "clap", arg(long))]
    pub delta: f64,
    /// The chain of those that have one: `private-tree`, `paper`, `priv-hrg`.
    #[cfg_attr(feature = "clap", command(flatten))]
    pub chain: Chain,
}

impl EdgeProtection {
    /// The rigorous default at `epsilon`.
    pub fn new(epsilon: f64) -> Self {
        Self {
            epsilon,
            method: EdgeMethod::PublicTree,
            tree: TreePlan::default(),
            wiring: Wiring::Closing,
            repair: Repair::default(),
            delta: 1e-6,
            chain: Chain::default(),
        }
    }

    /// What a new ledger must allow: infinite where nothing is proved.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn limit(&self) -> Result<Loss> {
        match self.method {
            EdgeMethod::Paper | EdgeMethod::PrivHrg => {
                Ok(Loss { epsilon: Epsilon::INFINITE, delta: Delta::ZERO })
            }
            EdgeMethod::PrivateTree => Ok(Loss::new(self.epsilon, self.delta)?),
            _ => Ok(Loss::new(self.epsilon, 0.0)?),
        }
    }
}

/// How everything is protected.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Publication {
    /// For private edges.
    pub edges: EdgeProtection,
    /// For feature rows; `None` if features are public, or there are none.
    pub features: Option<FeatureProtection>,
}

/// The accounts that are charged.
pub struct Ledgers {
    /// For private edges.
    pub edges: Ledger<Edge>,
    /// For features, where they are protected.
    pub features: Option<Ledger<FeatureRow>>,
}

/// What may be published.
#[derive(Debug, Clone)]
pub struct Publishable {
    /// All public edges, and others.
    pub graph: Graph,
    /// Reported features, where they are protected.
    pub features: Option<FeatureMatrix>,
    /// How the tree of public edges was fitted, where there is one.
    pub grown: Option<GrownTree>,
}

/// What may be published, made of releases and public edges only, and what is promised.
pub type PublishedGraph = Protected<Publishable>;

impl Ledgers {
    /// New accounts of a run, which allow this publication once.
    ///
    /// # Errors
    /// If a number is out of range, or a ledger cannot be written.
    pub fn of(publication: &Publication, run: &Run<'_>) -> Result<Self> {
        Self::allowing(publication.edges.limit()?, publication.features.as_ref(), run)
    }

    /// New accounts of a run, which allow so much for edges, and these reports.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn allowing(
        edges: Loss,
        features: Option<&FeatureProtection>,
        run: &Run<'_>,
    ) -> Result<Self> {
        let (store, noise) = (&run.ledgers, run.noise);
        let account = |how: &FeatureProtection| store.open("features", how.limit()?, noise, (1, 2));
        Ok(Self {
            edges: store.open("edges", edges, noise, (0, 2))?,
            features: features.map(account).transpose()?,
        })
    }
}

impl Publication {
    /// Charges new ledgers of the run and draws what may be published.
    ///
    /// # Errors
    /// As [`release`](Self::release).
    pub fn publish(&self, custody: &Custody, run: &Run<'_>) -> Result<PublishedGraph> {
        self.release(custody, &mut Ledgers::of(self, run)?)
    }

    /// Charges the ledgers and draws what may be published.
    ///
    /// # Errors
    /// If features are to be protected and there are none, a mechanism refuses its settings or the data,
    /// or a ledger refuses the charge.
    pub fn release(&self, custody: &Custody, ledgers: &mut Ledgers) -> Result<PublishedGraph> {
        // All parts are priced before the first is drawn: nothing is charged for a release that is refused.
        self.edges.would_be_allowed(custody, &ledgers.edges)?;
        let reporting = Reporting::new(self.features.as_ref(), custody, ledgers)?;
        let Reported { rows: features, public: reported } = reporting.release(custody, ledgers)?;
        // Released features first: a tree may grow from them.
        let attributes = reported.as_ref().or(custody.attributes.as_ref());
        let edges = self.edges.release(custody, attributes, &mut ledgers.edges)?;
        let all = edges.protected(&ledgers.edges)?.zip(features);
        let all = all.map(|((graph, grown), features)| Publishable { graph, features, grown });
        let all = all.about(format!("{}, published by HeteroRR", custody.name));
        Ok(unprotected(all, custody))
    }
}

/// What a release about private edges never hides.
pub(super) fn unprotected<T>(published: Protected<T>, custody: &Custody) -> Protected<T> {
    let ground = &custody.ground;
    let edges = ground.public().edge_count();
    let mut published = published
        .with_unprotected(format!("the {} nodes and their ids", ground.node_count()))
        .with_unprotected(format!("{edges} public edges, and that they are public"));
    if ground.private_count() < ground.node_count() {
        let count = ground.private_count();
        published = published.with_unprotected(format!(
            "which {count} nodes may have private edges; the others have none"
        ));
    }
    published.with_unprotected(
        "a group of private edges, such as all of one person: each costs its own epsilon",
    )
}

impl EdgeProtection {
    /// What is drawn from private edges. What a tree looks like does not change its price, so any tree of these nodes
    /// will do to ask.
    fn stage(&self, ground: &PublicGraph) -> Result<EdgeStage> {
        let epsilon = self.epsilon;
        Ok(match self.method {
            EdgeMethod::EdgeRand => EdgeStage::EdgeRand(EdgeRand::new(epsilon)?),
            EdgeMethod::LapGraph => EdgeStage::LapGraph(LapGraph::new(epsilon)?),
            _ => {
                let any = Public::declared(Dendrogram::random(ground.node_count(), 0)?);
                EdgeStage::OverATree(Box::new(self.edge_rr(ground, any)?))
            }
        })
    }

    /// Whether the ledger would take the charge.
    fn would_be_allowed(&self, custody: &Custody, ledger: &Ledger<Edge>) -> Result<()> {
        match self.stage(&custody.ground)? {
            EdgeStage::EdgeRand(pairs) => {
                let nodes = custody.ground.node_count();
                EdgeMechanism::EdgeRand.ask_memory(Merge::OneSided, self.epsilon, nodes)?;
                ledger.would_allow(&pairs)?;
            }
            EdgeStage::LapGraph(pairs) => ledger.would_allow(&pairs)?,
            EdgeStage::OverATree(counts) => ledger.would_allow(&*counts)?,
        }
        Ok(())
    }

    /// What a new ledger will say.
    pub(crate) fn foreseen(&self, ground: &PublicGraph) -> Result<Foreseen<Edge>> {
        let account = Foreseen::new(self.limit()?);
        Ok(match self.stage(ground)? {
            EdgeStage::EdgeRand(pairs) => account.curated(&pairs)?,
            EdgeStage::LapGraph(pairs) => account.curated(&pairs)?,
            EdgeStage::OverATree(counts) => account.curated(&*counts)?,
        })
    }

    fn release(
        &self,
        custody: &Custody,
        attributes: Option<&Public<FeatureMatrix>>,
        ledger: &mut Ledger<Edge>,
    ) -> Result<Release<(Graph, Option<GrownTree>), Edge>> {
        let (ground, private) = (&custody.ground, &custody.private);
        let merged = |rows: Vec<Vec<u32>>| {
            Ok((united(ground.public(), &Merge::OneSided.graph(rows)?)?, None))
        };
        match self.stage(ground)? {
            EdgeStage::EdgeRand(pairs) => return ledger.release(private, &pairs)?.try_map(merged),
            EdgeStage::LapGraph(pairs) => return ledger.release(private, &pairs)?.try_map(merged),
            // The tree that the counts are over grows now, from what is public by now.
            EdgeStage::OverATree(_) => {}
        }
        let grown = self.tree.grow(ground, attributes)?;
        let mechanism = self.edge_rr(ground, grown.tree.clone())?;
        let noisy = ledger.release(private, &mechanism)?;
        let wiring = match self.method {
            EdgeMethod::Paper | EdgeMethod::PrivHrg => Wiring::Uniform,
            _ => self.wiring,
        };
        noisy.try_map(|noisy| {
            Ok((united(ground.public(), &noisy.wired(self.repair, wiring))?, Some(grown)))
        })
    }

    fn edge_rr(&self, ground: &PublicGraph, tree: Public<Dendrogram>) -> Result<EdgeRr> {
        let ground = ground.clone();
        let nodes = ground.node_count() as u64;
        let epsilon = self.epsilon * self.chain.share;
        let (steps, counts) =
            (self.chain.steps_per_node.saturating_mul(nodes), self.epsilon - epsilon);
        Ok(match self.method {
            EdgeMethod::PrivateTree => {
                let range = self.range(steps, counts)?;
                EdgeRr::private_tree(range, steps, counts, ground, tree)?
            }
            EdgeMethod::Paper => {
                let printed = PrintedSensitivity::default();
                EdgeRr::paper(epsilon, steps, counts, printed, ground, tree)?
            }
            EdgeMethod::PrivHrg => EdgeRr::priv_hrg(epsilon, steps, counts, tree)?,
            _ => EdgeRr::public_tree(self.epsilon, ground, tree)?,
        })
    }

    /// The largest range of a step such that all steps and the counts stay within the budget.
    fn range(&self, steps: u64, counts: f64) -> Result<f64> {
        let delta = Delta::new(self.delta)?;
        let counts = Event::Pure { epsilon: Epsilon::new(counts)? };
        let fits = |eta: f64| -> Result<bool> {
            let event = Event::BoundedRange { eta }.repeated(steps).then(counts.clone());
            Ok(accountant::best(&event, delta)?.value.get() <= self.epsilon)
        };
        let (mut low, mut high) = (self.epsilon / steps.max(1) as f64 / 1024.0, self.epsilon);
        for _ in 0..24 {
            let middle = (low * high).sqrt();
            if fits(middle)? { low = middle } else { high = middle }
        }
        Ok(low)
    }
}

/// What is drawn from private edges, for a promise and for a release alike.
enum EdgeStage {
    EdgeRand(EdgeRand),
    LapGraph(LapGraph),
    /// Counts over a tree, here any.
    OverATree(Box<EdgeRr>),
}

/// All edges of both graphs.
fn united(public: &Graph, drawn: &Graph) -> Result<Graph> {
    let builder = crate::graph::GraphBuilder::new(public.node_count(), public.direction());
    Ok(builder.edges(public.edges().chain(drawn.edges())).build()?.0)
}

#[cfg(test)]
mod tests;
