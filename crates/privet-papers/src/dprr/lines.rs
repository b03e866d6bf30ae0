//! Which methods stand along the axes of figures 4, 5, 6 and 10.

use privet::dprr::{Attack, Defence, Division, DprrMethod, Poisoning, Reading, Setting, SplitRule};
use privet::graph::GraphSet;

use super::{DprrLine, methods};
use crate::Wanted;
use crate::panel::Line;
use privet_lab::experiments::dprr::DprrTrial;
use privet_lab::experiments::trial::{Data, Variant};

/// The false-positive rate of defences, as in the paper.
pub const THETA: f64 = 0.05;
/// What the collector takes for an ordinary degree: at most 2.5 % of the users have a larger one.
pub const USUAL_DEGREE: usize = 10;

type Sets<'a> = Data<'a, GraphSet>;

fn customised(epsilon: f64, lambda: f64) -> Setting {
    match lambda > 0.0 {
        true => Setting::Customised { epsilon, public_share: lambda },
        false => Setting::Common { epsilon },
    }
}

/// Where nobody publishes there is no graph of those who do.
pub fn along_lambda<'a>(wanted: &Wanted, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let line = |method: DprrMethod| {
        let at = |&lambda: &f64| {
            let possible = method != DprrMethod::NonPrivPart || lambda > 0.0;
            possible.then(|| DprrTrial::new(data, method, customised(wanted.epsilon(), lambda)))
        };
        in_both_readings(method.name(), wanted.points.iter().map(at), method == DprrMethod::Dprr)
    };
    methods(wanted).into_iter().flat_map(line).collect()
}

/// Methods without noise do not depend on epsilon. Each of the others has its own control beside it: noise of
/// another shape tells something else about the number of users.
pub fn along_epsilon<'a>(wanted: &Wanted, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let line = |method: DprrMethod| {
        let at = |&epsilon: &f64| Some(DprrTrial::new(data, method, Setting::Common { epsilon }));
        in_both_readings(method.name(), wanted.epsilons.iter().map(at), true)
    };
    methods(wanted).into_iter().filter(|method| has_noise(*method)).flat_map(line).collect()
}

fn has_noise(method: DprrMethod) -> bool {
    !matches!(method, DprrMethod::NonPrivPart | DprrMethod::NonPrivFull)
}

/// The corrected split, the printed one (which costs more than epsilon), and the paper's baseline.
const SPLITS: [(&str, Division); 3] = [
    ("corrected split", Division::Corrected),
    ("printed split", Division::Paper),
    ("fixed split", Division::Fixed),
];

/// Splits of the budget, where nobody and where half of the users publish.
pub fn along_splits<'a>(wanted: &Wanted, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let lines = [0.0, 0.5].into_iter().flat_map(|lambda| {
        let base = DprrTrial::new(data, DprrMethod::Dprr, customised(wanted.epsilon(), lambda));
        SPLITS.map(|(name, split)| {
            let at = |&alpha: &f64| {
                let mut trial = base.clone();
                trial.protection.split = SplitRule { split, alpha };
                Some((trial, Variant::Private))
            };
            Line::new(format!("{name}, lambda {lambda}"), wanted.points.iter().map(at).collect())
        })
    });
    lines.collect()
}

const THRESHOLD: Defence = Defence::Threshold { theta: THETA };
const HANDSHAKE: Defence = Defence::Handshake { theta: THETA, usual_degree: USUAL_DEGREE };
const CENSUS: Defence = Defence::Census { theta: THETA, usual_degree: USUAL_DEGREE };

/// Attacks by name: those of the paper, and those by users who know a defence.
const ATTACKS: [(&str, Attack); 5] = [
    ("all-ones", Attack::ALL_ONES),
    ("random", Attack::RANDOM),
    ("matched-to-handshake", Attack::Matched { against: HANDSHAKE }),
    ("matched-to-census", Attack::Matched { against: CENSUS }),
    ("shortcut", Attack::Shortcut { against: CENSUS }),
];
/// Their names.
pub const ATTACK_NAMES: &[&str] =
    &["all-ones", "random", "matched-to-handshake", "matched-to-census", "shortcut"];

/// Both attacks of the paper under its defence and the handshake, in both readings.
pub fn under_attack<'a>(wanted: &Wanted, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let attacks = [("all ones", Attack::ALL_ONES), ("random", Attack::RANDOM)];
    let defences = [Defence::None, THRESHOLD, HANDSHAKE];
    let lines = attacked(wanted, data, &attacks, &defences);
    lines.flat_map(|(name, trials)| in_both_readings(&name, trials.into_iter(), false)).collect()
}

/// Every attack that is wanted, with and without the defences that it may know, as evidence.
pub fn knowing_the_defence<'a>(wanted: &Wanted, data: Sets<'a>) -> Vec<DprrLine<'a>> {
    let named = |name: &String| ATTACKS.into_iter().find(|(known, _)| known == name);
    let attacks: Vec<(&str, Attack)> = wanted.mechanisms.iter().filter_map(named).collect();
    let lines = attacked(wanted, data, &attacks, &[Defence::None, HANDSHAKE, CENSUS]);
    lines
        .map(|(name, trials)| {
            let points = trials.into_iter().map(|trial| Some((trial?, Variant::Private)));
            Line::new(name, points.collect())
        })
        .collect()
}

/// Attacks under defences, along the share of malicious users.
fn attacked<'a>(
    wanted: &Wanted,
    data: Sets<'a>,
    attacks: &[(&str, Attack)],
    defences: &[Defence],
) -> impl Iterator<Item = (String, Vec<Option<DprrTrial<'a>>>)> {
    let base =
        DprrTrial::new(data, DprrMethod::Dprr, Setting::Common { epsilon: wanted.epsilon() });
    attacks.iter().flat_map(move |&(name, attack)| {
        let base = base.clone();
        defences.iter().map(move |&defence| {
            let at = |&share: &f64| {
                let poisoning = (share > 0.0).then_some(Poisoning { attack, share });
                Some(DprrTrial { poisoning, defence, ..base.clone() })
            };
            let trials = wanted.points.iter().map(at).collect();
            (format!("{name}, {}", defence.name()), trials)
        })
    })
}

/// Reports believed, and read as in the paper.
fn in_both_readings<'a>(
    name: &str,
    trials: impl Iterator<Item = Option<DprrTrial<'a>>>,
    controlled: bool,
) -> [DprrLine<'a>; 2] {
    let trials: Vec<Option<DprrTrial<'a>>> = trials.collect();
    [Reading::Believed, Reading::Plain].map(|reading| {
        let read = |trial: DprrTrial<'a>| (trial.reading(reading), Variant::Private);
        let points = trials.iter().cloned().map(|trial| trial.map(read)).collect();
        Line { controlled, ..Line::new(format!("{name}, {}", reading.name()), points) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Item;
    use privet_lab::experiments::dprr::made_up::threads;

    fn lines(
        item: &str,
        of: for<'a> fn(&Wanted, Sets<'a>) -> Vec<DprrLine<'a>>,
    ) -> Vec<(String, usize)> {
        let set = threads(4, 3..6, 0).unwrap();
        let wanted = Item::find(item).unwrap().wanted(false);
        let lines = of(&wanted, Data::new("threads", &set));
        let axis = if wanted.points.is_empty() { &wanted.epsilons } else { &wanted.points };
        assert!(lines.iter().all(|line| line.points.len() == axis.len()));
        assert!(lines.iter().all(|line| line.printed.len() == line.points.len()));
        let count = |line: &DprrLine<'_>| line.points.iter().flatten().count();
        lines.iter().map(|line| (line.name.clone(), count(line))).collect()
    }

    /// Every method in both readings; where nobody publishes there is nothing to read of those who do.
    #[test]
    fn methods_stand_along_lambda() {
        let found = lines("dprr/fig4", along_lambda);
        assert_eq!(found.len(), 2 * 4);
        assert_eq!(found[0], ("dprr, believed".into(), 4));
        assert_eq!(found[7], ("nonpriv-part, plain".into(), 3));
    }

    #[test]
    fn only_noisy_methods_stand_along_epsilon() {
        let found = lines("dprr/fig5", along_epsilon);
        assert!(found.len() == 2 * 3 && found.iter().all(|(_, count)| *count == 4), "{found:?}");
        let set = threads(4, 3..6, 0).unwrap();
        let mechanisms = vec!["nonpriv-full".to_owned(), "rr".to_owned()];
        let wanted = Wanted { mechanisms, ..Item::find("dprr/fig5").unwrap().wanted(true) };
        let lines = along_epsilon(&wanted, Data::new("threads", &set));
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["rr, believed", "rr, plain"]);
        assert!(lines.iter().all(|line| line.controlled), "noise of each kind alone");
    }

    #[test]
    fn splits_and_attacks_are_all_there() {
        let found = lines("dprr/fig6", along_splits);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names[..2], ["corrected split, lambda 0", "printed split, lambda 0"]);
        assert_eq!((names.len(), names[5]), (6, "fixed split, lambda 0.5"));
        let found = lines("dprr/fig10", under_attack);
        assert_eq!(found.len(), 2 * 3 * 2);
        assert_eq!(found[0].0, "all ones, none, believed");
        assert_eq!(found[11].0, "random, handshake, plain");
        let found = lines("dprr/adaptive", knowing_the_defence);
        assert_eq!(found.len(), 5 * 3);
        assert_eq!(found[7].0, "matched-to-handshake, handshake");
        assert_eq!(found[14].0, "shortcut, census");
        assert_eq!(ATTACKS.map(|(name, _)| name), ATTACK_NAMES);
    }

    /// No attackers, no attack: the same cell whatever the attack would have been.
    #[test]
    fn a_share_of_nobody_is_no_attack() {
        let set = threads(4, 3..6, 0).unwrap();
        let wanted = Item::find("dprr/fig10").unwrap().wanted(true);
        let lines = under_attack(&wanted, Data::new("threads", &set));
        let poisoning = |line: usize, place: usize| {
            lines[line].points[place].as_ref().and_then(|(trial, _)| trial.poisoning)
        };
        assert_eq!((wanted.points[0], poisoning(0, 0)), (0.0, None));
        assert!(poisoning(0, 1).is_some_and(|poisoning| poisoning.share == wanted.points[1]));
        assert_ne!(poisoning(0, 1), poisoning(6, 1), "another attack");
    }
}
