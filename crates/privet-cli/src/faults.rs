//! [`Faults`]: the mistakes that can be switched on in a development build, and who notices each.

use std::io::{self, Write};

use privet::privacy::fault;
use serde::Serialize;

use crate::console::Answer;
use crate::style::{FAINT, STRONG};
use crate::table::{Align, Cell, Table};

/// All faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Faults {
    /// Whether this build can switch one on.
    pub possible: bool,
    /// One line each.
    pub faults: Vec<Line>,
}

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// What `PRIVET_FAULT` calls it.
    pub id: String,
    /// What it is a fault of.
    pub of: &'static str,
    /// What is wrong.
    pub wrong: &'static str,
    /// Where it was seen.
    pub seen: &'static str,
    /// The audits that notice it.
    pub audits: &'static str,
    /// The tests that notice it.
    pub tests: &'static str,
}

impl Faults {
    /// As they are declared.
    pub fn declared() -> Self {
        let line = |declared: &fault::FaultEntry| {
            let fault::Catchers { audits, tests } = declared.caught_by;
            let (id, wrong) = (declared.id(), declared.wrong());
            Line { id, of: declared.of, wrong, seen: declared.seen, audits, tests }
        };
        Self { possible: fault::POSSIBLE, faults: fault::ALL.iter().map(line).collect() }
    }
}

impl Answer for Faults {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut table = Table::new([Align::Left, Align::Left, Align::Left]);
        table.row(["of", "fault", "noticed by"].map(|name| Cell::styled(name, FAINT)));
        for line in &self.faults {
            let noticed = match line.audits {
                "" => format!("test {}", line.tests.replace(',', ", ")),
                audits => format!("audit {audits}"),
            };
            table.row([Cell::styled(line.of, FAINT), Cell::new(line.wrong), Cell::new(&noticed)]);
        }
        table.write(out, 0)?;
        writeln!(out, "\n{STRONG}{}{STRONG:#} faults", self.faults.len())?;
        let how = match self.possible {
            true => "PRIVET_FAULT=<id> switches one on here; `cargo xtask faults` tries them all",
            false => {
                "this build cannot break itself; `cargo xtask faults` makes one that can and tries them all"
            }
        };
        writeln!(out, "{FAINT}{how}; what each showed: docs/faults.md{FAINT:#}")
    }
}
