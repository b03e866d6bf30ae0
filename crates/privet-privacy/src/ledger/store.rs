//! The ledger's file: append-only lines, each durable before its noise is drawn.
//!
//! ```text
//! {"chain":"5f3c...","header":{"format":1,"unit":"feature-row","relation":"record-ldp","limit":{...}}}
//! {"chain":"91ab...","entry":{"mechanism":"hds",...}}
//! ```
//! A line's `chain` is the SHA-256 of the chain before it and of the line's own content, so a card
//! that quotes the last chain fixes everything above it. A line counts once its newline is on disk.
//! A crash can leave at most one line without a newline; its noise was never drawn, so opening the
//! ledger drops it. Anything else that does not fit is damage, and the ledger refuses to open; so it does
//! if whole lines are gone ([`count`](super::count)).

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::count::{self, Count};
use super::entry::LedgerEntry;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};
use crate::loss::Loss;
use crate::unit::Relation;

/// The version of the file format.
pub const FORMAT: u32 = 2;

/// A ledger longer than this is none: the choices of a hundred million people fit into it.
const MOST_BYTES: u64 = 1 << 31;

/// The first line: what the account is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerHeader {
    /// The version of the file format.
    pub format: u32,
    /// The protected unit.
    pub unit: String,
    /// What neighbouring inputs differ in.
    pub relation: Relation,
    /// What may be spent in all.
    pub limit: Loss,
}

impl LedgerHeader {
    pub(super) fn new(unit: &str, relation: Relation, limit: Loss) -> Self {
        Self { format: FORMAT, unit: unit.into(), relation, limit }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    chain: String,
    header: LedgerHeader,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryLine {
    chain: String,
    entry: LedgerEntry,
}

/// The chain after a line whose content is `content`.
fn chained(before: &str, content: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string(content).map_err(|e| Error::ledger("new entry", e))?;
    // The hash before is empty or 64 digits and the content begins with a brace: the boundary is unambiguous.
    let digest = Sha256::new().chain_update(before).chain_update(json).finalize();
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What a ledger file says.
#[derive(Debug, Clone, PartialEq)]
pub struct Contents {
    /// What the account is about.
    pub header: LedgerHeader,
    /// The releases, in order.
    pub entries: Vec<LedgerEntry>,
    /// The chain after the last of them.
    pub chain: String,
    /// How many bytes of the file count; a torn last line does not.
    length: u64,
}

impl Contents {
    /// Reads a ledger file without opening it for spending.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn read(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::ledger(path.display(), error);
        let bytes = read_all(&File::open(path).map_err(failed)?, path)?;
        Self::parse(&bytes).map_err(|(line, reason)| {
            Error::ledger(format!("{}, line {line}", path.display()), reason)
        })
    }

    /// An account that is not there yet: no chain fixes what it says.
    pub(super) fn planned(header: LedgerHeader) -> Self {
        Self { header, entries: Vec::new(), chain: String::new(), length: 0 }
    }

    /// How many entries the file must have had by its own count and by the cards beside it; see
    /// `count.rs`.
    ///
    /// # Errors
    /// If it has fewer, or others.
    pub fn check_count(&self, path: &Path) -> Result<()> {
        count::check(path, self)
    }

    /// Whether it still has what a count in another place knows of; see
    /// [`Ledger::witnessed_by`](crate::Ledger::witnessed_by).
    ///
    /// # Errors
    /// If it has not.
    pub fn check_witness(&self, path: &Path, elsewhere: &Path) -> Result<()> {
        count::witness(path, self, elsewhere)
    }

    /// The chain after the first `count` entries.
    pub(crate) fn chain_after(&self, count: usize) -> Result<String> {
        let first = chained("", &self.header)?;
        self.entries.iter().take(count).try_fold(first, |chain, entry| chained(&chain, entry))
    }

    /// The ledger as it was after its first `count` entries, if it has so many.
    pub(crate) fn up_to(&self, count: usize) -> Result<Option<Self>> {
        let Some(entries) = self.entries.get(..count) else { return Ok(None) };
        let (header, entries) = (self.header.clone(), entries.to_vec());
        Ok(Some(Self { header, entries, chain: self.chain_after(count)?, length: 0 }))
    }

    /// What lines say that are kept by other means than a file.
    ///
    /// # Errors
    /// If they do not continue each other, or end in the middle of a line: who keeps lines keeps whole ones.
    pub fn kept(lines: &str) -> Result<Self> {
        let place = |line| format!("kept account, line {line}");
        let contents = Self::parse(lines.as_bytes())
            .map_err(|(line, reason)| Error::ledger(place(line), reason))?;
        match contents.length == lines.len() as u64 {
            true => Ok(contents),
            false => Err(Error::ledger(place(contents.entries.len() + 2), "half a line")),
        }
    }

    /// Parses the lines that end with a newline.
    fn parse(bytes: &[u8]) -> Result<Self, (usize, String)> {
        // What follows the last newline is a write that was cut off; its noise was never drawn.
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n').zip(1..);
        let (first, _) = lines.next().ok_or((1, "no complete first line".to_owned()))?;
        let HeaderLine { chain, header } =
            serde_json::from_slice(first).map_err(|error| (1, error.to_string()))?;
        // Format 1 had no number of people; its lines are read as they are.
        if !(1..=FORMAT).contains(&header.format) {
            return Err((1, format!("format {}, but this is for format {FORMAT}", header.format)));
        }
        let mut contents = Self { header, entries: Vec::new(), chain, length: whole as u64 };
        check_chain("", &contents.header, &contents.chain).map_err(|reason| (1, reason))?;
        for (line, number) in lines {
            let EntryLine { chain, entry } =
                serde_json::from_slice(line).map_err(|error| (number, error.to_string()))?;
            check_chain(&contents.chain, &entry, &chain).map_err(|reason| (number, reason))?;
            entry.validate().map_err(|error| (number, error.to_string()))?;
            contents.entries.push(entry);
            contents.chain = chain;
        }
        contents.entries.truncate(match fault::on(Fault::LastEntryForgotten) {
            true => contents.entries.len().saturating_sub(1),
            false => contents.entries.len(),
        });
        Ok(contents)
    }
}

fn check_chain(before: &str, content: &impl Serialize, stated: &str) -> Result<(), String> {
    match chained(before, content) {
        Ok(chain) if chain == stated || fault::on(Fault::ChainNotChecked) => Ok(()),
        Ok(_) => Err("the line does not continue the one before it: the file was edited".into()),
        Err(error) => Err(error.to_string()),
    }
}

/// Who keeps an account's lines where there are no files, such as a browser.
///
/// A ledger draws noise after `keep` has returned success and not before, so a keeper that returns success must have made the line last: a
/// charge that is forgotten is a budget that is spent twice.
pub trait LineKeeper: Send {
    /// Makes a line last, its newline included, after all that were kept before it; all of it or nothing.
    ///
    /// # Errors
    /// Why it may be lost. Then nothing is drawn.
    fn keep(&mut self, line: &str) -> Result<(), String>;
}

/// Where entries go: a file, a keeper, or memory for accounts that need not outlive the process.
pub(super) struct EntryStore {
    pub contents: Contents,
    file: Option<(File, PathBuf)>,
    keeper: Option<Box<dyn LineKeeper>>,
    /// A count outside of the ledger's folder.
    witness: Option<PathBuf>,
    /// Set when a write failed half-way: what is on disk is no longer known.
    broken: bool,
}

impl EntryStore {
    pub fn in_memory(header: LedgerHeader) -> Result<Self> {
        let chain = chained("", &header)?;
        let contents = Contents { header, entries: Vec::new(), chain, length: 0 };
        Ok(Self::of(contents))
    }

    fn of(contents: Contents) -> Self {
        Self { contents, file: None, keeper: None, witness: None, broken: false }
    }

    /// An account with a keeper: its first line is kept now, unless there are lines.
    pub fn kept(lines: &str, header: LedgerHeader, keeper: Box<dyn LineKeeper>) -> Result<Self> {
        if !lines.is_empty() {
            return Ok(Self { keeper: Some(keeper), ..Self::of(Contents::kept(lines)?) });
        }
        let mut store = Self { keeper: Some(keeper), ..Self::in_memory(header)? };
        let Contents { chain, header, .. } = store.contents.clone();
        store.keep(&HeaderLine { chain, header })?;
        Ok(store)
    }

    /// Makes a new file; an existing one is never touched.
    pub fn create(path: &Path, header: LedgerHeader) -> Result<Self> {
        let failed = |error: std::io::Error| Error::ledger(path.display(), error);
        count::refuse_orphan(path)?;
        let mut store = Self::in_memory(header)?;
        let line = HeaderLine {
            chain: store.contents.chain.clone(),
            header: store.contents.header.clone(),
        };
        let mut file =
            OpenOptions::new().write(true).create_new(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        store.contents.length = append(&mut file, &line).map_err(failed)?;
        Count::of(&store.contents).write(&count::path_of(path))?;
        // A file's name lasts only once its folder is on disk, too.
        sync_folder(path).map_err(failed)?;
        store.file = Some((file, path.into()));
        Ok(store)
    }

    /// Opens an existing file for spending; no other process can do so until this one is done.
    pub fn open(path: &Path) -> Result<Self> {
        let failed = |error: std::io::Error| Error::ledger(path.display(), error);
        let mut file = OpenOptions::new().read(true).write(true).open(path).map_err(failed)?;
        lock(&file, path)?;
        // Between opening and locking another process may have removed the name: charges would go to a file without
        // one.
        if !is_at(&file, path).map_err(failed)? {
            return Err(Error::ledger(path.display(), "it was removed by another process"));
        }
        let bytes = read_all(&file, path)?;
        let contents = Contents::parse(&bytes).map_err(|(line, reason)| {
            Error::ledger(format!("{}, line {line}", path.display()), reason)
        })?;
        contents.check_count(path)?;
        // Cut off what is half a line: the next entry would continue it and damage the chain.
        if contents.length < bytes.len() as u64 {
            file.set_len(contents.length).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(contents.length)).map_err(failed)?;
        // A crash may have left the count one behind.
        Count::of(&contents).write(&count::path_of(path))?;
        Ok(Self { file: Some((file, path.into())), ..Self::of(contents) })
    }

    /// From here on entries are counted in another place, too.
    pub fn witnessed_by(mut self, elsewhere: &Path) -> Result<Self> {
        if let Some((_, path)) = &self.file {
            let _turn = count::turn(elsewhere)?;
            count::witness(path, &self.contents, elsewhere)?;
            // After a crash between an entry and its count this ledger is one ahead: the charge stays, and is
            // counted now.
            Count::of(&self.contents).write(elsewhere)?;
            self.witness = Some(elsewhere.into());
        }
        Ok(self)
    }

    /// The file, if there is one.
    pub fn path(&self) -> Option<&Path> {
        self.file.as_ref().map(|(_, path)| path.as_path())
    }

    /// Writes an entry and waits until it is on disk; then the counts, which are never ahead. Noise is drawn after the
    /// count in another place is written, so copies of a ledger draw one after the other, if at all.
    pub fn append(&mut self, entry: LedgerEntry) -> Result<()> {
        if self.broken {
            return Err(Error::ledger("ledger", "an earlier write failed; open it again"));
        }
        let chain = chained(&self.contents.chain, &entry)?;
        let line = EntryLine { chain, entry };
        let lasts = !fault::on(Fault::EntryInMemoryOnly);
        // Held from the comparison until the new count is written: a copy of this ledger waits, and is refused then.
        let _turn = self.witness.as_deref().map(count::turn).transpose()?;
        if let (Some(elsewhere), Some((_, path))) = (&self.witness, &self.file) {
            count::compare(path, &self.contents, elsewhere)?;
        }
        if lasts {
            self.keep(&line)?;
        }
        if let Some((file, path)) = self.file.as_mut().filter(|_| lasts) {
            self.broken = true;
            self.contents.length +=
                append(file, &line).map_err(|e| Error::ledger(path.display(), e))?;
            let entries = self.contents.entries.len() + 1;
            let count = Count { entries, chain: line.chain.clone() };
            count.write(&count::path_of(path))?;
            self.witness.iter().try_for_each(|elsewhere| count.write(elsewhere))?;
            self.broken = false;
        }
        self.contents.chain = line.chain;
        self.contents.entries.push(line.entry);
        Ok(())
    }

    /// Hands a line to the keeper, if there is one; after a refusal it is not known what is there.
    fn keep(&mut self, line: &impl Serialize) -> Result<()> {
        let Some(keeper) = &mut self.keeper else { return Ok(()) };
        let refused = |reason: String| Error::ledger("kept account", reason);
        let text = serde_json::to_string(line).map_err(|error| refused(error.to_string()))? + "\n";
        self.broken = true;
        keeper.keep(&text).map_err(refused)?;
        self.broken = false;
        Ok(())
    }
}

/// Removes a ledger that was never charged, under its lock: one that another process has charged in the
/// meantime, or is about to, stays. Whether it went.
///
/// # Errors
/// If it cannot be read, is in use, or cannot be removed.
pub fn remove_if_unused(path: &Path) -> Result<bool> {
    let store = EntryStore::open(path)?;
    if !store.contents.entries.is_empty() {
        return Ok(false);
    }
    let failed = |error: std::io::Error| Error::ledger(path.display(), error);
    std::fs::remove_file(path).map_err(failed)?;
    count::remove(path).map_err(failed)?;
    Ok(true)
}

/// All bytes of a ledger; a device or a pipe is none.
fn read_all(file: &File, path: &Path) -> Result<Vec<u8>> {
    let failed = |error: std::io::Error| Error::ledger(path.display(), error);
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return Err(Error::ledger(
            path.display(),
            "not a ledger: no file, or far too long for one",
        ));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Appends one line and makes it durable; its length.
fn append(file: &mut File, line: &impl Serialize) -> std::io::Result<u64> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)?;
    file.sync_data()?;
    Ok(bytes.len() as u64)
}

fn lock(file: &File, path: &Path) -> Result<()> {
    if fault::on(Fault::TwoProcessesSpend) {
        return Ok(());
    }
    file.try_lock().map_err(|error| {
        let reason = match error {
            std::fs::TryLockError::WouldBlock => "another process is spending from it".to_owned(),
            std::fs::TryLockError::Error(error) => error.to_string(),
        };
        Error::ledger(path.display(), reason)
    })
}

/// Whether the file that was locked is the one of this name: an account that was removed while this
/// process waited for its lock must not be charged, for the charge would be lost.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> std::io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let held = file.metadata()?;
    match std::fs::metadata(path) {
        Ok(named) => Ok((held.dev(), held.ino()) == (named.dev(), named.ino())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> std::io::Result<bool> {
    path.try_exists()
}

/// A new file survives a crash only once its folder's entry does.
pub(super) fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    match File::open(folder.unwrap_or(Path::new("."))) {
        Ok(folder) if cfg!(unix) => folder.sync_all(),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::ledger::{Charge, Ledger, Users};
    use crate::mechanism::{MechanismParameters, Status, Theorem};
    use crate::noise::{NoiseOrigin, NoiseRng, Numerics};
    use crate::template::CoinFlip;
    use crate::unit::{FeatureRow, Unit};
    use crate::{Epsilon, Secret};

    fn header(format: u32) -> LedgerHeader {
        let limit = Loss::new(2.0, 0.0).unwrap();
        LedgerHeader { format, ..LedgerHeader::new(FeatureRow::NAME, FeatureRow::RELATION, limit) }
    }

    fn entry(event: Event, users: Users) -> LedgerEntry {
        LedgerEntry {
            mechanism: "coin".into(),
            parameters: MechanismParameters::new(),
            charges: vec![Charge { users, event, pair: None }],
            people: Some(4),
            theorem: Theorem { statement: "for this test".into(), proof: "none".into() },
            status: Status::Holds,
            numerics: Numerics::Exact,
            noise: NoiseOrigin::OperatingSystem,
            assumes_public: Vec::new(),
            audited: true,
        }
    }

    fn good() -> LedgerEntry {
        entry(Event::Pure { epsilon: Epsilon::new(1.0).unwrap() }, Users::Everyone)
    }

    /// A file whose chain is right, whatever its lines say.
    fn file(format: u32, entries: &[LedgerEntry]) -> Vec<u8> {
        let header = header(format);
        let mut chain = chained("", &header).unwrap();
        let mut lines =
            vec![serde_json::to_string(&HeaderLine { chain: chain.clone(), header }).unwrap()];
        for entry in entries {
            chain = chained(&chain, entry).unwrap();
            let line = EntryLine { chain: chain.clone(), entry: entry.clone() };
            lines.push(serde_json::to_string(&line).unwrap());
        }
        (lines.join("\n") + "\n").into_bytes()
    }

    fn charge(path: &Path, times: usize) {
        let mut ledger: Ledger<FeatureRow> = match path.exists() {
            true => Ledger::open(path, NoiseRng::replay(1)).unwrap(),
            false => Ledger::create(path, header(FORMAT).limit, NoiseRng::replay(1)).unwrap(),
        };
        let coin = CoinFlip::new(0.25).unwrap();
        (0..times).for_each(|_| drop(ledger.release_each(&Secret::new(vec![1.0]), &coin).unwrap()));
    }

    /// The chain shows that a file was edited, not that a ledger ever wrote it.
    #[test]
    fn lines_that_no_ledger_writes_are_refused_by_their_number() {
        let line = |bytes: &[u8]| Contents::parse(bytes).map(|found| found.entries.len());
        let refused = |bytes: &[u8]| line(bytes).unwrap_err().0;
        assert_eq!(line(&file(FORMAT, &[good(), good()])), Ok(2));
        assert_eq!(line(&file(1, &[good()])), Ok(1), "the format before this one");
        for unknown in [0, FORMAT + 1] {
            assert_eq!(refused(&file(unknown, &[])), 1, "format {unknown}");
        }
        for none in [&b""[..], b"not a ledger\n"] {
            assert_eq!(refused(none), 1);
        }
        let twice = entry(good().charges[0].event.clone(), Users::Ranges(vec![[0, 2], [1, 3]]));
        let no_noise = entry(Event::Gaussian { noise_multiplier: 0.0 }, Users::Everyone);
        assert_eq!(refused(&file(FORMAT, &[good(), twice])), 3);
        assert_eq!(refused(&file(FORMAT, &[no_noise, good()])), 2);
    }

    /// Ledgers from before mechanisms of others could be charged have no word about it, and their chains must still hold.
    #[test]
    fn only_what_was_made_outside_says_so() {
        let outside = LedgerEntry { audited: false, ..good() };
        let text = |entry| String::from_utf8(file(FORMAT, &[entry])).unwrap();
        assert!(!text(good()).contains("audited"), "{}", text(good()));
        assert!(text(outside.clone()).contains(r#""audited":false"#));
        for entry in [good(), outside] {
            let read = Contents::parse(text(entry.clone()).as_bytes()).unwrap();
            assert_eq!(read.entries, [entry]);
        }
    }

    /// A crash may leave a line that is longer than the next one: nothing of it may stay behind that.
    #[test]
    fn a_long_torn_line_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        charge(&path, 1);
        let mut bytes = std::fs::read(&path).unwrap();
        let whole = bytes.len();
        bytes.resize(whole + 10_000, b' ');
        std::fs::write(&path, &bytes).unwrap();
        charge(&path, 0);
        assert_eq!(std::fs::read(&path).unwrap(), bytes[..whole]);
    }

    /// Where a crash came between an entry and its count, the next process to open the ledger writes the count anew: otherwise
    /// that entry could be cut off later.
    #[test]
    fn a_count_that_is_behind_catches_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        charge(&path, 1);
        let shorter = std::fs::read(&path).unwrap();
        let behind = std::fs::read(count::path_of(&path)).unwrap();
        charge(&path, 1);
        let right = std::fs::read(count::path_of(&path)).unwrap();
        std::fs::write(count::path_of(&path), behind).unwrap();
        charge(&path, 0);
        assert_eq!(std::fs::read(count::path_of(&path)).unwrap(), right);
        std::fs::write(&path, shorter).unwrap();
        assert!(EntryStore::open(&path).is_err(), "it lost the second entry");
    }
}
