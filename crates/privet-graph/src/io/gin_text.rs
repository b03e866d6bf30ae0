//! GIN text: graph sets as white-space separated integers.

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

/// Writes a set of graphs of this format.
///
/// # Errors
/// If `out` refuses.
pub fn write(_set: &crate::GraphSet, _out: &mut impl std::io::Write) -> Result<()> {
    Err(crate::Place::file("gin-text").refused("not yet"))
}
