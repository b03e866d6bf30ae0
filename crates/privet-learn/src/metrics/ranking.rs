//! Scores that should put positives first. Ties count half for either side.

/// The probability that a random positive scores above a random negative, ties counting half
/// (Mann-Whitney): `(R - P(P+1)/2) / (P N)` with R the sum of the positives' mid-ranks. `None` unless
/// there are both kinds; a score that is not a number ranks lowest.
///
/// ```
/// use privet_learn::metrics::roc_auc;
/// assert_eq!(roc_auc(&[0.9, 0.8, 0.8, 0.1], &[true, false, true, false]), Some(0.875));
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn roc_auc(scores: &[f32], positive: &[bool]) -> Option<f64> {
    let groups = tied_groups(scores, positive);
    let (positives, negatives) = totals(&groups);
    if positives == 0 || negatives == 0 {
        return None;
    }
    let (mut below, mut wins) = (negatives, 0.0);
    for group in &groups {
        // Groups come from the highest score down: what is left of the negatives lies below this
        // group.
        below -= group.negatives;
        // Mann-Whitney: pairs in which the positive scores higher, ties counting half.
        wins += group.positives as f64 * (below as f64 + 0.5 * group.negatives as f64);
    }
    Some(wins / (positives as f64 * negatives as f64))
}

/// The mean over classes of the AUC of one class against the others; with two classes, that of the second. A class scores
/// by how far it is above the best of the others, which ranks items alike for probabilities and for their logarithms.
/// Classes that all items have, or none, are left out; `None` if that is all of them.
///
/// ```
/// use privet_learn::metrics::class_auc;
/// let scores: [&[f32]; 3] = [&[0.9, 0.1], &[0.6, 0.4], &[0.2, 0.8]];
/// assert_eq!(class_auc(&scores, &[0, 1, 1]), Some(1.0));
/// ```
///
/// # Panics
/// If the lengths differ.
pub fn class_auc(scores: &[&[f32]], truth: &[u32]) -> Option<f64> {
    let classes = scores.first().map_or(0, |row| row.len());
    let of_class = |class: usize| {
        let margin = |row: &&[f32]| {
            let others = row.iter().enumerate().filter(|(at, _)| *at != class);
            row[class] - others.map(|(_, &score)| score).fold(f32::MIN, f32::max)
        };
        let margins: Vec<f32> = scores.iter().map(margin).collect();
        let positive: Vec<bool> = truth.iter().map(|&is| is as usize == class).collect();
        roc_auc(&margins, &positive)
    };
    // With two classes the area of one is that of the other.
    let first = usize::from(classes == 2);
    let areas: Vec<f64> = (first..classes).filter_map(of_class).collect();
    (!areas.is_empty()).then(|| areas.iter().sum::<f64>() / areas.len() as f64)
}

/// The mean, over positives, of the precision at the score of that positive; tied items enter
/// together. `None` without positives.
///
/// # Panics
/// If the lengths differ.
pub fn average_precision(scores: &[f32], positive: &[bool]) -> Option<f64> {
    let groups = tied_groups(scores, positive);
    let (positives, _) = totals(&groups);
    if positives == 0 {
        return None;
    }
    let (mut hits, mut seen, mut sum) = (0, 0, 0.0);
    for group in &groups {
        hits += group.positives;
        seen += group.positives + group.negatives;
        // Precision at the end of the tie group, for each positive in it: no order within ties is assumed.
        sum += group.positives as f64 * hits as f64 / seen as f64;
    }
    Some(sum / positives as f64)
}

/// The share of positives that score strictly above the `k`-th best negative (Open Graph Benchmark's
/// definition). 1 when there are fewer than `k` negatives; `None` without positives.
pub fn hits_at_k(positives: &[f32], negatives: &[f32], k: usize) -> Option<f64> {
    if positives.is_empty() {
        return None;
    }
    // With fewer than k negatives every positive is among the first k.
    if negatives.len() < k || k == 0 {
        return Some(1.0);
    }
    let mut negatives = negatives.to_vec();
    // The k-th best negative in O(n).
    let (_, threshold, _) = negatives.select_nth_unstable_by(k - 1, |a, b| b.total_cmp(a));
    let above = positives.iter().filter(|score| *score > threshold).count();
    Some(above as f64 / positives.len() as f64)
}

struct TieGroup {
    positives: u64,
    negatives: u64,
}

/// Items of equal score together, best score first.
fn tied_groups(scores: &[f32], positive: &[bool]) -> Vec<TieGroup> {
    assert_eq!(scores.len(), positive.len(), "one score per item");
    // + 0.0 makes the two zeros one; an undefined score is worth nothing.
    let score = |&s: &f32| if s.is_nan() { f32::NEG_INFINITY } else { s + 0.0 };
    let mut order: Vec<(f32, bool)> =
        scores.iter().map(score).zip(positive.iter().copied()).collect();
    // The best first; equal scores form one group whatever their order.
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
    order
        .chunk_by(|a, b| a.0 == b.0)
        .map(|tied| {
            let positives = tied.iter().filter(|(_, positive)| *positive).count() as u64;
            TieGroup { positives, negatives: tied.len() as u64 - positives }
        })
        .collect()
}

fn totals(groups: &[TieGroup]) -> (u64, u64) {
    groups.iter().fold((0, 0), |(p, n), group| (p + group.positives, n + group.negatives))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn auc_by_pairs(scores: &[f32], positive: &[bool]) -> Option<f64> {
        let (mut wins, mut pairs) = (0.0, 0.0);
        for (i, _) in positive.iter().enumerate().filter(|(_, p)| **p) {
            for (j, _) in positive.iter().enumerate().filter(|(_, p)| !**p) {
                pairs += 1.0;
                wins += if scores[i] > scores[j] {
                    1.0
                } else if scores[i] == scores[j] {
                    0.5
                } else {
                    0.0
                };
            }
        }
        (pairs > 0.0).then(|| wins / pairs)
    }

    proptest! {
        #[test]
        fn auc_is_the_share_of_ordered_pairs(items in prop::collection::vec((-3i8..4, any::<bool>()), 0..40)) {
            let (scores, positive): (Vec<f32>, Vec<bool>) =
                items.into_iter().map(|(s, p)| (f32::from(s), p)).unzip();
            match (roc_auc(&scores, &positive), auc_by_pairs(&scores, &positive)) {
                (Some(found), Some(expected)) => prop_assert!((found - expected).abs() < 1e-12),
                (found, expected) => prop_assert_eq!(found, expected),
            }
        }
    }

    #[test]
    fn constant_scores_are_worth_nothing() {
        assert_eq!(roc_auc(&[1.0; 6], &[true, false, true, false, true, false]), Some(0.5));
        assert_eq!(average_precision(&[1.0; 4], &[true, false, false, false]), Some(0.25));
        assert_eq!(roc_auc(&[f32::NAN, 0.0], &[true, false]), Some(0.0));
        assert_eq!(roc_auc(&[-0.0, 0.0], &[true, false]), Some(0.5));
        assert_eq!(roc_auc(&[1.0], &[true]), None);
    }

    /// By hand: class 0 is always ahead (1), class 1 in one pair of two (1/2), class 2 in both (1); class 3 never occurs.
    #[test]
    fn areas_of_classes_by_hand() {
        let rows: [&[f32]; 3] =
            [&[3.0, 1.0, 0.0, 0.0], &[2.0, 0.5, 0.0, 0.0], &[0.0, 0.0, 1.0, 0.0]];
        assert_eq!(
            class_auc(&rows, &[0, 1, 2]),
            Some((1.0 + 0.5 + 1.0) / 3.0 - 0.5 / 3.0 + 0.5 / 3.0)
        );
        assert_eq!(class_auc(&rows, &[0, 0, 0]), None);
        assert_eq!(class_auc(&[], &[]), None);
    }

    /// By hand: positives at ranks 1 and 3 of 4: (1/1 + 2/3) / 2.
    #[test]
    fn average_precision_by_hand() {
        let found = average_precision(&[4.0, 3.0, 2.0, 1.0], &[true, false, true, false]).unwrap();
        assert!((found - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-12);
        assert_eq!(average_precision(&[1.0], &[false]), None);
    }

    #[test]
    fn hits_need_to_beat_the_kth_negative_strictly() {
        let negatives = [0.9, 0.5, 0.1];
        assert_eq!(hits_at_k(&[0.5, 0.6, 0.95], &negatives, 2), Some(2.0 / 3.0));
        assert_eq!(hits_at_k(&[0.0], &negatives, 4), Some(1.0));
        assert_eq!(hits_at_k(&[], &negatives, 1), None);
    }
}
