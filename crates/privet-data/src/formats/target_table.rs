//! A csv of one target per id: the labels beside MUSAE graphs and beside sets of graphs as json.
//!
//! RFC 4180 with a header. The id is the column `new_id` (Twitch writes its own number in `id`),
//! else `id`, else the first; the target is the first of [`TARGET_COLUMNS`] there is, else the last.

use std::io::BufReader;

use csv::StringRecord;
use rustc_hash::{FxHashMap, FxHashSet};

use super::fields::shown;
use super::{Bundle, NamedInput};
use crate::{Error, FoundValue, Id, Labels, NodeIds, Notice, Result, SourceLocation};

/// What publishers call the column with the class.
const TARGET_COLUMNS: [&str; 4] = ["target", "page_type", "ml_target", "mature"];

/// A numeric target with more distinct values than this is a quantity, not a class.
pub(crate) const MOST_NUMERIC_CLASSES: usize = 100;

/// The rows of the table, in the order of the file; no id occurs twice.
pub(crate) struct TargetTable {
    place: SourceLocation,
    pub ids: Vec<u64>,
    /// As written; empty if the file leaves it empty.
    pub targets: Vec<String>,
}

/// What the targets say about classes.
#[derive(Debug)]
pub(crate) enum TargetClasses {
    Labels(Labels),
    /// None: they look like a quantity.
    Quantity(Notice),
}

impl TargetTable {
    /// Reads a member of a bundle.
    ///
    /// # Errors
    /// If it is no csv with a header, an id is no integer, or one occurs twice.
    pub fn read(bundle: &Bundle, member: &str) -> Result<Self> {
        let NamedInput { place, reader } = bundle.open(member)?;
        let mut csv = csv::Reader::from_reader(BufReader::with_capacity(1 << 16, reader));
        let header = csv.headers().map_err(|error| explain(&place, error))?.clone();
        // Columns are found once, and read by position.
        let (id_column, target_column) = columns(&header, &place)?;
        let (mut ids, mut targets, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        let mut record = StringRecord::new();
        while csv.read_record(&mut record).map_err(|error| explain(&place, error))? {
            let line = record.position().map_or(0, csv::Position::line);
            let here = || place.line(line).field(&header[id_column]);
            // Every record has as many fields as the header: the reader checks it.
            let text = record[id_column].trim();
            let Id::Integer(id) = Id::parse(text) else {
                return Err(here().malformed(shown(text.as_bytes()), "a node or graph number"));
            };
            if !seen.insert(id) {
                return Err(here().malformed(format!("id {id} again"), "every id once"));
            }
            ids.push(id);
            targets.push(record[target_column].trim().to_owned());
        }
        Ok(Self { place, ids, targets })
    }

    /// The targets as numbers; `None` if one is not a number. Empty ones are left out.
    pub fn quantities(&self) -> Option<Vec<(u64, f64)>> {
        let given = self.ids.iter().zip(&self.targets).filter(|(_, text)| !text.is_empty());
        given.map(|(&id, text)| Some((id, finite(text)?))).collect()
    }

    /// The targets as numbers.
    ///
    /// # Errors
    /// If one is not a number.
    pub fn into_quantities(self) -> Result<Vec<(u64, f64)>> {
        self.quantities().ok_or_else(|| {
            // The first value that is no number, for the message.
            let bad = self.targets.iter().find(|text| !text.is_empty() && finite(text).is_none());
            let found = shown(bad.map_or(&b""[..], |text| text.as_bytes()));
            self.place.malformed(format!("the target {found}"), "a number for every id")
        })
    }

    /// The classes of the items called `ids`; those the table does not name have none. If the
    /// targets look like a quantity there are no classes but a notice.
    ///
    /// # Errors
    /// If the table names an item that is not among `ids`.
    pub fn classes(&self, ids: &NodeIds) -> Result<TargetClasses> {
        if let Some(notice) = self.quantity_notice() {
            return Ok(TargetClasses::Quantity(notice));
        }
        let index = ids.index();
        // Items without a target keep an empty name, which means no class.
        let mut names = vec![""; ids.len()];
        for (&id, target) in self.ids.iter().zip(&self.targets) {
            let Some(item) = index.node(Id::Integer(id)) else {
                let found = format!("a target for {id}, of which there is no graph");
                return Err(self.place.malformed(found, "targets of the graphs beside it"));
            };
            names[item as usize] = target;
        }
        Ok(TargetClasses::Labels(Labels::from_names(&names)?))
    }

    fn quantity_notice(&self) -> Option<Notice> {
        let given = self.targets.iter().filter(|text| !text.is_empty());
        let distinct = given.collect::<FxHashSet<_>>().len();
        // Many distinct numbers are a quantity, and no classes.
        if distinct <= MOST_NUMERIC_CLASSES || self.quantities().is_none() {
            return None;
        }
        let text = format!(
            "the target has {distinct} distinct numbers: it looks like a quantity, so the labels \
             are left out; to make classes of it, set a threshold (class 1 above it, class 0 at \
             or below it) and write the classes as the target"
        );
        Some(Notice::new(&self.place, text))
    }
}

/// Two classes from a quantity: class 0 up to the threshold, class 1 above it. Items without a
/// quantity have no class.
pub(crate) fn threshold(ids: &NodeIds, values: &[(u64, f64)], threshold: f64) -> Result<Labels> {
    if !threshold.is_finite() {
        return Err(Error::invalid("threshold", threshold, "a finite number"));
    }
    let by_id: FxHashMap<u64, f64> = values.iter().copied().collect();
    let class = |id| match id {
        Id::Integer(id) => by_id.get(&id).map(|&value| u32::from(value > threshold)),
        Id::Text(_) => None,
    };
    let names = vec![format!("at most {threshold}"), format!("above {threshold}")];
    Labels::single(ids.iter().map(class).collect(), names)
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn columns(header: &StringRecord, place: &SourceLocation) -> Result<(usize, usize)> {
    let named = |name: &str| header.iter().position(|column| column.trim() == name);
    let id = named("new_id").or_else(|| named("id")).unwrap_or(0);
    // The last column that is not the id, where no name is known.
    let last = (0..header.len()).rev().find(|&column| column != id);
    let target = TARGET_COLUMNS.iter().find_map(|name| named(name)).or(last);
    // A header that is a number is no header: the first record would be lost.
    let is_data = header.get(id).is_none_or(|name| name.trim().parse::<f64>().is_ok());
    match target {
        Some(target) if !is_data && target != id => Ok((id, target)),
        _ => {
            let found: Vec<_> = header.iter().map(str::to_owned).collect();
            let found = shown(found.join(",").as_bytes());
            Err(place.line(1).malformed(found, "a header with an id and a target: 'id,target'"))
        }
    }
}

/// What a csv reader complains about, in our words.
pub(crate) fn explain(place: &SourceLocation, error: csv::Error) -> Error {
    let at = error.position().map_or(place.clone(), |position| place.line(position.line()));
    match error.into_kind() {
        csv::ErrorKind::Io(error) => at.io(error),
        csv::ErrorKind::Utf8 { err, .. } => at
            .field((err.field() + 1).to_string())
            .malformed("bytes that are not UTF-8", "UTF-8 text"),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => at.malformed(
            FoundValue::words(format!("{len} fields")),
            format!("{expected_len}, as in the first row"),
        ),
        other => at.malformed(format!("a csv error ({other:?})"), "RFC 4180 text"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::Limits;

    fn table(text: impl Into<Vec<u8>>) -> Result<TargetTable> {
        let bundle = Bundle::from_memory("z", [("t.csv", text.into())], Limits::default());
        TargetTable::read(&bundle, "t.csv")
    }

    #[test]
    fn quotes_commas_and_foreign_letters_survive() {
        let csv = "id,n,page_name,page_type\r\n1,9,\"a, \"\"b\"\"\n声\",tv\r\n0,8,x,\"gov, t\"\r\n";
        let table = table(csv).unwrap();
        assert_eq!((table.ids, table.targets), (vec![1, 0], vec!["tv".into(), "gov, t".into()]));
    }

    #[test]
    fn the_columns_are_found_by_name_and_else_by_position() {
        for (csv, id, target) in [
            ("id,target\n3,a\n", 3, "a"),
            ("target,id\na,3\n", 3, "a"),
            (
                "id,days,mature,views,partner,new_id\n73045350,1459,False,9528,x,2299\n",
                2299,
                "False",
            ),
            ("id,name,ml_target\n3,shiny,1\n", 3, "1"),
            ("node,other,kind\n3,b,a\n", 3, "a"),
            ("kind,id\na,3\n", 3, "a"),
        ] {
            let table = table(csv).unwrap();
            assert_eq!((table.ids[0], table.targets[0].as_str()), (id, target), "{csv}");
        }
    }

    #[test]
    fn damage_is_told_with_its_line() {
        for (csv, message) in [
            (&b"id,target\n0,1\n0,2\n"[..], "z, member t.csv, line 3, field id: found id 0 again"),
            (b"id,target\n-1,1\n", "line 2, field id: found '-1'; expected a node or graph number"),
            (b"id,target\n1,2,3\n", "line 2: found 3 fields; expected 2"),
            (b"id,target\n1,\xff\n", "line 2, field 2: found bytes that are not UTF-8"),
            (b"0,1\n1,2\n", "line 1: found '0,1'; expected a header"),
            (b"id\n1\n", "expected a header"),
            (b"", "expected a header"),
        ] {
            let error = table(csv).err().unwrap().with_values();
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn many_numbers_are_a_quantity_and_many_names_are_not() {
        let rows = |prefix: &str, count: u64| {
            (0..count).fold("id,target\n".to_owned(), |csv, i| csv + &format!("{i},{prefix}{i}\n"))
        };
        let classes = |csv: String, ids| table(csv).unwrap().classes(&NodeIds::sequential(ids));
        let count = |csv| match classes(csv, 101).unwrap() {
            TargetClasses::Labels(labels) => labels.class_count(),
            TargetClasses::Quantity(notice) => panic!("{notice}"),
        };
        let TargetClasses::Quantity(notice) = classes(rows("", 101), 101).unwrap() else {
            panic!()
        };
        assert!(notice.text.contains("101 distinct") && notice.text.contains("threshold"));
        assert_eq!(count(rows("", 100)), 100);
        assert_eq!(count(rows("c", 101)), 101);
        assert!(classes(rows("c", 3), 2).is_err());
        assert!(table(rows("c", 3)).unwrap().into_quantities().is_err());
    }

    #[test]
    fn the_threshold_itself_is_class_zero() {
        let values = [(4, 10.0), (2, 11.0), (9, 9.0)];
        let ids = NodeIds::integers(vec![2, 4, 5, 9]).unwrap();
        let labels = threshold(&ids, &values, 10.0).unwrap();
        let classes: Vec<_> = (0..4).map(|node| labels.class(node)).collect();
        assert_eq!(classes, [Some(1), Some(0), None, Some(0)]);
        assert!(threshold(&ids, &values, f64::NAN).is_err());
    }
}
