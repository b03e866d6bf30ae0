//! [`Dialect`]: what separates the columns and whether the first line names them, detected from
//! the first few lines and the options.

use super::fields::LineFields;
use crate::formats::pair_lines::Separator;
use crate::formats::{HeaderRow, ReadOptions};
use crate::{Error, Result};

/// Tried in this order; the earlier wins a tie, so that names may contain blanks.
const CANDIDATES: [Separator; 5] = [
    Separator::Byte(b'\t'),
    Separator::Byte(b','),
    Separator::Byte(b';'),
    Separator::Byte(b'|'),
    Separator::Blanks,
];

/// First two column names, in lower case and without punctuation, that announce an edge list.
const KNOWN_HEADERS: [[&str; 2]; 12] = [
    ["source", "target"],
    ["from", "to"],
    ["src", "dst"],
    ["u", "v"],
    ["id1", "id2"],
    ["node1", "node2"],
    ["user1", "user2"],
    ["fromnodeid", "tonodeid"],
    ["sourceid", "targetid"],
    ["fromid", "toid"],
    ["srcid", "dstid"],
    ["node", "neighbor"],
];

/// Words for the two ends of an edge: `from_email`, `user_id` and `Callee` each hold one.
const ROLES: [&str; 44] = [
    "alter",
    "author",
    "borrower",
    "buyer",
    "called",
    "callee",
    "caller",
    "calling",
    "child",
    "citing",
    "cited",
    "contact",
    "customer",
    "destination",
    "dst",
    "ego",
    "followed",
    "followee",
    "follower",
    "following",
    "friend",
    "from",
    "lender",
    "member",
    "merchant",
    "neighbor",
    "neighbour",
    "node",
    "origin",
    "parent",
    "payee",
    "payer",
    "person",
    "receiver",
    "recipient",
    "seller",
    "sender",
    "source",
    "src",
    "supplier",
    "target",
    "to",
    "user",
    "coauthor",
];

/// What the first line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstLine {
    /// An edge.
    Data,
    /// Column names, by the user's word or because they are well known.
    Names,
    /// Taken for column names because of what it says, or because it is unlike the lines below.
    NamesByContrast,
}

/// How the lines of a file are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub separator: Separator,
    pub first_line: FirstLine,
}

impl Dialect {
    /// The dialect of a file whose first lines (no comments, none blank) are given.
    ///
    /// # Errors
    /// If the user names a delimiter that cannot be one.
    pub fn detect(lines: &[impl AsRef<[u8]>], options: &ReadOptions) -> Result<Self> {
        let separator = match options.delimiter {
            None => likeliest_separator(lines),
            Some(b' ') => Separator::Blanks,
            Some(byte) => Separator::Byte(checked(byte)?),
        };
        let first_line = match options.header {
            HeaderRow::Present => FirstLine::Names,
            HeaderRow::Absent => FirstLine::Data,
            HeaderRow::Detect => detect_header(lines, separator),
        };
        Ok(Self { separator, first_line })
    }
}

fn checked(byte: u8) -> Result<u8> {
    if byte.is_ascii() && !byte.is_ascii_digit() && !matches!(byte, b'\n' | b'\r' | b'"') {
        return Ok(byte);
    }
    let expected = "an ASCII character that is neither a digit, a quote nor a line end";
    Err(Error::invalid("delimiter", format!("{:?}", char::from(byte)), expected))
}

/// The separator that splits most lines into two integers; failing those, into two fields.
fn likeliest_separator(lines: &[impl AsRef<[u8]>]) -> Separator {
    let score = |separator: Separator| {
        let heads = lines.iter().filter_map(|line| head(line.as_ref(), separator));
        let (mut integers, mut fields) = (0, 0);
        for head in heads {
            fields += 1;
            // Two integers are the strongest sign: a date or a name splits at a blank, too.
            integers += usize::from(head.iter().all(|field| is_number(field.as_bytes())));
        }
        (integers, fields)
    };
    // `max_by_key` would let the last of equals win; the first should.
    let best = CANDIDATES.into_iter().rev().max_by_key(|&separator| score(separator));
    best.unwrap_or(Separator::Blanks)
}

fn detect_header(lines: &[impl AsRef<[u8]>], separator: Separator) -> FirstLine {
    let head_of = |at: usize| lines.get(at).and_then(|line| head(line.as_ref(), separator));
    let Some(first) = head_of(0) else { return FirstLine::Data };
    // Well-known names need no contrast with the lines below.
    if is_known_header(&first) {
        return FirstLine::Names;
    }
    let integers = |head: &[String; 2]| head.iter().all(|field| is_number(field.as_bytes()));
    if !integers(&first) && head_of(1).is_some_and(|second| integers(&second)) {
        return FirstLine::NamesByContrast;
    }
    // An id may well occur again; the name of a column does not.
    let below: Vec<[String; 2]> = (1..lines.len()).filter_map(head_of).collect();
    // Taken from the sample alone, so that the answer does not depend on a later record.
    let returns = below.iter().flatten().any(|id| first.contains(id));
    let named = first[0] != first[1] && first.iter().all(|name| has_role(name));
    match !below.is_empty() && !returns && (named || is_unlike_the_rest(lines, separator)) {
        true => FirstLine::NamesByContrast,
        false => FirstLine::Data,
    }
}

/// Whether one of the words of a column's name is for an end of an edge.
fn has_role(name: &str) -> bool {
    let mut words = String::new();
    for letter in name.chars() {
        // `fromUser` is two words, and so is `from_user`.
        if letter.is_uppercase() || !letter.is_alphabetic() {
            words.push(' ');
        }
        // Signs only separate; letters are compared in lower case.
        words.extend(letter.to_lowercase().filter(|letter| letter.is_alphabetic()));
    }
    let whole = plain_name(name);
    words.split(' ').chain([&*whole]).any(|word| ROLES.contains(&word))
}

/// What a field looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldLooks {
    Number,
    Address,
    Code,
    Word,
}

impl FieldLooks {
    fn of(field: &str) -> Self {
        match field.trim() {
            text if text.parse::<f64>().is_ok() => Self::Number,
            text if text.contains('@') => Self::Address,
            text if text.contains(|letter: char| letter.is_ascii_digit()) => Self::Code,
            _ => Self::Word,
        }
    }
}

/// Whether a column holds words in the first line, and something else in all the others: numbers, addresses, or (in
/// both columns of at least three lines) codes.
fn is_unlike_the_rest(lines: &[impl AsRef<[u8]>], separator: Separator) -> bool {
    let looks = |line: &[u8]| -> Vec<FieldLooks> {
        let fields = LineFields::new(line, separator).map_while(Result::ok);
        fields.map(|field| FieldLooks::of(&String::from_utf8_lossy(&field))).collect()
    };
    let rows: Vec<Vec<FieldLooks>> = lines.iter().map(|line| looks(line.as_ref())).collect();
    let Some((first, below)) = rows.split_first() else { return false };
    let all_below = |column: usize, wanted: FieldLooks| {
        below.iter().all(|row| row.get(column).is_some_and(|found| *found == wanted))
    };
    let words = |column: &usize| first[*column] == FieldLooks::Word;
    let unlike =
        |column| all_below(column, FieldLooks::Number) || all_below(column, FieldLooks::Address);
    let codes = |column| words(&column) && all_below(column, FieldLooks::Code);
    (0..first.len()).filter(words).any(unlike)
        // Codes look much like words: more lines and both columns are asked for.
        || below.len() >= 3 && first.len() >= 2 && codes(0) && codes(1)
}

/// The first two columns of a line, unless it has fewer or one is empty.
pub(super) fn head(line: &[u8], separator: Separator) -> Option<[String; 2]> {
    let mut fields = LineFields::new(line, separator);
    let mut next = || {
        let field = fields.next()?.ok()?;
        (!field.is_empty()).then(|| String::from_utf8_lossy(&field).into_owned())
    };
    Some([next()?, next()?])
}

/// Whether these two column names announce an edge list, in either order.
pub(super) fn is_known_header(head: &[String; 2]) -> bool {
    let [first, second] = head.each_ref().map(|name| plain_name(name));
    KNOWN_HEADERS
        .iter()
        .any(|[a, b]| (first == *a && second == *b) || (first == *b && second == *a))
}

/// A column name in lower case and without punctuation: `From_Node-ID` is `fromnodeid`.
pub(super) fn plain_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Whether the field is an integer of any size, sign and padding: never a column's name.
pub(super) fn is_number(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").or(field.strip_prefix(b"+")).unwrap_or(field);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(text: &str) -> (Separator, FirstLine) {
        let lines: Vec<&str> = text.lines().collect();
        let dialect = Dialect::detect(&lines, &ReadOptions::default()).unwrap();
        (dialect.separator, dialect.first_line)
    }

    #[test]
    fn separators() {
        use Separator::{Blanks, Byte};
        for (text, expected) in [
            ("1 2\n3 4", Blanks),
            ("1\t2\n3\t4", Byte(b'\t')),
            ("1, 2\n3, 4", Byte(b',')),
            ("1;2;0,5\n3;4;0,25", Byte(b';')),
            ("1|2", Byte(b'|')),
            ("New York,Los Angeles\nLos Angeles,Rome", Byte(b',')),
            ("1 2 {'weight': 3, 'colour': 'red'}", Blanks),
            ("ann bob\ncy dee", Blanks),
            ("ann bob\tcy dee", Byte(b'\t')),
            ("nothing", Byte(b'\t')),
        ] {
            assert_eq!(detect(text).0, expected, "{text}");
        }
    }

    #[test]
    fn headers() {
        use FirstLine::{Data, Names, NamesByContrast};
        for (text, expected) in [
            ("1,2\n3,4", Data),
            ("id_1,id_2\n0,1", Names),
            ("FromNodeId ToNodeId\n0 1", Names),
            ("Source,Target,Type\nann,bob,x", Names),
            ("target\tsource\nann\tbob", Names),
            ("ego,alter\n1,2", NamesByContrast),
            ("ego,alter\nann,bob", NamesByContrast),
            ("from_email,to_email,weight\nann@x.org,bob@x.org,2", NamesByContrast),
            ("sender,recipient\nann,bob\nbob,cy", NamesByContrast),
            ("user_id,friend_id\nann,bob", NamesByContrast),
            ("follower,followee\nann,bob", NamesByContrast),
            ("caller;callee\nann;bob", NamesByContrast),
            ("FromUser\tToUser\nann\tbob", NamesByContrast),
            ("kunde,partner,betrag\nann,bob,2.5\nbob,cy,1", NamesByContrast),
            ("wer,wen\np1,p2\np2,p3\np3,p9", NamesByContrast),
            // Two people, of whom one is called like a column: the name returns.
            ("target,ann\nann,bob", Data),
            ("parent,child\nchild,toy", Data),
            ("ann,bob\np1,p2\np2,p3", Data),
            ("ann,bob,2\nbob,cy,3", Data),
            ("ann,bob\ncy,dee", Data),
            ("-1,2\n3,4", Data),
            ("007,8\n3,4", Data),
            ("ann,3\nbob,4", Data),
            ("ego,alter", Data),
        ] {
            assert_eq!(detect(text).1, expected, "{text}");
        }
    }

    #[test]
    fn the_user_knows_better() {
        let say = |delimiter, header| {
            let options = ReadOptions { delimiter, header, ..ReadOptions::default() };
            Dialect::detect(&["a:b", "1:2"], &options)
        };
        let dialect = say(Some(b':'), HeaderRow::Absent).unwrap();
        assert_eq!(dialect.separator, Separator::Byte(b':'));
        assert_eq!(dialect.first_line, FirstLine::Data);
        assert_eq!(say(Some(b' '), HeaderRow::Present).unwrap().separator, Separator::Blanks);
        for byte in [b'\n', b'"', b'3', 0xc3] {
            assert!(say(Some(byte), HeaderRow::Detect).is_err());
        }
    }
}
