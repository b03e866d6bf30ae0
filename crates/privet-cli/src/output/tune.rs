//! What a search found, for people.

use std::io::{self, Write};

use privet_lab::experiments::tune::SearchFindings;

use crate::output::console::Answer;
use crate::output::reproduce::WIDTH;
use crate::output::style::{ACCENT, GOOD, STRONG, printable};

impl Answer for SearchFindings {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        writeln!(out, "{STRONG}best settings{STRONG:#}")?;
        writeln!(out, "  {ACCENT}{}{ACCENT:#}", printable(&self.command))?;
        if let Some(command) = &self.short_command {
            writeln!(out, "or, by the file they are in")?;
            writeln!(out, "  {ACCENT}{}{ACCENT:#}", printable(command))?;
        }
        for file in &self.files {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        Ok(())
    }
}
