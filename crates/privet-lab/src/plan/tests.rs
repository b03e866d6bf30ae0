use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

use privet::project::{Protects, TrustModel};

use super::attacker::{AtMost, WRONG, exposure};
use super::*;
use crate::attacks::Ceiling;
use crate::experiments::cells::Cells;

fn facts() -> PublicFacts {
    PublicFacts::new(5_000, 20_000, 30, 4)
}

fn question(protects: &[Protects]) -> PlanQuestion {
    let central = |what: &Protects| matches!(what, Protects::People | Protects::Connections);
    let curator = protects.iter().any(central);
    let trust = if curator { TrustModel::Curator } else { TrustModel::Devices };
    PlanQuestion::new("people", facts(), trust, protects.to_vec()).unwrap()
}

/// A plan small enough for a test.
fn planned(question: &PlanQuestion) -> PrivacyPlan {
    let (mut cells, interrupt) = (Cells::in_memory(), AtomicBool::new(false));
    let threads = NonZeroUsize::MIN;
    let mut sweep =
        Sweep { cells: &mut cells, threads, interrupt: &interrupt, progress: &|_, _| {} };
    plan(question, &mut sweep).unwrap()
}

/// The refusal names the fact, what was found, and what would be right.
fn refused(facts: PublicFacts, words: &[&str]) {
    let told = facts.check().unwrap_err().to_string();
    assert!(words.iter().all(|word| told.contains(word)), "{told}");
}

#[test]
fn facts_that_contradict_each_other_are_refused_with_what_would_be_right() {
    refused(
        PublicFacts { edges: 20_000_000, ..facts() },
        &["edges", "20000000", "at most 12497500"],
    );
    refused(PublicFacts { classes: 1, ..facts() }, &["classes", "at least 2"]);
    refused(
        PublicFacts { classes: 600, ..facts() },
        &["people", "5000", "at least 12000", "fewer classes"],
    );
    refused(PublicFacts { filled: Some(31.0), ..facts() }, &["filled", "31", "at most 30"]);
    refused(PublicFacts { homophily: Some(1.2), ..facts() }, &["homophily", "1.2", "up to 1"]);
    refused(PublicFacts { labelled: 0.0, ..facts() }, &["labelled", "above 0"]);
    refused(PublicFacts { labelled: 0.001, ..facts() }, &["labelled", "40 labelled people"]);
    refused(PublicFacts { graphs: 7, ..facts() }, &["graphs", "7", "10 for each class"]);
    assert!(facts().check().is_ok());
}

#[test]
fn trust_that_cannot_be_had_is_refused() {
    let of =
        |trust, protects: &[Protects]| PlanQuestion::new("x", facts(), trust, protects.to_vec());
    let told = |asked: privet::Result<PlanQuestion>| asked.unwrap_err().to_string();
    let people = told(of(TrustModel::Devices, &[Protects::People]));
    assert!(people.contains("people") && people.contains("curator"), "{people}");
    let both = told(of(TrustModel::Curator, &[Protects::People, Protects::Labels]));
    assert!(both.contains("people alone"), "{both}");
    let nothing = told(of(TrustModel::Curator, &[]));
    assert!(nothing.contains("at least one"), "{nothing}");
    let mut large = question(&[Protects::Features]);
    large.epsilons = vec![1.0, 50.0];
    assert!(large.check().unwrap_err().to_string().contains("up to 20"));
    large.epsilons = vec![2.0, 1.0];
    assert!(large.check().unwrap_err().to_string().contains("ascending"));
}

#[test]
fn every_trust_model_has_methods_and_something_that_costs_nothing() {
    let cases: [(&[Protects], &[Method]); 5] = [
        (&[Protects::Features], &[Method::LdpGe, Method::LabelPropagation]),
        (&[Protects::Features, Protects::Labels], &[Method::LdpGe]),
        (&[Protects::Contacts], &[Method::LdpGe, Method::PublicRecords]),
        (
            &[Protects::Connections],
            &[Method::EdgeVotes, Method::HeteroRr, Method::Gap, Method::PublicRecords],
        ),
        (
            &[Protects::People],
            &[
                Method::HiddenLayer,
                Method::GradientDescent,
                Method::SmoothedSgd,
                Method::ClassSums,
                Method::Features,
                Method::Em0,
            ],
        ),
    ];
    for (protects, wanted) in cases {
        let mut found = methods_for(&question(protects));
        assert_eq!(found.pop(), Some(Method::LargestClass));
        assert_eq!(found, wanted, "{protects:?}");
    }
    let mut some = question(&[Protects::Connections]);
    some.facts.private_share = 0.2;
    assert!(methods_for(&some).contains(&Method::PublicConnections));
}

/// A pure epsilon: the most that any test finds is `min(e^eps x, 1 - e^-eps (1 - x))`, by hand.
#[test]
fn a_pure_epsilon_is_its_own_curve() {
    for epsilon in [0.5, 1.0, 3.0] {
        let found = exposure(&question(&[Protects::Features]), Method::LdpGe, epsilon).unwrap();
        for AtMost { wrong, found } in &found.curve {
            let e = epsilon.exp();
            let most = (e * wrong).min(1.0 - (1.0 - wrong) / e);
            assert!((found - most).abs() < 1e-6, "{epsilon}, {wrong}: {found} is not {most}");
        }
    }
    let one = exposure(&question(&[Protects::Features]), Method::LdpGe, 1.0).unwrap();
    // 100 * 0.01 e = 2.72: never rounded down.
    assert_eq!(one.found_of_100, 3);
    assert!(one.sentence().starts_with(
        "of 100 people, an attacker who accepts 1 % false accusations finds at most 3"
    ));
}

/// Features and label are one record: what is found counts both.
#[test]
fn parts_of_one_record_count_together() {
    let one = exposure(&question(&[Protects::Features]), Method::LdpGe, 2.0).unwrap();
    let parts = question(&[Protects::Features, Protects::Labels]);
    let both = exposure(&parts, Method::LdpGe, 1.0).unwrap();
    assert!((one.loss.epsilon.get() - both.loss.epsilon.get()).abs() < 1e-9);
    // Both ends of a contact report it.
    let contacts = exposure(&question(&[Protects::Contacts]), Method::LdpGe, 1.0).unwrap();
    assert!((contacts.loss.epsilon.get() - 2.0).abs() < 1e-6, "{:?}", contacts.loss);
}

/// Noise added many times is private at every epsilon: the curve is below the card's own pair, and never below any of
/// the accountant's other pairs where that pair is exact.
#[test]
fn the_curve_of_training_follows_the_accountant() {
    use privet::privacy::{Epsilon, Loss, accountant};
    let question = question(&[Protects::People]);
    let simulation = Simulation::new(&question);
    let plan = simulation.noise(Method::Features, 1.0).unwrap();
    let found = exposure(&question, Method::Features, 1.0).unwrap();
    let alone = Ceiling::from(plan.loss);
    let pair = |at: u32| {
        let epsilon = Epsilon::new(f64::from(at) / 16.0).unwrap();
        let delta = accountant::best_delta(&plan.event, epsilon).unwrap().value;
        Ceiling::from(Loss { epsilon, delta })
    };
    let finer: Vec<Ceiling> = (1..16).map(pair).collect();
    for (point, wrong) in found.curve.iter().zip(WRONG) {
        assert_eq!(point.wrong, wrong);
        assert!(point.found <= alone.true_positive_rate(wrong) + 1e-12, "{point:?}");
        assert!(point.found >= wrong, "guessing finds as many");
        // A finer look at the same curve may only find less, and not much less.
        let pairs = finer.iter().map(|ceiling| ceiling.true_positive_rate(wrong));
        let finest = pairs.fold(1.0, f64::min);
        assert!((point.found - finest).abs() < 0.02, "{point:?}, {finest}");
    }
}

/// The noise of one person's share is the same, however few stand for all.
#[test]
fn scaling_down_keeps_what_noise_does() {
    let mut large = question(&[Protects::People]);
    large.facts.people = 24_000;
    large.facts.edges = 96_000;
    let simulation = Simulation::new(&large);
    assert_eq!((simulation.people, simulation.ratio()), (2400, 10.0));
    let few = question(&[Protects::Features]);
    assert_eq!(Simulation::new(&few).people, 1200);
}

#[test]
fn a_plan_says_what_is_worth_it_and_what_is_not() {
    let mut asked = question(&[Protects::Features]);
    asked.facts = PublicFacts { homophily: Some(0.85), ..PublicFacts::new(300, 900, 12, 3) };
    asked.epsilons = vec![1.0];
    let planned = planned(&asked);
    let named = |method| planned.methods.iter().find(|plan| plan.method == method).unwrap();
    let (reports, free) = (named(Method::LdpGe), named(Method::LabelPropagation));
    assert_eq!((reports.points.len(), free.points[0].epsilon), (1, None));
    assert_eq!(reports.points[0].gains.len(), planned.simulated.look_alikes.len());
    let scores = [reports.points[0].accuracy, free.points[0].accuracy, reports.ceiling.unwrap()];
    for Interval { low, expected, high } in scores {
        assert!(0.3 < expected && low <= expected && expected <= high && high <= 1.0);
    }
    // Connections and classes are public here: noise on features adds nothing to them.
    assert_eq!(planned.advice.choice, None, "{:?}", planned.advice);
    assert!(planned.advice.why.contains("label-propagation"), "{}", planned.advice.why);
    let page = page::html(&planned, &write_up::report(&planned, "privet plan"));
    for part in ["type=\"range\"", "id=\"plan\"", "script-src", "Plan for people"] {
        assert!(page.contains(part), "{part}");
    }
    let page = page.replace("http://www.w3.org/2000/svg", "");
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is fetched");
}

/// What is known already is where a plan begins: between public data and a model in the clear, and less wide.
#[test]
fn accuracies_that_are_known_narrow_a_plan() {
    let mut asked = question(&[Protects::Features]);
    let facts = PublicFacts { homophily: Some(0.85), ..PublicFacts::new(300, 900, 12, 3) };
    let (public_accuracy, clear_accuracy) = (Some(0.7), Some(0.76));
    asked.facts = PublicFacts { public_accuracy, clear_accuracy, ..facts };
    asked.epsilons = vec![1.0];
    let planned = planned(&asked);
    let named = |method| planned.methods.iter().find(|plan| plan.method == method).unwrap();
    let reports = named(Method::LdpGe).points[0].accuracy;
    assert!((0.7..=0.76).contains(&reports.expected), "{reports:?}");
    // Look-alikes lie within six points, so that an interval reaches 0.07 times the factor at most.
    assert!(reports.width() <= 2.0 * 0.07 * KNOWN_FACTOR + 1e-9, "{reports:?}");
    assert_eq!(named(Method::LdpGe).ceiling.unwrap().expected, 0.76);
    let said = write_up::assumptions(&planned).join(" ");
    assert!(said.contains("public data alone reach 70 %"), "{said}");
    let wrong = PublicFacts { clear_accuracy: Some(1.2), ..facts };
    assert!(wrong.check().unwrap_err().to_string().contains("clear accuracy"));
}

/// A method and epsilon are picked by what they gain, and not where an attacker finds too many.
#[test]
fn the_least_epsilon_that_keeps_most_of_the_gain_is_advised() {
    let asked = question(&[Protects::Features]);
    let interval = |expected| Interval { low: expected - 0.1, expected, high: expected + 0.1 };
    let point = |epsilon: f64, gain: f64| PointPlan {
        epsilon: Some(epsilon),
        accuracy: interval(0.5 + gain),
        gains: vec![gain; 5],
        exposure: Some(exposure(&asked, Method::LdpGe, epsilon).unwrap()),
    };
    let cost = Effort { seconds: 1.0, bytes: 1.0 };
    let of = |method: Method, points: Vec<PointPlan>| MethodPlan {
        method,
        about: method.about(),
        free: method.is_free(),
        points,
        control: None,
        ceiling: None,
        cost,
    };
    let nothing =
        PointPlan { epsilon: None, accuracy: interval(0.5), gains: vec![0.0; 5], exposure: None };
    let free = || of(Method::LargestClass, vec![nothing.clone()]);
    let advice = |points| Advice::of(&asked, &[of(Method::LdpGe, points), free()]);
    let chosen = advice(vec![point(1.0, 0.01), point(2.0, 0.19), point(3.0, 0.2), point(8.0, 0.3)]);
    assert_eq!(
        chosen.choice.unwrap().epsilon,
        2.0,
        "8 would expose all people, 3 gains little more"
    );
    let late = advice(vec![point(1.0, 0.0), point(8.0, 0.3)]);
    assert!(
        late.choice.is_none() && late.why.contains("No epsilon is recommended"),
        "{}",
        late.why
    );
    let none = advice(vec![point(1.0, 0.01), point(2.0, 0.015)]);
    assert!(none.choice.is_none() && none.why.starts_with("None of these"), "{}", none.why);
    // Gains in the middle alone are not enough: in two of five look-alikes nothing is gained.
    let mut shaky = point(1.0, 0.1);
    shaky.gains = vec![0.3, 0.3, 0.1, -0.1, -0.1];
    assert!(advice(vec![shaky]).choice.is_none());
}

#[test]
fn facts_are_told_in_a_line() {
    let line = write_up::facts_line(&facts());
    assert_eq!(line, "5000 people, 20,000 connections (8 each), 30 columns, 4 classes");
}

/// Every benchmark that was measured is known, and enough of them are held out.
#[test]
fn measurements_are_of_known_benchmarks() {
    use super::benchmarks::{BENCHMARKS, MEASURED, find};
    for measured in MEASURED {
        assert!(find(measured.benchmark).is_some(), "{}", measured.benchmark);
        assert!((0.0..1.0).contains(&measured.accuracy) && measured.runs > 0);
        assert!(measured.protects.iter().all(|what| what.fits(measured.trust)), "{measured:?}");
    }
    assert!(BENCHMARKS.iter().filter(|benchmark| benchmark.held_out).count() >= 6);
    for benchmark in &BENCHMARKS {
        benchmark.facts.check().unwrap();
    }
}
