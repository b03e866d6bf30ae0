//! What `privet plan` asks: public facts as they were typed, as a [`Question`]. For the command, and for other languages.

use privet::Project;
use privet::project::{Protects, TrustModel};
use privet_lab::plan::facts::{EPSILONS, LABELLED};
use privet_lab::plan::{PublicFacts, Question, benchmarks};

use crate::args::Plan;
use crate::failure::{Failure, Result};

/// What is asked: what was typed, over a dataset that resembles it, or over a project.
///
/// # Errors
/// If a fact is missing, or facts contradict each other.
pub fn question(typed: &Plan, project: Option<&Project>) -> Result<Question> {
    let mut question = match (&typed.like, project) {
        (Some(name), _) => of_like(name, typed)?,
        (None, Some(project)) if typed.protects.is_empty() => {
            let people = typed
                .people
                .ok_or_else(|| missing("--people", "its tables are not opened to count them"))?;
            let mut question =
                Question::of_project(project.config(), people, edges(typed, people)?)?;
            if let Some(columns) = typed.columns {
                question.facts.columns = columns;
            }
            question
        }
        _ => {
            let people =
                typed.people.ok_or_else(|| missing("--people", "how many people there are"))?;
            let columns = typed
                .columns
                .ok_or_else(|| missing("--columns", "how many columns a record has; 0 for none"))?;
            let classes = typed
                .classes
                .ok_or_else(|| missing("--classes", "how many classes there are to tell apart"))?;
            let facts = PublicFacts::new(people, edges(typed, people)?, columns, classes);
            asked("your data", facts, typed)?
        }
    };
    let facts = &mut question.facts;
    (facts.filled, facts.homophily) =
        (typed.filled.or(facts.filled), typed.homophily.or(facts.homophily));
    facts.labelled = typed.labelled.unwrap_or(LABELLED);
    facts.private_share = typed.private_share.unwrap_or(1.0);
    facts.graphs = typed.graphs.unwrap_or(facts.graphs);
    if !typed.epsilons.is_empty() {
        question.epsilons.clone_from(&typed.epsilons);
    }
    question.delta = typed.delta.unwrap_or(question.delta);
    question.check()?;
    Ok(question)
}

fn missing(option: &str, why: &str) -> Failure {
    let hint =
        "privet plan --people 20000 --mean-degree 8 --columns 30 --classes 4 --protects people";
    Failure::usage(format!("{option} is missing: {why}")).hint(format!("for example {hint}"))
}

fn edges(typed: &Plan, people: usize) -> Result<u64> {
    match (typed.edges, typed.mean_degree) {
        (Some(edges), _) => Ok(edges),
        (None, Some(degree)) if degree >= 0.0 && degree.is_finite() => {
            Ok((degree * people as f64 / 2.0).round() as u64)
        }
        (None, Some(degree)) => {
            Err(Failure::usage(format!("--mean-degree {degree}"))
                .hint("a number from 0 on, such as 8"))
        }
        (None, None) => {
            Err(missing("--edges or --mean-degree", "how many connections there are; 0 for none"))
        }
    }
}

/// A dataset of the catalogue whose facts are known.
fn of_like(name: &str, typed: &Plan) -> Result<Question> {
    let entry = privet::data::catalog::find(name)?;
    let known = benchmarks::find(entry.name).ok_or_else(|| {
        let names = benchmarks::BENCHMARKS.map(|known| known.name).join(", ");
        Failure::usage(format!("--like {name}: its facts are not known here"))
            .hint(format!("one of {names}; or type the facts, from `privet data info {name}`"))
    })?;
    asked(&format!("data like {}", known.name), PublicFacts::of_benchmark(known), typed)
}

/// A question about facts; trust follows what is hidden unless it was typed.
fn asked(name: &str, mut facts: PublicFacts, typed: &Plan) -> Result<Question> {
    facts.graphs = typed.graphs.unwrap_or(facts.graphs);
    let protects = match typed.protects.as_slice() {
        [] if facts.graphs > 1 => vec![Protects::Contacts],
        [] => return Err(nothing_hidden()),
        named => named.to_vec(),
    };
    let central = |what: &Protects| matches!(what, Protects::People | Protects::Connections);
    let usual =
        if protects.iter().any(central) { TrustModel::Curator } else { TrustModel::Devices };
    let trust = typed.trust.unwrap_or(usual);
    let delta = privet::doubts::default_delta(facts.people);
    Ok(Question { name: name.into(), facts, trust, protects, epsilons: EPSILONS.to_vec(), delta })
}

fn nothing_hidden() -> Failure {
    Failure::usage("--protects is missing: what nobody may learn").hint(
        "people, or connections, for a curator who holds the data; features, labels or contacts (several with commas) for \
         people's own devices",
    )
}
