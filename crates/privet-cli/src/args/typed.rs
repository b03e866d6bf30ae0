//! [`GivenSettings`]: what was typed of a struct of settings. The library's structs are the one place where a setting, its
//! default and its words stand; here is what turns them into options.

use clap::{ArgMatches, Args, Command, FromArgMatches};
use privet::data::synthetic::{BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks};
use privet::dprr::{GraphLearner, Reading, SplitRule};
use privet::hetero_rr::EdgeProtection;
use privet::ldp_ge::LabelSpread;
use privet::settings::listed;
use serde::Serialize;

use crate::failure::{Failure, Result};

/// Settings that can be typed.
pub trait Options: Args + Serialize {
    /// What help says of settings that are not typed. None where that depends on the rest of the command: then the
    /// heading says on what.
    fn defaults() -> Option<Self> {
        None
    }
}

/// Settings whose defaults are the same in every command.
macro_rules! options_with_defaults {
    ($($settings:ty),+) => {
        $(impl Options for $settings {
            fn defaults() -> Option<Self> {
                Some(Self::default())
            }
        })+
    };
}

options_with_defaults!(GraphLearner, LabelSpread);
options_with_defaults!(BarabasiAlbert, ErdosRenyi, PowerLaw, StochasticBlocks);

impl Options for privet::dpar::Settings {}
impl Options for privet::ldp_ge::Embedding {}
impl Options for privet::ldp_ge::Learner {}

impl Options for SplitRule {
    fn defaults() -> Option<Self> {
        Some(Reading::default().split())
    }
}

impl Options for EdgeProtection {
    fn defaults() -> Option<Self> {
        Some(Self::new(1.0))
    }
}

/// What was typed of `S`, and nothing of what was not.
#[derive(Debug, Clone)]
pub struct GivenSettings<S> {
    matches: ArgMatches,
    settings: std::marker::PhantomData<S>,
}

impl<S: Options> GivenSettings<S> {
    /// The settings: what was typed, over defaults.
    ///
    /// # Errors
    /// Never in practice: values were parsed already.
    pub fn over(&self, mut defaults: S) -> Result<S> {
        let updated = defaults.update_from_arg_matches(&self.matches);
        updated.map_err(|error| Failure::usage(error.to_string()))?;
        Ok(defaults)
    }

    /// Whether an option was typed.
    pub fn has(&self, option: &str) -> bool {
        self.matches.contains_id(option)
    }
}

impl<S: Options> FromArgMatches for GivenSettings<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        Ok(Self { matches: matches.clone(), settings: std::marker::PhantomData })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.matches = matches.clone();
        Ok(())
    }
}

impl<S: Options> Args for GivenSettings<S> {
    fn augment_args(command: Command) -> Command {
        let defaults = S::defaults().map(|defaults| listed(&defaults)).unwrap_or_default();
        let alone = S::augment_args_for_update(Command::new("settings"));
        let mut command = S::augment_args_for_update(command);
        for argument in alone.get_arguments() {
            let default = defaults.iter().find(|(name, _)| Some(&**name) == argument.get_long());
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
