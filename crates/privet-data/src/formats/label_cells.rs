//! [`LabelCells`]: the label column of a table of nodes, on its way to [`Labels`].

use rustc_hash::FxHashMap;

use super::assemble::at;
use super::label_text::whole_numbers;
use super::manifest::{LabelKind, LabelManifest};
use crate::{FactOrigin, Labels, Result, SourceLocation};

/// What the cells are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counted {
    Lines,
    #[cfg(feature = "tables")]
    Rows,
}

/// One cell per node: no class, one, or several, by name. Each name is stored once.
#[derive(Debug)]
pub(crate) struct LabelCells {
    kind: LabelKind,
    place: SourceLocation,
    counted: Counted,
    numbers: FxHashMap<Box<str>, u32>,
    /// The names by number, with the line or row where each was first seen.
    names: Vec<(Box<str>, u64)>,
    cells: Vec<u32>,
    ends: Vec<usize>,
}

impl LabelCells {
    pub fn new(kind: LabelKind, place: SourceLocation, counted: Counted) -> Self {
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
                Counted::Lines => self.place.line(*line).field("label"),
                #[cfg(feature = "tables")]
                Counted::Rows => self.place.field(format!("label of row {line}")),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_sort_by_name_and_gaps_stay() {
        let mut cells =
            LabelCells::new(LabelKind::Single, SourceLocation::file("nodes.csv"), Counted::Lines);
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
            LabelCells::new(LabelKind::Multi, SourceLocation::file("nodes.csv"), Counted::Lines);
        cells.push(2, ["b", "a"]);
        cells.push(3, []);
        let labels = cells.finish(None).unwrap();
        assert_eq!((labels.classes(0), labels.classes(1)), (&[0, 1][..], &[][..]));
    }
}
