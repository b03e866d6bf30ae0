//! Numbers and moments in words that anybody reads.

pub use privet::words::count;

/// An epsilon as the most that somebody can become sure of, who thought it as likely as not before.
pub fn sure(epsilon: f64) -> String {
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

/// A moment in seconds since 1970, by the clock of Greenwich.
pub fn moment(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", rest / 3600, rest % 3600 / 60)
}

/// The date of a day since 1970. Years are counted from March, so that a leap day is the last of its year.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year + u64::from(month <= 2), month, day)
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
    }
}
