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
mod tests;
