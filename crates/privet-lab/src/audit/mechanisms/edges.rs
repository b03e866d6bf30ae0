//! Exact audits of the neighbour-list mechanisms on a few nodes: every list, every report.

use privet::graph::{Direction, Graph, GraphBuilder};
use privet::privacy::edges::central::{EdgeRand, LapGraph};
use privet::privacy::edges::local::{Dprr, LapReport, LocalLap, Rr};
use privet::privacy::population::NeighborList;

use super::Audit;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::law::FloatLaw;
use crate::audit::toy_dprr::{Reports, ToyDprr, relationship_dp};

pub(super) const AUDITS: [Audit; 7] = [
    Audit { name: "dprr", tight: true, run: dprr },
    Audit { name: "dprr-oracle", tight: true, run: dprr_agrees_with_its_definition },
    Audit { name: "dprr-relationship", tight: true, run: dprr_relationship },
    Audit { name: "rr", tight: true, run: rr },
    Audit { name: "local-lap", tight: true, run: local_lap },
    Audit { name: "edge-rand", tight: true, run: edge_rand },
    Audit { name: "lap-graph", tight: true, run: lap_graph },
];

/// Noisy cells to look at, in the mechanisms' steps of 1/1024: beyond, at and between 0 and 1.
const CELLS: [i32; 5] = [-3000, 0, 500, 1024, 5000];

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

/// The last of three users, who owns both pairs: every list, and reports all over the place.
fn local_lap() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = LocalLap::new(epsilon)?;
        let row = |mask: u32| {
            let neighbors: Vec<u32> = (0..2).filter(|at| mask >> at & 1 == 1).collect();
            let list = NeighborList { owner: 2, neighbors: &neighbors, node_count: 3 };
            let reports = (-5..=5).flat_map(|degree| {
                CELLS.iter().flat_map(move |&a| CELLS.iter().map(move |&b| (degree, a, b)))
            });
            let report = |(degree, a, b)| LapReport::Private { degree, cells: vec![a, b] };
            reports.map(|r| mechanism.probability(&list, &report(r))).collect()
        };
        let law = FloatLaw::new((0..4).map(row).collect());
        let subject = format!("LocalLap, one list, epsilon {epsilon}");
        Ok(exact(subject, epsilon, law.epsilon_between(one_bit)))
    };
    [0.5, 2.0].into_iter().map(audit).collect()
}

/// All graphs on three nodes, as bits of the pairs (1, 0), (2, 0), (2, 1).
fn graphs() -> Result<Vec<Graph>> {
    let pairs = [(1, 0), (2, 0), (2, 1)];
    let graph = |mask: usize| {
        let edges = (0..3).filter(|at| mask >> at & 1 == 1).map(|at| pairs[at]);
        GraphBuilder::new(3, Direction::Undirected).edges(edges).build()
    };
    // Three nodes and their pairs always make a graph; an error would show as a missing row.
    Ok((0..8).filter_map(|mask| graph(mask).ok()).map(|built| built.0).collect())
}

fn edge_rand() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = EdgeRand::new(epsilon)?;
        let rows_of = |mask: usize| {
            let bit = |at: usize| mask >> at & 1 == 1;
            let second = if bit(0) { vec![0] } else { vec![] };
            let third = [(1, 0), (2, 1)].iter().filter(|&&(at, _)| bit(at)).map(|&(_, v)| v);
            vec![vec![], second, third.collect()]
        };
        let row =
            |graph: &Graph| (0..8).map(|r| mechanism.probability(graph, &rows_of(r))).collect();
        let law = FloatLaw::new(graphs()?.iter().map(row).collect());
        let subject = format!("EdgeRand, three nodes, epsilon {epsilon}");
        Ok(exact(subject, epsilon, law.epsilon_between(one_bit)))
    };
    [0.5, 2.0].into_iter().map(audit).collect()
}

/// The noisy count and cells, before the largest are chosen from them.
fn lap_graph() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = LapGraph::new(epsilon)?;
        let row = |graph: &Graph| {
            let mut row = Vec::new();
            for count in -3..=6 {
                for cells in 0..CELLS.len().pow(3) {
                    let cell =
                        |at: u32| i64::from(CELLS[cells / CELLS.len().pow(at) % CELLS.len()]);
                    let rows = [vec![], vec![cell(0)], vec![cell(1), cell(2)]];
                    row.push(mechanism.probability(graph, count, &rows));
                }
            }
            row
        };
        let law = FloatLaw::new(graphs()?.iter().map(row).collect());
        let subject = format!("LapGraph, three nodes, epsilon {epsilon}");
        Ok(exact(subject, epsilon, law.epsilon_between(one_bit)))
    };
    [0.5, 2.0].into_iter().map(audit).collect()
}
