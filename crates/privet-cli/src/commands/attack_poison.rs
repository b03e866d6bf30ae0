//! `privet attack poison`: made-up reports in training graphs, and what defences win back.

use std::path::PathBuf;

use privet::dprr::{Defence, GraphLearner, Method, Poisoning, Reading, Setting, SplitRule};
use privet_lab::experiments::dprr::Case;
use privet_lab::experiments::dprr::poisoned::compare;

use super::dprr_data::Graphs;
use super::trial::{seeds, typed_command, under_a_bar, write_html};
use crate::args::AttackPoison;
use crate::classified::Attacked;
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
        let case = Case {
            learner: self.learner.clone(),
            ..Case::new(&self.dataset, &set, Method::Dprr, setting).reading(self.reports)
        };
        let poisoned = under_a_bar(console, |stop, tell| {
            compare(&case, self.poisoning, &self.defences, &self.seeds, stop, tell)
        })?;
        let report = poisoned.report(&case, &typed_command());
        let html = self.html.as_deref().map(|path| write_html(path, &report)).transpose()?;
        let verdict = poisoned.verdict();
        let (dataset, seeds) = (self.dataset, self.seeds);
        let written = Written { release: None, html };
        console.answer(&Attacked { dataset, seeds, poisoned, verdict, written, report })
    }
}
