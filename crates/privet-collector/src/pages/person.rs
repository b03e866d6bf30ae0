//! The page of a task for a participant: what is asked and what it costs, the true answer beside what is sent, one button
//! and a receipt. All texts are here; the script fills in and draws.

use maud::{Markup, html};
use privet_protocol::{CheckedTask, ContactsAsked, FeaturesAsked, LabelAsked};

use super::{PersonPage, TaskAccess, WASM, shell};

/// So many columns get a field each; more are typed or pasted as a list.
const MOST_FIELDS: usize = 60;
/// How many of the dots of a picture there are.
const DOTS: u32 = 100;

/// The page.
pub fn person(page: &PersonPage<'_>) -> Markup {
    let body = html! {
        h1 { (page.asked.task.title) }
        p class="lead" { (page.asked.task.purpose) }
        (about(page))
        (costs(page))
        @if !page.progress.open {
            p class="notice" role="status" { "This task is closed: no report is taken any more." }
        } @else if WASM.is_some() {
            (form(page))
        } @else {
            (elsewhere(&page.progress.name, "This server was built without the part that runs in a browser."))
        }
        noscript {
            (elsewhere(&page.progress.name, "Your browser runs no scripts here, so it cannot add the noise itself."))
        }
        details {
            summary { "The privacy card: everything that is promised, and what is not" }
            pre class="card-text" { (page.card.explain()) }
        }
    };
    shell(&page.asked.task.title, WASM.is_some(), &body)
}

fn elsewhere(name: &str, why: &str) -> Markup {
    html! {
        div class="notice" role="status" {
            p { (why) " Answer with the program " code { "privet" } " instead:" }
            pre { code { "privet collect answer ADDRESS-OF-THIS-PAGE --me YOUR-ID" } }
            p { "The task is " code { (&name[..name.len().min(16)]) } "…" }
        }
    }
}

/// The study: its contact, its key, its participants.
fn about(page: &PersonPage<'_>) -> Markup {
    let task = &page.asked.task;
    let key = &page.sealed.collector;
    html! {
        dl class="facts" {
            dt { "Questions to" } dd { (task.contact) }
            dt { "Signed by" }
            dd { code { (key.get(..16).unwrap_or(key)) "…" } " " span id="signature" class="quiet" { "not checked yet" } }
            dt { "Who can take part" }
            dd {
                (super::count(page.progress.people)) " people"
                @if page.progress.entry == TaskAccess::Invitation { ", each with an invitation" }
                ". Who takes part is not hidden."
            }
            dt { "Answers so far" } dd { (super::count(page.progress.reports)) }
            @if let Some(until) = task.until { dt { "Until" } dd { (super::moment(until)) } }
        }
    }
}

/// What it costs: the most that an observer can find out.
fn costs(page: &PersonPage<'_>) -> Markup {
    let CheckedTask { task, label, features, contacts, .. } = page.asked;
    let asks = &task.asks;
    let record: f64 = [
        asks.features.as_ref().map(|asked| asked.epsilon),
        asks.label.as_ref().map(|asked| asked.epsilon),
    ]
    .into_iter()
    .flatten()
    .sum();
    html! {
        section aria-labelledby="costs" {
            h2 id="costs" { "What it costs you" }
            ul class="costs" {
                @if let (Some(mechanism), Some(asked)) = (label, &asks.label) {
                    li { (dots(mechanism.keep_probability(), asked)) }
                }
                @if let (Some(mechanism), Some(asked)) = (features, &asks.features) {
                    li {
                        strong { (mechanism.k()) " of your " (asked.columns.len()) " numbers" }
                        " are sent, chosen by chance and each with noise; the others are left out."
                    }
                }
                @if contacts.is_some() {
                    li {
                        strong { "Your list of people is changed by chance." }
                        " Some whom you name are left out, and some whom you do not know are put in. "
                        "No one can tell which."
                    }
                }
            }
            @if record > 0.0 {
                p {
                    "An observer of what you send, who held something about you as likely as not (50 %), can become "
                    strong { "at most " (super::sure(record)) " sure" }
                    ". That is " (super::strength(record)) " protection (epsilon " (record) ")."
                }
            }
            @if let Some(asked) = &asks.contacts {
                p {
                    "Whether you named a certain person: at most " strong { (super::sure(asked.epsilon)) " sure" }
                    " (epsilon " (asked.epsilon) "); at most " (super::sure(2.0 * asked.epsilon))
                    ", if that person answers too and names you."
                }
            }
        }
    }
}

/// A hundred people with the same answer: how many of them send it.
fn dots(keep: f64, asked: &LabelAsked) -> Markup {
    let true_ones = (keep * f64::from(DOTS)).round() as u32;
    let summary = format!("Of {DOTS} people with your answer, about {true_ones} send it");
    let others = if asked.classes.len() == 2 { "the other one" } else { "another one" };
    html! {
        strong { (summary) } ", and " (DOTS - true_ones) " send " (others) ", by chance."
        svg class="dots" viewBox="0 0 250 50" role="img" aria-label=(summary) {
            @for at in 0..DOTS {
                circle class=(if at < true_ones { "true" } else { "chance" }) cx=(at % 25 * 10 + 5) cy=(at / 25 * 12 + 7) r="4" {}
            }
        }
    }
}

/// What the person fills in, and where the script draws.
fn form(page: &PersonPage<'_>) -> Markup {
    let asks = &page.asked.task.asks;
    let sealed = serde_json::to_string(page.sealed).unwrap_or_default();
    html! {
        form id="answer" autocomplete="off" novalidate data-name=(page.progress.name) data-sealed=(sealed)
            data-invitation[page.progress.entry == TaskAccess::Invitation] {
            h2 { "What you hold" }
            p class="quiet" { "Your answer stays on this device and is not stored: what is sent is what chance makes of it." }
            fieldset id="fields" disabled {
                legend class="unseen" { "Your answer" }
                div class="field" {
                    label for="me" { "Your id in this study" }
                    input id="me" name="me" required aria-describedby="me-help";
                    p id="me-help" class="help" { "Each participant has one. It is sent as it is." }
                }
                @if let Some(asked) = &asks.features { (numbers(asked)) }
                @if let Some(asked) = &asks.label { (choices(asked)) }
                @if let Some(asked) = &asks.contacts { (people(asked)) }
                (budget())
            }
            section aria-labelledby="beside" {
                h2 id="beside" { "What you hold beside what is sent" }
                div id="comparison" { p class="quiet" { "Fill in your answer, and an example appears here." } }
                p { button type="button" id="example" class="second" disabled { "Show another example" } }
            }
            p class="send" {
                button type="submit" id="send" disabled { "Add the noise and send" }
                span id="cost" class="quiet" {}
            }
            p id="status" role="status" aria-live="polite" tabindex="-1" { "Checking the task…" }
        }
        section id="receipt" aria-labelledby="receipt-title" tabindex="-1" hidden {
            h2 id="receipt-title" { "Your receipt" }
            div id="receipt-text" {}
        }
    }
}

fn numbers(asked: &FeaturesAsked) -> Markup {
    html! {
        fieldset class="field" id="features" data-columns=(asked.columns.len()) {
            legend { "Your numbers" }
            @if asked.columns.len() <= MOST_FIELDS {
                @for (at, column) in asked.columns.iter().enumerate() {
                    div class="number" {
                        label for=(format!("column-{at}")) { (column.name) }
                        input id=(format!("column-{at}")) data-column=(at) type="number" inputmode="decimal" step="any"
                            min=(column.low) max=(column.high) required;
                        span class="help" { (column.low) " to " (column.high) }
                    }
                }
            } @else {
                label for="columns" { (asked.columns.len()) " numbers, in the order of the columns, apart by spaces or lines" }
                textarea id="columns" rows="4" required {}
            }
        }
    }
}

fn choices(asked: &LabelAsked) -> Markup {
    html! {
        fieldset class="field" id="label" {
            legend { (asked.question) }
            @for (at, class) in asked.classes.iter().enumerate() {
                label class="choice" { input type="radio" name="label" value=(at) required; span { (class) } }
            }
        }
    }
}

fn people(asked: &ContactsAsked) -> Markup {
    html! {
        div class="field" {
            label for="contacts" { (asked.question) }
            textarea id="contacts" rows="4" aria-describedby="contacts-help" spellcheck="false" {}
            p id="contacts-help" class="help" { "Ids, separated by commas or line breaks. Leave it empty if there are none." }
        }
    }
}

/// What all answers together may cost: asked once, for life.
fn budget() -> Markup {
    html! {
        div class="field" id="budget" hidden {
            label for="lifetime" { "How much all your answers together may cost, for life (epsilon)" }
            input id="lifetime" type="number" min="0.1" max="20" step="any" value="6" required aria-describedby="lifetime-help";
            p id="lifetime-help" class="help" {
                "This device asks once and then keeps to it, for all studies. Up to 3 is careful; above 8 protects little."
            }
        }
        p id="left" class="quiet" hidden {}
    }
}
