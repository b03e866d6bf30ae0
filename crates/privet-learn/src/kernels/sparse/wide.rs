//! Rows wider than the registers: the rows of up to eight neighbours are read side by side, from end to end.
//!
//! Each is a stream of its own, which the hardware prefetches; the first reads of all wait for memory at the
//! same time. The sum so far stays in the fastest cache.

use pulp::Simd;

use super::super::Write;
use super::narrow::BlockProduct;
use super::{Finish, RowNorms};

/// Neighbours that are read side by side.
const STREAMS: usize = 8;

impl<F: Finish> BlockProduct<'_, F> {
    #[inline(always)]
    pub(super) fn wide_row<S: Simd>(&mut self, simd: S, row: usize) -> RowNorms {
        let start = (row - self.range.start) * self.columns;
        let place = start..start + self.columns;
        let out = &mut self.out[place.clone()];
        let arcs = self.rows.offsets[row]..self.rows.offsets[row + 1];
        let mut write = self.write;
        // A row without neighbours is a sum of nothing.
        if arcs.is_empty() && write == Write::Replace {
            out.fill(0.0);
        }
        // Eight neighbours are read at once, so that the output is loaded and stored once for all
        // eight.
        for first in arcs.clone().step_by(STREAMS) {
            let arcs = first..(first + STREAMS).min(arcs.end);
            let indices = &self.rows.indices[arcs.clone()];
            let weights = self.rows.weights.map(|weights| &weights[arcs]);
            let streams = Streams { indices, weights, x: self.x, write };
            // The number of streams is a constant of each function: the compiler unrolls the loop
            // over them.
            match indices.len() {
                1 => streams.add::<S, 1>(simd, out),
                2 => streams.add::<S, 2>(simd, out),
                3 => streams.add::<S, 3>(simd, out),
                4 => streams.add::<S, 4>(simd, out),
                5 => streams.add::<S, 5>(simd, out),
                6 => streams.add::<S, 6>(simd, out),
                7 => streams.add::<S, 7>(simd, out),
                _ => streams.add::<S, STREAMS>(simd, out),
            }
            // After the first eight the output holds a part of the sum.
            write = Write::Add;
        }
        let second = if self.second.is_empty() { &mut [] } else { &mut self.second[place] };
        self.finish.finish(row, out, second)
    }
}

/// Some neighbours of a row.
struct Streams<'a> {
    indices: &'a [u32],
    weights: Option<&'a [f32]>,
    x: &'a [f32],
    write: Write,
}

impl Streams<'_> {
    /// Adds `K` neighbours, in their order.
    #[inline(always)]
    fn add<S: Simd, const K: usize>(&self, simd: S, out: &mut [f32]) {
        let columns = out.len();
        let (out, out_rest) = S::as_mut_simd_f32s(out);
        let mut weights = [simd.splat_f32s(1.0); K];
        let (mut rows, mut rests) = ([&[][..]; K], [&[][..]; K]);
        for k in 0..K {
            let start = self.indices[k] as usize * columns;
            (rows[k], rests[k]) = S::as_simd_f32s(&self.x[start..start + columns]);
            // Equal lengths are stated here once, which removes the bounds checks below.
            rows[k] = &rows[k][..out.len()];
            if let Some(all) = self.weights {
                weights[k] = simd.splat_f32s(all[k]);
            }
        }
        for (at, out) in out.iter_mut().enumerate() {
            let mut sum = match self.write {
                Write::Replace => simd.splat_f32s(0.0),
                Write::Add => *out,
            };
            for k in 0..K {
                // Fused multiply-add where the processor has it: one rounding for each term.
                sum = simd.mul_add_e_f32s(weights[k], rows[k][at], sum);
            }
            *out = sum;
        }
        // Columns beyond the last full register, by masked loads and stores.
        if !out_rest.is_empty() {
            let mut sum = match self.write {
                Write::Replace => simd.splat_f32s(0.0),
                Write::Add => simd.partial_load_f32s(out_rest),
            };
            for k in 0..K {
                let x = simd.partial_load_f32s(rests[k]);
                sum = simd.mul_add_e_f32s(weights[k], x, sum);
            }
            simd.partial_store_f32s(out_rest, sum);
        }
    }
}
