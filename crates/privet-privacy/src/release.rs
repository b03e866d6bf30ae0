//! [`Release`]: what came out of the door; [`Protected`]: what releases were made into, with the card of all of
//! them. From here on everything is post-processing, and free.

use std::marker::PhantomData;
use std::path::Path;

use crate::card::{Card, UnprotectedPart};
use crate::error::{Error, Result};
use crate::ledger::{Contents, Ledger};
use crate::noise::NoiseOrigin;
use crate::public::Public;
use crate::unit::{DataPart, Unit};

/// Where the cost of a release is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseSource {
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
    sources: Vec<ReleaseSource>,
    unit: PhantomData<fn() -> U>,
}

impl<T, U: Unit> Release<T, U> {
    pub(crate) fn new(value: T, origin: NoiseOrigin, source: ReleaseSource) -> Self {
        Self { value, origin, sources: vec![source], unit: PhantomData }
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

    /// Where its cost is written down: one place for each release that it was made of.
    pub fn sources(&self) -> &[ReleaseSource] {
        &self.sources
    }

    /// Post-processing.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Release<S, U> {
        let Self { value, origin, sources, unit } = self;
        Release { value: work(value), origin, sources, unit }
    }

    /// Post-processing that can fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_map<S, E>(self, work: impl FnOnce(T) -> Result<S, E>) -> Result<Release<S, U>, E> {
        let Self { value, origin, sources, unit } = self;
        Ok(Release { value: work(value)?, origin, sources, unit })
    }

    /// Both values, and where both were paid for; a simulation if either is one.
    pub fn zip<S>(self, other: Release<S, U>) -> Release<(T, S), U> {
        let mut sources = self.sources;
        sources.extend(other.sources);
        let origin = weaker(self.origin, other.origin);
        Release { value: (self.value, other.value), origin, sources, unit: PhantomData }
    }

    /// The value with the card of the ledger that it was paid from, ready to be joined with others.
    ///
    /// # Errors
    /// If this is not the ledger, or an event in it has no theorem.
    pub fn protected(self, ledger: &Ledger<U>) -> Result<Protected<T>> {
        for source in &self.sources {
            let written = ledger.contents().chain_after(source.entries)?;
            // The chain after so many entries names the ledger: a card cannot be made of another account.
            if source.entries > ledger.entries().len() || written != source.chain {
                let reason = "it is not the ledger that the release is written down in";
                return Err(Error::ledger(U::NAME, reason));
            }
        }
        let card = Card::new("").with_ledger(ledger)?;
        Ok(Protected { value: self.value, card, origin: self.origin })
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

/// What a system hands out: a value made of releases, of one unit or several, and of what is public, with the card
/// of those very releases. Nothing else makes one, so every secret in it was paid for, and the card says
/// where, and what was promised.
///
/// ```
/// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, template::CoinFlip};
/// use privet_privacy::{public::Public, release::Protected};
/// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
/// let answers = ledger.release_each(&Secret::new(vec![1.0, 0.0]), &CoinFlip::new(1.0)?)?;
/// let names = Protected::public(Public::declared(["Ada", "Bo"])).with_unprotected("names");
/// let table = answers.protected(&ledger)?.zip(names).map(|(answers, names)| (names[0], answers[0]));
/// assert_eq!((table.get().0, table.card().guarantees[0].ledger.chain.as_str()), ("Ada", ledger.chain()));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
///
/// A bare value does not become one:
///
/// ```compile_fail
/// # fn forge(card: privet_privacy::Card) {
/// let forged = privet_privacy::release::Protected { value: 1.0, card };
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Protected<T> {
    value: T,
    card: Card,
    origin: NoiseOrigin,
}

impl<T> Protected<T> {
    /// What was public all along.
    pub fn public(value: Public<T>) -> Self {
        let origin = NoiseOrigin::OperatingSystem;
        Self { value: value.into_inner(), card: Card::new(""), origin }
    }

    /// What was kept in a folder, read by `read` once the card is known to be that of these very files, and to
    /// follow from the ledgers as far as they lie there, too.
    ///
    /// # Errors
    /// If something is missing, was changed, or does not follow; those of `read`.
    pub fn restored<E: From<Error>>(
        folder: &Path,
        card: &Path,
        read: impl FnOnce(&Path) -> Result<T, E>,
    ) -> Result<Self, E> {
        let (card, at) = (Card::read(card)?, card.display());
        let mut differences = card.changed_files(folder);
        let names = card.guarantees.iter().filter_map(|guarantee| guarantee.ledger.file.as_ref());
        let paths = names.filter_map(|name| Some(folder.join(Path::new(name).file_name()?)));
        let ledgers = paths.filter(|path| path.exists()).map(|path| Contents::read(&path));
        let ledgers = ledgers.collect::<Result<Vec<_>>>()?;
        // Ledgers need not be shared. Where all are there, the card is computed again from them.
        if ledgers.len() == card.guarantees.len() {
            differences.extend(card.differences(&ledgers)?);
        }
        if let Some(first) = differences.first() {
            return Err(Error::card(at, first).into());
        }
        let releases = card.guarantees.iter().flat_map(|guarantee| &guarantee.releases);
        let origins = releases.map(|release| release.noise);
        // One simulated part makes the whole a simulation.
        let origin = origins.fold(NoiseOrigin::OperatingSystem, |all, one| weaker(one, all));
        Ok(Self { value: read(folder)?, card, origin })
    }

    /// The value: anyone may look.
    pub fn get(&self) -> &T {
        &self.value
    }

    /// What was promised to whom.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// Whether the noise protects anyone; a simulation if any part is one.
    pub fn origin(&self) -> NoiseOrigin {
        self.origin
    }

    /// The value and the card, from here on apart.
    pub fn into_parts(self) -> (T, Card) {
        (self.value, self.card)
    }

    /// Post-processing.
    pub fn map<S>(self, work: impl FnOnce(T) -> S) -> Protected<S> {
        Protected { value: work(self.value), card: self.card, origin: self.origin }
    }

    /// Post-processing that can fail.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn try_map<S, E>(self, work: impl FnOnce(T) -> Result<S, E>) -> Result<Protected<S>, E> {
        Ok(Protected { value: work(self.value)?, card: self.card, origin: self.origin })
    }

    /// Both values under one card: the guarantees of both, and what neither protects; a simulation if either is
    /// one.
    pub fn zip<S>(self, other: Protected<S>) -> Protected<(T, S)> {
        let origin = weaker(self.origin, other.origin);
        let (value, card) = ((self.value, other.value), self.card.joined(other.card));
        Protected { value, card, origin }
    }

    /// The same under a card that says what it is.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.card.subject = subject.into();
        self
    }

    /// The same under a card that says what is not protected.
    #[must_use]
    pub fn with_unprotected(self, what: impl Into<UnprotectedPart>) -> Self {
        Self { card: self.card.with_unprotected(what), ..self }
    }

    /// The same under a card that goes on where the card of the input ended, about everything but `now`, the part
    /// that these releases randomised.
    #[must_use]
    pub fn continuing(self, earlier: &Card, now: DataPart) -> Self {
        let card = Card::new(&self.card.subject).continuing(earlier, now).joined(self.card);
        Self { card, ..self }
    }
}

/// A simulation if either is one.
fn weaker(one: NoiseOrigin, other: NoiseOrigin) -> NoiseOrigin {
    match one {
        NoiseOrigin::Simulation { .. } => one,
        NoiseOrigin::OperatingSystem => other,
    }
}
