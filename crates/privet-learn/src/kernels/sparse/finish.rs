//! What is done with a row as soon as its sum is complete, while it is at hand.

use privet_graph::DenseMatrix;

/// What to do with a row once its sum is complete.
pub(crate) trait Finish: Sync {
    /// Gets the sum, and the same row of the second output if there is one; returns a measurement, and
    /// the kernel returns the measurements of all rows.
    fn finish(&self, row: usize, sum: &mut [f32], second: &mut [f32]) -> RowNorms;
}

/// The size of some rows of a matrix: what is needed to bound its norm.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RowNorms {
    /// The largest absolute value, weighted by degree if errors are.
    pub largest: f64,
    /// The sum of absolute values, where the norm needs it.
    pub total: f64,
}

impl RowNorms {
    /// The size of both together.
    #[inline(always)]
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { largest: self.largest.max(other.largest), total: self.total + other.total }
    }
}

/// Nothing: the sum is the result.
pub(crate) struct KeepSum;

impl Finish for KeepSum {
    #[inline(always)]
    fn finish(&self, _: usize, _: &mut [f32], _: &mut [f32]) -> RowNorms {
        RowNorms::default()
    }
}

/// `a base + b sum`.
pub(super) struct ScaleAndAdd<'a> {
    pub b: f32,
    pub a: f32,
    pub base: &'a DenseMatrix,
}

impl Finish for ScaleAndAdd<'_> {
    #[inline(always)]
    fn finish(&self, row: usize, sum: &mut [f32], _: &mut [f32]) -> RowNorms {
        sum.iter_mut()
            .zip(self.base.row(row))
            .for_each(|(sum, base)| *sum = self.a * base + self.b * *sum);
        RowNorms::default()
    }
}

/// `max |v|`, written so that the compiler keeps eight running maxima in a register.
#[inline(always)]
pub(crate) fn max_abs(values: &[f32]) -> f32 {
    // Eight independent maxima, which the compiler keeps in one register: a single one would be a
    // chain of dependent steps.
    let mut running = [0f32; 8];
    let (eights, rest) = values.as_chunks::<8>();
    for eight in eights {
        for (max, v) in running.iter_mut().zip(eight) {
            *max = if v.abs() > *max { v.abs() } else { *max };
        }
    }
    running.iter().chain(rest).fold(0.0, |max, v| max.max(v.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_magnitude_is_found_wherever_it_is() {
        for length in 0..40 {
            for at in 0..length {
                let mut values = vec![0.5f32; length];
                values[at] = -3.0;
                assert_eq!(max_abs(&values), 3.0);
            }
        }
        assert_eq!(max_abs(&[]), 0.0);
    }
}
