//! [`Cell`]: what a table holds in one place, whatever the file's types are.

use std::borrow::Cow;

use super::moment::Instant;
use crate::formats::shown;

/// What a table holds in one place. Text is without the blanks around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// A null.
    Nothing,
    /// Text, as all cells of delimited files are.
    Text(&'a str),
    /// An integer.
    Integer(i128),
    /// A real number; not a number is as good as a null.
    Real(f64),
    /// A point in time.
    Instant(Instant),
}

impl<'a> Cell<'a> {
    /// A cell of a delimited file.
    #[inline]
    pub fn text(text: &'a str) -> Self {
        Self::Text(trimmed(text))
    }

    /// Whether there is nothing, or what means nothing.
    #[inline]
    pub(super) fn is_among(&self, markers: &[String]) -> bool {
        match self {
            Self::Nothing => true,
            Self::Text(text) => markers.iter().any(|marker| marker == text),
            Self::Real(value) => value.is_nan(),
            Self::Integer(_) | Self::Instant(_) => false,
        }
    }

    /// As text: what a delimited file of the same table would hold. Whole numbers have no point, because
    /// integers with gaps become reals in many hands.
    pub(super) fn as_text(&self) -> Cow<'a, str> {
        match *self {
            Self::Nothing => Cow::Borrowed(""),
            Self::Text(text) => Cow::Borrowed(text),
            Self::Integer(number) => number.to_string().into(),
            Self::Real(value) => value.to_string().into(),
            Self::Instant(instant) => instant.seconds.to_string().into(),
        }
    }

    /// The finite number that it writes.
    #[inline]
    pub(super) fn as_number(&self) -> Option<f64> {
        let number = match *self {
            Self::Text(text) => text.parse().ok()?,
            Self::Integer(number) => number as f64,
            Self::Real(value) => value,
            Self::Nothing | Self::Instant(_) => return None,
        };
        number.is_finite().then_some(number)
    }

    /// The point in time that it writes.
    pub(super) fn as_instant(&self) -> Option<Instant> {
        match *self {
            Self::Text(text) => Instant::parse(text),
            Self::Integer(seconds) => Instant::from_seconds(seconds as f64),
            Self::Real(seconds) => Instant::from_seconds(seconds),
            Self::Instant(instant) => Some(instant),
            Self::Nothing => None,
        }
    }

    /// As an error quotes it, for those who may see it.
    pub(super) fn quoted(&self) -> String {
        shown(self.as_text().as_bytes())
    }
}

/// The text without the blanks around it. Most cells have none, and are told at a glance.
#[inline]
fn trimmed(text: &str) -> &str {
    let blank = |byte: Option<&u8>| byte.is_some_and(|&byte| byte <= b' ' || byte >= 0x80);
    let bytes = text.as_bytes();
    if blank(bytes.first()) || blank(bytes.last()) { text.trim() } else { text }
}
