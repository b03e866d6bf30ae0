//! [`CalledPrivate`]: which edges an experiment takes for private.

use privet::graph::NodeId;
use privet::hetero_rr::PrivateEdges;

use serde::Serialize;

use crate::experiments::trial::data::hash;
use crate::report::summary::plain;

/// Which edges are called private.
#[derive(Debug, Clone, PartialEq)]
pub enum CalledPrivate {
    /// This share of them, drawn anew with every seed: for benchmarks, which do not say.
    Share(f64),
    /// These, with every seed: what a custodian knows.
    Listed(Vec<(NodeId, NodeId)>),
}

/// What a key says of it; of a list only its checksum, because a key stands in files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PrivateKey {
    Share(f64),
    Listed(String),
}

impl CalledPrivate {
    pub(super) fn key(&self) -> PrivateKey {
        match self {
            Self::Share(share) => PrivateKey::Share(*share),
            Self::Listed(edges) => {
                let mut edges: Vec<_> = edges.iter().map(|&(u, v)| (u.min(v), u.max(v))).collect();
                edges.sort_unstable();
                PrivateKey::Listed(format!("{:016x}", hash(&format!("{edges:?}"))))
            }
        }
    }

    /// Those of one run.
    pub fn edges(&self, seed: u64) -> PrivateEdges {
        match self {
            Self::Share(share) => PrivateEdges::Share { share: *share, seed },
            Self::Listed(edges) => PrivateEdges::Listed(edges.clone()),
        }
    }

    /// How much is private, in words. How many edges a list has is not told: that is a secret of the list.
    pub(super) fn in_words(&self) -> String {
        match self {
            Self::Share(share) => format!("{} % of the edges", plain(100.0 * share)),
            Self::Listed(_) => "listed edges".into(),
        }
    }

    /// The name and the value of the setting.
    pub(super) fn setting(&self) -> (String, String) {
        match self {
            Self::Share(share) => ("private-share".into(), share.to_string()),
            Self::Listed(_) => ("private-edges".into(), "from a list".into()),
        }
    }
}
