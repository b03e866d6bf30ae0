//! Aggregation perturbation, where connections alone are private.

use crate::Method;
use crate::dpar::{Dpar, Mode, OpenPeople, PeopleWithSecretEdges, Settings, UNKNOWN, Visitors};
use crate::graph::{Dataset, Direction, Graph};
use crate::model::{Classifier, ClassifierRule};
use crate::privacy::Loss;
use crate::project::Project;
use crate::{Protected, Result, Run};

impl Project {
    /// Aggregation perturbation: features and labels are public here, connections are not.
    pub(super) fn train_on_connections(
        &self,
        dataset: &Dataset,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let classes = self.classes(dataset)?;
        let training = self.labelled_to_train_on(dataset);
        let known = OpenPeople::of(&dataset.induced(&training)?, classes.len())?;
        // No people are classified here, but the method wants to know what rows look like.
        let features = known.features.select(&[0]);
        let graph = Graph::empty(1, Direction::Undirected)?;
        let visitor = Visitors { graph, features, centred: None, classes: vec![UNKNOWN] };
        let people: PeopleWithSecretEdges = known.seal_connections()?;
        let system = Dpar::new(Method::Gap, Mode::Rigorous, target, Settings::rigorous())?;
        let plan = system.plan_edges(training.len())?;
        let trained =
            run.ledgers.accounted(|| system.classify_edges(&plan, &people, &visitor, run))?;
        let about = self.about(ClassifierRule::Dpar(system), classes);
        let model = trained.map(|trained| Classifier {
            about,
            network: trained.model,
            encoder: trained.encoder,
            answers: Vec::new(),
        });
        Ok(model.about(self.subject("gap")))
    }
}
