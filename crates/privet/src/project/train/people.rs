//! DP-SGD on whole people: everything about each person is protected.

use crate::Method;
use crate::dpar::{Dpar, Mode, OpenPeople, Settings};
use crate::graph::{Dataset, NodeId};
use crate::model::{Classifier, ClassifierRule};
use crate::privacy::unit::Node;
use crate::privacy::{Ledger, Loss};
use crate::project::Project;
use crate::{Protected, Result, Run};

impl Project {
    /// DP-SGD on whole people; who has no label counts nothing, and their number is not revealed.
    pub(super) fn train_on_people(
        &self,
        dataset: &Dataset,
        method: Method,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let people = self.to_train_on(dataset);
        self.train_on(dataset, &people, method, Settings::rigorous(), target, run)
    }

    /// The same for these people, with these settings.
    pub(in crate::project) fn train_on(
        &self,
        dataset: &Dataset,
        people: &[NodeId],
        method: Method,
        settings: Settings,
        target: Loss,
        run: &Run<'_>,
    ) -> Result<Protected<Classifier>> {
        let classes = self.classes(dataset)?;
        let people = OpenPeople::with_unlabelled(&dataset.induced(people)?, classes.len())?.seal();
        let system = Dpar::new(method, Mode::Rigorous, target, settings)?;
        let plan = system.plan::<Node>(people.len())?;
        let mut ledger: Ledger<Node> =
            run.ledgers.open("nodes", plan.limit(), run.noise, (0, 1))?;
        let learnt =
            run.ledgers.accounted(|| system.learn(&plan, &people, &mut ledger, run, None))?;
        let about = self.about(ClassifierRule::Dpar(system), classes);
        let model = learnt.map(|(network, _)| Classifier {
            about,
            network,
            encoder: None,
            answers: Vec::new(),
        });
        let model = model.protected(&ledger)?.about(self.subject(method.name()));
        Ok(model.with_unprotected("the ids of the people it was trained on, and how many they are"))
    }
}
