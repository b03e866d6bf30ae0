//! [`View`]: what mechanisms read of secret people, made inside the release. The work that is passed in runs in the
//! ledger's hands, after the charge; what it makes is seen by the mechanism and by nothing else.

use std::marker::PhantomData;

use super::{OpenPeople, Training};
use crate::dpar::project::Projection;
use crate::graph::NodeId;
use crate::privacy::prepared::Preparation;
use crate::privacy::{
    Central, FirstParty, Ledger, PreparedMechanism, PublicShape, Release, Secret,
};
use crate::{Error, Result};

/// Some of the people, with rows that a public function makes of theirs, each on its own.
#[derive(Clone, Copy)]
pub(in crate::dpar) struct View<'a> {
    pub(super) training: &'a Training,
    pub(super) only: Option<&'a [NodeId]>,
    pub(super) short: Option<&'a Projection>,
}

impl<'a> View<'a> {
    /// These of them, and the connections among these: drawn without looking.
    pub fn sampled(self, only: Option<&'a [NodeId]>) -> Self {
        Self { only, ..self }
    }

    /// The same people with shorter rows.
    pub fn shortened(self, short: Option<&'a Projection>) -> Self {
        Self { short, ..self }
    }

    /// How many people: public.
    pub fn len(self) -> usize {
        self.only.map_or(self.training.len(), <[NodeId]>::len)
    }

    /// How many features: public.
    pub fn columns(self) -> usize {
        self.short.map_or(self.training.columns(), Projection::width)
    }

    /// How many classes: public.
    pub fn class_count(self) -> usize {
        self.training.class_count()
    }

    /// Releases what a mechanism makes of what `work` makes of the people. `reason` says why one person more or
    /// less stays one unit more or less; `shape` is what is public about the outcome.
    ///
    /// # Errors
    /// If the ledger refuses, or the work fails after the charge.
    pub fn release<M>(
        self,
        ledger: &mut Ledger<M::Unit>,
        mechanism: M,
        reason: &'static str,
        shape: <M::Input as PublicShape>::Shape,
        work: impl Fn(&OpenPeople) -> Result<M::Input> + Sync,
    ) -> Result<Release<M::Output, M::Unit>>
    where
        M: Central,
        <M::Input as PublicShape>::Shape: Clone + Sync,
    {
        let work = move |people: &OpenPeople| {
            let sampled = self.only.map(|only| people.induced(only)).transpose()?;
            let people = sampled.as_ref().unwrap_or(people);
            let short = self.short.map(|short| OpenPeople {
                features: short.apply(&people.features),
                ..people.clone()
            });
            work(short.as_ref().unwrap_or(people))
        };
        released(&self.training.secret, ledger, mechanism, reason, shape, work)
    }
}

/// The same for any secret.
///
/// # Errors
/// If the ledger refuses, or the work fails after the charge.
pub(crate) fn released<R, M>(
    secret: &Secret<R>,
    ledger: &mut Ledger<M::Unit>,
    mechanism: M,
    reason: &'static str,
    shape: <M::Input as PublicShape>::Shape,
    work: impl Fn(&R) -> Result<M::Input> + Sync,
) -> Result<Release<M::Output, M::Unit>>
where
    R: PublicShape,
    M: Central,
    <M::Input as PublicShape>::Shape: Clone + Sync,
{
    let made = Made { reason, shape, work, of: PhantomData::<fn(R) -> M::Input> };
    ledger.release(secret, &PreparedMechanism::new(made, mechanism))?.transpose()
}

/// What is made of a secret.
struct Made<S, F, I> {
    reason: &'static str,
    shape: S,
    work: F,
    of: PhantomData<I>,
}

impl<S, F, I> FirstParty for Made<S, F, I> {}

impl<R, T, F> Preparation for Made<T::Shape, F, fn(R) -> T>
where
    R: PublicShape,
    T: PublicShape<Shape: Clone + Sync>,
    F: Fn(&R) -> Result<T> + Sync,
{
    type Raw = R;
    type Ready = T;
    type Error = Error;

    fn reason(&self) -> &'static str {
        self.reason
    }

    fn shape(&self, _: &R::Shape) -> T::Shape {
        self.shape.clone()
    }

    fn prepare(&self, raw: &R) -> Result<T> {
        (self.work)(raw)
    }
}
