use super::*;
use crate::privacy::Budget;

fn noise(epsilon: f64) -> DiscreteLaplace {
    DiscreteLaplace::new(Budget::from_epsilon(epsilon).unwrap(), 1).unwrap()
}

#[test]
fn the_law_of_votes_is_a_law_with_its_mean() {
    for (mean, shape) in [(0.2, 0.5), (1.0, 2.0), (8.0, 64.0)] {
        let law = negative_binomial(mean, shape);
        let moment = law.iter().zip(0..).map(|(p, k)| p * f64::from(k)).sum::<f64>();
        assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-8);
        assert!((moment / mean - 1.0).abs() < 1e-5, "{mean} {moment}");
    }
}

/// More votes say more, fewer say less, and noise shrinks what they say towards nothing.
#[test]
fn votes_count_for_what_they_are_worth() {
    let table = |epsilon: f64| Table::new(1.6, 0.1, 2.0, &noise(epsilon));
    let (clear, loud) = (table(8.0), table(0.5));
    for count in -3..6 {
        assert!(clear.log_ratio(count) <= clear.log_ratio(count + 1) + 1e-12, "{count}");
    }
    assert!(clear.log_ratio(3) > 2.0 && clear.log_ratio(0) < 0.0);
    assert!(loud.log_ratio(3) > 0.0 && loud.log_ratio(3) < 0.5 * clear.log_ratio(3));
    assert_eq!(clear.log_ratio(i64::MIN), clear.log_ratio(-100));
    assert_eq!(clear.log_ratio(i64::MAX), clear.log_ratio(10_000));
}

/// Two classes, a model that knows nothing, and votes that do: they decide. Absent votes are left out.
#[test]
fn votes_are_used_where_validation_labels_say_so() {
    const NODES: usize = 400;
    let truth: Vec<Option<i64>> = (0..NODES).map(|node| Some((node % 2) as i64)).collect();
    let labels = Labels::from_integers(&truth).unwrap();
    let nodes = |from: u32, to: u32| (from..to).collect::<Vec<_>>();
    let split = Split { train: vec![], validation: nodes(0, 200), test: nodes(200, 400) };
    let prior = DenseMatrix::new(NODES, 2, vec![0.5; 2 * NODES]).unwrap();
    let mut votes: Vec<Vec<i64>> =
        (0..NODES).map(|node| vec![3 - 3 * (node as i64 % 2), 0]).collect();
    votes.iter_mut().enumerate().for_each(|(node, row)| row[1] = 3 * (node as i64 % 2));
    let noise = noise(1.0);
    let (after, weights) =
        VoteEvidence { votes: &votes, noise: &noise }.applied(&prior, &labels, &split);
    assert!(weights.is_some_and(|weights| weights.heard >= 1.0), "{weights:?}");
    assert!(split.test.iter().all(|&node| after.row(node as usize)[node as usize % 2] > 0.9));
    let nothing: Vec<Vec<i64>> =
        (0..NODES as i64).map(|node| vec![node % 3 - 1, node % 5 - 2]).collect();
    let (after, weights) =
        VoteEvidence { votes: &nothing, noise: &noise }.applied(&prior, &labels, &split);
    assert_eq!((after, weights), (prior, None));
}

/// Votes that make the truth likelier and the likeliest class wrong more often are left out.
#[test]
fn votes_never_cost_a_right_answer_on_validation_nodes() {
    const NODES: usize = 300;
    let truth: Vec<Option<i64>> = (0..NODES).map(|node| Some((node % 2) as i64)).collect();
    let labels = Labels::from_integers(&truth).unwrap();
    let (validation, test) = ((0..200).collect(), (200..300).collect());
    let split = Split { train: vec![], validation, test };
    // Right about all people, and hardly sure of it.
    let prior =
        (0..NODES).flat_map(|node| if node % 2 == 0 { [0.505, 0.495] } else { [0.495, 0.505] });
    let prior = DenseMatrix::new(NODES, 2, prior.collect()).unwrap();
    // Strong votes for the truth, but for one in twenty of whom they are for the other class.
    let vote = |node: usize| {
        let said = if node.is_multiple_of(20) { 1 - node % 2 } else { node % 2 };
        let mut row = vec![0; 2];
        row[said] = 3;
        row
    };
    let votes: Vec<Vec<i64>> = (0..NODES).map(vote).collect();
    let noise = noise(4.0);
    let (after, weights) =
        VoteEvidence { votes: &votes, noise: &noise }.applied(&prior, &labels, &split);
    assert_eq!((after, weights), (prior, None));
}
