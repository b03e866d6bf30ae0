//! No bytes make the readers of MUSAE, GIN text, TU and json sets panic, hang or fill the memory.

use privet_data::formats::{Bundle, Limits, ReadOptions, gin_text, graph_json, musae, tu};
use privet_graph::{LoadedData, Result};
use proptest::prelude::*;
use proptest::sample::Index;

type Member = (&'static str, &'static [u8]);
type Reader = fn(&Bundle, &ReadOptions) -> Result<LoadedData>;

/// A valid dataset of each format, small enough that most mutations hit something that matters.
const SEEDS: [(&[Member], Reader); 4] = [
    (
        &[
            ("x_edges.csv", b"id_1,id_2\n0,1\n1,2\n2,2\n1,0\n"),
            ("x_features.json", b"{\"2\": [3, 1, 3], \"0\": [0], \"1\": []}"),
            ("x_target.csv", b"id,name,target\n0,\"a, \"\"b\"\"\",x\n1,c,y\n5,d,x\n"),
        ],
        musae::read,
    ),
    (
        &[
            ("X.txt", b"2\r\n3 -1\r\n5 1 1 0.5\r\n0 2 0 2 -1e2\r\n7 1 1 0\r\n1 4\r\n0 0 3\r\n"),
            ("10fold_idx/train_idx-1.txt", b"0\n"),
            ("10fold_idx/test_idx-1.txt", b"1\n"),
        ],
        gin_text::read,
    ),
    (
        &[
            ("M//M_A.txt", b"1, 2\n2, 1\n1, 2\n4, 5\n5, 4\n"),
            ("M//M_graph_indicator.txt", b"1\n1\n2\n2\n2\n"),
            ("M//M_graph_labels.txt", b"1\n-1\n"),
            ("M//M_node_labels.txt", b"0\n1\n2\n3\n4\n"),
            ("M//M_node_attributes.txt", b"0.5, 1\n0, 0\n1, 1\n2, 2\n3, -1e3\n"),
            ("M//M_edge_labels.txt", b"0\n0\n0\n0\n0\n"),
        ],
        tu::read,
    ),
    (
        &[
            ("g.json", b"{\"10\": [[0, 1], [1, 1]], \"9\": [[1, 0], [2, 1]], \"11\": []}"),
            ("target.csv", b"id,target\n9,0\n10,1\n11,1\n"),
        ],
        graph_json::read,
    ),
];

fn bundle(members: impl IntoIterator<Item = (&'static str, Vec<u8>)>) -> Bundle {
    Bundle::from_memory("z", members, Limits::default())
}

fn owned(members: &[Member]) -> Vec<(&'static str, Vec<u8>)> {
    members.iter().map(|&(name, bytes)| (name, bytes.to_vec())).collect()
}

/// Reads, and asks detection too; an error must name the bundle.
fn survive(bundle: &Bundle, read: Reader) {
    let _ = privet_data::formats::detect::detect(bundle);
    if let Err(error) = read(bundle, &ReadOptions::default()) {
        let told = error.with_values();
        assert!(told.starts_with("z"), "an error without a place: {told}");
    }
}

#[test]
fn the_seeds_are_valid() {
    for (members, read) in SEEDS {
        read(&bundle(owned(members)), &ReadOptions::default()).unwrap();
    }
}

#[test]
fn a_member_may_be_cut_anywhere() {
    for (members, read) in SEEDS {
        for at in 0..members.len() {
            for length in 0..members[at].1.len() {
                let mut cut = owned(members);
                cut[at].1.truncate(length);
                survive(&bundle(cut), read);
            }
        }
    }
}

#[test]
fn a_member_may_be_missing() {
    for (members, read) in SEEDS {
        for at in 0..members.len() {
            let mut fewer = owned(members);
            fewer.remove(at);
            survive(&bundle(fewer), read);
        }
        survive(&bundle([]), read);
    }
}

/// One change to some bytes.
#[derive(Debug, Clone)]
enum Mutation {
    Replace(Index, u8),
    Insert(Index, &'static [u8]),
    Remove(Index),
    Repeat(Index, Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let telling: [&'static [u8]; 12] = [
        b"-1",
        b"4294967295",
        b"18446744073709551615",
        b"99999999999999999999",
        b"NaN",
        b"1e999",
        b"\xff\xfe",
        b"\r\n",
        b"[[[[",
        b"\"",
        b",",
        b"0",
    ];
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Replace(at, byte)),
        (any::<Index>(), proptest::sample::select(telling.to_vec()))
            .prop_map(|(at, bytes)| Mutation::Insert(at, bytes)),
        any::<Index>().prop_map(Mutation::Remove),
        any::<(Index, Index)>().prop_map(|(from, to)| Mutation::Repeat(from, to)),
    ]
}

fn apply(mutation: &Mutation, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Replace(at, byte) => *at.get_mut(bytes) = *byte,
        Mutation::Insert(at, inserted) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, inserted.iter().copied());
        }
        Mutation::Remove(at) => {
            bytes.remove(at.index(bytes.len()));
        }
        Mutation::Repeat(from, to) => {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let part = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.extend(part);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_bytes_are_survived(bytes: Vec<u8>, member: Index, seed in 0..SEEDS.len()) {
        let (members, read) = SEEDS[seed];
        let mut members = owned(members);
        member.get_mut(&mut members).1 = bytes;
        survive(&bundle(members), read);
    }

    #[test]
    fn any_text_of_the_right_letters_is_survived(
        text in "[0-9 ,\\n\\[\\]{}\":.-]{0,80}",
        member: Index,
        seed in 0..SEEDS.len(),
    ) {
        let (members, read) = SEEDS[seed];
        let mut members = owned(members);
        member.get_mut(&mut members).1 = text.into_bytes();
        survive(&bundle(members), read);
    }

    #[test]
    fn mutated_members_are_survived(
        mutations in proptest::collection::vec((any::<Index>(), mutation()), 1..6),
        seed in 0..SEEDS.len(),
    ) {
        let (members, read) = SEEDS[seed];
        let mut members = owned(members);
        for (member, mutation) in &mutations {
            apply(mutation, &mut member.get_mut(&mut members).1);
        }
        survive(&bundle(members), read);
    }
}
