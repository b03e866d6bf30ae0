//! Which edges an experiment takes for private, in keys and words.

use privet::release::PrivateChoice;
use serde::Serialize;

use crate::experiments::trial::data::hash;
use crate::report::summary::plain;

/// What a key says of it; of a list only its checksum, because a key stands in files.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum PrivateKey {
    Share(f64),
    Listed(String),
}

/// What tells one choice from another.
pub(super) fn key(private: &PrivateChoice) -> PrivateKey {
    match private {
        PrivateChoice::Share(share) => PrivateKey::Share(*share),
        PrivateChoice::Listed(edges) => {
            let mut edges: Vec<_> = edges.iter().map(|&(u, v)| (u.min(v), u.max(v))).collect();
            edges.sort_unstable();
            PrivateKey::Listed(format!("{:016x}", hash(&format!("{edges:?}"))))
        }
    }
}

/// How much is private, in words. How many edges a list has is not told: that is a secret of the list.
pub(super) fn in_words(private: &PrivateChoice) -> String {
    match private {
        PrivateChoice::Share(share) => format!("{} % of the edges", plain(100.0 * share)),
        PrivateChoice::Listed(_) => "listed edges".into(),
    }
}

/// The name and the value of the setting.
pub(super) fn setting(private: &PrivateChoice) -> (String, String) {
    match private {
        PrivateChoice::Share(share) => ("private-share".into(), share.to_string()),
        PrivateChoice::Listed(_) => ("private-edges".into(), "from a list".into()),
    }
}

#[cfg(test)]
mod tests {
    use privet::graph::NodeId;
    use privet::hetero_rr::PrivateEdges;

    use super::*;

    fn key(private: &PrivateChoice) -> String {
        serde_json::to_string(&super::key(private)).unwrap()
    }

    /// A key stands in files that are shared: it tells one list from another, and nothing of who is in it.
    #[test]
    fn a_key_says_which_list_and_not_who_is_in_it() {
        let listed = |edges: &[(NodeId, NodeId)]| PrivateChoice::Listed(edges.to_vec());
        let one = key(&listed(&[(17, 4), (9, 23)]));
        assert_eq!(one, key(&listed(&[(23, 9), (4, 17)])), "the same edges in another order");
        assert_ne!(one, key(&listed(&[(17, 4)])));
        assert_ne!(one, key(&listed(&[(17, 5), (9, 23)])));
        assert_eq!(one.len(), r#"{"listed":"0123456789abcdef"}"#.len(), "{one}");
        assert_eq!(key(&PrivateChoice::Share(0.25)), r#"{"share":0.25}"#);
    }

    #[test]
    fn a_share_is_drawn_with_every_seed_and_a_list_is_not() {
        let share = PrivateChoice::Share(0.5);
        assert_eq!(share.edges(3), PrivateEdges::Share { share: 0.5, seed: 3 });
        assert_ne!(share.edges(3), share.edges(4));
        let list = PrivateChoice::Listed(vec![(0, 1)]);
        assert_eq!(list.edges(3), list.edges(4));
    }

    /// How many edges are secret is itself one.
    #[test]
    fn words_do_not_count_a_list() {
        let list = PrivateChoice::Listed(vec![(0, 1); 7]);
        assert_eq!(in_words(&list), "listed edges");
        assert_eq!(setting(&list), ("private-edges".into(), "from a list".into()));
        let share = PrivateChoice::Share(0.2);
        assert_eq!(in_words(&share), "20 % of the edges");
        assert_eq!(setting(&share), ("private-share".into(), "0.2".into()));
    }
}
