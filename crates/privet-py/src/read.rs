//! Files, benchmarks and made-up people.

use std::path::PathBuf;
use std::sync::Arc;

use privet::cardfile::of_input;
use privet::data::catalog;
use privet::data::formats::{
    self, Bundle, ColumnNames, Format, HeaderRow, ReadOptions, Spill, attach,
};
use privet::data::synthetic::{self, StochasticBlocks};
use privet::graph::{self, Direction, Error, LoadedData, SelfLoops};
use privet::project::InputGuard;
use privet::request::Bytes;
use privet_lab::experiments::dprr::made_up;
use pyo3::prelude::*;

use crate::data::{Dataset, Declared, GraphSet};
use crate::error::Failure;
use crate::work::working;

/// What a file or benchmark held.
#[derive(IntoPyObject)]
pub(crate) enum Held {
    Nodes(Dataset),
    Graphs(GraphSet),
}

impl From<LoadedData> for Held {
    fn from(loaded: LoadedData) -> Self {
        match loaded {
            LoadedData::Nodes(data) => Self::Nodes(Dataset(Arc::new(data))),
            LoadedData::Graphs(set) => Self::Graphs(GraphSet(Arc::new(set))),
        }
    }
}

/// How to read a file when its bytes alone do not tell.
#[derive(FromPyObject)]
pub(crate) struct Reading {
    #[pyo3(item)]
    format: Option<String>,
    #[pyo3(item)]
    directed: Option<bool>,
    #[pyo3(item)]
    keep_self_loops: bool,
    #[pyo3(item)]
    delimiter: Option<char>,
    #[pyo3(item)]
    header: Option<bool>,
    #[pyo3(item)]
    source_column: Option<String>,
    #[pyo3(item)]
    target_column: Option<String>,
    #[pyo3(item)]
    label_column: Option<String>,
    #[pyo3(item)]
    member: Option<String>,
    #[pyo3(item)]
    features: Option<PathBuf>,
    #[pyo3(item)]
    labels: Option<PathBuf>,
    #[pyo3(item)]
    memory: Option<String>,
}

impl Reading {
    fn options(&self) -> graph::Result<ReadOptions> {
        let byte = |letter: char| {
            let expected = "one ASCII character";
            u8::try_from(letter)
                .map_err(|_| Error::invalid("delimiter", "another letter", expected))
        };
        Ok(ReadOptions {
            format: self.format.as_deref().map(Format::from_name).transpose()?,
            direction: self.directed.map(|directed| match directed {
                true => Direction::Directed,
                false => Direction::Undirected,
            }),
            self_loops: if self.keep_self_loops { SelfLoops::Keep } else { SelfLoops::Drop },
            delimiter: self.delimiter.map(byte).transpose()?,
            header: match self.header {
                None => HeaderRow::Detect,
                Some(true) => HeaderRow::Present,
                Some(false) => HeaderRow::Absent,
            },
            columns: ColumnNames {
                source: self.source_column.clone(),
                target: self.target_column.clone(),
                label: self.label_column.clone(),
            },
            member: self.member.clone(),
            spill: self.memory.as_deref().map(within).transpose()?,
            ..ReadOptions::default()
        })
    }
}

/// So much memory, and files for the rest.
///
/// # Errors
/// If it is no number of bytes.
pub(crate) fn within(memory: &str) -> graph::Result<Spill> {
    let expected = "a number of bytes, such as 4096, 64MiB or 2G";
    let refused = |_| Error::invalid("memory", format!("'{memory}'"), expected);
    memory.parse().map(|Bytes(bytes)| Spill::within(bytes)).map_err(refused)
}

/// A file, a folder or an archive, with features and labels of files of their own.
#[pyfunction]
pub(crate) fn read(
    py: Python<'_>,
    path: PathBuf,
    reading: Reading,
    facts: Option<Declared>,
) -> PyResult<Held> {
    let loaded = working(py, None, move |_| {
        let options = reading.options()?;
        let inputs = Bundle::files_of(&path);
        let attached = [&reading.features, &reading.labels];
        let attached: Vec<PathBuf> = attached.into_iter().flatten().cloned().collect();
        let guard = InputGuard::around(inputs.iter().chain(&attached).map(PathBuf::as_path))?;
        // A card beside it says that it was released.
        let released = guard.is_empty() || matches!(of_input(&path), Ok(Some(_)));
        if !released {
            guard.check_files(&inputs)?;
        }
        guard.check_attached(&attached)?;
        let mut loaded = formats::read(path, &options)?;
        for (file, attach) in [
            (&reading.features, attach::features as fn(_, &_, &_) -> _),
            (&reading.labels, attach::labels),
        ] {
            if let Some(file) = file {
                loaded = LoadedData::Nodes(attach(loaded.into_nodes()?, file, &options)?);
            }
        }
        if !released {
            guard.check_loaded(&loaded)?;
        }
        Ok(match facts {
            Some(facts) => LoadedData::Nodes(facts.of(loaded.into_nodes()?)?),
            None => loaded,
        })
    })?;
    Ok(loaded.into())
}

/// A benchmark by its name.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, name: String, data_dir: Option<PathBuf>) -> PyResult<Held> {
    let loaded = working(py, None, move |_| {
        let folders = catalog::data_dirs(data_dir.as_deref());
        Ok(catalog::select(&name)?.load(&folders, &ReadOptions::default())?)
    })?;
    Ok(loaded.into())
}

/// The names of all benchmarks, and whether their files are on this machine.
#[pyfunction]
pub(crate) fn benchmarks(data_dir: Option<PathBuf>) -> Vec<(&'static str, bool)> {
    let folders = catalog::data_dirs(data_dir.as_deref());
    let here =
        |entry: &'static catalog::CatalogBenchmark| entry.primary().locate(&folders).is_complete();
    catalog::entries().map(|entry| (entry.name, here(entry))).collect()
}

/// Zachary's karate club.
#[pyfunction]
pub(crate) fn karate_club() -> PyResult<Dataset> {
    Ok(Dataset(Arc::new(synthetic::karate_club().map_err(Failure::from)?)))
}

/// People who do not exist, in groups that know each other.
#[pyfunction]
pub(crate) fn stochastic_blocks(
    seed: u64,
    nodes: Option<usize>,
    classes: Option<usize>,
    features: Option<usize>,
    mean_degree: Option<f64>,
) -> PyResult<Dataset> {
    let usual = StochasticBlocks::default();
    let blocks = StochasticBlocks {
        nodes: nodes.unwrap_or(usual.nodes),
        classes: classes.unwrap_or(usual.classes),
        features: features.unwrap_or(usual.features),
        mean_degree: mean_degree.unwrap_or(usual.mean_degree),
        ..usual
    };
    Ok(Dataset(Arc::new(blocks.generate(seed).map_err(Failure::from)?)))
}

/// Threads that do not exist: many graphs of two classes.
#[pyfunction]
pub(crate) fn threads(count: usize, smallest: u32, largest: u32, seed: u64) -> PyResult<GraphSet> {
    let made = made_up::threads(count, smallest..largest.saturating_add(1), seed);
    Ok(GraphSet(Arc::new(made.map_err(Failure::from)?)))
}
