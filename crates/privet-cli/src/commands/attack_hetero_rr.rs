//! `privet attack linkteller` and `privet attack reconstruct`: what a curious client gets out of a served
//! model, and what a decoder gets out of reported features.

use privet::hetero_rr::EdgeProtection;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::hetero_rr::attacked::{link_teller, reconstruct};
use privet_lab::experiments::trial::Data;

use super::trial::{measured, seeds, typed_command, write_html};
use crate::args::{AttackLinkTeller, AttackReconstruct, AttackedData};
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::refuse_existing;
use crate::simulated::Written;
use crate::source::Source;

/// An attack to try.
#[derive(Debug)]
pub struct Plan {
    source: Source,
    on: AttackedData,
    seeds: Vec<u64>,
    attack: Attack,
}

#[derive(Debug)]
enum Attack {
    LinkTeller { epsilon: f64, probes: usize },
    Reconstruct { epsilon: f64, width: usize },
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or a number makes no sense.
    pub fn link_teller(typed: AttackLinkTeller, console: &Console) -> Result<Self> {
        let AttackLinkTeller { epsilon_edges: epsilon, probes, on } = typed;
        Self::new(Attack::LinkTeller { epsilon, probes }, on, console)
    }

    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, or a number makes no sense.
    pub fn reconstruct(typed: AttackReconstruct, console: &Console) -> Result<Self> {
        let AttackReconstruct { epsilon_features: epsilon, width, on } = typed;
        Self::new(Attack::Reconstruct { epsilon, width }, on, console)
    }

    fn new(attack: Attack, on: AttackedData, console: &Console) -> Result<Self> {
        let seeds = seeds(on.seed, on.runs)?;
        if let Some(path) = &on.html {
            refuse_existing(path, "name another file")?;
        }
        let source = Source::find(&on.dataset, on.reading.clone(), console)?;
        Ok(Self { source, on, seeds, attack })
    }

    /// Reads, attacks, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read or lacks something.
    pub fn run(self, console: &Console) -> Result<()> {
        let dataset = self.source.load(console)?.0.into_nodes()?;
        let data = Data::new(dataset.name(), &dataset);
        let cells = self.on.finished.cells.as_deref();
        let found = match self.attack {
            Attack::LinkTeller { epsilon, probes } => {
                let edges = EdgeProtection::new(epsilon);
                let trial =
                    HeteroRrTrial { edges, ..HeteroRrTrial::new(data, self.on.private_share) };
                measured(console, cells, "attack linkteller", |sweep| {
                    link_teller(trial, probes, &self.seeds, sweep)
                })?
            }
            Attack::Reconstruct { epsilon, width } => {
                let features = dataset.features().ok_or_else(|| {
                    Failure::usage("there are no features to reconstruct")
                        .hint("give them with --features FILE")
                })?;
                privet::protect::public_scale(features)?;
                measured(console, cells, "attack reconstruct", |sweep| {
                    reconstruct(data, epsilon, width, &self.seeds, sweep)
                })?
            }
        };
        let report = found.report(&typed_command());
        let html = self.on.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        console.answer(&Attacked { found, written: Written { release: None, html }, report })
    }
}
