//! [`Packed`]: text that is compressed on its way to the disk, if its name says so.

use std::io::{self, Write};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Gzip,
    Zstd,
}

impl Packing {
    /// The name without the ending that tells how it is compressed.
    pub fn of(name: &str) -> (&str, Self) {
        for packing in [Self::Gzip, Self::Zstd] {
            // "x.gz" is packed, "gz" is a name.
            let plain = name.strip_suffix(packing.ending()).and_then(|rest| rest.strip_suffix('.'));
            if let Some(plain) = plain {
                return (plain, packing);
            }
        }
        (name, Self::None)
    }

    /// What names end in.
    pub fn ending(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => "gz",
            Self::Zstd => "zst",
        }
    }
}

/// A writer that compresses, or not. The same bytes go in, the same come out: no clock, no name.
pub(super) enum Packed<W: Write> {
    Plain(W),
    Gzip(Box<flate2::write::GzEncoder<W>>),
    #[cfg(feature = "zstd")]
    Zstd(zstd::stream::write::Encoder<'static, W>),
}

impl<W: Write> Packed<W> {
    pub fn new(out: W, packing: Packing) -> io::Result<Self> {
        Ok(match packing {
            Packing::None => Self::Plain(out),
            Packing::Gzip => {
                let level = flate2::Compression::default();
                Self::Gzip(Box::new(flate2::write::GzEncoder::new(out, level)))
            }
            #[cfg(feature = "zstd")]
            Packing::Zstd => Self::Zstd(zstd::stream::write::Encoder::new(out, 3)?),
            #[cfg(not(feature = "zstd"))]
            Packing::Zstd => {
                let missing = "Zstandard is not compiled in (cargo feature `zstd`); use .gz";
                return Err(io::Error::other(missing));
            }
        })
    }

    /// Writes what is still held back, and gives back where it went.
    pub fn finish(self) -> io::Result<W> {
        match self {
            Self::Plain(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder.finish(),
        }
    }

    fn inner(&mut self) -> &mut dyn Write {
        match self {
            Self::Plain(out) => out,
            Self::Gzip(encoder) => encoder,
            #[cfg(feature = "zstd")]
            Self::Zstd(encoder) => encoder,
        }
    }
}

impl<W: Write> Write for Packed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner().flush()
    }
}
