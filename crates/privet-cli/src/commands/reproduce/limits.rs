//! What may be asked of an item: options that are about others are refused.

use privet::graph::Error;
use privet_papers::{Item, Places, Reads, Wanted};

use crate::args::Reproduce;
use crate::failure::{Failure, Result};

/// What is measured: the item's own settings where nothing else was typed.
///
/// # Errors
/// If an option is about another item, or a number is no place on the item's axis.
pub(super) fn wanted(item: &Item, typed: &Reproduce) -> Result<Wanted> {
    let name = item.name;
    if let Reads::Nothing(why) = item.reads {
        refuse(typed.datasets.is_empty(), &format!("{name} {why}"), "leave out --datasets")?;
    }
    let decoded = typed.decoding.is_none() || item.decodes;
    refuse(decoded, &format!("--decoding is settled for {name}"), "leave it out")?;
    let once = !item.once || typed.runs.is_none_or(|runs| runs == 1);
    refuse(once, &format!("--runs: {name} draws one run of each model"), "leave it out")?;
    check_mechanisms(item, &typed.mechanisms)?;
    let mut wanted = item.wanted(typed.quick);
    wanted.datasets = given(&typed.datasets, wanted.datasets);
    wanted.mechanisms = given(&typed.mechanisms, wanted.mechanisms);
    wanted.epsilons = finite_epsilons(&typed.epsilons, wanted.epsilons)?;
    match check_points(item, &typed.points)? {
        Some(Places::Epsilons) => wanted.epsilons = given(&typed.points, wanted.epsilons),
        _ => wanted.points = given(&typed.points, wanted.points),
    }
    wanted.runs = typed.runs.unwrap_or(wanted.runs);
    wanted.decoding = typed.decoding;
    Ok(wanted)
}

fn refuse(fits: bool, message: &str, hint: &str) -> Result<()> {
    if fits { Ok(()) } else { Err(Failure::usage(message).hint(hint)) }
}

/// What the places of the item's axis are, if those that were typed are such.
///
/// # Errors
/// If the item has no axis but epsilon, or a number is no place on it.
fn check_points(item: &Item, points: &[f64]) -> Result<Option<Places>> {
    let places = item.places;
    let message = format!("--points: {} has no axis of its own", item.name);
    refuse(places.is_some() || points.is_empty(), &message, "use --epsilons")?;
    let fits = |point: f64| places.is_some_and(|places| places.contains(point));
    match points.iter().find(|point| !fits(**point)) {
        None => Ok(places),
        Some(point) => {
            let what = match places {
                Some(Places::Shares) => "0 to 1",
                Some(Places::Users) => "10 to 10,000,000",
                _ => "numbers above 0",
            };
            let message = format!("--points: {point} is no place on the axis of {}", item.name);
            Err(Failure::usage(message).hint(format!("it takes {what}")))
        }
    }
}

/// What was listed, or the default; each once.
fn given<T: PartialEq + Clone>(listed: &[T], default: Vec<T>) -> Vec<T> {
    if listed.is_empty() { default } else { distinct(listed.to_vec()) }
}

/// Finite epsilons, or the default. No noise at all is measured in any case.
///
/// # Errors
/// If none of those listed is finite.
fn finite_epsilons(listed: &[f64], default: Vec<f64>) -> Result<Vec<f64>> {
    let finite = listed.iter().copied().filter(|&epsilon| epsilon != f64::INFINITY);
    let kept = given(&finite.collect::<Vec<_>>(), Vec::new());
    match (listed.is_empty(), kept.is_empty()) {
        (true, _) => Ok(default),
        (false, false) => Ok(kept),
        (false, true) => {
            let hint = "the ceiling is measured in any case: name an epsilon to compare with it";
            Err(Failure::usage("--epsilons has no finite epsilon").hint(hint))
        }
    }
}

/// Refuses mechanisms that the item does not know.
///
/// # Errors
/// If there is one, with the nearest known.
fn check_mechanisms(item: &Item, listed: &[String]) -> Result<()> {
    let known = item.known;
    let message = format!("--mechanisms: {} measures all of its methods", item.name);
    refuse(listed.is_empty() || !known.is_empty(), &message, "leave it out")?;
    match listed.iter().find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Error::unknown_name("mechanism", name, known.iter().copied()).into()),
    }
}

fn distinct<T: PartialEq>(list: Vec<T>) -> Vec<T> {
    let mut kept: Vec<T> = Vec::new();
    for item in list {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}
