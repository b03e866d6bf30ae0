//! DPRR, released once: a classifier of graphs, and its answer for every graph.

use std::path::Path;

use super::{MODEL, Releasable, SplitData, labelled_split, split_to_fit};
use crate::doubts::ReleaseAsks;
use crate::dprr::{Crowd, Dprr, DprrMethod, GraphClassifier};
use crate::graph::{GraphSet, SplitShares};
use crate::privacy::{Card, Loss};
use crate::words::csv_cell;
use crate::{Error, Protected, Result, Run};

/// The paper's split for threads of Reddit.
pub const SHARES: SplitShares = SplitShares { train: 0.75, validation: 0.10, test: 0.15 };

impl Dprr {
    /// Collects from all users and learns from 85 % of the graphs with a class, drawn by the seed.
    ///
    /// # Errors
    /// Those of [`classify`](Self::classify).
    pub fn learn_from(&self, set: &GraphSet, run: &Run<'_>) -> Result<Protected<GraphClassifier>> {
        let split = labelled_split(0..set.len() as u32, set.labels(), SHARES, run.seed)?;
        self.classify(&Crowd::new(set)?, &split, run)
    }
}

impl Dprr {
    /// Collects from all users and learns from all graphs with a class.
    ///
    /// # Errors
    /// Those of [`classify`](Self::classify).
    pub fn fit(&self, set: &GraphSet, run: &Run<'_>) -> Result<Protected<GraphClassifier>> {
        let split = split_to_fit(0..set.len() as u32, set.labels(), None, run.seed)?;
        self.classify(&Crowd::new(set)?, &split, run)
    }
}

impl Releasable for Dprr {
    type Data = GraphSet;

    fn asks(&self, set: &GraphSet) -> Result<ReleaseAsks> {
        let largest = match self.protection.method {
            // All lists are published.
            DprrMethod::NonPrivFull => f64::INFINITY,
            _ => self.protection.setting.epsilon(),
        };
        Ok(ReleaseAsks::once(set.node_count(), [Loss::new(largest, 0.0)?], Vec::new()))
    }

    /// A ledger, a model, and its answer for every graph.
    fn write(&self, input: SplitData<'_, GraphSet>, run: &Run<'_>, folder: &Path) -> Result<Card> {
        let set = input.data;
        let (made, mut card) = self.learn_from(set, run)?.into_parts();
        made.model.save(&folder.join(MODEL))?;
        let mut lines = String::from("graph,predicted\n");
        let names = set.labels().map_or(&[][..], |labels| labels.class_names());
        for (graph, &class) in (0..).zip(&made.predicted) {
            let id = set.ids().get(graph).to_string();
            let name = names.get(class as usize).map_or("", String::as_str);
            lines += &format!("{},{}\n", csv_cell(&id), csv_cell(name));
        }
        let file = folder.join("predicted.csv");
        std::fs::write(&file, lines).map_err(|error| Error::file(&file, error))?;
        card.subject = format!("a classifier and predictions made from: {}", card.subject);
        Ok(card.with_unprotected("the ids of all graphs"))
    }
}
