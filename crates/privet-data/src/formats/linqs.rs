//! LINQS text: `NAME.content` with one paper per line, `NAME.cites` with one citation per line.
//!
//! A line of `content` is an id, the feature values, and a class, between tabs or blanks; a line of
//! `cites` is `cited citing`. Read as directed, the arc leads from the citing paper to the cited.

use super::choose::{base_name, uncompressed};
use super::fields::shown;
use super::parts::Parts;
use super::{Bundle, Lines, ReadOptions, arcs, number_text};
use crate::{
    Dataset, Direction, Features, FoundValue, IdInterner, Labels, LoadedData, NodeId, Result,
    SourceLocation, SparseBuilder,
};

pub(crate) fn recognises(bundle: &Bundle) -> bool {
    Parts::exist(bundle, split_name)
}

/// Reads a bundle of this format.
///
/// # Errors
/// If a file is missing, rows differ in length, or a citation names a paper that is not there.
pub fn read(bundle: &Bundle, options: &ReadOptions) -> Result<LoadedData> {
    let chosen = Parts::choose(bundle, options, split_name, "NAME.content and NAME.cites")?;
    let (content, cites) = (chosen.member("content")?, chosen.member("cites")?);
    let Content { mut ids, features, classes } =
        read_content(Lines::new(bundle.open(content)?, bundle.limits()))?;
    let node_count = ids.len();
    let lines = Lines::new(bundle.open(cites)?, bundle.limits());
    let pairs = read_cites(lines, &mut ids, node_count, content)?;
    let place = bundle.member_place(cites);
    let (graph, notices) = arcs::build(&place, node_count, Direction::Undirected, pairs, options)?;
    let dataset = Dataset::new(chosen.name, graph, ids.finish()?)?
        .with_features(features)?
        .with_labels(Labels::from_names(&classes)?)?
        .with_notices(notices);
    Ok(LoadedData::Nodes(dataset))
}

/// `cora/cora.content.gz` -> (`cora/cora.`, `cora`, `content`)
fn split_name(member: &str) -> Option<(&str, &str, &str)> {
    let plain = uncompressed(member);
    let (name, part) = base_name(plain).rsplit_once('.')?;
    let known = !name.is_empty() && matches!(part, "content" | "cites");
    known.then(|| (&plain[..plain.len() - part.len()], name, part))
}

struct Content {
    ids: IdInterner,
    features: Features,
    classes: Vec<String>,
}

fn read_content(mut lines: Lines) -> Result<Content> {
    let place = lines.place().clone();
    let (mut ids, mut classes) = (IdInterner::default(), Vec::new());
    let mut rows: Option<(usize, SparseBuilder)> = None;
    let mut entries = Vec::new();
    while let Some((number, text)) = lines.next_text()? {
        let place = place.line(number);
        let fields: Vec<&str> = text.split_ascii_whitespace().collect();
        let [id, values @ .., class] = fields.as_slice() else {
            if fields.is_empty() {
                continue;
            }
            return Err(place.malformed("a single column", "an id, features, and a class"));
        };
        let (columns, builder) =
            rows.get_or_insert_with(|| (values.len(), SparseBuilder::new(values.len())));
        if values.len() != *columns {
            let expected = format!("{}, as on the first line", *columns + 2);
            return Err(
                place.malformed(FoundValue::words(format!("{} columns", fields.len())), expected)
            );
        }
        if (ids.intern(id) as usize) < classes.len() {
            return Err(place.malformed(format!("id '{id}' again"), "every id once"));
        }
        parse_row(values, &mut entries, &place)?;
        builder.push_row(&mut entries).map_err(|error| error.at(&place))?;
        classes.push((*class).to_owned());
    }
    let Some((_, builder)) = rows else {
        return Err(place.malformed("no lines", "one line per paper"));
    };
    Ok(Content { ids, features: Features::sparse(builder.finish()), classes })
}

fn parse_row(values: &[&str], entries: &mut Vec<(u32, f32)>, place: &SourceLocation) -> Result<()> {
    entries.clear();
    for (column, &value) in values.iter().enumerate() {
        // Nearly all are zeros.
        if value == "0" {
            continue;
        }
        match value.parse::<f32>() {
            Ok(number) if number.is_finite() => entries.push((column as u32, number)),
            _ => {
                let place = place.field(format!("{}", column + 2));
                return Err(place.malformed(shown(value.as_bytes()), number_text::EXPECTED));
            }
        }
    }
    Ok(())
}

fn read_cites(
    mut lines: Lines,
    ids: &mut IdInterner,
    node_count: usize,
    content: &str,
) -> Result<Vec<[NodeId; 2]>> {
    let place = lines.place().clone();
    let mut pairs = Vec::new();
    while let Some((number, text)) = lines.next_text()? {
        let here = || place.line(number);
        let mut fields = text.split_ascii_whitespace();
        let (cited, citing) = match (fields.next(), fields.next(), fields.next()) {
            (None, ..) => continue,
            (Some(cited), Some(citing), None) => (cited, citing),
            _ => {
                let found = shown(text.as_bytes());
                return Err(here().malformed(found, "two ids, cited and citing"));
            }
        };
        let mut node = |id: &str| {
            let node = ids.intern(id);
            let missing = || here().malformed(format!("id '{id}'"), format!("an id of {content}"));
            // A number past the papers was given just now, so no paper has this id.
            if (node as usize) < node_count { Ok(node) } else { Err(missing()) }
        };
        let cited = node(cited)?;
        pairs.push([node(citing)?, cited]);
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Id;
    use crate::formats::Limits;

    fn bundle(content: &[u8], cites: &[u8]) -> Bundle {
        let members = [("x/toy.content", content.to_vec()), ("x/toy.cites", cites.to_vec())];
        Bundle::from_memory("toy.zip", members, Limits::default())
    }

    fn load(content: &str, cites: &str, options: &ReadOptions) -> Result<Dataset> {
        read(&bundle(content.as_bytes(), cites.as_bytes()), options)?.into_nodes()
    }

    const CONTENT: &str = "31\t0\t1\tTheory\r\n7\t1\t0\tAI\r\n100\t0\t0.5\tTheory\r\n";

    #[test]
    fn ids_features_and_classes_are_kept() {
        let data = load(CONTENT, "31\t7\r\n7\t31\r\n\r\n7\t100\r\n", &ReadOptions::default());
        let data = data.unwrap();
        assert_eq!(data.name(), "toy");
        assert_eq!(data.ids().get(2), Id::Integer(100));
        assert_eq!(data.graph().edges().collect::<Vec<_>>(), [(0, 1), (1, 2)]);
        let features = data.features().unwrap();
        assert_eq!(features.nonzero_entries(2).collect::<Vec<_>>(), [(1, 0.5)]);
        let labels = data.labels().unwrap();
        assert_eq!(labels.class_names(), ["AI", "Theory"]);
        assert_eq!(labels.class(0), Some(1));
        assert!(data.notices()[0].text.contains("3 listed arcs are 2 undirected edges"));
    }

    #[test]
    fn arcs_lead_from_citing_to_cited() {
        let options = ReadOptions { direction: Some(Direction::Directed), ..Default::default() };
        let data = load(CONTENT, "31\t7\n", &options).unwrap();
        assert_eq!(data.graph().arcs().collect::<Vec<_>>(), [(1, 0)]);
    }

    #[test]
    fn damage_is_named_by_line() {
        let told = |content: &str, cites: &str| {
            load(content, cites, &ReadOptions::default()).unwrap_err().with_values()
        };
        assert_eq!(
            told(CONTENT, "31 7\n31 8\n"),
            "toy.zip, member x/toy.cites, line 2: found id '8'; expected an id of x/toy.content"
        );
        assert!(told("1 0 1 a\n2 0 b\n", "").contains("line 2: found 3 columns; expected 4"));
        assert!(told("1 0 a\n1 0 b\n", "").contains("line 2: found id '1' again"));
        assert!(told("1 x a\n", "").contains("line 1, field 2: found 'x'"));
        assert!(told("1 nan a\n", "").contains("field 2"));
        assert!(told("1\n", "").contains("a single column"));
        assert!(told("\n", "").contains("no lines"));
        assert!(told(CONTENT, "31\n").contains("line 1: found '31'"));
        assert!(told(CONTENT, "31 7 100\n").contains("two ids"));
        let lone = Bundle::from_memory("z", [("toy.cites", vec![])], Limits::default());
        let told = read(&lone, &ReadOptions::default()).unwrap_err().with_values();
        assert!(told.contains("no member toy.content"), "{told}");
    }

    #[test]
    fn several_datasets_need_a_name() {
        let members = ["a.content", "a.cites", "b.content", "b.cites"].map(|name| {
            (name, if name.ends_with("content") { b"1 0 z\n".to_vec() } else { vec![] })
        });
        let bundle = Bundle::from_memory("z", members, Limits::default());
        let told = read(&bundle, &ReadOptions::default()).unwrap_err().with_values();
        assert_eq!(told, "z: found 2 datasets (a, b); expected one; choose it with --member NAME");
        let options = ReadOptions { member: Some("b".into()), ..Default::default() };
        assert_eq!(read(&bundle, &options).unwrap().into_nodes().unwrap().name(), "b");
        let options = ReadOptions { member: Some("c".into()), ..Default::default() };
        assert!(read(&bundle, &options).unwrap_err().with_values().contains("unknown dataset 'c'"));
    }

    proptest! {
        #[test]
        fn arbitrary_and_mutated_bytes_never_panic(
            content in prop::collection::vec(any::<u8>(), 0..80),
            cites in "[0-9 \t\n]{0,30}",
            at in 0..CONTENT.len(),
            byte in any::<u8>(),
        ) {
            let _ = read(&bundle(&content, cites.as_bytes()), &ReadOptions::default());
            let mut mutated = CONTENT.as_bytes().to_vec();
            mutated[at] = byte;
            let _ = read(&bundle(&mutated, cites.as_bytes()), &ReadOptions::default());
        }
    }
}
