//! What a process has done so far, on disk: whole or not at all.
//!
//! `FOLDER/process-I/round-R` holds the state after round R: a head (which job, which part of how many, which
//! round), the state, and the SHA-256 of both. A file is written beside its place, forced to the disk and renamed.
//! The last two are kept, because a process may die before it has written the round that others have.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use privet::privacy::fault::{self, Fault};
use sha2::{Digest, Sha256};

use crate::engine::Exchange;
use crate::{Error, Result};

const MAGIC: &[u8; 16] = b"privet-cluster-2";
/// How many are kept.
const KEPT: usize = 2;

/// Where checkpoints of one process go.
#[derive(Debug, Clone)]
pub struct Checkpoints {
    folder: PathBuf,
    every: usize,
    key: [u8; 32],
}

/// Whether to go on from checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resume {
    /// From the last round that every process holds.
    Yes,
    /// From the beginning.
    No,
}

/// Where a job keeps its state, if it does, and whether it goes on from there.
pub type CheckpointUse<'a> = Option<(&'a Checkpoints, Resume)>;

/// The round from which a job goes on, with the state after it; 0 if it starts from the beginning.
///
/// # Errors
/// If the folder holds another job, or what is there cannot be read.
pub fn begin(
    keep: CheckpointUse<'_>,
    state: &mut impl CheckpointState,
    exchange: &mut Exchange,
) -> Result<usize> {
    match keep {
        Some((checkpoints, Resume::Yes)) => checkpoints.resume(state, exchange),
        Some((checkpoints, Resume::No)) => checkpoints.refuse_existing().map(|()| 0),
        None => Ok(0),
    }
}

/// Keeps the state after a round, if it is due.
///
/// # Errors
/// If it cannot be written.
pub fn after(keep: CheckpointUse<'_>, round: usize, state: &impl CheckpointState) -> Result<()> {
    match keep {
        Some((checkpoints, _)) if checkpoints.is_due(round) => checkpoints.write(round, state),
        _ => Ok(()),
    }
}

/// What a process must know to go on after a round.
pub trait CheckpointState {
    /// Its parts, in a fixed order.
    fn parts(&self) -> Vec<&[u8]>;
    /// The same, to be filled.
    fn parts_mut(&mut self) -> Vec<&mut [u8]>;
}

impl Checkpoints {
    /// Checkpoints in `folder` after every so many rounds. `job` is what all processes agree on; `own` is what this
    /// process holds of the data, so that a state is never continued on other data.
    ///
    /// # Errors
    /// If `every` is 0, or a folder cannot be made.
    pub fn new(
        folder: &Path,
        every: usize,
        job: &[u8; 32],
        own: &[u8; 32],
        exchange: &Exchange,
    ) -> Result<Self> {
        if every == 0 {
            return Err(Error::invalid("--checkpoint-every", 0, "a number of rounds"));
        }
        let (index, count) = (exchange.index(), exchange.count());
        // The data's hash is part of the key: a state is never continued on other data.
        let own: &[u8] = if fault::on(Fault::CheckpointOfOtherData) { &[] } else { own };
        let key = Sha256::new()
            .chain_update(job)
            .chain_update(own)
            .chain_update((index as u64).to_le_bytes())
            .chain_update((count as u64).to_le_bytes())
            .finalize();
        let folder = folder.join(format!("process-{index}"));
        fs::create_dir_all(&folder).map_err(|cause| Error::file(&folder, cause))?;
        Ok(Self { folder, every, key: key.into() })
    }

    /// Whether the state after this round is to be kept.
    pub fn is_due(&self, round: usize) -> bool {
        round > 0 && round.is_multiple_of(self.every)
    }

    /// Refuses a folder that already holds checkpoints.
    ///
    /// # Errors
    /// If it holds checkpoints, or cannot be read.
    pub fn refuse_existing(&self) -> Result<()> {
        match self.rounds()?.last() {
            None => Ok(()),
            Some(round) => {
                let reason = "a checkpoint is there already: go on from it with --resume, or name \
                              another folder";
                Err(Error::Checkpoint { path: self.path(*round), reason: reason.to_owned() })
            }
        }
    }

    /// Writes the state after a round, and removes what is older than the one before it.
    ///
    /// # Errors
    /// If it cannot be written; then the ones before it are still there.
    pub fn write(&self, round: usize, state: &impl CheckpointState) -> Result<()> {
        let path = self.path(round);
        let temporary = self.folder.join(format!("unfinished-{round}"));
        // Written beside, then renamed: a name `round-R` always means a whole file.
        let written = self.write_to(&temporary, round, state);
        let placed = written.and_then(|()| fs::rename(&temporary, &path)).and_then(|()| {
            // The new name must be on the disk before the old ones are removed from it.
            File::open(&self.folder)?.sync_all()
        });
        if let Err(cause) = placed {
            let _gone = fs::remove_file(&temporary);
            return Err(Error::io(format!("checkpoint {}", path.display()), cause));
        }
        // Two are kept: another process may have died before it wrote this round.
        for old in self.rounds()?.into_iter().rev().skip(KEPT) {
            let path = self.path(old);
            fs::remove_file(&path).map_err(|cause| Error::file(&path, cause))?;
        }
        Ok(())
    }

    fn write_to(
        &self,
        path: &Path,
        round: usize,
        state: &impl CheckpointState,
    ) -> std::io::Result<()> {
        let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        let mut hash = Sha256::new();
        let parts = state.parts();
        let head = self.head(round, parts.iter().map(|part| part.len() as u64).sum());
        for part in std::iter::once(&head[..]).chain(parts) {
            hash.update(part);
            file.write_all(part)?;
        }
        file.write_all(&hash.finalize())?;
        let file = file.into_inner().map_err(|error| error.into_error())?;
        file.sync_all()
    }

    /// The last round that all workers hold, read into `state`: 0 if there is none, with a note on stderr. Damaged files
    /// are noted there, too, and skipped.
    ///
    /// # Errors
    /// If the folder cannot be read, or holds the work of another job, which this one would write over.
    pub fn resume(
        &self,
        state: &mut impl CheckpointState,
        exchange: &mut Exchange,
    ) -> Result<usize> {
        let mut held = Vec::new();
        for round in self.rounds()?.into_iter().rev() {
            match self.read(round, state) {
                Ok(()) => held.push(round as f64),
                // Whole, but of another job: to go on would remove that job's work.
                Err(error) if self.is_of_another(round) => return Err(error),
                Err(error) => eprintln!("privet: {error}; looking for the one before it"),
            }
        }
        let mut common: Option<BTreeSet<u64>> = None;
        // All must go on from the same round, so each tells the others which it holds.
        for bytes in exchange.all_hear(bytemuck::cast_slice(&held))? {
            let (eights, _) = bytes.as_chunks::<8>();
            let theirs = eights.iter().map(|eight| f64::from_ne_bytes(*eight) as u64);
            let theirs: BTreeSet<u64> = theirs.collect();
            common = Some(match common {
                None => theirs,
                Some(common) => common.intersection(&theirs).copied().collect(),
            });
        }
        let Some(&round) = common.as_ref().and_then(BTreeSet::last) else {
            // To start over may cost hours that were thought to be saved: once, and before it begins.
            if exchange.index() == 0 {
                eprintln!(
                    "privet: no checkpoint that all workers hold was found: the job starts from the beginning"
                );
            }
            return Ok(0);
        };
        // Read again: the loop above left the state of the oldest round in `state`.
        self.read(round as usize, state)?;
        Ok(round as usize)
    }

    /// Reads the state after a round.
    ///
    /// # Errors
    /// If the file is cut off, damaged or of another job; then `state` holds anything.
    pub fn read(&self, round: usize, state: &mut impl CheckpointState) -> Result<()> {
        let path = self.path(round);
        let fault = |reason: &str| {
            let (path, reason) = (path.clone(), reason.to_owned());
            Err(Error::Checkpoint { path, reason })
        };
        let file = File::open(&path).map_err(|cause| Error::file(&path, cause))?;
        let length = file.metadata().map_err(|cause| Error::file(&path, cause))?.len();
        let mut parts = state.parts_mut();
        let expected = self.head(round, parts.iter().map(|part| part.len() as u64).sum());
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut head = [0; HEAD];
        if file.read_exact(&mut head).is_err() {
            return fault("a checkpoint that is cut off");
        }
        if head != expected {
            return fault(match is_whole(&path) {
                true => "a checkpoint of another job, other data or another number of workers",
                false => "a damaged checkpoint, or one that is cut off",
            });
        }
        let whole = HEAD as u64 + parts.iter().map(|part| part.len() as u64).sum::<u64>() + 32;
        // Before the state is touched, as far as that can be known.
        if length != whole {
            return fault(&format!(
                "a checkpoint of {length} bytes, expected {whole}: it is cut off"
            ));
        }
        let mut hash = Sha256::new_with_prefix(head);
        for part in &mut parts {
            file.read_exact(part).map_err(|cause| Error::file(&path, cause))?;
            hash.update(&**part);
        }
        let mut sum = [0; 32];
        file.read_exact(&mut sum).map_err(|cause| Error::file(&path, cause))?;
        if sum[..] != hash.finalize()[..] && !fault::on(Fault::DamagedCheckpointRead) {
            return fault("a damaged checkpoint: its checksum is another one");
        }
        Ok(())
    }

    fn is_of_another(&self, round: usize) -> bool {
        let path = self.path(round);
        let mut head = [0; HEAD];
        let read = File::open(&path).and_then(|mut file| file.read_exact(&mut head));
        // A damaged file is not protected: only a whole one can be another job's work.
        read.is_ok() && head[16..48] != self.key && is_whole(&path)
    }

    /// Removes everything, once the job is done.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub fn remove(&self) -> Result<()> {
        for round in self.rounds()? {
            let path = self.path(round);
            fs::remove_file(&path).map_err(|cause| Error::file(&path, cause))?;
        }
        // A folder with something else in it stays.
        let _removed = fs::remove_dir(&self.folder);
        Ok(())
    }

    fn path(&self, round: usize) -> PathBuf {
        self.folder.join(format!("round-{round}"))
    }

    /// The rounds that files are there for, ascending.
    fn rounds(&self) -> Result<Vec<usize>> {
        let fault = |cause| Error::file(&self.folder, cause);
        let mut rounds = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(fault)? {
            let name = entry.map_err(fault)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("round-"));
            rounds.extend(number.and_then(|number| number.parse::<usize>().ok()));
        }
        rounds.sort_unstable();
        Ok(rounds)
    }

    fn head(&self, round: usize, length: u64) -> [u8; HEAD] {
        let mut head = [0; HEAD];
        head[..16].copy_from_slice(MAGIC);
        head[16..48].copy_from_slice(&self.key);
        head[48..56].copy_from_slice(&(round as u64).to_le_bytes());
        head[56..].copy_from_slice(&length.to_le_bytes());
        head
    }
}

/// Whether a file ends with the checksum of what comes before.
fn is_whole(path: &Path) -> bool {
    let sum = || -> std::io::Result<bool> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len().saturating_sub(32);
        let mut hash = Sha256::new();
        std::io::copy(&mut Read::by_ref(&mut file).take(length), &mut HashWriter(&mut hash))?;
        let mut sum = [0; 32];
        file.read_exact(&mut sum)?;
        Ok(sum[..] == hash.finalize()[..])
    };
    sum().unwrap_or(false)
}

/// Bytes on their way into a hash.
struct HashWriter<'a>(&'a mut Sha256);

impl Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Length of a head.
const HEAD: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    struct Bytes(Vec<u8>, [u8; 3]);

    impl CheckpointState for Bytes {
        fn parts(&self) -> Vec<&[u8]> {
            vec![&self.0, &self.1]
        }
        fn parts_mut(&mut self) -> Vec<&mut [u8]> {
            vec![&mut self.0, &mut self.1]
        }
    }

    fn checkpoints(folder: &Path, job: u8) -> Checkpoints {
        Checkpoints::new(folder, 5, &[job; 32], &[2; 32], &Exchange::alone()).unwrap()
    }

    #[test]
    fn the_last_two_are_kept_and_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let kept = checkpoints(folder.path(), 1);
        assert!(kept.is_due(5) && kept.is_due(10) && !kept.is_due(0) && !kept.is_due(7));
        kept.refuse_existing().unwrap();
        for round in [5, 10, 15] {
            kept.write(round, &Bytes(vec![round as u8; 40], [1, 2, 3])).unwrap();
        }
        assert_eq!(kept.rounds().unwrap(), [10, 15]);
        let mut state = Bytes(vec![0; 40], [0; 3]);
        assert_eq!(kept.resume(&mut state, &mut Exchange::alone()).unwrap(), 15);
        assert_eq!((state.0, state.1), (vec![15; 40], [1, 2, 3]));
        assert!(kept.refuse_existing().unwrap_err().to_string().contains("--resume"));
        kept.remove().unwrap();
        assert!(!folder.path().join("process-0").exists());
    }

    #[test]
    fn a_file_cut_at_any_byte_gives_way_to_the_one_before() {
        let folder = tempfile::tempdir().unwrap();
        let kept = checkpoints(folder.path(), 1);
        kept.write(5, &Bytes(vec![5; 40], [5; 3])).unwrap();
        kept.write(10, &Bytes(vec![10; 40], [10; 3])).unwrap();
        let path = folder.path().join("process-0/round-10");
        let whole = fs::read(&path).unwrap();
        let mut state = Bytes(vec![0; 40], [0; 3]);
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            let message = kept.read(10, &mut state).unwrap_err().to_string();
            assert!(
                message.contains("cut off") && message.contains("round-10"),
                "{length}: {message}"
            );
            assert_eq!(kept.resume(&mut state, &mut Exchange::alone()).unwrap(), 5);
            assert_eq!(state.0, [5; 40]);
        }
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            assert_eq!(kept.resume(&mut state, &mut Exchange::alone()).unwrap(), 5, "byte {at}");
        }
    }

    /// Rows of other people in the state of these would come out with the output.
    #[test]
    fn c11_a_state_is_not_continued_on_other_data() {
        let folder = tempfile::tempdir().unwrap();
        checkpoints(folder.path(), 1).write(5, &Bytes(vec![5; 40], [5; 3])).unwrap();
        let other = Checkpoints::new(folder.path(), 5, &[1; 32], &[3; 32], &Exchange::alone());
        let mut state = Bytes(vec![0; 40], [0; 3]);
        let message = other.unwrap().resume(&mut state, &mut Exchange::alone()).unwrap_err();
        assert!(message.to_string().contains("other data"), "{message}");
        assert!(state.0.iter().all(|&byte| byte == 0), "nothing of it was read");
    }

    #[test]
    fn another_jobs_checkpoints_are_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        checkpoints(folder.path(), 1).write(5, &Bytes(vec![5; 40], [5; 3])).unwrap();
        let mut state = Bytes(vec![0; 40], [0; 3]);
        let other = checkpoints(folder.path(), 2);
        assert!(other.read(5, &mut state).unwrap_err().to_string().contains("another job"));
        let message = other.resume(&mut state, &mut Exchange::alone()).unwrap_err().to_string();
        assert!(message.contains("another job"), "{message}");
        let error = Checkpoints::new(folder.path(), 0, &[0; 32], &[0; 32], &Exchange::alone());
        assert!(error.is_err());
    }
}
