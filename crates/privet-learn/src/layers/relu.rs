//! The rectifier: `y = max(x, 0)`, in place.

use privet_graph::DenseMatrix;

use crate::kernels::each_block;

/// Sets negative entries to zero.
pub fn forward(values: &mut DenseMatrix) {
    each_block(
        values,
        #[inline(always)]
        |_, values| values.iter_mut().for_each(|v| *v = v.max(0.0)),
    );
}

/// Turns the gradient by the output into the gradient by the input: nothing flows where the output is
/// not positive. (An output that dropout has set to zero since passes nothing either, as it should.)
///
/// # Panics
/// If the shapes differ.
pub fn backward(output: &DenseMatrix, gradient: &mut DenseMatrix) {
    let (columns, output) = (output.columns(), output.values());
    assert_eq!(output.len(), gradient.values().len(), "shape of a gradient");
    each_block(
        gradient,
        #[inline(always)]
        |first, gradient| {
            for (g, &y) in gradient.iter_mut().zip(&output[first * columns..]) {
                *g = if y > 0.0 { *g } else { 0.0 };
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finite_differences::{assert_gradient, filled};

    #[test]
    fn gradient_matches_finite_differences() {
        let (input, weights) = (filled(5, 4, 1), filled(5, 4, 2));
        let loss = |input: &DenseMatrix| {
            let mut output = input.clone();
            forward(&mut output);
            output.values().iter().zip(weights.values()).map(|(&y, &w)| f64::from(y * w)).sum()
        };
        let mut output = input.clone();
        forward(&mut output);
        let mut gradient = weights.clone();
        backward(&output, &mut gradient);
        assert_gradient(&input, &gradient, loss);
    }
}
