//! Rows that fit the vector registers: their sums stay there while the neighbours' rows stream past.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::super::Write;
use super::{CompressedRows, Finish, RowNorms};

/// Vector registers that hold the sum of a row: half of the sixteen that AVX2 has, 64 columns.
const REGISTERS: usize = 8;

/// One block of rows of the product.
pub(super) struct BlockProduct<'a, F> {
    pub rows: CompressedRows<'a>,
    pub range: Range<usize>,
    pub columns: usize,
    pub x: &'a [f32],
    pub write: Write,
    /// The rows in `range`.
    pub out: &'a mut [f32],
    /// The same of the second output, or empty.
    pub second: &'a mut [f32],
    pub finish: &'a F,
}

impl<F: Finish> WithSimd for BlockProduct<'_, F> {
    type Output = RowNorms;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> RowNorms {
        let mut measured = RowNorms::default();
        for row in self.range.clone() {
            // Rows that fit into eight registers are summed without touching memory in between;
            // each width is a function of its own.
            measured = measured.and(match self.columns.div_ceil(S::F32_LANES) {
                0 => RowNorms::default(),
                1 => self.narrow_row::<S, 1>(simd, row),
                2 => self.narrow_row::<S, 2>(simd, row),
                3 => self.narrow_row::<S, 3>(simd, row),
                4 => self.narrow_row::<S, 4>(simd, row),
                5 => self.narrow_row::<S, 5>(simd, row),
                6 => self.narrow_row::<S, 6>(simd, row),
                7 => self.narrow_row::<S, 7>(simd, row),
                REGISTERS => self.narrow_row::<S, REGISTERS>(simd, row),
                _ => self.wide_row(simd, row),
            });
        }
        measured
    }
}

impl<F: Finish> BlockProduct<'_, F> {
    #[inline(always)]
    fn narrow_row<S: Simd, const N: usize>(&mut self, simd: S, row: usize) -> RowNorms {
        let start = (row - self.range.start) * self.columns;
        let place = start..start + self.columns;
        let mut sum = [simd.splat_f32s(0.0); N];
        // The sum starts from what is there.
        if self.write == Write::Add {
            sum = load::<S, N>(simd, &self.out[place.clone()]);
        }
        // The test is outside the loop over neighbours: whole registers need no mask.
        sum = if self.columns == N * S::F32_LANES {
            self.sum_row::<S, N>(simd, row, sum, load_full::<S, N>)
        } else {
            self.sum_row::<S, N>(simd, row, sum, load::<S, N>)
        };
        let out = &mut self.out[place.clone()];
        store(simd, sum, out);
        let second = if self.second.is_empty() { &mut [] } else { &mut self.second[place] };
        self.finish.finish(row, out, second)
    }

    #[inline(always)]
    fn sum_row<S: Simd, const N: usize>(
        &self,
        simd: S,
        row: usize,
        mut sum: [S::f32s; N],
        load: impl Fn(S, &[f32]) -> [S::f32s; N],
    ) -> [S::f32s; N] {
        let arcs = self.rows.offsets[row]..self.rows.offsets[row + 1];
        let indices = &self.rows.indices[arcs.clone()];
        let neighbour = |index: u32| {
            let start = index as usize * self.columns;
            load(simd, &self.x[start..start + self.columns])
        };
        match self.rows.weights {
            None => {
                for &index in indices {
                    let x = neighbour(index);
                    // A constant bound: the loop disappears, and all N sums stay in registers.
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
        // Unreachable where the width is N registers; the masked load is a safe answer
        // nevertheless.
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
        // The last register is partly filled; the other lanes hold zeros, which change no sum.
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
