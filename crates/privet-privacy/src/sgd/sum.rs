//! The sum of clipped gradients in steps of the lattice, `Aᵀ G` for each layer: no single gradient is ever written out.
//!
//! # Exact
//! Inputs and output gradients are integers ([`quantize`](super::quantize)), and so are all products and sums, below 2⁵³:
//! `f64` holds them without rounding, in whatever order they are added.
//!
//! # Cost
//! One multiplication per weight that a term touches. Dense inputs go through vector registers: the sums of
//! six inputs by eight outputs stay in registers for 32 terms. Threads take ranges of inputs.

use privet_graph::{DenseMatrix, FeatureMatrix, SparseMatrix};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::learner::{Bias, Factors, Layer};
use super::quantize::{IntegerFactors, steps};

/// Outputs that are summed at a time.
const STRIP: usize = 8;
/// Inputs that are summed at a time.
const GROUP: usize = 6;
/// Terms that are summed before the registers are emptied: their inputs stay in a fast cache.
const TERMS: usize = 32;
/// Inputs that a thread takes at a time.
const RANGE: usize = 44 * GROUP;
/// Multiplications below which no other thread is woken.
const PARALLEL_WORK: usize = 1 << 21;

/// `Aᵀ G` for every layer, weights before biases, one after the other.
pub(super) fn integer_sum(
    layers: &[Layer],
    factors: &[Factors],
    kept: &[IntegerFactors],
) -> Vec<i64> {
    let mut sum = vec![0f64; layers.iter().map(Layer::parameter_count).sum()];
    let mut rest = sum.as_mut_slice();
    for ((layer, factors), kept) in layers.iter().zip(factors).zip(kept) {
        let (of_layer, after) = rest.split_at_mut(layer.parameter_count());
        if layer.outputs > 0 {
            let (matrix, bias) = of_layer.split_at_mut(layer.weight_count());
            let kept = KeptStrips::new(layer, kept);
            if layer.bias == Bias::Trained {
                kept.add_to_bias(bias);
            }
            match &factors.inputs {
                FeatureMatrix::Dense(inputs) => kept.add_dense(inputs, matrix),
                FeatureMatrix::Sparse(inputs) => kept.add_sparse(inputs, matrix),
            }
        }
        rest = after;
    }
    // Exact: all partial sums are integers below 2^53, whatever the order of threads and registers.
    sum.into_iter().map(|value| value as i64).collect()
}

/// The output gradients that are kept, in strips.
struct KeptStrips<'a> {
    /// Which terms they are, and what their inputs are multiplied with.
    terms: &'a [usize],
    scales: &'a [f64],
    outputs: usize,
    /// Eight outputs of all terms, then the next eight of all terms; the last are filled up with zeros.
    strips: Vec<[f64; STRIP]>,
}

impl<'a> KeptStrips<'a> {
    fn new(layer: &Layer, kept: &'a IntegerFactors) -> Self {
        let mut strips = Vec::new();
        for start in (0..layer.outputs).step_by(STRIP) {
            strips.extend(kept.outputs.chunks_exact(layer.outputs).map(|outputs| {
                let mut strip = [0f64; STRIP];
                // A strip fills vector registers whole; what is beyond the last output stays 0 and adds nothing.
                strip.iter_mut().zip(&outputs[start..]).for_each(|(kept, &output)| *kept = output);
                strip
            }));
        }
        Self { terms: &kept.terms, scales: &kept.scales, outputs: layer.outputs, strips }
    }

    /// The strips of all terms, by their first output.
    fn by_output(&self) -> impl Iterator<Item = (usize, &[[f64; STRIP]])> {
        (0..self.outputs).step_by(STRIP).zip(self.strips.chunks(self.terms.len().max(1)))
    }

    fn add_to_bias(&self, bias: &mut [f64]) {
        for (start, strips) in self.by_output() {
            let bias = bias.get_mut(start..).unwrap_or_default();
            for (strip, &scale) in strips.iter().zip(self.scales) {
                add_scaled(bias, steps(1.0, scale), strip);
            }
        }
    }

    fn add_dense(&self, inputs: &DenseMatrix, matrix: &mut [f64]) {
        let add = |(range, out): (usize, &mut [f64])| {
            Arch::new().dispatch(DenseRange { kept: self, inputs, first: range * RANGE, out });
        };
        self.each_range(self.terms.len() * matrix.len(), matrix, add);
    }

    fn add_sparse(&self, inputs: &SparseMatrix, matrix: &mut [f64]) {
        let entries: usize = self.terms.iter().map(|&term| inputs.row(term).0.len()).sum();
        let add = |(range, out): (usize, &mut [f64])| {
            Arch::new().dispatch(SparseRange { kept: self, inputs, first: range * RANGE, out });
        };
        self.each_range(entries * self.outputs, matrix, add);
    }

    fn each_range(
        &self,
        work: usize,
        matrix: &mut [f64],
        add: impl Fn((usize, &mut [f64])) + Sync + Send,
    ) {
        let length = RANGE * self.outputs;
        // A small sum is done before other threads have woken up.
        match work < PARALLEL_WORK {
            true => matrix.chunks_mut(length).enumerate().for_each(add),
            false => matrix.par_chunks_mut(length).enumerate().for_each(add),
        }
    }
}

/// The inputs from `first` on, for which `out` has a row of outputs each.
struct DenseRange<'a> {
    kept: &'a KeptStrips<'a>,
    inputs: &'a DenseMatrix,
    first: usize,
    out: &'a mut [f64],
}

impl WithSimd for DenseRange<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many registers as a strip fills.
        match STRIP / S::F64_LANES {
            1 => self.add::<S, 1>(simd),
            2 => self.add::<S, 2>(simd),
            4 => self.add::<S, 4>(simd),
            _ => self.add::<S, STRIP>(simd),
        }
    }
}

impl DenseRange<'_> {
    #[inline(always)]
    fn add<S: Simd, const N: usize>(self, simd: S) {
        let Self { kept, inputs, first, out } = self;
        let outputs = kept.outputs;
        let width = out.len() / outputs;
        // Inputs in steps, converted once per block and read by every strip of outputs.
        let mut block = vec![0f64; TERMS * width];
        for (chunk, terms) in kept.terms.chunks(TERMS).enumerate() {
            let from = chunk * TERMS;
            for ((row, &term), &scale) in
                block.chunks_exact_mut(width).zip(terms).zip(&kept.scales[from..])
            {
                let inputs = &inputs.row(term)[first..first + width];
                row.iter_mut().zip(inputs).for_each(|(to, &input)| *to = steps(input, scale));
            }
            for (start, strips) in kept.by_output() {
                let strips = &strips[from..from + terms.len()];
                // Several inputs at a time: each strip that is loaded is used for all of them.
                let mut groups = out.chunks_exact_mut(GROUP * outputs);
                let mut at = 0;
                for out in &mut groups {
                    let sums = sum_of_terms::<S, N, GROUP>(simd, (&block, width), strips, at);
                    for (out, sum) in out.chunks_exact_mut(outputs).zip(&sums) {
                        add_scaled(&mut out[start..], 1.0, sum);
                    }
                    at += GROUP;
                }
                for out in groups.into_remainder().chunks_exact_mut(outputs) {
                    let [sum] = sum_of_terms::<S, N, 1>(simd, (&block, width), strips, at);
                    add_scaled(&mut out[start..], 1.0, &sum);
                    at += 1;
                }
            }
        }
    }
}

/// `Σ_terms input · strip` for the `I` inputs from `at` on.
#[inline(always)]
fn sum_of_terms<S: Simd, const N: usize, const I: usize>(
    simd: S,
    (block, width): (&[f64], usize),
    strips: &[[f64; STRIP]],
    at: usize,
) -> [[f64; STRIP]; I] {
    // The sums stay in registers over all terms of a block, and are stored once.
    let mut sums = [[simd.splat_f64s(0.0); N]; I];
    for (row, strip) in block.chunks_exact(width).zip(strips) {
        let (strip, _) = S::as_simd_f64s(strip);
        let inputs = row.get(at..at + I).and_then(<[f64]>::first_chunk::<I>);
        if let (Some(inputs), Some(strip)) = (inputs, strip.first_chunk::<N>()) {
            for i in 0..I {
                let input = simd.splat_f64s(inputs[i]);
                for n in 0..N {
                    // Fused or not, a product of integers below 2^53 is the same.
                    sums[i][n] = simd.mul_add_e_f64s(input, strip[n], sums[i][n]);
                }
            }
        }
    }
    let mut stored = [[0f64; STRIP]; I];
    for i in 0..I {
        let (registers, _) = S::as_mut_simd_f64s(&mut stored[i]);
        registers.copy_from_slice(&sums[i]);
    }
    stored
}

/// The same for sparse inputs.
struct SparseRange<'a> {
    kept: &'a KeptStrips<'a>,
    inputs: &'a SparseMatrix,
    first: usize,
    out: &'a mut [f64],
}

impl WithSimd for SparseRange<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { kept, inputs, first, out } = self;
        let outputs = kept.outputs;
        let last = first + out.len() / outputs;
        for (start, strips) in kept.by_output() {
            for ((&term, &scale), strip) in kept.terms.iter().zip(kept.scales).zip(strips) {
                let (columns, values) = inputs.row(term);
                // Each thread owns a range of inputs, so it enters every sparse row at its own first column.
                let from = columns.partition_point(|&column| (column as usize) < first);
                for (&column, &value) in columns[from..].iter().zip(&values[from..]) {
                    if column as usize >= last {
                        break;
                    }
                    let at = (column as usize - first) * outputs;
                    add_scaled(&mut out[at + start..at + outputs], steps(value, scale), strip);
                }
            }
        }
    }
}

/// `out += input strip`, for as many outputs as there are. Whole strips need no test per output.
#[inline(always)]
fn add_scaled(out: &mut [f64], input: f64, strip: &[f64; STRIP]) {
    match out.first_chunk_mut::<STRIP>() {
        Some(out) => (0..STRIP).for_each(|i| out[i] += input * strip[i]),
        None => out.iter_mut().zip(strip).for_each(|(out, value)| *out += input * value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_graph::SparseBuilder;

    fn value(at: usize, seed: usize) -> i64 {
        ((at * 7919 + seed * 104_729) % 31) as i64 - 16
    }

    /// Multiples of 1/8.
    fn filled(rows: usize, columns: usize) -> DenseMatrix {
        let values = (0..rows * columns).map(|at| value(at, 1) as f32 / 8.0);
        DenseMatrix::new(rows, columns, values.collect()).unwrap()
    }

    fn textbook(rows: &[usize], columns: usize, outputs: usize) -> Vec<i64> {
        let gradient = |row: usize, output: usize| value(row * outputs + output, 2);
        let (mut sum, mut bias) = (vec![], vec![0; outputs]);
        for input in 0..columns {
            for output in 0..outputs {
                let term = |&row: &usize| value(row * columns + input, 1) * gradient(row, output);
                sum.push(rows.iter().map(term).sum());
            }
        }
        for &row in rows {
            bias.iter_mut().enumerate().for_each(|(at, sum)| *sum += 8 * gradient(row, at));
        }
        [sum, bias].concat()
    }

    /// Shapes below, at and beyond the sizes of strips, groups, chunks of terms and ranges of inputs.
    #[test]
    fn dense_and_sparse_sums_match_the_textbook_on_any_number_of_threads() {
        for (rows, columns, outputs) in
            [(1, 1, 1), (33, 7, 16), (70, 600, 33), (0, 5, 3), (5, 271, 0), (40, 2 * RANGE, 130)]
        {
            let inputs = filled(rows, columns);
            let terms: Vec<usize> = (0..rows).filter(|row| row % 5 != 3).collect();
            let of_term =
                |&row: &usize| (0..outputs).map(move |at| value(row * outputs + at, 2) as f64);
            let kept = [IntegerFactors {
                scales: vec![8.0; terms.len()],
                outputs: terms.iter().flat_map(of_term).collect(),
                terms,
            }];
            let expected = textbook(&kept[0].terms, columns, outputs);
            let mut sparse = SparseBuilder::new(columns);
            for row in 0..rows {
                let entries = (0..).zip(inputs.row(row).iter().copied());
                sparse.push_row(&mut entries.filter(|e| e.1 != 0.0).collect::<Vec<_>>()).unwrap();
            }
            let layer = [Layer { inputs: columns, outputs, bias: Bias::Trained }];
            for inputs in [FeatureMatrix::Dense(inputs), FeatureMatrix::Sparse(sparse.finish())] {
                let factors = [Factors::rank_one(inputs, DenseMatrix::zeros(rows, outputs))];
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    let sum = || integer_sum(&layer, &factors, &kept);
                    assert_eq!(pool.build().unwrap().install(sum), expected);
                }
            }
        }
    }
}
