//! [`StatedFacts`]: public facts as a custodian states them, and the [`PlanQuestion`] that they make: over a dataset that resembles
//! theirs, over a project, or alone. What is not said is what is usual.

use privet::data::catalog;
use privet::project::{Protects, TrustModel};
use privet::request::RequestFields;
use privet::{Error, Project, Result};
use serde::{Deserialize, Serialize};

use super::benchmarks::{self, BENCHMARKS};
use super::facts::{PlanQuestion, PublicFacts};

/// What a custodian knows about the data, and asks.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct StatedFacts {
    /// Number of people.
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub people: Option<usize>,
    /// Number of connections, each counted once.
    #[cfg_attr(feature = "clap", arg(long, value_name = "E"))]
    pub edges: Option<u64>,
    /// Mean number of connections per person, in place of edges.
    #[cfg_attr(feature = "clap", arg(long, value_name = "D"))]
    pub mean_degree: Option<f64>,
    /// Number of feature columns per person; each category counts as one column.
    #[cfg_attr(feature = "clap", arg(long, value_name = "C"))]
    pub columns: Option<usize>,
    /// Mean number of non-zero columns per person, for sparse records.
    #[cfg_attr(feature = "clap", arg(long, value_name = "COUNT"))]
    pub filled: Option<f64>,
    /// Number of classes.
    #[cfg_attr(feature = "clap", arg(long, value_name = "K"))]
    pub classes: Option<usize>,
    /// Share of the largest class, if it is far from the others: 0.96 of 96 to 4
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub largest_class: Option<f64>,
    /// Number of graphs, where whole graphs are classified.
    #[cfg_attr(feature = "clap", arg(long, value_name = "G"))]
    pub graphs: Option<usize>,
    /// Assumed probability that connected people have the same class; without it, a range is simulated.
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub homophily: Option<f64>,
    /// Accuracy that public data alone reach, if it is known: it costs nothing to measure, and narrows intervals
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub public_accuracy: Option<f64>,
    /// Accuracy that a model in the clear reaches, if it is known already, such as from a publication; do not measure it on the
    /// private records for a plan
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub clear_accuracy: Option<f64>,
    /// Share of people whose class is known [default: 0.75]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub labelled: Option<f64>,
    /// Share of connections that are private, where connections are protected [default: 1]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub private_share: Option<f64>,
    /// Use the facts of a public dataset that resembles yours.
    #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
    pub like: Option<String>,
    /// Who holds the raw data [default: curator for people and connections, devices otherwise]
    #[cfg_attr(feature = "clap", arg(long))]
    pub trust: Option<TrustModel>,
    /// Parts of each person's data to protect.
    #[cfg_attr(feature = "clap", arg(long, value_name = "PARTS", value_delimiter = ','))]
    pub protects: Vec<Protects>,
    /// Privacy budgets (epsilon) to compare [default: 0.5,1,2,4,8; in a project, shares of its
    /// budget]
    #[cfg_attr(feature = "clap", arg(long, value_name = "LIST", value_delimiter = ','))]
    pub epsilons: Vec<f64>,
    /// Failure probability of the guarantee (delta) [default: far below one over the number of people]
    #[cfg_attr(feature = "clap", arg(long))]
    pub delta: Option<f64>,
}

/// Something that was not said.
fn missing(name: &'static str, why: &'static str) -> Error {
    Error::Unsaid { name, why }
}

impl RequestFields for StatedFacts {
    fn example() -> Self {
        Self::default()
    }

    fn validate(&self) -> Result<()> {
        let stated = [
            ("people", self.people.is_some()),
            ("edges", self.edges.is_some()),
            ("mean-degree", self.mean_degree.is_some()),
            ("columns", self.columns.is_some()),
            ("filled", self.filled.is_some()),
            ("classes", self.classes.is_some()),
            ("graphs", self.graphs.is_some()),
        ];
        let stated = stated.into_iter().find(|(_, stated)| *stated);
        if let (Some(_), Some((name, _))) = (&self.like, stated) {
            let reason = "the dataset that resembles yours brings its facts";
            return Err(Error::request(name, reason, "leave it or like out"));
        }
        if self.edges.is_some() && self.mean_degree.is_some() {
            let reason = "edges and mean-degree say the same thing";
            return Err(Error::request("mean-degree", reason, "leave one of them out"));
        }
        Ok(())
    }
}

impl StatedFacts {
    /// What is asked. In a project nothing of its tables is opened; what it declares is not asked again, unless parts are
    /// named that are to be hidden. What is said wins over what is declared.
    ///
    /// # Errors
    /// If a fact is missing, or facts contradict each other.
    pub fn question(&self, project: Option<&Project>) -> Result<PlanQuestion> {
        self.validate()?;
        let mut question = match (&self.like, project) {
            (Some(name), _) => self.of_like(name)?,
            (None, Some(project)) if self.protects.is_empty() => self.of_project(project)?,
            _ => self.asked("your data", self.facts()?)?,
        };
        let (usual, facts) = (PublicFacts::new(0, 0, 0, 0), &mut question.facts);
        facts.filled = self.filled.or(facts.filled);
        facts.homophily = self.homophily.or(facts.homophily);
        facts.largest_class = self.largest_class.or(facts.largest_class);
        facts.public_accuracy = self.public_accuracy.or(facts.public_accuracy);
        facts.clear_accuracy = self.clear_accuracy.or(facts.clear_accuracy);
        facts.labelled = self.labelled.unwrap_or(usual.labelled);
        facts.private_share = self.private_share.unwrap_or(usual.private_share);
        facts.graphs = self.graphs.unwrap_or(facts.graphs);
        if !self.epsilons.is_empty() {
            question.epsilons.clone_from(&self.epsilons);
        }
        question.delta = self.delta.unwrap_or(question.delta);
        question.check()?;
        Ok(question)
    }

    fn facts(&self) -> Result<PublicFacts> {
        let people = self.people.ok_or(missing("people", "how many people there are"))?;
        let columns = missing("columns", "how many columns a record has; 0 for none");
        let columns = self.columns.ok_or(columns)?;
        let classes = missing("classes", "how many classes there are to tell apart");
        let classes = self.classes.ok_or(classes)?;
        Ok(PublicFacts::new(people, self.edges(people)?, columns, classes))
    }

    fn edges(&self, people: usize) -> Result<u64> {
        match (self.edges, self.mean_degree) {
            (Some(edges), _) => Ok(edges),
            (None, Some(degree)) => {
                let fits = degree >= 0.0 && degree.is_finite();
                Error::unless(fits, "mean-degree", degree, "a number from 0 on, such as 8")?;
                Ok((degree * people as f64 / 2.0).round() as u64)
            }
            (None, None) => {
                Err(missing("edges or mean-degree", "how many connections there are; 0 for none"))
            }
        }
    }

    fn of_project(&self, project: &Project) -> Result<PlanQuestion> {
        let counted = "its tables are not opened to count them";
        let people = self.people.ok_or(missing("people", counted))?;
        let mut question = PlanQuestion::of_project(project.config(), people, self.edges(people)?)?;
        let facts = &mut question.facts;
        facts.columns = self.columns.unwrap_or(facts.columns);
        facts.classes = self.classes.unwrap_or(facts.classes);
        question.trust = self.trust.unwrap_or(question.trust);
        if question.facts.classes == 0 {
            return Err(Error::Missing {
                dataset: question.name,
                what: "classes",
                remedy: "declare people.label and people.classes in privet.toml: they are what is to be predicted",
            });
        }
        Ok(question)
    }

    /// A dataset of the catalogue whose facts are known.
    fn of_like(&self, name: &str) -> Result<PlanQuestion> {
        let entry = catalog::find(name)?;
        let known = benchmarks::find(entry.name).ok_or_else(|| {
            let names = BENCHMARKS.map(|known| known.name).join(", ");
            Error::invalid("like", name, format!("one whose facts are known here: {names}"))
        })?;
        self.asked(&format!("data like {}", known.name), known.facts)
    }

    /// A question about facts; trust follows what is hidden unless it was named.
    fn asked(&self, name: &str, mut facts: PublicFacts) -> Result<PlanQuestion> {
        facts.graphs = self.graphs.unwrap_or(facts.graphs);
        let protects = match self.protects.as_slice() {
            [] if facts.graphs > 1 => vec![Protects::Contacts],
            [] => return Err(missing("protects", "what is protected")),
            named => named.to_vec(),
        };
        let central = |what: &Protects| matches!(what, Protects::People | Protects::Connections);
        let usual = match protects.iter().any(central) {
            true => TrustModel::Curator,
            false => TrustModel::Devices,
        };
        Ok(PlanQuestion::unchecked(name, facts, self.trust.unwrap_or(usual), protects))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::facts::{EPSILONS, LABELLED};

    fn stated() -> StatedFacts {
        let (people, mean_degree) = (Some(240), Some(5.0));
        let (columns, classes) = (Some(6), Some(2));
        let protects = vec![Protects::People];
        StatedFacts { people, mean_degree, columns, classes, protects, ..StatedFacts::default() }
    }

    #[test]
    fn what_is_not_said_is_what_is_usual() {
        let question = stated().question(None).unwrap();
        let facts = question.facts;
        assert_eq!((facts.people, facts.edges, facts.columns, facts.classes), (240, 600, 6, 2));
        assert_eq!((facts.labelled, facts.private_share, facts.graphs), (LABELLED, 1.0, 1));
        assert_eq!((question.trust, question.delta), (TrustModel::Curator, 1e-4));
        assert_eq!((question.name.as_str(), question.epsilons), ("your data", EPSILONS.to_vec()));
    }

    #[test]
    fn what_is_said_wins() {
        let said = StatedFacts {
            edges: Some(50),
            mean_degree: None,
            labelled: Some(0.5),
            homophily: Some(0.9),
            filled: Some(2.0),
            epsilons: vec![1.0, 3.0],
            delta: Some(1e-6),
            ..stated()
        };
        let question = said.question(None).unwrap();
        assert_eq!((question.facts.edges, question.facts.labelled), (50, 0.5));
        assert_eq!((question.facts.homophily, question.facts.filled), (Some(0.9), Some(2.0)));
        assert_eq!((question.epsilons, question.delta), (vec![1.0, 3.0], 1e-6));
    }

    /// To hide people or connections needs a curator; everything else leaves devices randomised.
    #[test]
    fn trust_follows_what_is_hidden() {
        let trust = |protects: Vec<Protects>| {
            StatedFacts { protects, ..stated() }.question(None).unwrap().trust
        };
        assert_eq!(trust(vec![Protects::Connections]), TrustModel::Curator);
        assert_eq!(trust(vec![Protects::Features, Protects::Labels]), TrustModel::Devices);
        let many = StatedFacts { protects: vec![], graphs: Some(40), ..stated() };
        let many = many.question(None).unwrap();
        assert_eq!((many.protects, many.trust), (vec![Protects::Contacts], TrustModel::Devices));
    }

    #[test]
    fn a_dataset_that_resembles_ones_own_brings_its_facts() {
        let like = |name: &str| StatedFacts {
            like: Some(name.into()),
            protects: vec![Protects::Features],
            ..StatedFacts::default()
        };
        let question = like("cora").question(None).unwrap();
        assert_eq!((question.name.as_str(), question.facts.people), ("data like cora", 2708));
        assert!(like("corra").question(None).unwrap_err().to_string().contains("cora"));
        let told = like("ppi").question(None).unwrap_err().to_string();
        assert!(told.contains("facts are known here: cora, "), "{told}");
    }

    #[test]
    fn what_must_be_said_is_asked_for_by_name() {
        let all = [
            (StatedFacts { people: None, ..stated() }, "people is missing"),
            (StatedFacts { columns: None, ..stated() }, "columns is missing"),
            (StatedFacts { classes: None, ..stated() }, "classes is missing"),
            (StatedFacts { mean_degree: None, ..stated() }, "edges or mean-degree is missing"),
            (StatedFacts { protects: vec![], ..stated() }, "protects is missing"),
            (StatedFacts { mean_degree: Some(-1.0), ..stated() }, "mean-degree: found -1"),
            (StatedFacts { delta: Some(0.5), ..stated() }, "delta: found 0.5"),
        ];
        for (facts, said) in all {
            let told = facts.question(None).unwrap_err().to_string();
            assert!(told.starts_with(said), "{told}");
        }
    }
}
