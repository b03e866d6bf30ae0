//! All variants over the same seeds.

use std::num::NonZeroUsize;

use privet::graph::memory::free;
use privet::learn::metrics::{PairedComparison, Summary};
use privet::privacy::Card;

use super::{Outcome, Subject, Trial, TrialScores, Variant};
use crate::error::Error;
use crate::experiments::cells::{Key, Sweep};

/// What every variant scored.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// In the order of the trial.
    pub rows: Vec<VariantRow>,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// The card of a run of the system.
    pub card: Card,
}

/// What one variant scored.
#[derive(Debug, Clone, PartialEq)]
pub struct VariantRow {
    /// Which.
    pub variant: Variant,
    /// What tables call it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Run by run, in the order of the seeds.
    pub scores: Vec<TrialScores>,
}

/// Runs every variant with every seed, as far as it is not stored. The result does not depend on the number
/// of threads.
///
/// # Errors
/// The first, in the order of variants and seeds, that a run met; or that there are no seeds.
pub fn compare<T: Trial>(
    trial: &T,
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<Comparison, Error> {
    compare_some(trial, &trial.variants(), seeds, sweep)
}

/// Like [`compare()`], for some variants only; the system itself comes first.
///
/// # Errors
/// Those of [`compare()`].
pub fn compare_some<T: Trial>(
    trial: &T,
    variants: &[Variant],
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<Comparison, Error> {
    let arms: Vec<_> = variants.iter().map(|&variant| (trial, variant)).collect();
    let mut outcomes = run_all(&arms, seeds, sweep).map_err(Error::of_system)?;
    // The first run's card stands for all: promises do not depend on the seed.
    let card = outcomes.first_mut().and_then(|outcome| outcome.card.take());
    let none = || privet::Error::invalid("runs", seeds.len(), "at least 1");
    let mut scores = outcomes.into_iter().map(|outcome| outcome.scores);
    let row = |&variant: &Variant| VariantRow {
        variant,
        name: trial.name(variant),
        about: trial.about(variant),
        // Outcomes come back in the order of arms and seeds.
        scores: scores.by_ref().take(seeds.len()).collect(),
    };
    let rows = variants.iter().map(row).collect();
    Ok(Comparison { rows, seeds: seeds.to_vec(), card: card.ok_or_else(none)? })
}

/// A variant of a subject, to be run with many seeds.
pub type Arm<'t, T> = (&'t T, Variant);

/// What arms score, by arm and seed, as far as it is not stored.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn measure<T: Subject>(
    arms: &[Arm<'_, T>],
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<Vec<Vec<TrialScores>>, Error> {
    let mut outcomes = run_all(arms, seeds, sweep)?.into_iter().map(|outcome| outcome.scores);
    Ok(arms.iter().map(|_| outcomes.by_ref().take(seeds.len()).collect()).collect())
}

/// Every arm with every seed, seeds of an arm together.
fn run_all<T: Subject>(
    arms: &[Arm<'_, T>],
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<Vec<Outcome>, Error> {
    let runs: Vec<(Arm<'_, T>, u64)> =
        arms.iter().flat_map(|&arm| seeds.iter().map(move |&seed| (arm, seed))).collect();
    let interrupt = sweep.interrupt;
    let largest = arms.iter().map(|(subject, variant)| subject.bytes(*variant)).max();
    // As many runs at once as fit into memory, by the largest of them.
    sweep.threads = threads_that_fit(largest.unwrap_or(0), sweep.threads, free());
    sweep.measure(
        &runs,
        |&((subject, variant), seed)| run_key(subject, variant, seed),
        |&((subject, variant), seed)| subject.run(variant, seed, interrupt),
    )
}

/// The key of one run: all that its trial says, the variant, and the seed.
pub fn run_key(subject: &impl Subject, variant: Variant, seed: u64) -> Key {
    subject.key(variant).with("variant", variant.name()).with("seed", seed)
}

impl Comparison {
    /// The row of a variant, if it was run.
    pub fn row(&self, variant: Variant) -> Option<&VariantRow> {
        self.rows.iter().find(|row| row.variant == variant)
    }

    /// One variant minus another, seed by seed.
    pub fn minus(&self, one: Variant, other: Variant, score: &str) -> Option<PairedComparison> {
        PairedComparison::of(&self.row(one)?.values(score), &self.row(other)?.values(score))
    }

    /// Private minus another variant on test data, seed by seed; no difference where that was not run.
    pub fn over(&self, other: Variant) -> Option<PairedComparison> {
        self.minus(Variant::Private, other, super::TEST)
    }
}

impl VariantRow {
    /// A score, run by run.
    pub fn values(&self, score: &str) -> Vec<f64> {
        self.scores.iter().filter_map(|scores| scores.get(score)).collect()
    }

    /// A score over all runs, if it was taken.
    pub fn summary(&self, score: &str) -> Option<Summary> {
        Summary::of(&self.values(score))
    }

    /// Test items of all runs by true class (a row) and predicted class, if every run counted the same classes.
    pub fn confusion(&self) -> Option<Vec<Vec<u64>>> {
        let mut all = self.scores.iter().map(|scores| &scores.confusion);
        let mut sum = all.next().filter(|first| !first.is_empty())?.clone();
        for other in all {
            if other.len() != sum.len() {
                return None;
            }
            let cells = sum.iter_mut().flatten().zip(other.iter().flatten());
            cells.for_each(|(sum, count)| *sum += count);
        }
        Some(sum)
    }
}

/// What may be used of the memory that is free: others live here too.
const SHARE: f64 = 0.7;

/// As many threads as wanted, or fewer if runs of so many bytes would not fit into `available` ones.
pub fn threads_that_fit(bytes: u64, threads: NonZeroUsize, available: Option<u64>) -> NonZeroUsize {
    let Some(available) = available else { return threads };
    let fitting = (available as f64 * SHARE / bytes.max(1) as f64) as usize;
    NonZeroUsize::new(fitting).map_or(NonZeroUsize::MIN, |fitting| fitting.min(threads))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::experiments::cells::Cells;
    use crate::experiments::trial::results::{RunResults, SCHEMA};
    use crate::experiments::trial::write_up::{Circumstances, report};
    use crate::experiments::trial::{Brief, Column, TEST, TrialText};

    /// Scores that follow from the seed, and a list of what was run.
    struct Coin {
        bias: f64,
        runs: Mutex<Vec<(Variant, u64)>>,
    }

    impl Coin {
        fn new(bias: f64) -> Self {
            Self { bias, runs: Mutex::new(Vec::new()) }
        }

        fn runs(&self) -> usize {
            self.runs.lock().unwrap().len()
        }
    }

    impl Subject for Coin {
        fn key(&self, _: Variant) -> Key {
            Key::new().with("bias", self.bias)
        }

        fn run(&self, variant: Variant, seed: u64, _: &AtomicBool) -> privet::Result<Outcome> {
            self.runs.lock().unwrap().push((variant, seed));
            let noise = 0.01 * (seed % 3) as f64;
            let score = match variant {
                Variant::Private => self.bias + 2.0 * noise,
                Variant::Ceiling => 0.9,
                _ => 0.5 + noise,
            };
            let card = (variant == Variant::Private).then(|| Card::new("a coin"));
            Ok(Outcome { scores: TrialScores::new([(TEST, score)]), card })
        }
    }

    impl Trial for Coin {
        fn experiment(&self) -> &'static str {
            "coin"
        }

        fn variants(&self) -> Vec<Variant> {
            vec![Variant::Private, Variant::Control, Variant::Ceiling]
        }

        fn about(&self, variant: Variant) -> String {
            format!("about {}", variant.name())
        }

        fn words(&self, comparison: &Comparison) -> TrialText {
            TrialText {
                title: "a coin".into(),
                columns: vec![Column::interval("test", "test", TEST)],
                gain: comparison.over(Variant::Control).map(|paired| ("what it added", paired)),
                verdict: "it fell".into(),
                ..TrialText::default()
            }
        }
    }

    fn run(trial: &Coin, seeds: &[u64], cells: &mut Cells) -> Result<Comparison, Error> {
        let (interrupt, threads) = (&AtomicBool::new(false), NonZeroUsize::new(2).unwrap());
        compare(trial, seeds, &mut Sweep { cells, threads, interrupt, progress: &|_, _| {} })
    }

    #[test]
    fn differences_are_taken_seed_by_seed() {
        let comparison = run(&Coin::new(0.6), &[0, 1, 2], &mut Cells::in_memory()).unwrap();
        let values = comparison.row(Variant::Private).unwrap().values(TEST);
        assert_eq!(values, [0.6, 0.62, 0.64]);
        let over = comparison.over(Variant::Control).unwrap().difference;
        // 0.1, 0.11, 0.12: what seeds have in common cancels.
        assert!((over.mean - 0.11).abs() < 1e-12 && (over.deviation - 0.01).abs() < 1e-12);
        assert!(comparison.over(Variant::Plain).is_none(), "it was not run");
        assert!(run(&Coin::new(0.6), &[], &mut Cells::in_memory()).is_err(), "no seeds");
    }

    #[test]
    fn what_is_stored_is_not_run_again_and_other_settings_are() {
        let (trial, mut cells) = (Coin::new(0.6), Cells::in_memory());
        let first = run(&trial, &[0, 1], &mut cells).unwrap();
        assert_eq!(trial.runs(), 6);
        assert_eq!(run(&trial, &[0, 1], &mut cells).unwrap(), first);
        assert_eq!(trial.runs(), 6, "all was there");
        run(&trial, &[0, 1, 2], &mut cells).unwrap();
        assert_eq!(trial.runs(), 9, "one more seed");
        let other = Coin::new(0.7);
        run(&other, &[0, 1], &mut cells).unwrap();
        assert_eq!(other.runs(), 6, "another setting");
    }

    #[test]
    fn a_report_a_short_table_and_json_tell_the_same() {
        let trial = Coin::new(0.6);
        let comparison = run(&trial, &[0, 1, 2], &mut Cells::in_memory()).unwrap();
        let words = trial.words(&comparison);
        let report = report(&words, &comparison, Circumstances::default());
        assert_eq!((report.plots().len(), report.cards.len()), (2, 1));
        let text = report.markdown();
        for part in ["62.0 ± 2.0 %", "private − control", "what it added", "about ceiling"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let brief = Brief::new(&words, &comparison);
        assert_eq!(brief.rows.len(), 4);
        assert!(brief.rows.iter().all(|row| row.len() == brief.heads.len()), "{brief:?}");
        assert_eq!(brief.rows[0][1], "62.0 ± 2.0 %");
        assert_eq!(brief.rows[3][0], "difference");
        let found = RunResults::new(trial.experiment(), &words, &comparison);
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!((&json["schema"], &json["system"]), (&SCHEMA.into(), &"coin".into()));
        assert_eq!(json["variants"][0]["scores"][1]["test"], 0.62);
        assert_eq!(json["variants"][0]["test"]["mean"], 0.62);
        assert_eq!(json["variants"][2]["variant"], "ceiling");
        assert!(json["private_minus"]["control"]["difference"]["mean"].is_number(), "{json}");
    }

    /// A failure is reported as the system states it: a caller that ran one system need not be told which.
    #[test]
    fn failures_are_those_of_the_system() {
        let error = Error::Work {
            key: "n=1".into(),
            source: Box::new(privet::Error::invalid("epsilon", 0, "above 0")),
        };
        assert!(matches!(error.of_system(), Error::System(_)));
        let other = Error::Work { key: "n=1".into(), source: "out of luck".into() };
        assert!(other.of_system().to_string().contains("n=1 failed: out of luck"));
    }

    #[test]
    fn large_runs_get_fewer_threads() {
        let four = NonZeroUsize::new(4).unwrap();
        let fit = |available| threads_that_fit(1000, four, available).get();
        assert_eq!((fit(None), fit(Some(100_000)), fit(Some(3000)), fit(Some(1))), (4, 4, 2, 1));
    }
}
