//! Tables that are read as a whole, behind the guard.

use std::path::Path;

use super::InputGuard;
use crate::data::declared::{EdgeTable, PeopleReader, PeopleTable, Schema};
use crate::data::formats::Limits;
use crate::graph::files::is_standard;
use crate::graph::{GraphSet, IdInterner};
use crate::privacy::unit::DataPart;
use crate::{Error, Result};

impl InputGuard {
    /// Reads graphs that no table lists, whose people send reports. People of a project do so at the price of that project,
    /// so their contacts are refused here.
    ///
    /// # Errors
    /// If a table leads to people whose connections a project protects, cannot be read, or is not as declared.
    pub fn read_new_graphs(
        &self,
        people: &PeopleTable,
        member: &str,
        edges: &[EdgeTable],
    ) -> Result<GraphSet> {
        if self.protects(DataPart::Edges) {
            self.check_contacts(people, edges)?;
        }
        Ok(Schema::read_new_graphs(people, member, edges, &Limits::default())?)
    }

    fn check_contacts(&self, people: &PeopleTable, edges: &[EdgeTable]) -> Result<()> {
        let path = Path::new(&people.file);
        let mut files = edges.iter().map(|table| Path::new(&table.file)).chain([path]);
        if files.any(is_standard) {
            let message = "refused: standard input can be read once only, and these tables must be compared with those \
                           of a project"
                .into();
            return Err(Error::Refused { message, remedy: "name a file" });
        }
        let reader = PeopleReader::new(people).map_err(crate::graph::Error::from)?;
        let (mut known, mut ids) = (IdInterner::default(), Vec::new());
        for batch in reader.batches(path, super::BATCH, &Limits::default())? {
            for id in batch?.ids {
                if known.intern(&id) as usize == ids.len() {
                    ids.push(id);
                }
            }
        }
        edges.iter().try_for_each(|table| self.read_connections(table, &known, &ids).map(drop))
    }
}
