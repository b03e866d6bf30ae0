//! [`Picture`]: shapes on a page, written as SVG or as PNG from the same list.

mod letters;
#[cfg(feature = "png")]
mod png;
mod svg;

pub(super) use letters::{shortened, width, wrapped};
pub use svg::Colours;

/// A place on the page, in pixels from the upper left corner.
pub(super) type Spot = (f64, f64);

/// What a shape is painted with. Named by purpose, so that a page can choose its own colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Paint {
    /// Letters and axes.
    Ink,
    /// Secondary letters.
    Faint,
    /// Lines of the grid.
    Grid,
    /// The background.
    Paper,
    /// A series, by its colour's number.
    Series(usize),
}

/// Names and default colours. The series' are Okabe and Ito's, which people with any common kind of
/// colour blindness can tell apart, without the yellow that vanishes on paper.
const SERIES: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#b6558f", "#c98a00", "#3aa0dc"];

impl Paint {
    /// How many series have a colour of their own.
    pub const SERIES: usize = SERIES.len();

    /// The name of the colour in a style sheet, and its value on white paper.
    fn name_and_value(self) -> (String, &'static str) {
        match self {
            Self::Ink => ("ink".into(), "#1d232b"),
            Self::Faint => ("faint".into(), "#5a6470"),
            Self::Grid => ("grid".into(), "#dde1e6"),
            Self::Paper => ("paper".into(), "#ffffff"),
            Self::Series(number) => {
                let number = number % SERIES.len();
                (format!("series-{}", number + 1), SERIES[number])
            }
        }
    }
}

/// How a line is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub paint: Paint,
    pub width: f64,
    pub opacity: f64,
    /// Lengths of dashes and gaps; empty for a solid line.
    pub dashes: &'static [f64],
}

impl Stroke {
    pub fn new(paint: Paint, width: f64) -> Self {
        Self { paint, width, opacity: 1.0, dashes: &[] }
    }

    pub fn dashed(self, dashes: &'static [f64]) -> Self {
        Self { dashes, ..self }
    }

    pub fn opacity(self, opacity: f64) -> Self {
        Self { opacity, ..self }
    }
}

/// On which side of its place a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// A line of text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TextLine {
    pub at: Spot,
    pub text: String,
    pub size: f64,
    pub anchor: Anchor,
    pub paint: Paint,
    pub bold: bool,
    /// Degrees, clockwise.
    pub turned: f64,
}

impl TextLine {
    pub fn new(at: Spot, text: impl Into<String>, size: f64) -> Self {
        let (anchor, paint) = (Anchor::Start, Paint::Ink);
        Self { at, text: text.into(), size, anchor, paint, bold: false, turned: 0.0 }
    }

    pub fn anchor(self, anchor: Anchor) -> Self {
        Self { anchor, ..self }
    }

    pub fn paint(self, paint: Paint) -> Self {
        Self { paint, ..self }
    }

    pub fn turned(self, turned: f64) -> Self {
        Self { turned, ..self }
    }

    pub fn bold(self) -> Self {
        Self { bold: true, ..self }
    }
}

/// One thing on the page; later ones lie above earlier ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// Many lines from one place to another.
    Segments {
        ends: Vec<(Spot, Spot)>,
        stroke: Stroke,
    },
    Line {
        points: Vec<Spot>,
        stroke: Stroke,
    },
    Polygon {
        points: Vec<Spot>,
        fill: Paint,
        opacity: f64,
        outline: Option<Stroke>,
    },
    Circle {
        center: Spot,
        radius: f64,
        fill: Paint,
        outline: Option<Stroke>,
    },
    /// Many discs of one size.
    Dots {
        centers: Vec<Spot>,
        radius: f64,
        fill: Paint,
        opacity: f64,
    },
    Words(TextLine),
    /// The tooltip between two corners; nothing is drawn.
    Hint {
        a: Spot,
        b: Spot,
        words: String,
    },
}

/// A finished drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    pub(super) title: String,
    pub(super) description: String,
    pub(super) size: Spot,
    pub(super) shapes: Vec<Shape>,
}

impl Picture {
    pub(super) fn add(&mut self, shape: Shape) {
        self.shapes.push(shape);
    }

    pub(super) fn line(&mut self, from: Spot, to: Spot, stroke: Stroke) {
        self.add(Shape::Line { points: vec![from, to], stroke });
    }

    pub(super) fn words(&mut self, words: TextLine) {
        self.add(Shape::Words(words));
    }

    /// A rectangle between two corners.
    pub(super) fn rectangle(&mut self, a: Spot, b: Spot, fill: Paint, opacity: f64) {
        let points = vec![a, (b.0, a.1), b, (a.0, b.1)];
        self.add(Shape::Polygon { points, fill, opacity, outline: None });
    }
}
