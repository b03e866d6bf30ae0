//! Draws per second of every sampler on one core, and how many times faster each is than a named
//! baseline measured in the same run: the textbook float sampler (fast, and not private), or the
//! published exact algorithm on big rationals (exact, and slow).
//!
//! `cargo bench -p privet-privacy --bench samplers`

use std::hint::black_box;
use std::time::Instant;

use dashu::integer::{IBig, UBig};
use dashu::rational::RBig;
use privet_privacy::Budget;
use privet_privacy::noise::{
    Bernoulli, BitResponse, DiscreteGaussian, DiscreteLaplace, ExponentialSelection,
    GradedResponse, NoiseRng, NoiseStream, RandomWords, RandomizedResponse, RoundedGaussian,
    ScoreChange, WindowSampler,
};

type AnyError = Box<dyn std::error::Error>;

/// Seconds of processor time this thread has used where Linux tells, of wall time elsewhere: other
/// programs on the machine then do not count.
fn seconds(start: Instant) -> f64 {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = used.as_deref().and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanos.map_or_else(|| start.elapsed().as_secs_f64(), |nanos| nanos / 1e9)
}

/// Items per second of one thread: the median of three rounds of a tenth of a second of work.
fn rate(per_call: usize, mut call: impl FnMut()) -> f64 {
    let origin = Instant::now();
    let mut rates = [0.0; 3].map(|_: f64| {
        let (start, mut calls) = (seconds(origin), 0usize);
        loop {
            (0..16).for_each(|_| call());
            calls += 16;
            let used = seconds(origin) - start;
            if used > 0.1 {
                return (calls * per_call) as f64 / used;
            }
        }
    });
    rates.sort_by(f64::total_cmp);
    rates[1]
}

/// Draws per second of a sampler called in a tight loop.
fn draws<T>(mut draw: impl FnMut(&mut NoiseStream) -> T) -> f64 {
    let mut stream = NoiseRng::replay(1).next_release().into_stream();
    rate(2000, || {
        for _ in 0..2000 {
            black_box(draw(&mut stream));
        }
    })
}

fn line(name: &str, found: f64, baseline_name: &str, baseline: f64) {
    println!(
        "{name:<44} {:>9.2} M/s   {:>8.2} x  {baseline_name} ({:.2} M/s)",
        found / 1e6,
        found / baseline,
        baseline / 1e6
    );
}

/// Uniform on [0, 1) as a textbook float sampler draws it.
fn uniform(stream: &mut NoiseStream) -> f64 {
    (stream.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

/// A uniform integer below a big bound: as many bits as it has, redrawn while too large.
fn big_below(bound: &UBig, stream: &mut NoiseStream) -> UBig {
    let bits = bit_length(bound);
    loop {
        let words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| stream.next_u64()).collect();
        let mut drawn = UBig::ZERO;
        words.iter().for_each(|&word| drawn = (std::mem::take(&mut drawn) << 64) + word);
        drawn >>= words.len() * 64 - bits;
        if drawn < *bound {
            return drawn;
        }
    }
}

fn bit_length(value: &UBig) -> usize {
    use dashu::base::BitTest;
    value.bit_len()
}

/// Bernoulli(e^-γ) of Canonne, Kamath and Steinke on big rationals.
fn big_bernoulli_exp(gamma: &RBig, stream: &mut NoiseStream) -> bool {
    let mut left = gamma.clone();
    while left > RBig::ONE {
        if !big_bernoulli_exp(&RBig::ONE, stream) {
            return false;
        }
        left -= RBig::ONE;
    }
    let mut tosses = 1u64;
    loop {
        let p = left.clone() / RBig::from(tosses);
        let drawn = IBig::from(big_below(p.denominator(), stream));
        if drawn >= *p.numerator() {
            return tosses % 2 == 1;
        }
        tosses += 1;
    }
}

/// Discrete Laplace of scale t/s by the same paper, on big rationals.
fn big_laplace(t: &UBig, s: &UBig, stream: &mut NoiseStream) -> IBig {
    loop {
        let low = big_below(t, stream);
        if !big_bernoulli_exp(&RBig::from_parts(IBig::from(low.clone()), t.clone()), stream) {
            continue;
        }
        let mut scales = 0u32;
        while big_bernoulli_exp(&RBig::ONE, stream) {
            scales += 1;
        }
        let magnitude = (low + t * UBig::from(scales)) / s;
        let negative = stream.next_u64() & 1 == 1;
        if !(negative && magnitude == UBig::ZERO) {
            let magnitude = IBig::from(magnitude);
            return if negative { -magnitude } else { magnitude };
        }
    }
}

fn generator() {
    let words = draws(|stream| stream.next_u64());
    println!("{:<44} {:>9.2} M/s", "words of 64 bits", words / 1e6);
    let users = rate(10_000, || {
        let streams = NoiseRng::replay(1).next_release().into_streams(0..10_000);
        streams.for_each(|mut stream| {
            black_box(stream.next_u64());
        });
    });
    let nanos = 1e9 / users;
    println!("{:<44} {nanos:>9.1} ns", "a new user's stream and its first 32 words");
}

fn responses(one: Budget) -> Result<(), AnyError> {
    let coin = Bernoulli::new(1, 3)?;
    let float_coin = draws(|stream| uniform(stream) < 1.0 / 3.0);
    line("coin 1/3", draws(|stream| coin.draw(stream)), "float coin", float_coin);
    let bit = BitResponse::new(one);
    line("bit response", draws(|stream| bit.draw(true, stream)), "float coin", float_coin);
    let many = 64.0 * draws(|stream| bit.draw_64(7, 64, stream));
    line("bit response, 64 at a time", many, "float coin", float_coin);

    let label = RandomizedResponse::new(7, one)?;
    let keep = label.keep_probability();
    let float_label =
        draws(|stream| if uniform(stream) < keep { 3 } else { (uniform(stream) * 6.0) as u32 });
    line("label response, 7 classes", draws(|s| label.draw(3, s)), "float response", float_label);

    let n = 1u32 << 16;
    let window = WindowSampler::new(n, 33_565, one)?;
    let (b, inside) = (0.512_165_875, window.inside_probability());
    let float_wave = draws(|stream| {
        let u = uniform(stream);
        if uniform(stream) < inside { 0.3 - b + 2.0 * b * u } else { -1.0 - b + 2.0 * u }
    });
    let found = draws(|stream| window.draw(19_661, stream));
    line("window (square wave), n = 2^16", found, "float square wave", float_wave);
    for bins in [10, 64, 1024] {
        let graded = GradedResponse::new(bins, one)?;
        let mut sums: Vec<f64> = (0..bins).map(|u| graded.probability(bins / 2, u)).collect();
        (1..bins as usize).for_each(|u| sums[u] += sums[u - 1]);
        let scan = draws(|stream| {
            let u = uniform(stream);
            sums.iter().position(|&sum| u < sum)
        });
        let found = draws(|stream| graded.draw(bins / 2, stream));
        line(&format!("graded response, {bins} bins"), found, "float scan", scan);
    }
    Ok(())
}

fn integers() -> Result<(), AnyError> {
    for epsilon in [4.0, 1.0, 0.1, 0.01, 1e-4, 1e-9] {
        let budget = Budget::from_epsilon(epsilon)?;
        let laplace = DiscreteLaplace::new(budget, 1)?;
        let found = draws(|stream| laplace.draw(stream));
        let float = draws(|stream| {
            let u = uniform(stream) - 0.5;
            (u.signum() * (1.0 - 2.0 * u.abs()).ln() / epsilon).round()
        });
        let name = format!("discrete Laplace, epsilon {epsilon}");
        line(&name, found, "float inverse Laplace", float);
    }
    let laplace = DiscreteLaplace::new(Budget::from_epsilon(0.1)?, 1)?;
    let (t, s) = (UBig::ONE << 40, UBig::from(Budget::from_epsilon(0.1)?.units()));
    let big = draws(|stream| big_laplace(&t, &s, stream));
    let found = draws(|stream| laplace.draw(stream));
    line("discrete Laplace, epsilon 0.1", found, "published, big rationals", big);
    for (a, b) in [(1, 1), (100, 1), (1_000_001, 100)] {
        let gauss = DiscreteGaussian::new(a, b)?;
        let name = format!("discrete Gaussian, sigma^2 {a}/{b}");
        line(&name, draws(|stream| gauss.draw(stream)), "published Laplace", big);
    }
    Ok(())
}

fn selection(one: Budget) -> Result<(), AnyError> {
    let law = ExponentialSelection::new(one, 1 << 20, ScoreChange::EitherWay)?;
    let scores: Vec<i64> = (0..2396).map(|i| (i * 7919) % (1 << 20)).collect();
    let found = draws(|stream| law.choose(&scores, stream));
    let gumbel = draws(|stream| {
        let noisy = scores
            .iter()
            .map(|&score| score as f64 / f64::from(1 << 21) - (-uniform(stream).ln()).ln());
        noisy.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
    });
    line("selection among 2396 candidates", found, "float Gumbel scan", gumbel);
    Ok(())
}

fn gaussians() -> Result<(), AnyError> {
    let box_muller = draws(|stream| {
        let (u, v) = (1.0 - uniform(stream), uniform(stream));
        (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    });
    let mut rng = NoiseRng::replay(3);
    let mut sums = vec![0i64; 1 << 14];
    for bits in [30, 43, 50] {
        let noise = RoundedGaussian::new(bits)?;
        let found = rate(1 << 14, || noise.add_to(&mut sums, rng.next_release()));
        let name = format!("rounded Gaussian, 2^{bits}, array, one core");
        line(&name, found, "float Box-Muller", box_muller);
    }
    Ok(())
}

fn main() -> Result<(), AnyError> {
    // Inside a pool of one thread, so that arrays are filled by the thread whose time is taken.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    pool.install(|| measure().map_err(|error| error.to_string())).map_err(AnyError::from)
}

fn measure() -> Result<(), AnyError> {
    let one = Budget::from_epsilon(1.0)?;
    println!("one core by default; ratio to the named baseline of the same run");
    generator();
    responses(one)?;
    integers()?;
    selection(one)?;
    gaussians()
}
