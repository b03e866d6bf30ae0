//! Randomised rows and labels as a collector sees them: how large an entry can be, what a report may hold,
//! and what becomes of people who publish.

use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, FeatureMatrix, Features, Labels};
use privet_privacy::features::{
    AnswerRr, DecodeRows, Decoding, Duchi, FeatureMechanism, FeatureReport, FeatureSettings,
    LabelRr, LinearModel, Scale, Theta, decode_chosen,
};
use privet_privacy::noise::NoiseRng;
use privet_privacy::public::Public;
use privet_privacy::{Ledger, Loss, Secret, Unit, UserChoice, UserChoices};

/// Columns between -1 and 3: neither end nor middle is 0.
fn scale(columns: usize) -> Scale {
    let bounds = Bounds::uniform(-1.0, 3.0, BoundsOrigin::Declared).unwrap();
    Scale::new(columns, Some(&bounds)).unwrap()
}

fn build(name: &str, epsilon: f64, columns: usize) -> FeatureMechanism {
    let delta = (name == "gaussian").then_some(1e-5);
    let settings = FeatureSettings { delta, ..FeatureSettings::default() };
    FeatureMechanism::build(name, epsilon, scale(columns), &settings).unwrap()
}

fn ledger<U: Unit>(seed: u64) -> Ledger<U> {
    Ledger::in_memory(Loss::new(100.0, 1e-5).unwrap(), NoiseRng::replay(seed)).unwrap()
}

fn rows(count: usize, row: &[f32]) -> Features {
    Features::dense(DenseMatrix::new(count, row.len(), row.repeat(count)).unwrap())
}

fn reports(mechanism: &FeatureMechanism, count: usize, row: &[f32]) -> Vec<FeatureReport> {
    let people = Secret::new(rows(count, row));
    ledger(7).release_each(&people, mechanism).unwrap().into_inner()
}

fn entries(matrix: &FeatureMatrix, row: usize) -> Vec<f32> {
    match matrix {
        FeatureMatrix::Dense(matrix) => matrix.row(row).to_vec(),
        FeatureMatrix::Sparse(matrix) => {
            let mut values = vec![0.0; matrix.columns()];
            let (columns, found) = matrix.row(row);
            columns.iter().zip(found).for_each(|(&column, &value)| values[column as usize] = value);
            values
        }
    }
}

/// No entry is larger than announced, and some are that large: the announcement is the edge of the law.
#[test]
fn entries_reach_the_announced_size_and_no_further() {
    for &name in FeatureMechanism::NAMES {
        let mechanism = build(name, 2.0, 3);
        for decoding in [Decoding::Paper, Decoding::Unbiased] {
            let Some(largest) = mechanism.largest_entry(1, decoding) else {
                assert!(["gaussian", "feature-rr"].contains(&name));
                continue;
            };
            if name == "laplace" {
                assert_eq!(largest, f64::INFINITY);
                continue;
            }
            let found = mechanism.decode(&reports(&mechanism, 4000, &[3.0; 3]), decoding).unwrap();
            let sizes = (0..4000).map(|row| f64::from(entries(&found, row)[1].abs()));
            let reached = sizes.fold(0.0, f64::max);
            assert!(reached <= largest * 1.000_001, "{name} {decoding:?}: {reached} {largest}");
            assert!(reached >= 0.97 * largest, "{name} {decoding:?}: {reached} {largest}");
        }
    }
}

/// A range below zero is as large as the same range above it.
#[test]
fn a_range_below_zero_has_the_same_sizes() {
    let largest = |low: f32, high: f32| {
        let bounds = Bounds::uniform(low, high, BoundsOrigin::Declared).unwrap();
        let scale = Scale::new(3, Some(&bounds)).unwrap();
        Duchi::new(1.0, scale).unwrap().largest_entry(0, Decoding::Unbiased)
    };
    assert_eq!(largest(-3.0, -1.0), largest(1.0, 3.0));
    assert!(largest(-3.0, -1.0) > 3.0);
}

/// The closed forms belong to the mechanism that was built: mean and variance of what is decoded.
#[test]
fn moments_are_those_of_the_decoded_entries() {
    for name in ["hds", "three-outputs", "laplace"] {
        let mechanism = build(name, 4.0, 2);
        let moments = mechanism.moments(0, 1.5, Decoding::Unbiased).unwrap();
        let found = mechanism.decode(&reports(&mechanism, 40_000, &[1.5, 0.0]), Decoding::Unbiased);
        let found = found.unwrap();
        let values: Vec<f64> = (0..40_000).map(|row| entries(&found, row)[0].into()).collect();
        let mean = values.iter().sum::<f64>() / 40_000.0;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 40_000.0;
        assert!((moments.mean - 1.5).abs() < 1e-3, "{name}");
        assert!((mean - moments.mean).abs() < 5.0 * (variance / 40_000.0).sqrt(), "{name}");
        assert!((variance / moments.variance - 1.0).abs() < 0.05, "{name}");
    }
}

/// How many of 40 columns each mechanism reports by default.
#[test]
fn the_recommended_number_of_columns() {
    for (name, small, large) in [
        ("laplace", 40, 40),
        ("duchi", 40, 40),
        ("square-wave", 40, 40),
        ("gaussian", 40, 40),
        ("feature-rr", 40, 40),
        ("piecewise", 1, 4),
        ("hybrid", 1, 4),
        ("three-outputs", 1, 4),
        ("pm-sub", 1, 4),
        ("multi-bit", 1, 4),
    ] {
        assert_eq!((build(name, 0.1, 40).k(), build(name, 10.0, 40).k()), (small, large), "{name}");
    }
    assert_eq!(build("piecewise", 300.0, 40).k(), 40);
    for (name, numbers) in [("piecewise", 4), ("duchi", 40)] {
        let report = &reports(&build(name, 10.0, 40), 1, &[0.0; 40])[0];
        assert_eq!((report.len(), report.is_empty()), (numbers, false));
    }
    let nothing = FeatureReport::Disclosed(Vec::new());
    assert_eq!((nothing.len(), nothing.is_empty()), (0, true));
}

/// Reports may come from a file: columns must ascend, be there, and be enough.
#[test]
fn reports_that_no_mechanism_made_are_refused() {
    let sampled = build("piecewise", 1.0, 4);
    let decode = |report: FeatureReport| sampled.decode(&[report], Decoding::Unbiased);
    for columns in [vec![4], vec![1, 1], vec![2, 1], vec![0, 9]] {
        let levels = columns.iter().map(|&column| (column, 1)).collect();
        let values = columns.iter().map(|&column| (column, 1.0)).collect();
        assert!(decode(FeatureReport::Sampled(levels)).is_err(), "{columns:?}");
        assert!(decode(FeatureReport::Disclosed(values)).is_err(), "{columns:?}");
    }
    assert!(decode(FeatureReport::Sampled(vec![(0, 1), (3, 1)])).is_ok());
    assert!(decode(FeatureReport::All(vec![1; 3])).is_err());
    assert!(sampled.decode(&[], Decoding::Unbiased).is_err());
    // The mechanism of a user is asked for by that user's number alone.
    let only = [build("piecewise", 1.0, 4)];
    let one =
        decode_chosen(&[FeatureReport::Sampled(vec![(0, 1)])], |user| &only[user], Decoding::Paper);
    assert!(one.is_ok());
}

/// One who publishes keeps every value; on the paper's scale a zero need not be zero.
#[test]
fn publishers_are_taken_at_their_word() {
    let row = [-1.0, 0.0, 3.0];
    for (name, as_printed) in [
        ("duchi", [-1.0, -0.5, 1.0]),
        ("piecewise", [-1.0, -0.5, 1.0]),
        ("feature-rr", [0.0, 0.25, 1.0]),
    ] {
        let choices = UserChoices::new(
            vec![build(name, 1.0, 3)],
            vec![UserChoice::Public, UserChoice::Private(0)],
        );
        let choices = choices.unwrap();
        assert_eq!(choices.publishers(), 1);
        assert_eq!(choices.private().count(), 1);
        let people = Secret::new(rows(2, &row));
        let sent = ledger(3).release_chosen(&people, &choices).unwrap().into_inner();
        assert_eq!(sent[0], FeatureReport::Disclosed(vec![(0, -1.0), (2, 3.0)]));
        let mechanism = |user| choices.mechanism(user);
        let unbiased = decode_chosen(&sent, mechanism, Decoding::Unbiased).unwrap();
        assert_eq!(entries(&unbiased, 0), row, "{name}");
        let paper = decode_chosen(&sent, mechanism, Decoding::Paper).unwrap();
        assert_eq!(entries(&paper, 0), as_printed, "{name}");
        for (column, (value, printed)) in (0..).zip(row.into_iter().zip(as_printed)) {
            let decoded = |decoding| mechanism(0).disclosed(column, value, decoding);
            assert_eq!(decoded(Decoding::Paper), f64::from(printed));
            assert_eq!(decoded(Decoding::Unbiased), f64::from(value));
        }
    }
}

#[test]
fn publishers_of_labels_are_taken_at_their_word() {
    let labels =
        Labels::single(vec![Some(2), None, Some(0)], vec!["a".into(), "b".into(), "c".into()]);
    let people = Secret::new(labels.unwrap());
    let choices =
        UserChoices::new(vec![LabelRr::new(1.0, 3).unwrap()], vec![UserChoice::Public; 3]).unwrap();
    let sent = ledger(4).release_chosen(&people, &choices).unwrap().into_inner();
    assert_eq!(sent, [Some(2), None, Some(0)]);
}

/// FeatureRR: a column without a share says nothing and decodes to the middle; others to their bins.
#[test]
fn a_column_without_a_share_is_in_the_middle() {
    let theta = Public::declared(Theta::new(vec![0.0, 1.0, 0.0]).unwrap());
    let settings =
        FeatureSettings { bins: Some(4), theta: Some(theta), ..FeatureSettings::default() };
    let mechanism = FeatureMechanism::build("feature-rr", 60.0, scale(3), &settings).unwrap();
    let report = &reports(&mechanism, 1, &[3.0, 3.0, -1.0])[0];
    assert_eq!(*report, FeatureReport::All(vec![0, 4, 0]));
    for (level, printed) in [(0, 0.5), (1, 0.25), (4, 1.0), (9, 1.0), (-3, 0.5)] {
        assert_eq!(mechanism.value(1, level, Decoding::Paper), printed, "{level}");
        assert_eq!(mechanism.value(0, level, Decoding::Paper), 0.5);
    }
    assert_eq!(mechanism.value(0, 2, Decoding::Unbiased), 1.0);
    // Without noise to speak of, the middle of the last bin: 3 - 4/8.
    assert!((mechanism.value(1, 4, Decoding::Unbiased) - 2.5).abs() < 1e-6);
}

#[test]
fn settings_of_other_mechanisms_are_refused() {
    let theta = Some(Public::declared(Theta::uniform(3).unwrap()));
    for settings in [
        FeatureSettings { bins: Some(5), ..FeatureSettings::default() },
        FeatureSettings { theta, ..FeatureSettings::default() },
        FeatureSettings { delta: Some(1e-5), ..FeatureSettings::default() },
    ] {
        assert!(FeatureMechanism::build("duchi", 1.0, scale(3), &settings).is_err());
    }
    let k = FeatureSettings { k: Some(2), delta: Some(1e-5), ..FeatureSettings::default() };
    assert!(FeatureMechanism::build("gaussian", 1.0, scale(3), &k).is_err());
}

/// What lies beyond the declared range is moved to its end before any noise is drawn.
#[test]
fn values_beyond_the_range_are_moved_to_its_ends() {
    let scale = scale(1).with_steps(1 << 20).unwrap();
    for (value, place) in [(-100.0, -1.0), (-1.0, -1.0), (1.0, 0.0), (3.0, 1.0), (1e30, 1.0)] {
        assert_eq!(scale.normalized(0, value), place);
        assert_eq!(scale.index(0, value), (place * f64::from(1 << 20)) as i64);
    }
}

/// Rows with other columns than the mechanism's are refused before anything is charged.
#[test]
fn rows_of_another_shape_are_refused() {
    for &name in FeatureMechanism::NAMES {
        let mechanism = build(name, 1.0, 3);
        let mut ledger = ledger(5);
        for columns in [2, 4] {
            let people = Secret::new(rows(2, &vec![0.0; columns]));
            assert!(ledger.release_each(&people, &mechanism).is_err(), "{name}");
        }
        assert!(ledger.entries().is_empty());
    }
}

/// Shares by HeteroRR's eq. 7, by hand: importance 1 and 3, sensitivity 4 and 2, gamma 1/4.
#[test]
fn shares_follow_importance_and_sensitivity() {
    let theta = Theta::from_scores(&[1.0, 3.0], &[4.0, 2.0], 0.25).unwrap();
    // 1/4 · 1 + 3/4 · (2 + 4 - 4) = 1.75 and 1/4 · 3 + 3/4 · (2 + 4 - 2) = 3.75.
    let expected = [1.75 / 5.5, 3.75 / 5.5];
    assert!(theta.shares().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12));
    // Small sensitivities, too: 0.5 + 0.25 - 0.5 and 0.5 + 0.25 - 0.25.
    let theta = Theta::from_scores(&[9.0, 9.0], &[0.5, 0.25], 0.0).unwrap();
    assert!((theta.shares()[0] - 1.0 / 3.0).abs() < 1e-12);
    // A score of 0 is a score.
    assert!(Theta::from_scores(&[0.0, 1.0], &[0.0, 1.0], 0.5).is_ok());
    for bad in [f64::NAN, f64::INFINITY, -0.5] {
        assert!(Theta::from_scores(&[bad, 1.0], &[1.0, 1.0], 0.5).is_err(), "{bad}");
    }
    assert!(Theta::new(vec![1.5, 0.0]).is_err());
    assert!(Theta::new(vec![1.0, 0.0]).is_ok());
}

fn model(weights: &[f32], biases: &[f32]) -> privet_privacy::Result<LinearModel> {
    let columns = biases.len();
    let weights = DenseMatrix::new(weights.len() / columns, columns, weights.to_vec()).unwrap();
    LinearModel::new(weights, biases.to_vec())
}

/// The class of the largest score `bias + weights · row`, the first of equal ones; reported nearly always as
/// it is at a large epsilon.
#[test]
fn answers_are_the_models_and_ties_go_to_the_first_class() {
    let answers = |weights: &[f32], biases: &[f32], rows: Vec<f32>| {
        let model = Public::declared(model(weights, biases).unwrap());
        let mechanism = AnswerRr::new(40.0, model).unwrap();
        let columns = weights.len() / biases.len();
        let people = DenseMatrix::new(rows.len() / columns, columns, rows).unwrap();
        let people = Secret::new(Features::dense(people));
        ledger(6).release_each(&people, &mechanism).unwrap().into_inner()
    };
    let found = answers(&[1.0, 0.0, 0.0, 2.0], &[0.0, 0.5], vec![3.0, 0.25, 0.5, 0.0, 0.25, 2.0]);
    assert_eq!(found, [0, 0, 1]);
    // Class 1 wins by its bias alone; class 2 by a weight below 1.
    assert_eq!(answers(&[0.0, 0.0, 0.5], &[0.0, 1.0, 0.0], vec![0.0, 2.0, 4.0]), [1, 1, 2]);
    assert!(model(&[0.0; 4], &[0.0, 0.0]).is_ok());
    assert!(model(&[0.0; 4], &[0.0]).is_err());
    let mismatched = LinearModel::new(DenseMatrix::zeros(2, 3), vec![0.0; 2]);
    assert!(mismatched.is_err());
}
