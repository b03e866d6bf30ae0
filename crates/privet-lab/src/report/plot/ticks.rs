//! Where an axis has its numbers: round ones, three to eight of them, that cover the data.

/// The finest and coarsest numbers an axis tells apart from zero and from infinity.
const SMALLEST: f64 = 1e-250;
const LARGEST: f64 = 1e250;

/// Fewer or more ticks than these do not help.
const MOST: usize = 8;
const LEAST: usize = 3;

/// What 10^300 steps of rounding may do to a quotient of an end and a step.
const ROUNDING: f64 = 1e-6;

/// Multiples of 1, 2, 2.5 or 5 times a power of ten, from below `low` to above `high`.
pub fn linear(low: f64, high: f64) -> Vec<f64> {
    let (low, high) = widened(low, high);
    let raw = (high - low) / (MOST - 2) as f64;
    let power = raw.log10().floor() as i32;
    let ticks_of = |factor: f64| {
        // Dividing by 10^n rounds better than multiplying by 10^-n: 3/10, not 3*0.1.
        let scale = 10f64.powi(power.abs());
        let tick = |count: f64| match power < 0 {
            true => count * factor / scale,
            false => count * factor * scale,
        };
        let first = (low / tick(1.0) + ROUNDING).floor();
        let last = (high / tick(1.0) - ROUNDING).ceil();
        (0..=(last - first) as usize).map(|at| tick(first + at as f64)).collect::<Vec<_>>()
    };
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0, 20.0];
    let fitting = steps.into_iter().map(ticks_of).find(|ticks| ticks.len() <= MOST);
    fitting.unwrap_or_else(|| vec![low, f64::midpoint(low, high), high])
}

/// Ends that differ by more than rounding, and whose difference is a number.
fn widened(low: f64, high: f64) -> (f64, f64) {
    let [low, high] = [low, high].map(|end| end.clamp(-LARGEST, LARGEST));
    let size = low.abs().max(high.abs());
    if high - low > 1e-9 * size && high - low > SMALLEST {
        (low, high)
    } else if size <= SMALLEST {
        (0.0, 1.0)
    } else {
        (low - 0.1 * size, high + 0.1 * size)
    }
}

/// 1, 2 or 5 times powers of ten, or powers of ten alone, or every so many of those.
pub fn logarithmic(low: f64, high: f64) -> Vec<f64> {
    let [low, high] = [low, high].map(|end| end.clamp(SMALLEST, LARGEST));
    let fine = around(low, high, &[1.0, 2.0, 5.0], 1);
    if fine.len() < LEAST {
        // The neighbours on both sides.
        return around(low * 0.6, high * 1.6, &[1.0, 2.0, 5.0], 1);
    }
    if fine.len() <= MOST {
        return fine;
    }
    // Powers of ten, then every second, every third, until they fit.
    let mut choices = (1..).map(|stride| around(low, high, &[1.0], stride));
    choices.find(|ticks| ticks.len() <= MOST).unwrap_or(fine)
}

/// The numbers `mantissa * 10^(stride * n)` from the last at or below `low` to the first at or above
/// `high`.
fn around(low: f64, high: f64, mantissas: &[f64], stride: i32) -> Vec<f64> {
    let power = |end: f64| (end.log10().floor() as i32).div_euclid(stride);
    let numbers = (power(low)..=power(high) + 1).flat_map(|at| {
        // Parsed rather than multiplied: the float nearest to the decimal.
        let number = move |&m: &f64| format!("{m}e{}", at * stride).parse().unwrap_or(f64::NAN);
        mantissas.iter().map(number)
    });
    let numbers: Vec<f64> = numbers.collect();
    let first = numbers.iter().rposition(|&n| n <= low * (1.0 + ROUNDING)).unwrap_or(0);
    let last = numbers.iter().position(|&n| n >= high * (1.0 - ROUNDING));
    numbers[first..=last.unwrap_or(numbers.len() - 1).max(first)].to_vec()
}

/// Unlabelled marks between powers of ten, where every power of ten has a label.
pub fn minor(ticks: &[f64]) -> Vec<f64> {
    let decades = ticks.windows(2).all(|pair| (pair[1] / pair[0] - 10.0).abs() < 0.01);
    if !decades {
        return Vec::new();
    }
    let between = |&tick: &f64| (2..10).map(move |times| tick * f64::from(times));
    ticks[..ticks.len().saturating_sub(1)].iter().flat_map(between).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_covers(ticks: &[f64], low: f64, high: f64, slack: f64) {
        assert!((LEAST..=MOST).contains(&ticks.len()), "{low}..{high}: {ticks:?}");
        assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]), "{low}..{high}: {ticks:?}");
        assert!(ticks[0] <= low + slack, "{low}..{high}: {ticks:?}");
        assert!(ticks[ticks.len() - 1] >= high - slack, "{low}..{high}: {ticks:?}");
    }

    proptest! {
        #[test]
        fn linear_ticks_cover(a in -1e6..1e6f64, b in -1e6..1e6f64, power in -200..200i32) {
            let [low, high] = [a.min(b), a.max(b)].map(|end| end * 10f64.powi(power));
            let ticks = linear(low, high);
            assert_covers(&ticks, low, high, 1e-5 * (ticks[1] - ticks[0]));
        }

        #[test]
        fn any_numbers_have_linear_ticks(a: f64, b: f64) {
            prop_assume!(a.is_finite() && b.is_finite());
            let [low, high] = [a.min(b), a.max(b)].map(|end| end.clamp(-LARGEST, LARGEST));
            let ticks = linear(low, high);
            assert_covers(&ticks, low, high, 1e-5 * (ticks[1] - ticks[0]));
        }

        #[test]
        fn logarithmic_ticks_cover(a in -249.0..249.0f64, span in 0.0..60.0f64) {
            let (low, high) = (10f64.powf(a), 10f64.powf((a + span).min(249.0)));
            assert_covers(&logarithmic(low, high), low, high, 1e-5 * high);
        }
    }

    #[test]
    fn round_numbers() {
        assert_eq!(linear(0.3, 0.9), [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
        assert_eq!(linear(0.0, 100.0), [0.0, 20.0, 40.0, 60.0, 80.0, 100.0]);
        assert_eq!(linear(-3.0, 14.0), [-5.0, 0.0, 5.0, 10.0, 15.0]);
        assert_eq!(linear(7.0, 7.0).first(), Some(&6.25));
        assert_eq!(linear(0.0, 0.0), [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        assert_eq!(logarithmic(0.5, 8.0), [0.5, 1.0, 2.0, 5.0, 10.0]);
        assert_eq!(logarithmic(1.0, 3000.0), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(logarithmic(1.0, 1.0), [0.5, 1.0, 2.0]);
        assert_eq!(minor(&[1.0, 10.0]).len(), 8);
        assert!(minor(&[1.0, 2.0, 5.0]).is_empty());
    }
}
