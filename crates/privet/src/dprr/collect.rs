//! The users' side: each user randomises their list, and the collector ends up with noisy graphs.
//!
//! All users of all graphs report once, in one release, charged before anything is drawn.

use super::claim::{Claim, claims_of};
use super::crowd::Crowd;
use super::setting::Chosen;
use crate::graph::{Graph, NodeId};
use crate::privacy::edges::local::{
    self, DegreeReport, DprrWithDegree, EachGraph, LapReport, LocalLap, NoisyDegree, Rr, Silent,
};
use crate::privacy::edges::{ListCost, Merge};
use crate::privacy::unit::NeighborBit;
use crate::privacy::{Disclose, Ledger, Loss, UserChoice, UserChoices};
use crate::{Error, LedgerStore, Noise, Protected, Result};

/// How users report, and who does.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Reporting {
    /// Randomiser of neighbour lists.
    #[serde(rename = "mechanism")]
    pub method: DprrMethod,
    /// Who is protected how strongly.
    pub setting: super::Setting,
    /// How DPRR divides epsilon between the degree and the bits.
    pub split: SplitRule,
}

/// Randomiser of neighbour lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum DprrMethod {
    /// Randomised response thinned to a noisy degree.
    #[default]
    Dprr,
    /// Randomised response on every bit.
    Rr,
    /// A noisy degree and noisy cells; the collector keeps the largest.
    LocalLap,
    /// Private users send nothing: the graph is that of the users who publish.
    #[cfg_attr(feature = "clap", value(name = "nonpriv-part"))]
    #[serde(rename = "nonpriv-part")]
    NonPrivPart,
    /// All users publish: the ceiling.
    #[cfg_attr(feature = "clap", value(name = "nonpriv-full"))]
    #[serde(rename = "nonpriv-full")]
    NonPrivFull,
}

impl DprrMethod {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Dprr, Self::Rr, Self::LocalLap, Self::NonPrivPart, Self::NonPrivFull];

    /// The name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dprr => "dprr",
            Self::Rr => "rr",
            Self::LocalLap => "local-lap",
            Self::NonPrivPart => "nonpriv-part",
            Self::NonPrivFull => "nonpriv-full",
        }
    }
}

/// How DPRR divides its budget.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args), group(skip))]
pub struct SplitRule {
    /// Division of epsilon by DPRR; `paper` as printed, which costs more than epsilon on small
    /// graphs.
    #[cfg_attr(feature = "clap", arg(long))]
    pub split: Division,
    /// The share of epsilon for the bits of a list; more of it suits reports that are read as they are.
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE"))]
    pub alpha: f64,
}

/// Between what, and within what, DPRR divides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Division {
    /// Within epsilon, `alpha` of it for the bits where the graphs are large enough.
    Corrected,
    /// As printed (eq. 8); the card states what it really costs.
    Paper,
    /// The paper's baseline: (1 - alpha) epsilon for the degree, whatever the size of graphs.
    Fixed,
    /// By epsilon and the size of graphs: everything for the degree until single pairs could be believed, whatever alpha is.
    ByFacts,
}

/// Beyond this a degree hardly gets better: its noise is 0 three times in four.
const ENOUGH_FOR_DEGREE: f64 = 2.0;

impl Default for SplitRule {
    fn default() -> Self {
        Self { split: Division::Corrected, alpha: local::Dprr::ALPHA }
    }
}

impl SplitRule {
    /// The mechanism of an epsilon, for graphs of up to `largest` users.
    ///
    /// # Errors
    /// If epsilon or alpha is out of range.
    pub fn mechanism(self, epsilon: f64, largest: usize) -> Result<local::Dprr> {
        use crate::privacy::edges::local::BudgetSplit;
        let alpha = self.alpha;
        let (largest, split) = match self.split {
            Division::ByFacts => {
                let alpha = 1.0 - (ENOUGH_FOR_DEGREE / epsilon).min(0.5);
                (usize::MAX, BudgetSplit::Corrected { alpha })
            }
            Division::Corrected => (largest, BudgetSplit::Corrected { alpha }),
            Division::Paper => (largest, BudgetSplit::Paper { alpha }),
            // Without a bound on the number of users the first branch of eq. 8 is never taken.
            Division::Fixed => (usize::MAX, BudgetSplit::Corrected { alpha }),
        };
        Ok(local::Dprr::with_split(epsilon, largest, split)?)
    }

    /// Whether users send their noisy degree and nothing else. A pair that both ends name has odds of `e^(2 bits)` times
    /// those before, at most about 1 in `largest` where users know few: with less than half of `ln largest` for the bits
    /// none is believed, and they only cost the degree its precision. Epsilon is that of the users who send least.
    pub fn degree_alone(self, epsilon: f64, largest: usize) -> bool {
        let left = epsilon - ENOUGH_FOR_DEGREE;
        self.split == Division::ByFacts && left < (0.5 * (largest.max(2) as f64).ln()).max(2.0)
    }
}

/// What the collector has: nothing in here needs protection any more.
#[derive(Debug, Clone)]
pub struct Reported {
    /// Row i of a graph is what its user i reported, unless the method says otherwise.
    pub graphs: Vec<Graph>,
    /// What every user said about the length of their list, graph after graph.
    pub claims: Vec<Claim>,
}

impl Reporting {
    /// Whether its settings make sense, for any participants.
    ///
    /// # Errors
    /// If one does not.
    pub fn check(&self) -> Result<()> {
        self.split.mechanism(self.setting.epsilon(), 1000)?;
        match &self.setting {
            super::Setting::PerUser(_) => Ok(()),
            setting => setting.choose(&[], 0).map(|_| ()),
        }
    }

    /// Runs the users' side of the protocol.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, choices are those of other users, or the ledger cannot be
    /// written.
    pub fn collect(
        &self,
        crowd: &Crowd,
        chosen: &Chosen,
        noise: Noise,
        ledgers: &LedgerStore,
    ) -> Result<Protected<Reported>> {
        let round = Round { crowd, chosen, noise, ledgers };
        match self.method {
            DprrMethod::Dprr => round.dprr(self.split),
            DprrMethod::Rr => round.rr(),
            DprrMethod::LocalLap => round.local_lap(),
            DprrMethod::NonPrivPart => round.published(),
            DprrMethod::NonPrivFull => {
                let of_user = vec![UserChoice::Public; chosen.of_user.len()];
                let all = Chosen { of_user, ..chosen.clone() };
                Round { chosen: &all, ..round }.published()
            }
        }
    }
}

/// What the worst-off user gives away: the limit a ledger needs.
fn worst(all: impl Iterator<Item = ListCost>) -> Result<f64> {
    let worst = all.map(|cost| cost.total().get()).max_by(f64::total_cmp);
    worst.ok_or_else(|| Error::invalid("epsilons", 0, "at least one"))
}

/// One collection.
#[derive(Clone, Copy)]
struct Round<'a> {
    crowd: &'a Crowd,
    chosen: &'a Chosen,
    noise: Noise,
    ledgers: &'a LedgerStore,
}

impl Round<'_> {
    /// One mechanism per epsilon.
    fn each<M>(&self, build: impl Fn(f64) -> Result<M>) -> Result<Vec<M>> {
        self.chosen.epsilons.iter().map(|&epsilon| build(epsilon)).collect()
    }

    fn dprr(&self, split: SplitRule) -> Result<Protected<Reported>> {
        let (least, largest) = (self.chosen.least(), self.crowd.largest());
        if least.is_some_and(|least| split.degree_alone(least, largest)) {
            return self.degrees();
        }
        let all = self.each(|epsilon| split.mechanism(epsilon, self.crowd.largest()))?;
        let limit = worst(all.iter().map(local::Dprr::cost))?;
        // The noisy degree is sent along: the same price, see its proof.
        let senders = all.iter().cloned().map(DprrWithDegree);
        self.release(senders, limit)?.try_map(|reports| {
            let claim = |report: &DegreeReport, at: usize| Claim::Degree {
                said: report.degree,
                epsilon: all[at].cost().degree.get(),
                flip: 1.0 - all[at].keep_probability(),
            };
            let claims = claims_of(self.chosen, &reports, claim);
            let rows = reports.into_iter().map(|report| report.neighbors);
            Ok(Reported { graphs: directed(rows, &self.crowd.sizes)?, claims })
        })
    }

    /// Noisy degrees, and the lists of those who publish.
    fn degrees(&self) -> Result<Protected<Reported>> {
        let all = self.each(|epsilon| Ok(NoisyDegree::new(epsilon)?))?;
        let limit = worst(all.iter().map(NoisyDegree::cost))?;
        self.release(all.iter().cloned(), limit)?.try_map(|reports| {
            // No pair was asked about: an answer would be the toss of a coin.
            let claim = |report: &DegreeReport, at: usize| Claim::Degree {
                said: report.degree,
                epsilon: all[at].cost().degree.get(),
                flip: 0.5,
            };
            let claims = claims_of(self.chosen, &reports, claim);
            let rows = reports.into_iter().map(|report| report.neighbors);
            Ok(Reported { graphs: directed(rows, &self.crowd.sizes)?, claims })
        })
    }

    fn rr(&self) -> Result<Protected<Reported>> {
        let all = self.each(|epsilon| Ok(Rr::new(epsilon)?))?;
        let limit = worst(all.iter().map(Rr::cost))?;
        self.release(all.iter().cloned(), limit)?.try_map(|reports| {
            let claims = claims_of(self.chosen, &reports, |_, at| Claim::Bits {
                flip: all[at].flip_probability(),
            });
            Ok(Reported { graphs: directed(reports, &self.crowd.sizes)?, claims })
        })
    }

    fn local_lap(&self) -> Result<Protected<Reported>> {
        let all = self.each(|epsilon| Ok(LocalLap::new(epsilon)?))?;
        let limit = worst(all.iter().map(LocalLap::cost))?;
        self.release(all.iter().cloned(), limit)?.try_map(|reports| {
            let claims = claims_of(self.chosen, &reports, |report, at| match report {
                LapReport::Private { degree, .. } => Claim::of_cells(*degree, all[at].cost()),
                LapReport::Public { .. } => Claim::Published,
            });
            Ok(Reported { graphs: largest_cells(&reports, &self.crowd.sizes)?, claims })
        })
    }

    /// Private users send nothing.
    fn published(&self) -> Result<Protected<Reported>> {
        let silent = self.chosen.epsilons.iter().map(|_| Silent);
        self.release(silent, 0.0)?.try_map(|reports| {
            let claims = claims_of(self.chosen, &reports, |_, _| Claim::Silent);
            Ok(Reported { graphs: directed(reports, &self.crowd.sizes)?, claims })
        })
    }

    /// The reports of all users, and the card: the ledger is charged first.
    fn release<M>(
        &self,
        mechanisms: impl Iterator<Item = M>,
        limit: f64,
    ) -> Result<Protected<Vec<M::Report>>>
    where
        M: Disclose<Unit = NeighborBit, Population = Graph>,
    {
        let Crowd { name, lists, .. } = self.crowd;
        let limit = Loss::new(limit, 0.0)?;
        let mut ledger: Ledger<NeighborBit> =
            self.ledgers.open("edges", limit, self.noise, (2, 3))?;
        let choices =
            UserChoices::new(mechanisms.map(EachGraph).collect(), self.chosen.of_user.clone())?;
        let reports = ledger.release_chosen(lists, &choices)?;
        let mut reports = reports.protected(&ledger)?;
        reports = reports.about(format!("{name}: what DPRR's collector receives"));
        let public = self.chosen.public_count();
        if public > 0 {
            let users = self.chosen.of_user.len();
            reports = reports.with_unprotected(format!(
                "the lists of {public} of {users} users, who publish them: every edge they have, or \
                 do not have, with anyone"
            ));
        }
        for clear in ["the class of each graph", "who takes part, and in which graph"] {
            reports = reports.with_unprotected(clear);
        }
        Ok(reports)
    }
}

/// Cuts all reports into graphs.
fn directed(reports: impl IntoIterator<Item = Vec<NodeId>>, sizes: &[usize]) -> Result<Vec<Graph>> {
    let mut reports = reports.into_iter();
    let mut graph =
        |&size: &usize| Ok(Merge::Directed.graph(reports.by_ref().take(size).collect())?);
    sizes.iter().map(&mut graph).collect()
}

fn largest_cells(reports: &[LapReport], sizes: &[usize]) -> Result<Vec<Graph>> {
    let mut start = 0;
    let mut graph = |&size: &usize| {
        let of_graph = &reports[start..start + size];
        start += size;
        Ok(LocalLap::graph(of_graph)?)
    };
    sizes.iter().map(&mut graph).collect()
}
