//! Leading directions of a symmetric map, by orthogonal iteration: apply it, make the vectors orthonormal, again.
//!
//! ```
//! use privet_learn::spectral::{iterate, product};
//! let stretch = |v: &[f64]| vec![3.0 * v[0], 2.0 * v[1], v[2]];
//! let found = iterate(vec![vec![1.0, 1.0, 1.0], vec![1.0, -1.0, 1.0]], 60, stretch);
//! assert!((found[0][0].abs() - 1.0).abs() < 1e-9 && (found[1][1].abs() - 1.0).abs() < 1e-9);
//! assert!(product(&found[0], &found[1]).abs() < 1e-12);
//! ```

/// So many rounds from some start; what the map takes to zero is zero.
pub fn iterate(
    mut vectors: Vec<Vec<f64>>,
    rounds: usize,
    map: impl Fn(&[f64]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    for _ in 0..rounds {
        vectors = vectors.iter().map(|vector| map(vector)).collect();
        orthonormalize(&mut vectors);
    }
    vectors
}

/// Gram and Schmidt, twice for accuracy; what vanishes stays 0.
pub fn orthonormalize(vectors: &mut [Vec<f64>]) {
    for at in 0..vectors.len() {
        let (before, rest) = vectors.split_at_mut(at);
        let vector = &mut rest[0];
        // "Twice is enough": a second pass removes what rounding left along the earlier vectors.
        for _ in 0..2 {
            for other in before.iter() {
                let along = product(other, vector);
                vector.iter_mut().zip(other).for_each(|(value, other)| *value -= along * other);
            }
        }
        let norm = product(vector, vector).sqrt();
        // A vector that lies within the others leaves only rounding errors, which must not become a direction.
        let scale = if norm > 1e-12 { 1.0 / norm } else { 0.0 };
        vector.iter_mut().for_each(|value| *value *= scale);
    }
}

/// The inner product.
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
