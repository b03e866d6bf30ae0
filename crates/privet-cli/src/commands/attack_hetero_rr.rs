//! `privet attack linkteller` and `privet attack reconstruct`: what a curious client gets out of a served
//! model, and what a decoder gets out of reported features.

use std::sync::atomic::AtomicBool;

use privet::graph::{Dataset, DenseMatrix, Features};
use privet::hetero_rr::{EdgeProtection, Learner};
use privet_lab::attacks::largest_auc;
use privet_lab::attacks::linkteller::{LinkTeller, Truth};
use privet_lab::attacks::reconstruct::against_feature_rr;
use privet_lab::experiments::hetero_rr::{Experiment, Variant};

use super::trial::seeds;
use crate::args::{AttackLinkTeller, AttackReconstruct, Measuring};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::scored::{Also, Line, Scored};
use crate::source::Source;

/// An attack to try.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    attack: Attack,
}

#[derive(Debug)]
enum Attack {
    LinkTeller(AttackLinkTeller),
    Reconstruct(AttackReconstruct),
}

fn found(measuring: &Measuring, console: &Console) -> Result<Source> {
    seeds(measuring.seed, measuring.runs)?;
    Source::find(&measuring.dataset, measuring.reading.clone(), console)
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or a number makes no sense.
    pub fn link_teller(typed: AttackLinkTeller, console: &Console) -> Result<Self> {
        let source = found(&typed.measuring, console)?;
        Ok(Self { source, attack: Attack::LinkTeller(typed) })
    }

    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or a number makes no sense.
    pub fn reconstruct(typed: AttackReconstruct, console: &Console) -> Result<Self> {
        let source = found(&typed.measuring, console)?;
        Ok(Self { source, attack: Attack::Reconstruct(typed) })
    }

    /// Reads, attacks, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something.
    pub fn run(self, console: &Console) -> Result<()> {
        let (loaded, _) = self.source.load(console)?;
        let dataset = loaded.into_nodes()?;
        let scored = match &self.attack {
            Attack::LinkTeller(typed) => link_teller(typed, &dataset, console)?,
            Attack::Reconstruct(typed) => reconstruct(typed, &dataset)?,
        };
        console.answer(&scored)
    }
}

fn link_teller(typed: &AttackLinkTeller, dataset: &Dataset, console: &Console) -> Result<Scored> {
    let experiment = Experiment {
        dataset,
        share: typed.measuring.private_share,
        edges: EdgeProtection::new(typed.epsilon_edges),
        features: None,
        learner: Learner::default(),
    };
    let seeds = seeds(typed.measuring.seed, typed.measuring.runs)?;
    let variants = [
        (Variant::Published, "model on the published graph"),
        (Variant::Control, "model on noise with no private edge behind it"),
        (Variant::PublicOnly, "model on public edges"),
        (Variant::Ceiling, "unprotected model"),
    ];
    let bar = console.runs("attacking");
    bar.set_length((variants.len() * seeds.len()) as u64);
    let (mut matched, mut any) = (Vec::new(), Vec::new());
    for (variant, name) in variants {
        let mut scores = [Vec::new(), Vec::new()];
        for &seed in &seeds {
            let world = experiment.world(variant, seed)?;
            let split = experiment.split(seed)?;
            let gcn = experiment.train(&world, &split, seed, &AtomicBool::new(false))?;
            let attack = LinkTeller { probes: typed.probes, seed, ..LinkTeller::default() };
            let truth = Truth { public: &world.public, private: &world.private };
            let found = attack.attack(&gcn, &world.graph, &world.rows, truth)?;
            scores[0].push(found.matched.unwrap_or(0.5));
            scores[1].push(found.any.unwrap_or(0.5));
            bar.inc(1);
        }
        let [like, unlike] = scores;
        matched.push(Line { name: name.into(), scores: like });
        any.push(Line { name: name.into(), scores: unlike });
    }
    bar.finish_and_clear();
    Ok(Scored {
        title: format!(
            "LinkTeller on {}: private edges at epsilon {}",
            dataset.name(),
            typed.epsilon_edges
        ),
        metric: "AUC, pairs alike",
        seeds,
        lines: matched,
        also: Some(Also { metric: "AUC, any pairs", lines: any }),
        largest: Some(largest_auc(typed.epsilon_edges)),
        notes: vec![
            "pairs alike: private edges against pairs with equally many public friends in common: what the \
             model gives away beyond what is public"
                .into(),
            "any pairs: as the attack's paper counts; friends of friends are linked more often, which \
             public edges tell"
                .into(),
        ],
        scores_are_simulated: true,
    })
}

fn reconstruct(typed: &AttackReconstruct, dataset: &Dataset) -> Result<Scored> {
    let features = dataset.features().ok_or_else(|| {
        Failure::usage("there are no features to reconstruct")
            .hint("give them with --features FILE")
    })?;
    let raw = scaled(features)?;
    let seeds = seeds(typed.measuring.seed, typed.measuring.runs)?;
    let mut lines = ["reported features", "noise alone", "embedding in the clear"]
        .map(|name| Line { name: name.into(), scores: Vec::new() });
    for &seed in &seeds {
        let found = against_feature_rr(&raw, typed.epsilon_features, typed.width, seed)?;
        let found = [found.reported, found.noise_alone, found.clear];
        lines.iter_mut().zip(found).for_each(|(line, found)| line.scores.push(found.auc));
    }
    Ok(Scored {
        title: format!(
            "reconstruction of the features of {} from reports at epsilon {}",
            dataset.name(),
            typed.epsilon_features
        ),
        metric: "AUC, value above its column's mean",
        seeds,
        lines: lines.into(),
        also: None,
        largest: Some(largest_auc(typed.epsilon_features)),
        notes: vec![
            "columns differ in how often they are above their mean: read the first line beside the \
             second, which has nothing behind it"
                .into(),
        ],
        scores_are_simulated: true,
    })
}

/// Rows on [0, 1] by their declared range.
fn scaled(features: &Features) -> Result<DenseMatrix> {
    super::protect::public_scale(features)?;
    let (rows, columns) = (features.rows(), features.columns());
    let mut all = DenseMatrix::zeros(rows, columns);
    for row in 0..rows {
        for (column, value) in features.nonzero_entries(row) {
            all.row_mut(row)[column as usize] = value;
        }
    }
    Ok(all)
}
