//! [`Outside::holders`]: which known projects hold which of these people.
//!
//! Everyone is compared, so a hundred people inside a million are found. What counts as more than chance:
//!
//! - *names* (text ids): more than three, or half of the smaller table. Three, because ids such as `unknown` and
//!   `test` stand in many tables.
//! - *rows* (numbered ids): more than three above what chance explains. Two tables in which rows repeat with
//!   probabilities p and q have sqrt(pq) n equal rows under the same numbers at most (Cauchy and Schwarz), and six
//!   standard deviations are allowed on top.
//! - *connections* (numbered ids): more than three, and a fifth of the smaller table.

use std::path::{Path, PathBuf};

use super::marks::{MarksFile, PeopleMarks};
use super::{MARKS, Outside};
use crate::privacy::fault::{self, Fault};
use crate::{Error, Result};

/// So many ids are taken for ones that stand in many tables.
const ACCIDENTAL: u64 = 3;

/// A known project that holds some of the people that were asked about.
#[derive(Debug, Clone, PartialEq)]
pub struct Holder {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where it was when it last spent.
    pub root: PathBuf,
    /// What of the people it holds.
    pub matches: Matches,
}

/// How many marks are the same, and what follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Matches {
    /// People with the same text id.
    pub names: u64,
    /// Numbered people with the same row.
    pub rows: u64,
    /// Numbered people with the same connection.
    pub connections: u64,
    /// Whether so many are more than chance explains.
    pub more_than_chance: bool,
    /// Whether they are most of the smaller table.
    pub most: bool,
}

impl Matches {
    /// How many people were recognised, at least.
    pub fn people(&self) -> u64 {
        self.names + self.rows.max(self.connections)
    }

    fn of([names, rows, connections]: [(u64, u64); 3], chance: f64) -> Self {
        // Each with the size of the smaller of both lists.
        // A few matches suffice if they are half of a small list.
        let half = |(same, smaller): (u64, u64)| same > 0 && 2 * same >= smaller;
        let expected = chance * rows.1 as f64;
        // Six deviations of a Poisson count above what chance explains.
        let explained = expected + 6.0 * expected.sqrt();
        let by_names = names.0 > ACCIDENTAL || half(names);
        let above = rows.0 as f64 > explained;
        let by_rows = above && (rows.0 as f64 > explained + ACCIDENTAL as f64 || half(rows));
        // Contacts change: a fifth of the connections of known numbers is enough.
        let by_connections = connections.0 > ACCIDENTAL && 5 * connections.0 >= connections.1;
        Self {
            names: names.0,
            rows: rows.0,
            connections: connections.0,
            more_than_chance: by_names || by_rows || by_connections,
            most: half(names) || half(rows) || half(connections),
        }
    }
}

impl Holder {
    /// Whether it holds more of the people than chance explains.
    pub fn is_more_than_chance(&self) -> bool {
        self.matches.more_than_chance
    }

    /// Why a project in a folder does not spend.
    pub(super) fn refusal(&self, root: &Path) -> Error {
        let Self { name, root: there, .. } = self;
        let same = |a: &Path, b: &Path| {
            a.canonicalize().ok().is_some_and(|a| b.canonicalize().ok() == Some(a))
        };
        let whose = format!(
            "the project '{name}' in {} holds {} the same people, whose budget it counts",
            there.display(),
            if self.matches.most { "most of" } else { "some of" }
        );
        match same(there, root) {
            true => Error::Refused {
                message: format!(
                    "refused: {whose}, and the .privet of that folder is another one now"
                ),
                remedy: "restore .privet from a copy, or say `privet init --here --second-project`: their budgets add up",
            },
            false => Error::Refused {
                message: format!("refused: {whose}; a second project would spend as much again"),
                remedy: "spend from that one, or say --second-project (`privet init --here --second-project` in a project \
                         that is there already): their budgets add up",
            },
        }
    }
}

impl Outside {
    /// The known projects that hold any of these people, even if chance explains it; those that hold most come first.
    ///
    /// # Errors
    /// If what is known cannot be read.
    pub fn holders(&self, people: &PeopleMarks) -> Result<Vec<Holder>> {
        self.holders_beside(None, people)
    }

    /// The same but for one project.
    pub(super) fn holders_beside(
        &self,
        beside: Option<&str>,
        people: &PeopleMarks,
    ) -> Result<Vec<Holder>> {
        let mut holders = Vec::new();
        for id in self.ids()? {
            if beside == Some(&*id) || fault::on(Fault::OtherProjectsNotAsked) {
                continue;
            }
            let Some(known) = self.known(&id)? else { continue };
            let matches = self.matches(&id, people)?;
            if matches.people() > 0 {
                holders.push(Holder { id, name: known.name, root: known.root, matches });
            }
        }
        // The project with most of the people is the one to name.
        holders.sort_by_key(|holder| std::cmp::Reverse(holder.matches.people()));
        Ok(holders)
    }

    fn matches(&self, id: &str, people: &PeopleMarks) -> Result<Matches> {
        let lists = [&people.names, &people.rows, &people.connections];
        let smaller = |mine: &[u64], theirs: u64| theirs.min(mine.len() as u64);
        let Some(mut file) = MarksFile::open(&self.projects().join(id).join(MARKS))? else {
            // Known by an earlier version: a sample of its names is all there is.
            let sample = self.marks_of(id)?.names;
            let same =
                sample.iter().filter(|mark| people.names.binary_search(mark).is_ok()).count();
            let smaller = smaller(&people.names, sample.len() as u64);
            return Ok(Matches::of([(same as u64, smaller), (0, 0), (0, 0)], 0.0));
        };
        let mut same = [(0, 0); 3];
        for (at, mine) in lists.into_iter().enumerate() {
            let theirs = file.counts[at];
            let sampled =
                if fault::on(Fault::PeopleSampled) { mine.len().min(256) } else { mine.len() };
            // Matches of names, records and connections are counted apart: each has a chance of its
            // own.
            same[at] = (file.shared(theirs, &mine[..sampled])?, smaller(mine, theirs));
        }
        // The geometric mean: how often a record of one list equals one of the other.
        Ok(Matches::of(same, (people.repetition * file.repetition).sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::SecondProject;
    use super::*;

    fn outside() -> (tempfile::TempDir, Outside) {
        let folder = tempfile::tempdir().unwrap();
        let outside = Outside::at(folder.path().join("state")).unwrap();
        (folder, outside)
    }

    fn marks(
        outside: &Outside,
        people: impl Iterator<Item = (String, Vec<String>)>,
    ) -> PeopleMarks {
        let mut marker = outside.marker().unwrap();
        people.for_each(|(id, cells)| marker.person(&id, cells));
        marker.finish()
    }

    fn admit(outside: &Outside, id: char, people: PeopleMarks) -> Result<()> {
        let id = String::from(id).repeat(32);
        outside.admit(&id, "shop", Path::new("shop"), people, SecondProject::Refuse)
    }

    fn named(range: std::ops::Range<u32>) -> impl Iterator<Item = (String, Vec<String>)> {
        range.map(|at| (format!("person {at}"), Vec::new()))
    }

    /// A hundred people of a large project, and as many strangers: no sample of 256 shows them.
    #[test]
    fn a5_a_few_people_in_many_are_found() {
        let (_folder, outside) = outside();
        admit(&outside, 'a', marks(&outside, named(0..30_000))).unwrap();
        let few = marks(&outside, named(29_900..60_000));
        let holders = outside.holders(&few).unwrap();
        assert_eq!((holders.len(), holders[0].matches.names), (1, 100));
        assert!(holders[0].is_more_than_chance() && !holders[0].matches.most);
        let told = admit(&outside, 'b', few).unwrap_err().to_string();
        assert!(told.contains("some of the same people"), "{told}");
        assert!(outside.known(&"b".repeat(32)).unwrap().is_none(), "what is refused is not known");
    }

    #[test]
    fn a5_three_ids_are_an_accident_unless_they_are_half_of_all() {
        let (_folder, outside) = outside();
        admit(&outside, 'a', marks(&outside, named(0..100))).unwrap();
        let shared = |range: std::ops::Range<u32>| {
            let holders = outside.holders(&marks(&outside, named(range))).unwrap();
            holders.iter().any(Holder::is_more_than_chance)
        };
        assert!(!shared(97..200) && shared(96..200), "of a hundred");
        assert!(!shared(99..103) && shared(99..101), "of four, and of two");
        assert!(!shared(100..200));
    }

    /// Rows that repeat agree by chance under the same numbers; those of the same people agree beyond that.
    #[test]
    fn a5_numbered_rows_are_weighed_against_chance() {
        let (_folder, outside) = outside();
        let table = |seed: u64| {
            move |at: u64| {
                let word = (at * 2 + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
                (at.to_string(), vec![(word % 3).to_string(), (word / 3 % 2).to_string()])
            }
        };
        admit(&outside, 'a', marks(&outside, (0..2000).map(table(0)))).unwrap();
        let other = outside.holders(&marks(&outside, (0..2000).map(table(1)))).unwrap();
        assert!(other[0].matches.rows > 100 && !other[0].is_more_than_chance(), "{other:?}");
        // A tenth of the same people, under their numbers.
        let same = outside.holders(&marks(&outside, (0..200).map(table(0)))).unwrap();
        assert!(same[0].matches.rows == 200 && same[0].is_more_than_chance(), "{same:?}");
    }
}
