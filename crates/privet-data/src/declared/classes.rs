//! [`DeclaredClasses`]: the declared classes, and what a cell of the label column says of them.

use rustc_hash::FxHashMap;

use super::cell::TableCell;
use super::check::{Mistake, check_values};
use super::feature::{UnfitCell, one_of};
use super::schema::PeopleTable;
use crate::FoundValue;

/// The label column and the classes it may name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct DeclaredClasses {
    pub column: String,
    pub names: Vec<String>,
    /// What stands between several classes of one person.
    pub separator: Option<String>,
    pub no_label: Vec<String>,
    /// The one class that matters, and what it is called not to have it.
    pub whether: Option<(u32, [String; 2])>,
    numbers: FxHashMap<Box<str>, u32>,
}

impl DeclaredClasses {
    /// The classes that a table of people declares; `None` if it has no labels.
    pub fn new(people: &PeopleTable) -> Result<Option<Self>, Mistake> {
        let key = |key: &str| format!("people.{key}");
        let Some(column) = people.label.clone() else {
            // Declarations about labels make no sense without a column of labels.
            for (name, given) in [
                ("classes", people.classes.is_some()),
                ("separator", people.separator.is_some()),
                ("whether", people.whether.is_some()),
            ] {
                if given {
                    let expected = "people.label beside it, the column that holds the labels";
                    return Err(Mistake::new(key(name), "no people.label", expected));
                }
            }
            return Ok(None);
        };
        let names = people.classes.clone().ok_or_else(|| {
            Mistake::absent(key("classes"), "the classes there are, known without the records")
        })?;
        check_values(&key("classes"), &names, 2)?;
        if let Some(name) = names.iter().find(|name| people.no_label.contains(name)) {
            let expected = "no class that people.no_label has, too";
            return Err(Mistake::new(key("classes"), format!("'{name}'"), expected));
        }
        let separator = people.separator.clone();
        if let Some(separator) = &separator {
            if separator.is_empty() {
                let expected = "what stands between the labels of one person, such as \";\"";
                return Err(Mistake::new(key("separator"), "an empty text", expected));
            }
            // A class with the separator in its name could never be read back.
            if let Some(name) = names.iter().find(|name| name.contains(&**separator)) {
                let found = format!("'{name}', which holds the separator '{separator}'");
                return Err(Mistake::new(key("classes"), found, "classes without it"));
            }
        }
        let numbers: FxHashMap<Box<str>, u32> =
            names.iter().zip(0..).map(|(name, at)| (name.as_str().into(), at)).collect();
        let whether = match &people.whether {
            None => None,
            Some(name) => {
                let class = numbers.get(&**name).copied();
                let unknown = || Mistake::new(key("whether"), format!("'{name}'"), one_of(&names));
                Some((class.ok_or_else(unknown)?, [format!("not {name}"), name.clone()]))
            }
        };
        let no_label = people.no_label.clone();
        Ok(Some(Self { column, names, separator, no_label, whether, numbers }))
    }

    /// The classes that people are of in the end.
    pub fn learned(&self) -> &[String] {
        match &self.whether {
            Some((_, names)) => names,
            None => &self.names,
        }
    }

    /// Whether a person may have several of them.
    pub fn is_multi_label(&self) -> bool {
        self.separator.is_some() && self.whether.is_none()
    }

    /// The one class of a person: the one that a cell names, or whether it names the one that matters. An empty
    /// cell that does not say that there is no label says that there are none of the others either.
    pub fn one(&self, cell: TableCell<'_>) -> Result<Option<u32>, Box<UnfitCell>> {
        let Some((wanted, _)) = &self.whether else { return self.single(cell) };
        if cell.is_among(&self.no_label) {
            return Ok(None);
        }
        let has = match &self.separator {
            None => self.single(cell)? == Some(*wanted),
            // With a separator an empty cell is an answer: none of the classes.
            Some(_) if cell.as_text().is_empty() => false,
            Some(separator) => self.several(cell, separator)?.contains(wanted),
        };
        Ok(Some(u32::from(has)))
    }

    /// The class that a cell names; `None` for a person without a label.
    #[inline]
    pub fn single(&self, cell: TableCell<'_>) -> Result<Option<u32>, Box<UnfitCell>> {
        // A class that is named like a marker of absence was refused above, so the order does not
        // matter.
        match self.numbers.get(&*cell.as_text()) {
            Some(&class) => Ok(Some(class)),
            None if cell.is_among(&self.no_label) => Ok(None),
            None => Err(self.unfit(cell)),
        }
    }

    /// The classes that a cell names, between separators; none for a person without a label.
    pub fn several(
        &self,
        cell: TableCell<'_>,
        separator: &str,
    ) -> Result<Vec<u32>, Box<UnfitCell>> {
        if cell.is_among(&self.no_label) {
            return Ok(Vec::new());
        }
        let text = cell.as_text();
        let names = text.split(separator).map(str::trim).filter(|name| !name.is_empty());
        let number = |name| self.numbers.get(name).copied().ok_or_else(|| self.unfit(cell));
        let mut classes = names.map(number).collect::<Result<Vec<_>, _>>()?;
        // Only separators and blanks: neither labels nor a declared absence.
        if classes.is_empty() {
            return Err(self.unfit(cell));
        }
        classes.sort_unstable();
        classes.dedup();
        Ok(classes)
    }

    #[cold]
    fn unfit(&self, cell: TableCell<'_>) -> Box<UnfitCell> {
        let expected = format!("{}, or a cell that people.no_label declares", one_of(&self.names));
        Box::new(UnfitCell { found: FoundValue::from(cell.quoted()), expected })
    }
}
