use proptest::prelude::*;

use super::*;

fn filled(rows: usize, columns: usize, seed: usize) -> DenseMatrix {
    let value = |at: usize| ((at * 7919 + seed * 104_729) % 31) as f32 / 8.0 - 2.0;
    DenseMatrix::new(rows, columns, (0..rows * columns).map(value).collect()).unwrap()
}

fn transposed(a: &DenseMatrix) -> DenseMatrix {
    let mut out = DenseMatrix::zeros(a.columns(), a.rows());
    for row in 0..a.rows() {
        for column in 0..a.columns() {
            out.row_mut(column)[row] = a.row(row)[column];
        }
    }
    out
}

fn naive(a: &DenseMatrix, b: &DenseMatrix, out: &mut DenseMatrix) {
    for row in 0..a.rows() {
        for column in 0..b.columns() {
            let sum: f32 = (0..a.columns()).map(|k| a.row(row)[k] * b.row(k)[column]).sum();
            out.row_mut(row)[column] += sum;
        }
    }
}

proptest! {
    /// Values are multiples of 1/8, so every order of summation gives the same number.
    #[test]
    fn products_match_the_textbook(n in 0usize..40, k in 0usize..9, m in 0usize..9, seed in 0usize..99) {
        let (a, b) = (filled(n, k, seed), filled(k, m, seed + 1));
        for write in [Write::Replace, Write::Add] {
            let start = if write == Write::Add { filled(n, m, 5) } else { DenseMatrix::zeros(n, m) };
            let mut expected = start.clone();
            naive(&a, &b, &mut expected);
            let mut out = start.clone();
            product(&a, &b, write, &mut out);
            prop_assert_eq!(&out, &expected);
            let mut out = start.clone();
            product_right_transposed(&a, &transposed(&b), write, &mut out);
            prop_assert_eq!(&out, &expected);
            let mut out = start;
            product_left_transposed(&transposed(&a), &b, write, &mut out);
            prop_assert_eq!(&out, &expected);
        }
    }
}

/// Shapes that are cut along the output, along the inner dimension, and not at all.
#[test]
fn large_products_match_the_textbook_for_any_number_of_threads() {
    for (n, k, m) in [(900, 1200, 40), (5000, 20, 30), (3000, 700, 24)] {
        let (a, g) = (filled(n, k, 1), filled(n, m, 2));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut left, mut right) = (DenseMatrix::zeros(k, m), DenseMatrix::zeros(n, k));
            let mut plain = DenseMatrix::zeros(n, m);
            pool.install(|| {
                product_left_transposed(&a, &g, Write::Replace, &mut left);
                product_right_transposed(&g, &left, Write::Replace, &mut right);
                product(&a, &left, Write::Replace, &mut plain);
            });
            (left, right, plain)
        };
        let mut expected = DenseMatrix::zeros(k, m);
        naive(&transposed(&a), &g, &mut expected);
        assert_eq!(on(1).0, expected);
        assert_eq!(on(1), on(2));
        assert_eq!(on(1), on(3));
    }
}

#[test]
fn many_blocks_give_the_same_bytes_for_any_number_of_threads() {
    let (a, b) = (filled(3 * BLOCK + 17, 5, 1), filled(3 * BLOCK + 17, 4, 2));
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut out = DenseMatrix::zeros(5, 4);
        pool.install(|| product_left_transposed(&a, &b, Write::Replace, &mut out));
        out
    };
    let mut expected = DenseMatrix::zeros(5, 4);
    naive(&transposed(&a), &b, &mut expected);
    assert_eq!(on(1), expected);
    assert_eq!(on(3), expected);
}
