//! [`Draft`]: a first `privet.toml`, with a sentence beside every choice. Nothing in it is taken from the records.

use super::config::{Protects, TrustModel};

/// What a custodian knows about the data.
#[derive(Debug, Clone, PartialEq)]
pub struct Draft {
    /// What the data are called.
    pub name: String,
    /// Who holds the raw data.
    pub trust: TrustModel,
    /// What is protected.
    pub protects: Vec<Protects>,
    /// Who will see releases.
    pub audience: Option<String>,
    /// The whole budget.
    pub epsilon: f64,
    /// What it may fail by.
    pub delta: f64,
    /// The share of people who are set aside.
    pub test_share: f64,
    /// The table of people.
    pub people: String,
    /// Table name, for a SQLite file.
    pub table: Option<String>,
    /// Id column of the table of people.
    pub id: String,
    /// Its column of labels, and the classes there are.
    pub label: Option<(String, Vec<String>)>,
    /// Its columns of features: a name, and what was declared about it.
    pub columns: Vec<(String, DraftColumn)>,
    /// Tables of connections: a file, and the columns of both ends.
    pub edges: Vec<(String, String, String)>,
    /// Whether connections have a direction.
    pub directed: bool,
    /// The table of graphs, where each person is in one of many.
    pub graphs: Option<DraftGraphs>,
}

/// What a custodian knows about many graphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftGraphs {
    /// The table.
    pub file: String,
    /// Id column of the table of graphs.
    pub id: String,
    /// Its column of labels.
    pub label: String,
    /// The classes there are.
    pub classes: Vec<String>,
    /// Column of the table of people that holds each person's graph id.
    pub member: String,
}

/// What was declared about a column.
#[derive(Debug, Clone, PartialEq)]
pub enum DraftColumn {
    /// A number in a range.
    Number {
        /// The least.
        low: f64,
        /// The most.
        high: f64,
    },
    /// One of these, in no order.
    Category(Vec<String>),
    /// One of these, in this order.
    Ordinal(Vec<String>),
    /// Words, hashed into so many columns.
    Text(usize),
}

impl Draft {
    /// The file.
    pub fn text(&self) -> String {
        let names: Vec<&str> = self.protects.iter().map(|what| what.name()).collect();
        let mut text = format!(
            "# What Privet may know and spend. Everything here is public, and declared without looking at the records.\n\n\
             [project]\n\
             name = {}\n\
             # {}\n\
             trust = {}\n",
            string(&self.name),
            match self.trust {
                TrustModel::Curator =>
                    "\"curator\": the operator holds the records and is trusted not to look",
                TrustModel::Devices =>
                    "\"devices\": each person's own device adds noise; on a file this is a rehearsal",
            },
            string(match self.trust {
                TrustModel::Curator => "curator",
                TrustModel::Devices => "devices",
            }),
        );
        for what in &self.protects {
            text += &format!("# \"{}\" hides {}\n", what.name(), what.about());
        }
        text += &format!("protects = {}\n", strings(&names));
        if let Some(audience) = &self.audience {
            text += &format!(
                "# who will see what is released; cards repeat it\naudience = {}\n",
                string(audience)
            );
        }
        text += &format!(
            "\n[budget]\n\
             # all releases together change the odds about any person by at most a factor e^epsilon\n\
             epsilon = {}\n\
             # the probability that this fails: far below one over the number of people\n\
             delta = {:e}\n\n\
             [test]\n\
             # people set aside for `privet evaluate`; a hash of the id decides\n\
             share = {}\n\n\
             [people]\n\
             # the table that lists all people: that an id is on it is public\n\
             file = {}\n",
            float(self.epsilon),
            self.delta,
            float(self.test_share),
            string(&self.people),
        );
        if let Some(table) = &self.table {
            text += &format!("table = {}\n", string(table));
        }
        text += &format!("id = {}\n", string(&self.id));
        if let Some((label, classes)) = &self.label {
            let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
            text += &format!(
                "label = {}\n# all classes there can be, whether or not they occur\nclasses = {}\n",
                string(label),
                strings(&classes)
            );
            if self.protects.contains(&Protects::Labels) {
                text += "# who has no label would show\nno_label = []\n";
            }
        }
        for (name, column) in &self.columns {
            text += &format!("\n[people.columns.{}]\n{}", key(name), column.text());
        }
        for (file, source, target) in &self.edges {
            text += &format!(
                "\n[[edges]]\nfile = {}\nsource = {}\ntarget = {}\ndirected = {}\n\
                 # ends that are not in the table of people\nstrangers = \"leave-out\"\n",
                string(file),
                string(source),
                string(target),
                self.directed
            );
        }
        if let Some(DraftGraphs { file, id, label, classes, member }) = &self.graphs {
            let classes: Vec<&str> = classes.iter().map(String::as_str).collect();
            text += &format!(
                "\n[graphs]\n# whole graphs are what is classified; what they are is public\nfile = {}\nid = {}\nlabel = {}\n\
                 classes = {}\n# the column of the table of people that says which graph each person is in\nmember = {}\n",
                string(file),
                string(id),
                string(label),
                strings(&classes),
                string(member)
            );
        }
        text
    }
}

impl DraftColumn {
    /// Reads `number:18..100`, `category:north|south`, `ordinal:low|mid|high` or `text:32`.
    ///
    /// # Errors
    /// What would be right.
    pub fn parse(typed: &str) -> Result<Self, String> {
        const EXPECTED: &str =
            "expected number:LOW..HIGH, category:A|B, ordinal:LOW|MID|HIGH or text:COLUMNS";
        let (kind, rest) = typed.split_once(':').ok_or(EXPECTED)?;
        let values = || -> Result<Vec<String>, String> {
            let values: Vec<String> =
                rest.split('|').map(|value| value.trim().to_owned()).collect();
            let fits = values.len() >= 2 && values.iter().all(|value| !value.is_empty());
            fits.then_some(values)
                .ok_or_else(|| format!("{kind}: expected two or more values, A|B|C"))
        };
        match kind {
            "number" => {
                let range = rest.split_once("..").and_then(|(low, high)| {
                    Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
                });
                let (low, high) =
                    range.ok_or("number: expected a declared range LOW..HIGH, such as 18..100")?;
                Ok(Self::Number { low, high })
            }
            "category" => Ok(Self::Category(values()?)),
            "ordinal" => Ok(Self::Ordinal(values()?)),
            "text" => Ok(Self::Text(
                rest.trim()
                    .parse()
                    .map_err(|_| "text: expected a number of columns, such as text:32")?,
            )),
            _ => Err(EXPECTED.into()),
        }
    }

    fn text(&self) -> String {
        let list =
            |values: &[String]| strings(&values.iter().map(String::as_str).collect::<Vec<_>>());
        match self {
            Self::Number { low, high } => format!(
                "kind = \"number\"\n# what lies beyond is cut to this range\nlow = {}\nhigh = {}\n\
                 # an empty cell counts as the middle; \"refuse\" and \"column\" are other rules\nmissing = \"middle\"\n",
                float(*low),
                float(*high)
            ),
            Self::Category(values) => format!(
                "kind = \"category\"\nvalues = {}\n# other values, and empty cells, are none of them\nother = \"none\"\nmissing = \"none\"\n",
                list(values)
            ),
            Self::Ordinal(values) => {
                format!(
                    "kind = \"ordinal\"\n# from the least to the most\nvalues = {}\nmissing = \"middle\"\n",
                    list(values)
                )
            }
            Self::Text(columns) => format!(
                "kind = \"text\"\n# words are hashed into so many columns\ncolumns = {columns}\n"
            ),
        }
    }
}

/// A string as TOML writes it.
fn string(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted += "\\\"",
            '\\' => quoted += "\\\\",
            letter if letter.is_control() => quoted += &format!("\\u{:04X}", u32::from(letter)),
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

fn strings(all: &[&str]) -> String {
    let quoted: Vec<String> = all.iter().map(|one| string(one)).collect();
    format!("[{}]", quoted.join(", "))
}

/// A number that TOML reads as a float.
fn float(number: f64) -> String {
    format!("{number:?}")
}

/// A name as a key: bare if it can be.
fn key(name: &str) -> String {
    let bare = !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.into() } else { string(name) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Config;
    use std::path::Path;

    fn draft() -> Draft {
        Draft {
            name: "shop \"north\"".into(),
            trust: TrustModel::Curator,
            protects: vec![Protects::People],
            audience: Some("the sales team".into()),
            epsilon: 3.0,
            delta: 1e-6,
            test_share: 0.25,
            people: "customers.csv".into(),
            table: None,
            id: "customer id".into(),
            label: Some(("segment".into(), vec!["retail".into(), "business".into()])),
            columns: [
                "age=number:18..100",
                "home town=category:a|b",
                "grade=ordinal:low|high",
                "notes=text:8",
            ]
            .map(|typed| {
                let (name, column) = typed.split_once('=').unwrap();
                (name.into(), DraftColumn::parse(column).unwrap())
            })
            .into(),
            edges: vec![("payments.csv".into(), "from".into(), "to".into())],
            directed: true,
            graphs: None,
        }
    }

    #[test]
    fn a_draft_is_read_back_as_it_was_meant() {
        let text = draft().text();
        let config = Config::parse(&text, Path::new("privet.toml"))
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(
            (config.project.name.as_str(), config.people.id.as_str()),
            ("shop \"north\"", "customer id")
        );
        assert_eq!(
            (config.budget.epsilon, config.budget.delta, config.test.share),
            (3.0, 1e-6, 0.25)
        );
        assert_eq!(config.people.columns.iter().count(), 4);
        assert!(config.edges[0].directed);
    }

    #[test]
    fn columns_are_declared_in_full_or_refused() {
        assert_eq!(
            DraftColumn::parse("number:-1..2.5"),
            Ok(DraftColumn::Number { low: -1.0, high: 2.5 })
        );
        for typed in ["number", "number:1", "category:a", "ordinal:|", "text:many", "date:1..2"] {
            assert!(DraftColumn::parse(typed).unwrap_err().contains("expected"), "{typed}");
        }
    }
}
