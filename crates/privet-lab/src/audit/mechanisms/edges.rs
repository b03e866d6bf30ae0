//! Exact audits of the edge mechanisms on a few nodes: `randomize` and `sample` themselves, on every list
//! and every graph.

use privet::privacy::audit;
use privet::privacy::edges::central::{
    EdgeVotes, GraphAnswers, GraphCounts, GraphQuestion, Ladder, LadderNoise, NodeClasses,
    VoteRules,
};
use privet::privacy::edges::comparison::{EdgeRand, LapGraph};
use privet::privacy::edges::local::{
    EachGraph, LapReport, LocalLap, OneSided, PackedRr, Rr, Silent,
};
use privet::privacy::population::NeighborList;
use privet::privacy::public::Public;
use privet::privacy::{AsPrinted, Budget, Epsilon};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::clopper_pearson::epsilon_lower_bound;
use crate::audit::enumerated::{
    all, exact, graph, members, of_graphs, of_lists, one_bit, price, worst,
};
use crate::audit::finding::{AuditMethod, Finding};
use crate::audit::seeds::Seeds;
use crate::audit::trials::{CONFIDENCE, released};

pub(super) const AUDITS: [Audit; 10] = [
    Audit { name: "rr", of: &["Rr", "PackedRr"], tight: true, run: Procedure::Exact(rr) },
    Audit { name: "rr-long-list", of: &["Rr"], tight: false, run: Procedure::Exact(rr_long_list) },
    Audit { name: "silent", of: &["Silent"], tight: true, run: Procedure::Exact(silent) },
    Audit {
        name: "wrapped",
        of: &["OneSided", "EachGraph"],
        tight: true,
        run: Procedure::Exact(wrapped),
    },
    Audit { name: "local-lap", of: &["LocalLap"], tight: false, run: Procedure::Exact(local_lap) },
    Audit { name: "edge-rand", of: &["EdgeRand"], tight: false, run: Procedure::Exact(edge_rand) },
    Audit {
        name: "edge-votes",
        of: &["EdgeVotes"],
        tight: true,
        run: Procedure::Exact(edge_votes),
    },
    Audit {
        name: "graph-counts",
        of: &["GraphCounts"],
        tight: false,
        run: Procedure::Exact(graph_counts),
    },
    Audit {
        name: "as-printed",
        of: &["AsPrinted"],
        tight: false,
        run: Procedure::Exact(as_printed),
    },
    Audit { name: "lap-graph", of: &["LapGraph"], tight: false, run: Procedure::Seeded(lap_graph) },
];

fn rr() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for epsilon in [0.1, 1.0, 3.0] {
        let mechanism = Rr::new(epsilon)?;
        let laws = of_lists(&mechanism, 2, 5, |report| report)?;
        let subject = format!("randomised response, 5 nodes, epsilon {epsilon}");
        findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)));
        let packed = PackedRr(mechanism);
        let laws = of_lists(&packed, 4, 5, |row| row.nodes().collect::<Vec<_>>())?;
        let subject = format!("the same as bits, the last of 5 nodes, epsilon {epsilon}");
        findings.push(exact(subject, price(&packed, 0.0)?, worst(&laws, one_bit)));
    }
    Ok(findings)
}

/// A list of more than one word of bits. At epsilon 12 two lies are rarer than one in a million: walks that
/// stop there have few paths, and prove almost all of it.
fn rr_long_list() -> Result<Vec<Finding>> {
    const NODES: u32 = 67;
    let mechanism = Rr::new(12.0)?;
    let law = |neighbors: &[u32]| {
        let list = NeighborList { owner: 5, neighbors, node_count: NODES as usize };
        audit::randomized_to(20, &mechanism, list, |report| report)
    };
    let (empty_list, claimed) = (law(&[])?, price(&mechanism, 0.0)?);
    let mut findings = Vec::new();
    for node in [0, 63, 64, NODES - 1] {
        let subject = format!("randomised response, node {node} of {NODES}, epsilon 12");
        findings.push(exact(subject, claimed, empty_list.loss(&law(&[node])?)));
    }
    Ok(findings)
}

fn silent() -> Result<Vec<Finding>> {
    let laws = of_lists(&Silent, 0, 4, |report| report)?;
    Ok(vec![exact("an empty report, 4 nodes", price(&Silent, 0.0)?, worst(&laws, one_bit))])
}

/// Pairs below the owner alone, and users of many graphs: the mechanism inside, on another list.
fn wrapped() -> Result<Vec<Finding>> {
    let one_sided = OneSided(Rr::new(1.0)?);
    let laws = of_lists(&one_sided, 2, 4, |report| report)?;
    let each_graph = EachGraph(Rr::new(1.0)?);
    let law = |mask: usize| {
        let neighbors = members(1, 3, mask);
        let list = NeighborList { owner: 1, neighbors: &neighbors, node_count: 3 };
        audit::randomized(&each_graph, list, |report| report)
    };
    let lists = (0..4).map(law).collect::<Result<Vec<_>>>()?;
    Ok(vec![
        exact("owned pairs of 4 nodes", price(&one_sided, 0.0)?, worst(&laws, one_bit)),
        exact("one of many graphs", price(&each_graph, 0.0)?, worst(&lists, one_bit)),
    ])
}

/// The second of two users, who owns their pair: both lists, every report down to 2^-78. A cell has
/// thousands of levels, so epsilon is large, and what is cut off must be small beside e^-epsilon.
fn local_lap() -> Result<Vec<Finding>> {
    let mechanism = LocalLap::new(40.0)?;
    let key = |report| match report {
        LapReport::Private { degree, cells } => (degree, cells),
        LapReport::Public { neighbors } => {
            (i64::MAX, neighbors.iter().map(|&v| v as i32).collect())
        }
    };
    let law = |neighbors: &[u32]| {
        let list = NeighborList { owner: 1, neighbors, node_count: 2 };
        audit::randomized_to(78, &mechanism, list, key)
    };
    let measured = law(&[])?.loss(&law(&[0])?);
    Ok(vec![exact("LocalLap, one list, epsilon 40", price(&mechanism, 0.0)?, measured)])
}

/// Every question on every graph of three nodes; and ladders around counts of larger graphs, a step apart.
fn graph_counts() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let (budget, scales) = (Budget::from_epsilon(2.0)?, Budget::from_epsilon(4.0)?);
    for question in GraphQuestion::ALL {
        let classes = NodeClasses { count: 2, of_node: vec![Some(0), Some(1), Some(1)] };
        let classes = Some(Public::declared(classes));
        let mechanism = GraphCounts::new(&[(question, budget)], Some(scales), vec![1, 2], classes)?;
        let key = |answers: GraphAnswers| (answers.counts, answers.scales.to_array());
        // Scales and counts together have many values: what is rarer than one in 2^22 is left out, far below e^-6.
        let laws: Vec<_> = (0..1 << 3)
            .map(|mask| audit::sampled_to(22, &mechanism, &graph(3, mask)?, key))
            .collect::<Result<_>>()?;
        let subject = format!("{}, three nodes", question.name());
        findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)));
    }
    // With the widest rungs that a neighbour can have, and the count as far away as the first rung allows.
    for (epsilon, start) in [(1.0, 0), (1.0, 2), (0.5, 1)] {
        let noise = LadderNoise::new(Budget::from_epsilon(epsilon)?)?;
        let law = |start: u64, count: i64| {
            let ladder = Ladder { start, slope: 1, curvature: 0 };
            audit::drawn(30, |words| count + noise.draw(&ladder, words))
        };
        let measured = law(start, 0)?.loss(&law(start + 1, start as i64)?);
        let subject = format!("ladders from {start} and {} on, epsilon {epsilon}", start + 1);
        findings.push(exact(subject, epsilon, measured));
    }
    Ok(findings)
}

fn edge_rand() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = EdgeRand::new(epsilon)?;
        let laws = of_graphs(&mechanism, 3, |rows| rows)?;
        let subject = format!("EdgeRand, three nodes, epsilon {epsilon}");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)))
    };
    [0.5, 2.0].into_iter().map(audit).collect()
}

/// Two nodes who both ask, and three of whom one does: every graph of them.
fn edge_votes() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for epsilon in [1.0, 3.0] {
        for (classes, paired, says, asks) in [
            (1, 0, vec![Some(0), Some(0)], vec![1, 2]),
            (2, 0, vec![Some(1), Some(0), None], vec![0, 0, 1]),
            // Two known nodes: their edge is counted by its pair of classes.
            (1, 1, vec![Some(0), Some(0)], vec![0, 0]),
        ] {
            let nodes = says.len();
            let panel = VoteRules { classes, paired, says, asks };
            let mechanism = EdgeVotes::new(epsilon, Public::declared(panel))?;
            let laws = of_graphs(&mechanism, nodes, |counts| (counts.told, counts.pairs))?;
            let subject = format!("votes of edges, {nodes} nodes, epsilon {epsilon}");
            findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)));
        }
    }
    Ok(findings)
}

/// A paper's number beside it changes neither the price nor the law.
fn as_printed() -> Result<Vec<Finding>> {
    let mechanism = AsPrinted::new(EdgeRand::new(1.0)?, Epsilon::new(0.25)?, "a quarter of it");
    let laws = of_graphs(&mechanism, 2, |rows| rows)?;
    Ok(vec![exact("EdgeRand as printed, two nodes", price(&mechanism, 0.0)?, worst(&laws, all))])
}

/// A cell has thousands of levels and the choice of the largest depends on all of them: sampled, on three
/// nodes. The event: the pair (1, 0) comes out as an edge.
fn lap_graph(seeds: Seeds) -> Result<Vec<Finding>> {
    const TRIALS: u64 = 5_000;
    let mechanism = LapGraph::new(3.0)?;
    let seen = |mask: usize, side: u64| {
        let input = graph(3, mask)?;
        let one = |trial| {
            let rows = released(&mechanism, &input, seeds.part(side).part(trial))?;
            Ok(u64::from(rows[1].contains(&0)))
        };
        (0..TRIALS).map(one).sum::<Result<u64>>()
    };
    // Beside it the pair (2, 1) is an edge, or no pair is.
    let audit = |others: usize| {
        let (with, without) = (seen(others | 1, 0)?, seen(others, 1)?);
        Ok(Finding {
            subject: format!("LapGraph, a pair among three nodes, epsilon 3, others {others:02b}"),
            method: AuditMethod::Statistical,
            claimed: price(&mechanism, 0.0)?,
            measured: epsilon_lower_bound(with, without, TRIALS, 0.0, CONFIDENCE),
            tolerance: 0.0,
        })
    };
    [0b100, 0].into_iter().map(audit).collect()
}
