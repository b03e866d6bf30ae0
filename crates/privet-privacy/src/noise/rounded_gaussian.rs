//! [`RoundedGaussian`]: Gaussian noise on a lattice, exactly: `floor(2^b Z)` with Z standard normal.
//!
//! # Idea
//! Sums that live on the integers get integer noise. For an integer s, `s + floor(2^b Z) = floor(s + 2^b Z)`: what leaves
//! is the Gaussian mechanism of deviation 2^b, rounded afterwards. So every theorem about Gaussian noise holds for the
//! program, and b is as large as the lattice is to be fine.
//!
//! # Method
//! The half line is cut into 254 cells of width 2⁻⁶ and a tail. A uniform entry of a table picks the cell k, whose
//! `n_k` entries are at least `48 e^(-x²/2)` everywhere in it; 37 bits are a place in the cell, and 14 bits begin a uniform U.
//! The place is taken if `U n_k < 48 e^(-x²/2)`, and all begins anew otherwise. In the tail, which begins at T, cells have
//! width 1/4 and cell j is picked with probability `2^-(j+1)`, while `e^(-x²/2)` falls by more than half from cell to cell.
//!
//! # Numerics: exact
//! *Proof that the law is the one above.* A place is a real number x of which digits are drawn as they are needed, and U is
//! another. An attempt picks cell k with probability `n_k / 4096`, then x uniformly in it, and takes it with probability
//! `48 e^(-x²/2) / n_k`: the density of what is taken is proportional to e^(-x²/2) in all cells alike. In tail cell j
//! the density of places is `(n / 4096) 2^-(j+1) 4`, and U is compared with `32 · 48 e^(-x²/2) 2^j / n`, which gives the same
//! factor. Whether `U n_k < 48 e^(-x²/2)` is decided by integers:
//! 1. at once, where U is below a bound that holds in the whole cell (97 of 100 places);
//! 2. by the chord of the cell: e^(-x²/2) has a second derivative between -1 and 1, so that over a width of 2⁻⁶ it stays
//!    within `2⁻¹² / 8 = 2⁻¹⁵` of it;
//! 3. by more digits of x and U, 64 at a time, and e^(-x²/2) from below and above
//!    ([fixed_point](super)), until the intervals are apart: with probability 1 that ends.
//!
//! Then `floor(2^b x)` is read off the digits of x. A sign turns m into -1 - m, which is `floor(-2^b x)`. ∎ Tables are made
//! by the bounds of step 3; there is no floating point in this file.
//!
//! # Limits
//! Digits reach as far as `b = 58`. A noisy value saturates at the ends of `i64`, for sums below 2⁶² beyond 2⁵ deviations at
//! the largest b and 2¹⁵ at the usual ones: for such a sum, to saturate is post-processing, too.
//!
//! # Cost
//! One word a draw, and a second one where b is above 43. An array is cut into chunks with a stream each, filled on all
//! threads; the result does not depend on their number.

use std::sync::LazyLock;

use super::decay::Rounding;
use super::fixed_point::FixedPoint;
use super::random_words::RandomWords;
use super::rng::ReleaseNoise;
use super::source::NoiseSource;
use crate::error::{Error, Result};
use crate::fault::{self, Fault};

/// Values that share a stream.
const CHUNK: usize = 1 << 14;
/// Entries of the table, of which 12 bits pick one.
const ENTRIES: usize = 1 << ENTRY_BITS;
const ENTRY_BITS: u32 = 12;
/// Cells before the tail, 64 to a deviation.
const CELLS: usize = 254;
/// What every entry stands for: a rectangle of width 2⁻⁶ and height 1/48.
const PER_UNIT: u64 = 48;
/// The first digits of a place in its cell.
const PLACE_BITS: u32 = 37;
/// Digits behind the point of x: those of the cell, then those of the place.
const POINT: u32 = PLACE_BITS + 6;
/// The first digits of U.
const HEIGHT_BITS: u32 = 14;
/// Digits behind the point of tabulated heights.
const TABLE_BITS: u32 = 48;
/// The most that e^(-x²/2) is away from the chord of its cell, with the digits of the table.
const CURVED: u64 = 1 << (TABLE_BITS - 15);

/// What is known of the cells beforehand.
struct CellTable {
    /// The cell of every entry; the last one, [`CELLS`], is the tail.
    of_entry: [u8; ENTRIES],
    /// How many entries a cell has.
    entries: [u64; CELLS + 1],
    /// Heights of U, in units of `2^-HEIGHT_BITS`, that are below the curve in the whole cell.
    sure: [u64; CELLS + 1],
    /// Bounds on e^(-x²/2) where cells begin.
    below: [u64; CELLS + 1],
    above: [u64; CELLS + 1],
}

static TABLE: LazyLock<CellTable> = LazyLock::new(CellTable::new);

impl CellTable {
    fn new() -> Self {
        let (mut below, mut above) = ([0; CELLS + 1], [0; CELLS + 1]);
        for (at, (low, high)) in below.iter_mut().zip(&mut above).enumerate() {
            // x²/2 with x = at / 64.
            let exponent = FixedPoint::from_words(&[(at * at) as u64], 13, 2);
            *low = exponent.exp_minus(Rounding::Down).floor_at(TABLE_BITS);
            *high = exponent.exp_minus(Rounding::Up).floor_at(TABLE_BITS) + 1;
        }
        // Rounded up: each cell's rectangle must cover the curve, which is highest where the cell begins.
        let mut entries = above.map(|high| (PER_UNIT * high).div_ceil(1 << TABLE_BITS));
        // The tail's one entry is as large as all of its cells: height 1/(32 · 48) at its beginning.
        entries[CELLS] = 1;
        // What is left over makes the first cell's rectangle taller than it must be.
        entries[0] += ENTRIES as u64 - entries.iter().sum::<u64>();
        let mut of_entry = [0; ENTRIES];
        let mut at = 0;
        for (cell, &count) in entries.iter().enumerate() {
            of_entry[at..at + count as usize].fill(cell as u8);
            at += count as usize;
        }
        let mut sure = [0; CELLS + 1];
        for cell in 0..CELLS {
            // Rounded down: U below this lies under the curve's lowest point of the cell, at its end.
            sure[cell] = PER_UNIT * below[cell + 1] / (entries[cell] << (TABLE_BITS - HEIGHT_BITS));
        }
        Self { of_entry, entries, sure, below, above }
    }

    /// Whether U is below the curve, if the chord of the cell says so.
    fn by_chord(&self, cell: usize, place: u64, height: u64) -> Option<bool> {
        // The first 16 digits of the place are enough.
        let place = place >> (PLACE_BITS - 16);
        let most = self.above[cell] - self.below[cell + 1];
        let least = self.below[cell].saturating_sub(self.above[cell + 1]);
        // The chord at this place, from below and above, with the largest distance of curve and chord on either side.
        let low = self.below[cell].saturating_sub((most * (place + 1)).div_ceil(1 << 16) + CURVED);
        let high = self.above[cell] - ((least * place) >> 16) + CURVED;
        let scale = self.entries[cell] << (TABLE_BITS - HEIGHT_BITS);
        if (height + 1) * scale <= PER_UNIT * low {
            Some(true)
        } else if height * scale >= PER_UNIT * high {
            Some(false)
        } else {
            None
        }
    }
}

/// The curve over the rectangle that a place was drawn from: U is compared with `factor 2^halvings e^(-x²/2) / entries`.
struct Envelope {
    entries: u64,
    factor: u64,
    halvings: u32,
}

impl Envelope {
    /// Whether U, which begins with `height`, is below the curve at x, which begins with `point`: decided by as many digits
    /// of both as it takes. Also the 64 digits of x that come next.
    #[cold]
    #[inline(never)]
    fn by_digits<W: RandomWords + ?Sized>(
        &self,
        point: u64,
        height: u64,
        words: &mut W,
    ) -> (bool, u64) {
        let (mut x_digits, mut u_digits) = (vec![point], vec![height]);
        loop {
            // Words ascend in weight: new digits go to the front.
            x_digits.insert(0, words.next_u64());
            u_digits.insert(0, words.next_u64());
            if let Some(taken) = self.compare(&x_digits, &u_digits) {
                return (taken, x_digits[x_digits.len() - 2]);
            }
        }
    }

    /// The comparison for all numbers that begin with these digits, if it is the same for all.
    fn compare(&self, x_digits: &[u64], u_digits: &[u64]) -> Option<bool> {
        let further = 64 * (x_digits.len() - 1);
        let digits = x_digits.len() + 1;
        let (x_places, u_places) = (POINT as usize + further, HEIGHT_BITS as usize + further);
        let x = FixedPoint::from_words(x_digits, x_places, digits);
        let u = FixedPoint::from_words(u_digits, u_places, digits);
        let curve = |x: &FixedPoint, round: Rounding| {
            // A larger exponent makes a smaller curve, so it is rounded the other way.
            let exponent = x.times(x, round.other()).halved(1, round.other());
            exponent.exp_minus(round).times_integer(self.factor)
        };
        let line =
            |u: &FixedPoint, round| u.times_integer(self.entries).halved(self.halvings, round);
        let (low, high) =
            (curve(&x.clone().step_up(x_places), Rounding::Down), curve(&x, Rounding::Up));
        // All numbers with these digits lie in [x, x + 2^-places): U is compared at the end that decides for all of
        // them.
        if line(&u.clone().step_up(u_places), Rounding::Up) <= low {
            Some(true)
        } else if line(&u, Rounding::Down) >= high {
            Some(false)
        } else {
            None
        }
    }
}

/// Independent draws of `floor(2^bits Z)` with Z standard normal.
///
/// ```
/// use privet_privacy::noise::{NoiseRng, RoundedGaussian};
/// let mut sums = vec![0i64; 10_000];
/// RoundedGaussian::new(20)?.add_to(&mut sums, NoiseRng::replay(1).next_release());
/// let within = sums.iter().filter(|sum| sum.unsigned_abs() < 1 << 20).count();
/// assert!((6600..7050).contains(&within));   // one deviation: 68 of 100
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundedGaussian {
    bits: i32,
}

impl RoundedGaussian {
    /// The most digits behind the point that are kept.
    pub const MOST_BITS: i32 = 58;

    /// Noise of deviation `2^bits` lattice steps, from [`MOST_BITS`](Self::MOST_BITS) down to -60, where it is -1 or 0.
    ///
    /// # Errors
    /// If it is to be finer, or coarser.
    pub fn new(bits: i32) -> Result<Self> {
        if !(-60..=Self::MOST_BITS).contains(&bits) {
            return Err(Error::range("binary digits of Gaussian noise", bits, "from -60 to 58"));
        }
        Ok(Self { bits: bits - i32::from(fault::on(Fault::HalfTheDeviation)) })
    }

    /// The digits behind the point: the deviation is `2^bits`.
    pub fn bits(self) -> i32 {
        self.bits
    }

    /// Draws one value.
    pub fn draw<W: RandomWords + ?Sized>(self, words: &mut W) -> i64 {
        let word = words.next_u64();
        self.read(&TABLE, word, words)
    }

    /// Adds a draw of its own to every value.
    pub fn add_to(self, values: &mut [i64], noise: impl NoiseSource) {
        noise.for_each_chunk(values, CHUNK, |chunk, stream| self.add_each(chunk, stream));
    }

    /// Adds to the part of an array that begins at `first` what [`add_to`](Self::add_to) would add to it among all. The
    /// caller sees to it that no part comes twice.
    pub(crate) fn add_to_part(self, values: &mut [i64], first: usize, noise: ReleaseNoise) {
        noise.for_each_chunk_of_part(values, (first, CHUNK), |piece, before, stream| {
            // A stream is read from its beginning; what comes before belongs to another part.
            let mut drawn = vec![0; before + piece.len()];
            self.add_each(&mut drawn, stream);
            let pairs = piece.iter_mut().zip(&drawn[before..]);
            pairs.for_each(|(value, noise)| *value = value.saturating_add(*noise));
        });
    }

    fn add_each(self, values: &mut [i64], words: &mut impl RandomWords) {
        let table = &*TABLE;
        for values in values.chunks_mut(32) {
            let block = words.next_block();
            let (pairs, _) = block.as_chunks::<2>();
            for (value, &[low, high]) in values.iter_mut().zip(pairs) {
                let word = u64::from(high) << 32 | u64::from(low);
                *value = value.saturating_add(self.read(table, word, words));
            }
        }
    }

    /// An attempt with a word's digits: 12 for the cell, a sign, 37 for the place, 14 for U.
    #[inline(always)]
    fn read<W: RandomWords + ?Sized>(self, table: &CellTable, word: u64, words: &mut W) -> i64 {
        let cell = table.of_entry[(word >> (64 - ENTRY_BITS)) as usize];
        let place = word >> HEIGHT_BITS & ((1 << PLACE_BITS) - 1);
        let height = word & ((1 << HEIGHT_BITS) - 1);
        // The common case: under the curve in the whole cell, and no further digits of x are asked for.
        if height < table.sure[usize::from(cell)] && self.bits <= POINT as i32 {
            let point = u64::from(cell) << PLACE_BITS | place;
            // A place has fewer than 64 digits: beyond them nothing is left.
            return signed(word, point >> (POINT as i32 - self.bits).min(63));
        }
        self.undecided(table, word, words)
    }

    /// The attempt that needs more than a glance, and those after it.
    #[cold]
    #[inline(never)]
    fn undecided<W: RandomWords + ?Sized>(
        self,
        table: &CellTable,
        word: u64,
        words: &mut W,
    ) -> i64 {
        let mut word = word;
        loop {
            if let Some((point, next)) = attempt(table, word, words) {
                let magnitude = match self.bits - POINT as i32 {
                    // The digits that come next, where none were drawn yet.
                    more @ 1.. => {
                        // Digits that a comparison has drawn already belong to this x: drawing them anew would bias
                        // it.
                        point << more | next.unwrap_or_else(|| words.next_u64()) >> (64 - more)
                    }
                    less => point >> less.unsigned_abs().min(63),
                };
                return signed(word, magnitude);
            }
            word = words.next_u64();
        }
    }
}

/// The place that an attempt takes, if it takes it, and the digits after it if they were drawn.
fn attempt<W: RandomWords + ?Sized>(
    table: &CellTable,
    word: u64,
    words: &mut W,
) -> Option<(u64, Option<u64>)> {
    let cell = usize::from(table.of_entry[(word >> (64 - ENTRY_BITS)) as usize]);
    let place = word >> HEIGHT_BITS & ((1 << PLACE_BITS) - 1);
    let height = word & ((1 << HEIGHT_BITS) - 1);
    let entries = table.entries[cell];
    if cell == CELLS {
        let beginning = (CELLS as u64) << PLACE_BITS;
        if fault::on(Fault::GaussianWithoutTail) {
            return Some((beginning, Some(0)));
        }
        let (halvings, digits) = tail_cell(words);
        // A quarter is 16 cells: four more digits make places as fine as elsewhere.
        let point = beginning + (u64::from(halvings) << (PLACE_BITS + 4)) + (place << 4 | digits);
        let (taken, next) =
            Envelope { entries, factor: 32 * PER_UNIT, halvings }.by_digits(point, height, words);
        return taken.then_some((point, Some(next)));
    }
    let point = (cell as u64) << PLACE_BITS | place;
    if height < table.sure[cell] {
        return Some((point, None));
    }
    match table.by_chord(cell, place, height) {
        Some(taken) => taken.then_some((point, None)),
        None => {
            let envelope = Envelope { entries, factor: PER_UNIT, halvings: 0 };
            let (taken, next) = envelope.by_digits(point, height, words);
            taken.then_some((point, Some(next)))
        }
    }
}

/// A cell of the tail, j with probability `2^-(j+1)`, and four digits of a place in it.
fn tail_cell<W: RandomWords + ?Sized>(words: &mut W) -> (u32, u64) {
    let mut cell = 0;
    loop {
        let word = words.next_u64();
        if word != 0 {
            // P(j trailing zeros) = 2^-(j+1): the tail's cells halve in weight, faster than needed for the Gaussian,
            // and U corrects it.
            return (cell + word.trailing_zeros(), words.next_u64() >> 60);
        }
        cell += 64;
    }
}

/// `floor(2^b x)` is m, and `floor(-2^b x)` is -1 - m.
#[inline(always)]
fn signed(word: u64, magnitude: u64) -> i64 {
    let negative = (word >> (63 - ENTRY_BITS) & 1).wrapping_neg();
    (magnitude ^ negative) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::NoiseRng;
    use crate::noise::testing::{StrictWords, assert_fits, exp_minus_ball, rational};
    use dashu::rational::RBig;
    use proptest::prelude::*;

    fn integer(value: u64) -> RBig {
        rational(value.into(), 1)
    }

    /// Bounds on e^(-x²/2) for `x = point / 2^places`.
    fn curve(point: u64, places: usize) -> (RBig, RBig) {
        let x = rational(point.into(), 1 << places);
        exp_minus_ball(&(x.clone() * x / integer(2)))
    }

    #[test]
    fn every_rectangle_is_above_the_curve_and_every_sure_height_below_it() {
        let table = &*TABLE;
        assert_eq!(table.entries.iter().sum::<u64>(), ENTRIES as u64);
        for cell in 0..CELLS {
            let count = table.of_entry.iter().filter(|&&of| usize::from(of) == cell).count();
            assert_eq!(count as u64, table.entries[cell]);
            let ((_, top), (bottom, _)) = (curve(cell as u64, 6), curve(cell as u64 + 1, 6));
            assert!(integer(PER_UNIT) * top <= integer(table.entries[cell]), "{cell}");
            let sure = rational((table.sure[cell] * table.entries[cell]).into(), 1 << HEIGHT_BITS);
            assert!(sure <= integer(PER_UNIT) * bottom, "{cell}");
        }
        // The tail: 32 · 48 e^(-x²/2) 2^j is at most its one entry where its cells begin.
        for j in 0..60u64 {
            let (_, top) = curve(CELLS as u64 + 16 * j, 6);
            let power = RBig::from(dashu::integer::UBig::ONE << j as usize);
            assert!(integer(32 * PER_UNIT) * top * power <= integer(1), "{j}");
        }
    }

    proptest! {
        /// What the chord decides, and what digits decide, is so for exact fractions.
        #[test]
        fn decisions_are_right(cell in 0..CELLS, place in 0u64..1 << PLACE_BITS, height in 0u64..1 << HEIGHT_BITS, more: [u64; 2]) {
            let table = &*TABLE;
            let entries = table.entries[cell];
            let point = (cell as u64) << PLACE_BITS | place;
            let ((_, top), (bottom, _)) = (curve(point, POINT as usize), curve(point + 1, POINT as usize));
            let line = |height: u64| rational((height * entries).into(), 1 << HEIGHT_BITS);
            match table.by_chord(cell, place, height) {
                Some(true) => prop_assert!(line(height + 1) <= integer(PER_UNIT) * bottom),
                Some(false) => prop_assert!(line(height) >= integer(PER_UNIT) * top),
                None => {}
            }
            let envelope = Envelope { entries, factor: PER_UNIT, halvings: 0 };
            let (taken, next) = envelope.by_digits(point, height, &mut StrictWords::new(more));
            prop_assert_eq!(next, more[0]);
            // All digits: x has 64 more, and so has U.
            let x = rational((u128::from(point) << 64) | u128::from(more[0]), 1 << (POINT + 64));
            let u = rational((u128::from(height) << 64) | u128::from(more[1]), 1 << (HEIGHT_BITS + 64));
            let (low, high) = exp_minus_ball(&(x.clone() * x / integer(2)));
            let line = u * integer(entries);
            if taken {
                prop_assert!(line < integer(PER_UNIT) * high);
            } else {
                prop_assert!(line > integer(PER_UNIT) * low);
            }
        }
    }

    /// Where U lies on the curve as far as 78 digits go, more are drawn.
    #[test]
    fn digits_are_drawn_until_they_decide() {
        let envelope = Envelope { entries: TABLE.entries[70], factor: PER_UNIT, halvings: 0 };
        let point = 70 << PLACE_BITS;
        // 48 e^(-x²/2) / n at the beginning of the cell, to 78 digits.
        let x = FixedPoint::from_words(&[point], POINT as usize, 4);
        let exponent = x.times(&x, Rounding::Down).halved(1, Rounding::Down);
        let ratio = exponent.exp_minus(Rounding::Down).times_integer(PER_UNIT << HEIGHT_BITS);
        let mut height = 0;
        while ratio >= FixedPoint::integer((height + 1) * envelope.entries, 4) {
            height += 1;
        }
        let mut low = 0u64;
        for bit in (0..64).rev() {
            let tried = low | 1 << bit;
            let u = FixedPoint::from_words(&[tried, height], 64, 4);
            low = if u.times_integer(envelope.entries) <= ratio { tried } else { low };
        }
        let decide = |further: [u64; 2]| {
            let mut script = StrictWords::new([0, low, further[0], further[1]]);
            let decided = envelope.by_digits(point, height, &mut script);
            (decided.0, script.used())
        };
        assert_eq!(decide([0, 0]), (true, 4), "below, by the third word");
        assert_eq!(decide([0, u64::MAX]), (false, 4), "above, by the third word");
    }

    /// A sign turns m into -1 - m, and digits beyond the first word go on where it ends.
    #[test]
    fn values_are_read_off_the_digits() {
        let word =
            |entry: u64, negative: u64, place: u64| entry << 52 | negative << 51 | place << 14;
        let entry = TABLE.of_entry.iter().position(|&cell| cell == 3).unwrap() as u64;
        let point = 3u64 << PLACE_BITS | 5;
        let draw = |bits, words: &[u64]| {
            let mut script = StrictWords::new(words.iter().copied());
            let value = RoundedGaussian::new(bits).unwrap().draw(&mut script);
            (value, script.used())
        };
        assert_eq!(draw(43, &[word(entry, 0, 5)]), (point as i64, 1));
        assert_eq!(draw(43, &[word(entry, 1, 5)]), (-1 - point as i64, 1));
        assert_eq!(draw(20, &[word(entry, 1, 5)]), (-1 - (point >> 23) as i64, 1));
        assert_eq!(draw(-60, &[word(entry, 1, 5)]), (-1, 1));
        let next = 0xABCD << 48;
        assert_eq!(draw(58, &[word(entry, 0, 5), next]), ((point << 15 | next >> 49) as i64, 2));
    }

    /// Cell probabilities from the error function.
    fn cells(edges: &[f64]) -> Vec<f64> {
        let cdf = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
        let inner = edges.windows(2).map(|pair| cdf(pair[1]) - cdf(pair[0]));
        std::iter::once(cdf(edges[0])).chain(inner).chain([cdf(-edges[edges.len() - 1])]).collect()
    }

    fn drawn(bits: i32, count: usize, seed: u64) -> Vec<i64> {
        let mut values = vec![0; count];
        let noise = NoiseRng::replay(seed).next_release();
        RoundedGaussian::new(bits).unwrap().add_to(&mut values, noise);
        values
    }

    /// At the precision of the first word, beyond it, and far below it.
    #[test]
    fn drawn_values_fit() {
        for (bits, seed) in [(30, 81), (43, 82), (50, 83)] {
            // Fine cells in the middle, and the tail with its own cells.
            let mut edges: Vec<f64> = (-30..=30).map(|i| f64::from(i) / 10.0).collect();
            edges.splice(0..0, [-4.2, -3.969, -3.654, -3.3]);
            edges.extend([3.3, 3.654, 3.969, 4.2]);
            let mut counts = vec![0u64; edges.len() + 1];
            for value in drawn(bits, 1_000_000, seed) {
                let x = (value as f64 + 0.5) / 2f64.powi(bits);
                counts[edges.partition_point(|&edge| edge <= x)] += 1;
            }
            assert_fits(&counts, &cells(&edges));
        }
        for bits in [0, 2] {
            let edges: Vec<f64> = (-12..=12).map(|i| f64::from(i) / f64::from(1 << bits)).collect();
            let mut counts = vec![0u64; edges.len() + 1];
            for value in drawn(bits, 300_000, 84) {
                counts[(value + 13).clamp(0, 25) as usize] += 1;
            }
            assert_fits(&counts, &cells(&edges));
        }
    }

    /// The last digits are uniform, whichever word they come from.
    #[test]
    fn the_last_digits_are_uniform() {
        for bits in [20, 43, 44, 58] {
            let mut counts = [0u64; 16];
            drawn(bits, 100_000, 85).iter().for_each(|value| counts[(value & 15) as usize] += 1);
            assert_fits(&counts, &[1.0 / 16.0; 16]);
        }
    }

    #[test]
    fn moments() {
        let values = drawn(40, 1_000_000, 86);
        let unit = 2f64.powi(40);
        let moment =
            |power| values.iter().map(|&x| (x as f64 / unit).powi(power)).sum::<f64>() / 1e6;
        assert!(moment(1).abs() < 0.005);
        assert!((moment(2) - 1.0).abs() < 0.01);
        assert!(moment(3).abs() < 0.02);
        assert!((moment(4) - 3.0).abs() < 0.05);
    }

    /// Given that it is beyond 254 cells: the normal law given that, cell by cell of the tail.
    #[test]
    fn the_tail_is_the_normal_tail() {
        let table = &*TABLE;
        let entry =
            table.of_entry.iter().position(|&cell| usize::from(cell) == CELLS).unwrap() as u64;
        let mut stream = NoiseRng::replay(87).next_release().into_stream();
        let mut found = Vec::new();
        while found.len() < 20_000 {
            let word = stream.next_u64() >> ENTRY_BITS | entry << (64 - ENTRY_BITS);
            if let Some((point, _)) = attempt(table, word, &mut stream) {
                found.push(point as f64 / 2f64.powi(POINT as i32));
            }
        }
        let start = CELLS as f64 / 64.0;
        let edges = [4.0, 4.05, 4.1, 4.2, 4.3, 4.5, 4.7];
        let beyond = |x: f64| libm::erfc(x / std::f64::consts::SQRT_2);
        let mut expected = vec![1.0 - beyond(edges[0]) / beyond(start)];
        expected.extend(edges.windows(2).map(|w| (beyond(w[0]) - beyond(w[1])) / beyond(start)));
        expected.push(beyond(edges[edges.len() - 1]) / beyond(start));
        let mut counts = vec![0u64; edges.len() + 1];
        found.iter().for_each(|&x| counts[edges.partition_point(|&edge| edge <= x)] += 1);
        assert!(found.iter().all(|&x| x >= start));
        assert_fits(&counts, &expected);
    }

    #[test]
    fn threads_do_not_matter_and_releases_do() {
        let draw = |seed| drawn(30, 3 * CHUNK + 5, seed);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| draw(1)), draw(1));
        assert_ne!(draw(1), draw(2));
        let values = draw(1);
        assert_ne!(values[..CHUNK], values[CHUNK..2 * CHUNK]);
        // A part of an array gets what it would get among all.
        for first in [0, 5, CHUNK, CHUNK + 7] {
            let mut part = vec![0; CHUNK + 100];
            let noise = NoiseRng::replay(1).next_release();
            RoundedGaussian::new(30).unwrap().add_to_part(&mut part, first, noise);
            assert_eq!(part, values[first..first + part.len()]);
        }
    }

    #[test]
    fn the_ends_of_the_domain() {
        assert!(RoundedGaussian::new(59).is_err() && RoundedGaussian::new(-61).is_err());
        assert!(drawn(-20, 1000, 88).iter().all(|value| [-1, 0].contains(value)));
        let mut ends = [i64::MAX, i64::MIN];
        RoundedGaussian::new(58).unwrap().add_to(&mut ends, NoiseRng::replay(3).next_release());
        assert!(ends[0] > 0 && ends[1] < 0, "saturated");
        RoundedGaussian::new(30).unwrap().add_to(&mut [], NoiseRng::replay(1).next_release());
    }
}
