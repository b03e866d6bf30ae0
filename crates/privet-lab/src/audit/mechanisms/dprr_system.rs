//! Exact audits of DPRR: one list of every kind, its budget split for graphs of every size, what all reports
//! together say about an edge, users of different strength, and reports that carry their noisy degree.

use privet::graph::Graph;
use privet::privacy::audit::OutcomeLaw;
use privet::privacy::edges::local::{Dprr, DprrWithDegree, LowerHalf, NoisyDegree, OneSided};
use privet::privacy::ledger::{RelationshipEnds, relationship};
use privet::privacy::unit::NeighborBit;
use privet::privacy::{Ledger, Local, Secret, UserChoice, UserChoices};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::enumerated::{exact, graph, members, of_lists, one_bit, price, worst};
use crate::audit::finding::Finding;
use crate::audit::seeds::Seeds;
use crate::audit::toy_dprr::ToyDprr;
use crate::audit::trials::account;

pub(super) const AUDITS: [Audit; 7] = [
    Audit { name: "dprr", of: &["Dprr"], tight: true, run: Procedure::Exact(one_list) },
    Audit { name: "dprr-oracle", of: &["Dprr"], tight: true, run: Procedure::Exact(definition) },
    Audit { name: "dprr-split", of: &["Dprr"], tight: true, run: Procedure::Exact(split) },
    Audit {
        name: "dprr-relationship",
        of: &["Dprr", "LowerHalf", "OneSided"],
        tight: true,
        run: Procedure::Exact(relationships),
    },
    Audit {
        name: "dprr-customised",
        of: &["Dprr"],
        tight: true,
        run: Procedure::Exact(customised),
    },
    Audit {
        name: "dprr-with-degree",
        of: &["DprrWithDegree"],
        tight: true,
        run: Procedure::Exact(with_degree),
    },
    Audit {
        name: "noisy-degree",
        of: &["NoisyDegree"],
        tight: true,
        run: Procedure::Exact(degree_alone),
    },
];

fn one_list() -> Result<Vec<Finding>> {
    let mechanism = Dprr::from_parts(0.1, 0.9)?;
    let audit = |nodes: usize| {
        let laws = of_lists(&mechanism, 0, nodes, |report| report)?;
        let subject = format!("DPRR, one list among {nodes} nodes, 0.1 + 0.9");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)))
    };
    [2, 3, 4, 5].into_iter().map(audit).collect()
}

/// The law of the code against the one written out from the definition.
fn definition() -> Result<Vec<Finding>> {
    let mechanism = Dprr::from_parts(0.1, 0.9)?;
    let audit = |nodes: usize| {
        let laws = of_lists(&mechanism, 0, nodes, |report| report)?;
        let oracle = ToyDprr { degree: 0.1, bits: 0.9 }.law(nodes - 1);
        let mut worst = 0f64;
        for (law, row) in laws.iter().zip(&oracle.rows) {
            for (mask, expected) in row.iter().enumerate() {
                worst = worst.max((law.at_least(&members(0, nodes, mask)) - expected).abs());
            }
        }
        let subject = format!("DPRR, largest deviation from its definition, {nodes} nodes");
        Ok(exact(subject, 0.0, worst))
    };
    [2, 3, 5].into_iter().map(audit).collect()
}

/// The mechanism as it is made for graphs of every size, on every list of three nodes: the two budgets
/// together are what was asked for.
fn split() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for epsilon in [0.05, 0.2, 1.0, 2.0] {
        for nodes in [10, 100, 10_000, 1_000_000] {
            let mechanism = Dprr::new(epsilon, nodes)?;
            let laws = of_lists(&mechanism, 0, 3, |report| report)?;
            let subject = format!("DPRR as for {nodes} nodes, epsilon {epsilon}, one list of 3");
            findings.push(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)));
        }
    }
    Ok(findings)
}

/// The law of every user's report about each of their lists, among three.
type ThreeReports = [Vec<OutcomeLaw<Vec<u32>>>; 3];

fn reports<M: Local<Population = Graph, Report = Vec<u32>>>(mechanism: &M) -> Result<ThreeReports> {
    let of = |owner| of_lists(mechanism, owner, 3, |report| report);
    Ok([of(0)?, of(1)?, of(2)?])
}

/// What a ledger says that all it released tells about an edge between two users who both keep their lists private. Edges with a
/// publisher stand in a published list: their loss is infinite, and there is nothing to measure.
fn between_private_users(ledger: &Ledger<NeighborBit>) -> Result<f64> {
    let lines = relationship(ledger.entries())?;
    let private = lines.iter().filter(|line| line.between != RelationshipEnds::WithPublisher);
    Ok(private.map(|line| line.loss.epsilon.get()).fold(0.0, f64::max))
}

/// Three users report once: what the ledger says, and what their reports tell.
fn of_three<M>(subject: &str, mechanism: &M) -> Result<Finding>
where
    M: Local<Unit = NeighborBit, Population = Graph, Report = Vec<u32>>,
{
    let mut ledger = account(0.0, Seeds::new(1))?;
    ledger.release_each(&Secret::new(graph(3, 0)?), mechanism)?;
    Ok(exact(subject, between_private_users(&ledger)?, together(&reports(mechanism)?, |_| false)?))
}

/// What all reports of three users together tell about an edge: reports are independent, so that the worst
/// of their joint law is the sum of the worst of each. Published lists are compared as they are.
fn together(reports: &ThreeReports, publishes: impl Fn(usize) -> bool) -> Result<f64> {
    let mut worst = 0f64;
    for (mask, pair) in (0..8).flat_map(|mask| (0..3).map(move |at| (mask, 1 << at))) {
        let (one, other) = (graph(3, mask)?, graph(3, mask ^ pair)?);
        let list = |graph: &Graph, user: usize| {
            (0..4).find(|&list| members(user, 3, list) == graph.neighbors(user as u32)).unwrap_or(0)
        };
        let differ = |user: &usize| list(&one, *user) != list(&other, *user);
        if (0..3).filter(differ).any(&publishes) {
            continue; // not an edge between two private users
        }
        let told =
            |user: usize| reports[user][list(&one, user)].loss(&reports[user][list(&other, user)]);
        worst = worst.max((0..3).map(told).sum());
    }
    Ok(worst)
}

fn relationships() -> Result<Vec<Finding>> {
    let dprr = Dprr::from_parts(0.1, 0.9)?;
    Ok(vec![
        of_three("DPRR, three users, both report a pair", &dprr)?,
        of_three(
            "DPRR, three users, the later reports, steered by the full degree",
            &LowerHalf(dprr.clone()),
        )?,
        of_three("DPRR, three users, the later reports, steered by owned pairs", &OneSided(dprr))?,
    ])
}

/// Users 0 and 1 are private, each at a strength of their own; user 2 publishes.
fn customised() -> Result<Vec<Finding>> {
    let audit = |(first, second): (f64, f64)| {
        let (one, other) = (Dprr::new(first, 3)?, Dprr::new(second, 3)?);
        let of = |mechanism: &Dprr, owner| of_lists(mechanism, owner, 3, |report| report);
        let measured = together(&[of(&one, 0)?, of(&other, 1)?, of(&one, 2)?], |user| user == 2)?;
        let mut ledger = account(0.0, Seeds::new(1))?;
        let chosen = vec![UserChoice::Private(0), UserChoice::Private(1), UserChoice::Public];
        let choices = UserChoices::new(vec![one, other], chosen)?;
        ledger.release_chosen(&Secret::new(graph(3, 0)?), &choices)?;
        let subject =
            format!("DPRR, private users at {first} and {second} beside one who publishes");
        Ok(exact(subject, between_private_users(&ledger)?, measured))
    };
    [(1.0, 1.0), (0.2, 2.0), (0.05, 0.5)].into_iter().map(audit).collect()
}

/// A noisy degree and a list, both sent.
fn with_degree() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = DprrWithDegree(Dprr::new(epsilon, 4)?);
        let laws = of_lists(&mechanism, 0, 3, |report| (report.degree, report.neighbors))?;
        let subject = format!("DPRR that sends its degree, epsilon {epsilon}");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)))
    };
    [1.0, 2.0, 4.0].into_iter().map(audit).collect()
}

/// A noisy degree and no list.
fn degree_alone() -> Result<Vec<Finding>> {
    let audit = |epsilon: f64| {
        let mechanism = NoisyDegree::new(epsilon)?;
        let laws = of_lists(&mechanism, 0, 4, |report| (report.degree, report.neighbors))?;
        let subject = format!("a noisy degree alone, epsilon {epsilon}");
        Ok(exact(subject, price(&mechanism, 0.0)?, worst(&laws, one_bit)))
    };
    [0.2, 1.0, 4.0].into_iter().map(audit).collect()
}
