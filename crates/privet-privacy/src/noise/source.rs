//! [`NoiseSource`]: the noise of one release, as a curator's mechanism sees it.
//!
//! In production it is a [`ReleaseNoise`]: streams of a cipher, on all threads. An audit passes a source
//! that walks through every outcome with its exact probability instead, one user after the other.

use super::random_words::RandomWords;
use super::rng::{NoiseRng, NoiseStream, ReleaseNoise};

/// The noise of one release: one independent stream per user, per chunk of a large array, or in all.
///
/// Every method that draws consumes it, so that no stream is used twice. It cannot be implemented outside:
///
/// ```compile_fail
/// struct Mine;
/// impl privet_privacy::noise::NoiseSource for Mine {}
/// ```
pub trait NoiseSource: sealed::Sealed + Sized {
    /// Random words for one user.
    type Stream: RandomWords;
    /// Where the noise of round after round comes from, see [`NoiseSource::into_rounds`].
    type Rounds;

    /// The one stream of a release that is not made user by user.
    fn into_stream(self) -> Self::Stream;

    /// Applies a randomizer to users `0..count`, each with that user's own stream.
    fn map_users<R: Send>(
        self,
        count: usize,
        randomizer: impl Fn(usize, &mut Self::Stream) -> R + Sync,
    ) -> Vec<R>;

    /// A first draw with a stream of its own, then [`map_users`](Self::map_users) with what it gave.
    fn map_users_after<A: Sync, R: Send>(
        self,
        first: impl FnOnce(&mut Self::Stream) -> A,
        count: usize,
        randomizer: impl Fn(&A, usize, &mut Self::Stream) -> R + Sync,
    ) -> (A, Vec<R>);

    /// Applies a randomizer to consecutive chunks of an array, each with its own stream.
    fn for_each_chunk<T: Send>(
        self,
        values: &mut [T],
        chunk_length: usize,
        randomizer: impl Fn(&mut [T], &mut Self::Stream) + Sync,
    );

    /// For a mechanism that draws in many rounds, each of which is a release of its own.
    fn into_rounds(self) -> Self::Rounds;

    /// The noise of the next round.
    fn next_round(rounds: &mut Self::Rounds) -> Self;
}

pub(crate) mod sealed {
    pub trait Sealed {}
    impl Sealed for super::ReleaseNoise {}
}

impl NoiseSource for ReleaseNoise {
    type Stream = NoiseStream;
    type Rounds = NoiseRng;

    fn into_stream(self) -> NoiseStream {
        self.into_stream()
    }

    fn map_users<R: Send>(
        self,
        count: usize,
        randomizer: impl Fn(usize, &mut NoiseStream) -> R + Sync,
    ) -> Vec<R> {
        self.map_users(count, randomizer)
    }

    fn map_users_after<A: Sync, R: Send>(
        self,
        first: impl FnOnce(&mut NoiseStream) -> A,
        count: usize,
        randomizer: impl Fn(&A, usize, &mut NoiseStream) -> R + Sync,
    ) -> (A, Vec<R>) {
        self.map_users_after(first, count, randomizer)
    }

    fn for_each_chunk<T: Send>(
        self,
        values: &mut [T],
        chunk_length: usize,
        randomizer: impl Fn(&mut [T], &mut NoiseStream) + Sync,
    ) {
        self.for_each_chunk(values, chunk_length, randomizer);
    }

    fn into_rounds(self) -> NoiseRng {
        self.into_rng()
    }

    fn next_round(rounds: &mut NoiseRng) -> Self {
        rounds.next_release()
    }
}
