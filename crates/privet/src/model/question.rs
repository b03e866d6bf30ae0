//! [`Question`]: what a model is asked about, as tables in files, and [`Model::answer`]: the answers as a table.
//!
//! | a model of | needs | may have |
//! |---|---|---|
//! | people | a table of people | their connections; what was released about others, to whom these may lead |
//! | pairs | a table of pairs | new people, with their connections |
//! | graphs | a table of people, and their contacts | |

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use super::answers::AnswerFormat;
use super::predict::AnswerColumns;
use super::{GraphModel, Model, Newcomers};
use crate::cardfile::{beside, issue, of_input};
use crate::data::declared::{EdgeTable, PeopleTable, Strangers};
use crate::data::formats::write;
use crate::graph::Dataset;
use crate::privacy::Card;
use crate::project::InputGuard;
use crate::project::elsewhere::refuse_table_of_people;
use crate::run::LedgerFile;
use crate::{Error, LedgerStore, Noise, Result, Run};

/// What a model is asked about.
#[derive(Debug, Clone, Default)]
pub struct Question {
    /// A table of people; `-` is standard input.
    pub people: Option<PathBuf>,
    /// Which table of a SQLite file.
    pub table: Option<String>,
    /// Their connections. Records about unknown people are left out.
    pub edges: Option<EdgeTable>,
    /// What was released about others, with a card beside it.
    pub released: Option<PathBuf>,
    /// Pairs of people.
    pub pairs: Option<EdgeTable>,
    /// What is shown of classes.
    pub shown: AnswerColumns,
}

/// Answers in a file.
#[derive(Debug, Clone)]
pub struct AnswersFile {
    /// How many there are.
    pub count: u64,
    /// What they are about: people, pairs, graphs.
    pub of: &'static str,
    /// Their card, if they are a release of their own.
    pub card: Option<Card>,
}

impl Model {
    /// Whether a question is for this kind of model.
    ///
    /// # Errors
    /// What it lacks, or has too much.
    pub fn check(&self, question: &Question) -> Result<()> {
        let classes = match self {
            Self::People(model) => &model.about.classes,
            Self::Graphs(model) => &model.about.classes,
            Self::Pairs(_) => {
                let plain = question.shown == AnswerColumns::default();
                Error::unless(plain, "classes to show", "some", "none: this model scores pairs")?;
                let some = question.pairs.is_some();
                return Error::unless(
                    some,
                    "pairs",
                    "none",
                    "a table of pairs, which this model scores",
                );
            }
        };
        // Checked before anything is read: a mistake costs no pass over a long table.
        if question.pairs.is_some() {
            let found = format!("some, for a model by {}", self.method());
            return Err(Error::invalid(
                "pairs",
                found,
                "a model by ldp-ge-links, which scores them",
            ));
        }
        let (top, most) = (question.shown.top, classes.len());
        if top == 0 || top > most {
            return Err(Error::invalid("top", top, format!("1 to {most}, the number of classes")));
        }
        Error::unless(
            question.people.is_some(),
            "people",
            "no person",
            "a table of those to answer about",
        )?;
        let contacts = question.edges.is_some() || !matches!(self, Self::Graphs(_));
        let expected = "a table of contacts: this model classifies graphs of people";
        Error::unless(contacts, "edges", "none", expected)
    }

    /// Answers as a table, written as they come; `so_far` is told how many there are. Not for graphs, whose answers
    /// are a release: see [`answer_to`](Self::answer_to).
    ///
    /// # Errors
    /// If the question is for another kind of model, a table is not as declared or holds what a project protects, or the
    /// answers cannot be written.
    pub fn answer(
        &self,
        question: &Question,
        guard: &InputGuard,
        out: &mut dyn Write,
        so_far: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        self.answer_as(AnswerFormat::Csv, question, guard, out, so_far)
    }

    /// The same in a format of the caller's choice: answers come in the order of the table that asks for them.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer).
    pub fn answer_as(
        &self,
        format: AnswerFormat,
        question: &Question,
        guard: &InputGuard,
        out: &mut dyn Write,
        so_far: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        self.check(question)?;
        match (self, &question.people) {
            (Self::Pairs(model), people) => {
                let Some(pairs) = &question.pairs else { return Ok(0) };
                let preprocessing = &model.about.preprocessing;
                let new = people
                    .as_deref()
                    .map(|people| question.newcomers(preprocessing, people, guard));
                let (new, edges) = (new.transpose()?, question.edges());
                model.predict_as(format, pairs, (new.as_ref(), edges.as_ref()), guard, out)
            }
            (Self::People(model), Some(people)) if question.edges.is_none() => {
                let table = (&**people, question.table.clone());
                model.predict_as((question.shown, format), table, guard, out, so_far)
            }
            (Self::People(model), Some(people)) => {
                let people = question.newcomers(&model.about.preprocessing, people, guard)?;
                model.predict_connected(&people, (question.shown, format), out)
            }
            _ => {
                let message =
                    // Lists of contacts are randomised here, so the answers are a release of their
                    // own, with a ledger.
                    "refused: answers about graphs are a release, whose card lies beside a file"
                        .into();
                Err(Error::Refused { message, remedy: "name a file for them" })
            }
        }
    }

    /// Answers in a file: all of them, or nothing. Those about graphs come with an account and a card beside it: the people
    /// of new graphs send reports, as those did whom the model learned from.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer), or if there is an account already, whose charges would be forgotten.
    pub fn answer_to(
        &self,
        question: &Question,
        path: &Path,
        guard: &InputGuard,
        noise: Noise,
        so_far: &mut dyn FnMut(u64),
    ) -> Result<AnswersFile> {
        self.check(question)?;
        let of = match self {
            Self::People(_) => "people",
            Self::Pairs(_) => "pairs",
            Self::Graphs(model) => {
                let (count, card) = model.answer_to(question, path, guard, noise)?;
                return Ok(AnswersFile { count, of: "graphs", card: Some(card) });
            }
        };
        let count = whole(path, |out| self.answer(question, guard, out, so_far))?;
        Ok(AnswersFile { count, of, card: None })
    }
}

impl GraphModel {
    fn answer_to(
        &self,
        question: &Question,
        path: &Path,
        guard: &InputGuard,
        noise: Noise,
    ) -> Result<(u64, Card)> {
        let ledger = beside(path, "ledger");
        // A fresh ledger for each file: what the card promises is what was charged to it.
        if ledger.exists() {
            let message = format!("{}: refused: there is an account already", ledger.display());
            let remedy = "what was charged to it stays charged: name another file for the answers";
            return Err(Error::Refused { message, remedy });
        }
        let about = &self.about;
        let people = question.people.as_deref().unwrap_or(Path::new("-"));
        let people = PeopleTable {
            table: question.table.clone(),
            ..PeopleTable::new(people.to_string_lossy(), &*about.person)
        };
        let edges: Vec<EdgeTable> = question.edges().into_iter().collect();
        // Standard input is read once; people whose table has no name are not recognised.
        if people.file != "-" {
            let file = Path::new(&people.file);
            refuse_table_of_people(file, people.table.as_deref(), &people.id)?;
        }
        let set = guard.read_new_graphs(&people, &about.member, &edges)?;
        let files = vec![LedgerFile { kind: "edges", path: ledger, limit: None }];
        let run = Run { noise, ledgers: LedgerStore::Files(files), ..Run::simulation(0) };
        let (answers, card) = self.classify(&set, &run)?.into_parts();
        let (card, _) = issue(path, card, None, || {
            whole(path, |out| self.write(&answers, question.shown, out))?;
            Ok::<_, Error>(vec![path.display().to_string()])
        })?;
        Ok((answers.ids.len() as u64, card))
    }
}

impl Question {
    fn edges(&self) -> Option<EdgeTable> {
        let table = self.edges.clone()?;
        // Connections to people outside of the table are left out.
        Some(EdgeTable { strangers: Strangers::LeaveOut, ..table })
    }

    /// The files that it names, of which a guard must know the projects.
    pub fn files(&self) -> Vec<&Path> {
        let tables = [&self.edges, &self.pairs].into_iter().flatten();
        let tables = tables.map(|table| Path::new(&table.file));
        let named = [&self.people, &self.released].into_iter().flatten().map(PathBuf::as_path);
        named.chain(tables).collect()
    }

    fn newcomers(
        &self,
        preprocessing: &PeopleTable,
        people: &Path,
        guard: &InputGuard,
    ) -> Result<Newcomers> {
        let released = self.released.as_deref().map(released).transpose()?;
        let (table, edges) = (self.table.clone(), self.edges());
        Newcomers::read(preprocessing, people, table, edges.as_ref(), released.as_ref(), guard)
    }
}

/// Something that was released: without a card it may be raw, and an answer about a newcomer would show it.
fn released(path: &Path) -> Result<Dataset> {
    if of_input(path)?.is_none() {
        let message = format!("{}: refused: there is no card beside it", path.display());
        return Err(Error::Refused {
            message,
            remedy: "name what `privet protect` or `privet publish` wrote",
        });
    }
    Ok(crate::data::read(path)?.into_nodes()?)
}

/// Writes a file as a whole, or not at all.
pub(crate) fn whole<T>(path: &Path, write: impl FnOnce(&mut dyn Write) -> Result<T>) -> Result<T> {
    let draft = write::temporary(path).unwrap_or_else(|| path.into());
    let failed = |error: std::io::Error| Error::file(path, error);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&draft).map_err(failed)?);
    let done = write(&mut out).and_then(|found| out.flush().map(|()| found).map_err(failed));
    // Written beside, and moved when it is whole.
    let found = done.inspect_err(|_| {
        // Half a file says less than none.
        let _ = std::fs::remove_file(&draft);
    })?;
    std::fs::rename(&draft, path).map_err(failed)?;
    Ok(found)
}
