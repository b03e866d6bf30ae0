//! [`ReproductionOutput`]: a report that was measured and written; [`ReproducibleItems`]: what could be.

use std::io::{self, Write};

use privet_lab::report::Report;
use privet_papers::Item;
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{GOOD, STRONG, printable};
use crate::output::table::{Align, TextCell, TextTable};

/// Columns of a terminal that reports are laid out for.
pub const WIDTH: u16 = 120;

/// A report, and the files it was written to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReproductionOutput {
    /// The report.
    #[serde(flatten)]
    pub report: Report,
    /// The files.
    pub files: Vec<String>,
}

impl Answer for ReproductionOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        Ok(())
    }
}

/// Everything that can be reproduced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReproducibleItems {
    /// The items.
    pub items: Vec<Entry>,
}

/// An item, for a list of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its name, `PAPER/ITEM`.
    pub name: &'static str,
    /// What it shows.
    pub shows: &'static str,
    /// How many cells the whole of it takes.
    pub runs: u64,
    /// How many with `--quick`.
    pub quick_runs: u64,
    /// About how long that takes on two cores.
    pub cost: &'static str,
}

impl ReproducibleItems {
    /// All items of all papers.
    ///
    /// # Errors
    /// Never in practice: settings of papers are taken by their mechanisms.
    pub fn all() -> privet::Result<Self> {
        let entry = |item: &Item| {
            Ok(Entry {
                name: item.name,
                shows: item.title,
                runs: item.cells(&item.wanted(false))?,
                quick_runs: item.cells(&item.wanted(true))?,
                cost: item.cost,
            })
        };
        Ok(Self { items: Item::all().map(entry).collect::<privet::Result<_>>()? })
    }
}

impl Answer for ReproducibleItems {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table =
            TextTable::new([Align::Left, Align::Left, Align::Right, Align::Right, Align::Left]);
        let heading = ["item", "shows", "runs", "quick", "time on two cores"];
        table.row(heading.map(|name| TextCell::styled(name, STRONG)));
        for item in &self.items {
            let (runs, quick) = (item.runs.to_string(), item.quick_runs.to_string());
            table.row([
                TextCell::styled(item.name, STRONG),
                TextCell::new(item.shows),
                TextCell::new(runs),
                TextCell::new(quick),
                TextCell::new(item.cost),
            ]);
        }
        table.write(out, 0)?;
        writeln!(out, "\nprivet reproduce ITEM -o DIR measures one; add --quick for a first look.")
    }
}
