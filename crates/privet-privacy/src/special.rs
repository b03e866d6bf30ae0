//! The special functions the accountants stand on, accurate in the far tail.
//!
//! A delta of 1e-12 lives where the normal distribution is almost zero, so everything here keeps its
//! *relative* accuracy there: lower tails are computed as lower tails and never as one minus an upper
//! tail, and logarithms are available where the plain value would underflow.

use std::f64::consts::{FRAC_1_SQRT_2, LN_2};

/// A bound on the relative error of a few operations.
pub(crate) const ROUNDING: f64 = 8.0 * f64::EPSILON;
/// Times this, a result of a few operations is never below the exact one.
pub(crate) const UP: f64 = 1.0 + ROUNDING;
/// Times this, it is never above.
pub(crate) const DOWN: f64 = 1.0 - ROUNDING;

/// `log(sqrt(2 pi))`.
const LOG_SQRT_TWO_PI: f64 = 0.918_938_533_204_672_8;

/// `P(X <= x)` for a standard normal `X`.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// `log P(X <= x)` for a standard normal `X`, for any finite `x`.
pub(crate) fn log_normal_cdf(x: f64) -> f64 {
    if x > 0.0 {
        (-normal_cdf(-x)).ln_1p()
    } else if x > -10.0 {
        normal_cdf(x).ln()
    } else {
        // Laplace's continued fraction, P(X > y) = phi(y) / (y + 1/(y + 2/(y + 3/...))), evaluated
        // from the inside; for y >= 10 forty levels are far more than double precision needs.
        let y = -x;
        let mut fraction = y;
        for level in (1..=40).rev() {
            fraction = y + f64::from(level) / fraction;
        }
        -0.5 * y * y - LOG_SQRT_TWO_PI - fraction.ln()
    }
}

/// The `y` with `P(X > y) = exp(log_tail)`, for `log_tail <= log(1/2)`.
///
/// Newton's method on `log P(X <= x)`, which is concave and increasing: started left of the root it
/// converges from the left. `P(X <= -z) <= exp(-z^2/2)/2` gives the start.
pub(crate) fn normal_upper_quantile(log_tail: f64) -> f64 {
    let mut x = -(-2.0 * log_tail).sqrt();
    for _ in 0..60 {
        let log_cdf = log_normal_cdf(x);
        // Newton on log Phi, which is concave: from the left of the root the iterates rise towards it and never pass
        // it.
        let log_slope = -0.5 * x * x - LOG_SQRT_TWO_PI - log_cdf;
        let step = (log_tail - log_cdf) / log_slope.exp();
        x += step;
        if step <= 1e-15 * x.abs() {
            break;
        }
    }
    -x
}

/// A bound on the relative error of a normal tail or density at `z`, if `z` itself is known up to a few roundings: an
/// error of `z` is multiplied by about `z` (by one near the mean).
pub(crate) fn tail_error(z: f64) -> f64 {
    ROUNDING * (1.0 + z * z)
}

/// The logarithm of the density of a standard normal.
pub(crate) fn log_normal_density(x: f64) -> f64 {
    -0.5 * x * x - LOG_SQRT_TWO_PI
}

/// `e^x - 1 - x`, which is never negative, with all its digits where it is small.
pub(crate) fn exp_bend(x: f64) -> f64 {
    if x.abs() > 0.5 {
        return x.exp_m1() - x;
    }
    // x^2/2 (1 + x/3 (1 + x/4 (...)))
    let series = (3..=18).rev().fold(1.0, |rest, k| 1.0 + x / f64::from(k) * rest);
    0.5 * x * x * series
}

/// `log(exp(x) - 1)` for `x > 0`, without overflow and without cancellation.
pub(crate) fn log_expm1(x: f64) -> f64 {
    if x > 36.0 { x + (-(-x).exp()).ln_1p() } else { x.exp_m1().ln() }
}

/// `log(1 + exp(x))` without overflow: `log(1 + y) = log y + log(1 + 1/y)`. Never steeper than `x` nor, relatively,
/// than `exp(x)`.
pub(crate) fn log_one_plus_exp(x: f64) -> f64 {
    if x > 0.0 { x + (-x).exp().ln_1p() } else { x.exp().ln_1p() }
}

/// `log(1 + rate (exp(epsilon) - 1))` without overflow and without cancellation.
pub(crate) fn log_one_plus_rate_expm1(rate: f64, epsilon: f64) -> f64 {
    // Beyond this the power overflows, and one less makes no difference.
    const FAR: f64 = 700.0;
    if epsilon > FAR {
        log_one_plus_exp((rate * FAR.exp()).ln() + (epsilon - FAR))
    } else {
        (rate * epsilon.exp_m1()).ln_1p()
    }
}

/// `log(sum exp(x))`; the empty sum is minus infinity.
pub(crate) fn log_sum_exp(terms: &[f64]) -> f64 {
    // The largest term is taken out: no exponential overflows, and all-zero sums stay zero.
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !top.is_finite() {
        return top;
    }
    top + terms.iter().map(|term| (term - top).exp()).sum::<f64>().ln()
}

/// `log C(n, k)` for `k <= n`.
pub(crate) fn log_binomial(n: u64, k: u64) -> f64 {
    let log_factorial = |m: u64| libm::lgamma(m as f64 + 1.0);
    if k == 0 || k == n { 0.0 } else { log_factorial(n) - log_factorial(k) - log_factorial(n - k) }
}

/// Minimises a function with one valley by golden-section search; returns `(argument, value)`.
pub(crate) fn minimize(
    mut low: f64,
    mut high: f64,
    rounds: u32,
    f: impl Fn(f64) -> f64,
) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    // Golden section: one of the two inner points of the next, shorter interval is known already. Every value seen is
    // a valid bound, so a function with several minima costs tightness only.
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..rounds {
        if at_left <= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - GOLDEN * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + GOLDEN * (high - low);
            at_right = f(right);
        }
    }
    if at_left <= at_right { (left, at_left) } else { (right, at_right) }
}

/// The upper end of what is left of an interval after so many halvings, each of which keeps the half in which
/// `is_below` ends to hold.
pub(crate) fn bisect(
    mut low: f64,
    mut high: f64,
    halvings: u32,
    is_below: impl Fn(f64) -> bool,
) -> f64 {
    for _ in 0..halvings {
        let middle = 0.5 * (low + high);
        // Invariant: `is_below(high)` is false. The end that satisfies the bound is returned.
        if is_below(middle) { low = middle } else { high = middle }
    }
    high
}

/// `log(1 - exp(-x))` for `x > 0`.
pub(crate) fn log_one_minus_exp(x: f64) -> f64 {
    // Mächler 2012: each form keeps its digits on its side of log 2.
    if x < LN_2 { (-(-x).exp_m1()).ln() } else { (-(-x).exp()).ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        let error = (found - expected).abs() / expected.abs();
        assert!(error <= tolerance, "found {found:e}, expected {expected:e}, error {error:e}");
    }

    /// Forty-digit values, computed independently.
    #[test]
    fn normal_tails_match_high_precision_values() {
        for (x, cdf, log_cdf) in [
            (-0.3, 0.382_088_577_811_047_4, -0.962_102_818_168_850_7),
            (-2.0, 0.022_750_131_948_179_21, -3.783_184_333_682_032),
            (-9.9, 2.081_375_219_493_213_5e-23, -52.226_428_300_404_04),
            (-10.1, 2.762_109_471_764_507e-24, -54.246_047_542_693_64),
            (-25.0, 3.056_696_706_382_561e-138, -316.639_408_008_020_26),
            (-37.0, 5.725_571_222_524_577e-300, -689.030_585_576_890_6),
            (1.5, 0.933_192_798_731_141_9, -0.069_143_455_612_233_98),
            (8.0, 0.999_999_999_999_999_4, -6.220_960_574_271_786e-16),
        ] {
            close(normal_cdf(x), cdf, 1e-13);
            close(log_normal_cdf(x), log_cdf, 1e-14);
        }
        close(log_normal_cdf(-60.0), -1_805.013_560_680_567, 1e-14);
        close(log_normal_cdf(-1000.0), -500_007.826_694_812_2, 1e-14);
    }

    /// `x^2/2 + x^3/6 + x^4/24 + ...`, on both sides of the place where the formula changes.
    #[test]
    fn the_bend_of_the_exponential_keeps_its_digits() {
        for (x, bend) in [
            (1e-200, 0.0),
            (1e-20, 5e-41),
            (-1e-9, 4.999_999_998_333_334e-19),
            (0.5, 0.148_721_270_700_128_14),
            (-0.499_999_999, 0.106_530_659_319_164_07),
            (0.500_000_001, 0.148_721_271_348_849_4),
            (-3.0, 2.049_787_068_367_864),
        ] {
            assert!((exp_bend(x) - bend).abs() <= 1e-15 * bend, "{x}: {:e}", exp_bend(x));
        }
        close(log_normal_density(0.7).exp(), 0.312_253_933_366_761_27, 1e-15);
    }

    /// `log(1 + e^x)` on both sides of 0, the bound on the error of tails, and a search by halving.
    #[test]
    fn small_helpers() {
        for x in [-800.0, -40.0, -1.0, 0.0, 1.0, 40.0, 800.0_f64] {
            let expected = if x > 30.0 { x + (-x).exp() } else { x.exp().ln_1p() };
            assert!((log_one_plus_exp(x) - expected).abs() <= 1e-15 * expected, "{x}");
        }
        assert_eq!((tail_error(0.0), tail_error(3.0)), (ROUNDING, 10.0 * ROUNDING));
        assert_eq!(bisect(0.0, 8.0, 3, |x| x < 2.5), 3.0);
        assert_eq!(bisect(0.0, 8.0, 50, |x| x < 2.5), 2.5);
        assert_eq!(bisect(0.0, 8.0, 50, |_| true), 8.0);
        let log_y = 710.0 - 300.0 * 10f64.ln();
        close(log_one_plus_rate_expm1(1e-300, 710.0), log_y + (-log_y).exp(), 1e-13);
    }

    #[test]
    fn quantiles_invert_tails() {
        for y in [0.001, 0.5, 3.0, 9.9, 10.1, 37.0, 200.0] {
            close(normal_upper_quantile(log_normal_cdf(-y)), y, 1e-12);
        }
    }

    #[test]
    fn logarithms_neither_overflow_nor_cancel() {
        close(log_expm1(1e-12), (1e-12_f64).ln(), 1e-12);
        close(log_expm1(800.0), 800.0, 1e-15);
        close(log_expm1(36.1), 36.1_f64.exp_m1().ln(), 1e-15);
        close(log_one_plus_rate_expm1(0.09, 1000.0), 1000.0 + 0.09_f64.ln(), 1e-15);
        close(log_one_plus_rate_expm1(1e-9, 1e-9), 1e-18, 1e-8);
        close(log_one_minus_exp(1e-9), 1e-9_f64.ln(), 1e-9);
        close(log_binomial(50, 25), 126_410_606_437_752.0_f64.ln(), 1e-13);
        close(log_sum_exp(&[-1e4, -1e4]), -1e4 + LN_2, 1e-15);
        assert_eq!(log_sum_exp(&[]), f64::NEG_INFINITY);
        let (x, value) = minimize(0.0, 5.0, 60, |x| (x - 2.0).powi(2) + 1.0);
        assert!((x - 2.0).abs() < 1e-6 && (value - 1.0).abs() < 1e-12);
    }
}
