//! SHA-256 of a file, in the lower-case hexadecimal that `sha256sum` prints.

use std::fmt::Write as _;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::{Result, SourceLocation};

/// A SHA-256 checksum in the making.
///
/// ```
/// use privet_data::catalog::Checksum;
/// let mut checksum = Checksum::default();
/// checksum.update(b"abc");
/// assert!(checksum.finish().starts_with("ba7816bf8f01cfea"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Checksum(Sha256);

impl Checksum {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Adds all bytes of a reader, and says how many there were.
    ///
    /// # Errors
    /// If reading fails.
    pub fn update_from(&mut self, mut reader: impl Read) -> std::io::Result<u64> {
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
    let mut checksum = Checksum::default();
    checksum.update_from(file).map_err(|error| place.io(error))?;
    Ok(checksum.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard() {
        // FIPS 180-4 examples: "abc" and the empty message.
        let mut checksum = Checksum::default();
        assert_eq!(checksum.update_from(&b"abc"[..]).unwrap(), 3);
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(checksum.finish(), abc);
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(Checksum::default().finish(), empty);
    }

    #[test]
    fn a_missing_file_is_named() {
        let told = sha256_of(Path::new("no/such/file")).unwrap_err().with_values();
        assert_eq!(told, "no/such/file: there is no folder no");
    }
}
