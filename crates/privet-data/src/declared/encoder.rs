//! [`Encoder`]: the public preprocessing. Cells in, numbers in 0..1 out; nothing in it comes from a record.

use serde::{Deserialize, Serialize};

use super::cell::TableCell;
use super::check::{Mistake, repeated};
use super::column::DeclaredColumn;
use super::feature::{Feature, MissingMarkers, UnfitCell};
use super::schema::PeopleTable;
use crate::{Bounds, BoundsOrigin, Error, Result};

/// The most columns of features that a declaration may make.
const MOST_COLUMNS: usize = 1 << 20;

/// How cells become a row of numbers. Made of a declaration alone, and saved as one: a model keeps it to read people who
/// were not there.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "EncoderFile", into = "EncoderFile")]
pub struct Encoder {
    form: EncoderFile,
    features: Vec<Feature>,
    markers: MissingMarkers,
    width: usize,
}

/// What is written down. Columns are a list, because some readers of JSON lose the order of a map.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct EncoderFile {
    missing: Vec<String>,
    columns: Vec<NamedColumn>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedColumn {
    name: String,
    column: DeclaredColumn,
}

impl From<Encoder> for EncoderFile {
    fn from(encoder: Encoder) -> Self {
        encoder.form
    }
}

impl TryFrom<EncoderFile> for Encoder {
    type Error = Mistake;

    fn try_from(form: EncoderFile) -> Result<Self, Mistake> {
        let columns = form.columns.iter();
        let features = columns.map(|named| Feature::new(&named.name, &named.column, &form.missing));
        let features = features.collect::<Result<Vec<_>, _>>()?;
        let width = features.iter().map(|feature| feature.width).sum();
        if width > MOST_COLUMNS {
            let expected = format!("at most {MOST_COLUMNS} columns of features in all");
            return Err(Mistake::new("people.columns", width, expected));
        }
        let markers = MissingMarkers::new(&form.missing);
        let encoder = Self { form, features, markers, width };
        let names = encoder.columns();
        if let Some(name) = repeated(names.iter().map(String::as_str)) {
            let found = format!("two columns of features called '{name}'");
            return Err(Mistake::new("people.columns", found, "different names"));
        }
        Ok(encoder)
    }
}

impl PartialEq for Encoder {
    fn eq(&self, other: &Self) -> bool {
        self.form == other.form
    }
}

impl Encoder {
    /// The encoder that a table of people declares.
    ///
    /// # Errors
    /// If a column's declaration makes no sense.
    pub fn new(people: &PeopleTable) -> Result<Self, Mistake> {
        let named = people.columns.iter();
        let named =
            named.map(|(name, column)| NamedColumn { name: name.into(), column: column.clone() });
        Self::try_from(EncoderFile { missing: people.missing.clone(), columns: named.collect() })
    }

    /// The columns that are read, in the order declared.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = &str> {
        self.features.iter().map(|feature| feature.name.as_str())
    }

    /// The names of the columns that are made, in order.
    pub fn columns(&self) -> Vec<String> {
        self.features.iter().flat_map(Feature::names).collect()
    }

    /// How many columns are made.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The range of every column: 0 to 1, by declaration.
    ///
    /// # Errors
    /// None; ranges are made by a function that checks them.
    pub fn bounds(&self) -> Result<Bounds> {
        Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)
    }

    /// The row of one person, whose cells come in the order of [`Encoder::inputs`].
    ///
    /// ```
    /// # use privet_data::declared::{Encoder, PeopleTable};
    /// # let json = r#"{"file": "p.csv", "id": "id", "columns": {
    /// #    "age": {"kind": "number", "low": 0, "high": 100},
    /// #    "rating": {"kind": "ordinal", "values": ["low", "mid", "high"]}}}"#;
    /// # let people: PeopleTable = serde_json::from_str(json)?;
    /// let encoder = Encoder::new(&people)?;   // age from 0 to 100, a rating: low, mid or high
    /// assert_eq!(encoder.encode(&["25", "high"])?, [0.25, 1.0]);
    /// assert_eq!(encoder.encode(&["250", "low"])?, [1.0, 0.0]);
    /// assert!(encoder.encode(&["", "low"]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is another number of cells, or one does not fit; its text is withheld.
    pub fn encode(&self, cells: &[&str]) -> Result<Vec<f32>> {
        if cells.len() != self.features.len() {
            return Err(Error::invalid(
                "number of cells",
                cells.len(),
                self.features.len().to_string(),
            ));
        }
        let mut row = vec![0.0; self.width];
        let cell = |at: usize| TableCell::text(cells[at]);
        self.encode_into(cell, &mut row).map_err(|(at, unfit)| Error::Invalid {
            what: self.features[at].name.clone(),
            found: unfit.found,
            expected: unfit.expected,
        })?;
        Ok(row)
    }

    /// Writes the row of a person whose cells are got one by one; fails with the column that does not fit.
    #[inline]
    pub(super) fn encode_into<'a>(
        &self,
        cell: impl Fn(usize) -> TableCell<'a>,
        row: &mut [f32],
    ) -> Result<(), (usize, Box<UnfitCell>)> {
        row.fill(0.0);
        let mut rest = row;
        for (at, feature) in self.features.iter().enumerate() {
            let (out, after) = rest.split_at_mut(feature.width);
            feature.encode(cell(at), &self.markers, out).map_err(|unfit| (at, unfit))?;
            rest = after;
        }
        Ok(())
    }
}
