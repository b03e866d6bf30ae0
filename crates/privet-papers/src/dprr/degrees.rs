//! Figure 7: true and reported degrees, beside what theory says, and a degree without bias.
//!
//! Every user reports once. DPRR reports carry their noisy degree ([`DprrWithDegree`]), so that the
//! length of the list (the paper's noisy degree) and the degree that was sent come from the same draw.

use std::collections::BTreeMap;

use privet::dprr::{Crowd, SplitRule};
use privet::graph::{Graph, GraphSet, SimRng};
use privet::privacy::edges::local::{DprrWithDegree, EachGraph, LocalLap, Rr};
use privet::privacy::noise::NoiseRng;
use privet::privacy::unit::NeighborBit;
use privet::privacy::{Ledger, Local, Loss};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

use crate::{Inputs, Item, MeasureRequest, Work};
use privet_lab::experiments::cells::Key;
use privet_lab::experiments::trial::NamedData;
use privet_lab::report::summary::plain;
use privet_lab::report::{Axis, Block, Cell, Plot, Report, Section, Series, Style, Table};

/// As many graphs are asked at most: randomised response needs as much memory as pairs of users.
const GRAPHS: usize = 300;
/// As many users are drawn.
const DRAWN: usize = 1500;

/// What users of about the same degree reported.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
struct Bin {
    /// The smallest degree in it; it ends before twice that.
    from: usize,
    users: usize,
    /// Mean true degree.
    truth: f64,
    /// Mean length of DPRR's lists, and what the exact law says.
    length: f64,
    expected_length: f64,
    /// Mean squared deviation of lengths from their exact means, and the exact variance.
    variance: f64,
    expected_variance: f64,
    /// The paper's bound on the variance (eq. 15).
    bound: f64,
    /// Mean degree that was sent, without bias by theorem.
    sent: f64,
    /// Mean lengths of the baselines.
    rr: f64,
    local_lap: f64,
}

/// What one dataset gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct DegreeFigures {
    bins: Vec<Bin>,
    /// Some users: true degree, then lengths by DPRR, RR and LocalLap.
    users: Vec<[f64; 4]>,
}

/// Figure 7.
pub(super) fn work<'a>(
    item: &Item,
    wanted: &'a MeasureRequest,
    inputs: &'a Inputs,
) -> privet::Result<Work<'a>> {
    let (epsilon, title) = (wanted.epsilon(), item.title);
    let key = move |(name, set): &&(String, GraphSet)| {
        Key::of(&NamedData::new(name, set).key()).with("epsilon", epsilon)
    };
    Ok(Work::jobs(
        inputs.sets.iter().collect(),
        key,
        move |(_, set), _| measure(set, epsilon),
        move |sets, found| render(title, sets, epsilon, found),
    ))
}

fn release<M: Local<Unit = NeighborBit, Population = Graph>>(
    crowd: &Crowd,
    mechanism: M,
    epsilon: f64,
) -> privet::Result<Vec<M::Report>> {
    let limit = Loss::new(epsilon, 0.0)?;
    // A fixed seed: the figure is the same in every run.
    let mut ledger: Ledger<NeighborBit> = Ledger::in_memory(limit, NoiseRng::replay(7))?;
    Ok(ledger.release_each(&crowd.lists, &EachGraph(mechanism))?.into_inner())
}

fn measure(set: &GraphSet, epsilon: f64) -> privet::Result<DegreeFigures> {
    let mut order: Vec<usize> = (0..set.len()).collect();
    // A random sample of graphs, the same for each mechanism.
    order.shuffle(&mut SimRng::new(1));
    order.truncate(GRAPHS);
    let graphs: Vec<Graph> = order.iter().map(|&at| set.graphs()[at].clone()).collect();
    let ids: Vec<u32> = order.iter().map(|&at| at as u32).collect();
    let part = GraphSet::new(set.name(), graphs);
    let part = match set.labels() {
        Some(labels) => part.with_labels(labels.select(&ids))?,
        None => part,
    };
    let crowd = Crowd::new(&part)?;
    let dprr = SplitRule::default().mechanism(epsilon, crowd.largest())?;
    let sent = release(&crowd, DprrWithDegree(dprr.clone()), epsilon)?;
    let rr: Vec<usize> =
        release(&crowd, Rr::new(epsilon)?, epsilon)?.iter().map(Vec::len).collect();
    let cells = release(&crowd, LocalLap::new(epsilon)?, epsilon)?;
    let (mut bins, mut users) = (BTreeMap::<usize, Bin>::new(), Vec::new());
    let mut laws = BTreeMap::new();
    // Users of all graphs stand in one list: `first` is where this graph's users begin.
    let mut first = 0;
    for graph in part.graphs() {
        let n = graph.node_count();
        let lap = LocalLap::graph(&cells[first..first + n])?;
        for node in graph.nodes() {
            let (user, degree) = (first + node as usize, graph.degree(node));
            let length = sent[user].neighbors.len() as f64;
            // The exact law is expensive, and depends on degree and size alone.
            let (mean, variance) = *laws.entry((n, degree)).or_insert_with(|| {
                (dprr.expected_degree(degree, n), dprr.degree_variance(degree, n))
            });
            // Bins of powers of two: 0, 1, 2 to 3, 4 to 7 and so on.
            let from = if degree == 0 { 0 } else { 1 << degree.ilog2() };
            let bin = bins.entry(from).or_insert(Bin { from, ..Bin::default() });
            bin.users += 1;
            bin.truth += degree as f64;
            bin.length += length;
            bin.expected_length += mean;
            // Around the mean by the law, so that it estimates the variance without a bias by its
            // own mean.
            bin.variance += (length - mean).powi(2);
            bin.expected_variance += variance;
            bin.bound += dprr.variance_bound(n);
            bin.sent += sent[user].degree as f64;
            bin.rr += rr[user] as f64;
            bin.local_lap += lap.degree(node) as f64;
            users.push([degree as f64, length, rr[user] as f64, lap.degree(node) as f64]);
        }
        first += n;
    }
    // Points of the scatter plot are sampled after all are counted.
    users.shuffle(&mut SimRng::new(2));
    users.truncate(DRAWN);
    Ok(DegreeFigures { bins: bins.into_values().map(Bin::averaged).collect(), users })
}

impl Bin {
    fn averaged(mut self) -> Self {
        let users = self.users.max(1) as f64;
        let sums = [
            &mut self.truth,
            &mut self.length,
            &mut self.expected_length,
            &mut self.variance,
            &mut self.expected_variance,
            &mut self.bound,
            &mut self.sent,
            &mut self.rr,
            &mut self.local_lap,
        ];
        sums.into_iter().for_each(|sum| *sum /= users);
        self
    }
}

fn render(
    title: &str,
    sets: &[&(String, GraphSet)],
    epsilon: f64,
    found: &[DegreeFigures],
) -> Report {
    let title = format!("DPRR, figure 7: {title} at epsilon {}", plain(epsilon));
    let summary = "Lengths of DPRR's reports follow their exact law. They are no unbiased degrees: short \
               lists come out too long, because noise below zero is cut off. The noisy degree, sent \
               along for the same epsilon, has no bias.";
    let mut report = Report::new(title, summary);
    report.threat_model.secret.push("the neighbour list of every user".into());
    report.threat_model.public.push("who is in which graph".into());
    report.threat_model.not_protected.push("true degrees are shown: this is a simulation".into());
    let simulated = "A simulation: noise was replayed from a seed. It gives no protection.";
    let note = format!(
        "At most {GRAPHS} graphs of a set are asked, {DRAWN} of their users drawn. Expected lengths and \
     variances are those of the exact law of DPRR, averaged over users; the paper predicts the true \
     degree (eq. 11), and bounds the variance (eq. 15)."
    );
    report.sections.push(Section::new(
        "How to read this",
        [Block::Warning(simulated.into()), Block::Text(note)],
    ));
    for ((name, _), found) in sets.iter().zip(found) {
        let blocks = [
            Block::Plot(scatter(name, found)),
            Block::Table(means(name, found)),
            Block::Table(variances(name, found)),
        ];
        report.sections.push(Section::new(name, blocks));
    }
    report.settings = vec![("epsilon".into(), plain(epsilon))];
    report
}

fn scatter(name: &str, found: &DegreeFigures) -> Plot {
    let series = |of: usize, label: &str| {
        // One is added on both axes: a degree of 0 has no place on a logarithmic scale.
        let points = found.users.iter().map(|user| (user[0] + 1.0, user[of] + 1.0));
        Series::new(label, Style::Scatter, points)
    };
    let (x, y) = (Axis::log("true degree + 1"), Axis::log("reported degree + 1"));
    Plot::new(format!("{name}: true and reported degrees"), x, y)
        .with(series(2, "rr"))
        .with(series(3, "local-lap"))
        .with(series(1, "dprr"))
}

fn range(bin: &Bin) -> String {
    match bin.from {
        0 | 1 => bin.from.to_string(),
        from => format!("{from} to {}", 2 * from - 1),
    }
}

fn means(name: &str, found: &DegreeFigures) -> Table {
    let columns = [
        "true degree",
        "users",
        "mean",
        "dprr: length",
        "by its law",
        "dprr: degree sent",
        "rr",
        "local-lap",
    ];
    let mut table = Table::new(format!("Mean degrees on {name}"), columns);
    for bin in &found.bins {
        let numbers = [bin.truth, bin.length, bin.expected_length, bin.sent, bin.rr, bin.local_lap];
        let head = [Cell::from(range(bin)), Cell::number(bin.users as f64)];
        table.push(head.into_iter().chain(numbers.map(Cell::number)));
    }
    table
}

fn variances(name: &str, found: &DegreeFigures) -> Table {
    let columns = ["true degree", "measured", "by its law", "bound of eq. 15"];
    let mut table = Table::new(format!("Variance of DPRR's lengths on {name}"), columns);
    for bin in &found.bins {
        let numbers = [bin.variance, bin.expected_variance, bin.bound].map(Cell::number);
        table.push([Cell::from(range(bin))].into_iter().chain(numbers));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use privet_lab::experiments::dprr::made_up::threads;

    /// What theory says is what is measured; the degree that is sent has no bias, lengths have.
    #[test]
    fn measured_degrees_follow_theory() {
        let set = threads(60, 100..200, 4).unwrap();
        let found = measure(&set, 1.0).unwrap();
        let most = found.bins.iter().max_by_key(|bin| bin.users).unwrap();
        let error = |variance: f64| 5.0 * (variance / most.users as f64).sqrt();
        assert!((most.length - most.expected_length).abs() < error(most.expected_variance));
        assert!((most.sent - most.truth).abs() < error(200.0), "{most:?}");
        assert!(most.length > most.truth + 1.5, "{most:?}");
        assert!((most.variance / most.expected_variance - 1.0).abs() < 0.1, "{most:?}");
        assert!(most.expected_variance < most.bound && most.rr > 20.0, "{most:?}");
    }
}
