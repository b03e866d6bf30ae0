//! Settings of a call as fields of a request. What they mean, their defaults and what is refused is the library's.

use privet::request::{RequestFields, from_fields};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use serde_json::{Map, Number, Value};

use crate::error::Failure;

/// What is asked, out of settings by name; `None` is not given.
///
/// # Errors
/// If a value is of no kind that a setting can have, or the request makes no sense.
pub(crate) fn asked<R: RequestFields>(settings: &Bound<'_, PyDict>) -> PyResult<R> {
    let mut fields = Map::new();
    for (name, given) in settings {
        let name: String = name.extract()?;
        let found = value(&name, &given)?;
        fields.insert(name, found);
    }
    Ok(from_fields(Value::Object(fields)).map_err(Failure::from)?)
}

/// A setting: a number, a text, a path, a choice, or a list of them. Scalars and arrays of numpy are what they hold.
fn value(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if given.hasattr("tolist")? {
        return value(name, &given.call_method0("tolist")?);
    }
    if let Ok(flag) = given.cast::<PyBool>() {
        return Ok(Value::Bool(flag.is_true()));
    }
    if given.is_instance_of::<PyInt>() {
        let whole = given.extract::<u64>().map(Number::from);
        let whole = whole.or_else(|_| given.extract::<i64>().map(Number::from));
        let large = |_| refused(name, given, "a number of at most 64 bits");
        return whole.map(Value::Number).map_err(large);
    }
    if given.is_instance_of::<PyFloat>() {
        let number = Number::from_f64(given.extract()?);
        return number.map(Value::Number).ok_or_else(|| refused(name, given, "a finite number"));
    }
    if given.is_instance_of::<PyString>() {
        return Ok(Value::String(given.extract()?));
    }
    if given.hasattr("__fspath__")? {
        return value(name, &given.call_method0("__fspath__")?);
    }
    match given.try_iter() {
        Ok(items) if !given.is_instance_of::<PyDict>() => {
            items.map(|item| value(name, &item?)).collect::<PyResult<Vec<_>>>().map(Value::Array)
        }
        _ => {
            let kind = given.get_type().name()?;
            let text = format!("{name}: found {kind}, expected a number, a text or a list of them");
            Err(PyTypeError::new_err(text))
        }
    }
}

fn refused(name: &str, given: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    let found = given.repr().map(|found| found.to_string()).unwrap_or_default();
    PyValueError::new_err(format!("{name}: found {found}, expected {expected}"))
}
