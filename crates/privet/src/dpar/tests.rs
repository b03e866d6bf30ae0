mod exact;

use super::*;
use crate::data::synthetic::StochasticBlocks;
use crate::graph::{Dataset, Labels};
use crate::learn::metrics::accuracy;
use crate::privacy::Event;
use crate::privacy::accountant::{self, Accountant, Pld};
use crate::privacy::appr::RowNoise;
use crate::privacy::loss::Delta;

fn people() -> Dataset {
    let blocks = StochasticBlocks { nodes: 400, classes: 3, features: 24, ..Default::default() };
    blocks.generate(5).unwrap()
}

fn system(method: Method, mode: Mode, epsilon: f64) -> Dpar {
    let mut settings = Settings::of(mode);
    (settings.model.batch, settings.structure.sources) = (80.0, 30);
    settings.model.steps = if mode == Mode::Paper { 3 } else { 15 };
    settings.sample = if mode == Mode::Paper { 0.5 } else { 1.0 };
    Dpar { method, mode, target: Loss::new(epsilon, 1e-3).unwrap(), settings }
}

fn run<U: Person>(system: &Dpar, dataset: &Dataset, seed: u64) -> Protected<TrainedClassifier> {
    let people = Inductive::split(dataset, HeldOut::Test, seed).unwrap();
    let plan = system.plan::<U>(people.training.len()).unwrap();
    system.classify::<U>(&plan, &people, &Run::simulation(seed)).unwrap()
}

/// Every method stays within its target, in both relations, and says who is not protected.
#[test]
fn every_method_keeps_its_promise() {
    let dataset = people();
    for method in Method::DPAR {
        let result = run::<Node>(&system(method, Mode::Rigorous, 4.0), &dataset, 1);
        let guarantee = &result.card().guarantees[0];
        assert!(guarantee.loss.epsilon.get() <= 4.0, "{}: {}", method.name(), guarantee.loss);
        assert!(guarantee.loss.epsilon.get() > 3.5, "{}: {}", method.name(), guarantee.loss);
        assert_eq!(result.get().predicted.len(), 80);
        let bounded = matches!(method, Method::Gap | Method::Sage);
        assert_eq!(!guarantee.conditions().is_empty(), bounded, "{}", method.name());
        assert_eq!(result.card().explain().contains("more than 10 neighbours"), bounded);
        assert!(result.card().unprotected.iter().any(|what| what.what.contains("later")));
        let most = if method == Method::Sage { 11 } else { 2 };
        assert!(
            result.get().most_shared <= most,
            "{}: {}",
            method.name(),
            result.get().most_shared
        );
    }
    let result = run::<ReplacedNode>(&system(Method::Em0, Mode::Rigorous, 4.0), &dataset, 1);
    assert_eq!(result.card().guarantees[0].relation, crate::privacy::unit::Relation::NodeReplace);
}

/// Who watches is told of every step, and ends training before the next; what was charged stays charged, and is named.
#[test]
fn training_is_watched_and_stops() {
    #[derive(Debug, Default)]
    struct Watcher(std::sync::Mutex<Vec<(usize, usize)>>);
    impl crate::learn::train::Watch for Watcher {
        fn stops(&self) -> bool {
            self.0.lock().unwrap().len() > 4
        }
        fn sees(&self, done: usize, of: usize) {
            self.0.lock().unwrap().push((done, of));
        }
    }
    let (dataset, place) = (people(), tempfile::tempdir().unwrap());
    for (method, name) in [(Method::SmoothedSgd, "spread"), (Method::Em0, "em0")] {
        let (watcher, folder) = (Watcher::default(), place.path().join(name));
        let run = Run { noise: crate::Noise::Replay(1), ..Run::in_folder(&folder).unwrap() };
        let system = system(method, Mode::Rigorous, 4.0);
        let training = Training::of(&dataset, 3).unwrap();
        let told = system.fit::<Node>(&training, &run.watched_by(&watcher)).unwrap_err();
        let Error::Charged { error, ledgers } = told else { panic!("{told}") };
        assert!(matches!(*error, Error::Learn(crate::learn::Error::Interrupted)), "{error}");
        assert_eq!(ledgers, [folder.join("nodes.ledger").display().to_string()]);
        assert_eq!(*watcher.0.lock().unwrap(), [(0, 15), (1, 15), (2, 15), (3, 15), (4, 15)]);
    }
}

/// The printed epsilon stands beside a true one that is far larger.
#[test]
fn paper_mode_prints_the_truth() {
    let dataset = people();
    for method in [Method::Em0, Method::Em1, Method::Gm, Method::Features] {
        let system = system(method, Mode::Paper, 1.0);
        let result = run::<Node>(&system, &dataset, 2);
        let guarantee = &result.card().guarantees[0];
        assert!(guarantee.loss.epsilon.get() > 1.5, "{}: {}", method.name(), guarantee.loss);
        let text = result.card().explain();
        assert!(text.to_lowercase().contains("paper"), "{text}");
    }
}

#[test]
fn at_a_large_epsilon_classes_are_learnt() {
    let dataset = people();
    let truth = Inductive::split(&dataset, HeldOut::Test, 3).unwrap().visitors.classes;
    let share = |method, epsilon| {
        let result = run::<Node>(&system(method, Mode::Rigorous, epsilon), &dataset, 3);
        accuracy(&result.get().predicted, &truth).unwrap()
    };
    assert!(share(Method::SmoothedSgd, 50.0) > 0.6);
}

/// Sums beat steps where noise is large, drawing answers together changes them and nothing else, and rows may be shorter.
#[test]
fn sums_by_class_classify() {
    let blocks = StochasticBlocks { nodes: 400, classes: 3, features: 300, ..Default::default() };
    let dataset = blocks.generate(5).unwrap();
    let means = |likeness, projection| {
        let mut system = system(Method::ClassSums, Mode::Rigorous, 2.0);
        (system.settings.likeness, system.settings.projection) = (likeness, projection);
        system
    };
    let mean = |system: &Dpar| -> f64 {
        let scored = (0..5).map(|seed| {
            let truth = Inductive::split(&dataset, HeldOut::Test, seed).unwrap().visitors.classes;
            accuracy(&run::<Node>(system, &dataset, seed).get().predicted, &truth).unwrap()
        });
        scored.sum::<f64>() / 5.0
    };
    let (alone, steps) =
        (mean(&means(0.0, 0)), mean(&system(Method::SmoothedSgd, Mode::Rigorous, 2.0)));
    assert!(alone > steps + 0.02, "{alone} for sums, {steps} for steps");
    assert!(mean(&means(0.0, 8)) > 0.34);
    let [alone, drawn] = [0.0, 0.3].map(|likeness| run::<Node>(&means(likeness, 0), &dataset, 1));
    assert_eq!(
        alone.get().model.layers()[0].weight.value,
        drawn.get().model.layers()[0].weight.value
    );
    assert!(drawn.get().doubt > 0.0);
}

/// Where visitors come later, they are answered as if they had been there.
#[test]
fn sums_answer_those_who_come_later() {
    let (dataset, later) = (people(), people());
    let system = system(Method::ClassSums, Mode::Rigorous, 8.0);
    let trained =
        system.fit::<Node>(&Training::of(&dataset, 3).unwrap(), &Run::simulation(1)).unwrap();
    let shares = system.probabilities(trained.get(), &Visitors::of(&later).unwrap()).unwrap();
    let all: Vec<u32> = likeliest(&shares);
    let truth = Visitors::of(&later).unwrap().classes;
    assert!(accuracy(&all, &truth).unwrap() > 0.5);
    assert!(system.plan::<Node>(400).unwrap().training.steps == 1);
    let printed = Dpar { mode: Mode::Paper, ..system };
    assert!(printed.plan::<Node>(400).is_err(), "the paper has no such noise");
}

/// Few people, a small epsilon, many columns or few people for every class: sums. Else training.
#[test]
fn public_facts_choose_the_method() {
    let fitting = |epsilon, delta, people, columns| {
        let target = Loss::new(epsilon, delta).unwrap();
        Method::for_people(target, people, columns, 7).unwrap()
    };
    let (sums, descent) = (Method::ClassSums, Method::GradientDescent);
    // Cora-ML, CS and Physics: fewer people than columns in the first alone.
    let small = [1.0, 2.0, 4.0, 8.0].map(|epsilon| fitting(epsilon, 2e-3, 2396, 2879));
    assert_eq!(small, [sums, sums, descent, descent]);
    assert_eq!(fitting(1.0, 8e-4, 14_667, 6805), descent);
    assert_eq!(fitting(1.0, 1e-4, 27_594, 8415), descent);
    // Tables of few columns, however large the noise.
    assert_eq!(fitting(1.0, 1e-6, 1200, 26), descent);
    assert_eq!(fitting(0.1, 1e-6, 1200, 26), descent);
    assert_eq!(fitting(1.0, 1e-6, 1200, 5000), sums);
    // Noise is no limit to a linear model any more, in tables of few columns.
    let layer = Method::HiddenLayer;
    let many = [0.1, 1.0, 8.0].map(|epsilon| fitting(epsilon, 1e-6, 200_000, 20));
    assert_eq!(many, [layer, layer, layer]);
    assert_eq!(fitting(1.0, 1e-6, 5_000, 20), descent);
    assert_eq!(fitting(8.0, 1e-6, 200_000, 500), descent);
}

/// The same seed gives the same model.
#[test]
fn runs_repeat() {
    let dataset = people();
    let system = system(Method::Em1, Mode::Rigorous, 8.0);
    let (one, other) = (run::<Node>(&system, &dataset, 4), run::<Node>(&system, &dataset, 4));
    assert_eq!(one.get().predicted, other.get().predicted);
}

/// No person in training is connected to a visitor, and none is in both groups.
#[test]
fn visitors_know_nobody_in_training() {
    let dataset = people();
    let split = Inductive::split(&dataset, HeldOut::Test, 6).unwrap();
    assert_eq!((split.training.len(), split.visitors.classes.len()), (320, 80));
    let inside = split.visitors.graph.edge_count();
    assert!(inside < dataset.graph().edge_count() / 10, "{inside}");
    let tuned = Inductive::split(&dataset, HeldOut::Validation, 6).unwrap();
    assert_eq!((tuned.training.len(), tuned.visitors.classes.len()), (256, 64));
}

/// A caller can bring a training set; a person without a class is left out, never given one.
#[test]
fn people_of_ones_own() {
    let dataset = people();
    let truth = dataset.labels().unwrap();
    let known = |node: u32| truth.class(node).filter(|_| node != 7 && node < 390);
    let classes = dataset.graph().nodes().map(known).collect();
    let labels = Labels::single(classes, truth.class_names().to_vec()).unwrap();
    let dataset = dataset.with_labels(labels).unwrap();
    let (training, visitors): (Vec<u32>, Vec<u32>) = ((10..300).collect(), (300..400).collect());
    let chosen = Inductive::new(&dataset, &training, &visitors).unwrap();
    assert_eq!((chosen.training.len(), chosen.visitors.classes.len()), (290, 100));
    assert_eq!(chosen.visitors.classes[90..], [UNKNOWN; 10]);
    let told = Inductive::new(&dataset, &[6, 7, 8], &visitors).err().unwrap().to_string();
    assert!(told.contains("without a class"), "{told}");
    assert!(Inductive::new(&dataset, &training, &[299, 300]).is_err(), "299 is in both");
}

/// Claims of the rigorous accountant: noise for mixtures of rows, and a whole pipeline.
#[test]
fn golden_numbers_of_the_accountant() {
    let rows = |noise_multiplier, max_rows, rate, steps| {
        Event::MixtureOfGaussians { noise_multiplier, max_rows, rate }.repeated(steps)
    };
    let epsilon = |event: &Event, delta| {
        Pld::default().epsilon(event, Delta::new(delta).unwrap()).unwrap().get()
    };
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 2e-3 * expected, "{found} {expected}");
    };
    near(epsilon(&rows(1.0, 1, 60.0 / 2396.0, 8000), 2e-3), 12.0021);
    near(epsilon(&rows(3.0, 3, 0.1, 100), 2e-3), 3.13958);
    near(epsilon(&rows(2.6865, 3, 60.0 / 2396.0, 200), 2e-3), 1.0);
    let after = |noise_multiplier, delta| {
        // mu = 0.5: a Gaussian release of multiplier 2, then training.
        let before = Event::Gaussian { noise_multiplier: 2.0 };
        epsilon(&before.then(rows(noise_multiplier, 3, 60.0 / 2396.0, 200)), delta)
    };
    near(after(1.2, 2e-3), 3.852);
    near(after(2.0, 1e-4), 2.819);
}

/// The printed noise, and what it costs for so many rows per node (claims E2, E4, E8).
#[test]
fn the_printed_noise_and_its_price() {
    let (half, _) = paper::parts(Loss::new(1.0, 2e-3).unwrap(), 0.09, 0.5).unwrap();
    let RowNoise::Gumbel { epsilon } = paper::row_noise(Method::Em0, half, 70, 2) else {
        panic!("names alone");
    };
    assert!((epsilon - 0.033_278).abs() < 1e-5, "{epsilon}");
    let small = Loss::new(0.5, 1e-3).unwrap();
    let RowNoise::Gaussian { deviation } = paper::row_noise(Method::Gm, small, 70, 2) else {
        panic!("Gaussian");
    };
    assert!((deviation - 410.1).abs() < 0.2, "{deviation}");
    let sigma =
        paper::training_noise(PrintedNoise::Accounted, half, 60.0 / 216.0, 800, 1.0).unwrap();
    assert!((sigma - 4.162).abs() < 5e-3, "{sigma}");
    // The formula with 1 for its constant: 60/216 sqrt(800 ln(1/0.0111)) / 5.5556.
    let formula =
        paper::training_noise(PrintedNoise::Formula, half, 60.0 / 216.0, 800, 1.0).unwrap();
    assert!((formula - 2.9999).abs() < 5e-3, "{formula}");

    let picks = Event::BoundedRange { eta: 2.0 * epsilon }.repeated(140);
    let delta = Delta::new(2e-3).unwrap();
    let price = |max_rows| {
        let steps =
            Event::MixtureOfGaussians { noise_multiplier: 4.162, max_rows, rate: 60.0 / 216.0 };
        let all = picks.clone().then(steps.repeated(800)).subsampled_once(0.09);
        accountant::best(&all, delta).unwrap().value.get()
    };
    for (max_rows, expected) in [(1, 3.98), (3, 27.2)] {
        let found = price(max_rows);
        // The table adds the halves; composed together they cost somewhat less.
        assert!(found > 0.65 * expected && found <= 1.01 * expected, "{found} {expected}");
    }
    // As printed, all 70 rows may read a node besides its own.
    let found = price(71);
    assert!(found > 9_400.0 && found < 9_700.0, "{found}");
}

/// Connections alone: nothing but the sums is charged, and the card names the relation and what is open.
#[test]
fn edges_alone_are_protected_by_the_sums() {
    let dataset = people();
    let (people, visitors) = OpenPeople::split(&dataset, HeldOut::Test, 1).unwrap();
    let run = Run::simulation(1);
    let gap = system(Method::Gap, Mode::Rigorous, 2.0);
    let plan = gap.plan_edges(people.classes.len()).unwrap();
    let people = people.seal_connections().unwrap();
    let result = gap.classify_edges(&plan, &people, &visitors, &run).unwrap();
    assert!(result.card().guarantees[0].conditions().is_empty());
    let guarantee = &result.card().guarantees[0];
    assert_eq!(guarantee.relation, crate::privacy::unit::Relation::EdgeDp);
    let epsilon = guarantee.loss.epsilon.get();
    assert!(epsilon <= 2.0 && epsilon > 1.99, "{epsilon}");
    assert!(
        result.card().unprotected.iter().any(|what| what.what.contains("features and classes"))
    );
    assert!(accuracy(&result.get().predicted, &visitors.classes).unwrap() > 0.6);
    assert!(system(Method::Em0, Mode::Rigorous, 2.0).plan_edges(320).is_err());
}

/// A person who is not there leaves nothing behind but an id: what they were like makes no difference.
#[test]
fn the_absent_leave_no_trace() {
    let dataset = people();
    let (training, visitors) = OpenPeople::split(&dataset, HeldOut::Test, 2).unwrap();
    let count = training.classes.len();
    let gone = [0, 5, 17];
    let known = Inductive::known(&dataset, HeldOut::Test, 2).unwrap();
    let run = Run::simulation(2);
    for method in [Method::Em0, Method::Features, Method::Gap, Method::Sage] {
        let system = system(method, Mode::Rigorous, 8.0);
        let plan = system.plan::<Node>(count).unwrap();
        let scores = |training: &OpenPeople, gone: &[u32]| {
            let training = training.without_people(gone).unwrap();
            let people = Inductive { training: training.seal(), visitors: visitors.clone() };
            let result = system.classify::<Node>(&plan, &people, &run).unwrap();
            system.scores(result.get(), &visitors).unwrap()
        };
        // People who had other records before they left: other features, fewer friends.
        let of_gone = known.graph.edges().filter(|(u, v)| gone.contains(u) || gone.contains(v));
        let friends: Vec<(u32, u32)> = of_gone.step_by(2).collect();
        let others = training.without_connections(&friends).unwrap();
        let order: Vec<u32> = (0..count as u32)
            .map(|node| if gone.contains(&node) { node + 1 } else { node })
            .collect();
        let features = others.features.select(&order);
        let centred = others.centred.as_ref().map(|rows| rows.select(&order));
        let others = OpenPeople { features, centred, ..others };
        assert_eq!(scores(&training, &gone), scores(&others, &gone), "{}", method.name());
        assert_ne!(scores(&training, &[]), scores(&others, &[]), "{}", method.name());
    }
    assert_eq!(known.classes.len(), count);
    assert!(training.without_people(&[320]).is_err());
    let edge = known.graph.edges().next().unwrap();
    let fewer = training.without_connections(&[(edge.1, edge.0)]).unwrap();
    assert_eq!(fewer.present().len(), 320);
}

/// People in a corner of ranges that are wider than they need be, as declared ranges are: four skewed, correlated columns,
/// three classes.
fn skewed(people: usize, seed: u64) -> Dataset {
    use rand::RngExt as _;
    let mut rng = SimRng::new(seed);
    let mut normal = || (0..12).map(|_| rng.random_range(-0.5f32..0.5)).sum::<f32>();
    let (mut rows, mut classes) = (DenseMatrix::zeros(people, 4), Vec::new());
    for row in 0..people {
        let class = row % 3;
        let shared = [normal() + class as f32 * 1.2, normal() + [0.0, 2.0, 0.0][class]];
        for (column, value) in rows.row_mut(row).iter_mut().enumerate() {
            let weights = [[0.6, 0.1], [0.1, 0.6], [0.4, 0.4], [0.5, -0.4]][column];
            let exponent = weights[0] * shared[0] + weights[1] * shared[1] + 0.1 * normal();
            *value = exponent.exp().min(20.0);
        }
        classes.push(Some(class as u32));
    }
    let bounds = crate::graph::Bounds::per_column(
        vec![(0.0, 20.0); 4],
        crate::graph::BoundsOrigin::Declared,
    );
    let graph = crate::graph::Graph::empty(people, crate::graph::Direction::Undirected).unwrap();
    let ids = crate::graph::NodeIds::sequential(people);
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let features = Features::dense(rows).with_bounds(bounds.unwrap()).unwrap();
    Dataset::new("skewed", graph, ids)
        .unwrap()
        .with_features(features)
        .unwrap()
        .with_labels(Labels::single(classes, names).unwrap())
        .unwrap()
}

/// The method that public facts choose, at one epsilon after the other: a larger one buys no worse answers.
#[test]
fn accuracy_does_not_fall_as_epsilon_grows() {
    let dataset = skewed(900, 3);
    let score = |epsilon: f64| -> f64 {
        let target = Loss::new(epsilon, 1e-4).unwrap();
        let scored = (0..4).map(|seed| {
            let people = Inductive::split(&dataset, HeldOut::Test, seed).unwrap();
            let method = Method::for_people(target, people.training.len(), 4, 3).unwrap();
            let system =
                Dpar { method, ..system(Method::GradientDescent, Mode::Rigorous, epsilon) };
            let system = Dpar { target, ..system };
            let plan = system.plan::<Node>(people.training.len()).unwrap();
            let result = system.classify::<Node>(&plan, &people, &Run::simulation(seed)).unwrap();
            accuracy(&result.get().predicted, &people.visitors.classes).unwrap()
        });
        scored.sum::<f64>() / 4.0
    };
    let scores = [0.25, 1.0, 4.0, 16.0].map(score);
    assert!(scores.windows(2).all(|pair| pair[1] > pair[0] - 0.02), "{scores:?}");
    assert!(scores[2] > 0.75 && scores[3] > scores[0], "{scores:?}");
}

/// What a model of rows around their middle says is said of rows as they are.
#[test]
fn models_around_the_middle_read_rows_as_they_are() {
    let dataset = skewed(600, 5);
    for method in [Method::GradientDescent, Method::HiddenLayer] {
        let result = run::<Node>(&system(method, Mode::Rigorous, 50.0), &dataset, 1);
        let people = Inductive::split(&dataset, HeldOut::Test, 1).unwrap();
        let right = accuracy(&result.get().predicted, &people.visitors.classes).unwrap();
        assert!(right > 0.65, "{}: {right}", method.name());
    }
}
