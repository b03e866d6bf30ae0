//! Broken ways to tell who is near whom, and to sum over neighbours.

use privet::privacy::aggregation::{Settings as Sums, SummedUnit};
use privet::privacy::appr::RowNoise;
use privet::privacy::unit::{Edge, Node};
use privet::privacy::{Delta, accountant};

use super::Mutant;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::toy_graphs::{Apart, DELTA, Near, gaussian};

pub(super) const MUTANTS: [Mutant; 4] = [
    Mutant {
        number: 53,
        mutation: "scores of near nodes not clipped",
        expected: None,
        run: || {
            // Gumbel noise for entries up to 0.02, on entries as they are.
            let (clip, epsilon) = (0.02, 1.0);
            let charged = Near { clip, keep: 1, noise: RowNoise::Gumbel { epsilon } };
            let noise = RowNoise::Gumbel { epsilon: epsilon / clip };
            let twin = Near { clip: 1.0, keep: 1, noise };
            let measured = twin.sampled(TRIALS, |row| row[0].0 == 0)?;
            near("the hub is named", &charged, measured)
        },
    },
    Mutant {
        number: 54,
        mutation: "rows of near nodes not clipped, Gaussian noise",
        expected: None,
        run: || {
            let (clip, deviation) = (0.1, 1.0);
            let charged = Near { clip, keep: 5, noise: RowNoise::Gaussian { deviation } };
            let noise = RowNoise::Gaussian { deviation: deviation * clip };
            let twin = Near { clip: 1.0, noise, ..charged };
            let hub = |row: &[(u32, f64)]| row.iter().find(|e| e.0 == 0).map_or(0.0, |e| e.1);
            near("a row leans to the hub", &charged, twin.sampled(TRIALS, |row| hub(row) > 0.25)?)
        },
    },
    Mutant {
        number: 55,
        mutation: "a node's own sum left out of the sensitivity of noisy sums",
        expected: None,
        run: || {
            let (degree, noise_multiplier) = (3u32, 1.2);
            let clip = f64::from(degree).sqrt();
            let settings = Sums { hops: 1, max_degree: degree as usize, clip, noise_multiplier };
            // The noise of √D, where √(D + R²) is needed.
            let share = f64::from(degree).sqrt() / Node::sensitivity(&settings);
            summed::<Node>("a hub with and without", &Apart::absent(degree), settings, share)
        },
    },
    Mutant {
        number: 56,
        mutation: "an edge counted in one of the two sums that it moves",
        expected: None,
        run: || {
            let settings = Sums { hops: 1, max_degree: 1, clip: 1.0, noise_multiplier: 1.2 };
            let share = 1.0 / Edge::sensitivity(&settings);
            summed::<Edge>("an edge with and without", &Apart::edge(), settings, share)
        },
    },
];

/// Draws from each side.
const TRIALS: usize = 40_000;

fn near(subject: &str, charged: &Near, measured: f64) -> Result<Finding> {
    let event = charged.settings(vec![1]).event()?;
    let claimed = accountant::best(&event, Delta::new(DELTA)?)?.value.get();
    let method = Method::Statistical;
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 0.0 })
}

/// Sums with a share of the noise that they are charged for.
fn summed<U: SummedUnit>(
    subject: &str,
    graphs: &Apart,
    settings: Sums,
    share: f64,
) -> Result<Finding> {
    let noise_multiplier = share * settings.noise_multiplier;
    let measured = graphs.sampled::<U>(Sums { noise_multiplier, ..settings }, TRIALS)?;
    let (claimed, method) = (gaussian(settings.noise_multiplier)?, Method::Statistical);
    Ok(Finding { subject: subject.into(), method, claimed, measured, tolerance: 0.0 })
}
