//! The page of a plot: margins that fit the words, axes, grid and lines to compare with.

use super::axis::{Extent, Ruler};
use super::legend::Legend;
use super::{Plot, PlotPoint, Style, marks, references};
use crate::report::picture::{
    Anchor, Paint, Picture, Shape, Spot, Stroke, TextLine, shortened, width, wrapped,
};
use crate::report::summary::counted;

/// How much room a plot has.
#[derive(Debug, Clone, Copy)]
pub struct Sheet {
    /// Its width.
    width: f64,
    /// The height of its inside.
    inside: f64,
    /// How many lines a title may have.
    title: usize,
    /// How wide a turned name may become.
    turned_name: f64,
    /// Whether lines to compare with have their names beside them, or else in the legend.
    pub names_beside: bool,
}

/// A page, or a paper.
pub const BROAD: Sheet =
    Sheet { width: 720.0, inside: 300.0, title: 2, turned_name: 150.0, names_beside: true };
/// A small screen, at its own size.
pub const NARROW: Sheet =
    Sheet { width: 340.0, inside: 220.0, title: 4, turned_name: 80.0, names_beside: false };

/// Sizes of letters.
const TITLE: f64 = 16.0;
pub const LABEL: f64 = 13.0;
pub const SMALL: f64 = 12.0;
/// Between things, and around the page.
pub const GAP: f64 = 8.0;
const MARGIN: f64 = 14.0;
/// Names that do not fit side by side are turned by so many degrees.
const TURN: f64 = 35.0;

/// What both axes cover.
pub struct Scales {
    pub x: Extent,
    pub y: Extent,
}

impl Scales {
    pub fn of(plot: &Plot) -> Self {
        let points = || plot.series.iter().flat_map(|series| &series.points);
        let x = Extent::of(&plot.x, points().map(|point| point.x));
        let ends = |y: f64, low: Option<f64>, high: Option<f64>| {
            // Intervals are cut at what the axis may show, so one wide interval does not flatten
            // all points.
            let clipped = |end: Option<f64>| end.map(|end| plot.y.clipped(end));
            [Some(y), clipped(low), clipped(high)].into_iter().flatten()
        };
        let data = points()
            // Points beyond the x axis do not stretch the y axis.
            .filter(|point| x.holds(point.x))
            .flat_map(|point| ends(point.y, point.low, point.high));
        let lines = plot.lines.iter().flat_map(|line| ends(line.y, line.low, line.high));
        // The length of a bar means something only from zero.
        let bars = plot.series.iter().any(|series| series.style == Style::Bars);
        let y = Extent::of(&plot.y, data.chain(lines).chain(bars.then_some(0.0)));
        // Only x has a place for infinity: privacy budgets are there.
        Self { x, y: y.without_infinity() }
    }

    pub fn can_draw(&self, point: &PlotPoint) -> bool {
        self.x.holds(point.x) && self.y.holds(point.y)
    }
}

/// Whether the names along the horizontal axis lie flat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Names {
    Flat,
    Turned,
}

/// The inside of a plot, and what is being drawn.
pub struct Frame<'a> {
    pub plot: &'a Plot,
    pub picture: Picture,
    pub x: Ruler,
    pub y: Ruler,
    pub sheet: &'a Sheet,
    names: Names,
    /// The tooltips: above all that is drawn.
    hints: Vec<Shape>,
}

pub fn draw(plot: &Plot, sheet: &Sheet) -> Picture {
    // The title is broken first: its lines decide where everything else begins.
    let title = wrapped(&plot.title, TITLE, sheet.width - 2.0 * MARGIN, sheet.title);
    let mut frame = Frame::lay_out(plot, sheet, title.len());
    for (at, line) in title.into_iter().enumerate() {
        let baseline = MARGIN + TITLE + at as f64 * (TITLE + 4.0);
        frame.picture.words(TextLine::new((MARGIN, baseline), line, TITLE).bold());
    }
    frame.grid();
    // Lines to compare with lie under the data.
    references::draw(&mut frame);
    marks::draw(&mut frame);
    let names_end = frame.axes();
    let mut below = frame.axis_labels(names_end);
    below = Legend::of(plot, sheet).draw(&mut frame.picture, below, MARGIN, sheet.width - MARGIN);
    below = frame.notes(below);
    // The height is known last: legends and notes take what they need.
    frame.picture.size = (sheet.width, (below + MARGIN - GAP).ceil());
    // Tooltips come last: in an SVG what is drawn later lies on top.
    frame.picture.shapes.append(&mut frame.hints);
    frame.picture
}

impl<'a> Frame<'a> {
    fn lay_out(plot: &'a Plot, sheet: &'a Sheet, title_lines: usize) -> Self {
        let scales = Scales::of(plot);
        let widest = |extent: &Extent| {
            extent.ticks.iter().map(|(_, label)| width(label, SMALL)).fold(0.0, f64::max)
        };
        let mut left = MARGIN + LABEL + 4.0 + GAP + widest(&scales.y).min(sheet.turned_name) + 6.0;
        let beside = references::width_of_names(plot, sheet);
        // The last number is as wide to the right of its tick as to the left.
        let half = if plot.x.is_numeric() { widest(&scales.x) / 2.0 } else { 0.0 };
        let right = sheet.width - MARGIN - GAP - f64::max(beside, half - GAP);
        let top = MARGIN + title_lines as f64 * (TITLE + 4.0) + 16.0;
        let mut x = Ruler { extent: scales.x, start: left, end: right, inset: 8.0 };
        let mut names = Names::Flat;
        // Names that do not fit side by side are turned.
        if x.has_places() && widest(&x.extent) + GAP > x.slot() {
            names = Names::Turned;
            let most = MARGIN + GAP + sheet.turned_name;
            // The first turned name reaches to the left of the axis.
            left = left.max(MARGIN + GAP + overhang(&x, left.max(most), sheet.turned_name));
            x.start = left;
        }
        if plot.series.iter().any(|series| series.style == Style::Bars) && !x.has_places() {
            // Half a bar stands out on either side of the first and last tick.
            x.inset = marks::bar_room(plot, right - left) / 2.0;
        }
        let y = Ruler { extent: scales.y, start: top + sheet.inside, end: top, inset: 0.0 };
        let picture = Picture {
            title: plot.title.clone(),
            description: describe(plot),
            size: (sheet.width, 0.0),
            shapes: Vec::new(),
        };
        Self { plot, picture, x, y, sheet, names, hints: Vec::new() }
    }

    fn grid(&mut self) {
        let stroke = Stroke::new(Paint::Grid, 1.0);
        for (value, _) in &self.y.extent.ticks {
            if let Some(y) = self.y.place(*value) {
                self.picture.line((self.x.start, y), (self.x.end, y), stroke);
            }
        }
        if let Some(zero) = self.y.place(0.0).filter(|_| self.y.extent.crosses_zero()) {
            let ink = Stroke::new(Paint::Ink, 1.2);
            self.picture.line((self.x.start, zero), (self.x.end, zero), ink);
        }
        // Categories need no vertical lines: their slots are the grid.
        if self.x.has_places() {
            return;
        }
        for (value, _) in &self.x.extent.ticks {
            if let Some(x) = self.x.place(*value) {
                self.picture.line((x, self.y.start), (x, self.y.end), stroke);
            }
        }
    }

    /// Axes with ticks; returns where the names below end.
    fn axes(&mut self) -> f64 {
        let stroke = Stroke::new(Paint::Ink, 1.2);
        let (left, right, bottom, top) = (self.x.start, self.x.end, self.y.start, self.y.end);
        let finite = self.x.cut().unwrap_or(right);
        self.picture.line((left, bottom), (finite, bottom), stroke);
        self.picture.line((left, bottom), (left, top), stroke);
        if let Some(cut) = self.x.cut() {
            // Two slanted strokes: the axis goes on elsewhere.
            self.picture.line((cut + 6.0, bottom), (right, bottom), stroke);
            for at in [cut, cut + 6.0] {
                self.picture.line((at - 3.0, bottom + 5.0), (at + 3.0, bottom - 5.0), stroke);
            }
        }
        for (value, label) in self.y.extent.ticks.clone() {
            let Some(y) = self.y.place(value) else { continue };
            self.picture.line((left - 4.0, y), (left, y), stroke);
            let label = shortened(&label, SMALL, self.sheet.turned_name);
            // 0.36 of the height centres digits on the tick.
            let words = TextLine::new((left - 7.0, y + SMALL * 0.36), label, SMALL);
            self.picture.words(words.anchor(Anchor::End));
        }
        for value in self.y.extent.minor.clone() {
            let Some(y) = self.y.place(value) else { continue };
            self.picture.line((left - 2.5, y), (left, y), stroke);
        }
        self.ticks_below(stroke)
    }

    fn ticks_below(&mut self, stroke: Stroke) -> f64 {
        let bottom = self.y.start;
        for value in self.x.extent.minor.clone() {
            let Some(x) = self.x.place(value) else { continue };
            self.picture.line((x, bottom), (x, bottom + 2.5), stroke);
        }
        let mut ticks = self.x.extent.ticks.clone();
        if self.x.extent.infinite {
            ticks.push((f64::INFINITY, "∞".into()));
        }
        // Names closer than a line's height: only every so many are written.
        let every = match self.x.has_places() {
            true => ((SMALL + 2.0) / self.x.slot()).ceil().max(1.0) as usize,
            false => 1,
        };
        let mut end = bottom + 7.0 + SMALL;
        for (value, label) in ticks.into_iter().step_by(every) {
            let Some(x) = self.x.place(value) else { continue };
            self.picture.line((x, bottom), (x, bottom + 4.0), stroke);
            let label = shortened(&label, SMALL, self.sheet.turned_name);
            let long = width(&label, SMALL);
            let words = match self.names {
                Names::Flat => {
                    TextLine::new((x, bottom + 6.0 + SMALL), label, SMALL).anchor(Anchor::Middle)
                }
                Names::Turned => {
                    end = end.max(bottom + 14.0 + long * TURN.to_radians().sin());
                    let at = (x + 4.0, bottom + 14.0);
                    TextLine::new(at, label, SMALL).anchor(Anchor::End).turned(-TURN)
                }
            };
            self.picture.words(words);
        }
        end
    }

    fn axis_labels(&mut self, names_end: f64) -> f64 {
        let (label, inside) = (&self.plot.x.label, self.x.end - self.x.start);
        let middle = f64::midpoint(self.x.start, self.x.end);
        let mut below = names_end + GAP;
        if !label.trim().is_empty() {
            let text = shortened(label, LABEL, inside);
            let words = TextLine::new((middle, below + LABEL), text, LABEL).anchor(Anchor::Middle);
            self.picture.words(words);
            below += LABEL + GAP;
        }
        let text = shortened(&self.plot.y.label, LABEL, self.sheet.inside + 40.0);
        let middle = f64::midpoint(self.y.start, self.y.end);
        let words = TextLine::new((MARGIN + LABEL, middle), text, LABEL).anchor(Anchor::Middle);
        self.picture.words(words.turned(-90.0));
        below + 4.0
    }

    /// What the reader does not see.
    fn notes(&mut self, mut below: f64) -> f64 {
        let (all, lost) = self.plot.points();
        // An empty plot says so: it could be taken for one of zeros.
        if all == lost {
            let middle = f64::midpoint(self.x.start, self.x.end);
            let at = (middle, f64::midpoint(self.y.start, self.y.end));
            let words = TextLine::new(at, "nothing to draw", LABEL).anchor(Anchor::Middle);
            self.picture.words(words.paint(Paint::Faint));
        }
        let lines = self.plot.lines.iter().filter(|line| !self.y.extent.holds(line.y));
        let lines = lines.map(|line| {
            format!("the line '{}' is not drawn: it has no height this axis can show", line.name)
        });
        let notes: Vec<String> = note(all, lost).into_iter().chain(lines).collect();
        for note in notes {
            let note = shortened(&note, SMALL, self.sheet.width - 2.0 * MARGIN);
            let words = TextLine::new((MARGIN, below + SMALL), note, SMALL).paint(Paint::Faint);
            self.picture.words(words);
            below += SMALL + GAP;
        }
        below
    }

    /// Adds a tooltip between two corners.
    pub fn hint(&mut self, a: Spot, b: Spot, words: String) {
        self.hints.push(Shape::Hint { a, b, words });
    }

    /// Adds a shape above what is there.
    pub fn add(&mut self, shape: Shape) {
        self.picture.add(shape);
    }
}

/// How far turned names reach to the left of the axis, if it starts no further right than `left`.
fn overhang(x: &Ruler, left: f64, most: f64) -> f64 {
    let slot = Ruler { start: left, ..x.clone() }.slot();
    let reach = |(at, (_, name)): (usize, &(f64, String))| {
        let long = width(name, SMALL).min(most) * TURN.to_radians().cos();
        // How far the name reaches beyond the start of the axis.
        long - (at as f64 + 0.5) * slot
    };
    x.extent.ticks.iter().enumerate().map(reach).fold(0.0, f64::max)
}

/// Says how many points have no place, if there are any.
fn note(all: usize, lost: usize) -> Option<String> {
    let of = counted(all as u64, "point");
    (lost > 0).then(|| format!("{lost} of {of} not drawn: no number, or none this axis can show"))
}

/// A description for readers who cannot see the plot.
fn describe(plot: &Plot) -> String {
    let (all, lost) = plot.points();
    let names: Vec<&str> = plot.series.iter().map(|series| series.name.as_str()).collect();
    let lines: Vec<&str> = plot.lines.iter().map(|line| line.name.as_str()).collect();
    let mut text = format!(
        "{} against {}, {} in {} series: {}.",
        plot.y.label,
        plot.x.label,
        counted(all as u64, "point"),
        names.len(),
        names.join(", ")
    );
    if !lines.is_empty() {
        text += &format!(" Lines to compare with: {}.", lines.join(", "));
    }
    note(all, lost).map_or(text.clone(), |note| format!("{text} {note}."))
}
