//! What can be asked of DPAR.

use serde::{Deserialize, Serialize};

use super::{PartialSettings, Request, RequestFields};
use crate::dpar::{Dpar, Mode, Settings};
use crate::privacy::unit::Relation;
use crate::release::DparRelease;
use crate::settings::listed;
use crate::{Error, Facts, Method, Result};

/// DPAR, or another of a curator's methods.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct DparRequest {
    /// What is promised, and how it is done.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub promise: DparPromise,
    /// Training method [default: gradient-descent; hidden-layer where people are many; class-sums where there are more
    /// columns than people and noise is large; smoothed-sgd with the published noise, and where a setting of training
    /// is given]
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_parser = crate::options::methods(&Method::CURATED)))]
    pub method: Option<Method>,
}

/// What people are promised, whichever method trains.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct DparPromise {
    /// Privacy budget of a person's presence (epsilon); in `paper` mode, the printed number
    #[cfg_attr(feature = "clap", arg(long))]
    pub epsilon: f64,
    /// Probability with which that bound may fail (delta) [default: the largest power of ten up to a tenth of
    /// one over the number of people; in `paper` mode 1e-4, whatever their number]
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long))]
    pub delta: Option<f64>,
    /// How noise is calibrated
    #[serde(default)]
    #[cfg_attr(feature = "clap", arg(long, value_enum, default_value_t))]
    pub mode: Mode,
    /// What is hidden: whether a person is there, who a person is, or each connection alone (for gap)
    #[serde(default = "presence")]
    #[cfg_attr(feature = "clap", arg(long, default_value_t = presence()))]
    #[cfg_attr(feature = "clap", arg(value_parser = crate::options::by_name(&Dpar::RELATIONS)))]
    pub relation: Relation,
    /// How it is done.
    #[serde(flatten)]
    #[cfg_attr(
        feature = "clap",
        command(flatten, next_help_heading = "Settings; those not given come from the mode")
    )]
    pub settings: PartialSettings<Settings>,
}

fn presence() -> Relation {
    Relation::NodeAbsent
}

impl RequestFields for DparRequest {
    fn example() -> Self {
        let settings = PartialSettings::all(&Settings::rigorous());
        let (mode, relation) = (Mode::default(), presence());
        let promise = DparPromise { epsilon: 1.0, delta: None, mode, relation, settings };
        Self { promise, method: None }
    }

    fn validate(&self) -> Result<()> {
        let method = self.method.unwrap_or(Method::SmoothedSgd);
        if !Method::CURATED.contains(&method) {
            let known = Method::CURATED.map(Method::name);
            return Err(crate::graph::Error::unknown_name("method", method.name(), known).into());
        }
        self.promise.trains(&[method])?;
        self.promise.system(method, None).map(drop)
    }
}

impl Request for DparRequest {
    type Release = DparRelease;

    /// Delta follows from how many people there are; the method, where none is named, from how many are trained on and
    /// how long their rows are.
    fn resolve(&self, facts: &Facts) -> Result<DparRelease> {
        self.validate()?;
        let (promise, people) = (&self.promise, Some(facts.total()));
        let hides_people = promise.relation != Relation::EdgeDp;
        let free = promise.mode == Mode::Rigorous && promise.of_training().is_none();
        let method = match self.method {
            Some(method) => method,
            None if hides_people && free => {
                let asked = promise.system(Method::SmoothedSgd, people)?;
                let columns = match asked.settings.projection {
                    0 => facts.columns,
                    short => short.min(facts.columns),
                };
                Method::for_people(asked.target, facts.learner_count(), columns, facts.classes)?
            }
            None => Method::SmoothedSgd,
        };
        promise.trains(&[method])?;
        Ok(DparRelease { system: promise.system(method, people)?, relation: promise.relation })
    }
}

impl DparPromise {
    /// The system of a method that keeps the promise to so many people; before people were counted, as far as it is
    /// known.
    ///
    /// # Errors
    /// If a number makes no sense.
    pub fn system(&self, method: Method, people: Option<usize>) -> Result<Dpar> {
        if !Dpar::RELATIONS.contains(&self.relation) {
            let known = Dpar::RELATIONS.map(Relation::name);
            let found = self.relation.name();
            return Err(crate::graph::Error::unknown_name("relation", found, known).into());
        }
        let target = self.mode.target(self.epsilon, self.delta, people)?;
        let settings = self.settings.over(Settings::of(self.mode))?;
        Dpar::new(method, self.mode, target, settings)
    }

    /// Refuses a setting of training where none of these methods trains.
    ///
    /// # Errors
    /// If one was given.
    pub fn trains(&self, methods: &[Method]) -> Result<()> {
        let trains = methods.iter().any(|method| method.has_model_settings());
        let Some(given) = self.of_training().filter(|_| !trains) else { return Ok(()) };
        let names: Vec<&str> = methods.iter().map(|method| method.name()).collect();
        let names = names.join(" or ");
        let reason = format!("this is a setting of training, and {names} does not train");
        Err(Error::request(
            given,
            reason,
            "leave it out, or name a method that trains: smoothed-sgd",
        ))
    }

    /// A setting of training that was given.
    fn of_training(&self) -> Option<String> {
        let known = listed(&Settings::of(self.mode).model).into_iter();
        known.map(|(name, _)| name).find(|name| self.settings.has(&name.replace('-', "_")))
    }
}
