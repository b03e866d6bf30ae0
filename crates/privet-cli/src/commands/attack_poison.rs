//! `privet attack poison`: made-up reports in training graphs, and what defences win back.

use privet::dprr::{Defence, DprrMethod, GraphLearner, Poisoning, Setting, SplitRule};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::dprr::poisoned::compare;
use privet_lab::experiments::trial::Data;
use serde_json::json;

use super::people::graphs;
use super::trial::{measured, seeds, typed_command, write_html};
use crate::args::AttackPoison;
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::Result;
use crate::output::refuse_existing;
use crate::simulated::Written;

/// Attacks, defends, and says what came of it.
///
/// # Errors
/// If a number makes no sense, something is in the way, the data cannot be read, or a run fails.
pub(super) fn run(typed: AttackPoison, console: &Console) -> Result<()> {
    let poisoning = Poisoning { attack: typed.chosen()?, share: typed.beta };
    poisoning.check()?;
    let seeds = seeds(typed.seed, typed.runs)?;
    let (theta, usual_degree) = (typed.theta, typed.usual_degree);
    let defences =
        [Defence::None, Defence::Threshold { theta }, Defence::Handshake { theta, usual_degree }];
    defences.iter().try_for_each(|defence| defence.check())?;
    let learner = typed.learner.over(GraphLearner::default())?;
    SplitRule::default().mechanism(typed.epsilon, 1000)?;
    if let Some(path) = &typed.html {
        refuse_existing(path, "name another file")?;
    }
    let set = graphs(&typed.dataset, typed.reading, &[], console)?;
    let setting = Setting::Common { epsilon: typed.epsilon };
    let data = Data::new(&typed.dataset, &set);
    let trial = DprrTrial::new(data, DprrMethod::Dprr, setting).reading(typed.reports);
    let trial = DprrTrial { learner, ..trial };
    let poisoned = measured(console, typed.finished.cells.as_deref(), "attack poison", |sweep| {
        compare(&trial, poisoning, &defences, &seeds, sweep)
    })?;
    let report = poisoned.report(&trial, &typed_command());
    let html = typed.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
    let mut found = json!(poisoned);
    found["dataset"] = json!(&*typed.dataset);
    found["seeds"] = json!(seeds);
    found["verdict"] = json!(poisoned.verdict());
    console.answer(&Attacked { found, written: Written { release: None, html }, report })
}
