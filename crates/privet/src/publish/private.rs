//! Which edges are private, and who may have private edges, in the users' own ids.

use std::path::Path;

use crate::data::formats::{self, ReadOptions};
use crate::graph::files::{LIST_BYTES, read_text};
use crate::graph::{Dataset, Direction, NodeId, SourceLocation};
use crate::privacy::edges::comparison::hrg::PrivateNodes;
use crate::{Error, Result};

/// The private edges of a dataset, as a file of edges lists them.
///
/// # Errors
/// If the file cannot be read, or lists an unknown person or edge.
pub fn listed_edges(path: &Path, dataset: &Dataset) -> Result<Vec<(NodeId, NodeId)>> {
    let options = ReadOptions { direction: Some(Direction::Undirected), ..ReadOptions::default() };
    let listed = formats::read(path, &options)?.into_nodes()?;
    let index = dataset.ids().index();
    let here = |node: NodeId| {
        let id = listed.ids().get(node).to_string();
        index.named(&id).ok_or_else(|| unknown(path, &id, "a node of the graph"))
    };
    let mut edges = Vec::new();
    for (u, v) in listed.graph().edges() {
        let (u, v) = (here(u)?, here(v)?);
        if !dataset.graph().has_edge(u, v) && !dataset.graph().has_edge(v, u) {
            let ids = dataset.ids();
            let pair = format!("{} - {}", ids.get(u), ids.get(v));
            return Err(unknown(path, &pair, "an edge of the graph"));
        }
        edges.push((u, v));
    }
    Ok(edges)
}

/// The nodes that may have private edges, as a file lists them, an id a line.
///
/// # Errors
/// If the file cannot be read, or lists an unknown person.
pub fn listed_nodes(path: &Path, dataset: &Dataset) -> Result<PrivateNodes> {
    let text = read_text(path, LIST_BYTES)?;
    let index = dataset.ids().index();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let node = |id: &str| index.named(id).ok_or_else(|| unknown(path, id, "a node of the graph"));
    Ok(PrivateNodes::Only(lines.map(node).collect::<Result<_>>()?))
}

fn unknown(path: &Path, found: &str, expected: &str) -> Error {
    let place = SourceLocation::file(path.display().to_string());
    place.malformed(format!("'{found}'"), format!("{expected}, by its ids")).into()
}
