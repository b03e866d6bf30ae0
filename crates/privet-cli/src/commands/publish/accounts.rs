//! [`Accounts`]: the two ledgers a publication is charged to.

use std::path::{Path, PathBuf};

use privet::hetero_rr::{Custody, Ledgers, Publication, Published};
use privet::privacy::ledger::remove_if_unused;
use privet::privacy::noise::NoiseRng;
use privet::privacy::{Ledger, Loss, Unit};

use crate::args::Publish;
use crate::failure::{Failure, Result};
use crate::output::{beside, refuse_existing};

/// Where the ledgers are.
#[derive(Debug)]
pub(super) struct Accounts {
    edges: Place,
    features: Option<Place>,
}

#[derive(Debug)]
struct Place {
    path: PathBuf,
    is_new: bool,
}

impl Accounts {
    pub(super) fn new(typed: &Publish) -> Result<Self> {
        let place = |given: &Option<PathBuf>, kind: &str| {
            let path = given.clone().unwrap_or_else(|| beside(&typed.output, kind));
            if given.is_none() {
                let hint = format!("name it to charge it again: {}", path.display());
                refuse_existing(&path, &hint)?;
            }
            Ok::<_, Failure>(Place { is_new: !path.exists(), path })
        };
        let features = typed.features.epsilon_features;
        let features = features.map(|_| place(&typed.features.features_ledger, "features.ledger"));
        Ok(Self {
            edges: place(&typed.edges.edges_ledger, "edges.ledger")?,
            features: features.transpose()?,
        })
    }

    /// Charges the ledgers and draws; gives back where they are.
    pub(super) fn spend(
        &self,
        publication: &Publication,
        custody: &Custody,
        seed: Option<u64>,
    ) -> Result<(Published, Vec<String>)> {
        let mut ledgers = self.open(publication, seed)?;
        let charges = |ledgers: &Ledgers| {
            let features = ledgers.features.as_ref().map_or(0, |ledger| ledger.entries().len());
            ledgers.edges.entries().len() + features
        };
        let before = charges(&ledgers);
        let released = publication.release(custody, &mut ledgers);
        let charged = charges(&ledgers) > before;
        drop(ledgers);
        match released {
            Ok(published) => {
                let places = [Some(&self.edges), self.features.as_ref()];
                let names = places.into_iter().flatten();
                Ok((published, names.map(|place| place.path.display().to_string()).collect()))
            }
            Err(error) if charged => {
                self.forget(); // what was charged stays
                Err(self.lament(error.into()))
            }
            Err(error) => {
                self.forget();
                Err(error.into())
            }
        }
    }

    fn open(&self, publication: &Publication, seed: Option<u64>) -> Result<Ledgers> {
        let edges = ledger(&self.edges, publication.edges.limit()?, seed, 0)?;
        let features = match (&self.features, &publication.features) {
            (Some(place), Some(how)) => {
                let limit = Loss::new(how.epsilon, how.settings.delta.unwrap_or(0.0));
                match limit.map_err(Failure::from).and_then(|limit| ledger(place, limit, seed, 1)) {
                    Ok(ledger) => Some(ledger),
                    Err(failure) => {
                        drop(edges);
                        self.forget();
                        return Err(failure);
                    }
                }
            }
            _ => None,
        };
        Ok(Ledgers { edges, features })
    }

    /// Ledgers made a moment ago, with nothing charged: as if they had never been. A charge stays.
    fn forget(&self) {
        for place in [Some(&self.edges), self.features.as_ref()].into_iter().flatten() {
            if place.is_new {
                let _ = remove_if_unused(&place.path);
            }
        }
    }

    /// Says that what was charged stays charged.
    pub(super) fn lament(&self, failure: Failure) -> Failure {
        let places = [Some(&self.edges), self.features.as_ref()].into_iter().flatten();
        let there = places.filter(|place| place.path.exists());
        let paths: Vec<String> = there.map(|place| place.path.display().to_string()).collect();
        failure.hint(format!(
            "noise was drawn already, so the charge in {} stays, although nothing was written",
            paths.join(" and ")
        ))
    }
}

fn ledger<U: Unit>(
    place: &Place,
    limit: Loss,
    seed: Option<u64>,
    stream: u64,
) -> Result<Ledger<U>> {
    let noise = match seed {
        None => NoiseRng::from_operating_system()?,
        // Replayed noise differs between the ledgers.
        Some(seed) => NoiseRng::replay(seed.wrapping_mul(2).wrapping_add(stream)),
    };
    let path: &Path = &place.path;
    Ok(if place.is_new { Ledger::create(path, limit, noise)? } else { Ledger::open(path, noise)? })
}
