//! Privet beside its peers: every method on the same splits, at what it truly costs by one accountant.
//!
//! A row is a dataset, a trust model and an epsilon. In it stand Privet's default, the control (the same noise with nothing private
//! behind it), the best that needs no private data, the ceiling, and the methods of other papers ([`Peer`], plain DP-SGD and
//! GAP for whole people). Every cell is stored as it is finished, and what is stored is not measured again.
//!
//! What papers print stands below, with their settings: other splits and often another accounting, so that those figures
//! are not compared.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use privet::Method;
use privet::doubts::default_delta;
use privet::dpar::{Dpar, HeldOut, Mode, Settings};
use privet::graph::{Bounds, Dataset, Features};
use privet::hetero_rr::{EdgeProtection, EdgeUse};
use privet::ldp_ge::{LdpGe, Private, Task};
use privet::learn::metrics::Summary;
use privet::privacy::Loss;
use privet::privacy::unit::Relation;
use privet::system::Facts;
use privet_lab::experiments::cells::Key;
use privet_lab::experiments::dpar::{DparTrial, learners};
use privet_lab::experiments::hetero_rr::HeteroRrTrial;
use privet_lab::experiments::ldp_ge::LdpGeTrial;
use privet_lab::experiments::peers::{PAIR_PRICE, PRICE, Peer, PeerTrial, with_prices};
use privet_lab::experiments::trial::{NamedData, Subject, TrialScores, Variant, values};
use privet_lab::report::summary::plain;
use privet_lab::report::{Block, Cell, MeasuredValue, Report, Section, Table, ThreatModel};

use crate::item::{Figure, Item};
use crate::{Inputs, ItemData, MeasureRequest, Work};

/// A first look takes the graphs of at most so many people.
const FEW: usize = 4000;
/// Blink looks at every pair of people.
const BLINK_PEOPLE: usize = 8000;

/// The leaderboard.
pub(super) const ITEMS: &[Item] = &[Item {
    name: "leaderboard",
    title: "Privet beside other papers' methods, each at its true epsilon",
    cost: "hours; --quick: ten minutes",
    reads: ItemData::People,
    known: &[PEOPLE, EDGES, LISTS, FEATURES],
    places: None,
    decodes: false,
    once: false,
    figure: Figure::Special(work),
    datasets: (&DATASETS, &["cora", "facebook100"]),
    mechanisms: &[PEOPLE, EDGES, LISTS, FEATURES],
    epsilons: (&[1.0, 2.0, 4.0, 8.0], &[1.0]),
    points: (&[], &[]),
    runs: (10, 2),
    size: (usize::MAX, FEW),
}];

const DATASETS: [&str; 9] = [
    "cora",
    "citeseer",
    "pubmed",
    "facebook_page_page",
    "facebook100",
    "facebook100/rice31",
    "twitch/ptbr",
    "heterophilous/chameleon",
    "heterophilous/squirrel",
];

/// Trust models, by the names that `--mechanisms` takes.
const PEOPLE: &str = "people";
const EDGES: &str = "edges";
const LISTS: &str = "lists";
const FEATURES: &str = "features";

/// What a trust model is, in a sentence.
fn about(trust: &str) -> &'static str {
    match trust {
        PEOPLE => {
            "A curator holds everything; whole people are protected (node-absent), new people are classified. \
             GAP's guarantee holds if nobody has more neighbours than its bound."
        }
        EDGES => {
            "A curator holds all edges; every edge is protected, features and labels are public."
        }
        LISTS => {
            "Every device holds its list of neighbours; epsilon is for one list, features and labels are public. A \
             relationship stands in two lists."
        }
        _ => {
            "Every device holds its row of features; rows are protected, edges and labels are public."
        }
    }
}

/// Who is measured in a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Entrant {
    /// Privet's default, and what stands beside it.
    Own(Variant),
    /// A method of DPAR in place of the default.
    Dpar(Method),
    /// A method on whole graphs.
    Peer(Peer),
}

impl Entrant {
    /// What columns call it.
    fn name(self) -> &'static str {
        match self {
            Self::Own(Variant::Private) => "Privet",
            Self::Own(variant) => variant.name(),
            Self::Dpar(Method::Features) => "DP-SGD",
            Self::Dpar(_) | Self::Peer(Peer::Gap) => "GAP",
            Self::Peer(Peer::Lpgnn) => "LPGNN",
            Self::Peer(Peer::Blink) => "Blink",
        }
    }
}

/// Who enters in a trust model, in the order of columns.
fn entrants(trust: &str) -> Vec<Entrant> {
    let own = |variant| Entrant::Own(variant);
    let beside = [Variant::NoPrivateData, Variant::Ceiling].map(own);
    let control = [own(Variant::Private), own(Variant::Control)];
    let peers: &[Entrant] = match trust {
        PEOPLE => &[Entrant::Dpar(Method::Features), Entrant::Dpar(Method::Gap)],
        EDGES => &[Entrant::Peer(Peer::Gap)],
        LISTS => &[Entrant::Peer(Peer::Blink)],
        _ => &[Entrant::Peer(Peer::Lpgnn)],
    };
    // Without features to ask for, and without connections that training reads, a control would be the system itself.
    let own = if matches!(trust, PEOPLE | LISTS) { &control[..1] } else { &control[..] };
    own.iter().copied().chain(beside).chain(peers.iter().copied()).collect()
}

/// One run.
#[derive(Debug, Clone)]
struct LeaderboardJob {
    place: usize,
    trust: &'static str,
    epsilon: f64,
    entrant: Entrant,
    seed: u64,
}

fn work<'a>(_: &Item, wanted: &'a MeasureRequest, inputs: &'a Inputs) -> privet::Result<Work<'a>> {
    let places: Vec<NamedData<'a>> = inputs.people().collect();
    let mut jobs = Vec::new();
    for (place, data) in places.iter().enumerate() {
        let people = data.dataset.graph().node_count();
        for trust in [PEOPLE, EDGES, LISTS, FEATURES] {
            let asked = wanted.mechanisms.iter().any(|name| name == trust);
            let fits = people <= wanted.size && data.dataset.features().is_some();
            // Reports need a declared range.
            let fits = fits && (trust != FEATURES || has_range(data.dataset));
            if !asked || !fits {
                continue;
            }
            for &epsilon in &wanted.epsilons {
                for entrant in entrants(trust) {
                    if entrant == Entrant::Peer(Peer::Blink) && people > BLINK_PEOPLE {
                        continue;
                    }
                    let job = |seed| LeaderboardJob { place, trust, epsilon, entrant, seed };
                    jobs.extend((0..wanted.runs).map(job));
                }
            }
        }
    }
    let places = Arc::new(places);
    let (keyed, shown) = (Arc::clone(&places), Arc::clone(&places));
    let key = move |job: &LeaderboardJob| {
        let LeaderboardJob { place, trust, epsilon, entrant, seed } = *job;
        Key::of(&keyed[place].key())
            .with("trust", trust)
            .with("epsilon", epsilon)
            .with("entrant", entrant.name())
            .with("seed", seed)
    };
    let run = move |job: &LeaderboardJob, interrupt: &AtomicBool| {
        measured(job, places[job.place], interrupt)
    };
    Ok(Work::jobs(jobs, key, run, move |jobs, found| report(&shown, jobs, found)))
}

fn has_range(dataset: &Dataset) -> bool {
    let declared = |features: &Features| features.bounds().is_some_and(Bounds::is_public);
    dataset.features().is_some_and(declared)
}

/// One run, as a command without options would have it.
fn measured(
    job: &LeaderboardJob,
    data: NamedData<'_>,
    interrupt: &AtomicBool,
) -> privet::Result<TrialScores> {
    let LeaderboardJob { trust, epsilon, entrant, seed, .. } = *job;
    let variant = match entrant {
        Entrant::Own(variant) => variant,
        Entrant::Dpar(_) => Variant::Private,
        Entrant::Peer(peer) => {
            let trial = PeerTrial { data, peer, epsilon };
            return Ok(with_prices(trial.run(Variant::Private, seed, interrupt)?));
        }
    };
    let outcome = match trust {
        PEOPLE => {
            let facts = Facts::of(data.dataset);
            let (mode, held) = (Mode::Rigorous, HeldOut::Test);
            let people = learners(&data, held)?;
            let target = Loss::new(epsilon, default_delta(people))?;
            let method = match entrant {
                Entrant::Dpar(method) => method,
                _ => Method::for_people(target, people, facts.columns, facts.classes)?,
            };
            let system = Dpar::new(method, mode, target, Settings::of(mode))?;
            DparTrial::with_people(data, system, Relation::NodeAbsent, held, people)
                .run(variant, seed, interrupt)?
        }
        EDGES => {
            let (edges_as, edges) = (EdgeUse::Votes, EdgeProtection::new(epsilon));
            let trial = HeteroRrTrial { edges_as, edges, ..HeteroRrTrial::new(data, 1.0) };
            trial.run(variant, seed, interrupt)?
        }
        _ => {
            let (features, edges) = (trust == FEATURES, trust == LISTS);
            let private = Private { features, labels: false, edges };
            let facts = Facts { secret: private, ..Facts::of(data.dataset) };
            let (task, system) = (Task::Nodes, LdpGe::fitting(epsilon, &facts));
            let (volunteers, spill) = (None, None);
            let trial = LdpGeTrial { data, task, system, private, volunteers, spill };
            trial.run(variant, seed, interrupt)?
        }
    };
    Ok(with_prices(outcome))
}

/// Every job with what it scored.
type Found<'f> = (&'f [LeaderboardJob], &'f [TrialScores]);

fn report(places: &[NamedData<'_>], jobs: &[LeaderboardJob], found: &[TrialScores]) -> Report {
    let rows: Vec<LeaderboardRow> = rows((jobs, found));
    let (ahead, behind) = rows.iter().fold((0, 0), |(ahead, behind), row| {
        let best = row.best_peer();
        let own = row.mean(Entrant::Own(Variant::Private));
        match (own, best) {
            (Some(own), Some(best)) if own >= best => (ahead + 1, behind),
            (Some(_), Some(_)) => (ahead, behind + 1),
            _ => (ahead, behind),
        }
    });
    let summary = format!(
        "Privet's default is ahead of every peer in {ahead} of {} rows where a peer was measured.",
        ahead + behind
    );
    let mut report = Report::new("Leaderboard: one protocol for all", summary);
    for trust in [PEOPLE, EDGES, LISTS, FEATURES] {
        let own: Vec<&LeaderboardRow> = rows.iter().filter(|row| row.trust == trust).collect();
        if own.is_empty() {
            continue;
        }
        let blocks = [Block::Text(about(trust).into()), Block::Table(table(trust, &own, places))];
        report.sections.push(Section::new(title(trust), blocks));
    }
    report.sections.push(Section::new("What papers print", [
        Block::Text(
            "Other splits, other seeds and the paper's own accounting: these figures are not comparable with the tables above."
                .into(),
        ),
        Block::Table(published()),
    ]));
    report.threat_model = ThreatModel {
        secret: vec!["what each table names".into()],
        public: vec!["what each table names".into()],
        not_protected: vec!["the scores in this report: they compare with the truth".into()],
    };
    report
}

fn title(trust: &str) -> &'static str {
    match trust {
        PEOPLE => "A curator, whole people",
        EDGES => "A curator, edges",
        LISTS => "Devices, neighbour lists",
        _ => "Devices, features",
    }
}

/// A dataset, a trust model and an epsilon.
struct LeaderboardRow {
    place: usize,
    trust: &'static str,
    epsilon: f64,
    entrants: Vec<(Entrant, Vec<TrialScores>)>,
}

impl LeaderboardRow {
    fn of(&self, entrant: Entrant) -> &[TrialScores] {
        let found = self.entrants.iter().find(|(known, _)| *known == entrant);
        found.map_or(&[], |(_, scores)| scores)
    }

    fn mean(&self, entrant: Entrant) -> Option<f64> {
        Summary::of(&values(self.of(entrant), "test")).map(|summary| summary.mean)
    }

    fn best_peer(&self) -> Option<f64> {
        let peers = self.entrants.iter().filter(|(known, _)| !matches!(known, Entrant::Own(_)));
        peers.filter_map(|(known, _)| self.mean(*known)).reduce(f64::max)
    }
}

fn rows((jobs, found): Found<'_>) -> Vec<LeaderboardRow> {
    let mut rows: Vec<LeaderboardRow> = Vec::new();
    for (job, scores) in jobs.iter().zip(found) {
        let LeaderboardJob { place, trust, epsilon, entrant, .. } = *job;
        // Jobs of one row come one after the other.
        let same =
            |row: &LeaderboardRow| (row.place, row.trust, row.epsilon) == (place, trust, epsilon);
        if !rows.last().is_some_and(same) {
            rows.push(LeaderboardRow { place, trust, epsilon, entrants: Vec::new() });
        }
        let Some(row) = rows.last_mut() else { continue };
        match row.entrants.iter_mut().find(|(known, _)| *known == entrant) {
            Some((_, all)) => all.push(scores.clone()),
            None => row.entrants.push((entrant, vec![scores.clone()])),
        }
    }
    rows
}

fn table(trust: &str, rows: &[&LeaderboardRow], places: &[NamedData<'_>]) -> Table {
    let entrants = entrants(trust);
    let heads = ["dataset", "epsilon"].into_iter().map(String::from);
    let names = entrants.iter().map(|entrant| entrant.name().to_owned());
    let last = ["true epsilon (Privet; peers)".to_owned()];
    let caption = "Test accuracy, mean ± deviation over seeds; the interval is that of the mean";
    let mut table = Table::new(caption, heads.chain(names).chain(last));
    for row in rows {
        let score = |entrant: &Entrant| match Summary::of(&values(row.of(*entrant), "test")) {
            Some(summary) => Cell::from(MeasuredValue::share(&summary)),
            None => Cell::missing("not run"),
        };
        let prices: Vec<String> = entrants
            .iter()
            .filter(
                |entrant| !matches!(entrant, Entrant::Own(variant) if *variant != Variant::Private),
            )
            .map(|entrant| price(row.of(*entrant)))
            .collect();
        let first = [Cell::from(places[row.place].name), Cell::from(plain(row.epsilon))];
        let prices = Cell::from(prices.join("; "));
        table.push(first.into_iter().chain(entrants.iter().map(score)).chain([prices]));
    }
    table
}

/// What the ledger says that runs cost; of lists, what a relationship costs beside it.
fn price(runs: &[TrialScores]) -> String {
    let most = |name| values(runs, name).into_iter().reduce(f64::max);
    // Rounded up: a price is never shown below what it is.
    let shown = |value: f64| plain((value * 1e3 - 1e-6).ceil() / 1e3);
    match (most(PRICE), most(PAIR_PRICE)) {
        (Some(own), Some(pair)) => format!("{} ({} a pair)", shown(own), shown(pair)),
        (Some(own), None) => shown(own),
        (None, _) => "none stated".into(),
    }
}

/// Figures from the papers themselves.
const PUBLISHED: [(&str, &str, &str, &str); 14] = [
    ("DPDGC", "Cora, edges", "1", "77.7"),
    ("DPDGC", "PubMed, edges", "1", "88.6"),
    ("DPDGC", "Squirrel, edges", "1", "38.2"),
    ("DPDGC", "Chameleon, edges", "1", "53.8"),
    ("ProGAP", "a larger school, edges", "1", "77.2"),
    ("ProGAP", "a larger school, whole people", "8", "69.3"),
    ("Blink", "Citeseer, lists", "2", "73.8"),
    ("Blink", "Citeseer, lists", "3", "74.6"),
    ("Blink", "Citeseer, lists", "4", "75.8"),
    ("Blink", "Citeseer, lists", "5", "78.3"),
    ("Blink", "Facebook pages, lists", "2", "76.5"),
    ("Blink", "Facebook pages, lists", "3", "78.6"),
    ("Blink", "Facebook pages, lists", "4", "82.1"),
    ("Blink", "Facebook pages, lists", "5", "85.8"),
];

fn published() -> Table {
    let mut table = Table::new(
        "Accuracy in percent, as printed",
        ["paper", "data, protected", "epsilon", "accuracy"],
    );
    for (paper, data, epsilon, accuracy) in PUBLISHED {
        table.push([paper, data, epsilon, accuracy].map(Cell::from));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every trust model has Privet first, a ceiling, and a peer.
    #[test]
    fn every_trust_model_has_a_peer_and_what_stands_beside() {
        for trust in [PEOPLE, EDGES, LISTS, FEATURES] {
            let all = entrants(trust);
            assert_eq!(all[0], Entrant::Own(Variant::Private));
            assert!(all.contains(&Entrant::Own(Variant::Ceiling)), "{trust}");
            assert!(all.contains(&Entrant::Own(Variant::NoPrivateData)), "{trust}");
            assert!(all.iter().any(|entrant| !matches!(entrant, Entrant::Own(_))), "{trust}");
            let names: std::collections::BTreeSet<&str> =
                all.iter().map(|entrant| entrant.name()).collect();
            assert_eq!(names.len(), all.len(), "cells are told apart by name");
        }
    }

    #[test]
    fn rows_are_put_together_in_order() {
        let job =
            |entrant, seed| LeaderboardJob { place: 0, trust: EDGES, epsilon: 1.0, entrant, seed };
        let own = Entrant::Own(Variant::Private);
        let gap = Entrant::Peer(Peer::Gap);
        let jobs = [job(own, 0), job(own, 1), job(gap, 0), job(gap, 1)];
        let score = |test| TrialScores::new([("test", test), (PRICE, 1.0)]);
        let found = [score(0.8), score(0.9), score(0.7), score(0.7)];
        let rows = rows((&jobs, &found));
        assert_eq!((rows.len(), rows[0].best_peer()), (1, Some(0.7)));
        assert!((rows[0].mean(own).unwrap() - 0.85).abs() < 1e-12);
        assert_eq!(price(rows[0].of(gap)), "1");
        assert_eq!(price(&[TrialScores::default()]), "none stated");
    }
}
