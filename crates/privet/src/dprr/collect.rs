//! The users' side: each user randomises their list, and the collector ends up with noisy graphs.
//!
//! All users of all graphs report once, in one release, charged before anything is drawn.

use super::claim::{Claim, claims_of};
use super::crowd::Crowd;
use super::setting::UserEpsilons;
use crate::graph::{Graph, NodeId};
use crate::privacy::edges::local::{
    self, DegreeReport, DprrWithDegree, EachGraph, LapReport, LocalLap, NoisyDegree, Rr, Silent,
};
use crate::privacy::edges::{ListCost, Merge};
use crate::privacy::population::GraphShape;
use crate::privacy::unit::{DataPart, NeighborBit};
use crate::privacy::{Card, Disclose, Epsilon, Ledger, UserChoice, UserChoices};
use crate::stage::Stage;
use crate::{Facts, LedgerStore, Noise, Protected, Result};

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
pub struct UserReports {
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

    /// What every user of graphs of up to `largest` users sends.
    ///
    /// # Errors
    /// If a mechanism refuses its settings.
    fn stage(&self, chosen: &UserEpsilons, largest: usize) -> Result<ListStage> {
        let split = self.split;
        let alone = chosen.least().is_some_and(|least| split.degree_alone(least, largest));
        Ok(match self.method {
            DprrMethod::Dprr if alone => ListStage::Degrees(Senders::new(
                chosen,
                |epsilon| Ok(NoisyDegree::new(epsilon)?),
                NoisyDegree::cost,
            )?),
            // The noisy degree is sent along: the same price, see its proof.
            DprrMethod::Dprr => ListStage::Dprr(Senders::new(
                chosen,
                |epsilon| Ok(DprrWithDegree(split.mechanism(epsilon, largest)?)),
                |with_degree| with_degree.0.cost(),
            )?),
            DprrMethod::Rr => {
                ListStage::Rr(Senders::new(chosen, |epsilon| Ok(Rr::new(epsilon)?), Rr::cost)?)
            }
            DprrMethod::LocalLap => {
                let build = |epsilon| Ok(LocalLap::new(epsilon)?);
                ListStage::LocalLap(Senders::new(chosen, build, LocalLap::cost)?)
            }
            DprrMethod::NonPrivPart | DprrMethod::NonPrivFull => {
                let nothing = ListCost { degree: Epsilon::ZERO, bits: Epsilon::ZERO };
                ListStage::Silent(Senders::new(chosen, |_| Ok(Silent), |_| nothing)?)
            }
        })
    }

    /// Who of the users publishes: for the ceiling all of them.
    fn choices(&self, chosen: &UserEpsilons) -> UserEpsilons {
        let mut chosen = chosen.clone();
        if self.method == DprrMethod::NonPrivFull {
            chosen.of_user.fill(UserChoice::Public);
        }
        chosen
    }

    /// What an account will say, and what it leaves unprotected, for users of graphs of these sizes.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, or choices are those of other users.
    pub(crate) fn promise(&self, facts: &Facts) -> Result<Card> {
        let chosen = self.choices(&self.setting.choose(&facts.people, 0)?);
        let largest = facts.people.iter().copied().max().unwrap_or(0);
        let direction = facts.direction;
        let shape: Vec<_> =
            facts.people.iter().map(|&nodes| GraphShape { nodes, direction }).collect();
        let lists = match self.stage(&chosen, largest)? {
            ListStage::Dprr(senders) => senders.stage.foreseen_chosen(&shape),
            ListStage::Degrees(senders) => senders.stage.foreseen_chosen(&shape),
            ListStage::Rr(senders) => senders.stage.foreseen_chosen(&shape),
            ListStage::LocalLap(senders) => senders.stage.foreseen_chosen(&shape),
            ListStage::Silent(senders) => senders.stage.foreseen_chosen(&shape),
        };
        let card = Card::new(subject(&facts.name)).foreseeing(&lists?)?;
        Ok(unprotected(&chosen).into_iter().fold(card, Card::with_unprotected))
    }

    /// Runs the users' side of the protocol.
    ///
    /// # Errors
    /// If a mechanism refuses its settings, choices are those of other users, or the ledger cannot be
    /// written.
    pub fn collect(
        &self,
        crowd: &Crowd,
        chosen: &UserEpsilons,
        noise: Noise,
        ledgers: &LedgerStore,
    ) -> Result<Protected<UserReports>> {
        let chosen = &self.choices(chosen);
        let round = Round { crowd, chosen, noise, ledgers };
        match self.stage(chosen, crowd.largest())? {
            ListStage::Dprr(senders) => round.release(&senders, |reports| {
                round.with_degrees(reports, |at| {
                    let dprr = &senders.each[at].0;
                    (dprr.cost(), 1.0 - dprr.keep_probability())
                })
            }),
            // No pair was asked about: an answer would be the toss of a coin.
            ListStage::Degrees(senders) => round.release(&senders, |reports| {
                round.with_degrees(reports, |at| (senders.each[at].cost(), 0.5))
            }),
            ListStage::Rr(senders) => round.release(&senders, |reports| {
                let claims = claims_of(chosen, &reports, |_, at| Claim::Bits {
                    flip: senders.each[at].flip_probability(),
                });
                Ok(UserReports { graphs: directed(reports, &crowd.sizes)?, claims })
            }),
            ListStage::LocalLap(senders) => round.release(&senders, |reports| {
                let claims = claims_of(chosen, &reports, |report, at| match report {
                    LapReport::Private { degree, .. } => {
                        Claim::of_cells(*degree, senders.each[at].cost())
                    }
                    LapReport::Public { .. } => Claim::Published,
                });
                Ok(UserReports { graphs: largest_cells(&reports, &crowd.sizes)?, claims })
            }),
            ListStage::Silent(senders) => round.release(&senders, |reports| {
                let claims = claims_of(chosen, &reports, |_, _| Claim::Silent);
                Ok(UserReports { graphs: directed(reports, &crowd.sizes)?, claims })
            }),
        }
    }
}

/// What users send about their lists.
enum ListStage {
    Dprr(Senders<DprrWithDegree>),
    /// Noisy degrees, and the lists of those who publish.
    Degrees(Senders<NoisyDegree>),
    Rr(Senders<Rr>),
    LocalLap(Senders<LocalLap>),
    /// Private users send nothing.
    Silent(Senders<Silent>),
}

/// A mechanism at every epsilon that someone chose.
struct Senders<M> {
    each: Vec<M>,
    stage: Stage<UserChoices<EachGraph<M>>>,
}

impl<M: Clone> Senders<M> {
    /// The account must allow what the worst-off user gives away.
    fn new(
        chosen: &UserEpsilons,
        build: impl Fn(f64) -> Result<M>,
        cost: impl Fn(&M) -> ListCost,
    ) -> Result<Self> {
        let each: Vec<M> =
            chosen.epsilons.iter().map(|&epsilon| build(epsilon)).collect::<Result<_>>()?;
        let worst = each.iter().map(|one| cost(one).total().get()).fold(0.0, f64::max);
        let mechanisms = each.iter().cloned().map(EachGraph).collect();
        let choices = UserChoices::new(mechanisms, chosen.of_user.clone())?;
        Ok(Self { each, stage: Stage::pure(DataPart::Edges, worst, choices)? })
    }
}

fn subject(name: &str) -> String {
    format!("{name}: what DPRR's collector receives")
}

/// What the reports leave in the clear.
fn unprotected(chosen: &UserEpsilons) -> Vec<String> {
    let (public, users) = (chosen.public_count(), chosen.of_user.len());
    let lists = (public > 0).then(|| {
        format!(
            "the lists of {public} of {users} users, who publish them: every edge they have, or do not have, with anyone"
        )
    });
    let clear = ["the class of each graph", "who takes part, and in which graph"];
    lists.into_iter().chain(clear.map(str::to_owned)).collect()
}

/// One collection.
#[derive(Clone, Copy)]
struct Round<'a> {
    crowd: &'a Crowd,
    chosen: &'a UserEpsilons,
    noise: Noise,
    ledgers: &'a LedgerStore,
}

impl Round<'_> {
    /// Lists with a noisy degree beside them: `law` gives the price of both, and how often an answer is wrong.
    fn with_degrees(
        &self,
        reports: Vec<DegreeReport>,
        law: impl Fn(usize) -> (ListCost, f64),
    ) -> Result<UserReports> {
        let claim = |report: &DegreeReport, at: usize| {
            let (cost, flip) = law(at);
            Claim::Degree { said: report.degree, epsilon: cost.degree.get(), flip }
        };
        let claims = claims_of(self.chosen, &reports, claim);
        let rows = reports.into_iter().map(|report| report.neighbors);
        Ok(UserReports { graphs: directed(rows, &self.crowd.sizes)?, claims })
    }

    /// The reports of all users as the collector keeps them, and the card: the ledger is charged first.
    fn release<M>(
        &self,
        senders: &Senders<M>,
        kept: impl FnOnce(Vec<M::Report>) -> Result<UserReports>,
    ) -> Result<Protected<UserReports>>
    where
        M: Disclose<Unit = NeighborBit, Population = Graph>,
    {
        let mut ledger: Ledger<NeighborBit> = senders.stage.open(self.ledgers, self.noise)?;
        let reports = ledger.release_chosen(&self.crowd.lists, &senders.stage.mechanism)?;
        let reports = reports.try_map(kept)?.protected(&ledger)?;
        let reports = reports.about(subject(&self.crowd.name));
        Ok(unprotected(self.chosen).into_iter().fold(reports, Protected::with_unprotected))
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
