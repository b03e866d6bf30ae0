//! A report as Markdown, with plots as files beside it.

use std::fmt::{self, Write};

use super::escape::{fenced, markdown as safe};
use super::outline::{self, SIMULATION};
use super::table::CellText;
use super::{Block, Report, Table};

impl Report {
    /// The report as Markdown. Plots are named as [`Report::write`](Report::write) writes them.
    pub fn markdown(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_markdown(&mut out);
        out
    }

    fn write_markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "# {}\n", safe(&self.title))?;
        if self.is_simulation() {
            writeln!(out, "> # SIMULATION\n> **{SIMULATION}**\n")?;
        }
        writeln!(out, "**{}**\n", safe(&self.summary))?;
        if let Some(promise) = outline::promise_in_short(self) {
            writeln!(out, "{}\n", safe(&promise))?;
        }
        let plots = self.plots();
        let mut files = plots.iter().map(|(file, _)| file.as_str());
        for section in outline::sections(self) {
            writeln!(out, "## {}\n", safe(&section.title))?;
            for block in &section.blocks {
                write_block(out, block, &mut files)?;
            }
        }
        Ok(())
    }
}

fn write_block<'a>(
    out: &mut String,
    block: &Block,
    files: &mut impl Iterator<Item = &'a str>,
) -> fmt::Result {
    match block {
        Block::Text(text) => writeln!(out, "{}\n", safe(text)),
        Block::Warning(text) => writeln!(out, "> **Caution:** {}\n", safe(text)),
        Block::List(points) => {
            points.iter().try_for_each(|point| writeln!(out, "- {}", safe(point)))?;
            writeln!(out)
        }
        Block::KeyValues(pairs) => {
            writeln!(out, "| | |\n|---|---|")?;
            for (name, value) in pairs {
                writeln!(out, "| **{}** | {} |", safe(name), safe(value))?;
            }
            writeln!(out)
        }
        Block::Table(table) => write_table(out, table),
        Block::Plot(plot) => {
            let file = files.next().unwrap_or_default();
            writeln!(out, "![{}](plots/{file}.svg)\n", safe(&plot.title))
        }
        Block::Meter { words, .. } => writeln!(out, "{}\n", safe(words)),
        Block::Command(command) => writeln!(out, "{}", fenced(command)),
    }
}

fn write_table(out: &mut String, table: &Table) -> fmt::Result {
    let (columns, rows) = table.shown();
    writeln!(out, "**{}**\n", safe(&table.caption))?;
    let names: Vec<String> = columns.iter().map(|name| safe(name)).collect();
    writeln!(out, "| {} |", names.join(" | "))?;
    writeln!(out, "|{}", "---|".repeat(columns.len()))?;
    for row in rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        writeln!(out, "| {} |", cells.join(" | "))?;
    }
    writeln!(out)
}

fn cell(shown: &CellText) -> String {
    let main = safe(&shown.main);
    match shown.more.as_slice() {
        [] => main,
        more => format!("{main} ({})", safe(&more.join("; "))),
    }
}
