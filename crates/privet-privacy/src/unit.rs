//! Who is protected: the neighbouring relations, as types that do not mix.
//!
//! An epsilon without a relation means nothing, and epsilons of different relations must not be
//! added. A [`Ledger`](crate::Ledger) is therefore typed by its [`Unit`]: charging an edge mechanism
//! to a feature account does not compile, and what is written to disk names its [`Relation`].

use serde::{Deserialize, Serialize};

/// What two neighbouring inputs may differ in. The names are those of the ledger files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Any two records of one user.
    RecordLdp,
    /// One user's neighbour list, one bit differs.
    EdgeLdp,
    /// An undirected graph, one edge differs; the adversary sees all users' reports.
    RelationshipDp,
    /// A curator's graph, one private edge differs; public edges and node ids are fixed.
    EdgeDp,
    /// A curator's table: one record is there, or is not. Who knows whom is public, if it is there at all.
    RecordAbsent,
    /// A curator's table: one record says something else.
    RecordReplace,
    /// A public universe of node ids: one node is there, with all that is its own, or is not.
    NodeAbsent,
    /// One node keeps its id; everything else of it may change.
    NodeReplace,
}

impl Relation {
    /// The name in ledgers, cards and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::RecordLdp => "record-ldp",
            Self::EdgeLdp => "edge-ldp",
            Self::RelationshipDp => "relationship-dp",
            Self::EdgeDp => "edge-dp",
            Self::RecordAbsent => "record-absent",
            Self::RecordReplace => "record-replace",
            Self::NodeAbsent => "node-absent",
            Self::NodeReplace => "node-replace",
        }
    }
}

impl Relation {
    /// Every relation there is.
    pub const ALL: [Self; 8] = [
        Self::RecordLdp,
        Self::EdgeLdp,
        Self::RelationshipDp,
        Self::EdgeDp,
        Self::RecordAbsent,
        Self::RecordReplace,
        Self::NodeAbsent,
        Self::NodeReplace,
    ];

    /// Whether a person with many connections is hidden less than one with few.
    pub fn is_of_one_connection(self) -> bool {
        matches!(self, Self::EdgeLdp | Self::RelationshipDp | Self::EdgeDp)
    }
}

impl std::fmt::Display for Relation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Who holds the raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Only its owner: noise is added on each person's own device.
    #[serde(rename = "nobody")]
    OwnDevice,
    /// A curator holds it and is trusted not to look.
    Curator,
}

/// A part of a dataset about people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataPart {
    /// The features of people.
    Features,
    /// Their labels.
    Labels,
    /// Who is connected to whom.
    Edges,
}

/// What a ledger's or card's unit means: the constants of a [`Unit`], found by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnitFacts {
    /// The name in ledgers and cards.
    pub name: &'static str,
    /// What neighbouring inputs differ in.
    pub relation: Relation,
    /// Who holds the raw data.
    pub trust: Trust,
    /// What it protects, and what not, in a sentence.
    pub protects: &'static str,
    /// The parts of a dataset it speaks of.
    pub parts: &'static [DataPart],
}

impl UnitFacts {
    /// The unit of a name.
    pub fn named(name: &str) -> Option<&'static Self> {
        UNITS.iter().find(|unit| unit.name == name)
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A protected unit. Sealed: a new one is a decision of this crate, with its name in the files.
pub trait Unit: sealed::Sealed + Send + Sync + 'static {
    /// The name in ledgers and cards.
    const NAME: &'static str;
    /// What neighbouring inputs differ in.
    const RELATION: Relation;
    /// Who holds the raw data.
    const TRUST: Trust;
    /// What it protects, and what not, in a sentence.
    const PROTECTS: &'static str;
    /// The parts of a dataset it speaks of.
    const PARTS: &'static [DataPart];
}

macro_rules! units {
    ($($(#[$doc:meta])* $unit:ident = $name:literal, $relation:ident, $trust:ident, [$($part:ident),*], $protects:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub enum $unit {}
        impl sealed::Sealed for $unit {}
        impl Unit for $unit {
            const NAME: &'static str = $name;
            const RELATION: Relation = Relation::$relation;
            const TRUST: Trust = Trust::$trust;
            const PROTECTS: &'static str = $protects;
            const PARTS: &'static [DataPart] = &[$(DataPart::$part),*];
        }
    )*
        /// Every unit there is.
        static UNITS: &[UnitFacts] = &[$(UnitFacts {
            name: $name,
            relation: Relation::$relation,
            trust: Trust::$trust,
            protects: $protects,
            parts: &[$(DataPart::$part),*],
        }),*];
    };
}

units! {
    /// All features of one user, reported by the user.
    FeatureRow = "feature-row", RecordLdp, OwnDevice, [Features], "every feature of every person";
    /// The label of one user, reported by the user.
    Label = "label", RecordLdp, OwnDevice, [Labels], "the label of every person";
    /// One bit of one user's neighbour list, reported by the user.
    NeighborBit = "neighbor-bit", EdgeLdp, OwnDevice, [Edges], "each entry of each person's contact list, one at a time";
    /// One private edge of a curator's graph.
    Edge = "edge", EdgeDp, Curator, [Edges], "each private connection, one at a time";
    /// One record of a curator's table, features and label together, present or absent.
    Record = "record", RecordAbsent, Curator, [Features, Labels], "each person's record: features and label together";
    /// One record of a curator's table, features and label together, replaced by any other.
    ReplacedRecord = "replaced-record", RecordReplace, Curator, [Features, Labels], "what each person's record says: features and label together";
    /// One node with its edges, features and label, present or absent.
    Node = "node", NodeAbsent, Curator, [Features, Labels, Edges], "each person as a whole: connections, features and label";
    /// One node that keeps its id; its edges, features and label may be any others.
    ReplacedNode = "replaced-node", NodeReplace, Curator, [Features, Labels, Edges], "what is known of each person as a whole: connections, features and label";
}
