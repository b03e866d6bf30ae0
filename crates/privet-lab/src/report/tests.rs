//! The same small report in every format, with friendly and with hostile words.

use privet::privacy::noise::NoiseRng;
use privet::privacy::template::CoinFlip;
use privet::privacy::{Ledger, Loss, Secret};

use super::picture::Colours;
use super::*;

fn measured(mean: f64) -> MeasuredValue {
    let (low95, high95) = (mean - 0.006, mean + 0.006);
    MeasuredValue { mean, deviation: 0.01, low95, high95, runs: 10, unit: NumberUnit::Percent }
}

fn card(noise: NoiseRng) -> Card {
    let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0).unwrap(), noise).unwrap();
    ledger.release_each(&Secret::new(vec![0.0]), &CoinFlip::new(1.0).unwrap()).unwrap();
    Card::new("a survey").with_ledger(&ledger).unwrap().with_unprotected("who took part")
}

/// A report that has everything, with `word` wherever the caller chooses the words.
fn small(word: &str) -> Report {
    let epsilons = [0.5, 1.0, f64::INFINITY];
    let accuracy = [0.61, 0.74, 0.81].map(measured);
    let plot =
        Plot::new(format!("Accuracy {word}"), Axis::epsilons(&epsilons), Axis::percent(word))
            .with(Series::measured(format!("hds {word}"), Style::Line, &accuracy))
            .with_line(Reference::measured(format!("ceiling {word}"), &measured(0.82)));
    let names = Plot::new(word, Axis::categories(word, [word, "b"]), Axis::linear(word));
    let mut table = Table::new(format!("Accuracy {word}"), ["mechanism", word]);
    table.push([Cell::from(word), measured(0.74).into()]);
    table.push([Cell::from("paper"), Cell::Beside { ours: measured(0.74), theirs: 0.75 }]);
    table.push([Cell::from("none"), Cell::missing(word)]);
    table.push([Cell::from("number"), Cell::number(f64::NEG_INFINITY), Cell::percent(0.5)]);
    table.push([Cell::from("short")]);
    let mut report = Report::new(format!("LDP-GE {word}"), format!("It fell by 8 points {word}."));
    report.command = format!("privet run ldp-ge --name {word}");
    report.cards.push(card(NoiseRng::replay(7)).with_unprotected(word));
    report.cards[0].subject = word.into();
    report.threat_model.secret.push(word.into());
    report.threat_model.not_protected.push("who knows whom".into());
    report.settings.push((word.into(), word.into()));
    let timing = |seconds, peak_bytes| Timing {
        what: word.into(),
        seconds,
        processor_seconds: None,
        peak_bytes,
    };
    report.timings = vec![timing(1.5, Some(1 << 20)), timing(f64::NAN, None)];
    let words = [Block::Text(word.into()), Block::List(vec![word.into()])];
    let more = [Block::Warning(word.into()), Block::Plot(plot), Block::Table(table)];
    report.sections.push(Section::new(word, words.into_iter().chain(more)));
    report.sections.push(Section::new("Empty", [Block::Plot(names)]));
    report
}

/// Versions change; what a report looks like should not.
fn without_version(text: &str) -> String {
    text.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn as_markdown() {
    insta::assert_snapshot!(without_version(&small("a_word").markdown()));
}

#[test]
fn as_text() {
    insta::assert_snapshot!(without_version(&small("a_word").terminal(80)));
}

#[test]
fn as_html() {
    let html = small("a_word").html();
    let body = &html[html.find("<body>").unwrap()..];
    insta::assert_snapshot!(without_version(body));
}

#[test]
fn as_svg() {
    insta::assert_snapshot!(small("a_word").plots()[0].1.picture().svg(Colours::Fixed));
}

const HOSTILE: &str =
    "</title><script>alert(\"x\")</script><img src=x onerror='y'>\u{1b}[2J|`_*\n# [a](b)";

#[test]
fn hostile_words_stay_words() {
    let report = small(HOSTILE);
    let html = report.html();
    // What is fenced is shown as it is.
    let markdown = report.markdown();
    let before_fence = markdown.split("```").next().unwrap().to_owned();
    for text in [&html, &before_fence, &report.plots()[0].1.picture().svg(Colours::Fixed)] {
        for bad in ["<script>alert", "<img", "</title><s", "\u{1b}"] {
            assert!(!text.contains(bad), "{bad} in {text}");
        }
    }
    // Every attribute that is quoted is closed: a quote from outside would change the count.
    let plain = small("word").html();
    let quotes = |text: &str| text.matches(['"', '\'']).count();
    assert_eq!(quotes(&html) % 2, quotes(&plain) % 2);
    assert!(!report.terminal(80).contains('\u{1b}'));
    // No line of Markdown starts with the heading that was smuggled in.
    assert!(!before_fence.lines().any(|line| line.starts_with("# [a]")));
}

#[test]
fn nothing_is_fetched_and_one_script_runs() {
    let html = small("word").html().replace("http://www.w3.org/2000/svg", "");
    for bad in ["http:", "https:", "src=", "href=", "url(", "@import", "<link", "onclick"] {
        assert!(!html.contains(bad), "{bad}");
    }
    assert_eq!(html.matches("<script").count(), 1);
    assert!(html.contains("default-src 'none'") && html.contains("script-src 'sha256-"));
}

/// The answer, then the picture, then the table; who is protected after the results.
#[test]
fn the_answer_comes_first() {
    let html = small("word").html();
    let at = |what: &str| html.find(what).unwrap_or_else(|| panic!("no {what}"));
    let order = ["class=\"summary\"", "class=\"stamp\"", "<svg", "<table>", "Who is protected"];
    assert!(order.map(at).windows(2).all(|pair| pair[0] < pair[1]), "{:?}", order.map(at));
    assert!(html.contains("Promised if the noise were secret: "), "in a line at the top");
}

/// A small screen has pictures of its own, and knows of every cell which column it is of.
#[test]
fn small_screens_have_their_own_pictures() {
    let html = small("word").html();
    assert_eq!(html.matches("class=\"narrow\"").count(), html.matches("class=\"broad\"").count());
    assert!(html.contains("data-of=\"word\"") && html.contains("viewBox=\"0 0 340 "));
    assert!(html.contains("class=\"hint\"") && html.contains("data-value=\"0.74\""), "{html}");
}

#[test]
fn tables_and_pictures_are_accessible() {
    let html = small("word").html();
    let count = |what: &str| html.matches(what).count();
    assert_eq!(count("<table>"), count("<caption>"));
    assert_eq!(
        count("<th"),
        count("<th scope=\"col\"") + count("<th scope=\"row\"") + count("<thead>")
    );
    assert_eq!(count("<svg"), count("<desc>"));
    assert_eq!(count("<svg"), count("role=\"img\""));
    for pair in ["section", "table", "dl", "ul", "figure", "div", "tr", "svg", "details"] {
        let opened = count(&format!("<{pair}>")) + count(&format!("<{pair} "));
        assert_eq!(opened, count(&format!("</{pair}>")), "{pair}");
    }
}

#[test]
fn simulations_are_stamped_and_others_are_not() {
    let mut report = small("word");
    let formats = |report: &Report| {
        let all = [report.html(), report.markdown(), report.terminal(80)];
        all.map(|text| text.contains(outline::SIMULATION))
    };
    assert_eq!(formats(&report), [true; 3]);
    report.cards = vec![card(NoiseRng::from_operating_system().unwrap())];
    assert_eq!(formats(&report), [false; 3]);
    assert!(!report.html().contains("promises no protection"));
    report.cards.clear();
    for text in [report.html(), report.markdown(), report.terminal(80)] {
        assert!(text.contains("promises no protection"));
    }
}

#[test]
fn json_comes_back() {
    let mut report = small(HOSTILE);
    let axis = Axis::log("epsilon").reaching(f64::INFINITY);
    let points = [(f64::INFINITY, f64::NEG_INFINITY), (0.1, 1.0 / 3.0)];
    let plot =
        Plot::new("far", axis, Axis::linear("y")).with(Series::new("s", Style::Step, points));
    report.sections[1].blocks.push(Block::Plot(plot));
    let json = report.json().unwrap();
    let back: Report = serde_json::from_str(&json).unwrap();
    assert_eq!(back.json().unwrap(), json);
    // Not a number is not equal to itself; everything else is.
    let finite = |mut report: Report| {
        report.timings.clear();
        report
    };
    assert_eq!(finite(back), finite(report));
}

#[test]
fn a_folder_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("new/report");
    let report = small("word");
    let files = report.write(&target).unwrap();
    assert_eq!(report.write(&target).unwrap(), files);
    let names = |folder: &std::path::Path| {
        let entries = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&target), ["plots", "report.html", "report.json", "report.md"]);
    let svg: Vec<String> =
        names(&target.join("plots")).into_iter().filter(|name| name.ends_with("svg")).collect();
    assert_eq!(svg, ["01-accuracy-word.svg", "02-word.svg"]);
    let markdown = std::fs::read_to_string(target.join("report.md")).unwrap();
    assert!(svg.iter().all(|name| markdown.contains(&format!("(plots/{name})"))));
    std::fs::write(target.join("file"), "").unwrap();
    let error = report.write(&target.join("file")).unwrap_err().to_string();
    assert!(error.starts_with("cannot write ") && error.contains("file"), "{error}");
}
