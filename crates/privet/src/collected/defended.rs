//! Reports without those whose lists no honest crowd could have sent (see [`Defence`]).

use super::Collection;
use crate::Result;
use crate::dprr::{Claim, Defence};
use crate::graph::{Direction, NodeId};
use crate::privacy::edges::Merge;

impl Collection {
    /// Leaves out reports of people who claim more contacts than the claims of all other users can match; returns who they are. Their
    /// whole report goes: a user who makes up a list makes up an answer. It looks at reports alone and has no privacy cost.
    ///
    /// # Errors
    /// If theta is not a share. Where no contacts were asked, no user is suspected.
    pub fn without_made_up_lists(&mut self, defence: Defence) -> Result<Vec<NodeId>> {
        let Some(mechanism) = &self.asked.contacts else { return Ok(Vec::new()) };
        let (epsilon, flip) =
            (mechanism.0.cost().degree.get(), 1.0 - mechanism.0.keep_probability());
        let people = 0..self.ids.len() as NodeId;
        let said = |person| self.reports.get(&person).and_then(|report| report.contacts.as_ref());
        let claims: Vec<Claim> = people
            .clone()
            .map(|person| match said(person) {
                Some(report) => Claim::Degree { said: report.degree, epsilon, flip },
                None => Claim::Silent,
            })
            .collect();
        let rows = people
            .map(|person| said(person).map_or_else(Vec::new, |report| report.neighbors.clone()));
        let graph = Merge::Directed.graph(rows.collect())?;
        let flagged = defence.judge(&[graph], &claims, Direction::Undirected)?.concat();
        flagged.iter().for_each(|person| {
            self.reports.remove(person);
        });
        Ok(flagged)
    }
}
