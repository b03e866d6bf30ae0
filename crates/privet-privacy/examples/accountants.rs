//! Random compositions against an independent evaluation: is any accountant ever below the truth, and how soon does
//! it answer?
//!
//! `cargo run --release -p privet-privacy --example accountants -- 10000 [first seed]`

#[path = "../tests/oracle/mod.rs"]
mod oracle;

use std::collections::BTreeMap;
use std::time::Instant;

use oracle::Composition;
use oracle::random::{Case, Random, case};
use privet_privacy::Delta;
use privet_privacy::accountant;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// The truth is looked for, and all accountants are asked, in one of so many compositions.
const ALL_ASKED: u64 = 10;

/// More than the evaluation itself is off by, as a share of delta.
const TOLERANCE: f64 = 1e-6;

fn main() -> Result<(), AnyError> {
    let mut arguments = std::env::args().skip(1);
    let count: u64 = arguments.next().unwrap_or("1000".into()).parse()?;
    let first: u64 = arguments.next().unwrap_or("0".into()).parse()?;
    let mut tally = Tally::default();
    for seed in first..first + count {
        tally.add(seed, &case(&mut Random::new(seed)))?;
    }
    tally.print(count);
    if tally.below.is_empty() { Ok(()) } else { Err("an accountant is below the truth".into()) }
}

/// What was found.
#[derive(Default)]
struct Tally {
    /// Answers given, and best answers, by accountant.
    answers: BTreeMap<&'static str, (u64, u64)>,
    /// Compositions of which the whole was evaluated, of which only a part, and of which nothing.
    whole: u64,
    partly: u64,
    unknown: u64,
    below: Vec<String>,
    /// The best claim over what was evaluated, for some compositions.
    excess: Vec<f64>,
    slowest: (f64, String),
}

impl Tally {
    /// Delta falls with epsilon, so the smallest answer is the one to compare; now and then every accountant is
    /// asked for its delta there.
    fn add(&mut self, seed: u64, case: &Case) -> Result<(), AnyError> {
        let at = Delta::new(case.delta)?;
        let start = Instant::now();
        let best = accountant::best(&case.event, at)?;
        let seconds = start.elapsed().as_secs_f64();
        if seconds > self.slowest.0 {
            self.slowest = (seconds, format!("seed {seed}: {}", case.event));
        }
        self.answers.entry(best.accountant).or_default().1 += 1;
        let epsilon = best.value.get();
        // Failures alone may be likelier than delta: then no epsilon is claimed.
        let truth = best.value.is_finite().then(|| case.truth.worst_delta(epsilon)).flatten();
        let Some(truth) = truth else {
            self.unknown += 1;
            return Ok(());
        };
        match case.truth.delta(epsilon) {
            Some(_) => self.whole += 1,
            None => self.partly += 1,
        }
        let mut claims = vec![(best.accountant, case.delta)];
        let others = if seed.is_multiple_of(ALL_ASKED) { &accountant::all()[..] } else { &[] };
        for asked in others {
            if let Ok(delta) = asked.delta(&case.event, best.value) {
                self.answers.entry(asked.name()).or_default().0 += 1;
                claims.push((asked.name(), delta.get()));
            }
        }
        for (name, claimed) in claims {
            if truth > claimed * (1.0 + TOLERANCE) {
                let event = &case.event;
                self.below.push(format!(
                    "seed {seed}, {name}: delta {claimed:e} at {epsilon}, but {truth:e}: {event}"
                ));
            }
        }
        if seed.is_multiple_of(ALL_ASKED)
            && let Some(truth) = true_epsilon(&case.truth, case.delta, epsilon)
        {
            self.excess.push(epsilon / truth - 1.0);
        }
        Ok(())
    }

    fn print(&mut self, count: u64) {
        println!(
            "{count} compositions: {} evaluated as a whole, {} by their largest part, {} not",
            self.whole, self.partly, self.unknown
        );
        for (name, (compared, best)) in &self.answers {
            println!("  {name}: {compared} deltas compared, the smallest epsilon {best} times");
        }
        self.excess.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let index = share * (self.excess.len().max(1) - 1) as f64;
            self.excess.get(index as usize).map_or(f64::NAN, |excess| 100.0 * excess)
        };
        println!(
            "smallest epsilon above what was evaluated ({} compositions): median {:.2} %, nine of ten within {:.1} %, all \
             within {:.0} %",
            self.excess.len(),
            quantile(0.5),
            quantile(0.9),
            quantile(1.0)
        );
        println!(
            "slowest answer of all accountants together: {:.2} s ({})",
            self.slowest.0, self.slowest.1
        );
        println!("below the truth: {}", self.below.len());
        self.below.iter().for_each(|line| println!("  {line}"));
    }
}

/// The epsilon at which delta is what was asked, by bisection below the claim.
fn true_epsilon(truth: &Composition, delta: f64, claim: f64) -> Option<f64> {
    let (mut low, mut high) = (0.0, claim * 1.0001);
    if truth.worst_delta(high)? > delta || truth.worst_delta(claim * 1e-2)? < delta {
        return None;
    }
    for _ in 0..16 {
        let middle = 0.5 * (low + high);
        if truth.worst_delta(middle)? > delta { low = middle } else { high = middle }
    }
    Some(high)
}
