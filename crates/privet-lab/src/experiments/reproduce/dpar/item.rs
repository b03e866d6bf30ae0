//! [`Item`]: what can be reproduced; [`Wanted`]: with which data, epsilons and seeds.

use privet::dpar::{Dpar, Method, Mode, Settings};
use privet::graph::Error;
use privet::privacy::Loss;
use serde::Serialize;

use super::paper;

/// A figure or table of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// Accuracy of all methods at epsilon 1 and 8.
    Table1,
    /// Accuracy against epsilon.
    Fig1,
    /// How epsilon is shared between structure and training, on Cora-ML.
    Fig2,
    /// The same on the CS data.
    Fig3,
    /// The same on MS Academic, which is the CS data by another name.
    Fig4,
    /// The same on Reddit.
    Fig5,
    /// The same on Physics.
    Fig6,
    /// What scores are clipped to.
    Fig7,
    /// K.
    Fig8,
    /// The size of batches.
    Fig10,
    /// What gradients are clipped to.
    Fig11,
    /// M.
    Fig12,
}

/// What to measure. The defaults are the paper's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Wanted {
    /// Names of benchmarks.
    pub datasets: Vec<String>,
    /// Budgets.
    pub epsilons: Vec<f64>,
    /// Seeds 0, 1, ... up to so many.
    pub runs: u64,
}

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
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::Table1,
        Self::Fig1,
        Self::Fig2,
        Self::Fig3,
        Self::Fig4,
        Self::Fig5,
        Self::Fig6,
        Self::Fig7,
        Self::Fig8,
        Self::Fig10,
        Self::Fig11,
        Self::Fig12,
    ];

    /// The name on the command line, in stores and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Table1 => "dpar/table1",
            Self::Fig1 => "dpar/fig1",
            Self::Fig2 => "dpar/fig2",
            Self::Fig3 => "dpar/fig3",
            Self::Fig4 => "dpar/fig4",
            Self::Fig5 => "dpar/fig5",
            Self::Fig6 => "dpar/fig6",
            Self::Fig7 => "dpar/fig7",
            Self::Fig8 => "dpar/fig8",
            Self::Fig10 => "dpar/fig10",
            Self::Fig11 => "dpar/fig11",
            Self::Fig12 => "dpar/fig12",
        }
    }

    /// What it shows.
    pub fn title(self) -> &'static str {
        match self {
            Self::Table1 => "Accuracy of all methods, printed and honest",
            Self::Fig1 => "Accuracy against epsilon",
            Self::Fig2 => "The share of epsilon for the structure, Cora-ML",
            Self::Fig3 => "The share of epsilon for the structure, CS",
            Self::Fig4 => "The share of epsilon for the structure, MS Academic",
            Self::Fig5 => "The share of epsilon for the structure, Reddit",
            Self::Fig6 => "The share of epsilon for the structure, Physics",
            Self::Fig7 => "What scores are clipped to",
            Self::Fig8 => "How many nodes a row names",
            Self::Fig10 => "The size of batches",
            Self::Fig11 => "What gradients are clipped to",
            Self::Fig12 => "How many rows of PageRank are released",
        }
    }

    /// The item of a name.
    ///
    /// # Errors
    /// If there is none, with the nearest that there is.
    pub fn find(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|item| item.name() == name);
        found
            .ok_or_else(|| Error::unknown_name("item", name, Self::ALL.into_iter().map(Self::name)))
    }

    /// What the axis is, and its places.
    pub fn axis(self, wanted: &Wanted) -> (&'static str, Vec<f64>) {
        match self {
            Self::Table1 | Self::Fig1 => ("epsilon", wanted.epsilons.clone()),
            Self::Fig2 | Self::Fig3 | Self::Fig4 | Self::Fig5 | Self::Fig6 => {
                ("share of the structure", vec![0.1, 0.3, 0.5, 0.7, 0.9])
            }
            Self::Fig7 => ("clip", vec![1e-4, 1e-3, 1e-2, 1e-1]),
            Self::Fig8 => ("K", vec![2.0, 4.0, 8.0, 16.0, 32.0]),
            Self::Fig10 => ("batch", vec![15.0, 30.0, 60.0, 120.0]),
            Self::Fig11 => ("clip norm", vec![0.01, 0.1, 1.0, 10.0]),
            Self::Fig12 => ("M", vec![10.0, 30.0, 70.0, 150.0]),
        }
    }

    /// The lines on a dataset.
    ///
    /// # Errors
    /// If an epsilon is not one.
    pub fn lines(self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<Line>> {
        let structured = [Method::Em0, Method::Em1, Method::Gm];
        let (_, places) = self.axis(wanted);
        let mut lines = Vec::new();
        if matches!(self, Self::Table1 | Self::Fig1) {
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
            return Ok(lines);
        }
        for (&epsilon, method) in
            wanted.epsilons.iter().flat_map(|e| structured.iter().map(move |m| (e, *m)))
        {
            for keep in self.keeps() {
                let at = |&place: &f64| {
                    let kind = Kind { method, mode: Mode::Paper, projection: 0 };
                    let mut system = kind.at(epsilon, dataset)?;
                    system.settings.structure.keep = *keep;
                    self.vary(&mut system.settings, place);
                    Ok(system)
                };
                let places = places.iter().map(at).collect::<privet::Result<_>>()?;
                let mut name = format!("{}, epsilon {epsilon}", method.name());
                if self.keeps().len() > 1 {
                    name = format!("{name}, K {keep}");
                }
                lines.push(Line { name, places, world: World::True });
            }
        }
        Ok(lines)
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

    /// How many runs the settings ask for.
    pub fn cells(self, wanted: &Wanted) -> u64 {
        let per_dataset = self.lines(wanted, "").map_or(0, |lines| {
            let places: usize = lines.iter().map(|line| line.places.len()).sum();
            // The ceilings are one cell each, whatever the epsilon.
            match self {
                Self::Table1 | Self::Fig1 => places - 2 * (wanted.epsilons.len() - 1),
                _ => places,
            }
        });
        per_dataset as u64 * wanted.datasets.len() as u64 * wanted.runs
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

impl Wanted {
    /// The paper's settings, on the data that the catalog has.
    pub fn of(item: Item) -> Self {
        let names: &[&str] = match item {
            Item::Table1 => &["cora_ml", "ms_academic_cs", "ms_academic_phy"],
            Item::Fig3 | Item::Fig4 => &["ms_academic_cs"],
            Item::Fig5 => &["reddit"],
            Item::Fig6 => &["ms_academic_phy"],
            _ => &["cora_ml"],
        };
        let epsilons: &[f64] = match item {
            Item::Fig1 => &[1.0, 2.0, 4.0, 8.0],
            Item::Fig7 | Item::Fig8 | Item::Fig10 | Item::Fig11 => &[8.0],
            _ => &[1.0, 8.0],
        };
        let datasets = names.iter().map(|&name| name.to_owned()).collect();
        Self { datasets, epsilons: epsilons.to_vec(), runs: 10 }
    }

    /// Minutes: Cora-ML, two runs.
    pub fn quick(item: Item) -> Self {
        let whole = Self::of(item);
        Self { datasets: whole.datasets.into_iter().take(1).collect(), runs: 2, ..whole }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_and_cells_are_counted() {
        for item in Item::ALL {
            assert_eq!(Item::find(item.name()).unwrap(), item);
        }
        // Four lines as printed, eight by theorem and five among strangers at two epsilons, and two ceilings; three
        // datasets, ten runs.
        assert_eq!(Item::Table1.cells(&Wanted::of(Item::Table1)), 36 * 3 * 10);
        assert_eq!(Item::Fig8.cells(&Wanted::quick(Item::Fig8)), 3 * 5 * 2);
    }
}
