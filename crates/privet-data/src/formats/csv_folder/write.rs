//! The tables of a CSV folder, written so that reading gives the same dataset back.

use std::fmt::Write as _;
use std::io::{self, Write};

use csv::QuoteStyle;

use crate::formats::manifest::{CLASS_SEPARATOR, LabelManifest};
use crate::formats::number_text::Shortest;
use crate::{Dataset, FeatureMatrix, Features, NodeId};

/// One row of a table, cell by cell, in one reused buffer.
struct CsvRows<W: Write> {
    writer: csv::Writer<W>,
    text: String,
}

impl<W: Write> CsvRows<W> {
    fn new(out: W) -> Self {
        Self::separated(b',', out)
    }

    fn separated(separator: u8, out: W) -> Self {
        // Between tabs there are no quotations: what stands there is the id.
        let quotes = if separator == b'\t' { QuoteStyle::Never } else { QuoteStyle::Necessary };
        let mut writer = csv::WriterBuilder::new();
        let writer = writer.delimiter(separator).quote_style(quotes).from_writer(out);
        Self { writer, text: String::new() }
    }

    fn cell(&mut self, value: impl std::fmt::Display) -> io::Result<()> {
        self.text.clear();
        write!(self.text, "{value}").map_err(io::Error::other)?;
        Ok(self.writer.write_field(&self.text)?)
    }

    fn end(&mut self) -> io::Result<()> {
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }

    fn finish(mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// What a column between tabs cannot hold: its ends, blanks around it, and what would make the line a comment.
fn check_tabbed(id: &str) -> io::Result<()> {
    let ends = |letter: char| matches!(letter, '\t' | '\n' | '\r');
    match id.is_empty() || id.contains(ends) || id.trim() != id || id.starts_with(['#', '%']) {
        true => Err(io::Error::other("an id that a column between tabs cannot hold; write .csv")),
        false => Ok(()),
    }
}

/// `source,target`, and a row per edge.
pub(crate) fn write_edges(dataset: &Dataset, separator: u8, out: impl Write) -> io::Result<()> {
    let mut rows = CsvRows::separated(separator, out);
    rows.cell("source")?;
    rows.cell("target")?;
    rows.end()?;
    for (source, target) in dataset.graph().edges() {
        for node in [source, target] {
            rows.cell(dataset.ids().get(node))?;
            if separator == b'\t' {
                check_tabbed(&rows.text)?;
            }
        }
        rows.end()?;
    }
    rows.finish()
}

/// `id`, with `label` or `labels`, and a row per node.
pub(crate) fn write_nodes(
    dataset: &Dataset,
    labels: Option<&LabelManifest>,
    out: impl Write,
) -> io::Result<()> {
    let mut rows = CsvRows::new(out);
    let labels = dataset.labels().zip(labels);
    rows.cell("id")?;
    if let Some((labels, _)) = labels {
        rows.cell(if labels.is_multi() { "labels" } else { "label" })?;
    }
    rows.end()?;
    for node in dataset.graph().nodes() {
        rows.cell(dataset.ids().get(node))?;
        if let Some((labels, manifest)) = labels {
            rows.cell(label_cell(labels.classes(node), manifest))?;
        }
        rows.end()?;
    }
    rows.finish()
}

/// The classes of a node in one cell.
pub(crate) fn label_cell(classes: &[u32], manifest: &LabelManifest) -> String {
    let names: Vec<String> = classes.iter().map(|&class| manifest.cell(class)).collect();
    names.join(&CLASS_SEPARATOR.to_string())
}

/// Dense features as a wide table, sparse ones as a long table.
pub(crate) fn write_features(
    dataset: &Dataset,
    features: &Features,
    out: impl Write,
) -> io::Result<()> {
    let mut rows = CsvRows::new(out);
    rows.cell("id")?;
    match features.matrix() {
        FeatureMatrix::Dense(matrix) => {
            for column in 0..matrix.columns() {
                match features.names() {
                    Some(names) => rows.cell(&names[column])?,
                    None => rows.cell(format_args!("f{column}"))?,
                }
            }
            rows.end()?;
            for (node, row) in dataset.graph().nodes().zip(matrix.passing_rows()) {
                rows.cell(dataset.ids().get(node))?;
                for &value in row {
                    rows.cell(Shortest(value))?;
                }
                rows.end()?;
            }
        }
        FeatureMatrix::Sparse(matrix) => {
            rows.cell("feature")?;
            rows.cell("value")?;
            rows.end()?;
            for row in 0..matrix.rows() {
                let (columns, values) = matrix.row(row);
                for (&column, &value) in columns.iter().zip(values) {
                    rows.cell(dataset.ids().get(row as NodeId))?;
                    rows.cell(column)?;
                    rows.cell(Shortest(value))?;
                    rows.end()?;
                }
            }
        }
    }
    rows.finish()
}
