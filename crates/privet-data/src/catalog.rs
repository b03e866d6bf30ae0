//! The public benchmarks: their files, checksums, origins, expected counts, and how to assemble
//! them into a [`crate::Dataset`] or a [`crate::GraphSet`].
//!
//! Nothing here uses the network. [`data_dirs`] says where files are looked for, [`find`] and
//! [`select`] turn what a user typed into an [`CatalogBenchmark`], and [`CatalogBenchmark::load`] reads the files.
//!
//! ```
//! use privet_data::catalog;
//! assert_eq!(catalog::find("Facebook")?.name, "facebook_page_page");
//! let choice = catalog::select("cora/linqs")?;
//! assert_eq!(choice.to_string(), "cora/linqs");
//! assert_eq!(choice.variant.counts.edges, Some(5_278));
//! # Ok::<(), privet_graph::Error>(())
//! ```
//!
//! | to find | look in |
//! |---|---|
//! | what an entry says | [`CatalogBenchmark`], [`BenchmarkVariant`], [`BenchmarkFile`], [`BenchmarkCounts`] |
//! | where files lie | [`LocatedBenchmark`] |
//! | labels and bounds that the files do not hold | [`Recipe`], [`PublicBounds`] |

/// The address of a file in a public repository: `OWNER/NAME/BRANCH-OR-COMMIT/PATH`. A commit where
/// it is known; `HEAD` is the default branch, whatever its name.
macro_rules! github {
    ($file:expr) => {
        concat!("https://raw.githubusercontent.com/", $file)
    };
}

/// Files that keep their published names: `"local folder/" from "repository folder/"`, and then
/// name, length and SHA-256 of each.
macro_rules! published {
    ($($folder:literal from $source:literal { $($name:literal $bytes:literal $sha256:literal;)+ })+) => {
        &[$($(BenchmarkFile::published(
            concat!($folder, $name),
            $bytes,
            $sha256,
            concat!("https://raw.githubusercontent.com/", $source, $name),
        )),+),+]
    };
}

/// Files that were made here out of published ones: `"local folder/" from "origin"`, and then name, length and SHA-256
/// of each.
macro_rules! converted {
    ($($folder:literal from $source:literal { $($name:literal $bytes:literal $sha256:literal;)+ })+) => {
        &[$($(BenchmarkFile::known(
            concat!($folder, $name),
            $bytes,
            $sha256,
            concat!("converted from ", $source),
        )),+),+]
    };
}

mod assemble;
mod citation;
mod entry;
mod facebook100;
mod graph_sets;
mod heterophilous;
mod large;
mod locate;
mod musae_pages;
mod tables;

pub use entry::{BenchmarkCounts, CountSource};
pub use entry::{
    BenchmarkFile, BenchmarkVariant, CatalogBenchmark, FileNeed, FileOrigin, Paper, PublicBounds,
    Recipe,
};
pub use locate::{FileChecksum, sha256_of};
pub use locate::{LocatedBenchmark, LocatedFile, cache_dir, data_dirs};

use std::fmt;
use std::path::PathBuf;

use crate::formats::ReadOptions;
use crate::{Error, LoadedData, Result};

/// All benchmarks, those of the papers first.
static ENTRIES: [&CatalogBenchmark; 26] = [
    &citation::CORA,
    &citation::CITESEER,
    &citation::PUBMED,
    &musae_pages::LASTFM,
    &musae_pages::FACEBOOK,
    &musae_pages::WIKIPEDIA,
    &graph_sets::PPI,
    &large::FLICKR_MIR,
    &graph_sets::REDDIT_BINARY,
    &graph_sets::REDDIT_MULTI_5K,
    &graph_sets::GITHUB_STARGAZERS,
    &citation::CORA_ML,
    &citation::MS_ACADEMIC_CS,
    &citation::MS_ACADEMIC_PHY,
    &large::REDDIT,
    &graph_sets::MUTAG,
    &graph_sets::IMDB_BINARY,
    &graph_sets::REDDIT_THREADS,
    &facebook100::FACEBOOK100,
    &heterophilous::HETEROPHILOUS,
    &heterophilous::TWITCH,
    &tables::TABLES,
    &large::EGO_TWITTER,
    &large::SOC_SLASHDOT,
    &large::SOC_EPINIONS,
    &large::CNR_2000,
];

/// All benchmarks, those of the papers first.
pub fn entries() -> impl ExactSizeIterator<Item = &'static CatalogBenchmark> {
    ENTRIES.iter().copied()
}

/// The benchmark of that name or alias; case does not matter, and `-` is `_`.
///
/// # Errors
/// If there is none; the error suggests the nearest.
pub fn find(name: &str) -> Result<&'static CatalogBenchmark> {
    let wanted = normalized(name);
    let called =
        |entry: &&CatalogBenchmark| entry.name == wanted || entry.aliases.contains(&&*wanted);
    entries().find(called).ok_or_else(|| unknown(name, &wanted))
}

/// Suggests an alias as readily as a name, but lists only the names.
fn unknown(name: &str, wanted: &str) -> Error {
    let names = || entries().map(|entry| entry.name);
    let spelled = entries().flat_map(|entry| entry.aliases.iter().copied()).chain(names());
    let nearest = match Error::unknown_name("dataset", wanted, spelled) {
        Error::UnknownName { suggestion, .. } => suggestion,
        _ => None,
    };
    let known = names().map(str::to_owned).collect();
    Error::UnknownName { kind: "dataset", name: name.into(), suggestion: nearest, known }
}

/// The benchmark and variant of a name such as `cora` (its primary variant) or `cora/linqs`.
///
/// # Errors
/// If there is no such benchmark or variant; the error suggests the nearest.
pub fn select(name: &str) -> Result<BenchmarkSelection> {
    match name.split_once('/') {
        None => Ok(find(name)?.primary()),
        Some((entry, variant)) => find(entry)?.variant(variant),
    }
}

fn normalized(name: &str) -> String {
    name.trim().to_lowercase().replace(['-', ' '], "_")
}

/// One variant of one benchmark.
#[derive(Debug, Clone, Copy)]
pub struct BenchmarkSelection {
    /// The benchmark.
    pub entry: &'static CatalogBenchmark,
    /// Which of its variants.
    pub variant: &'static BenchmarkVariant,
}

impl BenchmarkSelection {
    /// Which of its files lie in the first of `data_dirs` that has them.
    pub fn locate(&self, data_dirs: &[PathBuf]) -> LocatedBenchmark {
        LocatedBenchmark::search(*self, data_dirs)
    }

    /// Reads it.
    ///
    /// # Errors
    /// If a file is absent (the error says where to get it) or cannot be read.
    pub fn load(&self, data_dirs: &[PathBuf], options: &ReadOptions) -> Result<LoadedData> {
        assemble::load(&self.locate(data_dirs), options)
    }
}

/// `cora` for a primary variant, `cora/linqs` for another.
impl fmt::Display for BenchmarkSelection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.entry.name)?;
        if !std::ptr::eq(self.variant, &self.entry.variants[0]) {
            write!(f, "/{}", self.variant.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_aliases_are_normal_and_lead_to_one_entry() {
        let mut seen = HashSet::new();
        for entry in entries() {
            for name in entry.aliases.iter().chain([&entry.name]) {
                assert_eq!(normalized(name), **name, "{name} could never be found");
                assert!(seen.insert(*name), "{name} is there twice");
                assert!(std::ptr::eq(find(name).unwrap(), entry), "{name}");
            }
        }
    }

    #[test]
    fn spelling_does_not_matter_and_a_near_miss_is_suggested() {
        assert_eq!(find("Reddit-Binary").unwrap().name, "reddit_binary");
        assert_eq!(find(" CS ").unwrap().name, "ms_academic_cs");
        let message = find("citeser").unwrap_err().with_values();
        assert!(message.contains("'citeser' (did you mean 'citeseer'?)"), "{message}");
        let message = find("crocodil").unwrap_err().with_values();
        assert!(message.contains("did you mean 'crocodile'"), "{message}");
        let message = select("cora/linq").unwrap_err().with_values();
        assert!(message.contains("variant 'cora/linq' (did you mean 'cora/linqs'?)"), "{message}");
        assert!(find("cora/linqs").is_err(), "a variant is not an entry");
    }

    #[test]
    fn variants_print_as_they_are_typed() {
        for entry in entries() {
            assert_eq!(entry.primary().to_string(), entry.name);
            for variant in entry.variants {
                let typed = format!("{}/{}", entry.name, variant.name);
                let choice = select(&typed).unwrap();
                assert!(std::ptr::eq(choice.variant, variant), "{typed}");
                let printed = choice.to_string();
                assert!(printed == typed || printed == entry.name, "{printed}");
            }
        }
    }

    #[test]
    fn every_file_is_described_well_enough_to_be_used() {
        let mut checksums = std::collections::HashMap::new();
        for entry in entries() {
            assert!(!entry.title.is_empty() && !entry.licence.is_empty(), "{}", entry.name);
            for file in entry.variants.iter().flat_map(|v| v.layouts).copied().flatten() {
                let path = file.path;
                assert!(!path.starts_with('/') && !path.contains("..") && path.contains('/'));
                if let Some(sum) = file.sha256 {
                    assert!(sum.len() == 64 && sum.bytes().all(|b| b.is_ascii_hexdigit()));
                    assert_eq!(sum, sum.to_lowercase(), "{path}");
                    // A file that several variants share is the same file.
                    let described = (file.bytes, sum);
                    assert_eq!(*checksums.entry(path).or_insert(described), described, "{path}");
                }
                match file.origin {
                    FileOrigin::Download(url) => {
                        assert!(url.starts_with("https://"), "{path}");
                        assert!(file.sha256.is_some() && file.bytes.is_some(), "{path}");
                    }
                    FileOrigin::ByHand(how) => assert!(!how.is_empty(), "{path}"),
                }
            }
        }
        assert_eq!(checksums.len(), 56 + 52 + 24 + 2, "108 files here, and 26 unpacked");
    }
}
