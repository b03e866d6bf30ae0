//! [`NpzArrays`]: the members of an npz by key, read when asked for, with a record of those never asked for.

use std::collections::{BTreeMap, BTreeSet};

use crate::formats::Bundle;
use crate::formats::choose::base_name;
use crate::formats::csr_arrays::CsrArrays;
use crate::formats::npy::NpyArray;
use crate::{Error, FoundValue, Result, SourceLocation};

/// Where an adjacency in compressed sparse rows may begin its keys. The last is scipy's own, of a
/// file that holds one matrix and nothing else.
const ADJACENCY: [&str; 3] = ["adj_", "adj_matrix.", ""];

/// Under which keys to look for a list of node pairs.
pub(super) const EDGE_LISTS: [&str; 2] = ["edge_index", "edges"];

/// The arrays of one npz.
pub(crate) struct NpzArrays<'b> {
    bundle: &'b Bundle,
    /// Member names by key: `adj_data` -> `adj_data.npy`.
    members: BTreeMap<&'b str, &'b str>,
    used: BTreeSet<&'b str>,
    notices: Vec<String>,
}

impl<'b> NpzArrays<'b> {
    pub fn new(bundle: &'b Bundle) -> Self {
        let key = |member: &'b String| {
            let key = base_name(member).strip_suffix(".npy")?;
            Some((key, member.as_str()))
        };
        let members = bundle.members().iter().filter_map(key).collect();
        Self { bundle, members, used: BTreeSet::new(), notices: Vec::new() }
    }

    pub fn place(&self) -> &SourceLocation {
        self.bundle.place()
    }

    pub fn bundle(&self) -> &Bundle {
        self.bundle
    }

    pub fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// All keys, for errors.
    pub fn keys(&self) -> String {
        let keys: Vec<&str> = self.members.keys().copied().take(20).collect();
        if keys.is_empty() { "no arrays".into() } else { keys.join(", ") }
    }

    pub fn has_edges(&self) -> bool {
        self.adjacency_prefix().is_some() || EDGE_LISTS.iter().any(|key| self.has(key))
    }

    /// What the keys of the adjacency begin with, if there is one.
    pub fn adjacency_prefix(&self) -> Option<&'static str> {
        self.csr_prefix(&ADJACENCY)
    }

    /// The first prefix under which there is a matrix.
    pub fn csr_prefix<'p>(&self, prefixes: &[&'p str]) -> Option<&'p str> {
        prefixes.iter().copied().find(|prefix| self.has(&format!("{prefix}indptr")))
    }

    /// The array under a key; `None` if there is no such member.
    pub fn get(&mut self, key: &str) -> Result<Option<NpyArray>> {
        let Some((&key, &member)) = self.members.get_key_value(key) else { return Ok(None) };
        // What is never asked for is named in a notice: a typing mistake in a key must not pass in silence.
        self.used.insert(key);
        NpyArray::read(self.bundle.open(member)?).map(Some)
    }

    /// The first array there is under one of the keys.
    pub fn first(&mut self, keys: &[&str]) -> Result<Option<NpyArray>> {
        match keys.iter().find(|key| self.has(key)) {
            Some(key) => self.get(key),
            None => Ok(None),
        }
    }

    /// An array that something depends on.
    pub fn required(&mut self, key: &str) -> Result<NpyArray> {
        let array = self.get(key)?;
        array.ok_or_else(|| {
            self.place().malformed(FoundValue::words(format!("no array {key}")), "one")
        })
    }

    /// An array that is nice to have: pickled objects are skipped with a notice.
    pub fn optional(&mut self, key: &str) -> Result<Option<NpyArray>> {
        match self.get(key) {
            // A pickle may hold names that are only nice to have; it is never read, and is no reason to refuse
            // the rest.
            Err(Error::Refused { .. }) => {
                self.notice(format!("{key} is an object array (a pickle) and was not read"));
                Ok(None)
            }
            other => other,
        }
    }

    /// Names, if there is an array of `count` of them.
    pub fn names(&mut self, key: &str, count: usize) -> Result<Option<Vec<String>>> {
        let Some(array) = self.optional(key)? else { return Ok(None) };
        if array.is_text() && array.shape() == [count] {
            return array.texts().map(Some);
        }
        let (item, shape) = (array.item(), array.shape());
        self.notice(format!("{key} ({item} of shape {shape:?}) is not {count} names: not used"));
        Ok(None)
    }

    /// A matrix in compressed sparse rows.
    pub fn csr(&mut self, prefix: &str) -> Result<CsrArrays> {
        // scipy saves csc and coo under the same keys: read as csr they would be another graph.
        if let Some(format) =
            self.get(&format!("{prefix}format"))?.map(|f| f.texts()).transpose()?
            && format != ["csr"]
        {
            let found =
                FoundValue::words(format!("a sparse matrix in the format {}", format.join(" ")));
            return Err(self.place().malformed(found, "csr (in scipy: matrix.tocsr())"));
        }
        let shape = self.required(&format!("{prefix}shape"))?;
        let lengths: [usize; 2] = shape.integers("a length, not negative")?.try_into().map_err(
            |lengths: Vec<usize>| {
                shape
                    .place()
                    .malformed(FoundValue::words(format!("{} lengths", lengths.len())), "2")
            },
        )?;
        let indptr = self.required(&format!("{prefix}indptr"))?;
        let indices = self.required(&format!("{prefix}indices"))?;
        let data = self.get(&format!("{prefix}data"))?;
        CsrArrays::new(self.place(), lengths, &indptr, &indices, data.as_ref())
    }

    /// Tells the user something.
    pub fn notice(&mut self, text: impl Into<String>) {
        self.notices.push(text.into());
    }

    /// The notices so far, and last the names of the members that were never asked for.
    pub fn into_notices(mut self) -> Vec<String> {
        let unused = self.members.keys().filter(|key| !self.used.contains(*key));
        let unused: Vec<&str> = unused.copied().collect();
        if !unused.is_empty() {
            self.notices.push(format!("members not used: {}", unused.join(", ")));
        }
        self.notices
    }
}
