//! The users' side of LDP-GE (Algorithm 4, lines 1 to 5): everybody randomises what is private, and the
//! collector ends up with a graph, a feature matrix and labels it may do anything with.
//!
//! Each kind of report is a unit of its own, so each has a ledger of its own; the card lists all.

use super::edges::{EdgeProtection, Ties};
use super::people::{Field, People};
use crate::graph::{FeatureMatrix, Labels};
use crate::privacy::features::{DecodeRows, Decoding, FeatureMechanism, LabelRr, Settings};
use crate::privacy::public::Public;
use crate::privacy::unit::{FeatureRow, Label};
use crate::privacy::{Card, Ledger, Loss, Protected};
use crate::{Books, Carded, Noise, Result};

/// How each private part is randomised. A part that is public in [`People`] passes unchanged.
#[derive(Debug, Clone)]
pub struct Protection {
    /// For feature rows.
    pub features: FeatureProtection,
    /// The epsilon of labels (k-ary randomised response).
    pub label_epsilon: f64,
    /// For neighbour lists.
    pub edges: EdgeProtection,
}

/// How feature rows are randomised, and read.
#[derive(Debug, Clone)]
pub struct FeatureProtection {
    /// A name out of [`FeatureMechanism::NAMES`].
    pub mechanism: String,
    /// The budget of a whole row.
    pub epsilon: f64,
    /// k and what else the mechanism takes.
    pub settings: Settings,
    /// As the paper reads reports (raw, on [-1, 1]) or without bias on the original scale.
    pub decoding: Decoding,
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

/// What the collector has, made of releases and public data only, and what was promised to whom.
pub type Collected = Carded<Reports>;

/// Labels, if there are any, and the probability that one of them is true.
type LabelReports = (Option<Labels>, f64);

impl Protection {
    /// Runs everybody's side of the protocol.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, or a ledger cannot be written.
    pub fn collect(&self, people: &People, noise: Noise, books: &Books) -> Result<Collected> {
        self.check(people)?;
        let mut card = Card::new(format!("{}: what LDP-GE's collector receives", people.name));
        let features = match &people.features {
            Field::Public(features) => {
                card = card.with_unprotected("features");
                Protected::public(Public::from_public_data(features.matrix().clone()))
            }
            Field::Private(secret) => {
                let FeatureProtection { mechanism, epsilon, settings, decoding } = &self.features;
                let mechanism =
                    FeatureMechanism::build(mechanism, *epsilon, people.scale.clone(), settings)?;
                let limit = Loss::new(*epsilon, settings.delta.unwrap_or(0.0))?;
                let mut ledger: Ledger<FeatureRow> = books.open("features", limit, noise, 0)?;
                let reports = ledger.release_each(secret, &mechanism)?;
                card = card.with_ledger(&ledger)?;
                let rows = reports.try_map(|reports| mechanism.decode(&reports, *decoding))?;
                rows.protected()
            }
        };
        let (labels, card) = self.collect_labels(people, noise, books, card)?;
        let (ties, card) = self.edges.collect(people, noise, books, card)?;
        let all = features.zip(labels).zip(ties);
        let reports = all.map(|((features, (labels, label_keep)), ties)| Reports {
            ties,
            features,
            labels,
            label_keep,
        });
        Collected::new(reports, card.with_unprotected("who takes part"))
    }

    /// What one part refuses is refused before another is charged.
    fn check(&self, people: &People) -> Result<()> {
        if let Field::Private(_) = people.features {
            let FeatureProtection { mechanism, epsilon, settings, .. } = &self.features;
            FeatureMechanism::build(mechanism, *epsilon, people.scale.clone(), settings)?;
        }
        if let Some(Field::Private(_)) = people.labels {
            LabelRr::new(self.label_epsilon, people.class_names.len())?;
        }
        if let Field::Private(_) = people.graph {
            self.edges.check(people)?;
        }
        Ok(())
    }

    fn collect_labels(
        &self,
        people: &People,
        noise: Noise,
        books: &Books,
        card: Card,
    ) -> Result<(Protected<LabelReports>, Card)> {
        let public = |labels| Protected::public(Public::from_public_data((labels, 1.0)));
        match &people.labels {
            None => Ok((public(None), card)),
            Some(Field::Public(labels)) => {
                Ok((public(Some(labels.clone())), card.with_unprotected("labels")))
            }
            Some(Field::Private(secret)) => {
                let names = people.class_names.clone();
                let response = LabelRr::new(self.label_epsilon, names.len())?;
                let limit = Loss::new(self.label_epsilon, 0.0)?;
                let mut ledger: Ledger<Label> = books.open("labels", limit, noise, 1)?;
                let reports = ledger.release_each(secret, &response)?;
                let labels = reports.try_map(|reports| Labels::single(reports, names))?;
                let keep = response.keep_probability();
                let labels = labels.map(|labels| (Some(labels), keep)).protected();
                Ok((labels, card.with_ledger(&ledger)?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::synthetic::StochasticBlocks;
    use crate::ldp_ge::Private;

    /// Labels that nobody could send are found out before anybody has sent features.
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
        let books = Books::Folder(folder.path().into());
        let features = FeatureProtection {
            mechanism: "hds".into(),
            epsilon: 1.0,
            settings: Settings::default(),
            decoding: Decoding::Unbiased,
        };
        let edges = EdgeProtection::recommended(1.0, 60);
        let good = Protection { features, label_epsilon: 1.0, edges };
        let refused = [
            Protection { label_epsilon: -1.0, ..good.clone() },
            Protection { edges: EdgeProtection { epsilon: 0.0, ..edges }, ..good.clone() },
        ];
        for protection in refused {
            assert!(protection.collect(&people, Noise::Replay(1), &books).is_err());
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
        let collected = good.collect(&people, Noise::Replay(1), &books).unwrap();
        let card = collected.card();
        assert_eq!(card.guarantees.len(), 3);
        assert_eq!(card.totals[0].loss.epsilon.get(), 2.0);
    }
}
