//! [`Evaluated`]: how good a model is, between what, and what it cost to know.

use std::io::{self, Write};

use privet::project::evaluate::Control;
use privet::project::{Evaluation, Status};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{NOTE, STRONG, count, percent, printable, real};

/// What `privet evaluate` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluated {
    /// The figures.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// How the project stands afterwards, if something could be charged.
    pub project: Option<Status>,
}

impl Evaluated {
    /// What was found, and how the project stands.
    pub fn new(evaluation: Evaluation, project: Option<Status>) -> Self {
        Self { evaluation, project }
    }
}

impl Answer for Evaluated {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Evaluation { accuracy, control, tested, of, card, how, .. } = &self.evaluation;
        writeln!(
            out,
            "{STRONG}accuracy{STRONG:#} {} (95 % sure: {} to {})",
            percent(accuracy.value),
            percent(accuracy.low),
            percent(accuracy.high)
        )?;
        if let Some(Control { answers, accuracy }) = control {
            writeln!(
                out,
                "{STRONG}control{STRONG:#}  {} (95 % sure: {} to {}): {}",
                percent(accuracy.value),
                percent(accuracy.low),
                percent(accuracy.high),
                printable(answers)
            )?;
        }
        // People in a file of their own were not set aside.
        let aside = if self.project.is_some() { " set aside" } else { "" };
        writeln!(out, "  {} {of}{aside}; {how}", count(*tested as u64))?;
        match card {
            None => writeln!(out, "  nothing was charged")?,
            Some(card) => {
                for guarantee in &card.guarantees {
                    let stated = guarantee.stated().to_string();
                    writeln!(
                        out,
                        "  all releases of this project so far, this one included: {}",
                        printable(&stated)
                    )?;
                }
                if card.is_simulation() {
                    writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed protects nobody")?;
                }
            }
        }
        for line in
            self.project.iter().filter(|_| card.is_some()).flat_map(|status| &status.relations)
        {
            writeln!(
                out,
                "  left of the budget ({}): epsilon {}",
                line.relation,
                real(line.left_epsilon)
            )?;
        }
        Ok(())
    }
}
