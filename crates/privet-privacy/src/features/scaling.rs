//! [`Scale`]: from values within declared bounds to points of a lattice on [-1, 1], and back.
//!
//! A value `y` of a column with public bounds `[low, high]` stands for
//! `x = 2 (y - low) / (high - low) - 1`, clamped to [-1, 1], and `x` for the nearest of the points
//! `i/n`, `i = -n..n`. All of that is a function of one's own record and of public numbers, so it costs
//! nothing and may be done in floating point; the law that follows reads only the integer `i`.
//! With the usual n = 2¹⁶ the rounding moves a value by at most a 262,144th of its range.

use privet_graph::Bounds;

use crate::error::{Error, Result};
use crate::fault::{self, Fault};
use crate::population::TableShape;

/// Lattice steps between the middle of a range and its end, by default.
pub const DEFAULT_STEPS: u32 = 1 << 16;

/// The finest lattice: levels and their squares stay far inside 64 bits.
const MOST_STEPS: u32 = 1 << 20;

/// The public range of every column, cut into lattice points.
///
/// ```
/// use privet_graph::{Bounds, BoundsOrigin};
/// use privet_privacy::features::Scale;
/// let bounds = Bounds::uniform(0.0, 10.0, BoundsOrigin::Declared)?;
/// let scale = Scale::new(3, Some(&bounds))?.with_steps(100)?;
/// assert_eq!(scale.index(0, 7.5), 50);
/// assert_eq!(scale.index(0, 99.0), 100); // clamped
/// assert_eq!(scale.original(0, 0.5), 7.5);
/// assert!(Scale::new(3, None).is_err()); // no range was declared
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    bounds: Bounds,
    columns: usize,
    steps: u32,
}

impl Scale {
    /// The scale of so many columns, from bounds that must be there and must be public.
    ///
    /// # Errors
    /// If there are no bounds, they were measured from the records, or they are for another number
    /// of columns; if there are no columns.
    pub fn new(columns: usize, bounds: Option<&Bounds>) -> Result<Self> {
        const DECLARE: &str = "declared from public knowledge, for every column";
        let Some(bounds) = bounds else {
            return Err(Error::range("range of the features", "missing", DECLARE));
        };
        if !bounds.is_public() && !fault::on(Fault::BoundsFromTheRecords) {
            let found = "measured from the records";
            return Err(Error::range("range of the features", found, DECLARE));
        }
        if let Some(count) = bounds.column_count().filter(|&count| count != columns) {
            let found = format!("given for {count} columns out of {columns}");
            return Err(Error::range("range of the features", found, DECLARE));
        }
        if columns == 0 || u32::try_from(columns).is_err() {
            return Err(Error::range("number of feature columns", columns, "1 to 2^32 - 1"));
        }
        Ok(Self { bounds: bounds.clone(), columns, steps: DEFAULT_STEPS })
    }

    /// The same scale on a lattice of `steps` points on either side of the middle.
    ///
    /// # Errors
    /// If there are no steps, or more than 2²⁰.
    pub fn with_steps(mut self, steps: u32) -> Result<Self> {
        if !(1..=MOST_STEPS).contains(&steps) {
            return Err(Error::range("lattice steps", steps, "1 to 2^20"));
        }
        self.steps = steps;
        Ok(self)
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Lattice points on either side of the middle.
    pub fn steps(&self) -> u32 {
        self.steps
    }

    /// The place of a value on [-1, 1], clamped.
    #[inline]
    pub fn normalized(&self, column: u32, value: f32) -> f64 {
        let (middle, half) = self.middle_and_half(column);
        ((f64::from(value) - middle) / half).clamp(-1.0, 1.0)
    }

    /// The lattice point next to a value.
    #[inline]
    pub fn index(&self, column: u32, value: f32) -> i64 {
        let scaled = self.normalized(column, value) * f64::from(self.steps);
        // Half a step away from zero, then towards it: several times faster than `round`.
        // A NaN casts to 0, the middle of the range: a value that is no number has no influence of its own.
        (scaled + 0.5f64.copysign(scaled)) as i64
    }

    /// The value of the column at a place on [-1, 1] (or beyond).
    pub fn original(&self, column: u32, place: f64) -> f64 {
        let (middle, half) = self.middle_and_half(column);
        middle + half * place
    }

    /// Refuses rows that have not exactly the columns of this scale.
    pub(crate) fn check(&self, shape: &TableShape) -> Result<()> {
        match shape.columns == self.columns {
            true => Ok(()),
            false => Err(Error::shape("columns", shape.columns, "the mechanism", self.columns)),
        }
    }

    /// The middle of a column's range and half its length.
    #[inline]
    pub(crate) fn middle_and_half(&self, column: u32) -> (f64, f64) {
        let (low, high) = self.bounds.column(column as usize);
        let (low, high) = (f64::from(low), f64::from(high));
        (0.5 * (low + high), 0.5 * (high - low))
    }

    /// Who declared the bounds, in words for the card.
    pub(crate) fn assumption(&self) -> String {
        match self.bounds.origin() {
            privet_graph::BoundsOrigin::Format => {
                "the range of every feature: it follows from the file format".to_owned()
            }
            _ => "the range of every feature: declared".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_graph::BoundsOrigin;
    use proptest::prelude::*;

    #[test]
    fn bounds_must_be_there_public_and_complete() {
        let measured = Bounds::uniform(0.0, 1.0, BoundsOrigin::MeasuredFromData).unwrap();
        let error = Scale::new(2, Some(&measured)).unwrap_err().to_string();
        assert_eq!(
            error,
            "range of the features is measured from the records, but must be declared from public \
             knowledge, for every column"
        );
        assert!(Scale::new(2, None).unwrap_err().to_string().contains("missing"));
        let two = Bounds::per_column(vec![(0.0, 1.0); 2], BoundsOrigin::Format).unwrap();
        assert!(Scale::new(3, Some(&two)).is_err());
        assert!(Scale::new(2, Some(&two)).is_ok());
        let any = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared).unwrap();
        assert!(Scale::new(0, Some(&any)).is_err());
        assert!(Scale::new(1, Some(&any)).unwrap().with_steps(0).is_err());
        assert!(Scale::new(1, Some(&any)).unwrap().with_steps(1 << 21).is_err());
    }

    proptest! {
        #[test]
        fn values_come_back_within_half_a_step(y in -3.0f32..7.0, steps in 1u32..1 << 20) {
            let bounds = Bounds::uniform(-3.0, 7.0, BoundsOrigin::Declared).unwrap();
            let scale = Scale::new(1, Some(&bounds)).unwrap().with_steps(steps).unwrap();
            let index = scale.index(0, y);
            prop_assert!(index.abs() <= i64::from(steps));
            let back = scale.original(0, index as f64 / f64::from(steps));
            prop_assert!((back - f64::from(y)).abs() <= 5.0 / f64::from(steps) * 0.500_001);
        }

        #[test]
        fn any_float_has_a_lattice_point(bits in any::<u32>()) {
            let bounds = Bounds::uniform(f32::MIN, f32::MAX, BoundsOrigin::Declared).unwrap();
            let scale = Scale::new(1, Some(&bounds)).unwrap();
            prop_assert!(scale.index(0, f32::from_bits(bits)).abs() <= 1 << 16);
        }
    }
}
