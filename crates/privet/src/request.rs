//! [`Request`]: what a user asks of a system. One struct per system holds every setting with its name, default and
//! documentation. The command line, Python and configuration files fill it; all of them are refused the same in the same
//! words.
//!
//! ```text
//! DparRequest (serde: fields, defaults, docs)      filled by options, keywords or a file
//!    .validate()?                                  what no data could make right
//!    .resolve(&facts)? -> DparRelease              public facts choose what was left open: method, noise, sizes
//! DparRelease.promise(&facts)?                     the card, before any record is looked at
//! DparRelease.run(data, &run)?                     one release; `write` and `ReleaseFolder` put it into files
//! ```
//!
//! ```
//! use privet::request::{DparRequest, Request, from_fields};
//! use privet::{Facts, Run, data::synthetic::StochasticBlocks};
//! let fields = serde_json::json!({"epsilon": 8.0, "method": "smoothed-sgd", "steps": 10});
//! let request: DparRequest = from_fields(fields)?;
//! let blocks = StochasticBlocks { nodes: 300, classes: 2, features: 20, ..Default::default() };
//! let people = blocks.generate(1)?;
//! let release = request.resolve(&Facts::of(&people).with_learners(240))?;
//! let made = release.run((&people).into(), &Run::simulation(1))?;
//! assert_eq!(made.get().predicted.len(), 60);
//! assert!(from_fields::<DparRequest>(serde_json::json!({"epsilon": 8.0, "stepz": 3})).is_err());
//! # Ok::<(), privet::Error>(())
//! ```

mod bytes;
mod dpar;
mod dprr;
mod embed;
mod hetero_rr;
mod ldp_ge;
mod partial;
mod publish;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

pub use bytes::Bytes;
pub use dpar::{DparPromise, DparRequest};
pub use dprr::DprrRequest;
pub use embed::{EmbedMethod, EmbedRequest};
pub use hetero_rr::HeteroRrRequest;
pub use ldp_ge::{LdpGeMethod, LdpGeRequest, MechanismSettings, Secrets};
pub use partial::{NamedSettings, PartialSettings};
pub use publish::PublishRequest;

use crate::graph::Error as DataError;
use crate::{Error, Facts, Result};

/// Settings by name: every request, of a system or of anything else that can be asked.
pub trait RequestFields: Serialize + DeserializeOwned {
    /// One with every setting that can be given, of which names are read.
    fn example() -> Self;

    /// Refuses what no data could make right.
    ///
    /// # Errors
    /// If a number makes no sense, or settings contradict each other.
    fn validate(&self) -> Result<()>;
}

/// What a user asks of a system.
pub trait Request: RequestFields {
    /// The system with all of its settings, ready to promise and run.
    type Release;

    /// The system that was asked for, where public facts choose what was left open.
    ///
    /// # Errors
    /// Those of [`validate`](RequestFields::validate), or that the facts do not fit.
    fn resolve(&self, facts: &Facts) -> Result<Self::Release>;
}

/// The names of all settings of a request, as they stand in its fields.
pub fn names<R: RequestFields>() -> Vec<String> {
    fields_of(&R::example()).keys().cloned().collect()
}

/// A request out of fields by name, such as keywords or a table of a configuration file; `null` is not given.
///
/// # Errors
/// If a name is not known, a value is not of its kind, or the request makes no sense.
pub fn from_fields<R: RequestFields>(fields: Value) -> Result<R> {
    let Value::Object(mut fields) = fields else {
        return Err(Error::invalid("request", kind(&fields), "fields by name"));
    };
    fields.retain(|_, value| !value.is_null());
    let known = names::<R>();
    for name in fields.keys() {
        if !known.contains(name) {
            let known = known.iter().map(String::as_str);
            return Err(DataError::unknown_name("setting", name, known).into());
        }
    }
    let request: R = match serde_json::from_value(Value::Object(fields.clone())) {
        Ok(request) => request,
        Err(error) => return Err(misfit::<R>(&fields, &error)),
    };
    request.validate()?;
    Ok(request)
}

/// The first field whose value does not fit by itself, or what else is wrong with all of them.
fn misfit<R: RequestFields>(fields: &Map<String, Value>, error: &serde_json::Error) -> Error {
    let example = fields_of(&R::example());
    for (name, value) in fields {
        let mut alone = example.clone();
        alone.insert(name.clone(), value.clone());
        if let Err(error) = serde_json::from_value::<R>(Value::Object(alone)) {
            return misplaced(name, value, &error);
        }
    }
    let text = error.to_string();
    match text.strip_prefix("missing field `").and_then(|rest| rest.split('`').next()) {
        Some(name) => Error::request(name.replace('_', "-"), "nothing was given", "give a value"),
        None => Error::invalid("request", text, "values of their kind"),
    }
}

/// A value that is not of the kind of its setting.
fn misplaced(name: &str, value: &Value, error: &serde_json::Error) -> Error {
    let text = error.to_string();
    let expected = text.rsplit_once("expected ").map_or(text.as_str(), |(_, expected)| expected);
    let expected = match expected {
        "f64" | "f32" => "a number",
        "usize" | "u64" | "u32" => "a whole number from 0 on",
        "a boolean" => "true or false",
        "a string" | "path string" => "a text",
        "a sequence" => "a list",
        other => other,
    };
    let found = match value {
        Value::Object(_) => kind(value).to_owned(),
        value => value.to_string(),
    };
    let (reason, remedy) = (format!("found {found}"), format!("give {expected}"));
    Error::request(name.replace('_', "-"), reason, remedy)
}

/// The fields of a struct that serde writes as a map; empty for anything else.
fn fields_of(settings: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(settings) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    }
}

/// What a value is, where it is not what was expected.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "fields",
    }
}
