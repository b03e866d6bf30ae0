//! [`Entry`]: what the catalog says about one benchmark.

use std::fmt;
use std::path::{Path, PathBuf};

use super::{Counts, Located, Selection};
use crate::formats::{Format, ReadOptions};
use crate::{Error, LoadedData, Result};

/// A public benchmark.
#[derive(Debug)]
pub struct Entry {
    /// The name to call it by; also the folder of its files, except for the `large` ones.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// What it is, in one line.
    pub title: &'static str,
    /// The papers that report results on it.
    pub papers: &'static [Paper],
    /// Who put it out, and where.
    pub published: &'static str,
    /// What is known about its licence, and what is not.
    pub licence: &'static str,
    /// What a reader of the papers should know; empty if there is nothing.
    pub note: &'static str,
    /// The forms it comes in, the primary one first. Never empty.
    pub variants: &'static [Variant],
}

impl Entry {
    /// The variant that its bare name stands for.
    pub fn primary(&'static self) -> Selection {
        Selection { entry: self, variant: &self.variants[0] }
    }

    /// The variant of that name.
    ///
    /// # Errors
    /// If there is none; the error suggests the nearest.
    pub fn variant(&'static self, name: &str) -> Result<Selection> {
        let wanted = super::normalized(name);
        let found = self.variants.iter().find(|variant| variant.name == wanted);
        found.map(|variant| Selection { entry: self, variant }).ok_or_else(|| {
            let full = |variant: &str| format!("{}/{variant}", self.name);
            let known: Vec<_> = self.variants.iter().map(|variant| full(variant.name)).collect();
            let known = known.iter().map(String::as_str);
            Error::unknown_name("dataset variant", &full(name), known)
        })
    }

    /// Which files of the primary variant lie in the first of `data_dirs` that has them.
    pub fn locate(&'static self, data_dirs: &[PathBuf]) -> Located {
        self.primary().locate(data_dirs)
    }

    /// Reads it: the variant that `options.member` names, or else the primary one.
    ///
    /// # Errors
    /// If a file is absent (the error says where to get it) or cannot be read.
    pub fn load(&'static self, data_dirs: &[PathBuf], options: &ReadOptions) -> Result<LoadedData> {
        let chosen = match &options.member {
            Some(name) => self.variant(name)?,
            None => self.primary(),
        };
        chosen.load(data_dirs, options)
    }
}

/// The four papers whose systems Privet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Paper {
    /// Locally private graph embedding (features).
    LdpGe,
    /// Heterogeneous randomized response (features and edges).
    HeteroRr,
    /// Degree-preserving randomized response (edges).
    Dprr,
    /// Decoupled graph neural networks with node-level differential privacy.
    Dpar,
}

impl Paper {
    /// The name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::LdpGe => "LDP-GE",
            Self::HeteroRr => "HeteroRR",
            Self::Dprr => "DPRR",
            Self::Dpar => "DPAR",
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One form of a benchmark: a set of files, or a way to label or cut what they hold.
#[derive(Debug)]
pub struct Variant {
    /// The name after the slash.
    pub name: &'static str,
    /// What sets it apart.
    pub about: &'static str,
    /// How its files are read.
    pub format: Format,
    /// Which dataset of an archive that holds several.
    pub member: Option<&'static str>,
    /// The ways in which its content may lie in a data folder: as published, or packed. Any one
    /// will do; the first complete one is used.
    pub layouts: &'static [&'static [File]],
    /// What it should hold.
    pub counts: Counts,
    /// What public knowledge says about the range of its features.
    pub bounds: PublicBounds,
    /// What is done to it after reading.
    pub recipe: Recipe,
}

impl Variant {
    /// The first layout whose files, optional ones aside, can all be downloaded.
    pub fn download(&self) -> Option<&'static [File]> {
        let downloads =
            |file: &File| file.need == Need::Optional || matches!(file.origin, Origin::Download(_));
        self.layouts.iter().copied().find(|layout| layout.iter().all(downloads))
    }
}

/// One file of a [`Variant`].
#[derive(Debug)]
pub struct File {
    /// Where it lies below a data folder, with `/` between the parts.
    pub path: &'static str,
    /// Its length, if known.
    pub bytes: Option<u64>,
    /// Its SHA-256 checksum in lower-case hexadecimal, if known.
    pub sha256: Option<&'static str>,
    /// How to obtain it.
    pub origin: Origin,
    /// Whether the variant can be read without it.
    pub need: Need,
}

impl File {
    /// A file with a known origin.
    pub(super) const fn published(
        path: &'static str,
        bytes: u64,
        sha256: &'static str,
        url: &'static str,
    ) -> Self {
        let origin = Origin::Download(url);
        Self { path, bytes: Some(bytes), sha256: Some(sha256), origin, need: Need::Required }
    }

    /// A file whose bytes are known, but which nobody is known to serve.
    pub(super) const fn known(
        path: &'static str,
        bytes: u64,
        sha256: &'static str,
        how: &'static str,
    ) -> Self {
        let origin = Origin::ByHand(how);
        Self { path, bytes: Some(bytes), sha256: Some(sha256), origin, need: Need::Required }
    }

    /// A file that was never seen.
    pub(super) const fn unseen(path: &'static str, how: &'static str) -> Self {
        let origin = Origin::ByHand(how);
        Self { path, bytes: None, sha256: None, origin, need: Need::Required }
    }

    /// The same file, but the variant can be read without it.
    pub(super) const fn optional(mut self) -> Self {
        self.need = Need::Optional;
        self
    }

    /// Where it lies in a data folder; `/` separates folders on every system.
    pub fn below(&self, folder: &Path) -> PathBuf {
        self.path.split('/').fold(folder.to_owned(), |path, part| path.join(part))
    }

    /// Its name without the folders.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// Whether a [`Variant`] can be read without a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// It cannot.
    Required,
    /// It can, and then lacks what the file holds.
    Optional,
}

/// How a [`File`] is obtained.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// The address that serves these bytes. Addresses were taken from the publishers' repositories;
    /// the checksum, not the address, says whether what arrives is right.
    Download(&'static str),
    /// There is no verified download: where it is published, or how it was made.
    ByHand(&'static str),
}

/// What public knowledge, not the records, says about the range of the features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublicBounds {
    /// Nothing: whoever protects the features has to declare a range.
    Unstated,
    /// Every value is 0 or 1, because the publisher describes presence of a word, page or artist.
    Binary,
}

/// What is done to a dataset after its files are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Recipe {
    /// Nothing.
    AsRead,
    /// Two classes: nodes whose target quantity is above the threshold, and the rest.
    SplitTargetAt(f64),
    /// The induced subgraph of the nodes in the largest classes, this many.
    LargestClasses(usize),
}
