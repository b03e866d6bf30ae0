//! `privet run ldp-ge`: the whole system, beside its control, its ceiling and no graph.

mod explain;
mod release;

use privet::doubts::Price;
use privet::graph::{Dataset, Fact};
use privet::ldp_ge::{LdpGe, Private, Protection};
use privet::privacy::Loss;
use privet_lab::experiments::ldp_ge::{LdpGeTrial, Task};
use privet_lab::experiments::trial::Data;

use super::people::people;
use super::trial::Measuring;
use crate::args::RunLdpGe;
use crate::console::Console;
use crate::failure::{Failure, Result};
use privet::protect::public_scale;

/// Forecasts or measures, releases if wanted, and says what came of it.
///
/// # Errors
/// If options contradict each other, something is in the way, the data cannot be read or lacks something, or the
/// result cannot be written.
pub(super) fn run(typed: RunLdpGe, console: &Console) -> Result<()> {
    let private = typed.secrets.private(typed.task)?;
    if typed.volunteers.is_some() && typed.task == Task::Links {
        let message = "--volunteers is for --task nodes: what is answered are classes";
        return Err(Failure::usage(message).hint("leave one of them out"));
    }
    let measuring = (!typed.explain).then(|| Measuring::new(&typed.trial)).transpose()?;
    let written = measuring.as_ref().map_or_else(Vec::new, Measuring::written);
    let dataset = people(&typed.dataset, typed.reading.clone(), &written, console)?;
    let system = system(&typed, &dataset)?;
    let Some(measuring) = measuring else {
        return console.answer(&explain::forecast(&dataset, &system, private, typed.contrast)?);
    };
    let lines = questions(&dataset, &system, private, &measuring)?;
    let (task, volunteers) = (typed.task, typed.volunteers);
    let data = Data::new(dataset.name(), &dataset);
    let trial = LdpGeTrial { data, task, system, private, volunteers };
    measuring.run(console, &trial, |run, folder| release::make(&trial, run, &lines, folder))
}

/// What the card of a release must repeat.
fn questions(
    dataset: &Dataset,
    system: &LdpGe,
    private: Private,
    measuring: &Measuring,
) -> Result<Vec<String>> {
    let Protection { features, label_epsilon, edges } = &system.protection;
    let mut asked = vec![features.limit()?];
    let mut shown = vec![Fact::Ids, Fact::Columns];
    if private.labels {
        asked.push(Loss::new(*label_epsilon, 0.0)?);
        shown.push(Fact::Classes);
    }
    if private.edges {
        asked.push(Loss::new(edges.epsilon, 0.0)?);
    }
    let people = dataset.graph().node_count();
    let prices: Vec<Price> = asked.iter().map(|&asked| Price::once(people, asked)).collect();
    measuring.questions(&prices, || dataset.require_public(&shown))
}

/// The system, once its mechanism accepts what was asked of it.
fn system(typed: &RunLdpGe, dataset: &Dataset) -> Result<LdpGe> {
    let RunLdpGe { dataset: name, task, epsilon, secrets, settings, .. } = typed;
    let features = dataset.features().ok_or_else(|| {
        Failure::usage(format!("{name} has no features, which LDP-GE learns from"))
            .hint("give them with --features FILE")
    })?;
    let people = dataset.graph().node_count();
    let system = settings.system(name, *task, *epsilon, secrets, people)?;
    system.protection.features.mechanism(public_scale(features)?)?;
    Ok(system)
}
