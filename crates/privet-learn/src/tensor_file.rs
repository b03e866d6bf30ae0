//! Safetensors files of named matrices with a JSON header: what models and checkpoints are kept in.
//! A file is complete or not there: it is written under another name and moved into place.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use privet_graph::files::temporary;
use privet_graph::{DenseMatrix, FoundValue, SourceLocation};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, View, serialize};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{Error, Result};

/// The one entry of the metadata: its value is our own JSON, so that the order of keys is ours too.
const HEADER: &str = "privet";

/// What a file holds.
#[derive(Debug)]
pub(crate) struct TensorFile {
    place: SourceLocation,
    header: String,
    tensors: BTreeMap<String, DenseMatrix>,
}

struct Borrowed<'a> {
    shape: [usize; 2],
    values: &'a [f32],
}

impl View for Borrowed<'_> {
    fn dtype(&self) -> Dtype {
        Dtype::F32
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        match cfg!(target_endian = "little") {
            true => Cow::Borrowed(bytemuck::cast_slice(self.values)),
            false => Cow::Owned(self.values.iter().flat_map(|v| v.to_le_bytes()).collect()),
        }
    }

    fn data_len(&self) -> usize {
        size_of_val(self.values)
    }
}

/// Writes a header and tensors; a file of that name is replaced when the new one is complete.
pub(crate) fn write(
    path: &Path,
    header: &impl Serialize,
    tensors: &[(Cow<'_, str>, &DenseMatrix)],
) -> Result<()> {
    let place = SourceLocation::file(path.display().to_string());
    let failed = |error: &dyn std::fmt::Display| place.refused(format!("cannot write: {error}"));
    let header = serde_json::to_string(header).map_err(|error| failed(&error))?;
    let views = tensors.iter().map(|(name, matrix)| {
        let shape = [matrix.rows(), matrix.columns()];
        (name, Borrowed { shape, values: matrix.values() })
    });
    let metadata = HashMap::from([(HEADER.to_owned(), header)]);
    let bytes = serialize(views, Some(metadata)).map_err(|error| failed(&error))?;
    replace(path, &bytes).map_err(|source| Error::Io { path: path.display().to_string(), source })
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let aside = temporary(path).ok_or(std::io::ErrorKind::InvalidFilename)?;
    let written = File::create(&aside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| fs::rename(&aside, path));
    if written.is_err() {
        let _ = fs::remove_file(&aside);
    }
    written
}

impl TensorFile {
    /// Reads what [`write`] wrote.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let place = SourceLocation::file(path.display().to_string());
        let bytes = fs::read(path)
            .map_err(|source| Error::Io { path: path.display().to_string(), source })?;
        let malformed = |error: &dyn std::fmt::Display| {
            place.malformed(
                FoundValue::words(format!("no safetensors file ({error})")),
                "one that Privet wrote",
            )
        };
        let (_, metadata) =
            SafeTensors::read_metadata(&bytes).map_err(|error| malformed(&error))?;
        let header = metadata.metadata().as_ref().and_then(|entries| entries.get(HEADER));
        let header = header.ok_or_else(|| {
            place.malformed(
                FoundValue::words(format!("no '{HEADER}' in the metadata")),
                "a file that Privet wrote",
            )
        })?;
        let mut tensors = BTreeMap::new();
        let file = SafeTensors::deserialize(&bytes).map_err(|error| malformed(&error))?;
        for (name, view) in file.iter() {
            tensors.insert(name.to_owned(), matrix(&place, name, &view)?);
        }
        Ok(Self { header: header.clone(), tensors, place })
    }

    pub(crate) fn place(&self) -> &SourceLocation {
        &self.place
    }

    /// The header, as what it should be.
    pub(crate) fn header<T: DeserializeOwned>(&self) -> Result<T> {
        serde_json::from_str(&self.header).map_err(|error| {
            let found = format!("a header that does not fit ({error})");
            self.place.malformed(FoundValue::words(found), "that of such a file").into()
        })
    }

    /// How many numbers all tensors hold.
    pub(crate) fn stored(&self) -> usize {
        self.tensors.values().map(|matrix| matrix.values().len()).sum()
    }

    /// Takes a tensor out.
    pub(crate) fn take(&mut self, name: &str) -> Result<DenseMatrix> {
        self.tensors.remove(name).ok_or_else(|| {
            self.place
                .malformed(FoundValue::words(format!("no tensor '{name}'")), "one of that name")
                .into()
        })
    }
}

fn matrix(place: &SourceLocation, name: &str, view: &TensorView<'_>) -> Result<DenseMatrix> {
    let (&[rows, columns], Dtype::F32) = (view.shape(), view.dtype()) else {
        let found = format!("tensor '{name}' of {:?} {:?}", view.dtype(), view.shape());
        return Err(place.malformed(FoundValue::words(found), "a matrix of F32").into());
    };
    let values = view.data().as_chunks::<4>().0.iter().map(|&b| f32::from_le_bytes(b)).collect();
    DenseMatrix::new(rows, columns, values).map_err(|error| {
        place
            .malformed(FoundValue::words(format!("tensor '{name}' with {error}")), "finite numbers")
            .into()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::finite_differences::filled;

    fn bytes_of(matrix: &DenseMatrix) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.safetensors");
        write(&path, &"header", &[("x".into(), matrix)]).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left behind");
        fs::read(path).unwrap()
    }

    fn read_bytes(bytes: &[u8]) -> Result<TensorFile> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.safetensors");
        fs::write(&path, bytes).unwrap();
        TensorFile::read(&path)
    }

    #[test]
    fn what_is_written_is_read() {
        let matrix = filled(3, 2, 1);
        let mut file = read_bytes(&bytes_of(&matrix)).unwrap();
        assert_eq!(file.header::<String>().unwrap(), "header");
        assert!(file.header::<u32>().is_err());
        assert_eq!(file.stored(), 6);
        assert_eq!(file.take("x").unwrap(), matrix);
        assert!(file.take("x").unwrap_err().to_string().contains("no tensor 'x'"));
        assert_eq!(bytes_of(&matrix), bytes_of(&matrix), "the same model, the same bytes");
    }

    #[test]
    fn a_path_that_cannot_be_written_is_named() {
        let error = write(Path::new("/nowhere/a.st"), &"", &[]).unwrap_err().to_string();
        assert!(error.starts_with("/nowhere/a.st: "), "{error}");
        assert!(TensorFile::read(Path::new("/nowhere/a.st")).is_err());
    }

    proptest! {
        /// A changed byte or a cut is an error or other numbers, never a panic.
        #[test]
        fn damaged_files_do_no_harm(at in 0usize..400, byte: u8, keep in 0usize..400) {
            let whole = bytes_of(&filled(3, 2, 1));
            let mut damaged = whole.clone();
            let at = at % damaged.len();
            damaged[at] = byte;
            let _ = read_bytes(&damaged);
            prop_assert!(read_bytes(&whole[..keep % whole.len()]).is_err());
        }
    }
}
