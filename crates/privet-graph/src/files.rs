//! What all crates do with files: where one is written until it is complete, so that every writer and the
//! clean-up after an interruption agree, and how a text file is read within a limit.

use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::{FoundValue, Result, SourceLocation};

/// Where this process keeps what it writes for `path` until it is complete: an interrupted
/// program removes it.
pub fn temporary(path: &Path) -> Option<PathBuf> {
    let mut name = OsString::from(".");
    name.push(path.file_name()?);
    name.push(format!(".tmp-{}", std::process::id()));
    Some(path.with_file_name(name))
}

/// Whether a path means standard input or output: `-`.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether there is something that is neither a file, a folder nor a link: a device, a pipe. What is written whole is
/// renamed into its place, and renaming over a device breaks the machine.
pub fn is_special(path: &Path) -> bool {
    let special =
        |found: std::fs::Metadata| !found.is_file() && !found.is_dir() && !found.is_symlink();
    path.symlink_metadata().is_ok_and(special)
}

/// Text that a person wrote: a list, requests, settings. It is read to its end, so it has a limit; a device or
/// anything else with a NUL in it is refused where the first one stands.
///
/// # Errors
/// If it cannot be read, is longer than `most` bytes, has a NUL in it, or is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> Result<String> {
    let place = SourceLocation::file(path.display().to_string());
    let mut file: Box<dyn Read> = match is_standard(path) {
        true => Box::new(std::io::stdin().lock()),
        false => Box::new(std::fs::File::open(path).map_err(|error| place.io(error))?),
    };
    let (mut text, mut lines) = (Vec::new(), 1);
    loop {
        let begun = text.len();
        let got = file.by_ref().take(1 << 16).read_to_end(&mut text);
        if got.map_err(|error| place.io(error))? == 0 {
            break;
        }
        let piece = &text[begun..];
        if let Some(nul) = piece.iter().position(|&byte| byte == 0) {
            lines += piece[..nul].iter().filter(|&&byte| byte == b'\n').count() as u64;
            return Err(place.line(lines).malformed("a NUL byte", "text"));
        }
        lines += piece.iter().filter(|&&byte| byte == b'\n').count() as u64;
        if text.len() as u64 > most {
            let found = FoundValue::words(format!("more than {most} bytes"));
            return Err(place.malformed(found, "less: this is read as a whole"));
        }
    }
    String::from_utf8(text).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
        place.line(line).malformed("bytes that are not UTF-8", "UTF-8 text")
    })
}

/// The most that a list of people or their wishes may have: enough for every node there can be.
pub const LIST_BYTES: u64 = 1 << 31;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_within_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        let read = |bytes: &[u8], most| {
            std::fs::write(&path, bytes).unwrap();
            read_text(&path, most).map_err(|error| error.to_string())
        };
        assert_eq!(read(b"a\nb\n", 4).unwrap(), "a\nb\n");
        assert!(read(b"a\nb\nc", 4).unwrap_err().contains("more than 4 bytes"));
        assert!(read(b"a\nb\0\n", 9).unwrap_err().contains("line 2: found a NUL byte"));
        assert!(read(b"a\n\xff", 9).unwrap_err().contains("line 2"));
        #[cfg(unix)]
        assert!(read_text(Path::new("/dev/zero"), LIST_BYTES).is_err(), "it has no end");
    }
}
