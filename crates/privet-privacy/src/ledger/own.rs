//! One person's own account: a device holds no other person's data, and one report leaves it.

use super::{Ledger, everyone};
use crate::error::{Error, Result};
use crate::mechanism::{Local, Permit};
use crate::population::RecordsOf;
use crate::release::Release;
use crate::secret::Secret;
use crate::unit::Unit;

impl<U: Unit> Ledger<U> {
    /// Releases the report of one record alone. `place` is whose noise it draws when a seed is replayed: that of a person
    /// at this place among many, so that many devices can be compared with one [`release_each`](Self::release_each). The
    /// record may come alone, without those of others: an [`OwnList`](crate::population::OwnList).
    ///
    /// # Errors
    /// If there is no such record, the data has another shape than the mechanism, it would pass the limit (then
    /// nothing is released), or the entry cannot be written.
    pub fn release_own<M: Local<Unit = U>>(
        &mut self,
        secret: &Secret<impl RecordsOf<M::Population>>,
        record: usize,
        mechanism: &M,
        place: u64,
    ) -> Result<Release<M::Report, U>> {
        if record >= secret.expose().records() {
            return Err(Error::range("record", record, "one of those that are there"));
        }
        let Some(end) = place.checked_add(1) else {
            return Err(Error::range("place", place, "one that has another after it"));
        };
        let shape = secret.expose().of_shape();
        mechanism.check(&shape)?;
        let charges = everyone(mechanism, mechanism.pair(&shape));
        let drawn = self.charge_then_draw(mechanism, charges, Some(1), |noise| {
            let mut streams = noise.into_streams(place..end);
            streams.next().map(|mut stream| {
                mechanism.randomize(secret.expose().own(record), &mut stream, Permit::new())
            })
        })?;
        drawn.try_map(|report| report.ok_or_else(|| Error::range("place", place, "one stream")))
    }
}

#[cfg(test)]
mod tests {
    use privet_graph::{Bounds, BoundsOrigin, DenseMatrix, Features};

    use super::*;
    use crate::Loss;
    use crate::features::{Hds, Scale};
    use crate::noise::NoiseRng;
    use crate::unit::FeatureRow;

    fn account(epsilon: f64) -> Ledger<FeatureRow> {
        Ledger::in_memory(Loss::new(epsilon, 0.0).unwrap(), NoiseRng::replay(5)).unwrap()
    }

    /// Every device on its own sends what it would have sent among all.
    #[test]
    fn devices_send_what_one_release_of_all_would() {
        let values: Vec<f32> = (0..40 * 6).map(|at| (at % 11) as f32).collect();
        let all = DenseMatrix::new(40, 6, values.clone()).unwrap();
        let bounds = Bounds::uniform(0.0, 10.0, BoundsOrigin::Declared).unwrap();
        let hds = Hds::with_k(2.0, Scale::new(6, Some(&bounds)).unwrap(), 2).unwrap();
        let together = account(2.0).release_each(&Secret::new(Features::dense(all)), &hds).unwrap();
        for (place, expected) in together.get().iter().enumerate() {
            let own = DenseMatrix::new(1, 6, values[place * 6..][..6].to_vec()).unwrap();
            let own = Secret::new(Features::dense(own));
            let mut ledger = account(2.0);
            let sent = ledger.release_own(&own, 0, &hds, place as u64).unwrap();
            assert_eq!(sent.get(), expected);
            assert_eq!(ledger.entries().len(), 1);
            // The budget is the person's: a second report is refused, and nothing is written down.
            assert!(ledger.release_own(&own, 0, &hds, place as u64).is_err());
            assert_eq!(ledger.entries().len(), 1);
        }
        let own = Secret::new(Features::dense(DenseMatrix::zeros(1, 6)));
        assert!(account(2.0).release_own(&own, 1, &hds, 0).is_err());
        assert!(account(2.0).release_own(&own, 0, &hds, u64::MAX).is_err());
        // A row of other columns is refused before anything is charged.
        let (other, mut ledger) =
            (Secret::new(Features::dense(DenseMatrix::zeros(1, 5))), account(2.0));
        assert!(ledger.release_own(&other, 0, &hds, 0).is_err());
        assert!(ledger.entries().is_empty());
    }
}
