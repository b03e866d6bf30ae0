//! The figures of the DPRR paper.
//!
//! | file | what it does |
//! |---|---|
//! | `lines` | figures 4, 5, 6 and 10, and attackers who know the defence: which methods stand along the axis |
//! | [`degrees`] | figure 7: true and reported degrees, beside what theory says |
//! | [`time`] | figures 8 and 9: seconds against the size of graphs |
//!
//! The paper prints its results as curves without numbers; what its text states is quoted in reports.

pub mod degrees;
mod lines;
pub mod time;

use privet::dprr::{DprrMethod, GraphLearner, Reading, Setting};
use privet::graph::GraphSet;
use privet::learn::metrics::PairedComparison;

use super::item::Figure;
use super::panel::{
    Line, Measures, Metric, Panel, PanelBlock, PanelFigure, TableRows, Told, Verdict, measured,
    minus,
};
use super::{Inputs, Item, Places, Reads, Wanted, Work};
use crate::experiments::dprr::{AUC, DprrTrial, HONEST_FLAGGED, MALICIOUS_FLAGGED, threat_model};
use crate::experiments::trial::{Data, Variant};
use crate::report::{Block, Measured, ThreatModel, Unit};
use lines::{ATTACK_NAMES, THETA, USUAL_DEGREE};
use lines::{along_epsilon, along_lambda, along_splits, knowing_the_defence, under_attack};
use time::Graphs;

type DprrPanel<'a> = Panel<DprrTrial<'a>>;
type DprrLine<'a> = Line<DprrTrial<'a>>;

/// Accuracy along an axis.
#[derive(Debug)]
pub struct DprrFigure {
    /// What the places of the axis differ in.
    axis: &'static str,
    /// Which methods stand there.
    lines: for<'a> fn(&Wanted, Data<'a, GraphSet>) -> Vec<DprrLine<'a>>,
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
    reads: Reads::Sets,
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
        reads: Reads::Nothing("makes its own graphs"),
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
         remain), and all what it reaches if everybody publishes (ceiling), and the largest class. Reports are read in two ways: \
         `plain` is the paper's, with its split of epsilon; `believed` takes them as evidence. \
         The paper compares plain readings; `nonpriv-part, believed` is what users who publish \
         say about everybody."
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
               `matched-to-` claim the largest degrees that this defence lets pass, given everybody's \
               reports; those of `shortcut` (matched to census) only in graphs of the first class. \
               Reports are read as evidence."
    },
    ..FIGURE_10
};

/// What users send, by the names that are wanted.
fn methods(wanted: &Wanted) -> Vec<DprrMethod> {
    let named = |name: &String| DprrMethod::ALL.into_iter().find(|method| method.name() == name);
    wanted.mechanisms.iter().filter_map(named).collect()
}

impl DprrFigure {
    pub(super) fn work<'a>(
        &self,
        item: &Item,
        wanted: &'a Wanted,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        let sets = inputs.sets.iter().map(|(name, set)| Data::new(name, set));
        let panels = sets.map(|data| self.panel(wanted, data)).collect();
        let (title, printed) = match item.name.strip_prefix("dprr/fig") {
            Some(number) => (
                format!("DPRR, figure {number}: {}", item.title),
                " The paper prints curves without numbers.",
            ),
            None => (format!("DPRR: {}", item.title), " The paper has no such figure."),
        };
        let told = Told {
            title,
            summary: Verdict::Gains(lists_added),
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

    fn panel<'a>(&self, wanted: &Wanted, data: Data<'a, GraphSet>) -> DprrPanel<'a> {
        let setting = || Setting::Common { epsilon: wanted.epsilon() };
        let clear = DprrTrial::new(data, DprrMethod::NonPrivFull, setting());
        let plain = clear.clone().reading(Reading::Plain);
        let mut beside = vec![
            ("ceiling: nonpriv-full".to_owned(), clear.clone(), Variant::Clear),
            ("nonpriv-full, read plainly".to_owned(), plain, Variant::Clear),
        ];
        if self.attacked {
            let dprr = DprrTrial::new(data, DprrMethod::Dprr, setting());
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
            let (caption, rows) = (format!("{what} on {name}"), TableRows::Each(None));
            PanelBlock::Table { caption, head: "", metric, rows }
        };
        let accuracy = Metric::test("test accuracy");
        let area = Metric { score: AUC, label: "AUC", unit: Unit::Percent };
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
    let percent = |paired: PairedComparison| Measured::percent(&paired.difference);
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
            let of = |place| measured(&measures.at(number, place)?.own, score, Unit::Percent);
            table.push(panel.row(format!("{}: {kind}", line.name), of));
        }
    }
    Block::Table(table)
}
