//! Writing GIN text.

use std::io::Write;

use crate::{Error, GraphSet, Labels, NodeId, Result, SourceLocation};

/// Writes a set so that [`super::read`] gives back its graphs, classes, tags and attributes.
///
/// The class of a graph is written as its name if all names are plain integers, and else as its
/// number; names, ids, splits, and the bounds and names of attributes have no place in the format.
/// A set without tags gets tag 0 throughout. Directed graphs and self-loops are written as they
/// are; to read them back, say so in [`crate::formats::ReadOptions`].
///
/// ```
/// use privet_data::formats::gin_text;
/// use privet_graph::{Direction, GraphBuilder, GraphSet, Labels};
/// let (edge, _) = GraphBuilder::new(2, Direction::Undirected).edges([(0, 1)]).build()?;
/// let set = GraphSet::new("demo", vec![edge]).with_labels(Labels::from_integers(&[Some(-1)])?)?;
/// let mut text = Vec::new();
/// gin_text::write(&set, &mut text)?;
/// assert_eq!(text, b"1\n2 -1\n0 1 1\n0 1 0\n");
/// # Ok::<(), privet_graph::Error>(())
/// ```
///
/// # Errors
/// If a graph has no class or several, graphs differ in their number of attributes, or writing
/// fails.
pub fn write(set: &GraphSet, out: &mut impl Write) -> Result<()> {
    let place = SourceLocation::file(set.name());
    let labels = label_texts(set)?;
    check_attributes(set)?;
    let mut text = format!("{}\n", set.len()).into_bytes();
    for (graph, label) in labels.iter().enumerate() {
        // Writing to memory cannot fail, but the result says it could.
        write_graph(set, graph, label, &mut text).map_err(|error| place.io(error))?;
        out.write_all(&text).map_err(|error| place.io(error))?;
        text.clear();
    }
    out.write_all(&text).and_then(|()| out.flush()).map_err(|error| place.io(error))
}

fn write_graph(set: &GraphSet, at: usize, label: &str, text: &mut Vec<u8>) -> std::io::Result<()> {
    let graph = &set.graphs()[at];
    let tags = set.node_tags().map(|tags| &tags[at]);
    let attributes = set.node_attributes().map(|attributes| &attributes[at]);
    writeln!(text, "{} {label}", graph.node_count())?;
    let mut row = Vec::new();
    for node in graph.nodes() {
        let tag = tags.map_or(0, |tags| tags[node as usize]);
        write!(text, "{tag} {}", graph.degree(node))?;
        for neighbor in graph.neighbors(node) {
            write!(text, " {neighbor}")?;
        }
        if let Some(attributes) = attributes {
            row.clear();
            row.resize(attributes.columns(), 0.0);
            for (column, value) in attributes.nonzero_entries(node as usize) {
                row[column as usize] = value;
            }
            // The shortest decimal that reads back as the same f32.
            row.iter().try_for_each(|value| write!(text, " {value}"))?;
        }
        text.push(b'\n');
    }
    Ok(())
}

/// What to write as the class of each graph.
fn label_texts(set: &GraphSet) -> Result<Vec<String>> {
    let needed = "one class for every graph (GIN text cannot leave it out)";
    let labels = set.labels().ok_or_else(|| Error::invalid("labels", "absent", needed))?;
    let named_by_integers = labels.class_names().iter().all(|name| is_plain_integer(name));
    let text = |graph: NodeId| match labels.class(graph) {
        Some(class) if named_by_integers => Ok(class_name(labels, class)),
        Some(class) => Ok(class.to_string()),
        None => {
            let found = format!("{} classes", labels.classes(graph).len());
            Err(Error::invalid(format!("label of graph {graph}"), found, needed))
        }
    };
    (0..set.len() as NodeId).map(text).collect()
}

fn class_name(labels: &Labels, class: u32) -> String {
    labels.class_names()[class as usize].clone()
}

/// Whether printing the integer gives the name back, so that different names stay different.
fn is_plain_integer(name: &str) -> bool {
    name.parse().is_ok_and(|number: i64| number.to_string() == name)
}

fn check_attributes(set: &GraphSet) -> Result<()> {
    let mut widths = set.node_attributes().unwrap_or_default().iter().map(|f| f.columns());
    let Some(first) = widths.next() else { return Ok(()) };
    match widths.position(|width| width != first) {
        None => Ok(()),
        Some(at) => {
            let what = format!("number of attributes in graph {}", at + 1);
            let found = "another than in graph 0";
            Err(Error::invalid(what, found, format!("{first}")))
        }
    }
}
