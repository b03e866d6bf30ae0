//! [`Search`]: better settings by random search with successive halving, on validation scores alone.
//!
//! ```text
//! all candidates   1 seed     keep the best third
//! n/3              3 seeds    keep the best third
//! n/9              9 seeds    ... until three are left, or seeds would pass 27
//! winner, preset   fresh seeds: the only time anybody looks at a test score
//! ```
//! Everything stored follows from its key, so an interrupted search continues and ends as it would have.
//!
//! A seed redraws the split and the noise, so each stands for a collection of its own. On reports that
//! were collected once, trying settings of the collector is post-processing and free; trying another k
//! is not, because people would have to report again.

mod render;
pub mod space;

use privet::ldp_ge::Preset;
use serde::{Deserialize, Serialize};

use super::cells::Progress;
use super::ldp_ge::{Score, Task, Variant};
use super::measure::{Data, Measurement, Reports, Sweep, preset};
use crate::error::Error;

pub use render::{flags, report};
pub use space::{Tuned, candidates};

/// Keep one in so many.
const KEEP: usize = 3;
/// No candidate gets more seeds than this.
const MOST_SEEDS: u64 = 27;
/// Where the seeds of a search start: figures are reported on seeds 0, 1, ...
pub const FIRST: u64 = 1000;
/// The seeds of the comparison at the end: none of the search's.
const FRESH: u64 = 1_000_000;

/// What to search.
#[derive(Debug, Clone)]
pub struct Search<'a> {
    /// On which data.
    pub data: Data<'a>,
    /// What is predicted.
    pub task: Task,
    /// What users send; k is the preset's or a candidate's where the mechanism is HDS.
    pub reports: Reports,
    /// How many candidates, the preset among them.
    pub trials: usize,
    /// How many fresh seeds the winner and the preset are compared on.
    pub runs: u64,
    /// What may vary.
    pub tuned: Tuned,
    /// Decides which candidates are drawn.
    pub seed: u64,
    /// The first seed of the runs that are searched with: none that is reported.
    pub first_seed: u64,
    /// What candidates are compared on: private runs, or the ceiling, whose best settings are others.
    pub variant: Variant,
    /// Where the search starts.
    pub preset: Preset,
}

/// One candidate, and what it scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trial {
    /// Its number; 0 is the preset.
    pub number: usize,
    /// Its settings.
    pub settings: Preset,
    /// Validation scores by seed; more for those that lasted longer.
    pub validation: Vec<f64>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// All candidates, best first: by how long they lasted, then by their mean score.
    pub trials: Vec<Trial>,
    /// The winner's scores on fresh seeds.
    pub winner: Vec<Score>,
    /// The preset's on the same seeds.
    pub preset: Vec<Score>,
    /// Those of the winner's settings if everybody holds the same row.
    pub control: Vec<Score>,
}

/// What is stored of a run of the search: nothing of the test data.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Validated {
    validation: f64,
    seconds: f64,
}

impl Trial {
    /// The mean validation score so far.
    pub fn mean(&self) -> f64 {
        self.validation.iter().sum::<f64>() / self.validation.len().max(1) as f64
    }
}

impl<'a> Search<'a> {
    /// A search from the published settings of a dataset.
    pub fn new(data: Data<'a>, task: Task, reports: Reports) -> Self {
        let preset = preset(task, data.name);
        let (trials, runs, seed, first_seed) = (60, 3, 0, FIRST);
        let (tuned, variant) = (Tuned::Collector, Variant::Private);
        Self { data, task, reports, trials, runs, tuned, seed, first_seed, variant, preset }
    }

    /// The candidates; the preset is the first.
    pub fn candidates(&self) -> Vec<Preset> {
        let columns = self.data.dataset.features().map_or(0, |features| features.columns());
        let preset = Preset { k: self.preset.k.clamp(1, columns.max(1)), ..self.preset.clone() };
        let examples = match self.task {
            Task::Nodes => self.data.dataset.graph().node_count(),
            Task::Links => self.data.dataset.graph().edge_count(),
        };
        candidates(&preset, self.trials, self.tuned, (columns, examples), self.seed)
    }

    /// How many runs it will take, at most.
    pub fn runs_in_all(&self) -> usize {
        let mut all = 0;
        let mut before = 0;
        for (count, seeds) in rungs(self.candidates().len()) {
            all += count * (seeds - before) as usize;
            before = seeds;
        }
        all + 3 * self.runs as usize
    }

    /// Finds out whether all of it can run.
    ///
    /// # Errors
    /// If the data lacks something, or the mechanism refuses a candidate's k.
    pub fn check(&self) -> privet::Result<()> {
        if self.task == Task::Nodes && self.data.dataset.labels().is_none() {
            let (dataset, what) = (self.data.name.to_owned(), "labels");
            let remedy = "they are what is to be predicted; give them with --labels FILE";
            return Err(privet::Error::Missing { dataset, what, remedy });
        }
        for settings in self.candidates() {
            self.measurement(&settings, Variant::Private, 0).check()?;
        }
        Ok(())
    }

    /// Runs what is missing of the search and of the comparison at its end.
    ///
    /// # Errors
    /// Those of [`Sweep::measure`]. A candidate whose training diverges is no error: it scores 0.
    pub fn run(
        &self,
        sweep: &mut Sweep<'_>,
        progress: impl Fn(Progress<'_>) + Sync,
    ) -> Result<Found, Error> {
        let trial = |(number, settings)| Trial { number, settings, validation: Vec::new() };
        let mut running: Vec<Trial> =
            self.candidates().into_iter().enumerate().map(trial).collect();
        let mut out: Vec<Trial> = Vec::new();
        let (total, mut done) = (self.runs_in_all(), 0);
        let offset = |before: usize| {
            let progress = &progress;
            move |part: Progress<'_>| {
                progress(Progress { done: before + part.done, total, key: part.key });
            }
        };
        for (count, seeds) in rungs(running.len()) {
            // Those that are out go behind those that go on, and before those that went out earlier.
            out.splice(0..0, running.split_off(count.min(running.len())));
            let from = running.first().map_or(0, |trial| trial.validation.len() as u64);
            let wanted: Vec<Measurement<'_>> = running
                .iter()
                .flat_map(|trial| (from..seeds).map(move |seed| (trial, seed)))
                .map(|(trial, seed)| {
                    self.measurement(&trial.settings, self.variant, self.first_seed + seed)
                })
                .collect();
            let scores = sweep.measure(&wanted, offset(done), validated)?;
            done += wanted.len();
            for (trial, scores) in running.iter_mut().zip(scores.chunks((seeds - from) as usize)) {
                trial.validation.extend(scores.iter().map(|score| score.validation));
            }
            running.sort_by(|a, b| b.mean().total_cmp(&a.mean()).then(a.number.cmp(&b.number)));
        }
        running.extend(out);
        self.compare(running, sweep, offset(done))
    }

    /// The winner, the preset and the control on seeds that the search did not use.
    fn compare(
        &self,
        trials: Vec<Trial>,
        sweep: &mut Sweep<'_>,
        progress: impl Fn(Progress<'_>) + Sync,
    ) -> Result<Found, Error> {
        let best = trials.first().map_or(&self.preset, |trial| &trial.settings);
        let first = trials.iter().find(|trial| trial.number == 0);
        let preset = first.map_or(&self.preset, |trial| &trial.settings);
        let wanted: Vec<Measurement<'_>> =
            [(best, self.variant), (preset, self.variant), (best, Variant::Control)]
                .into_iter()
                .flat_map(|(settings, variant)| {
                    let fresh = FRESH..FRESH + self.runs;
                    fresh.map(move |seed| self.measurement(settings, variant, seed))
                })
                .collect();
        let scores = sweep.measure(&wanted, progress, |outcome| outcome)?;
        let mut parts = scores.chunks(self.runs.max(1) as usize).map(<[Score]>::to_vec);
        let mut next = || parts.next().unwrap_or_default();
        let (winner, preset, control) = (next(), next(), next());
        Ok(Found { trials, winner, preset, control })
    }

    /// Whether a candidate's k is used: the preset's was chosen for HDS, and other mechanisms have a
    /// rule of their own unless k is searched.
    fn sends_k(&self) -> bool {
        self.reports.mechanism == "hds" || self.tuned == Tuned::CollectorAndReports
    }

    fn measurement(&self, settings: &Preset, variant: Variant, seed: u64) -> Measurement<'a> {
        let k = if self.sends_k() { Some(settings.k) } else { self.reports.k };
        Measurement {
            data: self.data,
            task: self.task,
            reports: Reports { k, ..self.reports.clone() },
            settings: settings.clone(),
            variant,
            seed,
        }
    }
}

/// How many candidates get how many seeds, round by round.
fn rungs(trials: usize) -> Vec<(usize, u64)> {
    let mut rungs = vec![(trials, 1)];
    while let Some(&(count, seeds)) = rungs.last() {
        if count <= KEEP || seeds >= MOST_SEEDS {
            break;
        }
        rungs.push((count.div_ceil(KEEP), seeds * KEEP as u64));
    }
    rungs
}

fn validated(outcome: privet::Result<Score>) -> privet::Result<Validated> {
    use privet::learn::Error as Learn;
    match outcome {
        Ok(score) => Ok(Validated { validation: score.validation, seconds: score.seconds }),
        Err(privet::Error::Learn(Learn::Diverged { .. } | Learn::NotConverged { .. })) => {
            Ok(Validated { validation: 0.0, seconds: 0.0 })
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
