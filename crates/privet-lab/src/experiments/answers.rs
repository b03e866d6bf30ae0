//! Answers of a public model measured against people whose answers are all the same.

use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::Result;
use privet::graph::Dataset;
use privet::ldp_ge::{Answers, Books, MixedPeople, Noise, Run};
use privet::learn::metrics::accuracy;

use super::ldp_ge::{Score, Variant, node_split};

/// One run on a 50/25/25 split, with a share of volunteers drawn by the seed. [`Variant::Control`]
/// replaces the private people's rows by a constant; other variants use the real rows.
///
/// # Errors
/// Those of the system.
pub fn run(
    dataset: &Dataset,
    system: &Answers,
    volunteers: f64,
    variant: Variant,
    seed: u64,
    interrupt: &AtomicBool,
) -> Result<Score> {
    let people = match variant {
        Variant::Control => MixedPeople::with_constant_features(dataset, volunteers, seed)?,
        _ => MixedPeople::new(dataset, volunteers, seed)?,
    };
    let split = node_split(dataset, seed)?;
    let run = Run { noise: Noise::Replay(seed), books: Books::Memory, seed, interrupt };
    let begun = Instant::now();
    let classified = system.classify(&people, &split, &run)?;
    let seconds = begun.elapsed().as_secs_f64();
    let share = |items: &[u32]| {
        let class = |&item: &u32| dataset.labels().and_then(|labels| labels.class(item));
        let truth: Vec<u32> = items.iter().map(|item| class(item).unwrap_or(u32::MAX)).collect();
        let predicted: Vec<u32> = items.iter().map(|&i| classified.predicted[i as usize]).collect();
        accuracy(&predicted, &truth).unwrap_or(0.0)
    };
    Ok(Score { validation: share(&split.validation), test: share(&split.test), seconds })
}
