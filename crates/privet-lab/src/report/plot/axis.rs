//! From values to pixels: what an axis covers, where its ticks are, and where a value goes.

use super::ticks;
use super::{Axis, AxisScale};
use crate::report::summary::{NumberUnit, fixed, plain, power_of_ten};

/// The numbers that have a place on an axis: far from where floats end, in percent too.
const SMALLEST: f64 = 1e-200;
const LARGEST: f64 = 1e200;

/// How much of an axis lies before the place for infinity.
const FINITE_PART: f64 = 0.88;

/// What an axis covers, and its ticks.
#[derive(Debug, Clone, PartialEq)]
pub struct Extent {
    layout: Layout,
    low: f64,
    high: f64,
    within: Option<(f64, f64)>,
    /// Values and labels.
    pub ticks: Vec<(f64, String)>,
    /// Marks without labels.
    pub minor: Vec<f64>,
    /// Whether there is a place for infinity.
    pub infinite: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Linear,
    Log,
    Places(usize),
}

impl Extent {
    /// What covers the values that can be drawn, and those the axis must reach.
    pub fn of(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let layout = match &axis.scale {
            AxisScale::Linear => Layout::Linear,
            AxisScale::Log => Layout::Log,
            AxisScale::Categories(names) => Layout::Places(names.len()),
        };
        let mut extent = Self {
            layout,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            within: axis.within,
            ticks: Vec::new(),
            minor: Vec::new(),
            infinite: false,
        };
        for value in values.chain(axis.include.iter().copied()) {
            // A category has no infinity: its places are counted.
            extent.infinite |= value == f64::INFINITY && !matches!(layout, Layout::Places(_));
            if extent.is_finite_place(value) {
                extent.low = extent.low.min(value);
                extent.high = extent.high.max(value);
            }
        }
        extent.set_ticks(axis);
        extent
    }

    /// An infinite value leaves a gap here.
    pub fn without_infinity(self) -> Self {
        Self { infinite: false, ..self }
    }

    fn set_ticks(&mut self, axis: &Axis) {
        let values = match (self.layout, self.low <= self.high) {
            (Layout::Linear, covers) => {
                let (low, high) = if covers { (self.low, self.high) } else { (0.0, 1.0) };
                // Ticks are chosen among the numbers that are written, percent for example.
                let factor = axis.unit.factor();
                let shown = ticks::linear(low * factor, high * factor);
                shown.into_iter().map(|tick| tick / factor).collect()
            }
            (Layout::Log, true) => ticks::logarithmic(self.low, self.high),
            (Layout::Log, false) => ticks::logarithmic(1.0, 10.0),
            (Layout::Places(_), _) => Vec::new(),
        };
        if let AxisScale::Categories(names) = &axis.scale {
            self.ticks = names.iter().enumerate().map(|(at, n)| (at as f64, n.clone())).collect();
            return;
        }
        let values = self.possible(values);
        if self.layout == Layout::Log {
            self.minor = ticks::minor(&values);
        }
        // The axis ends at ticks, so that every mark stands between two of them.
        (self.low, self.high) = (values[0], values[values.len() - 1]);
        let labels = labels(&values, axis.unit, self.layout);
        self.ticks = values.into_iter().zip(labels).collect();
    }

    /// Ticks at values that there can be, where that leaves two to tell apart.
    fn possible(&self, ticks: Vec<f64>) -> Vec<f64> {
        let Some((least, most)) = self.within else { return ticks };
        // A billionth of the range: ticks are computed, and rounding must not drop the last one.
        let slack = 1e-9 * (most - least);
        let inside = |tick: &f64| (least - slack..=most + slack).contains(tick);
        let possible: Vec<f64> = ticks.iter().copied().filter(inside).collect();
        // Fewer than two ticks make no axis; then the range is left open.
        if possible.len() < 2 { ticks } else { possible }
    }

    fn is_finite_place(&self, value: f64) -> bool {
        if self.within.is_some_and(|(least, most)| value < least || value > most) {
            return false;
        }
        match self.layout {
            Layout::Linear => value.abs() <= LARGEST,
            Layout::Log => (SMALLEST..=LARGEST).contains(&value),
            Layout::Places(count) => value.fract() == 0.0 && value >= 0.0 && value < count as f64,
        }
    }

    /// Whether a value has a place on the axis.
    pub fn holds(&self, value: f64) -> bool {
        self.is_finite_place(value) || (self.infinite && value == f64::INFINITY)
    }

    /// Where a value lies between the axis's ends.
    fn share(&self, value: f64) -> f64 {
        match self.layout {
            Layout::Linear => (value - self.low) / (self.high - self.low),
            // Ratios of such numbers can leave the floats; differences of their logarithms cannot.
            Layout::Log => (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()),
            // The middle of its slot.
            Layout::Places(count) => (value + 0.5) / count as f64,
        }
    }

    /// The value at which bars begin: zero, or the low end where there is no zero.
    pub fn base(&self) -> f64 {
        match self.layout {
            Layout::Linear => 0f64.clamp(self.low, self.high),
            Layout::Log | Layout::Places(_) => self.low,
        }
    }

    /// The low end.
    pub fn low(&self) -> f64 {
        self.low
    }

    /// Whether there are values on both sides of zero.
    pub fn crosses_zero(&self) -> bool {
        self.layout == Layout::Linear && self.low < 0.0 && self.high > 0.0
    }
}

/// Labels that tell neighbouring ticks apart, all with the same number of decimals.
fn labels(values: &[f64], unit: NumberUnit, layout: Layout) -> Vec<String> {
    let shown: Vec<f64> = values.iter().map(|value| value * unit.factor()).collect();
    let largest = shown.iter().fold(0f64, |largest, value| largest.max(value.abs()));
    let step = shown[1] - shown[0];
    let label = |value: &f64| match layout {
        Layout::Log if !(0.001..10_000.0).contains(value) => power_of_ten(*value),
        Layout::Log => plain(*value),
        // All labels in one notation: one power of ten among plain numbers would be misread.
        _ if !(1e-3..1e6).contains(&largest) => match *value {
            0.0 => "0".into(),
            value => power_of_ten(value),
        },
        _ => fixed(*value, decimals(step)),
    };
    shown.iter().map(|value| label(value) + unit.sign()).collect()
}

/// How many decimals a step has.
fn decimals(step: f64) -> usize {
    let whole = |&decimals: &usize| {
        let scaled = step * 10f64.powi(decimals as i32);
        // Relative to the step: 0.30000000000000004 counts as 0.3.
        (scaled - scaled.round()).abs() < 1e-6 * scaled
    };
    (0..12).find(whole).unwrap_or(12)
}

/// An axis in its place on the page.
#[derive(Debug, Clone, PartialEq)]
pub struct Ruler {
    /// What it covers.
    pub extent: Extent,
    /// The pixel of its low end.
    pub start: f64,
    /// The pixel of its high end.
    pub end: f64,
    /// Room at both ends, so that marks stay inside.
    pub inset: f64,
}

impl Ruler {
    /// The pixel of a value that can be drawn.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !self.extent.holds(value) {
            return None;
        }
        let length = self.end - self.start;
        if value == f64::INFINITY {
            // Between the end of the finite part and the end of the axis.
            return Some(self.start + length * f64::midpoint(FINITE_PART, 1.0));
        }
        let part = if self.extent.infinite { FINITE_PART } else { 1.0 };
        // The inset points inwards whichever way the axis runs.
        let inset = self.inset.min(length.abs() / 4.0) * length.signum();
        Some(self.start + inset + (length * part - 2.0 * inset) * self.extent.share(value))
    }

    /// The pixels between neighbouring categories.
    pub fn slot(&self) -> f64 {
        (self.end - self.start).abs() / self.extent.ticks.len().max(1) as f64
    }

    /// Whether it has names instead of numbers.
    pub fn has_places(&self) -> bool {
        matches!(self.extent.layout, Layout::Places(_))
    }

    /// The pixel between the finite part and infinity.
    pub fn cut(&self) -> Option<f64> {
        let place = self.start + (self.end - self.start) * (FINITE_PART + 0.005);
        self.extent.infinite.then_some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels_of(axis: &Axis, values: &[f64]) -> Vec<String> {
        let extent = Extent::of(axis, values.iter().copied());
        extent.ticks.into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn labels_are_short() {
        let percent = Axis::percent("accuracy");
        assert_eq!(labels_of(&percent, &[0.5, 0.9]), ["50 %", "60 %", "70 %", "80 %", "90 %"]);
        let linear = Axis::linear("nodes");
        assert_eq!(labels_of(&linear, &[0.0, 1e5]).last().unwrap(), "100,000");
        assert_eq!(labels_of(&linear, &[0.0, 5e6])[1], "10⁶");
        assert_eq!(labels_of(&linear, &[0.0, 1.0]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        // Whatever was measured, no accuracy is above 100 % or below 0.
        assert_eq!(labels_of(&percent, &[0.02, 1.0]).first().unwrap(), "0 %");
        assert_eq!(labels_of(&percent, &[0.02, 1.0]).last().unwrap(), "100 %");
        assert_eq!(labels_of(&percent, &[1.0]).last().unwrap(), "100 %");
        assert_eq!(labels_of(&Axis::points("gain"), &[-0.1, 0.1]).first().unwrap(), "−10 %");
        let log = Axis::log("degree");
        assert_eq!(labels_of(&log, &[1.0, 1e5])[3..], ["1000", "10⁴", "10⁵"]);
        assert_eq!(labels_of(&Axis::epsilons(&[0.5, f64::INFINITY]), &[]), ["0.5", "∞"]);
    }

    #[test]
    fn values_have_places() {
        let extent = Extent::of(&Axis::log("epsilon"), [0.1, 10.0, f64::INFINITY].into_iter());
        let ruler = Ruler { extent, start: 0.0, end: 100.0, inset: 0.0 };
        assert_eq!(ruler.place(0.1), Some(0.0));
        assert!((ruler.place(10.0).unwrap() - 88.0).abs() < 1e-9);
        assert_eq!(ruler.place(f64::INFINITY), Some(94.0));
        for lost in [0.0, -1.0, f64::NAN, f64::NEG_INFINITY] {
            assert_eq!(ruler.place(lost), None);
        }
        let extent = Extent::of(&Axis::categories("who", ["a", "b"]), std::iter::empty());
        let ruler = Ruler { extent, start: 0.0, end: 100.0, inset: 0.0 };
        let places = [0.0, 1.0, 2.0, 0.5, -1.0, f64::INFINITY].map(|at| ruler.place(at));
        assert_eq!(places, [Some(25.0), Some(75.0), None, None, None, None]);
    }
}
