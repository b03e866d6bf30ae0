//! [`Bounds`]: the public range of every feature column, and who says so.
//!
//! Every feature randomizer scales values into a range before it adds noise. A range computed from
//! the data leaks the data (one record can move the bins of all others), so a range here always carries
//! its [`BoundsOrigin`], and nothing in this crate measures one unless it is asked to by name.

use crate::{Error, Result};

/// Who declared a range.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundsOrigin {
    /// Stated by the custodian, from public knowledge: `--bounds 0,1`, or a catalog entry.
    Declared,
    /// Follows from the file format: a list of features that are present means values 0 and 1.
    Format,
    /// Computed from the records. Not public: a private mechanism must refuse it or charge for it.
    MeasuredFromData,
}

/// A closed range for every feature column.
///
/// ```
/// use privet_graph::{Bounds, BoundsOrigin};
/// let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
/// assert_eq!(bounds.column(3), (0.0, 1.0));
/// assert!(bounds.is_public());
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Bounds {
    origin: BoundsOrigin,
    ranges: ColumnRanges,
}

#[derive(Debug, Clone, PartialEq)]
enum ColumnRanges {
    Uniform(f32, f32),
    PerColumn(Vec<(f32, f32)>),
}

impl Bounds {
    /// The same range for every column.
    ///
    /// # Errors
    /// Unless `low < high` and both are finite.
    pub fn uniform(low: f32, high: f32, origin: BoundsOrigin) -> Result<Self> {
        check(low, high, "bounds")?;
        Ok(Self { origin, ranges: ColumnRanges::Uniform(low, high) })
    }

    /// A range for each column.
    ///
    /// # Errors
    /// Unless `low < high` and both are finite in every column.
    pub fn per_column(ranges: Vec<(f32, f32)>, origin: BoundsOrigin) -> Result<Self> {
        for (column, &(low, high)) in ranges.iter().enumerate() {
            check(low, high, &format!("bounds of column {column}"))?;
        }
        Ok(Self { origin, ranges: ColumnRanges::PerColumn(ranges) })
    }

    /// The range of `column`.
    ///
    /// # Panics
    /// If ranges were given per column and there is none for `column`.
    #[inline]
    pub fn column(&self, column: usize) -> (f32, f32) {
        match &self.ranges {
            ColumnRanges::Uniform(low, high) => (*low, *high),
            ColumnRanges::PerColumn(ranges) => ranges[column],
        }
    }

    /// How many columns have a range of their own; `None` if one range serves all.
    pub fn column_count(&self) -> Option<usize> {
        match &self.ranges {
            ColumnRanges::Uniform(..) => None,
            ColumnRanges::PerColumn(ranges) => Some(ranges.len()),
        }
    }

    /// Who declared the ranges.
    pub fn origin(&self) -> &BoundsOrigin {
        &self.origin
    }

    /// Whether the ranges are known without looking at any record.
    pub fn is_public(&self) -> bool {
        self.origin != BoundsOrigin::MeasuredFromData
    }
}

fn check(low: f32, high: f32, what: &str) -> Result<()> {
    if low < high && low.is_finite() && high.is_finite() {
        return Ok(());
    }
    Err(Error::invalid(what, format!("[{low}, {high}]"), "a finite low below a finite high"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_inverted_and_infinite_ranges_are_refused() {
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f32::NAN, 1.0), (0.0, f32::INFINITY)] {
            assert!(Bounds::uniform(low, high, BoundsOrigin::Declared).is_err());
            assert!(Bounds::per_column(vec![(low, high)], BoundsOrigin::Declared).is_err());
        }
    }

    #[test]
    fn measured_bounds_are_not_public() {
        let measured = Bounds::uniform(0.0, 1.0, BoundsOrigin::MeasuredFromData).unwrap();
        assert!(!measured.is_public());
    }
}
