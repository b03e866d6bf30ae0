//! [`Table`]: rows of words, numbers and measurements, the same in every format.

use serde::{Deserialize, Serialize};

use super::json::number;
use super::summary::{MeasuredValue, NumberUnit, in_unit};

/// A table. The first column names the rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows. A short one is filled up with empty cells.
    pub rows: Vec<Vec<Cell>>,
}

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Cell {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A number that was not measured repeatedly.
    Number {
        /// The number.
        #[serde(with = "number")]
        value: f64,
        /// How it is shown.
        unit: NumberUnit,
    },
    /// A measurement.
    Measured(MeasuredValue),
    /// A measurement of ours beside a published number.
    Beside {
        /// What was measured here.
        ours: MeasuredValue,
        /// What was published, in the same unit.
        #[serde(with = "number")]
        theirs: f64,
    },
    /// Nothing, for a reason.
    Missing {
        /// Why there is nothing.
        reason: String,
    },
}

/// A cell in words: the main line, and what is said more quietly beside it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CellText {
    pub main: String,
    pub more: Vec<String>,
    pub kind: CellKind,
    /// What rows are sorted by, if it is a number.
    pub value: Option<f64>,
}

/// What a cell's looks depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellKind {
    Words,
    Number,
    Missing,
}

impl Table {
    /// A table without rows.
    pub fn new<N: Into<String>>(
        caption: impl Into<String>,
        columns: impl IntoIterator<Item = N>,
    ) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push<C: Into<Cell>>(&mut self, row: impl IntoIterator<Item = C>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The columns' names and the rows' cells, all rows equally long.
    pub(super) fn shown(&self) -> (Vec<&str>, Vec<Vec<CellText>>) {
        let longest = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let count = self.columns.len().max(longest);
        let names = self.columns.iter().map(String::as_str);
        let columns = names.chain(std::iter::repeat("")).take(count).collect();
        let empty = Cell::from("");
        let row = |row: &Vec<Cell>| {
            let cells = row.iter().chain(std::iter::repeat(&empty)).take(count);
            cells.map(Cell::shown).collect()
        };
        (columns, self.rows.iter().map(row).collect())
    }
}

impl Cell {
    /// A number as it is.
    pub fn number(value: f64) -> Self {
        Self::Number { value, unit: NumberUnit::Plain }
    }

    /// A share, shown as percent.
    pub fn percent(value: f64) -> Self {
        Self::Number { value, unit: NumberUnit::Percent }
    }

    /// Nothing, for a reason.
    pub fn missing(reason: impl Into<String>) -> Self {
        Self::Missing { reason: reason.into() }
    }

    pub(super) fn shown(&self) -> CellText {
        let (main, more) = match self {
            Self::Text { text } => (text.clone(), Vec::new()),
            Self::Number { value, unit } => (in_unit(*value, *unit), Vec::new()),
            Self::Measured(value) => (value.short(), vec![value.interval()]),
            Self::Beside { ours, theirs } => {
                (ours.short(), vec![ours.interval(), ours.against(*theirs)])
            }
            Self::Missing { reason } => ("–".into(), vec![reason.clone()]),
        };
        let (kind, value) = match self {
            Self::Text { .. } => (CellKind::Words, None),
            Self::Number { value, .. } => (CellKind::Number, Some(*value)),
            Self::Measured(ours) | Self::Beside { ours, .. } => (CellKind::Number, Some(ours.mean)),
            Self::Missing { .. } => (CellKind::Missing, None),
        };
        CellText { main, more, kind, value }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text { text: text.into() }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text { text }
    }
}

impl From<MeasuredValue> for Cell {
    fn from(value: MeasuredValue) -> Self {
        Self::Measured(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_say_what_they_are() {
        let shown = |cell: Cell| cell.shown();
        assert_eq!(shown(Cell::from("words")).kind, CellKind::Words);
        assert_eq!(shown(Cell::percent(0.5)).main, "50 %");
        let missing = shown(Cell::missing("too few"));
        assert_eq!((missing.main.as_str(), missing.more[0].as_str()), ("–", "too few"));
        assert_eq!(missing.kind, CellKind::Missing);
        let ours = MeasuredValue::once(0.5, NumberUnit::Percent);
        let beside = shown(Cell::Beside { ours, theirs: 0.4 });
        assert_eq!(beside.more.len(), 2, "an interval, and how far from theirs");
        assert!(beside.more[1].starts_with("paper 40"), "{beside:?}");
        assert_eq!(shown(ours.into()).more, ["1 run"]);
    }

    /// The widest row decides; what is short is filled up with nothing.
    #[test]
    fn all_rows_are_equally_long() {
        let mut table = Table::new("caption", ["a", "b"]);
        table.push(["1"]);
        table.push(["1", "2", "3"]);
        let (columns, rows) = table.shown();
        assert_eq!(columns, ["a", "b", ""]);
        assert!(rows.iter().all(|row| row.len() == 3));
        assert_eq!(rows[0][2].main, "");
    }

    #[test]
    fn numbers_that_json_lacks_come_back() {
        for value in [f64::INFINITY, f64::NEG_INFINITY, 0.1, -0.0] {
            let cell = Cell::number(value);
            let text = serde_json::to_string(&cell).unwrap();
            assert_eq!(serde_json::from_str::<Cell>(&text).unwrap(), cell, "{text}");
        }
        let text = serde_json::to_string(&Cell::number(f64::NAN)).unwrap();
        assert!(text.contains("\"nan\""), "{text}");
        assert!(serde_json::from_str::<Cell>(&text.replace("nan", "none")).is_err());
    }
}
