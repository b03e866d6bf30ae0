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
use privet::dpar::{Dpar, HeldOut, OpenPeople, Plan, TrainedClassifier, Visitors};
use privet::graph::{Features, SparseBuilder};
use privet::privacy::Card;
use privet::privacy::unit::Relation;
use privet::release::people_of;
use privet::settings::name;
use privet::{Result, Run};
use serde::Serialize;

use super::baselines::visitors::{self, KnownPeople};
use super::baselines::{CEILING, NamedLearner, best_of};
use super::cells::Key;
use super::trial::{
    Classified, Comparison, NamedData, Outcome, SECONDS, Subject, TEST, Trial, TrialScores,
    TrialText, VALIDATION, Variant,
};

/// Who or what is protected, and what of the training graph is not, in words.
pub fn meaning(hidden: Relation) -> (&'static str, Option<&'static str>) {
    match hidden {
        Relation::EdgeDp => (
            "each connection among the people trained on",
            Some("the features and classes of the people trained on"),
        ),
        _ => ("the people trained on, each as a whole", None),
    }
}

/// One run of any method, protected or not.
///
/// # Errors
/// Those of the system.
pub fn train(
    hidden: Relation,
    system: &Dpar,
    plan: &Plan,
    people: OpenPeople,
    visitors: &Visitors,
    run: &Run<'_>,
) -> Result<(TrainedClassifier, Card)> {
    match system.method.in_the_clear() {
        true => unprotected::classify(system, &people, visitors, run),
        false => Ok(system.classify_for(hidden, plan, people, visitors, run)?.into_parts()),
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
    pub hidden: Relation,
    /// Who is classified.
    pub held: HeldOut,
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
    hidden: Relation,
    held: String,
    settings: &'a privet::dpar::Settings,
}

impl Subject for DparTrial<'_> {
    fn key(&self, variant: Variant) -> Key {
        let key = Key::of(&self.data.key());
        let Some(Dpar { method, mode, target, settings }) = self.system(variant) else {
            let key = key.with("held", format!("{:?}", self.held));
            // The majority depends on the split alone; other baselines also on how the graph is
            // read.
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
        // Left out at its usual value, so that earlier cells keep their keys.
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
            return Ok(Outcome {
                scores: largest_class(&visitors, people.class_count),
                card: None,
            });
        };
        // The same noise on people without connections.
        if variant == Variant::Control {
            people = people.forget_connections()?;
        }
        let plan = self.plan(variant)?;
        let run = Run::simulation(seed).watched_by(interrupt);
        let (begun, classes) = (Instant::now(), people.class_count);
        let (trained, card) = train(self.hidden, &system, plan, people, &visitors, &run)?;
        let TrainedClassifier { predicted, scores, .. } = &trained;
        let found = Classified::of_all(classes, predicted, scores.as_ref(), &visitors.classes);
        let scores = found.and([
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
                self.hidden != Relation::EdgeDp && self.system.method != Method::SmoothedSgd
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
            (Variant::NoPrivateData, _) if self.hidden == Relation::EdgeDp => {
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
pub fn learners(data: &NamedData<'_>, held: HeldOut) -> Result<usize> {
    Ok(people_of(data.input(), held, 0)?.0.classes.len())
}

impl<'a> DparTrial<'a> {
    /// A system on a graph.
    ///
    /// # Errors
    /// If the data lacks features or labels.
    pub fn new(data: NamedData<'a>, system: Dpar, hidden: Relation, held: HeldOut) -> Result<Self> {
        let people = learners(&data, held)?;
        Ok(Self::with_people(data, system, hidden, held, people))
    }

    /// The same where it is known how many people are trained on.
    pub fn with_people(
        data: NamedData<'a>,
        system: Dpar,
        hidden: Relation,
        held: HeldOut,
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
    fn split(&self, seed: u64) -> Result<(OpenPeople, Visitors)> {
        let (mut people, mut visitors) = people_of(self.data.input(), self.held, seed)?;
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
            Variant::Features if self.hidden == Relation::EdgeDp => Method::FeaturesInTheClear,
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
        people: &OpenPeople,
        visitors: &Visitors,
        run: &Run<'_>,
    ) -> Result<TrialScores> {
        let scores = largest_class(visitors, people.class_count);
        // The share of the largest class needs no validation data; it is its own.
        let validation = scores.test();
        let largest = move || Ok(scores.and([(VALIDATION, validation)]));
        let mut learners: Vec<NamedLearner<'_>> = vec![("the largest class", Box::new(largest))];
        let (ceiling, structure) = (variant == Variant::Ceiling, &self.system.settings.structure);
        if ceiling || self.hidden == Relation::EdgeDp {
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
        // Calibration takes seconds, and is the same for every seed.
        if let Some(plan) = slot.get() {
            return Ok(plan);
        }
        let system = self.system(variant).ok_or_else(unknown)?;
        let plan = system.plan_for(self.hidden, self.people)?;
        Ok(slot.get_or_init(|| plan))
    }
}

/// The largest class among visitors for all of them; who has no class is not counted.
fn largest_class(visitors: &Visitors, classes: usize) -> TrialScores {
    let predicted = vec![visitors.largest_class(classes); visitors.classes.len()];
    let found = Classified::of_all(classes, &predicted, None, &visitors.classes);
    found.and([(TEST, visitors.majority(classes))])
}

/// Rows times a number.
fn scaled(features: &Features, times: f64) -> Result<Features> {
    let mut rows = SparseBuilder::new(features.columns());
    for row in 0..features.rows() {
        let entries = features.nonzero_entries(row);
        // Scaled in f64 and rounded once.
        let times = |(column, value): (u32, f32)| (column, (f64::from(value) * times) as f32);
        rows.push_row(&mut entries.map(times).collect::<Vec<_>>())?;
    }
    Ok(Features::sparse(rows.finish()))
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::StochasticBlocks;
    use privet::dpar::{Mode, Settings as DparSettings};
    use privet::graph::Dataset;
    use privet::privacy::Loss;

    use super::*;

    fn people() -> Dataset {
        let (nodes, classes, features, mean_degree) = (100, 3, 6, 3.0);
        let blocks =
            StochasticBlocks { nodes, classes, features, mean_degree, ..Default::default() };
        blocks.generate(1).unwrap()
    }

    fn system(method: Method) -> Dpar {
        let mut settings = DparSettings::rigorous();
        (settings.model.steps, settings.structure.sources) = (3, 10);
        Dpar { method, mode: Mode::Rigorous, target: Loss::new(2.0, 1e-3).unwrap(), settings }
    }

    fn trial(dataset: &Dataset, method: Method, hidden: Relation) -> DparTrial<'_> {
        DparTrial::new(NamedData::new("people", dataset), system(method), hidden, HeldOut::Test)
            .unwrap()
    }

    /// Whatever changes a score changes the key; the largest class follows from the data alone.
    #[test]
    fn keys_say_what_scores_follow_from() {
        let dataset = people();
        let first = trial(&dataset, Method::Em0, Relation::NodeAbsent);
        let mut others = vec![first.clone(); 5];
        others[0].system.method = Method::Gm;
        others[1].system.target = Loss::new(3.0, 1e-3).unwrap();
        others[2].system.settings.model.steps = 4;
        others[3].hidden = Relation::NodeReplace;
        others[4].held = HeldOut::Validation;
        for other in &others {
            let key = other.key(Variant::Private);
            assert_ne!(key, first.key(Variant::Private), "{key}");
        }
        let majority = |trial: &DparTrial<'_>| trial.key(Variant::Majority);
        assert!(others[..4].iter().all(|other| majority(other) == majority(&first)));
        assert_ne!(majority(&others[4]), majority(&first), "others are classified");
        assert_eq!(first.key(Variant::Features), others[0].key(Variant::Features));
    }

    #[test]
    fn what_says_nothing_is_not_run() {
        let dataset = people();
        let em0 = trial(&dataset, Method::Em0, Relation::NodeAbsent);
        assert_eq!(em0.variants(), VARIANTS);
        let spread = trial(&dataset, Method::SmoothedSgd, Relation::NodeAbsent);
        assert!(!spread.variants().contains(&Variant::Spread), "it stands in the first row");
        // Who reads no connections has nothing to forget.
        let features = trial(&dataset, Method::Features, Relation::NodeAbsent);
        assert!(!features.variants().contains(&Variant::Control));
        let edges = trial(&dataset, Method::Gap, Relation::EdgeDp);
        assert!(!edges.variants().contains(&Variant::Spread));
        // Where connections alone are hidden, features need no noise.
        let system = edges.system(Variant::Features).unwrap();
        assert_eq!(system.method, Method::FeaturesInTheClear);
        assert_eq!(em0.system(Variant::Features).unwrap().method, Method::Features);
        assert!(em0.system(Variant::Majority).is_none());
    }

    #[test]
    fn plans_are_found_once_and_keep_the_target() {
        let dataset = people();
        let trial = trial(&dataset, Method::Features, Relation::NodeAbsent);
        let plan = trial.plan(Variant::Private).unwrap();
        assert!(plan.loss.epsilon.get() <= 2.0 && plan.people == trial.people);
        assert!(std::ptr::eq(plan, trial.plan(Variant::Private).unwrap()));
        assert!(trial.plan(Variant::Majority).is_err(), "it has no system");
        assert!(trial.plan(Variant::Plain).is_err(), "it is never run");
    }

    #[test]
    fn the_largest_class_is_counted_among_those_classified() {
        let dataset = people();
        let (trial, never) =
            (trial(&dataset, Method::Em0, Relation::NodeAbsent), AtomicBool::new(false));
        let (people, visitors) = OpenPeople::split(&dataset, HeldOut::Test, 4).unwrap();
        let count = |class: u32| visitors.classes.iter().filter(|&&c| c == class).count();
        let largest = (0..people.class_count as u32).map(count).max().unwrap();
        let found = trial.run(Variant::Majority, 4, &never).unwrap().scores.test();
        assert_eq!(found, largest as f64 / visitors.classes.len() as f64);
    }

    #[test]
    fn a_seed_decides_everything_and_only_the_system_has_a_card() {
        let dataset = people();
        let (trial, never) =
            (trial(&dataset, Method::Features, Relation::NodeAbsent), AtomicBool::new(false));
        let run = |variant, seed| trial.run(variant, seed, &never).unwrap();
        let first = run(Variant::Private, 1);
        assert_eq!(first.scores.test(), run(Variant::Private, 1).scores.test());
        assert!(first.card.is_some_and(|card| card.is_simulation()));
        assert!(run(Variant::Ceiling, 1).card.is_none());
        assert!(first.scores.get(MOST_SHARED).is_some());
    }

    /// Nothing private is above what is read in the clear: on a graph without tuned settings it once was, by 8 points.
    #[test]
    fn a_ceiling_is_one() {
        let blocks =
            StochasticBlocks { nodes: 500, classes: 3, features: 40, ..Default::default() };
        let dataset = blocks.generate(4).unwrap();
        let mut trial = trial(&dataset, Method::SmoothedSgd, Relation::NodeAbsent);
        (trial.system.settings.model.steps, trial.system.target) =
            (40, Loss::new(8.0, 1e-3).unwrap());
        let never = AtomicBool::new(false);
        let mean = |variant| {
            let of = |seed| trial.run(variant, seed, &never).unwrap().scores.test();
            (0..3).map(of).sum::<f64>() / 3.0
        };
        let [private, ceiling, majority] =
            [Variant::Private, Variant::Ceiling, Variant::NoPrivateData].map(mean);
        // 300 answers: two points are within chance.
        assert!(ceiling >= private - 0.02, "{ceiling} against {private}");
        assert!(ceiling > majority + 0.2, "{ceiling} against {majority}");
        assert_eq!(majority, mean(Variant::Majority));
    }

    #[test]
    fn what_is_hidden_is_said_in_words() {
        assert_eq!(meaning(Relation::NodeAbsent), meaning(Relation::NodeReplace));
        let (protected, open) = meaning(Relation::EdgeDp);
        assert!(protected.contains("connection") && open.is_some());
    }
}
