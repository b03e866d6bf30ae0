//! Systems in which each person adds noise to their own data.

use super::{Facts, System};
use crate::dprr::{self, Crowd, Dprr};
use crate::graph::{Dataset, Split};
use crate::ldp_ge::{self, LdpGe, People};
use crate::privacy::Card;
use crate::privacy::fault::{self, Fault};
use crate::privacy::unit::DataPart;
use crate::protect::labels::label_stage;
use crate::protect::{Edges, Features, Labels};
use crate::{Protected, Result, Run};

/// What stays as it is when one part of a dataset is randomised.
pub(super) const THE_REST: &str = "the ids of all people, and every other part of the data";

impl System for Features {
    type Input = Dataset;
    type Output = Dataset;

    fn name(&self) -> &'static str {
        "protect-features"
    }

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Features]
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

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Labels]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let labels = label_stage(self.terms.budgets.largest(), facts.classes)?
            .foreseen_each(&facts.labels())?;
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

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        Ok(Self::promise(self, facts)?.with_unprotected(THE_REST))
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

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Features, DataPart::Labels, DataPart::Edges]
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
            let labels = label_stage(*label_epsilon, facts.classes)?;
            card = card.foreseeing(&labels.foreseen_each(&facts.labels())?)?;
        }
        if secret.edges {
            card = card.foreseeing(&edges.foreseen(&facts.graph())?)?;
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

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        self.protection.promise(facts)
    }

    fn run(&self, input: Self::Input, run: &Run<'_>) -> Result<Protected<Self::Output>> {
        self.classify(&input.0, &input.1, run)
    }
}
