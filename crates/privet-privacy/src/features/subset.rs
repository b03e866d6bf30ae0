//! Which columns a user reports: `k` of `d` without replacement, in time and memory of `k`.
//!
//! Floyd's algorithm: for `j = d-k, ..., d-1` draw `t` uniformly from `0..=j` and take `t`, or `j`
//! if `t` was taken before. Every subset of size k comes out with probability exactly `1 / (d over k)`
//! (induction over k), with k draws and no rejection, whatever d is. The choice reads no data.

use std::collections::BTreeSet;

use crate::fault::{self, Fault};
use crate::noise::RandomWords;

/// Up to so many words of bits (1024 columns), a bit for every column is fastest.
const BITS: usize = 16;

/// Up to so many choices, inserting into a sorted array beats a tree.
const FEW: u32 = 256;

/// What `each` makes of the columns of a uniform subset of size `count` of `0..columns`, in ascending
/// order. The whole subset is drawn first. `count` is at most `columns`.
pub(crate) fn map_subset<W: RandomWords + ?Sized, T>(
    columns: u32,
    count: u32,
    words: &mut W,
    mut each: impl FnMut(u32, &mut W) -> T,
) -> Vec<T> {
    if count >= columns {
        return (0..columns).map(|column| each(column, words)).collect();
    }
    // Half a word each is plenty: what is drawn here is published.
    let span = |last: u32| last + u32::from(!fault::on(Fault::LastColumnRarely));
    // Floyd's algorithm (Bentley and Floyd 1987): draw from 0..=last; if taken, take `last` itself. Every subset of
    // this size is equally likely, with one draw per element.
    let draws = (columns - count..columns).map(|last| (words.below_u32(span(last)), last));
    // Three ways to remember what is taken: bits for few columns, a sorted list for few draws, a tree for many of both.
    let length = columns.div_ceil(64) as usize;
    if length <= BITS {
        let bits = by_bits(draws);
        let mut results = Vec::with_capacity(count as usize);
        for (at, &word) in bits[..length].iter().enumerate() {
            let mut word = word;
            while word != 0 {
                results.push(each(at as u32 * 64 + word.trailing_zeros(), words));
                word &= word - 1;
            }
        }
        return results;
    }
    let chosen = if count <= FEW { by_insertion(draws) } else { by_tree(draws) };
    chosen.into_iter().map(|column| each(column, words)).collect()
}

/// The chosen columns in a tree.
fn by_tree(draws: impl Iterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut chosen = BTreeSet::new();
    for (drawn, last) in draws {
        if !chosen.insert(drawn) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

/// The chosen columns in a sorted array.
fn by_insertion(draws: impl ExactSizeIterator<Item = (u32, u32)>) -> Vec<u32> {
    let mut chosen = Vec::with_capacity(draws.len());
    for (drawn, last) in draws {
        match chosen.binary_search(&drawn) {
            Err(place) => chosen.insert(place, drawn),
            Ok(_) => chosen.push(last), // all chosen so far are below `last`
        }
    }
    chosen
}

/// The chosen columns as bits.
fn by_bits(draws: impl Iterator<Item = (u32, u32)>) -> [u64; BITS] {
    let mut bits = [0u64; BITS];
    for (drawn, last) in draws {
        let taken = bits[drawn as usize / 64] >> (drawn % 64) & 1 == 1;
        let column = if taken { last } else { drawn };
        bits[column as usize / 64] |= 1 << (column % 64);
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{assert_fits, enumerate, rational};

    fn subset<W: RandomWords + ?Sized>(columns: u32, count: u32, words: &mut W) -> Vec<u32> {
        map_subset(columns, count, words, |column, _| column)
    }

    /// Every subset, by walking through all draws: each has the same exact probability.
    #[test]
    fn every_subset_is_equally_likely() {
        for (columns, count, subsets) in [(4u32, 2u32, 6u128), (5, 3, 10), (6, 1, 6), (3, 3, 1)] {
            let (law, lost) = enumerate(40, |words| subset(columns, count, words));
            assert_eq!(law.len() as u128, subsets);
            assert!(law.values().all(|p| *p == rational(1, subsets)));
            assert_eq!(lost, rational(0, 1));
        }
    }

    #[test]
    fn every_column_is_sampled_equally_often() {
        let mut noise = NoiseRng::replay(61).next_release().into_stream();
        for (columns, count, repeats) in
            [(50u32, 7u32, 40_000), (600, 300, 2_000), (3000, 2, 100_000), (20_000, 300, 1_000)]
        {
            let mut counts = vec![0u64; columns as usize];
            for _ in 0..repeats {
                let chosen = subset(columns, count, &mut noise);
                assert_eq!(chosen.len(), count as usize);
                assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
                chosen.iter().for_each(|&column| counts[column as usize] += 1);
            }
            assert_fits(&counts, &vec![1.0 / f64::from(columns); columns as usize]);
        }
    }

    /// Bits stand in words of 64: a column at either side of the end of one is not lost.
    #[test]
    fn subsets_reach_over_the_ends_of_words() {
        let mut noise = NoiseRng::replay(63).next_release().into_stream();
        for columns in [63u32, 64, 65, 66, 129, 1024, 1025] {
            let all_but_one = subset(columns, columns - 1, &mut noise);
            assert_eq!(all_but_one.len() as u32, columns - 1, "{columns}");
            assert!(all_but_one.iter().all(|&column| column < columns));
        }
    }

    /// k words, whatever d: nothing is done per column.
    #[test]
    fn the_cost_does_not_depend_on_the_columns() {
        struct Counted(crate::noise::NoiseStream, usize);
        impl RandomWords for Counted {
            fn next_u64(&mut self) -> u64 {
                self.1 += 1;
                self.0.next_u64()
            }
            fn next_u32(&mut self) -> u32 {
                self.1 += 1;
                self.0.next_u32()
            }
        }
        for columns in [100u32, 100_000, u32::MAX] {
            let stream = NoiseRng::replay(62).next_release().into_stream();
            let mut words = Counted(stream, 0);
            assert_eq!(subset(columns, 20, &mut words).len(), 20);
            assert_eq!(words.1, 20);
        }
    }
}
