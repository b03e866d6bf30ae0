//! The figures and tables of the DPAR paper, with what each truly costs.
//!
//! | file | what it does |
//! |---|---|
//! | `lines` | which systems stand on which axis |
//! | [`pictures`], `flatten` | what a model makes of people, as points of a plane |
//! | `readings` | what the paper leaves open, read one way and another |
//! | [`paper`] | the numbers the paper prints |
//!
//! Nothing stands alone: the majority class and features alone are beside every figure, and a printed epsilon
//! has the true one beside it.

mod flatten;
mod lines;
pub mod paper;
pub mod pictures;
mod readings;

use privet::dpar::{DparMethod, Held, Mode, Open, Settings};
use privet::learn::metrics::{PairedComparison, Summary};

use super::item::Figure;
use super::panel::{
    Line, Measures, Metric, Panel, PanelBlock, PanelFigure, TableRows, Told, Verdict, values,
};
use super::{Inputs, Item, Reads, Wanted, Work};
use crate::experiments::dpar::{DparTrial, Hidden};
use crate::experiments::trial::{Data, TEST, Variant};
use crate::report::summary::{fixed, plain};
use crate::report::{Block, ThreatModel};

/// Accuracy along epsilon, or along a setting.
#[derive(Debug)]
pub enum DparFigure {
    /// All methods, as printed and by theorem.
    Epsilon {
        /// Whether the paper prints numbers for it: then controls and who wins are there as well.
        table: bool,
    },
    /// As printed, along a setting.
    Setting(Along),
    /// As printed, for every way to read what the paper leaves open.
    Readings,
}

/// A setting along an axis.
#[derive(Debug)]
pub struct Along {
    /// What the places differ in.
    axis: &'static str,
    places: &'static [f64],
    vary: fn(&mut Settings, f64),
    /// Whether it is about training; what is about structure alone has no part in features alone.
    training: bool,
    /// How many nodes a row names, where that is not the axis.
    keeps: &'static [usize],
}

const SHARE: DparFigure = DparFigure::Setting(Along {
    axis: "share of the structure",
    places: &[0.1, 0.3, 0.5, 0.7, 0.9],
    vary: |settings, place| settings.structure.share = place,
    training: false,
    keeps: &[2],
});
const CLIP: DparFigure = DparFigure::Setting(Along {
    axis: "clip",
    places: &[1e-4, 1e-3, 1e-2, 1e-1],
    vary: |settings, place| settings.structure.clip = place,
    training: false,
    keeps: &[2],
});
const KEEP: DparFigure = DparFigure::Setting(Along {
    axis: "K",
    places: &[2.0, 4.0, 8.0, 16.0, 32.0],
    vary: |settings, place| settings.structure.keep = place as usize,
    training: false,
    keeps: &[2],
});
const BATCH: DparFigure = DparFigure::Setting(Along {
    axis: "batch",
    places: &[15.0, 30.0, 60.0, 120.0],
    vary: |settings, place| settings.model.batch = place,
    training: true,
    keeps: &[4, 16],
});
const CLIP_NORM: DparFigure = DparFigure::Setting(Along {
    axis: "clip norm",
    places: &[0.01, 0.1, 1.0, 10.0],
    vary: |settings, place| settings.model.clip_norm = place,
    training: true,
    keeps: &[2],
});
const SOURCES: DparFigure = DparFigure::Setting(Along {
    axis: "M",
    places: &[10.0, 30.0, 70.0, 150.0],
    vary: |settings, place| settings.structure.sources = place as usize,
    training: false,
    keeps: &[2],
});

const BASE: Item = Item {
    name: "dpar/fig1",
    title: "Accuracy against epsilon",
    cost: "minutes to an hour; --quick: minutes",
    reads: Reads::People,
    known: &[],
    places: None,
    decodes: false,
    once: false,
    figure: Figure::Dpar(&DparFigure::Epsilon { table: false }),
    datasets: (&["cora_ml"], &["cora_ml"]),
    mechanisms: &[],
    epsilons: (&[1.0, 2.0, 4.0, 8.0], &[1.0, 2.0, 4.0, 8.0]),
    points: (&[], &[]),
    runs: (10, 2),
    size: (0, 0),
};
const AT_TWO: Item = Item { epsilons: (&[1.0, 8.0], &[1.0, 8.0]), ..BASE };

/// The items of the paper.
pub(super) const ITEMS: &[Item] = &[
    Item {
        name: "dpar/table1",
        title: "Accuracy of all methods, printed and honest",
        figure: Figure::Dpar(&DparFigure::Epsilon { table: true }),
        datasets: (&["cora_ml", "ms_academic_cs", "ms_academic_phy"], &["cora_ml"]),
        ..AT_TWO
    },
    BASE,
    Item {
        name: "dpar/readings",
        title: "What the paper leaves open, read one way and another",
        cost: "an hour or two; --quick: half an hour",
        figure: Figure::Dpar(&DparFigure::Readings),
        datasets: (&["cora_ml", "ms_academic_cs"], &["cora_ml"]),
        runs: (5, 2),
        ..AT_TWO
    },
    share("dpar/fig2", "The share of epsilon for the structure, Cora-ML", &["cora_ml"]),
    share("dpar/fig3", "The share of epsilon for the structure, CS", &["ms_academic_cs"]),
    share("dpar/fig4", "The share of epsilon for the structure, MS Academic", &["ms_academic_cs"]),
    share("dpar/fig5", "The share of epsilon for the structure, Reddit", &["reddit"]),
    share("dpar/fig6", "The share of epsilon for the structure, Physics", &["ms_academic_phy"]),
    at_eight("dpar/fig7", "What scores are clipped to", &CLIP),
    at_eight("dpar/fig8", "How many nodes a row names", &KEEP),
    at_eight("dpar/fig10", "The size of batches", &BATCH),
    at_eight("dpar/fig11", "What gradients are clipped to", &CLIP_NORM),
    Item {
        name: "dpar/fig12",
        title: "How many rows of PageRank are released",
        figure: Figure::Dpar(&SOURCES),
        ..AT_TWO
    },
    Item {
        name: "dpar/fig9",
        title: "What the model makes of people (figure 9)",
        cost: "a minute",
        once: true,
        figure: Figure::Special(pictures::work),
        runs: (1, 1),
        ..AT_TWO
    },
];

const fn share(name: &'static str, title: &'static str, datasets: &'static [&'static str]) -> Item {
    Item { name, title, figure: Figure::Dpar(&SHARE), datasets: (datasets, datasets), ..AT_TWO }
}

const fn at_eight(name: &'static str, title: &'static str, figure: &'static DparFigure) -> Item {
    let figure = Figure::Dpar(figure);
    Item { name, title, figure, epsilons: (&[8.0], &[8.0]), ..BASE }
}

const MEANING: &str = "\"As printed\" adds the noise of the paper; the epsilon on the axis is what the paper says it \
    costs, and the true epsilon, by theorem, is in brackets. \"Rigorous\" adds the noise that the epsilon on the axis \
    needs. Everybody's ids are public, and what is hidden is whether a person is there (node-absent).";

impl DparFigure {
    pub(super) fn work<'a>(
        &self,
        item: &Item,
        wanted: &'a Wanted,
        inputs: &'a Inputs,
    ) -> privet::Result<Work<'a>> {
        let panels = inputs.people().map(|data| self.panel(item, wanted, data));
        let panels = panels.collect::<privet::Result<Vec<_>>>()?;
        let runs = wanted.runs;
        let epsilons: Vec<String> = wanted.epsilons.iter().map(f64::to_string).collect();
        let summary = format!("{}, {runs} runs each (seeds 0 to {}).", item.title, runs - 1);
        let told = Told {
            title: format!("DPAR: {}", item.title),
            summary: Verdict::Measured(summary),
            reading: None,
            threat_model: ThreatModel::default(),
            settings: vec![
                ("datasets", wanted.datasets.join(",")),
                ("epsilons", epsilons.join(",")),
                ("runs", runs.to_string()),
            ],
        };
        Ok(Work::panels(PanelFigure { told, panels, runs }))
    }

    /// The panel of a dataset, with what knowing nothing achieves beside it.
    fn panel<'a>(
        &self,
        item: &Item,
        wanted: &Wanted,
        data: Data<'a>,
    ) -> privet::Result<Panel<DparTrial<'a>>> {
        let people = Open::split(data.dataset, Held::Test, 0)?.0.classes.len();
        let (axis, places) = match self {
            Self::Epsilon { .. } | Self::Readings => ("epsilon", wanted.epsilons.clone()),
            Self::Setting(along) => (along.axis, along.places.to_vec()),
        };
        let trial =
            |system| DparTrial::with_people(data, system, Hidden::NodeAbsent, Held::Test, people);
        let systems = self.lines(wanted, data.name)?;
        let any = systems.iter().flat_map(|line| line.places.first()).next().cloned();
        let majority = any.map(|any| ("majority class".to_owned(), trial(any), Variant::Majority));
        let lines = systems.into_iter().map(|line| {
            let printed = |system| self.printed(data.name, line.variant, system);
            let printed = line.places.iter().map(printed).collect();
            let places = line.places.into_iter();
            let scaled = |system| trial(system).with_row_norm(line.row_norm);
            let points = places.map(|system| Some((scaled(system), line.variant))).collect();
            Line { printed, ..Line::new(line.name, points) }
        });
        let lines = lines.collect();
        Ok(Panel {
            name: data.name.into(),
            axis,
            places,
            lines,
            beside: majority.into_iter().collect(),
            blocks: self.blocks(item, data.name),
        })
    }

    fn blocks<'a>(&self, item: &Item, dataset: &str) -> Vec<PanelBlock<DparTrial<'a>>> {
        let metric = Metric::test("accuracy");
        let mut blocks = vec![
            PanelBlock::Text(MEANING.into()),
            PanelBlock::Table {
                caption: format!(
                    "Accuracy on {dataset}, mean ± deviation; true epsilon; the paper's number"
                ),
                head: "method",
                metric,
                rows: TableRows::Noted(true_price),
            },
        ];
        if let Self::Epsilon { table: true } = self {
            blocks.push(PanelBlock::Made(winners));
        }
        let title = format!("{} on {dataset}", item.title);
        blocks.push(PanelBlock::Plot { title, metric, control: None });
        blocks
    }
}

/// What a point truly costs, if that is not what the axis says, and on which condition.
fn true_price(trial: &DparTrial<'_>, variant: Variant) -> privet::Result<String> {
    let plan = trial.plan(variant)?;
    let mut text = String::new();
    if plan.printed.is_some() {
        text += &format!(" [true {}]", fixed(plan.loss.epsilon.get(), 1));
    }
    if let Some(on) = &plan.condition {
        text += &format!(" [if {on}]");
    }
    Ok(text)
}

/// Which rigorous method with a guarantee of its own scores best at each epsilon, and by how much over
/// features alone, seed by seed.
fn winners(panel: &Panel<DparTrial<'_>>, measures: &Measures) -> Block {
    let system = |line: &Line<DparTrial<'_>>| {
        let (trial, variant) = line.points.first()?.as_ref()?;
        let system = &trial.system;
        let guaranteed = system.mode == Mode::Rigorous && system.method.guaranteed();
        (*variant == Variant::Private && guaranteed).then_some(system.method)
    };
    let rigorous: Vec<(usize, DparMethod)> =
        panel.lines.iter().enumerate().filter_map(|(at, line)| Some((at, system(line)?))).collect();
    let features = rigorous.iter().find(|(_, method)| *method == DparMethod::Features);
    let told = panel.places.iter().enumerate().filter_map(|(place, epsilon)| {
        let accuracies = |line: usize| {
            measures.at(line, place).map_or_else(Vec::new, |runs| values(&runs.own, TEST))
        };
        let mean = |line: usize| Summary::of(&accuracies(line)).map_or(0.0, |s| s.mean);
        let &(best, _) = rigorous.iter().max_by(|a, b| mean(a.0).total_cmp(&mean(b.0)))?;
        let over = PairedComparison::of(&accuracies(best), &accuracies(features?.0))?.difference;
        let points = |share: f64| fixed(100.0 * share, 1);
        Some(format!(
            "At true epsilon {} {} wins, {} points over features alone (95 %: {} to {}).",
            plain(*epsilon),
            panel.lines[best].name,
            points(over.mean),
            points(over.low),
            points(over.high)
        ))
    });
    Block::Text(told.collect::<Vec<_>>().join(" "))
}
