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

mod transfer;

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
    let mut job = DownloadJob {
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
    // Without a mirror one layout is known to be downloadable.
    } else {
        let layout = choice.variant.download().ok_or_else(|| here.absence())?;
        job.get_all(layout)?;
    }
    Ok(job.report)
}

struct DownloadJob<'a> {
    transfer: Transfer,
    options: &'a FetchOptions,
    progress: &'a mut dyn FnMut(Progress<'_>),
    report: FetchReport,
}

impl DownloadJob<'_> {
    /// A mirror may serve the files as published or packed: whichever it has, it has.
    fn get_from_mirror(&mut self, choice: BenchmarkSelection) -> Result<(), FetchError> {
        let checked =
            |file: &BenchmarkFile| file.need == FileNeed::Optional || file.sha256.is_some();
        let layouts = choice.variant.layouts.iter().copied();
        let mut first_failure = None;
        // A mirror is not trusted: what it serves must have a published checksum.
        for layout in layouts.filter(|layout| layout.iter().all(checked)) {
            match self.get_all(layout) {
                // Another layout may be there; any other error ends the search.
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
        // A present file is checked, and a wrong one never overwritten without being asked.
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
        let wanted =
            transfer::DownloadRequest { name: file.path, url: &url, path: &path, total, sha256 };
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

/// A file that is there must be the right one, as far as its publisher's checksum tells.
fn check_present(file: &BenchmarkFile, path: &Path) -> Result<(), FetchError> {
    let Some(expected) = file.sha256 else { return Ok(()) };
    let found = sha256_of(path)?;
    if found == expected {
        return Ok(());
    }
    Err(FetchError::Occupied { path: path.to_owned(), found, expected })
}

// What can go wrong in a download, and what to do about it.

/// Why a benchmark was not downloaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The benchmark has no verified download, or is unknown, or a file cannot be read.
    #[error(transparent)]
    Catalog(Box<privet::graph::Error>),
    /// A file cannot be written.
    #[error("{}: cannot write: {source}", path.display())]
    Disk {
        /// Which file.
        path: PathBuf,
        /// The system's own reason.
        source: std::io::Error,
    },
    /// Another file is where the download belongs.
    #[error(
        "{}: found sha256 {found}; expected {expected}; if that file is not needed, replace it with \
         --force, or choose another folder with --data-dir", path.display()
    )]
    Occupied {
        /// Which file.
        path: PathBuf,
        /// Its checksum.
        found: String,
        /// The catalog's checksum.
        expected: &'static str,
    },
    /// Another process is downloading the same file.
    #[error("{}: another download is writing this file; wait for it to end", path.display())]
    Busy {
        /// The unfinished file.
        path: PathBuf,
    },
    /// The server did not deliver.
    #[error("{url}: {failure}; {remedy}")]
    Network {
        /// What was asked for.
        url: String,
        /// What happened.
        failure: NetworkFault,
        /// What to do.
        remedy: String,
    },
}

impl FetchError {
    /// Whether the server has no such file.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Network { failure: NetworkFault::Status(404 | 410), .. })
    }
}

impl From<privet::graph::Error> for FetchError {
    fn from(error: privet::graph::Error) -> Self {
        Self::Catalog(Box::new(error))
    }
}

/// What a server, or the way to it, did.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkFault {
    /// It answered with an error.
    #[error("the server answered {}", describe(*.0))]
    Status(u16),
    /// There was no connection.
    #[error("no connection: {0}")]
    Unreachable(String),
    /// It fell silent.
    #[error("the server said nothing for {0} seconds")]
    Silent(u64),
    /// It stopped in the middle.
    #[error("the connection ended after {received} of {total} bytes")]
    Cut {
        /// Bytes that are there.
        received: u64,
        /// Bytes the file has.
        total: u64,
    },
    /// It was asked for the rest of a file and sent something else.
    #[error("the server cannot continue this file where an earlier download stopped")]
    WrongRange,
    /// It sent more than the file has.
    #[error("the server sent more than the {0} bytes of the published file")]
    TooLong(u64),
    /// It sent another file of the same length.
    #[error("what arrived has sha256 {found}; expected {expected}; it was thrown away")]
    Checksum {
        /// The checksum of what arrived.
        found: String,
        /// The catalog's checksum.
        expected: String,
    },
}

impl NetworkFault {
    /// Whether the bytes so far are good, so that it makes sense to ask for the rest.
    fn can_continue(&self) -> bool {
        matches!(self, Self::Cut { .. } | Self::Silent(_))
    }
}

fn describe(status: u16) -> String {
    match status {
        401 | 403 => format!("{status} (access denied)"),
        404 | 410 => format!("{status} (not found)"),
        429 => format!("{status} (too many requests: wait a while)"),
        500.. => format!("{status} (a fault of the server: try again later)"),
        _ => status.to_string(),
    }
}
