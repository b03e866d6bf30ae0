//! The lines of a figure: which systems stand at the places of its axis.

use privet::dpar::{Dpar, DparMethod, Held, Mode, Open, Settings};
use privet::privacy::Loss;

use super::DparFigure;
use super::paper;
use crate::experiments::dpar::{DparTrial, Hidden};
use crate::experiments::reproduce::Wanted;
use crate::experiments::reproduce::panel::{Line, Panel};
use crate::experiments::trial::{Data, Variant};

/// One line of a figure: the same method along the axis.
#[derive(Debug, Clone)]
pub struct SystemLine {
    /// What it is called.
    pub name: String,
    /// A system for each place of the axis.
    pub places: Vec<Dpar>,
    /// The method itself, or its control: the same noise among people who know nobody.
    pub variant: Variant,
}

impl DparFigure {
    /// The lines on a dataset.
    ///
    /// # Errors
    /// If an epsilon is not one.
    pub fn lines(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
        match self {
            Self::Table1 | Self::Fig1 => self.along_epsilon(wanted, dataset),
            _ => self.along_a_setting(wanted, dataset),
        }
    }

    /// The same as a panel, with what knowing nothing achieves beside it.
    ///
    /// # Errors
    /// If the data lacks features or labels, or an epsilon is not one.
    pub fn panel<'a>(
        self,
        wanted: &Wanted,
        data: Data<'a>,
    ) -> privet::Result<Panel<DparTrial<'a>>> {
        let people = Open::split(data.dataset, Held::Test, 0)?.0.classes.len();
        let (axis, places) = self.axis(wanted);
        let trial = |system: &Dpar| {
            DparTrial::with_people(data, system.clone(), Hidden::NodeAbsent, Held::Test, people)
        };
        let lines = self.lines(wanted, data.name)?;
        let any = lines.iter().flat_map(|line| &line.places).next();
        let majority = any.map(|any| ("majority class".to_owned(), trial(any), Variant::Majority));
        let line = |line: &SystemLine| Line {
            printed: line
                .places
                .iter()
                .map(|system| self.printed(data.name, line, system))
                .collect(),
            ..Line::new(
                line.name.clone(),
                line.places.iter().map(|system| Some((trial(system), line.variant))).collect(),
            )
        };
        Ok(Panel {
            name: data.name.into(),
            axis,
            places,
            lines: lines.iter().map(line).collect(),
            beside: majority.into_iter().collect(),
        })
    }

    fn printed(self, dataset: &str, line: &SystemLine, system: &Dpar) -> Option<f64> {
        let in_table = self == Self::Table1 && line.variant == Variant::Private;
        in_table.then(|| paper::table1(dataset, system.method, system.target.epsilon.get()))?
    }

    fn along_epsilon(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
        let mut lines = Vec::new();
        for (name, system, variant) in self.compared() {
            let at = |&epsilon: &f64| system.at(epsilon, dataset);
            let places = wanted.epsilons.iter().map(at).collect::<privet::Result<_>>()?;
            lines.push(SystemLine { name, places, variant });
        }
        for graph in [true, false] {
            let method = DparMethod::NoPrivacy { graph };
            // Epsilon has no part in it: the same cell at every place.
            let one = Kind { method, mode: Mode::Paper, projection: 0 }.at(1.0, dataset)?;
            let places = vec![one; wanted.epsilons.len()];
            lines.push(SystemLine {
                name: method.name().into(),
                places,
                variant: Variant::Private,
            });
        }
        Ok(lines)
    }

    /// As printed, and features alone beside it.
    fn along_a_setting(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
        let (_, places) = self.axis(wanted);
        let mut lines = Vec::new();
        for &epsilon in &wanted.epsilons {
            let line = |method, keep, name: String| -> privet::Result<SystemLine> {
                let system =
                    Kind { method, mode: Mode::Paper, projection: 0 }.at(epsilon, dataset)?;
                let mut all = vec![system; places.len()];
                for (system, &place) in all.iter_mut().zip(&places) {
                    // What is about structure alone has no part in features alone.
                    if method.reads_structure() || self.is_about_training() {
                        system.settings.structure.keep = keep;
                        self.vary(&mut system.settings, place);
                    }
                }
                Ok(SystemLine { name, places: all, variant: Variant::Private })
            };
            for (method, &keep) in [DparMethod::Em0, DparMethod::Em1, DparMethod::Gm]
                .into_iter()
                .flat_map(|method| self.keeps().iter().map(move |keep| (method, keep)))
            {
                let k = if self.keeps().len() > 1 { format!(", K {keep}") } else { String::new() };
                lines.push(line(method, keep, format!("{}, epsilon {epsilon}{k}", method.name()))?);
            }
            lines.push(line(DparMethod::Features, 2, format!("features, epsilon {epsilon}"))?);
        }
        Ok(lines)
    }

    fn is_about_training(self) -> bool {
        matches!(self, Self::Batch | Self::ClipNorm)
    }

    /// The lines that differ in epsilon alone: as printed, by theorem, and in the table the latter among strangers.
    fn compared(self) -> Vec<(String, Kind, Variant)> {
        let mut lines = Vec::new();
        for method in [DparMethod::Em0, DparMethod::Em1, DparMethod::Gm, DparMethod::Features] {
            let kind = Kind { method, mode: Mode::Paper, projection: 0 };
            lines.push((format!("{}, as printed", method.name()), kind, Variant::Private));
        }
        let rigorous = |method, projection| Kind { method, mode: Mode::Rigorous, projection };
        let short = format!("spread, rows of {SHORT} numbers, rigorous");
        lines.push((short, rigorous(DparMethod::Spread, SHORT), Variant::Private));
        for method in DparMethod::PRIVATE {
            let name = format!("{}, rigorous", method.name());
            lines.push((name, rigorous(method, 0), Variant::Private));
        }
        if self == Self::Table1 {
            for method in
                DparMethod::PRIVATE.into_iter().filter(|method| method.reads_connections())
            {
                let name = format!("{}, nobody knows anybody", method.name());
                lines.push((name, rigorous(method, 0), Variant::Control));
            }
        }
        lines
    }

    /// How many nodes a row names, where that is not the axis.
    fn keeps(self) -> &'static [usize] {
        if self == Self::Batch { &[4, 16] } else { &[2] }
    }

    fn vary(self, settings: &mut Settings, place: f64) {
        match self {
            Self::Table1 | Self::Fig1 => {}
            Self::Share => {
                settings.structure.share = place;
            }
            Self::Clip => settings.structure.clip = place,
            Self::Keep => settings.structure.keep = place as usize,
            Self::Batch => settings.model.batch = place,
            Self::ClipNorm => settings.model.clip_norm = place,
            Self::Sources => settings.structure.sources = place as usize,
        }
    }
}

/// How many numbers rows are projected to, where they are.
const SHORT: usize = 64;

/// What a line measures, at any epsilon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub method: DparMethod,
    pub mode: Mode,
    pub projection: usize,
}

impl Kind {
    pub fn at(self, epsilon: f64, dataset: &str) -> privet::Result<Dpar> {
        let Self { method, mode, projection } = self;
        let mut settings = Settings { projection, ..Settings::of(mode) };
        if method == DparMethod::Gm {
            settings.structure.clip = 0.01;
        }
        Ok(Dpar { method, mode, target: Loss::new(epsilon, paper::delta(dataset))?, settings })
    }
}
