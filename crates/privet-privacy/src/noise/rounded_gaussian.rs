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
mod tests;
