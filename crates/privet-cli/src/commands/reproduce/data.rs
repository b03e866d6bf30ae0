//! [`Sources`]: the data that an item wants, found, then read as the item needs it.

use privet::graph::{Bounds, BoundsOrigin, Dataset, Features, LoadedData, NodeIds};
use privet::ldp_ge::Preset;
use privet_lab::experiments::reproduce::{Inputs, Reads};

use crate::args::{Reading, Reproduce};
use crate::commands::people::{SYNTHETIC, made_up_threads};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::source::Source;

/// Datasets that an item wants, found but not read.
#[derive(Debug)]
pub(super) struct Sources {
    named: Vec<(String, Source)>,
    /// Whether threads are wanted that do not exist.
    made_up: bool,
    /// What becomes of a dataset that is not on this machine.
    absent: Absent,
}

/// What becomes of a dataset that is not on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Absent {
    /// It was one of the paper's: the others will do.
    LeaveOut,
    /// It was asked for.
    Fail,
}

impl Sources {
    /// Finds datasets by their names.
    ///
    /// # Errors
    /// If one is unknown, or options about one file are given for several.
    pub(super) fn find(names: &[String], typed: &Reproduce, console: &Console) -> Result<Self> {
        if names.len() > 1 && describes_one_file(&typed.reading) {
            let message =
                "--features, --labels, --bounds, --format and --member are about one dataset";
            return Err(Failure::usage(message).hint("name it with --datasets NAME"));
        }
        let find = |name: &String| {
            let source = Source::find(&name.as_str().into(), typed.reading.clone(), console);
            source.map(|source| (name.clone(), source))
        };
        let absent = if typed.datasets.is_empty() { Absent::LeaveOut } else { Absent::Fail };
        let made_up = names.iter().any(|name| name == SYNTHETIC);
        let read = names.iter().filter(|name| *name != SYNTHETIC);
        Ok(Self { named: read.map(find).collect::<Result<Vec<_>>>()?, made_up, absent })
    }

    /// Reads what an item is measured on; sets of graphs that are made up come last.
    ///
    /// # Errors
    /// If data cannot be read, or is of another kind.
    pub(super) fn read(&self, reads: Reads, console: &Console) -> Result<Inputs> {
        let mut inputs = Inputs::default();
        match reads {
            Reads::Nothing(_) => {}
            Reads::People => {
                inputs.people = self.load(console, |_, loaded| Ok(loaded.into_nodes()?))?;
            }
            Reads::PeopleWithRange => {
                let keep = |name: &str, loaded: LoadedData| with_range(name, loaded.into_nodes()?);
                inputs.people = self.load(console, keep)?;
            }
            Reads::Structure => {
                inputs.people = self.load(console, |name, it| largest(name, it, console))?;
            }
            Reads::Sets => {
                inputs.sets = self.load(console, |_, loaded| Ok(loaded.into_graphs()?))?;
                if self.made_up {
                    inputs.sets.push((SYNTHETIC.to_owned(), made_up_threads()?));
                }
            }
        }
        Ok(inputs)
    }

    /// Reads all data: it is small beside what is made of it, and a missing file is better found now.
    ///
    /// # Errors
    /// If one cannot be read, or `keep` refuses it, or none is here.
    fn load<T>(
        &self,
        console: &Console,
        keep: impl Fn(&str, LoadedData) -> Result<T>,
    ) -> Result<Vec<(String, T)>> {
        let mut read = Vec::new();
        for (name, source) in &self.named {
            match source.load(console).and_then(|(loaded, _)| keep(name, loaded)) {
                Ok(data) => read.push((name.clone(), data)),
                Err(_) if self.absent == Absent::LeaveOut && source.is_absent() => {
                    console.note(&format!("{name} is left out: it is not on this machine"));
                }
                Err(failure) => return Err(failure),
            }
        }
        if read.is_empty()
            && let Some((first, _)) = self.named.first()
        {
            let message = "none of the paper's datasets is on this machine";
            let hint = format!(
                "get one with `privet data fetch {first}`, or name your own with --datasets FILE"
            );
            return Err(Failure::data(message).hint(hint));
        }
        Ok(read)
    }
}

/// Of a set of graphs the largest.
fn largest(name: &str, loaded: LoadedData, console: &Console) -> Result<Dataset> {
    let LoadedData::Graphs(set) = loaded else { return Ok(loaded.into_nodes()?) };
    let largest = set.graphs().iter().enumerate().max_by_key(|(_, graph)| graph.edge_count());
    match largest {
        None => Ok(LoadedData::Graphs(set).into_nodes()?),
        Some((at, graph)) => {
            console.note(&format!("{name}: graph {at} of {}, the largest", set.len()));
            let ids = NodeIds::sequential(graph.node_count());
            Ok(Dataset::new(name, graph.clone(), ids)?)
        }
    }
}

/// The data with a range for its features, where its benchmark states none but the preset does.
fn with_range(name: &str, dataset: Dataset) -> Result<Dataset> {
    let stated = |features: &&Features| features.bounds().is_some_and(Bounds::is_public);
    let (Some(features), Some((low, high))) =
        (dataset.features().filter(|f| !stated(f)).cloned(), Preset::declared_range(name))
    else {
        return Ok(dataset);
    };
    let bounds = Bounds::uniform(low, high, BoundsOrigin::Declared)?;
    Ok(dataset.with_features(features.with_bounds(bounds)?)?)
}

fn describes_one_file(reading: &Reading) -> bool {
    reading.features.is_some()
        || reading.labels.is_some()
        || reading.bounds.is_some()
        || reading.format.is_some()
        || reading.member.is_some()
}
