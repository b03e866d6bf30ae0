//! What may be asked of an item: options that are about others are refused.

use privet::dprr::DprrMethod;
use privet::graph::Error;
use privet::privacy::features::FeatureMechanism;
use privet_lab::experiments::reproduce::dprr::DprrFigure;
use privet_lab::experiments::reproduce::heterorr::HeteroRrFigure;
use privet_lab::experiments::reproduce::ldp_ge::LdpGeFigure;
use privet_lab::experiments::reproduce::{Figure, Item, Wanted};

use crate::args::Reproduce;
use crate::failure::{Failure, Result};

/// What is measured: the item's own settings where nothing else was typed.
///
/// # Errors
/// If an option is about another item, or a number is no place on the item's axis.
pub(super) fn wanted(item: &Item, typed: &Reproduce) -> Result<Wanted> {
    check_data(item, typed)?;
    let whole = item.wanted(typed.quick);
    let mut epsilons = finite_epsilons(&typed.epsilons, whole.epsilons)?;
    let mut points = whole.points;
    match item.figure {
        Figure::LdpGe(_) => {
            refuse(
                typed.points.is_empty(),
                "--points is for items of DPRR and HeteroRR",
                "use --epsilons",
            )?;
            // The variance of Gaussian noise depends on a delta, which no item has.
            let names = FeatureMechanism::NAMES.iter().copied();
            let known: Vec<&str> = names.filter(|&name| name != "gaussian").collect();
            check_mechanisms(&typed.mechanisms, &known)?;
        }
        Figure::Dprr(figure) => {
            let message = "--decoding is about feature rows; these items have none";
            refuse(typed.decoding.is_none(), message, "leave it out")?;
            check_mechanisms(&typed.mechanisms, &DprrMethod::ALL.map(DprrMethod::name))?;
            check_points(item, figure, &typed.points)?;
            let axis = if figure.over_epsilons() { &mut epsilons } else { &mut points };
            if !typed.points.is_empty() {
                axis.clone_from(&typed.points);
            }
        }
        Figure::HeteroRr(figure) => {
            let message = "--decoding is settled for these items";
            refuse(typed.decoding.is_none(), message, "leave it out")?;
            check_mechanisms(&typed.mechanisms, figure.known_curves())?;
            check_shares(item, figure, &typed.points)?;
            points = given(&typed.points, points);
        }
        Figure::Dpar(_) | Figure::Pictures => {
            let open = typed.mechanisms.is_empty() && typed.decoding.is_none();
            let hint = "DPAR's items measure all of its methods";
            refuse(open, "--mechanisms and --decoding are about LDP-GE", hint)?;
        }
    }
    if let (Figure::Pictures, Some(2..)) = (item.figure, typed.runs) {
        let message = format!("--runs: {} draws one run of each model", item.name);
        return Err(Failure::usage(message).hint("leave it out"));
    }
    Ok(Wanted {
        datasets: given(&typed.datasets, whole.datasets),
        mechanisms: given(&typed.mechanisms, whole.mechanisms),
        epsilons,
        points,
        runs: typed.runs.unwrap_or(whole.runs),
        decoding: typed.decoding,
        size: whole.size,
    })
}

fn refuse(fits: bool, message: &str, hint: &str) -> Result<()> {
    if fits { Ok(()) } else { Err(Failure::usage(message).hint(hint)) }
}

/// Some items need no data, or make their own.
fn check_data(item: &Item, typed: &Reproduce) -> Result<()> {
    let what = match item.figure {
        Figure::LdpGe(LdpGeFigure::Fig1) | Figure::HeteroRr(HeteroRrFigure::Fig10) => {
            "needs no data"
        }
        Figure::Dprr(DprrFigure::Fig9) => "makes its own graphs",
        _ => return Ok(()),
    };
    refuse(typed.datasets.is_empty(), &format!("{} {what}", item.name), "leave out --datasets")
}

/// Shares are shares, and sizes are sizes.
fn check_points(item: &Item, figure: DprrFigure, points: &[f64]) -> Result<()> {
    let fits = |point: &&f64| match figure {
        DprrFigure::Fig9 => (10.0..=1e7).contains(*point),
        figure if figure.over_epsilons() => **point > 0.0 && point.is_finite(),
        _ => (0.0..=1.0).contains(*point),
    };
    match points.iter().find(|point| !fits(point)) {
        None => Ok(()),
        Some(point) => {
            let message = format!("--points: {point} is no place on the axis of {}", item.name);
            Err(Failure::usage(message))
        }
    }
}

fn check_shares(item: &Item, figure: HeteroRrFigure, points: &[f64]) -> Result<()> {
    let over_shares = !matches!(figure, HeteroRrFigure::Fig6 | HeteroRrFigure::Fig10);
    match points.iter().find(|share| !over_shares || !(0.0..=1.0).contains(*share)) {
        None => Ok(()),
        Some(share) => {
            let message =
                format!("--points: {share} is no share of private edges for {}", item.name);
            Err(Failure::usage(message).hint("fig7, fig11 and linkteller take 0 to 1"))
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

/// Refuses mechanisms that the paper's items do not know.
///
/// # Errors
/// If there is one, with the nearest known.
fn check_mechanisms(listed: &[String], known: &[&'static str]) -> Result<()> {
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
