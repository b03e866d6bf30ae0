//! A comparison as a report, and the settings of a case by the names of their options.

use privet::dprr::Setting;
use privet::privacy::Card;

use super::Case;
use super::compare::Comparison;
use crate::report::summary::plain;
use crate::report::{Axis, Block, Measured, Plot, Report, Section, Series, Style};

/// Writes up a comparison.
pub fn report(
    case: &Case<'_>,
    comparison: &Comparison,
    command: &str,
    release: Option<Card>,
) -> Report {
    let method = case.protection.method.name();
    let title = format!("DPRR: graph classification on {} with {method}", case.name);
    let mut report = Report::new(title, comparison.verdict());
    report.command = command.into();
    report.threat_model.secret.push("the neighbour list of every private user".into());
    report.threat_model.public.extend(
        ["who is in which graph", "the class of each graph", "the lists of users who publish"]
            .map(String::from),
    );
    report
        .threat_model
        .not_protected
        .push("the scores in this report: they compare with the truth".into());
    let names = comparison.variants.iter().map(|row| row.variant.name());
    let values: Vec<Measured> =
        comparison.variants.iter().map(|row| Measured::percent(&row.test)).collect();
    let bars = Plot::new(
        "What each variant scored",
        Axis::categories("variant", names),
        Axis::percent("test accuracy"),
    )
    .with(Series::measured("test accuracy", Style::Bars, &values));
    let simulated = "The scores come from simulations: each run collects everybody's reports anew with \
        noise from a seed, and compares predictions with the truth.";
    report.sections.push(Section::new(
        "Results",
        [
            Block::Text(simulated.into()),
            Block::Table(comparison.table()),
            Block::Text(comparison.verdict()),
            Block::Plot(bars),
        ],
    ));
    report.cards.push(release.unwrap_or_else(|| comparison.card.clone()));
    report.settings = settings(case);
    report
}

/// The settings of a case, named as on the command line.
pub fn settings(case: &Case<'_>) -> Vec<(String, String)> {
    let learner = &case.learner;
    let lambda = match &case.protection.setting {
        Setting::Customised { public_share, .. } => plain(*public_share),
        Setting::Common { .. } => "0".into(),
        Setting::PerUser(_) => "each user's own".into(),
    };
    let list: [(&str, String); 11] = [
        ("mechanism", case.protection.method.name().into()),
        ("epsilon", plain(case.protection.setting.epsilon())),
        ("lambda", lambda),
        ("reading", case.reading.name().into()),
        ("split", format!("{:?}", case.protection.split).to_lowercase()),
        ("rounds", learner.rounds.to_string()),
        ("hidden", learner.hidden.to_string()),
        ("epochs", learner.epochs.to_string()),
        ("patience", learner.patience.to_string()),
        ("batch", learner.batch.to_string()),
        ("learning-rate", learner.learning_rate.to_string()),
    ];
    list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
