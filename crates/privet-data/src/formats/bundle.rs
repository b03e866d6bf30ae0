//! [`Bundle`]: named members to read from, whether they lie in a folder, an archive or memory.
//!
//! Published datasets are a file, a folder of files, or a zip or tar of them. A format reader asks a
//! bundle for its member names and opens those it needs; compression (gzip, Zstandard) is undone on
//! the way, recognised by its first bytes, and [`Limits`] hold throughout.

mod files;
mod stream;

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::files::{Files, list_folder, set_of, siblings};
use self::stream::Stream;
use super::Limits;
use super::limits::Bounded;
use crate::{FoundValue, Result, SourceLocation};

/// What gzip and Zstandard begin with.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether a file that begins so is compressed.
#[cfg(feature = "tables")]
pub(crate) fn is_compressed(magic: &[u8; 4]) -> bool {
    magic.starts_with(GZIP) || *magic == ZSTD
}

/// How many decompressed bytes [`Bundle::head`] looks at.
pub(crate) const HEAD: u64 = 4096;

/// Bytes to parse, and what to call them in an error.
pub struct Input {
    /// What the bytes are called.
    pub place: SourceLocation,
    /// The bytes, decompressed, within limits.
    pub reader: Box<dyn Read + Send>,
}

impl Input {
    /// An input from any reader.
    pub fn new(place: SourceLocation, reader: impl Read + Send + 'static) -> Self {
        Self { place, reader: Box::new(reader) }
    }

    /// All the bytes.
    pub fn into_bytes(mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.reader.read_to_end(&mut bytes).map_err(|error| self.place.io(error))?;
        Ok(bytes)
    }
}

/// Named members to read from.
///
/// ```
/// use privet_data::formats::{Bundle, Limits};
/// let bundle = Bundle::from_memory("demo", [("edges.csv", b"a,b\n".to_vec())], Limits::default());
/// assert_eq!(bundle.find(".csv"), ["edges.csv"]);
/// assert_eq!(bundle.open("edges.csv")?.into_bytes()?, b"a,b\n");
/// # Ok::<(), privet_graph::Error>(())
/// ```
pub struct Bundle {
    place: SourceLocation,
    store: Store,
    members: Vec<String>,
    limits: Limits,
}

enum Store {
    Files(Files),
    /// The only member is the bundle itself, read from a stream.
    Stream(Arc<[u8]>),
    /// The zip's bytes; members are found by name.
    Zip(Arc<[u8]>),
    Memory(Vec<Arc<[u8]>>),
}

impl Bundle {
    /// Opens a file, a folder, a zip, or a (compressed) tar; a pipe, or `-` for standard input. A file that is no archive is read alone, unless its
    /// name says that it is one of a set: `ind.cora.x` brings `ind.cora.y`, `cora.content` brings `cora.cites`.
    ///
    /// # Errors
    /// If nothing is there, it cannot be read, or an archive is damaged.
    pub fn from_path(path: &Path, limits: Limits) -> Result<Self> {
        if let Some(stream) = Stream::read(path, limits)? {
            return Self::from_stream(stream, limits);
        }
        let place = SourceLocation::file(path.display().to_string());
        let metadata = std::fs::metadata(path).map_err(|error| place.io(error))?;
        if metadata.is_dir() {
            let mut files = Files::of(path);
            let names = list_folder(path, &place)?;
            let members = names.iter().map(|name| files.member(name)).collect();
            return Ok(Self { place, store: Store::Files(files), members, limits });
        }
        if metadata.len() == 0 {
            return Err(place.malformed("an empty file", "graph data"));
        }
        let head = read_head(path, &place)?;
        // An npz is a zip too, but its members are arrays of one file, not files of a dataset.
        if head.starts_with(b"PK") && !has_extension(path, "npz") {
            let bytes = std::fs::read(path).map_err(|error| place.io(error))?;
            return Self::from_zip(place, bytes, limits);
        }
        let mut files = Files::of(path.parent().unwrap_or(Path::new("")));
        let name = files.member(path.file_name().unwrap_or_default());
        let file = Self { place, store: Store::Files(files), members: vec![name.clone()], limits };
        if file.head(&name)?.get(257..262) == Some(b"ustar") {
            return file.unpack_tar(&name);
        }
        Ok(file.with_siblings(path, &name))
    }

    /// Some files of a folder and no others, in the order of their names, as in a whole folder.
    pub fn from_files<N: Into<String>>(
        folder: &Path,
        names: impl IntoIterator<Item = N>,
        limits: Limits,
    ) -> Self {
        let mut members: Vec<String> = names.into_iter().map(Into::into).collect();
        members.sort_unstable();
        let place = SourceLocation::file(folder.display().to_string());
        Self { place, store: Store::Files(Files::of(folder)), members, limits }
    }

    fn from_stream(stream: Stream, limits: Limits) -> Result<Self> {
        let Stream { place, name, bytes } = stream;
        if bytes.starts_with(b"PK") {
            return Self::from_zip(place, bytes, limits);
        }
        let store = Store::Stream(bytes.into());
        let whole = Self { place, store, members: vec![name.clone()], limits };
        match whole.head(&name)?.get(257..262) == Some(b"ustar") {
            true => whole.unpack_tar(&name),
            false => Ok(whole),
        }
    }

    /// Members held in memory.
    pub fn from_memory<N: Into<String>>(
        name: impl Into<String>,
        members: impl IntoIterator<Item = (N, Vec<u8>)>,
        limits: Limits,
    ) -> Self {
        let (members, contents) =
            members.into_iter().map(|(name, bytes)| (name.into(), Arc::from(bytes))).unzip();
        let place = SourceLocation::file(name.into());
        Self { place, store: Store::Memory(contents), members, limits }
    }

    /// The members of a zip held in memory.
    ///
    /// # Errors
    /// If the zip is damaged.
    pub fn from_zip(place: SourceLocation, bytes: Vec<u8>, limits: Limits) -> Result<Self> {
        let archive = zip::ZipArchive::new(Cursor::new(&bytes)).map_err(|e| bad_zip(&place, e))?;
        let mut members = Vec::new();
        for name in archive.file_names() {
            let name = name.map_err(|e| bad_zip(&place, e))?;
            if !name.ends_with('/') {
                members.push(name.into_owned());
            }
        }
        drop(archive);
        Ok(Self { place, store: Store::Zip(bytes.into()), members, limits })
    }

    fn unpack_tar(self, name: &str) -> Result<Self> {
        let Input { place, reader } = self.open(name)?;
        let mut contents = Vec::new();
        let mut archive = tar::Archive::new(reader);
        for entry in archive.entries().map_err(|error| place.io(error))? {
            let mut entry = entry.map_err(|error| place.io(error))?;
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = entry.path().map_err(|error| place.io(error))?;
            let name = path.strip_prefix("./").unwrap_or(&path).to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(|error| place.member(&name).io(error))?;
            contents.push((name, bytes));
        }
        contents.sort();
        Ok(Self { place, ..Self::from_memory("", contents, self.limits) })
    }

    fn with_siblings(mut self, path: &Path, name: &str) -> Self {
        let Some(set) = set_of(name) else { return self };
        self.members.extend(siblings(path, name, set));
        self
    }

    /// The files that [`from_path`](Self::from_path) would read from: the path, and those of its set.
    pub fn files_of(path: &Path) -> Vec<PathBuf> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let set = set_of(&name).filter(|_| path.is_file());
        let folder = path.parent().unwrap_or(Path::new(""));
        let beside = set.map_or_else(Vec::new, |set| siblings(path, &name, set));
        std::iter::once(path.into()).chain(beside.iter().map(|name| folder.join(name))).collect()
    }

    /// What the whole is called.
    pub fn place(&self) -> &SourceLocation {
        &self.place
    }

    /// Where a member lies on its own and as it is: a file of a folder, not a compressed one.
    pub(crate) fn plain_file(&self, member: &str) -> Option<PathBuf> {
        let Store::Files(files) = &self.store else { return None };
        let path = files.path(member);
        (!has_extension(&path, "gz") && !has_extension(&path, "zst")).then_some(path)
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The names of all members; for a single file its own name comes first.
    pub fn members(&self) -> &[String] {
        &self.members
    }

    /// The members whose names end with `suffix`, compression endings aside.
    pub fn find(&self, suffix: &str) -> Vec<&str> {
        let plain =
            |name: &str| name.trim_end_matches(".gz").trim_end_matches(".zst").ends_with(suffix);
        self.members.iter().map(String::as_str).filter(|name| plain(name)).collect()
    }

    /// The place of a member, for errors: for a single file or a file of a folder its own path.
    pub fn member_place(&self, member: &str) -> SourceLocation {
        match &self.store {
            Store::Files(files) => SourceLocation::file(files.path(member).display().to_string()),
            Store::Stream(_) => self.place.clone(),
            _ => self.place.member(member),
        }
    }

    /// The member's bytes as stored, without undoing compression.
    fn raw(&self, member: &str) -> Result<(Box<dyn Read + Send>, u64)> {
        let place = self.member_place(member);
        match &self.store {
            Store::Stream(bytes) => Ok((Box::new(Cursor::new(bytes.clone())), bytes.len() as u64)),
            Store::Files(files) => {
                let file = File::open(files.path(member)).map_err(|error| place.io(error))?;
                let length = file.metadata().map_err(|error| place.io(error))?.len();
                Ok((Box::new(file), length))
            }
            Store::Memory(contents) => {
                let at = self.members.iter().position(|name| name == member);
                let missing = || place.io(io::ErrorKind::NotFound.into());
                let bytes = contents[at.ok_or_else(missing)?].clone();
                Ok((Box::new(Cursor::new(bytes.clone())), bytes.len() as u64))
            }
            Store::Zip(bytes) => {
                let mut archive =
                    zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| bad_zip(&place, e))?;
                let entry = archive.by_name(member).map_err(|e| bad_zip(&place, e))?;
                let compressed = entry.compressed_size();
                let mut contents = Vec::new();
                Bounded::new(entry, Some(compressed), self.limits)
                    .read_to_end(&mut contents)
                    .map_err(|error| place.io(error))?;
                let length = contents.len() as u64;
                Ok((Box::new(Cursor::new(contents)), length))
            }
        }
    }

    /// A member's bytes, decompressed.
    ///
    /// # Errors
    /// If there is no such member or it cannot be read.
    pub fn open(&self, member: &str) -> Result<Input> {
        let place = self.member_place(member);
        let (reader, stored) = self.raw(member)?;
        let reader = decompressed(reader, Some(stored), self.limits, &place)?;
        Ok(Input { place, reader })
    }

    /// The first few thousand bytes of a member, decompressed: enough to recognise a format.
    ///
    /// # Errors
    /// If there is no such member or it cannot be read.
    pub fn head(&self, member: &str) -> Result<Vec<u8>> {
        let Input { place, reader } = self.open(member)?;
        let mut head = Vec::new();
        reader.take(HEAD).read_to_end(&mut head).map_err(|error| place.io(error))?;
        Ok(head)
    }
}

/// The bytes with gzip or Zstandard undone, whichever their beginning shows; `stored` is how many there are before that,
/// if it is known.
pub(crate) fn decompressed(
    mut reader: Box<dyn Read + Send>,
    stored: Option<u64>,
    limits: Limits,
    place: &SourceLocation,
) -> Result<Box<dyn Read + Send>> {
    let mut magic = [0; 4];
    let got = read_up_to(&mut reader, &mut magic).map_err(|error| place.io(error))?;
    let whole = Cursor::new(magic).take(got as u64).chain(reader);
    Ok(if magic[..got].starts_with(GZIP) {
        let plain = flate2::read::MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, whole));
        Box::new(Bounded::new(plain, stored, limits))
    } else if magic == ZSTD {
        zstd_reader(Box::new(whole), stored, limits, place)?
    } else {
        Box::new(Bounded::new(whole, None, limits))
    })
}

#[cfg(feature = "zstd")]
fn zstd_reader(
    whole: Box<dyn Read + Send>,
    stored: Option<u64>,
    limits: Limits,
    place: &SourceLocation,
) -> Result<Box<dyn Read + Send>> {
    let plain = zstd::stream::read::Decoder::new(whole).map_err(|error| place.io(error))?;
    Ok(Box::new(Bounded::new(plain, stored, limits)))
}

#[cfg(not(feature = "zstd"))]
fn zstd_reader(
    _whole: Box<dyn Read + Send>,
    _stored: Option<u64>,
    _limits: Limits,
    place: &SourceLocation,
) -> Result<Box<dyn Read + Send>> {
    Err(place.refused("Zstandard support is not compiled in (cargo feature `zstd`)"))
}

fn read_head(path: &Path, place: &SourceLocation) -> Result<Vec<u8>> {
    let mut head = [0; 8];
    let mut file = File::open(path).map_err(|error| place.io(error))?;
    let got = read_up_to(&mut file, &mut head).map_err(|error| place.io(error))?;
    Ok(head[..got].to_vec())
}

pub(crate) fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match reader.read(&mut buffer[got..]) {
            Ok(0) => break,
            Ok(count) => got += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case(extension))
}

pub(crate) fn bad_zip(place: &SourceLocation, error: zip::result::ZipError) -> crate::Error {
    match error {
        zip::result::ZipError::Io(error) => place.io(error),
        zip::result::ZipError::FileNotFound => place.io(io::ErrorKind::NotFound.into()),
        other => place.malformed(
            FoundValue::words(format!("a damaged zip ({other})")),
            "a complete zip archive",
        ),
    }
}

#[cfg(test)]
mod tests;
