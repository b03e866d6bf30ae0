//! The truth to many binary digits, for tests that ask on which side of it a float lies.

use dashu::float::FBig;
use dashu::float::round::mode::HalfEven;

/// A float of [`DIGITS`] binary digits.
pub(crate) type Big = FBig<HalfEven>;

const DIGITS: usize = 256;

/// A float, exactly.
pub(crate) fn big(value: f64) -> Big {
    Big::try_from(value).unwrap().with_precision(DIGITS).value()
}

/// By how many units of rounding (relative to the truth) the float lies above the truth.
pub(crate) fn above(found: f64, truth: &Big) -> f64 {
    let share: Big = (big(found) - truth) / truth;
    share.to_f64().value() / f64::EPSILON
}

/// `P(X > x)` for a standard normal `X` and `x >= 0`: what the series `phi(x) (x + x^3/3 + x^5/15 + ...)` leaves of 1/2.
pub(crate) fn normal_tail(x: &Big) -> Big {
    let size = x.to_f64().value();
    // The two halves cancel down to e^(-x^2/2).
    let digits = DIGITS + (1.5 * size * size) as usize;
    let x = x.clone().with_precision(digits).value();
    let last = Big::from_parts(1.into(), -(digits as isize));
    let (mut sum, mut term, mut odd) = (x.clone(), x.clone(), 1_u32);
    while term > &last * &sum {
        odd += 2;
        term = term * &x * &x / Big::from(odd);
        sum += &term;
    }
    let half = Big::from(1_u32).with_precision(digits).value() / Big::from(2_u32);
    (half - density(&x) * sum).with_precision(DIGITS).value()
}

/// The density of a standard normal.
pub(crate) fn density(x: &Big) -> Big {
    let two = Big::from(2_u32);
    (-(x * x / &two)).exp() / (Big::pi(x.precision()) * two).sqrt()
}

/// Forty digits that were computed elsewhere.
#[test]
fn tails_match_tables() {
    for (x, tail) in [(2.0, 0.022_750_131_948_179_21), (37.0, 5.725_571_222_524_577e-300)] {
        assert!(above(tail, &normal_tail(&big(x))).abs() < 2.0);
    }
}
