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
mod tests {
    use super::*;

    fn guesses(scores: &[(f64, bool)]) -> Vec<Guess> {
        let guess = |(model, &(score, inside))| Guess { model, inside, score };
        scores.iter().enumerate().map(guess).collect()
    }

    #[test]
    fn rates_by_hand() {
        let few = guesses(&[
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
        let many: Vec<Guess> = (0..2_000)
            .map(|at| {
                let inside = rng.random_range(0..2) == 1;
                let score = rng.random_range(0.0..1.0) + if inside { 0.2 } else { 0.0 };
                Guess { model: at / 50, inside, score }
            })
            .collect();
        // The probability that one uniform number plus 0.2 is above another: 1 - 0.8^2 / 2.
        let found = estimate(&many, 1, area);
        assert!(found.low < 0.68 && found.high > 0.68, "{found:?}");
        assert!(found.high - found.low < 0.08 && found.low <= found.value, "{found:?}");
        assert!(can_tell(&many, 0.01) && !can_tell(&many, 0.001));
    }

    /// All insiders above all outsiders, the other way round, and both mixed.
    #[test]
    fn areas_at_their_ends() {
        let perfect = guesses(&[(3.0, true), (2.0, true), (1.0, false)]);
        assert_eq!((area(&perfect), true_positive_rate(&perfect, 0.0)), (1.0, 1.0));
        let wrong = guesses(&[(1.0, true), (2.0, false)]);
        assert_eq!((area(&wrong), true_positive_rate(&wrong, 0.0)), (0.0, 0.0));
        assert_eq!(area(&guesses(&[(1.0, true), (2.0, true)])), 0.5);
        assert_eq!(area(&[]), 0.5);
        assert_eq!(true_positive_rate(&[], 0.5), 0.0);
        // All scores are equal: a coin toss.
        let same = guesses(&[(1.0, true), (1.0, false), (1.0, true), (1.0, false)]);
        assert_eq!((area(&same), true_positive_rate(&same, 0.9)), (0.5, 0.0));
    }

    #[test]
    fn one_model_has_no_interval() {
        let alone: Vec<Guess> = guesses(&[(2.0, true), (1.0, false)])
            .into_iter()
            .map(|g| Guess { model: 7, ..g })
            .collect();
        let found = estimate(&alone, 1, area);
        assert!(found.value == 1.0 && found.low.is_nan() && found.high.is_nan());
    }

    /// Models are resampled, not guesses: where each model is all right or all wrong, the interval is as wide as two
    /// models allow, however many guesses they make.
    #[test]
    fn guesses_of_one_model_stand_or_fall_together() {
        let of_model = |model: usize, right: bool| {
            (0..50).flat_map(move |_| {
                let score = |inside: bool| f64::from(u8::from(inside == right));
                [true, false].map(|inside| Guess { model, inside, score: score(inside) })
            })
        };
        let mixed: Vec<Guess> = of_model(0, true).chain(of_model(1, false)).collect();
        let found = estimate(&mixed, 1, area);
        assert_eq!((found.low, found.value, found.high), (0.0, 0.5, 1.0));
        assert_eq!(found, estimate(&mixed, 1, area), "the same seed, the same interval");
    }
}
