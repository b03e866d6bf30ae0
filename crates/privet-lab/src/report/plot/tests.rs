//! Whatever is plotted, nothing leaves the page, and what is missing is counted.

use proptest::prelude::*;

use super::*;
use crate::report::picture::{Anchor, Shape, Spot, TextLine, width};

/// The corners of a line of text.
fn corners(words: &TextLine) -> [Spot; 4] {
    let long = width(&words.text, words.size);
    let start = match words.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -long / 2.0,
        Anchor::End => -long,
    };
    let (sin, cos) = words.turned.to_radians().sin_cos();
    let (up, down) = (-0.8 * words.size, 0.25 * words.size);
    [(start, up), (start + long, up), (start, down), (start + long, down)]
        .map(|(x, y)| (words.at.0 + x * cos - y * sin, words.at.1 + x * sin + y * cos))
}

fn spots(shape: &Shape) -> Vec<Spot> {
    match shape {
        Shape::Line { points, .. } | Shape::Polygon { points, .. } => points.clone(),
        Shape::Segments { ends, .. } => ends.iter().flat_map(|&(a, b)| [a, b]).collect(),
        Shape::Dots { centers, .. } => centers.clone(),
        Shape::Circle { center, .. } => vec![*center],
        Shape::Words(words) => corners(words).to_vec(),
        Shape::Hint { a, b, .. } => vec![*a, *b],
    }
}

fn assert_on_page(plot: &Plot) {
    for picture in [plot.picture(), plot.narrow_picture()] {
        let (right, bottom) = picture.size;
        for shape in &picture.shapes {
            for (x, y) in spots(shape) {
                let inside =
                    (-0.5..=right + 0.5).contains(&x) && (-0.5..=bottom + 0.5).contains(&y);
                assert!(inside, "({x}, {y}) is not on the page {:?}: {shape:?}", picture.size);
            }
        }
    }
}

fn words(plot: &Plot) -> Vec<String> {
    let shapes = plot.picture().shapes;
    let text = |shape| match shape {
        Shape::Words(words) => Some(words.text),
        _ => None,
    };
    shapes.into_iter().filter_map(text).collect()
}

fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -10.0..10.0f64, 0.0..5f64, (0..6u8).prop_map(f64::from)]
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let names = prop::collection::vec(".{0,60}", 0..30);
    let scale = prop_oneof![
        Just(AxisScale::Linear),
        Just(AxisScale::Log),
        names.prop_map(AxisScale::Categories)
    ];
    (".{0,80}", scale, prop::collection::vec(any_number(), 0..2), any::<bool>()).prop_map(
        |(label, scale, include, percent)| Axis {
            label,
            scale,
            include,
            within: None,
            unit: if percent { NumberUnit::Percent } else { NumberUnit::Plain },
        },
    )
}

fn any_series() -> impl Strategy<Value = Series> {
    let style =
        prop_oneof![Just(Style::Line), Just(Style::Scatter), Just(Style::Bars), Just(Style::Step)];
    let number = any_number;
    let point = (number(), number(), prop::option::of(number()), prop::option::of(number()))
        .prop_map(|(x, y, low, high)| PlotPoint { x, y, low, high });
    (".{0,120}", prop::collection::vec(point, 0..30), style)
        .prop_map(|(name, points, style)| Series { name, points, style })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn everything_stays_on_the_page(
        title in ".{0,200}",
        x in any_axis(),
        y in any_axis(),
        series in prop::collection::vec(any_series(), 0..14),
        lines in prop::collection::vec((".{0,60}", any_number()), 0..4),
    ) {
        let lines = lines.into_iter().map(|(name, y)| Reference { name, y, low: None, high: None });
        let plot = Plot { title, x, y, series, lines: lines.collect() };
        assert_on_page(&plot);
    }
}

#[test]
fn what_cannot_be_drawn_is_counted() {
    let points = [(1.0, 1.0), (2.0, f64::NAN), (3.0, f64::INFINITY), (4.0, 0.0), (5.0, 2.0)];
    let series = Series::new("s", Style::Line, points);
    let plot = Plot::new("gaps", Axis::linear("x"), Axis::log("y")).with(series);
    let line = Reference { name: "lost".into(), y: f64::NAN, low: None, high: None };
    let plot = plot.with_line(line);
    assert!(words(&plot).iter().any(|text| text.starts_with("the line 'lost' is not drawn")));
    assert_eq!(plot.points(), (5, 3));
    let note = "3 of 5 points not drawn: no number, or none this axis can show";
    assert!(words(&plot).contains(&note.to_owned()));
    // The line is cut: its two points are not joined across the gap.
    let joined = |shape: &Shape| matches!(shape, Shape::Line { stroke, .. } if stroke.paint == looks::SeriesLook::new(0).paint());
    let lines = plot.picture().shapes.iter().filter(|shape| joined(shape)).count();
    // The one that is left is the legend's sample.
    assert_eq!(lines, 1);
    assert!(plot.picture().description.contains(note));
}

#[test]
fn empty_plots_say_so() {
    let axes = || (Axis::linear("x"), Axis::linear("y"));
    let empty = Plot::new("empty", axes().0, axes().1);
    let no_points = empty.clone().with(Series::new("s", Style::Bars, []));
    let no_names = Plot::new("no names", Axis::categories("x", [""; 0]), axes().1)
        .with(Series::new("s", Style::Bars, [(0.0, 1.0)]));
    for plot in [empty, no_points, no_names] {
        assert!(words(&plot).contains(&"nothing to draw".to_owned()), "{}", plot.title);
        assert_on_page(&plot);
    }
}

#[test]
fn bars_start_at_zero() {
    let series = Series::new("s", Style::Bars, [(0.0, 0.8), (1.0, 0.9)]);
    let plot =
        Plot::new("bars", Axis::categories("x", ["a", "b"]), Axis::percent("y")).with(series);
    assert!(words(&plot).contains(&"0 %".to_owned()));
}

/// An interval that a formula puts beyond what there can be ends where that ends.
#[test]
fn shares_stay_between_0_and_100_percent() {
    let point = PlotPoint { x: 0.0, y: 0.96, low: Some(0.886), high: Some(1.034) };
    let series = Series { name: "s".into(), points: vec![point], style: Style::Bars };
    let names = Axis::categories("who", ["a"]);
    let plot = Plot::new("shares", names, Axis::percent("accuracy")).with(series);
    let told = words(&plot);
    assert!(told.contains(&"100 %".to_owned()) && !told.iter().any(|text| text == "120 %"));
    let hint = |shape: &Shape| match shape {
        Shape::Hint { words, .. } => Some(words.clone()),
        _ => None,
    };
    let hints: Vec<String> = plot.picture().shapes.iter().filter_map(hint).collect();
    assert_eq!(hints, ["s, a: 96 % (95 %: 88.6 % to 100 %)"]);
    assert_on_page(&plot);
}

/// Where values lie on both sides of zero, it can be seen where zero is.
#[test]
fn zero_has_a_line_where_it_is_inside() {
    let inked = |low: f64| {
        let series = Series::new("s", Style::Scatter, [(1.0, low), (2.0, 0.1)]);
        let plot = Plot::new("gain", Axis::linear("run"), Axis::points("gain")).with(series);
        let across = |shape: &Shape| match shape {
            Shape::Line { points, stroke } => {
                stroke.paint == crate::report::picture::Paint::Ink
                    && points[0].1 == points[1].1
                    && points[1].0 - points[0].0 > 300.0
            }
            _ => false,
        };
        plot.picture().shapes.iter().filter(|shape| across(shape)).count()
    };
    assert_eq!((inked(0.05), inked(-0.1)), (1, 2));
}

#[test]
fn infinity_has_a_place_of_its_own() {
    let series = Series::new("s", Style::Line, [(1.0, 0.8), (8.0, 0.9), (f64::INFINITY, 1.0)]);
    let plot = Plot::new("epsilon", Axis::log("x"), Axis::percent("y")).with(series);
    assert_eq!(plot.points(), (3, 0));
    assert!(words(&plot).contains(&"∞".to_owned()));
}

#[test]
fn many_points_make_a_small_file() {
    let points = (1..=5000).map(|at| (f64::from(at % 97), f64::from(at % 89)));
    let series = Series::new("s", Style::Scatter, points);
    let plot = Plot::new("dots", Axis::linear("x"), Axis::linear("y")).with(series);
    let svg = plot.picture().svg(crate::report::picture::Colours::Fixed);
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
}

#[cfg(feature = "png")]
#[test]
fn png_files_have_pixels_and_letters() {
    let series = Series::new("ε ≤ 1 漢", Style::Line, [(1.0, 1.0), (2.0, 2.0)]);
    let plot = Plot::new("line", Axis::linear("x"), Axis::linear("y")).with(series);
    let picture = plot.picture();
    let pixels = tiny_skia::Pixmap::decode_png(&picture.png(2.0).unwrap()).unwrap();
    assert_eq!(f64::from(pixels.width()), 2.0 * picture.size.0);
    let dark = |from: u32, to: u32| {
        let row = pixels.width() as usize;
        let strip = &pixels.pixels()[from as usize * row..to as usize * row];
        strip.iter().filter(|pixel| pixel.red() < 100).count()
    };
    // The title alone is in the first rows; the legend in the last.
    assert!(dark(0, 70) > 100 && dark(pixels.height() - 60, pixels.height()) > 100);
    let error = picture.png(1e6).unwrap_err().to_string();
    assert!(error.starts_with("cannot draw 'line'"), "{error}");
    assert!(picture.png(f64::NAN).is_err());
}
