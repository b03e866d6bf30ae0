//! Writes a sample report with made-up numbers into a folder, to see what reports look like.
//!
//! ```text
//! cargo run -p privet-lab --features png --example report -- sample-report
//! ```

use std::error::Error;
use std::path::PathBuf;

use privet::data::synthetic::PowerLaw;
use privet::privacy::card::Card;
use privet::privacy::noise::NoiseRng;
use privet::privacy::template::CoinFlip;
use privet::privacy::{Ledger, Loss, Secret};
use privet_lab::report::{
    Axis, Block, Cell, Measured, Plot, Reference, Report, Section, Series, Style, Table, Timing,
    Unit,
};

const EPSILONS: [f64; 8] = [0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, f64::INFINITY];
const MECHANISMS: [&str; 4] = ["hds", "piecewise", "multi-bit", "laplace"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).map_or("sample-report".into(), PathBuf::from);
    let report = sample()?;
    for file in report.write(&folder)? {
        println!("{}", file.display());
    }
    println!("\n{}", report.terminal(100));
    Ok(())
}

fn sample() -> Result<Report, Box<dyn Error>> {
    let mut report = Report::new(
        "Node classification on made-up data",
        "A sample: every number here is invented, to show what a report looks like.",
    );
    report.command = "cargo run -p privet-lab --features png --example report".into();
    report.cards.push(card()?);
    report.threat_model.secret.push("the features of every person".into());
    report.threat_model.public.extend(["the graph".into(), "the labels".into()]);
    report.threat_model.not_protected.push("who knows whom".into());
    report.sections = vec![
        Section::new("Utility against epsilon", [Block::Plot(curves()), Block::Table(table())]),
        Section::new("The data", [Block::Plot(degrees()?)]),
        Section::new("Other shapes of plots", shapes().map(Block::Plot)),
    ];
    report.settings = [("dataset", "made-up"), ("runs", "10"), ("seed", "7")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let timing = |what: &str, seconds, peak_bytes| Timing {
        what: what.into(),
        seconds,
        processor_seconds: Some(1.9 * seconds),
        peak_bytes,
    };
    report.timings = vec![
        timing("read", 0.042, None),
        timing("protect", 1.7, Some(88 << 20)),
        timing("propagate and train", 312.0, Some(734 << 20)),
    ];
    Ok(report)
}

/// A card from a real ledger, of noise that was replayed from a seed.
fn card() -> Result<Card, Box<dyn Error>> {
    let mut ledger = Ledger::in_memory(Loss::new(1.0, 0.0)?, NoiseRng::replay(7))?;
    ledger.release_each(&Secret::new(vec![0.0; 100]), &CoinFlip::new(1.0)?)?;
    let card = Card::new("a made-up survey").with_ledger(&ledger)?;
    Ok(card.with_unprotected("who took part"))
}

/// Something that grows with epsilon from 0.3 towards 0.81, with less spread where there is less noise.
fn invented(mechanism: usize, at: usize) -> Measured {
    let epsilon = EPSILONS[at].min(30.0);
    let mean = 0.81 - 0.5 * (-epsilon / (0.8 + 0.7 * mechanism as f64)).exp();
    let deviation = 0.004 + 0.03 / (1.0 + epsilon);
    let half = 0.72 * deviation;
    let (low95, high95) = (mean - half, mean + half);
    Measured { mean, deviation, low95, high95, runs: 10, unit: Unit::Percent }
}

fn constant(mean: f64, half: f64) -> Measured {
    let (low95, high95) = (mean - half, mean + half);
    Measured { mean, deviation: half, low95, high95, runs: 10, unit: Unit::Percent }
}

fn curves() -> Plot {
    let axis = Axis::epsilons(&EPSILONS);
    let mut plot = Plot::new("Accuracy of four mechanisms", axis, Axis::percent("test accuracy"))
        .with_line(Reference::ceiling(&constant(0.828, 0.004)))
        .with_line(Reference::control(&constant(0.302, 0.012)));
    for (mechanism, name) in MECHANISMS.iter().enumerate() {
        let values: Vec<Measured> = (0..8).map(|at| invented(mechanism, at)).collect();
        plot = plot.with(Series::measured(*name, Style::Line, &values));
    }
    plot
}

fn table() -> Table {
    let mut table =
        Table::new("Test accuracy", ["mechanism", "epsilon 0.5", "epsilon 1", "no noise"]);
    for (mechanism, name) in MECHANISMS.iter().enumerate() {
        let ours = invented(mechanism, 3);
        let last = match mechanism {
            3 => Cell::missing("did not converge"),
            _ => Cell::percent(invented(mechanism, 7).mean),
        };
        let beside = Cell::Beside { ours, theirs: ours.mean - 0.007 };
        table.push([Cell::from(*name), invented(mechanism, 2).into(), beside, last]);
    }
    table
}

fn degrees() -> Result<Plot, Box<dyn Error>> {
    let people = PowerLaw { nodes: 5_000, ..PowerLaw::default() }.generate(7)?;
    let graph = people.graph();
    let neighbors = |node| {
        let sum: usize = graph.neighbors(node).iter().map(|&other| graph.degree(other)).sum();
        (graph.degree(node) as f64, sum as f64 / graph.degree(node) as f64)
    };
    let (x, y) = (Axis::log("degree"), Axis::log("mean degree of neighbours"));
    let points = Series::new("a node", Style::Scatter, graph.nodes().map(neighbors));
    Ok(Plot::new("People's friends have more friends", x, y).with(points))
}

/// What else a plot can be, and what is hardest to draw well.
fn shapes() -> [Plot; 6] {
    let percent = || Axis::percent("share");
    let datasets = ["Cora", "Citeseer", "Pubmed", "LastFM", "Facebook"];
    let mut bars = Plot::new("Grouped bars", Axis::categories("dataset", datasets), percent());
    for (number, name) in MECHANISMS.iter().enumerate() {
        let values: Vec<Measured> = (0..5).map(|at| invented(number, (at * 3 + 1) % 8)).collect();
        bars = bars.with(Series::measured(*name, Style::Bars, &values));
    }
    let long =
        ["the first of several rather long names", "a second one", "and a third, longer than all"];
    let names = long.iter().cycle().take(9).enumerate().map(|(at, name)| format!("{at}: {name}"));
    let title = "A title that is much longer than titles should be, and that goes on until it no \
                 longer fits into one line of a plot, nor into two, unless somebody cuts it short";
    let mut names = Plot::new(title, Axis::categories("what", names), Axis::linear("how much"))
        .with_line(Reference::measured("a line whose name is long as well", &constant(0.9, 0.05)));
    for name in long {
        let label = format!("{name}, and this goes on in the legend for a while longer still");
        let values = (0..9).map(|at| (f64::from(at), (f64::from(at) + name.len() as f64).sin()));
        names = names.with(Series::new(label, Style::Line, values));
    }
    let one = Series::new(
        "loss",
        Style::Line,
        (1..300).map(|at| (f64::from(at), 2.0 / f64::from(at).sqrt())),
    );
    let one = Plot::new("One series", Axis::linear("step"), Axis::linear("loss")).with(one);
    let mut twelve = Plot::new("Twelve series", Axis::epsilons(&EPSILONS), percent());
    for number in 0..12 {
        let values: Vec<Measured> = (0..8).map(|at| invented(number, at)).collect();
        let name = format!("mechanism {}", number + 1);
        twelve = twelve.with(Series::measured(name, Style::Line, &values));
    }
    let steps =
        Series::new("guarantee", Style::Step, [(1.0, 0.2), (10.0, 1.1), (100.0, 3.0), (1e5, 9.0)]);
    let steps = Plot::new("Steps", Axis::log("releases"), Axis::linear("epsilon")).with(steps);
    let gaps =
        [(0.1, 0.4), (0.5, 0.5), (1.0, f64::NAN), (2.0, 0.7), (4.0, 0.75), (f64::INFINITY, 0.8)];
    let gaps = Plot::new("A gap, and infinity", Axis::log("epsilon"), percent().reaching(0.0))
        .with(Series::new("with a failed run", Style::Line, gaps));
    [bars, names, one, twelve, steps, gaps]
}
