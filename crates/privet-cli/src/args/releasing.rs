//! What a person who makes a release confirms: the same options for every release.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use privet::doubts::Doubt;

/// Numbers that are questioned, and taken all the same.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Numbers that give no protection")]
pub struct ReleaseArgs {
    /// Proceed despite these warnings; the card lists them
    #[arg(long, value_name = "DOUBT,...", value_delimiter = ',', value_parser = doubt_parser())]
    pub accept: Vec<Doubt>,
}

fn doubt_parser() -> impl TypedValueParser<Value = Doubt> {
    PossibleValuesParser::new(Doubt::ALL.map(Doubt::name))
        .try_map(|name| Doubt::from_name(&name).ok_or("expected the name of a doubt"))
}
