//! The figures of the DPRR paper.
//!
//! | file | what it does |
//! |---|---|
//! | [`degrees`] | figure 7: true and reported degrees, beside what theory says |
//! | [`time`] | figures 8 and 9: seconds against the size of graphs |
//!
//! The paper prints its results as curves without numbers; what its text states is quoted in reports.

pub mod degrees;
pub mod time;

use privet::dprr::{
    Attack, Defence, Division, DprrMethod, GraphLearner, Poisoning, Reading, Setting, SplitRule,
};
use privet::graph::GraphSet;
use privet::learn::metrics::PairedComparison;
use privet_lab::experiments::dprr::{DprrTrial, HONEST_FLAGGED, MALICIOUS_FLAGGED, threat_model};
use privet_lab::experiments::trial::{AUC, NamedData, Variant};
use privet_lab::report::{Block, MeasuredValue, NumberUnit, ThreatModel};
use time::Graphs;

use crate::item::Figure;
use crate::panel::{
    FigureNotes, FigureVerdict, Measures, Metric, Panel, PanelBlock, PanelFigure, PanelLine,
    PanelRows, measured, minus,
};
use crate::{Inputs, Item, ItemData, MeasureRequest, Places, Work};

type DprrPanel<'a> = Panel<DprrTrial<'a>>;
type DprrLine<'a> = PanelLine<DprrTrial<'a>>;

/// Accuracy along an axis.
#[derive(Debug)]
pub struct DprrFigure {
    /// What the places of the axis differ in.
    axis: &'static str,
    /// Which methods stand there.
    lines: for<'a> fn(&MeasureRequest, NamedData<'a, GraphSet>) -> Vec<DprrLine<'a>>,
    /// Whether users are malicious: then what matters beside accuracy is who is flagged, and else the AUC.
    attacked: bool,
    /// How to read it.
    reading: fn() -> String,
}

/// A first look is at threads that are made up.
const BASE: Item = Item {
    name: "dprr/fig4",
    title: "Graph classification against the share who publish",
    cost: "hours; --quick: minutes",
    reads: ItemData::Sets,
    known: &["dprr", "rr", "local-lap", "nonpriv-part", "nonpriv-full"],
    places: Some(Places::Shares),
    decodes: false,
    once: false,
    figure: Figure::Dprr(&FIGURE_4),
    datasets: (&["reddit_binary"], &["synthetic"]),
    mechanisms: &["dprr", "rr", "local-lap", "nonpriv-part"],
    epsilons: (&[1.0], &[1.0]),
    points: (&[0.0, 0.1, 0.2, 0.5], &[0.0, 0.2, 0.5]),
    runs: (10, 2),
    size: (40, 10),
};
const NOISY: Item = Item { mechanisms: &["dprr", "rr", "local-lap"], ..BASE };
const TIMED: Item = Item { cost: "an hour; --quick: seconds", runs: (1, 1), ..NOISY };

/// The items of the paper.
pub(super) const ITEMS: &[Item] = &[
    BASE,
    Item {
        name: "dprr/fig5",
        title: "Graph classification against epsilon",
        figure: Figure::Dprr(&FIGURE_5),
        places: Some(Places::Epsilons),
        epsilons: (&[0.2, 0.5, 1.0, 2.0], &[0.5, 2.0]),
        points: (&[], &[]),
        ..NOISY
    },
    Item {
        name: "dprr/fig6",
        title: "Graph classification against the budget split",
        figure: Figure::Dprr(&FIGURE_6),
        mechanisms: &["dprr"],
        epsilons: (&[0.2], &[0.2]),
        points: (&[0.5, 0.6, 0.7, 0.8, 0.9], &[0.5, 0.9]),
        ..BASE
    },
    Item {
        name: "dprr/fig7",
        title: "True and reported degrees",
        cost: "seconds",
        figure: Figure::Special(degrees::work),
        places: Some(Places::Epsilons),
        points: (&[], &[]),
        ..NOISY
    },
    Item {
        name: "dprr/fig8",
        title: "Seconds against the share of users sampled",
        figure: Figure::Special(|item, wanted, data| {
            time::work(Graphs::Sampled, item, wanted, data)
        }),
        points: (&[0.2, 0.4, 0.6, 0.8, 1.0], &[0.5, 1.0]),
        ..TIMED
    },
    Item {
        name: "dprr/fig9",
        title: "Seconds against the number of users",
        reads: ItemData::Nothing("makes its own graphs"),
        figure: Figure::Special(|item, wanted, data| {
            time::work(Graphs::Generated, item, wanted, data)
        }),
        places: Some(Places::Users),
        datasets: (&[], &[]),
        points: (&[1000.0, 2000.0, 3000.0, 4000.0], &[100.0, 200.0, 400.0]),
        ..TIMED
    },
    Item {
        name: "dprr/fig10",
        title: "Graph classification under poisoning",
        figure: Figure::Dprr(&FIGURE_10),
        mechanisms: &["dprr"],
        points: (&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5], &[0.0, 0.3]),
        ..BASE
    },
    Item {
        name: "dprr/adaptive",
        title: "Graph classification under poisoning by users who know the defence",
        figure: Figure::Dprr(&ADAPTIVE),
        known: ATTACK_NAMES,
        mechanisms: ATTACK_NAMES,
        points: (&[0.0, 0.1, 0.3, 0.5], &[0.0, 0.3]),
        ..BASE
    },
];

const FIGURE_4: DprrFigure = DprrFigure {
    axis: "lambda",
    lines: along_lambda,
    attacked: false,
    reading: || {
        "Figures of DPRR, and in figure 5 of all methods, have beside them what the same learner \
         reaches if private lists are empty (noise only: sizes of graphs, and what is published, \
         remain), and all what it reaches if every user publishes (ceiling), and the largest class. Reports are read in two ways: \
         `plain` is the paper's, with its split of epsilon; `believed` takes them as evidence. \
         The paper compares plain readings; `nonpriv-part, believed` is what users who publish \
         say about every user."
            .into()
    },
};
const FIGURE_5: DprrFigure = DprrFigure { axis: "epsilon", lines: along_epsilon, ..FIGURE_4 };
const FIGURE_6: DprrFigure = DprrFigure {
    axis: "alpha",
    lines: along_splits,
    attacked: false,
    reading: || {
        "The corrected split stays within epsilon. The printed one costs more where its first \
         branch is taken; it is here to compare with the paper, and its true total is what a card \
         of it states. The fixed split gives the degree (1 - alpha) epsilon."
            .into()
    },
};
const FIGURE_10: DprrFigure = DprrFigure {
    axis: "beta",
    lines: under_attack,
    attacked: true,
    reading: || {
        format!(
            "Malicious users change their reports in training graphs only. Defences run on all graphs. \
             `threshold` is the paper's Defense({THETA}); `handshake` flags degrees above what a \
             user of degree {USUAL_DEGREE} sends where other users' degrees cannot match them. Below: \
             shares of honest and of malicious users flagged."
        )
    },
};
const ADAPTIVE: DprrFigure = DprrFigure {
    lines: knowing_the_defence,
    reading: || {
        (FIGURE_10.reading)()
            + " `census` also flags all such degrees where too many users have them. Users of \
               `matched-to-` claim the largest degrees that this defence lets pass, given every user's \
               reports; those of `shortcut` (matched to census) only in graphs of the first class. \
               Reports are read as evidence."
    },
    ..FIGURE_10
};

/// What users send, by the names that are wanted.
fn methods(wanted: &MeasureRequest) -> Vec<DprrMethod> {
    let named = |name: &String| DprrMethod::ALL.into_iter().find(|method| method.name() == name);
    wanted.mechanisms.iter().filter_map(named).collect()
}

impl DprrFigure {
    pub(super) fn work<'a>(
        &self,
        item: &Item,
        wanted: &'a MeasureRequest,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        let sets = inputs.sets.iter().map(|(name, set)| NamedData::new(name, set));
        let panels = sets.map(|data| self.panel(wanted, data)).collect();
        let (title, printed) = match item.name.strip_prefix("dprr/fig") {
            Some(number) => (
                format!("DPRR, figure {number}: {}", item.title),
                " The paper prints curves without numbers.",
            ),
            None => (format!("DPRR: {}", item.title), " The paper has no such figure."),
        };
        let told = FigureNotes {
            title,
            summary: FigureVerdict::Gains(lists_added),
            reading: Some((self.reading)() + printed),
            threat_model: ThreatModel {
                not_protected: vec!["the classes of graphs".into()],
                ..threat_model()
            },
            settings: vec![
                ("runs", wanted.runs.to_string()),
                ("learner", format!("{:?}", GraphLearner::default())),
            ],
        };
        Ok(Work::panels(PanelFigure { told, panels, runs: wanted.runs }))
    }

    fn panel<'a>(&self, wanted: &MeasureRequest, data: NamedData<'a, GraphSet>) -> DprrPanel<'a> {
        let setting = || Setting::Common { epsilon: wanted.epsilon() };
        let clear = DprrTrial::believed(data, DprrMethod::NonPrivFull, setting());
        let plain = clear.clone().reading(Reading::Plain);
        let mut beside = vec![
            ("ceiling: nonpriv-full".to_owned(), clear.clone(), Variant::Clear),
            ("nonpriv-full, read plainly".to_owned(), plain, Variant::Clear),
        ];
        if self.attacked {
            let dprr = DprrTrial::believed(data, DprrMethod::Dprr, setting());
            beside.push(("noise only, no attack".into(), dprr, Variant::Control));
        }
        beside.push(("largest class".into(), clear, Variant::Majority));
        Panel {
            name: data.name.into(),
            axis: self.axis,
            places: match self.axis {
                "epsilon" => wanted.epsilons.clone(),
                _ => wanted.points.clone(),
            },
            lines: (self.lines)(wanted, data),
            beside,
            blocks: self.blocks(data.name),
        }
    }

    fn blocks<'a>(&self, name: &str) -> Vec<PanelBlock<DprrTrial<'a>>> {
        let plot = |metric: Metric| {
            let title = format!("{name}: {}", metric.label);
            PanelBlock::Plot { title, metric, control: None }
        };
        let table = |what, metric| {
            let (caption, rows) = (format!("{what} on {name}"), PanelRows::Each(None));
            PanelBlock::Table { caption, head: "", metric, rows }
        };
        let accuracy = Metric::test("test accuracy");
        let area = Metric { score: AUC, label: "AUC", unit: NumberUnit::Percent };
        let mut blocks =
            vec![plot(accuracy), table("Test accuracy", accuracy), PanelBlock::Made(differences)];
        match self.attacked {
            true => blocks.push(PanelBlock::Made(flagged)),
            false => blocks.extend([plot(area), table("AUC", area)]),
        }
        blocks
    }
}

fn lists_added(gains: &[PairedComparison]) -> String {
    if gains.is_empty() {
        return "Scores stand beside the ceiling, the noise-only control and the largest class."
            .into();
    }
    let above = gains.iter().filter(|gain| gain.difference.low > 0.0).count();
    format!(
        "In {above} of {} private figures the lists of private users added something over the \
         noise-only control (the 95 % interval of the difference lies above 0).",
        gains.len()
    )
}

/// Paired differences: private minus control, and the first line minus every other.
fn differences(panel: &DprrPanel<'_>, measures: &Measures) -> Block {
    let caption = "Differences of test accuracy, seed by seed: mean ± deviation and 95 % interval";
    let mut table = panel.table(caption, "");
    let percent = |paired: PairedComparison| MeasuredValue::percent(&paired.difference);
    for (number, line) in panel.lines.iter().enumerate().filter(|(_, line)| line.controlled) {
        let name = format!("{} − noise only", line.name);
        table.push(panel.row(name, |place| measures.at(number, place)?.gain().map(percent)));
    }
    let Some(first) = panel.lines.first() else { return Block::Table(table) };
    let own = |line, place| measures.at(line, place).map(|runs| runs.own.as_slice());
    for (number, line) in panel.lines.iter().enumerate().skip(1) {
        let name = format!("{} − {}", first.name, line.name);
        let minus = |place| minus(own(0, place)?, own(number, place)?).map(percent);
        table.push(panel.row(name, minus));
    }
    let (name, ceiling) = (format!("{} − ceiling", first.name), panel.ceiling(measures));
    table.push(panel.row(name, |place| minus(own(0, place)?, ceiling).map(percent)));
    Block::Table(table)
}

/// Who was flagged.
fn flagged(panel: &DprrPanel<'_>, measures: &Measures) -> Block {
    let mut table = panel.table("Share of users flagged", "");
    for (number, line) in panel.lines.iter().enumerate() {
        for (kind, score) in [("honest", HONEST_FLAGGED), ("malicious", MALICIOUS_FLAGGED)] {
            let of = |place| measured(&measures.at(number, place)?.own, score, NumberUnit::Percent);
            table.push(panel.row(format!("{}: {kind}", line.name), of));
        }
    }
    Block::Table(table)
}

// Which methods stand along the axes of figures 4, 5, 6 and 10.

/// The false-positive rate of defences, as in the paper.
const THETA: f64 = 0.05;
/// What the collector takes for an ordinary degree: at most 2.5 % of the users have a larger one.
const USUAL_DEGREE: usize = 10;

type Sets<'a> = NamedData<'a, GraphSet>;

fn customised(epsilon: f64, lambda: f64) -> Setting {
    match lambda > 0.0 {
        true => Setting::Customised { epsilon, public_share: lambda },
        false => Setting::Common { epsilon },
    }
}

/// Where no users publish there is no graph of those who do.
fn along_lambda<'a>(wanted: &MeasureRequest, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let line = |method: DprrMethod| {
        let at = |&lambda: &f64| {
            let possible = method != DprrMethod::NonPrivPart || lambda > 0.0;
            possible
                .then(|| DprrTrial::believed(data, method, customised(wanted.epsilon(), lambda)))
        };
        in_both_readings(method.name(), wanted.points.iter().map(at), method == DprrMethod::Dprr)
    };
    methods(wanted).into_iter().flat_map(line).collect()
}

/// Methods without noise do not depend on epsilon. Each of the others has its own control beside it: noise of
/// another shape tells something else about the number of users.
fn along_epsilon<'a>(wanted: &MeasureRequest, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let line = |method: DprrMethod| {
        let at =
            |&epsilon: &f64| Some(DprrTrial::believed(data, method, Setting::Common { epsilon }));
        in_both_readings(method.name(), wanted.epsilons.iter().map(at), true)
    };
    methods(wanted).into_iter().filter(|method| has_noise(*method)).flat_map(line).collect()
}

fn has_noise(method: DprrMethod) -> bool {
    !matches!(method, DprrMethod::NonPrivPart | DprrMethod::NonPrivFull)
}

/// The corrected split, the printed one (which costs more than epsilon), and the paper's baseline.
const SPLITS: [(&str, Division); 3] = [
    ("corrected split", Division::Corrected),
    ("printed split", Division::Paper),
    ("fixed split", Division::Fixed),
];

/// Splits of the budget, where none where half of the users publish.
fn along_splits<'a>(wanted: &MeasureRequest, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let lines = [0.0, 0.5].into_iter().flat_map(|lambda| {
        let base =
            DprrTrial::believed(data, DprrMethod::Dprr, customised(wanted.epsilon(), lambda));
        SPLITS.map(|(name, split)| {
            let at = |&alpha: &f64| {
                let mut trial = base.clone();
                trial.protection.split = SplitRule { split, alpha };
                Some((trial, Variant::Private))
            };
            PanelLine::new(
                format!("{name}, lambda {lambda}"),
                wanted.points.iter().map(at).collect(),
            )
        })
    });
    lines.collect()
}

const THRESHOLD: Defence = Defence::Threshold { theta: THETA };
const HANDSHAKE: Defence = Defence::Handshake { theta: THETA, usual_degree: USUAL_DEGREE };
const CENSUS: Defence = Defence::Census { theta: THETA, usual_degree: USUAL_DEGREE };

/// Attacks by name: those of the paper, and those by users who know a defence.
const ATTACKS: [(&str, Attack); 5] = [
    ("all-ones", Attack::ALL_ONES),
    ("random", Attack::RANDOM),
    ("matched-to-handshake", Attack::Matched { against: HANDSHAKE }),
    ("matched-to-census", Attack::Matched { against: CENSUS }),
    ("shortcut", Attack::Shortcut { against: CENSUS }),
];
/// Their names.
const ATTACK_NAMES: &[&str] =
    &["all-ones", "random", "matched-to-handshake", "matched-to-census", "shortcut"];

/// Both attacks of the paper under its defence and the handshake, in both readings.
fn under_attack<'a>(wanted: &MeasureRequest, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let attacks = [("all ones", Attack::ALL_ONES), ("random", Attack::RANDOM)];
    let defences = [Defence::None, THRESHOLD, HANDSHAKE];
    let lines = attacked(wanted, data, &attacks, &defences);
    lines.flat_map(|(name, trials)| in_both_readings(&name, trials.into_iter(), false)).collect()
}

/// Every attack that is wanted, with and without the defences that it may know, as evidence.
fn knowing_the_defence<'a>(wanted: &MeasureRequest, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let named = |name: &String| ATTACKS.into_iter().find(|(known, _)| known == name);
    let attacks: Vec<(&str, Attack)> = wanted.mechanisms.iter().filter_map(named).collect();
    let lines = attacked(wanted, data, &attacks, &[Defence::None, HANDSHAKE, CENSUS]);
    lines
        .map(|(name, trials)| {
            let points = trials.into_iter().map(|trial| Some((trial?, Variant::Private)));
            PanelLine::new(name, points.collect())
        })
        .collect()
}

/// Attacks under defences, along the share of malicious users.
fn attacked<'a>(
    wanted: &MeasureRequest,
    data: Sets<'a>,
    attacks: &[(&str, Attack)],
    defences: &[Defence],
) -> impl Iterator<Item = (String, Vec<Option<DprrTrial<'a>>>)> {
    let base =
        DprrTrial::believed(data, DprrMethod::Dprr, Setting::Common { epsilon: wanted.epsilon() });
    attacks.iter().flat_map(move |&(name, attack)| {
        let base = base.clone();
        defences.iter().map(move |&defence| {
            let at = |&share: &f64| {
                let poisoning = (share > 0.0).then_some(Poisoning { attack, share });
                Some(DprrTrial { poisoning, defence, ..base.clone() })
            };
            let trials = wanted.points.iter().map(at).collect();
            (format!("{name}, {}", defence.name()), trials)
        })
    })
}

/// Reports believed, and read as in the paper.
fn in_both_readings<'a>(
    name: &str,
    trials: impl Iterator<Item = Option<DprrTrial<'a>>>,
    controlled: bool,
) -> [DprrLine<'a>; 2] {
    let trials: Vec<Option<DprrTrial<'a>>> = trials.collect();
    [Reading::Believed, Reading::Plain].map(|reading| {
        let read = |trial: DprrTrial<'a>| (trial.reading(reading), Variant::Private);
        let points = trials.iter().cloned().map(|trial| trial.map(read)).collect();
        PanelLine { controlled, ..PanelLine::new(format!("{name}, {}", reading.name()), points) }
    })
}

#[cfg(test)]
mod tests {
    use privet_lab::experiments::dprr::made_up::threads;

    use super::*;
    use crate::Item;

    fn lines(
        item: &str,
        of: for<'a> fn(&MeasureRequest, Sets<'a>) -> Vec<DprrLine<'a>>,
    ) -> Vec<(String, usize)> {
        let set = threads(4, 3..6, 0).unwrap();
        let wanted = Item::find(item).unwrap().wanted(false);
        let lines = of(&wanted, NamedData::new("threads", &set));
        let axis = if wanted.points.is_empty() { &wanted.epsilons } else { &wanted.points };
        assert!(lines.iter().all(|line| line.points.len() == axis.len()));
        assert!(lines.iter().all(|line| line.printed.len() == line.points.len()));
        let count = |line: &DprrLine<'_>| line.points.iter().flatten().count();
        lines.iter().map(|line| (line.name.clone(), count(line))).collect()
    }

    /// Every method in both readings; where no users publish there is nothing to read of those who do.
    #[test]
    fn methods_stand_along_lambda() {
        let found = lines("dprr/fig4", along_lambda);
        assert_eq!(found.len(), 2 * 4);
        assert_eq!(found[0], ("dprr, believed".into(), 4));
        assert_eq!(found[7], ("nonpriv-part, plain".into(), 3));
    }

    #[test]
    fn only_noisy_methods_stand_along_epsilon() {
        let found = lines("dprr/fig5", along_epsilon);
        assert!(found.len() == 2 * 3 && found.iter().all(|(_, count)| *count == 4), "{found:?}");
        let set = threads(4, 3..6, 0).unwrap();
        let mechanisms = vec!["nonpriv-full".to_owned(), "rr".to_owned()];
        let wanted = MeasureRequest { mechanisms, ..Item::find("dprr/fig5").unwrap().wanted(true) };
        let lines = along_epsilon(&wanted, NamedData::new("threads", &set));
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["rr, believed", "rr, plain"]);
        assert!(lines.iter().all(|line| line.controlled), "noise of each kind alone");
    }

    #[test]
    fn splits_and_attacks_are_all_there() {
        let found = lines("dprr/fig6", along_splits);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..2], ["corrected split, lambda 0", "printed split, lambda 0"]);
        assert_eq!((names.len(), names[5]), (6, "fixed split, lambda 0.5"));
        let found = lines("dprr/fig10", under_attack);
        assert_eq!(found.len(), 2 * 3 * 2);
        assert_eq!(found[0].0, "all ones, none, believed");
        assert_eq!(found[11].0, "random, handshake, plain");
        let found = lines("dprr/adaptive", knowing_the_defence);
        assert_eq!(found.len(), 5 * 3);
        assert_eq!(found[7].0, "matched-to-handshake, handshake");
        assert_eq!(found[14].0, "shortcut, census");
        assert_eq!(ATTACKS.map(|(name, _)| name), ATTACK_NAMES);
    }

    /// No attackers, no attack: the same cell whatever the attack would have been.
    #[test]
    fn a_share_of_nobody_is_no_attack() {
        let set = threads(4, 3..6, 0).unwrap();
        let wanted = Item::find("dprr/fig10").unwrap().wanted(true);
        let lines = under_attack(&wanted, NamedData::new("threads", &set));
        let poisoning = |line: usize, place: usize| {
            lines[line].points[place].as_ref().and_then(|(trial, _)| trial.poisoning)
        };
        assert_eq!((wanted.points[0], poisoning(0, 0)), (0.0, None));
        assert!(poisoning(0, 1).is_some_and(|poisoning| poisoning.share == wanted.points[1]));
        assert_ne!(poisoning(0, 1), poisoning(6, 1), "another attack");
    }
}
