//! The stack machine: 28 opcodes, six names, no calls.

use rustc_hash::FxHashMap;

use super::{ArrayState, Global, PickleObject, PickleValue, describe};
use crate::formats::npy::ArrayOrder;
use crate::{Error, FoundValue, Result, SourceLocation};

/// More objects than any graph here has nodes; an object takes some 50 bytes, its opcode only one.
const MOST_OBJECTS: usize = 1 << 24;

pub(super) struct Machine<'a, 'p> {
    bytes: &'a [u8],
    /// The next byte, and where the current opcode began.
    at: usize,
    begun: usize,
    place: &'p SourceLocation,
    stack: Vec<PickleValue>,
    marks: Vec<usize>,
    memo: FxHashMap<u32, PickleValue>,
    objects: Vec<PickleObject<'a>>,
}

impl<'a, 'p> Machine<'a, 'p> {
    pub fn new(bytes: &'a [u8], place: &'p SourceLocation) -> Self {
        Self {
            bytes,
            at: 0,
            begun: 0,
            place,
            stack: Vec::new(),
            marks: Vec::new(),
            memo: FxHashMap::default(),
            objects: Vec::new(),
        }
    }

    /// Runs to STOP; the objects, and the value left.
    pub fn run(mut self) -> Result<(Vec<PickleObject<'a>>, PickleValue)> {
        loop {
            self.begun = self.at;
            let code = self.take(1)?[0];
            if code == b'.' {
                break;
            }
            self.step(code)?;
        }
        let root = self.pop()?;
        if self.at < self.bytes.len() {
            let found = format!("{} bytes after STOP", self.bytes.len() - self.at);
            return Err(self.wrong(&found, "the end of the file"));
        }
        Ok((self.objects, root))
    }

    fn step(&mut self, code: u8) -> Result<()> {
        match code {
            0x80 => self.protocol(),
            b'c' => self.global(),
            // A mark is a position, not a value: what lies below it cannot be popped until it is taken back.
            b'(' => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            b')' => self.push_object(PickleObject::Tuple(Vec::new())),
            b']' => self.push_object(PickleObject::List(Vec::new())),
            b'}' => self.push_object(PickleObject::Dict(Vec::new())),
            b't' => {
                self.pop_to_mark().and_then(|items| self.push_object(PickleObject::Tuple(items)))
            }
            // TUPLE1 to TUPLE3: the opcode itself says how many.
            0x85..=0x87 => self.tuple(usize::from(code - 0x84)),
            b'N' => self.push(PickleValue::None),
            // NEWTRUE and NEWFALSE.
            0x88 | 0x89 => self.push(PickleValue::Bool(code == 0x88)),
            // BININT is signed: the cast keeps the bits.
            b'J' => self.number().and_then(|n| self.push(PickleValue::Integer(n as i32))),
            b'K' => self.byte().and_then(|n| self.push(PickleValue::Integer(n.into()))),
            b'M' => {
                let bytes = self.take(2)?;
                self.push(PickleValue::Integer(u16::from_le_bytes([bytes[0], bytes[1]]).into()))
            }
            b'U' => self.byte().and_then(|length| self.string(u32::from(length))),
            b'T' => self.number().and_then(|length| self.string(length)),
            // The memo maps numbers to values; it grows only by opcodes that the file holds.
            b'q' => self.byte().and_then(|key| self.remember(key.into())),
            b'r' => self.number().and_then(|key| self.remember(key)),
            b'h' => self.byte().and_then(|key| self.recall(key.into())),
            0x81 => self.new_object(),
            b'R' => self.reduce(),
            b'b' => self.build(),
            b'a' => self.pop().and_then(|item| self.append(vec![item])),
            b'e' => self.pop_to_mark().and_then(|items| self.append(items)),
            b'u' => self.pop_to_mark().and_then(|items| self.set_items(&items)),
            _ => Err(self.foreign_opcode(code)),
        }
    }

    fn foreign_opcode(&self, code: u8) -> Error {
        let name = opcode_name(code).unwrap_or("unknown");
        self.refused(&format!("the opcode {name} (0x{code:02x})"))
    }

    fn protocol(&mut self) -> Result<()> {
        match self.byte()? {
            // Protocol 3 and later need more opcodes, which the benchmark files do not use.
            0..=2 => Ok(()),
            version => Err(self.wrong(&format!("pickle protocol {version}"), "protocol 2")),
        }
    }

    fn global(&mut self) -> Result<()> {
        let (module, name) = (self.name_line()?, self.name_line()?);
        let global = match (module, name) {
            (b"scipy.sparse.csr", b"csr_matrix") => Global::CsrMatrix,
            (b"numpy.core.multiarray", b"_reconstruct") => Global::Reconstruct,
            (b"numpy", b"ndarray") => Global::Ndarray,
            (b"numpy", b"dtype") => Global::Dtype,
            (b"collections", b"defaultdict") => Global::DefaultDict,
            (b"__builtin__", b"list") => Global::List,
            _ => {
                // The name is structure, not data: it is shown, cut short and escaped.
                let shown = |text: &[u8]| text[..text.len().min(80)].escape_ascii().to_string();
                let found = format!("the name '{}.{}'", shown(module), shown(name));
                return Err(self.refused(&found));
            }
        };
        self.push_object(PickleObject::Global(global))
    }

    fn name_line(&mut self) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        // A name ends with its line; without an end the search would run into the values.
        let Some(length) = memchr::memchr(b'\n', rest) else {
            return Err(self.wrong("a name without end", "a line"));
        };
        self.at += length + 1;
        Ok(&rest[..length])
    }

    fn tuple(&mut self, length: usize) -> Result<()> {
        let mut items = vec![PickleValue::None; length];
        // The last value pushed is the last item.
        for slot in items.iter_mut().rev() {
            *slot = self.pop()?;
        }
        self.push_object(PickleObject::Tuple(items))
    }

    fn string(&mut self, length: u32) -> Result<()> {
        let bytes = self.take(length as usize)?;
        self.push_object(PickleObject::Bytes(bytes))
    }

    fn remember(&mut self, key: u32) -> Result<()> {
        let value = self.top()?;
        self.memo.insert(key, value);
        Ok(())
    }

    fn recall(&mut self, key: u32) -> Result<()> {
        match self.memo.get(&key) {
            Some(&value) => self.push(value),
            None => Err(self.wrong(&format!("memo entry {key}"), "one that was stored before")),
        }
    }

    /// NEWOBJ: an empty `csr_matrix`, which its state then fills.
    fn new_object(&mut self) -> Result<()> {
        let (arguments, class) = (self.pop()?, self.pop()?);
        match (self.object(class), self.object(arguments)) {
            (Some(PickleObject::Global(Global::CsrMatrix)), Some(PickleObject::Tuple(items)))
                // Arguments would be a constructor call with an effect; an empty object gets its content from
                // BUILD.
                if items.is_empty() =>
            {
                self.push_object(PickleObject::Matrix(None))
            }
            _ => Err(self.refused(&format!("NEWOBJ of {}", self.describe(class)))),
        }
    }

    /// REDUCE: an empty array, a dtype, or a dictionary; what the three calls would return.
    fn reduce(&mut self) -> Result<()> {
        let (arguments, function) = (self.pop()?, self.pop()?);
        // A call needs one of the six names and a tuple; anything else is code of the author's choice.
        let (Some(&PickleObject::Global(global)), Some(PickleObject::Tuple(items))) =
            (self.object(function), self.object(arguments))
        else {
            return Err(self.refused(&format!("a call of {}", self.describe(function))));
        };
        let first = items.first().and_then(|&item| self.object(item));
        let made = match (global, first) {
            // `_reconstruct(ndarray, (0,), 'b')` makes an empty array of any subclass: only `ndarray` itself is
            // taken.
            (Global::Reconstruct, Some(PickleObject::Global(Global::Ndarray))) => {
                PickleObject::Array(None)
            }
            (Global::DefaultDict, Some(PickleObject::Global(Global::List))) => {
                PickleObject::Dict(Vec::new())
            }
            (Global::Dtype, Some(&PickleObject::Bytes(code))) => PickleObject::Dtype(code, None),
            _ => return Err(self.refused(&format!("a call of {global:?} with other arguments"))),
        };
        self.push_object(made)
    }

    /// BUILD: gives the object below the state its state.
    fn build(&mut self) -> Result<()> {
        let (state, target) = (self.pop()?, self.top()?);
        let parts = match self.object(state) {
            Some(PickleObject::Tuple(items)) => items.as_slice(),
            _ => &[],
        };
        let bytes = |value: PickleValue| match self.object(value) {
            Some(&PickleObject::Bytes(bytes)) => Some(bytes),
            _ => None,
        };
        let made = match (self.object(target), parts) {
            (
                Some(PickleObject::Array(None)),
                // The state of `ndarray.__setstate__`: version 1, shape, dtype, order, bytes. An array with a
                // state is not changed again.
                &[PickleValue::Integer(1), shape, dtype, PickleValue::Bool(fortran), data],
            ) => {
                let order = if fortran { ArrayOrder::Fortran } else { ArrayOrder::C };
                bytes(data).map(|bytes| {
                    PickleObject::Array(Some(ArrayState { shape, dtype, order, bytes }))
                })
            }
            // `dtype.__setstate__` gives the byte order second; the rest describes records, which are not read.
            (Some(&PickleObject::Dtype(code, None)), &[_, endian, ..]) => {
                bytes(endian).map(|endian| PickleObject::Dtype(code, Some(endian)))
            }
            (Some(PickleObject::Matrix(None)), _) => match (state, self.object(state)) {
                (PickleValue::Object(dict), Some(PickleObject::Dict(_))) => {
                    Some(PickleObject::Matrix(Some(dict)))
                }
                _ => None,
            },
            _ => None,
        };
        match (made, target) {
            (Some(made), PickleValue::Object(number)) => {
                // The object stays at its number, so earlier references see its state, as in Python.
                self.objects[number as usize] = made;
                Ok(())
            }
            _ => {
                let (target, state) = (self.describe(target), self.describe(state));
                Err(self.refused(&format!("BUILD of {target} from {state}")))
            }
        }
    }

    fn append(&mut self, items: Vec<PickleValue>) -> Result<()> {
        let target = self.top()?;
        if let PickleValue::Object(number) = target
            && let Some(PickleObject::List(list)) = self.objects.get_mut(number as usize)
        {
            // A list may hold itself: only numbers are stored, so nothing recurses.
            list.extend(items);
            return Ok(());
        }
        Err(self.wrong(self.describe(target), "a list to append to"))
    }

    fn set_items(&mut self, items: &[PickleValue]) -> Result<()> {
        let target = self.top()?;
        if let PickleValue::Object(number) = target
            && let Some(PickleObject::Dict(dict)) = self.objects.get_mut(number as usize)
            // An odd number of items has a key without a value.
            && let (pairs, []) = items.as_chunks::<2>()
        {
            dict.extend(pairs.iter().map(|&[key, value]| (key, value)));
            return Ok(());
        }
        Err(self.wrong(self.describe(target), "a dictionary, and keys with values"))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        // A declared length is compared with what is there before anything is allocated.
        if length > rest.len() {
            let found = format!("{} bytes of {length}", rest.len());
            return Err(self.wrong(&found, "a complete pickle"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    fn byte(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    fn number(&mut self) -> Result<u32> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    fn push(&mut self, value: PickleValue) -> Result<()> {
        self.stack.push(value);
        Ok(())
    }

    fn push_object(&mut self, object: PickleObject<'a>) -> Result<()> {
        // An object of one byte in the file takes some 50 in memory: without a bound, a file of 1 GB would take
        // 50.
        if self.objects.len() >= MOST_OBJECTS {
            return Err(self.refused(&format!("more than {MOST_OBJECTS} objects")));
        }
        self.objects.push(object);
        self.push(PickleValue::Object(self.objects.len() as u32 - 1))
    }

    /// The top of the stack, above the last mark.
    fn top(&self) -> Result<PickleValue> {
        // Values below the last mark belong to an unfinished tuple or list.
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.last() {
            Some(&value) if self.stack.len() > floor => Ok(value),
            _ => Err(self.wrong("an empty stack", "a value on it")),
        }
    }

    fn pop(&mut self) -> Result<PickleValue> {
        let value = self.top()?;
        self.stack.pop();
        Ok(value)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<PickleValue>> {
        match self.marks.pop() {
            Some(floor) => Ok(self.stack.split_off(floor)),
            None => Err(self.wrong("no mark on the stack", "a mark")),
        }
    }

    fn object(&self, value: PickleValue) -> Option<&PickleObject<'a>> {
        match value {
            PickleValue::Object(number) => self.objects.get(number as usize),
            _ => None,
        }
    }

    fn describe(&self, value: PickleValue) -> &'static str {
        describe(value, &self.objects)
    }

    fn wrong(&self, found: &str, expected: &str) -> Error {
        let found = format!("{found} at byte {} of the pickle", self.begun);
        self.place.malformed(FoundValue::words(found), expected)
    }

    fn refused(&self, found: &str) -> Error {
        self.place.refused(format!(
            "{found} at byte {} of the pickle is not needed for arrays; nothing in a pickle is \
             ever executed",
            self.begun
        ))
    }
}

/// The name that Python's `pickletools` gives an opcode, so that a refusal can say what it refuses.
fn opcode_name(code: u8) -> Option<&'static str> {
    let found = OPCODE_NAMES.binary_search_by_key(&code, |&(code, _)| code);
    found.ok().map(|at| OPCODE_NAMES[at].1)
}

const OPCODE_NAMES: [(u8, &str); 68] = [
    (b'(', "MARK"),
    (b')', "EMPTY_TUPLE"),
    (b'.', "STOP"),
    (b'0', "POP"),
    (b'1', "POP_MARK"),
    (b'2', "DUP"),
    (b'B', "BINBYTES"),
    (b'C', "SHORT_BINBYTES"),
    (b'F', "FLOAT"),
    (b'G', "BINFLOAT"),
    (b'I', "INT"),
    (b'J', "BININT"),
    (b'K', "BININT1"),
    (b'L', "LONG"),
    (b'M', "BININT2"),
    (b'N', "NONE"),
    (b'P', "PERSID"),
    (b'Q', "BINPERSID"),
    (b'R', "REDUCE"),
    (b'S', "STRING"),
    (b'T', "BINSTRING"),
    (b'U', "SHORT_BINSTRING"),
    (b'V', "UNICODE"),
    (b'X', "BINUNICODE"),
    (b']', "EMPTY_LIST"),
    (b'a', "APPEND"),
    (b'b', "BUILD"),
    (b'c', "GLOBAL"),
    (b'd', "DICT"),
    (b'e', "APPENDS"),
    (b'g', "GET"),
    (b'h', "BINGET"),
    (b'i', "INST"),
    (b'j', "LONG_BINGET"),
    (b'l', "LIST"),
    (b'o', "OBJ"),
    (b'p', "PUT"),
    (b'q', "BINPUT"),
    (b'r', "LONG_BINPUT"),
    (b's', "SETITEM"),
    (b't', "TUPLE"),
    (b'u', "SETITEMS"),
    (b'}', "EMPTY_DICT"),
    (0x80, "PROTO"),
    (0x81, "NEWOBJ"),
    (0x82, "EXT1"),
    (0x83, "EXT2"),
    (0x84, "EXT4"),
    (0x85, "TUPLE1"),
    (0x86, "TUPLE2"),
    (0x87, "TUPLE3"),
    (0x88, "NEWTRUE"),
    (0x89, "NEWFALSE"),
    (0x8a, "LONG1"),
    (0x8b, "LONG4"),
    (0x8c, "SHORT_BINUNICODE"),
    (0x8d, "BINUNICODE8"),
    (0x8e, "BINBYTES8"),
    (0x8f, "EMPTY_SET"),
    (0x90, "ADDITEMS"),
    (0x91, "FROZENSET"),
    (0x92, "NEWOBJ_EX"),
    (0x93, "STACK_GLOBAL"),
    (0x94, "MEMOIZE"),
    (0x95, "FRAME"),
    (0x96, "BYTEARRAY8"),
    (0x97, "NEXT_BUFFER"),
    (0x98, "READONLY_BUFFER"),
];
