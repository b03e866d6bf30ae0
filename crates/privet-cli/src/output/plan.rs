//! [`PlannedAnswer`]: what to expect of every method, for people; [`CheckedAnswer`]: predictions beside the truth.

use std::io::{self, Write};

use privet::privacy::tradeoff::ATTACKER;
use privet_lab::plan::check::{CheckedPrediction, Predictions};
use privet_lab::plan::write_up::{assumptions, facts_line, hidden_line, range};
use privet_lab::plan::{Exposure, MethodPlan, PrivacyPlan};
use privet_lab::report::summary::{bytes, duration, plain};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{FAINT, GOOD, NOTE, STRONG, printable, wrapped};
use crate::output::table::{Align, TextCell, TextTable};

/// A plan, and the page that was written of it.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedAnswer {
    /// The plan.
    #[serde(flatten)]
    pub planned: PrivacyPlan,
    /// The page, if one was written.
    pub html: Option<String>,
}

impl PlannedAnswer {
    /// A plan.
    pub fn new(planned: PrivacyPlan, html: Option<String>) -> Self {
        Self { planned, html }
    }

    fn table(&self) -> TextTable {
        let epsilons = &self.planned.question.epsilons;
        let mut aligns = vec![Align::Left];
        aligns.extend(epsilons.iter().map(|_| Align::Right));
        aligns.extend([Align::Right, Align::Right, Align::Right]);
        let mut table = TextTable::new(aligns);
        let mut heads = vec![TextCell::styled("", FAINT)];
        heads.extend(
            epsilons
                .iter()
                .map(|epsilon| TextCell::styled(format!("epsilon {}", plain(*epsilon)), FAINT)),
        );
        heads.extend(
            ["no privacy", "noise only", "time, memory"].map(|head| TextCell::styled(head, FAINT)),
        );
        table.row(heads);
        table.heading(TextCell::styled("accuracy to expect, in percent (from to)", FAINT));
        for plan in &self.planned.methods {
            table.row(row(plan, epsilons.len()));
        }
        table.heading(TextCell::styled(format!("of 100 people, {ATTACKER} finds at most"), FAINT));
        for plan in self.planned.methods.iter().filter(|plan| !plan.free) {
            let found = |exposure: &Exposure| TextCell::new(exposure.found_of_100.to_string());
            let mut cells = vec![TextCell::styled(plan.method.name(), STRONG)];
            cells.extend(
                plan.points
                    .iter()
                    .map(|point| point.exposure.as_ref().map_or(TextCell::new("–"), found)),
            );
            table.row(cells);
        }
        table
    }
}

/// The widest line of a sentence.
const WIDTH: usize = 110;

fn row(plan: &MethodPlan, epsilons: usize) -> Vec<TextCell> {
    let mut cells = vec![TextCell::styled(plan.method.name(), STRONG)];
    match plan.points.as_slice() {
        // What costs nothing has no epsilon: said once.
        [only] if plan.free => {
            cells.push(TextCell::new(range(only.accuracy)));
            cells.extend((1..epsilons).map(|_| TextCell::new("")));
        }
        points => cells.extend(points.iter().map(|point| TextCell::new(range(point.accuracy)))),
    }
    for beside in [plan.ceiling, plan.control] {
        cells.push(TextCell::new(beside.map_or_else(String::new, range)));
    }
    let cost = format!("{}, {}", duration(plan.cost.seconds), bytes(plan.cost.bytes as u64));
    cells.push(TextCell::styled(if plan.free { String::new() } else { cost }, FAINT));
    cells
}

impl Answer for PlannedAnswer {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let question = &self.planned.question;
        writeln!(
            out,
            "{STRONG}plan for {}{STRONG:#}: {}",
            printable(&question.name),
            facts_line(&question.facts)
        )?;
        writeln!(out, "{}\n", hidden_line(question))?;
        self.table().write(out, 0)?;
        let advice = &self.planned.advice;
        writeln!(out)?;
        for line in wrapped(&advice.why, WIDTH) {
            writeln!(out, "{STRONG}{line}{STRONG:#}")?;
        }
        if let Some(command) = advice.choice.as_ref().and_then(|choice| choice.command.as_ref()) {
            writeln!(out, "  {GOOD}{command}{GOOD:#}")?;
        }
        writeln!(out)?;
        for plan in &self.planned.methods {
            writeln!(out, "{FAINT}{}: {}{FAINT:#}", plan.method.name(), plan.about)?;
        }
        for line in assumptions(&self.planned) {
            writeln!(out, "{FAINT}{line}{FAINT:#}")?;
        }
        if let Some(html) = &self.html {
            writeln!(out, "\npage: {}", printable(html))?;
        }
        Ok(())
    }
}

/// Predictions beside what was measured.
#[derive(Debug, Clone, Serialize)]
pub struct CheckedAnswer {
    /// Case by case.
    #[serde(flatten)]
    pub checked: Predictions,
    /// How many of the held-out cases lie within.
    pub covered: usize,
    /// How many there are.
    pub held_out: usize,
}

impl CheckedAnswer {
    /// What was compared.
    pub fn new(checked: Predictions) -> Self {
        let (covered, held_out) = checked.coverage();
        Self { checked, covered, held_out }
    }
}

impl Answer for CheckedAnswer {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "| benchmark | hidden | method | epsilon | predicted | width | measured | within | source |"
        )?;
        writeln!(out, "|---|---|---|---:|---:|---:|---:|---|---|")?;
        for held_out in [true, false] {
            let what = if held_out { "held out" } else { "calibrated on" };
            writeln!(out, "| *{what}* | | | | | | | | |")?;
            for case in self.checked.cases.iter().filter(|case| case.held_out == held_out) {
                write_case(out, case)?;
            }
        }
        writeln!(
            out,
            "\n{STRONG}within: {} of {} held-out cases{STRONG:#}",
            self.covered, self.held_out
        )?;
        for (known, of) in [
            ("facts alone", &self.checked.facts_alone),
            ("public and clear accuracy known", &self.checked.accuracies_known),
        ] {
            writeln!(
                out,
                "{STRONG}each benchmark left out, {known}{STRONG:#}: median width {:.1} points, {} of {} truths within ({} \
                 benchmarks); margin {:.3}, plans use {:.3}",
                100.0 * of.median_width,
                of.covered,
                of.cases,
                of.benchmarks,
                of.margin,
                of.used
            )?;
        }
        let margin = &self.checked.margin;
        let (now, used) = (100.0 * margin.now, 100.0 * margin.used);
        let note = if (now - used).abs() > 0.5 { " (NOT what these simulations say)" } else { "" };
        writeln!(
            out,
            "{NOTE}margin{NOTE:#}: {now:.1} points, from the worst cases of {} benchmarks; plans use {used:.1}{note}",
            margin.benchmarks
        )?;
        Ok(())
    }
}

fn write_case(out: &mut dyn Write, case: &CheckedPrediction) -> io::Result<()> {
    let of = &case.measured;
    let hidden = of.protects.iter().map(|what| what.name()).collect::<Vec<_>>().join(", ");
    writeln!(
        out,
        "| {} | {hidden} | {} | {} | {} | {:.0} | {:.1} | {} | {} |",
        of.benchmark,
        of.method.name(),
        of.epsilon,
        range(case.predicted),
        100.0 * case.predicted.width(),
        100.0 * of.accuracy,
        if case.covered() { "yes" } else { "**no**" },
        of.source,
    )
}
