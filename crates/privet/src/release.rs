//! [`Releasable`]: a system with all of its settings, released once for real: what it asks before anything is charged,
//! and the files that may be shared afterwards. [`ReleaseFolder`] keeps these apart from what was measured on raw data.
//!
//! | what | where |
//! |---|---|
//! | DPAR: a model | [`DparRelease`] |
//! | LDP-GE: an embedding and a model | [`LdpGeRelease`] |
//! | DPRR: a model and its answer for every graph | [`Dprr`](crate::dprr::Dprr) |
//! | HeteroRR: classes, or a graph and a model | [`HeteroRrRelease`] |
//!
//! A [`Request`](crate::request::Request) resolves to one of these.

mod dpar;
mod dprr;
mod folder;
mod hetero_rr;
mod ldp_ge;

use std::path::Path;

use crate::doubts::{Doubt, ReleaseAsks};
use crate::graph::{Dataset, Error, GraphSet, Labels, Split, SplitShares};
use crate::privacy::Card;
use crate::{Result, Run};

pub use dpar::{DparRelease, people_of};
pub use dprr::SHARES;
pub use folder::{FilledFolder, ReleaseFolder};
pub use hetero_rr::{HeteroRrRelease, PrivateChoice};
pub use ldp_ge::{LdpGeRelease, link_split};

/// The file of a model.
const MODEL: &str = "model.safetensors";

/// Raw data, and which of its items train, validate and test where that is stated.
#[derive(Debug)]
pub struct SplitData<'a, D = Dataset> {
    /// The data.
    pub data: &'a D,
    /// The stated split; without one, the seed of a run draws it.
    pub split: Option<&'a Split>,
}

impl<D> Clone for SplitData<'_, D> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D> Copy for SplitData<'_, D> {}

impl<'a, D> From<&'a D> for SplitData<'a, D> {
    /// Data whose split the seed draws.
    fn from(data: &'a D) -> Self {
        Self { data, split: None }
    }
}

impl<D> SplitData<'_, D> {
    /// The labelled items of the stated split, if there is one.
    ///
    /// # Errors
    /// If no labelled item is left to learn from, or to test on.
    pub fn stated(&self, labels: Option<&Labels>) -> Result<Option<Split>> {
        let (Some(stated), Some(labels)) = (self.split, labels) else { return Ok(None) };
        let split = stated.of_labelled(labels);
        for (what, part) in [("training", &split.train), ("testing", &split.test)] {
            if part.is_empty() {
                let name = format!("split, labelled items for {what}");
                let expected = "some: scores are those of the test items";
                return Err(Error::invalid(name, 0, expected).into());
            }
        }
        Ok(Some(split))
    }
}

/// Those of the items that have a class, split by a seed.
///
/// # Errors
/// If shares are no shares.
pub fn labelled_split(
    items: impl Iterator<Item = u32>,
    labels: Option<&Labels>,
    shares: SplitShares,
    seed: u64,
) -> Result<Split> {
    let labelled = |item: &u32| labels.is_some_and(|labels| labels.class(*item).is_some());
    Ok(Split::random(items.filter(labelled), shares, seed)?)
}

/// Whom a fit learns from: the labelled items of a stated split, without the labels of test items and of those in no part;
/// where none is stated, all items with a class. A fifth of them is for validation.
///
/// # Errors
/// If shares are no shares.
pub fn split_to_fit(
    items: impl Iterator<Item = u32>,
    labels: Option<&Labels>,
    stated: Option<&Split>,
    seed: u64,
) -> Result<Split> {
    if let (Some(stated), Some(labels)) = (stated, labels) {
        return Ok(stated.of_labelled(labels).with_validation(seed)?);
    }
    let labelled = items.filter(|&item| labels.is_some_and(|labels| labels.class(item).is_some()));
    let all = Split { train: labelled.collect(), validation: Vec::new(), test: Vec::new() };
    Ok(all.with_validation(seed)?)
}

/// Data whose facts and people a release asks about first.
pub trait AskedData {
    /// What the card must repeat ([`ReleaseAsks::settle`]).
    ///
    /// # Errors
    /// If a shown fact is not public, a number would give no protection, or the people are those of a project.
    fn settle(&self, asks: &ReleaseAsks, accepted: &[Doubt]) -> Result<Vec<String>>;
}

impl AskedData for Dataset {
    fn settle(&self, asks: &ReleaseAsks, accepted: &[Doubt]) -> Result<Vec<String>> {
        asks.settle(self, accepted)
    }
}

impl AskedData for GraphSet {
    /// Users show that they are there: that is settled for all graphs at once.
    fn settle(&self, asks: &ReleaseAsks, accepted: &[Doubt]) -> Result<Vec<String>> {
        asks.settle_users(self, accepted)
    }
}

/// A system with all of its settings, ready to be released once.
pub trait Releasable {
    /// What it reads: one graph, or many.
    type Data: AskedData;

    /// What a release may cost, and what it shows beside what is randomised.
    ///
    /// # Errors
    /// If a number makes no sense, or the range of what is randomised was not declared.
    fn asks(&self, data: &Self::Data) -> Result<ReleaseAsks>;

    /// What the card of a release must repeat, because nothing but the user's word speaks for it.
    ///
    /// # Errors
    /// If the release would show what the records happen to contain, or give no protection.
    fn settle(&self, data: &Self::Data, accepted: &[Doubt]) -> Result<Vec<String>> {
        data.settle(&self.asks(data)?, accepted)
    }

    /// Runs the system once: ledgers go where `run` says, everything else that may be shared to a folder. The card is
    /// that of all of it.
    ///
    /// # Errors
    /// Those of the system, and what the disk says.
    fn write(&self, data: SplitData<'_, Self::Data>, run: &Run<'_>, folder: &Path) -> Result<Card>;
}

#[cfg(test)]
mod tests;
