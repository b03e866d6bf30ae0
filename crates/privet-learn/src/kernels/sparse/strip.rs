//! The innermost loops: a strip of a row's columns is summed in vector registers.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::Write;
use super::{Finish, Measured, Rows};

/// Vector registers that hold one strip of a row: half of the sixteen that AVX2 has.
const REGISTERS: usize = 8;

/// Columns of the rows that are summed: `values` has `stride` of them per row, the first of which is column
/// `first` of the product.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub values: &'a [f32],
    pub stride: usize,
    pub first: usize,
}

/// One block of rows of the product, `columns` of which are at hand.
pub(super) struct Job<'a, F> {
    pub rows: Rows<'a>,
    pub range: Range<usize>,
    pub columns: Range<usize>,
    pub x: Columns<'a>,
    pub write: Write,
    /// All columns of the rows in `range`.
    pub out: &'a mut [f32],
    /// The same of the second output, or empty.
    pub second: &'a mut [f32],
    pub stride: usize,
    pub finish: &'a F,
}

impl<F: Finish> WithSimd for Job<'_, F> {
    type Output = Measured;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> Measured {
        // The last columns of a row take as many registers as they fill.
        let width = REGISTERS * S::F32_LANES;
        let mut measured = Measured::default();
        for row in self.range.clone() {
            for at in self.columns.clone().step_by(width) {
                let strip = at..(at + width).min(self.columns.end);
                measured = measured.and(match strip.len().div_ceil(S::F32_LANES) {
                    1 => self.strip::<S, 1>(simd, row, strip),
                    2 => self.strip::<S, 2>(simd, row, strip),
                    3 => self.strip::<S, 3>(simd, row, strip),
                    4 => self.strip::<S, 4>(simd, row, strip),
                    5 => self.strip::<S, 5>(simd, row, strip),
                    6 => self.strip::<S, 6>(simd, row, strip),
                    7 => self.strip::<S, 7>(simd, row, strip),
                    _ => self.strip::<S, 8>(simd, row, strip),
                });
            }
        }
        measured
    }
}

impl<F: Finish> Job<'_, F> {
    #[inline(always)]
    fn strip<S: Simd, const N: usize>(
        &mut self,
        simd: S,
        row: usize,
        strip: Range<usize>,
    ) -> Measured {
        let place = (row - self.range.start) * self.stride;
        let place = place + strip.start..place + strip.end;
        let mut sum = [simd.splat_f32s(0.0); N];
        if self.write == Write::Add {
            sum = load::<S, N>(simd, &self.out[place.clone()]);
        }
        // The test is outside the loop over neighbours: whole registers need no mask.
        sum = if strip.len() == N * S::F32_LANES {
            self.sum_row::<S, N>(simd, row, strip.clone(), sum, load_full::<S, N>)
        } else {
            self.sum_row::<S, N>(simd, row, strip.clone(), sum, load::<S, N>)
        };
        let out = &mut self.out[place.clone()];
        store(simd, sum, out);
        let second = if self.second.is_empty() { &mut [] } else { &mut self.second[place] };
        self.finish.finish(row, strip.start, out, second)
    }

    #[inline(always)]
    fn sum_row<S: Simd, const N: usize>(
        &self,
        simd: S,
        row: usize,
        strip: Range<usize>,
        mut sum: [S::f32s; N],
        load: impl Fn(S, &[f32]) -> [S::f32s; N],
    ) -> [S::f32s; N] {
        let arcs = self.rows.offsets[row]..self.rows.offsets[row + 1];
        let indices = &self.rows.indices[arcs.clone()];
        let (from, to) = (strip.start - self.x.first, strip.end - self.x.first);
        let neighbour = |index: u32| {
            let start = index as usize * self.x.stride;
            load(simd, &self.x.values[start + from..start + to])
        };
        match self.rows.weights {
            None => {
                for &index in indices {
                    let x = neighbour(index);
                    for i in 0..N {
                        sum[i] = simd.add_f32s(sum[i], x[i]);
                    }
                }
            }
            Some(weights) => {
                for (&index, &weight) in indices.iter().zip(&weights[arcs]) {
                    let (x, weight) = (neighbour(index), simd.splat_f32s(weight));
                    for i in 0..N {
                        sum[i] = simd.mul_add_e_f32s(weight, x[i], sum[i]);
                    }
                }
            }
        }
        sum
    }
}

#[inline(always)]
fn load_full<S: Simd, const N: usize>(simd: S, values: &[f32]) -> [S::f32s; N] {
    let (vectors, _) = S::as_simd_f32s(values);
    match vectors.first_chunk::<N>() {
        Some(vectors) => *vectors,
        None => load(simd, values),
    }
}

#[inline(always)]
fn load<S: Simd, const N: usize>(simd: S, values: &[f32]) -> [S::f32s; N] {
    let (vectors, rest) = S::as_simd_f32s(values);
    let mut loaded = [simd.splat_f32s(0.0); N];
    for (to, from) in loaded.iter_mut().zip(vectors) {
        *to = *from;
    }
    if !rest.is_empty() {
        loaded[N - 1] = simd.partial_load_f32s(rest);
    }
    loaded
}

#[inline(always)]
fn store<S: Simd, const N: usize>(simd: S, sum: [S::f32s; N], out: &mut [f32]) {
    let (vectors, rest) = S::as_mut_simd_f32s(out);
    for (to, from) in vectors.iter_mut().zip(&sum) {
        *to = *from;
    }
    if !rest.is_empty() {
        simd.partial_store_f32s(rest, sum[N - 1]);
    }
}
