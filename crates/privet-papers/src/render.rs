//! Figures as reports: a section per panel, and a sentence that claims no more than the intervals do.

use super::panel::{
    Bound, Measures, Metric, Panel, PanelBlock, PanelFigure, TableRows, Verdict, measured,
};
use privet_lab::error::Error;
use privet_lab::experiments::trial::{SECONDS, Scores, Subject, Variant, values};
use privet_lab::report::summary::{counted, fixed, plain};
use privet_lab::report::{
    self, Axis, Block, Cell, Measured, Plot, Reference, Report, Section, Series, Style, Table,
    Timing, Unit,
};

/// The report of a figure.
pub(super) fn report<T: Subject>(
    figure: &PanelFigure<T>,
    measured: &[Measures],
) -> Result<Report, Error> {
    let told = &figure.told;
    let mut report = Report::new(told.title.clone(), told.summary.over(measured));
    report.threat_model = told.threat_model.clone();
    let settings = told.settings.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    report.settings = settings.collect();
    if let Some(reading) = &told.reading {
        let blocks = [Block::Text(reading.clone()), Block::simulation()];
        report.sections.push(Section::new("How to read this", blocks));
    }
    for (panel, measures) in figure.panels.iter().zip(measured) {
        let blocks = panel.blocks.iter().map(|block| panel.block(block, measures));
        let blocks = blocks.collect::<privet::Result<Vec<_>>>()?;
        report.sections.push(Section::new(panel.name.clone(), blocks));
        report.timings.extend(panel.timings(measures));
    }
    Ok(report)
}

impl Verdict {
    fn over(&self, measured: &[Measures]) -> String {
        let judge = match self {
            Self::Measured(text) => return text.clone(),
            Self::Gains(judge) => judge,
        };
        let gains: Vec<_> = measured.iter().flat_map(Measures::gains).collect();
        match gains.iter().any(|gain| gain.difference.runs < 2) {
            true => "One run says nothing about chance: use at least two.".into(),
            false => judge(&gains),
        }
    }
}

impl Metric {
    fn axis(&self) -> Axis {
        match self.unit {
            Unit::Percent => Axis::percent(self.label),
            Unit::Plain => Axis::linear(self.label),
        }
    }
}

impl<T> Panel<T> {
    fn block(&self, block: &PanelBlock<T>, measures: &Measures) -> privet::Result<Block> {
        Ok(match block {
            PanelBlock::Text(text) => Block::Text(text.clone()),
            PanelBlock::Made(make) => make(self, measures),
            PanelBlock::Plot { title, metric, control } => {
                Block::Plot(self.plot(measures, title, metric, *control))
            }
            PanelBlock::Table { caption, head, metric, rows } => {
                let mut table = self.table(caption.clone(), head);
                match rows {
                    TableRows::Each(bound) => self.each(&mut table, measures, metric, *bound),
                    TableRows::Controlled(added) => {
                        self.controlled(&mut table, measures, metric, added);
                    }
                    TableRows::Noted(note) => self.noted(&mut table, measures, metric, *note)?,
                }
                Block::Table(table)
            }
        })
    }

    /// All lines as a plot; a place that was not measured leaves a gap.
    fn plot(
        &self,
        measures: &Measures,
        title: &str,
        metric: &Metric,
        control: Option<&str>,
    ) -> Plot {
        let places = self.places.iter().map(|&place| plain(place));
        let mut plot = Plot::new(title, Axis::categories(self.axis, places), metric.axis());
        for (line, runs) in self.lines.iter().zip(&measures.lines) {
            let points = runs.iter().enumerate().filter_map(|(at, runs)| {
                let value = metric.of(&runs.as_ref()?.own)?;
                Some(report::Point::measured(at as f64, &value))
            });
            let (name, points) = (line.name.clone(), points.collect());
            plot = plot.with(Series { name, points, style: Style::Line });
        }
        if let Some(ceiling) = metric.of(self.ceiling(measures)) {
            plot = plot.with_line(Reference::ceiling(&ceiling));
        }
        let control = control.and_then(|name| self.pooled_control(measures, metric, name));
        match control {
            Some((name, control)) => {
                let name = format!("control: noise only ({name})");
                plot.with_line(Reference::measured(name, &control))
            }
            None => plot,
        }
    }

    /// The control of a line (or else the first), averaged over its places run by run.
    fn pooled_control(
        &self,
        measures: &Measures,
        metric: &Metric,
        name: &str,
    ) -> Option<(&str, Measured)> {
        let at = self.lines.iter().position(|line| line.name == name).unwrap_or(0);
        let places: Vec<Vec<f64>> = measures
            .lines
            .get(at)?
            .iter()
            .flatten()
            .map(|runs| values(&runs.control, metric.score))
            .collect();
        let mean = |run: usize| {
            let sum: f64 = places.iter().filter_map(|runs| runs.get(run)).sum();
            Scores::new([(metric.score, sum / places.len() as f64)])
        };
        let means: Vec<Scores> = (0..places.first()?.len()).map(mean).collect();
        Some((&self.lines.get(at)?.name, metric.of(&means)?))
    }

    /// A table with a column for every place.
    pub(super) fn table(&self, caption: impl Into<String>, first: &str) -> Table {
        let places = self.places.iter().map(|&place| format!("{} {}", self.axis, plain(place)));
        Table::new(caption, [first.to_owned()].into_iter().chain(places))
    }

    /// A row with a cell for every place.
    pub(super) fn row(
        &self,
        name: impl Into<String>,
        cell: impl FnMut(usize) -> Option<Measured>,
    ) -> Vec<Cell> {
        let cells = (0..self.places.len()).map(cell).map(|value| beside(value, None));
        [Cell::from(name.into())].into_iter().chain(cells).collect()
    }

    fn each(&self, table: &mut Table, measures: &Measures, metric: &Metric, bound: Option<Bound>) {
        for (number, line) in self.lines.iter().enumerate() {
            let at = |place| measures.at(number, place);
            let own = line.printed.iter().enumerate().map(|(place, &theirs)| {
                beside(at(place).and_then(|runs| metric.of(&runs.own)), theirs)
            });
            table.push([Cell::from(line.name.as_str())].into_iter().chain(own));
            if line.controlled {
                let name = format!("{}, noise only", line.name);
                table.push(self.row(name, |place| metric.of(&at(place)?.control)));
            }
        }
        for ((name, _, _), scores) in self.beside.iter().zip(&measures.beside) {
            // The largest class has no ranking.
            if !values(scores, metric.score).is_empty() {
                table.push(self.row(name.clone(), |_| metric.of(scores)));
            }
        }
        if let Some((name, bound)) = bound {
            let bounds = self.places.iter().map(|&place| Cell::number(bound(place)));
            table.push([Cell::from(name)].into_iter().chain(bounds));
        }
    }

    fn controlled(&self, table: &mut Table, measures: &Measures, metric: &Metric, added: &str) {
        table.columns.push("ceiling: no noise".into());
        for (number, line) in self.lines.iter().enumerate() {
            let at = |place| measures.at(number, place);
            let own = line.printed.iter().enumerate().map(|(place, &theirs)| {
                beside(at(place).and_then(|runs| metric.of(&runs.own)), theirs)
            });
            let ceiling = beside(metric.of(self.ceiling(measures)), line.printed_ceiling);
            table.push([Cell::from(line.name.as_str())].into_iter().chain(own).chain([ceiling]));
            let name = format!("{}, noise only", line.name);
            table.push(self.row(name, |place| metric.of(&at(place)?.control)));
            let gain = |place| Some(Measured::percent(&at(place)?.gain()?.difference));
            table.push(self.row(format!("{}, {added}", line.name), gain));
        }
    }

    fn noted(
        &self,
        table: &mut Table,
        measures: &Measures,
        metric: &Metric,
        note: fn(&T, Variant) -> privet::Result<String>,
    ) -> privet::Result<()> {
        for (number, line) in self.lines.iter().enumerate() {
            let mut cells: Vec<Cell> = vec![line.name.clone().into()];
            for (place, point) in line.points.iter().enumerate() {
                let runs = measures.at(number, place).and_then(|runs| metric.of(&runs.own));
                let (Some(measured), Some((subject, variant))) = (runs, point) else {
                    cells.push(beside(None, None));
                    continue;
                };
                let mut text = measured.short() + &note(subject, *variant)?;
                if let Some(theirs) = line.printed[place] {
                    text += &format!(" (paper {})", fixed(100.0 * theirs, 1));
                }
                cells.push(text.into());
            }
            table.push(cells);
        }
        for ((name, _, _), scores) in self.beside.iter().zip(&measures.beside) {
            let mean = metric.of(scores).map_or(0.0, |measured| measured.mean);
            let cells = self.places.iter().map(|_| Cell::percent(mean));
            table.push([Cell::from(name.clone())].into_iter().chain(cells));
        }
        Ok(())
    }

    /// The mean time of a run, by line; and of the ceiling.
    fn timings(&self, measures: &Measures) -> Vec<Timing> {
        let timing = |name: &str, scores: Vec<Scores>| {
            let seconds = measured(&scores, SECONDS, Unit::Plain)?;
            let what = format!("{}, {name}: one of {}", self.name, counted(seconds.runs, "run"));
            let (processor_seconds, peak_bytes) = (None, None);
            Some(Timing { what, seconds: seconds.mean, processor_seconds, peak_bytes })
        };
        let lines = self.lines.iter().zip(&measures.lines).map(|(line, runs)| {
            let all = runs.iter().flatten().flat_map(|runs| runs.own.iter().chain(&runs.control));
            timing(&line.name, all.cloned().collect())
        });
        lines.chain([timing("ceiling", self.ceiling(measures).to_vec())]).flatten().collect()
    }
}

/// A measurement, beside the paper's where it has one; or that there is none.
fn beside(ours: Option<Measured>, theirs: Option<f64>) -> Cell {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Cell::Beside { ours, theirs },
        (Some(ours), None) => Cell::Measured(ours),
        (None, _) => Cell::missing("not there"),
    }
}

#[cfg(test)]
mod tests;
