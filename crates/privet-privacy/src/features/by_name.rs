//! [`FeatureMechanism`]: any mechanism for feature rows, chosen by its name.

use super::FeatureReport;
use super::decode::{DecodeRows, Decoding};
use super::feature_rr::FeatureRr;
use super::gaussian::Gaussian;
use super::scaling::Scale;
use super::theta::Theta;
use super::{Duchi, Hds, Hybrid, Laplace, MultiBit, Piecewise, PmSub, SquareWave, ThreeOutputs};
use super::{EntryMoments, SampledCoordinates, Scheme};
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::mechanism::{Disclose, Local, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{Numerics, RandomWords};
use crate::origin::shipped;
use crate::population::{FeatureRecord, TableShape};
use crate::public::Public;
use crate::unit::FeatureRow;

/// Bins of FeatureRR by default.
const DEFAULT_BINS: u32 = 10;

/// What some mechanisms need and others refuse.
#[derive(Debug, Clone, Default, serde::Serialize)]
pub struct FeatureSettings {
    /// How many columns a user reports; the mechanism's own recommendation if not given.
    pub k: Option<usize>,
    /// The delta of the Gaussian mechanism; the others have none.
    pub delta: Option<f64>,
    /// The bins of FeatureRR (10 if not given).
    pub bins: Option<u32>,
    /// The shares of FeatureRR (equal ones if not given).
    pub theta: Option<Public<Theta>>,
}

macro_rules! mechanisms {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Any mechanism for feature rows.
        ///
        /// ```
        /// use privet_graph::{Bounds, BoundsOrigin};
        /// use privet_privacy::features::{FeatureMechanism, Scale, FeatureSettings};
        /// let bounds = Bounds::uniform(0.0, 1.0, BoundsOrigin::Declared)?;
        /// let scale = Scale::new(500, Some(&bounds))?;
        /// let settings = FeatureSettings { k: Some(20), ..FeatureSettings::default() };
        /// let mechanism = FeatureMechanism::build("hds", 1.0, scale, &settings)?;
        /// assert!(matches!(mechanism, FeatureMechanism::Hds(_)));
        /// # Ok::<(), Box<dyn std::error::Error>>(())
        /// ```
        #[derive(Debug)]
        pub enum FeatureMechanism {
            $($(#[$doc])* $variant($variant),)*
        }

        impl FeatureMechanism {
            /// All names.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
        }

        /// Runs the expression on whichever mechanism it is.
        macro_rules! each {
            ($self:expr, $mechanism:ident => $work:expr) => {
                match $self { $(FeatureMechanism::$variant($mechanism) => $work,)* }
            };
        }
    };
}

mechanisms! {
    /// Discrete Laplace noise on all columns.
    Laplace = "laplace",
    /// Two-point reports on all columns.
    Duchi = "duchi",
    /// PM on k of d columns.
    Piecewise = "piecewise",
    /// PM or Duchi on k of d columns.
    Hybrid = "hybrid",
    /// Two-point reports on k of d columns.
    MultiBit = "multi-bit",
    /// Three-point reports on k of d columns.
    ThreeOutputs = "three-outputs",
    /// PM-SUB on k of d columns.
    PmSub = "pm-sub",
    /// Gaussian noise on all columns.
    Gaussian = "gaussian",
    /// The square wave on all columns.
    SquareWave = "square-wave",
    /// The square wave on k of d columns.
    Hds = "hds",
    /// Graded response over bins on all columns.
    FeatureRr = "feature-rr",
}

/// Runs the expression on a mechanism that applies one law to sampled columns, if it is one.
macro_rules! each_sampled {
    ($self:expr, $mechanism:ident => $work:expr) => {
        match $self {
            Self::Laplace($mechanism) => Some($work),
            Self::Duchi($mechanism) => Some($work),
            Self::Piecewise($mechanism) => Some($work),
            Self::Hybrid($mechanism) => Some($work),
            Self::MultiBit($mechanism) => Some($work),
            Self::ThreeOutputs($mechanism) => Some($work),
            Self::PmSub($mechanism) => Some($work),
            Self::SquareWave($mechanism) => Some($work),
            Self::Hds($mechanism) => Some($work),
            Self::Gaussian(_) | Self::FeatureRr(_) => None,
        }
    };
}

impl FeatureMechanism {
    /// The mechanism of that name, at `epsilon` for a whole row.
    ///
    /// # Errors
    /// If there is no such mechanism, a setting does not belong to it or is out of range, or epsilon is.
    pub fn build(
        name: &str,
        epsilon: f64,
        scale: Scale,
        settings: &FeatureSettings,
    ) -> Result<Self> {
        settings.check(name)?;
        Ok(match name {
            "laplace" => Self::Laplace(sampled(epsilon, scale, settings)?),
            "duchi" => Self::Duchi(sampled(epsilon, scale, settings)?),
            "piecewise" => Self::Piecewise(sampled(epsilon, scale, settings)?),
            "hybrid" => Self::Hybrid(sampled(epsilon, scale, settings)?),
            "multi-bit" => Self::MultiBit(sampled(epsilon, scale, settings)?),
            "three-outputs" => Self::ThreeOutputs(sampled(epsilon, scale, settings)?),
            "pm-sub" => Self::PmSub(sampled(epsilon, scale, settings)?),
            "square-wave" => Self::SquareWave(sampled(epsilon, scale, settings)?),
            "hds" => Self::Hds(sampled(epsilon, scale, settings)?),
            "gaussian" => {
                let Some(delta) = settings.delta else {
                    return Err(Error::range(
                        "delta",
                        "missing",
                        "given for the Gaussian mechanism",
                    ));
                };
                Self::Gaussian(Gaussian::new(epsilon, delta, scale)?)
            }
            "feature-rr" => {
                let bins = settings.bins.unwrap_or(DEFAULT_BINS);
                let equal = Public::declared(Theta::uniform(scale.columns())?);
                let theta = settings.theta.as_ref().unwrap_or(&equal);
                Self::FeatureRr(FeatureRr::new(epsilon, bins, theta, scale)?)
            }
            _ => {
                let found = format!("`{name}` (known: {})", Self::NAMES.join(", "));
                return Err(Error::range("feature mechanism", found, "one of the known names"));
            }
        })
    }
}

impl FeatureMechanism {
    /// Mean and variance of a decoded entry whose true value is `value`, in closed form; `None` for
    /// the two mechanisms that do not sample columns by one law.
    pub fn moments(&self, column: u32, value: f32, decoding: Decoding) -> Option<EntryMoments> {
        each_sampled!(self, mechanism => mechanism.moments(column, value, decoding))
    }

    /// The largest size of a decoded entry, infinite for Laplace noise; `None` as for
    /// [`moments`](Self::moments).
    pub fn largest_entry(&self, column: u32, decoding: Decoding) -> Option<f64> {
        each_sampled!(self, mechanism => mechanism.largest_entry(column, decoding))
    }

    /// How many columns a user reports.
    pub fn k(&self) -> usize {
        each_sampled!(self, mechanism => mechanism.k()).unwrap_or(self.scale().columns())
    }
}

impl FeatureSettings {
    /// A setting that the mechanism would ignore is a mistake.
    fn check(&self, name: &str) -> Result<()> {
        let refused = |field, given: bool, belongs: bool| match given && !belongs {
            true => Err(Error::range(field, format!("given for {name}"), "left out: it has none")),
            false => Ok(()),
        };
        let (gaussian, binned) = (name == "gaussian", name == "feature-rr");
        refused("k", self.k.is_some(), !gaussian && !binned)?;
        refused("delta", self.delta.is_some(), gaussian)?;
        refused("bins", self.bins.is_some(), binned)?;
        refused("theta", self.theta.is_some(), binned)
    }
}

fn sampled<S: Scheme>(
    epsilon: f64,
    scale: Scale,
    settings: &FeatureSettings,
) -> Result<SampledCoordinates<S>> {
    match settings.k {
        Some(k) => SampledCoordinates::with_k(epsilon, scale, k),
        None => SampledCoordinates::new(epsilon, scale),
    }
}

shipped!(FeatureMechanism);

impl Mechanism for FeatureMechanism {
    type Unit = FeatureRow;

    fn name(&self) -> &'static str {
        each!(self, mechanism => mechanism.name())
    }

    fn event(&self) -> Event {
        if fault::on(Fault::NamedMechanismsFree) {
            return Event::Nothing;
        }
        each!(self, mechanism => mechanism.event())
    }

    fn theorem(&self) -> Theorem {
        each!(self, mechanism => mechanism.theorem())
    }

    fn numerics(&self) -> Numerics {
        each!(self, mechanism => mechanism.numerics())
    }

    fn parameters(&self) -> MechanismParameters {
        each!(self, mechanism => mechanism.parameters())
    }

    fn status(&self) -> Status {
        each!(self, mechanism => mechanism.status())
    }

    fn assumes_public(&self) -> Vec<String> {
        each!(self, mechanism => mechanism.assumes_public())
    }
}

impl Local for FeatureMechanism {
    type Population = privet_graph::Features;
    type Report = FeatureReport;

    fn check(&self, shape: &TableShape) -> Result<()> {
        each!(self, mechanism => mechanism.check(shape))
    }

    fn randomize<W: RandomWords>(
        &self,
        record: FeatureRecord<'_>,
        noise: &mut W,
        permit: Permit<'_>,
    ) -> FeatureReport {
        each!(self, mechanism => mechanism.randomize(record, noise, permit))
    }
}

impl Disclose for FeatureMechanism {
    fn disclose(&self, record: FeatureRecord<'_>, permit: Permit<'_>) -> FeatureReport {
        each!(self, mechanism => mechanism.disclose(record, permit))
    }
}

impl DecodeRows for FeatureMechanism {
    fn scale(&self) -> &Scale {
        each!(self, mechanism => mechanism.scale())
    }

    fn value(&self, column: u32, level: i64, decoding: Decoding) -> f64 {
        each!(self, mechanism => mechanism.value(column, level, decoding))
    }

    fn disclosed(&self, column: u32, value: f32, decoding: Decoding) -> f64 {
        each!(self, mechanism => mechanism.disclosed(column, value, decoding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accountant;
    use crate::features::testing::scale;
    use crate::loss::Delta;

    #[test]
    fn every_name_builds_the_mechanism_of_that_name() {
        for &name in FeatureMechanism::NAMES {
            let delta = (name == "gaussian").then_some(1e-5);
            let settings = FeatureSettings { delta, ..FeatureSettings::default() };
            let built = FeatureMechanism::build(name, 1.0, scale(12), &settings).unwrap();
            assert_eq!(built.name(), name);
            assert!(built.event().validate().is_ok());
            let at = Delta::new(delta.unwrap_or(0.0)).unwrap();
            let cost = accountant::best(&built.event(), at).unwrap().value.get();
            assert!((cost - 1.0).abs() < 1e-6, "{name} claims {cost}");
            assert_eq!(built.numerics(), Numerics::Exact, "{name}");
            assert!(!built.assumes_public().is_empty());
        }
    }

    #[test]
    fn settings_that_do_not_belong_are_refused() {
        let build = |name, settings: &FeatureSettings| {
            FeatureMechanism::build(name, 1.0, scale(12), settings).unwrap_err().to_string()
        };
        let plain = FeatureSettings::default();
        let wrong = build("magic", &plain);
        assert!(wrong.contains("`magic`") && wrong.contains("square-wave"), "{wrong}");
        assert!(build("gaussian", &plain).contains("delta is missing"));
        let with_k = FeatureSettings { k: Some(3), ..FeatureSettings::default() };
        assert!(build("feature-rr", &with_k).contains("k is given for feature-rr"));
        let with_delta = FeatureSettings { delta: Some(0.1), ..FeatureSettings::default() };
        assert!(build("hds", &with_delta).contains("delta"));
        for k in [0, 13] {
            let settings = FeatureSettings { k: Some(k), ..FeatureSettings::default() };
            assert!(build("hds", &settings).contains("from 1 to the number of columns"));
        }
    }
}
