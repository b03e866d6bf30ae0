//! [`Facts`] for people: a headline, a few lines of facts, a histogram.

use std::io::{self, Write};

use privet::graph::{BoundsOrigin, Direction};

use super::{
    BoundsFacts, Facts, FeatureFacts, GraphFacts, GraphSetFacts, IdKind, LabelFacts, Origin, Spread,
};
use crate::output::console::Answer;
use crate::output::style::{FAINT, STRONG, count, counted, percent, printable, real, shortened};
use crate::output::table::{Align, Cell, Table, histogram};

/// How many classes are listed by name and size before the rest is summed up.
const CLASSES_SHOWN: usize = 12;

impl Answer for Facts {
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
        let super::ComponentFacts { count: components, largest } = self.components;
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
        let total = |total: usize, each: &Spread| {
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
        let class = |class: &super::ClassFacts| {
            format!("{} ({})", shortened(&printable(&class.name), 40), count(class.size as u64))
        };
        let mut listed: Vec<String> = self.classes.iter().take(CLASSES_SHOWN).map(class).collect();
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

fn facts_table(lines: Vec<(&'static str, String)>) -> Table {
    let mut table = Table::new([Align::Left, Align::Left]);
    for (name, text) in lines {
        table.row([Cell::styled(name, FAINT), Cell::new(text)]);
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
