use super::*;

fn random(rows: usize, columns: usize, seed: u64) -> DenseMatrix {
    let mut rng = SimRng::new(seed);
    let values = (0..rows * columns).map(|_| rng.random_range(-1.0..1.0f32)).collect();
    DenseMatrix::new(rows, columns, values).unwrap()
}

/// Raw rows seen through an invertible mix are recovered; rows of noise tell nothing.
#[test]
fn a_mix_is_undone_and_noise_is_not() {
    let (public, private) = (random(200, 3, 1), random(100, 3, 2));
    let mix = |rows: &DenseMatrix| {
        let values = (0..rows.rows()).flat_map(|row| {
            let &[a, b, c] = rows.row(row) else { unreachable!() };
            [a + b, b - c, 0.5 * c + a + 0.3]
        });
        DenseMatrix::new(rows.rows(), 3, values.collect()).unwrap()
    };
    let decoder = Decoder::train(&mix(&public), &public, 1e-9).unwrap();
    let found = decoder.score(&mix(&private), &private);
    assert!(found.explained > 0.999 && found.auc > 0.99, "{found:?}");
    let blind = Decoder::train(&random(200, 3, 3), &public, 1e-3).unwrap();
    let found = blind.score(&random(100, 3, 4), &private);
    assert!(found.explained < 0.1 && (found.auc - 0.5).abs() < 0.12, "{found:?}");
}

/// x = 2 z + 3 is found, weight and offset, and undone exactly.
#[test]
fn a_known_decoder_is_found() {
    let z = DenseMatrix::new(4, 1, vec![0.0, 1.0, 2.0, 3.0]).unwrap();
    let x = DenseMatrix::new(4, 1, vec![3.0, 5.0, 7.0, 9.0]).unwrap();
    let decoder = Decoder::train(&z, &x, 0.0).unwrap();
    assert!((decoder.weights[0][0] - 2.0).abs() < 1e-6, "{decoder:?}");
    assert!((decoder.weights[0][1] - 3.0).abs() < 1e-6, "{decoder:?}");
    let found = decoder.score(&z, &x);
    assert!((found.explained - 1.0).abs() < 1e-9 && found.auc == 1.0, "{found:?}");
    // With a penalty beyond all measure only the mean is left, which explains nothing.
    let blunt = Decoder::train(&z, &x, 1e12).unwrap();
    assert!(blunt.weights[0][0].abs() < 1e-6 && (blunt.weights[0][1] - 6.0).abs() < 1e-4);
    let found = blunt.score(&z, &x);
    assert!(found.explained < 1e-4, "{found:?}");
    assert!(Decoder::train(&z, &DenseMatrix::zeros(3, 1), 0.0).is_err(), "a row too few");
}

/// 2x + y = 5, x + 3y = 10, for two right sides; pivots are needed where a diagonal is zero.
#[test]
fn equations_are_solved() {
    let mut square = vec![vec![2.0, 1.0], vec![1.0, 3.0]];
    let mut right = vec![vec![5.0, 2.0], vec![10.0, 1.0]];
    solve(&mut square, &mut right);
    let expected = [[1.0, 1.0], [3.0, 0.0]];
    for (found, expected) in right.iter().flatten().zip(expected.iter().flatten()) {
        assert!((found - expected).abs() < 1e-12, "{right:?}");
    }
    let mut square = vec![vec![0.0, 2.0], vec![4.0, 0.0]];
    let mut right = vec![vec![6.0], vec![8.0]];
    solve(&mut square, &mut right);
    assert_eq!(right, [[2.0], [3.0]]);
}

/// Much epsilon leaves little noise, and the decoder reads what it reads in the clear; little epsilon leaves
/// no more than noise with nothing behind it.
#[test]
fn the_decoder_finds_what_epsilon_leaves() {
    let raw = random(400, 4, 5);
    let open = against_feature_rr(&raw, 400.0, 4, 1).unwrap();
    assert!(open.clear.auc > 0.95, "{open:?}");
    assert!(open.reported.auc > open.noise_alone.auc + 0.2, "{open:?}");
    let hidden = against_feature_rr(&raw, 0.01, 4, 1).unwrap();
    assert_eq!(hidden.clear, open.clear, "the embedding does not depend on epsilon");
    assert!((hidden.reported.auc - hidden.noise_alone.auc).abs() < 0.1, "{hidden:?}");
    assert!(hidden.reported.auc < 0.6, "{hidden:?}");
}

#[test]
fn an_extractor_is_public_and_squeezes() {
    let raw = random(10, 3, 7);
    let embedded = embed(&raw, 5, 1);
    assert_eq!((embedded.rows(), embedded.columns()), (10, 5));
    assert!(embedded.values().iter().all(|value| value.abs() < 1.0));
    assert_eq!(embedded.values(), embed(&raw, 5, 1).values());
    assert_ne!(embedded.values(), embed(&raw, 5, 2).values());
    let blank = embed(&DenseMatrix::zeros(2, 3), 5, 1);
    assert!(blank.values().iter().all(|value| *value == 0.0));
}
