//! [`Definition`]: what a `CREATE TABLE` says about where columns are stored.
//!
//! SQLite keeps the statement and nothing else, so that its text must be read: names, which column is another name of
//! the rowid, which are computed and not stored.

/// The columns of a table.
#[derive(Debug, PartialEq)]
pub(super) struct Definition {
    pub columns: Vec<ColumnDefinition>,
    pub without_rowid: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct ColumnDefinition {
    pub name: String,
    pub stored: ColumnStorage,
    /// Whether a row that is older than the column has a value in it.
    pub has_default: bool,
}

/// Where the value of a column is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnStorage {
    /// It is the rowid.
    Rowid,
    /// In this field of the record.
    Field(usize),
    /// It is computed when asked for.
    Nowhere,
}

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// A quoted name or text.
    Quoted(String),
    Open,
    Close,
    Comma,
    Other,
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Self::Word(text) if text.eq_ignore_ascii_case(word))
    }

    fn is_one_of(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::Word(name) | Self::Quoted(name) => Some(name),
            _ => None,
        }
    }
}

const TABLE_CONSTRAINTS: [&str; 5] = ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

const COLUMN_CONSTRAINTS: [&str; 11] = [
    "CONSTRAINT",
    "PRIMARY",
    "NOT",
    "NULL",
    "UNIQUE",
    "CHECK",
    "DEFAULT",
    "COLLATE",
    "REFERENCES",
    "GENERATED",
    "AS",
];

impl Definition {
    /// Reads a `CREATE TABLE name (...)`.
    pub fn parse(sql: &str) -> Option<Self> {
        let tokens = tokens(sql)?;
        let open = tokens.iter().position(|token| *token == Token::Open)?;
        let (items, after) = items(&tokens[open + 1..])?;
        let without_rowid = after.windows(2).any(|two| two[0].is("WITHOUT") && two[1].is("ROWID"));
        let (mut columns, mut integers, mut fields) = (Vec::new(), Vec::new(), 0);
        let mut key = None;
        for item in &items {
            if item.first()?.is_one_of(&TABLE_CONSTRAINTS) {
                // A table has one primary key at most, at a column or as a constraint.
                key = key.or(key_constraint(item));
                continue;
            }
            let outside = outside_parentheses(item);
            // `GENERATED ALWAYS AS (...)`: VIRTUAL by default, which takes no field of the record.
            let computed = outside.iter().any(|token| token.is("AS"))
                && !outside.iter().any(|token| token.is("STORED"));
            let stored = match computed {
                true => ColumnStorage::Nowhere,
                false => {
                    fields += 1;
                    ColumnStorage::Field(fields - 1)
                }
            };
            let name = item.first()?.name()?.to_owned();
            integers.push(is_integer(&outside));
            if is_primary(&outside) {
                key = Some(name.clone());
            }
            let has_default = outside.iter().any(|token| token.is("DEFAULT"));
            columns.push(ColumnDefinition { name, stored, has_default });
        }
        let is_key = |column: &ColumnDefinition| {
            key.as_ref().is_some_and(|key| key.eq_ignore_ascii_case(&column.name))
        };
        for (column, _) in
            columns.iter_mut().zip(integers).filter(|(column, integer)| *integer && is_key(column))
        {
            // `INTEGER PRIMARY KEY` is an alias of the rowid: its field is NULL, the value is the key of the
            // b-tree.
            column.stored = ColumnStorage::Rowid;
        }
        Some(Self { columns, without_rowid })
    }
}

/// Whether a column's type is `INTEGER` and nothing else: `INT` makes no other name of the rowid.
fn is_integer(column: &[&Token]) -> bool {
    let kind = column[1..].iter().take_while(|token| !token.is_one_of(&COLUMN_CONSTRAINTS));
    let kind: Vec<_> = kind.collect();
    kind.len() == 1 && kind[0].is("INTEGER")
}

/// Whether a column is the primary key; by an old mistake of SQLite's, a descending one is no rowid.
fn is_primary(column: &[&Token]) -> bool {
    let at = column.windows(2).position(|two| two[0].is("PRIMARY") && two[1].is("KEY"));
    at.is_some_and(|at| !column.get(at + 2).is_some_and(|token| token.is("DESC")))
}

/// The column of a `PRIMARY KEY (column)` of the table, if it is one.
fn key_constraint(item: &[Token]) -> Option<String> {
    let at = item.windows(3).position(|three| {
        three[0].is("PRIMARY") && three[1].is("KEY") && three[2] == Token::Open
    })?;
    let inside: Vec<&Token> = item[at + 3..].iter().take_while(|t| **t != Token::Close).collect();
    let single = !inside.contains(&&Token::Comma);
    inside.first().filter(|_| single)?.name().map(str::to_owned)
}

fn outside_parentheses(item: &[Token]) -> Vec<&Token> {
    let mut depth = 0_usize;
    let mut outside = Vec::new();
    for token in item {
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            token if depth == 0 => outside.push(token),
            _ => {}
        }
    }
    outside
}

/// What lies between the commas up to the closing parenthesis, and what follows it.
fn items(tokens: &[Token]) -> Option<(Vec<&[Token]>, &[Token])> {
    let (mut items, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Open => depth += 1,
            // A parenthesis within a type or a CHECK, not the end of the list.
            Token::Close if depth > 0 => depth -= 1,
            Token::Close => {
                items.push(&tokens[start..at]);
                return Some((items, &tokens[at + 1..]));
            }
            Token::Comma if depth == 0 => {
                items.push(&tokens[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    None
}

/// The words of a statement, without comments.
fn tokens(sql: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = sql.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || "_$".contains(letter);
        let length = match first {
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '"' | '`' | '\'' | '[' => {
                let (name, length) = quoted(rest, first)?;
                tokens.push(Token::Quoted(name));
                length
            }
            letter if is_word(letter) => {
                let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..length].into()));
                length
            }
            letter => {
                tokens.push(match letter {
                    '(' => Token::Open,
                    ')' => Token::Close,
                    ',' => Token::Comma,
                    _ => Token::Other,
                });
                letter.len_utf8()
            }
        };
        rest = rest[length..].trim_start();
    }
    Some(tokens)
}

/// A name or text in quotes, which are doubled inside, and how long it is with them.
fn quoted(text: &str, open: char) -> Option<(String, usize)> {
    let close = if open == '[' { ']' } else { open };
    let (mut name, mut at) = (String::new(), 1);
    loop {
        let length = text[at..].find(close)?;
        name.push_str(&text[at..at + length]);
        at += length + 1;
        if open == '[' || !text[at..].starts_with(close) {
            return Some((name, at));
        }
        name.push(close);
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(sql: &str) -> Vec<(String, ColumnStorage)> {
        let definition = Definition::parse(sql).unwrap();
        definition.columns.into_iter().map(|column| (column.name, column.stored)).collect()
    }

    fn names(sql: &str) -> Vec<String> {
        parsed(sql).into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn names_in_all_their_quotes() {
        let sql = "CREATE TABLE \"a (b\"(id, [two words] TEXT, \"say \"\"x\"\"\" VARCHAR(10, 2), -- no, not (this\n\
             `d` INT /* nor, this */ NOT NULL CHECK (d > 0 AND d < 5), 'e', CONSTRAINT u UNIQUE (id, d))";
        assert_eq!(names(sql), ["id", "two words", "say \"x\"", "d", "e"]);
    }

    #[test]
    fn which_column_is_the_rowid() {
        for (columns, expected) in [
            ("id INTEGER PRIMARY KEY, a", ColumnStorage::Rowid),
            ("id integer primary key autoincrement, a", ColumnStorage::Rowid),
            ("id INTEGER NOT NULL, a, PRIMARY KEY (id)", ColumnStorage::Rowid),
            ("id INTEGER, a, PRIMARY KEY (\"ID\" DESC)", ColumnStorage::Rowid),
            ("id INTEGER, a, CONSTRAINT p PRIMARY KEY (id)", ColumnStorage::Rowid),
            ("id INTEGER PRIMARY KEY DESC, a", ColumnStorage::Field(0)),
            ("id INT PRIMARY KEY, a", ColumnStorage::Field(0)),
            ("id BIG INTEGER PRIMARY KEY, a", ColumnStorage::Field(0)),
            ("id INTEGER, a, PRIMARY KEY (id, a)", ColumnStorage::Field(0)),
            ("id TEXT PRIMARY KEY, a", ColumnStorage::Field(0)),
            ("id INTEGER DEFAULT (PRIMARY), a", ColumnStorage::Field(0)),
        ] {
            let found = parsed(&format!("CREATE TABLE t({columns})"));
            // The rowid has a field, too, that holds nothing.
            assert_eq!(found[0].1, expected, "{columns}");
            assert_eq!(found[1].1, ColumnStorage::Field(1), "{columns}");
        }
    }

    #[test]
    fn computed_columns_have_no_field_and_defaults_are_noticed() {
        let sql = "CREATE TABLE t(a, b AS (a + 1), c GENERATED ALWAYS AS (a) STORED, d DEFAULT 3)";
        let stored: Vec<ColumnStorage> = parsed(sql).into_iter().map(|column| column.1).collect();
        assert_eq!(
            stored,
            [
                ColumnStorage::Field(0),
                ColumnStorage::Nowhere,
                ColumnStorage::Field(1),
                ColumnStorage::Field(2)
            ]
        );
        let definition = Definition::parse(sql).unwrap();
        assert!(definition.columns[3].has_default && !definition.columns[0].has_default);
        assert!(!definition.without_rowid);
        assert!(
            Definition::parse("CREATE TABLE t(a PRIMARY KEY) WITHOUT rowid").unwrap().without_rowid
        );
    }

    #[test]
    fn half_a_statement_is_none() {
        for sql in [
            "",
            "CREATE TABLE t",
            "CREATE TABLE t(",
            "CREATE TABLE t(a",
            "CREATE TABLE t(a,)",
            "CREATE TABLE t(\"a)",
        ] {
            assert_eq!(Definition::parse(sql), None, "{sql}");
        }
    }
}
