//! Requests as data: every setting with its kind, its default, its choices and its help. `cargo xtask signatures` writes
//! the signatures of the Python package from this.

use std::any::TypeId;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args, Command};
use privet::request::{
    DparRequest, DprrRequest, EmbedRequest, HeteroRrRequest, LdpGeRequest, PublishRequest,
    RequestFields,
};
use privet::settings::{Radii, Widths};
use privet_lab::plan::StatedFacts;
use privet_lab::request::{
    LinkTellerRequest, MembershipRequest, PoisonRequest, ReconstructRequest, TuneRequest,
};
use serde_json::{Map, Value, json};

/// All requests by name.
pub fn requests() -> Value {
    json!({
        "LdpGeRequest": settings::<LdpGeRequest>(),
        "DparRequest": settings::<DparRequest>(),
        "DprrRequest": settings::<DprrRequest>(),
        "HeteroRrRequest": settings::<HeteroRrRequest>(),
        "PublishRequest": settings::<PublishRequest>(),
        "EmbedRequest": settings::<EmbedRequest>(),
        "StatedFacts": settings::<StatedFacts>(),
        "TuneRequest": settings::<TuneRequest>(),
        "MembershipRequest": settings::<MembershipRequest>(),
        "PoisonRequest": settings::<PoisonRequest>(),
        "LinkTellerRequest": settings::<LinkTellerRequest>(),
        "ReconstructRequest": settings::<ReconstructRequest>(),
    })
}

/// The settings of one request, in the order of its struct. A setting without a default has `null`: what it is then
/// depends on the rest of the request, and its help says how.
fn settings<R: RequestFields + Args>() -> Vec<Value> {
    let options = R::augment_args(Command::new("request"));
    let named = |argument: &Arg| Some(argument.get_long()?.replace('-', "_"));
    let required: Vec<String> =
        options.get_arguments().filter(|a| a.is_required_set()).filter_map(named).collect();
    let defaults = defaults::<R>(&required);
    let setting = |argument: &Arg| {
        let name = named(argument)?;
        let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let choices: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|_| !matches!(argument.get_action(), ArgAction::SetTrue))
            .map(|choice| choice.get_name().to_owned())
            .collect();
        Some(json!({
            "name": name,
            "required": required.contains(&name),
            "kind": kind(argument, &choices),
            "choices": choices,
            "default": defaults.get(&name).cloned().unwrap_or(Value::Null),
            "help": help.split_whitespace().collect::<Vec<_>>().join(" "),
        }))
    };
    options.get_arguments().filter_map(setting).collect()
}

/// What stands in a request where only what is required was given.
fn defaults<R: RequestFields>(required: &[String]) -> Map<String, Value> {
    let fields = |request: &R| match serde_json::to_value(request) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let mut given = fields(&R::example());
    given.retain(|name, _| required.contains(name));
    serde_json::from_value(Value::Object(given)).map(|least| fields(&least)).unwrap_or_default()
}

/// What values a setting takes: `text`, `number`, `count`, `flag`, `path`, `choice`; a list of them has `s` at its end.
fn kind(argument: &Arg, choices: &[String]) -> &'static str {
    let of = argument.get_value_parser().type_id();
    let is = |id: TypeId| of == id;
    let many = argument.get_value_delimiter().is_some();
    match () {
        () if matches!(argument.get_action(), ArgAction::SetTrue) => "flag",
        () if is(TypeId::of::<Widths>()) => "counts",
        () if is(TypeId::of::<Radii>()) => "numbers",
        () if !choices.is_empty() && many => "choices",
        () if !choices.is_empty() => "choice",
        () if is(TypeId::of::<f64>()) || is(TypeId::of::<f32>()) => {
            if many {
                "numbers"
            } else {
                "number"
            }
        }
        () if [TypeId::of::<usize>(), TypeId::of::<u64>(), TypeId::of::<u32>()]
            .into_iter()
            .any(is) =>
        {
            "count"
        }
        () if is(TypeId::of::<PathBuf>()) => "path",
        () if many => "texts",
        () => "text",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_is_described_as_its_struct_has_it() {
        let all = requests();
        let setting = |request: &str, name: &str| {
            let list = all[request].as_array().unwrap();
            list.iter().find(|setting| setting["name"] == name).unwrap().clone()
        };
        let epsilon = setting("DparRequest", "epsilon");
        assert_eq!((&epsilon["required"], &epsilon["kind"]), (&json!(true), &json!("number")));
        let mode = setting("DparRequest", "mode");
        assert_eq!((&mode["default"], &mode["kind"]), (&json!("rigorous"), &json!("choice")));
        assert_eq!(mode["choices"], json!(["rigorous", "paper"]));
        let steps = setting("DparRequest", "steps");
        assert_eq!((&steps["default"], &steps["kind"]), (&Value::Null, &json!("count")));
        assert_eq!(setting("DparRequest", "hidden")["kind"], "counts");
        assert_eq!(setting("LdpGeRequest", "private")["kind"], "choices");
        assert_eq!(setting("PublishRequest", "public_features")["default"], false);
        assert_eq!(setting("StatedFacts", "epsilons")["kind"], "numbers");
    }

    /// Every setting that is shown can be given by its name.
    #[test]
    fn names_are_those_of_the_fields() {
        fn check<R: RequestFields + Args>() {
            let known = privet::request::names::<R>();
            let mut example = serde_json::to_value(R::example()).unwrap();
            for setting in settings::<R>() {
                let name = setting["name"].as_str().unwrap().to_owned();
                assert!(known.contains(&name), "{name}: {known:?}");
                for choice in setting["choices"].as_array().unwrap() {
                    let many = setting["kind"] == "choices";
                    let value = if many { json!([choice]) } else { choice.clone() };
                    let usual = std::mem::replace(&mut example[&name], value);
                    let read = serde_json::from_value::<R>(example.clone());
                    assert!(read.is_ok(), "{name}: {choice}: {:?}", read.err());
                    example[&name] = usual;
                }
            }
        }
        check::<LdpGeRequest>();
        check::<DparRequest>();
        check::<DprrRequest>();
        check::<HeteroRrRequest>();
        check::<PublishRequest>();
        check::<EmbedRequest>();
        check::<StatedFacts>();
        check::<TuneRequest>();
        check::<MembershipRequest>();
        check::<PoisonRequest>();
        check::<LinkTellerRequest>();
        check::<ReconstructRequest>();
    }
}
