//! Labels: each person's class, by randomised response.

use super::several::{Several, SingleProcess, all_reports};
use super::unprotected::{always, edges, features, published};
use super::{Job, Strengths, Terms};
use crate::graph::{self, Dataset};
use crate::labels::one_each;
use crate::privacy::Secret;
use crate::privacy::features::LabelRr;
use crate::privacy::unit::{DataPart, Label};
use crate::stage::Stage;
use crate::{Error, Protected, Result, Run};

/// Each person's report about one of so many classes, by randomised response.
pub(crate) fn label_stage(epsilon: f64, classes: usize) -> Result<Stage<LabelRr>> {
    Stage::pure(DataPart::Labels, epsilon, LabelRr::new(epsilon, classes)?)
}

/// How labels are randomised.
#[derive(Debug, Clone)]
pub struct Labels {
    /// How strongly people are protected.
    pub terms: Terms,
}

impl Labels {
    /// Randomised response at `epsilon`.
    pub fn randomized_response(epsilon: f64) -> Self {
        Self { terms: Terms::alike(epsilon) }
    }

    /// The dataset with reports in place of labels.
    ///
    /// # Errors
    /// If there are no labels or several each, a public fact was not stated, or the limit would be passed.
    pub fn run(&self, dataset: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        self.run_by(dataset, run, &mut SingleProcess)
    }

    /// The same by several processes, of which this one leads.
    ///
    /// # Errors
    /// Those of [`Labels::run`], if people have budgets of their own, or if another process fails.
    pub fn run_by(
        &self,
        dataset: Dataset,
        run: &Run<'_>,
        by: &mut impl Several,
    ) -> Result<Protected<Dataset>> {
        let job = Job::new(&dataset, &self.terms, run, DataPart::Labels, 0.0)?;
        if by.count() > 1 {
            self.terms.check_parts()?;
        }
        let (secret, strengths, names) = self.prepared(&dataset)?;
        let subject = format!("{}, labels randomised by label-rr", dataset.name());
        let released = job.charge::<_, Label>(subject, |ledger| {
            let reports = all_reports(by, ledger, &secret, &strengths)?;
            Ok(reports.try_map(|reports| graph::Labels::single(reports, names))?)
        })?;
        let released = published(released, strengths.publishers(), "label");
        let released = features(edges(released, &dataset), &dataset);
        let released = always(released, &dataset)
            .with_unprotected("the list of classes, and which nodes have a label");
        job.finish(released).try_map(|labels| Ok(dataset.with_labels(labels)?))
    }

    /// Draws this process's part of what another one leads.
    ///
    /// # Errors
    /// If something differs from what was charged, or another process fails.
    pub fn assist(&self, dataset: &Dataset, by: &mut impl Several) -> Result<()> {
        let (secret, strengths, _) = self.prepared(dataset)?;
        by.follow(&secret, strengths.alike().ok_or(Error::OwnBudgetsInParts)?)
    }

    /// What is secret, what each person runs on it, and the names of the classes.
    fn prepared(
        &self,
        dataset: &Dataset,
    ) -> Result<(Secret<graph::Labels>, Strengths<LabelRr>, Vec<String>)> {
        let remedy = "they are what is to be protected";
        let labels = one_each(dataset.labels(), dataset.name(), remedy)?.clone();
        let (classes, names) = (labels.class_count(), labels.class_names().to_vec());
        let build = |epsilon| Ok(label_stage(epsilon, classes)?.mechanism);
        let strengths = self.terms.budgets.strengths(dataset.ids(), build)?;
        Ok((Secret::new(labels), strengths, names))
    }
}
