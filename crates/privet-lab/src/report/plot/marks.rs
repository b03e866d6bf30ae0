//! The data itself: lines with bands or whiskers, points, bars and steps.

use std::collections::BTreeSet;

use super::frame::Frame;
use super::looks::SeriesLook;
use super::{AxisScale, Plot, PlotPoint, Series, Style};
use crate::report::picture::{Paint, Shape, Spot, Stroke};

/// So many bands can overlap and still be read; more series have whiskers.
const BANDS: usize = 5;
/// A line with more points than this has fewer markers than points.
const MARKERS: usize = 40;
/// A scatter with more points than this is drawn as small dots.
const SCATTER: usize = 400;

/// A point in its place, with its interval's ends.
struct Placed {
    at: Spot,
    ends: Option<(f64, f64)>,
    infinite: bool,
    /// Its tooltip.
    told: String,
}

pub fn draw(frame: &mut Frame<'_>) {
    let plot = frame.plot;
    let lines = plot.series.iter().filter(|series| series.style != Style::Bars).count();
    let shifts = shifts(frame, lines);
    // All positions are computed before anything is drawn: bands of all series lie under all lines.
    let runs: Vec<(SeriesLook, &Series, Vec<Vec<Placed>>)> = (0..)
        .zip(&plot.series)
        .zip(shifts)
        .map(|((number, series), shift)| {
            (SeriesLook::new(number), series, placed(frame, series, shift))
        })
        .collect();
    for (look, series, runs) in &runs {
        if matches!(series.style, Style::Line | Style::Step) && lines <= BANDS {
            runs.iter().for_each(|run| band(frame, *look, series.style, run));
        }
    }
    bars(frame);
    for (look, series, runs) in &runs {
        match series.style {
            Style::Bars => {}
            Style::Scatter => scatter(frame, *look, runs),
            Style::Line | Style::Step => line(frame, *look, series.style, runs, lines > BANDS),
        }
    }
}

/// On an axis of names, series with whiskers stand beside each other; so do single points at one place.
fn shifts(frame: &Frame<'_>, lines: usize) -> Vec<f64> {
    let series = || frame.plot.series.iter().filter(|series| series.style != Style::Bars);
    let places: BTreeSet<u64> =
        series().flat_map(|series| &series.points).map(|point| point.x.to_bits()).collect();
    let single = lines > 1 && places.len() == 1 && series().all(|series| series.points.len() <= 1);
    // Whiskers of many lines at one place would cover each other: they stand side by side.
    let apart = match frame.x.has_places() && lines > BANDS {
        true => (frame.x.slot() * 0.7 / lines as f64).min(2.5),
        false if single => 14f64.min(120.0 / lines as f64),
        false => 0.0,
    };
    // Centred: the middle series stays on its place.
    let middle = (lines as f64 - 1.0) / 2.0;
    (0..frame.plot.series.len()).map(|at| (at as f64 - middle) * apart).collect()
}

/// The points that can be drawn, cut where one between them cannot.
fn placed(frame: &Frame<'_>, series: &Series, shift: f64) -> Vec<Vec<Placed>> {
    let mut runs = vec![Vec::new()];
    for point in &series.points {
        match (frame.x.place(point.x), frame.y.place(point.y)) {
            (Some(x), Some(y)) => {
                let placed = Placed {
                    at: (x + shift, y),
                    ends: interval(frame, point),
                    infinite: point.x == f64::INFINITY,
                    told: told(frame.plot, series, point),
                };
                if let Some(run) = runs.last_mut() {
                    run.push(placed);
                }
            }
            // A value that cannot be drawn ends the run, and leaves a gap.
            _ => runs.push(Vec::new()),
        }
    }
    runs
}

/// `hds, epsilon 1: 74 % (95 %: 73 % to 75 %)`.
fn told(plot: &Plot, series: &Series, point: &PlotPoint) -> String {
    let place = match plot.x.scale {
        AxisScale::Categories(_) => plot.place_name(point.x),
        AxisScale::Linear | AxisScale::Log => {
            let label = plot.x.label.split(" (").next().unwrap_or_default();
            format!("{label} {}", plot.place_name(point.x))
        }
    };
    format!("{}, {place}: {}", series.name, plot.told(point.y, point.low, point.high))
}

/// The interval in pixels. What lies below a logarithmic axis ends at the axis.
fn interval(frame: &Frame<'_>, point: &PlotPoint) -> Option<(f64, f64)> {
    let [low, high] = [point.low?, point.high?].map(|end| frame.plot.y.clipped(end));
    // An interval that starts below the axis is drawn from its end.
    let low = frame.y.place(low).or_else(|| {
        let below = low < frame.y.extent.low();
        frame.y.place(frame.y.extent.low()).filter(|_| below)
    });
    Some((low?, frame.y.place(high)?))
}

fn band(frame: &mut Frame<'_>, look: SeriesLook, style: Style, run: &[Placed]) {
    // Unknown intervals split the band; infinity is no neighbour of a number.
    let known = run.split(|placed| placed.ends.is_none() || placed.infinite);
    for part in known.filter(|part| part.len() > 1) {
        let side = |pick: fn((f64, f64)) -> f64| {
            let points = part.iter().filter_map(|p| p.ends.map(|ends| (p.at.0, pick(ends))));
            outline(points.collect(), style)
        };
        let mut points = side(|(low, _)| low);
        // Back along the upper ends: a closed polygon.
        points.extend(side(|(_, high)| high).into_iter().rev());
        frame.add(Shape::Polygon { points, fill: look.paint(), opacity: 0.16, outline: None });
    }
}

/// The corners of a line, or of steps.
fn outline(points: Vec<Spot>, style: Style) -> Vec<Spot> {
    if style != Style::Step {
        return points;
    }
    // A step goes level to the next place and then up or down.
    let corners = points.windows(2).flat_map(|pair| [pair[0], (pair[1].0, pair[0].1)]);
    corners.chain(points.last().copied()).collect()
}

fn line(
    frame: &mut Frame<'_>,
    look: SeriesLook,
    style: Style,
    runs: &[Vec<Placed>],
    whiskers: bool,
) {
    for run in runs {
        let (finite, infinite): (Vec<&Placed>, Vec<&Placed>) =
            run.iter().partition(|placed| !placed.infinite);
        let points: Vec<Spot> = finite.iter().map(|placed| placed.at).collect();
        if let (Some(&from), Some(to)) = (points.last(), infinite.first()) {
            // Nothing was measured between a number and infinity.
            let stroke = Stroke { dashes: &[1.5, 4.0], ..look.stroke().opacity(0.6) };
            frame.picture.line(from, to.at, stroke);
        }
        if points.len() > 1 {
            frame.add(Shape::Line { points: outline(points, style), stroke: look.stroke() });
        }
        for placed in run.iter().filter(|p| whiskers || p.infinite || run.len() == 1) {
            whisker(frame, placed, Stroke::new(look.paint(), 1.2));
        }
        if style == Style::Line || run.len() == 1 {
            // At most so many markers: more would be a thick line.
            let every = run.len().div_ceil(MARKERS).max(1);
            for placed in run.iter().step_by(every) {
                look.marker(&mut frame.picture, placed.at, 3.6);
                around(frame, placed);
            }
        }
    }
}

fn whisker(frame: &mut Frame<'_>, placed: &Placed, stroke: Stroke) {
    let Some((low, high)) = placed.ends else { return };
    let x = placed.at.0;
    frame.picture.line((x, low), (x, high), stroke);
    for end in [low, high] {
        frame.picture.line((x - 3.0, end), (x + 3.0, end), stroke);
    }
}

/// Adds a tooltip near a marker, which says what it is.
fn around(frame: &mut Frame<'_>, placed: &Placed) {
    let ((x, y), near) = (placed.at, 8.0);
    let left = (x - near).max(0.0);
    frame.hint((left, y - near), (x + near, y + near), placed.told.clone());
}

fn scatter(frame: &mut Frame<'_>, look: SeriesLook, runs: &[Vec<Placed>]) {
    let count: usize = runs.iter().map(Vec::len).sum();
    if count > SCATTER {
        // Dots closer than half a pixel are one dot to the eye and to the file.
        let half = |pixel: f64| (pixel * 2.0).round() as i64;
        let spots: BTreeSet<(i64, i64)> =
            runs.iter().flatten().map(|p| (half(p.at.0), half(p.at.1))).collect();
        let centers = spots.into_iter().map(|(x, y)| (x as f64 / 2.0, y as f64 / 2.0)).collect();
        frame.add(Shape::Dots { centers, radius: 1.6, fill: look.paint(), opacity: 0.55 });
        return;
    }
    for placed in runs.iter().flatten() {
        whisker(frame, placed, Stroke::new(look.paint(), 1.2));
        look.marker(&mut frame.picture, placed.at, 3.6);
        around(frame, placed);
    }
}

fn bars(frame: &mut Frame<'_>) {
    let plot = frame.plot;
    let series = || plot.series.iter().enumerate().filter(|(_, s)| s.style == Style::Bars);
    let count = series().count() as f64;
    let inside = frame.x.end - frame.x.start;
    let room = match (frame.x.has_places(), frame.x.cut()) {
        (true, _) => frame.x.slot(),
        (false, None) => closest(frame).min(bar_room(plot, inside)),
        // The place for infinity is small.
        (false, Some(cut)) => closest(frame).min(bar_room(plot, inside)).min(frame.x.end - cut),
    };
    // Bars of one place touch, and places are a fifth of a slot apart.
    let thick = (room * 0.8 / count).min(60.0);
    let Some(base) = frame.y.place(frame.y.extent.base()) else { return };
    for (position, (number, series)) in series().enumerate() {
        let shift = (position as f64 - count / 2.0) * thick;
        for point in placed(frame, series, shift).iter().flatten() {
            let (x, y) = point.at;
            let gap = (thick * 0.04).min(1.0);
            SeriesLook::new(number).bar(&mut frame.picture, (x + gap, base), (x + thick - gap, y));
            let middle = Placed {
                at: (x + thick / 2.0, y),
                ends: point.ends,
                infinite: point.infinite,
                told: point.told.clone(),
            };
            whisker(frame, &middle, Stroke::new(Paint::Ink, 1.2));
            // A bar of height 0 still gets an area for its tooltip.
            let (top, bottom) = (y.min(base) - 4.0, y.max(base).max(y.min(base) + 8.0));
            frame.hint((x, top), (x + thick, bottom), middle.told);
        }
    }
}

/// The pixels between the two bars that are closest.
fn closest(frame: &Frame<'_>) -> f64 {
    let bars = frame.plot.series.iter().filter(|series| series.style == Style::Bars);
    let values = bars.flat_map(|series| &series.points);
    let mut places: Vec<f64> = values.filter_map(|point| frame.x.place(point.x)).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min)
}

/// The room of one bar, or group of bars, on an axis of numbers.
pub fn bar_room(plot: &Plot, inside: f64) -> f64 {
    let bars = plot.series.iter().filter(|series| series.style == Style::Bars);
    let values = bars.flat_map(|series| &series.points).map(|point| point.x.to_bits());
    // At least two places: a single bar would be as wide as the plot.
    inside / values.collect::<BTreeSet<u64>>().len().max(2) as f64
}
