//! [`FeatureReport`]: what one user sends, whichever feature mechanism runs.

/// One user's report on a feature row.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureReport {
    /// Levels of some columns, ascending by column. Which columns says nothing about the record.
    Sampled(Vec<(u32, i64)>),
    /// A level for every column.
    All(Vec<i64>),
    /// The record itself, from a user who chose to be non-private: values other than zero.
    Disclosed(Vec<(u32, f32)>),
}

impl FeatureReport {
    /// How many numbers the report carries.
    pub fn len(&self) -> usize {
        match self {
            Self::Sampled(entries) => entries.len(),
            Self::All(levels) => levels.len(),
            Self::Disclosed(entries) => entries.len(),
        }
    }

    /// Whether the report carries nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
