use std::io::Cursor;

use proptest::prelude::*;

use super::*;

fn read_with(
    text: &[u8],
    delimiter: Delimiter,
    columns: &[&str],
    limits: &Limits,
) -> Result<Vec<(u64, Vec<String>)>> {
    let wanted: Vec<Wanted<'_>> = columns.iter().map(|name| Wanted::required(name)).collect();
    let reader = Box::new(Slow(Cursor::new(text.to_vec())));
    let mut rows =
        Delimited::open(reader, SourceLocation::file("t.csv"), delimiter, &wanted, limits)?;
    let mut all = Vec::new();
    while rows.advance()? {
        let cells = (0..columns.len()).map(|at| rows.cell(at).as_text().into_owned());
        all.push((rows.number(), cells.collect()));
    }
    Ok(all)
}

fn read(text: impl AsRef<[u8]>, columns: &[&str]) -> Result<Vec<(u64, Vec<String>)>> {
    read_with(text.as_ref(), Delimiter::Detect, columns, &Limits::default())
}

fn told(text: impl AsRef<[u8]>, columns: &[&str]) -> String {
    read(text, columns).unwrap_err().to_string()
}

/// Hands out a byte or two at a time, so that everything is torn somewhere.
struct Slow(Cursor<Vec<u8>>);

impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let few = buffer.len().min(1 + self.0.position() as usize % 2);
        self.0.read(&mut buffer[..few])
    }
}

fn row(line: u64, cells: &[&str]) -> (u64, Vec<String>) {
    (line, cells.iter().map(|&cell| cell.into()).collect())
}

#[test]
fn cells_by_name_whatever_ends_the_lines() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["id,skipped,age", "ann,x,1", "", "bob, y , 2 "].join(end);
        let expected = [row(2, &["1", "ann"]), row(4, &["2", "bob"])];
        assert_eq!(read(&text, &["age", "id"]).unwrap(), expected, "{end:?}");
        assert_eq!(read(text + end, &["age", "id"]).unwrap(), expected, "{end:?}");
    }
}

#[test]
fn quotes_hold_delimiters_line_ends_and_quotes() {
    let text = "\u{feff}\"id\",notes\r\n1,\"a, \"\"b\"\"\r\nsecond line\"\r\n2, \"x\" \n3,5\" pipe\n\"\",\"\"\n";
    let expected = [
        row(2, &["1", "a, \"b\"\r\nsecond line"]),
        row(4, &["2", "x"]),
        row(5, &["3", "5\" pipe"]),
        row(6, &["", ""]),
    ];
    assert_eq!(read(text, &["id", "notes"]).unwrap(), expected);
}

#[test]
fn the_delimiter_is_the_one_that_names_the_columns() {
    for text in ["id;x,y\n1;2", "id\tx,y\n1\t2"] {
        assert_eq!(read(text, &["id", "x,y"]).unwrap(), [row(2, &["1", "2"])]);
    }
    assert_eq!(read("\"id\";\"a;b\"\n1;2", &["id", "a;b"]).unwrap(), [row(2, &["1", "2"])]);
    assert_eq!(read("id\nann\n", &["id"]).unwrap(), [row(2, &["ann"])]);
    let tabs = read_with(b"id,a\tb\n1\t2", Delimiter::Tab, &["id,a"], &Limits::default());
    assert_eq!(tabs.unwrap(), [row(2, &["1"])]);
    assert_eq!(Delimiter::by_name(Path::new("a/B.TSV.gz")), Delimiter::Tab);
    assert_eq!(Delimiter::by_name(Path::new("b.txt")), Delimiter::Detect);
}

#[test]
fn what_would_lose_people_is_an_error_with_its_line() {
    let names = ["id", "a"];
    let cases: [(&[u8], &str); 9] = [
        (b"", "t.csv: found an empty table"),
        (b"\n\r\n\n", "t.csv: found an empty table"),
        (b"id,a\n1,2\n\n3\n", "line 4: found 1 cells; expected 2"),
        (b"id,a\n1,2,3\n", "line 2: found 3 cells; expected 2"),
        (b"id,a\n1,\"x\n2,y\n3,z\n", "line 2: found a quote that is never closed"),
        (b"id,a\n1,\"x\ny\" z\n", "line 3: found text after a closing quote"),
        (b"id,a\n1,2\n\xff,3\n", "line 3: found bytes that are not UTF-8"),
        (b"id,a\n1,2\nx\0y,3\n", "line 3: found a NUL byte"),
        (b"id,a\n1,2\n3,\xe5\xa3", "line 3: found bytes that are not UTF-8"),
    ];
    for (text, expected) in cases {
        let told = told(text, &names);
        assert!(told.contains(expected), "{}: {told}", String::from_utf8_lossy(text));
    }
    assert!(told(b"\xff\xfei\0d\0", &names).contains("not UTF-8"));
}

#[test]
fn columns_that_are_not_there() {
    let told_of = told("ann,34\nbob,17\n", &["id", "age"]);
    assert!(told_of.contains("no column 'id' among (withheld)"), "{told_of}");
    assert!(told_of.contains("a first row that names the columns"), "{told_of}");
    assert!(!told_of.contains("34") && !told_of.contains("ann"), "{told_of}");
    let near = told("ID,Age\n1,2\n", &["ID", "age"]);
    assert!(near.contains("line 1: ") && near.contains("(there is 'Age')"), "{near}");
    assert!(told("id,id\n1,2\n", &["id"]).contains("two columns called 'id'"));
    assert!(read("x,x,id\n1,2,3\n", &["id"]).is_ok());
}

#[test]
fn a_line_without_end_is_cut_short() {
    let limits = Limits { line_bytes: 1000, ..Limits::default() };
    let text = format!("id,a\n1,\"{}", "x".repeat(5000));
    let error = read_with(text.as_bytes(), Delimiter::Detect, &["id"], &limits).unwrap_err();
    assert!(error.to_string().contains("--max-line-bytes"), "{error}");
}

/// A cell as a careful writer writes it.
fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

proptest! {
    #[test]
    fn what_is_quoted_comes_back(
        cells in prop::collection::vec(("[a,;\"\n\r\t é]{0,6}", "[a,;\"\n\r\t é]{0,6}"), 1..6)
    ) {
        let lines = cells.iter().map(|(a, b)| format!("{},{}\n", quoted(a), quoted(b)));
        let text: String = std::iter::once("p,q\n".to_owned()).chain(lines).collect();
        let read: Vec<Vec<String>> =
            read(text, &["p", "q"]).unwrap().into_iter().map(|(_, cells)| cells).collect();
        let trimmed = |(a, b): &(String, String)| vec![a.trim().to_owned(), b.trim().to_owned()];
        prop_assert_eq!(read, cells.iter().map(trimmed).collect::<Vec<_>>());
    }

    /// Another splitter, the same cells, wherever both accept the text.
    #[test]
    fn agrees_with_the_csv_crate(text in "[ab,\"\n\r]{0,40}") {
        let text = format!("p,q\n{text}\n");
        if let Ok(ours) = read(&text, &["p", "q"]) {
            let mut theirs = csv::ReaderBuilder::new().from_reader(text.as_bytes());
            let theirs: Vec<Vec<String>> = theirs
                .records()
                .map(|record| record.unwrap().iter().map(|cell| cell.trim().to_owned()).collect())
                .collect();
            prop_assert_eq!(ours.into_iter().map(|(_, cells)| cells).collect::<Vec<_>>(), theirs);
        }
    }

    #[test]
    fn no_bytes_panic(text in prop::collection::vec(any::<u8>(), 0..80)) {
        let _ = read(&text, &["a"]);
        let mut named = b"a,b\n".to_vec();
        named.extend(text);
        let _ = read(&named, &["a"]);
    }
}
