//! Samplers at the ends of their domains, and noise that reaches every value.

use privet_privacy::noise::{Bernoulli, DiscreteGaussian, NoiseRng, RoundedGaussian};

/// Arrays are filled in blocks: no value at the end of a block may be left out, and no two get the same.
#[test]
fn every_value_of_an_array_gets_noise_of_its_own() {
    let gaussian = RoundedGaussian::new(52).unwrap();
    for length in [1, 31, 32, 33, 63, 64, 65, 1000, 5000] {
        let mut values = vec![0i64; length];
        gaussian.add_to(&mut values, NoiseRng::replay(1).next_release());
        assert!(values.iter().all(|value| *value != 0), "{length}");
        assert_eq!(values.iter().collect::<std::collections::BTreeSet<_>>().len(), length);
    }
}

#[test]
fn coins_are_rational_up_to_126_bits() {
    assert!(Bernoulli::new(1, 1 << 126).is_ok());
    assert!(Bernoulli::new(1, (1 << 126) + 1).is_err());
    assert!(Bernoulli::new(1, 0).is_err());
    assert!(Bernoulli::new(4, 3).is_err());
    assert_eq!(Bernoulli::new(3, 3).unwrap().probability(), 1.0);
    // Far below the last of 64 digits the remainder is all there is.
    assert_eq!(Bernoulli::new(1, 1 << 100).unwrap().probability(), 2f64.powi(-100));
}

#[test]
fn variances_end_at_two_to_the_forty() {
    assert!(DiscreteGaussian::new(2 << 40, 2).is_ok());
    assert!(DiscreteGaussian::new((2 << 40) + 1, 2).is_err());
    assert!(DiscreteGaussian::new(0, 2).is_err());
    assert!(DiscreteGaussian::new(1, 4096).is_ok());
    assert!(DiscreteGaussian::new(1, 4097).is_err());
}
