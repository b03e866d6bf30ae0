//! Privacy by enumeration, moments against the closed table, and the sampler against the law.

use super::*;
use crate::edges::local::one_sided::owned;
use crate::edges::local::{LowerHalf, OneSided};
use crate::ledger::{UserChoice, UserChoices};
use crate::noise::NoiseRng;
use crate::noise::testing::assert_fits;
use crate::{Ledger, Loss, Secret};

/// The nodes whose bit is set.
fn nodes(bits: u32) -> Vec<NodeId> {
    (0..32).filter(|&node| bits >> node & 1 == 1).collect()
}

/// All lists of `owner` among `n` nodes, as bits.
fn lists(owner: NodeId, n: u32) -> impl Iterator<Item = u32> {
    (0..1u32 << n).filter(move |bits| bits >> owner & 1 == 0)
}

/// `P(report | list)` for every list and every report of `owner`.
fn law(dprr: &Dprr, owner: NodeId, n: u32) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; 1 << n]; 1 << n];
    for truth in lists(owner, n) {
        let neighbors = nodes(truth);
        let list = NeighborList { owner, neighbors: &neighbors, node_count: n as usize };
        for sent in lists(owner, n) {
            rows[truth as usize][sent as usize] = dprr.probability(&list, &nodes(sent));
        }
        assert!((rows[truth as usize].iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
    rows
}

fn log_ratio(a: f64, b: f64) -> f64 {
    if a == 0.0 && b == 0.0 { 0.0 } else { (a / b).ln().abs() }
}

#[test]
fn the_largest_log_ratio_is_the_sum() {
    let dprr = Dprr::from_parts(0.1, 0.9).unwrap();
    for n in [2u32, 3, 5, 9] {
        let owner = n / 2;
        let rows = law(&dprr, owner, n);
        let mut worst = 0f64;
        for truth in lists(owner, n) {
            for bit in (0..n).filter(|&bit| bit != owner) {
                let (one, other) = (&rows[truth as usize], &rows[(truth ^ 1 << bit) as usize]);
                worst = one.iter().zip(other).map(|(&a, &b)| log_ratio(a, b)).fold(worst, f64::max);
            }
        }
        assert!((worst - 1.0).abs() < 1e-9, "n = {n}: {worst}");
    }
}

/// The list of `owner` in a graph of three nodes whose edges 0-1, 0-2, 1-2 are the bits of `graph`.
fn list_in(graph: u32, owner: NodeId) -> Vec<NodeId> {
    let edges = [(0, 1), (0, 2), (1, 2)];
    let present = edges.iter().enumerate().filter(|(at, _)| graph >> at & 1 == 1);
    let mut list: Vec<NodeId> = present
        .filter_map(|(_, &(u, v))| match owner {
            _ if owner == u => Some(v),
            _ if owner == v => Some(u),
            _ => None,
        })
        .collect();
    list.sort_unstable();
    list
}

/// The largest log ratio of all users' reports together over graphs that differ in one edge;
/// `of_user` gives the law of one user's report in a graph.
fn relationship(of_user: impl Fn(u32, NodeId) -> Vec<f64>) -> f64 {
    let mut worst = 0f64;
    for graph in 0..8u32 {
        for edge in 0..3 {
            let loss = |user| {
                let (one, other) = (of_user(graph, user), of_user(graph ^ 1 << edge, user));
                // Reports are independent: the largest ratio of all is the product of the largest.
                one.iter()
                    .zip(&other)
                    .map(|(&a, &b)| if a == 0.0 { 0.0 } else { (a / b).ln() })
                    .fold(0.0, f64::max)
            };
            worst = worst.max((0..3).map(loss).sum());
        }
    }
    worst
}

#[test]
fn an_edge_costs_what_is_sent_about_it() {
    let dprr = Dprr::from_parts(0.1, 0.9).unwrap();
    let full = |graph, user| {
        let neighbors = list_in(graph, user);
        let list = NeighborList { owner: user, neighbors: &neighbors, node_count: 3 };
        (0..8).map(|sent| dprr.probability(&list, &nodes(sent))).collect::<Vec<f64>>()
    };
    // What is left of a full report if only bits below the owner are sent.
    let lower = |graph, user: NodeId| {
        let mut marginal = vec![0.0; 8];
        for (sent, probability) in full(graph, user).into_iter().enumerate() {
            marginal[sent & ((1 << user) - 1)] += probability;
        }
        marginal
    };
    let own = |graph, user| {
        let neighbors = list_in(graph, user);
        let list = owned(&NeighborList { owner: user, neighbors: &neighbors, node_count: 3 });
        (0..8).map(|sent| dprr.probability(&list, &nodes(sent))).collect::<Vec<f64>>()
    };
    let graph = GraphShape { nodes: 3, direction: privet_graph::Direction::Undirected };
    let sum = |cost: Option<PairCost>| cost.map_or(0.0, |cost| (cost.shown + cost.beside).get());
    let cases = [
        ("both", relationship(full), sum(dprr.pair(&graph)), 2.0),
        ("lower half", relationship(lower), sum(LowerHalf(dprr.clone()).pair(&graph)), 1.1),
        ("one-sided", relationship(own), sum(OneSided(dprr.clone()).pair(&graph)), 1.0),
    ];
    for (sent, found, claimed, expected) in cases {
        assert!((found - expected).abs() < 1e-9, "{sent}: {found}");
        assert!((claimed - expected).abs() < 1e-9, "{sent}: {claimed}");
    }
}

#[test]
fn the_split_stays_within_and_the_printed_one_does_not() {
    let paper = |epsilon, nodes| {
        Dprr::with_split(epsilon, nodes, BudgetSplit::Paper { alpha: 0.9 }).unwrap()
    };
    for (epsilon, nodes, truth) in
        [(0.2, 957, 0.271478), (0.5, 957, 0.541478), (0.2, 3782, 0.225998), (0.2, 3648, 0.226836)]
    {
        let printed = paper(epsilon, nodes);
        assert!((printed.total.as_f64() - truth).abs() < 1e-6);
        let Event::Pure { epsilon: charged } = printed.event() else { panic!("a pure event") };
        assert_eq!(charged.get(), printed.total.as_f64());
        let Status::PaperMode { printed: claim, .. } = printed.status() else { panic!("flawed") };
        assert!((claim.get() - epsilon).abs() < 1e-11);
        let ours = Dprr::new(epsilon, nodes).unwrap();
        assert_eq!(ours.total, Budget::from_epsilon(epsilon).unwrap());
        assert_eq!(ours.status(), Status::Holds);
    }
    assert_eq!(paper(1.0, 957).status(), Status::Holds);
    for (epsilon, nodes) in [(1e-9, 2), (1e-9, 1), (0.1, 0), (5.0, 1 << 40), (1000.0, 3)] {
        let ours = Dprr::new(epsilon, nodes).unwrap();
        assert_eq!(ours.total, Budget::from_epsilon(epsilon).unwrap());
        assert!(ours.degree <= ours.bits);
    }
    for alpha in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(Dprr::with_split(1.0, 9, BudgetSplit::Corrected { alpha }).is_err());
    }
    assert!(Dprr::with_split(1.0, 9, BudgetSplit::Given).is_err());
}

#[test]
fn a_very_negative_degree_gives_the_sparsest_report() {
    let dprr = Dprr::from_parts(0.1, 0.9).unwrap();
    for others in [1usize, 4, 113, 508] {
        assert_eq!(dprr.keep_rate(i64::MIN, others), 0.0);
        assert_eq!(dprr.keep_rate(-1, others), 0.0);
        assert!((dprr.keep_rate(i64::MAX, others) - 1.0).abs() < 1e-15);
        let rates: Vec<f64> = (0..=others as i64).map(|d| dprr.keep_rate(d, others)).collect();
        assert!(rates.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}

/// Mean reported degrees for true degrees 1, 2, 4, 10, 50, with a tenth of epsilon for the degree.
#[test]
fn mean_degrees_are_those_of_the_table() {
    let table = [
        (114, 1.0, [4.516, 5.045, 6.226, 10.543, 47.779]),
        (509, 1.0, [5.239, 5.797, 7.031, 11.461, 49.599]),
        (509, 2.0, [2.796, 3.408, 4.826, 9.993, 49.776]),
        (509, 0.2, [24.449, 24.952, 25.987, 29.307, 57.541]),
    ];
    for (nodes, epsilon, means) in table {
        let dprr = Dprr::from_parts(0.1 * epsilon, 0.9 * epsilon).unwrap();
        for (degree, mean) in [1usize, 2, 4, 10, 50].into_iter().zip(means) {
            let found = dprr.expected_degree(degree, nodes);
            assert!((found - mean).abs() < 1e-3, "n {nodes}, eps {epsilon}, d {degree}: {found}");
            // Continuous noise, by the midpoint rule: the same up to a hundredth or so.
            let continuous = continuous_mean(&dprr, degree, nodes - 1);
            assert!((found - continuous).abs() < 0.015, "{found} {continuous}");
        }
    }
}

fn continuous_mean(dprr: &Dprr, degree: usize, others: usize) -> f64 {
    let (rate, flip) = (dprr.degree.as_f64(), dprr.response.flip_probability());
    let (m, d, steps) = (others as f64, degree as f64, 20_000);
    let width = m / 2.0 / f64::from(steps);
    let density = |x: f64| {
        rate / 2.0 * (-rate * (x - d).abs()).exp() * x / (x * (1.0 - 2.0 * flip) + m * flip)
    };
    let inside: f64 = (0..steps).map(|i| density((f64::from(i) + 0.5) * width) * width).sum();
    let beyond = (-rate * (m / 2.0 - d)).exp() / 2.0;
    dprr.mean_before_sampling(degree, others) * (inside + beyond)
}

#[test]
fn drawn_degrees_have_the_exact_moments() {
    let mut noise = NoiseRng::replay(61).next_release().into_stream();
    let draws = 100_000;
    for (parts, n, degree) in [((0.1, 0.9), 114, 2), ((0.2, 1.8), 300, 10), ((0.05, 0.4), 40, 17)] {
        let dprr = Dprr::from_parts(parts.0, parts.1).unwrap();
        let neighbors: Vec<NodeId> = (0..degree as NodeId).map(|i| 2 * i + 1).collect();
        let list = NeighborList { owner: 4, neighbors: &neighbors, node_count: n };
        let (mean, variance) = (dprr.expected_degree(degree, n), dprr.degree_variance(degree, n));
        assert!(variance < dprr.variance_bound(n));
        let (mut sum, mut square, mut fourth) = (0.0, 0.0, 0.0);
        for _ in 0..draws {
            let off = dprr.report(&list, &mut noise).len() as f64 - mean;
            sum += off;
            square += off * off;
            fourth += off.powi(4);
        }
        let count = f64::from(draws);
        assert!(sum.abs() < 5.0 * (variance * count).sqrt(), "mean of {parts:?}");
        let spread = (fourth / count - variance * variance).sqrt();
        assert!((square - variance * count).abs() < 5.0 * spread * count.sqrt(), "{parts:?}");
    }
}

/// The joint law of all bits: fails if degree noise, mask and answers share any words.
#[test]
fn drawn_reports_have_the_exact_law() {
    let mut noise = NoiseRng::replay(62).next_release().into_stream();
    for (n, owner, parts) in [(3u32, 0, (0.4, 0.6)), (4, 2, (1.0, 2.0)), (4, 3, (0.1, 0.9))] {
        let dprr = Dprr::from_parts(parts.0, parts.1).unwrap();
        let rows = law(&dprr, owner, n);
        for truth in lists(owner, n) {
            let neighbors = nodes(truth);
            let list = NeighborList { owner, neighbors: &neighbors, node_count: n as usize };
            let mut counts = vec![0u64; 1 << n];
            for _ in 0..60_000 {
                let sent: u32 =
                    dprr.report(&list, &mut noise).iter().map(|node| 1u32 << node).sum();
                counts[sent as usize] += 1;
            }
            assert_fits(&counts, &rows[truth as usize]);
        }
    }
}

#[test]
fn reports_are_ascending_and_leave_out_the_owner() {
    let mut noise = NoiseRng::replay(63).next_release().into_stream();
    let dprr = Dprr::from_parts(0.3, 3.0).unwrap();
    for owner in [0, 5, 19] {
        // A list that names its owner, as a graph with kept self-loops would.
        let neighbors: Vec<NodeId> =
            (0..20).filter(|node| node % 5 == 0 || *node == owner).collect();
        let list = NeighborList { owner, neighbors: &neighbors, node_count: 20 };
        for _ in 0..500 {
            let report = dprr.report(&list, &mut noise);
            assert!(report.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(report.iter().all(|&node| node != owner && node < 20));
        }
        assert!(!dprr.disclose(list, Permit::new()).contains(&owner));
    }
    for n in [0, 1] {
        let alone = NeighborList { owner: 0, neighbors: &[], node_count: n };
        assert!(dprr.report(&alone, &mut noise).is_empty());
        assert_eq!(dprr.probability(&alone, &[]), 1.0);
        assert_eq!(dprr.expected_degree(0, n), 0.0);
    }
}

#[test]
fn users_choose_their_strength_or_publish() {
    let (graph, _) = privet_graph::GraphBuilder::new(4, privet_graph::Direction::Undirected)
        .edges([(0, 1), (1, 2), (2, 3)])
        .build()
        .unwrap();
    let mechanisms = vec![Dprr::new(1.0, 4).unwrap(), Dprr::new(2.0, 4).unwrap()];
    let of_user = vec![
        UserChoice::Private(0),
        UserChoice::Public,
        UserChoice::Private(1),
        UserChoice::Private(0),
    ];
    let choices = UserChoices::new(mechanisms, of_user).unwrap();
    let limit = Loss::new(2.0, 0.0).unwrap();
    let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(5)).unwrap();
    let reports = ledger.release_chosen(&Secret::new(graph), &choices).unwrap();
    assert_eq!(reports.get()[1], [0, 2]);
    let mut spent: Vec<(f64, bool)> =
        ledger.spent().unwrap().iter().map(|s| (s.loss.epsilon.get(), s.opted_out)).collect();
    spent.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert_eq!(spent, [(1.0, false), (2.0, false), (f64::INFINITY, true)]);
}

#[test]
fn impossible_reports_have_no_probability() {
    let dprr = Dprr::from_parts(0.1, 0.9).unwrap();
    let list = NeighborList { owner: 1, neighbors: &[0], node_count: 3 };
    for report in [&[1][..], &[3], &[2, 0], &[0, 0]] {
        assert_eq!(dprr.probability(&list, report), 0.0, "{report:?}");
    }
}

#[test]
fn gaps_are_geometric() {
    let mut noise = NoiseRng::replay(51).next_release().into_stream();
    for rate in [0.01, 0.3, 0.9] {
        let mask = Mask::new(rate).unwrap();
        let cells = 12usize;
        let mut counts = vec![0u64; cells];
        for _ in 0..200_000 {
            counts[(mask.gap(u64::MAX, &mut noise) as usize).min(cells - 1)] += 1;
        }
        let mut law: Vec<f64> =
            (0..cells - 1).map(|g| rate * (1.0 - rate).powi(g as i32)).collect();
        law.push((1.0 - rate).powi(cells as i32 - 1));
        assert_fits(&counts, &law);
    }
}

#[test]
fn everything_and_nothing() {
    let mut noise = NoiseRng::replay(52).next_release().into_stream();
    let all = Mask::new(1.0).unwrap();
    assert!((0..1000).all(|_| all.gap(u64::MAX, &mut noise) == 0));
    assert!(Mask::new(0.0).is_none());
    assert!(Mask::new(1e-300).unwrap().gap(u64::MAX, &mut noise) > 1 << 40);
}
