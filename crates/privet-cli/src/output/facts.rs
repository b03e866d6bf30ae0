//! [`DataFacts`]: what can be said about data, computed once, then printed for people or programs.
//!
//! The field names are the keys of the JSON, so they are kept stable.

use std::io::{self, Write};

use privet::graph::components::connected_components;
use privet::graph::degree::{self, DegreeBin, DegreeStatistics};
use privet::graph::homophily::edge_homophily;
use privet::graph::{
    Bounds, BoundsOrigin, Dataset, Direction, FeatureMatrix, Features, Graph, GraphSet, Labels,
    LoadedData, Split,
};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{FAINT, STRONG, count, counted, percent, printable, real, shortened};
use crate::output::table::{Align, TextCell, TextTable, histogram};

/// The facts of whatever was loaded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DataFacts {
    /// One graph.
    Graph(GraphFacts),
    /// Many graphs.
    GraphSet(GraphSetFacts),
}

/// The facts of one graph and its nodes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphFacts {
    /// What it is called.
    pub name: String,
    /// Where it came from and in which format.
    pub origin: Origin,
    /// Directed or undirected.
    pub direction: Direction,
    /// Number of nodes.
    pub nodes: usize,
    /// Number of edges (arcs, if directed).
    pub edges: usize,
    /// Self-loops among them.
    pub self_loops: usize,
    /// What the users' ids look like.
    pub ids: IdKind,
    /// Degrees (out-degrees, if directed).
    pub degrees: DegreeSummary,
    /// Connected components, arcs taken both ways.
    pub components: ComponentFacts,
    /// Node features.
    pub features: Option<FeatureFacts>,
    /// Node labels.
    pub labels: Option<LabelFacts>,
    /// Share of edges that join equal classes.
    pub homophily: Option<f64>,
    /// The split that comes with it.
    pub split: Option<SplitFacts>,
    /// What the reader wants known.
    pub notices: Vec<String>,
}

/// The facts of many graphs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraphSetFacts {
    /// What it is called.
    pub name: String,
    /// Where it came from and in which format.
    pub origin: Origin,
    /// Number of graphs.
    pub graphs: usize,
    /// Nodes of all graphs together.
    pub nodes: usize,
    /// Edges of all graphs together.
    pub edges: usize,
    /// Nodes per graph.
    pub graph_nodes: RangeSummary,
    /// Edges per graph.
    pub graph_edges: RangeSummary,
    /// Graphs by number of nodes, in bins that double.
    pub size_histogram: Vec<SizeBin>,
    /// Classes of the graphs.
    pub labels: Option<LabelFacts>,
    /// Distinct node tags.
    pub node_tags: Option<usize>,
    /// Columns of the node attributes.
    pub node_attributes: Option<usize>,
    /// How many splits come with it.
    pub splits: usize,
    /// What the reader wants known.
    pub notices: Vec<String>,
}

/// Where data came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
pub struct Origin {
    /// The catalog's name for it, if it is a benchmark.
    pub benchmark: Option<String>,
    /// The path it was read from, if it was read.
    pub path: Option<String>,
    /// The format it was read in.
    pub format: Option<String>,
    /// The generator that made it, if it was made.
    pub generator: Option<String>,
    /// The generator's seed.
    pub seed: Option<u64>,
}

/// What ids look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IdKind {
    /// `0..n`.
    Sequential,
    /// Integers.
    Integers,
    /// Anything.
    Text,
}

/// Degrees at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DegreeSummary {
    /// Smallest, median, mean, largest, and nodes of degree 0.
    #[serde(flatten)]
    pub statistics: DegreeStatistics,
    /// Nodes by degree, in bins that double.
    pub histogram: Vec<DegreeBin>,
}

/// Connected components at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ComponentFacts {
    /// How many.
    pub count: usize,
    /// Nodes of the largest.
    pub largest: usize,
}

/// A feature matrix at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FeatureFacts {
    /// Number of columns.
    pub columns: usize,
    /// Stored dense or sparse.
    pub storage: &'static str,
    /// Values other than zero.
    pub nonzeros: usize,
    /// Their share of all values.
    pub density: f64,
    /// Smallest value anywhere, measured.
    pub smallest: Option<f32>,
    /// Largest value anywhere, measured.
    pub largest: Option<f32>,
    /// The declared public range, if one is declared.
    pub bounds: Option<BoundsFacts>,
}

/// A declared range at a glance.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BoundsFacts {
    /// Lowest bound of any column.
    pub low: f32,
    /// Highest bound of any column.
    pub high: f32,
    /// Whether columns have ranges of their own.
    pub per_column: bool,
    /// Who says so.
    pub origin: BoundsOrigin,
    /// Whether it is known without looking at any person's record.
    pub public: bool,
}

/// Labels at a glance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LabelFacts {
    /// Whether an item may have several classes.
    pub multi_label: bool,
    /// Items without any class.
    pub unlabelled: usize,
    /// The classes by number.
    pub classes: Vec<ClassFacts>,
}

/// A class and its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassFacts {
    /// Its name.
    pub name: String,
    /// How many items have it.
    pub size: usize,
}

/// The sizes of a split.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SplitFacts {
    /// Items to train on.
    pub train: usize,
    /// Items to validate on.
    pub validation: usize,
    /// Items to test on.
    pub test: usize,
}

/// Smallest, mean and largest of something.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RangeSummary {
    /// Smallest.
    pub min: usize,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: usize,
}

/// How many graphs have a number of nodes in a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct SizeBin {
    /// Fewest nodes.
    pub from: usize,
    /// Most nodes.
    pub to: usize,
    /// How many graphs.
    pub graphs: usize,
}

// From data to `DataFacts`: everything is looked at once.

impl DataFacts {
    /// Looks at everything once.
    pub fn of(loaded: &LoadedData, origin: Origin) -> Self {
        match loaded {
            LoadedData::Nodes(dataset) => Self::Graph(GraphFacts::of(dataset, origin)),
            LoadedData::Graphs(set) => Self::GraphSet(GraphSetFacts::of(set, origin)),
        }
    }
}

impl GraphFacts {
    /// The facts of one graph.
    pub fn of(dataset: &Dataset, origin: Origin) -> Self {
        let graph = dataset.graph();
        let components = connected_components(graph);
        Self {
            name: dataset.name().into(),
            origin,
            direction: graph.direction(),
            nodes: graph.node_count(),
            edges: graph.edge_count(),
            self_loops: graph.self_loop_count(),
            // The most special kind first: 0..n-1 are integers, too.
            ids: match dataset.ids() {
                ids if ids.is_sequential() => IdKind::Sequential,
                ids if ids.are_integers() => IdKind::Integers,
                _ => IdKind::Text,
            },
            degrees: DegreeSummary {
                statistics: DegreeStatistics::of(graph),
                histogram: degree::histogram(graph),
            },
            components: ComponentFacts {
                count: components.count(),
                largest: components.sizes().first().copied().unwrap_or(0),
            },
            features: dataset.features().map(FeatureFacts::of),
            labels: dataset.labels().map(LabelFacts::of),
            homophily: dataset.labels().and_then(|labels| edge_homophily(graph, labels)),
            split: dataset.split().map(SplitFacts::of),
            notices: dataset.notices().iter().map(ToString::to_string).collect(),
        }
    }
}

impl GraphSetFacts {
    fn of(set: &GraphSet, origin: Origin) -> Self {
        let tags = |tags: &[Vec<u32>]| {
            let mut distinct: Vec<u32> = tags.iter().flatten().copied().collect();
            distinct.sort_unstable();
            distinct.dedup();
            distinct.len()
        };
        let columns = |rows: &[Features]| rows.iter().map(Features::columns).max().unwrap_or(0);
        // Distinct tags over all graphs.
        Self {
            name: set.name().into(),
            origin,
            graphs: set.len(),
            nodes: set.node_count(),
            edges: set.edge_count(),
            graph_nodes: RangeSummary::of(set.graphs().iter().map(Graph::node_count)),
            graph_edges: RangeSummary::of(set.graphs().iter().map(Graph::edge_count)),
            size_histogram: size_histogram(set.graphs()),
            labels: set.labels().map(LabelFacts::of),
            node_tags: set.node_tags().map(tags),
            node_attributes: set.node_attributes().map(columns),
            splits: set.splits().len(),
            notices: set.notices().iter().map(ToString::to_string).collect(),
        }
    }
}

impl FeatureFacts {
    fn of(features: &Features) -> Self {
        let nonzeros = features.nonzeros();
        let range = features.measured_range();
        let cells = features.rows() as f64 * features.columns() as f64;
        Self {
            columns: features.columns(),
            storage: match features.matrix() {
                FeatureMatrix::Dense(_) => "dense",
                FeatureMatrix::Sparse(_) => "sparse",
            },
            nonzeros,
            density: if cells > 0.0 { nonzeros as f64 / cells } else { 0.0 },
            smallest: range.map(|(low, _)| low),
            largest: range.map(|(_, high)| high),
            bounds: features.bounds().map(|bounds| BoundsFacts::of(bounds, features.columns())),
        }
    }
}

impl BoundsFacts {
    fn of(bounds: &Bounds, columns: usize) -> Self {
        let ranges = (0..columns.max(1)).map(|column| match bounds.column_count() {
            // Declared columns without a matrix: no range to show.
            Some(_) if columns == 0 => (0.0, 0.0),
            _ => bounds.column(column),
        });
        let widen = |(a, b): (f32, f32), (low, high): (f32, f32)| (a.min(low), b.max(high));
        let (low, high) = ranges.reduce(widen).unwrap_or_default();
        let per_column = bounds.column_count().is_some();
        let (origin, public) = (bounds.origin().clone(), bounds.is_public());
        Self { low, high, per_column, origin, public }
    }
}

impl LabelFacts {
    fn of(labels: &Labels) -> Self {
        let named = labels.class_names().iter().zip(labels.class_sizes());
        Self {
            multi_label: labels.is_multi(),
            unlabelled: labels.unlabelled_count(),
            classes: named.map(|(name, size)| ClassFacts { name: name.clone(), size }).collect(),
        }
    }
}

impl SplitFacts {
    fn of(split: &Split) -> Self {
        Self {
            train: split.train.len(),
            validation: split.validation.len(),
            test: split.test.len(),
        }
    }
}

impl RangeSummary {
    fn of(values: impl ExactSizeIterator<Item = usize> + Clone) -> Self {
        let (count, total) = (values.len(), values.clone().sum::<usize>());
        Self {
            min: values.clone().min().unwrap_or(0),
            mean: if count > 0 { total as f64 / count as f64 } else { 0.0 },
            max: values.max().unwrap_or(0),
        }
    }
}

/// Graphs by number of nodes, in bins `1`, `2..3`, `4..7`, ... from the first that is not empty.
fn size_histogram(graphs: &[Graph]) -> Vec<SizeBin> {
    // Bins of powers of two, by the number of bits.
    let bin_of = |graph: &Graph| (usize::BITS - graph.node_count().leading_zeros()) as usize;
    let first = graphs.iter().map(bin_of).min().unwrap_or(0);
    let mut bins: Vec<SizeBin> = Vec::new();
    for graph in graphs {
        let at = bin_of(graph) - first;
        while bins.len() <= at {
            let bits = first + bins.len();
            // The smallest bin holds empty graphs, and 2^-1 is no size.
            let (from, to) = if bits == 0 { (0, 0) } else { (1 << (bits - 1), (1 << bits) - 1) };
            bins.push(SizeBin { from, to, graphs: 0 });
        }
        bins[at].graphs += 1;
    }
    bins
}

// `DataFacts` for people: a headline, a few lines of facts, a histogram.

/// How many classes are listed by name and size before the rest is summed up.
const CLASSES_SHOWN: usize = 12;

impl Answer for DataFacts {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Graph(facts) => facts.write_text(out),
            Self::GraphSet(facts) => facts.write_text(out),
        }
    }
}

impl GraphFacts {
    /// Writes the whole card.
    pub fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let kind = match self.direction {
            Direction::Undirected => "undirected graph",
            Direction::Directed => "directed graph",
        };
        headline(out, &self.name, kind, &self.origin)?;
        writeln!(out)?;
        facts_table(self.lines()).write(out, 2)?;
        let bins = self.degrees.histogram.iter();
        let bins: Vec<_> = bins.map(|bin| (range(bin.from, bin.to), bin.nodes as u64)).collect();
        write_histogram(out, "nodes by degree", &bins)
    }

    /// The facts, line by line: a name and what is to be said.
    fn lines(&self) -> Vec<(&'static str, String)> {
        let degrees = &self.degrees.statistics;
        let loops = match self.self_loops {
            0 => String::new(),
            loops => format!(", {} of them self-loops", count(loops as u64)),
        };
        let isolated = match degrees.isolated {
            0 => String::new(),
            isolated => format!(", {} of degree 0", count(isolated as u64)),
        };
        let ids = match self.ids {
            IdKind::Sequential => "",
            IdKind::Integers => ", with integer ids",
            IdKind::Text => ", with text ids",
        };
        let edges = if self.direction == Direction::Directed { "arcs" } else { "edges" };
        let mut lines = vec![
            ("nodes", count(self.nodes as u64) + ids),
            (edges, count(self.edges as u64) + &loops),
            (
                "degrees",
                format!(
                    "{} to {}, median {}, mean {}{isolated}",
                    count(degrees.min as u64),
                    count(degrees.max as u64),
                    count(degrees.median as u64),
                    real(degrees.mean)
                ),
            ),
            ("components", self.components_line()),
            ("features", self.features.as_ref().map_or("none".into(), FeatureFacts::line)),
        ];
        if let Some(features) = &self.features {
            let bounds = features.bounds.as_ref().map(BoundsFacts::line);
            lines.push(("bounds", bounds.unwrap_or_else(|| "none declared".into())));
        }
        lines.push(("labels", self.labels.as_ref().map_or("none".into(), LabelFacts::line)));
        if let Some(homophily) = self.homophily {
            let text = format!("{} of edges join equal classes", percent(homophily));
            lines.push(("homophily", text));
        }
        if let Some(split) = &self.split {
            let [train, validation, test] =
                [split.train, split.validation, split.test].map(|n| count(n as u64));
            lines.push(("split", format!("{train} train, {validation} validation, {test} test")));
        }
        lines
    }

    fn components_line(&self) -> String {
        let ComponentFacts { count: components, largest } = self.components;
        if components <= 1 {
            return count(components as u64);
        }
        let share = percent(largest as f64 / self.nodes.max(1) as f64);
        format!(
            "{}, the largest of {} ({share})",
            count(components as u64),
            counted(largest, "node", "nodes")
        )
    }
}

impl GraphSetFacts {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        headline(out, &self.name, "set of graphs", &self.origin)?;
        writeln!(out)?;
        let total = |total: usize, each: &RangeSummary| {
            let (min, max) = (count(each.min as u64), count(each.max as u64));
            format!(
                "{} in all, {min} to {max} a graph, mean {}",
                count(total as u64),
                real(each.mean)
            )
        };
        let mut lines = vec![
            ("graphs", count(self.graphs as u64)),
            ("nodes", total(self.nodes, &self.graph_nodes)),
            ("edges", total(self.edges, &self.graph_edges)),
            ("labels", self.labels.as_ref().map_or("none".into(), LabelFacts::line)),
        ];
        if let Some(tags) = self.node_tags {
            lines.push(("node tags", counted(tags, "distinct value", "distinct values")));
        }
        if let Some(columns) = self.node_attributes {
            lines.push(("attributes", counted(columns, "column", "columns") + " a node"));
        }
        if self.splits > 0 {
            lines.push(("splits", count(self.splits as u64)));
        }
        facts_table(lines).write(out, 2)?;
        let bins = self.size_histogram.iter();
        let bins: Vec<_> = bins.map(|bin| (range(bin.from, bin.to), bin.graphs as u64)).collect();
        write_histogram(out, "graphs by number of nodes", &bins)
    }
}

impl FeatureFacts {
    fn line(&self) -> String {
        let mut line = counted(self.columns, "column", "columns");
        line += &format!(", {}, {} not zero", self.storage, percent(self.density));
        if let (Some(low), Some(high)) = (self.smallest, self.largest) {
            line += &format!(", values {} to {}", real(low.into()), real(high.into()));
        }
        line
    }
}

impl BoundsFacts {
    fn line(&self) -> String {
        let columns = if self.per_column { ", a range for each column" } else { "" };
        let origin = match self.origin {
            BoundsOrigin::Declared => "declared",
            BoundsOrigin::Format => "they follow from the format",
            BoundsOrigin::MeasuredFromData => "measured from the records, so not public",
        };
        format!("{} to {}{columns} ({origin})", real(self.low.into()), real(self.high.into()))
    }
}

impl LabelFacts {
    fn line(&self) -> String {
        let classes = counted(self.classes.len(), "class", "classes");
        let several = if self.multi_label { ", several for each item" } else { "" };
        let class = |class: &ClassFacts| {
            format!("{} ({})", shortened(&printable(&class.name), 40), count(class.size as u64))
        };
        let mut listed: Vec<String> = self.classes.iter().take(CLASSES_SHOWN).map(class).collect();
        // Long lists end after a few classes.
        if let Some(rest) = self.classes.get(CLASSES_SHOWN..).filter(|rest| !rest.is_empty()) {
            listed.push(format!("and {} more", rest.len()));
        }
        if self.unlabelled > 0 {
            listed.push(format!("unlabelled ({})", count(self.unlabelled as u64)));
        }
        format!("{classes}{several}: {}", listed.join(", "))
    }
}

fn headline(out: &mut dyn Write, name: &str, kind: &str, origin: &Origin) -> io::Result<()> {
    let mut about = vec![kind.to_owned()];
    about.extend(origin.format.clone());
    about.extend(origin.path.as_deref().map(printable));
    about.extend(origin.generator.clone());
    about.extend(origin.seed.map(|seed| format!("seed {seed}")));
    let (name, about) = (printable(name), about.join(", "));
    writeln!(out, "{STRONG}{name}{STRONG:#}  {FAINT}{about}{FAINT:#}")
}

fn facts_table(lines: Vec<(&'static str, String)>) -> TextTable {
    let mut table = TextTable::new([Align::Left, Align::Left]);
    for (name, text) in lines {
        table.row([TextCell::styled(name, FAINT), TextCell::new(text)]);
    }
    table
}

fn write_histogram(out: &mut dyn Write, title: &str, bins: &[(String, u64)]) -> io::Result<()> {
    if bins.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n  {FAINT}{title}{FAINT:#}")?;
    // Isolated nodes are the exception: an empty first bar would only push the others down.
    let skip = usize::from(bins.len() > 1 && bins[0].1 == 0);
    histogram(&bins[skip..]).write(out, 2)
}

fn range(from: usize, to: usize) -> String {
    if from == to {
        count(from as u64)
    } else {
        format!("{}–{}", count(from as u64), count(to as u64))
    }
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::karate_club;

    use super::*;

    fn graphs(sizes: &[usize]) -> Vec<Graph> {
        sizes.iter().map(|&n| Graph::empty(n, Direction::Undirected).unwrap()).collect()
    }

    #[test]
    fn the_karate_club_is_as_published() {
        let facts = GraphFacts::of(&karate_club().unwrap(), Origin::default());
        assert_eq!((facts.nodes, facts.edges, facts.components.count), (34, 78, 1));
        assert_eq!((facts.degrees.statistics.max, facts.degrees.statistics.min), (17, 1));
        let sizes: Vec<usize> = facts.labels.unwrap().classes.iter().map(|c| c.size).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 34);
        assert!(facts.features.is_none() && facts.split.is_none());
    }

    #[test]
    fn sets_count_graphs_by_size() {
        let set = GraphSet::new("set", graphs(&[5, 2, 3, 9]));
        let facts = GraphSetFacts::of(&set, Origin::default());
        assert_eq!(facts.graph_nodes, RangeSummary { min: 2, mean: 4.75, max: 9 });
        let bin = |from, to, graphs| SizeBin { from, to, graphs };
        assert_eq!(facts.size_histogram, [bin(2, 3, 2), bin(4, 7, 1), bin(8, 15, 1)]);
    }

    #[test]
    fn nothing_at_all_has_facts_too() {
        let facts = GraphSetFacts::of(&GraphSet::new("none", vec![]), Origin::default());
        assert_eq!((facts.graphs, facts.size_histogram.len()), (0, 0));
        assert_eq!(facts.graph_nodes, RangeSummary { min: 0, mean: 0.0, max: 0 });
    }
}
