//! [`Release`]: what came out of the door; [`Protected`]: what several releases were made into. From here on
//! everything is post-processing, and free.

use std::marker::PhantomData;

use crate::noise::NoiseOrigin;
use crate::public::Public;
use crate::unit::Unit;

/// Where the cost of a release is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The unit of the ledger.
    pub unit: &'static str,
    /// How many entries the ledger had with this one.
    pub entries: usize,
    /// The hash that fixed all of them.
    pub chain: String,
}

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
    source: Source,
    unit: PhantomData<fn() -> U>,
}

impl<T, U: Unit> Release<T, U> {
    pub(crate) fn new(value: T, origin: NoiseOrigin, source: Source) -> Self {
        Self { value, origin, source, unit: PhantomData }
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

    /// Where its cost is written down.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Post-processing.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Release<S, U> {
        Release::new(work(self.value), self.origin, self.source)
    }

    /// Post-processing that can fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_map<S, E>(self, work: impl FnOnce(T) -> Result<S, E>) -> Result<Release<S, U>, E> {
        Ok(Release::new(work(self.value)?, self.origin, self.source))
    }

    /// Ready to be joined with releases of other units.
    pub fn protected(self) -> Protected<T> {
        Protected { value: self.value, origin: self.origin, sources: vec![self.source] }
    }
}

impl<T, E, U: Unit> Release<Result<T, E>, U> {
    /// For a mechanism that can fail after the charge: the failure, or a release.
    ///
    /// # Errors
    /// The failure.
    pub fn transpose(self) -> Result<Release<T, U>, E> {
        self.try_map(|value| value)
    }
}

/// A value made of releases, of one unit or several, and of what is public. Nothing else makes one, so whoever
/// holds it knows that every secret in it was paid for, and where.
///
/// ```
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, template::CoinFlip};
/// use privet_privacy::{public::Public, release::Protected};
/// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let answers = ledger.release_each(&Secret::new(vec![1.0, 0.0]), &CoinFlip::new(1.0)?)?;
/// let names = Protected::public(Public::declared(["Ada", "Bo"]));
/// let table = answers.protected().zip(names).map(|(answers, names)| (names[0], answers[0]));
/// assert_eq!((table.get().0, table.sources()[0].chain.as_str()), ("Ada", ledger.chain()));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
///
/// A bare value does not become one:
///
/// ```compile_fail
/// let forged = privet_privacy::release::Protected { value: 1.0 };
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Protected<T> {
    value: T,
    origin: NoiseOrigin,
    sources: Vec<Source>,
}

impl<T> Protected<T> {
    /// What was public all along.
    pub fn public(value: Public<T>) -> Self {
        let origin = NoiseOrigin::OperatingSystem;
        Self { value: value.into_inner(), origin, sources: Vec::new() }
    }

    /// The value: anyone may look.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// The value, unwrapped: from here on nobody remembers what it was made of.
    pub fn into_inner(self) -> T {
        self.value
    }

    /// Whether the noise protects anyone; a simulation if any part is one.
    pub fn origin(&self) -> NoiseOrigin {
        self.origin
    }

    /// Where everything in it was paid for; empty if all of it is public.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Post-processing.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Protected<S> {
        Protected { value: work(self.value), origin: self.origin, sources: self.sources }
    }

    /// Post-processing that can fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_map<S, E>(self, work: impl FnOnce(T) -> Result<S, E>) -> Result<Protected<S>, E> {
        Ok(Protected { value: work(self.value)?, origin: self.origin, sources: self.sources })
    }

    /// Both values, and where both were paid for; a simulation if either is one.
    pub fn zip<S>(self, other: Protected<S>) -> Protected<(T, S)> {
        let origin = match self.origin {
            NoiseOrigin::Simulation { .. } => self.origin,
            NoiseOrigin::OperatingSystem => other.origin,
        };
        let mut sources = self.sources;
        for source in other.sources {
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        Protected { value: (self.value, other.value), origin, sources }
    }
}
