//! A method beside its control, its ceiling and the largest class, over the same seeds.

use std::sync::atomic::AtomicBool;

use privet::Result;
use privet::dprr::{Method, Reading, Setting};
use privet::learn::metrics::{Paired, Summary};
use privet::privacy::Card;
use serde::Serialize;

use super::{Case, Lists, Score};
use crate::experiments::ldp_ge::compare::{probability, side_by_side};
use crate::report::summary::fixed;
use crate::report::{Cell, Measured, Table};

/// What was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The method on everybody's lists.
    Private,
    /// The same, read as in the paper; only where it is read otherwise.
    Plain,
    /// The method on empty private lists.
    Control,
    /// Lists of those who publish, and nothing else; only where somebody publishes.
    Published,
    /// Everybody publishes.
    Ceiling,
}

impl Variant {
    /// What tables call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Private => "private",
            Self::Plain => "plain",
            Self::Control => "control",
            Self::Published => "published only",
            Self::Ceiling => "ceiling",
        }
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Private => "everybody's randomised list",
            Self::Plain => "the same, with the paper's reading and split of epsilon",
            Self::Control => "private lists empty: the number of users, and what is published",
            Self::Published => "lists of the users who publish, and no others (NonPriv-Part)",
            Self::Ceiling => "all lists in the clear (NonPriv-Full): what privacy costs",
        }
    }

    /// Those that make sense for a case.
    fn of(case: &Case<'_>) -> Vec<Self> {
        let someone_publishes = match &case.protection.setting {
            Setting::Common { .. } => false,
            Setting::Customised { public_share, .. } => *public_share > 0.0,
            Setting::PerUser(all) => all.contains(&f64::INFINITY),
        };
        let makes_sense = |variant: &Self| match variant {
            Self::Published => someone_publishes,
            Self::Plain => case.reading != Reading::Plain,
            _ => true,
        };
        let all = [Self::Private, Self::Plain, Self::Control, Self::Published, Self::Ceiling];
        all.into_iter().filter(makes_sense).collect()
    }

    fn case<'a>(self, case: &Case<'a>, seed: u64) -> Case<'a> {
        let mut case = Case { seed, ..case.clone() };
        match self {
            Self::Private => {}
            Self::Plain => case = case.reading(Reading::Plain),
            Self::Control => case.lists = Lists::Empty,
            Self::Published => case.protection.method = Method::NonPrivPart,
            Self::Ceiling => case.protection.method = Method::NonPrivFull,
        }
        case
    }
}

/// What every variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The rows.
    pub variants: Vec<Scored>,
    /// The accuracy of the largest class.
    pub majority: Summary,
    /// Private minus control, seed by seed, on test graphs.
    pub lists_added: Paired,
    /// Private minus ceiling, likewise.
    pub short_of_ceiling: Paired,
    /// The card of a private run: stamped as a simulation.
    #[serde(skip)]
    pub card: Card,
}

/// What one variant scored.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scored {
    /// Which.
    pub variant: Variant,
    /// Accuracy on test graphs.
    pub test: Summary,
    /// Area under the ROC curve on test graphs.
    pub auc: Summary,
    /// Run by run.
    pub scores: Vec<Score>,
}

/// Runs every variant with every seed. The result does not depend on the number of threads.
///
/// # Errors
/// The first, in the order of variants and seeds, that a run met; or that there are no seeds.
pub fn compare(
    case: &Case<'_>,
    seeds: &[u64],
    interrupt: &AtomicBool,
    progress: impl Fn(usize, usize) + Sync,
) -> Result<Comparison> {
    let none = || privet::Error::invalid("runs", seeds.len(), "at least 1");
    let variants = Variant::of(case);
    let cells: Vec<(Variant, u64)> = variants
        .iter()
        .flat_map(|&variant| seeds.iter().map(move |&seed| (variant, seed)))
        .collect();
    let work = |(variant, seed): (Variant, u64)| variant.case(case, seed).run(interrupt);
    let results: Vec<(Score, Card)> = side_by_side(&cells, work, progress)?;
    let card = results.first().map(|(_, card)| card.clone()).ok_or_else(none)?;
    let scores: Vec<Score> = results.into_iter().map(|(score, _)| score).collect();
    let rows = variants.iter().zip(scores.chunks(seeds.len().max(1)));
    let scored: Option<Vec<Scored>> =
        rows.map(|(&variant, scores)| Scored::of(variant, scores)).collect();
    let variants = scored.ok_or_else(none)?;
    let tests = |wanted: Variant| -> Vec<f64> {
        let row = variants.iter().find(|row| row.variant == wanted);
        row.map_or_else(Vec::new, |row| row.scores.iter().map(|score| score.test).collect())
    };
    let minus = |other| Paired::of(&tests(Variant::Private), &tests(other)).ok_or_else(none);
    let majority: Vec<f64> = seeds
        .iter()
        .map(|&seed| Case { seed, ..case.clone() }.majority())
        .collect::<Result<_>>()?;
    Ok(Comparison {
        majority: Summary::of(&majority).ok_or_else(none)?,
        lists_added: minus(Variant::Control)?,
        short_of_ceiling: minus(Variant::Ceiling)?,
        variants,
        card,
    })
}

impl Scored {
    fn of(variant: Variant, scores: &[Score]) -> Option<Self> {
        let summary =
            |of: fn(&Score) -> f64| Summary::of(&scores.iter().map(of).collect::<Vec<_>>());
        let (test, auc) = (summary(|score| score.test)?, summary(|score| score.auc)?);
        Some(Self { variant, test, auc, scores: scores.to_vec() })
    }
}

impl Comparison {
    /// Whether private lists added anything, in a sentence that claims no more than the interval does.
    pub fn verdict(&self) -> String {
        let Paired { difference, p_value, .. } = self.lists_added;
        let points = |share: f64| fixed(100.0 * share, 1);
        let mean = points(difference.mean);
        if difference.runs < 2 {
            return format!(
                "In a single run private lists scored {mean} points over the noise-only control: one \
                 run cannot tell that from chance."
            );
        }
        let (low, high) = (points(difference.low), points(difference.high));
        let verdict = match () {
            () if difference.low > 0.0 => "private lists did contribute",
            () if difference.high < 0.0 => "noise alone did better",
            () => "the runs cannot tell whether private lists contribute at all",
        };
        format!(
            "Private lists added {mean} points over the noise-only control (95 % interval {low} to \
             {high}, {}): {verdict}.",
            probability(p_value)
        )
    }

    /// Every variant's scores as a table.
    pub fn table(&self) -> Table {
        let caption = "Mean ± deviation and the mean's 95 % interval over seeds";
        let mut table = Table::new(caption, ["variant", "what it is", "test accuracy", "AUC"]);
        for row in &self.variants {
            let cells: [Cell; 4] = [
                row.variant.name().into(),
                row.variant.about().into(),
                Measured::percent(&row.test).into(),
                Measured::percent(&row.auc).into(),
            ];
            table.push(cells);
        }
        let largest: [Cell; 4] = [
            "majority".into(),
            "the largest class, always".into(),
            Measured::percent(&self.majority).into(),
            Cell::percent(0.5),
        ];
        table.push(largest);
        let words = format!("what private lists added ({})", probability(self.lists_added.p_value));
        let added: [Cell; 4] = [
            "private − control".into(),
            words.into(),
            Measured::percent(&self.lists_added.difference).into(),
            Cell::missing("not taken"),
        ];
        table.push(added);
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::dprr::made_up::threads;
    use crate::experiments::dprr::write_up::report;
    use privet::dprr::GraphLearner;

    #[test]
    fn a_comparison_has_all_that_stands_beside_a_score() {
        let set = threads(40, 20..40, 3).unwrap();
        let setting = Setting::Customised { epsilon: 1.0, public_share: 0.5 };
        let mut case = Case::new("made up", &set, Method::Dprr, setting);
        case.learner = GraphLearner { epochs: 4, ..GraphLearner::default() };
        let stop = AtomicBool::new(false);
        let comparison = compare(&case, &[0, 1], &stop, |_, _| {}).unwrap();
        // The clock apart, the same seeds give the same scores.
        let again = compare(&case, &[0, 1], &stop, |_, _| {}).unwrap();
        let scores = |comparison: &Comparison| -> Vec<(f64, f64)> {
            comparison.variants.iter().map(|scored| (scored.test.mean, scored.auc.mean)).collect()
        };
        assert_eq!(scores(&comparison), scores(&again));
        assert_eq!(comparison.variants.len(), 5);
        let report = report(&case, &comparison, "privet run dprr", None);
        assert!(report.is_simulation());
        let text = report.markdown();
        for part in ["private − control", "majority", "published only", "ceiling", "relationship"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        case.protection.setting = Setting::Common { epsilon: 1.0 };
        assert_eq!(compare(&case, &[0], &stop, |_, _| {}).unwrap().variants.len(), 4);
        case = case.reading(Reading::Plain);
        assert_eq!(compare(&case, &[0], &stop, |_, _| {}).unwrap().variants.len(), 3);
        assert!(compare(&case, &[], &stop, |_, _| {}).is_err());
    }
}
