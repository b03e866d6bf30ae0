//! `cargo xtask figures`: the figures that pages of results print, recomputed from the stored runs beside them.
//!
//! `docs/results/figures.tsv` names for each figure its page, a text of its table row, the figure as printed, the file of
//! runs, which of them it is the mean of, and the score. A page that says something else than its runs fails the check, and
//! so does a row that has gone. The command also says how many figures of the pages have no stored run yet.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const FOLDER: &str = "docs/results";

/// Fails where a page and its runs disagree; names every place.
pub fn check() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("").join(FOLDER);
    let listed = fs::read_to_string(folder.join("figures.tsv")).context("figures.tsv")?;
    let (mut problems, mut backed) = (Vec::new(), BTreeSet::new());
    for (number, line) in (1..).zip(listed.lines()).skip(1) {
        match Figure::parse(line).and_then(|figure| figure.check(&folder).map(|()| figure)) {
            Ok(figure) => drop(backed.insert((figure.page, figure.row, figure.printed))),
            Err(error) => problems.push(format!("{FOLDER}/figures.tsv line {number}: {error:#}")),
        }
    }
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    println!(
        "   {} figures agree with their runs; pages print {} with a deviation",
        backed.len(),
        printed_figures(&folder)?
    );
    Ok(())
}

/// One line of the list.
struct Figure<'a> {
    page: &'a str,
    /// Text that the row of the table contains.
    row: &'a str,
    /// Percent: `84.8` or `84.8 ± 1.8`.
    printed: &'a str,
    runs: &'a str,
    /// `key=value` pairs that a run's key has.
    which: Vec<(&'a str, &'a str)>,
    score: &'a str,
}

impl<'a> Figure<'a> {
    fn parse(line: &'a str) -> Result<Self> {
        let fields: Vec<&str> = line.split('\t').collect();
        let [page, row, printed, runs, which, score] = fields[..] else {
            bail!("found {} fields, expected 6 separated by tabs", fields.len());
        };
        let pairs = which.split(';').filter(|pair| !pair.is_empty());
        let which = pairs.map(|pair| pair.split_once('=').context("expected key=value"));
        Ok(Self { page, row, printed, runs, which: which.collect::<Result<_>>()?, score })
    }

    fn check(&self, folder: &Path) -> Result<()> {
        let page = fs::read_to_string(folder.join(self.page)).context(self.page.to_owned())?;
        let stands = |line: &str| line.contains(self.row) && line.contains(self.printed);
        if !page.lines().any(stands) {
            bail!("{} has no line with '{}' and '{}'", self.page, self.row, self.printed);
        }
        let runs = fs::read_to_string(folder.join(self.runs)).context(self.runs.to_owned())?;
        let scores = match self.runs.ends_with(".json") {
            true => self.scores_of_a_report(&serde_json::from_str(&runs)?),
            false => self.scores_of_cells(&runs)?,
        };
        if scores.is_empty() {
            bail!("{} has no run with {:?} and a score '{}'", self.runs, self.which, self.score);
        }
        agree(self.printed, &scores)
    }

    /// From `cells.jsonl`: one run per line, with its key.
    fn scores_of_cells(&self, runs: &str) -> Result<Vec<f64>> {
        let mut scores = Vec::new();
        for line in runs.lines().skip(1) {
            let cell: Value = serde_json::from_str(line)?;
            let has = |(key, value): &(&str, &str)| cell["key"][*key].as_str() == Some(value);
            if self.which.iter().all(has) {
                scores.extend(self.score_in(&cell["value"]));
            }
        }
        Ok(scores)
    }

    /// From what `privet run --json` printed: the runs of each variant.
    fn scores_of_a_report(&self, report: &Value) -> Vec<f64> {
        let variants = report["variants"].as_array().into_iter().flatten();
        let has = |(key, value): &(&str, &str), of: &Value| of[*key].as_str() == Some(value);
        let named = variants.filter(|of| self.which.iter().all(|pair| has(pair, of)));
        let runs = named.flat_map(|of| of["scores"].as_array().into_iter().flatten());
        runs.filter_map(|run| self.score_in(run)).collect()
    }

    /// Cells hold an object of scores, that object inside another, or a list.
    fn score_in(&self, value: &Value) -> Option<f64> {
        let place = self.score.parse::<usize>().ok().and_then(|place| value.get(place));
        let named = value.get(self.score).or_else(|| value["scores"].get(self.score));
        place.or(named).and_then(Value::as_f64)
    }
}

/// Whether `mean` or `mean ± deviation`, in percent, is what the scores give at the printed number of digits.
fn agree(printed: &str, scores: &[f64]) -> Result<()> {
    let count = scores.len() as f64;
    let mean = scores.iter().sum::<f64>() / count;
    let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
    // The sample deviation, as every report prints it.
    let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
    for (text, value) in printed.split('±').map(str::trim).zip([mean, deviation]) {
        let number: f64 = text.parse().with_context(|| format!("'{text}' is not a number"))?;
        let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len() as i32);
        // A figure on the border between two roundings may be printed either way.
        if (number - 100.0 * value).abs() > 0.5 * 10_f64.powi(-digits) + 1e-9 {
            bail!("printed {printed}, but {} runs give {:.3}", scores.len(), 100.0 * value);
        }
    }
    Ok(())
}

/// How many figures with a deviation stand in tables of pages that people wrote; reports that `privet reproduce` writes are
/// made from their runs.
fn printed_figures(folder: &Path) -> Result<usize> {
    let mut count = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            count += in_tables(&fs::read_to_string(&path)?);
        } else if path.is_dir() {
            for inner in fs::read_dir(&path)? {
                let inner = inner?.path();
                if inner.extension().is_some_and(|ending| ending == "md") {
                    count += in_tables(&fs::read_to_string(&inner)?);
                }
            }
        }
    }
    Ok(count)
}

fn in_tables(page: &str) -> usize {
    page.lines().filter(|line| line.starts_with('|')).map(|line| line.matches(" ± ").count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_agree_with_their_runs() {
        check().unwrap();
    }

    #[test]
    fn a_figure_that_its_runs_do_not_give_is_found() {
        let scores = [0.5, 0.6, 0.7];
        agree("60.0 ± 10.0", &scores).unwrap();
        agree("60", &scores).unwrap();
        assert!(agree("60.1", &scores).is_err());
        assert!(agree("60.0 ± 9.0", &scores).is_err());
        assert!(agree("sixty", &scores).is_err());
    }

    #[test]
    fn runs_are_found_by_their_key_in_cells_and_reports() {
        let line = "page\trow\t50.0\tcells.jsonl\tvariant=private;epsilon=1\ttest";
        let figure = Figure::parse(line).unwrap();
        let cell = |epsilon: &str, value: &str| {
            format!(
                "{{\"key\":{{\"variant\":\"private\",\"epsilon\":\"{epsilon}\"}},\"value\":{value}}}"
            )
        };
        let cells = [
            "{}",
            &cell("1", "{\"test\":0.5}"),
            &cell("2", "{\"test\":0.9}"),
            &cell("1", "{\"scores\":{\"test\":0.7}}"),
        ];
        assert_eq!(figure.scores_of_cells(&cells.join("\n")).unwrap(), [0.5, 0.7]);
        let listed = Figure::parse("page\trow\t50.0\tcells.jsonl\tepsilon=1\t0").unwrap();
        assert_eq!(listed.scores_of_cells(&["{}", &cell("1", "[0.4]")].join("\n")).unwrap(), [0.4]);
        let report: Value = serde_json::from_str("{\"variants\":[{\"variant\":\"private\",\"scores\":[{\"test\":0.5}]},{\"variant\":\"control\",\"scores\":[{\"test\":0.1}]}]}").unwrap();
        let of_report = Figure::parse("page\trow\t50.0\trun.json\tvariant=private\ttest").unwrap();
        assert_eq!(of_report.scores_of_a_report(&report), [0.5]);
        assert!(Figure::parse("too\tfew").is_err());
    }
}
