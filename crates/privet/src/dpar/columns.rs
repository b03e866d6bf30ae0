//! Bounds on what one node has a part in: post-processing of released picks, so it is free.
//!
//! [`cap`] bounds in how many rows a node is read, which is what the proof of training needs; [`clip`] bounds the
//! sum of its weights, which is what the paper does, and which bounds nothing (a clipped gradient is not linear in
//! the weights).

use std::collections::HashMap;

use crate::privacy::appr::Picks;
use crate::privacy::fault::{self, Fault};

/// Rows of picks, each with its source.
pub type Rows = Vec<(u32, Picks)>;

/// Leaves every node in at most `most` rows other than its own: those with the largest scores, of equal ones
/// those of smaller sources.
pub fn cap(rows: &mut Rows, most: usize) {
    let mut readers: HashMap<u32, Vec<(f64, u32)>> = HashMap::new();
    for (source, picks) in rows.iter() {
        for &(node, score) in picks.iter().filter(|(node, _)| node != source) {
            readers.entry(node).or_default().push((score, *source));
        }
    }
    for list in readers.values_mut() {
        list.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        list.truncate(if fault::on(Fault::ReadersNotCapped) { usize::MAX } else { most });
    }
    for (source, picks) in rows.iter_mut() {
        picks.retain(|(node, _)| {
            node == source || readers[node].iter().any(|(_, reader)| reader == source)
        });
    }
}

/// Scales the weights of every node down until they sum to at most `tau`.
pub fn clip(rows: &mut Rows, tau: f64) {
    let mut sums: HashMap<u32, f64> = HashMap::new();
    for (node, weight) in rows.iter().flat_map(|(_, picks)| picks) {
        *sums.entry(*node).or_default() += weight.abs();
    }
    for (node, weight) in rows.iter_mut().flat_map(|(_, picks)| picks) {
        *weight /= (sums[node] / tau).max(1.0);
    }
}

/// The most rows that read from one node, its own among them.
pub fn most_shared(rows: &Rows) -> u32 {
    let mut readers: HashMap<u32, u32> = HashMap::new();
    for (source, picks) in rows {
        *readers.entry(*source).or_default() += 1;
        for (node, _) in picks.iter().filter(|(node, _)| node != source) {
            *readers.entry(*node).or_default() += 1;
        }
    }
    // A node that was no source has a row of its own too.
    let sources: std::collections::HashSet<u32> = rows.iter().map(|row| row.0).collect();
    let own = |node: &u32| u32::from(!sources.contains(node));
    readers.iter().map(|(node, rows)| rows + own(node)).max().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        vec![
            (0, vec![(0, 0.5), (9, 0.1)]),
            (1, vec![(9, 0.3), (2, 0.2)]),
            (2, vec![(9, 0.3), (0, 0.2)]),
            (9, vec![(9, 0.9)]),
        ]
    }

    #[test]
    fn the_largest_scores_stay_and_own_rows_do_not_count() {
        let mut capped = rows();
        assert_eq!(most_shared(&capped), 4);
        cap(&mut capped, 1);
        // Of the equal scores of rows 1 and 2 for node 9, row 1 has the smaller source.
        assert_eq!(
            capped,
            [
                (0, vec![(0, 0.5)]),
                (1, vec![(9, 0.3), (2, 0.2)]),
                (2, vec![(0, 0.2)]),
                (9, vec![(9, 0.9)])
            ]
        );
        assert_eq!(most_shared(&capped), 2);
        cap(&mut capped, 0);
        assert_eq!(most_shared(&capped), 1);
    }

    #[test]
    fn columns_sum_to_tau_at_most() {
        let mut clipped = rows();
        clip(&mut clipped, 0.5);
        let sum = |node| -> f64 {
            let all = clipped.iter().flat_map(|row| &row.1);
            all.filter(|entry| entry.0 == node).map(|entry| entry.1).sum()
        };
        assert!((sum(9) - 0.5).abs() < 1e-12 && (sum(2) - 0.2).abs() < 1e-12);
    }
}
