//! What can be read only once: standard input, and pipes such as a shell makes of `<(zcat friends.csv.gz)`.
//!
//! Formats look at the beginning before they read, so a stream is taken into memory as a whole, within limits.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use privet_graph::files::is_standard;
use privet_graph::memory;

use super::Limits;
use crate::formats::limits::Bounded;
use crate::{Result, SourceLocation};

/// A stream that was read to its end.
pub(super) struct Stream {
    pub place: SourceLocation,
    /// What its only member is called.
    pub name: String,
    pub bytes: Vec<u8>,
}

impl Stream {
    /// Reads what is at `path` if it is a stream; `None` if it is a file or a folder.
    ///
    /// # Errors
    /// If it cannot be read, is a device, or holds too much.
    pub fn read(path: &Path, limits: Limits) -> Result<Option<Self>> {
        if is_standard(path) {
            let place = SourceLocation::file("standard input");
            let bytes = taken(io::stdin().lock(), &place, limits)?;
            if bytes.is_empty() {
                return Err(place.malformed("nothing", "graph data, once: it cannot be read again"));
            }
            return Ok(Some(Self { place, name: "stdin".into(), bytes }));
        }
        let place = SourceLocation::file(path.display().to_string());
        let about = std::fs::metadata(path).map_err(|error| place.io(error))?;
        if about.is_file() || about.is_dir() {
            return Ok(None);
        }
        if !is_pipe(&about) {
            return Err(place.malformed("a device", "a file, a folder, an archive or a pipe"));
        }
        let file = File::open(path).map_err(|error| place.io(error))?;
        let bytes = taken(file, &place, limits)?;
        if bytes.is_empty() {
            return Err(place.malformed("nothing", "graph data, once: a pipe cannot be read again"));
        }
        let name = match path == Path::new("/dev/stdin") {
            true => "stdin".into(),
            false => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        };
        Ok(Some(Self { place, name, bytes }))
    }
}

/// All of a stream, which may take half of the memory that is free.
fn taken(reader: impl Read, place: &SourceLocation, limits: Limits) -> Result<Vec<u8>> {
    let most = limits.expanded_bytes.min(memory::available() / 2);
    let mut bytes = Vec::new();
    let mut reader = Bounded::new(reader, None, Limits { expanded_bytes: most, ..limits });
    reader.read_to_end(&mut bytes).map_err(|error| place.io(error))?;
    Ok(bytes)
}

#[cfg(unix)]
fn is_pipe(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    about.file_type().is_fifo() || about.file_type().is_socket()
}

#[cfg(not(unix))]
fn is_pipe(_: &std::fs::Metadata) -> bool {
    true
}
