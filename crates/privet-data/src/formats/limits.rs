//! [`Limits`]: how much a file may make us read, so that a few bytes cannot fill the machine.

use std::io::{self, Read};

use crate::LimitExceeded;

/// Bounds on what reading one member of a file may produce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes one member may expand to.
    pub expanded_bytes: u64,
    /// Times its compressed size a member may expand to, once past [`Limits::RATIO_FROM`] bytes.
    pub expansion_ratio: u64,
    /// Maximum length of a text line, in bytes.
    pub line_bytes: usize,
    /// Maximum number of nodes that a file may declare without listing them.
    pub nodes: u64,
}

impl Limits {
    /// Below this many expanded bytes any ratio is harmless.
    pub const RATIO_FROM: u64 = 64 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            expanded_bytes: 16 << 30,
            expansion_ratio: 1000,
            line_bytes: 256 << 20,
            nodes: 1 << 27,
        }
    }
}

/// A line of text is longer than it may be.
pub(crate) fn long_line(limit: usize) -> LimitExceeded {
    let limit = format!("{limit} bytes");
    LimitExceeded { what: "line length".into(), limit, option: "--max-line-bytes" }
}

/// A file declares more nodes than it may.
pub(crate) fn many_nodes(limit: u64) -> LimitExceeded {
    let limit = limit.to_string();
    LimitExceeded { what: "number of nodes".into(), limit, option: "--max-nodes" }
}

/// A reader that fails once it has produced more than the limits allow.
pub(crate) struct BoundedReader<R> {
    inner: R,
    produced: u64,
    /// Size before expansion; `None` where nothing expands.
    compressed: Option<u64>,
    limits: Limits,
}

impl<R: Read> BoundedReader<R> {
    pub fn new(inner: R, compressed: Option<u64>, limits: Limits) -> Self {
        Self { inner, produced: 0, compressed, limits }
    }

    fn check(&self) -> Result<(), LimitExceeded> {
        if self.produced > self.limits.expanded_bytes {
            return Err(LimitExceeded {
                what: "expanded size".into(),
                limit: format!("{} bytes", self.limits.expanded_bytes),
                option: "--max-expanded-bytes",
            });
        }
        let Some(compressed) = self.compressed else { return Ok(()) };
        let allowed = compressed.saturating_mul(self.limits.expansion_ratio);
        if self.produced > allowed.max(Limits::RATIO_FROM) {
            return Err(LimitExceeded {
                what: format!("expansion of {compressed} compressed bytes"),
                limit: format!("{} times", self.limits.expansion_ratio),
                option: "--max-expansion-ratio",
            });
        }
        Ok(())
    }
}

impl<R: Read> Read for BoundedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.produced += count as u64;
        self.check().map_err(io::Error::other)?;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SourceLocation;

    fn read_zeros(count: u64, compressed: Option<u64>, limits: Limits) -> io::Result<u64> {
        io::copy(
            &mut BoundedReader::new(io::repeat(0).take(count), compressed, limits),
            &mut io::sink(),
        )
    }

    #[test]
    fn stops_past_the_size_and_past_the_ratio() {
        let limits = Limits { expanded_bytes: 1 << 28, expansion_ratio: 10, ..Limits::default() };
        assert!(read_zeros(1 << 28, None, limits).is_ok());
        assert!(read_zeros((1 << 28) + 1, None, limits).is_err());
        assert!(read_zeros(Limits::RATIO_FROM, Some(1), limits).is_ok());
        let error = read_zeros(Limits::RATIO_FROM + 1, Some(1), limits).unwrap_err();
        let message = SourceLocation::file("bomb.zip").io(error).to_string();
        assert!(
            message.contains("bomb.zip") && message.contains("--max-expansion-ratio"),
            "{message}"
        );
    }
}
