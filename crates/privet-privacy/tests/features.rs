//! Feature mechanisms through the door: a secret, a ledger, reports, and what they decode to.

#![expect(clippy::unwrap_used, reason = "tests")]

use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features, SparseBuilder};
use privet_privacy::features::{
    DecodeRows, Decoding, FeatureMechanism, FeatureReport, FeatureSettings, Hds, Scale,
    decode_chosen,
};
use privet_privacy::noise::NoiseRng;
use privet_privacy::unit::FeatureRow;
use privet_privacy::{Ledger, Loss, Secret, UserChoice, UserChoices};

const ROW: [f32; 6] = [0.0, 1.0, 2.0, 3.0, 4.0, 0.0];

fn scale(columns: usize) -> Scale {
    let bounds = Bounds::uniform(0.0, 4.0, BoundsOrigin::Declared).unwrap();
    Scale::new(columns, Some(&bounds)).unwrap()
}

/// Many users with the same row.
fn crowd(users: usize) -> Secret<Features> {
    let values = ROW.iter().copied().cycle().take(users * ROW.len()).collect();
    Secret::new(Features::dense(DenseMatrix::new(users, ROW.len(), values).unwrap()))
}

fn ledger(epsilon: f64, delta: f64, seed: u64) -> Ledger<FeatureRow> {
    Ledger::in_memory(Loss::new(epsilon, delta).unwrap(), NoiseRng::replay(seed)).unwrap()
}

fn dense(matrix: &FeatureMatrix, row: usize, columns: usize) -> Vec<f64> {
    let mut values = vec![0.0; columns];
    match matrix {
        FeatureMatrix::Dense(m) => {
            m.row(row).iter().zip(&mut values).for_each(|(v, to)| *to = f64::from(*v));
        }
        FeatureMatrix::Sparse(m) => {
            let (at, stored) = m.row(row);
            at.iter().zip(stored).for_each(|(&c, &v)| values[c as usize] = f64::from(v));
        }
    }
    values
}

/// Every mechanism, end to end: the mean over many users of the unbiased entries is the row.
#[test]
fn unbiased_entries_average_to_the_truth() {
    let users = 20_000;
    let secret = crowd(users);
    for name in FeatureMechanism::NAMES {
        // Only Gaussian noise needs a delta; its calibration may stay a little below epsilon.
        let (delta, least) = if *name == "gaussian" { (Some(1e-5), 3.999) } else { (None, 4.0) };
        let settings = FeatureSettings { delta, ..FeatureSettings::default() };
        let built = FeatureMechanism::build(name, 4.0, scale(6), &settings).unwrap();
        let mut ledger = ledger(4.0, delta.unwrap_or(0.0), 11);
        let reports = ledger.release_each(&secret, &built).unwrap();
        let spent = ledger.spent().unwrap()[0].loss.epsilon.get();
        assert!((least..=4.0).contains(&spent), "{name} spent {spent}");
        assert_eq!(ledger.entries()[0].mechanism, *name);
        assert!(ledger.release_each(&secret, &built).is_err(), "{name}: the budget is spent");
        let matrix = reports.try_map(|r| built.decode(&r, Decoding::Unbiased)).unwrap();
        let (mut sums, mut squares) = ([0.0; 6], [0.0; 6]);
        for user in 0..users {
            for (column, value) in dense(matrix.get(), user, 6).into_iter().enumerate() {
                sums[column] += value;
                squares[column] += value * value;
            }
        }
        for column in 0..6 {
            let mean = sums[column] / users as f64;
            let deviation = (squares[column] / users as f64 - mean * mean).sqrt();
            // FeatureRR is unbiased for the middle of one of ten bins of the range 0 to 4.
            let bin = if *name == "feature-rr" { 0.2 } else { 0.0 };
            let allowed = 5.0 * deviation / (users as f64).sqrt() + bin + 1e-3;
            let truth = f64::from(ROW[column]);
            assert!((mean - truth).abs() < allowed, "{name}, column {column}: {mean} not {truth}");
        }
    }
}

#[test]
fn sampled_reports_are_sparse_sorted_and_repeatable() {
    let (rows, columns, k) = (300, 13_183u32, 20);
    let mut builder = SparseBuilder::new(columns as usize);
    for row in 0..rows {
        builder.push_row(&mut [(row * 7 % columns, 4.0), (row * 31 % columns + 1, 1.5)]).unwrap();
    }
    let secret = Secret::new(Features::sparse(builder.finish()));
    let hds = Hds::with_k(1.0, scale(columns as usize), k).unwrap();
    let draw = |seed| ledger(1.0, 0.0, seed).release_each(&secret, &hds).unwrap().into_inner();
    let reports = draw(5);
    assert_eq!(reports, draw(5));
    assert_ne!(reports, draw(6));
    for report in &reports {
        let FeatureReport::Sampled(entries) = report else { panic!("k of d is sparse") };
        assert_eq!(entries.len(), k);
        assert!(entries.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(
            entries
                .iter()
                .all(|&(c, level)| { c < columns && level.abs() <= hds.law().largest_level() })
        );
    }
    let matrix = hds.decode(&reports, Decoding::Paper).unwrap();
    let FeatureMatrix::Sparse(matrix) = matrix else { panic!("sparse") };
    assert!(matrix.nonzeros() <= rows as usize * k && matrix.rows() == rows as usize);
    assert!(matrix.values().iter().all(|v| v.abs() <= 2.0)); // |report| is at most 1 + b
}

/// Two strengths and some who publish: one matrix, and the ledger knows who lost what.
#[test]
fn everyone_chooses() {
    let users = 90;
    let choices: Vec<UserChoice> = (0..users)
        .map(|user| match user % 3 {
            2 => UserChoice::Public,
            strength => UserChoice::Private(strength as u16),
        })
        .collect();
    let make = |epsilon| Hds::with_k(epsilon, scale(6), 2).unwrap();
    let mechanisms = [make(0.5), make(2.0)];
    let mut ledger = ledger(2.0, 0.0, 8);
    let chosen = UserChoices::new(vec![make(0.5), make(2.0)], choices).unwrap();
    let reports = ledger.release_chosen(&crowd(users), &chosen).unwrap().into_inner();
    assert_eq!(ledger.spent().unwrap().len(), 3);
    let of_user = |user: usize| &mechanisms[user % 3 % 2];
    let matrix = decode_chosen(&reports, of_user, Decoding::Unbiased).unwrap();
    let public = dense(&matrix, 2, 6);
    assert_eq!(public, ROW.map(f64::from));
    // On the paper's scale a published row is normalised like everyone else's.
    let matrix = decode_chosen(&reports, of_user, Decoding::Paper).unwrap();
    assert_eq!(dense(&matrix, 2, 6), [-1.0, -0.5, 0.0, 0.5, 1.0, -1.0]);
}

#[test]
fn damaged_reports_are_refused() {
    let hds = Hds::with_k(1.0, scale(6), 2).unwrap();
    for bad in [
        FeatureReport::Sampled(vec![(6, 0)]),
        FeatureReport::Sampled(vec![(3, 0), (3, 1)]),
        FeatureReport::Sampled(vec![(3, 0), (1, 1)]),
        FeatureReport::Disclosed(vec![(9, 1.0)]),
        FeatureReport::Disclosed(vec![(1, f32::NAN)]),
        FeatureReport::All(vec![0; 5]),
    ] {
        assert!(hds.decode(std::slice::from_ref(&bad), Decoding::Unbiased).is_err(), "{bad:?}");
    }
    assert!(hds.decode(&[], Decoding::Paper).is_err());
    // Levels beyond the alphabet decode to something; nothing panics.
    let wild = FeatureReport::Sampled(vec![(0, i64::MIN), (1, i64::MAX)]);
    let _ = hds.decode(&[wild], Decoding::Unbiased);
}

/// Rows narrower or wider than the mechanism: an error, and nothing is charged.
#[test]
fn rows_of_another_width_are_refused_for_free() {
    let hds = FeatureMechanism::build("hds", 1.0, scale(3), &Default::default()).unwrap();
    for columns in [2, 4] {
        let people = Secret::new(Features::dense(DenseMatrix::zeros(5, columns)));
        let mut ledger = ledger(1.0, 0.0, 1);
        let error = ledger.release_each(&people, &hds).unwrap_err().to_string();
        let expected = format!("the data has {columns} columns, but the mechanism was made for 3");
        assert_eq!(error, expected);
        let choices = UserChoices::new(
            vec![FeatureMechanism::build("hds", 1.0, scale(3), &Default::default()).unwrap()],
            vec![UserChoice::Public; 5],
        );
        assert!(ledger.release_chosen(&people, &choices.unwrap()).is_err());
        assert!(ledger.entries().is_empty());
    }
}
