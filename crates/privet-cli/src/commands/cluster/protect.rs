//! `privet cluster run protect`: what `privet protect` does, by several processes.
//!
//! Worker 0 does all that `privet protect` does, but that the others draw for their own people; those read the data, draw
//! with what worker 0 permits, and write nothing.

use privet::LedgerStore;
use privet::protect::Terms;
use privet_cluster::Exchange;
use privet_cluster::jobs::randomize::Together;
use privet_cluster::session::Keeping;

use super::{Answered, Shared, Stopped, die_if_asked, source};
use crate::args::{Named, Protect, Reading};
use crate::commands::protect::{Job, Releasing, budgets, check};
use crate::failure::{Failure, Result};
use crate::output::console::Console;

/// This process's part of the release.
pub(super) enum Share {
    Leads(Box<Releasing>),
    Follows { input: Named, reading: Box<Reading>, job: Box<Job> },
}

impl Share {
    /// Refuses what would fail only after the budget is spent.
    pub fn new(
        typed: &Protect,
        chief: bool,
        keeping: Option<&Keeping>,
        console: &Console,
    ) -> Result<Self> {
        if keeping.is_some() {
            let message =
                "a release has no checkpoint: a permission to draw must not be used twice";
            return Err(Failure::usage(message).hint("leave out --checkpoint"));
        }
        check(typed)?;
        let spending = typed.spending();
        let Some(input) = &spending.input else {
            let message = "several workers read data that is named, not a project";
            return Err(
                Failure::usage(message).hint("name a file or folder, or use privet protect")
            );
        };
        let terms = Terms { budgets: budgets(spending)?, ..Terms::alike(spending.epsilon) };
        let (job, reading) = (Job::new(typed, terms)?, spending.reading.clone());
        job.check_parts()?;
        if chief {
            crate::commands::project::meant(Some(input), console)?;
            return Ok(Self::Leads(Box::new(Releasing::new(typed, input, console)?)));
        }
        Ok(Self::Follows { input: input.clone(), reading: Box::new(reading), job: Box::new(job) })
    }

    /// What all processes must agree on.
    pub fn described(&self) -> serde_json::Value {
        match self {
            Self::Leads(release) => release.job().described(),
            Self::Follows { job, .. } => job.described(),
        }
    }

    /// The accounts that are charged, by whoever charges them.
    pub fn ledgers(&self) -> Option<&LedgerStore> {
        match self {
            Self::Leads(release) => Some(release.ledgers()),
            Self::Follows { .. } => None,
        }
    }

    pub fn run(self, shared: Shared, exchange: &mut Exchange) -> Result<Answered, Stopped> {
        let (console, me) = (shared.console, exchange.index());
        let watch = |turn: usize| die_if_asked(me, turn);
        match self {
            Self::Leads(release) => {
                let answer = release.run(&console, |job, dataset, run| {
                    let mut together = Together::begin(&dataset, exchange, watch)?;
                    Ok::<_, Stopped>(job.run(dataset, run, &mut together)?)
                })?;
                // The others wait until all is written.
                exchange.all_hear(&[])?;
                Ok(Answered::Released(Box::new(answer)))
            }
            Self::Follows { input, reading, job } => {
                let dataset = shared.load(&source(&input, &reading, &console)?)?;
                let mut together = Together::begin(&dataset, exchange, watch)?;
                job.assist(&dataset, &mut together)?;
                let people = together.people();
                exchange.all_hear(&[])?;
                Ok(Answered::Helped { people })
            }
        }
    }
}
