//! Student's t distribution: what an interval over a handful of runs needs.

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
