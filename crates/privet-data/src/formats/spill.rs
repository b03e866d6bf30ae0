//! [`Spill`]: where a reader may put what does not fit into memory.
//!
//! Files are opened and lose their names at once: whatever ends the process, nothing stays behind.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where a reader may put what does not fit into memory, and how much of it may be held there at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spill {
    /// A folder with room for about 40 bytes an edge, while it is being read.
    pub folder: PathBuf,
    /// The most bytes of edges to be held in memory; ids, features and labels come on top.
    pub memory: u64,
}

/// Fewer would not hold the buffers of one merge.
const LEAST: u64 = 1 << 20;

impl Spill {
    /// So much memory, and a folder that is meant for large files: the one that `TMPDIR` names, or else `/var/tmp`, which
    /// unlike `/tmp` is not in memory itself on most systems.
    pub fn within(memory: u64) -> Self {
        let lasting = PathBuf::from("/var/tmp");
        let folder = match std::env::var_os("TMPDIR") {
            None if lasting.is_dir() => lasting,
            _ => std::env::temp_dir(),
        };
        Self { folder, memory }
    }

    /// How many numbers of so many bytes may be held.
    pub(crate) fn room(&self, bytes: usize) -> usize {
        (self.memory.max(LEAST) / bytes as u64) as usize
    }

    /// A new file without a name, to be written and read.
    pub(crate) fn file(&self) -> io::Result<File> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!(".privet-{}-{number}.tmp", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // Where a name cannot be taken from an open file, it is found in the folder afterwards.
        let _ = std::fs::remove_file(&path);
        Ok(file)
    }
}
