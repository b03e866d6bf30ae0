//! [`Split`]: which items train, which validate, which test. Seeded, so that a split can be named.

use rand::seq::SliceRandom;

use crate::{Error, Labels, NodeId, Result, SimRng};

/// Disjoint sets of items (nodes or graphs), each ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Items to fit parameters on.
    pub train: Vec<NodeId>,
    /// Items to choose settings on.
    pub validation: Vec<NodeId>,
    /// Items to report on, once.
    pub test: Vec<NodeId>,
}

/// The shares of a [`Split`]; what they leave of 1 stays unused.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SplitShares {
    /// Share to train on.
    pub train: f64,
    /// Share to validate on.
    pub validation: f64,
    /// Share to test on.
    pub test: f64,
}

impl SplitShares {
    /// The usual node-classification split: 50 / 25 / 25.
    pub const HALF_QUARTER_QUARTER: Self = Self { train: 0.5, validation: 0.25, test: 0.25 };

    fn check(self) -> Result<()> {
        let shares = [self.train, self.validation, self.test];
        if shares.iter().all(|s| (0.0..=1.0).contains(s))
            && shares.iter().sum::<f64>() <= 1.0 + 1e-9
        {
            return Ok(());
        }
        Err(Error::invalid(
            "split shares",
            format!("{shares:?}"),
            "each in [0, 1], at most 1 in all",
        ))
    }
}

impl Split {
    /// A uniformly random split of `items`.
    ///
    /// ```
    /// use privet_graph::{Split, SplitShares};
    /// let split = Split::random(0..100, SplitShares::HALF_QUARTER_QUARTER, 7)?;
    /// assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (50, 25, 25));
    /// # Ok::<(), privet_graph::Error>(())
    /// ```
    pub fn random(
        items: impl IntoIterator<Item = NodeId>,
        shares: SplitShares,
        seed: u64,
    ) -> Result<Self> {
        shares.check()?;
        let mut items: Vec<NodeId> = items.into_iter().collect();
        items.shuffle(&mut SimRng::new(seed));
        Ok(Self::cut(&[items], shares))
    }

    /// A random split of the labelled items in which every class has the same shares.
    pub fn stratified(labels: &Labels, shares: SplitShares, seed: u64) -> Result<Self> {
        shares.check()?;
        Ok(Self::cut(&shuffled_classes(labels, seed)?, shares))
    }

    /// `count` splits by cross-validation: fold `i` tests, the others train, nothing validates.
    /// Each class is spread evenly over the folds.
    pub fn folds(labels: &Labels, count: usize, seed: u64) -> Result<Vec<Self>> {
        if count < 2 || count > labels.len() {
            return Err(Error::invalid("folds", count, format!("2 to {}", labels.len())));
        }
        let order: Vec<NodeId> = shuffled_classes(labels, seed)?.concat();
        let fold = |test_fold: usize| {
            let pick = |in_test: bool| {
                // Dealing the class-sorted order out in turn gives each fold its share of every class.
                let of_fold = |&(at, _): &(usize, &NodeId)| (at % count == test_fold) == in_test;
                sorted(order.iter().enumerate().filter(of_fold).map(|(_, &item)| item).collect())
            };
            Self { train: pick(false), validation: Vec::new(), test: pick(true) }
        };
        Ok((0..count).map(fold).collect())
    }

    fn cut(groups: &[Vec<NodeId>], shares: SplitShares) -> Self {
        let (mut train, mut validation, mut test) = (Vec::new(), Vec::new(), Vec::new());
        for group in groups {
            // Rounding the cumulative shares, not each share, uses every item of a full split.
            let cut = |share: f64| ((group.len() as f64 * share).round() as usize).min(group.len());
            let (a, b) = (cut(shares.train), cut(shares.train + shares.validation));
            let c = cut(shares.train + shares.validation + shares.test);
            train.extend_from_slice(&group[..a]);
            validation.extend_from_slice(&group[a..b]);
            test.extend_from_slice(&group[b..c]);
        }
        Self { train: sorted(train), validation: sorted(validation), test: sorted(test) }
    }

    /// The items of each set that have a class.
    #[must_use]
    pub fn of_labelled(&self, labels: &Labels) -> Self {
        let kept = |items: &[NodeId]| {
            items.iter().copied().filter(|&item| labels.class(item).is_some()).collect()
        };
        Self {
            train: kept(&self.train),
            validation: kept(&self.validation),
            test: kept(&self.test),
        }
    }

    /// The same where a fifth of the training items, drawn by `seed`, validate if none were named for that: training has
    /// to know when to stop.
    ///
    /// # Errors
    /// Never in practice: the shares are fixed.
    pub fn with_validation(self, seed: u64) -> Result<Self> {
        if !self.validation.is_empty() {
            return Ok(self);
        }
        let shares = SplitShares { train: 0.8, validation: 0.2, test: 0.0 };
        Ok(Self { test: self.test, ..Self::random(self.train, shares, seed)? })
    }

    /// Checks that the sets are disjoint and below `item_count`.
    pub fn check(&self, item_count: usize) -> Result<()> {
        let mut seen = vec![false; item_count];
        for &item in self.train.iter().chain(&self.validation).chain(&self.test) {
            match seen.get_mut(item as usize) {
                Some(slot @ false) => *slot = true,
                Some(_) => {
                    return Err(Error::invalid_data("split", format!("item {item} twice"), "once"));
                }
                None => {
                    let expected = format!("below {item_count}");
                    return Err(Error::invalid_data("split", format!("item {item}"), expected));
                }
            }
        }
        Ok(())
    }
}

fn sorted(mut items: Vec<NodeId>) -> Vec<NodeId> {
    items.sort_unstable();
    items
}

/// The labelled items of each class, shuffled.
fn shuffled_classes(labels: &Labels, seed: u64) -> Result<Vec<Vec<NodeId>>> {
    if labels.is_multi() {
        let found = "labels with several classes per item";
        return Err(Error::invalid("stratified split", found, "one class per item"));
    }
    let mut classes = vec![Vec::new(); labels.class_count()];
    for item in 0..labels.len() as NodeId {
        if let Some(class) = labels.class(item) {
            classes[class as usize].push(item);
        }
    }
    let mut rng = SimRng::new(seed);
    classes.iter_mut().for_each(|class| class.shuffle(&mut rng));
    Ok(classes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a8_a_stated_split_keeps_labelled_items_and_always_validates() {
        let names: Vec<String> = vec!["a".into(), "b".into()];
        let classes = (0..20).map(|at| (at % 4 != 3).then_some(at % 2)).collect();
        let labels = Labels::single(classes, names).unwrap();
        let stated =
            Split { train: (0..12).collect(), validation: vec![], test: (12..20).collect() };
        let split = stated.of_labelled(&labels);
        assert_eq!((split.train.len(), split.test.len()), (9, 6));
        let split = split.with_validation(1).unwrap();
        assert_eq!((split.train.len(), split.validation.len(), split.test.len()), (7, 2, 6));
        split.check(20).unwrap();
        assert_eq!(
            split.clone().with_validation(2).unwrap(),
            split,
            "a stated validation set is kept"
        );
    }

    fn labels() -> Labels {
        let raw: Vec<_> = (0..100).map(|i| (i != 3).then_some(i64::from(i % 10 == 0))).collect();
        Labels::from_integers(&raw).unwrap()
    }

    #[test]
    fn random_splits_partition_and_repeat() {
        let shares = SplitShares { train: 0.85, validation: 0.05, test: 0.10 };
        let split = Split::random(0..103, shares, 1).unwrap();
        split.check(103).unwrap();
        assert_eq!(split.train.len() + split.validation.len() + split.test.len(), 103);
        assert_eq!(split, Split::random(0..103, shares, 1).unwrap());
        assert_ne!(split, Split::random(0..103, shares, 2).unwrap());
    }

    #[test]
    fn stratified_splits_keep_class_shares_and_skip_unlabelled_items() {
        let labels = labels();
        let split = Split::stratified(&labels, SplitShares::HALF_QUARTER_QUARTER, 0).unwrap();
        split.check(100).unwrap();
        let rare = split.train.iter().filter(|&&i| labels.class(i) == Some(1)).count();
        assert_eq!(rare, 5);
        assert!(!split.train.iter().chain(&split.validation).chain(&split.test).any(|&i| i == 3));
    }

    #[test]
    fn folds_test_every_labelled_item_once() {
        let folds = Split::folds(&labels(), 10, 5).unwrap();
        let tested = sorted(folds.iter().flat_map(|f| f.test.clone()).collect());
        assert_eq!(tested, (0..100).filter(|&i| i != 3).collect::<Vec<_>>());
        folds.iter().for_each(|fold| fold.check(100).unwrap());
        assert!(Split::folds(&labels(), 1, 5).is_err());
    }

    #[test]
    fn shares_beyond_one_are_refused() {
        let shares = SplitShares { train: 0.9, validation: 0.2, test: 0.0 };
        assert!(Split::random(0..10, shares, 0).is_err());
        assert!(Split { train: vec![1], validation: vec![1], test: vec![] }.check(2).is_err());
        assert!(Split { train: vec![2], validation: vec![], test: vec![] }.check(2).is_err());
    }
}
