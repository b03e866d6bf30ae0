//! Which edges are private, and who may have private edges, in the users' own ids.

use std::path::Path;

use privet::data::formats::{self, ReadOptions};
use privet::graph::{Dataset, Direction, Id, NodeId, Place};
use privet::hetero_rr::PrivateEdges;
use privet::privacy::edges::hrg::PrivateNodes;

use crate::args::PrivatePart;
use crate::failure::{Failure, Result};

/// The edges that are private.
pub(super) fn edges(typed: &PrivatePart, dataset: &Dataset) -> Result<PrivateEdges> {
    if typed.all_private {
        return Ok(PrivateEdges::All);
    }
    if let Some(share) = typed.private_share {
        return Ok(PrivateEdges::Share { share, seed: typed.share_seed });
    }
    let Some(path) = &typed.private_edges else {
        return Err(Failure::usage("which edges are private is not known")
            .hint("list them with --private-edges FILE"));
    };
    let options = ReadOptions { direction: Some(Direction::Undirected), ..ReadOptions::default() };
    let listed = formats::read(path, &options)?.into_nodes()?;
    let index = dataset.ids().index();
    let here = |node: NodeId| {
        let id = listed.ids().get(node);
        index.node(id).ok_or_else(|| unknown(path, &id.to_string(), "a node of the graph"))
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
    Ok(PrivateEdges::Listed(edges))
}

/// The nodes that may have private edges.
pub(super) fn nodes(typed: &PrivatePart, dataset: &Dataset) -> Result<PrivateNodes> {
    let Some(path) = &typed.private_nodes else { return Ok(PrivateNodes::All) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::data(format!("{}: {error}", path.display())))?;
    let index = dataset.ids().index();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let node = |id: &str| {
        index.node(Id::parse(id)).ok_or_else(|| unknown(path, id, "a node of the graph"))
    };
    Ok(PrivateNodes::Only(lines.map(node).collect::<Result<_>>()?))
}

fn unknown(path: &Path, found: &str, expected: &str) -> Failure {
    let place = Place::file(path.display().to_string());
    place.malformed(format!("'{found}'"), format!("{expected}, by its ids")).into()
}
