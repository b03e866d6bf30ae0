//! Systems in which each person adds noise to their own data.

use super::{Facts, System};
use crate::dprr::{self, Crowd, Dprr, DprrMethod};
use crate::graph::{Dataset, Split};
use crate::ldp_ge::{self, LdpGe, People};
use crate::lists::for_merge;
use crate::privacy::edges::Merge;
use crate::privacy::edges::comparison::{EdgeRand, LapGraph};
use crate::privacy::edges::local::{
    self, DprrWithDegree, EachGraph, ListMechanism, LocalLap, NoisyDegree, Rr, Silent,
};
use crate::privacy::fault::{self, Fault};
use crate::privacy::features::LabelRr;
use crate::privacy::ledger::Foreseen;
use crate::privacy::population::GraphShape;
use crate::privacy::unit::{Label, NeighborBit, Part};
use crate::privacy::{Card, Disclose, Loss, UserChoices};
use crate::protect::{EdgeMechanism, Edges, Features, Labels};
use crate::{Protected, Result, Run};

/// What stays as it is when one part of a dataset is randomised.
pub(super) const THE_REST: &str = "the ids of all people, and every other part of the data";

impl System for Features {
    type Input = Dataset;
    type Output = Dataset;

    fn name(&self) -> &'static str {
        "protect-features"
    }

    fn protects(&self) -> Vec<Part> {
        vec![Part::Features]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let rows = self.at(self.terms.budgets.largest()).foreseen(facts)?;
        let subject = format!("{}, features randomised by {}", facts.name, self.mechanism);
        Ok(Card::new(subject).foreseeing(&rows)?.with_unprotected(THE_REST))
    }

    fn run(&self, input: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        Self::run(self, input, run)
    }
}

impl System for Labels {
    type Input = Dataset;
    type Output = Dataset;

    fn name(&self) -> &'static str {
        "protect-labels"
    }

    fn protects(&self) -> Vec<Part> {
        vec![Part::Labels]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let labels = foreseen_labels(self.terms.budgets.largest(), facts)?;
        let card = Card::new(format!("{}, labels randomised by label-rr", facts.name));
        Ok(card.foreseeing(&labels)?.with_unprotected(THE_REST))
    }

    fn run(&self, input: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        Self::run(self, input, run)
    }
}

impl System for Edges {
    type Input = Dataset;
    type Output = Dataset;

    fn name(&self) -> &'static str {
        "protect-edges"
    }

    fn protects(&self) -> Vec<Part> {
        vec![Part::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let (epsilon, merge) = (self.terms.budgets.largest(), self.merge());
        let (limit, shape) = (Loss::new(epsilon, 0.0)?, facts.graph());
        let card = Card::new(format!("{}, edges randomised", facts.name));
        let card = match self.mechanism() {
            EdgeMechanism::Dprr => {
                let lists = local::Dprr::new(epsilon, shape.nodes)?;
                card.foreseeing(&foreseen_lists(lists, merge, limit, &shape)?)?
            }
            EdgeMechanism::Rr => {
                card.foreseeing(&foreseen_lists(Rr::new(epsilon)?, merge, limit, &shape)?)?
            }
            EdgeMechanism::LocalLap => {
                card.foreseeing(&Foreseen::new(limit).each(&LocalLap::new(epsilon)?, &shape)?)?
            }
            EdgeMechanism::EdgeRand => {
                card.foreseeing(&Foreseen::new(limit).curated(&EdgeRand::new(epsilon)?)?)?
            }
            EdgeMechanism::LapGraph => {
                card.foreseeing(&Foreseen::new(limit).curated(&LapGraph::new(epsilon)?)?)?
            }
        };
        Ok(card.with_unprotected(THE_REST))
    }

    fn run(&self, input: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        Self::run(self, input, run)
    }
}

impl System for LdpGe {
    /// People, and whose labels are for training, validation and testing.
    type Input = (People, Split);
    type Output = ldp_ge::NodeClassifier;

    fn name(&self) -> &'static str {
        "ldp-ge"
    }

    fn protects(&self) -> Vec<Part> {
        vec![Part::Features, Part::Labels, Part::Edges]
    }

    /// The parts that the facts call secret are protected, the others are not.
    fn promise(&self, facts: &Facts) -> Result<Card> {
        let mut card = Card::new(format!("{}: what LDP-GE's collector receives", facts.name));
        let ldp_ge::Protection { features, label_epsilon, edges } = &self.protection;
        let secret = facts.secret;
        if secret.features {
            card = card.foreseeing(&features.foreseen(facts)?)?;
        }
        if secret.labels && !fault::on(Fault::PromiseWithoutLabels) {
            card = card.foreseeing(&foreseen_labels(*label_epsilon, facts)?)?;
        }
        if secret.edges {
            let (limit, shape) = (Loss::new(edges.epsilon, 0.0)?, facts.graph());
            let lists = match edges.mechanism {
                ldp_ge::ListRandomizer::Dprr => {
                    let dprr = local::Dprr::new(edges.epsilon, shape.nodes)?;
                    foreseen_lists(dprr, edges.merge, limit, &shape)?
                }
                ldp_ge::ListRandomizer::Rr => {
                    foreseen_lists(Rr::new(edges.epsilon)?, edges.merge, limit, &shape)?
                }
            };
            card = card.foreseeing(&lists)?;
        }
        let parts =
            [(secret.features, "features"), (secret.labels, "labels"), (secret.edges, "edges")];
        let open = parts.into_iter().filter(|(secret, _)| !secret).map(|(_, part)| part);
        Ok(open.fold(card, Card::with_unprotected).with_unprotected("who takes part"))
    }

    fn run(&self, input: Self::Input, run: &Run<'_>) -> Result<Protected<Self::Output>> {
        self.classify(&input.0, &input.1, run)
    }
}

impl System for Dprr {
    /// Users of many graphs, and which graphs are for training, validation and testing.
    type Input = (Crowd, Split);
    type Output = dprr::GraphClassifier;

    fn name(&self) -> &'static str {
        "dprr"
    }

    fn protects(&self) -> Vec<Part> {
        vec![Part::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let protection = &self.protection;
        let chosen = protection.setting.choose(&facts.people, 0)?;
        let largest = facts.people.iter().copied().max().unwrap_or(0);
        let direction = facts.direction;
        let shape: Vec<_> =
            facts.people.iter().map(|&nodes| GraphShape { nodes, direction }).collect();
        let promised = Promised { chosen: &chosen, shape: &shape };
        let alone =
            chosen.least().is_some_and(|least| protection.split.degree_alone(least, largest));
        let lists = match protection.method {
            DprrMethod::Dprr if alone => promised.each(|epsilon| {
                let degree = NoisyDegree::new(epsilon)?;
                Ok((degree.cost().total().get(), degree))
            })?,
            DprrMethod::Dprr => promised.each(|epsilon| {
                let dprr = protection.split.mechanism(epsilon, largest)?;
                Ok((dprr.cost().total().get(), DprrWithDegree(dprr)))
            })?,
            DprrMethod::Rr => promised.each(|epsilon| {
                let rr = Rr::new(epsilon)?;
                Ok((rr.cost().total().get(), rr))
            })?,
            DprrMethod::LocalLap => promised.each(|epsilon| {
                let cells = LocalLap::new(epsilon)?;
                Ok((cells.cost().total().get(), cells))
            })?,
            DprrMethod::NonPrivPart | DprrMethod::NonPrivFull => {
                promised.each(|_| Ok((0.0, Silent)))?
            }
        };
        let card = Card::new(format!("{}: what DPRR's collector receives", facts.name));
        Ok(card
            .foreseeing(&lists)?
            .with_unprotected("the class of each graph")
            .with_unprotected("who takes part, and in which graph"))
    }

    fn run(&self, input: Self::Input, run: &Run<'_>) -> Result<Protected<Self::Output>> {
        self.classify(&input.0, &input.1, run)
    }
}

/// Lists of many graphs, each at the strength that its user chose.
struct Promised<'a> {
    chosen: &'a dprr::Chosen,
    shape: &'a Vec<GraphShape>,
}

impl Promised<'_> {
    /// `build` makes the mechanism of an epsilon, and says what it costs.
    fn each<M>(&self, build: impl Fn(f64) -> Result<(f64, M)>) -> Result<Foreseen<NeighborBit>>
    where
        M: Disclose<Unit = NeighborBit, Population = crate::graph::Graph>,
    {
        let all = self.chosen.epsilons.iter().map(|&epsilon| build(epsilon));
        let (costs, mechanisms): (Vec<f64>, Vec<M>) =
            all.collect::<Result<Vec<_>>>()?.into_iter().unzip();
        let limit = Loss::new(costs.into_iter().fold(0.0, f64::max), 0.0)?;
        let mechanisms = mechanisms.into_iter().map(EachGraph).collect();
        let choices = UserChoices::new(mechanisms, self.chosen.of_user.clone())?;
        Ok(Foreseen::new(limit).chosen(&choices, self.shape)?)
    }
}

fn foreseen_labels(epsilon: f64, facts: &Facts) -> Result<Foreseen<Label>> {
    let mechanism = LabelRr::new(epsilon, facts.classes)?;
    Ok(Foreseen::new(Loss::new(epsilon, 0.0)?).each(&mechanism, &facts.labels())?)
}

/// What the rule for a graph lets people send decides what a pair costs.
fn foreseen_lists<M: ListMechanism<Unit = NeighborBit>>(
    lists: M,
    merge: Merge,
    limit: Loss,
    shape: &GraphShape,
) -> Result<Foreseen<NeighborBit>> {
    let asked = Foreseen::new(limit);
    Ok(for_merge!(merge, |wrap| asked.each(&wrap(lists), shape))?)
}
