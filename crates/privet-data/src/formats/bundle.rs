//! [`Bundle`]: named members to read from, whether they lie in a folder, an archive or memory.
//!
//! Published datasets are a file, a folder of files, or a zip or tar of them. A format reader asks a
//! bundle for its member names and opens those it needs; compression (gzip, Zstandard) is undone on
//! the way, recognised by its first bytes, and [`Limits`] hold throughout.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use privet_graph::files::is_standard;
use privet_graph::memory;
use rustc_hash::FxHashMap;

use super::Limits;
use super::limits::BoundedReader;
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
pub struct NamedInput {
    /// What the bytes are called.
    pub place: SourceLocation,
    /// The bytes, decompressed, within limits.
    pub reader: Box<dyn Read + Send>,
}

impl NamedInput {
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
    store: MemberStore,
    members: Vec<String>,
    limits: Limits,
}

enum MemberStore {
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
        // A pipe has no length and cannot be read twice, so it comes first.
        if let Some(stream) = Stream::read(path, limits)? {
            return Self::from_stream(stream, limits);
        }
        let place = SourceLocation::file(path.display().to_string());
        let metadata = std::fs::metadata(path).map_err(|error| place.io(error))?;
        if metadata.is_dir() {
            let mut files = Files::of(path);
            let names = list_folder(path, &place)?;
            let members = names.iter().map(|name| files.member(name)).collect();
            return Ok(Self { place, store: MemberStore::Files(files), members, limits });
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
        let file =
            Self { place, store: MemberStore::Files(files), members: vec![name.clone()], limits };
        // The magic of a tar stands at byte 257 of its first header, compressed or not.
        if file.head(&name)?.get(257..262) == Some(b"ustar") {
            return file.unpack_tar(&name);
        }
        // Only a file that is no archive can be one of a set.
        Ok(file.with_siblings(path, &name))
    }

    /// Some files of a folder and no others, in the order of their names, as in a whole folder.
    pub fn from_files<N: Into<String>>(
        folder: &Path,
        names: impl IntoIterator<Item = N>,
        limits: Limits,
    ) -> Self {
        let mut members: Vec<String> = names.into_iter().map(Into::into).collect();
        // The order of names, not of the caller: readers take members in order.
        members.sort_unstable();
        let place = SourceLocation::file(folder.display().to_string());
        Self { place, store: MemberStore::Files(Files::of(folder)), members, limits }
    }

    fn from_stream(stream: Stream, limits: Limits) -> Result<Self> {
        let Stream { place, name, bytes } = stream;
        if bytes.starts_with(b"PK") {
            return Self::from_zip(place, bytes, limits);
        }
        let store = MemberStore::Stream(bytes.into());
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
        Self { place, store: MemberStore::Memory(contents), members, limits }
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
            // A folder's own entry has no content.
            if !name.ends_with('/') {
                members.push(name.into_owned());
            }
        }
        drop(archive);
        Ok(Self { place, store: MemberStore::Zip(bytes.into()), members, limits })
    }

    fn unpack_tar(self, name: &str) -> Result<Self> {
        let NamedInput { place, reader } = self.open(name)?;
        let mut contents = Vec::new();
        let mut archive = tar::Archive::new(reader);
        for entry in archive.entries().map_err(|error| place.io(error))? {
            let mut entry = entry.map_err(|error| place.io(error))?;
            // Links and devices are skipped: a link could name any file of this machine.
            if !entry.header().entry_type().is_file() {
                continue;
            }
            let path = entry.path().map_err(|error| place.io(error))?;
            let name = path.strip_prefix("./").unwrap_or(&path).to_string_lossy().into_owned();
            let mut bytes = Vec::new();
            // The reader below is bounded, so the sum over all members is too.
            entry.read_to_end(&mut bytes).map_err(|error| place.member(&name).io(error))?;
            contents.push((name, bytes));
        }
        // A tar keeps the order in which it was packed, which must not decide what is read.
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
        let MemberStore::Files(files) = &self.store else { return None };
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
            MemberStore::Files(files) => {
                SourceLocation::file(files.path(member).display().to_string())
            }
            MemberStore::Stream(_) => self.place.clone(),
            _ => self.place.member(member),
        }
    }

    /// The member's bytes as stored, without undoing compression.
    fn raw(&self, member: &str) -> Result<(Box<dyn Read + Send>, u64)> {
        let place = self.member_place(member);
        match &self.store {
            MemberStore::Stream(bytes) => {
                Ok((Box::new(Cursor::new(bytes.clone())), bytes.len() as u64))
            }
            MemberStore::Files(files) => {
                let file = File::open(files.path(member)).map_err(|error| place.io(error))?;
                let length = file.metadata().map_err(|error| place.io(error))?.len();
                Ok((Box::new(file), length))
            }
            MemberStore::Memory(contents) => {
                let at = self.members.iter().position(|name| name == member);
                let missing = || place.io(io::ErrorKind::NotFound.into());
                let bytes = contents[at.ok_or_else(missing)?].clone();
                Ok((Box::new(Cursor::new(bytes.clone())), bytes.len() as u64))
            }
            MemberStore::Zip(bytes) => {
                let mut archive =
                    zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| bad_zip(&place, e))?;
                let entry = archive.by_name(member).map_err(|e| bad_zip(&place, e))?;
                // The ratio of expanded to stored bytes is what tells a bomb from a table.
                let compressed = entry.compressed_size();
                let mut contents = Vec::new();
                BoundedReader::new(entry, Some(compressed), self.limits)
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
    pub fn open(&self, member: &str) -> Result<NamedInput> {
        let place = self.member_place(member);
        let (reader, stored) = self.raw(member)?;
        let reader = decompressed(reader, Some(stored), self.limits, &place)?;
        Ok(NamedInput { place, reader })
    }

    /// The first few thousand bytes of a member, decompressed: enough to recognise a format.
    ///
    /// # Errors
    /// If there is no such member or it cannot be read.
    pub fn head(&self, member: &str) -> Result<Vec<u8>> {
        let NamedInput { place, reader } = self.open(member)?;
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
    // The bytes that were looked at are put back in front.
    let whole = Cursor::new(magic).take(got as u64).chain(reader);
    Ok(if magic[..got].starts_with(GZIP) {
        // Tools that compress in blocks, such as bgzip, write many gzip members in a row.
        let plain = flate2::read::MultiGzDecoder::new(io::BufReader::with_capacity(1 << 16, whole));
        Box::new(BoundedReader::new(plain, stored, limits))
    } else if magic == ZSTD {
        zstd_reader(Box::new(whole), stored, limits, place)?
    } else {
        Box::new(BoundedReader::new(whole, None, limits))
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
    Ok(Box::new(BoundedReader::new(plain, stored, limits)))
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

// Files of a folder as members: which there are, which belong together, and what those are called whose names are
// no text.

/// Files of a folder: member `name` is the file `folder/name`, unless it is called otherwise.
pub(super) struct Files {
    folder: PathBuf,
    /// The files whose names are no text, by the nearest that is.
    odd: FxHashMap<String, PathBuf>,
}

impl Files {
    pub fn of(folder: &Path) -> Self {
        Self { folder: folder.into(), odd: FxHashMap::default() }
    }

    /// The member that a file is, kept under its name or the text nearest to it.
    pub fn member(&mut self, name: &OsStr) -> String {
        match name.to_str() {
            Some(name) => name.to_owned(),
            None => {
                let text = name.to_string_lossy().into_owned();
                self.odd.insert(text.clone(), self.folder.join(name));
                text
            }
        }
    }

    pub fn path(&self, member: &str) -> PathBuf {
        self.odd.get(member).cloned().unwrap_or_else(|| self.folder.join(member))
    }
}

/// The set that a file is one of, by its name: `ind.cora` of `ind.cora.x` (Planetoid), `cora` of `cora.content.gz` and
/// `cora.cites` (LINQS). All other formats are one file each, or a folder.
pub(super) fn set_of(name: &str) -> Option<&str> {
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    if let Some((planetoid, _)) = plain.strip_prefix("ind.").and_then(|rest| rest.split_once('.')) {
        return name.get(.."ind.".len() + planetoid.len());
    }
    let (stem, ending) = plain.rsplit_once('.')?;
    ["content", "cites"].contains(&ending).then_some(stem)
}

/// The other files of a set in the folder of one of them; none if the folder cannot be listed.
pub(super) fn siblings(path: &Path, name: &str, set: &str) -> Vec<String> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let place = SourceLocation::file(folder.display().to_string());
    let names = list_folder(folder, &place).unwrap_or_default().into_iter();
    let names = names.filter_map(|other| other.into_string().ok());
    names.filter(|other| other != name && set_of(other) == Some(set)).collect()
}

/// The files of a folder, sorted by name.
pub(super) fn list_folder(folder: &Path, place: &SourceLocation) -> Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| place.io(error))? {
        let entry = entry.map_err(|error| place.io(error))?;
        let is_file = std::fs::metadata(entry.path()).is_ok_and(|m| m.is_file());
        if is_file {
            names.push(entry.file_name());
        }
    }
    names.sort_unstable();
    Ok(names)
}

// What can be read only once: standard input, and pipes such as a shell makes of `<(zcat friends.csv.gz)`.
//
// Formats look at the beginning before they read, so a stream is taken into memory as a whole, within limits.

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
    let mut reader = BoundedReader::new(reader, None, Limits { expanded_bytes: most, ..limits });
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zip_of(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn compression_is_undone_wherever_it_stands() {
        let inner = gzip(b"hello");
        let bytes = zip_of(&[("a/x.txt.gz", &inner), ("b.txt", b"plain")]);
        let bundle = Bundle::from_zip(SourceLocation::file("z"), bytes, Limits::default()).unwrap();
        assert_eq!(bundle.find(".txt"), ["a/x.txt.gz", "b.txt"]);
        assert_eq!(bundle.open("a/x.txt.gz").unwrap().into_bytes().unwrap(), b"hello");
        assert_eq!(bundle.open("b.txt").unwrap().into_bytes().unwrap(), b"plain");
    }

    #[test]
    fn truncated_archives_are_errors() {
        let whole = gzip(&[7; 10_000]);
        let cut = whole[..whole.len() - 5].to_vec();
        let bundle = Bundle::from_memory("m", [("x.gz", cut)], Limits::default());
        let message = bundle.open("x.gz").unwrap().into_bytes().unwrap_err().with_values();
        assert!(message.contains("truncated"), "{message}");
        let zip = zip_of(&[("a", b"1234567890")]);
        for length in 4..zip.len() - 1 {
            let bundle = Bundle::from_zip(
                SourceLocation::file("z"),
                zip[..length].into(),
                Limits::default(),
            );
            assert!(bundle.is_err(), "cut at {length}");
        }
    }

    #[test]
    fn a_file_brings_its_siblings() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["ind.cora.x", "ind.cora.test.index", "ind.citeseer.x", "other"] {
            std::fs::write(folder.path().join(name), "1").unwrap();
        }
        let bundle =
            Bundle::from_path(&folder.path().join("ind.cora.x"), Limits::default()).unwrap();
        assert_eq!(bundle.members(), ["ind.cora.x", "ind.cora.test.index"]);
        // A named file is that file, whatever lies beside it.
        for name in ["cora.csv", "cora.content", "cora.cites", "cora.graphml"] {
            std::fs::write(folder.path().join(name), "1").unwrap();
        }
        let members = |name: &str| {
            let bundle = Bundle::from_path(&folder.path().join(name), Limits::default()).unwrap();
            bundle.members().join(" ")
        };
        assert_eq!(members("cora.csv"), "cora.csv");
        assert_eq!(members("cora.cites"), "cora.cites cora.content");
    }

    #[test]
    fn missing_and_empty_files_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("nothing");
        let message = Bundle::from_path(&missing, Limits::default()).err().unwrap().with_values();
        assert!(message.ends_with("nothing: no such file"), "{message}");
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "").unwrap();
        let message = Bundle::from_path(&empty, Limits::default()).err().unwrap().with_values();
        assert!(message.contains("an empty file"), "{message}");
    }
}
