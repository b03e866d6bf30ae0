//! Figures 4, 5, 6 and 10: which cells there are, and measuring them.

use std::collections::BTreeMap;

use privet::dprr::{Attack, Defence, Method, Poisoning, Reading, Setting, SplitRule};
use privet::graph::GraphSet;

use super::item::{Item, Wanted};
use super::render;
use crate::error::Error;
use crate::experiments::cells::{Key, Progress, run_cells};
use crate::experiments::dprr::{Case, Lists, Score};
use crate::experiments::measure::Sweep;
use crate::experiments::reproduce::each_grid;
use crate::report::Report;

/// The false-positive rate of defences, as in the paper.
pub const THETA: f64 = 0.05;
/// What the collector takes for an ordinary degree: at most 2.5 % of the users have a larger one.
pub const USUAL_DEGREE: usize = 10;

/// Everything an item wants of one dataset.
#[derive(Debug, Clone)]
pub struct Grid<'a> {
    pub(super) dataset: &'a str,
    /// What the columns differ in.
    pub(super) axis: &'static str,
    pub(super) columns: Vec<f64>,
    pub(super) lines: Vec<Line<'a>>,
    /// What the columns do not change: the ceiling first.
    pub(super) beside: Vec<(&'static str, Case<'a>)>,
    pub(super) runs: u64,
}

/// A line of a figure: a case per column, where there is one.
#[derive(Debug, Clone)]
pub(super) struct Line<'a> {
    pub name: String,
    pub cases: Vec<Option<Case<'a>>>,
    /// Whether each case has a control of its own.
    pub controlled: bool,
}

/// What was measured of a grid, by run.
#[derive(Debug, Clone)]
pub(super) struct Measures {
    /// Row by row of what stands beside.
    pub beside: Vec<Vec<Score>>,
    pub majority: Vec<f64>,
    /// By line, then by column.
    pub lines: Vec<Vec<Option<Pair>>>,
}

/// The runs of a point, and those of its control.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    pub private: Vec<Score>,
    pub control: Vec<Score>,
}

impl Measures {
    /// What everybody's lists in the clear reach.
    pub fn ceiling(&self) -> &[Score] {
        self.beside.first().map_or(&[], Vec::as_slice)
    }
}

impl<'a> Grid<'a> {
    /// The grid of an item; `None` if the item is measured otherwise.
    pub fn new(item: Item, wanted: &Wanted, dataset: &'a str, set: &'a GraphSet) -> Option<Self> {
        let epsilon = wanted.epsilons.first().copied().unwrap_or(1.0);
        let case = |method, setting| Case {
            learner: wanted.learner.clone(),
            ..Case::new(dataset, set, method, setting)
        };
        let customised = |epsilon, lambda: f64| match lambda > 0.0 {
            true => Setting::Customised { epsilon, public_share: lambda },
            false => Setting::Common { epsilon },
        };
        let (axis, columns, lines): (_, &[f64], Vec<Line<'a>>) = match item {
            Item::Fig4 => {
                let at = |method, lambda: f64| {
                    let possible = method != Method::NonPrivPart || lambda > 0.0;
                    possible.then(|| case(method, customised(epsilon, lambda)))
                };
                let line = |&method: &Method| {
                    let cases = wanted.lambdas.iter().map(|&lambda| at(method, lambda));
                    Line::of(method, cases.collect())
                };
                let lines = wanted.methods.iter().map(line).flat_map(Line::in_both_readings);
                ("lambda", &wanted.lambdas, lines.collect())
            }
            Item::Fig5 => {
                let at = |method, epsilon| Some(case(method, Setting::Common { epsilon }));
                let line = |&method: &Method| {
                    let cases = wanted.epsilons.iter().map(|&epsilon| at(method, epsilon));
                    Line::of(method, cases.collect())
                };
                let methods = wanted.methods.iter().filter(|method| has_noise(**method));
                let lines = methods.map(line).flat_map(Line::in_both_readings);
                ("epsilon", &wanted.epsilons, lines.collect())
            }
            Item::Fig6 => {
                let lines = [0.0, 0.5].into_iter().flat_map(|lambda| {
                    let base = case(Method::Dprr, customised(epsilon, lambda));
                    splits().map(move |(name, rule)| Line {
                        name: format!("{name}, lambda {lambda}"),
                        cases: wanted
                            .alphas
                            .iter()
                            .map(|&a| Some(with_split(&base, rule(a))))
                            .collect(),
                        controlled: false,
                    })
                });
                ("alpha", &wanted.alphas, lines.collect())
            }
            Item::Fig10 => {
                let base = case(Method::Dprr, Setting::Common { epsilon });
                ("beta", &wanted.betas, under_attack(&base, &wanted.betas))
            }
            Item::Fig7 | Item::Fig8 | Item::Fig9 => return None,
        };
        let common = Setting::Common { epsilon };
        let ceiling = case(Method::NonPrivFull, common.clone());
        let plain = ceiling.clone().reading(Reading::Plain);
        let mut beside =
            vec![("ceiling: nonpriv-full", ceiling), ("nonpriv-full, read plainly", plain)];
        if item == Item::Fig10 {
            let control = Case { lists: Lists::Empty, ..case(Method::Dprr, common) };
            beside.push(("noise only, no attack", control));
        }
        let (columns, runs) = (columns.to_vec(), wanted.runs);
        Some(Self { dataset, axis, columns, lines, beside, runs })
    }

    /// The keys of its cells.
    pub fn keys(&self) -> Vec<Key> {
        self.cases().iter().map(Case::key).collect()
    }

    /// What stands beside first, then line by line and column by column: private, then control.
    fn cases(&self) -> Vec<Case<'a>> {
        let mut all = Vec::new();
        let mut add = |case: &Case<'a>| {
            all.extend((0..self.runs).map(|seed| Case { seed, ..case.clone() }));
        };
        self.beside.iter().for_each(|(_, case)| add(case));
        for line in &self.lines {
            for case in line.cases.iter().flatten() {
                add(case);
                if line.controlled {
                    add(&Case { lists: Lists::Empty, ..case.clone() });
                }
            }
        }
        all
    }

    fn measure(
        &self,
        sweep: &mut Sweep<'_>,
        progress: impl Fn(Progress<'_>) + Sync,
    ) -> Result<Measures, Error> {
        let cases = self.cases();
        let keys: Vec<Key> = cases.iter().map(Case::key).collect();
        let by_key: BTreeMap<&Key, &Case<'_>> = keys.iter().zip(&cases).collect();
        let work = |key: &Key| match by_key.get(key) {
            Some(case) => case.run(sweep.interrupt).map(|(score, _)| score),
            None => Err(privet::Error::invalid("cell", key, "one of those that were wanted")),
        };
        let scores: Vec<Score> =
            run_cells(sweep.cells, &keys, sweep.threads, sweep.interrupt, progress, work)?;
        let mut chunks = scores.chunks(self.runs.max(1) as usize).map(<[Score]>::to_vec);
        let mut next = || chunks.next().unwrap_or_default();
        let beside = self.beside.iter().map(|_| next()).collect();
        let mut lines = Vec::new();
        for line in &self.lines {
            let of_line = line.cases.iter().map(|case| {
                case.as_ref().map(|_| Pair {
                    private: next(),
                    control: if line.controlled { next() } else { Vec::new() },
                })
            });
            lines.push(of_line.collect());
        }
        let any = self.beside.first().map(|(_, case)| case);
        let majority = any.map(|case| {
            (0..self.runs).map(|seed| Case { seed, ..case.clone() }.majority()).collect()
        });
        let majority = majority.unwrap_or_else(|| Ok(Vec::new())).unwrap_or_default();
        Ok(Measures { beside, majority, lines })
    }
}

impl<'a> Line<'a> {
    /// The line of a method; DPRR has a control at each place.
    fn of(method: Method, cases: Vec<Option<Case<'a>>>) -> Self {
        Self { name: method.name().into(), cases, controlled: method == Method::Dprr }
    }

    /// The reports believed, and read as in the paper.
    fn in_both_readings(self) -> [Self; 2] {
        [Reading::Believed, Reading::Plain].map(|reading| Self {
            name: format!("{}, {}", self.name, reading.name()),
            cases: self.cases.iter().cloned().map(|case| Some(case?.reading(reading))).collect(),
            controlled: self.controlled,
        })
    }
}

fn has_noise(method: Method) -> bool {
    !matches!(method, Method::NonPrivPart | Method::NonPrivFull)
}

type Rule = fn(f64) -> SplitRule;

/// The corrected split, the printed one (which costs more than epsilon), and the paper's baseline.
fn splits() -> impl Iterator<Item = (&'static str, Rule)> {
    let rules: [(&'static str, Rule); 3] = [
        ("corrected split", |alpha| SplitRule::Corrected { alpha }),
        ("printed split", |alpha| SplitRule::Paper { alpha }),
        ("fixed split", |alpha| SplitRule::Fixed { alpha }),
    ];
    rules.into_iter()
}

fn with_split<'a>(case: &Case<'a>, split: SplitRule) -> Case<'a> {
    let mut case = case.clone();
    case.protection.split = split;
    case
}

/// Both attacks of the paper under every defence, in both readings.
fn under_attack<'a>(base: &Case<'a>, betas: &[f64]) -> Vec<Line<'a>> {
    let defences = [
        Defence::None,
        Defence::Threshold { theta: THETA },
        Defence::Handshake { theta: THETA, usual_degree: USUAL_DEGREE },
    ];
    let attacks = [("all ones", Attack::ALL_ONES), ("random", Attack::RANDOM)];
    let line = |(name, attack): (&str, Attack), defence: Defence| Line {
        name: format!("{name}, {}", defence.name()),
        cases: betas
            .iter()
            .map(|&share| {
                let poisoning = (share > 0.0).then_some(Poisoning { attack, share });
                Some(Case { poisoning, defence, ..base.clone() })
            })
            .collect(),
        controlled: false,
    };
    let lines =
        attacks.into_iter().flat_map(|attack| defences.map(|defence| line(attack, defence)));
    lines.flat_map(Line::in_both_readings).collect()
}

/// Measures what is missing, dataset by dataset, and makes the report.
///
/// # Errors
/// Those of [`run_cells`].
pub fn reproduce(
    item: Item,
    wanted: &Wanted,
    grids: &[Grid<'_>],
    sweep: &mut Sweep<'_>,
    progress: impl Fn(Progress<'_>) + Sync,
) -> Result<Report, Error> {
    let cells = |grid: &Grid<'_>| grid.cases().len();
    let measured =
        each_grid(grids, sweep, progress, cells, |grid, sweep, tell| grid.measure(sweep, tell))?;
    Ok(render::report(item, wanted, &measured))
}
