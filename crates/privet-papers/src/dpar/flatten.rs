//! Rows of numbers as points of a plane, and how far apart their classes are: a picture, and a number to compare it by.

use privet::graph::DenseMatrix;
use privet::learn::spectral::{iterate, product};
use serde::{Deserialize, Serialize};

/// Rounds of the power method: answers have a few columns, whose spreads differ.
const ROUNDS: usize = 500;

/// How far apart classes are.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Separation {
    /// The mean silhouette: 1 if every class is a point of its own, 0 if classes lie on top of one another,
    /// below 0 if rows are nearer to other classes than to their own.
    pub silhouette: f64,
    /// The share of rows that are nearest to the centre of their own class, computed without them.
    pub nearest_centre: f64,
}

/// The two directions in which rows vary most, as coordinates (principal components).
pub fn plane(rows: &DenseMatrix) -> Vec<(f64, f64)> {
    let mut left = centred(rows);
    let mut coordinates = [Vec::new(), Vec::new()];
    for axis in &mut coordinates {
        let direction = leading(&left);
        // What lies along this axis is taken out, so the next axis is orthogonal to it.
        for row in &mut left {
            let along = product(row, &direction);
            row.iter_mut().zip(&direction).for_each(|(value, part)| *value -= along * part);
            axis.push(along);
        }
    }
    let [x, y] = coordinates;
    x.into_iter().zip(y).collect()
}

fn centred(rows: &DenseMatrix) -> Vec<Vec<f64>> {
    let mut rows: Vec<Vec<f64>> = (0..rows.rows()).map(|row| wide(rows.row(row))).collect();
    let count = rows.len().max(1) as f64;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let mean = rows.iter().map(|row| row[column]).sum::<f64>() / count;
        rows.iter_mut().for_each(|row| row[column] -= mean);
    }
    rows
}

/// The unit direction along which centred rows vary most; its largest part is positive, so that pictures repeat.
fn leading(rows: &[Vec<f64>]) -> Vec<f64> {
    let columns = rows.first().map_or(0, Vec::len);
    // Unequal, so that it is orthogonal to nothing in particular.
    let start = (0..columns).map(|at| 1.0 / (at as f64 + 1.5)).collect();
    // One step of power iteration on X^T X, which is never formed.
    let spread = |direction: &[f64]| {
        let mut next = vec![0.0; columns];
        for row in rows {
            let along = product(row, direction);
            next.iter_mut().zip(row).for_each(|(sum, value)| *sum += along * value);
        }
        next
    };
    let mut direction = iterate(vec![start], ROUNDS, spread).remove(0);
    // Eigenvectors have no sign; the largest entry is made positive, so that pictures are
    // reproducible.
    let largest =
        direction.iter().copied().fold(0.0, |a: f64, b| if b.abs() > a.abs() { b } else { a });
    direction.iter_mut().for_each(|value| *value *= if largest < 0.0 { -1.0 } else { 1.0 });
    direction
}

/// How far apart classes are in all columns, not in the plane alone.
pub fn apart(rows: &DenseMatrix, classes: &[u32]) -> Separation {
    let rows: Vec<Vec<f64>> = (0..rows.rows()).map(|row| wide(rows.row(row))).collect();
    let count = classes.iter().max().map_or(0, |&class| class as usize + 1);
    let mut sizes = vec![0.0; count];
    classes.iter().for_each(|&class| sizes[class as usize] += 1.0);
    let silhouettes = rows.iter().zip(classes).map(|(row, &class)| {
        let mut sums = vec![0.0; count];
        for (other, &of) in rows.iter().zip(classes) {
            sums[of as usize] += distance(row, other).sqrt();
        }
        silhouette(&sums, &sizes, class as usize)
    });
    let people = rows.len().max(1) as f64;
    Separation {
        silhouette: silhouettes.sum::<f64>() / people,
        nearest_centre: at_own_centre(&rows, classes, &sizes) as f64 / people,
    }
}

/// Rousseeuw (1987): `(b - a) / max(a, b)`, with a the mean distance to one's own class and b that to the nearest other.
fn silhouette(sums: &[f64], sizes: &[f64], own: usize) -> f64 {
    // By convention 0 for a class of one.
    if sizes[own] <= 1.0 {
        return 0.0;
    }
    // -1: the distance to itself is 0 and does not count.
    let within = sums[own] / (sizes[own] - 1.0);
    let others = (0..sums.len()).filter(|&class| class != own && sizes[class] > 0.0);
    let nearest = others.map(|class| sums[class] / sizes[class]).fold(f64::INFINITY, f64::min);
    let largest = within.max(nearest);
    if nearest.is_finite() && largest > 0.0 { (nearest - within) / largest } else { 0.0 }
}

fn at_own_centre(rows: &[Vec<f64>], classes: &[u32], sizes: &[f64]) -> usize {
    let columns = rows.first().map_or(0, Vec::len);
    let mut sums = vec![vec![0.0; columns]; sizes.len()];
    for (row, &class) in rows.iter().zip(classes) {
        sums[class as usize].iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let is_nearest = |&(row, class): &(&Vec<f64>, &u32)| {
        let own = *class as usize;
        let to_centre = |of: usize| {
            // A person does not count towards the centre that they are compared with.
            let less = if of == own { 1.0 } else { 0.0 };
            let size = sizes[of] - less;
            let centre: Vec<f64> =
                sums[of].iter().zip(row).map(|(sum, value)| (sum - less * value) / size).collect();
            if size > 0.0 { distance(row, &centre) } else { f64::INFINITY }
        };
        let mine = to_centre(own);
        mine.is_finite() && (0..sizes.len()).all(|of| of == own || to_centre(of) > mine)
    };
    rows.iter().zip(classes).filter(is_nearest).count()
}

fn wide(row: &[f32]) -> Vec<f64> {
    row.iter().map(|&value| f64::from(value)).collect()
}

/// The squared distance.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_in_space_is_found() {
        // Points 3 a (1, 1, 0)/√2 + b (0, 0, 1) + a constant.
        let points = [(1.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)];
        let values = points.iter().flat_map(|&(a, b): &(f32, f32)| {
            let along = 3.0 * a / 2f32.sqrt();
            [along + 5.0, along + 5.0, b - 2.0]
        });
        let rows = DenseMatrix::new(4, 3, values.collect()).unwrap();
        for ((x, y), (a, b)) in plane(&rows).into_iter().zip(points) {
            assert!((x - 3.0 * f64::from(a)).abs() < 1e-5 && (y - f64::from(b)).abs() < 1e-5);
        }
    }

    #[test]
    fn classes_apart_and_on_top_of_one_another() {
        let rows = DenseMatrix::new(4, 1, vec![0.0, 1.0, 10.0, 11.0]).unwrap();
        let found = apart(&rows, &[0, 0, 1, 1]);
        // a = 1; b = 10.5 at the ends, 9.5 inside.
        let expected = (1.0 - 1.0 / 10.5 + 1.0 - 1.0 / 9.5) / 2.0;
        assert!((found.silhouette - expected).abs() < 1e-12 && found.nearest_centre == 1.0);
        let mixed = apart(&rows, &[0, 1, 0, 1]);
        assert!(mixed.silhouette < 0.0 && mixed.nearest_centre < 0.5, "{mixed:?}");
        assert_eq!(apart(&DenseMatrix::zeros(3, 2), &[0, 1, 1]).silhouette, 0.0);
    }
}
