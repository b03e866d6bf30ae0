use super::*;
use crate::report::Timing;

fn titles(report: &Report) -> Vec<String> {
    sections(report).into_iter().map(|section| section.title).collect()
}

/// Results come first and how to repeat it last; what is empty is left out.
#[test]
fn sections_come_in_the_order_of_reading() {
    let mut report = Report::new("title", "summary");
    report.versions.clear();
    assert_eq!(titles(&report), ["Who is protected, and from whom"]);
    report.sections.push(Section::new("Results", [Block::Text("text".into())]));
    report.settings.push(("epsilon".into(), "1".into()));
    report.command = "privet run".into();
    let timing =
        Timing { what: "a run".into(), seconds: 1.0, processor_seconds: None, peak_bytes: None };
    report.timings.push(timing);
    let expected = [
        "Results",
        "Who is protected, and from whom",
        "Time and memory",
        "Settings and versions",
        "How to repeat it",
    ];
    assert_eq!(titles(&report), expected);
    report.command = "  ".into();
    assert_eq!(titles(&report).len(), 4, "blanks are no command");
}

/// A threat model that names nothing says so, and what both it and a card leave open is said once.
#[test]
fn what_is_not_protected_is_said_once() {
    let mut report = Report::new("title", "summary");
    let pairs = |report: &Report| match &guarantees(report).blocks[0] {
        Block::KeyValues(pairs) => pairs.clone(),
        other => panic!("{other:?}"),
    };
    assert!(pairs(&report).iter().all(|(_, value)| value == "nothing was declared"));
    report.threat_model.not_protected = vec!["labels".into(), "edges".into()];
    report.cards.push(Card::new("a card").with_unprotected("labels").with_unprotected("ids"));
    assert_eq!(pairs(&report)[2], ("NOT protected".into(), "labels; edges; ids".into()));
}

#[test]
fn without_a_card_nobody_is_promised_anything() {
    let report = Report::new("title", "summary");
    let warns = |report: &Report| {
        let blocks = guarantees(report).blocks;
        blocks
            .iter()
            .any(|block| matches!(block, Block::Warning(text) if text.contains("promises no protection")))
    };
    assert!(warns(&report));
    let with = Report { cards: vec![Card::new("a card")], ..report };
    assert!(!warns(&with));
}

#[test]
fn times_and_memory_that_nobody_measured_are_missing() {
    let mut report = Report::new("title", "summary");
    let timing = |processor_seconds, peak_bytes| Timing {
        what: "a run".into(),
        seconds: 61.0,
        processor_seconds,
        peak_bytes,
    };
    report.timings = vec![timing(None, None), timing(Some(0.5), Some(2048))];
    let Block::Table(table) = &costs(&report).blocks[0] else { panic!("no table") };
    assert_eq!(
        table.rows[0][1..],
        [Cell::from("1 min 1 s"), Cell::missing("not measured"), Cell::missing("not measured")]
    );
    assert_eq!(table.rows[1][2..], [Cell::from("500 ms"), Cell::from("2.0 KiB")]);
}
