//! [`Document`]: XML as a flat stream of starts, ends and text, with line numbers; only the five
//! entities of XML itself are known.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event as XmlEvent};
use quick_xml::{Reader, XmlVersion};

use crate::formats::Input;
use crate::{Error, FoundValue, Result, SourceLocation};

/// An element without its namespace prefix.
#[derive(Debug)]
pub(super) struct Element {
    pub name: String,
    attributes: Vec<(String, String)>,
}

impl Element {
    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| &**value)
    }

    pub fn required(&self, name: &str, place: &SourceLocation) -> Result<&str> {
        let missing = || {
            let found = FoundValue::words(format!("<{}> without the attribute {name}", self.name));
            place.malformed(found, format!("{name}=\"...\""))
        };
        self.attribute(name).ok_or_else(missing)
    }
}

#[derive(Debug)]
pub(super) enum Event {
    Start(Element),
    End,
    Text(String),
    Eof,
}

/// Counts the lines that the XML reader has consumed.
struct Counted {
    inner: BufReader<Box<dyn Read + Send>>,
    newlines: u64,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let count = available.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        let consumed = &self.inner.buffer()[..count];
        self.newlines += memchr::memchr_iter(b'\n', consumed).count() as u64;
        self.inner.consume(count);
    }
}

pub(super) struct Document {
    reader: Reader<Counted>,
    place: SourceLocation,
    buffer: Vec<u8>,
    open: u64,
}

impl Document {
    pub fn new(input: Input) -> Self {
        let inner = BufReader::with_capacity(1 << 16, input.reader);
        let mut reader = Reader::from_reader(Counted { inner, newlines: 0 });
        reader.config_mut().expand_empty_elements = true;
        Self { reader, place: input.place, buffer: Vec::new(), open: 0 }
    }

    pub fn place(&self) -> &SourceLocation {
        &self.place
    }

    /// The line on which the last event ended.
    pub fn line(&self) -> u64 {
        self.reader.get_ref().newlines + 1
    }

    pub fn here(&self) -> SourceLocation {
        self.place.line(self.line())
    }

    pub fn next(&mut self) -> Result<Event> {
        loop {
            self.buffer.clear();
            let event = self.reader.read_event_into(&mut self.buffer);
            // The place must be known before the event, which borrows the buffer, is looked at.
            let here = self.place.line(self.reader.get_ref().newlines + 1);
            let explain = |error| explain(&here, error);
            match event.map_err(explain)? {
                XmlEvent::Start(start) => {
                    self.open += 1;
                    return element(&start).map(Event::Start).map_err(explain);
                }
                XmlEvent::Empty(_) => {}
                XmlEvent::End(_) => {
                    self.open = self.open.saturating_sub(1);
                    return Ok(Event::End);
                }
                XmlEvent::Text(text) => return Ok(Event::Text(text.xml10_content().into_owned())),
                XmlEvent::CData(text) => return Ok(Event::Text(text.xml10_content().into_owned())),
                XmlEvent::GeneralRef(reference) => {
                    let character = reference.resolve_char_ref().map_err(explain)?;
                    if let Some(character) = character {
                        return Ok(Event::Text(character.into()));
                    }
                    let unknown = || {
                        let found = format!("the entity &{};", reference.xml10_content());
                        here.malformed(found, "one of &lt; &gt; &amp; &apos; &quot; or &#...;")
                    };
                    let text = resolve_predefined_entity(&reference).ok_or_else(unknown)?;
                    return Ok(Event::Text(text.into()));
                }
                XmlEvent::Eof if self.open > 0 => {
                    let found = FoundValue::words(format!(
                        "the end of the file inside {} open elements",
                        self.open
                    ));
                    return Err(here.malformed(found, "the rest (truncated download?)"));
                }
                XmlEvent::Eof => return Ok(Event::Eof),
                XmlEvent::Comment(_) | XmlEvent::Decl(_) | XmlEvent::PI(_) => {}
                // Skipped unread: whatever entities it declares stay unknown.
                XmlEvent::DocType(_) => {}
            }
        }
    }
}

fn element(start: &BytesStart<'_>) -> Result<Element, quick_xml::Error> {
    let name = start.local_name().as_ref().to_owned();
    let mut attributes = Vec::new();
    // Without the check for repeats, which is quadratic; the first of two wins.
    for attribute in start.attributes().with_checks(false) {
        let attribute = attribute?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned();
        attributes.push((attribute.key.local_name().as_ref().to_owned(), value));
    }
    Ok(Element { name, attributes })
}

fn explain(place: &SourceLocation, error: quick_xml::Error) -> Error {
    match error {
        quick_xml::Error::Io(error) => match Arc::try_unwrap(error) {
            Ok(error) => place.io(error),
            Err(shared) => place.malformed(shared.to_string(), "readable XML"),
        },
        other => place.malformed(
            FoundValue::words(format!("damaged XML ({other})")),
            "well-formed XML in UTF-8",
        ),
    }
}
