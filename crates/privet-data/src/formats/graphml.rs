//! GraphML, as igraph, NetworkX and Gephi write it, and as Privet writes it.
//!
//! Read from any writer: numeric node attributes are dense feature columns (a node without one gets
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

use document::{Document, Element, GraphmlEvent};
use keys::{AttributeRole, Keys};

use super::assemble::Assembly;
use super::feature_rows::FeatureRows;
use super::label_cells::{CellUnit, LabelCells};
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
        // XML may begin with a byte order mark, a declaration and comments: the root's name is looked for in
        // all of the head.
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
    let mut reading = GraphmlReader::new(document, options);
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

struct GraphmlReader<'a> {
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

impl<'a> GraphmlReader<'a> {
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
                GraphmlEvent::End => self.end()?,
                // A counter in place of a stack: elements that mean nothing may be nested to any depth.
                GraphmlEvent::Start(_) if self.skipping > 0 => self.skipping += 1,
                GraphmlEvent::Start(element) => self.start(&element)?,
                GraphmlEvent::Text(text) if self.skipping == 0 => self.text.push_str(&text),
                GraphmlEvent::Text(_) => {}
                GraphmlEvent::Eof => return Ok(()),
            }
        }
    }

    fn here(&self) -> SourceLocation {
        self.document.here()
    }

    fn start(&mut self, element: &Element) -> Result<()> {
        let context = *self.contexts.last().unwrap_or(&Context::Document);
        // Text counts up to the next element: values stand in elements without children.
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
            // Skipping it would lose nodes silently; the same holds for hyperedges and ports.
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
        let direction = match (element.attribute("edgedefault"), self.options.direction) {
            (Some("directed"), _) => Direction::Directed,
            (Some("undirected"), _) => Direction::Undirected,
            (None, Some(direction)) => direction,
            (found, _) => {
                let found = found.map_or("nothing".into(), |found| format!("'{found}'"));
                return Err(here.malformed(found, "directed or undirected"));
            }
        };
        // Keys stand before the graph, so the roles of all attributes are known from here.
        self.direction = Some(direction);
        self.keys.assign_roles(self.options.columns.label.as_deref(), &self.place)?;
        self.features.set_columns(self.keys.columns());
        // Files of ours say in their manifest whether a node may have several classes.
        let kind = LabelKind::Single;
        self.assembly.labels = (self.keys.has_label() && !self.keys.are_ours())
            .then(|| LabelCells::new(kind, self.place.clone(), CellUnit::Lines));
        Ok(Context::Graph)
    }

    fn start_node(&mut self, element: &Element) -> Result<Context> {
        // The manifest says what labels and columns mean, so it must come first.
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
        // A node without the attribute has the key's default.
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
        // Mixed graphs are valid GraphML, but no mechanism here is defined on them.
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
                // Edges may stand before their nodes; they are resolved at the end, so that a dangling one is
                // an error.
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
            AttributeRole::Label => self.label = Some(std::mem::take(&mut self.text)),
            AttributeRole::Feature(column) => {
                let parsed = if key.is_boolean() {
                    keys::parse_boolean(&self.text)
                } else {
                    number_text::parse(&self.text)
                };
                let here = || self.document.here().field(&*key.name);
                let bad = || here().malformed(format!("'{}'", self.text), number_text::EXPECTED);
                self.features.push(self.node, column, parsed.ok_or_else(bad)?);
            }
            AttributeRole::Ignored => {}
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
            labels.map(|labels| LabelCells::new(labels.kind, self.place.clone(), CellUnit::Lines));
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
            // A file of ours leaves zeros out on purpose; elsewhere a gap deserves a notice.
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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::formats::Limits;
    use crate::{Dataset, FeatureMatrix};

    fn bundle(text: impl Into<Vec<u8>>) -> Bundle {
        Bundle::from_memory("g.graphml", [("g.graphml", text.into())], Limits::default())
    }

    fn load(text: &str) -> Result<Dataset> {
        read(&bundle(text), &ReadOptions::default())?.into_nodes()
    }

    /// A graph with these elements inside.
    fn graph(inside: &str) -> String {
        format!("<graphml><graph edgedefault='undirected'>{inside}</graph></graphml>")
    }

    fn message(inside: &str) -> String {
        load(&graph(inside)).unwrap_err().with_values()
    }

    const NETWORKX: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d3" for="edge" attr.name="weight" attr.type="double" />
  <key id="d2" for="node" attr.name="member" attr.type="boolean" />
  <key id="d1" for="node" attr.name="Community" attr.type="long" />
  <key id="d0" for="node" attr.name="age" attr.type="long" />
  <graph edgedefault="directed">
    <node id="ada">
      <data key="d0">30</data>
      <data key="d1">2</data>
      <data key="d2">True</data>
    </node>
    <node id="bob &amp; co">
      <data key="d1">10</data>
    </node>
    <edge source="ada" target="bob &#38; co">
      <data key="d3">0.5</data>
    </edge>
  </graph>
</graphml>"#;

    const IGRAPH: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<!-- Created by igraph -->
  <key id="g_name" for="graph" attr.name="name" attr.type="string"/>
  <key id="v_name" for="node" attr.name="name" attr.type="string"/>
  <key id="v_class" for="node" attr.name="class" attr.type="double"/>
  <key id="v_x" for="node" attr.name="x" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <data key="g_name">Small</data>
    <node id="n0">
      <data key="v_name">Ada</data>
      <data key="v_class">1</data>
      <data key="v_x">-1e-3</data>
    </node>
    <node id="n1">
      <data key="v_name">Bob</data>
      <data key="v_class">0</data>
      <data key="v_x">2.5</data>
    </node>
    <edge source="n0" target="n1">
    </edge>
  </graph>
</graphml>
"#;

    const GEPHI: &str = r#"<?xml version="1.0" encoding="UTF-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="label" attr.type="string" for="node" id="label"/>
<key attr.name="Edge Label" attr.type="string" for="edge" id="edgelabel"/>
<key attr.name="weight" attr.type="double" for="edge" id="weight"/>
<key attr.name="r" attr.type="int" for="node" id="r"><default>7</default></key>
<graph edgedefault="undirected">
<node id="0"><data key="label">red</data></node>
<node id="2"><data key="label"><![CDATA[blue]]></data><data key="r">0</data></node>
<edge id="0" source="0" target="2"><data key="weight">1.0</data></edge>
</graph></graphml>"#;

    #[test]
    fn as_networkx_writes_it() {
        let dataset = load(NETWORKX).unwrap();
        assert_eq!(dataset.graph().direction(), Direction::Directed);
        assert_eq!(dataset.graph().edges().collect::<Vec<_>>(), [(0, 1)]);
        assert_eq!(dataset.ids().get(1), Id::Text("bob & co"));
        assert_eq!(dataset.labels().unwrap().class_names(), ["2", "10"]);
        let features = dataset.features().unwrap();
        assert_eq!(features.names().unwrap(), ["member", "age"]);
        let FeatureMatrix::Dense(matrix) = features.matrix() else { panic!() };
        assert_eq!(matrix.values(), [1.0, 30.0, 0.0, 0.0]);
        let notices: Vec<_> = dataset.notices().iter().map(|notice| &*notice.text).collect();
        assert_eq!(
            notices,
            [
                "ignored edge attributes: weight",
                "nodes without a value got 0 in: member (1), age (1)"
            ]
        );
    }

    #[test]
    fn as_igraph_writes_it() {
        let dataset = load(IGRAPH).unwrap();
        assert_eq!(dataset.ids().get(1), Id::Text("n1"));
        assert_eq!([0, 1].map(|n| dataset.labels().unwrap().class(n)), [Some(1), Some(0)]);
        let features = dataset.features().unwrap();
        assert_eq!(features.nonzero_entries(0).collect::<Vec<_>>(), [(0, -1e-3)]);
        let notice = &dataset.notices()[0].text;
        assert_eq!(notice, "ignored node attributes (neither numbers nor labels): name");
    }

    #[test]
    fn as_gephi_writes_it() {
        let dataset = load(GEPHI).unwrap();
        assert_eq!(dataset.ids().get(1), Id::Integer(2));
        assert_eq!(dataset.labels().unwrap().class_names(), ["blue", "red"]);
        let FeatureMatrix::Dense(matrix) = dataset.features().unwrap().matrix() else { panic!() };
        assert_eq!(matrix.values(), [7.0, 0.0]);
    }

    #[test]
    fn edges_may_come_before_their_nodes() {
        let dataset =
            load(&graph("<edge source='a' target='b'/><node id='b'/><node id='a'/>")).unwrap();
        assert_eq!(dataset.graph().edge_count(), 1);
        assert_eq!(dataset.ids().get(0), Id::Text("b"));
        let error = message("\n<node id='a'/>\n<edge source='a' target='b'/>");
        assert_eq!(
            error,
            "g.graphml, member g.graphml, line 3: found 'b'; expected an id in the table of nodes"
        );
    }

    #[test]
    fn what_is_not_a_simple_graph_is_refused() {
        for (inside, expected) in [
            ("<node id='a'><graph edgedefault='directed'/></node>", "nested graphs"),
            ("<hyperedge/>", "<hyperedge> elements"),
            ("<node id='a'><port name='n'/></node>", "<port> elements"),
            ("<node id='a'/><edge source='a' target='a' sourceport='n'/>", "ports are not"),
            (
                "<node id='a'/><edge source='a' target='a' directed='true'/>",
                "not the graph's edgedefault",
            ),
            ("<node/>", "<node> without the attribute id"),
            ("<node id='a'/><node id='a'/>", "'a' a second time"),
            ("<node id='a'><data key='k'>1</data></node>", "found 'k'; expected the id of a <key>"),
            ("<node id='&lol;'/>", "damaged XML"),
            ("<node id='a'>&lol;</node>", "the entity &lol;"),
            ("<node id='a'>", "damaged XML"),
            ("</graph><graph edgedefault='directed'>", "several graphs"),
        ] {
            assert!(message(inside).contains(expected), "{} | {expected}", message(inside));
        }
        let error = load("<graphml><graph/></graphml>").unwrap_err().with_values();
        assert!(error.contains("edgedefault: found nothing; expected directed or"), "{error}");
        assert!(load("<graphml><graph").unwrap_err().with_values().contains("XML"));
        assert!(load("<graphml/>").unwrap_err().with_values().contains("no <graph>"));
        assert!(load("<graphml>").unwrap_err().with_values().contains("truncated"));
    }

    #[test]
    fn billions_of_laughs_fall_flat() {
        let mut text = String::from("<!DOCTYPE graphml [<!ENTITY lol0 \"lol\">");
        for level in 1..20 {
            let ten = format!("&lol{};", level - 1).repeat(10);
            text += &format!("<!ENTITY lol{level} \"{ten}\">");
        }
        text += "<!ENTITY file SYSTEM \"file:///etc/passwd\">]>";
        let harmless = load(&(text.clone() + &graph("<node id='a'/>"))).unwrap();
        assert_eq!(harmless.ids().len(), 1);
        for entity in ["&lol19;", "&file;"] {
            let inside = graph(&format!("<node id='a'><data>{entity}</data></node>"));
            assert!(load(&(text.clone() + &inside)).is_err());
        }
    }

    #[test]
    fn many_keys_and_many_nodes_do_not_fill_memory() {
        let mut text = String::from("<graphml>");
        for key in 0..3000 {
            text += &format!("<key id='k{key}' for='node' attr.type='int'/>");
        }
        text += "<graph edgedefault='directed'>";
        for node in 0..10_000 {
            text += &format!("<node id='{node}'/>");
        }
        let error = load(&(text + "</graph></graphml>")).unwrap_err().with_values();
        assert!(error.contains("30000000 features from 0 values exceeds the limit"), "{error}");
    }

    #[test]
    fn deep_nesting_is_only_long() {
        let deep = graph(&format!("{}{}", "<a>".repeat(50_000), "</a>".repeat(50_000)));
        assert!(load(&deep).is_ok());
    }

    #[test]
    fn recognised_by_content() {
        assert!(recognises(&bundle(NETWORKX)));
        assert!(!recognises(&bundle("<html></html>")));
        let other = Bundle::from_memory("x", [("x.xml", IGRAPH.into())], Limits::default());
        assert!(recognises(&other));
    }

    proptest! {
        #[test]
        fn damaged_files_do_not_panic(
            sample in prop::sample::select(vec![NETWORKX, IGRAPH, GEPHI]),
            edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = sample.as_bytes().to_vec();
            for (at, byte) in edits {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            let _ = read(&bundle(bytes.clone()), &ReadOptions::default());
            bytes.truncate(cut.index(bytes.len()));
            let _ = read(&bundle(bytes), &ReadOptions::default());
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut text = b"<graphml>".to_vec();
            text.extend(bytes);
            let _ = read(&bundle(text), &ReadOptions::default());
        }
    }
}
