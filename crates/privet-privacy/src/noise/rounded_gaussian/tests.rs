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
    let word = |entry: u64, negative: u64, place: u64| entry << 52 | negative << 51 | place << 14;
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
    let moment = |power| values.iter().map(|&x| (x as f64 / unit).powi(power)).sum::<f64>() / 1e6;
    assert!(moment(1).abs() < 0.005);
    assert!((moment(2) - 1.0).abs() < 0.01);
    assert!(moment(3).abs() < 0.02);
    assert!((moment(4) - 3.0).abs() < 0.05);
}

/// Given that it is beyond 254 cells: the normal law given that, cell by cell of the tail.
#[test]
fn the_tail_is_the_normal_tail() {
    let table = &*TABLE;
    let entry = table.of_entry.iter().position(|&cell| usize::from(cell) == CELLS).unwrap() as u64;
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
