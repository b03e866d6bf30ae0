//! The mutants of one source file: a walk over its syntax tree that writes down every place where
//! one operator, literal, call, statement, arm or body could be another.
//!
//! Left alone: tests, constants and `const fn` (a switch cannot be read there), patterns, types, texts
//! of errors, `Debug` and `Display`, and the broken halves of declared faults.

mod syntax;

use std::ops::Range;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr, ImplItemFn, Item, Lit, ReturnType, Signature, Stmt, UnOp};

use syntax::{contains_let, is_comparison, is_excluded, is_for_effect, is_for_people, is_logical};

use super::faults::{decided, speaks_of_fault};
use super::operators;

/// One change of one place.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The file, relative to the crate's `src`.
    pub file: String,
    /// The line of the place.
    pub line: usize,
    /// The function around it.
    pub function: String,
    /// What is changed, in words that do not depend on the line.
    pub change: String,
    /// The bytes of the file that the edit is about.
    pub place: Range<usize>,
    /// How the text is edited.
    pub edit: Edit,
}

impl Mutant {
    /// A name that stays the same while code around it moves.
    pub fn key(&self) -> String {
        format!("{} | {} | {}", self.file, self.function, self.change)
    }
}

/// How a place becomes a choice between what it says and something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// The expression may be this one.
    Expression(String),
    /// The statement may be left out.
    Skip,
    /// The body that begins here may return this at once.
    Return(String),
    /// The match arm whose pattern ends here may never match.
    NoMatch,
}

/// All mutants of a file, in the order of their places.
///
/// # Errors
/// If the text is not Rust.
pub fn mutants_of(file: &str, text: &str) -> syn::Result<Vec<Mutant>> {
    let tree = syn::parse_file(text)?;
    let mut finder =
        Finder { file, text, function: Vec::new(), in_error: false, found: Vec::new() };
    finder.visit_file(&tree);
    let mut found = finder.found;
    found.sort_by_key(|mutant| (mutant.place.start, mutant.place.end));
    number_repetitions(&mut found);
    Ok(found)
}

/// Equal changes of one function get an ordinal, so that names are unique.
fn number_repetitions(mutants: &mut [Mutant]) {
    let mut seen = std::collections::HashMap::new();
    for mutant in mutants {
        let count = seen.entry(mutant.key()).or_insert(0);
        *count += 1;
        if *count > 1 {
            mutant.change += &format!(" ({count})");
        }
    }
}

struct Finder<'a> {
    file: &'a str,
    text: &'a str,
    /// The names of the functions and impl blocks around.
    function: Vec<String>,
    /// Inside the arguments of an error, where everything is words.
    in_error: bool,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn source(&self, of: &impl Spanned) -> &str {
        &self.text[of.span().byte_range()]
    }

    /// The source on one line, cut to a readable length.
    fn excerpt(&self, of: &impl Spanned) -> String {
        let words: Vec<&str> = self.source(of).split_whitespace().collect();
        let line = words.join(" ");
        match line.char_indices().nth(70) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    fn note(&mut self, span: Span, place: Range<usize>, change: String, edit: Edit) {
        if self.function.is_empty() || self.in_error {
            return;
        }
        let (file, line) = (self.file.to_owned(), span.start().line);
        let function = self.function.join("::");
        self.found.push(Mutant { file, line, function, change, place, edit });
    }

    /// The expression may be another.
    fn replace(&mut self, place: &impl Spanned, change: String, by: String) {
        let span = place.span();
        self.note(span, span.byte_range(), change, Edit::Expression(by));
    }

    fn binary(&mut self, expr: &syn::ExprBinary) {
        if is_logical(&expr.op) && (contains_let(&expr.left) || contains_let(&expr.right)) {
            return;
        }
        let (left, right) = (self.source(&expr.left), self.source(&expr.right));
        let assigns = self.source(&expr.op).ends_with('=') && !is_comparison(&expr.op);
        let alternatives: Vec<(&str, String)> = operators::instead_of(&expr.op)
            .iter()
            .map(|&other| match assigns {
                true => (other, format!("{left} {other} {right}")),
                false => (other, format!("({left}) {other} ({right})")),
            })
            .collect();
        for (other, text) in alternatives {
            let change = format!("`{}` with `{other}`", self.excerpt(expr));
            self.replace(expr, change, text);
        }
    }

    fn literal(&mut self, expr: &syn::ExprLit) {
        let other = match &expr.lit {
            Lit::Int(int) => match int.base10_parse::<u128>() {
                Ok(1) => format!("0{}", int.suffix()),
                Ok(value) => format!("{}{}", value.saturating_add(1), int.suffix()),
                Err(_) => return,
            },
            Lit::Float(float) => match float.base10_parse::<f64>() {
                Ok(0.0) => format!("1.0{}", float.suffix()),
                Ok(value) => format!("{:?}{}", 2.0 * value, float.suffix()),
                Err(_) => return,
            },
            Lit::Bool(bool) => (!bool.value).to_string(),
            _ => return,
        };
        let change = format!("`{}` with `{other}`", self.source(expr));
        self.replace(expr, change, other);
    }

    fn unary(&mut self, expr: &syn::ExprUnary) {
        if matches!(expr.op, UnOp::Not(_) | UnOp::Neg(_)) {
            let change = format!("`{}` without its sign", self.excerpt(expr));
            let by = self.source(&expr.expr).to_owned();
            self.replace(expr, change, by);
        }
    }

    fn method(&mut self, call: &syn::ExprMethodCall) {
        let name = call.method.to_string();
        if let Some(other) = operators::other_method(&name) {
            let (all, method) = (call.span().byte_range(), call.method.span().byte_range());
            let (before, after) =
                (&self.text[all.start..method.start], &self.text[method.end..all.end]);
            let by = format!("{before}{other}{after}");
            self.replace(call, format!("`{}` with `{other}`", self.excerpt(call)), by);
        }
        if operators::is_forgettable(&name) && call.args.is_empty() {
            let by = self.source(&call.receiver).to_owned();
            self.replace(call, format!("`{}` without `{name}`", self.excerpt(call)), by);
        }
        if let ("div_ceil", Some(divisor)) = (name.as_str(), call.args.first()) {
            let by = format!("({}) / ({})", self.source(&call.receiver), self.source(divisor));
            self.replace(call, format!("`{}` rounded down", self.excerpt(call)), by);
        }
    }

    /// A range may begin one later and end one earlier.
    fn range(&mut self, range: &syn::ExprRange) {
        let ends = [(range.start.as_deref(), '+'), (range.end.as_deref(), '-')];
        for (end, sign) in ends {
            // A literal is a mutant of its own.
            let Some(end) = end.filter(|end| !matches!(end, Expr::Lit(_))) else { continue };
            let by = format!("({}) {sign} 1", self.source(end));
            let change = format!("`{}`: `{}` {sign} 1", self.excerpt(range), self.excerpt(end));
            self.replace(end, change, by);
        }
    }

    /// A condition that no operator decides may be the opposite.
    fn condition(&mut self, condition: &Expr) {
        if matches!(condition, Expr::Call(_) | Expr::MethodCall(_) | Expr::Path(_) | Expr::Field(_))
        {
            let by = format!("!({})", self.source(condition));
            self.replace(condition, format!("negated `{}`", self.excerpt(condition)), by);
        }
    }

    fn body(&mut self, signature: &Signature, block: &Block) {
        let values = match &signature.output {
            ReturnType::Default => vec!["()".to_owned()],
            ReturnType::Type(_, of) => operators::idle_values(of),
        };
        let open = block.brace_token.span.open();
        let place = open.byte_range().end;
        let range = block.span().byte_range();
        let body = self.text[range.start + 1..range.end - 1].trim().to_owned();
        for value in values.into_iter().filter(|value| *value != body && !body.is_empty()) {
            let change = format!("body with `{value}`");
            self.note(signature.span(), place..place, change, Edit::Return(value));
        }
    }

    fn function(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if signature.constness.is_some() || is_excluded(attributes) {
            return;
        }
        self.function.push(signature.ident.to_string());
        self.body(signature, block);
        self.visit_block(block);
        self.function.pop();
    }

    /// `if fault::on(..) { broken } else { right }` is visited in its right half alone.
    fn if_fault(&mut self, expr: &syn::ExprIf) {
        match decided(&expr.cond) {
            Some(false) => {}
            Some(true) => return self.visit_block(&expr.then_branch),
            None => {
                self.visit_expr(&expr.cond);
                self.visit_block(&expr.then_branch);
            }
        }
        if let Some((_, otherwise)) = &expr.else_branch {
            self.visit_expr(otherwise);
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes = match item {
            Item::Fn(item) => return self.function(&item.attrs, &item.sig, &item.block),
            Item::Mod(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Impl(item) => {
                if is_excluded(&item.attrs) || is_for_people(item) {
                    return;
                }
                self.function.push(self.excerpt(&item.self_ty));
                item.items.iter().for_each(|item| self.visit_impl_item(item));
                self.function.pop();
                return;
            }
            // Constants, types, imports and macros hold no code that runs.
            _ => return,
        };
        if !is_excluded(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(block) = &item.default {
            self.function(&item.attrs, &item.sig, block);
        }
    }

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {}

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        match statement {
            Stmt::Local(local) if is_excluded(&local.attrs) => return,
            Stmt::Expr(expr, Some(_)) if is_for_effect(expr) => {
                let (span, change) = (statement.span(), self.excerpt(statement));
                self.note(span, span.byte_range(), format!("without `{change}`"), Edit::Skip);
            }
            _ => {}
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            if decided(guard) == Some(false) {
                return;
            }
            let change = format!("guard `{}` with `false`", self.excerpt(guard));
            self.replace(&**guard, change, "false".to_owned());
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_match(&mut self, expr: &'ast syn::ExprMatch) {
        // An arm can only be left out if a later one takes everything.
        if let Some((last, arms)) = expr.arms.split_last()
            && matches!(last.pat, syn::Pat::Wild(_))
            && last.guard.is_none()
        {
            for arm in arms.iter().filter(|arm| arm.guard.is_none()) {
                let change = format!("without the arm `{}`", self.excerpt(&arm.pat));
                let end = arm.pat.span().byte_range().end;
                self.note(arm.pat.span(), end..end, change, Edit::NoMatch);
            }
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if !call.path.is_ident("vec") {
            return;
        }
        type List = syn::punctuated::Punctuated<Expr, syn::Token![,]>;
        if let Ok(list) = call.parse_body_with(List::parse_terminated) {
            list.iter().for_each(|expr| self.visit_expr(expr));
        } else if let Ok((value, count)) = call.parse_body_with(value_and_count) {
            self.visit_expr(&value);
            self.visit_expr(&count);
        }
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        match expr {
            Expr::Call(_) | Expr::Unary(_) if decided(expr).is_some() => return,
            Expr::Match(of) if decided(&of.expr).is_some() => {
                let right = of.arms.iter().filter(|arm| self.source(&arm.pat) != "true");
                let right: Vec<&Expr> = right.map(|arm| &*arm.body).collect();
                return right.into_iter().for_each(|body| self.visit_expr(body));
            }
            Expr::Binary(binary) if speaks_of_fault(self.source(expr)) => {}
            Expr::Binary(binary) => self.binary(binary),
            Expr::Lit(literal) => self.literal(literal),
            Expr::Unary(unary) => self.unary(unary),
            Expr::MethodCall(call) => self.method(call),
            Expr::Range(range) => self.range(range),
            Expr::While(expr) => self.condition(&expr.cond),
            Expr::If(expr) if speaks_of_fault(self.source(&expr.cond)) => {
                return self.if_fault(expr);
            }
            Expr::If(expr) => self.condition(&expr.cond),
            Expr::Call(call) if self.source(&call.func).contains("Error::") => {
                let before = std::mem::replace(&mut self.in_error, true);
                visit::visit_expr(self, expr);
                self.in_error = before;
                return;
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

fn value_and_count(input: syn::parse::ParseStream) -> syn::Result<(Expr, Expr)> {
    let value = input.parse()?;
    input.parse::<syn::Token![;]>()?;
    Ok((value, input.parse()?))
}

#[cfg(test)]
mod tests;
