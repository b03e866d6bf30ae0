//! Numbers and times in plain words.

use jiff::Timestamp;
pub use privet::words::count;

/// An epsilon as the most that an observer can become sure of, starting from even odds: e^eps / (1 + e^eps).
pub fn sure(epsilon: f64) -> String {
    // Bayes with even odds: the posterior odds are e^epsilon at most.
    let percent = 100.0 / (1.0 + (-epsilon).exp());
    match percent {
        // Rounded up to a number that is still true: 99.96 is not 100.
        99.9.. => "more than 99.9 %".into(),
        99.0.. => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

/// How strong a protection is, in a word.
pub fn strength(epsilon: f64) -> &'static str {
    match epsilon {
        ..=1.0 => "strong",
        ..=3.0 => "moderate",
        ..=8.0 => "weak",
        _ => "hardly any",
    }
}

/// A time in seconds since 1970, in UTC.
pub fn moment(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or("after the year 9999".into(), |time| {
        time.strftime("%Y-%m-%d %H:%M UTC").to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_moments_are_readable() {
        assert_eq!(
            (count(7), count(1234), count(1_000_000)),
            ("7".into(), "1,234".into(), "1,000,000".into())
        );
        assert_eq!(
            (sure(1.0), sure(5.0), sure(12.0)),
            ("73 %".into(), "99.3 %".into(), "more than 99.9 %".into())
        );
        assert_eq!(moment(0), "1970-01-01 00:00 UTC");
        assert_eq!(moment(951_782_400 + 3661), "2000-02-29 01:01 UTC");
        assert_eq!(moment(1_800_000_000), "2027-01-15 08:00 UTC");
        assert_eq!(moment(4_107_542_399), "2100-02-28 23:59 UTC");
        assert_eq!(moment(u64::MAX), "after the year 9999");
    }
}
