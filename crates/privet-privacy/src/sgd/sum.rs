//! The sum of clipped gradients, `Aᵀ diag(w) G` for each layer: no single gradient is ever written out.
//!
//! Terms of rows with weight 0 are left out, not multiplied by it: they may hold what is not a number.
//!
//! # Cost
//! One multiplication per weight that a term touches. Dense inputs go through vector registers: the sums of
//! six inputs by sixteen outputs stay in registers for 32 terms. Threads take ranges of inputs, and every sum
//! adds its terms in the order of the batch, so the result does not depend on their number.

use privet_graph::{DenseMatrix, FeatureMatrix, SparseMatrix};
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use super::learner::{Factors, Layer};

/// Outputs that are summed at a time.
const STRIP: usize = 16;
/// Inputs that are summed at a time.
const GROUP: usize = 6;
/// Terms that are summed before the registers are emptied: their inputs stay in the fastest cache.
const TERMS: usize = 32;
/// Inputs that a thread takes at a time.
const RANGE: usize = 88 * GROUP;
/// Multiplications below which no other thread is woken.
const PARALLEL_WORK: usize = 1 << 21;

/// `Aᵀ diag(w) G` for every layer, weights before biases, one after the other.
pub(super) fn weighted_sum(layers: &[Layer], factors: &[Factors], weights: &[f32]) -> Vec<f32> {
    let mut sum = vec![0f32; layers.iter().map(Layer::parameter_count).sum()];
    let mut rest = sum.as_mut_slice();
    for (layer, factors) in layers.iter().zip(factors) {
        let (of_layer, after) = rest.split_at_mut(layer.parameter_count());
        if layer.outputs > 0 {
            let (matrix, bias) = of_layer.split_at_mut(layer.weight_count());
            let scaled = Scaled::new(factors, weights);
            scaled.add_to_bias(bias);
            match &factors.inputs {
                FeatureMatrix::Dense(inputs) => scaled.add_dense(inputs, matrix),
                FeatureMatrix::Sparse(inputs) => scaled.add_sparse(inputs, matrix),
            }
        }
        rest = after;
    }
    sum
}

/// The rows of `diag(w) G` whose weight is not 0.
struct Scaled {
    /// Which terms they are.
    terms: Vec<usize>,
    outputs: usize,
    /// Sixteen outputs of all terms, then the next sixteen of all terms; the last are filled up with zeros.
    strips: Vec<[f32; STRIP]>,
}

impl Scaled {
    fn new(factors: &Factors, weights: &[f32]) -> Self {
        let gradients = &factors.output_gradients;
        let (mut terms, mut of_terms) = (Vec::new(), Vec::new());
        for (row, &weight) in weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            terms.extend(factors.terms.of_row(row));
            of_terms.resize(terms.len(), weight);
        }
        let mut strips = Vec::new();
        for start in (0..gradients.columns()).step_by(STRIP) {
            strips.extend(terms.iter().zip(&of_terms).map(|(&term, &weight)| {
                let mut strip = [0f32; STRIP];
                let gradient = &gradients.row(term)[start..];
                strip.iter_mut().zip(gradient).for_each(|(scaled, g)| *scaled = weight * g);
                strip
            }));
        }
        Self { terms, outputs: gradients.columns(), strips }
    }

    /// The strips of all terms, by their first output.
    fn by_output(&self) -> impl Iterator<Item = (usize, &[[f32; STRIP]])> {
        (0..self.outputs).step_by(STRIP).zip(self.strips.chunks(self.terms.len().max(1)))
    }

    fn add_to_bias(&self, bias: &mut [f32]) {
        for (start, strips) in self.by_output() {
            let bias = bias.get_mut(start..).unwrap_or_default();
            for strip in strips {
                bias.iter_mut().zip(strip).for_each(|(sum, value)| *sum += value);
            }
        }
    }

    fn add_dense(&self, inputs: &DenseMatrix, matrix: &mut [f32]) {
        let add = |(range, out): (usize, &mut [f32])| {
            Arch::new().dispatch(DenseRange { scaled: self, inputs, first: range * RANGE, out });
        };
        self.each_range(self.terms.len() * matrix.len(), matrix, add);
    }

    fn add_sparse(&self, inputs: &SparseMatrix, matrix: &mut [f32]) {
        let entries: usize = self.terms.iter().map(|&term| inputs.row(term).0.len()).sum();
        let add = |(range, out): (usize, &mut [f32])| {
            Arch::new().dispatch(SparseRange { scaled: self, inputs, first: range * RANGE, out });
        };
        self.each_range(entries * self.outputs, matrix, add);
    }

    fn each_range(
        &self,
        work: usize,
        matrix: &mut [f32],
        add: impl Fn((usize, &mut [f32])) + Sync + Send,
    ) {
        let length = RANGE * self.outputs;
        match work < PARALLEL_WORK {
            true => matrix.chunks_mut(length).enumerate().for_each(add),
            false => matrix.par_chunks_mut(length).enumerate().for_each(add),
        }
    }
}

/// The inputs from `first` on, for which `out` has a row of outputs each.
struct DenseRange<'a> {
    scaled: &'a Scaled,
    inputs: &'a DenseMatrix,
    first: usize,
    out: &'a mut [f32],
}

impl WithSimd for DenseRange<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        // As many registers as a strip fills.
        match STRIP / S::F32_LANES {
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
        let Self { scaled, inputs, first, out } = self;
        let outputs = scaled.outputs;
        let last = first + out.len() / outputs;
        for (start, strips) in scaled.by_output() {
            for (terms, strips) in scaled.terms.chunks(TERMS).zip(strips.chunks(TERMS)) {
                let mut rows = [&[][..]; TERMS];
                for (row, &term) in rows.iter_mut().zip(terms) {
                    *row = &inputs.row(term)[first..last];
                }
                let mut groups = out.chunks_exact_mut(GROUP * outputs);
                let mut at = 0;
                for out in &mut groups {
                    let sums = sum_of_terms::<S, N, GROUP>(simd, &rows, strips, at);
                    for (out, sum) in out.chunks_exact_mut(outputs).zip(&sums) {
                        add(&mut out[start..], sum);
                    }
                    at += GROUP;
                }
                for out in groups.into_remainder().chunks_exact_mut(outputs) {
                    let [sum] = sum_of_terms::<S, N, 1>(simd, &rows, strips, at);
                    add(&mut out[start..], &sum);
                    at += 1;
                }
            }
        }
    }
}

#[inline(always)]
fn add(out: &mut [f32], strip: &[f32; STRIP]) {
    add_scaled(out, 1.0, strip);
}

/// `Σ_terms input · strip` for the `I` inputs from `at` on.
#[inline(always)]
fn sum_of_terms<S: Simd, const N: usize, const I: usize>(
    simd: S,
    rows: &[&[f32]; TERMS],
    strips: &[[f32; STRIP]],
    at: usize,
) -> [[f32; STRIP]; I] {
    let mut sums = [[simd.splat_f32s(0.0); N]; I];
    for (row, strip) in rows.iter().zip(strips) {
        let (strip, _) = S::as_simd_f32s(strip);
        let inputs = row.get(at..at + I).and_then(<[f32]>::first_chunk::<I>);
        if let (Some(inputs), Some(strip)) = (inputs, strip.first_chunk::<N>()) {
            for i in 0..I {
                let input = simd.splat_f32s(inputs[i]);
                for n in 0..N {
                    sums[i][n] = simd.mul_add_e_f32s(input, strip[n], sums[i][n]);
                }
            }
        }
    }
    let mut stored = [[0f32; STRIP]; I];
    for i in 0..I {
        let (registers, _) = S::as_mut_simd_f32s(&mut stored[i]);
        registers.copy_from_slice(&sums[i]);
    }
    stored
}

/// The same for sparse inputs.
struct SparseRange<'a> {
    scaled: &'a Scaled,
    inputs: &'a SparseMatrix,
    first: usize,
    out: &'a mut [f32],
}

impl WithSimd for SparseRange<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { scaled, inputs, first, out } = self;
        let outputs = scaled.outputs;
        let last = first + out.len() / outputs;
        for (start, strips) in scaled.by_output() {
            for (&term, strip) in scaled.terms.iter().zip(strips) {
                let (columns, values) = inputs.row(term);
                let from = columns.partition_point(|&column| (column as usize) < first);
                for (&column, &value) in columns[from..].iter().zip(&values[from..]) {
                    if column as usize >= last {
                        break;
                    }
                    let at = (column as usize - first) * outputs;
                    add_scaled(&mut out[at + start..at + outputs], value, strip);
                }
            }
        }
    }
}

/// `out += input strip`, for as many outputs as there are. Whole strips need no test per output.
#[inline(always)]
fn add_scaled(out: &mut [f32], input: f32, strip: &[f32; STRIP]) {
    match out.first_chunk_mut::<STRIP>() {
        Some(out) => (0..STRIP).for_each(|i| out[i] += input * strip[i]),
        None => out.iter_mut().zip(strip).for_each(|(out, value)| *out += input * value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::learner::Bias;
    use super::*;
    use privet_graph::SparseBuilder;

    /// Multiples of 1/8: every order of summation gives the same number.
    fn filled(rows: usize, columns: usize, seed: usize) -> DenseMatrix {
        let value = |at: usize| ((at * 7919 + seed * 104_729) % 31) as f32 / 8.0 - 2.0;
        DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
    }

    fn textbook(inputs: &DenseMatrix, gradients: &DenseMatrix, weights: &[f32]) -> Vec<f32> {
        let (mut sum, mut bias) = (vec![], vec![0.0; gradients.columns()]);
        for input in 0..inputs.columns() {
            for output in 0..gradients.columns() {
                let term =
                    |row: usize| inputs.row(row)[input] * weights[row] * gradients.row(row)[output];
                sum.push((0..weights.len()).map(term).sum());
            }
        }
        for (row, weight) in weights.iter().enumerate() {
            bias.iter_mut().zip(gradients.row(row)).for_each(|(sum, g)| *sum += weight * g);
        }
        [sum, bias].concat()
    }

    /// Shapes below, at and beyond the sizes of strips, groups, chunks of terms and ranges of inputs.
    #[test]
    fn dense_and_sparse_sums_match_the_textbook_on_any_number_of_threads() {
        for (rows, columns, outputs) in
            [(1, 1, 1), (33, 7, 16), (70, 600, 33), (0, 5, 3), (5, 271, 0), (40, 2 * RANGE, 130)]
        {
            let (inputs, gradients) = (filled(rows, columns, 1), filled(rows, outputs, 2));
            let weights: Vec<f32> = (0..rows).map(|row| (row % 5) as f32 / 4.0).collect();
            let expected = textbook(&inputs, &gradients, &weights);
            let mut sparse = SparseBuilder::new(columns);
            for row in 0..rows {
                let entries = (0..).zip(inputs.row(row).iter().copied());
                sparse.push_row(&mut entries.filter(|e| e.1 != 0.0).collect::<Vec<_>>()).unwrap();
            }
            let layer = [Layer { inputs: columns, outputs, bias: Bias::Trained }];
            for inputs in [FeatureMatrix::Dense(inputs), FeatureMatrix::Sparse(sparse.finish())] {
                let factors = [Factors::rank_one(inputs, gradients.clone())];
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                    let sum = || weighted_sum(&layer, &factors, &weights);
                    assert_eq!(pool.build().unwrap().install(sum), expected);
                }
            }
        }
    }
}
