//! One release, drawn a part of the people at a time: when all records together do not fit into memory, or lie on
//! several machines.
//!
//! The order is that of every release: [`Ledger::begin_each`] prices it for *all people*, writes the entry and only then
//! hands out a [`Drawing`], which draws. What a person's report says depends on the release and the person's place alone,
//! so a replayed seed gives the same reports however they are cut into parts.
//!
//! # Why one entry is enough
//! A drawing goes through the people once, in the order of their places: each part begins where the last one ended, and
//! no record is asked for twice. All reports together are one run of the mechanism on all people, which is what was
//! charged. Reports that are lost were paid for all the same.
//!
//! # Several machines
//! [`Drawing::shares`] cuts what is left into permissions to draw for some places, to be carried to other processes. A share holds no
//! key: in a simulation the seed is public anyway, and otherwise every machine asks its own operating system for noise
//! that no other machine ever knows. What types cannot do across machines is to keep a share from being used twice: the
//! process that receives it must not use a copy. The reports of two uses of one share are two releases, of which one was paid for.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Ledger, PairCost, PopulationShape, everyone};
use crate::error::{Error, Result};
use crate::fault::{self, Fault};
use crate::mechanism::{Local, Mechanism, MechanismParameters, Permit};
use crate::noise::{NoiseOrigin, NoiseRng, ReleaseNoise};
use crate::population::{Population, RecordsOf};
use crate::release::{Release, ReleaseSource};
use crate::secret::Secret;
use crate::unit::Unit;

impl<U: Unit> Ledger<U> {
    /// Charges one report of every person, to be drawn part by part.
    ///
    /// ```
    /// use privet_privacy::{Ledger, Loss, Secret, noise::NoiseRng, template::CoinFlip};
    /// let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::from_operating_system()?)?;
    /// let coin = CoinFlip::new(1.0)?;
    /// let mut drawing = ledger.begin_each(&3, 3, &coin)?;                  // three people, one entry
    /// let first = drawing.draw(&Secret::new(vec![1.0, 0.0]), 0..2)?;      // the first two
    /// let last = drawing.draw(&Secret::new(vec![1.0]), 0..1)?;            // the third
    /// assert_eq!((first.get().len(), last.get().len(), drawing.left()), (2, 1, 0));
    /// assert!(drawing.draw(&Secret::new(vec![1.0]), 0..1).is_err());      // there is no fourth
    /// # Ok::<(), privet_privacy::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the data has another shape than the mechanism, it would pass the limit (then nothing can be drawn), or the
    /// entry cannot be written.
    pub fn begin_each<'m, M: Local<Unit = U>>(
        &mut self,
        shape: &PopulationShape<M>,
        people: usize,
        mechanism: &'m M,
    ) -> Result<Drawing<'m, M>> {
        mechanism.check(shape)?;
        self.begin_parts(mechanism, mechanism.pair(shape), (Some(people as u64), people))
    }

    /// Charges a release of which so many people will draw a part each; `written` of them are written down.
    pub(crate) fn begin_parts<'m, M: Mechanism<Unit = U>>(
        &mut self,
        mechanism: &'m M,
        pair: Option<PairCost>,
        (written, people): (Option<u64>, usize),
    ) -> Result<Drawing<'m, M>> {
        let release = self.noise.releases();
        let charges = everyone(mechanism, pair);
        let drawn = self.charge_then_draw(mechanism, charges, written, |noise| noise)?;
        let source = drawn.sources()[0].clone();
        let noise = drawn.into_inner();
        Ok(Drawing { mechanism, noise, release, left: 0..people, source })
    }
}

/// A release that was charged for all people and is drawn part by part, each person once.
#[derive(Debug)]
pub struct Drawing<'m, M> {
    mechanism: &'m M,
    noise: ReleaseNoise,
    /// Which release of its source of noise this is.
    release: u64,
    left: Range<usize>,
    source: ReleaseSource,
}

impl<M: Local> Drawing<'_, M> {
    /// How many people's reports are still to be drawn.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// The reports of the next people, whose records stand at these places of `part`.
    ///
    /// # Errors
    /// If there are no such records or fewer people, or they have another shape than the mechanism: then nothing was
    /// drawn.
    pub fn draw(
        &mut self,
        part: &Secret<impl RecordsOf<M::Population> + Sync>,
        records: Range<usize>,
    ) -> Result<Release<Vec<M::Report>, M::Unit>> {
        let people = self.left.start..self.left.start.saturating_add(records.len());
        let reports = reports((self.mechanism, &self.noise), part, records, (&people, &self.left))?;
        self.left.start = people.end;
        Ok(Release::new(reports, self.noise.origin(), self.source.clone()))
    }

    /// The reports of all who are left, `step` people at a time, each part handed to `take` as soon as it is drawn:
    /// the records of all people stand in `all`, at their places. What is kept of the reports is up to `take`.
    ///
    /// # Errors
    /// Those of [`Drawing::draw`], and those of `take`, which end the drawing: what was drawn stays paid for.
    pub fn draw_in_steps<E: From<Error>>(
        mut self,
        all: &Secret<M::Population>,
        step: usize,
        mut take: impl FnMut(Vec<M::Report>) -> std::result::Result<(), E>,
    ) -> std::result::Result<Release<(), M::Unit>, E> {
        while self.left() > 0 {
            let people =
                self.left.start..self.left.start.saturating_add(step.max(1)).min(self.left.end);
            take(self.draw(all, people.clone())?.into_inner())?;
            all.expose().release(people);
        }
        Ok(Release::new((), self.noise.origin(), self.source))
    }
}

impl<M: Mechanism> Drawing<'_, M> {
    /// Permissions to draw for the people up to each of these places, for other processes: ascending, the last of them
    /// the number of people.
    ///
    /// # Errors
    /// If the places do not ascend to it.
    pub fn shares(self, ends: &[usize]) -> Result<Vec<ReleaseShare>> {
        let ascending = ends.windows(2).all(|pair| pair[0] <= pair[1]);
        let within = ends.first().is_some_and(|&end| end >= self.left.start);
        if !(ascending && within && ends.last() == Some(&self.left.end)) {
            let expected = "places that ascend from where the drawing is to its end";
            return Err(Error::range("shares", format!("{ends:?}"), expected));
        }
        let Self { mechanism, noise, release, left, source } = self;
        let starts = std::iter::once(left.start).chain(ends.iter().copied());
        let share = |(start, &end): (usize, &usize)| ReleaseShare {
            unit: source.unit.to_owned(),
            mechanism: mechanism.name().to_owned(),
            parameters: mechanism.parameters(),
            origin: noise.origin(),
            release,
            people: start..end,
            entries: source.entries,
            chain: source.chain.clone(),
        };
        Ok(starts.zip(ends).map(share).collect())
    }
}

/// A permission to draw the reports of some people of a release that was charged in another process. It can be carried
/// there, and is used up by drawing; see [the module](self) for what cannot be checked.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct ReleaseShare {
    unit: String,
    mechanism: String,
    parameters: MechanismParameters,
    origin: NoiseOrigin,
    release: u64,
    people: Range<usize>,
    entries: usize,
    chain: String,
}

impl ReleaseShare {
    /// Whose reports it is for.
    pub fn people(&self) -> Range<usize> {
        self.people.clone()
    }

    /// The reports of these people, whose records stand at these places of `part`.
    ///
    /// # Errors
    /// If the release was charged for another mechanism, the records are not those of as many people, or there is
    /// no noise to be had.
    pub fn draw<M: Local>(
        self,
        mechanism: &M,
        part: &Secret<impl RecordsOf<M::Population> + Sync>,
        records: Range<usize>,
    ) -> Result<Release<Vec<M::Report>, M::Unit>> {
        let noise = self.noise_for(mechanism)?;
        let people = self.people.start..self.people.start.saturating_add(records.len());
        if people != self.people {
            return Err(Error::range(
                "records of a share",
                records.len(),
                "one for each of its people",
            ));
        }
        let reports = reports((mechanism, &noise), part, records, (&people, &people))?;
        Ok(self.release(reports))
    }

    /// The noise of the release that it is a share of, if that was charged for this mechanism.
    pub(crate) fn noise_for<M: Mechanism>(&self, mechanism: &M) -> Result<ReleaseNoise> {
        let charged = (&*self.unit, &*self.mechanism, &self.parameters);
        if charged != (<M::Unit as Unit>::NAME, mechanism.name(), &mechanism.parameters()) {
            let expected = "that which was charged for, with its settings";
            return Err(Error::range("mechanism of a share", mechanism.name(), expected));
        }
        let mut noise = match self.origin {
            // Anyone may know the job: a key that follows from it is no secret.
            NoiseOrigin::OperatingSystem if fault::on(Fault::WorkersShareAKey) => {
                NoiseRng::replay(self.release)
            }
            NoiseOrigin::OperatingSystem => NoiseRng::from_operating_system()?,
            NoiseOrigin::Simulation { seed } => NoiseRng::replay(seed),
        };
        if let NoiseOrigin::Simulation { .. } = self.origin {
            (0..self.release).for_each(|_| drop(noise.next_release()));
        }
        Ok(noise.next_release())
    }

    /// What was drawn with it.
    pub(crate) fn release<T, U: Unit>(&self, value: T) -> Release<T, U> {
        let source =
            ReleaseSource { unit: U::NAME, entries: self.entries, chain: self.chain.clone() };
        Release::new(value, self.origin, source)
    }
}

/// Runs the mechanism on some records, each with the noise of that person's place.
fn reports<M: Local>(
    (mechanism, noise): (&M, &ReleaseNoise),
    part: &Secret<impl RecordsOf<M::Population> + Sync>,
    records: Range<usize>,
    (people, left): (&Range<usize>, &Range<usize>),
) -> Result<Vec<M::Report>> {
    let data = part.expose();
    if records.end > data.records() || records.start > records.end {
        return Err(Error::range(
            "records",
            format!("{records:?}"),
            "some of those that are there",
        ));
    }
    if people.end > left.end {
        let expected = "no more than are left to be drawn";
        return Err(Error::range("people of a part", people.len(), expected));
    }
    mechanism.check(&data.of_shape())?;
    Ok(noise.map_part(people.start as u64, records.len(), |at, stream| {
        mechanism.randomize(data.own(records.start + at), stream, Permit::new())
    }))
}

#[cfg(test)]
mod tests;
