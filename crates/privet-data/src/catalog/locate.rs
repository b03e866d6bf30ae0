//! Where the files of a benchmark lie: [`data_dirs`] to search, and what a search [`LocatedBenchmark`].

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::{BenchmarkFile, BenchmarkSelection, FileNeed, FileOrigin};
use crate::{Error, FoundValue, Result, SourceLocation};

/// The folders to search, in this order: the one given, `PRIVET_DATA_DIR`, `../shared/data` if it
/// is there, and the user's cache ([`cache_dir`]). For each benchmark the first that has it wins.
pub fn data_dirs(explicit: Option<&Path>) -> Vec<PathBuf> {
    let shared = Path::new("../shared/data");
    let mut folders: Vec<PathBuf> = explicit
        // The most explicit place first; the order decides which copy is read.
        .map(Path::to_owned)
        .into_iter()
        .chain(variable("PRIVET_DATA_DIR"))
        .chain(shared.is_dir().then(|| shared.to_owned()))
        .chain(cache_dir())
        // A folder may be named twice, and is searched once.
        .collect();
    let mut seen = Vec::new();
    folders.retain(|folder| {
        let new = !seen.contains(folder);
        seen.push(folder.clone());
        new
    });
    folders
}

/// Where downloads go by default: `privet/data` in the user's cache folder.
pub fn cache_dir() -> Option<PathBuf> {
    cache_dir_of(env::consts::OS, |name| env::var_os(name))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn cache_dir_of(system: &str, variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG specification says to ignore a relative path; the others are never relative.
    let folder = |name| variable(name).map(PathBuf::from).filter(|path| path.has_root());
    let home = |inside| folder("HOME").map(|home| home.join(inside));
    let caches = match system {
        "macos" | "ios" => home("Library/Caches"),
        "windows" => folder("LOCALAPPDATA"),
        _ => folder("XDG_CACHE_HOME").or_else(|| home(".cache")),
    };
    caches.map(|caches| caches.join("privet").join("data"))
}

/// One file, and whether it is there.
#[derive(Debug, Clone)]
pub struct LocatedFile {
    /// What the catalog says about it.
    pub file: &'static BenchmarkFile,
    /// Where it is, or should be.
    pub path: PathBuf,
    /// Its length, if it is there.
    pub bytes: Option<u64>,
}

impl LocatedFile {
    /// Whether it is there.
    pub fn is_present(&self) -> bool {
        self.bytes.is_some()
    }
}

/// Which files of a benchmark are in a data folder, and which are not.
#[derive(Debug, Clone)]
pub struct LocatedBenchmark {
    /// What was looked for.
    pub selection: BenchmarkSelection,
    /// Its files in the best folder: a complete one, or else the one that has the most of them.
    pub files: Vec<LocatedFile>,
    /// The folders that were searched.
    pub searched: Vec<PathBuf>,
}

impl LocatedBenchmark {
    pub(super) fn search(selection: BenchmarkSelection, folders: &[PathBuf]) -> Self {
        let located = |files| Self { selection, files, searched: folders.to_vec() };
        let mut best = located(Vec::new());
        for folder in folders {
            for layout in selection.variant.layouts {
                let here = located(layout.iter().map(|file| look_for(file, folder)).collect());
                if here.is_complete() {
                    // The first complete copy is taken; partial copies of several folders are never
                    // mixed.
                    return here;
                }
                // Otherwise the folder with most files, so that the message lists what is missing
                // there.
                if best.files.is_empty() || here.present().count() > best.present().count() {
                    best = here;
                }
            }
        }
        best
    }

    /// Whether every file that is needed is there.
    pub fn is_complete(&self) -> bool {
        !self.files.is_empty() && self.missing().next().is_none()
    }

    /// The files that are there.
    pub fn present(&self) -> impl Iterator<Item = &LocatedFile> {
        self.files.iter().filter(|located| located.is_present())
    }

    /// The files that are needed and not there.
    pub fn missing(&self) -> impl Iterator<Item = &LocatedFile> {
        self.absent(FileNeed::Required)
    }

    /// The files that could be done without and are not there.
    pub fn missing_optional(&self) -> impl Iterator<Item = &LocatedFile> {
        self.absent(FileNeed::Optional)
    }

    fn absent(&self, need: FileNeed) -> impl Iterator<Item = &LocatedFile> {
        self.files.iter().filter(move |located| !located.is_present() && located.file.need == need)
    }

    /// Compares the checksum of every file that is there with the catalog's.
    ///
    /// # Errors
    /// If one differs or cannot be read.
    pub fn verify(&self) -> Result<()> {
        for located in self.present() {
            // A file without a published checksum cannot be checked.
            let Some(expected) = located.file.sha256 else { continue };
            let found = sha256_of(&located.path)?;
            if found != expected {
                let place = SourceLocation::file(located.path.display().to_string());
                return Err(place.malformed(
                    FoundValue::words(format!("sha256 {found}")),
                    format!("sha256 {expected}"),
                ));
            }
        }
        Ok(())
    }

    /// The error that says what is missing and how to get it.
    pub fn absence(&self) -> Error {
        let layouts = self.selection.variant.layouts;
        let remedy = if self.selection.variant.download().is_some() {
            format!("get it with `privet data fetch {}`", self.selection)
        } else {
            // Each file that cannot be downloaded has instructions of its own.
            let by_hand = layouts.iter().copied().flatten().filter_map(|file| match file.origin {
                FileOrigin::ByHand(how) if file.need == FileNeed::Required => Some((file, how)),
                _ => None,
            });
            let instructions: Vec<_> = by_hand.map(|(file, how)| tell_by_hand(file, how)).collect();
            format!("there is no verified download: {}", instructions.join("; "))
        };
        let missing = if self.files.is_empty() {
            layouts.iter().take(1).copied().flatten().map(|file| file.path.into()).collect()
        } else {
            self.missing().map(|located| located.file.path.into()).collect()
        };
        Error::Absent {
            name: self.selection.to_string(),
            missing,
            searched: self.searched.iter().map(|folder| folder.display().to_string()).collect(),
            remedy,
        }
    }
}

fn tell_by_hand(file: &BenchmarkFile, how: &str) -> String {
    format!("put {} into a data folder as {} ({how})", file.name(), file.path)
}

fn look_for(file: &'static BenchmarkFile, folder: &Path) -> LocatedFile {
    let path = file.below(folder);
    let bytes = std::fs::metadata(&path).ok().filter(|m| m.is_file()).map(|m| m.len());
    LocatedFile { file, path, bytes }
}

/// A SHA-256 checksum in the making.
///
/// ```
/// use privet_data::catalog::FileChecksum;
/// let mut checksum = FileChecksum::default();
/// checksum.update(b"abc");
/// assert!(checksum.finish().starts_with("ba7816bf8f01cfea"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct FileChecksum(Sha256);

impl FileChecksum {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds all bytes of a reader, and says how many there were.
    ///
    /// # Errors
    /// If reading fails.
    pub fn update_from(&mut self, mut reader: impl Read) -> std::io::Result<u64> {
        // In blocks: a benchmark file may be larger than memory.
        let (mut buffer, mut total) = (vec![0; 1 << 16], 0);
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(total),
                Ok(count) => {
                    self.update(&buffer[..count]);
                    total += count as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The checksum as 64 hexadecimal digits.
    pub fn finish(self) -> String {
        let mut text = String::with_capacity(64);
        for byte in self.0.finalize() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// The SHA-256 checksum of a file.
///
/// # Errors
/// If it cannot be read.
pub fn sha256_of(path: &Path) -> Result<String> {
    let place = SourceLocation::file(path.display().to_string());
    let file = File::open(path).map_err(|error| place.io(error))?;
    let mut checksum = FileChecksum::default();
    checksum.update_from(file).map_err(|error| place.io(error))?;
    Ok(checksum.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{find, select};

    fn put(folder: &Path, path: &str) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }

    #[test]
    fn caches_are_where_each_system_keeps_them() {
        let all = |name: &str| Some(OsString::from(format!("/{}", name.to_lowercase())));
        let at = |system| cache_dir_of(system, all).unwrap();
        assert_eq!(at("linux"), Path::new("/xdg_cache_home/privet/data"));
        assert_eq!(at("macos"), Path::new("/home/Library/Caches/privet/data"));
        assert_eq!(at("windows"), Path::new("/localappdata/privet/data"));
        let home = |name: &str| (name == "HOME").then(|| OsString::from("/h"));
        assert_eq!(cache_dir_of("linux", home).unwrap(), Path::new("/h/.cache/privet/data"));
        assert_eq!(cache_dir_of("linux", |_| None), None);
        assert_eq!(cache_dir_of("linux", |_| Some("relative".into())), None);
    }

    #[test]
    fn the_folder_given_comes_first_and_once() {
        let given = Path::new("/given");
        assert_eq!(data_dirs(Some(given))[0], given);
        if let Some(cache) = cache_dir() {
            let folders = data_dirs(Some(&cache));
            assert_eq!(folders.iter().filter(|folder| **folder == cache).count(), 1);
        }
    }

    #[test]
    fn the_first_complete_folder_wins_packed_or_not() {
        let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folders = [first.path().to_owned(), second.path().to_owned()];
        let linqs = select("cora/linqs").unwrap();
        put(first.path(), "cora/linqs/cora.cites");
        let half = linqs.locate(&folders);
        assert!(!half.is_complete());
        let missing: Vec<_> = half.missing().map(|located| located.file.path).collect();
        assert_eq!(missing, ["cora/linqs/cora.content"]);
        put(second.path(), "cora/linqs/cora.cites");
        put(second.path(), "cora/linqs/cora.content.gz");
        let packed = linqs.locate(&folders);
        assert!(packed.is_complete());
        assert!(packed.files.iter().all(|located| located.path.starts_with(second.path())));
        assert!(packed.verify().is_err(), "the bytes are not the published ones");
        put(first.path(), "cora/linqs/cora.content");
        let plain = linqs.locate(&folders);
        assert!(plain.files.iter().all(|located| located.path.starts_with(first.path())));
    }

    #[test]
    fn an_optional_file_may_be_absent() {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "lastfm_asia/lastfm_asia_edges.csv");
        put(folder.path(), "lastfm_asia/lastfm_asia_target.csv");
        let found = find("lastfm").unwrap().locate(&[folder.path().to_owned()]);
        assert!(found.is_complete());
        assert_eq!(found.missing_optional().count(), 1);
    }

    #[test]
    fn absence_says_what_where_and_what_to_do() {
        let options = crate::formats::ReadOptions::default();
        let message = |name: &str, folders: &[PathBuf]| {
            select(name).unwrap().load(folders, &options).unwrap_err().with_values()
        };
        let cora_ml = message("cora_ml", &["/a".into(), "/b".into()]);
        assert_eq!(
            cora_ml,
            "dataset cora_ml is not here: cora_ml/cora_ml.npz absent; looked in /a, /b; \
             get it with `privet data fetch cora_ml`"
        );
        let lastfm = message("lastfm", &[]);
        assert!(lastfm.contains("fetch lastfm_asia`"), "an optional file: {lastfm}");
        let by_hand = message("reddit_multi_5k", &[]);
        assert!(by_hand.contains("looked in no folder"), "{by_hand}");
        let place = "as reddit_multi_5k/REDDITMULTI5K.txt";
        assert!(by_hand.contains("no verified download") && by_hand.contains(place), "{by_hand}");
    }

    #[test]
    fn agrees_with_the_standard() {
        // FIPS 180-4 examples: "abc" and the empty message.
        let mut checksum = FileChecksum::default();
        assert_eq!(checksum.update_from(&b"abc"[..]).unwrap(), 3);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(checksum.finish(), abc);
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(FileChecksum::default().finish(), empty);
    }

    #[test]
    fn a_missing_file_is_named() {
        let message = sha256_of(Path::new("no/such/file")).unwrap_err().with_values();
        assert_eq!(message, "no/such/file: there is no folder no");
    }
}
