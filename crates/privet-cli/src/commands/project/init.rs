//! `privet init`: a project around data that stay where they are. What was not typed is asked for, if there is a terminal.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use privet::Project;
use privet::project::{Draft, DraftColumn, DraftGraphs, FILE, Protects, SecondProject, TrustModel};

use crate::args::Init;
use crate::failure::{Failure, Result};
use crate::output::console::{Answer, Console};
use crate::output::style::{GOOD, STRONG, printable, scientific};

/// Asks, writes `privet.toml`, reads the data once, and makes the project.
///
/// # Errors
/// If something is missing and there is no terminal to ask at, there is a project already, or the data are not as declared.
pub(in crate::commands) fn run(typed: Init, console: &Console) -> Result<()> {
    let second = if typed.second_project { SecondProject::Allow } else { SecondProject::Refuse };
    let folder = typed.folder.clone();
    if !folder.is_dir() {
        return Err(Failure::data(format!("{}: there is no such folder", folder.display())));
    }
    let text = match typed.here {
        true => None,
        false => Some(draft(typed)?.text()),
    };
    let root = folder
        .canonicalize()
        .map_err(|error| Failure::data(format!("{}: {error}", folder.display())))?;
    let project = {
        let _alive = console.spinner("reading what is declared");
        Project::create(&root, text.as_deref(), second)?
    };
    console.answer(&CreatedProject::of(&project))
}

/// What was typed, and what is asked.
fn draft(typed: Init) -> Result<Draft> {
    let mut asked = Prompt::new();
    let people = asked.or(typed.people, "people", "The file that lists all people")?;
    let id = asked.or(typed.id, "id", "Its column of ids")?;
    let edges = match typed.edges.is_empty() && asked.at_terminal {
        true => asked_edges(&mut asked)?,
        false => typed.edges,
    };
    let graphs = match (typed.graphs, typed.member) {
        (Some((file, id, label)), Some(member)) => {
            let classes = typed.classes.clone();
            Some(DraftGraphs { file, id, label, classes, member })
        }
        _ => None,
    };
    let label = match typed.label {
        Some(label) => Some((label, typed.classes)),
        None if graphs.is_some() => None,
        None if asked.at_terminal => asked_label(&mut asked)?,
        None => None,
    };
    let columns = match typed.column.is_empty() && asked.at_terminal {
        true => asked_columns(&mut asked)?,
        false => typed.column,
    };
    let protects = match typed.protects.is_empty() {
        true => asked_protects(&mut asked)?,
        false => typed.protects,
    };
    let trust = typed.trust.unwrap_or(match protects.contains(&Protects::Contacts) {
        true => TrustModel::Devices,
        false => TrustModel::Curator,
    });
    let number = "a number";
    let epsilon = match typed.epsilon {
        Some(epsilon) => epsilon,
        None => asked.number("epsilon", "The whole budget: all releases together change the odds about any person by at most e^epsilon; 1 is strict, 10 is loose", number)?,
    };
    let delta = match (typed.delta, protects.contains(&Protects::People)) {
        (Some(delta), _) => delta,
        (None, false) => 0.0,
        (None, true) => asked.number("delta", "The probability that this fails: far below one over the number of people, such as 1e-6", number)?,
    };
    let name = match typed.name {
        Some(name) => name,
        None => named_like(&typed.folder),
    };
    Ok(Draft {
        name,
        trust,
        protects,
        audience: typed.audience,
        epsilon,
        delta,
        test_share: typed.test_share,
        people,
        table: typed.table,
        id,
        label,
        columns,
        edges,
        directed: typed.directed,
        graphs,
    })
}

fn named_like(folder: &Path) -> String {
    let whole = folder.canonicalize().unwrap_or_else(|_| folder.into());
    whole.file_name().map_or_else(|| "my data".into(), |name| name.to_string_lossy().into_owned())
}

fn asked_edges(asked: &mut Prompt) -> Result<Vec<(String, String, String)>> {
    let file = asked.line("The file of connections (nothing: there are none)")?;
    if file.is_empty() {
        return Ok(Vec::new());
    }
    let source = asked.line("Its column of one end")?;
    let target = asked.line("Its column of the other end")?;
    Ok(vec![(file, source, target)])
}

fn asked_label(asked: &mut Prompt) -> Result<Option<(String, Vec<String>)>> {
    let label = asked.line("The column to predict (nothing: none)")?;
    if label.is_empty() {
        return Ok(None);
    }
    let classes =
        asked.line("All classes there can be, as you know them without looking: A,B,C")?;
    Ok(Some((label, classes.split(',').map(|class| class.trim().to_owned()).collect())))
}

fn asked_columns(asked: &mut Prompt) -> Result<Vec<(String, DraftColumn)>> {
    let mut columns = Vec::new();
    loop {
        let name = asked.line("A column of features (nothing: that is all)")?;
        if name.is_empty() {
            return Ok(columns);
        }
        let kind = asked.line("What it holds, as you know it without looking: number:LOW..HIGH, category:A|B, ordinal:LOW|HIGH or text:32")?;
        match DraftColumn::parse(&kind) {
            Ok(column) => columns.push((name, column)),
            Err(expected) => asked.say(&expected),
        }
    }
}

fn asked_protects(asked: &mut Prompt) -> Result<Vec<Protects>> {
    if asked.at_terminal {
        Protects::ALL
            .iter()
            .for_each(|what| asked.say(&format!("  {:<12} hides {}", what.name(), what.about())));
    }
    loop {
        let line =
            asked.or(None, "protects", "What is protected; one or more of these, with commas")?;
        let found: Option<Vec<Protects>> = line
            .split(',')
            .map(|name| Protects::ALL.into_iter().find(|what| what.name() == name.trim()))
            .collect();
        match found {
            Some(protects) => return Ok(protects),
            None => asked.say("expected people, connections, contacts, features or labels"),
        }
    }
}

/// Asks for what is missing, if there is a terminal.
struct Prompt {
    at_terminal: bool,
}

impl Prompt {
    fn new() -> Self {
        Self { at_terminal: io::stdin().is_terminal() && io::stderr().is_terminal() }
    }

    fn say(&mut self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{text}");
    }

    /// What was typed, or else the answer.
    fn or(&mut self, typed: Option<String>, option: &str, question: &str) -> Result<String> {
        match typed {
            Some(typed) => Ok(typed),
            None if self.at_terminal => self.line(question),
            None => {
                let failure = Failure::usage(format!(
                    "--{option} is missing, and there is no terminal to ask at"
                ));
                Err(failure.hint(format!("{question}: --{option}")))
            }
        }
    }

    fn number(&mut self, option: &str, question: &str, expected: &str) -> Result<f64> {
        loop {
            match self.or(None, option, question)?.parse() {
                Ok(number) => return Ok(number),
                Err(_) => self.say(&format!("expected {expected}")),
            }
        }
    }

    fn line(&mut self, question: &str) -> Result<String> {
        let _ = write!(anstream::stderr(), "{STRONG}{question}{STRONG:#}: ");
        let mut answer = String::new();
        let read = io::stdin().lock().read_line(&mut answer).map_err(Failure::from)?;
        match read {
            0 => Err(Failure::usage("nothing more was answered")),
            _ => Ok(answer.trim().to_owned()),
        }
    }
}

/// A project that was made.
#[derive(Debug, serde::Serialize)]
struct CreatedProject {
    file: String,
    protects: Vec<&'static str>,
    epsilon: f64,
    delta: f64,
}

impl CreatedProject {
    fn of(project: &Project) -> Self {
        let config = project.config();
        Self {
            file: project.root().join(FILE).display().to_string(),
            protects: config.project.protects.iter().map(|what| what.about()).collect(),
            epsilon: config.budget.epsilon,
            delta: config.budget.delta,
        }
    }
}

impl Answer for CreatedProject {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{GOOD}made{GOOD:#} {}", printable(&self.file))?;
        writeln!(out, "  hidden: {}", self.protects.join(", and "))?;
        writeln!(
            out,
            "  all releases together: at most epsilon {}, delta {}",
            self.epsilon,
            scientific(self.delta)
        )?;
        writeln!(
            out,
            "read it through: every range and category in it is your word, not the records'"
        )
    }
}
