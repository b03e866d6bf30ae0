//! [`Standing`]: `privet status` for people: a bar for every relation, a line for every charge; and a page of the same.

use std::io::{self, Write};

use privet::project::ProjectStatus;
use privet::project::status::{ChargeStatus, RelationSpending};
use privet_lab::report::{Block, Cell, Page, Section, Table};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{
    ACCENT, BAD, FAINT, NOTE, STRONG, counted, printable, real, scientific,
};

/// How a project stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Standing(pub ProjectStatus);

/// How many letters a bar has.
const WIDTH: usize = 32;

impl Answer for Standing {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let status = &self.0;
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {FAINT}{}{FAINT:#}",
            printable(&status.name),
            printable(&status.root.display().to_string())
        )?;
        if let Some(audience) = &status.audience {
            writeln!(out, "released to: {}", printable(audience))?;
        }
        for line in &status.relations {
            writeln!(out, "\n{STRONG}hides{STRONG:#} {}", line.hides.join(", and "))?;
            let (full, rest) = bar(line);
            let style = if line.left_epsilon > 0.0 { ACCENT } else { BAD };
            writeln!(
                out,
                "  {style}{full}{style:#}{FAINT}{rest}{FAINT:#} epsilon {} of {} spent, {} left  {FAINT}({}, delta {}){FAINT:#}",
                real(line.spent_epsilon),
                real(line.limit.epsilon.get()),
                real(line.left_epsilon),
                line.relation,
                scientific(line.limit.delta.get())
            )?;
            if let Some(words) = limit_in_file(line) {
                writeln!(out, "  {BAD}{words}{BAD:#}")?;
            }
            for stated in &line.also {
                let stated = stated.clone().rounded().to_string();
                writeln!(
                    out,
                    "  for a connection, which stands in two lists: {}",
                    printable(&stated)
                )?;
            }
        }
        writeln!(out)?;
        if status.charges.is_empty() {
            writeln!(out, "nothing was released yet")?;
        }
        for charge in &status.charges {
            writeln!(out, "{}", told(charge))?;
            if charge.simulation {
                writeln!(
                    out,
                    "    {NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection"
                )?;
            }
        }
        if status.removed > 0 {
            writeln!(
                out,
                "{} removed; what was released before stays released",
                counted(status.removed, "person was", "people were")
            )?;
        }
        match status.watched_from_outside {
            true => Ok(()),
            false => writeln!(
                out,
                "{NOTE}note:{NOTE:#} nothing outside of this folder counts its charges (set PRIVET_STATE_DIR or HOME), so an older \
                 copy of it would not be noticed"
            ),
        }
    }
}

/// That `privet.toml` was edited, and what follows.
fn limit_in_file(line: &RelationSpending) -> Option<String> {
    let stated = line.stated?;
    Some(format!(
        "privet.toml says epsilon {}, delta {}, but the ledgers were made for epsilon {}, delta {}: nothing is charged \
         until it says that again",
        real(stated.epsilon.get()),
        scientific(stated.delta.get()),
        real(line.limit.epsilon.get()),
        scientific(line.limit.delta.get())
    ))
}

fn bar(line: &RelationSpending) -> (String, String) {
    let share = (line.spent_epsilon / line.limit.epsilon.get()).clamp(0.0, 1.0);
    // What was spent is never rounded down to nothing.
    let full = ((share * WIDTH as f64).ceil() as usize).min(WIDTH);
    ("█".repeat(full), "░".repeat(WIDTH - full))
}

fn told(charge: &ChargeStatus) -> String {
    let ChargeStatus { mechanism, entry, spent_epsilon, protects, release, .. } = charge;
    let spent = real(*spent_epsilon);
    let name = protects.name();
    match release {
        Some(past) => format!(
            "  {}  {mechanism} ({name} {entry}, epsilon {spent} by then)\n    {}\n    -> {}",
            past.when,
            printable(&past.command),
            printable(&past.to.display().to_string())
        ),
        None => format!(
            "  {mechanism} ({name} {entry}, epsilon {spent} by then)\n    charged, and nothing came of it: the command that made it was interrupted"
        ),
    }
}

/// The same as a page of its own, in the look of all reports.
pub fn page(status: &ProjectStatus) -> String {
    let page = Page {
        title: format!("{}: what was spent", status.name),
        answer: answer(status),
        promise: status.audience.as_ref().map(|audience| format!("Released to: {audience}.")),
        simulation: status.charges.iter().any(|charge| charge.simulation),
        sections: vec![
            Section::new("What is left", status.relations.iter().flat_map(left)),
            Section::new("What it was spent on", [charges(status)]),
        ],
    };
    page.html()
}

/// What a reader wants to know: how much is left.
fn answer(status: &ProjectStatus) -> String {
    let left = |line: &RelationSpending| {
        let (of, left) = (real(line.limit.epsilon.get()), real(line.left_epsilon));
        match line.left_epsilon > 0.0 {
            true => {
                format!("Epsilon {} of {of} is spent, {left} is left", real(line.spent_epsilon))
            }
            false => format!("All of epsilon {of} is spent: nothing more can be released"),
        }
    };
    match status.relations.as_slice() {
        [] => "Nothing is accounted for yet.".into(),
        [one] => left(one) + ".",
        all => {
            let told = |line: &RelationSpending| format!("{} ({})", left(line), line.relation);
            all.iter().map(told).collect::<Vec<_>>().join("; ") + "."
        }
    }
}

fn left(line: &RelationSpending) -> Vec<Block> {
    let (spent, of) = (line.spent_epsilon, line.limit.epsilon.get());
    let words = format!(
        "epsilon {} of {} spent, {} left ({}, delta {}). It hides {}.",
        real(spent),
        real(of),
        real(line.left_epsilon),
        line.relation,
        scientific(line.limit.delta.get()),
        line.hides.join(", and ")
    );
    let also = line.also.iter().map(|stated| {
        let stated = stated.clone().rounded();
        Block::Text(format!("For a connection, which stands in two lists: {stated}."))
    });
    let stated = limit_in_file(line).map(|words| Block::Text(format!("{words}.")));
    [Block::Meter { spent, of, words }].into_iter().chain(stated).chain(also).collect()
}

fn charges(status: &ProjectStatus) -> Block {
    if status.charges.is_empty() {
        return Block::Text("Nothing was released yet.".into());
    }
    let heads = ["when", "mechanism", "epsilon by then", "command", "where it went"];
    let mut table = Table::new("Every charge, in the order of the ledgers", heads);
    for charge in &status.charges {
        let (when, command, to) = match &charge.release {
            Some(past) => (past.when.clone(), past.command.clone(), past.to.display().to_string()),
            None => ("–".into(), "charged, and nothing came of it".into(), String::new()),
        };
        let name = charge.protects.name();
        table.push([
            when.into(),
            format!("{} ({name} {})", charge.mechanism, charge.entry).into(),
            Cell::number(charge.spent_epsilon),
            command.into(),
            to.into(),
        ]);
    }
    Block::Table(table)
}
