//! A report as one HTML file: no network, light and dark, wide and narrow, screen and paper. One look for all.

use std::fmt::{self, Write};

use super::escape::markup as safe;
use super::outline::{self, SIMULATION};
use super::picture::Colours;
use super::table::{CellKind, CellText};
use super::{Block, Cell, Plot, Report, Section, Table};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/page.js");
/// What the script sums up to, so that it runs and no other does.
const SCRIPT_SUM: &str = "KZMVbZ1NVQOk3IIc9n1jp7j1yoWOVAIhS7cinpxdUy8=";
/// A plot with more points than this has no table of its numbers.
const POINTS: usize = 200;

/// Anything that is shown as reports are: first the answer in a sentence, then sections.
///
/// ```
/// use privet_lab::report::{Block, Page, Section};
/// let page = Page {
///     title: "A shop".into(),
///     answer: "Half of the budget is left.".into(),
///     sections: vec![Section::new("Charges", [Block::Text("None yet.".into())])],
///     ..Page::default()
/// };
/// assert!(page.html().contains("Half of the budget is left."));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Page {
    /// What it is about.
    pub title: String,
    /// What a reader came for, in a sentence.
    pub answer: String,
    /// What is promised to whom, in a line.
    pub promise: Option<String>,
    /// Whether the noise was replayed, so that there was no protection.
    pub simulation: bool,
    /// The rest.
    pub sections: Vec<Section>,
}

impl Report {
    /// The report as a self-contained HTML file.
    pub fn html(&self) -> String {
        let page = Page {
            title: self.title.clone(),
            answer: self.summary.clone(),
            promise: outline::promise_in_short(self),
            simulation: self.is_simulation(),
            sections: outline::sections(self),
        };
        page.html()
    }
}

impl Page {
    /// The page as a self-contained HTML file.
    pub fn html(&self) -> String {
        let mut out = String::new();
        // Writing to a String cannot fail.
        let _ = self.write_html(&mut out);
        out
    }

    fn write_html(&self, out: &mut String) -> fmt::Result {
        let title = safe(&self.title);
        writeln!(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        writeln!(out, r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#)?;
        // The page may show its own styles and run its own script; nothing is fetched.
        writeln!(
            out,
            r#"<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_SUM}'">"#
        )?;
        writeln!(out, r#"<meta name="color-scheme" content="light dark">"#)?;
        writeln!(
            out,
            "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>"
        )?;
        writeln!(out, "<h1>{title}</h1>")?;
        writeln!(out, "<p class=\"summary\">{}</p>", safe(&self.answer))?;
        if let Some(promise) = &self.promise {
            writeln!(out, "<p class=\"promise\">{}</p>", safe(promise))?;
        }
        if self.simulation {
            let stamp = r#"<p class="stamp" role="note"><strong>Simulation</strong>"#;
            writeln!(out, "{stamp} {SIMULATION}</p>")?;
        }
        writeln!(out, "</header>\n<main>")?;
        for (section, at) in self.sections.iter().zip(1..) {
            let heading = safe(&section.title);
            writeln!(out, r#"<section aria-labelledby="section-{at}">"#)?;
            writeln!(out, r#"<h2 id="section-{at}">{heading}</h2>"#)?;
            section.blocks.iter().try_for_each(|block| write_block(out, block))?;
            writeln!(out, "</section>")?;
        }
        writeln!(out, "</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>")
    }
}

fn write_block(out: &mut String, block: &Block) -> fmt::Result {
    match block {
        Block::Text(text) => writeln!(out, "<p>{}</p>", safe(text)),
        Block::Warning(text) => {
            writeln!(out, "<p class=\"warning\"><strong>Caution:</strong> {}</p>", safe(text))
        }
        Block::List(points) => {
            writeln!(out, "<ul>")?;
            points.iter().try_for_each(|point| writeln!(out, "<li>{}</li>", safe(point)))?;
            writeln!(out, "</ul>")
        }
        Block::KeyValues(pairs) => {
            writeln!(out, "<dl>")?;
            for (name, value) in pairs {
                writeln!(out, "<dt>{}</dt><dd>{}</dd>", safe(name), safe(value))?;
            }
            writeln!(out, "</dl>")
        }
        Block::Table(table) => write_table(out, table),
        Block::Plot(plot) => write_plot(out, plot),
        Block::Meter { spent, of, words } => write_meter(out, *spent, *of, words),
        Block::Command(command) => writeln!(out, "<pre><code>{}</code></pre>", safe(command)),
    }
}

/// A bar that fills up, and what it says in words.
fn write_meter(out: &mut String, spent: f64, of: f64, words: &str) -> fmt::Result {
    let share = if of > 0.0 { (spent / of).clamp(0.0, 1.0) } else { 1.0 };
    let class = if share < 1.0 { "" } else { " class=\"full\"" };
    let words = safe(words);
    writeln!(
        out,
        "<div class=\"meter\"><div class=\"track\" role=\"img\" aria-label=\"{words}\"><span{class} style=\"width:{:.1}%\"></span></div><p>{words}</p></div>",
        100.0 * share
    )
}

fn write_table(out: &mut String, table: &Table) -> fmt::Result {
    let (columns, rows) = table.shown();
    writeln!(out, "<div class=\"wide\" tabindex=\"0\"><table>")?;
    writeln!(out, "<caption>{}</caption>\n<thead><tr>", safe(&table.caption))?;
    for name in &columns {
        write!(out, "<th scope=\"col\">{}</th>", safe(name))?;
    }
    writeln!(out, "\n</tr></thead>\n<tbody>")?;
    for row in rows {
        out.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            write_cell(out, cell, at, columns.get(at).copied().unwrap_or_default())?;
        }
        out.push_str("</tr>\n");
    }
    writeln!(out, "</tbody>\n</table></div>")
}

/// The first cell of a row names it. Others know their column's name, which small screens show beside them.
fn write_cell(out: &mut String, cell: &CellText, at: usize, of: &str) -> fmt::Result {
    let tag = if at == 0 { "th" } else { "td" };
    let scope = if at == 0 { " scope=\"row\"" } else { "" };
    let class = match cell.kind {
        CellKind::Words => "",
        CellKind::Number => " class=\"number\"",
        CellKind::Missing => " class=\"number missing\"",
    };
    let of =
        if at == 0 || of.is_empty() { String::new() } else { format!(" data-of=\"{}\"", safe(of)) };
    let value = cell.value.filter(|value| value.is_finite());
    let value = value.map_or_else(String::new, |value| format!(" data-value=\"{value}\""));
    write!(out, "<{tag}{scope}{class}{of}{value}>{}", safe(&cell.main))?;
    for more in &cell.more {
        write!(out, "<small>{}</small>", safe(more))?;
    }
    write!(out, "</{tag}>")
}

/// The picture, and its numbers for those who cannot see it or want to copy them.
fn write_plot(out: &mut String, plot: &Plot) -> fmt::Result {
    let (broad, narrow) = (plot.picture(), plot.narrow_picture());
    let [broad, narrow] = [broad, narrow].map(|picture| picture.svg(Colours::Page));
    writeln!(out, "<figure>\n<div class=\"broad\">{broad}</div>")?;
    writeln!(out, "<div class=\"narrow\">{narrow}</div>")?;
    let (points, _) = plot.points();
    if points > 0 && points <= POINTS {
        writeln!(out, "<details><summary>The numbers</summary>")?;
        write_table(out, &numbers(plot))?;
        writeln!(out, "</details>")?;
    }
    writeln!(out, "</figure>")
}

fn numbers(plot: &Plot) -> Table {
    let columns = ["series", &plot.x.label, &plot.y.label, "low", "high"];
    let mut table = Table::new(plot.title.as_str(), columns);
    let y = |value: f64| Cell::Number { value, unit: plot.y.unit };
    let end = |value: Option<f64>| value.map_or(Cell::from(""), y);
    for series in &plot.series {
        for point in &series.points {
            let place = plot.place_name(point.x);
            let name = Cell::from(series.name.as_str());
            table.push([name, place.into(), y(point.y), end(point.low), end(point.high)]);
        }
    }
    for line in &plot.lines {
        let name = Cell::from(line.name.as_str());
        table.push([name, "".into(), y(line.y), end(line.low), end(line.high)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Axis, Reference, Series, Style};

    fn cells(table: &Table) -> Vec<Vec<String>> {
        let (_, rows) = table.shown();
        rows.into_iter().map(|row| row.into_iter().map(|cell| cell.main).collect()).collect()
    }

    /// Places of an axis of names are told by name; those that have none, by number.
    #[test]
    fn a_plot_has_its_numbers_beside_it() {
        let axis = Axis::categories("mechanism", ["hds", "laplace"]);
        let plot = Plot::new("accuracy", axis, Axis::percent("test"))
            .with(Series::new("cora", Style::Line, [(0.0, 0.5), (1.0, 0.25), (7.0, 0.1)]))
            .with_line(Reference { name: "ceiling".into(), y: 0.9, low: Some(0.8), high: None });
        let table = numbers(&plot);
        assert_eq!(table.columns, ["series", "mechanism", "test", "low", "high"]);
        let rows = cells(&table);
        assert_eq!(rows[0], ["cora", "hds", "50 %", "", ""]);
        assert_eq!(rows[1][1], "laplace");
        assert_eq!(rows[2][1], "7", "no third name");
        assert_eq!(rows[3], ["ceiling", "", "90 %", "80 %", ""]);
        let linear = Plot::new("errors", Axis::percent("share"), Axis::linear("error"))
            .with(Series::new("one", Style::Scatter, [(0.5, 2.0)]));
        assert_eq!(cells(&numbers(&linear))[0][1..3], ["50 %", "2"]);
    }

    #[test]
    fn many_points_are_drawn_and_not_listed() {
        let page =
            |count: usize| {
                let points = (0..count).map(|at| (at as f64, at as f64));
                let plot = Plot::new("points", Axis::linear("x"), Axis::linear("y"))
                    .with(Series::new("all", Style::Scatter, points));
                let mut out = String::new();
                write_plot(&mut out, &plot).unwrap();
                out
            };
        assert!(page(POINTS).contains("<details>"));
        assert!(!page(POINTS + 1).contains("<details>") && page(POINTS + 1).contains("<svg"));
        assert!(!page(0).contains("<details>"), "nothing to list");
    }

    /// Whatever words are given, an element holds them as text, in every kind of block.
    #[test]
    fn no_block_lets_markup_through() {
        let bad = "<b onclick=\"x\">&'".to_owned();
        let mut table = Table::new(bad.clone(), [bad.clone()]);
        table.push([Cell::from(bad.clone()), Cell::missing(bad.clone())]);
        let blocks = [
            Block::Text(bad.clone()),
            Block::Warning(bad.clone()),
            Block::List(vec![bad.clone()]),
            Block::KeyValues(vec![(bad.clone(), bad.clone())]),
            Block::Table(table),
            Block::Plot(Plot::new(
                bad.clone(),
                Axis::linear(bad.clone()),
                Axis::linear(bad.clone()),
            )),
            Block::Meter { spent: 1.0, of: 2.0, words: bad.clone() },
            Block::Command(bad),
        ];
        for block in &blocks {
            let mut out = String::new();
            write_block(&mut out, block).unwrap();
            assert!(!out.contains("<b ") && !out.contains("onclick=\"x\""), "{out}");
            assert!(out.contains("&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;"), "{out}");
        }
    }

    /// A browser runs what sums up to what the page says, and nothing else.
    #[test]
    fn the_script_is_the_one_that_is_named() {
        use sha2::Digest as _;
        let digest = sha2::Sha256::digest(format!("\n{SCRIPT}").as_bytes());
        let sum = base64(&digest);
        assert_eq!(SCRIPT_SUM, sum, "page.js changed: SCRIPT_SUM is {sum} now");
    }

    fn base64(bytes: &[u8]) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let letters = |part: &[u8]| {
            let at = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
            let bits = at(0) << 16 | at(1) << 8 | at(2);
            let letter = move |n: usize| match n > part.len() {
                true => '=',
                false => char::from(LETTERS[(bits >> (18 - 6 * n)) as usize & 63]),
            };
            (0..4).map(letter).collect::<String>()
        };
        bytes.chunks(3).map(letters).collect()
    }

    /// A budget is drawn as far as it is spent, and no further than its end.
    #[test]
    fn a_meter_fills_up() {
        let drawn = |spent: f64| {
            let mut out = String::new();
            write_meter(&mut out, spent, 2.0, "words").unwrap();
            out
        };
        assert!(drawn(1.0).contains("width:50.0%") && drawn(1.0).contains("<p>words</p>"));
        assert!(drawn(3.0).contains("class=\"full\" style=\"width:100.0%\""));
    }

    /// Rows are named by their first cell, and short rows are filled up.
    #[test]
    fn rows_have_heads_and_are_equally_long() {
        let mut table = Table::new("two rows", ["name", "number"]);
        table.push([Cell::from("long"), Cell::number(1.5), Cell::from("more")]);
        table.push([Cell::from("short")]);
        let mut out = String::new();
        write_table(&mut out, &table).unwrap();
        assert_eq!(out.matches("<th scope=\"row\"").count(), 2);
        assert_eq!(out.matches("<td").count(), 4);
        assert_eq!(out.matches("<th scope=\"col\">").count(), 3);
        assert!(
            out.contains("<td class=\"number\" data-of=\"number\" data-value=\"1.5\">1.5</td>"),
            "{out}"
        );
    }
}
