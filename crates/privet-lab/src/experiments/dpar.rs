//! DPAR measured: no private figure without what stands beside it.
//!
//! | variant | what it shows |
//! |---|---|
//! | [`Variant::Private`] | what the chosen method achieves |
//! | [`Variant::Control`] | the same on people without connections: what the noise, not the structure, achieves |
//! | [`Variant::Features`] | DP-SGD on features at the same epsilon, no graph anywhere |
//! | [`Variant::Spread`] | the same model, answers spread over the visitors' graph |
//! | [`Variant::NoPrivateData`] | what needs the largest class; where connections alone are hidden, features |
//! | [`Variant::Clear`] | the paper's: no noise, true top-K |
//! | [`Variant::Ceiling`] | no noise, the best of several learners: what privacy costs |
//! | [`Variant::Majority`] | the largest class among the visitors: what knowing nothing achieves |
//!
//! Every variant runs with the same seeds, and a seed decides the split, so differences are taken seed by seed.

pub mod membership;
pub mod unprotected;
mod words;

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use privet::Method;
use privet::dpar::{Dpar, Held, Inductive, Open, Plan, Trained, Visitors};
use privet::graph::{Features, SparseBuilder};
use privet::learn::metrics::accuracy;
use privet::privacy::Card;
use privet::privacy::unit::{Node, ReplacedNode};
use privet::settings::name;
use privet::{Protected, Result, Run};
use serde::{Deserialize, Serialize};

use super::baselines::visitors::{self, KnownPeople};
use super::baselines::{CEILING, NamedLearner, best_of};
use super::cells::Key;
use super::trial::{
    Comparison, NamedData, Outcome, SECONDS, Subject, TEST, Trial, TrialScores, TrialText,
    VALIDATION, Variant,
};

/// What is hidden about a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Hidden {
    /// Whether the person is there.
    NodeAbsent,
    /// Who the person is: replaced by another person with the same id.
    NodeReplace,
    /// Connections alone, one at a time; for gap. Features and classes are read as they are.
    EdgeDp,
}

impl Hidden {
    /// Who or what is protected, and what of the training graph is not, in words.
    pub fn meaning(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::NodeAbsent | Self::NodeReplace => {
                ("the people trained on, each as a whole", None)
            }
            Self::EdgeDp => (
                "each connection among the people trained on",
                Some("the features and classes of the people trained on"),
            ),
        }
    }

    /// The noise that hiding it takes. A method without noise needs none, whatever is hidden.
    ///
    /// # Errors
    /// If a setting makes no sense, or no noise reaches the target.
    pub fn plan(self, system: &Dpar, people: usize) -> Result<Plan> {
        match (self, system.method) {
            (Self::EdgeDp, method) if !method.in_the_clear() => system.plan_edges(people),
            (Self::NodeReplace, _) => system.plan::<ReplacedNode>(people),
            _ => system.plan::<Node>(people),
        }
    }

    /// One run of a system that protects.
    ///
    /// # Errors
    /// Those of the system.
    pub fn classify(
        self,
        system: &Dpar,
        plan: &Plan,
        people: Open,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<Protected<Trained>> {
        if self == Self::EdgeDp {
            return system.classify_edges(plan, &people.seal_connections()?, visitors, run);
        }
        let people = Inductive { training: people.seal(), visitors: visitors.clone() };
        match self {
            Self::NodeReplace => system.classify::<ReplacedNode>(plan, &people, run),
            _ => system.classify::<Node>(plan, &people, run),
        }
    }

    /// One run of any method, protected or not.
    ///
    /// # Errors
    /// Those of the system.
    pub fn train(
        self,
        system: &Dpar,
        plan: &Plan,
        people: Open,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<(Trained, Card)> {
        match system.method.in_the_clear() {
            true => unprotected::classify(system, &people, visitors, run),
            false => Ok(self.classify(system, plan, people, visitors, run)?.into_parts()),
        }
    }
}

/// The most rows that read from one node.
pub const MOST_SHARED: &str = "most_shared";

/// What is run, in the order in which it is shown.
const VARIANTS: [Variant; 7] = [
    Variant::Private,
    Variant::Control,
    Variant::Features,
    Variant::Spread,
    Variant::NoPrivateData,
    Variant::Ceiling,
    Variant::Majority,
];

/// DPAR, or a baseline of it, on a graph.
#[derive(Debug, Clone)]
pub struct DparTrial<'a> {
    /// The data in the clear: the experimenter's view.
    pub data: NamedData<'a>,
    /// The system.
    pub system: Dpar,
    /// Who is hidden.
    pub hidden: Hidden,
    /// Who is classified.
    pub held: Held,
    /// How many people are trained on.
    pub people: usize,
    /// What all rows are scaled to: 1, but for searches over what papers leave open.
    row_norm: f64,
    /// How much noise each variant takes, on first use: it takes a while to find out.
    plans: BTreeMap<Variant, OnceLock<Plan>>,
}

/// What scores follow from.
#[derive(Serialize)]
struct DparKey<'a> {
    method: &'static str,
    mode: privet::dpar::Mode,
    target: privet::privacy::Loss,
    hidden: Hidden,
    held: String,
    settings: &'a privet::dpar::Settings,
}

impl Subject for DparTrial<'_> {
    fn key(&self, variant: Variant) -> Key {
        let key = Key::of(&self.data.key());
        let Some(Dpar { method, mode, target, settings }) = self.system(variant) else {
            let key = key.with("held", format!("{:?}", self.held));
            return match variant {
                Variant::Majority => key,
                _ => key
                    .with("hidden", name(&self.hidden))
                    .and(Key::of(&self.system.settings.structure)),
            };
        };
        let (hidden, held) = (self.hidden, format!("{:?}", self.held));
        let (method, settings) = (method.name(), &settings);
        let key = key.and(Key::of(&DparKey { method, mode, target, hidden, held, settings }));
        match self.row_norm == 1.0 {
            true => key,
            false => key.with("row_norm", self.row_norm),
        }
    }

    fn run(&self, variant: Variant, seed: u64, interrupt: &AtomicBool) -> Result<Outcome> {
        let (mut people, visitors) = self.split(seed)?;
        if matches!(variant, Variant::Ceiling | Variant::NoPrivateData) {
            let run = Run::simulation(seed).watched_by(interrupt);
            let scores = self.beside(variant, &people, &visitors, &run)?;
            return Ok(Outcome { scores, card: None });
        }
        let Some(system) = self.system(variant) else {
            let share = visitors.majority(people.class_count);
            return Ok(Outcome { scores: TrialScores::new([(TEST, share)]), card: None });
        };
        if variant == Variant::Control {
            people = people.forget_connections()?;
        }
        let plan = self.plan(variant)?;
        let run = Run::simulation(seed).watched_by(interrupt);
        let begun = Instant::now();
        let (trained, card) = self.hidden.train(&system, plan, people, &visitors, &run)?;
        let scores = TrialScores::new([
            (TEST, accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0)),
            (SECONDS, begun.elapsed().as_secs_f64()),
            (MOST_SHARED, f64::from(trained.most_shared)),
        ]);
        Ok(Outcome { scores, card: (variant == Variant::Private).then_some(card) })
    }
}

impl Trial for DparTrial<'_> {
    fn experiment(&self) -> &'static str {
        "run dpar"
    }

    fn variants(&self) -> Vec<Variant> {
        let says_something = |variant: &Variant| match variant {
            Variant::Control => self.system.method.reads_connections(),
            // What is run is not listed a second time as a baseline of itself.
            Variant::Spread => {
                self.hidden != Hidden::EdgeDp && self.system.method != Method::SmoothedSgd
            }
            Variant::Features => self.system.method != Method::Features,
            _ => true,
        };
        VARIANTS.into_iter().filter(says_something).collect()
    }

    fn about(&self, variant: Variant) -> String {
        match (variant, self.system(variant)) {
            (Variant::Control, _) => "the same noise, without connections",
            (Variant::Ceiling, _) => CEILING,
            (Variant::NoPrivateData, _) if self.hidden == Hidden::EdgeDp => {
                "the best learner that reads no connection among those trained on"
            }
            (Variant::NoPrivateData, _) => "the largest class",
            (_, Some(system)) => system.method.about(),
            (_, None) => "the largest class among those classified",
        }
        .into()
    }

    fn words(&self, comparison: &Comparison) -> TrialText {
        words::words(self, comparison)
    }
}

/// How many people of a dataset are trained on.
///
/// # Errors
/// If the data lacks features or labels, or a stated split has no labelled nodes to learn from or to test on.
pub fn learners(data: &NamedData<'_>, held: Held) -> Result<usize> {
    match data.stated_split(data.dataset.labels())? {
        Some(split) => Ok(split.train.len()),
        None => Ok(Open::split(data.dataset, held, 0)?.0.classes.len()),
    }
}

impl<'a> DparTrial<'a> {
    /// A system on a graph.
    ///
    /// # Errors
    /// If the data lacks features or labels.
    pub fn new(data: NamedData<'a>, system: Dpar, hidden: Hidden, held: Held) -> Result<Self> {
        let people = learners(&data, held)?;
        Ok(Self::with_people(data, system, hidden, held, people))
    }

    /// The same where it is known how many people are trained on.
    pub fn with_people(
        data: NamedData<'a>,
        system: Dpar,
        hidden: Hidden,
        held: Held,
        people: usize,
    ) -> Self {
        let plans = VARIANTS.map(|variant| (variant, OnceLock::new())).into();
        Self { data, system, hidden, held, people, row_norm: 1.0, plans }
    }

    /// The same on rows of another norm.
    #[must_use]
    pub fn with_row_norm(self, row_norm: f64) -> Self {
        Self { row_norm, ..self }
    }

    /// Who trains and who asks.
    fn split(&self, seed: u64) -> Result<(Open, Visitors)> {
        let dataset = self.data.dataset;
        let (mut people, mut visitors) = match self.data.stated_split(dataset.labels())? {
            Some(split) => Open::chosen(dataset, &split.train, &split.test)?,
            None => Open::split(dataset, self.held, seed)?,
        };
        if self.row_norm != 1.0 {
            people.features = scaled(&people.features, self.row_norm)?;
            visitors.features = scaled(&visitors.features, self.row_norm)?;
        }
        Ok((people, visitors))
    }

    /// The system of a variant; none for the majority.
    fn system(&self, variant: Variant) -> Option<Dpar> {
        let method = match variant {
            // Where connections alone are hidden, features need no noise.
            Variant::Features if self.hidden == Hidden::EdgeDp => Method::FeaturesInTheClear,
            Variant::Features => Method::Features,
            Variant::Spread => Method::SmoothedSgd,
            Variant::Clear => Method::DparInTheClear,
            Variant::Majority | Variant::Ceiling | Variant::NoPrivateData => return None,
            _ => self.system.method,
        };
        Some(Dpar { method, ..self.system.clone() })
    }

    /// The best of what reads everything in the clear, or of what reads nothing that is hidden.
    fn beside(
        &self,
        variant: Variant,
        people: &Open,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<TrialScores> {
        let share = visitors.majority(people.class_count);
        let largest = move || Ok(TrialScores::new([(VALIDATION, share), (TEST, share)]));
        let mut learners: Vec<NamedLearner<'_>> = vec![("the largest class", Box::new(largest))];
        let (ceiling, structure) = (variant == Variant::Ceiling, &self.system.settings.structure);
        if ceiling || self.hidden == Hidden::EdgeDp {
            let known = KnownPeople { people, visitors, structure };
            learners.extend(visitors::learners(known, ceiling, run));
        }
        best_of(learners)
    }

    /// How much noise a variant takes, found out once.
    ///
    /// # Errors
    /// If no noise keeps the target.
    pub fn plan(&self, variant: Variant) -> Result<&Plan> {
        let unknown = || privet::Error::invalid("variant", variant.name(), "one with a system");
        let slot = self.plans.get(&variant).ok_or_else(unknown)?;
        if let Some(plan) = slot.get() {
            return Ok(plan);
        }
        let system = self.system(variant).ok_or_else(unknown)?;
        let plan = self.hidden.plan(&system, self.people)?;
        Ok(slot.get_or_init(|| plan))
    }

    /// One run with noise and ledgers of the caller's choice.
    ///
    /// # Errors
    /// Those of the system.
    pub fn release(&self, run: &Run<'_>) -> Result<Protected<Trained>> {
        let (people, visitors) = self.split(run.seed)?;
        let plan = self.plan(Variant::Private)?;
        self.hidden.classify(&self.system, plan, people, &visitors, run)
    }
}

/// Rows times a number.
fn scaled(features: &Features, times: f64) -> Result<Features> {
    let mut rows = SparseBuilder::new(features.columns());
    for row in 0..features.rows() {
        let entries = features.nonzero_entries(row);
        let times = |(column, value): (u32, f32)| (column, (f64::from(value) * times) as f32);
        rows.push_row(&mut entries.map(times).collect::<Vec<_>>())?;
    }
    Ok(Features::sparse(rows.finish()))
}

#[cfg(test)]
mod tests;
