//! [`GaussianNoise`]: fast continuous Gaussian noise for large arrays (DP-SGD).
//!
//! # Numerics: idealized
//! The theorem speaks of real numbers; this is floating point. Use [`super::DiscreteGaussian`] where
//! the guarantee must be about the program itself.
//!
//! # Method
//! The ziggurat of Marsaglia and Tsang (2000) in Doornik's form: 256 layers of equal area, one
//! multiplication and one comparison in 98.8 % of the draws. Tables and the rare exponentials come
//! from a portable library, so a replay gives the same floats on every machine.
//!
//! # Cost
//! One word (`f64`) or half a word (`f32`) a draw. An array is cut into chunks with a stream each,
//! filled on all threads; the result does not depend on their number.

use std::sync::LazyLock;

use super::Numerics;
use super::rng::ReleaseNoise;
use super::source::NoiseSource;
use super::words::RandomWords;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Where the tail begins, and the area of a layer, for 256 layers.
const TAIL: f64 = 3.654_152_885_361_009;
const AREA: f64 = 0.004_928_673_233_974_655;
const LAYERS: usize = 256;
/// Values that share a stream.
const CHUNK: usize = 1 << 14;

static EDGES: LazyLock<[f64; LAYERS + 1]> = LazyLock::new(edges);
static EDGES_F32: LazyLock<[f32; LAYERS + 1]> = LazyLock::new(|| EDGES.map(|edge| edge as f32));

/// Right edges of the layers, from the base (whose edge is widened to hold the tail) to 0.
fn edges() -> [f64; LAYERS + 1] {
    let mut edges = [0.0; LAYERS + 1];
    edges[0] = AREA / density(TAIL);
    edges[1] = TAIL;
    for layer in 2..LAYERS {
        let x = edges[layer - 1];
        edges[layer] = libm::sqrt(-2.0 * libm::log(AREA / x + density(x)));
    }
    edges
}

/// The density without its constant.
fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x)
}

/// Independent Gaussian noise of a given standard deviation.
///
/// ```
/// use privet_privacy::noise::{GaussianNoise, NoiseRng};
/// let mut gradient = vec![0.5f32; 10_000];
/// GaussianNoise::new(2.0)?.add_to(&mut gradient, NoiseRng::replay(1).next_release());
/// let mean = gradient.iter().sum::<f32>() / 10_000.0;
/// assert!((mean - 0.5).abs() < 0.1);
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GaussianNoise {
    deviation: f64,
}

impl GaussianNoise {
    /// What the guarantee of this sampler speaks about.
    pub const NUMERICS: Numerics = Numerics::Idealized;

    /// Noise of the given standard deviation: finite and not negative.
    pub fn new(deviation: f64) -> Result<Self> {
        if deviation >= 0.0 && deviation.is_finite() {
            let deviation =
                if fault::on(Fault::HalfTheDeviation) { deviation / 2.0 } else { deviation };
            Ok(Self { deviation })
        } else {
            Err(Error::range("standard deviation", deviation, "a number from 0"))
        }
    }

    /// Draws one value.
    pub fn draw(&self, stream: &mut impl RandomWords) -> f64 {
        self.deviation * standard_normal(stream)
    }

    /// Adds fresh noise to every value.
    pub fn add_to<T: Real>(&self, values: &mut [T], noise: impl NoiseSource) {
        let deviation = T::rounded(self.deviation);
        noise.for_each_chunk(values, CHUNK, |chunk, stream| {
            T::add_scaled(chunk, deviation, stream);
        });
    }

    /// Adds to the part of an array that begins at `first` what [`GaussianNoise::add_to`] would add to it among all. For
    /// whoever sees to it that no part comes twice.
    pub(crate) fn add_to_part(&self, values: &mut [f32], first: usize, noise: ReleaseNoise) {
        let deviation = f32::rounded(self.deviation);
        noise.for_each_chunk_of_part(values, (first, CHUNK), |piece, before, stream| {
            // A stream is read from its beginning; what comes before belongs to another part.
            let mut drawn = vec![0.0; before + piece.len()];
            f32::add_scaled(&mut drawn, deviation, stream);
            piece.iter_mut().zip(&drawn[before..]).for_each(|(value, noise)| *value += noise);
        });
    }
}

/// The two float types, each with its own fast path.
pub trait Real: sealed::Sealed + Copy + Send + Sync {
    #[doc(hidden)]
    fn rounded(value: f64) -> Self;
    #[doc(hidden)]
    fn add_scaled(values: &mut [Self], scale: Self, stream: &mut impl RandomWords);
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

impl Real for f64 {
    fn rounded(value: f64) -> Self {
        value
    }

    fn add_scaled(values: &mut [Self], scale: Self, stream: &mut impl RandomWords) {
        let edges = &*EDGES;
        for values in values.chunks_mut(32) {
            let block = stream.next_block();
            let (words, _) = block.as_chunks::<2>();
            for (value, &[low, high]) in values.iter_mut().zip(words) {
                let word = u64::from(high) << 32 | u64::from(low);
                *value += scale * f64_normal(edges, word, stream);
            }
        }
    }
}

impl Real for f32 {
    fn rounded(value: f64) -> Self {
        value as f32
    }

    fn add_scaled(values: &mut [Self], scale: Self, stream: &mut impl RandomWords) {
        let edges = &*EDGES_F32;
        for values in values.chunks_mut(64) {
            for (value, word) in values.iter_mut().zip(stream.next_block()) {
                *value += scale * f32_normal(edges, word, stream);
            }
        }
    }
}

/// One standard normal value.
fn standard_normal(stream: &mut impl RandomWords) -> f64 {
    let word = stream.next_u64();
    f64_normal(&EDGES, word, stream)
}

/// Eight bits choose the layer, 53 others the place in it, from -1 to 1.
#[inline(always)]
fn f64_normal(edges: &[f64; LAYERS + 1], word: u64, stream: &mut impl RandomWords) -> f64 {
    let layer = (word & 0xff) as usize;
    let x = (word as i64 >> 11) as f64 * (1.0 / (1u64 << 52) as f64) * edges[layer];
    if x.abs() < edges[layer + 1] { x } else { outside_the_core(layer, x, stream) }
}

/// Eight bits choose the layer, 24 others the place in it, from -1 to 1.
#[inline(always)]
fn f32_normal(edges: &[f32; LAYERS + 1], word: u32, stream: &mut impl RandomWords) -> f32 {
    let layer = (word & 0xff) as usize;
    let x = (word as i32 >> 8) as f32 * (1.0 / (1u32 << 23) as f32) * edges[layer];
    if x.abs() < edges[layer + 1] {
        x
    } else {
        outside_the_core(layer, f64::from(x), stream) as f32
    }
}

/// The tail of the base layer, the wedge of another, or another draw.
#[cold]
fn outside_the_core(layer: usize, x: f64, stream: &mut impl RandomWords) -> f64 {
    if layer == 0 {
        if fault::on(Fault::GaussianWithoutTail) {
            return x.clamp(-TAIL, TAIL);
        }
        return tail(x < 0.0, stream);
    }
    // A height uniform in the layer: accepted below the curve.
    let (low, high) = (density(EDGES[layer]), density(EDGES[layer + 1]));
    if low + (high - low) * unit_interval(stream) < density(x) {
        x
    } else {
        standard_normal(stream)
    }
}

/// Marsaglia's tail: an exponential of rate TAIL, accepted with probability e^(-x²/2).
fn tail(negative: bool, stream: &mut impl RandomWords) -> f64 {
    loop {
        let x = -libm::log(unit_interval(stream)) / TAIL;
        let y = -libm::log(unit_interval(stream));
        if y + y >= x * x {
            return if negative { -(TAIL + x) } else { TAIL + x };
        }
    }
}

/// Uniform on (0, 1], a multiple of 2⁻⁵³.
fn unit_interval(stream: &mut impl RandomWords) -> f64 {
    ((stream.next_u64() >> 11) + 1) as f64 * (0.5 / (1u64 << 52) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{Script, assert_fits};

    /// Cell probabilities from the error function.
    fn cells(edges: &[f64]) -> Vec<f64> {
        let cdf = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        let inner = edges.windows(2).map(|pair| cdf(pair[1]) - cdf(pair[0]));
        std::iter::once(cdf(edges[0])).chain(inner).chain([cdf(-edges[edges.len() - 1])]).collect()
    }

    fn counts(edges: &[f64], draws: impl Iterator<Item = f64>) -> Vec<u64> {
        let mut counts = vec![0u64; edges.len() + 1];
        draws.for_each(|x| counts[edges.partition_point(|&edge| edge <= x)] += 1);
        counts
    }

    #[test]
    fn the_layers_have_equal_area() {
        let edges = &*EDGES;
        assert_eq!(edges[LAYERS], 0.0);
        for layer in 1..LAYERS {
            let height = density(edges[layer + 1]) - density(edges[layer]);
            assert!((edges[layer] * height - AREA).abs() < 1e-14, "layer {layer}");
        }
        let tail =
            (std::f64::consts::PI / 2.0).sqrt() * libm::erfc(TAIL / std::f64::consts::SQRT_2);
        assert!((TAIL * density(TAIL) + tail - AREA).abs() < 1e-14);
    }

    #[test]
    fn drawn_values_fit() {
        // Fine cells in the middle, and the tail beyond the ziggurat's base.
        let mut edges: Vec<f64> = (-30..=30).map(|i| f64::from(i) / 10.0).collect();
        edges.splice(0..0, [-3.9, -3.654, -3.3]);
        edges.extend([3.3, 3.654, 3.9]);
        let mut stream = NoiseRng::replay(81).next_release().into_stream();
        let doubles = (0..2_000_000).map(|_| standard_normal(&mut stream));
        assert_fits(&counts(&edges, doubles), &cells(&edges));
        let mut floats = vec![0f32; 2_000_000];
        GaussianNoise::new(1.0).unwrap().add_to(&mut floats, NoiseRng::replay(82).next_release());
        assert_fits(&counts(&edges, floats.into_iter().map(f64::from)), &cells(&edges));
    }

    #[test]
    fn moments() {
        let mut values = vec![0f64; 1_000_000];
        GaussianNoise::new(3.0).unwrap().add_to(&mut values, NoiseRng::replay(83).next_release());
        let moment = |power| values.iter().map(|x| (x / 3.0).powi(power)).sum::<f64>() / 1e6;
        assert!(moment(1).abs() < 0.005);
        assert!((moment(2) - 1.0).abs() < 0.01);
        assert!(moment(3).abs() < 0.02);
        assert!((moment(4) - 3.0).abs() < 0.05);
    }

    #[test]
    fn threads_do_not_matter_and_releases_do() {
        let noise = GaussianNoise::new(1.0).unwrap();
        let draw = |seed| {
            let mut values = vec![0f32; 3 * CHUNK + 5];
            noise.add_to(&mut values, NoiseRng::replay(seed).next_release());
            values
        };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| draw(1)), draw(1));
        assert_ne!(draw(1), draw(2));
        let values = draw(1);
        assert_ne!(values[..CHUNK], values[CHUNK..2 * CHUNK]);
    }

    #[test]
    fn the_ends_of_the_domain() {
        for bad in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(GaussianNoise::new(bad).is_err());
        }
        let mut values = [1.5f64; 3];
        GaussianNoise::new(0.0).unwrap().add_to(&mut values, NoiseRng::replay(1).next_release());
        assert_eq!(values, [1.5; 3]);
        GaussianNoise::new(1.0).unwrap().add_to::<f32>(&mut [], NoiseRng::replay(1).next_release());
        assert_eq!(GaussianNoise::NUMERICS, Numerics::Idealized);
    }

    /// Beyond the base layer: the normal law given that it is there, on the side asked for.
    #[test]
    fn the_tail_is_the_normal_tail() {
        let mut stream = NoiseRng::replay(84).next_release().into_stream();
        let edges = [3.7, 3.8, 3.9, 4.0, 4.2, 4.5];
        let drawn: Vec<f64> = (0..100_000).map(|_| tail(false, &mut stream)).collect();
        assert!(drawn.iter().all(|x| *x >= TAIL) && tail(true, &mut stream) <= -TAIL);
        let upper = |x: f64| 0.5 * libm::erfc(x / std::f64::consts::SQRT_2);
        let ends: Vec<f64> = [TAIL].into_iter().chain(edges).map(upper).collect();
        let mut expected: Vec<f64> =
            ends.windows(2).map(|pair| (pair[0] - pair[1]) / ends[0]).collect();
        expected.push(ends[edges.len()] / ends[0]);
        assert_fits(&counts(&edges, drawn.into_iter()), &expected);
    }

    /// A logarithm is taken of it: never 0, and 1 at most.
    #[test]
    fn the_unit_interval_ends_at_one_and_begins_above_zero() {
        assert_eq!(unit_interval(&mut Script::new([0])), 2f64.powi(-53));
        assert_eq!(unit_interval(&mut Script::new([u64::MAX])), 1.0);
    }

    /// Two half words are one word, no digit of which is lost: here layer 16, and a place in its core.
    #[test]
    fn a_double_is_made_of_both_halves() {
        let halves: [u64; 2] = [0x89ab_cd10, 0x2123_4567];
        let words = halves.into_iter().cycle().take(64).map(|half| half << 32);
        let mut values = [0.5];
        f64::add_scaled(&mut values, 2.0, &mut Script::new(words));
        let place = (0x2123_4567_89ab_cd10_u64 >> 11) as f64 / 2f64.powi(52);
        assert_eq!(values, [0.5 + 2.0 * (place * EDGES[16])]);
    }
}
