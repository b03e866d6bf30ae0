//! The order of trust on data in a file or of the catalog:
//! `cargo run --release -p privet-lab --example trust_order -- facebook100/rice31 1 10`.

use std::error::Error;
use std::sync::atomic::AtomicBool;

use privet::data::catalog;
use privet::data::formats::ReadOptions;
use privet_lab::experiments::trial::NamedData;
use privet_lab::experiments::trust_order::TrustOrder;

fn main() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [name, epsilon, seeds] = &given[..] else {
        return Err("usage: trust_order DATASET EPSILON SEEDS".into());
    };
    let (epsilon, seeds) = (epsilon.parse()?, seeds.parse()?);
    let chosen = catalog::select(name)?;
    let data = chosen.load(&catalog::data_dirs(None), &ReadOptions::default())?.into_nodes()?;
    let order = TrustOrder { data: NamedData::new(name, &data), epsilon };
    let scores = order.measure(0..seeds, &AtomicBool::new(false))?;
    for (who, summary) in ["custodian", "devices", "no private data"].iter().zip(scores.summaries())
    {
        let summary = summary.ok_or("no seed")?;
        let (mean, deviation) = (100.0 * summary.mean, 100.0 * summary.deviation);
        println!("{who:16} {mean:5.1} ± {deviation:.1}");
    }
    for line in scores.disorder(0.0) {
        println!("{line}");
    }
    Ok(())
}
