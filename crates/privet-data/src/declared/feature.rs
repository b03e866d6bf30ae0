//! [`Feature`]: one declared column, checked, and how its cells become numbers in 0..1.

use rustc_hash::FxHashMap;

use super::cell::TableCell;
use super::check::{Mistake, check_values};
use super::column::{ColumnKind, DeclaredColumn, MissingRule, UndeclaredRule};
use super::word_counts;
use crate::FoundValue;

/// The most columns that a text may be hashed into.
const MOST_TEXT_COLUMNS: u32 = 1 << 16;

/// A column that can be encoded.
#[derive(Debug, Clone)]
pub(super) struct Feature {
    pub name: String,
    what: FeatureKind,
    gap: MissingFill,
    /// How many columns it makes.
    pub width: usize,
}

#[derive(Debug, Clone)]
enum FeatureKind {
    Number { low: f64, high: f64 },
    Category { positions: ValuePositions, other: UndeclaredRule },
    Ordinal { positions: ValuePositions },
    Text { columns: u32, most: u32 },
}

/// Declared values and where each stands.
#[derive(Debug, Clone)]
struct ValuePositions {
    of: FxHashMap<Box<str>, usize>,
    values: Vec<String>,
}

/// What is written where a value is missing: the rest is zeros.
#[derive(Debug, Clone, Copy)]
enum MissingFill {
    Refuse,
    /// This in the first column.
    Fill(f32),
    /// This in the first column, and a 1 in the last.
    Flag(f32),
}

/// A cell that does not fit.
#[derive(Debug)]
pub(super) struct UnfitCell {
    pub found: FoundValue,
    pub expected: String,
}

impl Feature {
    /// The feature that is declared; `markers` are the cells that mean "missing".
    pub fn new(name: &str, column: &DeclaredColumn, markers: &[String]) -> Result<Self, Mistake> {
        let key = |key: &str| format!("people.columns.{name}.{key}");
        refuse_strange_keys(column, &key)?;
        let what = match column.kind {
            ColumnKind::Number => number(column, &key)?,
            ColumnKind::Category => FeatureKind::Category {
                positions: positions(column, 1, markers, &key)?,
                other: column.other.unwrap_or_default(),
            },
            ColumnKind::Ordinal => {
                FeatureKind::Ordinal { positions: positions(column, 2, markers, &key)? }
            }
            ColumnKind::Text => text(column, &key)?,
        };
        let gap = gap(column, &what, &key)?;
        // Widths follow from the declaration alone: no value of a record adds a column.
        let of_its_own = match &what {
            FeatureKind::Number { .. } | FeatureKind::Ordinal { .. } => 1,
            FeatureKind::Category { positions, other } => {
                positions.values.len() + usize::from(*other == UndeclaredRule::Column)
            }
            FeatureKind::Text { columns, .. } => *columns as usize,
        };
        let width = of_its_own + usize::from(matches!(gap, MissingFill::Flag(_)));
        Ok(Self { name: name.into(), what, gap, width })
    }

    /// What its columns are called.
    pub fn names(&self) -> Vec<String> {
        let name = &self.name;
        let mut names: Vec<String> = match &self.what {
            FeatureKind::Number { .. } | FeatureKind::Ordinal { .. } => vec![name.clone()],
            FeatureKind::Category { positions, .. } => {
                positions.values.iter().map(|value| format!("{name}={value}")).collect()
            }
            FeatureKind::Text { columns, .. } => {
                (0..*columns).map(|at| format!("{name}:{at}")).collect()
            }
        };
        if matches!(self.what, FeatureKind::Category { other: UndeclaredRule::Column, .. }) {
            names.push(format!("{name}:other"));
        }
        if matches!(self.gap, MissingFill::Flag(_)) {
            names.push(format!("{name}:missing"));
        }
        names
    }

    /// Writes what the cell says into its columns, which hold zeros.
    ///
    /// A declared value is never a marker, so that the order of the questions does not matter; numbers, which may be
    /// both, are asked about first, unless no marker looks like one.
    #[inline]
    pub fn encode(
        &self,
        cell: TableCell<'_>,
        markers: &MissingMarkers,
        out: &mut [f32],
    ) -> Result<(), Box<UnfitCell>> {
        match &self.what {
            FeatureKind::Number { low, high } => {
                // A marker such as -1 is a number, too, so it is looked for first where there is one.
                let marked = markers.numeric && cell.is_among(&markers.cells);
                match cell.as_number().filter(|_| !marked) {
                    Some(value) => out[0] = scaled(value, *low, *high),
                    None => return self.leave_out(cell, markers, out),
                }
            }
            FeatureKind::Category { positions, other } => match (positions.find(cell), other) {
                (Some(at), _) => out[at] = 1.0,
                (None, _) if cell.is_among(&markers.cells) => {
                    return self.leave_out(cell, markers, out);
                }
                // The column behind those of the declared values.
                (None, UndeclaredRule::Column) => out[positions.values.len()] = 1.0,
                (None, UndeclaredRule::None) => {}
                (None, UndeclaredRule::Refuse) => return Err(self.unfit(cell)),
            },
            FeatureKind::Ordinal { positions } => match positions.find(cell) {
                // Equal steps from 0 to 1: at least two values were asked for.
                Some(at) => out[0] = at as f32 / (positions.values.len() - 1) as f32,
                None => return self.leave_out(cell, markers, out),
            },
            FeatureKind::Text { columns, most } => {
                if cell.is_among(&markers.cells) {
                    return self.leave_out(cell, markers, out);
                }
                let counts = &mut out[..*columns as usize];
                word_counts::for_each_word(&cell.as_text(), |hash| {
                    let count = &mut counts[word_counts::column(hash, *columns)];
                    // Clipped while counting: a text of any length stays within its bound.
                    *count = (*count + 1.0).min(*most as f32);
                });
                counts.iter_mut().for_each(|count| *count /= *most as f32);
            }
        }
        Ok(())
    }

    /// No value was found: perhaps because none is there.
    #[cold]
    fn leave_out(
        &self,
        cell: TableCell<'_>,
        markers: &MissingMarkers,
        out: &mut [f32],
    ) -> Result<(), Box<UnfitCell>> {
        if !cell.is_among(&markers.cells) {
            return Err(self.unfit(cell));
        }
        match self.gap {
            MissingFill::Refuse => {
                let rules = rules(self.kind());
                let expected = format!("{}, or a rule such as missing = {rules}", self.wanted());
                return Err(Box::new(UnfitCell { found: "a missing value".into(), expected }));
            }
            MissingFill::Fill(value) => out[0] = value,
            MissingFill::Flag(value) => {
                out[0] = value;
                // The flag is the last of the feature's columns.
                out[self.width - 1] = 1.0;
            }
        }
        Ok(())
    }

    fn kind(&self) -> ColumnKind {
        match self.what {
            FeatureKind::Number { .. } => ColumnKind::Number,
            FeatureKind::Category { .. } => ColumnKind::Category,
            FeatureKind::Ordinal { .. } => ColumnKind::Ordinal,
            FeatureKind::Text { .. } => ColumnKind::Text,
        }
    }

    fn wanted(&self) -> String {
        match &self.what {
            FeatureKind::Number { .. } => "a finite number".into(),
            FeatureKind::Category { positions, .. } | FeatureKind::Ordinal { positions } => {
                one_of(&positions.values)
            }
            FeatureKind::Text { .. } => "text".into(),
        }
    }

    #[cold]
    fn unfit(&self, cell: TableCell<'_>) -> Box<UnfitCell> {
        let expected = match &self.what {
            FeatureKind::Category { .. } => {
                format!("{}, or a rule such as other = \"column\" or \"none\"", self.wanted())
            }
            _ => format!("{}, or a cell that is declared to mean missing", self.wanted()),
        };
        Box::new(UnfitCell { found: FoundValue::from(cell.quoted()), expected })
    }
}

/// The cells that mean "missing".
#[derive(Debug, Clone)]
pub(super) struct MissingMarkers {
    pub cells: Vec<String>,
    /// Whether one of them could be taken for a number.
    numeric: bool,
}

impl MissingMarkers {
    pub fn new(cells: &[String]) -> Self {
        let number = |cell: &String| TableCell::Text(cell).as_number().is_some();
        Self { cells: cells.to_vec(), numeric: cells.iter().any(number) }
    }
}

impl ValuePositions {
    #[inline]
    fn find(&self, cell: TableCell<'_>) -> Option<usize> {
        self.of.get(&*cell.as_text()).copied()
    }
}

/// The first few of declared values, for messages.
pub(super) fn one_of(values: &[String]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<String> = values.iter().take(SHOWN).map(|value| format!("'{value}'")).collect();
    let more = if values.len() > SHOWN { ", ..." } else { "" };
    format!("one of {}{more}", shown.join(", "))
}

#[inline]
fn scaled(value: f64, low: f64, high: f64) -> f32 {
    // In f64 up to the end: the difference of large bounds would lose digits in f32.
    ((value.clamp(low, high) - low) / (high - low)) as f32
}

/// The rules for missing values that fit a kind, for messages.
fn rules(kind: ColumnKind) -> &'static str {
    match kind {
        ColumnKind::Number => {
            "\"refuse\", \"low\", \"middle\", \"high\", \"column\" or a number in range"
        }
        ColumnKind::Ordinal => "\"refuse\", \"low\", \"middle\", \"high\" or \"column\"",
        ColumnKind::Category | ColumnKind::Text => "\"refuse\", \"none\" or \"column\"",
    }
}

type KeyName<'a> = &'a dyn Fn(&str) -> String;

/// A key that only another kind has would be ignored, and its author would believe that it holds.
fn refuse_strange_keys(column: &DeclaredColumn, key: KeyName<'_>) -> Result<(), Mistake> {
    let DeclaredColumn { low, high, values, other, columns, most, kind, missing: _ } = column;
    let needs = |kinds: &'static [ColumnKind]| kinds.contains(kind);
    for (name, given, fits, owners) in [
        ("low", low.is_some(), needs(&[ColumnKind::Number]), "a number"),
        ("high", high.is_some(), needs(&[ColumnKind::Number]), "a number"),
        (
            "values",
            values.is_some(),
            needs(&[ColumnKind::Category, ColumnKind::Ordinal]),
            "a category or ordinal",
        ),
        ("other", other.is_some(), needs(&[ColumnKind::Category]), "a category"),
        ("columns", columns.is_some(), needs(&[ColumnKind::Text]), "a text"),
        ("most", most.is_some(), needs(&[ColumnKind::Text]), "a text"),
    ] {
        if given && !fits {
            let found = format!("'{name}' in a column of kind \"{}\"", kind.name());
            return Err(Mistake::new(key(name), found, format!("it in {owners} alone")));
        }
    }
    Ok(())
}

fn number(column: &DeclaredColumn, key: KeyName<'_>) -> Result<FeatureKind, Mistake> {
    let declared = |name, value: Option<f64>, what| {
        let value = value.ok_or_else(|| {
            Mistake::absent(
                key(name),
                format!("the {what} value there may be, known without the records"),
            )
        })?;
        match value.is_finite() {
            true => Ok(value),
            false => Err(Mistake::new(key(name), value, "a finite number")),
        }
    };
    let low = declared("low", column.low, "lowest")?;
    let high = declared("high", column.high, "highest")?;
    if low >= high {
        return Err(Mistake::new(key("low"), low, format!("less than high, which is {high}")));
    }
    // Both ends may be finite and their distance not.
    if !(high - low).is_finite() {
        return Err(Mistake::new(key("high"), high, "a range whose width is a number"));
    }
    Ok(FeatureKind::Number { low, high })
}

fn positions(
    column: &DeclaredColumn,
    least: usize,
    markers: &[String],
    key: KeyName<'_>,
) -> Result<ValuePositions, Mistake> {
    let values = column.values.clone().ok_or_else(|| {
        Mistake::absent(key("values"), "the values there may be, known without the records")
    })?;
    check_values(&key("values"), &values, least)?;
    // Otherwise a cell would be a value and missing at once.
    if let Some(value) = values.iter().find(|value| markers.contains(value)) {
        let expected = "no value that people.missing has, too";
        return Err(Mistake::new(key("values"), format!("'{value}'"), expected));
    }
    let of = values.iter().zip(0..).map(|(value, at)| (value.as_str().into(), at)).collect();
    Ok(ValuePositions { of, values })
}

fn text(column: &DeclaredColumn, key: KeyName<'_>) -> Result<FeatureKind, Mistake> {
    let expected = format!("a number of columns from 1 to {MOST_TEXT_COLUMNS}");
    let columns = column.columns.ok_or_else(|| Mistake::absent(key("columns"), &*expected))?;
    if !(1..=MOST_TEXT_COLUMNS).contains(&columns) {
        return Err(Mistake::new(key("columns"), columns, expected));
    }
    let most = column.most.unwrap_or(1);
    if most == 0 || most > 1 << 20 {
        return Err(Mistake::new(key("most"), most, "how many occurrences count, at least 1"));
    }
    Ok(FeatureKind::Text { columns, most })
}

fn gap(
    column: &DeclaredColumn,
    what: &FeatureKind,
    key: KeyName<'_>,
) -> Result<MissingFill, Mistake> {
    let rule = match (column.missing, column.kind) {
        (Some(rule), _) => rule,
        // An empty note is a note without words.
        (None, ColumnKind::Text) => MissingRule::None,
        (None, _) => MissingRule::Refuse,
    };
    let scalar = matches!(column.kind, ColumnKind::Number | ColumnKind::Ordinal);
    match (rule, what) {
        (MissingRule::Refuse, _) => Ok(MissingFill::Refuse),
        (MissingRule::Low, _) if scalar => Ok(MissingFill::Fill(0.0)),
        (MissingRule::Middle, _) if scalar => Ok(MissingFill::Fill(0.5)),
        (MissingRule::High, _) if scalar => Ok(MissingFill::Fill(1.0)),
        (MissingRule::Column, _) => Ok(MissingFill::Flag(if scalar { 0.5 } else { 0.0 })),
        (MissingRule::None, _) if !scalar => Ok(MissingFill::Fill(0.0)),
        (MissingRule::Value(value), FeatureKind::Number { low, high })
            if (*low..=*high).contains(&value) =>
        {
            Ok(MissingFill::Fill(scaled(value, *low, *high)))
        }
        _ => Err(Mistake::new(key("missing"), rule, rules(column.kind))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::declared::{Encoder, PeopleTable};

    fn encoder(columns: &str) -> Encoder {
        let json = format!(
            r#"{{"file": "p.csv", "id": "id", "missing": ["", "NA", "-999"], "columns": {columns}}}"#
        );
        let people: PeopleTable = serde_json::from_str(&json).unwrap();
        Encoder::new(&people).unwrap()
    }

    fn row(columns: &str, cells: &[&str]) -> Vec<f32> {
        encoder(columns).encode(cells).unwrap()
    }

    #[test]
    fn numbers_are_clipped_and_scaled() {
        let age = r#"{"age": {"kind": "number", "low": 20, "high": 60, "missing": "middle"}}"#;
        for (cell, expected) in [
            ("20", 0.0),
            ("60", 1.0),
            ("30", 0.25),
            (" 30 ", 0.25),
            ("3e1", 0.25),
            ("-1e300", 0.0),
            ("61", 1.0),
            ("NA", 0.5),
            ("", 0.5),
            // A marker that looks like a number is a marker.
            ("-999", 0.5),
            // Another that does is not.
            ("-998", 0.0),
        ] {
            assert_eq!(row(age, &[cell]), [expected], "{cell}");
        }
        for cell in ["x", "inf", "1,5", "0x10", "NaN"] {
            let error = encoder(age).encode(&[cell]).unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains("age is an invalid value (hidden); expected a finite number"),
                "{message}"
            );
            assert!(error.with_values().contains(&format!("'{cell}'")));
        }
    }

    #[test]
    fn every_rule_for_gaps() {
        let number = |rule: &str| {
            format!(r#"{{"a": {{"kind": "number", "low": 0, "high": 10, "missing": {rule}}}}}"#)
        };
        assert_eq!(row(&number("\"low\""), &["NA"]), [0.0]);
        assert_eq!(row(&number("\"high\""), &["NA"]), [1.0]);
        assert_eq!(row(&number("2.5"), &["NA"]), [0.25]);
        assert_eq!(row(&number("\"column\""), &["NA"]), [0.5, 1.0]);
        assert_eq!(row(&number("\"column\""), &["10"]), [1.0, 0.0]);
        assert_eq!(encoder(&number("\"column\"")).columns(), ["a", "a:missing"]);
        let message = encoder(&number("\"refuse\"")).encode(&["NA"]).unwrap_err().to_string();
        assert!(message.contains("a missing value") && message.contains("missing = "), "{message}");

        let ordinal =
            r#"{"o": {"kind": "ordinal", "values": ["low", "mid", "high"], "missing": "column"}}"#;
        assert_eq!(row(ordinal, &["mid"]), [0.5, 0.0]);
        assert_eq!(row(ordinal, &["high"]), [1.0, 0.0]);
        assert_eq!(row(ordinal, &[""]), [0.5, 1.0]);
        assert!(encoder(ordinal).encode(&["huge"]).is_err());
    }

    #[test]
    fn categories_in_declared_order() {
        let region = |rules: &str| {
            format!(r#"{{"r": {{"kind": "category", "values": ["south", "north"]{rules}}}}}"#)
        };
        assert_eq!(row(&region(""), &["north"]), [0.0, 1.0]);
        assert!(encoder(&region("")).encode(&["east"]).is_err());
        assert!(encoder(&region("")).encode(&["NA"]).is_err());
        let both = region(r#", "other": "column", "missing": "column""#);
        assert_eq!(encoder(&both).columns(), ["r=south", "r=north", "r:other", "r:missing"]);
        assert_eq!(row(&both, &["south"]), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(row(&both, &["east"]), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(row(&both, &["NA"]), [0.0, 0.0, 0.0, 1.0]);
        let none = region(r#", "other": "none", "missing": "none""#);
        assert_eq!(row(&none, &["east"]), [0.0, 0.0]);
        assert_eq!(row(&none, &[""]), [0.0, 0.0]);
    }

    #[test]
    fn words_are_counted_up_to_the_most() {
        let notes = r#"{"n": {"kind": "text", "columns": 32, "most": 4, "missing": "column"}}"#;
        let encoded = row(notes, &["Late again, late; late late late"]);
        assert_eq!((encoded[6], encoded[17], encoded[32]), (1.0, 0.25, 0.0));
        assert_eq!(encoded.iter().sum::<f32>(), 1.25);
        let missing = row(notes, &["NA"]);
        assert_eq!((missing[32], missing.iter().sum::<f32>()), (1.0, 1.0));
        let plain = r#"{"n": {"kind": "text", "columns": 4}}"#;
        assert_eq!(row(plain, &[""]), [0.0; 4]);
    }

    #[test]
    fn cells_of_typed_files_read_as_their_text_would() {
        let columns = r#"{"r": {"kind": "category", "values": ["3", "4.5"]}}"#;
        let encoder = encoder(columns);
        let encode = |cell: TableCell<'_>| {
            let mut row = vec![0.0; 2];
            encoder.encode_into(|_| cell, &mut row).map(|()| row).ok()
        };
        assert_eq!(encode(TableCell::Integer(3)), Some(vec![1.0, 0.0]));
        assert_eq!(encode(TableCell::Real(3.0)), Some(vec![1.0, 0.0]));
        assert_eq!(encode(TableCell::Real(4.5)), Some(vec![0.0, 1.0]));
        assert_eq!(encode(TableCell::Nothing), None);
        assert_eq!(encode(TableCell::Real(f64::NAN)), None);
        for marker in [
            TableCell::Integer(-999),
            TableCell::Real(-999.0),
            TableCell::Text("-999"),
            TableCell::Nothing,
        ] {
            assert!(marker.is_among(&["NA".into(), "-999".into()]), "{marker:?}");
        }
        assert!(!TableCell::Integer(0).is_among(&["".into(), "NA".into()]));
    }

    #[test]
    fn an_encoder_survives_being_saved() {
        let encoder = encoder(
            r#"{"z": {"kind": "number", "low": 0, "high": 1, "missing": 0.5},
            "a": {"kind": "text", "columns": 3}}"#,
        );
        let value = serde_json::to_value(&encoder).unwrap();
        let back: Encoder = serde_json::from_value(value).unwrap();
        assert_eq!(back, encoder);
        assert_eq!(back.columns(), ["z", "a:0", "a:1", "a:2"]);
        let forged = r#"{"missing": [], "columns": [{"name": "a", "column": {"kind": "number"}}]}"#;
        assert!(serde_json::from_str::<Encoder>(forged).unwrap_err().to_string().contains("a.low"));
    }

    proptest! {
        /// Whatever a number's cell says, it is refused or lands in the range.
        #[test]
        fn no_cell_leaves_the_range(cell in "\\PC{0,12}|-?[0-9.e]{1,8}", low in -1e6..1e6f64, width in 1e-3..1e6f64) {
            let mut column = DeclaredColumn::new(ColumnKind::Number);
            (column.low, column.high, column.missing) = (Some(low), Some(low + width), Some(MissingRule::Middle));
            let feature = Feature::new("x", &column, &[]).unwrap();
            let mut out = [0.0];
            if feature.encode(TableCell::text(&cell), &MissingMarkers::new(&[]), &mut out).is_ok() {
                prop_assert!((0.0..=1.0).contains(&out[0]), "{:?}", out);
            }
        }

        /// Declared cells are never refused, and every column stays in 0..1.
        #[test]
        fn encoding_is_total_on_what_is_declared(
            age in prop_oneof![any::<f64>().prop_filter("finite", |v| v.is_finite()).prop_map(|v| v.to_string()), Just("NA".into())],
            region in prop::sample::select(vec!["north", "south", "", "elsewhere"]),
            rating in prop::sample::select(vec!["low", "mid", "high", "NA"]),
            notes in "\\PC{0,40}",
        ) {
            let encoder = encoder(r#"{
            "age": {"kind": "number", "low": -1e308, "high": 0, "missing": "column"},
            "region": {"kind": "category", "values": ["north", "south"], "other": "column", "missing": "none"},
            "rating": {"kind": "ordinal", "values": ["low", "mid", "high"], "missing": "middle"},
            "notes": {"kind": "text", "columns": 7, "most": 3}
        }"#);
            let row = encoder.encode(&[&age, region, rating, &notes]).unwrap();
            prop_assert_eq!(row.len(), encoder.width());
            prop_assert_eq!(row.len(), encoder.columns().len());
            prop_assert!(row.iter().all(|value| (0.0..=1.0).contains(value)), "{:?}", row);
        }
    }
}
