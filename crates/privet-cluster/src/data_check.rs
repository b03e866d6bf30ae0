//! Whether all workers have read the same data: contents, not counts. A worker with another copy would compute its part
//! from it, and the output would be wrong without a word.
//!
//! # Why not a checksum
//! Connections are not encrypted. A listener that knows all records but one could find that one out by trying values until
//! their checksum is the one that was sent. So workers agree on one-time keys with worker 0 (X25519), and send keyed
//! hashes: a listener learns which inputs are the same and which differ, and nothing else. An attacker who takes a listed address
//! takes part, here as everywhere in a job: see [`connect`](crate::connect).
//!
//! ```text
//! all        public halves of one-time keys
//! worker i   to worker 0: a keyed hash of each input
//! worker 0   to all: which inputs of which worker differ from its own
//! ```

use privet::graph::{Dataset, FeatureMatrix, Features, Labels, Split};
use privet::privacy::fault::{self, Fault};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::engine::Exchange;
use crate::gather::put_rows;
use crate::{Error, Result};

/// The inputs of a job, as messages name them.
const INPUTS: [&str; 5] = ["ids", "edges", "features", "labels", "split"];
/// Length of a hash, of a key and of what is sent for an input.
const HASH: usize = 32;

/// One worker whose data differ from those of worker 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct DataDifference {
    worker: usize,
    /// Places in [`INPUTS`].
    inputs: Vec<usize>,
}

/// Fails unless all processes have read the same data.
///
/// # Errors
/// If a worker has read something else: all hear which worker, and which of its inputs differ from those of worker 0.
pub fn check_data(dataset: &Dataset, exchange: &mut Exchange) -> Result<()> {
    if exchange.count() == 1 {
        return Ok(());
    }
    let own = OneTimeKey::new()?;
    // Public halves only: a listener cannot compute the shared secrets.
    let keys = exchange.all_hear(&own.public())?;
    let digests = digests(dataset);
    let chief = exchange.index() == 0;
    if !chief {
        let tags = tags(&own.agree(&keys[0], 0)?, &digests);
        exchange.send(0, &tags.concat())?;
    }
    let mut differences = Vec::new();
    for arrived in exchange.arrive() {
        let worker = arrived.from;
        // Worker 0 computes what the worker would have sent for worker 0's own data.
        let expected = tags(&own.agree(&keys[worker], worker)?, &digests);
        let found = arrived.into_bytes();
        if found.len() != expected.len() * HASH {
            return Err(Error::message(worker, "not one hash for each input"));
        }
        let differs = |at: &usize| found[at * HASH..(at + 1) * HASH] != expected[*at];
        let inputs: Vec<usize> = (0..INPUTS.len()).filter(differs).collect();
        if !inputs.is_empty() && !fault::on(Fault::OtherDataTakesPart) {
            differences.push(DataDifference { worker, inputs });
        }
    }
    let broken = |error: serde_json::Error| Error::Broken(error.to_string());
    let list = serde_json::to_vec(&differences).map_err(broken)?;
    // The result holds numbers of workers and inputs, nothing of the data.
    let heard = exchange.all_hear(if chief { &list } else { &[] })?;
    let differences: Vec<DataDifference> = serde_json::from_slice(&heard[0])
        .map_err(|_| Error::message(0, "not a list of what differs"))?;
    match differences.is_empty() {
        true => Ok(()),
        false => Err(refused(dataset.name(), &differences)),
    }
}

fn refused(name: &str, differences: &[DataDifference]) -> Error {
    let worker = |DataDifference { worker, inputs }: &DataDifference| {
        let inputs: Vec<&str> =
            inputs.iter().filter_map(|&input| INPUTS.get(input).copied()).collect();
        format!("worker {worker} has other {}", inputs.join(", "))
    };
    let found: Vec<String> = differences.iter().map(worker).collect();
    let expected = "the data that worker 0 has read: give every worker a copy of the same files";
    Error::invalid("data of the workers", format!("{} ({name})", found.join("; ")), expected)
}

/// A key pair that lives as long as one comparison.
struct OneTimeKey(ed25519_dalek::SigningKey);

impl OneTimeKey {
    fn new() -> Result<Self> {
        let mut secret = [0; HASH];
        getrandom::fill(&mut secret)
            .map_err(|error| Error::Broken(format!("no randomness for a key: {error}")))?;
        Ok(Self(ed25519_dalek::SigningKey::from_bytes(&secret)))
    }

    fn public(&self) -> [u8; HASH] {
        self.0.verifying_key().to_bytes()
    }

    /// The secret that this process and the other one share.
    fn agree(&self, other: &[u8], worker: usize) -> Result<[u8; HASH]> {
        let wrong = || Error::message(worker, "not the public half of a key");
        let other: [u8; HASH] = other.try_into().map_err(|_| wrong())?;
        let other = ed25519_dalek::VerifyingKey::from_bytes(&other).map_err(|_| wrong())?;
        // A point of small order would make a key that anyone can compute.
        if other.is_weak() {
            return Err(wrong());
        }
        // X25519 on the Montgomery form of the Ed25519 keys, with the scalar clamped as RFC 7748 says.
        let shared = other.to_montgomery().mul_clamped(self.0.to_scalar_bytes());
        Ok(shared.to_bytes())
    }
}

/// The keyed hash of each input. Key and digest have a fixed length, so no two pairs of them read the same.
fn tags(key: &[u8; HASH], digests: &[[u8; HASH]; INPUTS.len()]) -> Vec<[u8; HASH]> {
    let tag = |(input, digest): (&str, &[u8; HASH])| match fault::on(Fault::DigestsInClear) {
        true => *digest,
        false => {
            let hash = Sha256::new().chain_update("privet cluster input 1\n").chain_update(key);
            // The input's name is hashed too: equal digests of two inputs give different tags.
            hash.chain_update(digest).chain_update(input).finalize().into()
        }
    };
    INPUTS.into_iter().zip(digests).map(tag).collect()
}

/// What was read, input by input.
fn digests(dataset: &Dataset) -> [[u8; HASH]; INPUTS.len()] {
    let hash = |put: &dyn Fn(&mut Sha256)| {
        let mut hash = Sha256::new();
        put(&mut hash);
        hash.finalize().into()
    };
    [
        hash(&|hash| dataset.ids().iter().for_each(|id| put_text(hash, &id.to_string()))),
        hash(&|hash| put_edges(hash, dataset)),
        hash(&|hash| dataset.features().iter().for_each(|features| put_features(hash, features))),
        hash(&|hash| dataset.labels().iter().for_each(|labels| put_labels(hash, labels))),
        hash(&|hash| dataset.split().iter().for_each(|split| put_split(hash, split))),
    ]
}

fn put_edges(hash: &mut Sha256, dataset: &Dataset) {
    let graph = dataset.graph();
    put_text(hash, &format!("{:?}", graph.direction()));
    hash.update(bytemuck::cast_slice::<usize, u8>(graph.offsets()));
    hash.update(bytemuck::cast_slice::<u32, u8>(graph.targets()));
}

fn put_features(hash: &mut Sha256, features: &Features) {
    // A dense and a sparse matrix with the same values are computed with differently.
    let sparse = matches!(features.matrix(), FeatureMatrix::Sparse(_));
    put_text(hash, &format!("{} {} {sparse}", features.rows(), features.columns()));
    features.names().into_iter().flatten().for_each(|name| put_text(hash, name));
    if let Some(bounds) = features.bounds() {
        // Who declared them is of no consequence for a result.
        (0..features.columns()).for_each(|column| {
            let (low, high) = bounds.column(column);
            hash.update(bytemuck::cast_slice::<f32, u8>(&[low, high]));
        });
    }
    put_rows(hash, features.matrix(), 0..features.rows());
}

fn put_labels(hash: &mut Sha256, labels: &Labels) {
    labels.class_names().iter().for_each(|name| put_text(hash, name));
    for item in 0..labels.len() as u32 {
        let classes = labels.classes(item);
        hash.update((classes.len() as u64).to_le_bytes());
        hash.update(bytemuck::cast_slice::<u32, u8>(classes));
    }
}

fn put_split(hash: &mut Sha256, split: &Split) {
    for part in [&split.train, &split.validation, &split.test] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(bytemuck::cast_slice::<u32, u8>(part));
    }
}

/// A text with its length before it: two texts never read as one.
fn put_text(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text);
}

#[cfg(test)]
mod tests {
    use privet::data::synthetic::karate_club;

    use super::*;

    /// What a worker sends about the same data is never the same twice, so that no guess can be compared with it.
    #[test]
    fn c11_what_travels_in_the_comparison_tells_a_listener_nothing() {
        let club = karate_club().unwrap();
        let digests = digests(&club);
        let sent = || {
            let (worker, chief) = (OneTimeKey::new().unwrap(), OneTimeKey::new().unwrap());
            let key = worker.agree(&chief.public(), 0).unwrap();
            assert_eq!(key, chief.agree(&worker.public(), 1).unwrap());
            tags(&key, &digests)
        };
        let (one, again) = (sent(), sent());
        for (at, digest) in digests.iter().enumerate() {
            assert_ne!(one[at], again[at], "{}", INPUTS[at]);
            assert_ne!(one[at], *digest, "{}", INPUTS[at]);
        }
        // A key that anyone could compute is refused: the neutral element, and what is no key at all.
        let mut neutral = [0; HASH];
        neutral[0] = 1;
        for wrong in [&neutral[..], &[1, 2, 3]] {
            assert!(OneTimeKey::new().unwrap().agree(wrong, 1).is_err());
        }
    }

    #[test]
    fn every_input_has_a_digest_of_its_own() {
        let club = karate_club().unwrap();
        let before = digests(&club);
        let named = digests(&club.clone().with_name("another name"));
        assert_eq!(before, named, "a name is no content");
        let labels = Labels::from_integers(&(0..34).map(|at| Some(at % 2)).collect::<Vec<_>>());
        let after = digests(&club.with_labels(labels.unwrap()).unwrap());
        let differ: Vec<&str> =
            (0..INPUTS.len()).filter(|&at| before[at] != after[at]).map(|at| INPUTS[at]).collect();
        assert_eq!(differ, ["labels"]);
    }
}
