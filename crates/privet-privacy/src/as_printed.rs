//! [`AsPrinted`]: a published algorithm with the noise its paper prescribes. It is charged what it truly
//! costs; the printed number stands beside it, with what is wrong with it.

use crate::error::Result;
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{NoiseSource, Numerics};
use crate::origin::sealed::MechanismOrigin;
use crate::population::PublicShape;

/// A mechanism that a paper gives another price than the ledger does.
#[derive(Debug)]
pub struct AsPrinted<M> {
    mechanism: M,
    printed: Epsilon,
    flaw: String,
}

impl<M: Mechanism> AsPrinted<M> {
    /// The mechanism, what the paper says it costs, and why that is not so.
    pub fn new(mechanism: M, printed: Epsilon, flaw: impl Into<String>) -> Self {
        Self { mechanism, printed, flaw: flaw.into() }
    }
}

impl<M: Mechanism> MechanismOrigin for AsPrinted<M> {
    const AUDITED: bool = M::AUDITED;
}

impl<M: Mechanism> Mechanism for AsPrinted<M> {
    type Unit = M::Unit;

    fn name(&self) -> &'static str {
        self.mechanism.name()
    }

    fn event(&self) -> Event {
        if fault::on(Fault::PrintedIsCharged) {
            return Event::Pure { epsilon: self.printed };
        }
        self.mechanism.event()
    }

    fn theorem(&self) -> Theorem {
        self.mechanism.theorem()
    }

    fn numerics(&self) -> Numerics {
        self.mechanism.numerics()
    }

    fn parameters(&self) -> MechanismParameters {
        self.mechanism.parameters()
    }

    fn status(&self) -> Status {
        Status::PaperMode { printed: self.printed, flaw: self.flaw.clone() }
    }

    fn assumes_public(&self) -> Vec<String> {
        self.mechanism.assumes_public()
    }
}

impl<M: Central> Central for AsPrinted<M> {
    type Input = M::Input;
    type Output = M::Output;

    fn check(&self, shape: &<M::Input as PublicShape>::Shape) -> Result<()> {
        self.mechanism.check(shape)
    }

    fn sample<N: NoiseSource>(&self, input: &M::Input, noise: N, permit: Permit<'_>) -> M::Output {
        self.mechanism.sample(input, noise, permit)
    }
}
