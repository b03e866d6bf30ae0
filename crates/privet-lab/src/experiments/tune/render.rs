//! What a search found: the best settings as options and JSON, all trials, and what it would have cost.

use std::collections::BTreeSet;

use privet::ldp_ge::{Preset, Task};
use privet::learn::metrics::{PairedComparison, Summary};
use privet::settings::{listed, name};

use super::{Search, TunedSettings, TuningResult, rungs};
use crate::experiments::trial::TrialScores;
use crate::report::summary::{counted, fixed, plain};
use crate::report::{
    Axis, Block, Cell, MeasuredValue, Plot, PlotPoint, Reference, Report, Section, Series, Style,
    Table,
};

/// The report of a search.
///
/// `source` is how the data was named and read, as options.
pub fn report(search: &Search<'_>, found: &TuningResult, source: &str) -> Report {
    let (title, best) = (format!("LDP-GE on {}: settings", search.data.name), found.best(search));
    let mut report = Report::new(title, sentence(search, found));
    report.threat_model.secret.push("the features of every person".into());
    report.threat_model.public.extend(["the graph".into(), "the labels".into()]);
    let simulation = "A simulation: noise was replayed from seeds, and results were scored against \
                      the truth. It gives no protection.";
    report.sections = vec![
        Section::new(
            "On test data",
            [Block::Plot(picture(search, found)), Block::Table(comparison(search, found))],
        ),
        Section::new("The best settings", [Block::Command(run_command(search, best, source))]),
        Section::new(
            "What it would cost people",
            [Block::Text(price(search)), Block::Warning(simulation.into())],
        ),
        Section::new("All candidates", [Block::Table(trials(search, found))]),
    ];
    report.settings = [
        ("dataset", search.data.name.to_owned()),
        ("mechanism", search.reports.mechanism.clone()),
        ("epsilon", plain(search.reports.epsilon)),
        ("trials", search.trials.to_string()),
        ("runs", search.runs.to_string()),
        ("seed", search.seed.to_string()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into();
    report
}

/// The options of `privet run ldp-ge` that stand for settings.
pub fn flags(search: &Search<'_>, settings: &Preset) -> String {
    let Preset { k, embedding, learner, ways, .. } = settings;
    let mut list = [listed(embedding), listed(learner)].concat();
    list.push(("ways".into(), ways.iter().map(name).collect::<Vec<_>>().join(",")));
    if search.sends_k() {
        list.push(("k".into(), k.to_string()));
    }
    let flags: Vec<String> = list.iter().map(|(name, value)| format!("--{name} {value}")).collect();
    flags.join(" ")
}

impl TuningResult {
    /// The settings that won.
    pub fn best<'a>(&'a self, search: &'a Search<'_>) -> &'a Preset {
        self.trials.first().map_or(&search.preset, |trial| &trial.settings)
    }
}

/// The command that uses the settings, on data named and read by the options `source`.
pub fn run_command(search: &Search<'_>, settings: &Preset, source: &str) -> String {
    let (task, decoding) = (name(&search.task), name(&search.reports.decoding));
    let flags = flags(search, settings);
    format!(
        "privet run ldp-ge {source} --task {task} --epsilon {} --mechanism {} --decoding {decoding} {flags}",
        search.reports.epsilon, search.reports.mechanism
    )
}

fn sentence(search: &Search<'_>, found: &TuningResult) -> String {
    let measure = match search.task {
        Task::Nodes => "accuracy",
        Task::Links => "AUC",
    };
    let (winner, preset) = (tests(&found.winner), tests(&found.preset));
    let (Some(gain), Some(best)) = (PairedComparison::of(&winner, &preset), Summary::of(&winner))
    else {
        return "Nothing was compared.".into();
    };
    if found.trials.first().is_some_and(|trial| trial.number == 0) {
        let reached = fixed(100.0 * best.mean, 1);
        return format!(
            "No candidate beat the preset on validation data; its test {measure} is {reached} %."
        );
    }
    let difference = gain.difference;
    let points = |value: f64| fixed(100.0 * value, 1);
    let verdict = match (difference.deviation, difference.low, difference.high) {
        (0.0, ..) => "without any spread over runs, nothing can be said about chance",
        (_, low, _) if low > 0.0 => "more than chance explains",
        (_, _, high) if high < 0.0 => "worse than the preset, more than chance explains",
        _ => "no more than chance explains",
    };
    format!(
        "The best candidate's test {measure} is {} %, {} points from the preset's (95 %: {} to {}; {}): {verdict}.",
        points(best.mean),
        points(difference.mean),
        points(difference.low),
        points(difference.high),
        counted(difference.runs as u64, "fresh run"),
    )
}

/// What the search would have cost real people: trials on the same reports are free, others add up.
fn price(search: &Search<'_>) -> String {
    let epsilon = search.reports.epsilon;
    let seeds = rungs(search.candidates().len()).last().map_or(1, |&(_, seeds)| seeds);
    let simulated = format!(
        "Here every one of the {} draws fresh noise, and so stands for a collection of its own; \
         people should not be asked that often.",
        counted(seeds + search.runs, "seed")
    );
    match search.tuned {
        TunedSettings::Collector => format!(
            "All candidates read the same reports. On reports that people have sent once, at epsilon \
             {}, such a search is post-processing and costs them nothing more; the labels it validates \
             on stay unprotected. {simulated}",
            plain(epsilon)
        ),
        TunedSettings::CollectorAndReports => {
            let ks: BTreeSet<usize> = search.candidates().iter().map(|c| c.k).collect();
            format!(
                "The candidates differ in k, which is what people send: {} of k ({}), each a collection \
                 of its own. Real people would pay for all of them: epsilon {} in all, not {}. Choose k \
                 in a simulation on public data like this one, then collect once. {simulated}",
                counted(ks.len() as u64, "value"),
                ks.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
                plain(ks.len() as f64 * epsilon),
                plain(epsilon)
            )
        }
    }
}

fn measure(search: &Search<'_>) -> &'static str {
    match search.task {
        Task::Nodes => "test accuracy",
        Task::Links => "test AUC",
    }
}

/// The winner and the preset at their epsilon, above what noise alone reaches.
fn picture(search: &Search<'_>, found: &TuningResult) -> Plot {
    let (measure, epsilon) = (measure(search), search.reports.epsilon);
    let axis = Axis::epsilon().reaching(epsilon / 4.0).reaching(4.0 * epsilon);
    let mut plot = Plot::new(format!("{measure} against epsilon"), axis, Axis::percent(measure));
    let of = |scores| Summary::of(&tests(scores)).map(|summary| MeasuredValue::share(&summary));
    for (name, scores) in [("winner", &found.winner), ("preset", &found.preset)] {
        let points =
            of(scores).map(|value| PlotPoint::measured(epsilon, &value)).into_iter().collect();
        plot = plot.with(Series { name: name.into(), points, style: Style::Line });
    }
    match of(&found.control) {
        Some(control) => plot.with_line(Reference::control(&control)),
        None => plot,
    }
}

fn comparison(search: &Search<'_>, found: &TuningResult) -> Table {
    let measure = measure(search);
    let mut table = Table::new("Looked at once, on seeds the search did not use", ["", measure]);
    let rows = [
        ("winner", &found.winner),
        ("preset", &found.preset),
        ("winner's settings, noise only", &found.control),
    ];
    for (name, scores) in rows {
        let measured = Summary::of(&tests(scores)).map(|summary| MeasuredValue::share(&summary));
        let cell = measured.map_or_else(|| Cell::missing("not measured"), Cell::from);
        table.push([Cell::from(name), cell]);
    }
    table
}

fn trials(search: &Search<'_>, found: &TuningResult) -> Table {
    let columns = ["candidate", "settings", "validation"];
    let mut table = Table::new("Best first; more seeds for those that lasted longer", columns);
    for trial in &found.trials {
        let name = match trial.number {
            0 => "preset".to_owned(),
            number => number.to_string(),
        };
        let score = Summary::of(&trial.validation).map(|summary| MeasuredValue::share(&summary));
        let score = score.map_or_else(|| Cell::missing("not measured"), Cell::from);
        let flags = flags(search, &trial.settings);
        table.push([Cell::from(name), Cell::from(flags), score]);
    }
    table
}

fn tests(scores: &[TrialScores]) -> Vec<f64> {
    scores.iter().map(TrialScores::test).collect()
}
