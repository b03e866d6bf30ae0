//! [`Count`]: how many entries a ledger has, kept beside it, so that a ledger which lost lines is noticed.
//!
//! A ledger cut at the end of a line is a ledger in good order with charges gone. `people.ledger.count`
//! says how many entries there were, and their chain. It is written after every entry is on disk, so after
//! a crash it may be behind and is never ahead: a ledger with fewer entries than its count, or with
//! others, does not open. Where the count itself is gone, the cards beside the ledger are asked.
//!
//! A folder that is restored as a whole from an older copy agrees with itself. Only a second count in another place can
//! tell ([`witness`]). Copies of a ledger share that count, so each charge compares and replaces it under a lock
//! ([`turn`]): of two copies that hold the same entries, only one makes the next.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::store::Contents;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// A file of this kind is some hundred bytes long.
const MOST_BYTES: u64 = 4096;

/// Cards are looked through where the count is gone; longer files are none.
const LONGEST_CARD: u64 = 1 << 24;

/// How many entries a ledger has, and the chain after the last of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Count {
    pub entries: usize,
    pub chain: String,
}

impl Count {
    pub fn of(contents: &Contents) -> Self {
        Self { entries: contents.entries.len(), chain: contents.chain.clone() }
    }

    /// A count, if it is there.
    fn read(path: &Path) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::ledger(path.display(), error)),
        };
        let mut bytes = Vec::new();
        let read = file.take(MOST_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| Error::ledger(path.display(), error))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|error| {
            Error::ledger(path.display(), format!("not the count of a ledger: {error}"))
        })
    }

    /// Replaces the count: the old one or the new one is there, never half of either.
    pub fn write(&self, path: &Path) -> Result<()> {
        let draft = path.with_extension("count.part");
        let write = || -> std::io::Result<()> {
            let mut file = File::create(&draft)?;
            file.write_all(&serde_json::to_vec(self)?)?;
            file.write_all(b"\n")?;
            file.sync_data()?;
            std::fs::rename(&draft, path)
        };
        write().map_err(|error| Error::ledger(path.display(), error))
    }

    /// Whether a ledger still has what was counted.
    fn holds_for(&self, contents: &Contents) -> Result<bool> {
        let there = self.entries <= contents.entries.len();
        Ok(there && contents.chain_after(self.entries)? == self.chain)
    }
}

/// Refuses a ledger that has lost entries which its count, or a card beside it, knows of.
pub(super) fn check(ledger: &Path, contents: &Contents) -> Result<()> {
    let lost = |known: usize, by: &Path| Err(lost(ledger, contents, known, by));
    match Count::read(&path_of(ledger))? {
        _ if fault::on(Fault::LostEntriesUnnoticed) => Ok(()),
        Some(count) if !count.holds_for(contents)? => lost(count.entries, &path_of(ledger)),
        Some(_) => Ok(()),
        None => {
            for (card, count) in cards_beside(ledger) {
                if !count.holds_for(contents)? {
                    return lost(count.entries, &card);
                }
            }
            Ok(())
        }
    }
}

fn lost(ledger: &Path, contents: &Contents, known: usize, by: &Path) -> Error {
    let reason = format!(
        "it has {} entries, but {} knows of {known}, or of others: it was cut, edited or replaced \
         by an older copy. Charges are missing, so it cannot be spent from; restore the ledger",
        contents.entries.len(),
        by.display()
    );
    Error::ledger(ledger.display(), reason)
}

/// Refuses a ledger that has lost entries which a count in another place knows of.
pub(super) fn witness(ledger: &Path, contents: &Contents, elsewhere: &Path) -> Result<()> {
    match Count::read(elsewhere)? {
        Some(count) if !count.holds_for(contents)? && !fault::on(Fault::WitnessNotAsked) => {
            Err(lost(ledger, contents, count.entries, elsewhere))
        }
        _ => Ok(()),
    }
}

/// The right to make the next entry of a ledger that is counted in another place. The lock is the operating system's,
/// so it ends with the process that holds it, however that process ends.
#[derive(Debug)]
pub(super) struct Turn {
    _lock: Option<File>,
}

/// Takes the count in another place, once no other process has it.
///
/// # Errors
/// If it cannot be locked.
pub(super) fn turn(elsewhere: &Path) -> Result<Turn> {
    if fault::on(Fault::CountNotLocked) {
        return Ok(Turn { _lock: None });
    }
    // The count itself is replaced by another file at each entry, so a file beside it is locked.
    let path = elsewhere.with_extension("count.lock");
    let failed = |error: std::io::Error| Error::ledger(path.display(), error);
    let file =
        File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    file.lock().map_err(failed)?;
    Ok(Turn { _lock: Some(file) })
}

/// Refuses the next entry where the count in another place has moved on since this ledger was opened.
pub(super) fn compare(ledger: &Path, contents: &Contents, elsewhere: &Path) -> Result<()> {
    match Count::read(elsewhere)? {
        Some(count) if count != Count::of(contents) && !fault::on(Fault::CountNotCompared) => {
            let reason = format!(
                "{} knows of {} charges and this file of {}: a copy of it was charged meanwhile, \
                 and nothing was released here; spend from the copy that was charged",
                elsewhere.display(),
                count.entries,
                contents.entries.len()
            );
            Err(Error::ledger(ledger.display(), reason))
        }
        _ => Ok(()),
    }
}

/// How many charges a count in another place knows of; none, if it is not there.
///
/// # Errors
/// If it is no count.
pub fn counted_elsewhere(elsewhere: &Path) -> Result<usize> {
    Ok(Count::read(elsewhere)?.map_or(0, |count| count.entries))
}

/// Refuses to begin anew where an account with charges has been.
pub(super) fn refuse_orphan(ledger: &Path) -> Result<()> {
    match Count::read(&path_of(ledger))? {
        Some(count) if count.entries > 0 && !ledger.exists() => {
            let reason = format!(
                "it is gone, but {} knows of {} charges to it: restore it, or charge an account of \
                 another name",
                path_of(ledger).display(),
                count.entries
            );
            Err(Error::ledger(ledger.display(), reason))
        }
        _ => Ok(()),
    }
}

/// Takes the count of a ledger away that is no more.
pub(super) fn remove(ledger: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path_of(ledger)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// `people.ledger.count`.
pub(super) fn path_of(ledger: &Path) -> PathBuf {
    let mut name = ledger.file_name().unwrap_or_default().to_os_string();
    name.push(".count");
    ledger.with_file_name(name)
}

/// What the cards in a ledger's folder say about it. What is no card says nothing.
fn cards_beside(ledger: &Path) -> Vec<(PathBuf, Count)> {
    #[derive(Deserialize)]
    struct CardLine {
        guarantees: Vec<Guarantee>,
    }
    #[derive(Deserialize)]
    struct Guarantee {
        ledger: Seal,
    }
    #[derive(Deserialize)]
    struct Seal {
        file: Option<String>,
        entries: usize,
        chain: String,
    }
    let folder = ledger.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Ok(files) = std::fs::read_dir(folder.unwrap_or(Path::new("."))) else { return Vec::new() };
    let name = ledger.file_name().map(|name| name.to_string_lossy().into_owned());
    let mut known = Vec::new();
    for path in files.filter_map(|file| Some(file.ok()?.path())) {
        let is_card = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name == "card.json" || name.ends_with(".card.json")
        });
        let short = || path.metadata().is_ok_and(|m| m.is_file() && m.len() <= LONGEST_CARD);
        if !is_card || !short() {
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let Ok(card) = serde_json::from_slice::<CardLine>(&bytes) else { continue };
        let mine = card.guarantees.into_iter().map(|g| g.ledger).filter(|s| s.file == name);
        known.extend(
            mine.map(|seal| (path.clone(), Count { entries: seal.entries, chain: seal.chain })),
        );
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;
    use crate::noise::NoiseRng;
    use crate::template::CoinFlip;
    use crate::unit::FeatureRow;
    use crate::{Card, Loss, Result, Secret};

    fn create(path: &Path) -> Result<Ledger<FeatureRow>> {
        Ledger::create(path, Loss::new(9.0, 0.0)?, NoiseRng::replay(1))
    }

    fn spend(ledger: &mut Ledger<FeatureRow>) {
        ledger.release_each(&Secret::new(vec![1.0]), &CoinFlip::new(0.5).unwrap()).unwrap();
    }

    #[test]
    fn a_count_is_one_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.count");
        Count { entries: 3, chain: "5f3c".into() }.write(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text, "{\"entries\":3,\"chain\":\"5f3c\"}\n");
        assert_eq!(counted_elsewhere(&path).unwrap(), 3);
        assert_eq!(counted_elsewhere(&folder.path().join("none")).unwrap(), 0);
    }

    /// What cannot be read is not called a count of the wrong form: the reader would look for the wrong mistake.
    #[test]
    fn a_count_that_cannot_be_read_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let message = counted_elsewhere(folder.path()).unwrap_err().to_string();
        assert!(!message.contains("not the count"), "{message}");
        std::fs::write(folder.path().join("count"), "3").unwrap();
        let message = counted_elsewhere(&folder.path().join("count")).unwrap_err().to_string();
        assert!(message.contains("not the count"), "{message}");
    }

    /// A count in another place is there from the first moment, and a ledger that has fewer charges than it is refused
    /// by readers, too.
    #[test]
    fn a_witness_is_written_before_anything_is_charged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        let witness = folder.path().join("elsewhere");
        let mut ledger = create(&path).unwrap().witnessed_by(&witness).unwrap();
        assert!(witness.exists());
        let before = Contents::read(&path).unwrap();
        spend(&mut ledger);
        assert_eq!(counted_elsewhere(&witness).unwrap(), 1);
        assert!(Contents::read(&path).unwrap().check_witness(&path, &witness).is_ok());
        assert!(before.check_witness(&path, &witness).is_err());
    }

    #[test]
    fn one_charge_is_enough_to_be_remembered() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        spend(&mut create(&path).unwrap());
        std::fs::remove_file(&path).unwrap();
        let message = create(&path).err().unwrap().to_string();
        assert!(message.contains("knows of 1 charges"), "{message}");
    }

    #[test]
    fn a_count_that_stays_is_not_called_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        remove(&path).unwrap();
        // A folder cannot be removed as if it were a file.
        std::fs::create_dir(path_of(&path)).unwrap();
        assert!(remove(&path).is_err());
    }

    /// Where the count is gone all cards are read, but a file far too long for a card is not.
    #[test]
    fn cards_are_read_up_to_their_greatest_length() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("people.ledger");
        let mut ledger = create(&path).unwrap();
        spend(&mut ledger);
        let card = Card::new("answers").with_ledger(&ledger).unwrap();
        let text = serde_json::to_string(&card).unwrap();
        let beside = folder.path().join("card.json");
        // What looks like a card and is a folder says nothing.
        std::fs::create_dir(folder.path().join("other.card.json")).unwrap();
        for (length, known) in [(LONGEST_CARD, 1), (LONGEST_CARD + 1, 0)] {
            let subject = "answers".to_owned() + &"s".repeat(length as usize - text.len());
            std::fs::write(&beside, text.replacen("answers", &subject, 1)).unwrap();
            assert_eq!(beside.metadata().unwrap().len(), length);
            assert_eq!(cards_beside(&path).len(), known, "{length} bytes");
        }
    }
}
