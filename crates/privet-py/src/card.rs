//! A card as Python holds it: what the library says, and nothing that Python could write into it.

use std::path::PathBuf;

use privet::cardfile::verify;
use privet::privacy;
use privet::privacy::card::CardKey;
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;

use crate::error::{Failure, PrivetError};

/// What is protected, what not, on whose word.
#[pyclass(frozen, eq, module = "privet._native")]
#[derive(PartialEq)]
pub(crate) struct Card(pub(crate) privacy::Card);

#[pymethods]
impl Card {
    /// The card in a file.
    #[staticmethod]
    fn read(path: PathBuf) -> PyResult<Self> {
        if !path.exists() {
            let text = format!("{}: there is no such card", path.display());
            return Err(PyFileNotFoundError::new_err(text));
        }
        Ok(Self(privacy::Card::read(&path).map_err(Failure::from)?))
    }

    /// The card in a text.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        Ok(Self(privacy::Card::from_json(text.as_bytes()).map_err(Failure::from)?))
    }

    /// All of it, as its file has it.
    fn to_json(&self) -> PyResult<String> {
        let bytes = self.0.to_json().map_err(Failure::from)?;
        String::from_utf8(bytes).map_err(|error| PrivetError::new_err(error.to_string()))
    }

    /// In plain words.
    fn explain(&self) -> String {
        self.0.explain()
    }

    /// Every loss with its unit and its conditions, as every command prints them.
    fn stated(&self) -> Vec<String> {
        self.0.stated().iter().map(ToString::to_string).collect()
    }

    /// The same for one guarantee after the other, without totals and conversions.
    fn stated_guarantees(&self) -> Vec<String> {
        self.0.guarantees.iter().map(|guarantee| guarantee.stated().to_string()).collect()
    }

    /// Who has no protection at all.
    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }

    #[getter]
    fn is_simulation(&self) -> bool {
        self.0.is_simulation()
    }

    #[getter]
    fn is_audited(&self) -> bool {
        self.0.is_audited()
    }

    /// Every number computed again from ledgers, and every file hashed: differences, notes, and what nothing at hand
    /// can confirm.
    fn check(
        &self,
        path: PathBuf,
        ledgers: Vec<PathBuf>,
        key: Option<PathBuf>,
    ) -> PyResult<(Vec<String>, Vec<String>, Vec<String>)> {
        let key = key.map(|path| CardKey::read(&path)).transpose().map_err(Failure::from)?;
        let checked = verify::check(&path, &self.0, &ledgers, key.as_ref());
        let checked = checked.map_err(Failure::from)?;
        Ok((checked.differences, checked.notes, checked.unchecked))
    }
}
