//! [`LabelCells`]: the label column of a table of nodes, on its way to [`Labels`].

use rustc_hash::FxHashMap;

use super::assemble::at;
use super::manifest::{LabelKind, LabelManifest};
use crate::{FactOrigin, Labels, Result, SourceLocation};

/// What the cells are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellUnit {
    Lines,
    #[cfg(feature = "tables")]
    Rows,
}

/// One cell per node: no class, one, or several, by name. Each name is stored once.
#[derive(Debug)]
pub(crate) struct LabelCells {
    kind: LabelKind,
    place: SourceLocation,
    counted: CellUnit,
    numbers: FxHashMap<Box<str>, u32>,
    /// The names by number, with the line or row where each was first seen.
    names: Vec<(Box<str>, u64)>,
    cells: Vec<u32>,
    ends: Vec<usize>,
}

impl LabelCells {
    pub fn new(kind: LabelKind, place: SourceLocation, counted: CellUnit) -> Self {
        let (numbers, names) = (FxHashMap::default(), Vec::new());
        Self { kind, place, counted, numbers, names, cells: Vec::new(), ends: Vec::new() }
    }

    pub fn kind(&self) -> LabelKind {
        self.kind
    }

    /// The next node's classes; an empty name is no class.
    pub fn push<'a>(&mut self, line: u64, classes: impl IntoIterator<Item = &'a str>) {
        for name in classes.into_iter().filter(|name| !name.is_empty()) {
            let number = match self.numbers.get(name) {
                Some(&number) => number,
                None => {
                    let number = self.names.len() as u32;
                    self.numbers.insert(name.into(), number);
                    self.names.push((name.into(), line));
                    number
                }
            };
            self.cells.push(number);
        }
        self.ends.push(self.cells.len());
    }

    /// The labels: classes as the manifest numbers them, or else in ascending order of name.
    pub fn finish(self, manifest: Option<&LabelManifest>) -> Result<Labels> {
        let (class_names, class_of, origin) = match manifest {
            Some(manifest) => {
                (manifest.classes.clone(), self.known_classes(manifest)?, FactOrigin::Stated)
            }
            None => {
                let (names, class_of) = self.sorted_classes()?;
                (names, class_of, FactOrigin::ReadOff)
            }
        };
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let lists = starts.zip(&self.ends).map(|(start, &end)| {
            self.cells[start..end].iter().map(|&number| class_of[number as usize])
        });
        let labels = match self.kind {
            LabelKind::Single => Labels::single(lists.map(|mut l| l.next()).collect(), class_names),
            LabelKind::Multi => Labels::multi(lists.map(Iterator::collect).collect(), class_names),
        };
        Ok(labels.map_err(at(&self.place))?.with_classes_origin(origin))
    }

    fn known_classes(&self, manifest: &LabelManifest) -> Result<Vec<u32>> {
        let meanings = manifest.meanings();
        let known = |(name, line): &(Box<str>, u64)| {
            let place = match self.counted {
                CellUnit::Lines => self.place.line(*line).field("label"),
                #[cfg(feature = "tables")]
                CellUnit::Rows => self.place.field(format!("label of row {line}")),
            };
            let unknown = || place.malformed(format!("'{name}'"), "a class of the manifest");
            meanings.get(&**name).copied().ok_or_else(unknown)
        };
        self.names.iter().map(known).collect()
    }

    fn sorted_classes(&self) -> Result<(Vec<String>, Vec<u32>)> {
        let names: Vec<&str> = self.names.iter().map(|(name, _)| &**name).collect();
        // The names are distinct, so "item" i of these labels has the class of name i.
        let sorted = match self.kind {
            LabelKind::Single => whole_numbers(&names, &self.place)?,
            LabelKind::Multi => None,
        };
        let sorted = match sorted {
            Some(numbers) => Labels::from_names(&numbers),
            None => Labels::from_names(&names),
        };
        let sorted = sorted.map_err(at(&self.place))?;
        let class_of = (0..names.len() as u32).filter_map(|item| sorted.class(item)).collect();
        Ok((sorted.class_names().to_vec(), class_of))
    }
}

// Labels that are numbers: `1.0` is the class 1, and a quantity is no class at all.
//
// A column of whole numbers with a gap comes out of many programs as `0.0, 1.0, nan`. A column of prices or ages is
// something else: nothing here predicts quantities, so it is refused with a word on what would be right.

/// More distinct numbers with fractions than this are a quantity, not classes.
const MOST_FRACTIONS: usize = 32;

/// The distinct names of classes as whole numbers, if all of them are some, written with a point or an exponent;
/// `None`: they are names, and stay as they are.
///
/// # Errors
/// If they are many numbers that are not whole.
pub(crate) fn whole_numbers(names: &[&str], place: &SourceLocation) -> Result<Option<Vec<String>>> {
    let numbers: Option<Vec<f64>> = names.iter().map(|name| number(name)).collect();
    let Some(numbers) = numbers.filter(|numbers| !numbers.is_empty()) else { return Ok(None) };
    if numbers.iter().all(|number| is_whole(*number)) {
        let plain = |name: &&str| name.parse::<i64>().is_ok();
        let text = |number: &f64| (*number as i64).to_string();
        return Ok((!names.iter().all(plain)).then(|| numbers.iter().map(text).collect()));
    }
    refuse_quantity(&numbers, place)?;
    Ok(None)
}

/// Refuses distinct numbers that are many, and not whole.
///
/// # Errors
/// If they are.
pub(crate) fn refuse_quantity(distinct: &[f64], place: &SourceLocation) -> Result<()> {
    if distinct.len() <= MOST_FRACTIONS || distinct.iter().all(|number| is_whole(*number)) {
        return Ok(());
    }
    Err(place.refused(
        "the labels are a quantity (many different numbers, not whole), and what is predicted here are classes; \
         cut its range into classes, by limits that you know without looking",
    ))
}

/// Whether a number is a class: whole, and small enough to be exact.
pub(crate) fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < 9e15
}

fn number(name: &str) -> Option<f64> {
    name.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_sort_by_name_and_gaps_stay() {
        let mut cells =
            LabelCells::new(LabelKind::Single, SourceLocation::file("nodes.csv"), CellUnit::Lines);
        for (line, name) in [(2, "10"), (3, ""), (4, "9"), (5, "10")] {
            cells.push(line, [name]);
        }
        let labels = cells.finish(None).unwrap();
        assert_eq!(labels.class_names(), ["9", "10"]);
        assert_eq!(labels.classes_origin(), FactOrigin::ReadOff);
        assert_eq!([0, 1, 2, 3].map(|n| labels.class(n)), [Some(1), None, Some(0), Some(1)]);
    }

    #[test]
    fn several_classes_a_node() {
        let mut cells =
            LabelCells::new(LabelKind::Multi, SourceLocation::file("nodes.csv"), CellUnit::Lines);
        cells.push(2, ["b", "a"]);
        cells.push(3, []);
        let labels = cells.finish(None).unwrap();
        assert_eq!((labels.classes(0), labels.classes(1)), (&[0, 1][..], &[][..]));
    }

    fn whole(names: &[&str]) -> Result<Option<Vec<String>>> {
        whole_numbers(names, &SourceLocation::file("x"))
    }

    #[test]
    fn whole_numbers_are_classes() {
        assert_eq!(whole(&["1.0", "10.0", "2"]).unwrap().unwrap(), ["1", "10", "2"]);
        assert_eq!(whole(&["1e1"]).unwrap().unwrap(), ["10"]);
        assert_eq!(whole(&["1", "2"]).unwrap(), None, "nothing to do");
        assert_eq!(whole(&["1.0", "b"]).unwrap(), None, "names");
        assert_eq!(whole(&["0.5", "1.5"]).unwrap(), None, "a few names that look like numbers");
        assert_eq!(whole(&[]).unwrap(), None);
    }

    #[test]
    fn a_quantity_is_refused() {
        let prices: Vec<String> = (0..40).map(|at| format!("{at}.5")).collect();
        let prices: Vec<&str> = prices.iter().map(String::as_str).collect();
        let message = whole(&prices).unwrap_err().to_string();
        assert!(message.contains("refused: the labels are a quantity"), "{message}");
    }
}
