//! [`Release`]: what came out of the door. From here on everything is post-processing, and free.

use std::marker::PhantomData;

use crate::noise::NoiseOrigin;
use crate::unit::Unit;

/// A value whose cost is in a ledger of unit `U`. Nothing else makes one.
///
/// ```compile_fail
/// use privet_privacy::{Release, unit::FeatureRow};
/// let forged: Release<f64, FeatureRow> = Release { value: 1.0 };
/// ```
#[derive(Debug)]
pub struct Release<T, U: Unit> {
    value: T,
    origin: NoiseOrigin,
    unit: PhantomData<fn() -> U>,
}

impl<T, U: Unit> Release<T, U> {
    pub(crate) fn new(value: T, origin: NoiseOrigin) -> Self {
        Self { value, origin, unit: PhantomData }
    }

    /// The value: released, so anyone may look.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// The value, unwrapped. The card stays in the ledger.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Whether the noise protects anyone, or is a simulation.
    pub fn origin(&self) -> NoiseOrigin {
        self.origin
    }

    /// Post-processing.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Release<S, U> {
        Release::new(work(self.value), self.origin)
    }

    /// Post-processing that can fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_map<S, E>(self, work: impl FnOnce(T) -> Result<S, E>) -> Result<Release<S, U>, E> {
        Ok(Release::new(work(self.value)?, self.origin))
    }

    /// Both values; a simulation if either is one.
    pub fn zip<S>(self, other: Release<S, U>) -> Release<(T, S), U> {
        let origin = match self.origin {
            NoiseOrigin::Simulation { .. } => self.origin,
            NoiseOrigin::OperatingSystem => other.origin,
        };
        Release::new((self.value, other.value), origin)
    }
}
