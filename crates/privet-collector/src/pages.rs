//! Pages that a browser shows: plain HTML from the server, one small script, nothing from elsewhere.

mod admin;
mod hours;
mod person;
mod quality;
mod words;

use maud::{DOCTYPE, Markup, html};
use privet::privacy::Card;
use privet_protocol::{CheckedTask, SealedTask};
use serde::{Deserialize, Serialize};

pub use admin::{login, overview, task};
pub use person::person;
pub use quality::{Expected, expected};

/// What runs on a person's device, if this build has it: whoever builds without the target `wasm32-unknown-unknown` has not.
pub const WASM: Option<&[u8]> = embedded::WASM;

/// The same by gzip, a third as long: what every browser is sent.
pub const WASM_GZIP: Option<&[u8]> = embedded::WASM_GZIP;

#[cfg(browser)]
mod embedded {
    pub const WASM: Option<&[u8]> = Some(include_bytes!(env!("PRIVET_WASM")));
    pub const WASM_GZIP: Option<&[u8]> = Some(include_bytes!(env!("PRIVET_WASM_GZIP")));
}

#[cfg(not(browser))]
mod embedded {
    pub const WASM: Option<&[u8]> = None;
    pub const WASM_GZIP: Option<&[u8]> = None;
}

/// The script of a person's page, and of the worker it starts.
pub const SCRIPT: &str = concat!(
    include_str!("../assets/draw.js"),
    include_str!("../assets/send.js"),
    include_str!("../assets/page.js"),
    include_str!("../assets/worker.js"),
);

/// What all pages look like.
pub const STYLE: &str = include_str!("../assets/style.css");

/// Who may send a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// Whoever says who they are.
    Open,
    /// Who has the single-use code of a participant.
    Invitation,
}

/// How far a task has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// Its name, in hexadecimal digits.
    pub name: String,
    /// What it is called.
    pub title: String,
    /// How many people can take part.
    pub people: u64,
    /// How many have.
    pub reports: u64,
    /// Whether reports are still taken.
    pub open: bool,
    /// Who may send one.
    pub entry: Entry,
    /// The last moment that reports are taken, in seconds since 1970.
    pub until: Option<u64>,
}

/// What the page of a task shows to somebody who may take part.
#[derive(Debug, Clone, Copy)]
pub struct PersonPage<'a> {
    /// The task as its collector signed it.
    pub sealed: &'a SealedTask,
    /// The same, opened.
    pub asked: &'a CheckedTask,
    /// What it promises.
    pub card: &'a Card,
    /// How far it has come.
    pub progress: &'a Progress,
}

/// What the page of a task shows to an administrator.
#[derive(Debug, Clone, Copy)]
pub struct TaskPage<'a> {
    /// The task, opened.
    pub asked: &'a CheckedTask,
    /// What it promises.
    pub card: &'a Card,
    /// How far it has come.
    pub progress: &'a Progress,
    /// Reports in each of the last hours, the latest last.
    pub hours: &'a [u64],
    /// What a form has to send back, so that no other site can send it.
    pub form_token: &'a str,
}

/// What the public start page shows: the tasks that are open.
pub fn front(open: &[Progress]) -> Markup {
    let listed = html! {
        h1 { "Questions that are open" }
        p class="lead" {
            "Whoever answers here sends noise with a grain of truth: your own device mixes it, before anything leaves."
        }
        @if open.is_empty() {
            p { "Nothing is asked at the moment." }
        } @else {
            ul class="cards" {
                @for task in open {
                    li class="card" {
                        h2 { a href=(format!("/t/{}", task.name)) { (task.title) } }
                        p {
                            (words::count(task.reports)) " of " (words::count(task.people)) " people have answered"
                            @if task.entry == Entry::Invitation { " · by invitation" }
                            @if let Some(until) = task.until { " · until " (words::moment(until)) }
                        }
                    }
                }
            }
        }
    };
    shell("Questions that are open", false, &listed)
}

/// What is shown where nothing is.
pub fn missing() -> Markup {
    let said = html! {
        h1 { "Nothing is here" }
        p { "The address is wrong, or the task was taken away. " a href="/" { "What is open" } "." }
    };
    shell("Nothing is here", false, &said)
}

/// What all pages have.
fn shell(title: &str, script: bool, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (title) " · Privet" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href="/assets/style.css";
                @if script { script src="/assets/device.js" defer {} }
            }
            body {
                a class="skip" href="#main" { "To the content" }
                header class="top" { a href="/" { "Privet" } }
                main id="main" { (body) }
            }
        }
    }
}

#[cfg(test)]
mod tests;
