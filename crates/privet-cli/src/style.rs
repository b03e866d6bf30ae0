//! How things look: colours, numbers, tables, histograms. Colour codes are always written; the
//! streams of [`crate::console`] take them out where they are not wanted.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

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

/// Width of the longest bar of a histogram.
const BAR: usize = 32;

/// `1234567` as `1,234,567`.
pub fn count(number: impl TryInto<u64>) -> String {
    let Ok(number) = number.try_into() else { return "?".into() };
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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

/// `1 node`, `2 nodes`.
pub fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as u64), if number == 1 { one } else { many })
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

/// On which side of its column a cell stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A cell: its text, and how it is drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    /// A plain cell.
    pub fn new(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new())
    }

    /// A cell in a style.
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// Columns that line up, two spaces apart.
#[derive(Debug, Clone)]
pub struct Table {
    aligns: Vec<Align>,
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
enum Row {
    Cells(Vec<Cell>),
    Heading(Cell),
}

impl Row {
    fn cells(&self) -> &[Cell] {
        match self {
            Self::Cells(cells) => cells,
            Self::Heading(_) => &[],
        }
    }
}

impl Table {
    /// A table of so many columns.
    pub fn new(aligns: impl Into<Vec<Align>>) -> Self {
        Self { aligns: aligns.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        self.rows.push(Row::Cells(cells.into()));
    }

    /// Adds a line of its own, as wide as it likes.
    pub fn heading(&mut self, cell: Cell) {
        self.rows.push(Row::Heading(cell));
    }

    /// Writes it, each line after `indent` spaces, with no spaces at line ends.
    pub fn write(&self, out: &mut dyn Write, indent: usize) -> io::Result<()> {
        let width = |column: usize| {
            let widths = self.rows.iter().filter_map(|row| row.cells().get(column));
            widths.map(|cell| cell.text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(width).collect();
        for row in &self.rows {
            let line = match row {
                Row::Cells(cells) => self.line(cells, &widths),
                Row::Heading(Cell { text, style }) => format!("{style}{text}{style:#}"),
            };
            writeln!(out, "{:indent$}{}", "", line.trim_end())?;
        }
        Ok(())
    }

    fn line(&self, cells: &[Cell], widths: &[usize]) -> String {
        let (mut line, mut gap) = (String::new(), 0);
        for ((Cell { text, style }, &width), align) in cells.iter().zip(widths).zip(&self.aligns) {
            if text.is_empty() {
                gap += width + 2;
                continue;
            }
            let padding = width - text.chars().count();
            let (before, after) = match align {
                Align::Left => (0, padding),
                Align::Right => (padding, 0),
            };
            let _ = write!(line, "{:1$}{style}{text}{style:#}", "", gap + before);
            gap = after + 2;
        }
        line
    }
}

/// Bars of a histogram, longest [`BAR`] characters; a bar is never empty unless its count is 0.
pub fn histogram(bins: &[(String, u64)]) -> Table {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let most = bins.iter().map(|&(_, size)| size).max().unwrap_or(0).max(1);
    let mut table = Table::new([Align::Right, Align::Left, Align::Right]);
    for (name, size) in bins {
        let eighths = (*size as f64 / most as f64 * (BAR * 8) as f64).round() as usize;
        let eighths = if *size > 0 { eighths.max(1) } else { 0 };
        let bar = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
        table.row([Cell::styled(name, FAINT), Cell::styled(bar, ACCENT), Cell::new(count(*size))]);
    }
    table
}

/// A histogram in one line: one character a bin, the smallest still seen.
pub fn sparkline(bins: &[u64]) -> String {
    const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = bins.iter().copied().max().unwrap_or(0).max(1) as f64;
    let level = |&size: &u64| match size {
        0 => 0,
        size => ((size as f64 / most * 8.0).round() as usize).max(1),
    };
    bins.iter().map(|size| LEVELS[level(size)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn tables_line_up_without_trailing_spaces() {
        let mut table = Table::new([Align::Left, Align::Right, Align::Left]);
        table.row([Cell::new("a"), Cell::new("1"), Cell::new("x")]);
        table.row([Cell::new("long"), Cell::new(""), Cell::new("y")]);
        table.row([Cell::new("é"), Cell::new("1,000"), Cell::new("")]);
        let mut out = Vec::new();
        table.write(&mut out, 1).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, " a         1  x\n long         y\n é     1,000\n");
    }

    #[test]
    fn sparklines_have_eight_levels() {
        assert_eq!(sparkline(&[0, 1, 50, 100]), " ▁▄█");
        assert_eq!(sparkline(&[0]), " ");
    }

    #[test]
    fn the_smallest_bar_is_still_seen() {
        let mut out = Vec::new();
        let bins = [("1".into(), 100_000), ("2".into(), 1), ("3".into(), 0)];
        histogram(&bins).write(&mut anstream::StripStream::new(&mut out), 0).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].contains(&"█".repeat(BAR)) && lines[0].ends_with("100,000"), "{text}");
        assert!(lines[1].contains('▏'), "{text}");
        assert!(lines[2].starts_with("3 ") && lines[2].ends_with(" 0"), "{text}");
    }
}
