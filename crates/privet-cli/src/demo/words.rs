//! What each step of the tour says: a few lines, narrow enough for any terminal.

use super::{Conclusion, Outcome, Protection, Spreading, Trained};
use crate::facts::GraphFacts;
use crate::style::{count, percent};
use crate::table::sparkline;

/// The widest line of a sentence.
const WIDTH: usize = 76;

/// A name and a text per line.
pub(super) fn lines(outcome: &Outcome) -> Vec<(String, String)> {
    let named = |lines: Vec<(&str, String)>| -> Vec<(String, String)> {
        lines.into_iter().map(|(name, text)| (name.to_owned(), text)).collect()
    };
    match outcome {
        Outcome::Done { facts } => named(graph(facts)),
        Outcome::Protected(protection) => named(protected(protection)),
        Outcome::Embedded(spreading) => named(embedded(spreading)),
        Outcome::Trained(trained) => scores(trained),
        Outcome::Concluded(conclusion) => named(concluded(conclusion)),
    }
}

fn graph(facts: &GraphFacts) -> Vec<(&'static str, String)> {
    let degrees = &facts.degrees;
    let bins: Vec<u64> = degrees.histogram.iter().map(|bin| bin.nodes as u64).collect();
    let columns = facts.features.as_ref().map_or(0, |features| features.columns);
    let classes = facts.labels.as_ref().map_or(0, |labels| labels.classes.len());
    let statistics = &degrees.statistics;
    let [min, median, max] =
        [statistics.min, statistics.median, statistics.max].map(|degree| count(degree as u64));
    let [nodes, edges] = [facts.nodes, facts.edges].map(|number| count(number as u64));
    let homophily = percent(facts.homophily.unwrap_or(0.0));
    vec![
        ("size", format!("{nodes} nodes, {edges} edges")),
        ("known", format!("{classes} classes, {columns} features")),
        ("homophily", format!("{homophily} of edges join people of one class")),
        ("degrees", format!("{}  {min} to {max}, median {median}", sparkline(&bins))),
    ]
}

/// What was sent, what it cost, and that no more is to be had.
fn protected(protection: &Protection) -> Vec<(&'static str, String)> {
    let Protection { mechanism, epsilon, reports, numbers_sent, columns, .. } = protection;
    let people = count(*reports as u64);
    let sent = format!("each {numbers_sent} of {columns} numbers, with noise");
    let cost =
        format!("epsilon {epsilon} for each person, written down before the noise was drawn");
    vec![
        ("sent", format!("{people} reports by {mechanism}, {sent}")),
        ("cost", cost),
        ("again?", "refused: the ledger has nothing left".into()),
        ("noise", "replayed from the seed, so this is a simulation and is stamped as one".into()),
    ]
}

fn embedded(spreading: &Spreading) -> Vec<(&'static str, String)> {
    let Spreading { rows, columns, noise_left } = spreading;
    let rows = count(*rows as u64);
    let left = percent((noise_left * 1000.0).round() / 1000.0);
    vec![(
        "rows",
        format!("{rows} of {columns} numbers; averaging leaves {left} of the noise (median)"),
    )]
}

fn scores(trained: &Trained) -> Vec<(String, String)> {
    let line = |row: &super::learning::Row| {
        (row.variant.name().to_owned(), format!("{:<13}  {}", row.test.short(), row.about))
    };
    trained.rows.iter().map(line).collect()
}

fn concluded(conclusion: &Conclusion) -> Vec<(&'static str, String)> {
    let lines = wrapped(&conclusion.verdict).into_iter();
    lines.zip(std::iter::once("result").chain(std::iter::repeat(""))).map(|(l, n)| (n, l)).collect()
}

/// A sentence in lines of at most [`WIDTH`] letters.
fn wrapped(sentence: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}
