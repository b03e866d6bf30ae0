//! Model files: safetensors whose header names the kind of model and its configuration.

use std::borrow::Cow;
use std::path::Path;

use privet_graph::FoundValue;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::parameters::{Parameters, Snapshot};
use crate::tensor_file::{self, TensorFile};

#[derive(Serialize, Deserialize)]
struct ModelHeader {
    model: String,
    config: serde_json::Value,
}

/// Writes the tensors of a model, its kind and its configuration.
///
/// # Errors
/// If the file cannot be written.
pub fn save(
    path: &Path,
    kind: &str,
    config: &impl Serialize,
    model: &dyn Parameters,
) -> Result<()> {
    let place = privet_graph::SourceLocation::file(path.display().to_string());
    let config = serde_json::to_value(config)
        .map_err(|error| place.refused(format!("cannot write its configuration: {error}")))?;
    let mut tensors = Vec::new();
    model.visit(&mut |parameter| tensors.push((Cow::from(parameter.name()), &parameter.value)));
    tensor_file::write(path, &ModelHeader { model: kind.to_owned(), config }, &tensors)
}

/// Reads a model of one kind: `make` makes one from its configuration and the number of values the file
/// holds (so that no configuration asks for more memory than its file is worth).
///
/// # Errors
/// If the file cannot be read, is of another kind, or its tensors do not fit its configuration.
pub fn load<C: DeserializeOwned, M: Parameters>(
    path: &Path,
    kind: &str,
    make: impl FnOnce(C, usize) -> Result<M>,
) -> Result<M> {
    let mut file = TensorFile::read(path)?;
    let header: ModelHeader = file.header()?;
    if header.model != kind {
        let found = FoundValue::words(format!("a model of kind '{}'", header.model));
        return Err(file.place().malformed(found, format!("one of kind '{kind}'")).into());
    }
    let config = serde_json::from_value(header.config).map_err(|error| {
        let found = FoundValue::words(format!("a configuration with {error}"));
        file.place().malformed(found, format!("that of a {kind}"))
    })?;
    let mut model = make(config, file.stored())?;
    let mut names = Vec::new();
    model.visit(&mut |parameter| names.push(parameter.name().to_owned()));
    let mut values = Vec::with_capacity(names.len());
    for name in names {
        let value = file.take(&name)?;
        values.push((name, value));
    }
    model.restore(&Snapshot { values })?;
    Ok(model)
}
