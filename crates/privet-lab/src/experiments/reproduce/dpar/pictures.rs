//! Figure 9: what a model makes of people, as pictures at different epsilon.
//!
//! The paper draws the people it trained on, with their raw features, which no guarantee covers (claim E9). Here the
//! visitors are drawn: each one's answers, spread over their graph, in the plane in which they vary most.

use std::sync::atomic::AtomicBool;

use privet::Run;
use privet::dpar::{Dpar, DparMethod, Held, Mode, Open, infer};
use privet::graph::Dataset;
use privet::learn::metrics::accuracy;
use privet::privacy::unit::Node;
use serde::{Deserialize, Serialize};

use super::flatten::{Apart, apart, plane};
use super::lines::Kind;
use crate::error::Error;
use crate::experiments::cells::{Key, Sweep};
use crate::experiments::dpar::{DparTrial, Hidden};
use crate::experiments::reproduce::Wanted;
use crate::experiments::trial::{Data, Subject, Variant};
use crate::report::summary::fixed;
use crate::report::{Axis, Block, Cell, Plot, Report, Section, Series, Style, Table};

/// The name on the command line, in stores and in reports.
pub const NAME: &str = "dpar/fig9";
/// What it shows.
pub const TITLE: &str = "What the model makes of people (figure 9)";

const MEANING: &str = "A point is a person who was not trained on: the model's answers, spread over the visitors' graph, \
    in the plane in which they vary most (two principal components); a colour and shape is a true class. The silhouette \
    and the share of people nearest to the centre of their own class are of all columns of the answers. The paper draws \
    the people it trained on; their raw features are not covered by any guarantee, so they are not drawn here.";

/// One picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Drawn {
    points: Vec<(f64, f64)>,
    classes: Vec<u32>,
    apart: Apart,
    accuracy: f64,
    /// What it truly costs; none without privacy.
    epsilon: Option<f64>,
}

/// A picture to draw, and its name.
struct Picture<'a> {
    data: Data<'a>,
    name: String,
    system: Dpar,
}

/// How many pictures that is.
pub fn count(wanted: &Wanted) -> u64 {
    (KINDS.len() * wanted.epsilons.len() + 1) as u64 * wanted.datasets.len() as u64
}

const KINDS: [(&str, Kind); 3] = [
    ("em0 as printed", Kind { method: DparMethod::Em0, mode: Mode::Paper, projection: 0 }),
    ("em0", Kind { method: DparMethod::Em0, mode: Mode::Rigorous, projection: 0 }),
    (
        "spread, 64 numbers",
        Kind { method: DparMethod::Spread, mode: Mode::Rigorous, projection: 64 },
    ),
];

fn pictures<'a>(
    wanted: &Wanted,
    datasets: &'a [(String, Dataset)],
) -> privet::Result<Vec<Picture<'a>>> {
    let mut pictures = Vec::new();
    for (of, dataset) in datasets {
        let data = Data::new(of, dataset);
        for (name, kind) in KINDS {
            for &epsilon in &wanted.epsilons {
                let name = format!("{name}, epsilon {epsilon}");
                pictures.push(Picture { data, name, system: kind.at(epsilon, of)? });
            }
        }
        let open = Kind {
            method: DparMethod::NoPrivacy { graph: true },
            mode: Mode::Paper,
            projection: 0,
        };
        pictures.push(Picture { data, name: "no privacy".into(), system: open.at(1.0, of)? });
    }
    Ok(pictures)
}

impl Picture<'_> {
    /// The pictures are of the first seed.
    fn key(&self) -> privet::Result<Key> {
        let hidden = Hidden::NodeAbsent;
        let trial = DparTrial::new(self.data, self.system.clone(), hidden, Held::Test)?;
        Ok(trial.key(Variant::Private).with("seed", 0))
    }

    fn draw(&self, interrupt: &AtomicBool) -> privet::Result<Drawn> {
        let (people, visitors) = Open::split(self.data.dataset, Held::Test, 0)?;
        let plan = self.system.plan::<Node>(people.classes.len())?;
        let run = Run::simulation(0).watched_by(interrupt);
        let hidden = Hidden::NodeAbsent;
        let (trained, _) = hidden.train(&self.system, &plan, people, &visitors, &run)?;
        let answers = infer::scores(&trained.model, &visitors.features);
        let answers = infer::spread(&visitors.graph, answers, self.system.settings.inference)?;
        Ok(Drawn {
            points: plane(&answers),
            classes: visitors.classes.clone(),
            apart: apart(&answers, &visitors.classes),
            accuracy: accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0),
            epsilon: Some(plan.loss.epsilon.get()).filter(|epsilon| epsilon.is_finite()),
        })
    }
}

/// Draws what is not stored, and writes all of it up.
///
/// # Errors
/// Those of a run, or of the store.
pub fn draw(
    wanted: &Wanted,
    datasets: &[(String, Dataset)],
    sweep: &mut Sweep<'_>,
) -> Result<Report, Error> {
    let pictures = pictures(wanted, datasets)?;
    let keyed: Vec<(Key, &Picture<'_>)> = pictures
        .iter()
        .map(|picture| Ok((picture.key()?, picture)))
        .collect::<privet::Result<_>>()?;
    let interrupt = sweep.interrupt;
    let work = |(_, picture): &(Key, &Picture<'_>)| picture.draw(interrupt);
    let drawn: Vec<Drawn> = sweep.measure(&keyed, |(key, _)| key.clone(), work)?;
    let mut report = Report::new(format!("DPAR: {TITLE}"), format!("{TITLE}, seed 0."));
    for (name, dataset) in datasets {
        let of = pictures.iter().zip(&drawn).filter(|(picture, _)| picture.data.name == name);
        report.sections.push(section(name, dataset, &of.collect::<Vec<_>>()));
    }
    Ok(report)
}

fn section(name: &str, dataset: &Dataset, drawn: &[(&Picture<'_>, &Drawn)]) -> Section {
    let heads = ["model", "silhouette", "nearest centre", "accuracy", "true epsilon"];
    let mut table = Table::new(format!("How far apart the classes of {name} are"), heads);
    for (picture, drawn) in drawn {
        table.push([
            Cell::from(picture.name.clone()),
            Cell::from(fixed(drawn.apart.silhouette, 3)),
            Cell::percent(drawn.apart.nearest_centre),
            Cell::percent(drawn.accuracy),
            drawn
                .epsilon
                .map_or_else(|| Cell::from("none"), |epsilon| Cell::from(fixed(epsilon, 1))),
        ]);
    }
    let plots = drawn.iter().map(|(picture, drawn)| Block::Plot(plot(picture, dataset, drawn)));
    let blocks = [Block::Text(MEANING.into()), Block::Table(table)].into_iter().chain(plots);
    Section::new(name, blocks)
}

fn plot(picture: &Picture<'_>, dataset: &Dataset, drawn: &Drawn) -> Plot {
    let title = format!("{}: {}", picture.data.name, picture.name);
    let axes = ["first component", "second component"].map(Axis::linear);
    let [x, y] = axes;
    let names = dataset.labels().map(|labels| labels.class_names().to_vec()).unwrap_or_default();
    let classes = drawn.classes.iter().max().map_or(0, |class| class + 1);
    let of = |class: u32| {
        let points = drawn.points.iter().zip(&drawn.classes).filter(move |(_, of)| **of == class);
        let name = names.get(class as usize).cloned();
        let name = name.unwrap_or_else(|| format!("class {class}"));
        Series::new(name, Style::Scatter, points.map(|(point, _)| *point))
    };
    (0..classes).map(of).fold(Plot::new(title, x, y), Plot::with)
}
