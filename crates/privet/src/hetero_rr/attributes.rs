//! A tree from attributes that are public, or were released already: people with like rows stay together.
//!
//! All people are halved along the direction in which their rows differ most, both halves again along
//! theirs, and so on (a tree of principal directions). Every level reads each row a few times, so the work
//! grows with the entries times the depth. It serves where few edges are public, and needs none.

use rand::RngExt;

use crate::Result;
use crate::graph::{FeatureMatrix, NodeId, SimRng};
use crate::privacy::edges::comparison::hrg::Dendrogram;

/// Power iterations per halving: directions need not be exact.
const ITERATIONS: usize = 8;
/// Groups that are not worth a direction of their own.
const SMALL: usize = 4;

/// The tree of halvings. The seed starts the search for directions; it gives no protection.
///
/// # Errors
/// If there are too many rows.
pub fn halve(rows: &FeatureMatrix, seed: u64) -> Result<Dendrogram> {
    let unit = UnitRows::new(rows);
    let mut line: Vec<NodeId> = (0..unit.scales.len() as NodeId).collect();
    let mut rng = SimRng::stream(seed, 11);
    let mut work = vec![(0, line.len())];
    while let Some((start, end)) = work.pop() {
        if end - start <= SMALL {
            continue;
        }
        unit.sort_by_principal_direction(&mut line[start..end], &mut rng);
        // Where `Dendrogram::balanced` cuts as well.
        let middle = start + (end - start) / 2;
        work.extend([(start, middle), (middle, end)]);
    }
    Ok(Dendrogram::balanced(&line)?)
}

/// Rows scaled to length 1, so that long ones do not decide alone.
struct UnitRows<'a> {
    rows: &'a FeatureMatrix,
    columns: usize,
    scales: Vec<f32>,
}

impl<'a> UnitRows<'a> {
    fn new(rows: &'a FeatureMatrix) -> Self {
        let length = |values: &[f32]| values.iter().map(|x| x * x).sum::<f32>().sqrt();
        let scale = |values: &[f32]| 1.0 / length(values).max(f32::MIN_POSITIVE);
        let (columns, scales) = match rows {
            FeatureMatrix::Dense(rows) => {
                (rows.columns(), (0..rows.rows()).map(|at| scale(rows.row(at))).collect())
            }
            FeatureMatrix::Sparse(rows) => {
                (rows.columns(), (0..rows.rows()).map(|at| scale(rows.row(at).1)).collect())
            }
        };
        Self { rows, columns, scales }
    }

    /// The product of a row with a direction.
    fn along(&self, node: NodeId, direction: &[f32]) -> f32 {
        let at = node as usize;
        let product: f32 = match self.rows {
            FeatureMatrix::Dense(rows) => {
                rows.row(at).iter().zip(direction).map(|(x, y)| x * y).sum()
            }
            FeatureMatrix::Sparse(rows) => {
                let (columns, values) = rows.row(at);
                columns.iter().zip(values).map(|(&column, x)| x * direction[column as usize]).sum()
            }
        };
        product * self.scales[at]
    }

    /// Adds so much of a row.
    fn add(&self, node: NodeId, share: f32, into: &mut [f32]) {
        let (at, share) = (node as usize, share * self.scales[node as usize]);
        match self.rows {
            FeatureMatrix::Dense(rows) => {
                into.iter_mut().zip(rows.row(at)).for_each(|(sum, x)| *sum += share * x);
            }
            FeatureMatrix::Sparse(rows) => {
                let (columns, values) = rows.row(at);
                for (&column, x) in columns.iter().zip(values) {
                    into[column as usize] += share * x;
                }
            }
        }
    }

    /// Power iteration on the covariance of these people's rows, and the order of their projections.
    fn sort_by_principal_direction(&self, nodes: &mut [NodeId], rng: &mut SimRng) {
        let mut direction: Vec<f32> =
            (0..self.columns).map(|_| rng.random::<f32>() - 0.5).collect();
        let mut next = vec![0.0; self.columns];
        let mut projected = vec![0.0; nodes.len()];
        for _ in 0..ITERATIONS {
            let mut mean = 0.0;
            for (&node, place) in nodes.iter().zip(&mut projected) {
                *place = self.along(node, &direction);
                mean += *place / nodes.len() as f32;
            }
            next.fill(0.0);
            for (&node, place) in nodes.iter().zip(&projected) {
                self.add(node, place - mean, &mut next);
            }
            let length = next.iter().map(|x| x * x).sum::<f32>().sqrt();
            // All rows alike: any order will do.
            if length <= f32::MIN_POSITIVE {
                return;
            }
            next.iter_mut().for_each(|x| *x /= length);
            std::mem::swap(&mut direction, &mut next);
        }
        let mut places: Vec<(f32, NodeId)> =
            nodes.iter().map(|&node| (self.along(node, &direction), node)).collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        nodes.iter_mut().zip(places).for_each(|(node, place)| *node = place.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::DenseMatrix;

    /// Two kinds of rows, alternating: the first halving tells them apart, from dense and sparse rows.
    #[test]
    fn like_rows_stay_together() {
        let row = |at: usize| if at.is_multiple_of(2) { [1.0, 0.1, 0.0] } else { [0.0, 0.1, 3.0] };
        let dense = DenseMatrix::new(40, 3, (0..40).flat_map(row).collect()).unwrap();
        let mut sparse = crate::graph::SparseBuilder::new(3);
        for at in 0..40 {
            let entries = row(at).into_iter().enumerate().map(|(column, x)| (column as u32, x));
            sparse.push_row(&mut entries.collect::<Vec<_>>()).unwrap();
        }
        for rows in [FeatureMatrix::Dense(dense), FeatureMatrix::Sparse(sparse.finish())] {
            let tree = halve(&rows, 1).unwrap();
            for side in tree.children()[0] {
                let below = tree.layout().below(side).to_vec();
                assert_eq!(below.len(), 20);
                assert!(below.iter().all(|node| node % 2 == below[0] % 2), "{below:?}");
            }
        }
    }

    #[test]
    fn rows_that_say_nothing_make_a_tree_too() {
        for nodes in [0, 1, 2, 9] {
            let rows = FeatureMatrix::Dense(DenseMatrix::zeros(nodes, 2));
            assert_eq!(halve(&rows, 1).unwrap().leaf_count(), nodes);
        }
    }
}
