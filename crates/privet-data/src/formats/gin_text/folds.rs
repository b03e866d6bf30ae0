//! The publisher's folds beside GIN text: `10fold_idx/{train,test}_idx-K.txt`, a graph per line.

use crate::formats::fields::{shown, unsigned};
use crate::formats::{Bundle, Lines, choose};
use crate::{FoundValue, NodeId, Result, Split};

/// Where the folds lie, beside the text.
pub(super) const FOLDER: &str = "10fold_idx/";

/// The folds 1, 2, ... of the set of `graph_count` graphs in `folder`; none if there are none.
pub(super) fn read(bundle: &Bundle, folder: &str, graph_count: usize) -> Result<Vec<Split>> {
    let mut splits = Vec::new();
    loop {
        let fold = splits.len() + 1;
        let name = |part| format!("{folder}{FOLDER}{part}_idx-{fold}.txt");
        let find = |part| choose::named(bundle, &name(part));
        let (train, test) = match (find("train"), find("test")) {
            (None, None) => return Ok(splits),
            (Some(train), Some(test)) => (train, test),
            (train, _) => {
                let (found, missing) =
                    if train.is_some() { ("train", "test") } else { ("test", "train") };
                let found = FoundValue::words(format!("{} alone", name(found)));
                return Err(bundle.place().malformed(found, format!("{} too", name(missing))));
            }
        };
        let split = Split {
            train: read_graphs(bundle, train, graph_count)?,
            validation: Vec::new(),
            test: read_graphs(bundle, test, graph_count)?,
        };
        if let Err(error) = split.check(graph_count) {
            let found = format!("fold {fold} in which {error:#}");
            return Err(bundle.place().malformed(found, "folds that name a graph at most once"));
        }
        splits.push(split);
    }
}

fn read_graphs(bundle: &Bundle, member: &str, graph_count: usize) -> Result<Vec<NodeId>> {
    let mut lines = Lines::new(bundle.open(member)?, bundle.limits());
    let place = lines.place().clone();
    let mut graphs = Vec::new();
    while let Some((number, line)) = lines.next_line()? {
        match unsigned(line.trim_ascii()) {
            Some(graph) if graph < graph_count as u64 => graphs.push(graph as NodeId),
            None if line.trim_ascii().is_empty() => {}
            _ => {
                let expected = format!("a graph number below {graph_count}");
                return Err(place.line(number).malformed(shown(line), expected));
            }
        }
    }
    graphs.sort_unstable();
    Ok(graphs)
}
