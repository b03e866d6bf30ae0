//! Exact audits of the neighbour-list mechanisms on a few nodes: every list, every report.

use privet::privacy::edges::local::{Dprr, Rr};
use privet::privacy::population::NeighborList;

use super::Audit;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::law::FloatLaw;
use crate::audit::toy_dprr::{Reports, ToyDprr, relationship_dp};

pub(super) const AUDITS: [Audit; 4] = [
    Audit { name: "dprr", tight: true, run: dprr },
    Audit { name: "dprr-oracle", tight: true, run: dprr_agrees_with_its_definition },
    Audit { name: "dprr-relationship", tight: true, run: dprr_relationship },
    Audit { name: "rr", tight: true, run: rr },
];

fn exact(subject: String, claimed: f64, measured: f64) -> Finding {
    Finding { subject, method: Method::Exact, claimed, measured, tolerance: 1e-9 }
}

/// The law of user 0's report among `nodes`, by the mechanism's own account of it.
fn law(nodes: usize, probability: impl Fn(&NeighborList<'_>, &[u32]) -> f64) -> FloatLaw {
    let pairs = nodes - 1;
    let list = |mask: usize| -> Vec<u32> {
        (0..pairs).filter(|at| mask >> at & 1 == 1).map(|at| at as u32 + 1).collect()
    };
    let row = |truth: usize| {
        let neighbors = list(truth);
        let record = NeighborList { owner: 0, neighbors: &neighbors, node_count: nodes };
        (0..1 << pairs).map(|report| probability(&record, &list(report))).collect()
    };
    FloatLaw::new((0..1 << pairs).map(row).collect())
}

fn one_bit(a: usize, b: usize) -> bool {
    (a ^ b).count_ones() == 1
}

fn dprr() -> Result<Vec<Finding>> {
    let mechanism = Dprr::from_parts(0.1, 0.9)?;
    let audit = |nodes: usize| {
        let law = law(nodes, |list, report| mechanism.probability(list, report));
        let subject = format!("DPRR, one list among {nodes} nodes, 0.1 + 0.9");
        exact(subject, 1.0, law.epsilon_between(one_bit))
    };
    Ok([2, 3, 5, 9].map(audit).into())
}

/// The mechanism's own law against the one written out from the definition.
fn dprr_agrees_with_its_definition() -> Result<Vec<Finding>> {
    let mechanism = Dprr::from_parts(0.1, 0.9)?;
    let audit = |nodes: usize| {
        let own = law(nodes, |list, report| mechanism.probability(list, report));
        let oracle = ToyDprr { degree: 0.1, bits: 0.9 }.law(nodes - 1);
        let pairs = own.rows.iter().flatten().zip(oracle.rows.iter().flatten());
        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        exact(format!("DPRR, largest deviation from its definition, {nodes} nodes"), 0.0, worst)
    };
    Ok([2, 3, 5, 8].map(audit).into())
}

fn dprr_relationship() -> Result<Vec<Finding>> {
    let toy = ToyDprr { degree: 0.1, bits: 0.9 };
    let audit = |(reports, claimed, words): (Reports, f64, &str)| {
        exact(format!("DPRR, three users, {words}"), claimed, relationship_dp(toy, reports))
    };
    let cases = [
        (Reports::Both, 2.0, "both report"),
        (Reports::LaterFullDegree, 1.1, "the later reports, steered by the full degree"),
        (Reports::LaterOwnDegree, 1.0, "the later reports, steered by owned pairs"),
    ];
    Ok(cases.map(audit).into())
}

fn rr() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = Rr::new(epsilon)?;
        let law = law(5, |list, report| mechanism.probability(list, report));
        let subject = format!("randomised response, 5 nodes, epsilon {epsilon}");
        Ok(exact(subject, epsilon, law.epsilon_between(one_bit)))
    };
    [0.1, 1.0, 3.0].into_iter().map(audit).collect()
}
