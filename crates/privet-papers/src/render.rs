//! Figures as reports: a section per panel, and a sentence that claims no more than the intervals do.

use privet_lab::error::Error;
use privet_lab::experiments::trial::{SECONDS, Subject, TrialScores, Variant, values};
use privet_lab::report::summary::{counted, fixed, plain};
use privet_lab::report::{
    self, Axis, Block, Cell, MeasuredValue, NumberUnit, Plot, Reference, Report, Section, Series,
    Style, Table, Timing,
};

use crate::panel::{
    FigureVerdict, Measures, Metric, Panel, PanelBlock, PanelFigure, PanelRows, TheoryBound,
    measured,
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

impl FigureVerdict {
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
            NumberUnit::Percent => Axis::percent(self.label),
            NumberUnit::Plain => Axis::linear(self.label),
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
                    PanelRows::Each(bound) => self.each(&mut table, measures, metric, *bound),
                    PanelRows::Controlled(added) => {
                        self.controlled(&mut table, measures, metric, added);
                    }
                    PanelRows::Noted(note) => self.noted(&mut table, measures, metric, *note)?,
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
                Some(report::PlotPoint::measured(at as f64, &value))
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
    ) -> Option<(&str, MeasuredValue)> {
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
            TrialScores::new([(metric.score, sum / places.len() as f64)])
        };
        let means: Vec<TrialScores> = (0..places.first()?.len()).map(mean).collect();
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
        cell: impl FnMut(usize) -> Option<MeasuredValue>,
    ) -> Vec<Cell> {
        let cells = (0..self.places.len()).map(cell).map(|value| beside(value, None));
        [Cell::from(name.into())].into_iter().chain(cells).collect()
    }

    fn each(
        &self,
        table: &mut Table,
        measures: &Measures,
        metric: &Metric,
        bound: Option<TheoryBound>,
    ) {
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
            let gain = |place| Some(MeasuredValue::percent(&at(place)?.gain()?.difference));
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
        let timing = |name: &str, scores: Vec<TrialScores>| {
            let seconds = measured(&scores, SECONDS, NumberUnit::Plain)?;
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
fn beside(ours: Option<MeasuredValue>, theirs: Option<f64>) -> Cell {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => Cell::Beside { ours, theirs },
        (Some(ours), None) => Cell::Measured(ours),
        (None, _) => Cell::missing("not there"),
    }
}

#[cfg(test)]
mod tests {
    use privet_lab::experiments::cells::Cells;
    use privet_lab::experiments::trial::TEST;
    use privet_lab::report::ThreatModel;

    use super::*;
    use crate::panel::tests::{Number, measured_panel, panel};
    use crate::panel::{FigureNotes, PanelLine};

    const METRIC: Metric = Metric::test("score");

    fn shown(block: &PanelBlock<Number>) -> Block {
        panel().block(block, &measured_panel(&mut Cells::in_memory())).unwrap()
    }

    fn table(rows: PanelRows<Number>) -> Table {
        let (caption, head, metric) = ("numbers".to_owned(), "line", METRIC);
        match shown(&PanelBlock::Table { caption, head, metric, rows }) {
            Block::Table(table) => table,
            other => panic!("{other:?}"),
        }
    }

    /// What stands in a cell, without intervals.
    fn cell(cell: &Cell) -> String {
        match cell {
            Cell::Text { text } => text.clone(),
            Cell::Number { value, .. } => format!("number {value:.2}"),
            Cell::Measured(measured) => measured.short(),
            Cell::Beside { ours, theirs } => format!("{} (theirs {theirs})", ours.short()),
            Cell::Missing { reason } => reason.clone(),
        }
    }

    fn rows(table: &Table) -> Vec<Vec<String>> {
        table.rows.iter().map(|row| row.iter().map(cell).collect()).collect()
    }

    #[test]
    fn a_gap_stays_a_gap_in_plots_and_tables() {
        let plot = PanelBlock::Plot { title: "numbers".into(), metric: METRIC, control: None };
        let Block::Plot(plot) = shown(&plot) else { panic!("no plot") };
        assert_eq!((plot.series[0].points.len(), plot.series[1].points.len()), (2, 1));
        assert_eq!((plot.series[1].points[0].x, plot.lines.len()), (1.0, 1));
        assert_eq!(plot.lines[0].y, 0.95, "the ceiling, 0.9 and 1.0");
        let table = table(PanelRows::Each(None));
        assert_eq!(table.columns, ["line", "place 1", "place 2.5"]);
        assert_eq!(rows(&table)[2], ["with a gap", "not there", "45.0 ± 7.1 %"]);
    }

    #[test]
    fn controls_stand_below_and_what_the_axis_does_not_change_last() {
        let twice: fn(f64) -> f64 = |place| 2.0 * place;
        let rows = rows(&table(PanelRows::Each(Some(("twice the place", twice)))));
        let names: Vec<&str> = rows.iter().map(|row| row[0].as_str()).collect();
        let expected =
            ["controlled", "controlled, noise only", "with a gap", "ceiling", "twice the place"];
        assert_eq!(names, expected);
        assert_eq!(rows[1][1..], ["15.0 ± 7.1 %", "25.0 ± 7.1 %"]);
        assert_eq!(rows[3][1..], ["95.0 ± 7.1 %", "95.0 ± 7.1 %"], "the same at every place");
        assert_eq!(rows[4][1..], ["number 2.00", "number 5.00"]);
    }

    /// Ours beside theirs, place by place; the ceiling and its printed value come last.
    #[test]
    fn printed_values_stand_beside_ours() {
        let mut panel = panel();
        panel.lines.truncate(1);
        panel.lines[0] = PanelLine {
            printed: vec![Some(0.3), None],
            printed_ceiling: Some(0.99),
            ..panel.lines[0].clone()
        };
        let measures = measured_panel(&mut Cells::in_memory());
        let mut table = panel.table("numbers", "");
        panel.controlled(&mut table, &measures, &METRIC, "added");
        assert_eq!(table.columns.last().unwrap(), "ceiling: no noise");
        let rows = rows(&table);
        let private = [
            "controlled",
            "25.0 ± 7.1 % (theirs 0.3)",
            "45.0 ± 7.1 %",
            "95.0 ± 7.1 % (theirs 0.99)",
        ];
        assert_eq!(rows[0], private);
        assert!(rows[2][1].starts_with("10.00") && rows[2][2].starts_with("20.00"), "{rows:?}");
        assert_eq!(rows.len(), 3);
    }

    #[test]
    fn notes_stand_behind_scores_in_words() {
        let note: fn(&Number, Variant) -> privet::Result<String> =
            |number, _| Ok(format!(" [it is {}]", number.0));
        let rows = rows(&table(PanelRows::Noted(note)));
        assert_eq!(rows[0][1], "25.0 ± 7.1 % [it is 0.2]");
        assert_eq!(rows[1][1..], ["not there", "45.0 ± 7.1 % [it is 0.4]"]);
        assert_eq!(rows[2], ["ceiling", "number 0.95", "number 0.95"]);
    }

    /// 0.1 and 0.2 with the first seed, 0.2 and 0.3 with the second: 0.15 and 0.25 on average over places.
    #[test]
    fn a_control_is_pooled_over_places_run_by_run() {
        let (panel, measures) = (panel(), measured_panel(&mut Cells::in_memory()));
        let (name, control) = panel.pooled_control(&measures, &METRIC, "unheard of").unwrap();
        assert_eq!((name, control.runs), ("controlled", 2));
        assert!((control.mean - 0.2).abs() < 1e-12, "{control:?}");
        assert!((control.deviation - 0.1 / 2f64.sqrt()).abs() < 1e-12, "{control:?}");
    }

    fn figure(summary: FigureVerdict) -> PanelFigure<Number> {
        let (title, reading) = ("Numbers".to_owned(), Some("With care.".to_owned()));
        let settings = vec![("runs", "2".to_owned())];
        let told =
            FigureNotes { title, summary, reading, threat_model: ThreatModel::default(), settings };
        PanelFigure { told, panels: vec![panel()], runs: 2 }
    }

    #[test]
    fn a_report_says_how_to_read_it_and_that_nobody_was_protected() {
        let measures = [measured_panel(&mut Cells::in_memory())];
        let said =
            report(&figure(FigureVerdict::Measured("Numbers, twice.".into())), &measures).unwrap();
        assert_eq!((said.title.as_str(), said.summary.as_str()), ("Numbers", "Numbers, twice."));
        assert_eq!(said.sections[0].title, "How to read this");
        assert_eq!(said.sections[0].blocks[1], Block::simulation());
        assert_eq!(said.sections[1].title, "numbers");
        assert_eq!(said.settings, [("runs".to_owned(), "2".to_owned())]);
        assert!(said.timings.is_empty(), "the time was not measured");
    }

    #[test]
    fn a_verdict_is_about_all_gains_and_one_run_has_none() {
        let count = FigureVerdict::Gains(|gains| format!("{} gains", gains.len()));
        let mut measures = measured_panel(&mut Cells::in_memory());
        assert_eq!(count.over(std::slice::from_ref(&measures)), "2 gains");
        for runs in measures.lines.iter_mut().flatten().flatten() {
            runs.own.truncate(1);
            runs.control.truncate(1);
        }
        assert!(count.over(&[measures]).starts_with("One run says nothing about chance"));
    }

    #[test]
    fn times_are_means_over_private_runs_and_controls() {
        let (panel, mut measures) = (panel(), measured_panel(&mut Cells::in_memory()));
        let scores = |seconds| TrialScores::new([(TEST, 0.5), (SECONDS, seconds)]);
        for runs in measures.lines[0].iter_mut().flatten() {
            (runs.own, runs.control) = (vec![scores(3.0); 2], vec![scores(1.0); 2]);
        }
        let timings = panel.timings(&measures);
        assert_eq!(timings.len(), 1, "the others were not timed");
        assert_eq!(timings[0].what, "numbers, controlled: one of 8 runs");
        assert_eq!(timings[0].seconds, 2.0);
    }
}
