//! The harmless part of Python's pickle: enough for the arrays, sparse matrices and neighbour lists
//! of the Planetoid files, and nothing that runs.
//!
//! A pickle is a program for a small stack machine, and two of its opcodes call any function the
//! author names. This reader knows 28 opcodes and six names. A call of one of the six builds plain
//! data here; every other opcode or name is an error that says which and where. Objects live in one
//! list and refer to each other by number, so a pickle that nests references stays as small in
//! memory as it is on disk, and nothing here recurses.

mod machine;

use rustc_hash::FxHashSet;

use super::csr_arrays::CsrArrays;
use super::npy::{ArrayOrder, NpyArray};
use crate::{Error, FoundValue, Result, SourceLocation, SparseMatrix};

/// A value on the stack: small ones as they are, the others by their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PickleValue {
    None,
    Bool(bool),
    Integer(i32),
    Object(u32),
}

/// What the six names may build, and what they are built from.
#[derive(Debug)]
enum PickleObject<'a> {
    Bytes(&'a [u8]),
    Tuple(Vec<PickleValue>),
    List(Vec<PickleValue>),
    Dict(Vec<(PickleValue, PickleValue)>),
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
    shape: PickleValue,
    dtype: PickleValue,
    order: ArrayOrder,
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
    objects: Vec<PickleObject<'a>>,
    root: PickleValue,
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
    pub fn array(&self) -> Result<NpyArray> {
        self.array_of(self.root, &self.place)
    }

    /// The scipy `csr_matrix` that the pickle is.
    ///
    /// # Errors
    /// If it is something else, or its arrays do not fit together.
    pub fn matrix(&self) -> Result<SparseMatrix> {
        let Some(PickleObject::Matrix(Some(state))) = self.object(self.root) else {
            return Err(self.unexpected(self.root, "a scipy csr_matrix", &self.place));
        };
        let field = |name: &str| {
            // The state is a dict of attributes; newer scipy writes more of them, which are not needed.
            let found = self.entry(*state, name.as_bytes());
            let missing = || {
                let found = FoundValue::words(format!("a csr_matrix without '{name}'"));
                self.place.malformed(found, "indptr, indices, data and _shape")
            };
            found.ok_or_else(missing)
        };
        let array = |name: &str| self.array_of(field(name)?, &self.place.field(name));
        // scipy renamed the attribute.
        let shape = field("_shape").or_else(|_| field("shape"))?;
        let place = self.place.field("_shape");
        let shape: [usize; 2] =
            self.lengths(shape, &place)?.try_into().map_err(|lengths: Vec<usize>| {
                place.malformed(FoundValue::words(format!("{lengths:?}")), "two dimensions")
            })?;
        let (indptr, indices, data) = (array("indptr")?, array("indices")?, array("data")?);
        // The arrays come from a file: their invariants are checked before a matrix is made of them.
        CsrArrays::new(&self.place, shape, &indptr, &indices, Some(&data))?.into_matrix()
    }

    /// The dictionary from integers to lists of integers that the pickle is.
    ///
    /// # Errors
    /// If it is something else, a key repeats, or two keys share a list (so that a small file
    /// cannot stand for a large graph).
    pub fn integer_lists(&self) -> Result<Vec<(i32, Vec<i32>)>> {
        let Some(PickleObject::Dict(entries)) = self.object(self.root) else {
            return Err(self.unexpected(self.root, "a dictionary of lists", &self.place));
        };
        let (mut keys, mut lists) = (FxHashSet::default(), FxHashSet::default());
        let mut out = Vec::with_capacity(entries.len());
        for &(key, list) in entries {
            let key = self.integer(key, &self.place.field("key"))?;
            let place = self.place.field(key.to_string());
            let (PickleValue::Object(number), Some(PickleObject::List(items))) =
                (list, self.object(list))
            else {
                return Err(self.unexpected(list, "a list of integers", &place));
            };
            // A repeated key would double a person's neighbours; Python would drop the first silently.
            if !keys.insert(key) {
                return Err(place.malformed("the key twice", "every key once"));
            }
            // Shared lists would let a file of a kilobyte stand for a graph of any size.
            if !lists.insert(number) {
                return Err(place.malformed("a list that another key has too", "one list per key"));
            }
            let items = items.iter().map(|&item| self.integer(item, &place));
            out.push((key, items.collect::<Result<_>>()?));
        }
        Ok(out)
    }

    fn object(&self, value: PickleValue) -> Option<&PickleObject<'a>> {
        match value {
            PickleValue::Object(number) => self.objects.get(number as usize),
            _ => None,
        }
    }

    fn entry(&self, dict: u32, name: &[u8]) -> Option<PickleValue> {
        let Some(PickleObject::Dict(entries)) = self.objects.get(dict as usize) else {
            return None;
        };
        let named = |&&(key, _): &&(PickleValue, PickleValue)| matches!(self.object(key), Some(PickleObject::Bytes(text)) if *text == name);
        // As in Python, the last assignment counts.
        entries.iter().rev().find(named).map(|&(_, value)| value)
    }

    fn array_of(&self, value: PickleValue, place: &SourceLocation) -> Result<NpyArray> {
        let Some(PickleObject::Array(Some(state))) = self.object(value) else {
            return Err(self.unexpected(value, "a numpy array", place));
        };
        // A dtype without its state has no byte order; numpy always writes one.
        let Some(&PickleObject::Dtype(code, Some(endian))) = self.object(state.dtype) else {
            return Err(self.unexpected(state.dtype, "a numpy dtype with its byte order", place));
        };
        let descr = String::from_utf8_lossy(&[endian, code].concat()).into_owned();
        let shape = self.lengths(state.shape, place)?;
        NpyArray::from_parts(shape, &descr, state.order, state.bytes.to_vec(), place)
    }

    fn lengths(&self, tuple: PickleValue, place: &SourceLocation) -> Result<Vec<usize>> {
        let Some(PickleObject::Tuple(items)) = self.object(tuple) else {
            return Err(self.unexpected(tuple, "a tuple of lengths", place));
        };
        let length = |&item: &PickleValue| {
            let length = self.integer(item, place)?;
            let negative =
                |_| place.malformed(FoundValue::words(format!("the length {length}")), "0 or more");
            usize::try_from(length).map_err(negative)
        };
        items.iter().map(length).collect()
    }

    fn integer(&self, value: PickleValue, place: &SourceLocation) -> Result<i32> {
        match value {
            PickleValue::Integer(integer) => Ok(integer),
            other => Err(self.unexpected(other, "an integer", place)),
        }
    }

    fn unexpected(&self, value: PickleValue, expected: &str, place: &SourceLocation) -> Error {
        place.malformed(describe(value, &self.objects), expected)
    }
}

/// What a value is, in the words of an error.
fn describe(value: PickleValue, objects: &[PickleObject<'_>]) -> &'static str {
    let PickleValue::Object(number) = value else {
        return match value {
            PickleValue::None => "None",
            PickleValue::Bool(_) => "a truth value",
            _ => "an integer",
        };
    };
    match objects.get(number as usize) {
        Some(PickleObject::Bytes(_)) => "a string",
        Some(PickleObject::Tuple(_)) => "a tuple",
        Some(PickleObject::List(_)) => "a list",
        Some(PickleObject::Dict(_)) => "a dictionary",
        Some(PickleObject::Global(_)) => "the name of a class",
        Some(PickleObject::Dtype(..)) => "a dtype",
        Some(PickleObject::Array(None)) => "an array without values",
        Some(PickleObject::Array(Some(_))) => "an array",
        Some(PickleObject::Matrix(None)) => "a csr_matrix without arrays",
        Some(PickleObject::Matrix(Some(_))) => "a csr_matrix",
        None => "nothing",
    }
}

#[cfg(test)]
pub(crate) mod samples;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::samples::{array_bytes, csr_bytes, pickle};
    use super::*;

    fn csr_sample() -> Vec<u8> {
        csr_bytes([2, 3], &[0, 2, 3], &[0, 2, 1], &[1.0, 2.0, 0.5])
    }

    fn place() -> SourceLocation {
        SourceLocation::file("ind.x")
    }

    fn message(bytes: &[u8]) -> String {
        Pickle::parse(bytes, &place()).unwrap_err().with_values()
    }

    #[test]
    fn the_three_shapes_of_planetoid() {
        let bytes = csr_sample();
        let matrix = Pickle::parse(&bytes, &place()).unwrap().matrix().unwrap();
        assert_eq!((matrix.rows(), matrix.columns()), (2, 3));
        assert_eq!(matrix.row(0), (&[0, 2][..], &[1.0, 2.0][..]));

        let bytes = pickle(&array_bytes(&[1, 2], "i1", &[7, 255]));
        let array = Pickle::parse(&bytes, &place()).unwrap().array().unwrap();
        assert_eq!(array.shape(), [1, 2]);
        assert_eq!(array.integers::<i8>("").unwrap(), [7, -1]);

        let lists = pickle(
        b"ccollections\ndefaultdict\nc__builtin__\nlist\n\x85R(K\x00](K\x01M\x02\x00eK\x01]K\x00au",
    );
        let lists = Pickle::parse(&lists, &place()).unwrap().integer_lists().unwrap();
        assert_eq!(lists, [(0, vec![1, 2]), (1, vec![0])]);
    }

    #[test]
    fn anything_that_could_run_is_refused_by_name() {
        let bomb = b"\x80\x02cos\nsystem\nU\x09echo pwnd\x85R.";
        assert_eq!(
            message(bomb),
            "ind.x: refused: the name 'os.system' at byte 2 of the pickle is not needed for arrays; \
         nothing in a pickle is ever executed"
        );
        for (bytes, name) in [
            (&b"(ios\nsystem\n."[..], "INST (0x69) at byte 1"),
            (b"(cos\nsystem\no.", "os.system"),
            (b"\x8c\x02os\x8c\x06system\x93.", "SHORT_BINUNICODE"),
            (b"\x80\x02\x82\x01.", "EXT1"),
            (b"Pid\n.", "PERSID"),
            (b"\x80\x02X\x01\x00\x00\x00a.", "BINUNICODE"),
            (b"cnumpy\nload\n.", "numpy.load"),
            (b"c__builtin__\neval\n.", "__builtin__.eval"),
            (b"\xff", "unknown (0xff)"),
            // Allowed names in calls that plain arrays do not make.
            (b"c__builtin__\nlist\n)R.", "a call of List"),
            (b"c__builtin__\nlist\n)\x81.", "NEWOBJ of the name of a class"),
            (
                b"cnumpy.core.multiarray\n_reconstruct\nc__builtin__\nlist\n\x85R.",
                "a call of Reconstruct",
            ),
            (b"]}b.", "BUILD of a list from a dictionary"),
            (b"c__builtin__\nlist\n}b.", "BUILD of the name of a class"),
        ] {
            let message = message(bytes);
            assert!(message.contains("refused") && message.contains(name), "{message}");
        }
        assert!(message(b"\x80\x04.").contains("pickle protocol 4"));
    }

    #[test]
    fn damaged_programs_are_errors() {
        for (bytes, found) in [
            (&b""[..], "0 bytes of 1"),
            (b".", "an empty stack"),
            (b"t.", "no mark"),
            (b"K\x01(K\x02a.", "an empty stack"),
            (b"N(q\x01.", "an empty stack"),
            (b"K\x01a.", "an empty stack"),
            (b"NK\x01a.", "None at byte 3"),
            (b"}(K\x01u.", "a dictionary at byte 4"),
            (b"h\x07.", "memo entry 7"),
            (b"T\xff\xff\xff\xff.", "1 bytes of 4294967295"),
            (b"cos", "a name without end"),
            (b"N.N.", "2 bytes after STOP"),
        ] {
            let message = message(bytes);
            assert!(message.contains(found), "{message}");
        }
    }

    #[test]
    fn values_of_another_kind_are_named() {
        let bytes = pickle(b"N");
        let none = Pickle::parse(&bytes, &place()).unwrap();
        assert!(
            none.array().unwrap_err().with_values().contains("found None; expected a numpy array")
        );
        assert!(none.matrix().is_err() && none.integer_lists().is_err());
        let objects = pickle(&array_bytes(&[1], "O8", &[0; 8]));
        let message = Pickle::parse(&objects, &place()).unwrap().array().unwrap_err().with_values();
        assert!(message.contains("object array is a pickle"), "{message}");
        let short = pickle(&array_bytes(&[2], "i4", &[0; 4]));
        assert!(Pickle::parse(&short, &place()).unwrap().array().is_err());
        let twice = pickle(b"}(K\x01]K\x01]u");
        assert!(Pickle::parse(&twice, &place()).unwrap().integer_lists().is_err());
    }

    #[test]
    fn nested_references_do_not_multiply() {
        // Each list holds the one before it ten times: 10^60 values if they were written out.
        let mut bytes = b"\x80\x02]q\x00".to_vec();
        for depth in 0..60u8 {
            bytes.extend([b']', b'q', depth + 1, b'(']);
            (0..10).for_each(|_| bytes.extend([b'h', depth]));
            bytes.push(b'e');
        }
        bytes.push(b'.');
        let parsed = Pickle::parse(&bytes, &place()).unwrap();
        assert!(parsed.objects.len() < 100);
        assert!(parsed.integer_lists().is_err());
        // A list that holds itself.
        assert!(Pickle::parse(b"]q\x00h\x00a.", &place()).is_ok());
        // One list under many keys would be a graph much larger than the file.
        let shared = pickle(b"}(K\x01]q\x00K\x02h\x00u");
        let message =
            Pickle::parse(&shared, &place()).unwrap().integer_lists().unwrap_err().with_values();
        assert!(message.contains("another key"), "{message}");
        // Many marks nest without recursion.
        let mut deep = vec![b'('; 200_000];
        deep.extend(vec![b't'; 200_000]);
        deep.push(b'.');
        assert!(Pickle::parse(&deep, &place()).is_ok());
    }

    #[test]
    fn a_pickle_cut_anywhere_is_an_error() {
        let whole = csr_sample();
        for length in 0..whole.len() {
            assert!(Pickle::parse(&whole[..length], &place()).is_err(), "cut at {length}");
        }
    }

    proptest! {
        #[test]
        fn arbitrary_and_mutated_bytes_never_panic(
            noise in prop::collection::vec(any::<u8>(), 0..200),
            program in prop::collection::vec(prop::sample::select(&b"()]}tN\x85\x86\x87\x88Kqh\x81Rbaeu."[..]), 0..60),
            changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        ) {
            let mut mutated = csr_sample();
            for (at, byte) in changes {
                let at = at.index(mutated.len());
                mutated[at] = byte;
            }
            for bytes in [noise, program, mutated] {
                if let Ok(parsed) = Pickle::parse(&bytes, &place()) {
                    let _ = (parsed.array(), parsed.matrix(), parsed.integer_lists());
                }
            }
        }
    }
}
