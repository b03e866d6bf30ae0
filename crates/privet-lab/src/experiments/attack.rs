//! [`AttackFindings`]: attacks as every interface shows them: numbers, their meaning, and a report.

use privet::Method;
use privet::dpar::{Dpar, Mode};
use privet::dprr::{Defence, Poisoning};
use privet::protect::public_scale;
use serde_json::{Value, json};

use super::cells::Sweep;
use super::dpar::membership::MembershipAttack;
use super::dpar::membership::report::{report, verdict};
use super::dprr::DprrTrial;
use super::dprr::poisoned::compare;
use super::hetero_rr::HeteroRrTrial;
use super::hetero_rr::attacked::{AttackScores, link_teller, reconstruct};
use super::trial::NamedData;
use crate::error::Error;
use crate::report::Report;

/// What an attack found, and the report of it.
#[derive(Debug, Clone)]
pub struct AttackFindings {
    /// The numbers, and what they say.
    pub numbers: Value,
    /// The same for people.
    pub report: Report,
}

/// The methods whose models are attacked: those that were asked for, and two without privacy, to see that the attack
/// works.
pub fn beside_no_privacy(methods: &[Method]) -> impl Iterator<Item = Method> {
    methods.iter().copied().chain([Method::DparInTheClear, Method::FeaturesInTheClear])
}

/// What is tried against made-up lists: nothing, the paper's defence, comparing large degrees with those of others, and
/// counting them as well.
///
/// # Errors
/// If a share makes no sense.
pub fn defences(theta: f64, usual_degree: usize) -> privet::Result<[Defence; 4]> {
    let defences = [
        Defence::None,
        Defence::Threshold { theta },
        Defence::Handshake { theta, usual_degree },
        Defence::Census { theta, usual_degree },
    ];
    defences.iter().try_for_each(|defence| defence.check())?;
    Ok(defences)
}

impl AttackFindings {
    /// What trained models tell about who, or which connection, they were trained on. `command` makes the report again,
    /// here and below.
    ///
    /// # Errors
    /// Those of a run, or that there are too few models or targets.
    pub fn membership(
        attack: &MembershipAttack<'_>,
        systems: &[Dpar],
        mode: Mode,
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        let outcomes = attack.on_all(systems, sweep)?;
        let MembershipAttack { data, hidden, sought, shadows, seed, .. } = attack;
        let numbers = json!({
            "dataset": data.dataset.name(),
            "relation": hidden,
            "sought": sought,
            "shadows": shadows,
            "seed": seed,
            "scores_are_simulated": true,
            "outcomes": outcomes,
            "verdict": verdict(*sought, &outcomes),
        });
        Ok(Self { numbers, report: report(attack, mode, &outcomes, command) })
    }

    /// What made-up reports in training graphs cost, and what defences win back.
    ///
    /// # Errors
    /// The first that a run met, or that there are no seeds.
    pub fn poison(
        honest: &DprrTrial<'_>,
        poisoning: Poisoning,
        defences: &[Defence],
        seeds: &[u64],
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        let poisoned = compare(honest, poisoning, defences, seeds, sweep)?;
        let mut numbers = json!(poisoned);
        numbers["dataset"] = json!(honest.data.name);
        numbers["seeds"] = json!(seeds);
        numbers["verdict"] = json!(poisoned.verdict());
        Ok(Self { numbers, report: poisoned.report(honest, command) })
    }

    /// What a curious client gets out of a served model, where nodes are changed one by one.
    ///
    /// # Errors
    /// The first that a run met.
    pub fn link_teller(
        trial: HeteroRrTrial<'_>,
        probes: usize,
        seeds: &[u64],
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        Ok(Self::told(&link_teller(trial, probes, seeds, sweep)?, command))
    }

    /// What a decoder gets out of reported features, embedded into so many columns.
    ///
    /// # Errors
    /// If there are none, or their range is not declared; or the first that a run met.
    pub fn reconstruct(
        data: NamedData<'_>,
        epsilon: f64,
        width: usize,
        seeds: &[u64],
        command: &str,
        sweep: &mut Sweep<'_>,
    ) -> Result<Self, Error> {
        let features = data.dataset.features().ok_or_else(|| privet::Error::Missing {
            dataset: data.name.into(),
            what: "features",
            remedy: "they are what is to be reconstructed",
        })?;
        public_scale(features)?;
        Ok(Self::told(&reconstruct(data, epsilon, width, seeds, sweep)?, command))
    }

    fn told(found: &AttackScores, command: &str) -> Self {
        Self { numbers: json!(found), report: found.report(command) }
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::sync::atomic::AtomicBool;

    use privet::dpar::Settings;
    use privet::dprr::{Attack, DprrMethod, GraphLearner, Setting};
    use privet::graph::{Dataset, Features};
    use privet::privacy::Loss;

    use super::*;
    use crate::experiments::cells::Cells;
    use crate::experiments::dpar::membership::AttackTarget;
    use crate::experiments::dprr::made_up::threads;
    use crate::experiments::ldp_ge::reports::tests::people;
    use privet::privacy::unit::Relation;

    /// Runs in memory, on one thread.
    fn found(
        attack: impl FnOnce(&mut Sweep<'_>) -> Result<AttackFindings, Error>,
    ) -> Result<AttackFindings, Error> {
        let (never, mut cells) = (AtomicBool::new(false), Cells::in_memory());
        let threads = NonZeroUsize::MIN;
        attack(&mut Sweep { cells: &mut cells, threads, interrupt: &never, progress: &|_, _| {} })
    }

    /// Models without privacy stand beside those that were asked for, in the numbers and in the report.
    #[test]
    fn membership_is_told_beside_models_without_privacy() {
        let dataset = people();
        let mut settings = Settings::rigorous();
        (settings.model.steps, settings.structure.sources) = (2, 5);
        let target = Loss::new(2.0, 1e-3).unwrap();
        let methods = beside_no_privacy(&[Method::Features]);
        let systems: Vec<Dpar> = methods
            .map(|method| Dpar::new(method, Mode::Rigorous, target, settings.clone()).unwrap())
            .collect();
        assert_eq!(systems.len(), 3);
        let data = NamedData::new("people", &dataset);
        let (hidden, sought) = (Relation::NodeAbsent, AttackTarget::People);
        let attack = MembershipAttack { data, hidden, sought, shadows: 8, targets: 6, seed: 1 };
        let told = |attack: &MembershipAttack<'_>| {
            found(|sweep| {
                AttackFindings::membership(attack, &systems, Mode::Rigorous, "try it", sweep)
            })
        };
        let few = told(&MembershipAttack { shadows: 7, ..attack }).unwrap_err().to_string();
        assert!(few.contains("shadows: found 7"), "{few}");
        let told = told(&attack).unwrap();
        assert_eq!(told.report.command, "try it");
        assert_eq!(told.numbers["outcomes"].as_array().unwrap().len(), 3);
        assert_eq!((&told.numbers["shadows"], &told.numbers["seed"]), (&json!(8), &json!(1)));
        let verdict = told.numbers["verdict"].as_str().unwrap();
        assert!(verdict.contains("whether a person was in the training graph"), "{verdict}");
    }

    #[test]
    fn made_up_lists_are_told_with_every_defence() {
        let set = threads(20, 8..12, 1).unwrap();
        let setting = Setting::Common { epsilon: 1.0 };
        let learner = GraphLearner { epochs: 2, hidden: 4, ..GraphLearner::default() };
        let trial = DprrTrial::believed(NamedData::new("threads", &set), DprrMethod::Dprr, setting);
        let trial = DprrTrial { learner, ..trial };
        let defences = defences(0.05, 3).unwrap();
        let poisoning = Poisoning { attack: Attack::ALL_ONES, share: 0.3 };
        let told = found(|sweep| {
            AttackFindings::poison(&trial, poisoning, &defences, &[4, 5], "try it", sweep)
        });
        let told = told.unwrap();
        assert_eq!(
            (&told.numbers["dataset"], &told.numbers["seeds"]),
            (&json!("threads"), &json!([4, 5]))
        );
        let rows = told.numbers["outcomes"].as_array().unwrap();
        let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
        let expected = [
            "no attack",
            "no attack, noise only",
            "no attack, defence threshold",
            "no attack, defence handshake",
            "no attack, defence census",
            "attack, defence none",
            "attack, defence threshold",
            "attack, defence handshake",
            "attack, defence census",
        ];
        assert_eq!(names, expected);
        assert!(told.numbers["verdict"].as_str().unwrap().starts_with("The attack costs"));
        assert!(super::defences(2.0, 3).is_err(), "no share of the users");
    }

    #[test]
    fn what_is_found_in_a_served_model_stands_beside_what_is_allowed() {
        let dataset = people();
        let mut trial = HeteroRrTrial::new(NamedData::new("people", &dataset), 0.5);
        (trial.learner.epochs, trial.edges.tree.steps_per_node) = (2, 2);
        let told =
            found(|sweep| AttackFindings::link_teller(trial, 5, &[1], "try it", sweep)).unwrap();
        assert_eq!(told.numbers["lines"].as_array().unwrap().len(), 4);
        // At epsilon 1 no attacker tells an edge from none with probability above e / (1 + e).
        let largest = told.numbers["largest"].as_f64().unwrap();
        assert!(largest > 0.5 && largest < 1.0, "{largest}");
        assert_eq!(told.report.command, "try it");
    }

    /// Features must be there, and of a range that is declared.
    #[test]
    fn only_features_of_a_declared_range_are_reported() {
        let dataset = people();
        let tried = |dataset: &Dataset| {
            let data = NamedData::new("people", dataset);
            found(|sweep| AttackFindings::reconstruct(data, 1.0, 4, &[1], "try it", sweep))
        };
        let told = tried(&dataset).unwrap();
        assert_eq!(told.numbers["scores_are_simulated"], json!(true));
        let rows = dataset.features().unwrap().matrix().clone();
        let undeclared = dataset.clone().with_features(Features::new(rows)).unwrap();
        assert!(tried(&undeclared).unwrap_err().to_string().contains("range"));
        let (graph, ids) = (dataset.graph().clone(), dataset.ids().clone());
        let none = Dataset::new("none", graph, ids).unwrap();
        assert!(tried(&none).unwrap_err().to_string().contains("no features"));
    }
}
