//! A picture as SVG: text stays text, with a title and a description for those who cannot see it.

use std::fmt::{self, Write};

use super::{Anchor, Paint, Picture, Shape, Spot, Stroke, TextLine};
use crate::report::escape::markup;

/// Fonts by width, so that what was measured fits; a machine without any of them has its own.
const FONTS: &str = "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif";

/// Where the colours come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colours {
    /// A file of its own: dark on white.
    Fixed,
    /// Part of a page whose style sheet has light and dark colours.
    Page,
}

impl Picture {
    /// The picture as an `<svg>` element.
    pub fn svg(&self, colours: Colours) -> String {
        let mut svg = Svg { out: String::new(), colours };
        // Writing to a String cannot fail.
        let _ = svg.picture(self);
        svg.out
    }
}

struct Svg {
    out: String,
    colours: Colours,
}

impl Svg {
    fn picture(&mut self, picture: &Picture) -> fmt::Result {
        let (width, height) = (Tenths(picture.size.0), Tenths(picture.size.1));
        write!(
            self.out,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" font-family="{FONTS}">"#
        )?;
        let (title, description) = (markup(&picture.title), markup(&picture.description));
        writeln!(self.out, "\n<title>{title}</title>\n<desc>{description}</desc>")?;
        if self.colours == Colours::Fixed {
            let paper = self.colour(Paint::Paper);
            writeln!(self.out, r#"<rect width="{width}" height="{height}" fill="{paper}"/>"#)?;
        }
        picture.shapes.iter().try_for_each(|shape| self.shape(shape))?;
        self.out.push_str("</svg>\n");
        Ok(())
    }

    fn colour(&self, paint: Paint) -> String {
        let (name, value) = paint.name_and_value();
        match self.colours {
            Colours::Fixed => value.into(),
            Colours::Page => format!("var(--{name},{value})"),
        }
    }

    fn shape(&mut self, shape: &Shape) -> fmt::Result {
        match shape {
            Shape::Line { points, stroke } => {
                write!(self.out, r#"<path d="{}" fill="none""#, Path(points, ""))?;
                self.stroke(stroke)?;
                self.out.push_str("/>\n");
                Ok(())
            }
            Shape::Segments { ends, stroke } => {
                self.out.push_str(r#"<path d=""#);
                for &(from, to) in ends {
                    write!(self.out, "{}", Path(&[from, to], ""))?;
                }
                self.out.push_str(r#"" fill="none""#);
                self.stroke(stroke)?;
                self.out.push_str("/>\n");
                Ok(())
            }
            Shape::Polygon { points, fill, opacity, outline } => {
                write!(self.out, r#"<path d="{}""#, Path(points, "Z"))?;
                self.fill(*fill, *opacity, outline.as_ref())
            }
            Shape::Circle { center: (x, y), radius, fill, outline } => {
                let (x, y, radius) = (Tenths(*x), Tenths(*y), Tenths(*radius));
                write!(self.out, r#"<circle cx="{x}" cy="{y}" r="{radius}""#)?;
                self.fill(*fill, 1.0, outline.as_ref())
            }
            Shape::Dots { centers, radius, fill, opacity } => {
                self.dots(centers, *radius, *fill, *opacity)
            }
            Shape::Words(words) => self.words(words),
            Shape::Hint { a, b, words } => {
                let (x, y) = (Tenths(a.0.min(b.0)), Tenths(a.1.min(b.1)));
                let (width, height) = (Tenths((a.0 - b.0).abs()), Tenths((a.1 - b.1).abs()));
                writeln!(
                    self.out,
                    r#"<rect class="hint" x="{x}" y="{y}" width="{width}" height="{height}" fill="none" pointer-events="all"><title>{}</title></rect>"#,
                    markup(words)
                )
            }
        }
    }

    fn fill(&mut self, fill: Paint, opacity: f64, outline: Option<&Stroke>) -> fmt::Result {
        write!(self.out, r#" fill="{}""#, self.colour(fill))?;
        if opacity < 1.0 {
            write!(self.out, r#" fill-opacity="{opacity}""#)?;
        }
        outline.map_or(Ok(()), |outline| self.stroke(outline))?;
        self.out.push_str("/>\n");
        Ok(())
    }

    fn stroke(&mut self, stroke: &Stroke) -> fmt::Result {
        let (colour, width) = (self.colour(stroke.paint), stroke.width);
        write!(self.out, r#" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round""#)?;
        if stroke.opacity < 1.0 {
            write!(self.out, r#" stroke-opacity="{}""#, stroke.opacity)?;
        }
        if !stroke.dashes.is_empty() {
            let lengths: Vec<String> = stroke.dashes.iter().map(f64::to_string).collect();
            write!(self.out, r#" stroke-dasharray="{}""#, lengths.join(" "))?;
        }
        Ok(())
    }

    /// A line of no length with round ends is a disc, in a fifth of the letters of a circle.
    fn dots(&mut self, centers: &[Spot], radius: f64, fill: Paint, opacity: f64) -> fmt::Result {
        self.out.push_str(r#"<path d=""#);
        for (x, y) in centers {
            write!(self.out, "M{} {}h0", Tenths(*x), Tenths(*y))?;
        }
        let (colour, width) = (self.colour(fill), Tenths(2.0 * radius));
        writeln!(
            self.out,
            r#"" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linecap="round" stroke-opacity="{opacity}"/>"#
        )
    }

    fn words(&mut self, words: &TextLine) -> fmt::Result {
        let (x, y) = (Tenths(words.at.0), Tenths(words.at.1));
        let (size, colour) = (words.size, self.colour(words.paint));
        write!(self.out, r#"<text x="{x}" y="{y}" font-size="{size}" fill="{colour}""#)?;
        match words.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(r#" text-anchor="middle""#),
            Anchor::End => self.out.push_str(r#" text-anchor="end""#),
        }
        if words.bold {
            self.out.push_str(r#" font-weight="600""#);
        }
        if words.turned != 0.0 {
            write!(self.out, r#" transform="rotate({} {x} {y})""#, words.turned)?;
        }
        writeln!(self.out, ">{}</text>", markup(&words.text))
    }
}

/// A coordinate to a tenth of a pixel, in as few letters as it takes.
struct Tenths(f64);

impl fmt::Display for Tenths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Adding 0 turns -0 into 0.
        write!(f, "{}", (self.0 * 10.0).round() / 10.0 + 0.0)
    }
}

/// The points of a path, and what closes it.
struct Path<'a>(&'a [Spot], &'a str);

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (x, y)) in self.0.iter().enumerate() {
            write!(f, "{}{} {}", if at == 0 { 'M' } else { 'L' }, Tenths(*x), Tenths(*y))?;
        }
        f.write_str(self.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(shape: Shape, colours: Colours) -> String {
        let (title, description) = ("a <title>".to_owned(), "a & b".to_owned());
        Picture { title, description, size: (100.0, 50.05), shapes: vec![shape] }.svg(colours)
    }

    #[test]
    fn coordinates_are_short() {
        let tenths = |value: f64| Tenths(value).to_string();
        assert_eq!([1.0, 1.04, 1.06, -0.01].map(tenths), ["1", "1", "1.1", "0"]);
        assert_eq!(Path(&[(0.0, 1.0), (2.5, -3.0)], "Z").to_string(), "M0 1L2.5 -3Z");
        assert_eq!(Path(&[], "").to_string(), "");
    }

    /// A file of its own has a background and colours; part of a page takes the page's.
    #[test]
    fn colours_are_fixed_or_those_of_the_page() {
        let line = || Shape::Line {
            points: vec![(0.0, 0.0), (1.0, 1.0)],
            stroke: Stroke::new(Paint::Series(0), 1.5).dashed(&[4.0, 2.0]).opacity(0.5),
        };
        let file = drawn(line(), Colours::Fixed);
        assert!(file.contains("<rect ") && file.contains("stroke=\"#0072b2\""), "{file}");
        assert!(
            file.contains("stroke-dasharray=\"4 2\" ")
                || file.contains("stroke-dasharray=\"4 2\"/>")
        );
        assert!(file.contains("stroke-opacity=\"0.5\""), "{file}");
        let page = drawn(line(), Colours::Page);
        assert!(!page.contains("<rect ") && page.contains("var(--series-1,#0072b2)"), "{page}");
    }

    #[test]
    fn words_are_escaped_and_placed() {
        let text =
            TextLine::new((10.0, 20.0), "<b>", 12.0).anchor(Anchor::End).turned(-30.0).bold();
        let svg = drawn(Shape::Words(text), Colours::Fixed);
        assert!(svg.contains("&lt;b&gt;</text>") && svg.contains("text-anchor=\"end\""), "{svg}");
        assert!(svg.contains("rotate(-30 10 20)") && svg.contains("font-weight"), "{svg}");
        assert!(svg.contains("<title>a &lt;title&gt;</title>\n<desc>a &amp; b</desc>"), "{svg}");
        assert!(svg.contains("viewBox=\"0 0 100 50.1\""), "{svg}");
    }

    #[test]
    fn many_dots_are_one_path() {
        let centers = vec![(1.0, 2.0), (3.0, 4.0)];
        let dots = Shape::Dots { centers, radius: 1.5, fill: Paint::Ink, opacity: 0.7 };
        let svg = drawn(dots, Colours::Fixed);
        assert!(svg.contains("M1 2h0M3 4h0") && svg.contains("stroke-width=\"3\""), "{svg}");
        let ends = vec![((0.0, 0.0), (1.0, 0.0)), ((0.0, 1.0), (1.0, 1.0))];
        let grid = Shape::Segments { ends, stroke: Stroke::new(Paint::Grid, 1.0) };
        assert!(drawn(grid, Colours::Fixed).contains("d=\"M0 0L1 0M0 1L1 1\""));
    }
}
