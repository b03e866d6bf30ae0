//! Pages of the administrator: all tasks, one of them, and the way in.

use maud::{Markup, html};
use privet::privacy::features::Decoding;
use privet_protocol::CheckedTask;

use super::{TaskAccess, TaskPage, TaskProgress, shell};

/// So many columns are listed; the others have the like of them.
const MOST_LISTED: usize = 12;

/// All tasks.
pub fn overview(tasks: &[TaskProgress], form_token: &str) -> Markup {
    let body = html! {
        div class="bar" {
            h1 { "Tasks" }
            (button("/admin/logout", form_token, "Log out", "second"))
        }
        @if tasks.is_empty() {
            p { "There is none yet. " code { "privet collect create TASK.toml" } " makes one." }
        } @else {
            div class="wide" {
                table {
                    caption class="unseen" { "All tasks and how far they have come" }
                    thead { tr { th scope="col" { "Task" } th scope="col" { "Reports" } th scope="col" { "Who" } th scope="col" { "State" } } }
                    tbody {
                        @for task in tasks {
                            tr {
                                th scope="row" { a href=(format!("/admin/t/{}", task.name)) { (task.title) } }
                                td { (super::count(task.reports)) " of " (super::count(task.people)) " " (meter(task)) }
                                td { (entry(task.entry)) }
                                td { (state(task)) }
                            }
                        }
                    }
                }
            }
        }
    };
    shell("Tasks", false, &body)
}

/// One task.
pub fn task(page: &TaskPage<'_>) -> Markup {
    let TaskPage { asked, card, progress, .. } = page;
    let here = format!("/admin/t/{}", progress.name);
    let body = html! {
        p { a href="/admin" { "All tasks" } }
        h1 { (progress.title) }
        p class="lead" { (asked.task.purpose) }
        dl class="facts" {
            dt { "State" } dd { (state(progress)) }
            dt { "Reports" } dd { (super::count(progress.reports)) " of " (super::count(progress.people)) " " (meter(progress)) }
            dt { "Who" } dd { (entry(progress.entry)) }
            dt { "Page for people" } dd { a href=(format!("/t/{}", progress.name)) { "/t/" (short(&progress.name)) } }
            dt { "Name" } dd { code class="long" { (progress.name) } }
        }
        h2 { "Reports per hour" }
        (hours(page.hours))
        h2 { "How good it can be so far" }
        (quality(&expected(asked, progress.reports)))
        h2 { "Take it away" }
        p { "A dataset with the card that was issued for it:" }
        ul class="inline" {
            @for format in ["npz", "csv", "parquet"] {
                li { a class="button" href=(format!("{here}/export?format={format}")) download { (format) } }
            }
        }
        @if progress.open {
            h2 { "Close it" }
            p { "No report is taken after that, and the task cannot be opened again." }
            (button(&format!("{here}/close"), page.form_token, "Close this task", "danger"))
        }
        details {
            summary { "The privacy card" }
            pre class="card-text" { (card.explain()) }
        }
    };
    shell(&progress.title, false, &body)
}

/// The way in.
pub fn login(failed: bool) -> Markup {
    let body = html! {
        h1 { "Administration" }
        @if failed { p class="notice" role="alert" { "That token is not one of this server's." } }
        form method="post" action="/admin/login" class="narrow" {
            div class="field" {
                label for="token" { "Token" }
                input id="token" name="token" type="password" autocomplete="current-password" required autofocus;
                p class="help" { "The server wrote it down when it was made; only a hash of it is kept." }
            }
            button type="submit" { "Log in" }
        }
    };
    shell("Administration", false, &body)
}

fn quality(all: &[ExpectedError]) -> Markup {
    html! {
        @if all.is_empty() {
            p { "There are no answers yet." }
        } @else {
            p class="quiet" {
                "One standard error, at most. It follows from the task and the number of reports; no answer was looked at. "
                "Four times as many reports halve it."
            }
            div class="wide" {
                table {
                    thead { tr { th scope="col" { "What" } th scope="col" { "Error" } th scope="col" { "Without noise" } } }
                    tbody {
                        @for row in all.iter().take(MOST_LISTED) {
                            tr {
                                th scope="row" { (row.what) }
                                td { "± " (figures(row.error)) " " (row.unit) }
                                td { @if row.without_noise > 0.0 { "± " (figures(row.without_noise)) } @else { "–" } }
                            }
                        }
                    }
                }
            }
            @if all.len() > MOST_LISTED { p class="quiet" { "And " (all.len() - MOST_LISTED) " more." } }
        }
    }
}

/// Three digits that count.
fn figures(number: f64) -> String {
    // The digits before the point, less one.
    let before = number.abs().max(f64::MIN_POSITIVE).log10().floor() as i32;
    format!("{number:.*}", (2 - before).clamp(0, 9) as usize)
}

fn button(action: &str, form_token: &str, label: &str, class: &str) -> Markup {
    html! {
        form method="post" action=(action) {
            input type="hidden" name="form_token" value=(form_token);
            button type="submit" class=(class) { (label) }
        }
    }
}

fn meter(task: &TaskProgress) -> Markup {
    html! {
        progress max=(task.people.max(1)) value=(task.reports) aria-label=(format!("reports to {}", task.title)) {}
    }
}

fn entry(entry: TaskAccess) -> &'static str {
    match entry {
        TaskAccess::Open => "open to all",
        TaskAccess::Invitation => "by invitation",
    }
}

fn state(task: &TaskProgress) -> String {
    match (task.open, task.until) {
        (true, Some(until)) => format!("open until {}", super::moment(until)),
        (true, None) => "open".into(),
        (false, _) => "closed".into(),
    }
}

fn short(name: &str) -> &str {
    name.get(..12).unwrap_or(name)
}

const HEIGHT: u64 = 80;
const STEP: usize = 12;

/// A bar an hour, the latest at the right; the numbers are in titles, for screen readers.
pub fn hours(reports: &[u64]) -> Markup {
    let most = reports.iter().copied().max().unwrap_or(0);
    let all: u64 = reports.iter().sum();
    let width = reports.len().max(1) * STEP;
    let summary = format!(
        "{} reports in the last {} hours, at most {} in an hour",
        super::count(all),
        reports.len(),
        super::count(most)
    );
    html! {
        figure class="hours" {
            svg viewBox=(format!("0 0 {width} {}", HEIGHT + 2)) role="img" aria-label=(summary) preserveAspectRatio="none" {
                @for (at, &count) in reports.iter().enumerate() {
                    @let tall = bar(count, most);
                    rect x=(at * STEP + 1) y=(HEIGHT - tall) width=(STEP - 2) height=(tall + 2) {
                        title { (super::count(count)) }
                    }
                }
            }
            figcaption { (summary) }
        }
    }
}

/// The height of a bar: something can be seen of a single report.
fn bar(count: u64, most: u64) -> u64 {
    match count {
        0 => 0,
        _ => (HEIGHT * count / most.max(1)).max(2),
    }
}

/// How far an answer of the whole may be from the truth.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpectedError {
    /// What is estimated.
    pub what: String,
    /// One standard error at most, in its own unit.
    pub error: f64,
    /// The unit.
    pub unit: &'static str,
    /// What the error would be without noise: chance alone, of who was asked.
    pub without_noise: f64,
}

/// The standard errors of what can be estimated, at most; nothing without a report.
///
/// * The share of an answer: reports say it with `q + s (p - q)`, which is inverted, so the error is that of a share of
///   `reports` coins, at most `1/2 / sqrt(n)`, by `p - q`.
/// * The mean of a column: the variance of a decoded entry in closed form, at the worse end or the middle of the range,
///   and at most a quarter of the squared range for how people differ.
/// * The mean number of contacts: the variance of the noise of a degree. How people differ has no bound that is public.
pub fn expected(asked: &CheckedTask, reports: u64) -> Vec<ExpectedError> {
    let mut all = Vec::new();
    if reports == 0 {
        return all;
    }
    let n = (reports as f64).sqrt();
    let asks = &asked.task.asks;
    if let (Some(mechanism), Some(label)) = (&asked.label, &asks.label) {
        let keep = mechanism.keep_probability();
        let other = (1.0 - keep) / (label.classes.len().max(2) - 1) as f64;
        let what = "the share of each answer".into();
        let without_noise = 50.0 / n;
        let error = without_noise / (keep - other);
        all.push(ExpectedError { what, error, unit: "percentage points", without_noise });
    }
    if let (Some(mechanism), Some(features)) = (&asked.features, &asks.features) {
        for (at, column) in (0..).zip(&features.columns) {
            let half = f64::from(column.high - column.low) / 2.0;
            let middle = column.low + (column.high - column.low) / 2.0;
            let variance = [column.low, middle, column.high]
                .into_iter()
                .filter_map(|value| mechanism.moments(at, value, Decoding::Unbiased))
                .map(|moments| moments.variance)
                .fold(0.0, f64::max);
            let what = format!("the mean of {}", column.name);
            let (error, without_noise) = ((variance + half * half).sqrt() / n, half / n);
            all.push(ExpectedError { what, error, unit: "", without_noise });
        }
    }
    if let Some(mechanism) = &asked.contacts {
        let what = "the mean number of contacts".into();
        let error = mechanism.degree_variance().sqrt() / n;
        all.push(ExpectedError { what, error, unit: "contacts", without_noise: 0.0 });
    }
    all
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn bars_are_as_high_as_their_hours() {
        assert_eq!([0, 1, 500, 1000].map(|count| bar(count, 1000)), [0, 2, 40, 80]);
        assert_eq!(bar(0, 0), 0);
        let drawn = hours(&[0, 3, 1]).into_string();
        assert_eq!(drawn.matches("<rect").count(), 3);
        assert!(drawn.contains("4 reports in the last 3 hours, at most 3 in an hour"), "{drawn}");
        assert!(hours(&[]).into_string().contains("0 reports"));
    }
}
