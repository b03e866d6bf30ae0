//! What can be asked of HeteroRR.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{PartialSettings, Request, RequestFields};
use crate::graph::Dataset;
use crate::hetero_rr::{EdgeProtection, EdgeUse, FeatureProtection, GcnLearner};
use crate::publish::listed_edges;
use crate::release::{HeteroRrRelease, PrivateChoice};
use crate::{Error, Facts, Result};

/// HeteroRR: what private edges become, and at which price.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct HeteroRrRequest {
    /// Privacy budget of each private edge (epsilon)
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub epsilon_edges: f64,
    /// Privacy budget of each row of features; without it they are public
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "EPSILON"))]
    pub epsilon_features: Option<f64>,
    /// Use of private edges: `votes` releases noisy counts of neighbours' classes; `graph` releases a graph with
    /// redrawn edges (options about trees)
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "USE", value_enum, default_value_t))]
    pub edges_as: EdgeUse,
    /// How edges are protected.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub edges: PartialSettings<EdgeProtection>,
    /// Measure the published graph, priv-hrg, edge-rand and lap-graph too, at the same epsilon
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub baselines: bool,
    /// Share of edges that is called private, drawn anew with every seed
    #[serde(default = "a_fifth")]
    #[cfg_attr(feature = "clap", arg(long, value_name = "RHO", default_value_t = a_fifth()))]
    #[cfg_attr(feature = "clap", arg(conflicts_with = "private_edges"))]
    pub private_share: f64,
    /// File with the edges that are private, as a file of edges lists them
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
    pub private_edges: Option<PathBuf>,
}

fn a_fifth() -> f64 {
    0.2
}

impl RequestFields for HeteroRrRequest {
    fn example() -> Self {
        Self {
            epsilon_edges: 1.0,
            epsilon_features: None,
            edges_as: EdgeUse::default(),
            edges: PartialSettings::all(&EdgeProtection::new(1.0)),
            baselines: false,
            private_share: a_fifth(),
            private_edges: None,
        }
    }

    fn validate(&self) -> Result<()> {
        let (share, expected) = (self.private_share, "a share from 0 to 1");
        Error::unless((0.0..=1.0).contains(&share), "private-share", share, expected)?;
        let edges = self.protection()?;
        let graph = self.edges_as == EdgeUse::Graph || self.baselines;
        if !graph && edges != EdgeProtection::new(self.epsilon_edges) {
            let reason = "private edges are votes here, and method, tree, wiring, ... are about a published graph";
            return Err(Error::request(
                "edges-as",
                reason,
                "say edges-as graph, or leave them out",
            ));
        }
        Ok(())
    }
}

impl Request for HeteroRrRequest {
    type Release = HeteroRrRelease;

    /// With a share of the edges private; those of a file need the data's ids ([`resolve_on`](Self::resolve_on)).
    fn resolve(&self, _: &Facts) -> Result<HeteroRrRelease> {
        self.validate()?;
        Ok(HeteroRrRelease {
            private: PrivateChoice::Share(self.private_share),
            edges_as: self.edges_as,
            edges: self.protection()?,
            features: self.epsilon_features.map(FeatureProtection::new),
            learner: GcnLearner::default(),
        })
    }
}

impl HeteroRrRequest {
    fn protection(&self) -> Result<EdgeProtection> {
        self.edges.over(EdgeProtection::new(self.epsilon_edges))
    }

    /// The system for this data. Reads the file of private edges, if one was named.
    ///
    /// # Errors
    /// Those of [`resolve`](Request::resolve), and of the file.
    pub fn resolve_on(&self, dataset: &Dataset) -> Result<HeteroRrRelease> {
        let release = self.resolve(&Facts::of(dataset))?;
        Ok(match &self.private_edges {
            None => release,
            Some(path) => {
                let private = PrivateChoice::Listed(listed_edges(path, dataset)?);
                HeteroRrRelease { private, ..release }
            }
        })
    }

    /// Refuses a release that protects people where the private edges are drawn from all of them.
    ///
    /// # Errors
    /// If there is no seed, which would make it a simulation.
    pub fn refuse_lot(&self, seed: Option<u64>) -> Result<()> {
        if self.private_edges.is_some() || self.private_share >= 1.0 || seed.is_some() {
            return Ok(());
        }
        Err(Error::Refused {
            message: "refused: which edges are private is drawn by lot here, from all of them"
                .into(),
            remedy: "list those that are (private-edges), call all edges private (private-share 1), or make a simulation \
                     (seed)",
        })
    }
}
