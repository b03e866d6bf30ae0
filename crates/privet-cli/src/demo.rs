//! The tour that `privet demo` takes: a list of steps that share one [`Tour`].
//!
//! Each does something to the tour and shows it in a few lines; what they do is what `privet run ldp-ge`
//! does, on people who do not exist.

mod learning;
mod words;

use std::io::{self, Write};

use privet::data::synthetic::StochasticBlocks;
use privet::graph::{Dataset, FeatureMatrix};
use privet::privacy::features::{DecodeRows, Decoding, Hds, Scale};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::FeatureRow;
use privet::privacy::{Ledger, Loss, Secret};
use serde::Serialize;

use crate::console::Answer;
use crate::facts::{GraphFacts, Origin};
use crate::failure::{Failure, Result};
use crate::style::{ACCENT, FAINT, GOOD, STRONG};
pub use learning::{Conclusion, Spreading, Trained};

/// A step of the tour, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Make a graph of people who do not exist.
    Graph,
    /// Randomise it.
    Protect,
    /// Spread what was released over the graph.
    Embed,
    /// Learn from it.
    Train,
    /// Say how good it is and what it cost.
    Report,
}

/// What the steps hand on to each other.
#[derive(Debug)]
pub struct Tour {
    seed: u64,
    people: Option<Dataset>,
    reports: Option<FeatureMatrix>,
    conclusion: Option<Conclusion>,
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Outcome {
    /// It was done; these are the facts.
    Done {
        /// What the graph looks like now.
        facts: Box<GraphFacts>,
    },
    /// Everybody sent a randomised report.
    Protected(Protection),
    /// The reports were spread over the graph.
    Embedded(Spreading),
    /// Classifiers were trained and measured.
    Trained(Trained),
    /// This is what it comes to.
    Concluded(Conclusion),
}

/// What protecting the features came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Protection {
    /// The mechanism.
    pub mechanism: &'static str,
    /// What the ledger was charged for each person.
    pub epsilon: f64,
    /// How many people reported.
    pub reports: usize,
    /// How many numbers each of them sent.
    pub numbers_sent: usize,
    /// Out of how many.
    pub columns: usize,
    /// What the ledger says when asked for the same again.
    pub refusal: String,
}

/// What the tour may spend on each person's features.
const EPSILON: f64 = 1.0;

impl Protection {
    /// Runs HDS through a ledger that has exactly enough for it, and tries once more.
    fn of(people: &Dataset, seed: u64) -> Result<(Self, FeatureMatrix)> {
        let features = people.features().ok_or_else(|| missing("features"))?;
        let columns = features.columns();
        let mechanism = Hds::new(EPSILON, Scale::new(columns, features.bounds())?)?;
        let limit = Loss::new(EPSILON, 0.0)?;
        // The tour repeats itself, so its noise is replayed; nobody is there to be protected.
        let mut ledger = Ledger::<FeatureRow>::in_memory(limit, NoiseRng::replay(seed))?;
        let secret = Secret::new(features.clone());
        let reports = ledger.release_each(&secret, &mechanism)?;
        let again = ledger.release_each(&secret, &mechanism);
        let spent = ledger.spent()?;
        let protection = Self {
            mechanism: "hds",
            epsilon: spent.iter().map(|group| group.loss.epsilon.get()).fold(0.0, f64::max),
            reports: reports.get().len(),
            numbers_sent: mechanism.k(),
            columns,
            refusal: again.err().map(|error| error.to_string()).unwrap_or_default(),
        };
        Ok((protection, mechanism.decode(reports.get(), Decoding::Unbiased)?))
    }
}

/// Steps are taken in order, so this does not happen.
fn missing(what: &str) -> Failure {
    Failure::data(format!("the tour has no {what} yet"))
}

impl Step {
    /// All steps.
    pub const ALL: [Self; 5] = [Self::Graph, Self::Protect, Self::Embed, Self::Train, Self::Report];

    /// What it is called: the command that will do it on your own data has the same name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Graph => "graph",
            Self::Protect => "protect",
            Self::Embed => "embed",
            Self::Train => "train",
            Self::Report => "report",
        }
    }

    /// What it does, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Graph => "make up people in communities, with interests that hint at theirs",
            Self::Protect => "randomise every person's features before anybody else sees them",
            Self::Embed => "spread the randomised features along the edges",
            Self::Train => "fit classifiers five times over, beside what noise alone achieves",
            Self::Report => "say whether the features helped, and no more than the runs do",
        }
    }

    /// Does it.
    fn take(self, tour: &mut Tour) -> Result<Outcome> {
        if self == Self::Graph {
            let people = StochasticBlocks::default().generate(tour.seed)?.with_name("people");
            let origin = Origin {
                generator: Some("sbm".into()),
                seed: Some(tour.seed),
                ..Origin::default()
            };
            let facts = Box::new(GraphFacts::of(&people, origin));
            tour.people = Some(people);
            return Ok(Outcome::Done { facts });
        }
        let people = tour.people.as_ref().ok_or_else(|| missing("people"))?;
        Ok(match self {
            Self::Graph | Self::Protect => {
                let (protection, reports) = Protection::of(people, tour.seed)?;
                tour.reports = Some(reports);
                Outcome::Protected(protection)
            }
            Self::Embed => {
                let reports = tour.reports.as_ref().ok_or_else(|| missing("reports"))?;
                Outcome::Embedded(Spreading::of(people, reports, tour.seed)?)
            }
            Self::Train => {
                let (trained, conclusion) = Trained::of(people, tour.seed)?;
                tour.conclusion = Some(conclusion);
                Outcome::Trained(trained)
            }
            Self::Report => {
                Outcome::Concluded(tour.conclusion.take().ok_or_else(|| missing("scores"))?)
            }
        })
    }
}

/// A step and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Taken {
    /// The step.
    pub step: Step,
    /// What it does.
    pub about: &'static str,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The whole tour, taken.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Diary {
    /// The seed it was taken with.
    pub seed: u64,
    /// All steps in order.
    pub steps: Vec<Taken>,
}

/// Takes all steps.
///
/// # Errors
/// If one fails.
pub fn tour(seed: u64) -> Result<Diary> {
    let mut tour = Tour { seed, people: None, reports: None, conclusion: None };
    let take = |step: Step| Ok(Taken { step, about: step.about(), outcome: step.take(&mut tour)? });
    let steps = Step::ALL.into_iter().map(take).collect::<Result<_>>()?;
    Ok(Diary { seed, steps })
}

impl Answer for Diary {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{STRONG}A tour of Privet{STRONG:#}  {FAINT}on people who do not exist, seed {}; \
             nothing is read or sent{FAINT:#}\n",
            self.seed
        )?;
        for (number, taken) in (1..).zip(&self.steps) {
            let (name, about) = (taken.step.name(), taken.about);
            writeln!(out, "{GOOD}{number} {name:<8}{GOOD:#} {about}")?;
            for (name, text) in words::lines(&taken.outcome) {
                writeln!(out, "  {FAINT}{name:<10}{FAINT:#} {text}")?;
            }
        }
        writeln!(
            out,
            "\nNext: {ACCENT}privet data list{ACCENT:#}       the public benchmarks\n      \
             {ACCENT}privet data info PATH{ACCENT:#}  a graph of yours\n      \
             {ACCENT}privet run ldp-ge --dataset synthetic --epsilon 1 -o release{ACCENT:#}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_tour() {
        assert_eq!(tour(3).unwrap(), tour(3).unwrap());
        assert_ne!(tour(3).unwrap().steps[0], tour(4).unwrap().steps[0]);
    }

    #[test]
    fn the_ledger_gives_nothing_twice() {
        let people = StochasticBlocks::default().generate(1).unwrap();
        let (protection, _) = Protection::of(&people, 1).unwrap();
        assert_eq!((protection.epsilon, protection.reports), (EPSILON, 1000));
        assert!(protection.refusal.contains("over the limit"), "{}", protection.refusal);
    }

    #[test]
    fn it_fits_one_screen() {
        let mut out = Vec::new();
        tour(7).unwrap().write_text(&mut anstream::StripStream::new(&mut out)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.lines().count() <= 28, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 90), "{text}");
    }
}
