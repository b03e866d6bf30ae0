//! Edge lists: lines of two ids, as csv, tsv, SNAP text or anything like them.
//!
//! * Columns are separated by a comma, tab, semicolon, `|` or blanks (detected), or by any byte the
//!   user names. Between commas and semicolons, ids may be quoted.
//! * Lines that begin with `#` or `%` are comments, wherever they stand; blank lines are skipped.
//! * A first line of column names is recognised; columns after the second are ignored.
//! * Ids are integers below 2^64, gaps allowed, or names; one name among integers makes names of them all.
//!   Nodes are numbered in ascending order of id, so that their order does not tell who was listed when.
//!
//! Memory: 8 bytes per edge while reading, then the rows of the graph; text is streamed. Where the options name a
//! place for what does not fit ([`Spill`](super::Spill)), edges beyond the memory allowed are sorted on disk.
//!
//! ```
//! use privet_data::formats::{Bundle, Limits, ReadOptions, edge_list};
//! let text = b"# who knows whom\nsource,target\nann,bob\nbob,\"Cy, jr.\"\n".to_vec();
//! let bundle = Bundle::from_memory("demo", [("friends.csv", text)], Limits::default());
//! let friends = edge_list::read(&bundle, &ReadOptions::default())?.into_nodes()?;
//! assert_eq!(friends.name(), "friends");
//! assert_eq!(friends.graph().edge_count(), 2);
//! assert_eq!(friends.ids().get(0).to_string(), "Cy, jr.");
//! # Ok::<(), privet_graph::Error>(())
//! ```

mod dialect;
mod fields;
mod numbering;
mod reader;

use self::dialect::{Dialect, FirstLine};
use self::fields::LineFields;
use self::reader::{EdgeLines, is_comment, without_byte_order_mark};
use super::bundle::HEAD;
use super::pair_lines::{Separator, read_pairs};
use super::{Bundle, NamedInput, ReadOptions};
use crate::{Dataset, Direction, FactOrigin, LoadedData, Notice, Result};

/// More columns than this are a table of features or an adjacency matrix.
const MOST_COLUMNS: usize = 16;

/// Whether the first lines of the first member are plainly edges. It is asked last, so whatever is
/// text in columns would do; files that merely might be edges have to be named by `--format`.
pub(crate) fn recognises(bundle: &Bundle) -> bool {
    let Some(Ok(head)) = bundle.members().first().map(|member| bundle.head(member)) else {
        return false;
    };
    let lines = whole_lines(&head);
    let Ok(dialect) = Dialect::detect(&lines, &ReadOptions::default()) else { return false };
    let columns: Option<Vec<usize>> =
        lines.iter().map(|line| column_count(line, dialect.separator)).collect();
    let even = columns.is_some_and(|columns| {
        columns.first().is_some_and(|first| (2..=MOST_COLUMNS).contains(first))
            && columns.windows(2).all(|pair| pair[0] == pair[1])
    });
    even && is_text(&head) && !opens_markup(lines[0]) && are_edges(&lines, dialect)
}

/// The data lines of a file's beginning, without one that may be cut off.
fn whole_lines(head: &[u8]) -> Vec<&[u8]> {
    let cut_off = head.len() as u64 >= HEAD;
    let head = without_byte_order_mark(head);
    let end = if cut_off { memchr::memrchr(b'\n', head).unwrap_or(0) } else { head.len() };
    let lines = head[..end].split(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).filter(|l| !is_comment(l)).collect()
}

fn column_count(line: &[u8], separator: Separator) -> Option<usize> {
    let fields: Vec<_> = LineFields::new(line, separator).collect::<Result<_, _>>().ok()?;
    let named = fields.iter().take(2).all(|field| !field.is_empty());
    named.then_some(fields.len())
}

fn is_text(head: &[u8]) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, b'\t' | b'\r' | b'\n');
    let utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        // A character may be cut in half at the end of the head.
        Err(error) => error.error_len().is_none(),
    };
    utf8 && !head.iter().any(control)
}

fn opens_markup(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start().first(), Some(b'{' | b'[' | b'<' | b'('))
}

/// Tells edges from prose and from tables of labels, which have columns too.
fn are_edges(lines: &[&[u8]], dialect: Dialect) -> bool {
    let heads: Vec<_> =
        lines.iter().filter_map(|line| dialect::head(line, dialect.separator)).collect();
    let Some(first) = heads.first() else { return false };
    if dialect::is_known_header(first) {
        return true;
    }
    let data = &heads[usize::from(dialect.first_line != FirstLine::Data)..];
    let second = dialect::plain_name(&first[1]);
    if ["label", "labels", "target", "class", "category", "y"].contains(&second.as_str()) {
        return false;
    }
    let integers = data.iter().flatten().all(|id| dialect::is_number(id.as_bytes()));
    // Between blanks, two names a line are edges; anything else is more likely a sentence.
    let by_pairs = |line: &&[u8]| column_count(line, Separator::Blanks) == Some(2);
    integers
        || dialect.separator != Separator::Blanks
        || (lines.len() > 1 && lines.iter().all(by_pairs))
}

/// Reads an edge list: the member the options name, or else the first.
///
/// # Errors
/// If a line does not hold two ids, or the input cannot be read.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let member = chosen_member(bundle, options)?;
    let input: NamedInput = bundle.open(member)?;
    let place = input.place.clone();
    let mut lines = EdgeLines::new(place.clone(), options);
    read_pairs(input, bundle.limits(), &mut lines)?;
    lines.end()?;
    let EdgeLines { numbering, mut notices, .. } = lines;
    let (ids, pairs) = numbering.finish()?;
    let direction = options.direction.unwrap_or(Direction::Undirected);
    let (graph, report) = pairs.build(&place, ids.len(), direction, options)?;
    notices.extend(Notice::folded(&place, &report));
    notices.extend(ignored_members(bundle, member, options));
    let dataset = Dataset::new(stem(member), graph, ids)?.with_ids_origin(FactOrigin::ReadOff);
    Ok(LoadedData::Nodes(dataset.with_notices(notices)))
}

fn chosen_member<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Result<&'a str> {
    let members = bundle.members();
    let found = match &options.member {
        Some(wanted) => members.iter().find(|name| *name == wanted || stem(name) == wanted),
        None => members.first(),
    };
    let wanted = options.member.as_deref().unwrap_or("an edge list");
    let missing = || bundle.place().malformed("no such member", wanted);
    found.map(String::as_str).ok_or_else(missing)
}

/// A file's siblings are not part of it, but the members of an archive or folder are.
fn ignored_members(bundle: &Bundle, member: &str, options: &ReadOptions) -> Option<Notice> {
    let others = bundle.members().len() - 1;
    let one_of_many = others > 0 && bundle.member_place(member) != *bundle.place();
    let text = format!("only {member} was read; {others} other members ignored");
    (one_of_many && options.member.is_none()).then(|| Notice::new(bundle.place(), text))
}

/// A member's name without its folder, its compression and its last ending.
pub(crate) fn stem(member: &str) -> &str {
    let name = member.rsplit('/').next().unwrap_or(member);
    let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
    match plain.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    //! What edge lists say, what is wrong with bad ones, and that no bytes do harm.

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::formats::{HeaderRow, Limits};
    use crate::{Id, SelfLoops};

    fn bundle(text: impl Into<Vec<u8>>) -> Bundle {
        Bundle::from_memory("m", [("graph.txt", text.into())], Limits::default())
    }

    fn read_with(text: &str, options: ReadOptions) -> Result<Dataset> {
        read(&bundle(text), &options)?.into_nodes()
    }

    fn dataset(text: &str) -> Dataset {
        read_with(text, ReadOptions::default()).unwrap()
    }

    fn error(text: &str) -> String {
        let message = read_with(text, ReadOptions::default()).unwrap_err().with_values();
        message.strip_prefix("m, member graph.txt, ").unwrap_or(&message).to_owned()
    }

    fn names(dataset: &Dataset) -> Vec<String> {
        dataset.ids().iter().map(|id| id.to_string()).collect()
    }

    fn edges(dataset: &Dataset) -> Vec<(u32, u32)> {
        dataset.graph().edges().collect()
    }

    fn notices(dataset: &Dataset) -> Vec<String> {
        dataset.notices().iter().map(|notice| notice.text.clone()).collect()
    }

    #[test]
    fn snap_text_with_gaps_comments_and_windows_line_ends() {
        let text =
            "\u{feff}# Nodes: 9 Edges: 9\r\n\r\n7\t30\r\n% aside\r\n30\t7\r\n  # more\r\n9\t9\r\n";
        let data = dataset(text);
        assert_eq!(data.name(), "graph");
        assert_eq!(names(&data), ["7", "9", "30"]);
        assert_eq!(edges(&data), [(0, 2)]);
        assert_eq!(notices(&data), ["1 repeated edge folded", "1 self-loop dropped"]);
        assert_eq!(data.notices()[0].place.to_string(), "m, member graph.txt");
    }

    #[test]
    fn all_ids_in_a_row_are_their_own_numbers() {
        let data = dataset("2 1\n0 3\n");
        assert!(data.ids().is_sequential());
        assert_eq!(edges(&data), [(0, 3), (1, 2)]);
    }

    #[test]
    fn direction_and_self_loops_as_asked() {
        let options = ReadOptions {
            direction: Some(Direction::Directed),
            self_loops: SelfLoops::Keep,
            ..ReadOptions::default()
        };
        let data = read_with("1 0\n0 1\n1 1\n1 1\n", options).unwrap();
        assert_eq!(edges(&data), [(0, 1), (1, 0), (1, 1)]);
        assert_eq!(notices(&data), ["1 repeated edge folded"]);
    }

    #[test]
    fn names_are_sorted_and_may_be_quoted() {
        let data = dataset("source,target\n\"Smith, J.\",bob\nbob,\"a \"\"b\"\"\"\nann,\"bob\"\n");
        assert_eq!(names(&data), ["Smith, J.", "a \"b\"", "ann", "bob"]);
        assert_eq!(edges(&data), [(0, 3), (1, 3), (2, 3)]);
        assert_eq!(data.ids_origin(), FactOrigin::ReadOff);
    }

    #[test]
    fn one_name_makes_names_of_all() {
        let data = dataset("5 3\n3 007\n18446744073709551616 5\n");
        assert_eq!(names(&data), ["3", "5", "007", "18446744073709551616"]);
        assert!(matches!(data.ids().get(1), Id::Text("5")));
        assert_eq!(edges(&data), [(0, 1), (0, 2), (1, 3)]);
    }

    #[test]
    fn more_columns_are_ignored_and_named() {
        let data = dataset("from;to;weight;\"since; when\"\n1;2;0,5;1999\n2;3;1;\n");
        assert_eq!(edges(&data), [(0, 1), (1, 2)]);
        assert_eq!(notices(&data), ["2 columns after the first two (weight, since; when) ignored"]);
        assert_eq!(data.notices()[0].place.to_string(), "m, member graph.txt, line 2");
        assert_eq!(notices(&dataset("1 2 9\n")), ["1 column after the first two ignored"]);
        assert!(notices(&dataset("1,2,\n1,3, \n")).is_empty(), "a separator at the end");
    }

    #[test]
    fn headers() {
        assert_eq!(dataset("u v\nann bob\n").graph().node_count(), 2);
        let guessed = dataset("ego,alter\n1,2\n");
        assert_eq!(names(&guessed), ["1", "2"]);
        assert_eq!(notices(&guessed), ["taken for column names, not for an edge: ego, alter"]);
        let absent = ReadOptions { header: HeaderRow::Absent, ..ReadOptions::default() };
        assert_eq!(read_with("ego,alter\n1,2\n", absent).unwrap().graph().node_count(), 4);
        let present = ReadOptions { header: HeaderRow::Present, ..ReadOptions::default() };
        assert_eq!(read_with("3,4\n1,2\n", present).unwrap().graph().node_count(), 2);
    }

    #[test]
    fn any_delimiter_by_name() {
        let colon = ReadOptions { delimiter: Some(b':'), ..ReadOptions::default() };
        assert_eq!(edges(&read_with("0:1\n1 : 2\n", colon).unwrap()), [(0, 1), (1, 2)]);
        let newline = ReadOptions { delimiter: Some(b'\n'), ..ReadOptions::default() };
        let message = read_with("0 1\n", newline).unwrap_err().with_values();
        assert!(message.starts_with("delimiter is '\\n'"), "{message}");
    }

    #[test]
    fn the_dialect_holds_beyond_the_sample() {
        let mut text = String::from("id_1,id_2\n");
        (0..1000).for_each(|i| text += &format!("{i},{}\n", i + 1));
        text += "# the end\n";
        assert_eq!(dataset(&text).graph().edge_count(), 1000);
        let message = error(&format!("{text}1000\n"));
        assert_eq!(
            message,
            "line 1003: found one column ('1000'); expected two ids separated by ','"
        );
    }

    #[test]
    fn errors_name_the_line_and_what_is_right() {
        for (text, expected) in [
            (
                "1 2\n-3 4\n",
                "line 2: found the negative id '-3'; expected ids that are non-negative",
            ),
            ("a b\nc -9\n", "line 2: found the negative id '-9'"),
            ("1 2\n3\n", "line 2: found one column ('3'); expected two ids separated by blanks"),
            ("1,2\n,4\n", "line 2: found an empty column"),
            ("1,2\n1,\"\"\n", "line 2: found an empty column"),
            ("1 2\n\n18446744073709551616 3\n", "line 3: found the id '18446744073709551616'"),
            ("a,b\n\"c,d\n", "line 2: found a quote that does not close"),
            ("a,b\nc,d,\"e\nf\",x\n", "line 2: found a quote that does not close"),
            ("a,b\n\"c\"d,e\n", "line 2: found text after a closing quote"),
            ("# nothing\n\n", "no edges"),
            ("source target\n", "no edges"),
        ] {
            let message = error(text);
            assert!(message.contains(expected), "{text:?}: {message}");
        }
        let message =
            read(&bundle(b"a b\nc \xff\n".to_vec()), &ReadOptions::default()).unwrap_err();
        assert!(
            message.to_string().contains("line 2: found bytes that are not UTF-8"),
            "{message}"
        );
    }

    #[test]
    fn long_lines_are_refused() {
        let limits = Limits { line_bytes: 10, ..Limits::default() };
        let text = b"1 2\n1 2 and much more\n".to_vec();
        let bundle = Bundle::from_memory("m", [("g", text)], limits);
        let message = read(&bundle, &ReadOptions::default()).unwrap_err().with_values();
        assert!(message.starts_with("m, member g, line 2: line length exceeds"), "{message}");
    }

    #[test]
    fn members_are_chosen_by_name() {
        let files = [("a/one.csv", b"0,1\n".to_vec()), ("a/two.csv.gz", b"0,1\n1,2\n".to_vec())];
        let bundle = Bundle::from_memory("m", files, Limits::default());
        let first = read(&bundle, &ReadOptions::default()).unwrap();
        assert_eq!(first.notices()[0].text, "only a/one.csv was read; 1 other members ignored");
        let named =
            |member: &str| ReadOptions { member: Some(member.into()), ..ReadOptions::default() };
        let two = read(&bundle, &named("two")).unwrap().into_nodes().unwrap();
        assert_eq!((two.name(), two.graph().edge_count(), two.notices().len()), ("two", 2, 0));
        assert!(read(&bundle, &named("three")).is_err());
        let nothing = Bundle::from_memory("m", Vec::<(String, Vec<u8>)>::new(), Limits::default());
        assert!(read(&nothing, &ReadOptions::default()).is_err() && !recognises(&nothing));
    }

    #[test]
    fn recognises_edges_and_little_else() {
        for text in [
            "1 2\n",
            "# c\n\n1\t2\n3\t4\n",
            "id_1,id_2\n0,1\n",
            "source\ttarget\na\tb\n",
            "a,b\nb,c\n",
            "1 2 0.5\n2 3 0.25\n",
            "ann bob\nbob cy\n",
            "0 1 {}\n1 2 {}\n",
        ] {
            assert!(recognises(&bundle(text)), "{text:?}");
        }
        for text in [
            "",
            "\n",
            "188\n23 1\n0 2 1 22\n",
            "{\"0\": [1, 2]}",
            "<graphml a=\"1\">\n",
            "1 2\n3\n",
            "id,target\n0,1\n1,0\n",
            "It was a dark night.\nIt rained a lot.\n",
            "hello world\n",
            "1 2 3\n2 4\n",
            "1\n2\n",
            "PK\u{3},\u{4}\n",
            "# only comments\n",
            "(dp0 x\nS'a' y\n",
        ] {
            assert!(!recognises(&bundle(text)), "{text:?}");
        }
        assert!(!recognises(&bundle(b"\xff\xfe,1\n".to_vec())));
        assert!(!recognises(&bundle((["1"; 40].join(" ") + "\n").into_bytes())), "a matrix");
        // The last line of a long head is cut off, and no evidence.
        assert!(recognises(&bundle("123,456\n".repeat(1000) + "x")));
    }

    /// How a writer might print an edge list.
    #[derive(Debug, Clone)]
    struct ListStyle {
        delimiter: u8,
        header: bool,
        line_end: &'static str,
        comments: bool,
        extra: bool,
        final_line_end: bool,
    }

    fn styles() -> impl Strategy<Value = ListStyle> {
        let delimiters = prop::sample::select(b",;|\t :!".to_vec());
        let line_ends = prop::sample::select(vec!["\n", "\r\n"]);
        (delimiters, any::<[bool; 4]>(), line_ends).prop_map(|(delimiter, flags, line_end)| {
            let [header, comments, extra, final_line_end] = flags;
            ListStyle { delimiter, header, line_end, comments, extra, final_line_end }
        })
    }

    fn print(edges: &[(String, String)], style: &ListStyle) -> String {
        let delimiter = char::from(style.delimiter);
        let mut lines = Vec::new();
        let weight = |name| if style.extra { format!("{delimiter}{name}") } else { String::new() };
        if style.header {
            lines.push(format!("source{delimiter}target{}", weight("weight")));
        }
        for (at, (u, v)) in edges.iter().enumerate() {
            if style.comments && at % 3 == 0 {
                lines.push("# a comment, with; any|thing".into());
                lines.push(String::new());
            }
            lines.push(format!("{u}{delimiter}{v}{}", weight("0.5")));
        }
        let mut text = lines.join(style.line_end);
        if style.final_line_end {
            text += style.line_end;
        }
        text
    }

    /// Ids of which a file has either or both: small, large and huge integers, names.
    fn ids() -> impl Strategy<Value = Vec<(String, String)>> {
        let small = (0u64..60).prop_map(|id| id.to_string());
        let large =
            prop::sample::select(vec![1u64 << 32, 1 << 50, u64::MAX]).prop_map(|i| i.to_string());
        let name = "[a-z][a-z0-9_.-]{0,3}";
        let edges = |id: BoxedStrategy<String>| prop::collection::vec((id.clone(), id), 1..120);
        prop_oneof![
            edges(small.clone().boxed()),
            edges(prop_oneof![9 => small.clone(), 1 => large].boxed()),
            edges(prop_oneof![30 => small, 1 => name].boxed()),
            edges(name.boxed()),
        ]
    }

    /// What the rules say, in the plainest way: ids in node order, and the set of edges by name.
    fn oracle(edges: &[(String, String)]) -> (Vec<String>, BTreeSet<(String, String)>) {
        let mut order: Vec<String> = Vec::new();
        for id in edges.iter().flat_map(|(u, v)| [u, v]) {
            if !order.contains(id) {
                order.push(id.clone());
            }
        }
        // Integers before names, both ascending.
        order.sort_by(|a, b| Id::parse(a).cmp(&Id::parse(b)));
        let apart = edges.iter().filter(|(u, v)| u != v).cloned();
        (order, apart.map(|(u, v)| if u < v { (u, v) } else { (v, u) }).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn what_is_printed_reads_back(edges in ids(), style in styles()) {
            let text = print(&edges, &style);
            let detected = b",;|\t ".contains(&style.delimiter);
            let options = ReadOptions {
                delimiter: (!detected).then_some(style.delimiter),
                // Where a name meets integers only the user can tell that the first line is an edge.
                header: if style.header { HeaderRow::Detect } else { HeaderRow::Absent },
                ..ReadOptions::default()
            };
            let data = read(&bundle(text), &options).unwrap().into_nodes().unwrap();
            let (order, expected) = oracle(&edges);
            prop_assert_eq!(names(&data), order.clone());
            let name = |node: u32| order[node as usize].clone();
            let found: BTreeSet<_> = data
                .graph()
                .edges()
                .map(|(u, v)| (name(u), name(v)))
                .map(|(u, v)| if u < v { (u, v) } else { (v, u) })
                .collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(data.notices().iter().any(|n| n.text.contains("column")), style.extra);
        }

        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), compressed: bool) {
            let mut bytes = bytes;
            if compressed {
                bytes.splice(0..0, [0x1f, 0x8b, 8, 0]);
            }
            let bundle = bundle(bytes);
            recognises(&bundle);
            read(&bundle, &ReadOptions::default()).ok();
        }

        #[test]
        fn no_damage_panics(
            edges in ids(),
            style in styles(),
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
            cut in any::<prop::sample::Index>(),
            delimiter: Option<u8>,
        ) {
            let mut bytes = print(&edges, &style).into_bytes();
            for (at, byte) in damage {
                // Half the time a byte that means something.
                let byte = if byte < 128 { b"\n\r\t ,;|\"#%-09"[byte as usize % 13] } else { byte };
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            bytes.truncate(cut.index(bytes.len() + 1).max(bytes.len() / 2));
            let bundle = bundle(bytes);
            recognises(&bundle);
            let options = ReadOptions { delimiter, ..ReadOptions::default() };
            if let Ok(loaded) = read(&bundle, &options) {
                let data = loaded.into_nodes().unwrap();
                prop_assert_eq!(data.ids().len(), data.graph().node_count());
            }
        }
    }
}
