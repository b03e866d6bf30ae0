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
        ["ignored edge attributes: weight", "nodes without a value got 0 in: member (1), age (1)"]
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
