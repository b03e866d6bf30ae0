//! [`DeclaredColumn`]: what is declared about one column of people's features.
//!
//! The words as they stand, every key apart, so that a mistake can name the key that is wrong;
//! [`super::feature`] holds what they mean once they are right.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer, de};

/// What kind of value a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnKind {
    /// A quantity in a declared range.
    Number,
    /// One of declared values, without order.
    Category,
    /// One of declared values, from the least to the most.
    Ordinal,
    /// Free text, its words hashed into a declared number of columns.
    Text,
}

impl ColumnKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Category => "category",
            Self::Ordinal => "ordinal",
            Self::Text => "text",
        }
    }
}

/// What a category does with a value that was not declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UndeclaredRule {
    /// It is an error.
    #[default]
    Refuse,
    /// One more column holds a 1.
    Column,
    /// All columns hold 0.
    None,
}

/// What stands in place of a missing value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MissingRule {
    /// Nothing: it is an error.
    Refuse,
    /// The lowest value there may be.
    Low,
    /// The value in the middle.
    Middle,
    /// The highest value there may be.
    High,
    /// This value.
    Value(f64),
    /// Zeros.
    None,
    /// The value in the middle (zeros for categories and text), and a 1 in one more column.
    Column,
}

const RULES: [(&str, MissingRule); 6] = [
    ("refuse", MissingRule::Refuse),
    ("low", MissingRule::Low),
    ("middle", MissingRule::Middle),
    ("high", MissingRule::High),
    ("none", MissingRule::None),
    ("column", MissingRule::Column),
];

impl fmt::Display for MissingRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match RULES.iter().find(|(_, rule)| rule == self) {
            Some((name, _)) => write!(f, "\"{name}\""),
            None => match self {
                Self::Value(value) => write!(f, "{value}"),
                _ => Ok(()),
            },
        }
    }
}

impl Serialize for MissingRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self, RULES.iter().find(|(_, rule)| rule == self)) {
            (_, Some((name, _))) => serializer.serialize_str(name),
            (Self::Value(value), _) => serializer.serialize_f64(*value),
            _ => serializer.serialize_unit(),
        }
    }
}

impl<'de> Deserialize<'de> for MissingRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Rule;
        impl Visitor<'_> for Rule {
            type Value = MissingRule;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let names: Vec<String> =
                    RULES.iter().map(|(name, _)| format!("\"{name}\"")).collect();
                write!(f, "{} or a number", names.join(", "))
            }

            // Names are rules; everything else must be a number, the value to fill in.
            fn visit_str<E: de::Error>(self, text: &str) -> Result<MissingRule, E> {
                let rule = RULES.iter().find(|(name, _)| *name == text);
                let unknown = || E::invalid_value(de::Unexpected::Str(text), &self);
                rule.map(|&(_, rule)| rule).ok_or_else(unknown)
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<MissingRule, E> {
                Ok(MissingRule::Value(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<MissingRule, E> {
                Ok(MissingRule::Value(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<MissingRule, E> {
                Ok(MissingRule::Value(value as f64))
            }
        }
        deserializer.deserialize_any(Rule)
    }
}

/// One column of people's features, as it is declared. Which keys a kind needs: [`super::Schema::check`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclaredColumn {
    /// What kind of value it holds.
    pub kind: ColumnKind,
    /// `number`: the lowest value; lower ones are clipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// `number`: the highest value; higher ones are clipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// `category`, `ordinal`: the values there are; an ordinal's from the least to the most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
    /// `category`: what becomes of a value that was not declared; refused unless this says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other: Option<UndeclaredRule>,
    /// What becomes of a missing value; refused unless this says otherwise, and no words in a `text`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<MissingRule>,
    /// `text`: how many columns its words are hashed into.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<u32>,
    /// `text`: how many occurrences count; 1 unless this says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<u32>,
}

impl DeclaredColumn {
    /// A column of which nothing is declared but its kind.
    pub fn new(kind: ColumnKind) -> Self {
        let (low, high, values, other, missing) = (None, None, None, None, None);
        Self { kind, low, high, values, other, missing, columns: None, most: None }
    }
}

/// Columns by name, in the order of the file that declares them: that is the order of the features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SchemaColumns(pub Vec<(String, DeclaredColumn)>);

impl SchemaColumns {
    /// Names and columns, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &DeclaredColumn)> {
        self.0.iter().map(|(name, column)| (name.as_str(), column))
    }

    /// How many columns are declared.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is declared.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for SchemaColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, column) in self.iter() {
            map.serialize_entry(name, column)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for SchemaColumns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = SchemaColumns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("columns by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<SchemaColumns, A::Error> {
                let mut columns = Vec::new();
                // In the order of the file: columns of features keep it.
                while let Some(entry) = map.next_entry()? {
                    columns.push(entry);
                }
                Ok(SchemaColumns(columns))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
