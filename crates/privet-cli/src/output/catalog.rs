//! [`Listing`]: what the catalog says about benchmarks, and what of them is on this machine.
//!
//! The field names are the keys of the JSON, so they are kept stable.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use privet::data::catalog::{
    BenchmarkCounts, BenchmarkSelection, BenchmarkVariant, CatalogBenchmark, CountSource, FileNeed,
    FileOrigin, LocatedBenchmark, LocatedFile,
};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{ACCENT, FAINT, GOOD, NOTE, STRONG, bytes, count, printable};
use crate::output::table::{Align, TextCell, TextTable};

/// How much to tell people. Programs always get everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// A line for each benchmark.
    Summary,
    /// Licences, variants, files and checksums.
    Files,
}

/// Benchmarks, and where they were looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Listing {
    /// The folders searched.
    pub searched: Vec<String>,
    /// The benchmarks.
    pub benchmarks: Vec<BenchmarkFacts>,
    #[serde(skip)]
    detail: Detail,
}

/// One benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BenchmarkFacts {
    /// Its name.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// What it is.
    pub title: &'static str,
    /// The papers that report results on it.
    pub papers: Vec<&'static str>,
    /// Who put it out, and where.
    pub published: &'static str,
    /// What is known about its licence.
    pub licence: &'static str,
    /// What else to know.
    pub note: &'static str,
    /// Whether its primary variant is on this machine.
    pub present: bool,
    /// The forms it comes in, the primary one first.
    pub variants: Vec<VariantFacts>,
}

/// One form of a benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VariantFacts {
    /// What to type for it.
    pub name: String,
    /// What sets it apart.
    pub about: &'static str,
    /// Its format.
    pub format: &'static str,
    /// What it holds.
    pub counts: CountFacts,
    /// Whether every file that is needed is on this machine.
    pub present: bool,
    /// The data folder that has them.
    pub folder: Option<String>,
    /// Its files.
    pub files: Vec<FileFacts>,
}

/// What a benchmark holds; `None`: there is no such thing, or it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct CountFacts {
    /// Nodes of all graphs.
    pub nodes: Option<usize>,
    /// Distinct undirected edges of all graphs.
    pub edges: Option<usize>,
    /// Feature columns.
    pub features: Option<usize>,
    /// Classes.
    pub classes: Option<usize>,
    /// Graphs, if several.
    pub graphs: Option<usize>,
    /// Whether they were counted in the files, or only quoted.
    pub counted: bool,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileFacts {
    /// Where it lies below a data folder.
    pub path: &'static str,
    /// Its length.
    pub bytes: Option<u64>,
    /// Its checksum.
    pub sha256: Option<&'static str>,
    /// Where it can be downloaded.
    pub url: Option<&'static str>,
    /// How to get it, if it cannot be downloaded.
    pub by_hand: Option<&'static str>,
    /// Whether nothing works without it.
    pub required: bool,
    /// Whether it is on this machine.
    pub present: bool,
}

impl Listing {
    /// Looks for the files of `entries` in `folders`.
    pub fn of(entries: &[&'static CatalogBenchmark], folders: &[PathBuf], detail: Detail) -> Self {
        Self {
            searched: folders.iter().map(|folder| folder.display().to_string()).collect(),
            benchmarks: entries.iter().map(|entry| BenchmarkFacts::of(entry, folders)).collect(),
            detail,
        }
    }
}

impl BenchmarkFacts {
    fn of(entry: &'static CatalogBenchmark, folders: &[PathBuf]) -> Self {
        let variant = |variant: &'static BenchmarkVariant| {
            VariantFacts::of(&BenchmarkSelection { entry, variant }.locate(folders))
        };
        let variants: Vec<VariantFacts> = entry.variants.iter().map(variant).collect();
        Self {
            name: entry.name,
            aliases: entry.aliases,
            title: entry.title,
            papers: entry.papers.iter().map(|paper| paper.name()).collect(),
            published: entry.published,
            licence: entry.licence,
            note: entry.note,
            present: variants.first().is_some_and(|primary| primary.present),
            variants,
        }
    }
}

impl VariantFacts {
    fn of(located: &LocatedBenchmark) -> Self {
        let variant = located.selection.variant;
        let present = located.is_complete();
        let folder = located.files.iter().find(|file| file.is_present()).and_then(folder_of);
        // With nothing searched nothing is located; the catalog still knows the files.
        let files = match located.files.as_slice() {
            [] => {
                let unknown = |file| LocatedFile { file, path: PathBuf::new(), bytes: None };
                let first = variant.layouts.first().copied().unwrap_or_default();
                first.iter().map(|file| FileFacts::of(&unknown(file))).collect()
            }
            files => files.iter().map(FileFacts::of).collect(),
        };
        Self {
            name: located.selection.to_string(),
            about: variant.about,
            format: variant.format.name(),
            counts: CountFacts::of(&variant.counts),
            present,
            folder: folder.filter(|_| present).map(|folder| folder.display().to_string()),
            files,
        }
    }
}

/// The data folder a file was found in: its path without the part that the catalog gives.
fn folder_of(located: &LocatedFile) -> Option<&Path> {
    located.path.ancestors().nth(located.file.path.split('/').count())
}

impl CountFacts {
    fn of(counts: &BenchmarkCounts) -> Self {
        let &BenchmarkCounts { nodes, edges, features, classes, graphs, source, .. } = counts;
        let counted = source == CountSource::Counted;
        Self { nodes, edges, features, classes, graphs, counted }
    }
}

impl FileFacts {
    fn of(located: &LocatedFile) -> Self {
        let file = located.file;
        let (url, by_hand) = match file.origin {
            FileOrigin::Download(url) => (Some(url), None),
            FileOrigin::ByHand(how) => (None, Some(how)),
        };
        Self {
            path: file.path,
            bytes: file.bytes,
            sha256: file.sha256,
            url,
            by_hand,
            required: file.need == FileNeed::Required,
            present: located.is_present(),
        }
    }
}

// `Listing` for people: a table, or everything about a few.

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
        let mut table = TextTable::new([Left, Right, Right, Right, Right, Right, Left]);
        let titles = ["name", "graphs", "nodes", "edges", "features", "classes", "papers"];
        table.row(titles.map(|title| TextCell::styled(title, FAINT)));
        let folders = self.searched.iter().map(Some).chain([None]);
        for folder in folders {
            let lies_here = |benchmark: &&BenchmarkFacts| benchmark.folder() == folder;
            let mut group = self.benchmarks.iter().filter(lies_here).peekable();
            if group.peek().is_some() {
                table.heading(match folder {
                    Some(folder) => TextCell::styled(format!("in {}", printable(folder)), GOOD),
                    None => TextCell::styled("not on this machine", NOTE),
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

    fn row(&self) -> Vec<TextCell> {
        let mut cells = vec![TextCell::styled(self.name, STRONG)];
        if let Some(counts) = self.primary().map(|variant| variant.counts) {
            let CountFacts { graphs, nodes, edges, features, classes, .. } = counts;
            let tilde = if counts.counted { "" } else { "~" };
            let shown = |number: Option<usize>| match number {
                Some(number) => TextCell::new(format!("{tilde}{}", count(number as u64))),
                None => TextCell::styled("-", FAINT),
            };
            cells.extend([graphs, nodes, edges, features, classes].map(shown));
        }
        cells.push(TextCell::new(self.papers.join(", ")));
        cells
    }

    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{STRONG}{}{STRONG:#}  {}", self.name, self.title)?;
        let mut table = TextTable::new([Align::Left, Align::Left]);
        let papers = if self.papers.is_empty() { "none".into() } else { self.papers.join(", ") };
        let lines = [
            ("papers", papers),
            ("published", self.published.into()),
            ("licence", self.licence.into()),
            ("also called", self.aliases.join(", ")),
            ("note", self.note.into()),
        ];
        for (name, text) in lines.into_iter().filter(|(_, text)| !text.is_empty()) {
            table.row([TextCell::styled(name, FAINT), TextCell::new(text)]);
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
        let mut table = TextTable::new([Align::Left, Align::Left, Align::Right, Align::Left]);
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

    fn row(&self) -> Vec<TextCell> {
        let state = match (self.present, self.required) {
            (true, _) => TextCell::styled("here", GOOD),
            (false, true) => TextCell::styled("absent", FAINT),
            (false, false) => TextCell::styled("optional", FAINT),
        };
        vec![
            state,
            TextCell::new(self.path),
            TextCell::new(self.bytes.map_or("? B".into(), bytes)),
            TextCell::styled(self.sha256.unwrap_or("checksum unknown"), FAINT),
        ]
    }
}
