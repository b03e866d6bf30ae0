//! GIN text: graph sets as integers, as the GIN and DPRR code read them.
//!
//! Line 1 is the number of graphs. Each graph is a line `n label` and n lines, one per node
//! 0..n-1: `tag d v1 ... vd` and then, in some files, real attributes. An undirected edge stands at
//! both its ends. Archives may also hold `10fold_idx/{train,test}_idx-K.txt`, the publisher's folds.

mod folds;
mod parse;
mod write;

pub use write::write;

use super::choose::{self, Candidate};
use super::graph_lists::{self, Listing};
use super::{Bundle, Input, Lines, ReadOptions};
use crate::{DenseMatrix, Features, GraphSet, Labels, LoadedData, Result, SourceLocation};
use parse::{Missing, Parser, RawGraph};

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    texts(bundle).into_iter().any(|member| looks_right(bundle, member))
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are, or hold several sets of which
/// [`ReadOptions::member`] names none. An edge listed at one end only is an error unless
/// [`ReadOptions::direction`] says that the graphs are directed.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let Candidate { name, member } = choose_text(bundle, options)?;
    let mut parser = Parser::new(Lines::new(bundle.open(member)?, bundle.limits()));
    parser.parse()?;
    let set = assemble(name, parser, &bundle.member_place(member), options)?;
    let splits = folds::read(bundle, choose::folder(member), set.len())?;
    Ok(LoadedData::Graphs(set.with_splits(splits)?))
}

/// The members that could be a set of graphs by their names.
fn texts(bundle: &Bundle) -> Vec<&str> {
    if let Some(file) = choose::single_file(bundle) {
        return vec![file];
    }
    let mut texts = choose::ending_with(bundle, ".txt");
    texts.retain(|member| !choose::folder(member).ends_with(folds::FOLDER));
    texts
}

fn choose_text<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Result<Candidate<'a>> {
    let mut members = texts(bundle);
    // A single one, or several of which none looks right: parsing says best what is wrong.
    if members.len() > 1 {
        let right: Vec<_> = members.iter().copied().filter(|m| looks_right(bundle, m)).collect();
        members = if right.is_empty() { members } else { right };
    }
    let candidate = |member| {
        let base = choose::base_name(choose::uncompressed(member));
        let name = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        Candidate { name: name.into(), member }
    };
    let candidates = members.into_iter().map(candidate).collect();
    choose::one_of(bundle, options, candidates, "a member named NAME.txt")
}

/// Whether the parser has nothing against the first few thousand bytes but that they end. A node
/// must be among them, or a line too long for them where one is due: a count and then pairs could
/// be an edge list too.
fn looks_right(bundle: &Bundle, member: &str) -> bool {
    let Ok(mut head) = bundle.head(member) else { return false };
    let whole_lines = head.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let is_cut = whole_lines < head.len();
    head.truncate(whole_lines);
    let input = Input::new(bundle.member_place(member), std::io::Cursor::new(head));
    let mut parser = Parser::new(Lines::new(input, bundle.limits()));
    let parsed = parser.parse();
    let has_node = parser.graphs.iter().any(|graph| graph.list.node_count > 0);
    match parser.missing {
        None => parsed.is_ok() && !parser.graphs.is_empty(),
        Some(Missing::Graph) => has_node,
        Some(Missing::Node) => has_node || is_cut,
    }
}

fn assemble(
    name: String,
    parser: Parser,
    place: &SourceLocation,
    options: &ReadOptions,
) -> Result<GraphSet> {
    let width = parser.width.unwrap_or(0);
    let (mut lists, mut lines, mut labels) = (Vec::new(), Vec::new(), Vec::new());
    let (mut tags, mut attributes) = (Vec::new(), Vec::new());
    for RawGraph { first_line, label, list, tags: node_tags, attributes: values } in parser.graphs {
        if width > 0 {
            let matrix = DenseMatrix::new(list.node_count, width, values)?;
            attributes.push(Features::dense(matrix));
        }
        lists.push(list);
        lines.push(first_line);
        labels.push(Some(label));
        tags.push(node_tags);
    }
    let built = graph_lists::build_all(lists, Listing::BothEnds, options)?;
    for (graph, first_line) in built.iter().zip(lines) {
        if let Some(&(from, to)) = graph.one_sided.first() {
            let found = format!("neighbour {to} of node {from}, which {to} does not list");
            let expected = "every edge at both ends (or graphs declared directed)";
            return Err(place.line(first_line + u64::from(from)).malformed(found, expected));
        }
    }
    let (graphs, notices) = graph_lists::with_notices(built, place);
    let set = GraphSet::new(name, graphs)
        .with_labels(Labels::from_integers(&labels)?)?
        .with_node_tags(tags)?
        .with_notices(notices);
    if width > 0 { set.with_node_attributes(attributes) } else { Ok(set) }
}

#[cfg(test)]
mod tests;
