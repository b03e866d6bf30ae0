//! `privet run hetero-rr`: a GCN on the published graph, beside its control, its ceiling, public edges
//! alone, and other mechanisms.

use std::sync::atomic::AtomicBool;

use privet::graph::Dataset;
use privet::hetero_rr::publish::Chain;
use privet::hetero_rr::{EdgeMethod, EdgeProtection, FeatureProtection, Learner};
use privet_lab::experiments::hetero_rr::{Experiment, Variant};

use super::trial::seeds;
use crate::args::RunHeteroRr;
use crate::console::Console;
use crate::failure::Result;
use crate::scored::{Line, Scored};
use crate::source::Source;

/// What to run on, and how.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    typed: RunHeteroRr,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or a number makes no sense.
    pub fn new(typed: RunHeteroRr, console: &Console) -> Result<Self> {
        seeds(typed.measuring.seed, typed.measuring.runs)?;
        let measuring = &typed.measuring;
        let source = Source::find(&measuring.dataset, measuring.reading.clone(), console)?;
        Ok(Self { source, typed })
    }

    /// Reads, measures, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something, or a setting makes no sense.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, _) = self.source.load(console)?;
        let dataset = loaded.into_nodes()?;
        let seeds = seeds(self.typed.measuring.seed, self.typed.measuring.runs)?;
        let chain = Chain::default();
        let method = self.typed.method.with(chain);
        let mut wanted = vec![(Variant::Published, method, "published".to_owned())];
        if self.typed.baselines {
            for (method, name) in [
                (EdgeMethod::PrivHrg(chain), "priv-hrg (unproven)"),
                (EdgeMethod::EdgeRand, "edge-rand"),
                (EdgeMethod::LapGraph, "lap-graph"),
            ] {
                wanted.push((Variant::Published, method, name.to_owned()));
            }
        }
        for variant in [Variant::Control, Variant::PublicOnly, Variant::Ceiling] {
            wanted.push((variant, method, variant.name().to_owned()));
        }
        let bar = console.runs("measuring");
        bar.set_length((wanted.len() * seeds.len()) as u64);
        let mut lines = Vec::new();
        for (variant, method, name) in wanted {
            let experiment = self.experiment(&dataset, method);
            let mut scores = Vec::new();
            for &seed in &seeds {
                scores.push(experiment.run(variant, seed, &AtomicBool::new(false))?.test);
                bar.inc(1);
            }
            lines.push(Line { name, scores });
        }
        bar.finish_and_clear();
        console.answer(&self.scored(&dataset, lines, seeds))
    }

    fn experiment<'a>(&self, dataset: &'a Dataset, method: EdgeMethod) -> Experiment<'a> {
        let mut edges = EdgeProtection::new(self.typed.epsilon_edges);
        edges.tree.start = self.typed.tree.into();
        edges.wiring = self.typed.wiring.into();
        Experiment {
            dataset,
            share: self.typed.measuring.private_share,
            edges: EdgeProtection { method, delta: 1e-6, ..edges },
            features: self.typed.epsilon_features.map(FeatureProtection::new),
            learner: Learner::default(),
        }
    }

    fn scored(&self, dataset: &Dataset, lines: Vec<Line>, seeds: Vec<u64>) -> Scored {
        let typed = &self.typed;
        let features = match typed.epsilon_features {
            Some(epsilon) => format!("features at epsilon {epsilon}"),
            None => "features public".into(),
        };
        Scored {
            title: format!(
                "HeteroRR on {}: {} of the edges private at epsilon {}, {features}",
                dataset.name(),
                crate::style::percent(typed.measuring.private_share),
                typed.epsilon_edges
            ),
            metric: "test accuracy",
            seeds,
            lines,
            also: None,
            largest: None,
            notes: vec![
                "not protected: labels, node ids, public edges".into(),
                "what does not beat public-only has not used its budget".into(),
            ],
            scores_are_simulated: true,
        }
    }
}
