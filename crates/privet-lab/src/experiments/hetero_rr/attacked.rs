//! Attacks on what HeteroRR releases: a model that is served, and features that were reported. Each stands
//! beside what the same attack finds where nothing is hidden, and where there is nothing to find.

use std::sync::atomic::AtomicBool;

use privet::graph::DenseMatrix;
use privet::learn::metrics::{PairedComparison, Summary};
use privet::privacy::features::Scale;
use privet::{Error, Result};
use serde::Serialize;

use super::HeteroRrTrial;
use crate::attacks::largest_auc;
use crate::attacks::linkteller::{LinkTeller, PairsFound, Truth, dense};
use crate::attacks::reconstruct::against_feature_rr;
use crate::error::Error as LabError;
use crate::experiments::cells::{Key, Sweep};
use crate::experiments::trial::compare::{Arm, measure};
use crate::experiments::trial::verdict::probability;
use crate::experiments::trial::{NamedData, Outcome, Subject, TrialScores, Variant, values};
use crate::report::summary::fixed;
use crate::report::{
    Axis, Block, Cell, MeasuredValue, NumberUnit, Plot, Reference, Report, Section, Series, Style,
    Table,
};

/// What an attack scored, line by line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackScores {
    /// What it is about.
    pub title: String,
    /// What the scores measure.
    pub metric: &'static str,
    /// The seeds, in the order of the scores.
    pub seeds: Vec<u64>,
    /// The scores; the first line is what the others are compared with.
    pub lines: Vec<AttackedLine>,
    /// The same runs by another metric, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub also: Option<OtherScore>,
    /// The most that the guarantee leaves to any attack.
    pub largest: f64,
    /// What else must be known to read the numbers.
    pub notes: Vec<String>,
    /// Always: scores need the truth and noise that can be replayed.
    pub scores_are_simulated: bool,
    /// What it comes to.
    pub verdict: String,
}

/// Scores by another metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherScore {
    /// What they measure.
    pub metric: &'static str,
    /// The scores; the first line is what the others are compared with.
    pub lines: Vec<AttackedLine>,
}

/// One line of scores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttackedLine {
    /// What was attacked.
    pub name: String,
    /// One score per seed.
    pub scores: Vec<f64>,
}

/// Pairs that public edges do not tell apart.
const MATCHED: &str = "matched";
/// Any pairs.
const ANY: &str = "any";

/// LinkTeller against a model of a trial's variant.
#[derive(Debug, Clone)]
struct Served<'a> {
    trial: HeteroRrTrial<'a>,
    attack: LinkTeller,
}

impl LinkTeller {
    /// Attacks a model that was trained on what a variant sees.
    ///
    /// # Errors
    /// Those of the system.
    pub fn on(
        &self,
        trial: &HeteroRrTrial<'_>,
        variant: Variant,
        seed: u64,
        interrupt: &AtomicBool,
    ) -> Result<PairsFound> {
        let world = trial.world(variant, seed)?;
        let gcn = trial.train(&world, &trial.split(seed)?, seed, interrupt)?;
        let truth = Truth { public: &world.public, private: &world.private };
        Self { seed, ..*self }.attack(&gcn, &world.graph, &world.rows, truth)
    }
}

impl Subject for Served<'_> {
    fn key(&self, variant: Variant) -> Key {
        self.trial.key(variant).with("attack", format!("{:?}", self.attack))
    }

    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        let found = self.attack.on(&self.trial, variant, seed, interrupt)?;
        let scores = TrialScores::new([
            (MATCHED, found.matched.unwrap_or(0.5)),
            (ANY, found.any.unwrap_or(0.5)),
        ]);
        Ok(Outcome { scores, card: None })
    }
}

/// What LinkTeller finds out about private edges, in so many probes.
///
/// # Errors
/// The first that a run met.
pub fn link_teller(
    trial: HeteroRrTrial<'_>,
    probes: usize,
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<AttackScores, LabError> {
    let rows = [
        (Variant::Private, "model on the published graph"),
        (Variant::Control, "model on noise with no private edge behind it"),
        (Variant::PublicOnly, "model on public edges"),
        (Variant::Clear, "unprotected model"),
    ];
    let (name, epsilon) = (trial.data.dataset.name(), trial.edges.epsilon);
    let title = format!("LinkTeller on {name}: private edges at epsilon {epsilon}");
    let served = Served { trial, attack: LinkTeller { probes, ..LinkTeller::default() } };
    let points: Vec<Arm<'_, Served<'_>>> =
        rows.iter().map(|(variant, _)| (&served, *variant)).collect();
    let scores = measure(&points, seeds, sweep).map_err(LabError::of_system)?;
    let lines = |score: &str| -> Vec<AttackedLine> {
        let line = |((_, name), scores): (&(Variant, &str), &Vec<TrialScores>)| AttackedLine {
            name: (*name).into(),
            scores: values(scores, score),
        };
        rows.iter().zip(&scores).map(line).collect()
    };
    let notes = [
        "pairs alike: private edges against pairs with equally many public friends in common: what the \
         model gives away beyond what is public",
        "any pairs: as the attack's paper counts; friends of friends are linked more often, which \
         public edges tell",
    ];
    let also = OtherScore { metric: "AUC, any pairs", lines: lines(ANY) };
    Ok(AttackScores {
        also: Some(also),
        notes: notes.map(String::from).into(),
        ..AttackScores::new(title, "AUC, pairs alike", seeds, lines(MATCHED), largest_auc(epsilon))
    })
}

/// A decoder against features reported by FeatureRR.
#[derive(Debug, Clone)]
struct ReportedFeatures<'a> {
    data: NamedData<'a>,
    rows: DenseMatrix,
    epsilon: f64,
    width: usize,
}

impl Subject for ReportedFeatures<'_> {
    fn key(&self, _: Variant) -> Key {
        Key::of(&self.data.key()).with("epsilon", self.epsilon).with("width", self.width)
    }

    fn run(&self, _: Variant, seed: u64, _: &AtomicBool) -> Result<Outcome> {
        let found = against_feature_rr(&self.rows, self.epsilon, self.width, seed)?;
        let found = [found.reported, found.noise_alone, found.clear].map(|found| found.auc);
        Ok(Outcome { scores: RECONSTRUCTED.into_iter().zip(found).collect(), card: None })
    }
}

const RECONSTRUCTED: [&str; 3] = ["reported features", "noise alone", "embedding in the clear"];

/// What a decoder reads out of reports of an embedding of so many columns.
///
/// # Errors
/// If there are no features with a declared range, or a run failed.
pub fn reconstruct(
    data: NamedData<'_>,
    epsilon: f64,
    width: usize,
    seeds: &[u64],
    sweep: &mut Sweep<'_>,
) -> Result<AttackScores, LabError> {
    let features = data.dataset.features().ok_or_else(|| Error::Missing {
        dataset: data.name.to_owned(),
        what: "features",
        remedy: "they are what is reconstructed",
    })?;
    let title = format!(
        "reconstruction of the features of {} from reports at epsilon {epsilon}",
        data.dataset.name()
    );
    // What is reconstructed has a declared range.
    Scale::new(features.columns(), features.bounds()).map_err(Error::from)?;
    let reported = ReportedFeatures { data, rows: dense(features.matrix()), epsilon, width };
    let scores =
        measure(&[(&reported, Variant::Private)], seeds, sweep).map_err(LabError::of_system)?;
    let scores = scores.into_iter().next().unwrap_or_default();
    let line = |name: &str| AttackedLine { name: name.into(), scores: values(&scores, name) };
    let lines = RECONSTRUCTED.map(line).into();
    let metric = "AUC, value above its column's mean";
    let note = "columns differ in how often they are above their mean: read the first line beside the \
                second, which has nothing behind it";
    Ok(AttackScores {
        notes: vec![note.into()],
        ..AttackScores::new(title, metric, seeds, lines, largest_auc(epsilon))
    })
}

impl AttackScores {
    fn new(
        title: String,
        metric: &'static str,
        seeds: &[u64],
        lines: Vec<AttackedLine>,
        largest: f64,
    ) -> Self {
        let verdict = verdict(&lines, largest);
        let (seeds, notes) = (seeds.to_vec(), Vec::new());
        let (also, scores_are_simulated) = (None, true);
        Self { title, metric, seeds, lines, also, largest, notes, scores_are_simulated, verdict }
    }

    /// What the attack finds, below the most that any can find.
    fn picture(&self) -> Plot {
        let names = self.lines.iter().map(|line| line.name.clone());
        let of = |line: &AttackedLine| {
            Summary::of(&line.scores)
                .map(|summary| MeasuredValue::over(&summary, NumberUnit::Plain))
        };
        let found: Vec<MeasuredValue> = self.lines.iter().filter_map(of).collect();
        let line = |name: &str, y| Reference { name: name.into(), y, low: None, high: None };
        Plot::new("What the attack finds", Axis::categories("", names), Axis::share(self.metric))
            .with(Series::measured(self.metric, Style::Bars, &found))
            .with_line(line("the most that this epsilon leaves to any attack", self.largest))
            .with_line(line("guessing", 0.5))
    }

    /// The same as a report.
    pub fn report(&self, command: &str) -> Report {
        let mut report = Report::new(self.title.clone(), self.verdict.clone());
        report.command = command.into();
        let mut blocks = vec![
            Block::Plot(self.picture()),
            Block::Table(table(self.metric, &self.lines)),
            Block::simulation(),
        ];
        blocks.extend(self.also.iter().map(|also| Block::Table(table(also.metric, &also.lines))));
        blocks.push(Block::List(self.notes.clone()));
        report.sections.push(Section::new("Results", blocks));
        report
    }
}

fn table(metric: &str, lines: &[AttackedLine]) -> Table {
    let mut table = Table::new(metric, ["", metric, "first line minus this"]);
    let first = lines.first().map_or(&[][..], |line| &line.scores);
    for (at, line) in lines.iter().enumerate() {
        let scores = Summary::of(&line.scores)
            .map(|summary| MeasuredValue::over(&summary, NumberUnit::Plain));
        let minus = PairedComparison::of(first, &line.scores).filter(|_| at > 0);
        let minus = minus.map(|paired| MeasuredValue::over(&paired.difference, NumberUnit::Plain));
        let cell = |value: Option<MeasuredValue>| value.map_or_else(|| Cell::from(""), Cell::from);
        table.push([Cell::from(line.name.as_str()), cell(scores), cell(minus)]);
    }
    table
}

/// Whether the attack finds more than it does where nothing is behind the noise.
fn verdict(lines: &[AttackedLine], largest: f64) -> String {
    let [first, control, ..] = lines else { return "Nothing was compared.".into() };
    let (Some(found), Some(over)) =
        (Summary::of(&first.scores), PairedComparison::of(&first.scores, &control.scores))
    else {
        return "Nothing was compared.".into();
    };
    let told = format!(
        "The attack reaches {} where the card's epsilon leaves {} at most, {} over noise with nothing behind \
         it ({})",
        fixed(found.mean, 3),
        fixed(largest, 3),
        fixed(over.difference.mean, 3),
        probability(over.p_value)
    );
    match over.difference {
        difference if difference.runs < 2 => {
            format!("{told}: one run cannot tell that from chance.")
        }
        difference if difference.low > 0.0 => format!("{told}: something shows."),
        _ => format!("{told}: nothing shows."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attack_is_judged_by_what_it_finds_in_noise() {
        let line = |scores: &[f64]| AttackedLine { name: String::new(), scores: scores.to_vec() };
        let told = |one: &[f64], other: &[f64]| verdict(&[line(one), line(other)], 0.73);
        let found = told(&[0.70, 0.71, 0.69], &[0.5, 0.51, 0.49]);
        assert!(found.starts_with("The attack reaches 0.700 where"), "{found}");
        assert!(found.ends_with("something shows."), "{found}");
        assert!(told(&[0.5, 0.52, 0.49], &[0.51, 0.5, 0.5]).ends_with("nothing shows."));
        assert!(told(&[0.7], &[0.5]).ends_with("one run cannot tell that from chance."));
    }
}
