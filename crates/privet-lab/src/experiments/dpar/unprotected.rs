//! What privacy costs: the same network trained on people in the open, without any noise. It takes people who are not
//! sealed, so it lives here and not in the system.

use privet::Method;
use privet::dpar::{Dpar, OpenPeople, Structure, TrainedClassifier, Visitors, infer, train};
use privet::graph::{DenseMatrix, Features, Graph};
use privet::learn::models::MlpConfig;
use privet::learn::propagate::top_k;
use privet::privacy::Card;
use privet::{Result, Run};

/// Trains on features alone, or averaged over the true best K.
///
/// # Errors
/// If training diverges, or the run is interrupted.
pub fn classify(
    system: &Dpar,
    people: &OpenPeople,
    visitors: &Visitors,
    run: &Run<'_>,
) -> Result<(TrainedClassifier, Card)> {
    let graph_too = system.method == Method::DparInTheClear;
    let averaged = match graph_too {
        false => people.features.clone(),
        true => over_the_best(&people.graph, &people.features, &system.settings.structure)?,
    };
    let config = train::network(system, people.features.columns(), people.class_count, run.seed);
    let config = MlpConfig { hidden: vec![32], ..config };
    let model = train::fitted(config, &averaged, &people.labels()?, &people.present(), run)?;
    let mut inference = system.settings.inference;
    inference.rounds = if graph_too { inference.rounds } else { 0 };
    let said = infer::answers(&model, visitors, inference)?;
    let card = Card::new(format!("{}: {}", people.name, system.method.name()))
        .with_unprotected("everything");
    let mut trained = TrainedClassifier { most_shared: 0, ..TrainedClassifier::of(model) };
    trained.answer(said);
    Ok((trained, card))
}

/// What such a model says about nodes of any graph, class by class.
///
/// # Errors
/// If the model takes other rows.
pub fn scores(system: &Dpar, trained: &TrainedClassifier, about: &Visitors) -> Result<DenseMatrix> {
    let rows = match system.method {
        Method::DparInTheClear => {
            over_the_best(&about.graph, &about.features, &system.settings.structure)?
        }
        _ => about.features.clone(),
    };
    Ok(infer::scores(&trained.model, &rows))
}

/// Each person's features averaged over the true best K.
fn over_the_best(graph: &Graph, features: &Features, structure: &Structure) -> Result<Features> {
    let (sources, keep) = (graph.nodes().collect::<Vec<u32>>(), structure.keep.max(32));
    let best = top_k(graph, &sources, keep, structure.ista())?;
    train::averaged(features, &best)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use privet::data::synthetic::StochasticBlocks;
    use privet::dpar::{HeldOut, Mode, Settings};
    use privet::learn::metrics::accuracy;
    use privet::privacy::Loss;

    use super::*;

    #[test]
    fn without_noise_classes_are_learnt() {
        let blocks =
            StochasticBlocks { nodes: 400, classes: 3, features: 24, ..Default::default() };
        let (people, visitors) =
            OpenPeople::split(&blocks.generate(5).unwrap(), HeldOut::Test, 3).unwrap();
        let (method, mode) = (Method::DparInTheClear, Mode::Rigorous);
        let (target, settings) = (Loss::new(1.0, 1e-3).unwrap(), Settings::rigorous());
        let system = Dpar { method, mode, target, settings };
        let stop = AtomicBool::new(false);
        let run = Run::simulation(3).watched_by(&stop);
        let (trained, card) = classify(&system, &people, &visitors, &run).unwrap();
        assert!(accuracy(&trained.predicted, &visitors.classes).unwrap() > 0.8);
        assert!(card.guarantees.is_empty() && card.unprotected == ["everything".into()]);
    }
}
