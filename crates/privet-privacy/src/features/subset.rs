//! Which columns a user reports: `k` of `d` without replacement, in time and memory of `k`.
//!
//! Floyd's algorithm: for `j = d-k, ..., d-1` draw `t` uniformly from `0..=j` and take `t`, or `j`
//! if `t` was taken before. Every subset of size k comes out with probability exactly `1 / (d over k)`
//! (induction over k), with k draws and no rejection, whatever d is. The choice reads no data.

use std::collections::BTreeSet;

use crate::noise::RandomWords;

/// Up to here, inserting into a sorted array beats a tree.
const SMALL: usize = 256;

/// A uniform subset of size `count` of `0..columns`, ascending. `count` is at most `columns`.
pub(crate) fn subset<W: RandomWords + ?Sized>(columns: u32, count: u32, words: &mut W) -> Vec<u32> {
    if count >= columns {
        return (0..columns).collect();
    }
    let draws = (columns - count..columns).map(|last| (words.below(u64::from(last) + 1), last));
    if count as usize <= SMALL {
        let mut chosen: Vec<u32> = Vec::with_capacity(count as usize);
        for (drawn, last) in draws {
            match chosen.binary_search(&(drawn as u32)) {
                Err(place) => chosen.insert(place, drawn as u32),
                // All chosen so far are below `last`.
                Ok(_) => chosen.push(last),
            }
        }
        return chosen;
    }
    let mut chosen = BTreeSet::new();
    for (drawn, last) in draws {
        if !chosen.insert(drawn as u32) {
            chosen.insert(last);
        }
    }
    chosen.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{assert_fits, enumerate, rational};

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
        for (columns, count, repeats) in [(50u32, 7u32, 40_000), (600, 300, 2_000)] {
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

    /// k words, whatever d: nothing is done per column.
    #[test]
    fn the_cost_does_not_depend_on_the_columns() {
        struct Counted(crate::noise::NoiseStream, usize);
        impl RandomWords for Counted {
            fn next_u64(&mut self) -> u64 {
                self.1 += 1;
                self.0.next_u64()
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
