//! [`PartialSettings`]: some settings of a struct, by name. The struct is the one place where a setting, its default and
//! its documentation stand; what was not given here comes from defaults that may depend on the rest of a request.

use std::marker::PhantomData;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{fields_of, misplaced};
use crate::{Error, Result};

/// A struct of settings, whose serde names are those that users type (`learning_rate`, `--learning-rate`).
pub trait NamedSettings: Serialize + DeserializeOwned {
    /// Values of every setting, of which names and kinds are read.
    fn example() -> Self;

    /// What help says of settings that are not given. None where that depends on the rest of a request.
    fn defaults() -> Option<Self> {
        None
    }
}

/// Settings whose defaults are the same wherever they are asked for.
macro_rules! with_defaults {
    ($($settings:ty),+) => {
        $(impl NamedSettings for $settings {
            fn example() -> Self {
                Self::default()
            }

            fn defaults() -> Option<Self> {
                Some(Self::default())
            }
        })+
    };
}

with_defaults!(crate::dprr::GraphLearner, crate::ldp_ge::LabelSpread);

/// Settings whose defaults follow from the rest of a request.
macro_rules! without_defaults {
    ($($settings:ty: $example:expr),+) => {
        $(impl NamedSettings for $settings {
            fn example() -> Self {
                $example
            }
        })+
    };
}

without_defaults!(
    crate::dpar::Settings: Self::rigorous(),
    crate::ldp_ge::Embedding: Self::default(),
    crate::ldp_ge::Learner: Self::default()
);

impl NamedSettings for crate::dprr::SplitRule {
    fn example() -> Self {
        crate::dprr::Reading::default().split()
    }

    fn defaults() -> Option<Self> {
        Some(Self::example())
    }
}

impl NamedSettings for crate::hetero_rr::EdgeProtection {
    fn example() -> Self {
        Self::new(1.0)
    }

    fn defaults() -> Option<Self> {
        Some(Self::example())
    }
}

/// What was given of `S`, and nothing of what was not.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialSettings<S> {
    given: Map<String, Value>,
    settings: PhantomData<fn() -> S>,
}

impl<S> Default for PartialSettings<S> {
    /// None of them.
    fn default() -> Self {
        Self { given: Map::new(), settings: PhantomData }
    }
}

impl<S: NamedSettings> PartialSettings<S> {
    /// All of these settings.
    pub fn all(settings: &S) -> Self {
        let mut given = Map::new();
        flatten(fields_of(settings), &mut given);
        Self { given, settings: PhantomData }
    }

    /// The names of all settings of the struct.
    pub fn names() -> Vec<String> {
        Self::all(&S::example()).given.keys().cloned().collect()
    }

    /// The settings: what was given, over defaults.
    ///
    /// # Errors
    /// If a value is not of the kind of its setting.
    pub fn over(&self, defaults: S) -> Result<S> {
        if self.given.is_empty() {
            return Ok(defaults);
        }
        let mut fields = Value::Object(fields_of(&defaults));
        for (name, value) in &self.given {
            replace(&mut fields, name, value);
        }
        serde_json::from_value(fields).map_err(|error| self.misfit(&error))
    }

    /// The first setting whose value does not fit by itself.
    fn misfit(&self, error: &serde_json::Error) -> Error {
        let fits = |name: &str, value: &Value| {
            let mut fields = Value::Object(fields_of(&S::example()));
            replace(&mut fields, name, value);
            serde_json::from_value::<S>(fields).is_ok()
        };
        let found = self.given.iter().find(|(name, value)| !fits(name, value));
        let (name, value) = found.map_or(("settings", &Value::Null), |(name, value)| (name, value));
        misplaced(name, value, error)
    }

    /// Whether a setting was given.
    pub fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }
}

/// Settings of groups by their own names.
fn flatten(fields: Map<String, Value>, into: &mut Map<String, Value>) {
    for (name, value) in fields {
        match value {
            Value::Object(fields) => flatten(fields, into),
            value => drop(into.insert(name, value)),
        }
    }
}

/// Replaces the value of a name, in whichever group it is.
fn replace(fields: &mut Value, name: &str, value: &Value) {
    let Value::Object(fields) = fields else { return };
    for (other, old) in fields.iter_mut() {
        match old {
            Value::Object(_) => replace(old, name, value),
            _ if other == name => *old = value.clone(),
            _ => {}
        }
    }
}

impl<S> Serialize for PartialSettings<S> {
    fn serialize<T: Serializer>(&self, to: T) -> Result<T::Ok, T::Error> {
        self.given.serialize(to)
    }
}

impl<'de, S: NamedSettings> Deserialize<'de> for PartialSettings<S> {
    /// Takes the names of its struct out of fields that may hold others, because a request has several such groups.
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut given = Map::deserialize(from)?;
        let names = Self::names();
        given.retain(|name, value| names.contains(name) && !value.is_null());
        Ok(Self { given, settings: PhantomData })
    }
}

#[cfg(feature = "clap")]
mod options {
    //! The same settings as options of a command line: given options only.

    use clap::{ArgMatches, Args, Command, FromArgMatches};

    use super::{Map, NamedSettings, PartialSettings, PhantomData};
    use crate::data::synthetic::{BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks};
    use crate::settings::listed;

    with_defaults!(BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks);

    impl<S: NamedSettings + Args> FromArgMatches for PartialSettings<S> {
        fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
            let mut typed = S::example();
            typed.update_from_arg_matches(matches)?;
            let (mut all, mut given) = (Self::all(&typed).given, Map::new());
            let alone = S::augment_args_for_update(Command::new("settings"));
            for argument in alone.get_arguments() {
                let id = argument.get_id().as_str();
                let typed = matches!(matches.try_contains_id(id), Ok(true));
                let name = argument.get_long().unwrap_or(id).replace('-', "_");
                if let (true, Some(value)) = (typed, all.remove(&name)) {
                    given.insert(name, value);
                }
            }
            Ok(Self { given, settings: PhantomData })
        }

        fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
            *self = Self::from_arg_matches(matches)?;
            Ok(())
        }
    }

    impl<S: NamedSettings + Args> Args for PartialSettings<S> {
        fn augment_args(command: Command) -> Command {
            let defaults = S::defaults().map(|defaults| listed(&defaults)).unwrap_or_default();
            let alone = S::augment_args_for_update(Command::new("settings"));
            let mut command = S::augment_args_for_update(command);
            for argument in alone.get_arguments() {
                let default =
                    defaults.iter().find(|(name, _)| Some(&**name) == argument.get_long());
                if let (Some((_, value)), Some(help)) = (default, argument.get_help()) {
                    let help = format!("{help} [default: {value}]");
                    command = command.mut_arg(argument.get_id(), |argument| argument.help(help));
                }
            }
            command
        }

        fn augment_args_for_update(command: Command) -> Command {
            Self::augment_args(command)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dpar::Settings;

    fn partial(fields: Value) -> PartialSettings<Settings> {
        serde_json::from_value(fields).unwrap()
    }

    /// What was given stands, in whichever group it is; everything else is the default, to the last bit.
    #[test]
    fn given_settings_stand_over_defaults() {
        let given =
            partial(serde_json::json!({"steps": 7, "top_k": 3, "hidden": [9], "epsilon": 1}));
        assert!(given.has("steps") && !given.has("epsilon") && !given.has("batch"));
        let mut expected = Settings::paper();
        (expected.model.steps, expected.structure.keep) = (7, 3);
        expected.model.hidden = vec![9];
        assert_eq!(given.over(Settings::paper()).unwrap(), expected);
        assert_eq!(PartialSettings::default().over(Settings::paper()).unwrap(), Settings::paper());
        let all = PartialSettings::all(&Settings::paper());
        assert_eq!(all.over(Settings::rigorous()).unwrap(), Settings::paper());
    }

    #[test]
    fn a_value_of_another_kind_is_named() {
        let given = partial(serde_json::json!({"batch": 3, "learning_rate": "fast"}));
        let told = given.over(Settings::paper()).unwrap_err().to_string();
        assert_eq!(told, "learning-rate: found \"fast\"; give a number");
    }
}
