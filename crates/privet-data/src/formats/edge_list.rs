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
#[cfg(test)]
mod tests;

use self::dialect::{Dialect, FirstLine};
use self::fields::Fields;
use self::reader::{EdgeLines, is_comment, without_byte_order_mark};
use super::bundle::HEAD;
use super::pair_lines::{Separator, read_pairs};
use super::{Bundle, Input, ReadOptions};
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
    let fields: Vec<_> = Fields::new(line, separator).collect::<Result<_, _>>().ok()?;
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
    let input: Input = bundle.open(member)?;
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
