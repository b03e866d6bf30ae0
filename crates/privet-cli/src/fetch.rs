//! Downloads the files of a benchmark, and believes nothing but their checksums.
//!
//! A file arrives as `NAME.part`, which an interrupted run leaves behind and the next one continues.
//! Only when its length and SHA-256 are those of the catalog does it get its name, so a file that
//! has its name is right. Files without a known checksum are never downloaded.
//!
//! ```no_run
//! use privet::data::catalog;
//! use privet_cli::fetch::{FetchOptions, Progress, fetch};
//! let folder = catalog::cache_dir().ok_or("no cache folder")?;
//! let report = fetch(catalog::find("cora")?, &FetchOptions::new(folder), &mut |event| {
//!     if let Progress::Finished { path } = event {
//!         println!("{path}");
//!     }
//! })?;
//! println!("{} files downloaded", report.downloaded.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod transfer;

pub use error::{FetchError, NetworkFault};

use std::path::{Path, PathBuf};
use std::time::Duration;

use privet::data::catalog::{
    BenchmarkFile, BenchmarkSelection, CatalogBenchmark, FileNeed, FileOrigin, sha256_of,
};
use transfer::Transfer;

/// What can be said about a download.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// The data folder to fill.
    pub to: PathBuf,
    /// Which variant of the benchmark; `None`: the primary one.
    pub variant: Option<String>,
    /// An address that serves a data folder, asked for `MIRROR/PATH` instead of the publishers.
    pub mirror: Option<String>,
    /// What to do with a file that is there already.
    pub existing: Existing,
    /// How often to take up a connection that breaks, per file.
    pub attempts: u32,
    /// How long to wait for a connection, and for a server that says nothing.
    pub patience: Duration,
}

impl FetchOptions {
    /// The defaults; the mirror is `PRIVET_MIRROR`, if that is set.
    pub fn new(to: impl Into<PathBuf>) -> Self {
        let mirror = std::env::var("PRIVET_MIRROR").ok().filter(|mirror| !mirror.is_empty());
        Self {
            to: to.into(),
            variant: None,
            mirror,
            existing: Existing::Keep,
            attempts: 3,
            patience: Duration::from_secs(30),
        }
    }
}

/// What to do with a file that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Keep it if its checksum is right, and stop if it is not.
    Keep,
    /// Download it anew (`--force`).
    Replace,
}

/// What is happening, for a progress bar. Paths are those of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    /// A file is there already, and right.
    Present {
        /// Which file.
        path: &'a str,
    },
    /// A download starts, or starts over.
    Started {
        /// Which file.
        path: &'a str,
        /// Where it comes from.
        url: &'a str,
        /// How many bytes an earlier attempt left.
        resumed_at: u64,
        /// How many bytes it has.
        total: u64,
    },
    /// More bytes have arrived.
    Received {
        /// Which file.
        path: &'a str,
        /// How many bytes are there now.
        received: u64,
        /// How many bytes it has.
        total: u64,
    },
    /// A connection broke, and is taken up again.
    Retrying {
        /// Which file.
        path: &'a str,
    },
    /// A file is complete, right, and in its place.
    Finished {
        /// Which file.
        path: &'a str,
    },
}

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FetchReport {
    /// Files that were downloaded.
    pub downloaded: Vec<PathBuf>,
    /// Files that were there already, and right.
    pub present: Vec<PathBuf>,
    /// Optional files that cannot be downloaded, each with how to obtain it.
    pub left_out: Vec<(PathBuf, String)>,
    /// Bytes that came over the network.
    pub received: u64,
}

/// Downloads what is missing of a benchmark into `options.to`.
///
/// # Errors
/// If there is no verified download, the network or the disk fails, or what arrives is not what the
/// catalog describes. The message says what to do.
pub fn fetch(
    entry: &'static CatalogBenchmark,
    options: &FetchOptions,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<FetchReport, FetchError> {
    let choice = match &options.variant {
        Some(name) => entry.variant(name)?,
        None => entry.primary(),
    };
    let mut job = Job {
        transfer: Transfer::new(options.patience, options.attempts),
        options,
        progress,
        report: FetchReport::default(),
    };
    let here = choice.locate(std::slice::from_ref(&options.to));
    if options.existing == Existing::Keep && here.is_complete() {
        // Also if it lies there packed: nothing is missing then.
        job.get_all(here.files.iter().map(|located| located.file))?;
        return Ok(job.report);
    }
    if options.mirror.is_some() {
        job.get_from_mirror(choice)?;
    } else {
        let layout = choice.variant.download().ok_or_else(|| here.absence())?;
        job.get_all(layout)?;
    }
    Ok(job.report)
}

struct Job<'a> {
    transfer: Transfer,
    options: &'a FetchOptions,
    progress: &'a mut dyn FnMut(Progress<'_>),
    report: FetchReport,
}

impl Job<'_> {
    /// A mirror may serve the files as published or packed: whichever it has, it has.
    fn get_from_mirror(&mut self, choice: BenchmarkSelection) -> Result<(), FetchError> {
        let checked =
            |file: &BenchmarkFile| file.need == FileNeed::Optional || file.sha256.is_some();
        let layouts = choice.variant.layouts.iter().copied();
        let mut first_failure = None;
        for layout in layouts.filter(|layout| layout.iter().all(checked)) {
            match self.get_all(layout) {
                Err(error) if error.is_not_found() => {
                    first_failure.get_or_insert(error);
                }
                done => return done,
            }
        }
        let folder = std::slice::from_ref(&self.options.to);
        Err(first_failure.unwrap_or_else(|| choice.locate(folder).absence().into()))
    }

    fn get_all(
        &mut self,
        files: impl IntoIterator<Item = &'static BenchmarkFile>,
    ) -> Result<(), FetchError> {
        files.into_iter().try_for_each(|file| self.get(file))
    }

    fn get(&mut self, file: &'static BenchmarkFile) -> Result<(), FetchError> {
        let path = file.below(&self.options.to);
        if self.options.existing == Existing::Keep && path.exists() {
            check_present(file, &path)?;
            (self.progress)(Progress::Present { path: file.path });
            self.report.present.push(path);
            return Ok(());
        }
        let (Some(url), Some(total), Some(sha256)) = (self.address(file), file.bytes, file.sha256)
        else {
            let (FileOrigin::ByHand(how) | FileOrigin::Download(how)) = file.origin;
            self.report.left_out.push((path, how.to_owned()));
            return Ok(());
        };
        let wanted = transfer::Wanted { name: file.path, url: &url, path: &path, total, sha256 };
        self.report.received += self.transfer.run(&wanted, self.progress)?;
        (self.progress)(Progress::Finished { path: file.path });
        self.report.downloaded.push(path);
        Ok(())
    }

    fn address(&self, file: &BenchmarkFile) -> Option<String> {
        match (&self.options.mirror, file.origin) {
            (Some(mirror), _) => Some(format!("{}/{}", mirror.trim_end_matches('/'), file.path)),
            (None, FileOrigin::Download(url)) => Some(url.to_owned()),
            (None, FileOrigin::ByHand(_)) => None,
        }
    }
}

/// A file that is there must be the right one, as far as anybody knows.
fn check_present(file: &BenchmarkFile, path: &Path) -> Result<(), FetchError> {
    let Some(expected) = file.sha256 else { return Ok(()) };
    let found = sha256_of(path)?;
    if found == expected {
        return Ok(());
    }
    Err(FetchError::Occupied { path: path.to_owned(), found, expected })
}
