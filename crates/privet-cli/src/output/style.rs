//! How things look: colours and numbers. Colour codes are always written; the streams of
//! [`crate::output::console`] take them out where they are not wanted.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
pub use privet::words::{count, counted};

/// Names and headings.
pub const STRONG: Style = Style::new().bold();
/// What is there.
pub const GOOD: Style = AnsiColor::Green.on_default();
/// What draws the eye: bars, commands to type.
pub const ACCENT: Style = AnsiColor::Cyan.on_default();
/// What can be skipped.
pub const FAINT: Style = Style::new().dimmed();
/// Something to know of.
pub const NOTE: Style = AnsiColor::Yellow.on_default().bold();
/// Something went wrong.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// A real number with about four telling digits, without noise behind them.
pub fn real(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    if !(1e-4..1e15).contains(&number.abs()) {
        return format!("{number:.3e}");
    }
    let decimals = (3 - number.abs().log10().floor() as i32).clamp(0, 7) as usize;
    let text = format!("{number:.decimals$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    match text.strip_prefix('-').unwrap_or(text) {
        // Large whole numbers are counts in all but type.
        whole if whole.len() > 3 && !whole.contains('.') => {
            let sign = if number < 0.0 { "-" } else { "" };
            whole.parse().map_or_else(|_| text.into(), |n: u64| format!("{sign}{}", count(n)))
        }
        _ => text.into(),
    }
}

/// A number that is far below 1, such as a delta.
pub fn scientific(number: f64) -> String {
    if number == 0.0 { "0".into() } else { format!("{number:e}") }
}

/// A share as a percentage; what is not all is never rounded to all.
pub fn percent(share: f64) -> String {
    let shown = if share < 1.0 { share.min(0.9999) } else { share };
    format!("{} %", real(shown * 100.0))
}

/// A size in binary units, as `ls -h` counts.
pub fn bytes(size: u64) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if size < 1024 {
        return format!("{size} B");
    }
    let mut scaled = size as f64 / 1024.0;
    let mut unit = UNITS[0];
    for &next in &UNITS[1..] {
        if scaled < 1024.0 {
            break;
        }
        (scaled, unit) = (scaled / 1024.0, next);
    }
    format!("{scaled:.1} {unit}")
}

/// Text from a stranger's file, made harmless for a terminal: control characters (which could move
/// the cursor or start a new line) are spelled out.
pub fn printable(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        // Bidirectional overrides are not control characters, but can reorder what is shown.
        let reorders = matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if character.is_control() || reorders {
            let _ = write!(safe, "{}", character.escape_default());
        } else {
            safe.push(character);
        }
    }
    safe
}

/// At most `width` characters of a text; the end is marked when something was cut.
pub fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.into();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// A sentence in lines of at most so many letters, cut between words.
pub fn wrapped(sentence: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_wrapped_between_words() {
        let long = "word ".repeat(40);
        let lines = wrapped(long.trim_end(), 76);
        assert!(lines.iter().all(|line| line.len() <= 76 && !line.ends_with(' ')), "{lines:?}");
        assert_eq!(lines.join(" "), long.trim_end());
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let told: Vec<String> = [0u64, 999, 1000, 1_234_567].map(count).into();
        assert_eq!(told, ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn reals_keep_four_digits() {
        let told: Vec<String> =
            [0.0, 0.5, 3.898, 1.0 / 3.0, 0.00123456, 12345.6, -1500.0, 1e-7].map(real).into();
        let expected = ["0", "0.5", "3.898", "0.3333", "0.001235", "12,346", "-1,500", "1.000e-7"];
        assert_eq!(told, expected);
    }

    #[test]
    fn only_all_is_a_hundred_percent() {
        assert_eq!(
            (percent(1.0), percent(0.999_999), percent(0.25)),
            ("100 %".into(), "99.99 %".into(), "25 %".into())
        );
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!((bytes(1023), bytes(1536)), ("1023 B".into(), "1.5 KiB".into()));
        assert_eq!(bytes(77_853_105), "74.2 MiB");
    }

    #[test]
    fn control_characters_are_spelled_out() {
        assert_eq!(printable("a\x1b[2J\nb\u{202e}é"), "a\\u{1b}[2J\\nb\\u{202e}é");
    }
}
