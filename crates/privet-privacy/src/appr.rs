//! Who is near whom, privately: the best K nodes of a few rows of personalised PageRank, `dp-appr`.
//!
//! # Idea
//! A row holds the scores of all nodes as seen from one source. One person can change every entry of every
//! row, so entries (or whole rows) are clipped, and what leaves is a noisy choice of K nodes per row.
//! How scores are computed ([`Ranking`]) is no part of the proof: clipping bounds what it can do.
//!
//! # Equation
//! | [`RowNoise`] | clipping | what leaves of a row |
//! |---|---|---|
//! | `Gumbel` | entries to [0, C] | the K largest of `p + Gumbel(C/ε)` (DPAR, option I) |
//! | `GumbelAndValues` | entries to [0, C] | the same, and their entries `+ Laplace(K C/ε₂)` (option II) |
//! | `Gaussian` | rows to norm C | the K largest of `p + N(0, σ²C²)`, noise included |
//!
//! # Guarantee
//! With M sources, for [`Node`] and [`ReplacedNode`] alike:
//! * `Gumbel`: `M K × BoundedRange(2ε)`; `GumbelAndValues`: the same and `M K × Pure(ε₂/K)`;
//! * `Gaussian`: `M × Gaussian(σ/√2)`, that is, one Gaussian of sensitivity `√(2M) C` for all rows.
//!
//! *Proof.* The ids of all nodes, present or not, and the sources are public, so that the same sets are drawn
//! from on both sides. An entry lies in [0, C] on both sides and moves by at most C, up or down: one
//! pick is an exponential mechanism of range 2ε (Durfee and Rogers 2019), K picks without replacement are K
//! of them chosen adaptively. A released entry moves by at most C, so each costs ε₂/K. Two rows without
//! negative entries and of norm at most C have no negative inner product, so they are at most `√2 C`
//! apart, and M of them `√(2M) C`. The K largest noisy entries are post-processing of the noisy row. ∎
//!
//! # Paper
//! Zhang et al., "DPAR", WWW 2024, Algorithms 1 and 3.
//!
//! # Differs from paper
//! The candidates are a public list of ids: where only present nodes can be picked, naming a node proves that
//! it is there. The sensitivity of a row is `√2 C`, not C. Composition is left to the accountants, which ask for
//! some five times less noise than the printed formula.
//!
//! # Cost
//! One pass over all ids for each row, on all threads, in the memory of a row.
//!
//! # Numerics
//! Exact: picks and values are drawn on a lattice of 2²⁰ steps of C, Gaussian noise on one of its own
//! ([`RoundedGaussian`](crate::noise::RoundedGaussian)), where a row's norm is compared with C in integers. Two rows of
//! integers without negative entries are at most √2 C apart there, too.

mod rows;

use std::marker::PhantomData;

use serde_json::json;

use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::event::Event;
use crate::fault::{self, Fault};
use crate::loss::Epsilon;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Theorem};
use crate::noise::{NoiseSource, Numerics};
use crate::origin::{FirstParty, sealed::MechanismOrigin};
use crate::population::PublicShape;
use crate::unit::{Node, ReplacedNode, Unit};
use rows::Picker;

/// Computes how near nodes are to a source.
///
/// Nothing is asked of the scores: whatever they are, they are clipped. What must be public is the number of
/// nodes. It reads the data, so only Privet's own are trusted; one from outside does not compile without the feature
/// `unaudited`, and is stamped with it:
///
/// ```compile_fail
/// use privet_privacy::appr::Ranking;
/// struct Mine;
/// impl Ranking for Mine {
///     type Data = Vec<f32>;
///     fn universe(&self, nodes: &usize) -> usize { *nodes }
///     fn scores(&self, _: &Vec<f32>, _: u32) -> Vec<(u32, f64)> { Vec::new() }
/// }
/// ```
pub trait Ranking: FirstParty + Sync {
    /// What scores are computed from.
    type Data: PublicShape + Sync;

    /// How many ids there are in data of this shape, present or not.
    fn universe(&self, shape: &<Self::Data as PublicShape>::Shape) -> usize;

    /// The scores of the nodes around a source that are not 0. A node that is absent has none.
    fn scores(&self, data: &Self::Data, source: u32) -> Vec<(u32, f64)>;
}

/// Units that hold whole nodes: a neighbour may change every score, so that one proof is for both.
pub trait NodeUnit: Unit {}
impl NodeUnit for Node {}
impl NodeUnit for ReplacedNode {}

/// How a row is made private.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RowNoise {
    /// The best K by Gumbel noise of scale `C/epsilon`; names alone.
    Gumbel {
        /// Half of what a pick costs.
        epsilon: f64,
    },
    /// The same, and a noisy score for each.
    GumbelAndValues {
        /// Half of what a pick costs.
        epsilon: f64,
        /// What the K scores of a row cost together.
        values: f64,
    },
    /// Gaussian noise on the whole row, then its K largest entries.
    Gaussian {
        /// The deviation over C.
        deviation: f64,
    },
}

/// The public settings.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSettings {
    /// The sources, drawn from the ids without looking at the data.
    pub sources: Vec<u32>,
    /// How many ids there are, present or not.
    pub universe: u32,
    /// K: how many nodes are named per source.
    pub keep: usize,
    /// C: what an entry (or, for Gaussian noise, the norm of a row) is clipped to.
    pub clip: f64,
    /// The noise.
    pub noise: RowNoise,
}

/// What was named for one source, with a score each: noisy, or 1 where names alone were released.
pub type Picks = Vec<(u32, f64)>;

/// The best K nodes for each of M sources, protecting units `U`.
///
/// ```
/// use privet_privacy::appr::{DpAppr, Ranking, RowNoise, RowSettings};
/// use privet_privacy::noise::NoiseRng;
/// use privet_privacy::unit::Node;
/// use privet_privacy::{Ledger, Loss, Secret};
///
/// /// Each person ranks the next one first.
/// struct Circle;
/// # impl privet_privacy::FirstParty for Circle {}
/// impl Ranking for Circle {
///     type Data = Vec<f32>;
///     fn universe(&self, people: &usize) -> usize {
///         *people
///     }
///     fn scores(&self, people: &Vec<f32>, source: u32) -> Vec<(u32, f64)> {
///         vec![((source + 1) % people.len() as u32, 1.0)]
///     }
/// }
/// let noise = RowNoise::Gumbel { epsilon: 40.0 };
/// let settings = RowSettings { sources: vec![3, 9], universe: 10, keep: 1, clip: 0.5, noise };
/// let mechanism = DpAppr::<_, Node>::new(settings, Circle)?;
/// let mut ledger = Ledger::in_memory(Loss::new(200.0, 1e-5)?, NoiseRng::from_operating_system()?)?;
/// let named = ledger.release(&Secret::new(vec![0.0; 10]), &mechanism)?.into_inner();
/// assert_eq!((named[0][0].0, named[1][0].0), (4, 0));
/// # Ok::<(), privet_privacy::Error>(())
/// ```
#[derive(Debug)]
pub struct DpAppr<R, U: NodeUnit = Node> {
    settings: RowSettings,
    picker: Picker,
    event: Event,
    ranking: R,
    unit: PhantomData<fn() -> U>,
}

impl RowSettings {
    /// What it costs.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn event(&self) -> Result<Event> {
        let (rows, keep) = (self.sources.len() as u64, self.keep as u64);
        let picks = |epsilon: f64| -> Result<Event> {
            let moves = if fault::on(Fault::PicksChargedHalf) { 0.5 } else { 1.0 };
            let eta = moves * pick_budget(epsilon)?.as_f64();
            let picks = if fault::on(Fault::OnePickPerRowCharged) { rows } else { rows * keep };
            // M K exponential mechanisms, each of bounded range 2 epsilon (Dong, Durfee and Rogers 2020).
            Ok(Event::BoundedRange { eta }.repeated(picks))
        };
        let event = match self.noise {
            RowNoise::Gumbel { epsilon } => picks(epsilon)?,
            RowNoise::GumbelAndValues { epsilon, values } => {
                if fault::on(Fault::NoisyScoresNotCharged) {
                    return picks(epsilon);
                }
                let value = Epsilon::from(value_budget(values, keep)?);
                picks(epsilon)?.then(Event::Pure { epsilon: value }.repeated(rows * keep))
            }
            RowNoise::Gaussian { deviation } => {
                // Two clipped rows are at most √2 C apart.
                let apart = if fault::on(Fault::RootOfTwoDropped) { 1.0 } else { 2f64.sqrt() };
                let noise_multiplier = (deviation / apart).next_down();
                Event::Gaussian { noise_multiplier }.repeated(rows)
            }
        };
        event.validate()?;
        Ok(event)
    }

    fn check(&self) -> Result<()> {
        if self.keep == 0 || self.keep > self.universe as usize {
            return Err(Error::range("K", self.keep, "from 1 to the number of ids"));
        }
        if !(1e-30..=1e30).contains(&self.clip) {
            return Err(Error::range("clip", self.clip, "from 1e-30 to 1e30"));
        }
        match self.sources.iter().find(|&&source| source >= self.universe) {
            Some(source) => Err(Error::range("source", source, "below the number of ids")),
            None => Ok(()),
        }
    }
}

/// A pick by Gumbel(C/epsilon) has range 2 epsilon.
fn pick_budget(epsilon: f64) -> Result<Budget> {
    Budget::from_epsilon(2.0 * epsilon)
}

fn value_budget(values: f64, keep: u64) -> Result<Budget> {
    Budget::from_epsilon(values)?.divided_by(keep.max(1))
}

impl<R: Ranking, U: NodeUnit> DpAppr<R, U> {
    /// A release with these settings.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn new(settings: RowSettings, ranking: R) -> Result<Self> {
        settings.check()?;
        let (event, picker) = (settings.event()?, Picker::new(&settings)?);
        Ok(Self { settings, picker, event, ranking, unit: PhantomData })
    }
}

impl<R: Ranking, U: NodeUnit> MechanismOrigin for DpAppr<R, U> {
    const AUDITED: bool = R::AUDITED;
}

impl<R: Ranking, U: NodeUnit> Mechanism for DpAppr<R, U> {
    type Unit = U;

    fn name(&self) -> &'static str {
        "dp-appr"
    }

    fn event(&self) -> Event {
        self.event.clone()
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "clipped scores move by at most the clip norm; each pick is an exponential mechanism \
                        of bounded range, a noisy row one Gaussian of sensitivity √2 C"
                .into(),
            proof: "privet_privacy::appr, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        Numerics::Exact
    }

    fn parameters(&self) -> MechanismParameters {
        let settings = &self.settings;
        let (kind, strength) = match settings.noise {
            RowNoise::Gumbel { epsilon } => ("gumbel", json!({ "epsilon": epsilon })),
            RowNoise::GumbelAndValues { epsilon, values } => {
                ("gumbel-and-values", json!({ "epsilon": epsilon, "values": values }))
            }
            RowNoise::Gaussian { deviation } => ("gaussian", json!({ "deviation": deviation })),
        };
        MechanismParameters::from([
            ("sources".into(), json!(settings.sources.len())),
            ("ids".into(), json!(settings.universe)),
            ("top-k".into(), json!(settings.keep)),
            ("clip".into(), json!(settings.clip)),
            ("noise".into(), json!(kind)),
            ("strength".into(), strength),
        ])
    }

    fn assumes_public(&self) -> Vec<String> {
        vec!["the ids of all nodes, present or not".into(), "which of them are sources".into()]
    }
}

impl<R: Ranking, U: NodeUnit> Central for DpAppr<R, U> {
    type Input = R::Data;
    type Output = Vec<Picks>;

    fn check(&self, shape: &<R::Data as PublicShape>::Shape) -> Result<()> {
        let (found, expected) = (self.ranking.universe(shape), self.settings.universe as usize);
        match found == expected {
            true => Ok(()),
            false => Err(Error::shape("node ids", found, "dp-appr", expected)),
        }
    }

    fn sample<N: NoiseSource>(&self, data: &R::Data, noise: N, _permit: Permit<'_>) -> Vec<Picks> {
        noise.map_users(self.settings.sources.len(), |row, stream| {
            let scores = self.ranking.scores(data, self.settings.sources[row]);
            // Absent sources get a row as well: their scores are 0, so presence does not show.
            self.picker.pick(&scores, stream)
        })
    }
}

#[cfg(test)]
mod tests;
