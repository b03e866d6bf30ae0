//! What a card says of the parts of a dataset that were not randomised, now or before.

use privet::graph::Dataset;
use privet::privacy::Card;
use privet::privacy::card::Unprotected;
use privet::privacy::unit::Part;

use crate::style::{count, counted};

/// What is published as it is, whatever part was randomised.
pub(super) fn always_unprotected(card: Card, dataset: &Dataset) -> Card {
    let nodes = count(dataset.graph().node_count() as u64);
    let card = card.with_unprotected(format!("the ids of all nodes, and that there are {nodes}"));
    match dataset.split() {
        Some(_) => card.with_unprotected("which nodes are for training, validation and testing"),
        None => card,
    }
}

pub(super) fn unprotected_edges(card: Card, dataset: &Dataset) -> Card {
    let size = (dataset.graph().edge_count(), "edge", "edges");
    shown(card, Part::Edges, "who is connected to whom", Some(size))
}

pub(super) fn unprotected_features(card: Card, dataset: &Dataset) -> Card {
    let columns = dataset.features().map(|features| (features.columns(), "column", "columns"));
    shown(card, Part::Features, "the features of every node", columns)
}

pub(super) fn unprotected_labels(card: Card, dataset: &Dataset) -> Card {
    let classes = dataset.labels().map(|labels| (labels.class_count(), "class", "classes"));
    shown(card, Part::Labels, "the labels of every node", classes)
}

/// People who chose to give away what the others have protected.
pub(super) fn published(card: Card, people: usize, what: &str) -> Card {
    match people {
        0 => card,
        _ => {
            let people = counted(people, "person", "people");
            card.with_unprotected(format!("the {what} of {people} who chose to publish it"))
        }
    }
}

/// Adds a part that lies open, unless a card protects it.
fn shown(card: Card, part: Part, what: &str, size: Option<(usize, &str, &str)>) -> Card {
    match size {
        Some((size, one, many)) if !card.protects(part) => {
            let what = format!("{what}: {}", counted(size, one, many));
            card.with_unprotected(Unprotected::part(part, what))
        }
        _ => card,
    }
}
