//! [`Plot`]: curves, points and bars, with intervals and lines to compare them with.
//!
//! A plot is data; [`Plot::picture`] draws it. Values that cannot be drawn (NaN, infinities, zero on
//! a logarithmic axis) leave a gap, and a note under the plot counts them.

mod axis;
mod frame;
mod legend;
mod looks;
mod marks;
mod references;
mod ticks;

use serde::{Deserialize, Serialize};

use super::json::{list, maybe, number};
use super::picture::Picture;
use super::summary::{MeasuredValue, NumberUnit, in_unit, plain};

/// A plot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
    /// Horizontal lines to compare it with.
    pub lines: Vec<Reference>,
}

/// An axis. Its range follows the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// What it measures.
    pub label: String,
    /// How values are laid out.
    pub scale: AxisScale,
    /// How its numbers are shown.
    pub unit: NumberUnit,
    /// Values the axis reaches even if no data does.
    #[serde(with = "list")]
    pub include: Vec<f64>,
    /// What values can be at all: intervals are cut there, and no tick lies beyond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<(f64, f64)>,
}

/// How an axis lays out its values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisScale {
    /// Equal differences, equal distances. Infinity on a horizontal axis has a place of its own.
    Linear,
    /// Equal ratios, equal distances. Infinity on a horizontal axis has a place of its own.
    Log,
    /// Names, one place each; a value is the position of its name.
    Categories(Vec<String>),
}

/// Points that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The points, in the order in which they are joined.
    pub points: Vec<PlotPoint>,
    /// How they are drawn.
    pub style: Style,
}

/// A value, with an interval around it if there is one.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlotPoint {
    /// Where.
    #[serde(with = "number")]
    pub x: f64,
    /// How much.
    #[serde(with = "number")]
    pub y: f64,
    /// The lower end of the interval.
    #[serde(with = "maybe", default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Its upper end.
    #[serde(with = "maybe", default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// Points joined by lines; intervals are bands, or whiskers where many bands would overlap.
    Line,
    /// Points alone.
    Scatter,
    /// Bars from zero, side by side where several series have one.
    Bars,
    /// A value that holds until the next point.
    Step,
}

/// A horizontal line to compare a plot's series with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The name beside the line.
    pub name: String,
    /// Its height.
    #[serde(with = "number")]
    pub y: f64,
    /// The lower end of the interval.
    #[serde(with = "maybe", default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Its upper end.
    #[serde(with = "maybe", default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
}

impl Plot {
    /// A plot with nothing in it yet.
    pub fn new(title: impl Into<String>, x: Axis, y: Axis) -> Self {
        Self { title: title.into(), x, y, series: Vec::new(), lines: Vec::new() }
    }

    /// Adds a series.
    #[must_use]
    pub fn with(mut self, series: Series) -> Self {
        self.series.push(series);
        self
    }

    /// Adds a line to compare with.
    #[must_use]
    pub fn with_line(mut self, line: Reference) -> Self {
        self.lines.push(line);
        self
    }

    /// Draws it for a page or a paper.
    pub fn picture(&self) -> Picture {
        frame::draw(self, &frame::BROAD)
    }

    /// Draws it for a small screen: the same letters, in half the width.
    pub fn narrow_picture(&self) -> Picture {
        frame::draw(self, &frame::NARROW)
    }

    /// The name or number of a place on the horizontal axis.
    pub(super) fn place_name(&self, x: f64) -> String {
        match &self.x.scale {
            AxisScale::Categories(names) => {
                let known = (x >= 0.0).then(|| names.get(x as usize)).flatten();
                known.cloned().unwrap_or_else(|| plain(x))
            }
            AxisScale::Linear | AxisScale::Log => in_unit(x, self.x.unit),
        }
    }

    /// A value with its interval, as tooltips show it.
    pub(super) fn told(&self, y: f64, low: Option<f64>, high: Option<f64>) -> String {
        let value = in_unit(y, self.y.unit);
        match (low, high) {
            (Some(low), Some(high)) => {
                let [low, high] = [low, high].map(|end| in_unit(self.y.clipped(end), self.y.unit));
                format!("{value} (95 %: {low} to {high})")
            }
            _ => value,
        }
    }

    /// How many points it has, and how many of them cannot be drawn.
    pub(super) fn points(&self) -> (usize, usize) {
        let frame = frame::Scales::of(self);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let shown = points().filter(|point| frame.can_draw(point)).count();
        (points().count(), points().count() - shown)
    }
}

impl Axis {
    /// A linear axis.
    pub fn linear(label: impl Into<String>) -> Self {
        let (include, within) = (Vec::new(), None);
        Self {
            label: label.into(),
            scale: AxisScale::Linear,
            unit: NumberUnit::Plain,
            include,
            within,
        }
    }

    /// A logarithmic axis.
    pub fn log(label: impl Into<String>) -> Self {
        Self { scale: AxisScale::Log, ..Self::linear(label) }
    }

    /// An axis of shares, shown as percent: none is below 0 or above 100.
    pub fn percent(label: impl Into<String>) -> Self {
        Self { within: Some((0.0, 1.0)), ..Self::points(label) }
    }

    /// An axis of differences of shares, shown as percent: they may be negative.
    pub fn points(label: impl Into<String>) -> Self {
        Self { unit: NumberUnit::Percent, ..Self::linear(label) }
    }

    /// An axis of shares that are not shown as percent, such as areas under curves.
    pub fn share(label: impl Into<String>) -> Self {
        Self { within: Some((0.0, 1.0)), ..Self::linear(label) }
    }

    /// The axis of the picture that recurs: how much privacy, from much to little.
    pub fn epsilon() -> Self {
        Self::log("epsilon (further left: more privacy)")
    }

    /// An axis of names.
    pub fn categories<N: Into<String>>(
        label: impl Into<String>,
        names: impl IntoIterator<Item = N>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self { scale: AxisScale::Categories(names), ..Self::linear(label) }
    }

    /// An axis with a place for each of some epsilons, infinity included.
    pub fn epsilons(epsilons: &[f64]) -> Self {
        Self::categories("epsilon", epsilons.iter().map(|&epsilon| plain(epsilon)))
    }

    fn is_numeric(&self) -> bool {
        !matches!(self.scale, AxisScale::Categories(_))
    }

    /// A value, or the end of the axis beyond which there are none.
    fn clipped(&self, value: f64) -> f64 {
        match self.within {
            Some((least, most)) if !value.is_nan() => value.max(least).min(most),
            _ => value,
        }
    }

    /// Makes the axis reach a value.
    #[must_use]
    pub fn reaching(mut self, value: f64) -> Self {
        self.include.push(value);
        self
    }
}

impl Series {
    /// A series of plain values.
    pub fn new(
        name: impl Into<String>,
        style: Style,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        let points = points.into_iter().map(|(x, y)| PlotPoint { x, y, low: None, high: None });
        Self { name: name.into(), points: points.collect(), style }
    }

    /// Measurements at the places of an axis of names, one each, in order.
    pub fn measured<'a>(
        name: impl Into<String>,
        style: Style,
        values: impl IntoIterator<Item = &'a MeasuredValue>,
    ) -> Self {
        let point = |(at, value): (usize, &MeasuredValue)| PlotPoint::measured(at as f64, value);
        Self {
            name: name.into(),
            points: values.into_iter().enumerate().map(point).collect(),
            style,
        }
    }
}

impl PlotPoint {
    /// A measurement with its confidence interval, if it has one.
    pub fn measured(x: f64, value: &MeasuredValue) -> Self {
        let end = |end: f64| end.is_finite().then_some(end);
        Self { x, y: value.mean, low: end(value.low95), high: end(value.high95) }
    }
}

impl Reference {
    /// What the same learner reaches without any privacy.
    pub fn ceiling(value: &MeasuredValue) -> Self {
        Self::measured("ceiling: no privacy", value)
    }

    /// What the same learner reaches on noise that knows nothing of the data.
    pub fn control(value: &MeasuredValue) -> Self {
        Self::measured("control: noise only", value)
    }

    /// A measurement with its confidence interval, if it has one.
    pub fn measured(name: impl Into<String>, value: &MeasuredValue) -> Self {
        let PlotPoint { y, low, high, .. } = PlotPoint::measured(0.0, value);
        Self { name: name.into(), y, low, high }
    }
}

#[cfg(test)]
mod tests;
