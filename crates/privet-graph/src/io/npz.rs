//! numpy archives with a CSR adjacency, features and labels.

use super::{Bundle, ReadOptions};
use crate::{Loaded, Result};

pub(crate) fn recognises(_bundle: &Bundle) -> bool {
    false
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, _options: &ReadOptions) -> Result<Loaded> {
    Err(bundle.place().refused("not yet"))
}

/// Writes a dataset of this format.
///
/// # Errors
/// If `out` refuses.
pub fn write(
    _dataset: &crate::Dataset,
    _out: &mut (impl std::io::Write + std::io::Seek),
) -> Result<()> {
    Err(crate::Place::file("npz").refused("not yet"))
}
