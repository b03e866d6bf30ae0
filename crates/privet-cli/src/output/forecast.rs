//! [`ForecastOutput`]: what theory says about a run before any report is sent.

use std::io::{self, Write};

use privet::ldp_ge::theory::{Forecast, NodeSpread};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{FAINT, STRONG, percent, printable, real};
use crate::output::table::{Align, TextCell, TextTable};

/// A forecast, and what it is for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForecastOutput {
    /// Whose graph.
    pub dataset: String,
    /// Randomiser.
    pub mechanism: String,
    /// What a row costs.
    pub epsilon: f64,
    /// Columns in a row.
    pub columns: usize,
    /// The decay factor.
    pub alpha: f64,
    /// The convolution coefficient.
    pub r: f64,
    /// How far two groups' means are assumed to differ, as a share of the range.
    pub contrast: f64,
    /// What theory says. A bound that does not exist is null.
    #[serde(flatten)]
    pub forecast: Forecast,
}

impl Answer for ForecastOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        let Forecast { k, recommended_k, .. } = self.forecast;
        let (dataset, columns) = (printable(&self.dataset), self.columns);
        writeln!(
            out,
            "{STRONG}{} at epsilon {} on {dataset}{STRONG:#}  {FAINT}a forecast from public facts: \
             nothing was collected{FAINT:#}\n",
            self.mechanism,
            real(self.epsilon)
        )?;
        writeln!(
            out,
            "Each person reports {k} of {columns} columns; least variance with {recommended_k}.\n"
        )?;
        self.entries().write(out, 0)?;
        writeln!(out)?;
        self.spreads().write(out, 0)?;
        writeln!(out, "\n{}", self.outlook())
    }
}

impl ForecastOutput {
    fn entries(&self) -> TextTable {
        let mut table = TextTable::new([Align::Right; 3]);
        table.row(
            ["a value of", "is off by", "and spreads by"].map(|name| TextCell::styled(name, FAINT)),
        );
        for entry in &self.forecast.entries {
            // A bias of rounding errors is none.
            let bias = if entry.bias.abs() < 1e-9 * entry.deviation { 0.0 } else { entry.bias };
            table.row([entry.truth, bias, entry.deviation].map(|value| TextCell::new(real(value))));
        }
        table
    }

    fn spreads(&self) -> TextTable {
        let mut table = TextTable::new([Align::Left, Align::Right, Align::Right, Align::Right]);
        let title =
            format!("spread over the graph (alpha {}, r {})", real(self.alpha), real(self.r));
        table.row(
            [title.as_str(), "least", "median", "largest"]
                .map(|name| TextCell::styled(name, FAINT)),
        );
        let bound = format!(
            "bound on all columns of a node, but for {} of nodes",
            percent(self.forecast.delta)
        );
        let rows = [
            ("what averaging leaves of the noise", self.forecast.averaging),
            ("sum of a node's weights", self.forecast.row_sum),
            ("deviation of an embedding's entry", self.forecast.embedding_deviation),
            (bound.as_str(), self.forecast.embedding_bound),
        ];
        for (name, NodeSpread { least, median, largest }) in rows {
            let numbers = [least, median, largest].map(|value| match value.is_finite() {
                true => TextCell::new(real(value)),
                false => TextCell::new("none"),
            });
            table.row(std::iter::once(TextCell::new(name)).chain(numbers).collect::<Vec<_>>());
        }
        table
    }

    fn outlook(&self) -> String {
        let seen = real(self.forecast.visible_contrast);
        let assumed = percent(self.contrast);
        let needed = match self.forecast.epsilon_for_contrast {
            Some(epsilon) => format!("epsilon {} would be needed", real(epsilon)),
            None => "no epsilon up to 1,000 suffices".into(),
        };
        format!(
            "Two groups whose means differ by {seen} in every column would just show in a median node.\n\
             If they differ by {assumed} of the range (--contrast), {needed}."
        )
    }
}
