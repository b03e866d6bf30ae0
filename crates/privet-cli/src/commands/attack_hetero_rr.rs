//! `privet attack linkteller` and `privet attack reconstruct`: what a curious client gets out of a served
//! model, and what a decoder gets out of reported features.

use privet::hetero_rr::EdgeProtection;
use privet::protect::public_scale;
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::hetero_rr::attacked::{self, link_teller, reconstruct};
use privet_lab::experiments::trial::Data;

use super::trial::{measured, seeds, typed_command, write_html};
use crate::args::{AttackLinkTeller, AttackReconstruct, AttackedData};
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::refuse_existing;
use crate::simulated::Written;
use crate::source::Source;

/// Changes nodes one by one and watches a served model.
pub(super) fn probe(typed: AttackLinkTeller, console: &Console) -> Result<()> {
    let AttackLinkTeller { epsilon_edges, probes, on } = typed;
    let edges = EdgeProtection::new(epsilon_edges);
    attack(&on, console, |data, seeds| {
        let trial = HeteroRrTrial { edges, ..HeteroRrTrial::new(data, on.private_share) };
        measured(console, on.finished.cells.as_deref(), "attack linkteller", |sweep| {
            link_teller(trial, probes, seeds, sweep)
        })
    })
}

/// Rebuilds raw features from reported ones.
pub(super) fn rebuild(typed: AttackReconstruct, console: &Console) -> Result<()> {
    let AttackReconstruct { epsilon_features: epsilon, width, on } = typed;
    attack(&on, console, |data, seeds| {
        let features = data.dataset.features().ok_or_else(|| {
            Failure::usage("there are no features to reconstruct")
                .hint("give them with --features FILE")
        })?;
        public_scale(features)?;
        measured(console, on.finished.cells.as_deref(), "attack reconstruct", |sweep| {
            reconstruct(data, epsilon, width, seeds, sweep)
        })
    })
}

/// Reads, attacks, and says what came of it.
///
/// # Errors
/// If a name is unknown, something is in the way, or the data cannot be read or lacks something.
fn attack(
    on: &AttackedData,
    console: &Console,
    find: impl FnOnce(Data<'_>, &[u64]) -> Result<attacked::Attacked>,
) -> Result<()> {
    let seeds = seeds(on.seed, on.runs)?;
    if let Some(path) = &on.html {
        refuse_existing(path, "name another file")?;
    }
    super::project::refuse_table(&on.dataset)?;
    let source = Source::find(&on.dataset, on.reading.clone(), console)?;
    let dataset = source.load(console)?.0.into_nodes()?;
    let found = find(Data::new(dataset.name(), &dataset), &seeds)?;
    let report = found.report(&typed_command());
    let html = on.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
    console.answer(&Attacked { found, written: Written { release: None, html }, report })
}
