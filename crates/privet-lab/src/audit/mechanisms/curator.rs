//! The audits of a curator's releases about a graph: `dp-appr` (names of near nodes) and `noisy-sums`.

use privet::privacy::aggregation::{Settings as Sums, SummedUnit};
use privet::privacy::appr::RowNoise;
use privet::privacy::unit::{Edge, Node, ReplacedNode};
use privet::privacy::{Delta, Event, accountant};

use super::Audit;
use crate::Result;
use crate::audit::finding::{Finding, Method};
use crate::audit::toy_graphs::{Apart, DELTA, Near, gaussian};

pub(super) const AUDITS: [Audit; 2] = [
    Audit { name: "dp-appr", tight: false, run: names },
    Audit { name: "noisy-sums", tight: false, run: sums },
];

/// Draws from each side.
const TRIALS: usize = 40_000;

fn finding(subject: String, method: Method, claimed: f64, measured: f64) -> Finding {
    Finding { subject, method, claimed, measured, tolerance: 1e-9 }
}

fn cost(event: &Event, delta: f64) -> Result<f64> {
    Ok(accountant::best(event, Delta::new(delta)?)?.value.get())
}

/// Names by Gumbel noise, of which the whole law is known; then the code itself, and rows with Gaussian noise.
fn names() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for (epsilon, keep, sources) in
        [(1.0, 2, vec![1]), (0.5, 2, vec![1, 2, 0]), (1.5, 1, vec![1, 2, 3, 4])]
    {
        let near = Near { clip: 0.1, keep, noise: RowNoise::Gumbel { epsilon } };
        let law = near.law(epsilon, &sources)?;
        let event = near.settings(sources.clone()).event()?;
        let subject = |delta: f64| {
            format!(
                "{} rows name {keep} of 5, a hub with and without, delta {delta}",
                sources.len()
            )
        };
        findings.push(finding(subject(0.0), Method::Exact, cost(&event, 0.0)?, law.epsilon()));
        let (claimed, measured) = (cost(&event, DELTA)?, law.epsilon_at(DELTA));
        findings.push(finding(subject(DELTA), Method::Exact, claimed, measured));
    }
    let near = Near { clip: 0.1, keep: 1, noise: RowNoise::Gumbel { epsilon: 1.5 } };
    let claimed = cost(&near.settings(vec![1]).event()?, DELTA)?;
    let measured = near.sampled(TRIALS, |row| row[0].0 == 0)?;
    let subject = "the hub is named, as sampled".into();
    findings.push(finding(subject, Method::Statistical, claimed, measured));
    let noise = RowNoise::GumbelAndValues { epsilon: 0.5, values: 1.5 };
    let near = Near { clip: 0.1, keep: 1, noise };
    let claimed = cost(&near.settings(vec![1]).event()?, DELTA)?;
    let measured = near.sampled(TRIALS, |row| row[0].0 == 0 && row[0].1 > 0.1)?;
    let subject = "the hub is named with a large score".into();
    findings.push(finding(subject, Method::Statistical, claimed, measured));
    // All of the row leaves.
    let near = Near { clip: 0.1, keep: 5, noise: RowNoise::Gaussian { deviation: 1.0 } };
    let claimed = cost(&near.settings(vec![1]).event()?, DELTA)?;
    let measured = near.sampled(TRIALS, |row| leans_to_hub(row) > 0.14)?;
    let subject = "a row with Gaussian noise leans to the hub".into();
    findings.push(finding(subject, Method::Statistical, claimed, measured));
    Ok(findings)
}

/// How much more a row gives the hub than its source, node 1.
fn leans_to_hub(row: &[(u32, f64)]) -> f64 {
    let score = |wanted| row.iter().find(|(node, _)| *node == wanted).map_or(0.0, |entry| entry.1);
    (score(0) - score(1)) / 2f64.sqrt()
}

fn sums() -> Result<Vec<Finding>> {
    let degree = 3;
    let clip = f64::from(degree).sqrt();
    let settings = Sums { hops: 1, max_degree: degree as usize, clip, noise_multiplier: 1.2 };
    let mut findings = Vec::new();
    findings.extend(apart::<Node>(
        "a hub of degree 3 with and without",
        &Apart::absent(degree),
        settings,
    )?);
    let replaced = Apart::replaced(degree);
    findings.extend(apart::<ReplacedNode>("a hub of degree 3 among others", &replaced, settings)?);
    findings.extend(apart::<Edge>("an edge with and without", &Apart::edge(), settings)?);
    Ok(findings)
}

/// The same two graphs, exactly and by samples.
fn apart<U: SummedUnit>(what: &str, graphs: &Apart, settings: Sums) -> Result<[Finding; 2]> {
    let claimed = gaussian(settings.noise_multiplier)?;
    let exact = graphs.exact::<U>(settings)?;
    let sampled = graphs.sampled::<U>(settings, TRIALS / 2)?;
    Ok([
        finding(format!("{what}, how far sums move"), Method::Exact, claimed, exact),
        finding(format!("{what}, as sampled"), Method::Statistical, claimed, sampled),
    ])
}
