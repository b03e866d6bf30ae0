//! GraphML, as igraph, NetworkX and Gephi write it, and as Privet writes it.
//!
//! Read from anybody: numeric node attributes are dense feature columns (a node without one gets
//! the key's default, or else 0 and a notice); an attribute called class, target, community or
//! label is the label; other attributes are ignored with a notice. Refused: several or nested
//! graphs, hyperedges, ports. A document type is skipped and no entity beyond XML's own five is
//! known, so there is nothing to expand.
//!
//! Written by us: the manifest (see `manifest.rs`) is graph data under the key
//! `privet_manifest`, the labels are under `privet_label`, feature column j is under `privet_fJ`.

mod document;
mod features;
mod keys;
mod write;

pub(crate) use features::AttributeRows;
pub(crate) use write::write;

use document::{Document, Element, Event};
use keys::{Keys, Role};

use super::assemble::Assembly;
use super::feature_rows::FeatureRows;
use super::label_cells::{Counted, LabelCells};
use super::manifest::{CLASS_SEPARATOR, LabelKind, Manifest};
use super::{Bundle, ReadOptions, number_text};
use crate::{Direction, FoundValue, Id, LoadedData, NodeId, Result, SourceLocation};

const MANIFEST_KEY: &str = "privet_manifest";
const LABEL_KEY: &str = "privet_label";
const FEATURE_KEY: &str = "privet_f";

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    find_member(bundle, &ReadOptions::default()).is_some()
}

/// The member that is GraphML: the first, or the one with that ending.
fn find_member<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Option<&'a str> {
    let is_graphml = |member: &str| {
        let head = bundle.head(member).unwrap_or_default();
        let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&head).trim_ascii_start();
        text.starts_with(b"<") && memchr::memmem::find(text, b"graphml").is_some()
    };
    let first = bundle.members().first().map(String::as_str);
    let mut named = bundle.find(".graphml");
    if let Some(wanted) = &options.member {
        named.retain(|member| member.contains(wanted.as_str()));
    }
    named.into_iter().chain(first).find(|member| is_graphml(member))
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let missing = || bundle.place().malformed("no GraphML", "a file with a <graphml> element");
    let member = find_member(bundle, options).ok_or_else(missing)?;
    let document = Document::new(bundle.open(member)?);
    let mut reading = Reading::new(document, options);
    reading.run()?;
    reading.finish(options)
}

/// Which element the next event stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Document,
    GraphMl,
    Key(usize),
    Default(usize),
    Graph,
    Node,
    Edge,
    /// Data under a key, of the graph, a node or an edge.
    Data(usize, Owner),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Graph,
    Node,
    Edge,
}

struct Reading<'a> {
    document: Document,
    place: SourceLocation,
    options: &'a ReadOptions,
    contexts: Vec<Context>,
    /// How many elements that mean nothing to us are open.
    skipping: u64,
    text: String,
    keys: Keys,
    direction: Option<Direction>,
    manifest: Option<Manifest>,
    node: NodeId,
    label: Option<String>,
    /// Edges that name a node which has not come yet.
    early_edges: Vec<(u64, String, String)>,
    features: AttributeRows,
    assembly: Assembly,
}

impl<'a> Reading<'a> {
    fn new(document: Document, options: &'a ReadOptions) -> Self {
        let place = document.place().clone();
        Self {
            document,
            options,
            contexts: vec![Context::Document],
            skipping: 0,
            text: String::new(),
            keys: Keys::default(),
            direction: None,
            manifest: None,
            node: 0,
            label: None,
            early_edges: Vec::new(),
            features: AttributeRows::new(place.clone(), options.limits),
            assembly: Assembly::new(options),
            place,
        }
    }

    fn run(&mut self) -> Result<()> {
        loop {
            let event = self.document.next()?;
            match event {
                Event::End => self.end()?,
                Event::Start(_) if self.skipping > 0 => self.skipping += 1,
                Event::Start(element) => self.start(&element)?,
                Event::Text(text) if self.skipping == 0 => self.text.push_str(&text),
                Event::Text(_) => {}
                Event::Eof => return Ok(()),
            }
        }
    }

    fn here(&self) -> SourceLocation {
        self.document.here()
    }

    fn start(&mut self, element: &Element) -> Result<()> {
        let context = *self.contexts.last().unwrap_or(&Context::Document);
        self.text.clear();
        let next = match (context, &*element.name) {
            (Context::Document, "graphml") => Context::GraphMl,
            (Context::Document, name) => {
                return Err(self
                    .here()
                    .malformed(FoundValue::words(format!("<{name}>")), "<graphml>"));
            }
            (Context::GraphMl, "key") => Context::Key(self.keys.declare(element, &self.here())?),
            (Context::GraphMl, "graph") => self.start_graph(element)?,
            (Context::Key(key), "default") => Context::Default(key),
            (Context::Graph, "node") => self.start_node(element)?,
            (Context::Graph, "edge") => self.start_edge(element)?,
            (Context::Graph, "data") => self.start_data(element, Owner::Graph)?,
            (Context::Node, "data") => self.start_data(element, Owner::Node)?,
            (Context::Edge, "data") => self.start_data(element, Owner::Edge)?,
            (_, "graph") => return Err(self.here().refused("nested graphs are not supported")),
            (_, "hyperedge" | "port" | "locator") => {
                let what = format!("<{}> elements are not supported", element.name);
                return Err(self.here().refused(what));
            }
            // Descriptions, drawings and other people's extensions.
            _ => {
                self.skipping = 1;
                return Ok(());
            }
        };
        self.contexts.push(next);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.skipping > 0 {
            self.skipping -= 1;
            return Ok(());
        }
        match self.contexts.pop() {
            Some(Context::Default(key)) => self.keys.set_default(key, &self.text),
            Some(Context::Data(key, Owner::Node)) => self.end_node_data(key)?,
            Some(Context::Data(key, Owner::Graph)) => self.end_graph_data(key)?,
            Some(Context::Node) => self.end_node()?,
            _ => {}
        }
        Ok(())
    }

    fn start_graph(&mut self, element: &Element) -> Result<Context> {
        if self.direction.is_some() {
            return Err(self.here().refused("several graphs in one file are not supported"));
        }
        let here = self.here().field("edgedefault");
        let said = match (element.attribute("edgedefault"), self.options.direction) {
            (Some("directed"), _) => Direction::Directed,
            (Some("undirected"), _) => Direction::Undirected,
            (None, Some(direction)) => direction,
            (found, _) => {
                let found = found.map_or("nothing".into(), |found| format!("'{found}'"));
                return Err(here.malformed(found, "directed or undirected"));
            }
        };
        self.direction = Some(said);
        self.keys.assign_roles(self.options.columns.label.as_deref(), &self.place)?;
        self.features.set_columns(self.keys.columns());
        let kind = LabelKind::Single;
        self.assembly.labels = (self.keys.has_label() && !self.keys.are_ours())
            .then(|| LabelCells::new(kind, self.place.clone(), Counted::Lines));
        Ok(Context::Graph)
    }

    fn start_node(&mut self, element: &Element) -> Result<Context> {
        if self.keys.are_ours() && self.manifest.is_none() {
            let expected = "the manifest (data under privet_manifest) before the nodes";
            return Err(self.here().malformed("a node", expected));
        }
        let id = element.required("id", &self.here())?;
        let here = self.here().field("id");
        self.assembly.list_node(Id::parse(id), || here.clone())?;
        self.node = self.assembly.known_node(Id::parse(id)).unwrap_or_default();
        self.label = None;
        Ok(Context::Node)
    }

    fn end_node(&mut self) -> Result<()> {
        let Some(cells) = &mut self.assembly.labels else { return Ok(()) };
        let line = self.document.line();
        let text = self.label.take();
        let text = text.as_deref().or_else(|| self.keys.label_default()).unwrap_or_default();
        match cells.kind() {
            LabelKind::Single if self.keys.are_ours() => cells.push(line, [text]),
            LabelKind::Single => cells.push(line, [text.trim()]),
            LabelKind::Multi => cells.push(line, text.split(CLASS_SEPARATOR)),
        }
        Ok(())
    }

    fn start_edge(&mut self, element: &Element) -> Result<Context> {
        let here = self.here();
        if element.attribute("sourceport").or(element.attribute("targetport")).is_some() {
            return Err(here.refused("ports are not supported"));
        }
        let directed = match element.attribute("directed") {
            Some("true" | "1") => Some(Direction::Directed),
            Some("false" | "0") => Some(Direction::Undirected),
            _ => None,
        };
        if directed.is_some() && directed != self.direction {
            let found = "an edge whose direction is not the graph's edgedefault";
            return Err(here.malformed(found, "all edges directed or all undirected"));
        }
        let source = element.required("source", &here)?;
        let target = element.required("target", &here)?;
        let ends = [source, target].map(|id| self.assembly.known_node(Id::parse(id)));
        match ends {
            [Some(source), Some(target)] => self.assembly.push_edge(source, target),
            _ => {
                let edge = (self.document.line(), source.to_owned(), target.to_owned());
                self.early_edges.push(edge);
            }
        }
        Ok(Context::Edge)
    }

    fn start_data(&mut self, element: &Element, owner: Owner) -> Result<Context> {
        let here = self.here().field("key");
        let id = element.required("key", &here)?;
        let unknown = || here.malformed(format!("'{id}'"), "the id of a <key>");
        Ok(Context::Data(self.keys.find(id).ok_or_else(unknown)?, owner))
    }

    fn end_node_data(&mut self, key: usize) -> Result<()> {
        let key = self.keys.get(key);
        match key.role {
            Role::Label => self.label = Some(std::mem::take(&mut self.text)),
            Role::Feature(column) => {
                let parsed = if key.is_boolean() {
                    keys::parse_boolean(&self.text)
                } else {
                    number_text::parse(&self.text)
                };
                let here = || self.document.here().field(&*key.name);
                let bad = || here().malformed(format!("'{}'", self.text), number_text::EXPECTED);
                self.features.push(self.node, column, parsed.ok_or_else(bad)?);
            }
            Role::Ignored => {}
        }
        Ok(())
    }

    fn end_graph_data(&mut self, key: usize) -> Result<()> {
        if self.keys.get(key).id != MANIFEST_KEY {
            return Ok(());
        }
        let here = self.here().field(MANIFEST_KEY);
        let manifest = Manifest::parse(&here, self.text.as_bytes())?;
        let manifest = manifest.ok_or_else(|| here.malformed("other JSON", "a manifest"))?;
        let labels = manifest.labels.as_ref();
        self.assembly.labels =
            labels.map(|labels| LabelCells::new(labels.kind, self.place.clone(), Counted::Lines));
        self.manifest = Some(manifest);
        Ok(())
    }

    fn finish(mut self, options: &ReadOptions) -> Result<LoadedData> {
        let Some(direction) = self.direction else {
            return Err(self.place.malformed("no <graph>", "one inside <graphml>"));
        };
        self.assembly.expect_listed_nodes();
        for (line, source, target) in &self.early_edges {
            let here = || self.place.line(*line);
            let source = self.assembly.node(Id::parse(source), here)?;
            let target = self.assembly.node(Id::parse(target), here)?;
            self.assembly.push_edge(source, target);
        }
        for text in self.keys.notices() {
            self.assembly.note(&self.place, text);
        }
        let declared = self.manifest.as_ref().is_some_and(|manifest| manifest.features.is_some());
        if self.features.has_columns() || declared {
            let missing = self.features.missing(self.assembly.node_count());
            self.assembly.notices.extend(missing.filter(|_| self.manifest.is_none()));
            self.assembly.features = Some(FeatureRows::Xml(self.features));
        }
        let options = ReadOptions {
            direction: Some(options.direction.unwrap_or(direction)),
            ..options.clone()
        };
        let dataset = self.assembly.finish(&self.place, self.manifest.as_ref(), &options)?;
        Ok(LoadedData::Nodes(dataset))
    }
}

#[cfg(test)]
mod tests;
