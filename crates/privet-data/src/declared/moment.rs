//! [`Moment`]: a declared point in time, and the times that cells write.
//!
//! A time is an ISO 8601 date (`2026-01-31`, midnight), a date with a time of day (`2026-01-31T14:30`, a blank for the
//! `T`, seconds and parts of them, `Z` or an offset), or a number of seconds since 1970. Without an offset it is UTC.
//! Numbers that only look like seconds are refused, not taken for a distant year: milliseconds, and dates without hyphens.
//!
//! The calendar is jiff's. The grammar stays here: jiff's own parser also takes what a table means otherwise, such as
//! `20260131` and times without minutes.

use std::fmt;

use jiff::civil::{Date, date};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// How a right time is written, for messages.
pub(super) const A_TIME: &str =
    "a date (2026-01-31), a date and a time (2026-01-31T14:30:00Z), or seconds since 1970";

/// A point in time, to the nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Instant {
    pub(super) seconds: i64,
    pub(super) nanoseconds: u32,
}

/// A point in time as it is declared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moment {
    /// A date, perhaps with a time of day.
    Text(String),
    /// Seconds since 1970.
    Seconds(i64),
}

impl Moment {
    /// Which point in time it is, if it is one.
    pub(super) fn instant(&self) -> Option<Instant> {
        match self {
            Self::Text(text) => Instant::parse(text),
            Self::Seconds(seconds) => Instant::from_seconds(*seconds as f64),
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "'{text}'"),
            Self::Seconds(seconds) => seconds.fmt(f),
        }
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Seconds(seconds) => serializer.serialize_i64(*seconds),
        }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Point;
        impl<'de> Visitor<'de> for Point {
            type Value = Moment;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(A_TIME)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Moment, E> {
                Ok(Moment::Text(text.into()))
            }

            fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<Moment, E> {
                Ok(Moment::Seconds(seconds))
            }

            fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<Moment, E> {
                Ok(Moment::Seconds(seconds.try_into().unwrap_or(i64::MAX)))
            }

            /// TOML's own dates come as a map with one entry, their text.
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Moment, A::Error> {
                let entry: Option<(String, String)> = map.next_entry()?;
                let (_, text) = entry.ok_or_else(|| de::Error::invalid_length(0, &self))?;
                Ok(Moment::Text(text))
            }
        }
        deserializer.deserialize_any(Point)
    }
}

impl Instant {
    /// The time that a cell writes.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.get(4..5) != Some("-") {
            // 20260131 is meant as a date; as seconds it would be a day of 1970.
            let unhyphened = text.len() == 8 && text.bytes().all(|byte| byte.is_ascii_digit());
            return text.parse().ok().filter(|_| !unhyphened).and_then(Self::from_seconds);
        }
        let (date, time) = text.split_at_checked(10)?;
        let midnight = seconds_since_1970(date)?;
        let (seconds, nanoseconds) = match time.strip_prefix(['T', 't', ' ']) {
            Some(time) => time_of_day(time)?,
            None if time.is_empty() => (0, 0),
            None => return None,
        };
        Some(Self { seconds: midnight + seconds, nanoseconds })
    }

    /// So many seconds since 1970; `None` from the year 5138 on, which is today in milliseconds.
    pub(super) fn from_seconds(seconds: f64) -> Option<Self> {
        let whole = seconds.floor();
        let nanoseconds = ((seconds - whole) * 1e9) as u32;
        (whole.abs() < 1e11).then_some(Self { seconds: whole as i64, nanoseconds })
    }
}

/// The number that exactly `digits` digits write.
fn digits(text: &str, digits: usize) -> Option<i64> {
    let all = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok())?
}

/// Seconds from 1970 to the midnight that begins a `YYYY-MM-DD` of the Gregorian calendar.
fn seconds_since_1970(text: &str) -> Option<i64> {
    let (year, rest) = text.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    let (year, month, day) = (digits(year, 4)?, digits(month, 2)?, digits(day, 2)?);
    let day =
        Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    // Not through a `Timestamp`, which ends a day before 9999-12-31: tables write that for "never".
    Some(day.duration_since(date(1970, 1, 1)).as_secs())
}

/// Seconds since midnight UTC, and nanoseconds, of `14:30`, `14:30:05.5Z`, `14:30:05+02:00`.
fn time_of_day(text: &str) -> Option<(i64, u32)> {
    let zone_at = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(zone_at);
    let mut parts = time.trim_end().split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let (second, nanoseconds) = match parts.next() {
        None => (0, 0),
        Some(second) => {
            let (whole, part) = second.split_once('.').unwrap_or((second, "0"));
            (digits(whole, 2)?, nanoseconds(part)?)
        }
    };
    // A leap second counts as the second after it, as in unix time.
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    Some((hour * 3600 + minute * 60 + second - offset(zone)?, nanoseconds))
}

fn nanoseconds(part: &str) -> Option<u32> {
    let all = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| format!("{part:0<9}")[..9].parse().ok())?
}

/// Seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    if zone.is_empty() {
        return Some(0);
    }
    let (sign, digits_of) = match zone.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        ("Z" | "z", "") => return Some(0),
        _ => return None,
    };
    let plain = digits_of.replace(':', "");
    let (hours, minutes) = match plain.len() {
        2 => (digits(&plain, 2)?, 0),
        4 => (digits(&plain[..2], 2)?, digits(&plain[2..], 2)?),
        _ => return None,
    };
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Option<i64> {
        Instant::parse(text).map(|instant| instant.seconds)
    }

    #[test]
    fn dates_are_days_of_the_calendar() {
        for (text, expected) in [
            ("1970-01-01", 0),
            ("1969-12-31", -86_400),
            ("2000-02-29", 951_782_400),
            ("2026-01-01", 1_767_225_600),
            ("2026-01-01T00:00", 1_767_225_600),
            ("2026-01-01 01:02:03", 1_767_229_323),
            ("2026-01-01T01:02:03.999Z", 1_767_229_323),
            ("2026-01-01T02:00:00+02:00", 1_767_225_600),
            ("2025-12-31T19:00:00 -0500", 1_767_225_600),
            ("1767225600", 1_767_225_600),
            ("1767225600.0", 1_767_225_600),
            ("-5", -5),
        ] {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        assert_eq!(Instant::parse("1970-01-01T00:00:00.5").unwrap().nanoseconds, 500_000_000);
        assert!(Instant::parse("1970-01-01T00:00:00.5") > Instant::parse("0"));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in [
            "",
            "today",
            "2026-13-01",
            "2026-02-29",
            "2026-1-1",
            "01/02/2026",
            "2026-01-01T",
            "2026-01-01T25:00",
            "2026-01-01T10",
            "2026-01-01x",
            "20260101",
            "1767225600000",
            "inf",
            "NaN",
            "2026-01-01T10:00+2",
            "2026-01-01T10:00:00.Z",
            "2026-é1-01",
            "+026-01-01",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    #[test]
    fn declared_as_text_or_number_or_as_toml_gives_dates() {
        let read = |json: &str| serde_json::from_str::<Moment>(json).unwrap().instant();
        let new_year = Instant::parse("2026-01-01");
        assert!(new_year.is_some());
        assert_eq!(read("\"2026-01-01\""), new_year);
        assert_eq!(read("1767225600"), new_year);
        assert_eq!(read(r#"{"$__toml_private_datetime": "2026-01-01"}"#), new_year);
        assert!(serde_json::from_str::<Moment>("true").is_err());
    }
}
