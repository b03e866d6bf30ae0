//! Datasets of several files named alike: `ind.cora.x` and `ind.cora.y`, `cora.content` and
//! `cora.cites`.

use super::choose::{Candidate, base_name, one_of};
use super::{Bundle, ReadOptions};
use crate::FoundValue;
use crate::Result;

/// How a format splits a member's name: what all members of the dataset begin with, the dataset's
/// name, and which part of it this is. `None` if the member is not of this format.
pub(crate) type SplitName = fn(&str) -> Option<(&str, &str, &str)>;

/// One dataset of a bundle, by its parts.
pub(crate) struct Parts<'b> {
    pub name: String,
    bundle: &'b Bundle,
    prefix: &'b str,
    split: SplitName,
    expected: &'static str,
}

/// The members that are parts of a dataset, with what [`SplitName`] makes of them.
fn parts(bundle: &Bundle, split: SplitName) -> impl Iterator<Item = (&str, (&str, &str, &str))> {
    let members = bundle.members().iter().map(String::as_str);
    // Desktops leave `._` companions in the archives they make.
    let visible = members.filter(|member| !base_name(member).starts_with('.'));
    visible.filter_map(move |member| Some((member, split(member)?)))
}

impl<'b> Parts<'b> {
    /// Whether the bundle has a part of any dataset.
    pub fn exist(bundle: &Bundle, split: SplitName) -> bool {
        parts(bundle, split).next().is_some()
    }

    /// The only dataset there is, or the one that `--member` names; `expected` says in errors what
    /// a dataset consists of.
    pub fn choose(
        bundle: &'b Bundle,
        options: &ReadOptions,
        split: SplitName,
        expected: &'static str,
    ) -> Result<Self> {
        let mut prefixes = std::collections::BTreeMap::new();
        for (_, (prefix, name, _)) in parts(bundle, split) {
            prefixes.entry(prefix).or_insert(name);
        }
        let candidate = |(&prefix, &name): (&&'b str, &&'b str)| Candidate {
            name: name.to_owned(),
            member: prefix,
        };
        let candidates = prefixes.iter().map(candidate).collect();
        let prefix = one_of(bundle, options, candidates, expected)?.member;
        let name = prefixes.get(prefix).copied().unwrap_or_default().to_owned();
        Ok(Self { name, bundle, prefix, split, expected })
    }

    /// The member that is this part.
    pub fn member(&self, part: &str) -> Result<&'b str> {
        let mut all = parts(self.bundle, self.split);
        let found = all.find(|&(_, (prefix, _, p))| prefix == self.prefix && p == part);
        found.map(|(member, _)| member).ok_or_else(|| {
            let found = FoundValue::words(format!("no member {}{part}", self.prefix));
            self.bundle.place().malformed(found, self.expected)
        })
    }
}
