//! Accuracy from noisy counts, with an interval for both reasons to doubt it: the people who were tested are a sample, and
//! their counts have noise.
//!
//! Of `N` people with a label `R ~ Binomial(N, p)` are answered rightly. Seen are `R` with the noise of as many cells as were
//! added up for it, and how many of the people tested have no label, with the noise of one cell. So `N` is known up to
//! that noise, but for a probability of `SLACK`; and for each `N` the interval for `p` is the exact one of the law of
//! `R + Z` (Clopper and Pearson's argument: the ends are where what was seen, or anything beyond, has half of the rest as
//! its probability). The interval is what holds for every such `N`: it covers `p` with probability at least 95 %, whatever
//! `N` and `p` are.

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

/// A share of people, after a noisy count of them (the sum of so many cells) and a noisy count of those of `tested` people
/// who have no label. `tries` is how many such shares the one was chosen from: the interval holds for all of them.
pub fn noisy_share(
    seen: i64,
    cells: usize,
    unlabelled: i64,
    tested: u64,
    noise: &DiscreteLaplace,
    tries: usize,
) -> ShareInterval {
    let level = LEVEL / tries.max(1) as f64;
    let slack = SLACK / tries.max(1) as f64;
    let doubt = within(noise, slack);
    let labelled = (tested as i64).saturating_sub(unlabelled);
    let clamp = |count: i64| count.clamp(0, tested as i64) as u64;
    let (fewest, largest) =
        (clamp(labelled.saturating_sub(doubt)), clamp(labelled.saturating_add(doubt)));
    let nothing_known = ShareInterval { value: 0.5, low: 0.0, high: 1.0 };
    let Some(law) = NoiseLaw::new(noise, cells) else { return nothing_known };
    let level = (level - slack) / 2.0 - TAIL;
    // The same count of right answers means less among more people.
    let low = match largest {
        0 => 0.0,
        people => bisect(|p| law.at_least(seen, people, p) <= level),
    };
    // The upper end by symmetry: wrong answers are right ones with 1 - p.
    let high = match fewest {
        0 => 1.0,
        people => 1.0 - bisect(|q| law.at_most(seen, people, 1.0 - q) <= level),
    };
    let value = match labelled {
        ..=0 => 0.5,
        _ => (seen as f64 / labelled as f64).clamp(0.0, 1.0),
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

/// The probabilities of noise from `-reach` to `reach`; what lies beyond has about [`TAIL`] at most.
#[derive(Clone)]
struct NoiseLaw {
    reach: i64,
    weights: Vec<f64>,
}

/// Noise beyond this is not followed: shares of fewer people than that are not known at all.
const FARTHEST: i64 = 4096;

impl NoiseLaw {
    /// Of the sum of the noise of so many cells. None where it is too large to be followed.
    fn new(noise: &DiscreteLaplace, cells: usize) -> Option<Self> {
        let one = Self::of_one(noise, TAIL / cells.max(1) as f64)?;
        let (mut sum, mut power, mut left) = (None::<Self>, one, cells.max(1));
        loop {
            if left % 2 == 1 {
                sum = Some(sum.map_or_else(|| power.clone(), |sum| sum.plus(&power)));
            }
            left /= 2;
            if left == 0 {
                return sum;
            }
            power = power.plus(&power);
        }
    }

    fn of_one(noise: &DiscreteLaplace, tail: f64) -> Option<Self> {
        let (mut inside, mut reach) = (noise.probability(0), 0i64);
        while 1.0 - inside > tail {
            reach += 1;
            inside += 2.0 * noise.probability(reach);
            if reach > FARTHEST {
                return None;
            }
        }
        Some(Self { reach, weights: (-reach..=reach).map(|z| noise.probability(z)).collect() })
    }

    /// The law of a sum; ends that are hardly ever reached are cut off on both sides.
    fn plus(&self, other: &Self) -> Self {
        let mut weights = vec![0.0; self.weights.len() + other.weights.len() - 1];
        for (at, weight) in self.weights.iter().enumerate() {
            for (sum, other) in weights[at..].iter_mut().zip(&other.weights) {
                *sum += weight * other;
            }
        }
        let (mut cut, mut lost) = (0, weights[0]);
        while lost < TAIL / 64.0 && cut < weights.len() / 2 {
            cut += 1;
            lost += weights[cut];
        }
        weights.truncate(weights.len() - cut);
        weights.drain(..cut);
        Self { reach: weights.len() as i64 / 2, weights }
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

/// What noise stays within but for a probability.
fn within(noise: &DiscreteLaplace, slack: f64) -> i64 {
    let (mut inside, mut reach) = (noise.probability(0), 0i64);
    while 1.0 - inside > slack && reach < 1 << 24 {
        reach += 1;
        inside += 2.0 * noise.probability(reach);
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
            (1.0, 300, 0.6, 10),
        ] {
            let noise = DiscreteLaplace::new(Budget::from_epsilon(epsilon).unwrap(), 1).unwrap();
            let mut words = NoiseRng::replay(people).next_release().into_stream();
            let mut rng = SimRng::stream(people, 1);
            let (mut covered, mut width) = (0, 0.0);
            for _ in 0..1000 {
                let right = (0..people).filter(|_| rng.random::<f64>() < p).count() as i64;
                let mut noisy = |count: i64, cells| {
                    count + (0..cells).map(|_| noise.draw(&mut words)).sum::<i64>()
                };
                // A tenth of those tested have no label.
                let (none, tested) = (noisy(people as i64 / 10, 1), people + people / 10);
                let found = noisy_share(noisy(right, cells), cells, none, tested, &noise, 1);
                covered += usize::from((found.low..=found.high).contains(&p));
                width += (found.high - found.low) / 1000.0;
            }
            assert!(covered >= 929, "epsilon {epsilon}, {people} people: {covered} of 1000");
            assert!(width < 0.95, "an interval of everything proves nothing: {width}");
        }
    }

    /// The sum of three against the sum over all triples.
    #[test]
    fn the_law_of_a_sum_is_known() {
        let noise = DiscreteLaplace::new(Budget::from_epsilon(0.8).unwrap(), 1).unwrap();
        let law = NoiseLaw::new(&noise, 3).unwrap();
        let of = |sum: i64| -> f64 {
            let pairs = (-60..=60).flat_map(|a| (-60..=60).map(move |b| (a, b)));
            pairs
                .map(|(a, b)| {
                    noise.probability(a) * noise.probability(b) * noise.probability(sum - a - b)
                })
                .sum()
        };
        for sum in [0, 1, -4, 9] {
            let found = law.weights[(law.reach + sum) as usize];
            assert!((found - of(sum)).abs() < 1e-9, "{sum}: {found}, {}", of(sum));
        }
        assert!(law.weights.iter().sum::<f64>() > 1.0 - 1e-8);
        let wide = DiscreteLaplace::new(Budget::from_epsilon(1e-4).unwrap(), 1).unwrap();
        assert!(NoiseLaw::new(&wide, 2).is_none());
    }

    #[test]
    fn nonsense_counts_make_no_nonsense() {
        let noise = DiscreteLaplace::new(Budget::from_epsilon(0.5).unwrap(), 1).unwrap();
        for (right, wrong) in [(-5, -7), (0, 0), (900, -20), (-20, 900), (i64::MAX, 1)] {
            let ShareInterval { value, low, high } = noisy_share(right, 2, wrong, 100, &noise, 3);
            assert!(0.0 <= low && low <= value && value <= high && high <= 1.0, "{right} {wrong}");
        }
    }
}
