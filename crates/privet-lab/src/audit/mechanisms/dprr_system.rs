//! Audits of DPRR as a system uses it: its budget split for graphs of every size, users of different
//! strength beside users who publish, and reports that carry their noisy degree.

use privet::privacy::edges::local::{DegreeReport, Dprr, DprrWithDegree};
use privet::privacy::population::NeighborList;

use super::Audit;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::law::FloatLaw;

pub(super) const AUDITS: [Audit; 4] = [
    Audit { name: "dprr-split", tight: true, run: split_totals },
    Audit { name: "dprr-split-enumerated", tight: true, run: split_enumerated },
    Audit { name: "dprr-customised", tight: true, run: customised },
    Audit { name: "dprr-with-degree", tight: true, run: with_degree },
];

const EPSILONS: [f64; 4] = [0.05, 0.2, 1.0, 2.0];
const SIZES: [usize; 6] = [10, 100, 1_000, 10_000, 100_000, 1_000_000];

fn found(subject: String, method: Method, claimed: f64, measured: f64) -> Finding {
    Finding { subject, method, claimed, measured, tolerance: 1e-9 }
}

fn cases() -> impl Iterator<Item = (f64, usize)> {
    EPSILONS.into_iter().flat_map(|epsilon| SIZES.into_iter().map(move |nodes| (epsilon, nodes)))
}

/// The two budgets together, as they are charged.
fn split_totals() -> Result<Vec<Finding>> {
    let audit = |(epsilon, nodes): (f64, usize)| {
        let total = Dprr::new(epsilon, nodes)?.cost().total().get();
        let subject = format!("DPRR's two budgets, {nodes} nodes, epsilon {epsilon}");
        Ok(found(subject, Method::Theorem, epsilon, total))
    };
    cases().map(audit).collect()
}

/// The same mechanisms on every list and report of four nodes.
fn split_enumerated() -> Result<Vec<Finding>> {
    let audit = |(epsilon, nodes): (f64, usize)| {
        let mechanism = Dprr::new(epsilon, nodes)?;
        let measured = one_list(4, |list, report| mechanism.probability(list, report));
        let subject = format!("DPRR as for {nodes} nodes, epsilon {epsilon}, one list of 4 nodes");
        Ok(found(subject, Method::Exact, epsilon, measured))
    };
    cases().map(audit).collect()
}

fn list(owner: usize, nodes: usize, mask: usize) -> Vec<u32> {
    let others = (0..nodes).filter(|&node| node != owner);
    others.enumerate().filter(|(at, _)| mask >> at & 1 == 1).map(|(_, node)| node as u32).collect()
}

/// The exact epsilon of user 0's report.
fn one_list(nodes: usize, probability: impl Fn(&NeighborList<'_>, &[u32]) -> f64) -> f64 {
    let row = |truth: usize| {
        let neighbors = list(0, nodes, truth);
        let record = NeighborList { owner: 0, neighbors: &neighbors, node_count: nodes };
        let reports = 0..1 << (nodes - 1);
        reports.map(|report| probability(&record, &list(0, nodes, report))).collect()
    };
    let law = FloatLaw::new((0..1 << (nodes - 1)).map(row).collect());
    law.epsilon_between(|a, b| (a ^ b).count_ones() == 1)
}

/// What all reports of three users tell about the edge between users 0 and 1, who are private, while
/// user 2 publishes: the two epsilons together.
fn customised() -> Result<Vec<Finding>> {
    let audit = |(first, second): (f64, f64)| {
        let mechanisms = [Dprr::new(first, 3)?, Dprr::new(second, 3)?];
        let subject =
            format!("DPRR, private users at {first} and {second} beside one who publishes");
        let measured = private_pair(&mechanisms);
        Ok(found(subject, Method::Exact, first + second, measured))
    };
    [(1.0, 1.0), (0.2, 2.0), (0.05, 0.5)].into_iter().map(audit).collect()
}

/// Graphs on three nodes are bits of the pairs (0,1), (0,2), (1,2); those that differ in (0,1) alone.
pub(in crate::audit) fn private_pair(mechanisms: &[Dprr; 2]) -> f64 {
    reports_about(mechanisms).epsilon_between(|a, b| a ^ b == 1)
}

/// The joint law of all reports, the published list among them.
pub(in crate::audit) fn reports_about(mechanisms: &[Dprr; 2]) -> FloatLaw {
    let knows = |graph: usize, u: usize, v: usize| graph >> (u + v - 1) & 1;
    let neighbors = |graph: usize, user: usize| -> Vec<u32> {
        (0..3).filter(|&v| v != user && knows(graph, user, v) == 1).map(|v| v as u32).collect()
    };
    let row = |graph: usize| {
        let mut row = Vec::with_capacity(64);
        for published in 0..4 {
            let said = list(2, 3, published) == neighbors(graph, 2);
            for reports in 0..16usize {
                let each = mechanisms.iter().enumerate().map(|(user, mechanism)| {
                    let truth = neighbors(graph, user);
                    let record =
                        NeighborList { owner: user as u32, neighbors: &truth, node_count: 3 };
                    mechanism.probability(&record, &list(user, 3, reports >> (2 * user) & 3))
                });
                row.push(if said { each.product() } else { 0.0 });
            }
        }
        row
    };
    FloatLaw::new((0..8).map(row).collect())
}

/// A noisy degree and a list: every list of four nodes, degrees far beyond both ends.
fn with_degree() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = DprrWithDegree(Dprr::new(epsilon, 4)?);
        let row = |truth: usize| {
            let neighbors = list(0, 4, truth);
            let record = NeighborList { owner: 0, neighbors: &neighbors, node_count: 4 };
            let reports = (-6..9).flat_map(|degree| (0..8).map(move |report| (degree, report)));
            let report = |(degree, report)| DegreeReport { degree, neighbors: list(0, 4, report) };
            reports.map(|r| mechanism.probability(&record, &report(r))).collect()
        };
        let law = FloatLaw::new((0..8).map(row).collect());
        let measured = law.epsilon_between(|a, b| (a ^ b).count_ones() == 1);
        Ok(found(
            format!("DPRR that sends its degree, epsilon {epsilon}"),
            Method::Exact,
            epsilon,
            measured,
        ))
    };
    [0.2, 1.0, 2.0].into_iter().map(audit).collect()
}
