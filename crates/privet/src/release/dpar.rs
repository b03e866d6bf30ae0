//! DPAR, released once: a classifier that hides whole people, or connections.

use std::path::Path;

use super::{MODEL, Releasable, SplitData};
use crate::doubts::{PromisedPrice, ReleaseAsks};
use crate::dpar::{Dpar, HeldOut, Mode, OpenPeople, TrainedClassifier, Training, Visitors};
use crate::graph::{Dataset, Error as DataError, Fact};
use crate::privacy::unit::{Node, Relation, ReplacedNode};
use crate::privacy::{Card, Loss};
use crate::{Error, Facts, Protected, Result, Run};

/// DPAR with all of its settings, and what it hides.
#[derive(Debug, Clone, PartialEq)]
pub struct DparRelease {
    /// The system.
    pub system: Dpar,
    /// What is hidden: one of [`Dpar::RELATIONS`].
    pub relation: Relation,
}

/// The people to train on and those to classify: as stated, or drawn by the seed.
///
/// # Errors
/// If the data lacks features or labels, or a stated split has no labelled people to learn from or to test on.
pub fn people_of(input: SplitData<'_>, held: HeldOut, seed: u64) -> Result<(OpenPeople, Visitors)> {
    let dataset = input.data;
    match input.stated(dataset.labels())? {
        Some(split) => OpenPeople::chosen(dataset, &split.train, &split.test),
        None => OpenPeople::split(dataset, held, seed),
    }
}

impl DparRelease {
    /// The card of a run, before any record is looked at. Noise follows from how many people are trained on
    /// ([`Facts::learners`]).
    ///
    /// # Errors
    /// If no noise keeps the target, or a setting makes no sense.
    pub fn promise(&self, facts: &Facts) -> Result<Card> {
        self.system.promise_for(self.relation, facts)
    }

    /// What is public about data for [`run`](Self::run), where some of the people are held out.
    ///
    /// # Errors
    /// If the data lacks features or labels.
    pub fn facts_to_run(input: SplitData<'_>) -> Result<Facts> {
        let learners = people_of(input, HeldOut::Test, 0)?.0.classes.len();
        Ok(Facts::of(input.data).with_learners(learners))
    }

    /// What is public about data for [`fit`](Self::fit).
    ///
    /// # Errors
    /// If the data lacks labels.
    pub fn facts_to_fit(input: SplitData<'_>) -> Result<Facts> {
        Ok(Facts::of(input.data).with_learners(people_with_class(input)?.len()))
    }

    /// Trains on some of the people, and classifies the others.
    ///
    /// # Errors
    /// Those of the system.
    pub fn run(&self, input: SplitData<'_>, run: &Run<'_>) -> Result<Protected<TrainedClassifier>> {
        let (people, visitors) = people_of(input, HeldOut::Test, run.seed)?;
        let plan = self.system.plan_for(self.relation, people.classes.len())?;
        self.system.classify_for(self.relation, &plan, people, &visitors, run)
    }

    /// Trains on all people with a class, or on the training nodes among them where a split is stated.
    ///
    /// # Errors
    /// Those of the system; where connections alone are hidden, visitors are needed to train.
    pub fn fit(&self, input: SplitData<'_>, run: &Run<'_>) -> Result<Protected<TrainedClassifier>> {
        let (data, known) = (input.data, people_with_class(input)?);
        let classes = data.labels().map_or(0, |labels| labels.class_count());
        let training = match known.len() == data.graph().node_count() {
            true => Training::of(data, classes)?,
            false => Training::of(&data.induced(&known)?, classes)?,
        };
        match self.relation {
            Relation::NodeReplace => self.system.fit::<ReplacedNode>(&training, run),
            Relation::NodeAbsent => self.system.fit::<Node>(&training, run),
            other => {
                let expected =
                    "node-absent or node-replace: edge-dp trains with those it classifies";
                Err(Error::invalid("relation", other.name(), expected))
            }
        }
    }
}

/// All people with a class, or the training nodes among them where a split is stated.
fn people_with_class(input: SplitData<'_>) -> Result<Vec<u32>> {
    let data = input.data;
    let labels = data.labels().ok_or_else(|| {
        DataError::invalid("labels", "none", "a class for each person who is trained on")
    })?;
    Ok(match input.split {
        Some(stated) => stated.of_labelled(labels).train,
        None => data.graph().nodes().filter(|&node| labels.class(node).is_some()).collect(),
    })
}

impl Releasable for DparRelease {
    type Data = Dataset;

    /// The model has a weight per column and class, so they show; noise, delta and, where none was asked for, the method
    /// follow from how many people there are, so that shows too. Where only connections are hidden, features and classes
    /// are open anyway, and the ids must not be read off those connections.
    fn asks(&self, data: &Dataset) -> Result<ReleaseAsks> {
        let shown = match self.relation {
            Relation::EdgeDp => vec![Fact::Ids],
            _ => vec![Fact::Ids, Fact::Columns, Fact::Classes],
        };
        let (asked, people) = (self.system.target, data.graph().node_count());
        let limit = match self.system.mode {
            Mode::Rigorous => asked,
            // The published noise has its own price, whatever was asked.
            Mode::Paper => Loss::new(f64::INFINITY, asked.delta.get())?,
        };
        Ok(ReleaseAsks { prices: vec![PromisedPrice { people, asked, limit }], shown })
    }

    /// A ledger and a model.
    fn write(&self, input: SplitData<'_>, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let (made, card) = self.run(input, run)?.into_parts();
        made.model.save(&folder.join(MODEL))?;
        if let Some(encoder) = &made.encoder {
            encoder.save(&folder.join("encoder.safetensors"))?;
        }
        Ok(card)
    }
}
