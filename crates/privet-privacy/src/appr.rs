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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::accountant::{self, Accountant, AnalyticGaussian, ZeroConcentrated};
    use crate::loss::{Delta, Loss};
    use crate::noise::NoiseRng;
    use crate::{Ledger, Secret};

    /// Rows that are written down.
    struct Table;

    impl PublicShape for Vec<Vec<f64>> {
        type Shape = usize;

        fn shape(&self) -> usize {
            self[0].len()
        }
    }

    impl FirstParty for Table {}

    impl Ranking for Table {
        type Data = Vec<Vec<f64>>;

        fn universe(&self, columns: &usize) -> usize {
            *columns
        }

        fn scores(&self, rows: &Self::Data, source: u32) -> Vec<(u32, f64)> {
            (0..).zip(rows[source as usize].iter().copied()).collect()
        }
    }

    fn settings(noise: RowNoise, rows: u32, universe: u32, keep: usize) -> RowSettings {
        // Every source reads the first row of a table.
        RowSettings { sources: vec![0; rows as usize], universe, keep, clip: 0.5, noise }
    }

    fn release(settings: RowSettings, rows: Vec<Vec<f64>>, seed: u64) -> Vec<Picks> {
        let mechanism = DpAppr::<_, Node>::new(settings, Table).unwrap();
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-3).unwrap() };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(seed)).unwrap();
        ledger.release(&Secret::new(rows), &mechanism).unwrap().into_inner()
    }

    /// The cost of the noise printed for M = 70, K = 2, and of the noise that zCDP allows.
    #[test]
    fn costs_are_those_of_the_table() {
        for (target, delta, printed, tight, cost) in [
            (0.5, 1e-3, 0.002_995, 0.016_060, 0.0680),
            (1.0, 1e-3, 0.005_683, 0.029_128, 0.1476),
            (4.0, 1e-3, 0.020_750, 0.093_488, 0.6737),
            (5.5556, 0.0111, 0.033_278, 0.145_013, 0.8136),
            (44.444, 0.0111, 0.230_540, 0.600_072, 10.5549),
        ] {
            let delta = Delta::new(delta).unwrap();
            let epsilon = |epsilon| {
                let settings = settings(RowNoise::Gumbel { epsilon }, 70, 216, 2);
                ZeroConcentrated.epsilon(&settings.event().unwrap(), delta).unwrap().get()
            };
            assert!((epsilon(tight) / target - 1.0).abs() < 2e-3, "{} {target}", epsilon(tight));
            assert!((epsilon(printed) / cost - 1.0).abs() < 4e-3, "{} {cost}", epsilon(printed));
        }
        // One analytic Gaussian for the whole release: sigma/C1 = 30.464 at (1, 1e-3).
        let gaussian =
            settings(RowNoise::Gaussian { deviation: 30.464 }, 70, 216, 2).event().unwrap();
        let cost = AnalyticGaussian.epsilon(&gaussian, Delta::new(1e-3).unwrap()).unwrap().get();
        assert!((cost - 1.0).abs() < 1e-4, "{cost}");
    }

    /// On a toy graph the true loss of a pick can be written down: the accountant's is an upper bound.
    #[test]
    fn the_charge_is_above_the_exact_loss_of_two_picks_of_five() {
        let epsilon = 1.0;
        // Bit i of `scores` says whether node i scores C or 0: the law is monotone in every score.
        let pair = |scores: u32, first: u32, second: u32| {
            let weight = |node: u32| f64::exp(epsilon * f64::from(scores >> node & 1));
            let total: f64 = (0..5).map(weight).sum();
            weight(first) / total * weight(second) / (total - weight(first))
        };
        let mut worst = 0f64;
        for (one, other) in (0..32).flat_map(|one| (0..32).map(move |other| (one, other))) {
            for (first, second) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
                if first != second {
                    let ratio = pair(one, first, second) / pair(other, first, second);
                    worst = worst.max(ratio.ln());
                }
            }
        }
        let event = settings(RowNoise::Gumbel { epsilon }, 1, 5, 2).event().unwrap();
        let charged = accountant::best(&event, Delta::ZERO).unwrap().value.get();
        assert!((worst - 2.655_990_823).abs() < 1e-8 && worst <= charged, "{worst} {charged}");
        assert!((charged - 4.0).abs() < 1e-9, "{charged}");
    }

    /// Names and scores of a row are both paid for, K of each.
    #[test]
    fn names_and_scores_are_charged_both() {
        let cost = |noise| {
            let event = settings(noise, 3, 5, 2).event().unwrap();
            accountant::best(&event, Delta::ZERO).unwrap().value.get()
        };
        let (names, values) = (RowNoise::Gumbel { epsilon: 0.5 }, 0.8);
        let both = RowNoise::GumbelAndValues { epsilon: 0.5, values };
        assert!((cost(both) - cost(names) - 3.0 * values).abs() < 1e-9);
    }

    #[test]
    fn picks_follow_the_law() {
        // Weights e^0, e^(eps/2), e^eps for entries 0, C/2 and above C.
        let noise = RowNoise::Gumbel { epsilon: 1.2 };
        let rows = vec![vec![-3.0, 0.25, 7.0]];
        let named = release(settings(noise, 40_000, 3, 1), rows, 5);
        let mut counts = [0.0f64; 3];
        named.iter().for_each(|row| counts[row[0].0 as usize] += 1.0);
        let weights = [1.0, 0.6f64.exp(), 1.2f64.exp()];
        let total: f64 = weights.iter().sum();
        for (count, weight) in counts.iter().zip(weights) {
            assert!((count / 40_000.0 - weight / total).abs() < 0.01, "{counts:?}");
        }
    }

    #[test]
    fn values_and_gaussian_rows_are_centred_on_the_clipped_scores() {
        let rows = vec![vec![0.3, 0.0]];
        let noise = RowNoise::GumbelAndValues { epsilon: 30.0, values: 2.0 };
        let named = release(settings(noise, 4000, 2, 1), rows, 6);
        assert!(named.iter().all(|row| row[0].0 == 0));
        let mean = named.iter().map(|row| row[0].1).sum::<f64>() / 4000.0;
        assert!((mean - 0.3).abs() < 0.03, "{mean}");
        // Laplace(C/2): mean absolute deviation 0.25.
        let spread = named.iter().map(|row| (row[0].1 - 0.3).abs()).sum::<f64>() / 4000.0;
        assert!((spread - 0.25).abs() < 0.03, "{spread}");
        let noise = RowNoise::Gaussian { deviation: 0.01 };
        let named = release(settings(noise, 4000, 2, 2), vec![vec![3.0, 4.0]], 7);
        let mean = named.iter().map(|row| row[0].1).sum::<f64>() / 4000.0;
        assert!(named.iter().all(|row| row[0].0 == 1) && (mean - 0.4).abs() < 1e-3, "{mean}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let noise = RowNoise::Gumbel { epsilon: 1.0 };
        let refused = |settings| DpAppr::<_, Node>::new(settings, Table).is_err();
        assert!(refused(RowSettings { sources: vec![2], ..settings(noise, 1, 2, 1) }));
        assert!(refused(settings(noise, 1, 2, 0)));
        assert!(refused(settings(noise, 1, 2, 3)));
        assert!(refused(settings(RowNoise::Gumbel { epsilon: -1.0 }, 1, 2, 1)));
        assert!(refused(settings(RowNoise::Gaussian { deviation: 0.0 }, 1, 2, 1)));
        assert!(refused(RowSettings { clip: f64::NAN, ..settings(noise, 1, 2, 1) }));
    }

    proptest! {
        /// Whatever the scores are, rows stay within what the proof says.
        #[test]
        fn clipped_rows_are_at_most_root_two_apart(
            one in prop::collection::vec(prop::num::f64::ANY, 6),
            other in prop::collection::vec(0.0..1e6f64, 6)
        ) {
            let noise = RowNoise::Gaussian { deviation: 1.0 };
            let picker = Picker::new(&settings(noise, 1, 6, 2)).unwrap();
            let row = |scores: &[f64]| {
                let scores: Vec<(u32, f64)> = (0..).zip(scores.iter().copied()).collect();
                picker.on_ball(&scores, 1 << 30)
            };
            let (one, other) = (row(&one), row(&other));
            let distance: i128 = one.iter().zip(&other).map(|(a, b)| i128::from(a - b).pow(2)).sum();
            prop_assert!(distance <= 2 << 60);
            prop_assert!(one.iter().chain(&other).all(|entry| *entry >= 0));
        }
    }

    /// At delta 0 a release costs the sum of its parts: 2 epsilon for each of M K picks, and the values of M rows.
    #[test]
    fn picks_and_values_are_charged_for_every_row() {
        let noise = RowNoise::GumbelAndValues { epsilon: 0.5, values: 0.25 };
        let event = settings(noise, 3, 9, 2).event().unwrap();
        let charged = accountant::best(&event, Delta::ZERO).unwrap().value.get();
        assert!((charged - (3.0 * 2.0 * 1.0 + 3.0 * 0.25)).abs() < 1e-9, "{charged}");
    }

    /// σ/√2 is rounded down: 2 (σ/√2)² ≤ σ² in exact arithmetic.
    #[test]
    fn the_charged_multiplier_is_not_above_the_deviation_over_root_two() {
        let exact = |value: f64| dashu::rational::RBig::try_from(value).unwrap();
        for step in 1..50 {
            let deviation = 0.37 * f64::from(step);
            let charged = settings(RowNoise::Gaussian { deviation }, 1, 3, 1).event().unwrap();
            let Event::Repeated { event, times: 1 } = charged else { panic!("{charged:?}") };
            let Event::Gaussian { noise_multiplier } = *event else { panic!("{event:?}") };
            let (one, whole) = (exact(noise_multiplier), exact(deviation));
            assert!(one.clone() * one * exact(2.0) <= whole.clone() * whole, "{deviation}");
            assert!((noise_multiplier * 2f64.sqrt() / deviation - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn clip_norms_end_where_floats_do_not_yet() {
        let with =
            |clip| RowSettings { clip, ..settings(RowNoise::Gumbel { epsilon: 1.0 }, 1, 2, 1) };
        for (clip, expected) in [(1e-30, true), (1e30, true), (0.9e-30, false), (1.1e30, false)] {
            assert_eq!(DpAppr::<_, Node>::new(with(clip), Table).is_ok(), expected, "{clip}");
        }
    }

    #[test]
    fn another_number_of_ids_is_refused() {
        let mechanism =
            DpAppr::<_, Node>::new(settings(RowNoise::Gumbel { epsilon: 1.0 }, 1, 3, 1), Table);
        let limit = Loss { epsilon: Epsilon::INFINITE, delta: Delta::new(1e-3).unwrap() };
        let mut ledger = Ledger::in_memory(limit, NoiseRng::replay(1)).unwrap();
        let two = Secret::new(vec![vec![0.1, 0.2]]);
        let error = ledger.release(&two, mechanism.as_ref().unwrap()).unwrap_err().to_string();
        assert!(error.contains("dp-appr") && ledger.entries().is_empty(), "{error}");
    }

    /// Names come with the score 1; the noise of a Gaussian row has the deviation that is charged; and the
    /// largest entries come first.
    #[test]
    fn what_leaves_of_a_row_is_what_the_setting_says() {
        let named =
            release(settings(RowNoise::Gumbel { epsilon: 1.0 }, 5, 4, 2), vec![vec![0.1; 4]], 3);
        assert!(named.iter().all(|row| row.len() == 2 && row.iter().all(|pick| pick.1 == 1.0)));

        let scores = vec![vec![0.10, 0.30, 0.05, 0.20, 0.0]];
        let tiny = RowNoise::Gaussian { deviation: 1e-6 };
        for row in release(settings(tiny, 20, 5, 2), scores.clone(), 4) {
            let ids: Vec<u32> = row.iter().map(|pick| pick.0).collect();
            assert_eq!(ids, [1, 3]);
            assert!((row[0].1 - 0.3).abs() < 1e-5 && (row[1].1 - 0.2).abs() < 1e-5, "{row:?}");
        }
        // With all entries kept, the noise of each can be seen: σ C = 0.4 · 0.5.
        let wide = RowNoise::Gaussian { deviation: 0.4 };
        let rows = release(settings(wide, 4000, 5, 5), scores.clone(), 5);
        let squares =
            rows.iter().flatten().map(|&(node, value)| (value - scores[0][node as usize]).powi(2));
        let deviation = (squares.sum::<f64>() / 20_000.0).sqrt();
        assert!((deviation / 0.2 - 1.0).abs() < 0.03, "{deviation}");
    }

    /// Small rows stay as they are, large ones end just below C, and what is no number is no score.
    #[test]
    fn clipping_moves_nothing_that_fits() {
        let noise = RowNoise::Gaussian { deviation: 1.0 };
        let picker = Picker::new(&settings(noise, 1, 4, 2)).unwrap();
        let row =
            |scores: &[f64]| picker.clipped(&(0..).zip(scores.iter().copied()).collect::<Vec<_>>());
        assert_eq!(row(&[0.1, -2.0, 0.2]), [0.1, 0.0, 0.2, 0.0]);
        assert_eq!(row(&[f64::NAN, f64::INFINITY, 0.2]), [0.0, 0.0, 0.2, 0.0]);
        for scores in [[0.48, 0.64], [3.0, 4.0], [1e200, 1e200]] {
            let norm = row(&scores).iter().map(|entry| entry * entry).sum::<f64>().sqrt();
            assert!(norm <= 0.5 && norm > 0.5 * (1.0 - 1e-8), "{norm}");
        }
        // On the lattice, an entry is rounded to the nearest of 2²⁰ steps of C; a missing one is 0.
        let step = 0.5 / f64::from(1 << 20);
        let scores = [(0, 100.6 * step), (2, 7.4 * step), (9, 0.1)];
        assert_eq!(picker.on_lattice(&scores), [101, 0, 7, 0]);
    }

    /// What ledgers and cards say about it.
    #[test]
    fn it_says_what_it_is() {
        let exact = RowNoise::Gumbel { epsilon: 0.5 };
        let valued = RowNoise::GumbelAndValues { epsilon: 0.5, values: 0.25 };
        let noisy = RowNoise::Gaussian { deviation: 4.0 };
        for (noise, numerics, kind, strength) in [
            (exact, Numerics::Exact, "gumbel", json!({ "epsilon": 0.5 })),
            (
                valued,
                Numerics::Exact,
                "gumbel-and-values",
                json!({ "epsilon": 0.5, "values": 0.25 }),
            ),
            (noisy, Numerics::Exact, "gaussian", json!({ "deviation": 4.0 })),
        ] {
            let mechanism = DpAppr::<_, Node>::new(settings(noise, 3, 9, 2), Table).unwrap();
            assert_eq!((mechanism.name(), mechanism.numerics()), ("dp-appr", numerics));
            let expected = json!({
                "sources": 3, "ids": 9, "top-k": 2, "clip": 0.5, "noise": kind, "strength": strength
            });
            assert_eq!(json!(mechanism.parameters()), expected);
            assert_eq!(mechanism.assumes_public().len(), 2);
        }
    }
}
