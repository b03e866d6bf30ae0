//! `cargo xtask signatures`: the signatures of the Python package are the settings of the library's requests.
//!
//! The program describes its requests in `docs/book/src/reference/requests.json`, which `cargo xtask book` keeps true. A
//! module of the package marks where settings stand, and what is between the marks is written from that file:
//!
//! ```text
//! # settings of DparRequest, without mode      parameters of a function, to   # end of settings
//! # values of DparRequest, without mode        entries of a dictionary, to    # end of values
//! .. settings of DparRequest, without mode     lines of a docstring, to       .. end of settings
//! ```

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The description of all requests.
const DESCRIBED: &str = "docs/book/src/reference/requests.json";
/// The package.
const PACKAGE: &str = "crates/privet-py/python/privet";
/// The widest line that is written.
const WIDTH: usize = 120;

/// Compares, or writes with `--write`.
///
/// # Errors
/// If a signature is not that of its request, a mark makes no sense, or a file cannot be read or written.
pub fn run(arguments: &[String]) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("");
    let write = arguments.iter().any(|word| word == "--write");
    if write {
        let program = crate::book::build(&root)?;
        let mut command = Command::new(program);
        command.args(["self", "reference"]).arg(root.join("docs/book/src/reference"));
        if !command.stdout(std::process::Stdio::null()).status()?.success() {
            bail!("the requests cannot be described");
        }
    }
    bring(&root, write)
}

/// Compares with what was described.
///
/// # Errors
/// If a signature is not that of its request.
pub fn check() -> Result<()> {
    bring(&Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(""), false)
}

fn bring(root: &Path, write: bool) -> Result<()> {
    let text = std::fs::read_to_string(root.join(DESCRIBED)).context(DESCRIBED)?;
    let requests: Value = serde_json::from_str(&text).context(DESCRIBED)?;
    let mut others = Vec::new();
    for entry in std::fs::read_dir(root.join(PACKAGE))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "py") {
            continue;
        }
        let found = std::fs::read_to_string(&path)?;
        let expected = filled(&found, &requests).with_context(|| path.display().to_string())?;
        if expected != found {
            others.push(path.display().to_string());
            if write {
                std::fs::write(&path, expected)?;
            }
        }
    }
    others.sort();
    match others.is_empty() || write {
        true => Ok(()),
        false => bail!(
            "these signatures are not those of the requests: {}; `cargo xtask signatures --write` writes them",
            others.join(", ")
        ),
    }
}

/// What stands between marks.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Parameters,
    Values,
    Docs,
}

/// How a part begins and ends.
const MARKS: [(Part, &str, &str); 3] = [
    (Part::Parameters, "# settings of ", "# end of settings"),
    (Part::Values, "# values of ", "# end of values"),
    (Part::Docs, ".. settings of ", ".. end of settings"),
];

/// A module with everything between its marks written anew.
fn filled(module: &str, requests: &Value) -> Result<String> {
    let mut out = String::new();
    let mut lines = module.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let (indent, text) = line.split_at(line.len() - line.trim_start().len());
        let found = MARKS
            .iter()
            .find_map(|(part, begin, end)| Some((*part, text.strip_prefix(begin)?, end)));
        let Some((part, named, end)) = found else { continue };
        for setting in chosen(named, requests)? {
            out += &written(part, setting, indent)?;
        }
        let closing = lines.find(|line| line.trim_start() == *end);
        let _ = writeln!(out, "{}", closing.with_context(|| format!("`{text}` has no `{end}`"))?);
    }
    Ok(out)
}

/// The settings that a mark names: all of a request's, or all but some.
fn chosen<'a>(named: &str, requests: &'a Value) -> Result<Vec<&'a Value>> {
    let (request, without) = named.split_once(", without ").unwrap_or((named, ""));
    let all =
        requests[request].as_array().with_context(|| format!("there is no request {request}"))?;
    let without: Vec<&str> = without.split(", ").filter(|name| !name.is_empty()).collect();
    let name = |setting: &&Value| setting["name"].as_str().unwrap_or_default().to_owned();
    if let Some(unknown) = without.iter().find(|out| !all.iter().any(|one| name(&one) == **out)) {
        bail!("{request} has no setting {unknown}");
    }
    Ok(all.iter().filter(|one| !without.contains(&name(one).as_str())).collect())
}

fn written(part: Part, setting: &Value, indent: &str) -> Result<String> {
    let text = |name: &str| setting[name].as_str().unwrap_or_default();
    let name = text("name");
    let kind = text("kind");
    Ok(match part {
        Part::Parameters => parameter(setting, indent)?,
        Part::Values if matches!(kind, "choices" | "texts") => {
            format!("{indent}\"{name}\": several({name}),\n")
        }
        Part::Values => format!("{indent}\"{name}\": {name},\n"),
        Part::Docs => {
            // Options are arguments here.
            let help = text("help").trim_end_matches('.').replace("--", "").replace('\\', "");
            wrapped(&format!("``{name}``: {help}."), indent)
        }
    })
}

/// `steps: Optional[int] = None,`
fn parameter(setting: &Value, indent: &str) -> Result<String> {
    let name = setting["name"].as_str().unwrap_or_default();
    let choices = setting["choices"].as_array().map(Vec::as_slice).unwrap_or_default();
    let choices: Vec<String> = choices.iter().map(Value::to_string).collect();
    let choices = format!("Literal[{}]", choices.join(", "));
    let kind = match setting["kind"].as_str().unwrap_or_default() {
        "text" => "str".to_owned(),
        "texts" => "Union[str, Sequence[str]]".to_owned(),
        "number" => "float".to_owned(),
        "numbers" => "Sequence[float]".to_owned(),
        "count" => "int".to_owned(),
        "counts" => "Sequence[int]".to_owned(),
        "flag" => "bool".to_owned(),
        "path" => "PathLike".to_owned(),
        "choice" => choices,
        "choices" => format!("Union[{choices}, Sequence[{choices}]]"),
        other => bail!("{name}: no type of Python is known for `{other}`"),
    };
    let default = match &setting["default"] {
        _ if setting["required"] == true => return Ok(format!("{indent}{name}: {kind},\n")),
        Value::Null => {
            return Ok(folded(&format!("{indent}{name}: Optional[{kind}] = None,"), indent));
        }
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        // Tuples do not change.
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            match items.len() {
                1 => format!("({},)", items[0]),
                _ => format!("({})", items.join(", ")),
            }
        }
        value => value.to_string(),
    };
    Ok(folded(&format!("{indent}{name}: {kind} = {default},"), indent))
}

/// A parameter whose choices take more than a line.
fn folded(line: &str, indent: &str) -> String {
    if line.len() <= WIDTH {
        return format!("{line}\n");
    }
    let Some((head, rest)) = line.split_once('[') else { return format!("{line}\n") };
    let (inner, tail) = rest.rsplit_once(']').unwrap_or((rest, ""));
    let inner = wrapped(inner, &format!("{indent}    ")).replace("         ", "     ");
    let inner: Vec<String> =
        inner.lines().map(|line| format!("{indent}    {}", line.trim_start())).collect();
    format!("{head}[\n{}\n{indent}]{tail}\n", inner.join("\n"))
}

/// Lines of words, those after the first further in.
fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut line = indent.to_owned();
    for word in text.split(' ') {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(out, "{}", line.trim_end());
            line = format!("{indent}    ");
        }
        line += word;
        line.push(' ');
    }
    let _ = writeln!(out, "{}", line.trim_end());
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_between_marks_is_written_anew() {
        let requests = json!({"ARequest": [
            {"name": "epsilon", "required": true, "kind": "number", "choices": [], "default": null, "help": "Budget"},
            {"name": "mode", "required": false, "kind": "choice", "choices": ["a", "b"], "default": "a", "help": "How"},
            {"name": "parts", "required": false, "kind": "choices", "choices": ["x"], "default": null, "help": "--what"},
            {"name": "steps", "required": false, "kind": "count", "choices": [], "default": null, "help": "Steps"},
        ]});
        let module = "def f(\n    *,\n    # settings of ARequest, without steps\n    old: int,\n    # end of settings\n):\n    \
                      d = {\n        # values of ARequest, without steps\n        # end of values\n    }\n";
        let expected = "def f(\n    *,\n    # settings of ARequest, without steps\n    epsilon: float,\n    \
                        mode: Literal[\"a\", \"b\"] = \"a\",\n    \
                        parts: Optional[Union[Literal[\"x\"], Sequence[Literal[\"x\"]]]] = None,\n    # end of settings\n):\n    \
                        d = {\n        # values of ARequest, without steps\n        \"epsilon\": epsilon,\n        \
                        \"mode\": mode,\n        \"parts\": several(parts),\n        # end of values\n    }\n";
        assert_eq!(filled(module, &requests).unwrap(), expected);
        assert!(filled("# settings of BRequest\n", &requests).is_err());
        assert!(filled("# settings of ARequest, without stepz\n", &requests).is_err());
        assert!(filled("# settings of ARequest\n", &requests).is_err(), "it does not end");
    }
}
