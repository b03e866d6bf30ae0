//! [`OrderedList`]: a linked list that knows which of two entries comes first.
//!
//! Every entry has a label, labels ascend along the list, and a block of entries that moves gets new
//! labels between its new neighbours. Where no labels are left in between, the whole list is labelled
//! anew: with 64-bit labels a place must be hit about forty times before that happens, so the cost per
//! move stays a constant.

/// A doubly linked list over entries `0..count` with comparable labels.
#[derive(Debug, Clone)]
pub(super) struct OrderedList {
    next: Vec<u32>,
    previous: Vec<u32>,
    label: Vec<u64>,
    first: u32,
}

impl OrderedList {
    /// The list of all entries in this order. Its first and last entries must never move.
    pub(super) fn new(sequence: &[u32]) -> Self {
        let count = sequence.len();
        let mut order = Self {
            next: vec![0; count],
            previous: vec![0; count],
            label: vec![0; count],
            first: sequence.first().copied().unwrap_or(0),
        };
        sequence.windows(2).for_each(|pair| order.link(pair[0], pair[1]));
        order.relabel();
        order
    }

    /// Where an entry stands, compared to others.
    #[inline]
    pub(super) fn label(&self, entry: u32) -> u64 {
        self.label[entry as usize]
    }

    /// The entry after this one.
    #[inline]
    pub(super) fn after(&self, entry: u32) -> u32 {
        self.next[entry as usize]
    }

    /// The entry before this one.
    #[inline]
    pub(super) fn before(&self, entry: u32) -> u32 {
        self.previous[entry as usize]
    }

    /// Takes the block from `first` to `last` out and puts it behind `anchor`, which is not in it.
    pub(super) fn move_behind(&mut self, anchor: u32, first: u32, last: u32) {
        if self.before(first) == anchor {
            return;
        }
        let (before, after) = (self.before(first), self.after(last));
        self.link(before, after);
        let end = self.after(anchor);
        self.link(anchor, first);
        self.link(last, end);
        self.label_between(anchor, end);
    }

    fn link(&mut self, first: u32, second: u32) {
        self.next[first as usize] = second;
        self.previous[second as usize] = first;
    }

    /// New labels for everything strictly between two entries.
    fn label_between(&mut self, start: u32, end: u32) {
        let mut count = 0;
        let mut entry = self.after(start);
        while entry != end {
            count += 1;
            entry = self.after(entry);
        }
        let (low, high) = (self.label(start), self.label(end));
        let step = (high - low) / (count + 1);
        // No labels are left in this gap: all are spread evenly again, which is rare enough to cost O(1) per move on
        // average (Dietz and Sleator 1987).
        if step == 0 {
            return self.relabel();
        }
        let (mut entry, mut label) = (self.after(start), low);
        while entry != end {
            label += step;
            self.label[entry as usize] = label;
            entry = self.after(entry);
        }
    }

    fn relabel(&mut self) {
        let step = u64::MAX / (self.label.len() as u64 + 1);
        let (mut entry, mut label) = (self.first, 0);
        for _ in 0..self.label.len() {
            self.label[entry as usize] = label;
            label += step;
            entry = self.after(entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edges::comparison::hrg::Unpaid;
    use crate::noise::RandomWords;

    fn entries(order: &OrderedList) -> Vec<u32> {
        let mut all = vec![order.first];
        (1..order.label.len()).for_each(|_| all.push(order.after(all[all.len() - 1])));
        all
    }

    /// Against a plain vector, with blocks of all lengths moved everywhere.
    #[test]
    fn moves_like_a_vector_and_labels_ascend() {
        let mut plain: Vec<u32> = (0..40).collect();
        let mut order = OrderedList::new(&plain);
        let mut rng = Unpaid::new(1, 0);
        for _ in 0..20_000 {
            let start = 1 + rng.below(37) as usize;
            let end = start + rng.below(38 - start as u64) as usize;
            let block: Vec<u32> = plain.drain(start..=end).collect();
            let at = rng.below(plain.len() as u64 - 1) as usize;
            order.move_behind(plain[at], block[0], block[block.len() - 1]);
            plain.splice(at + 1..at + 1, block);
            assert_eq!(entries(&order), plain);
            assert!(plain.windows(2).all(|p| order.label(p[0]) < order.label(p[1])));
        }
    }

    /// The same gap again and again: labels run out and are made anew.
    #[test]
    fn a_full_gap_is_opened_again() {
        let mut order = OrderedList::new(&(0..1000).collect::<Vec<_>>());
        for round in 0..1000 {
            let entry = 2 + round % 900;
            if entry != order.after(1) {
                order.move_behind(1, entry, entry);
            }
            assert!(order.label(1) < order.label(entry) && order.after(1) == entry);
        }
        let all = entries(&order);
        assert!(all.windows(2).all(|p| order.label(p[0]) < order.label(p[1])));
    }
}
