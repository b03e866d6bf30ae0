//! What happened, in the words accountants understand.
//!
//! An [`Event`] says exactly as much about a release as a proof of its privacy needs, and nothing about
//! data. It is what a mechanism claims, what the ledger stores, and what every accountant reads: the
//! same event can be priced by several accountants, and a card can be recomputed from it years later,
//! so its serialised names are stable.
//!
//! Neighbouring relations are not part of an event (the ledger keeps one relation per account), with
//! three exceptions that only have a meaning in one relation: [`Event::FixedSizeSampled`] (replace one
//! record), [`Event::MixtureOfGaussians`] (a node's rows are present or absent) and
//! [`Event::ReplacedRows`] (a node's rows are replaced).

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::error::{Error, Result};
use crate::loss::{Delta, Epsilon};

/// Nested deeper than this, an event is refused: no real event is, and recursion must end.
const MAX_DEPTH: usize = 64;
/// More rows than this per node cost more time than any table in use needs.
const MAX_ROWS: u32 = 10_000;

/// What happened: necessary and sufficient for any accountant.
///
/// ```
/// use privet_privacy::event::Event;
/// let step = Event::Gaussian { noise_multiplier: 2.0 }.poisson_sampled(0.1).repeated(500);
/// step.validate()?;
/// assert_eq!(
///     step.to_string(),
///     "500 times (Gaussian noise of multiplier 2 on a Poisson sample of rate 0.1)",
/// );
/// # Ok::<(), privet_privacy::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields, remote = "Self")]
#[non_exhaustive]
pub enum Event {
    /// Nothing private was read.
    Nothing,
    /// Private data was released without protection.
    NonPrivate,
    /// Any mechanism that is `epsilon`-DP.
    Pure {
        /// The bound on the log-likelihood ratio.
        epsilon: Epsilon,
    },
    /// Any mechanism that is `(epsilon, delta)`-DP.
    Approximate {
        /// The bound on the privacy loss.
        epsilon: Epsilon,
        /// Failure probability (delta).
        delta: Delta,
    },
    /// A mechanism whose log-likelihood ratio stays within an interval of length `eta` for each pair of
    /// neighbours: the exponential mechanism, or one pick by Gumbel noise.
    BoundedRange {
        /// The length of that interval.
        eta: f64,
    },
    /// Laplace noise.
    Laplace {
        /// The scale over the l1 sensitivity.
        noise_multiplier: f64,
    },
    /// The true category with probability `e^epsilon / (e^epsilon + categories - 1)`, else another one.
    RandomizedResponse {
        /// The log-ratio of keeping to naming one given other category.
        epsilon: Epsilon,
        /// How many categories there are: at least 2.
        categories: u32,
    },
    /// Gaussian noise.
    Gaussian {
        /// The standard deviation over the l2 sensitivity.
        noise_multiplier: f64,
    },
    /// Any mechanism that is `rho`-zCDP.
    ZeroConcentrated {
        /// Its Rényi divergence of order `a` is at most `rho a`, for all `a > 1`.
        rho: f64,
    },
    /// The inner event on a sample that holds each record independently (add or remove one record).
    PoissonSampled {
        /// The probability of each record to be in the sample.
        rate: f64,
        /// What was done to the sample.
        event: Box<Event>,
    },
    /// The inner event on a uniformly drawn sample of fixed size (replace one record).
    FixedSizeSampled {
        /// How many records were drawn.
        size: u64,
        /// From how many.
        population: u64,
        /// What was done to the sample; its sensitivity is that of replacing one record.
        event: Box<Event>,
    },
    /// Gaussian noise on a sum of row contributions; each row is in the batch independently, and one
    /// node owns at most `max_rows` rows, all present or all absent.
    MixtureOfGaussians {
        /// The standard deviation over the largest norm of one row's contribution.
        noise_multiplier: f64,
        /// The most rows one node can touch.
        max_rows: u32,
        /// The probability of each row to be in the batch.
        rate: f64,
    },
    /// Gaussian noise on a sum of row contributions of which one node owns at most `max_rows`, when all of
    /// them may change at once (replace one node). Each can move by twice its largest norm.
    ReplacedRows {
        /// The standard deviation over the largest norm of one row's contribution.
        noise_multiplier: f64,
        /// The most rows one node can touch.
        max_rows: u32,
        /// How the rows of a batch are drawn.
        batch: BatchSampling,
    },
    /// Everything that read one data subsample, amplified once as a whole.
    SubsampledOnce {
        /// The probability of each record to be in the subsample.
        rate: f64,
        /// The composition of everything that read it.
        event: Box<Event>,
    },
    /// The same kind of event, chosen adaptively, several times.
    Repeated {
        /// What was repeated.
        event: Box<Event>,
        /// How often.
        times: u64,
    },
    /// One event after the other, each may depend on the results before.
    Sequence {
        /// The events, in order.
        events: Vec<Event>,
    },
}

/// How the rows of a batch are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum BatchSampling {
    /// Each row independently.
    Poisson {
        /// The probability of each row to be in the batch.
        rate: f64,
    },
    /// So many rows, uniformly and without repetition.
    FixedSize {
        /// How many rows are drawn.
        size: u64,
        /// From how many.
        population: u64,
    },
}

impl Event {
    /// This event, several times over.
    #[must_use]
    pub fn repeated(self, times: u64) -> Self {
        Self::Repeated { event: Box::new(self), times }
    }

    /// This event on a Poisson sample.
    #[must_use]
    pub fn poisson_sampled(self, rate: f64) -> Self {
        Self::PoissonSampled { rate, event: Box::new(self) }
    }

    /// This event on one data subsample that nothing else reads.
    #[must_use]
    pub fn subsampled_once(self, rate: f64) -> Self {
        Self::SubsampledOnce { rate, event: Box::new(self) }
    }

    /// This event, and then another one.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        match self {
            Self::Nothing => next,
            Self::Sequence { mut events } => {
                // Flat, not nested: a thousand releases would otherwise be a thousand levels deep.
                events.push(next);
                Self::Sequence { events }
            }
            first => Self::Sequence { events: vec![first, next] },
        }
    }

    /// Checks every number in the event; accountants call this before they state anything.
    pub fn validate(&self) -> Result<()> {
        self.validate_at(0)
    }

    fn validate_at(&self, depth: usize) -> Result<()> {
        // Events come from files: a nesting without end must not exhaust the stack.
        if depth > MAX_DEPTH {
            return Err(Error::range("event depth", depth, "at most 64"));
        }
        match self {
            Self::Nothing | Self::NonPrivate | Self::Pure { .. } | Self::Approximate { .. } => {
                Ok(())
            }
            Self::BoundedRange { eta } => finite("eta", *eta),
            Self::ZeroConcentrated { rho } => finite("rho", *rho),
            Self::Laplace { noise_multiplier } | Self::Gaussian { noise_multiplier } => {
                positive("noise_multiplier", *noise_multiplier)
            }
            Self::RandomizedResponse { categories, .. } if *categories < 2 => {
                Err(Error::range("categories", categories, "at least 2"))
            }
            Self::RandomizedResponse { .. } => Ok(()),
            Self::PoissonSampled { rate, event } | Self::SubsampledOnce { rate, event } => {
                probability("rate", *rate)?;
                event.validate_at(depth + 1)
            }
            Self::FixedSizeSampled { size, population, event } => {
                sample(*size, *population)?;
                event.validate_at(depth + 1)
            }
            Self::MixtureOfGaussians { noise_multiplier, max_rows, rate } => {
                positive("noise_multiplier", *noise_multiplier)?;
                rows(*max_rows)?;
                probability("rate", *rate)
            }
            Self::ReplacedRows { noise_multiplier, max_rows, batch } => {
                positive("noise_multiplier", *noise_multiplier)?;
                rows(*max_rows)?;
                match *batch {
                    BatchSampling::Poisson { rate } => probability("rate", rate),
                    BatchSampling::FixedSize { size, population } => sample(size, population),
                }
            }
            Self::Repeated { event, .. } => event.validate_at(depth + 1),
            Self::Sequence { events } => {
                events.iter().try_for_each(|event| event.validate_at(depth + 1))
            }
        }
    }
}

fn rows(max_rows: u32) -> Result<()> {
    if (1..=MAX_ROWS).contains(&max_rows) {
        Ok(())
    } else {
        Err(Error::range("max_rows", max_rows, "from 1 to 10000"))
    }
}

fn sample(size: u64, population: u64) -> Result<()> {
    if size <= population && population > 0 {
        Ok(())
    } else {
        Err(Error::range("size", size, "at most the population, which is not empty"))
    }
}

fn finite(field: &'static str, value: f64) -> Result<()> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(Error::range(field, value, "a finite number of at least 0"))
    }
}

fn positive(field: &'static str, value: f64) -> Result<()> {
    // Squares of noise multipliers must neither overflow nor vanish.
    if (1e-100..=1e100).contains(&value) {
        Ok(())
    } else {
        Err(Error::range(field, value, "from 1e-100 to 1e100"))
    }
}

fn probability(field: &'static str, value: f64) -> Result<()> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(Error::range(field, value, "from 0 to 1"))
    }
}

// `remote = "Self"` derives inherent functions of these names; the traits call them and then validate,
// so that an event read from a file is as trustworthy as one that was built here.
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let event = Self::deserialize(deserializer)?;
        event.validate().map_err(serde::de::Error::custom)?;
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_on_disk_are_stable() {
        let event = Event::MixtureOfGaussians { noise_multiplier: 1.5, max_rows: 3, rate: 0.25 }
            .repeated(800)
            .then(Event::Pure { epsilon: Epsilon::new(0.5).unwrap() })
            .subsampled_once(0.09);
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(
            text,
            concat!(
                r#"{"kind":"subsampled-once","rate":0.09,"event":{"kind":"sequence","events":["#,
                r#"{"kind":"repeated","event":{"kind":"mixture-of-gaussians","noise_multiplier":1.5,"#,
                r#""max_rows":3,"rate":0.25},"times":800},{"kind":"pure","epsilon":0.5}]}}"#
            )
        );
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
        let infinite = Event::Pure { epsilon: Epsilon::INFINITE };
        let text = serde_json::to_string(&infinite).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), infinite);
    }

    #[test]
    fn what_is_read_is_checked() {
        for bad in [
            r#"{"kind":"gaussian","noise_multiplier":0}"#,
            r#"{"kind":"gaussian","noise_multiplier":-1}"#,
            r#"{"kind":"gaussian"}"#,
            r#"{"kind":"gaussian","noise_multiplier":1,"rate":0.5}"#,
            r#"{"kind":"pure","epsilon":-1}"#,
            r#"{"kind":"approximate","epsilon":1,"delta":2}"#,
            r#"{"kind":"poisson-sampled","rate":1.5,"event":{"kind":"nothing"}}"#,
            r#"{"kind":"fixed-size-sampled","size":3,"population":2,"event":{"kind":"nothing"}}"#,
            r#"{"kind":"randomized-response","epsilon":1,"categories":1}"#,
            r#"{"kind":"mixture-of-gaussians","noise_multiplier":1,"max_rows":0,"rate":0.5}"#,
            r#"{"kind":"repeated","times":-1,"event":{"kind":"nothing"}}"#,
            r#"{"kind":"magic"}"#,
            r#"{"kind":"replaced-rows","noise_multiplier":1,"max_rows":1,"batch":{"poisson":{"rate":2}}}"#,
        ] {
            assert!(serde_json::from_str::<Event>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn depth_is_bounded() {
        let mut event = Event::Nothing;
        for _ in 0..=MAX_DEPTH {
            event = event.repeated(1);
        }
        assert!(event.validate().is_err());
    }

    #[test]
    fn people_can_read_it() {
        let event = Event::BoundedRange { eta: 0.5 }.repeated(2).then(Event::NonPrivate);
        assert_eq!(
            event.to_string(),
            "2 times (a pick of bounded range 0.5); then a release without protection"
        );
    }
}
