//! Settings by name. A setting, its default and its words stand in one struct; code that shows settings (a command
//! line, a search, a report) reads them off its serde form, under the same names.
//!
//! ```
//! let learner = privet::dprr::GraphLearner::default();
//! assert!(privet::settings::listed(&learner).contains(&("learning-rate".into(), "0.01".into())));
//! ```

use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::privacy::edges::Merge;
use crate::privacy::edges::comparison::hrg::Wiring;
use crate::privacy::features::Decoding;

/// How reports can be read.
pub const DECODINGS: [Decoding; 2] = [Decoding::Unbiased, Decoding::Paper];
/// How two people's reports can become an edge.
pub const MERGES: [Merge; 4] = [Merge::Directed, Merge::Or, Merge::And, Merge::OneSided];
/// Which pairs of a group can become its edges.
pub const WIRINGS: [Wiring; 3] = [Wiring::Uniform, Wiring::Closing, Wiring::ClosingOnly];

/// Widths of hidden layers.
pub type Widths = Vec<usize>;
/// Decay factors at which something is spread.
pub type Radii = Vec<f64>;

/// Every setting that has a value, in the order of its struct: its name as it is typed, and its value.
pub fn listed(settings: &impl Serialize) -> Vec<(String, String)> {
    let mut list = Vec::new();
    if let Some(Node::Fields(fields)) = node(settings) {
        flatten(fields, &mut list);
    }
    list
}

/// The name of a choice, as it is typed.
pub fn name(choice: &impl Serialize) -> String {
    node(choice).and_then(Node::word).unwrap_or_default()
}

/// By way of text, in which a float of 32 bits is as short as it was written.
fn node(value: &impl Serialize) -> Option<Node> {
    serde_json::from_str(&serde_json::to_string(value).ok()?).ok()
}

/// A value as it is written; `serde_json` would sort the fields.
enum Node {
    Fields(Vec<(String, Node)>),
    List(Vec<Node>),
    Word(String),
    Nothing,
}

impl Node {
    /// In one word, if it can be said in one.
    fn word(self) -> Option<String> {
        match self {
            Self::Word(word) => Some(word),
            Self::List(items) if items.is_empty() => Some("none".into()),
            Self::List(items) => {
                let words: Option<Vec<String>> = items.into_iter().map(Self::word).collect();
                words.map(|words| words.join(","))
            }
            Self::Fields(_) | Self::Nothing => None,
        }
    }
}

fn flatten(fields: Vec<(String, Node)>, list: &mut Vec<(String, String)>) {
    for (name, value) in fields {
        match value {
            Node::Fields(fields) => flatten(fields, list),
            value => list.extend(value.word().map(|word| (name.replace('_', "-"), word))),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Read)
    }
}

struct Read;

impl<'de> Visitor<'de> for Read {
    type Value = Node;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("settings")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Word(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        Ok(Node::Word(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Word(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Word(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Word(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Nothing)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = entries.next_entry()? {
            fields.push(field);
        }
        Ok(Node::Fields(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dpar::Settings;

    #[test]
    fn nested_settings_are_named_as_they_are_typed() {
        let list = listed(&Settings::rigorous());
        let value = |name: &str| {
            let found = list.iter().find(|(other, _)| other == name);
            found.map(|(_, value)| value.as_str())
        };
        assert_eq!(list[0], ("hidden".to_owned(), "none".to_owned()));
        assert_eq!((value("top-k"), value("clip-norm")), (Some("2"), Some("1")));
        assert_eq!((value("alpha"), value("score-clip")), (Some("0.5"), Some("0.001")));
        let embedding = crate::ldp_ge::Embedding::default();
        let list = listed(&embedding);
        assert!(list.contains(&("r".into(), "0.1".into())) && list.len() == 5, "{list:?}");
        assert_eq!(name(&embedding.scaling), "columns");
    }
}
