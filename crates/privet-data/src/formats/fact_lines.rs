//! Which facts are stated and which were read off the records, as files of ours keep it.

use crate::{Dataset, Fact, FactOrigin, Result, SourceLocation};

/// Facts as a file keeps them: `ids=read_off`, and nothing for those that were stated.
pub(crate) fn fact_lines(dataset: &Dataset) -> Vec<String> {
    let line = |fact: Fact| match dataset.fact_origin(fact)? {
        FactOrigin::Stated => None,
        FactOrigin::ReadOff => Some(format!("{fact}=read_off")),
        FactOrigin::TakenForPublic => Some(format!("{fact}=taken_for_public")),
    };
    Fact::ALL.into_iter().filter_map(line).collect()
}

/// The dataset with the facts that a file kept.
pub(crate) fn with_fact_lines<S: AsRef<str>>(
    dataset: Dataset,
    lines: &[S],
    place: &SourceLocation,
) -> Result<Dataset> {
    lines.iter().try_fold(dataset, |dataset, line| {
        let parsed = line.as_ref().split_once('=').and_then(|(fact, origin)| {
            let origin = match origin {
                "read_off" => FactOrigin::ReadOff,
                "taken_for_public" => FactOrigin::TakenForPublic,
                _ => return None,
            };
            Some((Fact::from_name(fact)?, origin))
        });
        let unknown = || place.malformed(format!("'{}'", line.as_ref()), "a fact and its origin");
        let (fact, origin) = parsed.ok_or_else(unknown)?;
        Ok(dataset.with_fact_origin(fact, origin))
    })
}
