//! The exact weights of single choices: rationals, and rationals around e^-γ.

use dashu::base::BitTest;
use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;

use crate::noise::Bernoulli;

/// `numerator / denominator`.
pub(crate) fn rational(numerator: u128, denominator: u128) -> RBig {
    RBig::from_parts(IBig::from(numerator), UBig::from(denominator))
}

/// `2^-bits`.
pub(crate) fn power_of_half(bits: u32) -> RBig {
    RBig::from_parts(IBig::ONE, UBig::ONE << bits as usize)
}

/// The denominators of long paths are products of many others: beyond this many bits a probability is
/// rounded down, and what that takes away is lost like a branch that was cut.
const MOST_BITS: usize = 512;

/// The probability itself, or a lower bound within 2^-512 of it.
pub(super) fn trimmed(probability: RBig) -> RBig {
    if probability.denominator().bit_len() <= MOST_BITS {
        return probability;
    }
    let (numerator, denominator) = probability.into_parts();
    RBig::from_parts((numerator << MOST_BITS) / IBig::from(denominator), UBig::ONE << MOST_BITS)
}

/// The weights of false and true of a coin.
pub(super) fn of_coin(coin: &Bernoulli) -> Vec<RBig> {
    let (threshold, remainder, denominator) = coin.parts();
    let heads = (RBig::from(threshold) + rational(remainder, denominator)) * power_of_half(64);
    vec![RBig::ONE - heads.clone(), heads]
}

/// Lower bounds of the weights of false and true of a coin of probability e^-γ.
pub(super) fn of_exp(numerator: u128, denominator: u128) -> Vec<RBig> {
    let (below, above) = exp_minus_ball(&rational(numerator, denominator.max(1)));
    vec![(RBig::ONE - above).max(RBig::ZERO), below]
}

/// The first integer and the weight of every run of equal values among `0..bound`, at most 2⁶⁴.
pub(super) fn runs<T: PartialEq>(bound: u128, value: impl Fn(u64) -> T) -> Vec<(u64, RBig)> {
    let mut runs = Vec::new();
    let mut first = 0;
    while first < bound {
        let wanted = value(first as u64);
        // The last integer of the run lies in low..high: doubling steps first, so that what is found is the
        // end of this run and not that of a later one with the same value.
        let (mut low, mut step) = (first, 1);
        while low + step < bound && value((low + step) as u64) == wanted {
            low += step;
            step *= 2;
        }
        let mut high = bound.min(low + step);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if value(middle as u64) == wanted { low = middle } else { high = middle }
        }
        runs.push((first as u64, rational(high - first, bound)));
        first = high;
    }
    runs
}

/// Rationals below and above e^-x, closer than 2⁻²⁰⁰: the series of e^(x/2^s), inverted and squared.
pub(crate) fn exp_minus_ball(x: &RBig) -> (RBig, RBig) {
    const BITS: usize = 320;
    let scale = RBig::from(UBig::ONE << BITS);
    let floor = |r: RBig| RBig::from((r * &scale).floor()) / &scale;
    let ceil = |r: RBig| RBig::from((r * &scale).ceil()) / &scale;
    if *x >= RBig::from(200) {
        return (RBig::ZERO, power_of_half(200)); // e^-200 < 2^-200
    }
    let scaled = x.clone() / RBig::from(1u32 << 24);
    let (mut low, mut term) = (RBig::ONE, RBig::ONE);
    for n in 1..30u8 {
        term = floor(term * scaled.clone() / RBig::from(n));
        low += term.clone();
    }
    // Twenty-nine floors of at most 2⁻³²⁰ each time a little, and a tail below the last term.
    let high = low.clone() + RBig::from_parts(IBig::from(64), UBig::ONE << BITS) + term;
    let (mut below, mut above) = (floor(RBig::ONE / high), ceil(RBig::ONE / low));
    for _ in 0..24 {
        below = floor(below.clone() * below);
        above = ceil(above.clone() * above);
    }
    (below, above)
}
