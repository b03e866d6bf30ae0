//! [`Listing`] for people: a table, or everything about a few.

use std::io::{self, Write};

use super::{BenchmarkFacts, CountFacts, Detail, FileFacts, Listing, VariantFacts};
use crate::output::console::Answer;
use crate::output::style::{ACCENT, FAINT, GOOD, NOTE, STRONG, bytes, count, printable};
use crate::output::table::{Align, Cell, Table};

impl Answer for Listing {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.detail {
            Detail::Summary => self.write_table(out)?,
            Detail::Files => {
                for (at, benchmark) in self.benchmarks.iter().enumerate() {
                    if at > 0 {
                        writeln!(out)?;
                    }
                    benchmark.write_text(out)?;
                }
            }
        }
        self.write_footer(out)
    }
}

impl Listing {
    /// One table, in groups: what lies in the same folder, then what is not here.
    fn write_table(&self, out: &mut dyn Write) -> io::Result<()> {
        use Align::{Left, Right};
        let mut table = Table::new([Left, Right, Right, Right, Right, Right, Left]);
        let titles = ["name", "graphs", "nodes", "edges", "features", "classes", "papers"];
        table.row(titles.map(|title| Cell::styled(title, FAINT)));
        let folders = self.searched.iter().map(Some).chain([None]);
        for folder in folders {
            let lies_here = |benchmark: &&BenchmarkFacts| benchmark.folder() == folder;
            let mut group = self.benchmarks.iter().filter(lies_here).peekable();
            if group.peek().is_some() {
                table.heading(match folder {
                    Some(folder) => Cell::styled(format!("in {}", printable(folder)), GOOD),
                    None => Cell::styled("not on this machine", NOTE),
                });
            }
            group.for_each(|benchmark| table.row(benchmark.row()));
        }
        table.write(out, 0)
    }

    fn write_footer(&self, out: &mut dyn Write) -> io::Result<()> {
        let here = self.benchmarks.iter().filter(|benchmark| benchmark.present).count();
        let (all, folders) = (self.benchmarks.len(), self.searched.join(", "));
        writeln!(out, "\n{FAINT}{here} of {all} here; searched {folders}{FAINT:#}")?;
        if self.detail == Detail::Files {
            return Ok(());
        }
        let quoted =
            |benchmark: &BenchmarkFacts| benchmark.primary().is_some_and(|v| !v.counts.counted);
        if self.benchmarks.iter().any(quoted) {
            writeln!(out, "{FAINT}~ as the publisher says; not counted here{FAINT:#}")?;
        }
        writeln!(
            out,
            "{ACCENT}privet data list NAME{ACCENT:#} shows publisher, licence, files and checksums\n\
             {ACCENT}privet data fetch NAME{ACCENT:#} downloads what can be downloaded"
        )
    }
}

impl BenchmarkFacts {
    fn primary(&self) -> Option<&VariantFacts> {
        self.variants.first()
    }

    fn folder(&self) -> Option<&String> {
        self.primary().and_then(|variant| variant.folder.as_ref())
    }

    fn row(&self) -> Vec<Cell> {
        let mut cells = vec![Cell::styled(self.name, STRONG)];
        if let Some(counts) = self.primary().map(|variant| variant.counts) {
            let CountFacts { graphs, nodes, edges, features, classes, .. } = counts;
            let tilde = if counts.counted { "" } else { "~" };
            let shown = |number: Option<usize>| match number {
                Some(number) => Cell::new(format!("{tilde}{}", count(number as u64))),
                None => Cell::styled("-", FAINT),
            };
            cells.extend([graphs, nodes, edges, features, classes].map(shown));
        }
        cells.push(Cell::new(self.papers.join(", ")));
        cells
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{STRONG}{}{STRONG:#}  {}", self.name, self.title)?;
        let mut table = Table::new([Align::Left, Align::Left]);
        let papers = if self.papers.is_empty() { "none".into() } else { self.papers.join(", ") };
        let lines = [
            ("papers", papers),
            ("published", self.published.into()),
            ("licence", self.licence.into()),
            ("also called", self.aliases.join(", ")),
            ("note", self.note.into()),
        ];
        for (name, text) in lines.into_iter().filter(|(_, text)| !text.is_empty()) {
            table.row([Cell::styled(name, FAINT), Cell::new(text)]);
        }
        table.write(out, 2)?;
        self.variants.iter().try_for_each(|variant| variant.write_text(out))
    }
}

impl VariantFacts {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, format) = (&self.name, self.format);
        let about = if self.about.is_empty() { String::new() } else { format!(": {}", self.about) };
        writeln!(out, "\n  {STRONG}{name}{STRONG:#}  {FAINT}{format}{FAINT:#}{about}")?;
        writeln!(out, "    {}", self.counts.line())?;
        match &self.folder {
            Some(folder) => writeln!(out, "    {GOOD}here{GOOD:#} in {folder}")?,
            None => writeln!(out, "    {FAINT}not on this machine{FAINT:#}")?,
        }
        let mut table = Table::new([Align::Left, Align::Left, Align::Right, Align::Left]);
        for file in &self.files {
            table.row(file.row());
        }
        table.write(out, 4)?;
        for file in self.files.iter().filter(|file| !file.present) {
            let how = file.url.map(|url| format!("from {url}")).or(file.by_hand.map(str::to_owned));
            let how = how.unwrap_or_default();
            writeln!(out, "    {FAINT}{}: {how}{FAINT:#}", file.name())?;
        }
        Ok(())
    }
}

impl CountFacts {
    fn line(&self) -> String {
        let named = [
            (self.graphs, "graphs"),
            (self.nodes, "nodes"),
            (self.edges, "edges"),
            (self.features, "features"),
            (self.classes, "classes"),
        ];
        let told = named.into_iter().filter_map(|(number, name)| {
            number.map(|number| format!("{} {name}", count(number as u64)))
        });
        let told = told.collect::<Vec<_>>().join(", ");
        match (told.is_empty(), self.counted) {
            (true, _) => "no counts known".into(),
            (_, true) => told,
            (_, false) => format!("{told} (as the publisher says; not counted here)"),
        }
    }
}

impl FileFacts {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    fn row(&self) -> Vec<Cell> {
        let state = match (self.present, self.required) {
            (true, _) => Cell::styled("here", GOOD),
            (false, true) => Cell::styled("absent", FAINT),
            (false, false) => Cell::styled("optional", FAINT),
        };
        vec![
            state,
            Cell::new(self.path),
            Cell::new(self.bytes.map_or("? B".into(), bytes)),
            Cell::styled(self.sha256.unwrap_or("checksum unknown"), FAINT),
        ]
    }
}
