//! `--explain`: what theory says about a run, from public facts alone.

use privet::graph::Dataset;
use privet::ldp_ge::theory::Forecaster;
use privet::ldp_ge::{LdpGe, Private};

use crate::failure::{Failure, FailureKind, Result};
use crate::output::forecast::ForecastOutput;
use privet::protect::public_scale;

/// The forecast for a dataset's graph. No user's features or labels are looked at.
pub(super) fn forecast(
    dataset: &Dataset,
    system: &LdpGe,
    private: Private,
    contrast: f64,
) -> Result<ForecastOutput> {
    if private.edges {
        let message = "refused: the forecast is computed from the graph, which is private here";
        return Err(Failure::new(FailureKind::Refused, message).hint("forecast with public edges"));
    }
    if !(contrast > 0.0 && contrast <= 1.0) {
        let message = format!("--contrast: found {contrast}, expected a share in (0, 1]");
        return Err(Failure::usage(message));
    }
    let features = dataset.features().ok_or_else(|| Failure::usage("there are no features"))?;
    let scale = public_scale(features)?;
    let protection = &system.protection.features;
    let plan = Forecaster {
        mechanism: &protection.mechanism,
        epsilon: protection.epsilon,
        settings: &protection.settings,
        decoding: protection.decoding,
        scale: &scale,
        contrast,
    };
    let propagation = system.embedding.propagation();
    let forecast = plan.forecast(dataset.graph(), propagation)?.ok_or_else(|| {
        let message = format!("there is no closed forecast for {}", protection.mechanism);
        Failure::usage(message).hint("hds, piecewise, laplace and others have one")
    })?;
    Ok(ForecastOutput {
        dataset: dataset.name().into(),
        mechanism: protection.mechanism.clone(),
        epsilon: protection.epsilon,
        columns: features.columns(),
        alpha: propagation.alpha,
        r: propagation.exponent,
        contrast,
        forecast,
    })
}
