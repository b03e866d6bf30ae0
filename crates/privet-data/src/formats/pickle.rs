//! The harmless part of Python's pickle: enough for the arrays, sparse matrices and neighbour lists
//! of the Planetoid files, and nothing that runs.
//!
//! A pickle is a program for a small stack machine, and two of its opcodes call any function the
//! author names. This reader knows 28 opcodes and six names. A call of one of the six builds plain
//! data here; every other opcode or name is an error that says which and where. Objects live in one
//! list and refer to each other by number, so a pickle that nests references stays as small in
//! memory as it is on disk, and nothing here recurses.

mod machine;
mod opcode;

use rustc_hash::FxHashSet;

use super::csr_arrays::CsrArrays;
use super::npy::{Array, Order};
use crate::{Error, FoundValue, Result, SourceLocation, SparseMatrix};

/// A value on the stack: small ones as they are, the others by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    None,
    Bool(bool),
    Integer(i32),
    Object(u32),
}

/// What the six names may build, and what they are built from.
#[derive(Debug)]
enum Object<'a> {
    Bytes(&'a [u8]),
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Dict(Vec<(Value, Value)>),
    Global(Global),
    /// `f4`, and `<` once its state is set.
    Dtype(&'a [u8], Option<&'a [u8]>),
    /// Empty until its state is set.
    Array(Option<ArrayState<'a>>),
    /// Empty until its state, a dict, is set.
    Matrix(Option<u32>),
}

#[derive(Debug)]
struct ArrayState<'a> {
    shape: Value,
    dtype: Value,
    order: Order,
    bytes: &'a [u8],
}

/// The names a pickle may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Global {
    CsrMatrix,
    Reconstruct,
    Ndarray,
    Dtype,
    DefaultDict,
    List,
}

/// A parsed pickle: one array, one sparse matrix, or one dictionary of lists.
#[derive(Debug)]
pub struct Pickle<'a> {
    place: SourceLocation,
    objects: Vec<Object<'a>>,
    root: Value,
}

impl<'a> Pickle<'a> {
    /// Parses a whole pickle. Nothing in it is executed.
    ///
    /// # Errors
    /// If it uses an opcode or a name that plain arrays do not need, or is damaged.
    pub fn parse(bytes: &'a [u8], place: &SourceLocation) -> Result<Self> {
        let (objects, root) = machine::Machine::new(bytes, place).run()?;
        Ok(Self { place: place.clone(), objects, root })
    }

    /// The numpy array that the pickle is.
    ///
    /// # Errors
    /// If it is something else, or the array is not of a plain type.
    pub fn array(&self) -> Result<Array> {
        self.array_of(self.root, &self.place)
    }

    /// The scipy `csr_matrix` that the pickle is.
    ///
    /// # Errors
    /// If it is something else, or its arrays do not fit together.
    pub fn matrix(&self) -> Result<SparseMatrix> {
        let Some(Object::Matrix(Some(state))) = self.object(self.root) else {
            return Err(self.unexpected(self.root, "a scipy csr_matrix", &self.place));
        };
        let field = |name: &str| {
            let found = self.entry(*state, name.as_bytes());
            let missing = || {
                let found = FoundValue::words(format!("a csr_matrix without '{name}'"));
                self.place.malformed(found, "indptr, indices, data and _shape")
            };
            found.ok_or_else(missing)
        };
        let array = |name: &str| self.array_of(field(name)?, &self.place.field(name));
        let shape = field("_shape").or_else(|_| field("shape"))?;
        let place = self.place.field("_shape");
        let shape: [usize; 2] =
            self.lengths(shape, &place)?.try_into().map_err(|lengths: Vec<usize>| {
                place.malformed(FoundValue::words(format!("{lengths:?}")), "two dimensions")
            })?;
        let (indptr, indices, data) = (array("indptr")?, array("indices")?, array("data")?);
        CsrArrays::new(&self.place, shape, &indptr, &indices, Some(&data))?.into_matrix()
    }

    /// The dictionary from integers to lists of integers that the pickle is.
    ///
    /// # Errors
    /// If it is something else, a key repeats, or two keys share a list (so that a small file
    /// cannot stand for a large graph).
    pub fn integer_lists(&self) -> Result<Vec<(i32, Vec<i32>)>> {
        let Some(Object::Dict(entries)) = self.object(self.root) else {
            return Err(self.unexpected(self.root, "a dictionary of lists", &self.place));
        };
        let (mut keys, mut lists) = (FxHashSet::default(), FxHashSet::default());
        let mut out = Vec::with_capacity(entries.len());
        for &(key, list) in entries {
            let key = self.integer(key, &self.place.field("key"))?;
            let place = self.place.field(key.to_string());
            let (Value::Object(number), Some(Object::List(items))) = (list, self.object(list))
            else {
                return Err(self.unexpected(list, "a list of integers", &place));
            };
            if !keys.insert(key) {
                return Err(place.malformed("the key twice", "every key once"));
            }
            if !lists.insert(number) {
                return Err(place.malformed("a list that another key has too", "one list per key"));
            }
            let items = items.iter().map(|&item| self.integer(item, &place));
            out.push((key, items.collect::<Result<_>>()?));
        }
        Ok(out)
    }

    fn object(&self, value: Value) -> Option<&Object<'a>> {
        match value {
            Value::Object(number) => self.objects.get(number as usize),
            _ => None,
        }
    }

    fn entry(&self, dict: u32, name: &[u8]) -> Option<Value> {
        let Some(Object::Dict(entries)) = self.objects.get(dict as usize) else { return None };
        let named = |&&(key, _): &&(Value, Value)| matches!(self.object(key), Some(Object::Bytes(text)) if *text == name);
        // As in Python, the last assignment counts.
        entries.iter().rev().find(named).map(|&(_, value)| value)
    }

    fn array_of(&self, value: Value, place: &SourceLocation) -> Result<Array> {
        let Some(Object::Array(Some(state))) = self.object(value) else {
            return Err(self.unexpected(value, "a numpy array", place));
        };
        let Some(&Object::Dtype(code, Some(endian))) = self.object(state.dtype) else {
            return Err(self.unexpected(state.dtype, "a numpy dtype with its byte order", place));
        };
        let descr = String::from_utf8_lossy(&[endian, code].concat()).into_owned();
        let shape = self.lengths(state.shape, place)?;
        Array::from_parts(shape, &descr, state.order, state.bytes.to_vec(), place)
    }

    fn lengths(&self, tuple: Value, place: &SourceLocation) -> Result<Vec<usize>> {
        let Some(Object::Tuple(items)) = self.object(tuple) else {
            return Err(self.unexpected(tuple, "a tuple of lengths", place));
        };
        let length = |&item: &Value| {
            let length = self.integer(item, place)?;
            let negative =
                |_| place.malformed(FoundValue::words(format!("the length {length}")), "0 or more");
            usize::try_from(length).map_err(negative)
        };
        items.iter().map(length).collect()
    }

    fn integer(&self, value: Value, place: &SourceLocation) -> Result<i32> {
        match value {
            Value::Integer(integer) => Ok(integer),
            other => Err(self.unexpected(other, "an integer", place)),
        }
    }

    fn unexpected(&self, value: Value, expected: &str, place: &SourceLocation) -> Error {
        place.malformed(describe(value, &self.objects), expected)
    }
}

/// What a value is, in the words of an error.
fn describe(value: Value, objects: &[Object<'_>]) -> &'static str {
    let Value::Object(number) = value else {
        return match value {
            Value::None => "None",
            Value::Bool(_) => "a truth value",
            _ => "an integer",
        };
    };
    match objects.get(number as usize) {
        Some(Object::Bytes(_)) => "a string",
        Some(Object::Tuple(_)) => "a tuple",
        Some(Object::List(_)) => "a list",
        Some(Object::Dict(_)) => "a dictionary",
        Some(Object::Global(_)) => "the name of a class",
        Some(Object::Dtype(..)) => "a dtype",
        Some(Object::Array(None)) => "an array without values",
        Some(Object::Array(Some(_))) => "an array",
        Some(Object::Matrix(None)) => "a csr_matrix without arrays",
        Some(Object::Matrix(Some(_))) => "a csr_matrix",
        None => "nothing",
    }
}

#[cfg(test)]
pub(crate) mod samples;
#[cfg(test)]
mod tests;
