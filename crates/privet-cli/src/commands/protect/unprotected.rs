//! What a card says of the parts of a dataset that were not randomised, now or before.

use privet::privacy::Card;
use privet_graph::Dataset;

use crate::style::{count, counted};

/// A part of a dataset that can be randomised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Features,
    Labels,
    Edges,
}

impl Content {
    /// The units whose guarantees speak of it.
    fn units(self) -> &'static [&'static str] {
        match self {
            Self::Features => &["feature-row"],
            Self::Labels => &["label"],
            Self::Edges => &["neighbor-bit", "edge"],
        }
    }

    /// How the line begins that says it is not protected.
    fn line(self) -> &'static str {
        match self {
            Self::Features => "the features of every node",
            Self::Labels => "the labels of every node",
            Self::Edges => "who is connected to whom",
        }
    }

    /// Whether a card promises anything about it.
    pub(super) fn is_protected_by(self, card: &Card) -> bool {
        card.guarantees.iter().any(|guarantee| self.units().contains(&guarantee.unit.as_str()))
    }

    /// Takes everything out of a card that is promised about it.
    pub(super) fn forget(self, card: &mut Card) {
        card.guarantees.retain(|guarantee| !self.units().contains(&guarantee.unit.as_str()));
    }
}

/// A card for data that an earlier card spoke of, with `now` randomised since.
pub(super) fn begun(subject: String, earlier: Option<&Card>, now: Content) -> Card {
    let mut card = Card::new(subject);
    if let Some(earlier) = earlier {
        card.guarantees.clone_from(&earlier.guarantees);
        let lines = earlier.unprotected.iter().filter(|line| !line.starts_with(now.line()));
        card.unprotected.extend(lines.cloned());
    }
    card
}

/// What is published as it is, whatever part was randomised.
pub(super) fn always_unprotected(card: Card, dataset: &Dataset) -> Card {
    let nodes = count(dataset.graph().node_count() as u64);
    let card = unprotected(card, format!("the ids of all nodes, and that there are {nodes}"));
    match dataset.split() {
        Some(_) => unprotected(card, "which nodes are for training, validation and testing"),
        None => card,
    }
}

pub(super) fn unprotected_edges(card: Card, dataset: &Dataset) -> Card {
    shown(card, Content::Edges, Some((dataset.graph().edge_count(), "edge", "edges")))
}

pub(super) fn unprotected_features(card: Card, dataset: &Dataset) -> Card {
    let columns = dataset.features().map(|features| (features.columns(), "column", "columns"));
    shown(card, Content::Features, columns)
}

pub(super) fn unprotected_labels(card: Card, dataset: &Dataset) -> Card {
    let classes = dataset.labels().map(|labels| (labels.class_count(), "class", "classes"));
    shown(card, Content::Labels, classes)
}

/// People who chose to give away what the others have protected.
pub(super) fn published(card: Card, people: usize, what: &str) -> Card {
    match people {
        0 => card,
        _ => {
            let people = counted(people, "person", "people");
            unprotected(card, format!("the {what} of {people} who chose to publish it"))
        }
    }
}

/// Adds a line, once.
pub(super) fn unprotected(card: Card, line: impl Into<String>) -> Card {
    let line = line.into();
    if card.unprotected.contains(&line) { card } else { card.with_unprotected(line) }
}

fn shown(card: Card, content: Content, size: Option<(usize, &str, &str)>) -> Card {
    match size {
        Some((size, one, many)) if !content.is_protected_by(&card) => {
            let line = format!("{}: {}", content.line(), counted(size, one, many));
            unprotected(card, line)
        }
        _ => card,
    }
}
