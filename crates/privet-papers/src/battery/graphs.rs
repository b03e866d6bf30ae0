//! The graphs of the battery: made up, over everything that is public about a graph, and benchmarks under another name.

use std::sync::OnceLock;

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Bounds, Dataset, Direction, Features, GraphBuilder};
use privet::words::count;

/// Communities by the numbers that decide them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Blocks {
    /// How many people.
    pub nodes: usize,
    /// How many classes.
    pub classes: usize,
    /// Mean degree.
    pub degree: f64,
    /// The share of edges within a class.
    pub homophily: f64,
    /// How many columns.
    pub columns: usize,
    /// Whether an edge is an arc, from either end.
    pub directed: bool,
}

const fn blocks(
    nodes: usize,
    classes: usize,
    degree: f64,
    homophily: f64,
    columns: usize,
) -> Blocks {
    Blocks { nodes, classes, degree, homophily, columns, directed: false }
}

const fn arcs(nodes: usize, classes: usize, degree: f64, homophily: f64, columns: usize) -> Blocks {
    Blocks { nodes, classes, degree, homophily, columns, directed: true }
}

/// Homophily 0.2 to 0.9, 2 to 40 classes, mean degree 2 to 60, 8 to 5,000 columns, 300 to 50,000 people.
pub const MADE_UP: &[Blocks] = &[
    blocks(300, 2, 2.0, 0.9, 8),
    blocks(300, 2, 12.0, 0.6, 32),
    blocks(300, 5, 4.0, 0.8, 16),
    blocks(600, 4, 8.0, 0.78, 64),
    arcs(600, 3, 6.0, 0.7, 24),
    blocks(800, 3, 10.0, 0.2, 30),
    blocks(1000, 4, 20.0, 0.3, 256),
    arcs(1000, 10, 6.0, 0.7, 100),
    blocks(1200, 40, 2.5, 0.9, 80),
    blocks(2000, 2, 60.0, 0.55, 20),
    blocks(2500, 7, 4.0, 0.8, 1433),
    blocks(2500, 5, 2.0, 0.5, 500),
    arcs(3000, 6, 30.0, 0.4, 12),
    blocks(3000, 3, 5.0, 0.9, 5000),
    blocks(4000, 40, 6.0, 0.6, 128),
    blocks(5000, 4, 15.0, 0.25, 64),
    arcs(5000, 8, 3.0, 0.85, 2000),
    blocks(8000, 10, 40.0, 0.5, 300),
    blocks(10_000, 20, 10.0, 0.7, 50),
    arcs(10_000, 2, 6.0, 0.8, 8),
    blocks(20_000, 5, 25.0, 0.35, 256),
    blocks(25_000, 40, 60.0, 0.3, 100),
    blocks(50_000, 4, 8.0, 0.8, 32),
];

impl Blocks {
    /// Made of its own numbers, so that the same graph comes every time.
    fn generate(&self) -> privet::Result<Dataset> {
        let made = StochasticBlocks {
            nodes: self.nodes,
            classes: self.classes,
            mean_degree: self.degree,
            homophily: self.homophily,
            features: self.columns,
            ..StochasticBlocks::default()
        };
        let dataset = made.generate(SEED)?;
        if !self.directed {
            return Ok(dataset);
        }
        let mut graph = GraphBuilder::new(self.nodes, Direction::Directed);
        // Either end may be the one that names the other.
        for (one, other) in dataset.graph().edges() {
            let (from, to) = if (one ^ other) % 2 == 0 { (one, other) } else { (other, one) };
            graph.push(from, to);
        }
        Ok(dataset.with_graph(graph.build()?.0)?)
    }
}

/// Every graph is drawn by it.
pub const SEED: u64 = 21;

/// A graph of the battery, made when it is first needed.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    source: Source<'a>,
    made: OnceLock<Dataset>,
}

#[derive(Debug, Clone)]
enum Source<'a> {
    MadeUp(&'a Blocks),
    Renamed(&'a str, &'a Dataset),
}

impl<'a> Place<'a> {
    /// One of people who do not exist.
    pub fn made_up(blocks: &'a Blocks) -> Self {
        Self { source: Source::MadeUp(blocks), made: OnceLock::new() }
    }

    /// A benchmark that nobody is to recognise: settings follow from its size alone.
    pub fn renamed((name, dataset): &'a (String, Dataset)) -> Self {
        Self { source: Source::Renamed(name, dataset), made: OnceLock::new() }
    }

    /// The graph.
    ///
    /// # Errors
    /// If numbers do not fit each other.
    pub fn dataset(&self) -> privet::Result<&Dataset> {
        let blocks = match self.source {
            Source::Renamed(_, dataset) => return Ok(dataset),
            Source::MadeUp(blocks) => blocks,
        };
        if let Some(made) = self.made.get() {
            return Ok(made);
        }
        let made = blocks.generate()?;
        Ok(self.made.get_or_init(|| made))
    }

    /// Whether a range of features was declared: without one they cannot be reported.
    pub fn has_range(&self) -> bool {
        let declared = |features: &Features| features.bounds().is_some_and(Bounds::is_public);
        match self.source {
            Source::MadeUp(_) => true,
            Source::Renamed(_, dataset) => dataset.features().is_some_and(declared),
        }
    }

    /// How many people.
    pub fn people(&self) -> usize {
        match self.source {
            Source::MadeUp(blocks) => blocks.nodes,
            Source::Renamed(_, dataset) => dataset.graph().node_count(),
        }
    }

    /// Large graphs vary less from seed to seed, and cost more.
    pub fn most_runs(&self) -> u64 {
        match self.people() {
            0..2000 => 10,
            2000..8000 => 3,
            8000..15_000 => 2,
            _ => 1,
        }
    }

    /// What tells it from others.
    pub fn key(&self) -> String {
        match self.source {
            Source::MadeUp(blocks) => format!("{blocks:?}, seed {SEED}"),
            Source::Renamed(name, dataset) => format!("{name} {}", dataset.graph().edge_count()),
        }
    }

    /// What is public about it, in a line.
    pub fn facts(&self) -> String {
        let (name, classes, degree, homophily, columns) = match self.source {
            Source::MadeUp(blocks) => {
                let Blocks { classes, degree, homophily, columns, .. } = *blocks;
                let kind = if blocks.directed { "arcs" } else { "blocks" };
                (kind.to_owned(), classes, degree, homophily, columns)
            }
            Source::Renamed(name, dataset) => {
                let graph = dataset.graph();
                let degree = graph.arc_count() as f64 / graph.node_count().max(1) as f64;
                let classes = dataset.labels().map_or(0, |labels| labels.class_count());
                let columns = dataset.features().map_or(0, |features| features.columns());
                (format!("{name}, renamed"), classes, degree, homophily(dataset), columns)
            }
        };
        let (people, columns) = (count(self.people()), count(columns));
        format!(
            "{name}: {people} people, degree {degree:.1}, {classes} classes, {columns} columns, \
             homophily {homophily:.2}"
        )
    }
}

/// The share of edges whose ends have the same class.
fn homophily(dataset: &Dataset) -> f64 {
    let Some(labels) = dataset.labels() else { return 0.0 };
    let (mut same, mut all) = (0usize, 0usize);
    for (one, other) in dataset.graph().edges() {
        if let (Some(one), Some(other)) = (labels.class(one), labels.class(other)) {
            same += usize::from(one == other);
            all += 1;
        }
    }
    same as f64 / all.max(1) as f64
}
