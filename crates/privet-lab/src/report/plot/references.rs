//! Lines to compare with: the ceiling, the control, a published number.

use super::Plot;
use super::frame::{Frame, GAP, LABEL, SMALL, Sheet};
use crate::report::picture::{Paint, Stroke, TextLine, width, wrapped};

/// How wide a line's name may become, in at most two lines.
const NAME: f64 = 128.0;
/// The first line is dashed, the second dotted.
pub const DASHES: [&[f64]; 3] = [&[7.0, 4.0], &[1.5, 3.0], &[7.0, 3.0, 1.5, 3.0]];

/// The room that the names need beside the plot.
pub fn width_of_names(plot: &Plot, sheet: &Sheet) -> f64 {
    if !sheet.names_beside {
        return 0.0;
    }
    let lines = plot.lines.iter().flat_map(|line| wrapped(&line.name, SMALL, NAME, 2));
    lines.map(|line| width(&line, SMALL)).fold(0.0, f64::max)
}

/// Dashed lines with their bands; names stand at the right end, pushed apart where they touch, or in the
/// legend where there is no room.
pub fn draw(frame: &mut Frame<'_>) {
    let mut labels = Vec::new();
    for (line, dashes) in frame.plot.lines.iter().zip(DASHES.iter().cycle()) {
        let Some(y) = frame.y.place(line.y) else { continue };
        let place = |end| frame.y.place(frame.plot.y.clipped(end));
        let ends = [line.low, line.high].map(|end| end.and_then(place));
        let (start, end) = (frame.x.start, frame.x.end);
        if let [Some(low), Some(high)] = ends {
            frame.picture.rectangle((start, low), (end, high), Paint::Ink, 0.06);
        }
        let stroke = Stroke::new(Paint::Ink, 1.4).dashed(dashes);
        frame.picture.line((start, y), (end, y), stroke);
        let told = frame.plot.told(line.y, line.low, line.high);
        frame.hint((start, y - 5.0), (end, y + 5.0), format!("{}: {told}", line.name));
        labels.push((y, wrapped(&line.name, SMALL, NAME, 2)));
    }
    if !frame.sheet.names_beside {
        return;
    }
    labels.sort_by(|a, b| a.0.total_cmp(&b.0));
    let heights: Vec<f64> =
        labels.iter().map(|(_, lines)| lines.len() as f64 * (SMALL + 2.0) + 4.0).collect();
    let wanted: Vec<f64> = labels.iter().zip(&heights).map(|((y, _), h)| y - h / 2.0).collect();
    let tops = pushed_apart(&wanted, &heights, frame.y.start + LABEL);
    for ((_, lines), top) in labels.into_iter().zip(tops) {
        for (at, line) in lines.into_iter().enumerate() {
            let baseline = top + 1.0 + SMALL + at as f64 * (SMALL + 2.0);
            frame.picture.words(TextLine::new((frame.x.end + GAP, baseline), line, SMALL));
        }
    }
}

/// Tops near the wanted ones (sorted) so that no two blocks overlap and none ends below `floor`.
fn pushed_apart(wanted: &[f64], heights: &[f64], floor: f64) -> Vec<f64> {
    let mut tops = wanted.to_vec();
    for at in 1..tops.len() {
        tops[at] = tops[at].max(tops[at - 1] + heights[at - 1]);
    }
    let mut limit = floor;
    for at in (0..tops.len()).rev() {
        tops[at] = tops[at].min(limit - heights[at]);
        limit = tops[at];
    }
    tops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_do_not_touch() {
        assert_eq!(pushed_apart(&[10.0, 12.0], &[20.0, 20.0], 100.0), [10.0, 30.0]);
        assert_eq!(pushed_apart(&[85.0, 90.0], &[20.0, 20.0], 100.0), [60.0, 80.0]);
        assert_eq!(pushed_apart(&[], &[], 100.0), Vec::<f64>::new());
    }
}
