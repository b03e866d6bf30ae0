//! [`CountOutput`]: answers with their intervals, and what they cost.

use std::io::{self, Write};
use std::path::PathBuf;

use privet::count::{CountAnswers, Estimate, GraphQuestion};
use privet::privacy::Card;
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::protect::{write_promises, write_unprotected};
use crate::output::style::{FAINT, GOOD, NOTE, count, printable};
use crate::output::table::{Align, TextCell, TextTable};

/// What `privet count` was told.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountOutput {
    /// The answers.
    #[serde(flatten)]
    pub answers: CountAnswers,
    /// What was written, if anything.
    pub files: Vec<String>,
    /// The account that was charged.
    pub ledger: String,
    /// Whether the noise came from a seed, so that there is no protection.
    pub simulation: bool,
    /// What is promised.
    pub card: Card,
}

impl CountOutput {
    /// Answers, and the account they were charged to.
    pub fn new(answers: CountAnswers, card: Card, files: Vec<String>, ledgers: &[PathBuf]) -> Self {
        let ledger = ledgers.first().map(|path| path.display().to_string()).unwrap_or_default();
        Self { answers, files, ledger, simulation: card.is_simulation(), card }
    }
}

impl Answer for CountOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = TextTable::new([Align::Left, Align::Right, Align::Right, Align::Right]);
        let title = |text: &str| TextCell::styled(text, FAINT);
        table.row(["counted", "about", "95 % sure: from", "to"].map(title));
        for answer in &self.answers.answers {
            for estimate in shown(answer.question, &answer.estimates) {
                let name = match answer.question {
                    GraphQuestion::Degrees => format!("degree {}", estimate.name),
                    _ => estimate.name.clone(),
                };
                table.row(line(name, estimate, |value| count(value as u64)));
            }
        }
        for estimate in &self.answers.derived {
            table.row(line(estimate.name.clone(), estimate, |value| format!("{value:.4}")));
        }
        table.write(out, 0)?;
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        let ledger = printable(&self.ledger);
        write_promises(out, &self.card, |out, _, guarantee| {
            writeln!(out, "  charged to {ledger}, limit {}", guarantee.limit)
        })?;
        write_unprotected(out, &self.card)?;
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")?;
        }
        Ok(())
    }
}

/// The first numbers of neighbours and every third of the others, until about no one has so many: JSON has all.
fn shown(question: GraphQuestion, estimates: &[Estimate]) -> Vec<&Estimate> {
    if question != GraphQuestion::Degrees {
        return estimates.iter().collect();
    }
    let last = estimates.iter().position(|estimate| estimate.value < 1.0);
    let all = estimates[..last.unwrap_or(estimates.len())].iter().enumerate();
    all.filter(|(at, _)| *at < 5 || at % 3 == 1).map(|(_, estimate)| estimate).collect()
}

fn line(name: String, estimate: &Estimate, written: impl Fn(f64) -> String) -> Vec<TextCell> {
    let numbers = [estimate.value, estimate.low, estimate.high];
    let cells = numbers.map(|number| TextCell::new(written(number)));
    [TextCell::new(printable(&name).to_string())].into_iter().chain(cells).collect()
}
