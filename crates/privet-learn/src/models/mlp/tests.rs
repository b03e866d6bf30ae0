//! The whole network against finite differences, and on any number of threads.

use privet_graph::SparseBuilder;

use super::*;
use crate::finite_differences::{assert_gradient_off_corners, filled, weighted_sum};
use crate::models::ItemRows;

fn config(hidden: &[usize]) -> MlpConfig {
    MlpConfig { hidden: hidden.to_vec(), dropout: 0.3, seed: 4, ..MlpConfig::new(4, 3) }
}

/// Every parameter and the input, for every depth, with dropout.
#[test]
fn gradients_match_finite_differences() {
    for hidden in [&[][..], &[5], &[5, 6]] {
        let mut mlp = Mlp::new(config(hidden)).unwrap();
        let (input, weights) = (filled(6, 4, 1), filled(6, 3, 2));
        let start = mlp.clone();
        let loss = |mut mlp: Mlp, input: &DenseMatrix| {
            let mut output = DenseMatrix::zeros(0, 0);
            mlp.forward(ModelBatch::Dense(input), 9, &mut output);
            weighted_sum(&output, &weights)
        };
        let (mut output, mut by_input) = (DenseMatrix::zeros(0, 0), DenseMatrix::zeros(0, 0));
        mlp.forward(ModelBatch::Dense(&input), 9, &mut output);
        mlp.backward(ModelBatch::Dense(&input), 9, &weights, Some(&mut by_input));
        assert_gradient_off_corners(&input, &by_input, |input| loss(start.clone(), input));
        mlp.visit(&mut |parameter| {
            assert_gradient_off_corners(&parameter.value, &parameter.gradient, |value| {
                let mut changed = start.clone();
                changed.visit_mut(&mut |p| {
                    if p.name() == parameter.name() {
                        p.value = value.clone();
                    }
                });
                loss(changed, &input)
            });
        });
    }
}

#[test]
fn sparse_and_dense_rows_learn_alike() {
    let mut dense = filled(9, 4, 1);
    dense.values_mut().iter_mut().filter(|v| v.abs() < 0.5).for_each(|v| *v = 0.0);
    let mut builder = SparseBuilder::new(4);
    for row in 0..9 {
        let mut entries: Vec<_> = (0..).zip(dense.row(row).iter().copied()).collect();
        builder.push_row(&mut entries).unwrap();
    }
    let sparse = builder.finish();
    let picked = [7, 2, 2, 5];
    let gradient_of = |rows: ItemRows<'_>| {
        let mut mlp = Mlp::new(config(&[5])).unwrap();
        let mut gathered = super::super::GatherBuffer::default();
        let mut output = DenseMatrix::zeros(0, 0);
        mlp.forward(gathered.batch(rows, &picked), 1, &mut output);
        mlp.backward(gathered.batch(rows, &picked), 1, &filled(4, 3, 2), None);
        mlp.layers[0].weight.gradient.clone()
    };
    let (a, b) = (gradient_of((&dense).into()), gradient_of((&sparse).into()));
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() < 1e-5);
    }
}

#[test]
fn evaluation_is_forward_without_dropout() {
    let mut mlp = Mlp::new(MlpConfig { dropout: 0.0, ..config(&[5, 6]) }).unwrap();
    let input = filled(6, 4, 1);
    let mut output = DenseMatrix::zeros(0, 0);
    mlp.forward(ModelBatch::Dense(&input), 1, &mut output);
    assert_eq!(mlp.scores((&input).into(), &[0, 1, 2, 3, 4, 5]), output);
    // A single row takes another way through the products, with another rounding.
    let alone = mlp.scores((&input).into(), &[4]);
    assert!(alone.values().iter().zip(output.row(4)).all(|(a, b)| (a - b).abs() < 1e-6));
    assert_eq!(mlp.scores((&input).into(), &[]).rows(), 0);
}

#[test]
fn shapes_without_sense_are_refused() {
    assert!(Mlp::new(config(&[0])).is_err());
    assert!(Mlp::new(config(&[usize::MAX])).is_err());
    assert!(Mlp::new(MlpConfig { dropout: 1.0, ..config(&[2]) }).is_err());
}

#[test]
fn files_bring_a_model_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let mut mlp = Mlp::new(config(&[5])).unwrap();
    mlp.visit_mut(&mut |p| p.value.values_mut().iter_mut().for_each(|v| *v += 0.25));
    mlp.save(&path).unwrap();
    let back = Mlp::load(&path).unwrap();
    assert_eq!((back.config(), back.snapshot()), (mlp.config(), mlp.snapshot()));
    let error = super::super::Logistic::load(&path).unwrap_err().to_string();
    assert!(error.contains("a model of kind 'mlp'") && error.contains("'logistic'"), "{error}");
}
