//! [`PlanQuestion`]: what is public about the data, who is trusted, what is to be hidden. Nothing in it was read off a record.

use std::fmt::Display;

use privet::data::declared::{Encoder, Mistake};
use privet::project::{Config, Protects, TrustModel};
use privet::{Error, Result};
use serde::Serialize;

/// What is asked: public facts, a trust model, and the epsilons to compare.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanQuestion {
    /// What the data are called.
    pub name: String,
    /// How much there is.
    pub facts: PublicFacts,
    /// Who holds the raw data.
    pub trust: TrustModel,
    /// Parts of each person's data to protect.
    pub protects: Vec<Protects>,
    /// The epsilons to compare, ascending: of each part that is hidden.
    pub epsilons: Vec<f64>,
    /// The probability that a promise may fail by, where one is needed.
    pub delta: f64,
}

/// What may be known about data without looking into it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PublicFacts {
    /// How many people there are, in all graphs together.
    pub people: usize,
    /// How many connections there are between them.
    pub edges: u64,
    /// In how many graphs they are; several where whole graphs are classified.
    pub graphs: usize,
    /// How many columns a person's record has.
    pub columns: usize,
    /// In how many of them a person has something, on average, where most are zero.
    pub filled: Option<f64>,
    /// How many classes there are.
    pub classes: usize,
    /// The share of the largest class, where that is known; otherwise classes become smaller slowly.
    pub largest_class: Option<f64>,
    /// A guess of how often connected people have the same class.
    pub homophily: Option<f64>,
    /// The accuracy that public data alone reach, where it is known: to find out costs nothing.
    pub public_accuracy: Option<f64>,
    /// The accuracy that a model in the clear reaches, where it is known already, such as from a publication.
    pub clear_accuracy: Option<f64>,
    /// The share of the people whose class is known, to train and to choose by.
    pub labelled: f64,
    /// The share of the connections that is secret, where a curator hides connections.
    pub private_share: f64,
}

/// Three quarters of the people, as the benchmarks split: half to train, a quarter to choose by.
pub const LABELLED: f64 = 0.75;
/// What is compared unless stated otherwise.
pub const EPSILONS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 8.0];
/// How fast classes become smaller: the n-th has `n^-FALL` of the first.
pub(super) const FALL: f64 = 0.6;
/// More epsilons than fit on a screen.
const MOST_EPSILONS: usize = 8;

impl PublicFacts {
    /// So many people of one graph with so many connections, columns and classes; the rest is what is usual.
    pub const fn new(people: usize, edges: u64, columns: usize, classes: usize) -> Self {
        Self {
            people,
            edges,
            graphs: 1,
            columns,
            filled: None,
            classes,
            largest_class: None,
            homophily: None,
            public_accuracy: None,
            clear_accuracy: None,
            labelled: LABELLED,
            private_share: 1.0,
        }
    }

    /// The share of each class, where the largest is known: the others become smaller slowly.
    pub fn class_shares(&self) -> Option<Vec<f64>> {
        let largest = self.largest_class?;
        let others: Vec<f64> = (2..=self.classes).map(|n| (n as f64).powf(-FALL)).collect();
        let sum: f64 = others.iter().sum();
        let mut shares: Vec<f64> =
            others.iter().map(|other| (1.0 - largest) * other / sum.max(1e-12)).collect();
        shares.insert(0, largest);
        Some(shares)
    }

    /// How many connections a person has, on average.
    pub fn mean_degree(&self) -> f64 {
        2.0 * self.edges as f64 / self.people.max(1) as f64
    }

    /// Whether the facts can all be true.
    ///
    /// # Errors
    /// The first that cannot, with what would be right.
    pub fn check(&self) -> Result<()> {
        let Self { people, edges, graphs, columns, classes, .. } = *self;
        let need = 20 * classes.max(1);
        require(
            classes >= 2,
            "classes",
            classes,
            "at least 2: there must be something to tell apart",
        )?;
        let expected =
            format!("at least {need}: twenty for each of {classes} classes, or fewer classes");
        require(people >= need, "people", people, expected)?;
        require(people < u32::MAX as usize, "people", people, "fewer than 4,294,967,295")?;
        require(graphs >= 1, "graphs", graphs, "at least 1")?;
        let largest = |each: f64| graphs as f64 * each * (each - 1.0) / 2.0;
        let pairs = largest(people as f64 / graphs as f64);
        let expected = format!(
            "at most {pairs:.0}: so many pairs have {people} people in {graphs} {}; each connection counts once",
            if graphs == 1 { "graph" } else { "graphs" }
        );
        require(edges as f64 <= pairs, "edges", edges, expected)?;
        let several =
            "at least 10 for each class, or 1 where the people of one graph are classified";
        require(graphs == 1 || graphs >= 10 * classes, "graphs", graphs, several)?;
        if let Some(filled) = self.filled {
            let expected = format!("above 0 and at most {columns}, the number of columns");
            require(filled > 0.0 && filled <= columns as f64, "filled columns", filled, expected)?;
        }
        let share = |what, value: f64| {
            require(value > 0.0 && value <= 1.0, what, value, "a share above 0, up to 1")
        };
        share("share of private connections", self.private_share)?;
        self.check_guesses(share)
    }

    fn check_guesses(&self, share: impl Fn(&'static str, f64) -> Result<()>) -> Result<()> {
        let Self { homophily, labelled, classes, people, largest_class, .. } = *self;
        if let Some(share) = largest_class {
            let least = 1.0 / classes as f64;
            let rest = (1.0 - share) * people as f64;
            let fits = share >= least && rest >= (10 * (classes - 1)) as f64;
            let expected = format!(
                "from {least:.2} on, which is all classes alike, with ten people left for each other class"
            );
            require(fits, "largest class", share, expected)?;
        }
        if let Some(homophily) = homophily {
            share("homophily", homophily)?;
        }
        if let Some(accuracy) = self.public_accuracy {
            share("public accuracy", accuracy)?;
        }
        if let Some(accuracy) = self.clear_accuracy {
            share("clear accuracy", accuracy)?;
        }
        share("labelled share", labelled)?;
        let trained = (labelled * people as f64) as usize;
        let expected = format!("enough for {} labelled people, ten for each class", 10 * classes);
        require(self.graphs > 1 || trained >= 10 * classes, "labelled share", labelled, expected)
    }
}

impl PlanQuestion {
    /// A question with the usual epsilons.
    ///
    /// # Errors
    /// If facts contradict each other, or that trust model is not possible.
    pub fn new(
        name: impl Into<String>,
        facts: PublicFacts,
        trust: TrustModel,
        protects: Vec<Protects>,
    ) -> Result<Self> {
        let question = Self::unchecked(name, facts, trust, protects);
        question.check()?;
        Ok(question)
    }

    /// The same, to which something is still added.
    pub(super) fn unchecked(
        name: impl Into<String>,
        facts: PublicFacts,
        trust: TrustModel,
        protects: Vec<Protects>,
    ) -> Self {
        let delta = privet::doubts::default_delta(facts.people);
        Self { name: name.into(), facts, trust, protects, epsilons: EPSILONS.to_vec(), delta }
    }

    /// What a project declares, with what its file does not say: how many people and connections there are. No table of
    /// it is opened. Where the facts name no epsilons, those that the budget allows are compared. Unchecked: something may
    /// still be added.
    ///
    /// # Errors
    /// If the project's columns make no sense.
    pub(super) fn of_project(config: &Config, people: usize, edges: u64) -> Result<Self> {
        let classes = match &config.graphs {
            Some(graphs) => graphs.classes.len(),
            None => config.people.classes.as_ref().map_or(0, Vec::len),
        };
        let classes = if config.people.whether.is_some() { 2 } else { classes };
        let columns = Encoder::new(&config.people).map_err(mistaken)?.columns().len();
        let facts = PublicFacts::new(people, edges, columns, classes);
        let ProjectFacts { name, trust, protects } = ProjectFacts::of(config);
        let mut question = Self::unchecked(name, facts, trust, protects);
        let budget = config.budget.epsilon;
        question.epsilons = EPSILONS.iter().map(|share| share / 8.0 * budget).collect();
        if config.budget.delta > 0.0 {
            question.delta = config.budget.delta;
        }
        Ok(question)
    }

    /// Whether something is to be hidden.
    pub fn hides(&self, what: Protects) -> bool {
        self.protects.contains(&what)
    }

    /// Whether the question can be answered.
    ///
    /// # Errors
    /// If facts contradict each other, that trust model is not possible, or an epsilon makes no sense.
    pub fn check(&self) -> Result<()> {
        self.facts.check()?;
        let words = || self.protects.iter().map(|what| what.name()).collect::<Vec<_>>().join(", ");
        require(!self.protects.is_empty(), "protects", "nothing", "at least one part")?;
        if self.hides(Protects::People) && self.protects.len() > 1 {
            let expected = "people alone: to protect whole people protects the rest with them";
            return Err(Error::invalid("protects", words(), expected));
        }
        if let Some(other) = self.protects.iter().find(|what| !what.fits(self.trust)) {
            let expected = match self.trust {
                TrustModel::Curator => {
                    "people, connections, features or labels of a curator; contacts need devices"
                }
                TrustModel::Devices => {
                    "features, labels or contacts of devices; people and connections need a curator"
                }
            };
            return Err(Error::invalid("protects", other.name(), expected));
        }
        if self.hides(Protects::Connections) && self.hides(Protects::Labels) {
            let expected = "connections with features at most, or people: nothing here trains on hidden labels and connections";
            return Err(Error::invalid("protects", words(), expected));
        }
        let contacts_alone = self.protects == [Protects::Contacts];
        if self.facts.graphs > 1 && !contacts_alone {
            let expected =
                "contacts alone, on devices, where whole graphs are classified; or one graph";
            return Err(Error::invalid("protects", words(), expected));
        }
        let features = self.hides(Protects::Features) || self.hides(Protects::People);
        let columns = self.facts.columns;
        require(!features || columns > 0, "columns", columns, "at least 1: they are to be hidden")?;
        let edges = self.hides(Protects::Contacts) || self.hides(Protects::Connections);
        let expected = "at least 1: connections are to be hidden";
        require(!edges || self.facts.edges > 0, "edges", self.facts.edges, expected)?;
        self.check_epsilons()
    }

    fn check_epsilons(&self) -> Result<()> {
        let count = self.epsilons.len();
        let some = format!("1 to {MOST_EPSILONS} of them");
        require((1..=MOST_EPSILONS).contains(&count), "epsilons", count, some)?;
        for &epsilon in &self.epsilons {
            let sane = epsilon > 0.0 && epsilon <= privet::doubts::LARGEST_EPSILON;
            let expected = "a number above 0, up to 20: beyond it there is no protection";
            require(sane, "epsilon", epsilon, expected)?;
        }
        let ascending = self.epsilons.windows(2).all(|pair| pair[0] < pair[1]);
        require(ascending, "epsilons", format!("{:?}", self.epsilons), "each once, ascending")?;
        let below = 1.0 / self.facts.people as f64;
        let expected = format!("above 0 and below {below:.1e}, one over the number of people");
        require(self.delta > 0.0 && self.delta < below, "delta", self.delta, expected)
    }
}

/// What a project says about itself.
struct ProjectFacts {
    name: String,
    trust: TrustModel,
    protects: Vec<Protects>,
}

impl ProjectFacts {
    fn of(config: &Config) -> Self {
        let about = &config.project;
        Self { name: about.name.clone(), trust: about.trust, protects: about.protects.clone() }
    }
}

/// Whether a fact can be true; what would be right may quote other facts.
fn require(
    fits: bool,
    what: &'static str,
    found: impl Display,
    expected: impl Display,
) -> Result<()> {
    match fits {
        true => Ok(()),
        false => Err(Error::invalid(what, found, expected)),
    }
}

/// A declaration that makes no sense: a project's file was checked, so this does not happen.
fn mistaken(Mistake { key, found, expected }: Mistake) -> Error {
    Error::invalid("column", format!("{key}: {found}"), expected)
}
