//! Pages that a browser shows: plain HTML from the server, one small script, nothing from elsewhere.

mod admin;
mod person;

use jiff::Timestamp;
use maud::{DOCTYPE, Markup, html};
use privet::privacy::Card;
use privet_protocol::{CheckedTask, SealedTask};
use serde::{Deserialize, Serialize};

pub use admin::{ExpectedError, expected};
pub use admin::{login, overview, task};
pub use person::person;

/// The module that runs on a participant's device; `None` if the build had no target `wasm32-unknown-unknown`.
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
pub enum TaskAccess {
    /// Any sender that names a participant's id.
    Open,
    /// Only a sender with the participant's single-use code.
    Invitation,
}

/// How far a task has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TaskProgress {
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
    pub entry: TaskAccess,
    /// The last moment that reports are taken, in seconds since 1970.
    pub until: Option<u64>,
}

/// What the page of a task shows to a participant.
#[derive(Debug, Clone, Copy)]
pub struct PersonPage<'a> {
    /// The task as its collector signed it.
    pub sealed: &'a SealedTask,
    /// The same, opened.
    pub asked: &'a CheckedTask,
    /// What it promises.
    pub card: &'a Card,
    /// How far it has come.
    pub progress: &'a TaskProgress,
}

/// What the page of a task shows to an administrator.
#[derive(Debug, Clone, Copy)]
pub struct TaskPage<'a> {
    /// The task, opened.
    pub asked: &'a CheckedTask,
    /// What it promises.
    pub card: &'a Card,
    /// How far it has come.
    pub progress: &'a TaskProgress,
    /// Reports in each of the last hours, the latest last.
    pub hours: &'a [u64],
    /// What a form has to send back, so that no other site can send it.
    pub form_token: &'a str,
}

/// What the public start page shows: the tasks that are open.
pub fn front(open: &[TaskProgress]) -> Markup {
    let listed = html! {
        h1 { "Questions that are open" }
        p class="lead" {
            "What you send from here is mostly noise: your own device mixes it in before anything leaves."
        }
        @if open.is_empty() {
            p { "Nothing is asked at the moment." }
        } @else {
            ul class="cards" {
                @for task in open {
                    li class="card" {
                        h2 { a href=(format!("/t/{}", task.name)) { (task.title) } }
                        p {
                            (count(task.reports)) " of " (count(task.people)) " people have answered"
                            @if task.entry == TaskAccess::Invitation { " · by invitation" }
                            @if let Some(until) = task.until { " · until " (moment(until)) }
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
    let body = html! {
        h1 { "Nothing is here" }
        p { "The address is wrong, or the task was taken away. " a href="/" { "What is open" } "." }
    };
    shell("Nothing is here", false, &body)
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

// Numbers and times in plain words.

pub use privet::words::count;

/// An epsilon as the most that an observer can become sure of, starting from even odds: e^eps / (1 + e^eps).
pub fn sure(epsilon: f64) -> String {
    // Bayes with even odds: the posterior odds are e^epsilon at most.
    let percent = 100.0 / (1.0 + (-epsilon).exp());
    match percent {
        // Rounded up to a number that is still true: 99.96 is not 100.
        99.9.. => "more than 99.9 %".into(),
        99.0.. => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

/// How strong a protection is, in a word.
pub fn strength(epsilon: f64) -> &'static str {
    match epsilon {
        ..=1.0 => "strong",
        ..=3.0 => "moderate",
        ..=8.0 => "weak",
        _ => "hardly any",
    }
}

/// A time in seconds since 1970, in UTC.
pub fn moment(seconds: u64) -> String {
    let time = i64::try_from(seconds).ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
    time.map_or("after the year 9999".into(), |time| {
        time.strftime("%Y-%m-%d %H:%M UTC").to_string()
    })
}

#[cfg(test)]
mod tests {
    use privet::collected::promise;
    use privet_protocol::{
        ContactsAsked, FeatureColumn, FeaturesAsked, LabelAsked, SigningKey, Task, TaskQuestions,
        Universe,
    };

    use super::*;

    const HOSTILE: &str = "<script>alert(1)</script>\"'&";

    fn sealed(words: &str) -> SealedTask {
        let column = FeatureColumn { name: words.into(), low: 0.0, high: 10.0 };
        let task = Task {
            title: words.into(),
            purpose: words.into(),
            contact: words.into(),
            people: Universe::of(["ann", "bob"]),
            asks: TaskQuestions {
                features: Some(FeaturesAsked {
                    columns: vec![column],
                    mechanism: "hds".into(),
                    epsilon: 2.0,
                    k: None,
                }),
                label: Some(LabelAsked {
                    question: words.into(),
                    classes: vec![words.into(), "no".into()],
                    epsilon: 1.0,
                }),
                contacts: Some(ContactsAsked { question: words.into(), epsilon: 2.0 }),
            },
            until: None,
        };
        SigningKey::from_bytes(&[1; 32]).seal(&task).unwrap()
    }

    fn progress(words: &str, open: bool) -> TaskProgress {
        let (title, name) = (words.to_owned(), "ab".repeat(32));
        TaskProgress {
            name,
            title,
            people: 5000,
            reports: 1200,
            open,
            entry: TaskAccess::Open,
            until: Some(0),
        }
    }

    /// All pages of a task that is called so.
    fn all(words: &str) -> Vec<String> {
        let sealed = sealed(words);
        let (asked, _) = sealed.open().unwrap();
        let card = promise(&asked).unwrap();
        let progress = progress(words, true);
        let for_person =
            PersonPage { sealed: &sealed, asked: &asked, card: &card, progress: &progress };
        let for_admin = TaskPage {
            asked: &asked,
            card: &card,
            progress: &progress,
            hours: &[1, 2],
            form_token: words,
        };
        let list = [progress.clone()];
        [
            person(&for_person),
            task(&for_admin),
            overview(&list, words),
            front(&list),
            login(true),
            missing(),
        ]
        .map(Markup::into_string)
        .to_vec()
    }

    #[test]
    fn other_peoples_words_are_never_markup() {
        let pages = all(HOSTILE);
        for page in &pages {
            assert!(!page.contains("<script>") && !page.contains("\"'&\""), "{page}");
            // The rules that pages are served under refuse inline scripts and styles: there must be none.
            assert!(
                !page.contains(" style=")
                    && !page.contains(" onclick=")
                    && !page.contains("<style")
            );
        }
        let message = pages
            .iter()
            .filter(|page| page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
            .count();
        assert_eq!(message, 4);
    }

    #[test]
    fn what_a_form_sends_says_that_this_page_made_it() {
        let pages = all("token-of-this-form");
        for (page, forms) in pages.iter().zip([0, 1, 1, 0, 0, 0]) {
            let message = page.matches("name=\"form_token\" value=\"token-of-this-form\"").count();
            assert_eq!(
                (message, page.matches("action=\"/admin/").count()),
                (forms, forms + usize::from(page.contains("admin/login")))
            );
        }
    }

    /// A closed task takes no answer, and a build without a module says where else to answer.
    #[test]
    fn a_page_asks_only_for_what_is_taken() {
        let sealed = sealed("words");
        let (asked, _) = sealed.open().unwrap();
        let card = promise(&asked).unwrap();
        for open in [true, false] {
            let progress = progress("words", open);
            let page =
                PersonPage { sealed: &sealed, asked: &asked, card: &card, progress: &progress };
            let page = person(&page).into_string();
            assert_eq!(page.contains("This task is closed"), !open);
            assert_eq!(page.contains("<form id=\"answer\""), open && WASM.is_some());
            assert_eq!(page.contains("built without"), open && WASM.is_none());
            // 3 for the record and 2 an entry: what an observer can become sure of.
            assert!(
                page.contains("at most 95 % sure") && page.contains("at most <strong>88 % sure"),
                "{page}"
            );
        }
    }

    #[test]
    fn errors_are_those_of_inverting_the_noise() {
        let (asked, _) = sealed("words").open().unwrap();
        assert_eq!(expected(&asked, 0), []);
        let rows = expected(&asked, 10_000);
        let names: Vec<&str> = rows.iter().map(|row| row.what.as_str()).collect();
        assert_eq!(
            names,
            ["the share of each answer", "the mean of words", "the mean number of contacts"]
        );
        // Two answers at epsilon 1: p - q = tanh(1/2).
        assert!((rows[0].error - 0.5 / 0.5f64.tanh()).abs() < 1e-6, "{}", rows[0].error);
        for (few, many) in rows.iter().zip(expected(&asked, 40_000)) {
            assert!((few.error / many.error - 2.0).abs() < 1e-9);
            assert!(few.error > few.without_noise && many.error > 0.0);
        }
    }

    #[test]
    fn script_and_style_are_whole() {
        assert!(
            SCRIPT.contains("async function worker()") && SCRIPT.contains("function page(form)")
        );
        assert!(STYLE.contains("prefers-color-scheme: dark") && STYLE.contains("@media print"));
        // Nothing from elsewhere.
        for text in [SCRIPT, STYLE] {
            assert!(
                !text.replace("http://www.w3.org/2000/svg", "").contains("//www")
                    && !text.contains("https:")
            );
        }
    }

    #[test]
    fn numbers_and_moments_are_readable() {
        assert_eq!(
            (count(7), count(1234), count(1_000_000)),
            ("7".into(), "1,234".into(), "1,000,000".into())
        );
        assert_eq!(
            (sure(1.0), sure(5.0), sure(12.0)),
            ("73 %".into(), "99.3 %".into(), "more than 99.9 %".into())
        );
        assert_eq!(moment(0), "1970-01-01 00:00 UTC");
        assert_eq!(moment(951_782_400 + 3661), "2000-02-29 01:01 UTC");
        assert_eq!(moment(1_800_000_000), "2027-01-15 08:00 UTC");
        assert_eq!(moment(4_107_542_399), "2100-02-28 23:59 UTC");
        assert_eq!(moment(u64::MAX), "after the year 9999");
    }
}
