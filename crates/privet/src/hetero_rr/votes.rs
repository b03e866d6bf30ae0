//! [`Votes`]: private edges as evidence for a classifier, instead of edges drawn in their place.
//!
//! # Idea
//! A drawn edge joins the right groups and the wrong people, and a wrong edge hurts a classifier more than a missing one.
//! What a classifier wants from an edge is what it says about a class. So a model of the public data comes first; then
//! each private edge tells one end the class of the other ([`EdgeVotes`]); then both are put together by Bayes' rule
//! ([`evidence`](super::evidence)), as far as validation labels say that it helps. Where votes are all noise they are left
//! out, and public data alone have the last word.
//!
//! | the ends of an edge | what it says |
//! |---|---|
//! | training and training | one count of their pair of classes: how often classes are connected |
//! | training and validation | to the validation node, the other's label: what votes are worth |
//! | labelled and not | to the node without a label, the other's label |
//! | neither labelled | to the one of which less is known, the class that the other is taken for |
//!
//! Labels and guesses are counted apart, as classes of their own: a guess that is right for a third of the people would
//! drown labels that are right for all. An edge is in one row of the table, so that it pays once.
//!
//! ```text
//! public edges, rows, labels --PublicModel-> a model           nothing private was read
//! private edges --EdgeVotes, charged-------> noisy counts      one edge, one count
//! both --VoteEvidence----------------------> classes           post-processing
//! ```
//!
//! # What is public
//! Labels, rows (or their reports), the public edges, who is a node. The panel, which end of an edge is told and what,
//! follows from those alone.

use std::path::Path;

use super::custody::Custody;
use super::evidence::{VoteEvidence, VoteWeights};
use super::learn::GcnLearner;
use super::public::{PublicModel, PublicTrainingData};
use super::publish::{Ledgers, unprotected};
use super::reported::{Reported, Reporting};
use crate::graph::{DenseMatrix, FeatureMatrix, Labels, NodeIds, Split};
use crate::ldp_ge::NodeClassifier;
use crate::learn::models::likeliest;
use crate::model::answers::AnswerTable;
use crate::model::predict::AnswerColumns;
use crate::privacy::Loss;
use crate::privacy::edges::central::{EdgeVotes, VoteCounts, VoteRules};
use crate::privacy::public::Public;
use crate::protect::FeatureProtection;
use crate::words::csv_cell;
use crate::{Error, Protected, Result, Run};

/// What private edges become.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum EdgeUse {
    /// Noisy counts of what they say about classes: best for a classifier, and never a graph.
    #[default]
    Votes,
    /// Other edges, drawn in their place: a graph for any use, on which a classifier does worse than on public edges
    /// alone.
    Graph,
}

/// A classifier of nodes that private edges inform.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Votes {
    /// Privacy budget of each private edge (epsilon).
    #[serde(rename = "epsilon_edges")]
    pub epsilon: f64,
    /// For feature rows; `None` if they are public.
    pub features: Option<FeatureProtection>,
    /// What learns from public data.
    pub learner: GcnLearner,
}

/// What a custodian holds, and the labels that are no secret.
pub struct VoteInput {
    /// Edges and features, of which some are secret.
    pub custody: Custody,
    /// Labels of the split's training and validation nodes.
    pub labels: Labels,
    /// Who teaches, who decides what votes are worth, and whose classes are wanted.
    pub split: Split,
}

/// Each person's class, and what it follows from.
#[derive(Debug, Clone)]
pub struct VotedClasses {
    /// How likely each class is for each node.
    pub probabilities: DenseMatrix,
    /// Noisy counts of what private edges say: labels and then guesses in the rows of those who were told, and pairs.
    pub votes: VoteCounts,
    /// What validation labels made of the votes; `None` if they are left out.
    pub weights: Option<VoteWeights>,
    /// What public data say without them.
    pub public: PublicModel,
}

impl VotedClasses {
    /// A classifier of these nodes that says the same: its rows are the logarithms of the probabilities.
    ///
    /// # Errors
    /// If there is no class.
    pub fn into_classifier(self) -> Result<NodeClassifier> {
        let mut scores = self.probabilities;
        let logarithm = |share: &mut f32| *share = share.max(f32::MIN_POSITIVE).ln();
        scores.values_mut().iter_mut().for_each(logarithm);
        NodeClassifier::of_scores(scores)
    }

    /// The likeliest class of every node.
    pub fn classes(&self) -> Vec<u32> {
        likeliest(&self.probabilities)
    }

    /// Writes each person's class and the probability of each (`classes.csv`), the votes (`votes.csv`), edges by pairs of
    /// classes (`class-pairs.csv`) and the model of public data (`model.safetensors`, and what it reads:
    /// `public-model.json`) into a folder.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn save(&self, folder: &Path, ids: &NodeIds, classes: &[String]) -> Result<()> {
        let ids: Vec<String> = ids.iter().map(|id| id.to_string()).collect();
        let shown = AnswerColumns { top: 1, probabilities: true };
        let mut table = AnswerTable::csv("id", classes, shown);
        let mut out = Vec::new();
        table.write_header(&mut out)?;
        table.write_rows(&ids, &self.probabilities, &mut String::new(), &mut out)?;
        let names = classes.iter().map(|class| csv_cell(class));
        let guesses = classes.iter().map(|class| csv_cell(&format!("guess:{class}")));
        let header = std::iter::once("id".to_owned()).chain(names).chain(guesses);
        let header = header.collect::<Vec<_>>().join(",");
        let told = ids.iter().zip(&self.votes.told).filter(|(_, votes)| !votes.is_empty());
        let line = |(id, votes): (&String, &Vec<i64>)| {
            let counts = votes.iter().map(|count| format!(",{count}")).collect::<String>();
            format!("{}{counts}\n", csv_cell(id))
        };
        let votes = format!("{header}\n{}", told.map(line).collect::<String>());
        let pair = |(one, other): (usize, usize)| {
            let [low, high] = [other, one].map(|class| csv_cell(&classes[class]));
            format!("{low},{high},{}\n", self.votes.between(one, other))
        };
        let all = (0..classes.len()).flat_map(|one| (0..=one).map(move |other| (one, other)));
        let pairs = format!("class,class,edges\n{}", all.map(pair).collect::<String>());
        for (name, bytes) in [
            ("classes.csv", &out[..]),
            ("votes.csv", votes.as_bytes()),
            ("class-pairs.csv", pairs.as_bytes()),
        ] {
            let path = folder.join(name);
            std::fs::write(&path, bytes).map_err(|error| Error::file(&path, error))?;
        }
        self.public.save(folder)
    }
}

impl Votes {
    /// What a new account for edges must allow.
    ///
    /// # Errors
    /// If epsilon is out of range.
    pub fn limit(&self) -> Result<Loss> {
        Ok(Loss::new(self.epsilon, 0.0)?)
    }

    /// Charges the ledgers and classifies all people.
    ///
    /// # Errors
    /// If there are no rows, a mechanism refuses its settings or the data, a ledger refuses the charge, or training
    /// fails.
    pub fn classify(
        &self,
        asked: &VoteInput,
        ledgers: &mut Ledgers,
        run: &Run<'_>,
    ) -> Result<Protected<VotedClasses>> {
        let VoteInput { custody, labels, split } = asked;
        // Both are priced before the first is drawn: nothing is charged for a release that is refused.
        ledgers.edges.would_allow(&self.of_nobody()?)?;
        let Reported { rows: features, public: reported } =
            Reporting::new(self.features.as_ref(), custody, ledgers)?.release(custody, ledgers)?;
        let missing = || Error::Missing {
            dataset: custody.name.clone(),
            what: "features",
            remedy: "a model of public data learns from them",
        };
        let rows = reported.as_ref().or(custody.attributes.as_ref()).ok_or_else(missing)?;
        let best = |rows: &FeatureMatrix| {
            let taught = PublicTrainingData { rows, labels, split };
            PublicModel::best(&self.learner, custody.ground.public(), taught, run)
        };
        let public = rows.derive(best).transpose()?;
        let panel = public.derive(|public| panel(&public.says, labels, split));
        let mechanism = EdgeVotes::new(self.epsilon, panel)?;
        let votes = ledgers.edges.release(&custody.private, &mechanism)?;
        let applied = |votes: VoteCounts| {
            let rules = mechanism.rules();
            let evidence = VoteEvidence { counts: &votes, rules, noise: mechanism.noise() };
            let public = public.into_inner();
            let (probabilities, weights) = evidence.applied(&public.says, labels, split);
            VotedClasses { probabilities, votes, weights, public }
        };
        let informed = votes.protected(&ledgers.edges)?.map(applied).zip(features).map(|(i, _)| i);
        let informed = informed.about(format!("{}: classes of nodes, by votes", custody.name));
        Ok(unprotected(informed, custody))
    }

    /// Votes of an empty panel, which have the price of any.
    pub(crate) fn of_nobody(&self) -> Result<EdgeVotes> {
        let empty = VoteRules { classes: 1, paired: 0, says: Vec::new(), asks: Vec::new() };
        Ok(EdgeVotes::new(self.epsilon, Public::declared(empty))?)
    }
}

/// Who says what, and who is told: labelled nodes say their label, others the likeliest class, as a class of its own.
/// Training nodes are told nothing, validation nodes by them, and all others by both and by those of them of which more
/// is known.
pub(super) fn panel(prior: &DenseMatrix, labels: &Labels, split: &Split) -> VoteRules {
    let (nodes, classes) = (prior.rows(), labels.class_count() as u32);
    let likeliest = likeliest(prior);
    let mut says: Vec<Option<u32>> = likeliest.iter().map(|class| Some(classes + class)).collect();
    let mut labelled = vec![false; nodes];
    let mut asks = vec![0; nodes];
    for (part, ask) in [(&split.train, 0), (&split.validation, 1)] {
        for &node in part {
            // A node of the split without a class is one of those that are asked about.
            if let Some(class) = labels.class(node) {
                says[node as usize] = Some(class);
                labelled[node as usize] = true;
                asks[node as usize] = ask;
            }
        }
    }
    let mut unsure: Vec<usize> = (0..nodes).filter(|&node| !labelled[node]).collect();
    let certainty = |node: usize| prior.row(node)[likeliest[node] as usize];
    unsure.sort_by(|&a, &b| certainty(b).total_cmp(&certainty(a)));
    for (ask, node) in (2..).zip(unsure) {
        asks[node] = ask;
    }
    VoteRules { classes: 2 * classes, paired: classes, says, asks }
}
