//! Graph sets as one JSON object of edge lists, with labels in a csv beside it.
//!
//! `"17": [[0, 1], [1, 2]]` is graph 17; its nodes are `0..n` without gaps, each undirected edge
//! occurs once. Graphs are ordered by their number. The csv is `id,target`.

use super::choose::{self, Candidate};
use super::graph_lists::{self, Listing, PairList};
use super::target_table::{Classes, TargetTable};
use super::{Bundle, ReadOptions, json_entries};
use crate::{FactOrigin, GraphSet, LoadedData, NodeId, NodeIds, Notice, Result, SourceLocation};

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    jsons(bundle).into_iter().any(|member| looks_right(bundle, member))
}

/// Reads a bundle of this format.
///
/// # Errors
/// If the members are not what the format says they are, or hold several sets of which
/// [`ReadOptions::member`] names none.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let Candidate { name, member } = choose_json(bundle, options)?;
    let place = bundle.member_place(member);
    let mut graphs: Vec<(u64, Vec<[NodeId; 2]>)> = Vec::new();
    let expected = "an object of \"graph\": [[node, node], ...], all of them integers from 0";
    json_entries::for_each(bundle.open(member)?, expected, |id, pairs| graphs.push((id, pairs)))?;
    graphs.sort_unstable_by_key(|&(id, _)| id);
    let (mut ids, mut lists) = (Vec::new(), Vec::new());
    for (id, pairs) in graphs {
        lists.push(PairList { node_count: count_nodes(&pairs, &place, id)?, pairs });
        ids.push(id);
    }
    let built = graph_lists::build_all(lists, Listing::Once, options)?;
    let (graphs, notices) = graph_lists::with_notices(built, &place);
    let set = GraphSet::new(name, graphs)
        .with_ids(NodeIds::integers(ids)?)?
        .with_ids_origin(FactOrigin::ReadOff)
        .with_notices(notices);
    Ok(LoadedData::Graphs(with_targets(set, bundle, member)?))
}

fn with_targets(set: GraphSet, bundle: &Bundle, json: &str) -> Result<GraphSet> {
    let Some(member) = target_beside(bundle, json) else {
        let text = "no csv of targets beside it, so the graphs have no labels; \
                    give the folder that holds both";
        return Ok(set.with_notices([Notice::new(&bundle.member_place(json), text)]));
    };
    match TargetTable::read(bundle, member)?.classes(set.ids())? {
        Classes::Labels(labels) => set.with_labels(labels),
        Classes::Quantity(notice) => Ok(set.with_notices([notice])),
    }
}

/// The csv of targets in the folder of `json`: the one that shares its stem (`git_edges.json`,
/// `git_target.csv`), or else the only one.
fn target_beside<'a>(bundle: &'a Bundle, json: &str) -> Option<&'a str> {
    let mut tables = choose::ending_with(bundle, ".csv");
    tables.retain(|csv| {
        let base = choose::base_name(csv);
        choose::folder(csv) == choose::folder(json)
            && (base.contains("target") || base.contains("label"))
    });
    let stem = choose::base_name(json).split(['_', '.']).next().unwrap_or_default();
    let shares_stem = |csv: &&&str| choose::base_name(csv).starts_with(&format!("{stem}_"));
    match (tables.as_slice(), tables.iter().find(shares_stem)) {
        (_, Some(csv)) | ([csv], None) => Some(csv),
        _ => None,
    }
}

fn jsons(bundle: &Bundle) -> Vec<&str> {
    choose::ending_with(bundle, ".json")
}

fn choose_json<'a>(bundle: &'a Bundle, options: &ReadOptions) -> Result<Candidate<'a>> {
    let mut members = jsons(bundle);
    // A single one, or several of which none looks right: parsing says best what is wrong.
    if members.len() > 1 {
        let right: Vec<_> = members.iter().copied().filter(|m| looks_right(bundle, m)).collect();
        members = if right.is_empty() { members } else { right };
    }
    let candidate = |member| {
        let base = choose::base_name(choose::uncompressed(member)).trim_end_matches(".json");
        Candidate { name: base.strip_suffix("_edges").unwrap_or(base).into(), member }
    };
    let candidates = members.into_iter().map(candidate).collect();
    choose::one_of(bundle, options, candidates, "a member named NAME.json")
}

/// Whether the text begins `{"17": [[`, perhaps after graphs without edges. The features of MUSAE
/// begin `{"17": [1`.
fn looks_right(bundle: &Bundle, member: &str) -> bool {
    let Ok(mut head) = bundle.head(member) else { return false };
    head.retain(|byte| !byte.is_ascii_whitespace());
    let Some(mut rest) = head.strip_prefix(b"{") else { return false };
    loop {
        let Some(entry) = rest.strip_prefix(b"\"") else { return false };
        let digits = entry.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let Some(list) = entry[digits..].strip_prefix(b"\":[").filter(|_| digits > 0) else {
            return false;
        };
        match list.strip_prefix(b"]") {
            None => return list.starts_with(b"["),
            Some(end) if end.starts_with(b",") => rest = &end[1..],
            Some(end) => return end == b"}",
        }
    }
}

/// The number of nodes, which are all that the pairs name: `0..n` without gaps, so that a large
/// number alone cannot claim memory.
fn count_nodes(pairs: &[[NodeId; 2]], place: &SourceLocation, graph: u64) -> Result<usize> {
    let count = pairs.iter().flatten().max().map_or(0, |&node| node as usize + 1);
    let gap = |missing: usize| {
        let found = format!("node {} but no node {missing}", count - 1);
        let expected = "nodes numbered 0, 1, ... without gaps";
        place.field(graph.to_string()).malformed(found, expected)
    };
    // k pairs name at most 2 k nodes, so one of the first 2 k + 1 is missing from a larger count.
    let mut seen = vec![false; count.min(2 * pairs.len() + 1)];
    for &node in pairs.iter().flatten() {
        if let Some(slot) = seen.get_mut(node as usize) {
            *slot = true;
        }
    }
    match seen.iter().position(|&seen| !seen) {
        Some(missing) => Err(gap(missing)),
        None => Ok(count),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SelfLoops;
    use crate::formats::Limits;

    const JSON: &str = r#"{"10": [[0, 1], [1, 1]], "9": [[1, 0], [2, 1]], "11": []}"#;

    fn bundle(members: &[(&str, &str)]) -> Bundle {
        let members = members.iter().map(|&(name, text)| (name, text.as_bytes().to_vec()));
        Bundle::from_memory("z", members, Limits::default())
    }

    fn set(members: &[(&str, &str)]) -> Result<GraphSet> {
        read(&bundle(members), &ReadOptions::default())?.into_graphs()
    }

    #[test]
    fn graphs_come_by_number_with_their_targets() {
        let members = [("d/target.csv", "id,target\n11,1\n9,0\n"), ("d/graphs.json", JSON)];
        assert!(recognises(&bundle(&members)));
        let set = set(&members).unwrap();
        assert_eq!(set.ids(), &NodeIds::integers(vec![9, 10, 11]).unwrap());
        let sizes: Vec<_> = set.graphs().iter().map(|g| (g.node_count(), g.edge_count())).collect();
        assert_eq!(sizes, [(3, 2), (2, 1), (0, 0)]);
        let labels = set.labels().unwrap();
        assert_eq!([0, 1, 2].map(|graph| labels.class(graph)), [Some(0), None, Some(1)]);
        let told: Vec<_> = set.notices().iter().map(ToString::to_string).collect();
        assert_eq!(told, ["z, member d/graphs.json: 1 self-loops dropped"]);
        let keep = ReadOptions { self_loops: SelfLoops::Keep, ..ReadOptions::default() };
        let kept = read(&bundle(&members), &keep).unwrap().into_graphs().unwrap();
        assert_eq!(kept.edge_count(), 4);
    }

    #[test]
    fn the_targets_are_found_by_stem_or_alone_or_not_at_all() {
        let csv = |class: &str| format!("id,target\n9,{class}\n");
        let (a, b) = (csv("a"), csv("b"));
        let classes = |members: &[_]| {
            let set = set(members).unwrap();
            set.labels().map(|labels| labels.class_names().concat())
        };
        let json = ("git_edges.json", JSON);
        assert_eq!(
            classes(&[json, ("x_target.csv", &a), ("git_target.csv", &b)]),
            Some("b".into())
        );
        assert_eq!(classes(&[json, ("labels.csv", &a)]), Some("a".into()));
        assert_eq!(classes(&[json, ("x_target.csv", &a), ("y_target.csv", &b)]), None);
        assert_eq!(classes(&[json, ("d/target.csv", &a)]), None);
        assert!(set(&[json]).unwrap().notices()[1].text.contains("give the folder"));
    }

    #[test]
    fn recognised_by_its_first_bytes() {
        for text in [JSON, "{\"0\":[[", "{ \"1\" : [], \n\"2\": [ [0,1] ] }", "{\"1\": []}"] {
            assert!(recognises(&bundle(&[("g.json", text)])), "{text}");
        }
        for text in ["", "{}", "[[0,1]]", r#"{"0": [1]}"#, r#"{"nodes": [[0,1]]}"#, r#"{"1":[],"#] {
            assert!(!recognises(&bundle(&[("g.json", text)])), "{text}");
        }
        assert!(!recognises(&bundle(&[("g.txt", JSON)])));
    }

    #[test]
    fn damage_is_told_with_its_place() {
        for (json, told) in [
            (r#"{"0": [[0, 4294967295]]}"#, "g.json, field 0: found node 4294967295 but no node 1"),
            (r#"{"7": [[0, 2], [0, 2]]}"#, "field 7: found node 2 but no node 1"),
            (r#"{"0": [[1, 2]]}"#, "found node 2 but no node 0"),
            (r#"{"0": [[0, 1, 2]]}"#, "line 1: found"),
            (r#"{"0": [[0]]}"#, "line 1: found"),
            (r#"{"0": [[0, -1]]}"#, "-1"),
            (r#"{"0": [[0, 4294967296]]}"#, "4294967296"),
            (r#"{"0": [[0, 1]], "0": []}"#, "key \"0\" twice"),
            (r#"{"0": [[0, 1]"#, "ends early"),
            (r#"{"x": []}"#, "line 1: found"),
        ] {
            let error = set(&[("g.json", json)]).unwrap_err().with_values();
            assert!(error.contains(told), "{error}");
        }
        let stranger = set(&[("g.json", JSON), ("target.csv", "id,target\n5,0\n")]).unwrap_err();
        assert!(stranger.with_values().contains("a target for 5, of which there is no graph"));
    }

    #[test]
    fn several_sets_ask_for_a_choice() {
        let told = set(&[("a.json", JSON), ("b_edges.json", JSON)]).unwrap_err().with_values();
        assert!(told.contains("2 datasets (a, b)"), "{told}");
    }
}
