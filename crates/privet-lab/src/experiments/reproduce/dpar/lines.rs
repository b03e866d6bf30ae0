//! The lines of a figure: which systems stand at the places of its axis.

use privet::dpar::{Dpar, Method, Mode, Settings};
use privet::privacy::Loss;

use super::item::{Item, Wanted};
use super::paper;

/// One line of a figure: the same method along the axis.
#[derive(Debug, Clone)]
pub struct Line {
    /// What it is called.
    pub name: String,
    /// A system for each place of the axis.
    pub places: Vec<Dpar>,
    /// Whether people know each other.
    pub world: World,
}

/// What the people trained on are like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// As they are.
    True,
    /// Nobody knows anybody: the same noise, and no structure behind it.
    Strangers,
}

impl Item {
    /// The lines on a dataset.
    ///
    /// # Errors
    /// If an epsilon is not one.
    pub fn lines(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<Line>> {
        match self {
            Self::Table1 | Self::Fig1 => self.along_epsilon(wanted, dataset),
            _ => self.along_a_setting(wanted, dataset),
        }
    }

    fn along_epsilon(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<Line>> {
        let mut lines = Vec::new();
        for (name, system, world) in self.compared() {
            let at = |&epsilon: &f64| system.at(epsilon, dataset);
            let places = wanted.epsilons.iter().map(at).collect::<privet::Result<_>>()?;
            lines.push(Line { name, places, world });
        }
        for graph in [true, false] {
            let method = Method::NoPrivacy { graph };
            // Epsilon has no part in it: the same cell at every place.
            let one = Kind { method, mode: Mode::Paper, projection: 0 }.at(1.0, dataset)?;
            let places = vec![one; wanted.epsilons.len()];
            lines.push(Line { name: method.name().into(), places, world: World::True });
        }
        Ok(lines)
    }

    /// As printed, and features alone beside it.
    fn along_a_setting(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<Line>> {
        let (_, places) = self.axis(wanted);
        let mut lines = Vec::new();
        for &epsilon in &wanted.epsilons {
            let line = |method, keep, name: String| -> privet::Result<Line> {
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
                Ok(Line { name, places: all, world: World::True })
            };
            for (method, &keep) in [Method::Em0, Method::Em1, Method::Gm]
                .into_iter()
                .flat_map(|method| self.keeps().iter().map(move |keep| (method, keep)))
            {
                let k = if self.keeps().len() > 1 { format!(", K {keep}") } else { String::new() };
                lines.push(line(method, keep, format!("{}, epsilon {epsilon}{k}", method.name()))?);
            }
            lines.push(line(Method::Features, 2, format!("features, epsilon {epsilon}"))?);
        }
        Ok(lines)
    }

    fn is_about_training(self) -> bool {
        matches!(self, Self::Fig10 | Self::Fig11)
    }

    /// The lines that differ in epsilon alone: as printed, by theorem, and in the table the latter among strangers.
    fn compared(self) -> Vec<(String, Kind, World)> {
        let mut lines = Vec::new();
        for method in [Method::Em0, Method::Em1, Method::Gm, Method::Features] {
            let kind = Kind { method, mode: Mode::Paper, projection: 0 };
            lines.push((format!("{}, as printed", method.name()), kind, World::True));
        }
        let rigorous = |method, projection| Kind { method, mode: Mode::Rigorous, projection };
        let short = format!("spread, rows of {SHORT} numbers, rigorous");
        lines.push((short, rigorous(Method::Spread, SHORT), World::True));
        for method in Method::PRIVATE {
            let name = format!("{}, rigorous", method.name());
            lines.push((name, rigorous(method, 0), World::True));
        }
        if self == Self::Table1 {
            for method in Method::PRIVATE.into_iter().filter(|method| method.reads_connections()) {
                let name = format!("{}, nobody knows anybody", method.name());
                lines.push((name, rigorous(method, 0), World::Strangers));
            }
        }
        lines
    }

    /// How many nodes a row names, where that is not the axis.
    fn keeps(self) -> &'static [usize] {
        if self == Self::Fig10 { &[4, 16] } else { &[2] }
    }

    fn vary(self, settings: &mut Settings, place: f64) {
        match self {
            Self::Table1 | Self::Fig1 => {}
            Self::Fig2 | Self::Fig3 | Self::Fig4 | Self::Fig5 | Self::Fig6 => {
                settings.structure.share = place;
            }
            Self::Fig7 => settings.structure.clip = place,
            Self::Fig8 => settings.structure.keep = place as usize,
            Self::Fig10 => settings.model.batch = place,
            Self::Fig11 => settings.model.clip_norm = place,
            Self::Fig12 => settings.structure.sources = place as usize,
        }
    }
}

/// How many numbers rows are projected to, where they are.
const SHORT: usize = 64;

/// What a line measures, at any epsilon.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub method: Method,
    pub mode: Mode,
    pub projection: usize,
}

impl Kind {
    pub fn at(self, epsilon: f64, dataset: &str) -> privet::Result<Dpar> {
        let Self { method, mode, projection } = self;
        let mut settings = Settings { projection, ..Settings::of(mode) };
        if method == Method::Gm {
            settings.structure.clip = 0.01;
        }
        Ok(Dpar { method, mode, target: Loss::new(epsilon, paper::delta(dataset))?, settings })
    }
}
