//! [`Transfer`]: one file over HTTP, resumed where an earlier attempt stopped, verified, renamed.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use privet::data::catalog::FileChecksum;
use ureq::http::{HeaderMap, StatusCode};

use super::{FetchError, NetworkFault, Progress};

/// What to get, from where, and how to know it.
pub(super) struct DownloadRequest<'a> {
    /// What to call it in progress reports.
    pub name: &'a str,
    pub url: &'a str,
    pub path: &'a Path,
    pub total: u64,
    pub sha256: &'static str,
}

impl DownloadRequest<'_> {
    fn part(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".part");
        name.into()
    }

    fn network(&self, failure: NetworkFault) -> FetchError {
        let again = if failure.can_continue() {
            "run the same command again to continue from there, or put"
        } else {
            "try later or with --mirror, or put"
        };
        let remedy = format!(
            "{again} the file at {} by hand ({} bytes, sha256 {})",
            self.path.display(),
            self.total,
            self.sha256
        );
        FetchError::Network { url: self.url.to_owned(), failure, remedy }
    }
}

/// How one attempt ended, if not well.
enum Trouble {
    /// For good.
    Final(FetchError),
    /// The bytes so far are good.
    Broken(NetworkFault),
    /// What an earlier attempt left is no part of the file; it was thrown away.
    Stale(NetworkFault),
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Self::Final(error)
    }
}

pub(super) struct Transfer {
    agent: ureq::Agent,
    patience: Duration,
    attempts: u32,
}

impl Transfer {
    pub fn new(patience: Duration, attempts: u32) -> Self {
        let config = ureq::Agent::config_builder()
            // A status is judged below: 404 and 416 have different consequences.
            .http_status_as_error(false)
            // Lengths and ranges are those of the file, so it must come as it is.
            .accept_encoding("identity")
            .user_agent(concat!("privet/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(patience))
            .timeout_recv_response(Some(patience))
            .timeout_per_read(Some(patience))
            .build();
        Self { agent: config.new_agent(), patience, attempts }
    }

    /// Gets one file into its place; says how many bytes came over the network.
    pub fn run(
        &self,
        wanted: &DownloadRequest<'_>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<u64, FetchError> {
        let (mut attempts, mut restarted, mut received) = (1, false, 0);
        loop {
            match self.attempt(wanted, progress, &mut received) {
                Ok(()) => return Ok(received),
                Err(Trouble::Final(error)) => return Err(error),
                // A second time the fault is not with what was left behind.
                Err(Trouble::Stale(failure)) if restarted => return Err(wanted.network(failure)),
                Err(Trouble::Stale(_)) => restarted = true,
                Err(Trouble::Broken(failure)) if attempts >= self.attempts => {
                    return Err(wanted.network(failure));
                }
                Err(Trouble::Broken(_)) => {
                    attempts += 1;
                    progress(Progress::Retrying { path: wanted.name });
                }
            }
        }
    }

    fn attempt(
        &self,
        wanted: &DownloadRequest<'_>,
        progress: &mut dyn FnMut(Progress<'_>),
        received: &mut u64,
    ) -> Result<(), Trouble> {
        let mut part = PartialFile::open(wanted)?;
        let mut resumed = part.length > 0;
        if part.length < wanted.total {
            let body = self.request(wanted, &mut part)?;
            // The server may have begun anew in spite of the range.
            resumed = part.length > 0;
            let (path, url, resumed_at) = (wanted.name, wanted.url, part.length);
            progress(Progress::Started { path, url, resumed_at, total: wanted.total });
            self.receive(wanted, body, &mut part, progress, received)?;
        }
        let found = part.checksum.clone().finish();
        if found == wanted.sha256 {
            return Ok(part.put_in_place(wanted)?);
        }
        part.discard();
        let failure = NetworkFault::Checksum { found, expected: wanted.sha256.to_owned() };
        // What was left from an earlier download may be wrong: tried once from the beginning.
        if resumed {
            return Err(Trouble::Stale(failure));
        }
        Err(wanted.network(failure).into())
    }

    /// Asks for the bytes that `part` lacks. Empties `part` if the server sends all of them.
    fn request(
        &self,
        wanted: &DownloadRequest<'_>,
        part: &mut PartialFile,
    ) -> Result<ureq::Body, Trouble> {
        let mut request = self.agent.get(wanted.url);
        if part.length > 0 {
            request = request.header("Range", format!("bytes={}-", part.length));
        }
        let response = request.call().map_err(|error| {
            part.discard_if_empty();
            wanted.network(self.explain(error))
        })?;
        let status = response.status();
        let resuming = part.length > 0;
        // The range must begin where the file ends, or the result would have a gap.
        let continues = range_start(response.headers()) == Some(part.length);
        match status {
            StatusCode::PARTIAL_CONTENT if resuming && continues => {}
            StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if resuming => {
                part.discard();
                return Err(Trouble::Stale(NetworkFault::WrongRange));
            }
            // The whole file instead of a range.
            StatusCode::OK => part.restart()?,
            _ => {
                part.discard_if_empty();
                return Err(wanted.network(NetworkFault::Status(status.as_u16())).into());
            }
        }
        Ok(response.into_body())
    }

    fn receive(
        &self,
        wanted: &DownloadRequest<'_>,
        body: ureq::Body,
        part: &mut PartialFile,
        progress: &mut dyn FnMut(Progress<'_>),
        received: &mut u64,
    ) -> Result<(), Trouble> {
        let (mut reader, mut buffer) = (body.into_reader(), vec![0; 1 << 16]);
        let cut =
            |length| Trouble::Broken(NetworkFault::Cut { received: length, total: wanted.total });
        loop {
            let count = match reader.read(&mut buffer) {
                Ok(0) if part.length < wanted.total => return Err(cut(part.length)),
                Ok(0) => return Ok(()),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if is_timeout(&error) => {
                    return Err(Trouble::Broken(NetworkFault::Silent(self.patience.as_secs())));
                }
                Err(_) => return Err(cut(part.length)),
            };
            *received += count as u64;
            // Checked while it arrives: an endless answer does not fill the disk.
            if part.length + count as u64 > wanted.total {
                part.discard();
                return Err(wanted.network(NetworkFault::TooLong(wanted.total)).into());
            }
            part.append(&buffer[..count])?;
            let (path, received) = (wanted.name, part.length);
            progress(Progress::Received { path, received, total: wanted.total });
        }
    }

    fn explain(&self, error: ureq::Error) -> NetworkFault {
        match error {
            ureq::Error::Timeout(_) => NetworkFault::Silent(self.patience.as_secs()),
            ureq::Error::HostNotFound => {
                NetworkFault::Unreachable("the host is unknown (is this machine online?)".into())
            }
            ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                NetworkFault::Unreachable("the host refuses connections at this port".into())
            }
            other => NetworkFault::Unreachable(other.to_string()),
        }
    }
}

fn is_timeout(error: &io::Error) -> bool {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<ureq::Error>());
    matches!(inner, Some(ureq::Error::Timeout(_)))
}

/// Where a partial answer starts: `bytes 100-199/200` starts at 100.
fn range_start(headers: &HeaderMap) -> Option<u64> {
    let range = headers.get("Content-Range")?.to_str().ok()?;
    range.strip_prefix("bytes ")?.split_once('-')?.0.trim().parse().ok()
}

/// The unfinished file, with the checksum of what it holds.
struct PartialFile {
    path: PathBuf,
    file: File,
    length: u64,
    checksum: FileChecksum,
}

impl PartialFile {
    /// Opens or creates it, for this process alone to write, and reads what an earlier attempt left.
    fn open(wanted: &DownloadRequest<'_>) -> Result<Self, FetchError> {
        let path = wanted.part();
        let disk = |source| FetchError::Disk { path: path.clone(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(disk)?;
        }
        let mut options = OpenOptions::new();
        let file = options.read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = file.map_err(disk)?;
        // Where the file system has no locks, two downloads at once are caught by the checksum.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(FetchError::Busy { path });
        }
        let mut checksum = FileChecksum::default();
        // The hash goes on from what is there.
        let length = checksum.update_from(&mut file).map_err(disk)?;
        let mut part = Self { path, file, length, checksum };
        if part.length > wanted.total {
            part.restart()?;
        }
        Ok(part)
    }

    fn disk(&self, source: io::Error) -> FetchError {
        FetchError::Disk { path: self.path.clone(), source }
    }

    fn restart(&mut self) -> Result<(), FetchError> {
        self.file.set_len(0).map_err(|error| self.disk(error))?;
        self.file.seek(SeekFrom::Start(0)).map_err(|error| self.disk(error))?;
        (self.length, self.checksum) = (0, FileChecksum::default());
        Ok(())
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(bytes).map_err(|error| self.disk(error))?;
        self.checksum.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Throws it away. If that fails the next attempt finds a wrong checksum and tries again.
    fn discard(&mut self) {
        let _ = self.file.set_len(0);
        let _ = std::fs::remove_file(&self.path);
    }

    fn discard_if_empty(&mut self) {
        if self.length == 0 {
            self.discard();
        }
    }

    /// Onto the disk, then into its place: a crash leaves the old file or the new, never a mixture.
    fn put_in_place(self, wanted: &DownloadRequest<'_>) -> Result<(), FetchError> {
        self.file.sync_all().map_err(|error| self.disk(error))?;
        let Self { path, file, .. } = self;
        // Some systems do not rename a file that is open.
        drop(file);
        let disk = |source| FetchError::Disk { path: wanted.path.to_owned(), source };
        std::fs::rename(&path, wanted.path).map_err(disk)?;
        // The rename itself is made durable: the folder is synced.
        if cfg!(unix)
            && let Some(folder) = wanted.path.parent()
        {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(disk)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_or_refused() {
        let start = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("Content-Range", text.parse().unwrap());
            range_start(&headers)
        };
        assert_eq!(start("bytes 100-199/200"), Some(100));
        assert_eq!(start("bytes 0-0/*"), Some(0));
        for wrong in ["bytes */200", "100-199/200", "bytes -5", ""] {
            assert_eq!(start(wrong), None, "{wrong}");
        }
        assert_eq!(range_start(&HeaderMap::new()), None);
    }
}
