//! DPRR, where each person is in one of many graphs and sends a randomised list of contacts: classes of graphs.

use crate::dprr::{
    Crowd, Dprr, DprrMethod, GraphClassifier, GraphLearner, Reading, Reporting, Setting,
};
use crate::graph::{GraphSet, NodeId, Split, SplitShares};
use crate::model::{AboutGraphs, GraphModel};
use crate::privacy::Loss;
use crate::project::Project;
use crate::{Error, Protected, Result, Run};

impl Project {
    /// All people report, whichever graph they are in; what is learned is the classes of graphs that are not set aside.
    pub(super) fn train_on_graphs(
        &self,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<GraphModel>> {
        let config = self.config();
        let (Some(table), set) = (&config.graphs, self.graph_set()?) else {
            return Err(Error::invalid("graphs", "none", "[graphs] in privet.toml"));
        };
        let reading = Reading::default();
        let setting = Setting::Common { epsilon: target.epsilon.get() };
        let protection = Reporting { method: DprrMethod::Dprr, setting, split: reading.split() };
        let system = Dprr { protection, reading, learner: GraphLearner::default() };
        let learned_from = |graph: &NodeId| {
            let labelled = set.labels().and_then(|labels| labels.class(*graph)).is_some();
            labelled && !self.is_test(&set.ids().get(*graph).to_string())
        };
        let split = Split::random(
            (0..set.len() as NodeId).filter(learned_from),
            SplitShares { train: 0.8, validation: 0.2, test: 0.0 },
            run.seed,
        )?;
        let crowd = Crowd::new(&set)?;
        let learned = run.ledgers.accounted(|| system.classify(&crowd, &split, run))?;
        let about = AboutGraphs {
            project: config.project.name.clone(),
            system,
            classes: table.classes.clone(),
            person: config.people.id.clone(),
            member: table.member.clone(),
        };
        let ids = set.ids().iter().map(|id| id.to_string());
        let model = learned.map(|GraphClassifier { model, predicted, .. }| GraphModel {
            about,
            network: model,
            answers: ids.zip(predicted).collect(),
        });
        let subject = format!("{}: a classifier of graphs, by dprr", config.project.name);
        Ok(model.about(subject))
    }

    /// The graphs that are not empty, without people who were removed.
    ///
    /// # Errors
    /// If a table cannot be read, or is not as declared.
    pub fn graph_set(&self) -> Result<GraphSet> {
        let forgotten = self.forgotten()?;
        let ignored = |id: &str| forgotten.has(id);
        let limits = crate::data::formats::Limits::default();
        let set = self.config().schema().read_graphs(self.root(), &limits, ignored)?;
        let occupied: Vec<NodeId> = (0..set.len() as NodeId)
            .filter(|&graph| set.graphs()[graph as usize].node_count() > 0)
            .collect();
        let graphs = occupied.iter().map(|&graph| set.graphs()[graph as usize].clone()).collect();
        let kept = GraphSet::new(self.config().project.name.clone(), graphs)
            .with_ids(set.ids().select(&occupied))?;
        Ok(match set.labels() {
            Some(labels) => kept.with_labels(labels.select(&occupied))?,
            None => kept,
        })
    }
}
