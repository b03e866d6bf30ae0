//! Graph sets as `graphs.json` and `target.csv`.

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
