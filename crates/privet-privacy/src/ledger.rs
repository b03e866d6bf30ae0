//! [`Ledger`]: the only door between a [`Secret`] and the world.
//!
//! Every release goes through the same four steps, in this order:
//!
//! 1. **Price** it: would any user's total pass the limit? Then refuse, and nothing happened.
//! 2. **Write** the entry, and wait until it is on disk.
//! 3. **Draw** the noise, with a key that no other release has.
//! 4. **Hand out** the [`Release`].
//!
//! If the machine dies between 2 and 4, the budget is spent and nothing was released: the ledger can
//! over-count, never under-count.

mod account;
mod count;
mod entry;
mod foreseen;
mod kept;
mod own;
mod pairs;
pub mod parts;
mod store;
mod users;

use std::marker::PhantomData;
use std::path::Path;

pub(crate) use account::history;
pub use account::{GroupLoss, spent};
pub use count::counted_elsewhere;
pub use entry::{Charge, LedgerEntry};
pub(crate) use entry::{is_shipped, shipped};
pub use foreseen::Foreseen;
pub use pairs::{PairCost, RelationshipEnds, relationship};
pub use parts::{Drawing, ReleaseShare};
pub use store::{Contents, FORMAT, LedgerHeader, LineKeeper, remove_if_unused};
pub use users::Users;

use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::{Epsilon, Loss};
use crate::mechanism::{Central, Disclose, Local, Mechanism, Permit};
use crate::noise::{NoiseRng, ReleaseNoise};
use crate::population::{Population, PublicShape};
use crate::release::{Release, ReleaseSource};
use crate::secret::Secret;
use crate::unit::Unit;
use store::EntryStore;

/// One privacy account: a limit, what was spent, and the noise.
///
/// ```
/// use privet_privacy::{Ledger, Secret, Loss, noise::NoiseRng, template::CoinFlip};
/// let limit = Loss::new(1.5, 0.0)?;
/// let mut ledger = Ledger::in_memory(limit, NoiseRng::from_operating_system()?)?;
/// let answers = Secret::new(vec![1.0, 0.0, 1.0]);
///
/// let reports = ledger.release_each(&answers, &CoinFlip::new(1.0)?)?;   // entry, then noise
/// assert_eq!(reports.get().len(), 3);
/// assert_eq!(ledger.spent()?[0].loss.epsilon.get(), 1.0);               // three users, one event
///
/// assert!(ledger.release_each(&answers, &CoinFlip::new(1.0)?).is_err()); // 2.0 is over the limit
/// # Ok::<(), privet_privacy::Error>(())
/// ```
///
/// Units do not mix:
///
/// ```compile_fail
/// use privet_privacy::{Ledger, Secret, Loss, noise::NoiseRng, template::CoinFlip, unit::Edge};
/// let mut edges: Ledger<Edge> =
///     Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), NoiseRng::replay(1)).unwrap();
/// edges.release_each(&Secret::new(vec![1.0]), &CoinFlip::new(1.0).unwrap());
/// ```
pub struct Ledger<U: Unit> {
    store: EntryStore,
    /// What may be spent here in all where other accounts have spent, too.
    ceiling: Option<Epsilon>,
    noise: NoiseRng,
    unit: PhantomData<fn() -> U>,
}

/// What each user chose: a mechanism of their own strength, or to publish.
#[derive(Debug)]
pub struct UserChoices<M> {
    mechanisms: Vec<M>,
    of_user: Vec<UserChoice>,
}

/// One user's choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserChoice {
    /// The mechanism at this position.
    Private(u16),
    /// No protection: the record itself is released.
    Public,
}

impl<M> UserChoices<M> {
    /// The choices of users 0, 1, 2, ... They must have been made without looking at anyone's data.
    ///
    /// # Errors
    /// If a choice names a mechanism that is not there.
    pub fn new(mechanisms: Vec<M>, of_user: Vec<UserChoice>) -> Result<Self> {
        let known = |choice: &UserChoice| match choice {
            UserChoice::Private(at) => usize::from(*at) < mechanisms.len(),
            UserChoice::Public => true,
        };
        match of_user.iter().find(|choice| !known(choice)) {
            Some(choice) => {
                Err(Error::range("choice", format!("{choice:?}"), "a mechanism that was given"))
            }
            None => Ok(Self { mechanisms, of_user }),
        }
    }

    /// The mechanism a user chose; for one who publishes, the first.
    ///
    /// # Panics
    /// If there is no such user, or no mechanism at all.
    pub fn mechanism(&self, user: usize) -> &M {
        match self.of_user[user] {
            UserChoice::Private(at) => &self.mechanisms[usize::from(at)],
            UserChoice::Public => &self.mechanisms[0],
        }
    }

    /// The mechanism of every user who chose one.
    pub fn private(&self) -> impl Iterator<Item = &M> {
        self.of_user.iter().filter_map(|choice| match choice {
            UserChoice::Private(at) => Some(&self.mechanisms[usize::from(*at)]),
            UserChoice::Public => None,
        })
    }

    /// How many users publish.
    pub fn publishers(&self) -> usize {
        self.of_user.iter().filter(|&&choice| choice == UserChoice::Public).count()
    }
}

impl<U: Unit> Ledger<U> {
    /// An account that lives as long as the process.
    ///
    /// # Errors
    /// Only if the limit cannot be written down.
    pub fn in_memory(limit: Loss, noise: NoiseRng) -> Result<Self> {
        let store = EntryStore::in_memory(LedgerHeader::new(U::NAME, U::RELATION, limit))?;
        Ok(Self { store, ceiling: None, noise, unit: PhantomData })
    }

    /// A new account in a file of its own.
    ///
    /// # Errors
    /// If the file exists already or cannot be written.
    pub fn create(path: &Path, limit: Loss, noise: NoiseRng) -> Result<Self> {
        let store = EntryStore::create(path, LedgerHeader::new(U::NAME, U::RELATION, limit))?;
        Ok(Self { store, ceiling: None, noise, unit: PhantomData })
    }

    /// An account that was created before, with everything it has spent.
    ///
    /// # Errors
    /// If the file is damaged, belongs to another unit, or is in use.
    pub fn open(path: &Path, noise: NoiseRng) -> Result<Self> {
        Self::reopened(EntryStore::open(path)?, noise, path.display())
    }

    /// An account that was there before, if it is for this unit.
    fn reopened(
        store: EntryStore,
        mut noise: NoiseRng,
        place: impl std::fmt::Display,
    ) -> Result<Self> {
        let header = &store.contents.header;
        let wrong = (header.unit.as_str(), header.relation) != (U::NAME, U::RELATION);
        if wrong && !fault::on(Fault::AnyUnitOpens) {
            let reason = format!("it is for the unit {}, not for {}", header.unit, U::NAME);
            return Err(Error::ledger(place, reason));
        }
        // A replayed source begins anew; what earlier releases drew from it must not come again.
        let used =
            if fault::on(Fault::ReopenedNoiseRepeats) { 0 } else { store.contents.entries.len() };
        (0..used).for_each(|_| drop(noise.next_release()));
        Ok(Self { store, ceiling: None, noise, unit: PhantomData })
    }

    /// The same account, whose entries are counted in another place as well, before any noise is drawn: a folder that
    /// is restored as a whole from an older copy agrees with itself, and only a count outside of it knows better.
    ///
    /// # Errors
    /// If that count knows of charges that this account has not, or cannot be written.
    pub fn witnessed_by(self, count: &Path) -> Result<Self> {
        Ok(Self { store: self.store.witnessed_by(count)?, ..self })
    }

    /// The same account, in which no user is charged above this, whatever its limit: others of the same relation
    /// have spent the rest.
    #[must_use]
    pub fn at_most(self, epsilon: Epsilon) -> Self {
        Self { ceiling: Some(epsilon), ..self }
    }

    /// What may be spent in all.
    pub fn limit(&self) -> Loss {
        self.store.contents.header.limit
    }

    /// Every release so far.
    pub fn entries(&self) -> &[LedgerEntry] {
        &self.store.contents.entries
    }

    /// The hash that fixes all entries.
    pub fn chain(&self) -> &str {
        &self.store.contents.chain
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.store.path()
    }

    /// What the file would say; for cards.
    pub fn contents(&self) -> &Contents {
        &self.store.contents
    }

    /// What every group of users has spent, at the delta of the limit.
    ///
    /// # Errors
    /// If an event has no theorem.
    pub fn spent(&self) -> Result<Vec<GroupLoss>> {
        spent(self.entries(), self.limit().delta)
    }

    /// Releases the result of a curator's mechanism.
    ///
    /// # Errors
    /// If the data has another shape than the mechanism, it would pass the limit (then nothing is
    /// released), or the entry cannot be written.
    pub fn release<M: Central<Unit = U>>(
        &mut self,
        secret: &Secret<M::Input>,
        mechanism: &M,
    ) -> Result<Release<M::Output, U>> {
        // Before the charge, and from public shape alone: a refusal costs nothing and tells nothing about records.
        mechanism.check(&secret.shape())?;
        self.charge_then_draw(mechanism, everyone(mechanism, None), None, |noise| {
            mechanism.sample(secret.expose(), noise, Permit::new())
        })
    }

    /// Releases one report of every user: one event, because each user's data is touched once.
    ///
    /// # Errors
    /// If the data has another shape than the mechanism, it would pass the limit (then nothing is
    /// released), or the entry cannot be written.
    pub fn release_each<M: Local<Unit = U>>(
        &mut self,
        secret: &Secret<M::Population>,
        mechanism: &M,
    ) -> Result<Release<Vec<M::Report>, U>> {
        let shape = secret.shape();
        mechanism.check(&shape)?;
        let charges = everyone(mechanism, mechanism.pair(&shape));
        let count = secret.user_count() as u64;
        self.charge_then_draw(mechanism, charges, Some(count), |noise| {
            let people = secret.expose();
            noise.map_users(people.user_count(), |user, noise| {
                mechanism.randomize(people.record(user), noise, Permit::new())
            })
        })
    }

    /// Releases one report of every user, each at the strength the user chose. Users who chose to
    /// publish are recorded with an infinite loss, and do not count against the limit.
    ///
    /// # Errors
    /// If there is not one choice per user, the data has another shape than the mechanisms, it would
    /// pass the limit for anyone else (then nothing is released), or the entry cannot be written.
    pub fn release_chosen<M: Disclose<Unit = U>>(
        &mut self,
        secret: &Secret<M::Population>,
        choices: &UserChoices<M>,
    ) -> Result<Release<Vec<M::Report>, U>> {
        if choices.of_user.len() != secret.user_count() {
            let expected = "one for every user";
            return Err(Error::range("number of choices", choices.of_user.len(), expected));
        }
        let Some(first) = choices.mechanisms.first() else {
            return Err(Error::range("number of mechanisms", 0, "at least 1"));
        };
        let shape = secret.shape();
        choices.mechanisms.iter().try_for_each(|mechanism| mechanism.check(&shape))?;
        let (charges, count) = (charges_of(choices, &shape)?, secret.user_count() as u64);
        self.charge_then_draw(first, charges, Some(count), |noise| {
            let people = secret.expose();
            noise.map_users(people.user_count(), |user, noise| {
                let record = people.record(user);
                match choices.of_user[user] {
                    UserChoice::Public => first.disclose(record, Permit::new()),
                    UserChoice::Private(at) => {
                        choices.mechanisms[usize::from(at)].randomize(record, noise, Permit::new())
                    }
                }
            })
        })
    }

    /// All four steps, for every kind of release: nothing is drawn unless its cost is on disk.
    fn charge_then_draw<T>(
        &mut self,
        mechanism: &impl Mechanism,
        charges: Vec<Charge>,
        people: Option<u64>,
        draw: impl FnOnce(ReleaseNoise) -> T,
    ) -> Result<Release<T, U>> {
        if fault::on(Fault::EntryAfterDraw) {
            let value = draw(self.noise.next_release());
            return self.charge(mechanism, charges, people).map(|()| self.handed_out(value));
        }
        // The entry is durable before the draw: a crash between the two wastes budget and reveals nothing.
        self.charge(mechanism, charges, people)?;
        let value = draw(self.noise.next_release());
        Ok(self.handed_out(value))
    }

    /// What was drawn, with where it was written down.
    fn handed_out<T>(&self, value: T) -> Release<T, U> {
        let (entries, chain) = (self.entries().len(), self.chain().to_owned());
        Release::new(value, self.noise.origin(), ReleaseSource { unit: U::NAME, entries, chain })
    }

    /// Whether a release of everyone's data by `mechanism` would stay within the limit. Charges nothing:
    /// for asking about all parts of a publication before the first of them is drawn.
    ///
    /// # Errors
    /// If it would pass the limit, or its event has no theorem.
    pub fn would_allow(&self, mechanism: &impl Mechanism<Unit = U>) -> Result<()> {
        self.price(&LedgerEntry::of(
            mechanism,
            everyone(mechanism, None),
            None,
            self.noise.origin(),
        ))
    }

    /// Steps 1 and 2: prices the charges against the limit, then writes them down.
    fn charge(
        &mut self,
        mechanism: &impl Mechanism,
        charges: Vec<Charge>,
        people: Option<u64>,
    ) -> Result<()> {
        let entry = LedgerEntry::of(mechanism, charges, people, self.noise.origin());
        self.price(&entry)?;
        self.store.append(entry)
    }

    fn price(&self, entry: &LedgerEntry) -> Result<()> {
        let limit = self.limit();
        let ceiling = self.ceiling.filter(|_| !fault::on(Fault::CeilingNotHeeded));
        // The stricter of two bounds: this account's own, and what other accounts of the same people have left.
        let epsilon = match ceiling {
            Some(ceiling) if ceiling < limit.epsilon => ceiling,
            _ => limit.epsilon,
        };
        allowed(&self.store.contents, Loss { epsilon, ..limit }, entry)
    }
}

/// Whether one more entry would stay within a limit for the account.
fn allowed(account: &Contents, limit: Loss, entry: &LedgerEntry) -> Result<()> {
    entry.validate()?;
    entry.costs_something()?;
    // Without a limit there is nothing to compare a price with; what was spent is computed on request.
    if !limit.epsilon.is_finite() || fault::on(Fault::LimitNotChecked) {
        return Ok(());
    }
    // The whole history with the new entry is priced: advanced composition is not a sum of single prices.
    let with_it: Vec<LedgerEntry> =
        account.entries.iter().cloned().chain([entry.clone()]).collect();
    // A user who chose to publish has no loss to limit.
    let over = |group: &GroupLoss| !group.opted_out && group.loss.epsilon > limit.epsilon;
    match spent(&with_it, limit.delta)?.into_iter().find(over) {
        None => Ok(()),
        Some(group) => {
            let mechanism = entry.mechanism.clone();
            Err(Error::OverLimit { mechanism, limit, would_be: group.loss })
        }
    }
}

/// One charge for all there are.
fn everyone(mechanism: &impl Mechanism, pair: Option<PairCost>) -> Vec<Charge> {
    vec![Charge { users: Users::Everyone, event: mechanism.event(), pair }]
}

/// What is public about the data of a local mechanism.
type PopulationShape<M> = <<M as Local>::Population as PublicShape>::Shape;

/// One charge per strength, and one for those who publish.
fn charges_of<M: Local>(
    choices: &UserChoices<M>,
    shape: &PopulationShape<M>,
) -> Result<Vec<Charge>> {
    let users = |wanted: UserChoice| {
        let of = choices.of_user.iter().zip(0..).filter(move |(choice, _)| **choice == wanted);
        Users::of(of.map(|(_, user)| user))
    };
    let mut charges = Vec::new();
    for (at, mechanism) in choices.mechanisms.iter().enumerate() {
        let users = users(UserChoice::Private(at as u16))?;
        charges.push(Charge { users, event: mechanism.event(), pair: mechanism.pair(shape) });
    }
    if !fault::on(Fault::PublishersNotCharged) {
        let users = users(UserChoice::Public)?;
        let pair = choices.mechanisms.first().and_then(|m| m.pair(shape));
        let pair = pair.map(|_| PairCost::PUBLISHED);
        charges.push(Charge { users, event: Event::NonPrivate, pair });
    }
    charges.truncate(if fault::on(Fault::OneGroupCharged) { 1 } else { charges.len() });
    // A group without users costs nothing and would only lengthen every card.
    charges.retain(|charge| charge.users.count() != Some(0));
    Ok(charges)
}
