//! DPAR by what it hides: [`Relation`] chosen at run time, in place of a unit chosen by type.

use super::{Dpar, Inductive, OpenPeople, Plan, TrainedClassifier, Visitors};
use crate::privacy::unit::{Node, Relation, ReplacedNode};
use crate::{Protected, Result, Run};

impl Dpar {
    /// What can be hidden: whether a person is there, who the person is, or connections alone, one at a time.
    pub const RELATIONS: [Relation; 3] =
        [Relation::NodeAbsent, Relation::NodeReplace, Relation::EdgeDp];

    /// The noise that hiding it takes. A method without noise needs none, whatever is hidden.
    ///
    /// # Errors
    /// If a setting makes no sense, or no noise reaches the target.
    pub fn plan_for(&self, relation: Relation, people: usize) -> Result<Plan> {
        match relation {
            Relation::EdgeDp if !self.method.in_the_clear() => self.plan_edges(people),
            Relation::NodeReplace => self.plan::<ReplacedNode>(people),
            _ => self.plan::<Node>(people),
        }
    }

    /// Trains and classifies the visitors, hiding what the relation says.
    ///
    /// # Errors
    /// Those of [`classify`](Self::classify).
    pub fn classify_for(
        &self,
        relation: Relation,
        plan: &Plan,
        people: OpenPeople,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<Protected<TrainedClassifier>> {
        if relation == Relation::EdgeDp {
            return self.classify_edges(plan, &people.seal_connections()?, visitors, run);
        }
        let people = Inductive { training: people.seal(), visitors: visitors.clone() };
        match relation {
            Relation::NodeReplace => self.classify::<ReplacedNode>(plan, &people, run),
            _ => self.classify::<Node>(plan, &people, run),
        }
    }
}
