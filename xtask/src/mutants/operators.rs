//! What may be replaced by what: the mistakes that a survey puts into code, one at a time.

use syn::{BinOp, GenericArgument, PathArguments, Type};

/// The operators that a careless hand might have written instead.
pub fn instead_of(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["/"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::RemAssign(_) => &["/="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitXorAssign(_) => &["|="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

/// Methods of one signature that are easily taken for each other.
pub fn other_method(name: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 8] = [
        ("min", "max"),
        ("ceil", "floor"),
        ("any", "all"),
        ("is_some", "is_none"),
        ("is_ok", "is_err"),
        ("next_up", "next_down"),
        ("wrapping_add", "wrapping_sub"),
        ("saturating_add", "saturating_sub"),
    ];
    PAIRS.iter().find_map(|&(a, b)| match name {
        _ if name == a => Some(b),
        _ if name == b => Some(a),
        _ => None,
    })
}

/// Methods that keep the type and are easily forgotten.
pub fn is_forgettable(name: &str) -> bool {
    matches!(name, "sqrt" | "abs" | "rev" | "ceil" | "floor" | "next_up" | "next_down" | "round")
}

/// What a function could return without having computed anything, as source text. Types that turn
/// out not to have such a value make a mutant that does not compile.
pub fn idle_values(of: &Type) -> Vec<String> {
    match of {
        Type::Path(path) => path.path.segments.last().map_or(Vec::new(), idle_values_of_path),
        Type::Reference(reference) if reference.mutability.is_none() => match &*reference.elem {
            Type::Path(path) if path.path.is_ident("str") => texts(&["\"\"", "\"xyzzy\""]),
            Type::Slice(_) => texts(&["&[]"]),
            _ => Vec::new(),
        },
        Type::Tuple(tuple) if tuple.elems.is_empty() => texts(&["()"]),
        Type::Tuple(tuple) => {
            let firsts = tuple.elems.iter().map(|part| idle_values(part).into_iter().next());
            let firsts: Option<Vec<String>> = firsts.collect();
            firsts.map(|parts| format!("({})", parts.join(", "))).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn idle_values_of_path(segment: &syn::PathSegment) -> Vec<String> {
    let inside = || match &segment.arguments {
        PathArguments::AngleBracketed(arguments) => {
            arguments.args.iter().find_map(|arg| match arg {
                GenericArgument::Type(inner) => Some(idle_values(inner)),
                _ => None,
            })
        }
        _ => None,
    };
    let wrapped = |name: &str| {
        inside().unwrap_or_default().iter().map(|value| format!("{name}({value})")).collect()
    };
    match segment.ident.to_string().as_str() {
        "bool" => texts(&["true", "false"]),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" => texts(&["0", "1"]),
        "f32" | "f64" => texts(&["0.0", "1.0"]),
        "String" => texts(&["String::new()"]),
        "Vec" => texts(&["Vec::new()"]),
        "Option" => [texts(&["None"]), wrapped("Some")].concat(),
        "Result" => wrapped("Ok"),
        "Box" => wrapped("Box::new"),
        _ => texts(&["Default::default()"]),
    }
}

fn texts(of: &[&str]) -> Vec<String> {
    of.iter().map(|&text| text.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_fine_with_every_idle_value_of_its_contents() {
        let of = |text: &str| idle_values(&syn::parse_str::<Type>(text).unwrap());
        assert_eq!(of("Result<bool>"), ["Ok(true)", "Ok(false)"]);
        assert_eq!(of("Option<Vec<u8>>"), ["None", "Some(Vec::new())"]);
        assert_eq!(of("Result<(usize, f64), Error>"), ["Ok((0, 0.0))"]);
        assert_eq!(of("&'static str"), ["\"\"", "\"xyzzy\""]);
        assert!(of("&mut [u8]").is_empty());
        assert!(of("impl Iterator<Item = u8>").is_empty());
    }

    #[test]
    fn pairs_go_both_ways() {
        assert_eq!(other_method("max"), Some("min"));
        assert_eq!(other_method("min"), Some("max"));
        assert_eq!(other_method("len"), None);
    }
}
