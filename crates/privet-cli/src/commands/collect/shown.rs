//! What is said about a task and a report.

use std::io::{self, Write};
use std::path::Path;

use privet::device::DeviceSpending;
use privet::privacy::Card;
use privet::protocol::SealedTask;
use serde::Serialize;

use crate::console::Answer;
use crate::failure::Result;
use crate::promises::{write_promises, write_unprotected};
use crate::style::{FAINT, GOOD, NOTE, STRONG, count, printable, real};

/// A task in plain words.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Where people answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    name: String,
    collector: String,
    task: privet::protocol::Task,
    card: Card,
}

impl Shown {
    pub fn new(sealed: &SealedTask, file: Option<&Path>) -> Result<Self> {
        let (asked, _) = sealed.open().map_err(privet::Error::from)?;
        Ok(Self {
            file: file.map(|path| path.display().to_string()),
            address: None,
            name: asked.name.to_string(),
            collector: sealed.collector.clone(),
            card: privet::collected::promise(&asked)?,
            task: asked.task,
        })
    }
}

impl Answer for Shown {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(file) = &self.file {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}", printable(file))?;
        }
        if let Some(address) = &self.address {
            writeln!(out, "{GOOD}people answer at{GOOD:#} {}", printable(address))?;
        }
        let task = &self.task;
        writeln!(
            out,
            "{STRONG}{}{STRONG:#}  {}",
            printable(&task.title),
            printable(&task.purpose)
        )?;
        writeln!(
            out,
            "  {} people can take part; questions to {}",
            count(u64::from(task.people.count)),
            printable(&task.contact)
        )?;
        let asks = &task.asks;
        if let Some(asked) = &asks.features {
            let names: Vec<&str> = asked.columns.iter().map(|column| &*column.name).collect();
            writeln!(
                out,
                "  asks for numbers: {} (epsilon {})",
                printable(&names.join(", ")),
                real(asked.epsilon)
            )?;
        }
        if let Some(asked) = &asks.label {
            let (question, classes) = (printable(&asked.question), asked.classes.join(" or "));
            writeln!(
                out,
                "  asks: {question} {} (epsilon {})",
                printable(&classes),
                real(asked.epsilon)
            )?;
        }
        if let Some(asked) = &asks.contacts {
            writeln!(
                out,
                "  asks for contacts: {} (epsilon {})",
                printable(&asked.question),
                real(asked.epsilon)
            )?;
        }
        write_promises(out, &self.card, |_, _, _| Ok(()))?;
        write_unprotected(out, &self.card)?;
        writeln!(out, "{FAINT}task {}{FAINT:#}", self.name)?;
        writeln!(out, "{FAINT}signed by {}{FAINT:#}", printable(&self.collector))
    }
}

/// A report that may leave.
#[derive(Debug, Serialize)]
pub(super) struct Answered {
    /// The file it was written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// The address it was sent to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sent_to: Option<String>,
    pub bytes: usize,
    /// Whether it was drawn before.
    pub again: bool,
    pub spent: DeviceSpending,
}

impl Answer for Answered {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let drawn =
            if self.again { "the same bytes as before" } else { "drawn now, and remembered" };
        let bytes = self.bytes;
        if let Some(file) = &self.report {
            writeln!(out, "{GOOD}wrote{GOOD:#} {}: {bytes} bytes, {drawn}", printable(file))?;
        }
        if let Some(address) = &self.sent_to {
            writeln!(out, "{GOOD}sent{GOOD:#} to {}: {bytes} bytes, {drawn}", printable(address))?;
        }
        let DeviceSpending { record, contacts, lifetime } = self.spent;
        writeln!(
            out,
            "  your answers so far: epsilon {} of {} for your record (record-ldp), {} of {} for each entry of your contact list (edge-ldp)",
            real(record),
            real(lifetime),
            real(contacts),
            real(lifetime)
        )?;
        match self.sent_to {
            None => {
                writeln!(out, "{NOTE}it is yours to send{NOTE:#}: nothing has left this machine")
            }
            Some(_) => writeln!(
                out,
                "{FAINT}the service has it on disk; sending again sends the same bytes{FAINT:#}"
            ),
        }
    }
}
