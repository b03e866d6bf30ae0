//! Random compositions, each as an event for the accountants and as laws for the oracle.

use privet_privacy::event::{BatchSampling, Event};
use privet_privacy::loss::{Delta, Epsilon};

use super::Composition;
use super::law::Law;

/// A small generator of our own (splitmix), so that a seed is a case for ever.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform on a logarithmic scale.
    fn log(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }

    fn below(&mut self, n: u64) -> u64 {
        self.word() % n
    }
}

/// A composition, as an event and as laws, and a delta to ask for.
pub struct Case {
    pub event: Event,
    pub truth: Composition,
    pub delta: f64,
}

pub fn case(random: &mut Random) -> Case {
    let parts = 1 + [0, 0, 0, 1, 1, 2][random.below(6) as usize];
    let mut event = Event::Nothing;
    let mut truth = Composition { parts: Vec::new(), failure: 0.0, subsample: 1.0 };
    for _ in 0..parts {
        let (release, law, times, failure) = release(random);
        event = event.then(release.repeated(times));
        truth.parts.push((law, times as f64));
        // 1 - (1 - f)(1 - d)^times
        let survive = (1.0 - truth.failure).ln() + times as f64 * (-failure).ln_1p();
        truth.failure = -survive.exp_m1();
    }
    let delta = random.log(1e-12, 1e-2);
    if random.below(12) == 0 {
        truth.subsample = random.log(0.01, 0.9);
        event = event.subsampled_once(truth.subsample);
    }
    Case { event, truth, delta }
}

/// A release, its laws, how often it happens, and how likely one of them fails outright.
fn release(random: &mut Random) -> (Event, Law, u64, f64) {
    let times = match random.below(4) {
        0 => 1 + random.below(8),
        1 => random.log(1.0, 200.0) as u64,
        _ => random.log(1.0, 1e6) as u64,
    };
    // The distance of a Gaussian that the whole would be like.
    let total = random.log(0.02, 6.0);
    let each = total / (times as f64).sqrt();
    let positive = |value: f64| Epsilon::new(value).unwrap_or(Epsilon::ZERO);
    let (event, law) = match random.below(11) {
        0 => (Event::Gaussian { noise_multiplier: each.recip() }, Law::Gaussian { mu: each }),
        1 => {
            let law = Law::laplace(each);
            (Event::Laplace { noise_multiplier: each.recip() }, law)
        }
        2 => {
            let categories = 2 + random.below(6) as u32;
            let event = Event::RandomizedResponse { epsilon: positive(each), categories };
            (event, Law::response(each, categories))
        }
        3 => (Event::Pure { epsilon: positive(each) }, Law::response(each, 2)),
        4 => {
            let delta = random.log(1e-16, 1e-9) / times as f64;
            let event = Event::Approximate {
                epsilon: positive(each),
                delta: Delta::new(delta).unwrap_or(Delta::ZERO),
            };
            return (event, Law::response(each, 2), times, delta);
        }
        5 => {
            // Two outcomes whose log-ratios are eta - t and -t.
            let (eta, t) = (2.0 * each, 2.0 * each * (0.05 + 0.9 * random.unit()));
            let q = -(-t).exp_m1() / ((eta - t).exp() - (-t).exp());
            (Event::BoundedRange { eta }, Law::two_points(q * (eta - t).exp(), q))
        }
        6 => (Event::ZeroConcentrated { rho: 0.5 * each * each }, Law::Gaussian { mu: each }),
        7 => sampled_response(random, each),
        8 | 9 => rows(random, each),
        _ => replaced(random, each),
    };
    (event, law, times, 0.0)
}

/// A response on a Poisson sample: two outcomes again.
fn sampled_response(random: &mut Random, each: f64) -> (Event, Law) {
    let rate = random.log(1e-3, 0.99);
    // rate (e^e - 1) is about what is wanted of the sampled one.
    let epsilon = (each / rate).ln_1p();
    let keep = 1.0 / (1.0 + (-epsilon).exp());
    let law = Law::two_points((1.0 - rate) * (1.0 - keep) + rate * keep, 1.0 - keep);
    let pure = Event::Pure { epsilon: Epsilon::new(epsilon).unwrap_or(Epsilon::ZERO) };
    (pure.poisson_sampled(rate), law)
}

/// Rows of one node in a Poisson batch, against none.
fn rows(random: &mut Random, each: f64) -> (Event, Law) {
    let rate = random.log(1e-3, 0.999);
    let max_rows = [1, 1, 1, 2, 3, 5][random.below(6) as usize];
    let sigma = (rate * f64::from(max_rows) / each).max(0.4);
    let law = Law::mixtures(sigma, &binomial(max_rows, rate), &[(0.0, 1.0)]);
    let event = match max_rows {
        1 => Event::Gaussian { noise_multiplier: sigma }.poisson_sampled(rate),
        _ => Event::MixtureOfGaussians { noise_multiplier: sigma, max_rows, rate },
    };
    (event, law)
}

/// Rows of one node that all change their sign.
fn replaced(random: &mut Random, each: f64) -> (Event, Law) {
    let rate = random.log(1e-3, 0.9);
    let max_rows = 1 + random.below(3) as u32;
    let sigma = (2.0 * rate * f64::from(max_rows) / each).max(0.6);
    let (batch, law) = if random.below(2) == 0 {
        (BatchSampling::Poisson { rate }, binomial(max_rows, rate))
    } else {
        let population = 10 + random.below(5000);
        let size = ((rate * population as f64) as u64).clamp(1, population - 1);
        (BatchSampling::FixedSize { size, population }, hypergeometric(max_rows, size, population))
    };
    let mirrored: Vec<(f64, f64)> = law.iter().rev().map(|(k, mass)| (-k, *mass)).collect();
    let event = Event::ReplacedRows { noise_multiplier: sigma, max_rows, batch };
    (event, Law::mixtures(sigma, &law, &mirrored))
}

fn binomial(n: u32, rate: f64) -> Vec<(f64, f64)> {
    let choose = |k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
    let mass = |k: u32| choose(k) * rate.powi(k as i32) * (1.0 - rate).powi((n - k) as i32);
    (0..=n).map(|k| (f64::from(k), mass(k))).collect()
}

/// `size` draws without return, of which `k` meet the rows of the node: every order of drawing is equally likely.
fn hypergeometric(n: u32, size: u64, population: u64) -> Vec<(f64, f64)> {
    let (drawn, all) = (size as f64, population as f64);
    let choose = |k: u32| (0..k).map(|i| f64::from(n - i) / f64::from(i + 1)).product::<f64>();
    let mass = |k: u32| {
        let in_batch: f64 = (0..k).map(|i| drawn - f64::from(i)).product();
        let outside: f64 = (0..n - k).map(|i| all - drawn - f64::from(i)).product();
        choose(k) * in_batch * outside / (0..n).map(|i| all - f64::from(i)).product::<f64>()
    };
    (0..=n).map(|k| (f64::from(k), mass(k).max(0.0))).collect()
}
