//! The order of trust on generated graphs and benchmarks: at the same epsilon, a custodian's answer is not below the devices',
//! and neither is below what needs no private data. A row that breaks the order says so.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use privet::learn::metrics::Summary;
use privet_lab::experiments::cells::Key;
use privet_lab::experiments::trial::NamedData;
use privet_lab::experiments::trust_order::{TrustLevel, TrustOrder, TrustScores};
use privet_lab::report::summary::plain;
use privet_lab::report::{Block, Cell, MeasuredValue, Report, Section, Table, ThreatModel};

use crate::battery::{BatteryGraph, MADE_UP};
use crate::item::{Figure, Item};
use crate::{Inputs, ItemData, MeasureRequest, Work};

/// Graphs where neighbours are alike, and where they differ.
const BENCHMARKS: [&str; 6] = [
    "facebook100/rice31",
    "facebook100/amherst41",
    "cora",
    "citeseer",
    "heterophilous/chameleon",
    "twitch/ptbr",
];

/// A mean that is lower by less than this is no disorder: one of two hundred people.
const MARGIN: f64 = 0.005;

/// The order of trust.
pub(super) const ITEMS: &[Item] = &[Item {
    name: "trust-order",
    title: "Custodian, devices and no private data at the same epsilon",
    cost: "an hour; --quick: minutes",
    reads: ItemData::People,
    known: &[],
    places: None,
    decodes: false,
    once: false,
    figure: Figure::Special(work),
    datasets: (&BENCHMARKS, &["cora"]),
    mechanisms: &[],
    epsilons: (&[1.0, 4.0], &[1.0]),
    points: (&[], &[]),
    runs: (10, 2),
    size: (3000, 600),
}];

/// One run.
#[derive(Debug, Clone, Copy)]
struct TrustJob {
    place: usize,
    epsilon: f64,
    level: TrustLevel,
    seed: u64,
}

fn work<'a>(_: &Item, wanted: &'a MeasureRequest, inputs: &'a Inputs) -> privet::Result<Work<'a>> {
    let generated = MADE_UP.iter().filter(|blocks| blocks.nodes <= wanted.size);
    let places: Vec<BatteryGraph<'a>> = generated
        .map(BatteryGraph::made_up)
        .chain(inputs.people.iter().map(BatteryGraph::renamed))
        .collect();
    let mut jobs = Vec::new();
    for place in 0..places.len() {
        for &epsilon in &wanted.epsilons {
            for level in TrustLevel::ALL {
                let job = |seed| TrustJob { place, epsilon, level, seed };
                jobs.extend((0..wanted.runs).map(job));
            }
        }
    }
    // Shared by the runs and by the report.
    let places = Arc::new(places);
    let names: Vec<String> = places.iter().map(BatteryGraph::key).collect();
    let key = move |job: &TrustJob| {
        let key = Key::new().with("graph", &names[job.place]).with("trust", job.level.name());
        // Without private data there is nothing to spend.
        let key = match job.level {
            TrustLevel::NoPrivateData => key,
            _ => key.with("epsilon", job.epsilon),
        };
        key.with("seed", job.seed)
    };
    let shown = Arc::clone(&places);
    let run = move |job: &TrustJob, interrupt: &AtomicBool| {
        let dataset = places[job.place].dataset()?;
        let data = NamedData::new(dataset.name(), dataset);
        TrustOrder { data, epsilon: job.epsilon }.score(job.level, job.seed, interrupt)
    };
    Ok(Work::jobs(jobs, key, run, move |jobs, found| report(&shown, jobs, found)))
}

fn report(places: &[BatteryGraph<'_>], jobs: &[TrustJob], found: &[f64]) -> Report {
    let mut rows: Vec<(usize, f64, TrustScores)> = Vec::new();
    for (job, &score) in jobs.iter().zip(found) {
        // Jobs of one graph and epsilon come one after the other.
        if !rows.last().is_some_and(|row| row.0 == job.place && row.1 == job.epsilon) {
            rows.push((job.place, job.epsilon, TrustScores::default()));
        }
        let Some((.., scores)) = rows.last_mut() else { continue };
        match job.level {
            TrustLevel::Custodian => scores.custodian.push(score),
            TrustLevel::Devices => scores.devices.push(score),
            TrustLevel::NoPrivateData => scores.nothing.push(score),
        }
    }
    let columns = ["graph", "epsilon", "custodian", "devices", "no private data", "order"];
    let mut table = Table::new("Test accuracy, mean ± deviation over seeds", columns);
    let mut broken = 0;
    for (place, epsilon, scores) in &rows {
        let disorder = scores.disorder(MARGIN);
        broken += usize::from(!disorder.is_empty());
        let order = if disorder.is_empty() { "holds".into() } else { disorder.join("; ") };
        let measured = |summary: Option<Summary>| match summary {
            Some(summary) => MeasuredValue::percent(&summary).into(),
            None => Cell::missing("not run"),
        };
        let facts = [Cell::from(places[*place].facts()), Cell::from(plain(*epsilon))];
        let scores = scores.summaries().map(measured);
        table.push(facts.into_iter().chain(scores).chain([Cell::from(order)]));
    }
    let summary = format!(
        "{} rows on {} graphs: in {broken} of them more trust gives a worse answer, beyond chance and half a point.",
        rows.len(),
        places.len()
    );
    let mut report = Report::new("The order of trust", summary);
    report.sections.push(Section::new("Rows", [
        Block::Text(
            "All edges are private, features and labels public, splits 50/25/25. Custodian: votes at epsilon for an edge (HeteroRR). \
             Devices: lists at epsilon for an edge (LDP-GE). Every setting is the default."
                .into(),
        ),
        Block::Table(table),
    ]));
    report.threat_model = ThreatModel {
        secret: vec!["edges".into()],
        public: vec!["features, labels, who is a node".into()],
        not_protected: vec!["the scores in this report: they compare with the truth".into()],
    };
    report
}
