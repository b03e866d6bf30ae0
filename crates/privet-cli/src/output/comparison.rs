//! [`ComparisonOutput`]: what a system scored beside everything it must be compared with, and what was released;
//! [`AttackOutput`]: what an attack found.

use std::io::{self, Write};
use std::path::Path;

use privet::privacy::Card;
use privet_lab::experiments::trial::{Brief, Comparison, RunResults, TrialText};
use privet_lab::report::{MeasuredValue, Report};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::evaluate::write_confusion;
use crate::output::protect::{write_promises, write_unprotected};
use crate::output::reproduce::WIDTH;
use crate::output::style::{FAINT, GOOD, NOTE, STRONG, counted, printable};
use crate::output::table::{Align, TextCell, TextTable};

/// What was measured with made-up noise, and what was written.
#[derive(Debug, Clone, Serialize)]
pub struct ComparisonOutput {
    /// The numbers, and what they say.
    #[serde(flatten)]
    pub results: RunResults,
    /// What was written.
    #[serde(flatten)]
    pub written: WrittenFiles,
    /// The numbers for people.
    #[serde(skip)]
    brief: Brief,
    #[serde(skip)]
    words: TrialText,
}

impl ComparisonOutput {
    /// What was measured of a system, and written.
    pub fn new(
        system: &str,
        words: TrialText,
        comparison: &Comparison,
        written: WrittenFiles,
    ) -> Self {
        let results = RunResults::new(system, &words, comparison);
        Self { results, written, brief: Brief::new(&words, comparison), words }
    }

    fn table(&self) -> TextTable {
        let aligns = self.brief.heads.iter();
        let aligns = aligns.map(|(_, number)| if *number { Align::Right } else { Align::Left });
        let mut table = TextTable::new(aligns.collect::<Vec<_>>());
        let heads = self.brief.heads.iter().map(|(head, _)| TextCell::styled(head.as_str(), FAINT));
        table.row(heads.collect::<Vec<_>>());
        for row in &self.brief.rows {
            let last = row.len().saturating_sub(1);
            let cell = |(at, text): (usize, &String)| match at {
                0 => TextCell::styled(text.as_str(), STRONG),
                at if at == last => TextCell::styled(text.as_str(), FAINT),
                _ => TextCell::new(text.as_str()),
            };
            table.row(row.iter().enumerate().map(cell).collect::<Vec<_>>());
        }
        table
    }
}

impl ComparisonOutput {
    /// What the same predictions score where every class counts alike, and where they go wrong.
    fn write_by_class(&self, out: &mut dyn Write) -> io::Result<()> {
        let Some(by_class) = &self.brief.by_class else { return Ok(()) };
        let aligns = [Align::Left].into_iter().chain(by_class.heads.iter().map(|_| Align::Right));
        let mut table = TextTable::new(aligns.collect::<Vec<_>>());
        let heads = [""].iter().chain(&by_class.heads).map(|head| TextCell::styled(*head, FAINT));
        table.row(heads.collect::<Vec<_>>());
        for (name, values) in &by_class.rows {
            let value = |value: &Option<MeasuredValue>| {
                TextCell::new(value.map_or_else(String::new, |value| value.short()))
            };
            let cells = [TextCell::styled(name.as_str(), STRONG)].into_iter();
            table.row(cells.chain(values.iter().map(value)).collect::<Vec<_>>());
        }
        writeln!(out)?;
        table.write(out, 0)?;
        match &self.brief.confusion {
            Some(counts) => {
                writeln!(out, "\nconfusion matrix of the first row, all runs together")?;
                write_confusion(&self.words.classes, counts, out)
            }
            None => Ok(()),
        }
    }
}

impl Answer for ComparisonOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let TrialText { heading, facts, foot, .. } = &self.words;
        writeln!(out, "{STRONG}{}{STRONG:#}: {facts}", printable(heading))?;
        let seeds = match self.results.seeds.as_slice() {
            [first, .., last] => format!("seeds {first} to {last}"),
            seeds => format!("{} {seeds:?}", counted(seeds.len(), "seed", "seeds")),
        };
        writeln!(out, "{NOTE}simulated{NOTE:#} with {seeds}, compared with the truth\n")?;
        self.table().write(out, 0)?;
        self.write_by_class(out)?;
        writeln!(out, "\n{}", self.results.verdict)?;
        if let Some(foot) = foot {
            writeln!(out, "{FAINT}{foot}{FAINT:#}")?;
        }
        self.written.write_text(out)
    }
}

/// What an attack found.
#[derive(Debug, Clone, Serialize)]
pub struct AttackOutput<F> {
    /// The numbers, and what they say.
    #[serde(flatten)]
    pub found: F,
    /// What was written.
    #[serde(flatten)]
    pub written: WrittenFiles,
    /// The same for people.
    #[serde(skip)]
    pub report: Report,
}

impl<F: Serialize> Answer for AttackOutput<F> {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.report.terminal(WIDTH))?;
        self.written.write_text(out)
    }
}

// `WrittenFiles`: what a run leaves behind; `ReleaseOutput`: a release in a folder.

/// What a run leaves behind.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct WrittenFiles {
    /// The release, if one was made.
    pub release: Option<ReleaseOutput>,
    /// The report, if it was written to a file.
    pub html: Option<String>,
}

impl WrittenFiles {
    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        if let Some(released) = &self.release {
            released.write_text(out)?;
        }
        match &self.html {
            Some(file) => writeln!(out, "\n{GOOD}wrote{GOOD:#} {}", printable(file)),
            None => Ok(()),
        }
    }
}

/// A release in a folder.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReleaseOutput {
    /// The folder that may be shared.
    pub folder: String,
    /// What is in it.
    pub files: Vec<String>,
    /// The folder with what was measured on the raw data: not to be shared.
    pub for_the_custodian_only: String,
    /// Whether its noise came from a seed, so that there is no protection.
    pub simulation: bool,
    /// What is promised.
    pub card: Card,
}

impl ReleaseOutput {
    /// What lies in the folder that may be shared; the other one is only named.
    ///
    /// # Errors
    /// If it cannot be listed.
    pub fn new(folder: &Path, private: &Path, card: Card) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            files.push(entry?.file_name().to_string_lossy().into_owned());
        }
        files.sort();
        let simulation = card.is_simulation();
        let for_the_custodian_only = private.display().to_string();
        let folder = folder.display().to_string();
        Ok(Self { folder, files, for_the_custodian_only, simulation, card })
    }

    pub(crate) fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let folder = printable(&self.folder);
        writeln!(out, "\n{GOOD}wrote{GOOD:#} {folder}: {}", self.files.join(", "))?;
        write_promises(out, &self.card, |_, _, _| Ok(()))?;
        write_unprotected(out, &self.card)?;
        if self.simulation {
            writeln!(out, "{NOTE}SIMULATION{NOTE:#}: noise from a seed gives no protection")?;
        }
        writeln!(
            out,
            "{GOOD}wrote{GOOD:#} {} {NOTE}(for the custodian only: scores on the raw data){NOTE:#}\n\
             {FAINT}check it: privet verify {folder}/card.json --explain{FAINT:#}",
            printable(&self.for_the_custodian_only)
        )
    }
}
