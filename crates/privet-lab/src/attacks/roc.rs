//! How well scores tell members from others: area under the ROC curve, true-positive rates at small false-positive
//! rates, and intervals.
//!
//! Trials of one model share its noise, so the interval resamples models, not trials.

use privet::graph::SimRng;
use privet::learn::metrics::roc_auc;
use rand::RngExt;
use serde::Serialize;

/// One guess about one target of one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trial {
    /// Which model was asked.
    pub model: usize,
    /// Whether the target was in its training graph.
    pub inside: bool,
    /// How much its answer speaks for that.
    pub score: f64,
}

/// A rate or an area, with a 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
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
pub fn area(trials: &[Trial]) -> f64 {
    let scores: Vec<f32> = trials.iter().map(|trial| trial.score as f32).collect();
    let inside: Vec<bool> = trials.iter().map(|trial| trial.inside).collect();
    roc_auc(&scores, &inside).unwrap_or(0.5)
}

/// The largest share of insiders above a line that at most this share of outsiders is above. Trials of equal score
/// are on the same side.
pub fn true_positive_rate(trials: &[Trial], false_positive_rate: f64) -> f64 {
    let mut sorted = trials.to_vec();
    sorted.sort_unstable_by(|a, b| b.score.total_cmp(&a.score));
    let insiders = sorted.iter().filter(|trial| trial.inside).count();
    let allowed = false_positive_rate * (sorted.len() - insiders) as f64;
    let (mut hits, mut mistakes, mut best) = (0usize, 0usize, 0usize);
    for tied in sorted.chunk_by(|a, b| a.score == b.score) {
        let inside = tied.iter().filter(|trial| trial.inside).count();
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
pub fn can_tell(trials: &[Trial], false_positive_rate: f64) -> bool {
    let outsiders = trials.iter().filter(|trial| !trial.inside).count();
    outsiders as f64 * false_positive_rate >= FALSE_POSITIVES
}

/// A statistic of the trials, and the interval that resampling models gives (percentiles).
pub fn estimate(trials: &[Trial], seed: u64, statistic: impl Fn(&[Trial]) -> f64) -> Estimate {
    let value = statistic(trials);
    let by_model: Vec<&[Trial]> = trials.chunk_by(|a, b| a.model == b.model).collect();
    if by_model.len() < 2 {
        return Estimate { value, low: f64::NAN, high: f64::NAN };
    }
    let mut rng = SimRng::stream(seed, 71);
    let mut resampled = Vec::with_capacity(trials.len());
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
    Estimate { value, low: at(0.025), high: at(0.975) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trials(scores: &[(f64, bool)]) -> Vec<Trial> {
        let trial = |(model, &(score, inside))| Trial { model, inside, score };
        scores.iter().enumerate().map(trial).collect()
    }

    #[test]
    fn rates_by_hand() {
        let few = trials(&[
            (9.0, true),
            (8.0, false),
            (7.0, true),
            (7.0, false),
            (6.0, true),
            (5.0, false),
            (4.0, true),
            (3.0, false),
        ]);
        assert_eq!(true_positive_rate(&few, 0.0), 0.25);
        assert_eq!(true_positive_rate(&few, 0.24), 0.25);
        assert_eq!(true_positive_rate(&few, 0.25), 0.25);
        // The tied pair comes together: two mistakes, two hits.
        assert_eq!(true_positive_rate(&few, 0.5), 0.75);
        assert_eq!(true_positive_rate(&few, 1.0), 1.0);
        // 9 beats four, 7 two and a half, 6 two, 4 one.
        assert!((area(&few) - 9.5 / 16.0).abs() < 1e-12, "{}", area(&few));
        assert!(!can_tell(&few, 0.01));
    }

    #[test]
    fn intervals_hold_their_value() {
        let mut rng = SimRng::stream(3, 1);
        let many: Vec<Trial> = (0..2_000)
            .map(|at| {
                let inside = rng.random_range(0..2) == 1;
                let score = rng.random_range(0.0..1.0) + if inside { 0.2 } else { 0.0 };
                Trial { model: at / 50, inside, score }
            })
            .collect();
        // The probability that one uniform number plus 0.2 is above another: 1 - 0.8^2 / 2.
        let found = estimate(&many, 1, area);
        assert!(found.low < 0.68 && found.high > 0.68, "{found:?}");
        assert!(found.high - found.low < 0.08 && found.low <= found.value, "{found:?}");
        assert!(can_tell(&many, 0.01) && !can_tell(&many, 0.001));
    }
}
