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
        // By this number another process finds the same streams again when noise is replayed.
        let release = self.noise.releases();
        let charges = everyone(mechanism, pair);
        // Charged as any release is. What is drawn is the source of noise itself, which never leaves the trusted base.
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
        // Parts come in order and `left` moves on with each, so that no person is drawn twice.
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
            // Real noise needs no agreement between workers: each has a key of its own, which is never sent.
            NoiseOrigin::OperatingSystem => NoiseRng::from_operating_system()?,
            NoiseOrigin::Simulation { seed } => NoiseRng::replay(seed),
        };
        if let NoiseOrigin::Simulation { .. } = self.origin {
            // A simulation draws what one process would have drawn: the streams of earlier releases are passed over.
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
    // Streams go by person, not by record of the part: another division draws the same bytes.
    Ok(noise.map_part(people.start as u64, records.len(), |at, stream| {
        mechanism.randomize(data.own(records.start + at), stream, Permit::new())
    }))
}

#[cfg(test)]
mod tests {
    //! Releases that are drawn part by part, and by several processes.

    use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, Direction, Features, GraphBuilder};
    use proptest::prelude::*;

    use super::*;
    use crate::Loss;
    use crate::edges::local::Rr;
    use crate::features::{Hds, Scale};
    use crate::population::GraphShape;
    use crate::template::CoinFlip;
    use crate::unit::{FeatureRow, NeighborBit};

    fn account<U: Unit>(epsilon: f64) -> Ledger<U> {
        Ledger::in_memory(Loss::new(epsilon, 0.0).unwrap(), NoiseRng::replay(9)).unwrap()
    }

    fn answers(people: usize) -> Vec<f32> {
        (0..people).map(|person| (person % 3 == 0) as u8 as f32).collect()
    }

    proptest! {
        /// However a release is cut, each user sends what they would have sent in one release; in this process and in others.
        #[test]
        fn parts_and_shares_are_the_whole(cuts in prop::collection::vec(0usize..=50, 0..5)) {
            let mut ends = cuts;
            ends.push(50);
            ends.sort_unstable();
            let (coin, all) = (CoinFlip::new(1.0).unwrap(), answers(50));
            let whole = account(9.0).release_each(&Secret::new(all.clone()), &coin).unwrap();
            let mut ledger = account(9.0);
            let mut drawing = ledger.begin_each(&50, 50, &coin).unwrap();
            let (mut parts, mut start) = (Vec::new(), 0);
            for &end in &ends {
                let part = Secret::new(all[start..end].to_vec());
                parts.extend(drawing.draw(&part, 0..end - start).unwrap().into_inner());
                start = end;
            }
            prop_assert_eq!(&parts, whole.get());
            prop_assert_eq!(ledger.entries().len(), 1);
            let mut stepped = Vec::new();
            let drawing = account(9.0).begin_each(&50, 50, &coin).unwrap();
            let done = drawing.draw_in_steps(&Secret::new(all.clone()), ends[0], |part| {
                stepped.extend(part);
                Ok::<_, Error>(())
            });
            let done = done.unwrap();
            prop_assert_eq!(done.sources(), whole.sources());
            prop_assert_eq!(&stepped, whole.get());
            let shares = account(9.0).begin_each(&50, 50, &coin).unwrap().shares(&ends).unwrap();
            let mut carried = Vec::new();
            for share in shares {
                let text = serde_json::to_string(&share).unwrap();
                let share: ReleaseShare = serde_json::from_str(&text).unwrap();
                let people = share.people();
                let drawn = share.draw(&coin, &Secret::new(all.clone()), people).unwrap();
                prop_assert_eq!(drawn.origin(), NoiseOrigin::Simulation { seed: 9 });
                carried.extend(drawn.into_inner());
            }
            prop_assert_eq!(&carried, whole.get());
        }
    }

    /// The second release of a ledger, too; lists come out of the whole graph.
    #[test]
    fn later_releases_of_lists_agree() {
        let edges = (0..30u32).flat_map(|u| (1..4).map(move |k| (u, (u * k + 5) % 30)));
        let graph = GraphBuilder::new(30, Direction::Undirected).edges(edges).build().unwrap().0;
        let (rr, shape) =
            (Rr::new(1.0).unwrap(), GraphShape { nodes: 30, direction: Direction::Undirected });
        let secret = Secret::new(graph);
        let mut whole: Ledger<NeighborBit> = account(9.0);
        drop(whole.release_each(&secret, &rr).unwrap());
        let expected = whole.release_each(&secret, &rr).unwrap().into_inner();
        let mut ledger: Ledger<NeighborBit> = account(9.0);
        drop(ledger.begin_each(&shape, 30, &rr).unwrap());
        let mut drawing = ledger.begin_each(&shape, 30, &rr).unwrap();
        let mut found = drawing.draw(&secret, 0..11).unwrap().into_inner();
        for share in drawing.shares(&[20, 30]).unwrap() {
            let people = share.people();
            found.extend(share.draw(&rr, &secret, people).unwrap().into_inner());
        }
        assert_eq!(found, expected);
        let charged = |ledger: &Ledger<NeighborBit>| serde_json::to_string(ledger.entries());
        assert_eq!(charged(&ledger).unwrap(), charged(&whole).unwrap());
    }

    #[test]
    fn no_user_is_drawn_twice_and_nothing_without_a_charge() {
        let coin = CoinFlip::new(1.0).unwrap();
        let mut ledger: Ledger<FeatureRow> = account(1.5);
        let mut drawing = ledger.begin_each(&4, 4, &coin).unwrap();
        let all = Secret::new(answers(4));
        assert!(drawing.draw(&all, 0..5).is_err());
        assert!(drawing.draw(&all, 4..5).is_err());
        drawing.draw(&all, 0..3).unwrap();
        // The next person is the fourth, whichever record is handed in: one is left.
        assert!(drawing.draw(&all, 0..2).is_err());
        assert_eq!(drawing.left(), 1);
        for ends in [&[][..], &[2, 4], &[4, 3], &[3, 5], &[3], &[5, 4], &[4, 3, 4]] {
            let mut ledger: Ledger<FeatureRow> = account(9.0);
            let mut drawing = ledger.begin_each(&4, 4, &coin).unwrap();
            drawing.draw(&all, 0..3).unwrap();
            assert!(drawing.shares(ends).is_err(), "{ends:?}");
        }
        assert!(ledger.begin_each(&4, 4, &coin).is_err(), "the limit is 1.5");
        assert_eq!(ledger.entries().len(), 1);
    }

    /// Rows of other columns are refused: before the charge, and where they are handed in after it.
    #[test]
    fn data_of_another_shape_is_not_drawn() {
        let bounds = Bounds::uniform(0.0, 10.0, BoundsOrigin::Declared).unwrap();
        let hds = Hds::with_k(2.0, Scale::new(6, Some(&bounds)).unwrap(), 2).unwrap();
        let rows = |columns| Secret::new(Features::dense(DenseMatrix::zeros(4, columns)));
        let mut ledger: Ledger<FeatureRow> = account(9.0);
        assert!(ledger.begin_each(&rows(5).shape(), 4, &hds).is_err());
        assert!(ledger.entries().is_empty());
        let mut drawing = ledger.begin_each(&rows(6).shape(), 4, &hds).unwrap();
        assert!(drawing.draw(&rows(5), 0..4).is_err());
        assert_eq!(drawing.left(), 4);
        assert_eq!(drawing.draw(&rows(6), 0..4).unwrap().get().len(), 4);
    }

    #[test]
    fn steps_are_as_long_as_asked_for() {
        let coin = CoinFlip::new(1.0).unwrap();
        let mut ledger: Ledger<FeatureRow> = account(9.0);
        let (drawing, mut lengths) = (ledger.begin_each(&50, 50, &coin).unwrap(), Vec::new());
        let done = drawing.draw_in_steps(&Secret::new(answers(50)), 20, |part| {
            lengths.push(part.len());
            Ok::<_, Error>(())
        });
        assert!(done.is_ok());
        assert_eq!(lengths, [20, 20, 10]);
    }

    /// A seed replays noise; the operating system never does. Two draws for the same people, as by two processes or in
    /// two runs, must differ, and a share carries no key from one process to another.
    #[test]
    fn b9_every_share_has_a_key_of_its_own() {
        let coin = CoinFlip::new(0.2).unwrap();
        let people = 400;
        let all = Secret::new(answers(people));
        let noise = NoiseRng::from_operating_system().unwrap();
        let limit = Loss::new(9.0, 0.0).unwrap();
        let mut ledger: Ledger<FeatureRow> = Ledger::in_memory(limit, noise).unwrap();
        let mut share = || {
            let drawing = ledger.begin_each(&people, people, &coin).unwrap();
            drawing.shares(&[people]).unwrap().remove(0)
        };
        let first = share();
        let text = serde_json::to_string(&first).unwrap();
        let copy: ReleaseShare = serde_json::from_str(&text).unwrap();
        let fields: serde_json::Value = serde_json::from_str(&text).unwrap();
        let mut names: Vec<&String> = fields.as_object().unwrap().keys().collect();
        names.sort();
        let public =
            ["chain", "entries", "mechanism", "origin", "parameters", "people", "release", "unit"];
        assert_eq!(names, public);
        let draw = |share: ReleaseShare| share.draw(&coin, &all, 0..people).unwrap().into_inner();
        let (one, again, later) = (draw(first), draw(copy), draw(share()));
        // Of 400 coins about half differ; all agree with a probability below 2^-300.
        for (a, b) in [(&one, &again), (&one, &later), (&again, &later)] {
            let differ = a.iter().zip(b).filter(|(a, b)| a != b).count();
            assert!((100..300).contains(&differ), "{differ} of {people} reports differ");
        }
    }

    #[test]
    fn a_share_is_for_its_mechanism_and_its_people() {
        let coin = CoinFlip::new(1.0).unwrap();
        let all = Secret::new(answers(4));
        let share = || {
            let mut ledger: Ledger<FeatureRow> = account(9.0);
            ledger.begin_each(&4, 4, &coin).unwrap().shares(&[4]).unwrap().remove(0)
        };
        assert!(share().draw(&CoinFlip::new(2.0).unwrap(), &all, 0..4).is_err());
        assert!(share().draw(&coin, &all, 0..3).is_err());
        assert!(share().draw(&coin, &all, 0..5).is_err());
        assert!(share().draw(&coin, &all, 0..4).is_ok());
        let mut stolen = share();
        stolen.origin = NoiseOrigin::OperatingSystem;
        let first = share().draw(&coin, &all, 0..4).unwrap();
        assert_eq!(first.origin(), NoiseOrigin::Simulation { seed: 9 });
        assert_eq!(stolen.draw(&coin, &all, 0..4).unwrap().origin(), NoiseOrigin::OperatingSystem);
    }
}
