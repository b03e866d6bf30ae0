//! A dataset as GraphML that other programs understand and that reads back the same.

use std::borrow::Cow;
use std::io::{self, Write};

use super::{FEATURE_KEY, LABEL_KEY, MANIFEST_KEY};
use crate::formats::csv_folder::label_cell;
use crate::formats::manifest::Manifest;
use crate::formats::number_text::Shortest;
use crate::{Dataset, Direction, FeatureMatrix, Result, SourceLocation};

/// Writes a dataset of this format.
///
/// # Errors
/// If `out` refuses, or a name holds a character that XML cannot.
pub(crate) fn write(dataset: &Dataset, out: &mut impl Write) -> Result<()> {
    let place = SourceLocation::file(dataset.name());
    let failed = |error| place.io(error);
    let manifest = Manifest::of(dataset);
    write_keys(dataset, out).map_err(failed)?;
    let direction = match dataset.graph().direction() {
        Direction::Directed => "directed",
        Direction::Undirected => "undirected",
    };
    let mut json = Vec::new();
    manifest.write(&mut json).map_err(failed)?;
    let json = String::from_utf8_lossy(&json);
    let json = escape(json.trim_end(), &place)?;
    writeln!(out, "  <graph edgedefault=\"{direction}\">").map_err(failed)?;
    writeln!(out, "    <data key=\"{MANIFEST_KEY}\">{json}</data>").map_err(failed)?;
    let labels = dataset.labels().zip(manifest.labels.as_ref());
    for node in dataset.graph().nodes() {
        let id = dataset.ids().get(node).to_string();
        write!(out, "    <node id=\"{}\">", escape(&id, &place)?).map_err(failed)?;
        if let Some((labels, manifest)) = labels
            && let classes @ [_, ..] = labels.classes(node)
        {
            let cell = label_cell(classes, manifest);
            let cell = escape(&cell, &place)?;
            write!(out, "<data key=\"{LABEL_KEY}\">{cell}</data>").map_err(failed)?;
        }
        write_row(dataset, node as usize, out).map_err(failed)?;
        writeln!(out, "</node>").map_err(failed)?;
    }
    for (source, target) in dataset.graph().edges() {
        let [source, target] = [source, target].map(|node| dataset.ids().get(node).to_string());
        let (source, target) = (escape(&source, &place)?, escape(&target, &place)?);
        writeln!(out, "    <edge source=\"{source}\" target=\"{target}\"/>").map_err(failed)?;
    }
    writeln!(out, "  </graph>\n</graphml>").map_err(failed)
}

fn write_keys(dataset: &Dataset, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">")?;
    let key = |id: &str, domain: &str, name: &str, kind: &str| {
        format!("  <key id=\"{id}\" for=\"{domain}\" attr.name=\"{name}\" attr.type=\"{kind}\"")
    };
    writeln!(out, "{}/>", key(MANIFEST_KEY, "graph", MANIFEST_KEY, "string"))?;
    if dataset.labels().is_some() {
        writeln!(out, "{}/>", key(LABEL_KEY, "node", "label", "string"))?;
    }
    let Some(features) = dataset.features() else { return Ok(()) };
    for column in 0..features.columns() {
        // The manifest has the true name; what XML cannot hold gets a stand-in here.
        let name = features.names().map(|names| names[column].as_str());
        let name = name.and_then(|name| escape(name, &SourceLocation::file("")).ok());
        let name = name.unwrap_or_else(|| format!("f{column}").into());
        let key = key(&format!("{FEATURE_KEY}{column}"), "node", &name, "float");
        match features.matrix() {
            FeatureMatrix::Dense(_) => writeln!(out, "{key}/>")?,
            FeatureMatrix::Sparse(_) => writeln!(out, "{key}><default>0</default></key>")?,
        }
    }
    Ok(())
}

fn write_row(dataset: &Dataset, node: usize, out: &mut impl Write) -> io::Result<()> {
    let Some(features) = dataset.features() else { return Ok(()) };
    let mut value = |column: usize, value: f32| {
        write!(out, "<data key=\"{FEATURE_KEY}{column}\">{}</data>", Shortest(value))
    };
    match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            matrix.row(node).iter().enumerate().try_for_each(|(column, &v)| value(column, v))
        }
        FeatureMatrix::Sparse(matrix) => {
            let (columns, values) = matrix.row(node);
            columns.iter().zip(values).try_for_each(|(&column, &v)| value(column as usize, v))
        }
    }
}

/// `text` for an attribute or between tags. Blanks other than the space are written as numbers,
/// because XML readers turn them into spaces.
fn escape<'a>(text: &'a str, place: &SourceLocation) -> Result<Cow<'a, str>> {
    let special =
        |c: char| c < ' ' || matches!(c, '<' | '>' | '&' | '"' | '\'' | '\u{fffe}'..='\u{ffff}');
    if !text.contains(special) {
        return Ok(text.into());
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '\t' | '\n' | '\r' | '<' | '>' | '&' | '"' | '\'' => {
                escaped.push_str(&format!("&#{};", character as u32));
            }
            c if special(c) => {
                return Err(place.refused(format!(
                    "'{}' holds U+{:04X}, which XML cannot; write a folder or a .npz file",
                    text.escape_default(),
                    c as u32
                )));
            }
            c => escaped.push(c),
        }
    }
    Ok(escaped.into())
}
