//! The audit of DPAR as a whole: what the card says against what thousands of trainings show.

use privet::Method;
use privet::dpar::{Dpar, Mode, Settings};
use privet::privacy::Loss;
use privet::privacy::unit::{Node, ReplacedNode};

use super::{Audit, Procedure};
use crate::Result;
use crate::audit::finding::Finding;
use crate::audit::seeds::Seeds;
use crate::audit::trainer::{Other, Trainer};
use crate::audit::trials::statistical;

pub(super) const AUDITS: [Audit; 1] = [Audit {
    name: "dpar",
    of: &["DpSgd", "DpAppr", "PreparedMechanism"],
    tight: false,
    run: Procedure::Seeded(whole),
}];

/// Two steps on all people (or on a random half), and rows that name one node each.
fn rigorous(method: Method, epsilon: f64, other: Other) -> Result<Trainer> {
    let mut settings = Settings::rigorous();
    (settings.model.steps, settings.model.batch, settings.model.learning_rate) = (2, 1.0, 0.01);
    (settings.structure.sources, settings.structure.keep) = (8, 1);
    let target = Loss::new(epsilon, 1e-3)?;
    let system = Dpar { method, mode: Mode::Rigorous, target, settings };
    // How many each class has must be known well for its sum to say anything of the hub.
    let people = if method == Method::ClassSums { 200 } else { 8 };
    Ok(Trainer { system, people, other, trials: 2500 })
}

fn whole(seeds: Seeds) -> Result<Vec<Finding>> {
    let halves = |mut trainer: Trainer| {
        trainer.system.settings.model.batch = 0.5;
        trainer
    };
    let absent = |method, epsilon| rigorous(method, epsilon, Other::Absent);
    let opposite = |method, epsilon| rigorous(method, epsilon, Other::Opposite);
    let trainers = [
        absent(Method::Features, 4.0)?,
        absent(Method::ClassSums, 4.0)?,
        absent(Method::Em0, 8.0)?,
        absent(Method::Em1, 8.0)?,
        absent(Method::Gm, 8.0)?,
        halves(absent(Method::Em0, 8.0)?),
        opposite(Method::Features, 8.0)?,
        opposite(Method::ClassSums, 8.0)?,
        opposite(Method::Em0, 8.0)?,
        absent(Method::GradientDescent, 4.0)?,
        opposite(Method::GradientDescent, 8.0)?,
    ];
    trainers.iter().zip(0..).map(|(trainer, part)| finding(trainer, seeds.part(part))).collect()
}

fn finding(trainer: &Trainer, seeds: Seeds) -> Result<Finding> {
    let (found, side) = match trainer.other {
        Other::Absent => (trainer.audit::<Node>(seeds)?, "absent"),
        Other::Opposite => (trainer.audit::<ReplacedNode>(seeds)?, "the opposite"),
    };
    let (method, rate) = (trainer.system.method.name(), trainer.system.settings.model.batch);
    let subject = format!("{method}, rate {rate}: a hub, against {side}");
    Ok(statistical(subject, found.card, found.at_least))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The audit is not blind: it proves that something leaks, and less than what the card says.
    #[test]
    fn something_is_seen_of_a_hub_and_not_too_much() {
        for method in [Method::Features, Method::ClassSums] {
            let trainer = rigorous(method, 8.0, Other::Absent).unwrap();
            let finding = finding(&trainer, Seeds::new(1)).unwrap();
            assert!(finding.measured > 0.8 && finding.holds(), "{finding:?}");
        }
    }
}
