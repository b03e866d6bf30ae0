//! Graphs that nobody tuned for: every system at its defaults, beside what needs no private data and what reads everything.
//!
//! Generated families over homophily, classes, columns, degrees and sizes, and benchmarks under another name, so that no
//! preset applies. A default that falls behind public data alone, or a ceiling below what it should be above, is a row
//! that says so.
//!
//! | file | what it does |
//! |---|---|
//! | [`graphs`] | what is measured on |
//! | `table` | all of it as a report |

pub mod graphs;
mod table;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use privet::Method;
use privet::doubts::default_delta;
use privet::dpar::{Dpar, Held, Mode, Settings};
use privet::graph::Dataset;
use privet::hetero_rr::{EdgeProtection, EdgeUse};
use privet::ldp_ge::{LdpGe, Private};
use privet::privacy::Loss;
use privet::system::Facts;

use super::item::{Figure, Item};
use super::{Inputs, Reads, Wanted, Work};
use crate::experiments::cells::Key;
use crate::experiments::dpar::{DparTrial, Hidden, learners};
use crate::experiments::hetero_rr::HeteroRrTrial;
use crate::experiments::ldp_ge::{LdpGeTrial, Task};
use crate::experiments::trial::{Data, Scores, Subject, Variant};
use graphs::{MADE_UP, Place};

/// The systems that classify people in one graph, by the names of their commands.
const LDP_GE: &str = "ldp-ge";
const HETERO_RR: &str = "hetero-rr";
const DPAR: &str = "dpar";

/// The share of edges that HeteroRR's custodian keeps secret.
const SECRET: f64 = 0.5;

/// What stands in a row, in this order.
const VARIANTS: [Variant; 4] =
    [Variant::Private, Variant::Control, Variant::NoPrivateData, Variant::Ceiling];

/// Every benchmark here with features and classes that fits into the hour.
const BENCHMARKS: [&str; 6] =
    ["cora", "citeseer", "pubmed", "facebook_page_page", "wikipedia_crocodile", "cora_ml"];

/// A first look leaves out graphs of more people than this.
const FEW: usize = 1500;

/// The battery.
pub(super) const ITEMS: &[Item] = &[Item {
    name: "battery",
    title: "Defaults on graphs that no preset names",
    cost: "an hour; --quick: minutes",
    reads: Reads::PeopleWithRange,
    known: &[LDP_GE, HETERO_RR, DPAR],
    places: None,
    decodes: false,
    once: false,
    figure: Figure::Special(work),
    datasets: (&BENCHMARKS, &["cora"]),
    mechanisms: &[LDP_GE, HETERO_RR, DPAR],
    epsilons: (&[1.0], &[1.0]),
    points: (&[], &[]),
    runs: (5, 2),
    size: (usize::MAX, FEW),
}];

/// One run.
#[derive(Debug, Clone)]
pub(super) struct Job {
    place: usize,
    system: &'static str,
    variant: Variant,
    seed: u64,
}

fn work<'a>(_: &Item, wanted: &'a Wanted, inputs: &'a Inputs) -> privet::Result<Work<'a>> {
    let generated = MADE_UP.iter().filter(|blocks| blocks.nodes <= wanted.size);
    let places: Vec<Place<'a>> =
        generated.map(Place::made_up).chain(inputs.people.iter().map(Place::renamed)).collect();
    let epsilon = wanted.epsilon();
    let systems = |place: &Place<'_>| {
        let asked = |system: &&&str| wanted.mechanisms.iter().any(|name| name == *system);
        let fits = |system: &&&str| match **system {
            DPAR => place.people() <= DPAR_PEOPLE,
            LDP_GE => place.has_range(),
            _ => true,
        };
        [&LDP_GE, &HETERO_RR, &DPAR]
            .into_iter()
            .filter(asked)
            .filter(fits)
            .copied()
            .collect::<Vec<_>>()
    };
    let mut jobs = Vec::new();
    for (at, place) in places.iter().enumerate() {
        for system in systems(place) {
            for variant in VARIANTS {
                // Neither spread nor means reads connections of those trained on: there is nothing to forget.
                if system == DPAR && variant == Variant::Control {
                    continue;
                }
                let seeds = 0..wanted.runs.min(place.most_runs());
                jobs.extend(seeds.map(|seed| Job { place: at, system, variant, seed }));
            }
        }
    }
    let places = Arc::new(places);
    let names: Vec<String> = places.iter().map(Place::key).collect();
    let key = move |job: &Job| {
        Key::new()
            .with("graph", &names[job.place])
            .with("system", job.system)
            .with("epsilon", epsilon)
            .with("variant", job.variant.name())
            .with("seed", job.seed)
    };
    let shown = Arc::clone(&places);
    let run = move |job: &Job, interrupt: &AtomicBool| {
        let place = &places[job.place];
        measured(job, place.dataset()?, epsilon, interrupt)
    };
    Ok(Work::jobs(jobs, key, run, move |jobs, found| table::report(&shown, jobs, found, epsilon)))
}

/// DP-SGD of more people than this takes minutes a run.
const DPAR_PEOPLE: usize = 12_000;

/// One run of a system as a command without options would have it.
fn measured(
    job: &Job,
    dataset: &Dataset,
    epsilon: f64,
    interrupt: &AtomicBool,
) -> privet::Result<Scores> {
    let data = Data::new(dataset.name(), dataset);
    let outcome = match job.system {
        LDP_GE => {
            let system = LdpGe::fitting(epsilon, &Facts::of(dataset));
            let (task, private, volunteers, spill) = (Task::Nodes, Private::FEATURES, None, None);
            let trial = LdpGeTrial { data, task, system, private, volunteers, spill };
            trial.run(job.variant, job.seed, interrupt)?
        }
        HETERO_RR => {
            let (edges_as, edges) = (EdgeUse::Votes, EdgeProtection::new(epsilon));
            let trial = HeteroRrTrial { edges_as, edges, ..HeteroRrTrial::new(data, SECRET) };
            trial.run(job.variant, job.seed, interrupt)?
        }
        _ => {
            let Facts { columns, classes, .. } = Facts::of(dataset);
            let (mode, delta) = (Mode::Rigorous, default_delta(dataset.graph().node_count()));
            let (target, held) = (Loss::new(4.0 * epsilon, delta)?, Held::Test);
            let people = learners(&Data::from(dataset), held)?;
            let method = Method::for_people(target, people, columns, classes)?;
            let system = Dpar::new(method, mode, target, Settings::of(mode))?;
            let trial = DparTrial::with_people(data, system, Hidden::NodeAbsent, held, people);
            trial.run(job.variant, job.seed, interrupt)?
        }
    };
    Ok(outcome.scores)
}

#[cfg(test)]
mod tests;
