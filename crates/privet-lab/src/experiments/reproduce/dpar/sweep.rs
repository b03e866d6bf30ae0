//! Measuring: one run of one system on one dataset is a cell, whose key says everything its score follows from.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use privet::dpar::{Dpar, Held, Mode, Open, Plan};
use privet::graph::Dataset;
use privet::learn::metrics::accuracy;
use privet::privacy::unit::Node;
use privet::{Books, Noise, Run};
use serde::{Deserialize, Serialize};

use super::item::{Item, Wanted};
use super::lines::{Line, World};
use super::render;
use crate::error::Error;
use crate::experiments::cells::{Cells, Key, Progress, run_cells};
use crate::experiments::dpar::Hidden;
use crate::experiments::measure::hash;
use crate::report::Report;

/// What a cell holds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Score {
    /// Accuracy on those held out.
    pub accuracy: f64,
    /// What knowing nothing achieves on them.
    pub majority: f64,
    /// Seconds of the run.
    pub seconds: f64,
}

/// The lines of an item on one dataset.
pub struct Grid<'a> {
    /// What the data is called.
    pub name: &'a str,
    dataset: &'a Dataset,
    people: usize,
    /// The lines.
    pub lines: Vec<Line>,
    plans: Vec<Vec<OnceLock<Plan>>>,
    runs: u64,
}

impl<'a> Grid<'a> {
    /// The grid of an item.
    ///
    /// # Errors
    /// If the data lacks features or labels.
    pub fn new(
        item: Item,
        wanted: &Wanted,
        name: &'a str,
        dataset: &'a Dataset,
    ) -> privet::Result<Self> {
        let people = Open::split(dataset, Held::Test, 0)?.0.classes.len();
        let lines = item.lines(wanted, name)?;
        let plans = lines.iter().map(|line| line.places.iter().map(|_| OnceLock::new()).collect());
        let plans = plans.collect();
        Ok(Self { name, dataset, people, lines, plans, runs: wanted.runs })
    }

    /// The key of a cell.
    pub fn key(&self, system: &Dpar, world: World, seed: u64) -> Key {
        let key = key((self.name, self.dataset), self.people, system, seed);
        match world {
            World::True => key,
            World::Strangers => key.with("world", "strangers"),
        }
    }

    /// The keys of all cells.
    pub fn keys(&self) -> Vec<Key> {
        self.cells().map(|(_, _, key)| key).collect()
    }

    fn cells(&self) -> impl Iterator<Item = ((usize, usize), u64, Key)> + '_ {
        self.lines.iter().enumerate().flat_map(move |(line, of_line)| {
            of_line.places.iter().enumerate().flat_map(move |(place, system)| {
                (0..self.runs)
                    .map(move |seed| ((line, place), seed, self.key(system, of_line.world, seed)))
            })
        })
    }

    /// The plan of a place, made once.
    ///
    /// # Errors
    /// If no noise keeps the target.
    pub fn plan(&self, line: usize, place: usize) -> privet::Result<&Plan> {
        let slot = &self.plans[line][place];
        if let Some(plan) = slot.get() {
            return Ok(plan);
        }
        let plan = self.lines[line].places[place].plan::<Node>(self.people)?;
        Ok(slot.get_or_init(|| plan))
    }

    fn run(&self, at: (usize, usize), seed: u64, interrupt: &AtomicBool) -> privet::Result<Score> {
        let (mut people, visitors) = Open::split(self.dataset, Held::Test, seed)?;
        let (line, system) = (&self.lines[at.0], &self.lines[at.0].places[at.1]);
        if line.world == World::Strangers {
            people = people.forget_connections()?;
        }
        let plan = self.plan(at.0, at.1)?;
        let run = Run { noise: Noise::Replay(seed), books: Books::Memory, seed, interrupt };
        let begun = std::time::Instant::now();
        let majority = visitors.majority(people.class_count);
        let (trained, _) = Hidden::NodeAbsent.train(system, plan, people, &visitors, &run)?;
        Ok(Score {
            accuracy: accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0),
            majority,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }
}

/// What a run of a system with a seed follows from.
pub(super) fn key(
    (name, dataset): (&str, &Dataset),
    people: usize,
    system: &Dpar,
    seed: u64,
) -> Key {
    let mode = if system.mode == Mode::Paper { "paper" } else { "rigorous" };
    let settings = serde_json::to_string(&system.settings).unwrap_or_default();
    Key::new()
        .with("dataset", name)
        .with("size", format!("{people}, {} edges", dataset.graph().edge_count()))
        .with("method", system.method.name())
        .with("mode", mode)
        .with("epsilon", system.target.epsilon)
        .with("delta", system.target.delta)
        .with("settings", format!("{:016x}", hash(&settings)))
        .with("seed", seed)
}

/// Measures what is not stored, and writes all of it up.
///
/// # Errors
/// Those of a run, or of the store.
pub fn reproduce(
    item: Item,
    wanted: &Wanted,
    grids: &[Grid<'_>],
    cells: &mut Cells,
    threads: NonZeroUsize,
    interrupt: &AtomicBool,
    progress: impl Fn(Progress<'_>) + Sync,
) -> Result<Report, Error> {
    let mut found = BTreeMap::new();
    for (grid, of_grid) in grids.iter().enumerate() {
        for (at, seed, key) in of_grid.cells() {
            found.entry(key).or_insert((grid, at, seed));
        }
    }
    let keys: Vec<Key> = found.keys().cloned().collect();
    let work = |key: &Key| -> privet::Result<Score> {
        let Some(&(grid, at, seed)) = found.get(key) else {
            return Err(privet::Error::invalid("cell", key, "one of those that were wanted"));
        };
        grids[grid].run(at, seed, interrupt)
    };
    let scores: Vec<Score> = run_cells(cells, &keys, threads, interrupt, progress, work)?;
    let scores: BTreeMap<Key, Score> = keys.into_iter().zip(scores).collect();
    render::report(item, wanted, grids, &scores)
        .map_err(|error| Error::Work { key: item.name().into(), source: Box::new(error) })
}

impl Grid<'_> {
    /// The scores of a place, seed by seed.
    pub(super) fn scores(
        &self,
        line: &Line,
        place: usize,
        scores: &BTreeMap<Key, Score>,
    ) -> Vec<Score> {
        let key = |seed| self.key(&line.places[place], line.world, seed);
        (0..self.runs).filter_map(|seed| scores.get(&key(seed)).copied()).collect()
    }
}
