//! [`Fact`]: what a release shows of a dataset as a whole, and who says so.
//!
//! A mechanism hides one person's record; the list of ids, the number of columns and the list of classes
//! stand beside its output for all to see. Taken from the records, they tell what the noise was to hide: a
//! pendant edge adds an id, one record adds a column. So every dataset knows where each of them is from,
//! and [`Dataset::require_public`] is the one place that decides whether a release may show it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Dataset, GraphSet, Result, SourceLocation};

/// Something that is true of a dataset as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// Who there is: the ids of all nodes, and their number.
    Ids,
    /// Which feature columns there are.
    Columns,
    /// Which classes there are.
    Classes,
}

/// Who says what a [`Fact`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactOrigin {
    /// Stated apart from the records: by the user, by a table of nodes, by a header, by a publisher.
    #[default]
    Stated,
    /// What the records happen to contain.
    ReadOff,
    /// What the records happen to contain, taken for public on the word of the caller.
    TakenForPublic,
}

impl Fact {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Ids, Self::Columns, Self::Classes];

    /// Its name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ids => "ids",
            Self::Columns => "columns",
            Self::Classes => "classes",
        }
    }

    /// The fact called `name`.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fact| fact.name() == name)
    }

    /// What it is, for messages.
    fn about(self) -> &'static str {
        match self {
            Self::Ids => "the list of ids",
            Self::Columns => "the list of feature columns",
            Self::Classes => "the list of classes",
        }
    }

    /// Why the records must not say it.
    fn danger(self) -> &'static str {
        match self {
            Self::Ids => "one connection more or less changes who is in it",
            Self::Columns => "one record more or less changes how many there are",
            Self::Classes => "one person's label more or less changes it",
        }
    }

    /// The option that states it.
    fn option(self) -> &'static str {
        match self {
            Self::Ids => "--nodes FILE",
            Self::Columns => "--columns N or --columns FILE",
            Self::Classes => "--classes A,B,... or --classes FILE",
        }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Dataset {
    /// Where a fact about it is from; `None` if it has no features or labels to speak of.
    pub fn fact_origin(&self, fact: Fact) -> Option<FactOrigin> {
        match fact {
            Fact::Ids => Some(self.ids_origin()),
            Fact::Columns => self.features().map(|features| features.columns_origin()),
            Fact::Classes => self.labels().map(|labels| labels.classes_origin()),
        }
    }

    /// The same dataset, a fact about it being of another origin.
    #[must_use]
    pub fn with_fact_origin(self, fact: Fact, origin: FactOrigin) -> Self {
        match fact {
            Fact::Ids => self.with_ids_origin(origin),
            Fact::Columns => self.map_features(|features| features.with_columns_origin(origin)),
            Fact::Classes => self.map_labels(|labels| labels.with_classes_origin(origin)),
        }
    }

    /// The same dataset, all of it published: nothing in it was read off secret records.
    #[must_use]
    pub fn all_stated(self) -> Self {
        Fact::ALL
            .into_iter()
            .fold(self, |data, fact| data.with_fact_origin(fact, FactOrigin::Stated))
    }

    /// The same dataset, a fact that was read off its records being taken for public; one that was
    /// stated stays stated.
    #[must_use]
    pub fn taken_for_public(self, fact: Fact) -> Self {
        match self.fact_origin(fact) {
            Some(FactOrigin::ReadOff) => self.with_fact_origin(fact, FactOrigin::TakenForPublic),
            _ => self,
        }
    }

    /// Whether a release may show these facts: the lines that its card must repeat.
    ///
    /// # Errors
    /// If one was read off the records; the message says how to state it.
    ///
    /// ```
    /// use privet_data::formats;
    /// use privet_graph::Fact;
    /// # use privet_data::formats::{Bundle, Limits, ReadOptions};
    /// # let text = b"ann,bob\nbob,cy\n".to_vec();
    /// # let bundle = Bundle::from_memory("demo", [("friends.csv", text)], Limits::default());
    /// let friends = formats::read_bundle(&bundle, &ReadOptions::default())?.into_nodes()?;
    /// assert!(friends.require_public(&[Fact::Ids]).is_err());
    /// let friends = friends.taken_for_public(Fact::Ids);
    /// assert!(friends.require_public(&[Fact::Ids])?[0].contains("the list of ids"));
    /// # Ok::<(), privet_graph::Error>(())
    /// ```
    pub fn require_public(&self, facts: &[Fact]) -> Result<Vec<String>> {
        require(self.name(), facts.iter().map(|&fact| (fact, self.fact_origin(fact))))
    }
}

impl GraphSet {
    /// Whether a release may show how many users each graph has: the lines that its card must repeat.
    ///
    /// # Errors
    /// If that was read off the edges; the message says how to go on.
    pub fn require_public_users(&self) -> Result<Vec<String>> {
        require(self.name(), [(Fact::Ids, Some(self.ids_origin()))])
    }
}

fn require(
    name: &str,
    facts: impl IntoIterator<Item = (Fact, Option<FactOrigin>)>,
) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    for (fact, origin) in facts {
        match origin {
            None | Some(FactOrigin::Stated) => {}
            Some(FactOrigin::TakenForPublic) => lines.push(format!(
                "{}, read off the records and taken for public on the word of the user who ran this",
                fact.about()
            )),
            Some(FactOrigin::ReadOff) => {
                let reason = format!(
                    "{} is what the records happen to contain, and a release would show it, although \
                     {}; state it with {}, or take it for public with --assume-public {fact}, which the \
                     card repeats",
                    fact.about(),
                    fact.danger(),
                    fact.option()
                );
                return Err(SourceLocation::file(name).refused(reason));
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Direction, Graph, Labels, NodeIds};

    #[test]
    fn what_was_read_off_is_refused_and_what_was_assumed_is_repeated() {
        let graph = Graph::empty(2, Direction::Undirected).unwrap();
        let data = Dataset::new("people", graph, NodeIds::sequential(2)).unwrap();
        let data = data.with_labels(Labels::from_names(&["a", "b"]).unwrap()).unwrap();
        assert_eq!(data.fact_origin(Fact::Columns), None);
        assert_eq!(data.require_public(&[Fact::Ids, Fact::Columns]).unwrap(), [""; 0]);
        let message = data.require_public(&Fact::ALL).unwrap_err().to_string();
        assert!(message.starts_with("people: refused: the list of classes"), "{message}");
        assert!(
            message.contains("--classes") && message.contains("--assume-public classes"),
            "{message}"
        );
        let lines =
            data.clone().taken_for_public(Fact::Classes).require_public(&Fact::ALL).unwrap();
        assert!(lines.len() == 1 && lines[0].contains("on the word of"), "{lines:?}");
        // What was stated is not turned into an assumption.
        let stated = data.all_stated().taken_for_public(Fact::Classes);
        assert_eq!(stated.require_public(&Fact::ALL).unwrap(), [""; 0]);
    }
}
