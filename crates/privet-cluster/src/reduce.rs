//! What all processes agree on: the same number in every process.

use std::collections::BTreeMap;

use crate::engine::Exchange;
use crate::{Error, Result};

impl Exchange {
    /// The largest number that any process has.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn largest(&mut self, own: f64) -> Result<f64> {
        Ok(self.numbers(own)?.into_iter().fold(own, f64::max))
    }

    /// The smallest number that any process has.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn smallest(&mut self, own: f64) -> Result<f64> {
        Ok(self.numbers(own)?.into_iter().fold(own, f64::min))
    }

    /// The sum, added in the order of the processes.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn sum(&mut self, own: f64) -> Result<f64> {
        Ok(self.numbers(own)?.into_iter().sum())
    }

    /// The numbers of all processes, one process after the other.
    ///
    /// # Errors
    /// If a message is not what it should be.
    pub fn gather_numbers(&mut self, own: &[f64]) -> Result<Vec<f64>> {
        let mut all = Vec::new();
        for (from, bytes) in self.all_hear(bytemuck::cast_slice(own))?.into_iter().enumerate() {
            let (eights, rest) = bytes.as_chunks::<8>();
            if !rest.is_empty() {
                return Err(Error::message(from, "numbers of 8 bytes, and a part of one"));
            }
            all.extend(eights.iter().map(|eight| f64::from_le_bytes(*eight)));
        }
        Ok(all)
    }

    fn numbers(&mut self, own: f64) -> Result<Vec<f64>> {
        let all = self.gather_numbers(&[own])?;
        if all.len() != self.count() {
            return Err(Error::message(0, "one number from every process was expected"));
        }
        Ok(all)
    }
}

// Sums over blocks of nodes in a fixed binary tree, so that their bytes do not depend on who adds what.
//
// Leaf i is the sum of block i. Two neighbours are added once both are there, and so on upwards; at the right edge
// one that has no neighbour moves up alone. A process that holds consecutive blocks adds what can be added and
// passes on
// what is left: a few sums for each, whatever the number of blocks.

/// Sums of the blocks that are there so far.
#[derive(Debug, Clone, Default)]
pub struct TreeSum {
    blocks: usize,
    /// By height and place, highest first to be added to.
    parts: BTreeMap<(u32, usize), Vec<f32>>,
}

impl TreeSum {
    /// A sum over so many blocks, none of which is there.
    pub fn new(blocks: usize) -> Self {
        Self { blocks, parts: BTreeMap::new() }
    }

    /// Adds a sum of the tree: a block's (height 0), or one that another process has put together.
    ///
    /// # Panics
    /// If sums have different lengths.
    pub fn add(&mut self, mut height: u32, mut place: usize, mut sum: Vec<f32>) {
        loop {
            let width = 1usize << height;
            // At this height one sum covers all blocks.
            let is_root = width >= self.blocks;
            // Left and right neighbour differ in the last bit of their place.
            let neighbour = place ^ 1;
            if is_root {
                break;
            }
            if neighbour > place && neighbour * width >= self.blocks {
                // Nothing will ever stand there.
            } else if let Some(other) = self.parts.remove(&(height, neighbour)) {
                // Float addition is commutative in its bits only for two terms: left is always the smaller
                // block.
                let (left, right) = if place < neighbour { (sum, other) } else { (other, sum) };
                assert_eq!(left.len(), right.len(), "lengths of sums");
                sum = left.into_iter().zip(right).map(|(a, b)| a + b).collect();
            } else {
                break;
            }
            (height, place) = (height + 1, place / 2);
        }
        self.parts.insert((height, place), sum);
    }

    /// What is left to be added to the sums of others.
    pub fn parts(&self) -> impl Iterator<Item = (u32, usize, &[f32])> {
        self.parts.iter().map(|(&(height, place), sum)| (height, place, &sum[..]))
    }

    /// The whole sum, if every block is there.
    pub fn whole(mut self) -> Option<Vec<f32>> {
        let ((height, _), sum) = self.parts.pop_first()?;
        (self.parts.is_empty() && 1usize << height >= self.blocks).then_some(sum)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn leaf(block: usize) -> Vec<f32> {
        vec![1.0 / (block + 3) as f32, (block as f32).sin()]
    }

    proptest! {
        #[test]
        fn cuts_and_orders_change_nothing(
            blocks in 1usize..70, cuts in prop::collection::vec(0usize..70, 0..4),
        ) {
            let mut alone = TreeSum::new(blocks);
            (0..blocks).for_each(|block| alone.add(0, block, leaf(block)));
            let whole = alone.whole().unwrap();
            let mut ends: Vec<usize> = cuts.into_iter().map(|cut| cut.min(blocks)).collect();
            ends.extend([0, blocks]);
            ends.sort_unstable();
            let mut all = TreeSum::new(blocks);
            for pair in ends.windows(2).rev() {
                let mut part = TreeSum::new(blocks);
                (pair[0]..pair[1]).rev().for_each(|block| part.add(0, block, leaf(block)));
                part.parts().for_each(|(height, place, sum)| all.add(height, place, sum.to_vec()));
            }
            prop_assert_eq!(all.whole(), Some(whole.clone()));
            let expected: f64 = (0..blocks).map(|block| f64::from(leaf(block)[0])).sum();
            prop_assert!((f64::from(whole[0]) - expected).abs() < 1e-5);
        }
    }

    #[test]
    fn a_sum_with_a_gap_is_no_sum() {
        let mut sum = TreeSum::new(3);
        assert_eq!(sum.clone().whole(), None);
        sum.add(0, 0, leaf(0));
        sum.add(0, 2, leaf(2));
        assert_eq!(sum.clone().whole(), None);
        sum.add(0, 1, leaf(1));
        assert!(sum.whole().is_some());
    }
}
