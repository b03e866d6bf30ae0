//! A report as text for a terminal.

use std::fmt::{self, Write};

use comfy_table::{CellAlignment, ContentArrangement, presets};

use super::escape::terminal as safe;
use super::outline::{self, SIMULATION};
use super::table::{CellKind, CellText};
use super::{Block, Report, Table};

impl Report {
    /// The report as plain text, for a terminal of so many columns. Plots are only named.
    pub fn terminal(&self, width: u16) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_terminal(&mut out, width);
        out
    }

    fn write_terminal(&self, out: &mut String, width: u16) -> fmt::Result {
        heading(out, &self.title, '=')?;
        if self.is_simulation() {
            writeln!(out, "*** SIMULATION *** {SIMULATION}\n")?;
        }
        writeln!(out, "{}", safe(&self.summary))?;
        if let Some(promise) = outline::promise_in_short(self) {
            writeln!(out, "{}", safe(&promise))?;
        }
        for section in outline::sections(self) {
            writeln!(out)?;
            heading(out, &section.title, '-')?;
            for (at, block) in section.blocks.iter().enumerate() {
                if at > 0 {
                    writeln!(out)?;
                }
                write_block(out, block, width)?;
            }
        }
        Ok(())
    }
}

impl Table {
    /// The table as plain text, for a terminal of so many columns.
    pub fn terminal(&self, width: u16) -> String {
        let (columns, rows) = self.shown();
        let mut grid = grid(width);
        grid.load_style(presets::UTF8_HORIZONTAL_ONLY);
        grid.set_header(columns.iter().map(|name| safe(name)));
        for row in &rows {
            grid.add_row(row.iter().map(cell));
        }
        format!("{}\n{}\n", safe(&self.caption), trimmed(&grid))
    }
}

fn heading(out: &mut String, title: &str, rule: char) -> fmt::Result {
    let title = safe(title).replace('\n', " ");
    let rule = rule.to_string().repeat(title.chars().count());
    writeln!(out, "{title}\n{rule}")
}

fn write_block(out: &mut String, block: &Block, width: u16) -> fmt::Result {
    match block {
        Block::Text(text) => writeln!(out, "{}", safe(text)),
        Block::Warning(text) => writeln!(out, "CAUTION: {}", safe(text)),
        Block::List(points) => points.iter().try_for_each(|p| writeln!(out, "  - {}", safe(p))),
        Block::KeyValues(pairs) => {
            let mut grid = grid(width);
            for (name, value) in pairs {
                grid.add_row([safe(name), safe(value)]);
            }
            writeln!(out, "{}", trimmed(&grid))
        }
        Block::Table(table) => write!(out, "{}", table.terminal(width)),
        Block::Plot(plot) => writeln!(out, "[plot: {}]", safe(&plot.title)),
        Block::Meter { words, .. } => writeln!(out, "{}", safe(words)),
        Block::Command(command) => writeln!(out, "  $ {}", safe(command)),
    }
}

/// Columns without rules, as wide as they need to be and the terminal allows.
fn grid(width: u16) -> comfy_table::Table {
    let mut grid = comfy_table::Table::new();
    grid.load_style(presets::NOTHING);
    grid.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
    grid
}

fn trimmed(grid: &comfy_table::Table) -> String {
    let text = grid.to_string();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn cell(shown: &CellText) -> comfy_table::Cell {
    let lines = std::iter::once(&shown.main).chain(&shown.more);
    let text = lines.map(|line| safe(line)).collect::<Vec<_>>().join("\n");
    let alignment = match shown.kind {
        CellKind::Words => CellAlignment::Left,
        CellKind::Number | CellKind::Missing => CellAlignment::Right,
    };
    comfy_table::Cell::new(text).set_alignment(alignment)
}
