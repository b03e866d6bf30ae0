//! Declared faults (`fault::on(..)`) are off in every build that is shipped: what only a fault runs, and
//! the operator that joins a fault to a condition, is not code whose mutants would mean anything.

use syn::{BinOp, Expr, UnOp};

/// Whether the source of an expression asks for a fault.
pub fn speaks_of_fault(source: &str) -> bool {
    source.contains("fault::on(")
}

/// What a condition is while no declared fault is on, if that alone decides it.
pub fn decided(condition: &Expr) -> Option<bool> {
    match condition {
        Expr::Call(call) => match &*call.func {
            Expr::Path(path) => {
                let mut names = path.path.segments.iter().rev().map(|part| part.ident.to_string());
                let is_fault = names.next()? == "on" && names.next()? == "fault";
                is_fault.then_some(false)
            }
            _ => None,
        },
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
            decided(&unary.expr).map(|value| !value)
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            let either = [decided(&binary.left), decided(&binary.right)];
            either.contains(&Some(false)).then_some(false)
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::Or(_)) => {
            let either = [decided(&binary.left), decided(&binary.right)];
            either.contains(&Some(true)).then_some(true)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::mutants::find::mutants_of;

    fn changes(text: &str) -> Vec<String> {
        mutants_of("a.rs", text).unwrap().into_iter().map(|mutant| mutant.change).collect()
    }

    #[test]
    fn declared_faults_are_off() {
        let text = "fn f() -> &T { if fault::on(Fault::A) { a + 1 } else { a + b } }";
        assert_eq!(changes(text), ["`a + b` with `-`"]);
        let text = "fn f() -> &T { if a > b && !fault::on(Fault::A) { c } else { d } }";
        assert_eq!(changes(text), ["`a > b` with `>=`", "`a > b` with `<=`"]);
        let text = "fn f() -> &T { match fault::on(Fault::A) { true => a + 1, false => a - b } }";
        assert_eq!(changes(text), ["`a - b` with `+`"]);
        let text = "fn f() -> &T { if a == 0 || !fault::on(Fault::A) { c + d } }";
        assert_eq!(changes(text), ["`c + d` with `-`"]);
        let text = "fn f() -> &T { match a { b if fault::on(Fault::A) => b + 1, b => b - c } }";
        assert_eq!(changes(text), ["`b - c` with `+`"]);
    }
}
