//! The legend, below the plot: as many names in a row as fit.

use super::frame::{SMALL, Sheet};
use super::looks::SeriesLook;
use super::{Plot, Style, references};
use crate::report::picture::{Paint, Picture, Stroke, TextLine, shortened, width};

/// The sample beside a name, the space around it, and a row's height.
const SAMPLE: f64 = 30.0;
const GAP: f64 = 6.0;
const BETWEEN: f64 = 18.0;
const ROW: f64 = 20.0;

pub struct Legend<'a> {
    entries: Vec<(Sample, &'a str)>,
}

/// What stands beside a name.
#[derive(Debug, Clone, Copy)]
enum Sample {
    Series(usize, Style),
    Line(usize),
}

impl<'a> Legend<'a> {
    /// Names of series, and of lines that have none beside them.
    pub fn of(plot: &'a Plot, sheet: &Sheet) -> Self {
        let series = plot.series.iter().enumerate();
        let series = series.map(|(at, s)| (Sample::Series(at, s.style), s.name.as_str()));
        let lines = plot.lines.iter().enumerate().filter(|_| !sheet.names_beside);
        let lines = lines.map(|(at, line)| (Sample::Line(at), line.name.as_str()));
        Self { entries: series.chain(lines).collect() }
    }

    /// Draws it in columns below `top`; returns where it ends.
    pub fn draw(&self, picture: &mut Picture, top: f64, left: f64, right: f64) -> f64 {
        if self.entries.is_empty() {
            return top;
        }
        let widest = self.entries.iter().map(|(_, name)| width(name, SMALL)).fold(0.0, f64::max);
        let room = right - left;
        let wanted = SAMPLE + GAP + widest + BETWEEN;
        let columns = ((room + BETWEEN) / wanted).floor().clamp(1.0, self.entries.len() as f64);
        let column = wanted.min(room);
        let columns = columns as usize;
        for (at, (beside, name)) in self.entries.iter().enumerate() {
            let x = left + (at % columns) as f64 * column;
            let y = top + (at / columns) as f64 * ROW + ROW / 2.0;
            sample(picture, *beside, (x, y));
            let name = shortened(name, SMALL, right - x - SAMPLE - GAP);
            picture.words(TextLine::new((x + SAMPLE + GAP, y + SMALL * 0.36), name, SMALL));
        }
        top + self.entries.len().div_ceil(columns) as f64 * ROW + GAP
    }
}

fn sample(picture: &mut Picture, sample: Sample, (x, y): (f64, f64)) {
    let (look, style) = match sample {
        Sample::Series(number, style) => (SeriesLook::new(number), style),
        Sample::Line(number) => {
            let dashes = references::DASHES[number % references::DASHES.len()];
            let stroke = Stroke::new(Paint::Ink, 1.4).dashed(dashes);
            return picture.line((x, y), (x + SAMPLE, y), stroke);
        }
    };
    match style {
        Style::Bars => look.bar(picture, (x + 6.0, y - 6.0), (x + SAMPLE - 6.0, y + 6.0)),
        Style::Scatter => look.marker(picture, (x + SAMPLE / 2.0, y), 3.6),
        Style::Line => {
            picture.line((x, y), (x + SAMPLE, y), look.stroke());
            look.marker(picture, (x + SAMPLE / 2.0, y), 3.6);
        }
        Style::Step => picture.line((x, y), (x + SAMPLE, y), look.stroke()),
    }
}
