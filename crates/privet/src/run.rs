//! What belongs to one run and not to a system: where noise comes from, where ledgers are kept, what is
//! seeded, and how it is stopped. Every system takes the same.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use crate::Result;
use crate::privacy::noise::NoiseRng;
use crate::privacy::{Ledger, Loss, Unit};

/// What belongs to one run and not to the system.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    /// Where privacy noise comes from.
    pub noise: Noise,
    /// Where ledgers are kept.
    pub books: Books,
    /// Decides initial weights, batches, sketches and who publishes; protects nobody.
    pub seed: u64,
    /// Set it to stop early.
    pub interrupt: &'a AtomicBool,
}

/// Where noise comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noise {
    /// The operating system: protects people.
    OperatingSystem,
    /// A seed: a simulation, stamped as one.
    Replay(u64),
}

/// Where ledgers are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Books {
    /// In memory, for simulations.
    Memory,
    /// In new files `features.ledger`, `labels.ledger`, `edges.ledger` and so on of this folder.
    Folder(PathBuf),
}

impl Books {
    /// The ledger of a kind of report in a folder.
    pub fn file(folder: &Path, kind: &str) -> PathBuf {
        folder.join(format!("{kind}.ledger"))
    }

    /// A new ledger for one kind of report. Replayed noise differs between the streams of one run.
    pub(crate) fn open<U: Unit>(
        &self,
        kind: &str,
        limit: Loss,
        noise: Noise,
        stream: u64,
    ) -> Result<Ledger<U>> {
        let noise = match noise {
            Noise::OperatingSystem => NoiseRng::from_operating_system()?,
            Noise::Replay(seed) => NoiseRng::replay(seed.wrapping_mul(3).wrapping_add(stream)),
        };
        Ok(match self {
            Self::Memory => Ledger::in_memory(limit, noise)?,
            Self::Folder(folder) => Ledger::create(&Self::file(folder, kind), limit, noise)?,
        })
    }
}
