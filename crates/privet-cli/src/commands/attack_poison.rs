//! `privet attack poison`: made-up reports in training graphs, and what defences win back.

use std::path::PathBuf;

use privet::dprr::{Defence, GraphLearner, Method, Poisoning, Reading, Setting, SplitRule};
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::dprr::poisoned::compare;
use privet_lab::experiments::trial::Data;
use serde_json::json;

use super::dprr_data::Graphs;
use super::trial::{measured, seeds, typed_command, write_html};
use crate::args::AttackPoison;
use crate::compared::Attacked;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::output::refuse_existing;
use crate::simulated::Written;

/// An attack to try.
#[derive(Debug)]
pub struct Plan {
    graphs: Graphs,
    dataset: String,
    epsilon: f64,
    poisoning: Poisoning,
    defences: [Defence; 3],
    reports: Reading,
    learner: GraphLearner,
    seeds: Vec<u64>,
    cells: Option<PathBuf>,
    html: Option<PathBuf>,
}

impl Plan {
    /// Finds out what is meant.
    ///
    /// # Errors
    /// If a name is unknown, a number makes no sense, or something is in the way.
    pub fn new(typed: AttackPoison, console: &Console) -> Result<Self> {
        let poisoning = Poisoning { attack: typed.chosen()?, share: typed.beta };
        poisoning.apply(&mut [], &mut [], &[], 0)?;
        let seeds = seeds(typed.seed, typed.runs)?;
        if !(typed.theta > 0.0 && typed.theta < 1.0) {
            let message =
                format!("--theta: found {}, expected a share between 0 and 1", typed.theta);
            return Err(Failure::usage(message));
        }
        SplitRule::default().mechanism(typed.epsilon, 1000)?;
        if let Some(path) = &typed.html {
            refuse_existing(path, "name another file")?;
        }
        let (theta, usual_degree) = (typed.theta, typed.usual_degree);
        let defences = [
            Defence::None,
            Defence::Threshold { theta },
            Defence::Handshake { theta, usual_degree },
        ];
        Ok(Self {
            graphs: Graphs::find(&typed.dataset, typed.reading, console)?,
            dataset: typed.dataset,
            epsilon: typed.epsilon,
            poisoning,
            defences,
            reports: typed.reports.into(),
            learner: typed.learner.learner(),
            seeds,
            cells: typed.finished.cells,
            html: typed.html,
        })
    }

    /// Reads, attacks, defends, and says what came of it.
    ///
    /// # Errors
    /// If the data cannot be read, or a run fails.
    pub fn run(self, console: &Console) -> Result<()> {
        let set = self.graphs.load(console)?;
        let setting = Setting::Common { epsilon: self.epsilon };
        let data = Data::new(&self.dataset, &set);
        let trial = DprrTrial {
            learner: self.learner.clone(),
            ..DprrTrial::new(data, Method::Dprr, setting).reading(self.reports)
        };
        let poisoned = measured(console, self.cells.as_deref(), "attack poison", |sweep| {
            compare(&trial, self.poisoning, &self.defences, &self.seeds, sweep)
        })?;
        let report = poisoned.report(&trial, &typed_command());
        let html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        let mut found = json!(poisoned);
        found["dataset"] = json!(self.dataset);
        found["seeds"] = json!(self.seeds);
        found["verdict"] = json!(poisoned.verdict());
        console.answer(&Attacked { found, written: Written { release: None, html }, report })
    }
}
