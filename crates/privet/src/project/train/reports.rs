//! LDP-GE, where people's own devices randomise: classes of people, or links between them.

use crate::graph::{
    Dataset, Direction, Graph, GraphBuilder, LinkSplit, NodeId, Split, SplitShares,
};
use crate::ldp_ge::{Embedding, LdpGe, Linker, People, Preset, Private, Scaling};
use crate::model::{AboutLinks, Classifier, ClassifierRule, LinkModel};
use crate::privacy::Loss;
use crate::privacy::features::Decoding;
use crate::privacy::unit::DataPart;
use crate::project::Project;
use crate::{Protected, Result, Run};

impl Project {
    /// LDP-GE: reports, spread over the graph, with rows that next month's people can have, too.
    pub(super) fn train_from_reports(
        &self,
        dataset: &Dataset,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let classes = self.classes(dataset)?;
        let private = Private {
            features: self.hides(DataPart::Features),
            labels: self.hides(DataPart::Labels),
            edges: self.hides(DataPart::Edges),
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
        let training = self.labelled_to_train_on(dataset).into_iter();
        let split = Split::random(
            training,
            SplitShares { train: 0.8, validation: 0.2, test: 0.0 },
            run.seed,
        )?;
        let embedding = system.embedding.clone();
        let trained = run.ledgers.accounted(|| system.classify(&people, &split, run))?;
        let about = self.about(ClassifierRule::LdpGe(embedding), classes);
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

    /// LDP-GE's link predictor: connections are public, and features are not. Links that a hash sets aside are not learned
    /// from, so that the model can be tested on them.
    pub(super) fn train_links(&self, target: Loss, run: &Run<'_>) -> Result<Protected<LinkModel>> {
        let dataset = self.dataset_for(&[DataPart::Features])?;
        let known = self.links(&dataset, |set_aside| !set_aside)?;
        let links = LinkSplit::random(&known, VALIDATION, 0.0, run.seed)?;
        let preset = Preset::links("");
        let mut system = LdpGe::new(target.epsilon.get(), dataset.graph().node_count());
        (system.learner, system.ways) = (preset.learner, preset.ways);
        // As for classes: a newcomer's row is made as those of the training people were.
        system.embedding = Embedding { scaling: Scaling::Rows, sketch: 0, ..preset.embedding };
        system.protection.features.decoding = Decoding::Unbiased;
        let dataset = dataset.with_graph(links.graph.clone())?;
        let people = People::new(&dataset, Private::FEATURES)?;
        let linked = run.ledgers.accounted(|| system.link(&people, &links, run))?;
        let about = AboutLinks {
            project: self.config().project.name.clone(),
            embedding: system.embedding,
            preprocessing: self.config().preprocessing(),
        };
        let ids = dataset.ids().iter().map(|id| id.to_string()).collect();
        let model = linked.map(|Linker { embedding, scorer, known }| LinkModel {
            about,
            scorer,
            known: known.map(Box::new),
            people: ids,
            embedding,
        });
        Ok(model.about(format!(
            "{}: how likely two people are connected, by ldp-ge",
            self.config().project.name
        )))
    }

    /// The connections that are set aside for testing, or those that are not: a hash of the ids at both ends decides.
    pub(in crate::project) fn links(
        &self,
        dataset: &Dataset,
        wanted: impl Fn(bool) -> bool,
    ) -> Result<Graph> {
        let id = |node: NodeId| dataset.ids().get(node).to_string();
        let set_aside = |&(one, other): &(NodeId, NodeId)| {
            let mut ends = [id(one), id(other)];
            ends.sort_unstable();
            wanted(self.is_test_link(&ends))
        };
        let all = dataset.graph().to_undirected()?;
        let edges = all.edges().filter(set_aside);
        let builder = GraphBuilder::new(all.node_count(), Direction::Undirected).edges(edges);
        Ok(builder.build()?.0)
    }
}

/// The share of known links on which training decides when to stop.
const VALIDATION: f64 = 0.05;
