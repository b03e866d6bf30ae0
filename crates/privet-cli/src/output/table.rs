//! Columns that line up, and histograms drawn in characters.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstyle::Style;

use crate::output::style::{ACCENT, FAINT, count};

/// Width of the longest bar of a histogram.
const BAR: usize = 32;

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
pub struct TextCell {
    text: String,
    style: Style,
}

impl TextCell {
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
pub struct TextTable {
    aligns: Vec<Align>,
    rows: Vec<TextRow>,
}

#[derive(Debug, Clone)]
enum TextRow {
    Cells(Vec<TextCell>),
    Heading(TextCell),
}

impl TextRow {
    fn cells(&self) -> &[TextCell] {
        match self {
            Self::Cells(cells) => cells,
            Self::Heading(_) => &[],
        }
    }
}

impl TextTable {
    /// A table of so many columns.
    pub fn new(aligns: impl Into<Vec<Align>>) -> Self {
        Self { aligns: aligns.into(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl Into<Vec<TextCell>>) {
        self.rows.push(TextRow::Cells(cells.into()));
    }

    /// Adds a line of its own, as wide as it likes.
    pub fn heading(&mut self, cell: TextCell) {
        self.rows.push(TextRow::Heading(cell));
    }

    /// Writes it, each line after `indent` spaces, with no spaces at line ends.
    pub fn write(&self, out: &mut dyn Write, indent: usize) -> io::Result<()> {
        let width = |column: usize| {
            // Headings have no cells, and widen no column.
            let widths = self.rows.iter().filter_map(|row| row.cells().get(column));
            widths.map(|cell| cell.text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.aligns.len()).map(width).collect();
        for row in &self.rows {
            let line = match row {
                TextRow::Cells(cells) => self.line(cells, &widths),
                TextRow::Heading(TextCell { text, style }) => format!("{style}{text}{style:#}"),
            };
            // No trailing blanks: they would show up in comparisons of outputs.
            writeln!(out, "{:indent$}{}", "", line.trim_end())?;
        }
        Ok(())
    }

    fn line(&self, cells: &[TextCell], widths: &[usize]) -> String {
        let (mut line, mut gap) = (String::new(), 0);
        for ((TextCell { text, style }, &width), align) in
            cells.iter().zip(widths).zip(&self.aligns)
        {
            // Empty cells at the end of a row leave nothing behind.
            if text.is_empty() {
                gap += width + 2;
                continue;
            }
            // Characters, not bytes; styles are added around the text and have no width.
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

/// Bars of a histogram, longest `BAR` characters; a bar is never empty unless its count is 0.
pub fn histogram(bins: &[(String, u64)]) -> TextTable {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let most = bins.iter().map(|&(_, size)| size).max().unwrap_or(0).max(1);
    let mut table = TextTable::new([Align::Right, Align::Left, Align::Right]);
    for (name, size) in bins {
        let eighths = (*size as f64 / most as f64 * (BAR * 8) as f64).round() as usize;
        // What is not 0 is visible.
        let eighths = if *size > 0 { eighths.max(1) } else { 0 };
        let bar = format!("{}{}", "█".repeat(eighths / 8), EIGHTHS[eighths % 8]);
        table.row([
            TextCell::styled(name, FAINT),
            TextCell::styled(bar, ACCENT),
            TextCell::new(count(*size)),
        ]);
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
    fn tables_line_up_without_trailing_spaces() {
        let mut table = TextTable::new([Align::Left, Align::Right, Align::Left]);
        table.row([TextCell::new("a"), TextCell::new("1"), TextCell::new("x")]);
        table.row([TextCell::new("long"), TextCell::new(""), TextCell::new("y")]);
        table.row([TextCell::new("é"), TextCell::new("1,000"), TextCell::new("")]);
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
