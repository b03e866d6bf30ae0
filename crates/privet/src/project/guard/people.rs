//! [`ProtectedPeople`]: the ids, records and connections in a project's tables, as far as others are compared with them.
//! Records are kept as hashes, and for numbered people alone.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::super::Project;
use super::chance::ChanceTest;
use super::{CONNECTIONS, refused_by_name};
use crate::data::declared::{EdgeTable, PeopleReader, PeopleTable, Strangers};
use crate::data::formats::{Limits, read_list};
use crate::graph::{Id, IdInterner, NodeId};
use crate::privacy::unit::DataPart;
use crate::{Error, Result};

/// Numbers of which fewer than one in so many is in use tell a person by themselves.
const SPARSE: u64 = 1000;

/// The people of one project.
#[derive(Debug)]
pub(super) struct ProtectedPeople {
    project: String,
    hidden: Vec<DataPart>,
    /// All people in the table, in its order: people who were removed are protected all the same.
    ids: IdInterner,
    /// People who agreed that their own records may be looked at.
    volunteers: HashSet<NodeId>,
    /// Whether numbers tell, as texts do.
    numbers_tell: bool,
    /// Hashes of each person's declared cells, sorted, row after row; nothing if ids tell.
    cells: Vec<u64>,
    width: usize,
    /// How many people have the same cells.
    alike: Vec<u32>,
    /// Which people are connected, the smaller node first; of numbered people alone.
    pairs: HashSet<[NodeId; 2]>,
    /// The share of all pairs that are connected.
    density: f64,
}

impl ProtectedPeople {
    /// Reads the tables of a project.
    ///
    /// # Errors
    /// If one cannot be read, or is not as declared.
    pub fn read(project: &Project) -> Result<Self> {
        let config = project.config();
        let limits = Limits::default();
        // Labels are not compared: a record with another label is still the record of that person.
        let unlabelled = PeopleTable {
            label: None,
            classes: None,
            separator: None,
            whether: None,
            ..config.people.clone()
        };
        let mistake = |error| Error::invalid("people", error, "a table as privet.toml declares it");
        let reader = PeopleReader::new(&unlabelled).map_err(mistake)?;
        let path = project.root().join(&config.people.file);
        let (mut ids, mut cells) = (IdInterner::default(), Vec::new());
        let mut range: Option<[u64; 2]> = None;
        let mut numbers = 0;
        for batch in reader.batches(&path, super::BATCH, &limits)?.with_fingerprints() {
            let batch = batch?;
            let width = reader.encoder().inputs().len();
            for (at, id) in batch.ids.iter().enumerate() {
                let known = ids.len();
                if (ids.intern(id) as usize) < known {
                    // An id that comes twice is an error of the table, which its own commands tell.
                    continue;
                    // Sorted cells: a table with its columns in another order is still recognised.
                }
                let mut row = batch.fingerprints[at * width..][..width].to_vec();
                row.sort_unstable();
                cells.extend(row);
                if let Id::Integer(number) = Id::parse(id) {
                    let [low, high] = range.unwrap_or([number; 2]);
                    range = Some([low.min(number), high.max(number)]);
                    numbers += 1;
                }
            }
        }
        let spread = range.map_or(0, |[low, high]| high - low);
        // Numbers spread far apart identify people as names do; 1, 2, 3 occur in every table.
        let numbers_tell = numbers > 0 && spread / numbers >= SPARSE;
        let width = reader.encoder().inputs().len();
        let compares = numbers > 0 && !numbers_tell;
        // Without records to compare, the cells would only take memory.
        if !compares {
            cells = Vec::new();
        }
        let alike = match compares && width > 0 {
            true => alike(&cells, width),
            false => Vec::new(),
        };
        let hidden = super::ALL_PARTS.into_iter().filter(|&part| project.hides(part)).collect();
        let mut people = Self {
            project: config.project.name.clone(),
            hidden,
            ids,
            volunteers: HashSet::new(),
            numbers_tell,
            cells,
            width,
            alike,
            pairs: HashSet::new(),
            density: 0.0,
        };
        if compares && people.hides(DataPart::Edges) {
            people.read_pairs(project, &limits)?;
        }
        if let Some(file) = &config.project.volunteers {
            let listed = read_list(&project.root().join(file))?;
            let nodes = listed.iter().filter_map(|id| people.ids.node(Id::parse(id)));
            people.volunteers = nodes.collect();
        }
        Ok(people)
    }

    /// All records of all tables, those that a declaration leaves out included.
    fn read_pairs(&mut self, project: &Project, limits: &Limits) -> Result<()> {
        for table in &project.config().edges {
            let whole = EdgeTable {
                weight: None,
                time: None,
                types: None,
                strangers: Strangers::LeaveOut,
                ..table.clone()
            };
            let found = whole.read_pairs(project.root(), &self.ids, limits)?;
            self.pairs.extend(found.into_iter().map(sorted));
        }
        let people = self.ids.len() as f64;
        // The probability that a random pair is connected: how often a pair agrees by chance.
        self.density = 2.0 * self.pairs.len() as f64 / (people * (people - 1.0)).max(1.0);
        Ok(())
    }

    /// Whether a part of them is hidden.
    pub fn hides(&self, part: DataPart) -> bool {
        self.hidden.contains(&part)
    }

    /// Whether records of numbers are compared.
    pub fn have_numbers(&self) -> bool {
        !self.alike.is_empty()
    }

    /// Whether rows of so many cells may hold their records: in much wider ones a person's few numbers are found by chance.
    pub fn fits_width(&self, cells: usize) -> bool {
        // A copy may have additional columns, but not arbitrarily many.
        self.have_numbers() && cells >= self.width && cells <= 2 * self.width + 2
    }

    /// The protected person of an id.
    fn protected(&self, id: Id<'_>) -> Option<NodeId> {
        self.ids.node(id).filter(|node| !self.volunteers.contains(node))
    }

    fn tells(&self, id: Id<'_>) -> bool {
        matches!(id, Id::Text(_)) || self.numbers_tell
    }

    /// Whether an id alone tells that a protected person is meant.
    pub fn is_told_by(&self, id: Id<'_>) -> bool {
        self.tells(id) && self.protected(id).is_some()
    }

    /// Compares the record of a number with that of the protected person of the same number. It may hold more cells.
    pub fn compare(&self, id: Id<'_>, mut cells: Vec<u64>, chance: &mut ChanceTest) {
        if !self.have_numbers() || self.tells(id) {
            return;
        }
        let Some(node) = self.protected(id) else { return };
        cells.sort_unstable();
        let own = &self.cells[node as usize * self.width..][..self.width];
        let mut rest = cells.iter();
        // Both are sorted, so each cell of the person is looked for behind the one before.
        let agrees = own.iter().all(|cell| rest.any(|other| other == cell));
        // How many people share this record: rare records say more.
        let share = f64::from(self.alike[node as usize]) / self.ids.len() as f64;
        chance.add(agrees, share);
    }

    /// Refuses connections that lead to a protected person.
    pub fn check_pairs<'i>(
        &self,
        pairs: impl Iterator<Item = [Id<'i>; 2]>,
        path: &Path,
    ) -> Result<()> {
        let mut chance = ChanceTest::default();
        for ends in pairs {
            // An id that identifies a person is enough, whatever the other end is.
            if ends.iter().any(|&end| self.is_told_by(end)) {
                return Err(self.refused(path, CONNECTIONS));
            }
            if let [Some(one), Some(other)] = ends.map(|end| self.protected(end)) {
                chance.add(self.pairs.contains(&sorted([one, other])), self.density);
            }
        }
        match chance.is_beyond_chance(1) {
            true => Err(self.refused(path, CONNECTIONS)),
            false => Ok(()),
        }
    }

    /// A refusal that names the project, and no id.
    pub fn refused(&self, path: &Path, what: &str) -> Error {
        refused_by_name(path, &self.project, what)
    }
}

fn sorted([one, other]: [NodeId; 2]) -> [NodeId; 2] {
    [one.min(other), one.max(other)]
}

/// For every row, how many rows are the same.
fn alike(cells: &[u64], width: usize) -> Vec<u32> {
    let mut counts: HashMap<&[u64], u32> = HashMap::new();
    cells.chunks_exact(width).for_each(|row| *counts.entry(row).or_default() += 1);
    cells.chunks_exact(width).map(|row| counts[row]).collect()
}
