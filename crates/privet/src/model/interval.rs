//! Accuracy from noisy counts, with an interval for both reasons to doubt it: the people who were tested are a sample, and
//! their counts have noise.
//!
//! Of `N` people with a label `R ~ Binomial(N, p)` are answered rightly. Seen are `R + Z` and `N - R + Z'` with
//! integer noise of a known law. The sum of both is `N + Z + Z'`, so `N` is known up to the noise, but for a probability
//! of `SLACK`; and for each `N` the interval for `p` is the exact one of the law of `R + Z` (Clopper and Pearson's argument:
//! the ends are where what was seen, or anything beyond, has half of the rest as its probability). The interval
//! is what holds for every such `N`: it covers `p` with probability at least 95 %, whatever `N` and `p` are.

use serde::{Deserialize, Serialize};

use crate::learn::metrics::incomplete_beta;
use crate::privacy::noise::DiscreteLaplace;

/// How often the interval may miss.
const LEVEL: f64 = 0.05;
/// How much of that is spent on not knowing how many people have a label.
const SLACK: f64 = 0.005;
/// Noise beyond this probability is charged to the interval instead of being summed.
const TAIL: f64 = 1e-9;

/// A share, and between what it lies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ShareInterval {
    /// The best guess.
    pub value: f64,
    /// The interval's lower end.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

/// The share of right answers after noisy counts of right and wrong ones, among at most so many people. Each count is one
/// noisy cell, or the sum of two.
pub fn noisy_accuracy(
    right: i64,
    wrong: i64,
    most: u64,
    noise: &DiscreteLaplace,
    cells: usize,
) -> ShareInterval {
    let total = right.saturating_add(wrong);
    // Four cells are two pairs, each within what it may but for half of the probability.
    let doubt = match cells {
        // One cell of noise in each count, or the sum of two.
        1 => sum_within(noise, SLACK),
        _ => sum_within(noise, SLACK / 2.0).saturating_mul(2),
    };
    // Between 0 and the number of people there can be, which is public.
    let clamp = |count: i64| count.clamp(0, most as i64) as u64;
    let (fewest, largest) =
        (clamp(total.saturating_sub(doubt)), clamp(total.saturating_add(doubt)));
    let law = NoiseLaw::new(noise, cells);
    // Two sides share what is left of 5 %, and pay for the cut tail of the noise.
    let level = (LEVEL - SLACK) / 2.0 - TAIL;
    // The same count of right answers means less among more people.
    let low = match largest {
        0 => 0.0,
        people => bisect(|p| law.at_least(right, people, p) <= level),
    };
    // The upper end by symmetry: wrong answers are right ones with 1 - p.
    let high = match fewest {
        0 => 1.0,
        people => 1.0 - bisect(|q| law.at_most(right, people, 1.0 - q) <= level),
    };
    let value = match total {
        ..=0 => 0.5,
        _ => (right as f64 / total as f64).clamp(0.0, 1.0),
    };
    ShareInterval { value: value.clamp(low.min(high), high.max(low)), low: low.min(high), high }
}

/// Exact counts: Clopper and Pearson's interval.
pub fn exact_accuracy(right: u64, people: u64) -> ShareInterval {
    let level = LEVEL / 2.0;
    let low = bisect(|p| at_least(right as i64, people, p) <= level);
    let high = 1.0 - bisect(|q| at_most(right as i64, people, 1.0 - q) <= level);
    let value = right as f64 / people.max(1) as f64;
    match people {
        0 => ShareInterval { value: 0.5, low: 0.0, high: 1.0 },
        _ => ShareInterval {
            value,
            // At the ends one side of Clopper and Pearson's interval is exact.
            low: if right == 0 { 0.0 } else { low },
            high: if right >= people { 1.0 } else { high },
        },
    }
}

/// The share of right answers, after so many agreed with labels that were told truly with probability `keep`, and
/// otherwise were any other of so many classes.
pub fn response_accuracy(agree: u64, people: u64, keep: f64, classes: usize) -> ShareInterval {
    let other = (1.0 - keep) / (classes.max(2) - 1) as f64;
    // P(agree) = keep accuracy + other (1 - accuracy)
    let unbiased = |share: f64| ((share - other) / (keep - other)).clamp(0.0, 1.0);
    let ShareInterval { value, low, high } = exact_accuracy(agree, people);
    ShareInterval { value: unbiased(value), low: unbiased(low), high: unbiased(high) }
}

/// The probabilities of noise from `-reach` to `reach`; what lies beyond has less than [`TAIL`].
struct NoiseLaw {
    reach: i64,
    weights: Vec<f64>,
}

impl NoiseLaw {
    /// Of the noise of one cell, or the sum of two.
    fn new(noise: &DiscreteLaplace, cells: usize) -> Self {
        let of_two = sum_of_two(noise);
        let weight = |z: i64| if cells == 1 { noise.probability(z) } else { of_two(z) };
        let (mut inside, mut reach) = (weight(0), 0i64);
        // The law is symmetric: each step adds two values.
        while 1.0 - inside > TAIL && reach < 1 << 20 {
            reach += 1;
            inside += 2.0 * weight(reach);
        }
        Self { reach, weights: (-reach..=reach).map(weight).collect() }
    }

    fn over(&self, of: impl Fn(i64) -> f64) -> f64 {
        (-self.reach..=self.reach).zip(&self.weights).map(|(z, weight)| weight * of(z)).sum()
    }

    /// `P(R + Z >= seen)`.
    fn at_least(&self, seen: i64, people: u64, p: f64) -> f64 {
        self.over(|z| at_least(seen.saturating_sub(z), people, p))
    }

    fn at_most(&self, seen: i64, people: u64, p: f64) -> f64 {
        self.over(|z| at_most(seen.saturating_sub(z), people, p))
    }
}

/// `P(R >= k)` for a binomial `R`.
fn at_least(k: i64, people: u64, p: f64) -> f64 {
    match k {
        ..=0 => 1.0,
        k if k as u64 > people => 0.0,
        // P(Binomial(n, p) >= k) = I_p(k, n - k + 1).
        k => incomplete_beta(k as f64, (people - k as u64 + 1) as f64, p),
    }
}

fn at_most(k: i64, people: u64, p: f64) -> f64 {
    1.0 - at_least(k.saturating_add(1), people, p)
}

/// The law of the sum of two noises. With weights `λ^|z|` the sum has weights `λ^|s| (|s| + (1 + λ²) / (1 - λ²))`: each
/// `z` between 0 and `s` counts once, and each beyond less by `λ²` a step.
fn sum_of_two(noise: &DiscreteLaplace) -> impl Fn(i64) -> f64 {
    let (none, one) = (noise.probability(0), noise.probability(1));
    let ratio = one / none;
    // The convolution of two geometric laws in closed form: none^2 r^s (s + (1 + r^2)/(1 - r^2)).
    let beyond = (1.0 + ratio * ratio) / (1.0 - ratio * ratio);
    move |sum| {
        let sum = sum.unsigned_abs() as f64;
        none * none * ratio.powf(sum) * (sum + beyond)
    }
}

/// What the sum of two noises stays within but for a probability.
fn sum_within(noise: &DiscreteLaplace, slack: f64) -> i64 {
    let weight = sum_of_two(noise);
    let (mut inside, mut reach) = (weight(0), 0i64);
    while 1.0 - inside > slack && reach < 1 << 24 {
        reach += 1;
        inside += 2.0 * weight(reach);
    }
    reach
}

/// The point where a condition that holds near 0 stops holding.
fn bisect(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        // Invariant: the condition holds at `low`, which is returned: the interval is never too
        // short.
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::SimRng;
    use crate::privacy::Budget;
    use crate::privacy::noise::NoiseRng;
    use rand::RngExt;

    /// Without noise to speak of, it is Clopper and Pearson's interval: 80 of 100, by published tables.
    #[test]
    fn exact_counts_have_the_known_interval() {
        let found = exact_accuracy(80, 100);
        assert!(
            (found.low - 0.7082).abs() < 1e-4 && (found.high - 0.8733).abs() < 1e-4,
            "{found:?}"
        );
        assert_eq!(exact_accuracy(0, 0), ShareInterval { value: 0.5, low: 0.0, high: 1.0 });
        assert_eq!((exact_accuracy(0, 9).low, exact_accuracy(9, 9).high), (0.0, 1.0));
    }

    /// 1,000 tests of people, with noise: at least 95 % of the intervals hold the truth (all but 950 - 21 by chance).
    #[test]
    fn intervals_cover_the_truth() {
        for (epsilon, people, p, cells) in [
            (1.0, 200u64, 0.8, 1),
            (0.1, 500, 0.93, 1),
            (0.5, 40, 0.5, 1),
            (1.0, 200, 0.7, 2),
            (0.1, 500, 0.9, 2),
        ] {
            let noise = DiscreteLaplace::new(Budget::from_epsilon(epsilon).unwrap(), 1).unwrap();
            let mut words = NoiseRng::replay(people).next_release().into_stream();
            let mut rng = SimRng::stream(people, 1);
            let (mut covered, mut width) = (0, 0.0);
            for _ in 0..1000 {
                let right = (0..people).filter(|_| rng.random::<f64>() < p).count() as i64;
                let wrong = people as i64 - right;
                let mut noisy =
                    |count: i64| count + (0..cells).map(|_| noise.draw(&mut words)).sum::<i64>();
                let found = noisy_accuracy(noisy(right), noisy(wrong), people, &noise, cells);
                covered += usize::from((found.low..=found.high).contains(&p));
                width += (found.high - found.low) / 1000.0;
            }
            assert!(covered >= 929, "epsilon {epsilon}, {people} people: {covered} of 1000");
            assert!(width < 0.95, "an interval of everything proves nothing: {width}");
        }
    }

    /// The closed form against the sum over all pairs.
    #[test]
    fn the_sum_of_two_noises_is_known() {
        let noise = DiscreteLaplace::new(Budget::from_epsilon(0.4).unwrap(), 1).unwrap();
        let of_sum = |sum: i64| -> f64 {
            (-300..=300).map(|z| noise.probability(z) * noise.probability(sum - z)).sum()
        };
        for slack in [0.2, 0.01, 1e-4] {
            let reach = sum_within(&noise, slack);
            let inside = |reach: i64| (-reach..=reach).map(of_sum).sum::<f64>();
            assert!(1.0 - inside(reach) <= slack && 1.0 - inside(reach - 1) > slack, "{slack}");
        }
    }

    #[test]
    fn nonsense_counts_make_no_nonsense() {
        let noise = DiscreteLaplace::new(Budget::from_epsilon(0.5).unwrap(), 1).unwrap();
        for (right, wrong) in [(-5, -7), (0, 0), (900, -20), (-20, 900), (i64::MAX, 1)] {
            let ShareInterval { value, low, high } = noisy_accuracy(right, wrong, 100, &noise, 2);
            assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{right} {wrong}");
        }
    }
}
