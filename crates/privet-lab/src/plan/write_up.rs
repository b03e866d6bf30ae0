//! A plan as a [`Report`]: the advice, the picture, the tables, what was assumed.

use privet::project::{Protects, TrustModel};

use super::interval::Interval;
use super::{HOMOPHILY, MethodPlan, PlanQuestion, PrivacyPlan, PublicFacts, levels};
use crate::report::summary::{bytes, counted, duration, plain};
use crate::report::{Axis, Block, Cell, Plot, PlotPoint, Report, Section, Series, Style, Table};

/// The facts in a line: `2,708 people, 5,278 connections (3.9 each), 1,433 columns, 7 classes`.
pub fn facts_line(facts: &PublicFacts) -> String {
    let graphs = match facts.graphs {
        1 => String::new(),
        many => format!(" in {}", counted(many as u64, "graph")),
    };
    let classes = match facts.classes {
        1 => "1 class".to_owned(),
        many => format!("{many} classes"),
    };
    format!(
        "{} people{graphs}, {} ({} each), {}, {classes}",
        plain(facts.people as f64),
        counted(facts.edges, "connection"),
        plain((10.0 * facts.mean_degree()).round() / 10.0),
        counted(facts.columns as u64, "column"),
    )
}

/// Who sees what: `hidden on people's own devices: features; everything else is public`.
pub fn hidden_line(question: &PlanQuestion) -> String {
    let what = question.protects.iter().map(|what| what.name()).collect::<Vec<_>>().join(", ");
    let whole = question.hides(Protects::People);
    let rest =
        if whole { "only who is on the list is public" } else { "everything else is public" };
    match question.trust {
        TrustModel::Devices => format!("hidden by people's own devices: {what}; {rest}"),
        TrustModel::Curator => format!("hidden by a curator who holds the data: {what}; {rest}"),
    }
}

/// How it was found out, and what was assumed.
pub fn assumptions(planned: &PrivacyPlan) -> Vec<String> {
    let PrivacyPlan { question, simulated, .. } = planned;
    let [little, _, much] = levels(question);
    let graphs = question.facts.graphs > 1;
    let homophily = match question.facts.homophily {
        Some(stated) => format!(
            "connected people have the same class {} of the time, as stated",
            percent(stated)
        ),
        None => format!(
            "connected people have the same class {} to {} of the time: it was not stated (--homophily)",
            percent(HOMOPHILY[0]),
            percent(HOMOPHILY[2])
        ),
    };
    let mut all = vec![
        format!(
            "Simulated on {} made-up populations of {} people and {} columns; no record was read.",
            simulated.look_alikes.len(),
            plain(simulated.people as f64),
            plain(simulated.columns as f64),
        ),
        format!("Assumed: {homophily}."),
        match question.facts.largest_class {
            Some(share) => format!("Assumed: {} are of the largest class, as stated.", percent(share)),
            None => "Assumed: no class is far larger than the others; --largest-class states its share.".into(),
        },
        format!(
            "Assumed: {} of {} to {} of the {} speak of their class.",
            if graphs { "the contacts" } else { "the records" },
            percent(little.readable),
            percent(much.readable),
            if graphs { "graphs" } else { "people" },
        ),
        from_to(&question.facts, simulated.margin),
        "The epsilon is that of each part that is hidden; what an attacker finds counts all parts together.".into(),
        "Time and memory are orders of magnitude, for this machine.".into(),
    ];
    if simulated.people < question.facts.people {
        all.push(format!(
            "Scaled down from {} people; noise was scaled so that it drowns as much as it would there.",
            plain(question.facts.people as f64)
        ));
    }
    all
}

/// What intervals are made of.
fn from_to(facts: &PublicFacts, margin: f64) -> String {
    let stated = [
        facts.public_accuracy.map(|share| format!("public data alone reach {}", percent(share))),
        facts
            .clear_accuracy
            .map(|share| format!("a model in the clear reaches {}", percent(share))),
    ];
    let stated: Vec<String> = stated.into_iter().flatten().collect();
    match stated.is_empty() {
        true => format!(
            "From-to: all simulations, and {} points more on both sides, as far as known benchmarks were off.",
            plain((1000.0 * margin).round() / 10.0)
        ),
        false => format!(
            "From-to: the middle simulation, placed by what is known ({}, as stated), and as far on both sides as known benchmarks \
             were off where simulations differed as much.",
            stated.join("; ")
        ),
    }
}

/// `84 %`.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

/// `84 (78 to 89)`, in percent.
pub fn range(interval: Interval) -> String {
    let Interval { low, expected, high } = interval;
    format!("{:.0} ({:.0} to {:.0})", 100.0 * expected, 100.0 * low, 100.0 * high)
}

/// Writes it up.
pub fn report(planned: &PrivacyPlan, command: &str) -> Report {
    let PrivacyPlan { question, .. } = planned;
    let mut report = Report::new(format!("Plan for {}", question.name), planned.advice.why.clone());
    report.command = command.into();
    let secret = question.protects.iter().map(|what| what.about().to_owned());
    report.threat_model.secret.extend(secret);
    report.threat_model.public.push(facts_line(&question.facts));
    let promise = "A plan promises no protection: no data was read, and no noise was drawn.";
    let expect = [
        Block::Text(format!("{}; {}.", facts_line(&question.facts), hidden_line(question))),
        Block::Plot(accuracy_plot(planned)),
        Block::Table(accuracy_table(planned)),
    ];
    report.sections.push(Section::new("What to expect", expect));
    let found = [
        Block::Text(
            "The most that any attacker could find by what is released, whatever else they know: of 100 people of whom \
             something is so, how many are found by an attacker who is wrong about 1 of 100 of whom it is not. The card of \
             the release will say the same number."
                .into(),
        ),
        Block::Plot(attacker_plot(planned)),
        Block::Table(attacker_table(planned)),
    ];
    report.sections.push(Section::new("What an attacker could find", found));
    let how = [Block::List(assumptions(planned)), Block::Warning(promise.into())];
    report.sections.push(Section::new("How this was found out", how));
    report
}

fn paying(planned: &PrivacyPlan) -> impl Iterator<Item = &MethodPlan> {
    planned.methods.iter().filter(|plan| !plan.free)
}

fn accuracy_plot(planned: &PrivacyPlan) -> Plot {
    let epsilons = &planned.question.epsilons;
    let axis = Axis::percent("accuracy to expect").reaching(0.0).reaching(1.0);
    let mut plot = Plot::new("Accuracy to expect", Axis::epsilons(epsilons), axis);
    for plan in paying(planned) {
        plot =
            plot.with(series(plan.method.name(), plan.points.iter().map(|point| point.accuracy)));
    }
    let beside = planned.methods.iter().filter(|plan| plan.free);
    for plan in beside {
        if let Some(point) = plan.points.first() {
            plot = plot.with(series(plan.method.name(), epsilons.iter().map(|_| point.accuracy)));
        }
    }
    let ceilings = paying(planned).filter_map(|plan| plan.ceiling);
    match ceilings.max_by(|a, b| a.expected.total_cmp(&b.expected)) {
        Some(ceiling) => plot.with(series("no privacy", epsilons.iter().map(|_| ceiling))),
        None => plot,
    }
}

/// Intervals at the places of the epsilons, in order.
fn series(name: &str, values: impl Iterator<Item = Interval>) -> Series {
    let point = |(at, Interval { low, expected, high }): (usize, Interval)| PlotPoint {
        x: at as f64,
        y: expected,
        low: Some(low),
        high: Some(high),
    };
    Series {
        name: name.into(),
        points: values.enumerate().map(point).collect(),
        style: Style::Line,
    }
}

fn accuracy_table(planned: &PrivacyPlan) -> Table {
    let epsilons =
        planned.question.epsilons.iter().map(|epsilon| format!("epsilon {}", plain(*epsilon)));
    let heads = ["method", "what it does"].map(String::from).into_iter();
    let ends = ["no privacy", "noise only", "time", "memory"].map(String::from);
    let mut table =
        Table::new("Accuracy to expect, in percent (from to)", heads.chain(epsilons).chain(ends));
    for plan in &planned.methods {
        let mut row: Vec<Cell> = vec![plan.method.name().into(), plan.about.into()];
        match plan.points.as_slice() {
            [only] if plan.free => {
                row.extend(planned.question.epsilons.iter().map(|_| range(only.accuracy).into()))
            }
            points => row.extend(points.iter().map(|point| Cell::from(range(point.accuracy)))),
        }
        let beside =
            |value: Option<Interval>| value.map_or(Cell::from("–"), |value| range(value).into());
        row.push(beside(plan.ceiling));
        row.push(beside(plan.control));
        row.push(format!("about {}", duration(plan.cost.seconds)).into());
        row.push(format!("about {}", bytes(plan.cost.bytes as u64)).into());
        table.push(row);
    }
    table
}

fn attacker_plot(planned: &PrivacyPlan) -> Plot {
    let axis = Axis::percent("found at most, of those to be found").reaching(0.0).reaching(1.0);
    let mut plot = Plot::new(
        "What an attacker who is wrong about 1 in 100 finds at most",
        Axis::epsilons(&planned.question.epsilons),
        axis,
    );
    for plan in paying(planned) {
        let points = plan.points.iter().enumerate().filter_map(|(place, point)| {
            let at = point.exposure.as_ref()?.curve.iter().find(|found| found.wrong == 0.01)?;
            Some((place as f64, at.found))
        });
        plot = plot.with(Series::new(plan.method.name(), Style::Line, points));
    }
    plot
}

fn attacker_table(planned: &PrivacyPlan) -> Table {
    let epsilons =
        planned.question.epsilons.iter().map(|epsilon| format!("epsilon {}", plain(*epsilon)));
    let heads = ["method", "about"].map(String::from).into_iter().chain(epsilons);
    let mut table =
        Table::new("Found at most, of 100, by an attacker who is wrong about 1 of 100", heads);
    for plan in paying(planned) {
        let about = plan.points.first().and_then(|point| point.exposure.as_ref());
        let mut row: Vec<Cell> =
            vec![plan.method.name().into(), about.map_or("", |of| of.about.as_str()).into()];
        let found = |exposure: &super::Exposure| Cell::from(exposure.found_of_100.to_string());
        row.extend(
            plan.points.iter().map(|point| point.exposure.as_ref().map_or("–".into(), found)),
        );
        table.push(row);
    }
    table
}
