//! What tells series apart: colour on a screen, dashes, markers and hatching on paper.

use crate::report::picture::{Paint, Picture, Shape, Spot, Stroke};

/// How series number `n` looks; six colours and dashes, twelve markers.
#[derive(Debug, Clone, Copy)]
pub struct SeriesLook {
    number: usize,
}

const DASHES: [&[f64]; 6] = [
    &[],
    &[8.0, 3.0],
    &[2.0, 2.5],
    &[9.0, 3.0, 2.0, 3.0],
    &[14.0, 4.0],
    &[5.0, 2.0, 1.5, 2.0, 1.5, 2.0],
];

/// Corners of markers within the square from -1 to 1; the first is a circle, which has none.
const CORNERS: [&[Spot]; 6] = [
    &[],
    &[(-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85)],
    &[(0.0, -1.1), (1.1, 0.85), (-1.1, 0.85)],
    &[(0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)],
    &[(0.0, 1.1), (1.1, -0.85), (-1.1, -0.85)],
    &[(-1.0, -1.1), (1.0, -1.1), (-1.0, 1.1), (1.0, 1.1)],
];

impl SeriesLook {
    pub fn new(number: usize) -> Self {
        Self { number }
    }

    pub fn paint(self) -> Paint {
        Paint::Series(self.number % Paint::SERIES)
    }

    pub fn stroke(self) -> Stroke {
        // The second round has the same colours, so it has other dashes.
        let round = self.number / DASHES.len();
        Stroke::new(self.paint(), 1.8).dashed(DASHES[(self.number + 3 * round) % DASHES.len()])
    }

    /// A marker: filled for the first six series, hollow for the next six.
    pub fn marker(self, picture: &mut Picture, (x, y): Spot, radius: f64) {
        let hollow = (self.number / CORNERS.len()) % 2 == 1;
        let fill = if hollow { Paint::Paper } else { self.paint() };
        // A rim of paper keeps markers apart where they touch.
        let rim =
            if hollow { Stroke::new(self.paint(), 1.5) } else { Stroke::new(Paint::Paper, 0.8) };
        let (outline, corners) = (Some(rim), CORNERS[self.number % CORNERS.len()]);
        if corners.is_empty() {
            picture.add(Shape::Circle { center: (x, y), radius, fill, outline });
            return;
        }
        let points = corners.iter().map(|(dx, dy)| (x + dx * radius, y + dy * radius)).collect();
        picture.add(Shape::Polygon { points, fill, opacity: 1.0, outline });
    }

    /// A bar between two corners, hatched in one of six ways.
    pub fn bar(self, picture: &mut Picture, a: Spot, b: Spot) {
        let (left, right) = (a.0.min(b.0), a.0.max(b.0));
        let (top, bottom) = (a.1.min(b.1), a.1.max(b.1));
        picture.rectangle((left, top), (right, bottom), self.paint(), 1.0);
        let stroke = Stroke::new(Paint::Paper, 1.1);
        let falling: &[f64] = match self.number % 6 {
            1 => &[-1.0],
            2 => &[1.0],
            3 => &[0.0],
            4 => &[-1.0, 1.0],
            5 => &[-0.4],
            _ => &[],
        };
        let lines = |&slope: &f64| hatching((left, top), (right, bottom), slope);
        let ends: Vec<(Spot, Spot)> = falling.iter().flat_map(lines).collect();
        if !ends.is_empty() {
            picture.add(Shape::Segments { ends, stroke });
        }
    }
}

/// Parallel lines `y = slope * (x - left) + c` every few pixels, cut to the rectangle.
fn hatching((left, top): Spot, (right, bottom): Spot, slope: f64) -> Vec<(Spot, Spot)> {
    const APART: f64 = 6.0;
    let (width, rise) = (right - left, slope * (right - left));
    let first = ((top - rise.max(0.0)) / APART).floor() as i64;
    let last = ((bottom - rise.min(0.0)) / APART).ceil() as i64;
    let mut lines = Vec::new();
    for at in first..=last {
        let start = at as f64 * APART;
        // Where the line enters and leaves the strip between top and bottom.
        let (mut from, mut to) = (0.0, width);
        if slope == 0.0 {
            if start <= top || start >= bottom {
                continue;
            }
        } else {
            let (x, y) = ((top - start) / slope, (bottom - start) / slope);
            (from, to) = (x.min(y).max(0.0), x.max(y).min(width));
        }
        if from < to {
            lines.push(((left + from, start + slope * from), (left + to, start + slope * to)));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_series_differ_without_colour() {
        let dashes_and_marker = |number: usize| {
            let mut picture = Picture {
                title: String::new(),
                description: String::new(),
                size: (1.0, 1.0),
                shapes: Vec::new(),
            };
            SeriesLook::new(number).marker(&mut picture, (0.0, 0.0), 3.0);
            let marker = match &picture.shapes[0] {
                Shape::Polygon { points, fill, .. } => (points.clone(), *fill == Paint::Paper),
                Shape::Circle { fill, .. } => (Vec::new(), *fill == Paint::Paper),
                other => panic!("{other:?}"),
            };
            (SeriesLook::new(number).stroke().dashes, marker)
        };
        for a in 0..12 {
            for b in 0..a {
                assert_ne!(dashes_and_marker(a), dashes_and_marker(b), "{a} and {b}");
                assert_ne!(dashes_and_marker(a).1, dashes_and_marker(b).1, "{a} and {b}");
            }
        }
    }

    #[test]
    fn hatching_stays_inside() {
        for slope in [-1.0, 1.0, 0.0, -0.4] {
            let lines = hatching((10.0, 20.0), (30.0, 100.0), slope);
            assert!(!lines.is_empty());
            for (x, y) in lines.into_iter().flat_map(|(a, b)| [a, b]) {
                assert!((9.999..30.001).contains(&x) && (19.999..100.001).contains(&y));
            }
        }
        assert!(hatching((0.0, 5.0), (10.0, 5.0), 1.0).is_empty());
    }
}
