//! What every mechanism on a neighbour list needs: who can be in it, who is, and how one mechanism wraps another ([`ListWrapper`]).

use privet_graph::NodeId;

use crate::event::Event;
use crate::fault::{self, Fault};
use crate::mechanism::{Mechanism, MechanismParameters, Status, Theorem};
use crate::noise::Numerics;
use crate::origin::sealed::MechanismOrigin;
use crate::population::NeighborList;

/// How many nodes the owner may or may not know: all but the owner.
pub(super) fn others(list: &NeighborList<'_>) -> usize {
    list.node_count.saturating_sub(1)
}

/// The neighbours without the owner, whom a graph with kept self-loops would name.
pub(super) fn known<'a>(list: &NeighborList<'a>) -> impl Iterator<Item = NodeId> + use<'a> {
    let owner = list.owner;
    list.neighbors.iter().copied().filter(move |&node| node != owner)
}

/// How many neighbours there are, the owner not counted.
pub(super) fn degree(list: &NeighborList<'_>) -> usize {
    list.neighbors.len() - usize::from(list.neighbors.binary_search(&list.owner).is_ok())
}

/// The node at `position` among all but the owner.
pub(super) fn node_at(owner: NodeId, position: u64) -> NodeId {
    position as NodeId + NodeId::from(position >= u64::from(owner))
}

/// Answers "is this a neighbour?" for ascending nodes, in one walk along the list.
pub(super) struct ListWalk<'a> {
    rest: &'a [NodeId],
}

impl<'a> ListWalk<'a> {
    pub(super) fn new(list: &NeighborList<'a>) -> Self {
        Self { rest: list.neighbors }
    }

    pub(super) fn has(&mut self, node: NodeId) -> bool {
        while let [first, rest @ ..] = self.rest {
            if *first >= node {
                return *first == node;
            }
            self.rest = rest;
        }
        false
    }
}

/// How the bits of a list and of a report about it fall together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Agreement {
    pub(super) kept: usize,
    pub(super) lost: usize,
    pub(super) invented: usize,
    pub(super) absent: usize,
}

impl Agreement {
    /// `None` if no mechanism could have sent this report: out of order, or naming the owner or a
    /// stranger.
    pub(super) fn of(list: &NeighborList<'_>, report: &[NodeId]) -> Option<Self> {
        let ascending = report.windows(2).all(|pair| pair[0] < pair[1]);
        let possible = |&node: &NodeId| node != list.owner && (node as usize) < list.node_count;
        if !ascending || !report.iter().all(possible) {
            return None;
        }
        let mut walk = ListWalk::new(list);
        let kept = report.iter().filter(|&&node| walk.has(node)).count();
        let (degree, reported) = (degree(list), report.len());
        let absent = others(list) + kept - degree - reported;
        Some(Self { kept, lost: degree - kept, invented: reported - kept, absent })
    }
}

/// A mechanism that hands lists to another one. Its claim is that of the mechanism inside, and its own
/// argument is added to the theorem.
pub trait ListWrapper {
    /// The mechanism inside.
    type Inner: Mechanism;

    /// The mechanism inside.
    fn inner(&self) -> &Self::Inner;

    /// What is added to the theorem: a clause, and where it is proved.
    fn reason(&self) -> (&'static str, &'static str);

    /// What is added to the parameters.
    fn more_parameters(&self, _parameters: &mut MechanismParameters) {}

    /// What is added to what must be public.
    fn more_public(&self) -> Option<String> {
        None
    }
}

impl<W: ListWrapper + MechanismOrigin + Sync> Mechanism for W {
    type Unit = <W::Inner as Mechanism>::Unit;

    fn name(&self) -> &'static str {
        self.inner().name()
    }

    fn event(&self) -> Event {
        if fault::on(Fault::WrappedIsFree) { Event::Nothing } else { self.inner().event() }
    }

    fn theorem(&self) -> Theorem {
        let Theorem { statement, proof } = self.inner().theorem();
        let (clause, section) = self.reason();
        Theorem {
            statement: format!("{statement}; {clause}"),
            proof: format!("{proof}; privet_privacy::edges::local::{section}, Guarantee"),
        }
    }

    fn numerics(&self) -> Numerics {
        self.inner().numerics()
    }

    fn parameters(&self) -> MechanismParameters {
        let mut parameters = self.inner().parameters();
        self.more_parameters(&mut parameters);
        parameters
    }

    fn status(&self) -> Status {
        self.inner().status()
    }

    fn assumes_public(&self) -> Vec<String> {
        let mut public = self.inner().assumes_public();
        public.extend(self.more_public());
        public
    }
}
