//! Figures 8 and 9: seconds to collect and to learn, against the size of graphs.
//!
//! The paper trains for 100 epochs on 1,500 (figure 8) or 1,000 (figure 9) graphs; here it is a few epochs
//! on as many graphs as asked for, one run at a time, so that curves can be compared, not seconds.

use std::num::NonZeroUsize;

use privet::data::synthetic::BarabasiAlbert;
use privet::dprr::{DprrMethod, GraphLearner, Reading, Setting};
use privet::graph::{Graph, GraphSet, Labels, SimRng, subgraph};
use rand::seq::index;
use serde::{Deserialize, Serialize};

use super::DprrFigure;
use super::item::methods;
use crate::error::Error;
use crate::experiments::cells::{Key, Sweep};
use crate::experiments::dprr::{COLLECTING, DprrTrial, LEARNING, LENGTH};
use crate::experiments::reproduce::{Item, Wanted};
use crate::experiments::trial::{Data, Subject, Variant};
use crate::report::summary::plain;
use crate::report::{Axis, Block, Cell, Plot, Report, Section, Series, Style, Table};

/// Epochs that are timed.
const EPOCHS: usize = 5;
/// Edges per newcomer of generated graphs.
const EDGES_PER_NODE: [usize; 2] = [3, 5];

/// What one run took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Seconds {
    collecting: f64,
    learning: f64,
    /// Entries per report.
    length: f64,
}

/// One point of a curve.
#[derive(Debug, Clone)]
struct Place {
    curve: String,
    x: f64,
    method: DprrMethod,
    seed: u64,
}

impl Place {
    fn key(&self, wanted: &Wanted) -> Key {
        Key::new()
            .with("curve", &self.curve)
            .with("x", self.x)
            .with("graphs", wanted.size)
            .with("epsilons", format!("{:?}", wanted.epsilons))
            .with("seed", self.seed)
    }
}

/// Measures what is missing, and makes the report. Figure 8 takes its graphs from `sets`.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn reproduce(
    item: &Item,
    figure: DprrFigure,
    wanted: &Wanted,
    sets: &[(String, GraphSet)],
    sweep: &mut Sweep<'_>,
) -> Result<Report, Error> {
    let places = places(figure, wanted, sets);
    // One at a time: what is measured is time.
    sweep.threads = NonZeroUsize::MIN;
    let interrupt = sweep.interrupt;
    let work = |place: &Place| measure(figure, place, wanted, sets, interrupt);
    let found: Vec<Seconds> = sweep.measure(&places, |place| place.key(wanted), work)?;
    Ok(render(item, figure, wanted, &places, &found))
}

fn places(figure: DprrFigure, wanted: &Wanted, sets: &[(String, GraphSet)]) -> Vec<Place> {
    let names: Vec<String> = match figure {
        DprrFigure::Fig8 => sets.iter().map(|(name, _)| name.clone()).collect(),
        _ => EDGES_PER_NODE.iter().map(|edges| format!("m {edges}")).collect(),
    };
    let (methods, mut places) = (methods(wanted), Vec::new());
    for name in &names {
        for &method in &methods {
            for &x in &wanted.points {
                let curve = format!("{}, {name}", method.name());
                places.extend((0..wanted.runs).map(|seed| Place {
                    curve: curve.clone(),
                    x,
                    method,
                    seed,
                }));
            }
        }
    }
    places
}

fn measure(
    figure: DprrFigure,
    place: &Place,
    wanted: &Wanted,
    sets: &[(String, GraphSet)],
    interrupt: &std::sync::atomic::AtomicBool,
) -> privet::Result<Seconds> {
    let of_curve = |name: &str| place.curve.ends_with(name);
    let set = match figure {
        DprrFigure::Fig8 => match sets.iter().find(|(name, _)| of_curve(name)) {
            Some((_, set)) => sampled(set, place.x, place.seed)?,
            None => return Err(privet::Error::invalid("curve", &place.curve, "one of a dataset")),
        },
        _ => {
            let edges = EDGES_PER_NODE.into_iter().find(|edges| of_curve(&format!("m {edges}")));
            generated(wanted.size, place.x as usize, edges.unwrap_or(3), place.seed)?
        }
    };
    let epsilon = wanted.epsilons.first().copied().unwrap_or(1.0);
    let trial = DprrTrial {
        learner: GraphLearner { epochs: EPOCHS, patience: EPOCHS, ..GraphLearner::default() },
        // As in the paper: every reported pair costs time.
        ..DprrTrial::new(Data::new("timed", &set), place.method, Setting::Common { epsilon })
            .reading(Reading::Plain)
    };
    let scores = trial.run(Variant::Private, place.seed, interrupt)?.scores;
    let of = |name| scores.get(name).unwrap_or(0.0);
    Ok(Seconds { collecting: of(COLLECTING), learning: of(LEARNING), length: of(LENGTH) })
}

/// A share of the users of every graph, and the edges among them.
fn sampled(set: &GraphSet, share: f64, seed: u64) -> privet::Result<GraphSet> {
    let mut rng = SimRng::new(seed);
    let mut part = |graph: &Graph| {
        let users = graph.node_count();
        let kept = ((share * users as f64).round() as usize).min(users);
        let mut nodes: Vec<u32> =
            index::sample(&mut rng, users, kept).iter().map(|node| node as u32).collect();
        nodes.sort_unstable();
        subgraph::induced(graph, &nodes)
    };
    let graphs = set.graphs().iter().map(&mut part).collect::<Result<_, _>>()?;
    let made = GraphSet::new(set.name(), graphs);
    Ok(match set.labels() {
        Some(labels) => made.with_labels(labels.clone())?,
        None => made,
    })
}

/// Barabási-Albert graphs; classes alternate, for there is nothing to learn.
fn generated(count: usize, nodes: usize, edges: usize, seed: u64) -> privet::Result<GraphSet> {
    let model = BarabasiAlbert { nodes, edges_per_node: edges };
    let graph = |at: usize| {
        let seed = seed.wrapping_mul(1 << 20).wrapping_add(at as u64);
        model.generate(seed).map(|made| made.graph().clone())
    };
    let graphs = (0..count).map(graph).collect::<Result<_, _>>()?;
    let classes: Vec<Option<i64>> = (0..count).map(|at| Some((at % 2) as i64)).collect();
    Ok(GraphSet::new("barabasi-albert", graphs).with_labels(Labels::from_integers(&classes)?)?)
}

fn render(
    item: &Item,
    figure: DprrFigure,
    wanted: &Wanted,
    places: &[Place],
    found: &[Seconds],
) -> Report {
    let (number, x_name) = match figure {
        DprrFigure::Fig8 => (8, "share of users sampled"),
        _ => (9, "users per graph"),
    };
    let title = format!("DPRR, figure {number}: {}", item.title);
    let summary = "Randomised response makes rows as long as the graph: its cost grows with the square \
                   of the number of users, that of DPRR with the number of edges.";
    let mut report = Report::new(title, summary);
    let mut table = Table::new(
        format!("Wall-clock seconds, mean over {} runs, one at a time", wanted.runs),
        ["curve", x_name, "collecting", "learning", "entries per report"],
    );
    let y = format!("seconds for {EPOCHS} epochs");
    let mut plot = Plot::new(item.title, Axis::linear(x_name), Axis::log(y));
    let mut curves: Vec<&str> = places.iter().map(|place| place.curve.as_str()).collect();
    curves.dedup();
    for curve in curves {
        let of_curve: Vec<(f64, &Seconds)> = places
            .iter()
            .zip(found)
            .filter(|(place, _)| place.curve == curve)
            .map(|(place, seconds)| (place.x, seconds))
            .collect();
        let points = of_curve.chunks(wanted.runs.max(1) as usize).map(|runs| {
            let mean = |of: fn(&Seconds) -> f64| {
                runs.iter().map(|(_, s)| of(s)).sum::<f64>() / runs.len() as f64
            };
            let x = runs.first().map_or(0.0, |run| run.0);
            (x, mean(|s| s.collecting), mean(|s| s.learning), mean(|s| s.length))
        });
        let points: Vec<(f64, f64, f64, f64)> = points.collect();
        plot = plot.with(Series::new(curve, Style::Line, points.iter().map(|p| (p.0, p.2))));
        for (x, collecting, learning, length) in points {
            let numbers = [x, collecting, learning, length].map(Cell::number);
            table.push([Cell::from(curve)].into_iter().chain(numbers));
        }
    }
    let note = format!(
        "Learning: {EPOCHS} epochs, preparation of the graphs and predictions included. The paper's \
         machine, epochs and number of graphs differ: compare how curves grow, not seconds."
    );
    report.sections =
        vec![Section::new("Seconds", [Block::Plot(plot), Block::Text(note), Block::Table(table)])];
    report.settings = vec![
        ("epsilon".into(), plain(wanted.epsilons.first().copied().unwrap_or(1.0))),
        ("graphs".into(), wanted.size.to_string()),
        ("learner".into(), format!("{:?}", GraphLearner::default())),
    ];
    report
}
