//! A picture as PNG, on machines without fonts too.
//!
//! The letters come from a subset of DejaVu Sans that is part of the program (Latin, Greek, and the
//! signs of plots); any other letter is drawn as an empty box.

use tiny_skia::{Color, FillRule, LineCap, LineJoin, PathBuilder, Pixmap, StrokeDash, Transform};
use ttf_parser::{Face, OutlineBuilder};

use super::{Anchor, Paint, Picture, Shape, Spot, Stroke, TextLine};
use crate::error::Error;

const FONT: &[u8] = include_bytes!("letters.ttf");

/// The widest picture that is drawn, in pixels.
const LARGEST: f64 = 20_000.0;

impl Picture {
    /// The picture as a PNG file, `scale` pixels to a pixel of the SVG.
    ///
    /// # Errors
    /// If the picture would be empty or enormous.
    pub fn png(&self, scale: f64) -> Result<Vec<u8>, Error> {
        let failed = |reason: String| Error::Picture { title: self.title.clone(), reason };
        let (width, height) = (self.size.0 * scale, self.size.1 * scale);
        if !(1.0..=LARGEST).contains(&width) || !(1.0..=LARGEST).contains(&height) {
            let reason = format!("{width} by {height} pixels; 1 to {LARGEST} are possible");
            return Err(failed(reason));
        }
        let pixels = Pixmap::new(width.ceil() as u32, height.ceil() as u32);
        let mut pixels = pixels.ok_or_else(|| failed("there is no room for it".into()))?;
        pixels.fill(colour(Paint::Paper, 1.0));
        let face = Face::parse(FONT, 0).map_err(|error| failed(format!("font: {error}")))?;
        let transform = Transform::from_scale(scale as f32, scale as f32);
        let mut canvas = Canvas { pixels, face, transform };
        self.shapes.iter().for_each(|shape| canvas.shape(shape));
        canvas.pixels.encode_png().map_err(|error| failed(error.to_string()))
    }
}

struct Canvas<'a> {
    pixels: Pixmap,
    face: Face<'a>,
    transform: Transform,
}

impl Canvas<'_> {
    fn shape(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, stroke } => {
                let mut path = PathBuilder::new();
                polyline(&mut path, points);
                self.stroke(path, stroke);
            }
            Shape::Segments { ends, stroke } => {
                let mut path = PathBuilder::new();
                for &(from, to) in ends {
                    polyline(&mut path, &[from, to]);
                }
                self.stroke(path, stroke);
            }
            Shape::Polygon { points, fill, opacity, outline } => {
                let mut path = PathBuilder::new();
                polyline(&mut path, points);
                path.close();
                self.filled(path, *fill, *opacity, outline.as_ref());
            }
            Shape::Circle { center, radius, fill, outline } => {
                let mut path = PathBuilder::new();
                path.push_circle(center.0 as f32, center.1 as f32, *radius as f32);
                self.filled(path, *fill, 1.0, outline.as_ref());
            }
            Shape::Dots { centers, radius, fill, opacity } => {
                let mut path = PathBuilder::new();
                for &(x, y) in centers {
                    path.push_circle(x as f32, y as f32, *radius as f32);
                }
                self.filled(path, *fill, *opacity, None);
            }
            Shape::Words(words) => self.words(words),
            Shape::Hint { .. } => {}
        }
    }

    fn filled(&mut self, path: PathBuilder, fill: Paint, opacity: f64, outline: Option<&Stroke>) {
        let mut copy = None;
        if outline.is_some() {
            copy = Some(path.clone());
        }
        self.fill(path, fill, opacity, self.transform);
        if let (Some(path), Some(outline)) = (copy, outline) {
            self.stroke(path, outline);
        }
    }

    fn fill(&mut self, path: PathBuilder, fill: Paint, opacity: f64, transform: Transform) {
        // A path without extent draws nothing.
        if let Some(path) = path.finish() {
            let paint = &paint(fill, opacity);
            self.pixels.fill_path(&path, paint, FillRule::Winding, transform, None);
        }
    }

    fn stroke(&mut self, path: PathBuilder, stroke: &Stroke) {
        let dashes = stroke.dashes.iter().map(|&length| length as f32).collect();
        let style = tiny_skia::Stroke {
            width: stroke.width as f32,
            line_cap: LineCap::Butt,
            line_join: LineJoin::Round,
            dash: StrokeDash::new(dashes, 0.0),
            ..Default::default()
        };
        if let Some(path) = path.finish() {
            let paint = &paint(stroke.paint, stroke.opacity);
            self.pixels.stroke_path(&path, paint, &style, self.transform, None);
        }
    }

    fn words(&mut self, words: &TextLine) {
        let em = words.size as f32 / f32::from(self.face.units_per_em());
        let mut outline = Outline { path: PathBuilder::new(), from: 0.0 };
        for letter in words.text.chars() {
            let glyph = self.face.glyph_index(letter).unwrap_or_default();
            self.face.outline_glyph(glyph, &mut outline);
            outline.from += f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0));
        }
        let shift = match words.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -outline.from / 2.0,
            Anchor::End => -outline.from,
        };
        // A font's letters stand upright, a page's coordinates grow downwards.
        let place = Transform::from_translate(shift, 0.0)
            .post_scale(em, -em)
            .post_rotate(words.turned as f32)
            .post_translate(words.at.0 as f32, words.at.1 as f32)
            .post_concat(self.transform);
        if words.bold {
            let heavier =
                tiny_skia::Stroke { width: 0.03 / em * words.size as f32, ..Default::default() };
            if let Some(path) = outline.path.clone().finish() {
                let paint = &paint(words.paint, 1.0);
                self.pixels.stroke_path(&path, paint, &heavier, place, None);
            }
        }
        self.fill(outline.path, words.paint, 1.0, place);
    }
}

/// Letters beside each other, in the font's units.
struct Outline {
    path: PathBuilder,
    from: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.from + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.from + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.from + x1, y1, self.from + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let from = self.from;
        self.path.cubic_to(from + x1, y1, from + x2, y2, from + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn polyline(path: &mut PathBuilder, points: &[Spot]) {
    for (at, &(x, y)) in points.iter().enumerate() {
        match at {
            0 => path.move_to(x as f32, y as f32),
            _ => path.line_to(x as f32, y as f32),
        }
    }
}

fn paint(paint: Paint, opacity: f64) -> tiny_skia::Paint<'static> {
    let mut brush = tiny_skia::Paint { anti_alias: true, ..Default::default() };
    brush.set_color(colour(paint, opacity));
    brush
}

/// `#rrggbb`.
fn colour(paint: Paint, opacity: f64) -> Color {
    let (_, value) = paint.name_and_value();
    let part = |at: usize| u8::from_str_radix(value.get(at..at + 2).unwrap_or("00"), 16);
    let [red, green, blue] = [1, 3, 5].map(|at| part(at).unwrap_or(0));
    Color::from_rgba8(red, green, blue, (opacity.clamp(0.0, 1.0) * 255.0).round() as u8)
}
