//! Figures 8 and 9: seconds to collect and to learn, against the size of graphs.
//!
//! The paper trains for 100 epochs on 1,500 (figure 8) or 1,000 (figure 9) graphs; here it is a few epochs
//! on as many graphs as asked for, one run at a time, so that curves can be compared, not seconds.

use std::sync::atomic::AtomicBool;

use privet::data::synthetic::BarabasiAlbert;
use privet::dprr::{DprrMethod, GraphLearner, Reading, Setting};
use privet::graph::{Graph, GraphSet, Labels, SimRng, subgraph};
use rand::seq::index;
use serde::{Deserialize, Serialize};

use super::methods;
use crate::{Inputs, Item, MeasureRequest, Work};
use privet_lab::experiments::cells::Key;
use privet_lab::experiments::dprr::{COLLECTING, DprrTrial, LEARNING, LENGTH};
use privet_lab::experiments::trial::{NamedData, Subject, Variant};
use privet_lab::report::summary::plain;
use privet_lab::report::{Axis, Block, Cell, Plot, Report, Section, Series, Style, Table};

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
struct CurvePoint {
    curve: String,
    x: f64,
    method: DprrMethod,
    seed: u64,
}

impl CurvePoint {
    fn key(&self, wanted: &MeasureRequest) -> Key {
        Key::new()
            .with("curve", &self.curve)
            .with("x", self.x)
            .with("graphs", wanted.size)
            .with("epsilons", format!("{:?}", wanted.epsilons))
            .with("seed", self.seed)
    }
}

/// Which graphs are timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Graphs {
    /// Figure 8: shares of the users of real graphs.
    Sampled,
    /// Figure 9: graphs that are made up.
    Generated,
}

/// Figures 8 and 9.
pub(super) fn work<'a>(
    graphs: Graphs,
    item: &Item,
    wanted: &'a MeasureRequest,
    inputs: &'a Inputs,
) -> privet::Result<Work<'a>> {
    let timed = Timed { graphs, title: item.title, wanted, sets: &inputs.sets };
    Ok(Work::jobs(
        timed.places(),
        |place| place.key(wanted),
        move |place, interrupt| timed.seconds(place, interrupt),
        move |places, found| timed.report(places, found),
    )
    // Runs that share a machine would measure each other.
    .one_at_a_time())
}

/// What is timed.
#[derive(Clone, Copy)]
struct Timed<'a> {
    graphs: Graphs,
    title: &'static str,
    wanted: &'a MeasureRequest,
    sets: &'a [(String, GraphSet)],
}

impl Timed<'_> {
    fn places(&self) -> Vec<CurvePoint> {
        let wanted = self.wanted;
        let names: Vec<String> = match self.graphs {
            Graphs::Sampled => self.sets.iter().map(|(name, _)| name.clone()).collect(),
            Graphs::Generated => EDGES_PER_NODE.iter().map(|edges| format!("m {edges}")).collect(),
        };
        let (methods, mut places) = (methods(wanted), Vec::new());
        for name in &names {
            for &method in &methods {
                for &x in &wanted.points {
                    let curve = format!("{}, {name}", method.name());
                    places.extend((0..wanted.runs).map(|seed| CurvePoint {
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

    fn seconds(&self, place: &CurvePoint, interrupt: &AtomicBool) -> privet::Result<Seconds> {
        let of_curve = |name: &str| place.curve.ends_with(name);
        let set = match self.graphs {
            Graphs::Sampled => match self.sets.iter().find(|(name, _)| of_curve(name)) {
                Some((_, set)) => sampled(set, place.x, place.seed)?,
                None => {
                    return Err(privet::Error::invalid("curve", &place.curve, "one of a dataset"));
                }
            },
            Graphs::Generated => {
                let edges = EDGES_PER_NODE.into_iter();
                let edges = edges.into_iter().find(|edges| of_curve(&format!("m {edges}")));
                let (size, users) = (self.wanted.size, place.x as usize);
                generated(size, users, edges.unwrap_or(3), place.seed)?
            }
        };
        let setting = Setting::Common { epsilon: self.wanted.epsilon() };
        let trial = DprrTrial {
            // Early stopping is off: every curve trains for the same number of epochs.
            learner: GraphLearner { epochs: EPOCHS, patience: EPOCHS, ..GraphLearner::default() },
            // As in the paper: every reported pair costs time.
            ..DprrTrial::believed(NamedData::new("timed", &set), place.method, setting)
                .reading(Reading::Plain)
        };
        let scores = trial.run(Variant::Private, place.seed, interrupt)?.scores;
        let of = |name| scores.get(name).unwrap_or(0.0);
        Ok(Seconds { collecting: of(COLLECTING), learning: of(LEARNING), length: of(LENGTH) })
    }

    fn report(&self, places: &[CurvePoint], found: &[Seconds]) -> Report {
        let wanted = self.wanted;
        let (number, x_name) = match self.graphs {
            Graphs::Sampled => (8, "share of users sampled"),
            Graphs::Generated => (9, "users per graph"),
        };
        let title = format!("DPRR, figure {number}: {}", self.title);
        let summary = "Randomised response makes rows as long as the graph: its cost grows with the square \
                   of the number of users, that of DPRR with the number of edges.";
        let mut report = Report::new(title, summary);
        let mut table = Table::new(
            format!("Wall-clock seconds, mean over {} runs, one at a time", wanted.runs),
            ["curve", x_name, "collecting", "learning", "entries per report"],
        );
        let y = format!("seconds for {EPOCHS} epochs");
        let mut plot = Plot::new(self.title, Axis::linear(x_name), Axis::log(y));
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
        report.sections = vec![Section::new(
            "Seconds",
            [Block::Plot(plot), Block::Text(note), Block::Table(table)],
        )];
        report.settings = vec![
            ("epsilon".into(), plain(wanted.epsilon())),
            ("graphs".into(), wanted.size.to_string()),
            ("learner".into(), format!("{:?}", GraphLearner::default())),
        ];
        report
    }
}

/// A share of the users of every graph, and the edges among them.
fn sampled(set: &GraphSet, share: f64, seed: u64) -> privet::Result<GraphSet> {
    let mut rng = SimRng::new(seed);
    let mut part = |graph: &Graph| {
        let users = graph.node_count();
        let kept = ((share * users as f64).round() as usize).min(users);
        let mut nodes: Vec<u32> =
            index::sample(&mut rng, users, kept).iter().map(|node| node as u32).collect();
        // Sorted, because induced subgraphs number nodes in this order.
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
        // Seeds of different graphs and runs do not meet.
        let seed = seed.wrapping_mul(1 << 20).wrapping_add(at as u64);
        model.generate(seed).map(|made| made.graph().clone())
    };
    let graphs = (0..count).map(graph).collect::<Result<_, _>>()?;
    // Classes say nothing: only the time is measured.
    let classes: Vec<Option<i64>> = (0..count).map(|at| Some((at % 2) as i64)).collect();
    Ok(GraphSet::new("barabasi-albert", graphs).with_labels(Labels::from_integers(&classes)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_lab::experiments::dprr::made_up::threads;

    /// Half of ten users and the edges among them; all of them are all.
    #[test]
    fn a_share_of_the_users_is_sampled() {
        let set = threads(3, 10..11, 1).unwrap();
        let half = sampled(&set, 0.5, 1).unwrap();
        assert!(half.graphs().iter().all(|graph| graph.node_count() == 5));
        assert_eq!(half.labels(), set.labels());
        assert_eq!(sampled(&set, 1.0, 1).unwrap().graphs(), set.graphs());
        assert_ne!(half.graphs(), sampled(&set, 0.5, 2).unwrap().graphs(), "another seed");
    }

    #[test]
    fn generated_graphs_have_the_size_that_was_asked_for() {
        let set = generated(4, 30, 3, 1).unwrap();
        assert_eq!((set.len(), set.node_count()), (4, 120));
        assert_ne!(set.graphs()[0], set.graphs()[1]);
        let labels = set.labels().unwrap();
        assert_eq!((labels.class(0), labels.class(3)), (Some(0), Some(1)));
        assert_eq!(generated(4, 30, 3, 1).unwrap().graphs(), set.graphs());
    }

    /// One place for every curve, size and seed; each has a key of its own.
    #[test]
    fn places_differ_in_curve_size_and_seed() {
        let item = Item::find("dprr/fig9").unwrap();
        let wanted = MeasureRequest { runs: 2, ..item.wanted(true) };
        let timed =
            Timed { graphs: Graphs::Generated, title: item.title, wanted: &wanted, sets: &[] };
        let places = timed.places();
        assert_eq!(places.len(), 2 * 3 * 3 * 2);
        let keys: std::collections::BTreeSet<Key> =
            places.iter().map(|place| place.key(&wanted)).collect();
        assert_eq!(keys.len(), places.len());
        let found = vec![Seconds { collecting: 1.0, learning: 3.0, length: 2.0 }; places.len()];
        let report = timed.report(&places, &found);
        let text = report.markdown();
        assert!(report.title.starts_with("DPRR, figure 9: Seconds against"), "{}", report.title);
        assert!(text.contains("| dprr, m 3 | 100 | 1 | 3 | 2 |"), "{text}");
        assert_eq!(report.plots()[0].1.series.len(), 6, "a curve for each method and density");
    }
}
