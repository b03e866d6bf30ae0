//! The stack machine: 28 opcodes, six names, no calls.

use rustc_hash::FxHashMap;

use super::{ArrayState, Global, Object, Value, describe, opcode};
use crate::formats::npy::Order;
use crate::{Error, FoundValue, Result, SourceLocation};

/// More objects than any graph here has nodes; an object takes some 50 bytes, its opcode only one.
const MOST_OBJECTS: usize = 1 << 24;

pub(super) struct Machine<'a, 'p> {
    bytes: &'a [u8],
    /// The next byte, and where the current opcode began.
    at: usize,
    begun: usize,
    place: &'p SourceLocation,
    stack: Vec<Value>,
    marks: Vec<usize>,
    memo: FxHashMap<u32, Value>,
    objects: Vec<Object<'a>>,
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
    pub fn run(mut self) -> Result<(Vec<Object<'a>>, Value)> {
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
            b'(' => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            b')' => self.push_object(Object::Tuple(Vec::new())),
            b']' => self.push_object(Object::List(Vec::new())),
            b'}' => self.push_object(Object::Dict(Vec::new())),
            b't' => self.pop_to_mark().and_then(|items| self.push_object(Object::Tuple(items))),
            0x85..=0x87 => self.tuple(usize::from(code - 0x84)),
            b'N' => self.push(Value::None),
            0x88 | 0x89 => self.push(Value::Bool(code == 0x88)),
            b'J' => self.number().and_then(|n| self.push(Value::Integer(n as i32))),
            b'K' => self.byte().and_then(|n| self.push(Value::Integer(n.into()))),
            b'M' => {
                let bytes = self.take(2)?;
                self.push(Value::Integer(u16::from_le_bytes([bytes[0], bytes[1]]).into()))
            }
            b'U' => self.byte().and_then(|length| self.string(u32::from(length))),
            b'T' => self.number().and_then(|length| self.string(length)),
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
        let name = opcode::name(code).unwrap_or("unknown");
        self.refused(&format!("the opcode {name} (0x{code:02x})"))
    }

    fn protocol(&mut self) -> Result<()> {
        match self.byte()? {
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
                let shown = |text: &[u8]| text[..text.len().min(80)].escape_ascii().to_string();
                let found = format!("the name '{}.{}'", shown(module), shown(name));
                return Err(self.refused(&found));
            }
        };
        self.push_object(Object::Global(global))
    }

    fn name_line(&mut self) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
        let Some(length) = memchr::memchr(b'\n', rest) else {
            return Err(self.wrong("a name without end", "a line"));
        };
        self.at += length + 1;
        Ok(&rest[..length])
    }

    fn tuple(&mut self, length: usize) -> Result<()> {
        let mut items = vec![Value::None; length];
        for slot in items.iter_mut().rev() {
            *slot = self.pop()?;
        }
        self.push_object(Object::Tuple(items))
    }

    fn string(&mut self, length: u32) -> Result<()> {
        let bytes = self.take(length as usize)?;
        self.push_object(Object::Bytes(bytes))
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
            (Some(Object::Global(Global::CsrMatrix)), Some(Object::Tuple(items)))
                if items.is_empty() =>
            {
                self.push_object(Object::Matrix(None))
            }
            _ => Err(self.refused(&format!("NEWOBJ of {}", self.describe(class)))),
        }
    }

    /// REDUCE: an empty array, a dtype, or a dictionary; what the three calls would return.
    fn reduce(&mut self) -> Result<()> {
        let (arguments, function) = (self.pop()?, self.pop()?);
        let (Some(&Object::Global(global)), Some(Object::Tuple(items))) =
            (self.object(function), self.object(arguments))
        else {
            return Err(self.refused(&format!("a call of {}", self.describe(function))));
        };
        let first = items.first().and_then(|&item| self.object(item));
        let made = match (global, first) {
            (Global::Reconstruct, Some(Object::Global(Global::Ndarray))) => Object::Array(None),
            (Global::DefaultDict, Some(Object::Global(Global::List))) => Object::Dict(Vec::new()),
            (Global::Dtype, Some(&Object::Bytes(code))) => Object::Dtype(code, None),
            _ => return Err(self.refused(&format!("a call of {global:?} with other arguments"))),
        };
        self.push_object(made)
    }

    /// BUILD: gives the object below the state its state.
    fn build(&mut self) -> Result<()> {
        let (state, target) = (self.pop()?, self.top()?);
        let parts = match self.object(state) {
            Some(Object::Tuple(items)) => items.as_slice(),
            _ => &[],
        };
        let bytes = |value: Value| match self.object(value) {
            Some(&Object::Bytes(bytes)) => Some(bytes),
            _ => None,
        };
        let made = match (self.object(target), parts) {
            (
                Some(Object::Array(None)),
                &[Value::Integer(1), shape, dtype, Value::Bool(fortran), data],
            ) => {
                let order = if fortran { Order::Fortran } else { Order::C };
                bytes(data)
                    .map(|bytes| Object::Array(Some(ArrayState { shape, dtype, order, bytes })))
            }
            (Some(&Object::Dtype(code, None)), &[_, endian, ..]) => {
                bytes(endian).map(|endian| Object::Dtype(code, Some(endian)))
            }
            (Some(Object::Matrix(None)), _) => match (state, self.object(state)) {
                (Value::Object(dict), Some(Object::Dict(_))) => Some(Object::Matrix(Some(dict))),
                _ => None,
            },
            _ => None,
        };
        match (made, target) {
            (Some(made), Value::Object(number)) => {
                self.objects[number as usize] = made;
                Ok(())
            }
            _ => {
                let (target, state) = (self.describe(target), self.describe(state));
                Err(self.refused(&format!("BUILD of {target} from {state}")))
            }
        }
    }

    fn append(&mut self, items: Vec<Value>) -> Result<()> {
        let target = self.top()?;
        if let Value::Object(number) = target
            && let Some(Object::List(list)) = self.objects.get_mut(number as usize)
        {
            list.extend(items);
            return Ok(());
        }
        Err(self.wrong(self.describe(target), "a list to append to"))
    }

    fn set_items(&mut self, items: &[Value]) -> Result<()> {
        let target = self.top()?;
        if let Value::Object(number) = target
            && let Some(Object::Dict(dict)) = self.objects.get_mut(number as usize)
            && let (pairs, []) = items.as_chunks::<2>()
        {
            dict.extend(pairs.iter().map(|&[key, value]| (key, value)));
            return Ok(());
        }
        Err(self.wrong(self.describe(target), "a dictionary, and keys with values"))
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let rest = &self.bytes[self.at..];
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

    fn push(&mut self, value: Value) -> Result<()> {
        self.stack.push(value);
        Ok(())
    }

    fn push_object(&mut self, object: Object<'a>) -> Result<()> {
        if self.objects.len() >= MOST_OBJECTS {
            return Err(self.refused(&format!("more than {MOST_OBJECTS} objects")));
        }
        self.objects.push(object);
        self.push(Value::Object(self.objects.len() as u32 - 1))
    }

    /// The top of the stack, above the last mark.
    fn top(&self) -> Result<Value> {
        let floor = self.marks.last().copied().unwrap_or(0);
        match self.stack.last() {
            Some(&value) if self.stack.len() > floor => Ok(value),
            _ => Err(self.wrong("an empty stack", "a value on it")),
        }
    }

    fn pop(&mut self) -> Result<Value> {
        let value = self.top()?;
        self.stack.pop();
        Ok(value)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Value>> {
        match self.marks.pop() {
            Some(floor) => Ok(self.stack.split_off(floor)),
            None => Err(self.wrong("no mark on the stack", "a mark")),
        }
    }

    fn object(&self, value: Value) -> Option<&Object<'a>> {
        match value {
            Value::Object(number) => self.objects.get(number as usize),
            _ => None,
        }
    }

    fn describe(&self, value: Value) -> &'static str {
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
