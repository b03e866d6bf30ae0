//! HeteroRR: one graph, made private once, reused for ever.
//!
//! Paper: Tran, Lai, Phan and others, "Heterogeneous Randomized Response for Differential Privacy in
//! Graph Neural Networks". A custodian holds features and edges; some edges are public. Features are
//! randomised column by column with budgets that suit them, private edges are redrawn from noisy counts
//! over a tree of groups, and whatever is computed from the result costs nothing more.
//!
//! # Follow the data
//! ```text
//! Custody (Secret fields)  --Publication::release-->  Published (graph, features, card)   [`custody`], [`publish`]
//!   public edges           --TreePlan::grow------->   a tree of groups, for free          [`tree`], [`attributes`]
//!   public sample          --scores--------------->   which columns get how much budget   [`scores`]
//! Published                --GcnLearner::train------->   a GCN                               [`learn`]
//! VoteInput (Custody, labels)  --Votes::classify----------->   VotedClasses (each person's class, card)  [`votes`], [`evidence`]
//! ```
//!
//! # Differs from the paper
//! * To get classes and not a graph, let private edges vote ([`votes`]) instead of drawing others in their
//!   place: drawn edges lose to leaving the private ones out, votes do not.
//! * Who may have private edges is declared; all public edges are kept; the tree is public by default, so
//!   that the whole edge budget buys counts, and the guarantee does not wait for a Markov chain.
//! * Scores of columns come from public data only, by type.
//! * Noisy counts are projected, so that noise in empty blocks does not become edges.
//! * Edges of a group are drawn between friends of friends first
//!   ([`Wiring`](crate::privacy::edges::comparison::hrg::Wiring)): nearer to the truth at the same price.

pub mod attributes;
pub mod custody;
pub mod evidence;
pub mod learn;
pub mod public;
pub mod publish;
mod reported;
pub mod scores;
pub mod tree;
pub mod votes;

pub use custody::{Custody, PrivateEdges};
pub use learn::GcnLearner;
pub use public::{PublicModel, PublicNetwork, PublicTrainingData};
pub use publish::{EdgeMethod, EdgeProtection, Ledgers, Publication, Publishable, PublishedGraph};
pub use tree::{GrownTree, Start, TreePlan};
pub use votes::{EdgeUse, VoteInput, VotedClasses, Votes};

pub use crate::protect::FeatureProtection;
