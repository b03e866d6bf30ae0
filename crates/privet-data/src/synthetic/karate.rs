//! Zachary's karate club: 34 members, 78 friendships, and the split that followed.

use crate::{Dataset, Direction, GraphBuilder, Labels, NodeId, NodeIds, Result};

/// The friends of each member that come after them; members are counted from 1.
const FRIENDS: [&[NodeId]; 33] = [
    &[2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 18, 20, 22, 32],
    &[3, 4, 8, 14, 18, 20, 22, 31],
    &[4, 8, 9, 10, 14, 28, 29, 33],
    &[8, 13, 14],
    &[7, 11],
    &[7, 11, 17],
    &[17],
    &[],
    &[31, 33, 34],
    &[34],
    &[],
    &[],
    &[],
    &[34],
    &[33, 34],
    &[33, 34],
    &[],
    &[],
    &[33, 34],
    &[34],
    &[33, 34],
    &[],
    &[33, 34],
    &[26, 28, 30, 33, 34],
    &[26, 28, 32],
    &[32],
    &[30, 34],
    &[34],
    &[32, 34],
    &[33, 34],
    &[33, 34],
    &[33, 34],
    &[34],
];

/// Who stayed with the instructor when the club split.
const WITH_THE_INSTRUCTOR: [NodeId; 17] =
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 17, 18, 20, 22];

/// The karate club: members called 1 to 34, labelled by the side they took.
///
/// ```
/// let club = privet_data::synthetic::karate_club()?;
/// assert_eq!((club.graph().node_count(), club.graph().edge_count()), (34, 78));
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub fn karate_club() -> Result<Dataset> {
    let edges = FRIENDS
        .iter()
        .zip(0..)
        .flat_map(|(friends, member)| friends.iter().map(move |friend| (member, friend - 1)));
    let (graph, _) = GraphBuilder::new(34, Direction::Undirected).edges(edges).build()?;
    let side = |member| Some(u32::from(!WITH_THE_INSTRUCTOR.contains(&member)));
    let sides = (1..=34).map(side).collect();
    let names = vec!["instructor".into(), "officer".into()];
    Dataset::new("karate", graph, NodeIds::integers((1..=34).collect())?)?
        .with_labels(Labels::single(sides, names)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_published_degrees() {
        let club = karate_club().unwrap();
        let degree = |member: NodeId| club.graph().degree(member - 1);
        assert_eq!([degree(1), degree(33), degree(34), degree(12)], [16, 12, 17, 1]);
        assert_eq!(club.labels().unwrap().class_sizes(), [17, 17]);
    }
}
