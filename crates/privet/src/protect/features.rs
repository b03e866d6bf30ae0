//! Feature rows: each person's report, decoded into a matrix of the same shape.

use super::parts::feature_rows;
use super::several::{Several, SingleProcess, all_reports};
use super::unprotected::{always, edges, labels, published};
use super::{Job, Strengths, Terms};
use crate::graph::{self, Dataset};
use crate::privacy::features::{Decoding, FeatureMechanism, FeatureSettings, Scale, decode_chosen};
use crate::privacy::ledger::Foreseen;
use crate::privacy::unit::{DataPart, FeatureRow};
use crate::privacy::{Loss, Secret};
use crate::stage::Stage;
use crate::{Error, Facts, Protected, Result, Run};

/// How feature rows are randomised, and read, where all people have the same budget: a part of a system.
#[derive(Debug, Clone, serde::Serialize)]
pub struct FeatureProtection {
    /// A name out of [`FeatureMechanism::NAMES`].
    pub mechanism: String,
    /// The budget of a whole row.
    pub epsilon: f64,
    /// k, delta, bins, shares: what the mechanism takes beside epsilon.
    pub settings: FeatureSettings,
    /// An unbiased estimate on the scale of the data, or what the mechanism's paper prints.
    pub decoding: Decoding,
}

impl FeatureProtection {
    /// FeatureRR (HeteroRR's mechanism) at `epsilon`, read without bias.
    pub fn new(epsilon: f64) -> Self {
        let (settings, decoding) = (FeatureSettings::default(), Decoding::Unbiased);
        Self { mechanism: "feature-rr".into(), epsilon, settings, decoding }
    }

    /// HDS (LDP-GE's mechanism) at `epsilon`, read without bias.
    pub fn hds(epsilon: f64) -> Self {
        Self { mechanism: "hds".into(), ..Self::new(epsilon) }
    }

    /// What a new ledger must allow.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn limit(&self) -> Result<Loss> {
        Ok(Loss::new(self.epsilon, self.settings.delta.unwrap_or(0.0))?)
    }

    /// What people run on their own rows.
    ///
    /// # Errors
    /// If the mechanism refuses its settings.
    pub fn mechanism(&self, scale: Scale) -> Result<FeatureMechanism> {
        Ok(FeatureMechanism::build(&self.mechanism, self.epsilon, scale, &self.settings)?)
    }

    /// Each person's report about a row of this scale.
    pub(crate) fn stage(&self, scale: Scale) -> Result<Stage<FeatureMechanism>> {
        let (part, limit, mechanism) = (DataPart::Features, self.limit()?, self.mechanism(scale)?);
        Ok(Stage { part, limit, mechanism })
    }

    /// What an account will say of each person's report.
    pub(crate) fn foreseen(&self, facts: &Facts) -> Result<Foreseen<FeatureRow>> {
        self.stage(facts.scale()?)?.foreseen_each(&facts.table())
    }
}

/// How the feature rows of a dataset are randomised, and read.
#[derive(Debug, Clone)]
pub struct Features {
    /// A name out of [`FeatureMechanism::NAMES`].
    pub mechanism: String,
    /// k, delta, bins: what the mechanism takes beside epsilon.
    pub settings: FeatureSettings,
    /// An unbiased estimate on the scale of the data, or what the mechanism's paper prints.
    pub decoding: Decoding,
    /// How strongly people are protected.
    pub terms: Terms,
}

impl Features {
    /// HDS (LDP-GE's mechanism) at `epsilon`, read without bias.
    pub fn hds(epsilon: f64) -> Self {
        let FeatureProtection { mechanism, settings, decoding, .. } =
            FeatureProtection::hds(epsilon);
        Self { mechanism, settings, decoding, terms: Terms::alike(epsilon) }
    }

    /// How people who ask for so much are protected.
    pub(crate) fn at(&self, epsilon: f64) -> FeatureProtection {
        let (mechanism, settings) = (self.mechanism.clone(), self.settings.clone());
        FeatureProtection { mechanism, epsilon, settings, decoding: self.decoding }
    }

    /// The dataset with reports in place of features. The declared range was that of the truth; estimates go
    /// beyond it, so there is none on them.
    ///
    /// # Errors
    /// If there are no features, a public fact was not stated, the mechanism refuses its settings, or the limit would
    /// be passed.
    pub fn run(&self, dataset: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        self.run_by(dataset, run, &mut SingleProcess)
    }

    /// The same by several processes, of which this one leads.
    ///
    /// # Errors
    /// Those of [`Features::run`], if people have budgets of their own, or if another process fails.
    pub fn run_by(
        &self,
        dataset: Dataset,
        run: &Run<'_>,
        by: &mut impl Several,
    ) -> Result<Protected<Dataset>> {
        let delta = self.settings.delta.unwrap_or(0.0);
        let job = Job::new(&dataset, &self.terms, run, DataPart::Features, delta)?;
        let (secret, strengths, names) = self.prepared(&dataset)?;
        let subject = format!("{}, features randomised by {}", dataset.name(), self.mechanism);
        if run.spill.is_some() || by.count() > 1 {
            self.terms.check_parts()?;
        }
        let in_parts = run.spill.as_ref().zip(strengths.alike());
        let released = job.charge::<_, FeatureRow>(subject, |ledger| {
            let rows = match in_parts {
                Some((spill, mechanism)) => {
                    feature_rows(ledger, &secret, mechanism, self.decoding, (spill, by))?
                }
                None => all_reports(by, ledger, &secret, &strengths)?.try_map(|reports| {
                    let mechanism = |user| strengths.of_user(user);
                    decode_chosen(&reports, mechanism, self.decoding)
                })?,
            };
            rows.try_map(|rows| {
                let rows = graph::Features::new(rows);
                Ok(match names {
                    Some(names) => rows.with_names(names)?,
                    None => rows,
                })
            })
        })?;
        let released = published(released, strengths.publishers(), "row of features");
        let released = labels(edges(released, &dataset), &dataset);
        let released = job.finish(always(released, &dataset));
        released.try_map(|features| Ok(dataset.with_features(features)?))
    }

    /// Draws this process's part of what another one leads.
    ///
    /// # Errors
    /// If something differs from what was charged, or another process fails.
    pub fn assist(&self, dataset: &Dataset, by: &mut impl Several) -> Result<()> {
        let (secret, strengths, _) = self.prepared(dataset)?;
        by.follow(&secret, strengths.alike().ok_or(Error::OwnBudgetsInParts)?)
    }

    /// What is secret, what each person runs on it, and the names of the columns.
    fn prepared(&self, dataset: &Dataset) -> Result<PreparedFeatures> {
        let features = dataset.features().cloned().ok_or_else(|| Error::Missing {
            dataset: dataset.name().to_owned(),
            what: "features",
            remedy: "they are what is to be protected",
        })?;
        let scale = public_scale(&features)?;
        let build = |epsilon| self.at(epsilon).mechanism(scale.clone());
        let strengths = self.terms.budgets.strengths(dataset.ids(), build)?;
        let names = features.names().map(<[String]>::to_vec);
        Ok((Secret::new(features), strengths, names))
    }
}

type PreparedFeatures = (Secret<graph::Features>, Strengths<FeatureMechanism>, Option<Vec<String>>);

/// The columns and their declared range.
///
/// # Errors
/// If it was not declared: a range that was measured would be an unpaid release.
pub fn public_scale(features: &graph::Features) -> Result<Scale> {
    let bounds = features.bounds().filter(|bounds| bounds.is_public());
    if bounds.is_none() {
        return Err(Error::UndeclaredRange);
    }
    Ok(Scale::new(features.columns(), bounds)?)
}
