//! `privet data`: what there is, what is in it, and other forms of it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use indicatif::ProgressBar;
use privet::data::catalog::{self, BenchmarkSelection, CatalogBenchmark};
use privet::data::formats::Format;
use privet::data::formats::write::write_to;
use privet::data::synthetic::{
    BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks, karate_club,
};
use privet::graph::files::is_standard;
use privet::graph::{Dataset, Error, LoadedData};
use privet::privacy::Card;
use serde::Serialize;

use crate::args::{Convert, DataCommand, Fetch, Generate, Info, List, Sbm};
use crate::commands::source::Source;
use crate::failure::{Failure, FailureKind, Result};
use crate::fetch::{Existing, FetchError, FetchOptions, FetchReport, Progress, fetch};
use crate::output::catalog::{Detail, Listing};
use crate::output::console::{Answer, Console};
use crate::output::facts::DataFacts;
use crate::output::style::{FAINT, GOOD, STRONG, bytes, counted, printable};
use crate::output::{OutputTarget, WrittenData, cardfile};

pub(super) fn run(typed: DataCommand, console: &Console) -> Result<()> {
    match typed {
        DataCommand::List(typed) => list(&typed, console),
        DataCommand::Info(typed) => info(typed, console),
        DataCommand::Fetch(typed) => fetch_files(typed, console),
        DataCommand::Generate(typed) => generate(typed, console),
        DataCommand::Convert(typed) => convert(typed, console),
    }
}

/// The public benchmarks, and which of them are here.
fn list(typed: &List, console: &Console) -> Result<()> {
    let entries = match typed.names.as_slice() {
        [] => catalog::entries().collect(),
        names => find_all(names)?,
    };
    let folders = catalog::data_dirs(typed.data_dir.data_dir.as_deref());
    let long = typed.long || !typed.names.is_empty();
    let detail = if long { Detail::Files } else { Detail::Summary };
    console.answer(&Listing::of(&entries, &folders, detail))
}

fn find_all(names: &[String]) -> Result<Vec<&'static CatalogBenchmark>> {
    let mut found: Vec<&'static CatalogBenchmark> = Vec::new();
    for name in names {
        let entry = catalog::find(name)?;
        if !found.iter().any(|other| other.name == entry.name) {
            found.push(entry);
        }
    }
    Ok(found)
}

/// What is in something.
fn info(typed: Info, console: &Console) -> Result<()> {
    let (loaded, origin) = Source::find(&typed.input, typed.reading, console)?.load(console)?;
    console.notices(loaded.notices());
    let facts = {
        let _alive = console.spinner("counting");
        DataFacts::of(&loaded, origin)
    };
    console.answer(&facts)
}

// `privet data convert IN OUT`.
//
// Another format of something released is post-processing: a card beside the input goes on to the output, issued
// anew for its files.

/// Reads, then writes.
///
/// # Errors
/// If either fails, the format cannot hold everything that was read, or a card beside the input was issued for something
/// else.
fn convert(typed: Convert, console: &Console) -> Result<()> {
    let source = Source::find(&typed.input, typed.reading, console)?;
    if is_standard(&typed.output) || typed.output == Path::new("/dev/stdout") {
        return print(&source, typed.to, console);
    }
    let target = OutputTarget::new(&typed.output, typed.to, typed.overwrite)?;
    source.keep_apart(&[&target.path])?;
    let card = card(&source, console)?;
    let (loaded, _) = source.load(console)?;
    console.notices(loaded.notices());
    let written = {
        let _alive = console.spinner(format!("writing {}", target.path.display()));
        write(&target, &loaded, card)?
    };
    console.answer(&written)
}

/// Writes to standard output, where no card can stand beside it.
fn print(source: &Source, format: Option<Format>, console: &Console) -> Result<()> {
    if card(source, console)?.is_some() {
        console.note("standard output has no card: readers are not told what it protects");
    }
    let (loaded, _) = source.load(console)?;
    console.notices(loaded.notices());
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    write_to(&loaded, format, &mut out).map_err(|error| match error {
        // The reader of our output has closed it.
        Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => source.into(),
        error => error.into(),
    })
}

/// The card that holds for the output, if there is one.
fn card(source: &Source, console: &Console) -> Result<Option<Card>> {
    let found = source.path().map(cardfile::of_input).transpose()?.flatten();
    let Some((path, mut card)) = found else { return Ok(None) };
    if source.has_other_features() || source.has_other_labels() {
        console.note(&format!(
            "{} does not speak of the features or labels from files of their own: the output gets \
             no card",
            path.display()
        ));
        return Ok(None);
    }
    card.subject = format!("converted: {}", card.subject);
    Ok(Some(card))
}

fn write(target: &OutputTarget, loaded: &LoadedData, card: Option<Card>) -> Result<WrittenData> {
    let Some(card) = card else { return target.write(loaded) };
    let mut rest = None;
    let (_, files) = cardfile::issue(&target.path, card, None, || {
        let written = target.write(loaded)?;
        let files = written.files.clone();
        rest = Some(written);
        Ok(files)
    })?;
    let retired = rest.as_ref().and_then(|written| written.retired.clone());
    let name = rest.map(|written| written.name).unwrap_or_default();
    Ok(WrittenData { name, files, retired })
}

// `privet data fetch NAME...`.

/// Downloads and checks, one benchmark after the other. Those before one that fails stay.
fn fetch_files(typed: Fetch, console: &Console) -> Result<()> {
    let select = |name: &String| Ok(catalog::select(name)?);
    let selections = typed.names.iter().map(select).collect::<Result<Vec<BenchmarkSelection>>>()?;
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
    wanted: BenchmarkSelection,
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

/// An optional file without a known source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct LeftOut {
    file: String,
    by_hand: String,
}

impl Fetched {
    fn of(selection: &BenchmarkSelection, report: FetchReport) -> Self {
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

// `privet data generate MODEL`.

/// Makes a graph and writes it: to standard output, as an edge list, unless a place was named.
fn generate(typed: Generate, console: &Console) -> Result<()> {
    let output = match &typed {
        Generate::Sbm(typed) => &typed.made.output,
        Generate::BarabasiAlbert(typed) => &typed.output,
        Generate::ErdosRenyi(typed) => &typed.output,
        Generate::PowerLaw(typed) => &typed.output,
        Generate::Karate(output) => output,
    };
    let path = output.output.as_deref().filter(|path| *path != Path::new("-"));
    let target =
        path.map(|path| OutputTarget::new(path, output.to, output.overwrite)).transpose()?;
    let made = {
        let _alive = console.spinner("generating");
        make(&typed)?.map_err(blame_parameters)?
    };
    match target {
        Some(target) => console.answer(&target.write(&LoadedData::Nodes(made))?),
        None => print_edges(&made, console),
    }
}

fn make(typed: &Generate) -> Result<privet::graph::Result<Dataset>> {
    Ok(match typed {
        Generate::Sbm(Sbm { even_degrees, made }) => {
            let mut blocks = made.model.over(StochasticBlocks::default())?;
            blocks.degree_exponent = blocks.degree_exponent.filter(|_| !even_degrees);
            blocks.generate(made.seed)
        }
        Generate::BarabasiAlbert(made) => {
            made.model.over(BarabasiAlbert::default())?.generate(made.seed)
        }
        Generate::ErdosRenyi(made) => made.model.over(ErdosRenyi::default())?.generate(made.seed),
        Generate::PowerLaw(made) => made.model.over(PowerLaw::default())?.generate(made.seed),
        Generate::Karate(_) => karate_club(),
    })
}

/// No file is involved, so a bad number was typed, unless another machine could do it.
fn blame_parameters(error: Error) -> Failure {
    match error {
        Error::Memory { .. } => error.into(),
        error => Failure::from(error).of_kind(FailureKind::Usage),
    }
}

/// One `source<TAB>target` a line; what an edge list cannot say is said on standard error.
fn print_edges(dataset: &Dataset, console: &Console) -> Result<()> {
    let (graph, ids) = (dataset.graph(), dataset.ids());
    let mut left_out = Vec::new();
    left_out.extend(dataset.features().map(|_| "features"));
    left_out.extend(dataset.labels().map(|_| "labels"));
    let isolated = graph.nodes().filter(|&node| graph.degree(node) == 0).count();
    if isolated > 0 {
        left_out.push("nodes without edges");
    }
    if !left_out.is_empty() {
        let list = left_out.join(" and ");
        console.note(&format!("an edge list cannot hold {list}; write them with -o FILE.npz"));
    }
    let mut out = io::BufWriter::with_capacity(1 << 16, io::stdout().lock());
    for (from, to) in graph.edges() {
        writeln!(out, "{}\t{}", ids.get(from), ids.get(to))?;
    }
    Ok(out.flush()?)
}
