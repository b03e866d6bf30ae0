//! [`DeclaredColumns`]: declared columns, in the order in which they were declared.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::column::DeclaredColumn;

/// Columns by name, in the order of the file that declares them: that is the order of the features.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DeclaredColumns(pub Vec<(String, DeclaredColumn)>);

impl DeclaredColumns {
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

impl Serialize for DeclaredColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (name, column) in self.iter() {
            map.serialize_entry(name, column)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for DeclaredColumns {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = DeclaredColumns;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("columns by name")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DeclaredColumns, A::Error> {
                let mut columns = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    columns.push(entry);
                }
                Ok(DeclaredColumns(columns))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}
