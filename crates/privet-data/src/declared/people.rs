//! [`People`]: who there is, batch by batch, in memory that does not grow with the table.

use std::path::Path;

use super::cell::Cell;
use super::check::check_people;
use super::classes::Classes;
use super::encoder::Encoder;
use super::mistake::Mistake;
use super::rows::{Rows, Wanted, open};
use super::schema::PeopleTable;
use crate::formats::Limits;
use crate::{DenseMatrix, FoundValue, IdInterner, Result, SourceLocation};

/// What a table of people holds and how it is read, without saying which file it is. Made of a declaration alone: a
/// model keeps it to read people who were not there.
#[derive(Debug, Clone, PartialEq)]
pub struct People {
    table: Option<String>,
    id: String,
    encoder: Encoder,
    classes: Option<Classes>,
}

impl People {
    /// The people that a table declares.
    ///
    /// # Errors
    /// If the declaration makes no sense.
    pub fn new(table: &PeopleTable) -> Result<Self, Mistake> {
        check_people(table)?;
        let (encoder, classes) = (Encoder::new(table)?, Classes::new(table)?);
        Ok(Self { table: table.table.clone(), id: table.id.clone(), encoder, classes })
    }

    /// How features become numbers.
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// The declared classes; none if no labels are declared.
    pub fn classes(&self) -> &[String] {
        self.classes.as_ref().map_or(&[], Classes::learned)
    }

    /// Whether a person may have several labels.
    pub fn is_multi_label(&self) -> bool {
        self.classes.as_ref().is_some_and(Classes::is_multi_label)
    }

    /// The column of ids.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Which table of SQLite files is read from now on.
    #[must_use]
    pub fn with_table(mut self, table: Option<String>) -> Self {
        self.table = table;
        self
    }

    /// The people in a file (`-` is standard input), so many at a time. The label column may be absent: new people
    /// have none. Ids are remembered, so that one that comes twice is refused; nothing else grows with the table.
    ///
    /// # Errors
    /// If the file cannot be read or lacks a declared column; each batch may fail, too: if a cell does not fit, or an
    /// id comes twice.
    pub fn batches(
        &self,
        path: impl AsRef<Path>,
        rows_per_batch: usize,
        limits: &Limits,
    ) -> Result<Batches<'_>> {
        self.open(path.as_ref(), rows_per_batch, limits, true)
    }

    /// The same; whether a table without labels is as good is said.
    pub(super) fn open(
        &self,
        path: &Path,
        rows_per_batch: usize,
        limits: &Limits,
        may_lack_labels: bool,
    ) -> Result<Batches<'_>> {
        let label = self.classes.as_ref().map(|classes| classes.column.as_str());
        let wanted: Vec<Wanted<'_>> = std::iter::once(&*self.id)
            .chain(self.encoder.inputs())
            .map(Wanted::required)
            .chain(label.map(|name| Wanted { name, optional: may_lack_labels }))
            .collect();
        let rows = open(path, self.table.as_deref(), &wanted, limits)?;
        let label = wanted.len() - 1;
        let classes = self.classes.as_ref().filter(|_| rows.has(label));
        Ok(Batches {
            people: self,
            classes,
            label,
            rows,
            size: rows_per_batch.max(1),
            fingerprinted: false,
            ended: false,
            seen: IdInterner::default(),
            first: Vec::new(),
        })
    }
}

/// Some people, in the order of the file.
#[derive(Debug, Clone, PartialEq)]
pub struct Batch {
    /// Their ids.
    pub ids: Vec<String>,
    /// Their features, encoded.
    pub rows: DenseMatrix,
    /// The class of each, if the table has labels; `None` for those without one.
    pub labels: Option<Vec<Option<u32>>>,
    /// The classes of each, if several are declared to be possible; then `labels` is absent.
    pub label_lists: Option<Vec<Vec<u32>>>,
    /// A hash of every declared cell ([`Cell::fingerprint`]), row after row; nothing unless
    /// [`Batches::with_fingerprints`] asked for them.
    pub fingerprints: Vec<u64>,
    /// The line or row of each.
    pub(super) numbers: Vec<u64>,
}

/// A table of people being read. Made by [`People::batches`].
pub struct Batches<'a> {
    people: &'a People,
    /// If the table has the label column.
    classes: Option<&'a Classes>,
    label: usize,
    rows: Box<dyn Rows>,
    size: usize,
    fingerprinted: bool,
    ended: bool,
    /// The ids so far, and the line or row of each.
    seen: IdInterner,
    first: Vec<u64>,
}

impl Batches<'_> {
    /// Batches hold a hash of every declared cell, too, by which records are compared without their values.
    #[must_use]
    pub fn with_fingerprints(mut self) -> Self {
        self.fingerprinted = true;
        self
    }

    /// Whether the table has the label column.
    pub fn has_labels(&self) -> bool {
        self.classes.is_some()
    }

    /// Where the id of a line or row is.
    pub(super) fn id_place(&self, number: u64) -> SourceLocation {
        self.rows.place_at(number, &self.people.id)
    }

    /// The ids that were read.
    pub(super) fn into_ids(self) -> IdInterner {
        self.seen
    }

    /// Two answers about one person, or two records of one, would contradict each other.
    fn refuse_again(&mut self, id: &str) -> Result<()> {
        let (number, node) = (self.rows.number(), self.seen.intern(id) as usize);
        let Some(&first) = self.first.get(node) else {
            self.first.push(number);
            return Ok(());
        };
        let again = format!("an id that stands in {} {first} already", self.rows.counted().name());
        let found = FoundValue::value(again, format!("'{id}'"));
        Err(self.id_place(number).malformed(found, "everybody once"))
    }

    fn read(&mut self) -> Result<Option<Batch>> {
        let width = self.people.encoder.width();
        let (mut ids, mut numbers, mut values) = (Vec::new(), Vec::new(), Vec::new());
        let (mut singles, mut lists) = (Vec::new(), Vec::new());
        let mut fingerprints = Vec::new();
        while ids.len() < self.size && self.rows.advance()? {
            let id = self.read_id()?;
            self.refuse_again(&id)?;
            ids.push(id);
            numbers.push(self.rows.number());
            let start = values.len();
            values.resize(start + width, 0.0);
            self.read_features(&mut values[start..])?;
            if self.fingerprinted {
                let cells = 1..=self.people.encoder.inputs().len();
                fingerprints.extend(cells.map(|at| self.rows.cell(at).fingerprint()));
            }
            match self.classes {
                Some(classes) => self.read_label(classes, &mut singles, &mut lists)?,
                None => continue,
            }
        }
        if ids.is_empty() {
            return Ok(None);
        }
        let rows = DenseMatrix::new(ids.len(), width, values)?;
        let multi = self.people.is_multi_label();
        let labels = (self.has_labels() && !multi).then_some(singles);
        let label_lists = (self.has_labels() && multi).then_some(lists);
        Ok(Some(Batch { ids, rows, labels, label_lists, fingerprints, numbers }))
    }

    #[inline]
    fn read_id(&self) -> Result<String> {
        let id = match self.rows.cell(0) {
            Cell::Text(text) => text.to_owned(),
            other => other.as_text().into_owned(),
        };
        if id.is_empty() {
            return Err(self.rows.place(&self.people.id).malformed("an empty cell", "an id"));
        }
        Ok(id)
    }

    #[inline]
    fn read_features(&self, row: &mut [f32]) -> Result<()> {
        let encoder = &self.people.encoder;
        let encoded = encoder.encode_into(|feature| self.rows.cell(feature + 1), row);
        encoded.map_err(|(at, unfit)| {
            let name = encoder.inputs().nth(at).unwrap_or_default();
            self.rows.place(name).malformed(unfit.found, unfit.expected)
        })
    }

    fn read_label(
        &self,
        classes: &Classes,
        singles: &mut Vec<Option<u32>>,
        lists: &mut Vec<Vec<u32>>,
    ) -> Result<()> {
        let cell = self.rows.cell(self.label);
        let read = match &classes.separator {
            Some(separator) if classes.is_multi_label() => {
                classes.several(cell, separator).map(|list| lists.push(list))
            }
            _ => classes.one(cell).map(|class| singles.push(class)),
        };
        read.map_err(|unfit| {
            self.rows.place(&classes.column).malformed(unfit.found, unfit.expected)
        })
    }
}

impl Iterator for Batches<'_> {
    type Item = Result<Batch>;

    /// The next people; nothing after an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let batch = self.read().transpose();
        self.ended = !matches!(batch, Some(Ok(_)));
        batch
    }
}

#[cfg(test)]
mod tests;
