//! [`PriceOutput`]: what something would cost, by every accountant that has a theorem for it.

use std::io::{self, Write};

use privet::privacy::{Delta, Epsilon, Event};
use serde::Serialize;

use crate::output::console::Answer;
use crate::output::style::{ACCENT, FAINT, GOOD, STRONG, count, real};
use crate::output::table::{Align, TextCell, TextTable};

/// Rows of the plot.
const ROWS: usize = 10;
/// Characters per point of the plot.
const WIDTH: usize = 2;

/// What something would cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PriceOutput {
    /// What was priced, in words.
    pub description: String,
    /// What was priced.
    pub event: Event,
    /// The delta of all of the epsilons.
    pub delta: Delta,
    /// The smallest epsilon anyone can prove.
    pub epsilon: Epsilon,
    /// Who proved it.
    pub accountant: &'static str,
    /// The least noise that stays within the epsilon asked for, if that was the question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub noise_multiplier: Option<f64>,
    /// What every accountant says.
    pub prices: Vec<AccountantPrice>,
    /// Epsilon after fewer steps, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<PricePoint>,
}

/// One accountant's answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AccountantPrice {
    /// Who says so.
    pub accountant: &'static str,
    /// The epsilon; `None` if there is no theorem, or for the reason beside.
    pub epsilon: Option<Epsilon>,
    /// Why an accountant that has a theorem gives no number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
}

/// Epsilon after so many steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PricePoint {
    /// Number of steps.
    pub steps: u64,
    /// What they cost.
    pub epsilon: Epsilon,
}

impl Answer for PriceOutput {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{STRONG}{}{STRONG:#}, delta {}", self.description, self.delta)?;
        if let Some(noise) = self.noise_multiplier {
            writeln!(out, "  noise multiplier {GOOD}{}{GOOD:#}", digits(noise))?;
        }
        writeln!(out)?;
        let mut table = TextTable::new([Align::Left, Align::Left, Align::Left]);
        table.row(["accountant", "epsilon"].map(|name| TextCell::styled(name, FAINT)));
        for price in &self.prices {
            let is_best = price.accountant == self.accountant;
            let cells = match price.epsilon {
                Some(epsilon) if is_best => {
                    [TextCell::styled(digits(epsilon.get()), GOOD), TextCell::styled("best", GOOD)]
                }
                Some(epsilon) => [TextCell::new(digits(epsilon.get())), TextCell::new("")],
                None => {
                    let reason = price.refusal.as_deref().unwrap_or("no theorem");
                    [TextCell::styled(reason, FAINT), TextCell::new("")]
                }
            };
            table.row([vec![TextCell::new(price.accountant)], cells.into()].concat());
        }
        table.write(out, 2)?;
        write_plot(out, &self.curve)
    }
}

/// Four decimals are what two accountants differ in, and what papers print.
fn digits(number: f64) -> String {
    if (1e-3..1e6).contains(&number) { format!("{number:.4}") } else { real(number) }
}

/// An area of blocks, an eighth of a line fine, with the largest epsilon and number of steps.
fn write_plot(out: &mut dyn Write, curve: &[PricePoint]) -> io::Result<()> {
    const LEVELS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let finite = curve.iter().map(|point| point.epsilon.get()).filter(|e| e.is_finite());
    let most = finite.fold(0.0, f64::max);
    let Some(last) = curve.last().filter(|_| most > 0.0) else { return Ok(()) };
    writeln!(out)?;
    let height =
        |point: &PricePoint| (point.epsilon.get() / most * (8 * ROWS) as f64).round() as usize;
    let label = digits(most);
    for row in (0..ROWS).rev() {
        let block = |point: &PricePoint| LEVELS[height(point).saturating_sub(8 * row).min(8)];
        let line: String =
            curve.iter().flat_map(|point| std::iter::repeat_n(block(point), WIDTH)).collect();
        let margin = match row {
            row if row == ROWS - 1 => label.as_str(),
            0 => "0",
            _ => "",
        };
        let line = line.trim_end();
        writeln!(out, "  {margin:>width$} {ACCENT}{line}{ACCENT:#}", width = label.len())?;
    }
    let end = format!("{} steps", count(last.steps));
    let width = label.len() + 1 + curve.len() * WIDTH;
    writeln!(out, "  {FAINT}{end:>width$}{FAINT:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plot_rises_to_its_corner() {
        let point = |steps| PricePoint { steps, epsilon: Epsilon::new(steps as f64).unwrap() };
        let mut out = Vec::new();
        let curve: Vec<PricePoint> = (1..=20).map(point).collect();
        write_plot(&mut anstream::StripStream::new(&mut out), &curve).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), ROWS + 2);
        // Twenty steps up ten lines: half a block for the first of every two points.
        assert_eq!(lines[1].trim_start(), format!("20.0000 {}▄▄██", " ".repeat(36)));
        assert_eq!(lines[10], format!("        0 ▄▄{}", "█".repeat(38)));
        assert!(lines[11].ends_with(" 20 steps"), "{text}");
        assert_eq!(lines[11].chars().count(), lines[10].chars().count());
    }
}
