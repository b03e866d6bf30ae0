//! [`Keys`]: what each `<key>` of a GraphML file declares, and what we make of it.

use rustc_hash::FxHashMap;

use super::document::Element;
use super::features::NumericAttribute;
use super::{FEATURE_KEY, LABEL_KEY, MANIFEST_KEY};
use crate::formats::number_text;
use crate::formats::table_files::LABEL_COLUMNS;
use crate::{FoundValue, Result, SourceLocation};

/// What a node attribute is to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeRole {
    Label,
    Feature(u32),
    Ignored,
}

#[derive(Debug)]
pub(super) struct AttributeKey {
    pub id: String,
    pub name: String,
    domain: String,
    kind: String,
    default: Option<String>,
    pub role: AttributeRole,
}

impl AttributeKey {
    fn for_nodes(&self) -> bool {
        matches!(&*self.domain, "node" | "all")
    }

    pub fn is_boolean(&self) -> bool {
        self.kind == "boolean"
    }

    fn is_numeric(&self) -> bool {
        matches!(&*self.kind, "int" | "long" | "float" | "double") || self.is_boolean()
    }

    fn default_value(&self) -> Option<f32> {
        let text = self.default.as_deref()?;
        if self.is_boolean() { parse_boolean(text) } else { number_text::parse(text) }
    }
}

/// `true` is 1, `false` is 0.
pub(super) fn parse_boolean(text: &str) -> Option<f32> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "1" => Some(1.0),
        "false" | "0" => Some(0.0),
        _ => None,
    }
}

#[derive(Debug, Default)]
pub(super) struct Keys {
    keys: Vec<AttributeKey>,
    by_id: FxHashMap<String, usize>,
    label: Option<usize>,
    columns: Vec<usize>,
}

impl Keys {
    pub fn declare(&mut self, element: &Element, place: &SourceLocation) -> Result<usize> {
        let id = element.required("id", place)?.to_owned();
        let text = |name, default: &str| element.attribute(name).unwrap_or(default).to_owned();
        // All attributes but the id are optional in the specification; these are its defaults.
        let key = AttributeKey {
            name: text("attr.name", &id),
            domain: text("for", "all"),
            kind: text("attr.type", "string"),
            default: None,
            role: AttributeRole::Ignored,
            id: id.clone(),
        };
        let at = self.keys.len();
        self.keys.push(key);
        if self.by_id.insert(id.clone(), at).is_some() {
            return Err(place.malformed(
                FoundValue::words(format!("key '{id}' a second time")),
                "each id once",
            ));
        }
        Ok(at)
    }

    pub fn set_default(&mut self, key: usize, text: &str) {
        self.keys[key].default = Some(text.to_owned());
    }

    pub fn find(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    pub fn get(&self, key: usize) -> &AttributeKey {
        &self.keys[key]
    }

    /// Whether we wrote the file.
    pub fn are_ours(&self) -> bool {
        self.by_id.contains_key(MANIFEST_KEY)
    }

    pub fn has_label(&self) -> bool {
        self.label.is_some()
    }

    pub fn label_default(&self) -> Option<&str> {
        self.label.and_then(|key| self.keys[key].default.as_deref())
    }

    /// Decides what every attribute is, once all keys are known.
    ///
    /// # Errors
    /// If the attribute that is to be the label is not there.
    pub fn assign_roles(&mut self, label: Option<&str>, place: &SourceLocation) -> Result<()> {
        // Files written by Privet name their label and features; in others they are guessed.
        let ours = self.are_ours();
        self.label = match label {
            Some(name) => Some(self.named(name, place)?),
            None if ours => self.find(LABEL_KEY),
            None => self.find_label(),
        };
        for (at, key) in self.keys.iter_mut().enumerate() {
            let is_feature = if ours {
                key.id.strip_prefix(FEATURE_KEY).is_some_and(|n| n.parse::<u32>().is_ok())
            } else {
                key.for_nodes() && key.is_numeric()
            };
            if self.label == Some(at) {
                key.role = AttributeRole::Label;
            } else if is_feature {
                // Columns are numbered in the order of declaration.
                key.role = AttributeRole::Feature(self.columns.len() as u32);
                self.columns.push(at);
            }
        }
        Ok(())
    }

    /// The attribute of nodes that is called so.
    fn named(&self, wanted: &str, place: &SourceLocation) -> Result<usize> {
        let ours = self.are_ours();
        // In our own files an attribute that is named like the label may be a feature.
        let usable = |key: &&AttributeKey| key.for_nodes() && (!ours || key.id == LABEL_KEY);
        let found = |key: &AttributeKey| usable(&key) && key.name.eq_ignore_ascii_case(wanted);
        self.keys.iter().position(found).ok_or_else(|| {
            let names: Vec<&str> = self.keys.iter().filter(usable).map(|key| &*key.name).collect();
            let expected = match names.is_empty() {
                true => "attributes of nodes".into(),
                false => format!("one of: {}", names.join(", ")),
            };
            let found = FoundValue::words(format!("no attribute '{wanted}' (--label-column)"));
            place.malformed(found, expected)
        })
    }

    fn find_label(&self) -> Option<usize> {
        LABEL_COLUMNS.into_iter().find_map(|name| {
            let matches =
                |key: &AttributeKey| key.for_nodes() && key.name.eq_ignore_ascii_case(name);
            self.keys.iter().position(matches)
        })
    }

    /// The feature columns, in the order in which their keys are declared.
    pub fn columns(&self) -> Vec<NumericAttribute> {
        let column = |&key: &usize| {
            let key = &self.keys[key];
            NumericAttribute { name: key.name.clone(), default: key.default_value() }
        };
        self.columns.iter().map(column).collect()
    }

    /// What is ignored, in words.
    pub fn notices(&self) -> Vec<String> {
        let names = |wanted: &dyn Fn(&AttributeKey) -> bool| {
            let found = self.keys.iter().filter(|key| wanted(key));
            found.map(|key| key.name.clone()).collect::<Vec<_>>().join(", ")
        };
        let edge = names(&|key| key.domain == "edge");
        let ignored = |key: &AttributeKey| {
            // Our manifest is no attribute of nodes.
            key.for_nodes() && key.role == AttributeRole::Ignored && key.id != MANIFEST_KEY
        };
        let node = names(&ignored);
        let mut notices = Vec::new();
        if !edge.is_empty() {
            notices.push(format!("ignored edge attributes: {edge}"));
        }
        if !node.is_empty() {
            notices.push(format!("ignored node attributes (neither numbers nor labels): {node}"));
        }
        notices
    }
}
