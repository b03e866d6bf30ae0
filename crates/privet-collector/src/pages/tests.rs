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

fn progress(words: &str, open: bool) -> Progress {
    let (title, name) = (words.to_owned(), "ab".repeat(32));
    Progress { name, title, people: 5000, reports: 1200, open, entry: Entry::Open, until: Some(0) }
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
            !page.contains(" style=") && !page.contains(" onclick=") && !page.contains("<style")
        );
    }
    let told =
        pages.iter().filter(|page| page.contains("&lt;script&gt;alert(1)&lt;/script&gt;")).count();
    assert_eq!(told, 4);
}

#[test]
fn what_a_form_sends_says_that_this_page_made_it() {
    let pages = all("token-of-this-form");
    for (page, forms) in pages.iter().zip([0, 1, 1, 0, 0, 0]) {
        let told = page.matches("name=\"form_token\" value=\"token-of-this-form\"").count();
        assert_eq!(
            (told, page.matches("action=\"/admin/").count()),
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
        let page = PersonPage { sealed: &sealed, asked: &asked, card: &card, progress: &progress };
        let page = person(&page).into_string();
        assert_eq!(page.contains("This task is closed"), !open);
        assert_eq!(page.contains("<form id=\"answer\""), open && WASM.is_some());
        assert_eq!(page.contains("built without"), open && WASM.is_none());
        // 3 for the record and 2 an entry: what somebody can become sure of.
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
    assert!(SCRIPT.contains("async function worker()") && SCRIPT.contains("function page(form)"));
    assert!(STYLE.contains("prefers-color-scheme: dark") && STYLE.contains("@media print"));
    // Nothing from elsewhere.
    for text in [SCRIPT, STYLE] {
        assert!(
            !text.replace("http://www.w3.org/2000/svg", "").contains("//www")
                && !text.contains("https:")
        );
    }
}
