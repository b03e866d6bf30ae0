//! A number over several runs, and two methods over the same runs.

use serde::{Deserialize, Serialize};

/// Mean, sample deviation and the 95 % interval of the mean (Student's t).
///
/// ```
/// use privet_learn::metrics::Summary;
/// let accuracy = Summary::of(&[0.80, 0.82, 0.84]).unwrap();
/// assert!((accuracy.mean - 0.82).abs() < 1e-12 && (accuracy.deviation - 0.02).abs() < 1e-12);
/// assert!(accuracy.low < 0.78 && accuracy.high > 0.86);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The mean.
    pub mean: f64,
    /// The sample standard deviation (divided by one less than the number of runs); 0 for one run.
    pub deviation: f64,
    /// The lower end of the 95 % interval of the mean.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// How many runs.
    pub runs: usize,
}

impl Summary {
    /// Of one value per run; `None` without runs. One run says nothing about its spread, so its
    /// interval is the value itself.
    pub fn of(values: &[f64]) -> Option<Self> {
        let runs = values.len();
        if runs == 0 {
            return None;
        }
        let mean = values.iter().sum::<f64>() / runs as f64;
        if runs == 1 {
            return Some(Self { mean, deviation: 0.0, low: mean, high: mean, runs });
        }
        let freedom = (runs - 1) as f64;
        let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / freedom).sqrt();
        // mean ± t s/√n, with t of n - 1 degrees of freedom: few runs give a wide interval.
        let margin = two_sided_quantile(0.05, freedom) * deviation / (runs as f64).sqrt();
        Some(Self { mean, deviation, low: mean - margin, high: mean + margin, runs })
    }
}

/// Two methods measured on the same seeds and splits: what one adds over the other.
///
/// ```
/// use privet_learn::metrics::PairedComparison;
/// let gain = PairedComparison::of(&[0.81, 0.85, 0.90], &[0.80, 0.84, 0.89]).unwrap();
/// assert!((gain.difference.mean - 0.01).abs() < 1e-9 && gain.wins == 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PairedComparison {
    /// First minus second, run by run.
    pub difference: Summary,
    /// The two-sided p-value of the paired t-test that the methods do not differ; 1 for one run.
    pub p_value: f64,
    /// Runs in which the first was better.
    pub wins: usize,
    /// Runs in which the second was better.
    pub losses: usize,
}

impl PairedComparison {
    /// Compares run by run; `None` without runs or if the numbers of runs differ.
    pub fn of(first: &[f64], second: &[f64]) -> Option<Self> {
        if first.len() != second.len() {
            return None;
        }
        let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
        let difference = Summary::of(&differences)?;
        let runs = difference.runs as f64;
        // The paired t-test: t = mean / (s/√n). Without deviation the difference is either nothing or certain.
        let p_value = if difference.deviation > 0.0 {
            two_sided_tail(difference.mean / difference.deviation * runs.sqrt(), runs - 1.0)
        } else if difference.mean == 0.0 || difference.runs == 1 {
            1.0
        } else {
            0.0
        };
        let wins = differences.iter().filter(|d| **d > 0.0).count();
        let losses = differences.iter().filter(|d| **d < 0.0).count();
        Some(Self { difference, p_value, wins, losses })
    }
}

// Student's t distribution: what an interval over a handful of runs needs.

/// The probability of `|T| >= |t|` for `freedom` degrees of freedom.
pub fn two_sided_tail(t: f64, freedom: f64) -> f64 {
    // P(|T| >= t) = I_x(v/2, 1/2) at x = v / (v + t^2).
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// The `t` with `P(|T| >= t) = tail`.
pub fn two_sided_quantile(tail: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    // The tail falls in t: double until it is small enough, then halve the interval.
    while two_sided_tail(high, freedom) > tail {
        high *= 2.0;
    }
    // After a hundred halvings the interval is below the resolution of doubles.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if two_sided_tail(middle, freedom) > tail { low = middle } else { high = middle }
    }
    high
}

/// `I_x(a, b)`, by its continued fraction (Lentz's method) on the side where that converges fast.
pub fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // x^a (1-x)^b / B(a, b), in logarithms: factors alone overflow for large a and b.
    let front =
        (libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b) + a * x.ln() + b * (-x).ln_1p())
            .exp();
    // The continued fraction converges fast on this side; I_x(a, b) = 1 - I_(1-x)(b, a) covers the other.
    if x < (a + 1.0) / (a + b + 2.0) {
        front * continued_fraction(a, b, x) / a
    } else {
        1.0 - front * continued_fraction(b, a, 1.0 - x) / b
    }
}

fn continued_fraction(a: f64, b: f64, x: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away = |value: f64| if value.abs() < TINY { TINY } else { value };
    // Lentz's method, modified by Thompson and Barnett: numerators and denominators never vanish.
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut result = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        // The even and odd partial numerators of the fraction (Abramowitz and Stegun 26.5.8).
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        result *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        result *= d * c;
        if (d * c - 1.0).abs() < 1e-15 {
            break;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences 1, 0, 3, 2: t = 1.5 / (1.2910 / 2) = 2.3238 with 3 degrees of freedom, p = 0.1027.
    #[test]
    fn the_paired_test_by_hand() {
        let paired = PairedComparison::of(&[5.0, 7.0, 9.0, 6.0], &[4.0, 7.0, 6.0, 4.0]).unwrap();
        assert!((paired.p_value - 0.1027).abs() < 5e-4, "{}", paired.p_value);
        assert_eq!((paired.difference.mean, paired.wins, paired.losses), (1.5, 3, 0));
    }

    #[test]
    fn one_run_and_no_run() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[3.0]).unwrap().deviation, 0.0);
        assert_eq!(PairedComparison::of(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(PairedComparison::of(&[2.0], &[1.0]).unwrap().p_value, 1.0);
        assert_eq!(PairedComparison::of(&[2.0, 2.0], &[2.0, 2.0]).unwrap().p_value, 1.0);
    }

    #[test]
    fn quantiles_match_the_tables() {
        for (freedom, expected) in [(1.0, 12.7062), (2.0, 4.3027), (9.0, 2.2622), (30.0, 2.0423)] {
            let found = two_sided_quantile(0.05, freedom);
            assert!((found - expected).abs() < 5e-5, "{freedom}: {found}");
        }
        assert!((two_sided_tail(2.262_157, 9.0) - 0.05).abs() < 1e-7);
        assert_eq!(two_sided_tail(0.0, 5.0), 1.0);
    }
}
