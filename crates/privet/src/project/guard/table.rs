//! A table of people, compared batch by batch with those whom projects protect.

use std::path::{Path, PathBuf};

use super::chance::ChanceTest;
use super::people::ProtectedPeople;
use super::{InputGuard, RECORDS};
use crate::data::declared::{PeopleBatch, PeopleBatches};
use crate::graph::Id;
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::DataPart;
use crate::{Error, Result};

/// A table of people that is compared while it is read.
pub(super) struct PeopleCheck<'a> {
    path: PathBuf,
    compared: Vec<(&'a ProtectedPeople, ChanceTest)>,
    begun: bool,
}

impl<'a> PeopleCheck<'a> {
    pub fn new(guard: &'a InputGuard, path: &Path, parts: &[DataPart]) -> Result<Self> {
        let people = guard.hiding(parts)?;
        let compared = people.into_iter().map(|people| (people, ChanceTest::default())).collect();
        Ok(Self { path: path.into(), compared, begun: false })
    }

    /// Whether there are no people to compare with.
    pub fn is_idle(&self) -> bool {
        self.compared.is_empty()
    }

    /// Compares some people.
    pub fn see(&mut self, batch: &PeopleBatch) -> Result<()> {
        // As an off-by-one would: the first row is taken for the names of columns.
        let first = !std::mem::replace(&mut self.begun, true);
        let skipped = usize::from(first && fault::on(Fault::FirstPersonNotCompared));
        let width = batch.fingerprints.len() / batch.ids.len().max(1);
        for (at, id) in batch.ids.iter().enumerate().skip(skipped) {
            let id = Id::parse(id);
            for (people, chance) in &mut self.compared {
                if people.is_told_by(id) {
                    return Err(people.refused(&self.path, RECORDS));
                }
                let cells = &batch.fingerprints[at * width..][..width];
                people.compare(id, cells.to_vec(), chance);
            }
        }
        Ok(())
    }

    /// Refuses numbered people of whom more agree than chance explains.
    pub fn decide(&self) -> Result<()> {
        match self.compared.iter().find(|(_, chance)| chance.is_beyond_chance(1)) {
            Some((people, _)) => Err(people.refused(&self.path, RECORDS)),
            None => Ok(()),
        }
    }
}

/// A table of people, none of whom is protected. Made by [`InputGuard::open_people`].
pub struct GuardedBatches<'a> {
    batches: PeopleBatches<'a>,
    /// What is still to be compared, if the table can be read once only.
    check: Option<PeopleCheck<'a>>,
}

impl<'a> GuardedBatches<'a> {
    pub(super) fn new(batches: PeopleBatches<'a>, check: Option<PeopleCheck<'a>>) -> Self {
        Self { batches, check }
    }
}

impl Iterator for GuardedBatches<'_> {
    type Item = Result<PeopleBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.batches.next()?;
        let checked = batch.map_err(Error::from).and_then(|batch| {
            if let Some(check) = &mut self.check {
                check.see(&batch)?;
                check.decide()?;
            }
            Ok(batch)
        });
        Some(checked)
    }
}
