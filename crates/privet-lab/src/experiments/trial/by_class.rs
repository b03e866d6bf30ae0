//! [`ByClass`]: what predictions score where classes count alike, however large they are; and the confusion matrix.

use super::{AUC, BALANCED, Comparison, MACRO_F1, TrialText, Variant};
use crate::report::{Block, Cell, MeasuredValue, Table};

/// Names and scores, in this order.
const METRICS: [(&str, &str); 3] =
    [("balanced accuracy", BALANCED), ("macro F1", MACRO_F1), ("AUC", AUC)];

/// A table of every variant: the metrics that some variant has.
#[derive(Debug, Clone, PartialEq)]
pub struct ByClass {
    /// What the metrics are called.
    pub heads: Vec<&'static str>,
    /// Each variant's name and values; a value that was not taken is none.
    pub rows: Vec<(String, Vec<Option<MeasuredValue>>)>,
}

impl ByClass {
    /// What was measured; nothing where no class was predicted.
    pub fn new(comparison: &Comparison) -> Option<Self> {
        let classified = comparison.rows.iter().any(|row| row.confusion().is_some());
        let taken = |(_, score): &&(&str, &str)| {
            comparison.rows.iter().any(|row| row.summary(score).is_some())
        };
        let metrics: Vec<_> = METRICS.iter().filter(taken).collect();
        let rows = comparison.rows.iter().map(|row| {
            let value = |(_, score): &&(&str, &str)| {
                row.summary(score).map(|summary| MeasuredValue::share(&summary))
            };
            (row.name.clone(), metrics.iter().map(value).collect())
        });
        let heads = metrics.iter().map(|(head, _)| *head).collect();
        classified.then(|| Self { heads, rows: rows.collect() })
    }

    /// As a table of a report.
    pub fn block(&self) -> Block {
        let caption =
            "The same predictions with every class counting alike, mean ± deviation over seeds";
        let heads = ["variant"].iter().chain(&self.heads).map(|head| (*head).to_owned());
        let mut table = Table::new(caption, heads);
        for (name, values) in &self.rows {
            let cell = |value: &Option<MeasuredValue>| {
                value.map_or_else(|| Cell::missing("not taken"), Cell::from)
            };
            table.push([name.as_str().into()].into_iter().chain(values.iter().map(cell)));
        }
        Block::Table(table)
    }
}

/// The system's test items of all runs, by true class and predicted class.
pub fn confusion(words: &TrialText, comparison: &Comparison) -> Option<Block> {
    let counts = comparison.row(Variant::Private)?.confusion()?;
    let name = |at: usize| words.classes.get(at).cloned().unwrap_or_else(|| at.to_string());
    let heads = ["true class".to_owned()].into_iter();
    let heads = heads.chain((0..counts.len()).map(|at| format!("taken for {}", name(at))));
    let caption = "Confusion matrix of the private variant: test items, all seeds together";
    let mut table = Table::new(caption, heads);
    for (at, row) in counts.iter().enumerate() {
        let cells = row.iter().map(|count| Cell::from(count.to_string().as_str()));
        table.push([name(at).into()].into_iter().chain(cells));
    }
    Some(Block::Table(table))
}

#[cfg(test)]
mod tests {
    use privet::privacy::Card;

    use super::*;
    use crate::experiments::trial::{TEST, TrialScores, VariantRow};

    fn comparison(confusions: [Vec<Vec<u64>>; 2]) -> Comparison {
        let run = |confusion| {
            let mut scores = TrialScores::new([(TEST, 0.5), (BALANCED, 0.6)]);
            scores.confusion = confusion;
            scores
        };
        let row = |variant: Variant, scores| {
            let (name, about) = (variant.name().into(), String::new());
            VariantRow { variant, name, about, scores }
        };
        let control = vec![TrialScores::new([(TEST, 0.5)]); 2];
        let rows =
            vec![row(Variant::Private, confusions.map(run).into()), row(Variant::Control, control)];
        Comparison { rows, seeds: vec![0, 1], card: Card::new("a comparison") }
    }

    #[test]
    fn counts_of_all_runs_are_added_and_missing_metrics_left_out() {
        let found = comparison([vec![vec![1, 2], vec![0, 3]], vec![vec![2, 1], vec![1, 2]]]);
        let table = ByClass::new(&found).unwrap();
        assert_eq!(table.heads, ["balanced accuracy"]);
        assert_eq!(table.rows[0].1[0].unwrap().mean, 0.6);
        assert_eq!(table.rows[1].1, [None]);
        assert_eq!(found.rows[0].confusion(), Some(vec![vec![3, 3], vec![1, 5]]));
        let words = TrialText { classes: vec!["a".into(), "b".into()], ..TrialText::default() };
        let Some(Block::Table(table)) = confusion(&words, &found) else { panic!("no table") };
        assert_eq!(table.columns, ["true class", "taken for a", "taken for b"]);
    }

    /// Links have no classes.
    #[test]
    fn nothing_is_said_where_no_class_was_predicted() {
        let found = comparison([vec![], vec![]]);
        assert_eq!(ByClass::new(&found), None);
        assert!(confusion(&TrialText::default(), &found).is_none());
    }
}
