//! The lines of a figure: which systems stand at the places of its axis.

use privet::Method;
use privet::dpar::{Dpar, Mode, Settings};
use privet::privacy::Loss;

use super::{Along, DparFigure, paper, readings};
use crate::experiments::reproduce::Wanted;
use crate::experiments::trial::Variant;

/// One line of a figure: the same method along the axis.
#[derive(Debug, Clone)]
pub(super) struct SystemLine {
    /// What it is called.
    pub name: String,
    /// A system for each place of the axis.
    pub places: Vec<Dpar>,
    /// The method itself, or its control: the same noise among people who know nobody.
    pub variant: Variant,
    /// What everybody's rows are scaled to.
    pub row_norm: f64,
}

impl SystemLine {
    /// A method on rows of norm 1.
    pub fn new(name: String, places: Vec<Dpar>, variant: Variant) -> Self {
        Self { name, places, variant, row_norm: 1.0 }
    }
}

impl DparFigure {
    /// The lines on a dataset.
    ///
    /// # Errors
    /// If an epsilon is not one.
    pub(super) fn lines(&self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
        match self {
            Self::Epsilon { table } => along_epsilon(*table, wanted, dataset),
            Self::Setting(along) => along.lines(wanted, dataset),
            Self::Readings => readings::lines(wanted, dataset),
        }
    }

    /// What the paper prints for a system.
    pub(super) fn printed(&self, dataset: &str, variant: Variant, system: &Dpar) -> Option<f64> {
        match (self, variant) {
            (Self::Epsilon { table: true } | Self::Readings, Variant::Private) => {
                paper::table1(dataset, system.method, system.target.epsilon.get())
            }
            _ => None,
        }
    }
}

fn along_epsilon(table: bool, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
    let mut lines = Vec::new();
    for (name, kind, variant) in compared(table) {
        let at = |&epsilon: &f64| kind.at(epsilon, dataset);
        let places = wanted.epsilons.iter().map(at).collect::<privet::Result<_>>()?;
        lines.push(SystemLine::new(name, places, variant));
    }
    for method in [Method::DparInTheClear, Method::FeaturesInTheClear] {
        // Epsilon has no part in it: the same cell at every place.
        let places = vec![MethodKind::printed(method).at(1.0, dataset)?; wanted.epsilons.len()];
        lines.push(SystemLine::new(method.name().into(), places, Variant::Private));
    }
    Ok(lines)
}

/// The lines that differ in epsilon alone: as printed, by theorem, and in the table the latter among strangers.
fn compared(table: bool) -> Vec<(String, MethodKind, Variant)> {
    let mut lines = Vec::new();
    for method in [Method::Em0, Method::Em1, Method::Gm, Method::Features] {
        let name = format!("{}, as printed", method.name());
        lines.push((name, MethodKind::printed(method), Variant::Private));
    }
    let short = format!("spread, rows of {SHORT} numbers, rigorous");
    lines.push((short, MethodKind::rigorous(Method::SmoothedSgd, SHORT), Variant::Private));
    let alone = MethodKind { likeness: false, ..MethodKind::rigorous(Method::ClassSums, 0) };
    lines.push(("means, each row on its own, rigorous".into(), alone, Variant::Private));
    for method in Method::DPAR {
        let name = format!("{}, rigorous", method.name());
        lines.push((name, MethodKind::rigorous(method, 0), Variant::Private));
    }
    if table {
        for method in Method::DPAR.into_iter().filter(|method| method.reads_connections()) {
            let name = format!("{}, nobody knows anybody", method.name());
            lines.push((name, MethodKind::rigorous(method, 0), Variant::Control));
        }
    }
    lines
}

impl Along {
    /// As printed, and features alone beside it.
    fn lines(&self, wanted: &Wanted, dataset: &str) -> privet::Result<Vec<SystemLine>> {
        let mut lines = Vec::new();
        for &epsilon in &wanted.epsilons {
            let line = |method: Method, keep, name: String| -> privet::Result<SystemLine> {
                let system = MethodKind::printed(method).at(epsilon, dataset)?;
                let mut places = vec![system; self.places.len()];
                for (system, &place) in places.iter_mut().zip(self.places) {
                    if method.reads_structure() || self.training {
                        system.settings.structure.keep = keep;
                        (self.vary)(&mut system.settings, place);
                    }
                }
                Ok(SystemLine::new(name, places, Variant::Private))
            };
            for method in [Method::Em0, Method::Em1, Method::Gm] {
                for &keep in self.keeps {
                    let k =
                        if self.keeps.len() > 1 { format!(", K {keep}") } else { String::new() };
                    let name = format!("{}, epsilon {epsilon}{k}", method.name());
                    lines.push(line(method, keep, name)?);
                }
            }
            lines.push(line(Method::Features, 2, format!("features, epsilon {epsilon}"))?);
        }
        Ok(lines)
    }
}

/// How many numbers rows are projected to, where they are.
pub(super) const SHORT: usize = 64;

/// What a line measures, at any epsilon.
#[derive(Debug, Clone, Copy)]
pub(super) struct MethodKind {
    method: Method,
    mode: Mode,
    projection: usize,
    likeness: bool,
}

impl MethodKind {
    /// As printed.
    pub const fn printed(method: Method) -> Self {
        Self { method, mode: Mode::Paper, projection: 0, likeness: false }
    }

    /// By theorem, on rows that may be projected first.
    pub const fn rigorous(method: Method, projection: usize) -> Self {
        Self { method, mode: Mode::Rigorous, projection, likeness: true }
    }

    pub fn at(self, epsilon: f64, dataset: &str) -> privet::Result<Dpar> {
        let Self { method, mode, projection, likeness } = self;
        let mut settings = Settings { projection, ..Settings::of(mode) };
        if !likeness {
            settings.likeness = 0.0;
        }
        if method == Method::Gm {
            settings.structure.clip = 0.01;
        }
        Ok(Dpar { method, mode, target: Loss::new(epsilon, paper::delta(dataset))?, settings })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiments::reproduce::Item;

    fn wanted(item: &str) -> Wanted {
        Item::find(item).unwrap().wanted(false)
    }

    /// What the paper prints stands beside the private methods as printed and by theorem, at its own epsilons.
    #[test]
    fn the_table_has_printed_values_where_the_paper_has() {
        let (table, wanted) = (DparFigure::Epsilon { table: true }, wanted("dpar/table1"));
        let lines = table.lines(&wanted, "cora_ml").unwrap();
        assert_eq!(lines.len(), 4 + 2 + 8 + 5 + 2);
        assert!(lines.iter().all(|line| line.places.len() == wanted.epsilons.len()));
        let printed = |line: &SystemLine, place: usize| {
            table.printed("cora_ml", line.variant, &line.places[place])
        };
        let named = |name: &str| lines.iter().find(|line| line.name == name).unwrap();
        assert_eq!(printed(named("em0, as printed"), 1), Some(0.5965));
        assert_eq!(printed(named("gap, rigorous"), 0), Some(0.34));
        assert_eq!(printed(named("spread, rigorous"), 0), None, "not in the paper");
        assert_eq!(printed(named("gap, nobody knows anybody"), 0), None, "a control");
        let figure = DparFigure::Epsilon { table: false };
        assert!(
            figure
                .lines(&wanted, "cora_ml")
                .unwrap()
                .iter()
                .all(|line| line.variant == Variant::Private)
        );
        assert_eq!(figure.printed("cora_ml", Variant::Private, &lines[0].places[0]), None);
    }

    #[test]
    fn without_privacy_epsilon_has_no_part() {
        let lines = along_epsilon(true, &wanted("dpar/table1"), "cora_ml").unwrap();
        for line in &lines[lines.len() - 2..] {
            assert!(line.places[0].method.in_the_clear());
            assert!(line.places.iter().all(|system| *system == line.places[0]));
        }
    }

    /// A setting varies along its axis and nothing else does; features alone stand still unless it is about training.
    #[test]
    fn settings_vary_along_their_axis() {
        let DparFigure::Setting(clip) = &super::super::CLIP else { panic!("a setting") };
        let lines = clip.lines(&wanted("dpar/fig7"), "cora_ml").unwrap();
        let clips: Vec<f64> =
            lines[0].places.iter().map(|system| system.settings.structure.clip).collect();
        assert_eq!(clips, clip.places);
        let mut same = lines[0].places.clone();
        same.iter_mut().for_each(|system| system.settings.structure.clip = 0.0);
        assert!(same.iter().all(|system| *system == same[0]), "nothing else varies");
        let features = &lines.last().unwrap().places;
        assert!(features.iter().all(|system| *system == features[0]));
        let DparFigure::Setting(batch) = &super::super::BATCH else { panic!("a setting") };
        let lines = batch.lines(&wanted("dpar/fig10"), "cora_ml").unwrap();
        assert_eq!(lines.len(), 3 * 2 + 1);
        assert_eq!(lines[1].name, "em0, epsilon 8, K 16");
        let features = &lines.last().unwrap().places;
        assert!(features[0].settings.model.batch != features[1].settings.model.batch);
    }

    #[test]
    fn deltas_are_the_papers() {
        let system = MethodKind::printed(Method::Gm).at(1.0, "ms_academic_cs").unwrap();
        assert_eq!(system.target.delta.get(), 8e-4);
        assert_eq!(system.settings.structure.clip, 0.01, "of the Gaussian mechanism");
        assert!(MethodKind::rigorous(Method::Em0, 0).at(-1.0, "cora_ml").is_err());
    }
}
