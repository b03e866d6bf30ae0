//! A report as one HTML file: no script, no network, light and dark, screen and paper.

use std::fmt::{self, Write};

use super::escape::markup as safe;
use super::outline::{self, SIMULATION};
use super::picture::Colours;
use super::summary::{in_unit, plain};
use super::table::{Kind, Shown};
use super::{Block, Cell, Plot, Report, Scale, Table};

const STYLE: &str = include_str!("html/style.css");
/// The page may show its own styles and nothing else: no script runs, nothing is fetched.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";
/// A plot with more points than this has no table of its numbers.
const POINTS: usize = 200;

impl Report {
    /// The report as a self-contained HTML file.
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
        writeln!(out, r#"<meta http-equiv="Content-Security-Policy" content="{POLICY}">"#)?;
        writeln!(out, r#"<meta name="color-scheme" content="light dark">"#)?;
        writeln!(
            out,
            "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<header>"
        )?;
        writeln!(out, "<h1>{title}</h1>")?;
        if self.is_simulation() {
            let stamp = r#"<p class="stamp" role="note"><strong>Simulation</strong>"#;
            writeln!(out, "{stamp} {SIMULATION}</p>")?;
        }
        writeln!(out, "<p class=\"summary\">{}</p>\n</header>\n<main>", safe(&self.summary))?;
        for (section, at) in outline::sections(self).iter().zip(1..) {
            let heading = safe(&section.title);
            writeln!(out, r#"<section aria-labelledby="section-{at}">"#)?;
            writeln!(out, r#"<h2 id="section-{at}">{heading}</h2>"#)?;
            section.blocks.iter().try_for_each(|block| write_block(out, block))?;
            writeln!(out, "</section>")?;
        }
        out.push_str("</main>\n</body>\n</html>\n");
        Ok(())
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
        Block::Command(command) => writeln!(out, "<pre><code>{}</code></pre>", safe(command)),
    }
}

fn write_table(out: &mut String, table: &Table) -> fmt::Result {
    let (columns, rows) = table.shown();
    writeln!(out, "<div class=\"wide\" tabindex=\"0\"><table>")?;
    writeln!(out, "<caption>{}</caption>\n<thead><tr>", safe(&table.caption))?;
    for name in columns {
        write!(out, "<th scope=\"col\">{}</th>", safe(name))?;
    }
    writeln!(out, "\n</tr></thead>\n<tbody>")?;
    for row in rows {
        out.push_str("<tr>");
        for (at, cell) in row.iter().enumerate() {
            write_cell(out, cell, at)?;
        }
        out.push_str("</tr>\n");
    }
    writeln!(out, "</tbody>\n</table></div>")
}

/// The first cell of a row names it.
fn write_cell(out: &mut String, cell: &Shown, at: usize) -> fmt::Result {
    let tag = if at == 0 { "th" } else { "td" };
    let scope = if at == 0 { " scope=\"row\"" } else { "" };
    let class = match cell.kind {
        Kind::Words => "",
        Kind::Number => " class=\"number\"",
        Kind::Missing => " class=\"number missing\"",
    };
    write!(out, "<{tag}{scope}{class}>{}", safe(&cell.main))?;
    for more in &cell.more {
        write!(out, "<small>{}</small>", safe(more))?;
    }
    write!(out, "</{tag}>")
}

/// The picture, and its numbers for those who cannot see it or want to copy them.
fn write_plot(out: &mut String, plot: &Plot) -> fmt::Result {
    let picture = plot.picture().svg(Colours::Page);
    writeln!(out, "<figure>\n<div class=\"wide\" tabindex=\"0\">{picture}</div>")?;
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
            let place = match &plot.x.scale {
                Scale::Categories(names) => {
                    let known = (point.x >= 0.0).then(|| names.get(point.x as usize)).flatten();
                    known.cloned().unwrap_or_else(|| plain(point.x))
                }
                Scale::Linear | Scale::Log => in_unit(point.x, plot.x.unit),
            };
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
mod tests;
