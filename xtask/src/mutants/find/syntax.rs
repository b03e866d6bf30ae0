//! Questions about a piece of syntax: is it for people, for effect, logical, a comparison?

use syn::{Attribute, BinOp, Expr};

/// Tests, and what only another set of features compiles.
pub(super) fn is_excluded(attributes: &[Attribute]) -> bool {
    attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("test") || attribute.path().is_ident("cfg"))
}

/// `Debug` and `Display` are read by people.
pub(super) fn is_for_people(item: &syn::ItemImpl) -> bool {
    let name = item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last());
    name.is_some_and(|name| name.ident == "Debug" || name.ident == "Display")
}

pub(super) fn is_for_effect(expr: &Expr) -> bool {
    matches!(expr, Expr::Call(_) | Expr::MethodCall(_) | Expr::Try(_) | Expr::Assign(_))
}

pub(super) fn is_logical(operator: &BinOp) -> bool {
    matches!(operator, BinOp::And(_) | BinOp::Or(_))
}

pub(super) fn is_comparison(operator: &BinOp) -> bool {
    matches!(operator, BinOp::Le(_) | BinOp::Ge(_) | BinOp::Eq(_) | BinOp::Ne(_))
}

/// Whether a condition binds names: such chains cannot be put in brackets.
pub(super) fn contains_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => contains_let(&binary.left) || contains_let(&binary.right),
        _ => false,
    }
}
