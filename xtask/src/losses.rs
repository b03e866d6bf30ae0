//! A result carries a privacy loss with its unit and its conditions (`StatedLoss`), never a bare epsilon. Read from the
//! sources: a field of a result that is an epsilon, and a printed text with an epsilon in it, are listed here with the
//! reason why they are no spent budget, or the check fails.

use std::path::Path;

use anyhow::{Context, Result, bail};
use syn::visit::Visit;

use crate::subjects::named_sources;

/// What the user asks for. The answer is on a card.
const REQUEST: &str = "a request or a setting";
/// What stands on an axis, in a key or in a column of an experiment.
const AXIS: &str = "a setting of an experiment, which its cells are keyed by";
/// What remains to be spent.
const BUDGET: &str = "a budget, not a loss";
/// Prices of events that nothing was released by.
const PRICE: &str = "the price of an event, which has no unit and no data";
/// What an attack or an audit is compared with.
const BOUND: &str = "a bound that a measurement is compared with";
/// A project's account, line by line beside its relation.
const ACCOUNT: &str = "a sum of an account, printed beside its relation, its delta and its limit";

/// Structs with an epsilon in them: the end of the path, the name, and why it is no spent budget.
const FIELDS: &[(&str, &str, &str)] = &[
    ("privet/src/account.rs", "Quote", PRICE),
    ("privet/src/account.rs", "Quotes", PRICE),
    ("privet/src/count.rs", "CountAnswer", REQUEST),
    ("privet/src/device.rs", "AboutDevice", BUDGET),
    ("privet/src/dprr/setting.rs", "UserEpsilons", REQUEST),
    ("privet/src/hetero_rr/votes.rs", "Votes", REQUEST),
    ("privet/src/ldp_ge/answers.rs", "Answers", REQUEST),
    ("privet/src/ldp_ge/collect.rs", "Protection", REQUEST),
    ("privet/src/ldp_ge/edges.rs", "ListProtection", REQUEST),
    ("privet/src/ldp_ge/theory.rs", "Forecast", REQUEST),
    ("privet/src/ldp_ge/theory.rs", "Forecaster", REQUEST),
    ("privet/src/project/config.rs", "BudgetConfig", BUDGET),
    ("privet/src/project/draft.rs", "Draft", BUDGET),
    ("privet/src/project/status.rs", "ChargeStatus", ACCOUNT),
    ("privet/src/project/status.rs", "RelationSpending", ACCOUNT),
    ("privet/src/project/tune.rs", "TuningOutcome", BUDGET),
    ("privet/src/protect/features.rs", "FeatureProtection", REQUEST),
    ("privet-cli/src/commands/project/init.rs", "CreatedProject", BUDGET),
    ("privet-cli/src/commands/project/tune.rs", "TuningOutput", BUDGET),
    ("privet-cli/src/output/forecast.rs", "ForecastOutput", REQUEST),
    ("privet-cli/src/output/price.rs", "PricePoint", PRICE),
    ("privet-cli/src/output/price.rs", "AccountantPrice", PRICE),
    ("privet-cli/src/output/price.rs", "PriceOutput", PRICE),
    ("privet-lab/src/attacks.rs", "Ceiling", BOUND),
    ("privet-lab/src/experiments/ldp_ge/reports.rs", "Reports", AXIS),
    ("privet-lab/src/experiments/peers.rs", "PeerTrial", AXIS),
    ("privet-lab/src/experiments/trust_order.rs", "TrustOrder", AXIS),
    ("privet-papers/src/dpar/pictures.rs", "ModelImage", AXIS),
    ("privet-papers/src/hetero_rr.rs", "Curve", AXIS),
    ("privet-papers/src/item.rs", "MeasureRequest", AXIS),
    ("privet-lab/src/experiments/trial/write_up.rs", "TrialText", AXIS),
    ("privet-lab/src/plan.rs", "PointPlan", REQUEST),
    ("privet-lab/src/plan/advice.rs", "Choice", REQUEST),
    ("privet-lab/src/plan/benchmarks/measured.rs", "Measurement", AXIS),
    ("privet-lab/src/plan/facts.rs", "PlanQuestion", REQUEST),
    ("privet-lab/src/plan/page.rs", "SliderView", REQUEST),
    ("privet-lab/src/plan/simulate.rs", "SimulatedRun", REQUEST),
    ("privet-learn/src/train/adam.rs", "AdamConfig", "the small number in Adam's denominator"),
    ("privet-protocol/src/task.rs", "ContactsAsked", REQUEST),
    ("privet-protocol/src/task.rs", "FeaturesAsked", REQUEST),
    ("privet-protocol/src/task.rs", "LabelAsked", REQUEST),
];

/// Files and folders that print an epsilon, and why it is no spent budget.
const TEXTS: &[(&str, &str)] = &[
    ("privet/src/doubts.rs", REQUEST),
    ("privet/src/error.rs", BUDGET),
    ("privet/src/model/graphs.rs", REQUEST),
    ("privet-cli/src/commands/collect/demo.rs", REQUEST),
    ("privet-cli/src/commands/collect/shown.rs", ACCOUNT),
    ("privet-cli/src/commands/count.rs", REQUEST),
    ("privet-cli/src/commands/project/init.rs", BUDGET),
    ("privet-cli/src/commands/project/tune.rs", BUDGET),
    ("privet-cli/src/commands/protect.rs", REQUEST),
    ("privet-cli/src/output/evaluate.rs", BUDGET),
    ("privet-cli/src/output/forecast.rs", REQUEST),
    ("privet-cli/src/output/plan.rs", REQUEST),
    ("privet-cli/src/output/status.rs", ACCOUNT),
    ("privet-lab/src/audit/", BOUND),
    ("privet-lab/src/experiments/", AXIS),
    ("privet-lab/src/plan/", REQUEST),
    ("privet-papers/src/", AXIS),
    ("privet-lab/src/report/outline.rs", "what a paper claims, beside what is wrong with it"),
    ("privet-protocol/src/error.rs", BUDGET),
];

/// Fails on a bare epsilon that is not listed, and on a line of the lists that is not needed.
pub fn check() -> Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("crates");
    let mut sources = named_sources(&crates)?;
    sources.retain(|(path, _)| path.contains("/src/") && !path.ends_with("tests.rs"));
    // The trusted base computes with the numbers; what leaves it is a card.
    sources.retain(|(path, _)| !path.contains("privet-privacy/src"));
    sources.sort();
    let mut problems = Vec::new();
    let mut listed = ListedEpsilons::default();
    for (path, source) in &sources {
        problems.extend(listed.problems(path, source)?);
    }
    problems.extend(listed.idle());
    match problems.is_empty() {
        true => Ok(()),
        false => bail!("{}", problems.join("\n")),
    }
}

/// Which lines of the lists were needed.
#[derive(Default)]
struct ListedEpsilons {
    used: Vec<(&'static str, &'static str)>,
}

impl ListedEpsilons {
    fn problems(&mut self, path: &str, source: &str) -> Result<Vec<String>> {
        let file = syn::parse_file(source).with_context(|| path.to_owned())?;
        let mut found = BareEpsilons::default();
        found.visit_file(&file);
        let mut problems = Vec::new();
        for (name, field) in found.fields {
            match FIELDS.iter().find(|(end, known, _)| path.ends_with(end) && *known == name) {
                Some((end, known, _)) => self.used.push((end, known)),
                None => problems.push(format!(
                    "{path}: `{name}.{field}` is a bare epsilon; a spent budget is a StatedLoss, anything else stands \
                     with its reason in xtask/src/losses.rs"
                )),
            }
        }
        for text in found.texts {
            match TEXTS.iter().find(|(part, _)| path.contains(part)) {
                Some((part, _)) => self.used.push((part, "")),
                None => problems.push(format!(
                    "{path}: prints a bare epsilon ({text}); a spent budget is printed by StatedLoss, anything else \
                     stands with its reason in xtask/src/losses.rs"
                )),
            }
        }
        Ok(problems)
    }

    /// Lines of the lists that nothing needs any more.
    fn idle(&self) -> Vec<String> {
        let fields = FIELDS.iter().map(|(end, name, _)| (*end, *name));
        let texts = TEXTS.iter().map(|(part, _)| (*part, ""));
        let idle = fields.chain(texts).filter(|line| !self.used.contains(line));
        idle.map(|(end, name)| format!("xtask/src/losses.rs: no epsilon in {end} {name}")).collect()
    }
}

/// The epsilons of a file that stand alone.
#[derive(Default)]
struct BareEpsilons {
    /// Struct and field.
    fields: Vec<(String, String)>,
    /// The texts of macros.
    texts: Vec<String>,
}

impl<'ast> Visit<'ast> for BareEpsilons {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let for_tests = |attribute: &syn::Attribute| {
            let said = attribute.parse_args::<syn::Path>();
            attribute.path().is_ident("cfg") && said.is_ok_and(|said| said.is_ident("test"))
        };
        if !module.attrs.iter().any(for_tests) {
            syn::visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        syn::visit::visit_item_struct(self, item);
        let derived = |name: &str| item.attrs.iter().any(|attribute| derives(attribute, name));
        // Options of a command are what its user asks for.
        if derived("Args") || derived("Parser") {
            return;
        }
        let written = derived("Serialize");
        for field in &item.fields {
            let Some(name) = field.ident.as_ref().map(ToString::to_string) else { continue };
            let shown = written || matches!(field.vis, syn::Visibility::Public(_));
            if shown && name.contains("epsilon") && is_number(&field.ty) {
                self.fields.push((item.ident.to_string(), name));
            }
        }
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta
            && attribute.path().is_ident("error")
        {
            literals(list.tokens.clone(), &mut self.texts);
        }
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        literals(called.tokens.clone(), &mut self.texts);
    }
}

/// Whether an attribute derives a trait of this name, under a feature or not.
fn derives(attribute: &syn::Attribute, name: &str) -> bool {
    let syn::Meta::List(list) = &attribute.meta else { return false };
    let tokens = list.tokens.to_string();
    let words = || tokens.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    match attribute.path().is_ident("derive") {
        true => words().any(|word| word == name),
        false => words().any(|word| word == "derive") && words().any(|word| word == name),
    }
}

/// Whether a type is a number, or some of them.
fn is_number(kind: &syn::Type) -> bool {
    struct NumberParts(bool);
    impl<'ast> Visit<'ast> for NumberParts {
        fn visit_path_segment(&mut self, segment: &'ast syn::PathSegment) {
            let plain = ["f64", "f32", "Epsilon", "Option", "Vec"];
            self.0 &= plain.iter().any(|name| segment.ident == name);
            syn::visit::visit_path_segment(self, segment);
        }
    }
    let mut parts = NumberParts(true);
    parts.visit_type(kind);
    parts.0
}

/// Texts with a number after the word, wherever in a macro they stand.
fn literals(tokens: proc_macro2::TokenStream, found: &mut Vec<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Group(group) => literals(group.stream(), found),
            proc_macro2::TokenTree::Literal(literal) => {
                let text = literal.to_string();
                // A command that is printed for the user asks for its epsilon.
                if text.to_lowercase().replace("--epsilon {", "").contains("epsilon {") {
                    found.push(text);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(source: &str) -> Vec<String> {
        ListedEpsilons::default().problems("crates/privet/src/planted.rs", source).unwrap()
    }

    #[test]
    fn b10_a_bare_epsilon_in_a_result_is_named() {
        for planted in [
            "pub struct Outcome { pub epsilon: f64 }",
            "pub struct Outcome { pub epsilon: Option<Epsilon> }",
            "#[derive(Serialize)] struct Outcome { spent_epsilon: Vec<f64> }",
            "#[derive(Debug, serde::Serialize)] struct Outcome { epsilon: Epsilon }",
            "fn f() { println!(\"spent epsilon {}\", 1.0); }",
            "fn f() { let x = format!(\"Epsilon {epsilon}, once\"); }",
            "fn f() { println!(\"{}\", format!(\"epsilon {:.2}\", 1.0)); }",
            "#[error(\"brings epsilon {before} to {after}\")] struct Over;",
        ] {
            assert_eq!(problems(planted).len(), 1, "{planted}: {:?}", problems(planted));
        }
    }

    #[test]
    fn b10_a_stated_loss_and_a_request_are_fine() {
        for fine in [
            "pub struct Outcome { pub loss: StatedLoss, pub epsilon: StatedLoss }",
            "struct Inner { epsilon: f64 }",
            "#[derive(clap::Args)] pub struct Asked { pub epsilon: f64 }",
            "#[cfg_attr(feature = \"clap\", derive(clap::Args))] pub struct Asked { pub epsilon: f64 }",
            "#[cfg(test)] mod tests { pub struct Outcome { pub epsilon: f64 } }",
            "fn f() { println!(\"{stated}; privet train --epsilon {asked}\"); }",
        ] {
            assert_eq!(problems(fine), Vec::<String>::new(), "{fine}");
        }
    }

    #[test]
    fn b10_every_bare_epsilon_has_a_reason() {
        check().unwrap();
    }
}
