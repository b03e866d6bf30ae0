//! The scorer against finite differences, and learning an easy task.

use super::*;
use crate::finite_differences::{assert_gradient_off_corners, filled};
use crate::train::{Fit, FitConfig};

fn config(encoded: bool) -> LinkConfig {
    let encoder = MlpConfig { hidden: vec![5], dropout: 0.2, seed: 3, ..MlpConfig::new(4, 3) };
    LinkConfig { inputs: 4, encoder: encoded.then_some(encoder), seed: 1 }
}

#[test]
fn gradients_match_finite_differences() {
    let embeddings = filled(6, 4, 1);
    let links: Vec<NodePair> = vec![(0, 1), (1, 2), (3, 3)];
    let others: Vec<NodePair> = vec![(0, 5), (4, 2)];
    for encoded in [false, true] {
        let start = LinkScorer::new(config(encoded)).unwrap();
        let loss = |scorer: &mut LinkScorer| {
            let (train, rows) = ((&links[..], &others[..]), (&embeddings).into());
            let mut task =
                LinkPrediction::new(scorer, rows, train, (&[], &[]), Pairwise::Logistic).unwrap();
            task.train(&[2, 0, 1], 5).unwrap()
        };
        let mut scorer = start.clone();
        loss(&mut scorer);
        scorer.visit(&mut |parameter| {
            assert_gradient_off_corners(&parameter.value, &parameter.gradient, |value| {
                let mut changed = start.clone();
                changed.visit_mut(&mut |p| {
                    if p.name() == parameter.name() {
                        p.value = value.clone();
                    }
                });
                loss(&mut changed)
            });
        });
    }
}

/// Nodes of two groups, linked within a group: the sign of the first coordinate tells.
#[test]
fn it_learns_groups() {
    let mut embeddings = filled(40, 4, 2);
    for node in 0..40 {
        let first = &mut embeddings.row_mut(node)[0];
        *first = if node % 2 == 0 { first.abs() } else { -first.abs() };
    }
    let pairs = |same: bool| -> Vec<NodePair> {
        let all = (0..40).flat_map(|u| (0..u).map(move |v| (u, v)));
        all.filter(|(u, v)| ((u % 2) == (v % 2)) == same).collect()
    };
    let (links, others) = (pairs(true), pairs(false));
    let mut scorer = LinkScorer::new(config(false)).unwrap();
    let train = (&links[..300], &others[..300]);
    let validation = (&links[300..], &others[300..]);
    let mut task = LinkPrediction::new(
        &mut scorer,
        (&embeddings).into(),
        train,
        validation,
        Pairwise::Logistic,
    )
    .unwrap();
    let config = FitConfig { epochs: 40, learning_rate: 0.05, ..FitConfig::default() };
    let report = Fit::new(config).run(&mut task).unwrap();
    assert!(report.best_metric.unwrap() > 0.97, "{report:?}");
}

#[test]
fn files_bring_a_scorer_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("link.safetensors");
    for encoded in [false, true] {
        let scorer = LinkScorer::new(config(encoded)).unwrap();
        scorer.save(&path).unwrap();
        let back = LinkScorer::load(&path).unwrap();
        assert_eq!((back.config(), back.snapshot()), (scorer.config(), scorer.snapshot()));
    }
    assert!(LinkScorer::new(LinkConfig { inputs: 7, ..config(true) }).is_err());
    assert!(LinkScorer::new(LinkConfig { inputs: 0, ..config(false) }).is_err());
}
