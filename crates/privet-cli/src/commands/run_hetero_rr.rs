//! `privet run hetero-rr`: a GCN on the published graph, beside its control, its ceiling, public edges
//! alone, and other mechanisms.

use std::path::Path;

use privet::Run;
use privet::data::formats::write::{Overwrite, write};
use privet::doubts::Terms;
use privet::graph::{Dataset, Fact, Loaded};
use privet::hetero_rr::publish::Chain;
use privet::hetero_rr::{EdgeProtection, FeatureProtection};
use privet::privacy::{Card, Loss};
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::trial::{Data, Variant};

use super::trial::Measuring;
use crate::args::RunHeteroRr;
use crate::console::Console;
use crate::failure::{Failure, Kind, Result};
use crate::source::Source;
use privet::protect::public_scale;

/// What to run on, and how.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    share: f64,
    edges: EdgeProtection,
    features: Option<FeatureProtection>,
    baselines: bool,
    measuring: Measuring,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, a number makes no sense, or something is in the way.
    pub fn new(typed: RunHeteroRr, console: &Console) -> Result<Self> {
        if typed.trial.output.is_some() && typed.trial.seed.is_none() && typed.private_share < 1.0 {
            let message =
                "-o: refused: which edges are private is drawn by lot here, from all of them";
            let hint = "publish what is private with `privet publish --private-edges FILE`, call all edges \
                        private with --private-share 1, or make a simulation with --seed";
            return Err(Failure::new(Kind::Refused, message).hint(hint));
        }
        let mut edges = EdgeProtection::new(typed.epsilon_edges);
        edges.tree.start = typed.tree.into();
        edges.wiring = typed.wiring.into();
        (edges.method, edges.delta) = (typed.method.with(Chain::default()), 1e-6);
        Ok(Self {
            share: typed.private_share,
            edges,
            features: typed.epsilon_features.map(FeatureProtection::new),
            baselines: typed.baselines,
            measuring: Measuring::new(&typed.trial)?,
            source: Source::find(&typed.dataset, typed.reading, console)?,
        })
    }

    /// Reads, measures, releases if wanted, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something, a setting makes no sense, or the result cannot be
    /// written.
    pub fn run(self, console: &Console) -> Result<()> {
        let dataset = self.source.load(console)?.0.into_nodes()?;
        let on_whose_word = self.questions(&dataset)?;
        let baselines = match self.baselines {
            true => vec![Variant::PrivHrg, Variant::EdgeRand, Variant::LapGraph],
            false => Vec::new(),
        };
        let trial = HeteroRrTrial {
            edges: self.edges,
            features: self.features.clone(),
            baselines,
            ..HeteroRrTrial::new(Data::new(dataset.name(), &dataset), self.share)
        };
        self.measuring
            .run(console, &trial, |run, folder| release(&trial, run, &on_whose_word, folder))
    }

    /// What the card of a release must repeat.
    fn questions(&self, dataset: &Dataset) -> Result<Vec<String>> {
        if let (Some(_), Some(features)) = (&self.features, dataset.features()) {
            public_scale(features)?;
        }
        let mut asked = vec![self.edges.limit()?];
        if let Some(how) = &self.features {
            asked.push(Loss::new(how.epsilon, how.settings.delta.unwrap_or(0.0))?);
        }
        let people = dataset.graph().node_count();
        let terms: Vec<Terms> = asked.iter().map(|&asked| Terms::once(people, asked)).collect();
        let shown: &[Fact] = match self.features {
            Some(_) => &[Fact::Ids, Fact::Columns],
            None => &[Fact::Ids],
        };
        self.measuring.questions(&terms, || dataset.require_public(shown))
    }
}

/// Publishes once for real, and learns from what was published.
fn release(
    trial: &HeteroRrTrial<'_>,
    run: &Run<'_>,
    on_whose_word: &[String],
    folder: &Path,
) -> Result<Card> {
    let (published, gcn, card) = trial.release(run)?;
    let graph = folder.join("published.npz");
    write(&Loaded::Nodes(published), &graph, None, Overwrite::Refuse)?;
    gcn.save(&folder.join("model.safetensors"))?;
    Ok(on_whose_word.iter().cloned().fold(card, Card::with_unprotected))
}
