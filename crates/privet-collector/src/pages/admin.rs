//! Pages of the administrator: all tasks, one of them, and the way in.

use maud::{Markup, html};

use super::hours::hours;
use super::quality::{ExpectedError, expected};
use super::{TaskAccess, TaskPage, TaskProgress, shell, words};

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
                                td { (words::count(task.reports)) " of " (words::count(task.people)) " " (meter(task)) }
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
            dt { "Reports" } dd { (words::count(progress.reports)) " of " (words::count(progress.people)) " " (meter(progress)) }
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
    let before = number.abs().max(f64::MIN_POSITIVE).log10().floor() as i32;
    format!("{number:.*}", (2 - before).clamp(0, 9) as usize)
}

fn button(action: &str, form_token: &str, said: &str, class: &str) -> Markup {
    html! {
        form method="post" action=(action) {
            input type="hidden" name="form_token" value=(form_token);
            button type="submit" class=(class) { (said) }
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
        (true, Some(until)) => format!("open until {}", words::moment(until)),
        (true, None) => "open".into(),
        (false, _) => "closed".into(),
    }
}

fn short(name: &str) -> &str {
    name.get(..12).unwrap_or(name)
}
