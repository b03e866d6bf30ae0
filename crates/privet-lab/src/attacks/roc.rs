//! How well scores tell members from others: area under the ROC curve, true-positive rates at small false-positive
//! rates, and intervals.
//!
//! Guesses of one model share its noise, so the interval resamples models, not guesses.

use privet::graph::SimRng;
use privet::learn::metrics::roc_auc;
use rand::RngExt;
use serde::Serialize;

/// One guess about one target of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guess {
    /// Which model was asked.
    pub model: usize,
    /// Whether the target was in its training graph.
    pub inside: bool,
    /// How much its answer speaks for that.
    pub score: f64,
}

/// A rate or an area, with a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RateEstimate {
    /// The number.
    pub value: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How many times models are resampled.
const RESAMPLES: usize = 400;
/// A rate needs so many false positives to be told.
const FALSE_POSITIVES: f64 = 5.0;

/// The area under the curve; one half where there is nothing to tell apart.
pub fn area(guesses: &[Guess]) -> f64 {
    let scores: Vec<f32> = guesses.iter().map(|guess| guess.score as f32).collect();
    let inside: Vec<bool> = guesses.iter().map(|guess| guess.inside).collect();
    roc_auc(&scores, &inside).unwrap_or(0.5)
}

/// The largest share of insiders above a line that at most this share of outsiders is above. Guesses of equal score
/// are on the same side.
pub fn true_positive_rate(guesses: &[Guess], false_positive_rate: f64) -> f64 {
    let mut sorted = guesses.to_vec();
    sorted.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let insiders = sorted.iter().filter(|guess| guess.inside).count();
    let allowed = false_positive_rate * (sorted.len() - insiders) as f64;
    let (mut hits, mut mistakes, mut best) = (0usize, 0usize, 0usize);
    for tied in sorted.chunk_by(|a, b| a.score == b.score) {
        let inside = tied.iter().filter(|guess| guess.inside).count();
        hits += inside;
        mistakes += tied.len() - inside;
        if mistakes as f64 > allowed {
            break;
        }
        best = hits;
    }
    best as f64 / insiders.max(1) as f64
}

/// Whether there are enough outsiders to speak of a false-positive rate.
pub fn can_tell(guesses: &[Guess], false_positive_rate: f64) -> bool {
    let outsiders = guesses.iter().filter(|guess| !guess.inside).count();
    outsiders as f64 * false_positive_rate >= FALSE_POSITIVES
}

/// A statistic of the guesses, and the interval that resampling models gives (percentiles).
pub fn estimate(guesses: &[Guess], seed: u64, statistic: impl Fn(&[Guess]) -> f64) -> RateEstimate {
    let value = statistic(guesses);
    let by_model: Vec<&[Guess]> = guesses.chunk_by(|a, b| a.model == b.model).collect();
    if by_model.len() < 2 {
        return RateEstimate { value, low: f64::NAN, high: f64::NAN };
    }
    let mut rng = SimRng::stream(seed, 71);
    let mut resampled = Vec::with_capacity(guesses.len());
    let mut values: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            resampled.clear();
            for _ in 0..by_model.len() {
                resampled.extend_from_slice(by_model[rng.random_range(0..by_model.len())]);
            }
            statistic(&resampled)
        })
        .collect();
    values.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| values[((RESAMPLES - 1) as f64 * share).round() as usize];
    RateEstimate { value, low: at(0.025), high: at(0.975) }
}

#[cfg(test)]
mod tests;
