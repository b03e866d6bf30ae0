//! [`Invitation`]: a code for somebody who may answer, and a table of such codes with links that carry them.

use privet_protocol::TaskName;
use serde::{Deserialize, Serialize};

use super::Address;

/// A code of somebody who is invited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// Who.
    pub id: String,
    /// The code.
    pub code: String,
}

impl Invitation {
    /// A line `id,code,link` for each. The part of a link behind `#` stays in the browser: no server sees a code in an
    /// address.
    pub fn table(all: &[Self], address: &Address, task: TaskName) -> String {
        let mut text = String::from("id,code,link\n");
        for Self { id, code } in all {
            let link = format!("{}#code={code}&me={}", address.of(task), escaped(id));
            text.push_str(&format!("{},{code},{link}\n", quoted(id)));
        }
        text
    }
}

/// A cell of a table.
fn quoted(cell: &str) -> String {
    match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

/// A part of an address: letters and digits as they are, others by their bytes.
fn escaped(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_tables_and_links() {
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(quoted("ann"), "ann");
        assert_eq!(escaped("a b&ü"), "a%20b%26%C3%BC");
    }
}
