//! How neighbour lists are reported, and how the collector puts reports together.
//!
//! # Which mechanism
//! A pair in the collector's graph is an edge with odds `density x factor`. Under randomised response
//! with both ends in agreement ([`Merge::And`]) the factor is `e^(2 eps)`; an arc reported by DPRR has
//! `e^(eps_2)` with `eps_2 < eps`, and fewer true edges arrive at all. So whatever the density, agreement
//! is better, and no guess about people's edges is needed to know it. Its price is size: `n^2 / 8`
//! bytes are sent, and about `n^2 f^2 / 2` pairs agree by accident, `f = 1 / (1 + e^eps)`. DPRR is for
//! graphs where that does not fit ([`ListProtection::recommended`]).
//!
//! # What it costs
//! `eps` for a list (edge LDP). A pair that both ends report costs `2 eps` (relationship DP); the card
//! says both.

use super::confidence::confidence;
use super::people::{Field, People};
use crate::graph::Graph;
use crate::lists::for_merge;
use crate::privacy::edges::Merge;
use crate::privacy::edges::local::{BitRow, Dprr, OneSided, PackedRr, Rr};
use crate::privacy::ledger::Foreseen;
use crate::privacy::population::GraphShape;
use crate::privacy::public::Public;
use crate::privacy::unit::{DataPart, NeighborBit};
use crate::protect::SingleProcess;
use crate::protect::parts::graph_of_lists;
use crate::stage::Stage;
use crate::{Error, Protected, Result, Run};

/// More accidental pairs than this are not worth their memory: about half a gigabyte as a graph.
const MOST_ACCIDENTS: f64 = 2e7;

/// What people do with their neighbour lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ListRandomizer {
    /// Randomised response on every pair.
    Rr,
    /// Randomised response, thinned to about as many neighbours as there are.
    Dprr,
}

/// How neighbour lists are randomised, and put together.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct ListProtection {
    /// The budget of one list.
    #[serde(rename = "edge_epsilon")]
    pub epsilon: f64,
    /// What people send.
    #[serde(rename = "edge_mechanism")]
    pub mechanism: ListRandomizer,
    /// What the collector makes of two reports about a pair.
    pub merge: Merge,
}

/// What the collector knows about edges.
#[derive(Debug, Clone, PartialEq)]
pub struct Ties {
    /// Pairs: public, or those that reports speak for.
    pub graph: Graph,
    /// For every arc of the graph, how likely it is an edge; `None` if all are alike.
    pub confidence: Option<Vec<f32>>,
}

/// [`Ties`] that the caller holds.
#[derive(Debug, Clone, Copy)]
pub struct TiesRef<'a> {
    pub(super) graph: &'a Graph,
    pub(super) confidence: Option<&'a [f32]>,
}

impl<'a> From<&'a Graph> for TiesRef<'a> {
    fn from(graph: &'a Graph) -> Self {
        Self { graph, confidence: None }
    }
}

impl<'a> From<&'a Ties> for TiesRef<'a> {
    fn from(ties: &'a Ties) -> Self {
        Self { graph: &ties.graph, confidence: ties.confidence.as_deref() }
    }
}

/// What each person sends about their list.
pub(super) enum ListStage {
    /// A thinned list, of which the rule for a graph may take a part.
    Dprr(Stage<Dprr>),
    /// An answer about every pair.
    Bits(Stage<PackedRr>),
    /// An answer about every pair with a person before them.
    HalfOfBits(Stage<OneSided<PackedRr>>),
}

impl ListProtection {
    /// What extracts most from an epsilon; looks at the number of people and nothing else.
    ///
    /// ```
    /// use privet::ldp_ge::{ListRandomizer, ListProtection};
    /// use privet::privacy::edges::Merge;
    /// let few = ListProtection::recommended(3.0, 2708);
    /// assert_eq!((few.mechanism, few.merge), (ListRandomizer::Rr, Merge::And));
    /// assert_eq!(ListProtection::recommended(1.0, 1_000_000).mechanism, ListRandomizer::Dprr);
    /// ```
    pub fn recommended(epsilon: f64, people: usize) -> Self {
        let flip = 1.0 / (1.0 + epsilon.exp());
        // n^2/2 pairs, of which f^2 agree although both answers are wrong.
        let accidents = (people as f64 * flip).powi(2) / 2.0;
        let mechanism =
            if accidents <= MOST_ACCIDENTS { ListRandomizer::Rr } else { ListRandomizer::Dprr };
        Self { epsilon, mechanism, merge: mechanism.usual_merge() }
    }

    /// What each of so many people sends.
    ///
    /// # Errors
    /// If the mechanism refuses its epsilon.
    pub(super) fn stage(&self, people: usize) -> Result<ListStage> {
        let (part, epsilon) = (DataPart::Edges, self.epsilon);
        Ok(match (self.mechanism, self.merge) {
            (ListRandomizer::Dprr, _) => {
                ListStage::Dprr(Stage::pure(part, epsilon, Dprr::new(epsilon, people)?)?)
            }
            // Without a degree the lower half of a report is the report on that half.
            (ListRandomizer::Rr, Merge::OneSided | Merge::LowerTriangle) => {
                let rr = PackedRr(Rr::new(epsilon)?);
                ListStage::HalfOfBits(Stage::pure(part, epsilon, OneSided(rr))?)
            }
            (ListRandomizer::Rr, _) => {
                ListStage::Bits(Stage::pure(part, epsilon, PackedRr(Rr::new(epsilon)?))?)
            }
        })
    }

    /// What the account will say of the lists of a graph of this shape.
    pub(crate) fn foreseen(&self, shape: &GraphShape) -> Result<Foreseen<NeighborBit>> {
        match self.stage(shape.nodes)? {
            ListStage::Dprr(stage) => {
                // What the rule for a graph lets people send decides what a pair costs.
                for_merge!(self.merge, |wrap| stage.map(wrap).foreseen_each(shape))
            }
            ListStage::Bits(stage) => stage.foreseen_each(shape),
            ListStage::HalfOfBits(stage) => stage.foreseen_each(shape),
        }
    }

    /// Collects the lists, or takes the graph as it is where it is public.
    ///
    /// # Errors
    /// If the mechanism refuses its epsilon, or a ledger cannot be written.
    pub(super) fn collect(&self, people: &People, run: &Run<'_>) -> Result<Protected<Ties>> {
        let secret = match &people.graph {
            Field::Public(graph) => {
                let ties =
                    Public::from_public_data(Ties { graph: graph.clone(), confidence: None });
                return Ok(Protected::public(ties).with_unprotected("edges"));
            }
            Field::Private(secret) => secret,
        };
        let (ledgers, noise) = (&run.ledgers, run.noise);
        let bits = |reports: Vec<BitRow>| Ok::<_, Error>(self.merge.graph_of_bits(&reports)?);
        let (ledger, graph, flip) = match self.stage(people.count)? {
            ListStage::Dprr(stage) => for_merge!(self.merge, |wrap| {
                let stage = stage.map(wrap);
                let mut ledger = stage.open(ledgers, noise)?;
                let graph = match &run.spill {
                    // With a memory limit the lists go to disk one by one, and the graph is merged
                    // from there.
                    Some(spill) => {
                        let by = (spill, &mut SingleProcess);
                        graph_of_lists(&mut ledger, secret, &stage.mechanism, self.merge, by)?
                    }
                    None => {
                        let reports = ledger.release_each(secret, &stage.mechanism)?;
                        reports.try_map(|reports| Ok::<_, Error>(self.merge.graph(reports)?))?
                    }
                };
                (ledger, graph, None)
            }),
            ListStage::Bits(stage) => {
                let mut ledger = stage.open(ledgers, noise)?;
                let graph = ledger.release_each(secret, &stage.mechanism)?.try_map(bits)?;
                (ledger, graph, Some(stage.mechanism.0.flip_probability()))
            }
            ListStage::HalfOfBits(stage) => {
                let mut ledger = stage.open(ledgers, noise)?;
                let graph = ledger.release_each(secret, &stage.mechanism)?.try_map(bits)?;
                (ledger, graph, Some(stage.mechanism.0.0.flip_probability()))
            }
        };
        // What a yes of the graph means, by Bayes: post-processing.
        let ties = graph.map(|graph| {
            let confidence = flip.and_then(|flip| confidence(&graph, self.merge, flip));
            Ties { graph, confidence }
        });
        Ok(ties.protected(&ledger)?)
    }
}

impl ListRandomizer {
    /// What suits its reports: those of randomised response must agree, those of DPRR are rows.
    pub fn usual_merge(self) -> Merge {
        match self {
            Self::Rr => Merge::And,
            Self::Dprr => Merge::Directed,
        }
    }
}
