//! [`Search`]: better settings by random search with successive halving, on validation scores alone.
//!
//! ```text
//! all candidates   1 seed     keep the best third
//! n/3              3 seeds    keep the best third
//! n/9              9 seeds    ... until three are left, or seeds would pass 27
//! winner, preset   fresh seeds: the only time a test score is read
//! ```
//! Everything stored follows from its key, so an interrupted search continues and ends as it would have.
//!
//! A seed redraws the split and the noise, so each stands for a collection of its own. On reports that
//! were collected once, trying settings of the collector is post-processing and free; trying another k
//! is not, because people would have to report again.

mod findings;
mod render;
pub mod space;

use privet::graph::memory::free;
use privet::labels::one_each;
use privet::ldp_ge::{Preset, Task};
use privet::system::Facts;
use serde::{Deserialize, Serialize};

use super::cells::{Key, Sweep};
use super::ldp_ge::LdpGeTrial;
use super::ldp_ge::reports::Reports;
use super::trial::compare::threads_that_fit;
use super::trial::compare::{measure, run_key};
use super::trial::{NamedData, Subject, TrialScores, Variant};
use crate::error::Error;

pub use findings::SearchFindings;
pub use render::{flags, report, run_command};
pub use space::{TunedSettings, candidates, on_ways};

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
    pub data: NamedData<'a>,
    /// What is predicted.
    pub task: Task,
    /// What users send; k is the preset's or a candidate's where the mechanism is HDS.
    pub reports: Reports,
    /// How many candidates, the preset among them.
    pub trials: usize,
    /// How many fresh seeds the winner and the preset are compared on.
    pub runs: u64,
    /// What may vary.
    pub tuned: TunedSettings,
    /// Seed of the candidates.
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
pub struct ScoredCandidate {
    /// Its number; 0 is the preset.
    pub number: usize,
    /// Its settings.
    pub settings: Preset,
    /// Validation scores by seed; more for those that lasted longer.
    pub validation: Vec<f64>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TuningResult {
    /// All candidates, best first: by how long they lasted, then by their mean score.
    pub trials: Vec<ScoredCandidate>,
    /// The winner's scores on fresh seeds.
    pub winner: Vec<TrialScores>,
    /// The preset's on the same seeds.
    pub preset: Vec<TrialScores>,
    /// Those of the winner's settings if all people hold the same row.
    pub control: Vec<TrialScores>,
}

/// What is stored of a run of the search: nothing of the test data.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Validated {
    validation: f64,
    seconds: f64,
}

impl ScoredCandidate {
    /// The mean validation score so far.
    pub fn mean(&self) -> f64 {
        self.validation.iter().sum::<f64>() / self.validation.len().max(1) as f64
    }
}

impl<'a> Search<'a> {
    /// A search from the published settings of a dataset.
    pub fn new(data: NamedData<'a>, task: Task, reports: Reports) -> Self {
        let mut preset = Preset::of(task, data.name);
        if !Preset::is_published(data.name) {
            if task == Task::Nodes {
                let facts = Facts::of(data.dataset);
                preset = Preset::fitting(facts.total(), facts.columns);
            }
            // As `run` does: a k that was found elsewhere says nothing about these columns.
            let usual = Reports { k: None, ..reports.clone() };
            preset.k = usual.trial(data, task, &preset).check().unwrap_or(preset.k);
        }
        let (trials, runs, seed, first_seed) = (60, 3, 0, FIRST);
        let (tuned, variant) = (TunedSettings::Collector, Variant::Private);
        Self { data, task, reports, trials, runs, tuned, seed, first_seed, variant, preset }
    }

    /// The same for the ceiling, from the published settings for features in the clear, if there are any.
    #[must_use]
    pub fn for_ceiling(self) -> Self {
        let preset = match Preset::is_published(self.data.name) {
            true => Preset::ceiling(self.task, self.data.name),
            false => self.preset,
        };
        Self { variant: Variant::Clear, preset, ..self }
    }

    /// The candidates; the preset is the first.
    pub fn candidates(&self) -> Vec<Preset> {
        let columns = self.data.dataset.features().map_or(0, |features| features.columns());
        let preset = Preset { k: self.preset.k.clamp(1, columns.max(1)), ..self.preset.clone() };
        let examples = match self.task {
            Task::Nodes => self.data.dataset.graph().node_count(),
            Task::Links => self.data.dataset.graph().edge_count(),
        };
        let size = (columns, examples);
        let list = candidates(&preset, self.trials, self.tuned, size, self.seed);
        match self.task {
            Task::Nodes => on_ways(list, self.seed),
            Task::Links => list,
        }
    }

    /// How many runs it will take, at most.
    pub fn runs_in_all(&self) -> usize {
        let mut all = 0;
        let mut before = 0;
        for (count, seeds) in rungs(self.candidates().len()) {
            // A candidate that goes on has run on the seeds before already.
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
        // All candidates are checked first: an invalid one would stop a search of hours.
        if self.task == Task::Nodes {
            let remedy = "they are what is to be predicted";
            one_each(self.data.dataset.labels(), self.data.name, remedy)?;
        }
        for settings in self.candidates() {
            self.trial(&settings).check()?;
        }
        Ok(())
    }

    /// Runs what is missing of the search and of the comparison at its end.
    ///
    /// # Errors
    /// Those of [`Sweep::measure`]. A candidate whose training diverges is no error: it scores 0.
    pub fn run(&self, sweep: &mut Sweep<'_>) -> Result<TuningResult, Error> {
        let candidate =
            |(number, settings)| ScoredCandidate { number, settings, validation: Vec::new() };
        let mut running: Vec<ScoredCandidate> =
            self.candidates().into_iter().enumerate().map(candidate).collect();
        let mut out: Vec<ScoredCandidate> = Vec::new();
        let (total, mut done, progress) = (self.runs_in_all(), 0, sweep.progress);
        for (count, seeds) in rungs(running.len()) {
            // Those that are out go behind those that go on, and before those that went out earlier.
            out.splice(0..0, running.split_off(count.min(running.len())));
            // All that still run have the same number of seeds.
            let from = running.first().map_or(0, |candidate| candidate.validation.len() as u64);
            let offset = |part, _| progress(done + part, total);
            let mut part = Sweep { progress: &offset, cells: sweep.cells, ..*sweep };
            let scores = self.validate(&running, from..seeds, &mut part)?;
            done += scores.len();
            for (candidate, scores) in
                running.iter_mut().zip(scores.chunks((seeds - from) as usize))
            {
                candidate.validation.extend(scores.iter().map(|score| score.validation));
            }
            // Ties go to the earlier candidate, so that the order is reproducible.
            running.sort_by(|a, b| b.mean().total_cmp(&a.mean()).then(a.number.cmp(&b.number)));
        }
        running.extend(out);
        let offset = |part, _| progress(done + part, total);
        let mut part = Sweep { progress: &offset, cells: sweep.cells, ..*sweep };
        self.compare(running, &mut part)
    }

    /// What candidates score on validation data, candidate by candidate.
    fn validate(
        &self,
        candidates: &[ScoredCandidate],
        seeds: std::ops::Range<u64>,
        sweep: &mut Sweep<'_>,
    ) -> Result<Vec<Validated>, Error> {
        let trials = candidates.iter().map(|candidate| self.trial(&candidate.settings));
        let seeds = seeds.map(|seed| self.first_seed + seed);
        let runs: Vec<(LdpGeTrial<'_>, u64)> =
            trials.flat_map(|trial| seeds.clone().map(move |seed| (trial.clone(), seed))).collect();
        let (variant, interrupt) = (self.variant, sweep.interrupt);
        let largest = runs.iter().map(|(trial, _)| trial.bytes(variant)).max();
        sweep.threads = threads_that_fit(largest.unwrap_or(0), sweep.threads, free());
        let key = |(trial, seed): &(LdpGeTrial<'_>, u64)| -> Key {
            // The key says that only the validation score is kept: test scores of candidates are
            // never stored.
            run_key(trial, variant, *seed).with("kept", "validation")
        };
        sweep.measure(&runs, key, |(trial, seed)| {
            validated(trial.run(variant, *seed, interrupt).map(|outcome| outcome.scores))
        })
    }

    /// The winner, the preset and the control on seeds that the search did not use.
    fn compare(
        &self,
        trials: Vec<ScoredCandidate>,
        sweep: &mut Sweep<'_>,
    ) -> Result<TuningResult, Error> {
        let best = trials.first().map_or(&self.preset, |candidate| &candidate.settings);
        // Number 0 is the preset: it is compared on the same fresh seeds.
        let first = trials.iter().find(|candidate| candidate.number == 0);
        let preset = first.map_or(&self.preset, |candidate| &candidate.settings);
        let (best, preset) = (self.trial(best), self.trial(preset));
        let points = [(&best, self.variant), (&preset, self.variant), (&best, Variant::Control)];
        let seeds: Vec<u64> = (0..self.runs).map(|run| FRESH + run).collect();
        let mut scores = measure(&points, &seeds, sweep)?.into_iter();
        let mut next = || scores.next().unwrap_or_default();
        let (winner, preset, control) = (next(), next(), next());
        Ok(TuningResult { trials, winner, preset, control })
    }

    /// Whether a candidate's k is used: the preset's was chosen for HDS, and other mechanisms have a
    /// rule of their own unless k is searched.
    fn sends_k(&self) -> bool {
        self.reports.mechanism == "hds" || self.tuned == TunedSettings::CollectorAndReports
    }

    fn trial(&self, settings: &Preset) -> LdpGeTrial<'a> {
        let k = if self.sends_k() { Some(settings.k) } else { self.reports.k };
        Reports { k, ..self.reports.clone() }.trial(self.data, self.task, settings)
    }
}

/// How many candidates get how many seeds, round by round.
// Successive halving by a factor of KEEP: a third of the candidates, three times the seeds.
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

fn validated(outcome: privet::Result<TrialScores>) -> privet::Result<Validated> {
    use privet::learn::Error as Learn;
    match outcome {
        Ok(score) => Ok(Validated { validation: score.validation(), seconds: score.seconds() }),
        // A training that diverged is a bad candidate, and no error of the search.
        Err(privet::Error::Learn(Learn::Diverged { .. } | Learn::NotConverged { .. })) => {
            Ok(Validated { validation: 0.0, seconds: 0.0 })
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests;
