//! `privet data fetch NAME...`.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use privet::data::catalog::{self, Selection};
use serde::Serialize;

use crate::args::Fetch;
use crate::failure::{Failure, Result};
use crate::fetch::{Existing, FetchError, FetchOptions, FetchReport, Progress, fetch};
use crate::output::console::{Answer, Console};
use crate::output::style::{FAINT, GOOD, STRONG, bytes, counted, printable};

/// Downloads and checks, one benchmark after the other. Those before one that fails stay.
pub(super) fn run(typed: Fetch, console: &Console) -> Result<()> {
    let select = |name: &String| Ok(catalog::select(name)?);
    let selections = typed.names.iter().map(select).collect::<Result<Vec<Selection>>>()?;
    let no_cache =
        || Failure::data("there is no cache folder to download to").hint("name one with --to DIR");
    let to = typed.to.clone().or_else(catalog::cache_dir).ok_or_else(no_cache)?;
    let mut fetched = Vec::new();
    for selection in &selections {
        let report = fetch_one(*selection, &to, &typed, console)?;
        fetched.push(Fetched::of(selection, report));
    }
    console.answer(&FetchedAll { folder: to.display().to_string(), fetched })
}

fn fetch_one(
    wanted: Selection,
    to: &Path,
    typed: &Fetch,
    console: &Console,
) -> Result<FetchReport> {
    let mut options = FetchOptions::new(to);
    options.variant = Some(wanted.variant.name.into());
    options.existing = if typed.force { Existing::Replace } else { Existing::Keep };
    options.mirror = typed.mirror.clone().or(options.mirror);
    let mut bar = None;
    let done = fetch(wanted.entry, &options, &mut |event| show(event, &mut bar, console));
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(done?)
}

/// Moves the bar of the file that is on its way; each file has its own.
fn show(event: Progress<'_>, bar: &mut Option<ProgressBar>, console: &Console) {
    match event {
        Progress::Started { path, resumed_at, total, .. } => {
            let started = console.download(path, total);
            started.set_position(resumed_at);
            if let Some(earlier) = bar.replace(started) {
                earlier.finish_and_clear();
            }
        }
        Progress::Received { received, .. } => {
            if let Some(bar) = bar {
                bar.set_position(received);
            }
        }
        Progress::Retrying { path } => {
            let tell =
                || console.note(&format!("{path}: the connection broke; taking it up again"));
            bar.as_ref().map_or_else(tell, |bar| bar.suspend(tell));
        }
        Progress::Finished { .. } => {
            if let Some(bar) = bar.take() {
                bar.finish_and_clear();
            }
        }
        Progress::Present { .. } => {}
    }
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Catalog(error) => Self::from(*error),
            other => Self::data(other.to_string()),
        }
    }
}

/// What was done for all benchmarks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct FetchedAll {
    folder: String,
    fetched: Vec<Fetched>,
}

/// What was done for one benchmark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Fetched {
    name: String,
    downloaded: Vec<String>,
    already_there: Vec<String>,
    left_out: Vec<LeftOut>,
    received_bytes: u64,
}

/// An optional file that nobody is known to serve.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LeftOut {
    file: String,
    by_hand: String,
}

impl Fetched {
    fn of(selection: &Selection, report: FetchReport) -> Self {
        let told = |paths: Vec<PathBuf>| paths.iter().map(|p| p.display().to_string()).collect();
        let left_out = report.left_out.into_iter();
        Self {
            name: selection.to_string(),
            downloaded: told(report.downloaded),
            already_there: told(report.present),
            left_out: left_out
                .map(|(path, by_hand)| LeftOut { file: path.display().to_string(), by_hand })
                .collect(),
            received_bytes: report.received,
        }
    }
}

impl Answer for FetchedAll {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        for fetched in &self.fetched {
            let name = &fetched.name;
            let files = counted(fetched.downloaded.len(), "file", "files");
            let size = bytes(fetched.received_bytes);
            let state = match (fetched.downloaded.len(), fetched.already_there.len()) {
                (0, _) => "was there already".into(),
                (_, 0) => format!("{files}, {size}"),
                (_, there) => format!("{files}, {size}; {there} there already"),
            };
            writeln!(out, "{GOOD}checked{GOOD:#} {STRONG}{name}{STRONG:#}  {state}")?;
            for LeftOut { file, by_hand } in &fetched.left_out {
                writeln!(out, "  {FAINT}without {}: {by_hand}{FAINT:#}", printable(file))?;
            }
        }
        writeln!(out, "{FAINT}in {}{FAINT:#}", printable(&self.folder))
    }
}
