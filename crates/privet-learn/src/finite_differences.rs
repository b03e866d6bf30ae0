//! Checks a gradient against differences of the loss, for the tests of layers and losses.

use privet_graph::{DenseMatrix, SimRng};
use rand::RngExt;

use crate::parameters::Parameters;

/// A step that leaves enough digits of single precision; the error of the formula is of order h^4.
const STEP: f32 = 1.0 / 64.0;

/// Entries in [-1, 1], none of them near zero, where the rectifier has a corner.
pub fn filled(rows: usize, columns: usize, seed: u64) -> DenseMatrix {
    let mut rng = SimRng::new(seed);
    let mut value = || {
        let unit: f32 = rng.random_range(-1.0..1.0);
        unit.signum() * (0.1 + 0.9 * unit.abs())
    };
    DenseMatrix::new(rows, columns, (0..rows * columns).map(|_| value()).collect()).unwrap()
}

/// A loss whose gradient by `output` is `weights`.
pub fn weighted_sum(output: &DenseMatrix, weights: &DenseMatrix) -> f64 {
    let pairs = output.values().iter().zip(weights.values());
    pairs.map(|(&y, &w)| f64::from(y) * f64::from(w)).sum()
}

/// Compares every entry of `gradient` with central differences of `loss` at two steps, extrapolated
/// (Richardson): (4 D(h/2) - D(h)) / 3.
pub fn assert_gradient(
    at: &DenseMatrix,
    gradient: &DenseMatrix,
    loss: impl Fn(&DenseMatrix) -> f64,
) {
    assert_eq!((at.rows(), at.columns()), (gradient.rows(), gradient.columns()));
    let size = largest(gradient);
    for (entry, &found) in gradient.values().iter().enumerate() {
        let half = difference(at, entry, STEP / 2.0, &loss);
        let expected = (4.0 * half - difference(at, entry, STEP, &loss)) / 3.0;
        let error = (f64::from(found) - expected).abs();
        // Small gradients drown in the rounding of the values they are differences of.
        assert!(error < 2e-4 * size.max(0.3), "entry {entry}: {found}, differences say {expected}");
    }
}

/// The same for a loss with corners, as rectifiers make them: an entry whose differences at three steps
/// tell a corner nearby is left out, but four of five must remain.
pub fn assert_gradient_off_corners(
    at: &DenseMatrix,
    gradient: &DenseMatrix,
    loss: impl Fn(&DenseMatrix) -> f64,
) {
    let step = STEP / 8.0;
    let size = largest(gradient).max(0.1);
    let mut checked = 0;
    for (entry, &found) in gradient.values().iter().enumerate() {
        let steps = [step, step / 2.0, 2.0 * step];
        let [middle, small, large] = steps.map(|step| difference(at, entry, step, &loss));
        if (middle - small).abs().max((middle - large).abs()) > 2e-3 * size {
            continue;
        }
        checked += 1;
        let error = (f64::from(found) - middle).abs();
        assert!(error < 2e-3 * size, "entry {entry}: {found}, differences say {middle}");
    }
    let entries = gradient.values().len();
    assert!(checked * 5 >= entries * 4, "only {checked} of {entries} entries are off corners");
}

fn difference(
    at: &DenseMatrix,
    entry: usize,
    step: f32,
    loss: &impl Fn(&DenseMatrix) -> f64,
) -> f64 {
    let moved = |by: f32| {
        let mut changed = at.clone();
        changed.values_mut()[entry] += by;
        (f64::from(changed.values()[entry]), loss(&changed))
    };
    let ((x1, up), (x0, down)) = (moved(step), moved(-step));
    (up - down) / (x1 - x0)
}

fn largest(gradient: &DenseMatrix) -> f64 {
    gradient.values().iter().fold(0.0, |most, &g| f64::from(g).abs().max(most))
}

/// Checks the gradients of a whole model, as one long row of numbers.
pub fn assert_model_gradient<M: Parameters + Clone>(
    start: &M,
    with_gradients: &M,
    loss: impl Fn(M) -> f64,
) {
    let (mut values, mut gradients) = (Vec::new(), Vec::new());
    with_gradients.visit(&mut |parameter| {
        if parameter.is_trained() {
            values.extend_from_slice(parameter.value.values());
            gradients.extend_from_slice(parameter.gradient.values());
        }
    });
    let row = |values: Vec<f32>| DenseMatrix::new(1, values.len(), values).unwrap();
    assert_gradient_off_corners(&row(values), &row(gradients), |values| {
        let (mut changed, mut left) = (start.clone(), values.values());
        changed.visit_mut(&mut |parameter| {
            if parameter.is_trained() {
                let (head, tail) = left.split_at(parameter.value.values().len());
                parameter.value.values_mut().copy_from_slice(head);
                left = tail;
            }
        });
        loss(changed)
    });
}
