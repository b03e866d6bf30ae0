//! Figures 4, 5, 6 and 10 as panels.

use privet::dprr::{
    Attack, Defence, Division, DprrMethod, GraphLearner, Poisoning, Reading, Setting, SplitRule,
};
use privet::graph::GraphSet;

use super::DprrFigure;
use super::item::{has_noise, methods};
use super::render;
use crate::error::Error;
use crate::experiments::cells::Sweep;
use crate::experiments::dprr::DprrTrial;
use crate::experiments::reproduce::panel::{Line, Panel, measure};
use crate::experiments::reproduce::{Item, Wanted};
use crate::experiments::trial::{Data, Variant};
use crate::report::Report;

/// The false-positive rate of defences, as in the paper.
pub const THETA: f64 = 0.05;
/// What the collector takes for an ordinary degree: at most 2.5 % of the users have a larger one.
pub const USUAL_DEGREE: usize = 10;

/// What a figure of DPRR is made of.
pub type DprrPanel<'a> = Panel<DprrTrial<'a>>;
type DprrLine<'a> = Line<DprrTrial<'a>>;

/// The panel of an item on a dataset; `None` if the item is measured otherwise.
pub fn panel<'a>(
    figure: DprrFigure,
    wanted: &Wanted,
    data: Data<'a, GraphSet>,
) -> Option<DprrPanel<'a>> {
    let epsilon = wanted.epsilons.first().copied().unwrap_or(1.0);
    let trial = |method, setting| DprrTrial {
        learner: GraphLearner::default(),
        ..DprrTrial::new(data, method, setting)
    };
    let customised = |epsilon, lambda: f64| match lambda > 0.0 {
        true => Setting::Customised { epsilon, public_share: lambda },
        false => Setting::Common { epsilon },
    };
    let (axis, places, lines): (_, &[f64], Vec<DprrLine<'a>>) = match figure {
        DprrFigure::Fig4 => {
            let at = |method, lambda: f64| {
                let possible = method != DprrMethod::NonPrivPart || lambda > 0.0;
                possible.then(|| trial(method, customised(epsilon, lambda)))
            };
            let line = |&method: &DprrMethod| {
                in_both_readings(method, wanted.points.iter().map(|&lambda| at(method, lambda)))
            };
            ("lambda", &wanted.points, methods(wanted).iter().flat_map(line).collect())
        }
        DprrFigure::Fig5 => {
            let at = |method, epsilon| Some(trial(method, Setting::Common { epsilon }));
            let line = |&method: &DprrMethod| {
                in_both_readings(method, wanted.epsilons.iter().map(|&e| at(method, e)))
            };
            let methods = methods(wanted);
            let methods = methods.iter().filter(|method| has_noise(**method));
            ("epsilon", &wanted.epsilons, methods.flat_map(line).collect())
        }
        DprrFigure::Fig6 => {
            let lines = [0.0, 0.5].into_iter().flat_map(|lambda| {
                let base = trial(DprrMethod::Dprr, customised(epsilon, lambda));
                SPLITS.into_iter().map(move |(name, split)| {
                    let at = |&alpha: &f64| {
                        Some((with_split(&base, SplitRule { split, alpha }), Variant::Private))
                    };
                    let points = wanted.points.iter().map(at).collect();
                    Line::new(format!("{name}, lambda {lambda}"), points)
                })
            });
            ("alpha", &wanted.points, lines.collect())
        }
        DprrFigure::Fig10 => {
            let base = trial(DprrMethod::Dprr, Setting::Common { epsilon });
            ("beta", &wanted.points, under_attack(&base, &wanted.points))
        }
        DprrFigure::Fig7 | DprrFigure::Fig8 | DprrFigure::Fig9 => return None,
    };
    let clear = trial(DprrMethod::NonPrivFull, Setting::Common { epsilon });
    let plain = clear.clone().reading(Reading::Plain);
    let mut beside = vec![
        ("ceiling: nonpriv-full".to_owned(), clear.clone(), Variant::Ceiling),
        ("nonpriv-full, read plainly".to_owned(), plain, Variant::Ceiling),
    ];
    if figure == DprrFigure::Fig10 {
        let dprr = trial(DprrMethod::Dprr, Setting::Common { epsilon });
        beside.push(("noise only, no attack".into(), dprr, Variant::Control));
    }
    beside.push(("largest class".into(), clear, Variant::Majority));
    Some(Panel { name: data.name.into(), axis, places: places.to_vec(), lines, beside })
}

/// A method along an axis, its reports believed, and read as in the paper; DPRR has a control at each place.
fn in_both_readings<'a>(
    method: DprrMethod,
    trials: impl Iterator<Item = Option<DprrTrial<'a>>>,
) -> [DprrLine<'a>; 2] {
    let trials: Vec<Option<DprrTrial<'a>>> = trials.collect();
    both_readings(method.name(), &trials, method == DprrMethod::Dprr)
}

fn both_readings<'a>(
    name: &str,
    trials: &[Option<DprrTrial<'a>>],
    controlled: bool,
) -> [DprrLine<'a>; 2] {
    [Reading::Believed, Reading::Plain].map(|reading| {
        let read = |trial: DprrTrial<'a>| (trial.reading(reading), Variant::Private);
        let points = trials.iter().cloned().map(|trial| trial.map(read)).collect();
        Line { controlled, ..Line::new(format!("{name}, {}", reading.name()), points) }
    })
}

/// The corrected split, the printed one (which costs more than epsilon), and the paper's baseline.
const SPLITS: [(&str, Division); 3] = [
    ("corrected split", Division::Corrected),
    ("printed split", Division::Paper),
    ("fixed split", Division::Fixed),
];

fn with_split<'a>(trial: &DprrTrial<'a>, split: SplitRule) -> DprrTrial<'a> {
    let mut trial = trial.clone();
    trial.protection.split = split;
    trial
}

/// Both attacks of the paper under every defence, in both readings.
fn under_attack<'a>(base: &DprrTrial<'a>, betas: &[f64]) -> Vec<DprrLine<'a>> {
    let defences = [
        Defence::None,
        Defence::Threshold { theta: THETA },
        Defence::Handshake { theta: THETA, usual_degree: USUAL_DEGREE },
    ];
    let attacks = [("all ones", Attack::ALL_ONES), ("random", Attack::RANDOM)];
    let pairs = attacks.into_iter().flat_map(|attack| defences.map(|defence| (attack, defence)));
    let lines = pairs.flat_map(|((name, attack), defence)| {
        let at = |&share: &f64| {
            let poisoning = (share > 0.0).then_some(Poisoning { attack, share });
            Some(DprrTrial { poisoning, defence, ..base.clone() })
        };
        let trials: Vec<Option<DprrTrial<'a>>> = betas.iter().map(at).collect();
        both_readings(&format!("{name}, {}", defence.name()), &trials, false)
    });
    lines.collect()
}

/// Measures what is missing, and makes the report.
///
/// # Errors
/// Those of [`Sweep::measure`].
pub fn reproduce(
    item: &Item,
    wanted: &Wanted,
    panels: &[DprrPanel<'_>],
    sweep: &mut Sweep<'_>,
) -> Result<Report, Error> {
    let measured = measure(panels, wanted.runs, sweep)?;
    Ok(render::report(item, wanted, panels, &measured))
}
