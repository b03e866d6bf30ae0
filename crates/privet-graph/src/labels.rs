//! [`Labels`]: the class or classes of each node (or graph), with the names people know them by.

use crate::{Error, FactOrigin, NodeId, Result};

/// Marks a node without a label in the compact array.
const UNLABELLED: u32 = u32::MAX;

/// One class per node (or none), or any number of classes per node.
///
/// ```
/// use privet_graph::Labels;
/// let labels = Labels::single(vec![Some(1), None, Some(0)], vec!["cat".into(), "dog".into()])?;
/// assert_eq!(labels.class(0), Some(1));
/// assert_eq!(labels.class(1), None);
/// assert_eq!(labels.class_sizes(), [1, 1]);
/// # Ok::<(), privet_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    class_names: Vec<String>,
    classes_origin: FactOrigin,
    assignment: Assignment,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Assignment {
    Single(Vec<u32>),
    Multi(Vec<Vec<u32>>),
}

impl Labels {
    /// At most one class per item.
    ///
    /// # Errors
    /// If a class has no name in `class_names`.
    pub fn single(classes: Vec<Option<u32>>, class_names: Vec<String>) -> Result<Self> {
        for &class in classes.iter().flatten() {
            check(class, &class_names)?;
        }
        let classes = classes.into_iter().map(|class| class.unwrap_or(UNLABELLED)).collect();
        Ok(Self::new(class_names, Assignment::Single(classes)))
    }

    /// Any number of classes per item; each list is sorted and freed of repeats.
    ///
    /// # Errors
    /// If a class has no name in `class_names`.
    pub fn multi(mut classes: Vec<Vec<u32>>, class_names: Vec<String>) -> Result<Self> {
        for list in &mut classes {
            list.sort_unstable();
            list.dedup();
            for &class in list.iter() {
                check(class, &class_names)?;
            }
        }
        Ok(Self::new(class_names, Assignment::Multi(classes)))
    }

    fn new(class_names: Vec<String>, assignment: Assignment) -> Self {
        Self { class_names, classes_origin: FactOrigin::Stated, assignment }
    }

    /// Single labels from raw integers, which need not be `0..k`: the distinct values, ascending,
    /// become the classes, named by their numbers. Which there are is read off them.
    pub fn from_integers(raw: &[Option<i64>]) -> Result<Self> {
        let mut distinct: Vec<i64> = raw.iter().flatten().copied().collect();
        distinct.sort_unstable();
        distinct.dedup();
        let class = |value: i64| distinct.partition_point(|&v| v < value) as u32;
        let classes = raw.iter().map(|value| value.map(class)).collect();
        let labels = Self::single(classes, distinct.iter().map(i64::to_string).collect())?;
        Ok(labels.with_classes_origin(FactOrigin::ReadOff))
    }

    /// Single labels from class names, numbered in ascending order of name; an empty name means
    /// no label. Names that are all integers are ordered as integers. Which classes there are is read off
    /// them.
    pub fn from_names<S: AsRef<str>>(raw: &[S]) -> Result<Self> {
        let parsed: Option<Vec<Option<i64>>> = raw
            .iter()
            .map(|name| match name.as_ref() {
                "" => Some(None),
                // Only numbers in their plainest form, so that printing them gives the name back.
                name => name.parse().ok().filter(|n: &i64| n.to_string() == name).map(Some),
            })
            .collect();
        if let Some(integers) = parsed {
            return Self::from_integers(&integers);
        }
        let mut distinct: Vec<&str> =
            raw.iter().map(AsRef::as_ref).filter(|s| !s.is_empty()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        let class = |name: &str| distinct.binary_search(&name).ok().map(|at| at as u32);
        let classes = raw.iter().map(|name| class(name.as_ref())).collect();
        let names = distinct.iter().map(|name| (*name).to_owned()).collect();
        Ok(Self::single(classes, names)?.with_classes_origin(FactOrigin::ReadOff))
    }

    /// How many items have a row here, labelled or not.
    pub fn len(&self) -> usize {
        match &self.assignment {
            Assignment::Single(classes) => classes.len(),
            Assignment::Multi(classes) => classes.len(),
        }
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many classes there are.
    pub fn class_count(&self) -> usize {
        self.class_names.len()
    }

    /// The names of the classes, by number.
    pub fn class_names(&self) -> &[String] {
        &self.class_names
    }

    /// Who says which classes there are.
    pub fn classes_origin(&self) -> FactOrigin {
        self.classes_origin
    }

    /// The same labels, the list of classes being of another origin.
    #[must_use]
    pub fn with_classes_origin(mut self, origin: FactOrigin) -> Self {
        self.classes_origin = origin;
        self
    }

    /// Whether an item may have several classes.
    pub fn is_multi(&self) -> bool {
        matches!(self.assignment, Assignment::Multi(_))
    }

    /// The classes of `item`: none or one if single-label.
    ///
    /// # Panics
    /// If `item` is out of range.
    pub fn classes(&self, item: NodeId) -> &[u32] {
        match &self.assignment {
            Assignment::Single(classes) => match &classes[item as usize] {
                &UNLABELLED => &[],
                class => std::slice::from_ref(class),
            },
            Assignment::Multi(classes) => &classes[item as usize],
        }
    }

    /// The class of `item`, if it has exactly one.
    ///
    /// # Panics
    /// If `item` is out of range.
    pub fn class(&self, item: NodeId) -> Option<u32> {
        match self.classes(item) {
            &[class] => Some(class),
            _ => None,
        }
    }

    /// How many items each class has.
    pub fn class_sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.class_count()];
        for item in 0..self.len() as NodeId {
            self.classes(item).iter().for_each(|&class| sizes[class as usize] += 1);
        }
        sizes
    }

    /// How many items have no class at all.
    pub fn unlabelled_count(&self) -> usize {
        (0..self.len() as NodeId).filter(|&item| self.classes(item).is_empty()).count()
    }

    /// The labels of some items, in the order given; the classes keep their numbers.
    ///
    /// # Panics
    /// If an item is out of range.
    pub fn select(&self, items: &[NodeId]) -> Self {
        let assignment = match &self.assignment {
            Assignment::Single(c) => {
                Assignment::Single(items.iter().map(|&i| c[i as usize]).collect())
            }
            Assignment::Multi(c) => {
                Assignment::Multi(items.iter().map(|&i| c[i as usize].clone()).collect())
            }
        };
        Self {
            class_names: self.class_names.clone(),
            classes_origin: self.classes_origin,
            assignment,
        }
    }
}

fn check(class: u32, names: &[String]) -> Result<()> {
    if (class as usize) < names.len() {
        return Ok(());
    }
    Err(Error::invalid_data(
        "class",
        class,
        format!("below {} (the number of class names)", names.len()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_need_not_be_contiguous() {
        let labels = Labels::from_integers(&[Some(2), Some(-1), None, Some(2)]).unwrap();
        assert_eq!(labels.class_names(), ["-1", "2"]);
        assert_eq!(labels.class_sizes(), [1, 2]);
        assert_eq!(labels.unlabelled_count(), 1);
    }

    #[test]
    fn names_sort_as_numbers_when_they_are_numbers() {
        assert_eq!(Labels::from_names(&["10", "9", ""]).unwrap().class_names(), ["9", "10"]);
        assert_eq!(Labels::from_names(&["b", "a", "10"]).unwrap().class_names(), ["10", "a", "b"]);
        assert_eq!(Labels::from_names(&["01", "1"]).unwrap().class_names(), ["01", "1"]);
    }

    #[test]
    fn multi_labels_are_sorted_sets() {
        let names = vec!["a".into(), "b".into(), "c".into()];
        let labels = Labels::multi(vec![vec![2, 0, 2], vec![]], names).unwrap();
        assert_eq!(labels.classes(0), [0, 2]);
        assert_eq!((labels.class(0), labels.class(1)), (None, None));
        assert_eq!(labels.select(&[1]).class_sizes(), [0, 0, 0]);
    }

    #[test]
    fn a_class_without_a_name_is_refused() {
        assert!(Labels::single(vec![Some(1)], vec!["only".into()]).is_err());
    }
}
