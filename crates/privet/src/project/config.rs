//! [`Config`]: what `privet.toml` says. Everything in it is public: it is written by the data's custodian, from what they
//! know without looking at the records.
//!
//! A mistake is told with its line: the text is kept beside what was made of it, and `line_of` finds a key in it.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::data::declared::{EdgeTable, GraphTable, Mistake, PeopleTable, Schema};
use crate::privacy::Loss;
use crate::privacy::unit::Trust;
use crate::{Error, Result};

/// All of `privet.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Who is protected, and against whom.
    pub project: ProtectionConfig,
    /// What may be spent in all.
    pub budget: BudgetConfig,
    /// Who is set aside.
    #[serde(default)]
    pub test: Test,
    /// The table of people.
    pub people: PeopleTable,
    /// The tables of connections.
    #[serde(default)]
    pub edges: Vec<EdgeTable>,
    /// The table of graphs, where each person is in one of many and graphs are what is classified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphs: Option<GraphTable>,
}

/// Who is protected, and against whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtectionConfig {
    /// What the data are called on cards.
    pub name: String,
    /// Who holds the raw data.
    pub trust: TrustModel,
    /// Parts of each person's data to protect.
    pub protects: Vec<Protects>,
    /// Recipients of the releases, in a few words; printed on cards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// A file of ids, one a line, of people in the tables who agreed that their own records may be looked at; their
    /// connections to others stay protected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub volunteers: Option<String>,
}

/// Who holds the raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TrustModel {
    /// The operator holds the records, and is trusted not to look.
    Curator,
    /// No curator: each person's own device adds noise. Run on a file, this rehearses what devices would send.
    Devices,
}

/// What is protected about each person; the rest is public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Protects {
    /// Everything that is known of a person: record, label and all connections. Only that an id is on the list is public.
    People,
    /// Whether any two people are connected; a curator adds noise.
    Connections,
    /// Each entry of a person's own list of contacts; each device adds noise.
    Contacts,
    /// A person's features.
    Features,
    /// A person's label.
    Labels,
}

impl Protects {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::People, Self::Connections, Self::Contacts, Self::Features, Self::Labels];

    /// The name in `privet.toml`.
    pub fn name(self) -> &'static str {
        match self {
            Self::People => "people",
            Self::Connections => "connections",
            Self::Contacts => "contacts",
            Self::Features => "features",
            Self::Labels => "labels",
        }
    }

    /// What it means, in a sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::People => {
                "everything that is known of a person: record, label and all connections"
            }
            Self::Connections => "whether any two given people are connected",
            Self::Contacts => "each entry of each person's list of contacts",
            Self::Features => "what each person's features are",
            Self::Labels => "what each person's label is",
        }
    }

    /// The unit of the account that pays for it.
    pub fn unit(self) -> &'static str {
        use crate::privacy::unit::{Edge, FeatureRow, Label, NeighborBit, Node, Unit};
        match self {
            Self::People => Node::NAME,
            Self::Connections => Edge::NAME,
            Self::Contacts => NeighborBit::NAME,
            Self::Features => FeatureRow::NAME,
            Self::Labels => Label::NAME,
        }
    }

    /// Whether such protection can be had from these.
    pub fn fits(self, trust: TrustModel) -> bool {
        match self {
            Self::People | Self::Connections => trust == TrustModel::Curator,
            Self::Contacts => trust == TrustModel::Devices,
            Self::Features | Self::Labels => true,
        }
    }
}

/// What may be spent in all, for each relation.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetConfig {
    /// The most that odds may change by is e to this.
    pub epsilon: f64,
    /// The probability that this fails; far below one over the number of people.
    #[serde(default)]
    pub delta: f64,
}

/// People who are set aside for testing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Test {
    /// Which share of the ids; a hash of each id decides, so a new version of the data keeps them apart.
    pub share: f64,
}

impl Default for Test {
    fn default() -> Self {
        Self { share: 0.2 }
    }
}

impl Config {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is no TOML, or says something that makes no sense: with the line.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
        Self::parse(&text, path)
    }

    /// The same from its text; the path is for messages.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let at = |line: Option<usize>, reason: String| {
            let line = line.map_or(String::new(), |line| format!(", line {line}"));
            Error::Mistake { place: format!("{}{line}", path.display()), reason }
        };
        let config: Self = toml::from_str(text).map_err(|error| {
            let line = error.span().map(|span| line_at(text, span.start));
            at(line, error.message().replace('\n', "; "))
        })?;
        config.check().map_err(|Mistake { key, found, expected }| {
            at(line_of(text, &key), format!("{key}: found {found}, expected {expected}"))
        })?;
        Ok(config)
    }

    /// Whether it makes sense as a whole, as far as that can be known without the data.
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self) -> Result<(), Mistake> {
        let wrong = |key: &str, found: String, expected: &str| {
            Err(Mistake { key: key.into(), found, expected: expected.into() })
        };
        let ProtectionConfig { name, trust, protects, .. } = &self.project;
        if name.trim().is_empty() || name.chars().any(char::is_control) {
            return wrong("project.name", format!("{name:?}"), "a few words");
        }
        let list = || protects.iter().map(|p| p.name()).collect::<Vec<_>>().join(", ");
        let has = |what| protects.contains(&what);
        let key = "project.protects";
        if protects.is_empty() {
            let expected = "at least one of people, connections, contacts, features, labels";
            return wrong(key, "nothing".into(), expected);
        }
        if (1..protects.len()).any(|at| protects[..at].contains(&protects[at])) {
            return wrong(key, list(), "each of them once");
        }
        if has(Protects::People) && protects.len() > 1 {
            return wrong(
                key,
                list(),
                "people alone: to protect whole people protects the rest with them",
            );
        }
        if let Some(other) = protects.iter().find(|what| !what.fits(*trust)) {
            let expected = match trust {
                TrustModel::Curator => {
                    "people, connections, features or labels where a curator is trusted; contacts are for trust = \"devices\""
                }
                TrustModel::Devices => {
                    "contacts, features or labels where only devices are trusted; people and connections need trust = \"curator\""
                }
            };
            return wrong(key, other.name().into(), expected);
        }
        let about_edges = has(Protects::Connections) || has(Protects::Contacts);
        if about_edges && self.edges.is_empty() {
            return wrong(
                key,
                list(),
                "a table of connections, [[edges]], where they are to be protected",
            );
        }
        if has(Protects::Labels) && self.people.label.is_none() {
            return wrong(
                key,
                list(),
                "people.label, the column that holds them, where labels are to be protected",
            );
        }
        if has(Protects::Labels) && !self.people.no_label.is_empty() {
            return wrong(
                "people.no_label",
                format!("{:?}", self.people.no_label),
                "no_label = []: where labels are protected, who has none would show",
            );
        }
        let BudgetConfig { epsilon, delta } = self.budget;
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return wrong("budget.epsilon", epsilon.to_string(), "a number above 0, such as 3");
        }
        if epsilon > crate::doubts::LARGEST_EPSILON {
            return wrong(
                "budget.epsilon",
                epsilon.to_string(),
                "at most 20: beyond it an attacker who saw even odds before may be certain afterwards",
            );
        }
        if !(0.0..0.1).contains(&delta) {
            return wrong(
                "budget.delta",
                delta.to_string(),
                "a probability far below one over the number of people, such as 1e-6",
            );
        }
        if has(Protects::People) && delta == 0.0 {
            return wrong(
                "budget.delta",
                "0".into(),
                "a number above 0, such as 1e-6: training whole people needs one",
            );
        }
        let share = self.test.share;
        if !(0.0..=0.9).contains(&share) {
            return wrong("test.share", share.to_string(), "a share from 0 to 0.9");
        }
        self.schema().check()
    }

    /// The tables.
    pub fn schema(&self) -> Schema {
        let Self { people, edges, graphs, .. } = self.clone();
        Schema { people, edges, graphs }
    }

    /// How a person's record becomes a row, in whatever file it is.
    pub fn preprocessing(&self) -> PeopleTable {
        PeopleTable { file: "-".into(), table: None, ..self.people.clone() }
    }

    /// Whether this is protected.
    pub fn protects(&self, what: Protects) -> bool {
        self.project.protects.contains(&what)
    }

    /// What may be spent in all, for each relation.
    ///
    /// # Errors
    /// Never once it was checked.
    pub fn limit(&self) -> Result<Loss> {
        Ok(Loss::new(self.budget.epsilon, self.budget.delta)?)
    }

    /// What the account of one unit may be charged in all: where two accounts are about the same person, what they may
    /// fail by together is the project's delta.
    ///
    /// # Errors
    /// Never once it was checked.
    pub(super) fn limit_of(&self, alike: usize) -> Result<Loss> {
        Ok(Loss::new(self.budget.epsilon, self.budget.delta / alike.max(1) as f64)?)
    }
}

impl From<TrustModel> for Trust {
    fn from(model: TrustModel) -> Self {
        match model {
            TrustModel::Curator => Self::Curator,
            TrustModel::Devices => Self::OwnDevice,
        }
    }
}

/// The line, from 1, that a byte of a text is on.
fn line_at(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1
}

/// The line of a key such as `people.columns.age.low` or `edges[0].source`; of what it would be in, if it is not there.
fn line_of(text: &str, key: &str) -> Option<usize> {
    let document = toml::de::DeTable::parse(text).ok()?;
    let (mut table, mut rest) = (document.get_ref(), key);
    let mut line = None;
    loop {
        // Names may hold dots, so the longest one that fits is taken.
        let fits = |name: &str| {
            rest.strip_prefix(name).filter(|left| left.is_empty() || left.starts_with(['.', '[']))
        };
        let (name, value) = table
            .iter()
            .filter(|(name, _)| fits(name.get_ref()).is_some())
            .max_by_key(|(name, _)| name.get_ref().len())?;
        let mut left = fits(name.get_ref())?;
        line = Some(line_at(text, name.span().start)).or(line);
        let mut value = value;
        while let Some((index, after)) = left.strip_prefix('[').and_then(|s| s.split_once(']')) {
            value = value.get_ref().as_array()?.get(index.parse::<usize>().ok()?)?;
            line = Some(line_at(text, value.span().start));
            left = after;
        }
        match (left.strip_prefix('.'), value.get_ref().as_table()) {
            (Some(further), Some(inner)) if has(inner, further) => (table, rest) = (inner, further),
            _ => return line,
        }
    }
}

fn has(table: &toml::de::DeTable<'_>, key: &str) -> bool {
    let begins = |name: &str| {
        key.strip_prefix(name).is_some_and(|left| left.is_empty() || left.starts_with(['.', '[']))
    };
    table.keys().any(|name| begins(name.get_ref()))
}
