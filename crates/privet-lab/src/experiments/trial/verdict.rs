//! Differences in words that claim no more than their intervals do.

use privet::learn::metrics::PairedComparison;

use crate::report::summary::fixed;

/// A share as points, with one decimal.
pub fn points(share: f64) -> String {
    fixed(100.0 * share, 1)
}

/// `p = 0.12`, or `p < 0.001`.
pub fn probability(p_value: f64) -> String {
    match p_value {
        p if p < 0.001 => "p < 0.001".into(),
        p => format!("p = {}", fixed(p, if p < 0.1 { 3 } else { 2 })),
    }
}

/// `(95 % interval -0.3 to 0.3, p = 1.00)`; one run has no interval.
pub fn interval(paired: &PairedComparison) -> String {
    if paired.difference.runs < 2 {
        return "(one run)".into();
    }
    // No two shares differ by more than all.
    let (low, high) = (paired.difference.low.max(-1.0), paired.difference.high.min(1.0));
    let (low, high) = (points(low), points(high));
    format!("(95 % interval {low} to {high}, {})", probability(paired.p_value))
}

/// What may be said of a difference over several runs.
pub fn judge<'a>(
    paired: &PairedComparison,
    better: &'a str,
    worse: &'a str,
    unclear: &'a str,
) -> &'a str {
    match paired.difference {
        difference if difference.low > 0.0 => better,
        difference if difference.high < 0.0 => worse,
        _ => unclear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_holds_zero_is_no_difference() {
        let of = |first: &[f64], second: &[f64]| {
            judge(&PairedComparison::of(first, second).unwrap(), "better", "worse", "unclear")
        };
        assert_eq!(of(&[0.9, 0.91, 0.905], &[0.8; 3]), "better");
        assert_eq!(of(&[0.8; 3], &[0.9, 0.91, 0.905]), "worse");
        assert_eq!(of(&[0.9, 0.7, 0.85], &[0.8; 3]), "unclear");
    }

    #[test]
    fn one_run_has_no_interval() {
        assert_eq!(interval(&PairedComparison::of(&[0.5], &[0.4]).unwrap()), "(one run)");
        let two = interval(&PairedComparison::of(&[0.5, 0.6], &[0.4, 0.4]).unwrap());
        assert!(two.starts_with("(95 % interval "), "{two}");
    }

    #[test]
    fn small_probabilities_are_not_told_to_be_zero() {
        assert_eq!(probability(0.0001), "p < 0.001");
        assert_eq!(probability(0.0123), "p = 0.012");
        assert_eq!(probability(0.5), "p = 0.50");
    }
}
