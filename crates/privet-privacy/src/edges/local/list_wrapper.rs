//! [`ListWrapper`]: a mechanism around another, with the same claim for a stated reason.

use crate::event::Event;
use crate::fault::{self, Fault};
use crate::mechanism::{Mechanism, MechanismParameters, Status, Theorem};
use crate::noise::Numerics;
use crate::origin::sealed::MechanismOrigin;

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
