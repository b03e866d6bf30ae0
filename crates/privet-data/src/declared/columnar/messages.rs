//! Arrow IPC, files and streams: message by message, each checked against the bytes that are there before it is
//! decoded.

use std::io::{self, BufReader, Read};
use std::sync::{Arc, Mutex};

use arrow_ipc::reader::StreamReader;
use arrow_schema::ArrowError;

use super::{Batches, Choice};
use crate::declared::rows::Wanted;
use crate::formats::Limits;
use crate::formats::arrow_table::{
    CONTINUATION, FEATHER_1, FILE_END, FILE_MAGIC, check, damaged, message_of, truncated,
};
use crate::formats::bundle::read_up_to;
use crate::{Error, Result, SourceLocation};

type Opened = (Vec<(String, Option<usize>)>, Batches);

/// The wanted columns, and batches of them.
pub(super) fn open(
    reader: Box<dyn Read + Send>,
    place: &SourceLocation,
    wanted: &[Wanted<'_>],
    limits: &Limits,
) -> Result<Opened> {
    let failure = Failure::default();
    let place = place.clone();
    let mut messages = Messages {
        reader: BufReader::with_capacity(1 << 16, reader),
        place: place.clone(),
        limits: *limits,
        is_file: false,
        message: Vec::new(),
        read: 0,
        ended: false,
        failure: failure.clone(),
    };
    messages.begin()?;
    let told = {
        let place = place.clone();
        move |error: &ArrowError| failure.take().unwrap_or_else(|| damaged(&place, error))
    };
    // The columns are chosen by name, which the first message tells: the decoder must have read it.
    let first = messages.next_message()?;
    let schema = StreamReader::try_new(&*first, None).map_err(|error| told(&error))?.schema();
    messages.message = first;
    let Choice { columns, decoded } = Choice::new(&schema, wanted, &place)?;
    let reader = StreamReader::try_new(messages, Some(decoded)).map_err(|error| told(&error))?;
    Ok((columns, Box::new(reader.map(move |batch| batch.map_err(|error| told(&error))))))
}

/// Why reading failed, past the decoder's own words.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<Error>>>);

impl Failure {
    fn take(&self) -> Option<Error> {
        self.0.lock().ok()?.take()
    }

    fn put(&self, error: Error) {
        if let Ok(mut slot) = self.0.lock() {
            *slot = Some(error);
        }
    }
}

/// The messages of a file or stream, for a decoder to read: only whole ones, and only sound ones.
struct Messages {
    reader: BufReader<Box<dyn Read + Send>>,
    place: SourceLocation,
    limits: Limits,
    is_file: bool,
    /// The message that is handed out, and how much of it was.
    message: Vec<u8>,
    read: usize,
    ended: bool,
    failure: Failure,
}

impl Messages {
    /// Reads the marker of a file, if it is one.
    fn begin(&mut self) -> Result<()> {
        let mut head = [0; FILE_MAGIC.len()];
        let got = read_up_to(&mut self.reader, &mut head).map_err(|error| self.place.io(error))?;
        let head = &head[..got];
        if head.starts_with(FEATHER_1) {
            let reason = "Feather version 1 is obsolete; save it as version 2, or Parquet";
            return Err(self.place.refused(reason));
        }
        self.is_file = head == FILE_MAGIC;
        if !self.is_file {
            // What was read belongs to the first message.
            let inner: Box<dyn Read + Send> = Box::new(io::empty());
            let rest = std::mem::replace(&mut self.reader, BufReader::new(inner));
            let whole = io::Cursor::new(head.to_vec()).chain(rest);
            self.reader = BufReader::with_capacity(1 << 16, Box::new(whole));
        }
        Ok(())
    }

    fn four(&mut self) -> Result<Option<[u8; 4]>> {
        let mut four = [0; 4];
        match read_up_to(&mut self.reader, &mut four).map_err(|error| self.place.io(error))? {
            0 => Ok(None),
            4 => Ok(Some(four)),
            _ => Err(truncated(&self.place)),
        }
    }

    /// The next message, prefix and all; empty at the end.
    fn next_message(&mut self) -> Result<Vec<u8>> {
        let mut four = self.four()?;
        // Writers pad the marker of a file with zeros, to 8 bytes or to 64.
        while self.is_file && self.message.is_empty() && four == Some([0; 4]) {
            four = self.four()?;
        }
        if four == Some(CONTINUATION) {
            four = self.four()?;
        }
        let length = match four.map(u32::from_le_bytes) {
            None if self.is_file => return Err(truncated(&self.place)),
            None => return Ok(Vec::new()),
            Some(0) => return self.finish(),
            Some(length) => length,
        };
        let mut message = CONTINUATION.to_vec();
        message.extend(length.to_le_bytes());
        // A copy, because a header must begin at a multiple of eight bytes.
        let header = self.exactly(u64::from(length))?;
        let declared = message_of(&header, &self.place)?.bodyLength();
        let body = self.exactly(u64::try_from(declared).map_err(|_| truncated(&self.place))?)?;
        check(&message_of(&header, &self.place)?, &body, &self.limits, &self.place)?;
        message.extend(header);
        message.extend(body);
        Ok(message)
    }

    /// So many bytes; room is made as they come.
    fn exactly(&mut self, length: u64) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let read = self.reader.by_ref().take(length).read_to_end(&mut bytes);
        read.map_err(|error| self.place.io(error))?;
        match bytes.len() as u64 == length {
            true => Ok(bytes),
            false => Err(truncated(&self.place)),
        }
    }

    /// A file goes on with a list of its messages, which nobody needs, and ends with its marker.
    fn finish(&mut self) -> Result<Vec<u8>> {
        if self.is_file {
            let mut end = Vec::new();
            let mut block = vec![0; 1 << 16];
            loop {
                let got = read_up_to(&mut self.reader, &mut block);
                match got.map_err(|error| self.place.io(error))? {
                    0 => break,
                    got => end.extend_from_slice(&block[..got]),
                }
                end.drain(..end.len().saturating_sub(FILE_END.len()));
            }
            if end != FILE_END {
                let expected = "a complete Arrow IPC file, as long as it was written";
                return Err(self.place.malformed("a file without its end", expected));
            }
        }
        Ok(Vec::new())
    }
}

impl Read for Messages {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.read == self.message.len() && !self.ended {
            match self.next_message() {
                Ok(message) => (self.message, self.read) = (message, 0),
                Err(error) => {
                    self.failure.put(error);
                    return Err(io::Error::other("a message that cannot be read"));
                }
            }
            self.ended = self.message.is_empty();
        }
        let count = (&self.message[self.read..]).read(buffer)?;
        self.read += count;
        Ok(count)
    }
}
