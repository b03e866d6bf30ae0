//! Systems in which a curator holds the data of all people.

use super::local::THE_REST;
use super::{Facts, System};
use crate::Method;
use crate::dpar::{
    Dpar, Inductive, Person, Plan, TrainedClassifier, UNPROTECTED, gradient_descent, hidden_layer,
    structure::ByIsta, train,
};
use crate::graph::{Dataset, Direction, Graph};
use crate::hetero_rr::{
    Custody, Ledgers, Publication, Publishable, VoteInput, VotedClasses, Votes,
};
use crate::learn::train::{OptimizerConfig, PrivateMlp, PrivateSums};
use crate::privacy::Card;
use crate::privacy::aggregation::NoisySums;
use crate::privacy::appr::DpAppr;
use crate::privacy::edges::comparison::hrg::{PrivateNodes, PublicGraph};
use crate::privacy::ledger::Foreseen;
use crate::privacy::neighbour_votes::NeighbourVotes;
use crate::privacy::sgd::DpSgd;
use crate::privacy::unit::{DataPart, Edge, Node, Relation, ReplacedNode};
use crate::protect::Sums;
use crate::{Protected, Result, Run};

impl System for Publication {
    type Input = Custody;
    type Output = Publishable;

    fn name(&self) -> &'static str {
        "hetero-rr"
    }

    fn protects(&self) -> Vec<DataPart> {
        match self.features {
            Some(_) => vec![DataPart::Edges, DataPart::Features],
            None => vec![DataPart::Edges],
        }
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        // Which edges are public has no part in the price.
        let no_edges = Graph::empty(facts.total(), Direction::Undirected)?;
        let ground = PublicGraph::new(no_edges, PrivateNodes::All)?;
        let card = Card::new(format!("{}, published by HeteroRR", facts.name));
        let mut card = card.foreseeing(&self.edges.foreseen(&ground)?)?;
        if let Some(how) = &self.features {
            card = card.foreseeing(&how.foreseen(facts)?)?;
        }
        Ok(card
            .with_unprotected(format!("the {} nodes and their ids", facts.total()))
            .with_unprotected("public edges, and that they are public"))
    }

    fn run(&self, input: Custody, run: &Run<'_>) -> Result<Protected<Publishable>> {
        self.publish(&input, run)
    }
}

impl System for Votes {
    type Input = VoteInput;
    type Output = VotedClasses;

    fn name(&self) -> &'static str {
        "hetero-rr, votes"
    }

    fn protects(&self) -> Vec<DataPart> {
        match self.features {
            Some(_) => vec![DataPart::Edges, DataPart::Features],
            None => vec![DataPart::Edges],
        }
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let account = Foreseen::new(self.limit()?).curated(&self.of_nobody()?)?;
        let card = Card::new(format!("{}: classes of nodes, by votes", facts.name));
        let mut card = card.foreseeing(&account)?;
        if let Some(how) = &self.features {
            card = card.foreseeing(&how.foreseen(facts)?)?;
        }
        Ok(card
            .with_unprotected(format!("the {} nodes and their ids", facts.total()))
            .with_unprotected("public edges, and that they are public"))
    }

    fn run(&self, input: VoteInput, run: &Run<'_>) -> Result<Protected<VotedClasses>> {
        let mut ledgers = Ledgers::allowing(self.limit()?, self.features.as_ref(), run)?;
        self.classify(&input, &mut ledgers, run)
    }
}

impl System for Sums {
    type Input = Dataset;
    type Output = Dataset;

    fn name(&self) -> &'static str {
        "protect-sums"
    }

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        let account = Foreseen::new(self.target()?).curated(&self.mechanism(facts.total())?)?;
        let card = Card::new(format!("{}, noisy sums over neighbours", facts.name));
        Ok(card.foreseeing(&account)?.with_unprotected(THE_REST))
    }

    fn run(&self, input: Dataset, run: &Run<'_>) -> Result<Protected<Dataset>> {
        Self::run(self, input, run)
    }
}

/// Each person as a whole, there or not ([`Node`]); other units are asked of [`Dpar`] by type.
impl System for Dpar {
    type Input = Inductive;
    type Output = TrainedClassifier;

    fn name(&self) -> &'static str {
        "dpar"
    }

    fn protects(&self) -> Vec<DataPart> {
        vec![DataPart::Features, DataPart::Labels, DataPart::Edges]
    }

    fn promise(&self, facts: &Facts) -> Result<Card> {
        self.promise_for(Relation::NodeAbsent, facts)
    }

    fn run(&self, input: Inductive, run: &Run<'_>) -> Result<Protected<TrainedClassifier>> {
        let plan = self.plan::<Node>(input.training.len())?;
        self.classify::<Node>(&plan, &input, run)
    }
}

impl Dpar {
    /// The card of a run that hides what the relation says, before any record is looked at.
    ///
    /// # Errors
    /// If a setting makes no sense, or no noise reaches the target.
    pub fn promise_for(&self, relation: Relation, facts: &Facts) -> Result<Card> {
        let plan = self.plan_for(relation, facts.learner_count())?;
        let name = format!("{}: a classifier of nodes, by {}", facts.name, self.method.name());
        let card = Card::new(name);
        let card = match relation {
            Relation::EdgeDp => card.foreseeing(&self.foreseen_edges(&plan)?)?,
            Relation::NodeReplace => {
                card.foreseeing(&self.foreseen::<ReplacedNode>(&plan, facts)?)?
            }
            _ => card.foreseeing(&self.foreseen::<Node>(&plan, facts)?)?,
        };
        Ok(UNPROTECTED.into_iter().fold(card, Card::with_unprotected))
    }

    /// What the ledger of connections will say: sums over neighbours are all that is released of them.
    fn foreseen_edges(&self, plan: &Plan) -> Result<Foreseen<Edge>> {
        let account = Foreseen::new(plan.limit());
        match plan.sums {
            Some(sums) => Ok(account.curated(&NoisySums::new(sums, plan.people)?)?),
            None => Ok(account),
        }
    }

    /// What the ledger of people will say, release by release.
    fn foreseen<U: Person>(&self, plan: &Plan, facts: &Facts) -> Result<Foreseen<U>> {
        let mut account: Foreseen<U> = Foreseen::new(plan.limit());
        if let Some(noise) = plan.structure {
            let ranking = ByIsta(self.settings.structure.ista());
            account = account.curated(&DpAppr::new(self.appr(plan.sources, noise), ranking)?)?;
        }
        if let Some(sums) = plan.sums {
            account = account.curated(&NoisySums::new(sums, plan.people)?)?;
        }
        if self.method == Method::ClassSums {
            let sums = PrivateSums::new(plan.people, facts.columns, facts.classes)?;
            account = account.curated(&DpSgd::new(plan.training, sums)?)?;
        }
        if self.method == Method::GradientDescent {
            let (learner, training) =
                gradient_descent::learner(plan, facts.columns, facts.classes)?;
            account = account.curated(&DpSgd::new(training, learner)?)?;
        }
        if self.method == Method::HiddenLayer {
            let learner = hidden_layer::learner(&plan.training, facts.columns, facts.classes, 0)?;
            account = account.curated(&DpSgd::new(plan.training, learner)?)?;
        }
        if self.method == Method::NeighbourVotes {
            // How many people are voted for has no part in the price.
            let noise = plan.training.noise_multiplier;
            account = account.curated(&NeighbourVotes::new(1, facts.classes, noise)?)?;
        }
        let rate = self.settings.model.learning_rate;
        let network = || train::network(self, facts.columns, facts.classes, 0);
        for _ in 0..self.method.trainings() {
            let learner = PrivateMlp::new(network(), OptimizerConfig::default(), rate)?;
            account = account.curated(&DpSgd::new(plan.training, learner)?)?;
        }
        Ok(account)
    }
}
