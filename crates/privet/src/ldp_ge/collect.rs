//! The users' side of LDP-GE (Algorithm 4, lines 1 to 5): every user randomises what is private, and the
//! collector ends up with a graph, a feature matrix and labels it may do anything with.
//!
//! Each kind of report is a unit of its own, so each has a ledger of its own; the card lists all.

use super::edges::{ListProtection, Ties};
use super::people::{Field, People};
use crate::graph::{DenseMatrix, FeatureMatrix, Labels};
use crate::privacy::Ledger;
use crate::privacy::features::DecodeRows;
use crate::privacy::public::Public;
use crate::privacy::unit::{FeatureRow, Label};
use crate::protect::FeatureProtection;
use crate::protect::SingleProcess;
use crate::protect::labels::label_stage;
use crate::protect::parts::feature_rows;
use crate::{Protected, Result, Run};

/// How each private part is randomised. A part that is public in [`People`] passes unchanged.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Protection {
    /// For feature rows.
    pub features: FeatureProtection,
    /// The epsilon of labels (k-ary randomised response).
    pub label_epsilon: f64,
    /// For neighbour lists.
    pub edges: ListProtection,
}

/// What the collector has: nothing in here needs protection any more.
#[derive(Debug, Clone)]
pub struct Reports {
    /// The graph, public or reported.
    pub ties: Ties,
    /// Feature rows, public or reported.
    pub features: FeatureMatrix,
    /// Labels, public or reported.
    pub labels: Option<Labels>,
    /// The probability that a reported label is true; 1 for public labels.
    pub label_keep: f64,
}

/// Labels, if there are any, and the probability that one of them is true.
type LabelReports = (Option<Labels>, f64);

impl Protection {
    /// Runs every user's side of the protocol.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, or a ledger cannot be written.
    pub fn collect(&self, people: &People, run: &Run<'_>) -> Result<Protected<Reports>> {
        self.check(people, true)?;
        let features = self.collect_features(people, run)?;
        self.beside(features, people, run)
    }

    /// The same where features will not be read: they stay where they are, and cost nothing.
    ///
    /// # Errors
    /// Those of [`Protection::collect`].
    pub fn collect_without_features(
        &self,
        people: &People,
        run: &Run<'_>,
    ) -> Result<Protected<Reports>> {
        self.check(people, false)?;
        let nothing = FeatureMatrix::Dense(DenseMatrix::zeros(people.count, 0));
        let nothing = Protected::public(Public::from_public_data(nothing));
        self.beside(nothing, people, run)
    }

    /// Labels and edges beside what is known of features.
    fn beside(
        &self,
        features: Protected<FeatureMatrix>,
        people: &People,
        run: &Run<'_>,
    ) -> Result<Protected<Reports>> {
        let labels = self.collect_labels(people, run)?;
        let ties = self.edges.collect(people, run)?;
        let reports =
            features.zip(labels).zip(ties).map(|((features, (labels, label_keep)), ties)| {
                Reports { ties, features, labels, label_keep }
            });
        let reports = reports.about(format!("{}: what LDP-GE's collector receives", people.name));
        Ok(reports.with_unprotected("who takes part"))
    }

    fn collect_features(&self, people: &People, run: &Run<'_>) -> Result<Protected<FeatureMatrix>> {
        match &people.features {
            Field::Public(features) => {
                let rows = Public::from_public_data(features.matrix().clone());
                Ok(Protected::public(rows).with_unprotected("features"))
            }
            Field::Private(secret) => {
                let stage = self.features.stage(people.scale.clone())?;
                let mut ledger: Ledger<FeatureRow> = stage.open(&run.ledgers, run.noise)?;
                let (mechanism, decoding) = (&stage.mechanism, self.features.decoding);
                let rows = match &run.spill {
                    Some(spill) => feature_rows(
                        &mut ledger,
                        secret,
                        mechanism,
                        decoding,
                        (spill, &mut SingleProcess),
                    )?,
                    None => {
                        let reports = ledger.release_each(secret, mechanism)?;
                        reports.try_map(|reports| mechanism.decode(&reports, decoding))?
                    }
                };
                Ok(rows.protected(&ledger)?)
            }
        }
    }

    /// What one part refuses is refused before another is charged.
    fn check(&self, people: &People, features: bool) -> Result<()> {
        if let Field::Private(_) = people.features
            && features
        {
            self.features.stage(people.scale.clone())?;
        }
        if let Some(Field::Private(_)) = people.labels {
            label_stage(self.label_epsilon, people.class_names.len())?;
        }
        if let Field::Private(_) = people.graph {
            self.edges.stage(people.count)?;
        }
        Ok(())
    }

    fn collect_labels(&self, people: &People, run: &Run<'_>) -> Result<Protected<LabelReports>> {
        let public = |labels| Protected::public(Public::from_public_data((labels, 1.0)));
        match &people.labels {
            None => Ok(public(None)),
            Some(Field::Public(labels)) => {
                Ok(public(Some(labels.clone())).with_unprotected("labels"))
            }
            Some(Field::Private(secret)) => {
                let names = people.class_names.clone();
                let stage = label_stage(self.label_epsilon, names.len())?;
                let mut ledger: Ledger<Label> = stage.open(&run.ledgers, run.noise)?;
                let reports = ledger.release_each(secret, &stage.mechanism)?;
                let labels = reports.try_map(|reports| Labels::single(reports, names))?;
                let keep = stage.mechanism.keep_probability();
                Ok(labels.map(|labels| (Some(labels), keep)).protected(&ledger)?)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LedgerStore;
    use crate::data::synthetic::StochasticBlocks;
    use crate::ldp_ge::Private;

    /// Labels that no user could send are found out before any user has sent features.
    #[test]
    fn a_refused_part_charges_no_other() {
        let blocks = StochasticBlocks {
            nodes: 60,
            classes: 2,
            features: 4,
            mean_degree: 2.0,
            ..Default::default()
        };
        let dataset = blocks.generate(1).unwrap();
        let private = Private { features: true, labels: true, edges: true };
        let people = People::new(&dataset, private).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let run = Run { ledgers: LedgerStore::Folder(folder.path().into()), ..Run::simulation(1) };
        let (features, edges) = (FeatureProtection::hds(1.0), ListProtection::recommended(1.0, 60));
        let good = Protection { features, label_epsilon: 1.0, edges };
        let refused = [
            Protection { label_epsilon: -1.0, ..good.clone() },
            Protection { edges: ListProtection { epsilon: 0.0, ..edges }, ..good.clone() },
        ];
        for protection in refused {
            assert!(protection.collect(&people, &run).is_err());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let unread = good.collect_without_features(&people, &Run::simulation(1)).unwrap();
        assert_eq!(unread.card().guarantees.len(), 2, "a label and a list");
        let collected = good.collect(&people, &run).unwrap();
        let card = collected.card();
        assert_eq!(card.guarantees.len(), 3);
        assert_eq!(card.totals[0].loss.epsilon.get(), 2.0);
    }
}
