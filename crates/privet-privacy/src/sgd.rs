//! DP-SGD: training by noisy sums of clipped gradients, `dp-sgd`.
//!
//! # Idea
//! Draw a batch in secret, cut every row's gradient down to norm C, add them up, add Gaussian noise of
//! deviation σC, let the model take a step; repeat. Sampling, clipping, summing and noise happen here; the
//! model ([`Learner`]) is outside and sees only parameters that are public by then.
//!
//! # Equation
//! `θ ← step(θ, (Σ_{i ∈ batch} ∇_i min(1, C/|∇_i|) + N(0, σ²C² I)) / B)`, with B the *expected* size of a
//! batch, which is public (the drawn size is not).
//!
//! # Guarantee
//! For `T` steps, with q the chance of a row to be in a batch, and a protected unit that owns (or is read by)
//! at most m rows ([`RowShare`]):
//!
//! | unit | batch | m = 1 | more rows |
//! |---|---|---|---|
//! | [`Record`], [`Node`]: there or not | Poisson | `T × PoissonSampled(q, Gaussian(σ))` | `T × MixtureOfGaussians(σ, m, q)` |
//! | the same | fixed size | refused | refused |
//! | [`ReplacedRecord`], [`ReplacedNode`]: changed at will | Poisson | `T × ReplacedRows(σ, 1, q)` | `T × ReplacedRows(σ, m, q)` |
//! | the same | fixed size | `T × FixedSizeSampled(Gaussian(σ/2))` | `T × ReplacedRows(σ, m, size)` |
//!
//! Where rows read a *secret* list of neighbours ([`RowShare::Neighbours`], at most D by assumption), m = D + 1 rows are
//! replaced for [`Node`] and m = 2D + 1 for [`ReplacedNode`], and the lower half of the table holds for both.
//!
//! *Proof.* Fix a step and the parameters before it. By the [`Learner`]'s contract a row's gradient is a
//! function of that row and the parameters, and clipping bounds its norm by C. *There or not*: without the
//! unit its rows contribute 0, so the sum differs by at most m vectors of norm C, each present if its row is
//! in the batch. With one row this is the Poisson-sampled Gaussian of sensitivity C (Abadi et al. 2016;
//! Mironov, Talwar and Zhang 2019), with more the pair of [`Event::MixtureOfGaussians`] dominates (by Kahane's
//! inequality). A fixed-size batch would tell by its other rows how many of the unit's were drawn, so there is
//! no such pair, and the combination is refused. *Changed at will*: a row can move its gradient from one end
//! of the ball to the other, by 2C, hence σ/2; for more rows see [`Event::ReplacedRows`]. *Neighbours*: among
//! graphs in which no node has more than D neighbours, taking a node away takes its own row, and the rows of its at
//! most D neighbours read what is left of their lists. They do not vanish: the curator without the node does not
//! know who read it. So D + 1 rows go from one place of the ball to another (one of them to its centre), and no other
//! row changes. A node that becomes another person leaves at most D lists and enters at most D others. Steps compose
//! adaptively, since each only sees parameters computed from the steps before. Dividing by the public B,
//! momentum, and any optimiser are post-processing. ∎
//!
//! # Paper
//! Abadi et al., CCS 2016. Norms of rank-one gradients: Goodfellow 2015; of sums of them, as when a row
//! aggregates over nodes: the same with Gram matrices.
//!
//! # Differs from paper
//! Batches are really drawn as accounted: anew for every step, from the privacy noise, each row on its own
//! (implementations often shuffle once and account for Poisson sampling). A gradient that is not a number
//! counts as 0, so that a record cannot spoil the sum.
//!
//! # Cost
//! A coin per row and step, one multiplication per weight that a row touches, one Gaussian per parameter.
//! The variance of a parameter's noise is `σ²C²/B²`.
//!
//! # Numerics
//! Clipped gradients are integers whose norm is compared with C exactly (`quantize.rs`), sums are integers, and so is their
//! noise ([`RoundedGaussian`](crate::noise::RoundedGaussian)). The rate is rounded down to a multiple of 2⁻⁶²; coins and
//! subsets are exact. What is left is the premise that a row's gradient depends on that row and the parameters alone.
//! Learners that compute it row by row ([`Learner::ROW_BY_ROW`]) keep it to the last bit, and training is exact. Networks
//! multiply whole batches: in which order a product adds up may depend on how many rows there are, so that a row more
//! can move the others' gradients by a rounding error. That is proved for real numbers only, and their training is
//! called idealized.

mod clip;
mod learner;
mod quantize;
mod sum;

use std::marker::PhantomData;

use serde_json::json;

pub use learner::{Bias, Factors, Layer, Learner, NoisyGradient, RowTerms};

use crate::error::{Error, Result};
use crate::event::{BatchSampling, Event};
use crate::fault::{self, Fault};
use crate::features::subset::map_subset;
use crate::lattice::Lattice;
use crate::mechanism::{Central, Mechanism, MechanismParameters, Permit, Status, Theorem};
use crate::noise::{Bernoulli, NoiseSource, Numerics};
use crate::origin::sealed::MechanismOrigin;
use crate::population::PublicShape;
use crate::unit::{Node, Record, ReplacedNode, ReplacedRecord, Unit};
use quantize::GradientLattice;

/// How many training rows read from one protected unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowShare {
    /// Each unit is one row: rows are independent records.
    Alone,
    /// A unit occurs in at most so many rows (its own, and those that aggregate over it). The builder of
    /// the rows must enforce it.
    UpTo(u32),
    /// A row reads its own unit and its neighbours, who they are being secret too. No node has more neighbours than
    /// this: an assumption on the data, which nothing here can enforce.
    Neighbours(u32),
}

impl RowShare {
    /// The most rows that one unit can change.
    fn max_rows(self, neighbours: Neighbours) -> u32 {
        match (self, neighbours) {
            (Self::Alone, _) => 1,
            (Self::UpTo(rows), _) => {
                if fault::on(Fault::HubCountedAsOneRow) {
                    1
                } else {
                    rows
                }
            }
            (Self::Neighbours(most), Neighbours::ThereOrNot) => {
                // The node's own row, and one row of each neighbour that reads it.
                most.saturating_add(u32::from(!fault::on(Fault::OwnRowNotCounted)))
            }
            (Self::Neighbours(most), Neighbours::Replaced) => {
                // Old and new neighbours: up to D rows stop reading the node and D others begin, and its own row
                // changes.
                most.saturating_mul(2).saturating_add(1)
            }
        }
    }
}

/// What a neighbouring data set may do with the rows of one unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Neighbours {
    /// They are there, or contribute nothing.
    ThereOrNot,
    /// They say something else.
    Replaced,
}

/// A unit that training can protect.
pub trait TrainingUnit: Unit {
    /// What its relation lets the rows do.
    const NEIGHBOURS: Neighbours;
}

impl TrainingUnit for Record {
    const NEIGHBOURS: Neighbours = Neighbours::ThereOrNot;
}

impl TrainingUnit for Node {
    const NEIGHBOURS: Neighbours = Neighbours::ThereOrNot;
}

impl TrainingUnit for ReplacedRecord {
    const NEIGHBOURS: Neighbours = Neighbours::Replaced;
}

impl TrainingUnit for ReplacedNode {
    const NEIGHBOURS: Neighbours = Neighbours::Replaced;
}

/// The public settings of a training run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SgdSettings {
    /// Number of steps.
    pub steps: u64,
    /// How many training rows there are; public.
    pub rows: u64,
    /// How the rows of a batch are drawn.
    pub batch: BatchSampling,
    /// How many rows read from one protected unit.
    pub share: RowShare,
    /// C: the norm no row's gradient exceeds.
    pub clip_norm: f64,
    /// σ: the deviation of the noise on the sum, over C.
    pub noise_multiplier: f64,
}

impl SgdSettings {
    /// The expected number of rows in a batch.
    pub fn expected_batch(&self) -> f64 {
        match self.batch {
            BatchSampling::Poisson { rate } => rate * self.rows as f64,
            BatchSampling::FixedSize { size, .. } => size as f64,
        }
    }

    /// What one step costs.
    ///
    /// # Errors
    /// If there is no theorem for the combination, or a number is out of range.
    pub fn step_event(&self, neighbours: Neighbours) -> Result<Event> {
        let (noise_multiplier, max_rows) = (self.noise_multiplier, self.share.max_rows(neighbours));
        let event = match (neighbours, self.batch, max_rows) {
            (Neighbours::ThereOrNot, batch @ BatchSampling::Poisson { .. }, _)
                if matches!(self.share, RowShare::Neighbours(_))
                    && !fault::on(Fault::NeighboursRowsVanish) =>
            {
                // The rows of neighbours stay, and say something else.
                Event::ReplacedRows { noise_multiplier, max_rows, batch }
            }
            (Neighbours::ThereOrNot, BatchSampling::Poisson { rate }, 1) => {
                Event::Gaussian { noise_multiplier }.poisson_sampled(rate)
            }
            (Neighbours::ThereOrNot, BatchSampling::Poisson { rate }, _) => {
                Event::MixtureOfGaussians { noise_multiplier, max_rows, rate }
            }
            (Neighbours::ThereOrNot, BatchSampling::FixedSize { .. }, _) => {
                let expected = "Poisson: whether a record is there has no theorem for a fixed size";
                return Err(Error::range("batch", self.batch, expected));
            }
            (Neighbours::Replaced, BatchSampling::FixedSize { size, population }, 1) => {
                // Replacing a row moves its clipped gradient by up to 2C.
                let moves = if fault::on(Fault::ReplacedRowMovesByC) { 1.0 } else { 2.0 };
                let event = Event::Gaussian { noise_multiplier: noise_multiplier / moves };
                Event::FixedSizeSampled { size, population, event: Box::new(event) }
            }
            (Neighbours::Replaced, batch, _) => {
                Event::ReplacedRows { noise_multiplier, max_rows, batch }
            }
        };
        event.validate()?;
        Ok(event)
    }

    fn check(&self) -> Result<()> {
        if self.steps == 0 {
            return Err(Error::range("steps", self.steps, "at least 1"));
        }
        if !(1e-30..=1e30).contains(&self.clip_norm) {
            return Err(Error::range("clip norm", self.clip_norm, "from 1e-30 to 1e30"));
        }
        if u32::try_from(self.rows).is_err() || self.rows == 0 {
            return Err(Error::range("training rows", self.rows, "from 1 to 2^32 - 1"));
        }
        if let BatchSampling::FixedSize { population, .. } = self.batch
            && population != self.rows
        {
            return Err(Error::range("population of a batch", population, "all training rows"));
        }
        if self.expected_batch() <= 0.0 {
            return Err(Error::range("expected batch", self.expected_batch(), "above 0"));
        }
        Ok(())
    }
}

/// The longest gradient has at most 2^40 steps,
const GRADIENT_BITS: i32 = 40;
/// and the sum of all rows' gradients fewer than 2^52, so that `f64` holds it.
const SUM_BITS: i32 = 52;

/// A whole training run as one mechanism, protecting units `U`.
///
/// There is a logistic regression to copy in this crate's tests (`tests/sgd.rs`).
#[derive(Debug)]
pub struct DpSgd<L, U: TrainingUnit = Record> {
    settings: SgdSettings,
    event: Event,
    learner: L,
    unit: PhantomData<fn() -> U>,
}

impl<L: Learner, U: TrainingUnit> DpSgd<L, U> {
    /// A run with these settings.
    ///
    /// # Errors
    /// If a number is out of range, or no theorem covers the way batches are drawn.
    pub fn new(settings: SgdSettings, learner: L) -> Result<Self> {
        settings.check()?;
        let charged = if fault::on(Fault::OneStepCharged) { 1 } else { settings.steps };
        let event = settings.step_event(U::NEIGHBOURS)?.repeated(charged);
        // Sums are handed on as `f32`: noise that they round to 0 would not be seen.
        let deviation = settings.noise_multiplier * settings.clip_norm;
        if !(1e-37..=1e37).contains(&deviation) {
            return Err(Error::range("deviation of the noise", deviation, "from 1e-37 to 1e37"));
        }
        let training = Self { settings, event, learner, unit: PhantomData };
        training.lattice().map(|_| training)
    }

    /// The settings.
    pub fn settings(&self) -> &SgdSettings {
        &self.settings
    }

    /// The model.
    pub fn learner(&self) -> &L {
        &self.learner
    }

    fn train<N: NoiseSource>(&self, data: &L::Data, noise: N) -> Result<L::Parameters> {
        let SgdSettings { steps, clip_norm, .. } = self.settings;
        // Round after round has fresh keys: batch and noise of a step are independent of all others.
        let mut rounds = noise.into_rounds();
        let noise = self.lattice()?;
        let lattice = GradientLattice { longest: noise.reach(), clip_norm };
        let layers = self.learner.layers();
        let mut parameters = self.learner.initial();
        let mut batch = Vec::new();
        for step in 0..steps {
            if !self.learner.goes_on(step, steps) {
                return Err(Error::Interrupted);
            }
            if step == 0 || !fault::on(Fault::BatchReused) {
                batch = self.draw_batch(N::next_round(&mut rounds))?;
            }
            let factors = self.learner.factors(&parameters, data, &batch);
            clip::check(&layers, &factors, batch.len())?;
            let weights = clip::clip_weights(&layers, &factors, batch.len(), clip_norm);
            // From here on everything is integers: no rounding can let a row add more than its share.
            let kept = quantize::quantize(&layers, &factors, &weights, lattice);
            let mut sums = sum::integer_sum(&layers, &factors, &kept);
            if fault::on(Fault::SumClippedNotRows) {
                clip::clip_sum(&mut sums, lattice.longest);
            }
            // The expected batch size B is public; dividing by the drawn size would reveal it.
            let of_step = clip_norm / lattice.longest as f64 / self.divisor(batch.len());
            let values = match step > 0 && fault::on(Fault::NoiseOnFirstStepOnly) {
                true => sums.iter().map(|&sum| (sum as f64 * of_step) as f32).collect(),
                false => noise.noisy(sums, of_step, N::next_round(&mut rounds)),
            };
            let gradient = NoisyGradient { layers: layers.clone(), values };
            self.learner.step(&mut parameters, &gradient);
        }
        Ok(parameters)
    }

    /// The lattice of sums and noise. The longest gradient has as many steps as the noise hides.
    fn lattice(&self) -> Result<Lattice> {
        let SgdSettings { clip_norm, noise_multiplier, rows, .. } = self.settings;
        // One longest gradient spans the lattice's reach, so σ relative to it is σ relative to C.
        let multiplier = if fault::on(Fault::NoiseIgnoresClipNorm) {
            noise_multiplier / clip_norm
        } else if fault::on(Fault::NoiseDividedTwice) {
            noise_multiplier / self.settings.expected_batch()
        } else {
            noise_multiplier
        };
        // All rows together stay below 2^SUM_BITS.
        let rows = rows.max(2).next_power_of_two().ilog2() as i32;
        Lattice::new(multiplier, GRADIENT_BITS.min(SUM_BITS - rows))
    }

    /// B: the expected size of a batch. The drawn one is secret.
    fn divisor(&self, drawn: usize) -> f64 {
        if fault::on(Fault::DividedByDrawnSize) {
            return (drawn as f64).max(1.0);
        }
        self.settings.expected_batch()
    }

    /// The rows of one batch, ascending.
    fn draw_batch(&self, noise: impl NoiseSource) -> Result<Vec<u32>> {
        let (rows, mut words) = (self.settings.rows as u32, noise.into_stream());
        match self.settings.batch {
            BatchSampling::FixedSize { size, .. } => {
                Ok(map_subset(rows, size as u32, &mut words, |row, _| row))
            }
            BatchSampling::Poisson { rate } => {
                const UNITS: u128 = 1 << 62;
                // Rounded down: a smaller sampling rate costs less than what is charged.
                let coin = Bernoulli::new((rate * UNITS as f64) as u128, UNITS)?;
                let mut batch = Vec::new();
                for start in (0..rows).step_by(64) {
                    let mut drawn = coin.draw_mask((rows - start).min(64), &mut words);
                    while drawn != 0 {
                        // The last mask reaches beyond the last row.
                        batch.extend(
                            start.checked_add(drawn.trailing_zeros()).filter(|&r| r < rows),
                        );
                        drawn &= drawn - 1;
                    }
                }
                Ok(batch)
            }
        }
    }
}

impl<L: Learner, U: TrainingUnit> MechanismOrigin for DpSgd<L, U> {
    const AUDITED: bool = L::AUDITED;
}

impl<L: Learner, U: TrainingUnit> Mechanism for DpSgd<L, U> {
    type Unit = U;

    fn name(&self) -> &'static str {
        "dp-sgd"
    }

    fn event(&self) -> Event {
        self.event.clone()
    }

    fn theorem(&self) -> Theorem {
        Theorem {
            statement: "every step adds Gaussian noise to a sum of gradients clipped to a fixed norm, over \
                        a secret random batch; the steps compose adaptively"
                .into(),
            proof: "privet_privacy::sgd, Guarantee".into(),
        }
    }

    fn numerics(&self) -> Numerics {
        if L::ROW_BY_ROW { Numerics::Exact } else { Numerics::Idealized }
    }

    fn parameters(&self) -> MechanismParameters {
        let settings = &self.settings;
        MechanismParameters::from([
            ("steps".into(), json!(settings.steps)),
            ("training-rows".into(), json!(settings.rows)),
            ("batch".into(), json!(settings.batch)),
            ("rows-per-unit".into(), json!(settings.share.max_rows(U::NEIGHBOURS))),
            ("clip-norm".into(), json!(settings.clip_norm)),
            ("noise-multiplier".into(), json!(settings.noise_multiplier)),
        ])
    }

    fn status(&self) -> Status {
        match self.settings.share {
            RowShare::Neighbours(most) => Status::Conditional { on: few_neighbours(most) },
            RowShare::Alone | RowShare::UpTo(_) => Status::Holds,
        }
    }

    fn assumes_public(&self) -> Vec<String> {
        let mut public = vec![
            "the number of training rows".into(),
            "the model's layers and where its parameters begin".into(),
            "that a row's gradient depends on that row and the parameters alone".into(),
        ];
        match self.settings.share {
            RowShare::Alone => {}
            RowShare::UpTo(rows) => {
                public.push(format!("which rows read from whom: at most {rows} from any one"));
            }
            RowShare::Neighbours(most) => public.push(format!(
                "that {}; dropping surplus ones is not covered",
                few_neighbours(most)
            )),
        }
        public
    }
}

/// The condition under which a bound on degrees is one.
pub fn few_neighbours(most: u32) -> String {
    format!("no person has more than {most} neighbours")
}

impl<L: Learner, U: TrainingUnit> Central for DpSgd<L, U> {
    type Input = L::Data;
    /// The parameters; an error only if the learner's factors have not the shapes it announced, or it stops.
    type Output = Result<L::Parameters>;

    fn check(&self, shape: &<L::Data as PublicShape>::Shape) -> Result<()> {
        let (found, expected) = (self.learner.row_count(shape), self.settings.rows as usize);
        match found == expected {
            true => Ok(()),
            false => Err(Error::shape("training rows", found, "dp-sgd", expected)),
        }
    }

    fn sample<N: NoiseSource>(
        &self,
        data: &L::Data,
        noise: N,
        _permit: Permit<'_>,
    ) -> Result<L::Parameters> {
        self.train(data, noise)
    }
}

#[cfg(test)]
mod tests;
