//! [`Invitation`]: a participant's code, and a table of such codes with links that carry them.

use privet::words::csv_cell;
use privet_protocol::TaskName;
use serde::{Deserialize, Serialize};

use super::ServiceAddress;

/// A participant's single-use code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invitation {
    /// The participant's id.
    pub id: String,
    /// The code.
    pub code: String,
}

impl Invitation {
    /// A line `id,code,link` for each. The part of a link behind `#` stays in the browser: no server sees a code in an
    /// address.
    pub fn table(all: &[Self], address: &ServiceAddress, task: TaskName) -> String {
        let mut text = String::from("id,code,link\n");
        for Self { id, code } in all {
            let link = format!("{}#code={code}&me={}", address.of(task), escaped(id));
            text.push_str(&format!("{},{code},{link}\n", csv_cell(id)));
        }
        text
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
        let all =
            ["ann", "a,\"b\"", "a b&ü"].map(|id| Invitation { id: id.into(), code: "c0de".into() });
        let address = ServiceAddress::parse("https://example.org").unwrap();
        let table = Invitation::table(&all, &address, TaskName([7; 32]));
        let cells: Vec<&str> =
            table.lines().skip(1).map(|line| line.split_once(",c0de,").unwrap().0).collect();
        assert_eq!(cells, ["ann", "\"a,\"\"b\"\"\"", "a b&ü"]);
        assert!(table.ends_with("#code=c0de&me=a%20b%26%C3%BC\n"), "{table}");
    }
}
