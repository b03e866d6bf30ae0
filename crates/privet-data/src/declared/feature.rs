//! [`Feature`]: one declared column, checked, and how its cells become numbers in 0..1.

use rustc_hash::FxHashMap;

use super::cell::Cell;
use super::column::{Column, Kind, Missing, Other};
use super::mistake::{Mistake, check_values};
use super::words;
use crate::FoundValue;

/// The most columns that a text may be hashed into.
const MOST_TEXT_COLUMNS: u32 = 1 << 16;

/// A column that can be encoded.
#[derive(Debug, Clone)]
pub(super) struct Feature {
    pub name: String,
    what: What,
    gap: Gap,
    /// How many columns it makes.
    pub width: usize,
}

#[derive(Debug, Clone)]
enum What {
    Number { low: f64, high: f64 },
    Category { positions: Positions, other: Other },
    Ordinal { positions: Positions },
    Text { columns: u32, most: u32 },
}

/// Declared values and where each stands.
#[derive(Debug, Clone)]
struct Positions {
    of: FxHashMap<Box<str>, usize>,
    values: Vec<String>,
}

/// What is written where a value is missing: the rest is zeros.
#[derive(Debug, Clone, Copy)]
enum Gap {
    Refuse,
    /// This in the first column.
    Fill(f32),
    /// This in the first column, and a 1 in the last.
    Flag(f32),
}

/// A cell that does not fit.
#[derive(Debug)]
pub(super) struct Unfit {
    pub found: FoundValue,
    pub expected: String,
}

impl Feature {
    /// The feature that is declared; `markers` are the cells that mean "missing".
    pub fn new(name: &str, column: &Column, markers: &[String]) -> Result<Self, Mistake> {
        let key = |key: &str| format!("people.columns.{name}.{key}");
        refuse_strange_keys(column, &key)?;
        let what = match column.kind {
            Kind::Number => number(column, &key)?,
            Kind::Category => What::Category {
                positions: positions(column, 1, markers, &key)?,
                other: column.other.unwrap_or_default(),
            },
            Kind::Ordinal => What::Ordinal { positions: positions(column, 2, markers, &key)? },
            Kind::Text => text(column, &key)?,
        };
        let gap = gap(column, &what, &key)?;
        let of_its_own = match &what {
            What::Number { .. } | What::Ordinal { .. } => 1,
            What::Category { positions, other } => {
                positions.values.len() + usize::from(*other == Other::Column)
            }
            What::Text { columns, .. } => *columns as usize,
        };
        let width = of_its_own + usize::from(matches!(gap, Gap::Flag(_)));
        Ok(Self { name: name.into(), what, gap, width })
    }

    /// What its columns are called.
    pub fn names(&self) -> Vec<String> {
        let name = &self.name;
        let mut names: Vec<String> = match &self.what {
            What::Number { .. } | What::Ordinal { .. } => vec![name.clone()],
            What::Category { positions, .. } => {
                positions.values.iter().map(|value| format!("{name}={value}")).collect()
            }
            What::Text { columns, .. } => (0..*columns).map(|at| format!("{name}:{at}")).collect(),
        };
        if matches!(self.what, What::Category { other: Other::Column, .. }) {
            names.push(format!("{name}:other"));
        }
        if matches!(self.gap, Gap::Flag(_)) {
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
        cell: Cell<'_>,
        markers: &Markers,
        out: &mut [f32],
    ) -> Result<(), Box<Unfit>> {
        match &self.what {
            What::Number { low, high } => {
                let marked = markers.numeric && cell.is_among(&markers.cells);
                match cell.as_number().filter(|_| !marked) {
                    Some(value) => out[0] = scaled(value, *low, *high),
                    None => return self.leave_out(cell, markers, out),
                }
            }
            What::Category { positions, other } => match (positions.find(cell), other) {
                (Some(at), _) => out[at] = 1.0,
                (None, _) if cell.is_among(&markers.cells) => {
                    return self.leave_out(cell, markers, out);
                }
                (None, Other::Column) => out[positions.values.len()] = 1.0,
                (None, Other::None) => {}
                (None, Other::Refuse) => return Err(self.unfit(cell)),
            },
            What::Ordinal { positions } => match positions.find(cell) {
                Some(at) => out[0] = at as f32 / (positions.values.len() - 1) as f32,
                None => return self.leave_out(cell, markers, out),
            },
            What::Text { columns, most } => {
                if cell.is_among(&markers.cells) {
                    return self.leave_out(cell, markers, out);
                }
                let counts = &mut out[..*columns as usize];
                words::for_each_word(&cell.as_text(), |hash| {
                    let count = &mut counts[words::column(hash, *columns)];
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
        cell: Cell<'_>,
        markers: &Markers,
        out: &mut [f32],
    ) -> Result<(), Box<Unfit>> {
        if !cell.is_among(&markers.cells) {
            return Err(self.unfit(cell));
        }
        match self.gap {
            Gap::Refuse => {
                let rules = rules(self.kind());
                let expected = format!("{}, or a rule such as missing = {rules}", self.wanted());
                return Err(Box::new(Unfit { found: "a missing value".into(), expected }));
            }
            Gap::Fill(value) => out[0] = value,
            Gap::Flag(value) => {
                out[0] = value;
                out[self.width - 1] = 1.0;
            }
        }
        Ok(())
    }

    fn kind(&self) -> Kind {
        match self.what {
            What::Number { .. } => Kind::Number,
            What::Category { .. } => Kind::Category,
            What::Ordinal { .. } => Kind::Ordinal,
            What::Text { .. } => Kind::Text,
        }
    }

    fn wanted(&self) -> String {
        match &self.what {
            What::Number { .. } => "a finite number".into(),
            What::Category { positions, .. } | What::Ordinal { positions } => {
                one_of(&positions.values)
            }
            What::Text { .. } => "text".into(),
        }
    }

    #[cold]
    fn unfit(&self, cell: Cell<'_>) -> Box<Unfit> {
        let expected = match &self.what {
            What::Category { .. } => {
                format!("{}, or a rule such as other = \"column\" or \"none\"", self.wanted())
            }
            _ => format!("{}, or a cell that is declared to mean missing", self.wanted()),
        };
        Box::new(Unfit { found: FoundValue::from(cell.quoted()), expected })
    }
}

/// The cells that mean "missing".
#[derive(Debug, Clone)]
pub(super) struct Markers {
    pub cells: Vec<String>,
    /// Whether one of them could be taken for a number.
    numeric: bool,
}

impl Markers {
    pub fn new(cells: &[String]) -> Self {
        let number = |cell: &String| Cell::Text(cell).as_number().is_some();
        Self { cells: cells.to_vec(), numeric: cells.iter().any(number) }
    }
}

impl Positions {
    #[inline]
    fn find(&self, cell: Cell<'_>) -> Option<usize> {
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
    ((value.clamp(low, high) - low) / (high - low)) as f32
}

/// The rules for missing values that fit a kind, for messages.
fn rules(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => {
            "\"refuse\", \"low\", \"middle\", \"high\", \"column\" or a number in range"
        }
        Kind::Ordinal => "\"refuse\", \"low\", \"middle\", \"high\" or \"column\"",
        Kind::Category | Kind::Text => "\"refuse\", \"none\" or \"column\"",
    }
}

type Key<'a> = &'a dyn Fn(&str) -> String;

/// A key that another kind has would be ignored here, and somebody believes in it.
fn refuse_strange_keys(column: &Column, key: Key<'_>) -> Result<(), Mistake> {
    let Column { low, high, values, other, columns, most, kind, missing: _ } = column;
    let needs = |kinds: &'static [Kind]| kinds.contains(kind);
    for (name, given, fits, owners) in [
        ("low", low.is_some(), needs(&[Kind::Number]), "a number"),
        ("high", high.is_some(), needs(&[Kind::Number]), "a number"),
        (
            "values",
            values.is_some(),
            needs(&[Kind::Category, Kind::Ordinal]),
            "a category or ordinal",
        ),
        ("other", other.is_some(), needs(&[Kind::Category]), "a category"),
        ("columns", columns.is_some(), needs(&[Kind::Text]), "a text"),
        ("most", most.is_some(), needs(&[Kind::Text]), "a text"),
    ] {
        if given && !fits {
            let found = format!("'{name}' in a column of kind \"{}\"", kind.name());
            return Err(Mistake::new(key(name), found, format!("it in {owners} alone")));
        }
    }
    Ok(())
}

fn number(column: &Column, key: Key<'_>) -> Result<What, Mistake> {
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
    if !(high - low).is_finite() {
        return Err(Mistake::new(key("high"), high, "a range whose width is a number"));
    }
    Ok(What::Number { low, high })
}

fn positions(
    column: &Column,
    least: usize,
    markers: &[String],
    key: Key<'_>,
) -> Result<Positions, Mistake> {
    let values = column.values.clone().ok_or_else(|| {
        Mistake::absent(key("values"), "the values there may be, known without the records")
    })?;
    check_values(&key("values"), &values, least)?;
    if let Some(value) = values.iter().find(|value| markers.contains(value)) {
        let expected = "no value that people.missing has, too";
        return Err(Mistake::new(key("values"), format!("'{value}'"), expected));
    }
    let of = values.iter().zip(0..).map(|(value, at)| (value.as_str().into(), at)).collect();
    Ok(Positions { of, values })
}

fn text(column: &Column, key: Key<'_>) -> Result<What, Mistake> {
    let expected = format!("a number of columns from 1 to {MOST_TEXT_COLUMNS}");
    let columns = column.columns.ok_or_else(|| Mistake::absent(key("columns"), &*expected))?;
    if !(1..=MOST_TEXT_COLUMNS).contains(&columns) {
        return Err(Mistake::new(key("columns"), columns, expected));
    }
    let most = column.most.unwrap_or(1);
    if most == 0 || most > 1 << 20 {
        return Err(Mistake::new(key("most"), most, "how many occurrences count, at least 1"));
    }
    Ok(What::Text { columns, most })
}

fn gap(column: &Column, what: &What, key: Key<'_>) -> Result<Gap, Mistake> {
    let rule = match (column.missing, column.kind) {
        (Some(rule), _) => rule,
        // An empty note is a note without words.
        (None, Kind::Text) => Missing::None,
        (None, _) => Missing::Refuse,
    };
    let scalar = matches!(column.kind, Kind::Number | Kind::Ordinal);
    match (rule, what) {
        (Missing::Refuse, _) => Ok(Gap::Refuse),
        (Missing::Low, _) if scalar => Ok(Gap::Fill(0.0)),
        (Missing::Middle, _) if scalar => Ok(Gap::Fill(0.5)),
        (Missing::High, _) if scalar => Ok(Gap::Fill(1.0)),
        (Missing::Column, _) => Ok(Gap::Flag(if scalar { 0.5 } else { 0.0 })),
        (Missing::None, _) if !scalar => Ok(Gap::Fill(0.0)),
        (Missing::Value(value), What::Number { low, high }) if (*low..=*high).contains(&value) => {
            Ok(Gap::Fill(scaled(value, *low, *high)))
        }
        _ => Err(Mistake::new(key("missing"), rule, rules(column.kind))),
    }
}

#[cfg(test)]
mod tests;
