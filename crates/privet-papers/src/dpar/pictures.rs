//! Figure 9: what a model makes of people, as pictures at different epsilon.
//!
//! The paper draws the people it trained on, with their raw features, which no guarantee covers (claim E9). Here the
//! visitors are drawn: each one's answers, spread over their graph, in the plane in which they vary most.

use std::sync::atomic::AtomicBool;

use privet::Method;
use privet::Run;
use privet::dpar::{Dpar, HeldOut, OpenPeople, infer};
use privet::graph::Dataset;
use privet::learn::metrics::accuracy;
use privet::privacy::unit::{Node, Relation};
use privet_lab::experiments::cells::Key;
use privet_lab::experiments::dpar::{DparTrial, train};
use privet_lab::experiments::trial::{NamedData, Subject, Variant};
use privet_lab::report::summary::fixed;
use privet_lab::report::{Axis, Block, Cell, Plot, Report, Section, Series, Style, Table};
use serde::{Deserialize, Serialize};

use super::flatten::{Separation, apart, plane};
use super::{MethodKind, SHORT};
use crate::{Inputs, Item, MeasureRequest, Work};

const MEANING: &str = "A point is a person who was not trained on: the model's answers, spread over the visitors' graph, \
    in the plane in which they vary most (two principal components); a colour and shape is a true class. The silhouette \
    and the share of people nearest to the centre of their own class are of all columns of the answers. The paper draws \
    the people it trained on; their raw features are not covered by any guarantee, so they are not drawn here.";

/// One picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelImage {
    points: Vec<(f64, f64)>,
    classes: Vec<u32>,
    apart: Separation,
    accuracy: f64,
    /// What it truly costs; none without privacy.
    epsilon: Option<f64>,
}

/// A picture to draw, and its name.
struct ModelPicture<'a> {
    data: NamedData<'a>,
    name: String,
    system: Dpar,
}

/// Figure 9.
pub(super) fn work<'a>(
    item: &Item,
    wanted: &'a MeasureRequest,
    inputs: &'a Inputs,
) -> privet::Result<Work<'a>> {
    let (title, datasets) = (item.title, &inputs.people);
    let pictures = pictures(wanted, datasets)?.into_iter();
    let keyed = pictures.map(|picture| Ok((picture.key()?, picture)));
    Ok(Work::jobs(
        keyed.collect::<privet::Result<Vec<(Key, ModelPicture<'_>)>>>()?,
        |(key, _)| key.clone(),
        |(_, picture), interrupt| picture.draw(interrupt),
        move |pictures, drawn| {
            let mut report = Report::new(format!("DPAR: {title}"), format!("{title}, seed 0."));
            for (name, dataset) in datasets {
                let all = pictures.iter().map(|(_, picture)| picture).zip(drawn);
                let of: Vec<_> = all.filter(|(picture, _)| picture.data.name == name).collect();
                report.sections.push(section(name, dataset, &of));
            }
            report
        },
    ))
}

const KINDS: [(&str, MethodKind); 3] = [
    ("em0 as printed", MethodKind::printed(Method::Em0)),
    ("em0", MethodKind::rigorous(Method::Em0, 0)),
    ("spread, 64 numbers", MethodKind::rigorous(Method::SmoothedSgd, SHORT)),
];

fn pictures<'a>(
    wanted: &MeasureRequest,
    datasets: &'a [(String, Dataset)],
) -> privet::Result<Vec<ModelPicture<'a>>> {
    let mut pictures = Vec::new();
    for (of, dataset) in datasets {
        let data = NamedData::new(of, dataset);
        for (name, kind) in KINDS {
            for &epsilon in &wanted.epsilons {
                let name = format!("{name}, epsilon {epsilon}");
                pictures.push(ModelPicture { data, name, system: kind.at(epsilon, of)? });
            }
        }
        let open = MethodKind::printed(Method::DparInTheClear);
        pictures.push(ModelPicture { data, name: "no privacy".into(), system: open.at(1.0, of)? });
    }
    Ok(pictures)
}

impl ModelPicture<'_> {
    /// The pictures are of the first seed.
    fn key(&self) -> privet::Result<Key> {
        let hidden = Relation::NodeAbsent;
        let trial = DparTrial::new(self.data, self.system.clone(), hidden, HeldOut::Test)?;
        Ok(trial.key(Variant::Private).with("seed", 0))
    }

    fn draw(&self, interrupt: &AtomicBool) -> privet::Result<ModelImage> {
        let (people, visitors) = OpenPeople::split(self.data.dataset, HeldOut::Test, 0)?;
        let plan = self.system.plan::<Node>(people.classes.len())?;
        let run = Run::simulation(0).watched_by(interrupt);
        let hidden = Relation::NodeAbsent;
        let (trained, _) = train(hidden, &self.system, &plan, people, &visitors, &run)?;
        let answers = infer::scores(&trained.model, &visitors.features);
        let answers = infer::spread(&visitors.graph, answers, self.system.settings.inference)?;
        Ok(ModelImage {
            points: plane(&answers),
            classes: visitors.classes.clone(),
            apart: apart(&answers, &visitors.classes),
            accuracy: accuracy(&trained.predicted, &visitors.classes).unwrap_or(0.0),
            epsilon: Some(plan.loss.epsilon.get()).filter(|epsilon| epsilon.is_finite()),
        })
    }
}

fn section(name: &str, dataset: &Dataset, drawn: &[(&ModelPicture<'_>, &ModelImage)]) -> Section {
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

fn plot(picture: &ModelPicture<'_>, dataset: &Dataset, drawn: &ModelImage) -> Plot {
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
