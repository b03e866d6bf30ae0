use super::*;
use crate::report::{Axis, Reference, Series, Style};

fn cells(table: &Table) -> Vec<Vec<String>> {
    let (_, rows) = table.shown();
    rows.into_iter().map(|row| row.into_iter().map(|cell| cell.main).collect()).collect()
}

/// Places of an axis of names are told by name; those that have none, by number.
#[test]
fn a_plot_has_its_numbers_beside_it() {
    let axis = Axis::categories("mechanism", ["hds", "laplace"]);
    let plot = Plot::new("accuracy", axis, Axis::percent("test"))
        .with(Series::new("cora", Style::Line, [(0.0, 0.5), (1.0, 0.25), (7.0, 0.1)]))
        .with_line(Reference { name: "ceiling".into(), y: 0.9, low: Some(0.8), high: None });
    let table = numbers(&plot);
    assert_eq!(table.columns, ["series", "mechanism", "test", "low", "high"]);
    let rows = cells(&table);
    assert_eq!(rows[0], ["cora", "hds", "50 %", "", ""]);
    assert_eq!(rows[1][1], "laplace");
    assert_eq!(rows[2][1], "7", "no third name");
    assert_eq!(rows[3], ["ceiling", "", "90 %", "80 %", ""]);
    let linear = Plot::new("errors", Axis::percent("share"), Axis::linear("error"))
        .with(Series::new("one", Style::Scatter, [(0.5, 2.0)]));
    assert_eq!(cells(&numbers(&linear))[0][1..3], ["50 %", "2"]);
}

#[test]
fn many_points_are_drawn_and_not_listed() {
    let page = |count: usize| {
        let points = (0..count).map(|at| (at as f64, at as f64));
        let plot = Plot::new("points", Axis::linear("x"), Axis::linear("y")).with(Series::new(
            "all",
            Style::Scatter,
            points,
        ));
        let mut out = String::new();
        write_plot(&mut out, &plot).unwrap();
        out
    };
    assert!(page(POINTS).contains("<details>"));
    assert!(!page(POINTS + 1).contains("<details>") && page(POINTS + 1).contains("<svg"));
    assert!(!page(0).contains("<details>"), "nothing to list");
}

/// Whatever words are given, an element holds them as text, in every kind of block.
#[test]
fn no_block_lets_markup_through() {
    let bad = "<b onclick=\"x\">&'".to_owned();
    let mut table = Table::new(bad.clone(), [bad.clone()]);
    table.push([Cell::from(bad.clone()), Cell::missing(bad.clone())]);
    let blocks = [
        Block::Text(bad.clone()),
        Block::Warning(bad.clone()),
        Block::List(vec![bad.clone()]),
        Block::KeyValues(vec![(bad.clone(), bad.clone())]),
        Block::Table(table),
        Block::Plot(Plot::new(bad.clone(), Axis::linear(bad.clone()), Axis::linear(bad.clone()))),
        Block::Meter { spent: 1.0, of: 2.0, words: bad.clone() },
        Block::Command(bad),
    ];
    for block in &blocks {
        let mut out = String::new();
        write_block(&mut out, block).unwrap();
        assert!(!out.contains("<b ") && !out.contains("onclick=\"x\""), "{out}");
        assert!(out.contains("&lt;b onclick=&quot;x&quot;&gt;&amp;&#39;"), "{out}");
    }
}

/// A browser runs what sums up to what the page says, and nothing else.
#[test]
fn the_script_is_the_one_that_is_named() {
    use sha2::Digest as _;
    let digest = sha2::Sha256::digest(format!("\n{SCRIPT}").as_bytes());
    let sum = base64(&digest);
    assert_eq!(SCRIPT_SUM, sum, "page.js changed: SCRIPT_SUM is {sum} now");
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letters = |part: &[u8]| {
        let at = |at: usize| u32::from(part.get(at).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        let letter = move |n: usize| match n > part.len() {
            true => '=',
            false => char::from(LETTERS[(bits >> (18 - 6 * n)) as usize & 63]),
        };
        (0..4).map(letter).collect::<String>()
    };
    bytes.chunks(3).map(letters).collect()
}

/// A budget is drawn as far as it is spent, and no further than its end.
#[test]
fn a_meter_fills_up() {
    let drawn = |spent: f64| {
        let mut out = String::new();
        write_meter(&mut out, spent, 2.0, "words").unwrap();
        out
    };
    assert!(drawn(1.0).contains("width:50.0%") && drawn(1.0).contains("<p>words</p>"));
    assert!(drawn(3.0).contains("class=\"full\" style=\"width:100.0%\""));
}

/// Rows are named by their first cell, and short rows are filled up.
#[test]
fn rows_have_heads_and_are_equally_long() {
    let mut table = Table::new("two rows", ["name", "number"]);
    table.push([Cell::from("long"), Cell::number(1.5), Cell::from("more")]);
    table.push([Cell::from("short")]);
    let mut out = String::new();
    write_table(&mut out, &table).unwrap();
    assert_eq!(out.matches("<th scope=\"row\"").count(), 2);
    assert_eq!(out.matches("<td").count(), 4);
    assert_eq!(out.matches("<th scope=\"col\">").count(), 3);
    assert!(
        out.contains("<td class=\"number\" data-of=\"number\" data-value=\"1.5\">1.5</td>"),
        "{out}"
    );
}
