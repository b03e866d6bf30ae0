//! [`Project::train`]: a classifier out of a project, and nothing else. No truth is looked at but through the
//! mechanism that is charged: there is no score here, [`evaluate`](super::evaluate) has its own price.

use super::Project;
use super::config::Protects;
use crate::doubts::Price;
use crate::dpar::{Acquainted, Dpar, DparMethod, Mode, Open, Settings, Visitors};
use crate::graph::{Dataset, Direction, Graph, NodeId, Split, SplitShares};
use crate::ldp_ge::{Embedding, LdpGe, People, Private, Scaling};
use crate::model::{Classifier, ModelMethod};
use crate::privacy::features::Decoding;
use crate::privacy::unit::{Node, Part};
use crate::privacy::{Ledger, Loss};
use crate::{Error, Protected, Result, Run};

/// What trains.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum TrainMethod {
    /// Whatever fits what the project protects.
    Auto,
    /// DP-SGD on people's own features, answers spread over connections of those who ask later.
    Spread,
    /// DP-SGD on people's own features, no connections anywhere.
    Features,
    /// DPAR: private PageRank, then DP-SGD.
    Em0,
    /// Noisy sums over neighbours, where connections alone are private.
    Gap,
    /// Reports from devices, spread over the graph.
    LdpGe,
}

/// What was chosen, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenMethod {
    /// The method.
    pub method: TrainMethod,
    /// The reason, from public facts alone.
    pub why: &'static str,
}

impl TrainMethod {
    /// What the command line calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Spread => "spread",
            Self::Features => "features",
            Self::Em0 => "em0",
            Self::Gap => "gap",
            Self::LdpGe => "ldp-ge",
        }
    }
}

impl Project {
    /// What trains here, by what `privet.toml` says and nothing else.
    ///
    /// # Errors
    /// If there is nothing to learn, or the method that was asked for does not protect what the project protects.
    pub fn choose(&self, asked: TrainMethod) -> Result<ChosenMethod> {
        let config = self.config();
        if config.people.label.is_none() {
            let (dataset, what) = (config.project.name.clone(), "labels");
            let remedy =
                "name their column, people.label in privet.toml: they are what a classifier learns";
            return Err(Error::Missing { dataset, what, remedy });
        }
        if config.people.separator.is_some() {
            let message = "refused: people have several labels each, and no method here protects training on them".into();
            let remedy = "declare one column with one label, such as whether somebody has the one that matters";
            return Err(Error::Refused { message, remedy });
        }
        let chosen = self.fitting()?;
        let people = config.protects(Protects::People);
        let fits = match asked {
            TrainMethod::Auto => return Ok(chosen),
            TrainMethod::Spread | TrainMethod::Features | TrainMethod::Em0 => people,
            TrainMethod::Gap => chosen.method == TrainMethod::Gap,
            TrainMethod::LdpGe => chosen.method == TrainMethod::LdpGe,
        };
        if asked == TrainMethod::Em0 && config.edges.is_empty() {
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

    /// The method that fits what is protected.
    fn fitting(&self) -> Result<ChosenMethod> {
        let config = self.config();
        let chosen = |method, why| Ok(ChosenMethod { method, why });
        let connections = config.protects(Protects::Connections);
        if config.protects(Protects::People) && config.edges.is_empty() {
            let why = "whole people are protected, and no connections are declared";
            return chosen(TrainMethod::Features, why);
        }
        if config.protects(Protects::People) {
            let why = "whole people are protected: below epsilon 8 what connections add to private training is less than \
                       what hiding them costs, so they are used when answers are made (docs/results/dpar.md)";
            return chosen(TrainMethod::Spread, why);
        }
        if connections && config.project.protects.len() == 1 {
            let why = "connections alone are protected: sums over neighbours get noise";
            return chosen(TrainMethod::Gap, why);
        }
        if !connections {
            let why = "each person's own report is protected: reports are spread over the graph";
            return chosen(TrainMethod::LdpGe, why);
        }
        let message = "refused: no method here trains where connections and records are both private to a curator";
        let remedy = "protect people instead, or publish a private graph (`privet publish`) and learn from that";
        Err(Error::Refused { message: message.into(), remedy })
    }

    /// Trains a classifier for so much of the budget.
    ///
    /// # Errors
    /// If the data are not as declared, the method does not fit, or the budget refuses.
    pub fn train(
        &self,
        asked: TrainMethod,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let ChosenMethod { method, .. } = self.choose(asked)?;
        let dataset = self.dataset()?;
        Price::once(dataset.graph().node_count(), target).settle(&[])?;
        let trained = match method {
            TrainMethod::LdpGe => self.train_from_reports(&dataset, target, run)?,
            TrainMethod::Gap => self.train_on_connections(&dataset, target, run)?,
            TrainMethod::Spread => {
                self.train_on_people(&dataset, DparMethod::Spread, target, run)?
            }
            TrainMethod::Em0 => self.train_on_people(&dataset, DparMethod::Em0, target, run)?,
            TrainMethod::Features | TrainMethod::Auto => {
                self.train_on_people(&dataset, DparMethod::Features, target, run)?
            }
        };
        self.signed_off(trained)
    }

    /// DP-SGD on whole people; who has no label counts nothing, and nobody is told how many those are.
    fn train_on_people(
        &self,
        dataset: &Dataset,
        method: DparMethod,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let people = self.to_train_on(dataset);
        self.train_on(dataset, &people, method, Settings::rigorous(), target, run)
    }

    /// The same for these people, with these settings.
    pub(super) fn train_on(
        &self,
        dataset: &Dataset,
        people: &[NodeId],
        method: DparMethod,
        settings: Settings,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let classes = self.classes(dataset)?;
        let people = Open::with_unlabelled(&dataset.induced(people)?, classes.len())?.seal();
        let system = Dpar::new(method, Mode::Rigorous, target, settings)?;
        let plan = system.plan::<Node>(people.len())?;
        let mut ledger: Ledger<Node> =
            run.ledgers.open("nodes", plan.limit(), run.noise, (0, 1))?;
        let learnt =
            run.ledgers.accounted(|| system.learn(&plan, &people, &mut ledger, run.seed, None))?;
        let about = Classifier::about(
            &self.config().project.name,
            ModelMethod::Dpar(system),
            &classes,
            self.config().people.clone(),
        );
        let model = learnt.map(|(network, _)| Classifier {
            about,
            network,
            encoder: None,
            answers: Vec::new(),
        });
        let model = model.protected(&ledger)?.about(self.subject(method.name()));
        Ok(model.with_unprotected("the ids of the people it was trained on, and how many they are"))
    }

    /// Aggregation perturbation: features and labels are public here, connections are not.
    fn train_on_connections(
        &self,
        dataset: &Dataset,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let classes = self.classes(dataset)?;
        let labelled =
            |node: &NodeId| dataset.labels().and_then(|labels| labels.class(*node)).is_some();
        let training: Vec<NodeId> =
            self.to_train_on(dataset).into_iter().filter(labelled).collect();
        let known = Open::of(&dataset.induced(&training)?, classes.len())?;
        // Nobody is classified here, but the method wants to know what rows look like.
        let features = known.features.select(&[0]);
        let graph = Graph::empty(1, Direction::Undirected)?;
        let visitor = Visitors { graph, features, classes: vec![crate::dpar::UNKNOWN] };
        let people: Acquainted = known.seal_connections()?;
        let system = Dpar::new(DparMethod::Gap, Mode::Rigorous, target, Settings::rigorous())?;
        let plan = system.plan_edges(training.len())?;
        let trained =
            run.ledgers.accounted(|| system.classify_edges(&plan, &people, &visitor, run))?;
        let about = Classifier::about(
            &self.config().project.name,
            ModelMethod::Dpar(system),
            &classes,
            self.config().people.clone(),
        );
        let model = trained.map(|trained| Classifier {
            about,
            network: trained.model,
            encoder: trained.encoder,
            answers: Vec::new(),
        });
        Ok(model.about(self.subject("gap")))
    }

    /// LDP-GE: reports, spread over the graph, with rows that next month's people can have, too.
    fn train_from_reports(
        &self,
        dataset: &Dataset,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let classes = self.classes(dataset)?;
        let private = Private {
            features: self.hides(Part::Features),
            labels: self.hides(Part::Labels),
            edges: self.hides(Part::Edges),
        };
        let parts =
            [private.features, private.labels].into_iter().filter(|private| *private).count();
        let mut system =
            LdpGe::new(target.epsilon.get() / parts.max(1) as f64, dataset.graph().node_count());
        system.protection.edges.epsilon = target.epsilon.get();
        // A row is scaled on its own, so that a new person's row is made as those of the training people were.
        system.embedding = Embedding { scaling: Scaling::Rows, sketch: 0, ..system.embedding };
        system.protection.features.decoding = Decoding::Unbiased;
        let people = People::new(dataset, private)?;
        let labelled =
            |node: &NodeId| dataset.labels().and_then(|labels| labels.class(*node)).is_some();
        let training = self.to_train_on(dataset).into_iter().filter(labelled);
        let split = Split::random(
            training,
            SplitShares { train: 0.8, validation: 0.2, test: 0.0 },
            run.seed,
        )?;
        let embedding = system.embedding.clone();
        let trained = run.ledgers.accounted(|| system.classify(&people, &split, run))?;
        let about = Classifier::about(
            &self.config().project.name,
            ModelMethod::LdpGe(embedding),
            &classes,
            self.config().people.clone(),
        );
        let answers = |predicted: Vec<u32>| {
            dataset.ids().iter().map(|id| id.to_string()).zip(predicted).collect()
        };
        let model = trained.map(|trained| Classifier {
            about,
            network: trained.model,
            encoder: None,
            answers: answers(trained.predicted),
        });
        Ok(model.about(self.subject("ldp-ge")))
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

    /// Everybody who is not set aside for testing.
    pub(super) fn to_train_on(&self, dataset: &Dataset) -> Vec<NodeId> {
        let test = |node: &NodeId| self.is_test(&dataset.ids().get(*node).to_string());
        dataset.graph().nodes().filter(|node| !test(node)).collect()
    }

    /// What every card of a project repeats.
    pub(super) fn signed_off<T>(&self, released: Protected<T>) -> Result<Protected<T>> {
        let released = match &self.config().project.audience {
            Some(audience) => released.with_unprotected(format!("meant for: {audience}")),
            None => released,
        };
        Ok(match self.forgotten()?.len() {
            0 => released,
            removed => released.with_unprotected(format!(
                "{} removed from the project; what was released before that stays released",
                crate::words::counted(removed, "person was", "people were")
            )),
        })
    }
}
