//! What a card says of the parts of a dataset that were not randomised, now or before.

use crate::Protected;
use crate::graph::Dataset;
use crate::privacy::card::UnprotectedPart;
use crate::privacy::unit::DataPart;
use crate::words::{count, counted};

/// What is published as it is, whatever part was randomised.
pub(super) fn always<T>(released: Protected<T>, dataset: &Dataset) -> Protected<T> {
    let nodes = count(dataset.graph().node_count() as u64);
    let released =
        released.with_unprotected(format!("the ids of all nodes, and that there are {nodes}"));
    match dataset.split() {
        Some(_) => {
            released.with_unprotected("which nodes are for training, validation and testing")
        }
        None => released,
    }
}

pub(super) fn edges<T>(released: Protected<T>, dataset: &Dataset) -> Protected<T> {
    let size = (dataset.graph().edge_count(), "edge", "edges");
    // Nothing is shown of connections that are not there.
    shown(
        released,
        DataPart::Edges,
        "who is connected to whom",
        Some(size).filter(|size| size.0 > 0),
    )
}

pub(super) fn features<T>(released: Protected<T>, dataset: &Dataset) -> Protected<T> {
    let columns = dataset.features().map(|features| (features.columns(), "column", "columns"));
    shown(released, DataPart::Features, "the features of every node", columns)
}

pub(super) fn labels<T>(released: Protected<T>, dataset: &Dataset) -> Protected<T> {
    let classes = dataset.labels().map(|labels| (labels.class_count(), "class", "classes"));
    shown(released, DataPart::Labels, "the labels of every node", classes)
}

/// People who chose to give away what the others have protected.
pub(super) fn published<T>(released: Protected<T>, people: usize, what: &str) -> Protected<T> {
    match people {
        0 => released,
        _ => {
            let people = counted(people, "person", "people");
            released.with_unprotected(format!("the {what} of {people} who chose to publish it"))
        }
    }
}

/// Adds a part that lies open, unless the card protects it.
fn shown<T>(
    released: Protected<T>,
    part: DataPart,
    what: &str,
    size: Option<(usize, &str, &str)>,
) -> Protected<T> {
    match size {
        Some((size, one, many)) if !released.card().protects(part) => {
            let what = format!("{what}: {}", counted(size, one, many));
            released.with_unprotected(UnprotectedPart::part(part, what))
        }
        _ => released,
    }
}
