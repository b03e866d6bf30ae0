//! [`EvaluationOutput`]: how good a model is, between what, and what it cost to know.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;

use privet::model::Model;
use privet::privacy::Card;
use privet::project::evaluate::{ByClass, Control};
use privet::project::{ChosenMethod, Evaluation, ProjectStatus};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::protect::{write_promises, write_unprotected};
use crate::output::style::{FAINT, GOOD, NOTE, STRONG, count, percent, printable, real};

/// What `privet evaluate` found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EvaluationOutput {
    /// The figures.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// How the project stands afterwards, if something could be charged.
    pub project: Option<ProjectStatus>,
}

impl EvaluationOutput {
    /// What was found, and how the project stands.
    pub fn new(evaluation: Evaluation, project: Option<ProjectStatus>) -> Self {
        Self { evaluation, project }
    }
}

impl Answer for EvaluationOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Evaluation { accuracy, control, by_class, tested, of, card, how, .. } =
            &self.evaluation;
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
        if let Some(by_class) = by_class {
            write_by_class(by_class, out)?;
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
                    writeln!(
                        out,
                        "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection"
                    )?;
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

/// More classes than fit into a table on a screen.
const MOST_SHOWN: usize = 12;

/// What else the same counts say, and the counts.
fn write_by_class(by_class: &ByClass, out: &mut dyn Write) -> io::Result<()> {
    let named = [
        ("balanced accuracy", by_class.balanced_accuracy),
        ("macro F1", by_class.macro_f1),
        ("AUC", by_class.auc),
    ];
    let said: Vec<String> = named
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name} {}", percent(value?))))
        .collect();
    writeln!(out, "  {}", said.join(", "))?;
    write_confusion(&by_class.classes, &by_class.confusion, out)
}

/// Counts by true class (a row) and predicted class; none of them where there are many classes.
///
/// # Errors
/// If it cannot be written.
pub(crate) fn write_confusion<C: Display>(
    classes: &[String],
    counts: &[Vec<C>],
    out: &mut dyn Write,
) -> io::Result<()> {
    if classes.len() > MOST_SHOWN {
        return writeln!(out, "  ({} classes: the matrix is in the JSON)", classes.len());
    }
    let cells = counts.iter().flatten().map(|count| count.to_string().len());
    let width = cells.max().unwrap_or(0).max(5);
    for (class, row) in classes.iter().zip(counts) {
        let counts: String = row.iter().map(|count| format!(" {count:>width$}")).collect();
        writeln!(out, "  {counts}  are {}", printable(class))?;
    }
    let answers: Vec<String> = classes.iter().map(|class| printable(class).to_string()).collect();
    writeln!(out, "  answered, from left to right: {}", answers.join(", "))
}

// `TrainedModel`: what `privet train` made.

/// A model in a folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrainedModel {
    /// The folder.
    pub model: String,
    /// What trained.
    pub method: &'static str,
    /// Why that.
    pub why: &'static str,
    /// Whether the noise came from a seed, so that there is no protection.
    pub simulation: bool,
    /// Whether `privet evaluate` costs nothing here.
    pub evaluation_is_free: bool,
    /// What to give `privet predict` beside the model.
    #[serde(skip)]
    pub usage: &'static str,
    /// What travels with it.
    pub card: Card,
}

/// What to give `privet predict` beside a model.
pub fn how_to_use(model: &Model) -> &'static str {
    match model {
        Model::People(_) => "NEW.csv -o predictions.csv",
        Model::Pairs(_) => "--pairs PAIRS.csv:source:target -o scores.csv",
        Model::Graphs(_) => "NEW.csv --edges CONTACTS.csv:source:target -o predictions.csv",
    }
}

impl TrainedModel {
    /// A model that was just written.
    pub fn new(
        folder: &Path,
        chosen: ChosenMethod,
        evaluation_is_free: bool,
        usage: &'static str,
        card: Card,
    ) -> Self {
        let (method, why) = (chosen.method.name(), chosen.why);
        let (model, simulation) = (folder.display().to_string(), card.is_simulation());
        Self { model, method, why, simulation, evaluation_is_free, usage, card }
    }
}

impl Answer for TrainedModel {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(&self.model))?;
        write_promises(out, &self.card, |out, _, guarantee| {
            writeln!(out, "  charged to the project, whose limit is {}", guarantee.limit)
        })?;
        write_unprotected(out, &self.card)?;
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")?;
        }
        let model = printable(&self.model);
        writeln!(out, "{FAINT}use it: privet predict {model} {}{FAINT:#}", self.usage)?;
        let price = if self.evaluation_is_free { "" } else { " --epsilon 0.2" };
        writeln!(out, "{FAINT}how good it is: privet evaluate {model}{price}{FAINT:#}")
    }
}
