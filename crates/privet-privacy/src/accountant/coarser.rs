//! Fewer different releases, each a little worse: for plans of so many different ones that pricing each
//! would take too long.
//!
//! **Idea.** Noise is rounded down and sampling rates are rounded up to numbers of a few binary digits, after
//! which many releases are equal and are counted together.
//!
//! **Theorem.** What is priced then is at least what happened costs.
//! *Noise:* more Gaussian noise is less noise, and then some more, which is post-processing.
//! *Rates:* a row is in a sample of rate `q < q'` if it is in one of rate `q'` and an independent coin of
//! `q/q'` keeps it. Given all coins, the release is one of rate `q'` in which one node owns the rows that were
//! kept, at most as many as before; the release itself is the mixture of these over coins that do not depend on the
//! data, and every divergence accountants use is jointly (quasi-)convex. ∎

use super::leaves::{Leaf, leaves};
use crate::error::Result;
use crate::event::{BatchSampling, Event};

/// The same releases with numbers of at most so many binary digits after the first.
pub(crate) fn coarser(all: &[Leaf], digits: u32) -> Result<Vec<Leaf>> {
    let rounded = all.iter().map(|leaf| worse(&leaf.event, digits).repeated(leaf.times));
    leaves(&Event::Sequence { events: rounded.collect() })
}

/// A release that costs at least as much.
fn worse(event: &Event, digits: u32) -> Event {
    // A rate is rounded up to 1 at most, which is a short number itself.
    let (down, up) = (|noise| cut(noise, digits), |rate| rounded_up(rate, digits));
    match *event {
        Event::Gaussian { noise_multiplier } => {
            Event::Gaussian { noise_multiplier: down(noise_multiplier) }
        }
        Event::MixtureOfGaussians { noise_multiplier, max_rows, rate } => {
            let noise_multiplier = down(noise_multiplier);
            Event::MixtureOfGaussians { noise_multiplier, max_rows, rate: up(rate) }
        }
        Event::ReplacedRows {
            noise_multiplier,
            max_rows,
            batch: BatchSampling::Poisson { rate },
        } => {
            let (noise_multiplier, batch) =
                (down(noise_multiplier), BatchSampling::Poisson { rate: up(rate) });
            Event::ReplacedRows { noise_multiplier, max_rows, batch }
        }
        ref other => other.clone(),
    }
}

/// The digits of a positive number that a float keeps after the first.
const MANTISSA: u32 = 52;

/// A positive number without its last digits.
fn cut(value: f64, digits: u32) -> f64 {
    let dropped = MANTISSA - digits.min(MANTISSA);
    // Clearing low bits of the mantissa rounds a positive float towards zero: less noise.
    let short = f64::from_bits(value.to_bits() >> dropped << dropped);
    // Below the smallest normal number nothing may be left.
    if short > 0.0 { short } else { value }
}

/// The next number of so few digits that is not below.
fn rounded_up(value: f64, digits: u32) -> f64 {
    let short = cut(value, digits);
    let step = 1 << (MANTISSA - digits.min(MANTISSA));
    // The next short number above; a carry out of the mantissa correctly raises the exponent.
    if short < value { f64::from_bits(short.to_bits() + step) } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant::{Accountant, Renyi};
    use crate::loss::Delta;
    use proptest::prelude::*;

    fn sampled(noise_multiplier: f64, rate: f64) -> Event {
        Event::Gaussian { noise_multiplier }.poisson_sampled(rate)
    }

    proptest! {
        #[test]
        fn noise_falls_and_rates_rise_by_little(value in 1e-300f64..1e300, digits in 0u32..60) {
            let (below, above) = (cut(value, digits), rounded_up(value, digits));
            let step = 2f64.powi(-(digits.min(MANTISSA) as i32));
            prop_assert!(below <= value && value <= above);
            prop_assert!(above - below <= value * step);
            // Short numbers stay, so that rounding twice changes nothing.
            prop_assert_eq!(cut(below, digits), below);
            prop_assert_eq!(rounded_up(above, digits), above);
        }
    }

    #[test]
    fn short_numbers_by_hand() {
        assert_eq!((cut(1.9, 0), cut(1.9, 1), cut(1.9, 2)), (1.0, 1.5, 1.75));
        assert_eq!((rounded_up(1.1, 0), rounded_up(1.1, 1), rounded_up(1.1, 2)), (2.0, 1.5, 1.25));
        assert_eq!(cut(f64::MIN_POSITIVE / 3.0, 0), f64::MIN_POSITIVE / 3.0);
    }

    /// A rate that is rounded to 1 is no sample any more, and equal releases are counted together.
    #[test]
    fn releases_become_equal() {
        let plan = sampled(1.1, 0.9).then(sampled(1.2, 0.95).repeated(2)).then(sampled(1.4, 0.3));
        let found = coarser(&leaves(&plan).unwrap(), 0).unwrap();
        let gaussian = Event::Gaussian { noise_multiplier: 1.0 };
        let mixture = Event::MixtureOfGaussians { noise_multiplier: 1.0, max_rows: 1, rate: 0.5 };
        assert_eq!(found, [Leaf { event: gaussian, times: 3 }, Leaf { event: mixture, times: 1 }]);
    }

    /// What is rounded costs more, and not much more where many digits are kept.
    #[test]
    fn the_price_rises_with_every_digit_dropped() {
        let delta = Delta::new(1e-6).unwrap();
        let nodes = |rate| Event::MixtureOfGaussians { noise_multiplier: 5.3, max_rows: 7, rate };
        let replaced = |rate| Event::ReplacedRows {
            noise_multiplier: 9.7,
            max_rows: 3,
            batch: BatchSampling::Poisson { rate },
        };
        for event in [sampled(1.3, 0.011), nodes(0.13), replaced(0.07)] {
            let price = |event: &Event| {
                Renyi::default().epsilon(&event.clone().repeated(20), delta).unwrap().get()
            };
            let mut before = price(&event);
            let exact = before;
            for digits in [6, 4, 2, 0] {
                let found = price(&worse(&event, digits));
                assert!(found >= before, "{event}: {found} with {digits} digits after {before}");
                before = found;
            }
            assert!(price(&worse(&event, 6)) < 1.1 * exact, "{event}");
        }
    }
}
