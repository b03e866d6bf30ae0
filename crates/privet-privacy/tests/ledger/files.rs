//! Ledger files to cut, edit and lose.

use std::path::{Path, PathBuf};

use privet_privacy::Ledger;
use privet_privacy::noise::NoiseRng;
use privet_privacy::template::CoinFlip;
use privet_privacy::unit::FeatureRow;

use crate::{answers, limit};

/// A ledger on disk with two entries, and the file's length after each.
pub fn two_entries(path: &Path) -> Vec<u64> {
    let mut ledger: Ledger<FeatureRow> =
        Ledger::create(path, limit(10.0), NoiseRng::replay(1)).unwrap();
    let length = || std::fs::metadata(path).unwrap().len();
    let mut lengths = vec![length()];
    for epsilon in [0.5, 1.0] {
        ledger.release_each(&answers(), &CoinFlip::new(epsilon).unwrap()).unwrap();
        lengths.push(length());
    }
    lengths
}

/// `people.ledger.count`.
pub fn count_of(path: &Path) -> PathBuf {
    path.with_extension("ledger.count")
}
