//! [`Budgets`]: what each person asks for themselves, and [`Strengths`]: the mechanisms that follow.

use std::path::{Path, PathBuf};

use crate::graph::files::{LIST_BYTES, read_text};
use crate::graph::{NodeIds, SourceLocation};
use crate::privacy::{Disclose, Ledger, Release, Secret, UserChoice, UserChoices};
use crate::{Error, Result};

/// The word that stands for an epsilon without end.
const PUBLIC: &str = "public";

/// How strongly people want to be protected: as a file says, and all others alike.
#[derive(Debug, Clone)]
pub struct Budgets {
    /// Of everyone who is not in the file.
    otherwise: f64,
    file: Option<File>,
}

#[derive(Debug, Clone)]
struct File {
    path: PathBuf,
    lines: Vec<Line>,
}

/// One person's wish.
#[derive(Debug, Clone)]
struct Line {
    number: usize,
    id: String,
    asked: Asked,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    Epsilon(f64),
    Public,
}

impl Budgets {
    /// The same for everyone.
    pub fn alike(epsilon: f64) -> Self {
        Self { otherwise: epsilon, file: None }
    }

    /// As a file says, a line `id,epsilon` or `id,public` each; `otherwise` for everyone who is not in it.
    ///
    /// # Errors
    /// If the file cannot be read, or a line is not `id,epsilon`.
    pub fn read(otherwise: f64, path: &Path) -> Result<Self> {
        Ok(Self { otherwise, file: Some(File::read(path)?) })
    }

    /// Whether there is one for all.
    pub fn are_alike(&self) -> bool {
        self.file.is_none()
    }

    /// What an account must allow: the most that anyone pays.
    pub fn largest(&self) -> f64 {
        let lines = self.file.iter().flat_map(|file| &file.lines);
        lines.fold(self.otherwise, |largest, line| match line.asked {
            Asked::Epsilon(epsilon) => largest.max(epsilon),
            Asked::Public => largest,
        })
    }

    /// What everyone gets who is not in the file.
    pub fn otherwise(&self) -> f64 {
        self.otherwise
    }

    /// A mechanism for everyone.
    ///
    /// # Errors
    /// If the file names someone who is not there, or twice, or `build` refuses an epsilon.
    pub fn strengths<M>(
        &self,
        ids: &NodeIds,
        build: impl Fn(f64) -> Result<M>,
    ) -> Result<Strengths<M>> {
        let Some(file) = &self.file else { return Ok(Strengths::Alike(build(self.otherwise)?)) };
        let mut asked = vec![Asked::Epsilon(self.otherwise); ids.len()];
        let (index, mut seen) = (ids.index(), vec![false; ids.len()]);
        for line in &file.lines {
            let Some(node) = index.named(&line.id) else {
                return Err(file.fails(line.number, &line.id, "the id of a node"));
            };
            if std::mem::replace(&mut seen[node as usize], true) {
                return Err(file.fails(line.number, &line.id, "every id once"));
            }
            asked[node as usize] = line.asked;
        }
        let mut epsilons: Vec<f64> = Vec::new();
        let of_user = asked.iter().map(|&asked| match asked {
            Asked::Public => Ok(UserChoice::Public),
            Asked::Epsilon(epsilon) => {
                let at = epsilons.iter().position(|&known| known == epsilon).unwrap_or_else(|| {
                    epsilons.push(epsilon);
                    epsilons.len() - 1
                });
                u16::try_from(at)
                    .map(UserChoice::Private)
                    .map_err(|_| Error::file(&file.path, "more than 65,536 different epsilons"))
            }
        });
        let of_user = of_user.collect::<Result<Vec<UserChoice>>>()?;
        if epsilons.is_empty() {
            epsilons.push(self.otherwise); // everyone publishes; a mechanism still says how
        }
        let mechanisms = epsilons.iter().map(|&epsilon| build(epsilon)).collect::<Result<_>>()?;
        Ok(Strengths::Chosen(UserChoices::new(mechanisms, of_user)?))
    }
}

impl File {
    fn read(path: &Path) -> Result<Self> {
        let text = read_text(path, LIST_BYTES)?;
        let mut file = Self { path: path.into(), lines: Vec::new() };
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_end();
            let header = number == 1 && line.eq_ignore_ascii_case("id,epsilon");
            if line.is_empty() || line.starts_with('#') || header {
                continue;
            }
            let expected = "id,epsilon with a positive number, or id,public";
            let (id, wish) =
                line.rsplit_once(',').ok_or_else(|| file.fails(number, line, expected))?;
            let asked = match wish.trim() {
                PUBLIC => Asked::Public,
                wish => match wish.parse() {
                    Ok(epsilon) if epsilon > 0.0 && f64::is_finite(epsilon) => {
                        Asked::Epsilon(epsilon)
                    }
                    _ => return Err(file.fails(number, wish, expected)),
                },
            };
            let id = id.trim();
            let bare = id.strip_prefix('"').and_then(|id| id.strip_suffix('"')).unwrap_or(id);
            file.lines.push(Line { number, id: bare.into(), asked });
        }
        Ok(file)
    }

    fn fails(&self, line: usize, found: &str, expected: &str) -> Error {
        let place = SourceLocation::file(self.path.display().to_string()).line(line as u64);
        place.malformed(format!("'{found}'"), expected).into()
    }
}

/// One mechanism for all, or what each person chose.
#[derive(Debug)]
pub enum Strengths<M> {
    /// All people run the same.
    Alike(M),
    /// What each person chose.
    Chosen(UserChoices<M>),
}

impl<M> Strengths<M> {
    /// The mechanism whose report a user sent; any, for a user who published.
    pub fn of_user(&self, user: usize) -> &M {
        match self {
            Self::Alike(mechanism) => mechanism,
            Self::Chosen(choices) => choices.mechanism(user),
        }
    }

    /// The mechanism, if all people run the same.
    pub fn alike(&self) -> Option<&M> {
        match self {
            Self::Alike(mechanism) => Some(mechanism),
            Self::Chosen(_) => None,
        }
    }

    /// How many people chose not to be protected.
    pub fn publishers(&self) -> usize {
        match self {
            Self::Alike(_) => 0,
            Self::Chosen(choices) => choices.publishers(),
        }
    }

    /// Charges and draws.
    ///
    /// # Errors
    /// If the ledger refuses.
    pub fn release(
        &self,
        ledger: &mut Ledger<M::Unit>,
        secret: &Secret<M::Population>,
    ) -> Result<Release<Vec<M::Report>, M::Unit>>
    where
        M: Disclose,
    {
        Ok(match self {
            Self::Alike(mechanism) => ledger.release_each(secret, mechanism)?,
            Self::Chosen(choices) => ledger.release_chosen(secret, choices)?,
        })
    }
}
