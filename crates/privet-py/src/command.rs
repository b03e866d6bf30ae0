//! The command line out of the wheel.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what was typed, as the command `privet` does, and gives its exit code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| privet_cli::main_from(words))
}
