//! Which members of a bundle are the tables of one dataset, and which of their columns are which.

use super::choose::{self, DatasetCandidate};
use super::manifest::{self, Manifest};
use super::{Bundle, ReadOptions};
use crate::{Notice, Result};

/// Column names that mean the two ends of an edge.
const EDGE_COLUMNS: [[&str; 2]; 6] = [
    ["source", "target"],
    ["src", "dst"],
    ["from", "to"],
    ["u", "v"],
    ["node1", "node2"],
    ["id_1", "id_2"],
];
const ID_COLUMNS: [&str; 5] = ["id", "node", "node_id", "nodeid", "name"];
/// Column names that mean one class per node, the most telling first.
pub(crate) const LABEL_COLUMNS: [&str; 4] = ["class", "target", "community", "label"];
const MULTI_LABEL_COLUMN: &str = "labels";
/// The columns of a long table of features, after the id.
pub(crate) const LONG_COLUMNS: [&str; 2] = ["feature", "value"];

/// The member `edges.EXTENSION`, and beside it the tables that go with it.
pub(crate) struct TableFiles<'a> {
    bundle: &'a Bundle,
    /// The edges.
    pub edges: &'a str,
    /// Everything before the file name: `a/b/`, or nothing.
    folder: &'a str,
}

impl<'a> TableFiles<'a> {
    /// Whether there is a table of edges with one of these endings among others. A path to that
    /// very file is a table of edges alone.
    pub fn recognises(bundle: &Bundle, extensions: &[&str]) -> bool {
        let is_edges = |member: &String| is_table(member, "edges", extensions);
        // A single table is not a folder of tables, whatever its name.
        choose::single_file(bundle).is_none() && bundle.members().iter().any(is_edges)
    }

    /// The tables with these endings; of several datasets the one whose folder the options name.
    pub fn find(bundle: &'a Bundle, options: &ReadOptions, extensions: &[&str]) -> Result<Self> {
        let members = bundle.members().iter().map(String::as_str);
        let candidate = |member: &'a str| {
            let name = choose::base_name(choose::folder(member).trim_end_matches('/')).to_owned();
            DatasetCandidate { name, member }
        };
        let edges = members.filter(|member| is_table(member, "edges", extensions));
        let expected = format!("a table called edges.{}", extensions.join(" or edges."));
        let found = choose::one_of(bundle, options, edges.map(candidate).collect(), &expected)?;
        Ok(Self { bundle, edges: found.member, folder: choose::folder(found.member) })
    }

    /// The table called `stem` beside the edges, if there is one.
    pub fn beside(&self, stem: &str, extensions: &[&str]) -> Option<&'a str> {
        let mut members = self.bundle.members().iter().map(String::as_str);
        members.find(|m| choose::folder(m) == self.folder && is_table(m, stem, extensions))
    }

    /// The manifest beside the edges; a `dataset.json` that is not ours is worth a notice.
    pub fn manifest(&self) -> Result<(Option<Manifest>, Option<Notice>)> {
        let name = format!("{}{}", self.folder, manifest::FILE);
        if !self.bundle.members().contains(&name) {
            return Ok((None, None));
        }
        let place = self.bundle.member_place(&name);
        let manifest = Manifest::parse(&place, &self.bundle.open(&name)?.into_bytes()?)?;
        // Another program's manifest is left alone, and said to be.
        let foreign = manifest.is_none();
        Ok((manifest, foreign.then(|| Notice::new(&place, "not a Privet manifest: ignored"))))
    }
}

fn is_table(member: &str, stem: &str, extensions: &[&str]) -> bool {
    let name = choose::base_name(choose::uncompressed(member));
    let rest = name.strip_prefix(stem).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|extension| extensions.contains(&extension))
}

fn position(names: &[&str], wanted: &str) -> Option<usize> {
    names.iter().position(|name| name.eq_ignore_ascii_case(wanted))
}

/// The columns of the two ends of an edge, if their names tell.
pub(crate) fn edge_columns(names: &[&str]) -> Option<[usize; 2]> {
    let pair = |[a, b]: [&str; 2]| Some([position(names, a)?, position(names, b)?]);
    EDGE_COLUMNS.into_iter().find_map(pair)
}

/// The column of the node ids, if its name tells.
pub(crate) fn id_column(names: &[&str]) -> Option<usize> {
    ID_COLUMNS.into_iter().find_map(|name| position(names, name))
}

/// The column of the label, or of several.
pub(crate) fn label_column(names: &[&str]) -> Option<(usize, manifest::LabelKind)> {
    let one = LABEL_COLUMNS.into_iter().find_map(|name| position(names, name));
    let multi = || Some((position(names, MULTI_LABEL_COLUMN)?, manifest::LabelKind::Multi));
    one.map(|column| (column, manifest::LabelKind::Single)).or_else(multi)
}

/// The feature and value columns of a table that is long: three columns, two of them so called.
pub(crate) fn long_columns(names: &[&str]) -> Option<[usize; 2]> {
    let [feature, value] = LONG_COLUMNS;
    let columns = [position(names, feature)?, position(names, value)?];
    (names.len() == 3).then_some(columns)
}

/// The names of the columns that nothing uses, for a notice.
pub(crate) fn unused(names: &[&str], used: &[usize]) -> Option<String> {
    let mut rest: Vec<&str> = Vec::new();
    rest.extend((0..names.len()).filter(|column| !used.contains(column)).map(|c| names[c]));
    (!rest.is_empty()).then(|| format!("ignored columns: {}", rest.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Limits;

    #[test]
    fn columns_by_name() {
        assert_eq!(edge_columns(&["weight", "To", "From"]), Some([2, 1]));
        assert_eq!(edge_columns(&["a", "b"]), None);
        assert_eq!(label_column(&["id", "label", "class"]).unwrap().0, 2);
        assert_eq!(long_columns(&["id", "feature", "value"]), Some([1, 2]));
        assert_eq!(long_columns(&["id", "feature", "value", "x"]), None);
    }

    #[test]
    fn several_datasets_in_one_archive() {
        let members = ["a/edges.csv", "b/edges.csv.gz", "b/nodes.csv", "nodes.csv"];
        let members = members.map(|name| (name, vec![]));
        let bundle = Bundle::from_memory("z.zip", members, Limits::default());
        let mut options = ReadOptions::default();
        let message = TableFiles::find(&bundle, &options, &["csv"]).err().unwrap().with_values();
        assert!(message.contains("2 datasets (a, b)"), "{message}");
        options.member = Some("b".into());
        let files = TableFiles::find(&bundle, &options, &["csv"]).unwrap();
        assert_eq!(files.edges, "b/edges.csv.gz");
        assert_eq!(files.beside("nodes", &["csv"]), Some("b/nodes.csv"));
        assert_eq!(files.beside("features", &["csv"]), None);
    }
}
