//! [`NoiseRng`]: where all privacy noise comes from, arranged so that no stream is used twice.
//!
//! # Idea
//! ```text
//! NoiseRng  --next_release()-->  ReleaseNoise  --one per user-->  NoiseStream  -->  words
//! 256-bit key                    a fresh key per ledger entry     cipher stream = user's index
//! ```
//! * The noise of user `i` depends on the release and on `i` only: 1 thread, 8 threads and 3
//!   machines draw the same noise.
//! * Two releases never share a stream: each call of [`NoiseRng::next_release`] takes the next key
//!   from the root's own keystream. Two mechanisms over the same users are two releases.
//! * One release never hands out a stream twice: what hands out streams consumes the
//!   [`ReleaseNoise`], none of these types can be cloned, and none prints its key.
//!
//! # Why ChaCha with 12 rounds
//! Noise must be unpredictable to an attacker who sees the releases, so the generator is a cipher. The best
//! published attacks on ChaCha reach about 7 of its rounds; 12 keep a wide margin, are what the
//! `rand` project uses as its cryptographic default, and run about 1.3 times faster than 20. The
//! key has 256 bits, the stream number 64, the block counter 64. Keys and buffers are wiped when
//! dropped.

use std::ops::Range;

use chacha20::ChaCha12Rng;
use rand_core::{Rng, SeedableRng};
use rayon::prelude::*;
use zeroize::Zeroizing;

use super::random_words::RandomWords;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Completes an 8-byte replay seed to a key of 32 bytes.
const REPLAY_LABEL: &[u8; 24] = b"privet: replayed noise  ";

/// Whether noise is private, or a repeatable simulation of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NoiseOrigin {
    /// Seeded by the operating system: it cannot be predicted or repeated.
    OperatingSystem,
    /// Replayed from a seed: good for tests and papers, no protection for people.
    Simulation {
        /// The seed of the replay.
        seed: u64,
    },
}

/// The root of all privacy noise of one run.
///
/// ```
/// use privet_privacy::noise::{NoiseOrigin, NoiseRng, RandomWords};
/// let mut rng = NoiseRng::from_operating_system()?;
/// assert_eq!(rng.origin(), NoiseOrigin::OperatingSystem);
/// let mut degrees = rng.next_release().into_stream();
/// let mut bits = rng.next_release().into_stream();
/// assert_ne!(degrees.next_u64(), bits.next_u64());
/// # Ok::<(), privet_privacy::Error>(())
/// ```
pub struct NoiseRng {
    keys: ChaCha12Rng,
    origin: NoiseOrigin,
    /// How many releases it has been asked for.
    releases: u64,
}

impl NoiseRng {
    /// Unpredictable noise, seeded by the operating system.
    ///
    /// # Errors
    /// If the operating system has none, or a fault is switched on: such a process must protect no real data.
    pub fn from_operating_system() -> Result<Self> {
        if let Some(fault) = fault::active().filter(|_| !fault::is_rehearsal()) {
            return Err(Error::NoEntropy { reason: format!("the fault {fault:?} is switched on") });
        }
        let mut key = Zeroizing::new([0u8; 32]);
        fill(key.as_mut()).map_err(|reason| Error::NoEntropy { reason })?;
        if fault::on(Fault::OneKeyPerProcess) {
            key.fill(1);
        }
        let keys = ChaCha12Rng::from_seed(*key);
        Ok(Self { keys, origin: NoiseOrigin::OperatingSystem, releases: 0 })
    }

    /// The same noise for the same seed, on every machine. Everything drawn from it is stamped as
    /// a simulation.
    pub fn replay(seed: u64) -> Self {
        // The label keeps replayed keys apart from any other use of the same seed.
        let mut key = [0u8; 32];
        let (front, back) = key.split_at_mut(8);
        front.copy_from_slice(&seed.to_le_bytes());
        back.copy_from_slice(REPLAY_LABEL);
        let stamp = match fault::on(Fault::SimulationNotStamped) {
            true => NoiseOrigin::OperatingSystem,
            false => NoiseOrigin::Simulation { seed },
        };
        Self { keys: ChaCha12Rng::from_seed(key), origin: stamp, releases: 0 }
    }

    /// Whether this noise protects anyone.
    pub fn origin(&self) -> NoiseOrigin {
        self.origin
    }

    /// How many releases it has been asked for: the place of the next among those of a replayed seed.
    pub(crate) fn releases(&self) -> u64 {
        self.releases
    }

    /// The noise of the next release (ledger entry): a key that was never used before.
    pub fn next_release(&mut self) -> ReleaseNoise {
        let mut key = Zeroizing::new([0u8; 32]);
        if !fault::on(Fault::OneKeyForAllReleases) {
            // Each release's key is 32 fresh bytes of the root keystream: streams of different releases are
            // independent, and no release can be recomputed from another's noise.
            self.keys.fill_bytes(key.as_mut());
        }
        self.releases += 1;
        ReleaseNoise { key, origin: self.origin }
    }
}

impl std::fmt::Debug for NoiseRng {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NoiseRng").field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// The noise of one release: one independent stream per user (or per chunk of a large array).
///
/// Every method that draws consumes it, so a second pass over the same users needs a second release.
///
/// ```compile_fail
/// use privet_privacy::noise::NoiseRng;
/// let noise = NoiseRng::replay(1).next_release();
/// let degrees = noise.into_stream();
/// let bits = noise.into_stream(); // use of moved value
/// ```
pub struct ReleaseNoise {
    key: Zeroizing<[u8; 32]>,
    origin: NoiseOrigin,
}

impl ReleaseNoise {
    /// Whether this noise protects anyone.
    pub fn origin(&self) -> NoiseOrigin {
        self.origin
    }

    /// The one stream of a release that is not made user by user.
    pub fn into_stream(self) -> NoiseStream {
        self.stream(0)
    }

    /// A source of releases within this one, for a mechanism that draws in many rounds: round after
    /// round gets a key of its own from this release's keystream.
    pub(crate) fn into_rng(self) -> NoiseRng {
        NoiseRng { keys: ChaCha12Rng::from_seed(*self.key), origin: self.origin, releases: 0 }
    }

    /// The streams of a range of users, each once, in order.
    pub fn into_streams(self, users: Range<u64>) -> NoiseStreams {
        NoiseStreams { noise: self, users }
    }

    /// Applies a randomizer to every record with that user's own stream, on all threads. The
    /// result does not depend on how many there are.
    pub fn map_each<T: Sync, R: Send>(
        self,
        records: &[T],
        randomizer: impl Fn(&T, &mut NoiseStream) -> R + Sync,
    ) -> Vec<R> {
        self.map_users(records.len(), |user, stream| randomizer(&records[user], stream))
    }

    /// Applies a randomizer to users `0..count`, each with that user's own stream, on all threads.
    pub fn map_users<R: Send>(
        self,
        count: usize,
        randomizer: impl Fn(usize, &mut NoiseStream) -> R + Sync,
    ) -> Vec<R> {
        self.map_streams(0, count, randomizer)
    }

    /// Applies a randomizer to some of a release's users: those from `first` on. The caller must see to it that no user
    /// comes twice.
    pub(crate) fn map_part<R: Send>(
        &self,
        first: u64,
        count: usize,
        randomizer: impl Fn(usize, &mut NoiseStream) -> R + Sync,
    ) -> Vec<R> {
        let first = if fault::on(Fault::PartsBeginAnew) { 0 } else { first };
        self.map_streams(first, count, randomizer)
    }

    /// A first draw with the first stream; then users `0..count` with the streams after it.
    pub(crate) fn map_users_after<A: Sync, R: Send>(
        self,
        first: impl FnOnce(&mut NoiseStream) -> A,
        count: usize,
        randomizer: impl Fn(&A, usize, &mut NoiseStream) -> R + Sync,
    ) -> (A, Vec<R>) {
        // Stream 0 is the shared draw's; users begin at 1, so no stream is read twice.
        let drawn = first(&mut self.stream(0));
        let each = self.map_streams(1, count, |user, stream| randomizer(&drawn, user, stream));
        (drawn, each)
    }

    /// Users `0..count` with streams from `first` on.
    fn map_streams<R: Send>(
        &self,
        first: u64,
        count: usize,
        randomizer: impl Fn(usize, &mut NoiseStream) -> R + Sync,
    ) -> Vec<R> {
        // One cipher per piece of work, moved from stream to stream: its words are those of
        // `stream(user)`, without setting up and wiping a cipher for every user.
        let each = |stream: &mut NoiseStream, user| {
            let own = if fault::on(Fault::OneStreamForAllUsers) { 0 } else { user as u64 };
            stream.0.set_stream(first + own);
            randomizer(user, stream)
        };
        (0..count).into_par_iter().map_init(|| self.stream(0), each).collect()
    }

    /// Applies a randomizer to consecutive chunks of an array, each with its own stream.
    pub fn for_each_chunk<T: Send>(
        self,
        values: &mut [T],
        chunk_length: usize,
        randomizer: impl Fn(&mut [T], &mut NoiseStream) + Sync,
    ) {
        let all = (0, chunk_length.max(1));
        self.for_each_chunk_of_part(values, all, |chunk, _, stream| randomizer(chunk, stream));
    }

    /// Like [`for_each_chunk`](Self::for_each_chunk) for the part of an array that begins at `first`; the randomizer is
    /// given how many values of its chunk come before. The caller must see to it that no part comes twice.
    pub(crate) fn for_each_chunk_of_part<T: Send>(
        self,
        values: &mut [T],
        (first, chunk_length): (usize, usize),
        randomizer: impl Fn(&mut [T], usize, &mut NoiseStream) + Sync,
    ) {
        let first = if fault::on(Fault::PartsBeginAnew) { 0 } else { first };
        // A part may begin inside a chunk: that chunk's stream is read from its start, and what belongs to the part
        // before is skipped.
        let (chunk, before) = (first / chunk_length, first % chunk_length);
        let (head, rest) = values.split_at_mut((chunk_length - before).min(values.len()));
        let rest = rest.par_chunks_mut(chunk_length).enumerate();
        let rest = rest.map(|(at, piece)| (piece, chunk + 1 + at));
        let pieces = rayon::iter::once((head, chunk)).chain(rest);
        pieces.filter(|(piece, _)| !piece.is_empty()).for_each(|(piece, at)| {
            let before = if at == chunk { before } else { 0 };
            randomizer(piece, before, &mut self.stream(at as u64));
        });
    }

    /// Private on purpose: a caller that could name a stream could name it twice.
    fn stream(&self, index: u64) -> NoiseStream {
        let mut cipher = ChaCha12Rng::from_seed(*self.key);
        cipher.set_stream(index);
        NoiseStream(cipher)
    }
}

impl std::fmt::Debug for ReleaseNoise {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReleaseNoise").field("origin", &self.origin).finish_non_exhaustive()
    }
}

/// The streams of a range of users, in order; each is handed out once.
#[derive(Debug)]
pub struct NoiseStreams {
    noise: ReleaseNoise,
    users: Range<u64>,
}

impl Iterator for NoiseStreams {
    type Item = NoiseStream;

    fn next(&mut self) -> Option<NoiseStream> {
        self.users.next().map(|user| self.noise.stream(user))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.users.size_hint()
    }
}

/// Independent random words for one user of one release.
pub struct NoiseStream(ChaCha12Rng);

impl RandomWords for NoiseStream {
    #[inline]
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    #[inline]
    fn next_u32(&mut self) -> u32 {
        self.0.next_u32()
    }

    #[inline]
    fn next_block(&mut self) -> [u32; 64] {
        let mut bytes = [0u8; 256];
        self.0.fill_bytes(&mut bytes);
        let (words, _) = bytes.as_chunks::<4>();
        std::array::from_fn(|i| u32::from_le_bytes(words[i]))
    }
}

impl std::fmt::Debug for NoiseStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("NoiseStream { .. }")
    }
}

// Where keys come from: the operating system; in a browser, which has none, whatever the page names once.

/// Fills bytes with unpredictable randomness, and returns whether it could.
#[cfg(any(all(target_arch = "wasm32", target_os = "unknown"), test))]
pub type Entropy = fn(&mut [u8]) -> bool;

#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub(super) fn fill(key: &mut [u8]) -> Result<(), String> {
    getrandom::fill(key).map_err(|error| error.to_string())
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
static NAMED: std::sync::OnceLock<Entropy> = std::sync::OnceLock::new();

/// Names where a browser's randomness comes from, `crypto.getRandomValues`, before anything is drawn. The first one named
/// stays. There is no such function elsewhere: an operating system is asked itself.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub fn entropy_from(source: Entropy) {
    NAMED.get_or_init(|| source);
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
pub(super) fn fill(key: &mut [u8]) -> Result<(), String> {
    fill_by(NAMED.get().copied(), key)
}

/// Bytes that were not filled are zeros, so zeros are not taken for a key.
#[cfg(any(all(target_arch = "wasm32", target_os = "unknown"), test))]
fn fill_by(source: Option<Entropy>, key: &mut [u8]) -> Result<(), String> {
    let source = source.ok_or("no source of randomness was set: a browser's page must name one")?;
    match source(key) && key.iter().any(|&byte| byte != 0) {
        true => Ok(()),
        false => Err("the browser gave none".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::testing::assert_fits;

    fn words(stream: &mut NoiseStream) -> [u64; 4] {
        std::array::from_fn(|_| stream.next_u64())
    }

    #[test]
    fn a_users_noise_depends_on_neither_order_nor_range_nor_threads() {
        let users = vec![(); 300];
        let release = || NoiseRng::replay(5).next_release();
        let mapped = release().map_each(&users, |(), stream| words(stream));
        let in_order: Vec<_> = release().into_streams(0..300).map(|mut s| words(&mut s)).collect();
        assert_eq!(mapped, in_order);
        let late: Vec<_> = release().into_streams(200..300).map(|mut s| words(&mut s)).collect();
        assert_eq!(late, in_order[200..]);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let alone = one.install(|| release().map_each(&users, |(), stream| words(stream)));
        assert_eq!(alone, mapped);
        let mut chunks = vec![0u64; 300];
        release().for_each_chunk(&mut chunks, 1, |chunk, stream| chunk[0] = stream.next_u64());
        assert!(chunks.iter().zip(&mapped).all(|(chunk, words)| *chunk == words[0]));
    }

    #[test]
    fn all_streams_of_all_releases_differ() {
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..3 {
            let mut rng = NoiseRng::replay(seed);
            for _ in 0..20 {
                for mut stream in rng.next_release().into_streams(0..50) {
                    assert!(seen.insert(stream.next_u64()));
                }
            }
        }
        assert!(
            NoiseRng::replay(0).next_release().into_streams(u64::MAX - 1..u64::MAX).count() == 1
        );
    }

    /// Degree noise and bit noise of the same user in two releases are independent.
    #[test]
    fn two_releases_over_the_same_users_are_independent() {
        let mut rng = NoiseRng::replay(9);
        let first = rng.next_release().into_streams(0..40_000);
        let second = rng.next_release().into_streams(0..40_000);
        let mut joint = [0u64; 64];
        for (mut a, mut b) in first.zip(second) {
            joint[(a.below(8) * 8 + b.below(8)) as usize] += 1;
        }
        assert_fits(&joint, &[1.0 / 64.0; 64]);
    }

    #[test]
    fn the_system_seeds_differently_every_time() {
        let draw = || {
            let mut rng = NoiseRng::from_operating_system().unwrap();
            assert_eq!(rng.origin(), NoiseOrigin::OperatingSystem);
            let release = rng.next_release();
            assert_eq!(release.origin(), NoiseOrigin::OperatingSystem);
            words(&mut release.into_stream())
        };
        assert_ne!(draw(), draw());
        let origin = NoiseRng::replay(3).next_release().origin();
        assert_eq!(origin, NoiseOrigin::Simulation { seed: 3 });
    }

    /// The bytes of a replay are part of every published experiment: they must never change.
    #[test]
    fn replayed_noise_is_pinned() {
        let mut stream = NoiseRng::replay(42).next_release().into_streams(7..8).next().unwrap();
        let pinned = [
            7_875_954_822_034_295_122,
            8_377_882_708_192_934_157,
            5_687_777_252_389_038_977,
            10_573_028_538_981_601_053,
        ];
        assert_eq!(words(&mut stream), pinned);
    }

    #[test]
    fn nothing_prints_a_key() {
        let mut rng = NoiseRng::replay(1);
        assert_eq!(format!("{rng:?}"), "NoiseRng { origin: Simulation { seed: 1 }, .. }");
        let release = rng.next_release();
        assert_eq!(format!("{release:?}"), "ReleaseNoise { origin: Simulation { seed: 1 }, .. }");
        assert_eq!(format!("{:?}", release.into_stream()), "NoiseStream { .. }");
    }

    /// The one stream of a release is the first; a piece of an array has the stream of its number.
    #[test]
    fn streams_are_counted_from_the_first() {
        let release = || NoiseRng::replay(5).next_release();
        let streams = release().into_streams(0..3);
        assert_eq!(streams.size_hint(), (3, Some(3)));
        let first: Vec<u64> = streams.map(|mut stream| stream.next_u64()).collect();
        assert_eq!(release().into_stream().next_u64(), first[0]);
        let mut chunks = [0u64; 7];
        release().for_each_chunk(&mut chunks, 3, |chunk, stream| chunk.fill(stream.next_u64()));
        assert_eq!(chunks, [0, 0, 0, 1, 1, 1, 2].map(|stream| first[stream]));
        // Pieces of no length are as short as pieces can be.
        let mut single = [0u64; 3];
        release().for_each_chunk(&mut single, 0, |chunk, stream| chunk[0] = stream.next_u64());
        assert_eq!(single.to_vec(), first);
    }

    #[test]
    fn a_key_of_zeros_is_refused() {
        let mut key = [0; 32];
        assert!(fill_by(None, &mut key).is_err());
        assert!(fill_by(Some(|_| false), &mut key).is_err());
        assert!(fill_by(Some(|_| true), &mut key).is_err());
        let filled = |key: &mut [u8]| {
            key.fill(7);
            true
        };
        assert_eq!((fill_by(Some(filled), &mut key), key), (Ok(()), [7; 32]));
    }
}
