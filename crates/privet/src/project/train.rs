//! [`Project::train`]: a model out of a project, and nothing else. No truth is looked at but through the
//! mechanism that is charged: there is no score here, [`evaluate`](super::evaluate) has its own price.

mod connections;
mod graphs;
mod people;
mod reports;

use super::Project;
use super::config::Protects;
use crate::Method;
use crate::doubts::PromisedPrice;
use crate::graph::{Dataset, NodeId};
use crate::model::{AboutClassifier, ClassifierRule, Model};
use crate::privacy::Loss;
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::DataPart;
use crate::{Error, Facts, Protected, Result, Run};

/// What was chosen, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenMethod {
    /// The method.
    pub method: Method,
    /// The reason, from public facts alone.
    pub why: &'static str,
}

/// Why nothing is trained where noise is large.
const SUMS: &str = "whole people are protected, there are more columns than people, and noise is large: sums of records by \
     class, released once, are more accurate than training (docs/results/dpar.md)";

/// Why a linear model is not enough.
const LAYER: &str = "whole people are protected, and there are so many that noise no longer limits a linear model: a hidden \
     layer is more accurate (docs/results/people.md)";

/// A training that was read and priced, and not charged.
#[derive(Debug)]
pub struct PreparedTraining<'a> {
    project: &'a Project,
    dataset: Dataset,
    chosen: ChosenMethod,
    target: Loss,
}

impl PreparedTraining<'_> {
    /// What will train, and why: from `privet.toml`, the price, and how many people and columns there are.
    pub fn chosen(&self) -> ChosenMethod {
        self.chosen
    }

    /// Charges and trains.
    ///
    /// # Errors
    /// If the data are not as declared, or the budget refuses.
    pub fn run(&self, run: &Run<'_>) -> Result<Protected<Model>> {
        let Self { project, dataset, target, .. } = self;
        let on_people = |method| project.train_on_people(dataset, method, *target, run);
        let trained = match self.chosen.method {
            Method::Dprr => project.train_on_graphs(*target, run)?.map(Model::Graphs),
            Method::LdpGeLinks => project.train_links(*target, run)?.map(Model::Pairs),
            Method::LdpGe => project.train_from_reports(dataset, *target, run)?.map(Model::People),
            Method::Gap => project.train_on_connections(dataset, *target, run)?.map(Model::People),
            method => on_people(method)?.map(Model::People),
        };
        project.signed_off(trained)
    }
}

impl Project {
    /// What trains here, by what `privet.toml` says and nothing else; which of [`Means`](Method::ClassSums) and training
    /// fits depends on the price and the people, too: see [`training`](Self::training).
    ///
    /// # Errors
    /// If there is nothing to learn, or the method that was asked for does not protect what the project protects.
    pub fn choose(&self, asked: Option<Method>) -> Result<ChosenMethod> {
        let config = self.config();
        match asked {
            // Asked for by name, or the only methods there are for such declarations.
            Some(Method::LdpGeLinks) => return self.for_links(),
            None | Some(Method::Dprr) if config.graphs.is_some() => return self.for_graphs(),
            _ => {}
        }
        if config.people.label.is_none() {
            let (dataset, what) = (config.project.name.clone(), "labels");
            let remedy =
                "name their column, people.label in privet.toml: they are what a classifier learns";
            return Err(Error::Missing { dataset, what, remedy });
        }
        // A row with several labels counts several times, which no mechanism here charges for.
        if config.people.separator.is_some() && config.people.whether.is_none() {
            let message = "refused: people have several labels each, and no method here protects training on them".into();
            let remedy =
                "say which one matters, people.whether in privet.toml: people have it or not";
            return Err(Error::Refused { message, remedy });
        }
        // Declarations alone decide: no record is read before the charge.
        let chosen = self.fitting()?;
        let Some(asked) = asked else { return Ok(chosen) };
        let people = config.protects(Protects::People);
        let fits = match asked {
            Method::GradientDescent
            | Method::HiddenLayer
            | Method::SmoothedSgd
            | Method::Features
            | Method::ClassSums
            | Method::Em0 => people,
            Method::Gap | Method::LdpGe => chosen.method == asked,
            _ => false,
        };
        if asked == Method::Em0 && config.edges.is_empty() {
            return Err(Error::invalid("method", "em0", "features: no connections are declared"));
        }
        match fits {
            true => Ok(ChosenMethod { method: asked, why: "as asked" }),
            false => Err(Error::invalid(
                "method",
                asked.name(),
                format!("{} ({})", chosen.method.name(), chosen.why),
            )),
        }
    }

    /// Links are predicted where they are public and features are not.
    fn for_links(&self) -> Result<ChosenMethod> {
        let refused = |message: &str, remedy| {
            Err(Error::Refused { message: format!("refused: {message}"), remedy })
        };
        if self.config().edges.is_empty() {
            return refused(
                "no connections are declared",
                "name their table, [[edges]] in privet.toml",
            );
        }
        if self.hides(DataPart::Edges) {
            return refused(
                "a link predictor learns from known links, and this project hides connections",
                "publish a private graph (`privet publish`), and learn from that",
            );
        }
        if !self.hides(DataPart::Features) {
            return refused(
                "features are public here, so nothing would be protected",
                "predict links without a project: privet run ldp-ge --task links",
            );
        }
        let why =
            "connections are public and features are not: reports are spread over the known links";
        Ok(ChosenMethod { method: Method::LdpGeLinks, why })
    }

    /// Graphs are classified where lists of contacts are protected, on people's own devices.
    fn for_graphs(&self) -> Result<ChosenMethod> {
        if !self.config().protects(Protects::Contacts) {
            let message = "refused: whole graphs are classified from randomised lists of contacts";
            let remedy =
                "protects = [\"contacts\"] with trust = \"devices\" in privet.toml, or no [graphs]";
            return Err(Error::Refused { message: message.into(), remedy });
        }
        let why = "each person is in one of many graphs, and lists of contacts are protected on people's own devices";
        Ok(ChosenMethod { method: Method::Dprr, why })
    }

    /// The method that fits what is protected.
    fn fitting(&self) -> Result<ChosenMethod> {
        let config = self.config();
        let chosen = |method, why| Ok(ChosenMethod { method, why });
        let connections = config.protects(Protects::Connections);
        if config.protects(Protects::People) && config.edges.is_empty() {
            let why = "whole people are protected, and no connections are declared";
            return chosen(Method::GradientDescent, why);
        }
        if config.protects(Protects::People) {
            let why = "whole people are protected: below epsilon 8 what connections add to private training is less than \
                       what hiding them costs, so they are used when answers are made (docs/results/dpar.md)";
            return chosen(Method::GradientDescent, why);
        }
        if connections && config.project.protects.len() == 1 {
            let why = "connections alone are protected: sums over neighbours get noise";
            return chosen(Method::Gap, why);
        }
        if !connections {
            let why = "each person's own report is protected: reports are spread over the graph";
            return chosen(Method::LdpGe, why);
        }
        let message = "refused: no method here trains where connections and records are both private to a curator";
        let remedy = "protect people instead, or publish a private graph (`privet publish`) and learn from that";
        Err(Error::Refused { message: message.into(), remedy })
    }

    /// Trains a model for so much of the budget.
    ///
    /// # Errors
    /// If the data are not as declared, the method does not fit, or the budget refuses.
    pub fn train(
        &self,
        asked: Option<Method>,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Model>> {
        self.training(asked, target)?.run(run)
    }

    /// Reads the records and chooses what trains, before anything is charged.
    ///
    /// # Errors
    /// If the data are not as declared, or the method does not fit.
    pub fn training(&self, asked: Option<Method>, target: Loss) -> Result<PreparedTraining<'_>> {
        let chosen = self.choose(asked)?;
        let dataset = self.dataset()?;
        let people = dataset.graph().node_count();
        Error::unless(people > 0, "people to learn from", people, "some in the table of people")?;
        // Numbers that would give no protection are questioned before any data is touched.
        PromisedPrice::once(people, target).settle(&[])?;
        let chosen = match (asked, chosen.method) {
            // Only a choice of our own is refined; a method that was named is kept.
            (None, Method::GradientDescent) => match self.fitting_people(&dataset, target)? {
                Method::ClassSums => ChosenMethod { method: Method::ClassSums, why: SUMS },
                Method::HiddenLayer => ChosenMethod { method: Method::HiddenLayer, why: LAYER },
                _ => chosen,
            },
            _ => chosen,
        };
        Ok(PreparedTraining { project: self, dataset, chosen, target })
    }

    /// What is written down beside a classifier.
    fn about(&self, method: ClassifierRule, classes: Vec<String>) -> AboutClassifier {
        let (project, preprocessing) =
            (self.config().project.name.clone(), self.config().preprocessing());
        AboutClassifier { project, method, classes, preprocessing }
    }

    fn subject(&self, method: &str) -> String {
        format!("{}: a classifier of people, by {method}", self.config().project.name)
    }

    fn classes(&self, dataset: &Dataset) -> Result<Vec<String>> {
        let missing = || Error::Missing {
            dataset: dataset.name().into(),
            what: "labels",
            remedy: "they are what a classifier learns",
        };
        Ok(dataset.labels().ok_or_else(missing)?.class_names().to_vec())
    }

    /// What fits all people who are trained on, by public facts.
    pub(super) fn fitting_people(&self, dataset: &Dataset, target: Loss) -> Result<Method> {
        let Facts { columns, classes, .. } = Facts::of(dataset);
        Method::for_people(target, self.to_train_on(dataset).len(), columns, classes)
    }

    /// All people who are not set aside for testing.
    pub(super) fn to_train_on(&self, dataset: &Dataset) -> Vec<NodeId> {
        // By a hash of the id: the order of a table does not move people between training and
        // testing.
        let test = |node: &NodeId| self.is_test(&dataset.ids().get(*node).to_string());
        let all = fault::on(Fault::TestPeopleTrainedOn);
        dataset.graph().nodes().filter(|node| all || !test(node)).collect()
    }

    /// Of those, people with a label; where labels are private all people have one.
    fn labelled_to_train_on(&self, dataset: &Dataset) -> Vec<NodeId> {
        let labelled =
            |node: &NodeId| dataset.labels().and_then(|labels| labels.class(*node)).is_some();
        self.to_train_on(dataset).into_iter().filter(labelled).collect()
    }

    /// What every card of a project repeats.
    pub(super) fn signed_off<T>(&self, released: Protected<T>) -> Result<Protected<T>> {
        let released = match &self.config().project.audience {
            Some(audience) => released.with_unprotected(format!("meant for: {audience}")),
            None => released,
        };
        Ok(match self.removed()? {
            0 => released,
            _ if fault::on(Fault::RemovalNotOnCard) => released,
            removed => released.with_unprotected(format!(
                "{} removed from the project; what was released before that stays released",
                crate::words::counted(removed, "person was", "people were")
            )),
        })
    }
}
